/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which step must wait for which: read after write, write after write and write after read of every block, in program
 * order.  Most blocks are written once; those of classes with writers get all three from the same rule. */
#include <string.h>
#include "plan/builder.h"

typedef struct { uint32_t step, next; } Reader;         /* a list; next is an index + 1 */
typedef struct { uint32_t from, to; } Edge;
typedef struct {
  GArray *edges, *readers;
  uint32_t *writer, *reader;            /* by block: last step + 1; head of the list of readers since */
  uint32_t *seen;                       /* by step: 1 + the step that already waits for it */
} Maker;

static void
add_edge (Maker *m, uint32_t from, uint32_t to)
{
  if (from == to || m->seen[from] == to + 1)
    return;
  m->seen[from] = to + 1;
  Edge edge = { from, to };
  g_array_append_val (m->edges, edge);
}

static void
read_block (Maker *m, uint32_t block, uint32_t step)
{
  if (m->writer[block])
    add_edge (m, m->writer[block] - 1, step);
  Reader reader = { step, m->reader[block] };
  g_array_append_val (m->readers, reader);
  m->reader[block] = m->readers->len;
}

static void
write_block (Maker *m, uint32_t block, uint32_t step)
{
  for (uint32_t i = m->reader[block]; i;) {
    Reader reader = g_array_index (m->readers, Reader, i - 1);
    add_edge (m, reader.step, step);
    i = reader.next;
  }
  if (m->writer[block])
    add_edge (m, m->writer[block] - 1, step);
  m->writer[block] = step + 1;
  m->reader[block] = 0;
}

static void
store (NativertPlan *plan, const GArray *edges)
{
  plan->n_succ = edges->len;
  plan->succ = nativert_region_new_n (plan->region, uint32_t, edges->len + 1);
  g_autofree uint32_t *fill = g_new0 (uint32_t, plan->n_steps + 1);
  for (guint i = 0; i < edges->len; i++) {
    plan->steps[g_array_index (edges, Edge, i).from].n_succ++;
    plan->steps[g_array_index (edges, Edge, i).to].n_deps++;
  }
  for (uint32_t i = 0, first = 0; i < plan->n_steps; i++) {
    plan->steps[i].first_succ = fill[i] = first;
    first += plan->steps[i].n_succ;
  }
  for (guint i = 0; i < edges->len; i++) {
    Edge edge = g_array_index (edges, Edge, i);
    plan->succ[fill[edge.from]++] = edge.to;
  }
}

void
nativert_plan_make_dag (NativertPlan *plan)
{
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (Edge));
  g_autoptr (GArray) readers = g_array_new (FALSE, FALSE, sizeof (Reader));
  g_autofree uint32_t *writer = g_new0 (uint32_t, plan->n_blocks + 1);
  g_autofree uint32_t *reader = g_new0 (uint32_t, plan->n_blocks + 1);
  g_autofree uint32_t *seen = g_new0 (uint32_t, plan->n_steps + 1);
  Maker m = { edges, readers, writer, reader, seen };
  for (uint32_t i = plan->n_once; i < plan->n_steps; i++) {
    const NativertStep *s = &plan->steps[i];
    for (uint32_t k = 0; k < s->n_in; k++) {
      uint32_t block = plan->slots[plan->slot_refs[s->in + k]].block;
      const NativertBlock *b = &plan->blocks[block];
      if (b->mem != NATIVERT_MEM_WEIGHT && b->mem != NATIVERT_MEM_CONSTANT && !b->once)
        read_block (&m, block, i);
    }
    for (uint32_t k = 0; k < s->n_out; k++)
      write_block (&m, plan->slots[plan->slot_refs[s->out + k]].block, i);
  }
  store (plan, edges);
}
