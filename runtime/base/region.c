/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A region is a list of chunks; small requests are cut from the newest, large ones get a chunk of their own. */
#include "base/region.h"
#include "base/checked.h"

#include <string.h>

#define FIRST_CHUNK ((size_t) 4 << 10)
#define LAST_CHUNK ((size_t) 256 << 10)
#define ALIGNMENT ((size_t) 16)

typedef struct Chunk Chunk;
struct Chunk {
  Chunk *next;
  size_t unused;                        /* makes what follows 16-byte aligned */
};

struct NativertRegion {
  Chunk *chunks;
  char *free;                           /* the rest of the newest cut chunk */
  size_t n_free, next_chunk, n_bytes;
};

G_STATIC_ASSERT (sizeof (Chunk) % ALIGNMENT == 0);

NativertRegion *
nativert_region_new (void)
{
  NativertRegion *region = g_new0 (NativertRegion, 1);

  region->next_chunk = FIRST_CHUNK;
  return region;
}

void
nativert_region_free (NativertRegion *region)
{
  Chunk *next;

  if (region == NULL)
    return;
  for (Chunk *chunk = region->chunks; chunk != NULL; chunk = next) {
    next = chunk->next;
    g_free (chunk);
  }
  g_free (region);
}

static char *
add_chunk (NativertRegion *region, size_t n_bytes)
{
  Chunk *chunk = g_malloc0 (sizeof (Chunk) + n_bytes);

  chunk->next = region->chunks;
  region->chunks = chunk;
  region->n_bytes += n_bytes;
  return (char *) (chunk + 1);
}

void *
nativert_region_alloc (NativertRegion *region, size_t n_bytes)
{
  void *result;

  g_assert (n_bytes <= SIZE_MAX / 2);
  n_bytes = (MAX (n_bytes, 1) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (n_bytes > region->n_free) {
    if (n_bytes >= region->next_chunk / 4)
      return add_chunk (region, n_bytes);
    region->free = add_chunk (region, region->next_chunk);
    region->n_free = region->next_chunk;
    region->next_chunk = MIN (region->next_chunk * 2, LAST_CHUNK);
  }
  result = region->free;
  region->free += n_bytes;
  region->n_free -= n_bytes;
  return result;
}

void *
nativert_region_alloc_n (NativertRegion *region, size_t n, size_t size)
{
  size_t n_bytes;
  bool fits = nativert_mul_size (n, size, &n_bytes);

  g_assert (fits);
  return nativert_region_alloc (region, n_bytes);
}

void *
nativert_region_memdup (NativertRegion *region, const void *data, size_t n_bytes)
{
  void *copy = nativert_region_alloc (region, n_bytes);

  if (n_bytes > 0)
    memcpy (copy, data, n_bytes);
  return copy;
}

char *
nativert_region_strdup (NativertRegion *region, const char *text)
{
  return text == NULL ? NULL : nativert_region_memdup (region, text, strlen (text) + 1);
}

size_t
nativert_region_n_bytes (const NativertRegion *region)
{
  return region->n_bytes;
}
