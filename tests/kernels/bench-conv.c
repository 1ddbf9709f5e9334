/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times the convolutions of ResNet-18, ResNet-50 and MobileNetV2 at 224x224, every fast row, against the machine's
 * peak. bench-conv [net [row]]      net: resnet18, resnet50, mobilenet_v2; row: part of a row's name */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "kernels/rules.h"
#include "tests/kernels/rows.h"

typedef struct { const char *net; int count, cin, cout, groups, size, k, stride; bool residual; } Layer;
#define DW(count, c, size, stride) { "mobilenet_v2", count, c, c, c, size, 3, stride, false }
#define PW(count, cin, cout, size, residual) { "mobilenet_v2", count, cin, cout, 1, size, 1, 1, residual }
#define R18(count, cin, cout, size, k, stride, residual) { "resnet18", count, cin, cout, 1, size, k, stride, residual }
#define R50(count, cin, cout, size, k, stride, residual) { "resnet50", count, cin, cout, 1, size, k, stride, residual }
static const Layer layers[] = {
  R18 (1, 3, 64, 224, 7, 2, false),
  R18 (2, 64, 64, 56, 3, 1, false),
  R18 (2, 64, 64, 56, 3, 1, true),
  R18 (1, 64, 128, 56, 3, 2, false),
  R18 (1, 64, 128, 56, 1, 2, false),
  R18 (1, 128, 128, 28, 3, 1, false),
  R18 (2, 128, 128, 28, 3, 1, true),
  R18 (1, 128, 256, 28, 3, 2, false),
  R18 (1, 128, 256, 28, 1, 2, false),
  R18 (1, 256, 256, 14, 3, 1, false),
  R18 (2, 256, 256, 14, 3, 1, true),
  R18 (1, 256, 512, 14, 3, 2, false),
  R18 (1, 256, 512, 14, 1, 2, false),
  R18 (1, 512, 512, 7, 3, 1, false),
  R18 (2, 512, 512, 7, 3, 1, true),
  R50 (1, 3, 64, 224, 7, 2, false),
  R50 (1, 64, 64, 56, 1, 1, false),
  R50 (3, 64, 64, 56, 3, 1, false),
  R50 (1, 64, 256, 56, 1, 1, false),
  R50 (3, 64, 256, 56, 1, 1, true),
  R50 (2, 256, 64, 56, 1, 1, false),
  R50 (1, 256, 128, 56, 1, 1, false),
  R50 (1, 128, 128, 56, 3, 2, false),
  R50 (1, 256, 512, 56, 1, 2, false),
  R50 (3, 128, 128, 28, 3, 1, false),
  R50 (4, 128, 512, 28, 1, 1, true),
  R50 (3, 512, 128, 28, 1, 1, false),
  R50 (1, 512, 256, 28, 1, 1, false),
  R50 (1, 256, 256, 28, 3, 2, false),
  R50 (1, 512, 1024, 28, 1, 2, false),
  R50 (5, 256, 256, 14, 3, 1, false),
  R50 (6, 256, 1024, 14, 1, 1, true),
  R50 (5, 1024, 256, 14, 1, 1, false),
  R50 (1, 1024, 512, 14, 1, 1, false),
  R50 (1, 512, 512, 14, 3, 2, false),
  R50 (1, 1024, 2048, 14, 1, 2, false),
  R50 (2, 512, 512, 7, 3, 1, false),
  R50 (3, 512, 2048, 7, 1, 1, true),
  R50 (2, 2048, 512, 7, 1, 1, false),
  { "mobilenet_v2", 1, 3, 32, 1, 224, 3, 2, false },
  DW (1, 32, 112, 1),
  PW (1, 32, 16, 112, false),
  PW (1, 16, 96, 112, false),
  DW (1, 96, 112, 2),
  PW (1, 96, 24, 56, false),
  PW (2, 24, 144, 56, false),
  DW (1, 144, 56, 1),
  PW (1, 144, 24, 56, true),
  DW (1, 144, 56, 2),
  PW (1, 144, 32, 28, false),
  PW (3, 32, 192, 28, false),
  DW (2, 192, 28, 1),
  PW (2, 192, 32, 28, true),
  DW (1, 192, 28, 2),
  PW (1, 192, 64, 14, false),
  PW (4, 64, 384, 14, false),
  DW (4, 384, 14, 1),
  PW (3, 384, 64, 14, true),
  PW (1, 384, 96, 14, false),
  PW (3, 96, 576, 14, false),
  DW (2, 576, 14, 1),
  PW (2, 576, 96, 14, true),
  DW (1, 576, 14, 2),
  PW (1, 576, 160, 7, false),
  PW (3, 160, 960, 7, false),
  DW (3, 960, 7, 1),
  PW (2, 960, 160, 7, true),
  PW (1, 960, 320, 7, false),
  PW (1, 320, 1280, 7, false),
};

/* Time that this thread really ran: the machine may be shared. */
static double
now_us (void)
{
  struct timespec t;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e6 + (double) t.tv_nsec * 1e-3;
}

#ifdef NATIVERT_X86
#include <immintrin.h>
/* Named variables: an array would be kept in memory. */
#define TWELVE(X) X (0) X (1) X (2) X (3) X (4) X (5) X (6) X (7) X (8) X (9) X (10) X (11)
#define START(i) __m256 x##i = b;
#define STEP(i) x##i = _mm256_fmadd_ps (x##i, a, b); __asm__ volatile ("" : "+x" (x##i));

