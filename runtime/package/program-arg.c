/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments: one function for each form that the value of a tag can have, and a row for each tag. */
#include "package/program-private.h"

#include <string.h>

static bool
none (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  return true;
}

/* {"name": x} */
static bool
named (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  return nativert_decode_string (d, value, "name", &arg->name);
}

static bool
names (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  const char **list = nativert_decode_new (d, const char *, value->n);

  for (uint32_t i = 0; i < value->n; i++)
    if (!nativert_decode_string (d, &value->u.items[i], "name", &list[i]))
      return false;
  arg->n = value->n;
  arg->u.names = list;
  return true;
}

/* {"as_tensor": {"name": x}} or {"as_none": ..} */
static bool
optional_name (NativertDecoder *d, const NativertJson *value, const char **name)
{
  const NativertJson *member = nativert_decode_union (d, value);

  *name = NULL;
  if (member == NULL)
    return false;
  if (strcmp (member->key, "as_none") == 0)
    return true;
  if (strcmp (member->key, "as_tensor") == 0)
    return nativert_decode_string (d, member, "name", name);
  return nativert_decode_fail (d, value, NATIVERT_ERROR_FORMAT, "unknown tag '%.60s'", member->key);
}

static bool
optional_tensor (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  if (!optional_name (d, value, &arg->name))
    return false;
  arg->tag = arg->name != NULL ? NATIVERT_TAG_TENSOR : NATIVERT_TAG_NONE;
  return true;
}

static bool
optional_names (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  const char **list = nativert_decode_new (d, const char *, value->n);

  for (uint32_t i = 0; i < value->n; i++)
    if (!optional_name (d, &value->u.items[i], &list[i]))
      return false;
  arg->n = value->n;
  arg->u.names = list;
  return true;
}

static bool
integer (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  arg->u.i = value->u.i;
  return true;
}

static bool
integers (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  int64_t *list = nativert_decode_new (d, int64_t, value->n);

  for (uint32_t i = 0; i < value->n; i++) {
    if (!nativert_json_is (d->doc, &value->u.items[i], NATIVERT_JSON_INT, d->error))
      return false;
    list[i] = value->u.items[i].u.i;
  }
  arg->n = value->n;
  arg->u.ints = list;
  return true;
}

static bool
floating (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  return nativert_decode_float (d, value, &arg->u.f);
}

static bool
floatings (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  double *list = nativert_decode_new (d, double, value->n);

  for (uint32_t i = 0; i < value->n; i++)
    if (!nativert_decode_float (d, &value->u.items[i], &list[i]))
      return false;
  arg->n = value->n;
  arg->u.floats = list;
  return true;
}

static bool
booleans (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  uint8_t *list = nativert_decode_new (d, uint8_t, value->n);

  for (uint32_t i = 0; i < value->n; i++) {
    if (!nativert_json_is (d->doc, &value->u.items[i], NATIVERT_JSON_BOOL, d->error))
      return false;
    list[i] = value->u.items[i].u.i != 0;
  }
  arg->n = value->n;
  arg->u.bools = list;
  return true;
}

static bool
string (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  arg->u.s = nativert_decode_dup (d, value);
  return true;
}

static bool
strings (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  return nativert_decode_strings (d, value, &arg->u.strings, &arg->n);
}

static bool
complex_number (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  const NativertJson *real = nativert_json_get (value, "real"), *imag = nativert_json_get (value, "imag");

  if (real == NULL || imag == NULL)
    return nativert_decode_fail (d, value, NATIVERT_ERROR_FORMAT, "expected 'real' and 'imag'");
  return nativert_decode_float (d, real, &arg->u.c[0]) && nativert_decode_float (d, imag, &arg->u.c[1]);
}

static bool
scalar_type (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  arg->u.i = nativert_dtype_from_scalar_type (value->u.i);
  return arg->u.i >= 0 || value->u.i == 0
         || nativert_decode_fail (d, value, NATIVERT_ERROR_FORMAT, "unknown scalar type %" G_GINT64_FORMAT, value->u.i);
}

static bool
memory_format (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  arg->u.i = value->u.i;
  return (value->u.i >= 0 && value->u.i <= 4)
      || nativert_decode_fail (d, value, NATIVERT_ERROR_FORMAT, "unknown memory format %" G_GINT64_FORMAT, value->u.i);
}

static bool
layout (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  arg->u.i = value->u.i;
  return (value->u.i >= 0 && value->u.i <= 7)
      || nativert_decode_fail (d, value, NATIVERT_ERROR_FORMAT, "unknown layout %" G_GINT64_FORMAT, value->u.i);
}

