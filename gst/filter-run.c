/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A frame's way: decide, pre-process, run, and hand on the frame with its results or the results alone.  No lock is
 * held while a model runs. */
#include "errors.h"
#include "filter.h"
#include "tensor-caps.h"

#define GST_CAT_DEFAULT gst_nativert_debug

typedef enum { RUN, LATE, INTERVAL } Decision;

/* One frame being worked on. */
typedef struct {
  GstBuffer *buffer;
  GstNativertResults results;
  guint64 weights_version;
} Job;

static void
job_clear (Job *job)
{
  gst_clear_buffer (&job->buffer);
  gst_nativert_tensors_free (job->results.tensor, job->results.n);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Job, job_clear)

static void
post_qos (GstNativertFilter *self, GstBuffer *buffer, GstClockTime running, GstClockTime earliest)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;
  const GstClockTime pts = GST_BUFFER_PTS (buffer);
  GstMessage *message = gst_message_new_qos (GST_OBJECT (self), FALSE, running,
      gst_segment_to_stream_time (segment, GST_FORMAT_TIME, pts), pts, GST_BUFFER_DURATION (buffer));
  gst_message_set_qos_values (message, GST_CLOCK_DIFF (running, earliest), 1.0, 1000000);
  GST_OBJECT_LOCK (self);
  gst_message_set_qos_stats (
      message, GST_FORMAT_BUFFERS, self->stats.inferred, self->stats.skipped + self->stats.dropped);
  GST_OBJECT_UNLOCK (self);
  gst_element_post_message (GST_ELEMENT (self), message);
}

static gboolean
is_late (GstNativertFilter *self, GstBuffer *buffer, GstNativertOnLate *on_late)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  GST_OBJECT_LOCK (self);
  const GstClockTime earliest = self->earliest;
  *on_late = self->on_late;
  GST_OBJECT_UNLOCK (self);
  if (*on_late == GST_NATIVERT_LATE_WAIT || !GST_CLOCK_TIME_IS_VALID (earliest) || !GST_BUFFER_PTS_IS_VALID (buffer)
      || trans->segment.format != GST_FORMAT_TIME || !gst_base_transform_is_qos_enabled (trans))
    return FALSE;
  const GstClockTime running = gst_segment_to_running_time (&trans->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  if (!GST_CLOCK_TIME_IS_VALID (running) || running > earliest)
    return FALSE;
  post_qos (self, buffer, running, earliest);
  return TRUE;
}

/* Counts the frame.  drop: it shall not flow on. */
static Decision
decide (GstNativertFilter *self, GstBuffer *buffer, gboolean *drop)
{
  GstNativertOnLate on_late;
  const gboolean late = is_late (self, buffer, &on_late);
  Decision decision = late ? LATE : self->until_run > 0 ? INTERVAL : RUN;
  *drop = decision != RUN && (self->gives_tensors || (late && on_late == GST_NATIVERT_LATE_DROP));
  GST_OBJECT_LOCK (self);
  self->stats.frames++;
  if (decision != RUN)
    self->stats.skipped += !*drop;
  self->stats.dropped += *drop;
  if (decision == RUN)
    self->until_run = self->interval;
  else if (self->until_run > 0)
    self->until_run--;
  GST_OBJECT_UNLOCK (self);
  return decision;
}

static void
count_run (GstNativertFilter *self, gint64 prepare_us, gint64 run_us)
{
  GST_OBJECT_LOCK (self);
  self->stats.inferred++;
  const gboolean moved = gst_nativert_stats_add (&self->stats, prepare_us, run_us);
  GST_OBJECT_UNLOCK (self);
  if (moved)
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
}

static gboolean
write_input (GstNativertFilter *self, GstBuffer *buffer)
{
  GstVideoFrame frame;
  if (!gst_video_frame_map (&frame, &self->info, buffer, GST_MAP_READ | GST_VIDEO_FRAME_MAP_FLAG_NO_REF)) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("A frame of %" G_GSIZE_FORMAT " bytes is no %d x %d %s", gst_buffer_get_size (buffer),
            GST_VIDEO_INFO_WIDTH (&self->info), GST_VIDEO_INFO_HEIGHT (&self->info), GST_VIDEO_INFO_NAME (&self->info)),
        (NULL));
    return FALSE;
  }
  const gboolean fits = GST_VIDEO_FRAME_FORMAT (&frame) == GST_VIDEO_INFO_FORMAT (&self->info)
      && GST_VIDEO_FRAME_WIDTH (&frame) >= GST_VIDEO_INFO_WIDTH (&self->info)
      && GST_VIDEO_FRAME_HEIGHT (&frame) >= GST_VIDEO_INFO_HEIGHT (&self->info);
  if (fits)
    gst_nativert_input_write (self->input, &frame);
  else
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("A frame's video meta says %d x %d, and the caps %d x %d", GST_VIDEO_FRAME_WIDTH (&frame),
            GST_VIDEO_FRAME_HEIGHT (&frame), GST_VIDEO_INFO_WIDTH (&self->info), GST_VIDEO_INFO_HEIGHT (&self->info)),
        (NULL));
  gst_video_frame_unmap (&frame);
  return fits;
}

