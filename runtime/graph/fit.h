/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One argument against one schema argument. */
#pragma once
#include "graph/private.h"

/* *out: have in the form that want asks for. */
bool nativert_arg_fit (
    NativertRegion *region, const NativertSchemaArg *want, const NativertGraphArg *have, NativertGraphArg *out);
