/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Evaluation and solving of expressions, with Python's meaning of floor division and modulo.  Integers that do not fit
 * in 64 bits and divisions by zero have no value. */
#include "base/expr-private.h"

typedef NativertExprNum Num;

static bool
unary (const NativertExpr *expr, const int64_t *symbols, const bool *known, Num *result)
{
  Num a;

  return nativert_expr_compute (expr->args[0], symbols, known, &a) && nativert_expr_rows[expr->op].unary (a, result);
}

static bool
fold (const NativertExpr *expr, const int64_t *symbols, const bool *known, Num *result)
{
  Num next, sum;

  if (!nativert_expr_compute (expr->args[0], symbols, known, &sum))
    return false;
  for (uint32_t i = 1; i < expr->n; i++) {
    if (!nativert_expr_compute (expr->args[i], symbols, known, &next)
        || !nativert_expr_rows[expr->op].binary (sum, next, &sum))
      return false;
  }
  *result = sum;
  return true;
}

/* The first pair whose condition holds; the others are not looked at and may be unknown. */
static bool
piecewise (const NativertExpr *expr, const int64_t *symbols, const bool *known, Num *result)
{
  Num condition;

  for (uint32_t i = 0; i < expr->n; i++) {
    const NativertExpr *pair = expr->args[i];
    if (pair->op != EXPR_PAIR || !nativert_expr_compute (pair->args[1], symbols, known, &condition))
      return false;
    if (condition.kind == EXPR_NUM_FLOAT ? condition.f != 0 : condition.n != 0)
      return nativert_expr_compute (pair->args[0], symbols, known, result);
  }
  return false;
}

static bool
where (const NativertExpr *expr, const int64_t *symbols, const bool *known, Num *result)
{
  Num condition;

  if (!nativert_expr_compute (expr->args[0], symbols, known, &condition))
    return false;
  return nativert_expr_compute (expr->args[condition.n != 0 ? 1 : 2], symbols, known, result);
}

static bool
modular_indexing (const NativertExpr *expr, const int64_t *symbols, const bool *known, Num *result)
{
  Num base, divisor, modulus;

  return nativert_expr_compute (expr->args[0], symbols, known, &base)
      && nativert_expr_compute (expr->args[1], symbols, known, &divisor)
      && nativert_expr_compute (expr->args[2], symbols, known, &modulus)
      && nativert_expr_rows[EXPR_FLOOR_DIV].binary (base, divisor, &base)
      && nativert_expr_rows[EXPR_MOD].binary (base, modulus, result);
}

bool
nativert_expr_compute (const NativertExpr *expr, const int64_t *symbols, const bool *known, Num *result)
{
  switch (expr->op) {
    case EXPR_INT:
      *result = (Num) {EXPR_NUM_EXACT, expr->u.i, 1};
      return true;
    case EXPR_FLOAT:
      *result = (Num) {EXPR_NUM_FLOAT, 0, 1, expr->u.f};
      return true;
    case EXPR_BOOL:
      *result = (Num) {EXPR_NUM_BOOL, expr->u.i, 1};
      return true;
    case EXPR_SYMBOL:
      if (known != NULL && !known[expr->u.symbol])
        return false;
      *result = (Num) {EXPR_NUM_EXACT, symbols[expr->u.symbol], 1};
      return true;
    case EXPR_PIECEWISE:
      return piecewise (expr, symbols, known, result);
    case EXPR_WHERE:
      return where (expr, symbols, known, result);
    case EXPR_MODULAR_INDEXING:
      return modular_indexing (expr, symbols, known, result);
    case EXPR_PAIR:
      return false;
    default:
      return expr->n == 1 && nativert_expr_rows[expr->op].unary != NULL ? unary (expr, symbols, known, result)
                                                                        : fold (expr, symbols, known, result);
  }
}

bool
nativert_expr_eval (const NativertExpr *expr, const int64_t *symbols, const bool *known, NativertNum *result)
{
  Num num;

  if (!nativert_expr_compute (expr, symbols, known, &num))
    return false;
  if (num.kind == EXPR_NUM_BOOL) {
    result->kind = NATIVERT_NUM_BOOL;
    result->u.b = num.n != 0;
  } else if (num.kind == EXPR_NUM_EXACT && num.d == 1) {
    result->kind = NATIVERT_NUM_INT;
    result->u.i = num.n;
  } else {
    result->kind = NATIVERT_NUM_FLOAT;
    result->u.f = num.kind == EXPR_NUM_FLOAT ? num.f : (double) num.n / (double) num.d;
  }
  return true;
}

/* Unknown symbols below expr: their number of places, and one of them. */
static uint32_t
count_unknown (const NativertExpr *expr, const bool *known, uint32_t *symbol)
{
  uint32_t n = 0;

  if (expr->op == EXPR_SYMBOL && !known[expr->u.symbol]) {
    *symbol = expr->u.symbol;
    return 1;
  }
  for (uint32_t i = 0; i < expr->n; i++)
    n += count_unknown (expr->args[i], known, symbol);
  return n;
}

/* What the one operand with the unknown must be for expr to be target. */
static bool
invert (const NativertExpr *expr, uint32_t at, Num target, const int64_t *symbols, const bool *known, Num *result)
{
  Num other;

  if (expr->op != EXPR_ADD && expr->op != EXPR_MUL && ((expr->op != EXPR_DIV && expr->op != EXPR_CLEAN_DIV) || at != 0))
    return false;
  for (uint32_t i = 0; i < expr->n; i++) {
    if (i == at)
      continue;
    if (!nativert_expr_compute (expr->args[i], symbols, known, &other))
      return false;
    if (expr->op == EXPR_ADD ? !nativert_expr_num_sub (target, other, &target)
        : expr->op == EXPR_MUL ? !nativert_expr_num_div (target, other, &target)
                               : !nativert_expr_rows[EXPR_MUL].binary (target, other, &target))
      return false;
  }
  *result = target;
  return true;
}

bool
nativert_expr_solve (const NativertExpr *expr, int64_t value, int64_t *symbols, bool *known)
{
  Num target = {EXPR_NUM_EXACT, value, 1};
  const NativertExpr *node = expr;
  uint32_t symbol = 0, at = 0;
  NativertNum check;

  if (count_unknown (expr, known, &symbol) != 1)
    return false;
  while (node->op != EXPR_SYMBOL) {
    for (at = 0; count_unknown (node->args[at], known, &symbol) == 0; at++)
      ;
    if (node->op == EXPR_NEG) {
      if (!nativert_expr_num_sub ((Num) {EXPR_NUM_EXACT, 0, 1}, target, &target))
        return false;
    } else if (node->op != EXPR_IDENTITY && !invert (node, at, target, symbols, known, &target)) {
      return false;
    }
    node = node->args[at];
  }
  if (target.kind != EXPR_NUM_EXACT || target.d != 1)
    return false;
  symbols[symbol] = target.n;
  known[symbol] = true;
  if (nativert_expr_eval (expr, symbols, known, &check) && check.kind == NATIVERT_NUM_INT && check.u.i == value)
    return true;
  known[symbol] = false;
  return false;
}
