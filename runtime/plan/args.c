/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arguments of a node of the graph, as an operator is given them: symbols replaced by numbers, numbers that stand
 * for tensors made into 0-d constants, a single element repeated where the schema wants a list. */
#include <string.h>
#include "graph/schema.h"
#include "plan/builder.h"

static bool
wrong_kind (NativertBuilder *b, const NativertSchemaArg *schema)
{
  return nativert_builder_fail (
      b, NATIVERT_ERROR_MISMATCH, "argument `%s` is of another kind than its schema says", schema->name);
}

static bool
data_dependent (NativertBuilder *b, const NativertSchemaArg *schema)
{
  return nativert_builder_fail (b, NATIVERT_ERROR_UNSUPPORTED,
      "argument `%s` is a number that is known only when the model runs: sizes that depend on data are not supported",
      schema->name);
}

static double
number_as_float (NativertNum n)
{
  return n.kind == NATIVERT_NUM_FLOAT ? n.u.f : n.kind == NATIVERT_NUM_INT ? (double) n.u.i : n.u.b;
}

static NativertArg
repeat_int (NativertBuilder *b, const NativertSchemaArg *schema, int64_t value)
{
  uint32_t n = schema->list_size > 1 && schema->list_size <= NATIVERT_MAX_DIMS ? (uint32_t) schema->list_size : 1;
  int64_t *list = nativert_region_new_n (b->temp, int64_t, n);
  for (uint32_t i = 0; i < n; i++)
    list[i] = value;
  return NATIVERT_IS (list, n);
}

static bool
bind_number (NativertBuilder *b, const NativertSchemaArg *schema, NativertNum n, NativertArg *arg)
{
  switch (schema->type) {
    case NATIVERT_ST_TENSOR:
      *arg = NATIVERT_T (nativert_builder_number (b, n));
      return arg->u.i >= 0;
    case NATIVERT_ST_FLOAT:
      if (schema->list) {
        double *f = nativert_region_new_n (b->temp, double, 1);
        *f = number_as_float (n);
        *arg = (NativertArg) { .kind = NATIVERT_ARG_FLOATS, .n = 1, .u.floats = f };
      } else
        *arg = NATIVERT_F (number_as_float (n));
      return true;
    case NATIVERT_ST_SCALAR:
      *arg = n.kind == NATIVERT_NUM_FLOAT ? NATIVERT_F (n.u.f)
          : n.kind == NATIVERT_NUM_INT    ? NATIVERT_I (n.u.i)
                                          : NATIVERT_B (n.u.b);
      return true;
    case NATIVERT_ST_INT:
      if (n.kind == NATIVERT_NUM_FLOAT)
        return wrong_kind (b, schema);
      *arg = NATIVERT_I (n.kind == NATIVERT_NUM_INT ? n.u.i : n.u.b);
      if (schema->list)
        *arg = repeat_int (b, schema, arg->u.i);
      return true;
    case NATIVERT_ST_BOOL:
      *arg = NATIVERT_B (n.kind == NATIVERT_NUM_BOOL ? n.u.b : n.kind == NATIVERT_NUM_INT ? n.u.i != 0 : n.u.f != 0);
      return true;
    default:
      return wrong_kind (b, schema);
  }
}

static bool
unset (NativertBuilder *b, const NativertGraphValue *value)
{
  return nativert_builder_fail (
      b, NATIVERT_ERROR_UNSUPPORTED, "reads `%s`, which has no value that this runtime knows", value->name);
}

static bool
bind_value (NativertBuilder *b, const NativertSchemaArg *schema, const NativertGraphValue *value, NativertArg *arg)
{
  const NativertPlanGraphValue *gv = &b->gv[value->id];
  switch (gv->kind) {
    case NATIVERT_PV_REF:
      if (schema->type == NATIVERT_ST_INT || schema->type == NATIVERT_ST_BOOL)
        return data_dependent (b, schema);
      *arg = NATIVERT_T (gv->ref);
      if (schema->list && schema->type == NATIVERT_ST_TENSOR) {
        int64_t *ref = nativert_region_new_n (b->temp, int64_t, 1);
        *ref = gv->ref;
        *arg = NATIVERT_TS (ref, 1);
      }
      return true;
    case NATIVERT_PV_NUMBER: return bind_number (b, schema, gv->number, arg);
    case NATIVERT_PV_STRING: *arg = NATIVERT_S (gv->string); return true;
    case NATIVERT_PV_NONE: *arg = NATIVERT_NONE; return true;
    default: return unset (b, value);
  }
}

