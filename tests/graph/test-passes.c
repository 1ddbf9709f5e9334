/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each pass on small programs that show what it does, and what it must leave alone. */
#include <string.h>
#include "fixture.h"
#include "graph/passes.h"
#include "kernels/kernel.h"

G_STATIC_ASSERT ((int) NATIVERT_FUSED_RELU == (int) NATIVERT_ACT_RELU);
G_STATIC_ASSERT ((int) NATIVERT_FUSED_CLAMP == (int) NATIVERT_ACT_CLAMP);
G_STATIC_ASSERT ((int) NATIVERT_FUSED_LEAKY_RELU == (int) NATIVERT_ACT_LEAKY_RELU);
G_STATIC_ASSERT ((int) NATIVERT_FUSED_SILU == (int) NATIVERT_ACT_SILU);
G_STATIC_ASSERT ((int) NATIVERT_FUSED_HARDSWISH == (int) NATIVERT_ACT_HARDSWISH);
G_STATIC_ASSERT ((int) NATIVERT_FUSED_HARDSIGMOID == (int) NATIVERT_ACT_HARDSIGMOID);
G_STATIC_ASSERT ((int) NATIVERT_FUSED_SIGMOID == (int) NATIVERT_ACT_SIGMOID);
G_STATIC_ASSERT ((int) NATIVERT_FUSED_TANH == (int) NATIVERT_ACT_TANH);
G_STATIC_ASSERT ((int) NATIVERT_FUSED_GELU == (int) NATIVERT_ACT_GELU);
G_STATIC_ASSERT ((int) NATIVERT_FUSED_GELU_TANH == (int) NATIVERT_ACT_GELU_TANH);

static void
test_asserts (void)
{
  g_autoptr (NativertGraph) graph = fixture_graph (
      "input x f32[2]; input n int; input token f32[0]\n"
      "g:sbool = _operator.ge(n, 0)\n"
      "aten._assert_scalar.default(g, \"n >= 0\")\n"
      "e:bool[2] = aten.eq.Tensor(self=x, other=x)\n"
      "t:bool[] = aten._is_all_true.default(self=e)\n"
      "i:sbool = aten.item.default(self=t)\n"
      "aten._assert_scalar.default(i, \"all\")\n"
      "aten._assert_tensor_metadata.default(a=x)\n"
      "d:f32[0] = aten._functional_assert_async.msg(self=t, assert_msg=\"m\", dep_token=token)\n"
      "m:f32[2] = aten.relu_.default(self=x)\n"
      "return x, d");
  g_assert_cmpint (fixture_pass (graph, "asserts"), ==, 8);
  fixture_assert_text (graph, "graph(%x, %n, %token):\n%m = aten.relu_.default(self=%x)\nreturn(%x, %token)\n");
}

static void
test_noops (void)
{
  g_autoptr (NativertGraph) graph = fixture_graph (
      "input x f32[2,3]; input n f32[3,2]{1,3}; param w f32[s0,2]; const c f32[2]\n"
      "a:f32[2,3] = aten.dropout.default(input=x, p=0.5, train=False)\n"
      "b:f32[2,3] = aten.dropout_.default(self=a, p=0.5, train=False)\n"
      "k:f32[2,3] = aten.dropout.default(input=b, p=0.5, train=True)\n"
      "c1:f32[2,3] = aten.alias.default(self=k)\n"
      "d:f32[2,3] = aten.detach_.default(self=c1)\n"
      "t:f32[2,3] = aten.to.dtype(self=d, dtype=dtype:f32)\n"
      "u:f64[2,3] = aten.to.dtype(self=t, dtype=dtype:f64)\n"
      "v:f64[2,3] = aten.type_as.default(self=u, other=u)\n"
      "o:f64[2,3] = aten.contiguous.default(self=v)\n"
      "y:f32[3,2] = aten.contiguous.default(self=n)\n"
      "z:f32[2,3] = aten.to.dtype(self=t, dtype=dtype:f32, copy=True)\n"
      "r:f32[s0,2] = aten.relu.default(self=w)\n"
      "s:f32[s0,2] = aten.contiguous.default(self=r)\n"
      "return o, y, z, s");
  g_assert_cmpint (fixture_pass (graph, "no-ops"), ==, 8);
  fixture_assert_text (graph,
      "graph(%x, %n, %w, %c):\n"
      "%k = aten.dropout.default(input=%x, p=0.5, train=true)\n"
      "%u = aten.to.dtype(self=%k, dtype=ScalarType::DOUBLE, non_blocking=false, copy=false, memory_format=None)\n"
      "%y = aten.contiguous.default(self=%n, memory_format=MemoryFormat::ContiguousFormat)\n"
      "%z = aten.to.dtype(self=%k, dtype=ScalarType::FLOAT, non_blocking=false, copy=true, memory_format=None)\n"
      "%r = aten.relu.default(self=%w)\n"
      "return(%u, %y, %z, %r)\n");
}

