/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The operators of expressions, one row each: name, printed form, and what it computes. */
#include "base/expr-private.h"
#include "base/checked.h"

#include <math.h>
#include <string.h>

typedef NativertExprNum Num;
typedef __int128 Wide;

static double
as_double (Num a)
{
  return a.kind == EXPR_NUM_FLOAT ? a.f : (double) a.n / (double) a.d;
}

static bool
exact (Wide n, Wide d, Num *result)
{
  Wide a, b, t;

  if (d == 0)
    return false;
  if (d < 0) {
    n = -n;
    d = -d;
  }
  for (a = n < 0 ? -n : n, b = d; b != 0; t = a % b, a = b, b = t)
    ;
  if (a > 1) {
    n /= a;
    d /= a;
  }
  if (n > INT64_MAX || n < INT64_MIN || d > INT64_MAX)
    return false;
  *result = (Num) {EXPR_NUM_EXACT, (int64_t) n, (int64_t) d};
  return true;
}

static bool
inexact (double f, Num *result)
{
  *result = (Num) {EXPR_NUM_FLOAT, 0, 1, f};
  return true;
}

static bool
truth (bool b, Num *result)
{
  *result = (Num) {EXPR_NUM_BOOL, b, 1};
  return true;
}

static bool
either_float (Num a, Num b)
{
  return a.kind == EXPR_NUM_FLOAT || b.kind == EXPR_NUM_FLOAT;
}

static bool
both_int (Num a, Num b)
{
  return !either_float (a, b) && a.d == 1 && b.d == 1;
}

static bool
add (Num a, Num b, Num *r)
{
  Wide sum;

  if (either_float (a, b))
    return inexact (as_double (a) + as_double (b), r);
  return !__builtin_add_overflow ((Wide) a.n * b.d, (Wide) b.n * a.d, &sum) && exact (sum, (Wide) a.d * b.d, r);
}

static bool
mul (Num a, Num b, Num *r)
{
  if (either_float (a, b))
    return inexact (as_double (a) * as_double (b), r);
  return exact ((Wide) a.n * b.n, (Wide) a.d * b.d, r);
}

static bool
neg (Num a, Num *r)
{
  return a.kind == EXPR_NUM_FLOAT ? inexact (-a.f, r) : exact (-(Wide) a.n, a.d, r);
}

bool
nativert_expr_num_sub (Num a, Num b, Num *r)
{
  Num minus;

  return neg (b, &minus) && add (a, minus, r);
}

/* Exact for exact operands: s0/2 in infix text is a rational product. */
bool
nativert_expr_num_div (Num a, Num b, Num *r)
{
  if (as_double (b) == 0)
    return false;
  if (either_float (a, b))
    return inexact (as_double (a) / as_double (b), r);
  return exact ((Wide) a.n * b.d, (Wide) a.d * b.n, r);
}

static bool
true_div (Num a, Num b, Num *r)
{
  return as_double (b) != 0 && inexact (as_double (a) / as_double (b), r);
}

static bool
floor_div (Num a, Num b, Num *r)
{
  Wide n, d, q;

  if (as_double (b) == 0)
    return false;
  if (either_float (a, b))
    return inexact (floor (as_double (a) / as_double (b)), r);
  n = (Wide) a.n * b.d;
  d = (Wide) a.d * b.n;
  q = n / d;
  if (n % d != 0 && (n < 0) != (d < 0))
    q--;
  return exact (q, 1, r);
}

static bool
ceil_div (Num a, Num b, Num *r)
{
  Num minus;

  return neg (a, &minus) && floor_div (minus, b, r) && neg (*r, r);
}

static bool
clean_div (Num a, Num b, Num *r)
{
  return nativert_expr_num_div (a, b, r) && (r->kind == EXPR_NUM_FLOAT || r->d == 1);
}

/* The sign of the divisor, as in Python. */
static bool
mod (Num a, Num b, Num *r)
{
  Num quotient;
  double rest;

  if (as_double (b) == 0)
    return false;
  if (either_float (a, b)) {
    rest = fmod (as_double (a), as_double (b));
    return inexact (rest != 0 && (rest < 0) != (as_double (b) < 0) ? rest + as_double (b) : rest, r);
  }
  return floor_div (a, b, &quotient) && mul (quotient, b, &quotient) && nativert_expr_num_sub (a, quotient, r);
}

