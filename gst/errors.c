/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Error codes of the runtime as GStreamer's. */
#include <gio/gio.h>
#include "errors.h"
#include "nativert.h"

typedef struct { GQuark domain; gint code; } Code;

static Code
map_code (const GError *error, const char *path)
{
  const gboolean gone = path && !g_file_test (path, G_FILE_TEST_EXISTS);
  if (gone || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND)
      || g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    return (Code) { GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND };
  if (error->domain == G_IO_ERROR || error->domain == G_FILE_ERROR)
    return (Code) { GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ };
  if (error->domain != NATIVERT_ERROR)
    return (Code) { GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED };
  switch (error->code) {
    case NATIVERT_ERROR_FORMAT:
    case NATIVERT_ERROR_VERSION:
      return (Code) { GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE };
    case NATIVERT_ERROR_UNSUPPORTED:
    case NATIVERT_ERROR_MISMATCH:
    case NATIVERT_ERROR_INVALID_INPUT:
      return (Code) { GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT };
    case NATIVERT_ERROR_MISSING:
      return (Code) { GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND };
    case NATIVERT_ERROR_IO:
      return (Code) { GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ };
    default:
      return (Code) { GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED };
  }
}

static void
post (GstElement *element, GstMessageType type, const GError *error, const char *prefix, const char *path)
{
  const Code code = map_code (error, path);
  gst_element_message_full (element, type, code.domain, code.code, g_strdup_printf ("%s: %s", prefix, error->message),
      g_strdup_printf ("%s %d", g_quark_to_string (error->domain), error->code), __FILE__, "gst_nativert_post",
      __LINE__);
}

void
gst_nativert_post_error (GstElement *element, const GError *error, const char *prefix, const char *path)
{
  post (element, GST_MESSAGE_ERROR, error, prefix, path);
}

void
gst_nativert_post_warning (GstElement *element, const GError *error, const char *prefix, const char *path)
{
  post (element, GST_MESSAGE_WARNING, error, prefix, path);
}
