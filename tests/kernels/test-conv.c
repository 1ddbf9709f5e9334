/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every convolution row against the definition, in double: kernels, strides, borders, dilations, groups, residuals. */
#include <math.h>
#include <string.h>
#include "kernels/act.h"
#include "kernels/conv.h"
#include "kernels/rules.h"
#include "tests/kernels/rows.h"

typedef struct {
  int nd;
  int64_t n, cin, cout, groups, in[3], k[3], stride[3], pad[3], dil[3];
  bool bias, residual;
  uint8_t act;
} Case;

static void
make (Operation *o, const Case *c, GRand *rand, uint8_t dtype, int64_t list[3][3])
{
  int64_t x[5] = { c->n, c->cin }, w[5] = { c->cout, c->cin / c->groups };
  memset (o, 0, sizeof *o);
  for (int d = 0; d < c->nd; d++) {
    x[2 + d] = c->in[d];
    w[2 + d] = c->k[d];
    list[0][d] = c->stride[d];
    list[1][d] = c->pad[d];
    list[2][d] = c->dil[d];
  }
  o->op = NATIVERT_OP_nativert_conv;
  o->in[0] = random_view (rand, dtype, (uint32_t) c->nd + 2, x);
  o->in[1] = random_view (rand, dtype, (uint32_t) c->nd + 2, w);
  o->n_in = 2;
  o->n_out = 1;
  o->in_const[1] = true;
  uint32_t nd = (uint32_t) c->nd;
  NativertArg arg[] = { NATIVERT_T (0), NATIVERT_T (1), NATIVERT_NONE, NATIVERT_IS (list[0], nd),
    NATIVERT_IS (list[1], nd), NATIVERT_IS (list[2], nd), NATIVERT_I (c->groups), NATIVERT_NONE, NATIVERT_I (c->act),
    NATIVERT_F (-0.25), NATIVERT_F (0.5) };
  memcpy (o->arg, arg, sizeof arg);
  o->n_arg = G_N_ELEMENTS (arg);
  if (c->bias) {
    o->in[o->n_in] = random_view (rand, dtype, 1, &c->cout);
    o->in_const[o->n_in] = true;
    o->arg[2] = NATIVERT_T (o->n_in++);
  }
  operation_shape (o);
  if (c->residual) {
    o->in[o->n_in] = random_view (rand, dtype, o->out[0].ndim, o->out[0].size);
    o->arg[7] = NATIVERT_T (o->n_in++);
  }
}

/* One result by the definition; *size: the sum of absolute values, for the tolerance. */
static double
one (const Operation *o, const NativertConv *g, const int64_t *at, double *size)
{
  int64_t group_in = g->cin / g->groups, group = at[1] / (g->cout / g->groups);
  double sum = g->bias < 0 ? 0 : view_get (&o->in[g->bias], at[1]);
  *size = fabs (sum) + 1e-3;
  for (int64_t c = 0; c < group_in; c++)
    for (int64_t z = 0; z < g->k[0]; z++)
      for (int64_t y = 0; y < g->k[1]; y++)
        for (int64_t x = 0; x < g->k[2]; x++) {
          int64_t tap[3] = { z, y, x }, pos[3];
          bool out = false;
          for (int d = 0; d < 3; d++) {
            pos[d] = at[2 + d] * g->stride[d] + tap[d] * g->dil[d] - g->pad[d];
            out |= pos[d] < 0 || pos[d] >= g->in[d];
          }
          if (out)
            continue;
          int64_t xi
              = (((at[0] * g->cin + group * group_in + c) * g->in[0] + pos[0]) * g->in[1] + pos[1]) * g->in[2] + pos[2];
          int64_t wi = (((at[1] * group_in + c) * g->k[0] + z) * g->k[1] + y) * g->k[2] + x;
          double v = view_get (&o->in[0], xi) * view_get (&o->in[1], wi);
          sum += v;
          *size += fabs (v);
        }
  return sum;
}

static void
check (const Operation *o, const Prepared *r, void *user)
{
  const double *want = user;
  double eps = o->in[0].dtype == NATIVERT_F32 ? 1e-6 : 1e-14;
  for (int64_t i = 0; i < nativert_view_numel (&r->out[0]); i++) {
    double got = view_get (&r->out[0], i);
    if (!(fabs (got - want[2 * i]) <= eps * (want[2 * i + 1] + fabs (want[2 * i]))))
      g_error ("%s: result %ld is %.9g, want %.9g (sum of sizes %g)", r->row->name, (long) i, got, want[2 * i],
          want[2 * i + 1]);
  }
  g_test_message ("%s", r->row->name);
}

