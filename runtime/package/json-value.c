/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking at parsed JSON: members by key, expected types, and where in the text a value stands. */
#include "package/json-private.h"
#include "nativert.h"

#include <string.h>

void
nativert_json_doc_free (NativertJsonDoc *doc)
{
  if (doc == NULL)
    return;
  nativert_region_free (doc->region);
  g_free (doc->text);
  g_free (doc->what);
  g_free (doc);
}

const NativertJson *
nativert_json_root (const NativertJsonDoc *doc)
{
  return &doc->root;
}

const char *
nativert_json_what (const NativertJsonDoc *doc)
{
  return doc->what;
}

const NativertJson *
nativert_json_get (const NativertJson *value, const char *key)
{
  if (value->type == NATIVERT_JSON_OBJECT)
    for (uint32_t i = 0; i < value->n; i++)
      if (strcmp (value->u.items[i].key, key) == 0)
        return &value->u.items[i];
  return NULL;
}

const char *
nativert_json_type_name (NativertJsonType type)
{
  static const char *const names[]
      = { "null", "a boolean", "an integer", "a number", "a string", "an array", "an object" };

  return names[type];
}

double
nativert_json_double (const NativertJson *value)
{
  return value->type == NATIVERT_JSON_FLOAT ? value->u.f : (double) value->u.i;
}

/* Depth first; every array of children is one block, so the way down is known by address. */
static bool
find_path (const NativertJson *from, const NativertJson *value, GString *path)
{
  gsize length = path->len;

  if (from == value)
    return true;
  for (uint32_t i = 0; from->type >= NATIVERT_JSON_ARRAY && i < from->n; i++) {
    if (from->type == NATIVERT_JSON_ARRAY)
      g_string_append_printf (path, "[%u]", i);
    else
      g_string_append_printf (path, "%s%s", length > 0 ? "." : "", from->u.items[i].key);
    if (find_path (&from->u.items[i], value, path))
      return true;
    g_string_truncate (path, length);
  }
  return false;
}

char *
nativert_json_path (const NativertJsonDoc *doc, const NativertJson *value)
{
  GString *path = g_string_new (NULL);

  find_path (&doc->root, value, path);
  return g_string_free (path, FALSE);
}

bool
nativert_json_fail (
    const NativertJsonDoc *doc, const NativertJson *value, GError **error, int code, const char *format, ...)
{
  g_autofree char *path = nativert_json_path (doc, value), *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, NATIVERT_ERROR, code, "%s: %s%s%s", doc->what, path, *path != '\0' ? ": " : "", message);
  return false;
}

bool
nativert_json_is (const NativertJsonDoc *doc, const NativertJson *value, NativertJsonType type, GError **error)
{
  if (value->type == type || (type == NATIVERT_JSON_FLOAT && value->type == NATIVERT_JSON_INT))
    return true;
  return nativert_json_fail (doc, value, error, NATIVERT_ERROR_FORMAT, "expected %s, got %s",
      nativert_json_type_name (type), nativert_json_type_name (value->type));
}

const NativertJson *
nativert_json_want (
    const NativertJsonDoc *doc, const NativertJson *value, const char *key, NativertJsonType type, GError **error)
{
  const NativertJson *member;

  if (!nativert_json_is (doc, value, NATIVERT_JSON_OBJECT, error))
    return NULL;
  member = nativert_json_get (value, key);
  if (member == NULL) {
    nativert_json_fail (doc, value, error, NATIVERT_ERROR_FORMAT, "key '%s' is missing", key);
    return NULL;
  }
  return nativert_json_is (doc, member, type, error) ? member : NULL;
}