static bool
bind_values (NativertBuilder *b, const NativertSchemaArg *schema, const NativertGraphArg *from, NativertArg *arg)
{
  if (schema->type != NATIVERT_ST_TENSOR && schema->type != NATIVERT_ST_INT)
    return wrong_kind (b, schema);
  int64_t *list = nativert_region_new_n (b->temp, int64_t, from->n + 1);
  for (uint32_t i = 0; i < from->n; i++) {
    const NativertGraphValue *value = from->u.values[i];
    const NativertPlanGraphValue *gv = value ? &b->gv[value->id] : NULL;
    if (schema->type == NATIVERT_ST_INT) {
      if (!gv || gv->kind != NATIVERT_PV_NUMBER || gv->number.kind == NATIVERT_NUM_FLOAT)
        return data_dependent (b, schema);
      list[i] = gv->number.u.i;
      continue;
    }
    if (!gv || gv->kind == NATIVERT_PV_NONE) {
      list[i] = NATIVERT_NO_REF;
      continue;
    }
    if (gv->kind == NATIVERT_PV_NUMBER)
      list[i] = nativert_builder_number (b, gv->number);
    else if (gv->kind == NATIVERT_PV_REF)
      list[i] = gv->ref;
    else
      return unset (b, value);
    if (list[i] < 0)
      return false;
  }
  *arg = schema->type == NATIVERT_ST_TENSOR ? NATIVERT_TS (list, from->n) : NATIVERT_IS (list, from->n);
  return true;
}

static bool
bind_ints (NativertBuilder *b, const NativertSchemaArg *schema, const NativertGraphArg *from, NativertArg *arg)
{
  const int64_t *ints = from->u.ints;
  if (from->sym) {
    int64_t *list = nativert_region_new_n (b->temp, int64_t, from->n + 1);
    for (uint32_t i = 0; i < from->n; i++) {
      const NativertPlanGraphValue *gv = from->sym[i] ? &b->gv[from->sym[i]->id] : NULL;
      if (gv && (gv->kind != NATIVERT_PV_NUMBER || gv->number.kind != NATIVERT_NUM_INT))
        return data_dependent (b, schema);
      list[i] = gv ? gv->number.u.i : from->u.ints[i];
    }
    ints = list;
  }
  if (schema->type == NATIVERT_ST_FLOAT) {
    double *floats = nativert_region_new_n (b->temp, double, from->n + 1);
    for (uint32_t i = 0; i < from->n; i++)
      floats[i] = (double) ints[i];
    *arg = (NativertArg) { .kind = NATIVERT_ARG_FLOATS, .n = from->n, .u.floats = floats };
    return true;
  }
  *arg = NATIVERT_IS (ints, from->n);
  if (schema->type == NATIVERT_ST_TENSOR && from->n == 0)
    *arg = NATIVERT_TS (ints, 0);
  if (from->n == 1 && schema->list_size > 1)
    *arg = repeat_int (b, schema, ints[0]);
  return true;
}

static bool
bind_floats (NativertBuilder *b, const NativertSchemaArg *schema, const NativertGraphArg *from, NativertArg *arg)
{
  double *list = nativert_region_new_n (b->temp, double, from->n + 1);
  for (uint32_t i = 0; i < from->n; i++) {
    const NativertPlanGraphValue *gv = from->sym && from->sym[i] ? &b->gv[from->sym[i]->id] : NULL;
    if (gv && gv->kind != NATIVERT_PV_NUMBER)
      return data_dependent (b, schema);
    list[i] = gv ? number_as_float (gv->number) : from->u.floats[i];
  }
  *arg = (NativertArg) { .kind = NATIVERT_ARG_FLOATS, .n = from->n, .u.floats = list };
  return true;
}

