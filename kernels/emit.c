/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Short forms over the plan's emit functions, for expand functions. */
#include <math.h>
#include "kernels/convert.h"
#include "kernels/rules.h"

NativertRef
nativert_emit_v (NativertEmit *e, uint16_t op, uint32_t n_args, const NativertArg *args)
{
  NativertRef out = NATIVERT_NO_REF;
  if (!e->op (e, op, n_args, args, 1, &out))
    return NATIVERT_NO_REF;
  return out;
}

/* One element of any dtype, at v: the float for floating types, the integer for the others. */
static NativertRef
emit_element (NativertEmit *e, uint8_t dtype, double f, int64_t i)
{
  union { char bytes[16]; int64_t words[2]; } data = { { 0 } };
  NativertView v = { 0 };
  nativert_view_init (&v, dtype, 0, NULL);
  nativert_store_number (data.bytes, dtype, f, i);
  v.data = data.bytes;
  return e->constant (e, &v);
}

NativertRef
nativert_emit_float (NativertEmit *e, uint8_t dtype, double value)
{
  bool fits = value >= -9223372036854775808.0 && value < 9223372036854775808.0;
  return emit_element (e, dtype, value, fits ? (int64_t) value : INT64_MIN);
}

NativertRef
nativert_emit_int (NativertEmit *e, uint8_t dtype, int64_t value)
{
  return emit_element (e, dtype, (double) value, value);
}
