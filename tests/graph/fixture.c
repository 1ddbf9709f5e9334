/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fixture.h"
#include <string.h>

typedef struct {
  NativertProgram *program;
  NativertRegion *region;
  const char *p;
  GHashTable *types;                    /* name -> tag + 1 */
  GArray *inputs, *input_specs, *outputs, *output_specs, *nodes, *tensors, *ints, *floats, *bools, *objs;
} Fixture;

static char *
span (Fixture *f, const char *start, size_t n)
{
  g_autofree char *text = g_strndup (start, n);
  return nativert_region_strdup (f->region, text);
}

static void
blank (Fixture *f)
{
  while (*f->p == ' ' || *f->p == '\t')
    f->p++;
}

static bool
take (Fixture *f, const char *token)
{
  blank (f);
  if (!g_str_has_prefix (f->p, token))
    return false;
  f->p += strlen (token);
  return true;
}

static char *
word (Fixture *f, const char *extra)
{
  blank (f);
  const char *start = f->p;
  while (g_ascii_isalnum (*f->p) || *f->p == '_' || (*f->p && strchr (extra, *f->p)))
    f->p++;
  g_assert_true (f->p > start);
  return span (f, start, f->p - start);
}

static int
dtype_of (const char *name)
{
  static const struct { const char *name; int dtype; } dtypes[] = {
    { "f32", NATIVERT_DTYPE_FLOAT32 }, { "f64", NATIVERT_DTYPE_FLOAT64 }, { "f16", NATIVERT_DTYPE_FLOAT16 },
    { "bf16", NATIVERT_DTYPE_BFLOAT16 }, { "i64", NATIVERT_DTYPE_INT64 }, { "i32", NATIVERT_DTYPE_INT32 },
    { "u8", NATIVERT_DTYPE_UINT8 }, { "bool", NATIVERT_DTYPE_BOOL },
  };
  for (size_t i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (g_str_equal (dtypes[i].name, name))
      return dtypes[i].dtype;
  return -1;
}

static NativertSymInt
size_at (Fixture *f)
{
  const char *start = f->p;
  int depth = 0;
  while (depth > 0 || !strchr (",]}", *f->p)) {
    depth += (*f->p == '(') - (*f->p == ')');
    f->p++;
  }
  char *text = span (f, start, f->p - start), *end;
  NativertSymInt size = { .value = g_ascii_strtoll (text, &end, 10) };
  if (*end) {
    g_autoptr (GError) error = NULL;
    size.value = 0;
    size.expr = nativert_expr_parse (f->program->exprs, text, &error);
    g_assert_no_error (error);
  }
  return size;
}

static uint32_t
sizes_at (Fixture *f, const char *close, NativertSymInt **sizes)
{
  GArray *list = g_array_new (FALSE, TRUE, sizeof (NativertSymInt));
  while (!take (f, close)) {
    take (f, ",");
    blank (f);
    if (*f->p == *close)
      continue;
    NativertSymInt size = size_at (f);
    g_array_append_val (list, size);
  }
  uint32_t n = list->len;
  *sizes = nativert_region_memdup (f->region, list->data, n * sizeof (NativertSymInt));
  g_array_unref (list);
  return n;
}

/* Contiguous strides as torch writes them: numbers while sizes are, then products. */
static NativertSymInt *
contiguous (Fixture *f, const NativertSymInt *sizes, uint32_t n)
{
  NativertSymInt *strides = nativert_region_new_n (f->region, NativertSymInt, n);
  GString *text = g_string_new ("1");
  int64_t number = 1;
  bool symbolic = false;
  for (uint32_t i = n; i-- > 0;) {
    strides[i].value = number;
    if (symbolic)
      strides[i].expr = nativert_expr_parse (f->program->exprs, text->str, NULL);
    g_autofree char *infix = sizes[i].expr ? nativert_expr_to_infix (sizes[i].expr) : g_strdup_printf ("%d", (int) sizes[i].value);
    g_string_append_printf (text, "*(%s)", infix);
    symbolic |= sizes[i].expr != NULL;
    number *= sizes[i].value;
  }
  g_string_free (text, TRUE);
  return strides;
}

static void
type_at (Fixture *f, const char *name)
{
  char *type = word (f, "");
  int dtype = dtype_of (type);
  int tag = NATIVERT_TAG_TENSOR;
  NativertSymValueDesc sym = { .name = name };
  if (*f->p == '[') {
    NativertTensorValueDesc t = { .name = name, .meta = { .dtype = (int16_t) dtype, .layout = 7, .device = { "cpu", -1 } } };
    NativertSymInt *sizes, *strides;
    g_assert_cmpint (dtype, >=, 0);
    take (f, "[");
    t.meta.n_dims = sizes_at (f, "]", &sizes);
    strides = contiguous (f, sizes, t.meta.n_dims);
    if (*f->p == '{' && take (f, "{"))
      sizes_at (f, "}", &strides);
    t.meta.sizes = sizes;
    t.meta.strides = strides;
    g_array_append_val (f->tensors, t);
  } else if (g_str_equal (type, "int")) {
    tag = NATIVERT_TAG_SYM_INT;
    g_array_append_val (f->ints, sym);
  } else if (g_str_equal (type, "float")) {
    tag = NATIVERT_TAG_SYM_FLOAT;
    g_array_append_val (f->floats, sym);
  } else if (g_str_equal (type, "sbool")) {
    tag = NATIVERT_TAG_SYM_BOOL;
    g_array_append_val (f->bools, sym);
  } else {
    NativertObjValueDesc obj = { name, "test.Class" };
    tag = NATIVERT_TAG_CUSTOM_OBJ;
    g_array_append_val (f->objs, obj);
  }
  g_hash_table_insert (f->types, (gpointer) name, GINT_TO_POINTER (tag + 1));
}

/* ---- arguments ---- */

static NativertArgDesc arg_at (Fixture *f);

static NativertArgDesc
list_at (Fixture *f)
{
  GArray *items = g_array_new (FALSE, TRUE, sizeof (NativertArgDesc));
  bool tensors = false, none = false, symbols = false, floats = false, bools = false, strings = false;
  while (!take (f, "]")) {
    take (f, ",");
    NativertArgDesc item = arg_at (f);
    tensors |= item.tag == NATIVERT_TAG_TENSOR;
    none |= item.tag == NATIVERT_TAG_NONE;
    symbols |= item.tag == NATIVERT_TAG_SYM_INT;
    floats |= item.tag == NATIVERT_TAG_FLOAT;
    bools |= item.tag == NATIVERT_TAG_BOOL;
    strings |= item.tag == NATIVERT_TAG_STRING;
    g_array_append_val (items, item);
  }
  uint32_t n = items->len;
  NativertArgDesc *item = nativert_region_memdup (f->region, items->data, n * sizeof *item), list = { .n = n };
  const char **names = nativert_region_new_n (f->region, const char *, n);
  int64_t *ints = nativert_region_new_n (f->region, int64_t, n);
  double *reals = nativert_region_new_n (f->region, double, n);
  uint8_t *flags = nativert_region_new_n (f->region, uint8_t, n);
  for (uint32_t i = 0; i < n; i++) {
    names[i] = strings ? item[i].u.s : item[i].name;
    ints[i] = item[i].tag == NATIVERT_TAG_FLOAT ? 0 : item[i].u.i;
    reals[i] = item[i].tag == NATIVERT_TAG_FLOAT ? item[i].u.f : (double) item[i].u.i;
    flags[i] = item[i].u.i != 0;
    if (symbols && item[i].tag == NATIVERT_TAG_INT)
      item[i].tag = NATIVERT_TAG_SYM_INT;
  }
  g_array_unref (items);
  list.tag = tensors || none ? none ? NATIVERT_TAG_OPTIONAL_TENSORS : NATIVERT_TAG_TENSORS : symbols ? NATIVERT_TAG_SYM_INTS
      : floats ? NATIVERT_TAG_FLOATS : bools ? NATIVERT_TAG_BOOLS : strings ? NATIVERT_TAG_STRINGS : NATIVERT_TAG_INTS;
  if (tensors || none)
    list.u.names = names;
  else if (symbols)
    list.u.items = item;
  else if (floats)
    list.u.floats = reals;
  else if (bools)
    list.u.bools = flags;
  else if (strings)
    list.u.strings = names;
  else
    list.u.ints = ints;
  return list;
}

static NativertArgDesc
number_at (Fixture *f)
{
  const char *start = f->p;
  char *end_i, *end_f;
  int64_t i = g_ascii_strtoll (start, &end_i, 10);
  double d = g_ascii_strtod (start, &end_f);
  f->p = end_f;
  return end_f > end_i ? (NativertArgDesc) { .tag = NATIVERT_TAG_FLOAT, .u.f = d } : (NativertArgDesc) { .tag = NATIVERT_TAG_INT, .u.i = i };
}

static NativertArgDesc
arg_at (Fixture *f)
{
  blank (f);
  if (take (f, "["))
    return list_at (f);
  if (g_ascii_isdigit (*f->p) || *f->p == '-')
    return number_at (f);
  if (take (f, "\"")) {
    const char *start = f->p;
    f->p = strchr (f->p, '"') + 1;
    return (NativertArgDesc) { .tag = NATIVERT_TAG_STRING, .u.s = span (f, start, f->p - 1 - start) };
  }
  char *name = word (f, "");
  if (g_str_equal (name, "dtype") && take (f, ":"))
    return (NativertArgDesc) { .tag = NATIVERT_TAG_SCALAR_TYPE, .u.i = dtype_of (word (f, "")) };
  if (g_str_equal (name, "format") && take (f, ":"))
    return (NativertArgDesc) { .tag = NATIVERT_TAG_MEMORY_FORMAT, .u.i = g_ascii_strtoll (word (f, ""), NULL, 10) };
  if (g_str_equal (name, "None"))
    return (NativertArgDesc) { .tag = NATIVERT_TAG_NONE };
  if (g_str_equal (name, "True") || g_str_equal (name, "False"))
    return (NativertArgDesc) { .tag = NATIVERT_TAG_BOOL, .u.i = *name == 'T' };
  int tag = GPOINTER_TO_INT (g_hash_table_lookup (f->types, name)) - 1;
  return (NativertArgDesc) { .tag = tag < 0 ? NATIVERT_TAG_TENSOR : (uint8_t) tag, .name = name };
}

/* ---- statements ---- */

static NativertArgDesc
result_at (Fixture *f)
{
  if (take (f, "[")) {
    GPtrArray *names = g_ptr_array_new ();
    while (!take (f, "]")) {
      take (f, ",");
      char *name = word (f, "");
      g_assert_true (take (f, ":"));
      type_at (f, name);
      g_ptr_array_add (names, name);
    }
    NativertArgDesc list = { .tag = NATIVERT_TAG_TENSORS, .n = names->len };
    list.u.names = nativert_region_memdup (f->region, names->pdata, names->len * sizeof (char *));
    g_ptr_array_unref (names);
    return list;
  }
  char *name = word (f, "");
  if (g_str_equal (name, "None"))
    return (NativertArgDesc) { .tag = NATIVERT_TAG_NONE };
  g_assert_true (take (f, ":"));
  type_at (f, name);
  return (NativertArgDesc) { .tag = (uint8_t) (GPOINTER_TO_INT (g_hash_table_lookup (f->types, name)) - 1), .name = name };
}

static void
call_at (Fixture *f, GArray *results)
{
  GArray *args = g_array_new (FALSE, TRUE, sizeof (NativertNamedArgDesc));
  char *target = word (f, ".");
  bool plain = g_str_has_prefix (target, "_operator") || g_str_has_prefix (target, "torch.") || g_str_has_prefix (target, "math.");
  g_autofree char *full = g_strconcat (plain ? "" : "torch.ops.", target, NULL);
  g_assert_true (take (f, "("));
  while (!take (f, ")")) {
    take (f, ",");
    blank (f);
    NativertNamedArgDesc arg = { .name = "", .kind = 1 };
    const char *start = f->p, *after = start + strspn (start, "abcdefghijklmnopqrstuvwxyz_0123456789");
    if (after > start && *after == '=') {
      arg.name = span (f, start, after - start);
      f->p = after + 1;
    }
    arg.arg = arg_at (f);
    g_array_append_val (args, arg);
  }
  NativertNodeDesc node = { .target = nativert_region_strdup (f->region, full), .name = "", .is_hop_single_tensor_return = -1 };
  node.inputs = nativert_region_memdup (f->region, args->data, args->len * sizeof (NativertNamedArgDesc));
  node.n_inputs = args->len;
  node.outputs = nativert_region_memdup (f->region, results->data, results->len * sizeof (NativertArgDesc));
  node.n_outputs = results->len;
  const NativertArgDesc *first = results->len ? node.outputs : NULL;
  node.name = first && first->name ? first->name : first && first->tag == NATIVERT_TAG_TENSORS ? first->u.names[0] : target;
  node.stack_trace = "  File \"net.py\", line 3, in forward\n    y = outer(x)\n  File \"net.py\", line 12, in inner\n    x = foo(y)\n";
  g_array_append_val (f->nodes, node);
  g_array_unref (args);
}

static void
statement (Fixture *f)
{
  static const struct { const char *word; uint8_t kind; } kinds[] = { { "param ", NATIVERT_IN_PARAMETER },
    { "buffer ", NATIVERT_IN_BUFFER }, { "const ", NATIVERT_IN_TENSOR_CONSTANT }, { "input ", NATIVERT_IN_USER } };
  for (size_t i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (take (f, kinds[i].word)) {
      char *name = word (f, "");
      type_at (f, name);
      NativertArgDesc arg = { .tag = (uint8_t) (GPOINTER_TO_INT (g_hash_table_lookup (f->types, name)) - 1), .name = name };
      NativertInputSpec spec = { .kind = kinds[i].kind, .arg = arg, .target = name, .persistent = true };
      g_array_append_val (f->inputs, arg);
      g_array_append_val (f->input_specs, spec);
      return;
    }
  NativertOutputSpec spec = { .kind = NATIVERT_OUT_USER, .target = "" };
  if (take (f, "mutate buffer ")) {
    spec.kind = NATIVERT_OUT_BUFFER_MUTATION;
    spec.target = word (f, "");
    spec.arg = arg_at (f);
    g_array_append_val (f->outputs, spec.arg);
    g_array_append_val (f->output_specs, spec);
  } else if (take (f, "return ")) {
    do {
      spec.arg = arg_at (f);
      g_array_append_val (f->outputs, spec.arg);
      g_array_append_val (f->output_specs, spec);
    } while (take (f, ","));
  } else {
    GArray *results = g_array_new (FALSE, TRUE, sizeof (NativertArgDesc));
    const char *line_end = f->p + strcspn (f->p, "\n;"), *equals = strstr (f->p, " = ");
    while (equals && equals < line_end && !take (f, "= ")) {
      take (f, ",");
      NativertArgDesc result = result_at (f);
      g_array_append_val (results, result);
    }
    call_at (f, results);
    g_array_unref (results);
  }
}

NativertProgram *
fixture_program (const char *text)
{
  Fixture f = { .region = nativert_region_new (), .p = text, .types = g_hash_table_new (g_str_hash, g_str_equal) };
  f.program = g_new0 (NativertProgram, 1);
  f.program->region = f.region;
  f.program->exprs = nativert_expr_table_new ();
  f.program->torch_version = "";
  GArray **arrays[] = { &f.inputs, &f.input_specs, &f.outputs, &f.output_specs, &f.nodes, &f.tensors, &f.ints, &f.floats, &f.bools, &f.objs };
  static const guint sizes[] = { sizeof (NativertArgDesc), sizeof (NativertInputSpec), sizeof (NativertArgDesc), sizeof (NativertOutputSpec),
    sizeof (NativertNodeDesc), sizeof (NativertTensorValueDesc), sizeof (NativertSymValueDesc), sizeof (NativertSymValueDesc),
    sizeof (NativertSymValueDesc), sizeof (NativertObjValueDesc) };
  for (size_t i = 0; i < G_N_ELEMENTS (arrays); i++)
    *arrays[i] = g_array_new (FALSE, TRUE, sizes[i]);
  for (;;) {
    f.p += strspn (f.p, " \t\n;");
    if (!*f.p)
      break;
    statement (&f);
    blank (&f);
    g_assert_true (!*f.p || *f.p == '\n' || *f.p == ';');
  }
  NativertGraphDesc *graph = nativert_region_new_n (f.region, NativertGraphDesc, 1);
  f.program->graph = graph;
#define KEEP(target, n_target, array) target = nativert_region_memdup (f.region, (array)->data, (array)->len * g_array_get_element_size (array)); \
  n_target = (array)->len
  KEEP (graph->inputs, graph->n_inputs, f.inputs);
  KEEP (graph->outputs, graph->n_outputs, f.outputs);
  KEEP (graph->nodes, graph->n_nodes, f.nodes);
  KEEP (graph->tensor_values, graph->n_tensor_values, f.tensors);
  KEEP (graph->sym_int_values, graph->n_sym_int_values, f.ints);
  KEEP (graph->sym_float_values, graph->n_sym_float_values, f.floats);
  KEEP (graph->sym_bool_values, graph->n_sym_bool_values, f.bools);
  KEEP (graph->obj_values, graph->n_obj_values, f.objs);
  KEEP (f.program->input_specs, f.program->n_input_specs, f.input_specs);
  KEEP (f.program->output_specs, f.program->n_output_specs, f.output_specs);
#undef KEEP
  for (size_t i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_array_unref (*arrays[i]);
  g_hash_table_unref (f.types);
  return f.program;
}

/* ---- schemas and checks ---- */

const NativertSchemas *
fixture_schemas (void)
{
  static NativertSchemas *schemas;
  static const char *const texts[] = {
    "aten::relu(Tensor self) -> Tensor", "aten::relu6(Tensor self) -> Tensor", "aten::silu(Tensor self) -> Tensor",
    "aten::sigmoid(Tensor self) -> Tensor", "aten::tanh(Tensor self) -> Tensor", "aten::rsqrt(Tensor self) -> Tensor",
    "aten::hardswish(Tensor self) -> Tensor", "aten::hardsigmoid(Tensor self) -> Tensor", "aten::neg(Tensor self) -> Tensor",
    "aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
    "aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
    "aten::clamp_min(Tensor self, Scalar min) -> Tensor",
    "aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
    "aten::gelu(Tensor self, *, str approximate='none') -> Tensor",
    "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    "aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor", "aten::div.Tensor(Tensor self, Tensor other) -> Tensor",
    "aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor",
    "aten::eq.Tensor(Tensor self, Tensor other) -> Tensor", "aten::exp(Tensor self) -> Tensor",
    "aten::fill.Scalar(Tensor self, Scalar value) -> Tensor", "aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor",
    "aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor",
    "aten::cat(Tensor[] tensors, int dim=0) -> Tensor", "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
    "aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor",
    "aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] padding=0, SymInt[1] dilation=1, SymInt groups=1) -> Tensor",
    "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] dilation=1, SymInt groups=1) -> Tensor",
    "aten::conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, str padding=\"valid\", SymInt[2] dilation=1, SymInt groups=1) -> Tensor",
    "aten::convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor",
    "aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] output_padding=0, SymInt groups=1, SymInt[2] dilation=1) -> Tensor",
    "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
    "aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    "aten::mm(Tensor self, Tensor mat2) -> Tensor", "aten::matmul(Tensor self, Tensor other) -> Tensor",
    "aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor",
    "aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    "aten::dropout(Tensor input, float p, bool train) -> Tensor", "aten::feature_dropout(Tensor input, float p, bool train) -> Tensor",
    "aten::alias(Tensor(a) self) -> Tensor(a)", "aten::detach(Tensor(a) self) -> Tensor(a)",
    "aten::lift_fresh_copy(Tensor self) -> Tensor", "aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
    "aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)",
    "aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
    "aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor",
    "aten::type_as(Tensor self, Tensor other) -> Tensor",
    "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)", "aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)",
    "aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)", "aten::t(Tensor(a) self) -> Tensor(a)",
    "aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
    "aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)",
    "aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)",
    "aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)", "aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)",
    "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
    "aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "aten::randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "aten::new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "aten::item(Tensor self) -> Scalar", "aten::_is_all_true(Tensor self) -> Tensor",
    "nativert::conv(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, int groups, Tensor? residual, int act, float act_a, float act_b) -> Tensor",
    "nativert::linear(Tensor input, Tensor weight, Tensor? bias, Tensor? residual, int act, float act_a, float act_b) -> Tensor",
    "nativert::scale_shift(Tensor self, Tensor scale, Tensor shift) -> Tensor",
  };
  if (!schemas) {
    g_autoptr (GError) error = NULL;
    schemas = nativert_schemas_new ();
    for (size_t k = 0; k < G_N_ELEMENTS (texts); k++) {
      nativert_schemas_add (schemas, texts[k], (int32_t) k, &error);
      g_assert_no_error (error);
    }
  }
  return schemas;
}

NativertGraph *
fixture_graph (const char *text)
{
  g_autoptr (GError) error = NULL;
  NativertGraph *graph = nativert_graph_new (fixture_program (text), &error);
  g_assert_no_error (error);
  return graph;
}

int
fixture_pass (NativertGraph *graph, const char *name)
{
  g_autoptr (GError) error = NULL;
  if (!g_str_equal (name, "inline") && !g_str_equal (name, "asserts"))
    nativert_graph_bind (graph, fixture_schemas (), &error);
  g_assert_no_error (error);
  for (const NativertPass *pass = nativert_passes; pass->name; pass++)
    if (g_str_equal (pass->name, name)) {
      int n = pass->run (graph, fixture_schemas (), &error);
      g_assert_no_error (error);
      nativert_graph_lint (graph, &error);
      g_assert_no_error (error);
      return n;
    }
  g_assert_not_reached ();
}

NativertNode *
fixture_node (const NativertGraph *graph, const char *output)
{
  for (NativertNode *node = graph->first; node; node = node->next)
    if (node->n_outputs > 0 && g_str_equal (node->outputs[0]->name, output))
      return node;
  return NULL;
}

unsigned
fixture_count (const NativertGraph *graph, const char *target)
{
  unsigned n = 0;
  g_autofree char *full = g_strconcat ("torch.ops.", target, NULL);
  for (const NativertNode *node = graph->first; node; node = node->next)
    n += g_str_equal (node->target, full);
  return n;
}

void
fixture_assert_text (const NativertGraph *graph, const char *expected)
{
  g_autofree char *text = nativert_graph_to_text (graph);
  g_autoptr (GRegex) comment = g_regex_new ("  # .*", 0, 0, NULL);
  g_autofree char *plain = g_regex_replace_literal (comment, text, -1, 0, "", 0, NULL);
  g_assert_cmpstr (plain, ==, expected);
}
