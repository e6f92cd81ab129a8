/*
 * Each operation on values worked out by hand, and the intrinsics the compiler computes itself.
 */
#include "gencc/ir/arith.h"
#include "gencc/ir/pass.h"
#include "gencc/ir/pure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>

#define U(bits) ir_type(IR_UINT, bits, 1)

struct row {
    enum ir_op op;
    struct ir_type type; /* of the operands */
    u128 x, y, result;
};

static const struct row rows[] = {
    {IR_ADD, {IR_UINT, 8, 1}, 0xff, 2, 1},
    {IR_ADD, {IR_SINT, 32, 1}, 0x7fffffff, 1, 0x80000000},
    {IR_SUB, {IR_UINT, 16, 1}, 0, 1, 0xffff},
    {IR_MUL, {IR_UINT, 64, 1}, 0x100000001, 0x100000001, 0x200000001},
    {IR_MUL, {IR_SINT, 8, 1}, 0x80, 0xff, 0x80},
    {IR_DIV, {IR_UINT, 32, 1}, 7, 0, 0},
    {IR_DIV, {IR_SINT, 32, 1}, 0xfffffff9, 2, 0xfffffffd}, /* -7 / 2 = -3 */
    {IR_DIV, {IR_SINT, 8, 1}, 0x80, 0xff, 0x80},
    {IR_DIV, {IR_UINT, 8, 1}, 0x80, 0xff, 0},
    {IR_MOD, {IR_SINT, 32, 1}, 0xfffffff9, 2, 0xffffffff}, /* -7 % 2 = -1 */
    {IR_MOD, {IR_UINT, 32, 1}, 7, 0, 7},
    {IR_MOD, {IR_SINT, 64, 1}, 5, 0xffffffffffffffff, 0},
    {IR_NEG, {IR_SINT, 8, 1}, 0x80, 0, 0x80},
    {IR_NEG, {IR_FLOAT, 32, 1}, 0, 0, 0x80000000},
    {IR_NOT, {IR_UINT, 16, 1}, 0x00ff, 0, 0xff00},
    {IR_AND, {IR_UINT, 8, 1}, 0xf0, 0x3c, 0x30},
    {IR_OR, {IR_UINT, 8, 1}, 0xf0, 0x3c, 0xfc},
    {IR_XOR, {IR_UINT, 8, 1}, 0xf0, 0x3c, 0xcc},
    {IR_SHL, {IR_UINT, 8, 1}, 0x81, 1, 2},
    {IR_SHL, {IR_UINT, 8, 1}, 0x81, 8, 0},
    {IR_SHL, {IR_UINT, 8, 1}, 0x81, 0xff, 0},
    {IR_SHR, {IR_UINT, 8, 1}, 0x81, 7, 1},
    {IR_SHR, {IR_SINT, 8, 1}, 0x81, 1, 0xc0},
    {IR_SHR, {IR_SINT, 8, 1}, 0x81, 200, 0xff},
    {IR_SHR, {IR_SINT, 8, 1}, 0x41, 200, 0},
    {IR_ROL, {IR_UINT, 8, 1}, 0x81, 1, 3},
    {IR_ROL, {IR_UINT, 8, 1}, 0x81, 9, 3},
    {IR_ROR, {IR_UINT, 8, 1}, 0x81, 1, 0xc0},
    {IR_ROR, {IR_SINT, 8, 1}, 0x81, 8, 0x81},
    {IR_EQ, {IR_UINT, 32, 1}, 5, 5, 1},
    {IR_NE, {IR_UINT, 32, 1}, 5, 5, 0},
    {IR_LT, {IR_UINT, 8, 1}, 0x80, 0x7f, 0},
    {IR_LT, {IR_SINT, 8, 1}, 0x80, 0x7f, 1},
    {IR_LE, {IR_SINT, 8, 1}, 0xff, 0, 1},
    {IR_GT, {IR_UINT, 8, 1}, 0x80, 0x7f, 1},
    {IR_GE, {IR_UINT, 64, 1}, 3, 4, 0},
    {IR_EQ, {IR_FLOAT, 32, 1}, 0x7fc00000, 0x7fc00000, 0}, /* a NaN equals nothing */
    {IR_NE, {IR_FLOAT, 32, 1}, 0x7fc00000, 0x7fc00000, 1},
    {IR_GE, {IR_FLOAT, 64, 1}, 0x7ff8000000000000, 0, 0},
    {IR_EQ, {IR_FLOAT, 32, 1}, 0, 0x80000000, 1},                    /* 0 == -0 */
    {IR_ADD, {IR_FLOAT, 32, 1}, 0x3f800000, 0x40000000, 0x40400000}, /* 1 + 2 */
    {IR_SUB, {IR_FLOAT, 64, 1}, 0x3ff0000000000000, 0x4000000000000000, 0xbff0000000000000},
    {IR_MUL, {IR_FLOAT, 32, 1}, 0x40400000, 0x3f000000, 0x3fc00000}, /* 3 * 0.5 */
    {IR_DIV, {IR_FLOAT, 32, 1}, 0x3f800000, 0, 0x7f800000},          /* 1 / 0 */
    {IR_MOD, {IR_FLOAT, 32, 1}, 0x40e00000, 0xc0000000, 0x3f800000}, /* 7 % -2 = 1 */
};

