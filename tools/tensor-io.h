/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tensors in files, by the file's name: .npy, .npz, .safetensors, .pt. */
#pragma once
#include "nativert.h"
#include <stdbool.h>

/* A tensor (.npy), a dict of tensors (.npz, .safetensors), or whatever torch.save wrote (.pt). */
NativertValue *tensor_file_read (const char *path, GError **error);
/* A dict of tensors; .npz or .safetensors. */
bool tensor_file_write (const char *path, NativertValue *dict, GError **error);
