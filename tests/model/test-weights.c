/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Versions of weights: from every kind of file, refused when they do not fit, swapped while four threads run. */
#include "common.h"
#include "model/weights.h"

#include <glib/gstdio.h>
#include <stdatomic.h>
#include <string.h>

static NativertTensor *
run_one (NativertRunner *runner, NativertTensor *input)
{
  g_autoptr (GError) error = NULL;
  NativertTensor **outputs, *result;
  guint n;

  nativert_runner_run_tensors (runner, &input, 1, &outputs, &n, &error);
  g_assert_no_error (error);
  result = outputs[0];
  g_free (outputs);
  return result;
}

static NativertWeights *
load_weights (NativertModel *model, const char *name)
{
  g_autofree char *path = test_path (name);
  g_autoptr (GError) error = NULL;
  NativertWeights *weights = nativert_weights_load (model, path, NULL, &error);

  g_assert_no_error (error);
  return weights;
}

/* New weights give what a model of them gives; going back gives the old results bit for bit. */
static void
test_swap (gconstpointer data)
{
  g_autoptr (NativertModel) model = test_load ("linear.pt2");
  g_autoptr (NativertModel) other = test_load ("linear-other.pt2");
  g_autoptr (NativertRunner) runner = nativert_runner_new (model, 1);
  g_autoptr (NativertRunner) reference = nativert_runner_new (other, 1);
  g_autoptr (NativertTensor) x = test_floats ((gint64[]) { 2, 4 }, 2, NULL);
  g_autoptr (NativertTensor) before = run_one (runner, x);
  g_autoptr (NativertTensor) want = run_one (reference, x);
  g_autoptr (NativertWeights) weights = load_weights (model, data);
  g_autoptr (NativertWeights) old = nativert_weights_ref (nativert_model_get_weights (model));
  g_autoptr (NativertTensor) after = NULL;
  g_autoptr (NativertTensor) back = NULL;
  guint64 version = nativert_runner_get_weights_version (runner);

  g_assert_cmpuint (nativert_weights_get_version (weights), !=, version);
  g_assert_true (nativert_runner_set_weights (runner, weights, NULL));
  g_assert_cmpuint (nativert_runner_get_weights_version (runner), ==, nativert_weights_get_version (weights));
  after = run_one (runner, x);
  g_assert_cmpmem (nativert_tensor_get_data (after), 24, nativert_tensor_get_data (want), 24);
  g_assert_true (memcmp (nativert_tensor_get_data (after), nativert_tensor_get_data (before), 24) != 0);
  g_assert_true (nativert_runner_set_weights (runner, old, NULL));
  back = run_one (runner, x);
  g_assert_cmpmem (nativert_tensor_get_data (back), 24, nativert_tensor_get_data (before), 24);
}

static void
test_refused (void)
{
  static const struct { const char *file; int code; const char *message;
  } rows[] = {
    { "linear-wrong-size.safetensors", NATIVERT_ERROR_MISMATCH,
        "weight fc.weight is float32[3, 3], the model takes float32[3, 4]" },
    { "linear-wrong-dtype.safetensors", NATIVERT_ERROR_MISMATCH,
        "weight fc.weight is float64[3, 4], the model takes float32[3, 4]" },
    { "linear-missing.safetensors", NATIVERT_ERROR_MISSING, "weight fc.bias is missing" },
    { "no-such-file.safetensors", NATIVERT_ERROR_MISSING, "no-such-file.safetensors" },
  };
  g_autoptr (NativertModel) model = test_load ("linear.pt2");
  g_autoptr (NativertRunner) runner = nativert_runner_new (model, 1);
  guint64 version = nativert_runner_get_weights_version (runner);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *path = test_path (rows[i].file);
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) leaves = NULL;
    g_assert_null (nativert_weights_load (model, path, NULL, &error));
    g_assert_error (error, NATIVERT_ERROR, rows[i].code);
    g_assert_nonnull (strstr (error->message, rows[i].message));
    g_assert_nonnull (strstr (error->message, rows[i].file));
    g_assert_cmpuint (nativert_runner_get_weights_version (runner), ==, version);
    leaves = test_run_sample (runner);
    test_compare ("linear", leaves);
  }
}

