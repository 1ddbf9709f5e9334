/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Padding: a value around (or, negative, a crop), or the input itself read through a table of places. */
#include <stdlib.h>
#include <string.h>
#include "kernels/rules.h"

#define NAME(p) nativert_ops[(p)->op].name

/* Pairs (before, after) from the last dimension on. */
static bool
check_pairs (NativertPrep *p)
{
  const NativertArg *pad = &p->arg[1];
  if (pad->kind != NATIVERT_ARG_INTS || pad->n % 2 || pad->n / 2 > p->in[0].ndim)
    return nativert_no (p, "%s: %u numbers for %u dimensions", NAME (p), pad->n, p->in[0].ndim);
  return true;
}

static bool
pad_constant (NativertEmit *e, NativertPrep *p, NativertRef value, NativertRef *out)
{
  const NativertArg *pad = &p->arg[1];
  int64_t before[NATIVERT_MAX_DIMS] = { 0 }, after[NATIVERT_MAX_DIMS] = { 0 };
  NativertRef x = p->ref[0];
  bool any = false;
  for (uint32_t i = 0; i < pad->n / 2; i++) {
    uint32_t d = p->in[0].ndim - 1 - i;
    int64_t b = pad->u.ints[2 * i], a = pad->u.ints[2 * i + 1], n = p->in[0].size[d];
    if (b < -n || a < -n || (b < 0 ? -b : 0) + (a < 0 ? -a : 0) > n)
      return nativert_no (p, "%s: %lld and %lld around %lld", NAME (p), (long long) b, (long long) a, (long long) n);
    before[d] = b > 0 ? b : 0;
    after[d] = a > 0 ? a : 0;
    any |= b > 0 || a > 0;
    if (b < 0 || a < 0)
      x = nativert_emit_slice (e, x, d, b < 0 ? -b : 0, a < 0 ? n + a : n, 1);
  }
  if (any)
    out[0] = nativert_emit (e, NATIVERT_OP_nativert_pad, NATIVERT_T (x), NATIVERT_T (value), NATIVERT_IS (before, p->in[0].ndim),
        NATIVERT_IS (after, p->in[0].ndim));
  else
    out[0] = nativert_emit_copy (e, x);
  return true;
}

NATIVERT_EXPAND (constant_pad)
{
  return check_pairs (p) && pad_constant (e, p, nativert_scalar_ref (e, p, 2, p->in[0].dtype), out);
}

enum { REFLECT, REPLICATE, CIRCULAR };

/* Where element i (from -before on) of a padded row of n comes from. */
static int64_t
place (int mode, int64_t i, int64_t n)
{
  if (mode == REPLICATE)
    return i < 0 ? 0 : i >= n ? n - 1 : i;
  if (mode == CIRCULAR)
    return i < 0 ? i + n : i >= n ? i - n : i;
  return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
}

static NativertRef
pad_row (NativertEmit *e, NativertPrep *p, NativertRef x, int mode, uint32_t d, int64_t before, int64_t after)
{
  int64_t n = p->in[0].size[d], most = mode == REFLECT ? n - 1 : mode == CIRCULAR ? n : (int64_t) 1 << 24, total = before + n + after;
  if (n < 1 || before > most || after > most || total < 1 || total > (int64_t) 1 << 26) {
    nativert_no (p, "%s: %lld and %lld around %lld", NAME (p), (long long) before, (long long) after, (long long) n);
    return NATIVERT_NO_REF;
  }
  int64_t *places = malloc ((size_t) total * sizeof *places);
  NativertView v = { 0 };
  if (!places) {
    nativert_no (p, "%s: out of memory", NAME (p));
    return NATIVERT_NO_REF;
  }
  for (int64_t i = 0; i < total; i++)
    places[i] = place (mode, i - before, n);
  nativert_view_init (&v, NATIVERT_I64, 1, &total);
  v.data = places;
  int64_t index = e->constant (e, &v);
  free (places);
  return nativert_emit (e, NATIVERT_OP_nativert_index, NATIVERT_T (x), NATIVERT_I (d), NATIVERT_TS (&index, 1));
}

static int
mode_of (NativertPrep *p)
{
  switch (p->op) {
    case NATIVERT_OP_reflection_pad1d_default: case NATIVERT_OP_reflection_pad2d_default: case NATIVERT_OP_reflection_pad3d_default:
      return REFLECT;
    case NATIVERT_OP_replication_pad1d_default: case NATIVERT_OP_replication_pad2d_default: case NATIVERT_OP_replication_pad3d_default:
      return REPLICATE;
    default:
      break;
  }
  const char *name = p->arg[2].kind == NATIVERT_ARG_STRING ? p->arg[2].u.s : "constant";
  return !strcmp (name, "reflect") ? REFLECT : !strcmp (name, "replicate") ? REPLICATE : !strcmp (name, "circular") ? CIRCULAR : -1;
}

NATIVERT_EXPAND (pad)
{
  int mode = mode_of (p);
  if (!check_pairs (p))
    return false;
  if (mode < 0) {
    NativertRef value = nativert_arg_is_none (p, 3) ? nativert_emit_int (e, p->in[0].dtype, 0) : nativert_scalar_ref (e, p, 3, p->in[0].dtype);
    return pad_constant (e, p, value, out);
  }
  NativertRef x = p->ref[0];
  for (uint32_t i = 0; i < p->arg[1].n / 2; i++) {
    int64_t before = p->arg[1].u.ints[2 * i], after = p->arg[1].u.ints[2 * i + 1];
    if (before == 0 && after == 0)
      continue;
    x = pad_row (e, p, x, mode, p->in[0].ndim - 1 - i, before, after);
    if (p->reason[0])
      return false;
  }
  out[0] = x;
  return true;
}
