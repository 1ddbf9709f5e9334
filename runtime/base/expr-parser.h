/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of the parser, between its operators (expr-parse.c) and its operands (expr-operand.c). */
#pragma once
#include "base/expr-private.h"

typedef struct {
  NativertExprTable *table;
  const char *text, *at;
  unsigned depth;
  GError **error;
} NativertExprParser;

/* Sets the error unless there is one; returns NULL. */
const NativertExpr *nativert_expr_fail (NativertExprParser *p, const char *why);
void nativert_expr_skip_space (NativertExprParser *p);
/* Takes the operator or keyword when it is next. */
bool nativert_expr_take (NativertExprParser *p, const char *token);
/* NULL when the expression became too deep: everything that walks one recurses. */
const NativertExpr *nativert_expr_make_checked (
    NativertExprParser *p, NativertExprOp op, const NativertExpr *const *args, uint32_t n);
/* A number; at a digit or point. */
const NativertExpr *nativert_expr_parse_number (NativertExprParser *p, bool negative);
/* A number, a name, a call, or a whole expression in brackets. */
const NativertExpr *nativert_expr_parse_operand (NativertExprParser *p);
/* A whole expression. */
const NativertExpr *nativert_expr_parse_whole (NativertExprParser *p);
