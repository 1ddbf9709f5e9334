/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan as a person reads it: one line a step, with kernel, shapes and where the memory is. */
#include "plan/builder.h"

static void
add_slot (GString *s, const NativertPlan *plan, uint32_t slot)
{
  static const char *const mem[] = { "arena", "input", "output", "weight", "constant", "state" };
  const NativertSlot *x = &plan->slots[slot];
  const NativertBlock *block = &plan->blocks[x->block];
  g_autofree char *view = nativert_view_to_text (&x->view);
  g_string_append_printf (s, "%s", view);
  if (!nativert_view_is_contiguous (&x->view)) {
    g_string_append (s, " strides (");
    for (int d = 0; d < x->view.ndim; d++)
      g_string_append_printf (s, "%s%" G_GINT64_FORMAT, d ? ", " : "", x->view.stride[d]);
    g_string_append_c (s, ')');
  }
  if (block->mem == NATIVERT_MEM_ARENA || block->mem == NATIVERT_MEM_CONSTANT)
    g_string_append_printf (s, " @%s+%" G_GINT64_FORMAT, mem[block->mem], (int64_t) block->offset + x->offset);
  else
    g_string_append_printf (s, " @%s%u+%" G_GINT64_FORMAT, mem[block->mem], block->index, x->offset);
}

static void
add_step (GString *s, const NativertPlan *plan, uint32_t index)
{
  const NativertStep *step = &plan->steps[index];
  g_string_append_printf (
      s, "%4u %s = %s [%s]", index, step->node, nativert_ops[step->kernel->op].name, step->kernel->name);
  for (uint32_t k = 0; k < step->n_in; k++) {
    g_string_append (s, "\n       in  ");
    add_slot (s, plan, plan->slot_refs[step->in + k]);
  }
  for (uint32_t k = 0; k < step->n_out; k++) {
    g_string_append (s, "\n       out ");
    add_slot (s, plan, plan->slot_refs[step->out + k]);
  }
  g_string_append_printf (s, "\n       parts %u", step->n_parts);
  if (step->scratch >= 0)
    g_string_append_printf (s, ", scratch %zu", plan->blocks[step->scratch].n_bytes);
  for (int k = 0; k < NATIVERT_MAX_PACKS; k++)
    if (step->pack[k] >= 0)
      g_string_append_printf (s, ", pack %d", step->pack[k]);
  if (step->in_place >= 0)
    g_string_append_printf (s, ", in place of in %d", step->in_place);
  if (step->n_succ)
    g_string_append (s, ", before");
  for (uint32_t k = 0; k < step->n_succ; k++)
    g_string_append_printf (s, " %u", plan->succ[step->first_succ + k]);
  g_string_append_c (s, '\n');
}

char *
nativert_plan_to_text (const NativertPlan *plan)
{
  GString *s = g_string_new (NULL);
  g_string_append_printf (s,
      "# %u steps, %u slots, %u blocks, %u packs, arena %zu bytes (at least %zu), constants %zu bytes\n", plan->n_steps,
      plan->n_slots, plan->n_blocks, plan->n_packs, plan->arena_bytes, plan->arena_lower_bound, plan->constants_bytes);
  for (uint32_t i = 0; i < plan->n_symbols; i++)
    if (plan->known[i])
      g_string_append_printf (s, "# %s = %" G_GINT64_FORMAT "\n",
          nativert_expr_table_symbol (plan->graph->program->exprs, i), plan->symbols[i]);
  for (uint32_t i = 0; i < plan->n_steps; i++) {
    if (i == plan->n_once && i)
      g_string_append_printf (s, "# above: once for the weights, %zu bytes\n", plan->once_bytes);
    add_step (s, plan, i);
  }
  for (uint32_t i = 0; i < plan->n_outputs; i++) {
    g_string_append_printf (s, "output %u: ", i);
    if (plan->outputs[i].kind == NATIVERT_VALUE_TENSOR
        || (plan->outputs[i].kind == NATIVERT_VALUE_FLOAT && plan->outputs[i].slot != NATIVERT_NO_SLOT))
      add_slot (s, plan, plan->outputs[i].slot);
    else if (plan->outputs[i].kind == NATIVERT_VALUE_STRING)
      g_string_append_printf (s, "\"%s\"", plan->outputs[i].string);
    else if (plan->outputs[i].kind == NATIVERT_VALUE_NONE)
      g_string_append (s, "None");
    else if (plan->outputs[i].kind == NATIVERT_VALUE_FLOAT)
      g_string_append_printf (s, "%.17g", plan->outputs[i].number.u.f);
    else
      g_string_append_printf (s, "%" G_GINT64_FORMAT,
          plan->outputs[i].kind == NATIVERT_VALUE_INT ? plan->outputs[i].number.u.i
                                                      : (int64_t) plan->outputs[i].number.u.b);
    g_string_append_c (s, '\n');
  }
  return g_string_free (s, FALSE);
}
