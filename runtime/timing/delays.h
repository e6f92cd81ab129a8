/*
 * Delays of a CPU by memory: a private cache, a cache shared by several CPUs, and memory behind
 * both.
 *
 * A hit in the private cache is part of the instruction's time and costs nothing here. A miss costs
 * the exposed share of its latency: all of it in an in-order CPU, less where later instructions
 * continue meanwhile. Consecutive lines are prefetched: from the second of such misses on, each
 * costs the time that memory's bandwidth needs for a line.
 *
 * Instruction fetches, table walks, write-backs and coherence take no time.
 */
#ifndef RUNTIME_TIMING_DELAYS_H
#define RUNTIME_TIMING_DELAYS_H

#include "runtime/timing/sets.h"

struct timing_delay_costs {
    uint64_t shared_ps; /* latency of a hit in the shared cache */
    uint64_t memory_ps; /* total latency of a miss in both caches */
    uint64_t stream_ps; /* time of a line that was prefetched from memory */
    uint32_t loads;     /* exposed share of a load's latency, in percent */
    uint32_t stores;    /* exposed share of a store's latency, in percent */
};

enum { TIMING_STREAMS = 4 }; /* streams that are tracked */

struct timing_delays {
    struct timing_sets own;
    struct timing_sets *shared; /* NULL: none; its latency is that of memory */
    struct timing_delay_costs costs;
    unsigned line_bits; /* log2 of the line size of both caches, in bytes */
    /* The next line of each stream, and the index of the oldest stream. */
    uint64_t next[TIMING_STREAMS];
    unsigned oldest;
    uint64_t streamed;  /* lines that were prefetched from memory */
    uint64_t waited_ps; /* delay of all accesses */
};

/* The delay of an access in ps. The access may cross lines. */
uint64_t timing_delays_access(struct timing_delays *d, uint64_t address, unsigned bytes,
                              bool write);

#endif
