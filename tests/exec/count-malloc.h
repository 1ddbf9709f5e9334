/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts every allocation of the process. */
#pragma once
#include <stdbool.h>

/* False under a sanitizer, which has an allocator of its own. */
extern const bool malloc_is_counted;
unsigned long malloc_count (void);
