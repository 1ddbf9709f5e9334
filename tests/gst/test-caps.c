/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Negotiation: what pads offer, tensors as buffers, new caps in mid-stream, and what is said when nothing fits. */
#include <string.h>
#include "common.h"

#define VIDEO(format, w, h) "video/x-raw,format=" format ",width=" #w ",height=" #h ",framerate=30/1"

static GstCaps *
query_caps (GstHarness *h, const char *pad_name, const char *filter_text)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (h->element, pad_name);
  g_autoptr (GstCaps) filter = filter_text ? gst_caps_from_string (filter_text) : NULL;
  return gst_pad_query_caps (pad, filter);
}

/* Any size goes in, since it is resized. */
static void
test_sink_any (void)
{
  GstHarness *h = test_harness ("identity.pt2", NULL, NULL);
  g_autoptr (GstCaps) caps = query_caps (h, "sink", NULL);
  static const char *const good[] = { VIDEO ("NV12", 1920, 1080), VIDEO ("GRAY8", 3, 1), VIDEO ("BGRx", 8, 8) };
  for (gsize i = 0; i < G_N_ELEMENTS (good); i++) {
    g_autoptr (GstCaps) one = gst_caps_from_string (good[i]);
    g_assert_true (gst_caps_is_subset (one, caps));
  }
  test_teardown (h);
}

/* resize=none: the model's size, and its kind of pixels. */
static void
test_sink_exact (void)
{
  GstHarness *h = test_harness ("identity.pt2", "resize=none", NULL);
  g_autoptr (GstCaps) caps = query_caps (h, "sink", NULL);
  g_autoptr (GstCaps) good = gst_caps_from_string (VIDEO ("NV12", 8, 8)),
                      gray = gst_caps_from_string (VIDEO ("GRAY8", 8, 8));
  g_autoptr (GstCaps) large = gst_caps_from_string (VIDEO ("NV12", 16, 8));
  g_assert_true (gst_caps_is_subset (good, caps));
  g_assert_false (gst_caps_can_intersect (gray, caps));
  g_assert_false (gst_caps_can_intersect (large, caps));
  test_teardown (h);
  h = test_harness ("gray.pt2", "resize=none", NULL);
  g_autoptr (GstCaps) gray_caps = query_caps (h, "sink", NULL);
  g_autoptr (GstCaps) exact = gst_caps_from_string (VIDEO ("GRAY8", 12, 8));
  g_assert_true (gst_caps_is_subset (exact, gray_caps));
  g_assert_false (gst_caps_can_intersect (good, gray_caps));
  test_teardown (h);
  h = test_harness ("dynamic.pt2", "resize=none", NULL);
  g_autoptr (GstCaps) range = query_caps (h, "sink", NULL);
  g_autoptr (GstCaps) inside = gst_caps_from_string (VIDEO ("RGB", 64, 4)),
                      outside = gst_caps_from_string (VIDEO ("RGB", 65, 4));
  g_assert_true (gst_caps_is_subset (inside, range));
  g_assert_false (gst_caps_can_intersect (outside, range));
  test_teardown (h);
}

/* Without a word from downstream the frame flows on; asked for, tensors do. */
static void
test_src_modes (void)
{
  static const struct { const char *mode, *downstream, *name;
  } cases[] = {
    { "auto", "ANY", "video/x-raw" },
    { "auto", "other/tensors", "other/tensors" },
    { "auto", "video/x-raw", "video/x-raw" },
    { "meta", "ANY", "video/x-raw" },
    { "tensors", "ANY", "other/tensors" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *properties = g_strdup_printf ("output-mode=%s", cases[i].mode);
    GstHarness *h = test_harness ("identity.pt2", properties, NULL);
    gst_harness_set_sink_caps_str (h, cases[i].downstream);
    gst_harness_set_src_caps_str (h, VIDEO ("RGB", 20, 10));
    g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, test_frame (VIDEO ("RGB", 20, 10), 1, 0));
    g_autoptr (GstPad) src = gst_element_get_static_pad (h->element, "src");
    g_autoptr (GstCaps) caps = gst_pad_get_current_caps (src);
    g_assert_cmpstr (gst_structure_get_name (gst_caps_get_structure (caps, 0)), ==, cases[i].name);
    test_teardown (h);
  }
}