static void
test_other_model (void)
{
  g_autoptr (NativertModel) model = test_load ("linear.pt2");
  g_autoptr (NativertModel) other = test_load ("conv.pt2");
  g_autoptr (NativertRunner) runner = nativert_runner_new (model, 1);
  g_autoptr (GError) error = NULL;

  g_assert_false (nativert_runner_set_weights (runner, nativert_model_get_weights (other), &error));
  g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISMATCH);
}

/* Values that only packs were made of are gone; another size that needs them gets them from the file again. */
static void
test_let_go_and_back (void)
{
  g_autoptr (NativertModel) model = test_load ("conv.pt2");
  g_autoptr (NativertRunner) runner = nativert_runner_new (model, 1);

  for (gint64 batch = 1; batch <= 40; batch += 13) {
    g_autoptr (NativertRunner) fresh_runner = NULL;
    g_autoptr (NativertModel) fresh = test_load ("conv.pt2");
    g_autoptr (NativertTensor) x = test_floats ((gint64[]) { batch, 3, 8, 8 }, 4, NULL);
    g_autoptr (NativertTensor) y = run_one (runner, x);
    g_autoptr (NativertTensor) z = NULL;
    fresh_runner = nativert_runner_new (fresh, 1);
    z = run_one (fresh_runner, x);
    g_assert_cmpmem (
        nativert_tensor_get_data (y), (gsize) batch * 20, nativert_tensor_get_data (z), (gsize) batch * 20);
  }
}

/* As cp does: the same file, other bytes. */
static void
write_over (const char *path)
{
  FILE *file = fopen (path, "r+b");

  g_assert_nonnull (file);
  g_usleep (20000);                     /* file times have the grain of the kernel's tick */
  for (int i = 0; i < 4096; i++)
    fputc (i & 1, file);
  fclose (file);
}

/* What a plan does that needs values which were let go.  path: whose name the error tells, NULL when it has to work. */
static void
read_again (NativertModel *model, const char *path)
{
  NativertWeightSource *source = nativert_weight_source_new_own (nativert_model_get_core (model));
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertWeightSet) set = nativert_weight_source_read (source, NULL, &error);

  nativert_weight_source_free (source);
  if (path == NULL) {
    g_assert_no_error (error);
    g_assert_nonnull (set);
    return;
  }
  g_assert_null (set);
  g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_IO);
  g_assert_nonnull (strstr (error->message, path));
}

/* A file that is overwritten under a running model: what is packed goes on, nothing is read from the other file; one that
 * is replaced under its name stays what it was. */
static void
test_overwritten (gconstpointer data)
{
  bool by_rename = data != NULL;
  g_autofree char *from = test_path ("conv.pt2");
  g_autofree char *dir = g_dir_make_tmp ("nativert-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "conv.pt2", NULL);
  g_autofree char *contents = NULL;
  g_autoptr (NativertModel) model = NULL;
  g_autoptr (NativertRunner) runner = NULL;
  g_autoptr (NativertTensor) x = test_floats ((gint64[]) { 2, 3, 8, 8 }, 4, NULL);
  g_autoptr (NativertTensor) before = NULL;
  g_autoptr (NativertTensor) after = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (from, &contents, &length, NULL));
  g_assert_true (g_file_set_contents (path, contents, (gssize) length, NULL));
  model = nativert_model_load (path, NULL, NATIVERT_LOAD_DEFAULT, NULL, &error);
  g_assert_no_error (error);
  runner = nativert_runner_new (model, 1);
  before = run_one (runner, x);
  if (by_rename)
    g_assert_true (g_file_set_contents (path, "gone", 4, NULL));
  else
    write_over (path);
  after = run_one (runner, x);
  g_assert_cmpmem (nativert_tensor_get_data (after), 40, nativert_tensor_get_data (before), 40);
  read_again (model, by_rename ? NULL : path);
  g_remove (path);
  g_rmdir (dir);
}

