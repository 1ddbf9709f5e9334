/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs that torch wrote: every one builds, lints and prints the same twice; the networks of data/graph go through
 * all passes with all of ATen registered, and what is left of them is what should be.
 *
 * Given files (.pt2 or .json.gz) on the command line it prints their optimised graphs instead. */
#include <string.h>
#include "fixture.h"
#include "graph/passes.h"
#include "package/package.h"

static char *
read_gz (const char *path, gsize *n_bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) raw = g_file_read (file, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (GConverter) gunzip = G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP));
  g_autoptr (GInputStream) stream = g_converter_input_stream_new (G_INPUT_STREAM (raw), gunzip);
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_output_stream_splice (memory, stream, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL, &error);
  g_assert_no_error (error);
  *n_bytes = g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (memory));
  return g_strndup (g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (memory)), *n_bytes);
}

/* All of ATen, and the operators that passes make. */
static const NativertSchemas *
all_schemas (void)
{
  static NativertSchemas *schemas;
  if (schemas)
    return schemas;
  gsize n_bytes;
  g_autofree char *text = read_gz (TEST_DATA "/graph/schemas.txt.gz", &n_bytes);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  schemas = nativert_schemas_new ();
  for (int i = 0; lines[i]; i++) {
    g_autoptr (GError) error = NULL;
    nativert_schemas_add (schemas, lines[i], i, &error);
    g_assert_no_error (error);
  }
  static const char *const targets[]
      = { NATIVERT_CONV_TARGET, NATIVERT_LINEAR_TARGET, "torch.ops.nativert.scale_shift.default" };
  for (size_t i = 0; i < G_N_ELEMENTS (targets); i++)
    nativert_schemas_add (schemas, nativert_schemas_find (fixture_schemas (), targets[i])->text, 0, NULL);
  g_assert_nonnull (nativert_schemas_find (schemas, NATIVERT_CONV_TARGET));
  return schemas;
}

/* The programs of a file. */
static GPtrArray *
programs_of (const char *path)
{
  GPtrArray *programs = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  if (g_str_has_suffix (path, ".json.gz")) {
    gsize n_bytes;
    g_autofree char *json = read_gz (path, &n_bytes);
    g_ptr_array_add (programs, nativert_program_parse (path, json, n_bytes, &error));
    g_assert_no_error (error);
    return programs;
  }
  g_autoptr (NativertPackage) package = nativert_package_open (path, NULL, &error);
  for (uint32_t i = 0; package && i < nativert_package_n_models (package); i++) {
    NativertProgram *program
        = nativert_package_load_program (package, nativert_package_model_name (package, i), &error);
    if (program)
      g_ptr_array_add (programs, program);
    g_clear_error (&error);             /* some archives are wrong on purpose */
  }
  return programs;
}

static void
check_build (const char *path)
{
  g_autoptr (GPtrArray) once = programs_of (path), again = programs_of (path);
  g_assert_cmpuint (once->len, ==, again->len);
  for (guint i = 0; i < once->len; i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (NativertGraph) a = nativert_graph_new (once->pdata[i], &error);
    g_autoptr (NativertGraph) b = nativert_graph_new (again->pdata[i], NULL);
    if (error)
      g_test_message ("%s: %s", path, error->message);
    g_assert_no_error (error);
    g_autofree char *x = nativert_graph_to_text (a), *y = nativert_graph_to_text (b);
    g_assert_cmpstr (x, ==, y);
    if (nativert_graph_optimize (a, all_schemas (), &error)) {
      g_assert_true (nativert_graph_optimize (b, all_schemas (), &error));
      g_autofree char *p = nativert_graph_to_text (a), *q = nativert_graph_to_text (b);
      g_assert_cmpstr (p, ==, q);
    } else {
      g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_UNSUPPORTED);
      g_test_message ("%s: %s", path, error->message);
    }
  }
}

static void
check_folder (const char *folder)
{
  g_autofree char *path = g_build_filename (TEST_DATA, folder, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name (dir));)
    if (g_str_has_suffix (name, ".pt2") || g_str_has_suffix (name, ".json.gz")) {
      g_autofree char *file = g_build_filename (path, name, NULL);
      check_build (file);
    }
}

static void
test_all (void)
{
  static const char *const folders[] = { "graph", "plan", "package", "gst", "zoo", "fuzz" };
  for (size_t i = 0; i < G_N_ELEMENTS (folders); i++)
    check_folder (folders[i]);
}

/* ---- what passes leave of networks ---- */

static NativertGraph *
optimized (const char *name)
{
  g_autofree char *path = g_strdup_printf ("%s/graph/%s.json.gz", TEST_DATA, name);
  g_autoptr (GPtrArray) programs = programs_of (path);
  g_autoptr (GError) error = NULL;
  NativertGraph *graph = nativert_graph_new (programs->pdata[0], &error);
  g_assert_no_error (error);
  nativert_graph_optimize (graph, all_schemas (), &error);
  g_assert_no_error (error);
  return graph;
}

