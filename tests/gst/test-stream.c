/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams: what happens to frames, times, flags and events on their way; interval, lateness, latency, restarts. */
#include <string.h>
#include "common.h"

#define CAPS "video/x-raw,format=RGB,width=20,height=10,framerate=30/1"

static guint64
stat (GstHarness *h, const char *name)
{
  GstStructure *stats = NULL;
  guint64 value = 0;
  g_object_get (h->element, "stats", &stats, NULL);
  g_assert_true (gst_structure_get_uint64 (stats, name, &value));
  gst_structure_free (stats);
  return value;
}

static const GstStructure *
inference_of (GstBuffer *buffer)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "NativertInference");
  g_assert_nonnull (meta);
  return gst_custom_meta_get_structure (meta);
}

/* Metadata is added, pixels are not touched; a shared buffer is copied without its pixels. */
static void
test_frame_untouched (void)
{
  GstHarness *h = test_harness ("identity.pt2", NULL, CAPS);
  GstBuffer *in = test_frame (CAPS, 3, 0);
  g_autoptr (GstBuffer) copy = gst_buffer_copy_deep (in), kept = gst_buffer_ref (in);
  GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_MARKER);
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, in);
  g_assert_true (out != kept);
  g_assert_true (gst_buffer_peek_memory (out, 0) == gst_buffer_peek_memory (kept, 0));
  g_assert_cmpuint (test_n_results (kept), ==, 0);
  g_assert_cmpuint (test_n_results (out), ==, 2);
  g_assert_true (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_MARKER));
  g_assert_cmpuint (GST_BUFFER_PTS (out), ==, 0);
  GstMapInfo map;
  g_assert_true (gst_buffer_map (copy, &map, GST_MAP_READ));
  g_assert_cmpint (gst_buffer_memcmp (out, 0, map.data, map.size), ==, 0);
  gst_buffer_unmap (copy, &map);
  test_teardown (h);
}

/* The way back from tensor to frame travels along. */
static void
test_mapping (void)
{
  GstHarness *h = test_harness ("identity.pt2", "resize=letterbox", CAPS);
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, test_frame (CAPS, 3, 0));
  const GstStructure *s = inference_of (out);
  gdouble scale_x, offset_y;
  gboolean inferred;
  g_assert_true (gst_structure_get (s, "scale-x", G_TYPE_DOUBLE, &scale_x, "offset-y", G_TYPE_DOUBLE, &offset_y,
      "inferred", G_TYPE_BOOLEAN, &inferred, NULL));
  g_assert_true (inferred);
  g_assert_cmpfloat_with_epsilon (scale_x, 0.4, 1e-9);
  g_assert_cmpfloat_with_epsilon (offset_y, 2, 1e-9);
  test_teardown (h);
}

static void
test_interval (void)
{
  GstHarness *h = test_harness ("identity.pt2", "interval=2", CAPS);
  for (int i = 0; i < 9; i++) {
    g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, test_frame (CAPS, 3, 0));
    g_assert_cmpuint (test_n_results (out), ==, i % 3 == 0 ? 2 : 0);
    if (i % 3)
      g_assert_cmpstr (gst_structure_get_string (inference_of (out), "skipped"), ==, "interval");
  }
  g_assert_cmpuint (stat (h, "frames"), ==, 9);
  g_assert_cmpuint (stat (h, "inferred"), ==, 3);
  g_assert_cmpuint (stat (h, "skipped"), ==, 6);
  test_teardown (h);
}

/* In tensor mode a frame without inference is no buffer. */
static void
test_interval_tensors (void)
{
  GstHarness *h = test_harness ("identity.pt2", "interval=1 output-mode=tensors", CAPS);
  for (int i = 0; i < 6; i++)
    g_assert_cmpint (gst_harness_push (h, test_frame (CAPS, 3, 0)), ==, GST_FLOW_OK);
  g_assert_cmpuint (gst_harness_buffers_received (h), ==, 3);
  g_assert_cmpuint (stat (h, "dropped"), ==, 3);
  test_teardown (h);
}

static void
push_late (GstHarness *h)
{
  GstBuffer *late = test_frame (CAPS, 3, 0);
  GST_BUFFER_PTS (late) = GST_SECOND;
  gst_harness_push_upstream_event (
      h, gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 2.0, 100 * GST_MSECOND, 2 * GST_SECOND));
  g_assert_cmpint (gst_harness_push (h, late), ==, GST_FLOW_OK);
}

static void
test_late (void)
{
  GstHarness *h = test_harness ("identity.pt2", "qos=true", CAPS);
  push_late (h);
  g_autoptr (GstBuffer) out = gst_harness_pull (h);
  g_assert_cmpuint (test_n_results (out), ==, 0);
  g_assert_cmpstr (gst_structure_get_string (inference_of (out), "skipped"), ==, "late");
  g_autoptr (GstMessage) message = test_message (h->element, GST_MESSAGE_QOS);
  g_assert_nonnull (message);
  GstEvent *event;
  gboolean forwarded = FALSE;
  while ((event = gst_harness_try_pull_upstream_event (h))) {
    forwarded |= GST_EVENT_TYPE (event) == GST_EVENT_QOS;
    gst_event_unref (event);
  }
  g_assert_true (forwarded);
  GstBuffer *timely = test_frame (CAPS, 3, 0);
  GST_BUFFER_PTS (timely) = 3 * GST_SECOND;
  g_autoptr (GstBuffer) good = gst_harness_push_and_pull (h, timely);
  g_assert_cmpuint (test_n_results (good), ==, 2);
  test_teardown (h);
}

