/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Symbolic sizes: sympy srepr ("Mul(Integer(2), Symbol('s0'))") and the infix text of old files and of range keys
 * ("2*s0 + 1", "(s0//2)"), parsed once and evaluated many times.  Expressions live in the table that made them. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct NativertExpr NativertExpr; /* immutable; equal text gives the same pointer within a table */
typedef struct NativertExprTable NativertExprTable;

typedef struct {
  enum { NATIVERT_NUM_INT, NATIVERT_NUM_FLOAT, NATIVERT_NUM_BOOL } kind;
  union {
    int64_t i;
    double f;
    bool b;
  } u;
} NativertNum;

NativertExprTable *nativert_expr_table_new (void);
void nativert_expr_table_free (NativertExprTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertExprTable, nativert_expr_table_free)
const NativertExpr *nativert_expr_parse (NativertExprTable *table, const char *text, GError **error);
/* Symbols are numbered from 0 in the order in which they were first seen. */
uint32_t nativert_expr_table_n_symbols (const NativertExprTable *table);
const char *nativert_expr_table_symbol (const NativertExprTable *table, uint32_t index);
int32_t nativert_expr_table_find_symbol (const NativertExprTable *table, const char *name);      /* -1: unknown */
/* Index of the symbol when the expression is one bare symbol, else -1. */
int32_t nativert_expr_symbol (const NativertExpr *expr);
const char *nativert_expr_text (const NativertExpr *expr);
/* The infix text that a person reads: "2*s0 + 1". */
char *nativert_expr_to_infix (const NativertExpr *expr);
/* False when a symbol is unknown (known[i] false), on overflow or division by zero. */
bool nativert_expr_eval (const NativertExpr *expr, const int64_t *symbols, const bool *known, NativertNum *result);
/* Finds the value of the only unknown symbol of expr such that expr == value (solves 2*s0 == 8, s0 + 3 == 5, s0//2 is
 * not solvable).  False when there is none, or more than one unknown. */
bool nativert_expr_solve (const NativertExpr *expr, int64_t value, int64_t *symbols, bool *known);
