/* Descriptors of compute jobs: the fields that are read, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/asm_text.h"
#include "mali_layout.h"
#include "runtime/gpu/observer.h"
#include "tests/gpu_core/bench.h"

enum {
    LANES = 4,
    OUT = BENCH_DATA,
    PAYLOAD = BENCH_JOB + MALI_JOB_HEADER_BYTES,
    DRAW = PAYLOAD + MALI_COMPUTE_PAYLOAD_DRAW_OFFSET,
};

/* Stores at OUT the result of an instruction on two constants. */
static uint32_t result_of(struct bench *b, uint32_t word, uint64_t c0, uint64_t c1)
{
    struct toy_bundle c = {.stages = 2, .constants = 3, .flags = GPU_BUNDLE_END};

    b->code_end = BENCH_CODE;
    c.constant[0] = c0;
    c.constant[1] = c1;
    c.word[0][1] = word;
    toy_write(&c, 0, 1, 1, 3);
    toy_read(&c, 1, 0, 10);
    bench_bundle(b, &c);
    c = (struct toy_bundle){.stages = 1, .constants = 1, .flags = GPU_BUNDLE_END};
    c.constant[0] = OUT + 512;
    toy_read(&c, 0, 0, 1);
    c.word[0][1] = toy_word(TOY_STORE, TOY_CONSTANT_0, 0, 0);
    b->memory[BENCH_CODE + 1] = 0; /* clears the end flag of the first bundle */
    bench_bundle(b, &c);
    assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
    return bench_word(b, OUT + 512);
}

/* Uniform buffers: one entry of 16 bytes. */
static void uniform_buffers(void **state)
{
    struct bench *b = bench_new(LANES, 1, 1);
    uint32_t word = toy_word(TOY_UNIFORM, TOY_CONSTANT_0, TOY_CONSTANT_1, 0);

    (void)state;
    assert_int_equal(result_of(b, word, 0, 0), BENCH_DATA);
    assert_int_equal(result_of(b, word, 0, 12), BENCH_DATA + 12);
    assert_int_equal(result_of(b, word, 0, 13), 0);
    assert_int_equal(result_of(b, word, 0, 0xfffffffe), 0);
    assert_int_equal(result_of(b, word, 1, 0), 0);
    assert_int_equal(result_of(b, word, 0xffffffff, 0), 0);
    bench_free(b);
}

/* Thread memory of 32 bytes per thread; the last thread's number is written to OUT last. */
static void thread_memory(void **state)
{
    struct bench *b = bench_new(LANES, 1, 6);

    (void)state;
    assert_int_equal(result_of(b, toy_word(TOY_THREAD, 0, 0, 0), 0, 0), BENCH_THREADS + 5 * 32);
    bench_free(b);
}

static void push_uniforms(void **state)
{
    struct bench *b = bench_new(LANES, 1, 1);

    (void)state;
    bench_set_word(b, BENCH_UNIFORMS, 40);
    bench_set_word(b, BENCH_UNIFORMS + 4, 2);
    assert_int_equal(result_of(b, toy_word(TOY_ADD, TOY_UNIFORM_0, TOY_UNIFORM_1, 0), 0, 0), 42);
    /* New uniforms take effect in an unchanged shader. */
    bench_set_word(b, BENCH_UNIFORMS, 50);
    assert_int_equal(result_of(b, toy_word(TOY_ADD, TOY_UNIFORM_0, TOY_UNIFORM_1, 0), 0, 0), 52);
    bench_free(b);
}

static void expect_refused(void (*spoil)(struct bench *b), enum gpu_progress progress)
{
    struct bench *b = bench_new(LANES, 1, 4);
    struct gpu_outcome out;

    spoil(b);
    assert_null(gpu_compute_start(b->cores, &b->as, BENCH_JOB, &out));
    assert_int_equal(out.progress, progress);
    if (progress == GPU_PROGRESS_FAILED)
        assert_int_equal(out.code, GPU_JOB_CONFIG_FAULT);
    bench_free(b);
}

static void group_too_large(struct bench *b)
{
    bench_size(b, 1025, 1);
}

static void shifts_go_back(struct bench *b)
{
    bench_put(b, PAYLOAD, MALI_INVOCATION_SIZE_Z_SHIFT_BIT, MALI_INVOCATION_SIZE_Z_SHIFT_WIDTH, 1);
}

static void no_state(struct bench *b)
{
    bench_put(b, DRAW, MALI_DRAW_STATE_BIT, MALI_DRAW_STATE_WIDTH, 0);
}

static void state_far_away(struct bench *b)
{
    bench_put(b, DRAW, MALI_DRAW_STATE_BIT, MALI_DRAW_STATE_WIDTH, UINT64_MAX - 3);
}

static void no_uniforms(struct bench *b)
{
    bench_put(b, DRAW, MALI_DRAW_PUSH_UNIFORMS_BIT, MALI_DRAW_PUSH_UNIFORMS_WIDTH, 0);
}

static void no_job(struct bench *b)
{
    b->mapped[BENCH_JOB / BENCH_PAGE] = false;
}

