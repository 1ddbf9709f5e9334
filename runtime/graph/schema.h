/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ATen schema text, parsed: binds a node's arguments, fills defaults, and knows what aliases and what is written. */
#pragma once
#include "graph/graph.h"

typedef enum {
  NATIVERT_ST_TENSOR,
  NATIVERT_ST_INT /* int, SymInt */,
  NATIVERT_ST_FLOAT,
  NATIVERT_ST_BOOL,
  NATIVERT_ST_SCALAR,
  NATIVERT_ST_STRING,
  NATIVERT_ST_DTYPE,
  NATIVERT_ST_LAYOUT,
  NATIVERT_ST_DEVICE,
  NATIVERT_ST_MEMORY_FORMAT,
  NATIVERT_ST_GENERATOR,
  NATIVERT_ST_OTHER
} NativertSchemaType;

typedef struct {
  const char *name;
  uint8_t type;
  bool optional, list, list_optional /* Tensor?[] */, kwarg_only, has_default;
  int32_t list_size;                    /* int[2] = 2: a single int is broadcast to it; 0: any */
  char alias;                           /* 'a' of (a!), 0 none */
  bool write;                           /* the ! */
  NativertGraphArg def;
} NativertSchemaArg;

struct NativertSchema {
  const char *name;                     /* "aten::add.Tensor" */
  const char *text;                     /* as registered */
  const NativertSchemaArg *args, *returns;
  const char *const *arg_names;
  uint32_t n_args, n_returns;
  int32_t op;                           /* id given at registration */
  bool writes;                          /* any argument is written */
  bool random;                          /* it takes a generator or is known to roll dice: never folded */
};

typedef struct NativertSchemas NativertSchemas;          /* immutable once filled */
NativertSchemas *nativert_schemas_new (void);
void nativert_schemas_free (NativertSchemas *schemas);
/* The registry must outlive every graph that is bound with it.
 * op: what the caller calls it.  Also derives the in-place form (name_, self written and returned). */
bool nativert_schemas_add (NativertSchemas *schemas, const char *text, int32_t op, GError **error);
/* target as in files: "torch.ops.aten.add_.Tensor".  NULL: not known. */
const NativertSchema *nativert_schemas_find (const NativertSchemas *schemas, const char *target);
/* All overloads of "aten::add" in the order of registration; n 0: none. */
const NativertSchema *const *nativert_schemas_overloads (const NativertSchemas *schemas, const char *name, uint32_t *n);
/* The functional form of an in-place schema (add_.Tensor -> add.Tensor), NULL when there is none. */
const NativertSchema *nativert_schemas_functional (const NativertSchemas *schemas, const NativertSchema *schema);
