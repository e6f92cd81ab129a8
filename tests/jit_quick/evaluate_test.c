/*
 * Values that C computes for the quick tier, against the same arithmetic in C types of that width.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "runtime/jit/quick/tier.h"

static const uint64_t interesting[] = {
    0,
    1,
    2,
    7,
    8,
    31,
    32,
    63,
    64,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x12345678,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x100000000,
    0x0123456789abcdef,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xfedcba9876543210,
    UINT64_MAX,
};
enum { COUNT = sizeof(interesting) / sizeof(interesting[0]) };

static uint64_t evaluate_operation(enum q_op op, unsigned sub, jit_type t, uint64_t imm, uint64_t a)
{
    return quick_evaluate((struct q_operation){(uint8_t)op, (uint8_t)sub, t, imm}, a, 0, 0);
}

static uint64_t evaluate_binary(enum jit_op op, jit_type t, uint64_t a, uint64_t b)
{
    return quick_evaluate_binary(op, t, a, b);
}

static uint64_t evaluate_unary(enum jit_op op, jit_type t, uint64_t a)
{
    return evaluate_operation(Q_UNARY, op, t, 0, a);
}

static unsigned leading_zeros(uint64_t v, unsigned bits)
{
    unsigned n = 0;

    while (n < bits && !(v >> (bits - 1 - n) & 1))
        n++;
    return n;
}

static unsigned trailing_zeros(uint64_t v, unsigned bits)
{
    unsigned n = 0;

    while (n < bits && !(v >> n & 1))
        n++;
    return n;
}

static uint64_t reverse_units(uint64_t v, unsigned bits, unsigned unit)
{
    uint64_t mask = unit < 64 ? (UINT64_C(1) << unit) - 1 : UINT64_MAX, r = 0;

    for (unsigned n = 0; n < bits; n += unit)
        r |= (v >> n & mask) << (bits - unit - n);
    return r;
}

/* Checks a pair of operands; u and s are the type's values, unsigned and signed. */
#define CHECKS(name, U, S, bits)                                                           \
    static void name##_pair(uint64_t x, uint64_t y)                                        \
    {                                                                                      \
        const jit_type u = JIT_TYPE(JIT_UINT, bits, 1), s = JIT_TYPE(JIT_SINT, bits, 1);   \
        U a = (U)x, b = (U)y;                                                              \
        S c = (S)x, d = (S)y;                                                              \
        unsigned k = (unsigned)(y % (bits));                                               \
                                                                                           \
        assert_int_equal(evaluate_binary(JIT_ADD, u, x, y), (U)(a + b));                   \
        assert_int_equal(evaluate_binary(JIT_SUB, s, x, y), (U)(a - b));                   \
        assert_int_equal(evaluate_binary(JIT_MUL, u, x, y), (U)((uint64_t)a * b));         \
        assert_int_equal(evaluate_binary(JIT_AND, u, x, y), (U)(a & b));                   \
        assert_int_equal(evaluate_binary(JIT_OR, u, x, y), (U)(a | b));                    \
        assert_int_equal(evaluate_binary(JIT_XOR, u, x, y), (U)(a ^ b));                   \
        assert_int_equal(evaluate_binary(JIT_DIV, u, x, y), b ? (U)(a / b) : 0);           \
        assert_int_equal(evaluate_binary(JIT_MOD, u, x, y), b ? (U)(a % b) : a);           \
        if (d == -1) {                                                                     \
            assert_int_equal(evaluate_binary(JIT_DIV, s, x, y), (U)-a);                    \
            assert_int_equal(evaluate_binary(JIT_MOD, s, x, y), 0);                        \
        } else {                                                                           \
            assert_int_equal(evaluate_binary(JIT_DIV, s, x, y), d ? (U)(c / d) : 0);       \
            assert_int_equal(evaluate_binary(JIT_MOD, s, x, y), d ? (U)(c % d) : (U)c);    \
        }                                                                                  \
        assert_int_equal(evaluate_binary(JIT_SHL, u, x, y),                                \
                         y < (bits) ? (U)((uint64_t)a << y) : 0);                          \
        assert_int_equal(evaluate_binary(JIT_SHR, u, x, y), y < (bits) ? (U)(a >> y) : 0); \
        assert_int_equal(evaluate_binary(JIT_SHR, s, x, y),                                \
                         (U)(c >> (y < (bits) ? y : (bits)-1)));                           \
        assert_int_equal(evaluate_binary(JIT_ROR, u, x, y),                                \
                         (U)(a >> k | (uint64_t)a << (((bits)-k) % (bits))));              \
        assert_int_equal(evaluate_binary(JIT_ROL, u, x, y),                                \
                         (U)((uint64_t)a << k | a >> (((bits)-k) % (bits))));              \
        assert_int_equal(evaluate_binary(JIT_EQ, u, x, y), a == b);                        \
        assert_int_equal(evaluate_binary(JIT_NE, s, x, y), c != d);                        \
        assert_int_equal(evaluate_binary(JIT_LT, u, x, y), a < b);                         \
        assert_int_equal(evaluate_binary(JIT_LE, u, x, y), a <= b);                        \
        assert_int_equal(evaluate_binary(JIT_GT, u, x, y), a > b);                         \
        assert_int_equal(evaluate_binary(JIT_GE, u, x, y), a >= b);                        \
        assert_int_equal(evaluate_binary(JIT_LT, s, x, y), c < d);                         \
        assert_int_equal(evaluate_binary(JIT_LE, s, x, y), c <= d);                        \
        assert_int_equal(evaluate_binary(JIT_GT, s, x, y), c > d);                         \
        assert_int_equal(evaluate_binary(JIT_GE, s, x, y), c >= d);                        \
        assert_int_equal(quick_evaluate((struct q_operation){Q_SELECT, 0, u, 0}, x, y, 5), \
                         x ? b : 5);                                                       \
        assert_int_equal(quick_evaluate((struct q_operation){Q_SCALED, 0, u, 3}, x, y, 0), \
                         (U)(a + b * 8u));                                                 \
    }                                                                                      \
    static void name(void **state)                                                         \
    {                                                                                      \
        const jit_type u = JIT_TYPE(JIT_UINT, bits, 1), s = JIT_TYPE(JIT_SINT, bits, 1);   \
                                                                                           \
        (void)state;                                                                       \
        for (unsigned n = 0; n < COUNT; n++) {                                             \
            uint64_t x = interesting[n];                                                   \
            U a = (U)x;                                                                    \
                                                                                           \
            assert_int_equal(evaluate_unary(JIT_NEG, u, x), (U)(0 - a));                   \
            assert_int_equal(evaluate_unary(JIT_NOT, u, x), (U)~a);                        \
            assert_int_equal(evaluate_unary(JIT_ABS, s, x), (S)x < 0 ? (U)(0 - a) : a);    \
            assert_int_equal(evaluate_unary(JIT_CLZ, u, x), leading_zeros(a, bits));       \
            assert_int_equal(evaluate_unary(JIT_CTZ, u, x), trailing_zeros(a, bits));      \
            assert_int_equal(evaluate_unary(JIT_POPCOUNT, u, x), __builtin_popcountll(a)); \
            assert_int_equal(evaluate_unary(JIT_BITREV, u, x), reverse_units(a, bits, 1)); \
            assert_int_equal(evaluate_unary(JIT_BSWAP, u, x), reverse_units(a, bits, 8));  \
            assert_int_equal(evaluate_operation(Q_ZEXT, 0, JIT_U64, bits, x), a);          \
            assert_int_equal(evaluate_operation(Q_SEXT, 0, JIT_S64, bits, x),              \
                             (uint64_t)(int64_t)(S)x);                                     \
            for (unsigned m = 0; m < COUNT; m++)                                           \
                name##_pair(x, interesting[m]);                                            \
        }                                                                                  \
    }
