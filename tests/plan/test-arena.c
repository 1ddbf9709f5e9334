/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edges and arenas of random programs, checked by definition. */
#include <string.h>
#include "check-plan.h"
#include "plan/builder.h"

typedef struct { NativertPlan plan; NativertBuilder builder; GRand *rand; uint32_t n_refs, data[180], n_data; } Fixture;

enum { MAX_STEPS = 60, MAX_BLOCKS = 180, MAX_REFS = 8 * MAX_STEPS };

static void
setup (Fixture *f, uint32_t seed)
{
  memset (f, 0, sizeof *f);
  f->rand = g_rand_new_with_seed (seed);
  f->builder.temp = nativert_region_new ();
  f->builder.limit = SIZE_MAX;
  f->plan.region = nativert_region_new ();
  f->plan.blocks = nativert_region_new_n (f->plan.region, NativertBlock, MAX_BLOCKS);
  f->plan.slots = nativert_region_new_n (f->plan.region, NativertSlot, MAX_BLOCKS);
  f->plan.steps = nativert_region_new_n (f->plan.region, NativertStep, MAX_STEPS);
  f->plan.slot_refs = nativert_region_new_n (f->plan.region, uint32_t, MAX_REFS);
}

static void
teardown (Fixture *f)
{
  g_rand_free (f->rand);
  nativert_region_free (f->builder.temp);
  nativert_region_free (f->plan.region);
}

/* A block and a slot that is all of it; few sizes, so that in-place work and reuse are common. */
static uint32_t
add_block (Fixture *f)
{
  static const int64_t sizes[] = { 1, 16, 100, 100, 100, 4096, 70000 };
  int64_t size = sizes[g_rand_int_range (f->rand, 0, G_N_ELEMENTS (sizes))];
  uint32_t i = f->plan.n_blocks++;
  f->plan.blocks[i] = (NativertBlock){
    .mem = NATIVERT_MEM_ARENA, .n_bytes = (size_t) size * 4, .keep = g_rand_int_range (f->rand, 0, 20) == 0
  };
  f->plan.slots[i].block = i;
  nativert_view_init (&f->plan.slots[i].view, NATIVERT_F32, 1, &size);
  f->plan.n_slots = f->plan.n_blocks;
  return i;
}

/* A step reads some of the latest blocks and writes a new one, or, with writers, sometimes an old one. */
static void
add_step (Fixture *f, bool writers)
{
  NativertStep *s = &f->plan.steps[f->plan.n_steps++];
  uint32_t have = f->n_data;
  *s = (NativertStep) { .n_parts = 1, .scratch = -1, .in_place = -1, .in = f->n_refs };
  for (int k = g_rand_int_range (f->rand, 0, 4); have && k > 0; k--) {
    uint32_t reach = g_rand_boolean (f->rand) && have > 4 ? 4 : have;
    uint32_t back = (uint32_t) g_rand_int_range (f->rand, 1, 1 + (int) reach);
    f->plan.slot_refs[f->n_refs++] = f->data[have - back];
    s->n_in++;
  }
  s->out = f->n_refs;
  s->n_out = 1;
  bool old = writers && have && g_rand_int_range (f->rand, 0, 5) == 0;
  if (!old)
    f->data[f->n_data++] = add_block (f);
  f->plan.slot_refs[f->n_refs++] = f->data[old ? (uint32_t) g_rand_int_range (f->rand, 0, (int) have) : have];
  if (s->n_in && g_rand_boolean (f->rand))
    s->in_place = (int8_t) g_rand_int_range (f->rand, 0, (int) s->n_in);
  if (g_rand_int_range (f->rand, 0, 4) == 0)
    s->scratch = (int32_t) add_block (f);
  if (s->scratch >= 0)
    f->plan.blocks[s->scratch].keep = false;
}

static size_t
try_random (uint32_t seed, bool writers)
{
  Fixture f;
  size_t arena;
  setup (&f, seed);
  for (int n = g_rand_int_range (f.rand, 1, MAX_STEPS); n > 0; n--)
    add_step (&f, writers);
  nativert_plan_make_dag (&f.plan);
  g_assert_true (nativert_plan_make_arena (&f.plan, &f.builder, &arena));
  f.plan.arena_bytes = arena;
  g_autofree char *why = check_plan (&f.plan);
  if (why)
    g_error ("seed %u: %s", seed, why);
  g_assert_cmpuint (arena, >=, f.plan.arena_lower_bound);
  teardown (&f);
  return arena;
}

static void
test_random (void)
{
  for (uint32_t seed = 0; seed < 400; seed++)
    try_random (seed, false);
}

/* Classes with writers: read after write, write after write, write after read. */
static void
test_random_writers (void)
{
  for (uint32_t seed = 0; seed < 400; seed++)
    try_random (seed + 1000, true);
}

/* A chain of equal results needs the bytes of two; in place, of one. */
static void
check_chain (int8_t in_place, size_t want)
{
  Fixture f;
  size_t arena;
  int64_t size = 64;
  setup (&f, 1);
  for (uint32_t i = 0; i < 10; i++) {
    NativertStep *s = &f.plan.steps[f.plan.n_steps++];
    *s = (NativertStep) { .n_parts = 1, .scratch = -1, .in_place = i ? in_place : -1, .in = f.n_refs, .n_in = i > 0 };
    if (i)
      f.plan.slot_refs[f.n_refs++] = i - 1;
    s->out = f.n_refs;
    s->n_out = 1;
    f.plan.slot_refs[f.n_refs++] = i;
    f.plan.blocks[i] = (NativertBlock) { .mem = NATIVERT_MEM_ARENA, .n_bytes = 256 };
    f.plan.slots[i].block = i;
    nativert_view_init (&f.plan.slots[i].view, NATIVERT_F32, 1, &size);
    f.plan.n_blocks = f.plan.n_slots = i + 1;
  }
  nativert_plan_make_dag (&f.plan);
  g_assert_true (nativert_plan_make_arena (&f.plan, &f.builder, &arena));
  f.plan.arena_bytes = arena;
  g_autofree char *why = check_plan (&f.plan);
  g_assert_null (why);
  g_assert_cmpuint (arena, ==, want);
  teardown (&f);
}

static void
test_chain (void)
{
  check_chain (-1, 512);
  check_chain (0, 256);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan/arena/chain", test_chain);
  g_test_add_func ("/plan/arena/random", test_random);
  g_test_add_func ("/plan/arena/random-writers", test_random_writers);
  return g_test_run ();
}
