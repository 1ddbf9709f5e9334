/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nodes whose result is a number: arithmetic on symbolic sizes is done here, while planning.  A number that comes out
 * of a tensor (item) is a 0-d float64 tensor, and arithmetic on it becomes steps. */
#include <math.h>
#include <string.h>
#include "plan/builder.h"
#include "plan/pynum.h"

enum { MAX_OPERANDS = 3 };

static const char *
short_name (const char *target)
{
  static const char *const prefix[] = { "_operator.", "torch.ops.aten.", "torch._sym_", "torch.sym_", "math." };
  for (size_t i = 0; i < G_N_ELEMENTS (prefix); i++)
    if (g_str_has_prefix (target, prefix[i]))
      return target + strlen (prefix[i]);
  return target;
}

static bool
set_number (NativertBuilder *b, const NativertNode *node, NativertNum number)
{
  const NativertGraphValue *value = node->outputs[0];
  NativertNum declared;
  if (value->expr && number.kind == NATIVERT_NUM_INT && nativert_builder_eval (b, value->expr, &declared)
      && declared.kind == NATIVERT_NUM_INT && declared.u.i != number.u.i)
    return nativert_builder_fail (b, NATIVERT_ERROR_MISMATCH,
        "comes to %" G_GINT64_FORMAT ", the file says %" G_GINT64_FORMAT, number.u.i, declared.u.i);
  b->gv[value->id] = (NativertPlanGraphValue) { .kind = NATIVERT_PV_NUMBER, .number = number };
  return true;
}

/* What one argument is: a number, or a tensor (in *ref). */
static bool
operand (NativertBuilder *b, const NativertGraphArg *arg, NativertNum *number, NativertRef *ref)
{
  *ref = NATIVERT_NO_REF;
  switch (arg->kind) {
    case NATIVERT_GA_INT: *number = (NativertNum) { .kind = NATIVERT_NUM_INT, .u.i = arg->u.i }; return true;
    case NATIVERT_GA_FLOAT: *number = (NativertNum) { .kind = NATIVERT_NUM_FLOAT, .u.f = arg->u.f }; return true;
    case NATIVERT_GA_BOOL: *number = (NativertNum) { .kind = NATIVERT_NUM_BOOL, .u.b = arg->u.i != 0 }; return true;
    case NATIVERT_GA_VALUE: {
      const NativertPlanGraphValue *gv = &b->gv[arg->u.value->id];
      *number = gv->number;
      *ref = gv->ref;
      if (gv->kind == NATIVERT_PV_NUMBER)
        *ref = NATIVERT_NO_REF;
      return gv->kind == NATIVERT_PV_NUMBER || gv->kind == NATIVERT_PV_REF;
    }
    default: return false;
  }
}

/* ---- questions about a tensor ---- */

static bool
ask_tensor (NativertBuilder *b, const NativertNode *node, const char *name, const NativertView *v)
{
  NativertNum dim = { .kind = NATIVERT_NUM_INT }, n = { .kind = NATIVERT_NUM_INT };
  NativertRef none;
  if (node->n_args > 1 && (!operand (b, &node->args[1], &dim, &none) || none >= 0 || dim.kind != NATIVERT_NUM_INT))
    return nativert_builder_fail (b, NATIVERT_ERROR_UNSUPPORTED, "its dim is not a number");
  int64_t d = dim.u.i < 0 ? dim.u.i + v->ndim : dim.u.i;
  if (!strcmp (name, "sym_numel.default"))
    n.u.i = nativert_view_numel (v);
  else if (!strcmp (name, "dim.default") || !strcmp (name, "ndim.default"))
    n.u.i = v->ndim;
  else if (d < 0 || d >= v->ndim)
    return nativert_builder_fail (
        b, NATIVERT_ERROR_MISMATCH, "dim %" G_GINT64_FORMAT " of a tensor of %d dims", dim.u.i, v->ndim);
  else
    n.u.i = name[4] == 's' && name[5] == 't' ? v->stride[d] : v->size[d];
  return set_number (b, node, n);
}

static bool
is_question (const char *name)
{
  static const char *const names[]
      = { "sym_size.int", "sym_stride.int", "sym_numel.default", "dim.default", "ndim.default" };
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
    if (!strcmp (name, names[i]))
      return true;
  return false;
}

/* ---- numbers out of tensors ---- */

static NativertNum
read_element (const NativertView *v)
{
  NativertNum n = { .kind = NATIVERT_NUM_INT };
  switch (v->dtype) {
    case NATIVERT_BOOL: return (NativertNum) { .kind = NATIVERT_NUM_BOOL, .u.b = *(const uint8_t *) v->data != 0 };
    case NATIVERT_I64: n.u.i = *(const int64_t *) v->data; return n;
    case NATIVERT_I32: n.u.i = *(const int32_t *) v->data; return n;
    case NATIVERT_F64: return (NativertNum) { .kind = NATIVERT_NUM_FLOAT, .u.f = *(const double *) v->data };
    case NATIVERT_F32: return (NativertNum) { .kind = NATIVERT_NUM_FLOAT, .u.f = *(const float *) v->data };
    default: n.kind = NATIVERT_NUM_BOOL + 1; return n;
  }
}

static bool
set_tensor_number (NativertBuilder *b, const NativertNode *node, NativertRef ref)
{
  if (ref < 0)
    return false;
  NativertPlanValue v = *NATIVERT_VALUE (b, ref);
  nativert_view_init (&v.view, v.view.dtype, 0, NULL);
  if ((ref = nativert_builder_add_value (b, v.block, v.offset, &v.view)) < 0)
    return false;
  NATIVERT_VALUE (b, ref)->wrapped = true;
  b->gv[node->outputs[0]->id] = (NativertPlanGraphValue) { .kind = NATIVERT_PV_REF, .ref = ref };
  return true;
}

