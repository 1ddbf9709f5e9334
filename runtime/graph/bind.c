/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Binding: every node gets its schema, arguments in schema order and defaults filled.  A target that is not
 * registered takes the first sibling overload that its arguments fit (mul.Scalar -> mul.Tensor).  What nothing fits
 * is collected and reported at once, with the line of Python that made it. */
#include <string.h>
#include "graph/fit.h"

/* Other names of the same operators, used when the file's own name is not registered. */
static const struct { const char *name, *same; } synonyms[] = {
  { "multiply", "mul" }, { "subtract", "sub" }, { "divide", "div" }, { "true_divide", "div" }, { "concat", "cat" },
  { "concatenate", "cat" }, { "clip", "clamp" }, { "absolute", "abs" }, { "negative", "neg" },
  { "swapaxes", "transpose" }, { "swapdims", "transpose" }, { "moveaxis", "movedim" }, { "greater", "gt" },
  { "greater_equal", "ge" }, { "less", "lt" }, { "less_equal", "le" }, { "not_equal", "ne" }, { "arccos", "acos" },
  { "arcsin", "asin" }, { "arctan", "atan" }, { "arctan2", "atan2" }, { "arccosh", "acosh" }, { "arcsinh", "asinh" },
  { "arctanh", "atanh" }, { "fix", "trunc" }, { "special_expit", "sigmoid" }, { "special_erf", "erf" },
  { "special_erfc", "erfc" }, { "special_exp2", "exp2" }, { "special_expm1", "expm1" }, { "special_log1p", "log1p" },
  { "special_softmax", "softmax" }, { "special_round", "round" }, { "special_log_softmax", "log_softmax" },
  { "linalg_matmul", "matmul" }, { "_unsafe_view", "view" }, { "_reshape_copy", "reshape" },
  { "unsafe_split", "split" }, { "unsafe_split_with_sizes", "split_with_sizes" }, { "unsafe_chunk", "chunk" },
  { "_unsafe_index", "index" }, { "row_stack", "vstack" }, { "__and__", "bitwise_and" }, { "__or__", "bitwise_or" },
  { "__xor__", "bitwise_xor" }, { "__lshift__", "bitwise_left_shift" }, { "__rshift__", "bitwise_right_shift" },
};

typedef struct { uint32_t count; const NativertNode *first; } Unsupported;
typedef struct { const NativertSchemas *schemas; GHashTable *index; GPtrArray *targets; int n_bound; } Binder;

