/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decoding of a program's JSON, shared by the files that each know a part of the schema.  Every function returns false
 * (or NULL) with an error that says where. */
#pragma once
#include "package/json.h"
#include "package/package-private.h"
#include "package/program.h"

typedef struct {
  const NativertJsonDoc *doc;
  NativertProgram *program;
  GError **error;
} NativertDecoder;

char *nativert_decode_dup (NativertDecoder *d, const NativertJson *string);
/* Members of an object; NULL when missing or of another type. */
const NativertJson *nativert_decode_array (NativertDecoder *d, const NativertJson *object, const char *key);
bool nativert_decode_string (NativertDecoder *d, const NativertJson *object, const char *key, const char **result);
bool nativert_decode_int (NativertDecoder *d, const NativertJson *object, const char *key, int64_t *result);
bool nativert_decode_bool (NativertDecoder *d, const NativertJson *object, const char *key, bool *result);
/* The member of an object that is there and not null, else NULL (no error). */
const NativertJson *nativert_decode_optional (const NativertJson *object, const char *key);
/* The one member of a tagged union. */
const NativertJson *nativert_decode_union (NativertDecoder *d, const NativertJson *object);
bool nativert_decode_float (NativertDecoder *d, const NativertJson *value, double *result);
bool nativert_decode_strings (NativertDecoder *d, const NativertJson *array, const char *const **result, uint32_t *n);

bool nativert_decode_device (NativertDecoder *d, const NativertJson *object, NativertDeviceDesc *device);
bool nativert_decode_argument (NativertDecoder *d, const NativertJson *object, NativertArgDesc *arg);
bool nativert_decode_arguments (
    NativertDecoder *d, const NativertJson *array, const NativertArgDesc **args, uint32_t *n);
bool nativert_decode_tensor_meta (NativertDecoder *d, const NativertJson *object, NativertTensorMetaDesc *meta);
NativertGraphDesc *nativert_decode_graph (NativertDecoder *d, const NativertJson *object);
bool nativert_decode_signature (NativertDecoder *d, const NativertJson *object);

#define nativert_decode_new(d, Type, count) nativert_region_new_n ((d)->program->region, Type, (count))
#define nativert_decode_fail(d, value, code, ...)                                                                      \
  nativert_json_fail ((d)->doc, (value), (d)->error, (code), __VA_ARGS__)
