/*
 * When results become visible: random bundles of additions, against a direct model of the rule. A
 * stage reads registers as they were before the previous stage's results; those are available as
 * temporaries.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/base/random.h"
#include "tests/gpu_core/bench.h"

/* LLVM takes ten milliseconds per bundle, so fewer are translated. */
enum { LANES = 8, BUNDLES = 20000, TRANSLATED_BUNDLES = 4000, FEW_REGISTERS = 5 };

static uint32_t dumped[TOY_REGISTERS][LANES];

static void dump_registers(const struct gpu_warp *w)
{
    for (unsigned r = 0; r < TOY_REGISTERS; r++)
        memcpy(dumped[r], w->state + r * w->lanes * sizeof(uint32_t), sizeof(dumped[r]));
}

/* ---- the model ------------------------------------------------------------------------------- */

/* The state of one lane. */
struct model {
    uint32_t reg[TOY_REGISTERS];
    uint32_t now[2], before[2]; /* results of the units in this stage and in the previous one */
    uint32_t uniform[2];
    uint32_t lane;
};

static uint32_t source_value(const struct model *m, const struct toy_bundle *c, unsigned stage,
                             unsigned selector)
{
    switch (selector) {
    case TOY_SAME:
        return m->now[0];
    case TOY_PREVIOUS_0:
        return m->before[0];
    case TOY_PREVIOUS_1:
        return m->before[1];
    case TOY_ZERO:
        return 0;
    case TOY_UNIFORM_0:
        return m->uniform[0];
    case TOY_UNIFORM_1:
        return m->uniform[1];
    case TOY_CONSTANT_0:
        return (uint32_t)c->constant[0];
    case TOY_CONSTANT_1:
        return (uint32_t)c->constant[1];
    case TOY_LANE_ID:
        return m->lane;
    default:
        return m->reg[c->block[stage] >> 8 * selector & 0xff];
    }
}

/* Writes the results of stage `stage`, which `results` holds, to the registers. */
static void commit_results(struct model *m, const struct toy_bundle *c, unsigned stage,
                           const uint32_t *results)
{
    uint64_t block = c->block[stage + 1 == c->stages ? 0 : stage + 1];

    for (unsigned u = 0; u < 2; u++) {
        uint32_t *reg = &m->reg[block >> (32 + 8 * u) & 0xff];
        unsigned halves = block >> (48 + 2 * u) & 3;
        uint32_t mask = (halves & 1 ? 0xffffu : 0) | (halves & 2 ? 0xffff0000u : 0);

        *reg = (*reg & ~mask) | (results[u] & mask);
    }
}

static void run_model(struct model *m, const struct toy_bundle *c)
{
    for (unsigned t = 0; t < c->stages; t++) {
        for (unsigned u = 0; u < 2; u++) {
            uint32_t word = c->word[t][u];

            m->now[u] = source_value(m, c, t, word >> 4 & 15) +
                        source_value(m, c, t, word >> 8 & 15) + (uint32_t)(int16_t)(word >> 16);
        }
        if (t)
            commit_results(m, c, t - 1, m->before);
        memcpy(m->before, m->now, sizeof(m->now));
    }
    commit_results(m, c, c->stages - 1, m->before);
}

/* ---- random bundles -------------------------------------------------------------------------- */

static unsigned random_selector(uint64_t *r, unsigned stage, unsigned unit)
{
    unsigned s;

    do
        s = (unsigned)(random_next(r) % TOY_RESERVED);
    while ((s == TOY_SAME && unit == 0) ||
           (stage == 0 && (s == TOY_PREVIOUS_0 || s == TOY_PREVIOUS_1)));
    return s;
}

