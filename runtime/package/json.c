/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parser behind json.h.  Values of an open array or object wait on a stack and move to the region when it closes,
 * so that the children of a value are one block. */
#include "package/json-private.h"
#include "nativert.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { MAX_DEPTH = 200 };
#define MAX_TEXT ((size_t) 256 << 20)

typedef struct {
  NativertJsonDoc *doc;
  char *at, *end;
  GArray *stack;                        /* NativertJson */
  GHashTable *keys;                     /* to find equal keys in large objects */
  unsigned depth;
  GError **error;
} Parser;

static bool parse_value (Parser *p, NativertJson *value);

static bool
fail_as (Parser *p, int code, const char *why)
{
  g_set_error (
      p->error, NATIVERT_ERROR, code, "%s: JSON: %s at byte %zu", p->doc->what, why, (size_t)(p->at - p->doc->text));
  return false;
}

static bool
fail (Parser *p, const char *why)
{
  return fail_as (p, NATIVERT_ERROR_FORMAT, p->at >= p->end ? "the text ends too early" : why);
}

static void
skip_space (Parser *p)
{
  while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r'))
    p->at++;
}

/* The next character that is no space; 0 at the end (the text itself may hold no NUL outside of strings either). */
static char
peek (Parser *p)
{
  skip_space (p);
  return p->at < p->end ? *p->at : '\0';
}

static bool
parse_hex (Parser *p, gunichar *code)
{
  *code = 0;
  for (int i = 0; i < 4; i++) {
    if (p->at >= p->end || !g_ascii_isxdigit (*p->at))
      return fail (p, "\\u needs four hexadecimal digits");
    *code = *code << 4 | (gunichar) g_ascii_xdigit_value (*p->at++);
  }
  return true;
}

static bool
parse_unicode (Parser *p, char **out)
{
  gunichar code, low;

  if (!parse_hex (p, &code))
    return false;
  if (code >= 0xd800 && code < 0xdc00) {
    if (p->end - p->at < 6 || p->at[0] != '\\' || p->at[1] != 'u')
      return fail (p, "half of a surrogate pair");
    p->at += 2;
    if (!parse_hex (p, &low))
      return false;
    if (low < 0xdc00 || low > 0xdfff)
      return fail (p, "half of a surrogate pair");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  } else if (code >= 0xdc00 && code < 0xe000) {
    return fail (p, "half of a surrogate pair");
  }
  if (code == 0)
    return fail (p, "NUL in a string");
  *out += g_unichar_to_utf8 (code, *out);
  return true;
}

static bool
parse_escape (Parser *p, char **out)
{
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char *found;

  if (p->at >= p->end)
    return fail (p, "");
  if (*p->at == 'u') {
    p->at++;
    return parse_unicode (p, out);
  }
  found = *p->at != '\0' ? strchr (from, *p->at) : NULL;
  if (found == NULL)
    return fail (p, "unknown escape");
  *(*out)++ = to[found - from];
  p->at++;
  return true;
}

/* At the opening quote.  Decodes in place and ends the string with a NUL, at the latest over the closing quote. */
static bool
parse_string (Parser *p, const char **text, uint32_t *length)
{
  char *start = ++p->at, *out = start;
  bool ascii = true;

  for (;;) {
    char *run = p->at;
    while (p->at < p->end && *p->at != '"' && *p->at != '\\' && (unsigned char) *p->at >= 0x20) {
      ascii = ascii && (*p->at & 0x80) == 0;
      p->at++;
    }
    if (out != run)
      memmove (out, run, p->at - run);
    out += p->at - run;
    if (p->at >= p->end || (*p->at != '"' && *p->at != '\\'))
      return fail (p, "control character in a string");
    if (*p->at++ == '"')
      break;
    if (!parse_escape (p, &out))
      return false;
  }
  if (!ascii && !g_utf8_validate (start, out - start, NULL))
    return fail_as (p, NATIVERT_ERROR_FORMAT, "string is not UTF-8");
  if (out - start > G_MAXINT32)
    return fail_as (p, NATIVERT_ERROR_LIMIT, "string is too long");
  *out = '\0';
  *text = start;
  *length = (uint32_t) (out - start);
  return true;
}

static bool
skip_digits (Parser *p)
{
  if (p->at >= p->end || !g_ascii_isdigit (*p->at))
    return fail (p, "expected a digit");
  while (p->at < p->end && g_ascii_isdigit (*p->at))
    p->at++;
  return true;
}

static bool
parse_integer (Parser *p, const char *start, NativertJson *value)
{
  bool negative = *start == '-';
  int64_t sum = 0;

  for (const char *c = start + negative; c < p->at; c++) {
    int digit = *c - '0';
    if (__builtin_mul_overflow (sum, 10, &sum) || __builtin_sub_overflow (sum, digit, &sum))
      return fail_as (p, NATIVERT_ERROR_LIMIT, "integer beyond 64 bits");
  }
  if (!negative && __builtin_sub_overflow ((int64_t) 0, sum, &sum))
    return fail_as (p, NATIVERT_ERROR_LIMIT, "integer beyond 64 bits");
  value->type = NATIVERT_JSON_INT;
  value->u.i = sum;
  return true;
}

