/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "tests/kernels/rows.h"
#include "kernels/rules.h"

enum { GUARD = 64, GUARD_BYTE = 0xa5 };

static char *
guarded (Prepared *r, size_t n_bytes)
{
  size_t room = (n_bytes + 63) / 64 * 64 + 2 * GUARD;
  char *all = g_aligned_alloc (1, room, 64);
  memset (all, GUARD_BYTE, room);
  g_ptr_array_add (r->memory, all);
  g_ptr_array_add (r->memory, GSIZE_TO_POINTER (n_bytes));
  return all + GUARD;
}

void
operation_shape (Operation *o)
{
  NativertPrep p = { .op = o->op,
    .arg = o->arg,
    .n_arg = o->n_arg,
    .n_in = o->n_in,
    .n_out = o->n_out,
    .in = o->in,
    .out = o->out,
    .in_const = o->in_const,
    .cpu = nativert_cpu_features () };
  if (!nativert_ops[o->op].shape (&p))
    g_error ("%s: %s", nativert_ops[o->op].name, p.reason);
}

Prepared *
operation_prepare (Operation *o, const NativertKernel *row, char *reason)
{
  Prepared *r = g_new0 (Prepared, 1);
  NativertPrep p = { .op = o->op,
    .arg = o->arg,
    .n_arg = o->n_arg,
    .n_in = o->n_in,
    .n_out = o->n_out,
    .in = o->in,
    .out = o->out,
    .in_const = o->in_const,
    .cpu = nativert_cpu_features (),
    .params = r->params,
    .n_parts = 1,
    .in_place = -1 };
  if (!row->prepare (&p)) {
    if (reason)
      g_strlcpy (reason, p.reason, NATIVERT_REASON_SIZE);
    g_free (r);
    return NULL;
  }
  g_assert_cmpuint (p.n_parts, >=, 1);
  g_assert_cmpuint (p.params_size, <=, NATIVERT_MAX_PARAMS);
  r->row = row;
  r->memory = g_ptr_array_new ();
  r->n_parts = p.n_parts;
  memcpy (r->out, o->out, sizeof r->out);
  for (unsigned i = 0; i < o->n_out; i++)
    r->out[i].data = guarded (r, (size_t) nativert_view_numel (&o->out[i]) * nativert_dtype_size (o->out[i].dtype));
  r->call = (NativertCall) { .in = o->in, .out = r->out, .params = r->params };
  r->call.scratch_shared = (p.scratch_shared + 63) / 64 * 64;
  r->call.scratch_part = (p.scratch_part + 63) / 64 * 64;
  r->call.scratch = guarded (r, r->call.scratch_shared + r->call.scratch_part * p.n_parts);
  for (unsigned i = 0; i < p.n_packs; i++) {
    void *pack = guarded (r, p.pack[i].n_bytes);
    p.pack[i].fn (pack, &o->in[p.pack[i].in], r->params);
    r->call.pack[i] = pack;
  }
  return r;
}

void
prepared_run (Prepared *r, uint32_t seed)
{
  for (uint32_t i = 0; i < r->n_parts; i++)
    r->row->fn (&r->call, seed & 1 ? r->n_parts - 1 - i : i);
}

void
prepared_free (Prepared *r)
{
  for (unsigned i = 0; i < r->memory->len; i += 2) {
    unsigned char *all = r->memory->pdata[i];
    size_t n_bytes = GPOINTER_TO_SIZE (r->memory->pdata[i + 1]), room = (n_bytes + 63) / 64 * 64 + 2 * GUARD;
    for (size_t b = 0; b < room; b++)
      if (b < GUARD || b >= GUARD + n_bytes)
        if (all[b] != GUARD_BYTE)
          g_error ("%s wrote outside its memory (%zu bytes), at %zd", r->row->name, n_bytes, (ssize_t) b - GUARD);
    g_aligned_free (all);
  }
  g_ptr_array_free (r->memory, TRUE);
  g_free (r);
}

unsigned
operation_each_row (Operation *o, RowCheck check, void *user)
{
  unsigned n = 0;
  for (size_t s = 0; nativert_kernel_sets[s]; s++)
    for (size_t i = 0; i < nativert_kernel_sets[s]->n; i++) {
      const NativertKernel *row = &nativert_kernel_sets[s]->rows[i];
      if (row->op != o->op || row->dtype != o->in[0].dtype || (row->needs & ~nativert_cpu_features ()))
        continue;
      Prepared *r = operation_prepare (o, row, NULL);
      if (!r)
        continue;
      prepared_run (r, n++);
      check (o, r, user);
      prepared_free (r);
    }
  return n;
}

NativertView
random_view (GRand *rand, uint8_t dtype, uint32_t ndim, const int64_t *size)
{
  NativertView v = { 0 };
  nativert_view_init (&v, dtype, ndim, size);
  int64_t n = nativert_view_numel (&v);
  v.data = g_malloc0 ((size_t) n * nativert_dtype_size (dtype) + 1);
  for (int64_t i = 0; i < n; i++) {
    double x = g_rand_double (rand) + g_rand_double (rand) + g_rand_double (rand) - 1.5;
    if (dtype == NATIVERT_F32)
      ((float *) v.data)[i] = (float) x;
    else if (dtype == NATIVERT_F64)
      ((double *) v.data)[i] = x;
    else
      g_assert_not_reached ();
  }
  return v;
}

int64_t
view_offset (const NativertView *v, int64_t flat)
{
  int64_t offset = 0;
  for (int d = v->ndim; d-- > 0;) {
    offset += flat % v->size[d] * v->stride[d];
    flat /= v->size[d];
  }
  return offset;
}

double
view_get (const NativertView *v, int64_t flat)
{
  int64_t at = view_offset (v, flat);
  return v->dtype == NATIVERT_F32 ? (double) ((float *) v->data)[at] : ((double *) v->data)[at];
}
