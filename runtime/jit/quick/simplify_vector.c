/*
 * Operations on vectors that hosts do in one instruction, and translators express by several. Nodes
 * that are not needed then are dead, and dropped as such.
 */
#include "runtime/jit/quick/simplify.h"

static const struct q_node *node_at(const struct quick *q, uint32_t n)
{
    return &q->nodes.data[n];
}

static bool is_binary(const struct q_node *n, unsigned op)
{
    return n->op == Q_BINARY && n->sub == op && n->result && q_in_vector(n->result);
}

static bool is_not(const struct q_node *n)
{
    return n->op == Q_UNARY && n->sub == JIT_NOT && q_in_vector(n->result);
}

/* a & ~b. */
static void simplify_and_not(const struct quick *q, struct q_node *n)
{
    for (unsigned k = 0; k < 2; k++) {
        const struct q_node *inverted = node_at(q, n->in[k]);

        if (is_not(inverted)) {
            *n = (struct q_node){.op = Q_BINARY,
                                 .sub = Q_WITHOUT,
                                 .type = n->type,
                                 .result = n->result,
                                 .in = {n->in[1 - k], inverted->in[0]}};
            return;
        }
    }
}

/* x without those of its lanes that are negative. */
static void simplify_positive(const struct quick *q, struct q_node *n)
{
    const struct q_node *negative = node_at(q, n->in[1]);
    uint64_t least;

    if (negative->op == Q_BINARY && negative->sub == JIT_LT && q_is_int_vector(negative->type) &&
        q_is_signed(negative->type) && q_lane_bits(negative->type) < 64 &&
        q_bits(negative->type) == q_bits(n->type) && negative->in[0] == n->in[0] &&
        q_is_const(q, negative->in[1], &least) && !least)
        *n = (struct q_node){.op = Q_BINARY,
                             .sub = Q_GREATEST,
                             .type = negative->type,
                             .result = n->result,
                             .in = {negative->in[0], negative->in[1]}};
}

/* Bytes by their numbers modulo 16, where the numbers are below 16: 0 for others. */
static void simplify_shuffle(const struct quick *q, struct q_node *n)
{
    for (unsigned k = 0; k < 2; k++) {
        const struct q_node *s = node_at(q, n->in[k]), *below = node_at(q, n->in[1 - k]),
                            *modulo = node_at(q, s->in[1]);
        uint64_t mask, limit;

        if (s->op == Q_SHUFFLE && is_binary(modulo, JIT_AND) && is_binary(below, JIT_LT) &&
            below->type == JIT_TYPE(JIT_UINT, 8, 16) && below->in[0] == modulo->in[0] &&
            q_is_const(q, below->in[1], &limit) && limit == 16 &&
            q_is_const(q, modulo->in[1], &mask) && mask == 15) {
            *n = *s;
            n->in[1] = modulo->in[0];
            return;
        }
    }
}

/* The numbers of a look-up before a multiple of 16 was subtracted: *less. */
static uint32_t numbers_of(const struct quick *q, const struct q_node *n, uint64_t *less)
{
    const struct q_node *numbers = node_at(q, n->in[1]);

    *less = 0;
    if (is_binary(numbers, JIT_SUB) && numbers->type == JIT_TYPE(JIT_UINT, 8, 16) &&
        q_is_const(q, numbers->in[1], less))
        return numbers->in[0];
    return n->in[1];
}

/* Whether `high` looks up what is 16 bytes behind the table of `low`: *n becomes both. */
static bool join_look_ups(const struct quick *q, struct q_node *n, uint32_t low, uint32_t high)
{
    const struct q_node *a = node_at(q, low), *b = node_at(q, high);
    uint64_t first, second;

    if (a->op != Q_SHUFFLE || b->op != Q_SHUFFLE ||
        numbers_of(q, a, &first) != numbers_of(q, b, &second) || second != first + 16)
        return false;
    *n = (struct q_node){.op = Q_LOOK_UP,
                         .type = JIT_TYPE(JIT_UINT, 8, 16),
                         .result = a->result,
                         .in = {a->in[0], a->in[1], b->in[0]}};
    return true;
}

