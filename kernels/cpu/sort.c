/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stable sort along a dimension, keeping the first k (topk), and binary search in sorted rows.  NaN counts as the
 * largest. */
#include <string.h>
#include "kernels/convert.h"
#include "kernels/reduce.h"

#define NAME(p) nativert_ops[(p)->op].name

typedef struct { NativertAlong along; int64_t k; bool descending; } Params;

/* self, dim, descending, k */
static bool
prepare_sort (NativertPrep *p)
{
  Params *s = p->params;
  memset (s, 0, sizeof *s);
  if (p->n_out != 2 || !nativert_along_prepare (p, &s->along, 1))
    return p->reason[0] ? false : nativert_no (p, "sort: %u results", p->n_out);
  s->descending = nativert_arg_int (p, 2, 0);
  s->k = nativert_arg_int (p, 3, s->along.n);
  int64_t results = s->along.outer * s->along.inner * s->k;
  if (s->k < 0 || s->k > s->along.n || nativert_view_numel (&p->out[0]) != results
      || nativert_view_numel (&p->out[1]) != results || p->out[0].dtype != p->in[0].dtype
      || p->out[1].dtype != NATIVERT_I64)
    return nativert_no (p, "sort: results of other sizes or dtypes");
  /* keys and places, twice: merging needs a second copy; a heap of k needs one of k */
  p->scratch_part = (size_t) s->along.n * 2 * (sizeof (double) + sizeof (int64_t));
  p->params_size = sizeof *s;
  p->cost = (uint64_t) (s->along.outer * s->along.inner * s->along.n) * 32;
  return true;
}