static bool
power (Num a, Num b, Num *r)
{
  Num base = a;
  int64_t n = b.n;

  if (either_float (a, b) || b.d != 1)
    return inexact (pow (as_double (a), as_double (b)), r);
  if (n < 0 && (n == INT64_MIN || !nativert_expr_num_div ((Num) {EXPR_NUM_EXACT, 1, 1}, a, &base)))
    return false;
  *r = (Num) {EXPR_NUM_EXACT, 1, 1};
  for (n = n < 0 ? -n : n; n > 0; n >>= 1) {
    if ((n & 1) != 0 && !mul (*r, base, r))
      return false;
    if (n > 1 && !mul (base, base, &base))
      return false;
  }
  return true;
}

static bool
float_pow (Num a, Num b, Num *r)
{
  return inexact (pow (as_double (a), as_double (b)), r);
}

static int
compare (Num a, Num b)
{
  if (either_float (a, b))
    return as_double (a) < as_double (b) ? -1 : as_double (a) > as_double (b);
  Wide left = (Wide) a.n * b.d, right = (Wide) b.n * a.d;
  return left < right ? -1 : left > right;
}

static bool
maximum (Num a, Num b, Num *r)
{
  *r = compare (a, b) >= 0 ? a : b;
  return true;
}

static bool
minimum (Num a, Num b, Num *r)
{
  *r = compare (a, b) <= 0 ? a : b;
  return true;
}

/* Rounded to an integer by how; false when it does not fit. */
static bool
to_int (Num a, double (*how) (double), Num *r)
{
  double f = how (as_double (a));

  if (a.kind != EXPR_NUM_FLOAT && a.d == 1)
    return exact (a.n, 1, r);
  if (!(f >= -9223372036854775808.0 && f < 9223372036854775808.0))
    return false;
  return exact ((int64_t) f, 1, r);
}

static bool trunc_to_int (Num a, Num *r) { return to_int (a, trunc, r); }
static bool ceil_to_int (Num a, Num *r) { return to_int (a, ceil, r); }
static bool floor_to_int (Num a, Num *r) { return to_int (a, floor, r); }
static bool round_to_int (Num a, Num *r) { return to_int (a, rint, r); }
static bool trunc_to_float (Num a, Num *r) { return inexact (trunc (as_double (a)), r); }
static bool to_float (Num a, Num *r) { return inexact (as_double (a), r); }

static bool
round_decimal (Num a, Num b, Num *r)
{
  double scale = pow (10, as_double (b));

  return inexact (rint (as_double (a) * scale) / scale, r);
}

static bool
absolute (Num a, Num *r)
{
  *r = a;
  return as_double (a) >= 0 || neg (a, r);
}

static bool
identity (Num a, Num *r)
{
  *r = a;
  return true;
}

#define MATH(name) static bool num_##name (Num a, Num *r) { return inexact (name (as_double (a)), r); }
MATH (sqrt) MATH (exp) MATH (log) MATH (log2) MATH (sin) MATH (cos) MATH (tan) MATH (asin) MATH (acos) MATH (atan)
MATH (sinh) MATH (cosh) MATH (tanh) MATH (asinh)

static bool
bitwise (Num a, Num b, int64_t n, Num *r)
{
  if (a.kind == EXPR_NUM_BOOL && b.kind == EXPR_NUM_BOOL)
    return truth (n != 0, r);
  return both_int (a, b) && exact (n, 1, r);
}

static bool bit_and (Num a, Num b, Num *r) { return bitwise (a, b, a.n & b.n, r); }
static bool bit_or (Num a, Num b, Num *r) { return bitwise (a, b, a.n | b.n, r); }
static bool bit_xor (Num a, Num b, Num *r) { return bitwise (a, b, a.n ^ b.n, r); }

static bool
lshift (Num a, Num b, Num *r)
{
  return both_int (a, b) && b.n >= 0 && b.n < 63 && exact ((Wide) a.n * ((Wide) 1 << b.n), 1, r);
}

static bool
rshift (Num a, Num b, Num *r)
{
  return both_int (a, b) && b.n >= 0 && exact (a.n >> MIN (b.n, 63), 1, r);
}

