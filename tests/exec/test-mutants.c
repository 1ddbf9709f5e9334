/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs with random changes in their numbers and names: each is refused, or its plan is sound and its run stays
 * inside of memory that is exactly as large as the plan says (address sanitizer sees the rest). test-mutants [--mutants
 * N]    */
#include <stdlib.h>
#include <string.h>
#include "check-plan.h"
#include "exec/frame.h"
#include "kernels/rules.h"
#include "package/package.h"

enum { MAX_BYTES = 8 << 20, MAX_COST = 50000000, DEFAULT_MUTANTS = 25 };

static int n_mutants = DEFAULT_MUTANTS;
static unsigned n_refused, n_planned, n_run;

/* ---- changing the text ---- */

static bool
is_number_start (const char *text, size_t i)
{
  return g_ascii_isdigit (text[i])
      && (text[i - 1] == ' ' || text[i - 1] == '[' || text[i - 1] == '(' || text[i - 1] == '-');
}

static void
change_number (GString *text, GRand *rand)
{
  static const char *const with[] = { "0", "1", "2", "3", "4", "7", "8", "16", "1000000", "2147483648",
    "4611686018427387904", "9223372036854775807", "-1" };
  for (int tries = 0; tries < 1000; tries++) {
    size_t i = (size_t) g_rand_int_range (rand, 1, (int) text->len), end;
    if (!is_number_start (text->str, i))
      continue;
    for (end = i; g_ascii_isdigit (text->str[end]); end++)
      ;
    g_string_erase (text, (gssize) i, (gssize) (end - i));
    g_string_insert (text, (gssize) i, with[g_rand_int_range (rand, 0, G_N_ELEMENTS (with))]);
    return;
  }
}

/* The place of a random "as_tensor": {"name": "...". */
static char *
random_name (const char *text, GRand *rand, size_t *at)
{
  static const char key[] = "{\"as_tensor\": {\"name\": \"";
  const char *p = strstr (text + g_rand_int_range (rand, 0, (int) strlen (text)), key);
  if (!p)
    return NULL;
  p += strlen (key);
  *at = (size_t) (p - text);
  return g_strndup (p, strcspn (p, "\""));
}

static void
change_name (GString *text, GRand *rand)
{
  size_t to, from;
  g_autofree char *a = random_name (text->str, rand, &to);
  g_autofree char *b = random_name (text->str, rand, &from);
  if (!a || !b)
    return;
  g_string_erase (text, (gssize) to, (gssize) strlen (a));
  g_string_insert (text, (gssize) to, b);
}

/* ---- planning and running ---- */

static void
choose_inputs (const NativertGraph *graph, NativertPlanInput *inputs, uint32_t *n)
{
  *n = 0;
  for (uint32_t i = 0; i < graph->n_inputs; i++) {
    const NativertGraphInput *input = &graph->inputs[i];
    if (input->kind != NATIVERT_IN_USER && input->kind != NATIVERT_IN_CONSTANT)
      continue;
    NativertPlanInput *in = &inputs[(*n)++];
    const NativertTensorMetaDesc *meta = input->value ? input->value->meta : NULL;
    if (!meta || meta->dtype < 0 || meta->n_dims > NATIVERT_MAX_DIMS) {
      *in = (NativertPlanInput) { .kind = NATIVERT_VALUE_INT, .number = { .kind = NATIVERT_NUM_INT, .u.i = 3 } };
      continue;
    }
    int64_t sizes[NATIVERT_MAX_DIMS];
    for (uint32_t d = 0; d < meta->n_dims; d++)
      sizes[d] = !meta->sizes[d].expr ? meta->sizes[d].value : nativert_expr_symbol (meta->sizes[d].expr) < 0 ? 8 : 4;
    in->kind = NATIVERT_VALUE_TENSOR;
    nativert_view_init (&in->view, (uint8_t) meta->dtype, meta->n_dims, sizes);
  }
}

static void *
exact_memory (GPtrArray *owner, size_t n_bytes, GRand *rand)
{
  uint8_t *memory = malloc (n_bytes);
  for (size_t i = 0; i < n_bytes; i++)
    memory[i] = (uint8_t) g_rand_int_range (rand, 0, 4);
  g_ptr_array_add (owner, memory);
  return memory;
}

