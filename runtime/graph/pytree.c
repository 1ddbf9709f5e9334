/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TreeSpec from its JSON text, [1, {"type", "context", "children_spec"}]; paths and text of it. */
#include <string.h>
#include "graph/pytree-private.h"
#include "package/json.h"

typedef struct {
  NativertTreeSpec *spec;
  const NativertJsonDoc *doc;
  const NativertProgram *program;
  GError **error;
} Parser;

/* ---- the words of the format ---- */

static bool
type_is (const char *type, const char *const *names)
{
  for (; *names; names++)
    if (g_str_equal (type, *names))
      return true;
  return false;
}

static const char *const tuples[] = { "builtins.tuple", "torch.Size", NULL };
static const char *const lists[]
    = { "builtins.list", "torch.fx.immutable_collections.immutable_list", "collections.deque", NULL };

/* A key as text: strings as they are, numbers as Python prints them. */
static const char *
key_text (Parser *p, const NativertJson *key)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  switch (key->type) {
  case NATIVERT_JSON_STRING:
    return nativert_region_strdup (p->spec->region, key->u.s);
  case NATIVERT_JSON_INT:
    g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, key->u.i);
    return nativert_region_strdup (p->spec->region, text);
  case NATIVERT_JSON_FLOAT:
    return nativert_region_strdup (p->spec->region, g_ascii_dtostr (text, sizeof text, nativert_json_double (key)));
  case NATIVERT_JSON_BOOL:
    return key->u.i ? "True" : "False";
  default:
    return NULL;
  }
}

/* n distinct keys from a JSON list; NULL when it is anything else. */
static const char *const *
keys_of (Parser *p, const NativertJson *list, uint32_t n)
{
  if (!list || list->type != NATIVERT_JSON_ARRAY || list->n != n)
    return NULL;
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  const char **keys = nativert_region_new_n (p->spec->region, const char *, n);
  for (uint32_t i = 0; i < n; i++)
    if (!(keys[i] = key_text (p, &list->u.items[i])) || !g_hash_table_add (seen, (gpointer) keys[i]))
      return NULL;
  return keys;
}

/* The keys of a dict: the context is JSON in a string, or an object for a defaultdict; a dataclass has [fields, None
 * fields]. */
static const char *const *
context_keys (Parser *p, const NativertJson *context, uint32_t n)
{
  if (context && context->type == NATIVERT_JSON_OBJECT)
    return keys_of (p, nativert_json_get (context, "dict_context"), n);
  if (!context || context->type != NATIVERT_JSON_STRING)
    return NULL;
  g_autoptr (NativertJsonDoc) doc = nativert_json_parse ("context", context->u.s, strlen (context->u.s), NULL);
  const NativertJson *root = doc ? nativert_json_root (doc) : NULL;
  if (root && root->type == NATIVERT_JSON_OBJECT)
    root = nativert_json_get (root, "dict_context");
  const char *const *keys = keys_of (p, root, n);
  bool nested = !keys && root && root->type == NATIVERT_JSON_ARRAY && root->n == 2;
  return nested ? keys_of (p, &root->u.items[0], n) : keys;
}

static const char *const *
namedtuple_fields (const Parser *p, const NativertJson *context, uint32_t n)
{
  if (!p->program || !context || context->type != NATIVERT_JSON_STRING)
    return NULL;
  for (uint32_t i = 0; i < p->program->n_namedtuples; i++)
    if (g_str_equal (p->program->namedtuples[i].name, context->u.s) && p->program->namedtuples[i].n_fields == n)
      return p->program->namedtuples[i].fields;
  return NULL;
}

/* ---- parsing ---- */

static bool
set_kind (Parser *p, const NativertJson *json, const char *type, NativertTreeNode *node)
{
  const NativertJson *context = nativert_json_get (json, "context");
  if (type_is (type, tuples)) {
    node->kind = NATIVERT_TREE_TUPLE;
  } else if (type_is (type, lists)) {
    node->kind = NATIVERT_TREE_LIST;
  } else if (g_str_equal (type, "collections.namedtuple")) {
    node->kind = NATIVERT_TREE_TUPLE;
    node->keys = namedtuple_fields (p, context, node->n);
  } else {                              /* dicts of all kinds, and classes that are registered with their field names */
    node->kind = NATIVERT_TREE_DICT;
    node->keys = context_keys (p, context, node->n);
    if (!node->keys)
      return nativert_json_fail (p->doc, json, p->error, NATIVERT_ERROR_UNSUPPORTED,
          "\"%s\" with %u children has no list of as many keys", type, node->n);
  }
  return true;
}