static void one_by_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct ir_operand args[2] = {{r->type, &r->x}, {r->type, &r->y}};
        bool compares = r->op >= IR_EQ && r->op <= IR_GE;
        u128 out = 0;

        assert_true(ir_arith(r->op, compares ? U(8) : r->type, (unsigned)ir_ops[r->op].operands,
                             args, &out));
        if (out != r->result)
            fail_msg("row %zu (%s): %#llx", i, ir_ops[r->op].name, (unsigned long long)out);
    }
    assert_false(ir_arith(IR_CONST, U(8), 0, NULL, NULL));
    assert_false(ir_arith(IR_RET, U(8), 0, NULL, NULL));
}

struct conversion {
    struct ir_type from, to;
    u128 x, result;
};

static const struct conversion conversions[] = {
    {{IR_UINT, 8, 1}, {IR_UINT, 32, 1}, 0x80, 0x80},
    {{IR_SINT, 8, 1}, {IR_UINT, 32, 1}, 0x80, 0xffffff80},
    {{IR_SINT, 8, 1}, {IR_SINT, 16, 1}, 0x80, 0xff80},
    {{IR_UINT, 64, 1}, {IR_SINT, 8, 1}, 0x1234, 0x34},
    {{IR_SINT, 32, 1}, {IR_FLOAT, 32, 1}, 0xffffffff, 0xbf800000},
    {{IR_UINT, 32, 1}, {IR_FLOAT, 64, 1}, 0xffffffff, 0x41efffffffe00000},
    {{IR_FLOAT, 32, 1}, {IR_SINT, 32, 1}, 0xbfc00000, 0xffffffff}, /* -1.5 to -1 */
    {{IR_FLOAT, 32, 1}, {IR_UINT, 32, 1}, 0xbfc00000, 0},          /* saturates */
    {{IR_FLOAT, 32, 1}, {IR_UINT, 8, 1}, 0x43800000, 0xff},        /* 256 */
    {{IR_FLOAT, 32, 1}, {IR_SINT, 8, 1}, 0xc3800000, 0x80},        /* -256 */
    {{IR_FLOAT, 64, 1}, {IR_SINT, 64, 1}, 0x7ff0000000000000, 0x7fffffffffffffff},
    {{IR_FLOAT, 64, 1}, {IR_UINT, 64, 1}, 0x7ff8000000000001, 0}, /* NaN */
    {{IR_FLOAT, 32, 1}, {IR_FLOAT, 64, 1}, 0x3fc00000, 0x3ff8000000000000},
    {{IR_FLOAT, 64, 1}, {IR_FLOAT, 32, 1}, 0x3ff8000000000000, 0x3fc00000},
};

static void converts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
        const struct conversion *c = &conversions[i];
        struct ir_operand arg = {c->from, &c->x};
        u128 out = 0;

        assert_true(ir_arith(IR_CONVERT, c->to, 1, &arg, &out));
        if (out != c->result)
            fail_msg("conversion %zu: %#llx", i, (unsigned long long)out);
    }
}

