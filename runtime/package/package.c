/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A PT2 archive: the version records checked, models found, records by their names below the root folder. */
#include "package/package-private.h"
#include "base/refs.h"
#include "package/pickle.h"

#include <string.h>

#define MODELS "models/"
#define JSON ".json"

struct NativertPackage {
  NativertRefs refs;
  NativertArchive *archive;
  size_t root_length;                   /* with the slash */
  GPtrArray *models;
};

/* The text of a small record without white space around it; NULL without error when there is none. */
static char *
read_text (NativertPackage *package, const char *name, GError **error)
{
  int64_t index = nativert_archive_find_below_root (package->archive, name);
  g_autoptr (GBytes) bytes = NULL;

  if (index < 0)
    return NULL;
  if (nativert_archive_get (package->archive, (uint32_t) index)->size > 64) {
    nativert_archive_fail (package->archive, index, error, NATIVERT_ERROR_FORMAT, "expected one short word");
    return NULL;
  }
  bytes = nativert_archive_read (package->archive, (uint32_t) index, error);
  if (bytes == NULL)
    return NULL;
  return g_strstrip (g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes)));
}

/* The record must hold one of the two words (second may be NULL); missing is fine unless it is required. */
static bool
check_text (NativertPackage *package, const char *name, const char *expected, bool required, int code, GError **error)
{
  g_autoptr (GError) own_error = NULL;
  g_autofree char *text = read_text (package, name, &own_error), *printable = NULL;

  if (own_error != NULL) {
    g_propagate_error (error, g_steal_pointer (&own_error));
    return false;
  }
  if (text == NULL && !required)
    return true;
  if (text == NULL)
    return nativert_archive_fail (
        package->archive, -1, error, NATIVERT_ERROR_FORMAT, "record '%s' is missing: not a PT2 archive", name);
  if (strcmp (text, expected) == 0)
    return true;
  printable = g_strescape (text, NULL);
  return nativert_archive_fail (package->archive, nativert_archive_find_below_root (package->archive, name), error,
      code, "expected '%s', got '%s'", expected, printable);
}

static bool
check_container_version (NativertPackage *package, GError **error)
{
  enum { NEWEST = 10 };
  g_autoptr (GError) own_error = NULL;
  g_autofree char *text = read_text (package, ".data/version", &own_error);
  guint64 version;

  if (own_error != NULL) {
    g_propagate_error (error, g_steal_pointer (&own_error));
    return false;
  }
  if (text == NULL)
    return true;
  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT32, &version, NULL))
    return nativert_archive_fail (package->archive,
        nativert_archive_find_below_root (package->archive, ".data/version"), error, NATIVERT_ERROR_FORMAT,
        "is not a number");
  return version <= NEWEST
         || nativert_archive_fail (package->archive,
             nativert_archive_find_below_root (package->archive, ".data/version"), error, NATIVERT_ERROR_VERSION,
             "container version %" G_GUINT64_FORMAT " is newer than %d", version, NEWEST);
}

static bool
check_versions (NativertPackage *package, GError **error)
{
  if (nativert_archive_find (package->archive, "serialized_exported_program.json") >= 0)
    return nativert_archive_fail (package->archive, -1, error, NATIVERT_ERROR_VERSION,
        "written by torch 2.7 or older; export the model again with torch 2.9 or newer");
  if (*nativert_archive_get_root (package->archive) == '\0')
    return nativert_archive_fail (package->archive, -1, error, NATIVERT_ERROR_FORMAT,
        "not a PT2 archive: its records have no common root folder");
  return check_text (package, "archive_format", "pt2", true, NATIVERT_ERROR_FORMAT, error)
      && check_text (package, "archive_version", "0", true, NATIVERT_ERROR_VERSION, error)
      && check_text (package, "byteorder", "little", false, NATIVERT_ERROR_UNSUPPORTED, error)
      && check_container_version (package, error);
}

static void
find_models (NativertPackage *package)
{
  for (uint32_t i = 0; i < nativert_package_n_records (package); i++) {
    const char *name = nativert_package_record_name (package, i);
    if (g_str_has_prefix (name, MODELS) && g_str_has_suffix (name, JSON) && strlen (name) > strlen (MODELS JSON))
      g_ptr_array_add (package->models, g_strndup (name + strlen (MODELS), strlen (name) - strlen (MODELS JSON)));
  }
}

NativertPackage *
nativert_package_open (const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (NativertPackage) package = NULL;
  g_autoptr (NativertArchive) archive = NULL;

  if (g_cancellable_is_cancelled (cancellable)) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_CANCELLED, "%s: cancelled", path);
    return NULL;
  }
  archive = nativert_archive_open (path, error);
  if (archive == NULL)
    return NULL;
  package = g_new0 (NativertPackage, 1);
  nativert_refs_init (&package->refs);
  package->archive = g_steal_pointer (&archive);
  package->models = g_ptr_array_new_with_free_func (g_free);
  if (!check_versions (package, error))
    return NULL;
  package->root_length = strlen (nativert_archive_get_root (package->archive)) + 1;
  find_models (package);
  return g_steal_pointer (&package);
}

