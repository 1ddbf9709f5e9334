/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The few structs that arithmetic and the rest of the runtime share.  Plain C: no GLib, no ownership, no files.
 *
 * An operator is one row of ops.def (NativertOp).  A kernel is one way to compute it (NativertKernel).  At plan time,
 * shapes known, an operator is asked in this order:
 *   view    its results are windows on in[0]: no step at all
 *   expand  it is a composite: it emits simpler operators
 *   shape   sizes and dtypes of the results; then the last kernel row whose prepare says yes makes a step
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "dtypes.h"

enum { NATIVERT_MAX_DIMS = 12, NATIVERT_MAX_PACKS = 2, NATIVERT_REASON_SIZE = 240 };
enum { NATIVERT_DEVICE_CPU, NATIVERT_DEVICE_CUDA };
enum { NATIVERT_CPU_V3 = 1u << 0, NATIVERT_CPU_V4 = 1u << 1 };        /* x86-64-v3, x86-64-v4 */

/* A strided window on memory; size and stride in elements, torch's order of dimensions. */
typedef struct {
  void *data;                                   /* NULL at plan time unless the value is known then */
  int64_t size[NATIVERT_MAX_DIMS], stride[NATIVERT_MAX_DIMS];
  uint8_t ndim, dtype, device;
} NativertView;

/* One argument of a schema, bound.  A plan hands over exactly one per schema argument, in schema order. */
typedef enum {
  NATIVERT_ARG_NONE,
  NATIVERT_ARG_BOOL,
  NATIVERT_ARG_INT,
  NATIVERT_ARG_FLOAT,
  NATIVERT_ARG_COMPLEX,
  NATIVERT_ARG_STRING,
  NATIVERT_ARG_INTS,
  NATIVERT_ARG_BOOLS,
  NATIVERT_ARG_FLOATS,
  NATIVERT_ARG_DTYPE,
  NATIVERT_ARG_LAYOUT,
  NATIVERT_ARG_MEMORY_FORMAT,
  NATIVERT_ARG_DEVICE, /* in u.i */
  NATIVERT_ARG_TENSOR, /* u.i: index into in[] (prepare, shape, view) or a NativertRef (emit) */
  NATIVERT_ARG_TENSORS /* u.ints: n of the same, -1 for a None element */
} NativertArgKind;

typedef struct {
  uint8_t kind;
  uint32_t n;                                   /* list length */
  union { int64_t i; double f; double c[2]; const int64_t *ints; const double *floats; const char *s; } u;
} NativertArg;                                  /* BOOL in u.i, BOOLS in u.ints */

/* Memory formats, with torch.export's numbers. */
enum { NATIVERT_FORMAT_CONTIGUOUS = 1, NATIVERT_FORMAT_CHANNELS_LAST = 2, NATIVERT_FORMAT_CHANNELS_LAST_3D = 3,
  NATIVERT_FORMAT_PRESERVE = 4 };

typedef int32_t NativertRef;                    /* a value of the plan being made */
enum { NATIVERT_NO_REF = -1 };

/* A kernel's wish to have an input rewritten once per weights version (never per run).  The kernel that asked reads the
 * pack and never in[pack.in].data: a weight that only packs are made of is freed, and its pointer is then NULL. */
typedef struct {
  uint8_t in;
  uint32_t key;                                 /* equal (weight view, fn, key) share one pack */
  size_t n_bytes;
  void (*fn) (void *dst, const NativertView *src, const void *params);
} NativertPack;

/* Plan time: what an operator or a kernel is asked, and what it answers. */
typedef struct {
  uint16_t op;
  const struct NativertKernel *row;             /* the row that is asked: prepare only */
  const NativertArg *arg;
  uint16_t n_arg, n_in, n_out;
  const NativertView *in;
  NativertView *out;                            /* answer of shape and view; given to prepare */
  const bool *in_const;                         /* in[k] is a weight or folded value: may be packed */
  const NativertRef *ref;                       /* expand only: ref[k] is in[k] */
  uint32_t cpu;                                 /* NATIVERT_CPU_* that may be used */
  int64_t *offset; /* answer of view: start of out[i] after in[0]'s start, in elements of out[i] */
  void *params;
  size_t params_size; /* answer: POD, written to params (room for NATIVERT_MAX_PARAMS bytes) */
  uint32_t n_parts;                             /* answer: >= 1, from sizes only, never from thread counts */
  size_t scratch_shared, scratch_part;          /* answer: bytes */
  NativertPack pack[NATIVERT_MAX_PACKS];
  uint8_t n_packs;
  int8_t in_place;                              /* answer: out[0] may be the memory of in[k]; -1 = of none */
  uint64_t cost;                                /* answer: about bytes moved + flops / 16 */
  char reason[NATIVERT_REASON_SIZE];            /* answer when it says no: with the numbers */
} NativertPrep;
enum { NATIVERT_MAX_PARAMS = 512 };

