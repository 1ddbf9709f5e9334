/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The outermost structure of a program: versions, ranges, guards, calling convention. */
#include "package/program-private.h"

#include <string.h>

enum { SCHEMA_MAJOR = 8 };

static bool
decode_version (NativertDecoder *d, const NativertJson *root)
{
  const NativertJson *version = nativert_json_want (d->doc, root, "schema_version", NATIVERT_JSON_OBJECT, d->error);
  NativertProgram *program = d->program;

  if (version == NULL || !nativert_decode_int (d, version, "major", &program->schema_major)
      || !nativert_decode_int (d, version, "minor", &program->schema_minor))
    return false;
  if (program->schema_major == SCHEMA_MAJOR || (program->schema_major == 0 && program->schema_minor == 0))
    return true;
  return nativert_decode_fail (d, version, NATIVERT_ERROR_VERSION,
      "schema version %" G_GINT64_FORMAT ".%" G_GINT64_FORMAT ", only %d.x is known", program->schema_major,
      program->schema_minor, SCHEMA_MAJOR);
}

static bool
decode_bound (NativertDecoder *d, const NativertJson *object, const char *key, bool *has, int64_t *bound)
{
  const NativertJson *value = nativert_decode_optional (object, key);

  *has = value != NULL;
  if (value == NULL)
    return true;
  *bound = value->u.i;
  return nativert_json_is (d->doc, value, NATIVERT_JSON_INT, d->error);
}

static bool
decode_ranges (NativertDecoder *d, const NativertJson *root)
{
  const NativertJson *table = nativert_decode_optional (root, "range_constraints");
  NativertRange *list;

  if (table == NULL)
    return true;
  if (!nativert_json_is (d->doc, table, NATIVERT_JSON_OBJECT, d->error))
    return false;
  list = nativert_decode_new (d, NativertRange, table->n);
  for (uint32_t i = 0; i < table->n; i++) {
    const NativertJson *item = &table->u.items[i];
    g_autoptr (GError) why = NULL;
    list[i].name = nativert_region_strdup (d->program->region, item->key);
    list[i].expr = nativert_expr_parse (d->program->exprs, item->key, &why);
    if (list[i].expr == NULL)
      return nativert_decode_fail (d, item, NATIVERT_ERROR_FORMAT, "%s", why->message);
    if (!nativert_json_is (d->doc, item, NATIVERT_JSON_OBJECT, d->error)
        || !decode_bound (d, item, "min_val", &list[i].has_min, &list[i].min)
        || !decode_bound (d, item, "max_val", &list[i].has_max, &list[i].max))
      return false;
    if (list[i].has_min && list[i].has_max && list[i].min > list[i].max)
      return nativert_decode_fail (d, item, NATIVERT_ERROR_FORMAT, "the range is empty");
  }
  d->program->ranges = list;
  d->program->n_ranges = table->n;
  return true;
}

static bool
decode_optional_strings (
    NativertDecoder *d, const NativertJson *object, const char *key, const char *const **result, uint32_t *n)
{
  const NativertJson *array = nativert_decode_optional (object, key);

  if (array == NULL)
    return true;
  return nativert_json_is (d->doc, array, NATIVERT_JSON_ARRAY, d->error)
         && nativert_decode_strings (d, array, result, n);
}

static bool
decode_optional_string (NativertDecoder *d, const NativertJson *object, const char *key, const char **result)
{
  const NativertJson *text = nativert_decode_optional (object, key);

  if (text == NULL)
    return true;
  if (!nativert_json_is (d->doc, text, NATIVERT_JSON_STRING, d->error))
    return false;
  *result = nativert_decode_dup (d, text);
  return true;
}