static bool
device (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  return nativert_decode_device (d, value, &arg->u.device);
}

/* {"as_name": x} or a literal under the tag of the kind */
static bool
symbolic (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  const NativertJson *member = nativert_decode_union (d, value);

  if (member == NULL)
    return false;
  if (strcmp (member->key, "as_name") == 0)
    return nativert_decode_string (d, value, "as_name", &arg->name);
  if (arg->tag == NATIVERT_TAG_SYM_FLOAT && strcmp (member->key, "as_float") == 0)
    return nativert_decode_float (d, member, &arg->u.f);
  if ((arg->tag == NATIVERT_TAG_SYM_INT && strcmp (member->key, "as_int") == 0 && member->type == NATIVERT_JSON_INT)
      || (arg->tag == NATIVERT_TAG_SYM_BOOL && strcmp (member->key, "as_bool") == 0
          && member->type == NATIVERT_JSON_BOOL)) {
    arg->u.i = member->u.i;
    return true;
  }
  return nativert_decode_fail (d, value, NATIVERT_ERROR_FORMAT, "unknown tag '%.60s' or wrong type", member->key);
}

/* A list whose items are arguments of one tag. */
static bool
items_of (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg, NativertTag tag, NativertJsonType type,
    bool (*decode) (NativertDecoder *, const NativertJson *, NativertArgDesc *))
{
  NativertArgDesc *list = nativert_decode_new (d, NativertArgDesc, value->n);

  for (uint32_t i = 0; i < value->n; i++) {
    list[i].tag = tag;
    if (!nativert_json_is (d->doc, &value->u.items[i], type, d->error) || !decode (d, &value->u.items[i], &list[i]))
      return false;
  }
  arg->n = value->n;
  arg->u.items = list;
  return true;
}

static bool
nested_tensors (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  return items_of (d, value, arg, NATIVERT_TAG_TENSORS, NATIVERT_JSON_ARRAY, names);
}

static bool
int_lists (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  return items_of (d, value, arg, NATIVERT_TAG_INTS, NATIVERT_JSON_ARRAY, integers);
}

static bool
float_lists (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  return items_of (d, value, arg, NATIVERT_TAG_FLOATS, NATIVERT_JSON_ARRAY, floatings);
}

static bool
symbolics (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  NativertTag tag = arg->tag == NATIVERT_TAG_SYM_INTS ? NATIVERT_TAG_SYM_INT
      : arg->tag == NATIVERT_TAG_SYM_FLOATS ? NATIVERT_TAG_SYM_FLOAT : NATIVERT_TAG_SYM_BOOL;

  return items_of (d, value, arg, tag, NATIVERT_JSON_OBJECT, symbolic);
}

static bool
graph (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  const NativertJson *body = nativert_json_want (d->doc, value, "graph", NATIVERT_JSON_OBJECT, d->error);

  if (body == NULL || !nativert_decode_string (d, value, "name", &arg->name))
    return false;
  arg->u.graph = nativert_decode_graph (d, body);
  return arg->u.graph != NULL;
}

static bool
custom_object (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  return nativert_decode_string (d, value, "name", &arg->name)
         && nativert_decode_string (d, value, "class_fqn", &arg->u.s);
}

static bool
string_to_argument (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg)
{
  NativertArgDesc *list = nativert_decode_new (d, NativertArgDesc, 2 * (size_t) value->n);

  for (uint32_t i = 0; i < value->n; i++) {
    list[2 * i].tag = NATIVERT_TAG_STRING;
    list[2 * i].u.s = nativert_region_strdup (d->program->region, value->u.items[i].key);
    if (!nativert_decode_argument (d, &value->u.items[i], &list[2 * i + 1]))
      return false;
  }
  arg->n = value->n;
  arg->u.items = list;
  return true;
}

