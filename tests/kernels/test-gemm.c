/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every product row against the definition, in double: ranks, broadcasting, transposed and strided factors, addends. */
#include <math.h>
#include <string.h>
#include "kernels/act.h"
#include "kernels/rules.h"
#include "tests/kernels/rows.h"

/* Sizes as the operator sees them; `swap` exchanges the last two dimensions in memory (a transposed view). */
typedef struct {
  uint16_t op;
  int a_n, b_n;
  int64_t a[5], b[5];
  bool swap_a, swap_b, add, residual, weight;
  uint8_t act;
  double alpha, beta;
} Case;

static NativertView
view_of (GRand *rand, uint8_t dtype, int n, const int64_t *size, bool swap)
{
  int64_t stored[8];
  memcpy (stored, size, (size_t) n * sizeof *size);
  if (swap) {
    stored[n - 1] = size[n - 2];
    stored[n - 2] = size[n - 1];
  }
  NativertView v = random_view (rand, dtype, (uint32_t) n, stored);
  if (swap) {
    int64_t stride = v.stride[n - 1];
    v.stride[n - 1] = v.stride[n - 2];
    v.stride[n - 2] = stride;
    v.size[n - 1] = size[n - 1];
    v.size[n - 2] = size[n - 2];
  }
  return v;
}

static void
make (Operation *o, const Case *c, GRand *rand, uint8_t dtype)
{
  bool linear = c->op == NATIVERT_OP_nativert_linear, added = !linear && c->add;
  memset (o, 0, sizeof *o);
  o->op = c->op;
  o->n_out = 1;
  int first = added ? 1 : 0;
  o->in[first] = view_of (rand, dtype, c->a_n, c->a, c->swap_a);
  o->in[first + 1] = view_of (rand, dtype, c->b_n, c->b, c->swap_b);
  o->in_const[first + 1] = c->weight;
  o->n_in = (uint16_t) (first + 2);
  if (linear) {
    NativertArg arg[] = { NATIVERT_T (0), NATIVERT_T (1), NATIVERT_NONE, NATIVERT_NONE, NATIVERT_I (c->act),
      NATIVERT_F (-0.5), NATIVERT_F (0.5) };
    if (c->add) {
      o->in[o->n_in] = random_view (rand, dtype, 1, &c->b[0]);
      arg[2] = NATIVERT_T (o->n_in++);
    }
    memcpy (o->arg, arg, sizeof arg);
    o->n_arg = G_N_ELEMENTS (arg);
    operation_shape (o);
    if (c->residual) {
      o->in[o->n_in] = random_view (rand, dtype, o->out[0].ndim, o->out[0].size);
      o->arg[3] = NATIVERT_T (o->n_in++);
    }
    return;
  }
  if (added) {
    int64_t bias = c->b[c->b_n - 1];
    o->in[0] = random_view (rand, dtype, 1, &bias);
    o->arg[0] = NATIVERT_T (0);
    o->arg[3] = NATIVERT_F (c->beta);
    o->arg[4] = NATIVERT_F (c->alpha);
    o->n_arg = 5;
  } else
    o->n_arg = 2;
  o->arg[first] = NATIVERT_T (first);
  o->arg[first + 1] = NATIVERT_T (first + 1);
  operation_shape (o);
}

/* The definition: result number i as a sum over k, independent of NativertGemm. */
static double
one (const Operation *o, const Case *c, int64_t i, double *size)
{
  bool linear = c->op == NATIVERT_OP_nativert_linear;
  int first = !linear && c->add ? 1 : 0;
  const NativertView *a = &o->in[first], *b = &o->in[first + 1], *out = &o->out[0];
  int64_t at[8] = { 0 }, rest = i, ka = a->size[a->ndim - 1];
  for (int d = out->ndim; d-- > 0; rest /= out->size[d])
    at[d] = rest % out->size[d];
  int64_t column = b->ndim == 1 ? 0 : at[out->ndim - 1],
          row = a->ndim == 1 ? 0 : at[out->ndim - (b->ndim == 1 ? 1 : 2)];
  int lead = out->ndim - (a->ndim > 1) - (b->ndim > 1);
  int64_t off_a = row * (a->ndim > 1 ? a->stride[a->ndim - 2] : 0), off_b = 0,
          step_b = b->stride[b->ndim == 1 ? 0 : b->ndim - 2];
  if (linear) {
    off_b = column * b->stride[0];
    step_b = b->stride[1];
  } else if (b->ndim > 1)
    off_b = column * b->stride[b->ndim - 1];
  for (int d = 0; d < a->ndim - 2; d++)
    off_a += a->size[d] == 1 ? 0 : at[lead - (a->ndim - 2) + d] * a->stride[d];
  for (int d = 0; !linear && d < b->ndim - 2; d++)
    off_b += b->size[d] == 1 ? 0 : at[lead - (b->ndim - 2) + d] * b->stride[d];
  double sum = 0;
  *size = 1e-3;
  for (int64_t k = 0; k < ka; k++) {
    int64_t ia = off_a + k * a->stride[a->ndim - 1], ib = off_b + k * step_b;
    double x = a->dtype == NATIVERT_F32 ? (double) ((float *) a->data)[ia] : ((double *) a->data)[ia];
    double y = a->dtype == NATIVERT_F32 ? (double) ((float *) b->data)[ib] : ((double *) b->data)[ib];
    sum += x * y;
    *size += fabs (x * y);
  }
  sum *= first ? c->alpha : 1;
  if (first)
    sum += c->beta * view_get (&o->in[0], column);
  if (linear && c->add)
    sum += view_get (&o->in[2], column);
  if (linear && c->residual)
    sum += view_get (&o->in[c->add ? 3 : 2], i);
  *size += fabs (sum);
  return linear ? nativert_act_plain (c->act, sum, -0.5, 0.5) : sum;
}

