/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables that ops.def, dtypes.h and sets.def describe, and the search for a kernel. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "kernels/rules.h"

const NativertOp nativert_ops[NATIVERT_N_OPS] = {
#define OP(name, schema, view, expand, shape, flags, dispatch) [NATIVERT_OP_##name] = { #name, schema, view, expand, shape, flags, dispatch },
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
    [NATIVERT_F32] = "float32", [NATIVERT_F64] = "float64", [NATIVERT_F16] = "float16", [NATIVERT_BF16] = "bfloat16",
    [NATIVERT_I64] = "int64", [NATIVERT_I32] = "int32", [NATIVERT_I16] = "int16", [NATIVERT_I8] = "int8", [NATIVERT_U8] = "uint8",
    [NATIVERT_BOOL] = "bool", [NATIVERT_U16] = "uint16", [NATIVERT_U32] = "uint32", [NATIVERT_U64] = "uint64",
    [NATIVERT_C32] = "complex32", [NATIVERT_C64] = "complex64", [NATIVERT_C128] = "complex128",
    [NATIVERT_F8E4M3FN] = "float8_e4m3fn", [NATIVERT_F8E5M2] = "float8_e5m2", [NATIVERT_F8E4M3FNUZ] = "float8_e4m3fnuz",
    [NATIVERT_F8E5M2FNUZ] = "float8_e5m2fnuz", [NATIVERT_F8E8M0FNU] = "float8_e8m0fnu",
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

/* From the most special row down: the first yes is the last row that would say yes. */
const NativertKernel *
nativert_kernel_find (NativertPrep *p, uint8_t dtype, uint8_t device)
{
  size_t n_sets = 0;
  while (nativert_kernel_sets[n_sets])
    n_sets++;
  bool any = false;
  for (size_t s = n_sets; s-- > 0;)
    for (size_t i = nativert_kernel_sets[s]->n; i-- > 0;) {
      const NativertKernel *k = &nativert_kernel_sets[s]->rows[i];
      if (k->op != p->op || k->dtype != dtype || k->device != device || (k->needs & ~p->cpu))
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
