/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What libFuzzer calls, and what our own main calls with the files of the corpus. */
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);
