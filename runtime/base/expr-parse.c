/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One grammar for both notations: srepr is the infix grammar's function calls with quoted names and keywords.
 * Operators with Python's precedences, loosest last. */
#include "base/expr-parser.h"

static const NativertExpr *
make (NativertExprParser *p, NativertExprOp op, const NativertExpr *a, const NativertExpr *b)
{
  const NativertExpr *args[2] = {a, b};

  return nativert_expr_make_checked (p, op, args, b == NULL ? 1 : 2);
}

static const NativertExpr *parse_unary (NativertExprParser *p);

/* What follows a minus sign: a negative number, so that the smallest int64 can be written, or any operand. */
static const NativertExpr *
parse_negative (NativertExprParser *p)
{
  const NativertExpr *operand;
  const char *start;

  nativert_expr_skip_space (p);
  start = p->at;
  if (g_ascii_isdigit (*p->at)) {
    operand = nativert_expr_parse_number (p, true);
    if (operand == NULL || !nativert_expr_take (p, "**"))
      return operand;
    p->at = start;                      /* the power binds tighter than the sign */
  }
  operand = parse_unary (p);
  return operand != NULL ? make (p, EXPR_MUL, nativert_expr_int (p->table, -1), operand) : NULL;
}

static const NativertExpr *
parse_unary (NativertExprParser *p)
{
  const NativertExpr *operand, *exponent, *result = NULL;

  if (++p->depth > EXPR_MAX_DEPTH)
    return nativert_expr_fail (p, "nested too deeply");
  if (nativert_expr_take (p, "+")) {
    result = parse_unary (p);
  } else if (nativert_expr_take (p, "-")) {
    result = parse_negative (p);
  } else if (nativert_expr_take (p, "~")) {
    operand = parse_unary (p);
    result = operand != NULL ? make (p, EXPR_NOT, operand, NULL) : NULL;
  } else {
    result = operand = nativert_expr_parse_operand (p);
    if (operand != NULL && nativert_expr_take (p, "**"))
      result = (exponent = parse_unary (p)) != NULL ? make (p, EXPR_POW, operand, exponent) : NULL;
  }
  p->depth--;
  return result;
}

/* Operands of one operator that stand in a row: made at once, so that a long sum is not copied for each of its terms.
 */
static void
add_operand (GPtrArray **row, const NativertExpr *first, const NativertExpr *next)
{
  if (*row == NULL) {
    *row = g_ptr_array_new ();
    g_ptr_array_add (*row, (gpointer) first);
  }
  g_ptr_array_add (*row, (gpointer) next);
}

static const NativertExpr *
close_row (NativertExprParser *p, NativertExprOp op, GPtrArray **row, const NativertExpr *only)
{
  const NativertExpr *result = only;

  if (*row != NULL && only != NULL)
    result = nativert_expr_make_checked (p, op, (const NativertExpr *const *) (*row)->pdata, (*row)->len);
  g_clear_pointer (row, g_ptr_array_unref);
  return result;
}

typedef const NativertExpr *(*ParseFn) (NativertExprParser *p);

static const NativertExpr *
parse_row (NativertExprParser *p, NativertExprOp op, const char *token, ParseFn operand)
{
  const NativertExpr *left = operand (p), *right;
  GPtrArray *row = NULL;

  while (left != NULL && nativert_expr_take (p, token)) {
    right = operand (p);
    if (right == NULL)
      left = NULL;
    else
      add_operand (&row, left, right);
  }
  return close_row (p, op, &row, left);
}

static const NativertExpr *
parse_term (NativertExprParser *p)
{
  const NativertExpr *left = parse_unary (p), *right;
  GPtrArray *row = NULL;

  while (left != NULL) {
    NativertExprOp op;
    if (nativert_expr_take (p, "//"))
      op = EXPR_FLOOR_DIV;
    else if (nativert_expr_take (p, "*"))
      op = EXPR_MUL;
    else if (nativert_expr_take (p, "/"))
      op = EXPR_DIV;
    else if (nativert_expr_take (p, "%"))
      op = EXPR_MOD;
    else
      break;
    right = parse_unary (p);
    if (right != NULL && op == EXPR_MUL) {
      add_operand (&row, left, right);
      continue;
    }
    left = close_row (p, EXPR_MUL, &row, left);
    left = left != NULL && right != NULL ? make (p, op, left, right) : NULL;
  }
  return close_row (p, EXPR_MUL, &row, left);
}

