/*
 * Vectors whose lanes come from lanes of others, as shuffles of bytes. A description takes lanes
 * out of vectors and puts them into another, one by one; when the last one is there, the whole is
 * known.
 */
#include "runtime/jit/quick/emit.h"
#include "runtime/jit/quick/halves.h"
#include "runtime/jit/quick/target.h"

enum {
    MAX_SOURCES = 3,
    MIN_LANES = 4, /* lanes that are moved: fewer are moved one by one */
    NO_BYTE = 0x80 /* number of a byte that is 0 */
};

static const jit_type bytes = JIT_TYPE(JIT_UINT, 8, 16);

/* The lanes of a vector, by the scalars that they are. */
struct lanes {
    uint32_t scalar[16]; /* nodes; Q_NONE: the lane of that number of `base` */
    uint32_t base;
    unsigned count, moved;
};

/* Follows a chain of insertions. */
static void find_lanes(struct quick *q, jit_type t, uint32_t node, struct lanes *l)
{
    const struct q_node *n = q_node(q, node);

    *l = (struct lanes){.count = q_lanes(t)};
    while (n->op == Q_INSERT && q_lane_bits(n->type) == q_lane_bits(t) && n->imm < l->count) {
        if (!l->scalar[n->imm]) {
            l->scalar[n->imm] = n->in[1];
            l->moved++;
        }
        node = n->in[0];
        n = q_node(q, node);
    }
    l->base = node;
    for (unsigned k = 0; k < l->count && n->op == Q_SPLAT && q_lanes(n->from) == 1; k++)
        l->scalar[k] = l->scalar[k] ? l->scalar[k] : n->in[0];
}

/* The scalars that a vector is built of. Returns whether several are moved from elsewhere. */
static bool take_lanes(struct quick *q, jit_type t, const q_value *values, struct lanes *l)
{
    bool same = true;

    *l = (struct lanes){.count = q_lanes(t)};
    for (unsigned k = 0; k < l->count; k++) {
        l->scalar[k] = q_number(values[k]);
        l->moved += q_node(q, l->scalar[k])->op != Q_CONST;
        same &= l->scalar[k] == l->scalar[0];
    }
    return !same && l->moved >= MIN_LANES;
}

/* Whether a scalar of the width of t's lanes is a fixed lane of a vector register. */
static bool is_lane(struct quick *q, jit_type t, uint32_t scalar, uint32_t *vector, unsigned *lane)
{
    const struct q_node *n = q_node(q, scalar);

    if (n->op == Q_EXTRACT && q_lane_bits(n->type) == q_lane_bits(t)) {
        *vector = n->in[0];
        *lane = (unsigned)n->imm;
        return true;
    }
    *vector = scalar;
    *lane = 0;
    return q_lane_bits(t) >= 32 && q_in_vector(n->result);
}

/* The sources of a vector's bytes: for each the numbers of its bytes. */
struct sources {
    uint32_t vector[MAX_SOURCES];
    uint8_t number[MAX_SOURCES][16];
    unsigned count;
};

static bool is_zero(struct quick *q, uint32_t node)
{
    const struct q_node *n = q_node(q, node);

    return n->op == Q_CONST && !n->imm && !n->imm2;
}

/* Notes that a lane of `size` bytes comes from lane `from` of a vector. */
static bool add_lane(struct sources *s, uint32_t vector, unsigned size, unsigned lane,
                     unsigned from)
{
    unsigned k = 0;

    while (k < s->count && s->vector[k] != vector)
        k++;
    if (k == MAX_SOURCES)
        return false;
    if (k == s->count) {
        s->count++;
        s->vector[k] = vector;
        memset(s->number[k], NO_BYTE, 16);
    }
    for (unsigned n = 0; n < size; n++)
        s->number[k][lane * size + n] = (uint8_t)(from * size + n);
    return true;
}

static bool find_sources(struct quick *q, jit_type t, const struct lanes *l, struct sources *s)
{
    unsigned size = q_lane_bits(t) / 8, lane;
    uint32_t vector;

    *s = (struct sources){0};
    for (unsigned k = 0; k < l->count; k++) {
        if (is_zero(q, l->scalar[k] ? l->scalar[k] : l->base))
            continue;
        if (!l->scalar[k]) {
            vector = l->base;
            lane = k;
        } else if (!is_lane(q, t, l->scalar[k], &vector, &lane)) {
            return false;
        }
        if (!add_lane(s, vector, size, k, lane))
            return false;
    }
    return s->count != 0;
}

