/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nativert ops: what the operator tables hold. */
#include "command.h"

#include <stdio.h>
#include <string.h>

/* Names of the kernels of an operator, each with its element types: "conv-direct" -> "float32 float64". */
static GPtrArray *
kernels_of (uint16_t op, GHashTable *dtypes)
{
  GPtrArray *names = g_ptr_array_new ();

  for (size_t set = 0; nativert_kernel_sets[set] != NULL; set++)
    for (size_t i = 0; i < nativert_kernel_sets[set]->n; i++) {
      const NativertKernel *row = &nativert_kernel_sets[set]->rows[i];
      GString *text;
      if (row->op != op)
        continue;
      text = g_hash_table_lookup (dtypes, row->name);
      if (text == NULL) {
        text = g_string_new (NULL);
        g_hash_table_insert (dtypes, (gpointer) row->name, text);
        g_ptr_array_add (names, (gpointer) row->name);
      }
      if (strstr (text->str, nativert_dtype_name (row->dtype)) == NULL)
        g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", nativert_dtype_name (row->dtype));
    }
  return names;
}

static void
string_free (gpointer text)
{
  g_string_free (text, TRUE);
}

static const char *
how (const NativertOp *op, bool has_kernels)
{
  return op->view != NULL && has_kernels ? "view or kernel"
      : op->view != NULL                 ? "view"
      : op->expand != NULL               ? "composite"
                                         : "kernel";
}

static void
add_operator (JsonBuilder *b, const NativertOp *op, GPtrArray *names, GHashTable *dtypes)
{
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "name");
  json_builder_add_string_value (b, op->name);
  json_builder_set_member_name (b, "schema");
  json_builder_add_string_value (b, op->schema);
  json_builder_set_member_name (b, "how");
  json_builder_add_string_value (b, how (op, names->len > 0));
  json_builder_set_member_name (b, "kernels");
  json_builder_begin_array (b);
  for (guint i = 0; i < names->len; i++) {
    GString *text = g_hash_table_lookup (dtypes, names->pdata[i]);
    g_auto (GStrv) each = g_strsplit (text->str, " ", -1);
    json_builder_begin_object (b);
    json_builder_set_member_name (b, "name");
    json_builder_add_string_value (b, names->pdata[i]);
    json_builder_set_member_name (b, "dtypes");
    json_builder_begin_array (b);
    for (char **dtype = each; *dtype != NULL; dtype++)
      json_builder_add_string_value (b, *dtype);
    json_builder_end_array (b);
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
  json_builder_end_object (b);
}

static void
print_operator (const NativertOp *op, GPtrArray *names, GHashTable *dtypes)
{
  printf ("%s\n", op->schema);
  if (op->view != NULL || op->expand != NULL)
    printf ("    %s\n", how (op, names->len > 0));
  for (guint i = 0; i < names->len; i++)
    printf ("    %s: %s\n", (char *) names->pdata[i], ((GString *) g_hash_table_lookup (dtypes, names->pdata[i]))->str);
}

int
command_ops (int argc, char **argv)
{
  g_auto (Options) options = { .parallel_ops = 1 };
  g_autoptr (JsonBuilder) b = json_builder_new ();
  char **files;
  int status = options_parse (
      &options, argc, argv, "", "Lists every operator: schema, kernels, element types.", WANT_JSON, NULL, 0, &files);

  if (status != EXIT_DONE)
    return status;
  json_builder_begin_array (b);
  for (uint16_t i = 0; i < NATIVERT_N_OPS; i++) {
    g_autoptr (GHashTable) dtypes = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, string_free);
    g_autoptr (GPtrArray) names = kernels_of (i, dtypes);
    if (options.json)
      add_operator (b, &nativert_ops[i], names, dtypes);
    else
      print_operator (&nativert_ops[i], names, dtypes);
  }
  json_builder_end_array (b);
  if (options.json)
    json_print (b);
  return EXIT_DONE;
}