static bool is_true (Num a) { return a.kind == EXPR_NUM_FLOAT ? a.f != 0 : a.n != 0; }
static bool eq (Num a, Num b, Num *r) { return truth (compare (a, b) == 0, r); }
static bool ne (Num a, Num b, Num *r) { return truth (compare (a, b) != 0, r); }
static bool lt (Num a, Num b, Num *r) { return truth (compare (a, b) < 0, r); }
static bool le (Num a, Num b, Num *r) { return truth (compare (a, b) <= 0, r); }
static bool gt (Num a, Num b, Num *r) { return truth (compare (a, b) > 0, r); }
static bool ge (Num a, Num b, Num *r) { return truth (compare (a, b) >= 0, r); }
static bool both (Num a, Num b, Num *r) { return truth (is_true (a) && is_true (b), r); }
static bool any (Num a, Num b, Num *r) { return truth (is_true (a) || is_true (b), r); }
static bool not (Num a, Num *r) { return truth (!is_true (a), r); }

#define FUNCTION_1(name, f) {name, NULL, 0, 1, 1, false, false, f, NULL}
#define FLOAT_1(name, f) {name, NULL, 0, 1, 1, true, false, f, NULL}
#define FUNCTION_2(name, f) {name, NULL, 0, 2, 2, false, false, NULL, f}
#define FLOAT_2(name, f) {name, NULL, 0, 2, 2, true, false, NULL, f}
#define OPERATOR(name, infix, precedence, f) {name, infix, precedence, 2, 2, false, false, NULL, f}
#define NARY(name, infix, precedence, f) {name, infix, precedence, 1, 255, false, true, identity, f}

const NativertExprRow nativert_expr_rows[EXPR_N_OPS] = {
  [EXPR_INT] = {"Integer"},
  [EXPR_FLOAT] = {"Float", .inexact = true},
  [EXPR_BOOL] = {"Bool"},
  [EXPR_SYMBOL] = {"Symbol"},
  [EXPR_ADD] = NARY ("Add", "+", 9, add),
  [EXPR_MUL] = NARY ("Mul", "*", 10, mul),
  [EXPR_DIV] = OPERATOR ("Rational", "/", 10, nativert_expr_num_div),
  [EXPR_FLOOR_DIV] = OPERATOR ("FloorDiv", "//", 10, floor_div),
  [EXPR_MOD] = OPERATOR ("PythonMod", "%", 10, mod),
  [EXPR_NEG] = {"Neg", "-", 11, 1, 1, false, false, neg, NULL},
  [EXPR_POW] = OPERATOR ("Pow", "**", 12, power),
  [EXPR_MAX] = NARY ("Max", NULL, 0, maximum),
  [EXPR_MIN] = NARY ("Min", NULL, 0, minimum),
  [EXPR_CEIL_DIV] = FUNCTION_2 ("CeilDiv", ceil_div),
  [EXPR_CLEAN_DIV] = FUNCTION_2 ("CleanDiv", clean_div),
  [EXPR_MODULAR_INDEXING] = {"ModularIndexing", NULL, 0, 3, 3},
  [EXPR_TRUE_DIV] = FLOAT_2 ("IntTrueDiv", true_div),
  [EXPR_FLOAT_POW] = FLOAT_2 ("FloatPow", float_pow),
  [EXPR_TO_FLOAT] = FLOAT_1 ("ToFloat", to_float),
  [EXPR_TRUNC_TO_INT] = FUNCTION_1 ("TruncToInt", trunc_to_int),
  [EXPR_CEIL_TO_INT] = FUNCTION_1 ("CeilToInt", ceil_to_int),
  [EXPR_FLOOR_TO_INT] = FUNCTION_1 ("FloorToInt", floor_to_int),
  [EXPR_ROUND_TO_INT] = FUNCTION_1 ("RoundToInt", round_to_int),
  [EXPR_TRUNC_TO_FLOAT] = FLOAT_1 ("TruncToFloat", trunc_to_float),
  [EXPR_ROUND_DECIMAL] = FLOAT_2 ("RoundDecimal", round_decimal),
  [EXPR_ABS] = FUNCTION_1 ("Abs", absolute),
  [EXPR_IDENTITY] = FUNCTION_1 ("Identity", identity),
  [EXPR_SQRT] = FLOAT_1 ("OpaqueUnaryFn_sqrt", num_sqrt),
  [EXPR_EXP] = FLOAT_1 ("OpaqueUnaryFn_exp", num_exp),
  [EXPR_LOG] = FLOAT_1 ("OpaqueUnaryFn_log", num_log),
  [EXPR_LOG2] = FLOAT_1 ("OpaqueUnaryFn_log2", num_log2),
  [EXPR_SIN] = FLOAT_1 ("OpaqueUnaryFn_sin", num_sin),
  [EXPR_COS] = FLOAT_1 ("OpaqueUnaryFn_cos", num_cos),
  [EXPR_TAN] = FLOAT_1 ("OpaqueUnaryFn_tan", num_tan),
  [EXPR_ASIN] = FLOAT_1 ("OpaqueUnaryFn_asin", num_asin),
  [EXPR_ACOS] = FLOAT_1 ("OpaqueUnaryFn_acos", num_acos),
  [EXPR_ATAN] = FLOAT_1 ("OpaqueUnaryFn_atan", num_atan),
  [EXPR_SINH] = FLOAT_1 ("OpaqueUnaryFn_sinh", num_sinh),
  [EXPR_COSH] = FLOAT_1 ("OpaqueUnaryFn_cosh", num_cosh),
  [EXPR_TANH] = FLOAT_1 ("OpaqueUnaryFn_tanh", num_tanh),
  [EXPR_ASINH] = FLOAT_1 ("OpaqueUnaryFn_asinh", num_asinh),
  [EXPR_BIT_AND] = NARY ("BitwiseFn_bitwise_and", "&", 7, bit_and),
  [EXPR_BIT_OR] = NARY ("BitwiseFn_bitwise_or", "|", 5, bit_or),
  [EXPR_BIT_XOR] = NARY ("BitwiseFn_bitwise_xor", "^", 6, bit_xor),
  [EXPR_LSHIFT] = OPERATOR ("LShift", "<<", 8, lshift),
  [EXPR_RSHIFT] = OPERATOR ("RShift", ">>", 8, rshift),
  [EXPR_EQ] = OPERATOR ("Equality", "==", 4, eq),
  [EXPR_NE] = OPERATOR ("Unequality", "!=", 4, ne),
  [EXPR_LT] = OPERATOR ("StrictLessThan", "<", 4, lt),
  [EXPR_LE] = OPERATOR ("LessThan", "<=", 4, le),
  [EXPR_GT] = OPERATOR ("StrictGreaterThan", ">", 4, gt),
  [EXPR_GE] = OPERATOR ("GreaterThan", ">=", 4, ge),
  [EXPR_AND] = NARY ("And", "and", 2, both),
  [EXPR_OR] = NARY ("Or", "or", 1, any),
  [EXPR_NOT] = {"Not", "not ", 3, 1, 1, false, false, not, NULL},
  [EXPR_PAIR] = {"ExprCondPair", NULL, 0, 2, 2},
  [EXPR_PIECEWISE] = {"Piecewise", NULL, 0, 1, 255},
  [EXPR_WHERE] = {"Where", NULL, 0, 3, 3},
};

