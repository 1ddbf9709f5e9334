/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All matrix products in one form: which dimensions are batch, row, column and sum, with checks of every size. */
#include <string.h>
#include "kernels/args.h"
#include "kernels/gemm.h"
#include "kernels/ops.h"

typedef struct { int64_t size[NATIVERT_MAX_DIMS]; int n; } Batch;     /* result batch dimensions, outermost first */

/* Batch strides of v's leading dimensions, aligned at the end of the result's; 0 where v is broadcast. */
static bool
batch_strides (
    NativertPrep *p, const Batch *batch, const NativertView *v, int n_lead, int64_t *stride, const char *what)
{
  int shift = batch->n - n_lead;
  if (shift < 0)
    return nativert_no (p, "%s has %d batch dimensions, result %d", what, n_lead, batch->n);
  for (int d = 0; d < batch->n; d++) {
    stride[d] = 0;
    if (d < shift || v->size[d - shift] == 1)
      continue;
    if (v->size[d - shift] != batch->size[d])
      return nativert_no (
          p, "%s has batch size %lld, result %lld", what, (long long) v->size[d - shift], (long long) batch->size[d]);
    stride[d] = v->stride[d - shift];
  }
  return true;
}

static bool
merge_batch (NativertPrep *p, Batch *batch, const NativertView *v, int n_lead)
{
  if (n_lead > batch->n) {
    int more = n_lead - batch->n;
    memmove (batch->size + more, batch->size, (size_t) batch->n * sizeof batch->size[0]);
    for (int d = 0; d < more; d++)
      batch->size[d] = 1;
    batch->n = n_lead;
  }
  for (int d = 0; d < n_lead; d++) {
    int64_t *to = &batch->size[batch->n - n_lead + d];
    if (*to == 1)
      *to = v->size[d];
    else if (v->size[d] != 1 && v->size[d] != *to)
      return nativert_no (p, "batch sizes %lld and %lld do not broadcast", (long long) *to, (long long) v->size[d]);
  }
  return true;
}

typedef struct {
  Batch batch;
  bool a_vector, b_vector, fold_rows;           /* fold_rows: batch dimensions that a alone has may become rows */
  int64_t stride[5][NATIVERT_MAX_DIMS];         /* a, b, c, add, residual */
} Work;

static NativertGemmSide *
side_of (NativertGemm *g, int i)
{
  NativertGemmSide *const side[] = { &g->a, &g->b, &g->c, &g->add, &g->residual };
  return side[i];
}

/* Can dimension d of the batch be walked together with d + 1 as one? */
static bool
joins (const Work *w, int d)
{
  for (int i = 0; i < 5; i++)
    if (w->stride[i][d] != w->stride[i][d + 1] * w->batch.size[d + 1])
      return false;
  return true;
}

/* The innermost batch dimension becomes rows when b is the same for all of it and every other side's rows continue. */
static bool
becomes_rows (const Work *w, const NativertGemm *g, int d)
{
  if (w->stride[1][d] != 0)
    return false;
  const NativertGemmSide *side[] = { &g->a, NULL, &g->c, &g->add, &g->residual };
  for (int i = 0; i < 5; i++)
    if (side[i] && w->stride[i][d] != side[i]->row * g->m)
      return false;
  return true;
}

static bool
settle_batch (NativertPrep *p, Work *w, NativertGemm *g)
{
  Batch *batch = &w->batch;
  int n = 0;
  for (int d = 0; d < batch->n; d++) {          /* drop dimensions of one */
    if (batch->size[d] == 1)
      continue;
    batch->size[n] = batch->size[d];
    for (int i = 0; i < 5; i++)
      w->stride[i][n] = w->stride[i][d];
    n++;
  }
  for (int d = n - 2; d >= 0; d--) {
    if (!joins (w, d))
      continue;
    batch->size[d] *= batch->size[d + 1];
    for (int i = 0; i < 5; i++)
      w->stride[i][d] = w->stride[i][d + 1];
    for (int k = d + 1; k + 1 < n; k++) {
      batch->size[k] = batch->size[k + 1];
      for (int i = 0; i < 5; i++)
        w->stride[i][k] = w->stride[i][k + 1];
    }
    n--;
  }
  while (n > 0 && g->m == 1 && w->stride[1][n - 1] == 0) {      /* one row: the dimension itself is the rows */
    for (int i = 0; i < 5; i++)
      if (i != 1)
        side_of (g, i)->row = w->stride[i][n - 1];
    g->m = batch->size[--n];
  }
  while (n > 0 && becomes_rows (w, g, n - 1))
    g->m *= batch->size[--n];
  if (n > NATIVERT_GEMM_BATCH_DIMS)
    return nativert_no (p, "product over %d separate batch dimensions, at most %d", n, NATIVERT_GEMM_BATCH_DIMS);
  g->n_batch = 1;
  for (int d = 0; d < NATIVERT_GEMM_BATCH_DIMS; d++) {
    int from = d - (NATIVERT_GEMM_BATCH_DIMS - n);
    g->size[d] = from < 0 ? 1 : batch->size[from];
    g->n_batch *= g->size[d];
    for (int i = 0; i < 5; i++)
      side_of (g, i)->batch[d] = from < 0 ? 0 : w->stride[i][from];
  }
  return true;
}

