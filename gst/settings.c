/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pre-processing settings: enumerations with nicks, numbers per channel, and the nativert.json that a model carries. */
#include <json-glib/json-glib.h>
#include "settings.h"
#include "nativert.h"

enum { MAX_JSON_SIZE = 65536, MAX_JSON_DEPTH = 32 };

GType
gst_nativert_resize_get_type (void)
{
  static GType type;
  static const GEnumValue values[] = {
    { GST_NATIVERT_RESIZE_NONE, "Frames must have the model's size", "none" },
    { GST_NATIVERT_RESIZE_STRETCH, "The whole frame, its shape changed to the model's", "stretch" },
    { GST_NATIVERT_RESIZE_LETTERBOX, "The whole frame, shape kept, bars around it", "letterbox" },
    { GST_NATIVERT_RESIZE_CROP, "The middle of the frame in the model's shape", "crop" },
    { 0, NULL, NULL }
  };
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstNativertResize", values));
  return type;
}

GType
gst_nativert_scale_method_get_type (void)
{
  static GType type;
  static const GEnumValue values[] = {
    { GST_NATIVERT_SCALE_NEAREST, "Nearest pixel", "nearest" },
    { GST_NATIVERT_SCALE_BILINEAR, "Mix of the four nearest pixels", "bilinear" },
    { 0, NULL, NULL }
  };
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstNativertScaleMethod", values));
  return type;
}

GType
gst_nativert_channel_order_get_type (void)
{
  static GType type;
  static const GEnumValue values[] = {
    { GST_NATIVERT_ORDER_RGB, "Red, green, blue", "rgb" },
    { GST_NATIVERT_ORDER_BGR, "Blue, green, red", "bgr" },
    { GST_NATIVERT_ORDER_GRAY, "Brightness in every channel", "gray" },
    { 0, NULL, NULL }
  };
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstNativertChannelOrder", values));
  return type;
}

GType
gst_nativert_layout_get_type (void)
{
  static GType type;
  static const GEnumValue values[] = {
    { GST_NATIVERT_LAYOUT_AUTO, "As the model's input says", "auto" },
    { GST_NATIVERT_LAYOUT_NCHW, "Channels before rows and columns", "nchw" },
    { GST_NATIVERT_LAYOUT_NHWC, "Channels after rows and columns", "nhwc" },
    { 0, NULL, NULL }
  };
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstNativertLayout", values));
  return type;
}

const char *
gst_nativert_enum_nick (GType type, gint value)
{
  g_autoptr (GEnumClass) klass = g_type_class_ref (type);
  const GEnumValue *found = g_enum_get_value (klass, value);
  return found ? found->value_nick : "?";
}

void
gst_nativert_settings_init (GstNativertSettings *settings)
{
  *settings = (GstNativertSettings){
    .resize = GST_NATIVERT_RESIZE_STRETCH, .scale_method = GST_NATIVERT_SCALE_BILINEAR, .scale = 1 / 255., .pad = 114
  };
}

gboolean
gst_nativert_per_channel_set (GstNativertPerChannel *numbers, const GValue *array)
{
  GstNativertPerChannel read = { gst_value_array_get_size (array), { 0 } };
  if (read.n > G_N_ELEMENTS (read.value))
    return FALSE;
  for (guint i = 0; i < read.n; i++) {
    g_auto (GValue) number = G_VALUE_INIT;
    g_value_init (&number, G_TYPE_DOUBLE);
    if (!g_value_transform (gst_value_array_get_value (array, i), &number))
      return FALSE;
    read.value[i] = g_value_get_double (&number);
  }
  *numbers = read;
  return TRUE;
}

void
gst_nativert_per_channel_get (const GstNativertPerChannel *numbers, GValue *array)
{
  for (guint i = 0; i < numbers->n; i++) {
    GValue number = G_VALUE_INIT;
    g_value_init (&number, G_TYPE_DOUBLE);
    g_value_set_double (&number, numbers->value[i]);
    gst_value_array_append_and_take_value (array, &number);
  }
}

/* json-glib follows brackets by recursion, so that a hostile file could end the process. */
static gboolean
is_shallow (const char *text, gsize size)
{
  guint depth = 0;
  gboolean quoted = FALSE;
  for (gsize i = 0; i < size; i++) {
    if (quoted && text[i] == '\\')
      i++;
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && (text[i] == '[' || text[i] == '{') && ++depth > MAX_JSON_DEPTH)
      return FALSE;
    else if (!quoted && (text[i] == ']' || text[i] == '}') && depth > 0)
      depth--;
  }
  return TRUE;
}

static gboolean
bad_value (const char *key, const char *wants, GError **error)
{
  g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "extra file nativert.json: \"%s\" must be %s", key, wants);
  return FALSE;
}

static gboolean
is_number (JsonNode *node)
{
  return JSON_NODE_HOLDS_VALUE (node)
      && (json_node_get_value_type (node) == G_TYPE_DOUBLE || json_node_get_value_type (node) == G_TYPE_INT64);
}

