/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions: alignment, zeroes, large requests between small ones. */
#include "base/region.h"

#include <string.h>

static void
test_region (void)
{
  g_autoptr (NativertRegion) region = nativert_region_new ();
  static const size_t sizes[] = {1, 0, 15, 16, 17, 5000, 3, 300000, 8, 1 << 20, 40};
  char *before = NULL;
  size_t total = 0;

  for (int round = 0; round < 200; round++)
    for (size_t i = 0; i < G_N_ELEMENTS (sizes); i++) {
      size_t size = sizes[i] / (round > 2 ? 100 : 1);
      char *p = nativert_region_alloc (region, size);

      g_assert_cmpuint ((guintptr) p % 16, ==, 0);
      g_assert_true (p != before);
      for (size_t k = 0; k < size; k++)
        g_assert_cmpint (p[k], ==, 0);
      memset (p, 0xff, size);
      before = p;
      total += size;
    }
  g_assert_cmpuint (nativert_region_n_bytes (region), >=, total);
  g_assert_cmpstr (nativert_region_strdup (region, "text"), ==, "text");
  g_assert_null (nativert_region_strdup (region, NULL));
  g_assert_cmpint (nativert_region_new_n (region, int64_t, 3)[2], ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/region/alloc", test_region);
  return g_test_run ();
}
