/*
 * The power supply of a machine's GPU: clock and voltage, which firmware sets and the GPU follows,
 * and readings of power and energy, which firmware reports as sensors. The machine owns the supply;
 * devices reach it through gpu_config. Snapshots do not hold it, since the GPU saves its operating
 * point.
 */
#ifndef RUNTIME_GPU_SUPPLY_H
#define RUNTIME_GPU_SUPPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/timing/power.h"

/* An operating point that firmware offers. */
struct gpu_offer {
    struct power_point at;
    uint32_t milliwatt; /* highest power at this point */
};

/* Power of the last millisecond, and energy since power-on. */
struct gpu_reading {
    uint64_t microwatt, microjoule;
};

struct gpu_supply {
    struct gpu_offer offers[POWER_POINTS]; /* slowest first */
    unsigned count;                        /* at least one */
    unsigned initial;                      /* index of the point at power-on */
    struct power_point at;                 /* current point */

    /* Set by the GPU; NULL before it exists. */
    void *gpu;
    void (*change)(void *gpu, struct power_point to); /* sets `at` */
    bool (*read)(void *gpu, struct gpu_reading *out); /* false: power is not modelled */
};

/* Sets the operating point. */
static inline void gpu_supply_set(struct gpu_supply *s, struct power_point to)
{
    if (s->change)
        s->change(s->gpu, to);
    else
        s->at = to;
}

/* Power and energy since power-on. false: they are not modelled. */
static inline bool gpu_supply_read(const struct gpu_supply *s, struct gpu_reading *out)
{
    return s->read && s->read(s->gpu, out);
}

#endif
