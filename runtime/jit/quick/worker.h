/*
 * The thread that translates traces while the guest runs. Where the host has a second processor,
 * the guest waits for no trace: it interprets the blocks until the trace is ready.
 */
#ifndef RUNTIME_JIT_QUICK_WORKER_H
#define RUNTIME_JIT_QUICK_WORKER_H

#include "runtime/jit/internal.h"

struct q_worker;

/* A worker, whose thread starts with its first job. NULL: the guest's thread translates, by the
 * options, or because the host has one processor. */
struct q_worker *worker_new(struct jit *jit);
/* Ends the thread and frees the worker, but not the traces in its queue; NULL is allowed. */
void worker_free(struct q_worker *w);
/* Traces in the queue. When the guest asks for more, their blocks ask again later, so that the
 * thread is never far behind. */
enum { WORKER_MAX_WAITING = 256 };
/* Whether fewer than `most` traces wait. */
bool worker_has_room(struct q_worker *w, unsigned most);
/* Adds a trace with its job. queue_finished() returns it later in any case, translated or not.
 * False: the host has no thread for it. */
bool worker_add(struct q_worker *w, struct region *r);
/* Takes a trace out of the queue. False: it is not there any more. */
bool worker_take(struct q_worker *w, struct region *r);
/* To be called around fork(), as jit_before_fork() and jit_after_fork(); NULL is allowed. */
void worker_before_fork(struct q_worker *w);
void worker_after_fork(struct q_worker *w, bool child);

#endif
