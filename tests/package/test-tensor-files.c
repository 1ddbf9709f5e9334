/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tensor files: what numpy and torch wrote, round trips, and files that are wrong. */
#include "count-memory.h"
#include "load-all.h"
#include "package/tensor-files.h"

#include <glib/gstdio.h>
#include <string.h>

static const char *data_dir = "tests/data/package";
static char *out_dir;

static NativertValue *
load (const char *dir, const char *name)
{
  g_autofree char *path = g_build_filename (dir, name, NULL);
  g_autoptr (GError) error = NULL;
  NativertValue *value = nativert_tensor_file_load (path, &error);

  g_assert_no_error (error);
  return value;
}

/* The element of that number in index order. */
static double
element (NativertTensor *tensor, guint index)
{
  g_autoptr (GBytes) bytes = nativert_tensor_dup_bytes (tensor);
  gconstpointer data = g_bytes_get_data (bytes, NULL);

  switch (nativert_tensor_get_dtype (tensor)) {
    case NATIVERT_DTYPE_FLOAT32:
      return ((const float *) data)[index];
    case NATIVERT_DTYPE_FLOAT64:
      return ((const double *) data)[index];
    default:
      return (double) ((const gint64 *) data)[index];
  }
}

static void
test_numpy (void)
{
  static const char *const names[] = {"arrays.npz", "compressed.npz"};
  g_autoptr (NativertValue) single = load (data_dir, "fortran.npy");

  g_assert_cmpint (nativert_tensor_get_stride (nativert_value_get_tensor (single), 0), ==, 1);
  g_assert_cmpfloat (element (nativert_value_get_tensor (single), 4), ==, 4);
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (NativertValue) dict = load (data_dir, names[i]);

    g_assert_cmpuint (nativert_value_get_length (dict), ==, 4);
    g_assert_cmpfloat (element (nativert_value_get_tensor (nativert_value_lookup (dict, "a")), 11), ==, 11);
    g_assert_cmpfloat (element (nativert_value_get_tensor (nativert_value_lookup (dict, "fortran")), 4), ==, 4);
    g_assert_cmpfloat (element (nativert_value_get_tensor (nativert_value_lookup (dict, "scalar")), 0), ==, 7);
    g_assert_cmpint (nativert_tensor_get_size (nativert_value_get_tensor (nativert_value_lookup (dict, "none")), 1), ==, 3);
  }
}

static void
check_round_trip (const char *name, const NativertDtype *dtypes, unsigned n)
{
  g_autofree char *path = g_build_filename (out_dir, name, NULL);
  NativertTensor *tensors[32];
  const char *names[32];
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertValue) dict = NULL;

  for (unsigned i = 0; i < n; i++) {
    tensors[i] = nativert_tensor_new (dtypes[i], (gint64[]) {3, i % 4, 2}, i % 3 + 1);
    names[i] = i == 0 ? "odd \"name\"\\ é\n" : nativert_dtype_get_name (dtypes[i]);
    for (gsize k = 0; k < (gsize) nativert_tensor_get_n_elements (tensors[i]) * nativert_dtype_get_size (dtypes[i]); k++)
      ((char *) nativert_tensor_get_data (tensors[i]))[k] = (char) (i + k);
  }
  nativert_tensor_file_save (path, names, tensors, n, &error);
  g_assert_no_error (error);
  dict = load (out_dir, name);
  g_assert_cmpuint (nativert_value_get_length (dict), ==, n);
  for (unsigned i = 0; i < n; i++) {
    NativertTensor *back = nativert_value_get_tensor (nativert_value_lookup (dict, names[i]));
    g_autoptr (GBytes) a = nativert_tensor_dup_bytes (tensors[i]), b = nativert_tensor_dup_bytes (back);

    g_assert_cmpint (nativert_tensor_get_dtype (back), ==, dtypes[i]);
    g_assert_cmpuint (nativert_tensor_get_n_dims (back), ==, i % 3 + 1);
    g_assert_true (g_bytes_equal (a, b));
    nativert_tensor_unref (tensors[i]);
  }
  g_unlink (path);
}