/* Second names: other releases, and how sympy prints for people. */
static const struct { const char *name; NativertExprOp op;
} aliases[] = {
  { "Mod", EXPR_MOD },
  { "PowByNatural", EXPR_POW },
  { "FloatTrueDiv", EXPR_TRUE_DIV },
  { "TrueDiv", EXPR_TRUE_DIV },
  { "floor", EXPR_FLOOR_TO_INT },
  { "ceiling", EXPR_CEIL_TO_INT },
  { "Round", EXPR_ROUND_TO_INT },
  { "Trunc", EXPR_TRUNC_TO_INT },
  { "math.floor", EXPR_FLOOR_TO_INT },
  { "math.ceil", EXPR_CEIL_TO_INT },
  { "math.trunc", EXPR_TRUNC_TO_INT },
  { "math.sqrt", EXPR_SQRT },
  { "sqrt", EXPR_SQRT },
  { "abs", EXPR_ABS },
  { "max", EXPR_MAX },
  { "min", EXPR_MIN },
  { "int", EXPR_TRUNC_TO_INT },
  { "float", EXPR_TO_FLOAT },
  { "Eq", EXPR_EQ },
  { "Ne", EXPR_NE },
  { "Lt", EXPR_LT },
  { "Le", EXPR_LE },
  { "Gt", EXPR_GT },
  { "Ge", EXPR_GE },
  { "ITE", EXPR_WHERE },
};

int
nativert_expr_find_op (const char *name, size_t length)
{
  for (int op = EXPR_ADD; op < EXPR_N_OPS; op++)
    if (strlen (nativert_expr_rows[op].name) == length && memcmp (nativert_expr_rows[op].name, name, length) == 0)
      return op;
  for (size_t i = 0; i < G_N_ELEMENTS (aliases); i++)
    if (strlen (aliases[i].name) == length && memcmp (aliases[i].name, name, length) == 0)
      return (int) aliases[i].op;
  return -1;
}