NativertPackage *
nativert_package_ref (NativertPackage *package)
{
  nativert_refs_inc (&package->refs);
  return package;
}

void
nativert_package_unref (NativertPackage *package)
{
  if (!nativert_refs_dec (&package->refs))
    return;
  nativert_archive_unref (package->archive);
  g_ptr_array_unref (package->models);
  g_free (package);
}

NativertArchive *
nativert_package_archive (NativertPackage *package)
{
  return package->archive;
}

const char *
nativert_package_get_path (const NativertPackage *package)
{
  return nativert_archive_get_path (package->archive);
}

uint32_t
nativert_package_n_records (const NativertPackage *package)
{
  return nativert_archive_n_records (package->archive);
}

const char *
nativert_package_record_name (const NativertPackage *package, uint32_t index)
{
  return nativert_archive_get (package->archive, index)->name + package->root_length;
}

uint64_t
nativert_package_record_size (const NativertPackage *package, uint32_t index)
{
  return nativert_archive_get (package->archive, index)->size;
}

bool
nativert_package_has_record (const NativertPackage *package, const char *name)
{
  return nativert_archive_find_below_root (package->archive, name) >= 0;
}

int64_t
nativert_package_find_record (const NativertPackage *package, GError **error, const char *format, ...)
{
  g_autofree char *name = NULL;
  va_list args;
  int64_t index;

  va_start (args, format);
  name = g_strdup_vprintf (format, args);
  va_end (args);
  index = nativert_archive_find_below_root (package->archive, name);
  if (index < 0)
    nativert_archive_fail (package->archive, -1, error, NATIVERT_ERROR_MISSING, "record '%s' is missing", name);
  return index;
}

GBytes *
nativert_package_read_record (NativertPackage *package, const char *name, GError **error)
{
  int64_t index = nativert_package_find_record (package, error, "%s", name);

  return index >= 0 ? nativert_archive_read (package->archive, (uint32_t) index, error) : NULL;
}

uint32_t
nativert_package_n_models (const NativertPackage *package)
{
  return package->models->len;
}

const char *
nativert_package_model_name (const NativertPackage *package, uint32_t index)
{
  return index < package->models->len ? g_ptr_array_index (package->models, index) : NULL;
}

const char *
nativert_package_find_model (const NativertPackage *package, const char *name, GError **error)
{
  GString *names;

  for (guint i = 0; i < package->models->len; i++)
    if (strcmp (g_ptr_array_index (package->models, i), name != NULL ? name : "model") == 0)
      return g_ptr_array_index (package->models, i);
  if (name == NULL && package->models->len == 1)
    return g_ptr_array_index (package->models, 0);
  names = g_string_new (NULL);
  for (guint i = 0; i < package->models->len; i++)
    g_string_append_printf (names, "%s'%s'", i > 0 ? ", " : "", (const char *) g_ptr_array_index (package->models, i));
  nativert_archive_fail (package->archive, -1, error, NATIVERT_ERROR_MISSING,
      "there is no model '%s'; the archive holds %s", name != NULL ? name : "model",
      names->len > 0 ? names->str : "no exported program");
  g_string_free (names, TRUE);
  return NULL;
}

NativertProgram *
nativert_package_load_program (NativertPackage *package, const char *model, GError **error)
{
  int64_t index = nativert_package_find_record (package, error, MODELS "%s" JSON, model);
  g_autoptr (GBytes) bytes = index >= 0 ? nativert_archive_read (package->archive, (uint32_t) index, error) : NULL;
  g_autofree char *what = NULL;

  if (bytes == NULL)
    return NULL;
  what = g_strdup_printf ("%s: record '" MODELS "%s" JSON "'", nativert_package_get_path (package), model);
  return nativert_program_parse (what, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), error);
}

GBytes *
nativert_package_dup_extra_file (NativertPackage *package, const char *name)
{
  g_autofree char *record = g_strconcat ("extra/", name, NULL);
  int64_t index = nativert_archive_find_below_root (package->archive, record);

  return index >= 0 ? nativert_archive_read (package->archive, (uint32_t) index, NULL) : NULL;
}
NativertValue *
nativert_package_load_sample_inputs (NativertPackage *package, const char *model, GError **error)
{
  g_autofree char *record = g_strdup_printf ("data/sample_inputs/%s.pt", model);
  int64_t index = nativert_archive_find_below_root (package->archive, record);
  g_autoptr (NativertArchive) inner = NULL;

  if (index < 0 || nativert_archive_get (package->archive, (uint32_t) index)->size == 0)
    return NULL;
  inner = nativert_archive_open_record (package->archive, (uint32_t) index, error);
  return inner != NULL ? nativert_pickle_load (inner, error) : NULL;
}