static const struct {
  const char *key;
  NativertTag tag;
  NativertJsonType type;                /* FLOAT: the function checks, because of "Infinity" */
  bool (*decode) (NativertDecoder *d, const NativertJson *value, NativertArgDesc *arg);
} tags[] = {
  {"as_tensor", NATIVERT_TAG_TENSOR, NATIVERT_JSON_OBJECT, named},
  {"as_none", NATIVERT_TAG_NONE, NATIVERT_JSON_BOOL, none},
  {"as_int", NATIVERT_TAG_INT, NATIVERT_JSON_INT, integer},
  {"as_ints", NATIVERT_TAG_INTS, NATIVERT_JSON_ARRAY, integers},
  {"as_bool", NATIVERT_TAG_BOOL, NATIVERT_JSON_BOOL, integer},
  {"as_float", NATIVERT_TAG_FLOAT, NATIVERT_JSON_FLOAT, floating},
  {"as_tensors", NATIVERT_TAG_TENSORS, NATIVERT_JSON_ARRAY, names},
  {"as_sym_int", NATIVERT_TAG_SYM_INT, NATIVERT_JSON_OBJECT, symbolic},
  {"as_sym_ints", NATIVERT_TAG_SYM_INTS, NATIVERT_JSON_ARRAY, symbolics},
  {"as_string", NATIVERT_TAG_STRING, NATIVERT_JSON_STRING, string},
  {"as_scalar_type", NATIVERT_TAG_SCALAR_TYPE, NATIVERT_JSON_INT, scalar_type},
  {"as_device", NATIVERT_TAG_DEVICE, NATIVERT_JSON_OBJECT, device},
  {"as_memory_format", NATIVERT_TAG_MEMORY_FORMAT, NATIVERT_JSON_INT, memory_format},
  {"as_layout", NATIVERT_TAG_LAYOUT, NATIVERT_JSON_INT, layout},
  {"as_floats", NATIVERT_TAG_FLOATS, NATIVERT_JSON_ARRAY, floatings},
  {"as_bools", NATIVERT_TAG_BOOLS, NATIVERT_JSON_ARRAY, booleans},
  {"as_strings", NATIVERT_TAG_STRINGS, NATIVERT_JSON_ARRAY, strings},
  {"as_optional_tensor", NATIVERT_TAG_TENSOR, NATIVERT_JSON_OBJECT, optional_tensor},
  {"as_optional_tensors", NATIVERT_TAG_OPTIONAL_TENSORS, NATIVERT_JSON_ARRAY, optional_names},
  {"as_nested_tensors", NATIVERT_TAG_NESTED_TENSORS, NATIVERT_JSON_ARRAY, nested_tensors},
  {"as_int_lists", NATIVERT_TAG_INT_LISTS, NATIVERT_JSON_ARRAY, int_lists},
  {"as_float_lists", NATIVERT_TAG_FLOAT_LISTS, NATIVERT_JSON_ARRAY, float_lists},
  {"as_sym_float", NATIVERT_TAG_SYM_FLOAT, NATIVERT_JSON_OBJECT, symbolic},
  {"as_sym_floats", NATIVERT_TAG_SYM_FLOATS, NATIVERT_JSON_ARRAY, symbolics},
  {"as_sym_bool", NATIVERT_TAG_SYM_BOOL, NATIVERT_JSON_OBJECT, symbolic},
  {"as_sym_bools", NATIVERT_TAG_SYM_BOOLS, NATIVERT_JSON_ARRAY, symbolics},
  {"as_graph", NATIVERT_TAG_GRAPH, NATIVERT_JSON_OBJECT, graph},
  {"as_custom_obj", NATIVERT_TAG_CUSTOM_OBJ, NATIVERT_JSON_OBJECT, custom_object},
  {"as_operator", NATIVERT_TAG_OPERATOR, NATIVERT_JSON_STRING, string},
  {"as_complex", NATIVERT_TAG_COMPLEX, NATIVERT_JSON_OBJECT, complex_number},
  {"as_string_to_argument", NATIVERT_TAG_STRING_TO_ARGUMENT, NATIVERT_JSON_OBJECT, string_to_argument},
};

bool
nativert_decode_argument (NativertDecoder *d, const NativertJson *object, NativertArgDesc *arg)
{
  const NativertJson *member = nativert_decode_union (d, object);

  if (member == NULL)
    return false;
  for (size_t i = 0; i < G_N_ELEMENTS (tags); i++) {
    if (strcmp (member->key, tags[i].key) != 0)
      continue;
    arg->tag = (uint8_t) tags[i].tag;
    if (tags[i].type != NATIVERT_JSON_FLOAT && !nativert_json_is (d->doc, member, tags[i].type, d->error))
      return false;
    return tags[i].decode (d, member, arg);
  }
  return nativert_decode_fail (d, object, NATIVERT_ERROR_FORMAT, "unknown tag '%.60s'", member->key);
}

bool
nativert_decode_arguments (NativertDecoder *d, const NativertJson *array, const NativertArgDesc **args, uint32_t *n)
{
  NativertArgDesc *list = nativert_decode_new (d, NativertArgDesc, array->n);

  for (uint32_t i = 0; i < array->n; i++)
    if (!nativert_decode_argument (d, &array->u.items[i], &list[i]))
      return false;
  *args = list;
  *n = array->n;
  return true;
}
