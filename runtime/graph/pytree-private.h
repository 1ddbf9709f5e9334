/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parsed TreeSpec. */
#pragma once
#include "graph/pytree.h"

typedef enum { NATIVERT_TREE_LEAF, NATIVERT_TREE_TUPLE, NATIVERT_TREE_LIST, NATIVERT_TREE_DICT } NativertTreeKind;

typedef struct NativertTreeNode NativertTreeNode;
struct NativertTreeNode {
  uint8_t kind;
  uint32_t n, n_leaves;
  const NativertTreeNode *children;
  const char *const *keys;              /* DICT; field names of a namedtuple, which is a TUPLE; else NULL */
};

struct NativertTreeSpec {
  NativertRegion *region;
  NativertTreeNode root;
  NativertValue *none;                  /* stands for what a dict lacks */
};
