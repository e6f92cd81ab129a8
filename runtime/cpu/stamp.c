/* Stamps: giving them, and forgetting them when code may be mapped otherwise. */
#include "runtime/cpu/stamp.h"
#include "runtime/cpu/idle.h"

static unsigned page_of(const struct cpu *cpu, uint64_t va)
{
    uint64_t page = (va & cpu->page_names) >> CPU_PAGE_BITS;

    return (unsigned)((page * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - STAMP_PAGE_BITS));
}

uint32_t stamp_for(struct cpu *cpu, uint64_t pc)
{
    unsigned table = cpu_table(cpu->bank, cpu->ring), n = jump_index(pc), page = page_of(cpu, pc);
    struct code_stamps *s = code_stamps(cpu);

    if (!s->now[table]) {
        if (cpu->code->stamps == STAMP_LAST - STAMP_FIRST)
            return 0;
        s->now[table] = STAMP_FIRST + cpu->code->stamps++;
    }
    if (cpu->jump_pages.not_global[n / 64] >> n % 64 & 1)
        s->local[table] = true;
    s->given = true;
    s->pages[page / 64] |= UINT64_C(1) << page % 64;
    return s->now[table];
}

void stamp_change(struct cpu *cpu, unsigned table, uint32_t *old, uint32_t new)
{
    struct code_stamps *s = code_stamps(cpu);

    if (!s->local[table])
        return;
    *old = s->now[table];
    s->now[table] = new;
    s->local[table] = new != 0;
}

void stamp_forget_local(struct cpu *cpu)
{
    struct code_stamps *s = code_stamps(cpu);

    for (unsigned n = 0; n < CPU_BANKS * CPU_RINGS; n++) {
        s->now[n] = s->local[n] ? 0 : s->now[n];
        s->local[n] = false;
    }
    idle_forget_stamps(cpu);
}

void stamp_forget_all(struct cpu *cpu)
{
    struct code_stamps *s = code_stamps(cpu);

    if (!s->given)
        return;
    *s = (struct code_stamps){0};
    idle_forget_stamps(cpu);
}

void stamp_forget_page(struct cpu *cpu, uint64_t va)
{
    unsigned page = page_of(cpu, va);

    if (code_stamps(cpu)->pages[page / 64] >> page % 64 & 1)
        stamp_forget_all(cpu);
}
