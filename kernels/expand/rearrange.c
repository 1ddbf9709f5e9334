/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operators that are views, a copy, and views again; sort forms and other small composites. */
#include <string.h>
#include "kernels/rules.h"

#define NAME(p) nativert_ops[(p)->op].name

static NativertRef
cat (NativertEmit *e, const int64_t *refs, uint32_t n, int64_t dim)
{
  return nativert_emit (e, NATIVERT_OP_cat_default, NATIVERT_TS (refs, n), NATIVERT_I (dim));
}

/* By one dimension after the other: the last `shift` elements come first. */
NATIVERT_EXPAND (roll)
{
  const NativertArg *shifts = &p->arg[1], *dims = &p->arg[2];
  const NativertView *in = &p->in[0];
  int64_t flat = -1, size[NATIVERT_MAX_DIMS];
  bool whole = dims->kind != NATIVERT_ARG_INTS || dims->n == 0;
  if (shifts->kind != NATIVERT_ARG_INTS || (whole ? shifts->n != 1 : shifts->n != dims->n))
    return nativert_no (p, "roll: %u shifts, %u dimensions", shifts->n, dims->n);
  NativertRef x = whole ? nativert_emit_view (e, p->ref[0], 1, &flat) : p->ref[0];
  for (uint32_t i = 0; i < shifts->n; i++) {
    uint32_t d = 0;
    if (!whole && !nativert_wrap_dim (p, dims->u.ints[i], in->ndim, &d))
      return false;
    int64_t n = whole ? nativert_view_numel (in) : in->ndim ? in->size[d] : 1, shift = n > 0 ? shifts->u.ints[i] % n : 0;
    shift = shift < 0 ? shift + n : shift;
    if (shift == 0 || in->ndim == 0)
      continue;
    int64_t pieces[2] = { nativert_emit_slice (e, x, d, n - shift, n, 1), nativert_emit_slice (e, x, d, 0, n - shift, 1) };
    x = cat (e, pieces, 2, d);
  }
  for (uint32_t d = 0; d < in->ndim; d++)
    size[d] = in->size[d];
  x = whole ? nativert_emit_view (e, x, in->ndim, size) : x;
  out[0] = x == p->ref[0] ? nativert_emit_copy (e, x) : x;
  return true;
}

/* repeat: [r0, r1, ...] times; every dimension becomes (repeats, size), copied, viewed as one. */
NATIVERT_EXPAND (repeat)
{
  const NativertArg *r = &p->arg[1];
  const NativertView *in = &p->in[0];
  int64_t one[2 * NATIVERT_MAX_DIMS], all[2 * NATIVERT_MAX_DIMS], size[NATIVERT_MAX_DIMS], numel;
  uint32_t n = r->n > in->ndim ? r->n : in->ndim, m = 0;
  if (r->kind != NATIVERT_ARG_INTS || (p->op == NATIVERT_OP_repeat_default && r->n < in->ndim) || n > NATIVERT_MAX_DIMS)
    return nativert_no (p, "%s: %u numbers for %u dimensions", NAME (p), r->n, in->ndim);
  for (uint32_t d = 0; d < n; d++) {
    int64_t have = d + in->ndim >= n ? in->size[d + in->ndim - n] : 1, times = d + r->n >= n ? r->u.ints[d + r->n - n] : 1;
    if (times < 0 || __builtin_mul_overflow (have, times, &size[d]))
      return nativert_no (p, "%s: %lld times %lld", NAME (p), (long long) have, (long long) times);
    if (times != 1) {
      one[m] = 1;
      all[m++] = times;
    }
    one[m] = all[m] = have;
    m++;
  }
  if (m > NATIVERT_MAX_DIMS)
    return nativert_no (p, "%s: too many dimensions are repeated", NAME (p));
  if (!nativert_checked_numel (p, n, size, &numel))
    return false;
  NativertRef x = nativert_emit_expand (e, nativert_emit_view (e, p->ref[0], m, one), m, all);
  out[0] = nativert_emit_view (e, nativert_emit_copy (e, x), n, size);
  return true;
}