/* ---- vectors --------------------------------------------------------------------------------- */

static void expect_lanes(enum ir_op op, struct ir_type t, unsigned n, const struct ir_operand *args,
                         const u128 *wanted)
{
    u128 out[IR_MAX_LANES] = {0};

    assert_true(ir_arith(op, t, n, args, out));
    for (unsigned i = 0; i < t.lanes; i++)
        if (out[i] != wanted[i])
            fail_msg("%s, lane %u: %#llx", ir_ops[op].name, i, (unsigned long long)out[i]);
}

static void moves_lanes(void **state)
{
    struct ir_type v4 = ir_type(IR_UINT, 16, 4), v2 = ir_type(IR_UINT, 32, 2);
    const u128 a[] = {1, 2, 3, 4}, b[] = {9, 2, 9, 4}, mask[] = {0xffff, 0, 1, 0}, five = 5,
               nine = 9;
    const u128 one = 1, zero = 0;
    struct ir_operand va = {v4, a}, vb = {v4, b}, vm = {v4, mask}, i5 = {U(8), &five};
    struct ir_operand s9 = {U(16), &nine}, c1 = {U(8), &one}, c0 = {U(8), &zero};

    (void)state;
    expect_lanes(IR_EQ, v4, 2, (struct ir_operand[]){va, vb}, (u128[]){0, 0xffff, 0, 0xffff});
    expect_lanes(IR_SELECT, v4, 3, (struct ir_operand[]){vm, va, vb}, (u128[]){1, 2, 3, 4});
    expect_lanes(IR_SELECT, v4, 3, (struct ir_operand[]){c0, va, vb}, b);
    expect_lanes(IR_SELECT, v4, 3, (struct ir_operand[]){c1, va, vb}, a);
    expect_lanes(IR_SPLAT, v4, 1, &s9, (u128[]){9, 9, 9, 9});
    expect_lanes(IR_EXTRACT, U(16), 2, (struct ir_operand[]){va, i5}, (u128[]){2}); /* 5 mod 4 */
    expect_lanes(IR_INSERT, v4, 3, (struct ir_operand[]){va, i5, s9}, (u128[]){1, 9, 3, 4});
    expect_lanes(IR_BUILD, ir_type(IR_UINT, 16, 2), 2, (struct ir_operand[]){s9, s9},
                 (u128[]){9, 9});
    expect_lanes(IR_CONCAT, ir_type(IR_UINT, 16, 8), 2, (struct ir_operand[]){va, vb},
                 (u128[]){1, 2, 3, 4, 9, 2, 9, 4});
    expect_lanes(IR_BITCAST, v2, 1, &va, (u128[]){0x20001, 0x40003});
    expect_lanes(IR_BITCAST, U(64), 1, &va, (u128[]){0x0004000300020001});
    expect_lanes(IR_SHL, v4, 2, (struct ir_operand[]){va, vb}, (u128[]){0x200, 8, 0x600, 64});
    expect_lanes(IR_SHL, v4, 2, (struct ir_operand[]){va, i5}, (u128[]){32, 64, 96, 128});
}

/* ---- intrinsics ------------------------------------------------------------------------------ */

struct intrinsic_row {
    const char *name;
    u128 a, b, c, result;
};

#define BITS64(d)    \
    ((u128)(union {  \
         double f;   \
         uint64_t u; \
     }){.f = (d)}    \
         .u)
#define BITS32(x)    \
    ((u128)(union {  \
         float f;    \
         uint32_t u; \
     }){.f = (x)}    \
         .u)