static gboolean
read_number (JsonObject *object, const char *key, gdouble *value, GError **error)
{
  JsonNode *node = json_object_get_member (object, key);
  if (!node)
    return TRUE;
  if (!is_number (node))
    return bad_value (key, "a number", error);
  *value = json_node_get_double (node);
  return TRUE;
}

static gboolean
read_numbers (JsonObject *object, const char *key, GstNativertPerChannel *numbers, GError **error)
{
  JsonNode *node = json_object_get_member (object, key);
  if (!node)
    return TRUE;
  if (is_number (node)) {
    *numbers = (GstNativertPerChannel) { 1, { json_node_get_double (node) } };
    return TRUE;
  }
  if (!JSON_NODE_HOLDS_ARRAY (node)
      || json_array_get_length (json_node_get_array (node)) > G_N_ELEMENTS (numbers->value))
    return bad_value (key, "a list of at most three numbers", error);
  JsonArray *array = json_node_get_array (node);
  GstNativertPerChannel read = { json_array_get_length (array), { 0 } };
  for (guint i = 0; i < read.n; i++) {
    if (!is_number (json_array_get_element (array, i)))
      return bad_value (key, "a list of at most three numbers", error);
    read.value[i] = json_array_get_double_element (array, i);
  }
  *numbers = read;
  return TRUE;
}

static gboolean
read_enum (JsonObject *object, const char *key, GType type, gint *value, GError **error)
{
  JsonNode *node = json_object_get_member (object, key);
  if (!node)
    return TRUE;
  g_autoptr (GEnumClass) klass = g_type_class_ref (type);
  const char *nick = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_string (node) : NULL;
  const GEnumValue *found = nick ? g_enum_get_value_by_nick (klass, nick) : NULL;
  if (found) {
    *value = found->value;
    return TRUE;
  }
  g_autoptr (GString) nicks = g_string_new ("one of");
  for (guint i = 0; i < klass->n_values; i++)
    g_string_append_printf (nicks, " %s", klass->values[i].value_nick);
  return bad_value (key, nicks->str, error);
}

static gboolean
read_settings (JsonObject *object, GstNativertSettings *s, GError **error)
{
  gint resize = s->resize, method = s->scale_method, order = s->order, layout = s->layout;
  gdouble pad = s->pad;
  if (!read_enum (object, "resize", gst_nativert_resize_get_type (), &resize, error)
      || !read_enum (object, "scale-method", gst_nativert_scale_method_get_type (), &method, error)
      || !read_enum (object, "channel-order", gst_nativert_channel_order_get_type (), &order, error)
      || !read_enum (object, "input-layout", gst_nativert_layout_get_type (), &layout, error)
      || !read_number (object, "scale", &s->scale, error) || !read_number (object, "pad-value", &pad, error)
      || !read_numbers (object, "mean", &s->mean, error) || !read_numbers (object, "std", &s->std, error))
    return FALSE;
  if (!(pad >= 0 && pad <= 255))
    return bad_value ("pad-value", "a number from 0 to 255", error);
  s->resize = resize;
  s->scale_method = method;
  s->order = order;
  s->layout = layout;
  s->pad = (guint) pad;
  if (json_object_has_member (object, "scale"))
    s->given |= GST_NATIVERT_GIVEN_SCALE;
  return TRUE;
}

gboolean
gst_nativert_settings_apply_json (GstNativertSettings *settings, GBytes *json, GError **error)
{
  gsize size;
  const char *text = g_bytes_get_data (json, &size);
  if (size > MAX_JSON_SIZE || !is_shallow (text, size)) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_LIMIT,
        "extra file nativert.json: more than %d bytes or %d levels", MAX_JSON_SIZE, MAX_JSON_DEPTH);
    return FALSE;
  }
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) reason = NULL;
  if (!json_parser_load_from_data (parser, text, (gssize) size, &reason)) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "extra file nativert.json: %s", reason->message);
    return FALSE;
  }
  JsonNode *root = json_parser_get_root (parser);
  if (!root || !JSON_NODE_HOLDS_OBJECT (root)) {
    g_set_error (error, NATIVERT_ERROR, NATIVERT_ERROR_FORMAT, "extra file nativert.json: not an object");
    return FALSE;
  }
  GstNativertSettings read = *settings;
  if (!read_settings (json_node_get_object (root), &read, error))
    return FALSE;
  const guint given = settings->given;
  read.resize = given & GST_NATIVERT_GIVEN_RESIZE ? settings->resize : read.resize;
  read.scale_method = given & GST_NATIVERT_GIVEN_SCALE_METHOD ? settings->scale_method : read.scale_method;
  read.order = given & GST_NATIVERT_GIVEN_ORDER ? settings->order : read.order;
  read.layout = given & GST_NATIVERT_GIVEN_LAYOUT ? settings->layout : read.layout;
  read.scale = given & GST_NATIVERT_GIVEN_SCALE ? settings->scale : read.scale;
  read.mean = given & GST_NATIVERT_GIVEN_MEAN ? settings->mean : read.mean;
  read.std = given & GST_NATIVERT_GIVEN_STD ? settings->std : read.std;
  read.pad = given & GST_NATIVERT_GIVEN_PAD ? settings->pad : read.pad;
  *settings = read;
  return TRUE;
}