/* Run time: all resolved; read-only, shared by all parts. */
typedef struct {
  const NativertView *in;
  NativertView *out;
  const void *params;
  const void *pack[NATIVERT_MAX_PACKS];
  char *scratch;                                /* 64-byte aligned: scratch_shared bytes, then scratch_part per part */
  size_t scratch_shared, scratch_part;
  const char **error; /* __atomic: NULL at the start of a run; a kernel that meets bad data stores why */
  void *stream;
} NativertCall;

/* What a kernel says when values (never shapes) are wrong: a static text such as "index out of range".  It then skips
 * the element; the executor fails the run, naming the node.  Any thread; one of several texts wins. */
static inline void
nativert_call_fail (const NativertCall *c, const char *why)
{
  __atomic_store_n (c->error, why, __ATOMIC_RELAXED);
}

static inline char *
nativert_call_scratch (const NativertCall *c, uint32_t part)
{
  return c->scratch + c->scratch_shared + c->scratch_part * part;
}

typedef void (*NativertKernelFn) (const NativertCall *c, uint32_t part);
/* Inner loop of a pointwise operator: p[0] the result, then the inputs; strides in bytes. */
typedef void (*NativertLoopFn) (char *const *p, const int64_t *stride, int64_t n);

typedef struct NativertEmit NativertEmit;

enum {
  NATIVERT_FLAG_PROMOTE = 1 << 0,                 /* inputs from `dispatch` on are cast to torch's result_type */
  NATIVERT_FLAG_FLOAT = 1 << 1,                   /* with PROMOTE: integral result types become float32 */
  NATIVERT_FLAG_BOOL = 1 << 2,                    /* the result is bool whatever the inputs */
  NATIVERT_FLAG_RANDOM = 1 << 3,                  /* never folded */
  NATIVERT_FLAG_DATA_DEPENDENT = 1 << 4,          /* sizes of the result depend on values */
  NATIVERT_FLAG_POINTWISE = 1 << 5                /* broadcasting, one element at a time */
};
enum { NATIVERT_DISPATCH_OUT = 0xff };

typedef struct {
  const char *name; /* id in the enum: conv2d_default for aten::conv2d, add_Tensor for aten::add.Tensor */
  const char *schema;                           /* ATen schema: data, parsed at load */
  bool (*view) (NativertPrep *p); /* false with reason[0] == 0: not a view here, go on to expand or kernels */
  bool (*expand) (
      NativertEmit *e, NativertPrep *p, NativertRef *out); /* false with reason[0] == 0: go on to the kernels */
  bool (*shape) (NativertPrep *p);              /* writes ndim, size, dtype, and contiguous strides, of every out */
  uint32_t flags;
  uint8_t dispatch;                             /* the input whose dtype chooses the kernel row */
} NativertOp;

typedef struct NativertKernel {
  uint16_t op;
  uint8_t dtype, device;
  uint32_t needs;
  const char *name;                             /* what `nativert bench --nodes` prints: "conv-direct-v3" */
  bool (*prepare) (NativertPrep *p);            /* checks every relation the kernel relies on, fills the answers */
  NativertKernelFn fn;                          /* for a pointwise row: nativert_pointwise_fn */
  NativertLoopFn loop;                          /* pointwise rows only */
} NativertKernel;

typedef struct { const NativertKernel *rows; size_t n; const char *name; } NativertKernelSet;

/* Activations that conv and linear can apply to a result before it is stored. */
typedef enum {
  NATIVERT_ACT_NONE, NATIVERT_ACT_RELU, NATIVERT_ACT_CLAMP /* a..b */, NATIVERT_ACT_LEAKY_RELU /* slope a */,
  NATIVERT_ACT_SILU, NATIVERT_ACT_HARDSWISH, NATIVERT_ACT_HARDSIGMOID, NATIVERT_ACT_SIGMOID, NATIVERT_ACT_TANH,
  NATIVERT_ACT_GELU, NATIVERT_ACT_GELU_TANH
} NativertAct;
