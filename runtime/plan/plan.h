/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan: everything about one graph at one set of input sizes, decided once.  Immutable, ref-counted, any thread.
 * It does not depend on the values of weights: packs and folded values are named here and made by the model. */
#pragma once
#include "base/refs.h"
#include "graph/graph.h"
#include "kernels/ops.h"

typedef enum {
  NATIVERT_MEM_ARENA,    /* offset in the frame's arena */
  NATIVERT_MEM_INPUT,    /* index: user input */
  NATIVERT_MEM_OUTPUT,   /* index: output; memory of its own */
  NATIVERT_MEM_WEIGHT,   /* index: position among the graph's inputs (parameter, buffer, constant, folded) */
  NATIVERT_MEM_CONSTANT, /* offset in the plan's own constants */
  NATIVERT_MEM_STATE     /* index: as WEIGHT, a buffer that the graph writes: one copy per stream */
} NativertMem;

typedef struct {                        /* one storage */
  uint8_t mem;
  bool keep;                            /* ARENA: its bytes stay untouched until the run's results were read */
  bool once; /* ARENA: written when the frame is bound, before all the rest of the arena; stays */
  uint32_t index;
  size_t n_bytes, offset;
} NativertBlock;
typedef struct {
  uint32_t block;
  int64_t offset;
  NativertView view;
} NativertSlot; /* a view of it; offset in bytes */
typedef struct {
  const NativertKernel *kernel;
  const char *node;                     /* name, for profiles and errors */
  uint32_t in, n_in, out, n_out;        /* runs of slot numbers in plan->slot_refs */
  uint32_t params;                      /* offset in plan->params */
  uint32_t n_parts;
  uint32_t first_succ, n_succ, n_deps;  /* in plan->succ; of ONCE steps: none, they go in order */
  int32_t scratch;                      /* block, -1 none */
  int8_t in_place;                      /* out[0] may have the memory of in[k], -1 none */
  size_t scratch_shared, scratch_part;
  int32_t pack[NATIVERT_MAX_PACKS];     /* index in plan->packs, -1 none */
  uint64_t cost;
} NativertStep;

/* A pack that the model makes once per weights version; equal (block, view, fn, key) of several plans are the same. */
typedef struct {
  uint32_t weight;
  NativertView view;
  int64_t offset;
  NativertPack pack;
  uint32_t params;
} NativertPlanPack;

#define NATIVERT_NO_SLOT UINT32_MAX
typedef struct {
  uint8_t kind;                         /* NativertValueKind: TENSOR, INT, FLOAT, BOOL, NONE, STRING */
  uint32_t slot; /* TENSOR and computed numbers: where it is at the end of a run; else NATIVERT_NO_SLOT */
  NativertNum number; const char *string;
} NativertPlanOutput;

/* A user input that the graph writes: the run works on a copy, which is here afterwards.  input: by user input number.
 */
typedef struct { uint32_t input, slot; } NativertPlanMutated;

/* Parts of the program, in order.  ONCE steps depend on weights alone: binding a frame runs them, runs do not. */
typedef enum { NATIVERT_SEGMENT_ONCE, NATIVERT_SEGMENT_STEPS } NativertSegmentKind;
typedef struct { uint8_t kind; uint32_t first, n; } NativertSegment;

typedef struct NativertPlan {
  NativertRefs refs;
  NativertRegion *region;
  const NativertGraph *graph;
  NativertBlock *blocks; uint32_t n_blocks;
  NativertSlot *slots; uint32_t n_slots;
  uint32_t *slot_refs;
  NativertStep *steps; uint32_t n_steps, n_once;        /* ONCE steps come first */
  uint32_t *succ; uint32_t n_succ;
  NativertPlanPack *packs; uint32_t n_packs;
  NativertPlanOutput *outputs; uint32_t n_outputs;      /* pair with graph->outputs */
  NativertPlanMutated *mutated; uint32_t n_mutated;
  NativertSegment *segments; uint32_t n_segments;
  uint32_t n_inputs;                                    /* user inputs */
  char *params;
  char *constants; size_t constants_bytes;
  size_t arena_bytes, arena_lower_bound, once_bytes;    /* the arena begins with the once_bytes of ONCE results */
  int64_t *symbols; bool *known; uint32_t n_symbols;
  uint64_t cost;
} NativertPlan;

/* One user input of the graph (INPUT kinds USER and CONSTANT, in order) as it comes. */
typedef struct {
  uint8_t kind;
  NativertView view;
  NativertNum number;
  const char *string;
} NativertPlanInput; /* kind: NativertValueKind */

NativertPlan *nativert_plan_new (
    const NativertGraph *graph, const NativertPlanInput *inputs, uint32_t n_inputs, GError **error);
NativertPlan *nativert_plan_ref (NativertPlan *plan);
void nativert_plan_unref (NativertPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertPlan, nativert_plan_unref)
char *nativert_plan_to_text (const NativertPlan *plan);

/* The schemas of every operator in kernels/ops.def; made once, lives as long as the process. */
const NativertSchemas *nativert_plan_schemas (void);
