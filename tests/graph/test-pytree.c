/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TreeSpec: every node type of real files, calls against it, results from it, bad texts. */
#include <string.h>
#include "graph/pytree.h"

#define LEAF "{\"type\": null, \"context\": null, \"children_spec\": []}"
#define NODE(type, context, children)                                                                                  \
  "{\"type\": \"" type "\", \"context\": " context ", \"children_spec\": [" children "]}"
#define SPEC(node) "[1, " node "]"
#define TUPLE(children) NODE ("builtins.tuple", "\"null\"", children)

static NativertTreeSpec *
parse (const char *json)
{
  static const char *const fields[] = { "left", "right" };
  static const NativertNamedTuple tuple = { "probes.Pair", fields, 2 };
  NativertProgram program = { .namedtuples = &tuple, .n_namedtuples = 1 };
  g_autoptr (GError) error = NULL;
  NativertTreeSpec *spec = nativert_tree_spec_parse (json, &program, &error);
  g_assert_no_error (error);
  return spec;
}

static void
assert_spec (const char *json, const char *text, uint32_t n_leaves, const char *last_path)
{
  g_autoptr (NativertTreeSpec) spec = parse (json);
  g_autofree char *got = nativert_tree_spec_to_text (spec);
  g_autofree char *path = nativert_tree_spec_leaf_path (spec, n_leaves - 1);
  g_assert_cmpstr (got, ==, text);
  g_assert_cmpuint (nativert_tree_spec_n_leaves (spec), ==, n_leaves);
  g_assert_cmpstr (path, ==, last_path);
}

static void
test_types (void)
{
  assert_spec (SPEC (LEAF), "*", 1, "");
  assert_spec (SPEC (TUPLE (LEAF)), "(*,)", 1, "0");
  assert_spec (SPEC (NODE ("torch.Size", "\"null\"", LEAF "," LEAF)), "(*, *)", 2, "1");
  assert_spec (SPEC (NODE ("builtins.list", "\"null\"", LEAF "," TUPLE (LEAF "," LEAF))), "[*, (*, *)]", 3, "1.1");
  assert_spec (SPEC (NODE ("collections.deque", "\"null\"", LEAF)), "[*]", 1, "0");
  assert_spec (SPEC (NODE ("torch.fx.immutable_collections.immutable_list", "\"null\"", LEAF)), "[*]", 1, "0");
  assert_spec (
      SPEC (NODE ("builtins.dict", "\"[\\\"p\\\", 7]\"", LEAF "," TUPLE (LEAF "," LEAF))), "{p, 7: (*, *)}", 3, "7.1");
  assert_spec (SPEC (NODE ("collections.OrderedDict", "\"[\\\"boxes\\\"]\"", LEAF)), "{boxes}", 1, "boxes");
  assert_spec (SPEC (NODE ("torch.fx.immutable_collections.immutable_dict", "\"[\\\"a\\\"]\"", LEAF)), "{a}", 1, "a");
  assert_spec (SPEC (NODE ("collections.defaultdict",
                   "{\"default_factory_module\": \"builtins\", \"default_factory_name\": \"list\", "
                   "\"dict_context\": [\"k\", 1.5]}",
                   LEAF "," LEAF)),
      "{k, 1.5}", 2, "1.5");
  assert_spec (SPEC (NODE ("collections.namedtuple", "\"probes.Pair\"", LEAF "," LEAF)), "(left, right)", 2, "right");
  assert_spec (SPEC (NODE ("collections.namedtuple", "\"probes.Other\"", LEAF "," LEAF)), "(*, *)", 2, "1");
  assert_spec (SPEC (NODE ("probes.Box", "\"[[\\\"lo\\\", \\\"hi\\\"], []]\"", LEAF "," LEAF)), "{lo, hi}", 2, "hi");
  assert_spec (SPEC (NODE ("transformers.modeling_outputs.BaseModelOutput", "\"[\\\"last_hidden_state\\\"]\"", LEAF)),
      "{last_hidden_state}", 1, "last_hidden_state");
}

static void
test_errors (void)
{
  static const char *const bad[] = {
    "",
    "[1]",
    "{}",
    "[2, " LEAF "]",
    "[1, 5]",
    "[1, {}]",
    SPEC (NODE ("my.Class", "\"null\"", LEAF)),
    SPEC (NODE ("builtins.dict", "\"[\\\"a\\\"]\"", LEAF "," LEAF)),
    SPEC (NODE ("builtins.dict", "\"[\\\"a\\\", \\\"a\\\"]\"", LEAF "," LEAF)),
    SPEC (NODE ("builtins.dict", "\"[1, \\\"1\\\"]\"", LEAF "," LEAF)),
    "[1, {\"type\": null, \"context\": null, \"children_spec\": [" LEAF "]}]",
    "[1, {\"type\": 3, \"context\": null, \"children_spec\": []}]",
    SPEC (TUPLE ("7")),
  };
  for (size_t i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (nativert_tree_spec_parse (bad[i], NULL, &error));
    g_assert_nonnull (error);
    g_test_message ("%s", error->message);
  }
  g_autoptr (GError) error = NULL;
  GString *deep = g_string_new ("[1, ");
  for (int i = 0; i < 100000; i++)
    g_string_append (deep, "{\"type\": \"builtins.list\", \"context\": \"null\", \"children_spec\": [");
  g_assert_null (nativert_tree_spec_parse (deep->str, NULL, &error));
  g_assert_nonnull (error);
  g_string_free (deep, TRUE);
}

