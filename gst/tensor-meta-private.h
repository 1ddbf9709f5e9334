/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of tensor metadata share among themselves. */
#pragma once
#include <gst/gst.h>

/* Twelve sizes of 20 digits with commas. */
#define NATIVERT_MAX_RANK_TEXT 256

void gst_nativert_register_custom_meta (const char *name);