/* other/tensors: exact caps, one memory per output, same values as the metadata has. */
static void
test_tensors (void)
{
  GstHarness *h = test_harness ("identity.pt2", "output-mode=tensors", VIDEO ("RGB", 20, 10));
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, test_frame (VIDEO ("RGB", 20, 10), 5, 0));
  g_autoptr (GstPad) src = gst_element_get_static_pad (h->element, "src");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (src);
  g_autoptr (GstCaps) want = gst_caps_from_string ("other/tensors,format=(string)static,num_tensors=(int)2,"
      "types=(string)\"float32,float32\",dimensions=(string)\"8:8:3:1,3:1\",framerate=(fraction)30/1");
  g_assert_true (gst_caps_is_equal (caps, want));
  g_assert_cmpuint (gst_buffer_n_memory (out), ==, 2);
  g_assert_cmpuint (gst_memory_get_sizes (gst_buffer_peek_memory (out, 0), NULL, NULL), ==, 192 * 4);
  g_assert_cmpuint (gst_memory_get_sizes (gst_buffer_peek_memory (out, 1), NULL, NULL), ==, 12);
  g_assert_cmpuint (GST_BUFFER_PTS (out), ==, 0);
  g_assert_cmpuint (GST_BUFFER_DURATION (out), ==, GST_SECOND / 30);

  GstHarness *meta = test_harness ("identity.pt2", NULL, VIDEO ("RGB", 20, 10));
  g_autoptr (GstBuffer) frame = gst_harness_push_and_pull (meta, test_frame (VIDEO ("RGB", 20, 10), 5, 0));
  g_autofree float *values = test_result (frame, 0, NULL);
  g_assert_cmpint (gst_buffer_memcmp (out, 0, values, 192 * 4), ==, 0);
  test_teardown (meta);
  test_teardown (h);
}

/* A bool has no name of its own there, a scalar one dimension. */
static void
test_tensor_types (void)
{
  GstHarness *h = test_harness ("scalar.pt2", "output-mode=tensors", VIDEO ("RGB", 8, 8));
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, test_frame (VIDEO ("RGB", 8, 8), 5, 0));
  g_autoptr (GstPad) src = gst_element_get_static_pad (h->element, "src");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (src);
  GstStructure *s = gst_caps_get_structure (caps, 0);
  g_assert_cmpstr (gst_structure_get_string (s, "types"), ==, "float32,uint8,int64");
  g_assert_cmpstr (gst_structure_get_string (s, "dimensions"), ==, "1,3:1,8:8:3:1");
  test_teardown (h);
}

/* New sizes and formats in mid-stream; an open-sized model follows. */
static void
test_renegotiation (void)
{
  GstHarness *h = test_harness ("dynamic.pt2", "scale=1", NULL);
  static const char *const caps[]
      = { VIDEO ("RGB", 20, 10), VIDEO ("NV12", 40, 64), VIDEO ("GRAY8", 640, 480), VIDEO ("RGB", 20, 10) };
  for (gsize i = 0; i < G_N_ELEMENTS (caps); i++) {
    gst_harness_set_src_caps_str (h, caps[i]);
    GstBuffer *in = test_frame (caps[i], 1, 0);
    gst_buffer_memset (in, 0, 128, gst_buffer_get_size (in));
    g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, in);
    g_autofree float *mean = test_result (out, 0, NULL);
    g_assert_cmpfloat_with_epsilon (mean[1], i == 1 ? (128 - 16) * 255 / 219. : 128, 1e-2);
    g_autofree char *type = test_result_type (out, 0);
    g_assert_cmpstr (type, ==, "float32 1,3");
  }
  test_teardown (h);
}

