/*
 * Stamps: a number for each soft TLB that stands for how code is mapped there. While it stays, an
 * address that had a valid jump cache entry has the same block, unless that has died; even if
 * another address has pushed the entry out. So translated code that has looked an address up once
 * can jump there again after one comparison (runtime/jit/quick/pin.c).
 *
 * No two CPUs of a code cache and no two tables have the same stamp, and a stamp that is forgotten
 * does not come back.
 */
#ifndef RUNTIME_CPU_STAMP_H
#define RUNTIME_CPU_STAMP_H

#include "runtime/cpu/large.h"

enum {
    STAMP_FIRST = 1 << 16, /* so that all stamps have as many bytes in an instruction */
    STAMP_LAST = INT32_MAX,
    STAMP_PAGE_BITS = 16,
};

struct code_stamps {
    uint32_t now[CPU_BANKS * CPU_RINGS];         /* by cpu_table(); 0: there is none now */
    bool local[CPU_BANKS * CPU_RINGS];           /* it was asked for pages that are not global */
    bool given;                                  /* `pages` is not empty */
    uint64_t pages[(1 << STAMP_PAGE_BITS) / 64]; /* pages that stamps were asked for, hashed */
};

/* Offset in struct cpu of its stamps, which lie behind the soft TLBs' entries of 2 MB. */
static inline size_t stamps_offset(const struct cpu_isa *isa)
{
    return large_offset(isa, CPU_BANKS * CPU_RINGS);
}

/* Bytes of a CPU. */
static inline size_t stamps_end(const struct cpu_isa *isa)
{
    return stamps_offset(isa) + sizeof(struct code_stamps);
}

static inline struct code_stamps *code_stamps(struct cpu *cpu)
{
    return (struct code_stamps *)((uint8_t *)cpu + stamps_offset(cpu->isa));
}

/* The stamp of the soft TLB by which code is fetched now, for an address with a valid jump cache
 * entry; 0: there are no more. */
uint32_t stamp_for(struct cpu *cpu, uint64_t pc);

#endif
