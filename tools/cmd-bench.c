/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nativert bench: how long a model takes to load, to run first and to run again, and which nodes the time goes to. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void
bench_clear (Bench *bench)
{
  g_free (bench->ms);
  nativert_run_profile_clear (&bench->profile);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Bench, bench_clear)

static int
by_value (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

static long
rss_kb (void)
{
  long total = 0, resident = 0;
  FILE *file = fopen ("/proc/self/statm", "re");

  if (file == NULL)
    return 0;
  if (fscanf (file, "%ld %ld", &total, &resident) != 2)
    resident = 0;
  fclose (file);
  return resident * (sysconf (_SC_PAGESIZE) / 1024);
}

/* The way of an element, where the model allows it: tensors in, tensors out. */
static bool
run_once (const Loaded *loaded, const Inputs *inputs, GPtrArray *tensors, double *ms, GError **error)
{
  g_autoptr (NativertValue) results = NULL;
  NativertTensor **outputs;
  double start = now_ms ();
  guint n;

  if (tensors == NULL) {
    results = nativert_runner_run (loaded->runner, inputs->args, inputs->kwargs, error);
    *ms = now_ms () - start;
    return results != NULL;
  }
  if (!nativert_runner_run_tensors (
          loaded->runner, (NativertTensor *const *) tensors->pdata, tensors->len, &outputs, &n, error))
    return false;
  *ms = now_ms () - start;
  for (guint i = 0; i < n; i++)
    nativert_tensor_unref (outputs[i]);
  g_free (outputs);
  return true;
}

static GPtrArray *
only_tensors (const Loaded *loaded, const Inputs *inputs)
{
  g_autoptr (GPtrArray) tensors = g_ptr_array_new ();

  for (uint32_t i = 0; i < loaded->core->n_outputs; i++)
    if (loaded->core->outputs[i].kind != NATIVERT_VALUE_TENSOR)
      return NULL;
  for (guint i = 0; i < inputs->leaves->len; i++) {
    NativertTensor *tensor = nativert_value_get_tensor (inputs->leaves->pdata[i]);
    if (tensor != NULL)
      g_ptr_array_add (tensors, tensor);
    else if (loaded->core->graph->inputs[loaded->core->input_numbers[i]].value != NULL)
      return NULL;
  }
  return g_steal_pointer (&tensors);
}

static void
show_progress (const char *what, int at, int of)
{
  if (isatty (STDERR_FILENO))
    fprintf (stderr, "\r%s %d/%d%s", what, at, of, at == of ? "\r\033[K" : "");
}

static bool
measure (Bench *bench, const Loaded *loaded, const Options *options, bool nodes, GError **error)
{
  g_auto (Inputs) inputs = {0};
  g_autoptr (GPtrArray) tensors = NULL;
  NanFound found = {0};
  double ms;

  if (!inputs_gather (&inputs, loaded, options, error))
    return false;
  tensors = only_tensors (loaded, &inputs);
  if (options->debug_nan)
    nativert_runner_set_watch (loaded->runner, nan_watch, &found);
  if (!run_once (loaded, &inputs, tensors, &bench->first_ms, error))
    return false;
  nativert_runner_set_watch (loaded->runner, NULL, NULL);
  nan_report (&found);
  bench->first_rss_kb = rss_kb ();
  for (int i = 0; i < bench->n_warmup; i++)
    if (!run_once (loaded, &inputs, tensors, &ms, error))
      return false;
  if (nodes)
    nativert_runner_set_profile (loaded->runner, &bench->profile);
  bench->ms = g_new0 (double, bench->n_runs + 1);
  for (int i = 0; i < bench->n_runs; i++) {
    show_progress ("run", i + 1, bench->n_runs);
    if (!run_once (loaded, &inputs, tensors, &bench->ms[i], error))
      return false;
  }
  nativert_runner_set_profile (loaded->runner, NULL);
  qsort (bench->ms, (size_t) bench->n_runs, sizeof bench->ms[0], by_value);
  return options->profile == NULL || trace_write (&bench->profile, options->profile, error);
}

int
command_bench (int argc, char **argv)
{
  g_auto (Options) options = { .parallel_ops = 1 };
  g_auto (Bench) bench = { .n_runs = 20, .n_warmup = 3 };
  g_auto (Loaded) loaded = {0};
  g_autoptr (GError) error = NULL;
  gboolean nodes = FALSE;
  GOptionEntry own[] = {
    {"runs", 0, 0, G_OPTION_ARG_INT, &bench.n_runs, "Runs that count (20)", "N"},
    {"warmup", 0, 0, G_OPTION_ARG_INT, &bench.n_warmup, "Runs before them (3)", "N"},
    {"nodes", 0, 0, G_OPTION_ARG_NONE, &nodes, "Time per node and per operator, with kernels", NULL},
    {NULL}
  };
  char **files;
  int status = options_parse (&options, argc, argv, "MODEL", "Times MODEL: load, first run, then many.",
      WANT_JSON | WANT_MODEL | WANT_INPUTS | WANT_EXECUTOR, own, 1, &files);

  if (status != EXIT_DONE)
    return status;
  if (bench.n_runs < 1 || bench.n_warmup < 0)
    return command_misused ("bench", "--runs takes 1 or more, --warmup 0 or more");
  if (!loaded_open (&loaded, files[0], &options, NATIVERT_LOAD_DEFAULT, &error) ||
      !measure (&bench, &loaded, &options, nodes || options.profile != NULL, &error))
    return command_failed (files[0], error);
  bench.load_ms = loaded.load_ms;
  if (options.json)
    bench_print_json (&bench, &options, nodes);
  else
    bench_print_text (&bench, nodes);
  return EXIT_DONE;
}