static void intrinsics(void **state)
{
    const struct intrinsic_row table[] = {
        {"__builtin_abs32", 0xfffffffe, 0, 0, 2},
        {"__builtin_abs32", 0x80000000, 0, 0, 0x80000000},
        {"__builtin_abs64", 0xffffffffffffffff, 0, 0, 1},
        {"__builtin_bswap32", 0x12345678, 0, 0, 0x78563412},
        {"__builtin_bswap64", 0x0102030405060708, 0, 0, 0x0807060504030201},
        {"__builtin_clz32", 0, 0, 0, 32},
        {"__builtin_clz32", 0x00800000, 0, 0, 8},
        {"__builtin_clz64", 0, 0, 0, 64},
        {"__builtin_clz64", 1, 0, 0, 63},
        {"__builtin_ctz32", 0, 0, 0, 32},
        {"__builtin_ctz32", 0x50, 0, 0, 4},
        {"__builtin_ctz64", 0, 0, 0, 64},
        {"__builtin_ctz64", (u128)1 << 63, 0, 0, 63},
        {"__builtin_popcount32", 0xf0f0, 0, 0, 8},
        {"__builtin_popcount64", 0xffffffffffffffff, 0, 0, 64},
        {"__builtin_bitrev32", 0x00000003, 0, 0, 0xc0000000},
        {"__builtin_bitrev64", 1, 0, 0, (u128)1 << 63},
        {"__builtin_umull", 0x100000000, 0x100000001, 0, 0x100000000},
        {"__builtin_smull", 0xffffffffffffffff, 3, 0, 0xfffffffffffffffd},
        {"__builtin_umulh", 0xffffffffffffffff, 0xffffffffffffffff, 0, 0xfffffffffffffffe},
        {"__builtin_smulh", 0xffffffffffffffff, 1, 0, 0xffffffffffffffff},
        {"__builtin_polymul8", 0xff, 0xff, 0, 0x5555},
        {"__builtin_polymul64", (u128)1 << 63, 2, 0, (u128)1 << 64},
        {"float_sqrt", BITS32(9), 0, 0, BITS32(3)},
        {"float_abs", 0xff800001, 0, 0, 0x7f800001},
        {"double_sqrt", BITS64(2.25), 0, 0, BITS64(1.5)},
        {"double_abs", BITS64(-2), 0, 0, BITS64(2)},
        {"__builtin_f32_is_snan", 0x7f800001, 0, 0, 1},
        {"__builtin_f32_is_snan", 0x7fc00001, 0, 0, 0},
        {"__builtin_f32_is_snan", 0x7f800000, 0, 0, 0},
        {"__builtin_f32_is_qnan", 0xffc00000, 0, 0, 1},
        {"__builtin_f32_is_qnan", 0x7f800001, 0, 0, 0},
        {"__builtin_f64_is_snan", 0x7ff0000000000001, 0, 0, 1},
        {"__builtin_f64_is_snan", 0xfff0000000000000, 0, 0, 0},
        {"__builtin_f64_is_qnan", 0x7ff8000000000000, 0, 0, 1},
        {"__builtin_f64_is_qnan", BITS64(1), 0, 0, 0},
        {"__builtin_fma32", BITS32(2), BITS32(3), BITS32(4), BITS32(10)},
        {"__builtin_fma64", BITS64(1e16), BITS64(1e16), BITS64(1), BITS64(1e32)},
        {"__builtin_f32_round", BITS32(2.5f), 0, 0, BITS32(2)},
        {"__builtin_f32_round", BITS32(2.5f), 4, 0, BITS32(3)},
        {"__builtin_f64_round", BITS64(-2.5), 1, 0, BITS64(-2)},
        {"__builtin_f64_round", BITS64(-2.5), 2, 0, BITS64(-3)},
        {"__builtin_f64_round", BITS64(-2.5), 3, 0, BITS64(-2)},
        {"__builtin_fcvt_f32_s32", BITS32(-1.5f), 0, 0, 0xfffffffe},
        {"__builtin_fcvt_f32_s64", BITS32(-1.5f), 3, 0, 0xffffffffffffffff},
        {"__builtin_fcvt_f32_u32", BITS32(1.5f), 1, 0, 2},
        {"__builtin_fcvt_f32_u64", BITS32(-1.0f), 0, 0, 0},
        {"__builtin_fcvt_f64_s32", BITS64(1e10), 0, 0, 0x7fffffff},
        {"__builtin_fcvt_f64_s64", BITS64(0.5), 4, 0, 1},
        {"__builtin_fcvt_f64_u32", BITS64(0.5), 0, 0, 0},
        {"__builtin_fcvt_f64_u64", BITS64(1e30), 0, 0, 0xffffffffffffffff},
        {"__builtin_cast_float_to_u32_truncate", BITS32(3.9f), 0, 0, 3},
        {"__builtin_cast_double_to_u64_truncate", BITS64(3.9), 0, 0, 3},
        {"__softfp_add64", BITS64(1.5), BITS64(2.25), 0, BITS64(3.75)},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct ir_pure_fn *fn = ir_pure_find(table[i].name);
        u128 r;

        if (!fn)
            fail_msg("%s is not computed", table[i].name);
        r = fn->compute(table[i].a, table[i].b, table[i].c);
        if (r != table[i].result)
            fail_msg("row %zu, %s: %#llx", i, fn->name, (unsigned long long)r);
        if (fn->max)
            assert_true(r <= fn->max);
    }
    assert_null(ir_pure_find("mem_read_8"));
}