static void
test_in_place (void)
{
  /* A chain, a view nobody else reads, and squeeze_, which writes nothing. */
  g_autoptr (NativertGraph) graph = fixture_graph (
      "input x f32[4]; input z f32[1,4]\n"
      "a:f32[4] = aten.exp.default(self=x)\n"
      "b:f32[4] = aten.relu_.default(self=a)\n"
      "c:f32[4] = aten.add_.Tensor(self=b, other=x)\n"
      "d:f32[4] = aten.mul_.Tensor(self=b, other=2.0)\n"
      "v:f32[2,2] = aten.view.default(self=d, size=[2, 2])\n"
      "w:f32[2,2] = aten.silu_.default(self=v)\n"
      "s:f32[4] = aten.squeeze_.dim(self=z, dim=0)\n"
      "return w, s");
  g_assert_cmpint (fixture_pass (graph, "in-place"), ==, 5);
  fixture_assert_text (graph,
      "graph(%x, %z):\n"
      "%a = aten.exp.default(self=%x)\n"
      "%b = aten.relu.default(self=%a)\n"
      "%c = aten.add.Tensor(self=%b, other=%x, alpha=1)\n"
      "%d = aten.mul.Tensor(self=%c, other=2.0)\n"         /* b and c are one tensor: later readers mean c */
      "%v = aten.view.default(self=%d, size=[2, 2])\n"
      "%w = aten.silu.default(self=%v)\n"
      "%s = aten.squeeze.dim(self=%z, dim=0)\n"
      "return(%w, %s)\n");
}

static void
assert_stays (const char *text, const char *target)
{
  g_autoptr (NativertGraph) graph = fixture_graph (text);
  fixture_pass (graph, "in-place");
  g_assert_cmpuint (fixture_count (graph, target), ==, 1);
}

static void
test_in_place_stays (void)
{
  /* inputs and buffers, also through a view */
  assert_stays ("input x f32[4]; b:f32[4] = aten.relu_.default(self=x); return b", "aten.relu_.default");
  assert_stays ("buffer x f32[4]; v:f32[2,2] = aten.view.default(self=x, size=[2,2]); b:f32[2,2] = aten.relu_.default(self=v); return b",
      "aten.relu_.default");
  /* the base is read later; it is returned; another view is read later */
  assert_stays ("input x f32[4]; a:f32[4] = aten.exp.default(self=x); v:f32[2] = aten.slice.Tensor(self=a, dim=0, start=0, end=2)\n"
      "b:f32[2] = aten.relu_.default(self=v); c:f32[4] = aten.exp.default(self=a); return c, b", "aten.relu_.default");
  assert_stays ("input x f32[4]; a:f32[4] = aten.exp.default(self=x); v:f32[2] = aten.slice.Tensor(self=a, dim=0, start=0, end=2)\n"
      "b:f32[2] = aten.relu_.default(self=v); return a", "aten.relu_.default");
  assert_stays ("input x f32[4]; a:f32[4] = aten.exp.default(self=x); u:f32[2,2] = aten.view.default(self=a, size=[2,2])\n"
      "b:f32[4] = aten.relu_.default(self=a); return u", "aten.relu_.default");
  /* the functional form would have another dtype */
  assert_stays ("input x f32[4]; input y f32[4]; a:f16[4] = aten.to.dtype(self=x, dtype=dtype:f16); b:f16[4] = aten.add_.Tensor(self=a, other=y)\n"
      "return b", "aten.add_.Tensor");
  assert_stays ("input x i64[4]; a:i64[4] = aten.neg.default(self=x); b:i64[4] = aten.mul_.Tensor(self=a, other=2.5); return b", "aten.mul_.Tensor");
  assert_stays ("input x f32[4]; a:f32[4] = aten.neg.default(self=x); b:f32[4] = aten.eq_.Tensor(self=a, other=0); return b", "aten.eq_.Tensor");
  /* a view that says nothing of it: dropout hands its input on */
  assert_stays ("input x f32[4]; a:f32[4] = aten.exp.default(self=x); d:f32[4] = aten.dropout.default(input=a, p=0.5, train=False)\n"
      "b:f32[4] = aten.relu_.default(self=d); return a", "aten.relu_.default");
}

