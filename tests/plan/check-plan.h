/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An independent check of a finished plan: nothing of plan/dag.c or plan/arena.c is used. */
#pragma once
#include "plan/plan.h"

/* NULL when every schedule that the edges allow computes the same and stays in its memory; else what is wrong. */
char *check_plan (const NativertPlan *plan);
