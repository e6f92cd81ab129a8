/*
 * The quick tier's vector code, executed: every operation that x64_can_select_vector() accepts, for
 * all combinations of types, on values with many special ones, against a model in C. With the
 * host's AVX-512, if it has that, and without.
 */
#include "vector_test.h"

#include "runtime/jit/quick/simplify.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* ---- what is tried --------------------------------------------------------------------------- */

static const jit_type scalars[] = {JIT_U8,  JIT_S8,  JIT_U16,  JIT_S16,  JIT_U32, JIT_S32,
                                   JIT_U64, JIT_S64, JIT_U128, JIT_S128, JIT_F32, JIT_F64};
enum { SCALARS = sizeof(scalars) / sizeof(scalars[0]), TYPES = SCALARS + 10 * 5 };

/* Scalars, then vectors of 2 to 32 bytes. */
static jit_type type_at(unsigned n)
{
    jit_type lane;

    if (n < SCALARS)
        return scalars[n];
    n -= SCALARS;
    lane = scalars[n / 5 < 8 ? n / 5 : n / 5 + 2];
    return JIT_TYPE(q_base(lane), q_lane_bits(lane), (16u << n % 5) / q_lane_bits(lane));
}

/* Vectors of unsupported shapes and types of more than 16 bytes never occur in nodes. */
static bool is_type(jit_type t)
{
    return q_lanes(t) >= 1 && (t >> 16) > 0 && q_bits(t) <= 128;
}

/* Operations that must not be left to handlers. */
static bool is_wanted(unsigned op, jit_type t)
{
    if (q_bits(t) < 32 || q_lane_bits(t) > 64)
        return (op == JIT_NOT && q_bits(t) == 128) ||
               (op >= JIT_AND && op <= JIT_XOR && q_bits(t) == 128);
    if (q_base(t) == JIT_FLOAT)
        return op == JIT_NEG || (op >= JIT_ABS && op <= JIT_ROUND_ZERO) || op >= JIT_EQ ||
               (op >= JIT_ADD && op <= JIT_DIV);
    return op <= JIT_ABS || op >= JIT_EQ || (op >= JIT_ADD && op <= JIT_MUL) ||
           (op >= JIT_AND && op <= JIT_XOR);
}

static void test_arithmetic(void **state)
{
    struct harness *f = *state;

    for (unsigned k = 0; k < TYPES; k++) {
        jit_type t = type_at(k);

        if (!is_type(t) || !q_in_vector(t))
            continue;
        for (uint8_t op = JIT_NEG; op <= JIT_GE; op++) {
            struct operation o = {
                .node = {.op = op < JIT_ADD ? Q_UNARY : Q_BINARY, .sub = op, .type = t},
                .operands = op < JIT_ADD ? 1 : 2,
                .types = {t, t}};

            if (op == JIT_SHL || op == JIT_SHR)
                continue;
            assert_true(try_operation(f, &o) || !is_wanted(op, t));
            if (op >= JIT_EQ && q_lanes(t) == 1 && q_base(t) == JIT_FLOAT) {
                o.node.result = t; /* the result as a mask */
                try_operation(f, &o);
            }
            if (op != JIT_MUL || q_lane_bits(t) != 64)
                continue;
            o.kinds[0] = o.kinds[1] = LEAF_UNSIGNED;
            try_operation(f, &o);
            o.kinds[0] = o.kinds[1] = LEAF_SIGNED;
            try_operation(f, &o);
            o.kinds[0] = o.kinds[1] = LEAF_OTHER;
            try_operation(f, &o);
        }
        if (q_base(t) == JIT_FLOAT)
            for (unsigned negated = 0; negated < 4; negated++)
                try_operation(f,
                              &(struct operation){.node = {.op = Q_FMA, .type = t, .imm = negated},
                                                  .operands = 3,
                                                  .types = {t, t, t}});
    }
}

enum { MORE = Q_ROUNDED_PRODUCT - Q_WITHOUT + 1 };

static void test_more_arithmetic(void **state)
{
    struct harness *f = *state;

    for (unsigned k = 0; k < MORE * TYPES; k++) {
        jit_type t = type_at(k / MORE);

        if (is_type(t) && q_in_vector(t))
            try_operation(
                f, &(struct operation){
                       .node = {.op = Q_BINARY, .sub = (uint8_t)(Q_WITHOUT + k % MORE), .type = t},
                       .operands = 2,
                       .types = {t, t}});
    }
}

