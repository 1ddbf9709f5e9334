/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of plan/ share while one plan is being made.  Nothing of it outlives nativert_plan_new.
 * A NativertRef is the number of a value here, and of a slot in the finished plan. */
#pragma once
#include "graph/schema.h"
#include "kernels/rules.h"
#include "plan/plan.h"

enum { NATIVERT_ALIGN = 64, NATIVERT_MAX_EMIT_DEPTH = 32, NATIVERT_UNKNOWN_RANK = 0xff };

typedef struct {
  uint32_t block;
  int64_t offset;                       /* bytes */
  NativertView view;                    /* data set when the elements are known now */
  bool wrapped;                         /* a Python number: lowest priority in promotion */
  bool is_number;                       /* a constant that number says */
  NativertNum number;
  NativertRef contiguous, cast;         /* memo: a copy of this; NATIVERT_NO_REF */
  uint32_t contiguous_version, cast_version;
} NativertPlanValue;

typedef struct {
  NativertBlock b;
  const void *data;                     /* CONSTANT: the bytes */
  uint32_t version;                     /* how many steps wrote it so far */
} NativertPlanBlock;

/* What a value of the graph is in this plan. */
typedef struct {
  enum { NATIVERT_PV_UNSET, NATIVERT_PV_REF, NATIVERT_PV_NUMBER, NATIVERT_PV_STRING, NATIVERT_PV_NONE } kind;
  NativertRef ref;
  NativertNum number;
  const char *string;
} NativertPlanGraphValue;

typedef struct NativertBuilder {
  NativertEmit emit;                    /* first: expand functions get a pointer to it */
  NativertPlan *plan;
  const NativertGraph *graph;
  NativertRegion *temp;
  const NativertNode *node;             /* being lowered; NULL before and after */
  GArray *values, *blocks, *steps, *refs;       /* NativertPlanValue, NativertPlanBlock, NativertStep, uint32_t */
  GByteArray *params;
  GArray *packs;                        /* NativertPlanPack */
  GArray *mutated;                      /* NativertPlanMutated */
  NativertPlanGraphValue *gv;           /* by graph value id */
  bool *pinned;                         /* by graph value id; NULL when the graph writes nothing in place */
  bool *state;                          /* by graph input number: written by the graph */
  size_t constants_bytes, limit;
  uint16_t copy_op;                     /* nativert::copy */
  unsigned depth;
  GError **error;
} NativertBuilder;

#define NATIVERT_VALUE(b, ref) (&g_array_index ((b)->values, NativertPlanValue, (ref)))
#define NATIVERT_BLOCK(b, i) (&g_array_index ((b)->blocks, NativertPlanBlock, (i)))

/* One operator to be computed. */
typedef struct {
  uint16_t op;
  const NativertArg *args;              /* TENSOR args hold refs; fewer than the schema's: the rest are its defaults */
  uint32_t n_args, n_out;
  const NativertView *want; /* what the metadata says of each result, ndim NATIVERT_UNKNOWN_RANK: nothing; NULL */
  bool strict;                          /* results must have the strides of want: their class has writers */
  NativertRef dest;                     /* compute the one result into this, NATIVERT_NO_REF: into new memory */
  NativertRef *out;
} NativertLowering;

