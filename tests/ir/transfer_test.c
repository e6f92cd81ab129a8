/*
 * Compares each row of the table of transfer functions with what the operation computes, on random
 * operands of random types. Some operands are constants, and of others some bits are known. A new
 * row is tested without a change here.
 */
#include "gencc/ir/arith.h"
#include "gencc/ir/transfer/facts.h"
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { OPERANDS = IR_STEP_OPERANDS, ROUNDS = 3000 };

/* An operation with the values of its operands, and the bits of these that are known. */
struct sample {
    struct ir_value v, operands[OPERANDS], *ops[OPERANDS];
    u128 x[OPERANDS], result;
    struct bits known[OPERANDS];
};

static uint64_t seed;

static unsigned draw_below(unsigned n)
{
    return (unsigned)(random_next(&seed) >> 33) % n;
}

/* Numbers with many equal bits are as frequent as others. */
static u128 draw_u128(void)
{
    u128 n = (u128)random_next(&seed) << 64 | random_next(&seed);

    switch (draw_below(4)) {
    case 0:
        return n & low_bits(draw_below(9));
    case 1:
        return ~(n & low_bits(draw_below(9)));
    case 2:
        return n & ((u128)random_next(&seed) << 64 | random_next(&seed));
    default:
        return n;
    }
}

static struct ir_type draw_int_type(void)
{
    return ir_type(draw_below(2) ? IR_UINT : IR_SINT, 8u << draw_below(5), 1);
}

static u128 compute_result(const struct sample *s, const u128 *x)
{
    struct ir_operand args[OPERANDS];
    u128 out = 0;

    for (unsigned i = 0; i < s->v.ops.len; i++)
        args[i] = (struct ir_operand){s->operands[i].type, &x[i]};
    assert_true(ir_arith(s->v.op, s->v.type, s->v.ops.len, args, &out));
    return out;
}

/* Returns whether the operation exists on scalar integers. */
static bool make_sample(struct sample *s, enum ir_op op)
{
    struct ir_type t = draw_int_type();

    *s = (struct sample){.v = {.op = op, .type = t}};
    if (op < IR_ADD || op > IR_BITCAST || ir_ops[op].operands < 1)
        return false;
    if (op >= IR_EQ && op <= IR_GE)
        s->v.type = IR_T_U8;
    else if (op == IR_CONVERT)
        s->v.type = draw_int_type();
    else if (op == IR_BITCAST)
        s->v.type.base = draw_below(2) ? IR_UINT : IR_SINT;
    s->v.ops.len = s->v.ops.cap = (unsigned)ir_ops[op].operands;
    s->v.ops.data = s->ops;
    for (unsigned i = 0; i < s->v.ops.len; i++) {
        struct ir_value *o = &s->operands[i];
        u128 all;

        s->ops[i] = o;
        o->op = draw_below(4) ? IR_PARAM : IR_CONST;
        o->type = (op == IR_SELECT && !i) || (op >= IR_SHL && op <= IR_ROR && i) ? IR_T_U8 : t;
        all = low_bits(o->type.bits);
        s->x[i] = i && !draw_below(8) ? s->x[0] & all : draw_u128() & all;
        s->known[i].mask = o->op == IR_CONST || !draw_below(3) ? all : draw_u128() & all;
        s->known[i].value = s->x[i] & s->known[i].mask;
        if (o->op == IR_CONST)
            o->imm = s->x[i];
    }
    s->result = compute_result(s, s->x);
    return true;
}

static void check_range(const struct sample *s, const struct ir_transfer *t)
{
    struct ir_range x[OPERANDS], r;

    for (unsigned i = 0; i < s->v.ops.len; i++)
        x[i] = range_of_bits(s->known[i].mask & ~s->known[i].value, s->known[i].value,
                             s->operands[i].type.bits);
    if (t->join_step) {
        r = x[t->join_from];
        for (unsigned i = t->join_from + t->join_step; i < s->v.ops.len; i += t->join_step)
            r = range_union(&r, &x[i]);
    } else if (t->range) {
        assert_true(t->range_operands <= s->v.ops.len);
        r = t->range(&s->v, x);
    } else {
        return;
    }
    assert_true(r.min <= s->result && s->result <= r.max);
    assert_true(!(s->result & r.zeros) && !(~s->result & r.ones));
    if (t->opaque && !t->join_step && range_is_full(&x[0], s->v.type.bits))
        assert_true(range_is_full(&r, s->v.type.bits));
}