static void
try_case (const Case *c, uint8_t dtype, unsigned at_least)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  Operation o;
  int64_t list[3][3];
  NativertConv g;
  make (&o, c, rand, dtype, list);
  NativertPrep p = { .op = o.op, .arg = o.arg, .n_arg = o.n_arg, .n_in = o.n_in, .n_out = 1, .in = o.in, .out = o.out };
  g_assert_true (nativert_conv_describe (&p, &g));
  int64_t n = nativert_view_numel (&o.out[0]);
  g_autofree double *want = g_new (double, 2 * n);
  for (int64_t i = 0; i < n; i++) {
    int64_t at[5], rest = i, size[5] = { g.n, g.cout, g.out[0], g.out[1], g.out[2] };
    for (int d = 5; d-- > 0; rest /= size[d])
      at[d] = rest % size[d];
    double y = one (&o, &g, at, &want[2 * i + 1]);
    if (g.residual >= 0) {
      y += view_get (&o.in[g.residual], i);
      want[2 * i + 1] += fabs (y);
    }
    want[2 * i] = nativert_act_plain (g.act, y, g.act_a, g.act_b);
  }
  unsigned n_rows = operation_each_row (&o, check, want);
  g_assert_cmpuint (n_rows, >=, at_least);
  for (unsigned i = 0; i < o.n_in; i++)
    g_free (o.in[i].data);
}

