/*
 * A GPU, existing or not: the contents of descriptions/mali/variants/NAME.ac, as gencc emits them.
 */
#ifndef RUNTIME_GPU_VARIANT_H
#define RUNTIME_GPU_VARIANT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/timing/power.h"

struct gpu_isa;

enum { GPU_VARIANT_REGISTERS = 64 };

struct gpu_variant {
    const char *name;       /* argument of -gpu: "g72" */
    const char *title;      /* "Mali-G72 MP12" */
    const char *compatible; /* device-tree compatible to which the driver binds */
    const char *isa;        /* ISA of its bundles, by the description's name */
    const char *features;   /* features of the ISA's description, separated by spaces; NULL: none */
    uint32_t product;       /* product id, bits 31:16 of GPU_ID */
    uint32_t revision;      /* bits 15:0 of GPU_ID */
    unsigned architecture;  /* 4 … 7: selects the descriptor layouts */
    unsigned cores;         /* shader cores */
    uint64_t shader_present; /* bit c: the GPU has core c; `cores` bits are set */
    unsigned warp_width;     /* lanes per warp; a multiple of 4, or 1: threads are scalar */
    unsigned engines;        /* execution engines per core */
    unsigned max_threads;    /* threads per core */
    unsigned max_group;      /* threads per work-group */
    unsigned clock_mhz;      /* frequency of the GPU */
    unsigned bundle_cycles;  /* cycles per bundle, before stages are counted */
    unsigned stage_cycles;   /* cycles per stage */
    uint32_t traits; /* differences of its registers from others of its ISA, for the ISA's places */
    /* parameters of the time models, including those that the file leaves out */
    struct timing_params timing;
    struct timing_sources timing_source; /* source of each parameter; "": not given */
    /* parameters of the power model, likewise */
    struct power_params power;
    struct power_sources power_source;
    /* Operating points, slowest first; one of them has clock_mhz. */
    struct power_point points[POWER_POINTS];
    unsigned point_count;     /* at least one */
    const char *point_source; /* source of the first point; "": the description gives none */
    /* Registers that read as a constant: offset and value, `value_count` of them. */
    struct {
        uint32_t offset, value;
    } values[GPU_VARIANT_REGISTERS];
    unsigned value_count;
};

/* Generated: all variants. The last one has no name. */
extern const struct gpu_variant gpu_variants[];

/* Prints one line per GPU: name and title (-gpu help). */
void gpu_variants_print(FILE *out);

/* Whether the variant has the feature. */
bool gpu_variant_has(const struct gpu_variant *v, const char *feature);

/* The variant of a name, in any case, or of a product id; NULL: none. */
const struct gpu_variant *gpu_variant_by_name(const char *name);
const struct gpu_variant *gpu_variant_by_product(uint32_t product);
/* The GPU of a device tree's compatible; NULL if there is none, or if several products share it. */
const struct gpu_variant *gpu_variant_by_compatible(const char *compatible);

#endif
