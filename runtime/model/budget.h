/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once
/* How many threads this process may keep busy: its affinity mask, and the quota of its control group. */
unsigned nativert_cpu_budget (void);
