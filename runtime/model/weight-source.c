/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a version of the weights comes from: an archive, which stays open and so is the same file however often it is
 * replaced under its name, or a .safetensors file, which is opened by its name each time: how it looked when it was
 * first read is kept. */
#include "model/weights.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct NativertWeightSource {
  NativertCore *core;
  char *path, *model;
  NativertPackage *package;             /* NULL: .safetensors */
  struct stat seen;
  bool was_read;
};

static NativertWeightSource *
source_new (NativertCore *core, const char *path)
{
  NativertWeightSource *source = g_new0 (NativertWeightSource, 1);

  source->core = nativert_core_ref (core);
  source->path = g_strdup (path);
  return source;
}

void
nativert_weight_source_free (NativertWeightSource *source)
{
  if (source == NULL)
    return;
  g_clear_pointer (&source->package, nativert_package_unref);
  nativert_core_unref (source->core);
  g_free (source->path);
  g_free (source->model);
  g_free (source);
}

const char *
nativert_weight_source_get_path (const NativertWeightSource *source)
{
  return source->path;
}

NativertWeightSource *
nativert_weight_source_new_own (NativertCore *core)
{
  NativertWeightSource *source = source_new (core, core->path);

  source->model = g_strdup (core->name);
  source->package = nativert_package_ref (core->package);
  return source;
}

/* "data/weights/NAME_weights_config.json" -> NAME */
static char *
model_of_config (const char *record)
{
  static const char prefix[] = "data/weights/", suffix[] = "_weights_config.json";

  if (!g_str_has_prefix (record, prefix) || !g_str_has_suffix (record, suffix)
      || strlen (record) < sizeof prefix + sizeof suffix - 2)
    return NULL;
  return g_strndup (record + sizeof prefix - 1, strlen (record) - (sizeof prefix - 1) - (sizeof suffix - 1));
}

/* Whose weights of the archive to take: the model's namesake, else the only ones there are. */
static char *
choose_model (const NativertCore *core, NativertPackage *package, GError **error)
{
  g_autofree char *only = NULL;
  const char *model;
  uint32_t n = 0;

  for (uint32_t i = 0; i < nativert_package_n_records (package); i++) {
    g_autofree char *name = model_of_config (nativert_package_record_name (package, i));
    if (name == NULL)
      continue;
    if (strcmp (name, core->name) == 0)
      return g_steal_pointer (&name);
    n++;
    g_free (only);
    only = g_steal_pointer (&name);
  }
  if (n == 1)
    return g_steal_pointer (&only);
  model = nativert_package_find_model (package, n > 1 ? core->name : NULL, error);
  return g_strdup (model);
}

/* An archive starts with a zip entry; whatever does not is tried as .safetensors, which has no magic number. */
static bool
is_archive (const char *path, bool *answer, GError **error)
{
  char magic[2] = {0};
  FILE *file = fopen (path, "rbe");

  if (file == NULL) {
    g_set_error (error, NATIVERT_ERROR, errno == ENOENT ? NATIVERT_ERROR_MISSING : NATIVERT_ERROR_IO, "%s: %s", path,
        g_strerror (errno));
    return false;
  }
  *answer = fread (magic, 1, sizeof magic, file) == sizeof magic && memcmp (magic, "PK", 2) == 0;
  fclose (file);
  return true;
}

NativertWeightSource *
nativert_weight_source_new (NativertCore *core, const char *path, GCancellable *cancellable, GError **error)
{
  NativertWeightSource *source;
  bool archive = false;

  if (!is_archive (path, &archive, error))
    return NULL;
  source = source_new (core, path);
  if (!archive)
    return source;
  source->package = nativert_package_open (path, cancellable, error);
  if (source->package != NULL)
    source->model = choose_model (core, source->package, error);
  if (source->model == NULL)
    g_clear_pointer (&source, nativert_weight_source_free);
  return source;
}

static bool
is_same_file (const struct stat *a, const struct stat *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size
      && a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool
check_unchanged (NativertWeightSource *source, GError **error)
{
  struct stat now;

  if (stat (source->path, &now) != 0) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_IO, "%s: %s", source->path, g_strerror (errno));
    return false;
  }
  if (source->was_read && !is_same_file (&now, &source->seen)) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_IO, "%s: changed since its weights were loaded; load them again",
        source->path);
    return false;
  }
  source->seen = now;
  source->was_read = true;
  return true;
}

static bool
is_wanted (const char *fqn, gpointer core)
{
  return g_hash_table_contains (((NativertCore *) core)->wanted, fqn);
}

NativertWeightSet *
nativert_weight_source_read (NativertWeightSource *source, GCancellable *cancellable, GError **error)
{
  bool map = source->core->flags & NATIVERT_LOAD_MMAP;
  g_autoptr (NativertWeightSet) set = NULL;

  if (source->package != NULL)
    return nativert_package_load_weights (
        source->package, source->model, map, is_wanted, source->core, cancellable, error);
  if (!check_unchanged (source, error))
    return NULL;
  set = nativert_safetensors_load (source->path, cancellable, error);
  return set != NULL && check_unchanged (source, error) ? g_steal_pointer (&set) : NULL;
}
