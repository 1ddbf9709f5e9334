/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inputs of a graph as values of a plan: each weight, buffer, constant and user tensor is a block of its own. */
#include "base/checked.h"
#include "plan/builder.h"

static bool
add_tensor (NativertBuilder *b, const NativertGraphValue *value, uint8_t mem, uint32_t index, const NativertView *view)
{
  size_t n_bytes;
  NativertPlanGraphValue *gv = &b->gv[value->id];
  if (!nativert_extent (view->size, view->stride, view->ndim, 0, nativert_dtype_size (view->dtype), &n_bytes)) {
    g_autofree char *text = nativert_view_to_text (view);
    return nativert_builder_fail (
        b, NATIVERT_ERROR_MISMATCH, "input %s: %s with these strides does not fit in memory", value->name, text);
  }
  gv->ref = nativert_builder_add_value (b, nativert_builder_add_block (b, mem, index, n_bytes), 0, view);
  gv->kind = NATIVERT_PV_REF;
  return gv->ref >= 0;
}

/* An input that the graph writes is replaced by a copy: the caller's memory is the caller's, and what was folded is
 * every run's.  index: of a user input, -1 for others. */
static bool
copy_written_input (NativertBuilder *b, const NativertGraphValue *value, int32_t index)
{
  NativertPlanGraphValue *gv = &b->gv[value->id];
  NativertView view = NATIVERT_VALUE (b, gv->ref)->view;
  if (!nativert_view_is_dense (&view))
    nativert_view_init (&view, view.dtype, view.ndim, view.size);
  NativertRef copy = nativert_builder_new_tensor (b, &view);
  if (copy < 0 || !nativert_builder_copy_to (b, gv->ref, copy))
    return false;
  gv->ref = copy;
  if (index < 0)
    return true;
  NATIVERT_BLOCK (b, NATIVERT_VALUE (b, copy)->block)->b.keep = true;
  NativertPlanMutated mutated = { (uint32_t) index, (uint32_t) copy };
  g_array_append_val (b->mutated, mutated);
  return true;
}

/* Items, not tensors: numbers, strings, None. */
static bool
bind_item (NativertBuilder *b, const NativertGraphValue *value, const NativertPlanInput *given)
{
  NativertPlanGraphValue *gv = &b->gv[value->id];
  switch (given->kind) {
    case NATIVERT_VALUE_NONE: gv->kind = NATIVERT_PV_NONE; return true;
    case NATIVERT_VALUE_STRING: gv->kind = NATIVERT_PV_STRING; gv->string = given->string; return true;
    case NATIVERT_VALUE_INT: case NATIVERT_VALUE_FLOAT: case NATIVERT_VALUE_BOOL:
      gv->kind = NATIVERT_PV_NUMBER;
      gv->number = given->number;
      return true;
    default:
      return nativert_builder_fail (
          b, NATIVERT_ERROR_INVALID_INPUT, "input %s: a tensor or a container, the model takes a number", value->name);
  }
}

static bool
bind_user (NativertBuilder *b, uint32_t index, const NativertPlanInput *given, uint32_t n)
{
  const NativertGraphValue *value = b->graph->inputs[index].value;
  if (!value)
    return true;                        /* a constant of the signature: nobody reads it */
  if (value->type != NATIVERT_GV_TENSOR)
    return bind_item (b, value, given);
  if (given->kind != NATIVERT_VALUE_TENSOR)
    return nativert_builder_fail (
        b, NATIVERT_ERROR_INVALID_INPUT, "input %s: not a tensor, the model takes a tensor", value->name);
  NativertView view = given->view;
  view.data = NULL;
  return add_tensor (b, value, NATIVERT_MEM_INPUT, n, &view);
}

/* A SymFloat that constant folding computed lives in a 0-d float64. */
static bool
bind_weight (NativertBuilder *b, uint32_t index)
{
  const NativertGraphInput *input = &b->graph->inputs[index];
  NativertView view;
  if (!input->value || input->value->type == NATIVERT_GV_OBJ || input->value->type == NATIVERT_GV_TOKEN)
    return true;
  if (!input->value->n_uses && !b->state[index])
    return true;
  if (input->value->type == NATIVERT_GV_SYM_FLOAT) {
    nativert_view_init (&view, NATIVERT_F64, 0, NULL);
    view.data = NULL;
  } else if (!nativert_builder_meta (b, input->value, &view))
    return false;
  else if (view.ndim == NATIVERT_UNKNOWN_RANK)
    return nativert_builder_fail (b, NATIVERT_ERROR_MISMATCH, "weight `%s`: its sizes are not known",
        input->target ? input->target : input->value->name);
  if (!add_tensor (b, input->value, b->state[index] ? NATIVERT_MEM_STATE : NATIVERT_MEM_WEIGHT, index, &view))
    return false;
  NATIVERT_VALUE (b, b->gv[input->value->id].ref)->wrapped = input->value->type == NATIVERT_GV_SYM_FLOAT;
  return true;
}

static bool
is_user (uint8_t kind)
{
  return kind == NATIVERT_IN_USER || kind == NATIVERT_IN_CONSTANT;
}

static bool
needs_copy (const NativertBuilder *b, const NativertGraphInput *input)
{
  return b->pinned && input->value && input->value->type == NATIVERT_GV_TENSOR && b->pinned[input->value->id]
      && (is_user (input->kind) || (input->kind == NATIVERT_IN_FOLDED && input->value->n_uses));
}

/* Copies come after all blocks of inputs exist, so that block numbers of inputs do not depend on them. */
bool
nativert_builder_bind_inputs (NativertBuilder *b, const NativertPlanInput *inputs)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->graph->n_inputs; i++) {
    bool user = is_user (b->graph->inputs[i].kind);
    if (user ? !bind_user (b, i, &inputs[n], n) : !bind_weight (b, i))
      return false;
    n += user;
  }
  b->plan->n_inputs = n;
  n = 0;
  for (uint32_t i = 0; i < b->graph->n_inputs; i++) {
    const NativertGraphInput *input = &b->graph->inputs[i];
    bool user = is_user (input->kind);
    if (needs_copy (b, input) && !copy_written_input (b, input->value, user ? (int32_t) n : -1))
      return false;
    n += user;
  }
  return true;
}
