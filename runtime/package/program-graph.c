/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Graphs: nodes, and the tables of values. */
#include "package/program-private.h"

#include <string.h>

enum { MAX_DIMS = 64 };

/* {"as_int": n} or {"as_expr": {"expr_str": .., "hint": ..}} */
static bool
decode_sym_int (NativertDecoder *d, const NativertJson *object, NativertSymInt *size)
{
  const NativertJson *member = nativert_decode_union (d, object), *text;
  g_autoptr (GError) why = NULL;

  if (member == NULL)
    return false;
  if (strcmp (member->key, "as_int") == 0) {
    size->value = member->u.i;
    return nativert_json_is (d->doc, member, NATIVERT_JSON_INT, d->error);
  }
  if (strcmp (member->key, "as_expr") != 0)
    return nativert_decode_fail (d, object, NATIVERT_ERROR_FORMAT, "unknown tag '%.60s'", member->key);
  text = nativert_json_want (d->doc, member, "expr_str", NATIVERT_JSON_STRING, d->error);
  if (text == NULL)
    return false;
  size->expr = nativert_expr_parse (d->program->exprs, text->u.s, &why);
  return size->expr != NULL || nativert_decode_fail (d, text, NATIVERT_ERROR_FORMAT, "%s", why->message);
}

static bool
decode_sizes (
    NativertDecoder *d, const NativertJson *object, const char *key, const NativertSymInt **sizes, uint32_t *n)
{
  const NativertJson *array = nativert_decode_array (d, object, key);
  NativertSymInt *list;

  if (array == NULL)
    return false;
  if (array->n > MAX_DIMS)
    return nativert_decode_fail (d, array, NATIVERT_ERROR_LIMIT, "%u dimensions, at most %d", array->n, MAX_DIMS);
  list = nativert_decode_new (d, NativertSymInt, array->n);
  for (uint32_t i = 0; i < array->n; i++) {
    if (!decode_sym_int (d, &array->u.items[i], &list[i]))
      return false;
    if (list[i].expr == NULL && list[i].value < 0)
      return nativert_decode_fail (d, &array->u.items[i], NATIVERT_ERROR_FORMAT, "is negative");
  }
  *sizes = list;
  *n = array->n;
  return true;
}

bool
nativert_decode_tensor_meta (NativertDecoder *d, const NativertJson *object, NativertTensorMetaDesc *meta)
{
  const NativertJson *offset, *device;
  int64_t dtype, layout;
  uint32_t n_strides;

  if (!nativert_decode_int (d, object, "dtype", &dtype) || !nativert_decode_int (d, object, "layout", &layout)
      || !decode_sizes (d, object, "sizes", &meta->sizes, &meta->n_dims)
      || !decode_sizes (d, object, "strides", &meta->strides, &n_strides)
      || !nativert_decode_bool (d, object, "requires_grad", &meta->requires_grad)
      || (device = nativert_json_want (d->doc, object, "device", NATIVERT_JSON_OBJECT, d->error)) == NULL
      || (offset = nativert_json_want (d->doc, object, "storage_offset", NATIVERT_JSON_OBJECT, d->error)) == NULL
      || !nativert_decode_device (d, device, &meta->device) || !decode_sym_int (d, offset, &meta->storage_offset))
    return false;
  if (n_strides != meta->n_dims)
    return nativert_decode_fail (d, object, NATIVERT_ERROR_FORMAT, "%u sizes but %u strides", meta->n_dims, n_strides);
  if (layout < 0 || layout > 7)
    return nativert_decode_fail (d, object, NATIVERT_ERROR_FORMAT, "unknown layout %" G_GINT64_FORMAT, layout);
  meta->layout = (uint8_t) layout;
  meta->dtype = (int16_t) nativert_dtype_from_scalar_type (dtype);
  return meta->dtype >= 0 || dtype == 0
      || nativert_decode_fail (d, object, NATIVERT_ERROR_FORMAT, "unknown scalar type %" G_GINT64_FORMAT, dtype);
}

