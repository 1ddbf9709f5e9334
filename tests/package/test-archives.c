/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Archives that torch wrote: programs, weights with their views, sample inputs, several models, extra files. */
#include "load-all.h"

#include <string.h>

static const char *data_dir = "tests/data/package";

static NativertPackage *
open_package (const char *name)
{
  g_autofree char *path = g_build_filename (data_dir, name, NULL);
  g_autoptr (GError) error = NULL;
  NativertPackage *package = nativert_package_open (path, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (nativert_package_get_path (package), ==, path);
  return package;
}

static NativertProgram *
load_program (NativertPackage *package, const char *model)
{
  g_autoptr (GError) error = NULL;
  NativertProgram *program = nativert_package_load_program (package, model, &error);

  g_assert_no_error (error);
  return program;
}

static NativertWeightSet *
load_weights (NativertPackage *package, const char *model, bool map)
{
  g_autoptr (GError) error = NULL;
  NativertWeightSet *set = nativert_package_load_weights (package, model, map, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  return set;
}

/* ---- programs ---- */

static void
test_linear (void)
{
  g_autoptr (NativertPackage) package = open_package ("linear.pt2");
  g_autoptr (NativertProgram) program = load_program (package, "model");
  const NativertGraphDesc *graph = program->graph;
  const NativertNodeDesc *node = &graph->nodes[0];
  const NativertTensorMetaDesc *x = NULL;
  NativertNum num;

  g_assert_cmpint (program->schema_major, ==, 8);
  g_assert_true (g_str_has_prefix (program->torch_version, "2."));
  g_assert_cmpuint (graph->n_inputs, ==, 3);
  g_assert_cmpuint (graph->n_nodes, ==, 1);
  g_assert_cmpstr (node->target, ==, "torch.ops.aten.linear.default");
  g_assert_cmpstr (node->inputs[1].name, ==, "weight");
  g_assert_cmpint (node->inputs[1].arg.tag, ==, NATIVERT_TAG_TENSOR);
  g_assert_cmpstr (node->inputs[1].arg.name, ==, "p_fc_weight");
  g_assert_cmpint (node->inputs[1].kind, ==, 1);
  g_assert_cmpint (node->is_hop_single_tensor_return, ==, -1);
  g_assert_nonnull (strstr (node->stack_trace, "return self.fc(x)"));
  g_assert_nonnull (node->nn_module_stack);
  g_assert_cmpint (program->input_specs[1].kind, ==, NATIVERT_IN_PARAMETER);
  g_assert_cmpstr (program->input_specs[1].target, ==, "fc.bias");
  g_assert_cmpint (program->input_specs[2].kind, ==, NATIVERT_IN_USER);
  g_assert_cmpint (program->output_specs[0].kind, ==, NATIVERT_OUT_USER);
  g_assert_cmpstr (program->output_specs[0].arg.name, ==, graph->outputs[0].name);
  g_assert_cmpuint (program->n_forward_arg_names, ==, 1);
  g_assert_true (g_str_has_prefix (program->in_spec, "[1, {"));
  g_assert_cmpuint (program->n_ranges, ==, 1);
  g_assert_cmpint (program->ranges[0].min, ==, 2);
  g_assert_cmpint (program->ranges[0].max, ==, 8);
  for (uint32_t i = 0; i < graph->n_tensor_values; i++)
    if (strcmp (graph->tensor_values[i].name, "x") == 0)
      x = &graph->tensor_values[i].meta;
  g_assert_cmpint (x->dtype, ==, NATIVERT_DTYPE_FLOAT32);
  g_assert_cmpstr (x->device.type, ==, "cpu");
  g_assert_true (x->sizes[0].expr == program->ranges[0].expr);
  g_assert_cmpint (x->sizes[1].value, ==, 4);
  g_assert_true (nativert_expr_eval (x->sizes[0].expr, (int64_t[]) {5}, (bool[]) {true}, &num));
  g_assert_cmpint (num.u.i, ==, 5);
}

static void
test_symbols (void)
{
  g_autoptr (NativertPackage) package = open_package ("symbols.pt2");
  g_autoptr (NativertProgram) program = load_program (package, "model");
  const NativertGraphDesc *graph = program->graph;
  bool found = false;

  g_assert_cmpuint (program->n_ranges, ==, 4);
  g_assert_cmpuint (program->n_guards, ==, 1);
  g_assert_cmpint (nativert_expr_table_find_symbol (program->exprs, "s77"), >=, 0);
  for (uint32_t i = 0; i < graph->n_sym_float_values; i++)
    if (strcmp (graph->sym_float_values[i].name, "mul") == 0) {
      g_autofree char *text = nativert_expr_to_infix (graph->sym_float_values[i].expr);
      g_assert_cmpstr (text, ==, "2.0*zuf0");
      found = true;
    }
  g_assert_true (found);
  for (uint32_t i = 0; i < program->n_ranges; i++)
    if (strcmp (program->ranges[i].name, "u0") == 0) {
      g_assert_true (program->ranges[i].has_min);
      g_assert_false (program->ranges[i].has_max);
    }
}

static void
test_cond (void)
{
  g_autoptr (NativertPackage) package = open_package ("cond.pt2");
  g_autoptr (NativertProgram) program = load_program (package, "model");
  const NativertNodeDesc *node = &program->graph->nodes[program->graph->n_nodes - 1];

  g_assert_cmpstr (node->target, ==, "torch.ops.higher_order.cond");
  g_assert_cmpint (node->inputs[1].arg.tag, ==, NATIVERT_TAG_GRAPH);
  g_assert_cmpuint (node->inputs[1].arg.u.graph->n_nodes, >=, 1);
  g_assert_cmpint (node->inputs[3].arg.tag, ==, NATIVERT_TAG_TENSORS);
  g_assert_cmpuint (node->inputs[3].arg.n, ==, 1);
  g_assert_cmpint (node->is_hop_single_tensor_return, ==, 0);
}

static void
test_constant_inputs (void)
{
  g_autoptr (NativertPackage) package = open_package ("inputs.pt2");
  g_autoptr (NativertProgram) program = load_program (package, "model");
  const NativertInputSpec *specs = program->input_specs;

  g_assert_cmpint (specs[1].kind, ==, NATIVERT_IN_CONSTANT);
  g_assert_cmpstr (specs[1].target, ==, "nothing");
  g_assert_cmpint (specs[1].arg.tag, ==, NATIVERT_TAG_NONE);
  g_assert_cmpint (specs[2].arg.u.i, ==, 3);
  g_assert_cmpfloat (specs[3].arg.u.f, ==, 2.5);
  g_assert_cmpint (specs[4].arg.tag, ==, NATIVERT_TAG_BOOL);
  g_assert_cmpstr (specs[5].arg.u.s, ==, "mean");
  g_assert_cmpuint (program->n_namedtuples, ==, 1);
  g_assert_cmpstr (program->namedtuples[0].fields[1], ==, "y");
}

/* ---- weights ---- */

static const NativertWeightDesc *
find (const NativertWeightSet *set, const char *name)
{
  const NativertWeightDesc *w = nativert_weight_set_find (set, name);

  g_assert_nonnull (w);
  return w;
}

/* An element of a float view by its index. */
static float
at (const NativertWeightDesc *w, int64_t i, int64_t k)
{
  int64_t place = w->offset + i * w->strides[0] + (w->n_dims > 1 ? k * w->strides[1] : 0);

  return ((const float *) nativert_storage_data (w->storage))[place];
}

static void
check_views (bool map)
{
  g_autoptr (NativertPackage) package = open_package ("views.pt2");
  g_autoptr (NativertWeightSet) set = load_weights (package, "model", map);
  const NativertWeightDesc *w;

  g_assert_cmpuint (nativert_weight_set_n (set), ==, 11);
  w = find (set, "p");
  g_assert_true (w->is_param && !w->is_constant);
  g_assert_cmpint (w->offset, ==, 10);
  g_assert_cmpfloat (at (w, 1, 1), ==, 13);
  g_assert_true (w->storage == find (set, "whole")->storage);
  g_assert_true (w->storage == find (set, "step")->storage);
  g_assert_cmpuint ((guintptr) nativert_storage_data (w->storage) % 64, ==, 0);
  g_assert_cmpuint (nativert_storage_n_bytes (w->storage), ==, 80);
  g_assert_cmpfloat (at (find (set, "step"), 3, 0), ==, 13);
  g_assert_cmpint (find (set, "bits")->dtype, ==, NATIVERT_DTYPE_INT32);
  w = find (set, "rows");
  g_assert_cmpint (w->strides[0], ==, 0);
  g_assert_cmpfloat (at (w, 3, 2), ==, 2);
  w = find (set, "turned");
  g_assert_cmpint (w->sizes[0], ==, 4);
  g_assert_cmpfloat (at (w, 1, 2), ==, 9);
  w = find (set, "empty");
  g_assert_cmpuint (w->n_dims, ==, 2);
  g_assert_false (w->is_meta);
  w = find (set, "lost");
  g_assert_true (w->is_constant && !w->is_param);
  g_assert_cmpfloat (at (w, 1, 0), ==, 1);
  g_assert_true (find (set, "plain")->is_constant);
}

static void
test_views (void)
{
  check_views (false);
}

static void
test_views_mapped (void)
{
  check_views (true);
}

static void
test_tied (void)
{
  g_autoptr (NativertPackage) package = open_package ("tied.pt2");
  g_autoptr (NativertWeightSet) set = load_weights (package, "model", false);

  g_assert_true (find (set, "a.weight")->storage == find (set, "b.weight")->storage);
  g_assert_cmpstr (find (set, "a.weight")->record, ==, find (set, "b.weight")->record);
  g_assert_cmpfloat (at (find (set, "ключ b"), 3, 0), ==, 3);
  g_assert_null (nativert_weight_set_find (set, "b.bias"));
}

static void
test_dtypes (void)
{
  g_autoptr (NativertPackage) package = open_package ("dtypes.pt2");
  g_autoptr (NativertWeightSet) set = load_weights (package, "model", false);

  for (uint32_t i = 0; i < nativert_weight_set_n (set); i++) {
    const NativertWeightDesc *w = nativert_weight_set_get (set, i);

    g_assert_cmpstr (w->name + strlen ("w_"), ==, nativert_dtype_get_name ((NativertDtype) w->dtype));
    g_assert_cmpuint (
        nativert_storage_n_bytes (w->storage), ==, 4 * nativert_dtype_get_size ((NativertDtype) w->dtype));
  }
  g_assert_cmpint (((const int64_t *) nativert_storage_data (find (set, "w_int64")->storage))[3], ==, 3);
  g_assert_cmpint (((const uint8_t *) nativert_storage_data (find (set, "w_bool")->storage))[3], ==, 1);
  g_assert_cmphex (((const uint16_t *) nativert_storage_data (find (set, "w_bfloat16")->storage))[2], ==, 0x4000);
}

static bool
wants_bias (const char *fqn, gpointer user_data)
{
  return g_str_has_suffix (fqn, "bias");
}

static void
test_wanted (void)
{
  g_autoptr (NativertPackage) package = open_package ("linear.pt2");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertWeightSet) set
      = nativert_package_load_weights (package, "model", false, wants_bias, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_null (find (set, "fc.weight")->storage);
  g_assert_cmpint (find (set, "fc.weight")->sizes[1], ==, 4);
  g_assert_cmpfloat (at (find (set, "fc.bias"), 0, 0), ==, -1);
  g_cancellable_cancel (cancellable);
  g_assert_null (nativert_package_load_weights (package, "model", false, NULL, NULL, cancellable, &error));
  g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_CANCELLED);
}

/* The storages outlive the package and the set. */
static void
test_lifetime (void)
{
  for (int map = 0; map < 2; map++) {
    NativertPackage *package = open_package ("linear.pt2");
    NativertWeightSet *set = load_weights (package, "model", map != 0);
    g_autoptr (NativertStorage) storage = nativert_storage_ref (find (set, "fc.weight")->storage);

    nativert_weight_set_free (set);
    nativert_package_unref (package);
    g_assert_cmpfloat (((const float *) nativert_storage_data (storage))[11], ==, 11);
  }
}

/* ---- sample inputs ---- */

static NativertValue *
child (NativertValue *value, guint index)
{
  g_assert_cmpuint (index, <, nativert_value_get_length (value));
  return nativert_value_get_child (value, index);
}

static float
element (NativertValue *value, guint index)
{
  g_autoptr (GBytes) bytes = nativert_tensor_dup_bytes (nativert_value_get_tensor (value));

  return ((const float *) g_bytes_get_data (bytes, NULL))[index];
}

static void
test_sample_inputs (void)
{
  g_autoptr (NativertPackage) package = open_package ("inputs.pt2");
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertValue) inputs = nativert_package_load_sample_inputs (package, "model", &error);
  NativertValue *args, *tree, *p, *scale;
  NativertTensor *first;

  g_assert_no_error (error);
  g_assert_cmpint (nativert_value_get_kind (inputs), ==, NATIVERT_VALUE_TUPLE);
  args = child (inputs, 0);
  g_assert_cmpuint (nativert_value_get_length (args), ==, 8);
  g_assert_cmpfloat (element (child (args, 0), 1), ==, 1);
  g_assert_cmpint (nativert_value_get_kind (child (args, 1)), ==, NATIVERT_VALUE_NONE);
  g_assert_cmpint (nativert_value_get_int (child (args, 2)), ==, 3);
  g_assert_cmpfloat (nativert_value_get_float (child (args, 3)), ==, 2.5);
  g_assert_true (nativert_value_get_bool (child (args, 4)));
  g_assert_cmpstr (nativert_value_get_string (child (args, 5)), ==, "mean");
  tree = child (args, 6);
  p = nativert_value_lookup (tree, "p");
  g_assert_cmpint (nativert_value_get_kind (p), ==, NATIVERT_VALUE_LIST);
  first = nativert_value_get_tensor (child (p, 0));
  g_assert_cmpfloat (*(const float *) nativert_tensor_get_data (first), ==, 2);
  /* two views of one storage still share it */
  g_assert_true ((const float *) nativert_tensor_get_data (nativert_value_get_tensor (child (child (p, 1), 0)))
      == (const float *) nativert_tensor_get_data (first) + 2);
  g_assert_cmpint (
      nativert_tensor_get_stride (nativert_value_get_tensor (nativert_value_lookup (tree, "7")), 0), ==, 2);
  /* the named tuple: its fields in order */
  g_assert_cmpint (nativert_value_get_kind (child (args, 7)), ==, NATIVERT_VALUE_TUPLE);
  g_assert_cmpint (nativert_tensor_get_stride (nativert_value_get_tensor (child (child (args, 7), 1)), 0), ==, 0);
  /* a conjugate view: the sign is in the values now */
  scale = nativert_value_lookup (child (inputs, 1), "scale");
  g_assert_cmpfloat (element (scale, 1), ==, -2);
  g_assert_cmpfloat (element (scale, 3), ==, 4);
}

