/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A few plans by input sizes, each with its idle sessions.  A session is a frame with its pointers: one run at a time.
 * The cache is used under the runner's lock; entries are ref-counted, since a run may outlive its entry's place. */
#pragma once
#include "base/refs.h"
#include "exec/frame.h"
#include "model/output-pool.h"
#include "model/run-inputs.h"
#include "model/weights.h"

enum { NATIVERT_PLAN_CACHE_SIZE = 8 };

typedef struct NativertSession NativertSession;

typedef struct {
  NativertRefs refs;
  NativertCore *core;
  NativertPlan *plan;
  NativertPlanInput *inputs;            /* the key, n_inputs of core */
  uint64_t hash, last_use;
  NativertOutputPool **pools;           /* by graph output; NULL for what is no tensor */
  bool *in_pool;                        /* by graph output: the plan writes to pooled memory itself */
  NativertSession *idle;
} NativertPlanEntry;

struct NativertSession {
  NativertSession *next;
  NativertPlanEntry *entry;             /* borrowed: whoever holds a session holds its entry */
  NativertFrame *frame;
  NativertWeights *weights;             /* what the frame is bound to; NULL: nothing yet */
  void **data, **state;                 /* by graph input */
  const void **packs;                   /* by pack number */
  void **inputs;                        /* by port */
  NativertStorage **copies;             /* by port: an input laid out */
  void **outputs;                       /* by graph output */
  NativertOutputBuffer **buffers;
};

NativertPlanEntry *nativert_plan_entry_new (NativertCore *core, const NativertRunInputs *ri, GError **error);
NativertPlanEntry *nativert_plan_entry_ref (NativertPlanEntry *entry);
void nativert_plan_entry_unref (NativertPlanEntry *entry);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertPlanEntry, nativert_plan_entry_unref)

NativertSession *nativert_session_new (NativertPlanEntry *entry, GError **error);
void nativert_session_free (NativertSession *session);
/* Forgets the weights: the next run binds. */
void nativert_session_unbind (NativertSession *session);
/* Pointers of the inputs, copies made where the plan needs them. */
bool nativert_session_set_inputs (NativertSession *session, const NativertRunInputs *ri, GError **error);
bool nativert_session_take_outputs (NativertSession *session, GError **error);
/* After a run: copies results that the plan left in memory of its own into their buffers. */
void nativert_session_collect_outputs (NativertSession *session);
/* Buffers that nobody took go back. */
void nativert_session_return_outputs (NativertSession *session);

typedef struct {
  NativertPlanEntry *entries[NATIVERT_PLAN_CACHE_SIZE];
  uint64_t clock;
} NativertPlanCache;

/* Borrowed; NULL: none. */
NativertPlanEntry *nativert_plan_cache_find (NativertPlanCache *cache, const NativertRunInputs *ri);
/* Takes a reference; returns the entry that had to go (to be let go outside the lock), or NULL. */
NativertPlanEntry *nativert_plan_cache_add (NativertPlanCache *cache, NativertPlanEntry *entry);
void nativert_plan_cache_clear (NativertPlanCache *cache);
