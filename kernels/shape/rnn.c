/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a recurrent layer needs to be true, and the sizes of its results. */
#include "kernels/args.h"
#include "kernels/rnn.h"

static bool
want (NativertPrep *p, unsigned arg, int ndim, const int64_t *size, const char *what)
{
  const NativertView *v = nativert_arg_view (p, arg);
  if (!v || v->ndim != ndim || v->dtype != p->in[0].dtype)
    return nativert_no (
        p, "%s has %d dimensions, want %d of %s", what, v ? v->ndim : -1, ndim, nativert_dtype_name (p->in[0].dtype));
  for (int d = 0; d < ndim; d++)
    if (v->size[d] != size[d])
      return nativert_no (
          p, "%s has size %lld in dimension %d, want %lld", what, (long long) v->size[d], d, (long long) size[d]);
  return v->size[ndim - 1] < 2 || v->stride[ndim - 1] == 1
      || nativert_no (p, "%s is not contiguous in its last dimension", what);
}

bool
nativert_rnn_describe (NativertPrep *p, NativertRnn *g)
{
  static const uint8_t times[] = { 4, 3, 1, 1 };
  const NativertView *x = nativert_arg_view (p, NATIVERT_RNN_GATES), *w = nativert_arg_view (p, NATIVERT_RNN_W);
  int64_t mode = nativert_arg_int (p, NATIVERT_RNN_MODE, 0);
  if (mode < 0 || mode > NATIVERT_RNN_RELU)
    return nativert_no (p, "recurrence of kind %lld", (long long) mode);
  if (!x || x->ndim != 3 || !w || w->ndim != 2)
    return nativert_no (
        p, "recurrent gates have %d dimensions, weight %d, want 3 and 2", x ? x->ndim : -1, w ? w->ndim : -1);
  *g = (NativertRnn){ .time = x->size[0],
    .batch = x->size[1],
    .hidden = w->size[1],
    .gates = x->size[2],
    .gates_t = x->stride[0],
    .gates_b = x->stride[1],
    .mode = (uint8_t) mode,
    .reverse = nativert_arg_int (p, NATIVERT_RNN_REVERSE, 0) != 0 };
  if (g->hidden < 1 || g->hidden > (1 << 24) || g->gates != times[mode] * g->hidden)
    return nativert_no (p, "%lld gates for %lld hidden values", (long long) g->gates, (long long) g->hidden);
  int64_t state[] = { g->batch, g->hidden }, weight[] = { g->gates, g->hidden };
  if (!want (p, NATIVERT_RNN_GATES, 3, x->size, "gates") || !want (p, NATIVERT_RNN_H, 2, state, "state")
      || !want (p, NATIVERT_RNN_W, 2, weight, "weight"))
    return false;
  if (mode == NATIVERT_RNN_LSTM && !want (p, NATIVERT_RNN_C, 2, state, "cell state"))
    return false;
  g->h_b = nativert_arg_view (p, NATIVERT_RNN_H)->stride[0];
  g->c_b = mode == NATIVERT_RNN_LSTM ? nativert_arg_view (p, NATIVERT_RNN_C)->stride[0] : 0;
  g->bias = (int8_t) nativert_arg_index (p, NATIVERT_RNN_B);
  return g->bias < 0 || want (p, NATIVERT_RNN_B, 1, &g->gates, "bias");
}

/* All states, the last state, the last cell (LSTM). */
NATIVERT_SHAPE (rnn)
{
  NativertRnn g;
  if (!nativert_rnn_describe (p, &g))
    return false;
  int64_t all[] = { g.time, g.batch, g.hidden };
  nativert_view_init (&p->out[0], p->in[0].dtype, 3, all);
  nativert_view_init (&p->out[1], p->in[0].dtype, 2, all + 1);
  if (p->n_out > 2)
    nativert_view_init (&p->out[2], p->in[0].dtype, 2, all + 1);
  return true;
}
