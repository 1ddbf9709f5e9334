/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See eval.h. */
#include <string.h>
#include "tests/kernels/eval.h"
#include "kernels/rules.h"

enum { GUARD = 64, MAX_IN = 128, MAX_OUT = 64 };

typedef struct { NativertView view; bool wrapped; } Value;
struct Eval {
  NativertEmit base;
  GArray *values;
  GPtrArray *memory;
  GString *error;
  NativertView seen;                            /* what base.view returned last */
};

static void *
eval_alloc (Eval *ev, size_t n)
{
  char *mem = g_malloc (n + 2 * GUARD + 64), *start = (char *) (((uintptr_t) mem + GUARD + 63) & ~(uintptr_t) 63);
  memset (mem, 0xa5, n + 2 * GUARD + 64);
  g_ptr_array_add (ev->memory, mem);
  return start;
}

static void
check_guards (const char *start, size_t n)
{
  for (size_t i = 0; i < GUARD; i++)
    g_assert_true ((uint8_t) start[n + i] == 0xa5 && (uint8_t) start[-(ptrdiff_t) i - 1] == 0xa5);
}

static bool
fail (Eval *ev, uint16_t op, const char *why)
{
  if (ev->error->len == 0)
    g_string_printf (ev->error, "%s: %s", nativert_ops[op].name, why);
  return false;
}

NativertRef
eval_add (Eval *ev, const NativertView *view, bool wrapped)
{
  Value v = { *view, wrapped };
  g_array_append_val (ev->values, v);
  return (NativertRef) ev->values->len - 1;
}

static Value *
value (Eval *ev, NativertRef ref)
{
  g_assert_true (ref >= 0 && (guint) ref < ev->values->len);
  return &g_array_index (ev->values, Value, ref);
}

const NativertView *
eval_view (Eval *ev, NativertRef ref)
{
  return &value (ev, ref)->view;
}

/* torch's result_type: tensors with dimensions, then 0-d tensors, then numbers; a lower kind wins only by category. */
static int
category (uint8_t dtype)
{
  return nativert_is_complex (dtype) ? 3 : nativert_is_integral (dtype) ? dtype != NATIVERT_BOOL : 2;
}

static uint8_t
wider (uint8_t a, uint8_t b)
{
  static const uint8_t floats[] = { NATIVERT_F16, NATIVERT_F32, NATIVERT_F64 },
                       ints[] = { NATIVERT_I8, NATIVERT_I16, NATIVERT_I32, NATIVERT_I64 };
  if (a == b)
    return a;
  if (category (a) != category (b))
    return category (a) > category (b) ? a : b;
  if (category (a) == 2) {
    int ia = -1, ib = -1;
    for (int i = 0; i < 3; i++) {
      ia = floats[i] == a ? i : ia;
      ib = floats[i] == b ? i : ib;
    }
    return ia < 0 || ib < 0 ? (ia < 1 && ib < 1 ? NATIVERT_F32 : ia > ib ? a : b) : ia > ib ? a : b;
  }
  if (category (a) == 3)
    return a == NATIVERT_C128 || b == NATIVERT_C128 ? NATIVERT_C128 : NATIVERT_C64;
  int ia = -1, ib = -1;
  for (int i = 0; i < 4; i++) {
    ia = ints[i] == a ? i : ia;
    ib = ints[i] == b ? i : ib;
  }
  if (ia < 0 || ib < 0)                         /* uint8 with a signed type */
    return ia < 0 ? (ib > 0 ? b : NATIVERT_I16) : (ia > 0 ? a : NATIVERT_I16);
  return ia > ib ? a : b;
}

static uint8_t
result_type (Eval *ev, const NativertRef *ref, uint32_t first, uint32_t n)
{
  uint8_t by_kind[3];
  bool have[3] = { false };
  for (uint32_t i = first; i < n; i++) {
    Value *v = value (ev, ref[i]);
    int kind = v->wrapped ? 2 : v->view.ndim == 0 ? 1 : 0;
    uint8_t dtype = v->view.dtype;
    if (v->wrapped && dtype == NATIVERT_F64)
      dtype = NATIVERT_F32;                     /* the default dtype */
    by_kind[kind] = have[kind] ? wider (by_kind[kind], dtype) : dtype;
    have[kind] = true;
  }
  int result = -1;
  for (int k = 0; k < 3; k++)
    if (have[k] && (result < 0 || category (by_kind[k]) > category ((uint8_t) result)))
      result = by_kind[k];
  return (uint8_t) result;
}

static bool run_op (
    NativertEmit *e, uint16_t op, uint32_t n_args, const NativertArg *args, uint32_t n_out, NativertRef *out);

