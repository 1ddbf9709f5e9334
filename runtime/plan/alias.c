/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Alias classes with writers.  Before lowering: which values share memory with something that is written, and which
 * inputs that makes into state.  While lowering: a node that writes computes its functional form into self's place. */
#include <string.h>
#include "plan/builder.h"

static uint32_t
find_root (uint32_t *parent, uint32_t id)
{
  while (parent[id] != id)
    id = parent[id] = parent[parent[id]];
  return id;
}

/* The tensor that results of node may be views of; NULL: none. */
static const NativertGraphValue *
base_of (const NativertNode *node)
{
  const NativertSchema *s = node->schema;
  for (uint32_t i = 0; i < s->n_args && i < node->n_args; i++)
    if (node->args[i].kind == NATIVERT_GA_VALUE && (s->args[i].alias || s->args[i].write))
      return node->args[i].u.value;
  return NULL;
}

static bool
writes_anything (const NativertGraph *graph)
{
  for (const NativertNode *node = graph->first; node; node = node->next)
    if (node->schema && node->schema->writes)
      return true;
  return false;
}

static void
mark_pinned (NativertBuilder *b)
{
  uint32_t n = b->graph->values->len;
  uint32_t *parent = nativert_region_new_n (b->temp, uint32_t, n + 1);
  bool *written = nativert_region_new_n (b->temp, bool, n + 1);
  for (uint32_t i = 0; i < n; i++)
    parent[i] = i;
  for (const NativertNode *node = b->graph->first; node; node = node->next) {
    const NativertGraphValue *base = node->schema ? base_of (node) : NULL;
    for (uint32_t i = 0; base && i < node->n_outputs; i++)
      parent[find_root (parent, node->outputs[i]->id)] = find_root (parent, base->id);
  }
  for (const NativertNode *node = b->graph->first; node; node = node->next)
    for (uint32_t i = 0; node->schema && i < node->schema->n_args && i < node->n_args; i++)
      if (node->schema->args[i].write && node->args[i].kind == NATIVERT_GA_VALUE)
        written[find_root (parent, node->args[i].u.value->id)] = true;
  b->pinned = nativert_region_new_n (b->temp, bool, n + 1);
  for (uint32_t i = 0; i < n; i++)
    b->pinned[i] = written[find_root (parent, i)];
}

static bool
may_be_state (uint8_t kind)
{
  return kind == NATIVERT_IN_PARAMETER || kind == NATIVERT_IN_BUFFER || kind == NATIVERT_IN_TENSOR_CONSTANT;
}

void
nativert_builder_find_classes (NativertBuilder *b)
{
  const NativertGraph *graph = b->graph;
  b->state = nativert_region_new_n (b->temp, bool, graph->n_inputs + 1);
  if (writes_anything (graph))
    mark_pinned (b);
  for (uint32_t i = 0; i < graph->n_inputs; i++) {
    const NativertGraphInput *input = &graph->inputs[i];
    if (!may_be_state (input->kind) || !input->value)
      continue;
    b->state[i] = b->pinned && b->pinned[input->value->id];
    for (uint32_t k = 0; k < graph->n_outputs && !b->state[i]; k++) {
      uint8_t kind = graph->outputs[k].kind;
      b->state[i] = (kind == NATIVERT_OUT_BUFFER_MUTATION || kind == NATIVERT_OUT_PARAMETER_MUTATION) && input->target
          && graph->outputs[k].target && !strcmp (input->target, graph->outputs[k].target);
    }
  }
}

/* unsqueeze_, transpose_, detach_: only the view changes, for every later reader of self too. */
static bool
change_view (NativertBuilder *b, const NativertNode *node, const NativertArg *args, const NativertGraphValue *self)
{
  NativertRef out = NATIVERT_NO_REF;
  NativertLowering l = { .op = (uint16_t) node->schema->op,
    .args = args,
    .n_args = node->schema->n_args,
    .n_out = 1,
    .strict = true,
    .dest = NATIVERT_NO_REF,
    .out = &out };
  if (!nativert_builder_lower (b, &l))
    return false;
  b->gv[self->id].ref = out;
  if (node->n_outputs)
    b->gv[node->outputs[0]->id] = b->gv[self->id];
  return true;
}

/* copy_ is a cast and a broadcast; anything else its functional form. */
static bool
compute_into (NativertBuilder *b, const NativertNode *node, const NativertArg *args, NativertRef dest)
{
  NativertView self = NATIVERT_VALUE (b, dest)->view;
  if (!strcmp (node->schema->name, "aten::copy_") && node->schema->n_args > 1 && args[1].kind == NATIVERT_ARG_TENSOR) {
    NativertRef src = nativert_builder_broadcast (b, (NativertRef) args[1].u.i, &self);
    return src >= 0 && nativert_builder_copy_to (b, src, dest);
  }
  NativertRef out = NATIVERT_NO_REF;
  NativertLowering l = { .op = (uint16_t) node->schema->op,
    .args = args,
    .n_args = node->schema->n_args,
    .n_out = 1,
    .dest = dest,
    .out = &out };
  if (!nativert_builder_lower (b, &l))
    return false;
  if (out == dest)
    return true;
  if (!nativert_view_same_shape (&NATIVERT_VALUE (b, out)->view, &self))
    return nativert_builder_fail (b, NATIVERT_ERROR_MISMATCH, "the result has other sizes than what it is written to");
  return nativert_builder_copy_to (b, out, dest);
}

bool
nativert_builder_lower_write (NativertBuilder *b, const NativertNode *node, const NativertArg *args)
{
  uint32_t self = 0, n = 0;
  for (uint32_t i = 0; i < node->schema->n_args; i++)
    if (node->schema->args[i].write) {
      self = i;
      n++;
    }
  if (n != 1 || args[self].kind != NATIVERT_ARG_TENSOR || self >= node->n_args
      || node->args[self].kind != NATIVERT_GA_VALUE || node->n_outputs > 1)
    return nativert_builder_fail (b, NATIVERT_ERROR_UNSUPPORTED, "writes %u of its arguments, only one can be", n);
  if (nativert_ops[node->schema->op].view)
    return change_view (b, node, args, node->args[self].u.value);
  NativertRef dest = (NativertRef) args[self].u.i;
  uint8_t mem = NATIVERT_BLOCK (b, NATIVERT_VALUE (b, dest)->block)->b.mem;
  if (mem != NATIVERT_MEM_ARENA && mem != NATIVERT_MEM_STATE)
    return nativert_builder_fail (b, NATIVERT_ERROR_UNSUPPORTED,
        "writes `%s`, which is memory that a run must not change", node->args[self].u.value->name);
  if (!compute_into (b, node, args, dest))
    return false;
  if (node->n_outputs)
    b->gv[node->outputs[0]->id] = (NativertPlanGraphValue) { .kind = NATIVERT_PV_REF, .ref = dest };
  return true;
}
