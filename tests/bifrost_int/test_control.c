/*
 * Branches, instructions that end or stop lanes, and instructions that read other lanes, on random
 * operands and masks of active lanes; and chains of comparisons.
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

enum { RUNS_OF_A_FORM = 400 };

/* ---- conditions ------------------------------------------------------------------------------ */

static uint32_t value_of(struct machine *m, const struct machine_unit *u,
                         const struct reference_instr *in, unsigned i, unsigned lane)
{
    return *machine_slot(m, machine_source(u, in->source[i].name), lane);
}

static bool is_float(const struct reference_instr *in)
{
    return in->modifiers && in->modifier[0][0] == 'f';
}

/* Returns a source as a number of the instruction's type. */
static double source_number(const struct reference_instr *in, unsigned i, uint32_t v)
{
    const char *type = in->modifiers ? in->modifier[0] : "u32";
    bool is_part = in->source[i].modifier[0] || !strcmp(type + 1, "16");
    uint32_t half = !strcmp(in->source[i].modifier, "h1") ? v >> 16 : v & 0xffff;
    float f;

    if (is_float(in) && is_part)
        return reference_half(half);
    if (is_float(in)) {
        memcpy(&f, &v, 4);
        return (double)f;
    }
    if (*type == 's')
        return is_part ? (double)(int16_t)half : (double)(int32_t)v;
    return is_part ? (double)half : (double)v;
}

static bool condition_holds(const struct reference_instr *in, double a, double b)
{
    return reference_has(in, "eq")   ? a == b
           : reference_has(in, "ne") ? a != b
           : reference_has(in, "gt") ? a > b
           : reference_has(in, "ge") ? a >= b
           : reference_has(in, "lt") ? a < b
                                     : a <= b;
}

/* Mask of the lanes whose first source is not zero. */
static uint32_t nonzero_lanes(struct machine *m, const struct machine_unit *u,
                              const struct reference_instr *in)
{
    uint32_t mask = 0;

    for (unsigned l = 0; l < m->w->width; l++)
        if (source_number(in, 0, value_of(m, u, in, 0, l)) != 0)
            mask |= UINT32_C(1) << l;
    return mask;
}

/* Whether a lane branches, or ends. */
static bool is_taken(struct machine *m, const struct machine_unit *u,
                     const struct reference_instr *in, unsigned lane)
{
    uint32_t all = (uint32_t)((UINT64_C(1) << m->w->width) - 1);
    double a = source_number(in, 0, value_of(m, u, in, 0, lane));

    if (!strcmp(in->name, "JUMP"))
        return true;
    if (!strcmp(in->name, "BRANCHC")) {
        uint32_t mask = nonzero_lanes(m, u, in) & m->w->active;

        return reference_has(in, "all") ? mask == m->w->active : mask != 0;
    }
    if (!strcmp(in->name, "BRANCH_DIVERG"))
        return m->w->active != all;
    if (!strcmp(in->name, "BRANCH_NO_DIVERG"))
        return m->w->active == all;
    if (!strcmp(in->name, "BRANCHZ"))
        return condition_holds(in, a, 0);
    return condition_holds(in, a, source_number(in, 1, value_of(m, u, in, 1, lane)));
}

/* ---- branches -------------------------------------------------------------------------------- */

static uint32_t random_edge(uint64_t *seed)
{
    static const uint32_t edges[] = {0,          1,          0xffffffff, 0x80000000, 0x7fffffff,
                                     0x80008000, 0x7c007c00, 0x00010001, 0xfe00fe00, 0x7fc00000};
    uint32_t r = machine_random(seed);

    return r & 1 ? edges[(r >> 1) % 10] : machine_random(seed);
}

/* Fills all lanes from a few different values, so that some lanes have equal ones. */
static void fill_lanes(struct machine *m, uint64_t *seed)
{
    uint32_t some[3] = {random_edge(seed), random_edge(seed), random_edge(seed)};

    for (unsigned s = 0; s < 8; s++)
        for (unsigned l = 0; l < m->w->width; l++)
            *machine_slot(m, MACHINE_SOURCES + s, l) = some[machine_random(seed) % 3];
    machine_set_active(m, machine_random(seed) | 1);
    if (machine_random(seed) & 1)
        machine_set_active(m, ~UINT32_C(0));
}

static bool is_branch(const struct reference_instr *in)
{
    return (!strncmp(in->name, "BRANCH", 6) && strcmp(in->name, "BRANCH_LOWBITS")) ||
           !strcmp(in->name, "JUMP");
}

