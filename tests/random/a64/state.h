/* A64: the compared state, and the address space. */
#ifndef TESTS_RANDOM_STATE_H
#define TESTS_RANDOM_STATE_H

#include <stdint.h>

/* Near enough to the guest program for a direct jump, and unused in its address space. */
#define CODE UINT64_C(0x04000000)
/* Addresses with a single bit set, so that one ORR puts one in a base register. */
#define MIDDLE  UINT64_C(0x20000000)
#define NOWHERE UINT64_C(0x1000000000)

struct state {
    uint64_t v[32][2];
    uint64_t x[31], sp;
    uint64_t nzcv; /* bits 31:28 */
    uint64_t fpcr, fpsr;
    uint64_t unused;
};

/* Returns the number of bytes of an instruction, always 4. */
static inline unsigned instruction_bytes(uint16_t first)
{
    (void)first;
    return 4;
}

/* The alignment of instructions, and whether the first unit of two is the high half. */
enum { HIGH_FIRST = 0, ALIGNMENT = 4 };

#endif
