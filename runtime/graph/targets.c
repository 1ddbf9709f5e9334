/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The targets that are no operators: symbolic arithmetic, checks, higher-order operators. */
#include <string.h>
#include "graph/private.h"

static const struct { const char *target; uint8_t kind; } targets[] = {
  { "_operator.add", NATIVERT_TARGET_SYMBOLIC }, { "_operator.sub", NATIVERT_TARGET_SYMBOLIC },
  { "_operator.mul", NATIVERT_TARGET_SYMBOLIC }, { "_operator.truediv", NATIVERT_TARGET_SYMBOLIC },
  { "_operator.floordiv", NATIVERT_TARGET_SYMBOLIC }, { "_operator.mod", NATIVERT_TARGET_SYMBOLIC },
  { "_operator.pow", NATIVERT_TARGET_SYMBOLIC }, { "_operator.neg", NATIVERT_TARGET_SYMBOLIC },
  { "_operator.pos", NATIVERT_TARGET_SYMBOLIC }, { "_operator.eq", NATIVERT_TARGET_SYMBOLIC },
  { "_operator.ne", NATIVERT_TARGET_SYMBOLIC }, { "_operator.ge", NATIVERT_TARGET_SYMBOLIC },
  { "_operator.gt", NATIVERT_TARGET_SYMBOLIC }, { "_operator.le", NATIVERT_TARGET_SYMBOLIC },
  { "_operator.lt", NATIVERT_TARGET_SYMBOLIC }, { "_operator.and_", NATIVERT_TARGET_SYMBOLIC },
  { "_operator.or_", NATIVERT_TARGET_SYMBOLIC }, { "_operator.lshift", NATIVERT_TARGET_SYMBOLIC },
  { "_operator.rshift", NATIVERT_TARGET_SYMBOLIC }, { "torch.sym_int", NATIVERT_TARGET_SYMBOLIC },
  { "torch.sym_float", NATIVERT_TARGET_SYMBOLIC }, { "torch.sym_max", NATIVERT_TARGET_SYMBOLIC },
  { "torch.sym_min", NATIVERT_TARGET_SYMBOLIC }, { "torch.sym_ite", NATIVERT_TARGET_SYMBOLIC },
  { "torch.sym_not", NATIVERT_TARGET_SYMBOLIC }, { "torch.sym_sqrt", NATIVERT_TARGET_SYMBOLIC },
  { "torch._sym_sqrt", NATIVERT_TARGET_SYMBOLIC }, { "math.trunc", NATIVERT_TARGET_SYMBOLIC },
  { "math.floor", NATIVERT_TARGET_SYMBOLIC }, { "math.ceil", NATIVERT_TARGET_SYMBOLIC },
  { "torch.ops.aten.sym_size.int", NATIVERT_TARGET_SYMBOLIC },
  { "torch.ops.aten.sym_stride.int", NATIVERT_TARGET_SYMBOLIC },
  { "torch.ops.aten.sym_numel.default", NATIVERT_TARGET_SYMBOLIC },
  { "torch.ops.aten.sym_storage_offset.default", NATIVERT_TARGET_SYMBOLIC },
  { "torch.ops.aten.item.default", NATIVERT_TARGET_SYMBOLIC },
  { "torch.ops.aten._local_scalar_dense.default", NATIVERT_TARGET_SYMBOLIC },

  { "torch.ops.aten._assert_scalar.default", NATIVERT_TARGET_ASSERT },
  { "torch.ops.aten._assert_tensor_metadata.default", NATIVERT_TARGET_ASSERT },
  { "torch.ops.aten._assert_async.default", NATIVERT_TARGET_ASSERT },
  { "torch.ops.aten._assert_async.msg", NATIVERT_TARGET_ASSERT },
  { "torch.ops.aten._functional_assert_async.msg", NATIVERT_TARGET_ASSERT },
  { "torch.ops.aten._functional_assert_scalar.default", NATIVERT_TARGET_ASSERT },
  { "torch.ops.aten._linalg_check_errors.default", NATIVERT_TARGET_ASSERT },
  { "torch.ops.aten.sym_constrain_range.default", NATIVERT_TARGET_ASSERT },
  { "torch.ops.aten.sym_constrain_range_for_size.default", NATIVERT_TARGET_ASSERT },
  { "torch.ops.aten._functional_sym_constrain_range.default", NATIVERT_TARGET_ASSERT },
  { "torch.ops.aten._functional_sym_constrain_range_for_size.default", NATIVERT_TARGET_ASSERT },

  { "torch.ops.higher_order.wrap_with_set_grad_enabled", NATIVERT_TARGET_WRAPPER },
  { "torch.ops.higher_order.wrap_with_autocast", NATIVERT_TARGET_WRAPPER },
  { "torch.ops.higher_order.invoke_subgraph", NATIVERT_TARGET_WRAPPER },
  { "torch.ops.higher_order.hints_wrapper", NATIVERT_TARGET_WRAPPER },
  { "torch.ops.higher_order.run_const_graph", NATIVERT_TARGET_WRAPPER },
};

NativertTargetKind
nativert_target_kind (const char *target)
{
  for (size_t i = 0; i < G_N_ELEMENTS (targets); i++)
    if (g_str_equal (targets[i].target, target))
      return targets[i].kind;
  return g_str_has_prefix (target, "torch.ops.higher_order.") ? NATIVERT_TARGET_HIGHER_ORDER : NATIVERT_TARGET_OPERATOR;
}

bool
nativert_target_is (const char *target, const char *name)
{
  if (!g_str_has_prefix (target, "torch.ops.") || !g_str_has_prefix (target + strlen ("torch.ops."), name))
    return false;
  char next = target[strlen ("torch.ops.") + strlen (name)];
  return next == '\0' || next == '.';
}
