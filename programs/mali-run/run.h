/* mali-run: runs a GPU alone, from a memory snapshot or with a kernel from the command line. */
#ifndef PROGRAMS_MALI_RUN_RUN_H
#define PROGRAMS_MALI_RUN_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/base/error.h"
#include "programs/mali-run/kernel.h"
#include "programs/mali-run/timing.h"
#include "runtime/gpu/snapshot.h"

struct check_place;
struct gpu_isa;
struct gpu_variant;

/* Options of the command line. */
struct run_options {
    const char *gdb, *kernel_name;
    const char *snapshot, *expect, *gpu, *trace, *stats, *report, *png, *overdraw, *shader_cache;
    uint64_t draws;                                            /* -draw; UINT64_MAX: all */
    VEC(char *) sources;                                       /* OpenCL C for the report */
    uint64_t report_sample;                                    /* -timing-sample; 0: not given */
    uint64_t cores;                                            /* -cores; 0: all */
    uint64_t threads, translate, max_jobs, max_cycles, repeat; /* repeat: 0 if not given */
    bool check, debug, disasm, disasm_bytes, dump_jobs, help, version, list_gpus;
    struct kernel kernel;
    struct run_timing_options timing;
};

/* Reads the command line, which ends with NULL and must stay valid. false: *err has the error. */
bool run_options_read(struct run_options *o, char **argv, struct error *err);
/* Frees the members of options, also after an error. */
void run_options_release(struct run_options *o);
void run_options_help(FILE *out);

/* Prints the jobs of each chain with the descriptors to which they point. */
void run_dump_jobs(const struct gpu_snapshot *s, const struct gpu_variant *variant, FILE *out);

/* Prints each shader of the chains' compute jobs. With `bytes` the text is a source that also has
 * the bytes, in lines that `gencc asm` reads. */
void run_disassemble(const struct gpu_snapshot *s, const struct gpu_variant *variant,
                     const struct gpu_isa *isa, bool bytes, FILE *out);

/* ---- frames.c -------------------------------------------------------------------------------- */

struct gpu_cores;
struct run_frames;
/* Writes pictures of each frame that the cores draw to PNG files: its colour targets, and how often
 * each pixel was shaded. The first goes to the path, others to files with a number before its
 * ending; NULL: not wanted. To be freed after the cores. */
struct run_frames *run_frames_new(const char *colors, const char *overdraw, struct gpu_cores *c);
/* Returns whether all files were written and there was a frame; else *err has the reason. */
bool run_frames_finish(const struct run_frames *f, struct error *err);
void run_frames_free(struct run_frames *f);

/* ---- check.c --------------------------------------------------------------------------------- */

/* A run whose compute jobs are checked. */
struct run_checked {
    struct gpu_snapshot *snapshot;
    const struct gpu_isa *isa;
    const struct kernel *kernel; /* a kernel by hand */
    struct gpu_cores *cores;
    struct gpu_cores *(*new_cores)(void *opaque);             /* for a second run */
    int (*run_chains)(void *opaque, struct gpu_cores *cores); /* returns an exit status */
    void *opaque;
};
/* Runs the chains, a second time if values of stores are needed, and prints what was found. Returns
 * the status of the first run; *findings becomes the number of findings. */
int run_check(const struct run_checked *r, size_t *findings);

/* ---- debug.c --------------------------------------------------------------------------------- */

/* A run in the shader debugger. */
struct run_debugged {
    const struct gpu_isa *isa;
    const char *kernel; /* its name */
    const char *gdb;    /* address for GDB; NULL: commands on standard input */
    unsigned width;     /* lanes of a warp */
};
struct run_debug;
/* Debugs the cores' jobs. NULL: *err has the reason. */
struct run_debug *run_debug_new(const struct run_debugged *run, struct gpu_cores *cores,
                                struct error *err);
/* Makes the places of a check known (run_check_before()). */
void run_debug_expect(void *debug, const struct check_place *place);
/* Tells the user that the run has ended. */
void run_debug_end(struct run_debug *r, int status);
void run_debug_free(struct run_debug *r);

/* The name of a kernel whose snapshot or code has this file name; the caller frees it. */
char *run_kernel_name(const char *path);

/* Checks the jobs in a run of its own, after which memory is as before. `each` is called for what a
 * debugger can stop at. Returns the run's status. */
int run_check_before(const struct run_checked *r,
                     void (*each)(void *opaque, const struct check_place *place), void *opaque);

/* ---- report.c -------------------------------------------------------------------------------- */

struct report;
/* Observes the cores for -report; NULL: *err has the reason. */
struct report *run_report_new(const struct run_options *o, char *const *words,
                              const struct gpu_variant *variant, const struct gpu_isa *isa,
                              struct error *err);
/* Writes the report, and a page of it. */
bool run_report_finish(struct report *r, struct error *err);

#endif
