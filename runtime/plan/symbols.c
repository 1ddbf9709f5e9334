/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Symbolic sizes: finds the value of every symbol from the sizes of the inputs, checks all inputs against what the
 * model declares, and evaluates the metadata of values. */
#include <string.h>
#include "plan/builder.h"

bool
nativert_builder_eval (const NativertBuilder *b, const NativertExpr *expr, NativertNum *value)
{
  int32_t symbol = nativert_expr_symbol (expr);
  if (symbol < 0)
    return nativert_expr_eval (expr, b->plan->symbols, b->plan->known, value);
  *value = (NativertNum) { .kind = NATIVERT_NUM_INT, .u.i = b->plan->symbols[symbol] };
  return b->plan->known[symbol];
}

bool
nativert_builder_sym (const NativertBuilder *b, const NativertSymInt *s, int64_t *value)
{
  NativertNum number;
  *value = s->value;
  if (!s->expr)
    return true;
  if (!nativert_builder_eval (b, s->expr, &number) || number.kind != NATIVERT_NUM_INT)
    return false;
  *value = number.u.i;
  return true;
}

bool
nativert_builder_meta (NativertBuilder *b, const NativertGraphValue *value, NativertView *view)
{
  const NativertTensorMetaDesc *meta = value->meta;
  view->ndim = NATIVERT_UNKNOWN_RANK;
  view->data = NULL;
  view->device = NATIVERT_DEVICE_CPU;
  if (!meta || meta->dtype < 0)
    return true;
  if (meta->n_dims > NATIVERT_MAX_DIMS)
    return nativert_builder_fail (b, NATIVERT_ERROR_LIMIT, "`%s` has %u dimensions, the most is %d", value->name,
        meta->n_dims, NATIVERT_MAX_DIMS);
  bool strides = true;
  for (uint32_t d = 0; d < meta->n_dims; d++) {
    if (!nativert_builder_sym (b, &meta->sizes[d], &view->size[d]))
      return true;
    strides = strides && nativert_builder_sym (b, &meta->strides[d], &view->stride[d]);
    if (view->size[d] < 0)
      return nativert_builder_fail (
          b, NATIVERT_ERROR_MISMATCH, "dim %u of `%s` comes to %" G_GINT64_FORMAT, d, value->name, view->size[d]);
  }
  view->dtype = (uint8_t) meta->dtype;
  view->ndim = (uint8_t) meta->n_dims;
  if (!strides)
    nativert_view_init (view, view->dtype, view->ndim, view->size);
  return true;
}

/* ---- solving ---- */

typedef struct { const char *name; uint32_t dim; } Where;      /* which input gave a symbol its value */

static bool
is_user (const NativertGraphInput *input)
{
  return input->kind == NATIVERT_IN_USER || input->kind == NATIVERT_IN_CONSTANT;
}

static bool
is_tensor_input (const NativertGraphInput *input)
{
  return input->value && input->value->type == NATIVERT_GV_TENSOR && input->value->meta;
}

static bool
check_tensor (NativertBuilder *b, const NativertGraphInput *input, const NativertPlanInput *given)
{
  const NativertTensorMetaDesc *meta = input->value->meta;
  const char *name = input->value->name;
  if (given->kind != NATIVERT_VALUE_TENSOR)
    return nativert_builder_fail (
        b, NATIVERT_ERROR_INVALID_INPUT, "input %s: not a tensor, the model takes a tensor", name);
  if (meta->dtype >= 0 && given->view.dtype != meta->dtype)
    return nativert_builder_fail (b, NATIVERT_ERROR_INVALID_INPUT, "input %s: is %s, the model takes %s", name,
        nativert_dtype_name (given->view.dtype), nativert_dtype_name ((uint8_t) meta->dtype));
  if (given->view.ndim != meta->n_dims)
    return nativert_builder_fail (b, NATIVERT_ERROR_INVALID_INPUT, "input %s: has %u dims, the model takes %u", name,
        given->view.ndim, meta->n_dims);
  for (uint32_t d = 0; d < meta->n_dims; d++)
    if (given->view.size[d] < 0 || (!meta->sizes[d].expr && given->view.size[d] != meta->sizes[d].value))
      return nativert_builder_fail (b, NATIVERT_ERROR_INVALID_INPUT,
          "input %s: dim %u is %" G_GINT64_FORMAT ", the model takes %" G_GINT64_FORMAT, name, d, given->view.size[d],
          meta->sizes[d].value);
  return true;
}

static void
learn (NativertBuilder *b, Where *where, const NativertExpr *expr, int64_t value, const char *name, uint32_t dim)
{
  NativertPlan *plan = b->plan;
  int32_t symbol = nativert_expr_symbol (expr);
  if (symbol >= 0) {
    if (!plan->known[symbol])
      where[symbol] = (Where) { name, dim };
    if (!plan->known[symbol])
      plan->symbols[symbol] = value;
    plan->known[symbol] = true;
    return;
  }
  g_autofree bool *before = g_memdup2 (plan->known, plan->n_symbols * sizeof (bool));
  if (!nativert_expr_solve (expr, value, plan->symbols, plan->known))
    return;
  for (uint32_t i = 0; i < plan->n_symbols; i++)
    if (plan->known[i] && !before[i])
      where[i] = (Where) { name, dim };
}

