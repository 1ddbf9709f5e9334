/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs written as text, for tests of graphs and passes:
 *
 *   param w f32[8,3,3,3]; input x f32[s0,3,8,8]; input n int
 *   y:f32[s0,8,6,6] = aten.conv2d.default(input=x, weight=w, bias=None, stride=[1,1])
 *   a:f32[2], [b:f32[1], c:f32[1]] = aten.foo.default(x, [x, None], 0.5, True, "text", dtype:f32, [n, 3])
 *   mutate buffer m y
 *   return y, a
 *
 * One statement a line (or between semicolons).  Kinds: param, buffer, const, input; "[2,3]{1,2}" gives strides.
 * Types: f32 f64 f16 bf16 i64 i32 u8 bool, int, float, sbool (a symbol), obj. */
#pragma once
#include "graph/graph.h"
#include "graph/schema.h"

NativertProgram *fixture_program (const char *text);
/* nativert_graph_new of it; the test fails when that fails. */
NativertGraph *fixture_graph (const char *text);
/* Schemas of the operators that these tests use; lives until the process ends. */
const NativertSchemas *fixture_schemas (void);
/* bind, then one pass by name; returns the number of changes and checks lint. */
int fixture_pass (NativertGraph *graph, const char *pass);
/* The node whose first output has that name; NULL when there is none. */
NativertNode *fixture_node (const NativertGraph *graph, const char *output);
/* Nodes with that target, "aten.relu.default". */
unsigned fixture_count (const NativertGraph *graph, const char *target);
/* The text form without its comments equals this. */
void fixture_assert_text (const NativertGraph *graph, const char *expected);
