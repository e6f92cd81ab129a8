/*
 * Numbers of 64 bits that a shader computes as two words (pairs.c): which words are known to be the
 * halves of one number, of which word it is an extension, what is added to it, and where the first
 * lanes must be compared; and distances of addresses. The expected numbers are worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runtime/base/alloc.h"
#include "tests/gpu_core/operation.h"

enum { STEP = 4 };

/* A function of words: uniform ones, and a vector that counts up by STEP from lane to lane. */
struct fixture {
    struct llvm api;
    struct jit_build build;
    jit_value x, other; /* two lines */
    jit_value u, v;     /* uniform */
    jit_value any;      /* each lane has its own */
};

static jit_value line(struct jit_build *j, unsigned vector, unsigned first)
{
    jit_value v = lanes_wrap(j, j->l->GetParam(j->fn, vector), false);

    lanes_value_of(v)->line = j->l->GetParam(j->fn, first);
    lanes_value_of(v)->step = STEP;
    return v;
}

static int begin(void **state)
{
    struct fixture *f = xcalloc(1, sizeof(*f));
    struct jit_build *j = &f->build;
    LLVMTypeRef param[7];

    *state = f;
    if (!operation_open(j, &f->api))
        return -1;
    for (unsigned i = 0; i < 7; i++)
        param[i] = i < 3 ? lanes_vector(j, j->i32) : j->i32;
    operation_begin(j, param, 7);
    f->x = line(j, 0, 3);
    f->other = line(j, 1, 4);
    f->any = lanes_wrap(j, f->api.GetParam(j->fn, 2), false);
    f->u = lanes_wrap(j, f->api.GetParam(j->fn, 5), true);
    f->v = lanes_wrap(j, f->api.GetParam(j->fn, 6), true);
    return 0;
}

static int end(void **state)
{
    struct fixture *f = *state;

    operation_close(&f->build);
    free(f);
    return 0;
}

/* ---- words ----------------------------------------------------------------------------------- */

static jit_value word(struct fixture *f, uint32_t n)
{
    return lanes_op_const(&f->build, JIT_U32, n);
}

static jit_value op(struct fixture *f, enum jit_op o, jit_value a, jit_value b)
{
    return lanes_op_binary(&f->build, o, JIT_U32, a, b);
}

/* Copies of the sign. */
static jit_value sign_of(struct fixture *f, jit_value a, unsigned by)
{
    return lanes_op_binary(&f->build, JIT_SHR, JIT_S32, a, word(f, by));
}

/* The carry of a sum, as 0 and `one`. */
static jit_value carry(struct fixture *f, jit_value sum, jit_value addend, uint32_t one)
{
    jit_value below = op(f, JIT_LT, sum, addend);

    return lanes_op_select(&f->build, below, word(f, one), word(f, 0));
}

static const struct lanes_value *join(struct fixture *f, jit_value low, jit_value high)
{
    return lanes_pairs_join(&f->build, lanes_value_of(low), lanes_value_of(high));
}

/* The number is `of`, extended, times 2^scale, plus `offset`. */
static void expect(const struct lanes_value *n, jit_value of, bool is_signed, unsigned scale,
                   uint64_t offset)
{
    assert_non_null(n);
    assert_ptr_equal(n->low, lanes_value_of(of));
    assert_null(n->high);
    assert_int_equal(n->is_signed, is_signed);
    assert_int_equal(n->scale, scale);
    assert_int_equal(n->offset, offset);
    assert_null(n->base);
}

/* The condition is that two words of 32 bits are equal. Each operand is an operation on the first
 * lane's word, or that word. */
