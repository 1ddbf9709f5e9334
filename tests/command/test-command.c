/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The nativert command as a person or a script meets it: exit codes, what goes to stdout and stderr, JSON that parses.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

typedef struct { int status; char *out, *err; } Result;

static void
result_clear (Result *result)
{
  g_free (result->out);
  g_free (result->err);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Result, result_clear)

/* line: arguments separated by spaces; @NAME is a file of the test data, ~NAME one of the scratch folder. */
static char *scratch;

static Result
run (const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  Result result = {0};
  int wait_status = 0;

  g_ptr_array_add (argv, g_strdup (NATIVERT));
  for (char **word = words; *word != NULL; word++) {
    char *at = strpbrk (*word, "@~");
    g_autofree char *before = at != NULL ? g_strndup (*word, (gsize) (at - *word)) : NULL;
    g_autofree char *path = at != NULL ? g_build_filename (*at == '@' ? TEST_DATA : scratch, at + 1, NULL) : NULL;
    if (**word != '\0')
      g_ptr_array_add (argv, at != NULL ? g_strconcat (before, path, NULL) : g_strdup (*word));
  }
  g_ptr_array_add (argv, NULL);
  g_spawn_sync (
      NULL, (char **) argv->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL, &result.out, &result.err, &wait_status, &error);
  g_assert_no_error (error);
  g_assert_true (WIFEXITED (wait_status));
  result.status = WEXITSTATUS (wait_status);
  return result;
}

static void
expect_status (const Result *result, int status)
{
  if (result->status != status)
    g_error ("exit %d, expected %d: %s", result->status, status, result->err);
  if (status == 0)
    g_assert_cmpstr (result->err, ==, "");
  else
    g_assert_true (g_str_has_prefix (result->err, "nativert: "));
}

/* Fails with one line that holds all of the words. */
static void
expect_message (const char *line, int status, const char *const *words)
{
  g_auto (Result) result = run (line);
  const char *end = strchr (result.err, '\n');

  expect_status (&result, status);
  g_assert_nonnull (end);
  g_assert_cmpstr (end, ==, "\n");
  for (; *words != NULL; words++)
    if (strstr (result.err, *words) == NULL)
      g_error ("`%s` says \"%s\" without \"%s\"", line, result.err, *words);
}

static JsonNode *
run_json (const char *line)
{
  g_auto (Result) result = run (line);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;

  expect_status (&result, 0);
  json_parser_load_from_data (parser, result.out, -1, &error);
  g_assert_no_error (error);
  return json_parser_steal_root (parser);
}

static void
test_usage (void)
{
  static const char *const lines[] = { "", "nonsense", "run", "info @linear.pt2 @linear.pt2",
    "run --nonsense @linear.pt2", "run --random --sample-inputs @linear.pt2", "run --threads -1 @linear.pt2",
    "bench --runs 0 @linear.pt2", "graph --stage nonsense @linear.pt2", "ops extra", "check" };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    expect_message (lines[i], 2, (const char *const[]) { "--help", NULL });
}

static void
test_help (void)
{
  static const char *const lines[]
      = { "--help", "info --help", "run --help", "bench --help", "graph --help", "check --help", "ops --help" };
  g_auto (Result) version = run ("--version");

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_auto (Result) result = run (lines[i]);
    expect_status (&result, 0);
    g_assert_nonnull (strstr (result.out, "Usage:"));
  }
  expect_status (&version, 0);
  g_assert_true (g_str_has_prefix (version.out, "nativert "));
}

