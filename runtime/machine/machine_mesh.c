/*
 * Distributed memory of a board under -cpu-timing: the node `gencc,mesh-memory` of its tree. A
 * second string in `compatible` binds the memory itself.
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/machine/machine.h"
#include "runtime/timing/mesh.h"

#define PS_PER_NS 1000

/* A number of the node, which must be in a range. */
static bool read_cell(const struct machine *m, const struct dt_node *node, const char *name,
                      uint32_t most, uint64_t *out)
{
    uint32_t value;

    *out = 0;
    if (!dt_cell(m->dt, node, name, 0, &value) || value > most)
        return false;
    *out = value;
    return true;
}

static bool read_mesh(struct machine *m, const struct dt_node *node, struct timing_mesh *mesh,
                      struct error *err)
{
    enum { MOST_NS = 100000 };
    uint64_t size, part, width, turn, translate, hop, port;

    if (!dt_reg(m->dt, node, 0, &mesh->base, &size))
        return error_set(err, "%s: the node has no reg", node->path);
    if (!read_cell(m, node, "node-size", UINT32_MAX, &part) || !part || size % part ||
        size / part > TIMING_MESH_NODES || size / part < m->cpu_count)
        return error_set(err, "%s: node-size must divide its memory into %u to %d parts",
                         node->path, m->cpu_count, TIMING_MESH_NODES);
    if (!read_cell(m, node, "mesh-width", TIMING_MESH_NODES, &width) || !width)
        return error_set(err, "%s: mesh-width must be 1 to %d", node->path, TIMING_MESH_NODES);
    if (!read_cell(m, node, "turn-ticks", UINT32_MAX, &turn) || !turn)
        return error_set(err, "%s: turn-ticks must be at least 1", node->path);
    if (!read_cell(m, node, "translate-ns", MOST_NS, &translate) ||
        !read_cell(m, node, "hop-ns", MOST_NS, &hop) ||
        !read_cell(m, node, "port-ns", MOST_NS, &port))
        return error_set(err, "%s: translate-ns, hop-ns and port-ns must be 0 to %d", node->path,
                         MOST_NS);
    mesh->part_bytes = part;
    mesh->nodes = (uint32_t)(size / part);
    mesh->width = (uint32_t)width;
    mesh->translate_ps = translate * PS_PER_NS;
    mesh->hop_ps = hop * PS_PER_NS;
    mesh->port_ps = port * PS_PER_NS;
    m->mesh_turn = turn;
    return true;
}

bool machine_mesh_open(struct machine *m, struct error *err)
{
    const struct dt_node *node = dt_next_compatible(m->dt, NULL, "gencc,mesh-memory");

    if (!node)
        return true;
    m->mesh = xcalloc(1, sizeof(*m->mesh));
    return read_mesh(m, node, m->mesh, err);
}

uint64_t machine_mesh_access(struct machine *m, unsigned cpu, uint64_t pa, bool write)
{
    return timing_mesh_access(m->mesh, cpu, pa, write, clock_now(&m->clock) * PS_PER_NS);
}

void machine_mesh_register_stats(const struct machine *m)
{
    if (!m->mesh)
        return;
    stats_add(m->stats, "mesh", "local_accesses", &m->mesh->local);
    stats_add(m->stats, "mesh", "remote_accesses", &m->mesh->remote);
    stats_add(m->stats, "mesh", "queued_ps", &m->mesh->queued_ps);
}

void machine_mesh_free(struct machine *m)
{
    free(m->mesh);
    m->mesh = NULL;
}