/* The caps event is refused with an error that names pad, both sides and the cure. */
static void
test_refused_caps (void)
{
  GstHarness *h = test_harness ("identity.pt2", "resize=none", NULL);
  gst_harness_set_src_caps_str (h, VIDEO ("RGB", 20, 10));
  g_assert_cmpint (gst_harness_push (h, test_frame (VIDEO ("RGB", 20, 10), 1, 0)), ==, GST_FLOW_NOT_NEGOTIATED);
  test_assert_error (h->element, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "Pad sink: expected");
  test_teardown (h);
  h = test_harness ("identity.pt2", "resize=none", NULL);
  gst_harness_set_src_caps_str (h, VIDEO ("RGB", 20, 10));
  test_assert_error (h->element, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "videoscale");
  test_teardown (h);
}

/* Upstream that asks first, as sources do, hears it too. */
static void
test_refused_query (void)
{
  GstHarness *h = test_harness ("identity.pt2", "resize=none", NULL);
  g_autoptr (GstCaps) filter = gst_caps_from_string ("video/x-raw,format=RGB,width=99");
  g_autoptr (GstCaps) none = gst_pad_peer_query_caps (h->srcpad, filter);
  g_assert_true (gst_caps_is_empty (none));
  test_assert_error (h->element, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "width=(int)99");
  test_teardown (h);
}

static void
test_refused_downstream (void)
{
  GstHarness *h = test_harness ("identity.pt2", NULL, NULL);
  gst_harness_set_sink_caps_str (h, "other/tensors,dimensions=(string)\"1,2\"");
  gst_harness_set_src_caps_str (h, VIDEO ("RGB", 20, 10));
  g_assert_cmpint (gst_harness_push (h, test_frame (VIDEO ("RGB", 20, 10), 1, 0)), ==, GST_FLOW_NOT_NEGOTIATED);
  test_assert_error (h->element, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "Pad src");
  test_teardown (h);
}

/* The frame passes through, so its memory may be downstream's: the query passes through too. */
static void
test_allocation (void)
{
  GstHarness *h = test_harness ("identity.pt2", "output-mode=tensors", VIDEO ("RGB", 20, 10));
  g_autoptr (GstCaps) caps = gst_caps_from_string (VIDEO ("RGB", 20, 10));
  GstQuery *query = gst_query_new_allocation (caps, FALSE);
  g_assert_true (gst_pad_peer_query (h->srcpad, query));
  g_assert_true (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
  gst_query_unref (query);
  test_teardown (h);
  h = test_harness ("identity.pt2", "output-mode=meta", NULL);
  gst_harness_add_propose_allocation_meta (h, GST_VIDEO_CROP_META_API_TYPE, NULL);
  gst_harness_set_src_caps_str (h, VIDEO ("RGB", 20, 10));
  query = gst_query_new_allocation (caps, FALSE);
  g_assert_true (gst_pad_peer_query (h->srcpad, query));
  g_assert_true (gst_query_find_allocation_meta (query, GST_VIDEO_CROP_META_API_TYPE, NULL));
  g_assert_false (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
  gst_query_unref (query);
  test_teardown (h);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/gst/caps/sink-any", test_sink_any);
  g_test_add_func ("/gst/caps/sink-exact", test_sink_exact);
  g_test_add_func ("/gst/caps/src-modes", test_src_modes);
  g_test_add_func ("/gst/caps/tensors", test_tensors);
  g_test_add_func ("/gst/caps/tensor-types", test_tensor_types);
  g_test_add_func ("/gst/caps/renegotiation", test_renegotiation);
  g_test_add_func ("/gst/caps/refused-caps", test_refused_caps);
  g_test_add_func ("/gst/caps/refused-query", test_refused_query);
  g_test_add_func ("/gst/caps/refused-downstream", test_refused_downstream);
  g_test_add_func ("/gst/caps/allocation", test_allocation);
  const int failed = g_test_run ();
  gst_deinit ();
  return failed;
}
