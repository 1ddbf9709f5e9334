/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What nativert info found, for people and for programs. */
#include "info.h"

#include <stdio.h>
#include <string.h>

int
info_by_count (const void *a, const void *b)
{
  const OpRow *x = a, *y = b;

  return x->count != y->count ? (x->count > y->count ? -1 : 1) : strcmp (x->target, y->target);
}

OpRow *
info_find_row (GArray *rows, const char *target)
{
  OpRow fresh = { .target = target };

  for (guint i = 0; i < rows->len; i++)
    if (strcmp (g_array_index (rows, OpRow, i).target, target) == 0)
      return &g_array_index (rows, OpRow, i);
  g_array_append_val (rows, fresh);
  return &g_array_index (rows, OpRow, rows->len - 1);
}

/* Kernels of the plan, most used first. */
static GArray *
count_kernels (const Info *info)
{
  GArray *rows = g_array_new (FALSE, TRUE, sizeof (OpRow));

  for (uint32_t i = 0; info->plan != NULL && i < info->plan->n_steps; i++)
    info_find_row (rows, info->plan->steps[i].kernel->name)->count++;
  g_array_sort (rows, info_by_count);
  return rows;
}

static const char *
short_target (const char *target)
{
  return g_str_has_prefix (target, "torch.ops.") ? target + strlen ("torch.ops.") : target;
}

static void
print_ports (const char *title, const NativertPort *ports, uint32_t n)
{
  printf ("%s\n", title);
  for (uint32_t i = 0; i < n; i++) {
    g_autofree char *text = nativert_port_to_text (&ports[i]);
    printf ("  %s: %s\n", ports[i].name, text);
  }
}

static void
print_structure (const Info *info)
{
  g_autofree char *in = info->raw->in_spec != NULL ? nativert_tree_spec_to_text (info->raw->in_spec) : NULL;
  g_autofree char *out = info->raw->out_spec != NULL ? nativert_tree_spec_to_text (info->raw->out_spec) : NULL;

  if (in != NULL)
    printf ("call      %s\n", in);
  if (out != NULL)
    printf ("results   %s\n", out);
}

void
info_print_text (const Info *info)
{
  const NativertProgram *program = info->raw->graph->program;
  g_autofree char *size = g_format_size_full (info->weights.n_bytes, G_FORMAT_SIZE_DEFAULT);
  g_autoptr (GArray) kernels = count_kernels (info);

  printf ("model     %s (torch %s, schema %" G_GINT64_FORMAT ".%" G_GINT64_FORMAT ")\n", info->raw->name,
      program->torch_version[0] != '\0' ? program->torch_version : "unknown", program->schema_major,
      program->schema_minor);
  if (nativert_package_n_models (info->package) > 1) {
    printf ("models   ");
    for (uint32_t i = 0; i < nativert_package_n_models (info->package); i++)
      printf (" %s", nativert_package_model_name (info->package, i));
    printf ("\n");
  }
  print_ports ("inputs", info->raw->inputs, info->raw->n_inputs);
  print_ports ("outputs", info->raw->outputs, info->raw->n_outputs);
  print_structure (info);
  printf ("weights   %u, %s\n", info->weights.n, size);
  printf ("sample    %s\n", info->has_sample ? "yes" : "none");
  printf ("operators %u nodes\n", info->raw->graph->n_nodes);
  for (guint i = 0; i < info->ops->len; i++)
    printf ("  %5u %s\n", g_array_index (info->ops, OpRow, i).count,
        short_target (g_array_index (info->ops, OpRow, i).target));
  if (info->plan != NULL)
    printf ("kernels   %u steps, arena %.1f KB\n", info->plan->n_steps, (double) info->plan->arena_bytes / 1024);
  for (guint i = 0; i < kernels->len; i++)
    printf ("  %5u %s\n", g_array_index (kernels, OpRow, i).count, g_array_index (kernels, OpRow, i).target);
  if (info->problem != NULL)
    printf ("cannot run\n%s\n", info->problem);
}