static void
test_round_trips (void)
{
  static const NativertDtype all[] = {NATIVERT_DTYPE_BOOL, NATIVERT_DTYPE_FLOAT32, NATIVERT_DTYPE_FLOAT64, NATIVERT_DTYPE_FLOAT16,
    NATIVERT_DTYPE_INT64, NATIVERT_DTYPE_INT32, NATIVERT_DTYPE_INT16, NATIVERT_DTYPE_INT8, NATIVERT_DTYPE_UINT8, NATIVERT_DTYPE_UINT16,
    NATIVERT_DTYPE_UINT32, NATIVERT_DTYPE_UINT64, NATIVERT_DTYPE_COMPLEX64, NATIVERT_DTYPE_BFLOAT16, NATIVERT_DTYPE_FLOAT8_E4M3FN,
    NATIVERT_DTYPE_FLOAT8_E5M2, NATIVERT_DTYPE_FLOAT8_E8M0FNU};

  check_round_trip ("all.safetensors", all, G_N_ELEMENTS (all));
  check_round_trip ("numpy.npz", all, 13);
}

static void
test_strided (void)
{
  g_autofree char *path = g_build_filename (out_dir, "one.npy", NULL);
  float numbers[] = {0, 1, 2, 3, 4, 5};
  NativertTensor *turned = nativert_tensor_new_borrowed (NATIVERT_DTYPE_FLOAT32, (gint64[]) {2, 3}, (gint64[]) {1, 2}, 2, numbers, NULL, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertValue) back = NULL;

  g_assert_true (nativert_tensor_file_save (path, (const char *[]) {"x"}, &turned, 1, &error));
  back = load (out_dir, "one.npy");
  g_assert_cmpfloat (element (nativert_value_get_tensor (back), 1), ==, 2);
  g_assert_cmpfloat (element (nativert_value_get_tensor (back), 3), ==, 1);
  nativert_tensor_unref (turned);
  g_unlink (path);
}

static void
test_not_saved (void)
{
  g_autoptr (NativertTensor) half = nativert_tensor_new (NATIVERT_DTYPE_BFLOAT16, NULL, 0);
  g_autoptr (NativertTensor) wide = nativert_tensor_new (NATIVERT_DTYPE_COMPLEX128, NULL, 0);
  const struct { const char *file; NativertTensor *tensor; const char *name; unsigned n; } rows[] = {
    {"a.npz", half, "x", 1}, {"a.npy", half, "x", 1}, {"a.npy", wide, "x", 2}, {"a.safetensors", wide, "x", 1}, {"a.txt", wide, "x", 1},
    {"a.npz", wide, "\xff", 1}, {"a.npz", wide, "y", 2}, {"missing/a.npy", wide, "x", 1}, {"missing/a.npz", wide, "x", 1},
    {"missing/a.safetensors", half, "x", 1}};

  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *path = g_build_filename (out_dir, rows[i].file, NULL);
    g_autoptr (GError) error = NULL;

    g_assert_false (nativert_tensor_file_save (path, (const char *[]) {rows[i].name, "y"}, (NativertTensor *[]) {rows[i].tensor, wide},
        rows[i].n, &error));
    g_assert_true (g_str_has_prefix (error->message, path));
    g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  }
}

/* ---- wrong files ---- */

static void
expect (const char *name, gconstpointer content, gsize size, const char *says)
{
  g_autofree char *path = g_build_filename (out_dir, name, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, content, (gssize) size, NULL));
  count_memory_reset ();
  g_assert_null (nativert_tensor_file_load (path, &error));
  g_assert_cmpuint (count_memory_peak (), <=, size * 4 + (1 << 20));
  g_test_message ("%s", error->message);
  g_assert_true (g_str_has_prefix (error->message, path));
  if (strstr (error->message, says) == NULL)
    g_error ("'%s' does not say '%s'", error->message, says);
  g_unlink (path);
}

