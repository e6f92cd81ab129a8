/*
 * Generated handlers of both units against the reference of this folder: every instruction word of
 * the FMA and ADD units is decoded, and some words of each form are run on all kinds of numbers.
 */
#include "tests/bifrost_fp/formats.h"
#include "tests/bifrost_fp/numbers.h"
#include "tests/bifrost_fp/reference.h"
#include "tests/bifrost_int/machine.h"

enum {
    RUNS_OF_A_FORM = 800,
    LANES = 4,
    FMA_ZERO = 3,   /* source 3 of the FMA unit is the number 0 */
    FMA_FORMS = 22, /* forms that the reference knows */
    ADD_FORMS = 58,
};

static uint32_t any_operand(uint64_t *seed)
{
    uint64_t r = draw_u64(seed);
    static const uint16_t halves[] = {0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00,
                                      0x7e00, 0x7bff, 1,      0x83ff, 0x0400, 0x3800};
    switch (r >> 61) {
    case 0:
        return (uint32_t)r; /* any pair of halves */
    case 1:
        return (uint32_t)halves[r % 12] << 16 | halves[(r >> 8) % 12];
    case 2: /* halves that are close to each other */
        return 0x38003800 + (uint32_t)(r & 0x87ff87ff);
    case 3: /* small integers, for exponents */
        return (uint32_t)((int32_t)r >> (20 + (r >> 40) % 10));
    default:
        return gpu_bits(any_float(seed));
    }
}

static void fill_sources(struct machine *m, const struct machine_unit *u, uint64_t *seed)
{
    for (unsigned s = 0; s < 8; s++)
        for (unsigned l = 0; l < LANES; l++)
            *machine_slot(m, MACHINE_SOURCES + s, l) =
                u == &machine_fma && s == FMA_ZERO ? 0 : any_operand(seed);
}

static void source_values(struct machine *m, const struct machine_unit *u,
                          const struct text_instr *in, unsigned lane, uint32_t *value)
{
    for (unsigned i = 0; i < in->sources; i++)
        value[i] = *machine_slot(m, machine_source(u, in->source[i].name), lane);
}

/* The flush mode in the clause's header. */
static unsigned flush_of(const struct machine *m)
{
    return m->header >> 5 & 3;
}

/* Whether two results agree, element by element: same bits, two NaNs, or neighbours if `near`. */
static bool results_agree(enum format f, uint32_t got, uint32_t want, bool near)
{
    uint32_t sign = f == FORMAT_F16 ? 0x8000 : 0x80000000;

    if (got == want || (format_is_nan(f, got) && format_is_nan(f, want)))
        return true;
    return near && (got & sign) == (want & sign) && (got == want + 1 || got == want - 1);
}

static bool is_pair(const struct text_instr *in)
{
    return text_has(&in->op, "v2f16") || text_has(&in->op, "f16") ||
           strstr(in->op.name, "TO_V2F16");
}

static bool check_word(struct machine *m, const struct machine_unit *u, const char *text,
                       uint64_t *seed)
{
    uint32_t value[TEXT_SOURCES] = {0}, want = 0;
    struct text_instr in;

    if (!text_parse(text, &in) || reference_run(&in, value, 0, &want) == REFERENCE_UNKNOWN)
        return false;
    fill_sources(m, u, seed);
    machine_run(m);
    for (unsigned l = 0; l < LANES; l++) {
        uint32_t got = *machine_slot(m, MACHINE_RESULT, l);
        source_values(m, u, &in, l, value);
        enum reference_answer answer = reference_run(&in, value, flush_of(m), &want);
        bool near = answer == REFERENCE_NEAR, right = answer == REFERENCE_SKIPPED;
        if (is_pair(&in))
            right |= results_agree(FORMAT_F16, got & 0xffff, want & 0xffff, near) &&
                     results_agree(FORMAT_F16, got >> 16, want >> 16, near);
        else
            right |= results_agree(FORMAT_F32, got, want, near);
        if (!right)
            fail_msg("%s of 0x%08x 0x%08x 0x%08x 0x%08x: 0x%08x, not 0x%08x", text, value[0],
                     value[1], value[2], value[3], got, want);
    }
    return true;
}

static void check_unit(const struct machine_unit *u, unsigned flush, uint64_t seed, unsigned forms)
{
    struct machine *m = machine_new(LANES);

    m->header = flush << 5;
    assert_int_equal(machine_each_word(m, u, RUNS_OF_A_FORM, seed, check_word), forms);
    machine_free(m);
}

static void test_fma(void **state)
{
    (void)state;
    check_unit(&machine_fma, 0, 1, FMA_FORMS);
}

static void test_add(void **state)
{
    (void)state;
    check_unit(&machine_add, 0, 2, ADD_FORMS);
}

static void test_flush(void **state)
{
    (void)state;
    for (unsigned flush = 1; flush < 3; flush++) {
        check_unit(&machine_fma, flush, 2 + flush, FMA_FORMS);
        check_unit(&machine_add, flush, 6 + flush, ADD_FORMS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fma),
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_flush),
    };

    return cmocka_run_group_tests_name("bifrost_fp.units", tests, NULL, NULL);
}
