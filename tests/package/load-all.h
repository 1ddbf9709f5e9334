/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Everything that can be read of an archive, and a walk over it. */
#pragma once
#include "package/package.h"

/* Opens it and loads every model's program, weights and sample inputs; false with the first error. */
gboolean load_all (const char *path, GError **error);
/* Touches every byte that a value says it has. */
guint64 walk_value (NativertValue *value);
guint64 walk_weights (const NativertWeightSet *set);
