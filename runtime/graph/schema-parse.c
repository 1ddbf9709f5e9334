/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recursive-descent parser of ATen's schema language:
 *   name "(" [type name ["=" default]] {"," ...} ["*" ","] ")" "->" returns
 *   type: word ["(" alias ["!"] ["->" alias] ")"] {"?" | "[" [count] "]"} */
#include <string.h>
#include "graph/dtypes.h"
#include "graph/schema-parse.h"

typedef struct { NativertRegion *region; const char *text, *p; GError **error; } Parser;

static bool
fail (Parser *c, const char *what)
{
  g_set_error (c->error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "schema \"%s\", column %d: %s", c->text,
      (int) (c->p - c->text) + 1, what);
  return false;
}

static void
skip_space (Parser *c)
{
  while (g_ascii_isspace (*c->p))
    c->p++;
}

static bool
accept (Parser *c, const char *token)
{
  skip_space (c);
  if (strncmp (c->p, token, strlen (token)) != 0)
    return false;
  c->p += strlen (token);
  return true;
}

/* Letters, digits and whatever is in extra; NULL when there are none. */
static const char *
word (Parser *c, const char *extra)
{
  skip_space (c);
  const char *start = c->p;
  while (g_ascii_isalnum (*c->p) || *c->p == '_' || (*c->p && strchr (extra, *c->p)))
    c->p++;
  if (c->p == start)
    return NULL;
  g_autofree char *text = g_strndup (start, c->p - start);
  return nativert_region_strdup (c->region, text);
}

static uint8_t
type_of (const char *name)
{
  static const struct { const char *name; uint8_t type; } types[] = {
    { "Tensor", NATIVERT_ST_TENSOR }, { "int", NATIVERT_ST_INT }, { "SymInt", NATIVERT_ST_INT },
    { "float", NATIVERT_ST_FLOAT }, { "bool", NATIVERT_ST_BOOL }, { "SymBool", NATIVERT_ST_BOOL },
    { "Scalar", NATIVERT_ST_SCALAR }, { "number", NATIVERT_ST_SCALAR }, { "complex", NATIVERT_ST_SCALAR },
    { "str", NATIVERT_ST_STRING }, { "ScalarType", NATIVERT_ST_DTYPE }, { "Layout", NATIVERT_ST_LAYOUT },
    { "Device", NATIVERT_ST_DEVICE }, { "MemoryFormat", NATIVERT_ST_MEMORY_FORMAT },
    { "Generator", NATIVERT_ST_GENERATOR },
  };
  for (size_t i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_str_equal (types[i].name, name))
      return types[i].type;
  return NATIVERT_ST_OTHER;
}

/* "(a!)", "(a -> *)", "(a|b)" after a type */
static bool
parse_alias (Parser *c, NativertSchemaArg *arg)
{
  if (!accept (c, "("))
    return true;
  skip_space (c);
  arg->alias = *c->p ? *c->p : '*';
  while (*c->p && *c->p != ')') {
    arg->write |= *c->p == '!';
    c->p++;
  }
  return accept (c, ")") || fail (c, "')' of an alias is missing");
}

static bool
parse_type (Parser *c, NativertSchemaArg *arg)
{
  const char *name = word (c, ".");
  if (!name)
    return fail (c, "a type is missing");
  arg->type = type_of (name);
  if (g_str_equal (name, "Dict") && *c->p == '(') {      /* Dict(str, Tensor): nothing binds to it */
    while (*c->p && *c->p != ')')
      c->p++;
    if (!accept (c, ")"))
      return fail (c, "')' of a type is missing");
  }
  if (!parse_alias (c, arg))
    return false;
  for (;;) {
    if (accept (c, "?")) {
      arg->optional = true;
    } else if (accept (c, "[")) {
      arg->list_optional = arg->optional;
      arg->optional = false;
      arg->list = true;
      arg->list_size = (int32_t) g_ascii_strtoll (c->p, (char **) &c->p, 10);
      if (!accept (c, "]"))
        return fail (c, "']' of a list type is missing");
      if (arg->alias == 0 && !parse_alias (c, arg))
        return false;
    } else {
      return true;
    }
  }
}

/* ---- defaults ---- */

static bool
parse_number (Parser *c, NativertGraphArg *def)
{
  char *end_int, *end_float;
  skip_space (c);
  int64_t i = g_ascii_strtoll (c->p, &end_int, 10);
  double f = g_ascii_strtod (c->p, &end_float);
  if (end_float == c->p)
    return false;
  *def = end_float > end_int ? (NativertGraphArg) { .kind = NATIVERT_GA_FLOAT, .u.f = f }
      : (NativertGraphArg) { .kind = NATIVERT_GA_INT, .u.i = i };
  c->p = end_float;
  return true;
}

