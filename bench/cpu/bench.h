/* Helpers that the benchmark programs share: the amount of work, and a checksum to print. */
#ifndef BENCH_CPU_BENCH_H
#define BENCH_CPU_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* argv[1]: how many times the work is done; the tests do it once. */
static inline unsigned bench_rounds(int argc, char **argv)
{
    return argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 1;
}

static inline uint32_t bench_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static inline uint64_t bench_mix(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * UINT64_C(0x100000001b3);
}

/* FNV-1a of bytes. */
static inline uint64_t bench_hash(uint64_t sum, const void *data, size_t len)
{
    const uint8_t *p = data;

    for (size_t n = 0; n < len; n++)
        sum = bench_mix(sum, p[n]);
    return sum;
}

#define BENCH_SEED UINT64_C(0xcbf29ce484222325)

#endif
