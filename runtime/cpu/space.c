/*
 * Address spaces: which soft TLBs are current, and which of their entries are of another space.
 *
 * Some kernels change to page tables of their own at each exception, and back. So there are two
 * banks of soft TLBs, for the last two page tables, with one soft TLB per ring, and code is decoded
 * for a bank (cpu->key). In a bank, entries that are not global belong to the address space that
 * was current when their ring ran last; those of other spaces are idle (idle.h). So a program's
 * entries are still there when it continues, as with ASIDs.
 */
#include "runtime/base/alloc.h"
#include "runtime/cpu/idle.h"
#include "runtime/cpu/large.h"

/* Moves the entries of 2 MB out of the table. */
static void put_large_aside(struct cpu *cpu, unsigned table, struct idle_space *s)
{
    const struct large_table *l = large_table(cpu, table);

    for (unsigned w = 0; w < ARRAY_SIZE(l->filled); w++) {
        for (uint64_t bits = l->filled[w]; bits && s->large_count < IDLE_LARGE; bits &= bits - 1) {
            unsigned slot = w * 64 + (unsigned)__builtin_ctzll(bits);

            s->pages->large[s->large_count++] = (struct idle_large){slot, l->entry[slot]};
        }
    }
    large_drop_all(cpu, table);
}

/* Moves the private entries out of the soft TLB, which has none then. */
static void put_aside(struct cpu *cpu, unsigned table, unsigned place)
{
    struct idle_table *t = &cpu->idle[table];
    struct idle_space *s = &t->idle[place];

    if (t->slot_count > IDLE_ENTRIES) {
        tlb_flush_table(cpu, table, false);
        return;
    }
    if (!s->pages && t->slot_count)
        s->pages = xcalloc(1, sizeof(*s->pages));
    for (unsigned n = 0; n < t->slot_count; n++) {
        struct tlb_private *p = &s->pages->entry[s->count];

        if (!tlb_take(&cpu->tlbs[table], t->slot[n], p))
            continue;
        idle_hold(cpu, table, place, p->va);
        s->count++;
    }
    t->slot_count = 0;
    if (s->pages)
        put_large_aside(cpu, table, s);
    else
        large_drop_all(cpu, table);
    s->retags = cpu->retags;
}

/* Moves the entries of an idle space into the soft TLB. */
static void take_back(struct cpu *cpu, unsigned table, unsigned place)
{
    struct idle_table *t = &cpu->idle[table];
    struct idle_space *s = &t->idle[place];
    bool retag = s->retags != cpu->retags;

    for (unsigned n = 0; n < s->count; n++)
        tlb_put(cpu, table, &s->pages->entry[n], retag);
    for (unsigned n = 0; n < s->large_count && !retag; n++)
        large_put(cpu, table, s->pages->large[n].slot, &s->pages->large[n].entry);
    idle_empty(t, place);
}

/* Makes another space the current one of a soft TLB: puts the private entries, the jumps and the
 * stamp of the old one aside, and takes those of the new one back. */
static void change_space(struct cpu *cpu, unsigned table, uint64_t from, uint64_t to)
{
    struct idle_table *t = &cpu->idle[table];
    unsigned old = idle_place(t, from), new;

    t->idle[old].last = ++t->changes;
    put_aside(cpu, table, old);
    new = idle_place(t, to);
    t->idle[new].last = ++t->changes;
    take_back(cpu, table, new);
    if (!cpu->code)
        return;
    jump_change(cpu, table, &t->idle[old].number, t->idle[new].number);
    stamp_change(cpu, table, &t->idle[old].stamp, t->idle[new].stamp);
}

/* The current soft TLB of a ring, after putting entries of another space aside. */
static struct tlb *table_now(struct cpu *cpu, unsigned ring)
{
    unsigned n = cpu_table(cpu->bank, ring);
    struct tlb *t = &cpu->tlbs[n];

    tlb_use(t);
    if (t->space != cpu->space) {
        cpu->counters.tlb_spaces++;
        change_space(cpu, n, t->space, cpu->space);
        t->space = cpu->space;
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
    if (space != cpu->space)
        tlb_drop_stale(cpu);
    cpu->bank = bank;
    cpu->space = space;
    cpu_select_tables(cpu);
}