static void
test_copies (void)
{
  g_autoptr (NativertGraph) graph = fixture_graph (
      "input x f32[2,3]; const c f32[2]; const e f32[2]\n"
      "a:f32[2] = aten.lift_fresh_copy.default(self=c)\n"
      "b:f32[2] = aten.exp.default(self=a)\n"
      "d:f32[2] = aten.lift_fresh_copy.default(self=e)\n"
      "f:f32[2] = aten.clone.default(self=d)\n"
      "g:f32[2] = aten.select.int(self=d, dim=0, index=0)\n"
      "h:f32[2] = aten.fill_.Scalar(self=g, value=1)\n"
      "p:f32[3,2]{1,3} = aten.permute.default(self=x, dims=[1, 0])\n"
      "q:f32[3,2] = aten.clone.default(self=p, memory_format=format:1)\n"
      "r:f32[3,2] = aten.clone.default(self=q)\n"
      "return b, d, f, r");
  g_assert_cmpint (fixture_pass (graph, "copies"), ==, 2);
  g_assert_null (fixture_node (graph, "a"));
  g_assert_null (fixture_node (graph, "r"));
  g_assert_nonnull (fixture_node (graph, "d"));         /* written later */
  g_assert_nonnull (fixture_node (graph, "f"));         /* its source is */
  g_assert_nonnull (fixture_node (graph, "q"));         /* other strides */
}

static void
test_dead (void)
{
  g_autoptr (NativertGraph) graph = fixture_graph (
      "input x f32[4]; buffer b f32[4]; param m f32[4]\n"
      "a:f32[4] = aten.exp.default(self=x)\n"
      "c:f32[4] = aten.relu.default(self=a)\n"
      "u:f32[4] = aten.add_.Tensor(self=b, other=x)\n"                  /* state: never dead */
      "e:f32[4] = aten.exp.default(self=x)\n"
      "v:f32[2] = aten.slice.Tensor(self=e, dim=0, start=0, end=2)\n"
      "f:f32[2] = aten.fill_.Scalar(self=v, value=0)\n"                 /* e is returned */
      "g:f32[4] = aten.exp.default(self=x)\n"
      "h:f32[4] = aten.fill_.Scalar(self=g, value=0)\n"                 /* nobody sees it */
      "n:f32[4] = aten.batch_norm.default(x, None, None, b, m, True, 0.1, 1e-05, False)\n"      /* updates b and m */
      "return e");
  g_assert_cmpint (fixture_pass (graph, "dead"), ==, 4);
  g_assert_null (fixture_node (graph, "a"));
  g_assert_null (fixture_node (graph, "h"));
  g_assert_nonnull (fixture_node (graph, "u"));
  g_assert_nonnull (fixture_node (graph, "f"));
  g_assert_nonnull (fixture_node (graph, "n"));
}

