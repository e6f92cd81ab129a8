/* A32 and T32: the compared state, and the address space. */
#ifndef TESTS_RANDOM_STATE_H
#define TESTS_RANDOM_STATE_H

#include <stdint.h>

/* Near the end of a page, so that sequences cross it. */
#define CODE    UINT64_C(0x04000f00)
#define MIDDLE  UINT64_C(0x20000000)
#define NOWHERE UINT64_C(0x30000000)

/* FPSCR: AHP, DN, FZ and RMode (the short vectors of VFPv2 are off); the cumulative bits. */
#define FPSCR_CONTROL    0x07c00000u
#define FPSCR_CUMULATIVE 0x0800009fu

struct state {
    uint64_t d[32];
    uint32_t r[15];
    uint32_t cpsr; /* N, Z, C, V, Q and GE */
    uint32_t fpscr;
    uint32_t unused[3];
};

#ifdef RANDOM_T32
/* Returns the number of bytes of an instruction by its first unit of 16 bits. */
static inline unsigned instruction_bytes(uint16_t first)
{
    return first >> 11 >= 29 ? 4 : 2;
}

/* The alignment of instructions, and whether the first unit of two is the high half. */
enum { HIGH_FIRST = 1, ALIGNMENT = 2 };
#else
static inline unsigned instruction_bytes(uint16_t first)
{
    (void)first;
    return 4;
}

enum { HIGH_FIRST = 0, ALIGNMENT = 4 };
#endif

#endif
