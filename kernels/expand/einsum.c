/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* einsum as products of two operands after the other; each is permuted to [batch, rows, sum] and [batch, sum, columns].
 */
#include <string.h>
#include "kernels/args.h"
#include "kernels/ops.h"

/* Letters are small numbers: a-z, A-Z, then those that stand for the dimensions under an ellipsis (52 the last of
 * them). */
enum { N_LETTERS = 64, FIRST_DOT = 52, MOST = NATIVERT_MAX_DIMS };

typedef struct { int n; uint8_t letter[MOST]; NativertRef ref; } Term;
typedef struct { int64_t size[N_LETTERS]; int n_dots; } Sizes;

static int
letter_of (char c)
{
  return c >= 'a' && c <= 'z' ? c - 'a' : c >= 'A' && c <= 'Z' ? 26 + c - 'A' : -1;
}

static int
find (const Term *t, int letter)
{
  for (int i = 0; i < t->n; i++)
    if (t->letter[i] == letter)
      return i;
  return -1;
}

/* One comma-separated piece; n_dims < 0 for the output, whose ellipsis takes all dots there are. */
static bool
parse_term (NativertPrep *p, const char **at, int n_dims, int n_dots, Term *t)
{
  int letters = 0, dots = 0;
  for (const char *c = *at; *c && *c != ',' && *c != '-'; c++)
    letters += letter_of (*c) >= 0;
  dots = n_dims < 0 ? n_dots : n_dims - letters;
  t->n = 0;
  for (; **at && **at != ',' && **at != '-'; (*at)++) {
    int letter = letter_of (**at);
    bool ellipsis = !strncmp (*at, "...", 3);
    if (**at == ' ')
      continue;
    if (letter < 0 && !ellipsis)
      return nativert_no (p, "einsum equation has '%c'", **at);
    if (ellipsis && (dots < 0 || dots > MOST))
      return nativert_no (p, "einsum operand of %d dimensions for %d letters", n_dims, letters);
    if (t->n + (ellipsis ? dots : 1) > MOST)
      return nativert_no (p, "einsum term of more than %d dimensions", MOST);
    if (ellipsis) {
      for (int d = 0; d < dots; d++)            /* aligned at the end */
        t->letter[t->n++] = (uint8_t) (N_LETTERS - dots + d);
      *at += 2;
    } else {
      if (find (t, letter) >= 0)
        return nativert_no (p, "einsum takes a diagonal of '%c'", **at);
      t->letter[t->n++] = (uint8_t) letter;
    }
  }
  if (n_dims >= 0 && t->n != n_dims)
    return nativert_no (p, "einsum operand has %d dimensions, equation %d", n_dims, t->n);
  return true;
}

static bool
note_sizes (NativertPrep *p, const Term *t, const NativertView *v, Sizes *s)
{
  for (int d = 0; d < t->n; d++) {
    int64_t *size = &s->size[t->letter[d]];
    if (*size <= 1 && v->size[d] != 1)
      *size = *size < 0 || *size == 1 ? v->size[d] : *size;
    else if (*size < 0)
      *size = 1;
    if (v->size[d] != 1 && v->size[d] != *size)
      return nativert_no (p, "einsum sizes %lld and %lld of one letter", (long long) *size, (long long) v->size[d]);
  }
  int dots = 0;
  for (int d = 0; d < t->n; d++)
    dots += t->letter[d] >= FIRST_DOT;
  s->n_dots = dots > s->n_dots ? dots : s->n_dots;
  return true;
}

/* Brings t to exactly these letters: permuted, missing ones inserted, all expanded to their sizes. */
static void
arrange (NativertEmit *e, Term *t, const Sizes *s, const uint8_t *letter, int n)
{
  int64_t order[MOST], size[MOST];
  int have = 0;
  for (int i = 0; i < n; i++)
    if (find (t, letter[i]) >= 0)
      order[have++] = find (t, letter[i]);
  if (have > 0)
    t->ref = nativert_emit (e, NATIVERT_OP_permute_default, NATIVERT_T (t->ref), NATIVERT_IS (order, (uint32_t) have));
  for (int i = 0; i < n; i++) {
    if (find (t, letter[i]) < 0)
      t->ref = nativert_emit (e, NATIVERT_OP_unsqueeze_default, NATIVERT_T (t->ref), NATIVERT_I (i));
    size[i] = s->size[letter[i]];
  }
  t->ref = nativert_emit (
      e, NATIVERT_OP_expand_default, NATIVERT_T (t->ref), NATIVERT_IS (size, (uint32_t) n), NATIVERT_B (false));
  memcpy (t->letter, letter, (size_t) n);
  t->n = n;
}

