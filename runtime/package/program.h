/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plain descriptions of what an archive says: JSON decoded and checked for form, nothing resolved.
 * All of a NativertProgram lives in its region; strings are UTF-8 and never NULL unless said. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/expr.h"
#include "base/region.h"

/* as_... tags of a serialized Argument */
typedef enum {
  NATIVERT_TAG_NONE,
  NATIVERT_TAG_TENSOR,
  NATIVERT_TAG_TENSORS,
  NATIVERT_TAG_OPTIONAL_TENSORS,
  NATIVERT_TAG_NESTED_TENSORS,
  NATIVERT_TAG_INT,
  NATIVERT_TAG_INTS,
  NATIVERT_TAG_INT_LISTS,
  NATIVERT_TAG_FLOAT,
  NATIVERT_TAG_FLOATS,
  NATIVERT_TAG_FLOAT_LISTS,
  NATIVERT_TAG_BOOL,
  NATIVERT_TAG_BOOLS,
  NATIVERT_TAG_STRING,
  NATIVERT_TAG_STRINGS,
  NATIVERT_TAG_STRING_TO_ARGUMENT,
  NATIVERT_TAG_COMPLEX,
  NATIVERT_TAG_SCALAR_TYPE,
  NATIVERT_TAG_MEMORY_FORMAT,
  NATIVERT_TAG_LAYOUT,
  NATIVERT_TAG_DEVICE,
  NATIVERT_TAG_SYM_INT,
  NATIVERT_TAG_SYM_INTS,
  NATIVERT_TAG_SYM_FLOAT,
  NATIVERT_TAG_SYM_FLOATS,
  NATIVERT_TAG_SYM_BOOL,
  NATIVERT_TAG_SYM_BOOLS,
  NATIVERT_TAG_GRAPH,
  NATIVERT_TAG_CUSTOM_OBJ,
  NATIVERT_TAG_OPERATOR
} NativertTag;

typedef struct NativertGraphDesc NativertGraphDesc;
typedef struct NativertArgDesc NativertArgDesc;

typedef struct {
  const char *type;
  int32_t index;
} NativertDeviceDesc; /* "cpu", "cuda"; index -1: none given */

/* The value of one tag.  Lists: n and one of the pointers.  A name stands for a value of the graph.
 * SYM_INT, SYM_FLOAT, SYM_BOOL: name, or NULL name and the literal in i / f / i. */
struct NativertArgDesc {
  uint8_t tag;
  uint32_t n;
  const char *name;                     /* TENSOR, SYM_*, CUSTOM_OBJ, GRAPH (the subgraph's name) */
  union {
    int64_t i; /* INT, BOOL, SCALAR_TYPE (a NativertDtype, -1 unknown), MEMORY_FORMAT, LAYOUT */
    double f; double c[2];
    const char *s;                      /* STRING, OPERATOR; CUSTOM_OBJ: class name */
    const int64_t *ints; const double *floats; const uint8_t *bools; const char *const *strings;
    const char *const *names;           /* TENSORS; OPTIONAL_TENSORS: NULL = None */
    const NativertArgDesc *items; /* NESTED_TENSORS, INT_LISTS, FLOAT_LISTS, SYM_INTS..; STRING_TO_ARGUMENT: n pairs, a
                                     STRING and its value */
    NativertDeviceDesc device;
    const NativertGraphDesc *graph;
  } u;
};

typedef struct {
  const char *name;
  NativertArgDesc arg;
  uint8_t kind;
} NativertNamedArgDesc; /* kind: 0, 1 positional, 2 keyword */

typedef struct {
  const char *target, *name;            /* name may be "" */
  const NativertNamedArgDesc *inputs; uint32_t n_inputs;
  const NativertArgDesc *outputs; uint32_t n_outputs;
  const char *stack_trace;              /* NULL: none */
  const char *nn_module_stack;          /* NULL: none */
  int8_t is_hop_single_tensor_return;   /* -1 null, 0, 1 */
} NativertNodeDesc;

