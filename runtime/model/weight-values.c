/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From descriptions of weights to values of graph inputs: everything the graph expects is checked here, so that plans
 * may trust sizes, dtypes and strides. */
#include "base/checked.h"
#include "base/strided.h"
#include "model/weights.h"

/* A weight whose file has other strides than the graph is laid out again; the result may be larger than what was read
 * only by this much, so that a lying file cannot ask for memory. */
enum { MAX_GROWTH = 16 };
#define FREE_GROWTH ((size_t) 1 << 20)

static char nothing[64];                /* what an empty tensor points to */

void
nativert_weight_values_free (NativertWeightValue *values, uint32_t n)
{
  if (values == NULL)
    return;
  for (uint32_t i = 0; i < n; i++)
    g_clear_pointer (&values[i].storage, nativert_storage_unref);
  g_free (values);
}

static char *
shape_text (int16_t dtype, const int64_t *sizes, const NativertSymInt *syms, uint32_t n_dims)
{
  GString *text = g_string_new (dtype < 0 ? "object" : nativert_dtype_get_name ((NativertDtype) dtype));

  g_string_append_c (text, '[');
  for (uint32_t i = 0; i < n_dims; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", sizes != NULL ? sizes[i] : syms[i].value);
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

static bool
check_meta (const NativertTensorMetaDesc *meta, const char *name, const char *path, GError **error)
{
  bool fixed = meta != NULL && meta->dtype >= 0 && meta->n_dims <= NATIVERT_MAX_DIMS;

  for (uint32_t i = 0; fixed && i < meta->n_dims; i++)
    fixed = meta->sizes[i].expr == NULL && meta->strides[i].expr == NULL && meta->sizes[i].value >= 0;
  if (!fixed)
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT,
        "%s: weight %s: the graph gives it no fixed dtype and sizes", path, name);
  return fixed;
}

static bool
check_agrees (const NativertTensorMetaDesc *meta, const NativertWeightDesc *desc, const char *path, GError **error)
{
  bool same = meta->dtype == desc->dtype && meta->n_dims == desc->n_dims;

  for (uint32_t i = 0; same && i < meta->n_dims; i++)
    same = meta->sizes[i].value == desc->sizes[i];
  if (!same) {
    g_autofree char *got = shape_text (desc->dtype, desc->sizes, NULL, desc->n_dims);
    g_autofree char *want = shape_text (meta->dtype, NULL, meta->sizes, meta->n_dims);
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISMATCH, "%s: weight %s is %s, the model takes %s", path,
        desc->name, got, want);
    return false;
  }
  if (desc->is_meta) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISSING, "%s: weight %s has no data (record %s is empty)", path,
        desc->name, desc->record != NULL ? desc->record : "?");
    return false;
  }
  return true;
}

/* A copy of desc with the graph's strides. */
static bool
lay_out (
    const NativertWeightDesc *desc, const int64_t *stride, const char *path, NativertWeightValue *value, GError **error)
{
  size_t item = nativert_dtype_get_size ((NativertDtype) desc->dtype), n_bytes, limit;
  int64_t numel;

  if (!nativert_extent (desc->sizes, stride, desc->n_dims, 0, item, &n_bytes)
      || !nativert_numel (desc->sizes, desc->n_dims, &numel)
      || !nativert_mul_size ((size_t) numel * item, MAX_GROWTH, &limit) || n_bytes > MAX (limit, FREE_GROWTH)) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_LIMIT,
        "%s: weight %s: the graph's strides ask for too much memory", path, desc->name);
    return false;
  }
  value->storage = nativert_storage_new (n_bytes, error);
  if (value->storage == NULL)
    return false;
  value->data = nativert_storage_data (value->storage);
  nativert_strided_copy (value->data, stride,
      (const char *) nativert_storage_data (desc->storage) + desc->offset * (int64_t) item, desc->strides, desc->sizes,
      desc->n_dims, item);
  return true;
}

static bool
resolve_one (const NativertGraphInput *input, const NativertWeightSet *set, const char *path,
    NativertWeightValue *value, GError **error)
{
  const NativertTensorMetaDesc *meta = input->value->meta;
  const NativertWeightDesc *desc = nativert_weight_set_find (set, input->target);
  int64_t stride[NATIVERT_MAX_DIMS], numel = 0;

  if (desc == NULL) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISSING, "%s: weight %s is missing", path, input->target);
    return false;
  }
  if (!check_meta (meta, input->target, path, error) || !check_agrees (meta, desc, path, error))
    return false;
  for (uint32_t i = 0; i < meta->n_dims; i++)
    stride[i] = meta->strides[i].value;
  if (!nativert_numel (desc->sizes, desc->n_dims, &numel) || numel == 0 || desc->storage == NULL) {
    value->data = nothing;
    if (numel == 0)
      return true;
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_MISSING, "%s: weight %s has no data", path, desc->name);
    return false;
  }
  if (!nativert_strided_equal (desc->sizes, desc->strides, stride, desc->n_dims))
    return lay_out (desc, stride, path, value, error);
  value->storage = nativert_storage_ref (desc->storage);
  value->data = (char *) nativert_storage_data (desc->storage)
      + desc->offset * (int64_t) nativert_dtype_get_size ((NativertDtype) desc->dtype);
  return true;
}

bool
nativert_weight_values_resolve (const NativertGraph *graph, const NativertWeightSet *set, const char *path,
    NativertWeightValue *values, GError **error)
{
  for (uint32_t i = 0; i < graph->n_inputs; i++) {
    const NativertGraphInput *input = &graph->inputs[i];
    bool written = false;
    if (!nativert_input_is_weight (input) || input->value == NULL)
      continue;
    for (uint32_t k = 0; k < graph->n_outputs && !written; k++)
      written = (graph->outputs[k].kind == NATIVERT_OUT_BUFFER_MUTATION
                    || graph->outputs[k].kind == NATIVERT_OUT_PARAMETER_MUTATION)
          && g_strcmp0 (graph->outputs[k].target, input->target) == 0;
    if ((input->value->n_uses > 0 || written) && !resolve_one (input, set, path, &values[i], error))
      return false;
  }
  return true;
}
