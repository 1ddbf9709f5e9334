/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A region: many small allocations that are freed together.  Descriptions, graphs and plans live in one each. */
#pragma once
#include <glib.h>
#include <stdint.h>

typedef struct NativertRegion NativertRegion;
NativertRegion *nativert_region_new (void);
void nativert_region_free (NativertRegion *region);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertRegion, nativert_region_free)
/* Zeroed, 16-byte aligned; never NULL (sizes from files are checked before they come here). */
void *nativert_region_alloc (NativertRegion *region, size_t n_bytes);
char *nativert_region_strdup (NativertRegion *region, const char *text);
void *nativert_region_memdup (NativertRegion *region, const void *data, size_t n_bytes);
size_t nativert_region_n_bytes (const NativertRegion *region);
#define nativert_region_new_n(region, Type, n) ((Type *) nativert_region_alloc_n ((region), (n), sizeof (Type)))
void *nativert_region_alloc_n (NativertRegion *region, size_t n, size_t size);
