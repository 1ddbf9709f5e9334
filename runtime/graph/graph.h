/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The graph: nodes in order, values with their users, signature.  Built from a NativertProgram, rewritten by passes,
 * then read by plans.  Mutable by one thread until it is published in a model; immutable after. */
#pragma once
#include "package/program.h"
#include "nativert.h"

typedef struct NativertGraph NativertGraph;
typedef struct NativertNode NativertNode;
typedef struct NativertGraphValue NativertGraphValue;
typedef struct NativertSchema NativertSchema;

typedef enum {
  NATIVERT_GV_TENSOR,
  NATIVERT_GV_SYM_INT,
  NATIVERT_GV_SYM_FLOAT,
  NATIVERT_GV_SYM_BOOL,
  NATIVERT_GV_OBJ,
  NATIVERT_GV_TOKEN
} NativertGraphValueType;

/* One entry per occurrence: cat([x, x]) uses x twice.  node NULL: the graph's output number arg. */
typedef struct { NativertNode *node; uint32_t arg; } NativertUse;

struct NativertGraphValue {
  const char *name;
  uint32_t id;                          /* dense after nativert_graph_renumber */
  uint8_t type;
  NativertGraph *graph;
  NativertNode *producer;               /* NULL: an input of the graph */
  NativertUse *uses; uint32_t n_uses, max_uses;
  const NativertTensorMetaDesc *meta;   /* TENSOR; NULL for values that passes made without knowing */
  const NativertExpr *expr;             /* SYM_*; NULL: literal or unknown */
  NativertNum literal;
};

typedef enum {
  NATIVERT_GA_NONE,
  NATIVERT_GA_VALUE,
  NATIVERT_GA_VALUES,
  NATIVERT_GA_NESTED,
  NATIVERT_GA_INT,
  NATIVERT_GA_INTS,
  NATIVERT_GA_INT_LISTS,
  NATIVERT_GA_FLOAT,
  NATIVERT_GA_FLOATS,
  NATIVERT_GA_FLOAT_LISTS,
  NATIVERT_GA_BOOL,
  NATIVERT_GA_BOOLS,
  NATIVERT_GA_STRING,
  NATIVERT_GA_STRINGS,
  NATIVERT_GA_COMPLEX,
  NATIVERT_GA_DTYPE,
  NATIVERT_GA_LAYOUT,
  NATIVERT_GA_MEMORY_FORMAT,
  NATIVERT_GA_DEVICE,
  NATIVERT_GA_GRAPH,
  NATIVERT_GA_OPERATOR
} NativertGraphArgKind;

/* An argument of a node: a value, a list of values, or a constant. */
typedef struct NativertGraphArg {
  uint8_t kind;
  uint32_t n;                           /* list length */
  union {
    NativertGraphValue *value;
    NativertGraphValue **values;        /* NULL element = None */
    int64_t i; double f; double c[2]; const char *s;     /* BOOL, DTYPE (NativertDtype), LAYOUT, MEMORY_FORMAT in i */
    const int64_t *ints; const double *floats; const uint8_t *bools; const char *const *strings;
    const struct NativertGraphArg *items;                /* NESTED (each VALUES), INT_LISTS, FLOAT_LISTS */
    NativertDeviceDesc device;
    NativertGraph *graph;
  } u;
  NativertGraphValue **sym; /* INTS, FLOATS, BOOLS: sym[k] not NULL = element k is this symbolic value; may be NULL */
} NativertGraphArg;

/* One return of the schema: a run of the node's outputs. */
typedef struct { uint32_t first, n; bool is_list, is_none; } NativertReturn;

struct NativertNode {
  NativertNode *prev, *next;
  const char *target, *name;
  const char *const *arg_names;         /* as in the file until bound; then the schema's */
  NativertGraphArg *args; uint32_t n_args;
  NativertGraphValue **outputs; uint32_t n_outputs;
  NativertReturn *returns; uint32_t n_returns;
  const NativertSchema *schema;         /* set by nativert_graph_bind; NULL for symbolic and higher-order targets */
  const NativertNodeDesc *desc;         /* where it came from: stack trace; NULL for nodes that passes made */
  NativertGraph *graph;
  uint32_t order;                       /* position, after nativert_graph_renumber */
};

