/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* act(product + residual): the sum and the activation behind a product are done by the product, before it stores.
 * The later node becomes the product, so that the residual is made by then; nothing that is written takes part. */
#include <math.h>
#include <string.h>
#include "graph/alias.h"
#include "graph/meta.h"
#include "graph/passes.h"

typedef struct { int act; double a, b; } Act;

static bool
is_product (const NativertNode *node)
{
  return node && (nativert_is_conv (node) || nativert_is_linear (node));
}

static uint32_t
residual_at (const NativertNode *product)
{
  return nativert_is_conv (product) ? NATIVERT_CONV_RESIDUAL : NATIVERT_LINEAR_RESIDUAL;
}

static uint32_t
act_at (const NativertNode *product)
{
  return residual_at (product) + 1;
}

/* Nothing behind the sum yet. */
static bool
is_open (const NativertNode *product)
{
  return product->args[act_at (product)].kind == NATIVERT_GA_INT
      && product->args[act_at (product)].u.i == NATIVERT_FUSED_NONE;
}

static bool
touches_written (const NativertAliases *aliases, const NativertNode *product)
{
  for (uint32_t i = 0; i < product->n_args; i++)
    if (product->args[i].kind == NATIVERT_GA_VALUE && nativert_aliases_is_written (aliases, product->args[i].u.value))
      return true;
  return nativert_aliases_is_written (aliases, product->outputs[0]);
}

/* ---- activations ---- */

static bool
number_of (const NativertNode *node, const char *name, double missing, double *out)
{
  const NativertGraphArg *arg = nativert_node_arg (node, name);
  *out = missing;
  if (!arg || arg->kind == NATIVERT_GA_NONE)
    return true;
  *out = arg->kind == NATIVERT_GA_FLOAT ? arg->u.f : (double) arg->u.i;
  return arg->kind == NATIVERT_GA_FLOAT || arg->kind == NATIVERT_GA_INT;
}

static bool
read_clamp (const NativertNode *node, const char *low, const char *high, Act *act)
{
  act->act = NATIVERT_FUSED_CLAMP;
  if (!number_of (node, low, -INFINITY, &act->a) || !number_of (node, high, INFINITY, &act->b) || isnan (act->a)
      || isnan (act->b))
    return false;
  if (act->a == 0 && act->b == INFINITY)
    *act = (Act) { NATIVERT_FUSED_RELU, 0, 0 };
  return true;
}

static bool
read_act (const NativertNode *node, Act *act)
{
  static const struct {
    const char *name;
    int act;
  } plain[] = { { "aten.relu", NATIVERT_FUSED_RELU }, { "aten.silu", NATIVERT_FUSED_SILU },
    { "aten.hardswish", NATIVERT_FUSED_HARDSWISH }, { "aten.hardsigmoid", NATIVERT_FUSED_HARDSIGMOID },
    { "aten.sigmoid", NATIVERT_FUSED_SIGMOID }, { "aten.tanh", NATIVERT_FUSED_TANH } };
  *act = (Act) { 0 };
  for (size_t i = 0; i < G_N_ELEMENTS (plain); i++)
    if (nativert_target_is (node->target, plain[i].name)) {
      act->act = plain[i].act;
      return true;
    }
  if (nativert_target_is (node->target, "aten.relu6")) {
    *act = (Act) { NATIVERT_FUSED_CLAMP, 0, 6 };
    return true;
  }
  if (nativert_target_is (node->target, "aten.hardtanh"))
    return read_clamp (node, "min_val", "max_val", act);
  if (nativert_target_is (node->target, "aten.clamp") || nativert_target_is (node->target, "aten.clamp_min")
      || nativert_target_is (node->target, "aten.clamp_max"))
    return read_clamp (node, "min", "max", act);
  if (nativert_target_is (node->target, "aten.leaky_relu")) {
    act->act = NATIVERT_FUSED_LEAKY_RELU;
    return number_of (node, "negative_slope", 0.01, &act->a);
  }
  if (!nativert_target_is (node->target, "aten.gelu"))
    return false;
  const NativertGraphArg *approximate = nativert_node_arg (node, "approximate");
  bool tanh_form = approximate && approximate->kind == NATIVERT_GA_STRING && g_str_equal (approximate->u.s, "tanh");
  act->act = tanh_form ? NATIVERT_FUSED_GELU_TANH : NATIVERT_FUSED_GELU;
  return true;
}

/* x * sigmoid(x), as decompositions spell silu: the multiplication when value is read by just these two. */
static NativertNode *
silu_product (const NativertGraphValue *value)
{
  if (value->n_uses != 2 || !value->uses[0].node || !value->uses[1].node)
    return NULL;
  for (int i = 0; i < 2; i++) {
    NativertNode *sigmoid = value->uses[i].node, *mul = value->uses[1 - i].node;
    if (nativert_target_is (sigmoid->target, "aten.sigmoid") && nativert_target_is (mul->target, "aten.mul")
        && nativert_value_only_user (sigmoid->outputs[0]) == mul)
      return mul;
  }
  return NULL;
}