static void
add_string (JsonBuilder *b, const char *name, const char *value)
{
  json_builder_set_member_name (b, name);
  if (value != NULL)
    json_builder_add_string_value (b, value);
  else
    json_builder_add_null_value (b);
}

static void
add_int (JsonBuilder *b, const char *name, gint64 value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_int_value (b, value);
}

static void
add_dim (JsonBuilder *b, const NativertDim *dim)
{
  if (dim->symbol == NULL) {
    json_builder_add_int_value (b, dim->min);
    return;
  }
  json_builder_begin_object (b);
  add_string (b, "size", dim->symbol);
  add_int (b, "min", dim->min);
  json_builder_set_member_name (b, "max");
  if (dim->max >= 0)
    json_builder_add_int_value (b, dim->max);
  else
    json_builder_add_null_value (b);
  json_builder_end_object (b);
}

static void
add_ports (JsonBuilder *b, const char *name, const NativertPort *ports, uint32_t n)
{
  static const char *const kinds[] = {"none", "tensor", "int", "float", "bool", "str", "list", "tuple", "dict"};

  json_builder_set_member_name (b, name);
  json_builder_begin_array (b);
  for (uint32_t i = 0; i < n; i++) {
    json_builder_begin_object (b);
    add_string (b, "name", ports[i].name);
    add_string (b, "type", kinds[ports[i].kind]);
    if (ports[i].kind == NATIVERT_VALUE_TENSOR) {
      add_string (b, "dtype", nativert_dtype_get_name (ports[i].dtype));
      json_builder_set_member_name (b, "shape");
      json_builder_begin_array (b);
      for (guint k = 0; k < ports[i].n_dims; k++)
        add_dim (b, &ports[i].dims[k]);
      json_builder_end_array (b);
    }
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
}

static void
add_counts (JsonBuilder *b, const char *name, const GArray *rows)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_object (b);
  for (guint i = 0; i < rows->len; i++)
    add_int (b, short_target (g_array_index (rows, OpRow, i).target), g_array_index (rows, OpRow, i).count);
  json_builder_end_object (b);
}

void
info_print_json (const Info *info)
{
  const NativertProgram *program = info->raw->graph->program;
  g_autoptr (JsonBuilder) b = json_builder_new ();
  g_autoptr (GArray) kernels = count_kernels (info);
  g_autofree char *in = info->raw->in_spec != NULL ? nativert_tree_spec_to_text (info->raw->in_spec) : NULL;
  g_autofree char *out = info->raw->out_spec != NULL ? nativert_tree_spec_to_text (info->raw->out_spec) : NULL;
  g_autofree char *schema
      = g_strdup_printf ("%" G_GINT64_FORMAT ".%" G_GINT64_FORMAT, program->schema_major, program->schema_minor);

  json_builder_begin_object (b);
  add_string (b, "model", info->raw->name);
  json_builder_set_member_name (b, "models");
  json_builder_begin_array (b);
  for (uint32_t i = 0; i < nativert_package_n_models (info->package); i++)
    json_builder_add_string_value (b, nativert_package_model_name (info->package, i));
  json_builder_end_array (b);
  add_string (b, "torch_version", program->torch_version);
  add_string (b, "schema_version", schema);
  add_ports (b, "inputs", info->raw->inputs, info->raw->n_inputs);
  add_ports (b, "outputs", info->raw->outputs, info->raw->n_outputs);
  add_string (b, "call", in);
  add_string (b, "results", out);
  json_builder_set_member_name (b, "weights");
  json_builder_begin_object (b);
  add_int (b, "count", info->weights.n);
  add_int (b, "bytes", (gint64) info->weights.n_bytes);
  json_builder_end_object (b);
  json_builder_set_member_name (b, "sample_inputs");
  json_builder_add_boolean_value (b, info->has_sample);
  add_int (b, "nodes", info->raw->graph->n_nodes);
  add_counts (b, "operators", info->ops);
  add_counts (b, "kernels", kernels);
  add_string (b, "cannot_run", info->problem);
  json_builder_end_object (b);
  json_print (b);
}
