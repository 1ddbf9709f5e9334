/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libnativert: runs the .pt2 files that torch.export.save writes.  The only public header. */
#pragma once
#include <glib-object.h>
#include <gio/gio.h>

G_BEGIN_DECLS

#if defined(__GNUC__)
#define NATIVERT_API __attribute__ ((visibility ("default"))) extern
#else
#define NATIVERT_API extern
#endif

/**
 * NativertError:
 * @NATIVERT_ERROR_FORMAT: the file is not what it should be
 * @NATIVERT_ERROR_VERSION: a version of the format that is not known
 * @NATIVERT_ERROR_UNSUPPORTED: an operator or feature that is not implemented
 * @NATIVERT_ERROR_MISSING: a model, record or weight that is not there
 * @NATIVERT_ERROR_MISMATCH: two things that must agree do not (sizes, dtypes)
 * @NATIVERT_ERROR_INVALID_INPUT: an input that the model does not take
 * @NATIVERT_ERROR_LIMIT: a limit was passed (depth, count, memory)
 * @NATIVERT_ERROR_IO: reading or writing failed
 * @NATIVERT_ERROR_DELEGATE: a delegate failed
 * @NATIVERT_ERROR_CANCELLED: the caller cancelled
 */
typedef enum {
  NATIVERT_ERROR_FORMAT,
  NATIVERT_ERROR_VERSION,
  NATIVERT_ERROR_UNSUPPORTED,
  NATIVERT_ERROR_MISSING,
  NATIVERT_ERROR_MISMATCH,
  NATIVERT_ERROR_INVALID_INPUT,
  NATIVERT_ERROR_LIMIT,
  NATIVERT_ERROR_IO,
  NATIVERT_ERROR_DELEGATE,
  NATIVERT_ERROR_CANCELLED
} NativertError;

#define NATIVERT_ERROR (nativert_error_quark ())
NATIVERT_API GQuark nativert_error_quark (void);

/**
 * NativertDtype:
 *
 * Element types; the names are torch's.
 */
typedef enum {
  NATIVERT_DTYPE_FLOAT32,
  NATIVERT_DTYPE_FLOAT64,
  NATIVERT_DTYPE_FLOAT16,
  NATIVERT_DTYPE_BFLOAT16,
  NATIVERT_DTYPE_INT64,
  NATIVERT_DTYPE_INT32,
  NATIVERT_DTYPE_INT16,
  NATIVERT_DTYPE_INT8,
  NATIVERT_DTYPE_UINT8,
  NATIVERT_DTYPE_BOOL,
  NATIVERT_DTYPE_UINT16,
  NATIVERT_DTYPE_UINT32,
  NATIVERT_DTYPE_UINT64,
  NATIVERT_DTYPE_COMPLEX32,
  NATIVERT_DTYPE_COMPLEX64,
  NATIVERT_DTYPE_COMPLEX128,
  NATIVERT_DTYPE_FLOAT8_E4M3FN,
  NATIVERT_DTYPE_FLOAT8_E5M2,
  NATIVERT_DTYPE_FLOAT8_E4M3FNUZ,
  NATIVERT_DTYPE_FLOAT8_E5M2FNUZ,
  NATIVERT_DTYPE_FLOAT8_E8M0FNU
} NativertDtype;

/**
 * nativert_dtype_get_name:
 * @dtype: an element type
 *
 * Returns: (transfer none): torch's name, such as "float32"
 */
NATIVERT_API const char *nativert_dtype_get_name (NativertDtype dtype);
/**
 * nativert_dtype_get_size:
 * @dtype: an element type
 *
 * Returns: bytes of one element
 */
NATIVERT_API gsize nativert_dtype_get_size (NativertDtype dtype);

/* ---- tensors: boxed, ref-counted ---- */
typedef struct _NativertTensor NativertTensor;
#define NATIVERT_TYPE_TENSOR (nativert_tensor_get_type ())
NATIVERT_API GType nativert_tensor_get_type (void);

