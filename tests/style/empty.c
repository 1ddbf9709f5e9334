/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linked with all of one folder's library: what that folder calls must be in the folders that it may use. */
int
main (void)
{
  return 0;
}
