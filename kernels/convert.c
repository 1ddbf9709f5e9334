/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One number of any dtype, in and out: for constants and for casts of rare types. */
#include "kernels/convert.h"

void
nativert_store_number (void *at, uint8_t dtype, double f, int64_t i)
{
  switch (dtype) {
#define STORE(to, type, value) case NATIVERT_##to: { type v = value; memcpy (at, &v, sizeof v); break; }
    STORE (F32, float, (float) f)
    STORE (F64, double, f)
    STORE (F16, nativert_f16, nativert_store_f16 ((float) f))
    STORE (BF16, nativert_bf16, nativert_store_bf16 ((float) f))
    STORE (I64, int64_t, i)
    STORE (I32, int32_t, (int32_t) i)
    STORE (I16, int16_t, (int16_t) i)
    STORE (I8, int8_t, (int8_t) i)
    STORE (U8, uint8_t, (uint8_t) i)
    STORE (BOOL, uint8_t, f != 0 || i != 0)
    STORE (U16, uint16_t, (uint16_t) i)
    STORE (U32, uint32_t, (uint32_t) i)
    STORE (U64, uint64_t, (uint64_t) i)
    STORE (C32, nativert_c32, ((nativert_c32) { nativert_store_f16 ((float) f).bits, 0 }))
    STORE (C64, nativert_c64, ((nativert_c64) { (float) f, 0 }))
    STORE (C128, nativert_c128, ((nativert_c128) { f, 0 }))
    STORE (F8E4M3FN, uint8_t, nativert_store_f8 ((float) f, 4, 7, true, false))
    STORE (F8E5M2, uint8_t, nativert_store_f8 ((float) f, 5, 15, false, false))
    STORE (F8E4M3FNUZ, uint8_t, nativert_store_f8 ((float) f, 4, 8, true, true))
    STORE (F8E5M2FNUZ, uint8_t, nativert_store_f8 ((float) f, 5, 16, true, true))
    case NATIVERT_F8E8M0FNU: {
      int x = 0;
      uint8_t code = 0xff;
      if (f > 0 && !isinf (f)) {
        double m = frexp (f, &x); /* f = m * 2^x, m in 0.5..1; nearest power of two, ties to the even code */
        int e = x - 1 + 127 + (m > 0.75 || (m == 0.75 && ((x + 126) & 1)));
        code = (uint8_t) (e < 0 ? 0 : e > 254 ? 254 : e);
      }
      memcpy (at, &code, 1);
      break;
    }
#undef STORE
  }
}

/* As cvttsd2si: what does not fit is INT64_MIN. */
static int64_t
truncate_double (double f)
{
  return f >= -9223372036854775808.0 && f < 9223372036854775808.0 ? (int64_t) f : INT64_MIN;
}

void
nativert_load_number (const void *at, uint8_t dtype, double *re, double *im, int64_t *i)
{
  *im = 0;
  switch (dtype) {
#define LOAD(from, type, value)                                                                                        \
  case NATIVERT_##from: {                                                                                              \
    type v;                                                                                                            \
    memcpy (&v, at, sizeof v);                                                                                         \
    *re = value;                                                                                                       \
    *i = truncate_double (*re);                                                                                        \
    break;                                                                                                             \
  }
#define LOAD_INT(from, type)                                                                                           \
  case NATIVERT_##from: {                                                                                              \
    type v;                                                                                                            \
    memcpy (&v, at, sizeof v);                                                                                         \
    *re = (double) v;                                                                                                  \
    *i = (int64_t) v;                                                                                                  \
    break;                                                                                                             \
  }
    LOAD (F32, float, (double) v)
    LOAD (F64, double, v)
    LOAD (F16, nativert_f16, (double) nativert_load_f16 (v))
    LOAD (BF16, nativert_bf16, (double) nativert_load_bf16 (v))
    LOAD_INT (I64, int64_t)
    LOAD_INT (I32, int32_t)
    LOAD_INT (I16, int16_t)
    LOAD_INT (I8, int8_t)
    LOAD_INT (U8, uint8_t)
    LOAD_INT (BOOL, uint8_t)
    LOAD_INT (U16, uint16_t)
    LOAD_INT (U32, uint32_t)
    LOAD_INT (U64, uint64_t)
    LOAD (C32, nativert_c32,
        (*im = (double) nativert_load_f16 ((nativert_f16){ v.im }),
            (double) nativert_load_f16 ((nativert_f16){ v.re })))
    LOAD (C64, nativert_c64, (*im = (double) v.im, (double) v.re))
    LOAD (C128, nativert_c128, (*im = v.im, v.re))
    LOAD (F8E4M3FN, uint8_t, (double) nativert_load_f8 (v, 4, 7, true, false))
    LOAD (F8E5M2, uint8_t, (double) nativert_load_f8 (v, 5, 15, false, false))
    LOAD (F8E4M3FNUZ, uint8_t, (double) nativert_load_f8 (v, 4, 8, true, true))
    LOAD (F8E5M2FNUZ, uint8_t, (double) nativert_load_f8 (v, 5, 16, true, true))
    LOAD (F8E8M0FNU, uint8_t, v == 0xff ? (double) NAN : ldexp (1, v - 127))
    default: *re = 0; *i = 0; break;
#undef LOAD
#undef LOAD_INT
  }
}
