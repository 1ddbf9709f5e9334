/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results that are their input, always: the same memory under another name.  Replacing one by the other changes
 * nothing, even when the memory is written later.  (Copies are another pass: there aliasing matters.) */
#include "graph/meta.h"
#include "graph/passes.h"

static bool
is_false (const NativertGraphArg *arg)
{
  return !arg || arg->kind == NATIVERT_GA_NONE || (arg->kind == NATIVERT_GA_BOOL && arg->u.i == 0);
}

static bool
any_target (const NativertNode *node, const char *const *names)
{
  for (; *names; names++)
    if (nativert_target_is (node->target, *names))
      return true;
  return false;
}

static bool
is_dropout_in_eval (const NativertNode *node)
{
  static const char *const names[] = { "aten.dropout", "aten.dropout_", "aten.feature_dropout", "aten.feature_dropout_",
    "aten.alpha_dropout", "aten.alpha_dropout_", "aten.feature_alpha_dropout", "aten.feature_alpha_dropout_",
    "aten.native_dropout", NULL };
  if (!any_target (node, names))
    return false;
  for (uint32_t i = 1; i < node->n_outputs; i++)
    if (node->outputs[i]->n_uses > 0)
      return false;
  const NativertGraphArg *p = nativert_node_arg (node, "p");
  return is_false (nativert_node_arg (node, "train")) || (p && p->kind == NATIVERT_GA_FLOAT && p->u.f == 0);
}

static bool
same_dtype (const NativertNode *node)
{
  const NativertTensorMetaDesc *in = node->args[0].u.value->meta, *out = node->outputs[0]->meta;
  return in && out && in->dtype == out->dtype;
}

static bool
keeps_format (const NativertGraphArg *format)
{
  return !format || format->kind == NATIVERT_GA_NONE || (format->kind == NATIVERT_GA_MEMORY_FORMAT && format->u.i == 4);
}

/* to() without copy=True hands its input back when dtype and format are right; all devices are this one. */
static bool
is_idle_cast (const NativertNode *node)
{
  static const char *const names[] = { "aten.to", "aten.type_as", NULL };
  return any_target (node, names) && same_dtype (node) && is_false (nativert_node_arg (node, "copy"))
      && keeps_format (nativert_node_arg (node, "memory_format"));
}

static bool
is_idle_contiguous (const NativertNode *node)
{
  const NativertGraphArg *format = nativert_node_arg (node, "memory_format");
  return nativert_target_is (node->target, "aten.contiguous") && (!format || format->u.i == 1)
      && nativert_meta_is_contiguous (node->graph->program, node->args[0].u.value->meta)
      && node->args[0].u.value->producer;       /* a caller's tensor comes with strides of its own */
}

static bool
is_other_name (const NativertNode *node)
{
  static const char *const names[] = { "aten.alias", "aten.detach", "aten.detach_", "aten.lift", "aten.lift_fresh",
    "aten.positive", "aten.resolve_conj", "aten.resolve_neg", "aten.requires_grad_", NULL };
  return any_target (node, names);
}

int
nativert_pass_noops (NativertGraph *graph, const NativertSchemas *schemas, GError **error)
{
  int n = 0;
  for (NativertNode *node = graph->first, *next; node; node = next) {
    next = node->next;
    if (!node->schema || node->n_args == 0 || node->n_outputs == 0 || node->args[0].kind != NATIVERT_GA_VALUE)
      continue;
    if (!is_dropout_in_eval (node) && !is_idle_cast (node) && !is_idle_contiguous (node) && !is_other_name (node))
      continue;
    nativert_value_replace_uses (node->outputs[0], node->args[0].u.value);
    if (!nativert_graph_remove (graph, node, error))
      return -1;
    n++;
  }
  return n;
}
