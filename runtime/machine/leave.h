/*
 * The way out that nobody can bar: Ctrl-A x, SIGINT, SIGTERM and SIGHUP end the program within a
 * second, whatever the machine's thread is doing.
 *
 * A thread of its own waits for them and has the machine's thread stop, between two turns: statistics
 * are written, and everything is released. If the process is still there half a second later, because
 * a device waits for the host, say, the thread itself puts the terminal back, writes out what is
 * buffered, and ends the process: by the signal, or, after Ctrl-A x, with status 1.
 */
#ifndef RUNTIME_MACHINE_LEAVE_H
#define RUNTIME_MACHINE_LEAVE_H

#include "runtime/base/error.h"
#include "runtime/time/clock.h"

struct leave;

/*
 * Takes the signals over, for this thread and those that it makes; a signal that the process was
 * started to ignore stays ignored. `program` is borrowed, for messages. One a process.
 */
struct leave *leave_new(const char *program, struct error *err);

/*
 * From now on `stop(opaque)` is posted to the clock, once, when somebody wants to leave; or at once,
 * when somebody has wanted to.
 */
void leave_watch(struct leave *l, struct clock *clock, void (*stop)(void *opaque), void *opaque);

/* Becomes true when somebody wants to leave, for work of other threads that takes long: to be read by
 * __atomic_load_n(), without a lock. */
const bool *leave_wanted(const struct leave *l);

/* The machine has stopped and goes away. Should that take too long, `status` is the process's. */
void leave_stopped(struct leave *l, int status);

/* Somebody wants to leave (Ctrl-A x); from any thread. `l` NULL is allowed: nothing happens. */
void leave_request(struct leave *l);

/* Ends the watch, at the end of the program. When a signal was the reason to leave, it ends the
 * process now, as whoever sent it expects. NULL is allowed. */
void leave_free(struct leave *l);

#endif
