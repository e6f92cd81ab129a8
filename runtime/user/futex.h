/* Declarations that sys_futex.c, futex.c and futex_pi.c share. */
#ifndef RUNTIME_USER_FUTEX_H
#define RUNTIME_USER_FUTEX_H

#include "runtime/user/user.h"

/* Whether the thread waits at va, for a futex that is no lock with an owner. */
bool futex_is_awaited(const struct thread *t, uint64_t va);
/* How an operation (with its flags) counts its deadline. */
enum deadline futex_clock(int op);

/* futex_pi.c: operations on locks whose word holds the owner's thread number: FUTEX_LOCK_PI and
 * _LOCK_PI2, _TRYLOCK_PI, _UNLOCK_PI, _WAIT_REQUEUE_PI, _CMP_REQUEUE_PI. */
int64_t futex_pi(struct thread *t, const uint64_t *arg);

#endif
