/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of the package share and nobody else needs. */
#pragma once
#include "package/archive.h"
#include "package/backing.h"
#include "package/json.h"
#include "package/package.h"

NativertArchive *nativert_package_archive (NativertPackage *package);           /* borrowed */
/* The index of the record of that name below the root; -1 with error. */
int64_t nativert_package_find_record (const NativertPackage *package, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* A NativertDtype by torch's ScalarType number (as in JSON, not c10's); -1: not known. */
int nativert_dtype_from_scalar_type (int64_t scalar_type);
/* By torch's name, "float32"; -1: not known. */
int nativert_dtype_from_name (const char *name);

/* A storage over memory that destroy gives back. */
NativertStorage *nativert_storage_new_borrowed (void *data, size_t n_bytes, GDestroyNotify destroy, gpointer user_data);
/* One record, read or (when map and its place in the file allow it) mapped. */
NativertStorage *nativert_storage_load (
    NativertArchive *archive, uint32_t index, bool map, GCancellable *cancellable, GError **error);

/* Weight sets under construction. */
NativertWeightSet *nativert_weight_set_new (void);
NativertRegion *nativert_weight_set_region (NativertWeightSet *set);
/* Takes a reference to desc's storage; false when the name is there already (is_constant false wins silently
 * otherwise). */
bool nativert_weight_set_add (NativertWeightSet *set, const NativertWeightDesc *desc);
