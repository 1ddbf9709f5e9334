/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batch norm in eval is a scale and a shift per channel.  Behind a convolution or linear layer that nobody else reads
 * it goes into the weights, as nodes on the weights that constant folding then moves out of the way; elsewhere it
 * becomes one nativert::scale_shift. */
#include <string.h>
#include "graph/meta.h"
#include "graph/passes.h"

typedef struct {
  NativertNode *node;
  NativertGraphValue *input, *weight, *bias, *mean, *var;       /* weight and bias may be NULL */
  double eps;
  int64_t channels;
} BatchNorm;

/* Emits onto weights; one failure makes all that follow NULL. */
typedef struct { NativertGraph *graph; NativertNode *before; const NativertSchemas *schemas; } Emitter;

/* ---- reading ---- */

static bool
is_eval (const NativertNode *node)
{
  if (nativert_target_is (node->target, "aten._native_batch_norm_legit_no_training"))
    return true;
  const NativertGraphArg *training = nativert_node_arg (node, "training");
  return (nativert_target_is (node->target, "aten.batch_norm")
             || nativert_target_is (node->target, "aten.native_batch_norm")
             || nativert_target_is (node->target, "aten.cudnn_batch_norm"))
      && training && training->kind == NATIVERT_GA_BOOL && training->u.i == 0;
}

/* A constant vector of as many elements as there are channels; NULL stays NULL for None. */
static bool
read_vector (BatchNorm *bn, const bool *constant, const char *name, bool needed, NativertGraphValue **out)
{
  const NativertGraphArg *arg = nativert_node_arg (bn->node, name);
  *out = NULL;
  if (!arg || arg->kind == NATIVERT_GA_NONE)
    return !needed;
  if (arg->kind != NATIVERT_GA_VALUE || !nativert_value_is_f32 (arg->u.value) || !constant[arg->u.value->id])
    return false;
  const NativertTensorMetaDesc *meta = arg->u.value->meta;
  if (meta->n_dims != 1 || meta->sizes[0].expr || (bn->channels >= 0 && meta->sizes[0].value != bn->channels))
    return false;
  bn->channels = meta->sizes[0].value;
  *out = arg->u.value;
  return true;
}

static bool
read_batch_norm (NativertNode *node, const bool *constant, BatchNorm *bn)
{
  *bn = (BatchNorm) { .node = node, .channels = -1 };
  if (!node->schema || !is_eval (node) || node->args[0].kind != NATIVERT_GA_VALUE || node->n_outputs == 0)
    return false;
  for (uint32_t i = 1; i < node->n_outputs; i++)
    if (node->outputs[i]->n_uses > 0)
      return false;
  bn->input = node->args[0].u.value;
  const NativertGraphArg *eps = nativert_node_arg (node, "eps");
  if (!eps || eps->kind != NATIVERT_GA_FLOAT || !nativert_value_is_f32 (bn->input) || bn->input->meta->n_dims < 2)
    return false;
  bn->eps = eps->u.f;
  return read_vector (bn, constant, "running_mean", true, &bn->mean)
      && read_vector (bn, constant, "running_var", true, &bn->var)
      && read_vector (bn, constant, "weight", false, &bn->weight)
      && read_vector (bn, constant, "bias", false, &bn->bias);
}

/* ---- writing ---- */

static NativertGraphArg
value_arg (NativertGraphValue *value)
{
  return value ? NATIVERT_GRAPH_VALUE (value) : NATIVERT_GRAPH_NONE;
}

static NativertGraphValue *
emit (Emitter *e, const char *target, NativertGraphValue *like, NativertGraphArg a, NativertGraphArg b)
{
  NativertGraphArg args[] = { a, b };
  if (!like || a.kind == NATIVERT_GA_NONE || b.kind == NATIVERT_GA_NONE)
    return NULL;
  return nativert_graph_emit (e->graph, e->before, e->schemas, target, args, 2, like->meta);
}

