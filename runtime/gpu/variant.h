/*
 * A GPU that one can buy, or not yet: what descriptions/mali/variants/NAME.ac says, as gencc emits
 * it.
 */
#ifndef RUNTIME_GPU_VARIANT_H
#define RUNTIME_GPU_VARIANT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/timing/params.h"

struct gpu_isa;

enum { GPU_VARIANT_REGISTERS = 64 };

struct gpu_variant {
    const char *name;       /* "g72": what -gpu takes */
    const char *title;      /* "Mali-G72 MP12" */
    const char *compatible; /* device-tree compatible the driver binds to */
    const char *isa;        /* of its bundles, as the description names it */
    const char
        *features;     /* of the ISA's description that it has, with spaces between; NULL: none */
    uint32_t product;  /* product id, bits 31:16 of GPU_ID */
    uint32_t revision; /* bits 15:0 of GPU_ID */
    unsigned architecture;   /* 4 … 7: which descriptor layouts */
    unsigned cores;          /* shader cores */
    uint64_t shader_present; /* bit a core; `cores` of them */
    unsigned warp_width;     /* lanes; a multiple of 4, or 1: threads are scalar */
    unsigned engines;        /* execution engines a core */
    unsigned max_threads;    /* a core */
    unsigned max_group;      /* threads in a work-group */
    unsigned clock_mhz;      /* of the GPU */
    unsigned bundle_cycles;  /* cost of a bundle, cycles, before stages are counted */
    unsigned stage_cycles;   /* and of each stage */
    uint32_t traits; /* in what its registers differ from others of its ISA: for the ISA's places */
    struct timing_params timing;         /* of the time models; what the file leaves out, too */
    struct timing_sources timing_source; /* where each is from; "": it is not given */
    /* Registers that read as a constant: offset and value, ends with value_count. */
    struct {
        uint32_t offset, value;
    } values[GPU_VARIANT_REGISTERS];
    unsigned value_count;
};

/* Generated: all variants, ends with one that has no name. */
extern const struct gpu_variant gpu_variants[];

/* Prints a line a GPU: its name and what it is (-gpu help). */
void gpu_variants_print(FILE *out);

/* Whether it has the feature. */
bool gpu_variant_has(const struct gpu_variant *v, const char *feature);

/* NULL when there is none of that name (case does not matter), or product id. */
const struct gpu_variant *gpu_variant_by_name(const char *name);
const struct gpu_variant *gpu_variant_by_product(uint32_t product);
/* The GPU that a device tree means; NULL as well when products share it, so that it names none. */
const struct gpu_variant *gpu_variant_by_compatible(const char *compatible);

#endif
