/*
 * Delays of memory that is distributed over the nodes of a mesh. Each node has a part of the
 * memory, behind one port that serves one access at a time. An access translates its address,
 * reaches the part's node hop by hop, and waits for the port. The data of a read then travels back.
 * A write ends when the port has served it. Links between nodes have unlimited bandwidth.
 */
#ifndef RUNTIME_TIMING_MESH_H
#define RUNTIME_TIMING_MESH_H

#include <stdbool.h>
#include <stdint.h>

enum { TIMING_MESH_NODES = 64 };

struct timing_mesh {
    uint64_t base, part_bytes;           /* the memory of node n begins at base + n * part_bytes */
    uint32_t nodes, width;               /* node n is in column n % width, row n / width */
    uint64_t translate_ps;               /* translation of an address to a node and its address */
    uint64_t hop_ps;                     /* from a node to an adjacent one */
    uint64_t port_ps;                    /* service of an access by the port of its node */
    uint64_t free_at[TIMING_MESH_NODES]; /* time in ps when each port has served its accesses */
    uint64_t local, remote;              /* numbers of accesses to the own node, to others */
    uint64_t queued_ps;                  /* sum of all waiting times for ports */
};

/* Number of hops between two nodes of the mesh. */
unsigned timing_mesh_hops(const struct timing_mesh *m, unsigned from, unsigned to);

/* Whether an address is in the memory of a node. */
bool timing_mesh_has(const struct timing_mesh *m, uint64_t address);

/* The delay in ps of an access by the CPU of node `from` at time now_ps; timing_mesh_has() holds
 * for the address. Calls need not be in the order of time, since CPUs run in turns. */
uint64_t timing_mesh_access(struct timing_mesh *m, unsigned from, uint64_t address, bool write,
                            uint64_t now_ps);

#endif
