/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of a table by index (index, index_select, embedding), gather, and rows written by index (index_put, index_copy,
 * index_add). */
#include <string.h>
#include "kernels/convert.h"
#include "kernels/index.h"

#define NAME(p) nativert_ops[(p)->op].name
static const char OUT_OF_RANGE[] = "index out of range";

static uint8_t
collapse (const NativertView *v, uint32_t from, uint32_t to, int64_t *size, int64_t *stride)
{
  uint8_t n = 0;
  for (uint32_t d = from; d < to; d++) {
    if (v->size[d] == 1)
      continue;
    if (n > 0 && stride[n - 1] == v->stride[d] * v->size[d])
      size[n - 1] *= v->size[d];
    else
      size[n++] = v->size[d];
    stride[n - 1] = v->stride[d];
  }
  return n;
}

bool
nativert_index_plan (NativertPrep *p, NativertIndex *x, const NativertView *table, uint32_t before, uint32_t n_indices,
    uint32_t first_index)
{
  memset (x, 0, sizeof *x);
  if (n_indices < 1 || n_indices > NATIVERT_MAX_INDICES || before + n_indices > table->ndim)
    return nativert_no (p, "%s: %u indices after %u of %u dimensions (at most %d)", NAME (p), n_indices, before,
        table->ndim, NATIVERT_MAX_INDICES);
  for (uint32_t k = 0; k < n_indices; k++) {
    const NativertView *i = &p->in[first_index + k];
    if (first_index + k >= p->n_in || i->dtype != NATIVERT_I64 || !nativert_view_is_contiguous (i)
        || nativert_view_numel (i) != nativert_view_numel (&p->in[first_index]))
      return nativert_no (p, "%s: index %u is not contiguous int64 of the common size", NAME (p), k);
    x->size[k] = table->size[before + k];
    x->stride[k] = table->stride[before + k];
  }
  x->n_before_dims = collapse (table, 0, before, x->dim_size, x->dim_stride);
  x->n_after_dims = collapse (
      table, before + n_indices, table->ndim, x->dim_size + x->n_before_dims, x->dim_stride + x->n_before_dims);
  x->n_before = x->n_after = 1;
  for (uint32_t d = 0; d < table->ndim; d++)
    if (d < before || d >= before + n_indices)
      *(d < before ? &x->n_before : &x->n_after) *= table->size[d];
  x->n_places = nativert_view_numel (&p->in[first_index]);
  x->n_indices = (uint8_t) n_indices;
  x->first_index = (uint8_t) first_index;
  p->params_size = sizeof *x;
  p->cost = (uint64_t) (x->n_before * x->n_places * x->n_after) * nativert_dtype_size (table->dtype) * 2;
  return true;
}

int64_t
nativert_index_row (const NativertIndex *x, const NativertView *in, int64_t row)
{
  int64_t place = row % x->n_places, rest = row / x->n_places, offset = 0;
  for (uint32_t k = 0; k < x->n_indices; k++) {
    int64_t i = ((const int64_t *) in[x->first_index + k].data)[place], n = x->size[k];
    i = i < 0 ? i + n : i;
    if (i < 0 || i >= n)
      return -1;
    offset += i * x->stride[k];
  }
  for (int d = x->n_before_dims; d-- > 0;) {
    offset += rest % x->dim_size[d] * x->dim_stride[d];
    rest /= x->dim_size[d];
  }
  return offset;
}

/* Elements of a row from strided places to contiguous ones. */
#define TAKE(T)                                                                         \
  static void take_##T (const NativertIndex *x, char *to_, const char *from_)           \
  {                                                                                     \
    T *to = (T *) (void *) to_;                                                         \
    const T *from = (const T *) (const void *) from_;                                   \
    const int64_t *size = x->dim_size + x->n_before_dims, *stride = x->dim_stride + x->n_before_dims; \
    int64_t inner = x->n_after_dims ? size[x->n_after_dims - 1] : 1;           \
    int64_t step = x->n_after_dims ? stride[x->n_after_dims - 1] : 1;          \
    for (int64_t i = 0; i < x->n_after; i += inner) {                                   \
      int64_t rest = i / inner, offset = 0;                                             \
      for (int d = x->n_after_dims - 1; d-- > 0;) {                                     \
        offset += rest % size[d] * stride[d];                         \
        rest /= size[d];                                                       \
      }                                                                                 \
      for (int64_t j = 0; j < inner; j++)                                               \
        to[i + j] = from[offset + j * step];                                            \
    }                                                                                   \
  }
typedef struct { uint64_t lo, hi; } sixteen;
TAKE (uint8_t)
TAKE (uint16_t)
TAKE (uint32_t)
TAKE (uint64_t)
TAKE (sixteen)

