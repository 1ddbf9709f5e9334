/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does an argument fit a schema's type, and in what form?  The exporter writes ints where floats are meant, single
 * numbers where lists are, and whatever tag it likes for an empty list. */
#include "graph/fit.h"

static bool
is_symbol (const NativertGraphValue *value)
{
  return value && value->type != NATIVERT_GV_TENSOR && value->type != NATIVERT_GV_OBJ
      && value->type != NATIVERT_GV_TOKEN;
}

static bool
is_number (const NativertGraphArg *have)
{
  return have->kind == NATIVERT_GA_INT || have->kind == NATIVERT_GA_FLOAT || have->kind == NATIVERT_GA_BOOL
      || have->kind == NATIVERT_GA_COMPLEX;
}

static bool
is_list (const NativertGraphArg *have)
{
  return have->kind == NATIVERT_GA_VALUES || have->kind == NATIVERT_GA_INTS || have->kind == NATIVERT_GA_FLOATS
      || have->kind == NATIVERT_GA_BOOLS || have->kind == NATIVERT_GA_STRINGS;
}

/* ---- lists ---- */

static bool
fit_tensor_list (const NativertSchemaArg *want, const NativertGraphArg *have, NativertGraphArg *out)
{
  if (have->kind == NATIVERT_GA_NESTED && want->type == NATIVERT_ST_OTHER)
    return true;
  if (is_list (have) && have->n == 0) {
    *out = (NativertGraphArg) { .kind = NATIVERT_GA_VALUES };
    return true;
  }
  if (have->kind != NATIVERT_GA_VALUES)
    return false;
  for (uint32_t i = 0; i < have->n; i++)
    if (!have->u.values[i] && !want->list_optional)
      return false;
  return true;
}

/* One element, whatever form the list has. */
static bool
int_at (const NativertGraphArg *have, uint32_t i, int64_t *number, NativertGraphValue **sym)
{
  *number = 0;
  *sym = NULL;
  switch (have->kind) {
  case NATIVERT_GA_INT:
  case NATIVERT_GA_BOOL:
    *number = have->u.i;
    return true;
  case NATIVERT_GA_VALUE:
    *sym = have->u.value;
    return is_symbol (*sym);
  case NATIVERT_GA_VALUES:
    *sym = have->u.values[i];
    return is_symbol (*sym);
  case NATIVERT_GA_INTS:
    *number = have->u.ints[i];
    *sym = have->sym ? have->sym[i] : NULL;
    return true;
  default:
    return false;
  }
}

static bool
fit_int_list (
    NativertRegion *region, const NativertSchemaArg *want, const NativertGraphArg *have, NativertGraphArg *out)
{
  bool list = is_list (have);
  uint32_t n_have = list ? have->n : 1;
  if (n_have == 0) {
    *out = (NativertGraphArg) { .kind = NATIVERT_GA_INTS };
    return true;
  }
  uint32_t n = n_have == 1 && want->list_size > 1 ? (uint32_t) want->list_size : n_have;
  if (have->kind == NATIVERT_GA_INTS && n == n_have)
    return true;                        /* as it is */
  int64_t *ints = nativert_region_new_n (region, int64_t, n);
  NativertGraphValue **sym = nativert_region_new_n (region, NativertGraphValue *, n);
  bool symbolic = false;
  for (uint32_t i = 0; i < n; i++) {
    if (!int_at (have, n_have == 1 ? 0 : i, &ints[i], &sym[i]))
      return false;
    symbolic |= sym[i] != NULL;
  }
  *out = (NativertGraphArg) { .kind = NATIVERT_GA_INTS, .n = n, .u.ints = ints, .sym = symbolic ? sym : NULL };
  return true;
}

static bool
fit_float_list (NativertRegion *region, const NativertGraphArg *have, NativertGraphArg *out)
{
  uint32_t n = is_list (have) ? have->n : 1;
  if (have->kind == NATIVERT_GA_FLOATS)
    return true;
  double *floats = nativert_region_new_n (region, double, n);
  for (uint32_t i = 0; i < n; i++) {
    if (have->kind == NATIVERT_GA_INTS && !have->sym)
      floats[i] = (double) have->u.ints[i];
    else if (have->kind == NATIVERT_GA_FLOAT)
      floats[i] = have->u.f;
    else if (have->kind == NATIVERT_GA_INT)
      floats[i] = (double) have->u.i;
    else
      return false;
  }
  *out = (NativertGraphArg) { .kind = NATIVERT_GA_FLOATS, .n = n, .u.floats = floats };
  return true;
}

