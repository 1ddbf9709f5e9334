/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Archives that are wrong in one place.  Each must give an error that names the file and the record, without a crash and
 * without asking for memory that the file does not pay for. */
#include "count-memory.h"
#include "load-all.h"
#include "zip-maker.h"

#include <string.h>

static const char *data_dir = "tests/data/package";

static char *
data (const char *name)
{
  return g_build_filename (data_dir, name, NULL);
}

/* Memory: the file itself, and a constant for tables, libzip's buffers and GLib. */
static void
check_memory (gsize file_size)
{
  g_assert_cmpuint (count_memory_peak (), <=, 4 * file_size + (1 << 20));
}

/* Loads the bytes; with says != NULL they must fail with that code and a message that has the words. */
static void
expect (GBytes *bytes, int code, const char *says)
{
  g_autoptr (GError) error = NULL;
  gsize size;
  gconstpointer content = g_bytes_get_data (bytes, &size);
  const char *path = zip_publish (content, size);
  gboolean fine;

  count_memory_reset ();
  fine = load_all (path, &error);
  check_memory (size);
  if (says == NULL) {
    g_assert_no_error (error);
    g_assert_true (fine);
    return;
  }
  g_assert_false (fine);
  g_assert_error (error, NATIVERT_ERROR, code);
  g_test_message ("%s", error->message);
  g_assert_true (g_str_has_prefix (error->message, path));
  if (strstr (error->message, says) == NULL)
    g_error ("'%s' does not say '%s'", error->message, says);
}

static void
expect_zip (GPtrArray *zip, const ZipEnd *end, int code, const char *says)
{
  g_autoptr (GBytes) bytes = zip_write (zip, end);

  expect (bytes, code, says);
}

/* ---- the file and its end records ---- */

static void
test_good (void)
{
  static const char *const names[] = {"linear.pt2", "inputs.pt2", "views.pt2", "two_models.pt2"};

  for (size_t i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = data (names[i]);
    g_autoptr (GPtrArray) zip = zip_read (path);

    expect_zip (zip, NULL, 0, NULL);
    expect_zip (zip, &(ZipEnd) {.no_end64 = TRUE}, 0, NULL);
    expect_zip (zip, &(ZipEnd) {.claim64 = TRUE}, 0, NULL);
  }
}

static void
test_no_archive (void)
{
  static const char text[] = "This is a text and no archive at all, however far one reads.";
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) empty = g_bytes_new (NULL, 0), one = g_bytes_new ("P", 1), words = g_bytes_new (text, sizeof text);
  g_autofree char *zeros = g_malloc0 (100000);
  g_autoptr (GBytes) nothing = g_bytes_new (zeros, 100000);
  g_autoptr (GPtrArray) zip = zip_new ();

  expect (empty, NATIVERT_ERROR_FORMAT, "not a ZIP file");
  expect (one, NATIVERT_ERROR_FORMAT, "not a ZIP file");
  expect (words, NATIVERT_ERROR_FORMAT, "not a ZIP file");
  expect (nothing, NATIVERT_ERROR_FORMAT, "not a ZIP file");
  expect_zip (zip, NULL, NATIVERT_ERROR_FORMAT, "not a PT2 archive");
  g_assert_false (load_all ("/no/such/file.pt2", &error));
  g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISSING);
  g_clear_error (&error);
  g_assert_false (load_all ("/", &error));
  g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_IO);
}

/* Cut off at every byte: always an error. */
static void
test_cut (void)
{
  static const char *const names[] = {"linear.pt2", "inputs.pt2"};

  for (size_t i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = data (names[i]), *content = NULL;
    gsize size;

    g_assert_true (g_file_get_contents (path, &content, &size, NULL));
    for (gsize n = 0; n < size; n++) {
      g_autoptr (GError) error = NULL;
      const char *cut = zip_publish (content, n);

      count_memory_reset ();
      g_assert_false (load_all (cut, &error));
      g_assert_true (g_str_has_prefix (error->message, cut));
      check_memory (size);
    }
  }
}