static void
take (const NativertIndex *x, char *to, const char *from, size_t element)
{
  bool together = x->n_after_dims == 0 || (x->n_after_dims == 1 && x->dim_stride[x->n_before_dims] == 1);
  if (together)
    memcpy (to, from, (size_t) x->n_after * element);
  else if (element == 1)
    take_uint8_t (x, to, from);
  else if (element == 2)
    take_uint16_t (x, to, from);
  else if (element == 4)
    take_uint32_t (x, to, from);
  else if (element == 8)
    take_uint64_t (x, to, from);
  else
    take_sixteen (x, to, from);
}

static bool
prepare_index (NativertPrep *p)
{
  NativertIndex *x = p->params;
  uint32_t n = p->n_arg > 2 && p->arg[2].kind == NATIVERT_ARG_TENSORS ? p->arg[2].n : 0;
  if (!nativert_index_plan (p, x, &p->in[0], (uint32_t) nativert_arg_int (p, 1, 0), n, 1))
    return false;
  int64_t rows = x->n_before * x->n_places;
  if (!nativert_view_is_contiguous (&p->out[0]) || nativert_view_numel (&p->out[0]) != rows * x->n_after
      || p->out[0].dtype != p->in[0].dtype)
    return nativert_no (p, "%s: the result is not contiguous, or of another size", NAME (p));
  p->n_parts = x->n_parts = nativert_parts (rows, x->n_after * (int64_t) nativert_dtype_size (p->in[0].dtype) + 16);
  return true;
}

static void
index_fn (const NativertCall *c, uint32_t part)
{
  const NativertIndex *x = c->params;
  size_t element = nativert_dtype_size (c->in[0].dtype);
  int64_t lo, hi, row_bytes = x->n_after * (int64_t) element;
  nativert_part_range (x->n_before * x->n_places, x->n_parts, part, &lo, &hi);
  for (int64_t r = lo; r < hi; r++) {
    int64_t from = nativert_index_row (x, c->in, r);
    char *to = (char *) c->out[0].data + r * row_bytes;
    if (from < 0) {
      nativert_call_fail (c, OUT_OF_RANGE);
      memset (to, 0, (size_t) row_bytes);
    } else
      take (x, to, (const char *) c->in[0].data + from * (int64_t) element, element);
  }
}

/* index_put: self, dims_before, indices, values, accumulate.  One part: equal indices write in order. */
static bool
prepare_put (NativertPrep *p)
{
  NativertIndex *x = p->params;
  uint32_t n = p->n_arg > 2 && p->arg[2].kind == NATIVERT_ARG_TENSORS ? p->arg[2].n : 0;
  int values = nativert_arg_index (p, 3);
  if (!nativert_index_plan (p, x, &p->out[0], (uint32_t) nativert_arg_int (p, 1, 0), n, 1))
    return false;
  int64_t total = x->n_before * x->n_places * x->n_after;
  if (values < 0 || p->in[values].dtype != p->in[0].dtype || nativert_view_numel (&p->in[values]) != total
      || !nativert_view_is_contiguous (&p->in[values]))
    return nativert_no (p, "%s: values are not contiguous %s of %lld elements", NAME (p),
        nativert_dtype_name (p->in[0].dtype), (long long) total);
  if (!nativert_view_is_contiguous (&p->out[0]) || !nativert_view_is_contiguous (&p->in[0])
      || nativert_view_numel (&p->out[0]) != nativert_view_numel (&p->in[0]) || p->out[0].dtype != p->in[0].dtype)
    return nativert_no (p, "%s: self or the result is not contiguous, or of another size", NAME (p));
  x->accumulate = nativert_arg_int (p, 4, 0);
  p->in_place = 0;
  p->n_parts = 1;
  return true;
}

static int64_t
put_begin (const NativertCall *c, const NativertIndex *x)
{
  if (c->out[0].data != c->in[0].data)
    memcpy (
        c->out[0].data, c->in[0].data, (size_t) nativert_view_numel (&c->in[0]) * nativert_dtype_size (c->in[0].dtype));
  return x->n_before * x->n_places;
}

#define PUT(id, S, C, ...)                                                              \
  static void put_##id (const NativertCall *c, uint32_t part)                           \
  {                                                                                     \
    const NativertIndex *x = c->params;                                                 \
    int64_t rows = put_begin (c, x);                                                    \
    for (int64_t r = 0; r < rows; r++) {                                                \
      int64_t at = nativert_index_row (x, c->in, r);                                    \
      const S *from = (const S *) c->in[x->first_index + x->n_indices].data + r * x->n_after; \
      S *to = (S *) c->out[0].data + at;                                                \
      if (at < 0)                                                                       \
        nativert_call_fail (c, OUT_OF_RANGE);                                           \
      else if (!x->accumulate)                                                          \
        memcpy (to, from, (size_t) x->n_after * sizeof (S));                            \
      else                                                                              \
        for (int64_t i = 0; i < x->n_after; i++)                                        \
          to[i] = NATIVERT_STORE_##id (NATIVERT_LOAD (to[i]) + NATIVERT_LOAD (from[i])); \
    }                                                                                   \
  }
