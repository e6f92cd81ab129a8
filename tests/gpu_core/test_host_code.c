/*
 * The bound on host code of all shaders: loops without room stay interpreted, with the same
 * results.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mali_layout.h"
#include "runtime/gpu/shader/core.h"
#include "tests/gpu_core/bench.h"

enum { LANES = 4, OUT = BENCH_DATA + 8 * BENCH_PAGE, LOOPS = 12, ROUNDS = 20, SHADERS = 3 };

/*
 * A shader in which each loop is a trace of its own: r1 is its number of rounds, r2 counts them; r2
 * is stored at OUT.
 */
static void put_shader(struct bench *b, unsigned number)
{
    struct toy_bundle store = {
        .stages = 1, .constants = 2, .flags = GPU_BUNDLE_END, .constant = {OUT}};

    b->code_end = BENCH_CODE + number * 4 * BENCH_PAGE;
    bench_put(b, BENCH_STATE, 0, 64, b->code_end);
    for (unsigned i = 0; i < LOOPS; i++) {
        uint64_t loop;

        bench_simple(b, 0, toy_word(TOY_ADD, TOY_ZERO, TOY_ZERO, ROUNDS), 0, 0, 1);
        loop = bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, 1 + number), 2, 0, 2);
        bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, (unsigned)-1), 1, 0, 1);
        bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, (unsigned)((loop - b->code_end) / 16)), 1, 0,
                     TOY_REGISTERS);
    }
    toy_read(&store, 0, 0, 2);
    store.word[0][1] = toy_word(TOY_STORE, TOY_CONSTANT_0, 0, 0);
    bench_bundle(b, &store);
}

/*
 * Returns the amount of host code of all shaders as the bound counts it, and in `traces` the number
 * of traces of the shader at `address`.
 */
static unsigned host_code(const struct bench *b, uint64_t address, unsigned *traces)
{
    unsigned sum = 0;

    *traces = 0;
    for (unsigned i = 0; i < GPU_MAX_SHADERS; i++) {
        const struct gpu_shader *s = b->cores->shaders[i];

        for (unsigned n = 0; s && n < s->code_count; n++)
            for (const struct gpu_trace *t = s->codes[n]->trace; t; t = t->next_trace) {
                sum += (t->count + GPU_FUNCTION_CODE) * (t->rows_engine ? 2 : 1);
                *traces += s->address == address;
            }
    }
    return sum;
}

/* Runs the shader. Returns its number of traces. */
static unsigned run_shader(struct bench *b, unsigned number, unsigned room)
{
    unsigned traces;

    put_shader(b, number);
    assert_int_equal(bench_run(b, 10).progress, GPU_PROGRESS_DONE);
    assert_int_equal(bench_word(b, OUT), LOOPS * ROUNDS * (1 + number));
    assert_in_range(host_code(b, BENCH_CODE + number * 4 * BENCH_PAGE, &traces), 0, room);
    return traces;
}

static void is_bounded(void **state)
{
    enum { ROOM = 8 * (GPU_FUNCTION_CODE + 4) };
    struct bench *b = bench_new(LANES, 1, LANES);

    (void)state;
    gpu_cores_translate(b->cores, 4);
    gpu_translator_set_room(b->cores->translator, ROOM);
    if (b->cores->translator) {
        assert_in_range(run_shader(b, 0, ROOM), 5, 8);
        /* Shaders that are not running are dropped to make room. */
        for (unsigned i = 1; i < SHADERS; i++)
            assert_in_range(run_shader(b, i, ROOM), 3, 8);
        assert_in_range(run_shader(b, 0, ROOM), 3, 8);
        gpu_translator_set_room(b->cores->translator, 0);
        assert_int_equal(run_shader(b, 1, 0), 0);
    }
    bench_free(b);
}

/* Without the bound each loop becomes host code. */
static void has_room(void **state)
{
    struct bench *b = bench_new(LANES, 1, LANES);

    (void)state;
    gpu_cores_translate(b->cores, 4);
    if (b->cores->translator)
        assert_in_range(run_shader(b, 0, GPU_HOST_CODE), LOOPS, GPU_HOST_CODE);
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_bounded),
        cmocka_unit_test(has_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
