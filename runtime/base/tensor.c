/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NativertTensor: a typed, strided view of memory that it owns or borrows.  It computes nothing. */
#include "base/tensor.h"
#include "base/checked.h"
#include "base/memory.h"
#include "base/strided.h"

#define MAX_DIMS NATIVERT_TENSOR_MAX_DIMS

G_DEFINE_BOXED_TYPE (NativertTensor, nativert_tensor, nativert_tensor_ref, nativert_tensor_unref)

static void
init_view (NativertTensor *tensor, NativertDtype dtype, const gint64 *sizes, const gint64 *strides, guint n_dims)
{
  nativert_refs_init (&tensor->refs);
  tensor->dtype = dtype;
  tensor->n_dims = n_dims;
  for (guint i = 0; i < n_dims; i++)
    tensor->size[i] = sizes[i];
  if (strides == NULL)
    nativert_strided_dense (sizes, n_dims, tensor->stride);
  for (guint i = 0; i < n_dims && strides != NULL; i++)
    tensor->stride[i] = strides[i];
}

static NativertTensor *
new_view (NativertDtype dtype, const gint64 *sizes, const gint64 *strides, guint n_dims)
{
  NativertTensor *tensor = g_new0 (NativertTensor, 1);

  init_view (tensor, dtype, sizes, strides, n_dims);
  return tensor;
}

void
nativert_tensor_init_pooled (NativertTensor *tensor, NativertDtype dtype, const gint64 *sizes, const gint64 *strides,
    guint n_dims, gpointer data, GDestroyNotify recycle, gpointer user_data)
{
  init_view (tensor, dtype, sizes, strides, n_dims);
  tensor->data = data;
  tensor->owns = false;
  tensor->pooled = true;
  tensor->destroy = recycle;
  tensor->user_data = user_data;
}

/* Bytes of a contiguous tensor; false when the sizes make no sense. */
static bool
contiguous_bytes (NativertDtype dtype, const gint64 *sizes, guint n_dims, gsize *n_bytes)
{
  gint64 numel, product = 1;

  if ((guint) dtype > NATIVERT_DTYPE_FLOAT8_E8M0FNU || n_dims > MAX_DIMS || !nativert_numel (sizes, n_dims, &numel))
    return false;
  /* strides of an empty tensor count the other sizes, which must not overflow either */
  for (guint i = 0; i < n_dims; i++)
    if (!nativert_mul_i64 (product, MAX (sizes[i], 1), &product))
      return false;
  return nativert_mul_size ((gsize) numel, nativert_dtype_get_size (dtype), n_bytes) && *n_bytes <= G_MAXSSIZE;
}

NativertTensor *
nativert_tensor_new (NativertDtype dtype, const gint64 *sizes, guint n_dims)
{
  NativertTensor *tensor;
  gsize n_bytes;
  gpointer data;

  if (!contiguous_bytes (dtype, sizes, n_dims, &n_bytes))
    return NULL;
  data = nativert_memory_alloc (n_bytes);
  if (data == NULL)
    return NULL;
  tensor = new_view (dtype, sizes, NULL, n_dims);
  tensor->data = data;
  tensor->n_owned = n_bytes;
  tensor->owns = true;
  return tensor;
}

NativertTensor *
nativert_tensor_new_from_bytes (NativertDtype dtype, const gint64 *sizes, guint n_dims, GBytes *bytes)
{
  NativertTensor *tensor;
  gsize n_bytes;

  g_return_val_if_fail (bytes != NULL, NULL);
  if (!contiguous_bytes (dtype, sizes, n_dims, &n_bytes) || n_bytes > g_bytes_get_size (bytes))
    return NULL;
  tensor = new_view (dtype, sizes, NULL, n_dims);
  tensor->data = (gpointer) g_bytes_get_data (bytes, NULL);
  tensor->destroy = (GDestroyNotify) g_bytes_unref;
  tensor->user_data = g_bytes_ref (bytes);
  return tensor;
}

