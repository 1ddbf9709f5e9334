/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Alias classes: which values may be names of one storage.  Read from the schemas' annotations and a short list of
 * operators that hand back their input without saying so.  Too many aliases is safe, too few is not. */
#pragma once
#include "graph/private.h"

typedef struct NativertAliases NativertAliases;

/* Renumbers the graph.  Good until the next value is added. */
NativertAliases *nativert_aliases_new (NativertGraph *graph);
void nativert_aliases_free (NativertAliases *aliases);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertAliases, nativert_aliases_free)

uint32_t nativert_aliases_class (const NativertAliases *aliases, const NativertGraphValue *value);
/* Some member is an input of the graph, of any kind; of kind USER. */
bool nativert_aliases_has_input (const NativertAliases *aliases, const NativertGraphValue *value);
bool nativert_aliases_has_user_input (const NativertAliases *aliases, const NativertGraphValue *value);
/* Some node writes to a member. */
bool nativert_aliases_is_written (const NativertAliases *aliases, const NativertGraphValue *value);

bool nativert_node_writes_arg (const NativertNode *node, uint32_t arg);
bool nativert_node_writes (const NativertNode *node);
/* Result number output may be a view of argument arg. */
bool nativert_node_aliases (const NativertNode *node, uint32_t output, uint32_t arg);
/* Every result is a view of an argument, or may be: no arithmetic. */
bool nativert_node_is_view (const NativertNode *node);