/* An operand that is broadcast to the whole result. */
static bool
read_addend (NativertPrep *p, Work *w, NativertGemm *g, int arg, int side, const char *what)
{
  const NativertView *v = arg < 0 ? NULL : nativert_arg_view (p, (unsigned) arg);
  NativertGemmSide *s = side_of (g, side);
  if (!v)
    return true;
  if (v->dtype != p->in[g->a.in].dtype)
    return nativert_no (
        p, "%s is %s, product %s", what, nativert_dtype_name (v->dtype), nativert_dtype_name (p->in[g->a.in].dtype));
  int last = v->ndim;
  if (!w->b_vector && last > 0) {
    last--;
    if (v->size[last] != 1 && v->size[last] != g->n)
      return nativert_no (p, "%s has %lld columns, product %lld", what, (long long) v->size[last], (long long) g->n);
    s->col = v->size[last] == 1 ? 0 : v->stride[last];
  }
  if (!w->a_vector && last > 0) {
    last--;
    if (v->size[last] != 1 && v->size[last] != g->m)
      return nativert_no (p, "%s has %lld rows, product %lld", what, (long long) v->size[last], (long long) g->m);
    s->row = v->size[last] == 1 ? 0 : v->stride[last];
  }
  s->in = (int8_t) nativert_arg_index (p, (unsigned) arg);
  return batch_strides (p, &w->batch, v, last, w->stride[side], what);
}

static bool
read_factors (NativertPrep *p, Work *w, NativertGemm *g, unsigned arg_a, unsigned arg_b, bool b_transposed)
{
  const NativertView *a = nativert_arg_view (p, arg_a), *b = nativert_arg_view (p, arg_b);
  if (!a || !b)
    return nativert_no (p, "product without two factors");
  if (a->dtype != b->dtype)
    return nativert_no (p, "product of %s and %s", nativert_dtype_name (a->dtype), nativert_dtype_name (b->dtype));
  if (a->ndim < 1 || b->ndim < 1)
    return nativert_no (p, "product of %d and %d dimensions", a->ndim, b->ndim);
  w->a_vector = a->ndim == 1;
  w->b_vector = b->ndim == 1;
  g->a.in = (int8_t) nativert_arg_index (p, arg_a);
  g->b.in = (int8_t) nativert_arg_index (p, arg_b);
  g->k = a->size[a->ndim - 1];
  g->a.col = a->stride[a->ndim - 1];
  g->m = w->a_vector ? 1 : a->size[a->ndim - 2];
  g->a.row = w->a_vector ? 0 : a->stride[a->ndim - 2];
  int b_k = w->b_vector ? 0 : b_transposed ? b->ndim - 1 : b->ndim - 2, b_n = b_transposed ? b->ndim - 2 : b->ndim - 1;
  g->b.row = b->stride[b_k];
  g->n = w->b_vector ? 1 : b->size[b_n];
  g->b.col = w->b_vector ? 0 : b->stride[b_n];
  if (b->size[b_k] != g->k)
    return nativert_no (p, "product sums over %lld and %lld elements", (long long) g->k, (long long) b->size[b_k]);
  int lead_a = w->a_vector ? 0 : a->ndim - 2, lead_b = w->b_vector ? 0 : b->ndim - 2;
  return merge_batch (p, &w->batch, a, lead_a) && merge_batch (p, &w->batch, b, lead_b)
    && batch_strides (p, &w->batch, a, lead_a, w->stride[0], "first factor")
    && batch_strides (p, &w->batch, b, lead_b, w->stride[1], "second factor");
}

static bool
want_rank (NativertPrep *p, unsigned arg, int rank)
{
  const NativertView *v = nativert_arg_view (p, arg);
  return (v && v->ndim == rank)
      || nativert_no (p, "argument %u has %d dimensions, want %d", arg, v ? v->ndim : -1, rank);
}

