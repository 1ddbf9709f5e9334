/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What plans cost and what they are like, for any archives with sample inputs:
 *   bench-plan [--check] FILE.pt2...
 * One line each: nodes, steps, microseconds a node to plan, arena against its lower bound, microseconds a run.  --check
 * also holds every plan to its definition, runs the steps in random orders, and compares with FILE.expected.safetensors
 * (results under "0", "1", ...). */
#include <math.h>
#include <string.h>
#include "archive.h"
#include "check-plan.h"
#include "kernels/rules.h"

enum { MAX_INPUTS = 256, N_PLANS = 5, N_SEEDS = 2, MAX_CHECKED = 3000 };

typedef struct { NativertPlanInput inputs[MAX_INPUTS]; void *data[MAX_INPUTS]; uint32_t n; } Inputs;

static bool
flatten (NativertValue *value, Inputs *in)
{
  if (in->n >= MAX_INPUTS)
    return false;
  NativertPlanInput *x = &in->inputs[in->n];
  *x = (NativertPlanInput) { .kind = (uint8_t) nativert_value_get_kind (value) };
  switch (nativert_value_get_kind (value)) {
    case NATIVERT_VALUE_TENSOR: {
      NativertTensor *t = nativert_value_get_tensor (value);
      x->view.ndim = (uint8_t) nativert_tensor_get_n_dims (t);
      x->view.dtype = (uint8_t) nativert_tensor_get_dtype (t);
      for (int d = 0; d < x->view.ndim; d++) {
        x->view.size[d] = nativert_tensor_get_size (t, d);
        x->view.stride[d] = nativert_tensor_get_stride (t, d);
      }
      in->data[in->n++] = nativert_tensor_get_data (t);
      return true;
    }
    case NATIVERT_VALUE_LIST: case NATIVERT_VALUE_TUPLE: case NATIVERT_VALUE_DICT:
      for (guint i = 0; i < nativert_value_get_length (value); i++)
        if (!flatten (nativert_value_get_child (value, i), in))
          return false;
      return true;
    case NATIVERT_VALUE_INT:
      x->number = (NativertNum){ .kind = NATIVERT_NUM_INT, .u.i = nativert_value_get_int (value) };
      break;
    case NATIVERT_VALUE_FLOAT:
      x->number = (NativertNum){ .kind = NATIVERT_NUM_FLOAT, .u.f = nativert_value_get_float (value) };
      break;
    case NATIVERT_VALUE_BOOL:
      x->number = (NativertNum){ .kind = NATIVERT_NUM_BOOL, .u.b = nativert_value_get_bool (value) };
      break;
    case NATIVERT_VALUE_STRING: x->string = nativert_value_get_string (value); break;
    default: break;
  }
  in->n++;
  return true;
}

static double
element (const NativertView *v, int64_t index)
{
  int64_t at = 0;
  for (int d = v->ndim; d-- > 0; index /= v->size[d])
    at += index % v->size[d] * v->stride[d];
  switch (v->dtype) {
    case NATIVERT_F32: return ((const float *) v->data)[at];
    case NATIVERT_F64: return ((const double *) v->data)[at];
    case NATIVERT_I64: return (double) ((const int64_t *) v->data)[at];
    case NATIVERT_I32: return ((const int32_t *) v->data)[at];
    case NATIVERT_U8: case NATIVERT_BOOL: return ((const uint8_t *) v->data)[at];
    default: return NAN;
  }
}

/* The largest error in units of torch's tolerance for float32. */
static double
worst_error (const Archive *archive, const Bound *bound, const NativertWeightSet *expected)
{
  double worst = 0;
  for (uint32_t i = 0, leaf = 0; i < archive->graph->n_outputs; i++) {
    if (archive->graph->outputs[i].kind != NATIVERT_OUT_USER)
      continue;
    g_autofree char *key = g_strdup_printf ("%u", leaf++);
    const NativertWeightDesc *want = nativert_weight_set_find (expected, key);
    if (!want || bound->plan->outputs[i].kind != NATIVERT_VALUE_TENSOR)
      continue;
    const NativertView *got = nativert_frame_slot (bound->frame, bound->plan->outputs[i].slot);
    NativertView w;
    nativert_view_init (&w, (uint8_t) want->dtype, want->n_dims, want->sizes);
    w.data = (char *) nativert_storage_data (want->storage) + want->offset * (int64_t) nativert_dtype_size (w.dtype);
    if (got->ndim != w.ndim || memcmp (got->size, w.size, w.ndim * sizeof w.size[0]) || got->dtype != w.dtype)
      return INFINITY;
    for (int64_t k = 0; k < nativert_view_numel (&w); k++) {
      double x = element (got, k), y = element (&w, k), e = fabs (x - y) / (1e-5 + 1.3e-6 * fabs (y));
      worst = x == y || (isnan (x) && isnan (y)) ? worst : isnan (e) ? INFINITY : fmax (worst, e);
    }
  }
  return worst;
}