static const NativertExpr *
parse_sum (NativertExprParser *p)
{
  const NativertExpr *left = parse_term (p), *right;
  GPtrArray *row = NULL;

  while (left != NULL) {
    bool minus = nativert_expr_take (p, "-");
    if (!minus && !nativert_expr_take (p, "+"))
      break;
    right = parse_term (p);
    if (right != NULL && minus)
      right = make (p, EXPR_MUL, nativert_expr_int (p->table, -1), right);
    if (right == NULL)
      left = NULL;
    else
      add_operand (&row, left, right);
  }
  return close_row (p, EXPR_ADD, &row, left);
}

static const NativertExpr *
parse_shift (NativertExprParser *p)
{
  const NativertExpr *left = parse_sum (p), *right;

  while (left != NULL) {
    bool is_left = nativert_expr_take (p, "<<");
    if (!is_left && !nativert_expr_take (p, ">>"))
      return left;
    right = parse_sum (p);
    left = right != NULL ? make (p, is_left ? EXPR_LSHIFT : EXPR_RSHIFT, left, right) : NULL;
  }
  return NULL;
}

static const NativertExpr *
parse_bit_and (NativertExprParser *p)
{
  return parse_row (p, EXPR_BIT_AND, "&", parse_shift);
}

static const NativertExpr *
parse_bit_xor (NativertExprParser *p)
{
  return parse_row (p, EXPR_BIT_XOR, "^", parse_bit_and);
}

static const NativertExpr *
parse_bits (NativertExprParser *p)
{
  return parse_row (p, EXPR_BIT_OR, "|", parse_bit_xor);
}

/* a < b <= c means a < b and b <= c, as in Python. */
static const NativertExpr *
parse_comparison (NativertExprParser *p)
{
  static const struct { const char *token; NativertExprOp op; } tokens[] = {
    {"==", EXPR_EQ}, {"!=", EXPR_NE}, {"<=", EXPR_LE}, {">=", EXPR_GE}, {"<", EXPR_LT}, {">", EXPR_GT}};
  const NativertExpr *left = parse_bits (p), *right, *one, *all = NULL;

  while (left != NULL) {
    size_t i = 0;
    while (i < G_N_ELEMENTS (tokens) && !nativert_expr_take (p, tokens[i].token))
      i++;
    if (i == G_N_ELEMENTS (tokens))
      return all != NULL ? all : left;
    right = parse_bits (p);
    if (right == NULL)
      return NULL;
    one = make (p, tokens[i].op, left, right);
    all = all != NULL && one != NULL ? make (p, EXPR_AND, all, one) : one;
    left = all != NULL ? right : NULL;
  }
  return NULL;
}

static const NativertExpr *
parse_not (NativertExprParser *p)
{
  const NativertExpr *inner;

  if (!nativert_expr_take (p, "not"))
    return parse_comparison (p);
  if (++p->depth > EXPR_MAX_DEPTH)
    return nativert_expr_fail (p, "nested too deeply");
  inner = parse_not (p);
  p->depth--;
  return inner != NULL ? make (p, EXPR_NOT, inner, NULL) : NULL;
}

static const NativertExpr *
parse_and (NativertExprParser *p)
{
  return parse_row (p, EXPR_AND, "and", parse_not);
}

const NativertExpr *
nativert_expr_parse_whole (NativertExprParser *p)
{
  return parse_row (p, EXPR_OR, "or", parse_and);
}

const NativertExpr *
nativert_expr_parse_text (NativertExprTable *table, const char *text, GError **error)
{
  g_autoptr (GError) own_error = NULL;
  NativertExprParser p = {table, text, text, 0, &own_error};
  const NativertExpr *expr = nativert_expr_parse_whole (&p);

  nativert_expr_skip_space (&p);
  if (expr != NULL && *p.at != '\0')
    expr = nativert_expr_fail (&p, "text after the end");
  if (expr == NULL)
    g_propagate_error (error, g_steal_pointer (&own_error));
  return expr;
}
