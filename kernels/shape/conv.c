/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What convolutions need to be true, and the sizes of their results. */
#include "kernels/args.h"
#include "kernels/conv.h"

enum { INPUT, WEIGHT, BIAS, STRIDE, PADDING, DILATION, GROUPS, RESIDUAL, ACT, ACT_A, ACT_B };
enum { T_OUTPUT_PADDING = DILATION, T_GROUPS, T_DILATION };
/* No picture, kernel or border is larger; keeps every sum below far from int64's end. */
#define LIMIT ((int64_t) 1 << 31)

static void
set_defaults (NativertConv *g)
{
  *g = (NativertConv) { .n = 1, .bias = -1, .residual = -1 };
  for (int d = 0; d < 3; d++)
    g->in[d] = g->out[d] = g->k[d] = g->stride[d] = g->dil[d] = 1;
}

/* Input, kernel and bias sizes; transposed weights are [cin, cout / groups, ...]. */
static bool
read_tensors (NativertPrep *p, NativertConv *g, int64_t groups, bool transposed)
{
  const NativertView *x = nativert_arg_view (p, INPUT), *w = nativert_arg_view (p, WEIGHT),
                     *b = nativert_arg_view (p, BIAS);
  if (!x || !w)
    return nativert_no (p, "convolution without input or weight");
  if (w->ndim < 3 || w->ndim > 5)
    return nativert_no (p, "convolution weight has %d dimensions, want 3 to 5", w->ndim);
  g->nd = (uint8_t) (w->ndim - 2);
  if (x->ndim != w->ndim && x->ndim != w->ndim - 1)
    return nativert_no (p, "convolution input has %d dimensions, weight %d", x->ndim, w->ndim);
  g->batched = x->ndim == w->ndim;
  int first = g->batched;
  g->n = g->batched ? x->size[0] : 1;
  g->in_n = g->batched ? x->stride[0] : 0;
  g->cin = x->size[first];
  g->in_c = x->stride[first];
  g->groups = groups;
  g->cout = transposed ? w->size[1] : w->size[0];
  if (groups < 1 || groups > LIMIT || g->cin % groups || (!transposed && g->cout % groups))
    return nativert_no (p, "%lld groups do not divide %lld input and %lld output channels", (long long) groups,
      (long long) g->cin, (long long) g->cout);
  if (transposed ? w->size[0] != g->cin : w->size[1] * groups != g->cin)
    return nativert_no (p, "weight wants %lld input channels, input has %lld",
      (long long) (transposed ? w->size[0] : w->size[1] * groups), (long long) g->cin);
  if (transposed)
    g->cout *= groups;
  for (int d = 0; d < g->nd; d++) {
    int to = 3 - g->nd + d;
    g->in[to] = x->size[first + 1 + d];
    g->in_s[to] = x->stride[first + 1 + d];
    g->k[to] = w->size[2 + d];
    if (g->k[to] < 1 || g->k[to] > LIMIT || g->in[to] > LIMIT)
      return nativert_no (p, "kernel size %lld on input size %lld", (long long) g->k[to], (long long) g->in[to]);
  }
  if (b && (b->ndim != 1 || b->size[0] != g->cout))
    return nativert_no (
        p, "bias has %d dimensions of %lld, want 1 of %lld", b->ndim, (long long) b->size[0], (long long) g->cout);
  if (w->dtype != x->dtype || (b && b->dtype != x->dtype))
    return nativert_no (p, "input is %s, weight %s, bias %s", nativert_dtype_name (x->dtype),
        nativert_dtype_name (w->dtype), b ? nativert_dtype_name (b->dtype) : "none");
  g->bias = (int8_t) nativert_arg_index (p, BIAS);
  return true;
}

static bool
read_steps (NativertPrep *p, NativertConv *g, unsigned dilation_arg)
{
  int64_t *stride = g->stride + 3 - g->nd, *dil = g->dil + 3 - g->nd;
  if (!nativert_arg_list (p, STRIDE, g->nd, stride, "stride")
      || !nativert_arg_list (p, dilation_arg, g->nd, dil, "dilation"))
    return false;
  for (int d = 0; d < 3; d++)
    if (g->stride[d] < 1 || g->stride[d] > LIMIT || g->dil[d] < 1 || g->dil[d] > LIMIT
        || g->dil[d] * (g->k[d] - 1) > LIMIT)
      return nativert_no (p, "stride %lld, dilation %lld, kernel %lld are impossible", (long long) g->stride[d],
        (long long) g->dil[d], (long long) g->k[d]);
  return true;
}

static bool
read_residual (NativertPrep *p, NativertConv *g)
{
  int index = nativert_arg_index (p, RESIDUAL);
  if (index < 0)
    return true;
  const NativertView *r = &p->in[index];
  if (r->dtype != p->in[0].dtype || r->ndim != g->nd + 1 + g->batched)
    return nativert_no (p, "residual is %s with %d dimensions", nativert_dtype_name (r->dtype), r->ndim);
  const int64_t *size = r->size, *stride = r->stride;
  if ((g->batched && *size++ != g->n) || size[0] != g->cout)
    return nativert_no (p, "residual has %lld channels, result %lld", (long long) size[0], (long long) g->cout);
  g->res_n = g->batched ? *stride++ : 0;
  g->res_c = stride[0];
  for (int d = 0; d < g->nd; d++) {
    if (size[1 + d] != g->out[3 - g->nd + d])
      return nativert_no (
          p, "residual has size %lld, result %lld", (long long) size[1 + d], (long long) g->out[3 - g->nd + d]);
    g->res_s[3 - g->nd + d] = stride[1 + d];
  }
  g->residual = (int8_t) index;
  return true;
}