static void
test_products (void)
{
  g_autoptr (NativertGraph) graph = fixture_graph (
      "input x f32[s0,3,8,8]; param w f32[8,3,3,3]; param b f32[8]; input z f32[4,8]; param l f32[5,8]; param lb f32[5]; param g f32[8,5]\n"
      "input h f16[1,3,8,8]; param hw f16[8,3,3,3]; param e f32[8,3,2,2]; input q f32[3,8,8]\n"
      "c1:f32[s0,8,4,4] = aten.conv2d.default(x, w, b, [2], [1, 1])\n"
      "c2:f32[s0,8,8,8] = aten.conv2d.padding(x, w, None, [1, 1], \"same\")\n"
      "c3:f32[s0,8,6,6] = aten.conv2d.padding(x, w, None, [1, 1], \"valid\")\n"
      "c4:f32[s0,8,8,8] = aten.conv2d.padding(x, e, None, [1, 1], \"same\")\n"
      "c5:f32[s0,8,6,6] = aten.convolution.default(x, w, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)\n"
      "c6:f32[s0,3,10,10] = aten.convolution.default(c1, w, None, [1, 1], [0, 0], [1, 1], True, [0, 0], 1)\n"
      "c7:f16[1,8,6,6] = aten.conv2d.default(h, hw)\n"
      "c8:f32[8,6,6] = aten.conv2d.default(q, w)\n"
      "l1:f32[4,5] = aten.linear.default(z, l, lb)\n"
      "t:f32[8,5]{1,8} = aten.permute.default(l, [1, 0])\n"
      "l2:f32[4,5] = aten.addmm.default(lb, z, t)\n"
      "l3:f32[4,5] = aten.mm.default(z, t)\n"
      "l4:f32[4,5] = aten.addmm.default(lb, z, g)\n"
      "l5:f32[4,5] = aten.addmm.default(lb, z, t, beta=2)\n"
      "return c1, c2, c3, c4, c5, c6, c7, c8, l1, l2, l3, l4, l5");
  g_assert_cmpint (fixture_pass (graph, "products"), ==, 8);
  g_assert_cmpuint (fixture_count (graph, "nativert.conv.default"), ==, 4);
  g_assert_cmpuint (fixture_count (graph, "nativert.linear.default"), ==, 4);
  g_autofree char *text = nativert_graph_to_text (graph);
  g_assert_nonnull (strstr (text, "%c1 = nativert.conv.default(input=%x, weight=%w, bias=%b, stride=[2, 2], padding=[1, 1], dilation=[1, 1], "
      "groups=1, residual=None, act=0, act_a=0.0, act_b=0.0)  # float32[s0, 8, 4, 4]\n"));
  g_assert_nonnull (strstr (text, "%c2 = nativert.conv.default(input=%x, weight=%w, bias=None, stride=[1, 1], padding=[1, 1]"));
  g_assert_nonnull (strstr (text, "%l2 = nativert.linear.default(input=%z, weight=%l, bias=%lb, residual=None, act=0, act_a=0.0, act_b=0.0)"));
  g_assert_nonnull (strstr (text, "%permute = aten.permute.default(self=%g, dims=[1, 0])  # float32[5, 8]\n"
      "%l4 = nativert.linear.default(input=%z, weight=%permute"));
}

