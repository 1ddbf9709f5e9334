/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the element's tests share: elements with models, frames with odd strides, results of both kinds of metadata. */
#pragma once
#include <gst/check/gstharness.h>
#include <gst/gst.h>
#include <gst/video/video.h>
#include "nativert.h"

char *test_model (const char *name);
/* A filter with that model from tests/data/gst and "name=value" properties in gst-launch's writing. */
GstElement *test_element (const char *model, const char *properties);
GstHarness *test_harness (const char *model, const char *properties, const char *caps);
/* A frame of such caps with pixels from a seed.  padding: bytes added to every row, told by a GstVideoMeta when not 0.
 */
GstBuffer *test_frame (const char *caps, guint seed, guint padding);
/* Pixel (x, y) as red, green, blue by the same definition of colours that videos have, 0 to 255, in double precision.
 */
void test_pixel (GstVideoFrame *frame, gint x, gint y, double rgb[3]);

/* Results on a buffer, whatever carries them. */
guint test_n_results (GstBuffer *buffer);
/* Copies; NULL when there is no such result. */
float *test_result (GstBuffer *buffer, guint index, gsize *n);
const char *test_result_name (GstBuffer *buffer, guint index);
/* "float32 1,3,8,8" */
char *test_result_type (GstBuffer *buffer, guint index);

/* The next message of a type on the element's bus; waits five seconds at most. */
GstMessage *test_message (GstElement *element, GstMessageType type);
void test_watch (GstElement *element);
/* Messages hold the element that holds the bus that holds them. */
void test_unwatch (GstElement *element);
void test_teardown (GstHarness *h);
void test_assert_error (GstElement *element, GQuark domain, gint code, const char *text);
