/*
 * Whether the instructions that a thread executes end. Instructions are counted, and requests heard,
 * between blocks: a behaviour that loops for ever is seen by nobody but a second thread.
 */
#ifndef RUNTIME_CPU_WATCH_H
#define RUNTIME_CPU_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_watch;

enum { CPU_WATCH_SECONDS = 10 }; /* of work on instructions in one turn, until stuck() is called */

/*
 * Watches the calling thread, until cpu_watch_end(). When it has worked so long in one turn on
 * instructions, which executes() tells from what else the thread does (a GPU's job takes as long as it
 * takes; NULL: it does nothing else), stuck() is called, which ends the process. Both are called in the watching thread. NULL where a
 * thread, or the time of this one, is not to be had: then nobody watches.
 */
struct cpu_watch *cpu_watch_start(bool (*executes)(void *opaque), void (*stuck)(void *opaque),
                                  void *opaque);

/* A turn is over. `w` NULL is allowed, as below. */
void cpu_watch_turn(struct cpu_watch *w);

void cpu_watch_end(struct cpu_watch *w);

#endif
