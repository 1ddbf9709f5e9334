/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* State: a runner's own copies of the buffers that the program writes. */
#include "model/state.h"
#include "base/checked.h"
#include "base/strided.h"

#include <string.h>

struct NativertState {
  NativertCore *core;
  NativertStorage **copies;             /* by graph input; NULL: not written, or not needed yet */
  size_t *n_bytes;                      /* of the weight's extent: what is filled from it */
  atomic_bool wants_reset;
};

NativertState *
nativert_state_new (NativertCore *core)
{
  NativertState *state = g_new0 (NativertState, 1);

  state->core = nativert_core_ref (core);
  state->copies = g_new0 (NativertStorage *, core->graph->n_inputs + 1);
  state->n_bytes = g_new0 (size_t, core->graph->n_inputs + 1);
  return state;
}

void
nativert_state_free (NativertState *state)
{
  for (uint32_t i = 0; i < state->core->graph->n_inputs; i++)
    g_clear_pointer (&state->copies[i], nativert_storage_unref);
  g_free (state->copies);
  g_free (state->n_bytes);
  nativert_core_unref (state->core);
  g_free (state);
}

/* The weight that output writes back to; -1: none. */
static int32_t
written_weight (const NativertCore *core, uint32_t output)
{
  int32_t input = nativert_core_mutated_input (core, output);

  return input >= 0 && nativert_input_is_weight (&core->graph->inputs[input]) ? input : -1;
}

bool
nativert_state_is_used_by (const NativertCore *core, const NativertPlan *plan)
{
  for (uint32_t i = 0; i < plan->n_blocks; i++)
    if (plan->blocks[i].mem == NATIVERT_MEM_STATE)
      return true;
  for (uint32_t i = 0; i < core->graph->n_outputs; i++)
    if (written_weight (core, i) >= 0)
      return true;
  return false;
}

static const NativertTensorMetaDesc *
weight_meta (const NativertState *state, uint32_t input)
{
  return state->core->graph->inputs[input].value->meta;
}

/* Sizes and strides of a weight; they were checked to be fixed when it was loaded. */
static void
weight_shape (const NativertState *state, uint32_t input, int64_t *size, int64_t *stride)
{
  const NativertTensorMetaDesc *meta = weight_meta (state, input);

  for (uint32_t i = 0; i < meta->n_dims; i++) {
    size[i] = meta->sizes[i].value;
    stride[i] = meta->strides[i].value;
  }
}

static bool
attach_one (NativertState *state, NativertSession *session, uint32_t input, size_t block_bytes, GError **error)
{
  const NativertTensorMetaDesc *meta = weight_meta (state, input);
  int64_t size[NATIVERT_MAX_DIMS], stride[NATIVERT_MAX_DIMS];

  weight_shape (state, input, size, stride);
  if (state->copies[input] == NULL) {
    if (session->data[input] == NULL
        || !nativert_extent (size, stride, meta->n_dims, 0, nativert_dtype_get_size ((NativertDtype) meta->dtype),
            &state->n_bytes[input])) {
      g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISSING, "buffer %s has no first value",
          state->core->graph->inputs[input].target);
      return false;
    }
    state->copies[input] = nativert_storage_new (MAX (state->n_bytes[input], block_bytes), error);
    if (state->copies[input] == NULL)
      return false;
    memcpy (nativert_storage_data (state->copies[input]), session->data[input], state->n_bytes[input]);
  }
  session->state[input] = session->data[input] = nativert_storage_data (state->copies[input]);
  return true;
}

bool
nativert_state_attach (NativertState *state, NativertSession *session, GError **error)
{
  const NativertPlan *plan = session->entry->plan;

  for (uint32_t i = 0; i < plan->n_blocks; i++)
    if (plan->blocks[i].mem == NATIVERT_MEM_STATE
        && !attach_one (state, session, plan->blocks[i].index, plan->blocks[i].n_bytes, error))
      return false;
  for (uint32_t i = 0; i < state->core->graph->n_outputs; i++) {
    int32_t input = written_weight (state->core, i);
    if (input >= 0 && !attach_one (state, session, (uint32_t) input, 0, error))
      return false;
  }
  return true;
}

