/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One grammar for both notations: srepr is the infix grammar's function calls with quoted names and keywords.
 * Python's precedences.  The calls of guards, such as L['x'].size()[0], are symbols by their whole text. */
#include "base/expr-private.h"
#include "nativert.h"

#include <math.h>
#include <string.h>

typedef struct {
  NativertExprTable *table;
  const char *text, *at;
  unsigned depth;
  GError **error;
} Parser;

static const NativertExpr *parse_or (Parser *p);

static const NativertExpr *
fail (Parser *p, const char *why)
{
  if (p->error != NULL && *p->error == NULL)
    g_set_error (p->error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "expression '%.200s': %s at offset %d", p->text, why,
        (int) (p->at - p->text));
  return NULL;
}

static void
skip_space (Parser *p)
{
  while (g_ascii_isspace (*p->at))
    p->at++;
}

static bool
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || (c & 0x80) != 0;
}

/* Takes the operator or keyword when it is next. */
static bool
take (Parser *p, const char *token)
{
  size_t length = strlen (token);

  skip_space (p);
  if (strncmp (p->at, token, length) != 0 || (is_word (token[0]) && is_word (p->at[length])))
    return false;
  p->at += length;
  return true;
}

/* NULL when the expression became too deep: everything that walks one recurses. */
static const NativertExpr *
make_n (Parser *p, NativertExprOp op, const NativertExpr *const *args, uint32_t n)
{
  const NativertExpr *made = nativert_expr_make (p->table, op, args, n);

  return made->depth > EXPR_MAX_DEPTH ? fail (p, "nested too deeply") : made;
}

static const NativertExpr *
make (Parser *p, NativertExprOp op, const NativertExpr *a, const NativertExpr *b)
{
  const NativertExpr *args[2] = {a, b};

  return make_n (p, op, args, b == NULL ? 1 : 2);
}

static const NativertExpr *
parse_integer (Parser *p, bool negative)
{
  guint64 value = 0;
  g_autofree char *digits = NULL;
  const char *start = p->at;

  while (g_ascii_isdigit (*p->at))
    p->at++;
  digits = g_strndup (start, p->at - start);
  if (!g_ascii_string_to_unsigned (digits, 10, 0, (guint64) INT64_MAX + (negative ? 1 : 0), &value, NULL))
    return fail (p, "integer beyond 64 bits");
  return nativert_expr_int (p->table, negative ? (int64_t) (0 - value) : (int64_t) value);
}

static const NativertExpr *
parse_number (Parser *p, bool negative)
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
    return fail (p, "bad number");
  p->at = stop;
  return nativert_expr_float (p->table, negative ? -value : value);
}

/* 'text' or "text" without escapes; *length excludes the quotes. */
static const char *
parse_quoted (Parser *p, size_t *length)
{
  const char *start, *end;
  char quote;

  skip_space (p);
  quote = *p->at;
  if (quote != '\'' && quote != '"') {
    fail (p, "expected a quoted text");
    return NULL;
  }
  start = p->at + 1;
  end = strchr (start, quote);
  if (end == NULL || end == start) {
    fail (p, "bad quoted text");
    return NULL;
  }
  *length = end - start;
  p->at = end + 1;
  return start;
}

/* ", name=value" any number of times, then the closing bracket: what srepr says of symbols and floats. */
static bool
skip_keywords (Parser *p)
{
  while (take (p, ",")) {
    skip_space (p);
    if (!is_word (*p->at))
      return fail (p, "expected a keyword") != NULL;
    while (is_word (*p->at))
      p->at++;
    if (!take (p, "="))
      return fail (p, "expected '='") != NULL;
    skip_space (p);
    if (!is_word (*p->at))
      return fail (p, "expected a keyword's value") != NULL;
    while (is_word (*p->at))
      p->at++;
  }
  return take (p, ")") || fail (p, "expected ')'") != NULL;
}

static const NativertExpr *
parse_symbol_call (Parser *p)
{
  size_t length;
  const char *name = parse_quoted (p, &length);

  if (name == NULL || !skip_keywords (p))
    return NULL;
  return nativert_expr_new_symbol (p->table, name, length);
}

static const NativertExpr *
parse_float_call (Parser *p)
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
  return *stop != '\0' ? fail (p, "bad float") : nativert_expr_float (p->table, value);
}

static bool
parse_arguments (Parser *p, GPtrArray *args)
{
  if (take (p, ")"))
    return true;
  do {
    const NativertExpr *arg = parse_or (p);
    if (arg == NULL)
      return false;
    g_ptr_array_add (args, (gpointer) arg);
  } while (take (p, ","));
  return take (p, ")") || fail (p, "expected ')'") != NULL;
}