static bool
lower_item (NativertBuilder *b, const NativertNode *node, NativertRef ref)
{
  const NativertView *v = &NATIVERT_VALUE (b, ref)->view;
  if (nativert_view_numel (v) != 1)
    return nativert_builder_fail (
        b, NATIVERT_ERROR_MISMATCH, "takes one element, the tensor has %" G_GINT64_FORMAT, nativert_view_numel (v));
  NativertNum known = { .kind = NATIVERT_NUM_BOOL + 1 };
  if (v->data)
    known = read_element (v);
  if (known.kind <= NATIVERT_NUM_BOOL)
    return set_number (b, node, known);
  if (node->outputs[0]->type != NATIVERT_GV_SYM_FLOAT)
    return nativert_builder_fail (b, NATIVERT_ERROR_UNSUPPORTED,
        "gives an int or bool that is known only when the model runs: sizes that depend on data are not supported");
  return set_tensor_number (b, node, nativert_builder_cast (b, ref, NATIVERT_F64));
}

static bool
lower_float_steps (NativertBuilder *b, const NativertNode *node, const char *name, NativertRef *refs,
    const NativertNum *numbers, uint32_t n)
{
  static const struct {
    const char *name, *op;
  } ops[] = { { "add", "add_Tensor" }, { "sub", "sub_Tensor" }, { "mul", "mul_Tensor" }, { "truediv", "div_Tensor" },
    { "pow", "pow_Tensor_Tensor" }, { "neg", "neg_default" }, { "sqrt", "sqrt_default" }, { "exp", "exp_default" },
    { "log", "log_default" }, { "sin", "sin_default" }, { "cos", "cos_default" }, { "max", "maximum_default" },
    { "min", "minimum_default" }, { "tanh", "tanh_default" }, { "floor", "floor_default" } };
  NativertArg args[MAX_OPERANDS];
  bool wrapped[MAX_OPERANDS];
  NativertRef out = NATIVERT_NO_REF;
  if (!strcmp (name, "float") || !strcmp (name, "pos"))
    return set_tensor_number (b, node, refs[0]);
  for (size_t i = 0; i < G_N_ELEMENTS (ops); i++) {
    int32_t op = strcmp (ops[i].name, name) ? -1 : nativert_plan_find_op (ops[i].op);
    if (op < 0)
      continue;
    for (uint32_t k = 0; k < n; k++) {  /* in double precision, as Python computes */
      NativertRef ref = refs[k] >= 0 ? refs[k] : nativert_builder_number (b, numbers[k]);
      ref = ref < 0 ? ref : nativert_builder_cast (b, ref, NATIVERT_F64);
      if (ref < 0)
        return false;
      args[k] = NATIVERT_T (ref);
      wrapped[k] = NATIVERT_VALUE (b, ref)->wrapped;
      NATIVERT_VALUE (b, ref)->wrapped = false;
    }
    NativertLowering l
        = { .op = (uint16_t) op, .args = args, .n_args = n, .n_out = 1, .dest = NATIVERT_NO_REF, .out = &out };
    bool ok = nativert_builder_lower (b, &l);
    for (uint32_t k = n; k-- > 0;)
      NATIVERT_VALUE (b, args[k].u.i)->wrapped = wrapped[k];
    return ok && set_tensor_number (b, node, out);
  }
  return nativert_builder_fail (b, NATIVERT_ERROR_UNSUPPORTED, "a number that depends on data is not supported here");
}

/* ---- all of them ---- */

static bool
use_metadata (NativertBuilder *b, const NativertNode *node)
{
  NativertNum number;
  for (uint32_t i = 0; i < node->n_outputs; i++) {
    const NativertGraphValue *value = node->outputs[i];
    if (value->type == NATIVERT_GV_TENSOR || !value->expr || !nativert_builder_eval (b, value->expr, &number))
      return nativert_builder_fail (b, NATIVERT_ERROR_UNSUPPORTED, "operator not implemented");
    b->gv[value->id] = (NativertPlanGraphValue) { .kind = NATIVERT_PV_NUMBER, .number = number };
  }
  return true;
}

bool
nativert_builder_lower_symbolic (NativertBuilder *b, const NativertNode *node)
{
  const char *name = short_name (node->target);
  NativertNum numbers[MAX_OPERANDS], result;
  NativertRef refs[MAX_OPERANDS];
  uint32_t n = node->n_args, tensors = 0;
  if (!node->n_outputs)
    return true;                        /* an assertion, or a hint to a compiler */
  if (node->n_outputs > 1 || !n || node->outputs[0]->type == NATIVERT_GV_TENSOR)
    return use_metadata (b, node);
  bool question = is_question (name);
  if (question || n > MAX_OPERANDS)
    n = 1;
  for (uint32_t i = 0; i < n; i++) {
    if (!operand (b, &node->args[i], &numbers[i], &refs[i]))
      return use_metadata (b, node);
    tensors += refs[i] >= 0;
  }
  if (question && tensors)
    return ask_tensor (b, node, name, &NATIVERT_VALUE (b, refs[0])->view);
  if (!strcmp (name, "item.default") || !strcmp (name, "_local_scalar_dense.default"))
    return tensors ? lower_item (b, node, refs[0]) : set_number (b, node, numbers[0]);
  if (tensors)
    return lower_float_steps (b, node, name, refs, numbers, n);
  if (nativert_pynum (name, numbers, n, &result))
    return set_number (b, node, result);
  return use_metadata (b, node);
}
