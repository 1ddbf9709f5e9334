/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a model says to inputs that it does not take.  Only asked when there is no plan for their sizes yet: a plan's
 * inputs were looked at when it was made. */
#include <string.h>
#include "model/run-inputs.h"

static bool
invalid (GError **error, const NativertPort *port, const char *what)
{
  g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_INVALID_INPUT, "input %s: %s", port->name, what);
  return false;
}

static bool
check_dim (const NativertPort *port, uint32_t dim, int64_t size, GError **error)
{
  const NativertDim *range = &port->dims[dim];
  g_autofree char *what = NULL;

  if (size >= range->min && (range->max < 0 || size <= range->max))
    return true;
  if (range->symbol == NULL)
    what = g_strdup_printf ("dim %u is %" G_GINT64_FORMAT ", the model takes %" G_GINT64_FORMAT, dim, size, range->min);
  else if (range->max < 0 || range->max == G_MAXINT64)
    what = g_strdup_printf ("dim %u is %" G_GINT64_FORMAT ", the model takes at least %" G_GINT64_FORMAT " (%s)", dim,
        size, range->min, range->symbol);
  else
    what = g_strdup_printf ("dim %u is %" G_GINT64_FORMAT ", the model takes %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                            " (%s)",
        dim, size, range->min, range->max, range->symbol);
  return invalid (error, port, what);
}

static bool
check_tensor (const NativertPort *port, const NativertView *view, GError **error)
{
  g_autofree char *what = NULL;

  if (view->dtype != port->dtype) {
    what = g_strdup_printf ("is %s, the model takes %s", nativert_dtype_get_name ((NativertDtype) view->dtype),
        nativert_dtype_get_name (port->dtype));
    return invalid (error, port, what);
  }
  if (view->ndim != port->n_dims) {
    what = g_strdup_printf ("has %u dims, the model takes %u", view->ndim, port->n_dims);
    return invalid (error, port, what);
  }
  for (uint32_t i = 0; i < view->ndim; i++)
    if (!check_dim (port, i, view->size[i], error))
      return false;
  return true;
}

/* A number that the exporter froze must be that number; None is not looked at, as in torch. */
static bool
check_constant (const NativertCore *core, uint32_t index, const NativertPlanInput *in, GError **error)
{
  const NativertGraphArg *want = &nativert_core_graph_input (core, index)->constant;
  g_autofree char *what = NULL;

  switch (in->kind) {
    case NATIVERT_VALUE_INT:
      if (in->number.u.i != want->u.i)
        what = g_strdup_printf (
            "is %" G_GINT64_FORMAT ", the model was exported with %" G_GINT64_FORMAT, in->number.u.i, want->u.i);
      break;
    case NATIVERT_VALUE_FLOAT:
      if (in->number.u.f != want->u.f)
        what = g_strdup_printf ("is %g, the model was exported with %g", in->number.u.f, want->u.f);
      break;
    case NATIVERT_VALUE_BOOL:
      if (in->number.u.b != (want->u.i != 0))
        what = g_strdup_printf ("is %s, the model was exported with the opposite", in->number.u.b ? "true" : "false");
      break;
    case NATIVERT_VALUE_STRING:
      if (strcmp (in->string, want->u.s) != 0)
        what = g_strdup_printf ("is \"%s\", the model was exported with \"%s\"", in->string, want->u.s);
      break;
    default:
      break;
  }
  return what == NULL || invalid (error, &core->inputs[index], what);
}

bool
nativert_run_inputs_check (const NativertRunInputs *ri, const NativertCore *core, GError **error)
{
  static const char *const kinds[]
      = { "None", "a tensor", "an int", "a float", "a bool", "a string", "a list", "a tuple", "a dict" };

  for (uint32_t i = 0; i < ri->n; i++) {
    const NativertPort *port = &core->inputs[i];
    const NativertPlanInput *in = &ri->inputs[i];
    g_autofree char *what = NULL;
    if (nativert_core_graph_input (core, i)->value == NULL && port->kind == NATIVERT_VALUE_NONE)
      continue;
    if (in->kind != port->kind) {
      what = g_strdup_printf ("is %s, the model takes %s", kinds[in->kind], kinds[port->kind]);
      return invalid (error, port, what);
    }
    if (in->kind == NATIVERT_VALUE_TENSOR && !check_tensor (port, &in->view, error))
      return false;
    if (nativert_core_graph_input (core, i)->value == NULL && !check_constant (core, i, in, error))
      return false;
  }
  return true;
}