/* ---- four threads and a swapper ---- */

typedef struct {
  NativertRunner *runner;
  NativertTensor *x;
  const float *results[2];              /* of either weights */
  atomic_bool stop;
  atomic_uint n_runs[2];
} Race;

static gpointer
race_thread (gpointer data)
{
  Race *race = data;

  while (!race->stop) {
    g_autoptr (NativertTensor) y = run_one (race->runner, race->x);
    int which = memcmp (nativert_tensor_get_data (y), race->results[0], 24) == 0 ? 0 : 1;
    g_assert_cmpmem (nativert_tensor_get_data (y), 24, race->results[which], 24);
    race->n_runs[which]++;
  }
  return NULL;
}

static void
test_race (void)
{
  g_autoptr (NativertModel) model = test_load ("linear.pt2");
  g_autoptr (NativertRunner) runner = nativert_runner_new (model, 1);
  g_autoptr (NativertTensor) x = test_floats ((gint64[]) { 2, 4 }, 2, NULL);
  g_autoptr (NativertTensor) first = run_one (runner, x);
  g_autoptr (NativertTensor) second = NULL;
  g_autoptr (NativertWeights) other = load_weights (model, "linear-other.safetensors");
  GThread *threads[4];
  Race race = { .runner = runner, .x = x };

  g_assert_true (nativert_runner_set_weights (runner, other, NULL));
  second = run_one (runner, x);
  race.results[0] = nativert_tensor_get_data (first);
  race.results[1] = nativert_tensor_get_data (second);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("run", race_thread, &race);
  for (int i = 0; i < 40 || (i < 4000 && (race.n_runs[0] == 0 || race.n_runs[1] == 0)); i++) {
    g_autoptr (NativertWeights) fresh = load_weights (model, i % 2 ? "linear-other.safetensors" : "linear.pt2");
    g_assert_true (nativert_runner_set_weights (runner, fresh, NULL));
    g_usleep (2000);
  }
  race.stop = true;
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (race.n_runs[0], >, 0);
  g_assert_cmpuint (race.n_runs[1], >, 0);
}

/* A model with state takes its callers one at a time and loses no count. */
static gpointer
count_thread (gpointer data)
{
  Race *race = data;

  for (int i = 0; i < 50; i++) {
    g_autoptr (NativertTensor) y = run_one (race->runner, race->x);
  }
  return NULL;
}

static void
test_state_race (void)
{
  g_autoptr (NativertModel) model = test_load ("counter.pt2");
  g_autoptr (NativertRunner) runner = nativert_runner_new (model, 1);
  float ones[] = {1, 1, 1};
  g_autoptr (NativertTensor) x = test_floats ((gint64[]) { 3 }, 1, ones);
  g_autoptr (NativertTensor) y = NULL;
  GThread *threads[4];
  Race race = { .runner = runner, .x = x };

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("count", count_thread, &race);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  y = run_one (runner, x);
  g_assert_cmpfloat (test_float_at (y, 0), ==, 2 * 201);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/weights/swap/archive", "linear-other.pt2", test_swap);
  g_test_add_data_func ("/weights/swap/safetensors", "linear-other.safetensors", test_swap);
  g_test_add_func ("/weights/refused", test_refused);
  g_test_add_func ("/weights/other-model", test_other_model);
  g_test_add_func ("/weights/let-go-and-back", test_let_go_and_back);
  g_test_add_data_func ("/weights/overwritten", NULL, test_overwritten);
  g_test_add_data_func ("/weights/renamed-over", "rename", test_overwritten);
  g_test_add_func ("/weights/race", test_race);
  g_test_add_func ("/weights/state-race", test_state_race);
  return g_test_run ();
}
