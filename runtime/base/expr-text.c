/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Expressions as a person reads them. */
#include "base/expr-private.h"

#include <string.h>

static void print (const NativertExpr *expr, uint8_t outer, GString *out);

/* -1 times something reads as a minus sign; *rest is what is negated. */
static bool
is_negative (const NativertExpr *expr)
{
  return expr->op == EXPR_NEG || (expr->op == EXPR_INT && expr->u.i < 0 && expr->u.i != INT64_MIN)
         || (expr->op == EXPR_MUL && expr->args[0]->op == EXPR_INT && expr->args[0]->u.i < 0
             && expr->args[0]->u.i != INT64_MIN);
}

static void
print_product (const NativertExpr *expr, bool negate, GString *out)
{
  bool first = true, signed_only = false;

  for (uint32_t i = 0; i < expr->n; i++) {
    const NativertExpr *arg = expr->args[i];
    int64_t factor = arg->op == EXPR_INT && i == 0 ? (negate ? -arg->u.i : arg->u.i) : 0;
    if (factor == 1)
      continue;
    if (!first)
      g_string_append_c (out, '*');
    if (factor == -1) {
      g_string_append_c (out, '-');
      signed_only = true;
      continue;
    }
    /* 2*(a//b) and -(a//b) are not 2*a//b and -a//b */
    if (factor != 0)
      g_string_append_printf (out, "%" G_GINT64_FORMAT, factor);
    else
      print (arg, first && !signed_only ? 10 : 11, out);
    first = false;
  }
}

static void
print_term (const NativertExpr *expr, bool first, GString *out)
{
  bool minus = is_negative (expr) && !first;

  if (!first)
    g_string_append (out, minus ? " - " : " + ");
  if (!minus)
    print (expr, 9, out);
  else if (expr->op == EXPR_INT)
    g_string_append_printf (out, "%" G_GINT64_FORMAT, -expr->u.i);
  else if (expr->op == EXPR_NEG)
    print (expr->args[0], 10, out);
  else
    print_product (expr, true, out);
}

/* Constants last: "2*s0 + 1". */
static void
print_sum (const NativertExpr *expr, GString *out)
{
  uint32_t from = expr->args[0]->op == EXPR_INT ? 1 : 0;

  for (uint32_t i = from; i < expr->n; i++)
    print_term (expr->args[i], i == from, out);
  if (from == 1)
    print_term (expr->args[0], expr->n == 1, out);
}

static void
print_function (const NativertExpr *expr, GString *out)
{
  const char *name = nativert_expr_rows[expr->op].name, *opaque = "OpaqueUnaryFn_";

  if (g_str_has_prefix (name, opaque))
    name += strlen (opaque);
  if (expr->op != EXPR_PAIR)
    g_string_append (out, name);
  g_string_append_c (out, '(');
  for (uint32_t i = 0; i < expr->n; i++) {
    g_string_append (out, i > 0 ? ", " : "");
    print (expr->args[i], 0, out);
  }
  g_string_append_c (out, ')');
}

static void
print_leaf (const NativertExpr *expr, GString *out)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  switch (expr->op) {
    case EXPR_INT:
      g_string_append_printf (out, "%" G_GINT64_FORMAT, expr->u.i);
      return;
    case EXPR_FLOAT:
      g_string_append (out, g_ascii_dtostr (number, sizeof number, expr->u.f));
      if (strpbrk (number, ".eni") == NULL)
        g_string_append (out, ".0");
      return;
    case EXPR_BOOL:
      g_string_append (out, expr->u.i != 0 ? "True" : "False");
      return;
    default:
      g_string_append (out, nativert_expr_table_symbol (expr->table, expr->u.symbol));
      return;
  }
}

static void
print_operator (const NativertExpr *expr, GString *out)
{
  const NativertExprRow *row = &nativert_expr_rows[expr->op];
  bool tight = row->precedence >= 10;

  if (expr->n == 1 && row->max == 1)
    g_string_append (out, row->infix);
  for (uint32_t i = 0; i < expr->n; i++) {
    if (i > 0)
      g_string_append_printf (out, tight ? "%s" : " %s ", row->infix);
    /* the right side of a // (b // c) needs its brackets, the left side of (a ** b) ** c, and both of comparisons */
    bool inner = row->max == 2 && (i > 0 || expr->op == EXPR_POW || (expr->op >= EXPR_EQ && expr->op <= EXPR_GE));
    print (expr->args[i], row->precedence + (inner ? 1 : 0), out);
  }
}

static void
print (const NativertExpr *expr, uint8_t outer, GString *out)
{
  const NativertExprRow *row = &nativert_expr_rows[expr->op];
  bool brackets = row->infix != NULL && row->precedence < outer;

  if (expr->op == EXPR_INT && expr->u.i < 0 && outer > 9)
    brackets = true;
  if (brackets)
    g_string_append_c (out, '(');
  if (expr->op <= EXPR_SYMBOL)
    print_leaf (expr, out);
  else if (expr->op == EXPR_ADD)
    print_sum (expr, out);
  else if (expr->op == EXPR_MUL)
    print_product (expr, false, out);
  else if (row->infix != NULL)
    print_operator (expr, out);
  else
    print_function (expr, out);
  if (brackets)
    g_string_append_c (out, ')');
}

char *
nativert_expr_to_infix (const NativertExpr *expr)
{
  GString *out = g_string_new (NULL);

  print (expr, 0, out);
  return g_string_free (out, FALSE);
}
