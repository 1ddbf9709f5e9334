/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ATen schema text, parsed: binds a node's arguments, fills defaults, and knows what aliases and what is written. */
#pragma once
#include "graph/graph.h"

typedef enum {
  NATIVERT_ST_TENSOR, NATIVERT_ST_INT /* int, SymInt */, NATIVERT_ST_FLOAT, NATIVERT_ST_BOOL, NATIVERT_ST_SCALAR, NATIVERT_ST_STRING,
  NATIVERT_ST_DTYPE, NATIVERT_ST_LAYOUT, NATIVERT_ST_DEVICE, NATIVERT_ST_MEMORY_FORMAT, NATIVERT_ST_GENERATOR, NATIVERT_ST_OTHER
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
  const NativertSchemaArg *args, *returns;
  uint32_t n_args, n_returns;
  int32_t op;                           /* id given at registration */
  bool writes;                          /* any argument is written */
};

typedef struct NativertSchemas NativertSchemas;          /* immutable once filled */
NativertSchemas *nativert_schemas_new (void);
void nativert_schemas_free (NativertSchemas *schemas);
/* op: what the caller calls it.  Also derives the in-place form (name_, self written and returned). */
bool nativert_schemas_add (NativertSchemas *schemas, const char *text, int32_t op, GError **error);
/* target as in files: "torch.ops.aten.add_.Tensor".  NULL: not known. */
const NativertSchema *nativert_schemas_find (const NativertSchemas *schemas, const char *target);
/* The functional form of an in-place schema (add_.Tensor -> add.Tensor), NULL when there is none. */
const NativertSchema *nativert_schemas_functional (const NativertSchemas *schemas, const NativertSchema *schema);