static void random_bundle(uint64_t *r, struct toy_bundle *c)
{
    *c = (struct toy_bundle){
        .stages = 1 + (unsigned)(random_next(r) % TOY_MAX_STAGES),
        .constants = 2,
        .constant = {random_next(r), random_next(r)},
    };
    for (unsigned t = 0; t < c->stages; t++) {
        for (unsigned s = 0; s < 4; s++)
            toy_read(c, t, s, (unsigned)(random_next(r) % FEW_REGISTERS));
        for (unsigned u = 0; u < 2; u++) {
            c->word[t][u] = toy_word(TOY_ADD, random_selector(r, t, u), random_selector(r, t, u),
                                     (unsigned)random_next(r));
            toy_write(c, t, u, (unsigned)(random_next(r) % FEW_REGISTERS),
                      random_next(r) % 2 ? 3 : (unsigned)(random_next(r) % 4));
        }
    }
}

static void compare_with_model(const struct toy_bundle *c, const uint32_t *uniform, unsigned number)
{
    for (unsigned l = 0; l < LANES; l++) {
        struct model m = {.uniform = {uniform[0], uniform[1]}, .lane = l};

        m.reg[8] = m.reg[10] = l; /* preloaded registers */
        run_model(&m, c);
        run_model(&m, c);
        for (unsigned i = 0; i < FEW_REGISTERS; i++)
            if (m.reg[i] != dumped[i][l])
                fail_msg("bundle %u, lane %u, register %u: %08x, not %08x", number, l, i,
                         dumped[i][l], m.reg[i]);
    }
}

static void random_bundles(void **state)
{
    unsigned count = bench_translates() ? TRANSLATED_BUNDLES : BUNDLES;
    uint64_t r = 1;

    (void)state;
    toy_dump = dump_registers;
    for (unsigned i = 0; i < count; i++) {
        struct bench *b = i % 64 ? *state : bench_new(LANES, 1, LANES);
        struct toy_bundle c;
        uint32_t uniform[2] = {(uint32_t)random_next(&r), (uint32_t)random_next(&r)};

        if (i % 64 == 0 && *state)
            bench_free(*state);
        *state = b;
        b->code_end = BENCH_CODE;
        random_bundle(&r, &c);
        bench_bundle(b, &c);
        bench_bundle(b, &c);
        bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_DUMP, 0, 0, 0), 0, 0, TOY_REGISTERS);
        bench_set_word(b, BENCH_UNIFORMS, uniform[0]);
        bench_set_word(b, BENCH_UNIFORMS + 4, uniform[1]);
        assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
        compare_with_model(&c, uniform, i);
    }
    bench_free(*state);
}

/* More constants than the pool has room for: the bundle fills its slots itself. */
static void many_constants(void **state)
{
    struct bench *b = bench_new(32, 1, 32);
    uint32_t sum = 0;

    (void)state;
    for (unsigned i = 0; i < 400; i++) {
        struct toy_bundle c = {.stages = 1, .constants = 2};

        c.constant[0] = 1000 + 2 * i;
        c.constant[1] = 1001 + 2 * i;
        toy_read(&c, 0, 0, 1);
        c.word[0][0] = toy_word(TOY_ADD, TOY_CONSTANT_0, TOY_CONSTANT_1, 0);
        c.word[0][1] = toy_word(TOY_ADD, 0, TOY_SAME, 0);
        toy_write(&c, 0, 1, 1, 3);
        bench_bundle(b, &c);
        sum += 2001 + 4 * i;
    }
    /* r1 to memory, the same in each lane */
    struct toy_bundle store = {.stages = 1, .constants = 2, .flags = GPU_BUNDLE_END};

    store.constant[0] = BENCH_DATA;
    toy_read(&store, 0, 0, 1);
    store.word[0][1] = toy_word(TOY_STORE, TOY_CONSTANT_0, 0, 0);
    bench_bundle(b, &store);
    assert_true(b->code_end <= BENCH_DATA);
    assert_int_equal(bench_run(b, 1).progress, GPU_PROGRESS_DONE);
    assert_int_equal(bench_word(b, BENCH_DATA), sum);
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bundles),
        cmocka_unit_test(many_constants),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