/* Two look-ups with numbers that differ by 16: one in both tables. */
static void simplify_look_ups(const struct quick *q, struct q_node *n)
{
    struct q_node both = {0};

    if (join_look_ups(q, &both, n->in[0], n->in[1]) ||
        join_look_ups(q, &both, n->in[1], n->in[0])) {
        both.result = n->result;
        *n = both;
    }
}

static bool is_difference(const struct q_node *n, jit_type t, uint32_t a, uint32_t b)
{
    return is_binary(n, JIT_SUB) && q_base(n->type) != JIT_FLOAT &&
           q_lane_bits(n->type) == q_lane_bits(t) && n->in[0] == a && n->in[1] == b;
}

/* m ? a : b, where these are x - y and y - x, and m says whether x is the greater one. */
static bool simplify_distance(const struct quick *q, struct q_node *n, const struct q_node *m,
                              uint32_t a, uint32_t b)
{
    bool less = m->sub == JIT_LT || m->sub == JIT_LE;
    uint32_t greater = m->in[less], lesser = m->in[!less];

    if (m->sub <= JIT_NE || !q_is_int_vector(m->type) || q_lane_bits(m->type) == 64 ||
        !is_difference(node_at(q, a), m->type, greater, lesser) ||
        !is_difference(node_at(q, b), m->type, lesser, greater))
        return false;
    *n = (struct q_node){.op = Q_BINARY,
                         .sub = Q_DISTANCE,
                         .type = m->type,
                         .result = n->result,
                         .in = {greater, lesser}};
    return true;
}

/* Whether two nodes have equal lanes of this width: constants may have been made for lanes with and
 * without sign. */
static bool are_same(const struct quick *q, uint32_t a, uint32_t b, unsigned bits)
{
    uint64_t x, y;

    return a == b || (q_is_const(q, a, &x) && q_is_const(q, b, &y) &&
                      q_lane_bits(node_at(q, a)->type) == bits &&
                      q_lane_bits(node_at(q, b)->type) == bits && !((x ^ y) << (64 - bits)));
}

/* m ? a : b, with lanes as in m. */
static void blend(const struct quick *q, struct q_node *n, uint32_t m, uint32_t a, uint32_t b)
{
    jit_type mask = node_at(q, m)->type, t = JIT_TYPE(JIT_UINT, q_lane_bits(mask), q_lanes(mask));

    *n = (struct q_node){.op = Q_BLEND, .type = t, .from = t, .result = n->result, .in = {m, a, b}};
}

/* Whether the comparison of floats is *less < *greater. */
static bool is_less(const struct q_node *n, uint32_t *less, uint32_t *greater)
{
    bool swapped = n->sub == JIT_GT;

    *less = n->in[swapped];
    *greater = n->in[!swapped];
    return n->op == Q_BINARY && (n->sub == JIT_LT || n->sub == JIT_GT) &&
           q_is_float_vector(n->type);
}

/* m ? a : less or greater the other way round ? b : a | b, of floats: the least one, which of zeros
 * is -0 if either of them is; with a & b the greatest one. */
static bool simplify_extreme(const struct quick *q, struct q_node *n, uint32_t m, uint32_t a,
                             uint32_t rest)
{
    const struct q_node *mask = node_at(q, m), *second = node_at(q, rest), *other, *zero;
    uint32_t low, high, low_2, high_2, b = second->in[1];
    struct q_node extreme = {.op = Q_BINARY, .type = mask->type, .result = n->result, .in = {a, b}};
    bool least;

    if (second->op != Q_BLEND || !is_less(mask, &low, &high))
        return false;
    other = node_at(q, second->in[0]);
    zero = node_at(q, second->in[2]);
    least = low == a;
    extreme.sub = least ? Q_LEAST : Q_GREATEST;
    if (!is_less(other, &low_2, &high_2) || other->type != mask->type || low_2 != high ||
        high_2 != low || (least ? high : low) != b || (least ? low : high) != a ||
        !is_binary(zero, least ? JIT_OR : JIT_AND) ||
        !((zero->in[0] == a && zero->in[1] == b) || (zero->in[0] == b && zero->in[1] == a)))
        return false;
    *n = extreme;
    return true;
}

