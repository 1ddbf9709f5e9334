/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Convolutions and linear layers, however they are spelt, become nativert::conv and nativert::linear: one form for
 * batch norm and epilogues to be folded into, and for kernels to serve. */
#include <string.h>
#include "graph/meta.h"
#include "graph/passes.h"

enum { MAX_SPATIAL = 3 };

static const NativertGraphArg no_act[3]
    = { { .kind = NATIVERT_GA_INT }, { .kind = NATIVERT_GA_FLOAT }, { .kind = NATIVERT_GA_FLOAT } };

static NativertGraphValue *
f32_value (const NativertNode *node, uint32_t arg)
{
  const NativertGraphArg *a = &node->args[arg];
  return arg < node->n_args && a->kind == NATIVERT_GA_VALUE && nativert_value_is_f32 (a->u.value) ? a->u.value : NULL;
}

static bool
bias_fits (const NativertNode *node, uint32_t arg)
{
  return node->args[arg].kind == NATIVERT_GA_NONE || f32_value (node, arg);
}

/* ---- convolutions ---- */

/* n numbers; one stands for all. */
static bool
read_ints (const NativertGraphArg *arg, uint32_t n, int64_t *out)
{
  if (!arg || arg->kind != NATIVERT_GA_INTS || arg->sym || (arg->n != n && arg->n != 1))
    return false;
  for (uint32_t i = 0; i < n; i++)
    out[i] = arg->u.ints[arg->n == 1 ? 0 : i];
  return true;
}

/* "valid" is no padding; "same" is, with an odd total, more on one side than conv can say. */
static bool
read_padding (const NativertNode *node, uint32_t n, const int64_t *dilation, int64_t *out)
{
  const NativertGraphArg *arg = nativert_node_arg (node, "padding");
  const NativertTensorMetaDesc *weight = node->args[1].u.value->meta;
  if (!arg || arg->kind != NATIVERT_GA_STRING)
    return read_ints (arg, n, out);
  for (uint32_t i = 0; i < n; i++) {
    int64_t total = dilation[i] * (weight->sizes[i + 2].value - 1);
    bool same = g_str_equal (arg->u.s, "same");
    if (weight->sizes[i + 2].expr || (same && total % 2 != 0) || (!same && !g_str_equal (arg->u.s, "valid")))
      return false;
    out[i] = same ? total / 2 : 0;
  }
  return true;
}

static uint32_t
conv_rank (const NativertNode *node)
{
  static const char *const names[] = { "aten.conv1d", "aten.conv2d", "aten.conv3d" };
  for (uint32_t i = 0; i < G_N_ELEMENTS (names); i++)
    if (nativert_target_is (node->target, names[i]))
      return i + 1;
  if (!nativert_target_is (node->target, "aten.convolution") && !nativert_target_is (node->target, "aten._convolution"))
    return 0;
  const NativertGraphArg *transposed = nativert_node_arg (node, "transposed");
  const NativertGraphValue *input = f32_value (node, 0);
  return transposed && transposed->u.i == 0 && input && input->meta->n_dims >= 3 ? input->meta->n_dims - 2 : 0;
}

static bool
rewrite_conv (NativertNode *node, const NativertSchema *conv)
{
  int64_t stride[MAX_SPATIAL], padding[MAX_SPATIAL], dilation[MAX_SPATIAL];
  uint32_t n = node->schema ? conv_rank (node) : 0;
  if (n == 0 || n > MAX_SPATIAL || !conv)
    return false;
  NativertGraphValue *input = f32_value (node, 0), *weight = f32_value (node, 1);
  if (!input || !weight || input->meta->n_dims != n + 2 || weight->meta->n_dims != n + 2 || !bias_fits (node, 2))
    return false;
  const NativertGraphArg *groups = nativert_node_arg (node, "groups");
  if (!groups || groups->kind != NATIVERT_GA_INT || !read_ints (nativert_node_arg (node, "stride"), n, stride)
      || !read_ints (nativert_node_arg (node, "dilation"), n, dilation) || !read_padding (node, n, dilation, padding))
    return false;
  NativertGraphArg args[NATIVERT_CONV_N_ARGS] = {
    node->args[0], node->args[1], node->args[2], NATIVERT_GRAPH_INTS (stride, n), NATIVERT_GRAPH_INTS (padding, n),
    NATIVERT_GRAPH_INTS (dilation, n), *groups, NATIVERT_GRAPH_NONE, no_act[0], no_act[1], no_act[2]
  };
  nativert_node_become (node, NATIVERT_CONV_TARGET, conv, args);
  return true;
}

/* ---- linear ---- */

static bool
is_number (const NativertGraphArg *arg, double value)
{
  return !arg || (arg->kind == NATIVERT_GA_INT && (double) arg->u.i == value)
      || (arg->kind == NATIVERT_GA_FLOAT && arg->u.f == value);
}

