/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of graph/ share with each other and with nobody else. */
#pragma once
#include "graph/graph.h"
#include "graph/schema.h"

/* ---- building blocks ---- */
/* A graph without nodes; with a parent it lives in the parent's region and is freed with the top graph. */
NativertGraph *nativert_graph_new_empty (NativertGraph *parent, NativertProgram *program, const char *name);
NativertGraph *nativert_graph_top (NativertGraph *graph);
/* name: a wish; the value's name is unique in the graph. */
NativertGraphValue *nativert_graph_new_value (
    NativertGraph *graph, const char *name, uint8_t type, const NativertTensorMetaDesc *meta);
/* Links a zeroed node in before another (NULL: at the end). */
void nativert_graph_link (NativertGraph *graph, NativertNode *node, NativertNode *before);
void nativert_graph_unlink (NativertGraph *graph, NativertNode *node);
void nativert_value_add_use (NativertGraph *graph, NativertGraphValue *value, NativertNode *node, uint32_t arg);
/* Enters args, which live in the region already. */
void nativert_node_take_args (NativertNode *node, const char *const *names, NativertGraphArg *args, uint32_t n_args);
/* Adds an input at the end. */
NativertGraphInput *nativert_graph_add_input (
    NativertGraph *graph, uint8_t kind, const char *target, NativertGraphValue *value);
/* Moves a value from another graph here; its name changes when it is taken. */
void nativert_graph_adopt_value (NativertGraph *graph, NativertGraphValue *value);
/* Every use of a symbol becomes a constant: false when one of them cannot hold it. */
bool nativert_value_replace_with_constant (NativertGraphValue *value, const NativertGraphArg *constant);
/* Pairs inputs and outputs of the top graph with the signature. */
bool nativert_graph_read_signature (NativertGraph *graph, GError **error);

/* ---- the values that an argument names: for (k = 0; k < n; k++) v = *slot (arg, k), which may be NULL ---- */
uint32_t nativert_arg_n_slots (const NativertGraphArg *arg);
NativertGraphValue **nativert_arg_slot (const NativertGraphArg *arg, uint32_t k);
/* Deep, but for subgraphs, which stay the same; enters no uses. */
NativertGraphArg nativert_arg_copy (NativertRegion *region, const NativertGraphArg *arg);

/* ---- targets that have no schema ---- */
typedef enum {
  NATIVERT_TARGET_OPERATOR,             /* everything else: wants a schema */
  NATIVERT_TARGET_SYMBOLIC,             /* integers, floats and bools of sizes */
  NATIVERT_TARGET_ASSERT,               /* checks, dropped before a plan sees them */
  NATIVERT_TARGET_WRAPPER,              /* higher-order, inlined before a plan sees it */
  NATIVERT_TARGET_HIGHER_ORDER          /* higher-order that stays */
} NativertTargetKind;
NativertTargetKind nativert_target_kind (const char *target);
/* "torch.ops.aten.conv2d.default" is aten.conv2d.default, and aten.conv2d. */
bool nativert_target_is (const char *target, const char *name);

/* ---- binding ---- */
/* Binds one node that a pass made; false without error when the registry has no schema that fits. */
bool nativert_node_bind (NativertNode *node, const NativertSchemas *schemas);
/* The bound argument of that name, NULL when the schema has none. */
const NativertGraphArg *nativert_node_arg (const NativertNode *node, const char *name);

#define NATIVERT_GRAPH_VALUE(v) ((NativertGraphArg) { .kind = NATIVERT_GA_VALUE, .u.value = (v) })
#define NATIVERT_GRAPH_INT(x) ((NativertGraphArg) { .kind = NATIVERT_GA_INT, .u.i = (x) })
#define NATIVERT_GRAPH_FLOAT(x) ((NativertGraphArg) { .kind = NATIVERT_GA_FLOAT, .u.f = (x) })
#define NATIVERT_GRAPH_BOOL(x) ((NativertGraphArg) { .kind = NATIVERT_GA_BOOL, .u.i = (x) })
#define NATIVERT_GRAPH_INTS(p, count) ((NativertGraphArg) { .kind = NATIVERT_GA_INTS, .n = (count), .u.ints = (p) })
#define NATIVERT_GRAPH_NONE ((NativertGraphArg) { .kind = NATIVERT_GA_NONE })