static const Case cases[] = {
  /* nd n cin cout groups in k stride pad dil bias residual act */
  { 2, 1, 3, 8, 1, { 12, 12 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, true, false, 0 },
  { 2, 2, 3, 64, 1, { 21, 37 }, { 7, 7 }, { 2, 2 }, { 3, 3 }, { 1, 1 }, true, false, NATIVERT_ACT_RELU },
  { 2, 1, 3, 32, 1, { 33, 29 }, { 3, 3 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, true, false, NATIVERT_ACT_CLAMP },
  { 2, 1, 64, 64, 1, { 14, 14 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, true, true, NATIVERT_ACT_RELU },
  { 2, 1, 37, 50, 1, { 17, 19 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, false, true, NATIVERT_ACT_NONE },
  { 2, 1, 300, 13, 1, { 7, 7 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, true, false, NATIVERT_ACT_SILU },
  { 2, 3, 16, 24, 1, { 56, 9 }, { 1, 1 }, { 1, 1 }, { 0, 0 }, { 1, 1 }, true, true, NATIVERT_ACT_HARDSWISH },
  { 2, 1, 600, 7, 1, { 7, 7 }, { 1, 1 }, { 1, 1 }, { 0, 0 }, { 1, 1 }, true, false, NATIVERT_ACT_NONE },
  { 2, 2, 32, 64, 1, { 15, 15 }, { 1, 1 }, { 2, 2 }, { 0, 0 }, { 1, 1 }, true, false, NATIVERT_ACT_NONE },
  { 2, 2, 24, 24, 24, { 14, 14 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, true, false, NATIVERT_ACT_CLAMP },
  { 2, 1, 24, 24, 24, { 112, 112 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, true, false, NATIVERT_ACT_CLAMP },
  { 2, 1, 9, 9, 9, { 31, 57 }, { 3, 3 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, false, true, NATIVERT_ACT_SIGMOID },
  { 2, 1, 10, 20, 10, { 7, 7 }, { 5, 5 }, { 1, 1 }, { 2, 2 }, { 1, 1 }, true, false, NATIVERT_ACT_NONE },
  { 2, 1, 6, 6, 6, { 20, 23 }, { 7, 3 }, { 3, 2 }, { 3, 0 }, { 1, 2 }, true, false, NATIVERT_ACT_LEAKY_RELU },
  { 2, 1, 12, 18, 3, { 13, 11 }, { 3, 3 }, { 1, 1 }, { 2, 2 }, { 2, 2 }, true, false, NATIVERT_ACT_GELU },
  { 2, 1, 128, 128, 32, { 14, 14 }, { 3, 3 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, true, false, NATIVERT_ACT_RELU },
  { 2, 1, 4, 5, 1, { 6, 6 }, { 3, 3 }, { 1, 1 }, { 5, 5 }, { 1, 1 }, true, false, NATIVERT_ACT_TANH },
  { 2, 1, 3, 30, 1, { 32, 32 }, { 16, 16 }, { 16, 16 }, { 0, 0 }, { 1, 1 }, true, false, NATIVERT_ACT_NONE },
  { 2, 1, 8, 8, 1, { 9, 9 }, { 1, 7 }, { 1, 1 }, { 0, 3 }, { 1, 1 }, true, false, NATIVERT_ACT_GELU_TANH },
  { 2, 1, 1, 1, 1, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0, 0 }, { 1, 1 }, false, false, NATIVERT_ACT_HARDSIGMOID },
  { 2, 0, 3, 4, 1, { 5, 5 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, true, false, 0 },
  { 1, 2, 16, 12, 1, { 50 }, { 5 }, { 2 }, { 2 }, { 1 }, true, false, NATIVERT_ACT_NONE },
  { 1, 1, 16, 16, 16, { 40 }, { 31 }, { 1 }, { 15 }, { 1 }, true, false, NATIVERT_ACT_NONE },
  { 1, 1, 32, 32, 4, { 20 }, { 16 }, { 1 }, { 8 }, { 1 }, true, false, NATIVERT_ACT_NONE },
  { 3, 1, 3, 8, 1, { 5, 9, 10 }, { 3, 3, 3 }, { 1, 2, 2 }, { 1, 1, 1 }, { 1, 1, 1 }, true, true, NATIVERT_ACT_RELU },
  { 3, 1, 4, 6, 2, { 6, 7, 8 }, { 3, 1, 1 }, { 1, 1, 1 }, { 2, 0, 0 }, { 2, 1, 1 }, true, false, NATIVERT_ACT_NONE },
  { 3, 2, 6, 6, 6, { 4, 7, 7 }, { 3, 3, 3 }, { 1, 2, 2 }, { 1, 1, 1 }, { 1, 1, 1 }, true, false, NATIVERT_ACT_NONE },
};

static void
test_float (void)
{
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    try_case (&cases[i], NATIVERT_F32, 1);
}

static void
test_double (void)
{
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    try_case (&cases[i], NATIVERT_F64, 1);
}

/* Numbers that a hostile file could hold are refused with a reason. */
static void
test_refused (void)
{
  static const struct { int64_t stride, pad, dil, groups;
  } bad[] = {
    { 0, 0, 1, 1 },
    { -1, 0, 1, 1 },
    { 1, -1, 1, 1 },
    { 1, 0, 0, 1 },
    { 1, 0, 1, 0 },
    { 1, 0, 1, -4 },
    { 1, 0, 1, 3 },
    { 1, 0, 7, 1 },
    { 1, INT64_MAX, 1, 1 },
    { 1, 1, INT64_MAX, 1 },
    { INT64_MAX, 1, 1, 1 },
    { 1, 1, INT64_MIN, 1 },
    { 1, (int64_t) 1 << 30, 1, 1 },
  };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  Case c = { 2, 1, 4, 4, 1, { 9, 9 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, true, false, 0 };
  Operation o;
  int64_t list[3][3];
  make (&o, &c, rand, NATIVERT_F32, list);
  for (size_t i = 0; i < G_N_ELEMENTS (bad); i++) {
    for (int d = 0; d < 2; d++) {
      list[0][d] = bad[i].stride;
      list[1][d] = bad[i].pad;
      list[2][d] = bad[i].dil;
    }
    o.arg[6] = NATIVERT_I (bad[i].groups);
    NativertPrep p
        = { .op = o.op, .arg = o.arg, .n_arg = o.n_arg, .n_in = o.n_in, .n_out = 1, .in = o.in, .out = o.out };
    g_assert_false (nativert_ops[o.op].shape (&p));
    g_assert_cmpstr (p.reason, !=, "");
    g_test_message ("%s", p.reason);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/conv/float", test_float);
  g_test_add_func ("/kernels/conv/double", test_double);
  g_test_add_func ("/kernels/conv/refused", test_refused);
  return g_test_run ();
}