static bool
swaps_two_dims (const NativertNode *node)
{
  if (nativert_target_is (node->target, "aten.t"))
    return true;
  if (nativert_target_is (node->target, "aten.permute")) {
    const NativertGraphArg *dims = &node->args[1];
    return dims->kind == NATIVERT_GA_INTS && !dims->sym && dims->n == 2 && (dims->u.ints[0] + 2) % 2 == 1
        && (dims->u.ints[1] + 2) % 2 == 0;
  }
  return nativert_target_is (node->target, "aten.transpose") && node->n_args == 3
      && node->args[1].kind == NATIVERT_GA_INT && node->args[2].kind == NATIVERT_GA_INT
      && (node->args[1].u.i + node->args[2].u.i) % 2 != 0;
}

/* The weight as linear wants it, [out, in], for a product with matrix [in, out]: the value that matrix is the
 * transpose of, or a new transpose of a weight (which costs nothing: plans dissolve views, and packs read any
 * strides). */
static NativertGraphValue *
untransposed (NativertNode *node, NativertGraphValue *matrix, const NativertSchemas *schemas)
{
  NativertNode *producer = matrix->producer;
  if (matrix->meta->n_dims != 2)
    return NULL;
  if (producer && producer->schema && swaps_two_dims (producer) && producer->args[0].kind == NATIVERT_GA_VALUE
      && nativert_value_is_f32 (producer->args[0].u.value))
    return producer->args[0].u.value;
  if (producer || !nativert_meta_is_static (matrix->meta))
    return NULL;
  static const int64_t swap[] = { 1, 0 };
  NativertTensorMetaDesc *meta = nativert_region_memdup (node->graph->region, matrix->meta, sizeof *meta);
  NativertSymInt *sizes = nativert_region_new_n (node->graph->region, NativertSymInt, 4);
  for (int i = 0; i < 2; i++) {
    sizes[i] = matrix->meta->sizes[1 - i];
    sizes[i + 2] = matrix->meta->strides[1 - i];
  }
  meta->sizes = sizes;
  meta->strides = sizes + 2;
  NativertGraphArg args[] = { NATIVERT_GRAPH_VALUE (matrix), NATIVERT_GRAPH_INTS (swap, 2) };
  return nativert_graph_emit (node->graph, node, schemas, "torch.ops.aten.permute.default", args, 2, meta);
}

static bool
is_row_bias (const NativertGraphValue *bias, const NativertGraphValue *matrix)
{
  return bias && bias->meta->n_dims == 1 && !bias->meta->sizes[0].expr && !matrix->meta->sizes[1].expr
      && bias->meta->sizes[0].value == matrix->meta->sizes[1].value;
}

static void
become_linear (NativertNode *node, const NativertSchema *linear, NativertGraphArg input, NativertGraphValue *weight,
    NativertGraphArg bias)
{
  NativertGraphArg args[NATIVERT_LINEAR_N_ARGS] = { input, NATIVERT_GRAPH_VALUE (weight), bias, NATIVERT_GRAPH_NONE,
    no_act[0], no_act[1], no_act[2] };
  nativert_node_become (node, NATIVERT_LINEAR_TARGET, linear, args);
}

static bool
rewrite_matrix_product (NativertNode *node, const NativertSchemas *schemas, const NativertSchema *linear)
{
  bool addmm = nativert_target_is (node->target, "aten.addmm");
  uint32_t at = addmm ? 1 : 0;
  NativertGraphValue *input = f32_value (node, at), *matrix = f32_value (node, at + 1);
  if (!input || !matrix || input->meta->n_dims != 2 || (addmm && !is_row_bias (f32_value (node, 0), matrix))
      || (addmm
          && (!is_number (nativert_node_arg (node, "beta"), 1) || !is_number (nativert_node_arg (node, "alpha"), 1))))
    return false;
  NativertGraphValue *weight = untransposed (node, matrix, schemas);
  if (!weight || weight->meta->n_dims != 2)
    return false;
  become_linear (node, linear, node->args[at], weight, addmm ? node->args[0] : NATIVERT_GRAPH_NONE);
  return true;
}

static bool
rewrite_linear (NativertNode *node, const NativertSchemas *schemas, const NativertSchema *linear)
{
  if (!node->schema || !linear)
    return false;
  if (nativert_target_is (node->target, "aten.addmm") || nativert_target_is (node->target, "aten.mm"))
    return rewrite_matrix_product (node, schemas, linear);
  if (!nativert_target_is (node->target, "aten.linear"))
    return false;
  NativertGraphValue *input = f32_value (node, 0), *weight = f32_value (node, 1);
  if (!input || !weight || input->meta->n_dims < 2 || weight->meta->n_dims != 2 || !bias_fits (node, 2))
    return false;
  become_linear (node, linear, node->args[0], weight, node->args[2]);
  return true;
}

int
nativert_pass_products (NativertGraph *graph, const NativertSchemas *schemas, GError **error)
{
  const NativertSchema *conv = nativert_schemas_find (schemas, NATIVERT_CONV_TARGET);
  const NativertSchema *linear = nativert_schemas_find (schemas, NATIVERT_LINEAR_TARGET);
  int n = 0;
  for (NativertNode *node = graph->first; node; node = node->next)
    n += rewrite_conv (node, conv) || rewrite_linear (node, schemas, linear);
  return n;
}
