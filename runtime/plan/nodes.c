/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nodes of the graph: binds their arguments, hands them to lower.c, and enters the results under the values' names. */
#include <string.h>
#include "plan/builder.h"

/* A Scalar that is known only at run time (a SymFloat from item()) is a 0-d tensor: the operator's Tensor form takes
 * it. */
static void
use_tensor_form (const NativertNode *node, uint16_t *op, const NativertArg *args)
{
  static const struct {
    const char *suffix, *with;
  } forms[] = { { "_Tensor_Scalar", "_Tensor_Tensor" }, { "_Scalar", "_Tensor" }, { "_ScalarOther", "_self" },
    { "_ScalarSelf", "_self" }, { "_Scalar_mode", "_Tensor_mode" }, { "pow_Scalar", "pow_Tensor_Tensor" },
    { "_Scalar", "_Tensor" } };
  bool any = false;
  for (uint32_t i = 0; i < node->schema->n_args; i++)
    any |= args[i].kind == NATIVERT_ARG_TENSOR && node->schema->args[i].type == NATIVERT_ST_SCALAR;
  if (!any)
    return;
  const char *name = nativert_ops[*op].name;
  for (size_t i = G_N_ELEMENTS (forms); i-- > 0;) {
    if (!g_str_has_suffix (name, forms[i].suffix))
      continue;
    g_autofree char *stem = g_strndup (name, strlen (name) - strlen (forms[i].suffix));
    g_autofree char *other = g_strconcat (stem, forms[i].with, NULL);
    int32_t found = nativert_plan_find_op (other);
    if (found < 0)
      continue;
    *op = (uint16_t) found;
    return;
  }
}

/* full, full_like, new_full with such a fill value: the value, broadcast and cast to what the metadata says. */
static int
try_fill (NativertBuilder *b, const NativertNode *node, const NativertArg *args, NativertRef *out)
{
  uint32_t i = 0;
  while (i < node->schema->n_args && strcmp (node->schema->args[i].name, "fill_value"))
    i++;
  if (i == node->schema->n_args || args[i].kind != NATIVERT_ARG_TENSOR || node->n_outputs != 1)
    return 0;
  NativertView view;
  if (!nativert_builder_meta (b, node->outputs[0], &view))
    return -1;
  if (view.ndim == NATIVERT_UNKNOWN_RANK || !nativert_view_is_dense (&view))
    return 0;
  *out = nativert_builder_new_tensor (b, &view);
  NativertRef value = *out < 0 ? NATIVERT_NO_REF : nativert_builder_broadcast (b, (NativertRef) args[i].u.i, &view);
  return value >= 0 && nativert_builder_copy_to (b, value, *out) ? 1 : -1;
}

/* Results of the operator, absent ones included; node outputs are the present ones in order. */
static uint32_t
count_results (const NativertNode *node)
{
  uint32_t n = 0;
  if (!node->n_returns)
    return node->n_outputs;
  for (uint32_t i = 0; i < node->n_returns; i++)
    n += node->returns[i].is_none ? 1 : node->returns[i].n;
  return n;
}

/* The output that result k is, NULL: none of them. */
static const NativertGraphValue **
map_results (NativertBuilder *b, const NativertNode *node, uint32_t n)
{
  const NativertGraphValue **value = nativert_region_new_n (b->temp, const NativertGraphValue *, n + 1);
  if (!node->n_returns)
    memcpy (value, node->outputs, n * sizeof *value);
  for (uint32_t i = 0, k = 0; i < node->n_returns; i++) {
    const NativertReturn *r = &node->returns[i];
    if (r->is_none)
      k++;
    else
      for (uint32_t j = 0; j < r->n && r->first + j < node->n_outputs; j++)
        value[k++] = node->outputs[r->first + j];
  }
  return value;
}

static bool
lower_functional (NativertBuilder *b, const NativertNode *node, const NativertArg *args)
{
  uint32_t n = count_results (node);
  uint16_t op = (uint16_t) node->schema->op;
  const NativertGraphValue **value = map_results (b, node, n);
  NativertRef few[4], *out = n <= 4 ? few : nativert_region_new_n (b->temp, NativertRef, n);
  NativertView some[4], *want = n <= 4 ? some : nativert_region_new_n (b->temp, NativertView, n);
  bool strict = false;
  for (uint32_t i = 0; i < n; i++) {
    out[i] = NATIVERT_NO_REF;
    want[i].ndim = NATIVERT_UNKNOWN_RANK;
    if (value[i] && !nativert_builder_meta (b, value[i], &want[i]))
      return false;
    strict |= value[i] && b->pinned && b->pinned[value[i]->id];
  }
  int filled = n == 1 ? try_fill (b, node, args, out) : 0;
  if (filled < 0)
    return false;
  use_tensor_form (node, &op, args);
  NativertLowering l = { .op = op,
    .args = args,
    .n_args = node->schema->n_args,
    .n_out = n,
    .want = want,
    .strict = strict,
    .dest = NATIVERT_NO_REF,
    .out = out };
  if (!filled && !nativert_builder_lower (b, &l))
    return false;
  for (uint32_t i = 0; i < n; i++)
    if (value[i])
      b->gv[value[i]->id] = (NativertPlanGraphValue) { .kind = NATIVERT_PV_REF, .ref = out[i] };
  return true;
}

static bool
is_symbolic (const NativertNode *node)
{
  if (!node->schema)
    return true;
  for (uint32_t i = 0; i < node->n_outputs; i++)
    if (node->outputs[i]->type != NATIVERT_GV_TENSOR)
      return true;
  return false;
}

bool
nativert_builder_lower_node (NativertBuilder *b, const NativertNode *node)
{
  b->node = node;
  if (is_symbolic (node))
    return nativert_builder_lower_symbolic (b, node);
  if (node->schema->op < 0 || node->schema->op >= NATIVERT_N_OPS)
    return nativert_builder_fail (b, NATIVERT_ERROR_UNSUPPORTED, "operator not implemented");
  NativertArg few[16],
      *args = node->schema->n_args <= 16 ? few : nativert_region_new_n (b->temp, NativertArg, node->schema->n_args);
  if (!nativert_builder_bind_args (b, node, args))
    return false;
  return node->schema->writes ? nativert_builder_lower_write (b, node, args) : lower_functional (b, node, args);
}
