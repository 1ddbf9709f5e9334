/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* View rules: results that are windows on the first input.  Sizes and strides only; splits are in view-split.c, windows
 * that are copies when something changes (to, contiguous) in view-copy.c. */
#include "kernels/rules.h"

#define NAME(p) nativert_ops[(p)->op].name

static bool
begin (NativertPrep *p, NativertView *v)
{
  if (p->n_in < 1 || p->n_out < 1)
    return nativert_no (p, "%s: %u inputs, %u results", NAME (p), p->n_in, p->n_out);
  *v = p->in[0];
  p->offset[0] = 0;
  return true;
}

static bool
end (NativertPrep *p, const NativertView *v, int64_t offset)
{
  p->out[0] = *v;
  p->offset[0] = offset;
  return true;
}

static bool
int_list (NativertPrep *p, uint32_t k)
{
  if (k < p->n_arg && (p->arg[k].kind == NATIVERT_ARG_INTS || (p->arg[k].kind == NATIVERT_ARG_BOOLS)))
    return true;
  return nativert_no (p, "%s: argument %u is not a list of integers", NAME (p), k);
}

/* The strides of another shape over the same memory, when there are such (torch's rule). */
static bool
restride (const NativertView *old, NativertView *v)
{
  if (nativert_view_numel (old) == 0) {
    nativert_view_init (v, v->dtype, v->ndim, v->size);
    return true;
  }
  int view_d = v->ndim - 1;
  int64_t base = old->ndim ? old->stride[old->ndim - 1] : 1, tensor_numel = 1, view_numel = 1;
  for (int d = old->ndim - 1; d >= 0; d--) {
    tensor_numel *= old->size[d];
    if (d > 0 && (old->size[d - 1] == 1 || old->stride[d - 1] == tensor_numel * base))
      continue;
    while (view_d >= 0 && (view_numel < tensor_numel || v->size[view_d] == 1)) {
      v->stride[view_d] = view_numel * base;
      view_numel *= v->size[view_d--];
    }
    if (view_numel != tensor_numel)
      return false;
    if (d > 0) {
      base = old->stride[d - 1];
      tensor_numel = view_numel = 1;
    }
  }
  for (; view_d >= 0; view_d--)
    v->stride[view_d] = 1;
  return true;
}

/* The sizes that reshape-like operators ask for. */
static bool
wanted_sizes (NativertPrep *p, NativertView *v)
{
  const NativertView *in = &p->in[0];
  int64_t numel = nativert_view_numel (in), size[NATIVERT_MAX_DIMS];
  switch (p->op) {
    case NATIVERT_OP_reshape_as_default:
    case NATIVERT_OP_view_as_default: {
      int other = nativert_arg_index (p, 1);
      if (other < 0)
        return nativert_no (p, "%s: no tensor to take sizes of", NAME (p));
      v->ndim = p->in[other].ndim;
      return nativert_infer_sizes (p, numel, v->ndim, p->in[other].size, v->size);
    }
    case NATIVERT_OP_flatten_using_ints:
    case NATIVERT_OP_ravel_default: {
      uint32_t first, last, n = 0;
      if (!nativert_wrap_dim (p, nativert_arg_int (p, 1, 0), in->ndim, &first)
          || !nativert_wrap_dim (p, nativert_arg_int (p, 2, -1), in->ndim, &last))
        return false;
      if (last < first)
        return nativert_no (p, "flatten: end_dim %u before start_dim %u", last, first);
      for (uint32_t d = 0; d < in->ndim; d++)
        if (d > first && d <= last)
          size[n - 1] *= in->size[d];
        else
          size[n++] = in->size[d];
      if (in->ndim == 0)
        size[n++] = 1;
      v->ndim = (uint8_t) n;
      return nativert_infer_sizes (p, numel, n, size, v->size);
    }
    case NATIVERT_OP_unflatten_int: {
      uint32_t d, n = 0;
      if (!int_list (p, 2) || !nativert_wrap_dim (p, nativert_arg_int (p, 1, 0), in->ndim, &d))
        return false;
      if (in->ndim == 0 || in->ndim - 1 + p->arg[2].n > NATIVERT_MAX_DIMS)
        return nativert_no (p, "unflatten: %u dimensions", in->ndim + p->arg[2].n);
      int64_t part[NATIVERT_MAX_DIMS];
      if (!nativert_infer_sizes (p, in->size[d], p->arg[2].n, p->arg[2].u.ints, part))
        return false;
      for (uint32_t i = 0; i < in->ndim; i++)
        if (i != d)
          v->size[n++] = in->size[i];
        else
          for (uint32_t k = 0; k < p->arg[2].n; k++)
            v->size[n++] = part[k];
      v->ndim = (uint8_t) n;
      return true;
    }
    default:
      if (!int_list (p, 1) || !nativert_infer_sizes (p, numel, p->arg[1].n, p->arg[1].u.ints, v->size))
        return false;
      v->ndim = (uint8_t) p->arg[1].n;
      return true;
  }
}

