/* Whether the architecture's breakpoints and watchpoints apply to an address, and what the
 * description does about them. */
#include "runtime/cpu/points.h"

/* ---- breakpoints ----------------------------------------------------------------------------- */

bool points_stop_at(const struct cpu_stops *s, uint64_t va)
{
    for (unsigned n = 0; n < s->count; n++) {
        if (s->offset[n] == (va & CPU_PAGE_MASK))
            return true;
    }
    return false;
}

bool points_break(struct cpu *cpu)
{
    return cpu->isa->breakpoint && cpu->isa->breakpoint(cpu);
}

/* ---- watchpoints ----------------------------------------------------------------------------- */

/* Compares without the address bits that translations ignore (tags, copies of a bit). */
static bool range_touches(const struct cpu *cpu, const struct cpu_range *r, uint64_t first,
                          uint64_t last)
{
    uint64_t names = cpu->page_names | CPU_PAGE_MASK;

    return (r->first & names) <= (last & names) && (first & names) <= (r->last & names);
}

static bool any_watch_touches(const struct cpu *cpu, uint64_t first, uint64_t last)
{
    const struct cpu_points *p = &cpu->points;

    for (unsigned n = 0; n < CPU_WATCHPOINTS; n++) {
        if ((p->watches >> n & 1) && range_touches(cpu, &p->watch[n], first, last))
            return true;
    }
    return false;
}

bool points_watch_page(const struct cpu *cpu, uint64_t va)
{
    return any_watch_touches(cpu, va & ~CPU_PAGE_MASK, va | CPU_PAGE_MASK);
}

void points_check_watch(struct cpu *cpu, const struct insn *i, uint64_t va, unsigned size,
                        enum cpu_access access, unsigned ring)
{
    uint32_t code;

    if (!cpu->block || !cpu->isa->watchpoint || !any_watch_touches(cpu, va, va + (size - 1)))
        return;
    cpu_settle(cpu);
    code = cpu->isa->watchpoint(cpu, va, size, access, ring);
    if (code)
        cpu_memory_fault(cpu, i, va, access, code);
}
