/* A buffer of fixed size that host code is written to. */
#ifndef RUNTIME_JIT_QUICK_BUFFER_H
#define RUNTIME_JIT_QUICK_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/vec.h"

/* Constants of 16 bytes that stand behind a trace's code, and the instructions that read them. */
struct q_pool {
    VEC(struct q_pooled { uint64_t w[2]; }) constants;
    VEC(struct q_pool_use {
        uint8_t *distance; /* 32 bits from `end`, where the instruction ends, to the constant */
        uint8_t *end;
        uint32_t constant; /* its number */
    })
    uses;
};

/*
 * Code that does not fit is not written and sets `full`, which the caller checks once at the end.
 * All addresses are those at which the code runs; writes and patches go `write` bytes further on
 * (arena.c).
 */
struct q_buffer {
    uint8_t *start, *at, *end;
    ptrdiff_t write;
    bool full;
    unsigned features;   /* of the host, that the code may use: q_target.find_features() */
    struct q_pool *pool; /* NULL: code has its constants in instructions */
};

#endif