/* A shuffle's node; Q_NONE: the host has none. */
static uint32_t shuffle(struct quick *q, jit_type t, uint32_t table, uint32_t numbers)
{
    struct q_node n = {.op = Q_SHUFFLE, .type = bytes, .result = t, .in = {table, numbers}};

    return q_target.can_select(q, &n) ? q_share(q, n) : Q_NONE;
}

/* The vector of fixed lanes of others, or Q_NONE. */
static uint32_t from_sources(struct quick *q, jit_type t, const struct sources *s)
{
    uint32_t r = Q_NONE, part;
    uint64_t w[2];

    for (unsigned k = 0; k < s->count; k++) {
        memcpy(w, s->number[k], sizeof(w));
        part = shuffle(q, t, s->vector[k], q_number(q_wide_constant(q, bytes, w[0], w[1])));
        if (!part)
            return Q_NONE;
        r = !r ? part
               : q_number(
                     q_binary(q, JIT_OR, bytes, q_value_of(r, bytes), q_value_of(part, bytes)));
    }
    return r;
}

/* Whether byte k of a vector is byte k of another one: itself, or what it has zeros above of. */
static bool has_byte_of(struct quick *q, uint32_t vector, uint32_t of, unsigned k)
{
    const struct q_node *n = q_node(q, vector);

    return vector == of || (n->op == Q_LOW && n->in[0] == of && (k + 1) * 8 <= n->imm);
}

/* The vector of lanes of one table whose numbers are the lanes of one vector, in their order; or
 * Q_NONE. The last number is of the vector itself. */
static uint32_t from_table(struct quick *q, jit_type t, const struct lanes *l)
{
    uint32_t table = Q_NONE, numbers = Q_NONE;

    for (unsigned k = l->count; k-- > 0;) {
        const struct q_node *n = q_node(q, l->scalar[k]), *at = q_node(q, n->in[1]);

        if (n->op != Q_EXTRACT_AT)
            return Q_NONE;
        if (at->op == Q_ZEXT)
            at = q_node(q, at->in[0]);
        if (at->op != Q_EXTRACT || q_lane_bits(at->type) != 8 || at->imm != k ||
            (table && (n->in[0] != table || !has_byte_of(q, numbers, at->in[0], k))))
            return Q_NONE;
        table = n->in[0];
        numbers = numbers ? numbers : at->in[0];
    }
    numbers =
        q_number(q_binary(q, JIT_AND, bytes, q_value_of(numbers, bytes), q_constant(q, bytes, 15)));
    return shuffle(q, t, table, numbers);
}

/* The vector of some lanes by shuffles, or Q_NONE. */
static uint32_t shuffled(struct quick *q, jit_type t, const struct lanes *l)
{
    struct sources sources;

    if (find_sources(q, t, l, &sources))
        return from_sources(q, t, &sources);
    return l->count == 16 ? from_table(q, t, l) : Q_NONE;
}

/* A lane is inserted: the vector, as a shuffle if that was the last one of several. */
static q_value insert(struct quick *q, jit_type t, q_value v, unsigned lane, q_value scalar)
{
    struct lanes lanes;
    uint32_t r = Q_NONE;

    v = q_insert(q, t, v, lane, scalar);
    if (lane + 1 != q_lanes(t) || q_lanes(t) < MIN_LANES || q_lanes(t) > 16)
        return v;
    find_lanes(q, t, q_number(v), &lanes);
    if (lanes.moved >= MIN_LANES)
        r = shuffled(q, t, &lanes);
    return r ? q_value_of(r, t) : v;
}

q_value q_built(struct quick *q, jit_type t, const q_value *values)
{
    struct lanes lanes;
    uint32_t r = Q_NONE;

    if (q_lanes(t) >= MIN_LANES && take_lanes(q, t, values, &lanes))
        r = shuffled(q, t, &lanes);
    return r ? q_value_of(r, t) : q_build(q, t, values);
}

/* Whether a node shifts lanes by a fixed number of whole bytes: *by. */
static bool is_byte_shift(struct quick *q, uint32_t node, unsigned op, uint64_t *by)
{
    const struct q_node *n = q_node(q, node);

    return n->op == Q_BINARY && n->sub == op && q_is_int_vector(n->type) &&
           q_bits(n->type) == 128 && q_is_const(q, n->in[1], by) && !(*by % 8) &&
           (op == JIT_SHL || !q_is_signed(n->type));
}