static bool
reshape (NativertPrep *p, bool must)
{
  NativertView v;
  char text[120];
  if (!begin (p, &v) || !wanted_sizes (p, &v))
    return false;
  if (restride (&p->in[0], &v))
    return end (p, &v, 0);
  return must ? nativert_no (p, "%s: the strides of a tensor of sizes %s do not allow this view", NAME (p),
      nativert_sizes_text (text, sizeof text, p->in[0].ndim, p->in[0].size)) : false;
}

NATIVERT_VIEW (view)
{
  return reshape (p, true);
}

NATIVERT_VIEW (reshape_as)
{
  return reshape (p, true);
}

NATIVERT_VIEW (reshape)
{
  return reshape (p, false);
}

NATIVERT_VIEW (flatten)
{
  return reshape (p, false);
}

NATIVERT_VIEW (unflatten)
{
  return reshape (p, false);
}

/* Where no view will do: a contiguous copy, viewed. */
NATIVERT_EXPAND (reshape)
{
  NativertView v = p->in[0];
  if (!wanted_sizes (p, &v))
    return false;
  out[0] = nativert_emit_view (e, nativert_emit_copy (e, p->ref[0]), v.ndim, v.size);
  return true;
}

static bool
expand_to (NativertPrep *p, uint32_t ndim, const int64_t *size)
{
  NativertView v;
  if (!begin (p, &v))
    return false;
  int lead = (int) ndim - v.ndim;
  if (ndim > NATIVERT_MAX_DIMS || lead < 0)
    return nativert_no (p, "%s: %u dimensions to %u", NAME (p), v.ndim, ndim);
  for (int d = (int) ndim - 1; d >= 0; d--) {
    int64_t have = d < lead ? 1 : p->in[0].size[d - lead], want = size[d] == -1 && d >= lead ? have : size[d];
    if (want < 0 || (have != 1 && have != want))
      return nativert_no (p, "%s: size %lld of dimension %d to %lld", NAME (p), (long long) have, d, (long long) want);
    v.size[d] = want;
    v.stride[d] = have == 1 && want != 1 ? 0 : d < lead ? 0 : p->in[0].stride[d - lead];
  }
  for (int d = lead - 1; d >= 0; d--)           /* torch gives new leading dimensions of size 1 a full stride */
    if (v.size[d] == 1)
      v.stride[d] = (d + 1 < (int) ndim ? v.size[d + 1] * v.stride[d + 1] : 1);
  v.ndim = (uint8_t) ndim;
  int64_t numel;
  return nativert_checked_numel (p, ndim, v.size, &numel) && end (p, &v, 0);
}

NATIVERT_VIEW (expand)
{
  return int_list (p, 1) && expand_to (p, p->arg[1].n, p->arg[1].u.ints);
}

NATIVERT_VIEW (expand_as)
{
  int other = nativert_arg_index (p, 1);
  return other < 0 ? nativert_no (p, "expand_as: no tensor") : expand_to (p, p->in[other].ndim, p->in[other].size);
}

static bool
permute (NativertPrep *p, const uint32_t *from)
{
  NativertView v;
  if (!begin (p, &v))
    return false;
  for (uint32_t d = 0; d < v.ndim; d++) {
    v.size[d] = p->in[0].size[from[d]];
    v.stride[d] = p->in[0].stride[from[d]];
  }
  return end (p, &v, 0);
}

