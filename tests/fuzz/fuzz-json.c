/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The JSON of a program, decoded. */
#include "fuzz.h"
#include "package/program.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertProgram) program = nativert_program_parse ("fuzz", (const char *) data, size, &error);

  g_assert_true ((program == NULL) == (error != NULL));
  return 0;
}