static GByteArray *
snapshot (const Bound *bound)
{
  GByteArray *bytes = g_byte_array_new ();
  for (uint32_t i = 0; i < bound->plan->n_blocks; i++)
    if (bound->plan->blocks[i].mem == NATIVERT_MEM_OUTPUT)
      g_byte_array_append (bytes, bound->outputs[bound->plan->blocks[i].index], (guint) bound->plan->blocks[i].n_bytes);
  return bytes;
}

/* Not for models with state: their runs differ. */
static const char *
check (const Archive *archive, const Bound *bound, const Inputs *in, const char *path, double *error)
{
  g_autofree char *stem = g_strndup (path, strlen (path) - strlen (".pt2"));
  g_autofree char *name = g_strconcat (stem, ".expected.safetensors", NULL);
  g_autoptr (NativertWeightSet) expected = nativert_safetensors_load (name, NULL, NULL);
  *error = expected ? worst_error (archive, bound, expected) : NAN;
  if (bound->plan->n_steps <= MAX_CHECKED) {
    g_autofree char *why = check_plan (bound->plan);
    if (why)
      return g_intern_string (why);
  }
  g_autoptr (GByteArray) want = snapshot (bound);
  for (uint32_t i = 0; i < bound->plan->n_blocks; i++)
    if (bound->plan->blocks[i].mem == NATIVERT_MEM_STATE)
      return "has state";
  for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
    if (!nativert_frame_run_shuffled (bound->frame, in->data, bound->outputs, seed, NULL))
      return "another order fails";
    g_autoptr (GByteArray) got = snapshot (bound);
    if (got->len != want->len || memcmp (got->data, want->data, got->len))
      return "another order gives another result";
  }
  return "sound";
}

static int
bench (const char *path, bool checks)
{
  g_autoptr (GError) error = NULL;
  const char *base = strrchr (path, '/') ? strrchr (path, '/') + 1 : path;
  Inputs *in = g_new0 (Inputs, 1);
  g_autofree Inputs *owned = in;
  g_autoptr (Archive) archive = archive_open (path, &error);
  g_autoptr (NativertPackage) package = archive ? nativert_package_open (path, NULL, &error) : NULL;
  g_autoptr (NativertValue) samples = package
      ? nativert_package_load_sample_inputs (package, nativert_package_find_model (package, NULL, NULL), &error)
      : NULL;
  if (!samples || !flatten (samples, in)) {
    g_print ("%-40s %s\n", base, error ? error->message : "no sample inputs");
    return 1;
  }
  int64_t best = INT64_MAX;
  for (int i = 0; i < N_PLANS; i++) {
    int64_t start = g_get_monotonic_time ();
    g_autoptr (NativertPlan) plan = nativert_plan_new (archive->graph, in->inputs, in->n, &error);
    best = MIN (best, g_get_monotonic_time () - start);
    g_clear_error (&error);
  }
  g_autofree void **state = g_new0 (void *, archive->graph->n_inputs + 1);
  g_autoptr (Bound) bound = bound_new (archive, in->inputs, in->n, state, &error);
  int64_t start = g_get_monotonic_time ();
  if (!bound || !nativert_frame_run (bound->frame, in->data, bound->outputs, 0, &error)) {
    g_print ("%-40s %s\n", base, error->message);
    return 1;
  }
  int64_t run = g_get_monotonic_time () - start;
  const NativertPlan *plan = bound->plan;
  double off = 0;
  const char *verdict = checks ? check (archive, bound, in, path, &off) : "";
  g_print ("%-40s %5u nodes %5u steps %6.2f us/node, arena %8.2f MB = %.2f x bound, run %8" G_GINT64_FORMAT
           " us, error %.3g, %s\n",
      base, archive->graph->n_nodes, plan->n_steps, (double) best / MAX (archive->graph->n_nodes, 1u),
      (double) plan->arena_bytes / 1e6,
      plan->arena_lower_bound ? (double) plan->arena_bytes / (double) plan->arena_lower_bound : 1, run, off, verdict);
  return 0;
}

int
main (int argc, char **argv)
{
  int failed = 0;
  bool checks = argc > 1 && !strcmp (argv[1], "--check");
  for (int i = 1 + checks; i < argc; i++)
    failed += bench (argv[i], checks);
  if (argc < 2) {
    static const char *const names[] = { "attention.pt2", "inplacenet.pt2", "forks-core.pt2" };
    for (size_t i = 0; i < G_N_ELEMENTS (names); i++) {
      g_autofree char *path = g_build_filename (TEST_DATA, names[i], NULL);
      failed += bench (path, true);
    }
  }
  return failed > 0;
}