static void
test_batch_norm (void)
{
  g_autoptr (NativertGraph) graph = fixture_graph (
      "input x f32[s0,3,8,8]; param w f32[8,3,3,3]; param b f32[8]; param g f32[8]; param be f32[8]; buffer m f32[8]; buffer v f32[8]\n"
      "param wt f32[8,8,2,2]\n"
      "c:f32[s0,8,6,6] = aten.conv2d.default(x, w, b)\n"
      "n:f32[s0,8,6,6] = aten.batch_norm.default(c, g, be, m, v, False, 0.1, 1e-05, True)\n"
      "t:f32[s0,8,7,7] = aten.conv_transpose2d.input(n, wt)\n"
      "o:f32[s0,8,7,7], o1:f32[0], o2:f32[0] = aten._native_batch_norm_legit_no_training.default(t, None, None, m, v, 0.1, 0.001)\n"
      "r:f32[s0,8,7,7] = aten.relu.default(o)\n"
      "p:f32[s0,8,7,7] = aten.batch_norm.default(r, g, be, m, v, False, 0.1, 1e-05, True)\n"
      "q:f32[s0,8,7,7] = aten.batch_norm.default(r, g, be, None, None, True, 0.1, 1e-05, True)\n"
      "return p, q");
  fixture_pass (graph, "products");
  g_assert_cmpint (fixture_pass (graph, "batch-norm"), ==, 3);
  g_assert_cmpuint (fixture_count (graph, "aten.batch_norm.default"), ==, 1);           /* the one that trains */
  g_assert_cmpuint (fixture_count (graph, "aten._native_batch_norm_legit_no_training.default"), ==, 0);
  g_assert_cmpuint (fixture_count (graph, "nativert.scale_shift.default"), ==, 1);
  fixture_pass (graph, "constants");
  fixture_pass (graph, "dead-again");
  g_assert_nonnull (graph->fold);
  g_assert_cmpuint (graph->n_nodes, ==, 7);             /* conv, transposed, relu, scale_shift with its two views, the training one */
  g_assert_cmpuint (graph->fold->n_outputs, ==, 6);
  fixture_assert_text (graph,
      "graph(%x, %w, %b, %g, %be, %m, %v, %wt, %mul_1_1, %add_1_1, %mul_3_1, %mul_5_1, %mul_6_1, %add_4_1):\n"
      "%c = nativert.conv.default(input=%x, weight=%mul_1_1, bias=%add_1_1, stride=[1, 1], padding=[0, 0], dilation=[1, 1], groups=1, "
      "residual=None, act=0, act_a=0.0, act_b=0.0)\n"
      "%t = aten.conv_transpose2d.input(input=%c, weight=%mul_3_1, bias=%mul_5_1, stride=[1, 1], padding=[0, 0], output_padding=[0, 0], "
      "groups=1, dilation=[1, 1])\n"
      "%r = aten.relu.default(self=%t)\n"
      "%view_2 = aten.view.default(self=%mul_6_1, size=[8, 1, 1])\n"
      "%view_3 = aten.view.default(self=%add_4_1, size=[8, 1, 1])\n"
      "%scale_shift = nativert.scale_shift.default(self=%r, scale=%view_2, shift=%view_3)\n"
      "%q = aten.batch_norm.default(input=%r, weight=%g, bias=%be, running_mean=None, running_var=None, training=true, momentum=0.1, "
      "eps=1.0e-05, cudnn_enabled=true)\n"
      "return(%scale_shift, %q)\n"
      "graph fold(%v, %g, %w, %b, %m, %be, %wt):\n"
      "%add = aten.add.Tensor(self=%v, other=1.0e-05, alpha=1)\n"
      "%rsqrt = aten.rsqrt.default(self=%add)\n"
      "%mul = aten.mul.Tensor(self=%rsqrt, other=%g)\n"
      "%view = aten.view.default(self=%mul, size=[8, 1, 1, 1])\n"
      "%mul_1 = aten.mul.Tensor(self=%w, other=%view)\n"
      "%sub = aten.sub.Tensor(self=%b, other=%m, alpha=1)\n"
      "%mul_2 = aten.mul.Tensor(self=%sub, other=%mul)\n"
      "%add_1 = aten.add.Tensor(self=%mul_2, other=%be, alpha=1)\n"
      "%add_2 = aten.add.Tensor(self=%v, other=0.001, alpha=1)\n"
      "%rsqrt_1 = aten.rsqrt.default(self=%add_2)\n"
      "%view_1 = aten.view.default(self=%rsqrt_1, size=[1, 8, 1, 1])\n"
      "%mul_3 = aten.mul.Tensor(self=%wt, other=%view_1)\n"
      "%mul_4 = aten.mul.Tensor(self=%m, other=-1.0)\n"
      "%mul_5 = aten.mul.Tensor(self=%mul_4, other=%rsqrt_1)\n"
      "%add_3 = aten.add.Tensor(self=%v, other=1.0e-05, alpha=1)\n"
      "%rsqrt_2 = aten.rsqrt.default(self=%add_3)\n"
      "%mul_6 = aten.mul.Tensor(self=%rsqrt_2, other=%g)\n"
      "%mul_7 = aten.mul.Tensor(self=%m, other=-1.0)\n"
      "%mul_8 = aten.mul.Tensor(self=%mul_7, other=%mul_6)\n"
      "%add_4 = aten.add.Tensor(self=%mul_8, other=%be, alpha=1)\n"
      "return(%mul_1, %add_1, %mul_3, %mul_5, %mul_6, %add_4)\n");
}

