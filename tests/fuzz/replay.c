/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a harness on the files, or on all files of the folders, that the command line names. */
#include "fuzz.h"

#include <glib.h>

static void
replay (const char *path, guint *n)
{
  g_autofree char *content = NULL;
  gsize size;

  if (g_file_test (path, G_FILE_TEST_IS_DIR)) {
    g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
    const char *name;
    while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
      g_autofree char *inner = g_build_filename (path, name, NULL);
      replay (inner, n);
    }
    return;
  }
  if (!g_file_get_contents (path, &content, &size, NULL))
    g_error ("%s cannot be read", path);
  /* a copy of exactly that size, so that a sanitizer sees a read beyond it */
  g_autofree uint8_t *data = g_memdup2 (content, size);
  LLVMFuzzerTestOneInput (data, size);
  (*n)++;
}

int
main (int argc, char **argv)
{
  guint n = 0;

  for (int i = 1; i < argc; i++)
    replay (argv[i], &n);
  g_print ("%u inputs\n", n);
  return n > 0 ? 0 : 1;
}