/* ---- the archive ---- */

static void
test_models (void)
{
  g_autoptr (NativertPackage) two = open_package ("two_models.pt2"), one = open_package ("linear.pt2");
  g_autoptr (NativertWeightSet) set = load_weights (two, "decoder/small", false);
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertProgram) program = load_program (two, "decoder/small");

  g_assert_cmpuint (nativert_package_n_models (two), ==, 2);
  g_assert_cmpstr (nativert_package_find_model (one, NULL, NULL), ==, "model");
  g_assert_cmpstr (nativert_package_find_model (two, "encoder", NULL), ==, "encoder");
  g_assert_null (nativert_package_find_model (two, NULL, &error));
  g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISSING);
  g_assert_nonnull (strstr (error->message, "'encoder', 'decoder/small'"));
  g_assert_cmpfloat (at (find (set, "fc.weight"), 2, 3), ==, 11);
}

static void
test_records (void)
{
  g_autoptr (NativertPackage) package = open_package ("linear.pt2");
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) labels = nativert_package_dup_extra_file (package, "labels.txt"), none = NULL;
  g_autoptr (GBytes) version = nativert_package_read_record (package, "archive_version", &error);

  g_assert_cmpmem (g_bytes_get_data (labels, NULL), g_bytes_get_size (labels), "cat\ndog é", strlen ("cat\ndog é"));
  g_assert_null (nativert_package_dup_extra_file (package, "../archive_version"));
  g_assert_cmpmem (g_bytes_get_data (version, NULL), g_bytes_get_size (version), "0", 1);
  g_assert_true (nativert_package_has_record (package, "byteorder"));
  g_assert_false (nativert_package_has_record (package, "linear/byteorder"));
  none = nativert_package_read_record (package, "nothing", &error);
  g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISSING);
  g_assert_cmpstr (nativert_package_record_name (package, 0), ==, "data/weights/weight_0");
  g_assert_cmpuint (nativert_package_record_size (package, 0), ==, 48);
}