/**
 * nativert_tensor_new:
 * @dtype: element type
 * @sizes: (array length=n_dims): sizes, outermost first, in elements
 * @n_dims: rank, 0 to 12
 *
 * Returns: (transfer full) (nullable): a contiguous tensor of zeros, its memory 64-byte aligned; %NULL when the sizes
 *   are negative or do not fit in memory
 */
NATIVERT_API NativertTensor *nativert_tensor_new (NativertDtype dtype, const gint64 *sizes, guint n_dims);
/**
 * nativert_tensor_new_from_bytes:
 * @dtype: element type
 * @sizes: (array length=n_dims): sizes
 * @n_dims: rank
 * @bytes: the elements, contiguous, in the machine's byte order
 *
 * Returns: (transfer full) (nullable): a tensor that keeps @bytes and does not copy; %NULL when @bytes is too small
 */
NATIVERT_API NativertTensor *nativert_tensor_new_from_bytes (
    NativertDtype dtype, const gint64 *sizes, guint n_dims, GBytes *bytes);
/**
 * nativert_tensor_new_borrowed: (skip)
 * @dtype: element type
 * @sizes: sizes
 * @strides: (nullable): strides in elements, %NULL for contiguous
 * @n_dims: rank
 * @data: the first element
 * @destroy: (nullable): called with @user_data when the last reference goes
 * @user_data: for @destroy
 *
 * Returns: (transfer full): a tensor over memory that somebody else owns
 */
NATIVERT_API NativertTensor *nativert_tensor_new_borrowed (NativertDtype dtype, const gint64 *sizes,
    const gint64 *strides, guint n_dims, gpointer data, GDestroyNotify destroy, gpointer user_data);
NATIVERT_API NativertTensor *nativert_tensor_ref (NativertTensor *tensor);
NATIVERT_API void nativert_tensor_unref (NativertTensor *tensor);
NATIVERT_API NativertDtype nativert_tensor_get_dtype (const NativertTensor *tensor);
NATIVERT_API guint nativert_tensor_get_n_dims (const NativertTensor *tensor);
/**
 * nativert_tensor_get_size:
 * @tensor: a tensor
 * @dim: a dimension; negative counts from the last
 *
 * Returns: elements along @dim
 */
NATIVERT_API gint64 nativert_tensor_get_size (const NativertTensor *tensor, gint dim);
NATIVERT_API gint64 nativert_tensor_get_stride (const NativertTensor *tensor, gint dim);
NATIVERT_API gint64 nativert_tensor_get_n_elements (const NativertTensor *tensor);
/**
 * nativert_tensor_get_data: (skip)
 * @tensor: a tensor
 *
 * Returns: the first element
 */
NATIVERT_API gpointer nativert_tensor_get_data (const NativertTensor *tensor);
/**
 * nativert_tensor_dup_bytes:
 * @tensor: a tensor
 *
 * Returns: (transfer full) (nullable): the elements, contiguous; shares memory when the tensor is contiguous; %NULL
 * when there is no memory for a copy
 */
NATIVERT_API GBytes *nativert_tensor_dup_bytes (NativertTensor *tensor);
/**
 * nativert_tensor_contiguous:
 * @tensor: a tensor
 *
 * Returns: (transfer full) (nullable): @tensor itself when it is contiguous, else a contiguous copy; %NULL when there
 * is no memory for it
 */
NATIVERT_API NativertTensor *nativert_tensor_contiguous (NativertTensor *tensor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertTensor, nativert_tensor_unref)

/* ---- values: the pytree of inputs and results ---- */
typedef struct _NativertValue NativertValue;
#define NATIVERT_TYPE_VALUE (nativert_value_get_type ())
NATIVERT_API GType nativert_value_get_type (void);

