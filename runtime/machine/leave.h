/*
 * Ctrl-A x, SIGINT, SIGTERM and SIGHUP end the program within a second, whatever the machine's
 * thread is doing.
 *
 * A separate thread waits for them and makes the machine's thread stop between two turns, so that
 * statistics are written and everything is released. If the process still runs half a second later,
 * for example because a device waits for the host, the separate thread restores the terminal,
 * flushes stdio, and ends the process: by the signal, or with status 1 after Ctrl-A x.
 */
#ifndef RUNTIME_MACHINE_LEAVE_H
#define RUNTIME_MACHINE_LEAVE_H

#include "runtime/base/error.h"
#include "runtime/time/clock.h"

struct leave;

/*
 * Takes the signals over, for this thread and the threads that it creates later. A signal that was
 * ignored at the start stays ignored. `program` is borrowed, for messages. One per process.
 */
struct leave *leave_new(const char *program, struct error *err);

/*
 * `stop(opaque)` is posted to the clock once when the program is to end, or at once if it already
 * is to end.
 */
void leave_watch(struct leave *l, struct clock *clock, void (*stop)(void *opaque), void *opaque);

/* Becomes true when the program is to end, for long work of other threads. Read it by
 * __atomic_load_n(), without a lock. */
const bool *leave_wanted(const struct leave *l);

/* The machine has stopped and will be freed. `status` is the exit status if that takes too long. */
void leave_stopped(struct leave *l, int status);

/* Ends the program as Ctrl-A x does; callable from any thread. NULL is allowed: nothing happens. */
void leave_request(struct leave *l);

/* Ends the separate thread, at the end of the program. If a signal ended the program, the process
 * now ends by that signal, so that its parent sees it. NULL is allowed. */
void leave_free(struct leave *l);

#endif