/* Words of 16 bits of two vectors. */
static void test_words(void **state)
{
    for (uint64_t words = 0; words < 256; words += 3) {
        const jit_type t = JIT_TYPE(JIT_UINT, 16, words % 2 ? 8 : 4);

        assert_true(try_operation(
            *state,
            &(struct operation){.node = {.op = Q_BINARY, .sub = Q_WORDS, .type = t, .imm = words},
                                .operands = 2,
                                .types = {t, t}}));
    }
}

/* Sixteen bytes of thirty-two, from each of them on. */
static void test_bytes(void **state)
{
    for (unsigned k = 0; k < 16; k++)
        try_operation(*state,
                      &(struct operation){
                          .node = {.op = Q_BINARY, .sub = Q_BYTES, .type = JIT_U128, .imm = k},
                          .operands = 2,
                          .types = {JIT_U128, JIT_U128}});
}

static void test_shifts(void **state)
{
    struct harness *f = *state;

    for (unsigned k = 0; k < 2 * TYPES; k++) {
        jit_type t = type_at(k / 2);
        struct operation o = {
            .node = {.op = Q_BINARY, .sub = k % 2 ? JIT_SHL : JIT_SHR, .type = t},
            .operands = 2,
            .types = {t},
        };

        if (!is_type(t) || !q_in_vector(t) || q_base(t) == JIT_FLOAT)
            continue;
        for (unsigned n = 0; n < TYPES; n++) {
            o.node.from = o.types[1] = type_at(n);
            if (!is_type(o.types[1]) || q_base(o.types[1]) == JIT_FLOAT ||
                q_bits(o.types[1]) > 128 ||
                (q_lanes(o.types[1]) != 1 && q_lanes(o.types[1]) != q_lanes(t)))
                continue;
            o.kinds[1] = LEAF_AMOUNT;
            try_operation(f, &o);
            o.kinds[1] = LEAF_CONST;
            try_operation(f, &o);
        }
    }
}

/* Every constant shift amount, for the types that can be shifted. */
static void test_fixed_shifts(void **state)
{
    struct harness *f = *state;

    for (unsigned k = 0; k < 2 * TYPES; k++) {
        jit_type t = type_at(k / 2);
        struct operation o = {
            .node = {.op = Q_BINARY, .sub = k % 2 ? JIT_SHL : JIT_SHR, .type = t, .from = JIT_U16},
            .operands = 2,
            .types = {t, JIT_U16},
            .kinds = {LEAF_ANY, LEAF_CONST},
        };

        if (!is_type(t) || !q_in_vector(t) || !try_operation(f, &o))
            continue;
        for (unsigned n = 0; n < 4 * 260; n++)
            run_operation(f, &o);
    }
}

static void test_selects(void **state)
{
    struct harness *f = *state;

    for (unsigned k = 0; k < TYPES * TYPES; k++) {
        jit_type t = type_at(k / TYPES), from = type_at(k % TYPES);
        struct operation o = {.node = {.op = Q_BLEND, .type = t, .from = from},
                              .operands = 3,
                              .types = {from, t, t},
                              .kinds = {LEAF_CONDITION}};

        if (!is_type(t) || !is_type(from) || !q_in_vector(t))
            continue;
        if (q_in_vector(from)) {
            try_operation(f, &o);
            o.kinds[0] = q_lanes(from) > 1 ? LEAF_MASK : LEAF_FLOAT;
            try_operation(f, &o);
            o.kinds[0] = q_lanes(from) > 1 ? LEAF_BYTES : LEAF_FLOAT;
            try_operation(f, &o);
        } else {
            o = (struct operation){.node = {.op = Q_SELECT, .type = t, .from = from},
                                   .operands = 4,
                                   .types = {t, t, from, from}};
            for (o.node.sub = JIT_EQ; o.node.sub <= JIT_GE; o.node.sub++)
                try_operation(f, &o);
        }
    }
}

static void test_conversions(void **state)
{
    struct harness *f = *state;

    for (unsigned k = 0; k < TYPES * TYPES; k++) {
        jit_type to = type_at(k / TYPES), from = type_at(k % TYPES);
        struct operation o = {
            .node = {.op = Q_CONVERT, .type = to, .from = from}, .operands = 1, .types = {from}};

        if (!is_type(to) || !is_type(from) || (!q_in_vector(to) && !q_in_vector(from)))
            continue;
        if (q_lanes(to) == q_lanes(from))
            try_operation(f, &o);
        o.node.sub = 1;
        if (q_lanes(to) == q_lanes(from) && q_lane_bits(to) * 2 == q_lane_bits(from) &&
            q_base(to) != JIT_FLOAT && q_base(from) != JIT_FLOAT)
            try_operation(f, &o);
        o.node.sub = 0;
        o.node.op = Q_BITCAST;
        if (q_bits(to) == q_bits(from))
            try_operation(f, &o);
    }
}

