/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much memory the program asked for at most since the last reset: the C library's functions are interposed.  With a
 * sanitizer, which has its own, nothing is counted. */
#pragma once
#include <stddef.h>

void count_memory_reset (void);
size_t count_memory_peak (void);