typedef enum {
  NATIVERT_VALUE_NONE,
  NATIVERT_VALUE_TENSOR,
  NATIVERT_VALUE_INT,
  NATIVERT_VALUE_FLOAT,
  NATIVERT_VALUE_BOOL,
  NATIVERT_VALUE_STRING,
  NATIVERT_VALUE_LIST,
  NATIVERT_VALUE_TUPLE,
  NATIVERT_VALUE_DICT
} NativertValueKind;

NATIVERT_API NativertValue *nativert_value_new_none (void);
NATIVERT_API NativertValue *nativert_value_new_tensor (NativertTensor *tensor);
NATIVERT_API NativertValue *nativert_value_new_int (gint64 value);
NATIVERT_API NativertValue *nativert_value_new_float (gdouble value);
NATIVERT_API NativertValue *nativert_value_new_bool (gboolean value);
NATIVERT_API NativertValue *nativert_value_new_string (const char *value);
NATIVERT_API NativertValue *nativert_value_new_list (void);
NATIVERT_API NativertValue *nativert_value_new_tuple (void);
NATIVERT_API NativertValue *nativert_value_new_dict (void);
/**
 * nativert_value_append:
 * @list: a list or tuple
 * @item: (transfer full): what to append
 */
NATIVERT_API void nativert_value_append (NativertValue *list, NativertValue *item);
/**
 * nativert_value_set:
 * @dict: a dict
 * @key: the key
 * @item: (transfer full): its value
 */
NATIVERT_API void nativert_value_set (NativertValue *dict, const char *key, NativertValue *item);
NATIVERT_API NativertValue *nativert_value_ref (NativertValue *value);
NATIVERT_API void nativert_value_unref (NativertValue *value);
NATIVERT_API NativertValueKind nativert_value_get_kind (const NativertValue *value);
/**
 * nativert_value_get_tensor:
 * @value: a value
 *
 * Returns: (transfer none) (nullable): the tensor, %NULL when it is something else
 */
NATIVERT_API NativertTensor *nativert_value_get_tensor (const NativertValue *value);
NATIVERT_API gint64 nativert_value_get_int (const NativertValue *value);
NATIVERT_API gdouble nativert_value_get_float (const NativertValue *value);
NATIVERT_API gboolean nativert_value_get_bool (const NativertValue *value);
NATIVERT_API const char *nativert_value_get_string (const NativertValue *value);
/**
 * nativert_value_get_length:
 * @value: a list, tuple or dict
 *
 * Returns: the number of children; 0 for anything else
 */
NATIVERT_API guint nativert_value_get_length (const NativertValue *value);
/**
 * nativert_value_get_child:
 * @value: a list, tuple or dict
 * @index: which child
 *
 * Returns: (transfer none): the child
 */
NATIVERT_API NativertValue *nativert_value_get_child (const NativertValue *value, guint index);
/**
 * nativert_value_get_key:
 * @value: a dict
 * @index: which child
 *
 * Returns: (transfer none) (nullable): its key; %NULL when @value is no dict
 */
NATIVERT_API const char *nativert_value_get_key (const NativertValue *value, guint index);
/**
 * nativert_value_lookup:
 * @dict: a dict
 * @key: a key
 *
 * Returns: (transfer none) (nullable): its value
 */
NATIVERT_API NativertValue *nativert_value_lookup (const NativertValue *dict, const char *key);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertValue, nativert_value_unref)

/* ---- models: immutable, any thread ---- */
#define NATIVERT_TYPE_MODEL (nativert_model_get_type ())
NATIVERT_API G_DECLARE_FINAL_TYPE (NativertModel, nativert_model, NATIVERT, MODEL, GObject)

    /**
     * NativertLoadFlags:
     * @NATIVERT_LOAD_DEFAULT: read the weights into memory
     * @NATIVERT_LOAD_MMAP: map the file instead; it must not be overwritten while the model lives
     * @NATIVERT_LOAD_GRAPH_ONLY: no weights: for looking, not for running
     * @NATIVERT_LOAD_KEEP_WEIGHTS: keep weights in memory that only folded and packed forms are made of; by default
     * they are freed, and read from the file again in the rare case that input sizes need another form
     */
    typedef enum {
      NATIVERT_LOAD_DEFAULT = 0,
      NATIVERT_LOAD_MMAP = 1 << 0,
      NATIVERT_LOAD_GRAPH_ONLY = 1 << 1,
      NATIVERT_LOAD_KEEP_WEIGHTS = 1 << 2
    } NativertLoadFlags;

