/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects of the unpickler, between its machine (pickle.c, pickle-ops.c) and what they stand for (pickle-object.c,
 * pickle-tensor.c). */
#pragma once
#include "package/package-private.h"
#include "package/pickle.h"

typedef enum {
  PICKLE_NONE,
  PICKLE_BOOL,
  PICKLE_INT,
  PICKLE_FLOAT,
  PICKLE_STRING,
  PICKLE_BYTES,
  PICKLE_LIST,
  PICKLE_TUPLE,
  PICKLE_DICT,
  PICKLE_GLOBAL, /* a name; never looked up anywhere but in our own table */
  PICKLE_STORAGE,
  PICKLE_TENSOR,
  PICKLE_OBJECT /* an instance of a class we do not know: its arguments, or its state */
} PickleKind;

typedef struct PickleObject PickleObject;
struct PickleObject {
  uint8_t kind;
  bool entered;                         /* while it is being converted: a second visit is a cycle */
  int16_t dtype;                        /* STORAGE; -1: untyped */
  union {
    int64_t i;
    double f;
    struct { const char *s; size_t n; } text;            /* STRING, BYTES, GLOBAL ("module name") */
    GPtrArray *items;                   /* NULL: empty; DICT: key, value, key, value */
    struct { NativertStorage *storage; size_t n_bytes; } storage;
    NativertTensor *tensor;
    PickleObject *state;                /* OBJECT */
  } u;
  NativertValue *value;                 /* once converted; borrowed from values */
  uint32_t weight, height;              /* of the converted tree, shared parts counted each time */
};

typedef struct {
  NativertArchive *archive;
  int64_t record;                       /* data.pkl, for messages */
  GError **error;
  const uint8_t *start, *at, *end;
  NativertRegion *region;
  GPtrArray *owned;                     /* objects that hold more than the region's memory */
  GPtrArray *stack;                     /* PickleObject */
  GArray *marks;                        /* stack lengths */
  GHashTable *memo;                     /* number + 1 -> object */
  GHashTable *storages;                 /* record's index + 1 -> storage */
  GPtrArray *values;                    /* what was converted */
  uint32_t n_objects;
} Pickle;

enum { PICKLE_MAX_OBJECTS = 1 << 20 };
extern bool (*const nativert_pickle_handlers[256]) (Pickle *p);         /* by opcode; NULL: not known */

PickleObject *nativert_pickle_new (Pickle *p, PickleKind kind);          /* NULL with error when there are too many */
bool nativert_pickle_fail (Pickle *p, int code, const char *format, ...) G_GNUC_PRINTF (3, 4);
bool nativert_pickle_malformed (Pickle *p, const char *why);
const uint8_t *nativert_pickle_take (Pickle *p, size_t n);                /* NULL with error at the end */
bool nativert_pickle_take_uint (Pickle *p, unsigned n_bytes, uint64_t *value);
bool nativert_pickle_push (Pickle *p, PickleObject *object);              /* false for NULL */
bool nativert_pickle_push_text (Pickle *p, PickleKind kind, const char *text, size_t length);
void nativert_pickle_append (Pickle *p, PickleObject *container, PickleObject *item);
uint32_t nativert_pickle_length (const PickleObject *container);
PickleObject *nativert_pickle_item (const PickleObject *container, uint32_t index);

/* What REDUCE, NEWOBJ, BUILD and BINPERSID mean for the names we know. */
PickleObject *nativert_pickle_reduce (Pickle *p, const PickleObject *callable, const PickleObject *args);
PickleObject *nativert_pickle_new_object (Pickle *p, const PickleObject *type, PickleObject *args);
bool nativert_pickle_build (Pickle *p, PickleObject *object, PickleObject *state);
PickleObject *nativert_pickle_persistent (Pickle *p, const PickleObject *id);
/* has_dtype: _rebuild_tensor_v3. */
PickleObject *nativert_pickle_tensor (Pickle *p, const PickleObject *args, bool has_dtype);
NativertValue *nativert_pickle_to_value (Pickle *p, PickleObject *object);

/* Opcodes of pickle-scalars.c. */
bool nativert_pickle_op_binfloat (Pickle *p);
bool nativert_pickle_op_binint (Pickle *p);
bool nativert_pickle_op_binint1 (Pickle *p);
bool nativert_pickle_op_binint2 (Pickle *p);
bool nativert_pickle_op_bytes (Pickle *p);
bool nativert_pickle_op_bytes8 (Pickle *p);
bool nativert_pickle_op_false (Pickle *p);
bool nativert_pickle_op_long1 (Pickle *p);
bool nativert_pickle_op_long4 (Pickle *p);
bool nativert_pickle_op_none (Pickle *p);
bool nativert_pickle_op_short_bytes (Pickle *p);
bool nativert_pickle_op_short_unicode (Pickle *p);
bool nativert_pickle_op_true (Pickle *p);
bool nativert_pickle_op_unicode (Pickle *p);
bool nativert_pickle_op_unicode8 (Pickle *p);
