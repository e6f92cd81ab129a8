/*
 * Branches inside an operation in host code. Where all lanes share the condition, what both ways
 * leave stays one scalar, so that addresses made of it need one access. Where lanes differ, it
 * becomes a vector.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runtime/base/alloc.h"
#include "tests/gpu_core/operation.h"

/* A function with the parameters bool, bool and vector of bool, in whose first block an operation
 * begins. */
struct fixture {
    struct llvm api;
    struct jit_build build;
    jit_value first, second, of_lanes; /* conditions */
};

static int begin(void **state)
{
    struct fixture *f = xcalloc(1, sizeof(*f));
    struct jit_build *j = &f->build;
    LLVMTypeRef param[3];

    *state = f;
    if (!operation_open(j, &f->api))
        return -1;
    param[0] = param[1] = j->i8;
    param[2] = lanes_vector(j, j->i8);
    operation_begin(j, param, 3);
    f->first = lanes_wrap(j, f->api.GetParam(j->fn, 0), true);
    f->second = lanes_wrap(j, f->api.GetParam(j->fn, 1), true);
    f->of_lanes = lanes_wrap(j, f->api.GetParam(j->fn, 2), false);
    return 0;
}

static int end(void **state)
{
    struct fixture *f = *state;

    operation_close(&f->build);
    free(f);
    return 0;
}

/* Constants exist once, so values of equal numbers are the same value. */
static LLVMValueRef number(struct jit_build *j, uint64_t n)
{
    return lanes_int(j->i32, n, j);
}

/* Goes on at `to`, where the phi becomes the number. */
static void go(struct jit_build *j, jit_block to, jit_value phi, uint64_t n)
{
    lanes_op_phi_in(j, phi, lanes_wrap(j, number(j, n), true));
    lanes_op_goto(j, to);
}

/* Checks that a value is `yes` if the condition is not 0, else `no`. */
static void expect_choice(struct jit_build *j, LLVMValueRef v, jit_value cond, LLVMValueRef yes,
                          LLVMValueRef no)
{
    const struct llvm *l = j->l;
    LLVMValueRef test = l->GetOperand(v, 0);

    assert_int_equal(l->GetInstructionOpcode(v), LLVMSelect);
    assert_int_equal(l->GetInstructionOpcode(test), LLVMICmp);
    assert_ptr_equal(l->GetOperand(test, 0), lanes_scalar(j, cond));
    assert_ptr_equal(l->GetOperand(v, 1), yes);
    assert_ptr_equal(l->GetOperand(v, 2), no);
}

/* if (cond) v = 5; else v = 7; */
static jit_value choose(struct jit_build *j, jit_value cond)
{
    jit_block yes = lanes_op_block_new(j), no = lanes_op_block_new(j);
    jit_block join = lanes_op_block_new(j);
    jit_value phi = lanes_op_phi(j, join, JIT_U32);

    lanes_op_branch(j, cond, yes, no);
    lanes_op_at(j, yes);
    go(j, join, phi, 5);
    lanes_op_at(j, no);
    go(j, join, phi, 7);
    lanes_op_at(j, join);
    return phi;
}

static void shared_is_scalar(void **state)
{
    struct fixture *f = *state;
    struct jit_build *j = &f->build;
    jit_value v;

    v = choose(j, f->first);
    assert_true(lanes_is_uniform(j, v));
    assert_null(lanes_mask(j)); /* all lanes come here */
    expect_choice(j, lanes_scalar(j, v), f->first, number(j, 5), number(j, 7));
}

static void differing_is_vector(void **state)
{
    struct fixture *f = *state;

    assert_false(lanes_is_uniform(&f->build, choose(&f->build, f->of_lanes)));
}

/* if (first) v = second ? 1 : 2; else v = 3; `between`: the jump of the last way is built between
 * those of the first two. */
static jit_value choose_nested(struct fixture *f, bool between)
{
    struct jit_build *j = &f->build;
    jit_block outer[2], inner[2], join = lanes_op_block_new(j);
    jit_value phi = lanes_op_phi(j, join, JIT_U32);

    for (unsigned n = 0; n < 2; n++) {
        outer[n] = lanes_op_block_new(j);
        inner[n] = lanes_op_block_new(j);
    }
    lanes_op_branch(j, f->first, outer[0], outer[1]);
    lanes_op_at(j, outer[0]);
    lanes_op_branch(j, f->second, inner[0], inner[1]);
    lanes_op_at(j, inner[0]);
    go(j, join, phi, 1);
    lanes_op_at(j, between ? outer[1] : inner[1]);
    go(j, join, phi, between ? 3 : 2);
    lanes_op_at(j, between ? inner[1] : outer[1]);
    go(j, join, phi, between ? 2 : 3);
    lanes_op_at(j, join);
    return phi;
}

static void nested_is_scalar(void **state)
{
    struct fixture *f = *state;
    struct jit_build *j = &f->build;
    LLVMValueRef v, inner;
    jit_value phi;

    phi = choose_nested(f, false);
    assert_true(lanes_is_uniform(j, phi));
    assert_null(lanes_mask(j));
    v = lanes_scalar(j, phi);
    inner = j->l->GetOperand(v, 1);
    expect_choice(j, v, f->first, inner, number(j, 3));
    expect_choice(j, inner, f->second, number(j, 1), number(j, 2));
}

/* Where jumps that meet are not those of one branch, only their masks tell whose value a lane
 * has. */
static void others_are_vectors(void **state)
{
    struct fixture *f = *state;

    assert_false(lanes_is_uniform(&f->build, choose_nested(f, true)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shared_is_scalar, begin, end),
        cmocka_unit_test_setup_teardown(differing_is_vector, begin, end),
        cmocka_unit_test_setup_teardown(nested_is_scalar, begin, end),
        cmocka_unit_test_setup_teardown(others_are_vectors, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