static struct bits check_known(const struct sample *s, const struct ir_transfer *t)
{
    struct bits r = t->known ? t->known(&s->v, s->known) : bits_by_arith(&s->v, s->known);

    assert_true(!(r.value & ~r.mask) && !(r.mask & ~low_bits(s->v.type.bits)));
    assert_true(!((r.value ^ s->result) & r.mask));
    return r;
}

/* The bits that a rule demands of operands are necessary, and sufficient if the rule says so. */
static void check_want(const struct sample *s, const struct ir_transfer *t, struct bits known)
{
    u128 mask = draw_u128() & low_bits(s->v.type.bits), y[OPERANDS];
    struct bits want = {mask, s->result & mask}, x[OPERANDS] = {{0}}, fixed[OPERANDS] = {{0}};
    struct bits_wants wants;

    if (!t->want || !(want.mask & ~known.mask))
        return;
    assert_true(bits_learn(&want, known));
    for (unsigned i = 0; i < s->v.ops.len; i++)
        if (t->want_reads >> i & 1 || s->operands[i].op == IR_CONST)
            x[i] = fixed[i] = s->known[i];
    wants = t->want(&s->v, x, want);
    assert_int_not_equal(wants.outcome, BITS_IMPOSSIBLE);
    for (unsigned i = 0; i < wants.count; i++) {
        unsigned o = wants.at[i].operand;
        struct bits b = wants.at[i].bits;

        b.mask &= low_bits(s->operands[o].type.bits);
        assert_true(!((b.value ^ s->x[o]) & b.mask));
        assert_true(bits_learn(&fixed[o], b));
    }
    if (wants.outcome != BITS_DONE || wants.open)
        return;
    for (unsigned i = 0; i < s->v.ops.len; i++)
        y[i] =
            (fixed[i].value | (draw_u128() & ~fixed[i].mask)) & low_bits(s->operands[i].type.bits);
    assert_true(!((compute_result(s, y) ^ want.value) & want.mask));
}

static void check_demand(const struct sample *s, const struct ir_transfer *t)
{
    u128 mask = draw_u128() & low_bits(s->v.type.bits), y[OPERANDS];

    for (unsigned i = 0; t->demand && i < s->v.ops.len; i++) {
        u128 all = low_bits(s->operands[i].type.bits), asked = t->demand(&s->v, i, mask) & all;

        if (s->operands[i].op == IR_CONST)
            continue;
        memcpy(y, s->x, sizeof(y));
        y[i] = (y[i] & asked) | (draw_u128() & ~asked & all);
        assert_true(!((compute_result(s, y) ^ s->result) & mask));
    }
}

static void check_explain(const struct sample *s, const struct ir_transfer *t)
{
    struct ir_step step = {.v = &s->v, .value = s->result};
    u128 y[OPERANDS] = {0};

    if (!t->explain)
        return;
    memcpy(step.x, s->x, sizeof(step.x));
    step.want = draw_u128() & low_bits(s->v.type.bits);
    t->explain(&step);
    for (unsigned i = 0; i < s->v.ops.len; i++) {
        u128 all = low_bits(s->operands[i].type.bits);
        u128 asked = s->operands[i].op == IR_CONST ? all : step.asked[i] & all;

        y[i] = (s->x[i] & asked) | (draw_u128() & ~asked & all);
    }
    assert_true(!((compute_result(s, y) ^ s->result) & step.want));
}

static void test_rows(void **state)
{
    unsigned ruled = 0;

    (void)state;
    for (enum ir_op op = 0; op < IR_OP_COUNT; op++) {
        const struct ir_transfer *t = &ir_transfers[op];
        struct sample s;

        seed = op + 1;
        for (unsigned i = 0; i < ROUNDS && make_sample(&s, op); i++) {
            ruled += !i && (t->range || t->known || t->want || t->demand || t->explain);
            check_range(&s, t);
            check_want(&s, t, check_known(&s, t));
            check_demand(&s, t);
            check_explain(&s, t);
        }
    }
    assert_in_range(ruled, 20, IR_OP_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