/* One byte changed, everywhere: an error or not, but nothing worse. */
static void
test_changed (void)
{
  static const char *const names[] = {"linear.pt2", "inputs.pt2"};
  static const guint8 changes[] = {0x01, 0x80, 0xff};
  guint n_fine = 0;

  for (size_t i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = data (names[i]), *content = NULL;
    gsize size;

    g_assert_true (g_file_get_contents (path, &content, &size, NULL));
    for (gsize n = 0; n < size; n++) {
      g_autoptr (GError) error = NULL;
      guint8 change = changes[n % G_N_ELEMENTS (changes)];
      content[n] ^= change;
      count_memory_reset ();
      n_fine += load_all (zip_publish (content, size), &error);
      check_memory (size);
      content[n] ^= change;
    }
  }
  g_test_message ("%u changed files still load", n_fine);
}

static void
test_end_records (void)
{
  static const struct { ZipEnd end; const char *says; } rows[] = {
    {{.count_add = 1000, .no_end64 = TRUE}, "claims more records"},
    {{.count_add = 65000, .no_end64 = TRUE}, "claims more records"},
    {{.count_add = 1 << 20, .claim64 = TRUE}, "claims more records"},
    {{.count_add = G_GINT64_CONSTANT (1) << 40, .claim64 = TRUE}, "claims more records"},
    {{.count_add = G_MININT64, .claim64 = TRUE}, "claims more records"},
    {{.count_add = -1, .claim64 = TRUE}, "not a usable archive"},
    {{.size_add = 1 << 20, .claim64 = TRUE}, "outside of the file"},
    {{.size_add = G_MAXINT64, .claim64 = TRUE}, "outside of the file"},
    {{.size_add = G_MAXINT64, .count_add = 1 << 20, .claim64 = TRUE}, "outside of the file"},
    {{.offset_add = 1 << 20, .claim64 = TRUE}, "outside of the file"},
    {{.offset_add = G_MAXINT64, .claim64 = TRUE}, "outside of the file"},
    {{.offset_add = -64, .claim64 = TRUE}, "not a usable archive"},
    {{.offset_add = 1 << 20, .no_end64 = TRUE}, "outside of the file"},
    {{.locator_add = 4, .claim64 = TRUE}, "ZIP64"},
    {{.locator_add = G_MAXINT64, .claim64 = TRUE}, "ZIP64"},
    {{.locator_add = -1000, .claim64 = TRUE}, "ZIP64"},
  };
  g_autofree char *path = data ("linear.pt2");
  g_autoptr (GPtrArray) zip = zip_read (path);

  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++)
    expect_zip (zip, &rows[i].end, NATIVERT_ERROR_FORMAT, rows[i].says);
}

/* ---- entries ---- */

typedef void (*EntryFn) (GPtrArray *zip, ZipEntry *weight);

static void size_large (GPtrArray *zip, ZipEntry *e) { e->size_add = e->stored_size_add = 1 << 30; }
static void size_small (GPtrArray *zip, ZipEntry *e) { e->size_add = e->stored_size_add = -4; }
static void two_sizes (GPtrArray *zip, ZipEntry *e) { e->size_add = 1 << 30; }
static void offset_outside (GPtrArray *zip, ZipEntry *e) { e->offset_add = 1 << 30; }
static void offset_wrong (GPtrArray *zip, ZipEntry *e) { e->offset_add = 1; }
static void overlap (GPtrArray *zip, ZipEntry *e) { e->same_place = TRUE; }
static void method (GPtrArray *zip, ZipEntry *e) { e->method = 99; }
static void method_lzma (GPtrArray *zip, ZipEntry *e) { e->method = 14; }
static void encrypted (GPtrArray *zip, ZipEntry *e) { e->flags = 1; }
static void not_deflated (GPtrArray *zip, ZipEntry *e) { e->method = 8; }
static void bomb (GPtrArray *zip, ZipEntry *e) { e->method = 8; e->size_add = 1 << 30; }

