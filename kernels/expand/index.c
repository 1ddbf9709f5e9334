/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forms of indexing, scatter and padding, brought to the few rows that compute. */
#include <string.h>
#include "kernels/index.h"

#define NAME(p) nativert_ops[(p)->op].name

static NativertRef
contiguous (NativertEmit *e, NativertRef ref)
{
  return ref == NATIVERT_NO_REF || nativert_view_is_contiguous (e->view (e, ref)) ? ref : nativert_emit_copy (e, ref);
}

static NativertRef
index_values (NativertEmit *e, NativertRef ref)
{
  return contiguous (e, nativert_emit_cast (e, ref, NATIVERT_I64));
}

/* What a list of indices means: the table with indexed dimensions side by side after `before` others, all indices of one shape. */
typedef struct {
  int64_t refs[NATIVERT_MAX_INDICES], order[NATIVERT_MAX_DIMS], shape[NATIVERT_MAX_DIMS];
  uint32_t n, before, ndim;                     /* ndim: of the indices' common shape */
  bool moved;                                   /* the table is permuted by order */
} Indices;

static bool
read_indices (NativertEmit *e, NativertPrep *p, Indices *x)
{
  const NativertArg *list = &p->arg[1];
  const NativertView *self = &p->in[0];
  uint32_t mask = 0, n = 0;
  memset (x, 0, sizeof *x);
  if (list->kind != NATIVERT_ARG_TENSORS || list->n > self->ndim)
    return nativert_no (p, "%s: %u indices for %u dimensions", NAME (p), list->n, self->ndim);
  for (uint32_t d = 0; d < list->n; d++) {
    int64_t k = list->u.ints[d];
    if (k < 0)
      continue;
    if (p->in[k].dtype == NATIVERT_BOOL || p->in[k].dtype == NATIVERT_U8)
      return nativert_no (p, "%s: index %u is a mask: the number of elements depends on the data", NAME (p), d);
    if (!nativert_is_integral (p->in[k].dtype) || x->n == NATIVERT_MAX_INDICES)
      return nativert_no (p, "%s: index %u is %s (%u indices)", NAME (p), d, nativert_dtype_name (p->in[k].dtype), x->n + 1);
    if (!nativert_broadcast (p, &p->in[k], &x->ndim, x->shape))
      return false;
    x->refs[x->n++] = p->ref[k];
    mask |= 1u << d;
  }
  if (x->n == 0)
    return nativert_no (p, "%s: no index", NAME (p));
  while (!(mask & 1u << x->before))
    x->before++;
  x->moved = mask >> x->before != (1u << x->n) - 1;
  if (x->moved)
    x->before = 0;
  for (uint32_t d = 0; d < self->ndim; d++)
    if (mask & 1u << d)
      x->order[n++] = d;
  for (uint32_t d = 0; d < self->ndim; d++)
    if (!(mask & 1u << d))
      x->order[n++] = d;
  for (uint32_t k = 0; k < x->n; k++) {
    NativertRef i = nativert_emit_cast (e, (NativertRef) x->refs[k], NATIVERT_I64);
    x->refs[k] = contiguous (e, nativert_emit_expand (e, i, x->ndim, x->shape));
  }
  return true;
}

NATIVERT_EXPAND (index)
{
  Indices x;
  if (!read_indices (e, p, &x))
    return false;
  NativertRef self = x.moved ? nativert_emit_permute (e, p->ref[0], p->in[0].ndim, x.order) : p->ref[0];
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_index, NATIVERT_T (self), NATIVERT_I (x.before), NATIVERT_TS (x.refs, x.n));
  return true;
}

static NativertRef
put (NativertEmit *e, NativertRef self, int64_t before, const int64_t *indices, uint32_t n, NativertRef values, bool accumulate)
{
  return nativert_emit (e, NATIVERT_OP_nativert_index_put, NATIVERT_T (contiguous (e, self)), NATIVERT_I (before), NATIVERT_TS (indices, n),
      NATIVERT_T (contiguous (e, values)), NATIVERT_B (accumulate));
}

NATIVERT_EXPAND (index_put)
{
  Indices x;
  int64_t size[NATIVERT_MAX_DIMS], back[NATIVERT_MAX_DIMS];
  const NativertView *in = &p->in[0];
  uint32_t n = 0;
  int values = nativert_arg_index (p, 2);
  if (values < 0 || !read_indices (e, p, &x))
    return values < 0 ? nativert_no (p, "index_put: no values") : false;
  for (uint32_t d = 0; d < x.before; d++)
    size[n++] = in->size[d];
  for (uint32_t d = 0; d < x.ndim; d++)
    size[n++] = x.shape[d];
  for (uint32_t d = x.before + x.n; d < in->ndim; d++)
    size[n++] = in->size[x.moved ? x.order[d] : d];
  NativertRef self = x.moved ? nativert_emit_permute (e, p->ref[0], in->ndim, x.order) : p->ref[0];
  NativertRef v = nativert_emit_expand (e, nativert_emit_cast (e, p->ref[values], in->dtype), n, size);
  out[0] = put (e, self, x.before, x.refs, x.n, v, nativert_arg_int (p, 3, 0));
  for (uint32_t d = 0; d < in->ndim; d++)
    back[x.order[d]] = d;
  if (x.moved)
    out[0] = nativert_emit_permute (e, out[0], in->ndim, back);
  return true;
}

