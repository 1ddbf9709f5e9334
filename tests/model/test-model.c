/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Models and runners from the outside: every committed archive against PyTorch, ports, inputs that do not fit, weights,
 * state. */
#include "common.h"

#include <string.h>

/* Every NAME.pt2 that has NAME.expected.safetensors. */
static void
test_matrix (gconstpointer data)
{
  const char *name = data;
  g_autofree char *file = g_strconcat (name, ".pt2", NULL);
  g_autoptr (NativertModel) model = test_load (file);
  g_autoptr (NativertRunner) runner = nativert_runner_new (model, 1);
  g_autoptr (GPtrArray) leaves = test_run_sample (runner);

  test_compare (name, leaves);
}

/* What the 20-line program in the README does. */
static NativertTensor *
run_one (NativertRunner *runner, NativertTensor *input, GError **error)
{
  NativertTensor **outputs, *result;
  guint n;

  if (!nativert_runner_run_tensors (runner, &input, 1, &outputs, &n, error))
    return NULL;
  g_assert_cmpuint (n, ==, 1);
  result = outputs[0];
  g_free (outputs);
  return result;
}

static void
test_ports (void)
{
  g_autoptr (NativertModel) model = test_load ("linear.pt2");
  const NativertPort *x = nativert_model_get_input (model, 0), *y = nativert_model_get_output (model, 0);

  g_assert_cmpuint (nativert_model_get_n_inputs (model), ==, 1);
  g_assert_cmpuint (nativert_model_get_n_outputs (model), ==, 1);
  g_assert_cmpstr (nativert_model_get_name (model), ==, "model");
  g_assert_cmpstr (x->name, ==, "x");
  g_assert_cmpint (x->kind, ==, NATIVERT_VALUE_TENSOR);
  g_assert_cmpint (x->dtype, ==, NATIVERT_DTYPE_FLOAT32);
  g_assert_cmpuint (x->n_dims, ==, 2);
  g_assert_cmpint (x->dims[0].min, ==, 1);
  g_assert_cmpint (x->dims[0].max, ==, 64);
  g_assert_nonnull (x->dims[0].symbol);
  g_assert_cmpint (x->dims[1].min, ==, 4);
  g_assert_cmpint (x->dims[1].max, ==, 4);
  g_assert_null (x->dims[1].symbol);
  g_assert_cmpstr (y->name, ==, "0");
  g_assert_cmpint (y->dims[1].min, ==, 3);
}

static void
test_names (void)
{
  g_autoptr (NativertModel) model = test_load ("tree.pt2");
  static const char *const inputs[] = {"x", "pair.a", "pair.b", "scale"};
  static const char *const outputs[] = {"sum", "rest.0", "rest.1.0", "rest.1.1"};

  g_assert_cmpuint (nativert_model_get_n_inputs (model), ==, G_N_ELEMENTS (inputs));
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    g_assert_cmpstr (nativert_model_get_input (model, i)->name, ==, inputs[i]);
  g_assert_cmpuint (nativert_model_get_n_outputs (model), ==, G_N_ELEMENTS (outputs));
  for (guint i = 0; i < G_N_ELEMENTS (outputs); i++)
    g_assert_cmpstr (nativert_model_get_output (model, i)->name, ==, outputs[i]);
  g_assert_cmpint (nativert_model_get_input (model, 3)->kind, ==, NATIVERT_VALUE_INT);
}

static void
test_extra_file (void)
{
  g_autoptr (NativertModel) model = test_load ("linear.pt2");
  g_autoptr (GBytes) note = nativert_model_dup_extra_file (model, "note.txt");
  g_autoptr (GBytes) none = nativert_model_dup_extra_file (model, "no-such-file");

  g_assert_nonnull (note);
  g_assert_cmpmem (g_bytes_get_data (note, NULL), g_bytes_get_size (note), "this is linear", strlen ("this is linear"));
  g_assert_null (none);
}