NATIVERT_VIEW (permute)
{
  uint32_t from[NATIVERT_MAX_DIMS], seen = 0;
  if (!int_list (p, 1))
    return false;
  if (p->arg[1].n != p->in[0].ndim)
    return nativert_no (p, "permute: %u numbers for %u dimensions", p->arg[1].n, p->in[0].ndim);
  for (uint32_t d = 0; d < p->arg[1].n; d++) {
    if (!nativert_wrap_dim (p, p->arg[1].u.ints[d], p->in[0].ndim, &from[d]))
      return false;
    if (seen & 1u << from[d])
      return nativert_no (p, "permute: dimension %u twice", from[d]);
    seen |= 1u << from[d];
  }
  return permute (p, from);
}

static bool
swap (NativertPrep *p, int64_t a, int64_t b)
{
  uint32_t from[NATIVERT_MAX_DIMS], x, y;
  if (!nativert_wrap_dim (p, a, p->in[0].ndim, &x) || !nativert_wrap_dim (p, b, p->in[0].ndim, &y))
    return false;
  for (uint32_t d = 0; d < p->in[0].ndim; d++)
    from[d] = d == x ? y : d == y ? x : d;
  return permute (p, from);
}

NATIVERT_VIEW (transpose)
{
  return swap (p, nativert_arg_int (p, 1, 0), nativert_arg_int (p, 2, 0));
}

/* t: at most two dimensions; mT: the last two. */
NATIVERT_VIEW (t)
{
  if (p->op == NATIVERT_OP_t_default && p->in[0].ndim > 2)
    return nativert_no (p, "t: %u dimensions, at most 2", p->in[0].ndim);
  if (p->op == NATIVERT_OP_mT_default && p->in[0].ndim < 2)
    return nativert_no (p, "mT: %u dimensions, at least 2", p->in[0].ndim);
  return p->in[0].ndim < 2 ? swap (p, 0, 0) : swap (p, -2, -1);
}

NATIVERT_VIEW (numpy_T)
{
  uint32_t from[NATIVERT_MAX_DIMS];
  for (uint32_t d = 0; d < p->in[0].ndim; d++)
    from[d] = p->in[0].ndim - 1u - d;
  return permute (p, from);
}

NATIVERT_VIEW (movedim)
{
  uint32_t from[NATIVERT_MAX_DIMS], ndim = p->in[0].ndim, to_mask = 0, from_mask = 0;
  int64_t one[2] = { nativert_arg_int (p, 1, 0), nativert_arg_int (p, 2, 0) };
  bool list = p->op == NATIVERT_OP_movedim_intlist;
  if (list && (!int_list (p, 1) || !int_list (p, 2) || p->arg[1].n != p->arg[2].n))
    return nativert_no (p, "movedim: lists that do not pair");
  for (uint32_t i = 0; i < (list ? p->arg[1].n : 1); i++) {
    uint32_t s, t;
    if (!nativert_wrap_dim (p, list ? p->arg[1].u.ints[i] : one[0], ndim, &s)
        || !nativert_wrap_dim (p, list ? p->arg[2].u.ints[i] : one[1], ndim, &t))
      return false;
    if ((from_mask & 1u << s) || (to_mask & 1u << t))
      return nativert_no (p, "movedim: a dimension twice");
    from_mask |= 1u << s;
    to_mask |= 1u << t;
    from[t] = s;
  }
  for (uint32_t d = 0, s = 0; d < ndim; d++) {
    if (to_mask & 1u << d)
      continue;
    while (from_mask & 1u << s)
      s++;
    from[d] = s++;
  }
  return permute (p, from);
}

static void
remove_dim (NativertView *v, uint32_t dim)
{
  v->ndim--;
  for (uint32_t d = dim; d < v->ndim; d++) {
    v->size[d] = v->size[d + 1];
    v->stride[d] = v->stride[d + 1];
  }
}