/* plan.c */
bool nativert_builder_fail (NativertBuilder *b, NativertError code, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* values.c */
uint32_t nativert_builder_add_block (NativertBuilder *b, uint8_t mem, uint32_t index, size_t n_bytes);
/* Fails when the view reaches outside of its block. */
NativertRef nativert_builder_add_value (NativertBuilder *b, uint32_t block, int64_t offset, const NativertView *view);
NativertRef nativert_builder_new_tensor (NativertBuilder *b, const NativertView *view); /* in new arena memory */
NativertRef nativert_builder_constant (NativertBuilder *b, const NativertView *view);
NativertRef nativert_builder_number (NativertBuilder *b, NativertNum number);                    /* wrapped */
bool nativert_builder_same_memory (const NativertBuilder *b, NativertRef a, NativertRef c);
bool nativert_view_same_shape (const NativertView *a, const NativertView *b);
bool nativert_view_same_strides (const NativertView *a, const NativertView *b);
bool nativert_view_is_dense (const NativertView *v);
char *nativert_view_to_text (const NativertView *v);                                            /* "float32[2, 3]" */
bool nativert_builder_check_limit (NativertBuilder *b, size_t n_bytes);
/* symbols.c */
bool nativert_builder_solve (NativertBuilder *b, const NativertPlanInput *inputs, uint32_t n_inputs);
bool nativert_builder_sym (const NativertBuilder *b, const NativertSymInt *s, int64_t *value);
bool nativert_builder_eval (const NativertBuilder *b, const NativertExpr *expr, NativertNum *value);
/* What the metadata of a value comes to at these sizes; rank NATIVERT_UNKNOWN_RANK when it depends on what nobody
 * knows. */
bool nativert_builder_meta (NativertBuilder *b, const NativertGraphValue *value, NativertView *view);
/* guards.c */
bool nativert_builder_check_guards (NativertBuilder *b, const NativertPlanInput *inputs);
/* inputs.c */
bool nativert_builder_bind_inputs (NativertBuilder *b, const NativertPlanInput *inputs);
/* alias.c */
void nativert_builder_find_classes (NativertBuilder *b);
bool nativert_builder_lower_write (NativertBuilder *b, const NativertNode *node, const NativertArg *args);
/* args.c */
bool nativert_builder_bind_args (NativertBuilder *b, const NativertNode *node, NativertArg *args);
bool nativert_builder_default_arg (NativertBuilder *b, const NativertSchemaArg *schema, NativertArg *arg);
/* fit.c */
bool nativert_builder_fit_arg (NativertBuilder *b, const NativertSchemaArg *schema, NativertArg *arg);
/* promote.c */
uint8_t nativert_promote_dtypes (uint8_t a, uint8_t b);
bool nativert_builder_promote (NativertBuilder *b, const NativertOp *op, NativertRef *refs, uint32_t n);
NativertRef nativert_builder_cast (NativertBuilder *b, NativertRef ref, uint8_t dtype);
NativertRef nativert_builder_contiguous (NativertBuilder *b, NativertRef ref);
/* lower.c */
bool nativert_builder_lower (NativertBuilder *b, NativertLowering *l);
/* Copies src to dest: same sizes; casts. */
bool nativert_builder_copy_to (NativertBuilder *b, NativertRef src, NativertRef dest);
/* A view of ref with these sizes, as torch broadcasts. */
NativertRef nativert_builder_broadcast (NativertBuilder *b, NativertRef ref, const NativertView *to);
/* nodes.c */
bool nativert_builder_lower_node (NativertBuilder *b, const NativertNode *node);
/* emit.c */
void nativert_builder_init_emit (NativertBuilder *b);
/* steps.c */
bool nativert_builder_add_step (
    NativertBuilder *b, const NativertKernel *kernel, NativertPrep *p, const NativertRef *in, const NativertRef *out);
/* symnodes.c */
bool nativert_builder_lower_symbolic (NativertBuilder *b, const NativertNode *node);
/* outputs.c */
bool nativert_builder_lower_outputs (NativertBuilder *b);
/* once.c, dag.c, arena.c: on the finished arrays of plan */
void nativert_plan_find_once (NativertPlan *plan, NativertRegion *temp);
void nativert_plan_make_dag (NativertPlan *plan);
bool nativert_plan_make_arena (NativertPlan *plan, const NativertBuilder *b, size_t *arena_bytes);
/* schemas.c */
int32_t nativert_plan_find_op (const char *name);       /* -1: none */
const NativertSchema *nativert_plan_op_schema (uint16_t op);
