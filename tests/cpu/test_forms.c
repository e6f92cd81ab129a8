/*
 * Decoding by tables: form and handler follow from a word's bits, from its fields, and from the
 * CPU's features.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/cpu/forms.h"
#include "runtime/cpu/layout.h"

enum { FIRST = 100, REFUSED = 0x800 };

static void handler_0(struct cpu *cpu, const struct insn *i)
{
    (void)cpu;
    (void)i;
}

static void handler_1(struct cpu *cpu, const struct insn *i)
{
    handler_0(cpu, i);
}

static void handler_2(struct cpu *cpu, const struct insn *i)
{
    handler_0(cpu, i);
}

static uint8_t read_fields(struct cpu *cpu, uint64_t word, uint64_t *out)
{
    (void)cpu;
    out[3] = word >> 32;
    return !(word & REFUSED);
}

static void read_operands(struct cpu *cpu, uint64_t word, const uint64_t *f, struct insn *out)
{
    (void)cpu;
    out->word = (uint32_t)(word + f[3]);
}

/*
 * Candidates of the tree's only leaf, in order: form 0, which requires features 2 and 5; form 1;
 * form 2, which cannot be decoded.
 */
static const struct decode_candidate candidates[] = {
    {{0x100, 0x100}, 0, 0, 0, false},
    {{0, 0}, 1, 0, 0, false},
    {{0, 0}, 2, 0, 0, true},
};
static const struct decode_tree tree = {DECODE_TREE_LEAF, NULL, candidates, NULL};
static const uint8_t features[] = {FORM_NONE, 2, 5, FORM_NONE};
static const struct form_handler handlers[] = {
    {handler_0, NULL, 0, 0, FORM_NONE, FORM_NONE, true},
    {handler_0, read_operands, 3, 0, FORM_NONE, FORM_NONE, false},
    {handler_1, NULL, 3, 1, 7, 1, false},
    {handler_2, NULL, 1, 1, FORM_NONE, FORM_NONE, false},
};
static const struct form_decoder forms[] = {
    {NULL, 0, 1, FORM_NONE, 1},
    {read_fields, 1, 3, 3, 0},
    {NULL, 0, 0, FORM_NONE, 0},
};
static const uint16_t first = FIRST;
static const struct form_table table = {forms, handlers, features, &first, 3};

struct decoded {
    struct insn insn;
    struct cpu_fetch at;
    unsigned flags;
};

/* Decodes with features 2 and 5, except `without`, and with feature 7 as given. */
static struct decoded decode_with_features(uint64_t word, unsigned without, uint32_t seventh)
{
    struct decoded d = {.at.next_context = 0x77};
    struct cpu *cpu = aligned_alloc(_Alignof(struct cpu), sizeof(*cpu));

    assert_non_null(cpu);
    memset(cpu, 0, sizeof(*cpu));
    cpu->features[2] = cpu->features[5] = 1;
    cpu->features[7] = seventh;
    if (without)
        cpu->features[without] = 0;
    d.flags = form_decode(&table, &tree, cpu, &d.at, word, &d.insn);
    free(cpu);
    return d;
}

static void a_form_needs_all_its_features(void **state)
{
    (void)state;
    assert_int_equal(decode_with_features(0x100, 0, 0).insn.form, FIRST);
    assert_int_equal(decode_with_features(0x100, 0, 0).flags, DECODE_ENDS_BLOCK);
    assert_int_equal(decode_with_features(0x100, 2, 0).insn.form, FIRST + 1);
    assert_int_equal(decode_with_features(0x100, 5, 0).insn.form, FIRST + 1);
    assert_int_equal(decode_with_features(0x000, 0, 0).insn.form, FIRST + 1);
}

static void bits_and_features_choose_the_handler(void **state)
{
    (void)state;
    assert_true(decode_with_features(0, 0, 0).insn.fn == handler_0);
    assert_true(decode_with_features(1, 0, 1).insn.fn == handler_1);
    assert_true(decode_with_features(1, 0, 0).insn.fn == handler_2);
    assert_true(decode_with_features(3, 0, 1).insn.fn == handler_2);
    assert_int_equal(decode_with_features(3, 0, 1).flags, 0);
}

static void fields_reach_operands_and_context(void **state)
{
    const struct decoded d = decode_with_features(UINT64_C(0x2500000010), 0, 0);

    (void)state;
    assert_int_equal(d.insn.word, 0x35);
    assert_int_equal(d.at.next_context, 0x25);
    assert_int_equal(decode_with_features(0x100, 0, 0).at.next_context, 0x77);
}

static void what_no_form_takes_is_undefined(void **state)
{
    static const uint64_t words[] = {REFUSED, 2};

    (void)state;
    for (unsigned n = 0; n < sizeof(words) / sizeof(*words); n++) {
        const struct decoded d = decode_with_features(words[n], 0, 0);

        assert_int_equal(d.insn.form, FIRST + 3);
        assert_int_equal(d.flags, DECODE_ENDS_BLOCK);
        assert_int_equal(d.at.next_context, 0x77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_form_needs_all_its_features),
        cmocka_unit_test(bits_and_features_choose_the_handler),
        cmocka_unit_test(fields_reach_operands_and_context),
        cmocka_unit_test(what_no_form_takes_is_undefined),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
