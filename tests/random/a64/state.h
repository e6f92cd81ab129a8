/* A64: the state that is compared, and the address space. */
#ifndef TESTS_RANDOM_STATE_H
#define TESTS_RANDOM_STATE_H

#include <stdint.h>

/* Close enough to the guest program for a direct jump, and free in its address space. */
#define CODE UINT64_C(0x04000000)
/* Each a single bit, so that one ORR makes a base register of it. */
#define MIDDLE  UINT64_C(0x20000000)
#define NOWHERE UINT64_C(0x1000000000)

struct state {
    uint64_t v[32][2];
    uint64_t x[31], sp;
    uint64_t nzcv; /* bits 31:28 */
    uint64_t fpcr, fpsr;
    uint64_t unused;
};

/* Bytes of the instruction that begins with this unit of 16 bits. */
static inline unsigned instruction_bytes(uint16_t first)
{
    (void)first;
    return 4;
}

/* Instructions begin at multiples of this; whether the first unit of two is the high half. */
enum { HIGH_FIRST = 0, ALIGNMENT = 4 };

#endif