static void
test_batch_norm_stays (void)
{
  /* read twice, and a rank where channels are not the last dimension; weights that are arguments */
  static const char *const programs[] = {
    "input x f32[2,8,4,4]; input w f32[8,8,1,1]; param g f32[8]; buffer m f32[8]; buffer v f32[8]\n"
    "c:f32[2,8,4,4] = aten.conv2d.default(x, w); n:f32[2,8,4,4] = aten.batch_norm.default(c, g, g, m, v, False, 0.1, 1e-05, True); return n",
    "input x f32[2,8,4,4]; param w f32[8,8,1,1]; param g f32[8]; buffer m f32[8]; buffer v f32[8]\n"
    "c:f32[2,8,4,4] = aten.conv2d.default(x, w); n:f32[2,8,4,4] = aten.batch_norm.default(c, g, g, m, v, False, 0.1, 1e-05, True); return n, c",
    "input x f32[2,8,4]; param w f32[4,4]; param g f32[8]; buffer m f32[8]; buffer v f32[8]\n"
    "c:f32[2,8,4] = aten.linear.default(x, w); n:f32[2,8,4] = aten.batch_norm.default(c, g, g, m, v, False, 0.1, 1e-05, True); return n",
  };
  for (size_t i = 0; i < G_N_ELEMENTS (programs); i++) {
    g_autoptr (NativertGraph) graph = fixture_graph (programs[i]);
    fixture_pass (graph, "products");
    fixture_pass (graph, "batch-norm");
    g_assert_cmpuint (fixture_count (graph, "nativert.scale_shift.default"), ==, 1);
  }
  /* a buffer that the graph writes is no constant */
  g_autoptr (NativertGraph) graph = fixture_graph (
      "input x f32[2,8,4,4]; param g f32[8]; buffer m f32[8]; buffer v f32[8]; f:f32[8] = aten.fill_.Scalar(self=m, value=1)\n"
      "n:f32[2,8,4,4] = aten.batch_norm.default(x, g, g, m, v, False, 0.1, 1e-05, True); return n");
  g_assert_cmpint (fixture_pass (graph, "batch-norm"), ==, 0);
}

static void
test_epilogue (void)
{
  static const struct { const char *act; int number; double a, b; } acts[] = {
    { "aten.relu.default(p)", NATIVERT_ACT_RELU, 0, 0 }, { "aten.silu.default(p)", NATIVERT_ACT_SILU, 0, 0 },
    { "aten.hardtanh.default(p, 0, 6)", NATIVERT_ACT_CLAMP, 0, 6 }, { "aten.clamp.default(p, -1.5, 2)", NATIVERT_ACT_CLAMP, -1.5, 2 },
    { "aten.clamp_min.default(p, 0)", NATIVERT_ACT_RELU, 0, 0 }, { "aten.leaky_relu.default(p, 0.2)", NATIVERT_ACT_LEAKY_RELU, 0.2, 0 },
    { "aten.relu6.default(p)", NATIVERT_ACT_CLAMP, 0, 6 }, { "aten.gelu.default(p)", NATIVERT_ACT_GELU, 0, 0 },
    { "aten.gelu.default(p, approximate=\"tanh\")", NATIVERT_ACT_GELU_TANH, 0, 0 }, { "aten.tanh.default(p)", NATIVERT_ACT_TANH, 0, 0 },
    { "aten.hardswish.default(p)", NATIVERT_ACT_HARDSWISH, 0, 0 }, { "aten.hardsigmoid.default(p)", NATIVERT_ACT_HARDSIGMOID, 0, 0 },
    { "aten.sigmoid.default(p)", NATIVERT_ACT_SIGMOID, 0, 0 },
  };
  for (size_t i = 0; i < G_N_ELEMENTS (acts) * 2; i++) {
    bool conv = i % 2;
    g_autofree char *text = g_strdup_printf ("input x f32[4,8,4,4]; param w f32[8,8,1,1]; input z f32[4,8]; param l f32[8,8]\n"
        "p:f32%s = %s\ny:f32%s = %s\nreturn y", conv ? "[4,8,4,4]" : "[4,8]",
        conv ? "aten.conv2d.default(x, w)" : "aten.linear.default(z, l)", conv ? "[4,8,4,4]" : "[4,8]", acts[i / 2].act);
    g_autoptr (NativertGraph) graph = fixture_graph (text);
    fixture_pass (graph, "products");
    g_assert_cmpint (fixture_pass (graph, "epilogue"), ==, 1);
    NativertNode *node = fixture_node (graph, "y");
    g_assert_cmpuint (graph->n_nodes, ==, 1);
    g_assert_cmpint (nativert_node_arg (node, "act")->u.i, ==, acts[i / 2].number);
    g_assert_cmpfloat (nativert_node_arg (node, "act_a")->u.f, ==, acts[i / 2].a);
    g_assert_cmpfloat (nativert_node_arg (node, "act_b")->u.f, ==, acts[i / 2].b);
    g_assert_cmpstr (node->name, ==, "p");
  }
}

