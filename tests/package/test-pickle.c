/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The unpickler: what plain pickles mean, and what hostile ones get. */
#include "count-memory.h"
#include "load-all.h"
#include "package/pickle.h"
#include "zip-maker.h"

#include <string.h>

static const char *data_dir = "tests/data/package";

/* data.pkl of these bytes beside a storage of 16 bytes. */
static NativertValue *
load_bytes (gconstpointer pickle, gsize size, GError **error)
{
  g_autoptr (GPtrArray) zip = zip_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (NativertArchive) archive = NULL;
  gsize n;
  gconstpointer data;

  zip_add (zip, "archive/data.pkl", pickle, size);
  zip_add (zip, "archive/byteorder", "little", 6);
  zip_add (zip, "archive/data/0", "\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40", 16);
  bytes = zip_write (zip, NULL);
  data = g_bytes_get_data (bytes, &n);
  archive = nativert_archive_open (zip_publish (data, n), error);
  g_assert_nonnull (archive);
  return nativert_pickle_load (archive, error);
}

#define STORAGE "(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0" "0X\3\0\0\0cpuK\4tQ"
#define REBUILD "ctorch._utils\n_rebuild_tensor_v2\n("
#define HOOKS "\x89" "ccollections\nOrderedDict\n)R"
#define TENSOR REBUILD STORAGE "K\0K\4\x85K\1\x85" HOOKS "tR"
#define P(text) text, sizeof text - 1

static void
test_plain (void)
{
  static const struct { const char *pickle; gsize size; NativertValueKind kind; gint64 i; } rows[] = {
    {P ("\x80\2N."), NATIVERT_VALUE_NONE, 0},
    {P ("\x80\2\x88."), NATIVERT_VALUE_BOOL, 1},
    {P ("\x80\2K\xff."), NATIVERT_VALUE_INT, 255},
    {P ("\x80\2M\x01\x02."), NATIVERT_VALUE_INT, 513},
    {P ("\x80\2J\xff\xff\xff\xff."), NATIVERT_VALUE_INT, -1},
    {P ("\x80\2\x8a\0."), NATIVERT_VALUE_INT, 0},
    {P ("\x80\2\x8a\2\0\x80."), NATIVERT_VALUE_INT, -32768},
    {P ("\x80\2\x8a\x8\0\0\0\0\0\0\0\x80."), NATIVERT_VALUE_INT, G_MININT64},
    {P ("\x80\5\x95\3\0\0\0\0\0\0\0K\7."), NATIVERT_VALUE_INT, 7},
    {P ("\x80\2(K\1K\2t0K\3."), NATIVERT_VALUE_INT, 3},
  };

  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (NativertValue) value = load_bytes (rows[i].pickle, rows[i].size, &error);

    g_assert_no_error (error);
    g_assert_cmpint (nativert_value_get_kind (value), ==, rows[i].kind);
    if (rows[i].kind == NATIVERT_VALUE_INT)
      g_assert_cmpint (nativert_value_get_int (value), ==, rows[i].i);
  }
}

static void
test_tensor (void)
{
  static const char shared[] = "\x80\2" TENSOR "q\1h\1\x86.";
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertValue) value = load_bytes (P (TENSOR "."), &error),
                            pair = load_bytes (shared, sizeof shared - 1, &error);
  NativertTensor *tensor = nativert_value_get_tensor (value);

  g_assert_no_error (error);
  g_assert_cmpint (nativert_tensor_get_size (tensor, 0), ==, 4);
  g_assert_cmpfloat (((const float *) nativert_tensor_get_data (tensor))[3], ==, 4);
  g_assert_true (nativert_value_get_child (pair, 0) == nativert_value_get_child (pair, 1));
}

