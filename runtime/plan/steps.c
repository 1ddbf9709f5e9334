/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of a plan being made: a kernel, its slots, parameters, scratch memory and packs. */
#include <string.h>
#include "base/checked.h"
#include "plan/builder.h"

enum { PARAMS_ALIGN = 16, MAX_PARTS = 1 << 20 };

static uint32_t
add_params (NativertBuilder *b, const void *params, size_t n_bytes)
{
  uint32_t at = b->params->len;
  g_byte_array_append (b->params, params, (guint) n_bytes);
  guint padded = (b->params->len + PARAMS_ALIGN - 1) / PARAMS_ALIGN * PARAMS_ALIGN;
  guint before = b->params->len;
  g_byte_array_set_size (b->params, padded);
  memset (b->params->data + before, 0, padded - before);
  return at;
}

/* Packs of the same view of a weight by the same function and key are one. */
static int32_t
add_pack (NativertBuilder *b, const NativertPlanValue *v, const NativertPack *pack, uint32_t params)
{
  uint32_t weight = NATIVERT_BLOCK (b, v->block)->b.index;
  for (uint32_t i = 0; i < b->packs->len; i++) {
    const NativertPlanPack *p = &g_array_index (b->packs, NativertPlanPack, i);
    if (p->weight == weight && p->offset == v->offset && p->pack.fn == pack->fn && p->pack.key == pack->key
        && p->pack.n_bytes == pack->n_bytes && p->view.dtype == v->view.dtype
        && nativert_view_same_shape (&p->view, &v->view) && nativert_view_same_strides (&p->view, &v->view))
      return (int32_t) i;
  }
  NativertPlanPack added = { .weight = weight, .view = v->view, .offset = v->offset, .pack = *pack, .params = params };
  g_array_append_val (b->packs, added);
  return (int32_t) b->packs->len - 1;
}

static bool
add_scratch (NativertBuilder *b, NativertStep *s, const NativertPrep *p)
{
  size_t parts, total;
  s->scratch = -1;
  s->scratch_shared = (p->scratch_shared + NATIVERT_ALIGN - 1) / NATIVERT_ALIGN * NATIVERT_ALIGN;
  s->scratch_part = (p->scratch_part + NATIVERT_ALIGN - 1) / NATIVERT_ALIGN * NATIVERT_ALIGN;
  if (!nativert_mul_size (s->scratch_part, p->n_parts, &parts) || !nativert_add_size (parts, s->scratch_shared, &total))
    return nativert_builder_fail (b, NATIVERT_ERROR_LIMIT, "scratch memory does not fit");
  if (total && !nativert_builder_check_limit (b, total))
    return false;
  if (total)
    s->scratch = (int32_t) nativert_builder_add_block (b, NATIVERT_MEM_ARENA, 0, total);
  return true;
}

static uint32_t
add_refs (NativertBuilder *b, const NativertRef *refs, uint32_t n)
{
  uint32_t first = b->refs->len;
  g_array_append_vals (b->refs, refs, n);
  return first;
}

bool
nativert_builder_add_step (
    NativertBuilder *b, const NativertKernel *kernel, NativertPrep *p, const NativertRef *in, const NativertRef *out)
{
  NativertStep step = { .kernel = kernel,
    .node = b->node ? b->node->name : "output",
    .n_in = p->n_in,
    .n_out = p->n_out,
    .n_parts = p->n_parts,
    .cost = p->cost };
  NativertStep *s = &step;
  if (b->node && (!s->node || !*s->node))
    s->node = b->node->n_outputs ? b->node->outputs[0]->name : b->node->target;
  if (p->n_parts < 1 || p->n_parts > MAX_PARTS || p->params_size > NATIVERT_MAX_PARAMS || !add_scratch (b, s, p))
    return nativert_builder_fail (b, NATIVERT_ERROR_LIMIT, "kernel %s asks for %u parts", kernel->name, p->n_parts);
  s->params = add_params (b, p->params, p->params_size);
  s->in = add_refs (b, in, p->n_in);
  s->out = add_refs (b, out, p->n_out);
  for (int i = 0; i < NATIVERT_MAX_PACKS; i++)
    s->pack[i] = -1;
  for (int i = 0; i < p->n_packs && i < NATIVERT_MAX_PACKS; i++) {
    if (p->pack[i].in >= p->n_in || !p->in_const[p->pack[i].in])
      return nativert_builder_fail (
          b, NATIVERT_ERROR_UNSUPPORTED, "kernel %s packs an input that is no weight", kernel->name);
    if (!nativert_builder_check_limit (b, p->pack[i].n_bytes))
      return false;
    s->pack[i] = add_pack (b, NATIVERT_VALUE (b, in[p->pack[i].in]), &p->pack[i], s->params);
  }
  s->in_place = p->in_place >= 0 && p->in_place < p->n_in && p->n_out > 0 ? p->in_place : -1;
  for (uint32_t i = 0; i < p->n_out; i++)
    NATIVERT_BLOCK (b, NATIVERT_VALUE (b, out[i])->block)->version++;
  b->plan->cost += p->cost;
  g_array_append_val (b->steps, step);
  return true;
}
