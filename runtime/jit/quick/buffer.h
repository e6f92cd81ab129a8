/* A buffer of fixed size that host code is written to. */
#ifndef RUNTIME_JIT_QUICK_BUFFER_H
#define RUNTIME_JIT_QUICK_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Code that does not fit is not written and sets `full`, which the caller checks once at the end.
 * All addresses are those at which the code runs; writes and patches go `write` bytes further on
 * (arena.c).
 */
struct q_buffer {
    uint8_t *start, *at, *end;
    ptrdiff_t write;
    bool full;
    unsigned features; /* of the host, that the code may use: q_target.find_features() */
};

#endif
