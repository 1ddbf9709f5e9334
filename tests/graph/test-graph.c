/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The graph as a data structure: building from descriptions, uses, editing, lint, text, signature, binding. */
#include <string.h>
#include "fixture.h"

static void
test_text (void)
{
  g_autoptr (NativertGraph) graph = fixture_graph (
      "param w f32[4,3]; input x f32[s0,3]; input n int\n"
      "y:f32[s0,4] = aten.linear.default(input=x, weight=w, bias=None)\n"
      "[a:f32[s0,2], b:f32[s0,2]] = aten.split.Tensor(self=y, split_size=2, dim=1)\n"
      "v:f32[s0,2] = aten.view.default(a, [n, 2])\n"
      "m:f32[s0,2] = aten.foo.default(x=[a, None, b], f=0.5, g=[1.0, -2.5], s=\"a b\", t=True, u=1e-05, d=dtype:f32, k=[], h=-3, fmt=format:1)\n"
      "k:int = _operator.add(n, 3)\n"
      "aten.bar.default(m)\n"
      "return m, v, k, None, 7");
  fixture_assert_text (graph,
      "graph(%w, %x, %n):\n"
      "%y = aten.linear.default(input=%x, weight=%w, bias=None)\n"
      "[%a, %b] = aten.split.Tensor(self=%y, split_size=2, dim=1)\n"
      "%v = aten.view.default(%a, [%n, 2])\n"
      "%m = aten.foo.default(x=[%a, None, %b], f=0.5, g=[1.0, -2.5], s=\"a b\", t=true, u=1.0e-05, d=ScalarType::FLOAT, k=[], h=-3, "
      "fmt=MemoryFormat::ContiguousFormat)\n"
      "%k = _operator.add(%n, 3)\n"
      "aten.bar.default(%m)\n"
      "return(%m, %v, %k, None, 7)\n");
  g_autofree char *text = nativert_graph_to_text (graph);
  g_assert_nonnull (strstr (text, "%y = aten.linear.default(input=%x, weight=%w, bias=None)  # float32[s0, 4]\n"));
  g_assert_cmpuint (graph->n_nodes, ==, 6);
  g_assert_cmpuint (fixture_node (graph, "a")->n_outputs, ==, 2);
  g_assert_true (fixture_node (graph, "a")->returns[0].is_list);
}

static void
test_uses (void)
{
  g_autoptr (NativertGraph) graph = fixture_graph (
      "input x f32[2]\n"
      "a:f32[2] = aten.relu.default(x)\n"
      "b:f32[4] = aten.cat.default([a, a], 0)\n"
      "c:f32[2] = aten.add.Tensor(a, x)\n"
      "return c, a");
  g_autoptr (GError) error = NULL;
  NativertNode *a = fixture_node (graph, "a"), *b = fixture_node (graph, "b"), *c = fixture_node (graph, "c");
  NativertGraphValue *x = graph->inputs[0].value;
  g_assert_cmpuint (a->outputs[0]->n_uses, ==, 4);      /* twice in the list, in add, as output */
  g_assert_cmpuint (x->n_uses, ==, 2);
  g_assert_true (nativert_node_is_before (a, b));
  g_assert_false (nativert_graph_remove (graph, a, &error));
  g_assert_nonnull (strstr (error->message, "4 uses"));
  g_clear_error (&error);
  nativert_value_replace_uses_after (a->outputs[0], x, b);
  g_assert_cmpuint (a->outputs[0]->n_uses, ==, 2);
  g_assert_true (c->args[0].u.value == x);
  g_assert_true (graph->outputs[1].arg.u.value == x);
  g_assert_true (nativert_graph_lint (graph, &error));
  nativert_value_replace_uses (a->outputs[0], x);
  g_assert_true (nativert_graph_remove (graph, a, &error));
  g_assert_true (nativert_graph_remove (graph, b, &error));
  nativert_graph_renumber (graph);
  g_assert_cmpuint (graph->values->len, ==, 2);
  g_assert_true (nativert_graph_lint (graph, &error));
  fixture_assert_text (graph, "graph(%x):\n%c = aten.add.Tensor(%x, %x)\nreturn(%c, %x)\n");
}

