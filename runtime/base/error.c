/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The error domain. */
#include "nativert.h"

G_DEFINE_QUARK (nativert-error-quark, nativert_error)