static bool
fit_bool_list (
    NativertRegion *region, const NativertSchemaArg *want, const NativertGraphArg *have, NativertGraphArg *out)
{
  if (have->kind == NATIVERT_GA_BOOLS)
    return true;
  uint32_t n = is_list (have) ? 0 : MAX (want->list_size, 1);
  if (have->kind != NATIVERT_GA_BOOL && !(is_list (have) && have->n == 0))
    return false;
  uint8_t *bools = nativert_region_new_n (region, uint8_t, n);
  for (uint32_t i = 0; i < n; i++)
    bools[i] = have->u.i != 0;
  *out = (NativertGraphArg) { .kind = NATIVERT_GA_BOOLS, .n = n, .u.bools = bools };
  return true;
}

static bool
fit_list (NativertRegion *region, const NativertSchemaArg *want, const NativertGraphArg *have, NativertGraphArg *out)
{
  switch (want->type) {
  case NATIVERT_ST_TENSOR:
    return fit_tensor_list (want, have, out);
  case NATIVERT_ST_INT:
    return fit_int_list (region, want, have, out);
  case NATIVERT_ST_FLOAT:
    return fit_float_list (region, have, out);
  case NATIVERT_ST_BOOL:
    return fit_bool_list (region, want, have, out);
  case NATIVERT_ST_SCALAR:
    return have->kind == NATIVERT_GA_INTS || have->kind == NATIVERT_GA_FLOATS || have->kind == NATIVERT_GA_BOOLS;
  case NATIVERT_ST_STRING:
    return have->kind == NATIVERT_GA_STRINGS;
  default:
    return true;
  }
}

/* ---- single arguments ---- */

static bool
fit_number (const NativertSchemaArg *want, const NativertGraphArg *have, NativertGraphArg *out)
{
  if (have->kind == NATIVERT_GA_VALUE)
    return is_symbol (have->u.value);
  switch (want->type) {
  case NATIVERT_ST_INT:
    *out = NATIVERT_GRAPH_INT (have->u.i);
    return have->kind == NATIVERT_GA_INT || have->kind == NATIVERT_GA_BOOL;
  case NATIVERT_ST_FLOAT:
    *out = NATIVERT_GRAPH_FLOAT (have->kind == NATIVERT_GA_FLOAT ? have->u.f : (double) have->u.i);
    return have->kind == NATIVERT_GA_FLOAT || have->kind == NATIVERT_GA_INT || have->kind == NATIVERT_GA_BOOL;
  case NATIVERT_ST_BOOL:
    *out = NATIVERT_GRAPH_BOOL (have->u.i != 0);
    return have->kind == NATIVERT_GA_BOOL || have->kind == NATIVERT_GA_INT;
  default:
    return is_number (have);
  }
}

static bool
fit_single (const NativertSchemaArg *want, const NativertGraphArg *have, NativertGraphArg *out)
{
  switch (want->type) {
  case NATIVERT_ST_TENSOR:              /* a number stays one: the plan makes the 0-d constant */
    return (have->kind == NATIVERT_GA_VALUE && have->u.value->type != NATIVERT_GV_OBJ) || is_number (have);
  case NATIVERT_ST_INT:
  case NATIVERT_ST_FLOAT:
  case NATIVERT_ST_BOOL:
  case NATIVERT_ST_SCALAR:
    return fit_number (want, have, out);
  case NATIVERT_ST_STRING:
    return have->kind == NATIVERT_GA_STRING;
  case NATIVERT_ST_DTYPE:
    return have->kind == NATIVERT_GA_DTYPE;
  case NATIVERT_ST_LAYOUT:
    return have->kind == NATIVERT_GA_LAYOUT;
  case NATIVERT_ST_MEMORY_FORMAT:
    return have->kind == NATIVERT_GA_MEMORY_FORMAT;
  case NATIVERT_ST_DEVICE:
    if (have->kind == NATIVERT_GA_STRING)
      *out = (NativertGraphArg) { .kind = NATIVERT_GA_DEVICE, .u.device = { have->u.s, -1 } };
    return have->kind == NATIVERT_GA_DEVICE || have->kind == NATIVERT_GA_STRING;
  case NATIVERT_ST_GENERATOR:
    return false;
  default:
    return true;
  }
}

bool
nativert_arg_fit (
    NativertRegion *region, const NativertSchemaArg *want, const NativertGraphArg *have, NativertGraphArg *out)
{
  *out = *have;
  if (have->kind == NATIVERT_GA_NONE) {
    if (!want->optional && want->has_default)
      *out = want->def;
    return want->optional || want->has_default || want->type == NATIVERT_ST_GENERATOR
        || want->type == NATIVERT_ST_OTHER;
  }
  return want->list ? fit_list (region, want, have, out) : fit_single (want, have, out);
}