static void
rename_entry (ZipEntry *entry, const char *name)
{
  g_free (entry->name);
  entry->name = g_strdup (name);
}

static void no_utf8 (GPtrArray *zip, ZipEntry *e) { rename_entry (e, "linear/\xff\xfe"); }
static void no_utf8_unmarked (GPtrArray *zip, ZipEntry *e) { rename_entry (e, "linear/\xff\xfe"); e->flags = 0x800; }
static void no_name (GPtrArray *zip, ZipEntry *e) { rename_entry (e, ""); }
static void gone (GPtrArray *zip, ZipEntry *e) { rename_entry (e, "linear/data/weights/other"); }
static void other_root (GPtrArray *zip, ZipEntry *e) { rename_entry (e, "x/data/weights/weight_0"); }
static void no_root (GPtrArray *zip, ZipEntry *e) { rename_entry (e, "weight_0"); }
static void old_layout (GPtrArray *zip, ZipEntry *e) { zip_add (zip, "serialized_exported_program.json", "{}", 2); }

static void
twice (GPtrArray *zip, ZipEntry *e)
{
  zip_add (zip, e->name, "12345678", 8);
}

static void
test_entries (void)
{
  static const struct { EntryFn change; int code; const char *says; } rows[] = {
    {size_large, NATIVERT_ERROR_FORMAT, "weight_0': is larger than the file"}, {size_small, NATIVERT_ERROR_MISMATCH, "fc.weight"},
    {two_sizes, NATIVERT_ERROR_FORMAT, "weight_0': is stored but has two sizes"}, {offset_outside, NATIVERT_ERROR_FORMAT, "weight_0'"},
    {offset_wrong, NATIVERT_ERROR_FORMAT, "weight_0'"}, {overlap, NATIVERT_ERROR_FORMAT, "overlap"},
    {method, NATIVERT_ERROR_FORMAT, "not a usable archive"},
    {method_lzma, NATIVERT_ERROR_FORMAT, "weight_0': is compressed by an unknown method"},
    {encrypted, NATIVERT_ERROR_FORMAT, "weight_0'"}, {not_deflated, NATIVERT_ERROR_FORMAT, "weight_0': its compressed bytes are damaged"},
    {bomb, NATIVERT_ERROR_FORMAT, "weight_0': claims to be larger"}, {no_utf8, NATIVERT_ERROR_FORMAT, "not a usable archive"},
    {no_utf8_unmarked, NATIVERT_ERROR_FORMAT, "bad name"},
    {no_name, NATIVERT_ERROR_FORMAT, "bad name"}, {gone, NATIVERT_ERROR_MISSING, "data/weights/weight_0' is missing"},
    {other_root, NATIVERT_ERROR_FORMAT, "root folder"}, {no_root, NATIVERT_ERROR_FORMAT, "root folder"},
    {old_layout, NATIVERT_ERROR_VERSION, "torch 2.7 or older"}, {twice, NATIVERT_ERROR_FORMAT, "weight_0': is there twice"},
  };

  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *path = data ("linear.pt2");
    g_autoptr (GPtrArray) zip = zip_read (path);

    /* an entry before it, for those that point there */
    g_ptr_array_insert (zip, 0, g_ptr_array_steal_index (zip, zip->len - 1));
    rows[i].change (zip, zip_find (zip, "data/weights/weight_0"));
    g_test_message ("row %zu", i);
    expect_zip (zip, NULL, rows[i].code, rows[i].says);
  }
}

/* ---- whole records ---- */

