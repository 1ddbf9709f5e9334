/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Expressions: both notations, Python's arithmetic, solving, and texts that are not expressions. */
#include "base/expr.h"

#include <math.h>
#include <string.h>

static NativertExprTable *table;
static int64_t values[64];
static bool known[64];

static void
set (const char *name, int64_t value)
{
  int32_t index = nativert_expr_table_find_symbol (table, name);

  if (index >= 0) {
    values[index] = value;
    known[index] = true;
  }
}

static const NativertExpr *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  const NativertExpr *expr = nativert_expr_parse (table, text, &error);

  g_assert_no_error (error);
  g_assert_nonnull (expr);
  return expr;
}

static const struct { const char *text; double value; char kind;
} evaluated[] = {
  { "Integer(-9223372036854775808)", -9223372036854775808.0, 'i' },
  { "Symbol('s0', positive=True, integer=True)", 7, 'i' },
  { "Add(Mul(Integer(2), Symbol('s0')), Integer(1))", 15, 'i' },
  { "2*s0 + 1", 15, 'i' },
  { "(s0//2)", 3, 'i' },
  { "-s0//2", -4, 'i' },
  { "FloorDiv(Mul(Integer(-1), Symbol('s0')), Integer(2))", -4, 'i' },
  { "-7 % 3", 2, 'i' },
  { "7 % -3", -2, 'i' },
  { "PythonMod(Symbol('s0'), Integer(-4))", -1, 'i' },
  { "Mod(s0, 4)", 3, 'i' },
  { "-7.5 % 2", 0.5, 'f' },
  { "-2**2", -4, 'i' },
  { "2**-1", 0.5, 'f' },
  { "2**3**2", 512, 'i' },
  { "Pow(Symbol('s0'), Integer(2))", 49, 'i' },
  { "PowByNatural(Integer(2), Symbol('s0'))", 128, 'i' },
  { "Mul(Rational(1, 2), Add(Symbol('s0'), Integer(1)))", 4, 'i' },
  { "s0/2 + s0/2", 7, 'i' },
  { "IntTrueDiv(Symbol('s0'), Integer(2))", 3.5, 'f' },
  { "TruncToInt(IntTrueDiv(Mul(Integer(-1), Symbol('s0')), Integer(2)))", -3, 'i' },
  { "CeilToInt(IntTrueDiv(Symbol('s0'), Integer(2)))", 4, 'i' },
  { "FloorToInt(Float('-2.5', precision=53))", -3, 'i' },
  { "RoundToInt(Float('2.5', precision=53))", 2, 'i' },
  { "Float('0.29999999999999999', precision=53)", 0.3, 'f' },
  { "ToFloat(Symbol('s0', integer=True))", 7, 'f' },
  { "OpaqueUnaryFn_sqrt(ToFloat(Integer(16)))", 4, 'f' },
  { "FloatPow(ToFloat(Integer(4)), Float('0.5', precision=53))", 2, 'f' },
  { "CeilDiv(Symbol('s0'), Integer(2))", 4, 'i' },
  { "CleanDiv(Integer(8), Integer(2))", 4, 'i' },
  { "ModularIndexing(Symbol('s0'), Integer(2), Integer(2))", 1, 'i' },
  { "BitwiseFn_bitwise_and(Symbol('s0'), Integer(3))", 3, 'i' },
  { "BitwiseFn_bitwise_or(Symbol('s0'), Integer(8))", 15, 'i' },
  { "RShift(Symbol('s0'), Integer(1))", 3, 'i' },
  { "1 << 4 >> 1", 8, 'i' },
  { "Max(Integer(1), Symbol('s0'), Integer(9))", 9, 'i' },
  { "Min(s0, 3)", 3, 'i' },
  { "Piecewise(ExprCondPair(Integer(1), StrictLessThan(Symbol('s0'), Integer(3))), ExprCondPair(Integer(2), true))", 2,
      'i' },
  { "Piecewise((1, s0 > 3), (unknown, True))", 1, 'i' },
  { "Where(Equality(Symbol('s0'), Integer(7)), Integer(5), Symbol('unknown'))", 5, 'i' },
  { "And(GreaterThan(Symbol('s0'), Integer(7)), LessThan(Symbol('s0'), Integer(7)))", 1, 'b' },
  { "Or(Unequality(Symbol('s0'), Integer(7)), false)", 0, 'b' },
  { "Not(StrictGreaterThan(Symbol('s0'), Integer(2)))", 0, 'b' },
  { "2 <= s0 < 7", 0, 'b' },
  { "(s0 > 2) & (s0 < 8)", 1, 'b' },
  { "not s0 == 7 or s0 != 8 and True", 1, 'b' },
  { "(L['x'].size()[0] % 2) == 0", 1, 'b' },
  { "(L['x'].size()[0] / 2) == 2.0", 1, 'b' },
  { "Eq(s0, 7)", 1, 'b' },
};

