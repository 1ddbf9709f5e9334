/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Members of JSON objects as C values: what every part of the schema is made of. */
#include "package/program-private.h"

#include <math.h>
#include <string.h>

char *
nativert_decode_dup (NativertDecoder *d, const NativertJson *string)
{
  return nativert_region_memdup (d->program->region, string->u.s, string->n + 1);
}

const NativertJson *
nativert_decode_array (NativertDecoder *d, const NativertJson *object, const char *key)
{
  return nativert_json_want (d->doc, object, key, NATIVERT_JSON_ARRAY, d->error);
}

bool
nativert_decode_string (NativertDecoder *d, const NativertJson *object, const char *key, const char **result)
{
  const NativertJson *value = nativert_json_want (d->doc, object, key, NATIVERT_JSON_STRING, d->error);

  if (value != NULL)
    *result = nativert_decode_dup (d, value);
  return value != NULL;
}

bool
nativert_decode_int (NativertDecoder *d, const NativertJson *object, const char *key, int64_t *result)
{
  const NativertJson *value = nativert_json_want (d->doc, object, key, NATIVERT_JSON_INT, d->error);

  if (value != NULL)
    *result = value->u.i;
  return value != NULL;
}

bool
nativert_decode_bool (NativertDecoder *d, const NativertJson *object, const char *key, bool *result)
{
  const NativertJson *value = nativert_json_want (d->doc, object, key, NATIVERT_JSON_BOOL, d->error);

  if (value != NULL)
    *result = value->u.i != 0;
  return value != NULL;
}

const NativertJson *
nativert_decode_optional (const NativertJson *object, const char *key)
{
  const NativertJson *value = nativert_json_get (object, key);

  return value != NULL && value->type != NATIVERT_JSON_NULL ? value : NULL;
}

const NativertJson *
nativert_decode_union (NativertDecoder *d, const NativertJson *object)
{
  if (!nativert_json_is (d->doc, object, NATIVERT_JSON_OBJECT, d->error))
    return NULL;
  if (object->n == 1)
    return &object->u.items[0];
  nativert_decode_fail (d, object, NATIVERT_ERROR_FORMAT, "expected one tag, got %u", object->n);
  return NULL;
}

/* JSON has no infinities and no NaN: they are written as strings. */
bool
nativert_decode_float (NativertDecoder *d, const NativertJson *value, double *result)
{
  static const struct {
    const char *text;
    double value;
  } special[] = { { "Infinity", INFINITY }, { "-Infinity", -INFINITY }, { "NaN", NAN } };

  if (value->type == NATIVERT_JSON_STRING) {
    for (size_t i = 0; i < G_N_ELEMENTS (special); i++)
      if (strcmp (value->u.s, special[i].text) == 0) {
        *result = special[i].value;
        return true;
      }
    return nativert_decode_fail (d, value, NATIVERT_ERROR_FORMAT, "'%.40s' is no number", value->u.s);
  }
  if (!nativert_json_is (d->doc, value, NATIVERT_JSON_FLOAT, d->error))
    return false;
  *result = nativert_json_double (value);
  return true;
}

bool
nativert_decode_strings (NativertDecoder *d, const NativertJson *array, const char *const **result, uint32_t *n)
{
  const char **strings = nativert_decode_new (d, const char *, array->n);

  for (uint32_t i = 0; i < array->n; i++) {
    if (!nativert_json_is (d->doc, &array->u.items[i], NATIVERT_JSON_STRING, d->error))
      return false;
    strings[i] = nativert_decode_dup (d, &array->u.items[i]);
  }
  *result = strings;
  *n = array->n;
  return true;
}

bool
nativert_decode_device (NativertDecoder *d, const NativertJson *object, NativertDeviceDesc *device)
{
  const NativertJson *index = nativert_decode_optional (object, "index");

  device->index = -1;
  if (!nativert_decode_string (d, object, "type", &device->type))
    return false;
  if (index == NULL)
    return true;
  if (!nativert_json_is (d->doc, index, NATIVERT_JSON_INT, d->error))
    return false;
  if (index->u.i < -1 || index->u.i > 1024)
    return nativert_decode_fail (d, index, NATIVERT_ERROR_FORMAT, "no such device");
  device->index = (int32_t) index->u.i;
  return true;
}