static void
expect_refusal (NativertRunner *runner, NativertTensor *input, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertTensor) output = run_one (runner, input, &error);

  g_assert_null (output);
  g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_INVALID_INPUT);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_refused_inputs (void)
{
  g_autoptr (NativertModel) model = test_load ("linear.pt2");
  g_autoptr (NativertRunner) runner = nativert_runner_new (model, 1);
  g_autoptr (NativertTensor) narrow = test_floats ((gint64[]) { 2, 3 }, 2, NULL);
  g_autoptr (NativertTensor) flat = test_floats ((gint64[]) { 4 }, 1, NULL);
  g_autoptr (NativertTensor) wide = test_floats ((gint64[]) { 65, 4 }, 2, NULL);
  g_autoptr (NativertTensor) empty = test_floats ((gint64[]) { 0, 4 }, 2, NULL);
  g_autoptr (NativertTensor) ints = nativert_tensor_new (NATIVERT_DTYPE_INT64, (gint64[]) { 2, 4 }, 2);
  g_autofree char *range = g_strdup_printf ("input x: dim 0 is 65, the model takes 1 to 64 (%s)",
      nativert_model_get_input (model, 0)->dims[0].symbol);
  g_autofree char *least = g_strdup_printf ("input x: dim 0 is 0, the model takes 1 to 64 (%s)",
      nativert_model_get_input (model, 0)->dims[0].symbol);
  g_autoptr (GError) error = NULL;
  NativertTensor **outputs;
  guint n;

  expect_refusal (runner, narrow, "input x: dim 1 is 3, the model takes 4");
  expect_refusal (runner, flat, "input x: has 1 dims, the model takes 2");
  expect_refusal (runner, ints, "input x: is int64, the model takes float32");
  expect_refusal (runner, wide, range);
  expect_refusal (runner, empty, least);
  g_assert_false (nativert_runner_run_tensors (runner, &flat, 0, &outputs, &n, &error));
  g_assert_cmpstr (error->message, ==, "0 inputs given, the model takes 1");
}

/* Sizes come and go; results stay right when plans are thrown out and made again. */
static void
test_many_sizes (void)
{
  g_autoptr (NativertModel) model = test_load ("linear.pt2");
  g_autoptr (NativertRunner) runner = nativert_runner_new (model, 1);
  float first[65];

  for (int round = 0; round < 2; round++)
    for (gint64 batch = 1; batch <= 64; batch++) {
      g_autoptr (GError) error = NULL;
      g_autoptr (NativertTensor) x = test_floats ((gint64[]) { batch, 4 }, 2, NULL);
      g_autoptr (NativertTensor) y = run_one (runner, x, &error);
      g_assert_no_error (error);
      g_assert_cmpint (nativert_tensor_get_size (y, 0), ==, batch);
      if (round == 0)
        first[batch] = test_float_at (y, (gsize) batch * 3 - 1);
      else
        g_assert_true (first[batch] == test_float_at (y, (gsize) batch * 3 - 1));
    }
}

/* Transposed, with gaps, misaligned: the same result as from a plain tensor. */
static void
test_strided_inputs (void)
{
  g_autoptr (NativertModel) model = test_load ("linear.pt2");
  g_autoptr (NativertRunner) runner = nativert_runner_new (model, 1);
  gint64 sizes[] = {2, 4};
  float plain[] = {1, 2, 3, 4, 5, 6, 7, 8}, turned[] = {1, 5, 2, 6, 3, 7, 4, 8};
  float gaps[] = {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0};
  char odd[sizeof plain + 1];
  g_autoptr (NativertTensor) a = test_floats (sizes, 2, plain);
  g_autoptr (NativertTensor) b
      = nativert_tensor_new_borrowed (NATIVERT_DTYPE_FLOAT32, sizes, (gint64[]){ 1, 2 }, 2, turned, NULL, NULL);
  g_autoptr (NativertTensor) c
      = nativert_tensor_new_borrowed (NATIVERT_DTYPE_FLOAT32, sizes, (gint64[]){ 8, 2 }, 2, gaps, NULL, NULL);
  g_autoptr (NativertTensor) d
      = nativert_tensor_new_borrowed (NATIVERT_DTYPE_FLOAT32, sizes, NULL, 2, odd + 1, NULL, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertTensor) want = run_one (runner, a, &error);
  NativertTensor *others[] = {b, c, d};

  g_assert_no_error (error);
  memcpy (odd + 1, plain, sizeof plain);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    g_autoptr (NativertTensor) got = run_one (runner, others[i], &error);
    g_assert_no_error (error);
    g_assert_cmpmem (
        nativert_tensor_get_data (got), 6 * sizeof (float), nativert_tensor_get_data (want), 6 * sizeof (float));
  }
}

