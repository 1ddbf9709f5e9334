/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The README's example of a program that runs a model: prints the largest value of each output for an input of zeros. */
#include <nativert.h>
#include <stdio.h>

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertModel) model = nativert_model_load (argc > 1 ? argv[1] : "model.pt2", NULL, NATIVERT_LOAD_DEFAULT, NULL, &error);
  if (model == NULL)
    return fprintf (stderr, "%s\n", error->message), 1;
  const NativertPort *port = nativert_model_get_input (model, 0);
  gint64 sizes[12];
  for (guint i = 0; i < port->n_dims; i++)
    sizes[i] = port->dims[i].min;
  g_autoptr (NativertTensor) input = nativert_tensor_new (port->dtype, sizes, port->n_dims);
  g_autoptr (NativertRunner) runner = nativert_runner_new (model, 0);
  NativertTensor **outputs = NULL;
  guint n_outputs = 0;
  if (!nativert_runner_run_tensors (runner, &input, 1, &outputs, &n_outputs, &error))
    return fprintf (stderr, "%s\n", error->message), 1;
  for (guint i = 0; i < n_outputs; i++) {
    printf ("%s: %s, first value %g\n", nativert_model_get_output (model, i)->name,
        nativert_dtype_get_name (nativert_tensor_get_dtype (outputs[i])), *(float *) nativert_tensor_get_data (outputs[i]));
    nativert_tensor_unref (outputs[i]);
  }
  g_free (outputs);
  return 0;
}
