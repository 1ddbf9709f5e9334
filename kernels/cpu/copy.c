/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies between strided windows, and casts of rare dtypes; casts between common ones are in cast.c.
 * A transposing copy goes by square tiles, so that both sides are read and written by whole cache lines. */
#include <string.h>
#include "kernels/convert.h"
#include "kernels/copy.h"

typedef struct { uint64_t lo, hi; } Sixteen;

enum { TILE = 32 };

#define COPY_LOOP(name, T)                                              \
  static void name (char *const *p, const int64_t *s, int64_t n)        \
  {                                                                     \
    if (s[0] == sizeof (T) && s[1] == sizeof (T))                       \
      memmove (p[0], p[1], (size_t) n * sizeof (T));                    \
    else if (s[0] == sizeof (T) && s[1] == 0) {                         \
      const T x = *(const T *) p[1];                                    \
      T *o = (T *) p[0];                                                \
      for (int64_t i = 0; i < n; i++)                                   \
        o[i] = x;                                                       \
    } else if (s[0] == sizeof (T)) {                                    \
      T *o = (T *) p[0];                                                \
      for (int64_t i = 0; i < n; i++)                                   \
        o[i] = *(const T *) (p[1] + i * s[1]);                          \
    } else                                                              \
      for (int64_t i = 0; i < n; i++)                                   \
        *(T *) (p[0] + i * s[0]) = *(const T *) (p[1] + i * s[1]);      \
  }
COPY_LOOP (copy_1, uint8_t)
COPY_LOOP (copy_2, uint16_t)
COPY_LOOP (copy_4, uint32_t)
COPY_LOOP (copy_8, uint64_t)
COPY_LOOP (copy_16, Sixteen)

static NativertLoopFn
copy_loop (size_t element)
{
  switch (element) {
    case 1: return copy_1;
    case 2: return copy_2;
    case 4: return copy_4;
    case 8: return copy_8;
    default: return copy_16;
  }
}

static void
find_tile (NativertCopyPlan *plan, int64_t element)
{
  const NativertIter *it = &plan->it;
  const int64_t *to = it->word + it->ndim, *from = to + it->ndim;
  plan->tile = 0;
  if (it->ndim < 2 || to[0] != element || from[0] <= 2 * element || it->word[0] < 8)
    return;
  for (uint8_t d = 1; d < it->ndim; d++)
    if (from[d] == element && it->word[d] >= 8)
      plan->tile = d;
}

bool
nativert_copy_plan (NativertPrep *p, NativertCopyPlan *plan, const NativertView *to, const NativertView *from)
{
  const NativertView *view[] = { to, from };
  size_t element = nativert_dtype_size (to->dtype);
  plan->loop = copy_loop (element);
  if (!nativert_iter_init (p, &plan->it, 2, view))
    return false;
  find_tile (plan, (int64_t) element);
  return true;
}

/* One tile of at most TILE x TILE elements, rows contiguous in the result. */
#define TILE_COPY(T)                                                                    \
  for (int64_t j = 0; j < nj; j++)                                                      \
    for (int64_t i = 0; i < ni; i++)                                                    \
      ((T *) (to + j * to_j))[i] = ((const T *) (from + i * from_i))[j];
static void
copy_tile (char *to, const char *from, int64_t ni, int64_t nj, int64_t to_j, int64_t from_i, int64_t element)
{
  switch (element) {
    case 1: TILE_COPY (uint8_t) break;
    case 2: TILE_COPY (uint16_t) break;
    case 4: TILE_COPY (uint32_t) break;
    case 8: TILE_COPY (uint64_t) break;
    default: TILE_COPY (Sixteen) break;
  }
}

/* A unit of work: TILE rows (dimension `tile`) at one place of the other outer dimensions. */
static void
run_tiles (const NativertCopyPlan *plan, char *to, const char *from, uint32_t part, uint32_t n_parts)
{
  const NativertIter *it = &plan->it;
  const int64_t *size = it->word, *to_stride = size + it->ndim, *from_stride = to_stride + it->ndim;
  int64_t rows = size[plan->tile], bands = (rows + TILE - 1) / TILE, units = bands, lo, hi, element = to_stride[0];
  for (uint32_t d = 1; d < it->ndim; d++)
    if (d != plan->tile)
      units *= size[d];
  nativert_part_range (units, n_parts, part, &lo, &hi);
  for (int64_t u = lo; u < hi; u++) {
    int64_t rest = u / bands, j = u % bands * TILE, nj = rows - j < TILE ? rows - j : TILE;
    char *t = to + j * to_stride[plan->tile];
    const char *f = from + j * element;
    for (uint32_t d = 1; d < it->ndim; d++) {
      if (d == plan->tile)
        continue;
      t += rest % size[d] * to_stride[d];
      f += rest % size[d] * from_stride[d];
      rest /= size[d];
    }
    for (int64_t i = 0; i < size[0]; i += TILE)
      copy_tile (t + i * element, f + i * from_stride[0], size[0] - i < TILE ? size[0] - i : TILE, nj,
          to_stride[plan->tile], from_stride[0], element);
  }
}

