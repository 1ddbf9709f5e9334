/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first k along a dimension in order, with their places: a heap of the best k so far, its root the worst of them, taken
 * apart at the end.  Places break ties, so the order is total and stable. */
#include "kernels/convert.h"
#include "kernels/reduce.h"

typedef struct { NativertAlong along; int64_t k; bool descending; } Sort;

NATIVERT_SHAPE (sort)
{
  const NativertView *x = &p->in[0];
  int64_t size[NATIVERT_MAX_DIMS], k = nativert_arg_int (p, 1, 0);
  uint32_t dim;

  if (!nativert_wrap_dim (p, nativert_arg_int (p, 2, -1), x->ndim, &dim))
    return false;
  int64_t n = x->ndim ? x->size[dim] : 1;
  if (k < 0 || k > n)
    return nativert_no (p, "k is %lld, the dimension has %lld elements", (long long) k, (long long) n);
  for (uint32_t d = 0; d < x->ndim; d++)
    size[d] = d == dim ? k : x->size[d];
  if (x->ndim == 0 && k != 1)
    return nativert_no (p, "k is %lld for a single number", (long long) k);
  return nativert_result (p, 0, x->dtype, x->ndim, size) && nativert_result (p, 1, NATIVERT_I64, x->ndim, size);
}

static bool
prepare (NativertPrep *p)
{
  Sort *s = p->params;
  if (!nativert_along_prepare (p, &s->along, 2))
    return false;
  s->k = nativert_arg_int (p, 1, 0);
  s->descending = nativert_arg_int (p, 3, 0);
  int64_t want = s->along.outer * s->k * s->along.inner;
  if (p->n_out != 2 || s->k < 0 || s->k > s->along.n || p->out[0].dtype != p->in[0].dtype || p->out[1].dtype != NATIVERT_I64
      || nativert_view_numel (&p->out[0]) != want || nativert_view_numel (&p->out[1]) != want)
    return nativert_no (p, "%s: results of other sizes or dtypes", nativert_ops[p->op].name);
  p->scratch_part = (size_t) s->k * sizeof (int64_t);
  p->params_size = sizeof *s;
  p->cost *= 8;
  return true;
}

/* before_*: does place i come before place j?  sift_*: puts `place` at the root's hole, the worst staying on top. */
#define SORT(id, S, C, ...)                                                                     \
  static inline bool before_##id (const S *x, int64_t stride, bool descending, int64_t i, int64_t j)    \
  {                                                                                             \
    const C a = NATIVERT_LOAD (x[i * stride]), b = NATIVERT_LOAD (x[j * stride]);               \
    if (a == b || (a != a && b != b))                                                           \
      return i < j;                                                                             \
    bool greater = a > b || a != a;                                                             \
    return greater == descending;                                                               \
  }                                                                                             \
  static inline void sift_##id (const S *x, int64_t stride, bool descending, int64_t *heap, int64_t n, int64_t place)   \
  {                                                                                             \
    int64_t hole = 0;                                                                           \
    for (int64_t child; (child = 2 * hole + 1) < n; hole = child) {                             \
      if (child + 1 < n && before_##id (x, stride, descending, heap[child], heap[child + 1]))   \
        child++;                                                                                \
      if (before_##id (x, stride, descending, heap[child], place))                              \
        break;                                                                                  \
      heap[hole] = heap[child];                                                                 \
    }                                                                                           \
    heap[hole] = place;                                                                         \
  }                                                                                             \
  static void rise_##id (const S *x, int64_t stride, bool descending, int64_t *heap, int64_t at)        \
  {                                                                                             \
    const int64_t place = heap[at];                                                             \
    for (int64_t up; at > 0 && before_##id (x, stride, descending, heap[up = (at - 1) / 2], place); at = up)    \
      heap[at] = heap[up];                                                                      \
    heap[at] = place;                                                                           \
  }                                                                                             \
  static void sort_##id (const NativertCall *call, uint32_t part)                               \
  {                                                                                             \
    const Sort *s = call->params;                                                               \
    int64_t *heap = (int64_t *) nativert_call_scratch (call, part), lo, hi;                     \
    const int64_t n = s->along.n, inner = s->along.inner, k = s->k;                             \
    nativert_part_range (s->along.outer, s->along.n_parts, part, &lo, &hi);                     \
    for (int64_t u = lo * inner; k > 0 && u < hi * inner; u++) {                                \
      const S *x = (const S *) call->in[0].data + u / inner * n * inner + u % inner;            \
      S *value = (S *) call->out[0].data + u / inner * k * inner + u % inner;                   \
      int64_t *index = (int64_t *) call->out[1].data + u / inner * k * inner + u % inner;       \
      for (int64_t i = 0; i < k; i++) {                                                         \
        heap[i] = i;                                                                            \
        rise_##id (x, inner, s->descending, heap, i);                                           \
      }                                                                                         \
      for (int64_t i = k; i < n; i++)                                                           \
        if (before_##id (x, inner, s->descending, i, heap[0]))                                  \
          sift_##id (x, inner, s->descending, heap, k, i);                                      \
      for (int64_t left = k; left-- > 0;) {                                                     \
        index[left * inner] = heap[0];                                                          \
        value[left * inner] = x[heap[0] * inner];                                               \
        sift_##id (x, inner, s->descending, heap, left, heap[left]);                            \
      }                                                                                         \
    }                                                                                           \
  }
NATIVERT_ALL (SORT, )

extern const NativertKernelSet nativert_set_sort;
#define ROW(id, S, C, ...) { NATIVERT_OP_nativert_sort, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "sort", prepare, sort_##id, NULL },
static const NativertKernel rows[] = { NATIVERT_ALL (ROW, ) };
const NativertKernelSet nativert_set_sort = { rows, sizeof rows / sizeof *rows, "sort" };