static void
run (NativertPlan *plan, GRand *rand)
{
  g_autoptr (GPtrArray) owner = g_ptr_array_new_with_free_func (free);
  uint32_t n = plan->graph->n_inputs + plan->n_outputs + plan->n_packs + 1;
  g_autofree void **weights = g_new0 (void *, n), **state = g_new0 (void *, n), **inputs = g_new0 (void *, n),
                  **outputs = g_new0 (void *, n);
  g_autofree const void **packs = g_new0 (const void *, n);
  size_t total = plan->arena_bytes;
  for (uint32_t i = 0; i < plan->n_blocks; i++)
    total = MIN (total + plan->blocks[i].n_bytes, (size_t) 1 << 40);
  for (uint32_t i = 0; i < plan->n_packs; i++)
    total = MIN (total + plan->packs[i].pack.n_bytes, (size_t) 1 << 40);
  if (total > MAX_BYTES || plan->cost > MAX_COST)
    return;
  for (uint32_t i = 0; i < plan->n_blocks; i++) {
    const NativertBlock *b = &plan->blocks[i];
    void **by_mem[] = { [NATIVERT_MEM_INPUT] = inputs,
      [NATIVERT_MEM_OUTPUT] = outputs,
      [NATIVERT_MEM_WEIGHT] = weights,
      [NATIVERT_MEM_STATE] = state };
    if (b->mem < G_N_ELEMENTS (by_mem) && by_mem[b->mem])
      by_mem[b->mem][b->index] = exact_memory (owner, b->n_bytes, rand);
  }
  for (uint32_t i = 0; i < plan->n_packs; i++) {
    NativertView view = plan->packs[i].view;
    void *pack = NULL;
    view.data = (char *) weights[plan->packs[i].weight] + plan->packs[i].offset;
    g_assert_cmpint (posix_memalign (&pack, 64, plan->packs[i].pack.n_bytes + 1), ==, 0);
    g_ptr_array_add (owner, pack);
    plan->packs[i].pack.fn (pack, &view, plan->params + plan->packs[i].params);
    packs[i] = pack;
  }
  g_autoptr (NativertFrame) frame = nativert_frame_new (plan, NULL);
  g_assert_nonnull (frame);
  nativert_frame_bind (frame, &(NativertBinding) { weights, packs, state });
  nativert_frame_run (frame, inputs, outputs, 0, NULL);
  n_run++;
}

static void
try_graph (NativertGraph *graph, GRand *rand)
{
  g_autoptr (GError) error = NULL;
  g_autofree NativertPlanInput *inputs = g_new0 (NativertPlanInput, graph->n_inputs + 1);
  uint32_t n;
  choose_inputs (graph, inputs, &n);
  g_autoptr (NativertPlan) plan = nativert_plan_new (graph, inputs, n, &error);
  g_assert_true ((plan == NULL) == (error != NULL));
  if (!plan)
    return;
  g_autofree char *why = check_plan (plan);
  g_assert_cmpstr (why, ==, NULL);
  n_planned++;
  run (plan, rand);
}

static void
try_mutant (const char *text, uint32_t seed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) changed = g_string_new (text);
  GRand *rand = g_rand_new_with_seed (seed);
  for (int n = g_rand_int_range (rand, 0, 3); n >= 0; n--)
    if (g_rand_int_range (rand, 0, 4))
      change_number (changed, rand);
    else
      change_name (changed, rand);
  if (g_getenv ("NATIVERT_SHOW_MUTANT"))
    g_file_set_contents (g_getenv ("NATIVERT_SHOW_MUTANT"), changed->str, (gssize) changed->len, NULL);
  NativertProgram *program = nativert_program_parse ("mutant", changed->str, changed->len, &error);
  g_autoptr (NativertGraph) graph = program ? nativert_graph_new (program, &error) : NULL;
  if (graph && nativert_graph_optimize (graph, nativert_plan_schemas (), &error)) {
    try_graph (graph, rand);
    if (graph->fold)
      try_graph (graph->fold, rand);
  } else {
    g_assert_nonnull (error);
    n_refused++;
  }
  g_rand_free (rand);
}

static void
test_mutants (gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NativertPackage) package = nativert_package_open (data, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (GBytes) bytes = nativert_package_read_record (package, "models/model.json", &error);
  g_assert_no_error (error);
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  const char *only = g_getenv ("NATIVERT_MUTANT");
  for (int i = 0; i < n_mutants; i++)
    if (!only || atoi (only) == i) {
      if (g_getenv ("NATIVERT_SHOW_MUTANT"))
        g_test_message ("mutant %d", i);
      try_mutant (text, (uint32_t) i + g_str_hash (strrchr (data, '/')));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (int i = 1; i + 1 < argc; i++)
    if (!strcmp (argv[i], "--mutants"))
      n_mutants = atoi (argv[i + 1]);
  g_autoptr (GDir) dir = g_dir_open (TEST_DATA, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    if (!g_str_has_suffix (name, ".pt2"))
      continue;
    g_autofree char *path = g_strdup_printf ("/exec/mutants/%s", name);
    g_test_add_data_func_full (path, g_build_filename (TEST_DATA, name, NULL), test_mutants, g_free);
  }
  int status = g_test_run ();
  g_test_message ("%u refused early, %u planned, %u run", n_refused, n_planned, n_run);
  return status;
}
