/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One operator at one set of shapes: promotion, then a view, an expansion, or a kernel and a step.
 * Strides that the metadata gives are wishes, except in classes with writers (strict). */
#include <string.h>
#include "base/checked.h"
#include "plan/builder.h"

enum { SMALL = 6 };

/* An operator being asked. */
typedef struct {
  NativertBuilder *b;
  NativertLowering *l;
  const NativertOp *op;
  NativertPrep p;
  NativertRef *refs;
  NativertView *in, *out;
  bool *in_const;
  uint32_t first_block;                 /* blocks from here on were made for this operator */
  _Alignas (16) char params[NATIVERT_MAX_PARAMS];
} Ask;

static bool
say_no (Ask *a)
{
  const char *reason = a->p.reason[0] ? a->p.reason : "no kernel takes these inputs";
  bool named = g_str_has_prefix (reason, a->op->name);
  return nativert_builder_fail (
      a->b, NATIVERT_ERROR_UNSUPPORTED, "%s%s%s", named ? "" : a->op->name, named ? "" : ": ", reason);
}

/* The same where 1, 0 and -1 mean done, not this way, and failed. */
static int
failed (Ask *a)
{
  say_no (a);
  return -1;
}

static void
look_at_inputs (Ask *a)
{
  for (uint32_t i = 0; i < a->p.n_in; i++) {
    const NativertPlanValue *v = NATIVERT_VALUE (a->b, a->refs[i]);
    a->in[i] = v->view;
    a->in_const[i] = NATIVERT_BLOCK (a->b, v->block)->b.mem == NATIVERT_MEM_WEIGHT;
  }
}

/* Rules write as many results as the schema has: a file must not ask for fewer. */
static bool
check_counts (Ask *a, const NativertSchema *schema)
{
  if (!schema || a->l->n_args > schema->n_args)
    return nativert_builder_fail (
        a->b, NATIVERT_ERROR_UNSUPPORTED, "%s: %u arguments do not fit its schema", a->op->name, a->l->n_args);
  if (schema->n_returns == 1 && schema->returns[0].list)
    return true;
  return a->l->n_out == schema->n_returns
      || nativert_builder_fail (a->b, NATIVERT_ERROR_MISMATCH, "%s has %u results, the file says %u", a->op->name,
          schema->n_returns, a->l->n_out);
}

/* Completes the arguments and replaces refs by indices into in[]. */
static bool
bind (Ask *a)
{
  NativertBuilder *b = a->b;
  const NativertSchema *schema = nativert_plan_op_schema (a->l->op);
  uint32_t n_in = 0;
  if (!check_counts (a, schema))
    return false;
  NativertArg *args = nativert_region_new_n (b->temp, NativertArg, schema->n_args + 1);
  for (uint32_t i = 0; i < schema->n_args; i++) {
    if (i < a->l->n_args)
      args[i] = a->l->args[i];
    else if (!nativert_builder_default_arg (b, &schema->args[i], &args[i]))
      return false;
    if (!nativert_builder_fit_arg (b, &schema->args[i], &args[i]))
      return false;
    n_in += args[i].kind == NATIVERT_ARG_TENSOR ? 1 : args[i].kind == NATIVERT_ARG_TENSORS ? args[i].n : 0;
  }
  if (n_in > UINT16_MAX || a->l->n_out > UINT16_MAX)
    return nativert_builder_fail (b, NATIVERT_ERROR_LIMIT, "%s: %u inputs", a->op->name, n_in);
  a->refs = nativert_region_new_n (b->temp, NativertRef, n_in + 1);
  n_in = 0;
  for (uint32_t i = 0; i < schema->n_args; i++) {
    if (args[i].kind == NATIVERT_ARG_TENSOR) {
      a->refs[n_in] = (NativertRef) args[i].u.i;
      args[i].u.i = n_in++;
    } else if (args[i].kind == NATIVERT_ARG_TENSORS) {
      int64_t *index = nativert_region_new_n (b->temp, int64_t, args[i].n + 1);
      for (uint32_t k = 0; k < args[i].n; k++) {
        index[k] = args[i].u.ints[k] < 0 ? -1 : (int64_t) n_in;
        if (index[k] >= 0)
          a->refs[n_in++] = (NativertRef) args[i].u.ints[k];
      }
      args[i].u.ints = index;
    }
  }
  a->p = (NativertPrep) { .op = a->l->op, .arg = args, .n_arg = (uint16_t) schema->n_args, .n_in = (uint16_t) n_in,
    .n_out = (uint16_t) a->l->n_out, .cpu = b->emit.cpu, .ref = a->refs, .params = a->params };
  return true;
}

