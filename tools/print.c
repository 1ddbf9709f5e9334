/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tensors and JSON as text. */
#include "base/tensor.h"
#include "command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double
f16_to_double (uint16_t bits)
{
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 31 ? (fraction ? NAN : INFINITY)
      : exponent == 0           ? ldexp (fraction, -24)
                                : ldexp (1024 + fraction, exponent - 25);

  return bits & 0x8000 ? -value : value;
}

static double
bf16_to_double (uint16_t bits)
{
  uint32_t wide = (uint32_t) bits << 16;
  float value;

  memcpy (&value, &wide, sizeof value);
  return value;
}

static double
element (const char *p, NativertDtype dtype)
{
#define READ(type) ({ type v; memcpy (&v, p, sizeof v); v; })
  switch (dtype) {
    case NATIVERT_DTYPE_FLOAT32: return READ (float);
    case NATIVERT_DTYPE_FLOAT64: return READ (double);
    case NATIVERT_DTYPE_FLOAT16: return f16_to_double (READ (uint16_t));
    case NATIVERT_DTYPE_BFLOAT16: return bf16_to_double (READ (uint16_t));
    case NATIVERT_DTYPE_INT64: return (double) READ (int64_t);
    case NATIVERT_DTYPE_INT32: return READ (int32_t);
    case NATIVERT_DTYPE_INT16: return READ (int16_t);
    case NATIVERT_DTYPE_INT8: return READ (int8_t);
    case NATIVERT_DTYPE_UINT8:
    case NATIVERT_DTYPE_BOOL: return READ (uint8_t);
    case NATIVERT_DTYPE_UINT16: return READ (uint16_t);
    case NATIVERT_DTYPE_UINT32: return READ (uint32_t);
    case NATIVERT_DTYPE_UINT64: return (double) READ (uint64_t);
    default: return NAN;
  }
#undef READ
}

bool
tensor_stats (NativertTensor *tensor, double *min, double *mean, double *max)
{
  g_autoptr (NativertTensor) dense = NULL;
  gint64 n = nativert_tensor_get_n_elements (tensor);
  gsize item = nativert_dtype_get_size (tensor->dtype);
  double sum = 0;

  if (n == 0 || tensor->dtype > NATIVERT_DTYPE_UINT64)
    return false;
  dense = nativert_tensor_contiguous (tensor);
  if (dense == NULL)
    return false;
  *min = INFINITY;
  *max = -INFINITY;
  for (gint64 i = 0; i < n; i++) {
    double x = element ((const char *) dense->data + (gsize) i * item, dense->dtype);
    *min = isnan (x) || isnan (*min) ? NAN : MIN (*min, x);
    *max = isnan (x) || isnan (*max) ? NAN : MAX (*max, x);
    sum += x;
  }
  *mean = sum / (double) n;
  return true;
}

char *
tensor_shape_text (const NativertTensor *tensor)
{
  GString *text = g_string_new (nativert_dtype_get_name (tensor->dtype));

  g_string_append_c (text, '[');
  for (guint i = 0; i < tensor->n_dims; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", tensor->size[i]);
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

void
json_add_number (JsonBuilder *builder, double number)
{
  if (isfinite (number))
    json_builder_add_double_value (builder, number);
  else
    json_builder_add_string_value (builder, isnan (number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
}

void
json_print (JsonBuilder *builder)
{
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autofree char *text = NULL;

  json_generator_set_root (generator, root);
  json_generator_set_pretty (generator, TRUE);
  text = json_generator_to_data (generator, NULL);
  fputs (text, stdout);
  fputc ('\n', stdout);
}

static void
add_event (JsonBuilder *b, const NativertStep *step, double start_us, double us)
{
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "name");
  json_builder_add_string_value (b, step->node != NULL ? step->node : "?");
  json_builder_set_member_name (b, "cat");
  json_builder_add_string_value (b, nativert_ops[step->kernel->op].name);
  json_builder_set_member_name (b, "ph");
  json_builder_add_string_value (b, "X");
  json_builder_set_member_name (b, "ts");
  json_builder_add_double_value (b, start_us);
  json_builder_set_member_name (b, "dur");
  json_builder_add_double_value (b, us);
  json_builder_set_member_name (b, "pid");
  json_builder_add_int_value (b, 1);
  json_builder_set_member_name (b, "tid");
  json_builder_add_int_value (b, 1);
  json_builder_set_member_name (b, "args");
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "kernel");
  json_builder_add_string_value (b, step->kernel->name);
  json_builder_end_object (b);
  json_builder_end_object (b);
}

bool
trace_write (const NativertRunProfile *profile, const char *path, GError **error)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  g_autoptr (JsonNode) root = NULL;
  double at = 0;

  json_builder_begin_object (b);
  json_builder_set_member_name (b, "traceEvents");
  json_builder_begin_array (b);
  for (uint32_t i = 0; profile->plan != NULL && i < profile->plan->n_steps; i++) {
    double us = (double) profile->ns[i] / 1000;
    add_event (b, &profile->plan->steps[i], at, us);
    at += us;
  }
  json_builder_end_array (b);
  json_builder_set_member_name (b, "displayTimeUnit");
  json_builder_add_string_value (b, "ms");
  json_builder_end_object (b);
  root = json_builder_get_root (b);
  json_generator_set_root (generator, root);
  return json_generator_to_file (generator, path, error);
}
