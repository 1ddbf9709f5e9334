/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The registry of schemas: what is registered, and the in-place forms that follow from it. */
#include <string.h>
#include "graph/schema-parse.h"

struct NativertSchemas {
  NativertRegion *region;
  GHashTable *given, *derived;          /* "aten::add.Tensor" -> NativertSchema */
  GHashTable *overloads;                /* "aten::add" -> GPtrArray of NativertSchema, as given */
};

NativertSchemas *
nativert_schemas_new (void)
{
  NativertSchemas *schemas = g_new0 (NativertSchemas, 1);
  schemas->region = nativert_region_new ();
  schemas->given = g_hash_table_new (g_str_hash, g_str_equal);
  schemas->derived = g_hash_table_new (g_str_hash, g_str_equal);
  schemas->overloads = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  return schemas;
}

void
nativert_schemas_free (NativertSchemas *schemas)
{
  if (!schemas)
    return;
  g_hash_table_unref (schemas->given);
  g_hash_table_unref (schemas->derived);
  g_hash_table_unref (schemas->overloads);
  nativert_region_free (schemas->region);
  g_free (schemas);
}

/* "aten::add.Tensor" -> "aten::add" and ".Tensor" (or "") */
static char *
split_overload (const char *name, const char **overload)
{
  const char *op = strstr (name, "::");
  const char *dot = strchr (op ? op : name, '.');
  *overload = dot ? dot : name + strlen (name);
  return g_strndup (name, *overload - name);
}

/* "aten::add" <-> "aten::add_", "aten::__and__" <-> "aten::__iand__"; NULL when base has no such partner. */
static char *
in_place_name (const char *base)
{
  const char *op = strstr (base, "::") + 2;
  if (g_str_has_prefix (op, "__") && g_str_has_suffix (op, "__"))
    return g_strdup_printf ("%.*s__i%s", (int) (op - base), base, op + 2);
  return g_str_has_suffix (op, "_") ? NULL : g_strconcat (base, "_", NULL);
}

static char *
functional_name (const char *base)
{
  const char *op = strstr (base, "::") + 2;
  if (g_str_has_prefix (op, "__i") && g_str_has_suffix (op, "__"))
    return g_strdup_printf ("%.*s__%s", (int) (op - base), base, op + 3);
  return g_str_has_suffix (op, "_") && !g_str_has_suffix (op, "__") ? g_strndup (base, strlen (base) - 1) : NULL;
}

static bool
is_plain_tensor (const NativertSchemaArg *arg)
{
  return arg->type == NATIVERT_ST_TENSOR && !arg->optional && !arg->list;
}

static void
derive_in_place (NativertSchemas *schemas, const NativertSchema *schema)
{
  const char *overload;
  g_autofree char *base = split_overload (schema->name, &overload);
  g_autofree char *op = in_place_name (base);
  if (!op || schema->writes || schema->n_args == 0 || schema->n_returns != 1 || !is_plain_tensor (&schema->args[0])
      || !is_plain_tensor (&schema->returns[0]))
    return;
  g_autofree char *name = g_strconcat (op, overload, NULL);
  NativertRegion *region = schemas->region;
  NativertSchema *derived = nativert_region_memdup (region, schema, sizeof *schema);
  NativertSchemaArg *args = nativert_region_memdup (region, schema->args, schema->n_args * sizeof *args);
  NativertSchemaArg *ret = nativert_region_memdup (region, schema->returns, sizeof *ret);
  const char **names = nativert_region_memdup (region, schema->arg_names, schema->n_args * sizeof *names);
  /* squeeze_ and its like change the handle, not the memory: their functional form is a view. */
  bool view = schema->returns[0].alias != 0 && schema->args[0].alias == schema->returns[0].alias;
  args[0].name = names[0] = "self";
  args[0].alias = ret->alias = 'a';
  args[0].write = ret->write = derived->writes = !view;
  derived->name = nativert_region_strdup (region, name);
  derived->args = args;
  derived->returns = ret;
  derived->arg_names = names;
  g_hash_table_insert (schemas->derived, (gpointer) derived->name, derived);
}

static bool
is_random (const NativertSchema *schema)
{
  static const char *const names[] = { "aten::dropout", "aten::native_dropout", "aten::alpha_dropout",
    "aten::feature_dropout", "aten::feature_alpha_dropout", "aten::rrelu", "aten::rand_like", "aten::randn_like",
    "aten::randint_like", "aten::empty", "aten::empty_like", "aten::empty_strided", "aten::empty_permuted",
    "aten::new_empty", "aten::new_empty_strided" };
  const char *overload;
  g_autofree char *base = split_overload (schema->name, &overload);
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i], base))
      return true;
  for (uint32_t i = 0; i < schema->n_args; i++)
    if (schema->args[i].type == NATIVERT_ST_GENERATOR)
      return true;
  return g_str_has_prefix (schema->name, "aten::rand");
}

bool
nativert_schemas_add (NativertSchemas *schemas, const char *text, int32_t op, GError **error)
{
  NativertSchema *schema = nativert_region_new_n (schemas->region, NativertSchema, 1);
  if (!nativert_schema_parse (schemas->region, text, schema, error))
    return false;
  if (g_hash_table_contains (schemas->given, schema->name)) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "schema %s is registered twice", schema->name);
    return false;
  }
  const char *overload;
  g_autofree char *base = split_overload (schema->name, &overload);
  schema->op = op;
  schema->random = is_random (schema);
  g_hash_table_insert (schemas->given, (gpointer) schema->name, schema);
  GPtrArray *list = g_hash_table_lookup (schemas->overloads, base);
  if (!list) {
    list = g_ptr_array_new ();
    g_hash_table_insert (schemas->overloads, g_strdup (base), list);
  }
  g_ptr_array_add (list, schema);
  derive_in_place (schemas, schema);
  return true;
}

static const NativertSchema *
find_name (const NativertSchemas *schemas, const char *name)
{
  const NativertSchema *schema = g_hash_table_lookup (schemas->given, name);
  return schema ? schema : g_hash_table_lookup (schemas->derived, name);
}

const NativertSchema *
nativert_schemas_find (const NativertSchemas *schemas, const char *target)
{
  if (!g_str_has_prefix (target, "torch.ops."))
    return NULL;
  g_auto (GStrv) words = g_strsplit (target + strlen ("torch.ops."), ".", 3);
  if (g_strv_length (words) != 3)
    return NULL;
  bool plain = g_str_equal (words[2], "default");
  g_autofree char *name = g_strconcat (words[0], "::", words[1], plain ? NULL : ".", words[2], NULL);
  return find_name (schemas, name);
}

const NativertSchema *const *
nativert_schemas_overloads (const NativertSchemas *schemas, const char *name, uint32_t *n)
{
  const GPtrArray *list = g_hash_table_lookup (schemas->overloads, name);
  *n = list ? list->len : 0;
  return list ? (const NativertSchema *const *) list->pdata : NULL;
}

const NativertSchema *
nativert_schemas_functional (const NativertSchemas *schemas, const NativertSchema *schema)
{
  const char *overload;
  g_autofree char *base = split_overload (schema->name, &overload);
  g_autofree char *op = functional_name (base);
  g_autofree char *name = op ? g_strconcat (op, overload, NULL) : NULL;
  return name ? g_hash_table_lookup (schemas->given, name) : NULL;
}