static void
test_eval (void)
{
  for (size_t i = 0; i < G_N_ELEMENTS (evaluated); i++) {
    const NativertExpr *expr = parse (evaluated[i].text);
    NativertNum num;

    set ("s0", 7);
    set ("L['x'].size()[0]", 4);
    g_test_message ("%s", evaluated[i].text);
    g_assert_true (nativert_expr_eval (expr, values, known, &num));
    switch (evaluated[i].kind) {
      case 'i':
        g_assert_cmpint (num.kind, ==, NATIVERT_NUM_INT);
        g_assert_cmpint (num.u.i, ==, (int64_t) evaluated[i].value);
        break;
      case 'f':
        g_assert_cmpint (num.kind, ==, NATIVERT_NUM_FLOAT);
        g_assert_cmpfloat (num.u.f, ==, evaluated[i].value);
        break;
      default:
        g_assert_cmpint (num.kind, ==, NATIVERT_NUM_BOOL);
        g_assert_cmpint (num.u.b, ==, (int) evaluated[i].value);
    }
  }
}

static void
test_no_value (void)
{
  static const char *const texts[] = { "1 // (s0 - 7)", "s0 % 0", "unknown + 1", "9223372036854775807 + s0",
    "3037000500*3037000500*s0", "2**64", "0**-1", "IntTrueDiv(s0, 0)", "CleanDiv(7, 2)", "TruncToInt(1e300)", "1 << 63",
    "Abs(-9223372036854775808)", "Piecewise((1, s0 < 3))" };

  for (size_t i = 0; i < G_N_ELEMENTS (texts); i++) {
    const NativertExpr *expr = parse (texts[i]);
    NativertNum num;

    set ("s0", 7);
    g_test_message ("%s", texts[i]);
    g_assert_false (nativert_expr_eval (expr, values, known, &num));
  }
}

static void
test_solve (void)
{
  static const struct { const char *text; int64_t value; bool solvable; int64_t x; } rows[] = {
    {"x", 5, true, 5}, {"2*x", 8, true, 4}, {"2*x", 7, false, 0}, {"x + 3", 5, true, 2}, {"3 - x", 1, true, 2},
    {"2*x + s0", 9, true, 1}, {"x/2", 3, true, 6}, {"x//2", 3, false, 0}, {"x*x", 4, false, 0}, {"x + y", 4, false, 0},
    {"s0 + 1", 8, false, 0}, {"0*s0*x", 0, false, 0}, {"Max(x, 3)", 4, false, 0},
    {"Mul(Rational(1, 2), Add(Symbol('x'), Integer(2)))", 3, true, 4}, {"CleanDiv(x, 2)", 3, true, 6},
    {"x + 9223372036854775807", -9223372036854775807, false, 0},
  };

  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
    const NativertExpr *expr = parse (rows[i].text);
    int32_t x = nativert_expr_table_find_symbol (table, "x");

    set ("s0", 7);
    g_test_message ("%s == %d", rows[i].text, (int) rows[i].value);
    g_assert_true (nativert_expr_solve (expr, rows[i].value, values, known) == rows[i].solvable);
    g_assert_true (known[x] == rows[i].solvable);
    if (rows[i].solvable)
      g_assert_cmpint (values[x], ==, rows[i].x);
    known[x] = false;
  }
}

static void
test_interned (void)
{
  const NativertExpr *a = parse ("Add(Mul(Integer(2), Symbol('s0', positive=True, integer=True)), Integer(1))");

  g_assert_true (a == parse ("2*s0 + 1"));
  g_assert_true (a == parse ("1 + s0*2"));
  g_assert_true (parse ("Max(a, b)") == parse ("Max(b, a)"));
  g_assert_true (parse ("a - b") != parse ("b - a"));
  g_assert_cmpint (nativert_expr_symbol (a), ==, -1);
  g_assert_cmpint (nativert_expr_symbol (parse ("s0")), ==, nativert_expr_table_find_symbol (table, "s0"));
  g_assert_cmpstr (nativert_expr_table_symbol (table, nativert_expr_symbol (parse ("b"))), ==, "b");
  g_assert_cmpint (nativert_expr_table_find_symbol (table, "nobody"), ==, -1);
}

