/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --debug-nan: looks at every result of every step and remembers the first that has NaN or Inf. */
#include "base/tensor.h"
#include "command.h"

#include <math.h>

static bool
has_nan (const NativertView *view)
{
  g_autoptr (NativertTensor) tensor = NULL;
  double min, mean, max;

  if (view->data == NULL || view->dtype > NATIVERT_BF16)
    return false;
  tensor = nativert_tensor_new_borrowed (
      (NativertDtype) view->dtype, view->size, view->stride, view->ndim, view->data, NULL, NULL);
  return tensor_stats (tensor, &min, &mean, &max) && !(isfinite (min) && isfinite (max));
}

void
nan_watch (const NativertStep *step, const NativertCall *call, void *data)
{
  NanFound *found = data;

  for (uint32_t i = 0; i < step->n_out && found->text == NULL; i++)
    if (has_nan (&call->out[i]))
      found->text = g_strdup_printf ("node %s (%s, kernel %s): result %u has NaN or Inf",
          step->node != NULL ? step->node : "?", nativert_ops[step->kernel->op].name, step->kernel->name, i);
}

void
nan_report (NanFound *found)
{
  if (found->text != NULL)
    command_warn ("%s", found->text);
  g_clear_pointer (&found->text, g_free);
}
