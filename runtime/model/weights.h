/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One version of a model's weights: values by graph input number, folded constants, packs.  To the outside it is
 * immutable; inside, packs are added under a lock when plans ask, and values that nobody reads any more are let go. */
#pragma once
#include "model/core.h"

/* A weight (or folded value) in memory. */
typedef struct { void *data; NativertStorage *storage; } NativertWeightValue;

/* A weights-only or full archive or a .safetensors file, for reading values from, again if need be. */
typedef struct NativertWeightSource NativertWeightSource;
NativertWeightSource *nativert_weight_source_new (
    NativertCore *core, const char *path, GCancellable *cancellable, GError **error);
NativertWeightSource *nativert_weight_source_new_own (NativertCore *core);
void nativert_weight_source_free (NativertWeightSource *source);
/* Reads what the graph wants.  A second call fails when the file has changed since the first. */
NativertWeightSet *nativert_weight_source_read (
    NativertWeightSource *source, GCancellable *cancellable, GError **error);
const char *nativert_weight_source_get_path (const NativertWeightSource *source);

/* Fills values (by input number of graph, which is core's or its constant part) from set; names, dtypes and sizes must
 * agree. */
bool nativert_weight_values_resolve (const NativertGraph *graph, const NativertWeightSet *set, const char *path,
    NativertWeightValue *values, GError **error);
void nativert_weight_values_free (NativertWeightValue *values, uint32_t n);

/* Runs the constant part of core over set; its results go to values of the FOLDED inputs of core's graph. */
bool nativert_fold (
    NativertCore *core, const NativertWeightSet *set, const char *path, NativertWeightValue *values, GError **error);

/* Packs of one weights version; not locked. */
typedef struct NativertPackCache NativertPackCache;
NativertPackCache *nativert_pack_cache_new (void);
void nativert_pack_cache_free (NativertPackCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertPackCache, nativert_pack_cache_free)
/* NULL: not made yet. */
const void *nativert_pack_cache_find (NativertPackCache *cache, const NativertPlan *plan, uint32_t index);
/* data: first element of the weight. */
const void *nativert_pack_cache_make (
    NativertPackCache *cache, const NativertPlan *plan, uint32_t index, const void *data, GError **error);

NativertWeights *nativert_weights_load_own (NativertCore *core, GCancellable *cancellable, GError **error);
NativertCore *nativert_weights_get_core (const NativertWeights *weights);
/* Makes all that plan needs of weights.  data (by graph input number; NULL for what the plan does not read) and packs
 * (by pack number of plan) are valid as long as weights lives. */
bool nativert_weights_bind (
    NativertWeights *weights, const NativertPlan *plan, void **data, const void **packs, GError **error);
/* The same ahead of time, so that a later bind is quick. */
bool nativert_weights_prepare (NativertWeights *weights, const NativertPlan *plan, GError **error);
/* The first element of a value that some plan reads directly. */
const void *nativert_weights_peek (NativertWeights *weights, uint32_t input);
