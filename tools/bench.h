/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nativert bench: what it measures. */
#pragma once
#include "command.h"

typedef struct {
  double load_ms, first_ms, *ms;        /* ms: sorted */
  int n_runs, n_warmup;
  long first_rss_kb;
  NativertRunProfile profile;
} Bench;

void bench_print_text (const Bench *bench, bool nodes);
void bench_print_json (const Bench *bench, const Options *options, bool nodes);
