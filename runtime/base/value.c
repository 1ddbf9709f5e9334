/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NativertValue: a tensor, number, string, None, or a list, tuple or dict of values. */
#include "base/refs.h"
#include "nativert.h"

#include <stdbool.h>

struct _NativertValue {
  NativertRefs refs;
  NativertValueKind kind;
  union {
    NativertTensor *tensor;
    gint64 i;
    gdouble f;
    char *s;
    struct {
      GPtrArray *items, *keys;          /* keys: dicts only; owned by index */
      GHashTable *index;                /* key -> position */
    } list;
  } u;
};

G_DEFINE_BOXED_TYPE (NativertValue, nativert_value, nativert_value_ref, nativert_value_unref)

static NativertValue *
new_value (NativertValueKind kind)
{
  NativertValue *value = g_new0 (NativertValue, 1);

  nativert_refs_init (&value->refs);
  value->kind = kind;
  return value;
}

static bool
has_children (const NativertValue *value)
{
  return value->kind == NATIVERT_VALUE_LIST || value->kind == NATIVERT_VALUE_TUPLE
         || value->kind == NATIVERT_VALUE_DICT;
}

static NativertValue *
new_container (NativertValueKind kind)
{
  NativertValue *value = new_value (kind);

  value->u.list.items = g_ptr_array_new_with_free_func ((GDestroyNotify) nativert_value_unref);
  if (kind == NATIVERT_VALUE_DICT) {
    value->u.list.keys = g_ptr_array_new ();
    value->u.list.index = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  }
  return value;
}

NativertValue *
nativert_value_new_none (void)
{
  return new_value (NATIVERT_VALUE_NONE);
}

NativertValue *
nativert_value_new_tensor (NativertTensor *tensor)
{
  NativertValue *value;

  g_return_val_if_fail (tensor != NULL, NULL);
  value = new_value (NATIVERT_VALUE_TENSOR);
  value->u.tensor = nativert_tensor_ref (tensor);
  return value;
}

NativertValue *
nativert_value_new_int (gint64 number)
{
  NativertValue *value = new_value (NATIVERT_VALUE_INT);

  value->u.i = number;
  return value;
}

NativertValue *
nativert_value_new_float (gdouble number)
{
  NativertValue *value = new_value (NATIVERT_VALUE_FLOAT);

  value->u.f = number;
  return value;
}

NativertValue *
nativert_value_new_bool (gboolean truth)
{
  NativertValue *value = new_value (NATIVERT_VALUE_BOOL);

  value->u.i = truth ? 1 : 0;
  return value;
}

NativertValue *
nativert_value_new_string (const char *text)
{
  NativertValue *value = new_value (NATIVERT_VALUE_STRING);

  value->u.s = g_strdup (text != NULL ? text : "");
  return value;
}

NativertValue *
nativert_value_new_list (void)
{
  return new_container (NATIVERT_VALUE_LIST);
}

NativertValue *
nativert_value_new_tuple (void)
{
  return new_container (NATIVERT_VALUE_TUPLE);
}

NativertValue *
nativert_value_new_dict (void)
{
  return new_container (NATIVERT_VALUE_DICT);
}

void
nativert_value_append (NativertValue *list, NativertValue *item)
{
  g_return_if_fail (list != NULL && item != NULL);
  g_return_if_fail (list->kind == NATIVERT_VALUE_LIST || list->kind == NATIVERT_VALUE_TUPLE);
  g_ptr_array_add (list->u.list.items, item);
}

void
nativert_value_set (NativertValue *dict, const char *key, NativertValue *item)
{
  gpointer at;
  char *own;

  g_return_if_fail (dict != NULL && key != NULL && item != NULL && dict->kind == NATIVERT_VALUE_DICT);
  if (g_hash_table_lookup_extended (dict->u.list.index, key, NULL, &at)) {
    gpointer *slot = &g_ptr_array_index (dict->u.list.items, GPOINTER_TO_UINT (at));
    nativert_value_unref (*slot);
    *slot = item;
    return;
  }
  own = g_strdup (key);
  g_hash_table_insert (dict->u.list.index, own, GUINT_TO_POINTER (dict->u.list.items->len));
  g_ptr_array_add (dict->u.list.keys, own);
  g_ptr_array_add (dict->u.list.items, item);
}

NativertValue *
nativert_value_ref (NativertValue *value)
{
  g_return_val_if_fail (value != NULL, NULL);
  nativert_refs_inc (&value->refs);
  return value;
}

void
nativert_value_unref (NativertValue *value)
{
  g_return_if_fail (value != NULL);
  if (!nativert_refs_dec (&value->refs))
    return;
  if (value->kind == NATIVERT_VALUE_TENSOR)
    nativert_tensor_unref (value->u.tensor);
  else if (value->kind == NATIVERT_VALUE_STRING)
    g_free (value->u.s);
  else if (has_children (value)) {
    g_ptr_array_unref (value->u.list.items);
    g_clear_pointer (&value->u.list.keys, g_ptr_array_unref);
    g_clear_pointer (&value->u.list.index, g_hash_table_unref);
  }
  g_free (value);
}

NativertValueKind
nativert_value_get_kind (const NativertValue *value)
{
  g_return_val_if_fail (value != NULL, NATIVERT_VALUE_NONE);
  return value->kind;
}

NativertTensor *
nativert_value_get_tensor (const NativertValue *value)
{
  g_return_val_if_fail (value != NULL, NULL);
  return value->kind == NATIVERT_VALUE_TENSOR ? value->u.tensor : NULL;
}

gint64
nativert_value_get_int (const NativertValue *value)
{
  g_return_val_if_fail (value != NULL && (value->kind == NATIVERT_VALUE_INT || value->kind == NATIVERT_VALUE_BOOL), 0);
  return value->u.i;
}

gdouble
nativert_value_get_float (const NativertValue *value)
{
  g_return_val_if_fail (value != NULL, 0);
  if (value->kind == NATIVERT_VALUE_FLOAT)
    return value->u.f;
  return (gdouble) nativert_value_get_int (value);
}

gboolean
nativert_value_get_bool (const NativertValue *value)
{
  g_return_val_if_fail (value != NULL && value->kind == NATIVERT_VALUE_BOOL, FALSE);
  return value->u.i != 0;
}

const char *
nativert_value_get_string (const NativertValue *value)
{
  g_return_val_if_fail (value != NULL && value->kind == NATIVERT_VALUE_STRING, NULL);
  return value->u.s;
}

guint
nativert_value_get_length (const NativertValue *value)
{
  g_return_val_if_fail (value != NULL, 0);
  return has_children (value) ? value->u.list.items->len : 0;
}

NativertValue *
nativert_value_get_child (const NativertValue *value, guint index)
{
  g_return_val_if_fail (value != NULL && index < nativert_value_get_length (value), NULL);
  return g_ptr_array_index (value->u.list.items, index);
}

const char *
nativert_value_get_key (const NativertValue *value, guint index)
{
  g_return_val_if_fail (value != NULL && index < nativert_value_get_length (value), NULL);
  return value->kind == NATIVERT_VALUE_DICT ? g_ptr_array_index (value->u.list.keys, index) : NULL;
}

NativertValue *
nativert_value_lookup (const NativertValue *dict, const char *key)
{
  gpointer at;

  g_return_val_if_fail (dict != NULL && key != NULL && dict->kind == NATIVERT_VALUE_DICT, NULL);
  if (!g_hash_table_lookup_extended (dict->u.list.index, key, NULL, &at))
    return NULL;
  return g_ptr_array_index (dict->u.list.items, GPOINTER_TO_UINT (at));
}
