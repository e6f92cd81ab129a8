/*
 * A debugger's breakpoints, watchpoints and steps.
 *
 * A block in which an address may have a breakpoint is never entered into a jump cache, so it is
 * always reached through the check for breakpoints, and run in parts. Entries of pages with
 * watchpoints have no tags in the soft TLB.
 *
 * Interrupts are taken between blocks. What is left of a block after a stop in its midst is
 * therefore run without attending to anything (cpu->rest), so that a debugger does not move them.
 */
#include "runtime/cpu/debug.h"

#include "runtime/base/alloc.h"
#include "runtime/cpu/debug_internal.h"

#define MAX_POINTS 1024

struct debug *debug_attach(struct cpu_group *g)
{
    struct debug *d = xcalloc(1, sizeof(*d));

    d->group = g;
    g->debug = d;
    for (unsigned n = 0; n < g->count; n++)
        g->cpu[n]->debug = d;
    return d;
}

/* Drops code and translations that were made for the old breakpoints and watchpoints. */
static void flush_all(struct debug *d)
{
    for (unsigned n = 0; n < d->group->count; n++)
        cpu_tlb_flush(d->group->cpu[n], true);
    code_flush(d->group->code);
}

static void set_state(struct cpu *cpu, enum cpu_debug_state state)
{
    cpu->debug_state = state;
    if (state == CPU_DEBUG_NONE && !cpu->rest && !cpu->attended)
        cpu->attention &= ~(uint32_t)CPU_ATT_DEBUG;
    else
        cpu->attention |= CPU_ATT_DEBUG;
}

void debug_detach(struct debug *d)
{
    if (!d)
        return;
    for (unsigned n = 0; n < d->group->count; n++) {
        struct cpu *cpu = d->group->cpu[n];

        set_state(cpu, CPU_DEBUG_NONE);
        debug_set_goal(d, cpu, 0);
        cpu->frozen = false;
        cpu->debug = NULL;
    }
    d->group->debug = NULL;
    flush_all(d);
    vec_free(&d->breakpoints);
    vec_free(&d->watchpoints);
    vec_free(&d->actions);
    free(d);
}

/* ---- breakpoints ----------------------------------------------------------------------------- */

bool debug_add_breakpoint(struct debug *d, uint64_t va)
{
    if (debug_breakpoint_at(d, va))
        return true;
    if (d->breakpoints.len == MAX_POINTS)
        return false;
    vec_push(&d->breakpoints, va);
    flush_all(d);
    return true;
}

bool debug_remove_breakpoint(struct debug *d, uint64_t va)
{
    for (size_t n = 0; n < d->breakpoints.len; n++) {
        if (d->breakpoints.data[n] == va) {
            d->breakpoints.data[n] = d->breakpoints.data[--d->breakpoints.len];
            flush_all(d);
            return true;
        }
    }
    return false;
}

/* ---- watchpoints ----------------------------------------------------------------------------- */

bool debug_add_watchpoint(struct debug *d, uint64_t va, uint64_t len, unsigned kinds)
{
    if (!len || va + (len - 1) < va || d->watchpoints.len == MAX_POINTS)
        return false;
    vec_push(&d->watchpoints, (struct debug_watchpoint){va, len, kinds});
    flush_all(d);
    return true;
}

bool debug_remove_watchpoint(struct debug *d, uint64_t va, uint64_t len, unsigned kinds)
{
    for (size_t n = 0; n < d->watchpoints.len; n++) {
        const struct debug_watchpoint *w = &d->watchpoints.data[n];

        if (w->va == va && w->len == len && w->kinds == kinds) {
            d->watchpoints.data[n] = d->watchpoints.data[--d->watchpoints.len];
            flush_all(d);
            return true;
        }
    }
    return false;
}

