/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values: every kind, order and replacement in dicts, ownership. */
#include "nativert.h"

static void
test_scalars (void)
{
  g_autoptr (NativertValue) none = nativert_value_new_none (), i = nativert_value_new_int (-3),
                            f = nativert_value_new_float (2.5);
  g_autoptr (NativertValue) b = nativert_value_new_bool (TRUE), s = nativert_value_new_string ("é");

  g_assert_cmpint (nativert_value_get_kind (none), ==, NATIVERT_VALUE_NONE);
  g_assert_cmpint (nativert_value_get_int (i), ==, -3);
  g_assert_cmpfloat (nativert_value_get_float (f), ==, 2.5);
  g_assert_cmpfloat (nativert_value_get_float (i), ==, -3);
  g_assert_true (nativert_value_get_bool (b));
  g_assert_cmpstr (nativert_value_get_string (s), ==, "é");
  g_assert_null (nativert_value_get_tensor (s));
  g_assert_cmpuint (nativert_value_get_length (s), ==, 0);
}

static void
test_containers (void)
{
  g_autoptr (NativertTensor) tensor = nativert_tensor_new (NATIVERT_DTYPE_FLOAT32, NULL, 0);
  g_autoptr (NativertValue) dict = nativert_value_new_dict (), tuple = nativert_value_new_tuple ();

  nativert_value_set (dict, "b", nativert_value_new_int (1));
  nativert_value_set (dict, "a", nativert_value_new_tensor (tensor));
  nativert_value_set (dict, "b", nativert_value_new_int (2));
  nativert_value_append (tuple, nativert_value_ref (dict));
  nativert_value_append (tuple, nativert_value_new_list ());

  g_assert_cmpuint (nativert_value_get_length (dict), ==, 2);
  g_assert_cmpstr (nativert_value_get_key (dict, 0), ==, "b");
  g_assert_cmpint (nativert_value_get_int (nativert_value_lookup (dict, "b")), ==, 2);
  g_assert_true (nativert_value_get_tensor (nativert_value_get_child (dict, 1)) == tensor);
  g_assert_null (nativert_value_lookup (dict, "c"));
  g_assert_true (nativert_value_get_child (tuple, 0) == dict);
  g_assert_null (nativert_value_get_key (tuple, 0));
}

static void
test_boxed (void)
{
  g_autoptr (NativertValue) value = nativert_value_new_int (5);
  GValue boxed = G_VALUE_INIT;

  g_value_init (&boxed, NATIVERT_TYPE_VALUE);
  g_value_set_boxed (&boxed, value);
  g_assert_true (g_value_get_boxed (&boxed) == value);
  g_value_unset (&boxed);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/value/scalars", test_scalars);
  g_test_add_func ("/value/containers", test_containers);
  g_test_add_func ("/value/boxed", test_boxed);
  return g_test_run ();
}