/* Borders: one number per dimension, or, for uneven ones, the nd leading ones and then the nd trailing ones. */
static bool
read_borders (NativertPrep *p, NativertConv *g)
{
  int64_t border[6];
  bool uneven
      = PADDING < p->n_arg && p->arg[PADDING].kind == NATIVERT_ARG_INTS && p->arg[PADDING].n == 2u * g->nd && g->nd > 0;
  if (!nativert_arg_list (p, PADDING, uneven ? 2u * g->nd : g->nd, border, "padding"))
    return false;
  for (int d = 0; d < g->nd; d++) {
    int to = 3 - g->nd + d;
    int64_t after = uneven ? border[g->nd + d] : border[d];
    g->pad[to] = border[d];
    if (border[d] < 0 || border[d] > LIMIT || after < 0 || after > LIMIT)
      return nativert_no (p, "padding %lld, %lld is impossible", (long long) border[d], (long long) after);
    int64_t room = g->in[to] + border[d] + after, reach = g->dil[to] * (g->k[to] - 1) + 1;
    if (room < reach)
      return nativert_no (
          p, "padded input size %lld is smaller than the kernel's reach %lld", (long long) room, (long long) reach);
    g->out[to] = (room - reach) / g->stride[to] + 1;
  }
  return true;
}

static bool
check_result (NativertPrep *p, const NativertConv *g)
{
  return nativert_sizes_ok (p, 5, (int64_t[]) { g->n, g->cout, g->out[0], g->out[1], g->out[2] });
}

bool
nativert_conv_describe (NativertPrep *p, NativertConv *g)
{
  set_defaults (g);
  if (!read_tensors (p, g, nativert_arg_int (p, GROUPS, 1), false) || !read_steps (p, g, DILATION)
      || !read_borders (p, g) || !read_residual (p, g))
    return false;
  int64_t act = nativert_arg_int (p, ACT, 0);
  if (act < 0 || act > NATIVERT_ACT_GELU_TANH)
    return nativert_no (p, "activation %lld is unknown", (long long) act);
  g->act = (uint8_t) act;
  g->act_a = (float) nativert_arg_float (p, ACT_A, 0);
  g->act_b = (float) nativert_arg_float (p, ACT_B, 0);
  return check_result (p, g);
}

bool
nativert_conv_transpose_describe (NativertPrep *p, NativertConv *g)
{
  int64_t pad[3] = { 0 }, extra[3] = { 0 };
  set_defaults (g);
  if (!read_tensors (p, g, nativert_arg_int (p, T_GROUPS, 1), true) || !read_steps (p, g, T_DILATION)
      || !nativert_arg_list (p, PADDING, g->nd, pad, "padding")
      || !nativert_arg_list (p, T_OUTPUT_PADDING, g->nd, extra, "output_padding"))
    return false;
  for (int d = 0; d < g->nd; d++) {
    int to = 3 - g->nd + d;
    if (pad[d] < 0 || pad[d] > LIMIT || extra[d] < 0 || extra[d] > LIMIT
        || (extra[d] >= g->stride[to] && extra[d] >= g->dil[to]))
      return nativert_no (
          p, "padding %lld or output padding %lld is impossible", (long long) pad[d], (long long) extra[d]);
    int64_t spread;
    if (!nativert_mul_ok (g->in[to] - 1, g->stride[to], &spread))
      return nativert_no (
          p, "input size %lld with stride %lld is too large", (long long) g->in[to], (long long) g->stride[to]);
    g->pad[to] = pad[d];
    g->out[to] = spread - 2 * pad[d] + g->dil[to] * (g->k[to] - 1) + extra[d] + 1;
    if (g->out[to] < 0 || (g->out[to] == 0 && g->in[to] > 0))
      return nativert_no (p, "result size %lld is impossible", (long long) g->out[to]);
  }
  return check_result (p, g);
}

static bool
set_result (NativertPrep *p, const NativertConv *g)
{
  int64_t size[5], *s = size;
  if (g->batched)
    *s++ = g->n;
  *s++ = g->cout;
  for (int d = 3 - g->nd; d < 3; d++)
    *s++ = g->out[d];
  nativert_view_init (&p->out[0], p->in[0].dtype, (uint32_t) (s - size), size);
  return true;
}

bool
nativert_conv_out_ok (NativertPrep *p)
{
  return nativert_view_is_contiguous (&p->out[0]) || nativert_no (p, "convolution writes contiguous results only");
}

NATIVERT_SHAPE (conv)
{
  NativertConv g;
  return nativert_conv_describe (p, &g) && set_result (p, &g);
}

NATIVERT_SHAPE (conv_transpose)
{
  NativertConv g;
  return nativert_conv_transpose_describe (p, &g) && set_result (p, &g);
}
