/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory of one output of one plan, used again when the last reader is done. */
#include "model/output-pool.h"
#include "base/refs.h"
#include "base/tensor.h"
#include "model/lock.h"

enum { MAX_IDLE = 16 };                 /* a reader that held on to many results once does not cost memory for ever */

struct NativertOutputBuffer {
  NativertTensor tensor;
  NativertOutputPool *pool;
  NativertOutputBuffer *next;
  NativertStorage *storage;
};

struct NativertOutputPool {
  NativertRefs refs;                    /* the plan's, and one for every buffer that is out */
  NativertLock lock;
  NativertOutputBuffer *idle;
  uint32_t n_idle;
  bool closed;
  NativertView view;
  int64_t offset;
  size_t n_bytes;
};

NativertOutputPool *
nativert_output_pool_new (const NativertView *view, int64_t offset, size_t n_bytes)
{
  NativertOutputPool *pool = g_new0 (NativertOutputPool, 1);

  nativert_refs_init (&pool->refs);
  pthread_mutex_init (&pool->lock, NULL);
  pool->view = *view;
  pool->offset = offset;
  pool->n_bytes = n_bytes;
  return pool;
}

static void
pool_unref (NativertOutputPool *pool)
{
  if (!nativert_refs_dec (&pool->refs))
    return;
  pthread_mutex_destroy (&pool->lock);
  g_free (pool);
}

static void
buffer_free (NativertOutputBuffer *buffer)
{
  nativert_storage_unref (buffer->storage);
  g_free (buffer);
}

void
nativert_output_pool_free (NativertOutputPool *pool)
{
  NativertOutputBuffer *buffer, *next;

  if (pool == NULL)
    return;
  pthread_mutex_lock (&pool->lock);
  buffer = g_steal_pointer (&pool->idle);
  pool->closed = true;
  pthread_mutex_unlock (&pool->lock);
  for (; buffer != NULL; buffer = next) {
    next = buffer->next;
    buffer_free (buffer);
  }
  pool_unref (pool);
}

NativertOutputBuffer *
nativert_output_pool_take (NativertOutputPool *pool, GError **error)
{
  NativertOutputBuffer *buffer;

  pthread_mutex_lock (&pool->lock);
  buffer = pool->idle;
  if (buffer != NULL) {
    pool->idle = buffer->next;
    pool->n_idle--;
  }
  pthread_mutex_unlock (&pool->lock);
  if (buffer == NULL) {
    g_autoptr (NativertStorage) storage = nativert_storage_new (pool->n_bytes, error);
    if (storage == NULL)
      return NULL;
    buffer = g_new0 (NativertOutputBuffer, 1);
    buffer->storage = g_steal_pointer (&storage);
    buffer->pool = pool;
  }
  nativert_refs_inc (&pool->refs);
  return buffer;
}

void *
nativert_output_buffer_data (NativertOutputBuffer *buffer)
{
  return nativert_storage_data (buffer->storage);
}

void
nativert_output_buffer_return (NativertOutputBuffer *buffer)
{
  NativertOutputPool *pool = buffer->pool;
  bool keep;

  pthread_mutex_lock (&pool->lock);
  keep = !pool->closed && pool->n_idle < MAX_IDLE;
  if (keep) {
    buffer->next = pool->idle;
    pool->idle = buffer;
    pool->n_idle++;
  }
  pthread_mutex_unlock (&pool->lock);
  if (!keep)
    buffer_free (buffer);
  pool_unref (pool);
}

static void
recycle (gpointer buffer)
{
  nativert_output_buffer_return (buffer);
}

NativertTensor *
nativert_output_buffer_to_tensor (NativertOutputBuffer *buffer)
{
  const NativertView *view = &buffer->pool->view;
  char *data = nativert_output_buffer_data (buffer);

  G_STATIC_ASSERT (sizeof (gint64) == sizeof (int64_t) && (int) NATIVERT_TENSOR_MAX_DIMS >= (int) NATIVERT_MAX_DIMS);
  nativert_tensor_init_pooled (&buffer->tensor, (NativertDtype) view->dtype, view->size, view->stride, view->ndim,
      data + buffer->pool->offset, recycle, buffer);
  return &buffer->tensor;
}
