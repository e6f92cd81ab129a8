/*
 * Each operation on values worked out by hand, and the intrinsics that the compiler computes
 * itself.
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
    struct ir_type type; /* type of the operands */
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
    {IR_DIV, {IR_SINT, 8, 1}, 6, 0xfe, 0xfd}, /* 6 / -2 = -3 */
    {IR_DIV, {IR_SINT, 8, 1}, 6, 0xff, 0xfa},
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
    {IR_SHR, {IR_UINT, 8, 1}, 0x81, 8, 0},
    {IR_SHR, {IR_UINT, 128, 1}, (u128)3 << 126, 127, 1},
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
    {IR_GT, {IR_SINT, 8, 1}, 0x7f, 0x80, 1},
    {IR_LT, {IR_SINT, 8, 1}, 0x7f, 0x80, 0},
    {IR_GE, {IR_SINT, 16, 1}, 0x8000, 0x8000, 1},
    {IR_GE, {IR_UINT, 64, 1}, 3, 4, 0},
    {IR_GT, {IR_FLOAT, 32, 1}, 0x3f800000, 0x3f800000, 0}, /* 1 > 1 */
    {IR_GE, {IR_FLOAT, 32, 1}, 0x3f800000, 0x3f800000, 1},
    {IR_LT, {IR_FLOAT, 64, 1}, 0xbff0000000000000, 0xbff0000000000000, 0},
    {IR_LE, {IR_FLOAT, 64, 1}, 0xbff0000000000000, 0xbff0000000000000, 1},
    {IR_LT, {IR_FLOAT, 64, 1}, 0xbff0000000000000, 0x3ff0000000000000, 1},
    {IR_EQ, {IR_FLOAT, 32, 1}, 0x7fc00000, 0x7fc00000, 0}, /* a NaN is not equal to itself */
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
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
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
    {{IR_UINT, 64, 1}, {IR_FLOAT, 32, 1}, 0xffffffffffffffff, 0x5f800000}, /* 2^64 */
    {{IR_UINT, 128, 1}, {IR_FLOAT, 64, 1}, (u128)1 << 100, 0x4630000000000000},
    {{IR_SINT, 128, 1}, {IR_FLOAT, 32, 1}, ~(u128)0, 0xbf800000},
    {{IR_SINT, 64, 1}, {IR_FLOAT, 64, 1}, 0xffffffffffffffff, 0xbff0000000000000},
    {{IR_FLOAT, 32, 1}, {IR_SINT, 32, 1}, 0xbfc00000, 0xffffffff}, /* -1.5 to -1 */
    {{IR_FLOAT, 32, 1}, {IR_UINT, 32, 1}, 0xbfc00000, 0},          /* saturates */
    {{IR_FLOAT, 32, 1}, {IR_UINT, 8, 1}, 0x43800000, 0xff},        /* 256 */
    {{IR_FLOAT, 32, 1}, {IR_SINT, 8, 1}, 0xc3800000, 0x80},        /* -256 */
    {{IR_FLOAT, 64, 1}, {IR_SINT, 64, 1}, 0x7ff0000000000000, 0x7fffffffffffffff},
    {{IR_FLOAT, 64, 1}, {IR_UINT, 64, 1}, 0x7ff8000000000001, 0}, /* NaN */
    {{IR_FLOAT, 32, 1}, {IR_FLOAT, 64, 1}, 0x3fc00000, 0x3ff8000000000000},
    {{IR_FLOAT, 64, 1}, {IR_FLOAT, 32, 1}, 0x3ff8000000000000, 0x3fc00000},
};

static void converts_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(conversions) / sizeof(*conversions); i++) {
        const struct conversion *c = &conversions[i];
        struct ir_operand arg = {c->from, &c->x};
        u128 out = 0;

        assert_true(ir_arith(IR_CONVERT, c->to, 1, &arg, &out));
        if (out != c->result)
            fail_msg("conversion %zu: %#llx", i, (unsigned long long)out);
    }
}