NATIVERT_VIEW (select)
{
  NativertView v;
  uint32_t d;
  if (!begin (p, &v))
    return false;
  if (v.ndim == 0)
    return nativert_no (p, "select: a tensor without dimensions");
  if (!nativert_wrap_dim (p, nativert_arg_int (p, 1, 0), v.ndim, &d))
    return false;
  int64_t index = nativert_arg_int (p, 2, 0);
  if (index < -v.size[d] || index >= v.size[d])
    return nativert_no (p, "select: index %lld of %lld", (long long) index, (long long) v.size[d]);
  int64_t offset = (index < 0 ? index + v.size[d] : index) * v.stride[d];
  remove_dim (&v, d);
  return end (p, &v, offset);
}

NATIVERT_VIEW (slice)
{
  NativertView v;
  uint32_t d;
  if (!begin (p, &v))
    return false;
  if (v.ndim == 0)
    return nativert_no (p, "slice: a tensor without dimensions");
  if (!nativert_wrap_dim (p, nativert_arg_int (p, 1, 0), v.ndim, &d))
    return false;
  int64_t n = v.size[d], start = nativert_arg_int (p, 2, 0), stop = nativert_arg_int (p, 3, INT64_MAX),
          step = nativert_arg_int (p, 4, 1);
  if (step <= 0)
    return nativert_no (p, "slice: step %lld", (long long) step);
  start = start < 0 ? start + n : start;
  stop = stop < 0 ? stop + n : stop;
  start = start < 0 ? 0 : start > n ? n : start;
  stop = stop < start ? start : stop > n ? n : stop;
  int64_t offset = start * v.stride[d];
  v.size[d] = (stop - start) / step + ((stop - start) % step != 0);
  if (__builtin_mul_overflow (v.stride[d], step, &v.stride[d]))
    return nativert_no (p, "slice: step %lld", (long long) step);
  return end (p, &v, offset);
}

NATIVERT_VIEW (narrow)
{
  NativertView v;
  uint32_t d;
  if (!begin (p, &v))
    return false;
  if (!nativert_wrap_dim (p, nativert_arg_int (p, 1, 0), v.ndim, &d))
    return false;
  int64_t n = v.ndim ? v.size[d] : 0, start = nativert_arg_int (p, 2, 0), length = nativert_arg_int (p, 3, 0);
  start = start < 0 ? start + n : start;
  if (v.ndim == 0 || start < 0 || length < 0 || start > n || length > n - start)
    return nativert_no (p, "narrow: %lld from %lld of %lld", (long long) length, (long long) start, (long long) n);
  v.size[d] = length;
  return end (p, &v, start * v.stride[d]);
}

NATIVERT_VIEW (unsqueeze)
{
  NativertView v;
  uint32_t d;
  if (!begin (p, &v))
    return false;
  if (v.ndim == NATIVERT_MAX_DIMS)
    return nativert_no (p, "unsqueeze: more than %d dimensions", NATIVERT_MAX_DIMS);
  if (!nativert_wrap_dim (p, nativert_arg_int (p, 1, 0), v.ndim + 1u, &d))
    return false;
  int64_t stride = d < v.ndim ? v.size[d] * v.stride[d] : 1;
  for (uint32_t i = v.ndim++; i > d; i--) {
    v.size[i] = v.size[i - 1];
    v.stride[i] = v.stride[i - 1];
  }
  v.size[d] = 1;
  v.stride[d] = stride;
  return end (p, &v, 0);
}

NATIVERT_VIEW (squeeze)
{
  NativertView v;
  uint32_t mask;
  bool all = p->op == NATIVERT_OP_squeeze_default;
  if (!begin (p, &v) || !nativert_wrap_dims (p, all ? p->n_arg : 1, v.ndim, &mask))
    return false;
  if (p->op == NATIVERT_OP_squeeze_dims && p->arg[1].n == 0)
    mask = 0;
  for (uint32_t d = v.ndim; d-- > 0;)
    if ((mask & 1u << d) && v.size[d] == 1)
      remove_dim (&v, d);
  return end (p, &v, 0);
}

