/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pointwise operators: every row of defs/pointwise.def becomes one loop per dtype.  Compiled once per instruction set;
 * the special ones hold float32 alone, where vectors pay.  Runs are contiguous, or constant (stride 0), or anything. */
#include "kernels/isa.h"
#include "kernels/iter.h"
#include "kernels/vmath.h"

#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wbool-operation"

#if NATIVERT_SPECIAL
#define SET_FLOAT(M, ...) M (F32, float, float, __VA_ARGS__)
#define SET_REAL SET_FLOAT
#define SET_ALL SET_FLOAT
#define SET_INT(M, ...)
#define SET_INTBOOL(M, ...)
#else
#define SET_FLOAT NATIVERT_FLOAT
#define SET_REAL NATIVERT_REAL
#define SET_ALL NATIVERT_ALL
#define SET_INT NATIVERT_INT
#define SET_INTBOOL NATIVERT_INTBOOL
#endif

#define AT(type, i, offset) (*(type *) (p[i] + (offset)))
/* Only float32 gets loops for contiguous and constant runs; the others one loop that takes any strides. */
#define FAST_F32 1
#define FAST_F64 0
#define FAST_F16 0
#define FAST_BF16 0
#define FAST_I64 0
#define FAST_I32 0
#define FAST_I16 0
#define FAST_I8 0
#define FAST_U8 0
#define FAST_BOOL 0
/* The result may be the memory of an input: same element at the same time, so vectors are safe. */
#define FOR_RUN _Pragma ("GCC ivdep") for (int64_t i = 0; i < n; i++)
#define COMMON(id, storage, compute) \
  typedef compute C;                 \
  enum { is_bool = NATIVERT_##id == NATIVERT_BOOL }; \
  (void) is_bool;                    \
  const int64_t full = sizeof (storage); \
  (void) full; (void) sizeof (C);

#define LOOP1(id, S, compute, name, O, STORE, ...)           \
  static void name##_##id (char *const *p, const int64_t *s, int64_t n) \
  {                                                          \
    COMMON (id, S, compute)                                  \
    if (FAST_##id && s[0] == sizeof (O) && s[1] == full)                  \
      FOR_RUN {                                              \
        const C x = NATIVERT_LOAD (AT (S, 1, i * full));     \
        AT (O, 0, i * (int64_t) sizeof (O)) = STORE ((__VA_ARGS__)); \
      }                                                      \
    else                                                     \
      FOR_RUN {                                              \
        const C x = NATIVERT_LOAD (AT (S, 1, i * s[1]));     \
        AT (O, 0, i * s[0]) = STORE ((__VA_ARGS__));         \
      }                                                      \
  }

#define RUN2(O, STORE, so, X, Y, ...)                        \
  FOR_RUN {                                                  \
    const C x = X, y = Y;                                    \
    AT (O, 0, i * (so)) = STORE ((__VA_ARGS__));             \
  }
#define LOOP2(id, S, compute, name, O, STORE, ...)           \
  static void name##_##id (char *const *p, const int64_t *s, int64_t n) \
  {                                                          \
    COMMON (id, S, compute)                                  \
    const int64_t so = sizeof (O);                           \
    if (FAST_##id && s[0] == so && s[1] == full && s[2] == full)          \
      RUN2 (O, STORE, so, NATIVERT_LOAD (AT (S, 1, i * full)), NATIVERT_LOAD (AT (S, 2, i * full)), __VA_ARGS__) \
    else if (FAST_##id && s[0] == so && s[1] == full && s[2] == 0) {      \
      const C constant = NATIVERT_LOAD (AT (S, 2, 0));       \
      RUN2 (O, STORE, so, NATIVERT_LOAD (AT (S, 1, i * full)), constant, __VA_ARGS__) \
    } else if (FAST_##id && s[0] == so && s[1] == 0 && s[2] == full) {    \
      const C constant = NATIVERT_LOAD (AT (S, 1, 0));       \
      RUN2 (O, STORE, so, constant, NATIVERT_LOAD (AT (S, 2, i * full)), __VA_ARGS__) \
    } else                                                   \
      RUN2 (O, STORE, s[0], NATIVERT_LOAD (AT (S, 1, i * s[1])), NATIVERT_LOAD (AT (S, 2, i * s[2])), __VA_ARGS__) \
  }

#define RUN3(S, O, STORE, so, sx, Y, Z, ...)                 \
  FOR_RUN {                                                  \
    const C x = NATIVERT_LOAD (AT (S, 1, i * (sx))), y = Y, z = Z; \
    AT (O, 0, i * (so)) = STORE ((__VA_ARGS__));             \
  }
#define LOOP3(id, S, compute, name, O, STORE, ...)                                                                     \
  static void name##_##id (char *const *p, const int64_t *s, int64_t n)                                                \
  {                                                                                                                    \
    COMMON (id, S, compute)                                                                                            \
    if (FAST_##id && s[0] == full && s[1] == full && s[2] == full && s[3] == full)                                     \
      RUN3 (S, O, STORE, full, full, NATIVERT_LOAD (AT (S, 2, i *full)), NATIVERT_LOAD (AT (S, 3, i *full)),           \
          __VA_ARGS__)                                                                                                 \
    else if (FAST_##id && s[0] == full && s[1] == full && s[2] == 0 && s[3] == 0) {                                    \
      const C y0 = NATIVERT_LOAD (AT (S, 2, 0)), z0 = NATIVERT_LOAD (AT (S, 3, 0));                                    \
      RUN3 (S, O, STORE, full, full, y0, z0, __VA_ARGS__)                                                              \
    } else                                                                                                             \
      RUN3 (S, O, STORE, s[0], s[1], NATIVERT_LOAD (AT (S, 2, i *s[2])), NATIVERT_LOAD (AT (S, 3, i *s[3])),           \
          __VA_ARGS__)                                                                                                 \
  }

#define LOOP4(id, S, compute, name, O, STORE, ...)           \
  static void name##_##id (char *const *p, const int64_t *s, int64_t n) \
  {                                                          \
    COMMON (id, S, compute)                                  \
    if (FAST_##id && s[0] == full && s[1] == full && s[2] == 0 && s[3] == 0 && s[4] == 0) { \
      const C y = NATIVERT_LOAD (AT (S, 2, 0)), z = NATIVERT_LOAD (AT (S, 3, 0)), w = NATIVERT_LOAD (AT (S, 4, 0)); \
      FOR_RUN {                                              \
        const C x = NATIVERT_LOAD (AT (S, 1, i * full));     \
        AT (O, 0, i * full) = STORE ((__VA_ARGS__));         \
      }                                                      \
    } else                                                   \
      FOR_RUN {                                              \
        const C x = NATIVERT_LOAD (AT (S, 1, i * s[1])), y = NATIVERT_LOAD (AT (S, 2, i * s[2])); \
        const C z = NATIVERT_LOAD (AT (S, 3, i * s[3])), w = NATIVERT_LOAD (AT (S, 4, i * s[4])); \
        AT (O, 0, i * s[0]) = STORE ((__VA_ARGS__));         \
      }                                                      \
  }

/* A bool chooses: the first input is bool, the rest of the dtype. */
#define LOOP_SELECT(id, S, compute, name, O, STORE, ...)     \
  static void name##_##id (char *const *p, const int64_t *s, int64_t n) \
  {                                                          \
    COMMON (id, S, compute)                                  \
    if (FAST_##id && s[0] == full && s[1] == 1 && s[2] == full && s[3] == full) \
      FOR_RUN {                                              \
        const uint8_t c = AT (uint8_t, 1, i);                \
        const C x = NATIVERT_LOAD (AT (S, 2, i * full)), y = NATIVERT_LOAD (AT (S, 3, i * full)); \
        AT (O, 0, i * full) = STORE ((__VA_ARGS__));         \
      }                                                      \
    else                                                     \
      FOR_RUN {                                              \
        const uint8_t c = AT (uint8_t, 1, i * s[1]);         \
        const C x = NATIVERT_LOAD (AT (S, 2, i * s[2])), y = NATIVERT_LOAD (AT (S, 3, i * s[3])); \
        AT (O, 0, i * s[0]) = STORE ((__VA_ARGS__));         \
      }                                                      \
  }

#define SAME1(id, S, compute, name, ...) LOOP1 (id, S, compute, name, S, NATIVERT_STORE_##id, __VA_ARGS__)
#define SAME2(id, S, compute, name, ...) LOOP2 (id, S, compute, name, S, NATIVERT_STORE_##id, __VA_ARGS__)
#define SAME3(id, S, compute, name, ...) LOOP3 (id, S, compute, name, S, NATIVERT_STORE_##id, __VA_ARGS__)
#define SAME4(id, S, compute, name, ...) LOOP4 (id, S, compute, name, S, NATIVERT_STORE_##id, __VA_ARGS__)
#define SELECT3(id, S, compute, name, ...) LOOP_SELECT (id, S, compute, name, S, NATIVERT_STORE_##id, __VA_ARGS__)
#define BOOL1(id, S, compute, name, ...) LOOP1 (id, S, compute, name, uint8_t, NATIVERT_STORE_BOOL, __VA_ARGS__)
#define BOOL2(id, S, compute, name, ...) LOOP2 (id, S, compute, name, uint8_t, NATIVERT_STORE_BOOL, __VA_ARGS__)

#define OP(...)
#define COMPOSITE(...)
#define UNARY(name, set, flags, expand, schema, ...) SET_##set (SAME1, name, __VA_ARGS__)
#define BINARY(name, set, flags, expand, schema, ...) SET_##set (SAME2, name, __VA_ARGS__)
#define TERNARY(name, set, flags, expand, schema, ...) SET_##set (SAME3, name, __VA_ARGS__)
#define QUATERNARY(name, set, flags, expand, schema, ...) SET_##set (SAME4, name, __VA_ARGS__)
#define SELECT(name, set, flags, expand, schema, ...) SET_##set (SELECT3, name, __VA_ARGS__)
#define TEST1(name, set, flags, expand, schema, ...) SET_##set (BOOL1, name, __VA_ARGS__)
#define TEST2(name, set, flags, expand, schema, ...) SET_##set (BOOL2, name, __VA_ARGS__)
#include "kernels/defs/pointwise.def"
#undef UNARY
#undef BINARY
#undef TERNARY
#undef QUATERNARY
#undef SELECT
#undef TEST1
#undef TEST2

extern const NativertKernelSet NATIVERT_SET (pointwise);
static const NativertKernel rows[] = {
#define ROW(id, S, compute, name)                                                                                      \
  { NATIVERT_OP_##name, NATIVERT_##id, NATIVERT_DEVICE_CPU, NATIVERT_NEEDS, NATIVERT_ROW_NAME (#name),                 \
    nativert_pointwise_prepare, nativert_pointwise_fn, name##_##id },
#define UNARY(name, set, ...) SET_##set (ROW, name)
#define BINARY UNARY
#define TERNARY UNARY
#define QUATERNARY UNARY
#define SELECT UNARY
#define TEST1 UNARY
#define TEST2 UNARY
#include "kernels/defs/pointwise.def"
};
const NativertKernelSet NATIVERT_SET (pointwise) = { rows, sizeof rows / sizeof *rows, NATIVERT_STR (NATIVERT_ISA) };
