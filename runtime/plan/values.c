/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of a plan being made: blocks of memory, and views of them whose every byte was checked to lie inside. */
#include <string.h>
#include <unistd.h>
#include "base/checked.h"
#include "plan/builder.h"

/* Sizes come from files: no plan may ask for more memory than the machine has. */
bool
nativert_builder_check_limit (NativertBuilder *b, size_t n_bytes)
{
  if (n_bytes <= b->limit)
    return true;
  return nativert_builder_fail (
      b, NATIVERT_ERROR_LIMIT, "needs %zu MiB of memory, the limit is %zu MiB", n_bytes >> 20, b->limit >> 20);
}

uint32_t
nativert_builder_add_block (NativertBuilder *b, uint8_t mem, uint32_t index, size_t n_bytes)
{
  NativertPlanBlock block = { .b = { .mem = mem, .index = index, .n_bytes = n_bytes } };
  g_array_append_val (b->blocks, block);
  return b->blocks->len - 1;
}

NativertRef
nativert_builder_add_value (NativertBuilder *b, uint32_t block, int64_t offset, const NativertView *view)
{
  const NativertPlanBlock *owner = NATIVERT_BLOCK (b, block);
  size_t item = nativert_dtype_size (view->dtype), n_bytes, end;
  if (!item || view->ndim > NATIVERT_MAX_DIMS || offset < 0
      || !nativert_extent (view->size, view->stride, view->ndim, 0, item, &n_bytes)
      || !nativert_add_size (n_bytes, (size_t) offset, &end) || (n_bytes && end > owner->b.n_bytes)) {
    g_autofree char *text = nativert_view_to_text (view);
    nativert_builder_fail (b, NATIVERT_ERROR_MISMATCH,
        "a view %s at byte %" G_GINT64_FORMAT " reaches outside of its %zu bytes", text, offset, owner->b.n_bytes);
    return NATIVERT_NO_REF;
  }
  NativertPlanValue value
      = { .block = block, .offset = offset, .view = *view, .contiguous = NATIVERT_NO_REF, .cast = NATIVERT_NO_REF };
  value.view.data = owner->data ? (char *) owner->data + offset : NULL;
  g_array_append_val (b->values, value);
  return (NativertRef) b->values->len - 1;
}

NativertRef
nativert_builder_new_tensor (NativertBuilder *b, const NativertView *view)
{
  size_t n_bytes;
  if (view->ndim > NATIVERT_MAX_DIMS
      || !nativert_extent (view->size, view->stride, view->ndim, 0, nativert_dtype_size (view->dtype), &n_bytes)) {
    g_autofree char *text = nativert_view_to_text (view);
    nativert_builder_fail (b, NATIVERT_ERROR_LIMIT, "a tensor %s does not fit in memory", text);
    return NATIVERT_NO_REF;
  }
  if (!nativert_builder_check_limit (b, n_bytes))
    return NATIVERT_NO_REF;
  return nativert_builder_add_value (b, nativert_builder_add_block (b, NATIVERT_MEM_ARENA, 0, n_bytes), 0, view);
}

/* The bytes stay in the builder's region until they are gathered in plan->constants. */
NativertRef
nativert_builder_constant (NativertBuilder *b, const NativertView *view)
{
  NativertView v;
  nativert_view_init (&v, view->dtype, view->ndim, view->size);
  size_t n_bytes;
  if (!nativert_extent (v.size, v.stride, v.ndim, 0, nativert_dtype_size (v.dtype), &n_bytes)
      || !nativert_builder_check_limit (b, n_bytes)) {
    nativert_builder_fail (b, NATIVERT_ERROR_LIMIT, "a constant does not fit in memory");
    return NATIVERT_NO_REF;
  }
  uint32_t block = nativert_builder_add_block (b, NATIVERT_MEM_CONSTANT, 0, n_bytes);
  NATIVERT_BLOCK (b, block)->b.offset = b->constants_bytes;
  NATIVERT_BLOCK (b, block)->data = nativert_region_memdup (b->temp, view->data, n_bytes);
  b->constants_bytes += (n_bytes + NATIVERT_ALIGN - 1) / NATIVERT_ALIGN * NATIVERT_ALIGN;
  return nativert_builder_add_value (b, block, 0, &v);
}

NativertRef
nativert_builder_number (NativertBuilder *b, NativertNum number)
{
  static const uint8_t dtype[]
      = { [NATIVERT_NUM_INT] = NATIVERT_I64, [NATIVERT_NUM_FLOAT] = NATIVERT_F64, [NATIVERT_NUM_BOOL] = NATIVERT_BOOL };
  NativertView v;
  uint8_t byte = number.kind == NATIVERT_NUM_BOOL ? number.u.b : 0;
  nativert_view_init (&v, dtype[number.kind], 0, NULL);
  v.data = number.kind == NATIVERT_NUM_INT ? (void *) &number.u.i
      : number.kind == NATIVERT_NUM_FLOAT  ? (void *) &number.u.f
                                           : (void *) &byte;
  NativertRef ref = nativert_builder_constant (b, &v);
  if (ref >= 0) {
    NATIVERT_VALUE (b, ref)->wrapped = NATIVERT_VALUE (b, ref)->is_number = true;
    NATIVERT_VALUE (b, ref)->number = number;
  }
  return ref;
}

bool
nativert_view_same_shape (const NativertView *a, const NativertView *b)
{
  return a->ndim == b->ndim && !memcmp (a->size, b->size, a->ndim * sizeof a->size[0]);
}

/* Of the dimensions where it matters. */
bool
nativert_view_same_strides (const NativertView *a, const NativertView *b)
{
  for (int d = 0; d < a->ndim; d++)
    if (a->size[d] > 1 && a->stride[d] != b->stride[d])
      return false;
  return true;
}

/* One element per address and no holes: some permutation of contiguous. */
bool
nativert_view_is_dense (const NativertView *v)
{
  bool used[NATIVERT_MAX_DIMS] = { false };
  int64_t expected = 1;
  for (int n = 0; n < v->ndim; n++) {
    int next = -1;
    for (int d = 0; d < v->ndim; d++)
      if (v->size[d] == 0)
        return true;
      else if (!used[d] && v->size[d] > 1 && (next < 0 || v->stride[d] < v->stride[next]))
        next = d;
    if (next < 0)
      break;
    if (v->stride[next] != expected || __builtin_mul_overflow (expected, v->size[next], &expected))
      return false;
    used[next] = true;
  }
  return true;
}

bool
nativert_builder_same_memory (const NativertBuilder *b, NativertRef a, NativertRef c)
{
  const NativertPlanValue *x = NATIVERT_VALUE (b, a), *y = NATIVERT_VALUE (b, c);
  return x->block == y->block && x->offset == y->offset
      && nativert_dtype_size (x->view.dtype) == nativert_dtype_size (y->view.dtype)
      && nativert_view_same_shape (&x->view, &y->view) && nativert_view_same_strides (&x->view, &y->view);
}

char *
nativert_view_to_text (const NativertView *v)
{
  GString *s = g_string_new (nativert_dtype_name (v->dtype));
  g_string_append_c (s, '[');
  for (int d = 0; d < v->ndim; d++)
    g_string_append_printf (s, "%s%" G_GINT64_FORMAT, d ? ", " : "", v->size[d]);
  return g_string_free (g_string_append_c (s, ']'), FALSE);
}