/*
 * Whether a result depends on the rounding mode: by the 24 or 53 bits of the fraction, and by
 * operation.
 */
static void rounds_by_operation(void **state)
{
    static const struct {
        enum ir_op op;
        struct ir_type result, operand;
        bool rounds;
    } cases[] = {
        {IR_ADD, {IR_FLOAT, 32, 1}, {IR_FLOAT, 32, 1}, true},
        {IR_MOD, {IR_FLOAT, 64, 1}, {IR_FLOAT, 64, 1}, true},
        {IR_NEG, {IR_FLOAT, 64, 1}, {IR_FLOAT, 64, 1}, false},
        {IR_SELECT, {IR_FLOAT, 32, 1}, {IR_FLOAT, 32, 1}, false},
        {IR_ADD, {IR_UINT, 32, 1}, {IR_UINT, 32, 1}, false},
        {IR_EQ, {IR_UINT, 8, 1}, {IR_FLOAT, 32, 1}, false},
        {IR_CONVERT, {IR_UINT, 32, 1}, {IR_FLOAT, 32, 1}, false}, /* always rounds to zero */
        {IR_CONVERT, {IR_FLOAT, 32, 1}, {IR_UINT, 16, 1}, false},
        {IR_CONVERT, {IR_FLOAT, 32, 1}, {IR_SINT, 32, 1}, true},
        {IR_CONVERT, {IR_FLOAT, 64, 1}, {IR_UINT, 32, 1}, false},
        {IR_CONVERT, {IR_FLOAT, 64, 1}, {IR_UINT, 64, 1}, true},
        {IR_CONVERT, {IR_FLOAT, 64, 1}, {IR_FLOAT, 32, 1}, false},
        {IR_CONVERT, {IR_FLOAT, 64, 1}, {IR_FLOAT, 64, 1}, false},
        {IR_CONVERT, {IR_FLOAT, 32, 1}, {IR_FLOAT, 64, 1}, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        if (ir_arith_rounds(cases[i].op, cases[i].result, cases[i].operand) != cases[i].rounds)
            fail_msg("case %zu", i);
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
    enum ir_intrinsic intrinsic;
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

static void computes_intrinsics(void **state)
{
    const struct intrinsic_row table[] = {
        {IR_I_ABS32, 0xfffffffe, 0, 0, 2},
        {IR_I_ABS32, 0x80000000, 0, 0, 0x80000000},
        {IR_I_ABS64, 0xffffffffffffffff, 0, 0, 1},
        {IR_I_BSWAP32, 0x12345678, 0, 0, 0x78563412},
        {IR_I_BSWAP64, 0x0102030405060708, 0, 0, 0x0807060504030201},
        {IR_I_CLZ32, 0, 0, 0, 32},
        {IR_I_CLZ32, 0x00800000, 0, 0, 8},
        {IR_I_CLZ64, 0, 0, 0, 64},
        {IR_I_CLZ64, 1, 0, 0, 63},
        {IR_I_CTZ32, 0, 0, 0, 32},
        {IR_I_CTZ32, 0x50, 0, 0, 4},
        {IR_I_CTZ64, 0, 0, 0, 64},
        {IR_I_CTZ64, (u128)1 << 63, 0, 0, 63},
        {IR_I_POPCOUNT32, 0xf0f0, 0, 0, 8},
        {IR_I_POPCOUNT64, 0xffffffffffffffff, 0, 0, 64},
        {IR_I_BITREV32, 0x00000003, 0, 0, 0xc0000000},
        {IR_I_BITREV64, 1, 0, 0, (u128)1 << 63},
        {IR_I_UMULL, 0x100000000, 0x100000001, 0, 0x100000000},
        {IR_I_SMULL, 0xffffffffffffffff, 3, 0, 0xfffffffffffffffd},
        {IR_I_UMULH, 0xffffffffffffffff, 0xffffffffffffffff, 0, 0xfffffffffffffffe},
        {IR_I_SMULH, 0xffffffffffffffff, 1, 0, 0xffffffffffffffff},
        {IR_I_POLYMUL8, 0xff, 0xff, 0, 0x5555},
        {IR_I_POLYMUL64, (u128)1 << 63, 2, 0, (u128)1 << 64},
        {IR_I_FLOAT_SQRT, BITS32(9), 0, 0, BITS32(3)},
        {IR_I_FLOAT_ABS, 0xff800001, 0, 0, 0x7f800001},
        {IR_I_DOUBLE_SQRT, BITS64(2.25), 0, 0, BITS64(1.5)},
        {IR_I_DOUBLE_ABS, BITS64(-2), 0, 0, BITS64(2)},
        {IR_I_F32_IS_SNAN, 0x7f800001, 0, 0, 1},
        {IR_I_F32_IS_SNAN, 0x7fc00001, 0, 0, 0},
        {IR_I_F32_IS_SNAN, 0x7f800000, 0, 0, 0},
        {IR_I_F32_IS_QNAN, 0xffc00000, 0, 0, 1},
        {IR_I_F32_IS_QNAN, 0x7f800001, 0, 0, 0},
        {IR_I_F64_IS_SNAN, 0x7ff0000000000001, 0, 0, 1},
        {IR_I_F64_IS_SNAN, 0xfff0000000000000, 0, 0, 0},
        {IR_I_F64_IS_QNAN, 0x7ff8000000000000, 0, 0, 1},
        {IR_I_F64_IS_QNAN, BITS64(1), 0, 0, 0},
        {IR_I_FMA32, BITS32(2), BITS32(3), BITS32(4), BITS32(10)},
        {IR_I_FMA64, BITS64(1e16), BITS64(1e16), BITS64(1), BITS64(1e32)},
        {IR_I_F32_ROUND, BITS32(2.5f), 0, 0, BITS32(2)},
        {IR_I_F32_ROUND, BITS32(2.5f), 4, 0, BITS32(3)},
        {IR_I_F64_ROUND, BITS64(-2.5), 1, 0, BITS64(-2)},
        {IR_I_F64_ROUND, BITS64(-2.5), 2, 0, BITS64(-3)},
        {IR_I_F64_ROUND, BITS64(-2.5), 3, 0, BITS64(-2)},
        {IR_I_FCVT_F32_S32, BITS32(-1.5f), 0, 0, 0xfffffffe},
        {IR_I_FCVT_F32_S64, BITS32(-1.5f), 3, 0, 0xffffffffffffffff},
        {IR_I_FCVT_F32_U32, BITS32(1.5f), 1, 0, 2},
        {IR_I_FCVT_F32_U64, BITS32(-1.0f), 0, 0, 0},
        {IR_I_FCVT_F64_S32, BITS64(1e10), 0, 0, 0x7fffffff},
        {IR_I_FCVT_F64_S64, BITS64(0.5), 4, 0, 1},
        {IR_I_FCVT_F64_U32, BITS64(0.5), 0, 0, 0},
        {IR_I_FCVT_F64_U64, BITS64(1e30), 0, 0, 0xffffffffffffffff},
        {IR_I_CAST_FLOAT_TO_U32_TRUNCATE, BITS32(3.9f), 0, 0, 3},
        {IR_I_CAST_DOUBLE_TO_U64_TRUNCATE, BITS64(3.9), 0, 0, 3},
        {IR_I_SMULH, (u128)1 << 63, (u128)1 << 63, 0, (u128)1 << 62},
        {IR_I_SMULH, (u128)1 << 63, 2, 0, 0xffffffffffffffff},
        {IR_I_POLYMUL64, (u128)1 << 63, (u128)1 << 63, 0, (u128)1 << 126},
        {IR_I_FLOAT_ABS, BITS32(-3.0f), 0, 0, BITS32(3.0f)},
        {IR_I_DOUBLE_ABS, 0xfff0000000000001, 0, 0, 0x7ff0000000000001},
        /* A fused operation rounds once. */
        {IR_I_FMA32, 0x3f800001, 0x3f800001, 0xbf800002, BITS32(0x1p-46f)},
        {IR_I_FMA32X2, 0x3f800001, 0x3f800001, 0xbf800002, BITS32(0x1p-46f)},
        {IR_I_FMA32X4, 0x3f800001, 0x3f800001, 0xbf800002, BITS32(0x1p-46f)},
        {IR_I_FMA64, 0x3ff0000000000001, 0x3ff0000000000001, 0xbff0000000000002, BITS64(0x1p-104)},
        {IR_I_FMA64X2, 0x3ff0000000000001, 0x3ff0000000000001, 0xbff0000000000002,
         BITS64(0x1p-104)},
        {IR_I_SQRT32X2, BITS32(6.25f), 0, 0, BITS32(2.5f)},
        {IR_I_SQRT32X4, BITS32(6.25f), 0, 0, BITS32(2.5f)},
        {IR_I_SQRT64X2, BITS64(6.25), 0, 0, BITS64(2.5)},
        {IR_I_ROUND32X2, BITS32(-1.5f), 0, 0, BITS32(-2.0f)},
        {IR_I_ROUND32X4, BITS32(-1.5f), 3, 0, BITS32(-1.0f)},
        {IR_I_ROUND64X2, BITS64(0.5), 4, 0, BITS64(1.0)},
        {IR_I_TRANSLATED, 0, 0, 0, 0}, /* while the compiler computes, no code is translated */
        {IR_I_SOFTFP_ADD64, BITS64(1.5), BITS64(2.25), 0, BITS64(3.75)},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        const struct ir_pure_fn *fn = ir_pure(table[i].intrinsic);
        u128 r;

        if (!fn)
            fail_msg("%s is not computed", ir_intrinsics[table[i].intrinsic].name);
        r = fn->compute(table[i].a, table[i].b, table[i].c);
        if (r != table[i].result)
            fail_msg("row %zu, %s: %#llx", i, ir_intrinsics[table[i].intrinsic].name,
                     (unsigned long long)r);
        if (fn->max)
            assert_true(r <= fn->max);
    }
    assert_null(ir_pure(IR_I_MEM_READ_8));
}

/*
 * Largest results of intrinsics (others are unbounded), and whether they depend on the rounding
 * mode.
 */
static void intrinsic_properties(void **state)
{
    static const struct {
        enum ir_intrinsic intrinsic;
        u128 operand; /* operand with the largest result */
        unsigned max;
    } bounded[] = {
        {IR_I_CLZ32, 0, 32},
        {IR_I_CLZ64, 0, 64},
        {IR_I_CTZ32, 0, 32},
        {IR_I_CTZ64, 0, 64},
        {IR_I_POPCOUNT32, 0xffffffff, 32},
        {IR_I_POPCOUNT64, 0xffffffffffffffff, 64},
        {IR_I_F32_IS_SNAN, 0x7f800001, 1},
        {IR_I_F32_IS_QNAN, 0x7fc00000, 1},
        {IR_I_F64_IS_SNAN, 0x7ff0000000000001, 1},
        {IR_I_F64_IS_QNAN, 0x7ff8000000000000, 1},
    };
    static const enum ir_intrinsic rounding[] = {
        IR_I_FLOAT_SQRT, IR_I_DOUBLE_SQRT, IR_I_FMA32,        IR_I_FMA32X2,
        IR_I_FMA32X4,    IR_I_FMA64,       IR_I_FMA64X2,      IR_I_SQRT32X2,
        IR_I_SQRT32X4,   IR_I_SQRT64X2,    IR_I_SOFTFP_ADD64, IR_I_TRANSLATED};

    (void)state;
    for (unsigned i = IR_I_NONE + 1; i < IR_I_COUNT; i++) {
        const struct ir_pure_fn *fn = ir_pure(i);
        unsigned max = i == IR_I_TRANSLATED;
        bool rounded = false;

        if (!fn)
            continue;
        for (size_t k = 0; k < sizeof(bounded) / sizeof(*bounded); k++) {
            if (bounded[k].intrinsic == i) {
                max = bounded[k].max;
                assert_true(fn->compute(bounded[k].operand, 0, 0) == max);
            }
        }
        for (size_t k = 0; k < sizeof(rounding) / sizeof(*rounding); k++)
            rounded |= rounding[k] == i;
        if (fn->max != max || fn->rounds != rounded)
            fail_msg("%s: at most %u, rounds: %d", ir_intrinsics[i].name, fn->max, fn->rounds);
    }
}

/* Every class of number, at the limits of its fields. */
static void classes_of_numbers(void **state)
{
    static const struct {
        enum ir_intrinsic signalling, quiet;
        unsigned fraction, exponent; /* bits of each field */
    } formats[] = {{IR_I_F32_IS_SNAN, IR_I_F32_IS_QNAN, 23, 8},
                   {IR_I_F64_IS_SNAN, IR_I_F64_IS_QNAN, 52, 11}};

    (void)state;
    for (unsigned f = 0; f < 2; f++) {
        uint64_t top = UINT64_C(1) << (formats[f].fraction - 1);
        uint64_t last = (UINT64_C(1) << formats[f].exponent) - 1;
        const uint64_t fractions[] = {0, 1, top - 1, top, top + 1, 2 * top - 1};
        const uint64_t exponents[] = {0, 1, last / 2, last - 1, last};

        for (unsigned n = 0; n < 2 * 5 * 6; n++) {
            uint64_t fraction = fractions[n % 6], exponent = exponents[n / 6 % 5], sign = n / 30;
            u128 bits =
                (u128)(sign << formats[f].exponent | exponent) << formats[f].fraction | fraction;
            bool nan = exponent == last && fraction;

            assert_int_equal((int)ir_pure(formats[f].quiet)->compute(bits, 0, 0),
                             nan && fraction >= top);
            assert_int_equal((int)ir_pure(formats[f].signalling)->compute(bits, 0, 0),
                             nan && fraction < top);
        }
    }
}

/*
 * A number, and its roundings: to nearest even, up, down, to zero, and to nearest with ties away.
 */
static const struct {
    double x;
    int rounded[5];
} roundings[] = {
    {0.5, {0, 1, 0, 0, 1}},    {1.5, {2, 2, 1, 1, 2}},         {2.5, {2, 3, 2, 2, 3}},
    {-0.5, {0, 0, -1, 0, -1}}, {-1.5, {-2, -1, -2, -1, -2}},   {-2.5, {-2, -2, -3, -2, -3}},
    {2.375, {2, 3, 2, 2, 2}},  {-2.625, {-3, -2, -3, -2, -3}}, {7, {7, 7, 7, 7, 7}},
};

static void rounding_modes(void **state)
{
    static const struct {
        enum ir_intrinsic intrinsic;
        bool is_double, is_signed;
        unsigned bits;
    } integers[] = {
        {IR_I_FCVT_F32_S32, false, true, 32},  {IR_I_FCVT_F32_S64, false, true, 64},
        {IR_I_FCVT_F32_U32, false, false, 32}, {IR_I_FCVT_F32_U64, false, false, 64},
        {IR_I_FCVT_F64_S32, true, true, 32},   {IR_I_FCVT_F64_S64, true, true, 64},
        {IR_I_FCVT_F64_U32, true, false, 32},  {IR_I_FCVT_F64_U64, true, false, 64},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(roundings) / sizeof(*roundings); i++) {
        double x = roundings[i].x;

        for (unsigned mode = 0; mode < 5; mode++) {
            int wanted = roundings[i].rounded[mode];
            double same = copysign(wanted, x);

            assert_true(ir_pure(IR_I_F32_ROUND)->compute(BITS32((float)x), mode, 0) ==
                        BITS32((float)same));
            assert_true(ir_pure(IR_I_F64_ROUND)->compute(BITS64(x), mode, 0) == BITS64(same));
            for (size_t k = 0; k < sizeof(integers) / sizeof(*integers); k++) {
                u128 bits = integers[k].is_double ? BITS64(x) : BITS32((float)x);
                int64_t number = wanted < 0 && !integers[k].is_signed ? 0 : wanted;

                assert_true(ir_pure(integers[k].intrinsic)->compute(bits, mode, 0) ==
                            ((u128)number & low_bits(integers[k].bits)));
            }
        }
    }
    for (unsigned mode = 0; mode < 5; mode++) { /* a NaN becomes quiet in every mode */
        assert_true(ir_pure(IR_I_F32_ROUND)->compute(0x7f800001, mode, 0) == 0x7fc00001);
        assert_true(ir_pure(IR_I_F64_ROUND)->compute(0xfff0000000000001, mode, 0) ==
                    0xfff8000000000001);
    }
}

/* Signatures in the list are consistent; pure arithmetic is computed by the compiler. */
static void signatures_are_consistent(void **state)
{
    static const enum ir_intrinsic asked[] = {IR_I_GET_FEATURE, IR_I_GET_CPU_MODE, IR_I_ASM_HAS,
                                              IR_I_HOST_TRAPS};
    struct arena a = {0};

    (void)state;
    for (unsigned i = IR_I_NONE + 1; i < IR_I_COUNT; i++) {
        struct ir_callee *c = ir_intrinsic(&a, i, U(64));
        bool elsewhere = false;

        assert_int_equal(c->intrinsic, i);
        assert_int_equal(ir_intrinsic_find(c->name), i);
        assert_int_equal(c->params.len, c->by_ref.len);
        vec_for_each (&c->params, t)
            if (!ir_type_valid(*t))
                fail_msg("%s has a parameter without type", c->name);
        for (size_t k = 0; k < sizeof(asked) / sizeof(*asked); k++)
            elsewhere |= asked[k] == i;
        /* Values of a lane come from its surroundings. */
        elsewhere |= c->flags & IR_FN_LANE;
        if (c->flags & IR_FN_PURE && !c->pure && !elsewhere)
            fail_msg("%s is pure but nothing computes it", c->name);
    }
    assert_int_equal(ir_intrinsic_find("no_such"), IR_I_NONE);
    arena_free(&a);
}

static void one_signature(void **state)
{
    struct arena a = {0};
    struct ir_callee *c = ir_intrinsic(&a, IR_I_MEM_READ_16, U(32));

    (void)state;
    assert_true(ir_is_void(c->result));
    assert_int_equal(c->params.len, 3);
    assert_int_equal(c->symbol, IR_SYMBOL_MEMORY);
    assert_true(ir_type_eq(c->params.data[0], U(32)));
    assert_true(ir_type_eq(c->params.data[1], U(32))); /* word */
    assert_true(ir_type_eq(c->params.data[2], U(16)));
    assert_false(c->by_ref.data[1]);
    assert_true(c->by_ref.data[2]);
    c = ir_intrinsic(&a, IR_I_ASM_NUMBER, U(64));
    assert_int_equal(c->nparams_text, 1);
    assert_int_equal(c->params.len, 1);
    c = ir_intrinsic(&a, IR_I_READ_PC, U(32));
    assert_true(ir_type_eq(c->result, U(32)));
    assert_int_equal(c->params.len, 0);
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
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        assert_true(ir_type_parse(good[i], strlen(good[i]), &t));
        assert_string_equal(ir_type_name(t, buf), good[i]);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        if (ir_type_parse(bad[i], strlen(bad[i]), &t))
            fail_msg("'%s' is taken for a type", bad[i]);
    assert_false(ir_type_valid(ir_type(IR_FLOAT, 16, 1)));
    assert_false(ir_type_valid(ir_type(IR_UINT, 24, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_by_one),
        cmocka_unit_test(converts_numbers),
        cmocka_unit_test(moves_lanes),
        cmocka_unit_test(computes_intrinsics),
        cmocka_unit_test(signatures_are_consistent),
        cmocka_unit_test(one_signature),
        cmocka_unit_test(type_names),
        cmocka_unit_test(rounds_by_operation),
        cmocka_unit_test(intrinsic_properties),
        cmocka_unit_test(classes_of_numbers),
        cmocka_unit_test(rounding_modes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
