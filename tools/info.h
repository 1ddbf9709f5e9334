/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nativert info: what it finds. */
#pragma once
#include "command.h"

typedef struct { uint32_t n; uint64_t n_bytes; } WeightSum;
typedef struct { const char *target; GString *kernels; uint32_t count; } OpRow;

typedef struct {
  NativertPackage *package;
  NativertCore *raw;                    /* the graph of the file */
  NativertPlan *plan;                   /* NULL: it cannot run, see problem */
  WeightSum weights;
  GArray *ops;                          /* OpRow: targets of the file, the most used first */
  char *problem;
  bool has_sample;
} Info;

/* The row of target, made if there is none. */
OpRow *info_find_row (GArray *rows, const char *target);
int info_by_count (const void *a, const void *b);
void info_print_text (const Info *info);
void info_print_json (const Info *info);
