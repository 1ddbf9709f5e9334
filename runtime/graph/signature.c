/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The signature: which weight, buffer or argument each input of the graph is, and what each output is for.
 * Specs and graph pair by position; the names must agree. */
#include "graph/private.h"

static const char *
input_kind_name (uint8_t kind)
{
  static const char *const names[] = { "token", "parameter", "buffer", "tensor constant", "custom object", "user input",
    "constant input", "folded value" };
  return kind < G_N_ELEMENTS (names) ? names[kind] : "unknown input";
}

static bool
read_input (NativertGraph *graph, uint32_t i, GError **error)
{
  const NativertInputSpec *spec = &graph->program->input_specs[i];
  NativertGraphInput *input = &graph->inputs[i];
  const char *has = input->value ? input->value->name : "a constant",
             *want = spec->arg.name ? spec->arg.name : "a constant";
  bool constant = spec->kind == NATIVERT_IN_CONSTANT || !spec->arg.name;
  if (constant != (input->value == NULL) || (!constant && !g_str_equal (has, want))) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "input %u: the signature calls it %s (%s), the graph %s",
        i, want, input_kind_name (spec->kind), has);
    return false;
  }
  input->kind = constant ? NATIVERT_IN_CONSTANT : spec->kind;
  input->persistent = spec->persistent;
  if (spec->target && *spec->target)
    input->target = spec->target;
  if (input->value && (spec->kind == NATIVERT_IN_TOKEN))
    input->value->type = NATIVERT_GV_TOKEN;
  return true;
}

static bool
has_input (const NativertGraph *graph, uint8_t kind, const char *target)
{
  for (uint32_t i = 0; i < graph->n_inputs; i++) {
    const NativertGraphInput *input = &graph->inputs[i];
    /* User inputs are named by their value, weights by their FQN. */
    const char *name = kind == NATIVERT_IN_USER && input->value ? input->value->name : input->target;
    if (input->kind == kind && g_str_equal (name, target))
      return true;
  }
  return false;
}

static bool
check_target (const NativertGraph *graph, uint32_t i, const NativertOutputSpec *spec, GError **error)
{
  uint8_t kind;
  switch (spec->kind) {
  case NATIVERT_OUT_BUFFER_MUTATION:
    kind = NATIVERT_IN_BUFFER;
    break;
  case NATIVERT_OUT_PARAMETER_MUTATION:
    kind = NATIVERT_IN_PARAMETER;
    break;
  case NATIVERT_OUT_USER_INPUT_MUTATION:
    kind = NATIVERT_IN_USER;
    break;
  default:
    return true;
  }
  if (has_input (graph, kind, spec->target ? spec->target : ""))
    return true;
  g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "output %u is the new value of %s %s, which is no input",
      i, input_kind_name (kind), spec->target ? spec->target : "(none)");
  return false;
}

static bool
read_output (NativertGraph *graph, uint32_t i, GError **error)
{
  const NativertOutputSpec *spec = &graph->program->output_specs[i];
  NativertGraphOutput *output = &graph->outputs[i];
  const char *has = output->arg.kind == NATIVERT_GA_VALUE ? output->arg.u.value->name : NULL;
  if (g_strcmp0 (has, spec->arg.name) != 0) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "output %u: the signature calls it %s, the graph %s", i,
        spec->arg.name ? spec->arg.name : "a constant", has ? has : "a constant");
    return false;
  }
  output->kind = spec->kind;
  output->target = spec->target ? spec->target : "";
  return check_target (graph, i, spec, error);
}

bool
nativert_graph_read_signature (NativertGraph *graph, GError **error)
{
  const NativertProgram *program = graph->program;
  if (program->n_input_specs != graph->n_inputs || program->n_output_specs != graph->n_outputs) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT,
        "the graph has %u inputs and %u outputs, the signature %u and %u", graph->n_inputs, graph->n_outputs,
        program->n_input_specs, program->n_output_specs);
    return false;
  }
  for (uint32_t i = 0; i < graph->n_inputs; i++)
    if (!read_input (graph, i, error))
      return false;
  for (uint32_t i = 0; i < graph->n_outputs; i++)
    if (!read_output (graph, i, error))
      return false;
  return true;
}
