/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What nativert bench measured, for people and for programs. */
#include "bench.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static long
peak_rss_kb (void)
{
  struct rusage usage;

  return getrusage (RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
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

void
bench_print_json (const Bench *bench, const Options *options, bool nodes)
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

void
bench_print_text (const Bench *bench, bool nodes)
{
  printf ("load    %10.3f ms\nfirst   %10.3f ms\nmin     %10.3f ms\nmedian  %10.3f ms\np99     %10.3f ms\n",
      bench->load_ms, bench->first_ms, bench->ms[0], quantile (bench, 0.5), quantile (bench, 0.99));
  printf ("RSS     %10ld KB after the first run, %ld KB peak\n", bench->first_rss_kb, peak_rss_kb ());
  if (nodes)
    print_nodes (bench);
}
