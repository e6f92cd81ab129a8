/* What a process keeps when it executes another program of the guest (hand_over.c). */
#ifndef RUNTIME_USER_HAND_OVER_H
#define RUNTIME_USER_HAND_OVER_H

#include "runtime/user/user.h"

/*
 * Before execve(): writes the state of the process, of which `t` executes the program, to a file in
 * memory. Returns its descriptor, which execve() leaves open, as it does those that the state
 * names; -1: not possible.
 */
int hand_over(struct thread *t);
/* After a failed execve(): closes what hand_over() has returned, and undoes the rest. */
void hand_over_undo(struct process *p, int fd);
/* In the new process, before its first instruction: takes the state from the descriptor, which is
 * closed. */
bool take_over(struct process *p, int fd, struct error *err);

#endif