/* m ? a : b, with lanes as in comparison m: the minimum or maximum, if m compares a and b. */
static void simplify_select(const struct quick *q, struct q_node *n, uint32_t m, uint32_t a,
                            uint32_t b)
{
    const struct q_node *mask = node_at(q, m);
    jit_type t = mask->type;
    unsigned bits = q_lane_bits(t);
    bool same = are_same(q, mask->in[0], a, bits) && are_same(q, mask->in[1], b, bits),
         swapped = are_same(q, mask->in[0], b, bits) && are_same(q, mask->in[1], a, bits);
    bool less = mask->sub == JIT_LT || mask->sub == JIT_LE, equal = mask->sub <= JIT_NE;

    if (simplify_distance(q, n, mask, a, b) || simplify_extreme(q, n, m, a, b))
        return;
    if ((same || swapped) && !equal && q_is_int_vector(t) && q_lane_bits(t) < 64) {
        *n = (struct q_node){.op = Q_BINARY,
                             .sub = same == less ? Q_LEAST : Q_GREATEST,
                             .type = t,
                             .result = n->result,
                             .in = {a, b}};
        return;
    }
    blend(q, n, m, a, b);
}

/* Whether the node is `op` of two operands, one of which is `known`: *other. */
static bool has_operand(const struct q_node *n, unsigned op, uint32_t known, uint32_t *other)
{
    if (!is_binary(n, op) || (n->in[0] != known && n->in[1] != known))
        return false;
    *other = n->in[n->in[0] == known];
    return true;
}

/* Whether the node has the signs of its operand's lanes in all of their bits. */
static bool is_sign(const struct quick *q, const struct q_node *n, unsigned bits)
{
    uint64_t by;

    return is_binary(n, JIT_SHR) && q_is_signed(n->type) && q_lane_bits(n->type) == bits &&
           q_is_const(q, n->in[1], &by) && by == bits - 1;
}

/* Whether `over` is (r ^ a) & (r ^ b), or for a difference (r ^ a) & (a ^ b), in either order. */
static bool is_overflow(const struct quick *q, const struct q_node *over, uint32_t r)
{
    const struct q_node *result = node_at(q, r);
    uint32_t a = result->in[0], b = result->in[1], x;
    bool sum = is_binary(result, JIT_ADD);

    for (unsigned k = 0; k < 2 && is_binary(over, JIT_AND); k++) {
        const struct q_node *first = node_at(q, over->in[k]), *second = node_at(q, over->in[1 - k]);

        if (has_operand(first, JIT_XOR, a, &x) && x == r && has_operand(second, JIT_XOR, b, &x) &&
            x == (sum ? r : a))
            return true;
    }
    return false;
}

/*
 * (most ^ sign of a) where m, else r, for the sum or the difference r of a and b, and the mask m of
 * where it overflows: r within the limits of its lanes.
 */
static bool simplify_saturated(const struct quick *q, struct q_node *n, uint32_t m, uint32_t limit,
                               uint32_t r)
{
    const struct q_node *mask = node_at(q, m), *result = node_at(q, r), *l = node_at(q, limit);
    unsigned bits = q_lane_bits(result->type);
    uint64_t most;

    if ((!is_binary(result, JIT_ADD) && !is_binary(result, JIT_SUB)) || bits > 16 ||
        q_base(result->type) == JIT_FLOAT || !is_sign(q, mask, bits) ||
        !is_overflow(q, node_at(q, mask->in[0]), r) || !is_binary(l, JIT_XOR) ||
        !q_is_const(q, l->in[1], &most) || most != (UINT64_C(1) << (bits - 1)) - 1 ||
        q_lane_bits(node_at(q, l->in[1])->type) != bits ||
        !is_sign(q, node_at(q, l->in[0]), bits) || node_at(q, l->in[0])->in[0] != result->in[0])
        return false;
    *n = (struct q_node){.op = Q_BINARY,
                         .sub = result->sub == JIT_ADD ? Q_ADD_WITHIN : Q_SUB_WITHIN,
                         .type = JIT_TYPE(JIT_SINT, bits, q_lanes(result->type)),
                         .result = n->result,
                         .in = {result->in[0], result->in[1]}};
    return true;
}