static void
test_records (void)
{
  static const struct { const char *record, *content; int code; const char *says; } rows[] = {
    {"archive_format", "pt3", NATIVERT_ERROR_FORMAT, "archive_format': expected 'pt2', got 'pt3'"},
    {"archive_format", "", NATIVERT_ERROR_FORMAT, "archive_format': expected 'pt2', got ''"},
    {"archive_version", "1", NATIVERT_ERROR_VERSION, "archive_version': expected '0', got '1'"},
    {"archive_version", "\xff\x01", NATIVERT_ERROR_VERSION, "archive_version'"},
    {"archive_version", "00000000000000000000000000000000000000000000000000000000000000000000000000000000", NATIVERT_ERROR_FORMAT,
        "archive_version': expected one short word"},
    {"byteorder", "big", NATIVERT_ERROR_UNSUPPORTED, "byteorder': expected 'little', got 'big'"},
    {".data/version", "99", NATIVERT_ERROR_VERSION, ".data/version'"},
    {".data/version", "six", NATIVERT_ERROR_FORMAT, ".data/version'"},
    {".data/version", "-1", NATIVERT_ERROR_FORMAT, ".data/version'"},
    {"models/model.json", "", NATIVERT_ERROR_FORMAT, "models/model.json'"},
    {"models/model.json", "[]", NATIVERT_ERROR_FORMAT, "models/model.json': expected an object, got an array"},
    {"models/model.json", "{}", NATIVERT_ERROR_FORMAT, "models/model.json': key 'schema_version' is missing"},
    {"models/model.json", "{\"schema_version\": {\"major\": 9, \"minor\": 0}}", NATIVERT_ERROR_VERSION,
        "models/model.json': schema_version: schema version 9.0"},
    {"models/model.json", "{\"schema_version\": 8}", NATIVERT_ERROR_FORMAT, "models/model.json': schema_version: expected an object"},
    {"models/model.json", "{\"schema_version\": {\"major\": 8, \"minor\": 0}}", NATIVERT_ERROR_FORMAT, "key 'graph_module' is missing"},
    {"data/weights/model_weights_config.json", "{}", NATIVERT_ERROR_FORMAT, "model_weights_config.json': key 'config' is missing"},
    {"data/weights/model_weights_config.json", "{\"config\": []}", NATIVERT_ERROR_FORMAT, "config: expected an object"},
    {"data/constants/model_constants_config.json", "nul", NATIVERT_ERROR_FORMAT, "model_constants_config.json'"},
    {"data/weights/weight_0", "", 0, NULL},
    {"data/weights/weight_0", "1234", NATIVERT_ERROR_MISMATCH, "fc.weight: needs 48 bytes of record"},
    {"data/sample_inputs/model.pt", "", 0, NULL},
    {"data/sample_inputs/model.pt", "text", NATIVERT_ERROR_FORMAT, "data/sample_inputs/model.pt'"},
  };

  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *path = data ("linear.pt2");
    g_autoptr (GPtrArray) zip = zip_read (path);

    zip_set (zip_find (zip, rows[i].record), rows[i].content, strlen (rows[i].content));
    expect_zip (zip, NULL, rows[i].code, rows[i].says);
  }
}

/* Every record, cut in half and to one byte less. */
static void
test_records_cut (void)
{
  static const char *const names[] = {"linear.pt2", "inputs.pt2", "views.pt2", "two_models.pt2"};

  for (size_t i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = data (names[i]);
    g_autoptr (GPtrArray) good = zip_read (path);

    for (guint k = 0; k < 2 * good->len; k++) {
      g_autoptr (GPtrArray) zip = zip_read (path);
      ZipEntry *entry = g_ptr_array_index (zip, k / 2);
      const char *record = strchr (entry->name, '/') + 1;
      gsize size = g_bytes_get_size (entry->data), cut = k % 2 == 0 ? size / 2 : size - 1;
      g_autofree char *content = size > 0 ? g_memdup2 (g_bytes_get_data (entry->data, NULL), size) : NULL;

      /* records that nothing reads, or that stay what they were without their last byte */
      if (size == 0 || strcmp (record, ".data/serialization_id") == 0 || g_str_has_prefix (record, "extra/")
          || (strcmp (record, ".data/version") == 0 && cut > 0) || (g_str_has_prefix (record, "data/") && cut == 0))
        continue;
      zip_set (entry, content, cut);
      g_test_message ("%s of %zu bytes", record, cut);
      g_autoptr (GBytes) bytes = zip_write (zip, NULL);
      g_autoptr (GError) error = NULL;
      gconstpointer all = g_bytes_get_data (bytes, &size);
      count_memory_reset ();
      g_assert_false (load_all (zip_publish (all, size), &error));
      check_memory (size);
      if (strstr (error->message, record) == NULL)
        g_error ("'%s' does not name %s", error->message, record);
    }
  }
}

