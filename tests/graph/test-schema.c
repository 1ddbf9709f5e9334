/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Schema text: every corner of the language, derived in-place forms, errors with a column. */
#include <string.h>
#include "graph/schema.h"

static const NativertSchema *
add (NativertSchemas *schemas, const char *text, const char *target)
{
  g_autoptr (GError) error = NULL;
  bool ok = nativert_schemas_add (schemas, text, 7, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
  const NativertSchema *schema = nativert_schemas_find (schemas, target);
  g_assert_nonnull (schema);
  return schema;
}

static void
test_conv (void)
{
  NativertSchemas *s = nativert_schemas_new ();
  const NativertSchema *conv = add (s, "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, "
      "SymInt[2] padding=[0,1], SymInt[2] dilation=1, SymInt groups=1) -> Tensor", "torch.ops.aten.conv2d.default");
  g_assert_cmpstr (conv->name, ==, "aten::conv2d");
  g_assert_cmpint (conv->op, ==, 7);
  g_assert_cmpuint (conv->n_args, ==, 7);
  g_assert_true (conv->args[2].optional && conv->args[2].has_default);
  g_assert_cmpint (conv->args[2].def.kind, ==, NATIVERT_GA_NONE);
  g_assert_cmpint (conv->args[3].list_size, ==, 2);
  g_assert_cmpuint (conv->args[3].def.n, ==, 2);        /* stride=1 is [1, 1] */
  g_assert_cmpint (conv->args[3].def.u.ints[1], ==, 1);
  g_assert_cmpint (conv->args[4].def.u.ints[0], ==, 0);
  g_assert_cmpint (conv->args[4].def.u.ints[1], ==, 1);
  g_assert_cmpstr (conv->arg_names[6], ==, "groups");
  g_assert_cmpuint (conv->n_returns, ==, 1);
  g_assert_false (conv->writes || conv->random);
  nativert_schemas_free (s);
}

static void
test_language (void)
{
  NativertSchemas *s = nativert_schemas_new ();
  const NativertSchema *x = add (s, "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", "torch.ops.aten.index.Tensor");
  g_assert_true (x->args[1].list && x->args[1].list_optional && !x->args[1].optional);
  x = add (s, "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]", "torch.ops.aten.split.Tensor");
  g_assert_cmpint (x->args[0].alias, ==, 'a');
  g_assert_true (x->returns[0].list && x->returns[0].alias == 'a' && !x->writes);
  x = add (s, "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", "torch.ops.aten.max.dim");
  g_assert_cmpstr (x->returns[1].name, ==, "indices");
  x = add (s, "aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)", "torch.ops.aten.copy_.default");
  g_assert_true (x->writes && x->args[0].write && !x->args[1].write);
  x = add (s, "aten::to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
      "bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor(a)", "torch.ops.aten.to.dtype_layout");
  g_assert_true (!x->args[0].kwarg_only && x->args[1].kwarg_only && x->args[1].type == NATIVERT_ST_DTYPE);
  x = add (s, "x::all(int a=-3, float b=1e-05, float c=1, Scalar d=0.5, str e=\"none\", str f='a, b', int g=Mean, int[] h=[], "
      "SymInt[]? i=None, bool[3] j=True, ScalarType k=long, MemoryFormat l=contiguous_format, Device m=cpu, float[2]? n=None, "
      "__torch__.torch.classes.rnn.CellParamsBase o, Generator? p=None, Dict(str, Tensor) q, float inf=inf) -> ()", "torch.ops.x.all.default");
  g_assert_cmpint (x->args[0].def.u.i, ==, -3);
  g_assert_cmpfloat (x->args[1].def.u.f, ==, 1e-05);
  g_assert_cmpint (x->args[2].def.kind, ==, NATIVERT_GA_FLOAT);
  g_assert_cmpfloat (x->args[3].def.u.f, ==, 0.5);
  g_assert_cmpstr (x->args[4].def.u.s, ==, "none");
  g_assert_cmpstr (x->args[5].def.u.s, ==, "a, b");
  g_assert_cmpint (x->args[6].def.u.i, ==, 1);
  g_assert_cmpint (x->args[7].def.kind, ==, NATIVERT_GA_INTS);
  g_assert_true (x->args[8].list && x->args[8].optional);
  g_assert_cmpuint (x->args[9].def.n, ==, 3);
  g_assert_cmpint (x->args[10].def.u.i, ==, NATIVERT_DTYPE_INT64);
  g_assert_cmpint (x->args[11].def.u.i, ==, 1);
  g_assert_cmpstr (x->args[12].def.u.device.type, ==, "cpu");
  g_assert_cmpint (x->args[14].type, ==, NATIVERT_ST_OTHER);
  g_assert_cmpint (x->args[16].type, ==, NATIVERT_ST_OTHER);
  g_assert_cmpuint (x->n_returns, ==, 0);
  g_assert_true (x->random);            /* it takes a generator */
  nativert_schemas_free (s);
}

static void
test_in_place (void)
{
  NativertSchemas *s = nativert_schemas_new ();
  add (s, "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", "torch.ops.aten.add.Tensor");
  add (s, "aten::dropout(Tensor input, float p, bool train) -> Tensor", "torch.ops.aten.dropout.default");
  add (s, "aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)", "torch.ops.aten.squeeze.dim");
  add (s, "aten::__and__.Tensor(Tensor self, Tensor other) -> Tensor", "torch.ops.aten.__and__.Tensor");
  add (s, "aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", "torch.ops.aten.sort.default");
  const NativertSchema *x = nativert_schemas_find (s, "torch.ops.aten.add_.Tensor");
  g_assert_nonnull (x);
  g_assert_true (x->writes && x->args[0].write && x->returns[0].alias == x->args[0].alias && x->op == 7);
  g_assert_true (nativert_schemas_functional (s, x) == nativert_schemas_find (s, "torch.ops.aten.add.Tensor"));
  x = nativert_schemas_find (s, "torch.ops.aten.dropout_.default");
  g_assert_cmpstr (x->arg_names[0], ==, "self");
  x = nativert_schemas_find (s, "torch.ops.aten.squeeze_.dim");
  g_assert_false (x->writes);
  x = nativert_schemas_find (s, "torch.ops.aten.__iand__.Tensor");
  g_assert_nonnull (x);
  g_assert_true (nativert_schemas_functional (s, x) == nativert_schemas_find (s, "torch.ops.aten.__and__.Tensor"));
  g_assert_null (nativert_schemas_find (s, "torch.ops.aten.sort_.default"));
  g_assert_null (nativert_schemas_find (s, "torch.ops.aten.add_.default"));
  g_assert_null (nativert_schemas_find (s, "aten.add.Tensor"));
  uint32_t n;
  nativert_schemas_overloads (s, "aten::add", &n);
  g_assert_cmpuint (n, ==, 1);
  nativert_schemas_overloads (s, "aten::nothing", &n);
  g_assert_cmpuint (n, ==, 0);
  nativert_schemas_free (s);
}

static void
test_errors (void)
{
  static const struct { const char *text, *says; } bad[] = {
    { "add(Tensor self) -> Tensor", "namespace" }, { "aten::add", "'('" }, { "aten::add(Tensor", "name" },
    { "aten::add(Tensor self", "','" }, { "aten::add(Tensor self)", "'->'" }, { "aten::add(Tensor self) -> ", "type" },
    { "aten::add(Tensor self) -> (Tensor", "','" }, { "aten::add(Tensor self=Nothing) -> Tensor", "unknown word" },
    { "aten::add(int[2 self) -> Tensor", "']'" }, { "aten::add(int[] self=[1,2) -> Tensor", "','" },
    { "aten::add(str self='abc) -> Tensor", "string" }, { "aten::add(Tensor(a self) -> Tensor", "name" },
    { "aten::add(Tensor(a", "alias" }, { "aten::add() -> Tensor x y", "after the end" }, { "", "namespace" },
  };
  NativertSchemas *s = nativert_schemas_new ();
  for (size_t i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_false (nativert_schemas_add (s, bad[i].text, 0, &error));
    g_assert_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT);
    g_assert_nonnull (strstr (error->message, "column"));
    if (!strstr (error->message, bad[i].says)) {
      g_test_message ("%s", error->message);
      g_test_fail ();
    }
    if (!strstr (error->message, bad[i].says))
      g_test_message ("%s", error->message);
  }
  g_autoptr (GError) error = NULL;
  add (s, "aten::relu(Tensor self) -> Tensor", "torch.ops.aten.relu.default");
  g_assert_false (nativert_schemas_add (s, "aten::relu(Tensor self) -> Tensor", 0, &error));
  g_assert_nonnull (strstr (error->message, "twice"));
  nativert_schemas_free (s);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/schema/conv", test_conv);
  g_test_add_func ("/schema/language", test_language);
  g_test_add_func ("/schema/in-place", test_in_place);
  g_test_add_func ("/schema/errors", test_errors);
  return g_test_run ();
}
