/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Composites of views: item, meshgrid, stack. */
#include <string.h>
#include "kernels/rules.h"

/* A number that the graph computes with is a 0-d float64 tensor. */
NATIVERT_EXPAND (item)
{
  if (nativert_view_numel (&p->in[0]) != 1)
    return nativert_no (p, "item: %lld elements", (long long) nativert_view_numel (&p->in[0]));
  NativertRef one = nativert_emit_view (e, p->ref[0], 0, NULL);
  out[0] = nativert_emit (e, NATIVERT_OP_nativert_copy, NATIVERT_T (one), NATIVERT_D (NATIVERT_F64));
  return true;
}

/* indexing "xy" swaps the first two dimensions of the results. */
NATIVERT_EXPAND (meshgrid)
{
  const NativertArg *list = &p->arg[0];
  bool xy = p->n_arg > 1 && p->arg[1].kind == NATIVERT_ARG_STRING && !strcmp (p->arg[1].u.s, "xy");
  int64_t all[NATIVERT_MAX_DIMS], one[NATIVERT_MAX_DIMS];
  uint32_t n = list->n, place[NATIVERT_MAX_DIMS];
  if (list->kind != NATIVERT_ARG_TENSORS || n == 0 || n > NATIVERT_MAX_DIMS || n != p->n_out)
    return nativert_no (p, "meshgrid: %u tensors, %u results", n, p->n_out);
  for (uint32_t i = 0; i < n; i++) {
    place[i] = xy && n > 1 && i < 2 ? 1 - i : i;
    all[place[i]] = nativert_view_numel (&p->in[list->u.ints[i]]);
  }
  for (uint32_t i = 0; i < n; i++) {
    if (p->in[list->u.ints[i]].ndim > 1)
      return nativert_no (p, "meshgrid: tensor %u has %u dimensions", i, p->in[list->u.ints[i]].ndim);
    for (uint32_t d = 0; d < n; d++)
      one[d] = d == place[i] ? all[d] : 1;
    out[i] = nativert_emit_expand (e, nativert_emit_view (e, p->ref[list->u.ints[i]], n, one), n, all);
  }
  return true;
}

NATIVERT_EXPAND (stack)
{
  const NativertArg *list = &p->arg[0];
  int64_t refs[64], dim = nativert_arg_int (p, 1, 0);
  NativertRef whole = NATIVERT_NO_REF;
  if (list->kind != NATIVERT_ARG_TENSORS || list->n == 0)
    return nativert_no (p, "stack: no tensors");
  if (dim < 0)
    dim += p->in[list->u.ints[0]].ndim + 1;
  for (uint32_t i = 0; i < list->n;) {
    uint32_t n = 0;
    if (whole != NATIVERT_NO_REF)
      refs[n++] = whole;
    for (; n < 64 && i < list->n; i++)
      refs[n++] = nativert_emit (e, NATIVERT_OP_unsqueeze_default, NATIVERT_T (p->ref[list->u.ints[i]]), NATIVERT_I (dim));
    whole = nativert_emit (e, NATIVERT_OP_cat_default, NATIVERT_TS (refs, n), NATIVERT_I (dim));
  }
  out[0] = whole;
  return true;
}
