/*
 * Delays of memory that is distributed over the nodes of a mesh: each node has a part of it, behind
 * one port that serves one access at a time. An access translates its address, reaches the part's
 * node hop by hop, waits for the port, and a read's data comes back. A write ends when the port has
 * taken it. Links do not limit anything.
 */
#ifndef RUNTIME_TIMING_MESH_H
#define RUNTIME_TIMING_MESH_H

#include <stdbool.h>
#include <stdint.h>

enum { TIMING_MESH_NODES = 64 };

struct timing_mesh {
    uint64_t base, part_bytes;           /* the memory of node n begins at base + n * part_bytes */
    uint32_t nodes, width;               /* node n is in column n % width, row n / width */
    uint64_t translate_ps;               /* from an address to a node and an address there */
    uint64_t hop_ps;                     /* from a node to the next */
    uint64_t port_ps;                    /* an access, at the port of its node */
    uint64_t free_at[TIMING_MESH_NODES]; /* when each port has served all accesses so far */
    uint64_t local, remote;              /* numbers of accesses */
    uint64_t queued_ps;                  /* sum of all waiting for ports */
};

/* Number of steps between two nodes, which are in the mesh. */
unsigned timing_mesh_hops(const struct timing_mesh *m, unsigned from, unsigned to);

/* Whether an address is in a part. */
bool timing_mesh_has(const struct timing_mesh *m, uint64_t address);

/* The delay in ps of an access by the CPU of node `from` at time now_ps, to an address in a part.
 * Calls need not be in the order of time, as those of CPUs in turns are not. */
uint64_t timing_mesh_access(struct timing_mesh *m, unsigned from, uint64_t address, bool write,
                            uint64_t now_ps);

#endif
