/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From plain descriptions to a graph: every name is resolved over all value tables of its scope, never by tag, because
 * files name symbols inside tensor lists.  Subgraphs are scopes of their own. */
#include <string.h>
#include "graph/private.h"

enum { MAX_DEPTH = 64 };

/* What a value table says of a name. */
typedef struct { uint8_t type; const NativertTensorMetaDesc *meta; const NativertSymValueDesc *sym; } Entry;

typedef struct {
  NativertGraph *graph;
  GHashTable *entries;                  /* name -> Entry */
  Entry *array;
  unsigned depth;
} Builder;

static NativertGraph *build_graph (NativertGraph *parent, NativertProgram *program, const NativertGraphDesc *desc,
    const char *name, unsigned depth, GError **error);

static void
builder_clear (Builder *b)
{
  g_clear_pointer (&b->entries, g_hash_table_unref);
  g_clear_pointer (&b->array, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Builder, builder_clear)

static void
add_symbols (Builder *b, uint32_t *n, const NativertSymValueDesc *values, uint32_t n_values, uint8_t type)
{
  for (uint32_t i = 0; i < n_values; i++, (*n)++) {
    b->array[*n] = (Entry) { .type = type, .sym = &values[i] };
    g_hash_table_insert (b->entries, (gpointer) values[i].name, &b->array[*n]);
  }
}

static void
read_tables (Builder *b, const NativertGraphDesc *desc)
{
  uint32_t n = 0;
  b->entries = g_hash_table_new (g_str_hash, g_str_equal);
  b->array = g_new0 (Entry, (gsize) desc->n_tensor_values + desc->n_sym_int_values + desc->n_sym_float_values
      + desc->n_sym_bool_values + desc->n_obj_values);
  for (uint32_t i = 0; i < desc->n_tensor_values; i++, n++) {
    b->array[n] = (Entry) { .type = NATIVERT_GV_TENSOR, .meta = &desc->tensor_values[i].meta };
    g_hash_table_insert (b->entries, (gpointer) desc->tensor_values[i].name, &b->array[n]);
  }
  add_symbols (b, &n, desc->sym_int_values, desc->n_sym_int_values, NATIVERT_GV_SYM_INT);
  add_symbols (b, &n, desc->sym_float_values, desc->n_sym_float_values, NATIVERT_GV_SYM_FLOAT);
  add_symbols (b, &n, desc->sym_bool_values, desc->n_sym_bool_values, NATIVERT_GV_SYM_BOOL);
  for (uint32_t i = 0; i < desc->n_obj_values; i++, n++) {
    b->array[n] = (Entry) { .type = NATIVERT_GV_OBJ };
    g_hash_table_insert (b->entries, (gpointer) desc->obj_values[i].name, &b->array[n]);
  }
}

/* ---- names ---- */

static uint8_t
type_of_tag (uint8_t tag)
{
  switch (tag) {
  case NATIVERT_TAG_SYM_INT:
    return NATIVERT_GV_SYM_INT;
  case NATIVERT_TAG_SYM_FLOAT:
    return NATIVERT_GV_SYM_FLOAT;
  case NATIVERT_TAG_SYM_BOOL:
    return NATIVERT_GV_SYM_BOOL;
  case NATIVERT_TAG_CUSTOM_OBJ:
    return NATIVERT_GV_OBJ;
  default:
    return NATIVERT_GV_TENSOR;
  }
}

/* A name that comes into being. */
static NativertGraphValue *
define (Builder *b, const char *name, uint8_t tag, NativertNode *producer, GError **error)
{
  if (!name || !*name) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "a value without a name");
    return NULL;
  }
  if (g_hash_table_contains (b->graph->names, name)) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "value %s is made twice", name);
    return NULL;
  }
  const Entry *entry = g_hash_table_lookup (b->entries, name);
  NativertGraphValue *value = nativert_graph_new_value (b->graph, name, entry ? entry->type : type_of_tag (tag),
      entry ? entry->meta : NULL);
  value->producer = producer;
  if (entry && entry->sym) {
    value->expr = entry->sym->expr;
    value->literal = entry->sym->literal;
  }
  return value;
}

