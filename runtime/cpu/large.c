/* Soft TLB entries of 2 MB: filling them, and forgetting them with what they were made of. */
#include "runtime/cpu/large.h"
#include "runtime/cpu/points.h"

enum { PAGES = LARGE_BYTES / CPU_PAGE_SIZE };

/* A tag that no access matches: addresses that are looked for in this slot have other indices. */
static uint64_t no_tag(unsigned slot)
{
    return (uint64_t)(slot ^ 1) << TLB_LARGE_BITS;
}

static void drop_slot(struct large_table *t, unsigned slot)
{
    t->entry[slot].read_tag = t->entry[slot].write_tag = no_tag(slot);
    t->filled[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

void large_init(struct cpu *cpu)
{
    /* In a zeroed table only the tag of entry 0 could match. */
    for (unsigned n = 0; n < ARRAY_SIZE(cpu->tlbs); n++)
        drop_slot(large_table(cpu, n), 0);
}

void large_put(struct cpu *cpu, unsigned table, unsigned slot, const struct tlb_entry *entry)
{
    struct large_table *t = large_table(cpu, table);

    t->entry[slot] = *entry;
    t->filled[slot / 64] |= UINT64_C(1) << slot % 64;
}

void large_drop(struct cpu *cpu, unsigned table, uint64_t va)
{
    drop_slot(large_table(cpu, table), large_slot(va));
}

void large_drop_all(struct cpu *cpu, unsigned table)
{
    struct large_table *t = large_table(cpu, table);

    for (unsigned w = 0; w < ARRAY_SIZE(t->filled); w++) {
        while (t->filled[w])
            drop_slot(t, w * 64 + (unsigned)__builtin_ctzll(t->filled[w]));
    }
}

void large_protect(struct cpu *cpu, unsigned table, uint64_t pa)
{
    struct large_table *t = large_table(cpu, table);

    for (unsigned w = 0; w < ARRAY_SIZE(t->filled); w++) {
        for (uint64_t bits = t->filled[w]; bits; bits &= bits - 1) {
            unsigned slot = w * 64 + (unsigned)__builtin_ctzll(bits);

            if (t->entry[slot].info == (pa & ~LARGE_MASK))
                t->entry[slot].write_tag = no_tag(slot);
        }
    }
}

/* Lets inline code write to all pages of the 2 MB at `flags`; false: one of them has code. */
static bool serve_writes(uint8_t *flags)
{
    for (unsigned n = 0; n < PAGES; n++) {
        if (flags[n] & BUS_PAGE_CODE)
            return false;
    }
    for (unsigned n = 0; n < PAGES; n++)
        flags[n] |= BUS_PAGE_SERVED;
    return true;
}

/* The RAM that holds all of the 2 MB at pa; NULL: there is none. */
static const struct bus_region *ram_at(struct bus *bus, uint64_t pa)
{
    const struct bus_region *r = bus_find(bus, pa);

    return r && r->kind == BUS_RAM && r->size - (pa - r->base) >= LARGE_BYTES ? r : NULL;
}

void large_fill(struct cpu *cpu, unsigned table, uint64_t va, uint64_t info, enum cpu_access access)
{
    struct large_table *t = large_table(cpu, table);
    unsigned slot = large_slot(va);
    struct tlb_entry *e = &t->entry[slot];
    uint64_t from = va & ~LARGE_MASK, pa = info & ~LARGE_MASK;
    const struct bus_region *r;

    if (access == CPU_FETCH || (access == CPU_READ ? e->read_tag : e->write_tag) == from)
        return;
    drop_slot(t, slot);
    if ((info & TRANSLATE_DEVICE) || ((info ^ va) & LARGE_MASK & ~CPU_PAGE_MASK) || cpu->delays ||
        cpu->debug || cpu->points.watches)
        return;
    r = ram_at(cpu->bus, pa);
    if (!r)
        return;
    e->addend = (uintptr_t)(r->host + (pa - r->base)) - (uintptr_t)from;
    e->info = pa;
    if (info & TRANSLATE_READ)
        e->read_tag = from;
    if (e->read_tag == from && (info & TRANSLATE_WRITE) &&
        serve_writes(r->page_flags + ((pa - r->base) >> BUS_PAGE_BITS)))
        e->write_tag = from;
    t->filled[slot / 64] |= UINT64_C(1) << slot % 64;
}
