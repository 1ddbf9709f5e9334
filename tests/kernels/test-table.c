/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks the tables: every operator can be computed, every special pointwise row equals the plain one, and the float functions
 * that rows use are near libm's. */
#include <float.h>
#include <math.h>
#include <string.h>
#include <glib.h>
#include "kernels/rules.h"
#include "kernels/vmath.h"

enum { MOST = 1031, GUARD = 64 };

static bool
has_plain_row (uint16_t op, int dtype)
{
  for (size_t s = 0; nativert_kernel_sets[s]; s++)
    for (size_t i = 0; i < nativert_kernel_sets[s]->n; i++) {
      const NativertKernel *k = &nativert_kernel_sets[s]->rows[i];
      if (k->op == op && k->needs == 0 && (dtype < 0 || k->dtype == dtype))
        return true;
    }
  return false;
}

/* Nobody is left without a way to be computed. */
static void
test_operators (void)
{
  for (uint16_t i = 0; i < NATIVERT_N_OPS; i++) {
    const NativertOp *o = &nativert_ops[i];
    g_assert_nonnull (o->schema);
    if (!o->shape && !o->view && !o->expand)
      g_error ("%s: neither view, expand nor shape", o->name);
    if (o->shape && !has_plain_row (i, -1))
      g_error ("%s: no plain row", o->name);
  }
}

/* Special rows stand beside a plain one of the same operator and dtype. */
static void
test_rows (void)
{
  for (size_t s = 0; nativert_kernel_sets[s]; s++)
    for (size_t i = 0; i < nativert_kernel_sets[s]->n; i++) {
      const NativertKernel *k = &nativert_kernel_sets[s]->rows[i];
      g_assert_true (k->op < NATIVERT_N_OPS && k->dtype < NATIVERT_N_DTYPES && k->prepare && k->fn && k->name);
      if (k->needs && !has_plain_row (k->op, k->dtype))
        g_error ("%s (%s): no plain row", nativert_ops[k->op].name, nativert_dtype_name (k->dtype));
    }
}

/* Rows with polynomials may differ in the last bits where an instruction set has fused products. */
static bool
is_math (const char *name)
{
  static const char *const names[] = { "exp", "log", "tanh", "erf", "sigmoid", "silu", "gelu", "mish", "selu", "elu", "softplus", "gamma", NULL };
  for (int i = 0; names[i]; i++)
    if (strstr (name, names[i]))
      return true;
  return false;
}

static uint32_t
operands_of (const NativertKernel *k)
{
  const char *schema = nativert_ops[k->op].schema, *stop = strstr (schema, "->");
  uint32_t n = 0;
  for (const char *at = schema; (at = strstr (at, "Tensor ")) && at < stop; at++)
    n++;
  return n;
}

static const float special[] = { 0, -0.f, 1, -1, 0.5f, 2, -2, 3, 88, -88, 104, 1e-6f, -1e-6f, 1e-40f, 1e30f, -1e30f, 6, -3, INFINITY, -INFINITY, NAN };

static void
fill (GRand *rand, char *data, bool is_bool, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    float f = g_rand_int_range (rand, 0, 4) == 0 ? special[g_rand_int_range (rand, 0, G_N_ELEMENTS (special))]
        : (float) g_rand_double_range (rand, -8, 8);
    if (is_bool)
      data[i] = f > 0;
    else
      memcpy (data + i * 4, &f, 4);
  }
}

static bool
near (float a, float b)
{
  if (isnan (a) || isnan (b))
    return isnan (a) && isnan (b);
  return a == b || fabsf (a - b) <= 3e-7f + 2e-6f * fabsf (b);
}

typedef struct { char *base[6]; char bytes[6][MOST * 8 + 2 * GUARD]; } Buffers;

/* Runs one loop; mode bits: operand i is constant; stride 2; in place of the first input. */
static void
run_loop (const NativertKernel *k, Buffers *b, uint32_t n_in, int64_t n, uint32_t constants, int64_t step, bool in_place)
{
  const NativertOp *o = &nativert_ops[k->op];
  bool bool_out = o->flags & NATIVERT_FLAG_BOOL;
  int64_t stride[6] = { (bool_out ? 1 : 4) * step };
  char *p[6];
  memset (b->bytes[0], 0x5a, sizeof b->bytes[0]);
  for (uint32_t i = 0; i <= n_in; i++)
    p[i] = b->bytes[i] + GUARD;
  for (uint32_t i = 1; i <= n_in; i++)
    stride[i] = constants & 1u << i ? 0 : (i <= o->dispatch ? 1 : 4) * step;
  if (in_place) {
    memcpy (p[0], p[1], (size_t) (n * step * 4));
    p[1] = p[0];
  }
  k->loop (p, stride, n);
}

