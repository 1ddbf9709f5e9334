/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every case that tools/make-goldens.py had PyTorch compute: operators run alone (eval.h) must give the same.
 * A group is two files, NAME.txt and NAME.bin: lines "tensor DTYPE BYTES OFFSET SIZES STRIDES" (numbered from 0; OFFSET
 * in elements after byte BYTES of the .bin), then cases: "case OP RTOL ATOL", one line per schema argument, "out K"
 * lines or "fail". */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/convert.h"
#include "kernels/rules.h"
#include "tests/kernels/eval.h"

typedef struct {
  char *text, *data;
  gsize n_data;
  char **lines;
  GArray *tensors;                              /* NativertView */
} Group;

static uint8_t
dtype_named (const char *name)
{
  for (int d = 0; d < NATIVERT_N_DTYPES; d++)
    if (!strcmp (nativert_dtype_name ((uint8_t) d), name))
      return (uint8_t) d;
  g_error ("dtype %s", name);
}

static uint16_t
op_named (const char *name)
{
  for (int i = 0; i < NATIVERT_N_OPS; i++)
    if (!strcmp (nativert_ops[i].name, name))
      return (uint16_t) i;
  return NATIVERT_N_OPS;
}

/* "1,2,3" or "-" for none */
static uint32_t
parse_ints (const char *text, int64_t *to, uint32_t max)
{
  uint32_t n = 0;
  char *end;
  if (*text == '-' && !text[1])
    return 0;
  for (; n < max; text = end + 1) {
    to[n++] = g_ascii_strtoll (text, &end, 10);
    if (*end != ',')
      break;
  }
  return n;
}

static void
parse_tensor (Group *g, const char *line)
{
  g_auto (GStrv) field = g_strsplit (line, " ", 0);
  NativertView v = { 0 };
  g_assert_cmpuint (g_strv_length (field), ==, 6);
  v.dtype = dtype_named (field[1]);
  v.ndim = (uint8_t) parse_ints (field[4], v.size, NATIVERT_MAX_DIMS);
  parse_ints (field[5], v.stride, NATIVERT_MAX_DIMS);
  v.data = g->data + g_ascii_strtoll (field[2], NULL, 10)
      + g_ascii_strtoll (field[3], NULL, 10) * (int64_t) nativert_dtype_size (v.dtype);
  g_array_append_val (g->tensors, v);
}

/* A case that fails does not hide the others. */
static void
complain (const char *label, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_test_message ("FAILED %s: %s", label, text);
  g_test_fail ();
}

static const char *
element (const NativertView *v, int64_t flat)
{
  int64_t offset = 0;
  for (int d = v->ndim; d-- > 0;) {
    offset += flat % v->size[d] * v->stride[d];
    flat /= v->size[d];
  }
  return (char *) v->data + offset * (int64_t) nativert_dtype_size (v->dtype);
}

static bool
close_enough (double got, double want, double rtol, double atol)
{
  if (isnan (got) || isnan (want))
    return isnan (got) && isnan (want);
  return got == want || fabs (got - want) <= atol + rtol * fabs (want);
}

static void
compare (const char *label, const NativertView *got, const NativertView *want, double rtol, double atol)
{
  char a[160], b[160];
  if (got->dtype != want->dtype || got->ndim != want->ndim
      || memcmp (got->size, want->size, got->ndim * sizeof *got->size)) {
    complain (label, "got %s %s, want %s %s", nativert_dtype_name (got->dtype),
        nativert_sizes_text (a, sizeof a, got->ndim, got->size), nativert_dtype_name (want->dtype),
        nativert_sizes_text (b, sizeof b, want->ndim, want->size));
    return;
  }
  for (int64_t i = 0, n = nativert_view_numel (want); i < n; i++) {
    double gr, gi, wr, wi;
    int64_t gw, ww;
    nativert_load_number (element (got, i), got->dtype, &gr, &gi, &gw);
    nativert_load_number (element (want, i), want->dtype, &wr, &wi, &ww);
    bool good = nativert_is_integral (want->dtype)
        ? gw == ww
        : close_enough (gr, wr, rtol, atol) && close_enough (gi, wi, rtol, atol);
    if (!good) {
      complain (label, "element %lld is %.9g (%lld), want %.9g (%lld)", (long long) i, gr, (long long) gw, wr,
          (long long) ww);
      return;
    }
  }
}

typedef struct { NativertArg arg[32]; uint32_t n; int64_t ints[32][64]; double floats[32][16]; } Args;