static bool
check_shape (Ask *a, uint32_t i, const NativertView *got)
{
  const NativertView *want = a->l->want ? &a->l->want[i] : NULL;
  int64_t numel;
  if (got->ndim > NATIVERT_MAX_DIMS || !nativert_dtype_size (got->dtype)
      || !nativert_numel (got->size, got->ndim, &numel))
    return nativert_builder_fail (a->b, NATIVERT_ERROR_LIMIT, "%s: result %u does not fit in memory", a->op->name, i);
  if (!want || want->ndim == NATIVERT_UNKNOWN_RANK
      || (nativert_view_same_shape (got, want) && got->dtype == want->dtype))
    return true;
  g_autofree char *x = nativert_view_to_text (got);
  g_autofree char *y = nativert_view_to_text (want);
  return nativert_builder_fail (
      a->b, NATIVERT_ERROR_MISMATCH, "%s gives %s for result %u, the file says %s", a->op->name, x, i, y);
}

/* ---- views ---- */

/* In a class with writers a result has torch's strides and, unless the operator is a view, memory of its own. */
static bool
make_strict (Ask *a, uint32_t i)
{
  const NativertPlanValue *v = NATIVERT_VALUE (a->b, a->l->out[i]);
  const NativertSchema *schema = nativert_plan_op_schema (a->l->op);
  NativertView want = a->l->want && a->l->want[i].ndim != NATIVERT_UNKNOWN_RANK ? a->l->want[i] : v->view;
  bool may_alias = false;
  for (uint32_t k = 0; k < schema->n_args; k++)
    may_alias |= schema->args[k].alias != 0;
  bool fresh
      = may_alias || (v->block >= a->first_block && NATIVERT_BLOCK (a->b, v->block)->b.mem == NATIVERT_MEM_ARENA);
  if (!nativert_view_is_dense (&want))
    nativert_view_init (&want, want.dtype, want.ndim, want.size);
  if (fresh && (nativert_view_same_strides (&want, &v->view) || may_alias))
    return true;
  NativertRef copy = nativert_builder_new_tensor (a->b, &want);
  if (copy < 0 || !nativert_builder_copy_to (a->b, a->l->out[i], copy))
    return false;
  a->l->out[i] = copy;
  return true;
}

static bool
add_views (Ask *a, const int64_t *offset)
{
  const NativertPlanValue base = *NATIVERT_VALUE (a->b, a->refs[0]);
  for (uint32_t i = 0; i < a->p.n_out; i++) {
    int64_t at;
    if (!check_shape (a, i, &a->out[i]))
      return false;
    if (!nativert_mul_i64 (offset[i], (int64_t) nativert_dtype_size (a->out[i].dtype), &at)
        || !nativert_add_i64 (at, base.offset, &at))
      at = -1;
    if ((a->l->out[i] = nativert_builder_add_value (a->b, base.block, at, &a->out[i])) < 0
        || (a->l->strict && !make_strict (a, i)))
      return false;
  }
  return true;
}

/* 1 done, 0 not a view, -1 failed.  A view that strides do not allow is taken of a contiguous copy, where nobody
 * writes. */
static int
try_view (Ask *a)
{
  int64_t few[SMALL] = { 0 };
  if (!a->op->view || !a->p.n_in)
    return 0;
  a->p.offset = a->p.n_out <= SMALL ? few : nativert_region_new_n (a->b->temp, int64_t, a->p.n_out);
  if (a->op->view (&a->p))
    return add_views (a, a->p.offset) ? 1 : -1;
  if (!a->p.reason[0])
    return 0;
  if (a->l->strict || nativert_view_is_contiguous (&a->in[0]))
    return failed (a);
  if ((a->refs[0] = nativert_builder_contiguous (a->b, a->refs[0])) < 0)
    return -1;
  look_at_inputs (a);
  a->p.reason[0] = 0;
  if (a->op->view (&a->p))
    return add_views (a, a->p.offset) ? 1 : -1;
  return a->p.reason[0] ? failed (a) : 0;
}

/* ---- expansions ---- */

