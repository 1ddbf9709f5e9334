/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Python's arithmetic.  Ints stay exact or fail; a float among the operands makes the result a float. */
#include <math.h>
#include <string.h>
#include "base/checked.h"
#include "plan/pynum.h"

static bool
is_float (NativertNum n)
{
  return n.kind == NATIVERT_NUM_FLOAT;
}

static int64_t
as_int (NativertNum n)
{
  return n.kind == NATIVERT_NUM_BOOL ? n.u.b : n.u.i;
}

static double
as_float (NativertNum n)
{
  return is_float (n) ? n.u.f : (double) as_int (n);
}

static bool
truth (NativertNum n)
{
  return is_float (n) ? n.u.f != 0 : as_int (n) != 0;
}

static bool
give_int (NativertNum *r, int64_t i)
{
  *r = (NativertNum) { .kind = NATIVERT_NUM_INT, .u.i = i };
  return true;
}

static bool
give_float (NativertNum *r, double f)
{
  *r = (NativertNum) { .kind = NATIVERT_NUM_FLOAT, .u.f = f };
  return true;
}

static bool
give_bool (NativertNum *r, bool v)
{
  *r = (NativertNum) { .kind = NATIVERT_NUM_BOOL, .u.b = v };
  return true;
}

static bool
float_to_int (NativertNum *r, double f)
{
  return f >= -9.2233720368547758e18 && f < 9.2233720368547758e18 && give_int (r, (int64_t) f);
}

static bool
floor_divide (int64_t a, int64_t b, int64_t *q, int64_t *r)
{
  if (b == 0 || (a == INT64_MIN && b == -1))
    return false;
  *q = a / b;
  *r = a % b;
  if (*r && (*r < 0) != (b < 0)) {
    *q -= 1;
    *r += b;
  }
  return true;
}

static bool
int_power (int64_t base, int64_t exponent, int64_t *result)
{
  *result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) && !nativert_mul_i64 (*result, base, result))
      return false;
    if (exponent > 1 && !nativert_mul_i64 (base, base, &base))
      return false;
  }
  return true;
}

static bool
binary_int (const char *name, int64_t a, int64_t b, NativertNum *r)
{
  int64_t q, rest;
  if (!strcmp (name, "add"))
    return nativert_add_i64 (a, b, &q) && give_int (r, q);
  if (!strcmp (name, "sub"))
    return !__builtin_sub_overflow (a, b, &q) && give_int (r, q);
  if (!strcmp (name, "mul"))
    return nativert_mul_i64 (a, b, &q) && give_int (r, q);
  if (!strcmp (name, "floordiv"))
    return floor_divide (a, b, &q, &rest) && give_int (r, q);
  if (!strcmp (name, "mod"))
    return floor_divide (a, b, &q, &rest) && give_int (r, rest);
  if (!strcmp (name, "pow"))
    return b < 0 ? give_float (r, pow ((double) a, (double) b)) : int_power (a, b, &q) && give_int (r, q);
  if (!strcmp (name, "lshift"))
    return b >= 0 && b < 63 && nativert_mul_i64 (a, INT64_C (1) << b, &q) && give_int (r, q);
  if (!strcmp (name, "rshift"))
    return b >= 0 && give_int (r, a >> (b > 63 ? 63 : b));
  if (!strcmp (name, "and_"))
    return give_int (r, a & b);
  if (!strcmp (name, "or_"))
    return give_int (r, a | b);
  if (!strcmp (name, "xor"))
    return give_int (r, a ^ b);
  return false;
}

static bool
binary_float (const char *name, double a, double b, NativertNum *r)
{
  if (!strcmp (name, "add"))
    return give_float (r, a + b);
  if (!strcmp (name, "sub"))
    return give_float (r, a - b);
  if (!strcmp (name, "mul"))
    return give_float (r, a * b);
  if (!strcmp (name, "floordiv"))
    return b != 0 && give_float (r, floor (a / b));
  if (!strcmp (name, "mod"))
    return b != 0 && give_float (r, a - b * floor (a / b));
  if (!strcmp (name, "pow") || !strcmp (name, "float_pow"))
    return give_float (r, pow (a, b));
  return false;
}

