/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parser fills and the accessors read. */
#pragma once
#include "base/region.h"
#include "package/json.h"

struct NativertJsonDoc {
  char *what, *text;
  NativertRegion *region;
  NativertJson root;
};
