/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tensors in files, by the file's name. */
#include "tensor-io.h"

NativertValue *
tensor_file_read (const char *path, GError **error)
{
  g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_UNSUPPORTED, "%s: not yet", path);
  return NULL;
}

bool
tensor_file_write (const char *path, NativertValue *dict, GError **error)
{
  g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_UNSUPPORTED, "%s: not yet", path);
  return false;
}