static void
test_residual (void)
{
  g_autoptr (NativertGraph) graph = fixture_graph (
      "input x f32[s0,8,4,4]; param w f32[8,8,1,1]; param b f32[8,1,1]\n"
      "a:f32[s0,8,4,4] = aten.conv2d.default(x, w)\n"
      "d:f32[s0,8,4,4] = aten.conv2d.default(x, w)\n"
      "s:f32[s0,8,4,4] = aten.add.Tensor(d, a)\n"           /* the later product takes the earlier one */
      "r:f32[s0,8,4,4] = aten.relu.default(s)\n"
      "t:f32[s0,8,4,4] = aten.relu.default(r)\n"            /* one activation only */
      "e:f32[s0,8,4,4] = aten.conv2d.default(t, w)\n"
      "f:f32[s0,8,4,4] = aten.exp.default(t)\n"             /* made behind the product: the sum's place is late enough */
      "g:f32[s0,8,4,4] = aten.add.Tensor(f, e)\n"
      "h:f32[s0,8,4,4] = aten.conv2d.default(g, w)\n"
      "i:f32[s0,8,4,4] = aten.add.Tensor(h, b)\n"           /* a broadcast is no residual */
      "j:f32[s0,8,4,4] = aten.conv2d.default(i, w)\n"
      "k:f32[s0,8,4,4] = aten.add.Tensor(j, i, alpha=2)\n"
      "l:f32[s0,8,4,4] = aten.conv2d.default(k, w)\n"
      "m:f32[s0,8,4,4] = aten.sigmoid.default(l)\n"
      "n:f32[s0,8,4,4] = aten.mul.Tensor(l, m)\n"           /* silu */
      "return n");
  fixture_pass (graph, "products");
  g_assert_cmpint (fixture_pass (graph, "epilogue"), ==, 4);
  NativertNode *r = fixture_node (graph, "r"), *g = fixture_node (graph, "g"), *n = fixture_node (graph, "n");
  g_assert_true (nativert_is_conv (r) && nativert_is_conv (g) && nativert_is_conv (n));
  g_assert_cmpstr (r->args[NATIVERT_CONV_RESIDUAL].u.value->name, ==, "a");
  g_assert_cmpint (r->args[NATIVERT_CONV_ACT].u.i, ==, NATIVERT_ACT_RELU);
  g_assert_cmpstr (g->args[NATIVERT_CONV_RESIDUAL].u.value->name, ==, "f");
  g_assert_cmpint (n->args[NATIVERT_CONV_ACT].u.i, ==, NATIVERT_ACT_SILU);
  g_assert_nonnull (fixture_node (graph, "t"));
  g_assert_cmpuint (fixture_count (graph, "aten.add.Tensor"), ==, 2);
}

static void
test_epilogue_stays (void)
{
  /* The weight is written between: moving the product behind the write would change it. */
  g_autoptr (NativertGraph) graph = fixture_graph (
      "input x f32[2,8]; buffer w f32[8,8]\n"
      "a:f32[2,8] = aten.linear.default(x, w); f:f32[8,8] = aten.fill_.Scalar(w, 0); r:f32[2,8] = aten.relu.default(a); return r");
  fixture_pass (graph, "products");
  g_assert_cmpint (fixture_pass (graph, "epilogue"), ==, 0);
}

