/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* .npy when it begins as one, else .safetensors. */
#include "fuzz.h"
#include "../package/load-all.h"
#include "../package/zip-maker.h"
#include "package/tensor-files-private.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;

  if (size > 0 && data[0] == 0x93) {
    g_autoptr (GBytes) bytes = g_bytes_new (data, size);
    g_autoptr (NativertTensor) tensor = nativert_npy_parse ("fuzz", bytes, &error);
    g_autoptr (NativertValue) value = tensor != NULL ? nativert_value_new_tensor (tensor) : NULL;
    g_assert_true ((tensor == NULL) == (error != NULL));
    if (value != NULL)
      walk_value (value);
  } else {
    g_autoptr (NativertWeightSet) set = nativert_safetensors_load (zip_publish (data, size), NULL, &error);
    g_assert_true ((set == NULL) == (error != NULL));
    if (set != NULL)
      walk_weights (set);
  }
  return 0;
}