/* ---- fusing ---- */

/* later, which reads the product's result, becomes the product. */
static void
absorb (NativertNode *product, NativertNode *later, const NativertGraphArg *args)
{
  nativert_node_become (later, product->target, product->schema, args);
  later->name = product->name;
  later->desc = product->desc;
}

static bool
fuse_act (NativertNode *product, NativertNode *later, const Act *act)
{
  NativertGraphArg args[NATIVERT_CONV_N_ARGS];
  uint32_t at = act_at (product);
  memcpy (args, product->args, product->n_args * sizeof *args);
  args[at] = NATIVERT_GRAPH_INT (act->act);
  args[at + 1] = NATIVERT_GRAPH_FLOAT (act->a);
  args[at + 2] = NATIVERT_GRAPH_FLOAT (act->b);
  absorb (product, later, args);
  return true;
}

static bool
is_plain_sum (const NativertNode *node)
{
  const NativertGraphArg *alpha = nativert_node_arg (node, "alpha");
  bool one = !alpha || (alpha->kind == NATIVERT_GA_INT && alpha->u.i == 1)
      || (alpha->kind == NATIVERT_GA_FLOAT && alpha->u.f == 1);
  return nativert_target_is (node->target, "aten.add") && one && node->args[0].kind == NATIVERT_GA_VALUE
      && node->args[1].kind == NATIVERT_GA_VALUE;
}

/* The other summand, when it can be the residual. */
static NativertGraphValue *
residual_of (const NativertAliases *aliases, const NativertNode *product, const NativertNode *sum)
{
  const NativertGraphValue *value = product->outputs[0];
  NativertGraphValue *other = sum->args[sum->args[0].u.value == value ? 1 : 0].u.value;
  const NativertProgram *program = sum->graph->program;
  if (product->args[residual_at (product)].kind != NATIVERT_GA_NONE || !nativert_value_is_f32 (other)
      || nativert_aliases_is_written (aliases, other) || !nativert_meta_same_sizes (program, value->meta, other->meta)
      || !nativert_meta_same_sizes (program, value->meta, sum->outputs[0]->meta))
    return NULL;
  /* Of two products that are summed the later one takes the earlier one's result. */
  const NativertNode *rival = other->producer;
  bool rival_takes_it = is_product (rival) && is_open (rival)
      && rival->args[residual_at (rival)].kind == NATIVERT_GA_NONE && nativert_value_only_user (other) == sum
      && rival->order > product->order;
  return rival_takes_it ? NULL : other;
}

static bool
fuse_sum (const NativertAliases *aliases, NativertNode *product, NativertNode *sum)
{
  NativertGraphValue *residual = is_plain_sum (sum) ? residual_of (aliases, product, sum) : NULL;
  if (!residual)
    return false;
  NativertGraphArg args[NATIVERT_CONV_N_ARGS];
  memcpy (args, product->args, product->n_args * sizeof *args);
  args[residual_at (product)] = NATIVERT_GRAPH_VALUE (residual);
  absorb (product, sum, args);
  return true;
}

/* The node that the product became; NULL when nothing was fused. */
static NativertNode *
fuse_next (const NativertAliases *aliases, NativertNode *product)
{
  Act act;
  NativertGraphValue *value = product->outputs[0];
  NativertNode *later = nativert_value_only_user (value), *mul = later ? NULL : silu_product (value);
  if (!is_open (product) || touches_written (aliases, product))
    return NULL;
  if (mul) {
    NativertNode *sigmoid = mul->args[mul->args[0].u.value == value ? 1 : 0].u.value->producer;
    act = (Act) { NATIVERT_FUSED_SILU, 0, 0 };
    fuse_act (product, mul, &act);
    return nativert_graph_remove (product->graph, sigmoid, NULL) ? mul : NULL;
  }
  if (!later || !later->schema || later->n_outputs != 1 || nativert_aliases_is_written (aliases, later->outputs[0]))
    return NULL;
  if (read_act (later, &act) && later->args[0].kind == NATIVERT_GA_VALUE && later->args[0].u.value == value
      && later->outputs[0]->meta && later->outputs[0]->meta->dtype == NATIVERT_DTYPE_FLOAT32)
    return fuse_act (product, later, &act) ? later : NULL;
  return fuse_sum (aliases, product, later) ? later : NULL;
}

int
nativert_pass_epilogue (NativertGraph *graph, const NativertSchemas *schemas, GError **error)
{
  int n = 0;
  g_autoptr (NativertAliases) aliases = nativert_aliases_new (graph);
  for (NativertNode *node = graph->first, *next; node; node = next) {
    NativertNode *before = node->prev, *later;
    int n_before = n;
    for (NativertNode *product = node; is_product (product) && (later = fuse_next (aliases, product));
         product = later, n++)
      if (!nativert_graph_remove (graph, product, error))
        return -1;
    next = n == n_before ? node->next : before ? before->next : graph->first;
  }
  return n;
}