/* The numbers of bytes in `from` that lanes of `size` bytes have when rotated left by `by` bytes,
 * by way of the numbers of a shuffle that made them. */
static void rotated(const uint8_t from[16], unsigned size, unsigned by, uint8_t to[16])
{
    for (unsigned k = 0; k < 16; k++)
        to[k] = from[k / size * size + (k + size - by) % size];
}

/* (x << a) | (x >> b) of lanes, a whole number of bytes each way round, as instructions have that
 * reverse bytes: one shuffle, also of several such steps. Or Q_NONE. */
static uint32_t rotation(struct quick *q, const struct q_node *n)
{
    uint8_t order[16], turned[16];
    uint64_t a, b, w[2];
    uint32_t x;

    for (unsigned k = 0; k < 16; k++)
        order[k] = (uint8_t)k;
    for (unsigned k = 0; k < 2; k++) {
        const struct q_node *left = q_node(q, n->in[k]), *before;
        unsigned bits = q_lane_bits(left->type);

        if (!is_byte_shift(q, n->in[k], JIT_SHL, &a) ||
            !is_byte_shift(q, n->in[1 - k], JIT_SHR, &b) || a + b != bits ||
            q_lane_bits(q_node(q, n->in[1 - k])->type) != bits ||
            q_node(q, n->in[1 - k])->in[0] != left->in[0])
            continue;
        x = left->in[0];
        before = q_node(q, x);
        if (before->op == Q_SHUFFLE && q_node(q, before->in[1])->op == Q_CONST) {
            memcpy(order, q_constant_words(q_node(q, before->in[1])).w, sizeof(order));
            x = before->in[0];
        }
        rotated(order, bits / 8, (unsigned)a / 8, turned);
        memcpy(w, turned, sizeof(w));
        return shuffle(q, n->result, x, q_number(q_wide_constant(q, bytes, w[0], w[1])));
    }
    return Q_NONE;
}

static q_value binary(struct quick *q, const struct raw *raw, const struct operands *o)
{
    q_value v = q_binary(q, raw->sub, raw->type, o->a, o->b);
    const struct q_node n = *q_node(q, q_number(v));
    uint32_t r = Q_NONE;

    if (raw->sub == JIT_OR && n.op == Q_BINARY && n.sub == JIT_OR && q_in_vector(n.result))
        r = rotation(q, &n);
    return r ? q_value_of(r, raw->type) : v;
}

/* The lane whose number is a value. */
static q_value extract_at(struct quick *q, jit_type t, q_value v, q_value number)
{
    struct q_node n = {.op = Q_EXTRACT_AT,
                       .type = t,
                       .result = JIT_TYPE(q_base(t), q_lane_bits(t), 1),
                       .known = (uint8_t)q_lane_bits(t),
                       .in = {q_vector(q, v), q_extended(q, number, false)}};

    if (!q_target.can_select(q, &n)) {
        q_refuse(q, "a lane's number is not fixed");
        return q_constant(q, n.result, 0);
    }
    return q_value_of(q_share(q, n), n.result);
}

q_value q_shape(struct quick *q, const struct raw *raw, const struct operands *o)
{
    switch (raw->op) {
    case Q_CONST:
        if (!raw->sub)
            return q_constant(q, raw->type, raw->imm);
        return q_wide_constant(q, raw->type, raw->imm, raw->imm2);
    case Q_UNARY:
        return q_unary(q, raw->sub, raw->type, o->a);
    case Q_BINARY:
        return binary(q, raw, o);
    case Q_FMA:
        return q_fma(q, raw->type, o->a, o->b, o->c);
    case RAW_SELECT:
        return q_select(q, o->a, o->b, o->c);
    case Q_CONVERT:
        return q_convert(q, raw->type, raw->from, o->a);
    case Q_BITCAST:
        return q_bitcast(q, raw->type, o->a);
    case Q_SPLAT:
        return q_splat(q, raw->type, o->a);
    case Q_EXTRACT:
        return q_extract(q, raw->type, o->a, (unsigned)raw->imm);
    case Q_EXTRACT_AT:
        return extract_at(q, raw->type, o->a, o->b);
    case Q_INSERT:
        return insert(q, raw->type, o->a, (unsigned)raw->imm, o->b);
    case Q_CONCAT:
        return q_concat(q, raw->type, o->a, o->b);
    default:
        q_refuse(q, "an operation that is not known");
        return 0;
    }
}
