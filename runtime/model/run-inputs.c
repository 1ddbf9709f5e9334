/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inputs of one run in a plan's terms.  Setting them allocates nothing. */
#include "model/run-inputs.h"
#include "base/tensor.h"
#include "base/strided.h"

#include <string.h>

NativertRunInputs *
nativert_run_inputs_new (uint32_t n)
{
  NativertRunInputs *ri = g_new0 (NativertRunInputs, 1);

  ri->n = n;
  ri->inputs = g_new0 (NativertPlanInput, n + 1);
  ri->tensors = g_new0 (NativertTensor *, n + 1);
  ri->lay_out = g_new0 (bool, n + 1);
  return ri;
}

void
nativert_run_inputs_free (NativertRunInputs *ri)
{
  g_free (ri->inputs);
  g_free (ri->tensors);
  g_free (ri->lay_out);
  g_free (ri);
}

/* A permutation of a contiguous tensor: no holes, no overlaps.  inner: its fastest dim. */
static bool
is_dense (const NativertTensor *tensor, uint32_t *inner)
{
  bool used[NATIVERT_TENSOR_MAX_DIMS] = {false};
  int64_t run = 1;

  *inner = G_MAXUINT32;
  for (uint32_t found = 0; found < tensor->n_dims; found++) {
    uint32_t dim = 0;
    while (dim < tensor->n_dims && (used[dim] || (tensor->size[dim] != 1 && tensor->stride[dim] != run)))
      dim++;
    if (dim == tensor->n_dims)
      return false;
    used[dim] = true;
    if (tensor->size[dim] != 1 && *inner == G_MAXUINT32)
      *inner = dim;
    run *= tensor->size[dim];
  }
  return true;
}

/* The program was exported with this dim the fastest. */
static bool
is_inner_of (const NativertTensorMetaDesc *meta, uint32_t dim)
{
  return meta != NULL && dim < meta->n_dims && meta->strides[dim].expr == NULL && meta->strides[dim].value == 1;
}

/* Plans take contiguous inputs, or the permuted ones that the program was exported with; anything else is laid out
 * first. */
static void
set_tensor (NativertRunInputs *ri, const NativertCore *core, uint32_t port, NativertTensor *tensor)
{
  const NativertGraphInput *input = nativert_core_graph_input (core, port);
  NativertView *view = &ri->inputs[port].view;
  size_t item = nativert_dtype_get_size (tensor->dtype), align = MIN (item, sizeof (int64_t));
  uint32_t inner;

  ri->tensors[port] = tensor;
  ri->inputs[port].kind = NATIVERT_VALUE_TENSOR;
  view->data = NULL;
  view->dtype = (uint8_t) tensor->dtype;
  view->device = NATIVERT_DEVICE_CPU;
  view->ndim = (uint8_t) tensor->n_dims;
  memcpy (view->size, tensor->size, tensor->n_dims * sizeof (int64_t));
  nativert_strided_dense (tensor->size, tensor->n_dims, view->stride);
  ri->lay_out[port] = (uintptr_t) tensor->data % align != 0;
  if (nativert_strided_equal (tensor->size, tensor->stride, view->stride, tensor->n_dims))
    return;
  if (!ri->lay_out[port] && is_dense (tensor, &inner)
      && is_inner_of (input->value != NULL ? input->value->meta : NULL, inner))
    memcpy (view->stride, tensor->stride, tensor->n_dims * sizeof (int64_t));
  else
    ri->lay_out[port] = true;
}

static void
set_constant (NativertRunInputs *ri, const NativertCore *core, uint32_t port)
{
  const NativertGraphArg *arg = &nativert_core_graph_input (core, port)->constant;
  NativertPlanInput *in = &ri->inputs[port];

  ri->tensors[port] = NULL;
  ri->lay_out[port] = false;
  in->kind = (uint8_t) core->inputs[port].kind;
  in->string = NULL;
  if (in->kind == NATIVERT_VALUE_INT)
    in->number = (NativertNum) { .kind = NATIVERT_NUM_INT, .u.i = arg->u.i };
  else if (in->kind == NATIVERT_VALUE_BOOL)
    in->number = (NativertNum) { .kind = NATIVERT_NUM_BOOL, .u.b = arg->u.i != 0 };
  else if (in->kind == NATIVERT_VALUE_FLOAT)
    in->number = (NativertNum) { .kind = NATIVERT_NUM_FLOAT, .u.f = arg->u.f };
  else if (in->kind == NATIVERT_VALUE_STRING)
    in->string = arg->u.s;
}

