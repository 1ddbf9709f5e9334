/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files by descriptor and pread, so that readers in several threads share no position and a file that is renamed over
 * meanwhile stays what it was when it was opened. */
#include "package/backing.h"
#include "base/refs.h"
#include "nativert.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK ((size_t) 16 << 20)       /* between two looks at the cancellable */

struct NativertBacking {
  NativertRefs refs;
  int fd;                               /* -1: bytes or a section */
  GBytes *bytes;
  NativertBacking *outer;
  uint64_t base, size;                  /* base: of a section, in outer */
  struct timespec changed;              /* when the file was last written, as of its opening */
  GMutex lock;
  void *map;
};

static NativertBacking *
backing_new (int fd, uint64_t size)
{
  NativertBacking *backing = g_new0 (NativertBacking, 1);

  nativert_refs_init (&backing->refs);
  g_mutex_init (&backing->lock);
  backing->fd = fd;
  backing->size = size;
  return backing;
}

static void
set_io_error (const char *path, int code, GError **error)
{
  g_set_error (error, NATIVERT_ERROR, code == ENOENT ? NATIVERT_ERROR_MISSING : NATIVERT_ERROR_IO, "%s: %s", path,
      g_strerror (code));
}

NativertBacking *
nativert_backing_open (const char *path, GError **error)
{
  struct stat info;
  /* not blocking: a pipe would wait for a writer for ever */
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

  if (fd < 0) {
    set_io_error (path, errno, error);
    return NULL;
  }
  if (fstat (fd, &info) == 0 && S_ISREG (info.st_mode)) {
    NativertBacking *backing = backing_new (fd, (uint64_t) info.st_size);
    backing->changed = info.st_mtim;
    return backing;
  }
  g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_IO, "%s: not a regular file", path);
  close (fd);
  return NULL;
}

NativertBacking *
nativert_backing_new_bytes (GBytes *bytes)
{
  NativertBacking *backing = backing_new (-1, g_bytes_get_size (bytes));

  backing->bytes = g_bytes_ref (bytes);
  return backing;
}

NativertBacking *
nativert_backing_new_section (NativertBacking *outer, uint64_t offset, uint64_t size)
{
  NativertBacking *backing = backing_new (-1, size);

  g_assert (offset <= outer->size && size <= outer->size - offset);
  backing->outer = nativert_backing_ref (outer);
  backing->base = offset;
  return backing;
}

NativertBacking *
nativert_backing_ref (NativertBacking *backing)
{
  nativert_refs_inc (&backing->refs);
  return backing;
}

void
nativert_backing_unref (NativertBacking *backing)
{
  if (!nativert_refs_dec (&backing->refs))
    return;
  if (backing->map != NULL)
    munmap (backing->map, backing->size);
  if (backing->fd >= 0)
    close (backing->fd);
  g_clear_pointer (&backing->bytes, g_bytes_unref);
  g_clear_pointer (&backing->outer, nativert_backing_unref);
  g_mutex_clear (&backing->lock);
  g_free (backing);
}

uint64_t
nativert_backing_size (const NativertBacking *backing)
{
  return backing->size;
}

bool
nativert_backing_is_unchanged (NativertBacking *backing)
{
  struct stat now;

  if (backing->outer != NULL)
    return nativert_backing_is_unchanged (backing->outer);
  return backing->fd < 0
         || (fstat (backing->fd, &now) == 0 && (uint64_t) now.st_size == backing->size
             && now.st_mtim.tv_sec == backing->changed.tv_sec && now.st_mtim.tv_nsec == backing->changed.tv_nsec);
}

static bool
read_file (int fd, uint64_t offset, char *data, size_t n_bytes, GCancellable *cancellable)
{
  while (n_bytes > 0) {
    ssize_t n;
    if (g_cancellable_is_cancelled (cancellable)) {
      errno = ECANCELED;
      return false;
    }
    n = pread (fd, data, MIN (n_bytes, CHUNK), (off_t) offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      errno = n < 0 ? errno : 0;
      return false;
    }
    data += n;
    offset += (uint64_t) n;
    n_bytes -= (size_t) n;
  }
  return true;
}

bool
nativert_backing_read (NativertBacking *backing, uint64_t offset, void *data, size_t n_bytes, GCancellable *cancellable)
{
  if (offset > backing->size || n_bytes > backing->size - offset) {
    errno = 0;
    return false;
  }
  if (backing->outer != NULL)
    return nativert_backing_read (backing->outer, backing->base + offset, data, n_bytes, cancellable);
  if (backing->fd >= 0)
    return read_file (backing->fd, offset, data, n_bytes, cancellable);
  if (n_bytes > 0)
    memcpy (data, (const char *) g_bytes_get_data (backing->bytes, NULL) + offset, n_bytes);
  return true;
}

void *
nativert_backing_map (NativertBacking *backing, size_t *length)
{
  g_autoptr (GMutexLocker) locker = NULL;

  if (backing->outer != NULL) {
    char *map = nativert_backing_map (backing->outer, length);
    *length = (size_t) backing->size;
    return map != NULL ? map + backing->base : NULL;
  }
  locker = g_mutex_locker_new (&backing->lock);
  if (backing->map == NULL && backing->fd >= 0 && backing->size > 0 && backing->size <= SIZE_MAX) {
    /* private and writable: who writes by mistake changes neither the file nor the process's fate */
    void *map
        = mmap (NULL, (size_t) backing->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, backing->fd, 0);
    if (map != MAP_FAILED)
      backing->map = map;
  }
  *length = (size_t) backing->size;
  return backing->map;
}