static void
test_late_policies (void)
{
  static const struct { const char *properties; guint received; guint64 inferred; } cases[] = {
    { "qos=true on-late=drop", 0, 0 }, { "qos=true on-late=wait", 1, 1 }, { "qos=false", 1, 1 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstHarness *h = test_harness ("identity.pt2", cases[i].properties, CAPS);
    push_late (h);
    g_assert_cmpuint (gst_harness_buffers_received (h), ==, cases[i].received);
    g_assert_cmpuint (stat (h, "inferred"), ==, cases[i].inferred);
    test_teardown (h);
  }
}

/* Live: upstream's latency plus ours; otherwise upstream's alone. */
static void
test_latency (void)
{
  GstHarness *h = test_harness ("slow.pt2", NULL, "video/x-raw,format=RGB,width=512,height=512,framerate=30/1");
  gst_harness_set_upstream_latency (h, 10 * GST_MSECOND);
  const GstClockTime latency = gst_harness_query_latency (h);
  g_assert_cmpuint (latency, >, 10 * GST_MSECOND + GST_MSECOND / 2);
  g_assert_cmpuint (latency, <, 10 * GST_SECOND);
  test_teardown (h);
}

/* After a flush nothing of before counts, and frames run again. */
static void
test_flush (void)
{
  GstHarness *h = test_harness ("identity.pt2", "qos=true", CAPS);
  push_late (h);
  gst_buffer_unref (gst_harness_pull (h));
  g_assert_true (gst_harness_push_event (h, gst_event_new_flush_start ()));
  g_assert_true (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  g_assert_true (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, test_frame (CAPS, 3, 0));
  g_assert_cmpuint (test_n_results (out), ==, 2);
  test_teardown (h);
}

static void
test_eos (void)
{
  GstHarness *h = test_harness ("identity.pt2", NULL, CAPS);
  gst_buffer_unref (gst_harness_push_and_pull (h, test_frame (CAPS, 3, 0)));
  g_assert_true (gst_harness_push_event (h, gst_event_new_eos ()));
  GstEvent *event;
  gboolean eos = FALSE;
  while ((event = gst_harness_try_pull_event (h))) {
    eos |= GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  g_assert_true (eos);
  test_teardown (h);
}

/* NULL to PLAYING and back, with another model each time. */
static void
test_restart (void)
{
  GstElement *element = test_element ("identity.pt2", NULL);
  static const char *const models[] = { "identity.pt2", "gray.pt2", "identity.pt2" };
  for (gsize i = 0; i < G_N_ELEMENTS (models); i++) {
    g_autofree char *path = test_model (models[i]);
    g_object_set (element, "model", path, NULL);
    GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
    gst_harness_set_src_caps_str (h, CAPS);
    g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, test_frame (CAPS, 3, 0));
    g_assert_cmpuint (test_n_results (out), ==, i == 1 ? 1 : 2);
    g_assert_cmpuint (stat (h, "frames"), ==, 1);
    test_teardown (h);
    g_assert_cmpint (gst_element_set_state (element, GST_STATE_NULL), ==, GST_STATE_CHANGE_SUCCESS);
  }
  gst_object_unref (element);
}

/* Results live as long as their buffer, not as their model. */
static void
test_results_outlive (void)
{
  GstHarness *h = test_harness ("identity.pt2", NULL, CAPS);
  g_autoptr (GstBuffer) first = gst_harness_push_and_pull (h, test_frame (CAPS, 3, 0));
  g_autofree float *before = test_result (first, 0, NULL);
  for (guint i = 0; i < 20; i++)
    gst_buffer_unref (gst_harness_push_and_pull (h, test_frame (CAPS, i, 0)));
  test_teardown (h);
  g_autofree float *after = test_result (first, 0, NULL);
  g_assert_cmpmem (before, 192 * sizeof (float), after, 192 * sizeof (float));
}

static void
test_model_info (void)
{
  GstHarness *h = test_harness ("dynamic.pt2", NULL, NULL);
  GstStructure *info = NULL;
  g_object_get (h->element, "model-info", &info, NULL);
  const GValue *inputs = gst_structure_get_value (info, "inputs");
  g_assert_cmpuint (gst_value_array_get_size (inputs), ==, 1);
  const GstStructure *input = gst_value_get_structure (gst_value_array_get_value (inputs, 0));
  g_assert_cmpstr (gst_structure_get_string (input, "dtype"), ==, "float32");
  g_assert_nonnull (strstr (gst_structure_get_string (input, "tensor"), "4..64"));
  gst_structure_free (info);
  test_teardown (h);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/gst/stream/frame-untouched", test_frame_untouched);
  g_test_add_func ("/gst/stream/mapping", test_mapping);
  g_test_add_func ("/gst/stream/interval", test_interval);
  g_test_add_func ("/gst/stream/interval-tensors", test_interval_tensors);
  g_test_add_func ("/gst/stream/late", test_late);
  g_test_add_func ("/gst/stream/late-policies", test_late_policies);
  g_test_add_func ("/gst/stream/latency", test_latency);
  g_test_add_func ("/gst/stream/flush", test_flush);
  g_test_add_func ("/gst/stream/eos", test_eos);
  g_test_add_func ("/gst/stream/restart", test_restart);
  g_test_add_func ("/gst/stream/results-outlive", test_results_outlive);
  g_test_add_func ("/gst/stream/model-info", test_model_info);
  const int failed = g_test_run ();
  gst_deinit ();
  return failed;
}