static void
test_bad_files (void)
{
  static const char *const commands[] = {"info", "run", "bench", "graph", "check"};
  g_autofree char *garbage = g_build_filename (scratch, "garbage.pt2", NULL);
  g_autofree char *empty = g_build_filename (scratch, "empty.pt2", NULL);
  g_autofree char *cut = g_build_filename (scratch, "cut.pt2", NULL);
  g_autofree char *whole = g_build_filename (TEST_DATA, "linear.pt2", NULL);
  g_autofree char *contents = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (whole, &contents, &length, NULL));
  g_assert_true (g_file_set_contents (garbage, "this is no archive", -1, NULL));
  g_assert_true (g_file_set_contents (empty, "", 0, NULL));
  g_assert_true (g_file_set_contents (cut, contents, (gssize) length / 2, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    for (const char *const *name = (const char *const[]){ "garbage.pt2", "empty.pt2", "cut.pt2", "missing.pt2", NULL };
         *name != NULL; name++) {
      g_autofree char *line = g_strdup_printf ("%s ~%s", commands[i], *name);
      expect_message (line, 1, (const char *const[]) { *name, NULL });
    }
}

static void
test_info (void)
{
  g_auto (Result) text = run ("info @linear.pt2");
  g_autoptr (JsonNode) root = run_json ("info --json @linear.pt2");
  JsonObject *object = json_node_get_object (root), *x;

  expect_status (&text, 0);
  g_assert_nonnull (strstr (text.out, "1..64, 4]"));
  g_assert_nonnull (strstr (text.out, "aten.linear.default"));
  x = json_array_get_object_element (json_object_get_array_member (object, "inputs"), 0);
  g_assert_cmpstr (json_object_get_string_member (x, "name"), ==, "x");
  g_assert_cmpstr (json_object_get_string_member (x, "dtype"), ==, "float32");
  g_assert_cmpint (json_object_get_int_member (json_object_get_object_member (object, "weights"), "count"), ==, 2);
  g_assert_cmpint (json_object_get_int_member (json_object_get_object_member (object, "weights"), "bytes"), ==, 60);
  g_assert_true (json_object_get_null_member (object, "cannot_run"));
}

static void
test_run (void)
{
  g_auto (Result) text = run ("run @mixed.pt2");
  g_autoptr (JsonNode) root = run_json ("run --json --outputs ~out.safetensors @mixed.pt2");
  JsonArray *outputs = json_node_get_array (root);
  JsonObject *last;

  expect_status (&text, 0);
  g_assert_nonnull (strstr (text.out, "float32[3, 2]"));
  g_assert_cmpuint (json_array_get_length (outputs), ==, 6);
  g_assert_cmpstr (json_object_get_string_member (json_array_get_object_element (outputs, 0), "key"), ==, "0");
  g_assert_cmpstr (json_object_get_string_member (json_array_get_object_element (outputs, 4), "dtype"), ==, "bool");
  last = json_array_get_object_element (outputs, 5);
  g_assert_cmpstr (json_object_get_string_member (last, "type"), ==, "int");
  g_assert_cmpint (json_object_get_int_member (last, "value"), ==, 3);
}

/* What one run wrote another one reads; both give the same. */
static void
test_files (void)
{
  static const char *const kinds[] = {"out.safetensors", "out.npz"};

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autofree char *write = g_strdup_printf ("run --random --seed 3 --size s77=5 --outputs ~%s @linear.pt2", kinds[i]);
    g_autofree char *read = g_strdup_printf ("run --input q=~%s @linear.pt2", kinds[i]);
    g_auto (Result) wrote = run (write);
    expect_status (&wrote, 0);
    g_assert_nonnull (strstr (wrote.out, "float32[5, 3]"));
    expect_message (read, 1, (const char *const[]) { "no input q", NULL });
  }
  expect_message (
      "run --input ~out.npz @linear.pt2", 1, (const char *const[]){ "input x: dim 1 is 3, the model takes 4", NULL });
}

static void
test_inputs (void)
{
  expect_message ("run --input scale=5 @tree.pt2", 1, (const char *const[]) { "input x is not given", NULL });
  expect_message ("run --input scale=five @tree.pt2", 1, (const char *const[]) { "input scale", "not an int", NULL });
  expect_message ("run --input x=~nothing.npy @linear.pt2", 1, (const char *const[]) { "nothing.npy", NULL });
  expect_message ("run --random --size nonsense=3 @linear.pt2", 1, (const char *const[]) { "no size nonsense", NULL });
  expect_message ("run --random --size s77=65 @linear.pt2", 1, (const char *const[]){ "dim 0 is 65", "1 to 64", NULL });
  expect_message ("run --device cuda:0 @linear.pt2", 1, (const char *const[]) { "device cuda:0", NULL });
  expect_message ("run --model nonsense @linear.pt2", 1, (const char *const[]) { "nonsense", NULL });
}

static void
test_weights (void)
{
  g_auto (Result) own = run ("run @linear.pt2");
  g_auto (Result) other = run ("run --weights @linear-other.safetensors @linear.pt2");
  g_auto (Result) archive = run ("run --weights @linear-other.pt2 @linear.pt2");

  expect_status (&own, 0);
  expect_status (&other, 0);
  g_assert_cmpstr (own.out, !=, other.out);
  g_assert_cmpstr (archive.out, ==, other.out);
  expect_message ("run --weights @linear-wrong-size.safetensors @linear.pt2", 1,
      (const char *const[]) { "weight fc.weight is float32[3, 3], the model takes float32[3, 4]", NULL });
}

