/* Declarations that futex.c and futex_pi.c share. */
#ifndef RUNTIME_USER_FUTEX_H
#define RUNTIME_USER_FUTEX_H

#include "runtime/user/user.h"

/* Reads an operation's deadline on the process's clock; `va` 0: CLOCK_NEVER. 0 or a negative
 * errno. */
int64_t futex_deadline(struct thread *t, uint64_t va, int op, uint64_t *deadline);

/* futex_pi.c: operations on locks whose word holds the owner's thread number: FUTEX_LOCK_PI and
 * _LOCK_PI2, _TRYLOCK_PI, _UNLOCK_PI, _WAIT_REQUEUE_PI, _CMP_REQUEUE_PI. */
int64_t futex_pi(struct thread *t, const uint64_t *arg);

#endif
