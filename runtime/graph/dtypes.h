/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What graph/ needs to know of element types: how text spells them and how they promote. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "nativert.h"

typedef enum {
  NATIVERT_CATEGORY_BOOL,
  NATIVERT_CATEGORY_INT,
  NATIVERT_CATEGORY_FLOAT,
  NATIVERT_CATEGORY_COMPLEX
} NativertCategory;

/* "FLOAT", as ScalarType::FLOAT; NULL for an unknown dtype. */
const char *nativert_scalar_type_name (int64_t dtype);
/* The dtype of "FLOAT", or of a word of a schema's default ("long", "float"); -1 unknown. */
int nativert_scalar_type_from_name (const char *name);
NativertCategory nativert_dtype_category (int64_t dtype);
/* torch.promote_types */
int nativert_dtype_promote (int a, int b);