static int
try_expand (Ask *a)
{
  if (!a->op->expand)
    return 0;
  for (uint32_t i = 0; i < a->p.n_out; i++)
    a->l->out[i] = NATIVERT_NO_REF;
  bool ok = a->op->expand (&a->b->emit, &a->p, a->l->out);
  if (*a->b->error)
    return -1;
  if (!ok && !a->p.reason[0] && a->op->shape)
    return 0;
  for (uint32_t i = 0; ok && i < a->p.n_out; i++)
    ok = a->l->out[i] >= 0 && a->l->out[i] < (NativertRef) a->b->values->len;
  if (!ok)
    return failed (a);
  for (uint32_t i = 0; i < a->p.n_out; i++)
    if (!check_shape (a, i, &NATIVERT_VALUE (a->b, a->l->out[i])->view) || (a->l->strict && !make_strict (a, i)))
      return -1;
  return 1;
}

/* ---- kernels ---- */

static const NativertKernel *
find_kernel (Ask *a)
{
  uint8_t dispatch = a->op->dispatch;
  a->p.reason[0] = 0;
  if (dispatch == NATIVERT_DISPATCH_OUT ? !a->p.n_out : dispatch >= a->p.n_in) {
    nativert_no (&a->p, "it has %u inputs", a->p.n_in);
    return NULL;
  }
  return nativert_kernel_find (
      &a->p, dispatch == NATIVERT_DISPATCH_OUT ? a->out[0].dtype : a->in[dispatch].dtype, NATIVERT_DEVICE_CPU);
}

/* May the result be written straight into dest?  When no input lives there, or one does, element under element, and the
 * kernel can work in place. */
static bool
may_write (const Ask *a, NativertRef dest)
{
  uint32_t block = NATIVERT_VALUE (a->b, dest)->block;
  for (int i = 0; i < a->p.n_in; i++)
    if (NATIVERT_VALUE (a->b, a->refs[i])->block == block
        && !(i == a->p.in_place && nativert_builder_same_memory (a->b, a->refs[i], dest)))
      return false;
  return true;
}

static const NativertKernel *
find_kernel_into_dest (Ask *a)
{
  if (a->l->dest < 0 || a->p.n_out != 1)
    return NULL;
  NativertView plain = a->out[0];
  const NativertView *dest = &NATIVERT_VALUE (a->b, a->l->dest)->view;
  if (!nativert_view_same_shape (&plain, dest) || plain.dtype != dest->dtype)
    return NULL;
  a->out[0] = *dest;
  a->out[0].data = NULL;
  const NativertKernel *kernel = find_kernel (a);
  if (kernel && may_write (a, a->l->dest))
    return kernel;
  a->out[0] = plain;
  return NULL;
}

static void
set_strides (Ask *a, bool wanted)
{
  for (uint32_t i = 0; i < a->p.n_out; i++) {
    const NativertView *want
        = wanted && a->l->want && a->l->want[i].ndim != NATIVERT_UNKNOWN_RANK ? &a->l->want[i] : NULL;
    nativert_view_init (&a->out[i], a->out[i].dtype, a->out[i].ndim, a->out[i].size);
    if (want && nativert_view_is_dense (want))
      memcpy (a->out[i].stride, want->stride, sizeof want->stride);
    a->out[i].data = NULL;
  }
}

static bool
use_contiguous_inputs (Ask *a)
{
  for (uint32_t i = 0; i < a->p.n_in; i++)
    if ((a->refs[i] = nativert_builder_contiguous (a->b, a->refs[i])) < 0)
      return false;
  look_at_inputs (a);
  return true;
}

static bool
add_kernel (Ask *a, const NativertKernel *kernel, bool into_dest)
{
  for (uint32_t i = 0; i < a->p.n_out; i++) {
    a->l->out[i] = into_dest ? a->l->dest : nativert_builder_new_tensor (a->b, &a->out[i]);
    if (a->l->out[i] < 0)
      return false;
  }
  return nativert_builder_add_step (a->b, kernel, &a->p, a->refs, a->l->out);
}

static bool
ask_shape (Ask *a)
{
  if (!a->op->shape)
    return nativert_builder_fail (a->b, NATIVERT_ERROR_UNSUPPORTED, "%s has no shape rule", a->op->name);
  a->p.reason[0] = 0;
  if (!a->op->shape (&a->p))
    return say_no (a);
  for (uint32_t i = 0; i < a->p.n_out; i++)
    if (!check_shape (a, i, &a->out[i]))
      return false;
  return true;
}

static bool
use_kernel (Ask *a)
{
  if (!ask_shape (a))
    return false;
  set_strides (a, false);
  const NativertKernel *kernel = find_kernel_into_dest (a);
  if (kernel)
    return add_kernel (a, kernel, true);
  set_strides (a, true);
  if (!(kernel = find_kernel (a))) {
    set_strides (a, false);
    kernel = find_kernel (a);
  }
  if (!kernel) {
    g_autofree char *reason = g_strdup (a->p.reason);
    if (!use_contiguous_inputs (a))
      return false;
    if (!(kernel = find_kernel (a))) {
      g_strlcpy (a->p.reason, reason, sizeof a->p.reason);
      return say_no (a);
    }
  }
  if (!add_kernel (a, kernel, false))
    return false;
  for (uint32_t i = 0; a->l->strict && i < a->p.n_out; i++)
    if (!make_strict (a, i))
      return false;
  return true;
}