CHECKS(bits8, uint8_t, int8_t, 8)
CHECKS(bits16, uint16_t, int16_t, 16)
CHECKS(bits32, uint32_t, int32_t, 32)
CHECKS(bits64, uint64_t, int64_t, 64)

static void high_halves(void **state)
{
    (void)state;
    for (unsigned n = 0; n < COUNT; n++) {
        for (unsigned m = 0; m < COUNT; m++) {
            uint64_t a = interesting[n], b = interesting[m];
            uint128_t u = (uint128_t)a * b;
            int128_t s = (int128_t)(int64_t)a * (int64_t)b;

            assert_int_equal(evaluate_binary(JIT_UMULH, JIT_U64, a, b), (uint64_t)(u >> 64));
            assert_int_equal(evaluate_binary(JIT_SMULH, JIT_S64, a, b), (uint64_t)(s >> 64));
        }
    }
}

/* ---- ordered floats -------------------------------------------------------------------------- */

/* Bit patterns of floats, in ascending order: negative infinity, -2.5, the denormal number next to
 * -0, 0, 1, 1.5, infinity. */
static const uint64_t ascending64[] = {
    0xfff0000000000000, 0xc004000000000000, 0x8000000000000001, 0,
    0x3ff0000000000000, 0x3ff8000000000000, 0x7ff0000000000000};