static bool
parse_number (Parser *p, NativertJson *value)
{
  const char *start = p->at;
  bool is_float = false;

  if (*p->at == '-')
    p->at++;
  if (p->at < p->end && *p->at == '0')
    p->at++;
  else if (!skip_digits (p))
    return false;
  if (p->at < p->end && *p->at == '.') {
    is_float = true;
    p->at++;
    if (!skip_digits (p))
      return false;
  }
  if (p->at < p->end && (*p->at == 'e' || *p->at == 'E')) {
    is_float = true;
    p->at++;
    if (p->at < p->end && (*p->at == '+' || *p->at == '-'))
      p->at++;
    if (!skip_digits (p))
      return false;
  }
  if (!is_float)
    return parse_integer (p, start, value);
  value->type = NATIVERT_JSON_FLOAT;
  value->u.f = g_ascii_strtod (start, NULL);
  return isfinite (value->u.f) || fail_as (p, NATIVERT_ERROR_LIMIT, "number beyond double precision");
}

static bool
parse_word (Parser *p, NativertJson *value)
{
  static const struct { const char *word; uint32_t type; int64_t i; } words[] = {
    {"true", NATIVERT_JSON_BOOL, 1}, {"false", NATIVERT_JSON_BOOL, 0}, {"null", NATIVERT_JSON_NULL, 0}};

  for (size_t i = 0; i < G_N_ELEMENTS (words); i++) {
    size_t length = strlen (words[i].word);
    if ((size_t) (p->end - p->at) >= length && memcmp (p->at, words[i].word, length) == 0) {
      p->at += length;
      value->type = words[i].type;
      value->u.i = words[i].i;
      return true;
    }
  }
  return fail (p, "unexpected character");
}

static bool
check_keys (Parser *p, const NativertJson *members, uint32_t n)
{
  const char *twice = NULL;

  if (n <= 12) {
    for (uint32_t i = 1; i < n && twice == NULL; i++)
      for (uint32_t k = 0; k < i && twice == NULL; k++)
        if (strcmp (members[i].key, members[k].key) == 0)
          twice = members[i].key;
  } else {
    g_hash_table_remove_all (p->keys);
    for (uint32_t i = 0; i < n && twice == NULL; i++)
      if (!g_hash_table_add (p->keys, (gpointer) members[i].key))
        twice = members[i].key;
  }
  if (twice == NULL)
    return true;
  g_set_error (p->error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT,
      "%s: JSON: key '%.100s' stands twice in the object that ends at byte %zu", p->doc->what, twice,
      (size_t)(p->at - p->doc->text));
  return false;
}

/* Moves what the container put on the stack behind it. */
static bool
close_container (Parser *p, uint32_t from, NativertJson *value)
{
  const NativertJson *items;

  value->n = p->stack->len - from;
  value->u.items = NULL;
  p->at++;
  p->depth--;
  if (value->n == 0)
    return true;
  items = &g_array_index (p->stack, NativertJson, from);
  if (value->type == NATIVERT_JSON_OBJECT && !check_keys (p, items, value->n))
    return false;
  value->u.items = nativert_region_memdup (p->doc->region, items, value->n * sizeof *items);
  g_array_set_size (p->stack, from);
  return true;
}

static bool
parse_container (Parser *p, NativertJson *value, bool is_object)
{
  char close = is_object ? '}' : ']';
  uint32_t from = p->stack->len, length;

  if (++p->depth > MAX_DEPTH)
    return fail_as (p, NATIVERT_ERROR_LIMIT, "nested too deeply");
  value->type = is_object ? NATIVERT_JSON_OBJECT : NATIVERT_JSON_ARRAY;
  p->at++;
  if (peek (p) == close)
    return close_container (p, from, value);
  for (;;) {
    NativertJson item = {0};
    if (is_object) {
      if (peek (p) != '"')
        return fail (p, "expected a key");
      if (!parse_string (p, &item.key, &length))
        return false;
      if (peek (p) != ':')
        return fail (p, "expected ':'");
      p->at++;
    }
    if (!parse_value (p, &item))
      return false;
    g_array_append_val (p->stack, item);
    if (peek (p) == close)
      return close_container (p, from, value);
    if (peek (p) != ',')
      return fail (p, is_object ? "expected ',' or '}'" : "expected ',' or ']'");
    p->at++;
  }
}

static bool
parse_value (Parser *p, NativertJson *value)
{
  switch (peek (p)) {
    case '{':
      return parse_container (p, value, true);
    case '[':
      return parse_container (p, value, false);
    case '"':
      value->type = NATIVERT_JSON_STRING;
      return parse_string (p, &value->u.s, &value->n);
    case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
      return parse_number (p, value);
    default:
      return parse_word (p, value);
  }
}

static bool
parse_text (Parser *p)
{
  if (!parse_value (p, &p->doc->root))
    return false;
  skip_space (p);
  return p->at == p->end || fail (p, "text after the end");
}

NativertJsonDoc *
nativert_json_parse (const char *what, const char *text, size_t n_bytes, GError **error)
{
  g_autoptr (NativertJsonDoc) doc = g_new0 (NativertJsonDoc, 1);
  Parser p = {doc, .error = error};
  bool fine;

  doc->what = g_strdup (what);
  doc->region = nativert_region_new ();
  doc->text = n_bytes <= MAX_TEXT ? g_try_malloc (n_bytes + 1) : NULL;
  if (doc->text == NULL) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_LIMIT, "%s: no memory for %zu bytes", what, n_bytes);
    return NULL;
  }
  if (n_bytes > 0)
    memcpy (doc->text, text, n_bytes);
  doc->text[n_bytes] = '\0';
  p.at = doc->text;
  p.end = doc->text + n_bytes;
  p.stack = g_array_new (FALSE, FALSE, sizeof (NativertJson));
  p.keys = g_hash_table_new (g_str_hash, g_str_equal);
  fine = parse_text (&p);
  g_array_unref (p.stack);
  g_hash_table_unref (p.keys);
  return fine ? g_steal_pointer (&doc) : NULL;
}
