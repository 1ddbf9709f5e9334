/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The strided iterator, and the one kernel function that all pointwise rows share. */
#include <string.h>
#include "kernels/iter.h"

typedef struct { int64_t size, stride[NATIVERT_MAX_OPERANDS]; } Dim;

static int64_t
magnitude (int64_t x)
{
  return x < 0 ? -x : x;
}

/* Strides of v, aligned at the last dimension, for the dimensions of the result. */
static bool
broadcast_strides (NativertPrep *p, const NativertView *result, const NativertView *v, uint32_t operand, Dim *dim)
{
  int64_t bytes = (int64_t) nativert_dtype_size (v->dtype);
  int lead = result->ndim - v->ndim;
  if (lead < 0)
    return nativert_no (p, "%s: operand %u has %u dimensions, the result %u", nativert_ops[p->op].name, operand,
        v->ndim, result->ndim);
  for (int d = 0; d < result->ndim; d++) {
    int64_t size = d < lead ? 1 : v->size[d - lead];
    if (size != result->size[d] && size != 1)
      return nativert_no (p, "%s: operand %u has size %lld in dimension %d, the result %lld", nativert_ops[p->op].name,
          operand, (long long) size, d, (long long) result->size[d]);
    dim[d].stride[operand] = d < lead || size == 1 ? 0 : v->stride[d - lead] * bytes;
  }
  return true;
}

/* Innermost first: the result's smallest stride; where that says nothing, torch's order. */
static uint32_t
sort_dims (Dim *dim, uint32_t ndim)
{
  uint32_t n = 0;
  Dim sorted[NATIVERT_MAX_DIMS];
  for (uint32_t d = ndim; d-- > 0;) {
    if (dim[d].size == 1)
      continue;
    uint32_t at = n++;
    while (at > 0 && magnitude (sorted[at - 1].stride[0]) > magnitude (dim[d].stride[0])) {
      sorted[at] = sorted[at - 1];
      at--;
    }
    sorted[at] = dim[d];
  }
  memcpy (dim, sorted, n * sizeof *dim);
  return n;
}

static uint32_t
collapse_dims (Dim *dim, uint32_t ndim, uint32_t n_operands)
{
  uint32_t n = 0;
  for (uint32_t d = 0; d < ndim; d++) {
    bool joins = n > 0;
    for (uint32_t o = 0; joins && o < n_operands; o++)
      joins = dim[d].stride[o] == dim[n - 1].stride[o] * dim[n - 1].size;
    if (joins)
      dim[n - 1].size *= dim[d].size;
    else
      dim[n++] = dim[d];
  }
  return n;
}

bool
nativert_iter_init (NativertPrep *p, NativertIter *it, uint32_t n_operands, const NativertView *const *view)
{
  Dim dim[NATIVERT_MAX_DIMS] = { 0 };
  const NativertView *result = view[0];
  if (n_operands > NATIVERT_MAX_OPERANDS || result->ndim > NATIVERT_MAX_DIMS)
    return nativert_no (p, "%s: %u operands of %u dimensions", nativert_ops[p->op].name, n_operands, result->ndim);
  for (int d = 0; d < result->ndim; d++)
    dim[d].size = result->size[d];
  for (uint32_t o = 0; o < n_operands; o++)
    if (!broadcast_strides (p, result, view[o], o, dim))
      return false;
  memset (it, 0, sizeof *it);
  it->n = nativert_view_numel (result);
  it->per_part = it->n > 0 ? it->n : 1;
  it->n_operands = (uint8_t) n_operands;
  if (it->n == 0)
    return true;
  uint32_t ndim = collapse_dims (dim, sort_dims (dim, result->ndim), n_operands);
  if (ndim * (n_operands + 1) > NATIVERT_ITER_WORDS - 3)
    return nativert_no (p, "%s: %u dimensions that do not collapse", nativert_ops[p->op].name, ndim);
  it->ndim = (uint8_t) ndim;
  for (uint32_t d = 0; d < ndim; d++) {
    it->word[d] = dim[d].size;
    for (uint32_t o = 0; o < n_operands; o++)
      it->word[ndim * (o + 1) + d] = dim[d].stride[o];
  }
  return true;
}

