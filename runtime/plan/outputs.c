/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a run leaves behind: buffers that the signature says it mutates are written, and every tensor result gets
 * memory of its own, with the strides the file gives; one that shares memory with anything else is copied at the end.
 */
#include <string.h>
#include "plan/builder.h"

static bool
is_state_output (uint8_t kind)
{
  return kind == NATIVERT_OUT_BUFFER_MUTATION || kind == NATIVERT_OUT_PARAMETER_MUTATION;
}

static const NativertGraphInput *
find_input (const NativertGraph *graph, const char *target)
{
  for (uint32_t i = 0; target && i < graph->n_inputs; i++)
    if (graph->inputs[i].kind != NATIVERT_IN_USER && graph->inputs[i].target
        && !strcmp (graph->inputs[i].target, target) && graph->inputs[i].value)
      return &graph->inputs[i];
  return NULL;
}

static NativertRef
duplicate (NativertBuilder *b, NativertRef ref, const NativertView *strides)
{
  NativertView view = NATIVERT_VALUE (b, ref)->view;
  if (strides && nativert_view_is_dense (strides) && nativert_view_same_shape (strides, &view))
    memcpy (view.stride, strides->stride, sizeof view.stride);
  else if (!nativert_view_is_dense (&view))
    nativert_view_init (&view, view.dtype, view.ndim, view.size);
  NativertRef copy = nativert_builder_new_tensor (b, &view);
  return copy >= 0 && nativert_builder_copy_to (b, ref, copy) ? copy : NATIVERT_NO_REF;
}

/* Values that buffers get: taken aside first when they live in another buffer that is written too. */
static bool
write_states (NativertBuilder *b)
{
  const NativertGraph *graph = b->graph;
  NativertRef *from = nativert_region_new_n (b->temp, NativertRef, graph->n_outputs + 1);
  for (uint32_t i = 0; i < graph->n_outputs; i++) {
    const NativertGraphOutput *output = &graph->outputs[i];
    from[i] = NATIVERT_NO_REF;
    if (!is_state_output (output->kind) || output->arg.kind != NATIVERT_GA_VALUE)
      continue;
    const NativertGraphInput *input = find_input (graph, output->target);
    const NativertPlanGraphValue *gv = &b->gv[output->arg.u.value->id];
    if (!input || gv->kind != NATIVERT_PV_REF || b->gv[input->value->id].kind != NATIVERT_PV_REF)
      return nativert_builder_fail (
          b, NATIVERT_ERROR_MISMATCH, "output %u: there is no buffer `%s` to write", i, output->target);
    from[i] = gv->ref;
    if (gv->ref != b->gv[input->value->id].ref
        && NATIVERT_BLOCK (b, NATIVERT_VALUE (b, gv->ref)->block)->b.mem == NATIVERT_MEM_STATE
        && (from[i] = duplicate (b, gv->ref, NULL)) < 0)
      return false;
  }
  for (uint32_t i = 0; i < graph->n_outputs; i++) {
    if (from[i] < 0)
      continue;
    NativertRef to = b->gv[find_input (graph, graph->outputs[i].target)->value->id].ref;
    if (!nativert_view_same_shape (&NATIVERT_VALUE (b, from[i])->view, &NATIVERT_VALUE (b, to)->view))
      return nativert_builder_fail (
          b, NATIVERT_ERROR_MISMATCH, "buffer `%s` would change its sizes", graph->outputs[i].target);
    if (!nativert_builder_copy_to (b, from[i], to))
      return false;
    b->plan->outputs[i] = (NativertPlanOutput) { .kind = NATIVERT_VALUE_TENSOR, .slot = (uint32_t) to };
  }
  return true;
}

/* Arena memory that nobody else looks at becomes the output's own. */
static bool
claim (NativertBuilder *b, uint32_t index, NativertRef ref, const NativertView *want)
{
  const NativertPlanValue *v = NATIVERT_VALUE (b, ref);
  NativertPlanBlock *block = NATIVERT_BLOCK (b, v->block);
  size_t n_bytes = (size_t) nativert_view_numel (&v->view) * nativert_dtype_size (v->view.dtype);
  if (block->b.mem != NATIVERT_MEM_ARENA || block->b.keep || v->offset || n_bytes != block->b.n_bytes
      || !nativert_view_is_dense (&v->view))
    return false;
  if (want && nativert_view_is_dense (want) && nativert_view_same_shape (want, &v->view)
      && !nativert_view_same_strides (want, &v->view))
    return false;
  block->b.mem = NATIVERT_MEM_OUTPUT;
  block->b.index = index;
  return true;
}

