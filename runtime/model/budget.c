/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many threads this process may keep busy.  A container with a quota of two CPUs still shows all CPUs of its host.
 */
#include "model/budget.h"

#include <glib.h>
#include <stdio.h>

/* cpu.max of control groups v2: "QUOTA PERIOD" or "max PERIOD", in microseconds. */
static unsigned
quota (void)
{
  double allowed, period;
  FILE *file = fopen ("/sys/fs/cgroup/cpu.max", "re");
  unsigned n = 0;

  if (file == NULL)
    return 0;
  if (fscanf (file, "%lf %lf", &allowed, &period) == 2 && period > 0 && allowed > 0)
    n = (unsigned) MAX (1.0, allowed / period + 0.5);
  fclose (file);
  return n;
}

unsigned
nativert_cpu_budget (void)
{
  unsigned n = g_get_num_processors (), limit = quota ();

  return limit > 0 ? MIN (n, limit) : n;
}
