/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ways to call a runner: flattened tensors, or the arguments and results of the module as it was written. */
#include "base/tensor.h"
#include "model/runner-private.h"
#include "model/runner.h"

/* Everything that a run takes and gives back. */
typedef struct {
  NativertRunner *runner;
  NativertRunInputs *inputs;
  NativertPlanEntry *entry;
  NativertSession *session;
} Run;

static void
run_clear (Run *run)
{
  if (run->session != NULL) {
    nativert_session_return_outputs (run->session);
    nativert_runner_give_session (run->runner, run->session);
  }
  g_clear_pointer (&run->entry, nativert_plan_entry_unref);
  if (run->inputs != NULL)
    nativert_runner_give_inputs (run->runner, run->inputs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

static bool
begin (Run *run, GError **error)
{
  run->entry = nativert_runner_find_plan (run->runner, run->inputs, error);
  if (run->entry == NULL)
    return false;
  run->session = nativert_runner_take_session (run->runner, run->entry, error);
  return run->session != NULL;
}

gboolean
nativert_runner_prepare (NativertRunner *runner, NativertTensor *const *inputs, guint n_inputs, GError **error)
{
  g_auto (Run) run = { .runner = runner };

  g_return_val_if_fail (NATIVERT_IS_RUNNER (runner), FALSE);
  run.inputs = nativert_runner_take_inputs (runner);
  return nativert_run_inputs_set_tensors (run.inputs, nativert_runner_get_core (runner), inputs, n_inputs, error)
      && begin (&run, error) && nativert_session_take_outputs (run.session, error);
}

static bool
outputs_are_tensors (const NativertPlanEntry *entry, GError **error)
{
  const NativertCore *core = entry->core;

  for (uint32_t i = 0; i < core->n_outputs; i++)
    if (entry->pools[core->output_numbers[i]] == NULL) {
      g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_INVALID_INPUT,
          "output %s is no tensor: call the run that returns values", core->outputs[i].name);
      return false;
    }
  return true;
}

static NativertTensor *
take_tensor (NativertSession *session, uint32_t output)
{
  return nativert_output_buffer_to_tensor (g_steal_pointer (&session->buffers[output]));
}

gboolean
nativert_runner_run_tensors (NativertRunner *runner, NativertTensor *const *inputs, guint n_inputs,
    NativertTensor ***outputs, guint *n_outputs, GError **error)
{
  g_auto (Run) run = { .runner = runner };
  NativertCore *core;

  g_return_val_if_fail (NATIVERT_IS_RUNNER (runner) && outputs != NULL && n_outputs != NULL, FALSE);
  core = nativert_runner_get_core (runner);
  run.inputs = nativert_runner_take_inputs (runner);
  if (!nativert_run_inputs_set_tensors (run.inputs, core, inputs, n_inputs, error) || !begin (&run, error) ||
      !outputs_are_tensors (run.entry, error) || !nativert_runner_execute (runner, run.session, run.inputs, error))
    return FALSE;
  *n_outputs = core->n_outputs;
  *outputs = g_new (NativertTensor *, core->n_outputs + 1);
  for (uint32_t i = 0; i < core->n_outputs; i++)
    (*outputs)[i] = take_tensor (run.session, core->output_numbers[i]);
  (*outputs)[core->n_outputs] = NULL;
  return TRUE;
}

static NativertValue *
number_value (const NativertNum *number)
{
  if (number->kind == NATIVERT_NUM_INT)
    return nativert_value_new_int (number->u.i);
  if (number->kind == NATIVERT_NUM_BOOL)
    return nativert_value_new_bool (number->u.b);
  return nativert_value_new_float (number->u.f);
}

/* A number that steps computed lies in a slot. */
static NativertValue *
computed_number (NativertSession *session, const NativertPlanOutput *output)
{
  const NativertView *view = nativert_frame_slot (session->frame, output->slot);

  if (view->dtype == NATIVERT_F64)
    return nativert_value_new_float (*(const double *) view->data);
  if (view->dtype == NATIVERT_BOOL)
    return nativert_value_new_bool (*(const uint8_t *) view->data != 0);
  return nativert_value_new_int (*(const int64_t *) view->data);
}

static NativertValue *
output_value (NativertSession *session, uint32_t number)
{
  const NativertPlanOutput *output = &session->entry->plan->outputs[number];

  switch (output->kind) {
    case NATIVERT_VALUE_TENSOR: {
      g_autoptr (NativertTensor) tensor = take_tensor (session, number);
      return nativert_value_new_tensor (tensor);
    }
    case NATIVERT_VALUE_INT:
    case NATIVERT_VALUE_FLOAT:
    case NATIVERT_VALUE_BOOL:
      return output->slot != NATIVERT_NO_SLOT ? computed_number (session, output) : number_value (&output->number);
    case NATIVERT_VALUE_STRING:
      return nativert_value_new_string (output->string);
    default:
      return nativert_value_new_none ();
  }
}

static NativertValue *
build_results (const NativertCore *core, NativertSession *session, GError **error)
{
  g_autofree NativertValue **leaves = g_new0 (NativertValue *, core->n_outputs + 1);
  NativertValue *tuple;

  for (uint32_t i = 0; i < core->n_outputs; i++)
    leaves[i] = output_value (session, core->output_numbers[i]);
  if (core->out_spec != NULL)
    return nativert_tree_spec_unflatten (core->out_spec, leaves, core->n_outputs, error);
  if (core->n_outputs == 1)
    return leaves[0];
  tuple = nativert_value_new_tuple ();
  for (uint32_t i = 0; i < core->n_outputs; i++)
    nativert_value_append (tuple, leaves[i]);
  return tuple;
}

static void
append_children (GPtrArray *leaves, NativertValue *values)
{
  for (guint i = 0; values != NULL && i < nativert_value_get_length (values); i++)
    g_ptr_array_add (leaves, nativert_value_get_child (values, i));
}

GPtrArray *
nativert_core_flatten (const NativertCore *core, NativertValue *args, NativertValue *kwargs, GError **error)
{
  g_autoptr (GPtrArray) leaves = g_ptr_array_new ();

  if (core->in_spec != NULL)
    return nativert_tree_spec_flatten_call (core->in_spec, args, kwargs, leaves, error) ? g_steal_pointer (&leaves)
                                                                                        : NULL;
  append_children (leaves, args);
  append_children (leaves, kwargs);
  return g_steal_pointer (&leaves);
}

static bool
set_call (Run *run, NativertValue *args, NativertValue *kwargs, GError **error)
{
  NativertCore *core = nativert_runner_get_core (run->runner);
  g_autoptr (GPtrArray) leaves = nativert_core_flatten (core, args, kwargs, error);

  return leaves != NULL
      && nativert_run_inputs_set_values (run->inputs, core, (NativertValue *const *) leaves->pdata, leaves->len, error);
}

NativertValue *
nativert_runner_run_changed (
    NativertRunner *runner, NativertValue *args, NativertValue *kwargs, NativertValue **changed, GError **error)
{
  g_auto (Run) run = { .runner = runner };

  run.inputs = nativert_runner_take_inputs (runner);
  if (!set_call (&run, args, kwargs, error) || !begin (&run, error)
      || !nativert_runner_execute (runner, run.session, run.inputs, error))
    return NULL;
  if (changed != NULL) {
    *changed = nativert_value_new_dict ();
    nativert_runner_collect_changes (runner, run.session, *changed);
  }
  return build_results (nativert_runner_get_core (runner), run.session, error);
}

NativertValue *
nativert_runner_run (NativertRunner *runner, NativertValue *args, NativertValue *kwargs, GError **error)
{
  g_return_val_if_fail (NATIVERT_IS_RUNNER (runner), NULL);
  return nativert_runner_run_changed (runner, args, kwargs, NULL, error);
}

NativertPlan *
nativert_runner_dup_plan (NativertRunner *runner, NativertValue *args, NativertValue *kwargs, GError **error)
{
  g_auto (Run) run = { .runner = runner };

  run.inputs = nativert_runner_take_inputs (runner);
  if (!set_call (&run, args, kwargs, error))
    return NULL;
  run.entry = nativert_runner_find_plan (runner, run.inputs, error);
  return run.entry != NULL ? nativert_plan_ref (run.entry->plan) : NULL;
}