bool debug_watchpoint(const struct debug *d, size_t n, uint64_t *va, uint64_t *len, unsigned *kinds)
{
    if (n >= d->watchpoints.len)
        return false;
    *va = d->watchpoints.data[n].va;
    *len = d->watchpoints.data[n].len;
    *kinds = d->watchpoints.data[n].kinds;
    return true;
}

/* ---- stopping and resuming ------------------------------------------------------------------- */

void debug_report(struct cpu *cpu, int why, uint64_t address)
{
    struct debug *d = cpu->debug;

    set_state(cpu, CPU_DEBUG_NONE);
    d->stop = (struct debug_stop){.why = (enum debug_why)why, .cpu = cpu, .address = address};
    if (why == DEBUG_WATCHPOINT)
        d->stop.watch = (enum debug_watch)cpu->left.access;
    d->stopped = true;
    cpu_group_stop(d->group);
    if (cpu->hooks.debug_stop)
        cpu->hooks.debug_stop(cpu, why);
}

void debug_stop(struct debug *d)
{
    struct cpu_group *g = d->group;

    if (d->stopped)
        return;
    d->stop = (struct debug_stop){.why = DEBUG_REQUEST, .cpu = g->running};
    if (!d->stop.cpu && g->count)
        d->stop.cpu = g->cpu[g->next < g->count ? g->next : 0];
    d->stopped = true;
    cpu_group_stop(g);
}

void debug_set_exact(struct debug *d, bool exact)
{
    d->exact = exact;
}

void debug_set_goal(struct debug *d, struct cpu *cpu, uint64_t ticks)
{
    (void)d;
    cpu->goal = ticks;
    cpu->goal_behind = false;
}

void debug_set_goal_behind(struct debug *d, struct cpu *cpu, uint64_t ticks)
{
    debug_set_goal(d, cpu, ticks);
    cpu->goal_behind = true;
}

void debug_set_stop(struct debug *d, const struct debug_stop *stop)
{
    d->stop = *stop;
    d->stopped = true;
}

bool debug_is_stopped(const struct debug *d)
{
    return d->stopped;
}

const struct debug_stop *debug_last_stop(const struct debug *d)
{
    return &d->stop;
}

bool debug_is_stepping(const struct debug *d)
{
    for (unsigned n = 0; n < d->group->count; n++)
        if (d->group->cpu[n]->debug_state == CPU_DEBUG_STEP)
            return true;
    return false;
}

static unsigned index_of(const struct debug *d, const struct cpu *cpu)
{
    unsigned n = 0;

    while (n < d->group->count && d->group->cpu[n] != cpu)
        n++;
    return n;
}

void debug_set_action(struct debug *d, struct cpu *cpu, enum debug_resume action)
{
    unsigned n = index_of(d, cpu);

    while (d->actions.len <= n)
        vec_push(&d->actions, DEBUG_CONTINUE);
    d->actions.data[n] = action;
}

void debug_resume(struct debug *d)
{
    for (unsigned n = 0; n < d->group->count; n++) {
        struct cpu *cpu = d->group->cpu[n];
        enum debug_resume action = n < d->actions.len ? d->actions.data[n] : DEBUG_CONTINUE;
        bool watched = d->stop.why == DEBUG_WATCHPOINT && d->stop.cpu == cpu;
        bool knows = d->exact || d->stop.why == DEBUG_HELD; /* which breakpoints were reported */
        bool skips = watched || (debug_breakpoint_at(d, cpu->pc) && (!knows || cpu->attended));

        cpu->frozen = action == DEBUG_FREEZE && !d->exact;
        if (action == DEBUG_STEP_ONE)
            set_state(cpu, CPU_DEBUG_STEP);
        else if (action == DEBUG_CONTINUE && skips)
            set_state(cpu, CPU_DEBUG_SKIP);
        else
            set_state(cpu, CPU_DEBUG_NONE);
    }
    d->actions.len = 0;
    d->stop.why = DEBUG_NONE;
    d->stopped = false;
}
