/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory for elements: zeroed, 64-byte aligned.  Large blocks start at a multiple of 2 MB and ask for huge pages. */
#pragma once
#include <stddef.h>

void *nativert_memory_alloc (size_t n_bytes);                   /* NULL when there is none; never NULL for 0 bytes */
void nativert_memory_free (void *data, size_t n_bytes);         /* n_bytes as asked for; NULL is fine */
