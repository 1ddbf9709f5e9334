/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* arange and linspace, as torch computes them. */
#include "kernels/iter.h"

typedef struct { double start, step, end; int64_t first, int_step, n; } Params;

static bool
prepare (NativertPrep *p)
{
  Params *x = p->params;
  bool arange = p->op == NATIVERT_OP_nativert_arange;
  x->start = nativert_arg_float (p, 0, 0);
  x->step = x->end = nativert_arg_float (p, 1, 1);
  x->n = nativert_arg_int (p, arange ? 4 : 2, 0);
  x->first = arange ? nativert_arg_int (p, 2, 0) : 0;
  x->int_step = arange ? nativert_arg_int (p, 3, 1) : 0;
  if (p->out[0].ndim != 1 || p->out[0].size[0] != x->n || !nativert_view_is_contiguous (&p->out[0]))
    return nativert_no (p, "%s: the result is not contiguous, or of another size", nativert_ops[p->op].name);
  p->params_size = sizeof *x;
  p->cost = (uint64_t) x->n * 8;
  return true;
}

static void
arange_I64 (const NativertCall *c, uint32_t part)
{
  const Params *x = c->params;
  for (int64_t i = 0; i < x->n; i++)
    ((int64_t *) c->out[0].data)[i] = x->first + i * x->int_step;
}

#define FLOATS(id, T)                                                                   \
  static void arange_##id (const NativertCall *c, uint32_t part)                        \
  {                                                                                     \
    const Params *x = c->params;                                                        \
    for (int64_t i = 0; i < x->n; i++)                                                  \
      ((T *) c->out[0].data)[i] = (T) (x->start + (double) i * x->step);                \
  }                                                                                     \
  /* From both ends, so that the last number is exact. */                               \
  static void linspace_##id (const NativertCall *c, uint32_t part)                      \
  {                                                                                     \
    const Params *x = c->params;                                                        \
    T start = (T) x->start, end = (T) x->end, step = x->n > 1 ? (end - start) / (T) (x->n - 1) : 0; \
    for (int64_t i = 0; i < x->n; i++)                                                  \
      ((T *) c->out[0].data)[i] = i < x->n / 2 || x->n == 1 ? start + step * (T) i : end - step * (T) (x->n - 1 - i); \
  }
FLOATS (F32, float)
FLOATS (F64, double)

extern const NativertKernelSet nativert_set_create;
static const NativertKernel rows[] = {
  { NATIVERT_OP_nativert_arange, NATIVERT_I64, NATIVERT_DEVICE_CPU, 0, "arange", prepare, arange_I64 },
  { NATIVERT_OP_nativert_arange, NATIVERT_F32, NATIVERT_DEVICE_CPU, 0, "arange", prepare, arange_F32 },
  { NATIVERT_OP_nativert_arange, NATIVERT_F64, NATIVERT_DEVICE_CPU, 0, "arange", prepare, arange_F64 },
  { NATIVERT_OP_nativert_linspace, NATIVERT_F32, NATIVERT_DEVICE_CPU, 0, "linspace", prepare, linspace_F32 },
  { NATIVERT_OP_nativert_linspace, NATIVERT_F64, NATIVERT_DEVICE_CPU, 0, "linspace", prepare, linspace_F64 },
};
const NativertKernelSet nativert_set_create = { rows, sizeof rows / sizeof *rows, "create" };
