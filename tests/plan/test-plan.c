/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a plan says to inputs that do not fit, and to files that lie. */
#include <string.h>
#include "check-plan.h"
#include "package/package.h"
#include "plan/builder.h"

typedef struct { const char *from, *to; } Edit;

/* The graph of an archive, with some text of its JSON changed. */
static NativertGraph *
load (const char *name, const Edit *edit, GError **error)
{
  g_autofree char *path = g_build_filename (TEST_DATA, name, NULL);
  g_autoptr (NativertPackage) package = nativert_package_open (path, NULL, error);
  g_assert_nonnull (package);
  g_autoptr (GBytes) bytes = nativert_package_read_record (package, "models/model.json", error);
  g_assert_nonnull (bytes);
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  if (edit) {
    g_auto (GStrv) parts = g_strsplit (text, edit->from, 2);
    g_assert_cmpuint (g_strv_length (parts), ==, 2);
    g_free (text);
    text = g_strjoinv (edit->to, parts);
  }
  NativertProgram *program = nativert_program_parse (name, text, strlen (text), error);
  g_autoptr (NativertGraph) graph = program ? nativert_graph_new (program, error) : NULL;
  return graph && nativert_graph_optimize (graph, nativert_plan_schemas (), error) ? g_steal_pointer (&graph) : NULL;
}

static NativertPlanInput
tensor (uint8_t dtype, uint32_t ndim, int64_t a, int64_t b, int64_t c)
{
  NativertPlanInput in = { .kind = NATIVERT_VALUE_TENSOR };
  nativert_view_init (&in.view, dtype, ndim, (int64_t[]) { a, b, c });
  return in;
}

static void
expect_start (const char *name, const Edit *edit, const NativertPlanInput *inputs, uint32_t n, NativertError code, const char *start)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertGraph) graph = load (name, edit, &error);
  g_assert_no_error (error);
  g_assert_null (nativert_plan_new (graph, inputs, n, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, NATIVERT_ERROR, (int) code);
  if (!g_str_has_prefix (error->message, start))
    g_assert_cmpstr (error->message, ==, start);
}

static void
test_inputs (void)
{
  NativertPlanInput good = tensor (NATIVERT_F32, 2, 4, 8, 0);
  expect_start ("batch.pt2", NULL, &good, 1, NATIVERT_ERROR_INVALID_INPUT, "1 inputs given, the model takes 2");
  NativertPlanInput rank[] = { good, tensor (NATIVERT_F32, 1, 4, 0, 0) };
  expect_start ("batch.pt2", NULL, rank, 2, NATIVERT_ERROR_INVALID_INPUT, "input y: has 1 dims, the model takes 2");
  NativertPlanInput dtype[] = { tensor (NATIVERT_I64, 2, 4, 8, 0), good };
  expect_start ("batch.pt2", NULL, dtype, 2, NATIVERT_ERROR_INVALID_INPUT, "input x: is int64, the model takes float32");
  NativertPlanInput size[] = { good, tensor (NATIVERT_F32, 2, 4, 9, 0) };
  expect_start ("batch.pt2", NULL, size, 2, NATIVERT_ERROR_INVALID_INPUT, "input y: dim 1 is 9, the model takes 8");
  NativertPlanInput kind[] = { { .kind = NATIVERT_VALUE_INT }, good };
  expect_start ("batch.pt2", NULL, kind, 2, NATIVERT_ERROR_INVALID_INPUT, "input x: not a tensor, the model takes a tensor");
}

