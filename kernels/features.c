/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What this machine's processor can do.  Alone in its file, so that users of one kernel do not link all tables. */
#include <stdlib.h>
#include <string.h>
#include "kernels/ops.h"

uint32_t
nativert_cpu_features (void)
{
  uint32_t have = 0;
#ifdef NATIVERT_X86
  __builtin_cpu_init ();
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma") && __builtin_cpu_supports ("bmi2"))
    have |= NATIVERT_CPU_V3;
  if (have && __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512vl")
      && __builtin_cpu_supports ("avx512bw") && __builtin_cpu_supports ("avx512dq")
      && __builtin_cpu_supports ("avx512cd"))
    have |= NATIVERT_CPU_V4;
#endif
  const char *mask = getenv ("NATIVERT_CPU");
  if (mask && !strcmp (mask, "generic"))
    have = 0;
  else if (mask && !strcmp (mask, "v3"))
    have &= NATIVERT_CPU_V3;
  return have;
}