/* ---- words in the JSON records ---- */

typedef struct { const char *find, *replace; int code; const char *says; } Substitution;

static void
substitute (const char *file, const char *record, const Substitution *rows, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    g_autofree char *path = data (file), *text = NULL, *before = NULL, *changed = NULL;
    g_autoptr (GPtrArray) zip = zip_read (path);
    ZipEntry *entry = zip_find (zip, record);
    const char *at;

    text = g_strndup (g_bytes_get_data (entry->data, NULL), g_bytes_get_size (entry->data));
    at = strstr (text, rows[i].find);
    if (at == NULL)
      g_error ("%s: no '%s'", record, rows[i].find);
    before = g_strndup (text, at - text);
    changed = g_strconcat (before, rows[i].replace, at + strlen (rows[i].find), NULL);
    zip_set (entry, changed, strlen (changed));
    g_test_message ("%s -> %s", rows[i].find, rows[i].replace);
    expect_zip (zip, NULL, rows[i].code, rows[i].says);
  }
}

#define F NATIVERT_ERROR_FORMAT
#define L NATIVERT_ERROR_LIMIT
#define M NATIVERT_ERROR_MISMATCH
#define U NATIVERT_ERROR_UNSUPPORTED

static void
test_model_json (void)
{
  static const Substitution rows[] = {
    {"{\"as_tensor\": {\"name\": \"p_fc_weight\"}}", "{\"as_tenso\": {\"name\": \"p\"}}", F, "graph_module.graph.inputs[0]: unknown tag 'as_tenso'"},
    {"{\"as_tensor\": {\"name\": \"p_fc_weight\"}}", "{\"as_tensor\": {\"name\": 3}}", F, "inputs[0].as_tensor.name: expected a string, got an integer"},
    {"{\"as_tensor\": {\"name\": \"p_fc_weight\"}}", "{\"as_tensor\": {}}", F, "inputs[0].as_tensor: key 'name' is missing"},
    {"{\"as_tensor\": {\"name\": \"p_fc_weight\"}}", "{}", F, "inputs[0]: expected one tag, got 0"},
    {"{\"as_tensor\": {\"name\": \"p_fc_weight\"}}", "7", F, "inputs[0]: expected an object, got an integer"},
    {"{\"as_tensor\": {\"name\": \"p_fc_weight\"}}", "{\"as_none\": true, \"as_int\": 1}", F, "inputs[0]: expected one tag, got 2"},
    {"{\"as_tensor\": {\"name\": \"p_fc_weight\"}}", "{\"as_int\": 1.5}", F, "expected an integer, got a number"},
    {"{\"as_tensor\": {\"name\": \"p_fc_weight\"}}", "{\"as_int\": 9223372036854775808}", L, "integer beyond 64 bits"},
    {"{\"as_tensor\": {\"name\": \"p_fc_weight\"}}", "{\"as_float\": 1e400}", L, "number beyond double precision"},
    {"{\"as_tensor\": {\"name\": \"p_fc_weight\"}}", "{\"as_float\": \"inf\"}", F, "'inf' is no number"},
    {"{\"as_tensor\": {\"name\": \"p_fc_weight\"}}", "{\"as_ints\": [1, true]}", F, "as_ints[1]: expected an integer, got a boolean"},
    {"{\"as_tensor\": {\"name\": \"p_fc_weight\"}}", "{\"as_scalar_type\": 99}", F, "unknown scalar type 99"},
    {"{\"as_tensor\": {\"name\": \"p_fc_weight\"}}", "{\"as_layout\": 8}", F, "unknown layout 8"},
    {"{\"as_tensor\": {\"name\": \"p_fc_weight\"}}", "{\"as_memory_format\": -1}", F, "unknown memory format -1"},
    {"{\"as_tensor\": {\"name\": \"p_fc_weight\"}}", "{\"as_sym_int\": {\"as_expr\": 1}}", F, "unknown tag 'as_expr'"},
    {"{\"as_tensor\": {\"name\": \"p_fc_weight\"}}", "{\"as_device\": {\"type\": \"cpu\", \"index\": 99999999999}}", F, "no such device"},
    {"{\"as_tensor\": {\"name\": \"p_fc_weight\"}}", "{\"as_graph\": {\"name\": \"g\", \"graph\": {\"inputs\": []}}}", F, "key 'outputs' is missing"},
    {"\"kind\": 1", "\"kind\": 3", F, "unknown kind of argument"},
    {"\"dtype\": 7", "\"dtype\": 14", F, "unknown scalar type 14"},
    {"\"dtype\": 7", "\"dtype\": \"7\"", F, "dtype: expected an integer, got a string"},
    {"\"layout\": 7", "\"layout\": 9", F, "unknown layout 9"},
    {"\"sizes\": [{\"as_int\": 3}", "\"sizes\": [{\"as_int\": -3}", F, "sizes[0]: is negative"},
    {"\"strides\": [{\"as_int\": 4}, {\"as_int\": 1}]", "\"strides\": [{\"as_int\": 4}]", F, "2 sizes but 1 strides"},
    {"Symbol('", "Symbole('", F, "expression"},
    {"\"p_fc_bias\": {\"dtype\"", "\"p_fc_weight\": {\"dtype\"", F, "key 'p_fc_weight' stands twice"},
    {"\"sym_int_values\": {}", "\"sym_int_values\": {\"x\": {\"as_int\": 1}}", F, "another table has a value of this name"},
    {"\"input_specs\": [", "\"input_specs\": [{\"token\": {\"arg\": {\"name\": \"t\"}}}, ", M, "4 specs for 3 inputs"},
    {"{\"parameter\": {", "{\"paramete\": {", F, "unknown kind of input 'paramete'"},
    {"{\"user_output\": {", "{\"output\": {", F, "unknown kind of output 'output'"},
    {"\"parameter_name\"", "\"name\"", F, "key 'parameter_name' is missing"},
    {"\"min_val\": 2", "\"min_val\": 9", F, "the range is empty"},
    {"\"min_val\": 2", "\"min_val\": \"2\"", F, "min_val: expected an integer"},
    {"\"range_constraints\": {\"", "\"range_constraints\": {\"((", F, "expression"},
    {"\"major\": 8", "\"major\": 7", NATIVERT_ERROR_VERSION, "schema version 7."},
    {"\"target\"", "\"targe\"", F, "nodes[0]: key 'target' is missing"},
    {"\"nodes\": [", "\"nodes\": [null, ", F, "nodes[0]: expected an object, got null"},
    {"\"guards_code\": [", "\"guards_code\": [1], \"x\": [", F, "guards_code[0]: expected a string"},
    {"\"verifiers\": [", "\"verifiers\": [], \"x\": [", 0, NULL},
    {"\"torch_version\"", "\"torch_versio\"", 0, NULL},
  };

  substitute ("linear.pt2", "models/model.json", rows, G_N_ELEMENTS (rows));
}

