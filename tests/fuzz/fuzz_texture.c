/*
 * The texture unit: descriptors of a texture and a sampler, surfaces, formats and requests.
 *
 * Input: version of the GPU, a texture, a sampler, number of surfaces; the surfaces; then requests.
 * A request is an operation, the number of its operands, and for each operand its index and a value
 * of four bytes. Operations LOAD and STORE access a texel of a format.
 */
#include <string.h>

#include "mali_layout.h"
#include "runtime/gpu/lane_memory.h"
#include "runtime/gpu/shader/core.h"
#include "tests/fuzz/fuzz.h"
#include "tests/gpu_core/bench.h"

enum {
    LANES = 4,
    FIRST_VERSION = 4,
    VERSIONS = 4,
    MAX_REQUESTS = 64,
    LOAD = GPU_TEXTURE_GRADIENT + 1,
    STORE,
    OPERATIONS,
    TEXTURE = BENCH_DATA,
    SAMPLER = BENCH_DATA + 64,
    SURFACES = BENCH_DATA + 256,
    DRAW = BENCH_JOB + MALI_JOB_HEADER_BYTES + MALI_COMPUTE_PAYLOAD_DRAW_OFFSET,
};

/* What is left of the input. */
static const uint8_t *rest;
static size_t rest_bytes;

/* The next bytes of the input, zeros behind its end. */
static void next_bytes(void *to, size_t bytes)
{
    size_t n = bytes < rest_bytes ? bytes : rest_bytes;

    memset(to, 0, bytes);
    if (n)
        memcpy(to, rest, n);
    rest += n;
    rest_bytes -= n;
}

static uint8_t next_byte(void)
{
    uint8_t v;

    next_bytes(&v, sizeof(v));
    return v;
}

static uint32_t next_word(void)
{
    uint32_t v;

    next_bytes(&v, sizeof(v));
    return v;
}

static void load_or_store(struct gpu_warp *w, bool stores)
{
    uint64_t va = BENCH_DATA + next_word() % (2 * BENCH_DATA);
    uint32_t format = next_word(), in_registers = next_byte() % (GPU_REGISTER_AUTO + 1), c[4];

    next_bytes(c, sizeof(c));
    if (stores)
        gpu_pixel_store(w, NULL, 0, va, format, in_registers, next_byte() % 5, c[0], c[1], c[2],
                        c[3]);
    else
        gpu_pixel_load(w, NULL, 0, va, format, in_registers, c[0]);
}

static void run_request(struct gpu_warp *w)
{
    uint8_t operation = next_byte() % OPERATIONS, operands = next_byte() % 32;

    if (operation >= LOAD) {
        load_or_store(w, operation == STORE);
    } else {
        for (uint8_t i = 0; i < operands; i++) {
            uint8_t which = next_byte();

            gpu_texture_operand(w, which, next_word());
        }
        gpu_texture_request(w, NULL, 0, operation);
        for (uint32_t k = 0; k < 5; k++)
            gpu_texture_result(w, k);
    }
}

static void run_requests(const struct gpu_warp *seen)
{
    struct gpu_warp *w = (struct gpu_warp *)(uintptr_t)seen;

    for (unsigned i = 0; i < MAX_REQUESTS && rest_bytes; i++) {
        run_request(w);
        w->faulted = GPU_FAULT_NONE; /* refused, or a page that is not there: the next one */
    }
}

#define PUT(b, at, NAME, value) bench_put(b, at, MALI_##NAME##_BIT, MALI_##NAME##_WIDTH, value)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bench *b = bench_new(LANES, 1, 1);

    rest = data;
    rest_bytes = size;
    b->variant.architecture = FIRST_VERSION + next_byte() % VERSIONS;
    next_bytes(b->memory + TEXTURE, MALI_TEXTURE_BYTES);
    next_bytes(b->memory + SAMPLER, MALI_SAMPLER_BYTES);
    next_bytes(b->memory + SURFACES, (size_t)next_byte() * MALI_SURFACE_BYTES);
    PUT(b, BENCH_STATE, RENDERER_STATE_TEXTURE_COUNT, 1);
    PUT(b, BENCH_STATE, RENDERER_STATE_SAMPLER_COUNT, 1);
    PUT(b, DRAW, DRAW_TEXTURES, TEXTURE);
    PUT(b, DRAW, DRAW_SAMPLERS, SAMPLER);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_DUMP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    toy_dump = run_requests;
    bench_run(b, 1);
    bench_free(b);
    return 0;
}