__attribute__ ((target ("avx2,fma"))) static double
peak_once (void)
{
  __m256 a = _mm256_set1_ps (0.999f), b = _mm256_set1_ps (1e-4f);
  enum { N = 300000 };
  TWELVE (START)
  double start = now_us ();
  for (int k = 0; k < N; k++) {
    TWELVE (STEP)
  }
  return 12.0 * 16 * N / 1000.0 / (now_us () - start);
}
#else
static double peak_once (void) { return 0; }
#endif

static double
peak (void)
{
  double best = 0;
  for (int i = 0; i < 40; i++)
    best = MAX (best, nativert_cpu_features () ? peak_once () : 0);
  return best;
}

static void
make (Operation *o, const Layer *l, GRand *rand, int64_t list[3][2])
{
  int64_t x[4] = { 1, l->cin, l->size, l->size }, w[4] = { l->cout, l->cin / l->groups, l->k, l->k }, bias = l->cout;
  memset (o, 0, sizeof *o);
  for (int d = 0; d < 2; d++) {
    list[0][d] = l->stride;
    list[1][d] = l->k / 2;
    list[2][d] = 1;
  }
  NativertArg arg[] = { NATIVERT_T (0), NATIVERT_T (1), NATIVERT_T (2), NATIVERT_IS (list[0], 2),
    NATIVERT_IS (list[1], 2), NATIVERT_IS (list[2], 2), NATIVERT_I (l->groups), NATIVERT_NONE,
    NATIVERT_I (NATIVERT_ACT_RELU), NATIVERT_F (0), NATIVERT_F (0) };
  o->op = NATIVERT_OP_nativert_conv;
  memcpy (o->arg, arg, sizeof arg);
  o->n_arg = G_N_ELEMENTS (arg);
  o->in[0] = random_view (rand, NATIVERT_F32, 4, x);
  o->in[1] = random_view (rand, NATIVERT_F32, 4, w);
  o->in[2] = random_view (rand, NATIVERT_F32, 1, &bias);
  o->in_const[1] = o->in_const[2] = true;
  o->n_in = 3;
  o->n_out = 1;
  operation_shape (o);
  if (l->residual) {
    o->in[3] = random_view (rand, NATIVERT_F32, 4, o->out[0].size);
    o->arg[7] = NATIVERT_T (3);
    o->n_in = 4;
  }
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* Seconds of one run, the lower quartile. */
static double
seconds (Prepared *r, int times)
{
  double t[32];
  prepared_run (r, 0);
  for (int i = 0; i < times; i++) {
    double start = now_us ();
    int n = 0;
    do {
      prepared_run (r, 0);
      n++;
    } while (now_us () - start < 1500);
    t[i] = (now_us () - start) / n * 1e-6;
  }
  qsort (t, (size_t) times, sizeof t[0], compare);
  return t[times / 4];
}

int
main (int argc, char **argv)
{
  const char *net = argc > 1 ? argv[1] : "", *name = argc > 2 ? argv[2] : "";
  double top = peak (), total[3] = { 0 }, flops_total[3] = { 0 };
  static const char *const nets[] = { "resnet18", "resnet50", "mobilenet_v2" };
  printf ("AVX2 multiply-add peak of one core: %.1f GFLOP/s\n", top);
  for (size_t i = 0; i < G_N_ELEMENTS (layers); i++) {
    const Layer *l = &layers[i];
    if (*net && strcmp (net, l->net))
      continue;
    g_autoptr (GRand) rand = g_rand_new_with_seed (1);
    Operation o;
    int64_t list[3][2];
    make (&o, l, rand, list);
    double best = 1e9, flops = 2.0 * (double) nativert_view_numel (&o.out[0]) * l->cin / l->groups * l->k * l->k;
    printf ("%-13s %d x %4d -> %4d @%3d %dx%d/%d%s:", l->net, l->count, l->cin, l->cout, l->size, l->k, l->k, l->stride,
      l->groups > 1 ? " dw" : l->residual ? " +" : "");
    for (size_t s = 0; nativert_kernel_sets[s]; s++)
      for (size_t k = 0; k < nativert_kernel_sets[s]->n; k++) {
        const NativertKernel *row = &nativert_kernel_sets[s]->rows[k];
        bool fast
            = row->op == o.op && row->dtype == NATIVERT_F32 && row->needs && !(row->needs & ~nativert_cpu_features ());
        Prepared *r = fast && strstr (row->name, name) ? operation_prepare (&o, row, NULL) : NULL;
        if (!r)
          continue;
        double t = seconds (r, 9);
        best = MIN (best, t);
        printf ("  %s %.3f ms %.1f GF %.0f%% (%u)", row->name, t * 1e3, flops / t * 1e-9, flops / t * 1e-7 / top,
            r->n_parts);
        prepared_free (r);
      }
    printf ("\n");
    for (int n = 0; n < 3; n++)
      if (!strcmp (nets[n], l->net) && best < 1e9) {
        total[n] += best * l->count;
        flops_total[n] += flops * l->count;
      }
    for (unsigned k = 0; k < o.n_in; k++)
      g_free (o.in[k].data);
  }
  for (int n = 0; n < 3; n++)
    if (total[n] > 0)
      printf ("%-13s convolutions: %.2f ms, %.1f GF, %.0f%% of peak\n", nets[n], total[n] * 1e3,
          flops_total[n] / total[n] * 1e-9, flops_total[n] / total[n] * 1e-7 / top);
  return 0;
}
