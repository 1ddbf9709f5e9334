/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Guards: what the exporter found true of the example's sizes and built into the program, as Python text over the call:
 * (L['x'].size()[0] % 2) == 0.  As in torch, a call that breaks one is refused.  Guards over arguments that are not
 * simply named are left alone. */
#include <string.h>
#include "plan/builder.h"

/* The user input of that name; -1: none. */
static int32_t
find_input (const NativertGraph *graph, const char *name, size_t length)
{
  int32_t n = 0;
  for (uint32_t i = 0; i < graph->n_inputs; i++) {
    const NativertGraphInput *input = &graph->inputs[i];
    if (input->kind != NATIVERT_IN_USER && input->kind != NATIVERT_IN_CONSTANT)
      continue;
    if (input->value && strlen (input->value->name) == length && !strncmp (input->value->name, name, length))
      return n;
    n++;
  }
  return -1;
}

/* One "L['x'].size()[0]" or "L['n']" at *text: its value goes to out, *text behind it. */
static bool
put_value (const NativertGraph *graph, const NativertPlanInput *inputs, const char **text, GString *out)
{
  static const char size[] = ".size()[";
  const char *name = *text + strlen ("L['"), *end = strstr (name, "']");
  int32_t index = end ? find_input (graph, name, (size_t) (end - name)) : -1;
  if (index < 0)
    return false;
  const NativertPlanInput *in = &inputs[index];
  *text = end + 2;
  if (g_str_has_prefix (*text, size)) {
    char *after;
    guint64 dim = g_ascii_strtoull (*text + strlen (size), &after, 10);
    if (in->kind != NATIVERT_VALUE_TENSOR || dim >= in->view.ndim || *after != ']')
      return false;
    g_string_append_printf (out, "%" G_GINT64_FORMAT, in->view.size[dim]);
    *text = after + 1;
    return true;
  }
  if (in->kind != NATIVERT_VALUE_INT || **text == '[' || **text == '.')
    return false;
  g_string_append_printf (out, in->number.u.i < 0 ? "(%" G_GINT64_FORMAT ")" : "%" G_GINT64_FORMAT, in->number.u.i);
  return true;
}

/* True when it holds, and when it cannot be told. */
static bool
holds (const NativertGraph *graph, const NativertPlanInput *inputs, NativertExprTable *table, const char *guard)
{
  g_autoptr (GString) text = g_string_new (NULL);
  NativertNum result;
  for (const char *p = guard; *p;)
    if (!g_str_has_prefix (p, "L['"))
      g_string_append_c (text, *p++);
    else if (!put_value (graph, inputs, &p, text))
      return true;
  const NativertExpr *expr = nativert_expr_parse (table, text->str, NULL);
  if (!expr || !nativert_expr_eval (expr, NULL, NULL, &result) || result.kind != NATIVERT_NUM_BOOL)
    return true;
  return result.u.b;
}

bool
nativert_builder_check_guards (NativertBuilder *b, const NativertPlanInput *inputs)
{
  const NativertProgram *program = b->graph->program;
  if (!program || !program->n_guards || b->graph->parent)
    return true;
  g_autoptr (NativertExprTable) table = nativert_expr_table_new ();
  for (uint32_t i = 0; i < program->n_guards; i++)
    if (!holds (b->graph, inputs, table, program->guards[i]))
      return nativert_builder_fail (b, NATIVERT_ERROR_INVALID_INPUT, "the model was exported for inputs with %s only", program->guards[i]);
  return true;
}