static bool
compare (const char *name, NativertNum a, NativertNum b, NativertNum *r)
{
  bool f = is_float (a) || is_float (b);
  int order = f ? (as_float (a) > as_float (b)) - (as_float (a) < as_float (b))
                : (as_int (a) > as_int (b)) - (as_int (a) < as_int (b));
  if (!strcmp (name, "eq"))
    return give_bool (r, order == 0);
  if (!strcmp (name, "ne"))
    return give_bool (r, order != 0);
  if (!strcmp (name, "lt"))
    return give_bool (r, order < 0);
  if (!strcmp (name, "le"))
    return give_bool (r, order <= 0);
  if (!strcmp (name, "gt"))
    return give_bool (r, order > 0);
  if (!strcmp (name, "ge"))
    return give_bool (r, order >= 0);
  if (!strcmp (name, "max") || !strcmp (name, "min")) {
    NativertNum pick = (name[1] == 'a' ? order < 0 : order > 0) ? b : a;
    return f ? give_float (r, as_float (pick)) : give_int (r, as_int (pick));
  }
  return false;
}

static bool
binary (const char *name, NativertNum a, NativertNum b, NativertNum *r)
{
  if (!strcmp (name, "truediv"))
    return as_float (b) != 0 && give_float (r, as_float (a) / as_float (b));
  if (a.kind == NATIVERT_NUM_BOOL && b.kind == NATIVERT_NUM_BOOL && (!strcmp (name, "and_") || !strcmp (name, "or_")))
    return give_bool (r, name[0] == 'a' ? a.u.b && b.u.b : a.u.b || b.u.b);
  if (compare (name, a, b, r))
    return true;
  return is_float (a) || is_float (b) ? binary_float (name, as_float (a), as_float (b), r)
                                      : binary_int (name, as_int (a), as_int (b), r);
}

static bool
unary_float (const char *name, double a, NativertNum *r)
{
  static const struct {
    const char *name;
    double (*fn) (double);
  } functions[] = { { "sqrt", sqrt }, { "exp", exp }, { "log", log }, { "log2", log2 }, { "sin", sin }, { "cos", cos },
    { "tan", tan }, { "sinh", sinh }, { "cosh", cosh }, { "tanh", tanh }, { "asin", asin }, { "acos", acos },
    { "atan", atan } };
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
    if (!strcmp (name, functions[i].name))
      return give_float (r, functions[i].fn (a));
  return false;
}

static bool
unary (const char *name, NativertNum a, NativertNum *r)
{
  int64_t i;
  if (!strcmp (name, "neg"))
    return is_float (a) ? give_float (r, -a.u.f) : !__builtin_sub_overflow (0, as_int (a), &i) && give_int (r, i);
  if (!strcmp (name, "pos"))
    return is_float (a) ? give_float (r, a.u.f) : give_int (r, as_int (a));
  if (!strcmp (name, "abs"))
    return is_float (a) ? give_float (r, fabs (a.u.f))
                        : as_int (a) != INT64_MIN && give_int (r, as_int (a) < 0 ? -as_int (a) : as_int (a));
  if (!strcmp (name, "not") || !strcmp (name, "not_"))
    return give_bool (r, !truth (a));
  if (!strcmp (name, "float"))
    return give_float (r, as_float (a));
  if (!strcmp (name, "int") || !strcmp (name, "trunc"))
    return is_float (a) ? float_to_int (r, trunc (a.u.f)) : give_int (r, as_int (a));
  if (!strcmp (name, "floor"))
    return is_float (a) ? float_to_int (r, floor (a.u.f)) : give_int (r, as_int (a));
  if (!strcmp (name, "ceil"))
    return is_float (a) ? float_to_int (r, ceil (a.u.f)) : give_int (r, as_int (a));
  if (!strcmp (name, "round"))
    return is_float (a) ? float_to_int (r, nearbyint (a.u.f)) : give_int (r, as_int (a));
  return unary_float (name, as_float (a), r);
}

bool
nativert_pynum (const char *name, const NativertNum *x, uint32_t n, NativertNum *result)
{
  if (n == 3 && !strcmp (name, "ite")) {
    *result = truth (x[0]) ? x[1] : x[2];
    return true;
  }
  return n == 1 ? unary (name, x[0], result) : n == 2 && binary (name, x[0], x[1], result);
}
