/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Python's arithmetic and torch's type promotion. */
#include "plan/builder.h"
#include "plan/pynum.h"

#define I(x) ((NativertNum) { .kind = NATIVERT_NUM_INT, .u.i = (x) })
#define F(x) ((NativertNum) { .kind = NATIVERT_NUM_FLOAT, .u.f = (x) })
#define B(x) ((NativertNum) { .kind = NATIVERT_NUM_BOOL, .u.b = (x) })

static void
check_same (const char *name, NativertNum got, NativertNum want)
{
  g_test_message ("%s", name);
  g_assert_cmpint (got.kind, ==, want.kind);
  if (want.kind == NATIVERT_NUM_INT)
    g_assert_cmpint (got.u.i, ==, want.u.i);
  else if (want.kind == NATIVERT_NUM_FLOAT)
    g_assert_cmpfloat (got.u.f, ==, want.u.f);
  else
    g_assert_cmpint (got.u.b, ==, want.u.b);
}

static void
test_binary (void)
{
  static const struct { const char *name; NativertNum a, b, want;
  } rows[] = {
    { "add", I (2), I (3), I (5) },
    { "add", I (2), F (0.5), F (2.5) },
    { "add", B (1), B (1), I (2) },
    { "floordiv", I (-7), I (2), I (-4) },
    { "floordiv", I (7), I (-2), I (-4) },
    { "floordiv", I (-8), I (2), I (-4) },
    { "mod", I (-7), I (2), I (1) },
    { "mod", I (7), I (-2), I (-1) },
    { "mod", I (8), I (2), I (0) },
    { "truediv", I (7), I (2), F (3.5) },
    { "pow", I (3), I (4), I (81) },
    { "pow", I (2), I (-1), F (0.5) },
    { "pow", I (-2), I (63), I (INT64_MIN) },
    { "sub", I (2), I (3), I (-1) },
    { "mul", F (1.5), I (4), F (6) },
    { "eq", I (2), F (2), B (1) },
    { "lt", I (2), I (2), B (0) },
    { "ge", I (2), I (2), B (1) },
    { "max", I (2), I (9), I (9) },
    { "min", I (2), F (9), F (2) },
    { "and_", B (1), B (0), B (0) },
    { "or_", B (1), B (0), B (1) },
    { "lshift", I (3), I (4), I (48) },
    { "rshift", I (-3), I (1), I (-2) },
  };
  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
    NativertNum x[] = { rows[i].a, rows[i].b }, got;
    g_assert_true (nativert_pynum (rows[i].name, x, 2, &got));
    check_same (rows[i].name, got, rows[i].want);
  }
}

static void
test_unary (void)
{
  static const struct { const char *name; NativertNum a, want;
  } rows[] = {
    { "neg", I (3), I (-3) },
    { "neg", F (3), F (-3) },
    { "not", B (1), B (0) },
    { "float", I (3), F (3) },
    { "int", F (-3.7), I (-3) },
    { "trunc", F (3.7), I (3) },
    { "ceil", F (3.2), I (4) },
    { "floor", F (-3.2), I (-4) },
    { "sqrt", I (9), F (3) },
    { "abs", I (-9), I (9) },
    { "round", F (2.5), I (2) },
  };
  NativertNum got, ite[] = { B (1), I (5), I (6) };
  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_assert_true (nativert_pynum (rows[i].name, &rows[i].a, 1, &got));
    check_same (rows[i].name, got, rows[i].want);
  }
  g_assert_true (nativert_pynum ("ite", ite, 3, &got));
  check_same ("ite", got, I (5));
}

/* What has no answer is refused, never undefined. */
static void
test_refused (void)
{
  static const struct { const char *name; NativertNum a, b;
  } rows[] = {
    { "floordiv", I (1), I (0) },
    { "mod", I (1), I (0) },
    { "truediv", I (1), I (0) },
    { "floordiv", I (INT64_MIN), I (-1) },
    { "add", I (INT64_MAX), I (1) },
    { "mul", I (INT64_MAX), I (2) },
    { "pow", I (10), I (40) },
    { "lshift", I (1), I (64) },
    { "lshift", I (1), I (-1) },
    { "matmul", I (1), I (1) },
    { "and_", F (1), F (1) },
  };
  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
    NativertNum x[] = { rows[i].a, rows[i].b }, got;
    g_assert_false (nativert_pynum (rows[i].name, x, 2, &got));
  }
  NativertNum big = F (1e300), least = I (INT64_MIN), got;
  g_assert_false (nativert_pynum ("int", &big, 1, &got));
  g_assert_false (nativert_pynum ("neg", &least, 1, &got));
  g_assert_false (nativert_pynum ("abs", &least, 1, &got));
}

/* torch.promote_types */
static void
test_promote (void)
{
  static const struct { uint8_t a, b, want;
  } rows[] = {
    { NATIVERT_BOOL, NATIVERT_U8, NATIVERT_U8 },
    { NATIVERT_U8, NATIVERT_I8, NATIVERT_I16 },
    { NATIVERT_U8, NATIVERT_I16, NATIVERT_I16 },
    { NATIVERT_U8, NATIVERT_I64, NATIVERT_I64 },
    { NATIVERT_I32, NATIVERT_I64, NATIVERT_I64 },
    { NATIVERT_I64, NATIVERT_F16, NATIVERT_F16 },
    { NATIVERT_I64, NATIVERT_F32, NATIVERT_F32 },
    { NATIVERT_F16, NATIVERT_BF16, NATIVERT_F32 },
    { NATIVERT_BF16, NATIVERT_F32, NATIVERT_F32 },
    { NATIVERT_F32, NATIVERT_F64, NATIVERT_F64 },
    { NATIVERT_F64, NATIVERT_C64, NATIVERT_C128 },
    { NATIVERT_F32, NATIVERT_C64, NATIVERT_C64 },
    { NATIVERT_I64, NATIVERT_C64, NATIVERT_C64 },
    { NATIVERT_F16, NATIVERT_C32, NATIVERT_C32 },
    { NATIVERT_F32, NATIVERT_C32, NATIVERT_C64 },
    { NATIVERT_BF16, NATIVERT_C32, NATIVERT_C64 },
    { NATIVERT_BOOL, NATIVERT_BOOL, NATIVERT_BOOL },
  };
  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_assert_cmpint (nativert_promote_dtypes (rows[i].a, rows[i].b), ==, rows[i].want);
    g_assert_cmpint (nativert_promote_dtypes (rows[i].b, rows[i].a), ==, rows[i].want);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan/numbers/binary", test_binary);
  g_test_add_func ("/plan/numbers/unary", test_unary);
  g_test_add_func ("/plan/numbers/refused", test_refused);
  g_test_add_func ("/plan/numbers/promote", test_promote);
  return g_test_run ();
}
