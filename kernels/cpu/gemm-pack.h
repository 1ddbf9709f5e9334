/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The right factor of a product in panels of NR columns.  For files compiled once per instruction set. */
#pragma once
#include "kernels/args.h"
#include "kernels/cpu/gemm-tile.h"

/* k x n numbers of b as [panel][k][NR], missing columns zero. */
static __attribute__ ((unused)) void
pack_columns (float *to, const float *b, int64_t b_row, int64_t b_col, int64_t k, int64_t n)
{
  for (int64_t j = 0; j < n; j += NR, to += k * NR, b += NR * b_col) {
    int64_t columns = nativert_min_i64 (NR, n - j);
    if (columns < NR)
      memset (to, 0, (size_t) (k * NR) * sizeof (float));
    if (b_col == 1 && columns == NR)
      for (int64_t i = 0; i < k; i++) {
        v_store (to + i * NR, v_load (b + i * b_row));
        v_store (to + i * NR + VL, v_load (b + i * b_row + VL));
      }
    else if (b_row == 1)
      for (int64_t i0 = 0; i0 < k; i0 += 16)            /* short runs of every column: few cache lines at a time */
        for (int64_t c = 0; c < columns; c++)
          for (int64_t i = i0; i < k && i < i0 + 16; i++)
            to[i * NR + c] = b[i + c * b_col];
    else
      for (int64_t i = 0; i < k; i++)
        for (int64_t c = 0; c < columns; c++)
          to[i * NR + c] = b[i * b_row + c * b_col];
  }
}
