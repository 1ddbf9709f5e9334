/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The choice by extension, and how files are written. */
#include "package/tensor-files-private.h"
#include "package/pickle.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

static bool
has_extension (const char *path, const char *extension)
{
  size_t n = strlen (path), m = strlen (extension);

  return n > m && g_ascii_strcasecmp (path + n - m, extension) == 0;
}

static bool
fail (const char *path, GError **error, int code, const char *why)
{
  g_set_error (error, NATIVERT_ERROR, code, "%s: %s", path, why);
  return false;
}

/* ---- reading ---- */

static NativertTensor *
weight_to_tensor (const NativertWeightDesc *desc)
{
  return nativert_tensor_new_borrowed ((NativertDtype) desc->dtype, desc->sizes, desc->strides, desc->n_dims,
      nativert_storage_data (desc->storage), (GDestroyNotify) nativert_storage_unref,
      nativert_storage_ref (desc->storage));
}

static NativertValue *
load_safetensors (const char *path, GError **error)
{
  g_autoptr (NativertWeightSet) set = nativert_safetensors_load (path, NULL, error);
  NativertValue *dict;

  if (set == NULL)
    return NULL;
  dict = nativert_value_new_dict ();
  for (uint32_t i = 0; i < nativert_weight_set_n (set); i++) {
    const NativertWeightDesc *desc = nativert_weight_set_get (set, i);
    g_autoptr (NativertTensor) tensor = weight_to_tensor (desc);
    nativert_value_set (dict, desc->name, nativert_value_new_tensor (tensor));
  }
  return dict;
}

static NativertValue *
load_npz (const char *path, GError **error)
{
  g_autoptr (NativertArchive) archive = nativert_archive_open (path, error);
  g_autoptr (NativertValue) dict = nativert_value_new_dict ();

  if (archive == NULL)
    return NULL;
  for (uint32_t i = 0; i < nativert_archive_n_records (archive); i++) {
    const char *name = nativert_archive_get (archive, i)->name;
    g_autofree char *what = g_strdup_printf ("%s: record '%s'", path, name), *key = g_strdup (name);
    g_autoptr (GBytes) bytes = nativert_archive_read (archive, i, error);
    g_autoptr (NativertTensor) tensor = bytes != NULL ? nativert_npy_parse (what, bytes, error) : NULL;
    if (tensor == NULL)
      return NULL;
    if (has_extension (key, ".npy"))
      key[strlen (key) - strlen (".npy")] = '\0';
    nativert_value_set (dict, key, nativert_value_new_tensor (tensor));
  }
  return g_steal_pointer (&dict);
}

static NativertValue *
load_npy (const char *path, GError **error)
{
  g_autoptr (NativertBacking) backing = nativert_backing_open (path, error);
  g_autoptr (NativertTensor) tensor = NULL;
  g_autoptr (NativertStorage) storage = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (backing == NULL)
    return NULL;
  /* a storage, for its alignment: headers are padded so that the elements keep it */
  storage = nativert_storage_new ((size_t) nativert_backing_size (backing), error);
  if (storage == NULL)
    return NULL;
  if (!nativert_backing_read (backing, 0, nativert_storage_data (storage), nativert_storage_n_bytes (storage), NULL)) {
    fail (path, error, NATIVERT_ERROR_IO, "cannot be read");
    return NULL;
  }
  bytes = g_bytes_new_with_free_func (nativert_storage_data (storage), nativert_storage_n_bytes (storage),
      (GDestroyNotify) nativert_storage_unref, nativert_storage_ref (storage));
  tensor = nativert_npy_parse (path, bytes, error);
  return tensor != NULL ? nativert_value_new_tensor (tensor) : NULL;
}

static NativertValue *
load_pt (const char *path, GError **error)
{
  g_autoptr (NativertArchive) archive = nativert_archive_open (path, error);

  return archive != NULL ? nativert_pickle_load (archive, error) : NULL;
}