static bool
parse_node (Parser *p, const NativertJson *json, NativertTreeNode *node)
{
  if (!nativert_json_is (p->doc, json, NATIVERT_JSON_OBJECT, p->error))
    return false;
  const NativertJson *type = nativert_json_get (json, "type");
  const NativertJson *children = nativert_json_want (p->doc, json, "children_spec", NATIVERT_JSON_ARRAY, p->error);
  if (!children)
    return false;
  node->n = children->n;
  if (!type || type->type == NATIVERT_JSON_NULL) {
    node->n_leaves = 1;
    return children->n == 0
        || nativert_json_fail (p->doc, json, p->error, NATIVERT_ERROR_FORMAT, "a leaf has children");
  }
  if (!nativert_json_is (p->doc, type, NATIVERT_JSON_STRING, p->error) || !set_kind (p, json, type->u.s, node))
    return false;
  NativertTreeNode *nodes = nativert_region_new_n (p->spec->region, NativertTreeNode, children->n);
  node->children = nodes;
  for (uint32_t i = 0; i < children->n; i++) {
    if (!parse_node (p, &children->u.items[i], &nodes[i]))
      return false;
    node->n_leaves += nodes[i].n_leaves;
  }
  return true;
}

NativertTreeSpec *
nativert_tree_spec_parse (const char *json, const NativertProgram *program, GError **error)
{
  g_autoptr (NativertJsonDoc) doc = nativert_json_parse ("tree spec", json, strlen (json), error);
  if (!doc)
    return NULL;
  const NativertJson *root = nativert_json_root (doc);
  if (!nativert_json_is (doc, root, NATIVERT_JSON_ARRAY, error))
    return NULL;
  if (root->n != 2 || root->u.items[0].type != NATIVERT_JSON_INT || root->u.items[0].u.i != 1) {
    nativert_json_fail (doc, root, error, NATIVERT_ERROR_VERSION, "not version 1 of the format");
    return NULL;
  }
  g_autoptr (NativertTreeSpec) spec = g_new0 (NativertTreeSpec, 1);
  spec->region = nativert_region_new ();
  spec->none = nativert_value_new_none ();
  Parser p = { spec, doc, program, error };
  return parse_node (&p, &root->u.items[1], &spec->root) ? g_steal_pointer (&spec) : NULL;
}

void
nativert_tree_spec_free (NativertTreeSpec *spec)
{
  if (!spec)
    return;
  nativert_region_free (spec->region);
  nativert_value_unref (spec->none);
  g_free (spec);
}

/* ---- reading ---- */

uint32_t
nativert_tree_spec_n_leaves (const NativertTreeSpec *spec)
{
  return spec->root.n_leaves;
}

char *
nativert_tree_spec_leaf_path (const NativertTreeSpec *spec, uint32_t index)
{
  g_autoptr (GString) path = g_string_new (NULL);
  const NativertTreeNode *node = &spec->root;
  g_return_val_if_fail (index < node->n_leaves, NULL);
  while (node->kind != NATIVERT_TREE_LEAF) {
    uint32_t i = 0;
    while (index >= node->children[i].n_leaves)
      index -= node->children[i++].n_leaves;
    g_string_append (path, path->len ? "." : "");
    if (node->keys)
      g_string_append (path, node->keys[i]);
    else
      g_string_append_printf (path, "%u", i);
    node = &node->children[i];
  }
  return g_strdup (path->str);
}

static void
append_text (GString *s, const NativertTreeNode *node)
{
  static const char open[] = "\0([{", close[] = "\0)]}";
  if (node->kind == NATIVERT_TREE_LEAF) {
    g_string_append_c (s, '*');
    return;
  }
  g_string_append_c (s, open[node->kind]);
  for (uint32_t i = 0; i < node->n; i++) {
    g_string_append (s, i ? ", " : "");
    if (node->keys)
      g_string_append (s, node->keys[i]);
    if (node->keys && node->children[i].kind != NATIVERT_TREE_LEAF)
      g_string_append (s, ": ");
    if (!node->keys || node->children[i].kind != NATIVERT_TREE_LEAF)
      append_text (s, &node->children[i]);
  }
  if (node->kind == NATIVERT_TREE_TUPLE && node->n == 1)
    g_string_append_c (s, ',');
  g_string_append_c (s, close[node->kind]);
}

char *
nativert_tree_spec_to_text (const NativertTreeSpec *spec)
{
  GString *s = g_string_new (NULL);
  append_text (s, &spec->root);
  return g_string_free (s, FALSE);
}
