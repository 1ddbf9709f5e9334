/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nativert bench: how long a model takes to load, to run first and to run again, and which nodes the time goes to. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct {
  double load_ms, first_ms, *ms;
  int n_runs, n_warmup;
  long first_rss_kb;
  NativertRunProfile profile;
} Bench;

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
peak_rss_kb (void)
{
  struct rusage usage;

  return getrusage (RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
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

static double
quantile (const Bench *bench, double q)
{
  int at = (int) (q * bench->n_runs);

  return bench->ms[MIN (at, bench->n_runs - 1)];
}

static double
mean (const Bench *bench)
{
  double sum = 0;

  for (int i = 0; i < bench->n_runs; i++)
    sum += bench->ms[i];
  return sum / bench->n_runs;
}

/* ---- per node and per operator ---- */

typedef struct { const char *op, *kernel; guint count; double ms; } OpTime;

static int
by_time (const void *a, const void *b)
{
  double x = ((const OpTime *) a)->ms, y = ((const OpTime *) b)->ms;

  return x > y ? -1 : x < y;
}

static double
step_ms (const NativertRunProfile *profile, uint32_t step)
{
  return (double) profile->sum_ns[step] / 1e6 / MAX (profile->n_runs, 1);
}

/* Operators by kernel, the slowest first; the sum of all in total. */
static GArray *
sum_operators (const NativertRunProfile *profile, double *total)
{
  GArray *times = g_array_new (FALSE, TRUE, sizeof (OpTime));

  *total = 0;
  for (uint32_t i = 0; profile->plan != NULL && i < profile->plan->n_steps; i++) {
    const NativertKernel *kernel = profile->plan->steps[i].kernel;
    OpTime fresh = { nativert_ops[kernel->op].name, kernel->name, 0, 0 }, *time = NULL;
    for (guint k = 0; k < times->len && time == NULL; k++) {
      OpTime *other = &g_array_index (times, OpTime, k);
      if (strcmp (other->op, fresh.op) == 0 && strcmp (other->kernel, fresh.kernel) == 0)
        time = other;
    }
    if (time == NULL) {
      g_array_append_val (times, fresh);
      time = &g_array_index (times, OpTime, times->len - 1);
    }
    time->count++;
    time->ms += step_ms (profile, i);
    *total += step_ms (profile, i);
  }
  g_array_sort (times, by_time);
  return times;
}

static void
print_nodes (const Bench *bench)
{
  const NativertRunProfile *profile = &bench->profile;
  double total;
  g_autoptr (GArray) times = sum_operators (profile, &total);

  printf ("\n%10s %6s  %-24s %-20s %s\n", "ms", "%", "node", "operator", "kernel");
  for (uint32_t i = 0; profile->plan != NULL && i < profile->plan->n_steps; i++) {
    const NativertStep *step = &profile->plan->steps[i];
    double ms = step_ms (profile, i);
    printf ("%10.4f %6.2f  %-24s %-20s %s\n", ms, total > 0 ? 100 * ms / total : 0,
        step->node != NULL ? step->node : "?", nativert_ops[step->kernel->op].name, step->kernel->name);
  }
  printf ("\n%10s %6s %6s  %-20s %s\n", "ms", "%", "count", "operator", "kernel");
  for (guint i = 0; i < times->len; i++) {
    const OpTime *time = &g_array_index (times, OpTime, i);
    printf ("%10.4f %6.2f %6u  %-20s %s\n", time->ms, total > 0 ? 100 * time->ms / total : 0, time->count, time->op,
        time->kernel);
  }
}

static void
add_double (JsonBuilder *b, const char *name, double value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_double_value (b, value);
}

static void
add_int (JsonBuilder *b, const char *name, gint64 value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_int_value (b, value);
}

static void
add_string (JsonBuilder *b, const char *name, const char *value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_string_value (b, value);
}

static void
add_nodes (JsonBuilder *b, const Bench *bench)
{
  const NativertRunProfile *profile = &bench->profile;
  double total;
  g_autoptr (GArray) times = sum_operators (profile, &total);

  json_builder_set_member_name (b, "nodes");
  json_builder_begin_array (b);
  for (uint32_t i = 0; profile->plan != NULL && i < profile->plan->n_steps; i++) {
    const NativertStep *step = &profile->plan->steps[i];
    json_builder_begin_object (b);
    add_string (b, "node", step->node != NULL ? step->node : "?");
    add_string (b, "operator", nativert_ops[step->kernel->op].name);
    add_string (b, "kernel", step->kernel->name);
    add_double (b, "ms", step_ms (profile, i));
    add_double (b, "percent", total > 0 ? 100 * step_ms (profile, i) / total : 0);
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
  json_builder_set_member_name (b, "operators");
  json_builder_begin_array (b);
  for (guint i = 0; i < times->len; i++) {
    const OpTime *time = &g_array_index (times, OpTime, i);
    json_builder_begin_object (b);
    add_string (b, "operator", time->op);
    add_string (b, "kernel", time->kernel);
    add_int (b, "count", time->count);
    add_double (b, "ms", time->ms);
    add_double (b, "percent", total > 0 ? 100 * time->ms / total : 0);
    json_builder_end_object (b);
  }
  json_builder_end_array (b);
}

static void
print_json (const Bench *bench, const Options *options, bool nodes)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();

  json_builder_begin_object (b);
  add_double (b, "load_ms", bench->load_ms);
  add_double (b, "first_ms", bench->first_ms);
  add_double (b, "min_ms", bench->ms[0]);
  add_double (b, "median_ms", quantile (bench, 0.5));
  add_double (b, "mean_ms", mean (bench));
  add_double (b, "p99_ms", quantile (bench, 0.99));
  add_int (b, "rss_kb", peak_rss_kb ());
  add_int (b, "first_rss_kb", bench->first_rss_kb);
  add_int (b, "runs", bench->n_runs);
  add_int (b, "threads", options->threads);
  if (nodes)
    add_nodes (b, bench);
  json_builder_end_object (b);
  json_print (b);
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
  if (options.json) {
    print_json (&bench, &options, nodes);
    return EXIT_DONE;
  }
  printf ("load    %10.3f ms\nfirst   %10.3f ms\nmin     %10.3f ms\nmedian  %10.3f ms\np99     %10.3f ms\nRSS     "
          "%10ld KB after the first run, %ld KB peak\n",
      bench.load_ms, bench.first_ms, bench.ms[0], quantile (&bench, 0.5), quantile (&bench, 0.99), bench.first_rss_kb,
      peak_rss_kb ());
  if (nodes)
    print_nodes (&bench);
  return EXIT_DONE;
}