static void
test_hostile (void)
{
  static const struct { const char *pickle; gsize size; int code; const char *says;
  } rows[] = {
    { P (""), NATIVERT_ERROR_FORMAT, "ends too early" },
    { P ("."), NATIVERT_ERROR_FORMAT, "does not end with one object" },
    { P ("NN."), NATIVERT_ERROR_FORMAT, "does not end with one object" },
    { P ("(."), NATIVERT_ERROR_FORMAT, "does not end with one object" },
    { P ("\x80\x09N."), NATIVERT_ERROR_VERSION, "protocol 9" },
    { P ("cos\nsystem\n(X\4\0\0\0true"
         "tR."),
        NATIVERT_ERROR_UNSUPPORTED, "'os system' is not known and is not called" },
    { P ("\x80\4\x8c\2os\x8c\6system\x93(\x8c\4truetR."), NATIVERT_ERROR_UNSUPPORTED, "'os system'" },
    { P ("cbuiltins\neval\n(X\3\0\0\0"
         "1+1tR."),
        NATIVERT_ERROR_UNSUPPORTED, "'builtins eval'" },
    { P ("cos\nsystem\n."), NATIVERT_ERROR_UNSUPPORTED, "'os system' is no value" },
    { P ("ctorch._tensor\n_rebuild_from_type_v2\n(cos\nsystem\nctorch\nTensor\n)NtR."), NATIVERT_ERROR_UNSUPPORTED,
        "'os system'" },
    { P ("ctorch._utils\n_rebuild_meta_tensor_no_storage\n)R."), NATIVERT_ERROR_UNSUPPORTED,
        "_rebuild_meta_tensor_no_storage" },
    { P ("(ios\nsystem\n."), NATIVERT_ERROR_FORMAT, "opcode 0x69" },
    { P ("S'text'\n."), NATIVERT_ERROR_FORMAT, "opcode 0x53" },
    { P ("\x82\1."), NATIVERT_ERROR_FORMAT, "opcode 0x82" },
    { P ("cos\nsystem"), NATIVERT_ERROR_FORMAT, "name without an end" },
    { P ("K\1)R."), NATIVERT_ERROR_FORMAT, "calls something that is no name" },
    { P ("cos\nsystem\nNR."), NATIVERT_ERROR_FORMAT, "calls something that is no name" },
    { P ("N\x93."), NATIVERT_ERROR_FORMAT, "more from the stack" },
    { P ("R."), NATIVERT_ERROR_FORMAT, "more from the stack" },
    { P ("t."), NATIVERT_ERROR_FORMAT, "no mark" },
    { P ("\x87."), NATIVERT_ERROR_FORMAT, "more from the stack" },
    { P ("N(0."), NATIVERT_ERROR_FORMAT, "more from the stack" },
    { P ("NNa."), NATIVERT_ERROR_FORMAT, "appends to no list" },
    { P ("}(Nu."), NATIVERT_ERROR_FORMAT, "key without a value" },
    { P ("](Ne(Nu."), NATIVERT_ERROR_FORMAT, "sets an item of no dict" },
    { P ("})Ns."), NATIVERT_ERROR_UNSUPPORTED, "key that is neither" },
    { P ("h\1."), NATIVERT_ERROR_FORMAT, "memo has no such entry" },
    { P ("Nq\1"
         "0."),
        NATIVERT_ERROR_FORMAT, "does not end with one object" },
    { P ("X\xff\xff\xff\xff"
         "abc."),
        NATIVERT_ERROR_FORMAT, "ends too early" },
    { P ("\x8d\xff\xff\xff\xff\xff\xff\xff\xff"
         "abc."),
        NATIVERT_ERROR_FORMAT, "ends too early" },
    { P ("X\2\0\0\0\xff\xfe."), NATIVERT_ERROR_FORMAT, "not UTF-8" },
    { P ("X\3\0\0\0a\0b."), NATIVERT_ERROR_FORMAT, "has a NUL" },
    { P ("\x8b\xff\xff\xff\x7f."), NATIVERT_ERROR_LIMIT, "integer beyond 64 bits" },
    { P ("\x8a\x09\0\0\0\0\0\0\0\0\1."), NATIVERT_ERROR_LIMIT, "integer beyond 64 bits" },
    { P ("]q\1h\1"
         "a."),
        NATIVERT_ERROR_LIMIT, "in a circle" },
    { P ("}q\1K\1h\1s."), NATIVERT_ERROR_LIMIT, "in a circle" },
    { P ("NQ."), NATIVERT_ERROR_FORMAT, "persistent id is no storage" },
    { P ("(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"
         "9X\3\0\0\0cpuK\4tQ."),
        NATIVERT_ERROR_MISSING, "storage 'data/9' is missing" },
    { P ("(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"
         "0X\3\0\0\0cpuK\5tQ."),
        NATIVERT_ERROR_MISMATCH, "storage '0' has 16 bytes" },
    { P ("(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"
         "0X\3\0\0\0cpuJ\xff\xff\xff\xfftQ."),
        NATIVERT_ERROR_MISMATCH, "storage '0'" },
    { P ("(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"
         "0X\3\0\0\0cpu\x8a\x8\0\0\0\0\0\0\0\x60tQ."),
        NATIVERT_ERROR_MISMATCH, "storage '0'" },
    { P ("(X\7\0\0\0storagecos\nsystem\nX\1\0\0\0"
         "0X\3\0\0\0cpuK\4tQ."),
        NATIVERT_ERROR_UNSUPPORTED, "type 'os system'" },
    { P (STORAGE "."), NATIVERT_ERROR_UNSUPPORTED, "'storage' is no value" },
    { P (REBUILD STORAGE "K\1K\4\x85K\1\x85" HOOKS "tR."), NATIVERT_ERROR_MISMATCH,
        "does not lie within its storage of 16 bytes" },
    { P (REBUILD STORAGE "K\0K\5\x85K\1\x85" HOOKS "tR."), NATIVERT_ERROR_MISMATCH, "does not lie within" },
    { P (REBUILD STORAGE "K\0K\4\x85K\2\x85" HOOKS "tR."), NATIVERT_ERROR_MISMATCH, "does not lie within" },
    { P (REBUILD STORAGE "J\xff\xff\xff\xffK\1\x85K\1\x85" HOOKS "tR."), NATIVERT_ERROR_MISMATCH,
        "does not lie within" },
    { P (REBUILD STORAGE "K\0J\xff\xff\xff\xff\x85K\1\x85" HOOKS "tR."), NATIVERT_ERROR_FORMAT, "no count" },
    { P (REBUILD STORAGE "K\0\x8a\x8\0\0\0\0\0\0\0\x40\x85\x8a\x8\0\0\0\0\0\0\0\x40\x85" HOOKS "tR."),
        NATIVERT_ERROR_MISMATCH, "does not lie" },
    { P (REBUILD STORAGE "K\0K\4\x85)" HOOKS "tR."), NATIVERT_ERROR_MISMATCH, "does not lie within" },
    { P (REBUILD STORAGE "K\0(K\1K\1K\1K\1K\1K\1K\1K\1K\1K\1K\1K\1K\1tK\1\x85" HOOKS "tR."), NATIVERT_ERROR_LIMIT,
        "13 dimensions" },
    { P (REBUILD "NK\0K\4\x85K\1\x85" HOOKS "tR."), NATIVERT_ERROR_FORMAT, "unexpected arguments" },
    { P (REBUILD STORAGE "K\0tR."), NATIVERT_ERROR_FORMAT, "unexpected arguments" },
    { P (REBUILD STORAGE "K\0K\4\x85K\1\x85" HOOKS "}X\4\0\0\0conj\x88stR."), NATIVERT_ERROR_FORMAT,
        "conj or neg of float32" },
    { P ("ctorch._utils\n_rebuild_parameter\n(NtR."), NATIVERT_ERROR_FORMAT, "parameter without a tensor" },
    { P ("ctorch._utils\n_rebuild_parameter\n)R."), NATIVERT_ERROR_FORMAT, "parameter without a tensor" },
    { P ("ctorch\nSize\n)R."), NATIVERT_ERROR_FORMAT, "argument is missing" },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;

    count_memory_reset ();
    g_assert_null (load_bytes (rows[i].pickle, rows[i].size, &error));
    g_assert_cmpuint (count_memory_peak (), <=, 1 << 20);
    g_test_message ("%s", error->message);
    g_assert_error (error, NATIVERT_ERROR, rows[i].code);
    g_assert_nonnull (strstr (error->message, "archive/data.pkl': pickle: "));
    if (strstr (error->message, rows[i].says) == NULL)
      g_error ("'%s' does not say '%s'", error->message, rows[i].says);
  }
}