static void
binder_clear (Binder *b)
{
  g_clear_pointer (&b->index, g_hash_table_unref);
  g_clear_pointer (&b->targets, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Binder, binder_clear)

/* ---- one node against one schema ---- */

static int
find_arg (const NativertSchema *schema, const char *name)
{
  for (uint32_t i = 0; i < schema->n_args; i++)
    if (g_str_equal (schema->args[i].name, name))
      return (int) i;
  return -1;
}

/* Where argument i of the node goes.  A name that the schema lacks may be an older or newer torch's name of the same
 * place. */
static int
place_of (const NativertNode *node, const NativertSchema *schema, uint32_t i)
{
  const char *name = node->arg_names ? node->arg_names[i] : "";
  int place = *name ? find_arg (schema, name) : -1;
  if (place >= 0)
    return place;
  bool keyword = *name && node->desc && i < node->desc->n_inputs && node->desc->inputs[i].kind == 2;
  if (keyword || i >= schema->n_args || schema->args[i].kwarg_only)
    return -1;
  return (int) i;
}

static bool
returns_fit (const NativertNode *node, const NativertSchema *schema)
{
  if (node->n_returns != schema->n_returns)
    return false;
  for (uint32_t i = 0; i < node->n_returns; i++)
    if (!node->returns[i].is_none && node->returns[i].is_list != schema->returns[i].list)
      return false;
  return true;
}

/* The node's arguments in schema order; NULL with *why when they do not fit. */
static NativertGraphArg *
fit_node (const NativertNode *node, const NativertSchema *schema, char **why)
{
  NativertRegion *region = node->graph->region;
  NativertGraphArg *args = nativert_region_new_n (region, NativertGraphArg, schema->n_args);
  g_autofree bool *given = g_new0 (bool, schema->n_args + 1);
  for (uint32_t i = 0; i < node->n_args; i++) {
    int place = place_of (node, schema, i);
    const char *name = node->arg_names && *node->arg_names[i] ? node->arg_names[i] : "(positional)";
    if (place < 0 || given[place]) {
      *why = g_strdup_printf ("argument %u (%s) is not one of the schema's", i, name);
      return NULL;
    }
    given[place] = true;
    if (!nativert_arg_fit (region, &schema->args[place], &node->args[i], &args[place])) {
      *why = g_strdup_printf ("argument %u (%s) does not fit \"%s\"", i, name, schema->args[place].name);
      return NULL;
    }
  }
  for (uint32_t i = 0; i < schema->n_args; i++) {
    const NativertSchemaArg *arg = &schema->args[i];
    if (given[i])
      continue;
    if (!arg->has_default && !arg->optional && arg->type != NATIVERT_ST_GENERATOR) {
      *why = g_strdup_printf ("argument %s is missing and has no default", arg->name);
      return NULL;
    }
    args[i] = arg->has_default ? arg->def : NATIVERT_GRAPH_NONE;
  }
  if (!returns_fit (node, schema)) {
    *why = g_strdup_printf ("the node has %u results, the schema %u, or a list where the other has none",
        node->n_returns, schema->n_returns);
    return NULL;
  }
  return args;
}

static bool
try_schema (NativertNode *node, const NativertSchema *schema, char **why)
{
  NativertGraphArg *args = schema ? fit_node (node, schema, why) : NULL;
  if (!args)
    return false;
  nativert_node_take_args (node, schema->arg_names, args, schema->n_args);
  node->schema = schema;
  return true;
}

/* ---- overloads and synonyms ---- */

static void
retarget (NativertNode *node, const char *ns, const char *op, const NativertSchema *schema)
{
  const char *dot = strchr (strstr (schema->name, "::"), '.');
  g_autofree char *target = g_strdup_printf ("torch.ops.%s.%s.%s", ns, op, dot ? dot + 1 : "default");
  node->target = nativert_region_strdup (node->graph->region, target);
}

/* Siblings of ns::op, in the order of registration; in_place: their derived in-place forms. */
static bool
try_siblings (NativertNode *node, const NativertSchemas *schemas, const char *ns, const char *op, bool in_place)
{
  g_autofree char *base = g_strconcat (ns, "::", op, NULL);
  g_autofree char *op_ = g_strconcat (op, in_place ? "_" : "", NULL);
  uint32_t n;
  const NativertSchema *const *list = nativert_schemas_overloads (schemas, base, &n);
  for (uint32_t i = 0; i < n; i++) {
    const char *dot = strchr (strstr (list[i]->name, "::"), '.');
    g_autofree char *target = g_strdup_printf ("torch.ops.%s.%s.%s", ns, op_, dot ? dot + 1 : "default");
    g_autofree char *why = NULL;
    const NativertSchema *schema = in_place ? nativert_schemas_find (schemas, target) : list[i];
    if (try_schema (node, schema, &why)) {
      retarget (node, ns, op_, list[i]);
      return true;
    }
  }
  return false;
}

static const char *
synonym_of (const char *op)
{
  for (size_t i = 0; i < G_N_ELEMENTS (synonyms); i++)
    if (g_str_equal (synonyms[i].name, op))
      return synonyms[i].same;
  return NULL;
}

/* Nothing is registered under the target, or its schema does not fit: other overloads, then other names. */
static bool
try_others (NativertNode *node, const NativertSchemas *schemas)
{
  if (!g_str_has_prefix (node->target, "torch.ops."))
    return false;
  g_auto (GStrv) words = g_strsplit (node->target + strlen ("torch.ops."), ".", 3);
  if (g_strv_length (words) != 3)
    return false;
  bool in_place = g_str_has_suffix (words[1], "_") && !g_str_has_suffix (words[1], "__");
  g_autofree char *op = g_strndup (words[1], strlen (words[1]) - in_place);
  if (try_siblings (node, schemas, words[0], op, in_place))
    return true;
  const char *same = g_str_equal (words[0], "aten") ? synonym_of (op) : NULL;
  return same && try_siblings (node, schemas, words[0], same, in_place);
}

bool
nativert_node_bind (NativertNode *node, const NativertSchemas *schemas)
{
  g_autofree char *why = NULL;
  return try_schema (node, nativert_schemas_find (schemas, node->target), &why) || try_others (node, schemas);
}

const NativertGraphArg *
nativert_node_arg (const NativertNode *node, const char *name)
{
  int place = node->schema ? find_arg (node->schema, name) : -1;
  return place < 0 ? NULL : &node->args[place];
}

/* ---- the whole graph ---- */

static void
note_unsupported (Binder *b, const NativertNode *node)
{
  Unsupported *u = g_hash_table_lookup (b->index, node->target);
  if (!u) {
    u = g_new0 (Unsupported, 1);
    u->first = node;
    g_hash_table_insert (b->index, (gpointer) node->target, u);
    g_ptr_array_add (b->targets, u);
  }
  u->count++;
}

static bool bind_graph (Binder *b, NativertGraph *graph, GError **error);

static bool
bind_node (Binder *b, NativertNode *node, GError **error)
{
  for (uint32_t i = 0; i < node->n_args; i++)
    if (node->args[i].kind == NATIVERT_GA_GRAPH && !bind_graph (b, node->args[i].u.graph, error))
      return false;
  NativertTargetKind kind = nativert_target_kind (node->target);
  const NativertSchema *schema = nativert_schemas_find (b->schemas, node->target);
  if (node->schema)
    return true;
  if (kind == NATIVERT_TARGET_HIGHER_ORDER)
    note_unsupported (b, node);
  g_autofree char *why = NULL;
  if (kind == NATIVERT_TARGET_SYMBOLIC)
    b->n_bound += try_schema (node, schema, &why);      /* item() is an operator where it is registered */
  if (kind != NATIVERT_TARGET_OPERATOR)
    return true;
  if (try_schema (node, schema, &why) || try_others (node, b->schemas)) {
    b->n_bound++;
    return true;
  }
  if (!schema) {
    note_unsupported (b, node);
    return true;
  }
  g_set_error (
      error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "node %s: %s; the schema is %s", node->name, why, schema->text);
  return false;
}

static bool
bind_graph (Binder *b, NativertGraph *graph, GError **error)
{
  for (NativertNode *node = graph->first; node; node = node->next)
    if (!bind_node (b, node, error))
      return false;
  return true;
}

/* The innermost frame of a stack trace, on one line: File "net.py", line 12, in forward: x = foo(y) */
static char *
innermost_frame (const char *trace)
{
  g_auto (GStrv) lines = g_strsplit (trace ? trace : "", "\n", -1);
  int at = -1;
  for (int i = 0; lines[i]; i++)
    if (g_str_has_prefix (g_strchug (lines[i]), "File \""))
      at = i;
  if (at < 0)
    return NULL;
  const char *code = lines[at + 1] ? g_strstrip (lines[at + 1]) : "";
  return g_strconcat (g_strchomp (lines[at]), *code ? ": " : "", code, NULL);
}

static void
append_unsupported (GString *s, const Unsupported *u)
{
  const NativertNode *node = u->first;
  g_autofree char *frame = innermost_frame (node->desc ? node->desc->stack_trace : NULL);
  const char *target
      = g_str_has_prefix (node->target, "torch.ops.") ? node->target + strlen ("torch.ops.") : node->target;
  g_string_append_printf (s, "%s (%u use%s, first at node %s", target, u->count, u->count == 1 ? "" : "s", node->name);
  if (frame)
    g_string_append_printf (s, ", %s", frame);
  g_string_append_c (s, ')');
}

static void
report_unsupported (const Binder *b, GError **error)
{
  g_autoptr (GString) s = g_string_new (NULL);
  for (guint i = 0; i < b->targets->len; i++) {
    g_string_append (s, i ? ", " : "");
    append_unsupported (s, g_ptr_array_index (b->targets, i));
  }
  g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_UNSUPPORTED, "%u operator%s not supported: %s", b->targets->len,
      b->targets->len == 1 ? " is" : "s are", s->str);
}

int
nativert_graph_bind (NativertGraph *graph, const NativertSchemas *schemas, GError **error)
{
  g_auto (Binder) b = { .schemas = schemas };
  b.index = g_hash_table_new (g_str_hash, g_str_equal);
  b.targets = g_ptr_array_new_with_free_func (g_free);
  if (!bind_graph (&b, graph, error))
    return -1;
  if (b.targets->len == 0)
    return b.n_bound;
  report_unsupported (&b, error);
  return -1;
}
