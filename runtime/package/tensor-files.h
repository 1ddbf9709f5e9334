/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of tensors by their extension: .safetensors, .npz, .npy, and .pt as torch.save writes it (reading only). */
#pragma once
#include <stdbool.h>
#include "nativert.h"

/* A dict of tensors by name for .safetensors and .npz, a tensor for .npy, whatever was saved for .pt and .pth. */
NativertValue *nativert_tensor_file_load (const char *path, GError **error);
/* .safetensors, .npz, or .npy for exactly one tensor.  The file appears whole or not at all. */
bool nativert_tensor_file_save (
    const char *path, const char *const *names, NativertTensor *const *tensors, unsigned n, GError **error);