static gboolean
make_contiguous (GstNativertFilter *self, GstNativertResults *results)
{
  for (guint i = 0; i < results->n; i++) {
    NativertTensor *tensor = nativert_tensor_contiguous (results->tensor[i]);
    if (!tensor) {
      GST_ELEMENT_ERROR (self, LIBRARY, FAILED, ("No memory for a contiguous copy of output %u", i), (NULL));
      return FALSE;
    }
    nativert_tensor_unref (results->tensor[i]);
    results->tensor[i] = tensor;
  }
  return TRUE;
}

static gboolean
run (GstNativertFilter *self, Job *job)
{
  g_autoptr (GError) error = NULL;
  const gint64 start = g_get_monotonic_time ();
  if (!write_input (self, job->buffer))
    return FALSE;
  const gint64 prepared = g_get_monotonic_time ();
  job->weights_version = nativert_runner_get_weights_version (self->runner);
  job->results.name = self->names;
  if (!nativert_runner_run_tensors (
          self->runner, &self->input->tensor, 1, &job->results.tensor, &job->results.n, &error)) {
    gst_nativert_post_error (GST_ELEMENT (self), error, "The model failed on a frame", NULL);
    return FALSE;
  }
  count_run (self, prepared - start, g_get_monotonic_time () - prepared);
  return make_contiguous (self, &job->results);
}

static gboolean
no_meta (GstNativertFilter *self)
{
  GST_ELEMENT_ERROR (self, LIBRARY, FAILED, ("Cannot add metadata to a frame"), (NULL));
  return FALSE;
}

/* The frame flows on.  Its pixels are shared, not copied, when somebody else holds the buffer too. */
static gboolean
mark_frame (GstNativertFilter *self, Job *job, Decision decision)
{
  static const char *const skipped[] = { NULL, "late", "interval" };
  const GstNativertInference inference = { skipped[decision], job->weights_version, self->input->scale_x,
    self->input->scale_y, self->input->offset_x, self->input->offset_y };
  job->buffer = gst_buffer_make_writable (job->buffer);
  if (!gst_nativert_buffer_add_inference (job->buffer, &inference))
    return no_meta (self);
  if (decision == RUN && !gst_nativert_buffer_add_results (job->buffer, &job->results))
    return no_meta (self);
  return TRUE;
}

static gboolean
same_sizes (NativertTensor *const *a, NativertTensor *const *b, guint n)
{
  for (guint i = 0; i < n; i++) {
    if (nativert_tensor_get_n_dims (a[i]) != nativert_tensor_get_n_dims (b[i]))
      return FALSE;
    for (guint d = 0; d < nativert_tensor_get_n_dims (a[i]); d++)
      if (nativert_tensor_get_size (a[i], (gint) d) != nativert_tensor_get_size (b[i], (gint) d))
        return FALSE;
  }
  return TRUE;
}

/* Results whose sizes depend on what is in the picture are announced anew when they change. */
static gboolean
announce_sizes (GstNativertFilter *self, const Job *job)
{
  if (same_sizes (self->planned, job->results.tensor, MIN (self->n_planned, job->results.n)))
    return TRUE;
  g_autoptr (GError) error = NULL;
  g_autoptr (GstCaps) caps = gst_nativert_tensor_caps_new (self->model, job->results.tensor, &error);
  if (!caps) {
    gst_nativert_post_error (GST_ELEMENT (self), error, "These results do not fit in a tensor buffer", NULL);
    return FALSE;
  }
  gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, GST_VIDEO_INFO_FPS_N (&self->info),
      GST_VIDEO_INFO_FPS_D (&self->info), NULL);
  if (!gst_base_transform_update_src_caps (GST_BASE_TRANSFORM (self), caps)) {
    g_autofree char *text = gst_caps_to_string (caps);
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION, ("Pad src: downstream does not take %s", text), (NULL));
    return FALSE;
  }
  for (guint i = 0; i < self->n_planned; i++) {
    nativert_tensor_unref (self->planned[i]);
    self->planned[i] = nativert_tensor_ref (job->results.tensor[i]);
  }
  return TRUE;
}

static gboolean
replace_by_tensors (GstNativertFilter *self, Job *job)
{
  if (!announce_sizes (self, job))
    return FALSE;
  GstBuffer *tensors = gst_buffer_new ();
  gst_buffer_copy_into (tensors, job->buffer, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  for (guint i = 0; i < job->results.n; i++)
    gst_buffer_append_memory (tensors, gst_nativert_tensor_to_memory (job->results.tensor[i]));
  gst_buffer_replace (&job->buffer, tensors);
  gst_buffer_unref (tensors);
  return TRUE;
}

GstFlowReturn
gst_nativert_filter_generate_output (GstBaseTransform *trans, GstBuffer **out)
{
  GstNativertFilter *self = GST_NATIVERT_FILTER (trans);
  g_auto (Job) job = { g_steal_pointer (&trans->queued_buf) };
  *out = NULL;
  if (!job.buffer)
    return GST_FLOW_OK;
  if (!self->input)
    return GST_FLOW_NOT_NEGOTIATED;
  if (GST_BUFFER_IS_DISCONT (job.buffer))
    nativert_runner_reset_state (self->runner);
  gboolean drop;
  const Decision decision = decide (self, job.buffer, &drop);
  if (drop)
    return GST_FLOW_OK;
  if (decision == RUN && !run (self, &job))
    return GST_FLOW_ERROR;
  if (!(self->gives_tensors ? replace_by_tensors (self, &job) : mark_frame (self, &job, decision)))
    return GST_FLOW_ERROR;
  *out = g_steal_pointer (&job.buffer);
  return GST_FLOW_OK;
}
