/*
 * Soft TLB entries of 2 MB each, beside those of 4 KB: translated code whose data lie in large
 * pages looks here first (runtime/jit). The tables are small enough for the host's nearest cache,
 * and one entry serves what 512 entries of a soft TLB do.
 *
 * An entry serves an access only if every soft TLB entry of its 2 MB would. It is filled with the
 * soft TLB, and forgotten whenever an entry of the same 2 MB might be. So what a guest sees does
 * not depend on which of both serves an access.
 */
#ifndef RUNTIME_CPU_LARGE_H
#define RUNTIME_CPU_LARGE_H

#include "runtime/base/bits.h"
#include "runtime/cpu/layout.h"

enum {
    LARGE_ENTRIES = 256,
    LARGE_BYTES = 1 << TLB_LARGE_BITS, /* what an entry serves */
};
#define LARGE_MASK ((uint64_t)LARGE_BYTES - 1)

/* The entries that belong to one soft TLB. A tag is the virtual address of the 2 MB; an entry that
 * does not serve the access holds a tag that cannot match there. info: the physical address. */
struct large_table {
    struct tlb_entry entry[LARGE_ENTRIES]; /* by bits 28:21 of the address */
    uint64_t filled[LARGE_ENTRIES / 64];   /* bit e: a tag of entry e may match */
};

/* Offset in struct cpu of the entries that belong to a soft TLB (cpu_table()). They lie behind the
 * registers. */
static inline size_t large_offset(const struct cpu_isa *isa, unsigned table)
{
    return align_up(sizeof(struct cpu) + isa->state_bytes, _Alignof(struct cpu)) +
           table * sizeof(struct large_table);
}

static inline struct large_table *large_table(struct cpu *cpu, unsigned table)
{
    return (struct large_table *)((uint8_t *)cpu + large_offset(cpu->isa, table));
}

static inline unsigned large_slot(uint64_t va)
{
    return (unsigned)(va >> TLB_LARGE_BITS) & (LARGE_ENTRIES - 1);
}

/* Whether the entry of an interface's table serves reads, or writes, of the 2 MB around an
 * address. */
static inline bool large_serves(struct cpu *cpu, unsigned iface, uint64_t va, bool writes)
{
    const struct large_table *t = large_table(cpu, (unsigned)(cpu->iface[iface] - cpu->tlbs));
    const struct tlb_entry *e = &t->entry[large_slot(va)];

    return (writes ? e->write_tag : e->read_tag) == (va & ~LARGE_MASK);
}

#endif
