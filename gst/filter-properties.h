/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of nativertfilter: their numbers, between those who describe them and those who set and get them. */
#pragma once
#include "filter.h"

enum {
  PROP_0,
  PROP_MODEL,
  PROP_MODEL_NAME,
  PROP_WEIGHTS,
  PROP_ACTIVE_WEIGHTS,
  PROP_WEIGHTS_VERSION,
  PROP_DEVICE,
  PROP_THREADS,
  PROP_PARALLEL_OPS,
  PROP_RESIZE,
  PROP_SCALE_METHOD,
  PROP_CHANNEL_ORDER,
  PROP_INPUT_LAYOUT,
  PROP_SCALE,
  PROP_MEAN,
  PROP_STD,
  PROP_PAD_VALUE,
  PROP_INTERVAL,
  PROP_OUTPUT_MODE,
  PROP_ON_LATE,
  PROP_STATS,
  PROP_MODEL_INFO
};

/* filter-properties.c */
void gst_nativert_filter_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void gst_nativert_filter_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec);
