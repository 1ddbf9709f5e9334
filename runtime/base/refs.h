/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reference counts with C11 atomics: thread checkers see them, which they do not with counts inside a library. */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>

typedef _Atomic int NativertRefs;

static inline void nativert_refs_init (NativertRefs *refs) { atomic_init (refs, 1); }
static inline void nativert_refs_inc (NativertRefs *refs) { atomic_fetch_add_explicit (refs, 1, memory_order_relaxed); }
/* True when it was the last one. */
static inline bool
nativert_refs_dec (NativertRefs *refs)
{
  return atomic_fetch_sub_explicit (refs, 1, memory_order_acq_rel) == 1;
}
