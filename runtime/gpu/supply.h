/*
 * Clock and voltage of a machine's GPU, which firmware sets and the GPU follows, and the readings
 * of its supply, which firmware reports as sensors. The machine owns it; devices reach it through
 * gpu_config. It has no state of its own that a snapshot must keep: the GPU saves the point.
 */
#ifndef RUNTIME_GPU_SUPPLY_H
#define RUNTIME_GPU_SUPPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/timing/power.h"

/* An operating point that firmware offers. */
struct gpu_offer {
    struct power_point at;
    uint32_t milliwatt; /* most power there */
};

struct gpu_reading {
    uint64_t microwatt, microjoule;
};

struct gpu_supply {
    struct gpu_offer offers[POWER_POINTS]; /* slowest first */
    unsigned count;                        /* at least one */
    unsigned initial;                      /* at power-on */
    struct power_point at;                 /* current */

    /* Set by the GPU; NULL before it exists. */
    void *gpu;
    void (*change)(void *gpu, struct power_point to); /* sets `at` */
    bool (*read)(void *gpu, struct gpu_reading *out); /* false: power is not modelled */
};

/* Sets the point. */
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