/* weight / sqrt (var + eps) */
static NativertGraphValue *
emit_scale (Emitter *e, const BatchNorm *bn)
{
  NativertGraphValue *sum
      = emit (e, "torch.ops.aten.add.Tensor", bn->var, value_arg (bn->var), NATIVERT_GRAPH_FLOAT (bn->eps));
  NativertGraphArg arg = value_arg (sum);
  NativertGraphValue *inverse = sum
      ? nativert_graph_emit (e->graph, e->before, e->schemas, "torch.ops.aten.rsqrt.default", &arg, 1, bn->var->meta)
      : NULL;
  return bn->weight ? emit (e, "torch.ops.aten.mul.Tensor", inverse, value_arg (inverse), value_arg (bn->weight))
                    : inverse;
}

/* (before - mean) * scale + bias; before may be NULL for 0 */
static NativertGraphValue *
emit_shift (Emitter *e, const BatchNorm *bn, NativertGraphValue *before, NativertGraphValue *scale)
{
  NativertGraphValue *centre = before
      ? emit (e, "torch.ops.aten.sub.Tensor", bn->mean, value_arg (before), value_arg (bn->mean))
      : emit (e, "torch.ops.aten.mul.Tensor", bn->mean, value_arg (bn->mean), NATIVERT_GRAPH_FLOAT (-1));
  NativertGraphValue *scaled = emit (e, "torch.ops.aten.mul.Tensor", centre, value_arg (centre), value_arg (scale));
  return bn->bias ? emit (e, "torch.ops.aten.add.Tensor", scaled, value_arg (scaled), value_arg (bn->bias)) : scaled;
}

/* vector as [1.., C, 1..]: rank dimensions, channels at position at */
static NativertGraphValue *
emit_view (Emitter *e, NativertGraphValue *vector, int64_t channels, uint32_t rank, uint32_t at)
{
  int64_t sizes[8];
  if (!vector || rank > G_N_ELEMENTS (sizes))
    return NULL;
  for (uint32_t i = 0; i < rank; i++)
    sizes[i] = i == at ? channels : 1;
  NativertGraphArg args[] = { NATIVERT_GRAPH_VALUE (vector), NATIVERT_GRAPH_INTS (sizes, rank) };
  return nativert_graph_emit (e->graph, e->before, e->schemas, "torch.ops.aten.view.default", args, 2,
      nativert_meta_new (e->graph->region, NATIVERT_DTYPE_FLOAT32, sizes, rank));
}

/* ---- into a product ---- */

static bool
is_transposed_conv (const NativertNode *node)
{
  const NativertGraphArg *groups = nativert_node_arg (node, "groups"),
                         *transposed = nativert_node_arg (node, "transposed");
  bool kind = nativert_target_is (node->target, "aten.conv_transpose1d")
      || nativert_target_is (node->target, "aten.conv_transpose2d")
      || nativert_target_is (node->target, "aten.conv_transpose3d")
      || (nativert_target_is (node->target, "aten.convolution") && transposed && transposed->u.i != 0);
  return node->schema && kind && groups && groups->kind == NATIVERT_GA_INT && groups->u.i == 1;
}

/* The dimension of the weight that holds the output channels; -1: batch norm cannot go into this node. */
static int
channel_dim (const NativertNode *product, const BatchNorm *bn)
{
  if (!product || !product->schema || nativert_value_only_user (bn->input) != bn->node)
    return -1;
  if (nativert_is_conv (product))
    return product->args[NATIVERT_CONV_ACT].u.i == 0 && product->args[NATIVERT_CONV_RESIDUAL].kind == NATIVERT_GA_NONE
        ? 0
        : -1;
  if (nativert_is_linear (product))     /* rank 2 alone: behind more dimensions channels are another one */
    return bn->input->meta->n_dims == 2 && product->args[NATIVERT_LINEAR_ACT].u.i == 0
        && product->args[NATIVERT_LINEAR_RESIDUAL].kind == NATIVERT_GA_NONE ? 0 : -1;
  return is_transposed_conv (product) ? 1 : -1;
}

