/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The C library's allocator with a counter in front. */
#include <errno.h>
#include <stddef.h>
#include "count-malloc.h"

static unsigned long count;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
const bool malloc_is_counted = true;

extern void *__libc_malloc (size_t n), *__libc_calloc (size_t n, size_t size), *__libc_realloc (void *p, size_t n);
extern void *__libc_memalign (size_t align, size_t n);
extern void *malloc (size_t n), *calloc (size_t n, size_t size), *realloc (void *p, size_t n),
    *memalign (size_t align, size_t n);
extern void *aligned_alloc (size_t align, size_t n);
extern int posix_memalign (void **p, size_t align, size_t n);

static void
note (void)
{
  __atomic_fetch_add (&count, 1, __ATOMIC_RELAXED);
}

__attribute__ ((visibility ("default"))) void *
malloc (size_t n)
{
  note ();
  return __libc_malloc (n);
}

__attribute__ ((visibility ("default"))) void *
calloc (size_t n, size_t size)
{
  note ();
  return __libc_calloc (n, size);
}

__attribute__ ((visibility ("default"))) void *
realloc (void *p, size_t n)
{
  note ();
  return __libc_realloc (p, n);
}

__attribute__ ((visibility ("default"))) void *
memalign (size_t align, size_t n)
{
  note ();
  return __libc_memalign (align, n);
}

__attribute__ ((visibility ("default"))) void *
aligned_alloc (size_t align, size_t n)
{
  note ();
  return __libc_memalign (align, n);
}

__attribute__ ((visibility ("default"))) int
posix_memalign (void **p, size_t align, size_t n)
{
  note ();
  *p = __libc_memalign (align, n);
  return *p ? 0 : ENOMEM;
}
#else
const bool malloc_is_counted = false;
#endif

unsigned long
malloc_count (void)
{
  return __atomic_load_n (&count, __ATOMIC_RELAXED);
}
