/* Memory that host code is being written to. */
#ifndef RUNTIME_JIT_QUICK_BUFFER_H
#define RUNTIME_JIT_QUICK_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Of a fixed size. What no longer fits is not written and sets `full`; the caller looks once, at the
 * end. All addresses are those at which the code runs; who writes or patches it does so `write` bytes
 * further on (arena.c).
 */
struct q_buffer {
    uint8_t *start, *at, *end;
    ptrdiff_t write;
    bool full;
};

#endif