/* Where each operator keeps its operands. */
static bool
read_operator (NativertPrep *p, Work *w, NativertGemm *g)
{
  switch (p->op) {
  case NATIVERT_OP_nativert_linear: {
    const NativertView *x = nativert_arg_view (p, 0), *weight = nativert_arg_view (p, 1),
                       *bias = nativert_arg_view (p, 2);
    if (!weight || weight->ndim != 2 || !x || x->ndim < 1)
      return nativert_no (p, "linear weight has %d dimensions, want 2", weight ? weight->ndim : -1);
    if (bias && (bias->ndim > 1 || (bias->ndim == 1 && bias->size[0] != weight->size[0] && bias->size[0] != 1)))
      return nativert_no (p, "linear bias has %d dimensions of %lld, want 1 of %lld", bias->ndim,
          (long long) bias->size[0], (long long) weight->size[0]);
    int64_t act = nativert_arg_int (p, 4, 0);
    if (act < 0 || act > NATIVERT_ACT_GELU_TANH)
      return nativert_no (p, "activation %lld is unknown", (long long) act);
    g->act = (uint8_t) act;
    g->act_a = (float) nativert_arg_float (p, 5, 0);
    g->act_b = (float) nativert_arg_float (p, 6, 0);
    return read_factors (p, w, g, 0, 1, true) && read_addend (p, w, g, 2, 3, "bias")
        && read_addend (p, w, g, 3, 4, "residual");
  }
  case NATIVERT_OP_mm_default:
    return want_rank (p, 0, 2) && want_rank (p, 1, 2) && read_factors (p, w, g, 0, 1, false);
  case NATIVERT_OP_bmm_default:
    return want_rank (p, 0, 3) && want_rank (p, 1, 3) && read_factors (p, w, g, 0, 1, false);
  case NATIVERT_OP_mv_default:
    return want_rank (p, 0, 2) && want_rank (p, 1, 1) && read_factors (p, w, g, 0, 1, false);
  case NATIVERT_OP_dot_default:
  case NATIVERT_OP_vdot_default:
    return want_rank (p, 0, 1) && want_rank (p, 1, 1) && read_factors (p, w, g, 0, 1, false);
  case NATIVERT_OP_matmul_default:
    return read_factors (p, w, g, 0, 1, false);
  case NATIVERT_OP_addmm_default:
  case NATIVERT_OP_baddbmm_default:
  case NATIVERT_OP_addmv_default: {
    int rank_a = p->op == NATIVERT_OP_baddbmm_default ? 3 : 2, rank_b = p->op == NATIVERT_OP_addmv_default ? 1 : rank_a;
    g->beta = nativert_arg_float (p, 3, 1);
    g->alpha = nativert_arg_float (p, 4, 1);
    return want_rank (p, 1, rank_a) && want_rank (p, 2, rank_b) && read_factors (p, w, g, 1, 2, false)
      && read_addend (p, w, g, 0, 3, "addend");
  }
  default:
    return nativert_no (p, "%s is no product", nativert_ops[p->op].name);
  }
}

static int
result_sizes (const Work *w, const NativertGemm *g, int64_t *size)
{
  int n = w->batch.n;
  memcpy (size, w->batch.size, (size_t) n * sizeof size[0]);
  if (!w->a_vector)
    size[n++] = g->m;
  if (!w->b_vector)
    size[n++] = g->n;
  return n;
}

static bool
read_result (NativertPrep *p, Work *w, NativertGemm *g)
{
  const NativertView *c = &p->out[0];
  int64_t size[NATIVERT_MAX_DIMS];
  int n = result_sizes (w, g, size);
  if (c->ndim != n || c->dtype != p->in[g->a.in].dtype)
    return nativert_no (p, "result is %s with %d dimensions, want %d", nativert_dtype_name (c->dtype), c->ndim, n);
  for (int d = 0; d < n; d++)
    if (c->size[d] != size[d])
      return nativert_no (p, "result has size %lld, product %lld", (long long) c->size[d], (long long) size[d]);
  memcpy (w->stride[2], c->stride, (size_t) w->batch.n * sizeof size[0]);
  g->c.row = w->a_vector ? 0 : c->stride[w->batch.n];
  g->c.col = w->b_vector ? 0 : c->stride[n - 1];
  return true;
}

static bool
describe (NativertPrep *p, NativertGemm *g, Work *w)
{
  memset (w, 0, sizeof *w);
  memset (g, 0, sizeof *g);
  g->alpha = g->beta = 1;
  g->a.in = g->b.in = g->c.in = g->add.in = g->residual.in = -1;
  if (!read_operator (p, w, g))
    return false;
  int64_t size[NATIVERT_MAX_DIMS], sum;
  int n = result_sizes (w, g, size);
  return nativert_sizes_ok (p, (unsigned) n, size)
      && (nativert_mul_ok (g->k, nativert_max_i64 (g->m, g->n), &sum)
          || nativert_no (p, "product over %lld is too large", (long long) g->k));
}

bool
nativert_gemm_describe (NativertPrep *p, NativertGemm *g)
{
  Work w;
  return describe (p, g, &w) && read_result (p, &w, g) && settle_batch (p, &w, g);
}

NATIVERT_SHAPE (gemm)
{
  Work w;
  NativertGemm g;
  int64_t size[NATIVERT_MAX_DIMS];
  if (!describe (p, &g, &w))
    return false;
  int n = result_sizes (&w, &g, size);
  nativert_view_init (&p->out[0], p->in[g.a.in].dtype, (uint32_t) n, size);
  return true;
}