NATIVERT_VIEW (unfold)
{
  NativertView v;
  uint32_t d;
  if (!begin (p, &v) || !nativert_wrap_dim (p, nativert_arg_int (p, 1, 0), v.ndim, &d))
    return false;
  int64_t n = v.ndim ? v.size[d] : 1, size = nativert_arg_int (p, 2, 1), step = nativert_arg_int (p, 3, 1);
  if (size < 0 || size > n || step <= 0 || v.ndim == NATIVERT_MAX_DIMS)
    return nativert_no (p, "unfold: windows of %lld every %lld on a dimension of %lld", (long long) size,
        (long long) step, (long long) n);
  int64_t stride = v.ndim ? v.stride[d] : 1;
  if (v.ndim) {
    v.size[d] = (n - size) / step + 1;
    v.stride[d] = v.size[d] > 1 ? stride * step : stride;
    if (v.size[d] <= 1 && __builtin_mul_overflow (stride, step, &v.stride[d]))
      v.stride[d] = stride;
  }
  v.size[v.ndim] = size;
  v.stride[v.ndim++] = stride;
  return end (p, &v, 0);
}

NATIVERT_VIEW (diagonal)
{
  NativertView v;
  uint32_t a, b;
  if (!begin (p, &v) || !nativert_wrap_dim (p, nativert_arg_int (p, 2, 0), v.ndim, &a)
      || !nativert_wrap_dim (p, nativert_arg_int (p, 3, 1), v.ndim, &b))
    return false;
  if (a == b || v.ndim < 2)
    return nativert_no (p, "diagonal: dimensions %u and %u of %u", a, b, v.ndim);
  int64_t shift = nativert_arg_int (p, 1, 0), rows = v.size[a], columns = v.size[b], n, offset = 0;
  if (shift >= 0)
    n = shift >= columns ? 0 : rows < columns - shift ? rows : columns - shift;
  else
    n = shift <= -rows ? 0 : rows + shift < columns ? rows + shift : columns;
  if (n > 0)
    offset = shift >= 0 ? shift * v.stride[b] : -shift * v.stride[a];
  int64_t stride = v.stride[a] + v.stride[b];
  remove_dim (&v, a > b ? a : b);
  remove_dim (&v, a > b ? b : a);
  v.size[v.ndim] = n;
  v.stride[v.ndim++] = stride;
  return end (p, &v, offset);
}

/* Elements between the first and the last of a view, for non-negative strides. */
static bool
extent (NativertPrep *p, const NativertView *v, int64_t *n)
{
  int64_t last = 0;
  for (int d = 0; d < v->ndim; d++) {
    int64_t step;
    if (v->stride[d] < 0 || v->size[d] < 0)
      return nativert_no (p, "%s: negative sizes or strides", NAME (p));
    if (v->size[d] == 0) {
      *n = 0;
      return true;
    }
    if (__builtin_mul_overflow (v->size[d] - 1, v->stride[d], &step) || __builtin_add_overflow (last, step, &last))
      return nativert_no (p, "%s: strides reach too far", NAME (p));
  }
  *n = last + 1;
  return true;
}

/* The memory behind the first input is what its own sizes and strides span: a window beyond that is refused. */
NATIVERT_VIEW (as_strided)
{
  NativertView v;
  int64_t have, need;
  if (!begin (p, &v) || !int_list (p, 1) || !int_list (p, 2) || !extent (p, &v, &have))
    return false;
  if (p->arg[1].n != p->arg[2].n || p->arg[1].n > NATIVERT_MAX_DIMS)
    return nativert_no (p, "as_strided: %u sizes, %u strides", p->arg[1].n, p->arg[2].n);
  v.ndim = (uint8_t) p->arg[1].n;
  for (uint32_t d = 0; d < v.ndim; d++) {
    v.size[d] = p->arg[1].u.ints[d];
    v.stride[d] = p->arg[2].u.ints[d];
  }
  int64_t offset = nativert_arg_int (p, 3, 0), numel;
  if (!nativert_checked_numel (p, v.ndim, v.size, &numel) || !extent (p, &v, &need))
    return false;
  if (offset < 0 || offset > have || need > have - offset)
    return nativert_no (p, "as_strided: %lld elements from %lld, the tensor spans %lld", (long long) need,
        (long long) offset, (long long) have);
  return end (p, &v, offset);
}
