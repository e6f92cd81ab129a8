/*
 * Address spaces: which soft TLBs are current, and which of their entries are of another space.
 *
 * Some kernels change to page tables of their own at each exception, and back. So there are two
 * banks of soft TLBs, for the last two page tables, with one soft TLB per ring, and code is decoded
 * for a bank (cpu->key). In a bank, entries that are not global belong to the address space that
 * was current when their ring ran last. A program's entries are still there when it continues, as
 * with ASIDs.
 */
#include "runtime/cpu/internal.h"

/* The current soft TLB of a ring, after flushing entries of another space. */
static struct tlb *table_now(struct cpu *cpu, unsigned ring)
{
    unsigned n = cpu_table(cpu->bank, ring);
    struct tlb *t = &cpu->tlbs[n];

    tlb_use(t);
    if (t->space != cpu->space) {
        t->space = cpu->space;
        cpu->counters.tlb_spaces++;
        tlb_flush_table(cpu, n, false);
        if (cpu->code)
            jump_flush_table(cpu, n);
    }
    return t;
}

void cpu_select_tables(struct cpu *cpu)
{
    const uint8_t *fixed = cpu->isa->iface_ring;
    struct tlb *own = table_now(cpu, cpu->ring);

    for (unsigned n = 0; n < CPU_MAX_IFACES; n++) {
        bool other = fixed && n < cpu->isa->iface_count && fixed[n] < CPU_RINGS;

        cpu->iface[n] = other ? table_now(cpu, fixed[n]) : own;
    }
}

void cpu_forget_spaces(struct cpu *cpu)
{
    for (unsigned n = 0; n < CPU_BANKS; n++)
        cpu->banks[n].known = false;
    cpu->bank = 0;
}

/* The bank of these page tables, or else the bank to reuse for them: not the current bank if it is
 * in use, since its code runs most often. */
static unsigned bank_for(const struct cpu *cpu, uint64_t tables)
{
    for (unsigned n = 0; n < CPU_BANKS; n++) {
        if (cpu->banks[n].known && cpu->banks[n].tables == tables)
            return n;
    }
    return cpu->banks[cpu->bank].known ? (cpu->bank + 1) % CPU_BANKS : cpu->bank;
}

/* Empties a bank and gives it to these page tables. */
static void reuse_bank(struct cpu *cpu, unsigned bank, uint64_t tables)
{
    cpu->banks[bank].known = true;
    cpu->banks[bank].tables = tables;
    cpu->counters.tlb_spaces++;
    for (unsigned ring = 0; ring < CPU_RINGS; ring++)
        tlb_flush_table(cpu, cpu_table(bank, ring), true);
    jump_flush(cpu);
}

void cpu_set_address_space(struct cpu *cpu, uint64_t tables, uint64_t space)
{
    unsigned bank = bank_for(cpu, tables);

    if (!cpu->banks[bank].known || cpu->banks[bank].tables != tables)
        reuse_bank(cpu, bank, tables);
    if (bank != cpu->bank)
        cpu->attention |= CPU_ATT_KEY;
    cpu->bank = bank;
    cpu->space = space;
    cpu_select_tables(cpu);
}