/* One argument line: a letter, then the value. */
static void
parse_arg (Eval *ev, Group *g, const char *line, Args *a)
{
  NativertArg *to = &a->arg[a->n];
  const char *value = line[0] && line[1] ? line + 2 : "";
  int64_t *ints = a->ints[a->n];
  memset (to, 0, sizeof *to);
  switch (line[0]) {
    case 'T': case 'W':
      *to = NATIVERT_T (eval_add (ev, &g_array_index (g->tensors, NativertView, atoi (value)), line[0] == 'W'));
      break;
    case 'L':
      *to = NATIVERT_TS (ints, parse_ints (value, ints, 64));
      for (uint32_t i = 0; i < to->n; i++)
        ints[i] = ints[i] < 0 ? -1 : eval_add (ev, &g_array_index (g->tensors, NativertView, ints[i]), false);
      break;
    case 'i': *to = NATIVERT_I (g_ascii_strtoll (value, NULL, 10)); break;
    case 'b': *to = NATIVERT_B (*value == '1'); break;
    case 'f': *to = NATIVERT_F (g_ascii_strtod (value, NULL)); break;
    case 's': *to = NATIVERT_S (value); break;
    case 'd': *to = NATIVERT_D (dtype_named (value)); break;
    case 'm': to->kind = NATIVERT_ARG_MEMORY_FORMAT; to->u.i = atoi (value); break;
    case 'I': *to = NATIVERT_IS (ints, parse_ints (value, ints, 64)); break;
    case 'B': *to = NATIVERT_IS (ints, parse_ints (value, ints, 64)); to->kind = NATIVERT_ARG_BOOLS; break;
    case 'F': {
      g_auto (GStrv) parts = g_strsplit (value, ",", 16);
      to->kind = NATIVERT_ARG_FLOATS;
      to->n = g_strv_length (parts);
      to->u.floats = a->floats[a->n];
      for (uint32_t i = 0; i < to->n; i++)
        a->floats[a->n][i] = g_ascii_strtod (parts[i], NULL);
      break;
    }
    default: *to = NATIVERT_NONE; break;
  }
  a->n++;
}

/* Runs the case whose first line is lines[at]; returns the line after it. */
static uint32_t
run_case (Group *g, uint32_t at, uint32_t cpu)
{
  g_auto (GStrv) head = g_strsplit (g->lines[at], " ", 0);
  g_autofree char *label = g_strdup_printf ("line %u, %s", at + 1, head[1]);
  g_autofree Args *args = g_new0 (Args, 1);
  Eval *ev = eval_new (cpu);
  uint16_t op = op_named (head[1]);
  uint32_t n_out = 0;
  int64_t want[64];
  NativertRef out[64];
  bool must_fail = false;
  for (at++; g->lines[at] && *g->lines[at] && !g_str_has_prefix (g->lines[at], "case "); at++) {
    if (g_str_has_prefix (g->lines[at], "out "))
      want[n_out++] = atoi (g->lines[at] + 4);
    else if (!strcmp (g->lines[at], "fail"))
      must_fail = true;
    else
      parse_arg (ev, g, g->lines[at], args);
  }
  bool good = op != NATIVERT_N_OPS && eval_op (ev, op, args->n, args->arg, must_fail ? 1 : n_out, out);
  if (good == must_fail)
    complain (label, "%s", op == NATIVERT_N_OPS ? "no such operator" : good ? "should have failed" : eval_error (ev));
  for (uint32_t i = 0; good && !must_fail && i < n_out; i++)
    compare (label, eval_view (ev, out[i]), &g_array_index (g->tensors, NativertView, want[i]),
        g_ascii_strtod (head[2], NULL), g_ascii_strtod (head[3], NULL));
  eval_free (ev);
  return at;
}

static void
test_group (const void *name)
{
  Group g = { 0 };
  g_autofree char *dir = g_test_build_filename (G_TEST_DIST, "data", "goldens", NULL);
  g_autofree char *stem = g_build_filename (dir, name, NULL), *text_path = g_strconcat (stem, ".txt", NULL),
                  *data_path = g_strconcat (stem, ".bin", NULL);
  g_autoptr (GError) error = NULL;
  uint32_t have = nativert_cpu_features ();
  g_assert_true (g_file_get_contents (text_path, &g.text, NULL, &error)
      && g_file_get_contents (data_path, &g.data, &g.n_data, &error));
  g.lines = g_strsplit (g.text, "\n", 0);
  g.tensors = g_array_new (FALSE, FALSE, sizeof (NativertView));
  uint32_t at = 0, first, n = 0;
  for (; g.lines[at] && g_str_has_prefix (g.lines[at], "tensor "); at++)
    parse_tensor (&g, g.lines[at]);
  first = at;
  for (int special = have ? 1 : 0; special >= 0; special--)
    for (at = first; g.lines[at] && *g.lines[at]; n++)
      at = run_case (&g, at, special ? have : 0);
  g_test_message ("%u cases", n);
  g_array_unref (g.tensors);
  g_strfreev (g.lines);
  g_free (g.text);
  g_free (g.data);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "goldens", NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  while (dir && (name = g_dir_read_name (dir)))
    if (g_str_has_suffix (name, ".txt"))
      g_ptr_array_add (names, g_strndup (name, strlen (name) - 4));
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *test = g_strconcat ("/kernels/goldens/", names->pdata[i], NULL);
    g_test_add_data_func (test, names->pdata[i], test_group);
  }
  return g_test_run ();
}
