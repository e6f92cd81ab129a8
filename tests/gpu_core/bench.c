/* The bench of the shader core's tests: a compute job's descriptors in flat memory. */

#include "tests/gpu_core/bench.h"

#include <stdlib.h>
#include <string.h>

#include "mali_layout.h"

enum { ARCHITECTURE = 7, UNMAPPED = 0xc3 };

static uint32_t translate_page(void *opaque, uint64_t va, enum gpu_access access,
                               struct gpu_page *out)
{
    struct bench *b = opaque;
    uint64_t page = va / BENCH_PAGE;

    (void)access;
    if (page >= BENCH_PAGES || !__atomic_load_n(&b->mapped[page], __ATOMIC_ACQUIRE))
        return UNMAPPED;
    *out = (struct gpu_page){b->memory + page * BENCH_PAGE, BENCH_PAGE, true, true, true};
    return 0;
}

void bench_put(struct bench *b, uint64_t at, unsigned bit, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++) {
        uint8_t *byte = &b->memory[at + (bit + i) / 8];

        *byte &= (uint8_t) ~(1u << (bit + i) % 8);
        *byte |= (uint8_t)((value >> i & 1) << (bit + i) % 8);
    }
}

#define PUT(b, at, NAME, value) bench_put(b, at, MALI_##NAME##_BIT, MALI_##NAME##_WIDTH, value)

uint32_t bench_word(const struct bench *b, uint64_t va)
{
    uint32_t v;

    memcpy(&v, b->memory + va, sizeof(v));
    return v;
}

void bench_set_word(struct bench *b, uint64_t va, uint32_t v)
{
    memcpy(b->memory + va, &v, sizeof(v));
}

static unsigned bits_for(unsigned n)
{
    unsigned bits = 0;

    while (n >> bits)
        bits++;
    return bits;
}

void bench_size(struct bench *b, unsigned threads, unsigned groups)
{
    uint64_t at = BENCH_JOB + MALI_JOB_HEADER_BYTES + MALI_COMPUTE_PAYLOAD_INVOCATION_OFFSET;
    unsigned split = bits_for(threads - 1), end = split + bits_for(groups - 1);

    PUT(b, at, INVOCATION_PACKED, (threads - 1) | (uint64_t)(groups - 1) << split);
    PUT(b, at, INVOCATION_SIZE_Y_SHIFT, split);
    PUT(b, at, INVOCATION_SIZE_Z_SHIFT, split);
    PUT(b, at, INVOCATION_GROUPS_X_SHIFT, split);
    PUT(b, at, INVOCATION_GROUPS_Y_SHIFT, end);
    PUT(b, at, INVOCATION_GROUPS_Z_SHIFT, end);
}

static void make_job(struct bench *b)
{
    uint64_t draw = BENCH_JOB + MALI_JOB_HEADER_BYTES + MALI_COMPUTE_PAYLOAD_DRAW_OFFSET;
    uint64_t preload = BENCH_STATE + MALI_RENDERER_STATE_PRELOAD_OFFSET;

    PUT(b, draw, DRAW_STATE, BENCH_STATE);
    PUT(b, draw, DRAW_PUSH_UNIFORMS, BENCH_UNIFORMS);
    PUT(b, draw, DRAW_THREAD_STORAGE, BENCH_STORAGE);
    PUT(b, draw, DRAW_UNIFORM_BUFFERS, BENCH_BLOCKS);
    /* the shader's address: a field that has two shapes */
    bench_put(b, BENCH_STATE, 0, 64, BENCH_CODE);
    PUT(b, BENCH_STATE, RENDERER_STATE_UNIFORM_BUFFER_COUNT, 1);
    PUT(b, preload, COMPUTE_PRELOAD_LOCAL_ID_XY, 1);
    PUT(b, preload, COMPUTE_PRELOAD_GROUP_ID_X, 1);
    PUT(b, preload, COMPUTE_PRELOAD_GLOBAL_ID_X, 1);
    PUT(b, preload, COMPUTE_PRELOAD_UNIFORM_COUNT, 1);
    PUT(b, BENCH_STORAGE, LOCAL_STORAGE_TLS_SIZE, 1);
    PUT(b, BENCH_STORAGE, LOCAL_STORAGE_TLS_BASE, BENCH_THREADS);
    PUT(b, BENCH_STORAGE, LOCAL_STORAGE_WLS_SIZE_SCALE, 9); /* 256 bytes */
    PUT(b, BENCH_STORAGE, LOCAL_STORAGE_WLS_BASE, BENCH_LOCAL);
    PUT(b, BENCH_BLOCKS, UNIFORM_BUFFER_POINTER, BENCH_DATA >> 4);
}

