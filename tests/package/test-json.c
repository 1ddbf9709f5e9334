/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON: what is none, what it means, how deep it may go, and where errors point. */
#include "package/json.h"
#include "nativert.h"

#include <string.h>

static NativertJsonDoc *
parse (const char *text, GError **error)
{
  return nativert_json_parse ("text", text, strlen (text), error);
}

static void
test_bad (void)
{
  static const char *const texts[] = { "", " ", "{", "[", "]", "}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{\"a\"}",
    "{\"a\":}", "{\"a\":1,}", "{a:1}", "{'a':1}", "{1:1}", "{\"a\":1 \"b\":2}", "{\"a\":1,\"a\":2}",
    "{\"a\":1,\"\\u0061\":2}", "nul", "True", "NaN", "Infinity", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+",
    "0x10", "1_0", "--1", "\"", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u00\"", "\"\\ud800\"", "\"\\ud800\\n\"",
    "\"\\ud800\\ud800\"", "\"\\udc00\"", "\"\\u0000\"", "\"\t\"", "\"\n\"", "\"\x01\"", "\"\xff\"", "\"\xc0\x80\"",
    "\"\xed\xa0\x80\"", "'a'", "1 1", "[] []", "// c\n1", "/* c */ 1",
    "\xef\xbb\xbf"
    "1",
    "9223372036854775808", "-9223372036854775809", "1e999", "[1]x", "tru", "truee", "\"a\"\"b\"" };

  for (size_t i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;

    g_test_message ("%s", texts[i]);
    g_assert_null (parse (texts[i], &error));
    g_assert_nonnull (error);
    g_assert_true (g_str_has_prefix (error->message, "text: JSON: "));
    g_assert_null (parse (texts[i], NULL));
  }
  g_assert_null (nativert_json_parse ("text", "[1\0]", 4, NULL));
  g_assert_null (nativert_json_parse ("text", "\"a\0b\"", 5, NULL));
  g_assert_null (nativert_json_parse ("text", "[1]", 2, NULL));
}

static void
test_values (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertJsonDoc) doc = parse (
      " {\"i\": -9223372036854775808, \"f\": -1.5e3, \"s\": \"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00z\", "
      "\"t\": true, \"n\": null, \"a\": [ ], \"o\":{ \"x\" : [0,-0] } }\r\n\t ",
      &error);
  const NativertJson *root;

  g_assert_no_error (error);
  root = nativert_json_root (doc);
  g_assert_cmpuint (root->n, ==, 7);
  g_assert_cmpint (nativert_json_get (root, "i")->u.i, ==, G_MININT64);
  g_assert_cmpfloat (nativert_json_get (root, "f")->u.f, ==, -1500);
  g_assert_cmpstr (nativert_json_get (root, "s")->u.s, ==, "a\"\\/\b\f\n\r\té😀z");
  g_assert_cmpuint (nativert_json_get (root, "s")->n, ==, strlen ("a\"\\/\b\f\n\r\té😀z"));
  g_assert_cmpuint (nativert_json_get (root, "t")->type, ==, NATIVERT_JSON_BOOL);
  g_assert_cmpuint (nativert_json_get (root, "n")->type, ==, NATIVERT_JSON_NULL);
  g_assert_cmpuint (nativert_json_get (root, "a")->n, ==, 0);
  g_assert_cmpint (nativert_json_get (nativert_json_get (root, "o"), "x")->u.items[1].u.i, ==, 0);
  g_assert_null (nativert_json_get (root, "x"));
  g_assert_null (nativert_json_get (nativert_json_get (root, "a"), "x"));
}

static void
test_where (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertJsonDoc) doc = parse ("{\"graph\": {\"nodes\": [{}, {\"name\": 5}]}}", NULL);
  const NativertJson *node
      = &nativert_json_get (nativert_json_get (nativert_json_root (doc), "graph"), "nodes")->u.items[1];

  g_assert_null (nativert_json_want (doc, node, "name", NATIVERT_JSON_STRING, &error));
  g_assert_cmpstr (error->message, ==, "text: graph.nodes[1].name: expected a string, got an integer");
  g_clear_error (&error);
  g_assert_null (nativert_json_want (doc, node, "target", NATIVERT_JSON_STRING, &error));
  g_assert_cmpstr (error->message, ==, "text: graph.nodes[1]: key 'target' is missing");
}

static void
test_depth (void)
{
  for (int n = 199; n <= 100000; n = n < 201 ? n + 1 : n * 10) {
    g_autofree char *open = g_strnfill (n, '['), *close = g_strnfill (n, ']'), *text = g_strconcat (open, close, NULL);
    g_autoptr (GError) error = NULL;
    g_autoptr (NativertJsonDoc) doc = parse (text, &error), half = parse (open, NULL);

    g_assert_true ((doc != NULL) == (n <= 200));
    if (n > 200)
      g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_LIMIT);
    g_assert_null (half);
  }
}

/* Large objects take another way to find equal keys. */
static void
test_many_keys (void)
{
  GString *text = g_string_new ("{");
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertJsonDoc) doc = NULL;

  for (int i = 0; i < 5000; i++)
    g_string_append_printf (text, "\"key %d\": {\"a\": [%d, {}]},", i, i);
  g_string_append (text, "\"last\": 1}");
  doc = parse (text->str, &error);
  g_assert_no_error (error);
  g_assert_cmpint (
      nativert_json_get (nativert_json_get (nativert_json_root (doc), "key 4999"), "a")->u.items[0].u.i, ==, 4999);
  g_string_truncate (text, text->len - strlen ("last\": 1}"));
  g_string_append (text, "key 17\": 1}");
  g_assert_null (parse (text->str, &error));
  g_assert_nonnull (strstr (error->message, "'key 17' stands twice"));
  g_string_free (text, TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json/bad", test_bad);
  g_test_add_func ("/json/values", test_values);
  g_test_add_func ("/json/where", test_where);
  g_test_add_func ("/json/depth", test_depth);
  g_test_add_func ("/json/many-keys", test_many_keys);
  return g_test_run ();
}