/**
 * nativert_model_load:
 * @path: (type filename): a .pt2 file
 * @name: (nullable): which model of the archive; %NULL for "model", or for the only one
 * @flags: how
 * @cancellable: (nullable): to stop the load
 * @error: return location
 *
 * Returns: (transfer full): the model, ready to run
 */
NATIVERT_API NativertModel *nativert_model_load (const char *path, const char *name, NativertLoadFlags flags,
    GCancellable *cancellable, GError **error);
NATIVERT_API const char *nativert_model_get_path (NativertModel *model);
NATIVERT_API const char *nativert_model_get_name (NativertModel *model);
/**
 * nativert_model_dup_extra_file:
 * @model: a model
 * @name: a name, without "extra/"
 *
 * Returns: (transfer full) (nullable): the file's bytes; %NULL when the archive has none of that name
 */
NATIVERT_API GBytes *nativert_model_dup_extra_file (NativertModel *model, const char *name);
/**
 * nativert_model_dup_sample_inputs:
 * @model: a model
 * @error: return location
 *
 * Returns: (transfer full) (nullable): a tuple (args tuple, kwargs dict); %NULL without error when there are none
 */
NATIVERT_API NativertValue *nativert_model_dup_sample_inputs (NativertModel *model, GError **error);

/**
 * NativertDim:
 * @min: smallest size
 * @max: largest size; -1 when nothing bounds it; equal to @min when static
 * @symbol: (nullable): the symbolic size's text, %NULL when static
 */
typedef struct {
  gint64 min, max;
  const char *symbol;
} NativertDim;

/**
 * NativertPort:
 * @name: name of the input, or of the output's place in the results ("0", "boxes")
 * @kind: what it is
 * @dtype: of a tensor
 * @n_dims: rank of a tensor
 * @dims: (array length=n_dims): its sizes
 *
 * One flattened input or output; owned by the model.
 */
typedef struct {
  const char *name;
  NativertValueKind kind;
  NativertDtype dtype;
  guint n_dims;
  const NativertDim *dims;
} NativertPort;

NATIVERT_API guint nativert_model_get_n_inputs (NativertModel *model);
NATIVERT_API guint nativert_model_get_n_outputs (NativertModel *model);
/**
 * nativert_model_get_input: (skip)
 * @model: a model
 * @index: which flattened input
 *
 * Returns: (transfer none): its description
 */
NATIVERT_API const NativertPort *nativert_model_get_input (NativertModel *model, guint index);
/**
 * nativert_model_get_output: (skip)
 * @model: a model
 * @index: which flattened output
 *
 * Returns: (transfer none): its description
 */
NATIVERT_API const NativertPort *nativert_model_get_output (NativertModel *model, guint index);

/* ---- weights: one version of a model's weights; immutable once made ---- */
typedef struct _NativertWeights NativertWeights;
#define NATIVERT_TYPE_WEIGHTS (nativert_weights_get_type ())
NATIVERT_API GType nativert_weights_get_type (void);
/**
 * nativert_weights_load:
 * @model: the model they are for
 * @path: (type filename): a .pt2 (full or weights-only) or .safetensors file
 * @cancellable: (nullable): to stop the load
 * @error: return location
 *
 * Reads and checks every weight, and folds constants.  Slow: call it from a thread that may wait.
 *
 * Returns: (transfer full): a version that nativert_runner_set_weights() takes
 */