static void
compare_rows (GRand *rand, const NativertKernel *plain, const NativertKernel *fast)
{
  static const int64_t sizes[] = { 0, 1, 7, 8, 9, 15, 16, 17, 33, 257, 1030 };
  static Buffers a, b;
  const NativertOp *o = &nativert_ops[plain->op];
  uint32_t n_in = operands_of (plain);
  bool bool_out = o->flags & NATIVERT_FLAG_BOOL, math = is_math (o->name);
  for (uint32_t s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (uint32_t constants = 0; constants < 2u << n_in; constants += 2)
      for (int mode = 0; mode < 3; mode++) {
        int64_t n = sizes[s], step = mode == 1 ? 2 : 1;
        bool in_place = mode == 2 && !bool_out && o->dispatch == 0 && !(constants & 2);
        for (uint32_t i = 1; i <= n_in; i++) {
          fill (rand, a.bytes[i] + GUARD, i <= o->dispatch, MOST);
          memcpy (b.bytes[i], a.bytes[i], sizeof a.bytes[i]);
        }
        run_loop (plain, &a, n_in, n, constants, step, in_place);
        run_loop (fast, &b, n_in, n, constants, step, in_place);
        if (!math && memcmp (a.bytes[0], b.bytes[0], sizeof a.bytes[0]))
          for (int64_t i = 0; i < n * step; i++) {
            float x, y;
            memcpy (&x, a.bytes[0] + GUARD + i * 4, 4);
            memcpy (&y, b.bytes[0] + GUARD + i * 4, 4);
            bool same_nan = !bool_out && x != x && y != y;      /* which NaN is not said */
            if (!same_nan && memcmp (&x, &y, 4))
              g_error ("%s: %s and %s differ at %d of %d: %.9g, %.9g", o->name, plain->name, fast->name, (int) i, (int) n, (double) x, (double) y);
          }
        for (int64_t i = 0; math && !bool_out && i < n; i++) {
          float x, y;
          memcpy (&x, a.bytes[0] + GUARD + i * 4 * step, 4);
          memcpy (&y, b.bytes[0] + GUARD + i * 4 * step, 4);
          if (!near (y, x))
            g_error ("%s: %s and %s at %d of %d: %.9g, %.9g", o->name, plain->name, fast->name, (int) i, (int) n, (double) x, (double) y);
        }
        size_t end = GUARD + (size_t) (n * step) * (bool_out ? 1 : 4);
        for (size_t i = 0; i < GUARD; i++)
          g_assert_true (b.bytes[0][i] == 0x5a && b.bytes[0][end + i] == 0x5a);
      }
}

static void
test_pointwise (void)
{
  uint32_t have = nativert_cpu_features (), n = 0;
  GRand *rand = g_rand_new_with_seed (7);
  for (size_t s = 0; nativert_kernel_sets[s]; s++)
    for (size_t i = 0; i < nativert_kernel_sets[s]->n; i++) {
      const NativertKernel *fast = &nativert_kernel_sets[s]->rows[i], *plain = NULL;
      if (!fast->loop || !fast->needs || (fast->needs & ~have) || fast->dtype != NATIVERT_F32)
        continue;
      for (size_t t = 0; nativert_kernel_sets[t]; t++)
        for (size_t j = 0; j < nativert_kernel_sets[t]->n; j++) {
          const NativertKernel *k = &nativert_kernel_sets[t]->rows[j];
          if (k->op == fast->op && k->dtype == fast->dtype && k->needs == 0)
            plain = k;
        }
      g_assert_nonnull (plain);
      compare_rows (rand, plain, fast);
      n++;
    }
  g_test_message ("%u rows", n);
  g_rand_free (rand);
}

/* Units in the last place between got and the exact value. */
static double
ulps (float got, double want)
{
  int e;
  if (isnan (want) || isinf (want) || fabs (want) > FLT_MAX)
    return isnan (want) ? (isnan (got) ? 0 : 1e9) : got == (float) want ? 0 : 1e9;
  frexp (want, &e);
  return fabs ((double) got - want) / ldexp (1, (e < -125 ? -125 : e) - 24);
}

static void
test_functions (void)
{
  static const struct { const char *name; float (*own) (float); double (*libm) (double); double most; float from, to; } f[] = {
    { "exp", nativert_expf, exp, 2, -104, 89 }, { "log", nativert_logf, log, 2, 0, 1e4f }, { "tanh", nativert_tanhf, tanh, 2, -12, 12 },
    { "erf", nativert_erff, erf, 2, -5, 5 },
  };
  for (uint32_t k = 0; k < G_N_ELEMENTS (f); k++) {
    double worst = 0;
    for (int i = 0; i <= 400000; i++) {
      float x = f[k].from + (f[k].to - f[k].from) * (float) i / 400000.f;
      worst = fmax (worst, ulps (f[k].own (x), f[k].libm ((double) x)));
      float small = ldexpf (x, -(i % 40));
      worst = fmax (worst, ulps (f[k].own (small), f[k].libm ((double) small)));
    }
    g_test_message ("%s: %.2f ulp", f[k].name, worst);
    g_assert_cmpfloat (worst, <=, f[k].most);
    for (uint32_t i = 0; i < G_N_ELEMENTS (special); i++)
      g_assert_cmpfloat (ulps (f[k].own (special[i]), f[k].libm ((double) special[i])), <=, f[k].most);
  }
}

/* Every half goes to float and back; every float rounds to the nearest half, ties to even. */
static void
test_halves (void)
{
  for (uint32_t i = 0; i < 65536; i++) {
    nativert_f16 h = { (uint16_t) i };
    nativert_bf16 b = { (uint16_t) i };
    float x = nativert_load_f16 (h), y = nativert_load_bf16 (b);
    if (x == x)
      g_assert_cmpuint (nativert_store_f16 (x).bits, ==, i);
    if (y == y)
      g_assert_cmpuint (nativert_store_bf16 (y).bits, ==, i);
    if (x == x && !isinf (x) && (i & 0x7fff) < 0x7bff) {
      float next = nativert_load_f16 ((nativert_f16) { (uint16_t) (i + 1) }), middle = x + (next - x) / 2;
      g_assert_cmpuint (nativert_store_f16 (middle).bits, ==, i & 1 ? i + 1 : i);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/table/operators", test_operators);
  g_test_add_func ("/kernels/table/rows", test_rows);
  g_test_add_func ("/kernels/table/pointwise", test_pointwise);
  g_test_add_func ("/kernels/table/functions", test_functions);
  g_test_add_func ("/kernels/table/halves", test_halves);
  return g_test_run ();
}
