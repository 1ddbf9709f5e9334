/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What exec needs of a model, done by hand: graph, weights, folded values, packs and state, all in plain memory. */
#pragma once
#include "exec/frame.h"
#include "package/package.h"

typedef struct {
  NativertGraph *graph;
  NativertWeightSet *weights;
  void **data;                          /* by graph input: where the weight or folded value is */
  GPtrArray *memory;                    /* freed with the archive */
} Archive;

Archive *archive_open (const char *path, GError **error);
void archive_free (Archive *archive);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Archive, archive_free)

/* A plan with all that a frame is bound to. */
typedef struct {
  NativertPlan *plan;
  NativertFrame *frame;
  const void **packs;
  void **outputs;                       /* by graph output; NULL where the plan has no memory of its own */
  GPtrArray *memory;
} Bound;

/* state: by graph input, NULL at first; what the plan writes is made from the weights. */
Bound *bound_new (
    const Archive *archive, const NativertPlanInput *inputs, uint32_t n_inputs, void **state, GError **error);
void bound_free (Bound *bound);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Bound, bound_free)