/* The entry of the module itself, "", carries the calling convention. */
static bool
decode_module_calls (NativertDecoder *d, const NativertJson *module)
{
  const NativertJson *calls = nativert_decode_optional (module, "module_call_graph");
  NativertProgram *program = d->program;

  if (calls == NULL)
    return true;
  if (!nativert_json_is (d->doc, calls, NATIVERT_JSON_ARRAY, d->error))
    return false;
  for (uint32_t i = 0; i < calls->n; i++) {
    const NativertJson *call = &calls->u.items[i], *signature;
    const NativertJson *fqn = nativert_json_want (d->doc, call, "fqn", NATIVERT_JSON_STRING, d->error);
    if (fqn == NULL)
      return false;
    signature = nativert_decode_optional (call, "signature");
    if (*fqn->u.s != '\0' || signature == NULL)
      continue;
    if (!nativert_json_is (d->doc, signature, NATIVERT_JSON_OBJECT, d->error))
      return false;
    return decode_optional_string (d, signature, "in_spec", &program->in_spec)
           && decode_optional_string (d, signature, "out_spec", &program->out_spec)
           && decode_optional_strings (
               d, signature, "forward_arg_names", &program->forward_arg_names, &program->n_forward_arg_names);
  }
  return true;
}

static bool
decode_namedtuples (NativertDecoder *d, const NativertJson *module)
{
  const NativertJson *table = nativert_decode_optional (module, "treespec_namedtuple_fields");
  NativertNamedTuple *list;

  if (table == NULL)
    return true;
  if (!nativert_json_is (d->doc, table, NATIVERT_JSON_OBJECT, d->error))
    return false;
  list = nativert_decode_new (d, NativertNamedTuple, table->n);
  for (uint32_t i = 0; i < table->n; i++) {
    const NativertJson *fields = nativert_decode_array (d, &table->u.items[i], "field_names");
    list[i].name = nativert_region_strdup (d->program->region, table->u.items[i].key);
    if (fields == NULL || !nativert_decode_strings (d, fields, &list[i].fields, &list[i].n_fields))
      return false;
  }
  d->program->namedtuples = list;
  d->program->n_namedtuples = table->n;
  return true;
}

static bool
decode_program (NativertDecoder *d)
{
  const NativertJson *root = nativert_json_root (d->doc), *module, *graph, *signature;
  NativertProgram *program = d->program;

  program->torch_version = "";
  /* the version first: what else is wrong with a file of another major version says nothing */
  if (!nativert_json_is (d->doc, root, NATIVERT_JSON_OBJECT, d->error) || !decode_version (d, root)
      || (module = nativert_json_want (d->doc, root, "graph_module", NATIVERT_JSON_OBJECT, d->error)) == NULL
      || (graph = nativert_json_want (d->doc, module, "graph", NATIVERT_JSON_OBJECT, d->error)) == NULL
      || (signature = nativert_json_want (d->doc, module, "signature", NATIVERT_JSON_OBJECT, d->error)) == NULL)
    return false;
  program->graph = nativert_decode_graph (d, graph);
  return program->graph != NULL && nativert_decode_signature (d, signature) && decode_module_calls (d, module)
      && decode_namedtuples (d, module) && decode_ranges (d, root)
      && decode_optional_strings (d, root, "guards_code", &program->guards, &program->n_guards)
      && decode_optional_strings (d, root, "verifiers", &program->verifiers, &program->n_verifiers)
      && decode_optional_string (d, root, "torch_version", &program->torch_version);
}

NativertProgram *
nativert_program_parse (const char *what, const char *json, size_t n_bytes, GError **error)
{
  g_autoptr (NativertJsonDoc) doc = nativert_json_parse (what, json, n_bytes, error);
  g_autoptr (NativertProgram) program = NULL;
  NativertDecoder decoder = {doc, NULL, error};

  if (doc == NULL)
    return NULL;
  decoder.program = program = g_new0 (NativertProgram, 1);
  program->region = nativert_region_new ();
  program->exprs = nativert_expr_table_new ();
  return decode_program (&decoder) ? g_steal_pointer (&program) : NULL;
}

void
nativert_program_free (NativertProgram *program)
{
  if (program == NULL)
    return;
  nativert_expr_table_free (program->exprs);
  nativert_region_free (program->region);
  g_free (program);
}
