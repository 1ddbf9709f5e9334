/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NativertModel: a loaded program with the weights of its file.  Immutable, shared, any thread. */
#include "model/core.h"
#include "model/weights.h"

struct _NativertModel {
  GObject parent;
  NativertCore *core;
  NativertWeights *weights;
};

G_DEFINE_TYPE (NativertModel, nativert_model, G_TYPE_OBJECT)

static void
nativert_model_finalize (GObject *object)
{
  NativertModel *model = NATIVERT_MODEL (object);

  g_clear_pointer (&model->weights, nativert_weights_unref);
  g_clear_pointer (&model->core, nativert_core_unref);
  G_OBJECT_CLASS (nativert_model_parent_class)->finalize (object);
}

static void
nativert_model_class_init (NativertModelClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = nativert_model_finalize;
}

static void
nativert_model_init (NativertModel *model)
{
}

NativertModel *
nativert_model_load (
    const char *path, const char *name, NativertLoadFlags flags, GCancellable *cancellable, GError **error)
{
  g_autoptr (NativertModel) model = NULL;
  g_autoptr (NativertCore) core = NULL;
  g_autoptr (NativertWeights) weights = NULL;

  g_return_val_if_fail (path != NULL, NULL);
  core = nativert_core_load (path, name, flags, cancellable, error);
  if (core == NULL)
    return NULL;
  if (!(flags & NATIVERT_LOAD_GRAPH_ONLY)) {
    weights = nativert_weights_load_own (core, cancellable, error);
    if (weights == NULL)
      return NULL;
  }
  model = g_object_new (NATIVERT_TYPE_MODEL, NULL);
  model->core = g_steal_pointer (&core);
  model->weights = g_steal_pointer (&weights);
  return g_steal_pointer (&model);
}

NativertCore *
nativert_model_get_core (NativertModel *model)
{
  return model->core;
}

NativertWeights *
nativert_model_get_weights (NativertModel *model)
{
  return model->weights;
}

const char *
nativert_model_get_path (NativertModel *model)
{
  g_return_val_if_fail (NATIVERT_IS_MODEL (model), NULL);
  return model->core->path;
}

const char *
nativert_model_get_name (NativertModel *model)
{
  g_return_val_if_fail (NATIVERT_IS_MODEL (model), NULL);
  return model->core->name;
}

GBytes *
nativert_model_dup_extra_file (NativertModel *model, const char *name)
{
  g_return_val_if_fail (NATIVERT_IS_MODEL (model) && name != NULL, NULL);
  return nativert_package_dup_extra_file (model->core->package, name);
}

NativertValue *
nativert_model_dup_sample_inputs (NativertModel *model, GError **error)
{
  g_return_val_if_fail (NATIVERT_IS_MODEL (model), NULL);
  return nativert_package_load_sample_inputs (model->core->package, model->core->name, error);
}

guint
nativert_model_get_n_inputs (NativertModel *model)
{
  g_return_val_if_fail (NATIVERT_IS_MODEL (model), 0);
  return model->core->n_inputs;
}

guint
nativert_model_get_n_outputs (NativertModel *model)
{
  g_return_val_if_fail (NATIVERT_IS_MODEL (model), 0);
  return model->core->n_outputs;
}

const NativertPort *
nativert_model_get_input (NativertModel *model, guint index)
{
  g_return_val_if_fail (NATIVERT_IS_MODEL (model) && index < model->core->n_inputs, NULL);
  return &model->core->inputs[index];
}

const NativertPort *
nativert_model_get_output (NativertModel *model, guint index)
{
  g_return_val_if_fail (NATIVERT_IS_MODEL (model) && index < model->core->n_outputs, NULL);
  return &model->core->outputs[index];
}

const char *
nativert_version (void)
{
  return NATIVERT_VERSION;
}
