/*
 * Shared by the programs for published models: random numbers, and a checksum of everything that is
 * mixed in.
 */
#ifndef TESTS_PUBLISHED_PROGRAM_H
#define TESTS_PUBLISHED_PROGRAM_H

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

/* The program. Returns a number that depends on everything that it computed. */
u32 compute(void);

static inline u32 mix_checksum(u32 sum, u32 value)
{
    return (sum ^ value) * 0x01000193u;
}

/* Returns the next number of a fixed sequence; `seed` is its state. */
static inline u32 draw_u32(u32 *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed;
}

#endif