/* A sum, or all ones where it is less than an operand; a difference, or 0 where it would be
 * negative. */
static void simplify_unsigned(const struct quick *q, struct q_node *n)
{
    bool sum = n->sub == JIT_OR;

    for (unsigned k = 0; k < 1u + sum; k++) {
        uint32_t r = n->in[k], x;
        const struct q_node *result = node_at(q, r), *less = node_at(q, n->in[1 - k]);
        bool over = sum ? less->in[0] == r && has_operand(result, JIT_ADD, less->in[1], &x)
                        : is_binary(result, JIT_SUB) && less->in[0] == result->in[0] &&
                              less->in[1] == result->in[1];

        if (!over || !is_binary(less, JIT_LT) || q_base(less->type) != JIT_UINT ||
            q_lane_bits(less->type) > 16 || q_lane_bits(less->type) != q_lane_bits(result->type))
            continue;
        *n = (struct q_node){.op = Q_BINARY,
                             .sub = sum ? Q_ADD_WITHIN : Q_SUB_WITHIN,
                             .type = less->type,
                             .result = n->result,
                             .in = {result->in[0], result->in[1]}};
        return;
    }
}

/* The words of 16 bits of a constant's lanes, as bits of 1 for ones and 0 for zeros, of eight
 * words. False: a word is neither. */
static bool are_words(const struct quick *q, uint32_t node, unsigned *words)
{
    const struct q_node *n = node_at(q, node);
    unsigned bits = q_lane_bits(n->type);
    uint64_t lane;

    if (!q_is_const(q, node, &lane) || !q_is_int_vector(n->type) || bits < 32)
        return false;
    *words = 0;
    for (unsigned k = 0; k < 8; k++) {
        uint16_t word = (uint16_t)(lane >> 16 * k % bits);

        if (word && word != UINT16_MAX)
            return false;
        *words |= (word & 1u) << k;
    }
    return true;
}

/* Whether the words of 16 bits with a 1 in `words` are zeros, since lanes were shifted by words or
 * masked. */
static bool has_no_words(const struct quick *q, const struct q_node *n, unsigned words)
{
    unsigned bits = q_lane_bits(n->type), others;
    uint64_t by, ones = ~UINT64_C(0) >> (64 - (bits < 64 ? bits : 64));

    if (is_binary(n, JIT_AND) && are_words(q, n->in[1], &others))
        return !(words & others);
    if ((!is_binary(n, JIT_SHL) && !is_binary(n, JIT_SHR)) || !q_is_int_vector(n->type) ||
        (n->sub == JIT_SHR && q_is_signed(n->type)) || !q_is_const(q, n->in[1], &by) || by >= bits)
        return false;
    ones = n->sub == JIT_SHL ? ones << by & ones : ones >> by;
    for (unsigned k = 0; k < 8; k++) {
        if (words >> k & 1 && (uint16_t)(ones >> 16 * k % bits))
            return false;
    }
    return true;
}

/* (a & m) | b, where m has whole words of ones, and b zeros there: these words of a, the others of
 * b. */
static void simplify_words(const struct quick *q, struct q_node *n)
{
    for (unsigned k = 0; k < 2; k++) {
        const struct q_node *with = node_at(q, n->in[k]), *rest = node_at(q, n->in[1 - k]);
        unsigned words, others;
        uint32_t b = n->in[1 - k];

        if (!is_binary(with, JIT_AND) || !are_words(q, with->in[1], &words) ||
            !has_no_words(q, rest, words))
            continue;
        if (is_binary(rest, JIT_AND) && are_words(q, rest->in[1], &others) &&
            (words | others) == 0xff)
            b = rest->in[0];
        *n = (struct q_node){.op = Q_BINARY,
                             .sub = Q_WORDS,
                             .type = JIT_TYPE(JIT_UINT, 16, q_bits(n->type) / 16),
                             .result = n->result,
                             .imm = words,
                             .in = {b, with->in[0]}};
        return;
    }
}