static void
test_bad_safetensors (void)
{
  static const struct { const char *header; const char *says; } rows[] = {
    {"", "JSON"}, {"[]", "expected an object"}, {"{\"a\": 1}", "a: expected an object"}, {"{\"a\": {}}", "a: key 'dtype' is missing"},
    {"{\"a\": {\"dtype\": \"F33\", \"shape\": [1], \"data_offsets\": [0, 4]}}", "element type 'F33'"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 4]}}", "4 bytes do not hold the shape"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [4], \"data_offsets\": [0, 16]}}", "outside of the file"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [4, 0]}}", "outside of the file"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [-4, 0]}}", "outside of the file"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [-1], \"data_offsets\": [0, 4]}}", "negative or overflow"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [4294967296, 4294967296], \"data_offsets\": [0, 0]}}", "negative or overflow"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], \"data_offsets\": [0, 4]}}", "13 dimensions"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [0]}}", "expected two integers"},
    {"{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}, \"b\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [0, 4]}}",
        "b: tensors overlap"},
    {"{\"a\": {\"dtype\": \"U8\", \"shape\": [1], \"data_offsets\": [0, 1]}, \"a\": 1}", "'a' stands twice"},
  };

  expect ("a.safetensors", "", 0, "too short");
  expect ("a.safetensors", "\xff\xff\xff\xff\xff\xff\xff\xff{}", 10, "larger than the file");
  expect ("a.safetensors", "\3\0\0\0\0\0\0\0{}", 10, "larger than the file");
  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GByteArray) file = g_byte_array_new ();
    guint64 length = GUINT64_TO_LE (strlen (rows[i].header));

    g_byte_array_append (file, (const guint8 *) &length, 8);
    g_byte_array_append (file, (const guint8 *) rows[i].header, (guint) strlen (rows[i].header));
    g_byte_array_append (file, (const guint8 *) "12345678", 8);
    expect ("a.safetensors", file->data, file->len, rows[i].says);
  }
}

static void
test_bad_npy (void)
{
  static const struct { const char *header, *says; } rows[] = {
    {"", "not understood"}, {"{}", "not understood"}, {"{'descr': '<f4', 'fortran_order': False}", "not understood"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "do not hold the shape"},
    {"{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "not understood"},
    {"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "not understood"},
    {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "not understood"},
    {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,), }", "not understood"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "not understood"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", "not understood"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "do not hold the shape"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296), }", "do not hold the shape"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), }", "not understood"},
    {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "not understood"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1", "not understood"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } x", "not understood"},
    {"{'descr': '<f4', 'other': 1, 'fortran_order': False, 'shape': (1,), }", "not understood"},
  };

  expect ("a.npy", "", 0, "not a .npy file");
  expect ("a.npy", "\x93NUMPY\1\0\xff\xff{}{}{}{}", 18, "not a .npy file");
  expect ("a.npy", "\x93NUMPY\7\0\2\0{}{}{}{}", 18, "not a .npy file");
  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GByteArray) file = g_byte_array_new ();
    guint8 length = (guint8) strlen (rows[i].header);

    g_byte_array_append (file, (const guint8 *) "\x93NUMPY\1\0", 8);
    g_byte_array_append (file, &length, 1);
    g_byte_array_append (file, (const guint8 *) "\0", 1);
    g_byte_array_append (file, (const guint8 *) rows[i].header, length);
    g_byte_array_append (file, (const guint8 *) "12345678", 8);
    expect ("a.npy", file->data, file->len, rows[i].says);
  }
}

static void
test_other (void)
{
  expect ("a.npz", "PK", 2, "not a ZIP file");
  expect ("a.pt", "PK", 2, "not a ZIP file");
  expect ("a.bin", "PK", 2, "expected a file of");
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  if (argc > 1)
    data_dir = argv[1];
  out_dir = g_dir_make_tmp ("nativert-XXXXXX", NULL);
  g_test_add_func ("/tensor-files/numpy", test_numpy);
  g_test_add_func ("/tensor-files/round-trips", test_round_trips);
  g_test_add_func ("/tensor-files/strided", test_strided);
  g_test_add_func ("/tensor-files/not-saved", test_not_saved);
  g_test_add_func ("/tensor-files/bad-safetensors", test_bad_safetensors);
  g_test_add_func ("/tensor-files/bad-npy", test_bad_npy);
  g_test_add_func ("/tensor-files/other", test_other);
  result = g_test_run ();
  g_rmdir (out_dir);
  g_free (out_dir);
  return result;
}
