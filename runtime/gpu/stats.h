/*
 * What the shader cores executed, per job and in total. The contents of a bundle are known when it
 * is decoded (struct gpu_profile); at run time only its executions are counted. Instructions and
 * accesses are counted per lane: an instruction of a warp with four active lanes counts four.
 */
#ifndef RUNTIME_GPU_STATS_H
#define RUNTIME_GPU_STATS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/base/error.h"
#include "runtime/gpu/isa.h"

struct stats;

enum { GPU_FORM_CLASSES = GPU_CLASS_ATTRIBUTE + 1, GPU_COUNTED_STAGES = 8 };

/* The contents of one execution of a bundle by one lane. */
struct gpu_profile {
    uint16_t instructions[GPU_FORM_CLASSES]; /* by enum gpu_form_class, including empty slots */
    uint8_t stages;
    uint16_t register_reads, register_writes;
    uint16_t temporary_reads; /* reads of results of this or the previous stage's units */
    uint16_t constant_reads;  /* reads of constants in the bundle, or of fixed values */
    uint16_t uniform_reads;
    uint16_t special_reads;
    uint8_t arithmetic_stages; /* stages with more than a message */
    uint8_t registers;         /* highest named work register plus one, without staging registers */
    bool barrier;              /* lanes wait for the other warps of their group */
};

struct gpu_bundle_count {
    uint64_t warps, lanes; /* executions by warps; the sum of their active lanes */
};

/* Memory accesses of lanes; atomic operations count as writes. */
enum gpu_access_counter {
    GPU_COUNT_GLOBAL_READ,
    GPU_COUNT_GLOBAL_WRITE,
    GPU_COUNT_LOCAL_READ,
    GPU_COUNT_LOCAL_WRITE,
    GPU_COUNT_THREAD_READ,
    GPU_COUNT_THREAD_WRITE,
    GPU_ACCESS_COUNTERS,
};

/* All counters, as X(field, name in reports). */
#define GPU_COUNTERS(X)                                         \
    X(jobs, "jobs")                                             \
    X(groups, "work_groups")                                    \
    X(warps, "warps")                                           \
    X(threads, "threads")                                       \
    X(cycles, "cycles")                                         \
    X(bundles, "bundles")                                       \
    X(stages, "stages")                                         \
    X(lane_instructions, "lane_instructions")                   \
    X(instructions[GPU_CLASS_ARITHMETIC], "arithmetic")         \
    X(instructions[GPU_CLASS_LOAD_STORE], "load_store")         \
    X(instructions[GPU_CLASS_CONTROL], "control")               \
    X(instructions[GPU_CLASS_ATTRIBUTE], "attribute")           \
    X(instructions[GPU_CLASS_NOP], "empty_slots")               \
    X(accesses[GPU_COUNT_GLOBAL_READ], "global_reads")          \
    X(accesses[GPU_COUNT_GLOBAL_WRITE], "global_writes")        \
    X(accesses[GPU_COUNT_LOCAL_READ], "local_reads")            \
    X(accesses[GPU_COUNT_LOCAL_WRITE], "local_writes")          \
    X(accesses[GPU_COUNT_THREAD_READ], "thread_memory_reads")   \
    X(accesses[GPU_COUNT_THREAD_WRITE], "thread_memory_writes") \
    X(register_reads, "register_reads")                         \
    X(register_writes, "register_writes")                       \
    X(temporary_reads, "temporary_reads")                       \
    X(temporary_writes, "temporary_writes")                     \
    X(constant_reads, "constant_reads")                         \
    X(uniform_reads, "uniform_reads")                           \
    X(special_reads, "special_reads")                           \
    X(divergent_branches, "divergent_branches")                 \
    X(pages, "pages_touched")                                   \
    X(bundle_size[1], "bundles_of_1_stage")                     \
    X(bundle_size[2], "bundles_of_2_stages")                    \
    X(bundle_size[3], "bundles_of_3_stages")                    \
    X(bundle_size[4], "bundles_of_4_stages")                    \
    X(bundle_size[5], "bundles_of_5_stages")                    \
    X(bundle_size[6], "bundles_of_6_stages")                    \
    X(bundle_size[7], "bundles_of_7_stages")                    \
    X(bundle_size[8], "bundles_of_8_stages")

