/*
 * Pure operations of translators as nodes. A vector of more than 16 bytes is computed by its
 * halves: a node Q_PAIR names them, which no host ever sees, since all that uses it takes the
 * halves.
 */
#include "runtime/jit/quick/halves.h"

static bool is_wide(jit_type t)
{
    return q_lanes(t) > 1 && q_bits(t) > 128;
}

static jit_type half_type(jit_type t)
{
    return q_lanes(t) > 1 ? JIT_TYPE(q_base(t), q_lane_bits(t), q_lanes(t) / 2) : t;
}

/* Lower (0) or upper (1) half of a vector; a scalar is used with both halves of others. */
static q_value half_of(struct quick *q, q_value v, unsigned k)
{
    jit_type t = half_type(q_type(v));
    const struct q_node *n = q_node(q, q_number(v));
    unsigned bits = q_bits(t);

    if (!v || t == q_type(v))
        return v;
    if (n->op == Q_PAIR)
        return q_value_of(n->in[k], t);
    if (n->op == Q_CONST && !n->sub && q_lane_bits(n->type) == q_lane_bits(t))
        return q_constant(q, t, n->imm);
    if (k == 0)
        return q_value_of(q_vector(q, v), t);
    return q_value_of(q_number(q_extract(q, JIT_TYPE(JIT_FLOAT, bits, 128 / bits), v, 1)), t);
}

/* The vector of two equally long ones, of any size. */
static q_value join_halves(struct quick *q, q_value low, q_value high)
{
    jit_type half = q_type(low), t = JIT_TYPE(q_base(half), q_lane_bits(half), 2 * q_lanes(half));

    if (!is_wide(t))
        return q_concat(q, t, low, high);
    return q_value_of(q_share(q, (struct q_node){.op = Q_PAIR,
                                                 .type = t,
                                                 .result = t,
                                                 .in = {q_vector(q, low), q_vector(q, high)}}),
                      t);
}

q_value q_vector_of(struct quick *q, jit_type t, const q_value *values)
{
    jit_type half = half_type(t);

    if (!is_wide(t))
        return q_built(q, t, values);
    return join_halves(q, q_vector_of(q, half, values),
                       q_vector_of(q, half, values + q_lanes(half)));
}

/* Operations that treat all lanes alike. */
static q_value by_halves(struct quick *q, const struct raw *raw, const struct operands *o)
{
    struct raw part = *raw;
    q_value r[2];

    part.type = half_type(raw->type);
    part.from = half_type(raw->from);
    for (unsigned k = 0; k < 2; k++)
        r[k] = q_operation(
            q, &part,
            &(struct operands){half_of(q, o->a, k), half_of(q, o->b, k), half_of(q, o->c, k)});
    return join_halves(q, r[0], r[1]);
}

static q_value wide_operation(struct quick *q, const struct raw *raw, const struct operands *o)
{
    unsigned lanes = q_lanes(raw->type) / 2, k = (unsigned)raw->imm >= lanes;
    struct raw part = *raw;
    q_value r[2], product;

    part.type = half_type(raw->type);
    part.imm = raw->imm % (lanes ? lanes : 1);
    switch (raw->op) {
    case Q_EXTRACT:
        return q_operation(q, &part, &(struct operands){half_of(q, o->a, k), o->b, 0});
    case Q_INSERT:
        r[!k] = half_of(q, o->a, !k);
        r[k] = q_operation(q, &part, &(struct operands){half_of(q, o->a, k), o->b, 0});
        return join_halves(q, r[0], r[1]);
    case Q_CONCAT:
        return join_halves(q, o->a, o->b);
    default:
        product = q_high_product(q, raw, o);
        return product ? product : by_halves(q, raw, o);
    }
}

/* Whether halves of it cannot be computed: wide constants, lanes by their numbers, and floats, each
 * of whose operations has a trap. */
static bool is_whole(const struct raw *raw)
{
    bool computes =
        raw->op == Q_UNARY || raw->op == Q_BINARY || raw->op == Q_FMA || raw->op == Q_CONVERT;

    return (raw->op == Q_CONST && raw->sub) || raw->op == Q_EXTRACT_AT ||
           (computes && (q_base(raw->type) == JIT_FLOAT ||
                         (raw->op == Q_CONVERT && q_base(raw->from) == JIT_FLOAT)));
}

q_value q_operation(struct quick *q, const struct raw *raw, const struct operands *o)
{
    if (!is_wide(raw->type) && !(o->a && is_wide(q_type(o->a))))
        return q_shape(q, raw, o);
    if (is_whole(raw)) {
        q_refuse(q, "a vector of more than 16 bytes");
        return q_constant(q, JIT_U128, 0);
    }
    return wide_operation(q, raw, o);
}
