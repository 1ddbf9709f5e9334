/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inputs of one run in a plan's terms, and the key under which the plan for them is kept. */
#pragma once
#include "model/core.h"

typedef struct NativertRunInputs NativertRunInputs;
struct NativertRunInputs {
  NativertRunInputs *next;
  uint32_t n;                           /* ports */
  NativertPlanInput *inputs;
  NativertTensor **tensors;             /* borrowed; NULL for what is no tensor */
  bool *lay_out;                        /* the plan gets a dense copy: strides or address are not what it takes */
  uint64_t hash;
};

NativertRunInputs *nativert_run_inputs_new (uint32_t n);
void nativert_run_inputs_free (NativertRunInputs *ri);
/* Tensors for the tensor ports in order; the other ports must be constants of the graph. */
bool nativert_run_inputs_set_tensors (
    NativertRunInputs *ri, const NativertCore *core, NativertTensor *const *tensors, uint32_t n, GError **error);
/* One value per port. */
bool nativert_run_inputs_set_values (
    NativertRunInputs *ri, const NativertCore *core, NativertValue *const *values, uint32_t n, GError **error);
/* Kinds, dtypes, ranks, fixed sizes and ranges, in words.  Only asked for inputs whose plan is not there yet. */
bool nativert_run_inputs_check (const NativertRunInputs *ri, const NativertCore *core, GError **error);

/* The key part, to keep. */
NativertPlanInput *nativert_plan_inputs_dup (const NativertPlanInput *inputs, uint32_t n);
void nativert_plan_inputs_free (NativertPlanInput *inputs, uint32_t n);
bool nativert_plan_inputs_equal (const NativertPlanInput *a, const NativertPlanInput *b, uint32_t n);
