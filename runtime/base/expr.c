/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of expressions: every node is made once (hash-consed) and lives as long as the table. */
#include "base/expr-private.h"
#include "base/checked.h"

#include <string.h>

struct NativertExprTable {
  NativertRegion *region;
  GHashTable *texts;                    /* text -> expression */
  GHashTable *nodes;                    /* the nodes by structure */
  GHashTable *symbol_index;             /* name -> index + 1 */
  GPtrArray *symbols;
  uint32_t n_nodes;
};

static guint
node_hash (gconstpointer key)
{
  const NativertExpr *expr = key;
  guint hash = expr->op;

  hash = hash * 31 + (guint) (expr->u.i ^ (expr->u.i >> 32));
  for (uint32_t i = 0; i < expr->n; i++)
    hash = hash * 31 + expr->args[i]->id;
  return hash;
}

static gboolean
node_equal (gconstpointer a, gconstpointer b)
{
  const NativertExpr *x = a, *y = b;

  return x->op == y->op && x->u.i == y->u.i && x->n == y->n
      && memcmp (x->args, y->args, x->n * sizeof (x->args[0])) == 0;
}

NativertExprTable *
nativert_expr_table_new (void)
{
  NativertExprTable *table = g_new0 (NativertExprTable, 1);

  table->region = nativert_region_new ();
  table->texts = g_hash_table_new (g_str_hash, g_str_equal);
  table->nodes = g_hash_table_new (node_hash, node_equal);
  table->symbol_index = g_hash_table_new (g_str_hash, g_str_equal);
  table->symbols = g_ptr_array_new ();
  return table;
}

void
nativert_expr_table_free (NativertExprTable *table)
{
  if (table == NULL)
    return;
  g_hash_table_unref (table->texts);
  g_hash_table_unref (table->nodes);
  g_hash_table_unref (table->symbol_index);
  g_ptr_array_unref (table->symbols);
  nativert_region_free (table->region);
  g_free (table);
}

static const NativertExpr *
intern (NativertExprTable *table, NativertExprOp op, int64_t payload, const NativertExpr *const *args, uint32_t n)
{
  size_t n_bytes = sizeof (NativertExpr) + n * sizeof (args[0]);
  g_autofree NativertExpr *key = g_malloc0 (n_bytes);
  NativertExpr *node;

  key->op = op;
  key->n = n;
  key->u.i = payload;
  if (n > 0)
    memcpy (key->args, args, n * sizeof (args[0]));
  node = g_hash_table_lookup (table->nodes, key);
  if (node != NULL)
    return node;
  key->inexact = nativert_expr_rows[op].inexact;
  for (uint32_t i = 0; i < n; i++) {
    key->inexact = key->inexact || args[i]->inexact;
    key->depth = MAX (key->depth, args[i]->depth + 1);
  }
  key->id = table->n_nodes++;
  key->table = table;
  node = nativert_region_memdup (table->region, key, n_bytes);
  g_hash_table_add (table->nodes, node);
  return node;
}

const NativertExpr *
nativert_expr_int (NativertExprTable *table, int64_t value)
{
  return intern (table, EXPR_INT, value, NULL, 0);
}

const NativertExpr *
nativert_expr_float (NativertExprTable *table, double value)
{
  int64_t bits;

  memcpy (&bits, &value, sizeof bits);
  return intern (table, EXPR_FLOAT, bits, NULL, 0);
}

const NativertExpr *
nativert_expr_bool (NativertExprTable *table, bool value)
{
  return intern (table, EXPR_BOOL, value, NULL, 0);
}

const NativertExpr *
nativert_expr_new_symbol (NativertExprTable *table, const char *name, size_t length)
{
  g_autofree char *key = g_strndup (name, length);
  gpointer found = g_hash_table_lookup (table->symbol_index, key);
  NativertExpr *symbol;

  if (found == NULL) {
    char *own = nativert_region_strdup (table->region, key);
    g_ptr_array_add (table->symbols, own);
    found = GUINT_TO_POINTER (table->symbols->len);
    g_hash_table_insert (table->symbol_index, own, found);
  }
  symbol = (NativertExpr *) intern (table, EXPR_SYMBOL, GPOINTER_TO_UINT (found) - 1, NULL, 0);
  /* torch names symbolic floats zf0 and zuf0 */
  symbol->inexact = key[0] == 'z';
  return symbol;
}

/* Appends the operands of op, with those of nested op nodes in their place, and integer constants combined in
 * *constant. */
