/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:plugin-nativert
 * @title: nativert
 * @short_description: PyTorch models in pipelines
 */
#include <gst/gst.h>
#include "nativert.h"

GST_ELEMENT_REGISTER_DECLARE (nativertfilter)

static gboolean
plugin_init (GstPlugin *plugin)
{
  return GST_ELEMENT_REGISTER (nativertfilter, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, nativert, "Runs PyTorch models (.pt2)", plugin_init,
    PACKAGE_VERSION, "LGPL", "nativert", "Unknown package origin")