/* A name that must exist already: nodes are in topological order. */
static NativertGraphValue *
resolve (Builder *b, const char *name, GError **error)
{
  NativertGraphValue *value = name ? g_hash_table_lookup (b->graph->names, name) : NULL;
  if (!value)
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "value %s is made by no input and no earlier node",
        name ? name : "(none)");
  return value;
}

static bool
resolve_names (Builder *b, const char *const *names, uint32_t n, NativertGraphArg *out, GError **error)
{
  *out = (NativertGraphArg) { .kind = NATIVERT_GA_VALUES, .n = n };
  out->u.values = nativert_region_new_n (b->graph->region, NativertGraphValue *, n);
  for (uint32_t i = 0; i < n; i++)
    if (names[i] && !(out->u.values[i] = resolve (b, names[i], error)))
      return false;
  return true;
}

/* ---- arguments ---- */

static bool convert_arg (Builder *b, const NativertArgDesc *desc, NativertGraphArg *out, GError **error);

static bool
convert_items (Builder *b, const NativertArgDesc *desc, uint8_t kind, NativertGraphArg *out, GError **error)
{
  uint8_t inner = kind == NATIVERT_GA_NESTED ? NATIVERT_GA_VALUES
      : kind == NATIVERT_GA_INT_LISTS        ? NATIVERT_GA_INTS
                                             : NATIVERT_GA_FLOATS;
  NativertGraphArg *items = nativert_region_new_n (b->graph->region, NativertGraphArg, desc->n);
  for (uint32_t i = 0; i < desc->n; i++) {
    if (!convert_arg (b, &desc->u.items[i], &items[i], error))
      return false;
    if (items[i].kind != inner) {
      g_set_error (
          error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "element %u of a nested list is no list of its kind", i);
      return false;
    }
  }
  *out = (NativertGraphArg) { .kind = kind, .n = desc->n, .u.items = items };
  return true;
}

static bool
is_literal (const NativertArgDesc *desc)
{
  return desc->name == NULL;
}

static bool
convert_sym_list (Builder *b, const NativertArgDesc *desc, uint8_t kind, NativertGraphArg *out, GError **error)
{
  NativertRegion *region = b->graph->region;
  *out = (NativertGraphArg) { .kind = kind, .n = desc->n };
  int64_t *ints = nativert_region_new_n (region, int64_t, desc->n);
  double *floats = nativert_region_new_n (region, double, desc->n);
  uint8_t *bools = nativert_region_new_n (region, uint8_t, desc->n);
  for (uint32_t i = 0; i < desc->n; i++) {
    const NativertArgDesc *item = &desc->u.items[i];
    if (!is_literal (item)) {
      if (!out->sym)
        out->sym = nativert_region_new_n (region, NativertGraphValue *, desc->n);
      if (!(out->sym[i] = resolve (b, item->name, error)))
        return false;
    } else if (kind == NATIVERT_GA_FLOATS) {
      floats[i] = item->tag == NATIVERT_TAG_INT || item->tag == NATIVERT_TAG_SYM_INT ? (double) item->u.i : item->u.f;
    } else {
      ints[i] = item->u.i;
      bools[i] = item->u.i != 0;
    }
  }
  if (kind == NATIVERT_GA_FLOATS)
    out->u.floats = floats;
  else if (kind == NATIVERT_GA_BOOLS)
    out->u.bools = bools;
  else
    out->u.ints = ints;
  return true;
}

static bool
convert_symbol (Builder *b, const NativertArgDesc *desc, uint8_t literal_kind, NativertGraphArg *out, GError **error)
{
  if (!is_literal (desc)) {
    *out = (NativertGraphArg) { .kind = NATIVERT_GA_VALUE, .u.value = resolve (b, desc->name, error) };
    return out->u.value != NULL;
  }
  *out = (NativertGraphArg) { .kind = literal_kind };
  if (literal_kind == NATIVERT_GA_FLOAT)
    out->u.f = desc->u.f;
  else
    out->u.i = desc->u.i;
  return true;
}

