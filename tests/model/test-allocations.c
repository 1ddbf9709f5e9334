/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steady state: when the plan is there, a run allocates the array it hands out and nothing else.  Counts by standing in
 * for the C library's malloc, so it is built without sanitizers only. */
#include "common.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

/* GLib's calls have to find these too. */
#define EVERYWHERE __attribute__ ((visibility ("default")))

extern void *__libc_malloc (size_t n_bytes);
extern void *__libc_calloc (size_t n, size_t n_bytes);
extern void *__libc_realloc (void *old, size_t n_bytes);
extern void *__libc_memalign (size_t alignment, size_t n_bytes);
EVERYWHERE void *malloc (size_t n_bytes);
EVERYWHERE void *calloc (size_t n, size_t n_bytes);
EVERYWHERE void *realloc (void *old, size_t n_bytes);
EVERYWHERE int posix_memalign (void **out, size_t alignment, size_t n_bytes);
EVERYWHERE void *aligned_alloc (size_t alignment, size_t n_bytes);

static atomic_uint n_calls;
static atomic_size_t n_total;

static void
count (size_t n_bytes)
{
  n_calls++;
  n_total += n_bytes;
}

void *
malloc (size_t n_bytes)
{
  count (n_bytes);
  return __libc_malloc (n_bytes);
}

void *
calloc (size_t n, size_t n_bytes)
{
  count (n * n_bytes);
  return __libc_calloc (n, n_bytes);
}

void *
realloc (void *old, size_t n_bytes)
{
  count (n_bytes);
  return __libc_realloc (old, n_bytes);
}

int
posix_memalign (void **out, size_t alignment, size_t n_bytes)
{
  count (n_bytes);
  *out = __libc_memalign (alignment, n_bytes);
  return *out == NULL ? 12 : 0;
}

void *
aligned_alloc (size_t alignment, size_t n_bytes)
{
  count (n_bytes);
  return __libc_memalign (alignment, n_bytes);
}

static void
run_and_let_go (NativertRunner *runner, NativertTensor **inputs, guint n_inputs)
{
  NativertTensor **outputs;
  guint n;

  g_assert_true (nativert_runner_run_tensors (runner, inputs, n_inputs, &outputs, &n, NULL));
  for (guint i = 0; i < n; i++)
    nativert_tensor_unref (outputs[i]);
  g_free (outputs);
}

static void
test_steady_state (gconstpointer name)
{
  g_autoptr (NativertModel) model = test_load (name);
  g_autoptr (NativertRunner) runner = nativert_runner_new (model, 1);
  g_autoptr (NativertValue) sample = nativert_model_dup_sample_inputs (model, NULL);
  NativertTensor *inputs[8];
  guint n = 0, before, calls;
  gsize n_bytes;
  NativertValue *args = nativert_value_get_child (sample, 0);

  for (guint i = 0; i < nativert_value_get_length (args); i++)
    inputs[n++] = nativert_value_get_tensor (nativert_value_get_child (args, i));
  for (int i = 0; i < 3; i++)
    run_and_let_go (runner, inputs, n);
  before = n_calls;
  n_total = 0;
  for (int i = 0; i < 100; i++)
    run_and_let_go (runner, inputs, n);
  calls = n_calls - before;
  n_bytes = n_total;
  g_test_message ("%u allocations, %zu bytes in 100 runs", calls, n_bytes);
  g_assert_cmpuint (calls, ==, 100);    /* the array of results, which is the caller's */
  g_assert_cmpuint (n_bytes, <=, 100 * 16 * sizeof (void *));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/allocations/linear", "linear.pt2", test_steady_state);
  g_test_add_data_func ("/allocations/conv", "conv.pt2", test_steady_state);
  g_test_add_data_func ("/allocations/counter", "counter.pt2", test_steady_state);
  g_test_add_data_func ("/allocations/writes", "writes.pt2", test_steady_state);
  return g_test_run ();
}
