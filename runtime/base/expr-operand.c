/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stands between operators: numbers, names, function calls (all of srepr), brackets.  The calls of guards, such as
 * L['x'].size()[0], are symbols by their whole text. */
#include "base/expr-parser.h"
#include "nativert.h"

#include <math.h>
#include <string.h>

const NativertExpr *
nativert_expr_fail (NativertExprParser *p, const char *why)
{
  if (p->error != NULL && *p->error == NULL)
    g_set_error (p->error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "expression '%.200s': %s at offset %d", p->text, why,
        (int) (p->at - p->text));
  return NULL;
}

void
nativert_expr_skip_space (NativertExprParser *p)
{
  while (g_ascii_isspace (*p->at))
    p->at++;
}

static bool
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || (c & 0x80) != 0;
}

bool
nativert_expr_take (NativertExprParser *p, const char *token)
{
  size_t length = strlen (token);

  nativert_expr_skip_space (p);
  if (strncmp (p->at, token, length) != 0 || (is_word (token[0]) && is_word (p->at[length])))
    return false;
  p->at += length;
  return true;
}

const NativertExpr *
nativert_expr_make_checked (NativertExprParser *p, NativertExprOp op, const NativertExpr *const *args, uint32_t n)
{
  const NativertExpr *made = nativert_expr_make (p->table, op, args, n);

  return made->depth > EXPR_MAX_DEPTH ? nativert_expr_fail (p, "nested too deeply") : made;
}

static const NativertExpr *
parse_integer (NativertExprParser *p, bool negative)
{
  guint64 value = 0;
  g_autofree char *digits = NULL;
  const char *start = p->at;

  while (g_ascii_isdigit (*p->at))
    p->at++;
  digits = g_strndup (start, p->at - start);
  if (!g_ascii_string_to_unsigned (digits, 10, 0, (guint64) INT64_MAX + (negative ? 1 : 0), &value, NULL))
    return nativert_expr_fail (p, "integer beyond 64 bits");
  return nativert_expr_int (p->table, negative ? (int64_t) (0 - value) : (int64_t) value);
}

const NativertExpr *
nativert_expr_parse_number (NativertExprParser *p, bool negative)
{
  const char *end = p->at;
  char *stop;
  double value;

  while (g_ascii_isdigit (*end))
    end++;
  if (*end != '.' && *end != 'e' && *end != 'E')
    return parse_integer (p, negative);
  value = g_ascii_strtod (p->at, &stop);
  if (stop == p->at)
    return nativert_expr_fail (p, "bad number");
  p->at = stop;
  return nativert_expr_float (p->table, negative ? -value : value);
}

/* 'text' or "text" without escapes; *length excludes the quotes. */
static const char *
parse_quoted (NativertExprParser *p, size_t *length)
{
  const char *start, *end;
  char quote;

  nativert_expr_skip_space (p);
  quote = *p->at;
  if (quote != '\'' && quote != '"') {
    nativert_expr_fail (p, "expected a quoted text");
    return NULL;
  }
  start = p->at + 1;
  end = strchr (start, quote);
  if (end == NULL || end == start) {
    nativert_expr_fail (p, "bad quoted text");
    return NULL;
  }
  *length = end - start;
  p->at = end + 1;
  return start;
}

/* ", name=value" any number of times, then the closing bracket: what srepr says of symbols and floats. */
static bool
skip_keywords (NativertExprParser *p)
{
  while (nativert_expr_take (p, ",")) {
    nativert_expr_skip_space (p);
    if (!is_word (*p->at))
      return nativert_expr_fail (p, "expected a keyword") != NULL;
    while (is_word (*p->at))
      p->at++;
    if (!nativert_expr_take (p, "="))
      return nativert_expr_fail (p, "expected '='") != NULL;
    nativert_expr_skip_space (p);
    if (!is_word (*p->at))
      return nativert_expr_fail (p, "expected a keyword's value") != NULL;
    while (is_word (*p->at))
      p->at++;
  }
  return nativert_expr_take (p, ")") || nativert_expr_fail (p, "expected ')'") != NULL;
}

static const NativertExpr *
parse_symbol_call (NativertExprParser *p)
{
  size_t length;
  const char *name = parse_quoted (p, &length);

  if (name == NULL || !skip_keywords (p))
    return NULL;
  return nativert_expr_new_symbol (p->table, name, length);
}

static const NativertExpr *
parse_float_call (NativertExprParser *p)
{
  size_t length;
  const char *digits = parse_quoted (p, &length);
  g_autofree char *text = NULL;
  char *stop;
  double value;

  if (digits == NULL || !skip_keywords (p))
    return NULL;
  text = g_strndup (digits, length);
  value = g_ascii_strtod (text, &stop);
  return *stop != '\0' ? nativert_expr_fail (p, "bad float") : nativert_expr_float (p->table, value);
}

static bool
parse_arguments (NativertExprParser *p, GPtrArray *args)
{
  if (nativert_expr_take (p, ")"))
    return true;
  do {
    const NativertExpr *arg = nativert_expr_parse_whole (p);
    if (arg == NULL)
      return false;
    g_ptr_array_add (args, (gpointer) arg);
  } while (nativert_expr_take (p, ","));
  return nativert_expr_take (p, ")") || nativert_expr_fail (p, "expected ')'") != NULL;
}