void
nativert_copy_run (const NativertCopyPlan *plan, void *to, const void *from, uint32_t part, uint32_t n_parts)
{
  char *base[] = { to, (char *) from };
  int64_t lo, hi;
  if (plan->it.n == 0)
    return;
  if (plan->tile) {
    run_tiles (plan, to, from, part, n_parts);
    return;
  }
  nativert_part_range (plan->it.n, n_parts, part, &lo, &hi);
  nativert_iter_run (&plan->it, base, lo, hi, plan->loop);
}

void
nativert_copy_views (const NativertView *to, const NativertView *from, uint32_t part, uint32_t n_parts)
{
  NativertPrep none = { .op = NATIVERT_OP_nativert_copy };
  NativertCopyPlan plan;
  if (nativert_copy_plan (&none, &plan, to, from))
    nativert_copy_run (&plan, to->data, from->data, part, n_parts);
}

/* Rare dtypes, one number at a time, in the result's order. */
static void
cast_number (char *to, uint8_t to_dtype, const char *from, uint8_t from_dtype)
{
  double re, im;
  int64_t whole;
  nativert_load_number (from, from_dtype, &re, &im, &whole);
  if (nativert_is_integral (from_dtype))
    re = from_dtype == NATIVERT_U64 ? (double) (uint64_t) whole : (double) whole;
  nativert_store_number (to, to_dtype, re, whole);
  if (to_dtype == NATIVERT_BOOL)
    *(uint8_t *) to = re != 0 || im != 0;
  else if (to_dtype == NATIVERT_C32)
    ((nativert_c32 *) to)->im = nativert_store_f16 ((float) im).bits;
  else if (to_dtype == NATIVERT_C64)
    ((nativert_c64 *) to)->im = (float) im;
  else if (to_dtype == NATIVERT_C128)
    ((nativert_c128 *) to)->im = im;
}

static void
cast_rare_fn (const NativertCall *c, uint32_t part)
{
  const NativertIter *it = &((const NativertCopyPlan *) c->params)->it;
  const int64_t *size = it->word, *to_stride = size + it->ndim, *from_stride = to_stride + it->ndim;
  const NativertView *from = &c->in[((const NativertCopyPlan *) c->params)->source];
  int64_t lo = it->per_part * part, hi = lo + it->per_part < it->n ? lo + it->per_part : it->n;
  for (int64_t i = lo; i < hi; i++) {
    char *t = c->out[0].data;
    const char *f = from->data;
    int64_t rest = i;
    for (uint32_t d = 0; d < it->ndim; d++) {
      t += rest % size[d] * to_stride[d];
      f += rest % size[d] * from_stride[d];
      rest /= size[d];
    }
    cast_number (t, c->out[0].dtype, f, from->dtype);
  }
}

bool
nativert_copy_prepare (NativertPrep *p, NativertLoopFn loop)
{
  NativertCopyPlan *plan = p->params;
  uint32_t k = nativert_ops[p->op].dispatch;
  const NativertView *from = &p->in[k], *to = &p->out[0];
  const NativertView *view[] = { to, from };
  if (k >= p->n_in || p->n_out != 1)
    return nativert_no (p, "%s: %u tensors", nativert_ops[p->op].name, p->n_in);
  if (from->dtype == to->dtype) {
    if (!nativert_copy_plan (p, plan, to, from))
      return false;
  } else {
    plan->tile = 0;
    plan->loop = loop;
    if (!nativert_iter_init (p, &plan->it, 2, view))
      return false;
  }
  plan->source = (uint8_t) k;
  p->params_size = sizeof *plan;
  p->cost = (uint64_t) plan->it.n * (nativert_dtype_size (to->dtype) + nativert_dtype_size (from->dtype));
  nativert_iter_split (p, &plan->it, 32768);
  plan->n_parts = p->n_parts;
  return true;
}

void
nativert_copy_fn (const NativertCall *c, uint32_t part)
{
  const NativertCopyPlan *plan = c->params;
  nativert_copy_run (plan, c->out[0].data, c->in[plan->source].data, part, plan->n_parts);
}

/* Any pair of dtypes: the row that says yes when nothing better does. */
static bool
prepare_rare (NativertPrep *p)
{
  return nativert_copy_prepare (p, NULL);
}

static void
copy_rare_fn (const NativertCall *c, uint32_t part)
{
  const NativertCopyPlan *plan = c->params;
  if (plan->loop)
    nativert_copy_fn (c, part);
  else
    cast_rare_fn (c, part);
}

extern const NativertKernelSet nativert_set_copy;
static const NativertKernel rows[] = {
#define ROW(op, id) { NATIVERT_OP_##op, NATIVERT_##id, NATIVERT_DEVICE_CPU, 0, "copy-any", prepare_rare, copy_rare_fn },
#define ROWS(id, storage, compute, ...) NATIVERT_COPY_OPS (ROW, id)
  NATIVERT_EVERY (ROWS, )
};
const NativertKernelSet nativert_set_copy = { rows, sizeof rows / sizeof *rows, "copy" };