static bool
decode_sym_value (NativertDecoder *d, const NativertJson *object, NativertSymValueDesc *value)
{
  const NativertJson *member = nativert_decode_union (d, object);
  NativertSymInt size = {0};

  if (member == NULL)
    return false;
  if (strcmp (member->key, "as_float") == 0) {
    value->literal.kind = NATIVERT_NUM_FLOAT;
    return nativert_decode_float (d, member, &value->literal.u.f);
  }
  if (strcmp (member->key, "as_bool") == 0 && member->type == NATIVERT_JSON_BOOL) {
    value->literal.kind = NATIVERT_NUM_BOOL;
    value->literal.u.b = member->u.i != 0;
    return true;
  }
  if (!decode_sym_int (d, object, &size))
    return false;
  value->expr = size.expr;
  value->literal.kind = NATIVERT_NUM_INT;
  value->literal.u.i = size.value;
  return true;
}

/* Tables that older files lack are empty. */
static bool
find_table (NativertDecoder *d, const NativertJson *object, const char *key, const NativertJson **table, uint32_t *n)
{
  *table = nativert_decode_optional (object, key);
  *n = *table != NULL ? (*table)->n : 0;
  return *table == NULL || nativert_json_is (d->doc, *table, NATIVERT_JSON_OBJECT, d->error);
}

static bool
decode_sym_values (
    NativertDecoder *d, const NativertJson *object, const char *key, const NativertSymValueDesc **values, uint32_t *n)
{
  const NativertJson *table;
  NativertSymValueDesc *list;

  if (!find_table (d, object, key, &table, n))
    return false;
  list = nativert_decode_new (d, NativertSymValueDesc, *n);
  for (uint32_t i = 0; i < *n; i++) {
    list[i].name = nativert_region_strdup (d->program->region, table->u.items[i].key);
    if (!decode_sym_value (d, &table->u.items[i], &list[i]))
      return false;
  }
  *values = list;
  return true;
}

static bool
decode_tensor_values (NativertDecoder *d, const NativertJson *object, NativertGraphDesc *graph)
{
  const NativertJson *table = nativert_json_want (d->doc, object, "tensor_values", NATIVERT_JSON_OBJECT, d->error);
  NativertTensorValueDesc *list;

  if (table == NULL)
    return false;
  list = nativert_decode_new (d, NativertTensorValueDesc, table->n);
  for (uint32_t i = 0; i < table->n; i++) {
    list[i].name = nativert_region_strdup (d->program->region, table->u.items[i].key);
    if (!nativert_decode_tensor_meta (d, &table->u.items[i], &list[i].meta))
      return false;
  }
  graph->tensor_values = list;
  graph->n_tensor_values = table->n;
  return true;
}

static bool
decode_obj_values (NativertDecoder *d, const NativertJson *object, NativertGraphDesc *graph)
{
  const NativertJson *table;
  NativertObjValueDesc *list;

  if (!find_table (d, object, "custom_obj_values", &table, &graph->n_obj_values))
    return false;
  list = nativert_decode_new (d, NativertObjValueDesc, graph->n_obj_values);
  for (uint32_t i = 0; i < graph->n_obj_values; i++) {
    list[i].name = nativert_region_strdup (d->program->region, table->u.items[i].key);
    if (!nativert_decode_string (d, &table->u.items[i], "class_fqn", &list[i].class_name))
      return false;
  }
  graph->obj_values = list;
  return true;
}

/* Keys of one table are unique already; the tables share one set of names. */
static bool
check_names (NativertDecoder *d, const NativertJson *object)
{
  static const char *const tables[]
      = { "tensor_values", "sym_int_values", "sym_bool_values", "sym_float_values", "custom_obj_values" };
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (size_t t = 0; t < G_N_ELEMENTS (tables); t++) {
    const NativertJson *table = nativert_decode_optional (object, tables[t]);
    for (uint32_t i = 0; table != NULL && i < table->n; i++)
      if (!g_hash_table_add (seen, (gpointer) table->u.items[i].key))
        return nativert_decode_fail (
            d, &table->u.items[i], NATIVERT_ERROR_FORMAT, "another table has a value of this name");
  }
  return true;
}

static bool
decode_named_args (NativertDecoder *d, const NativertJson *object, NativertNodeDesc *node)
{
  const NativertJson *array = nativert_decode_array (d, object, "inputs"), *kind;
  NativertNamedArgDesc *list;

  if (array == NULL)
    return false;
  list = nativert_decode_new (d, NativertNamedArgDesc, array->n);
  for (uint32_t i = 0; i < array->n; i++) {
    const NativertJson *item = &array->u.items[i], *arg;
    if (!nativert_decode_string (d, item, "name", &list[i].name)
        || (arg = nativert_json_want (d->doc, item, "arg", NATIVERT_JSON_OBJECT, d->error)) == NULL
        || !nativert_decode_argument (d, arg, &list[i].arg))
      return false;
    kind = nativert_decode_optional (item, "kind");
    if (kind != NULL && (kind->type != NATIVERT_JSON_INT || kind->u.i < 0 || kind->u.i > 2))
      return nativert_decode_fail (d, kind, NATIVERT_ERROR_FORMAT, "unknown kind of argument");
    list[i].kind = kind != NULL ? (uint8_t) kind->u.i : 0;
  }
  node->inputs = list;
  node->n_inputs = array->n;
  return true;
}