static void
set_value (NativertRunInputs *ri, const NativertCore *core, uint32_t port, const NativertValue *value)
{
  NativertPlanInput *in = &ri->inputs[port];

  ri->tensors[port] = NULL;
  ri->lay_out[port] = false;
  in->kind = value != NULL ? (uint8_t) nativert_value_get_kind (value) : NATIVERT_VALUE_NONE;
  in->string = NULL;
  if (in->kind == NATIVERT_VALUE_TENSOR)
    set_tensor (ri, core, port, nativert_value_get_tensor (value));
  else if (in->kind == NATIVERT_VALUE_INT)
    in->number = (NativertNum) { .kind = NATIVERT_NUM_INT, .u.i = nativert_value_get_int (value) };
  else if (in->kind == NATIVERT_VALUE_BOOL)
    in->number = (NativertNum) { .kind = NATIVERT_NUM_BOOL, .u.b = nativert_value_get_bool (value) };
  else if (in->kind == NATIVERT_VALUE_FLOAT)
    in->number = (NativertNum) { .kind = NATIVERT_NUM_FLOAT, .u.f = nativert_value_get_float (value) };
  else if (in->kind == NATIVERT_VALUE_STRING)
    in->string = nativert_value_get_string (value);
}

static uint64_t
mix (uint64_t hash, uint64_t word)
{
  hash = (hash ^ word) * UINT64_C (0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static uint64_t
number_bits (const NativertNum *number)
{
  uint64_t bits = 0;

  if (number->kind == NATIVERT_NUM_BOOL)
    return number->u.b;
  memcpy (&bits, &number->u, sizeof bits);
  return bits;
}

static void
hash_inputs (NativertRunInputs *ri)
{
  uint64_t hash = ri->n;

  for (uint32_t i = 0; i < ri->n; i++) {
    const NativertPlanInput *in = &ri->inputs[i];
    hash = mix (hash, in->kind);
    if (in->kind == NATIVERT_VALUE_TENSOR) {
      hash = mix (hash, in->view.dtype | (uint64_t) in->view.ndim << 8);
      for (uint32_t k = 0; k < in->view.ndim; k++)
        hash = mix (mix (hash, (uint64_t) in->view.size[k]), (uint64_t) in->view.stride[k]);
    } else if (in->kind == NATIVERT_VALUE_STRING) {
      hash = mix (hash, g_str_hash (in->string));
    } else if (in->kind != NATIVERT_VALUE_NONE) {
      hash = mix (hash, number_bits (&in->number));
    }
  }
  ri->hash = hash;
}

static bool
wrong_count (uint32_t got, uint32_t want, GError **error)
{
  g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_INVALID_INPUT, "%u input%s given, the model takes %u", got,
      got == 1 ? "" : "s", want);
  return false;
}

bool
nativert_run_inputs_set_tensors (
    NativertRunInputs *ri, const NativertCore *core, NativertTensor *const *tensors, uint32_t n, GError **error)
{
  uint32_t used = 0, n_tensors = 0;

  for (uint32_t i = 0; i < core->n_inputs; i++)
    n_tensors += core->inputs[i].kind == NATIVERT_VALUE_TENSOR;
  if (n != n_tensors)
    return wrong_count (n, n_tensors, error);
  for (uint32_t i = 0; i < core->n_inputs; i++) {
    if (core->inputs[i].kind == NATIVERT_VALUE_TENSOR) {
      set_tensor (ri, core, i, tensors[used++]);
    } else if (nativert_core_graph_input (core, i)->value == NULL) {
      set_constant (ri, core, i);
    } else {
      g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_INVALID_INPUT,
          "input %s is no tensor: call the run that takes values", core->inputs[i].name);
      return false;
    }
  }
  hash_inputs (ri);
  return true;
}

bool
nativert_run_inputs_set_values (
    NativertRunInputs *ri, const NativertCore *core, NativertValue *const *values, uint32_t n, GError **error)
{
  if (n != core->n_inputs)
    return wrong_count (n, core->n_inputs, error);
  for (uint32_t i = 0; i < n; i++)
    set_value (ri, core, i, values[i]);
  hash_inputs (ri);
  return true;
}

NativertPlanInput *
nativert_plan_inputs_dup (const NativertPlanInput *inputs, uint32_t n)
{
  NativertPlanInput *copy = g_new0 (NativertPlanInput, n + 1);

  for (uint32_t i = 0; i < n; i++) {
    copy[i] = inputs[i];
    copy[i].string = inputs[i].kind == NATIVERT_VALUE_STRING ? g_strdup (inputs[i].string) : NULL;
  }
  return copy;
}

void
nativert_plan_inputs_free (NativertPlanInput *inputs, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    g_free ((char *) inputs[i].string);
  g_free (inputs);
}

static bool
views_equal (const NativertView *a, const NativertView *b)
{
  return a->dtype == b->dtype && a->ndim == b->ndim && memcmp (a->size, b->size, a->ndim * sizeof a->size[0]) == 0 &&
      memcmp (a->stride, b->stride, a->ndim * sizeof a->stride[0]) == 0;
}

bool
nativert_plan_inputs_equal (const NativertPlanInput *a, const NativertPlanInput *b, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    if (a[i].kind != b[i].kind)
      return false;
    if (a[i].kind == NATIVERT_VALUE_TENSOR ? !views_equal (&a[i].view, &b[i].view)
        : a[i].kind == NATIVERT_VALUE_STRING ? strcmp (a[i].string, b[i].string) != 0
        : a[i].kind != NATIVERT_VALUE_NONE && number_bits (&a[i].number) != number_bits (&b[i].number))
      return false;
  }
  return true;
}