NATIVERT_ALL (PUT, )

/* gather: self, dim, index */
static bool
prepare_gather (NativertPrep *p)
{
  NativertGather *g = p->params;
  const NativertView *self = &p->in[0], *index = &p->in[1], *out = &p->out[0];
  uint32_t dim;
  if (p->n_in != 2 || index->dtype != NATIVERT_I64 || !nativert_view_is_contiguous (index)
      || !nativert_view_is_contiguous (out))
    return nativert_no (p, "gather: index is not contiguous int64, or the result is not contiguous");
  if (index->ndim != self->ndim || !nativert_wrap_dim (p, nativert_arg_int (p, 1, 0), self->ndim, &dim)
      || out->dtype != self->dtype)
    return nativert_no (p, "gather: index has %u dimensions, self %u", index->ndim, self->ndim);
  for (uint32_t d = 0; d < self->ndim; d++)
    if (d != dim && index->size[d] > self->size[d])
      return nativert_no (p, "gather: index has size %lld in dimension %u, self %lld", (long long) index->size[d], d,
          (long long) self->size[d]);
  g->n = nativert_view_numel (index);
  if (nativert_view_numel (out) != g->n)
    return nativert_no (p, "gather: the result has another size than index");
  g->ndim = self->ndim;
  g->dim = (uint8_t) dim;
  g->last = index->ndim ? index->size[index->ndim - 1] : 1;
  g->indexed = self->ndim ? self->size[dim] : 1;
  p->params_size = sizeof *g;
  p->cost = (uint64_t) g->n * 16;
  p->n_parts = g->n_parts = nativert_parts (g->last ? g->n / g->last : 0, g->last * 16);
  return true;
}

#define GATHER_ROW(T)                                                                           \
  for (int64_t j = 0; j < g->last; j++) {                                                       \
    int64_t k = index[j];                                                                       \
    if (k < 0 || k >= g->indexed) {                                                             \
      nativert_call_fail (c, OUT_OF_RANGE);                                                     \
      memset ((T *) (void *) to + j, 0, sizeof (T));                                            \
    } else                                                                                      \
      ((T *) (void *) to)[j] = ((const T *) (const void *) from)[k * along + j * step];         \
  }

static void
gather_fn (const NativertCall *c, uint32_t part)
{
  const NativertGather *g = c->params;
  const NativertView *self = &c->in[0];
  size_t element = nativert_dtype_size (self->dtype);
  int64_t lo, hi, along = g->ndim ? self->stride[g->dim] : 0,
                  step = g->ndim && g->dim + 1 < g->ndim ? self->stride[g->ndim - 1] : 0;
  nativert_part_range (g->last ? g->n / g->last : 0, g->n_parts, part, &lo, &hi);
  for (int64_t r = lo; r < hi; r++) {
    int64_t rest = r, offset = 0;
    for (int d = g->ndim - 1; d-- > 0;) {
      if (d != g->dim)
        offset += rest % c->in[1].size[d] * self->stride[d];
      rest /= c->in[1].size[d];
    }
    const int64_t *index = (const int64_t *) c->in[1].data + r * g->last;
    const char *from = (const char *) self->data + offset * (int64_t) element;
    char *to = (char *) c->out[0].data + r * g->last * (int64_t) element;
    switch (element) {
      case 1: GATHER_ROW (uint8_t) break;
      case 2: GATHER_ROW (uint16_t) break;
      case 4: GATHER_ROW (uint32_t) break;
      case 8: GATHER_ROW (uint64_t) break;
      default: GATHER_ROW (sixteen) break;
    }
  }
}

extern const NativertKernelSet nativert_set_index;
static const NativertKernel rows[] = {
#define ROWS(id, S, C, ...)                                                                                     \
  { NATIVERT_OP_nativert_index, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "index", prepare_index, index_fn },      \
  { NATIVERT_OP_nativert_gather, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "gather", prepare_gather, gather_fn },
  NATIVERT_EVERY (ROWS, )
#define PUT_ROW(id, S, C, ...)                                                                                         \
  { NATIVERT_OP_nativert_index_put, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "index-put", prepare_put, put_##id },
      NATIVERT_ALL (PUT_ROW, )
};
const NativertKernelSet nativert_set_index = { rows, sizeof rows / sizeof *rows, "index" };
