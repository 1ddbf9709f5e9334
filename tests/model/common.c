/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common.h"

#include <math.h>
#include <string.h>

char *
test_path (const char *name)
{
  return g_build_filename (TEST_DATA, name, NULL);
}

NativertModel *
test_load (const char *name)
{
  g_autofree char *path = test_path (name);
  g_autoptr (GError) error = NULL;
  NativertModel *model = nativert_model_load (path, NULL, NATIVERT_LOAD_DEFAULT, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (model);
  return model;
}

void
test_flatten (NativertValue *value, GPtrArray *leaves)
{
  NativertValueKind kind = nativert_value_get_kind (value);

  if (kind != NATIVERT_VALUE_LIST && kind != NATIVERT_VALUE_TUPLE && kind != NATIVERT_VALUE_DICT) {
    g_ptr_array_add (leaves, nativert_value_ref (value));
    return;
  }
  for (guint i = 0; i < nativert_value_get_length (value); i++)
    test_flatten (nativert_value_get_child (value, i), leaves);
}

GPtrArray *
test_run_sample (NativertRunner *runner)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertValue) sample = nativert_model_dup_sample_inputs (nativert_runner_get_model (runner), &error);
  g_autoptr (NativertValue) results = NULL;
  GPtrArray *leaves = g_ptr_array_new_with_free_func ((GDestroyNotify) nativert_value_unref);

  g_assert_no_error (error);
  g_assert_nonnull (sample);
  results = nativert_runner_run (
      runner, nativert_value_get_child (sample, 0), nativert_value_get_child (sample, 1), &error);
  g_assert_no_error (error);
  test_flatten (results, leaves);
  return leaves;
}

static bool
is_close (double got, double want, double rtol, double atol)
{
  if (isnan (want) || isnan (got))
    return isnan (want) && isnan (got);
  return got == want || fabs (got - want) <= atol + rtol * fabs (want);
}

static void
compare_tensor (const NativertWeightDesc *want, NativertTensor *got)
{
  g_autoptr (NativertTensor) dense = nativert_tensor_contiguous (got);
  const char *expected = want->storage != NULL ? (const char *) nativert_storage_data (want->storage) : NULL;
  gsize item = nativert_dtype_get_size ((NativertDtype) want->dtype), n = (gsize) nativert_tensor_get_n_elements (got);

  g_assert_cmpint (nativert_tensor_get_dtype (got), ==, want->dtype);
  g_assert_cmpint (nativert_tensor_get_n_dims (got), ==, want->n_dims);
  for (guint i = 0; i < want->n_dims; i++)
    g_assert_cmpint (nativert_tensor_get_size (got, (gint) i), ==, want->sizes[i]);
  if (n == 0)
    return;
  expected += (gsize) want->offset * item;
  if (want->dtype != NATIVERT_DTYPE_FLOAT32) {
    g_assert_cmpmem (nativert_tensor_get_data (dense), n * item, expected, n * item);
    return;
  }
  for (gsize i = 0; i < n; i++) {
    float a = ((const float *) nativert_tensor_get_data (dense))[i], b;
    memcpy (&b, expected + i * sizeof b, sizeof b);
    if (!is_close (a, b, 1.3e-6, 1e-5))
      g_error ("output %s, element %zu: got %.9g, expected %.9g", want->name, (size_t) i, (double) a, (double) b);
  }
}

/* Numbers were written as 0-d tensors. */
static void
compare_number (const NativertWeightDesc *want, NativertValue *got)
{
  const void *expected = nativert_storage_data (want->storage);

  if (nativert_value_get_kind (got) == NATIVERT_VALUE_INT)
    g_assert_cmpint (nativert_value_get_int (got), ==, *(const gint64 *) expected);
  else if (nativert_value_get_kind (got) == NATIVERT_VALUE_BOOL)
    g_assert_cmpint (nativert_value_get_bool (got), ==, *(const guint8 *) expected);
  else
    g_assert_true (is_close (nativert_value_get_float (got), *(const float *) expected, 1.3e-6, 1e-5));
}

void
test_compare (const char *name, GPtrArray *leaves)
{
  g_autofree char *file = g_strconcat (name, ".expected.safetensors", NULL);
  g_autofree char *path = test_path (file);
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertWeightSet) set = nativert_safetensors_load (path, NULL, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < leaves->len; i++) {
    g_autofree char *key = g_strdup_printf ("%u", i);
    const NativertWeightDesc *want = nativert_weight_set_find (set, key);
    NativertValue *got = leaves->pdata[i];
    if (nativert_value_get_kind (got) == NATIVERT_VALUE_NONE) {
      g_assert_null (want);
      continue;
    }
    g_assert_nonnull (want);
    if (nativert_value_get_kind (got) == NATIVERT_VALUE_TENSOR)
      compare_tensor (want, nativert_value_get_tensor (got));
    else
      compare_number (want, got);
  }
}

NativertTensor *
test_floats (const gint64 *sizes, guint n_dims, const float *values)
{
  NativertTensor *tensor = nativert_tensor_new (NATIVERT_DTYPE_FLOAT32, sizes, n_dims);
  float *data = nativert_tensor_get_data (tensor);

  for (gint64 i = 0; i < nativert_tensor_get_n_elements (tensor); i++)
    data[i] = values != NULL ? values[i] : (float) i;
  return tensor;
}

float
test_float_at (NativertTensor *tensor, gsize index)
{
  return ((const float *) nativert_tensor_get_data (tensor))[index];
}