/*
 * Returns a scalar type of a lane's width from which a lane can be made, other than the lane's own
 * type.
 */
static jit_type lane_source(jit_type lane, unsigned which)
{
    static const jit_type wide[] = {JIT_U64, JIT_F64, JIT_TYPE(JIT_UINT, 8, 8)};
    static const jit_type narrow[] = {JIT_U32, JIT_F32, JIT_TYPE(JIT_UINT, 16, 2)};

    if (q_lane_bits(lane) < 32)
        return lane;
    return q_lane_bits(lane) == 32 ? narrow[which] : wide[which];
}

static void test_lanes(void **state)
{
    struct harness *f = *state;

    for (unsigned k = 0; k < 9 * TYPES; k++) {
        jit_type t = type_at(k / 9);
        jit_type lane = JIT_TYPE(q_base(t), q_lane_bits(t), 1);
        jit_type a = lane_source(lane, k % 3), b = lane_source(lane, k / 3 % 3);
        struct operation o = {.node = {.type = t}, .operands = 2, .types = {a, b}};

        if (!is_type(t) || q_lanes(t) < 2)
            continue;
        o.node.op = Q_SPLAT;
        try_operation(f, &o);
        o.node.op = Q_BUILD2;
        if (q_lanes(t) == 2) {
            try_operation(f, &o);
            o.kinds[1] = LEAF_CONST;
            try_operation(f, &o);
        }
        o.types[0] = t;
        o.kinds[1] = LEAF_ANY;
        for (o.node.imm = 0; o.node.imm < q_lanes(t); o.node.imm++) {
            o.node.op = Q_SPLAT;
            o.node.from = t;
            try_operation(f, &o);
            o.node.op = Q_INSERT;
            try_operation(f, &o);
            o.node.op = Q_EXTRACT;
            o.operands = 1;
            try_operation(f, &o);
            o.operands = 2;
        }
    }
}

static void test_concatenations(void **state)
{
    struct harness *f = *state;

    for (unsigned k = 0; k < 2 * TYPES; k++) {
        jit_type t = type_at(k / 2);
        jit_type half = JIT_TYPE(q_base(t), q_lane_bits(t), q_lanes(t) / 2);

        if (is_type(t) && q_lanes(t) >= 2)
            try_operation(f,
                          &(struct operation){.node = {.op = Q_CONCAT, .type = t},
                                              .operands = 2,
                                              .types = {half, half},
                                              .kinds = {LEAF_ANY, k % 2 ? LEAF_CONST : LEAF_ANY}});
    }
}

/* Lanes whose numbers are values: any, and constants that need less code. */
static void test_shuffles(void **state)
{
    const jit_type t = JIT_TYPE(JIT_UINT, 8, 16);
    static const enum leaf kinds[] = {LEAF_ANY, LEAF_CONST, LEAF_NUMBERS, LEAF_NUMBERS};
    struct harness *f = *state;

    for (unsigned k = 0; k < 8; k++) {
        struct operation o = {.node = {.op = Q_SHUFFLE, .type = t},
                              .operands = 2,
                              .types = {t, t},
                              .kinds = {LEAF_ANY, kinds[k % 4]}};

        assert_true(try_operation(f, &o));
    }
    for (unsigned k = 0; k < 8; k++) {
        struct operation o = {.node = {.op = Q_LOOK_UP, .type = t},
                              .operands = 3,
                              .types = {t, t, t},
                              .kinds = {LEAF_ANY, kinds[k % 4], LEAF_ANY}};

        try_operation(f, &o); /* not all hosts have it */
    }
    assert_true(try_operation(f, &(struct operation){.node = {.op = Q_EXTRACT_AT, .type = t},
                                                     .operands = 2,
                                                     .types = {t, JIT_U32}}));
}

static void test_low(void **state)
{
    struct harness *f = *state;

    for (unsigned k = 0; k < TYPES; k++) {
        struct operation o = {.node = {.op = Q_LOW, .type = JIT_U128}, .operands = 1};

        o.types[0] = type_at(k);
        if (!is_type(o.types[0]))
            continue;
        for (o.node.imm = 32; o.node.imm <= 64 && o.node.imm <= q_bits(o.types[0]); o.node.imm *= 2)
            try_operation(f, &o);
    }
}