struct gpu_counters {
    uint64_t jobs, groups, warps, threads, cycles;
    uint64_t bundles, stages;   /* executed by warps */
    uint64_t lane_instructions; /* without empty slots */
    uint64_t instructions[GPU_FORM_CLASSES];
    uint64_t accesses[GPU_ACCESS_COUNTERS];
    uint64_t register_reads, register_writes, temporary_reads, temporary_writes;
    uint64_t constant_reads, uniform_reads, special_reads;
    uint64_t divergent_branches;
    uint64_t pages; /* distinct pages of 4 KiB per job */
    /* the last element counts larger bundles as well */
    uint64_t bundle_size[GPU_COUNTED_STAGES + 1];
};

/* A whole shader in memory, executed or not: Mesa's shader-db figures. */
struct gpu_shader_summary {
    bool known;
    const char *bundle_name, *stage_name; /* the ISA's words for them */
    unsigned instructions, stages, bundles;
    unsigned arithmetic, texture, load_store; /* numbers of stages */
    unsigned grains, registers, loops;
    unsigned empty; /* words that do nothing */
    uint64_t hash;  /* FNV-1a, 64 bits, of the bundles and their places in the shader */
};

enum { GPU_SHADER_LINE = 256 };
/* Writes Mesa's shader-db line of the shader, without the name of its stage, into `text` of
 * GPU_SHADER_LINE bytes. `architecture` is the variant's. */
void gpu_shader_line(const struct gpu_shader_summary *s, unsigned architecture, char *text);

struct gpu_mix;
struct gpu_stats;

/* Empty statistics, to be freed with gpu_stats_free(). */
struct gpu_stats *gpu_stats_new(void);
void gpu_stats_free(struct gpu_stats *s);

/* Adds a job that has ended to the total and to the sums of its shader. The first MAX_JOBS jobs are
 * also kept as lines of the report, which says how many there were. `architecture` is the
 * variant's. */
void gpu_stats_job(struct gpu_stats *s, const struct gpu_counters *job, uint64_t header,
                   uint64_t shader, const struct gpu_shader_summary *summary,
                   unsigned architecture);

/* Lets gpu_stats_write() report `mix` as well, which must live as long as `s`. */
void gpu_stats_mix(struct gpu_stats *s, const struct gpu_mix *mix);

/* The sum over all jobs, valid as long as `s`. */
const struct gpu_counters *gpu_stats_total(const struct gpu_stats *s);

/* Sets the sum, from a snapshot of a machine. */
void gpu_stats_set_total(struct gpu_stats *s, const struct gpu_counters *total);

/* Registers the totals under `group` ("gpu/shader"); `s` must live until the last stats_write(). */
void gpu_stats_register(const struct gpu_stats *s, struct stats *stats, const char *group);

/*
 * Writes reports to folder `dir`, which is made if it does not exist. The files are
 *   gpu_shaders.txt, .json   the sums of each shader's jobs by decreasing cycles, with the figures
 *                            of Mesa's shader-db, and the total
 *   gpu_instructions.txt, .json  the executions of each instruction (gpu_stats_mix())
 *   gpu_jobs.txt, .json      the first MAX_JOBS jobs in the order of their ends, one per line
 */
bool gpu_stats_write(const struct gpu_stats *s, const char *dir, struct error *err);

/* Adds all counters of *from to those of *to. */
void gpu_counters_add(struct gpu_counters *to, const struct gpu_counters *from);
/* Adds executions of a bundle to the counters. */
void gpu_counters_add_bundle(struct gpu_counters *c, const struct gpu_profile *p,
                             const struct gpu_bundle_count *n);

#endif