/* What is printed reads back as the same expression. */
static void
test_infix (void)
{
  static const struct { const char *text, *infix;
  } rows[] = {
    { "Add(Integer(1), Mul(Integer(2), Symbol('s0')))", "2*s0 + 1" },
    { "s0 - 1", "s0 - 1" },
    { "a - 2*b", "a - 2*b" },
    { "-a", "-a" },
    { "FloorDiv(Add(Symbol('s0'), Integer(-1)), Integer(2))", "(s0 - 1)//2" },
    { "(a + b)*c", NULL },
    { "a // (b // c)", "a//(b//c)" },
    { "a // b // c", "a//b//c" },
    { "(a ** b) ** c", "(a**b)**c" },
    { "a ** -2", NULL },
    { "Max(s0, 3)", NULL },
    { "Piecewise((1, s0 > 3), (2, True))", "Piecewise((1, s0 > 3), (2, True))" },
    { "not (a and b) or c", NULL },
    { "a & b | c ^ d", NULL },
    { "Float('0.5', precision=53)*x", NULL },
    { "OpaqueUnaryFn_sqrt(x)", "sqrt(x)" },
    { "(a == b) == c", NULL },
    { "(a + 1)*(-3)", NULL },
    { "IntTrueDiv(a, 2)", "IntTrueDiv(a, 2)" },
    { "-9223372036854775808*a", NULL },
    { "Float('2', precision=53)", "2.0" },
    { "-3*a + -1*b", NULL },
    { "(-3)**a", NULL },
    { "a % b % c", NULL },
    { "-(a + b)", NULL },
    { "2*(a//b)", "2*(a//b)" },
    { "-(a//b)", "-(a//b)" },
    { "c*(a//b)", NULL },
    { "c - a//b", "c - a//b" },
    { "c*(a/b)*(d % 2)", NULL },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
    const NativertExpr *expr = parse (rows[i].text);
    g_autofree char *infix = nativert_expr_to_infix (expr);

    g_test_message ("%s -> %s", rows[i].text, infix);
    if (rows[i].infix != NULL)
      g_assert_cmpstr (infix, ==, rows[i].infix);
    g_assert_true (parse (infix) == expr);
  }
}

static void
test_not_expressions (void)
{
  static const char *const texts[] = { "", " ", "1 +", "+", "(", ")", "(1", "1)", "1 2", "Symbol()", "Symbol('')",
    "Symbol('s0'", "Symbol(s0)", "Symbol('s0', )", "Symbol('s0', positive)", "Integer('1')", "Integer(s0)",
    "Integer(1, 2)", "Float(1)", "Float('x')", "Foo(1)", "Max()", "Mod(1)", "Mod(1, 2, 3)", "Piecewise(1)",
    "9223372036854775808", "-9223372036854775809", "1e", "a b", "a = b", "L['x'", "L['x'].size(", "not", "a and",
    "a < ", "#", "'s0'", "a ** ", "1 -- ", "(a, b, c)", "\xff(", "()" };

  for (size_t i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;

    g_test_message ("%s", texts[i]);
    g_assert_null (nativert_expr_parse (table, texts[i], &error));
    g_assert_nonnull (error);
    g_assert_null (nativert_expr_parse (table, texts[i], NULL));
  }
}

/* Depth is limited, length is not, and neither costs more than linear time. */
static void
test_large (void)
{
  static const char *const openings[] = {"(", "-", "Not(", "not ", "2**", "Add(1, ", "~", "((((1, "};
  NativertNum num;

  for (size_t i = 0; i < G_N_ELEMENTS (openings); i++) {
    GString *text = g_string_new (NULL);
    for (int n = 0; n < 100000; n++)
      g_string_append (text, openings[i]);
    g_assert_null (nativert_expr_parse (table, text->str, NULL));
    g_string_free (text, TRUE);
  }
  GString *sum = g_string_new ("a"), *quotient = g_string_new ("a");
  for (int n = 0; n < 100000; n++) {
    g_string_append (sum, n % 2 == 0 ? " + a" : " - a");
    g_string_append (quotient, "//a");
  }
  const NativertExpr *expr = parse (sum->str);
  set ("a", 3);
  g_assert_true (nativert_expr_eval (expr, values, known, &num));
  g_assert_cmpint (num.u.i, ==, 3);
  g_assert_null (nativert_expr_parse (table, quotient->str, NULL));
  g_string_free (sum, TRUE);
  g_string_free (quotient, TRUE);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  table = nativert_expr_table_new ();
  g_test_add_func ("/expr/eval", test_eval);
  g_test_add_func ("/expr/no-value", test_no_value);
  g_test_add_func ("/expr/solve", test_solve);
  g_test_add_func ("/expr/interned", test_interned);
  g_test_add_func ("/expr/infix", test_infix);
  g_test_add_func ("/expr/not-expressions", test_not_expressions);
  g_test_add_func ("/expr/large", test_large);
  result = g_test_run ();
  nativert_expr_table_free (table);
  return result;
}
