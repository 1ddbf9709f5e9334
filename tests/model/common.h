/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of models share: committed archives, inputs, comparison with what PyTorch computed. */
#pragma once
#include "model/core.h"
#include "model/runner.h"
#include "nativert.h"

/* A file of tests/data/model; free with g_free. */
char *test_path (const char *name);
NativertModel *test_load (const char *name);
/* Runs the archive's sample inputs; leaves of the results in order, each a reference. */
GPtrArray *test_run_sample (NativertRunner *runner);
void test_flatten (NativertValue *value, GPtrArray *leaves);
/* Against NAME.expected.safetensors: same dtypes and sizes, floats within torch's default tolerances, the rest exactly.
 */
void test_compare (const char *name, GPtrArray *leaves);
NativertTensor *test_floats (const gint64 *sizes, guint n_dims, const float *values /* NULL: 0, 1, 2... */);
float test_float_at (NativertTensor *tensor, gsize index);
