/* RV64GC: the compared state, and the address space. */
#ifndef TESTS_RANDOM_STATE_H
#define TESTS_RANDOM_STATE_H

#include <stdint.h>

/* Near the end of a page, so that sequences cross it. */
#define CODE    UINT64_C(0x04000f00)
#define MIDDLE  UINT64_C(0x20000000)
#define NOWHERE UINT64_C(0x30000000)

struct state {
    uint64_t x[32]; /* x[0] is 0 */
    uint64_t f[32];
    uint64_t fcsr;
    uint64_t unused;
};

/* Returns the number of bytes of an instruction by its first unit of 16 bits. */
static inline unsigned instruction_bytes(uint16_t first)
{
    return (first & 3) == 3 ? 4 : 2;
}

/* The alignment of instructions, and whether the first unit of two is the high half. */
enum { HIGH_FIRST = 0, ALIGNMENT = 2 };

#endif
