/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Python's arithmetic on int, float and bool, as exported programs name it. */
#pragma once
#include "base/expr.h"

/* name: "add" of _operator.add, "ite" of torch.sym_ite, "trunc" of math.trunc.  False: unknown, wrong count, overflow,
 * division by zero. */
bool nativert_pynum (const char *name, const NativertNum *x, uint32_t n, NativertNum *result);
