/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The README's program: loads a model, runs it on zeros of the smallest sizes that it takes, prints what comes out. */
#include <nativert.h>
#include <stdio.h>

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  const char *path = argc > 1 ? argv[1] : "model.pt2";
  g_autoptr (NativertModel) model = nativert_model_load (path, NULL, NATIVERT_LOAD_DEFAULT, NULL, &error);
  if (model == NULL)
    return fprintf (stderr, "%s\n", error->message), 1;
  const NativertPort *port = nativert_model_get_input (model, 0);
  gint64 sizes[12];
  for (guint i = 0; i < port->n_dims; i++)
    sizes[i] = port->dims[i].min;
  g_autoptr (NativertTensor) input = nativert_tensor_new (port->dtype, sizes, port->n_dims);
  g_autoptr (NativertRunner) runner = nativert_runner_new (model, 0);
  NativertTensor **outputs = NULL;
  guint n = 0;
  if (!nativert_runner_run_tensors (runner, &input, 1, &outputs, &n, &error))
    return fprintf (stderr, "%s\n", error->message), 1;
  for (guint i = 0; i < n; i++) {
    const float *values = nativert_tensor_get_data (outputs[i]);
    printf ("%s: %g ...\n", nativert_model_get_output (model, i)->name, values[0]);
    nativert_tensor_unref (outputs[i]);
  }
  return g_free (outputs), 0;
}