static bool
parse_string (Parser *c, NativertGraphArg *def)
{
  char quote = *c->p++;
  const char *end = c->p;
  while (*end && *end != quote)
    end += end[0] == '\\' && end[1] ? 2 : 1;
  if (!*end)
    return fail (c, "a string does not end");
  g_autofree char *raw = g_strndup (c->p, end - c->p), *text = g_strcompress (raw);
  *def = (NativertGraphArg) { .kind = NATIVERT_GA_STRING, .u.s = nativert_region_strdup (c->region, text) };
  c->p = end + 1;
  return true;
}

static bool
parse_word_default (Parser *c, const NativertSchemaArg *arg, NativertGraphArg *def)
{
  static const struct { const char *name; NativertGraphArg value; } words[] = {
    { "None", { .kind = NATIVERT_GA_NONE } },
    { "True", { .kind = NATIVERT_GA_BOOL, .u.i = 1 } }, { "False", { .kind = NATIVERT_GA_BOOL, .u.i = 0 } },
    { "true", { .kind = NATIVERT_GA_BOOL, .u.i = 1 } }, { "false", { .kind = NATIVERT_GA_BOOL, .u.i = 0 } },
    { "Mean", { .kind = NATIVERT_GA_INT, .u.i = 1 } }, { "Sum", { .kind = NATIVERT_GA_INT, .u.i = 2 } },
    { "contiguous_format", { .kind = NATIVERT_GA_MEMORY_FORMAT, .u.i = 1 } },
    { "channels_last", { .kind = NATIVERT_GA_MEMORY_FORMAT, .u.i = 2 } },
    { "preserve_format", { .kind = NATIVERT_GA_MEMORY_FORMAT, .u.i = 4 } },
    { "strided", { .kind = NATIVERT_GA_LAYOUT, .u.i = 7 } },
  };
  const char *name = word (c, "");
  if (!name)
    return fail (c, "a default value is missing");
  for (size_t i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (words[i].name, name)) {
      *def = words[i].value;
      return true;
    }
  int dtype = arg->type == NATIVERT_ST_DTYPE ? nativert_scalar_type_from_name (name) : -1;
  if (dtype >= 0)
    *def = (NativertGraphArg) { .kind = NATIVERT_GA_DTYPE, .u.i = dtype };
  else if (arg->type == NATIVERT_ST_DEVICE)
    *def = (NativertGraphArg) { .kind = NATIVERT_GA_DEVICE, .u.device = { name, -1 } };
  else
    return fail (c, "an unknown word as default value");
  return true;
}

static bool
parse_scalar_default (Parser *c, const NativertSchemaArg *arg, NativertGraphArg *def)
{
  skip_space (c);
  if (*c->p == '"' || *c->p == '\'')
    return parse_string (c, def);
  if (g_ascii_isdigit (*c->p) || *c->p == '-' || *c->p == '.' || g_str_has_prefix (c->p, "inf"))
    return parse_number (c, def) || fail (c, "a number is missing");
  return parse_word_default (c, arg, def);
}

/* n items of one kind as one list argument. */
static NativertGraphArg
pack_list (Parser *c, const NativertSchemaArg *arg, const NativertGraphArg *items, uint32_t n)
{
  NativertGraphArg list = { .n = n };
  if (arg->type == NATIVERT_ST_FLOAT) {
    double *floats = nativert_region_new_n (c->region, double, n);
    for (uint32_t i = 0; i < n; i++)
      floats[i] = items[i].kind == NATIVERT_GA_FLOAT ? items[i].u.f : (double) items[i].u.i;
    list.kind = NATIVERT_GA_FLOATS;
    list.u.floats = floats;
  } else if (arg->type == NATIVERT_ST_BOOL) {
    uint8_t *bools = nativert_region_new_n (c->region, uint8_t, n);
    for (uint32_t i = 0; i < n; i++)
      bools[i] = items[i].u.i != 0;
    list.kind = NATIVERT_GA_BOOLS;
    list.u.bools = bools;
  } else if (arg->type == NATIVERT_ST_TENSOR) {
    list.kind = NATIVERT_GA_VALUES;
    list.u.values = nativert_region_new_n (c->region, NativertGraphValue *, n);
  } else {
    int64_t *ints = nativert_region_new_n (c->region, int64_t, n);
    for (uint32_t i = 0; i < n; i++)
      ints[i] = items[i].u.i;
    list.kind = NATIVERT_GA_INTS;
    list.u.ints = ints;
  }
  return list;
}

enum { MAX_DEFAULT_LIST = 16 };

