/*
 * Breakpoints and watchpoints of the architecture: what a guest's own debugger programs.
 *
 * The description says where one may hit, and decides when the CPU comes there: breakpoint() and
 * watchpoint() of struct cpu_isa. Blocks end before an address with a breakpoint and begin there, by a
 * part of the code's identity; so CPUs without breakpoints run other blocks, and setting one decodes
 * nothing anew for them. Pages with a watchpoint are kept out of the inline TLB.
 */
#ifndef RUNTIME_CPU_POINTS_H
#define RUNTIME_CPU_POINTS_H

#include "runtime/cpu/internal.h"

/* The CPU has no points any more. The caller flushes translations. */
void points_reset(struct cpu *cpu);

/* Whether a breakpoint has this offset in its page: decoding does not know the virtual address. */
bool points_stop_at(const struct cpu_stops *s, uint64_t va);

static inline bool points_stops_equal(const struct cpu_stops *a, const struct cpu_stops *b)
{
    return a->count == b->count && !memcmp(a->offset, b->offset, a->count * sizeof(*a->offset));
}

/* Asks the description at an instruction that may have a breakpoint: true when it took an exception. */
bool points_break(struct cpu *cpu);

/* Whether a watchpoint touches the page. */
bool points_watch_page(const struct cpu *cpu, uint64_t va);

/* Leaves the instruction when the description says that the access hits a watchpoint. */
void points_check_watch(struct cpu *cpu, const struct insn *i, uint64_t va, unsigned size,
                        enum cpu_access access, unsigned ring);

#endif