/* The vector whose lower or upper half a node widens without sign to `to`: *high; or Q_NONE. */
static uint32_t widened_half(const struct quick *q, const struct q_node *n, jit_type to, bool *high)
{
    const struct q_node *half = node_at(q, n->in[0]);

    if (half->op == Q_BITCAST)
        half = node_at(q, half->in[0]);
    if (n->op != Q_CONVERT || n->type != to || q_bits(to) != 128 || q_base(n->from) != JIT_UINT ||
        q_bits(n->from) != 64 || q_lanes(n->from) != q_lanes(to))
        return Q_NONE;
    *high = half->op == Q_EXTRACT && half->imm == 1 && q_lanes(half->type) == 2 &&
            q_bits(half->type) == 128;
    return *high ? half->in[0] : n->in[0];
}

/* a | (b << width), where both are lanes that were widened from a width: pairs of these lanes. */
static void simplify_pairs(const struct quick *q, struct q_node *n)
{
    for (unsigned k = 0; k < 2; k++) {
        const struct q_node *shifted = node_at(q, n->in[1 - k]);
        const jit_type wide = JIT_TYPE(JIT_UINT, q_lane_bits(n->type), q_lanes(n->type));
        unsigned width = q_lane_bits(n->type) / 2;
        bool high_a, high_b;
        uint64_t by;
        uint32_t a, b;

        if (!is_binary(shifted, JIT_SHL) || q_lane_bits(shifted->type) != 2 * width ||
            !q_is_const(q, shifted->in[1], &by) || by != width)
            continue;
        a = widened_half(q, node_at(q, n->in[k]), wide, &high_a);
        b = widened_half(q, node_at(q, shifted->in[0]), wide, &high_b);
        if (!a || !b || high_a != high_b || !q_in_vector(node_at(q, a)->result) ||
            !q_in_vector(node_at(q, b)->result))
            continue;
        *n = (struct q_node){.op = Q_BINARY,
                             .sub = high_a ? Q_HIGH_PAIRS : Q_LOW_PAIRS,
                             .type = JIT_TYPE(JIT_UINT, width, 128 / width),
                             .result = n->result,
                             .in = {a, b}};
        return;
    }
}

/* (a & m) | (b & ~m), by a comparison or by signs. */
static void simplify_merge(const struct quick *q, struct q_node *n)
{
    for (unsigned k = 0; k < 2; k++) {
        const struct q_node *with = node_at(q, n->in[k]), *rest = node_at(q, n->in[1 - k]), *mask;
        uint32_t m = rest->in[1];
        unsigned at;

        if (!is_binary(with, JIT_AND) || !is_binary(rest, Q_WITHOUT) ||
            (with->in[0] != m && with->in[1] != m))
            continue;
        at = with->in[0] == m ? 1 : 0;
        if (simplify_saturated(q, n, m, with->in[at], rest->in[0]))
            return;
        mask = node_at(q, m);
        if (q_lanes(mask->type) < 2 || q_bits(mask->type) != q_bits(n->type))
            return;
        if (q_is_comparison(mask))
            simplify_select(q, n, m, with->in[at], rest->in[0]);
        else if (is_sign(q, mask, q_lane_bits(mask->type)))
            blend(q, n, m, with->in[at], rest->in[0]);
        return;
    }
}

/* The vector of 16 bytes whose lanes a node narrows to half their width; or Q_NONE. */
static uint32_t narrowed(const struct q_node *n)
{
    return n->op == Q_CONVERT && !n->sub && q_is_int_vector(n->type) && q_is_int_vector(n->from) &&
                   q_bits(n->type) == 64 && q_bits(n->from) == 128
               ? n->in[0]
               : Q_NONE;
}