/* A result stays what it is while later runs go on, and after the runner is gone. */
static void
test_outputs_last (void)
{
  g_autoptr (NativertModel) model = test_load ("linear.pt2");
  NativertRunner *runner = nativert_runner_new (model, 1);
  float ones[] = {1, 1, 1, 1}, twos[] = {2, 2, 2, 2}, kept[3];
  g_autoptr (NativertTensor) one = test_floats ((gint64[]) { 1, 4 }, 2, ones);
  g_autoptr (NativertTensor) two = test_floats ((gint64[]) { 1, 4 }, 2, twos);
  g_autoptr (NativertTensor) first = run_one (runner, one, NULL);

  memcpy (kept, nativert_tensor_get_data (first), sizeof kept);
  for (int i = 0; i < 4; i++) {
    g_autoptr (NativertTensor) later = run_one (runner, two, NULL);
    g_assert_true (nativert_tensor_get_data (later) != nativert_tensor_get_data (first));
  }
  g_object_unref (runner);
  g_assert_cmpmem (nativert_tensor_get_data (first), sizeof kept, kept, sizeof kept);
}

static void
test_state (gconstpointer data)
{
  g_autoptr (NativertModel) model = test_load (data);
  g_autoptr (NativertRunner) runner = nativert_runner_new (model, 1);
  g_autoptr (NativertRunner) other = nativert_runner_new (model, 1);
  float values[] = {1, 2, 3};
  g_autoptr (NativertTensor) x = test_floats ((gint64[]) { 3 }, 1, values);

  for (int i = 1; i <= 3; i++) {
    g_autoptr (NativertTensor) y = run_one (runner, x, NULL);
    g_assert_cmpfloat (test_float_at (y, 1), ==, 2 * 2 * i);
  }
  nativert_runner_reset_state (runner);
  for (int i = 1; i <= 2; i++) {
    g_autoptr (NativertTensor) y = run_one (runner, x, NULL);
    g_autoptr (NativertTensor) z = run_one (other, x, NULL);
    g_assert_cmpfloat (test_float_at (y, 1), ==, 2 * 2 * i);
    g_assert_cmpfloat (test_float_at (z, 1), ==, 2 * 2 * i);
  }
}

/* What a run changed beside its results; the caller's tensor is left alone. */
static void
test_changes (gconstpointer data)
{
  bool is_counter = g_str_has_prefix (data, "counter");
  g_autoptr (NativertModel) model = test_load (data);
  g_autoptr (NativertRunner) runner = nativert_runner_new (model, 1);
  float values[] = {1, 2, 3};
  g_autoptr (NativertTensor) x = test_floats ((gint64[]) { 3 }, 1, values);
  g_autoptr (NativertValue) args = nativert_value_new_tuple ();
  g_autoptr (NativertValue) changed = NULL;
  g_autoptr (NativertValue) result = NULL;
  g_autoptr (GError) error = NULL;
  NativertValue *entry;

  nativert_value_append (args, nativert_value_new_tensor (x));
  result = nativert_runner_run_changed (runner, args, NULL, &changed, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (nativert_value_get_length (changed), ==, 1);
  entry = nativert_value_lookup (changed, is_counter ? "buffer:total" : "input:0");
  g_assert_nonnull (entry);
  g_assert_cmpfloat (test_float_at (nativert_value_get_tensor (entry), 1), ==, is_counter ? 2 : 3);
  g_assert_cmpfloat (test_float_at (x, 1), ==, 2);
}

static void
test_frozen_inputs (void)
{
  g_autoptr (NativertModel) model = test_load ("tree.pt2");
  g_autoptr (NativertRunner) runner = nativert_runner_new (model, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertValue) sample = nativert_model_dup_sample_inputs (model, &error);
  g_autoptr (NativertValue) kwargs = nativert_value_new_dict ();
  g_autoptr (NativertValue) result = NULL;

  g_assert_no_error (error);
  nativert_value_set (kwargs, "scale", nativert_value_new_int (4));
  result = nativert_runner_run (runner, nativert_value_get_child (sample, 0), kwargs, &error);
  g_assert_null (result);
  g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_INVALID_INPUT);
  g_assert_cmpstr (error->message, ==, "input scale: is 4, the model was exported with 3");
}

