/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of the sub-commands, messages, and opening a model by them. */
#include "command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

double
now_ms (void)
{
  return (double) g_get_monotonic_time () / 1000;
}

/* Messages are one line however they were made. */
static char *
one_line (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GString *joined = g_string_new (NULL);

  for (char **line = lines; *line != NULL; line++) {
    g_strstrip (*line);
    if (**line == '\0')
      continue;
    if (joined->len > 0)
      g_string_append (joined, joined->str[joined->len - 1] == ':' ? " " : "; ");
    g_string_append (joined, *line);
  }
  return g_string_free (joined, FALSE);
}

int
command_failed (const char *what, const GError *error)
{
  g_autofree char *why = one_line (error->message);
  g_autofree char *prefix = g_strconcat (what, ": ", NULL);

  /* messages about files name them already */
  fprintf (stderr, "nativert: %s%s\n", g_str_has_prefix (why, prefix) ? "" : prefix, why);
  return EXIT_FAILED;
}

int
command_misused (const char *command, const char *format, ...)
{
  g_autofree char *why = NULL;
  bool is_main = strcmp (command, "nativert") == 0;
  va_list args;

  va_start (args, format);
  why = g_strdup_vprintf (format, args);
  va_end (args);
  fprintf (stderr, "nativert: %s%s%s (see nativert %s%s--help)\n", is_main ? "" : command, is_main ? "" : ": ", why,
      is_main ? "" : command, is_main ? "" : " ");
  return EXIT_USAGE;
}

void
command_warn (const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  fprintf (stderr, "nativert: warning: %s\n", text);
}

void
options_clear (Options *options)
{
  g_free (options->model);
  g_free (options->weights);
  g_free (options->device);
  g_free (options->profile);
  g_strfreev (options->inputs);
  g_strfreev (options->sizes);
}

static void
add_entries (GOptionContext *context, Options *o, unsigned want)
{
  GOptionEntry json[] = {
    {"json", 0, 0, G_OPTION_ARG_NONE, &o->json, "Print one JSON document", NULL}, {NULL}
  };
  GOptionEntry model[] = {
    {"model", 0, 0, G_OPTION_ARG_STRING, &o->model, "Which model of the archive", "NAME"}, {NULL}
  };
  GOptionEntry inputs[] = {
    { "sample-inputs", 0, 0, G_OPTION_ARG_NONE, &o->sample, "The archive's own inputs (the default)", NULL },
    { "input", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->inputs,
        "Inputs from .npy, .npz, .safetensors or .pt; NAME=5, NAME=true, NAME=text for the others; may be repeated",
        "[NAME=]FILE" },
    { "random", 0, 0, G_OPTION_ARG_NONE, &o->random, "Random inputs: floats in [-1, 1), integers in [0, 10)", NULL },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &o->seed, "For --random", "N" },
    { "size", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->sizes,
        "For --random: value of a symbolic size that `nativert info` shows", "NAME=N" },
    { NULL }
  };
  GOptionEntry executor[] = {
    {"weights", 0, 0, G_OPTION_ARG_FILENAME, &o->weights, "Other weights for the graph: .pt2 or .safetensors", "FILE"},
    {"device", 0, 0, G_OPTION_ARG_STRING, &o->device, "Where to run (cpu)", "D"},
    {"threads", 0, 0, G_OPTION_ARG_INT, &o->threads, "Threads of one run; 0: all that the process may use", "N"},
    {"parallel-ops", 0, 0, G_OPTION_ARG_INT, &o->parallel_ops, "Nodes that may run at the same time", "N"},
    {"validate", 0, 0, G_OPTION_ARG_NONE, &o->validate, "Check inputs (always on)", NULL},
    {"debug-nan", 0, 0, G_OPTION_ARG_NONE, &o->debug_nan, "Name the first node whose result has NaN or Inf", NULL},
    {"profile", 0, 0, G_OPTION_ARG_FILENAME, &o->profile, "Write the last run as Chrome trace JSON", "FILE"},
    {NULL}
  };

  if (want & WANT_JSON)
    g_option_context_add_main_entries (context, json, NULL);
  if (want & WANT_MODEL)
    g_option_context_add_main_entries (context, model, NULL);
  if (want & WANT_INPUTS)
    g_option_context_add_main_entries (context, inputs, NULL);
  if (want & WANT_EXECUTOR)
    g_option_context_add_main_entries (context, executor, NULL);
}

static int
check_options (const Options *o, const char *command)
{
  if (o->random && (o->inputs != NULL || o->sample))
    return command_misused (command, "--random excludes --input and --sample-inputs");
  if (o->inputs != NULL && o->sample)
    return command_misused (command, "--sample-inputs excludes --input");
  if (o->threads < 0 || o->threads > 1024)
    return command_misused (command, "--threads takes 0 to 1024");
  if (o->parallel_ops < 1)
    return command_misused (command, "--parallel-ops takes 1 or more");
  if (o->parallel_ops > 1)
    command_warn ("--parallel-ops: nodes run one after another in this version");
  return EXIT_DONE;
}

int
options_parse (Options *options, int argc, char **argv, const char *arguments, const char *summary, unsigned want,
    const GOptionEntry *own, int count, char ***files)
{
  g_autoptr (GOptionContext) context = g_option_context_new (arguments);
  g_autofree char *name = g_strconcat ("nativert ", argv[0], NULL);
  g_autoptr (GError) error = NULL;
  const char *command = argv[0];
  int n;

  g_set_prgname (name);
  g_option_context_set_summary (context, summary);
  if (own != NULL)
    g_option_context_add_main_entries (context, own, NULL);
  add_entries (context, options, want);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    return command_misused (command, "%s", error->message);
  if (argc > 1 && strcmp (argv[1], "--") == 0) {
    argc--;
    argv++;
  }
  n = argc - 1;
  if (count < 0 ? n < 1 : n != count)
    return command_misused (command, n < MAX (count, 1) && count != 0 ? "no file given" : "too many arguments");
  *files = argv + 1;
  return check_options (options, command);
}

void
loaded_clear (Loaded *loaded)
{
  g_clear_object (&loaded->runner);
  g_clear_object (&loaded->model);
}

static bool
set_weights (Loaded *loaded, const char *path, GError **error)
{
  g_autoptr (NativertWeights) weights = nativert_weights_load (loaded->model, path, NULL, error);

  return weights != NULL && nativert_runner_set_weights (loaded->runner, weights, error);
}

bool
loaded_open (Loaded *loaded, const char *path, const Options *options, NativertLoadFlags flags, GError **error)
{
  double start = now_ms ();

  if (options->device != NULL && strcmp (options->device, "cpu") != 0) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_UNSUPPORTED, "device %s is not in this build", options->device);
    return false;
  }
  loaded->model = nativert_model_load (path, options->model, flags, NULL, error);
  if (loaded->model == NULL)
    return false;
  loaded->core = nativert_model_get_core (loaded->model);
  loaded->runner = nativert_runner_new (loaded->model, (guint) options->threads);
  if (options->weights != NULL && !set_weights (loaded, options->weights, error))
    return false;
  loaded->load_ms = now_ms () - start;
  return true;
}
