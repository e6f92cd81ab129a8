/*
 * What memory takes of a CPU's time: a cache of its own, one that several CPUs share, memory behind
 * both. A hit in its own is part of the instruction's time and costs nothing here. A miss costs the
 * share of its latency that the CPU is exposed to: all of it where instructions wait in order, less
 * where others go on meanwhile. Lines that follow each other are fetched ahead: the second of two such
 * misses, and each behind it, costs what the bandwidth of memory takes for a line.
 *
 * Instruction fetches, table walks, write-backs and coherence take no time.
 */
#ifndef RUNTIME_TIMING_DELAYS_H
#define RUNTIME_TIMING_DELAYS_H

#include "runtime/timing/sets.h"

struct timing_delay_costs {
    uint64_t shared_ps; /* of what the shared cache has */
    uint64_t memory_ps; /* of what it has not, altogether */
    uint64_t stream_ps; /* of a line that was fetched ahead from memory */
    uint32_t loads;     /* percent of a latency that a load is exposed to */
    uint32_t stores;    /* and a store */
};

enum { TIMING_STREAMS = 4 }; /* that are told apart */

struct timing_delays {
    struct timing_sets own;
    struct timing_sets *shared; /* NULL: there is none, and its latency is memory's */
    struct timing_delay_costs costs;
    unsigned line_bits; /* log2 of a line's bytes, of both caches */
    /* Lines behind the last ones that missed, and which of them is the oldest. */
    uint64_t next[TIMING_STREAMS];
    unsigned oldest;
    uint64_t streamed;  /* lines that were fetched ahead from memory */
    uint64_t waited_ps; /* what all accesses took */
};

/* What an access takes, in ps; it may lie in several lines. */
uint64_t timing_delays_access(struct timing_delays *d, uint64_t address, unsigned bytes,
                              bool write);

#endif