static bool check_branch(struct machine *m, const struct machine_unit *u, const char *text,
                         uint64_t *seed)
{
    struct reference_instr in;

    assert_true(reference_parse(text, &in));
    if (!is_branch(&in))
        return false;
    for (unsigned i = 0; i + 1 < in.sources; i++)
        if (!strcmp(in.source[i].name, in.source[in.sources - 1].name))
            return false;
    fill_lanes(m, seed);
    for (unsigned l = 0; l < m->w->width; l++) /* branch targets: 0 in some lanes */
        if (machine_random(seed) % 4 == 0)
            *machine_slot(m, machine_source(u, in.source[in.sources - 1].name), l) = 0;
    machine_run(m);
    for (unsigned l = 0; l < m->w->width; l++) {
        bool goes = m->w->active >> l & 1 && is_taken(m, u, &in, l);
        uint32_t target = value_of(m, u, &in, in.sources - 1, l);
        int64_t away = (int32_t)(target - (uint32_t)MACHINE_CLAUSE);

        if ((m->w->ended >> l & 1) != (goes && target == 0) ||
            (m->w->branched >> l & 1) != (goes && target != 0))
            fail_msg("%s in lane %u of 0x%08x, 0x%08x", text, l, value_of(m, u, &in, 0, l),
                     in.sources > 1 ? value_of(m, u, &in, 1, l) : 0);
        if (goes && target != 0)
            assert_int_equal(m->w->target[l], MACHINE_CLAUSE + (uint64_t)away);
    }
    return true;
}

static bool check_end(struct machine *m, const struct machine_unit *u, const char *text,
                      uint64_t *seed)
{
    struct reference_instr in;
    uint32_t ends = 0;

    assert_true(reference_parse(text, &in));
    if (strcmp(in.name, "DISCARD") && strcmp(in.name, "BARRIER"))
        return false;
    fill_lanes(m, seed);
    for (unsigned l = 0; l < m->w->width; l++)
        if (*in.name == 'D' && m->w->active >> l & 1 && is_taken(m, u, &in, l))
            ends |= UINT32_C(1) << l;
    machine_run(m);
    assert_int_equal(m->w->ended, ends);
    assert_int_equal(m->w->wait, *in.name == 'B' ? GPU_WARP_BARRIER : GPU_WARP_RUNS);
    return true;
}

/* Instructions that no public source describes fault on any operands. */
static bool check_refusal(struct machine *m, const struct machine_unit *u, const char *text,
                          uint64_t *seed)
{
    static const char *const refused[] = {"ATOM_PRE", "BRANCH_LOWBITS", "IMOV_FMA", "DOORBELL",
                                          "EUREKA",   "KABOOM",         "LD_GCLK",  "SHIFT_DOUBLE",
                                          "IMULD",    "JUMP_EX"};
    struct reference_instr in;

    (void)u;
    assert_true(reference_parse(text, &in));
    for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        if (!strcmp(in.name, refused[i])) {
            fill_lanes(m, seed);
            machine_run(m);
            assert_int_equal(m->w->faulted, GPU_FAULT_UNIMPLEMENTED);
            return true;
        }
    return false;
}

static void test_branches(void **state)
{
    struct machine *m = machine_new(4), *wide;

    (void)state;
    assert_int_equal(machine_each_word(m, &machine_add, RUNS_OF_A_FORM, 21, check_branch), 22);
    machine_free(m);
    wide = machine_new(8);
    assert_int_equal(machine_each_word(wide, &machine_add, RUNS_OF_A_FORM, 22, check_branch), 22);
    machine_free(wide);
}

static void test_ends(void **state)
{
    struct machine *m = machine_new(4);

    (void)state;
    assert_int_equal(machine_each_word(m, &machine_add, RUNS_OF_A_FORM, 23, check_end), 2);
    machine_free(m);
}

static void test_refusals(void **state)
{
    struct machine *m = machine_new(4);

    (void)state;
    assert_int_equal(machine_each_word(m, &machine_add, 8, 24, check_refusal), 7);
    assert_int_equal(machine_each_word(m, &machine_fma, 8, 25, check_refusal), 3);
    machine_free(m);
}

/* ---- other lanes ----------------------------------------------------------------------------- */

static unsigned subgroup_of(const struct machine *m, const struct reference_instr *in)
{
    unsigned lanes = reference_has(in, "subgroup2")   ? 2
                     : reference_has(in, "subgroup4") ? 4
                     : reference_has(in, "subgroup8") ? 8
                                                      : 16;

    return lanes < m->w->width ? lanes : m->w->width;
}

static uint32_t want_clper(struct machine *m, const struct machine_unit *u,
                           const struct reference_instr *in, unsigned lane)
{
    unsigned group = subgroup_of(m, in), first = lane / group * group;
    uint32_t n = value_of(m, u, in, 1, lane) % group;
    unsigned from = reference_has(in, "xor") ? first + ((lane - first) ^ n) : first + n;

    if (!(m->w->active >> from & 1))
        return reference_has(in, "umax") ? UINT32_MAX : 0;
    return value_of(m, u, in, 0, from);
}

static uint32_t want_wmask(struct machine *m, const struct machine_unit *u,
                           const struct reference_instr *in, unsigned lane, bool filled)
{
    unsigned group = subgroup_of(m, in), first = lane / group * group;
    uint32_t mask = 0;

    for (unsigned i = 0; i < group; i++) {
        bool active = m->w->active >> (first + i) & 1;

        if (active ? value_of(m, u, in, 0, first + i) != 0 : filled)
            mask |= UINT32_C(1) << i;
    }
    return mask;
}