static int64_t
product_of (const Sizes *s, const uint8_t *letter, int n)
{
  int64_t size = 1;
  for (int i = 0; i < n; i++)
    size *= s->size[letter[i]];
  return size;
}

typedef struct { uint8_t letter[4][MOST * 2]; int n[4]; } Groups;
enum { BATCH, ROWS, COLUMNS, SUM };

static void
put (Groups *g, int group, int letter)
{
  g->letter[group][g->n[group]++] = (uint8_t) letter;
}

/* a x b: what is neither in keep nor in the result is summed. */
static bool
multiply (NativertEmit *e, NativertPrep *p, Term *a, Term *b, const bool *keep, const Sizes *s)
{
  Groups g = { 0 };
  uint8_t order[MOST * 2];
  for (int i = 0; i < a->n; i++) {
    int l = a->letter[i];
    put (&g, find (b, l) >= 0 ? (keep[l] ? BATCH : SUM) : keep[l] ? ROWS : SUM, l);
  }
  for (int i = 0; i < b->n; i++)
    if (find (a, b->letter[i]) < 0)
      put (&g, keep[b->letter[i]] ? COLUMNS : SUM, b->letter[i]);
  if (g.n[BATCH] + g.n[ROWS] + g.n[SUM] > MOST || g.n[BATCH] + g.n[COLUMNS] + g.n[SUM] > MOST
      || g.n[BATCH] + g.n[ROWS] + g.n[COLUMNS] > MOST || g.n[BATCH] + 2 > MOST)
    return nativert_no (p, "einsum over more than %d dimensions", MOST);
  int64_t size[MOST];
  for (int i = 0; i < g.n[BATCH]; i++)
    size[i] = s->size[g.letter[BATCH][i]];
  int n = g.n[BATCH];
  int64_t rows = product_of (s, g.letter[ROWS], g.n[ROWS]), columns = product_of (s, g.letter[COLUMNS], g.n[COLUMNS]);
  int64_t sum = product_of (s, g.letter[SUM], g.n[SUM]);
  memcpy (order, g.letter[BATCH], (size_t) n);
  memcpy (order + n, g.letter[ROWS], (size_t) g.n[ROWS]);
  memcpy (order + n + g.n[ROWS], g.letter[SUM], (size_t) g.n[SUM]);
  arrange (e, a, s, order, n + g.n[ROWS] + g.n[SUM]);
  memcpy (order + n, g.letter[SUM], (size_t) g.n[SUM]);
  memcpy (order + n + g.n[SUM], g.letter[COLUMNS], (size_t) g.n[COLUMNS]);
  arrange (e, b, s, order, n + g.n[SUM] + g.n[COLUMNS]);
  size[n] = rows;
  size[n + 1] = sum;
  NativertRef x
      = nativert_emit (e, NATIVERT_OP_reshape_default, NATIVERT_T (a->ref), NATIVERT_IS (size, (uint32_t) n + 2));
  size[n] = sum;
  size[n + 1] = columns;
  NativertRef y
      = nativert_emit (e, NATIVERT_OP_reshape_default, NATIVERT_T (b->ref), NATIVERT_IS (size, (uint32_t) n + 2));
  NativertRef c = nativert_emit (e, NATIVERT_OP_matmul_default, NATIVERT_T (x), NATIVERT_T (y));
  a->n = 0;
  for (int group = BATCH; group <= COLUMNS; group++)
    for (int i = 0; i < g.n[group]; i++)
      a->letter[a->n++] = g.letter[group][i];
  for (int i = 0; i < a->n; i++)
    size[i] = s->size[a->letter[i]];
  a->ref = nativert_emit (e, NATIVERT_OP_reshape_default, NATIVERT_T (c), NATIVERT_IS (size, (uint32_t) a->n));
  return true;
}

