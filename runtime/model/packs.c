/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packs: weights rewritten the way a kernel wants to read them, once per version, shared by all plans that ask for the
 * same. */
#include "model/weights.h"

#include <string.h>

typedef struct {
  uint32_t weight, key;
  void (*fn) (void *dst, const NativertView *src, const void *params);
  int64_t offset;
  size_t n_bytes;
  NativertView view;                    /* data NULL */
  NativertStorage *storage;
} Pack;

struct NativertPackCache { GHashTable *packs; };         /* Pack -> itself */

static guint
pack_hash (gconstpointer data)
{
  const Pack *pack = data;
  guint64 h = pack->weight * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) ^ pack->key;

  h = (h ^ (guint64) pack->offset) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  for (uint32_t i = 0; i < pack->view.ndim; i++)
    h = (h ^ (guint64) pack->view.size[i]) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return (guint) (h >> 32);
}

static gboolean
pack_equal (gconstpointer first, gconstpointer second)
{
  const Pack *a = first, *b = second;

  if (a->weight != b->weight || a->key != b->key || a->fn != b->fn || a->offset != b->offset || a->n_bytes != b->n_bytes
      || a->view.ndim != b->view.ndim || a->view.dtype != b->view.dtype)
    return FALSE;
  for (uint32_t i = 0; i < a->view.ndim; i++)
    if (a->view.size[i] != b->view.size[i] || a->view.stride[i] != b->view.stride[i])
      return FALSE;
  return TRUE;
}

static void
pack_free (gpointer data)
{
  Pack *pack = data;

  g_clear_pointer (&pack->storage, nativert_storage_unref);
  g_free (pack);
}

NativertPackCache *
nativert_pack_cache_new (void)
{
  NativertPackCache *cache = g_new0 (NativertPackCache, 1);

  cache->packs = g_hash_table_new_full (pack_hash, pack_equal, NULL, pack_free);
  return cache;
}

void
nativert_pack_cache_free (NativertPackCache *cache)
{
  g_hash_table_unref (cache->packs);
  g_free (cache);
}

static Pack
describe (const NativertPlan *plan, uint32_t index)
{
  const NativertPlanPack *wish = &plan->packs[index];
  Pack pack = { .weight = wish->weight, .key = wish->pack.key, .fn = wish->pack.fn, .offset = wish->offset,
    .n_bytes = wish->pack.n_bytes, .view = wish->view };

  pack.view.data = NULL;
  return pack;
}

const void *
nativert_pack_cache_find (NativertPackCache *cache, const NativertPlan *plan, uint32_t index)
{
  Pack wanted = describe (plan, index);
  const Pack *pack = g_hash_table_lookup (cache->packs, &wanted);

  return pack != NULL ? nativert_storage_data (pack->storage) : NULL;
}

const void *
nativert_pack_cache_make (
    NativertPackCache *cache, const NativertPlan *plan, uint32_t index, const void *data, GError **error)
{
  Pack wanted = describe (plan, index), *pack;
  g_autoptr (NativertStorage) storage = nativert_storage_new (wanted.n_bytes, error);
  NativertView view = wanted.view;

  if (storage == NULL)
    return NULL;
  view.data = (char *) data + wanted.offset;
  wanted.fn (nativert_storage_data (storage), &view, plan->params + plan->packs[index].params);
  pack = g_memdup2 (&wanted, sizeof wanted);
  pack->storage = g_steal_pointer (&storage);
  g_hash_table_add (cache->packs, pack);
  return nativert_storage_data (pack->storage);
}
