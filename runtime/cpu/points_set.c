/* Setting the architecture's breakpoints and watchpoints, as the description does. */
#include "runtime/cpu/points.h"

#include <inttypes.h>

/* Adds an offset to the sorted list, unless it is there. */
static void add_stop(struct cpu_stops *s, uint16_t offset)
{
    unsigned at = s->count;

    if (points_stop_at(s, offset))
        return;
    for (; at && s->offset[at - 1] > offset; at--)
        s->offset[at] = s->offset[at - 1];
    s->offset[at] = offset;
    s->count++;
}

void cpu_set_breakpoint(struct cpu *cpu, uint32_t number, uint64_t va, uint32_t on)
{
    struct cpu_points *p = &cpu->points;
    struct cpu_stops stops = {0};

    if (number >= CPU_BREAKPOINTS) {
        log_printf(cpu->log, LOG_UNIMP, "cpu%u: there is no breakpoint %" PRIu32 "\n", cpu->number,
                   number);
        return;
    }
    p->break_at[number] = (uint16_t)(va & CPU_PAGE_MASK);
    p->breaks = on ? p->breaks | UINT32_C(1) << number : p->breaks & ~(UINT32_C(1) << number);
    for (unsigned n = 0; n < CPU_BREAKPOINTS; n++) {
        if (p->breaks >> n & 1)
            add_stop(&stops, p->break_at[n]);
    }
    if (points_stops_equal(&stops, &p->stops))
        return;
    p->stops = stops;
    cpu->attention |= CPU_ATT_KEY;
}

/* Updates the soft TLB's tags of the pages of a range. */
static void retag_range(struct cpu *cpu, const struct cpu_range *r)
{
    uint64_t pages = (r->last >> CPU_PAGE_BITS) - (r->first >> CPU_PAGE_BITS);

    if (pages > 1) {
        tlb_retag_all(cpu);
        return;
    }
    tlb_retag_page(cpu, r->first);
    tlb_retag_page(cpu, r->last);
}

void cpu_set_watchpoint(struct cpu *cpu, uint32_t number, uint64_t first, uint64_t last,
                        uint32_t on)
{
    struct cpu_points *p = &cpu->points;
    struct cpu_range now = {first, last}, old;
    uint32_t bit = UINT32_C(1) << (number & 31);
    bool was;

    if (number >= CPU_WATCHPOINTS) {
        log_printf(cpu->log, LOG_UNIMP, "cpu%u: there is no watchpoint %" PRIu32 "\n", cpu->number,
                   number);
        return;
    }
    old = p->watch[number];
    was = p->watches & bit;
    if (was == (on != 0) && (!on || (old.first == first && old.last == last)))
        return;
    p->watch[number] = now;
    p->watches = on ? p->watches | bit : p->watches & ~bit;
    if (was)
        retag_range(cpu, &old);
    if (on)
        retag_range(cpu, &now);
}

void points_reset(struct cpu *cpu)
{
    cpu->points = (struct cpu_points){0};
}