static void
test_edit (void)
{
  g_autoptr (NativertGraph) graph = fixture_graph ("input x f32[2]; a:f32[2] = aten.relu.default(x); return a");
  g_autoptr (GError) error = NULL;
  NativertNode *a = fixture_node (graph, "a"), *node = nativert_graph_insert (graph, a, "torch.ops.aten.add.Tensor");
  NativertGraphValue *x = graph->inputs[0].value;
  const char *names[] = { "self", "other" };
  NativertGraphArg args[] = { { .kind = NATIVERT_GA_VALUE, .u.value = x }, { .kind = NATIVERT_GA_FLOAT, .u.f = 1e22 } };
  nativert_node_set_args (node, names, args, 2);
  NativertGraphValue *sum = nativert_node_add_output (node, "a", NATIVERT_GV_TENSOR, x->meta);
  g_assert_cmpstr (sum->name, ==, "a_1");
  g_assert_cmpstr (nativert_node_add_output (node, NULL, NATIVERT_GV_TENSOR, NULL)->name, ==, "add");
  nativert_node_set_arg (a, 0, (NativertGraphArg) { .kind = NATIVERT_GA_VALUE, .u.value = sum });
  g_assert_true (nativert_graph_lint (graph, &error));
  fixture_assert_text (graph, "graph(%x):\n%a_1, %add = aten.add.Tensor(self=%x, other=1.0e+22)\n%a = aten.relu.default(%a_1)\nreturn(%a)\n");
  g_assert_cmpuint (x->n_uses, ==, 1);
  /* Lint sees what editing functions would never do. */
  x->n_uses = 0;
  g_assert_false (nativert_graph_lint (graph, &error));
  g_clear_error (&error);
  x->n_uses = 1;
  a->args[0].u.value = a->outputs[0];
  g_assert_false (nativert_graph_lint (graph, &error));
  g_assert_nonnull (strstr (error->message, "before it is made"));
}

static void
test_bad_programs (void)
{
  static const struct { const char *text, *says; } bad[] = {
    { "input x f32[2]; a:f32[2] = aten.relu.default(y); return a", "node 0 a (torch.ops.aten.relu.default): argument 0 (): value y" },
    { "input x f32[2]; x:f32[2] = aten.relu.default(x); return x", "value x is made twice" },
    { "input x f32[2]; return y", "output 0: value y" },
    { "buffer b f32[2]; input x f32[2]; mutate buffer c x; return x", "buffer c, which is no input" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (nativert_graph_new (fixture_program (bad[i].text), &error));
    g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT);
    g_test_message ("%s", error->message);
    g_assert_nonnull (strstr (error->message, bad[i].says));
  }
  g_autoptr (GError) error = NULL;
  NativertProgram *program = fixture_program ("input x f32[2]; return x");
  program->n_input_specs = 0;
  g_assert_null (nativert_graph_new (program, &error));
  g_assert_nonnull (strstr (error->message, "1 inputs"));
}

static void
test_signature (void)
{
  g_autoptr (NativertGraph) graph = fixture_graph (
      "param w f32[2]; buffer b f32[2]; const c f32[2]; input x f32[2]\n"
      "y:f32[2] = aten.add.Tensor(b, x)\nmutate buffer b y; return w");
  g_assert_cmpint (graph->inputs[0].kind, ==, NATIVERT_IN_PARAMETER);
  g_assert_cmpint (graph->inputs[1].kind, ==, NATIVERT_IN_BUFFER);
  g_assert_true (graph->inputs[1].persistent);
  g_assert_cmpint (graph->inputs[2].kind, ==, NATIVERT_IN_TENSOR_CONSTANT);
  g_assert_cmpstr (graph->inputs[2].target, ==, "c");
  g_assert_cmpint (graph->outputs[0].kind, ==, NATIVERT_OUT_BUFFER_MUTATION);
  g_assert_cmpstr (graph->outputs[0].target, ==, "b");
}

