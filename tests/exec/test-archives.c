/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every archive of tests/data/plan: the plan is sound, results are PyTorch's, any legal order of steps gives the same
 * bits, and a run allocates nothing.  Other archives (with their .safetensors of cases) can be named on the command
 * line. */
#include <math.h>
#include <string.h>
#include "archive.h"
#include "check-plan.h"
#include "count-malloc.h"
#include "kernels/convert.h"
#include "kernels/rules.h"

enum { MAX_CASES = 8, N_SEEDS = 6, N_COUNTED = 100 };

typedef struct {
  Archive *archive;
  NativertWeightSet *cases;
  void **state;                         /* by graph input; goes on from case to case */
  uint32_t index;                       /* of the case */
  NativertPlanInput *inputs;
  void **in;                            /* by user input: data */
  uint32_t n_inputs;
} Run;

/* ---- comparing ---- */

static double
element (const NativertView *v, int64_t at)
{
  const char *p = (const char *) v->data + at * (int64_t) nativert_dtype_size (v->dtype);
  switch (v->dtype) {
    case NATIVERT_F32: return *(const float *) p;
    case NATIVERT_F64: return *(const double *) p;
    case NATIVERT_F16: return NATIVERT_LOAD (*(const nativert_f16 *) p);
    case NATIVERT_BF16: return NATIVERT_LOAD (*(const nativert_bf16 *) p);
    case NATIVERT_I64: return (double) *(const int64_t *) p;
    case NATIVERT_I32: return *(const int32_t *) p;
    case NATIVERT_I16: return *(const int16_t *) p;
    case NATIVERT_I8: return *(const int8_t *) p;
    case NATIVERT_U8: case NATIVERT_BOOL: return *(const uint8_t *) p;
    default: g_error ("no comparison for %s", nativert_dtype_name (v->dtype));
  }
}

static int64_t
at (const NativertView *v, int64_t index)
{
  int64_t place = 0;
  for (int d = v->ndim; d-- > 0; index /= v->size[d])
    place += index % v->size[d] * v->stride[d];
  return place;
}

static void
compare (const char *what, const NativertView *got, const NativertWeightDesc *want)
{
  NativertView w;
  nativert_view_init (&w, (uint8_t) want->dtype, want->n_dims, want->sizes);
  w.data = (char *) nativert_storage_data (want->storage) + want->offset * (int64_t) nativert_dtype_size (w.dtype);
  if (got->ndim != w.ndim || memcmp (got->size, w.size, w.ndim * sizeof w.size[0]) || got->dtype != w.dtype)
    g_error ("%s: got %s of %d dims, PyTorch gives %s of %d", what, nativert_dtype_name (got->dtype), got->ndim,
        nativert_dtype_name (w.dtype), w.ndim);
  double rtol = w.dtype == NATIVERT_F64 ? 1e-7
      : w.dtype == NATIVERT_F32         ? 1.3e-6
      : w.dtype == NATIVERT_F16         ? 1e-3
      : w.dtype == NATIVERT_BF16        ? 1.6e-2
                                        : 0;
  double atol = w.dtype == NATIVERT_F64 ? 1e-7 : rtol > 0 ? 1e-5 : 0;
  for (int64_t i = 0; i < nativert_view_numel (&w); i++) {
    double x = element (got, at (got, i)), y = element (&w, i);
    if (!(x == y || (isnan (x) && isnan (y)) || fabs (x - y) <= atol + rtol * fabs (y)))
      g_error ("%s: element %d is %.9g, PyTorch gives %.9g", what, (int) i, x, y);
  }
}

static const NativertWeightDesc *
find_case (const Run *r, const char *kind, const char *name)
{
  g_autofree char *key = g_strdup_printf ("%u/%s/%s", r->index, kind, name);
  return nativert_weight_set_find (r->cases, key);
}

static const NativertWeightDesc *
find_case_number (const Run *r, const char *kind, uint32_t number)
{
  g_autofree char *name = g_strdup_printf ("%u", number);
  return find_case (r, kind, name);
}

static void
compare_number (const char *what, const Bound *bound, const NativertPlanOutput *out, const NativertWeightDesc *want)
{
  NativertView v;
  double value = out->kind == NATIVERT_VALUE_BOOL ? out->number.u.b : 0;
  uint8_t dtype = out->kind == NATIVERT_VALUE_INT ? NATIVERT_I64
      : out->kind == NATIVERT_VALUE_BOOL          ? NATIVERT_BOOL
                                                  : NATIVERT_F32;
  if (out->kind == NATIVERT_VALUE_INT)
    value = (double) out->number.u.i;
  else if (out->kind == NATIVERT_VALUE_FLOAT)
    value = out->slot == NATIVERT_NO_SLOT ? out->number.u.f
                                          : *(double *) nativert_frame_slot (bound->frame, out->slot)->data;
  union { float f; int64_t i; uint8_t b; } data;
  nativert_view_init (&v, dtype, 0, NULL);
  v.data = &data;
  if (dtype == NATIVERT_F32)
    data.f = (float) value;
  else if (dtype == NATIVERT_I64)
    data.i = (int64_t) value;
  else
    data.b = value != 0;
  compare (what, &v, want);
}

