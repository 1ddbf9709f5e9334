/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set of weights by name, whatever file they came from. */
#include "package/package-private.h"

struct NativertWeightSet {
  NativertRegion *region;
  GArray *weights;                      /* NativertWeightDesc */
  GHashTable *index;                    /* name -> index + 1 */
};

NativertWeightSet *
nativert_weight_set_new (void)
{
  NativertWeightSet *set = g_new0 (NativertWeightSet, 1);

  set->region = nativert_region_new ();
  set->weights = g_array_new (FALSE, FALSE, sizeof (NativertWeightDesc));
  set->index = g_hash_table_new (g_str_hash, g_str_equal);
  return set;
}

void
nativert_weight_set_free (NativertWeightSet *set)
{
  if (set == NULL)
    return;
  for (guint i = 0; i < set->weights->len; i++) {
    NativertStorage *storage = g_array_index (set->weights, NativertWeightDesc, i).storage;
    if (storage != NULL)
      nativert_storage_unref (storage);
  }
  g_array_unref (set->weights);
  g_hash_table_unref (set->index);
  nativert_region_free (set->region);
  g_free (set);
}

NativertRegion *
nativert_weight_set_region (NativertWeightSet *set)
{
  return set->region;
}

bool
nativert_weight_set_add (NativertWeightSet *set, const NativertWeightDesc *desc)
{
  if (g_hash_table_contains (set->index, desc->name))
    return false;
  g_array_append_vals (set->weights, desc, 1);
  if (desc->storage != NULL)
    nativert_storage_ref (desc->storage);
  g_hash_table_insert (set->index, (gpointer) desc->name, GUINT_TO_POINTER (set->weights->len));
  return true;
}

uint32_t
nativert_weight_set_n (const NativertWeightSet *set)
{
  return set->weights->len;
}

const NativertWeightDesc *
nativert_weight_set_get (const NativertWeightSet *set, uint32_t index)
{
  return index < set->weights->len ? &g_array_index (set->weights, NativertWeightDesc, index) : NULL;
}

const NativertWeightDesc *
nativert_weight_set_find (const NativertWeightSet *set, const char *fqn)
{
  guint at = GPOINTER_TO_UINT (g_hash_table_lookup (set->index, fqn));

  return at > 0 ? nativert_weight_set_get (set, at - 1) : NULL;
}