static void expect_comparison(struct fixture *f, LLVMValueRef only_if)
{
    const struct llvm *l = &f->api;

    assert_non_null(only_if);
    assert_int_equal(l->GetInstructionOpcode(only_if), LLVMICmp);
    assert_ptr_not_equal(l->GetOperand(only_if, 0), l->GetOperand(only_if, 1));
    for (unsigned i = 0; i < 2; i++)
        assert_ptr_equal(l->TypeOf(l->GetOperand(only_if, i)), f->build.i32);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void extended(void **state)
{
    struct fixture *f = *state;
    const struct lanes_value *n = join(f, f->x, sign_of(f, f->x, 31));

    expect(n, f->x, true, 0, 0);
    assert_null(n->only_if);
    n = join(f, op(f, JIT_SHL, f->x, word(f, 3)), op(f, JIT_SHR, f->x, word(f, 29)));
    expect(n, f->x, false, 3, 0);
    expect_comparison(f, n->only_if);
}

/* Words that are no halves of one number. */
static void not_halves(void **state)
{
    struct fixture *f = *state;
    jit_value shifted = op(f, JIT_SHL, f->x, word(f, 3));

    assert_null(join(f, f->x, f->other));
    assert_null(join(f, f->x, f->u));
    assert_null(join(f, f->x, sign_of(f, f->x, 30)));
    assert_null(join(f, f->x, sign_of(f, f->any, 31)));
    assert_null(join(f, f->any, sign_of(f, f->x, 31)));
    assert_null(join(f, f->u, sign_of(f, f->x, 31)));
    assert_null(join(f, f->x, op(f, JIT_SHR, f->x, word(f, 29)))); /* of another step */
    assert_null(join(f, shifted, op(f, JIT_SHR, f->x, word(f, 28))));
    assert_null(join(f, shifted, op(f, JIT_SHR, f->any, word(f, 29))));
    assert_null(join(f, shifted, op(f, JIT_SHR, f->x, f->u)));
}

/* Another line of the same step may be the low half: the first lanes are compared. */
static void maybe_halves(void **state)
{
    struct fixture *f = *state;
    const struct lanes_value *n = join(f, f->other, sign_of(f, f->x, 31));

    expect(n, f->x, true, 0, 0);
    expect_comparison(f, n->only_if);
    assert_ptr_equal(f->api.GetOperand(n->only_if, 0), lanes_value_of(f->x)->line);
    assert_ptr_equal(f->api.GetOperand(n->only_if, 1), lanes_value_of(f->other)->line);
}

/* x + (5 << 32 | 16): the carry of the low halves as 0 and 1, or 0 and -1; the high halves and the
 * carry are added in any order. */
static void plus_constant(void **state)
{
    struct fixture *f = *state;
    const uint64_t offset = UINT64_C(5) << 32 | 16;
    jit_value high = sign_of(f, f->x, 31), low = op(f, JIT_ADD, f->x, word(f, 16));
    jit_value one = carry(f, low, f->x, 1), minus_one = carry(f, low, word(f, 16), UINT32_MAX);
    jit_value five = word(f, 5);
    const jit_value sums[] = {
        op(f, JIT_ADD, op(f, JIT_ADD, high, five), one),
        op(f, JIT_ADD, op(f, JIT_ADD, five, high), one),
        op(f, JIT_ADD, one, op(f, JIT_ADD, high, five)),
        op(f, JIT_SUB, op(f, JIT_ADD, high, five), minus_one),
        op(f, JIT_ADD, op(f, JIT_ADD, high, op(f, JIT_AND, minus_one, word(f, 1))), word(f, 0)),
        op(f, JIT_ADD, high, one),
        op(f, JIT_SUB, high, minus_one),
        op(f, JIT_ADD, high, op(f, JIT_AND, word(f, 1), minus_one)),
    };

    for (unsigned i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
        const struct lanes_value *n = join(f, low, sums[i]);

        expect(n, f->x, true, 0, i < 4 ? offset : 16);
        expect_comparison(f, n->only_if);
    }
}

/* What is no sum with its carry. */
static void not_carried(void **state)
{
    struct fixture *f = *state;
    jit_value high = sign_of(f, f->x, 31), low = op(f, JIT_ADD, f->x, word(f, 16));
    jit_value one = carry(f, low, f->x, 1), minus_one = carry(f, low, f->x, UINT32_MAX);
    jit_value of_any = op(f, JIT_ADD, f->any, word(f, 16));
    jit_value signed_less = lanes_op_binary(&f->build, JIT_LT, JIT_S32, low, f->x);
    const jit_value none[] = {
        high, /* the high half of x, not of the sum */
        op(f, JIT_ADD, high, minus_one),
        op(f, JIT_SUB, high, one),
        op(f, JIT_SUB, one, high),
        op(f, JIT_ADD, high, carry(f, low, f->x, 2)),
        op(f, JIT_ADD, high, carry(f, low, word(f, 17), 1)),
        op(f, JIT_ADD, high, carry(f, f->x, low, 1)),
        op(f, JIT_ADD, high, carry(f, of_any, f->any, 1)),
        op(f, JIT_ADD, high, lanes_op_select(&f->build, signed_less, word(f, 1), word(f, 0))),
        op(f, JIT_ADD, high,
           lanes_op_select(&f->build, op(f, JIT_LT, low, f->x), word(f, 1), word(f, 3))),
        op(f, JIT_ADD, high, op(f, JIT_AND, minus_one, word(f, 3))),
        op(f, JIT_ADD, high, f->any),
        op(f, JIT_SUB, op(f, JIT_SUB, high, word(f, 5)), minus_one),
    };

    for (unsigned i = 0; i < sizeof(none) / sizeof(*none); i++)
        if (i) /* `high` belongs to `low` if the first lanes are equal, which they never are */
            assert_null(join(f, low, none[i]));
    expect_comparison(f, join(f, low, high)->only_if);
}

/* The same by a comparison with the operands exchanged, and by its result as a number. */
static void other_carries(void **state)
{
    struct fixture *f = *state;
    jit_value low = op(f, JIT_ADD, word(f, 16), f->x), high = sign_of(f, f->x, 31);
    jit_value above = op(f, JIT_GT, f->x, low);

    expect(join(f, low, op(f, JIT_ADD, high, lanes_op_convert(&f->build, JIT_U32, JIT_U8, above))),
           f->x, true, 0, 16);
    expect(join(f, low,
                op(f, JIT_ADD, high, lanes_op_select(&f->build, above, word(f, 1), word(f, 0)))),
           f->x, true, 0, 16);
}

/* The carry of a word plus 1, which is 0 where it overflows; and comparisons that are no carry. */
static void carries_of_one(void **state)
{
    struct fixture *f = *state;
    jit_value low = op(f, JIT_ADD, f->x, word(f, 1)), high = sign_of(f, f->x, 31);
    jit_value two = op(f, JIT_ADD, f->x, word(f, 2)), by_u = op(f, JIT_ADD, f->x, f->u);
    const jit_value zero = word(f, 0), one = word(f, 1);
    const jit_value none[] = {
        op(f, JIT_EQ, low, one),     op(f, JIT_EQ, two, zero),  op(f, JIT_EQ, by_u, zero),
        op(f, JIT_EQ, f->any, zero), op(f, JIT_EQ, f->x, zero),
    };

    expect(
        join(f, low,
             op(f, JIT_ADD, high, lanes_op_select(&f->build, op(f, JIT_EQ, low, zero), one, zero))),
        f->x, true, 0, 1);
    for (unsigned i = 0; i < sizeof(none) / sizeof(*none); i++)
        assert_null(
            join(f, low, op(f, JIT_ADD, high, lanes_op_select(&f->build, none[i], one, zero))));
}

/* A uniform number plus a word that is extended without sign: 7 << 32 | 16, or v:u, plus x. */
static void uniform_high(void **state)
{
    struct fixture *f = *state;
    const struct llvm *l = &f->api;
    jit_value low = op(f, JIT_ADD, f->x, word(f, 16));
    const struct lanes_value *n = join(f, low, op(f, JIT_ADD, word(f, 7), carry(f, low, f->x, 1)));

    expect(n, f->x, false, 0, UINT64_C(7) << 32 | 16);
    low = op(f, JIT_ADD, f->x, f->u);
    n = join(f, low, op(f, JIT_ADD, f->v, carry(f, low, f->u, 1)));
    assert_non_null(n);
    assert_ptr_equal(n->low, lanes_value_of(f->x));
    assert_false(n->is_signed);
    assert_int_equal(n->offset, 0);
    /* zext(u) | zext(v) << 32 */
    assert_int_equal(l->GetInstructionOpcode(n->base), LLVMOr);
    assert_int_equal(l->GetInstructionOpcode(l->GetOperand(n->base, 0)), LLVMZExt);
    assert_ptr_equal(l->GetOperand(l->GetOperand(n->base, 0), 0), lanes_scalar(&f->build, f->u));
    assert_int_equal(l->GetInstructionOpcode(l->GetOperand(n->base, 1)), LLVMShl);
    assert_int_equal(l->ConstIntGetZExtValue(l->GetOperand(l->GetOperand(n->base, 1), 1)), 32);
    assert_ptr_equal(l->GetOperand(l->GetOperand(l->GetOperand(n->base, 1), 0), 0),
                     lanes_scalar(&f->build, f->v));
}

/* (x + (5 << 32 | 16)) << 3, whose high half takes three bits of the low one. */
static void shifted(void **state)
{
    struct fixture *f = *state;
    jit_value low = op(f, JIT_ADD, f->x, word(f, 16));
    jit_value high =
        op(f, JIT_ADD, op(f, JIT_ADD, sign_of(f, f->x, 31), word(f, 5)), carry(f, low, f->x, 1));
    jit_value up = op(f, JIT_SHL, high, word(f, 3)), top = op(f, JIT_SHR, low, word(f, 29));
    jit_value moved = op(f, JIT_SHL, low, word(f, 3));
    const uint64_t offset = (UINT64_C(5) << 32 | 16) << 3;

    expect(join(f, moved, op(f, JIT_OR, up, top)), f->x, true, 3, offset);
    expect(join(f, moved, op(f, JIT_OR, top, up)), f->x, true, 3, offset);
    assert_null(join(f, moved, up));
    assert_null(join(f, moved, op(f, JIT_OR, up, op(f, JIT_SHR, low, word(f, 28)))));
    assert_null(join(f, moved, op(f, JIT_OR, up, sign_of(f, low, 31))));
    assert_null(join(f, moved, op(f, JIT_OR, op(f, JIT_SHL, up, word(f, 1)), top)));
    assert_null(join(f, moved, op(f, JIT_OR, up, f->other)));
    assert_null(join(f, moved, op(f, JIT_OR, op(f, JIT_ADD, up, word(f, 8)), top)));
    assert_null(join(f, low, op(f, JIT_OR, up, top))); /* of another step */
}

/* x << 3, extended by its sign; and what is added to the high half alone before the shift. */
static void shifted_word(void **state)
{
    struct fixture *f = *state;
    jit_value moved = op(f, JIT_SHL, f->x, word(f, 3)), top = op(f, JIT_SHR, f->x, word(f, 29));
    jit_value high = sign_of(f, f->x, 31), more = op(f, JIT_ADD, high, word(f, 5));

    expect(join(f, moved, op(f, JIT_OR, op(f, JIT_SHL, high, word(f, 3)), top)), f->x, true, 3, 0);
    assert_null(join(f, moved, op(f, JIT_OR, op(f, JIT_SHL, more, word(f, 3)), top)));
    assert_null(join(f, moved, op(f, JIT_OR, op(f, JIT_SHL, f->any, word(f, 3)), top)));
}

/* A number of 64 bits per lane, and one that is added to it. */
static jit_value sum(struct fixture *f, jit_value a, jit_value b)
{
    return lanes_op_binary(&f->build, JIT_ADD, JIT_U64, a, b);
}

/* Words behind the sum of two rows of numbers are at known distances from each other. */
static void behind_sums(void **state)
{
    struct fixture *f = *state;
    struct jit_build *j = &f->build;
    jit_value base = lanes_op_convert(j, JIT_U64, JIT_U32, f->any);
    jit_value index = lanes_op_convert(j, JIT_U64, JIT_U32, f->other);
    jit_value at = sum(f, base, index), next = sum(f, at, lanes_op_const(j, JIT_U64, 4));
    uint64_t bytes = 0;

    assert_true(lanes_distance(j, at, next, &bytes));
    assert_int_equal(bytes, 4);
    assert_true(lanes_distance(j, at, sum(f, next, lanes_op_const(j, JIT_U64, 8)), &bytes));
    assert_int_equal(bytes, 12);
    assert_false(lanes_distance(j, at, sum(f, next, index), &bytes));
    assert_ptr_equal(f->api.TypeOf(lanes_wide(j, next)), lanes_vector(j, j->i64));
}

/* ---- packed words ---------------------------------------------------------------------------- */

/* Two numbers of 16 bits in a word, of which the upper one is the same in all lanes. */
static jit_value packed(struct fixture *f)
{
    lanes_value_of(f->x)->packed = true;
    return f->x;
}

/* The value follows from the first lane's word of `x` by an operation with a constant. */
static void expect_of_first(struct fixture *f, LLVMValueRef v, LLVMOpcode opcode, uint32_t n)
{
    const struct llvm *l = &f->api;

    assert_non_null(v);
    assert_ptr_equal(l->TypeOf(v), f->build.i32);
    assert_int_equal(l->GetInstructionOpcode(v), opcode);
    assert_ptr_equal(l->GetOperand(v, 0), lanes_value_of(f->x)->line);
    assert_int_equal(l->ConstIntGetZExtValue(l->GetOperand(v, 1)), n);
}

static void halves_of_packed(void **state)
{
    struct fixture *f = *state;
    jit_value upper = op(f, JIT_SHR, packed(f), word(f, 16));
    jit_value lower = op(f, JIT_AND, f->x, word(f, 0xffff));

    assert_true(lanes_value_of(upper)->uniform);
    expect_of_first(f, lanes_value_of(upper)->v, LLVMLShr, 16);
    assert_false(lanes_value_of(lower)->uniform);
    assert_int_equal(lanes_value_of(lower)->step, STEP);
    expect_of_first(f, lanes_value_of(lower)->line, LLVMAnd, 0xffff);
    lower = op(f, JIT_AND, word(f, 0xffff), f->x);
    expect_of_first(f, lanes_value_of(lower)->line, LLVMAnd, 0xffff);
    assert_false(lanes_value_of(lower)->packed);
    assert_true(lanes_value_of(op(f, JIT_SHR, f->x, word(f, 31)))->uniform);
}

/* Bits of both halves, or with a sign, or of words that are not packed. */
static void not_of_packed(void **state)
{
    struct fixture *f = *state;

    packed(f);
    assert_false(lanes_value_of(op(f, JIT_SHR, f->x, word(f, 15)))->uniform);
    assert_null(lanes_value_of(op(f, JIT_AND, f->x, word(f, 0x1ffff)))->line);
    assert_null(lanes_value_of(op(f, JIT_AND, f->x, word(f, 0xfff)))->line);
    assert_null(lanes_value_of(op(f, JIT_AND, f->x, f->u))->line);
    assert_false(lanes_value_of(sign_of(f, f->x, 16))->uniform);
    assert_false(lanes_value_of(op(f, JIT_ADD, f->x, f->u))->packed);
    assert_false(lanes_value_of(op(f, JIT_SHR, f->other, word(f, 16)))->uniform);
    assert_null(lanes_value_of(op(f, JIT_AND, f->other, word(f, 0xffff)))->line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(extended, begin, end),
        cmocka_unit_test_setup_teardown(not_halves, begin, end),
        cmocka_unit_test_setup_teardown(maybe_halves, begin, end),
        cmocka_unit_test_setup_teardown(plus_constant, begin, end),
        cmocka_unit_test_setup_teardown(not_carried, begin, end),
        cmocka_unit_test_setup_teardown(other_carries, begin, end),
        cmocka_unit_test_setup_teardown(carries_of_one, begin, end),
        cmocka_unit_test_setup_teardown(uniform_high, begin, end),
        cmocka_unit_test_setup_teardown(shifted, begin, end),
        cmocka_unit_test_setup_teardown(shifted_word, begin, end),
        cmocka_unit_test_setup_teardown(behind_sums, begin, end),
        cmocka_unit_test_setup_teardown(halves_of_packed, begin, end),
        cmocka_unit_test_setup_teardown(not_of_packed, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