uint32_t
nativert_parts (int64_t n, int64_t cost)
{
  const int64_t part_bytes = 128 << 10;
  int64_t units = cost >= part_bytes ? 1 : part_bytes / (cost > 0 ? cost : 1);
  int64_t parts = (n + units - 1) / units;
  return parts < 1 ? 1 : parts > 64 ? 64 : (uint32_t) parts;
}

void
nativert_part_range (int64_t n, uint32_t n_parts, uint32_t part, int64_t *lo, int64_t *hi)
{
  int64_t q = n / n_parts, r = n % n_parts;
  *lo = q * part + (part < r ? part : r);
  *hi = *lo + q + (part < r ? 1 : 0);
}

/* Parts start on multiples of 64 elements so that no two write one cache line. */
void
nativert_iter_split (NativertPrep *p, NativertIter *it, int64_t grain)
{
  int64_t parts = (it->n + grain - 1) / grain;
  parts = parts < 1 ? 1 : parts > 64 ? 64 : parts;
  it->per_part = ((it->n + parts - 1) / parts + 63) / 64 * 64;
  if (it->per_part == 0)
    it->per_part = 64;
  p->n_parts = it->n > 0 ? (uint32_t) ((it->n + it->per_part - 1) / it->per_part) : 1;
}

void
nativert_iter_run (const NativertIter *it, char *const *base, int64_t lo, int64_t hi, NativertLoopFn loop)
{
  uint32_t ndim = it->ndim, n_operands = it->n_operands;
  const int64_t *size = it->word;
  int64_t at[NATIVERT_MAX_DIMS], inner[NATIVERT_MAX_OPERANDS];
  char *p[NATIVERT_MAX_OPERANDS];
  if (lo >= hi)
    return;
  for (uint32_t o = 0; o < n_operands; o++) {
    p[o] = base[o];
    inner[o] = ndim ? it->word[ndim * (o + 1)] : 0;
  }
  int64_t rest = lo;
  for (uint32_t d = 0; d < ndim; d++) {
    at[d] = rest % size[d];
    rest /= size[d];
    for (uint32_t o = 0; o < n_operands; o++)
      p[o] += at[d] * it->word[ndim * (o + 1) + d];
  }
  for (int64_t done = lo; done < hi;) {
    int64_t run = ndim ? size[0] - at[0] : 1;
    if (run > hi - done)
      run = hi - done;
    loop (p, inner, run);
    done += run;
    if (done >= hi)
      return;
    for (uint32_t o = 0; o < n_operands; o++)
      p[o] -= at[0] * inner[o];
    at[0] = 0;
    for (uint32_t d = 1; d < ndim; d++) {
      const int64_t *stride = it->word + ndim + d;
      bool carry = ++at[d] == size[d];
      int64_t steps = carry ? 1 - size[d] : 1;
      for (uint32_t o = 0; o < n_operands; o++)
        p[o] += steps * stride[ndim * o];
      if (!carry)
        break;
      at[d] = 0;
    }
  }
}

void
nativert_iter_run_part (const NativertIter *it, char *const *base, uint32_t part, NativertLoopFn loop)
{
  int64_t lo = it->per_part * part, hi = lo + it->per_part;
  nativert_iter_run (it, base, lo, hi < it->n ? hi : it->n, loop);
}

/* no_zero: integers are divided by operand 2, so its zeros (elements of that many bytes) are an error. */
typedef struct { NativertLoopFn loop; uint8_t no_zero; NativertIter it; } Pointwise;
_Static_assert (sizeof (Pointwise) <= NATIVERT_MAX_PARAMS, "params");

static bool
check_dtypes (NativertPrep *p)
{
  const NativertOp *op = &nativert_ops[p->op];
  uint8_t want = p->in[op->dispatch].dtype, result = op->flags & NATIVERT_FLAG_BOOL ? NATIVERT_BOOL : want;
  for (uint32_t i = 0; i < p->n_in; i++) {
    uint8_t dtype = i < op->dispatch ? NATIVERT_BOOL : want;
    if (p->in[i].dtype != dtype)
      return nativert_no (p, "%s: operand %u is %s, not %s", op->name, i, nativert_dtype_name (p->in[i].dtype),
          nativert_dtype_name (dtype));
  }
  if (p->out[0].dtype != result)
    return nativert_no (p, "%s: the result is %s, not %s", op->name, nativert_dtype_name (p->out[0].dtype),
        nativert_dtype_name (result));
  return true;
}

