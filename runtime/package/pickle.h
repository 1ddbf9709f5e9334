/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads what torch.save wrote: data.pkl and its storages.  A restricted unpickler: it knows the few functions that
 * rebuild tensors and plain containers, and calls nothing. */
#pragma once
#include "package/archive.h"
#include "nativert.h"

/* Tensors that share a storage in the file share its memory. */
NativertValue *nativert_pickle_load (NativertArchive *archive, GError **error);
