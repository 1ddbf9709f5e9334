/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mutexes that thread checkers see, let go at the end of the scope. */
#pragma once
#include <pthread.h>

typedef pthread_mutex_t NativertLock;

static inline void nativert_lock_leave (NativertLock *const *lock) { pthread_mutex_unlock (*lock); }
static inline NativertLock *nativert_lock_enter (NativertLock *lock) { pthread_mutex_lock (lock); return lock; }

/* Holds lock until the scope ends. */
#define NATIVERT_LOCKED(lock) \
  __attribute__ ((cleanup (nativert_lock_leave), unused)) NativertLock *const held_lock = nativert_lock_enter (lock)