bool bench_translates(void)
{
    return getenv("BENCH_TRANSLATE");
}

struct bench *bench_new(unsigned lanes, unsigned host_threads, unsigned threads)
{
    return bench_new_isa(&toy_isa, lanes, host_threads, threads);
}

struct bench *bench_new_isa(const struct gpu_isa *isa, unsigned lanes, unsigned host_threads,
                            unsigned threads)
{
    struct bench *b = aligned_alloc(BENCH_PAGE, (sizeof(*b) + BENCH_PAGE - 1) & ~4095ul);

    memset(b, 0, sizeof(*b));
    memset(b->mapped, true, sizeof(b->mapped));
    b->mapped[0] = false;
    b->as = (struct gpu_address_space){.opaque = b, .translate = translate_page, .generation = 1};
    b->variant = (struct gpu_variant){
        .name = "toy",
        .architecture = ARCHITECTURE,
        .cores = 3,
        .warp_width = lanes,
        .engines = 1,
        .max_group = 1024,
        .bundle_cycles = 2,
        .stage_cycles = 1,
    };
    b->code_end = BENCH_CODE;
    make_job(b);
    bench_size(b, threads, 1);
    b->cores = gpu_cores_new(&b->variant, isa, host_threads);
    if (b->cores && bench_translates())
        gpu_cores_translate(b->cores, 1);
    return b;
}

void bench_free(struct bench *b)
{
    gpu_cores_free(b->cores);
    free(b);
}

uint64_t bench_bundle(struct bench *b, const struct toy_bundle *c)
{
    uint64_t at = b->code_end;

    b->code_end += toy_pack(c, b->memory + at);
    return at;
}

uint64_t bench_simple(struct bench *b, unsigned flags, uint32_t word, unsigned source0,
                      unsigned source1, unsigned result)
{
    struct toy_bundle c = {.stages = 1, .flags = flags, .word = {{0, word}}};

    toy_read(&c, 0, 0, source0);
    toy_read(&c, 0, 1, source1);
    if (result < TOY_REGISTERS)
        toy_write(&c, 0, 1, result, 3);
    return bench_bundle(b, &c);
}

struct gpu_outcome bench_step(struct gpu_compute *job, unsigned steps)
{
    struct gpu_outcome out = {.progress = GPU_PROGRESS_MORE};
    uint64_t cycles = 0;

    while (steps-- && out.progress == GPU_PROGRESS_MORE) {
        gpu_compute_step(job, &out);
        cycles += out.cycles;
    }
    out.cycles = cycles;
    return out;
}

struct gpu_outcome bench_run(struct bench *b, unsigned steps)
{
    struct gpu_outcome out;
    struct gpu_compute *job = gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out);

    if (!job)
        return out;
    out = bench_step(job, steps);
    gpu_compute_free(job);
    return out;
}

void bench_pass_bundle(void *opaque, const struct gpu_inspected *at)
{
    (void)opaque;
    (void)at;
}

void bench_pass_access(void *opaque, struct gpu_warp *row, const struct gpu_inspected_access *a)
{
    (void)opaque;
    (void)row;
    (void)a;
}