void
nativert_state_reset (NativertState *state)
{
  atomic_store (&state->wants_reset, true);
}

void
nativert_state_refresh (NativertState *state, NativertSession *session)
{
  if (!atomic_exchange (&state->wants_reset, false))
    return;
  for (uint32_t i = 0; i < state->core->graph->n_inputs; i++)
    if (state->copies[i] != NULL)
      memcpy (nativert_storage_data (state->copies[i]), nativert_weights_peek (session->weights, i), state->n_bytes[i]);
}

void
nativert_state_apply (NativertState *state, NativertSession *session)
{
  const NativertPlan *plan = session->entry->plan;
  int64_t size[NATIVERT_MAX_DIMS], stride[NATIVERT_MAX_DIMS];

  for (uint32_t i = 0; i < state->core->graph->n_outputs; i++) {
    int32_t input = written_weight (state->core, i);
    const NativertView *view;
    void *copy;
    if (input < 0 || state->copies[input] == NULL || plan->outputs[i].kind != NATIVERT_VALUE_TENSOR)
      continue;
    view = nativert_frame_slot (session->frame, plan->outputs[i].slot);
    copy = nativert_storage_data (state->copies[input]);
    if (view->data == copy)
      continue;
    weight_shape (state, (uint32_t) input, size, stride);
    nativert_strided_copy (copy, stride, view->data, view->stride, size, view->ndim, nativert_dtype_size (view->dtype));
  }
}

static NativertValue *
copy_elements (const void *data, uint8_t dtype, const int64_t *size, const int64_t *stride, uint32_t n_dims)
{
  g_autoptr (NativertTensor) tensor = nativert_tensor_new ((NativertDtype) dtype, size, n_dims);
  int64_t dense[NATIVERT_MAX_DIMS];

  if (tensor == NULL)
    return nativert_value_new_none ();
  nativert_strided_dense (size, n_dims, dense);
  nativert_strided_copy (
      nativert_tensor_get_data (tensor), dense, data, stride, size, n_dims, nativert_dtype_size (dtype));
  return nativert_value_new_tensor (tensor);
}

static void
collect_slot (NativertSession *session, uint32_t port, uint32_t slot, NativertValue *dict)
{
  const NativertView *view = nativert_frame_slot (session->frame, slot);
  g_autofree char *key = g_strdup_printf ("input:%u", port);

  nativert_value_set (dict, key, copy_elements (view->data, view->dtype, view->size, view->stride, view->ndim));
}

/* Inputs that the program writes in place, and those whose new values are among the outputs. */
static void
collect_inputs (NativertSession *session, NativertValue *dict)
{
  const NativertPlanEntry *entry = session->entry;
  const NativertCore *core = entry->core;

  for (uint32_t i = 0; i < entry->plan->n_mutated; i++)
    collect_slot (session, entry->plan->mutated[i].input, entry->plan->mutated[i].slot, dict);
  for (uint32_t k = 0; k < core->graph->n_outputs; k++) {
    int32_t input = nativert_core_mutated_input (core, k);
    for (uint32_t i = 0; i < core->n_inputs && input >= 0; i++)
      if (core->input_numbers[i] == (uint32_t) input && entry->plan->outputs[k].kind == NATIVERT_VALUE_TENSOR)
        collect_slot (session, i, entry->plan->outputs[k].slot, dict);
  }
}

void
nativert_state_collect (NativertState *state, NativertSession *session, NativertValue *dict)
{
  int64_t size[NATIVERT_MAX_DIMS], stride[NATIVERT_MAX_DIMS];

  for (uint32_t i = 0; i < state->core->graph->n_inputs; i++) {
    g_autofree char *key = NULL;
    const NativertTensorMetaDesc *meta;
    if (state->copies[i] == NULL)
      continue;
    meta = weight_meta (state, i);
    key = g_strconcat ("buffer:", state->core->graph->inputs[i].target, NULL);
    weight_shape (state, i, size, stride);
    nativert_value_set (dict, key,
        copy_elements (nativert_storage_data (state->copies[i]), (uint8_t) meta->dtype, size, stride, meta->n_dims));
  }
  collect_inputs (session, dict);
}
