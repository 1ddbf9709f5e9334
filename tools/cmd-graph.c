/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nativert graph: the text form of a graph, as loaded, after the passes, or planned for some inputs. */
#include "command.h"

#include <stdio.h>
#include <string.h>

static void
print_fold (const NativertGraph *graph)
{
  g_autofree char *text = graph->fold != NULL ? nativert_graph_to_text (graph->fold) : NULL;

  if (text != NULL)
    printf ("# run once per weights:\n%s\n", text);
}

static bool
print_stage (const char *path, const char *stage, const Options *options, GError **error)
{
  bool is_loaded = strcmp (stage, "loaded") == 0;
  g_auto (Loaded) loaded = {0};
  g_auto (Inputs) inputs = {0};
  g_autoptr (NativertPlan) plan = NULL;
  g_autofree char *text = NULL;

  if (!loaded_open (&loaded, path, options, is_loaded ? NATIVERT_LOAD_RAW : NATIVERT_LOAD_GRAPH_ONLY, error))
    return false;
  if (strcmp (stage, "plan") != 0) {
    print_fold (loaded.core->graph);
    text = nativert_graph_to_text (loaded.core->graph);
    printf ("%s", text);
    return true;
  }
  if (!inputs_gather_any (&inputs, &loaded, options, error))
    return false;
  plan = nativert_runner_dup_plan (loaded.runner, inputs.args, inputs.kwargs, error);
  if (plan == NULL)
    return false;
  text = nativert_plan_to_text (plan);
  printf ("%s", text);
  return true;
}

int
command_graph (int argc, char **argv)
{
  g_auto (Options) options = { .parallel_ops = 1 };
  g_autofree char *stage = NULL;
  g_autoptr (GError) error = NULL;
  GOptionEntry own[]
      = { { "stage", 0, 0, G_OPTION_ARG_STRING, &stage,
              "As in the file, after all passes (the default), or planned for the inputs", "loaded|final|plan" },
          { NULL } };
  char **files;
  int status = options_parse (
      &options, argc, argv, "MODEL", "Prints the graph of MODEL.", WANT_MODEL | WANT_INPUTS, own, 1, &files);

  if (status != EXIT_DONE)
    return status;
  if (stage == NULL)
    stage = g_strdup ("final");
  if (strcmp (stage, "loaded") != 0 && strcmp (stage, "final") != 0 && strcmp (stage, "plan") != 0)
    return command_misused ("graph", "--stage takes loaded, final or plan, not %s", stage);
  if (!print_stage (files[0], stage, &options, &error))
    return command_failed (files[0], error);
  return EXIT_DONE;
}