/* Constants, with all runs of ones, which are made by special sequences. */
static void test_constants(void **state)
{
    struct harness *f = *state;

    for (unsigned k = 0; k < TYPES; k++) {
        jit_type t = type_at(k);

        if (!is_type(t) || !q_in_vector(t))
            continue;
        for (unsigned n = 0; n < 65 * 65; n++) {
            unsigned low = n % 65, high = n / 65;
            uint64_t ones = low < 64 ? (UINT64_C(1) << low) - 1 : UINT64_MAX;
            struct q_node node = {
                .op = Q_CONST, .type = t, .result = t, .sub = q_lane_bits(t) == 128};

            node.imm = high < 64 ? ones << high : n % 2 ? random64() : random64() >> low % 64;
            node.imm2 = n % 3 ? node.imm : n % 5 ? random64() : 0;
            try_constant(f, &node);
        }
    }
}

/* ---- simplification -------------------------------------------------------------------------- */

enum { A = 1, B, COMPARED, INVERTED, CHOSEN, REST, MERGED, GRAPH };

static union value evaluate_node(const struct q_node *nodes, const union value *leaves, uint32_t at)
{
    struct operation o = {.node = nodes[at]};
    union value args[3];

    if (nodes[at].op == Q_REG)
        return leaves[at];
    if (nodes[at].op == Q_CONST) {
        union value v = {0};

        for (unsigned k = 0; k < q_lanes(nodes[at].type); k++)
            lane_set(&v, nodes[at].type, k, nodes[at].imm);
        return v;
    }
    for (unsigned k = 0; k < 3; k++) {
        uint32_t n = nodes[at].in[k];

        if (n) {
            args[k] = evaluate_node(nodes, leaves, n);
            o.types[k] = nodes[n].type;
        }
    }
    o.node.result = 0;
    return model(&o, args);
}

/* (a & m) | (b & ~m), with operands in all orders; m is a comparison of a and b. */
static void simplify_merge(jit_type t, unsigned sub, unsigned order)
{
    jit_type lanes = JIT_TYPE(JIT_UINT, q_lane_bits(t), q_lanes(t));
    struct q_node nodes[GRAPH] = {
        [A] = {.op = Q_REG, .type = t, .result = t},
        [B] = {.op = Q_REG, .type = t, .result = t},
        [COMPARED] = {.op = Q_BINARY, .sub = (uint8_t)sub, .type = t, .in = {A, B}},
        [INVERTED] = {.op = Q_UNARY, .sub = JIT_NOT, .type = lanes, .in = {COMPARED}},
        [CHOSEN] = {.op = Q_BINARY, .sub = JIT_AND, .type = lanes, .in = {A, COMPARED}},
        [REST] = {.op = Q_BINARY, .sub = JIT_AND, .type = lanes, .in = {INVERTED, B}},
        [MERGED] = {.op = Q_BINARY, .sub = JIT_OR, .type = lanes, .in = {CHOSEN, REST}},
    };
    union value leaves[3] = {[A] = random_value(t, LEAF_ANY), [B] = random_value(t, LEAF_ANY)};
    union value want, got;
    struct quick q = {0};

    q.nodes.data = nodes;
    q.nodes.len = q.nodes.cap = GRAPH;
    for (unsigned n = COMPARED; n < GRAPH; n++) {
        nodes[n].result = lanes;
        if ((order >> n & 1) && nodes[n].in[1]) {
            uint32_t swap = nodes[n].in[0];

            nodes[n].in[0] = nodes[n].in[1];
            nodes[n].in[1] = swap;
        }
    }
    want = evaluate_node(nodes, leaves, MERGED);
    q_simplify_vector(&q, &nodes[REST]);
    assert_int_equal(nodes[REST].sub, Q_WITHOUT);
    q_simplify_vector(&q, &nodes[MERGED]);
    assert_int_equal(nodes[MERGED].op, q_lane_bits(t) < 64 && q_base(t) != JIT_FLOAT && sub > JIT_NE
                                           ? Q_BINARY
                                           : Q_BLEND);
    got = evaluate_node(nodes, leaves, MERGED);
    assert_true(same_value(lanes, &want, &got, false));
}

static void test_simplify(void **state)
{
    (void)state;
    for (unsigned k = 0; k < TYPES; k++) {
        jit_type t = type_at(k);

        for (unsigned n = 0; n < 6 * 256 && is_type(t) && q_lanes(t) > 1; n++)
            if (q_bits(t) >= 32 && (q_base(t) != JIT_FLOAT || q_lane_bits(t) >= 32))
                simplify_merge(t, JIT_EQ + n / 256, n % 256);
    }
}

