/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names that a pickle may call, what comes of objects of other classes, and the way to NativertValue. */
#include "package/pickle-private.h"

#include <string.h>

enum { MAX_HEIGHT = 100, MAX_WEIGHT = 1 << 20 };

typedef PickleObject *(*ReduceFn) (Pickle *p, const PickleObject *args);

static PickleObject *
rebuild_tensor_v2 (Pickle *p, const PickleObject *args)
{
  return nativert_pickle_tensor (p, args, false);
}

static PickleObject *
rebuild_tensor_v3 (Pickle *p, const PickleObject *args)
{
  return nativert_pickle_tensor (p, args, true);
}

/* (tensor, requires_grad, hooks) */
static PickleObject *
rebuild_parameter (Pickle *p, const PickleObject *args)
{
  if (nativert_pickle_length (args) >= 1 && nativert_pickle_item (args, 0)->kind == PICKLE_TENSOR)
    return nativert_pickle_item (args, 0);
  nativert_pickle_fail (p, NATIVERT_ERROR_FORMAT, "parameter without a tensor");
  return NULL;
}

/* (function, type, args, state): the tensor is all we want of the subclass. */
static PickleObject *
rebuild_from_type (Pickle *p, const PickleObject *args)
{
  const PickleObject *function, *inner;

  if (nativert_pickle_length (args) == 4) {
    function = nativert_pickle_item (args, 0);
    inner = nativert_pickle_item (args, 2);
    if (function->kind == PICKLE_GLOBAL && inner->kind == PICKLE_TUPLE) {
      if (strcmp (function->u.text.s, "torch._utils _rebuild_tensor_v2") == 0)
        return rebuild_tensor_v2 (p, inner);
      if (strcmp (function->u.text.s, "torch._utils _rebuild_tensor_v3") == 0)
        return rebuild_tensor_v3 (p, inner);
      if (strcmp (function->u.text.s, "torch._utils _rebuild_parameter") == 0)
        return rebuild_parameter (p, inner);
      nativert_pickle_fail (p, NATIVERT_ERROR_UNSUPPORTED, "'%s' is not known", function->u.text.s);
      return NULL;
    }
  }
  nativert_pickle_fail (p, NATIVERT_ERROR_FORMAT, "tensor of a subclass: unexpected arguments");
  return NULL;
}

static PickleObject *
new_dict (Pickle *p, const PickleObject *args)
{
  return nativert_pickle_new (p, PICKLE_DICT);
}

/* list(), deque(), deque([..], maxlen): what the first argument holds. */
static PickleObject *
new_list (Pickle *p, const PickleObject *args)
{
  PickleObject *list = nativert_pickle_new (p, PICKLE_LIST);
  const PickleObject *items = nativert_pickle_length (args) > 0 ? nativert_pickle_item (args, 0) : NULL;

  if (list == NULL || items == NULL)
    return list;
  if (items->kind != PICKLE_LIST && items->kind != PICKLE_TUPLE) {
    nativert_pickle_fail (p, NATIVERT_ERROR_FORMAT, "list of something that is none");
    return NULL;
  }
  for (uint32_t i = 0; i < nativert_pickle_length (items); i++)
    nativert_pickle_append (p, list, nativert_pickle_item (items, i));
  /* as many objects as if they had been written out, so that copies of copies stay bounded */
  p->n_objects += nativert_pickle_length (items);
  return list;
}

/* torch.Size((..)), torch.device("cpu", 0), _get_layout("torch.strided"): the first argument says it. */
static PickleObject *
first_argument (Pickle *p, const PickleObject *args)
{
  if (nativert_pickle_length (args) > 0)
    return nativert_pickle_item (args, 0);
  nativert_pickle_fail (p, NATIVERT_ERROR_FORMAT, "argument is missing");
  return NULL;
}

static const struct { const char *name; ReduceFn reduce; } callables[] = {
  {"torch._utils _rebuild_tensor_v2", rebuild_tensor_v2},
  {"torch._utils _rebuild_tensor_v3", rebuild_tensor_v3},
  {"torch._utils _rebuild_parameter", rebuild_parameter},
  {"torch._tensor _rebuild_from_type_v2", rebuild_from_type},
  {"collections OrderedDict", new_dict},
  {"collections defaultdict", new_dict},
  {"collections deque", new_list},
  {"__builtin__ list", new_list},
  {"builtins list", new_list},
  {"torch Size", first_argument},
  {"torch device", first_argument},
  {"torch.serialization _get_layout", first_argument},
};

PickleObject *
nativert_pickle_reduce (Pickle *p, const PickleObject *callable, const PickleObject *args)
{
  if (callable->kind != PICKLE_GLOBAL || args->kind != PICKLE_TUPLE) {
    nativert_pickle_fail (p, NATIVERT_ERROR_FORMAT, "calls something that is no name");
    return NULL;
  }
  for (size_t i = 0; i < G_N_ELEMENTS (callables); i++)
    if (strcmp (callables[i].name, callable->u.text.s) == 0)
      return callables[i].reduce (p, args);
  nativert_pickle_fail (p, NATIVERT_ERROR_UNSUPPORTED, "'%s' is not known and is not called", callable->u.text.s);
  return NULL;
}

/* An instance of a class: known ones as above; of another we keep the arguments (named tuples) and later the state
 * (data classes), because the tensors are in there. */
PickleObject *
nativert_pickle_new_object (Pickle *p, const PickleObject *type, PickleObject *args)
{
  PickleObject *object;

  if (type->kind != PICKLE_GLOBAL || args->kind != PICKLE_TUPLE) {
    nativert_pickle_fail (p, NATIVERT_ERROR_FORMAT, "makes an instance of something that is no name");
    return NULL;
  }
  for (size_t i = 0; i < G_N_ELEMENTS (callables); i++)
    if (strcmp (callables[i].name, type->u.text.s) == 0)
      return callables[i].reduce (p, args);
  object = nativert_pickle_new (p, PICKLE_OBJECT);
  if (object != NULL)
    object->u.state = args;
  return object;
}