static void
test_constants (void)
{
  g_autoptr (NativertGraph) graph = fixture_graph (
      "param w f32[4,8]; buffer b f32[4]; buffer st f32[4]; param big f32[1,512]; input x f32[s0,4]\n"
      "v:f32[8,4]{1,8} = aten.permute.default(w, [1, 0])\n"                 /* a view of a weight stays */
      "m:f32[s0,4] = aten.matmul.default(x, v)\n"
      "r:i64[4] = aten.arange.default(4)\n"
      "e:f32[4] = aten.exp.default(b)\n"
      "s:f32[4] = aten.add.Tensor(e, r)\n"
      "q:f32[2,2] = aten.view.default(s, [2, 2])\n"
      "u:f32[4] = aten.add_.Tensor(st, b)\n"                                /* state is no constant */
      "g:f32[4] = aten.exp.default(st)\n"
      "n:f32[4] = aten.randn.default([4])\n"                                /* nor is chance */
      "k:f32[1024,512] = aten.expand.default(big, [1024, 512])\n"
      "o:f32[1024,512] = aten.exp.default(k)\n"                             /* worth it: in = out */
      "z:f32[1024,1024] = aten.zeros.default([1024, 1024])\n"               /* 4 MB out of nothing */
      "p:f32[] = aten.select.int(b, 0, 0)\n"
      "i:float = aten.item.default(p)\n"
      "l:int = aten.sym_size.int(x, 0)\n"
      "h:f32[s0] = aten.new_full.default(x, [l], i)\n"
      "return m, s, q, g, n, o, z, h");
  fixture_pass (graph, "constants");
  g_assert_nonnull (graph->fold);
  fixture_assert_text (graph,
      "graph(%w, %b, %st, %big, %x, %s_1, %o_1, %i_1):\n"
      "%v = aten.permute.default(self=%w, dims=[1, 0])\n"
      "%m = aten.matmul.default(self=%x, other=%v)\n"
      "%q = aten.view.default(self=%s_1, size=[2, 2])\n"
      "%u = aten.add_.Tensor(self=%st, other=%b, alpha=1)\n"
      "%g = aten.exp.default(self=%st)\n"
      "%n = aten.randn.default(size=[4], dtype=None, layout=None, device=None, pin_memory=None)\n"
      "%z = aten.zeros.default(size=[1024, 1024], dtype=None, layout=None, device=None, pin_memory=None)\n"
      "%l = aten.sym_size.int(%x, 0)\n"
      "%h = aten.new_full.default(self=%x, size=[%l], fill_value=%i_1, dtype=None, layout=None, device=None, pin_memory=None)\n"
      "return(%m, %s_1, %q, %g, %n, %o_1, %z, %h)\n"
      "graph fold(%b, %big):\n"
      "%r = aten.arange.default(end=4, dtype=None, layout=None, device=None, pin_memory=None)\n"
      "%e = aten.exp.default(self=%b)\n"
      "%s = aten.add.Tensor(self=%e, other=%r, alpha=1)\n"
      "%k = aten.expand.default(self=%big, size=[1024, 512], implicit=false)\n"
      "%o = aten.exp.default(self=%k)\n"
      "%p = aten.select.int(self=%b, dim=0, index=0)\n"
      "%i = aten.item.default(self=%p)\n"
      "return(%s, %o, %i)\n");
  g_assert_cmpint (graph->inputs[5].kind, ==, NATIVERT_IN_FOLDED);
  g_assert_cmpstr (graph->inputs[5].target, ==, "folded:s");
  g_assert_cmpint (graph->inputs[7].value->type, ==, NATIVERT_GV_SYM_FLOAT);
  g_assert_cmpint (graph->fold->inputs[1].kind, ==, NATIVERT_IN_PARAMETER);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/asserts", test_asserts);
  g_test_add_func ("/passes/no-ops", test_noops);
  g_test_add_func ("/passes/in-place", test_in_place);
  g_test_add_func ("/passes/in-place-stays", test_in_place_stays);
  g_test_add_func ("/passes/copies", test_copies);
  g_test_add_func ("/passes/dead", test_dead);
  g_test_add_func ("/passes/products", test_products);
  g_test_add_func ("/passes/batch-norm", test_batch_norm);
  g_test_add_func ("/passes/batch-norm-stays", test_batch_norm_stays);
  g_test_add_func ("/passes/epilogue", test_epilogue);
  g_test_add_func ("/passes/residual", test_residual);
  g_test_add_func ("/passes/epilogue-stays", test_epilogue_stays);
  g_test_add_func ("/passes/constants", test_constants);
  return g_test_run ();
}