/* Narrowed lanes of two vectors behind each other. */
static void simplify_narrowed(const struct quick *q, struct q_node *n)
{
    const struct q_node *low = node_at(q, n->in[0]), *high = node_at(q, n->in[1]);
    unsigned width = q_lane_bits(high->type);

    if (n->op == Q_INSERT && (q_lane_bits(n->type) != 64 || n->imm != 1))
        return;
    if (low->op == Q_LOW && low->imm == 64)
        low = node_at(q, low->in[0]);
    if (!narrowed(low) || !narrowed(high) || q_lane_bits(low->type) != width ||
        q_bits(n->type) != 128)
        return;
    *n = (struct q_node){.op = Q_BINARY,
                         .sub = Q_EVEN_LANES,
                         .type = JIT_TYPE(JIT_UINT, width, 128 / width),
                         .result = n->result,
                         .in = {narrowed(low), narrowed(high)}};
}

/* The vector whose upper lane of 64 bits a node extracts; or Q_NONE. */
static uint32_t upper_lane(const struct q_node *n)
{
    return n->op == Q_EXTRACT && n->imm == 1 && q_lanes(n->type) == 2 && q_bits(n->type) == 128
               ? n->in[0]
               : Q_NONE;
}

/* A vector of the upper halves of two others. */
static void simplify_upper(const struct quick *q, struct q_node *n)
{
    uint32_t a = upper_lane(node_at(q, n->in[0])), b = upper_lane(node_at(q, n->in[1]));

    if (a && b && q_bits(n->type) == 128)
        *n = (struct q_node){.op = Q_BINARY,
                             .sub = Q_HIGH_PAIRS,
                             .type = JIT_TYPE(JIT_UINT, 64, 2),
                             .result = n->result,
                             .in = {a, b}};
}

/* Whether the node is the lesser or greater one of signed lanes and of a constant: *limit. */
static bool is_limited(const struct quick *q, const struct q_node *n, unsigned op, unsigned bits,
                       int64_t *limit)
{
    uint64_t value;

    if (!is_binary(n, op) || !q_is_signed(n->type) || q_lane_bits(n->type) != bits)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        if (q_is_const(q, n->in[k], &value) && q_lane_bits(node_at(q, n->in[k])->type) == bits) {
            *limit = (int64_t)(value << (64 - bits)) >> (64 - bits);
            return true;
        }
    }
    return false;
}

/* The operand of such a node that is no constant. */
static uint32_t unlimited(const struct quick *q, const struct q_node *n)
{
    return n->in[node_at(q, n->in[0])->op == Q_CONST];
}

/* Signed lanes that are brought into the limits of lanes of half their width, before these. */
static void simplify_within(const struct quick *q, struct q_node *n)
{
    unsigned bits = q_lane_bits(n->from), half = bits / 2;
    const struct q_node *outer = node_at(q, n->in[0]), *inner;
    int64_t first, second, least, most;
    bool least_first;

    if (n->sub || !q_is_int_vector(n->type) || !q_is_int_vector(n->from) ||
        q_lane_bits(n->type) != half || q_lanes(n->type) != q_lanes(n->from))
        return;
    least_first = is_limited(q, outer, Q_LEAST, bits, &second);
    if (!least_first && !is_limited(q, outer, Q_GREATEST, bits, &second))
        return;
    inner = node_at(q, unlimited(q, outer));
    if (!is_limited(q, inner, least_first ? Q_GREATEST : Q_LEAST, bits, &first))
        return;
    least = least_first ? first : second;
    most = least_first ? second : first;
    if (most - least != (INT64_C(1) << half) - 1 || (least && least + most != -1))
        return;
    *n = (struct q_node){.op = Q_CONVERT,
                         .sub = 1,
                         .type = JIT_TYPE(least ? JIT_SINT : JIT_UINT, half, q_lanes(n->type)),
                         .from = JIT_TYPE(JIT_SINT, bits, q_lanes(n->from)),
                         .result = n->result,
                         .in = {unlimited(q, inner)}};
}

/* (low >> 8 * imm) | (high << 128 - 8 * imm). */
static void simplify_bytes(const struct quick *q, struct q_node *n)
{
    for (unsigned k = 0; k < 2; k++) {
        const struct q_node *low = node_at(q, n->in[k]), *high = node_at(q, n->in[1 - k]);
        uint64_t right, left;

        if (is_binary(low, JIT_SHR) && is_binary(high, JIT_SHL) && low->type == JIT_U128 &&
            high->type == JIT_U128 && q_is_const(q, low->in[1], &right) &&
            q_is_const(q, high->in[1], &left) && right + left == 128 && right % 8 == 0) {
            *n = (struct q_node){.op = Q_BINARY,
                                 .sub = Q_BYTES,
                                 .type = JIT_U128,
                                 .result = n->result,
                                 .imm = right / 8,
                                 .in = {low->in[0], high->in[0]}};
            return;
        }
    }
}

