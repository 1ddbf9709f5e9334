/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A whole archive: everything of it is loaded and every element looked at. */
#include "fuzz.h"
#include "../package/load-all.h"
#include "../package/zip-maker.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  gboolean fine = load_all (zip_publish (data, size), &error);

  g_assert_true (fine == (error == NULL));
  return 0;
}
