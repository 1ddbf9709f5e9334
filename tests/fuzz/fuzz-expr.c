/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Expressions: parsed, evaluated, solved, printed; what is printed must parse again. */
#include "fuzz.h"
#include "base/expr.h"

#include <string.h>

/* Names that infix text can say: s0, u12. */
static bool
plain_names (const NativertExprTable *table)
{
  for (uint32_t i = 0; i < nativert_expr_table_n_symbols (table); i++) {
    const char *name = nativert_expr_table_symbol (table, i);
    if ((name[0] != 's' && name[0] != 'u') || name[1] == '\0' || strspn (name + 1, "0123456789") != strlen (name + 1))
      return false;
  }
  return true;
}

static void
check_printed (NativertExprTable *table, const NativertExpr *expr, const int64_t *values, const bool *known)
{
  g_autofree char *infix = nativert_expr_to_infix (expr);
  const NativertExpr *again = plain_names (table) ? nativert_expr_parse (table, infix, NULL) : NULL;
  NativertNum a, b;

  /* NULL: the brackets it needs go beyond the limit of depth */
  if (again == NULL || !nativert_expr_eval (expr, values, known, &a) || !nativert_expr_eval (again, values, known, &b))
    return;
  if (a.kind == NATIVERT_NUM_INT && b.kind == NATIVERT_NUM_INT && a.u.i != b.u.i)
    g_error ("'%s' is not '%s'", nativert_expr_text (expr), infix);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autoptr (NativertExprTable) table = nativert_expr_table_new ();
  const NativertExpr *expr = nativert_expr_parse (table, text, NULL);
  uint32_t n = nativert_expr_table_n_symbols (table);
  g_autofree int64_t *values = g_new0 (int64_t, n + 1);
  g_autofree bool *known = g_new0 (bool, n + 1);
  NativertNum num;

  if (expr == NULL)
    return 0;
  for (int64_t value = -2; value < 8; value += 3) {
    for (uint32_t i = 0; i < n; i++) {
      values[i] = value + i;
      known[i] = true;
    }
    nativert_expr_eval (expr, values, known, &num);
  }
  check_printed (table, expr, values, known);
  if (n > 0) {
    known[n - 1] = false;
    nativert_expr_solve (expr, 12, values, known);
  }
  return 0;
}