NATIVERT_API NativertWeights *nativert_weights_load (
    NativertModel *model, const char *path, GCancellable *cancellable, GError **error);
NATIVERT_API NativertWeights *nativert_weights_ref (NativertWeights *weights);
NATIVERT_API void nativert_weights_unref (NativertWeights *weights);
/**
 * nativert_weights_get_version:
 * @weights: weights
 *
 * Returns: a number that no other weights in the process have
 */
NATIVERT_API guint64 nativert_weights_get_version (const NativertWeights *weights);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NativertWeights, nativert_weights_unref)

/* ---- runners: a model with executor settings; may run from any thread ---- */
#define NATIVERT_TYPE_RUNNER (nativert_runner_get_type ())
NATIVERT_API G_DECLARE_FINAL_TYPE (NativertRunner, nativert_runner, NATIVERT, RUNNER, GObject)

/**
 * nativert_runner_new:
 * @model: a model
 * @threads: threads that one run may use; 0 for all that the process may
 *
 * Returns: (transfer full): a runner with the model's own weights
 */
NATIVERT_API NativertRunner *nativert_runner_new (NativertModel *model, guint threads);
NATIVERT_API NativertModel *nativert_runner_get_model (NativertRunner *runner);
/**
 * nativert_runner_prepare:
 * @runner: a runner
 * @inputs: (array length=n_inputs): tensors of the sizes that will come; their data is not read
 * @n_inputs: how many
 * @error: return location
 *
 * Makes the plan for these sizes, packs weights for it and allocates a frame, so that the first run is as fast as the
 * rest.
 *
 * Returns: %TRUE, or %FALSE when the model does not take these
 */
NATIVERT_API gboolean nativert_runner_prepare (
    NativertRunner *runner, NativertTensor *const *inputs, guint n_inputs, GError **error);
/**
 * nativert_runner_run_tensors:
 * @runner: a runner
 * @inputs: (array length=n_inputs): the tensors among the flattened inputs, in order
 * @n_inputs: how many
 * @outputs: (out) (array length=n_outputs) (transfer full): the flattened outputs
 * @n_outputs: (out): how many
 * @error: return location
 *
 * For models whose outputs are tensors only, and whose inputs are tensors or numbers that the exporter froze.  Other
 * strides than contiguous are laid out first.  Once the plan for the sizes is there, a run allocates the array of
 * outputs and nothing else; their memory is used again when the last reference on them goes.
 *
 * Returns: %TRUE when it ran
 */
NATIVERT_API gboolean nativert_runner_run_tensors (NativertRunner *runner, NativertTensor *const *inputs,
    guint n_inputs, NativertTensor ***outputs, guint *n_outputs, GError **error);
/**
 * nativert_runner_run:
 * @runner: a runner
 * @args: (nullable): a tuple of positional arguments
 * @kwargs: (nullable): a dict of keyword arguments
 * @error: return location
 *
 * Returns: (transfer full): the results in the structure that the module returns
 */
NATIVERT_API NativertValue *nativert_runner_run (
    NativertRunner *runner, NativertValue *args, NativertValue *kwargs, GError **error);
/**
 * nativert_runner_set_weights:
 * @runner: a runner
 * @weights: weights of the same model
 * @error: return location
 *
 * Packs what the runner's plans need, then swaps: runs in flight finish on the old weights, later ones use @weights.
 * On failure the old weights stay.
 *
 * Returns: %TRUE when they are in use
 */
NATIVERT_API gboolean nativert_runner_set_weights (NativertRunner *runner, NativertWeights *weights, GError **error);
NATIVERT_API guint64 nativert_runner_get_weights_version (NativertRunner *runner);
/**
 * nativert_runner_reset_state:
 * @runner: a runner
 *
 * Puts mutated buffers back to what the weights say.
 */
NATIVERT_API void nativert_runner_reset_state (NativertRunner *runner);

NATIVERT_API const char *nativert_version (void);

G_END_DECLS
