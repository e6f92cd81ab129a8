/*
 * Generated handlers of both units against the reference of this folder: every instruction word of
 * the FMA and ADD units is decoded, and some words of each form are run on random operands. The
 * reference's result must be in the result slot of active lanes, and inactive lanes must not
 * change.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/bifrost_int/machine.h"
#include "tests/bifrost_int/reference.h"

enum {
    RUNS_OF_A_FORM = 1500,
    RESULT_UNTOUCHED = 0x5a5a5a5a,
    FMA_ZERO = 3,   /* source 3 of the FMA unit is the number 0 */
    FMA_FORMS = 64, /* forms that the reference knows */
    ADD_FORMS = 69,
};

/* Random values that favour the edges of ranges. */
static uint32_t random_edge(uint64_t *seed)
{
    static const uint32_t edges[] = {0,          1,          0xffffffff, 0x80000000,
                                     0x7fffffff, 0x80008000, 0x7fff7fff, 0x80808080,
                                     0x7f7f7f7f, 0x00ff00ff, 0x3f800000, 0x7f800000,
                                     0xffc00000, 0x7c00fc00, 0x00018001, 31};
    uint32_t kind = machine_random(seed) % 4;

    if (kind == 0)
        return edges[machine_random(seed) % (sizeof(edges) / sizeof(edges[0]))];
    return kind == 1 ? machine_random(seed) >> machine_random(seed) % 32 : machine_random(seed);
}

static void fill_sources(struct machine *m, const struct machine_unit *u, uint64_t *seed)
{
    for (unsigned s = 0; s < 8; s++)
        for (unsigned l = 0; l < m->w->lanes; l++)
            *machine_slot(m, MACHINE_SOURCES + s, l) =
                u == &machine_fma && s == FMA_ZERO ? 0 : random_edge(seed);
    for (unsigned l = 0; l < m->w->lanes; l++)
        *machine_slot(m, MACHINE_RESULT, l) = RESULT_UNTOUCHED;
}

/* Fills in what each source of the instruction reads in a lane. */
static void source_values(struct machine *m, const struct machine_unit *u,
                          const struct reference_instr *in, unsigned lane, uint32_t *value)
{
    for (unsigned i = 0; i < in->sources; i++)
        value[i] = *machine_slot(m, machine_source(u, in->source[i].name), lane);
}

static bool check_word(struct machine *m, const struct machine_unit *u, const char *text,
                       uint64_t *seed)
{
    uint32_t value[REFERENCE_SOURCES] = {0}, want = 0;
    struct reference_instr in;

    if (!reference_parse(text, &in))
        fail_msg("text '%s'", text);
    if (!reference_run(&in, value, &want))
        return false;
    fill_sources(m, u, seed);
    machine_set_active(m, machine_random(seed) | 1);
    machine_run(m);
    for (unsigned l = 0; l < m->w->lanes; l++) {
        uint32_t got = *machine_slot(m, MACHINE_RESULT, l);

        source_values(m, u, &in, l, value);
        reference_run(&in, value, &want);
        if (!(m->w->active >> l & 1))
            want = RESULT_UNTOUCHED;
        if (got != want)
            fail_msg("%s of 0x%08x 0x%08x 0x%08x 0x%08x in lane %u: 0x%08x, not 0x%08x", text,
                     value[0], value[1], value[2], value[3], l, got, want);
    }
    return true;
}

static void check_unit(const struct machine_unit *u, unsigned lanes, uint64_t seed, unsigned forms)
{
    struct machine *m = machine_new(lanes);

    assert_int_equal(machine_each_word(m, u, RUNS_OF_A_FORM, seed, check_word), forms);
    machine_free(m);
}

static void test_fma(void **state)
{
    (void)state;
    check_unit(&machine_fma, 4, 1, FMA_FORMS);
}

static void test_add(void **state)
{
    (void)state;
    check_unit(&machine_add, 4, 2, ADD_FORMS);
}

static void test_wide_warps(void **state)
{
    (void)state;
    check_unit(&machine_fma, 8, 3, FMA_FORMS);
    check_unit(&machine_add, 8, 4, ADD_FORMS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fma),
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_wide_warps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