/* One vector of indices along a dimension; a 0-d table counts as one element. */
static NativertRef
take (NativertEmit *e, NativertRef self, int64_t dim, NativertRef index)
{
  int64_t one = index;
  return nativert_emit (e, NATIVERT_OP_nativert_index, NATIVERT_T (self), NATIVERT_I (dim), NATIVERT_TS (&one, 1));
}

NATIVERT_EXPAND (index_select)
{
  uint32_t dim;
  int64_t one = 1;
  if (p->in[1].ndim > 1 || !nativert_wrap_dim (p, nativert_arg_int (p, 1, 0), p->in[0].ndim, &dim))
    return p->reason[0] ? false : nativert_no (p, "index_select: an index of %u dimensions", p->in[1].ndim);
  bool scalar = p->in[0].ndim == 0;
  NativertRef self = scalar ? nativert_emit_view (e, p->ref[0], 1, &one) : p->ref[0], index = index_values (e, p->ref[1]);
  int64_t n = nativert_view_numel (&p->in[1]);
  out[0] = take (e, self, dim, nativert_emit_view (e, index, 1, &n));
  if (scalar)
    out[0] = nativert_emit_view (e, out[0], 0, NULL);
  return true;
}

NATIVERT_EXPAND (embedding)
{
  if (p->in[0].ndim != 2 || !nativert_is_integral (p->in[1].dtype))
    return nativert_no (p, "embedding: a table of %u dimensions, indices of %s", p->in[0].ndim, nativert_dtype_name (p->in[1].dtype));
  out[0] = take (e, p->ref[0], 0, index_values (e, p->ref[1]));
  return true;
}

/* index_copy and index_add */
NATIVERT_EXPAND (index_copy)
{
  uint32_t dim;
  if (p->in[0].ndim == 0 || !nativert_wrap_dim (p, nativert_arg_int (p, 1, 0), p->in[0].ndim, &dim))
    return p->reason[0] ? false : nativert_no (p, "%s: no dimensions", NAME (p));
  int64_t n = nativert_view_numel (&p->in[1]), one = nativert_emit_view (e, index_values (e, p->ref[1]), 1, &n);
  NativertRef source = p->ref[2];
  bool add = p->op == NATIVERT_OP_index_add_default;
  if (add && nativert_arg_float (p, 4, 1) != 1)
    source = nativert_emit (e, NATIVERT_OP_mul_Tensor, NATIVERT_T (source), NATIVERT_T (nativert_scalar_ref (e, p, 4, p->in[0].dtype)));
  if (p->in[2].ndim != p->in[0].ndim || p->in[2].size[dim] != n)
    return nativert_no (p, "%s: a source of %u dimensions for %lld indices", NAME (p), p->in[2].ndim, (long long) n);
  out[0] = put (e, p->ref[0], dim, &one, 1, source, add);
  return true;
}

NATIVERT_EXPAND (index_fill)
{
  uint32_t dim;
  int64_t size[NATIVERT_MAX_DIMS];
  if (p->in[0].ndim == 0 || !nativert_wrap_dim (p, nativert_arg_int (p, 1, 0), p->in[0].ndim, &dim))
    return p->reason[0] ? false : nativert_no (p, "index_fill: no dimensions");
  int64_t n = nativert_view_numel (&p->in[1]), one = nativert_emit_view (e, index_values (e, p->ref[1]), 1, &n);
  for (uint32_t d = 0; d < p->in[0].ndim; d++)
    size[d] = d == dim ? n : p->in[0].size[d];
  NativertRef value = nativert_emit_expand (e, nativert_scalar_ref (e, p, 3, p->in[0].dtype), p->in[0].ndim, size);
  out[0] = put (e, p->ref[0], dim, &one, 1, value, false);
  return true;
}

NATIVERT_EXPAND (gather)
{
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_gather, NATIVERT_T (p->ref[0]), p->arg[1], NATIVERT_T (index_values (e, p->ref[1])));
  return true;
}

NATIVERT_EXPAND (take_along_dim)
{
  int64_t a[NATIVERT_MAX_DIMS], b[NATIVERT_MAX_DIMS], flat = -1;
  uint32_t dim, n = p->in[0].ndim;
  NativertRef self = p->ref[0], index = index_values (e, p->ref[1]);
  if (nativert_arg_is_none (p, 2)) {
    out[0] = take (e, nativert_emit_view (e, self, 1, &flat), 0, nativert_emit_view (e, index, 1, &flat));
    return true;
  }
  if (n != p->in[1].ndim || !nativert_wrap_dim (p, nativert_arg_int (p, 2, 0), n, &dim))
    return p->reason[0] ? false : nativert_no (p, "take_along_dim: %u and %u dimensions", n, p->in[1].ndim);
  for (uint32_t d = 0; d < n; d++) {
    int64_t x = p->in[0].size[d], y = p->in[1].size[d], both = x == 1 ? y : x;
    a[d] = d == dim ? x : both;
    b[d] = d == dim ? y : both;
  }
  index = contiguous (e, nativert_emit_expand (e, index, n, b));
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_gather, NATIVERT_T (nativert_emit_expand (e, self, n, a)), NATIVERT_I (dim), NATIVERT_T (index));
  return true;
}