static bool
promote (Eval *ev, uint16_t op, NativertRef *ref, uint32_t n)
{
  const NativertOp *o = &nativert_ops[op];
  if (!(o->flags & NATIVERT_FLAG_PROMOTE) || o->dispatch >= n)
    return true;
  uint8_t dtype = result_type (ev, ref, o->dispatch, n);
  if ((o->flags & NATIVERT_FLAG_FLOAT) && nativert_is_integral (dtype))
    dtype = NATIVERT_F32;
  for (uint32_t i = o->dispatch; i < n; i++) {
    NativertArg cast[] = { NATIVERT_T (ref[i]), NATIVERT_D (dtype) };
    if (value (ev, ref[i])->view.dtype != dtype && !run_op (&ev->base, NATIVERT_OP_nativert_copy, 2, cast, 1, &ref[i]))
      return false;
  }
  return true;
}

/* Arguments with tensors as indices into in[]. */
static uint32_t
bind (uint32_t n_args, const NativertArg *args, NativertArg *bound, int64_t *lists, NativertRef *ref)
{
  uint32_t n = 0, at = 0;
  for (uint32_t i = 0; i < n_args; i++) {
    bound[i] = args[i];
    if (args[i].kind == NATIVERT_ARG_TENSOR && args[i].u.i < 0)
      return UINT32_MAX;
    if (args[i].kind == NATIVERT_ARG_TENSOR) {
      ref[n] = (NativertRef) args[i].u.i;
      bound[i].u.i = n++;
    } else if (args[i].kind == NATIVERT_ARG_TENSORS) {
      bound[i].u.ints = lists + at;
      for (uint32_t k = 0; k < args[i].n; k++) {
        g_assert_cmpuint (n, <, MAX_IN);
        lists[at++] = args[i].u.ints[k] < 0 ? -1 : (int64_t) n;
        if (args[i].u.ints[k] >= 0)
          ref[n++] = (NativertRef) args[i].u.ints[k];
      }
    }
  }
  return n;
}

static bool
run_kernel (Eval *ev, NativertPrep *p, const NativertView *data, const NativertKernel *k)
{
  const char *error = NULL;
  NativertCall c = { .in = data,
    .out = p->out,
    .params = p->params,
    .scratch_shared = p->scratch_shared,
    .scratch_part = p->scratch_part,
    .error = &error };
  size_t scratch = p->scratch_shared + p->scratch_part * p->n_parts, n_bytes[MAX_OUT];
  for (uint32_t i = 0; i < p->n_out; i++) {
    n_bytes[i] = (size_t) nativert_view_numel (&p->out[i]) * nativert_dtype_size (p->out[i].dtype);
    p->out[i].data = eval_alloc (ev, n_bytes[i]);
  }
  for (uint32_t i = 0; i < p->n_packs; i++) {
    void *to = eval_alloc (ev, p->pack[i].n_bytes);
    p->pack[i].fn (to, &data[p->pack[i].in], p->params);
    check_guards (to, p->pack[i].n_bytes);
    c.pack[i] = to;
  }
  c.scratch = eval_alloc (ev, scratch);
  g_assert_cmpuint (p->n_parts, >=, 1);
  for (uint32_t part = p->n_parts; part-- > 0;)
    k->fn (&c, part);
  check_guards (c.scratch, scratch);
  for (uint32_t i = 0; i < p->n_out; i++)
    check_guards (p->out[i].data, n_bytes[i]);
  return error ? fail (ev, p->op, error) : true;
}

static bool
make_contiguous (Eval *ev, NativertRef *ref, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    NativertArg copy[] = { NATIVERT_T (ref[i]), NATIVERT_NONE };
    if (!nativert_view_is_contiguous (eval_view (ev, ref[i]))
        && !run_op (&ev->base, NATIVERT_OP_nativert_copy, 2, copy, 1, &ref[i]))
      return false;
  }
  return true;
}

static bool
shape_and_run (Eval *ev, NativertPrep *p, NativertRef *ref)
{
  const NativertOp *o = &nativert_ops[p->op];
  NativertView data[MAX_IN], *in = (NativertView *) p->in;
  const NativertKernel *k = NULL;
  if (!o->shape)
    return fail (ev, p->op, "neither view, expand nor shape");
  if (!o->shape (p))
    return fail (ev, p->op, p->reason);
  uint8_t dtype = o->dispatch == NATIVERT_DISPATCH_OUT ? p->out[0].dtype
      : o->dispatch < p->n_in                          ? in[o->dispatch].dtype
                                                       : 0;
  for (int tries = 0; tries < 2 && !k; tries++) {
    k = nativert_kernel_find (p, dtype, NATIVERT_DEVICE_CPU);
    if (!k && tries == 0) {
      if (!make_contiguous (ev, ref, p->n_in))
        return false;
      for (uint32_t i = 0; i < p->n_in; i++) {
        in[i] = *eval_view (ev, ref[i]);
        in[i].data = NULL;
      }
    }
  }
  if (!k)
    return fail (ev, p->op, p->reason);
  for (uint32_t i = 0; i < p->n_in; i++)
    data[i] = *eval_view (ev, ref[i]);
  return run_kernel (ev, p, data, k);
}

