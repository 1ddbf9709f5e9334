/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One pair of functions for each kind of file. */
#pragma once
#include "package/package-private.h"
#include "package/tensor-files.h"

/* A .npy file in memory; the tensor keeps bytes.  what names it in messages. */
NativertTensor *nativert_npy_parse (const char *what, GBytes *bytes, GError **error);
/* The header of a .npy file, padded so that the elements after it are aligned; NULL when numpy has no such type. */
char *nativert_npy_header (NativertDtype dtype, const NativertTensor *tensor, size_t *length);
/* Header and length word of a .safetensors file; NULL with error when the format has no such type. */
char *nativert_safetensors_header (
    const char *const *names, NativertTensor *const *tensors, unsigned n, size_t *length, GError **error);

/* Writes to a new file beside path, then renames it. */
typedef bool (*NativertWriteFn) (int fd, gpointer user_data);
bool nativert_write_file (const char *path, NativertWriteFn write, gpointer user_data, GError **error);
bool nativert_write_all (int fd, const void *data, size_t n_bytes);
bool nativert_write_tensor (int fd, NativertTensor *tensor);