static unsigned
count_writers (const NativertGraph *graph)
{
  unsigned n = 0;
  for (const NativertNode *node = graph->first; node; node = node->next)
    n += node->schema && node->schema->writes;
  return n;
}

/* What a plan would have to compute: everything but views and symbols. */
static unsigned
count_work (const NativertGraph *graph)
{
  unsigned n = 0;
  for (const NativertNode *node = graph->first; node; node = node->next)
    n += node->schema && !(node->schema->n_returns > 0 && node->schema->returns[0].alias);
  return n;
}

static void
test_networks (void)
{
  static const struct { const char *name; unsigned convs, linears, work;
  } nets[] = {
    { "resnet", 9, 1, 12 },
    { "resnet-core", 9, 1, 13 },
    { "mobilenet", 5, 2, 10 },
    { "densenet", 4, 1, 0 },
    { "densenet-core", 4, 1, 0 },
    { "yolo", 5, 0, 0 },
    { "unet", 3, 0, 0 },
    { "unet-core", 3, 0, 0 },
    { "transformer", 0, 4, 0 },
    { "transformer-core", 0, 4, 0 },
  };
  for (size_t i = 0; i < G_N_ELEMENTS (nets); i++) {
    g_autoptr (NativertGraph) graph = optimized (nets[i].name);
    g_test_message ("%s: %u nodes, %u of work", nets[i].name, graph->n_nodes, count_work (graph));
    g_assert_cmpuint (count_writers (graph), ==, 0);
    g_assert_cmpuint (fixture_count (graph, "nativert.conv.default"), ==, nets[i].convs);
    g_assert_cmpuint (fixture_count (graph, "nativert.linear.default"), ==, nets[i].linears);
    g_assert_cmpuint (fixture_count (graph, "aten.batch_norm.default"), ==, 0);
    g_assert_cmpuint (fixture_count (graph, "aten._native_batch_norm_legit_no_training.default"), ==, 0);
    if (nets[i].work)
      g_assert_cmpuint (count_work (graph), ==, nets[i].work);
  }
}

static void
test_state (void)
{
  g_autoptr (NativertGraph) graph = optimized ("stateful"), core = optimized ("stateful-core");
  g_assert_cmpuint (fixture_count (graph, "aten.add_.Tensor"), ==, 2);
  g_assert_cmpuint (fixture_count (graph, "aten.mul_.Tensor"), ==, 1);
  g_assert_cmpuint (fixture_count (graph, "aten.clone.default"), ==, 1);       /* it is written in slices */
  g_assert_cmpuint (fixture_count (graph, "aten.relu_.default"), ==, 1);
  g_assert_cmpuint (count_writers (core), ==, 0);
  g_assert_cmpint (core->outputs[0].kind, ==, NATIVERT_OUT_BUFFER_MUTATION);
  g_autoptr (NativertGraph) wrapped = optimized ("wrapped");
  for (const NativertNode *node = wrapped->first; node; node = node->next)
    g_assert_false (g_str_has_prefix (node->target, "torch.ops.higher_order."));
}

static void
test_skip (void)
{
  g_setenv ("NATIVERT_SKIP_PASSES", "epilogue,batch-norm", TRUE);
  g_autoptr (NativertGraph) graph = optimized ("resnet");
  g_unsetenv ("NATIVERT_SKIP_PASSES");
  g_assert_cmpuint (fixture_count (graph, "aten.batch_norm.default"), ==, 9);
  g_assert_cmpuint (fixture_count (graph, "aten.relu.default"), ==, 7);
  g_assert_cmpuint (fixture_count (graph, "nativert.conv.default"), ==, 9);
}

static int
print_files (int n, char **files)
{
  for (int i = 0; i < n; i++) {
    g_autoptr (GPtrArray) programs = programs_of (files[i]);
    for (guint k = 0; k < programs->len; k++) {
      g_autoptr (GError) error = NULL;
      g_autoptr (NativertGraph) graph = nativert_graph_new (programs->pdata[k], &error);
      if (graph)
        nativert_graph_optimize (graph, all_schemas (), &error);
      g_autofree char *text = graph ? nativert_graph_to_text (graph) : NULL;
      g_print ("%s: %s\n%s", files[i], error ? error->message : "fine", text ? text : "");
    }
  }
  return 0;
}

int
main (int argc, char **argv)
{
  if (argc > 1 && argv[1][0] != '-')
    return print_files (argc - 1, argv + 1);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/archives/all", test_all);
  g_test_add_func ("/archives/networks", test_networks);
  g_test_add_func ("/archives/state", test_state);
  g_test_add_func ("/archives/skip", test_skip);
  return g_test_run ();
}