static const NativertExpr *
parse_call (NativertExprParser *p, const char *name, size_t length)
{
  g_autoptr (GPtrArray) args = NULL;
  const NativertExprRow *row;
  int op;

  if (length == 6 && memcmp (name, "Symbol", 6) == 0)
    return parse_symbol_call (p);
  if (length == 5 && memcmp (name, "Float", 5) == 0)
    return parse_float_call (p);
  args = g_ptr_array_new ();
  if (!parse_arguments (p, args))
    return NULL;
  if (length == 7 && memcmp (name, "Integer", 7) == 0) {
    const NativertExpr *number = args->len == 1 ? g_ptr_array_index (args, 0) : NULL;
    return number != NULL && number->op == EXPR_INT ? number : nativert_expr_fail (p, "Integer() takes one integer");
  }
  op = nativert_expr_find_op (name, length);
  if (op < 0) {
    g_autofree char *why = g_strdup_printf ("function '%.*s' is not known", (int) MIN (length, 40), name);
    return nativert_expr_fail (p, why);
  }
  row = &nativert_expr_rows[op];
  if (args->len < row->min || (row->max != 255 && args->len > row->max))
    return nativert_expr_fail (p, "wrong number of operands");
  if (op == EXPR_PIECEWISE)
    for (guint i = 0; i < args->len; i++)
      if (((const NativertExpr *) g_ptr_array_index (args, i))->op != EXPR_PAIR)
        return nativert_expr_fail (p, "Piecewise takes pairs");
  return nativert_expr_make_checked (p, op, (const NativertExpr *const *) args->pdata, args->len);
}

/* Words without brackets behind them. */
static const NativertExpr *
constant (NativertExprParser *p, const char *name, size_t length)
{
  static const struct { const char *name; double value;
  } floats[] = {
    { "oo", INFINITY },
    { "int_oo", INFINITY },
    { "Infinity", INFINITY },
    { "IntInfinity", INFINITY },
    { "NegativeInfinity", -INFINITY },
    { "NegativeIntInfinity", -INFINITY },
    { "inf", INFINITY },
    { "nan", NAN },
    { "pi", G_PI },
    { "E", G_E },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (floats); i++)
    if (strlen (floats[i].name) == length && memcmp (floats[i].name, name, length) == 0)
      return nativert_expr_float (p->table, floats[i].value);
  if (length == 4 && g_ascii_strncasecmp (name, "true", 4) == 0)
    return nativert_expr_bool (p->table, true);
  if (length == 5 && g_ascii_strncasecmp (name, "false", 5) == 0)
    return nativert_expr_bool (p->table, false);
  return nativert_expr_new_symbol (p->table, name, length);
}

/* L['d']['k'].size()[0]: takes the rest of such a text. */
static const NativertExpr *
parse_guard_source (NativertExprParser *p, const char *start)
{
  while (*p->at == '[' || *p->at == '.' || *p->at == '(') {
    if (*p->at == '.') {
      for (p->at++; is_word (*p->at); p->at++)
        ;
    } else if (*p->at == '(') {
      if (p->at[1] != ')')
        return nativert_expr_fail (p, "expected ')'");
      p->at += 2;
    } else {
      const char *close = strchr (p->at, ']');
      if (close == NULL)
        return nativert_expr_fail (p, "expected ']'");
      p->at = close + 1;
    }
  }
  return nativert_expr_new_symbol (p->table, start, p->at - start);
}

static const NativertExpr *
parse_name (NativertExprParser *p)
{
  const char *start = p->at;
  size_t length;

  while (is_word (*p->at) || (*p->at == '.' && is_word (p->at[1])))
    p->at++;
  length = p->at - start;
  if (*p->at == '[')
    return parse_guard_source (p, start);
  if (nativert_expr_take (p, "("))
    return parse_call (p, start, length);
  return constant (p, start, length);
}

const NativertExpr *
nativert_expr_parse_operand (NativertExprParser *p)
{
  const NativertExpr *inner, *second;

  nativert_expr_skip_space (p);
  if (g_ascii_isdigit (*p->at) || (*p->at == '.' && g_ascii_isdigit (p->at[1])))
    return nativert_expr_parse_number (p, false);
  if (is_word (*p->at))
    return parse_name (p);
  if (!nativert_expr_take (p, "("))
    return nativert_expr_fail (p, *p->at == '\0' ? "ends too early" : "unexpected character");
  inner = nativert_expr_parse_whole (p);
  if (inner != NULL && nativert_expr_take (p, ",")) {
    second = nativert_expr_parse_whole (p);
    inner = second != NULL ? nativert_expr_make_checked (p, EXPR_PAIR, (const NativertExpr *[]){ inner, second }, 2)
                           : NULL;
  }
  if (inner == NULL)
    return NULL;
  return nativert_expr_take (p, ")") ? inner : nativert_expr_fail (p, "expected ')'");
}
