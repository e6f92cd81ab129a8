/* Passes the state that a guest process keeps over execve() to the new process image
 * (hand_over.c). */
#ifndef RUNTIME_USER_HAND_OVER_H
#define RUNTIME_USER_HAND_OVER_H

#include "runtime/user/event_fd.h"
#include "runtime/user/user.h"

/* What the host's kernel was given for a program of the host, to be taken back if it executes
 * none. */
struct given_to_host {
    struct event_fds_given fds;
    int personality;
};

/*
 * Call before execve() in thread `t`, which executes the program: writes the state of the process
 * to a file in memory. Returns its descriptor. execve() leaves this descriptor and those that the
 * state names open. -1: not possible.
 */
int hand_over(struct thread *t);
/* Call after a failed execve(): closes the descriptor that hand_over() returned and undoes its
 * other changes. */
void hand_over_undo(struct process *p, int fd);
/* Call in the new process image before the first guest instruction: reads the state from the
 * descriptor and closes it. */
bool take_over(struct process *p, int fd, struct error *err);

/* Call before execve() of a program of the host: makes the host's kernel keep the state. */
void give_to_host(struct thread *t, struct given_to_host *given);
/* Call after a failed execve() of a program of the host: undoes give_to_host(). */
void take_back(struct process *p, struct given_to_host *given);

#endif