/* A size: expr NULL means the number. */
typedef struct { const NativertExpr *expr; int64_t value; } NativertSymInt;

typedef struct {
  int16_t dtype;                        /* NativertDtype; -1: unknown */
  uint8_t layout;                       /* 7 strided */
  bool requires_grad;
  uint32_t n_dims;
  const NativertSymInt *sizes, *strides;
  NativertSymInt storage_offset;
  NativertDeviceDesc device;
} NativertTensorMetaDesc;

typedef struct { const char *name; NativertTensorMetaDesc meta; } NativertTensorValueDesc;
/* sym_int, sym_float and sym_bool values: the expression, or NULL and the literal */
typedef struct { const char *name; const NativertExpr *expr; NativertNum literal; } NativertSymValueDesc;
typedef struct { const char *name, *class_name; } NativertObjValueDesc;

struct NativertGraphDesc {
  const NativertArgDesc *inputs, *outputs; uint32_t n_inputs, n_outputs;
  const NativertNodeDesc *nodes; uint32_t n_nodes;
  const NativertTensorValueDesc *tensor_values; uint32_t n_tensor_values;
  const NativertSymValueDesc *sym_int_values, *sym_bool_values, *sym_float_values;
  uint32_t n_sym_int_values, n_sym_bool_values, n_sym_float_values;
  const NativertObjValueDesc *obj_values; uint32_t n_obj_values;
  bool is_single_tensor_return;
};

typedef enum {
  NATIVERT_IN_TOKEN, NATIVERT_IN_PARAMETER, NATIVERT_IN_BUFFER, NATIVERT_IN_TENSOR_CONSTANT, NATIVERT_IN_CUSTOM_OBJ,
  NATIVERT_IN_USER, NATIVERT_IN_CONSTANT,
  NATIVERT_IN_FOLDED                    /* never in a file: a result of constant folding */
} NativertInputKind;
typedef struct { uint8_t kind; bool persistent; NativertArgDesc arg; const char *target; } NativertInputSpec;
                                        /* target: FQN; CONSTANT: its name, the value in arg */
typedef enum {
  NATIVERT_OUT_TOKEN, NATIVERT_OUT_BUFFER_MUTATION, NATIVERT_OUT_PARAMETER_MUTATION, NATIVERT_OUT_USER_INPUT_MUTATION,
  NATIVERT_OUT_USER, NATIVERT_OUT_LOSS, NATIVERT_OUT_GRADIENT
} NativertOutputKind;
typedef struct { uint8_t kind; NativertArgDesc arg; const char *target; } NativertOutputSpec;

typedef struct { const char *name; const NativertExpr *expr; bool has_min, has_max; int64_t min, max; } NativertRange;
typedef struct { const char *name; const char *const *fields; uint32_t n_fields; } NativertNamedTuple;

typedef struct {
  NativertRegion *region;
  NativertExprTable *exprs;
  NativertGraphDesc *graph;
  const NativertInputSpec *input_specs; uint32_t n_input_specs;
  const NativertOutputSpec *output_specs; uint32_t n_output_specs;
  const char *in_spec, *out_spec;       /* JSON text of the pytrees; NULL: not given */
  const char *const *forward_arg_names; uint32_t n_forward_arg_names;
  const NativertRange *ranges; uint32_t n_ranges;
  const char *const *guards; uint32_t n_guards;
  const NativertNamedTuple *namedtuples; uint32_t n_namedtuples;
  const char *const *verifiers; uint32_t n_verifiers;
  int64_t schema_major, schema_minor;
  const char *torch_version;            /* "" when absent */
} NativertProgram;

/* what: the record's name, for messages.  Strict about form: unknown tags and enums, wrong types, missing keys,
 * duplicate value names and counts beyond the text's size are errors that name the record and the JSON path. */
NativertProgram *nativert_program_parse (const char *what, const char *json, size_t n_bytes, GError **error);
void nativert_program_free (NativertProgram *program);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertProgram, nativert_program_free)
