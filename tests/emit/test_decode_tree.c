/* Decision trees as tables: which forms a word is said to be of, in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "common/prelude/decode_tree.h"

/*
 * A tree on bits 5:4. 0: form 5 if bit 0 is 1, then form 7 unless bits 2:1 are 3 or bit 3 is 1.
 * 1: no form. 2: a node on bit 31. 3: form 9, without tests.
 */
static const uint32_t nodes[] = {
    0,           4 | 2 << 8, DECODE_TREE_LEAF | 0, 0, 6, DECODE_TREE_LEAF | 2,
    31 | 1 << 8, 0,          DECODE_TREE_LEAF | 2,
};
static const struct decode_test nots[] = {{1, 1}, {6, 6}, {8, 8}};
static const struct decode_candidate candidates[] = {
    {{1, 1}, 5, 0, 0, false},
    {{0, 0}, 7, 1, 2, true},
    {{0, 0}, 9, 0, 0, true},
};
static const struct decode_tree tree = {1, nodes, candidates, nots};

static int first_form(uint32_t word)
{
    const struct decode_candidate *c = decode_tree_first(&tree, word);

    return c ? c->form : -1;
}

static int second_form(uint32_t word)
{
    const struct decode_candidate *c = decode_tree_first(&tree, word);

    c = c ? decode_tree_next(&tree, c, word) : NULL;
    return c ? c->form : -1;
}

static void the_bits_of_a_node_lead_on(void **state)
{
    (void)state;
    assert_int_equal(first_form(0x30), 9);
    assert_int_equal(first_form(0x10), -1);
    assert_int_equal(first_form(0x20), -1);
    assert_int_equal(first_form(0x80000020), 9);
    assert_int_equal(first_form(0xffffffd1), -1);
}

static void candidates_are_tried_in_turn(void **state)
{
    (void)state;
    assert_int_equal(first_form(1), 5);
    assert_int_equal(second_form(1), 7);
    assert_int_equal(first_form(0), 7);
    assert_int_equal(second_form(0), -1);
    assert_int_equal(first_form(4), 7);
}

static void what_a_form_is_not_counts(void **state)
{
    (void)state;
    assert_int_equal(first_form(6), -1);
    assert_int_equal(first_form(8), -1);
    assert_int_equal(first_form(7), 5);
    assert_int_equal(second_form(7), -1);
    assert_int_equal(second_form(9), -1);
}

static void a_tree_may_be_a_leaf_or_nothing(void **state)
{
    const struct decode_tree leaf = {DECODE_TREE_LEAF | 2, nodes, candidates, nots};
    const struct decode_tree none = {0, nodes, candidates, nots};

    (void)state;
    assert_int_equal(decode_tree_first(&leaf, 0x10)->form, 9);
    assert_null(decode_tree_first(&none, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bits_of_a_node_lead_on),
        cmocka_unit_test(candidates_are_tried_in_turn),
        cmocka_unit_test(what_a_form_is_not_counts),
        cmocka_unit_test(a_tree_may_be_a_leaf_or_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
