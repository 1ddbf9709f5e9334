/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "graph/meta.h"
#include "base/checked.h"

enum { N_SAMPLES = 5, MAX_RANK = 64 };

/* One value for every symbol. */
typedef struct { int64_t *symbols; bool *known; } Sample;

static int64_t
symbol_at (unsigned sample, uint32_t symbol)
{
  static const int64_t primes[] = { 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67 };
  switch (sample) {
  case 0:
    return 1;
  case 1:
    return 2;
  case 2:
    return primes[symbol % G_N_ELEMENTS (primes)];
  case 3:
    return 64 * (symbol + 1);
  default:
    return 101 + 6 * symbol + primes[(symbol * 5 + 3) % G_N_ELEMENTS (primes)];
  }
}

static void
sample_clear (Sample *s)
{
  g_clear_pointer (&s->symbols, g_free);
  g_clear_pointer (&s->known, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sample, sample_clear)

static void
sample_fill (Sample *s, const NativertProgram *program, unsigned sample)
{
  uint32_t n = program && program->exprs ? nativert_expr_table_n_symbols (program->exprs) : 0;
  if (!s->symbols) {
    s->symbols = g_new (int64_t, n + 1);
    s->known = g_new (bool, n + 1);
  }
  for (uint32_t i = 0; i < n; i++) {
    s->symbols[i] = symbol_at (sample, i);
    s->known[i] = true;
  }
}

static bool
eval (const Sample *s, const NativertSymInt *size, int64_t *value)
{
  NativertNum number;
  if (!size->expr) {
    *value = size->value;
    return true;
  }
  if (!nativert_expr_eval (size->expr, s->symbols, s->known, &number) || number.kind != NATIVERT_NUM_INT)
    return false;
  *value = number.u.i;
  return true;
}

static bool
same_numbers (const Sample *s, const NativertSymInt *a, const NativertSymInt *b, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    int64_t x, y;
    if (a[i].expr == b[i].expr && (a[i].expr || a[i].value == b[i].value))
      continue;
    if (!eval (s, &a[i], &x) || !eval (s, &b[i], &y) || x != y)
      return false;
  }
  return true;
}

bool
nativert_meta_is_static (const NativertTensorMetaDesc *meta)
{
  for (uint32_t i = 0; meta && i < meta->n_dims; i++)
    if (meta->sizes[i].expr)
      return false;
  return meta != NULL;
}

bool
nativert_meta_same_sizes (
    const NativertProgram *program, const NativertTensorMetaDesc *a, const NativertTensorMetaDesc *b)
{
  if (!a || !b || a->n_dims != b->n_dims)
    return false;
  g_auto (Sample) s = { NULL };
  for (unsigned i = 0; i < N_SAMPLES; i++) {
    sample_fill (&s, program, i);
    if (!same_numbers (&s, a->sizes, b->sizes, a->n_dims))
      return false;
  }
  return true;
}

bool
nativert_meta_same_layout (
    const NativertProgram *program, const NativertTensorMetaDesc *a, const NativertTensorMetaDesc *b)
{
  if (!a || !b || a->dtype != b->dtype || !nativert_meta_same_sizes (program, a, b))
    return false;
  g_auto (Sample) s = { NULL };
  for (unsigned i = 0; i < N_SAMPLES; i++) {
    sample_fill (&s, program, i);
    if (!same_numbers (&s, a->strides, b->strides, a->n_dims))
      return false;
  }
  return true;
}

static bool
contiguous_at (const Sample *s, const NativertTensorMetaDesc *meta)
{
  int64_t expected = 1;
  for (uint32_t i = meta->n_dims; i-- > 0;) {
    int64_t size, stride;
    if (!eval (s, &meta->sizes[i], &size) || !eval (s, &meta->strides[i], &stride) || (size != 1 && stride != expected)
        || !nativert_mul_i64 (expected, size, &expected))
      return false;
  }
  return true;
}

bool
nativert_meta_is_contiguous (const NativertProgram *program, const NativertTensorMetaDesc *meta)
{
  if (!meta || meta->layout != 7)
    return false;
  g_auto (Sample) s = { NULL };
  for (unsigned i = 0; i < N_SAMPLES; i++) {
    sample_fill (&s, program, i);
    if (!contiguous_at (&s, meta))
      return false;
  }
  return true;
}

int64_t
nativert_meta_n_bytes (const NativertTensorMetaDesc *meta)
{
  int64_t sizes[MAX_RANK], numel, n_bytes;
  if (!nativert_meta_is_static (meta) || meta->n_dims > MAX_RANK || meta->dtype < 0)
    return -1;
  for (uint32_t i = 0; i < meta->n_dims; i++)
    sizes[i] = meta->sizes[i].value;
  if (!nativert_numel (sizes, meta->n_dims, &numel)
      || !nativert_mul_i64 (numel, (int64_t) nativert_dtype_get_size (meta->dtype), &n_bytes))
    return -1;
  return n_bytes;
}

const NativertTensorMetaDesc *
nativert_meta_new (NativertRegion *region, int dtype, const int64_t *sizes, uint32_t n_dims)
{
  NativertTensorMetaDesc *meta = nativert_region_new_n (region, NativertTensorMetaDesc, 1);
  NativertSymInt *size = nativert_region_new_n (region, NativertSymInt, n_dims);
  NativertSymInt *stride = nativert_region_new_n (region, NativertSymInt, n_dims);
  int64_t step = 1;
  for (uint32_t i = n_dims; i-- > 0; step *= MAX (sizes[i], 1)) {
    size[i].value = sizes[i];
    stride[i].value = step;
  }
  *meta = (NativertTensorMetaDesc) { .dtype = (int16_t) dtype, .layout = 7, .n_dims = n_dims, .sizes = size,
    .strides = stride,
    .device = { "cpu", -1 } };
  return meta;
}

const NativertTensorMetaDesc *
nativert_meta_with_dtype (NativertRegion *region, const NativertTensorMetaDesc *meta, int dtype)
{
  NativertTensorMetaDesc *copy = nativert_region_memdup (region, meta, sizeof *meta);
  copy->dtype = (int16_t) dtype;
  return copy;
}