static void
test_weights_json (void)
{
  static const Substitution rows[] = {
    {"\"path_name\": \"weight_0\"", "\"path_name\": \"weight_9\"", NATIVERT_ERROR_MISSING, "record 'data/weights/weight_9' is missing"},
    {"\"path_name\": \"weight_0\"", "\"path_name\": \"../../../etc/passwd\"", NATIVERT_ERROR_MISSING, "is missing"},
    {"\"path_name\": \"weight_0\"", "\"path_name\": 0", F, "path_name: expected a string"},
    {"\"path_name\": \"weight_0\"", "\"path\": \"weight_0\"", F, "fc.weight: key 'path_name' is missing"},
    {"\"sizes\": [{\"as_int\": 3}", "\"sizes\": [{\"as_int\": 4}", M, "fc.weight: needs 64 bytes of record 'linear/data/weights/weight_0', which has 48"},
    {"\"sizes\": [{\"as_int\": 3}", "\"sizes\": [{\"as_int\": 4611686018427387904}", F, "sizes and strides overflow"},
    {"\"sizes\": [{\"as_int\": 3}", "\"sizes\": [{\"as_int\": -3}", F, "sizes[0]: is negative"},
    {"\"sizes\": [{\"as_int\": 3}", "\"sizes\": [{\"as_expr\": {\"expr_str\": \"s0\"}}", F, "key 'as_int' is missing"},
    {"\"sizes\": [{\"as_int\": 3}", "\"sizes\": [{\"as_int\": 1}, {\"as_int\": 1}, {\"as_int\": 1}, {\"as_int\": 1}, {\"as_int\": 1}, "
        "{\"as_int\": 1}, {\"as_int\": 1}, {\"as_int\": 1}, {\"as_int\": 1}, {\"as_int\": 1}, {\"as_int\": 1}, {\"as_int\": 3}", L, "13 dimensions"},
    {"\"strides\": [{\"as_int\": 4}", "\"strides\": [{\"as_int\": 400}", M, "fc.weight: needs"},
    {"\"strides\": [{\"as_int\": 4}", "\"strides\": [{\"as_int\": -4}", F, "strides[0]: is negative"},
    {"\"strides\": [{\"as_int\": 4}", "\"strides\": [{\"as_int\": 9223372036854775807}", F, "sizes and strides overflow"},
    {"\"strides\": [{\"as_int\": 4}, ", "\"strides\": [", F, "2 sizes but 1 strides"},
    {"\"storage_offset\": {\"as_int\": 0}", "\"storage_offset\": {\"as_int\": 1}", M, "fc.weight: needs 52 bytes"},
    {"\"storage_offset\": {\"as_int\": 0}", "\"storage_offset\": {\"as_int\": 9223372036854775807}", F, "sizes and strides overflow"},
    {"\"dtype\": 7", "\"dtype\": 8", M, "fc.weight: needs 96 bytes"},
    {"\"dtype\": 7", "\"dtype\": 0", F, "unknown scalar type 0"},
    {"\"layout\": 7", "\"layout\": 1", U, "layout 1"},
    {"\"use_pickle\": false", "\"use_pickle\": true", F, "weight_0': not a usable archive"},
    {"\"use_pickle\": false", "\"use_pickle\": 1", F, "use_pickle: expected a boolean"},
    {"\"tensor_meta\": {", "\"tensor_meta\": null, \"x\": {", F, "tensor_meta: expected an object, got null"},
    {"\"fc.bias\": {", "\"fc.weight\": {", F, "key 'fc.weight' stands twice"},
  };

  substitute ("linear.pt2", "data/weights/model_weights_config.json", rows, G_N_ELEMENTS (rows));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (argc > 1)
    data_dir = argv[1];
  g_test_add_func ("/malformed/good", test_good);
  g_test_add_func ("/malformed/no-archive", test_no_archive);
  g_test_add_func ("/malformed/end-records", test_end_records);
  g_test_add_func ("/malformed/entries", test_entries);
  g_test_add_func ("/malformed/records", test_records);
  g_test_add_func ("/malformed/records-cut", test_records_cut);
  g_test_add_func ("/malformed/model-json", test_model_json);
  g_test_add_func ("/malformed/weights-json", test_weights_json);
  g_test_add_func ("/malformed/cut", test_cut);
  g_test_add_func ("/malformed/changed", test_changed);
  return g_test_run ();
}
