/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A session: the memory and pointers of one run at a time.  In steady state none of this allocates. */
#include "base/checked.h"
#include "base/tensor.h"
#include "model/plan-cache.h"
#include "base/strided.h"

NativertSession *
nativert_session_new (NativertPlanEntry *entry, GError **error)
{
  uint32_t n_inputs = entry->core->graph->n_inputs, n_outputs = entry->core->graph->n_outputs;
  NativertFrame *frame = nativert_frame_new (entry->plan, error);
  NativertSession *session;

  if (frame == NULL)
    return NULL;
  session = g_new0 (NativertSession, 1);
  session->entry = entry;
  session->frame = frame;
  session->data = g_new0 (void *, n_inputs + 1);
  session->state = g_new0 (void *, n_inputs + 1);
  session->packs = g_new0 (const void *, entry->plan->n_packs + 1);
  session->inputs = g_new0 (void *, entry->core->n_inputs + 1);
  session->copies = g_new0 (NativertStorage *, entry->core->n_inputs + 1);
  session->outputs = g_new0 (void *, n_outputs + 1);
  session->buffers = g_new0 (NativertOutputBuffer *, n_outputs + 1);
  return session;
}

void
nativert_session_free (NativertSession *session)
{
  nativert_session_return_outputs (session);
  nativert_session_unbind (session);
  nativert_frame_free (session->frame);
  for (uint32_t i = 0; i < session->entry->core->n_inputs; i++)
    g_clear_pointer (&session->copies[i], nativert_storage_unref);
  g_free (session->data);
  g_free (session->state);
  g_free (session->packs);
  g_free (session->inputs);
  g_free (session->copies);
  g_free (session->outputs);
  g_free (session->buffers);
  g_free (session);
}

void
nativert_session_unbind (NativertSession *session)
{
  g_clear_pointer (&session->weights, nativert_weights_unref);
}

static bool
copy_input (NativertSession *session, const NativertRunInputs *ri, uint32_t port, GError **error)
{
  const NativertTensor *tensor = ri->tensors[port];
  const NativertView *view = &ri->inputs[port].view;
  size_t item = nativert_dtype_size (view->dtype), n_bytes;

  if (session->copies[port] == NULL) {
    if (!nativert_extent (view->size, view->stride, view->ndim, 0, item, &n_bytes)) {
      g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_LIMIT, "input %s is too large",
          session->entry->core->inputs[port].name);
      return false;
    }
    session->copies[port] = nativert_storage_new (n_bytes, error);
    if (session->copies[port] == NULL)
      return false;
  }
  session->inputs[port] = nativert_storage_data (session->copies[port]);
  nativert_strided_copy (
      session->inputs[port], view->stride, tensor->data, tensor->stride, view->size, view->ndim, item);
  return true;
}

bool
nativert_session_set_inputs (NativertSession *session, const NativertRunInputs *ri, GError **error)
{
  for (uint32_t i = 0; i < ri->n; i++) {
    if (ri->tensors[i] == NULL)
      continue;
    session->inputs[i] = ri->tensors[i]->data;
    if (ri->lay_out[i] && !copy_input (session, ri, i, error))
      return false;
  }
  return true;
}

bool
nativert_session_take_outputs (NativertSession *session, GError **error)
{
  NativertPlanEntry *entry = session->entry;

  for (uint32_t i = 0; i < entry->core->graph->n_outputs; i++) {
    if (entry->pools[i] == NULL)
      continue;
    session->buffers[i] = nativert_output_pool_take (entry->pools[i], error);
    if (session->buffers[i] == NULL)
      return false;
    session->outputs[i] = nativert_output_buffer_data (session->buffers[i]);
  }
  return true;
}

void
nativert_session_collect_outputs (NativertSession *session)
{
  NativertPlanEntry *entry = session->entry;
  int64_t dense[NATIVERT_MAX_DIMS];

  for (uint32_t i = 0; i < entry->core->graph->n_outputs; i++) {
    const NativertView *view;
    if (entry->pools[i] == NULL || entry->in_pool[i])
      continue;
    view = nativert_frame_slot (session->frame, entry->plan->outputs[i].slot);
    nativert_strided_dense (view->size, view->ndim, dense);
    nativert_strided_copy (session->outputs[i], dense, view->data, view->stride, view->size, view->ndim,
        nativert_dtype_size (view->dtype));
  }
}

void
nativert_session_return_outputs (NativertSession *session)
{
  for (uint32_t i = 0; i < session->entry->core->graph->n_outputs; i++)
    g_clear_pointer (&session->buffers[i], nativert_output_buffer_return);
}