NativertValue *
nativert_tensor_file_load (const char *path, GError **error)
{
  if (has_extension (path, ".safetensors"))
    return load_safetensors (path, error);
  if (has_extension (path, ".npz"))
    return load_npz (path, error);
  if (has_extension (path, ".npy"))
    return load_npy (path, error);
  if (has_extension (path, ".pt") || has_extension (path, ".pth"))
    return load_pt (path, error);
  fail (path, error, NATIVERT_ERROR_UNSUPPORTED, "expected a file of .safetensors, .npz, .npy or .pt");
  return NULL;
}

/* ---- writing ---- */

bool
nativert_write_all (int fd, const void *data, size_t n_bytes)
{
  const char *at = data;

  while (n_bytes > 0) {
    ssize_t n = write (fd, at, n_bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    at += n;
    n_bytes -= (size_t) n;
  }
  return true;
}

bool
nativert_write_tensor (int fd, NativertTensor *tensor)
{
  g_autoptr (GBytes) bytes = nativert_tensor_dup_bytes (tensor);
  gsize size;
  const void *data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  return bytes != NULL && nativert_write_all (fd, data, size);
}

bool
nativert_write_file (const char *path, NativertWriteFn write_fn, gpointer user_data, GError **error)
{
  g_autofree char *name = g_strconcat (path, ".XXXXXX", NULL);
  int fd = g_mkstemp_full (name, O_RDWR | O_CLOEXEC, 0666);
  bool fine;

  if (fd < 0)
    return fail (path, error, NATIVERT_ERROR_IO, g_strerror (errno));
  errno = 0;
  fine = write_fn (fd, user_data);
  fine = close (fd) == 0 && fine;
  if (fine && g_rename (name, path) == 0)
    return true;
  fail (path, error, NATIVERT_ERROR_IO, errno != 0 ? g_strerror (errno) : "cannot be written");
  g_unlink (name);
  return false;
}

typedef struct {
  const char *header;
  size_t n_header;
  NativertTensor *const *tensors;
  unsigned n;
} Contents;

static bool
write_contents (int fd, gpointer user_data)
{
  const Contents *contents = user_data;

  if (!nativert_write_all (fd, contents->header, contents->n_header))
    return false;
  for (unsigned i = 0; i < contents->n; i++)
    if (!nativert_write_tensor (fd, contents->tensors[i]))
      return false;
  return true;
}

/* Large elements first, so that all are aligned for readers that map the file. */
static bool
save_safetensors (
    const char *path, const char *const *names, NativertTensor *const *tensors, unsigned n, GError **error)
{
  g_autofree const char **sorted_names = g_new (const char *, n);
  g_autofree NativertTensor **sorted = g_new (NativertTensor *, n);
  Contents contents = {.tensors = sorted, .n = n};
  g_autofree char *header = NULL;
  unsigned at = 0;

  for (gsize item = 16; item > 0; item /= 2)
    for (unsigned i = 0; i < n; i++)
      if (nativert_dtype_get_size (nativert_tensor_get_dtype (tensors[i])) == item) {
        sorted_names[at] = names[i];
        sorted[at++] = tensors[i];
      }
  header = nativert_safetensors_header (sorted_names, sorted, n, &contents.n_header, error);
  if (header == NULL) {
    g_prefix_error (error, "%s: ", path);
    return false;
  }
  contents.header = header;
  return nativert_write_file (path, write_contents, &contents, error);
}

static char *
npy_header (const char *path, const char *name, NativertTensor *tensor, size_t *length, GError **error)
{
  NativertDtype dtype = nativert_tensor_get_dtype (tensor);
  char *header = nativert_npy_header (dtype, tensor, length);

  if (header == NULL)
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_UNSUPPORTED, "%s: numpy has no %s ('%s'); write .safetensors",
        path, nativert_dtype_get_name (dtype), name);
  return header;
}