/* Deep, and a thousand million values in a hundred bytes. */
static void
test_large (void)
{
  g_autoptr (GByteArray) pickle = g_byte_array_new ();
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 100000; i++)
    g_byte_array_append (pickle, (const guint8 *) "]", 1);
  for (int i = 1; i < 100000; i++)
    g_byte_array_append (pickle, (const guint8 *) "a", 1);
  g_byte_array_append (pickle, (const guint8 *) ".", 1);
  g_assert_null (load_bytes (pickle->data, pickle->len, &error));
  g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_LIMIT);
  g_clear_error (&error);

  g_byte_array_set_size (pickle, 0);
  g_byte_array_append (pickle, (const guint8 *) ")q\0", 3);
  for (int i = 0; i < 30; i++)
    g_byte_array_append (pickle, (const guint8 *) "h\0\x86q\0", 5);
  g_byte_array_append (pickle, (const guint8 *) ".", 1);
  count_memory_reset ();
  g_assert_null (load_bytes (pickle->data, pickle->len, &error));
  g_assert_cmpuint (count_memory_peak (), <=, 1 << 20);
  g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_LIMIT);
  g_clear_error (&error);

  g_byte_array_set_size (pickle, 0);
  for (int i = 0; i < 1100000; i++)
    g_byte_array_append (pickle, (const guint8 *) "N0", 2);
  g_assert_null (load_bytes (pickle->data, pickle->len, &error));
  g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_LIMIT);
}