static void
compare_all (const Run *r, const Bound *bound)
{
  const NativertGraph *graph = r->archive->graph;
  uint32_t leaf = 0;
  for (uint32_t i = 0; i < graph->n_outputs; i++) {
    const NativertPlanOutput *out = &bound->plan->outputs[i];
    if (graph->outputs[i].kind != NATIVERT_OUT_USER)
      continue;
    const NativertWeightDesc *want = find_case_number (r, "out", leaf++);
    g_autofree char *what = g_strdup_printf ("case %u output %u", r->index, leaf - 1);
    if (!want)
      g_assert_cmpint (out->kind, ==, NATIVERT_VALUE_NONE);
    else if (out->kind == NATIVERT_VALUE_TENSOR)
      compare (what, nativert_frame_slot (bound->frame, out->slot), want);
    else
      compare_number (what, bound, out, want);
  }
  for (uint32_t i = 0; i < graph->n_inputs; i++) {
    const NativertWeightDesc *want = graph->inputs[i].kind == NATIVERT_IN_BUFFER && r->state[i]
        ? find_case (r, "buffer", graph->inputs[i].target)
        : NULL;
    NativertView v;
    if (!want)
      continue;
    nativert_view_init (&v, (uint8_t) want->dtype, want->n_dims, want->sizes);
    v.data = r->state[i];
    compare (graph->inputs[i].target, &v, want);
  }
}

/* What the run changed of its inputs: as copies in a training-IR program, as outputs after run_decompositions. */
static void
compare_inputs (const Run *r, const Bound *bound)
{
  const NativertGraph *graph = r->archive->graph;
  for (uint32_t k = 0; k < r->n_inputs; k++) {
    const NativertWeightDesc *want = find_case_number (r, "input", k);
    bool found = false;
    for (uint32_t i = 0; want && i < bound->plan->n_mutated; i++)
      if (bound->plan->mutated[i].input == k) {
        compare ("changed input", nativert_frame_slot (bound->frame, bound->plan->mutated[i].slot), want);
        found = true;
      }
    for (uint32_t i = 0; want && i < graph->n_outputs; i++)
      found |= graph->outputs[i].kind == NATIVERT_OUT_USER_INPUT_MUTATION;
    g_assert_true (found || !want);
  }
}

/* ---- running ---- */

static void
set_inputs (Run *r)
{
  const NativertGraph *graph = r->archive->graph;
  r->inputs = g_new0 (NativertPlanInput, graph->n_inputs + 1);
  r->in = g_new0 (void *, graph->n_inputs + 1);
  r->n_inputs = 0;
  for (uint32_t i = 0; i < graph->n_inputs; i++) {
    if (graph->inputs[i].kind != NATIVERT_IN_USER && graph->inputs[i].kind != NATIVERT_IN_CONSTANT)
      continue;
    const NativertWeightDesc *w = find_case_number (r, "in", r->n_inputs);
    NativertPlanInput *in = &r->inputs[r->n_inputs];
    g_assert_nonnull (w);
    in->kind = NATIVERT_VALUE_TENSOR;
    nativert_view_init (&in->view, (uint8_t) w->dtype, w->n_dims, w->sizes);
    r->in[r->n_inputs++]
        = (char *) nativert_storage_data (w->storage) + w->offset * (int64_t) nativert_dtype_size ((uint8_t) w->dtype);
  }
}

/* Bytes of everything that a run leaves, to be compared bit by bit. */
static GByteArray *
snapshot (const Run *r, const Bound *bound)
{
  GByteArray *bytes = g_byte_array_new ();
  for (uint32_t i = 0; i < bound->plan->n_blocks; i++) {
    const NativertBlock *b = &bound->plan->blocks[i];
    const void *data = b->mem == NATIVERT_MEM_OUTPUT ? bound->outputs[b->index]
        : b->mem == NATIVERT_MEM_STATE               ? r->state[b->index]
                                                     : NULL;
    if (data)
      g_byte_array_append (bytes, data, (guint) b->n_bytes);
  }
  return bytes;
}