static bool
parse_list_default (Parser *c, const NativertSchemaArg *arg, NativertGraphArg *def)
{
  NativertGraphArg items[MAX_DEFAULT_LIST];
  uint32_t n = 0;
  while (!accept (c, "]")) {
    if (n == MAX_DEFAULT_LIST)
      return fail (c, "a default list is too long");
    if ((n > 0 && !accept (c, ",")) || !parse_scalar_default (c, arg, &items[n]))
      return *c->error ? false : fail (c, "',' is missing in a default list");
    n++;
  }
  *def = pack_list (c, arg, items, n);
  return true;
}

static bool
parse_default (Parser *c, NativertSchemaArg *arg)
{
  arg->has_default = true;
  if (accept (c, "["))
    return parse_list_default (c, arg, &arg->def);
  if (!parse_scalar_default (c, arg, &arg->def))
    return false;
  if (arg->list && arg->def.kind != NATIVERT_GA_NONE && arg->def.kind != NATIVERT_GA_STRING) {
    NativertGraphArg items[MAX_DEFAULT_LIST];
    uint32_t n = (uint32_t) CLAMP (arg->list_size, 1, MAX_DEFAULT_LIST);
    for (uint32_t i = 0; i < n; i++)
      items[i] = arg->def;
    arg->def = pack_list (c, arg, items, n);
  } else if (arg->type == NATIVERT_ST_FLOAT && arg->def.kind == NATIVERT_GA_INT) {
    arg->def = (NativertGraphArg) { .kind = NATIVERT_GA_FLOAT, .u.f = (double) arg->def.u.i };
  }
  return true;
}

/* ---- the whole ---- */

static bool
parse_args (Parser *c, GArray *args)
{
  bool kwarg_only = false;
  if (!accept (c, "("))
    return fail (c, "'(' is missing");
  while (!accept (c, ")")) {
    if (args->len + kwarg_only > 0 && !accept (c, ","))
      return fail (c, "',' or ')' is missing");
    if (!kwarg_only && accept (c, "*")) {
      kwarg_only = true;
      continue;
    }
    NativertSchemaArg arg = { .kwarg_only = kwarg_only };
    if (!parse_type (c, &arg))
      return false;
    if (!(arg.name = word (c, "")))
      return fail (c, "an argument's name is missing");
    if (accept (c, "=") && !parse_default (c, &arg))
      return false;
    g_array_append_val (args, arg);
  }
  return true;
}

static bool
parse_return (Parser *c, GArray *returns)
{
  NativertSchemaArg ret = { 0 };
  if (!parse_type (c, &ret))
    return false;
  skip_space (c);
  ret.name = *c->p && *c->p != ',' && *c->p != ')' ? word (c, "") : NULL;
  g_array_append_val (returns, ret);
  return true;
}

static bool
parse_returns (Parser *c, GArray *returns)
{
  if (!accept (c, "->"))
    return fail (c, "'->' is missing");
  if (!accept (c, "("))
    return parse_return (c, returns);
  while (!accept (c, ")"))
    if ((returns->len > 0 && !accept (c, ",")) || !parse_return (c, returns))
      return *c->error ? false : fail (c, "',' or ')' is missing in the returns");
  return true;
}

static const char *const *
names_of (NativertRegion *region, const NativertSchemaArg *args, uint32_t n)
{
  const char **names = nativert_region_new_n (region, const char *, n);
  for (uint32_t i = 0; i < n; i++)
    names[i] = args[i].name;
  return names;
}

bool
nativert_schema_parse (NativertRegion *region, const char *text, NativertSchema *schema, GError **error)
{
  GError *own = NULL;                   /* the parser asks whether it is set */
  Parser c = { .region = region, .text = text, .p = text, .error = &own };
  g_autoptr (GArray) args = g_array_new (FALSE, TRUE, sizeof (NativertSchemaArg));
  g_autoptr (GArray) returns = g_array_new (FALSE, TRUE, sizeof (NativertSchemaArg));
  *schema = (NativertSchema) { .op = -1 };
  schema->name = word (&c, ":.");
  bool ok = (schema->name && strstr (schema->name, "::")) || fail (&c, "\"namespace::name\" is missing");
  ok = ok && parse_args (&c, args) && parse_returns (&c, returns);
  skip_space (&c);
  ok = ok && (!*c.p || fail (&c, "text after the end"));
  if (!ok) {
    g_propagate_error (error, own);
    return false;
  }
  schema->text = nativert_region_strdup (region, text);
  schema->n_args = args->len;
  schema->n_returns = returns->len;
  schema->args = nativert_region_memdup (region, args->data, args->len * sizeof (NativertSchemaArg));
  schema->returns = nativert_region_memdup (region, returns->data, returns->len * sizeof (NativertSchemaArg));
  schema->arg_names = names_of (region, schema->args, schema->n_args);
  for (uint32_t i = 0; i < schema->n_args; i++)
    schema->writes |= schema->args[i].write;
  return true;
}
