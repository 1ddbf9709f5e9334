/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* De-inplace: f_ becomes f when self's storage is no input's and no older name of it is read afterwards.  After it
 * nearly every graph is pure data flow.  What stays in place makes its alias class pinned for all that follows. */
#include <string.h>
#include "graph/alias.h"
#include "graph/dtypes.h"
#include "graph/meta.h"
#include "graph/passes.h"

enum { READ_BY_OUTPUT = UINT32_MAX };

typedef struct {
  NativertGraph *graph;
  NativertAliases *aliases;
  GPtrArray **members;                  /* by class: its values in order; NULL for classes of one */
  uint32_t *last_read;                  /* by value: order of the last node that uses it + 1; 0 none */
} State;

static void
state_clear (State *s)
{
  for (guint i = 0; s->members && i < s->graph->values->len; i++)
    if (s->members[i])
      g_ptr_array_unref (s->members[i]);
  g_clear_pointer (&s->members, g_free);
  g_clear_pointer (&s->last_read, g_free);
  g_clear_pointer (&s->aliases, nativert_aliases_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (State, state_clear)

static uint32_t
last_read_of (const NativertGraphValue *value)
{
  uint32_t last = 0;
  for (uint32_t i = 0; i < value->n_uses; i++)
    last = MAX (last, value->uses[i].node ? value->uses[i].node->order + 1 : READ_BY_OUTPUT);
  return last;
}

static void
state_fill (State *s)
{
  s->aliases = nativert_aliases_new (s->graph);
  guint n = s->graph->values->len;
  s->members = g_new0 (GPtrArray *, n + 1);
  s->last_read = g_new0 (uint32_t, n + 1);
  for (guint i = 0; i < n; i++) {
    NativertGraphValue *value = g_ptr_array_index (s->graph->values, i);
    uint32_t class = nativert_aliases_class (s->aliases, value);
    if (!s->members[class])
      s->members[class] = g_ptr_array_new ();
    g_ptr_array_add (s->members[class], value);
    s->last_read[i] = last_read_of (value);
  }
}

/* The result of f_ is self.  Readers of self behind it mean the same tensor. */
static void
rename_later_uses (NativertNode *node)
{
  NativertGraphValue *self = node->args[0].u.value, *result = node->outputs[0];
  nativert_value_replace_uses_after (self, result, node);
}

static bool
is_in_place (const NativertNode *node)
{
  return node->schema && node->n_outputs == 1 && node->n_args > 0 && node->args[0].kind == NATIVERT_GA_VALUE
      && node->schema->n_returns == 1 && node->schema->args[0].alias
      && node->schema->returns[0].alias == node->schema->args[0].alias;
}

/* An older name of the storage is read, written or returned behind node; as_strided may look past any window. */
static bool
is_seen_later (const State *s, const NativertNode *node)
{
  const GPtrArray *members = s->members[nativert_aliases_class (s->aliases, node->outputs[0])];
  for (guint i = 0; members && i < members->len; i++) {
    const NativertGraphValue *member = g_ptr_array_index (members, i);
    bool older = !member->producer || member->producer->order < node->order;
    if (older && s->last_read[member->id] > node->order + 1)
      return true;
    if (!older && member->producer != node && nativert_target_is (member->producer->target, "aten.as_strided"))
      return true;
  }
  return false;
}

/* ---- would f give the same dtype as f_? ---- */

static bool
keeps_dtype_of_self (const NativertNode *node)
{
  static const char *const names[] = { "aten.copy_", "aten.fill_", "aten.zero_", "aten.masked_fill_",
    "aten.masked_scatter_", "aten.index_put_", "aten.index_copy_", "aten.index_add_", "aten.index_fill_",
    "aten.scatter_", "aten.scatter_add_", "aten.scatter_reduce_", "aten.index_reduce_", "aten.put_", "aten.tril_",
    "aten.triu_", "aten.fill_diagonal_" };
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
    if (nativert_target_is (node->target, names[i]))
      return true;
  return false;
}

static bool
gives_bool (const NativertNode *node)
{
  static const char *const names[] = { "aten.eq_", "aten.ne_", "aten.lt_", "aten.le_", "aten.gt_", "aten.ge_",
    "aten.logical_and_", "aten.logical_or_", "aten.logical_xor_", "aten.logical_not_" };
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
    if (nativert_target_is (node->target, names[i]))
      return node->args[0].u.value->meta->dtype != NATIVERT_DTYPE_BOOL;
  return false;
}

/* torch's result type of all operands, numbers and 0-d tensors counting by category only. */
static bool
promotes_away (const NativertNode *node)
{
  const NativertTensorMetaDesc *self = node->args[0].u.value->meta;
  NativertCategory category = nativert_dtype_category (self->dtype);
  for (uint32_t i = 1; i < node->n_args; i++) {
    const NativertGraphArg *arg = &node->args[i];
    bool operand = node->schema->args[i].type == NATIVERT_ST_TENSOR || node->schema->args[i].type == NATIVERT_ST_SCALAR;
    if (operand && arg->kind == NATIVERT_GA_FLOAT && category < NATIVERT_CATEGORY_FLOAT)
      return true;
    if (operand && arg->kind == NATIVERT_GA_COMPLEX && category < NATIVERT_CATEGORY_COMPLEX)
      return true;
    if (arg->kind != NATIVERT_GA_VALUE || arg->u.value->type != NATIVERT_GV_TENSOR)
      continue;
    const NativertTensorMetaDesc *other = arg->u.value->meta;
    if (!other || (other->n_dims == 0 && self->n_dims > 0 ? nativert_dtype_category (other->dtype) > category
            : nativert_dtype_promote (self->dtype, other->dtype) != self->dtype))
      return true;
  }
  return false;
}

static bool
dtype_is_safe (const NativertNode *node)
{
  if (!node->schema->writes || keeps_dtype_of_self (node))
    return true;
  return node->args[0].u.value->meta && !gives_bool (node) && !promotes_away (node);
}

/* ---- the pass ---- */

static char *
functional_target (const NativertSchema *schema)
{
  g_auto (GStrv) words = g_strsplit (schema->name, "::", 2);
  const char *dot = strchr (words[1], '.');
  return g_strconcat ("torch.ops.", words[0], ".", words[1], dot ? NULL : ".default", NULL);
}

static bool
rewrite (const State *s, const NativertSchemas *schemas, NativertNode *node)
{
  const NativertSchema *functional = nativert_schemas_functional (schemas, node->schema);
  if (!functional || functional->n_args != node->n_args || functional->n_returns != 1)
    return false;
  if (node->schema->writes && (nativert_aliases_has_input (s->aliases, node->outputs[0]) || is_seen_later (s, node)))
    return false;
  if (!dtype_is_safe (node))
    return false;
  g_autofree char *target = functional_target (functional);
  node->target = nativert_region_strdup (s->graph->region, target);
  node->schema = functional;
  node->arg_names = functional->arg_names;
  return true;
}

int
nativert_pass_in_place (NativertGraph *graph, const NativertSchemas *schemas, GError **error)
{
  int n = 0;
  nativert_graph_renumber (graph);
  for (NativertNode *node = graph->first; node; node = node->next)
    if (is_in_place (node) && node->schema->writes)
      rename_later_uses (node);
  g_auto (State) s = { .graph = graph };
  state_fill (&s);
  for (NativertNode *node = graph->first; node; node = node->next)
    if (is_in_place (node) && nativert_schemas_functional (schemas, node->schema))
      n += rewrite (&s, schemas, node);
  return n;
}
