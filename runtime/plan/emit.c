/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What expand functions call: each emitted operator goes the same way as a node of the graph. */
#include "plan/builder.h"

static bool
emit_op (NativertEmit *e, uint16_t op, uint32_t n_args, const NativertArg *args, uint32_t n_out, NativertRef *out)
{
  NativertBuilder *b = (NativertBuilder *) e;
  NativertLowering l
      = { .op = op, .args = args, .n_args = n_args, .n_out = n_out, .dest = NATIVERT_NO_REF, .out = out };
  for (uint32_t i = 0; i < n_out; i++)
    out[i] = NATIVERT_NO_REF;
  if (*b->error)
    return false;
  return nativert_builder_lower (b, &l);
}

static const NativertView *
emit_view (NativertEmit *e, NativertRef ref)
{
  static const NativertView none;       /* after a failure: what is read does not matter */
  NativertBuilder *b = (NativertBuilder *) e;
  return ref >= 0 && ref < (NativertRef) b->values->len ? &NATIVERT_VALUE (b, ref)->view : &none;
}

static NativertRef
emit_constant (NativertEmit *e, const NativertView *v)
{
  NativertBuilder *b = (NativertBuilder *) e;
  return *b->error ? NATIVERT_NO_REF : nativert_builder_constant (b, v);
}

void
nativert_builder_init_emit (NativertBuilder *b)
{
  b->emit
      = (NativertEmit){ .op = emit_op, .view = emit_view, .constant = emit_constant, .cpu = nativert_cpu_features () };
}