typedef struct {
  uint8_t kind;
  bool persistent;
  const char *target;
  NativertGraphValue *value;
  NativertGraphArg constant;
} NativertGraphInput;
                                        /* value NULL for a CONSTANT input: see constant */
typedef struct { uint8_t kind; const char *target; NativertGraphArg arg; } NativertGraphOutput;

struct NativertGraph {
  NativertProgram *program;             /* borrowed by subgraphs, owned by the top graph */
  NativertRegion *region;
  NativertGraph *parent;
  const char *name;                     /* of a subgraph; "" for the top */
  NativertNode *first, *last; uint32_t n_nodes;
  NativertGraphInput *inputs; uint32_t n_inputs;         /* the order of the file */
  NativertGraphOutput *outputs; uint32_t n_outputs;
  GPtrArray *values;                    /* all NativertGraphValue, ids = index after renumber */
  NativertGraph *fold; /* made by nativert_pass_split_constants; its outputs feed the FOLDED inputs in order */
  GHashTable *names;                    /* name -> value */
  GPtrArray *owned;                     /* of the top graph: subgraphs and fold graph, freed with it */
};

/* Takes program, also when it fails.  Resolves every name over all value tables; errors name node and value. */
NativertGraph *nativert_graph_new (NativertProgram *program, GError **error);
void nativert_graph_free (NativertGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertGraph, nativert_graph_free)

/* ---- editing ---- */
NativertNode *nativert_graph_insert (
    NativertGraph *graph, NativertNode *before /* NULL: at the end */, const char *target);
/* Copies args (deeply, into the region) and enters the uses. */
void nativert_node_set_args (
    NativertNode *node, const char *const *names, const NativertGraphArg *args, uint32_t n_args);
void nativert_node_set_arg (NativertNode *node, uint32_t index, NativertGraphArg arg);
NativertGraphValue *nativert_node_add_output (NativertNode *node, const char *name /* NULL: unique */,
    NativertGraphValueType type, const NativertTensorMetaDesc *meta);
void nativert_value_replace_uses (NativertGraphValue *value, NativertGraphValue *with);
/* Uses by nodes behind node, and by the graph's outputs; after nativert_graph_renumber. */
void nativert_value_replace_uses_after (NativertGraphValue *value, NativertGraphValue *with, const NativertNode *node);
bool nativert_graph_remove (
    NativertGraph *graph, NativertNode *node, GError **error);               /* error when an output is still used */
bool nativert_node_is_before (const NativertNode *a, const NativertNode *b); /* after nativert_graph_renumber */
void nativert_graph_renumber (NativertGraph *graph);
bool nativert_graph_lint (const NativertGraph *graph, GError **error);
char *nativert_graph_to_text (const NativertGraph *graph);

/* ---- passes: each returns how many changes it made, or -1 with error ---- */
typedef struct NativertSchemas NativertSchemas;
typedef struct {
  const char *name;
  int (*run) (NativertGraph *graph, const NativertSchemas *schemas, GError **error);
} NativertPass;
extern const NativertPass nativert_passes[];            /* in order; ends with NULL name */
/* Binds every node to its schema (defaults filled, scalar overloads chosen); all unsupported operators in one error,
 * each with the Python line that made it. */
int nativert_graph_bind (NativertGraph *graph, const NativertSchemas *schemas, GError **error);
/* lint, then every pass of nativert_passes not named in the environment's NATIVERT_SKIP_PASSES (comma list), lint.
 * "bind" is one of them and cannot be skipped. */
bool nativert_graph_optimize (NativertGraph *graph, const NativertSchemas *schemas, GError **error);