/* Everything in every archive of the folder. */
static void
test_all (void)
{
  g_autoptr (GDir) dir = g_dir_open (data_dir, 0, NULL);
  const char *name;
  guint n = 0;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (data_dir, name, NULL);
    g_autoptr (GError) error = NULL;

    if (!g_str_has_suffix (name, ".pt2"))
      continue;
    load_all (path, &error);
    g_assert_no_error (error);
    n++;
  }
  g_assert_cmpuint (n, >=, 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (argc > 1)
    data_dir = argv[1];
  g_test_add_func ("/archives/linear", test_linear);
  g_test_add_func ("/archives/symbols", test_symbols);
  g_test_add_func ("/archives/cond", test_cond);
  g_test_add_func ("/archives/constant-inputs", test_constant_inputs);
  g_test_add_func ("/archives/views", test_views);
  g_test_add_func ("/archives/views-mapped", test_views_mapped);
  g_test_add_func ("/archives/tied", test_tied);
  g_test_add_func ("/archives/dtypes", test_dtypes);
  g_test_add_func ("/archives/wanted", test_wanted);
  g_test_add_func ("/archives/lifetime", test_lifetime);
  g_test_add_func ("/archives/sample-inputs", test_sample_inputs);
  g_test_add_func ("/archives/models", test_models);
  g_test_add_func ("/archives/records", test_records);
  g_test_add_func ("/archives/all", test_all);
  return g_test_run ();
}