/* Attributes of containers and tensors (such as a state dict's _metadata) are left alone. */
bool
nativert_pickle_build (Pickle *p, PickleObject *object, PickleObject *state)
{
  if (object->kind == PICKLE_OBJECT)
    object->u.state = state;
  return true;
}

/* ---- values ---- */

static NativertValue *convert (Pickle *p, PickleObject *object, uint32_t depth);

/* Keys are text: numbers as Python prints them. */
static char *
key_text (const PickleObject *key)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  switch (key->kind) {
    case PICKLE_STRING:
      return g_strdup (key->u.text.s);
    case PICKLE_INT:
      return g_strdup_printf ("%" G_GINT64_FORMAT, key->u.i);
    case PICKLE_BOOL:
      return g_strdup (key->u.i != 0 ? "True" : "False");
    case PICKLE_NONE:
      return g_strdup ("None");
    case PICKLE_FLOAT:
      g_ascii_dtostr (buffer, sizeof buffer, key->u.f);
      return g_strconcat (buffer, strpbrk (buffer, ".eni") == NULL ? ".0" : "", NULL);
    default:
      return NULL;
  }
}

/* Shared parts count each time: who walks the value must not meet more than the limit. */
static bool
count (Pickle *p, PickleObject *object, const PickleObject *child)
{
  object->weight += child->weight;
  object->height = MAX (object->height, child->height + 1);
  return object->weight <= MAX_WEIGHT
         || nativert_pickle_fail (p, NATIVERT_ERROR_LIMIT, "more than %d values", MAX_WEIGHT);
}

static bool
convert_items (Pickle *p, PickleObject *object, NativertValue *container, uint32_t depth)
{
  uint32_t step = object->kind == PICKLE_DICT ? 2 : 1;

  for (uint32_t i = 0; i < nativert_pickle_length (object); i += step) {
    PickleObject *child = nativert_pickle_item (object, i + step - 1);
    NativertValue *value = convert (p, child, depth + 1);
    if (value == NULL)
      return false;
    if (step == 1) {
      nativert_value_append (container, value);
    } else {
      g_autofree char *key = key_text (nativert_pickle_item (object, i));
      if (key == NULL) {
        nativert_value_unref (value);
        return nativert_pickle_fail (p, NATIVERT_ERROR_UNSUPPORTED, "key that is neither string nor number");
      }
      nativert_value_set (container, key, value);
    }
    if (!count (p, object, child))
      return false;
  }
  return true;
}

static NativertValue *
convert_container (Pickle *p, PickleObject *object, uint32_t depth)
{
  g_autoptr (NativertValue) container = object->kind == PICKLE_LIST ? nativert_value_new_list ()
      : object->kind == PICKLE_TUPLE ? nativert_value_new_tuple () : nativert_value_new_dict ();

  return convert_items (p, object, container, depth) ? g_steal_pointer (&container) : NULL;
}

/* torch.float32 and other constants of torch: their name. */
static NativertValue *
convert_name (Pickle *p, const PickleObject *object)
{
  if (object->kind == PICKLE_GLOBAL && g_str_has_prefix (object->u.text.s, "torch "))
    return nativert_value_new_string (object->u.text.s + strlen ("torch "));
  nativert_pickle_fail (p, NATIVERT_ERROR_UNSUPPORTED, "'%s' is no value of a model",
      object->kind == PICKLE_GLOBAL  ? object->u.text.s
      : object->kind == PICKLE_BYTES ? "bytes"
                                     : "storage");
  return NULL;
}

static NativertValue *
convert_inner (Pickle *p, PickleObject *object, uint32_t depth)
{
  g_autoptr (NativertValue) state = NULL;

  switch (object->kind) {
    case PICKLE_NONE:
      return nativert_value_new_none ();
    case PICKLE_BOOL:
      return nativert_value_new_bool (object->u.i != 0);
    case PICKLE_INT:
      return nativert_value_new_int (object->u.i);
    case PICKLE_FLOAT:
      return nativert_value_new_float (object->u.f);
    case PICKLE_STRING:
      return nativert_value_new_string (object->u.text.s);
    case PICKLE_TENSOR:
      return nativert_value_new_tensor (object->u.tensor);
    case PICKLE_LIST:
    case PICKLE_TUPLE:
    case PICKLE_DICT:
      return convert_container (p, object, depth);
    case PICKLE_OBJECT:
      state = convert (p, object->u.state, depth + 1);
      return state != NULL && count (p, object, object->u.state) ? g_steal_pointer (&state) : NULL;
    default:
      return convert_name (p, object);
  }
}

static NativertValue *
convert (Pickle *p, PickleObject *object, uint32_t depth)
{
  NativertValue *value;

  if (object->value != NULL && depth + object->height <= MAX_HEIGHT)
    return nativert_value_ref (object->value);
  if (object->entered || depth > MAX_HEIGHT || object->value != NULL) {
    nativert_pickle_fail (p, NATIVERT_ERROR_LIMIT, "values are nested too deeply or in a circle");
    return NULL;
  }
  object->entered = true;
  object->weight = 1;
  value = convert_inner (p, object, depth);
  object->entered = false;
  if (value != NULL)
    g_ptr_array_add (p->values, nativert_value_ref (value));
  object->value = value;
  return value;
}

NativertValue *
nativert_pickle_to_value (Pickle *p, PickleObject *object)
{
  return convert (p, object, 0);
}