static void
test_graph_only (void)
{
  g_autofree char *path = test_path ("linear.pt2");
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertModel) model = nativert_model_load (path, NULL, NATIVERT_LOAD_GRAPH_ONLY, NULL, &error);
  g_autoptr (NativertRunner) runner = NULL;
  g_autoptr (NativertTensor) x = test_floats ((gint64[]) { 2, 4 }, 2, NULL);
  g_autoptr (NativertTensor) y = NULL;

  g_assert_no_error (error);
  runner = nativert_runner_new (model, 1);
  y = run_one (runner, x, &error);
  g_assert_null (y);
  g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISSING);
}

static void
test_missing_files (void)
{
  g_autofree char *path = test_path ("no-such-file.pt2");
  g_autofree char *linear = test_path ("linear.pt2");
  g_autoptr (GError) error = NULL;

  g_assert_null (nativert_model_load (path, NULL, NATIVERT_LOAD_DEFAULT, NULL, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "no-such-file.pt2"));
  g_clear_error (&error);
  g_assert_null (nativert_model_load (linear, "no-such-model", NATIVERT_LOAD_DEFAULT, NULL, &error));
  g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISSING);
}

static void
add_matrix (void)
{
  static const char suffix[] = ".expected.safetensors";
  g_autoptr (GDir) dir = g_dir_open (TEST_DATA, 0, NULL);
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL) {
    char *stem = g_str_has_suffix (name, suffix) ? g_strndup (name, strlen (name) - strlen (suffix)) : NULL;
    g_autofree char *test = g_strconcat ("/model/equals-torch/", stem, NULL);
    if (stem != NULL)
      g_test_add_data_func_full (test, stem, test_matrix, g_free);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_matrix ();
  g_test_add_func ("/model/ports", test_ports);
  g_test_add_func ("/model/names", test_names);
  g_test_add_func ("/model/extra-file", test_extra_file);
  g_test_add_func ("/model/refused-inputs", test_refused_inputs);
  g_test_add_func ("/model/many-sizes", test_many_sizes);
  g_test_add_func ("/model/strided-inputs", test_strided_inputs);
  g_test_add_func ("/model/outputs-last", test_outputs_last);
  g_test_add_data_func ("/model/state", "counter.pt2", test_state);
  g_test_add_data_func ("/model/state-core", "counter-core.pt2", test_state);
  g_test_add_data_func ("/model/changes/buffer", "counter.pt2", test_changes);
  g_test_add_data_func ("/model/changes/buffer-core", "counter-core.pt2", test_changes);
  g_test_add_data_func ("/model/changes/input", "writes.pt2", test_changes);
  g_test_add_data_func ("/model/changes/input-core", "writes-core.pt2", test_changes);
  g_test_add_func ("/model/frozen-inputs", test_frozen_inputs);
  g_test_add_func ("/model/graph-only", test_graph_only);
  g_test_add_func ("/model/missing-files", test_missing_files);
  return g_test_run ();
}
