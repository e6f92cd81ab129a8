/*
 * The time of CPUs in a group: the length of their ticks, how far the running CPU has come in the
 * turn, and what ends the turn early.
 */
#include "runtime/cpu/internal.h"

uint64_t group_tick_ps(const struct cpu_group *g, const struct cpu *cpu)
{
    return cpu->ps_per_tick ? cpu->ps_per_tick : g->ps_per_tick;
}

uint64_t cpu_tick_ps(const struct cpu *cpu)
{
    return cpu->group         ? group_tick_ps(cpu->group, cpu)
           : cpu->ps_per_tick ? cpu->ps_per_tick
                              : GROUP_TICK_PS;
}

uint64_t cpu_used_ps(const struct cpu *cpu)
{
    return cpu_ticks_now(cpu) * cpu_tick_ps(cpu) + cpu->delayed_ps;
}

/* How far the running CPU is past clock->now. */
static int64_t running_ps(const struct cpu_group *g)
{
    const struct cpu *cpu = g->running;

    return cpu->ahead_ps + (int64_t)((cpu_ticks_now(cpu) - cpu->turn_from) * group_tick_ps(g, cpu) +
                                     cpu->delayed_ps - cpu->turn_delayed);
}

uint64_t group_offset_ns(void *opaque)
{
    const struct cpu_group *g = opaque;

    return g->running ? (uint64_t)running_ps(g) / PS_PER_NS : 0;
}

uint64_t group_ticks_left(const struct cpu_group *g, const struct cpu *cpu)
{
    uint64_t each = group_tick_ps(g, cpu), ps;

    if (cpu->ahead_ps >= g->turn_ps)
        return 0;
    ps = (uint64_t)(g->turn_ps - cpu->ahead_ps);
    return (ps + each - 1) / each;
}

/* Called when an event has become the earliest. The turn is shortened to it, but not to before the
 * time that the running CPU has reached: the other CPUs could not catch up otherwise. */
void group_sooner(void *opaque, uint64_t when)
{
    struct cpu_group *g = opaque;
    struct cpu *cpu = g->running;
    uint64_t now = clock_now(g->clock), end = when > now ? when : now;

    if (!g->open || end - g->clock->now >= (uint64_t)g->turn_ps / PS_PER_NS)
        return;
    g->turn_ps = (int64_t)(end - g->clock->now) * PS_PER_NS;
    if (cpu)
        cpu_set_turn_end(cpu, cpu->turn_from + group_ticks_left(g, cpu));
}

void cpu_set_turn_end(struct cpu *cpu, uint64_t ticks)
{
    cpu->turn_end = ticks;
    cpu->stop_at = cpu->goal && cpu->goal < ticks ? cpu->goal : ticks;
}

void group_woken(struct cpu *cpu)
{
    struct cpu_group *g = cpu->group;

    if (g && g->running && g->running != cpu && cpu->ahead_ps < running_ps(g))
        cpu->ahead_ps = running_ps(g);
}

void cpu_group_stop(struct cpu_group *g)
{
    g->stop = true;
    if (g->running)
        cpu_stop(g->running);
}

bool group_is_shared(const struct cpu_group *g)
{
    unsigned on = 0;

    for (unsigned n = 0; n < g->count; n++)
        on += g->cpu[n]->powered;
    return on > 1;
}
