/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The second half of the demo: reads the frames that a pipeline saw and the tensors that nativertfilter made of them,
 * prints what was found, and draws it on the frames.
 *
 *   find-ball WIDTH HEIGHT FRAMES TENSORS MARKED SHEET
 *
 * FRAMES is packed RGB; TENSORS holds x, y and score per frame, as float32: the outputs of models/ball.pt2 in their
 * order. MARKED becomes the frames with what was found drawn on them, SHEET one picture of 4 x 3 of them.  No library
 * is needed: what a filesink writes after nativertfilter is plain numbers. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHEET_COLUMNS 4
#define SHEET_ROWS 3
#define MAX_TRAIL 4096
#define THRESHOLD 0.5f

typedef struct {
  int width, height;
  uint8_t *pixels;
} Picture;

typedef struct {
  float x, y, score;
} Found;

static void
put (Picture *picture, int x, int y, const uint8_t rgb[3])
{
  if (x >= 0 && y >= 0 && x < picture->width && y < picture->height)
    memcpy (picture->pixels + 3 * ((size_t) y * picture->width + x), rgb, 3);
}

static void
draw_ring (Picture *picture, float cx, float cy, float radius, const uint8_t rgb[3])
{
  int reach = (int) radius + 2;
  for (int y = -reach; y <= reach; y++) {
    for (int x = -reach; x <= reach; x++) {
      if (fabsf (hypotf (x, y) - radius) < 1.0f)
        put (picture, (int) lroundf (cx) + x, (int) lroundf (cy) + y, rgb);
    }
  }
}

static void
draw_cross (Picture *picture, float cx, float cy, const uint8_t rgb[3])
{
  for (int i = -10; i <= 10; i++) {
    put (picture, (int) lroundf (cx) + i, (int) lroundf (cy), rgb);
    put (picture, (int) lroundf (cx), (int) lroundf (cy) + i, rgb);
  }
}

/* Where the ball was (small rings), and where it is. */
static void
draw (Picture *picture, const Found *trail, int n)
{
  static const uint8_t green[3] = { 0, 220, 90 }, red[3] = { 240, 30, 30 };
  for (int i = n > 40 ? n - 40 : 0; i < n - 1; i++) {
    if (trail[i].score >= THRESHOLD)
      draw_ring (picture, trail[i].x, trail[i].y, 2, green);
  }
  const Found *now = &trail[n - 1];
  if (now->score >= THRESHOLD) {
    draw_ring (picture, now->x, now->y, 26, green);
    draw_cross (picture, now->x, now->y, red);
  }
}

/* A cell of the sheet, with a line on its upper and left side. */
static void
paste (Picture *sheet, const Picture *picture, int cell)
{
  size_t row_bytes = 3 * (size_t) picture->width;
  size_t left = (size_t) (cell % SHEET_COLUMNS) * row_bytes, top = (size_t) (cell / SHEET_COLUMNS) * picture->height;
  for (int y = 0; y < picture->height; y++)
    memcpy (sheet->pixels + (top + y) * 3 * sheet->width + left, picture->pixels + y * row_bytes, row_bytes);
  static const uint8_t grey[3] = { 160, 160, 160 };
  for (int x = 0; x < picture->width; x++)
    put (sheet, (int) (left / 3) + x, (int) top, grey);
  for (int y = 0; y < picture->height; y++)
    put (sheet, (int) (left / 3), (int) top + y, grey);
}

static Picture
picture_new (int width, int height)
{
  Picture picture = { width, height, calloc ((size_t) width * height, 3) };
  if (picture.pixels == NULL)
    exit (1);
  return picture;
}

static FILE *
open_or_exit (const char *path, const char *mode)
{
  FILE *file = fopen (path, mode);
  if (file == NULL) {
    perror (path);
    exit (1);
  }
  return file;
}

static int
count_frames (FILE *tensors)
{
  fseek (tensors, 0, SEEK_END);
  long bytes = ftell (tensors);
  rewind (tensors);
  return bytes > 0 ? (int) (bytes / (3 * (long) sizeof (float))) : 0;
}

int
main (int argc, char **argv)
{
  int width = argc == 7 ? atoi (argv[1]) : 0, height = argc == 7 ? atoi (argv[2]) : 0;
  if (width <= 0 || height <= 0 || width > 8192 || height > 8192) {
    fprintf (stderr, "usage: %s WIDTH HEIGHT FRAMES TENSORS MARKED SHEET\n", argv[0]);
    return 2;
  }
  FILE *frames = open_or_exit (argv[3], "rb"), *tensors = open_or_exit (argv[4], "rb");
  FILE *marked = open_or_exit (argv[5], "wb"), *sheet_file = open_or_exit (argv[6], "wb");
  Picture picture = picture_new (width, height), sheet = picture_new (width * SHEET_COLUMNS, height * SHEET_ROWS);
  int n_frames = count_frames (tensors), n = 0, n_found = 0, cell = 0;
  size_t frame_bytes = 3 * (size_t) width * height;
  static Found trail[MAX_TRAIL];
  float values[3];
  while (n < MAX_TRAIL && fread (values, sizeof values, 1, tensors) == 1
      && fread (picture.pixels, frame_bytes, 1, frames) == 1) {
    trail[n] = (Found) { values[0] * width - 0.5f, values[1] * height - 0.5f, values[2] };
    if (trail[n].score >= THRESHOLD) {
      printf ("frame %3d: ball at x %5.1f, y %5.1f (score %.3f)\n", n, trail[n].x, trail[n].y, trail[n].score);
      n_found++;
    } else {
      printf ("frame %3d: no ball (score %.3f)\n", n, trail[n].score);
    }
    draw (&picture, trail, ++n);
    fwrite (picture.pixels, frame_bytes, 1, marked);
    if (cell < SHEET_COLUMNS * SHEET_ROWS
        && (int64_t) n * SHEET_COLUMNS * SHEET_ROWS >= (int64_t) (cell + 1) * n_frames)
      paste (&sheet, &picture, cell++);
  }
  fwrite (sheet.pixels, 3 * (size_t) sheet.width * sheet.height, 1, sheet_file);
  printf ("found in %d of %d frames\n", n_found, n);
  int failed = ferror (marked) | ferror (sheet_file) | fclose (marked) | fclose (sheet_file);
  fclose (frames);
  fclose (tensors);
  free (picture.pixels);
  free (sheet.pixels);
  return failed || n == 0;
}
