/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The signature: what each input and output of the graph stands for. */
#include "package/program-private.h"

#include <string.h>

/* A bare {"name": x}: the argument of everything but user inputs and outputs. */
static bool
decode_name_arg (NativertDecoder *d, const NativertJson *object, NativertTag tag, NativertArgDesc *arg)
{
  const NativertJson *inner = nativert_json_want (d->doc, object, "arg", NATIVERT_JSON_OBJECT, d->error);
  const NativertJson *class_name;

  arg->tag = (uint8_t) tag;
  if (inner == NULL || !nativert_decode_string (d, inner, "name", &arg->name))
    return false;
  if (tag != NATIVERT_TAG_CUSTOM_OBJ)
    return true;
  class_name = nativert_decode_optional (inner, "class_fqn");
  arg->u.s = class_name != NULL && class_name->type == NATIVERT_JSON_STRING ? nativert_decode_dup (d, class_name) : "";
  return true;
}

static bool
decode_user_arg (NativertDecoder *d, const NativertJson *object, NativertArgDesc *arg)
{
  const NativertJson *inner = nativert_json_want (d->doc, object, "arg", NATIVERT_JSON_OBJECT, d->error);

  return inner != NULL && nativert_decode_argument (d, inner, arg);
}

static bool
decode_constant (NativertDecoder *d, const NativertJson *object, NativertInputSpec *spec)
{
  const NativertJson *value = nativert_json_want (d->doc, object, "value", NATIVERT_JSON_OBJECT, d->error);

  return value != NULL && nativert_decode_string (d, object, "name", &spec->target)
         && nativert_decode_argument (d, value, &spec->arg);
}

static const struct { const char *key, *target; NativertInputKind kind; NativertTag tag; } input_tags[] = {
  {"token", NULL, NATIVERT_IN_TOKEN, NATIVERT_TAG_TENSOR},
  {"parameter", "parameter_name", NATIVERT_IN_PARAMETER, NATIVERT_TAG_TENSOR},
  {"buffer", "buffer_name", NATIVERT_IN_BUFFER, NATIVERT_TAG_TENSOR},
  {"tensor_constant", "tensor_constant_name", NATIVERT_IN_TENSOR_CONSTANT, NATIVERT_TAG_TENSOR},
  {"custom_obj", "custom_obj_name", NATIVERT_IN_CUSTOM_OBJ, NATIVERT_TAG_CUSTOM_OBJ},
  {"user_input", NULL, NATIVERT_IN_USER, NATIVERT_TAG_NONE},
  {"constant_input", NULL, NATIVERT_IN_CONSTANT, NATIVERT_TAG_NONE},
};

static bool
decode_input_spec (NativertDecoder *d, const NativertJson *object, NativertInputSpec *spec)
{
  const NativertJson *member = nativert_decode_union (d, object);
  size_t i = 0;

  if (member == NULL)
    return false;
  while (i < G_N_ELEMENTS (input_tags) && strcmp (input_tags[i].key, member->key) != 0)
    i++;
  if (i == G_N_ELEMENTS (input_tags))
    return nativert_decode_fail (d, object, NATIVERT_ERROR_FORMAT, "unknown kind of input '%.60s'", member->key);
  spec->kind = (uint8_t) input_tags[i].kind;
  spec->target = "";
  if (spec->kind == NATIVERT_IN_USER)
    return decode_user_arg (d, member, &spec->arg);
  if (spec->kind == NATIVERT_IN_CONSTANT)
    return decode_constant (d, member, spec);
  if (spec->kind == NATIVERT_IN_BUFFER && !nativert_decode_bool (d, member, "persistent", &spec->persistent))
    return false;
  return decode_name_arg (d, member, input_tags[i].tag, &spec->arg)
      && (input_tags[i].target == NULL || nativert_decode_string (d, member, input_tags[i].target, &spec->target));
}

static const struct { const char *key, *target; NativertOutputKind kind; } output_tags[] = {
  {"user_output", NULL, NATIVERT_OUT_USER},
  {"token", NULL, NATIVERT_OUT_TOKEN},
  {"buffer_mutation", "buffer_name", NATIVERT_OUT_BUFFER_MUTATION},
  {"parameter_mutation", "parameter_name", NATIVERT_OUT_PARAMETER_MUTATION},
  {"user_input_mutation", "user_input_name", NATIVERT_OUT_USER_INPUT_MUTATION},
  {"loss_output", NULL, NATIVERT_OUT_LOSS},
  {"gradient_to_parameter", "parameter_name", NATIVERT_OUT_GRADIENT},
  {"gradient_to_user_input", "user_input_name", NATIVERT_OUT_GRADIENT},
};

static bool
decode_output_spec (NativertDecoder *d, const NativertJson *object, NativertOutputSpec *spec)
{
  const NativertJson *member = nativert_decode_union (d, object);
  size_t i = 0;

  if (member == NULL)
    return false;
  while (i < G_N_ELEMENTS (output_tags) && strcmp (output_tags[i].key, member->key) != 0)
    i++;
  if (i == G_N_ELEMENTS (output_tags))
    return nativert_decode_fail (d, object, NATIVERT_ERROR_FORMAT, "unknown kind of output '%.60s'", member->key);
  spec->kind = (uint8_t) output_tags[i].kind;
  spec->target = "";
  if (spec->kind == NATIVERT_OUT_USER)
    return decode_user_arg (d, member, &spec->arg);
  return decode_name_arg (d, member, NATIVERT_TAG_TENSOR, &spec->arg)
      && (output_tags[i].target == NULL || nativert_decode_string (d, member, output_tags[i].target, &spec->target));
}

bool
nativert_decode_signature (NativertDecoder *d, const NativertJson *object)
{
  const NativertJson *inputs = nativert_decode_array (d, object, "input_specs"), *outputs;
  NativertProgram *program = d->program;
  NativertInputSpec *input_specs;
  NativertOutputSpec *output_specs;

  if (inputs == NULL || (outputs = nativert_decode_array (d, object, "output_specs")) == NULL)
    return false;
  input_specs = nativert_decode_new (d, NativertInputSpec, inputs->n);
  output_specs = nativert_decode_new (d, NativertOutputSpec, outputs->n);
  for (uint32_t i = 0; i < inputs->n; i++)
    if (!decode_input_spec (d, &inputs->u.items[i], &input_specs[i]))
      return false;
  for (uint32_t i = 0; i < outputs->n; i++)
    if (!decode_output_spec (d, &outputs->u.items[i], &output_specs[i]))
      return false;
  program->input_specs = input_specs;
  program->n_input_specs = inputs->n;
  program->output_specs = output_specs;
  program->n_output_specs = outputs->n;
  if (inputs->n != program->graph->n_inputs)
    return nativert_decode_fail (
        d, inputs, NATIVERT_ERROR_MISMATCH, "%u specs for %u inputs of the graph", inputs->n, program->graph->n_inputs);
  return outputs->n == program->graph->n_outputs
         || nativert_decode_fail (d, outputs, NATIVERT_ERROR_MISMATCH, "%u specs for %u outputs of the graph",
             outputs->n, program->graph->n_outputs);
}
