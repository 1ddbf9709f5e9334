/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes that overflow, and extents of strided views. */
#include "base/checked.h"

#include <glib.h>

static void
test_numel (void)
{
  int64_t n;

  g_assert_true (nativert_numel (NULL, 0, &n));
  g_assert_cmpint (n, ==, 1);
  g_assert_true (nativert_numel ((int64_t[]) {2, 3, 4}, 3, &n));
  g_assert_cmpint (n, ==, 24);
  g_assert_false (nativert_numel ((int64_t[]) {2, -3}, 2, &n));
  g_assert_false (nativert_numel ((int64_t[]) {0, -3}, 2, &n));
  g_assert_false (nativert_numel ((int64_t[]) {INT64_C (1) << 32, INT64_C (1) << 31}, 2, &n));
  g_assert_true (nativert_numel ((int64_t[]) {INT64_C (1) << 31, 0, 1}, 3, &n));
  g_assert_cmpint (n, ==, 0);
}

static void
test_extent (void)
{
  size_t n;

  g_assert_true (nativert_extent ((int64_t[]) {2, 3}, (int64_t[]) {3, 1}, 2, 4, 4, &n));
  g_assert_cmpuint (n, ==, 40);
  g_assert_true (nativert_extent ((int64_t[]) {4, 4}, (int64_t[]) {0, 1}, 2, 0, 4, &n));
  g_assert_cmpuint (n, ==, 16);
  g_assert_true (nativert_extent (NULL, NULL, 0, 9, 8, &n));
  g_assert_cmpuint (n, ==, 80);
  /* nothing is read of an empty view, wherever it starts */
  g_assert_true (nativert_extent ((int64_t[]) {0, INT64_MAX}, (int64_t[]) {INT64_MAX, INT64_MAX}, 2, 5, 8, &n));
  g_assert_cmpuint (n, ==, 0);
  g_assert_false (nativert_extent ((int64_t[]) {2}, (int64_t[]) {-1}, 1, 5, 8, &n));
  g_assert_false (nativert_extent ((int64_t[]) {2}, (int64_t[]) {1}, 1, -1, 8, &n));
  g_assert_false (nativert_extent ((int64_t[]) {2}, (int64_t[]) {INT64_MAX}, 1, 1, 8, &n));
  g_assert_false (nativert_extent ((int64_t[]) {2}, (int64_t[]) {INT64_MAX / 4}, 1, 0, 16, &n));
  g_assert_false (nativert_extent ((int64_t[]) {3}, (int64_t[]) {INT64_MAX}, 1, 0, 1, &n));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/checked/numel", test_numel);
  g_test_add_func ("/checked/extent", test_extent);
  return g_test_run ();
}
