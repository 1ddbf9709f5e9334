/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every attention row against the plain one: masks, causality, grouped heads, packed and transposed operands. */
#include <math.h>
#include <string.h>
#include "kernels/rules.h"
#include "tests/kernels/rows.h"

typedef struct {
  int64_t n, heads, kv_heads, l, s, e, ev;
  int mask;
  bool causal, packed;
  double scale;
} Case; /* mask: 0, 'b', 'f' */

static const Case cases[] = {
  { 1, 1, 1, 1, 1, 1, 1 },
  { 2, 3, 3, 17, 33, 16, 16 },
  { 1, 2, 2, 197, 197, 64, 64 },
  { 1, 2, 2, 400, 300, 20, 24 },
  { 2, 4, 4, 49, 49, 32, 32, 'f' },
  { 2, 4, 4, 20, 300, 32, 32, 'b' },
  { 1, 2, 2, 300, 300, 24, 24, 0, true },
  { 1, 6, 2, 30, 40, 16, 16, 'b' },
  { 2, 3, 3, 50, 50, 48, 48, 0, false, true },
  { 1, 2, 2, 5, 700, 96, 96, 'f', false, false, 0.3 },
};

static void
check (const Operation *o, const Prepared *r, void *user)
{
  double *want = user;
  bool first = !strcmp (r->row->name, "attention-plain");
  for (int64_t i = 0; i < nativert_view_numel (&r->out[0]); i++) {
    double got = view_get (&r->out[0], i);
    if (first)
      want[i] = got;
    else if (!(fabs (got - want[i]) <= 3e-6))
      g_error ("%s: result %ld is %.9g, want %.9g", r->row->name, (long) i, got, want[i]);
  }
  g_test_message ("%s", r->row->name);
}

static void
try_case (const Case *c)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  Operation o = { .op = NATIVERT_OP_scaled_dot_product_attention_default, .n_arg = 8, .n_in = 3, .n_out = 1 };
  int64_t q[] = { c->n, c->heads, c->l, c->e }, k[] = { c->n, c->kv_heads, c->s, c->e },
          v[] = { c->n, c->kv_heads, c->s, c->ev };
  int64_t m[] = { c->n, 1, c->l, c->s }, all[] = { c->n, c->l, 3, c->heads, c->e };
  NativertView packed = random_view (rand, NATIVERT_F32, 5, all);
  o.in[0] = random_view (rand, NATIVERT_F32, 4, q);
  o.in[1] = random_view (rand, NATIVERT_F32, 4, k);
  o.in[2] = random_view (rand, NATIVERT_F32, 4, v);
  for (int i = 0; c->packed && i < 3; i++) {    /* views of one projection, as vision transformers have them */
    o.in[i].data = (float *) packed.data + i * packed.stride[2];
    o.in[i].stride[0] = packed.stride[0];
    o.in[i].stride[1] = packed.stride[3];
    o.in[i].stride[2] = packed.stride[1];
    o.in[i].stride[3] = 1;
  }
  NativertArg arg[] = { NATIVERT_T (0), NATIVERT_T (1), NATIVERT_T (2), NATIVERT_NONE, NATIVERT_F (0),
    NATIVERT_B (c->causal), NATIVERT_NONE, NATIVERT_B (c->heads != c->kv_heads) };
  if (c->scale != 0)
    arg[6] = NATIVERT_F (c->scale);
  if (c->mask) {
    o.in[3] = random_view (rand, NATIVERT_F32, 4, m);
    if (c->mask == 'b') {
      float *from = o.in[3].data;
      uint8_t *to = o.in[3].data;
      for (int64_t i = 0; i < nativert_view_numel (&o.in[3]); i++)
        to[i] = from[i] > 0 && i / c->s % c->l != 1;    /* query 1 sees nothing */
      o.in[3].dtype = NATIVERT_BOOL;
    }
    arg[3] = NATIVERT_T (3);
    o.n_in = 4;
  }
  memcpy (o.arg, arg, sizeof arg);
  operation_shape (&o);
  if (c->packed) {                              /* torch writes [batch, query, head, e] and shows it transposed */
    o.out[0].stride[1] = c->ev;
    o.out[0].stride[2] = c->ev * c->heads;
  }
  g_autofree double *want = g_new (double, nativert_view_numel (&o.out[0]));
  g_assert_cmpuint (operation_each_row (&o, check, want), >=, 2);
}

static void
test_rows (void)
{
  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    try_case (&cases[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/attention/rows", test_rows);
  return g_test_run ();
}