static const uint64_t ascending32[] = {0xff800000, 0xc0200000, 0x80000001, 0,
                                       0x3f800000, 0x3fc00000, 0x7f800000};

static void expect_order(jit_type t, uint64_t a, uint64_t b, int order)
{
    t |= Q_ORDERED;
    assert_int_equal(evaluate_binary(JIT_EQ, t, a, b), order == 0);
    assert_int_equal(evaluate_binary(JIT_NE, t, a, b), order != 0);
    assert_int_equal(evaluate_binary(JIT_LT, t, a, b), order < 0);
    assert_int_equal(evaluate_binary(JIT_LE, t, a, b), order <= 0);
    assert_int_equal(evaluate_binary(JIT_GT, t, a, b), order > 0);
    assert_int_equal(evaluate_binary(JIT_GE, t, a, b), order >= 0);
}

/* Bits above a single float's are of another value in the register. */
static void ordered_floats(void **state)
{
    const int count = sizeof(ascending64) / sizeof(ascending64[0]);

    (void)state;
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < count; b++) {
            expect_order(JIT_F64, ascending64[a], ascending64[b], a - b);
            expect_order(JIT_F32, ascending32[a] | UINT64_C(5) << 32, ascending32[b], a - b);
        }
    }
    expect_order(JIT_F64, 0, UINT64_C(1) << 63, 0);
    expect_order(JIT_F32, 0, UINT64_C(1) << 31, 0);
}

/* ---- values of a trace ----------------------------------------------------------------------- */

static void places_of_expressions(void **state)
{
    /* the registers follow struct cpu */
    const size_t bytes = sizeof(struct cpu) + _Alignof(struct cpu);
    struct cpu *cpu = aligned_alloc(_Alignof(struct cpu), bytes);
    struct isa_map map = {0};
    struct q_code code = {0};
    struct region r = {.map = &map, .quick = &code};
    struct q_frame f = {0};
    struct q_where at = {.kind = Q_IN_HOST, .host = 3};
    struct q_expr sum = {.op = Q_BINARY, .sub = JIT_ADD, .type = JIT_U32};
    struct q_vec v;

    (void)state;
    assert_non_null(cpu);
    memset(cpu, 0, bytes);
    vec_push(&map.slots, (struct slot){8, 4});
    vec_push(&code.constants, (struct q_vec){{(uint64_t)-16, 5}});
    memset(cpu->state, 0xee, 64);
    memcpy(cpu->state + 8, &(uint32_t){0x87654321}, 4);
    cpu->region_pc = 0x4000;
    f.general[3] = 0x123456789;
    f.vector[3] = (struct q_vec){{1, 2}};
    f.spill[7] = (struct q_vec){{3, 4}};

    assert_int_equal(quick_value(&r, cpu, &f, at).w[0], 0x123456789);
    v = quick_value(&r, cpu, &f, (struct q_where){.kind = Q_IN_HOST, .host = Q_V + 3});
    assert_true(v.w[0] == 1 && v.w[1] == 2);
    v = quick_value(&r, cpu, &f, (struct q_where){.kind = Q_IN_SPILL, .spill = 7});
    assert_true(v.w[0] == 3 && v.w[1] == 4);
    v = quick_value(&r, cpu, &f, (struct q_where){.kind = Q_IN_CONST});
    assert_true(v.w[0] == (uint64_t)-16 && v.w[1] == 5);
    v = quick_value(&r, cpu, &f, (struct q_where){.kind = Q_IN_PC});
    assert_int_equal(v.w[0], 0x3ff0);
    v = quick_value(&r, cpu, &f, (struct q_where){.kind = Q_IN_SLOT});
    assert_true(v.w[0] == 0x87654321 && !v.w[1]);
    sum.a = at;
    sum.b = (struct q_where){.kind = Q_IN_SLOT};
    vec_push(&code.exprs, sum);
    v = quick_value(&r, cpu, &f, (struct q_where){.kind = Q_IN_EXPR});
    assert_int_equal(v.w[0], (uint32_t)(0x123456789 + UINT64_C(0x87654321)));
    vec_free(&code.exprs);
    vec_free(&code.constants);
    vec_free(&map.slots);
    free(cpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits8),          cmocka_unit_test(bits16),
        cmocka_unit_test(bits32),         cmocka_unit_test(bits64),
        cmocka_unit_test(high_halves),    cmocka_unit_test(places_of_expressions),
        cmocka_unit_test(ordered_floats),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