static bool
tensor_output (NativertBuilder *b, uint32_t index, NativertRef ref, const NativertGraphValue *value)
{
  NativertPlanOutput *out = &b->plan->outputs[index];
  NativertView want;
  if (!nativert_builder_meta (b, value, &want))
    return false;
  const NativertView *strides = want.ndim == NATIVERT_UNKNOWN_RANK ? NULL : &want;
  out->kind = NATIVERT_VALUE_TENSOR;
  if (!claim (b, index, ref, strides)) {
    ref = duplicate (b, ref, strides);
    if (ref < 0 || !claim (b, index, ref, NULL))
      return nativert_builder_fail (
          b, NATIVERT_ERROR_UNSUPPORTED, "output %u cannot be given memory of its own", index);
  }
  out->slot = (uint32_t) ref;
  return true;
}

static void
number_output (NativertPlanOutput *out, NativertNum number)
{
  static const uint8_t kind[] = { [NATIVERT_NUM_INT] = NATIVERT_VALUE_INT, [NATIVERT_NUM_FLOAT] = NATIVERT_VALUE_FLOAT,
    [NATIVERT_NUM_BOOL] = NATIVERT_VALUE_BOOL };
  out->kind = kind[number.kind];
  out->number = number;
  out->slot = NATIVERT_NO_SLOT;
}

static bool
value_output (NativertBuilder *b, uint32_t index, const NativertGraphValue *value)
{
  NativertPlanOutput *out = &b->plan->outputs[index];
  const NativertPlanGraphValue *gv = &b->gv[value->id];
  switch (gv->kind) {
    case NATIVERT_PV_NUMBER: number_output (out, gv->number); return true;
    case NATIVERT_PV_STRING:
      *out = (NativertPlanOutput){ .kind = NATIVERT_VALUE_STRING,
        .string = nativert_region_strdup (b->plan->region, gv->string) };
      return true;
    case NATIVERT_PV_NONE: out->kind = NATIVERT_VALUE_NONE; return true;
    case NATIVERT_PV_REF:
      if (value->type == NATIVERT_GV_TENSOR)
        return tensor_output (b, index, gv->ref, value);
      *out = (NativertPlanOutput) { .kind = NATIVERT_VALUE_FLOAT, .slot = (uint32_t) gv->ref };
      NATIVERT_BLOCK (b, NATIVERT_VALUE (b, gv->ref)->block)->b.keep = true;
      return true;
    default:
      if (value->type == NATIVERT_GV_TOKEN || value->type == NATIVERT_GV_OBJ)
        return true;                    /* stays NONE */
      return nativert_builder_fail (
          b, NATIVERT_ERROR_UNSUPPORTED, "output %u (`%s`) has no value that this runtime knows", index, value->name);
  }
}

static bool
literal_output (NativertBuilder *b, uint32_t index, const NativertGraphArg *arg)
{
  NativertPlanOutput *out = &b->plan->outputs[index];
  switch (arg->kind) {
    case NATIVERT_GA_NONE: return true;
    case NATIVERT_GA_INT: number_output (out, (NativertNum) { .kind = NATIVERT_NUM_INT, .u.i = arg->u.i }); return true;
    case NATIVERT_GA_FLOAT:
      number_output (out, (NativertNum){ .kind = NATIVERT_NUM_FLOAT, .u.f = arg->u.f });
      return true;
    case NATIVERT_GA_BOOL:
      number_output (out, (NativertNum){ .kind = NATIVERT_NUM_BOOL, .u.b = arg->u.i != 0 });
      return true;
    case NATIVERT_GA_STRING:
      *out = (NativertPlanOutput){ .kind = NATIVERT_VALUE_STRING, .string = arg->u.s };
      return true;
    default:
      return nativert_builder_fail (
          b, NATIVERT_ERROR_UNSUPPORTED, "output %u is of a kind that this runtime cannot return", index);
  }
}

bool
nativert_builder_lower_outputs (NativertBuilder *b)
{
  const NativertGraph *graph = b->graph;
  b->node = NULL;
  b->plan->n_outputs = graph->n_outputs;
  b->plan->outputs = nativert_region_new_n (b->plan->region, NativertPlanOutput, graph->n_outputs + 1);
  for (uint32_t i = 0; i < graph->n_outputs; i++)
    b->plan->outputs[i] = (NativertPlanOutput) { .kind = NATIVERT_VALUE_NONE, .slot = NATIVERT_NO_SLOT };
  if (!write_states (b))
    return false;
  for (uint32_t i = 0; i < graph->n_outputs; i++) {
    const NativertGraphOutput *output = &graph->outputs[i];
    if (output->kind == NATIVERT_OUT_TOKEN || is_state_output (output->kind))
      continue;
    if (output->arg.kind == NATIVERT_GA_VALUE ? !value_output (b, i, output->arg.u.value)
                                              : !literal_output (b, i, &output->arg))
      return false;
  }
  return true;
}
