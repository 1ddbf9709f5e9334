/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "load-all.h"

/* Strided, so that a view that reaches out of its storage is noticed by a sanitizer. */
static guint64
walk_tensor (NativertTensor *tensor)
{
  g_autoptr (GBytes) bytes = NULL;
  guint64 sum = 0;
  gsize size;
  const guint8 *data;

  /* an expanded view can stand for more elements than memory holds */
  if (nativert_tensor_get_n_elements (tensor) > 1 << 20)
    return 0;
  bytes = nativert_tensor_dup_bytes (tensor);
  data = g_bytes_get_data (bytes, &size);
  for (gsize i = 0; i < size; i++)
    sum += data[i];
  return sum;
}

guint64
walk_value (NativertValue *value)
{
  guint64 sum = 0;

  if (nativert_value_get_tensor (value) != NULL)
    return walk_tensor (nativert_value_get_tensor (value));
  for (guint i = 0; i < nativert_value_get_length (value); i++)
    sum += walk_value (nativert_value_get_child (value, i));
  return sum;
}

guint64
walk_weights (const NativertWeightSet *set)
{
  guint64 sum = 0;

  for (guint i = 0; i < nativert_weight_set_n (set); i++) {
    const NativertWeightDesc *w = nativert_weight_set_get (set, i);
    g_autoptr (NativertTensor) tensor = NULL;

    if (w->storage == NULL || w->is_meta)
      continue;
    tensor = nativert_tensor_new_borrowed ((NativertDtype) w->dtype, w->sizes, w->strides, w->n_dims,
        (char *) nativert_storage_data (w->storage) + (nativert_storage_n_bytes (w->storage) > 0
            ? (gsize) w->offset * nativert_dtype_get_size ((NativertDtype) w->dtype) : 0), NULL, NULL);
    sum += walk_tensor (tensor);
  }
  return sum;
}

gboolean
load_all (const char *path, GError **error)
{
  g_autoptr (NativertPackage) package = nativert_package_open (path, NULL, error);

  if (package == NULL)
    return FALSE;
  for (guint i = 0; i < nativert_package_n_models (package); i++) {
    const char *name = nativert_package_model_name (package, i);
    g_autoptr (GError) own_error = NULL;
    g_autoptr (NativertProgram) program = nativert_package_load_program (package, name, error);
    g_autoptr (NativertWeightSet) set = program != NULL
        ? nativert_package_load_weights (package, name, FALSE, NULL, NULL, NULL, error) : NULL;
    g_autoptr (NativertValue) inputs = NULL;

    if (set == NULL)
      return FALSE;
    walk_weights (set);
    inputs = nativert_package_load_sample_inputs (package, name, &own_error);
    if (own_error != NULL) {
      g_propagate_error (error, g_steal_pointer (&own_error));
      return FALSE;
    }
    if (inputs != NULL)
      walk_value (inputs);
  }
  return TRUE;
}