/* Comes a before b?  Equal keys keep their order, which merging sees to. */
#define SORT(id, S, C, ...)                                                                                            \
  typedef struct {                                                                                                     \
    C key;                                                                                                             \
    int64_t at;                                                                                                        \
  } Item_##id;                                                                                                         \
  static inline bool before_##id (C a, C b, bool descending)                                                           \
  {                                                                                                                    \
    if (descending)                                                                                                    \
      return a > b || (a != a && b == b);                                                                              \
    return a < b || (a == a && b != b);                                                                                \
  }                                                                                                                    \
  static inline bool first_##id (const Item_##id *a, const Item_##id *b, bool descending)                              \
  {                                                                                                                    \
    return before_##id (a->key, b->key, descending) || (!before_##id (b->key, a->key, descending) && a->at < b->at);   \
  }                                                                                                                    \
  static Item_##id *merge_sort_##id (Item_##id *from, Item_##id *to, int64_t n, bool descending)                       \
  {                                                                                                                    \
    for (int64_t width = 1; width < n; width *= 2) {                                                                   \
      for (int64_t i = 0; i < n; i += 2 * width) {                                                                     \
        int64_t a = i, b = i + width < n ? i + width : n, a_end = b, b_end = i + 2 * width < n ? i + 2 * width : n;    \
        for (int64_t k = i; k < b_end; k++)                                                                            \
          to[k] = b >= b_end || (a < a_end && !before_##id (from[b].key, from[a].key, descending)) ? from[a++]         \
                                                                                                   : from[b++];        \
      }                                                                                                                \
      Item_##id *swap = from;                                                                                          \
      from = to;                                                                                                       \
      to = swap;                                                                                                       \
    }                                                                                                                  \
    return from;                                                                                                       \
  }                                                                                                                    \
  static void sift_##id (Item_##id *heap, int64_t k, int64_t i, bool descending)                                       \
  {                                                                                                                    \
    for (;;) {                                                                                                         \
      int64_t worst = i, l = 2 * i + 1;                                                                                \
      for (int64_t child = l; child < l + 2 && child < k; child++)                                                     \
        if (first_##id (&heap[worst], &heap[child], descending))                                                       \
          worst = child;                                                                                               \
      if (worst == i)                                                                                                  \
        return;                                                                                                        \
      Item_##id swap = heap[i];                                                                                        \
      heap[i] = heap[worst];                                                                                           \
      heap[worst] = swap;                                                                                              \
      i = worst;                                                                                                       \
    }                                                                                                                  \
  }                                                                                                                    \
  /* The k first of n, in a heap whose root is the last of them. */                                                    \
  static void select_##id (const S *x, int64_t step, int64_t n, int64_t k, Item_##id *heap, bool descending)           \
  {                                                                                                                    \
    for (int64_t i = 0; i < k; i++)                                                                                    \
      heap[i] = (Item_##id){ NATIVERT_LOAD (x[i * step]), i };                                                         \
    for (int64_t i = k / 2; i-- > 0;)                                                                                  \
      sift_##id (heap, k, i, descending);                                                                              \
    for (int64_t i = k; i < n && k > 0; i++) {                                                                         \
      Item_##id item = { NATIVERT_LOAD (x[i * step]), i };                                                             \
      if (!before_##id (item.key, heap[0].key, descending))                                                            \
        continue;                                                                                                      \
      heap[0] = item;                                                                                                  \
      sift_##id (heap, k, 0, descending);                                                                              \
    }                                                                                                                  \
    for (int64_t m = k; m-- > 1;) {                                                                                    \
      Item_##id swap = heap[0];                                                                                        \
      heap[0] = heap[m];                                                                                               \
      heap[m] = swap;                                                                                                  \
      sift_##id (heap, m, 0, descending);                                                                              \
    }                                                                                                                  \
  }                                                                                                                    \
  static void sort_##id (const NativertCall *call, uint32_t part)                                                      \
  {                                                                                                                    \
    const Params *s = call->params;                                                                                    \
    const NativertAlong *p = &s->along;                                                                                \
    Item_##id *items = (Item_##id *) (void *) nativert_call_scratch (call, part);                                      \
    int64_t lo, hi;                                                                                                    \
    nativert_part_range (p->outer, p->n_parts, part, &lo, &hi);                                                        \
    for (int64_t u = lo * p->inner; u < hi * p->inner; u++) {                                                          \
      const S *x = (const S *) call->in[0].data + u / p->inner * p->n * p->inner + u % p->inner;                       \
      int64_t to = u / p->inner * s->k * p->inner + u % p->inner;                                                      \
      Item_##id *sorted = items;                                                                                       \
      if (s->k < p->n / 4)                                                                                             \
        select_##id (x, p->inner, p->n, s->k, items, s->descending);                                                   \
      else {                                                                                                           \
        for (int64_t i = 0; i < p->n; i++)                                                                             \
          items[i] = (Item_##id){ NATIVERT_LOAD (x[i * p->inner]), i };                                                \
        sorted = merge_sort_##id (items, items + p->n, p->n, s->descending);                                           \
      }                                                                                                                \
      for (int64_t i = 0; i < s->k; i++) {                                                                             \
        ((S *) call->out[0].data)[to + i * p->inner] = x[sorted[i].at * p->inner];                                     \
        ((int64_t *) call->out[1].data)[to + i * p->inner] = sorted[i].at;                                             \
      }                                                                                                                \
    }                                                                                                                  \
  }
NATIVERT_ALL (SORT, )

typedef struct { int64_t n, rows, per_row; bool right, shared; } Search;

/* sorted, self, right */
static bool
prepare_search (NativertPrep *p)
{
  Search *s = p->params;
  const NativertView *sorted = &p->in[0], *x = &p->in[1];
  if (p->n_in != 2 || sorted->dtype != x->dtype || sorted->ndim < 1 || p->out[0].dtype != NATIVERT_I64
      || !nativert_view_is_contiguous (sorted) || !nativert_view_is_contiguous (x)
      || !nativert_view_is_contiguous (&p->out[0]) || nativert_view_numel (&p->out[0]) != nativert_view_numel (x))
    return nativert_no (p, "searchsorted: not contiguous, or of different dtypes");
  s->n = sorted->size[sorted->ndim - 1];
  s->shared = sorted->ndim == 1;
  if (!s->shared && sorted->ndim != x->ndim)
    return nativert_no (p, "searchsorted: %u and %u dimensions", sorted->ndim, x->ndim);
  for (int d = 0; !s->shared && d < x->ndim - 1; d++)
    if (sorted->size[d] != x->size[d])
      return nativert_no (p, "searchsorted: sizes %lld and %lld of dimension %d", (long long) sorted->size[d],
          (long long) x->size[d], d);
  s->per_row = x->ndim ? x->size[x->ndim - 1] : 1;
  s->rows = s->per_row ? nativert_view_numel (x) / s->per_row : 0;
  s->right = nativert_arg_int (p, 2, 0);
  p->params_size = sizeof *s;
  p->cost = (uint64_t) nativert_view_numel (x) * 64;
  return true;
}

#define SEARCH(id, S, C, ...)                                                                   \
  static void search_##id (const NativertCall *call, uint32_t part)                             \
  {                                                                                             \
    const Search *s = call->params;                                                             \
    for (int64_t i = 0; i < s->rows * s->per_row; i++) {                                        \
      const S *row = (const S *) call->in[0].data + (s->shared ? 0 : i / s->per_row * s->n);    \
      const C x = NATIVERT_LOAD (((const S *) call->in[1].data)[i]);                            \
      int64_t lo = 0, hi = s->n;                                                                \
      while (lo < hi) {                                                                         \
        int64_t mid = lo + (hi - lo) / 2;                                                       \
        const C y = NATIVERT_LOAD (row[mid]);                                                   \
        if (s->right ? !(y > x) : !(y >= x))                                                    \
          lo = mid + 1;                                                                         \
        else                                                                                    \
          hi = mid;                                                                             \
      }                                                                                         \
      ((int64_t *) call->out[0].data)[i] = lo;                                                  \
    }                                                                                           \
  }
NATIVERT_REAL (SEARCH, )

extern const NativertKernelSet nativert_set_sort;
static const NativertKernel rows[] = {
#define SORT_ROW(id, S, C, ...)                                                                                        \
  { NATIVERT_OP_nativert_sort, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "sort", prepare_sort, sort_##id },
#define SEARCH_ROW(id, S, C, ...)                                                                                      \
  { NATIVERT_OP_nativert_searchsorted, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "searchsorted", prepare_search,          \
    search_##id },
  NATIVERT_ALL (SORT_ROW, ) NATIVERT_REAL (SEARCH_ROW, )
};
const NativertKernelSet nativert_set_sort = { rows, sizeof rows / sizeof *rows, "sort" };