static bool
lower (Ask *a)
{
  NativertBuilder *b = a->b;
  NativertView in[SMALL], out[SMALL];
  bool in_const[SMALL];
  a->first_block = b->blocks->len;
  if (!bind (a))
    return false;
  if (a->op->flags & NATIVERT_FLAG_DATA_DEPENDENT)
    return nativert_builder_fail (
        b, NATIVERT_ERROR_UNSUPPORTED, "the size of its result depends on data, which is not supported");
  if ((a->op->flags & NATIVERT_FLAG_PROMOTE) && !nativert_builder_promote (b, a->op, a->refs, a->p.n_in))
    return false;
  a->p.in = a->in = a->p.n_in <= SMALL ? in : nativert_region_new_n (b->temp, NativertView, a->p.n_in);
  a->p.out = a->out = a->p.n_out <= SMALL ? out : nativert_region_new_n (b->temp, NativertView, a->p.n_out);
  a->p.in_const = a->in_const = a->p.n_in <= SMALL ? in_const : nativert_region_new_n (b->temp, bool, a->p.n_in);
  memset (a->out, 0, a->p.n_out * sizeof *a->out);
  look_at_inputs (a);
  int done = try_view (a);
  if (!done)
    done = try_expand (a);
  return done ? done > 0 : use_kernel (a);
}

bool
nativert_builder_lower (NativertBuilder *b, NativertLowering *l)
{
  if (l->op >= NATIVERT_N_OPS)
    return nativert_builder_fail (b, NATIVERT_ERROR_UNSUPPORTED, "an operator that this runtime does not have");
  if (b->depth >= NATIVERT_MAX_EMIT_DEPTH)
    return nativert_builder_fail (b, NATIVERT_ERROR_LIMIT, "%s expands without end", nativert_ops[l->op].name);
  Ask a = { .b = b, .l = l, .op = &nativert_ops[l->op] };
  b->depth++;
  bool ok = lower (&a);
  b->depth--;
  return ok;
}

bool
nativert_builder_copy_to (NativertBuilder *b, NativertRef src, NativertRef dest)
{
  if (nativert_builder_same_memory (b, src, dest)
      && NATIVERT_VALUE (b, src)->view.dtype == NATIVERT_VALUE (b, dest)->view.dtype)
    return true;
  for (int i = 0; i < 2; i++) {         /* the second time from a temporary that shares nothing with dest */
    NativertRef out = NATIVERT_NO_REF;
    NativertArg args[] = { NATIVERT_T (src), NATIVERT_D (NATIVERT_VALUE (b, dest)->view.dtype) };
    NativertLowering l = { .op = b->copy_op, .args = args, .n_args = 2, .n_out = 1, .dest = dest, .out = &out };
    if (!nativert_builder_lower (b, &l))
      return false;
    if (out == dest)
      return true;
    src = out;
  }
  return nativert_builder_fail (b, NATIVERT_ERROR_UNSUPPORTED, "a result cannot be copied to its place");
}

NativertRef
nativert_builder_broadcast (NativertBuilder *b, NativertRef ref, const NativertView *to)
{
  NativertPlanValue v = *NATIVERT_VALUE (b, ref);
  NativertView view = *to;
  if (nativert_view_same_shape (&v.view, to))
    return ref;
  int lead = to->ndim - v.view.ndim;
  for (int d = 0; d < to->ndim; d++) {
    int64_t size = d < lead ? 1 : lead < 0 ? -1 : v.view.size[d - lead];
    if (lead < 0 || (size != 1 && size != to->size[d])) {
      g_autofree char *x = nativert_view_to_text (&v.view);
      g_autofree char *y = nativert_view_to_text (to);
      nativert_builder_fail (b, NATIVERT_ERROR_MISMATCH, "%s does not broadcast to %s", x, y);
      return NATIVERT_NO_REF;
    }
    view.stride[d] = size == 1 && to->size[d] != 1 ? 0 : d < lead ? 0 : v.view.stride[d - lead];
  }
  view.dtype = v.view.dtype;
  return nativert_builder_add_value (b, v.block, v.offset, &view);
}
