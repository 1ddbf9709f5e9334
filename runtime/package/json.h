/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strict JSON (RFC 8259) from files that nobody vouches for: depth is limited, integers fit int64, strings are UTF-8
 * without NUL, keys are unique.  One pass over a private copy of the text, in place: strings are not copied again, and
 * what a reader does not look at costs 24 bytes a value. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum {
  NATIVERT_JSON_NULL,
  NATIVERT_JSON_BOOL,
  NATIVERT_JSON_INT,
  NATIVERT_JSON_FLOAT,
  NATIVERT_JSON_STRING,
  NATIVERT_JSON_ARRAY,
  NATIVERT_JSON_OBJECT
} NativertJsonType;

typedef struct NativertJson NativertJson;
struct NativertJson {
  const char *key;                      /* members of objects; else NULL */
  uint32_t type, n;                     /* n: elements or members, bytes of a string */
  union {
    int64_t i;                          /* INT, BOOL */
    double f;
    const char *s;
    const NativertJson *items;
  } u;
};

typedef struct NativertJsonDoc NativertJsonDoc;         /* owns all values */

/* what: how messages call the text, such as "record 'models/model.json'".  The text needs no end mark. */
NativertJsonDoc *nativert_json_parse (const char *what, const char *text, size_t n_bytes, GError **error);
void nativert_json_doc_free (NativertJsonDoc *doc);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertJsonDoc, nativert_json_doc_free)
const NativertJson *nativert_json_root (const NativertJsonDoc *doc);
const char *nativert_json_what (const NativertJsonDoc *doc);

/* NULL when value is no object or has no such member. */
const NativertJson *nativert_json_get (const NativertJson *value, const char *key);
/* As get, but an error that says where when it is missing or of another type.  A FLOAT may be written as an integer. */
const NativertJson *nativert_json_want (
    const NativertJsonDoc *doc, const NativertJson *value, const char *key, NativertJsonType type, GError **error);
bool nativert_json_is (const NativertJsonDoc *doc, const NativertJson *value, NativertJsonType type, GError **error);
const char *nativert_json_type_name (NativertJsonType type);
double nativert_json_double (const NativertJson *value);        /* of an INT or FLOAT */
/* "graph.nodes[3].inputs[0]": where value stands. */
char *nativert_json_path (const NativertJsonDoc *doc, const NativertJson *value);
/* Sets "<what>: <path>: <message>"; returns false. */
bool nativert_json_fail (const NativertJsonDoc *doc, const NativertJson *value, GError **error, int code,
    const char *format, ...) G_GNUC_PRINTF (5, 6);
