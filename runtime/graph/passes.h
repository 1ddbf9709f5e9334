/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The passes, one file each. */
#pragma once
#include "graph/private.h"

#define NATIVERT_PASS(name)                                                                                            \
  int nativert_pass_##name (NativertGraph *graph, const NativertSchemas *schemas, GError **error)

NATIVERT_PASS (inline);         /* wrappers of subgraphs disappear */
NATIVERT_PASS (asserts);        /* checks, and what only they needed */
NATIVERT_PASS (noops); /* dropout in eval, alias, detach, casts to the same dtype: results that are their input */
NATIVERT_PASS (in_place);       /* relu_ becomes relu where nobody can tell */
NATIVERT_PASS (copies);         /* clone and its like where nobody can tell */
NATIVERT_PASS (dead);           /* nodes whose results nobody reads */
NATIVERT_PASS (products);       /* conv and linear in all spellings become nativert::conv and nativert::linear */
NATIVERT_PASS (batch_norm);     /* batch norm goes into the weights before it */
NATIVERT_PASS (epilogue);       /* residual and activation go into the product before them */
NATIVERT_PASS (constants);      /* nodes of weights alone go to graph->fold */

/* ---- what the passes about products share ---- */
#define NATIVERT_CONV_TARGET "torch.ops.nativert.conv.default"
#define NATIVERT_LINEAR_TARGET "torch.ops.nativert.linear.default"

/* Positions of their arguments. */
enum { NATIVERT_PRODUCT_INPUT, NATIVERT_PRODUCT_WEIGHT, NATIVERT_PRODUCT_BIAS };
enum {
  NATIVERT_CONV_STRIDE = 3,
  NATIVERT_CONV_PADDING,
  NATIVERT_CONV_DILATION,
  NATIVERT_CONV_GROUPS,
  NATIVERT_CONV_RESIDUAL,
  NATIVERT_CONV_ACT,
  NATIVERT_CONV_ACT_A,
  NATIVERT_CONV_ACT_B,
  NATIVERT_CONV_N_ARGS
};
enum {
  NATIVERT_LINEAR_RESIDUAL = 3,
  NATIVERT_LINEAR_ACT,
  NATIVERT_LINEAR_ACT_A,
  NATIVERT_LINEAR_ACT_B,
  NATIVERT_LINEAR_N_ARGS
};

/* The numbers of NativertAct in kernels/kernel.h, which this folder may not include; a test holds them equal. */
typedef enum {
  NATIVERT_FUSED_NONE,
  NATIVERT_FUSED_RELU,
  NATIVERT_FUSED_CLAMP,
  NATIVERT_FUSED_LEAKY_RELU,
  NATIVERT_FUSED_SILU,
  NATIVERT_FUSED_HARDSWISH,
  NATIVERT_FUSED_HARDSIGMOID,
  NATIVERT_FUSED_SIGMOID,
  NATIVERT_FUSED_TANH,
  NATIVERT_FUSED_GELU,
  NATIVERT_FUSED_GELU_TANH
} NativertFusedAct;

static inline bool
nativert_is_conv (const NativertNode *node)
{
  return node->schema && g_str_equal (node->target, NATIVERT_CONV_TARGET);
}

static inline bool
nativert_is_linear (const NativertNode *node)
{
  return node->schema && g_str_equal (node->target, NATIVERT_LINEAR_TARGET);
}

/* The node stays, with its results; what it computes changes. */
void nativert_node_become (
    NativertNode *node, const char *target, const NativertSchema *schema, const NativertGraphArg *args);
/* A bound node with one tensor result before another; NULL when no schema fits (the graph is then as before). */
NativertGraphValue *nativert_graph_emit (NativertGraph *graph, NativertNode *before, const NativertSchemas *schemas,
    const char *target, const NativertGraphArg *args, uint32_t n_args, const NativertTensorMetaDesc *meta);
/* By value id: it depends on weights and constants alone, and on no storage that is written.  Renumbers; free with
 * g_free. */
bool *nativert_graph_mark_constants (NativertGraph *graph);
bool nativert_value_is_f32 (const NativertGraphValue *value);
/* The single reader of a value; NULL when there are more, or the graph returns it. */
NativertNode *nativert_value_only_user (const NativertGraphValue *value);