static GPtrArray *
save_state (const Run *r, const NativertPlan *plan)
{
  GPtrArray *saved = g_ptr_array_new_with_free_func (g_free);
  for (uint32_t i = 0; i < plan->n_blocks; i++)
    if (plan->blocks[i].mem == NATIVERT_MEM_STATE)
      g_ptr_array_add (saved, g_memdup2 (r->state[plan->blocks[i].index], plan->blocks[i].n_bytes));
  return saved;
}

static void
restore_state (const Run *r, const NativertPlan *plan, const GPtrArray *saved)
{
  for (uint32_t i = 0, n = 0; i < plan->n_blocks; i++)
    if (plan->blocks[i].mem == NATIVERT_MEM_STATE)
      memcpy (r->state[plan->blocks[i].index], saved->pdata[n++], plan->blocks[i].n_bytes);
}

static void
check_shuffled (const Run *r, const Bound *bound, const GPtrArray *before, const GByteArray *want)
{
  for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
    GError *error = NULL;
    restore_state (r, bound->plan, before);
    for (uint32_t i = 0; i < bound->plan->n_blocks; i++)
      if (bound->plan->blocks[i].mem == NATIVERT_MEM_OUTPUT)
        memset (bound->outputs[bound->plan->blocks[i].index], 0x5a, bound->plan->blocks[i].n_bytes);
    g_assert_true (nativert_frame_run_shuffled (bound->frame, r->in, bound->outputs, seed, &error));
    g_assert_no_error (error);
    g_autoptr (GByteArray) got = snapshot (r, bound);
    g_assert_cmpmem (got->data, got->len, want->data, want->len);
  }
}

static void
check_allocations (const Run *r, const Bound *bound, const GPtrArray *before)
{
  unsigned long count = malloc_count ();
  for (int i = 0; i < N_COUNTED; i++)
    nativert_frame_run (bound->frame, r->in, bound->outputs, 0, NULL);
  g_assert_cmpuint (malloc_count () - count, ==, 0);
  restore_state (r, bound->plan, before);
}

static void
run_case (Run *r)
{
  g_autoptr (GError) error = NULL;
  set_inputs (r);
  g_autoptr (Bound) bound = bound_new (r->archive, r->inputs, r->n_inputs, r->state, &error);
  g_assert_no_error (error);
  g_autofree char *text = nativert_plan_to_text (bound->plan);
  if (g_getenv ("NATIVERT_SHOW_PLAN"))
    g_test_message ("%s", text);
  g_autofree char *why = check_plan (bound->plan);
  g_assert_cmpstr (why, ==, NULL);
  g_autoptr (GPtrArray) before = save_state (r, bound->plan);
  g_assert_true (nativert_frame_run (bound->frame, r->in, bound->outputs, 0, &error));
  compare_all (r, bound);
  compare_inputs (r, bound);
  g_autoptr (GByteArray) want = snapshot (r, bound);
  g_autoptr (GPtrArray) after = save_state (r, bound->plan);
  check_shuffled (r, bound, before, want);
  check_allocations (r, bound, after);
  g_clear_pointer (&r->inputs, g_free);
  g_clear_pointer (&r->in, g_free);
}

static void
test_archive (gconstpointer data)
{
  const char *path = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *stem = g_strndup (path, strlen (path) - strlen (".pt2"));
  if (g_str_has_suffix (stem, "-core"))
    stem[strlen (stem) - strlen ("-core")] = 0;
  g_autofree char *cases = g_strconcat (stem, ".safetensors", NULL);
  g_autoptr (Archive) archive = archive_open (path, &error);
  g_assert_no_error (error);
  g_autoptr (NativertWeightSet) set = nativert_safetensors_load (cases, NULL, &error);
  g_assert_no_error (error);
  g_autofree void **state = g_new0 (void *, archive->graph->n_inputs + 1);
  Run r = { .archive = archive, .cases = set, .state = state };
  for (; r.index < MAX_CASES; r.index++) {
    if (!find_case_number (&r, "in", 0))
      break;
    run_case (&r);
  }
  g_assert_cmpuint (r.index, >, 0);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
add_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  for (const char *name; dir && (name = g_dir_read_name (dir));)
    if (g_str_has_suffix (name, ".pt2"))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *path = g_strdup_printf ("/exec/archives/%s", (char *) names->pdata[i]);
    g_test_add_data_func_full (path, g_build_filename (folder, names->pdata[i], NULL), test_archive, g_free);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (argc < 2)
    add_folder (g_getenv ("NATIVERT_TEST_DATA") ? g_getenv ("NATIVERT_TEST_DATA") : TEST_DATA);
  for (int i = 1; i < argc; i++) {
    g_autofree char *path = g_strdup_printf ("/exec/archives/%d", i);
    g_test_add_data_func (path, argv[i], test_archive);
  }
  return g_test_run ();
}
