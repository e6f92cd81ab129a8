/* Delays of distributed memory: distances and queues at the nodes' ports. */
#include "runtime/timing/mesh.h"

static unsigned axis_distance(unsigned a, unsigned b)
{
    return a > b ? a - b : b - a;
}

unsigned timing_mesh_hops(const struct timing_mesh *m, unsigned from, unsigned to)
{
    return axis_distance(from % m->width, to % m->width) +
           axis_distance(from / m->width, to / m->width);
}

bool timing_mesh_has(const struct timing_mesh *m, uint64_t address)
{
    return address >= m->base && (address - m->base) / m->part_bytes < m->nodes;
}

uint64_t timing_mesh_access(struct timing_mesh *m, unsigned from, uint64_t address, bool write,
                            uint64_t now_ps)
{
    unsigned to = (unsigned)((address - m->base) / m->part_bytes);
    uint64_t way = timing_mesh_hops(m, from, to) * m->hop_ps;
    uint64_t arrival = now_ps + m->translate_ps + way, start = arrival;

    if (m->free_at[to] > arrival)
        start = m->free_at[to];
    m->free_at[to] = start + m->port_ps;
    m->queued_ps += start - arrival;
    if (from == to)
        m->local++;
    else
        m->remote++;
    return start + m->port_ps + (write ? 0 : way) - now_ps;
}
