/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A pickle, beside storages of 0, 16 and 80 bytes. */
#include "fuzz.h"
#include "../package/load-all.h"
#include "../package/zip-maker.h"
#include "package/pickle.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const uint8_t storage[80] = {1, 2, 3};
  g_autoptr (GPtrArray) zip = zip_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (NativertArchive) archive = NULL;
  g_autoptr (NativertValue) value = NULL;
  gsize n;
  gconstpointer content;

  zip_add (zip, "archive/data.pkl", data, size);
  zip_add (zip, "archive/data/0", storage, 80);
  zip_add (zip, "archive/data/1", storage, 16);
  zip_add (zip, "archive/data/2", storage, 0);
  bytes = zip_write (zip, NULL);
  content = g_bytes_get_data (bytes, &n);
  archive = nativert_archive_open (zip_publish (content, n), &error);
  g_assert_no_error (error);
  value = nativert_pickle_load (archive, &error);
  g_assert_true ((value == NULL) == (error != NULL));
  if (value != NULL)
    walk_value (value);
  return 0;
}