/* Of the metadata only what messages to people show; the rest can be half of the file. */
static bool
decode_metadata (NativertDecoder *d, const NativertJson *object, NativertNodeDesc *node)
{
  const NativertJson *metadata = nativert_decode_optional (object, "metadata"), *text;

  if (metadata == NULL)
    return true;
  if (!nativert_json_is (d->doc, metadata, NATIVERT_JSON_OBJECT, d->error))
    return false;
  text = nativert_json_get (metadata, "stack_trace");
  if (text != NULL && text->type == NATIVERT_JSON_STRING)
    node->stack_trace = nativert_decode_dup (d, text);
  text = nativert_json_get (metadata, "nn_module_stack");
  if (text != NULL && text->type == NATIVERT_JSON_STRING)
    node->nn_module_stack = nativert_decode_dup (d, text);
  return true;
}

static bool
decode_node (NativertDecoder *d, const NativertJson *object, NativertNodeDesc *node)
{
  const NativertJson *outputs, *single, *name;

  if (!nativert_decode_string (d, object, "target", &node->target) || !decode_named_args (d, object, node)
      || (outputs = nativert_decode_array (d, object, "outputs")) == NULL
      || !nativert_decode_arguments (d, outputs, &node->outputs, &node->n_outputs)
      || !decode_metadata (d, object, node))
    return false;
  name = nativert_decode_optional (object, "name");
  if (name != NULL && !nativert_json_is (d->doc, name, NATIVERT_JSON_STRING, d->error))
    return false;
  node->name = name != NULL ? nativert_decode_dup (d, name) : "";
  single = nativert_decode_optional (object, "is_hop_single_tensor_return");
  if (single != NULL && !nativert_json_is (d->doc, single, NATIVERT_JSON_BOOL, d->error))
    return false;
  node->is_hop_single_tensor_return = single != NULL ? (int8_t) single->u.i : -1;
  return true;
}

static bool
decode_nodes (NativertDecoder *d, const NativertJson *object, NativertGraphDesc *graph)
{
  const NativertJson *array = nativert_decode_array (d, object, "nodes");
  NativertNodeDesc *list;

  if (array == NULL)
    return false;
  list = nativert_decode_new (d, NativertNodeDesc, array->n);
  for (uint32_t i = 0; i < array->n; i++)
    if (!decode_node (d, &array->u.items[i], &list[i]))
      return false;
  graph->nodes = list;
  graph->n_nodes = array->n;
  return true;
}

NativertGraphDesc *
nativert_decode_graph (NativertDecoder *d, const NativertJson *object)
{
  NativertGraphDesc *graph = nativert_decode_new (d, NativertGraphDesc, 1);
  const NativertJson *inputs, *outputs, *single = nativert_decode_optional (object, "is_single_tensor_return");

  if ((inputs = nativert_decode_array (d, object, "inputs")) == NULL
      || !nativert_decode_arguments (d, inputs, &graph->inputs, &graph->n_inputs)
      || (outputs = nativert_decode_array (d, object, "outputs")) == NULL
      || !nativert_decode_arguments (d, outputs, &graph->outputs, &graph->n_outputs)
      || !decode_tensor_values (d, object, graph)
      || !decode_sym_values (d, object, "sym_int_values", &graph->sym_int_values, &graph->n_sym_int_values)
      || !decode_sym_values (d, object, "sym_bool_values", &graph->sym_bool_values, &graph->n_sym_bool_values)
      || !decode_sym_values (d, object, "sym_float_values", &graph->sym_float_values, &graph->n_sym_float_values)
      || !decode_obj_values (d, object, graph) || !check_names (d, object) || !decode_nodes (d, object, graph))
    return NULL;
  if (single != NULL && !nativert_json_is (d->doc, single, NATIVERT_JSON_BOOL, d->error))
    return NULL;
  graph->is_single_tensor_return = single != NULL && single->u.i != 0;
  return graph;
}
