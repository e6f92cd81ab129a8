/*
 * Pins: exits into other pages of memory that is not flat. Another page may be mapped there the
 * next time, so the bridge begins with a comparison: it holds while the CPU's stamp
 * (runtime/cpu/stamp.h) is the one with which C found the other trace, for a trace that runs at the
 * same address. If it fails, the soft TLB tells whether the other trace's page is mapped there, as
 * it is in the next process that runs the same program.
 *
 *     exit's jump ──▶ bridge: same stamp, same address? ──▶ stores, moves, loads ──▶ inner entry
 *                       └──▶ same page, by the soft TLB? ──────┘
 *                              └──▶ the exit's own code: stores all ──▶ the jump cache
 *                                     └──▶ now and then C looks the address up, and writes the
 *                                          stamp of now into the bridge
 *
 * A node Q_PAGE within a trace has such comparisons, too. If they fail, cold code asks the jump
 * cache, and goes on in the trace.
 *
 * Where stamps change often, as by a kernel that goes from program to program, calling C would take
 * longer than the soft TLB and the jump cache do. Which times C is called follows from the CPU's
 * ticks: most exits run so seldom that the host would wait for a counter of their own.
 */
#include "runtime/jit/quick/target.h"

/* Writes the pin into code that is there. False: the host refuses. */
static bool renew(struct arena *a, struct chunk *chunk, const struct q_pin *p)
{
    if (!arena_own(a, chunk, false))
        return false;
    q_target.set_stamp(p, a->write);
    __builtin___clear_cache((char *)p->stamp_at, (char *)p->pc_at + sizeof(p->pc));
    return true;
}

/* Pins an exit that leads to no trace. */
static bool pin_new(struct q_exit *e, struct region *to)
{
    if (!quick_bridge(e, to)) {
        e->pin = NULL;
        return false;
    }
    quick_link(e, to);
    if (!e->of) /* its own code need not ask C each time */
        quick_patch_exit(e, e->pin->waits, false);
    return true;
}

/* Whether the exit leads to the trace by a bridge, after giving that the stamp. */
static bool pin_again(struct q_exit *e, uint64_t pc, uint32_t stamp)
{
    struct q_pin *p = e->pin;
    bool same = p->stamp == stamp && p->pc == pc;

    p->stamp = stamp;
    p->pc = pc;
    return e->bridge && (same || renew(&e->from->jit->arena, e->bridge, p));
}

bool quick_pin(struct cpu *cpu, struct q_exit *e, struct region *to)
{
    uint64_t pc = cpu->region_pc - (uint64_t)e->delta;
    uint32_t stamp;

    if (!q_target.check_stamp || cpu->bank != e->from->bank || cpu->ring != e->from->ring)
        return false;
    stamp = stamp_for(cpu, cpu->region_pc);
    if (e->linked_trace && e->pin && stamp && e->linked_trace == to && pin_again(e, pc, stamp))
        return true;
    if (e->linked_trace && e->pin) /* the address has another block now */
        quick_unlink(e);
    if (!stamp || e->linked_trace)
        return false;
    if (!e->pin)
        e->pin = q_take(e->from->quick, sizeof(*e->pin));
    e->pin->pc = pc;
    e->pin->stamp = stamp;
    return pin_new(e, to);
}

void quick_renew_page(struct cpu *cpu, const struct q_site *s)
{
    struct q_pin *p = (struct q_pin *)(uintptr_t)s->object;
    const struct region *r = s->region;
    const struct source *to = &r->sources[s->source + 1];
    uint64_t pc = cpu->region_pc + (uint64_t)to->delta;
    const struct jump_entry *j = &cpu->jumps[jump_index(pc)];
    uint32_t stamp;

    if (j->pc != pc || j->key != cpu->key || j->block != to->block || cpu->bank != r->bank ||
        cpu->ring != r->ring)
        return;
    stamp = stamp_for(cpu, pc);
    if (!stamp)
        return;
    p->stamp = stamp;
    p->pc = cpu->region_pc;
    renew(&r->jit->arena, r->chunk, p);
}

void quick_connect(struct cpu *cpu, struct q_exit *e, struct region *to)
{
    if (!e->same_page && !cpu->flat) { /* the page of `to` may be mapped elsewhere later */
        if (!quick_pin(cpu, e, to))
            quick_patch_exit(e, to->jit->quick->thunks.lookup, false);
        return;
    }
    if (e->linked_trace)
        return;
    if (!quick_patch_exit(e, to->quick->head, false))
        return;
    quick_link(e, to);
    quick_bridge(e, to);
}