static bool
convert_plain (const NativertArgDesc *desc, NativertGraphArg *out, GError **error)
{
  static const uint8_t kinds[] = {
    [NATIVERT_TAG_NONE] = NATIVERT_GA_NONE, [NATIVERT_TAG_INT] = NATIVERT_GA_INT,
    [NATIVERT_TAG_INTS] = NATIVERT_GA_INTS, [NATIVERT_TAG_FLOAT] = NATIVERT_GA_FLOAT,
    [NATIVERT_TAG_FLOATS] = NATIVERT_GA_FLOATS, [NATIVERT_TAG_BOOL] = NATIVERT_GA_BOOL,
    [NATIVERT_TAG_BOOLS] = NATIVERT_GA_BOOLS, [NATIVERT_TAG_STRING] = NATIVERT_GA_STRING,
    [NATIVERT_TAG_STRINGS] = NATIVERT_GA_STRINGS, [NATIVERT_TAG_COMPLEX] = NATIVERT_GA_COMPLEX,
    [NATIVERT_TAG_SCALAR_TYPE] = NATIVERT_GA_DTYPE, [NATIVERT_TAG_MEMORY_FORMAT] = NATIVERT_GA_MEMORY_FORMAT,
    [NATIVERT_TAG_LAYOUT] = NATIVERT_GA_LAYOUT, [NATIVERT_TAG_DEVICE] = NATIVERT_GA_DEVICE,
    [NATIVERT_TAG_OPERATOR] = NATIVERT_GA_OPERATOR,
  };
  if (desc->tag >= G_N_ELEMENTS (kinds) || (kinds[desc->tag] == NATIVERT_GA_NONE && desc->tag != NATIVERT_TAG_NONE)) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_UNSUPPORTED,
        "an argument of kind %u (a dictionary of arguments) is not supported", desc->tag);
    return false;
  }
  *out = (NativertGraphArg) { .kind = kinds[desc->tag], .n = desc->n };
  switch (out->kind) {
  case NATIVERT_GA_FLOAT:
    out->u.f = desc->u.f;
    break;
  case NATIVERT_GA_COMPLEX:
    out->u.c[0] = desc->u.c[0];
    out->u.c[1] = desc->u.c[1];
    break;
  case NATIVERT_GA_DEVICE:
    out->u.device = desc->u.device;
    break;
  case NATIVERT_GA_STRING:
  case NATIVERT_GA_OPERATOR:
    out->u.s = desc->u.s;
    break;
  case NATIVERT_GA_INTS:
    out->u.ints = desc->u.ints;
    break;
  case NATIVERT_GA_FLOATS:
    out->u.floats = desc->u.floats;
    break;
  case NATIVERT_GA_BOOLS:
    out->u.bools = desc->u.bools;
    break;
  case NATIVERT_GA_STRINGS:
    out->u.strings = desc->u.strings;
    break;
  default:
    out->u.i = desc->u.i;
  }
  return true;
}