static int
scatter_mode (NativertPrep *p)
{
  const NativertArg *how = p->n_arg > 4 ? &p->arg[4] : NULL;
  if (p->op == NATIVERT_OP_scatter_add_default)
    return NATIVERT_SCATTER_ADD;
  if (p->op == NATIVERT_OP_scatter_src || p->op == NATIVERT_OP_scatter_value)
    return NATIVERT_SCATTER_SET;
  const char *name = how && how->kind == NATIVERT_ARG_STRING ? how->u.s : "";
  if (!strcmp (name, "add") || !strcmp (name, "sum"))
    return NATIVERT_SCATTER_ADD;
  if (!strcmp (name, "multiply") || !strcmp (name, "prod"))
    return NATIVERT_SCATTER_MULTIPLY;
  if (!strcmp (name, "amax"))
    return NATIVERT_SCATTER_MAX;
  if (!strcmp (name, "amin"))
    return NATIVERT_SCATTER_MIN;
  nativert_no (p, "%s: reduction \"%s\"", NAME (p), name);
  return -1;
}

NATIVERT_EXPAND (scatter)
{
  int mode = scatter_mode (p);
  if (mode < 0)
    return false;
  if (p->op == NATIVERT_OP_scatter_reduce_two && !nativert_arg_int (p, 5, 1))
    return nativert_no (p, "scatter_reduce without include_self");
  int64_t size[NATIVERT_MAX_DIMS];
  uint32_t n = p->in[1].ndim;
  for (uint32_t d = 0; d < n; d++)
    size[d] = p->in[1].size[d];
  NativertRef src = p->op == NATIVERT_OP_scatter_value ? nativert_emit_expand (e, nativert_scalar_ref (e, p, 3, p->in[0].dtype), n, size) : p->ref[2];
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_scatter, NATIVERT_T (contiguous (e, p->ref[0])), p->arg[1], NATIVERT_T (index_values (e, p->ref[1])),
      NATIVERT_T (src), NATIVERT_I (mode));
  return true;
}

static NativertRef
put_window (NativertEmit *e, NativertPrep *p, NativertRef src, uint32_t dim, int64_t start, int64_t step)
{
  int64_t starts[NATIVERT_MAX_DIMS] = { 0 }, steps[NATIVERT_MAX_DIMS];
  for (uint32_t d = 0; d < p->in[0].ndim; d++)
    steps[d] = 1;
  starts[dim] = start;
  steps[dim] = step;
  return nativert_emit (e, NATIVERT_OP_nativert_put, NATIVERT_T (p->ref[0]), NATIVERT_T (nativert_emit_cast (e, src, p->in[0].dtype)),
      NATIVERT_IS (starts, p->in[0].ndim), NATIVERT_IS (steps, p->in[0].ndim));
}

NATIVERT_EXPAND (slice_scatter)
{
  uint32_t dim;
  int64_t size[NATIVERT_MAX_DIMS];
  const NativertView *x = &p->in[0];
  if (x->ndim == 0 || !nativert_wrap_dim (p, nativert_arg_int (p, 2, 0), x->ndim, &dim))
    return p->reason[0] ? false : nativert_no (p, "slice_scatter: no dimensions");
  int64_t n = x->size[dim], start = nativert_arg_int (p, 3, 0), stop = nativert_arg_int (p, 4, INT64_MAX), step = nativert_arg_int (p, 5, 1);
  start = start < 0 ? start + n : start;
  stop = stop < 0 ? stop + n : stop;
  start = start < 0 ? 0 : start > n ? n : start;
  stop = stop < start ? start : stop > n ? n : stop;
  if (step < 1)
    return nativert_no (p, "slice_scatter: step %lld", (long long) step);
  for (uint32_t d = 0; d < x->ndim; d++)
    size[d] = d == dim ? (stop - start + step - 1) / step : x->size[d];
  out[0] = put_window (e, p, nativert_emit_expand (e, p->ref[1], x->ndim, size), dim, start, step);
  return true;
}

NATIVERT_EXPAND (select_scatter)
{
  uint32_t dim;
  if (p->in[0].ndim == 0 || !nativert_wrap_dim (p, nativert_arg_int (p, 2, 0), p->in[0].ndim, &dim))
    return p->reason[0] ? false : nativert_no (p, "select_scatter: no dimensions");
  int64_t n = p->in[0].size[dim], i = nativert_arg_int (p, 3, 0);
  if (i < -n || i >= n)
    return nativert_no (p, "select_scatter: index %lld of %lld", (long long) i, (long long) n);
  NativertRef src = nativert_emit (e, NATIVERT_OP_unsqueeze_default, NATIVERT_T (p->ref[1]), NATIVERT_I (dim));
  out[0] = put_window (e, p, src, dim, i < 0 ? i + n : i, 1);
  return true;
}
