/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The core: what a model, its weights and its runners share.  Immutable once loaded, ref-counted, any thread. */
#pragma once
#include "base/refs.h"
#include "graph/graph.h"
#include "graph/pytree.h"
#include "nativert.h"
#include "package/package.h"
#include "plan/plan.h"

/* Inside only: the graph as the file has it, not bound, not optimised, and no weights. */
#define NATIVERT_LOAD_RAW ((NativertLoadFlags) (1 << 16 | NATIVERT_LOAD_GRAPH_ONLY))

typedef struct {
  NativertRefs refs;
  char *path, *name;
  NativertLoadFlags flags;
  NativertPackage *package;
  NativertGraph *graph;                 /* final: bound and optimised; graph->fold holds the constant part */
  NativertPlan *fold_plan;              /* NULL: nothing to fold */
  NativertTreeSpec *in_spec, *out_spec; /* NULL: the file gives none */
  NativertRegion *region;               /* of the ports */
  NativertPort *inputs, *outputs;       /* flattened user inputs and outputs */
  uint32_t n_inputs, n_outputs;
  uint32_t *input_numbers, *output_numbers;              /* port -> number among graph->inputs, graph->outputs */
  GHashTable *wanted;                   /* FQNs of the weights that the graph or its constant part reads */
} NativertCore;

NativertCore *nativert_core_load (
    const char *path, const char *name, NativertLoadFlags flags, GCancellable *cancellable, GError **error);
NativertCore *nativert_core_ref (NativertCore *core);
void nativert_core_unref (NativertCore *core);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertCore, nativert_core_unref)

/* Of a model; borrowed. */
NativertCore *nativert_model_get_core (NativertModel *model);
/* The weights of the model's own file; NULL for a model loaded NATIVERT_LOAD_GRAPH_ONLY. */
NativertWeights *nativert_model_get_weights (NativertModel *model);

/* Fills the ports of core from its graph and signature. */
bool nativert_core_describe (NativertCore *core, GError **error);
/* The graph's input of a port. */
static inline const NativertGraphInput *
nativert_core_graph_input (const NativertCore *core, uint32_t port)
{
  return &core->graph->inputs[core->input_numbers[port]];
}
/* True for the inputs whose values come from the weights: parameters, buffers and tensor constants. */
bool nativert_input_is_weight (const NativertGraphInput *input);
/* Number of the graph input that a mutation output writes; -1: none. */
int32_t nativert_core_mutated_input (const NativertCore *core, uint32_t output);
/* "float32[batch 1..64, 3, 224]" */
char *nativert_port_to_text (const NativertPort *port);
