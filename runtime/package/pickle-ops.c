/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One handler for each opcode that the files of torch.save use, protocols 2 to 5. */
#include "package/pickle-private.h"

#include <string.h>

enum { MAX_PROTOCOL = 5 };

/* ---- the stack ---- */

/* Nothing below the last mark can be popped. */
static uint32_t
bottom (const Pickle *p)
{
  return p->marks->len > 0 ? g_array_index (p->marks, uint32_t, p->marks->len - 1) : 0;
}

static PickleObject *
pop (Pickle *p)
{
  if (p->stack->len > bottom (p))
    return g_ptr_array_remove_index (p->stack, p->stack->len - 1);
  nativert_pickle_malformed (p, "takes more from the stack than there is");
  return NULL;
}

static PickleObject *
top (Pickle *p)
{
  if (p->stack->len > bottom (p))
    return g_ptr_array_index (p->stack, p->stack->len - 1);
  nativert_pickle_malformed (p, "takes more from the stack than there is");
  return NULL;
}

/* Where the objects above the last mark begin; the mark is gone. */
static bool
pop_mark (Pickle *p, uint32_t *from)
{
  *from = bottom (p);
  if (p->marks->len == 0)
    return nativert_pickle_malformed (p, "no mark");
  g_array_set_size (p->marks, p->marks->len - 1);
  return true;
}

static bool
collect (Pickle *p, PickleKind kind, uint32_t from)
{
  PickleObject *container = nativert_pickle_new (p, kind);

  if (container == NULL)
    return false;
  for (uint32_t i = from; i < p->stack->len; i++)
    nativert_pickle_append (p, container, g_ptr_array_index (p->stack, i));
  g_ptr_array_set_size (p->stack, (int) from);
  return nativert_pickle_push (p, container);
}

/* ---- containers ---- */

static bool op_empty_list (Pickle *p) { return nativert_pickle_push (p, nativert_pickle_new (p, PICKLE_LIST)); }
static bool op_empty_tuple (Pickle *p) { return nativert_pickle_push (p, nativert_pickle_new (p, PICKLE_TUPLE)); }
static bool op_empty_dict (Pickle *p) { return nativert_pickle_push (p, nativert_pickle_new (p, PICKLE_DICT)); }

static bool
op_mark (Pickle *p)
{
  uint32_t at = p->stack->len;

  g_array_append_val (p->marks, at);
  return p->marks->len <= PICKLE_MAX_OBJECTS || nativert_pickle_fail (p, NATIVERT_ERROR_LIMIT, "too many marks");
}

static bool
op_tuple (Pickle *p)
{
  uint32_t from;

  return pop_mark (p, &from) && collect (p, PICKLE_TUPLE, from);
}

static bool
push_tuple (Pickle *p, uint32_t n)
{
  if (p->stack->len - bottom (p) < n)
    return nativert_pickle_malformed (p, "takes more from the stack than there is");
  return collect (p, PICKLE_TUPLE, p->stack->len - n);
}

static bool op_tuple1 (Pickle *p) { return push_tuple (p, 1); }
static bool op_tuple2 (Pickle *p) { return push_tuple (p, 2); }
static bool op_tuple3 (Pickle *p) { return push_tuple (p, 3); }

/* Moves what is above from into the container below it; multiple: items come in such groups. */
static bool
add_items (Pickle *p, PickleKind kind, uint32_t from, uint32_t multiple)
{
  PickleObject *container = from > bottom (p) ? g_ptr_array_index (p->stack, from - 1) : NULL;

  if (container == NULL || container->kind != kind)
    return nativert_pickle_malformed (p, kind == PICKLE_DICT ? "sets an item of no dict" : "appends to no list");
  if ((p->stack->len - from) % multiple != 0)
    return nativert_pickle_malformed (p, "key without a value");
  for (uint32_t i = from; i < p->stack->len; i++)
    nativert_pickle_append (p, container, g_ptr_array_index (p->stack, i));
  g_ptr_array_set_size (p->stack, (int) from);
  return true;
}

static bool
op_append (Pickle *p)
{
  return p->stack->len - bottom (p) >= 2 ? add_items (p, PICKLE_LIST, p->stack->len - 1, 1)
                                         : nativert_pickle_malformed (p, "appends to no list");
}

static bool
op_setitem (Pickle *p)
{
  return p->stack->len - bottom (p) >= 3 ? add_items (p, PICKLE_DICT, p->stack->len - 2, 2)
                                         : nativert_pickle_malformed (p, "sets an item of no dict");
}

static bool
op_appends (Pickle *p)
{
  uint32_t from;

  return pop_mark (p, &from) && add_items (p, PICKLE_LIST, from, 1);
}

static bool
op_setitems (Pickle *p)
{
  uint32_t from;

  return pop_mark (p, &from) && add_items (p, PICKLE_DICT, from, 2);
}

static bool
op_pop (Pickle *p)
{
  return pop (p) != NULL;
}

/* ---- memo ---- */

static bool
memo_put (Pickle *p, uint64_t number)
{
  PickleObject *object = top (p);

  if (object == NULL)
    return false;
  g_hash_table_insert (p->memo, GSIZE_TO_POINTER (number + 1), object);
  return g_hash_table_size (p->memo) <= PICKLE_MAX_OBJECTS
         || nativert_pickle_fail (p, NATIVERT_ERROR_LIMIT, "memo is too large");
}