static const NativertExpr *
parse_call (Parser *p, const char *name, size_t length)
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
    return number != NULL && number->op == EXPR_INT ? number : fail (p, "Integer() takes one integer");
  }
  op = nativert_expr_find_op (name, length);
  if (op < 0) {
    g_autofree char *why = g_strdup_printf ("function '%.*s' is not known", (int) MIN (length, 40), name);
    return fail (p, why);
  }
  row = &nativert_expr_rows[op];
  if (args->len < row->min || (row->max != 255 && args->len > row->max))
    return fail (p, "wrong number of operands");
  if (op == EXPR_PIECEWISE)
    for (guint i = 0; i < args->len; i++)
      if (((const NativertExpr *) g_ptr_array_index (args, i))->op != EXPR_PAIR)
        return fail (p, "Piecewise takes pairs");
  return make_n (p, op, (const NativertExpr *const *) args->pdata, args->len);
}

/* Words without brackets behind them. */
static const NativertExpr *
constant (Parser *p, const char *name, size_t length)
{
  static const struct { const char *name; double value; } floats[] = {
    {"oo", INFINITY}, {"int_oo", INFINITY}, {"Infinity", INFINITY}, {"IntInfinity", INFINITY}, {"NegativeInfinity", -INFINITY},
    {"NegativeIntInfinity", -INFINITY}, {"inf", INFINITY}, {"nan", NAN}, {"pi", G_PI}, {"E", G_E},
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
parse_guard_source (Parser *p, const char *start)
{
  while (*p->at == '[' || *p->at == '.' || *p->at == '(') {
    if (*p->at == '.') {
      for (p->at++; is_word (*p->at); p->at++)
        ;
    } else if (*p->at == '(') {
      if (p->at[1] != ')')
        return fail (p, "expected ')'");
      p->at += 2;
    } else {
      const char *close = strchr (p->at, ']');
      if (close == NULL)
        return fail (p, "expected ']'");
      p->at = close + 1;
    }
  }
  return nativert_expr_new_symbol (p->table, start, p->at - start);
}

static const NativertExpr *
parse_name (Parser *p)
{
  const char *start = p->at;
  size_t length;

  while (is_word (*p->at) || (*p->at == '.' && is_word (p->at[1])))
    p->at++;
  length = p->at - start;
  if (*p->at == '[')
    return parse_guard_source (p, start);
  if (take (p, "("))
    return parse_call (p, start, length);
  return constant (p, start, length);
}

static const NativertExpr *
parse_atom (Parser *p)
{
  const NativertExpr *inner, *second;

  skip_space (p);
  if (g_ascii_isdigit (*p->at) || (*p->at == '.' && g_ascii_isdigit (p->at[1])))
    return parse_number (p, false);
  if (is_word (*p->at))
    return parse_name (p);
  if (!take (p, "("))
    return fail (p, *p->at == '\0' ? "ends too early" : "unexpected character");
  inner = parse_or (p);
  if (inner != NULL && take (p, ",")) {
    second = parse_or (p);
    inner = second != NULL ? make (p, EXPR_PAIR, inner, second) : NULL;
  }
  if (inner == NULL)
    return NULL;
  return take (p, ")") ? inner : fail (p, "expected ')'");
}

static const NativertExpr *parse_unary (Parser *p);

/* What follows a minus sign: a negative number, so that the smallest int64 can be written, or any operand. */
static const NativertExpr *
parse_negative (Parser *p)
{
  const NativertExpr *operand;
  const char *start;

  skip_space (p);
  start = p->at;
  if (g_ascii_isdigit (*p->at)) {
    operand = parse_number (p, true);
    if (operand == NULL || !take (p, "**"))
      return operand;
    p->at = start;                      /* the power binds tighter than the sign */
  }
  operand = parse_unary (p);
  return operand != NULL ? make (p, EXPR_MUL, nativert_expr_int (p->table, -1), operand) : NULL;
}

static const NativertExpr *
parse_unary (Parser *p)
{
  const NativertExpr *operand, *exponent, *result = NULL;

  if (++p->depth > EXPR_MAX_DEPTH)
    return fail (p, "nested too deeply");
  if (take (p, "+")) {
    result = parse_unary (p);
  } else if (take (p, "-")) {
    result = parse_negative (p);
  } else if (take (p, "~")) {
    operand = parse_unary (p);
    result = operand != NULL ? make (p, EXPR_NOT, operand, NULL) : NULL;
  } else {
    result = operand = parse_atom (p);
    if (operand != NULL && take (p, "**"))
      result = (exponent = parse_unary (p)) != NULL ? make (p, EXPR_POW, operand, exponent) : NULL;
  }
  p->depth--;
  return result;
}

/* Operands of one operator that stand in a row: made at once, so that a long sum is not copied for each of its terms. */
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
close_row (Parser *p, NativertExprOp op, GPtrArray **row, const NativertExpr *only)
{
  const NativertExpr *result = only;

  if (*row != NULL && only != NULL)
    result = make_n (p, op, (const NativertExpr *const *) (*row)->pdata, (*row)->len);
  g_clear_pointer (row, g_ptr_array_unref);
  return result;
}

typedef const NativertExpr *(*ParseFn) (Parser *p);

static const NativertExpr *
parse_row (Parser *p, NativertExprOp op, const char *token, ParseFn operand)
{
  const NativertExpr *left = operand (p), *right;
  GPtrArray *row = NULL;

  while (left != NULL && take (p, token)) {
    right = operand (p);
    if (right == NULL)
      left = NULL;
    else
      add_operand (&row, left, right);
  }
  return close_row (p, op, &row, left);
}

static const NativertExpr *
parse_term (Parser *p)
{
  const NativertExpr *left = parse_unary (p), *right;
  GPtrArray *row = NULL;

  while (left != NULL) {
    NativertExprOp op;
    if (take (p, "//"))
      op = EXPR_FLOOR_DIV;
    else if (take (p, "*"))
      op = EXPR_MUL;
    else if (take (p, "/"))
      op = EXPR_DIV;
    else if (take (p, "%"))
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
parse_sum (Parser *p)
{
  const NativertExpr *left = parse_term (p), *right;
  GPtrArray *row = NULL;

  while (left != NULL) {
    bool minus = take (p, "-");
    if (!minus && !take (p, "+"))
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
parse_shift (Parser *p)
{
  const NativertExpr *left = parse_sum (p), *right;

  while (left != NULL) {
    bool is_left = take (p, "<<");
    if (!is_left && !take (p, ">>"))
      return left;
    right = parse_sum (p);
    left = right != NULL ? make (p, is_left ? EXPR_LSHIFT : EXPR_RSHIFT, left, right) : NULL;
  }
  return NULL;
}

static const NativertExpr *
parse_bit_and (Parser *p)
{
  return parse_row (p, EXPR_BIT_AND, "&", parse_shift);
}

static const NativertExpr *
parse_bit_xor (Parser *p)
{
  return parse_row (p, EXPR_BIT_XOR, "^", parse_bit_and);
}

static const NativertExpr *
parse_bits (Parser *p)
{
  return parse_row (p, EXPR_BIT_OR, "|", parse_bit_xor);
}

/* a < b <= c means a < b and b <= c, as in Python. */
static const NativertExpr *
parse_comparison (Parser *p)
{
  static const struct { const char *token; NativertExprOp op; } tokens[] = {
    {"==", EXPR_EQ}, {"!=", EXPR_NE}, {"<=", EXPR_LE}, {">=", EXPR_GE}, {"<", EXPR_LT}, {">", EXPR_GT}};
  const NativertExpr *left = parse_bits (p), *right, *one, *all = NULL;

  while (left != NULL) {
    size_t i = 0;
    while (i < G_N_ELEMENTS (tokens) && !take (p, tokens[i].token))
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
parse_not (Parser *p)
{
  const NativertExpr *inner;

  if (!take (p, "not"))
    return parse_comparison (p);
  if (++p->depth > EXPR_MAX_DEPTH)
    return fail (p, "nested too deeply");
  inner = parse_not (p);
  p->depth--;
  return inner != NULL ? make (p, EXPR_NOT, inner, NULL) : NULL;
}

static const NativertExpr *
parse_and (Parser *p)
{
  return parse_row (p, EXPR_AND, "and", parse_not);
}

static const NativertExpr *
parse_or (Parser *p)
{
  return parse_row (p, EXPR_OR, "or", parse_and);
}

const NativertExpr *
nativert_expr_parse_text (NativertExprTable *table, const char *text, GError **error)
{
  g_autoptr (GError) own_error = NULL;
  Parser p = {table, text, text, 0, &own_error};
  const NativertExpr *expr = parse_or (&p);

  skip_space (&p);
  if (expr != NULL && *p.at != '\0')
    expr = fail (&p, "text after the end");
  if (expr == NULL)
    g_propagate_error (error, g_steal_pointer (&own_error));
  return expr;
}