/* Sizes that must agree with each other, and declared bounds. */
static void
test_symbols (void)
{
  NativertPlanInput odd[] = { tensor (NATIVERT_F32, 2, 4, 3, 0), tensor (NATIVERT_F32, 2, 7, 3, 0) };
  expect_start ("twice.pt2", NULL, odd, 2, NATIVERT_ERROR_INVALID_INPUT, "input y: dim 0 is 7, must be 2*s");
  NativertPlanInput big[] = { tensor (NATIVERT_F32, 2, 17, 3, 0), tensor (NATIVERT_F32, 2, 34, 3, 0) };
  expect_start ("twice.pt2", NULL, big, 2, NATIVERT_ERROR_INVALID_INPUT, "input x: dim 0 is 17, the model takes at most 16");
  NativertPlanInput half = tensor (NATIVERT_F32, 2, 7, 3, 0);
  expect_start ("onlytwice.pt2", NULL, &half, 1, NATIVERT_ERROR_INVALID_INPUT, "input x: dim 0 is 7, must be 2*s");
}

/* What the exporter built into the program. */
static void
test_guards (void)
{
  NativertPlanInput other[] = { tensor (NATIVERT_F32, 2, 4, 8, 0), tensor (NATIVERT_F32, 2, 5, 8, 0) };
  expect_start ("batch.pt2", NULL, other, 2, NATIVERT_ERROR_INVALID_INPUT,
      "the model was exported for inputs with (8*L['y'].size()[0] + 8*L['x'].size()[0]) == (16*L['x'].size()[0]) only");
  NativertPlanInput four = tensor (NATIVERT_F32, 2, 8, 5, 0);
  expect_start ("symbols.pt2", NULL, &four, 1, NATIVERT_ERROR_INVALID_INPUT, "the model was exported for inputs with (1 + 2*L['x'].size()[0])*(L['x'].size()[0] % 4) >= 2 only");
}

/* The rule for a shape against what the file says of it. */
static void
test_lies (void)
{
  static const struct { Edit edit; NativertError code; const char *start; } lies[] = {
    { { "\"expand\": {\"dtype\": 7, \"sizes\": [{\"as_int\": 3}", "\"expand\": {\"dtype\": 7, \"sizes\": [{\"as_int\": 4}" }, NATIVERT_ERROR_MISMATCH,
      "node `expand` (aten.expand.default): expand_default gives float32[3, 4, 8] for result 0, the file says float32[4, 4, 8]" },
    { { "\"relu\": {\"dtype\": 7", "\"relu\": {\"dtype\": 8" }, NATIVERT_ERROR_MISMATCH,
      "node `relu` (aten.relu.default): relu_default gives float32[16, 2] for result 0, the file says float64[16, 2]" },
    { { "\"p_fc_bias\": {\"dtype\": 7, \"sizes\": [{\"as_int\": 8}", "\"p_fc_bias\": {\"dtype\": 7, \"sizes\": [{\"as_int\": 7}" },
      NATIVERT_ERROR_UNSUPPORTED, "node `linear`" },
    { { "\"p_fc_bias\": {\"dtype\": 7, \"sizes\": [{\"as_int\": 8}", "\"p_fc_bias\": {\"dtype\": 7, \"sizes\": [{\"as_int\": 4611686018427387904}" },
      NATIVERT_ERROR_MISMATCH, "input p_fc_bias:" },
  };
  NativertPlanInput inputs[] = { tensor (NATIVERT_F32, 2, 4, 8, 0), tensor (NATIVERT_F32, 2, 4, 8, 0) };
  for (size_t i = 0; i < G_N_ELEMENTS (lies); i++)
    expect_start ("batch.pt2", &lies[i].edit, inputs, 2, lies[i].code, lies[i].start);
}

/* Memory that no machine has. */
static void
test_limit (void)
{
  NativertPlanInput inputs[] = { tensor (NATIVERT_F32, 2, INT64_C (1) << 36, 8, 0), tensor (NATIVERT_F32, 2, INT64_C (1) << 36, 8, 0) };
  expect_start ("batch.pt2", NULL, inputs, 2, NATIVERT_ERROR_LIMIT, "node `linear` (nativert.linear.default): needs ");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan/inputs", test_inputs);
  g_test_add_func ("/plan/symbols", test_symbols);
  g_test_add_func ("/plan/guards", test_guards);
  g_test_add_func ("/plan/lies", test_lies);
  g_test_add_func ("/plan/limit", test_limit);
  return g_test_run ();
}