/* Without "->": letters that occur once, in alphabetical order (capitals first), after the ellipsis. */
static void
implicit_output (const Term *term, uint32_t n, const Sizes *s, Term *out)
{
  int count[N_LETTERS] = { 0 };
  for (uint32_t i = 0; i < n; i++)
    for (int d = 0; d < term[i].n; d++)
      count[term[i].letter[d]]++;
  out->n = 0;
  for (int d = N_LETTERS - s->n_dots; d < N_LETTERS; d++)
    out->letter[out->n++] = (uint8_t) d;
  for (int i = 0; i < 52 && out->n < MOST; i++) {
    int letter = i < 26 ? 26 + i : i - 26;
    if (count[letter] == 1)
      out->letter[out->n++] = (uint8_t) letter;
  }
}

static bool
parse (NativertPrep *p, const char *at, Term *term, uint32_t n, Term *out, Sizes *s)
{
  for (int i = 0; i < N_LETTERS; i++)
    s->size[i] = -1;
  for (uint32_t i = 0; i < n; i++) {
    int64_t index = p->arg[1].u.ints[i];
    if (index < 0 || index >= p->n_in)
      return nativert_no (p, "einsum operand %u is missing", i);
    if (!parse_term (p, &at, p->in[index].ndim, 0, &term[i]) || !note_sizes (p, &term[i], &p->in[index], s))
      return false;
    term[i].ref = p->ref[index];
    if (*at != (i + 1 < n ? ',' : *at == '-' ? '-' : '\0'))
      return nativert_no (p, "einsum equation names another number of operands than %u", n);
    at += *at == ',';
  }
  if (*at == '\0') {
    implicit_output (term, n, s, out);
    return true;
  }
  if (at[1] != '>')
    return nativert_no (p, "einsum equation has '-' without '>'");
  at += 2;
  if (!parse_term (p, &at, -1, s->n_dots, out) || *at)
    return p->reason[0] ? false : nativert_no (p, "einsum equation goes on after its output");
  for (int d = 0; d < out->n; d++)
    if (s->size[out->letter[d]] < 0)
      return nativert_no (p, "einsum output has a letter that no operand has");
  return true;
}

/* One operand left: what the result does not name is summed. */
static void
sum_others (NativertEmit *e, Term *t, const Term *result)
{
  int64_t gone[MOST];
  uint32_t n_gone = 0;
  int n = 0;
  for (int d = 0; d < t->n; d++)
    if (find (result, t->letter[d]) < 0)
      gone[n_gone++] = d;
    else
      t->letter[n++] = t->letter[d];
  if (n_gone == 0)
    return;
  t->ref = nativert_emit (e, NATIVERT_OP_sum_dim_IntList, NATIVERT_T (t->ref), NATIVERT_IS (gone, n_gone),
      NATIVERT_B (false), NATIVERT_NONE);
  t->n = n;
}

NATIVERT_EXPAND (einsum)
{
  enum { OPERANDS = 8 };
  Term term[OPERANDS], result;
  Sizes s = { .n_dots = 0 };
  const char *equation = p->arg[0].kind == NATIVERT_ARG_STRING ? p->arg[0].u.s : "";
  uint32_t n = p->arg[1].kind == NATIVERT_ARG_TENSORS ? p->arg[1].n : 0;
  if (n < 1 || n > OPERANDS)
    return nativert_no (p, "einsum of %u operands, 1 to %d", n, OPERANDS);
  if (!parse (p, equation, term, n, &result, &s))
    return false;
  for (uint32_t i = 1; i < n; i++) {
    bool keep[N_LETTERS] = { false };
    for (int d = 0; d < result.n; d++)
      keep[result.letter[d]] = true;
    for (uint32_t k = i + 1; k < n; k++)
      for (int d = 0; d < term[k].n; d++)
        keep[term[k].letter[d]] = true;
    if (!multiply (e, p, &term[0], &term[i], keep, &s))
      return false;
  }
  sum_others (e, &term[0], &result);
  arrange (e, &term[0], &s, result.letter, result.n);
  out[0] = term[0].ref;
  return out[0] != NATIVERT_NO_REF;
}
