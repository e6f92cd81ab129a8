/* Idle address spaces: where they are kept, and forgetting what they have. */
#include "runtime/cpu/idle.h"
#include "runtime/base/alloc.h"
#include "runtime/cpu/large.h"

_Static_assert(IDLE_SPACES <= 16, "idle_table.holders has 16 bits");

static unsigned hash_of(const struct cpu *cpu, uint64_t va)
{
    uint64_t page = (va & cpu->page_names) >> CPU_PAGE_BITS;

    return (unsigned)((page * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - IDLE_HASH_BITS));
}

void idle_init(struct cpu *cpu)
{
    cpu->idle = xcalloc(ARRAY_SIZE(cpu->tlbs), sizeof(*cpu->idle));
}

void idle_free(struct cpu *cpu)
{
    for (unsigned n = 0; cpu->idle && n < ARRAY_SIZE(cpu->tlbs); n++) {
        for (unsigned k = 0; k < IDLE_SPACES; k++)
            free(cpu->idle[n].idle[k].pages);
    }
    free(cpu->idle);
}

/* ---- forgetting ------------------------------------------------------------------------------ */

/* Drops the entries of the spaces whose bits are set. */
static void empty_spaces(struct idle_table *t, unsigned spaces)
{
    for (unsigned h = 0; h < ARRAY_SIZE(t->holders); h++)
        t->holders[h] &= (uint16_t)~spaces;
    for (unsigned n = 0; n < IDLE_SPACES; n++) {
        if (spaces >> n & 1)
            t->idle[n].count = t->idle[n].large_count = 0;
    }
}

void idle_forget(struct cpu *cpu, unsigned table)
{
    struct idle_table *t = &cpu->idle[table];
    unsigned any = 0;

    for (unsigned n = 0; n < IDLE_SPACES; n++)
        any |= (unsigned)(t->idle[n].count || t->idle[n].large_count) << n;
    if (any)
        empty_spaces(t, any);
}

void idle_forget_jumps(struct cpu *cpu)
{
    for (unsigned n = 0; n < ARRAY_SIZE(cpu->tlbs); n++) {
        for (unsigned k = 0; k < IDLE_SPACES; k++)
            cpu->idle[n].idle[k].number = 0;
    }
}

void idle_forget_stamps(struct cpu *cpu)
{
    for (unsigned n = 0; n < ARRAY_SIZE(cpu->tlbs); n++) {
        for (unsigned k = 0; k < IDLE_SPACES; k++)
            cpu->idle[n].idle[k].stamp = 0;
    }
}

/* Drops one space's entries of the page of an address. */
static void flush_space(const struct cpu *cpu, struct idle_space *s, uint64_t va, bool huge)
{
    unsigned kept = 0;

    for (unsigned n = 0; n < s->count; n++) {
        const struct tlb_private *p = &s->pages->entry[n];
        unsigned shift = tlb_page_shift(p->entry.info);

        shift = shift > CPU_PAGE_BITS ? shift : CPU_PAGE_BITS;
        if (shift < 64 && ((p->va ^ va) & cpu->page_names) >> shift)
            s->pages->entry[kept++] = *p;
    }
    s->count = kept;
    kept = 0;
    for (unsigned n = 0; n < s->large_count && !huge; n++) {
        if (s->pages->large[n].slot != large_slot(va))
            s->pages->large[kept++] = s->pages->large[n];
    }
    s->large_count = kept;
}

void idle_flush_page(struct cpu *cpu, unsigned table, uint64_t va, bool near, bool huge)
{
    struct idle_table *t = &cpu->idle[table];
    unsigned spaces = near ? (1u << IDLE_SPACES) - 1 : t->holders[hash_of(cpu, va)];

    for (; spaces; spaces &= spaces - 1)
        flush_space(cpu, &t->idle[__builtin_ctz(spaces)], va, huge);
}

/* ---- places ---------------------------------------------------------------------------------- */

unsigned idle_place(struct idle_table *t, uint64_t space)
{
    unsigned oldest = 0;

    for (unsigned n = 0; n < IDLE_SPACES; n++) {
        if (t->space[n] == space && t->idle[n].last)
            return n;
        if (t->idle[n].last < t->idle[oldest].last)
            oldest = n;
    }
    empty_spaces(t, 1u << oldest);
    t->idle[oldest].number = 0;
    t->idle[oldest].stamp = 0;
    t->space[oldest] = space;
    return oldest;
}

void idle_hold(struct cpu *cpu, unsigned table, unsigned place, uint64_t va)
{
    cpu->idle[table].holders[hash_of(cpu, va)] |= (uint16_t)(1u << place);
}

void idle_empty(struct idle_table *t, unsigned place)
{
    if (t->idle[place].count || t->idle[place].large_count)
        empty_spaces(t, 1u << place);
}
