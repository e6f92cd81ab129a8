/* What the statistics of a run hold besides what devices register themselves. */
#include <stdio.h>

#include "runtime/machine/machine.h"

static uint64_t virtual_ns(const void *opaque)
{
    const struct machine *m = opaque;

    return m->clock.now;
}

static void add_region(struct machine *m, const struct bus_region *region)
{
    char group[128];

    if (region->kind != BUS_MMIO)
        return;
    snprintf(group, sizeof(group), "bus/%s", region->name);
    stats_add(m->stats, group, "reads", &region->reads);
    stats_add(m->stats, group, "writes", &region->writes);
}

void machine_register_stats(struct machine *m)
{
    stats_add_fn(m->stats, "machine", "virtual_ns", virtual_ns, m);
    stats_add(m->stats, "machine", "turns", &m->group.turns);
    stats_add(m->stats, "machine", "bus_faults", &m->bus->faults);
    for (unsigned i = 0; i < m->cpu_count; i++)
        cpu_register_stats(m->cpus[i], m->stats);
    for (size_t i = 0; i < m->bus->count; i++)
        add_region(m, m->bus->regions[i]);
}