static bool
memo_get (Pickle *p, uint64_t number)
{
  PickleObject *object = g_hash_table_lookup (p->memo, GSIZE_TO_POINTER (number + 1));

  if (object == NULL)
    return nativert_pickle_malformed (p, "memo has no such entry");
  return p->stack->len <= PICKLE_MAX_OBJECTS ? nativert_pickle_push (p, object)
                                             : nativert_pickle_fail (p, NATIVERT_ERROR_LIMIT, "stack is too large");
}

static bool
op_binput (Pickle *p)
{
  uint64_t number;

  return nativert_pickle_take_uint (p, 1, &number) && memo_put (p, number);
}

static bool
op_long_binput (Pickle *p)
{
  uint64_t number;

  return nativert_pickle_take_uint (p, 4, &number) && memo_put (p, number);
}

static bool
op_binget (Pickle *p)
{
  uint64_t number;

  return nativert_pickle_take_uint (p, 1, &number) && memo_get (p, number);
}

static bool
op_long_binget (Pickle *p)
{
  uint64_t number;

  return nativert_pickle_take_uint (p, 4, &number) && memo_get (p, number);
}

static bool
op_memoize (Pickle *p)
{
  return memo_put (p, g_hash_table_size (p->memo));
}

/* ---- names and objects ---- */

static bool
op_global (Pickle *p)
{
  const uint8_t *module = p->at, *name, *end;
  g_autofree char *text = NULL;

  name = memchr (module, '\n', p->end - module);
  end = name != NULL ? memchr (name + 1, '\n', p->end - name - 1) : NULL;
  if (end == NULL)
    return nativert_pickle_malformed (p, "name without an end");
  p->at = end + 1;
  text = g_strdup_printf (
      "%.*s %.*s", (int) MIN (name - module, 256), module, (int) MIN (end - name - 1, 256), name + 1);
  return nativert_pickle_push_text (p, PICKLE_GLOBAL, text, strlen (text));
}

static bool
op_stack_global (Pickle *p)
{
  PickleObject *name = pop (p), *module = name != NULL ? pop (p) : NULL;
  g_autofree char *text = NULL;

  if (module == NULL)
    return false;
  if (name->kind != PICKLE_STRING || module->kind != PICKLE_STRING)
    return nativert_pickle_malformed (p, "name is no string");
  text = g_strdup_printf ("%.256s %.256s", module->u.text.s, name->u.text.s);
  return nativert_pickle_push_text (p, PICKLE_GLOBAL, text, strlen (text));
}

static bool
op_reduce (Pickle *p)
{
  PickleObject *args = pop (p), *callable = args != NULL ? pop (p) : NULL;

  return callable != NULL && nativert_pickle_push (p, nativert_pickle_reduce (p, callable, args));
}

static bool
op_newobj (Pickle *p)
{
  PickleObject *args = pop (p), *type = args != NULL ? pop (p) : NULL;

  return type != NULL && nativert_pickle_push (p, nativert_pickle_new_object (p, type, args));
}

static bool
op_build (Pickle *p)
{
  PickleObject *state = pop (p), *object = state != NULL ? top (p) : NULL;

  return object != NULL && nativert_pickle_build (p, object, state);
}

static bool
op_persid (Pickle *p)
{
  PickleObject *id = pop (p);

  return id != NULL && nativert_pickle_push (p, nativert_pickle_persistent (p, id));
}

static bool
op_proto (Pickle *p)
{
  uint64_t protocol;

  return nativert_pickle_take_uint (p, 1, &protocol)
         && (protocol <= MAX_PROTOCOL
             || nativert_pickle_fail (p, NATIVERT_ERROR_VERSION, "protocol %u", (unsigned)protocol));
}

static bool
op_frame (Pickle *p)
{
  uint64_t length;

  return nativert_pickle_take_uint (p, 8, &length);
}

bool (*const nativert_pickle_handlers[256]) (Pickle *p) = {
  [0x80] = op_proto,
  [0x95] = op_frame,
  ['N'] = nativert_pickle_op_none,
  [0x88] = nativert_pickle_op_true,
  [0x89] = nativert_pickle_op_false,
  ['J'] = nativert_pickle_op_binint,
  ['K'] = nativert_pickle_op_binint1,
  ['M'] = nativert_pickle_op_binint2,
  [0x8a] = nativert_pickle_op_long1,
  [0x8b] = nativert_pickle_op_long4,
  ['G'] = nativert_pickle_op_binfloat,
  [0x8c] = nativert_pickle_op_short_unicode,
  ['X'] = nativert_pickle_op_unicode,
  [0x8d] = nativert_pickle_op_unicode8,
  ['C'] = nativert_pickle_op_short_bytes,
  ['B'] = nativert_pickle_op_bytes,
  [0x8e] = nativert_pickle_op_bytes8,
  [']'] = op_empty_list,
  [')'] = op_empty_tuple,
  ['}'] = op_empty_dict,
  ['('] = op_mark,
  ['t'] = op_tuple,
  [0x85] = op_tuple1,
  [0x86] = op_tuple2,
  [0x87] = op_tuple3,
  ['a'] = op_append,
  ['e'] = op_appends,
  ['s'] = op_setitem,
  ['u'] = op_setitems,
  ['0'] = op_pop,
  ['q'] = op_binput,
  ['r'] = op_long_binput,
  ['h'] = op_binget,
  ['j'] = op_long_binget,
  [0x94] = op_memoize,
  ['c'] = op_global,
  [0x93] = op_stack_global,
  ['R'] = op_reduce,
  [0x81] = op_newobj,
  ['b'] = op_build,
  ['Q'] = op_persid,
};
