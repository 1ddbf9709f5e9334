/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "count-memory.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

void
count_memory_reset (void)
{
}

size_t
count_memory_peak (void)
{
  return 0;
}

#else

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *p, size_t size);
void *__libc_memalign (size_t alignment, size_t size);
void __libc_free (void *p);

static size_t now, peak, start;

static void *
came (void *p)
{
  if (p != NULL)
    now += malloc_usable_size (p);
  if (now > peak)
    peak = now;
  return p;
}

static void
went (void *p)
{
  if (p != NULL)
    now -= malloc_usable_size (p);
}

void *
malloc (size_t size)
{
  return came (__libc_malloc (size));
}

void *
calloc (size_t n, size_t size)
{
  return came (__libc_calloc (n, size));
}

void *
realloc (void *p, size_t size)
{
  went (p);
  return came (__libc_realloc (p, size));
}

void *
aligned_alloc (size_t alignment, size_t size)
{
  return came (__libc_memalign (alignment, size));
}

void
free (void *p)
{
  went (p);
  __libc_free (p);
}

/* Maps of files cost no memory. */
void *
mmap (void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
  void *p = (void *) syscall (SYS_mmap, address, length, protection, flags, fd, offset);

  if (p != MAP_FAILED && (flags & MAP_ANONYMOUS) != 0) {
    now += length;
    if (now > peak)
      peak = now;
  }
  return p;
}

void
count_memory_reset (void)
{
  start = now;
  peak = now;
}

size_t
count_memory_peak (void)
{
  return peak - start;
}

#endif
