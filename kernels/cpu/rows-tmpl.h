/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums and maxima over contiguous rows of T (float or double): the includer defines T, ROW_MASK (the integer type of
 * T's size) and ROW (name), a suffixing macro.  Sixteen running values are written as vectors, because compilers may
 * not reorder float sums by themselves; blocks of 4096 meet in double, so long rows stay accurate. */
/* Everything here is inlined, so how vectors are passed does not matter. */
#pragma GCC diagnostic ignored "-Wpsabi"
typedef T ROW (vec) __attribute__ ((vector_size (16 * sizeof (T))));
typedef ROW_MASK ROW (mask) __attribute__ ((vector_size (16 * sizeof (T))));

static inline ROW (vec)
ROW (load) (const T *x)
{
  ROW (vec) v;
  __builtin_memcpy (&v, x, sizeof v);
  return v;
}

static inline T
ROW (add_up) (ROW (vec) v)
{
  T s[8];
  for (int i = 0; i < 8; i++)
    s[i] = v[i] + v[i + 8];
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static inline double
ROW (sum) (const T *x, int64_t n)
{
  double total = 0;
  int64_t i = 0;
  while (i + 16 <= n) {
    ROW (vec) v = ROW (load) (x + i);
    int64_t stop = n - i > 4096 ? i + 4096 : n;
    for (i += 16; i + 16 <= stop; i += 16)
      v += ROW (load) (x + i);
    total += (double) ROW (add_up) (v);
  }
  T rest = 0;
  for (; i < n; i++)
    rest += x[i];
  return total + (double) rest;
}

/* Sum of (x - mean)^2 */
static inline double
ROW (sum_squares) (const T *x, int64_t n, T mean)
{
  double total = 0;
  int64_t i = 0;
  while (i + 16 <= n) {
    ROW (vec) d = ROW (load) (x + i) - mean, v = d * d;
    int64_t stop = n - i > 4096 ? i + 4096 : n;
    for (i += 16; i + 16 <= stop; i += 16) {
      d = ROW (load) (x + i) - mean;
      v += d * d;
    }
    total += (double) ROW (add_up) (v);
  }
  T rest = 0;
  for (; i < n; i++)
    rest += (x[i] - mean) * (x[i] - mean);
  return total + (double) rest;
}

/* The largest that is not NaN; -infinity for none. */
static inline T
ROW (max) (const T *x, int64_t n)
{
  T m = -INFINITY;
  int64_t i = 0;
  if (n >= 16) {
    ROW (vec) v = (ROW (vec)) { 0 } - INFINITY;
    for (; i + 16 <= n; i += 16) {
      ROW (vec) w = ROW (load) (x + i);
      ROW (mask) larger = w > v;
      v = (ROW (vec)) (((ROW (mask)) w & larger) | ((ROW (mask)) v & ~larger));
    }
    for (int k = 0; k < 16; k++)
      m = v[k] > m ? v[k] : m;
  }
  for (; i < n; i++)
    m = x[i] > m ? x[i] : m;
  return m;
}