NATIVERT_EXPAND (repeat_interleave)
{
  int64_t flat = -1, one[NATIVERT_MAX_DIMS + 1], all[NATIVERT_MAX_DIMS + 1], size[NATIVERT_MAX_DIMS], times = nativert_arg_int (p, 1, 1), numel;
  bool whole = nativert_arg_is_none (p, 2);
  uint32_t d = 0, n = whole ? 1 : p->in[0].ndim, m = 0;
  if (!whole && (n == 0 || n == NATIVERT_MAX_DIMS || !nativert_wrap_dim (p, nativert_arg_int (p, 2, 0), n, &d)))
    return p->reason[0] ? false : nativert_no (p, "repeat_interleave: %u dimensions", n);
  for (uint32_t i = 0; i < n; i++) {
    size[i] = whole ? nativert_view_numel (&p->in[0]) : p->in[0].size[i];
    one[m] = all[m] = size[i];
    m++;
    if (i != d)
      continue;
    if (times < 0 || __builtin_mul_overflow (size[i], times, &size[i]))
      return nativert_no (p, "repeat_interleave: %lld times", (long long) times);
    one[m] = 1;
    all[m++] = times;
  }
  if (!nativert_checked_numel (p, n, size, &numel))
    return false;
  NativertRef x = whole ? nativert_emit_view (e, p->ref[0], 1, &flat) : p->ref[0];
  x = nativert_emit_expand (e, nativert_emit_view (e, x, m, one), m, all);
  out[0] = nativert_emit_view (e, nativert_emit_copy (e, x), n, size);
  return true;
}

/* The three-step dance of shuffles on the last dimensions; leading ones are joined. */
static NativertRef
shuffle (NativertEmit *e, NativertRef x, uint32_t n, const int64_t *split, const int64_t *order, uint32_t n_size, const int64_t *size)
{
  x = nativert_emit_permute (e, nativert_emit_view (e, x, n, split), n, order);
  return nativert_emit_view (e, nativert_emit_copy (e, x), n_size, size);
}

NATIVERT_EXPAND (pixel_shuffle)
{
  static const int64_t order[] = { 0, 1, 4, 2, 5, 3 };
  const NativertView *x = &p->in[0];
  int64_t r = nativert_arg_int (p, 1, 1), size[NATIVERT_MAX_DIMS], lead = 1;
  uint32_t n = x->ndim;
  if (n < 3 || r < 1 || r > 1 << 15 || x->size[n - 3] % (r * r))
    return nativert_no (p, "pixel_shuffle: factor %lld, %lld channels", (long long) r, n < 3 ? 0LL : (long long) x->size[n - 3]);
  for (uint32_t d = 0; d < n; d++) {
    size[d] = x->size[d];
    lead *= d + 3 < n ? x->size[d] : 1;
  }
  size[n - 3] /= r * r;
  size[n - 2] *= r;
  size[n - 1] *= r;
  int64_t split[] = { lead, size[n - 3], r, r, x->size[n - 2], x->size[n - 1] };
  out[0] = shuffle (e, p->ref[0], 6, split, order, n, size);
  return true;
}

NATIVERT_EXPAND (pixel_unshuffle)
{
  static const int64_t order[] = { 0, 1, 3, 5, 2, 4 };
  const NativertView *x = &p->in[0];
  int64_t r = nativert_arg_int (p, 1, 1), size[NATIVERT_MAX_DIMS], lead = 1;
  uint32_t n = x->ndim;
  if (n < 3 || r < 1 || r > 1 << 15 || x->size[n - 2] % r || x->size[n - 1] % r)
    return nativert_no (p, "pixel_unshuffle: factor %lld of %u dimensions", (long long) r, n);
  for (uint32_t d = 0; d < n; d++) {
    size[d] = x->size[d];
    lead *= d + 3 < n ? x->size[d] : 1;
  }
  size[n - 3] *= r * r;
  size[n - 2] /= r;
  size[n - 1] /= r;
  int64_t split[] = { lead, x->size[n - 3], size[n - 2], r, size[n - 1], r };
  out[0] = shuffle (e, p->ref[0], 6, split, order, n, size);
  return true;
}

