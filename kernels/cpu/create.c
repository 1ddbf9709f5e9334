/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sequences of numbers, and the identity matrix. */
#include <string.h>
#include "kernels/convert.h"
#include "kernels/rules.h"

typedef struct { int64_t n, m, start, step; double from, to, by; } Sequence;

NATIVERT_SHAPE (sequence)
{
  int64_t n = nativert_arg_int (p, 2, 0);
  return nativert_result (p, 0, (uint8_t) nativert_arg_int (p, 3, NATIVERT_F32), 1, &n);
}

NATIVERT_SHAPE (eye)
{
  int64_t size[2] = { nativert_arg_int (p, 0, 0), nativert_arg_int (p, 1, 0) };
  return nativert_result (p, 0, (uint8_t) nativert_arg_int (p, 2, NATIVERT_F32), 2, size);
}

static bool
prepare (NativertPrep *p)
{
  Sequence *s = p->params;
  const NativertView *out = &p->out[0];
  bool eye = p->op == NATIVERT_OP_nativert_eye;

  if (!nativert_view_is_contiguous (out))
    return nativert_no (p, "%s writes a contiguous result", nativert_ops[p->op].name);
  if (out->ndim != (eye ? 2 : 1))
    return nativert_no (p, "%s: the result has %d dims", nativert_ops[p->op].name, out->ndim);
  *s = (Sequence) { .n = out->size[0], .m = eye ? out->size[1] : 1 };
  if (!eye) {
    s->start = nativert_arg_int (p, 0, 0);
    s->step = nativert_arg_int (p, 1, 0);
    s->from = nativert_arg_float (p, 0, 0);
    s->to = s->by = nativert_arg_float (p, 1, 0);
  }
  p->params_size = sizeof *s;
  p->cost = (uint64_t) (s->n * s->m);
  return true;
}

/* Floats add in double, as torch's accumulate type does; whole numbers in int64. */
#define ARANGE(id, S, C, ...)                                                                   \
  static void arange_##id (const NativertCall *c, uint32_t part)                                \
  {                                                                                             \
    const Sequence *s = c->params;                                                              \
    S *to = c->out[0].data;                                                                     \
    for (int64_t i = 0; i < s->n; i++)                                                          \
      to[i] = NATIVERT_STORE_##id (_Generic ((C) 0, float: (C) (s->from + s->by * (double) i),  \
          double: (C) (s->from + s->by * (double) i), default: (C) ((uint64_t) s->start + (uint64_t) s->step * (uint64_t) i)));  \
  }
/* The second half counts from the end, so that both ends are exact. */
#define LINSPACE(id, S, C, ...)                                                                 \
  static void linspace_##id (const NativertCall *c, uint32_t part)                              \
  {                                                                                             \
    typedef __typeof__ (_Generic ((C) 0, float: (float) 0, default: (double) 0)) Step;          \
    const Sequence *s = c->params;                                                              \
    S *to = c->out[0].data;                                                                     \
    Step from = (Step) s->from, end = (Step) s->to, step = s->n > 1 ? (end - from) / (Step) (s->n - 1) : 0;     \
    for (int64_t i = 0; i < s->n; i++)                                                          \
      to[i] = NATIVERT_STORE_##id ((C) (i < s->n / 2 || s->n == 1 ? from + step * (Step) i : end - step * (Step) (s->n - 1 - i))); \
  }
#define EYE(id, S, C, ...)                                                                      \
  static void eye_##id (const NativertCall *c, uint32_t part)                                   \
  {                                                                                             \
    const Sequence *s = c->params;                                                              \
    S *to = c->out[0].data;                                                                     \
    memset (to, 0, sizeof (S) * (size_t) (s->n * s->m));                                        \
    for (int64_t i = 0; i < s->n && i < s->m; i++)                                              \
      to[i * s->m + i] = NATIVERT_STORE_##id ((C) 1);                                           \
  }
NATIVERT_REAL (ARANGE, )
NATIVERT_REAL (LINSPACE, )
NATIVERT_ALL (EYE, )

#define ROW(id, S, C, name) { NATIVERT_OP_nativert_##name, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, #name, prepare, name##_##id, NULL },
static const NativertKernel rows[] = {
  NATIVERT_REAL (ROW, arange)
  NATIVERT_REAL (ROW, linspace)
  NATIVERT_ALL (ROW, eye)
};
extern const NativertKernelSet nativert_set_create;
const NativertKernelSet nativert_set_create = { rows, sizeof rows / sizeof *rows, "plain" };
