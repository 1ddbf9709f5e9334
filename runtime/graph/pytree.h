/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The structure of arguments and results: torch's TreeSpec, read from its JSON text. */
#pragma once
#include "nativert.h"
#include "package/program.h"

typedef struct NativertTreeSpec NativertTreeSpec;
NativertTreeSpec *nativert_tree_spec_parse (const char *json, const NativertProgram *program, GError **error);
void nativert_tree_spec_free (NativertTreeSpec *spec);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertTreeSpec, nativert_tree_spec_free)
uint32_t nativert_tree_spec_n_leaves (const NativertTreeSpec *spec);
/* "boxes", "0.1": where leaf number index sits; free with g_free. */
char *nativert_tree_spec_leaf_path (const NativertTreeSpec *spec, uint32_t index);
/* "(x, {flag})": the structure as a person reads it. */
char *nativert_tree_spec_to_text (const NativertTreeSpec *spec);
/* in_spec against a call: leaves (borrowed) in order; kwargs reordered by the spec, missing dict keys give None
 * leaves. */
bool nativert_tree_spec_flatten_call (
    const NativertTreeSpec *spec, NativertValue *args, NativertValue *kwargs, GPtrArray *leaves, GError **error);
/* Takes the leaves. */
NativertValue *nativert_tree_spec_unflatten (
    const NativertTreeSpec *spec, NativertValue **leaves, uint32_t n_leaves, GError **error);