enum { MASK = 3, AMOUNT, WITH, OTHER, WORDS, WORDS_GRAPH };

/* (a & mask) | other, where the mask is often of whole words of 16 bits, and `other` is b, shifted
 * or masked. Returns whether it became a choice of words. */
static bool simplify_words(jit_type t, unsigned round)
{
    static const uint8_t ops[] = {JIT_SHL, JIT_SHR, JIT_AND, JIT_OR};
    const jit_type other = JIT_TYPE(round & 4 ? JIT_SINT : JIT_UINT, q_lane_bits(t), q_lanes(t));
    const uint8_t op = ops[round & 3];
    uint64_t mask = random64() % 4 ? UINT64_C(0xffff) << 16 * (random64() % 4) : random64();
    uint64_t amount = random64() % 3 ? 16 * (random64() % 5) : random64() % 70;
    struct q_node nodes[WORDS_GRAPH] = {
        [A] = {.op = Q_REG, .type = t, .result = t},
        [B] = {.op = Q_REG, .type = t, .result = t},
        [MASK] = {.op = Q_CONST, .type = t, .result = t, .imm = random64() % 2 ? mask : ~mask},
        [AMOUNT] = {.op = Q_CONST, .type = JIT_U64, .result = JIT_U64, .imm = amount},
        [WITH] = {.op = Q_BINARY, .sub = JIT_AND, .type = t, .result = t, .in = {A, MASK}},
        [OTHER] = {.op = Q_BINARY, .sub = op, .type = other, .result = t, .in = {B, AMOUNT}},
        [WORDS] = {.op = Q_BINARY, .sub = JIT_OR, .type = t, .result = t, .in = {WITH, OTHER}},
    };
    union value leaves[3] = {[A] = random_value(t, LEAF_ANY), [B] = random_value(t, LEAF_ANY)};
    union value want, got;
    struct quick q = {0};

    if (q_lane_bits(t) < 64)
        nodes[MASK].imm &= UINT32_MAX;
    nodes[OTHER].from = op == JIT_SHL || op == JIT_SHR ? JIT_U64 : 0;
    if (op == JIT_AND || op == JIT_OR)
        nodes[OTHER].in[1] = op == JIT_AND ? MASK : A;
    q.nodes.data = nodes;
    q.nodes.len = q.nodes.cap = WORDS_GRAPH;
    want = evaluate_node(nodes, leaves, WORDS);
    q_simplify_vector(&q, &nodes[WORDS]);
    got = evaluate_node(nodes, leaves, WORDS);
    assert_true(same_value(t, &want, &got, false));
    return nodes[WORDS].sub == Q_WORDS;
}

static void test_simplify_words(void **state)
{
    unsigned chosen = 0;

    (void)state;
    for (unsigned round = 0; round < 20000; round++)
        chosen += simplify_words(round & 8 ? JIT_TYPE(JIT_UINT, 32, 4) : JIT_TYPE(JIT_UINT, 64, 2),
                                 round);
    assert_in_range(chosen, 1000, 15000);
}

static int run_with(unsigned features)
{
    struct harness *f = harness_new(features);
    struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_arithmetic, f),
        cmocka_unit_test_prestate(test_more_arithmetic, f),
        cmocka_unit_test_prestate(test_words, f),
        cmocka_unit_test_prestate(test_bytes, f),
        cmocka_unit_test_prestate(test_shifts, f),
        cmocka_unit_test_prestate(test_fixed_shifts, f),
        cmocka_unit_test_prestate(test_selects, f),
        cmocka_unit_test_prestate(test_conversions, f),
        cmocka_unit_test_prestate(test_lanes, f),
        cmocka_unit_test_prestate(test_concatenations, f),
        cmocka_unit_test_prestate(test_shuffles, f),
        cmocka_unit_test_prestate(test_low, f),
        cmocka_unit_test_prestate(test_constants, f),
        cmocka_unit_test(test_simplify),
        cmocka_unit_test(test_simplify_words),
    };
    int failed;

    if (!f)
        return 1;
    failed =
        cmocka_run_group_tests_name(features ? "with AVX-512" : "with AVX2", tests, NULL, NULL);
    harness_free(f);
    return failed;
}

int main(void)
{
    unsigned features = x64_find_features();
    int failed = run_with(0);

    return failed + (features ? run_with(features) : 0);
}
