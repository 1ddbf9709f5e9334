/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Casts between the common dtypes, one loop per pair.  Compiled once per instruction set. */
#include "kernels/isa.h"
#include "kernels/convert.h"
#include "kernels/copy.h"

#define FOR_RUN _Pragma ("GCC ivdep") for (int64_t i = 0; i < n; i++)

/* What C leaves open is done as the CPU and torch do: through int64 (int32 for 8 and 16 bits), then the low bits. */
static inline int64_t
whole (double x)
{
  return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (int64_t) x : INT64_MIN;
}

static inline int32_t
whole_32 (double x)
{
  return x > -2147483649.0 && x < 2147483648.0 ? (int32_t) x : INT32_MIN;
}

/* INTO_<to> (x): x is of a floating or integer compute type. */
#define IS_FLOAT(x) _Generic ((x), float: 1, double: 1, default: 0)
#define INTO_F32(x) ((float) (x))
#define INTO_F64(x) ((double) (x))
#define INTO_F16(x) nativert_store_f16 ((float) (x))
#define INTO_BF16(x) nativert_store_bf16 ((float) (x))
#define INTO_I64(x) (IS_FLOAT (x) ? whole ((double) (x)) : (int64_t) (x))
#define INTO_I32(x) ((int32_t) (IS_FLOAT (x) ? whole_32 ((double) (x)) : (int32_t) (x)))
#define INTO_I16(x) ((int16_t) (IS_FLOAT (x) ? whole_32 ((double) (x)) : (int32_t) (x)))
#define INTO_I8(x) ((int8_t) (IS_FLOAT (x) ? whole_32 ((double) (x)) : (int32_t) (x)))
#define INTO_U8(x) ((uint8_t) (IS_FLOAT (x) ? whole ((double) (x)) : (int64_t) (x)))
#define INTO_BOOL(x) ((uint8_t) ((x) != 0))

#define CAST(to, T, compute, from, F)                                                   \
  static void from##_to_##to (char *const *p, const int64_t *s, int64_t n)              \
  {                                                                                     \
    if (NATIVERT_SPECIAL && s[0] == sizeof (T) && s[1] == sizeof (F)) {                                     \
      T *o = (T *) p[0];                                                                \
      const F *x = (const F *) p[1];                                                    \
      FOR_RUN o[i] = INTO_##to (NATIVERT_LOAD (x[i]));                                  \
    } else                                                                              \
      FOR_RUN *(T *) (p[0] + i * s[0]) = INTO_##to (NATIVERT_LOAD (*(const F *) (p[1] + i * s[1]))); \
  }
#define LOOP_OF(to, T, compute, from) [NATIVERT_##to] = from##_to_##to,

/* A set macro cannot nest in itself, so the sources are listed here. */
#if NATIVERT_SPECIAL
#define SOURCES(M)                                                                                                     \
  M (F32, float) M (F16, nativert_f16) M (BF16, nativert_bf16) M (U8, uint8_t) M (I64, int64_t) M (BOOL, uint8_t)
#else
#define SOURCES(M)                                                                                                     \
  M (F32, float)                                                                                                       \
  M (F64, double) M (F16, nativert_f16) M (BF16, nativert_bf16) M (I64, int64_t) M (I32, int32_t) M (I16, int16_t)     \
      M (I8, int8_t) M (U8, uint8_t) M (BOOL, uint8_t)
#endif

#define SOURCE(from, F)                                                                 \
  NATIVERT_ALL (CAST, from, F)                                                          \
  static bool prepare_##from (NativertPrep *p)                                          \
  {                                                                                     \
    static const NativertLoopFn loops[NATIVERT_N_DTYPES] = { NATIVERT_ALL (LOOP_OF, from) }; \
    uint8_t to = p->out[0].dtype;                                                       \
    return to < NATIVERT_N_DTYPES && loops[to] && nativert_copy_prepare (p, loops[to]); \
  }
SOURCES (SOURCE)

extern const NativertKernelSet NATIVERT_SET (cast);
static const NativertKernel rows[] = {
#define ROW(op, from)                                                                                                  \
  { NATIVERT_OP_##op, NATIVERT_##from, NATIVERT_DEVICE_CPU, NATIVERT_NEEDS, NATIVERT_ROW_NAME ("copy"),                \
    prepare_##from, nativert_copy_fn },
#define ROWS(from, F) NATIVERT_COPY_OPS (ROW, from)
  SOURCES (ROWS)
};
const NativertKernelSet NATIVERT_SET (cast) = { rows, sizeof rows / sizeof *rows, NATIVERT_STR (NATIVERT_ISA) };
