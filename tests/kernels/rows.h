/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs single kernel rows for tests and benchmarks: arguments in, results out, guard bytes around everything written.
 */
#pragma once
#include <glib.h>
#include "kernels/emit.h"

typedef struct {
  uint16_t op;
  NativertArg arg[16];
  uint16_t n_arg, n_in, n_out;
  NativertView in[8], out[2];
  bool in_const[8];
} Operation;

/* One row made ready on an operation: memory for results, scratch and packs. */
typedef struct {
  const NativertKernel *row;
  NativertCall call;
  NativertView out[2];
  uint32_t n_parts;
  _Alignas (16) char params[NATIVERT_MAX_PARAMS];
  GPtrArray *memory;
} Prepared;

/* Asks the operator's shape rule; asserts that it agrees. */
void operation_shape (Operation *o);
/* NULL with a reason when the row says no. */
Prepared *operation_prepare (Operation *o, const NativertKernel *row, char *reason);
/* All parts, in an order that depends on the seed. */
void prepared_run (Prepared *r, uint32_t seed);
/* Asserts that nothing outside the results was written, frees all. */
void prepared_free (Prepared *r);
/* Every row for o whose prepare says yes is run and handed to check. */
typedef void (*RowCheck) (const Operation *o, const Prepared *r, void *user);
unsigned operation_each_row (Operation *o, RowCheck check, void *user);

/* A contiguous view on new memory filled with normal-ish numbers; the memory lives until the process ends. */
NativertView random_view (GRand *rand, uint8_t dtype, uint32_t ndim, const int64_t *size);
double view_get (const NativertView *v, int64_t flat);
/* Row-major index of flat in v's sizes, as an offset in elements. */
int64_t view_offset (const NativertView *v, int64_t flat);