static bool
is_constant_arg (const NativertGraphArg *arg, const bool *constant, uint32_t n_marked)
{
  return arg->kind == NATIVERT_GA_NONE
      || (arg->kind == NATIVERT_GA_VALUE && nativert_value_is_f32 (arg->u.value) && arg->u.value->id < n_marked
          && constant[arg->u.value->id]);
}

static bool
fold_into (const BatchNorm *bn, const bool *constant, uint32_t n_marked, const NativertSchemas *schemas)
{
  NativertNode *product = bn->input->producer;
  int dim = channel_dim (product, bn);
  if (dim < 0 || product->args[1].kind != NATIVERT_GA_VALUE || !is_constant_arg (&product->args[1], constant, n_marked)
      || !is_constant_arg (&product->args[2], constant, n_marked))
    return false;
  NativertGraphValue *weight = product->args[1].u.value;
  NativertGraphValue *bias = product->args[2].kind == NATIVERT_GA_VALUE ? product->args[2].u.value : NULL;
  if (weight->meta->n_dims <= (uint32_t) dim || weight->meta->sizes[dim].expr
      || weight->meta->sizes[dim].value != bn->channels)
    return false;
  Emitter e = { bn->node->graph, product, schemas };
  NativertGraphValue *scale = emit_scale (&e, bn);
  NativertGraphValue *spread = emit_view (&e, scale, bn->channels, weight->meta->n_dims, (uint32_t) dim);
  NativertGraphValue *new_weight
      = emit (&e, "torch.ops.aten.mul.Tensor", weight, value_arg (weight), value_arg (spread));
  NativertGraphValue *new_bias = new_weight ? emit_shift (&e, bn, bias, scale) : NULL;
  if (!new_bias)
    return false;
  nativert_node_set_arg (product, 1, NATIVERT_GRAPH_VALUE (new_weight));
  nativert_node_set_arg (product, 2, NATIVERT_GRAPH_VALUE (new_bias));
  product->outputs[0]->meta = bn->node->outputs[0]->meta;
  nativert_value_replace_uses (bn->node->outputs[0], product->outputs[0]);
  return true;
}

/* ---- on its own ---- */

static bool
become_scale_shift (const BatchNorm *bn, const NativertSchemas *schemas)
{
  const NativertSchema *schema = nativert_schemas_find (schemas, "torch.ops.nativert.scale_shift.default");
  uint32_t rank = bn->input->meta->n_dims;
  if (!schema)
    return false;
  Emitter e = { bn->node->graph, bn->node, schemas };
  NativertGraphValue *scale = emit_scale (&e, bn), *shift = scale ? emit_shift (&e, bn, NULL, scale) : NULL;
  NativertGraphValue *scales = emit_view (&e, scale, bn->channels, rank - 1, 0);
  NativertGraphValue *shifts = emit_view (&e, shift, bn->channels, rank - 1, 0);
  if (!scales || !shifts)
    return false;
  NativertGraphArg args[]
      = { NATIVERT_GRAPH_VALUE (bn->input), NATIVERT_GRAPH_VALUE (scales), NATIVERT_GRAPH_VALUE (shifts) };
  NativertGraphValue *result = nativert_graph_emit (
      e.graph, bn->node, schemas, "torch.ops.nativert.scale_shift.default", args, 3, bn->node->outputs[0]->meta);
  if (!result)
    return false;
  result->producer->name = bn->node->name;
  nativert_value_replace_uses (bn->node->outputs[0], result);
  return true;
}

int
nativert_pass_batch_norm (NativertGraph *graph, const NativertSchemas *schemas, GError **error)
{
  int n = 0;
  g_autofree bool *constant = nativert_graph_mark_constants (graph);
  uint32_t n_marked = graph->values->len;
  for (NativertNode *node = graph->first, *next; node; node = next) {
    BatchNorm bn;
    next = node->next;
    if (!read_batch_norm (node, constant, &bn)
        || (!fold_into (&bn, constant, n_marked, schemas) && !become_scale_shift (&bn, schemas)))
      continue;
    if (!nativert_graph_remove (graph, node, error))
      return -1;
    n++;
  }
  return n;
}