static bool
flatten (NativertExprOp op, const NativertExpr *const *args, uint32_t n, GPtrArray *out, int64_t *constant)
{
  for (uint32_t i = 0; i < n; i++) {
    if (args[i]->op == op) {
      if (!flatten (op, args[i]->args, args[i]->n, out, constant))
        return false;
    } else if (args[i]->op == EXPR_INT) {
      bool fits = op == EXPR_ADD ? nativert_add_i64 (*constant, args[i]->u.i, constant)
                                 : nativert_mul_i64 (*constant, args[i]->u.i, constant);
      if (!fits)
        return false;
    } else {
      g_ptr_array_add (out, (gpointer) args[i]);
    }
  }
  return true;
}

static int
by_id (gconstpointer a, gconstpointer b)
{
  const NativertExpr *x = *(const NativertExpr *const *) a, *y = *(const NativertExpr *const *) b;

  return x->id < y->id ? -1 : x->id > y->id;
}

/* Sums and products; the constant comes first in the operands. */
static const NativertExpr *
make_linear (NativertExprTable *table, NativertExprOp op, const NativertExpr *const *args, uint32_t n)
{
  g_autoptr (GPtrArray) flat = g_ptr_array_new ();
  int64_t neutral = op == EXPR_ADD ? 0 : 1, constant = neutral;
  const NativertExpr *const *operands;

  if (!flatten (op, args, n, flat, &constant))
    return intern (table, op, 0, args, n);
  if (op == EXPR_MUL && constant == 0)
    return nativert_expr_int (table, 0);
  g_ptr_array_sort (flat, by_id);
  if (constant != neutral || flat->len == 0)
    g_ptr_array_insert (flat, 0, (gpointer) nativert_expr_int (table, constant));
  operands = (const NativertExpr *const *) flat->pdata;
  return flat->len == 1 ? operands[0] : intern (table, op, 0, operands, flat->len);
}

const NativertExpr *
nativert_expr_make (NativertExprTable *table, NativertExprOp op, const NativertExpr *const *args, uint32_t n)
{
  g_autoptr (GPtrArray) sorted = NULL;
  bool inexact = nativert_expr_rows[op].inexact;

  for (uint32_t i = 0; i < n; i++)
    inexact = inexact || args[i]->inexact;
  if (op == EXPR_NEG && args[0]->op == EXPR_INT && args[0]->u.i != INT64_MIN)
    return nativert_expr_int (table, -args[0]->u.i);
  if (inexact || !nativert_expr_rows[op].commutative)
    return intern (table, op, 0, args, n);
  if (op == EXPR_ADD || op == EXPR_MUL)
    return make_linear (table, op, args, n);
  sorted = g_ptr_array_sized_new (n);
  for (uint32_t i = 0; i < n; i++)
    g_ptr_array_add (sorted, (gpointer) args[i]);
  g_ptr_array_sort (sorted, by_id);
  return intern (table, op, 0, (const NativertExpr *const *) sorted->pdata, n);
}

const NativertExpr *
nativert_expr_parse (NativertExprTable *table, const char *text, GError **error)
{
  const NativertExpr *expr = g_hash_table_lookup (table->texts, text);
  char *own;

  if (expr != NULL)
    return expr;
  expr = nativert_expr_parse_text (table, text, error);
  if (expr == NULL)
    return NULL;
  own = nativert_region_strdup (table->region, text);
  if (expr->text == NULL)
    ((NativertExpr *) expr)->text = own;
  g_hash_table_insert (table->texts, own, (gpointer) expr);
  return expr;
}

uint32_t
nativert_expr_table_n_symbols (const NativertExprTable *table)
{
  return table->symbols->len;
}

const char *
nativert_expr_table_symbol (const NativertExprTable *table, uint32_t index)
{
  return index < table->symbols->len ? g_ptr_array_index (table->symbols, index) : NULL;
}

int32_t
nativert_expr_table_find_symbol (const NativertExprTable *table, const char *name)
{
  return (int32_t) GPOINTER_TO_UINT (g_hash_table_lookup (table->symbol_index, name)) - 1;
}

int32_t
nativert_expr_symbol (const NativertExpr *expr)
{
  return expr->op == EXPR_SYMBOL ? (int32_t) expr->u.symbol : -1;
}

const char *
nativert_expr_text (const NativertExpr *expr)
{
  return expr->text != NULL ? expr->text : "";
}
