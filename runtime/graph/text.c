/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text form of a graph, for people, logs and tests:
 *
 *     graph(%x, %y):
 *     %a, [%b, %c] = aten.foo.default(self=%x, other=%y, alpha=0.1, dims=[1, %n])  # float32[2, s0], ...
 *     return(%b)
 *
 * "torch.ops." is left out of targets.  A number with a '.' is a float. */
#include <math.h>
#include <string.h>
#include "graph/dtypes.h"
#include "graph/private.h"

static void append_graph (GString *s, const NativertGraph *graph, unsigned indent);

static void
append_string (GString *s, const char *text)
{
  g_autofree char *escaped = g_strescape (text, NULL);
  g_string_append_printf (s, "\"%s\"", escaped);
}

/* The shortest text that reads back as the same number. */
static void
append_float (GString *s, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE], format[8];
  if (!isfinite (value)) {
    g_string_append (s, isnan (value) ? "nan" : value > 0 ? "inf" : "-inf");
    return;
  }
  for (int digits = 1; digits <= 17; digits++) {
    g_snprintf (format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd (text, sizeof text, format, value);
    if (g_ascii_strtod (text, NULL) == value)
      break;
  }
  char *e = strchr (text, 'e');
  if (strchr (text, '.'))
    g_string_append (s, text);
  else if (e)
    g_string_append_printf (s, "%.*s.0%s", (int) (e - text), text, e);
  else
    g_string_append_printf (s, "%s.0", text);
}

static void
append_value (GString *s, const NativertGraphValue *value)
{
  if (value)
    g_string_append_printf (s, "%%%s", value->name);
  else
    g_string_append (s, "None");
}

static void append_arg (GString *s, const NativertGraphArg *arg, unsigned indent);

static void
append_element (GString *s, const NativertGraphArg *arg, uint32_t i, unsigned indent)
{
  if (arg->sym && arg->sym[i]) {
    append_value (s, arg->sym[i]);
    return;
  }
  switch (arg->kind) {
  case NATIVERT_GA_VALUES:
    append_value (s, arg->u.values[i]);
    break;
  case NATIVERT_GA_INTS:
    g_string_append_printf (s, "%" G_GINT64_FORMAT, arg->u.ints[i]);
    break;
  case NATIVERT_GA_FLOATS:
    append_float (s, arg->u.floats[i]);
    break;
  case NATIVERT_GA_BOOLS:
    g_string_append (s, arg->u.bools[i] ? "true" : "false");
    break;
  case NATIVERT_GA_STRINGS:
    append_string (s, arg->u.strings[i]);
    break;
  default:
    append_arg (s, &arg->u.items[i], indent);
  }
}

static void
append_list (GString *s, const NativertGraphArg *arg, unsigned indent)
{
  g_string_append_c (s, '[');
  for (uint32_t i = 0; i < arg->n; i++) {
    g_string_append (s, i ? ", " : "");
    append_element (s, arg, i, indent);
  }
  g_string_append_c (s, ']');
}

static void
append_enum (GString *s, const char *type, const char *const *names, size_t n, int64_t value)
{
  if (value >= 0 && (uint64_t) value < n)
    g_string_append_printf (s, "%s::%s", type, names[value]);
  else
    g_string_append_printf (s, "%s::%" G_GINT64_FORMAT, type, value);
}

static void
append_arg (GString *s, const NativertGraphArg *arg, unsigned indent)
{
  static const char *const layouts[]
      = { "Unknown", "SparseCoo", "SparseCsr", "SparseCsc", "SparseBsr", "SparseBsc", "_mkldnn", "Strided" };
  static const char *const formats[]
      = { "Unknown", "ContiguousFormat", "ChannelsLast", "ChannelsLast3d", "PreserveFormat" };
  switch (arg->kind) {
  case NATIVERT_GA_NONE:
    g_string_append (s, "None");
    break;
  case NATIVERT_GA_VALUE:
    append_value (s, arg->u.value);
    break;
  case NATIVERT_GA_INT:
    g_string_append_printf (s, "%" G_GINT64_FORMAT, arg->u.i);
    break;
  case NATIVERT_GA_FLOAT:
    append_float (s, arg->u.f);
    break;
  case NATIVERT_GA_BOOL:
    g_string_append (s, arg->u.i ? "true" : "false");
    break;
  case NATIVERT_GA_STRING:
    append_string (s, arg->u.s);
    break;
  case NATIVERT_GA_COMPLEX:
    g_string_append (s, "complex(");
    append_float (s, arg->u.c[0]);
    g_string_append (s, ", ");
    append_float (s, arg->u.c[1]);
    g_string_append_c (s, ')');
    break;
  case NATIVERT_GA_DTYPE: {
    const char *name = nativert_scalar_type_name (arg->u.i);
    g_string_append_printf (s, "ScalarType::%s", name ? name : "UNKNOWN");
    break;
  }
  case NATIVERT_GA_LAYOUT:
    append_enum (s, "Layout", layouts, G_N_ELEMENTS (layouts), arg->u.i);
    break;
  case NATIVERT_GA_MEMORY_FORMAT:
    append_enum (s, "MemoryFormat", formats, G_N_ELEMENTS (formats), arg->u.i);
    break;
  case NATIVERT_GA_DEVICE:
    g_string_append_printf (s, "Device{%s", arg->u.device.type);
    if (arg->u.device.index >= 0)
      g_string_append_printf (s, ":%d", arg->u.device.index);
    g_string_append_c (s, '}');
    break;
  case NATIVERT_GA_OPERATOR:
    g_string_append_printf (s, "Operator{%s}", arg->u.s);
    break;
  case NATIVERT_GA_GRAPH:
    append_graph (s, arg->u.graph, indent + 2);
    break;
  default:
    append_list (s, arg, indent);
  }
}

