/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inputs made up: sizes from the ranges of the program or the user, elements from a seed. */
#include "base/tensor.h"
#include "command.h"

#include <errno.h>
#include <string.h>

typedef struct { int64_t *values; bool *known; uint32_t n; } Symbols;

static void
symbols_clear (Symbols *symbols)
{
  g_free (symbols->values);
  g_free (symbols->known);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Symbols, symbols_clear)

/* Every symbol starts at the smallest size that is worth running. */
static void
set_defaults (Symbols *symbols, const NativertProgram *program)
{
  symbols->n = nativert_expr_table_n_symbols (program->exprs);
  symbols->values = g_new0 (int64_t, symbols->n + 1);
  symbols->known = g_new0 (bool, symbols->n + 1);
  for (uint32_t i = 0; i < symbols->n; i++) {
    symbols->values[i] = 1;
    symbols->known[i] = true;
  }
  for (uint32_t i = 0; i < program->n_ranges; i++) {
    const NativertRange *range = &program->ranges[i];
    int32_t symbol = nativert_expr_table_find_symbol (program->exprs, range->name);
    if (symbol >= 0 && range->has_min && range->min > 2)
      symbols->values[symbol] = range->min;
  }
}

static bool
set_size (Symbols *symbols, const NativertProgram *program, const char *text, GError **error)
{
  const char *equals = strchr (text, '=');
  g_autofree char *name = g_strndup (text, equals != NULL ? (gsize) (equals - text) : strlen (text));
  int32_t symbol = nativert_expr_table_find_symbol (program->exprs, name);
  char *end = NULL;
  gint64 value = 0;

  errno = 0;
  if (equals != NULL)
    value = g_ascii_strtoll (equals + 1, &end, 10);
  if (equals == NULL || equals[1] == '\0' || *end != '\0' || errno != 0 || value < 0) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_INVALID_INPUT, "--size %s: want NAME=N", text);
    return false;
  }
  if (symbol < 0) {
    g_set_error (
        error, NATIVERT_ERROR, NATIVERT_ERROR_INVALID_INPUT, "--size %s: the model has no size %s", text, name);
    return false;
  }
  symbols->values[symbol] = value;
  return true;
}

static void
fill (NativertTensor *tensor, GRand *rand)
{
  gint64 n = nativert_tensor_get_n_elements (tensor);
  gsize item = nativert_dtype_get_size (tensor->dtype);
  char *p = tensor->data;

  for (gint64 i = 0; i < n; i++, p += item) {
    double x = g_rand_double_range (rand, -1, 1);
    float narrow = (float) x;
    uint32_t bits;
    int64_t integer = g_rand_int_range (rand, 0, 10);
    memcpy (&bits, &narrow, sizeof bits);
    switch (tensor->dtype) {
      case NATIVERT_DTYPE_FLOAT32: memcpy (p, &narrow, item); break;
      case NATIVERT_DTYPE_FLOAT64: memcpy (p, &x, item); break;
      case NATIVERT_DTYPE_BFLOAT16: memcpy (p, (uint16_t[]) { (uint16_t) (bits >> 16) }, item); break;
      case NATIVERT_DTYPE_FLOAT16: /* in [0.5, 1) with x's sign: the exponent of a half fits without rounding rules */
        memcpy (p, (uint16_t[]) { (uint16_t) ((x < 0 ? 0x8000 : 0) | 0x3800 | (bits >> 13 & 0x3ff)) }, item);
        break;
      case NATIVERT_DTYPE_BOOL: *p = (char) (integer & 1); break;
      case NATIVERT_DTYPE_COMPLEX64: memcpy (p, (float[]) { narrow, -narrow }, item); break;
      case NATIVERT_DTYPE_COMPLEX128: memcpy (p, (double[]) { x, -x }, item); break;
      default:
        memcpy (p, &integer, MIN (item, sizeof integer));
        break; /* little-endian machines only, as the format */
    }
  }
}

static NativertValue *
random_tensor (const NativertCore *core, uint32_t port, const Symbols *symbols, GRand *rand, GError **error)
{
  const NativertTensorMetaDesc *meta = core->graph->inputs[core->input_numbers[port]].value->meta;
  g_autoptr (NativertTensor) tensor = NULL;
  int64_t sizes[NATIVERT_TENSOR_MAX_DIMS];
  NativertNum size;

  if (meta == NULL || meta->n_dims > NATIVERT_TENSOR_MAX_DIMS || meta->dtype < 0) {
    g_set_error (
        error, NATIVERT_ERROR, NATIVERT_ERROR_UNSUPPORTED, "input %s has no sizes to make up", core->inputs[port].name);
    return NULL;
  }
  for (uint32_t i = 0; i < meta->n_dims; i++) {
    sizes[i] = meta->sizes[i].value;
    if (meta->sizes[i].expr != NULL && nativert_expr_eval (meta->sizes[i].expr, symbols->values, symbols->known, &size))
      sizes[i] = size.kind == NATIVERT_NUM_INT ? size.u.i : 1;
  }
  tensor = nativert_tensor_new ((NativertDtype) meta->dtype, sizes, meta->n_dims);
  if (tensor == NULL) {
    g_set_error (
        error, NATIVERT_ERROR, NATIVERT_ERROR_LIMIT, "input %s would not fit in memory", core->inputs[port].name);
    return NULL;
  }
  fill (tensor, rand);
  return nativert_value_new_tensor (tensor);
}

static NativertValue *
random_value (const NativertCore *core, uint32_t port, const Symbols *symbols, GRand *rand, GError **error)
{
  const NativertGraphValue *value = core->graph->inputs[core->input_numbers[port]].value;
  NativertNum number;

  if (core->inputs[port].kind == NATIVERT_VALUE_TENSOR)
    return random_tensor (core, port, symbols, rand, error);
  if (core->inputs[port].kind == NATIVERT_VALUE_INT && value->expr != NULL &&
      nativert_expr_eval (value->expr, symbols->values, symbols->known, &number) && number.kind == NATIVERT_NUM_INT)
    return nativert_value_new_int (number.u.i);
  g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_UNSUPPORTED, "input %s is no tensor: give it by --input",
      core->inputs[port].name);
  return NULL;
}

bool
inputs_make_random (Inputs *inputs, const NativertCore *core, int64_t seed, char **sizes, GError **error)
{
  const NativertProgram *program = core->graph->program;
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) seed);
  g_auto (Symbols) symbols = {0};

  set_defaults (&symbols, program);
  for (char **text = sizes; text != NULL && *text != NULL; text++)
    if (!set_size (&symbols, program, *text, error))
      return false;
  if (!inputs_read (inputs, core, NULL, error))
    return false;
  for (uint32_t i = 0; i < core->n_inputs; i++) {
    if (core->graph->inputs[core->input_numbers[i]].value == NULL)
      continue;                         /* frozen: filled in with the call */
    inputs->leaves->pdata[i] = random_value (core, i, &symbols, rand, error);
    if (inputs->leaves->pdata[i] == NULL)
      return false;
  }
  return true;
}