static bool
convert_arg (Builder *b, const NativertArgDesc *desc, NativertGraphArg *out, GError **error)
{
  switch (desc->tag) {
  case NATIVERT_TAG_TENSOR:
  case NATIVERT_TAG_CUSTOM_OBJ:
    *out = (NativertGraphArg) { .kind = NATIVERT_GA_VALUE, .u.value = resolve (b, desc->name, error) };
    return out->u.value != NULL;
  case NATIVERT_TAG_TENSORS:
  case NATIVERT_TAG_OPTIONAL_TENSORS:
    return resolve_names (b, desc->u.names, desc->n, out, error);
  case NATIVERT_TAG_NESTED_TENSORS:
    return convert_items (b, desc, NATIVERT_GA_NESTED, out, error);
  case NATIVERT_TAG_INT_LISTS:
    return convert_items (b, desc, NATIVERT_GA_INT_LISTS, out, error);
  case NATIVERT_TAG_FLOAT_LISTS:
    return convert_items (b, desc, NATIVERT_GA_FLOAT_LISTS, out, error);
  case NATIVERT_TAG_SYM_INT:
    return convert_symbol (b, desc, NATIVERT_GA_INT, out, error);
  case NATIVERT_TAG_SYM_FLOAT:
    return convert_symbol (b, desc, NATIVERT_GA_FLOAT, out, error);
  case NATIVERT_TAG_SYM_BOOL:
    return convert_symbol (b, desc, NATIVERT_GA_BOOL, out, error);
  case NATIVERT_TAG_SYM_INTS:
    return convert_sym_list (b, desc, NATIVERT_GA_INTS, out, error);
  case NATIVERT_TAG_SYM_FLOATS:
    return convert_sym_list (b, desc, NATIVERT_GA_FLOATS, out, error);
  case NATIVERT_TAG_SYM_BOOLS:
    return convert_sym_list (b, desc, NATIVERT_GA_BOOLS, out, error);
  case NATIVERT_TAG_GRAPH:
    *out = (NativertGraphArg) { .kind = NATIVERT_GA_GRAPH };
    out->u.graph
        = build_graph (b->graph, b->graph->program, desc->u.graph, desc->name ? desc->name : "", b->depth + 1, error);
    return out->u.graph != NULL;
  default:
    return convert_plain (desc, out, error);
  }
}

/* ---- nodes ---- */

static bool
build_args (Builder *b, NativertNode *node, const NativertNodeDesc *desc, GError **error)
{
  NativertRegion *region = b->graph->region;
  const char **names = nativert_region_new_n (region, const char *, desc->n_inputs);
  NativertGraphArg *args = nativert_region_new_n (region, NativertGraphArg, desc->n_inputs);
  for (uint32_t i = 0; i < desc->n_inputs; i++) {
    names[i] = desc->inputs[i].name;
    if (!convert_arg (b, &desc->inputs[i].arg, &args[i], error)) {
      g_prefix_error (error, "argument %u (%s): ", i, names[i]);
      return false;
    }
  }
  nativert_node_take_args (node, names, args, desc->n_inputs);
  return true;
}

static uint32_t
count_outputs (const NativertNodeDesc *desc)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < desc->n_outputs; i++)
    n += desc->outputs[i].tag == NATIVERT_TAG_TENSORS ? desc->outputs[i].n : 1;
  return n;
}

static bool
build_output (Builder *b, NativertNode *node, const NativertArgDesc *out, GError **error)
{
  NativertReturn *run = &node->returns[node->n_returns++];
  run->first = node->n_outputs;
  run->is_list = out->tag == NATIVERT_TAG_TENSORS;
  switch (out->tag) {
  case NATIVERT_TAG_TENSORS:
    for (uint32_t k = 0; k < out->n; k++, node->n_outputs++)
      if (!(node->outputs[node->n_outputs] = define (b, out->u.names[k], out->tag, node, error)))
        return false;
    break;
  case NATIVERT_TAG_TENSOR:
  case NATIVERT_TAG_SYM_INT:
  case NATIVERT_TAG_SYM_FLOAT:
  case NATIVERT_TAG_SYM_BOOL:
  case NATIVERT_TAG_CUSTOM_OBJ:
    if (!(node->outputs[node->n_outputs++] = define (b, out->name, out->tag, node, error)))
      return false;
    break;
  case NATIVERT_TAG_NONE:
  case NATIVERT_TAG_INT:
  case NATIVERT_TAG_BOOL:
    run->is_none = true;
    break;
  default:
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "result %u has a kind that no operator returns",
        node->n_returns - 1);
    return false;
  }
  run->n = node->n_outputs - run->first;
  return true;
}