/* What torch.save writes, in both protocols. */
static void
test_saved (void)
{
  static const char *const names[] = {"saved_2.pt", "saved_4.pt"};

  for (size_t i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (data_dir, names[i], NULL);
    g_autoptr (GError) error = NULL;
    g_autoptr (NativertArchive) archive = nativert_archive_open (path, &error);
    g_autoptr (NativertValue) value = archive != NULL ? nativert_pickle_load (archive, &error) : NULL;
    NativertTensor *a;

    g_assert_no_error (error);
    a = nativert_value_get_tensor (nativert_value_lookup (value, "a"));
    g_assert_cmpint (nativert_tensor_get_size (a, 1), ==, 4);
    g_assert_cmpfloat (((const float *) nativert_tensor_get_data (a))[11], ==, 11);
    g_assert_cmpint (nativert_tensor_get_dtype (nativert_value_get_tensor (nativert_value_lookup (value, "b"))), ==,
        NATIVERT_DTYPE_BFLOAT16);
    g_assert_cmpint (nativert_tensor_get_dtype (nativert_value_get_tensor (nativert_value_lookup (value, "f8"))), ==,
        NATIVERT_DTYPE_FLOAT8_E5M2);
    g_assert_cmpint (nativert_value_get_int (nativert_value_lookup (value, "n")), ==, 5);
    g_assert_nonnull (nativert_value_get_tensor (nativert_value_lookup (value, "p")));
    g_assert_cmpstr (nativert_value_get_key (nativert_value_lookup (value, "od"), 0), ==, "z");
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (argc > 1)
    data_dir = argv[1];
  g_test_add_func ("/pickle/plain", test_plain);
  g_test_add_func ("/pickle/tensor", test_tensor);
  g_test_add_func ("/pickle/hostile", test_hostile);
  g_test_add_func ("/pickle/large", test_large);
  g_test_add_func ("/pickle/saved", test_saved);
  return g_test_run ();
}
