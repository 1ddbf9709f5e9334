/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one list of element types, and the sets of them that operators are defined over.
 * Sets are function-like macros so that they nest inside other macros. */
#pragma once
#include <stdint.h>

typedef struct { uint16_t bits; } nativert_f16;
typedef struct { uint16_t bits; } nativert_bf16;
typedef struct { uint8_t bits; } nativert_f8;
typedef struct { uint16_t re, im; } nativert_c32;
typedef struct { float re, im; } nativert_c64;
typedef struct { double re, im; } nativert_c128;

/* M(id, storage type, compute type, ...) */
#define NATIVERT_FLOAT(M, ...)                \
  M (F32, float, float, __VA_ARGS__)          \
  M (F64, double, double, __VA_ARGS__)        \
  M (F16, nativert_f16, float, __VA_ARGS__)   \
  M (BF16, nativert_bf16, float, __VA_ARGS__)
#define NATIVERT_INT(M, ...)                  \
  M (I64, int64_t, int64_t, __VA_ARGS__)      \
  M (I32, int32_t, int32_t, __VA_ARGS__)      \
  M (I16, int16_t, int16_t, __VA_ARGS__)      \
  M (I8, int8_t, int8_t, __VA_ARGS__)         \
  M (U8, uint8_t, uint8_t, __VA_ARGS__)
#define NATIVERT_BOOL(M, ...) M (BOOL, uint8_t, uint8_t, __VA_ARGS__)
#define NATIVERT_REAL(M, ...) NATIVERT_FLOAT (M, __VA_ARGS__) NATIVERT_INT (M, __VA_ARGS__)
#define NATIVERT_INTBOOL(M, ...) NATIVERT_INT (M, __VA_ARGS__) NATIVERT_BOOL (M, __VA_ARGS__)
#define NATIVERT_ALL(M, ...) NATIVERT_REAL (M, __VA_ARGS__) NATIVERT_BOOL (M, __VA_ARGS__)
/* Types that are stored, moved and viewed, but that few operators compute with. */
#define NATIVERT_RARE(M, ...)                 \
  M (U16, uint16_t, uint16_t, __VA_ARGS__)    \
  M (U32, uint32_t, uint32_t, __VA_ARGS__)    \
  M (U64, uint64_t, uint64_t, __VA_ARGS__)    \
  M (C32, nativert_c32, nativert_c64, __VA_ARGS__)    \
  M (C64, nativert_c64, nativert_c64, __VA_ARGS__)    \
  M (C128, nativert_c128, nativert_c128, __VA_ARGS__) \
  M (F8E4M3FN, nativert_f8, float, __VA_ARGS__)       \
  M (F8E5M2, nativert_f8, float, __VA_ARGS__)         \
  M (F8E4M3FNUZ, nativert_f8, float, __VA_ARGS__)     \
  M (F8E5M2FNUZ, nativert_f8, float, __VA_ARGS__)     \
  M (F8E8M0FNU, nativert_f8, float, __VA_ARGS__)
#define NATIVERT_EVERY(M, ...) NATIVERT_ALL (M, __VA_ARGS__) NATIVERT_RARE (M, __VA_ARGS__)

#define NATIVERT_DTYPE_ID(id, storage, compute, ...) NATIVERT_##id,
typedef enum { NATIVERT_EVERY (NATIVERT_DTYPE_ID, ) NATIVERT_N_DTYPES } NativertKernelDtype;
#undef NATIVERT_DTYPE_ID
