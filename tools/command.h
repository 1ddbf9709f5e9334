/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the sub-commands of `nativert` share: options, inputs, messages, JSON. */
#pragma once
#include <json-glib/json-glib.h>
#include <stdbool.h>
#include "model/runner.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

typedef struct { const char *name, *summary; int (*run) (int argc, char **argv); } Command;
int command_info (int argc, char **argv);
int command_run (int argc, char **argv);
int command_bench (int argc, char **argv);
int command_graph (int argc, char **argv);
int command_check (int argc, char **argv);
int command_ops (int argc, char **argv);

/* ---- messages: one line on stderr ---- */
int command_failed (const char *what, const GError *error);                              /* EXIT_FAILED */
int command_misused (const char *command, const char *format, ...) G_GNUC_PRINTF (2, 3); /* EXIT_USAGE */
void command_warn (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* ---- options ---- */
typedef struct {
  gboolean json;
  char *model, *weights, *device, *profile;
  int threads, parallel_ops;
  gboolean validate, debug_nan;
  gboolean sample, random;
  int64_t seed;
  char **inputs, **sizes;
} Options;

void options_clear (Options *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

enum { WANT_JSON = 1, WANT_MODEL = 2, WANT_INPUTS = 4, WANT_EXECUTOR = 8 };
/* Parses argv (argv[0] is the sub-command) by the groups of entries in want, and own, the sub-command's (ends with
 * {NULL}). files: what is left; count: how many there must be (-1: at least one, 0: none).  EXIT_DONE, or what to exit
 * with. */
int options_parse (Options *options, int argc, char **argv, const char *arguments, const char *summary, unsigned want,
    const GOptionEntry *own, int count, char ***files);

/* ---- a model ready to run ---- */
typedef struct {
  NativertModel *model;
  NativertRunner *runner;
  NativertCore *core;                   /* borrowed from model */
  double load_ms;
} Loaded;
void loaded_clear (Loaded *loaded);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Loaded, loaded_clear)
bool loaded_open (Loaded *loaded, const char *path, const Options *options, NativertLoadFlags flags, GError **error);

/* ---- inputs ---- */
typedef struct {
  GPtrArray *leaves;                    /* one NativertValue per port */
  NativertValue *args, *kwargs;         /* the same as a call */
} Inputs;
void inputs_clear (Inputs *inputs);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Inputs, inputs_clear)
/* By --input, --random, or the archive's sample inputs. */
bool inputs_gather (Inputs *inputs, const Loaded *loaded, const Options *options, GError **error);
/* The same, but a model without sample inputs gets random ones: for looking at plans. */
bool inputs_gather_any (Inputs *inputs, const Loaded *loaded, const Options *options, GError **error);
/* One value per port from seed, sizes from NAME=N texts. */
bool inputs_make_random (Inputs *inputs, const NativertCore *core, int64_t seed, char **sizes, GError **error);
/* args and kwargs from the leaves. */
bool inputs_build_call (Inputs *inputs, const NativertCore *core, GError **error);
/* --input texts; leaves that are not given stay NULL. */
bool inputs_read (Inputs *inputs, const NativertCore *core, char **texts, GError **error);

/* ---- printing ---- */
/* Min, mean and max of the elements as numbers; false when the dtype has none (complex, float8) or there are no
 * elements. */
bool tensor_stats (NativertTensor *tensor, double *min, double *mean, double *max);
char *tensor_shape_text (const NativertTensor *tensor);
void json_add_number (JsonBuilder *builder, double number); /* "NaN", "Infinity" where JSON has no number */
void json_print (JsonBuilder *builder);
double now_ms (void);

/* Chrome trace of a profile's last run. */
bool trace_write (const NativertRunProfile *profile, const char *path, GError **error);

/* ---- --debug-nan: the first step that gives NaN or Inf ---- */
typedef struct { char *text; } NanFound;
void nan_watch (const NativertStep *step, const NativertCall *call, void *found);
/* Warns, if there is anything to say, and clears. */
void nan_report (NanFound *found);