/* Signatures of the whole list make sense; what is pure arithmetic is computed. */
static void signatures(void **state)
{
    static const char *const names[] = {
#define IR_INTRINSIC(name, signature, flags) name,
#include "gencc/ir/intrinsics.inc"
#undef IR_INTRINSIC
    };
    static const char *const asked[] = {"__builtin_get_feature", "get_cpu_mode", "asm_has"};
    struct arena a = {0};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ir_callee *c = ir_intrinsic(&a, names[i], U(64));
        bool elsewhere = false;

        assert_non_null(c);
        assert_int_equal(c->params.count, c->by_ref.count);
        vec_for_each (&c->params, t)
            if (!ir_type_valid(*t))
                fail_msg("%s has a parameter without type", names[i]);
        for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
            elsewhere |= !strcmp(asked[k], names[i]);
        /* What a lane has comes from its surroundings. */
        elsewhere |= c->flags & IR_FN_LANE;
        if (c->flags & IR_FN_PURE && !c->pure && !elsewhere)
            fail_msg("%s is pure but nothing computes it", names[i]);
    }
    assert_null(ir_intrinsic(&a, "no_such", U(64)));
    arena_free(&a);
}

static void one_signature(void **state)
{
    struct arena a = {0};
    struct ir_callee *c = ir_intrinsic(&a, "mem_read_16", U(32));

    (void)state;
    assert_true(ir_is_void(c->result));
    assert_int_equal(c->params.count, 3);
    assert_true(ir_type_eq(c->params.at[1], U(32))); /* word */
    assert_true(ir_type_eq(c->params.at[2], U(16)));
    assert_false(c->by_ref.at[1]);
    assert_true(c->by_ref.at[2]);
    c = ir_intrinsic(&a, "asm_number", U(64));
    assert_int_equal(c->nparams_text, 1);
    assert_int_equal(c->params.count, 1);
    c = ir_intrinsic(&a, "read_pc", U(32));
    assert_true(ir_type_eq(c->result, U(32)));
    assert_int_equal(c->params.count, 0);
    arena_free(&a);
}

static void type_names(void **state)
{
    static const char *const good[] = {"uint8",     "sint128",   "float", "double",
                                       "uint8[16]", "double[2]", "void"};
    static const char *const bad[] = {"uint9",   "uint8[",  "uint8[]", "uint8[65]", "uint8[0]",
                                      "float16", "uint8[4", "void[2]", "uint8[4x]", ""};
    struct ir_type t;
    char buf[24];

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(ir_type_parse(good[i], strlen(good[i]), &t));
        assert_string_equal(ir_type_name(t, buf), good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (ir_type_parse(bad[i], strlen(bad[i]), &t))
            fail_msg("'%s' is taken for a type", bad[i]);
    assert_false(ir_type_valid(ir_type(IR_FLOAT, 16, 1)));
    assert_false(ir_type_valid(ir_type(IR_UINT, 24, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_by_one), cmocka_unit_test(converts),   cmocka_unit_test(moves_lanes),
        cmocka_unit_test(intrinsics), cmocka_unit_test(signatures), cmocka_unit_test(one_signature),
        cmocka_unit_test(type_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