static void
append_size (GString *s, const NativertSymInt *size)
{
  if (!size->expr) {
    g_string_append_printf (s, "%" G_GINT64_FORMAT, size->value);
    return;
  }
  g_autofree char *infix = nativert_expr_to_infix (size->expr);
  g_string_append (s, infix);
}

static void
append_meta (GString *s, const NativertGraphValue *value)
{
  if (!value->meta)
    return;
  g_string_append (s, value->meta->dtype >= 0 ? nativert_dtype_get_name (value->meta->dtype) : "unknown");
  g_string_append_c (s, '[');
  for (uint32_t i = 0; i < value->meta->n_dims; i++) {
    g_string_append (s, i ? ", " : "");
    append_size (s, &value->meta->sizes[i]);
  }
  g_string_append_c (s, ']');
}

static void
append_results (GString *s, const NativertNode *node)
{
  for (uint32_t i = 0; i < node->n_returns; i++) {
    const NativertReturn *run = &node->returns[i];
    NativertGraphArg list = { .kind = NATIVERT_GA_VALUES, .n = run->n, .u.values = node->outputs + run->first };
    g_string_append (s, i ? ", " : "");
    if (run->is_list)
      append_list (s, &list, 0);
    else
      append_value (s, run->is_none ? NULL : node->outputs[run->first]);
  }
  if (node->n_returns > 0)
    g_string_append (s, " = ");
}

static void
append_node (GString *s, const NativertNode *node, unsigned indent)
{
  const char *target = node->target;
  g_string_append_printf (s, "%*s", (int) indent, "");
  append_results (s, node);
  g_string_append_printf (s, "%s(", g_str_has_prefix (target, "torch.ops.") ? target + strlen ("torch.ops.") : target);
  for (uint32_t i = 0; i < node->n_args; i++) {
    g_string_append (s, i ? ", " : "");
    if (node->arg_names && *node->arg_names[i])
      g_string_append_printf (s, "%s=", node->arg_names[i]);
    append_arg (s, &node->args[i], indent);
  }
  g_string_append_c (s, ')');
  for (uint32_t i = 0; i < node->n_outputs && node->outputs[i]->meta; i++) {
    g_string_append (s, i ? ", " : "  # ");
    append_meta (s, node->outputs[i]);
  }
  g_string_append_c (s, '\n');
}

static void
append_graph (GString *s, const NativertGraph *graph, unsigned indent)
{
  g_string_append_printf (s, "graph%s%s(", *graph->name ? " " : "", graph->name);
  for (uint32_t i = 0; i < graph->n_inputs; i++) {
    g_string_append (s, i ? ", " : "");
    if (graph->inputs[i].value)
      append_value (s, graph->inputs[i].value);
    else
      append_arg (s, &graph->inputs[i].constant, indent);
  }
  g_string_append (s, "):\n");
  for (const NativertNode *node = graph->first; node; node = node->next)
    append_node (s, node, indent);
  g_string_append_printf (s, "%*sreturn(", (int) indent, "");
  for (uint32_t i = 0; i < graph->n_outputs; i++) {
    g_string_append (s, i ? ", " : "");
    append_arg (s, &graph->outputs[i].arg, indent);
  }
  g_string_append_c (s, ')');
}

char *
nativert_graph_to_text (const NativertGraph *graph)
{
  GString *s = g_string_new (NULL);
  append_graph (s, graph, 0);
  g_string_append_c (s, '\n');
  if (graph->fold) {
    append_graph (s, graph->fold, 0);
    g_string_append_c (s, '\n');
  }
  return g_string_free (s, FALSE);
}
