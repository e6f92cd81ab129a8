/* Statistics of a run, apart from those that devices register. */
#include "runtime/machine/machine.h"

static uint64_t virtual_ns(const void *opaque)
{
    const struct machine *m = opaque;

    return m->clock.now;
}

void machine_register_stats(struct machine *m)
{
    stats_add_fn(m->stats, "machine", "virtual_ns", virtual_ns, m);
    stats_add(m->stats, "machine", "turns", &m->group.turns);
    stats_add(m->stats, "machine", "bus_faults", &m->bus->faults);
    for (unsigned i = 0; i < m->cpu_count; i++)
        cpu_register_stats(m->cpus[i], m->stats);
    machine_timing_register_stats(m);
    jit_register_stats(m->jit, m->stats);
}