static bool
build_node (Builder *b, const NativertNodeDesc *desc, GError **error)
{
  NativertRegion *region = b->graph->region;
  uint32_t n_outputs = count_outputs (desc);
  NativertNode *node = nativert_region_new_n (region, NativertNode, 1);
  node->target = desc->target;
  node->name = desc->name;
  node->desc = desc;
  nativert_graph_link (b->graph, node, NULL);
  if (!build_args (b, node, desc, error))
    return false;
  node->outputs = nativert_region_new_n (region, NativertGraphValue *, n_outputs);
  node->returns = nativert_region_new_n (region, NativertReturn, desc->n_outputs);
  for (uint32_t i = 0; i < desc->n_outputs; i++)
    if (!build_output (b, node, &desc->outputs[i], error))
      return false;
  if (!*node->name && node->n_outputs > 0)
    node->name = node->outputs[0]->name;
  return true;
}

static bool
build_inputs (Builder *b, const NativertGraphDesc *desc, GError **error)
{
  NativertGraph *graph = b->graph;
  graph->inputs = nativert_region_new_n (graph->region, NativertGraphInput, desc->n_inputs);
  for (uint32_t i = 0; i < desc->n_inputs; i++) {
    const NativertArgDesc *arg = &desc->inputs[i];
    NativertGraphInput *input = &graph->inputs[graph->n_inputs++];
    *input = (NativertGraphInput) { .kind = NATIVERT_IN_USER, .target = arg->name ? arg->name : "" };
    bool ok = arg->name ? (input->value = define (b, arg->name, arg->tag, NULL, error)) != NULL
        : convert_arg (b, arg, &input->constant, error);
    if (!ok) {
      g_prefix_error (error, "input %u: ", i);
      return false;
    }
  }
  return true;
}

static bool
build_outputs (Builder *b, const NativertGraphDesc *desc, GError **error)
{
  NativertGraph *graph = b->graph;
  graph->outputs = nativert_region_new_n (graph->region, NativertGraphOutput, desc->n_outputs);
  for (uint32_t i = 0; i < desc->n_outputs; i++) {
    NativertGraphOutput *output = &graph->outputs[graph->n_outputs++];
    *output = (NativertGraphOutput) { .kind = NATIVERT_OUT_USER, .target = "" };
    if (!convert_arg (b, &desc->outputs[i], &output->arg, error)) {
      g_prefix_error (error, "output %u: ", i);
      return false;
    }
    for (uint32_t k = 0, n = nativert_arg_n_slots (&output->arg); k < n; k++) {
      NativertGraphValue *value = *nativert_arg_slot (&output->arg, k);
      if (value)
        nativert_value_add_use (graph, value, NULL, i);
    }
  }
  return true;
}

static NativertGraph *
build_graph (NativertGraph *parent, NativertProgram *program, const NativertGraphDesc *desc, const char *name,
    unsigned depth, GError **error)
{
  if (depth > MAX_DEPTH) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_LIMIT, "subgraph %s: more than %d graphs inside each other",
        name, MAX_DEPTH);
    return NULL;
  }
  NativertGraph *graph = nativert_graph_new_empty (parent, program, name);
  g_auto (Builder) b = { .graph = graph, .depth = depth };
  read_tables (&b, desc);
  bool ok = build_inputs (&b, desc, error);
  for (uint32_t i = 0; ok && i < desc->n_nodes; i++) {
    ok = build_node (&b, &desc->nodes[i], error);
    if (!ok)
      g_prefix_error (error, "node %u %s (%s): ", i, desc->nodes[i].name, desc->nodes[i].target);
  }
  ok = ok && build_outputs (&b, desc, error);
  if (!ok && parent)
    g_prefix_error (error, "subgraph %s: ", name);
  if (ok)
    nativert_graph_renumber (graph);
  else if (!parent)
    nativert_graph_free (graph);
  return ok ? graph : NULL;
}

NativertGraph *
nativert_graph_new (NativertProgram *program, GError **error)
{
  g_autoptr (NativertGraph) graph = build_graph (NULL, program, program->graph, "", 0, error);
  if (!graph || !nativert_graph_read_signature (graph, error) || !nativert_graph_lint (graph, error))
    return NULL;
  return g_steal_pointer (&graph);
}