NativertTensor *
nativert_tensor_new_borrowed (NativertDtype dtype, const gint64 *sizes, const gint64 *strides, guint n_dims,
    gpointer data, GDestroyNotify destroy, gpointer user_data)
{
  NativertTensor *tensor;

  g_return_val_if_fail (n_dims <= MAX_DIMS, NULL);
  tensor = new_view (dtype, sizes, strides, n_dims);
  tensor->data = data;
  tensor->destroy = destroy;
  tensor->user_data = user_data;
  return tensor;
}

NativertTensor *
nativert_tensor_ref (NativertTensor *tensor)
{
  g_return_val_if_fail (tensor != NULL, NULL);
  nativert_refs_inc (&tensor->refs);
  return tensor;
}

void
nativert_tensor_unref (NativertTensor *tensor)
{
  g_return_if_fail (tensor != NULL);
  if (!nativert_refs_dec (&tensor->refs))
    return;
  if (tensor->pooled) {                 /* the handle itself may be somebody else's before destroy returns */
    tensor->destroy (tensor->user_data);
    return;
  }
  if (tensor->owns)
    nativert_memory_free (tensor->data, tensor->n_owned);
  else if (tensor->destroy != NULL)
    tensor->destroy (tensor->user_data);
  g_free (tensor);
}

NativertDtype
nativert_tensor_get_dtype (const NativertTensor *tensor)
{
  g_return_val_if_fail (tensor != NULL, NATIVERT_DTYPE_FLOAT32);
  return tensor->dtype;
}

guint
nativert_tensor_get_n_dims (const NativertTensor *tensor)
{
  g_return_val_if_fail (tensor != NULL, 0);
  return tensor->n_dims;
}

static bool
wrap_dim (const NativertTensor *tensor, gint *dim)
{
  if (*dim < 0)
    *dim += (gint) tensor->n_dims;
  return *dim >= 0 && (guint) *dim < tensor->n_dims;
}

gint64
nativert_tensor_get_size (const NativertTensor *tensor, gint dim)
{
  g_return_val_if_fail (tensor != NULL && wrap_dim (tensor, &dim), 0);
  return tensor->size[dim];
}

gint64
nativert_tensor_get_stride (const NativertTensor *tensor, gint dim)
{
  g_return_val_if_fail (tensor != NULL && wrap_dim (tensor, &dim), 0);
  return tensor->stride[dim];
}

gint64
nativert_tensor_get_n_elements (const NativertTensor *tensor)
{
  gint64 n = 1;

  g_return_val_if_fail (tensor != NULL, 0);
  for (guint i = 0; i < tensor->n_dims; i++)
    n *= tensor->size[i];
  return n;
}

gpointer
nativert_tensor_get_data (const NativertTensor *tensor)
{
  g_return_val_if_fail (tensor != NULL, NULL);
  return tensor->data;
}

NativertTensor *
nativert_tensor_contiguous (NativertTensor *tensor)
{
  NativertTensor *copy;
  gint64 dense[MAX_DIMS];

  g_return_val_if_fail (tensor != NULL, NULL);
  nativert_strided_dense (tensor->size, tensor->n_dims, dense);
  if (nativert_strided_equal (tensor->size, tensor->stride, dense, tensor->n_dims))
    return nativert_tensor_ref (tensor);
  copy = nativert_tensor_new (tensor->dtype, tensor->size, tensor->n_dims);
  if (copy != NULL)
    nativert_strided_copy (copy->data, dense, tensor->data, tensor->stride, tensor->size, tensor->n_dims,
        nativert_dtype_get_size (tensor->dtype));
  return copy;
}

GBytes *
nativert_tensor_dup_bytes (NativertTensor *tensor)
{
  g_autoptr (NativertTensor) dense = NULL;
  gsize n_bytes;

  g_return_val_if_fail (tensor != NULL, NULL);
  dense = nativert_tensor_contiguous (tensor);
  if (dense == NULL)
    return NULL;
  n_bytes = (gsize) nativert_tensor_get_n_elements (dense) * nativert_dtype_get_size (dense->dtype);
  return g_bytes_new_with_free_func (
      dense->data, n_bytes, (GDestroyNotify) nativert_tensor_unref, nativert_tensor_ref (dense));
}