static bool
same_window (const NativertView *a, const NativertView *b)
{
  if (a->ndim != b->ndim || nativert_dtype_size (a->dtype) != nativert_dtype_size (b->dtype))
    return false;
  for (int d = 0; d < a->ndim; d++)
    if (a->size[d] != b->size[d] || (a->size[d] > 1 && a->stride[d] != b->stride[d]))
      return false;
  return true;
}

static bool
divides_integers (uint16_t op, uint8_t dtype)
{
  bool division = op == NATIVERT_OP_floor_divide_default || op == NATIVERT_OP_nativert_div_trunc
      || op == NATIVERT_OP_remainder_Tensor || op == NATIVERT_OP_fmod_Tensor;
  return division && nativert_is_integral (dtype);
}

/* Operand 0 is one flag. */
#define FIND_ZERO(T)                                                    \
  static void find_zero_##T (char *const *p, const int64_t *s, int64_t n) \
  {                                                                     \
    for (int64_t i = 0; i < n; i++)                                     \
      if (*(const T *) (p[2] + i * s[2]) == 0)                          \
        *p[0] = 1;                                                      \
  }
FIND_ZERO (uint8_t)
FIND_ZERO (uint16_t)
FIND_ZERO (uint32_t)
FIND_ZERO (uint64_t)

static bool
has_zero (const Pointwise *params, char *const *operands, uint32_t part)
{
  NativertIter it = params->it;
  char flag = 0, *base[NATIVERT_MAX_OPERANDS] = { &flag, operands[1], operands[2] };
  for (uint32_t d = 0; d < it.ndim; d++)
    it.word[it.ndim + d] = 0;
  nativert_iter_run_part (&it, base, part, params->no_zero == 1 ? find_zero_uint8_t
      : params->no_zero == 2 ? find_zero_uint16_t : params->no_zero == 4 ? find_zero_uint32_t : find_zero_uint64_t);
  return flag;
}

bool
nativert_pointwise_prepare (NativertPrep *p)
{
  const NativertOp *op = &nativert_ops[p->op];
  const NativertView *view[NATIVERT_MAX_OPERANDS] = { &p->out[0] };
  Pointwise *params = p->params;
  if (p->n_in < 1 || p->n_in >= NATIVERT_MAX_OPERANDS || p->n_out != 1 || op->dispatch >= p->n_in)
    return nativert_no (p, "%s: %u operands", op->name, p->n_in);
  if (!check_dtypes (p))
    return false;
  for (uint32_t i = 0; i < p->n_in; i++) {
    view[i + 1] = &p->in[i];
    if (p->in_place < 0 && same_window (&p->in[i], &p->out[0]))
      p->in_place = (int8_t) i;
  }
  if (!nativert_iter_init (p, &params->it, p->n_in + 1u, view))
    return false;
  params->loop = p->row->loop;
  params->no_zero = divides_integers (p->op, p->in[0].dtype) ? (uint8_t) nativert_dtype_size (p->in[0].dtype) : 0;
  p->params_size = sizeof *params;
  p->cost = (uint64_t) params->it.n * nativert_dtype_size (p->out[0].dtype) * (p->n_in + 1u);
  nativert_iter_split (p, &params->it, 32768);
  return true;
}

void
nativert_pointwise_fn (const NativertCall *c, uint32_t part)
{
  const Pointwise *params = c->params;
  char *base[NATIVERT_MAX_OPERANDS] = { c->out[0].data };
  for (uint32_t i = 1; i < params->it.n_operands; i++)
    base[i] = c->in[i - 1].data;
  if (params->no_zero && has_zero (params, base, part))
    nativert_call_fail (c, "integer division by zero");
  nativert_iter_run_part (&params->it, base, part, params->loop);
}
