/*
 * Optional features of a CPU (-cpu): what is undefined without them, the identification registers,
 * and what Linux reports to programs; and privileged access never (PAN; DDI 0487, D8.4.5), which
 * programs cannot observe.
 */
#include "runtime/cpu/choice.h"
#include "tests/isa_bench/isa_bench.h"

#include <string.h>

extern const struct cpu_isa armv8a_isa;

#define RAM_SIZE UINT64_C(0x800000)
#define VECTORS  UINT64_C(0x10000)
#define CODE     UINT64_C(0x20000)
#define DATA     UINT64_C(0x30000)
#define TABLE    UINT64_C(0x40000)
#define USER     UINT64_C(0x200000) /* a block of 2 MB that EL0 may access */

#define MSR_PAN_0 0xd500409f
#define MSR_PAN_1 0xd500419f
#define LDR       0xf9400020 /* ldr x0, [x1] */
#define STR       0xf9000020 /* str x0, [x1] */
#define LDTR      0xf8400820 /* ldtr x0, [x1] */
#define SVC       0xd4000001
#define ERET      0xd69f03e0

static const char *const names[] = {"some", CPU_CHOICE_MAX, NULL};

static int setup(void **state)
{
    *state = bench_new(&armv8a_isa, 0, RAM_SIZE);
    return 0;
}

/* Resets a CPU made as by `-cpu text`; its vectors hold zeros, which are undefined words. */
static void begin_with_choice(struct bench *b, const char *text)
{
    struct cpu_choice choice;
    struct error err = {0};

    assert_true(cpu_choice_read(&choice, &armv8a_isa, names, text, &err));
    cpu_free(b->cpu);
    b->cpu = cpu_new(&armv8a_isa, 0, b->bus, &b->clock, &b->log, &err);
    assert_non_null(b->cpu);
    cpu_choice_apply(&choice, b->cpu);
    cpu_reset(b->cpu);
    cpu_set_power(b->cpu, true);
    set(b, "VBAR_EL1", VECTORS);
    set(b, "CPACR_EL1", 3 << 20);
    set(b, "X1", DATA);
}

static void run_word(struct bench *b, uint32_t word)
{
    poke(b, CODE, word);
    b->cpu->pc = CODE;
    cpu_run(b->cpu, 1);
}

/* ---- what there is --------------------------------------------------------------------------- */

static const struct row {
    const char *feature;
    uint32_t word;
    const char *id;
    unsigned field;
    uint64_t value;
    int hwcap; /* bit of AT_HWCAP, or -1 */
} rows[] = {
    {"lse", 0xc8a07c20, "ID_AA64ISAR0_EL1", 20, 2, 8},      /* cas x0, x0, [x1] */
    {"lse", 0x48207c22, "ID_AA64ISAR0_EL1", 20, 2, 8},      /* casp x0, x1, x2, x3, [x1] */
    {"lse", 0xf8200020, "ID_AA64ISAR0_EL1", 20, 2, 8},      /* ldadd x0, x0, [x1] */
    {"lse", 0xf8208020, "ID_AA64ISAR0_EL1", 20, 2, 8},      /* swp x0, x0, [x1] */
    {"rcpc", 0xf8bfc020, "ID_AA64ISAR1_EL1", 20, 1, 15},    /* ldapr x0, [x1] */
    {"rdm", 0x6e828420, "ID_AA64ISAR0_EL1", 28, 1, 12},     /* sqrdmlah v0.4s, v1.4s, v2.4s */
    {"rdm", 0x6f82d020, "ID_AA64ISAR0_EL1", 28, 1, 12},     /* sqrdmlah v0.4s, v1.4s, v2.s[0] */
    {"dotprod", 0x4e829420, "ID_AA64ISAR0_EL1", 44, 1, 20}, /* sdot v0.4s, v1.16b, v2.16b */
    {"fcma", 0x6e82e420, "ID_AA64ISAR1_EL1", 16, 1, 14},    /* fcadd v0.4s, v1.4s, v2.4s, #90 */
    {"fcma", 0x6e82c420, "ID_AA64ISAR1_EL1", 16, 1, 14},    /* fcmla v0.4s, v1.4s, v2.4s, #0 */
    {"fp16", 0x1ee22820, "ID_AA64PFR0_EL1", 16, 1, 9},      /* fadd h0, h1, h2 */
    {"fp16", 0x4e421420, "ID_AA64PFR0_EL1", 20, 1, 10},     /* fadd v0.8h, v1.8h, v2.8h */
    {"pan", MSR_PAN_1, "ID_AA64MMFR1_EL1", 20, 1, -1},      /* msr pan, #1 */
    {"pan", 0xd5384260, "ID_AA64MMFR1_EL1", 20, 1, -1},     /* mrs x0, pan */
};

/* Checks that the word executes, or is undefined, and that the identification registers agree. */
static void check_feature(struct bench *b, const struct row *row, bool there)
{
    uint64_t id = get(b, row->id) >> row->field & 15, hwcaps = armv8a_isa.hwcaps(b->cpu, 0);

    assert_int_equal(id, there ? row->value : 0);
    if (row->hwcap >= 0)
        assert_int_equal(hwcaps >> row->hwcap & 1, there);
    run_word(b, row->word);
    assert_int_equal(b->cpu->pc, there ? CODE + 4 : VECTORS + 0x200);
    if (!there)
        assert_int_equal(get(b, "ESR_EL1") >> 26, 0);
}