static bool check_exchange(struct machine *m, const struct machine_unit *u, const char *text,
                           uint64_t *seed)
{
    struct reference_instr in;
    uint32_t want[GPU_MAX_LANES];

    assert_true(reference_parse(text, &in));
    if (strcmp(in.name, "CLPER_OLD") && strcmp(in.name, "CLPER") && strcmp(in.name, "WMASK"))
        return false;
    if (reference_has(&in, "accumulate") || reference_has(&in, "shift"))
        return false;
    if (!strcmp(in.name, "CLPER") && !reference_has(&in, "zero") && !reference_has(&in, "umax"))
        return false;
    fill_lanes(m, seed);
    for (unsigned l = 0; l < m->w->width; l++) {
        if (!strcmp(in.name, "WMASK"))
            want[l] = want_wmask(m, u, &in, l, strstr(text, "fill:1") != NULL);
        else if (!strcmp(in.name, "CLPER"))
            want[l] = want_clper(m, u, &in, l);
        else
            want[l] = value_of(m, u, &in, 0, value_of(m, u, &in, 1, l) % m->w->width);
    }
    machine_run(m);
    for (unsigned l = 0; l < m->w->width; l++)
        if (m->w->active >> l & 1 && *machine_slot(m, MACHINE_RESULT, l) != want[l])
            fail_msg("%s in lane %u: 0x%08x, not 0x%08x", text, l,
                     *machine_slot(m, MACHINE_RESULT, l), want[l]);
    return true;
}

static void test_exchanges(void **state)
{
    struct machine *m = machine_new(4), *wide;

    (void)state;
    assert_int_equal(machine_each_word(m, &machine_add, RUNS_OF_A_FORM, 26, check_exchange), 3);
    machine_free(m);
    wide = machine_new(8);
    assert_int_equal(machine_each_word(wide, &machine_add, RUNS_OF_A_FORM, 27, check_exchange), 3);
    machine_free(wide);
}

/* ---- numbers of several words ---------------------------------------------------------------- */

static uint32_t first_words[16], middle_word, last_word;
static char first_texts[16][64];
static unsigned first_count;

static bool collect_chain(struct machine *m, const struct machine_unit *u, const char *text,
                          uint64_t *seed)
{
    (void)u;
    (void)seed;
    if (!strcmp(text, "ICMPM.i32 t1, s0, s1, t"))
        middle_word = m->word;
    else if (!strcmp(text, "ICMPF.i32 t1, s0, s1, t"))
        last_word = m->word;
    else if (strncmp(text, "ICMPI.", 6) || !strstr(text, " t1, s0, s1"))
        return false;
    else {
        assert_true(first_count < 16);
        snprintf(first_texts[first_count], sizeof(first_texts[0]), "%s", text);
        first_words[first_count++] = m->word;
    }
    return true;
}

/* Runs one instruction of a chain on these words; its result becomes source t. */
static uint32_t chain_step(struct machine *m, uint32_t word, uint32_t a, uint32_t b)
{
    uint32_t result;

    *machine_slot(m, machine_source(&machine_add, "s0"), 0) = a;
    *machine_slot(m, machine_source(&machine_add, "s1"), 0) = b;
    assert_true(machine_decode(m, machine_add.unit, word));
    machine_run(m);
    result = *machine_slot(m, MACHINE_RESULT, 0);
    *machine_slot(m, machine_source(&machine_add, "t"), 0) = result;
    return result;
}

/* Compares numbers of 96 bits, which often have equal leading words. */
static void check_chain(struct machine *m, uint32_t word, const char *text, uint64_t *seed)
{
    uint32_t a[3], b[3], got, want;
    struct reference_instr in;
    int order = 0;

    assert_true(reference_parse(text, &in));
    for (unsigned i = 0; i < 3; i++) {
        a[i] = random_edge(seed);
        b[i] = machine_random(seed) & 1 ? a[i] : random_edge(seed);
    }
    chain_step(m, word, a[0], b[0]);
    chain_step(m, middle_word, a[1], b[1]);
    got = chain_step(m, last_word, a[2], b[2]);
    for (unsigned i = 0; i < 3 && !order; i++) {
        if (i == 0 && reference_has(&in, "s32"))
            order = ((int32_t)a[0] > (int32_t)b[0]) - ((int32_t)a[0] < (int32_t)b[0]);
        else
            order = (a[i] > b[i]) - (a[i] < b[i]);
    }
    want = condition_holds(&in, order, 0) ? (reference_has(&in, "m1") ? ~UINT32_C(0) : 1) : 0;
    if (got != want)
        fail_msg("%s …: %08x%08x%08x and %08x%08x%08x give 0x%x", text, a[0], a[1], a[2], b[0],
                 b[1], b[2], got);
}

static void test_chains(void **state)
{
    struct machine *m = machine_new(4);
    uint64_t seed = 28;

    (void)state;
    assert_int_equal(machine_each_word(m, &machine_add, 64, 29, collect_chain), 5);
    assert_int_equal(first_count, 12);
    for (unsigned i = 0; i < first_count; i++)
        for (unsigned n = 0; n < 300; n++)
            check_chain(m, first_words[i], first_texts[i], &seed);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branches), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_exchanges),
        cmocka_unit_test(test_chains),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
