/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parser behind nativert_schemas_add(). */
#pragma once
#include "graph/schema.h"

/* Fills *schema from "aten::add.Tensor(Tensor self, ...) -> Tensor"; everything it points to lives in region. */
bool nativert_schema_parse (NativertRegion *region, const char *text, NativertSchema *schema, GError **error);
