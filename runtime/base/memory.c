/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Element memory.  Small blocks come from the C library; large ones are mapped, so that zeroing costs nothing until a
 * page is touched and the pages can be huge: filling 100 MB of 4 KB pages spends most of its time in page faults. */
#include "base/memory.h"
#include "base/checked.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ALIGNMENT ((size_t) 64)
#define HUGE_PAGE ((size_t) 2 << 20)
#define MAPPED_FROM ((size_t) 4 << 20)

static bool
rounded (size_t n_bytes, size_t to, size_t *out)
{
  size_t sum;

  if (!nativert_add_size (n_bytes, to - 1, &sum))
    return false;
  *out = sum / to * to;
  return true;
}

/* Maps one huge page more than needed and gives back what lies before and behind the aligned block. */
static void *
map_aligned (size_t n_bytes)
{
  size_t length, with_slack, before;
  char *start;

  if (!rounded (n_bytes, HUGE_PAGE, &length) || !nativert_add_size (length, HUGE_PAGE, &with_slack))
    return NULL;
  start = mmap (NULL, with_slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED)
    return NULL;
  before = (HUGE_PAGE - (uintptr_t) start % HUGE_PAGE) % HUGE_PAGE;
  if (before > 0)
    munmap (start, before);
  if (HUGE_PAGE - before > 0)
    munmap (start + before + length, HUGE_PAGE - before);
#ifdef MADV_HUGEPAGE
  madvise (start + before, length, MADV_HUGEPAGE);
#endif
  return start + before;
}

void *
nativert_memory_alloc (size_t n_bytes)
{
  size_t length;
  void *data;

  if (n_bytes >= MAPPED_FROM)
    return map_aligned (n_bytes);
  if (!rounded (n_bytes == 0 ? 1 : n_bytes, ALIGNMENT, &length))
    return NULL;
  data = aligned_alloc (ALIGNMENT, length);
  if (data != NULL)
    memset (data, 0, length);
  return data;
}

void
nativert_memory_free (void *data, size_t n_bytes)
{
  size_t length;

  if (data == NULL)
    return;
  if (n_bytes < MAPPED_FROM)
    free (data);
  else if (rounded (n_bytes, HUGE_PAGE, &length))
    munmap (data, length);
}
