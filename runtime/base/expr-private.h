/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside of the expressions, shared by their parser, evaluator and printer. */
#pragma once
#include "base/expr.h"
#include "base/region.h"

typedef enum {
  EXPR_INT,
  EXPR_FLOAT,
  EXPR_BOOL,
  EXPR_SYMBOL, /* leaves */
  EXPR_ADD,
  EXPR_MUL,
  EXPR_DIV,
  EXPR_POW,
  EXPR_NEG,
  EXPR_FLOOR_DIV,
  EXPR_MOD,
  EXPR_MAX,
  EXPR_MIN,
  EXPR_CEIL_DIV,
  EXPR_CLEAN_DIV,
  EXPR_MODULAR_INDEXING,
  EXPR_TRUE_DIV,
  EXPR_FLOAT_POW,
  EXPR_TO_FLOAT,
  EXPR_TRUNC_TO_INT,
  EXPR_CEIL_TO_INT,
  EXPR_FLOOR_TO_INT,
  EXPR_ROUND_TO_INT,
  EXPR_TRUNC_TO_FLOAT,
  EXPR_ROUND_DECIMAL,
  EXPR_ABS,
  EXPR_IDENTITY,
  EXPR_SQRT,
  EXPR_EXP,
  EXPR_LOG,
  EXPR_LOG2,
  EXPR_SIN,
  EXPR_COS,
  EXPR_TAN,
  EXPR_ASIN,
  EXPR_ACOS,
  EXPR_ATAN,
  EXPR_SINH,
  EXPR_COSH,
  EXPR_TANH,
  EXPR_ASINH,
  EXPR_BIT_AND,
  EXPR_BIT_OR,
  EXPR_BIT_XOR,
  EXPR_LSHIFT,
  EXPR_RSHIFT,
  EXPR_EQ,
  EXPR_NE,
  EXPR_LT,
  EXPR_LE,
  EXPR_GT,
  EXPR_GE,
  EXPR_AND,
  EXPR_OR,
  EXPR_NOT,
  EXPR_PAIR,
  EXPR_PIECEWISE,
  EXPR_WHERE,
  EXPR_N_OPS
} NativertExprOp;

struct NativertExpr {
  uint8_t op;
  uint8_t depth;                        /* 0 for leaves */
  bool inexact;                         /* floats are involved: the order of operands matters */
  uint32_t id, n;
  union { int64_t i; double f; uint32_t symbol; } u;
  const char *text;                     /* as first parsed: srepr or infix; NULL for parts of other expressions */
  const NativertExprTable *table;
  const NativertExpr *args[];
};

/* A number while it is being computed: rationals appear in products such as Mul(Rational(1, 2), s0). */
typedef struct {
  enum { EXPR_NUM_EXACT, EXPR_NUM_FLOAT, EXPR_NUM_BOOL } kind;
  int64_t n, d;                         /* EXACT: n / d, d > 0, in lowest terms; BOOL: n */
  double f;
} NativertExprNum;

typedef struct {
  const char *name;                     /* as a function of sympy's srepr */
  const char *infix;                    /* as an operator; NULL: printed as a function */
  uint8_t precedence;                   /* of the operator, higher binds tighter */
  uint8_t min, max;                     /* operands; 255: any number */
  bool inexact, commutative;
  bool (*unary) (NativertExprNum a, NativertExprNum *result);
  bool (*binary) (NativertExprNum a, NativertExprNum b, NativertExprNum *result);      /* folds over more operands */
} NativertExprRow;

extern const NativertExprRow nativert_expr_rows[EXPR_N_OPS];

enum { EXPR_MAX_DEPTH = 128 };         /* of the tree, and of brackets in the text */

const NativertExpr *nativert_expr_int (NativertExprTable *table, int64_t value);
const NativertExpr *nativert_expr_float (NativertExprTable *table, double value);
const NativertExpr *nativert_expr_bool (NativertExprTable *table, bool value);
const NativertExpr *nativert_expr_new_symbol (NativertExprTable *table, const char *name, size_t length);
/* Nested sums and products are flattened, integer constants in them combined, exact operands of commutative operators
 * sorted: the same expression in srepr and in infix text is one node. */
const NativertExpr *nativert_expr_make (
    NativertExprTable *table, NativertExprOp op, const NativertExpr *const *args, uint32_t n);
/* By the name of the function in srepr or infix text, with the aliases of both; -1: not known. */
int nativert_expr_find_op (const char *name, size_t length);
bool nativert_expr_compute (
    const NativertExpr *expr, const int64_t *symbols, const bool *known, NativertExprNum *result);
bool nativert_expr_num_sub (NativertExprNum a, NativertExprNum b, NativertExprNum *result);
bool nativert_expr_num_div (NativertExprNum a, NativertExprNum b, NativertExprNum *result);
/* The parser's own entry: NULL with error. */
const NativertExpr *nativert_expr_parse_text (NativertExprTable *table, const char *text, GError **error);
