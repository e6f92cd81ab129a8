/*
 * Numbers of 128 bits: instruction words, masks of their bits, values of the IR.
 */
#ifndef COMMON_WIDE_H
#define COMMON_WIDE_H

#include <stdint.h>

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

/* Returns a mask of the low `n` bits; from 128 on, of all. */
static inline u128 low_bits(unsigned n)
{
    return n >= 128 ? ~(u128)0 : ((u128)1 << n) - 1;
}

/* Returns the lowest 1 bit of `x`; 0 if there is none. */
static inline u128 lowest_bit(u128 x)
{
    return x & -x;
}

/* Returns the number of 1 bits. */
static inline unsigned count_bits(u128 x)
{
    return (unsigned)(__builtin_popcountll((uint64_t)x) +
                      __builtin_popcountll((uint64_t)(x >> 64)));
}

#endif