static void features_are_chosen(void **state)
{
    struct bench *b = *state;
    char text[64];

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin_with_choice(b, NULL);
        check_feature(b, &rows[i], false);
        begin_with_choice(b, "max");
        check_feature(b, &rows[i], true);
        snprintf(text, sizeof(text), "some,%s=on", rows[i].feature);
        begin_with_choice(b, text);
        check_feature(b, &rows[i], true);
        cpu_reset(b->cpu);
        set(b, "CPACR_EL1", 3 << 20);
        set(b, "X1", DATA);
        check_feature(b, &rows[i], true);
        snprintf(text, sizeof(text), "max,%s=off", rows[i].feature);
        begin_with_choice(b, text);
        check_feature(b, &rows[i], false);
    }
}

static void wrong_choices_name_what_is_right(void **state)
{
    static const char *const wrong[][2] = {
        {"lze=on", "no feature 'lze' (crc32, aes"},
        {"other", "no CPU 'other' (some, max)"},
        {"max,lse=maybe", "lse=on or lse=off"},
        {"max,some", "some=on or some=off"},
        /* architectural state, not an option of -cpu */
        {"fp_enabled=on", "no feature 'fp_enabled'"},
    };
    struct cpu_choice choice;
    struct error err;

    (void)state;
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        err.text[0] = 0;
        assert_false(cpu_choice_read(&choice, &armv8a_isa, names, wrong[i][0], &err));
        assert_non_null(strstr(err.text, wrong[i][1]));
    }
}

/* ---- D8.4.5 Privileged access never ---------------------------------------------------------- */

/* Maps blocks of 2 MB: the first for EL1 only, the second for EL0 as well. */
static void map_blocks(struct bench *b)
{
    poke64(b, TABLE, 0x401);
    poke64(b, TABLE + 8, USER | 0x441);
    set(b, "MAIR_EL1", 0xff);
    set(b, "TCR_EL1", 39); /* 25 bits of address, so that the table is one level of blocks */
    set(b, "TTBR0_EL1", TABLE);
    set(b, "SCTLR_EL1", get(b, "SCTLR_EL1") | 1);
}

/* Checks whether the access at X1 takes a permission fault. */
static void check_access(struct bench *b, uint32_t word, bool faults, bool is_write)
{
    set(b, "X1", USER);
    run_word(b, word);
    assert_int_equal(b->cpu->pc, faults ? VECTORS + 0x200 : CODE + 4);
    if (faults)
        assert_int_equal(get(b, "ESR_EL1"), 0x9600000e | (is_write ? 0x40 : 0));
}

static void pan_refuses_what_el0_may_access(void **state)
{
    struct bench *b = *state;

    begin_with_choice(b, "max");
    map_blocks(b);
    check_access(b, LDR, false, false);
    run_word(b, MSR_PAN_1);
    check_access(b, LDR, true, false);
    check_access(b, STR, true, true);
    check_access(b, LDTR, false, false);
    set(b, "X1", DATA);
    run_word(b, LDR);
    assert_int_equal(b->cpu->pc, CODE + 4);
    run_word(b, MSR_PAN_0);
    check_access(b, STR, false, true);
    check_access(b, LDR, false, false);
}

/*
 * D1.3.1: entry to EL1 keeps PAN, or sets it if SCTLR_EL1.SPAN is 0; exception return restores it.
 */
static void exceptions_keep_or_set_pan(void **state)
{
    struct bench *b = *state;
    uint64_t sctlr;

    begin_with_choice(b, "max");
    sctlr = get(b, "SCTLR_EL1");
    run_word(b, SVC);
    assert_int_equal(get(b, "SPSR_EL1") >> 22 & 1, 0);
    assert_int_equal(get(b, "PAN"), 0);
    set(b, "SCTLR_EL1", sctlr & ~(UINT64_C(1) << 23));
    run_word(b, SVC);
    assert_int_equal(get(b, "SPSR_EL1") >> 22 & 1, 0);
    assert_int_equal(get(b, "PAN"), 1);
    run_word(b, ERET);
    assert_int_equal(get(b, "PAN"), 0);
    run_word(b, MSR_PAN_1);
    set(b, "SCTLR_EL1", sctlr);
    run_word(b, SVC);
    assert_int_equal(get(b, "SPSR_EL1") >> 22 & 1, 1);
    assert_int_equal(get(b, "PAN"), 1);
}

static void without_pan_span_is_one(void **state)
{
    struct bench *b = *state;

    begin_with_choice(b, NULL);
    set(b, "SCTLR_EL1", 0);
    assert_int_equal(get(b, "SCTLR_EL1") >> 23 & 1, 1);
    run_word(b, SVC);
    assert_int_equal(get(b, "SPSR_EL1") >> 22 & 1, 0);
    assert_int_equal(get(b, "PAN"), 0);
}

/* ---- decoded instructions -------------------------------------------------------------------- */

/*
 * A decoded instruction has room for the operands of the largest form of its own ISA: about 28
 * bytes in A64, and three times that in A32, because of VLDM.
 */
static void an_isa_takes_its_own_room(void **state)
{
    const struct cpu_decoder *a64 = &armv8a_isa.decoders[0];

    (void)state;
    assert_string_equal(a64->name, "a64");
    assert_in_range(a64->insn_bytes, sizeof(struct insn) + 8, 48);
    assert_true(cpu_insn_bytes(&armv8a_isa) > a64->insn_bytes);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(features_are_chosen, setup, bench_teardown),
        cmocka_unit_test(wrong_choices_name_what_is_right),
        cmocka_unit_test_setup_teardown(pan_refuses_what_el0_may_access, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(exceptions_keep_or_set_pan, setup, bench_teardown),
        cmocka_unit_test_setup_teardown(without_pan_span_is_one, setup, bench_teardown),
        cmocka_unit_test(an_isa_takes_its_own_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