static bool
save_npy (const char *path, const char *const *names, NativertTensor *const *tensors, unsigned n, GError **error)
{
  Contents contents = {.tensors = tensors, .n = n};
  g_autofree char *header = NULL;

  if (n != 1)
    return fail (path, error, NATIVERT_ERROR_INVALID_INPUT, ".npy holds one tensor; write .npz or .safetensors");
  header = npy_header (path, names[0], tensors[0], &contents.n_header, error);
  contents.header = header;
  return header != NULL && nativert_write_file (path, write_contents, &contents, error);
}

/* Header and elements as one buffer that libzip reads when it closes the archive. */
static bool
add_npy (zip_t *zip, const char *path, const char *name, NativertTensor *tensor, GPtrArray *buffers, GError **error)
{
  g_autofree char *member = g_strconcat (name, ".npy", NULL), *header = NULL;
  g_autoptr (GBytes) elements = nativert_tensor_dup_bytes (tensor);
  GByteArray *buffer;
  zip_source_t *source;
  zip_int64_t index;
  size_t n_header;

  if (elements == NULL)
    return fail (path, error, NATIVERT_ERROR_LIMIT, "no memory for a contiguous copy of a tensor");
  header = npy_header (path, name, tensor, &n_header, error);
  if (header == NULL)
    return false;
  buffer = g_byte_array_sized_new ((guint) n_header);
  g_ptr_array_add (buffers, buffer);
  if (g_bytes_get_size (elements) > G_MAXUINT - n_header - 1)
    return fail (path, error, NATIVERT_ERROR_LIMIT, "a tensor of 4 GB; write .safetensors");
  g_byte_array_append (buffer, (const guint8 *) header, (guint) n_header);
  if (g_bytes_get_size (elements) > 0)
    g_byte_array_append (buffer, g_bytes_get_data (elements, NULL), (guint) g_bytes_get_size (elements));
  source = zip_source_buffer (zip, buffer->data, buffer->len, 0);
  index = source != NULL ? zip_file_add (zip, member, source, ZIP_FL_ENC_UTF_8) : -1;
  if (index >= 0)
    return zip_set_file_compression (zip, (zip_uint64_t) index, ZIP_CM_STORE, 0) == 0
        || fail (path, error, NATIVERT_ERROR_IO, zip_strerror (zip));
  fail (path, error, NATIVERT_ERROR_IO, zip_strerror (zip));
  g_clear_pointer (&source, zip_source_free);
  return false;
}

static bool
save_npz (const char *path, const char *const *names, NativertTensor *const *tensors, unsigned n, GError **error)
{
  g_autoptr (GPtrArray) buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_byte_array_unref);
  int code = 0;
  zip_t *zip = zip_open (path, ZIP_CREATE | ZIP_TRUNCATE, &code);
  bool fine = zip != NULL;

  if (zip == NULL) {
    zip_error_t why;
    zip_error_init_with_code (&why, code);
    fail (path, error, NATIVERT_ERROR_IO, zip_error_strerror (&why));
    zip_error_fini (&why);
    return false;
  }
  for (unsigned i = 0; fine && i < n; i++)
    fine = add_npy (zip, path, names[i], tensors[i], buffers, error);
  if (fine && zip_close (zip) == 0)
    return true;
  if (fine)
    fail (path, error, NATIVERT_ERROR_IO, zip_strerror (zip));
  zip_discard (zip);
  return false;
}

bool
nativert_tensor_file_save (
    const char *path, const char *const *names, NativertTensor *const *tensors, unsigned n, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (unsigned i = 0; i < n; i++)
    if (!g_utf8_validate (names[i], -1, NULL) || !g_hash_table_add (seen, (gpointer) names[i])) {
      g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_INVALID_INPUT,
          "%s: the name '%s' stands twice or is not UTF-8", path, names[i]);
      return false;
    }
  if (has_extension (path, ".safetensors"))
    return save_safetensors (path, names, tensors, n, error);
  if (has_extension (path, ".npz"))
    return save_npz (path, names, tensors, n, error);
  if (has_extension (path, ".npy"))
    return save_npy (path, names, tensors, n, error);
  return fail (path, error, NATIVERT_ERROR_UNSUPPORTED, "expected a file of .safetensors, .npz or .npy");
}