/* (a ^ s) - s, where s has the sign of a in all bits: |a|. */
static void simplify_absolute(const struct quick *q, struct q_node *n)
{
    const struct q_node *flipped = node_at(q, n->in[0]), *sign = node_at(q, n->in[1]);
    uint32_t a;

    if (has_operand(flipped, JIT_XOR, n->in[1], &a) && is_sign(q, sign, q_lane_bits(n->type)) &&
        sign->in[0] == a && q_is_int_vector(n->type))
        *n = (struct q_node){
            .op = Q_UNARY, .sub = JIT_ABS, .type = n->type, .result = n->result, .in = {a}};
}

/* (a | b) - ((a ^ b) >> 1): the average. */
static void simplify_average(const struct quick *q, struct q_node *n)
{
    const struct q_node *any = node_at(q, n->in[0]), *half = node_at(q, n->in[1]), *differ;
    uint64_t by;

    if (!is_binary(any, JIT_OR) || !is_binary(half, JIT_SHR) || q_base(half->type) != JIT_UINT ||
        q_lane_bits(half->type) != q_lane_bits(n->type) || !q_is_const(q, half->in[1], &by) ||
        by != 1)
        return;
    differ = node_at(q, half->in[0]);
    if (is_binary(differ, JIT_XOR) &&
        ((differ->in[0] == any->in[0] && differ->in[1] == any->in[1]) ||
         (differ->in[0] == any->in[1] && differ->in[1] == any->in[0])))
        *n = (struct q_node){.op = Q_BINARY,
                             .sub = Q_AVERAGE,
                             .type = half->type,
                             .result = n->result,
                             .in = {any->in[0], any->in[1]}};
}

void q_simplify_vector(const struct quick *q, struct q_node *n)
{
    if (n->op == Q_BLEND) {
        const struct q_node *mask = node_at(q, n->in[0]);

        if (q_is_comparison(mask) && q_lanes(mask->type) > 1 &&
            q_lane_bits(mask->type) == q_lane_bits(n->type) &&
            q_bits(mask->type) == q_bits(n->type))
            simplify_select(q, n, n->in[0], n->in[1], n->in[2]);
    } else if (n->op == Q_BUILD2 || n->op == Q_CONCAT || n->op == Q_INSERT) {
        simplify_narrowed(q, n);
        if (n->op == Q_BUILD2)
            simplify_upper(q, n);
    } else if (n->op == Q_CONVERT) {
        simplify_within(q, n);
    } else if (n->op == Q_BINARY && n->sub == JIT_OR && n->type == JIT_U128) {
        simplify_bytes(q, n);
    } else if (n->op == Q_BINARY && q_in_vector(n->type) && q_base(n->type) != JIT_FLOAT) {
        if (n->sub == JIT_AND)
            simplify_and_not(q, n);
        else if (n->sub == JIT_OR)
            simplify_merge(q, n);
        if (n->sub == JIT_OR)
            simplify_pairs(q, n);
        if (n->sub == JIT_OR)
            simplify_words(q, n);
        if (n->op == Q_BINARY && n->sub == JIT_OR && q_bits(n->type) == 128)
            simplify_look_ups(q, n);
        if (n->op != Q_BINARY)
            return;
        if (n->sub == JIT_AND)
            simplify_shuffle(q, n);
        else if (n->sub == JIT_OR || n->sub == Q_WITHOUT)
            simplify_unsigned(q, n);
        if (n->sub == Q_WITHOUT)
            simplify_positive(q, n);
        else if (n->sub == JIT_SUB)
            simplify_absolute(q, n);
        if (n->op == Q_BINARY && n->sub == JIT_SUB)
            simplify_average(q, n);
    }
}