static void
test_bind (void)
{
  g_autoptr (NativertGraph) graph = fixture_graph (
      "input x f32[1,3,8,8]; input w f32[8,3,3,3]; input n int\n"
      "y:f32[1,8,3,3] = aten.conv2d.default(input=x, weight=w, stride=[2], groups=1)\n"
      "p:f32[1,8,1,1] = aten.max_pool2d.default(self=y, kernel_size=3)\n"
      "s:f32[1,8,1,1] = aten.add.Scalar(self=p, other=2)\n"
      "e:f32[1,8,1,1] = aten.pow.Tensor_Scalar(self=s, exponent=2.5)\n"
      "t:f32[1,8,1,1] = aten.multiply.Tensor(self=e, other=n)\n"
      "h:f32[1,8,1,1] = aten.hardtanh.default(self=t, min_val=0, max_val=6)\n"
      "i:f32[1,8,1,1] = aten.add_.Scalar(self=h, other=2)\n"
      "v:f32[1,8] = aten.view.default(self=i, size=[n, 8])\n"
      "return v");
  g_autoptr (GError) error = NULL;
  int n = nativert_graph_bind (graph, fixture_schemas (), &error);
  g_assert_no_error (error);
  g_assert_cmpint (n, ==, 8);
  fixture_assert_text (graph,
      "graph(%x, %w, %n):\n"
      "%y = aten.conv2d.default(input=%x, weight=%w, bias=None, stride=[2, 2], padding=[0, 0], dilation=[1, 1], groups=1)\n"
      "%p = aten.max_pool2d.default(self=%y, kernel_size=[3, 3], stride=[], padding=[0, 0], dilation=[1, 1], ceil_mode=false)\n"
      "%s = aten.add.Tensor(self=%p, other=2, alpha=1)\n"
      "%e = aten.pow.Tensor_Tensor(self=%s, exponent=2.5)\n"
      "%t = aten.mul.Tensor(self=%e, other=%n)\n"
      "%h = aten.hardtanh.default(self=%t, min_val=0, max_val=6)\n"
      "%i = aten.add_.Tensor(self=%h, other=2, alpha=1)\n"
      "%v = aten.view.default(self=%i, size=[%n, 8])\n"
      "return(%v)\n");
  g_assert_true (fixture_node (graph, "i")->schema->writes);
  g_assert_true (nativert_graph_lint (graph, &error));
  g_assert_cmpint (nativert_graph_bind (graph, fixture_schemas (), &error), ==, 0);
}

static void
test_bind_errors (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertGraph) missing = fixture_graph ("input x f32[2]; y:f32[2] = aten.view.default(self=x); return y");
  g_assert_cmpint (nativert_graph_bind (missing, fixture_schemas (), &error), ==, -1);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "node y: argument size is missing and has no default; the schema is aten::view(Tensor(a) self"));
  g_clear_error (&error);
  g_autoptr (NativertGraph) unsupported = fixture_graph (
      "input x f32[2]\n"
      "a:f32[2] = aten.foo.default(self=x)\nb:f32[2] = aten.foo.default(self=a)\nc:f32[2] = my.op.Tensor(self=b)\n"
      "d:f32[2] = higher_order.cond(c)\nk:int = _operator.mul(3, 4)\nreturn d, k");
  g_assert_cmpint (nativert_graph_bind (unsupported, fixture_schemas (), &error), ==, -1);
  g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_UNSUPPORTED);
  g_assert_cmpstr (error->message, ==,
      "3 operators are not supported: aten.foo.default (2 uses, first at node a, File \"net.py\", line 12, in inner: x = foo(y)), "
      "my.op.Tensor (1 use, first at node c, File \"net.py\", line 12, in inner: x = foo(y)), "
      "higher_order.cond (1 use, first at node d, File \"net.py\", line 12, in inner: x = foo(y))");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graph/text", test_text);
  g_test_add_func ("/graph/uses", test_uses);
  g_test_add_func ("/graph/edit", test_edit);
  g_test_add_func ("/graph/bad-programs", test_bad_programs);
  g_test_add_func ("/graph/signature", test_signature);
  g_test_add_func ("/graph/bind", test_bind);
  g_test_add_func ("/graph/bind-errors", test_bind_errors);
  return g_test_run ();
}
