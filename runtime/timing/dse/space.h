/*
 * A space of designs, read from a text file. '#' begins a comment; a line is one of
 *
 *     gpu NAME                    the GPU whose description is the baseline
 *     timing reassemble|detailed  the model; default: reassemble
 *     set NAME=N …                numbers that replace the description's, of the baseline and all
 *                                 points
 *     trace NAME FILE…            a kernel: files of mali-run -trace-timing, one per warp width,
 *                                 relative to this file's folder. For other widths the warps of
 *                                 the first are formed anew
 *     axis NAME VALUE…            points: each combination of the values of all axes
 *     sweep NAME VALUE…           points: each value, all else as in the baseline
 *     point LABEL NAME=VALUE …    a point
 *     cost NAME…                  factors of a point's cost; default: cores engines warp_width
 *
 * A NAME is a parameter of the time models, cores, engines, max_threads, clock_mhz or warp_width. A
 * VALUE is a number, or *N: N times the baseline's.
 */
#ifndef RUNTIME_TIMING_DSE_SPACE_H
#define RUNTIME_TIMING_DSE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/timing/tune/table.h"

enum { DSE_NAMES = 24, DSE_WIDTHS = 16 };

struct dse_point {
    char *label;          /* "baseline", "axis", "NAME" of a sweep, or the LABEL of the file */
    double at[DSE_NAMES]; /* value by index of the name */
};

struct dse_kernel {
    char *name;
    /* the kernel's jobs by warp width; widths[0] is read from a file */
    struct tune_row widths[DSE_WIDTHS];
    unsigned width_count;
};

struct dse_gpu {
    struct timing_params params;
    struct timing_shape shape;
};

struct dse_space {
    enum timing_fidelity fidelity;
    char gpu[40];
    struct dse_gpu baseline;
    char names[DSE_NAMES][40]; /* names that some point changes, or that are part of the cost */
    size_t name_count;
    bool costs[DSE_NAMES];
    VEC(struct dse_point) points; /* the baseline is the first */
    VEC(struct dse_kernel) kernels;
    /* hash of everything on which results depend: the file, the traces, the GPU's numbers */
    uint64_t key;
};

/* Finds the numbers of the GPU of a name. false: there is none. */
typedef bool dse_find_gpu(const char *name, struct dse_gpu *out);

/* Reads a space. false: *err names the line and its error. */
bool dse_space_read(struct dse_space *s, const char *path, dse_find_gpu *find, struct error *err);
void dse_space_release(struct dse_space *s);

/* Predicts the ticks of one kernel at one point. */
bool dse_predict(const struct dse_space *s, size_t point, size_t kernel, uint64_t *ticks,
                 struct error *err);
double dse_clock_mhz(const struct dse_space *s, size_t point);
double dse_cost(const struct dse_space *s, size_t point);

#endif
