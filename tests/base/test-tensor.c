/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tensors: ownership, alignment, strided copies, sizes that make no sense. */
#include "nativert.h"

#include <string.h>

static void
test_new (void)
{
  const gint64 sizes[] = {3, 5};
  g_autoptr (NativertTensor) tensor = nativert_tensor_new (NATIVERT_DTYPE_FLOAT32, sizes, 2);
  /* large enough to be mapped */
  g_autoptr (NativertTensor) large = nativert_tensor_new (NATIVERT_DTYPE_UINT8, (gint64[]) {5000001}, 1);
  g_autoptr (NativertTensor) scalar = nativert_tensor_new (NATIVERT_DTYPE_INT64, NULL, 0);

  g_assert_cmpint (nativert_tensor_get_n_elements (tensor), ==, 15);
  g_assert_cmpint (nativert_tensor_get_stride (tensor, 0), ==, 5);
  g_assert_cmpint (nativert_tensor_get_size (tensor, -1), ==, 5);
  g_assert_cmpuint ((guintptr) nativert_tensor_get_data (tensor) % 64, ==, 0);
  g_assert_cmpuint ((guintptr) nativert_tensor_get_data (large) % (2 << 20), ==, 0);
  memset (nativert_tensor_get_data (large), 1, 5000001);
  g_assert_cmpint (*(gint64 *) nativert_tensor_get_data (scalar), ==, 0);
  g_assert_cmpint (nativert_tensor_get_n_elements (scalar), ==, 1);
}

static void
test_refused (void)
{
  gint64 ones[13] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  g_autoptr (GBytes) bytes = g_bytes_new_static ("0123456", 7);

  g_assert_null (nativert_tensor_new (NATIVERT_DTYPE_FLOAT32, (gint64[]) {-1}, 1));
  g_assert_null (nativert_tensor_new (NATIVERT_DTYPE_FLOAT32, (gint64[]) {G_MAXINT64, 2}, 2));
  g_assert_null (nativert_tensor_new (NATIVERT_DTYPE_FLOAT32, (gint64[]) {G_MAXINT64}, 1));
  g_assert_null (nativert_tensor_new (NATIVERT_DTYPE_FLOAT32, (gint64[]) {0, G_MAXINT64, 3}, 3));
  g_assert_null (nativert_tensor_new (NATIVERT_DTYPE_FLOAT32, ones, 13));
  g_assert_null (nativert_tensor_new ((NativertDtype) 99, ones, 1));
  g_assert_null (nativert_tensor_new_from_bytes (NATIVERT_DTYPE_FLOAT32, (gint64[]) {2}, 1, bytes));
}

static void
count (gpointer user_data)
{
  (*(int *) user_data)++;
}

static void
test_strided (void)
{
  gint16 data[24];
  int freed = 0;
  static const gint16 transposed[] = {1, 5, 9, 2, 6, 10}, repeated[] = {3, 3, 7, 7};

  for (int i = 0; i < 24; i++)
    data[i] = (gint16) i;
  {
    g_autoptr (NativertTensor) view = nativert_tensor_new_borrowed (
        NATIVERT_DTYPE_INT16, (gint64[]){ 2, 3 }, (gint64[]){ 1, 4 }, 2, data + 1, count, &freed);
    g_autoptr (NativertTensor) dense = nativert_tensor_contiguous (view);
    g_autoptr (NativertTensor) expanded = nativert_tensor_new_borrowed (
        NATIVERT_DTYPE_INT16, (gint64[]){ 2, 2 }, (gint64[]){ 4, 0 }, 2, data + 3, count, &freed);
    g_autoptr (GBytes) bytes = nativert_tensor_dup_bytes (expanded);

    g_assert_true (dense != view);
    g_assert_cmpmem (nativert_tensor_get_data (dense), 12, transposed, 12);
    g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), repeated, 8);
  }
  g_assert_cmpint (freed, ==, 2);
}

/* Contiguous tensors are shared, not copied; sizes of 1 may have any stride. */
static void
test_shared (void)
{
  g_autoptr (GBytes) source = g_bytes_new ("\1\2\3\4\5\6", 6);
  g_autoptr (NativertTensor) tensor
      = nativert_tensor_new_from_bytes (NATIVERT_DTYPE_UINT8, (gint64[]){ 2, 3 }, 2, source);
  g_autoptr (NativertTensor) odd = nativert_tensor_new_borrowed (NATIVERT_DTYPE_UINT8, (gint64[]){ 1, 6, 1 },
      (gint64[]){ 77, 1, 9 }, 3, nativert_tensor_get_data (tensor), NULL, NULL);
  g_autoptr (NativertTensor) same = nativert_tensor_contiguous (odd);
  g_autoptr (GBytes) bytes = nativert_tensor_dup_bytes (tensor);

  g_assert_true (same == odd);
  g_assert_true (g_bytes_get_data (bytes, NULL) == nativert_tensor_get_data (tensor));
  g_assert_true (g_bytes_equal (bytes, source));
}

static void
test_dtypes (void)
{
  g_assert_cmpstr (nativert_dtype_get_name (NATIVERT_DTYPE_BFLOAT16), ==, "bfloat16");
  g_assert_cmpuint (nativert_dtype_get_size (NATIVERT_DTYPE_COMPLEX128), ==, 16);
  g_assert_cmpuint (nativert_dtype_get_size (NATIVERT_DTYPE_FLOAT8_E8M0FNU), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tensor/new", test_new);
  g_test_add_func ("/tensor/refused", test_refused);
  g_test_add_func ("/tensor/strided", test_strided);
  g_test_add_func ("/tensor/shared", test_shared);
  g_test_add_func ("/tensor/dtypes", test_dtypes);
  return g_test_run ();
}
