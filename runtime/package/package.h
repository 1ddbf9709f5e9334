/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An archive on disk: its records, models, weights and extra files.  The only code that meets untrusted bytes. */
#pragma once
#include <gio/gio.h>
#include "nativert.h"
#include "package/program.h"

typedef struct NativertPackage NativertPackage;         /* immutable after open; ref-counted, any thread */

NativertPackage *nativert_package_open (const char *path, GCancellable *cancellable, GError **error);
NativertPackage *nativert_package_ref (NativertPackage *package);
void nativert_package_unref (NativertPackage *package);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertPackage, nativert_package_unref)
const char *nativert_package_get_path (const NativertPackage *package);

/* Names below are without the root folder. */
uint32_t nativert_package_n_records (const NativertPackage *package);
const char *nativert_package_record_name (const NativertPackage *package, uint32_t index);
uint64_t nativert_package_record_size (const NativertPackage *package, uint32_t index);
bool nativert_package_has_record (const NativertPackage *package, const char *name);
GBytes *nativert_package_read_record (NativertPackage *package, const char *name, GError **error);

uint32_t nativert_package_n_models (const NativertPackage *package);
const char *nativert_package_model_name (const NativertPackage *package, uint32_t index);
/* NULL name: "model", or the only one. */
const char *nativert_package_find_model (const NativertPackage *package, const char *name, GError **error);
NativertProgram *nativert_package_load_program (NativertPackage *package, const char *model, GError **error);
GBytes *nativert_package_dup_extra_file (NativertPackage *package, const char *name);    /* NULL: none */
NativertValue *nativert_package_load_sample_inputs (
    NativertPackage *package, const char *model, GError **error); /* NULL without error: none */

/* One storage: read once, or mapped; 64-byte aligned when read.  Ref-counted through its users. */
typedef struct NativertStorage NativertStorage;
NativertStorage *nativert_storage_new (size_t n_bytes, GError **error);                 /* zeroed, aligned */
NativertStorage *nativert_storage_ref (NativertStorage *storage);
void nativert_storage_unref (NativertStorage *storage);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertStorage, nativert_storage_unref)
void *nativert_storage_data (const NativertStorage *storage);
size_t nativert_storage_n_bytes (const NativertStorage *storage);

/* One weight or constant by FQN: a view of a storage. */
typedef struct {
  const char *name;                     /* FQN */
  bool is_param, is_constant;           /* is_constant: it came from the constants config */
  bool is_meta; /* the record is empty though the tensor has elements: zeros, and the storage has 0 bytes */
  int16_t dtype;                        /* -1: not a tensor (custom object): see record */
  uint32_t n_dims;
  const int64_t *sizes, *strides;
  int64_t offset;                       /* elements */
  const char *record;
  NativertStorage *storage;             /* NULL for custom objects and when loaded without data */
} NativertWeightDesc;

typedef struct NativertWeightSet NativertWeightSet;     /* owns descriptions and holds the storages */
/* wanted (NULL: all) says by FQN which to read; the others are described with storage NULL.  Every view is checked
 * against its record. */
typedef bool (*NativertWantedFn) (const char *fqn, gpointer user_data);
NativertWeightSet *nativert_package_load_weights (NativertPackage *package, const char *model, bool map,
    NativertWantedFn wanted, gpointer user_data, GCancellable *cancellable, GError **error);
/* The same from a .safetensors file. */
NativertWeightSet *nativert_safetensors_load (const char *path, GCancellable *cancellable, GError **error);
void nativert_weight_set_free (NativertWeightSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertWeightSet, nativert_weight_set_free)
uint32_t nativert_weight_set_n (const NativertWeightSet *set);
const NativertWeightDesc *nativert_weight_set_get (const NativertWeightSet *set, uint32_t index);
const NativertWeightDesc *nativert_weight_set_find (const NativertWeightSet *set, const char *fqn);