static bool
run_op (NativertEmit *e, uint16_t op, uint32_t n_args, const NativertArg *args, uint32_t n_out, NativertRef *out)
{
  Eval *ev = (Eval *) e;
  const NativertOp *o = &nativert_ops[op];
  NativertArg bound[32];
  NativertRef ref[MAX_IN];
  NativertView in[MAX_IN], result[MAX_OUT];
  bool in_const[MAX_IN] = { false };
  int64_t lists[MAX_IN], offset[MAX_OUT] = { 0 };
  _Alignas (16) char params[NATIVERT_MAX_PARAMS];
  g_assert_true (op < NATIVERT_N_OPS && n_args <= 32 && n_out <= MAX_OUT);
  if (ev->error->len)
    return false;
  uint32_t n = bind (n_args, args, bound, lists, ref);
  if (n == UINT32_MAX)
    return fail (ev, op, "no such value");
  if (!promote (ev, op, ref, n))
    return false;
  for (uint32_t i = 0; i < n; i++) {
    in[i] = *eval_view (ev, ref[i]);
    in[i].data = NULL;
  }
  memset (result, 0, sizeof result);
  NativertPrep p = { .op = op,
    .arg = bound,
    .n_arg = (uint16_t) n_args,
    .n_in = (uint16_t) n,
    .n_out = (uint16_t) n_out,
    .in = in,
    .out = result,
    .in_const = in_const,
    .ref = ref,
    .cpu = e->cpu,
    .offset = offset,
    .params = params,
    .n_parts = 1,
    .in_place = -1 };
  if (o->view && o->view (&p)) {
    for (uint32_t i = 0; i < n_out; i++) {
      result[i].data
          = (char *) eval_view (ev, ref[0])->data + offset[i] * (int64_t) nativert_dtype_size (result[i].dtype);
      out[i] = eval_add (ev, &result[i], false);
    }
    return true;
  }
  if (p.reason[0])
    return fail (ev, op, p.reason);
  for (uint32_t i = 0; i < n_out; i++)
    out[i] = NATIVERT_NO_REF;
  if (o->expand && o->expand (e, &p, out))
    return ev->error->len == 0;
  if (p.reason[0])
    return fail (ev, op, p.reason);
  if (ev->error->len || !shape_and_run (ev, &p, ref))
    return false;
  for (uint32_t i = 0; i < n_out; i++)
    out[i] = eval_add (ev, &result[i], false);
  return true;
}

static const NativertView *
see (NativertEmit *e, NativertRef ref)
{
  Eval *ev = (Eval *) e;
  static const NativertView nothing = { 0 };
  if (ref < 0)
    return &nothing;
  ev->seen = *eval_view (ev, ref);
  ev->seen.data = NULL;
  return &ev->seen;
}

static NativertRef
constant (NativertEmit *e, const NativertView *v)
{
  Eval *ev = (Eval *) e;
  NativertView own = *v;
  size_t n = (size_t) nativert_view_numel (v) * nativert_dtype_size (v->dtype);
  own.data = eval_alloc (ev, n);
  memcpy (own.data, v->data, n);
  return eval_add (ev, &own, false);
}

Eval *
eval_new (uint32_t cpu)
{
  Eval *ev = g_new0 (Eval, 1);
  ev->base.op = run_op;
  ev->base.view = see;
  ev->base.constant = constant;
  ev->base.cpu = cpu;
  ev->values = g_array_new (FALSE, FALSE, sizeof (Value));
  ev->memory = g_ptr_array_new_with_free_func (g_free);
  ev->error = g_string_new (NULL);
  return ev;
}

void
eval_free (Eval *ev)
{
  g_array_unref (ev->values);
  g_ptr_array_unref (ev->memory);
  g_string_free (ev->error, TRUE);
  g_free (ev);
}

bool
eval_op (Eval *ev, uint16_t op, uint32_t n_args, const NativertArg *args, uint32_t n_out, NativertRef *out)
{
  g_string_truncate (ev->error, 0);
  return run_op (&ev->base, op, n_args, args, n_out, out);
}

const char *
eval_error (Eval *ev)
{
  return ev->error->str;
}
