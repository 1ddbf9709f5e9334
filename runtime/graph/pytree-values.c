/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values against a TreeSpec: arguments become leaves, leaves become results. */
#include "graph/pytree-private.h"

/* Where we are, for messages: the names from the root. */
typedef struct Place { const struct Place *up; const char *key; uint32_t index; } Place;
typedef struct { const NativertTreeSpec *spec; GPtrArray *leaves; GError **error; } Flattener;

static void
append_place (GString *s, const Place *place)
{
  if (place->up)
    append_place (s, place->up);
  if (place->key)
    g_string_append_printf (s, "%s%s", s->len ? "." : "", place->key);
  else if (place->up)
    g_string_append_printf (s, "[%u]", place->index);
}

static bool G_GNUC_PRINTF (3, 4)
fail (Flattener *f, const Place *place, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_autoptr (GString) where = g_string_new (NULL);
  append_place (where, place);
  g_set_error (f->error, NATIVERT_ERROR, NATIVERT_ERROR_INVALID_INPUT, "%s: %s", where->str, text);
  return false;
}

static bool
is_sequence (const NativertValue *value)
{
  NativertValueKind kind = nativert_value_get_kind (value);
  return kind == NATIVERT_VALUE_LIST || kind == NATIVERT_VALUE_TUPLE;
}

static void
fill_with_none (Flattener *f, const NativertTreeNode *node)
{
  for (uint32_t i = 0; i < node->n_leaves; i++)
    g_ptr_array_add (f->leaves, f->spec->none);
}

static bool flatten (Flattener *f, const NativertTreeNode *node, NativertValue *value, const Place *place);

static bool
flatten_sequence (Flattener *f, const NativertTreeNode *node, NativertValue *value, const Place *place)
{
  if (!is_sequence (value))
    return fail (f, place, "expected a %s of %u", node->kind == NATIVERT_TREE_LIST ? "list" : "tuple", node->n);
  if (nativert_value_get_length (value) != node->n)
    return fail (f, place, "expected %u values, got %u", node->n, nativert_value_get_length (value));
  for (uint32_t i = 0; i < node->n; i++) {
    Place child = { place, NULL, i };
    if (!flatten (f, &node->children[i], nativert_value_get_child (value, i), &child))
      return false;
  }
  return true;
}

static const char *
unknown_key (const NativertTreeNode *node, const NativertValue *value)
{
  for (guint i = 0; i < nativert_value_get_length (value); i++) {
    const char *key = nativert_value_get_key (value, i);
    bool known = false;
    for (uint32_t k = 0; k < node->n && !known; k++)
      known = g_str_equal (node->keys[k], key);
    if (!known)
      return key;
  }
  return NULL;
}

/* In the order of the spec; what is missing is None. */
static bool
flatten_dict (Flattener *f, const NativertTreeNode *node, NativertValue *value, const Place *place)
{
  if (nativert_value_get_kind (value) != NATIVERT_VALUE_DICT)
    return fail (f, place, "expected a dict of %u", node->n);
  const char *unknown = unknown_key (node, value);
  if (unknown)
    return fail (f, place, "no key %s is expected", unknown);
  for (uint32_t i = 0; i < node->n; i++) {
    Place child = { place, node->keys[i], i };
    NativertValue *item = nativert_value_lookup (value, node->keys[i]);
    if (!item)
      fill_with_none (f, &node->children[i]);
    else if (!flatten (f, &node->children[i], item, &child))
      return false;
  }
  return true;
}

static bool
flatten (Flattener *f, const NativertTreeNode *node, NativertValue *value, const Place *place)
{
  bool named = node->kind == NATIVERT_TREE_DICT
      || (node->kind == NATIVERT_TREE_TUPLE && node->keys && nativert_value_get_kind (value) == NATIVERT_VALUE_DICT);
  if (named)
    return flatten_dict (f, node, value, place);
  if (node->kind != NATIVERT_TREE_LEAF)
    return flatten_sequence (f, node, value, place);
  if (is_sequence (value) || nativert_value_get_kind (value) == NATIVERT_VALUE_DICT)
    return fail (f, place, "expected one value, got %u in a list, tuple or dict", nativert_value_get_length (value));
  g_ptr_array_add (f->leaves, value);
  return true;
}

bool
nativert_tree_spec_flatten_call (
    const NativertTreeSpec *spec, NativertValue *args, NativertValue *kwargs, GPtrArray *leaves, GError **error)
{
  Flattener f = { spec, leaves, error };
  const NativertTreeNode *root = &spec->root;
  static const Place args_place = { .key = "args" }, kwargs_place = { .key = "kwargs" };
  if (root->kind != NATIVERT_TREE_TUPLE || root->n != 2 || root->children[0].kind != NATIVERT_TREE_TUPLE
      || root->children[1].kind != NATIVERT_TREE_DICT) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "in_spec is no pair of arguments and keyword arguments");
    return false;
  }
  g_autoptr (NativertValue) no_args = nativert_value_new_tuple (), no_kwargs = nativert_value_new_dict ();
  return flatten (&f, &root->children[0], args ? args : no_args, &args_place)
      && flatten (&f, &root->children[1], kwargs ? kwargs : no_kwargs, &kwargs_place);
}

/* ---- results ---- */

static NativertValue *
unflatten (const NativertTreeNode *node, NativertValue ***leaf)
{
  if (node->kind == NATIVERT_TREE_LEAF)
    return *(*leaf)++;
  NativertValue *value = node->kind == NATIVERT_TREE_DICT ? nativert_value_new_dict ()
      : node->kind == NATIVERT_TREE_LIST ? nativert_value_new_list () : nativert_value_new_tuple ();
  for (uint32_t i = 0; i < node->n; i++) {
    NativertValue *child = unflatten (&node->children[i], leaf);
    if (node->kind == NATIVERT_TREE_DICT)
      nativert_value_set (value, node->keys[i], child);
    else
      nativert_value_append (value, child);
  }
  return value;
}

NativertValue *
nativert_tree_spec_unflatten (const NativertTreeSpec *spec, NativertValue **leaves, uint32_t n_leaves, GError **error)
{
  if (n_leaves == spec->root.n_leaves)
    return unflatten (&spec->root, &leaves);
  g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISMATCH,
      "the structure of the results has %u leaves, there are %u results", spec->root.n_leaves, n_leaves);
  for (uint32_t i = 0; i < n_leaves; i++)
    nativert_value_unref (leaves[i]);
  return NULL;
}