static bool
bind_bools (NativertBuilder *b, const NativertSchemaArg *schema, const NativertGraphArg *from, NativertArg *arg)
{
  int64_t *list = nativert_region_new_n (b->temp, int64_t, from->n + 1);
  for (uint32_t i = 0; i < from->n; i++) {
    const NativertPlanGraphValue *gv = from->sym && from->sym[i] ? &b->gv[from->sym[i]->id] : NULL;
    if (gv && gv->kind != NATIVERT_PV_NUMBER)
      return data_dependent (b, schema);
    list[i] = gv ? number_as_float (gv->number) != 0 : from->u.bools[i];
  }
  *arg = (NativertArg) { .kind = NATIVERT_ARG_BOOLS, .n = from->n, .u.ints = list };
  return true;
}

static bool
bind_arg (NativertBuilder *b, const NativertSchemaArg *schema, const NativertGraphArg *from, NativertArg *arg)
{
  switch (from->kind) {
    case NATIVERT_GA_NONE: *arg = NATIVERT_NONE; return true;
    case NATIVERT_GA_VALUE: return bind_value (b, schema, from->u.value, arg);
    case NATIVERT_GA_VALUES: return bind_values (b, schema, from, arg);
    case NATIVERT_GA_INT:
      return bind_number (b, schema, (NativertNum){ .kind = NATIVERT_NUM_INT, .u.i = from->u.i }, arg);
    case NATIVERT_GA_BOOL:
      return bind_number (b, schema, (NativertNum){ .kind = NATIVERT_NUM_BOOL, .u.b = from->u.i != 0 }, arg);
    case NATIVERT_GA_FLOAT:
      return bind_number (b, schema, (NativertNum){ .kind = NATIVERT_NUM_FLOAT, .u.f = from->u.f }, arg);
    case NATIVERT_GA_INTS: return bind_ints (b, schema, from, arg);
    case NATIVERT_GA_BOOLS: return bind_bools (b, schema, from, arg);
    case NATIVERT_GA_FLOATS: return bind_floats (b, schema, from, arg);
    case NATIVERT_GA_STRING: *arg = NATIVERT_S (from->u.s); return true;
    case NATIVERT_GA_COMPLEX:
      *arg = (NativertArg) { .kind = NATIVERT_ARG_COMPLEX, .u.c = { from->u.c[0], from->u.c[1] } };
      return schema->type == NATIVERT_ST_SCALAR || wrong_kind (b, schema);
    case NATIVERT_GA_DTYPE:
      if (from->u.i < 0 || from->u.i >= NATIVERT_N_DTYPES)
        return wrong_kind (b, schema);
      *arg = NATIVERT_D (from->u.i);
      return true;
    case NATIVERT_GA_LAYOUT: *arg = (NativertArg) { .kind = NATIVERT_ARG_LAYOUT, .u.i = from->u.i }; return true;
    case NATIVERT_GA_MEMORY_FORMAT:
      *arg = (NativertArg){ .kind = NATIVERT_ARG_MEMORY_FORMAT, .u.i = from->u.i };
      return true;
    case NATIVERT_GA_DEVICE:
      *arg = (NativertArg){ .kind = NATIVERT_ARG_DEVICE, .u.i = NATIVERT_DEVICE_CPU };
      return true;
    default: return wrong_kind (b, schema);
  }
}

bool
nativert_builder_default_arg (NativertBuilder *b, const NativertSchemaArg *schema, NativertArg *arg)
{
  if (schema->has_default)
    return bind_arg (b, schema, &schema->def, arg);
  *arg = NATIVERT_NONE;
  if (schema->optional || schema->type == NATIVERT_ST_GENERATOR)
    return true;
  return nativert_builder_fail (b, NATIVERT_ERROR_MISSING, "argument `%s` is missing", schema->name);
}

bool
nativert_builder_bind_args (NativertBuilder *b, const NativertNode *node, NativertArg *args)
{
  for (uint32_t i = 0; i < node->schema->n_args; i++)
    if (i < node->n_args ? !bind_arg (b, &node->schema->args[i], &node->args[i], &args[i])
        : !nativert_builder_default_arg (b, &node->schema->args[i], &args[i]))
      return false;
  return true;
}
