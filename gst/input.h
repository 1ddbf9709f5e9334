/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A model's picture input: what its port says, the size that a video gets, and the tensor that frames are
 * written into. */
#pragma once
#include <gst/video/video.h>
#include "settings.h"
#include "nativert.h"
#include "kernels/preprocess.h"

G_BEGIN_DECLS

#define GST_NATIVERT_VIDEO_FORMATS "{ RGB, BGR, RGBA, BGRA, RGBx, BGRx, GRAY8, NV12, I420 }"

/* The model's input as a picture. */
typedef struct {
  const char *name;
  guint rank;                                   /* 3 or 4 */
  guint n_channels;                             /* 1 or 3 */
  gboolean interleaved, u8;
  NativertDim width, height;
} GstNativertPort;

/* FALSE when the port is no picture; error says what it is and what would do. */
gboolean gst_nativert_port_parse (
    GstNativertPort *port, const NativertPort *from, GstNativertLayout layout, GError **error);
/* "float32[1, 3, s0 32..1024, 640]" */
char *gst_nativert_port_to_text (const NativertPort *port);
/* The tensor's size for a video's; sizes that the model leaves open follow the video as near as the model allows. */
void gst_nativert_port_choose_size (
    const GstNativertPort *port, gint video_width, gint video_height, gint *width, gint *height);
NativertTensor *gst_nativert_port_new_tensor (const GstNativertPort *port, gint width, gint height);

/* One video format's way into the tensor; used by one thread at a time. */
typedef struct {
  NativertPreprocess pass;
  gpointer tables, scratch;
  NativertTensor *tensor;
  gint width, height;                           /* of the tensor */
  gdouble scale_x, scale_y, offset_x, offset_y; /* pixel in the frame = (pixel in the tensor - offset) / scale */
} GstNativertInput;

GstNativertInput *gst_nativert_input_new (
    const GstNativertPort *port, const GstNativertSettings *settings, const GstVideoInfo *info, GError **error);
void gst_nativert_input_free (GstNativertInput *input);
void gst_nativert_input_write (GstNativertInput *input, const GstVideoFrame *frame);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstNativertInput, gst_nativert_input_free)

G_END_DECLS
