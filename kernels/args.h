/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading bound arguments at plan time, and the overflow-checked products that shape rules need. */
#pragma once
#include "rules.h"

static inline bool
nativert_arg_is_none (const NativertPrep *p, unsigned i)
{
  return i >= p->n_arg || p->arg[i].kind == NATIVERT_ARG_NONE;
}

/* Index in in[] of a Tensor argument, -1 for None. */
static inline int
nativert_arg_index (const NativertPrep *p, unsigned i)
{
  if (i >= p->n_arg || p->arg[i].kind != NATIVERT_ARG_TENSOR || p->arg[i].u.i < 0 || p->arg[i].u.i >= p->n_in)
    return -1;
  return (int) p->arg[i].u.i;
}

/* A tensor argument's value of the plan, for expand functions; NATIVERT_NO_REF for None. */
static inline NativertRef
nativert_arg_ref (const NativertPrep *p, uint32_t k)
{
  int i = nativert_arg_index (p, k);
  return i >= 0 ? p->ref[i] : NATIVERT_NO_REF;
}

/* A tensor argument of an emitted operator that may be absent. */
static inline NativertArg
nativert_opt (NativertRef ref)
{
  return ref == NATIVERT_NO_REF ? NATIVERT_NONE : NATIVERT_T (ref);
}

static inline const NativertView *
nativert_arg_view (const NativertPrep *p, unsigned i)
{
  int k = nativert_arg_index (p, i);
  return k < 0 ? NULL : &p->in[k];
}

static inline int64_t
nativert_arg_int (const NativertPrep *p, unsigned i, int64_t when_none)
{
  if (nativert_arg_is_none (p, i))
    return when_none;
  return p->arg[i].kind == NATIVERT_ARG_FLOAT ? (int64_t) p->arg[i].u.f : p->arg[i].u.i;
}

static inline double
nativert_arg_float (const NativertPrep *p, unsigned i, double when_none)
{
  if (nativert_arg_is_none (p, i))
    return when_none;
  return p->arg[i].kind == NATIVERT_ARG_FLOAT ? p->arg[i].u.f : (double) p->arg[i].u.i;
}

/* n numbers from a list of n, a list of one, or a number; false with a reason otherwise. */
static inline bool
nativert_arg_list (NativertPrep *p, unsigned i, unsigned n, int64_t *to, const char *what)
{
  if (i < p->n_arg && p->arg[i].kind == NATIVERT_ARG_INT) {
    for (unsigned k = 0; k < n; k++)
      to[k] = p->arg[i].u.i;
    return true;
  }
  if (i >= p->n_arg || p->arg[i].kind != NATIVERT_ARG_INTS)
    return nativert_no (p, "%s is no list of %u integers", what, n);
  const NativertArg *a = &p->arg[i];
  if (a->n != n && a->n != 1)
    return nativert_no (p, "%s has %u entries, want %u", what, a->n, n);
  for (unsigned k = 0; k < n; k++)
    to[k] = a->u.ints[a->n == 1 ? 0 : k];
  return true;
}

/* The result's size in one dimension must be something memory can hold; larger numbers are refused before they
 * overflow. */
#define NATIVERT_SIZE_LIMIT ((int64_t) 1 << 40)

static inline bool
nativert_mul_ok (int64_t a, int64_t b, int64_t *product)
{
  return !__builtin_mul_overflow (a, b, product) && *product <= NATIVERT_SIZE_LIMIT * 64;
}

/* Checks that sizes are >= 0 and that their product times 16 bytes fits. */
static inline bool
nativert_sizes_ok (NativertPrep *p, unsigned n, const int64_t *size)
{
  int64_t product = 16;
  for (unsigned d = 0; d < n; d++)
    if (size[d] < 0 || size[d] > NATIVERT_SIZE_LIMIT || !nativert_mul_ok (product, size[d] ? size[d] : 1, &product))
      return nativert_no (p, "result size %lld in dimension %u is impossible", (long long) size[d], d);
  return true;
}

static inline int64_t
nativert_ceil_div (int64_t a, int64_t b)
{
  return (a + b - 1) / b;
}

static inline int64_t nativert_min_i64 (int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t nativert_max_i64 (int64_t a, int64_t b) { return a > b ? a : b; }
/* Floor division for a positive divisor. */
static inline int64_t nativert_floor_div (int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
