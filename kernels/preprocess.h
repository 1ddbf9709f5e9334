/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pre-processing of pictures: one pass crops, resizes, converts colour, normalises and writes a model's input tensor.
 * What a picture is and what the tensor wants is said once (NativertPreprocessSpec) and becomes tables; a frame then
 * costs no allocation, no division and no branch per pixel.  Plain C: knows no media framework.
 *
 * Bilinear is torch.nn.functional.interpolate (mode="bilinear", align_corners=False, antialias=False), nearest is its
 * mode="nearest", both on the rectangle `from` alone.  Planes are resized first and converted after: the same as
 * converting first but for clamping, and a sixth of the work. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How components c0, c1, c2 lie in memory. */
typedef enum {
  NATIVERT_PIXELS_GRAY,                         /* one plane of c0 */
  NATIVERT_PIXELS_NV12,                         /* a plane of c0, a half-size plane of c1 c2 pairs */
  NATIVERT_PIXELS_I420,                         /* a plane of c0, half-size planes of c1 and of c2 */
  NATIVERT_PIXELS_PACKED3,                      /* c0 c1 c2 */
  NATIVERT_PIXELS_PACKED4                       /* c0 c1 c2 and a byte that is not read */
} NativertPixels;

enum { NATIVERT_MAX_PICTURE = 32768 };          /* pixels on a side */

typedef struct { int32_t x, y, width, height; } NativertRect;

typedef struct {
  NativertPixels pixels;
  NativertRect from;                            /* the part of the picture that is taken */
  NativertRect to;                              /* where in the tensor it lands; around it is `pad` */
  int32_t out_width, out_height;
  bool bilinear;                                /* else nearest */
  float chroma_x, chroma_y; /* place of the first chroma sample, in pixels: 1 = between two, 0.5 = on the first */
  uint8_t n_channels;                           /* of the tensor: 1 or 3 */
  bool interleaved;                             /* channels innermost (NHWC) */
  bool u8;                                      /* else float32 */
  float matrix[3][4]; /* channel k = clamp (m[k][0] c0 + m[k][1] c1 + m[k][2] c2 + m[k][3], 0, 255) */
  float gain[3], bias[3];                       /* value = channel * gain + bias; u8 rounds and clamps it */
  float pad;                                    /* channel value outside `to` */
} NativertPreprocessSpec;

typedef struct {
  const uint8_t *plane[3];
  ptrdiff_t stride[3];                          /* bytes */
} NativertPicture;

/* Taps along one axis.  Columns: offset[i] bytes to the first of two neighbours; rows: first[i] and second[i]. */
typedef struct { int32_t *offset; float *weight; } NativertColumns;
typedef struct { int32_t *first, *second; float *weight; } NativertRows;

typedef struct NativertPreprocess NativertPreprocess;
typedef void (*NativertPreprocessFn) (
    const NativertPreprocess *p, const NativertPicture *picture, void *out, void *scratch);

/* Immutable once made: any number of threads may run it, each with its own scratch. */
struct NativertPreprocess {
  NativertPreprocessSpec spec;
  NativertPreprocessFn run;
  NativertColumns x, chroma_x;
  NativertRows y, chroma_y;
  bool one_tap, chroma_one_tap;                 /* columns have one neighbour, not two */
  uint8_t n_in;                                 /* components that the matrix uses: 1 or 3 */
  size_t line;                                  /* floats from one line of scratch to the next */
};

/* Bytes of tables that nativert_preprocess_init wants; 0 when the spec makes no sense. */
size_t nativert_preprocess_table_size (const NativertPreprocessSpec *spec);
/* `tables`: that many bytes, 64-byte aligned, living as long as p.  Picks the fastest code for the machine. */
void nativert_preprocess_init (NativertPreprocess *p, const NativertPreprocessSpec *spec, void *tables);
/* Bytes of scratch, 64-byte aligned, that one run wants. */
size_t nativert_preprocess_scratch_size (const NativertPreprocess *p);
/* Writes `pad` all over a new tensor; runs then write inside `to` only. */
void nativert_preprocess_fill (const NativertPreprocess *p, void *out);
static inline void
nativert_preprocess_run (const NativertPreprocess *p, const NativertPicture *picture, void *out, void *scratch)
{
  p->run (p, picture, out, scratch);
}
