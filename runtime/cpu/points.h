/*
 * Breakpoints and watchpoints of the architecture, which a debugger inside of the guest programs.
 *
 * The description sets where one may hit. When the CPU gets there, breakpoint() or watchpoint() of
 * struct cpu_isa decides. Blocks begin at addresses with breakpoints, whose page offsets are a part
 * of the key: CPUs without breakpoints run other blocks, and keep them when one is set. Entries of
 * pages with watchpoints have no tags in the soft TLB.
 */
#ifndef RUNTIME_CPU_POINTS_H
#define RUNTIME_CPU_POINTS_H

#include "runtime/cpu/internal.h"

/* Removes all breakpoints and watchpoints. The caller flushes translations. */
void points_reset(struct cpu *cpu);

/* Whether a breakpoint has the page offset of va. Blocks are shared by virtual addresses, so
 * decoding depends on the offset only. */
bool points_stop_at(const struct cpu_stops *s, uint64_t va);

/* Whether the lists of offsets are equal. */
static inline bool points_stops_equal(const struct cpu_stops *a, const struct cpu_stops *b)
{
    return a->count == b->count && !memcmp(a->offset, b->offset, a->count * sizeof(*a->offset));
}

/* Calls the description's breakpoint() for the instruction at the PC: true when it took an
 * exception. */
bool points_break(struct cpu *cpu);

/* Whether the page has a watched address. */
bool points_watch_page(const struct cpu *cpu, uint64_t va);

/* Leaves the instruction with a fault when the description's watchpoint() returns one for the
 * access. */
void points_check_watch(struct cpu *cpu, const struct insn *i, uint64_t va, unsigned size,
                        enum cpu_access access, unsigned ring);

#endif