#define IN_SPEC(args, keys, kwargs) SPEC (TUPLE (TUPLE (args) "," NODE ("builtins.dict", keys, kwargs)))

static NativertValue *
ints (NativertValue *list, int first, int n)
{
  for (int i = 0; i < n; i++)
    nativert_value_append (list, nativert_value_new_int (first + i));
  return list;
}

static void
test_flatten (void)
{
  g_autoptr (NativertTreeSpec) spec = parse (IN_SPEC (LEAF "," NODE ("builtins.list", "\"null\"", LEAF "," LEAF),
      "\"[\\\"b\\\", \\\"a\\\", \\\"c\\\"]\"", LEAF "," TUPLE (LEAF "," LEAF) "," LEAF));
  g_autoptr (NativertValue) args = ints (nativert_value_new_tuple (), 1, 1), kwargs = nativert_value_new_dict ();
  g_autoptr (GPtrArray) leaves = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  nativert_value_append (args, ints (nativert_value_new_list (), 2, 2));
  nativert_value_set (kwargs, "a", ints (nativert_value_new_tuple (), 5, 2));
  nativert_value_set (kwargs, "b", nativert_value_new_int (4));
  g_assert_true (nativert_tree_spec_flatten_call (spec, args, kwargs, leaves, &error));
  g_assert_cmpuint (leaves->len, ==, 7);
  for (int i = 0; i < 6; i++)
    g_assert_cmpint (nativert_value_get_int (leaves->pdata[i]), ==, i + 1);
  g_assert_cmpint (nativert_value_get_kind (leaves->pdata[6]), ==, NATIVERT_VALUE_NONE);        /* c is missing */
  g_autofree char *path = nativert_tree_spec_leaf_path (spec, 5);
  g_assert_cmpstr (path, ==, "1.a.1");

  nativert_value_set (kwargs, "d", nativert_value_new_none ());
  g_assert_false (nativert_tree_spec_flatten_call (spec, args, kwargs, leaves, &error));
  g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_INVALID_INPUT);
  g_assert_cmpstr (error->message, ==, "kwargs: no key d is expected");
  g_clear_error (&error);
  g_assert_false (nativert_tree_spec_flatten_call (spec, NULL, NULL, leaves, &error));
  g_assert_cmpstr (error->message, ==, "args: expected 2 values, got 0");
  g_clear_error (&error);
  g_autoptr (NativertValue) wrong = ints (nativert_value_new_tuple (), 1, 2);
  g_assert_false (nativert_tree_spec_flatten_call (spec, wrong, NULL, leaves, &error));
  g_assert_cmpstr (error->message, ==, "args[1]: expected a list of 2");
  g_clear_error (&error);
  g_autoptr (NativertValue) list = nativert_value_new_tuple ();
  nativert_value_append (list, ints (nativert_value_new_list (), 1, 3));
  nativert_value_append (list, ints (nativert_value_new_list (), 1, 2));
  g_assert_false (nativert_tree_spec_flatten_call (spec, list, NULL, leaves, &error));
  g_assert_cmpstr (error->message, ==, "args[0]: expected one value, got 3 in a list, tuple or dict");
  g_clear_error (&error);
  g_autoptr (NativertTreeSpec) odd = parse (SPEC (LEAF));
  g_assert_false (nativert_tree_spec_flatten_call (odd, args, NULL, leaves, &error));
}

static void
test_unflatten (void)
{
  g_autoptr (NativertTreeSpec) spec = parse (SPEC (NODE ("builtins.dict", "\"[\\\"out\\\", \\\"aux\\\"]\"",
      LEAF "," NODE ("builtins.list", "\"null\"", TUPLE (LEAF "," LEAF) "," TUPLE ("")))));
  g_autoptr (GError) error = NULL;
  NativertValue *leaves[3];
  for (int i = 0; i < 3; i++)
    leaves[i] = nativert_value_new_int (i);
  g_autoptr (NativertValue) value = nativert_tree_spec_unflatten (spec, leaves, 3, &error);
  g_assert_no_error (error);
  g_assert_cmpint (nativert_value_get_int (nativert_value_lookup (value, "out")), ==, 0);
  NativertValue *aux = nativert_value_lookup (value, "aux"), *pair = nativert_value_get_child (aux, 0);
  g_assert_cmpint (nativert_value_get_kind (aux), ==, NATIVERT_VALUE_LIST);
  g_assert_cmpint (nativert_value_get_kind (pair), ==, NATIVERT_VALUE_TUPLE);
  g_assert_cmpint (nativert_value_get_int (nativert_value_get_child (pair, 1)), ==, 2);
  g_assert_cmpuint (nativert_value_get_length (nativert_value_get_child (aux, 1)), ==, 0);
  leaves[0] = nativert_value_new_none ();
  g_assert_null (nativert_tree_spec_unflatten (spec, leaves, 1, &error));
  g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISMATCH);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pytree/types", test_types);
  g_test_add_func ("/pytree/errors", test_errors);
  g_test_add_func ("/pytree/flatten", test_flatten);
  g_test_add_func ("/pytree/unflatten", test_unflatten);
  return g_test_run ();
}
