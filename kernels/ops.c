/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables that ops.def, dtypes.h and sets.def describe, and the search for a kernel. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/rules.h"

const NativertOp nativert_ops[NATIVERT_N_OPS] = {
#define OP(name, schema, view, expand, shape, flags, dispatch)                                                         \
  [NATIVERT_OP_##name] = { #name, schema, view, expand, shape, flags, dispatch },
#include "ops.def"
#undef OP
};

#ifdef NATIVERT_X86
#define EVERY_ISA(M, family) M (family, generic) M (family, v3) M (family, v4)
#else
#define EVERY_ISA(M, family) M (family, generic)
#endif
#define DECLARE(family, isa) extern const NativertKernelSet nativert_set_##family##_##isa;
#define SET(family) extern const NativertKernelSet nativert_set_##family;
#define ISA_SET(family) EVERY_ISA (DECLARE, family)
#include "sets.def"
#undef SET
#undef ISA_SET

const NativertKernelSet *const nativert_kernel_sets[] = {
#define ENTRY(family, isa) &nativert_set_##family##_##isa,
#define SET(family) &nativert_set_##family,
#define ISA_SET(family) EVERY_ISA (ENTRY, family)
#include "sets.def"
#undef SET
#undef ISA_SET
  NULL
};

size_t
nativert_dtype_size (uint8_t dtype)
{
  static const uint8_t size[] = {
#define SIZE(id, storage, compute, ...) [NATIVERT_##id] = sizeof (storage),
    NATIVERT_EVERY (SIZE, )
#undef SIZE
  };
  return dtype < NATIVERT_N_DTYPES ? size[dtype] : 0;
}

const char *
nativert_dtype_name (uint8_t dtype)
{
  static const char *const name[] = {
    [NATIVERT_F32] = "float32",
    [NATIVERT_F64] = "float64",
    [NATIVERT_F16] = "float16",
    [NATIVERT_BF16] = "bfloat16",
    [NATIVERT_I64] = "int64",
    [NATIVERT_I32] = "int32",
    [NATIVERT_I16] = "int16",
    [NATIVERT_I8] = "int8",
    [NATIVERT_U8] = "uint8",
    [NATIVERT_BOOL] = "bool",
    [NATIVERT_U16] = "uint16",
    [NATIVERT_U32] = "uint32",
    [NATIVERT_U64] = "uint64",
    [NATIVERT_C32] = "complex32",
    [NATIVERT_C64] = "complex64",
    [NATIVERT_C128] = "complex128",
    [NATIVERT_F8E4M3FN] = "float8_e4m3fn",
    [NATIVERT_F8E5M2] = "float8_e5m2",
    [NATIVERT_F8E4M3FNUZ] = "float8_e4m3fnuz",
    [NATIVERT_F8E5M2FNUZ] = "float8_e5m2fnuz",
    [NATIVERT_F8E8M0FNU] = "float8_e8m0fnu",
  };
  return dtype < NATIVERT_N_DTYPES ? name[dtype] : "unknown";
}

bool
nativert_no (NativertPrep *p, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  vsnprintf (p->reason, sizeof p->reason, format, args);
  va_end (args);
  return false;
}

static void
forget_answers (NativertPrep *p)
{
  p->params_size = p->scratch_shared = p->scratch_part = 0;
  p->n_packs = 0;
  p->n_parts = 1;
  p->in_place = -1;
  p->cost = 0;
}

/* All rows by operator, in the order of the sets: thousands of rows, a handful for each operator. */
typedef struct {
  uint32_t first[NATIVERT_N_OPS + 1];
  const NativertKernel *row[];
} RowIndex;

static RowIndex *
make_row_index (void)
{
  size_t n = 0;
  for (size_t s = 0; nativert_kernel_sets[s]; s++)
    n += nativert_kernel_sets[s]->n;
  RowIndex *index = calloc (1, sizeof *index + n * sizeof index->row[0]);
  if (!index)
    return NULL;
  for (size_t s = 0; nativert_kernel_sets[s]; s++)
    for (size_t i = 0; i < nativert_kernel_sets[s]->n; i++)
      index->first[nativert_kernel_sets[s]->rows[i].op + 1]++;
  for (size_t op = 0; op < NATIVERT_N_OPS; op++)
    index->first[op + 1] += index->first[op];
  /* first[op] runs up to first[op + 1] while filling, and is put back after */
  for (size_t s = 0; nativert_kernel_sets[s]; s++)
    for (size_t i = 0; i < nativert_kernel_sets[s]->n; i++)
      index->row[index->first[nativert_kernel_sets[s]->rows[i].op]++] = &nativert_kernel_sets[s]->rows[i];
  for (size_t op = NATIVERT_N_OPS; op > 0; op--)
    index->first[op] = index->first[op - 1];
  index->first[0] = 0;
  return index;
}

/* Made by whoever comes first, once for the process. */
static const RowIndex *
row_index (void)
{
  static RowIndex *shared;
  RowIndex *have = __atomic_load_n (&shared, __ATOMIC_ACQUIRE);
  if (have)
    return have;
  RowIndex *made = make_row_index ();
  if (made && !__atomic_compare_exchange_n (&shared, &have, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    free (made);
    return have;
  }
  return made;
}

/* From the most special row down: the first yes is the last row that would say yes. */
const NativertKernel *
nativert_kernel_find (NativertPrep *p, uint8_t dtype, uint8_t device)
{
  const RowIndex *index = row_index ();
  bool any = false;
  for (uint32_t i = index ? index->first[p->op + 1] : 0; i > (index ? index->first[p->op] : 0); i--) {
    const NativertKernel *k = index->row[i - 1];
    if (k->dtype != dtype || k->device != device || (k->needs & ~p->cpu))
      continue;
    any = true;
    forget_answers (p);
    p->row = k;
    if (k->prepare (p))
      return k;
  }
  if (!any)
    nativert_no (p, "%s has no kernel for %s", nativert_ops[p->op].name, nativert_dtype_name (dtype));
  return NULL;
}