static void
check (const Operation *o, const Prepared *r, void *user)
{
  double size, eps = o->in[0].dtype == NATIVERT_F32 ? 2e-6 : 1e-14;
  for (int64_t i = 0; i < nativert_view_numel (&r->out[0]); i++) {
    double got = view_get (&r->out[0], i), want = one (o, user, i, &size);
    if (!(fabs (got - want) <= eps * size))
      g_error ("%s: result %ld is %.9g, want %.9g (sum of sizes %g)", r->row->name, (long) i, got, want, size);
  }
  g_test_message ("%s", r->row->name);
}

#define LINEAR NATIVERT_OP_nativert_linear
static const Case cases[] = {
  /* op a_n b_n a b swap_a swap_b add residual weight act */
  { LINEAR, 2, 2, { 1, 700 }, { 130, 700 }, false, false, true, false, true, NATIVERT_ACT_RELU },
  { LINEAR, 2, 2, { 3, 64 }, { 9, 64 }, false, false, true, true, true, NATIVERT_ACT_GELU },
  { LINEAR, 2, 2, { 4, 33 }, { 5, 33 }, false, false, false, false, true, 0 },
  { LINEAR, 3, 2, { 2, 50, 96 }, { 100, 96 }, false, false, true, true, true, NATIVERT_ACT_SILU },
  { LINEAR, 3, 2, { 2, 197, 384 }, { 70, 384 }, false, false, true, false, true, 0 },
  { LINEAR, 4, 2, { 2, 5, 7, 48 }, { 33, 48 }, false, false, true, true, false, NATIVERT_ACT_CLAMP },
  { LINEAR, 4, 2, { 2, 5, 7, 48 }, { 33, 48 }, true, false, true, false, true, NATIVERT_ACT_TANH },
  { LINEAR, 1, 2, { 40 }, { 33, 40 }, false, false, true, false, true, 0 },
  { NATIVERT_OP_mm_default, 2, 2, { 37, 700 }, { 700, 45 } },
  { NATIVERT_OP_mm_default, 2, 2, { 300, 20 }, { 20, 1100 }, true, true },
  { NATIVERT_OP_mm_default, 2, 2, { 50, 20 }, { 20, 3 }, false, true },
  { NATIVERT_OP_mm_default, 2, 2, { 6, 16 }, { 16, 16 }, false, false, false, false, true },
  { NATIVERT_OP_mm_default, 2, 2, { 5, 0 }, { 0, 4 } },
  { NATIVERT_OP_mm_default, 2, 2, { 0, 3 }, { 3, 4 } },
  { NATIVERT_OP_bmm_default, 3, 3, { 6, 49, 32 }, { 6, 32, 49 }, false, true },
  { NATIVERT_OP_bmm_default, 3, 3, { 4, 17, 49 }, { 4, 49, 32 }, true, false },
  { NATIVERT_OP_addmm_default, 2, 2, { 19, 64 }, { 64, 40 }, false, true, true, false, true, 0, 1, 1 },
  { NATIVERT_OP_addmm_default, 2, 2, { 19, 64 }, { 64, 40 }, false, false, true, false, false, 0, 0.5, 2 },
  { NATIVERT_OP_addmm_default, 2, 2, { 2, 64 }, { 64, 40 }, false, true, true, false, false, 0, 0.5, 2 },
  { NATIVERT_OP_baddbmm_default, 3, 3, { 3, 9, 8 }, { 3, 8, 40 }, false, false, true, false, false, 0, 0.25, 1 },
  { NATIVERT_OP_matmul_default, 1, 1, { 77 }, { 77 } },
  { NATIVERT_OP_matmul_default, 1, 2, { 20 }, { 20, 9 } },
  { NATIVERT_OP_matmul_default, 2, 1, { 9, 20 }, { 20 } },
  { NATIVERT_OP_matmul_default, 3, 2, { 4, 9, 20 }, { 20, 31 } },
  { NATIVERT_OP_matmul_default, 2, 3, { 9, 20 }, { 4, 20, 31 } },
  { NATIVERT_OP_matmul_default, 4, 4, { 2, 3, 9, 20 }, { 2, 3, 20, 31 } },
  { NATIVERT_OP_matmul_default, 4, 4, { 2, 1, 9, 20 }, { 1, 3, 20, 31 }, true, true },
  { NATIVERT_OP_matmul_default, 5, 3, { 2, 3, 4, 9, 20 }, { 4, 20, 31 } },
  { NATIVERT_OP_matmul_default, 3, 1, { 4, 9, 20 }, { 20 } },
  { NATIVERT_OP_matmul_default, 1, 3, { 20 }, { 4, 20, 31 } },
  { NATIVERT_OP_mv_default, 2, 1, { 300, 65 }, { 65 } },
  { NATIVERT_OP_dot_default, 1, 1, { 1000 }, { 1000 } },
};

static void
test_dtype (gconstpointer dtype)
{
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (11);
    Operation o;
    make (&o, &cases[i], rand, (uint8_t) GPOINTER_TO_INT (dtype));
    g_test_message ("case %zu", i);
    g_assert_cmpuint (operation_each_row (&o, check, (void *) &cases[i]), >=, 1);
    for (unsigned k = 0; k < o.n_in; k++)
      g_free (o.in[k].data);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/kernels/gemm/float", GINT_TO_POINTER (NATIVERT_F32), test_dtype);
  g_test_add_data_func ("/kernels/gemm/double", GINT_TO_POINTER (NATIVERT_F64), test_dtype);
  return g_test_run ();
}
