/*
 * Detects an instruction that does not end. Instructions are counted, and requests handled, between
 * blocks, so only a second thread can notice a behaviour that loops for ever.
 */
#ifndef RUNTIME_CPU_WATCH_H
#define RUNTIME_CPU_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_watch;

enum { CPU_WATCH_SECONDS = 10 }; /* processor time of one turn's instructions before stuck() */

/*
 * Watches the calling thread until cpu_watch_end(). stuck(), which must end the process, is called
 * when the thread has spent CPU_WATCH_SECONDS of processor time on the instructions of one turn.
 * executes() returns whether the thread is executing instructions rather than other work of any
 * length, such as a GPU's job; NULL: it always is. Both are called in the watching thread. Returns
 * NULL, without a watch, where the host gives no thread or no processor time of a thread.
 */
struct cpu_watch *cpu_watch_start(bool (*executes)(void *opaque), void (*stuck)(void *opaque),
                                  void *opaque);

/* A turn is over. NULL is allowed. */
void cpu_watch_turn(struct cpu_watch *w);

/* Ends and frees the watch. NULL is allowed. */
void cpu_watch_end(struct cpu_watch *w);

#endif
