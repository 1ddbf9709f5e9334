/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The schemas of kernels/ops.def, parsed once for the process, and operators by name. */
#include <string.h>
#include "graph/schema.h"
#include "plan/builder.h"

typedef struct {
  NativertSchemas *schemas;
  GHashTable *ids;                      /* row name -> id + 1 */
  const NativertSchema *by_op[NATIVERT_N_OPS];
} Registry;

/* "aten::add.Tensor(...)" -> "torch.ops.aten.add.Tensor" */
static char *
target_of (const char *schema)
{
  const char *colons = strstr (schema, "::"), *end = strchr (schema, '(');
  g_autofree char *space = g_strndup (schema, colons - schema);
  g_autofree char *name = g_strndup (colons + 2, end - colons - 2);
  return g_strdup_printf ("torch.ops.%s.%s%s", space, name, strchr (name, '.') ? "" : ".default");
}

static gpointer
make_registry (gpointer unused)
{
  Registry *r = g_new0 (Registry, 1);
  r->schemas = nativert_schemas_new ();
  r->ids = g_hash_table_new (g_str_hash, g_str_equal);
  for (uint32_t i = 0; i < NATIVERT_N_OPS; i++) {
    g_autoptr (GError) error = NULL;
    g_hash_table_insert (r->ids, (gpointer) nativert_ops[i].name, GUINT_TO_POINTER (i + 1));
    if (!nativert_schemas_add (r->schemas, nativert_ops[i].schema, (int32_t) i, &error)) {
      g_critical ("operator row %s: %s", nativert_ops[i].name, error->message);
      continue;
    }
    g_autofree char *target = target_of (nativert_ops[i].schema);
    r->by_op[i] = nativert_schemas_find (r->schemas, target);
  }
  return r;
}

static const Registry *
registry (void)
{
  static GOnce once = G_ONCE_INIT;
  return g_once (&once, make_registry, NULL);
}

const NativertSchemas *
nativert_plan_schemas (void)
{
  return registry ()->schemas;
}

int32_t
nativert_plan_find_op (const char *name)
{
  return (int32_t) GPOINTER_TO_UINT (g_hash_table_lookup (registry ()->ids, name)) - 1;
}

const NativertSchema *
nativert_plan_op_schema (uint16_t op)
{
  return op < NATIVERT_N_OPS ? registry ()->by_op[op] : NULL;
}
