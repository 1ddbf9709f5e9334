/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Evaluates single operators at once, outside of any graph: what a plan and an executor do, eagerly, serially and with
 * malloc. Inputs go in with eval_add; eval_op takes arguments in schema order, as emit functions do (tensors are refs),
 * does the promotion, asks view, expand, shape and kernels, runs all parts, and checks guard bytes around every result.
 */
#pragma once
#include <glib.h>
#include "kernels/emit.h"

typedef struct Eval Eval;

Eval *eval_new (uint32_t cpu);
void eval_free (Eval *eval);
/* The memory must outlive eval.  wrapped: a Python number, which promotes less than a tensor does. */
NativertRef eval_add (Eval *eval, const NativertView *view, bool wrapped);
/* false: see eval_error. */
bool eval_op (Eval *eval, uint16_t op, uint32_t n_args, const NativertArg *args, uint32_t n_out, NativertRef *out);
const NativertView *eval_view (Eval *eval, NativertRef ref);
const char *eval_error (Eval *eval);