static void memory_wraps(struct bench *b)
{
    bench_put(b, BENCH_STORAGE, MALI_LOCAL_STORAGE_TLS_BASE_BIT, MALI_LOCAL_STORAGE_TLS_BASE_WIDTH,
              UINT64_MAX - 15);
}

static void too_many_attributes(struct bench *b)
{
    bench_put(b, BENCH_STATE, MALI_RENDERER_STATE_ATTRIBUTE_COUNT_BIT,
              MALI_RENDERER_STATE_ATTRIBUTE_COUNT_WIDTH, 0xffff);
}

static void bad_jobs_are_refused(void **state)
{
    (void)state;
    expect_refused(group_too_large, GPU_PROGRESS_FAILED);
    expect_refused(shifts_go_back, GPU_PROGRESS_FAILED);
    expect_refused(memory_wraps, GPU_PROGRESS_FAILED);
    expect_refused(too_many_attributes, GPU_PROGRESS_FAILED);
    expect_refused(no_state, GPU_PROGRESS_FAULT);
    expect_refused(state_far_away, GPU_PROGRESS_FAULT);
    expect_refused(no_uniforms, GPU_PROGRESS_FAULT);
    expect_refused(no_job, GPU_PROGRESS_FAULT);
}

static unsigned disassembled;

static size_t count_disasm(const uint8_t *code, size_t available, unsigned index, uint32_t uniforms,
                           struct asm_out *out)
{
    (void)code, (void)available, (void)index, (void)uniforms, (void)out;
    disassembled++;
    return 0;
}

/* Shaders are disassembled for reports only if there will be one, and once each. */
static void shaders_described(void **state)
{
    struct gpu_isa isa = toy_isa;
    struct bench *b;
    unsigned once;

    (void)state;
    isa.disasm_bundle = count_disasm;
    disassembled = 0;
    b = bench_new_isa(&isa, LANES, 1, 1);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_NOP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
    assert_int_equal(disassembled, 0);
    gpu_cores_describe_shaders(b->cores);
    assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
    once = disassembled;
    assert_int_not_equal(once, 0);
    assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
    assert_int_equal(disassembled, once);
    bench_free(b);
}

static size_t whole_disasm(const uint8_t *code, size_t available, unsigned index, uint32_t uniforms,
                           struct asm_out *out)
{
    struct gpu_bundle bundle = {0};

    (void)index, (void)uniforms;
    out->text[0] = 0;
    disassembled++;
    return toy_isa.unpack(code, available, 0, &bundle) ? toy_isa.max_bytes : 0;
}

/* A kernel's hash depends on its code, not on its address; known code is not disassembled again. */
static void kernels_by_hash(void **state)
{
    struct gpu_isa isa = toy_isa;
    struct bench *b;
    struct gpu_kernels *k;
    uint64_t hash, other = BENCH_DATA, end;

    (void)state;
    isa.disasm_bundle = whole_disasm;
    b = bench_new_isa(&isa, LANES, 1, 1);
    k = gpu_kernels_new(&isa);
    bench_simple(b, 0, toy_word(TOY_NOP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_NOP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    end = b->code_end - BENCH_CODE;
    memcpy(b->memory + other, b->memory + BENCH_CODE, end);
    hash = gpu_kernel_hash(k, &b->as, BENCH_CODE, 0);
    assert_true(hash != 0);
    disassembled = 0;
    assert_true(gpu_kernel_hash(k, &b->as, BENCH_CODE, 0) == hash);
    assert_int_equal(disassembled, 0);
    assert_true(gpu_kernel_hash(k, &b->as, other, 0) == hash);
    assert_true(gpu_kernel_hash(k, &b->as, BENCH_CODE + end / 2, 0) != hash);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_NOP, 0, 0, 1), 0, 0, TOY_REGISTERS);
    memcpy(b->memory + other + end / 2, b->memory + BENCH_CODE + end, end / 2);
    assert_true(gpu_kernel_hash(k, &b->as, other, 0) != hash);
    b->mapped[other / BENCH_PAGE] = false;
    b->as.generation++;
    assert_true(gpu_kernel_hash(k, &b->as, other, 0) == 0);
    assert_true(gpu_kernel_hash(k, &b->as, 0, 0) == 0);
    gpu_kernels_free(k);
    bench_free(b);
}

/* Cores that cannot be. */
static void impossible_widths(void **state)
{
    static const unsigned widths[] = {0, 3, 6, 36, 64};
    struct gpu_variant v = {.name = "toy", .architecture = 7, .cores = 1, .engines = 1};

    (void)state;
    for (unsigned i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
        v.warp_width = widths[i];
        assert_null(gpu_cores_new(&v, &toy_isa, 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_buffers),   cmocka_unit_test(thread_memory),
        cmocka_unit_test(push_uniforms),     cmocka_unit_test(bad_jobs_are_refused),
        cmocka_unit_test(shaders_described), cmocka_unit_test(impossible_widths),
        cmocka_unit_test(kernels_by_hash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