NATIVERT_EXPAND (channel_shuffle)
{
  static const int64_t order[] = { 0, 2, 1, 3 };
  const NativertView *x = &p->in[0];
  int64_t g = nativert_arg_int (p, 1, 1), size[NATIVERT_MAX_DIMS], rest = 1;
  if (x->ndim < 3 || g < 1 || x->size[1] % g)
    return nativert_no (p, "channel_shuffle: %lld groups", (long long) g);
  for (uint32_t d = 0; d < x->ndim; d++) {
    size[d] = x->size[d];
    rest *= d > 1 ? x->size[d] : 1;
  }
  int64_t split[] = { x->size[0], g, x->size[1] / g, rest };
  out[0] = shuffle (e, p->ref[0], 4, split, order, x->ndim, size);
  return true;
}

/* Two numbers of a list, or one for both. */
static bool
pair (NativertPrep *p, uint32_t k, int64_t least, int64_t *to)
{
  return nativert_arg_list (p, k, 2, to, NAME (p))
      && ((to[0] >= least && to[1] >= least && to[0] < 1 << 24 && to[1] < 1 << 24) || nativert_no (p, "%s: %lld, %lld", NAME (p), (long long) to[0], (long long) to[1]));
}

static int64_t
places (int64_t n, int64_t pad, int64_t kernel, int64_t dilation, int64_t stride)
{
  int64_t room = n + 2 * pad - dilation * (kernel - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

/* Windows are a strided view of the padded input. */
NATIVERT_EXPAND (im2col)
{
  int64_t k[2] = { 0 }, dilation[2] = { 0 }, pad[2] = { 0 }, stride[2] = { 0 }, around[4], size[3];
  const NativertView *in = &p->in[0];
  bool single = in->ndim == 3;
  if ((in->ndim != 4 && !single) || !pair (p, 1, 1, k) || !pair (p, 2, 1, dilation) || !pair (p, 3, 0, pad) || !pair (p, 4, 1, stride))
    return p->reason[0] ? false : nativert_no (p, "im2col: %u dimensions", in->ndim);
  const int64_t *s = in->size + (single ? 0 : 1);
  int64_t n = single ? 1 : in->size[0], c = s[0], h = s[1] + 2 * pad[0], w = s[2] + 2 * pad[1];
  int64_t oh = places (s[1], pad[0], k[0], dilation[0], stride[0]), ow = places (s[2], pad[1], k[1], dilation[1], stride[1]);
  if (oh < 1 || ow < 1)
    return nativert_no (p, "im2col: the kernel is larger than the input");
  around[0] = around[1] = pad[1];
  around[2] = around[3] = pad[0];
  NativertRef x = nativert_emit (e, NATIVERT_OP_constant_pad_nd_default, NATIVERT_T (p->ref[0]), NATIVERT_IS (around, 4), NATIVERT_I (0));
  int64_t window[] = { n, c, k[0], k[1], oh, ow };
  int64_t strides[] = { c * h * w, h * w, dilation[0] * w, dilation[1], stride[0] * w, stride[1] };
  x = nativert_emit (e, NATIVERT_OP_as_strided_default, NATIVERT_T (x), NATIVERT_IS (window, 6), NATIVERT_IS (strides, 6), NATIVERT_I (0));
  size[0] = n;
  size[1] = c * k[0] * k[1];
  size[2] = oh * ow;
  out[0] = nativert_emit_view (e, nativert_emit_copy (e, x), single ? 2 : 3, size + single);
  return true;
}

NATIVERT_EXPAND (col2im)
{
  int64_t g[10];
  if (!pair (p, 1, 1, g + 8) || !pair (p, 2, 1, g) || !pair (p, 3, 1, g + 2) || !pair (p, 4, 0, g + 4) || !pair (p, 5, 1, g + 6))
    return false;
  bool single = p->in[0].ndim == 2;
  NativertRef x = single ? nativert_emit (e, NATIVERT_OP_unsqueeze_default, NATIVERT_T (p->ref[0]), NATIVERT_I (0)) : p->ref[0];
  x = nativert_emit (e, NATIVERT_OP_nativert_col2im, NATIVERT_T (x), NATIVERT_IS (g, 10));
  out[0] = single ? nativert_emit (e, NATIVERT_OP_squeeze_dim, NATIVERT_T (x), NATIVERT_I (0)) : x;
  return true;
}

NATIVERT_EXPAND (diff)
{
  uint32_t dim;
  if (p->in[0].ndim == 0 || !nativert_wrap_dim (p, nativert_arg_int (p, 2, -1), p->in[0].ndim, &dim))
    return p->reason[0] ? false : nativert_no (p, "diff: no dimensions");
  int64_t refs[3];
  uint32_t n = 0;
  for (uint32_t k = 3; k != 1; k = k == 3 ? 0 : k == 0 ? 4 : 1)         /* prepend, self, append */
    if (nativert_arg_ref (p, k) != NATIVERT_NO_REF)
      refs[n++] = nativert_arg_ref (p, k);
  NativertRef x = n > 1 ? cat (e, refs, n, dim) : p->ref[0];
  for (int64_t i = nativert_arg_int (p, 1, 1); i > 0; i--) {
    int64_t length = x == NATIVERT_NO_REF ? 1 : e->view (e, x)->size[dim];
    NativertRef a = nativert_emit_slice (e, x, dim, 1, length, 1), b = nativert_emit_slice (e, x, dim, 0, length > 0 ? length - 1 : 0, 1);
    if (p->in[0].dtype == NATIVERT_BOOL)
      x = nativert_emit (e, NATIVERT_OP_logical_xor_default, NATIVERT_T (a), NATIVERT_T (b));
    else
      x = nativert_emit (e, NATIVERT_OP_sub_Tensor, NATIVERT_T (a), NATIVERT_T (b), NATIVERT_I (1));
  }
  out[0] = x;
  return true;
}

NATIVERT_EXPAND (outer)
{
  if (p->in[0].ndim != 1 || p->in[1].ndim != 1)
    return nativert_no (p, "outer: %u and %u dimensions", p->in[0].ndim, p->in[1].ndim);
  NativertRef column = nativert_emit (e, NATIVERT_OP_unsqueeze_default, NATIVERT_T (p->ref[0]), NATIVERT_I (1));
  out[0] = nativert_emit (e, NATIVERT_OP_mul_Tensor, NATIVERT_T (column), NATIVERT_T (p->ref[1]));
  return true;
}

/* hstack joins along dimension 1 (0 for vectors), vstack along 0 with at least two dimensions. */
NATIVERT_EXPAND (hstack)
{
  const NativertArg *list = &p->arg[0];
  bool rows = p->op == NATIVERT_OP_vstack_default;
  int64_t refs[64], flat[] = { 1, -1 };
  if (list->kind != NATIVERT_ARG_TENSORS || list->n == 0 || list->n > 64)
    return nativert_no (p, "%s: %u tensors", NAME (p), list->n);
  for (uint32_t i = 0; i < list->n; i++) {
    uint32_t n = p->in[list->u.ints[i]].ndim;
    refs[i] = p->ref[list->u.ints[i]];
    if (rows ? n < 2 : n < 1)
      refs[i] = nativert_emit_view (e, (NativertRef) refs[i], rows ? 2 : 1, rows ? flat : flat + 1);
  }
  out[0] = cat (e, refs, list->n, rows || p->in[list->u.ints[0]].ndim < 2 ? 0 : 1);
  return true;
}

/* v * (g / norm of v over all dimensions but one) */
NATIVERT_EXPAND (weight_norm)
{
  int64_t dims[NATIVERT_MAX_DIMS];
  uint32_t n = 0, dim;
  if (!nativert_wrap_dim (p, nativert_arg_int (p, 2, 0), p->in[0].ndim, &dim))
    return false;
  for (uint32_t d = 0; d < p->in[0].ndim; d++)
    if (d != dim)
      dims[n++] = d;
  NativertRef norm = nativert_emit (e, NATIVERT_OP_nativert_norm_2, NATIVERT_T (p->ref[0]), NATIVERT_IS (dims, n), NATIVERT_B (true));
  norm = nativert_emit (e, NATIVERT_OP_div_Tensor, NATIVERT_T (p->ref[1]), NATIVERT_T (norm));
  out[0] = nativert_emit (e, NATIVERT_OP_mul_Tensor, NATIVERT_T (p->ref[0]), NATIVERT_T (norm));
  return true;
}

static bool
sort (NativertEmit *e, NativertPrep *p, int64_t dim, bool descending, int64_t k, bool just_places, NativertRef *out)
{
  NativertRef x = nativert_view_is_contiguous (&p->in[0]) ? p->ref[0] : nativert_emit_copy (e, p->ref[0]), both[2];
  NativertArg args[] = { NATIVERT_T (x), NATIVERT_I (dim), NATIVERT_B (descending), NATIVERT_I (k) };
  bool done = e->op (e, NATIVERT_OP_nativert_sort, 4, args, 2, both);
  out[0] = done ? both[just_places ? 1 : 0] : NATIVERT_NO_REF;
  if (!just_places)
    out[1] = done ? both[1] : NATIVERT_NO_REF;
  return true;
}

NATIVERT_EXPAND (sort)
{
  bool stable = p->op == NATIVERT_OP_sort_stable || p->op == NATIVERT_OP_argsort_stable;
  bool places_only = p->op == NATIVERT_OP_argsort_default || p->op == NATIVERT_OP_argsort_stable;
  uint32_t k = stable ? 2 : 1, dim;
  if (!nativert_wrap_dim (p, nativert_arg_int (p, k, -1), p->in[0].ndim, &dim))
    return false;
  return sort (e, p, dim, nativert_arg_int (p, k + 1, 0), p->in[0].ndim ? p->in[0].size[dim] : 1, places_only, out);
}

NATIVERT_EXPAND (topk)
{
  return sort (e, p, nativert_arg_int (p, 2, -1), nativert_arg_int (p, 3, 1), nativert_arg_int (p, 1, 1), false, out);
}

NATIVERT_EXPAND (bucketize)
{
  bool search = p->op == NATIVERT_OP_searchsorted_Tensor;
  int sorted = search ? 0 : 1, x = search ? 1 : 0;
  bool right = nativert_arg_int (p, 3, 0) || (search && p->arg[4].kind == NATIVERT_ARG_STRING && !strcmp (p->arg[4].u.s, "right"));
  uint8_t dtype = p->in[sorted].dtype == p->in[x].dtype ? p->in[x].dtype : NATIVERT_F64;
  if (search && !nativert_arg_is_none (p, 5))
    return nativert_no (p, "searchsorted with a sorter");
  NativertRef refs[2] = { nativert_emit_cast (e, p->ref[sorted], dtype), nativert_emit_cast (e, p->ref[x], dtype) };
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_searchsorted, NATIVERT_T (refs[0]), NATIVERT_T (refs[1]), NATIVERT_B (right));
  if (nativert_arg_int (p, 2, 0))
    out[0] = nativert_emit_cast (e, out[0], NATIVERT_I32);
  return true;
}