/* Walks all sizes of user inputs; bare: only symbols that stand alone (they settle more than expressions do). */
static void
learn_all (NativertBuilder *b, Where *where, const NativertPlanInput *inputs, bool bare)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->graph->n_inputs; i++) {
    const NativertGraphInput *input = &b->graph->inputs[i];
    if (!is_user (input))
      continue;
    const NativertPlanInput *given = &inputs[n++];
    if (is_tensor_input (input)) {
      for (uint32_t d = 0; d < input->value->meta->n_dims; d++) {
        const NativertExpr *expr = input->value->meta->sizes[d].expr;
        if (expr && (nativert_expr_symbol (expr) >= 0) == bare)
          learn (b, where, expr, given->view.size[d], input->value->name, d);
      }
    } else if (input->value && input->value->expr && given->kind == NATIVERT_VALUE_INT
        && (nativert_expr_symbol (input->value->expr) >= 0) == bare)
      learn (b, where, input->value->expr, given->number.u.i, input->value->name, NATIVERT_UNKNOWN_RANK);
  }
}

static bool
check_size (
    NativertBuilder *b, const Where *where, const char *name, uint32_t dim, const NativertExpr *expr, int64_t value)
{
  NativertNum number = { .kind = NATIVERT_NUM_BOOL };
  if (nativert_builder_eval (b, expr, &number) && number.kind == NATIVERT_NUM_INT && number.u.i == value)
    return true;
  g_autofree char *text = nativert_expr_to_infix (expr);
  g_autofree char *what = dim == NATIVERT_UNKNOWN_RANK ? g_strdup ("the value") : g_strdup_printf ("dim %u", dim);
  int32_t symbol = nativert_expr_symbol (expr);
  if (symbol >= 0 && where[symbol].name)
    return nativert_builder_fail (b, NATIVERT_ERROR_INVALID_INPUT,
        "input %s: %s is %" G_GINT64_FORMAT ", must be %" G_GINT64_FORMAT " (%s, as in dim %u of %s)", name, what,
        value, number.u.i, text, where[symbol].dim, where[symbol].name);
  return nativert_builder_fail (
      b, NATIVERT_ERROR_INVALID_INPUT, "input %s: %s is %" G_GINT64_FORMAT ", must be %s", name, what, value, text);
}

/* As torch: a declared minimum of 2 or less is what tracing left behind, not a promise. */
static bool
check_range (NativertBuilder *b, const Where *where, const NativertRange *range)
{
  NativertNum number;
  if (!range->expr || !nativert_builder_eval (b, range->expr, &number) || number.kind != NATIVERT_NUM_INT)
    return true;
  bool low = range->has_min && range->min > 2 && number.u.i < range->min,
       high = range->has_max && number.u.i > range->max;
  if (!low && !high)
    return true;
  int32_t symbol = nativert_expr_symbol (range->expr);
  if (symbol < 0 || !where[symbol].name)
    return nativert_builder_fail (b, NATIVERT_ERROR_INVALID_INPUT,
        "%s is %" G_GINT64_FORMAT ", the model takes at %s %" G_GINT64_FORMAT, range->name, number.u.i,
        low ? "least" : "most", low ? range->min : range->max);
  g_autofree char *dim = where[symbol].dim == NATIVERT_UNKNOWN_RANK ? g_strdup ("the value")
                                                                    : g_strdup_printf ("dim %u", where[symbol].dim);
  return nativert_builder_fail (b, NATIVERT_ERROR_INVALID_INPUT,
      "input %s: %s is %" G_GINT64_FORMAT ", the model takes at %s %" G_GINT64_FORMAT, where[symbol].name, dim,
      number.u.i, low ? "least" : "most", low ? range->min : range->max);
}

static bool
check_all (NativertBuilder *b, const Where *where, const NativertPlanInput *inputs)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->graph->n_inputs; i++) {
    const NativertGraphInput *input = &b->graph->inputs[i];
    if (!is_user (input))
      continue;
    const NativertPlanInput *given = &inputs[n++];
    if (!is_tensor_input (input)) {
      if (input->value && input->value->expr && given->kind == NATIVERT_VALUE_INT
          && !check_size (b, where, input->value->name, NATIVERT_UNKNOWN_RANK, input->value->expr, given->number.u.i))
        return false;
      continue;
    }
    for (uint32_t d = 0; d < input->value->meta->n_dims; d++) {
      const NativertExpr *expr = input->value->meta->sizes[d].expr;
      if (expr && !check_size (b, where, input->value->name, d, expr, given->view.size[d]))
        return false;
    }
  }
  const NativertProgram *program = b->graph->program;
  for (uint32_t i = 0; i < (program ? program->n_ranges : 0); i++)
    if (!check_range (b, where, &program->ranges[i]))
      return false;
  return true;
}

bool
nativert_builder_solve (NativertBuilder *b, const NativertPlanInput *inputs, uint32_t n_inputs)
{
  NativertPlan *plan = b->plan;
  plan->n_symbols = b->graph->program ? nativert_expr_table_n_symbols (b->graph->program->exprs) : 0;
  plan->symbols = nativert_region_new_n (plan->region, int64_t, plan->n_symbols + 1);
  plan->known = nativert_region_new_n (plan->region, bool, plan->n_symbols + 1);
  Where *where = nativert_region_new_n (b->temp, Where, plan->n_symbols + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->graph->n_inputs; i++)
    n += is_user (&b->graph->inputs[i]);
  if (n != n_inputs)
    return nativert_builder_fail (b, NATIVERT_ERROR_INVALID_INPUT, "%u inputs given, the model takes %u", n_inputs, n);
  n = 0;
  for (uint32_t i = 0; i < b->graph->n_inputs; i++) {
    const NativertGraphInput *input = &b->graph->inputs[i];
    if (is_user (input) && is_tensor_input (input) && !check_tensor (b, input, &inputs[n]))
      return false;
    n += is_user (input);
  }
  learn_all (b, where, inputs, true);
  learn_all (b, where, inputs, false);
  return check_all (b, where, inputs) && nativert_builder_check_guards (b, inputs);
}
