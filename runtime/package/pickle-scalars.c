/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading of a pickle's bytes, and the opcodes that push one number or text. */
#include "package/pickle-private.h"

#include <string.h>

const uint8_t *
nativert_pickle_take (Pickle *p, size_t n)
{
  const uint8_t *bytes = p->at;

  if (n > (size_t) (p->end - p->at)) {
    nativert_pickle_malformed (p, "ends too early");
    return NULL;
  }
  p->at += n;
  return bytes;
}

bool
nativert_pickle_take_uint (Pickle *p, unsigned n_bytes, uint64_t *value)
{
  const uint8_t *bytes = nativert_pickle_take (p, n_bytes);

  *value = 0;
  for (unsigned i = 0; bytes != NULL && i < n_bytes; i++)
    *value |= (uint64_t) bytes[i] << (8 * i);
  return bytes != NULL;
}

bool
nativert_pickle_push (Pickle *p, PickleObject *object)
{
  if (object == NULL)
    return false;
  g_ptr_array_add (p->stack, object);
  return true;
}

static bool
push_int (Pickle *p, PickleKind kind, int64_t value)
{
  PickleObject *object = nativert_pickle_new (p, kind);

  if (object == NULL)
    return false;
  object->u.i = value;
  return nativert_pickle_push (p, object);
}

bool nativert_pickle_op_none (Pickle *p) { return push_int (p, PICKLE_NONE, 0); }
bool nativert_pickle_op_true (Pickle *p) { return push_int (p, PICKLE_BOOL, 1); }
bool nativert_pickle_op_false (Pickle *p) { return push_int (p, PICKLE_BOOL, 0); }

bool
nativert_pickle_op_binint (Pickle *p)
{
  uint64_t value;

  return nativert_pickle_take_uint (p, 4, &value) && push_int (p, PICKLE_INT, (int32_t) (uint32_t) value);
}

bool
nativert_pickle_op_binint1 (Pickle *p)
{
  uint64_t value;

  return nativert_pickle_take_uint (p, 1, &value) && push_int (p, PICKLE_INT, (int64_t) value);
}

bool
nativert_pickle_op_binint2 (Pickle *p)
{
  uint64_t value;

  return nativert_pickle_take_uint (p, 2, &value) && push_int (p, PICKLE_INT, (int64_t) value);
}

/* Two's complement of any length, lowest byte first. */
static bool
push_long (Pickle *p, uint64_t length)
{
  const uint8_t *bytes;
  uint64_t value = 0;

  if (length > 8)
    return nativert_pickle_fail (p, NATIVERT_ERROR_LIMIT, "integer beyond 64 bits");
  bytes = nativert_pickle_take (p, (size_t) length);
  if (bytes == NULL)
    return false;
  if (length > 0 && (bytes[length - 1] & 0x80) != 0)
    value = ~UINT64_C (0);
  for (uint64_t i = 0; i < length; i++)
    value = (value & ~(UINT64_C (0xff) << (8 * i))) | (uint64_t) bytes[i] << (8 * i);
  return push_int (p, PICKLE_INT, (int64_t) value);
}

bool
nativert_pickle_op_long1 (Pickle *p)
{
  uint64_t length;

  return nativert_pickle_take_uint (p, 1, &length) && push_long (p, length);
}

bool
nativert_pickle_op_long4 (Pickle *p)
{
  uint64_t length;

  return nativert_pickle_take_uint (p, 4, &length) && push_long (p, length);
}

bool
nativert_pickle_op_binfloat (Pickle *p)
{
  const uint8_t *bytes = nativert_pickle_take (p, 8);
  PickleObject *object = bytes != NULL ? nativert_pickle_new (p, PICKLE_FLOAT) : NULL;
  uint64_t bits = 0;

  if (object == NULL)
    return false;
  for (int i = 0; i < 8; i++)
    bits = bits << 8 | bytes[i];
  memcpy (&object->u.f, &bits, sizeof bits);
  return nativert_pickle_push (p, object);
}

bool
nativert_pickle_push_text (Pickle *p, PickleKind kind, const char *text, size_t length)
{
  PickleObject *object;

  if (kind != PICKLE_BYTES && (!g_utf8_validate (text, (gssize) length, NULL) || memchr (text, 0, length) != NULL))
    return nativert_pickle_malformed (p, "string is not UTF-8 or has a NUL");
  object = nativert_pickle_new (p, kind);
  if (object == NULL)
    return false;
  object->u.text.s = nativert_region_alloc (p->region, length + 1);
  object->u.text.n = length;
  if (length > 0)
    memcpy ((char *) object->u.text.s, text, length);
  return nativert_pickle_push (p, object);
}

static bool
push_counted (Pickle *p, PickleKind kind, unsigned n_bytes)
{
  uint64_t length;
  const uint8_t *bytes;

  if (!nativert_pickle_take_uint (p, n_bytes, &length))
    return false;
  bytes = nativert_pickle_take (p, length);
  return bytes != NULL && nativert_pickle_push_text (p, kind, (const char *) bytes, (size_t) length);
}

bool nativert_pickle_op_short_unicode (Pickle *p) { return push_counted (p, PICKLE_STRING, 1); }
bool nativert_pickle_op_unicode (Pickle *p) { return push_counted (p, PICKLE_STRING, 4); }
bool nativert_pickle_op_unicode8 (Pickle *p) { return push_counted (p, PICKLE_STRING, 8); }
bool nativert_pickle_op_short_bytes (Pickle *p) { return push_counted (p, PICKLE_BYTES, 1); }
bool nativert_pickle_op_bytes (Pickle *p) { return push_counted (p, PICKLE_BYTES, 4); }
bool nativert_pickle_op_bytes8 (Pickle *p) { return push_counted (p, PICKLE_BYTES, 8); }
