/* A flat memory with a compute job in it, and the shader cores that run it. */
#ifndef TESTS_GPU_CORE_BENCH_H
#define TESTS_GPU_CORE_BENCH_H

#include "runtime/gpu/compute.h"
#include "runtime/gpu/inspect.h"
#include "runtime/gpu/variant.h"
#include "tests/gpu_core/toy_isa.h"

enum {
    BENCH_PAGE = 4096,
    BENCH_PAGES = 64,
    /* Addresses. */
    BENCH_JOB = 1 * BENCH_PAGE,
    BENCH_STATE = 2 * BENCH_PAGE,
    BENCH_UNIFORMS = 3 * BENCH_PAGE,
    BENCH_STORAGE = 3 * BENCH_PAGE + 2048,
    BENCH_BLOCKS = 3 * BENCH_PAGE + 3072,
    BENCH_CODE = 4 * BENCH_PAGE,
    BENCH_DATA = 16 * BENCH_PAGE,
    BENCH_LOCAL = 32 * BENCH_PAGE,
    BENCH_THREADS = 40 * BENCH_PAGE,
};

struct bench {
    uint8_t memory[BENCH_PAGES * BENCH_PAGE] __attribute__((aligned(4096)));
    bool mapped[BENCH_PAGES];
    struct gpu_address_space as;
    struct gpu_variant variant;
    struct gpu_cores *cores;
    uint64_t code_end; /* address after the code */
};

/* Whether all bundles are translated to host code at once: environment variable BENCH_TRANSLATE. */
bool bench_translates(void);
/* Makes a bench with all memory mapped and a job of one work-group of `threads` threads in x. */
struct bench *bench_new(unsigned lanes, unsigned host_threads, unsigned threads);
/* As bench_new(), with a shader ISA other than the toy's. */
struct bench *bench_new_isa(const struct gpu_isa *isa, unsigned lanes, unsigned host_threads,
                            unsigned threads);
void bench_free(struct bench *b);

/* Sets the threads per work-group and the number of work-groups, both in x. */
void bench_size(struct bench *b, unsigned threads, unsigned groups);
/* Appends a bundle to the shader. Returns its address. */
uint64_t bench_bundle(struct bench *b, const struct toy_bundle *c);
/* Appends a bundle of one stage with this instruction in its second unit. */
uint64_t bench_simple(struct bench *b, unsigned flags, uint32_t word, unsigned source0,
                      unsigned source1, unsigned result);

/* Sets bits of a descriptor at address `at`; `bit` is counted from there. */
void bench_put(struct bench *b, uint64_t at, unsigned bit, unsigned width, uint64_t value);
uint32_t bench_word(const struct bench *b, uint64_t va);
void bench_set_word(struct bench *b, uint64_t va, uint32_t v);

/* Runs at most `steps` steps of the job, until it needs the caller or has ended. */
struct gpu_outcome bench_run(struct bench *b, unsigned steps);
struct gpu_outcome bench_step(struct gpu_compute *job, unsigned steps);

/* Functions of an inspector that look at nothing. */
void bench_pass_bundle(void *opaque, const struct gpu_inspected *at);
void bench_pass_access(void *opaque, struct gpu_warp *row, const struct gpu_inspected_access *a);

#endif
