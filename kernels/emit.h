/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an expand function may do: emit simpler operators into the plan being made.  The plan fills the table of
 * functions. A failed call returns NATIVERT_NO_REF and is remembered; any call given NATIVERT_NO_REF returns it again,
 * so an expand function needs no checks: the plan reports the first failure. */
#pragma once
#include "ops.h"

struct NativertEmit {
  /* Runs the whole view/expand/shape/kernel way for op; writes n_out results. */
  bool (*op) (NativertEmit *e, uint16_t op, uint32_t n_args, const NativertArg *args, uint32_t n_out, NativertRef *out);
  const NativertView *(*view) (NativertEmit *e, NativertRef ref);       /* valid until the next emit */
  NativertRef (*constant) (NativertEmit *e, const NativertView *v);     /* copies v's (contiguous) data into the plan */
  uint32_t cpu;
};

#define NATIVERT_T(ref) ((NativertArg) { .kind = NATIVERT_ARG_TENSOR, .u.i = (ref) })
#define NATIVERT_I(x) ((NativertArg) { .kind = NATIVERT_ARG_INT, .u.i = (x) })
#define NATIVERT_B(x) ((NativertArg) { .kind = NATIVERT_ARG_BOOL, .u.i = (x) })
#define NATIVERT_F(x) ((NativertArg) { .kind = NATIVERT_ARG_FLOAT, .u.f = (x) })
#define NATIVERT_S(x) ((NativertArg) { .kind = NATIVERT_ARG_STRING, .u.s = (x) })
#define NATIVERT_D(x) ((NativertArg) { .kind = NATIVERT_ARG_DTYPE, .u.i = (x) })
#define NATIVERT_IS(p, count) ((NativertArg) { .kind = NATIVERT_ARG_INTS, .n = (count), .u.ints = (p) })
#define NATIVERT_TS(p, count) ((NativertArg) { .kind = NATIVERT_ARG_TENSORS, .n = (count), .u.ints = (p) })
#define NATIVERT_NONE ((NativertArg) { .kind = NATIVERT_ARG_NONE })

/* nativert_emit (e, NATIVERT_OP_mul_Tensor, NATIVERT_T (a), NATIVERT_T (b)): the single result. */
#define nativert_emit(e, op, ...)                                                                                      \
  nativert_emit_v (                                                                                                    \
      (e), (op), sizeof ((NativertArg[]){ __VA_ARGS__ }) / sizeof (NativertArg), (NativertArg[]){ __VA_ARGS__ })
NativertRef nativert_emit_v (NativertEmit *e, uint16_t op, uint32_t n_args, const NativertArg *args);
/* A 0-d constant. */
NativertRef nativert_emit_float (NativertEmit *e, uint8_t dtype, double value);
NativertRef nativert_emit_int (NativertEmit *e, uint8_t dtype, int64_t value);