static void
test_bench (void)
{
  static const char *const numbers[] = {"load_ms", "first_ms", "min_ms", "median_ms", "p99_ms", "rss_kb"};
  g_autoptr (JsonNode) root = run_json ("bench --json --nodes --runs 5 --warmup 1 --threads 1 @conv.pt2");
  g_auto (Result) text = run ("bench --nodes --runs 3 @conv.pt2");
  JsonObject *object = json_node_get_object (root);

  expect_status (&text, 0);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    g_assert_cmpfloat (json_object_get_double_member (object, numbers[i]), >, 0);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "nodes")), >, 0);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "operators")), >, 0);
  g_assert_cmpfloat (
      json_object_get_double_member (object, "min_ms"), <=, json_object_get_double_member (object, "median_ms"));
}

static void
test_profile (void)
{
  g_autofree char *path = g_build_filename (scratch, "trace.json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_auto (Result) result = run ("run --profile ~trace.json @conv.pt2");

  expect_status (&result, 0);
  g_assert_true (json_parser_load_from_file (parser, path, NULL));
  g_assert_true (json_object_has_member (json_node_get_object (json_parser_get_root (parser)), "traceEvents"));
}

static void
test_graph (void)
{
  g_auto (Result) loaded = run ("graph --stage loaded @conv.pt2");
  g_auto (Result) final = run ("graph @conv.pt2");
  g_auto (Result) plan = run ("graph --stage plan @conv.pt2");

  expect_status (&loaded, 0);
  expect_status (&final, 0);
  expect_status (&plan, 0);
  g_assert_nonnull (strstr (loaded.out, "aten.batch_norm"));
  g_assert_nonnull (strstr (final.out, "return"));
  g_assert_cmpuint (strlen (plan.out), >, 0);
}

static void
test_check (void)
{
  g_autoptr (JsonNode) root = run_json ("check --json @linear.pt2 @conv.pt2 @counter.pt2");
  g_auto (Result) mixed = run ("check @linear.pt2 ~missing.pt2 @tied.pt2");

  g_assert_cmpuint (json_array_get_length (json_node_get_array (root)), ==, 3);
  g_assert_true (json_object_get_boolean_member (json_array_get_object_element (json_node_get_array (root), 0), "ok"));
  expect_status (&mixed, 1);
  g_assert_nonnull (strstr (mixed.out, "tied.pt2: ok"));
}

static void
test_ops (void)
{
  g_auto (Result) text = run ("ops");
  g_autoptr (JsonNode) root = run_json ("ops --json");
  JsonArray *ops = json_node_get_array (root);

  expect_status (&text, 0);
  g_assert_nonnull (strstr (text.out, "aten::relu(Tensor self) -> Tensor"));
  g_assert_cmpuint (json_array_get_length (ops), >, 50);
  for (guint i = 0; i < json_array_get_length (ops); i++) {
    JsonObject *op = json_array_get_object_element (ops, i);
    g_assert_nonnull (json_object_get_string_member (op, "schema"));
    if (strcmp (json_object_get_string_member (op, "how"), "kernel") == 0)
      g_assert_cmpuint (json_array_get_length (json_object_get_array_member (op, "kernels")), >, 0);
  }
}

static void
clean (void)
{
  g_autoptr (GDir) dir = g_dir_open (scratch, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (scratch, name, NULL);
    g_remove (path);
  }
  g_rmdir (scratch);
  g_free (scratch);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  scratch = g_dir_make_tmp ("nativert-test-XXXXXX", NULL);
  g_test_add_func ("/command/usage", test_usage);
  g_test_add_func ("/command/help", test_help);
  g_test_add_func ("/command/bad-files", test_bad_files);
  g_test_add_func ("/command/info", test_info);
  g_test_add_func ("/command/run", test_run);
  g_test_add_func ("/command/files", test_files);
  g_test_add_func ("/command/inputs", test_inputs);
  g_test_add_func ("/command/weights", test_weights);
  g_test_add_func ("/command/bench", test_bench);
  g_test_add_func ("/command/profile", test_profile);
  g_test_add_func ("/command/graph", test_graph);
  g_test_add_func ("/command/check", test_check);
  g_test_add_func ("/command/ops", test_ops);
  status = g_test_run ();
  clean ();
  return status;
}
