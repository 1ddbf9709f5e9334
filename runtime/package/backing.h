/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A run of bytes that can be read from any thread: a file, or a part of one. */
#pragma once
#include <gio/gio.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct NativertBacking NativertBacking;

NativertBacking *nativert_backing_open (const char *path, GError **error);
NativertBacking *nativert_backing_new_bytes (GBytes *bytes);
/* A part of outer, which must reach that far. */
NativertBacking *nativert_backing_new_section (NativertBacking *outer, uint64_t offset, uint64_t size);
NativertBacking *nativert_backing_ref (NativertBacking *backing);
void nativert_backing_unref (NativertBacking *backing);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertBacking, nativert_backing_unref)
uint64_t nativert_backing_size (const NativertBacking *backing);
/* Whether nobody has written to the file since it was opened; one that was renamed over or removed counts as such. */
bool nativert_backing_is_unchanged (NativertBacking *backing);
/* Reads exactly n_bytes; false with errno set: 0 when the bytes end too early, ECANCELED when cancelled. */
bool nativert_backing_read (
    NativertBacking *backing, uint64_t offset, void *data, size_t n_bytes, GCancellable *cancellable);
/* The whole, mapped privately once; NULL when it is no file or that fails. */
void *nativert_backing_map (NativertBacking *backing, size_t *length);
