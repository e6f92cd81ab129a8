/* Operations on vectors, conversions, selects, lanes and guest registers, as nodes of a trace. */
#include "runtime/jit/quick/simplify.h"
#include "runtime/jit/quick/target.h"

#include "runtime/jit/quick/emit.h"

static bool is_bool(const struct quick *q, q_value v)
{
    const struct q_node *n = &q->nodes.data[q_number(v)];

    return !q_in_vector(n->result) && n->known <= 1;
}

/* Whether a value is a scalar constant: *bits. */
static bool is_number(const struct quick *q, q_value v, uint64_t *bits)
{
    return q_lanes(q->nodes.data[q_number(v)].type) == 1 && q_is_const(q, q_number(v), bits);
}

/* The node of an operand in the kind of register that type t has. */
static uint32_t operand_node(struct quick *q, jit_type t, q_value v)
{
    return q_in_vector(t) ? q_vector(q, v) : q_general(q, v);
}

/* ---- operations with vector registers -------------------------------------------------------- */

/* How many low bits of its operands an operation in vector registers reads. */
static unsigned bits_read(const struct q_node *n)
{
    switch (n->op) {
    case Q_BINARY:
        if (n->sub == JIT_POLYMUL || n->sub == Q_LOW_PAIRS)
            return 64;
        return q_bits(n->type);
    case Q_UNARY:
    case Q_FMA:
        return q_bits(n->type);
    case Q_CONVERT:
        return q_bits(n->from);
    case Q_EXTRACT:
        return (unsigned)(n->imm + 1) * q_lane_bits(n->type);
    case Q_BUILD2:
    case Q_CONCAT:
        return q_bits(n->type) / 2;
    case Q_SPLAT:
        return q_lanes(n->from) > 1 ? (unsigned)(n->imm + 1) * q_lane_bits(n->from)
                                    : q_bits(n->from);
    default:
        return 128;
    }
}

/* Lets an operation read operands without the zeros above what it needs. */
static void take_low(const struct quick *q, struct q_node *n)
{
    unsigned bits = bits_read(n);

    if (n->op == Q_INSERT)
        n->in[1] = q_without_zeros(q, n->in[1], q_lane_bits(n->type));
    for (unsigned k = 0; k < 3 && bits <= 64; k++)
        n->in[k] = q_without_zeros(q, n->in[k], bits);
}

/* Appends a node with a vector register, if the host can select it; otherwise refuses the
 * instruction. */
static q_value vector_node(struct quick *q, jit_type t, struct q_node n)
{
    struct q_node simple;

    n.result = t;
    n.known = (uint8_t)(q_in_vector(t) ? 0 : q_bits(t) < 64 ? q_bits(t) : 64);
    simple = n;
    q_simplify_vector(q, &simple);
    if (q_target.can_select(q, &simple))
        n = simple;
    take_low(q, &n);
    if (!q_target.can_select(q, &n)) {
        q_refuse(q, "an operation on vectors");
        return q_constant(q, t, 0);
    }
    return q_value_of(q_share(q, n), t);
}

q_value q_unary(struct quick *q, enum jit_op op, jit_type t, q_value a)
{
    uint64_t lane;

    if (!q_in_vector(t))
        return q_int_unary(q, op, t, a);
    if (op == JIT_NOT && q_is_int_vector(t) && q_is_const(q, q_number(a), &lane) &&
        q_lane_bits(q_node(q, q_number(a))->type) == q_lane_bits(t))
        return q_constant(q, t, ~lane);
    return vector_node(
        q, t,
        (struct q_node){.op = Q_UNARY, .sub = (uint8_t)op, .type = t, .in = {q_vector(q, a)}});
}

static bool is_shift(unsigned op)
{
    return op >= JIT_SHL && op <= JIT_ROR;
}

/* Whether the operation of integers has its first operand as its result. */
static bool changes_nothing(const struct quick *q, const struct q_node *n)
{
    const struct q_node *a = &q->nodes.data[n->in[0]];
    uint64_t by;

    if (n->sub == JIT_AND && a->op == Q_BINARY && a->sub == JIT_AND && a->in[1] == n->in[1])
        return true;
    if (n->sub == JIT_AND || n->sub == JIT_OR)
        return n->in[0] == n->in[1];
    return (n->sub == JIT_SHL || n->sub == JIT_SHR) && q_is_const(q, n->in[1], &by) && !by &&
           q_lanes(q->nodes.data[n->in[1]].type) == q_lanes(n->from);
}

q_value q_binary(struct quick *q, unsigned op, jit_type t, q_value a, q_value b)
{
    struct q_node n = {.op = Q_BINARY, .sub = (uint8_t)op, .type = t};
    jit_type result = t;

    if (!q_in_vector(t))
        return q_int_binary(q, op, t, a, b);
    n.in[0] = q_vector(q, a);
    n.in[1] = is_shift(op) && !q_in_vector(q_type(b)) ? q_general(q, b) : q_vector(q, b);
    n.from = q_type(b);
    if (q_base(t) != JIT_FLOAT && changes_nothing(q, &n))
        return q_value_of(n.in[0], t);
    if (op >= JIT_EQ) {
        result = q_lanes(t) > 1 ? JIT_TYPE(JIT_UINT, q_lane_bits(t), q_lanes(t)) : JIT_U8;
        a = vector_node(q, result, n);
        if (result == JIT_U8)
            q_node(q, q_number(a))->known = 1;
        return a;
    }
    return vector_node(q, result, n);
}

/* Whether the node is a float of the type, or a vector of floats, with the other sign: by an
 * operation, or by XOR of the signs of all lanes. */
static bool is_negated(const struct quick *q, const struct q_node *n, jit_type t)
{
    unsigned bits = q_lane_bits(t);
    uint64_t signs;

    if (n->op == Q_UNARY)
        return n->sub == JIT_NEG && n->type == t;
    return n->op == Q_BINARY && n->sub == JIT_XOR && q_lanes(t) > 1 && q_in_vector(n->result) &&
           q_bits(n->type) == q_bits(t) && q_is_const(q, n->in[1], &signs) &&
           q_lane_bits(q->nodes.data[n->in[1]].type) == bits &&
           signs << (64 - bits) == UINT64_C(1) << 63;
}

/* Takes the negation off operand k of an FMA, if it has one that the host's instruction does. NaNs,
 * whose signs it would change, must trap. */
static void fold_negation(struct quick *q, struct q_node *fma, unsigned k, uint64_t negated)
{
    const struct q_node *of = q_node(q, fma->in[k]);
    struct q_node n = *fma;

    if (!is_negated(q, of, fma->type))
        return;
    n.in[k] = of->in[0];
    n.imm ^= negated;
    if (q_target.can_select(q, &n))
        *fma = n;
}

q_value q_fma(struct quick *q, jit_type t, q_value a, q_value b, q_value c)
{
    struct q_node n = {
        .op = Q_FMA, .type = t, .in = {q_vector(q, a), q_vector(q, b), q_vector(q, c)}};

    if (q->record->traps & JIT_TRAP_NAN) {
        fold_negation(q, &n, 0, Q_NEGATED_PRODUCT);
        fold_negation(q, &n, 1, Q_NEGATED_PRODUCT);
        fold_negation(q, &n, 2, Q_NEGATED_SUM);
    }
    return vector_node(q, t, n);
}

static jit_type lane_type(jit_type vector)
{
    return JIT_TYPE(q_base(vector), q_lane_bits(vector), 1);
}

/* ---- conversions ----------------------------------------------------------------------------- */

/* What an integer of at most *bits bits is in a vector register, if it came out of one: *bits
 * are its own then. Otherwise the integer. */
static uint32_t in_its_vector(struct quick *q, uint32_t integer, unsigned *bits)
{
    const struct q_node n = *q_node(q, integer);
    unsigned own = q_bits(n.op == Q_BITCAST ? n.from : lane_type(n.type));
    jit_type floats = JIT_TYPE(JIT_FLOAT, q_lane_bits(n.type), q_lanes(n.type));

    if (q_in_vector(n.result) || own < 32 || own > *bits)
        return integer;
    if (n.op == Q_BITCAST && q_in_vector(n.from)) {
        *bits = own;
        return n.in[0];
    }
    if (n.op != Q_EXTRACT || q_bits(n.type) != 128)
        return integer;
    *bits = own;
    return q_number(vector_node(
        q, lane_type(floats),
        (struct q_node){.op = Q_EXTRACT, .type = floats, .imm = n.imm, .in = {n.in[0]}}));
}

enum { LOADED_SINCE = 12 }; /* nodes behind a load that are looked at */

/* Whether a load of 32 or 64 bits may have its value in a vector register, with zeros above: no
 * node has used it yet. */
static bool can_load_low(const struct quick *q, uint32_t load, unsigned bits)
{
    const struct q_node *n = &q->nodes.data[load];

    if (n->op != Q_LOAD || q_in_vector(n->result) || n->sub < 4 || n->sub * 8u > bits ||
        q->nodes.len - load > LOADED_SINCE)
        return false;
    for (uint32_t k = load + 1; k < q->nodes.len; k++) {
        n = &q->nodes.data[k];
        if (n->op == Q_CALL)
            return false;
        for (unsigned a = 0; a < 4; a++) {
            if (n->in[a] == load)
                return false;
        }
    }
    return true;
}

/* The low bits of a value in a vector register, with zeros above. */
static q_value low_in_vector(struct quick *q, jit_type t, unsigned bits, q_value a)
{
    uint32_t n = in_its_vector(q, q_number(a), &bits), with_sign;
    struct q_node *node = q_node(q, n);

    if (can_load_low(q, n, bits)) {
        node->result = JIT_U128; /* a load clears the rest of the register */
        return q_value_of(n, t);
    }
    if ((node->op == Q_LOW && node->imm == bits) ||
        (node->op == Q_LOAD && node->result == JIT_U128 && node->sub * 8u <= bits))
        return q_value_of(n, t);
    if (node->op == Q_CONST && !node->sub && !q_in_vector(node->result))
        return q_value_of(q_number(q_wide_constant(q, JIT_U128, node->imm, 0)), t);
    if (!q_in_vector(node->result) && bits < 32) {
        n = q_extended(q, a, false);
        bits = 32;
    } else if (!q_in_vector(node->result)) {
        bits = node->known <= 32 ? 32 : bits; /* a single float's sign, changed as an integer's */
        with_sign = q_signed_float(q, n, bits == 64 ? JIT_F64 : JIT_F32);
        n = with_sign ? with_sign : n;
    }
    return q_value_of(
        q_share(q,
                (struct q_node){
                    .op = Q_LOW, .type = JIT_U128, .result = JIT_U128, .imm = bits, .in = {n}}),
        t);
}

static bool is_int_scalar(jit_type t)
{
    return q_base(t) != JIT_FLOAT && q_lanes(t) == 1;
}

q_value q_convert(struct quick *q, jit_type to, jit_type from, q_value a)
{
    unsigned tb = q_bits(to), fb = q_bits(from);
    struct q_node n = {.op = Q_CONVERT, .type = to, .from = from};

    if (is_int_scalar(to) && is_int_scalar(from)) {
        a = q_value_of(q_number(a), from);
        if (tb <= fb && tb <= 64)
            return q_value_of(fb > 64 ? q_number(a) : q_general(q, a), to);
        if (tb == fb)
            return q_value_of(q_number(a), to);
        if (tb <= 64)
            return q_value_of(q_extended(q, a, q_base(from) == JIT_SINT), to);
        if (q_base(from) == JIT_UINT && fb <= 64)
            return low_in_vector(q, to, fb, a);
    }
    n.in[0] = operand_node(q, from, a);
    if (q_is_int_vector(to) && q_is_int_vector(from) && q_lane_bits(to) == q_lane_bits(from))
        return q_value_of(n.in[0], to);
    if (from == JIT_S64 && q_is_float_scalar(to) && q_node(q, n.in[0])->op == Q_SEXT &&
        q_node(q, n.in[0])->imm == 32) {
        n.from = from = JIT_S32;
        n.in[0] = q_node(q, n.in[0])->in[0];
    }
    if (is_int_scalar(from) && fb < 32 && !q_in_vector(from))
        n.in[0] = q_extended(q, q_value_of(n.in[0], from), q_base(from) == JIT_SINT);
    return vector_node(q, to, n);
}

/* A constant in another type: its lanes are computed anew. */
static q_value const_bitcast(struct quick *q, jit_type to, const struct q_node *n)
{
    unsigned width = q_lane_bits(n->type), bits = q_bits(to);
    uint64_t low = n->imm;

    for (; q_lanes(n->type) > 1 && width < 64; width *= 2)
        low |= low << width;
    if (!q_in_vector(to) || (bits <= 64 && q_lanes(to) == 1) ||
        (q_lanes(n->type) > 1 && q_lane_bits(to) >= q_lane_bits(n->type) && q_lane_bits(to) <= 64))
        return q_constant(q, to, low);
    return q_wide_constant(q, to, bits < 64 ? (uint32_t)low : low, bits > 64 ? low : 0);
}

q_value q_bitcast(struct quick *q, jit_type to, q_value a)
{
    const struct q_node *n = q_node(q, q_number(a));

    if (n->op == Q_CONST && !n->sub && q_lane_bits(n->type) != q_lane_bits(to) &&
        (q_lanes(n->type) > 1 || q_lanes(to) > 1))
        return const_bitcast(q, to, &(struct q_node){.type = n->type, .imm = n->imm});
    /* The kind of register is decided at each use. */
    if (q_in_vector(to) && !q_in_vector(n->result) && q_lanes(to) > 1)
        return q_value_of(q_vector(q, a), to);
    return q_value_of(q_number(a), to);
}

/* A select of values that are 0 or 1, by logical operations, which exits can compute. */
static uint32_t choose_bool(struct quick *q, q_value cond, q_value a, q_value b)
{
    q_value yes = q_binary(q, JIT_NE, q_type(cond), cond, q_constant(q, q_type(cond), 0));
    q_value no = q_binary(q, JIT_XOR, JIT_U8, yes, q_constant(q, JIT_U8, 1));

    a = q_binary(q, JIT_AND, JIT_U8, yes, q_value_of(q_number(a), JIT_U8));
    b = q_binary(q, JIT_AND, JIT_U8, no, q_value_of(q_number(b), JIT_U8));
    return q_number(q_binary(q, JIT_OR, JIT_U8, a, b));
}

static q_value select_vector(struct quick *q, jit_type t, const struct q_condition *c, q_value a,
                             q_value b)
{
    struct q_node n = {.op = Q_SELECT, .sub = c->sub, .type = t, .from = c->type};

    n.in[0] = q_without_zeros(q, q_vector(q, a), q_bits(t));
    n.in[1] = q_without_zeros(q, q_vector(q, b), q_bits(t));
    n.in[2] = c->a;
    n.in[3] = c->b;
    return vector_node(q, t, n);
}

/* Whether a comparison of floats chooses between two that are in vector registers, as a behaviour
 * does that takes floats for integers. */
static bool chooses_floats(const struct quick *q, const struct q_condition *c, q_value a, q_value b)
{
    unsigned bits = q_bits(q_type(a));

    return q_is_ordered(c->type) && (bits == 32 || bits == 64) && bits <= q_bits(c->type) &&
           q_is_in_vector(q, q_number(a)) && q_is_in_vector(q, q_number(b));
}

q_value q_select(struct quick *q, q_value cond, q_value a, q_value b)
{
    jit_type t = q_type(a);
    struct q_condition c;
    uint64_t ca, cb;
    bool value;

    if (q_in_vector(q_type(cond)))
        return vector_node(
            q, t,
            (struct q_node){.op = Q_BLEND,
                            .type = t,
                            .from = q_type(cond),
                            .in = {q_vector(q, cond), q_vector(q, a), q_vector(q, b)}});
    if (q_number(a) == q_number(b))
        return a;
    if (!q_condition_of(q, cond, &c, &value))
        return value ? a : b;
    if (c.test) { /* a & b as a value */
        c.a = q_number(
            q_binary(q, JIT_AND, c.type, q_value_of(c.a, c.type), q_value_of(c.b, c.type)));
        c.b = q_number(q_constant(q, c.type, 0));
    }
    if (!q_in_vector(t) && q_is_const(q, q_number(a), &ca) && q_is_const(q, q_number(b), &cb) &&
        ca + cb == 1 && ca <= 1)
        return q_value_of(
            q_share(q, (struct q_node){.op = Q_BINARY,
                                       .sub = (uint8_t)(ca ? c.sub : q_inverse(c.sub)),
                                       .type = c.type,
                                       .result = JIT_U64,
                                       .known = 1,
                                       .in = {c.a, c.b}}),
            t);
    if (is_bool(q, a) && is_bool(q, b))
        return q_value_of(choose_bool(q, cond, a, b), t);
    if (q_in_vector(t))
        return select_vector(q, t, &c, a, b);
    if (chooses_floats(q, &c, a, b))
        return q_value_of(q_number(select_vector(q, JIT_TYPE(JIT_FLOAT, q_bits(t), 1), &c, a, b)),
                          t);
    return q_value_of(
        q_share(q, (struct q_node){.op = Q_SELECT,
                                   .sub = c.sub,
                                   .type = t,
                                   .from = c.type,
                                   .result = JIT_U64,
                                   .known = q_bits(t) <= 32 ? 32 : 64,
                                   .in = {q_general(q, a), q_general(q, b), c.a, c.b}}),
        t);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* A lane of a vector in each lane of another one; false: the scalar is no lane, or the host has
 * no such operation. */
static bool splat_lane(struct quick *q, jit_type t, q_value a, q_value *splat)
{
    const struct q_node *lane = q_node(q, q_number(a));
    struct q_node n = {.op = Q_SPLAT,
                       .type = t,
                       .from = lane->type,
                       .result = t,
                       .imm = lane->imm,
                       .in = {lane->in[0]}};

    if (lane->op != Q_EXTRACT || q_lane_bits(lane->type) != q_lane_bits(t) ||
        !q_target.can_select(q, &n))
        return false;
    *splat = q_value_of(q_share(q, n), t);
    return true;
}

/* A vector of equal lanes in each lane of t: more of these lanes. */
static bool widen_splat(struct quick *q, jit_type t, q_value a, q_value *splat)
{
    struct q_node n = *q_node(q, q_number(a));
    unsigned width = q_lane_bits(n.type);

    if (n.op != Q_SPLAT || q_bits(n.type) != q_lane_bits(t))
        return false;
    n = (struct q_node){.op = Q_SPLAT,
                        .type = JIT_TYPE(q_base(n.type), width, q_bits(t) / width),
                        .from = n.from,
                        .result = t,
                        .imm = n.imm,
                        .in = {n.in[0]}};
    if (!q_target.can_select(q, &n))
        return false;
    *splat = q_value_of(q_share(q, n), t);
    return true;
}

q_value q_splat(struct quick *q, jit_type t, q_value a)
{
    uint64_t bits;
    q_value splat;

    if (is_number(q, a, &bits))
        return q_constant(q, t, bits);
    if (splat_lane(q, t, a, &splat) || widen_splat(q, t, a, &splat))
        return splat;
    return vector_node(
        q, t, (struct q_node){.op = Q_SPLAT, .type = t, .from = q_type(a), .in = {q_number(a)}});
}

/* Whether all lanes are constants: the bits of the vector. */
static bool fixed_lanes(const struct quick *q, jit_type t, const q_value *lanes, uint64_t bits[2])
{
    unsigned width = q_lane_bits(t);
    uint64_t lane;

    bits[0] = bits[1] = 0;
    for (unsigned n = 0; n < q_lanes(t); n++) {
        if (!is_number(q, lanes[n], &lane) || width > 64)
            return false;
        if (width < 64)
            lane &= (UINT64_C(1) << width) - 1;
        bits[n * width / 64] |= lane << n * width % 64;
    }
    return true;
}

/* Whether two lanes are those of one vector, in their order. */
static bool are_halves(const struct quick *q, jit_type t, const q_value *lanes)
{
    const struct q_node *low = &q->nodes.data[q_number(lanes[0])],
                        *high = &q->nodes.data[q_number(lanes[1])];

    return q_lanes(t) == 2 && q_lane_bits(t) == 64 && high->op == Q_EXTRACT && high->imm == 1 &&
           q_lanes(high->type) == 2 && q_lane_bits(high->type) == 64 &&
           (high->in[0] == q_number(lanes[0]) ||
            (low->op == Q_EXTRACT && !low->imm && low->type == high->type &&
             low->in[0] == high->in[0]));
}

/* The node of a lane to be inserted; lanes of 32 and 64 bits may be in either kind of register,
 * and lanes of other vectors are in one already. */
static uint32_t lane_source(struct quick *q, jit_type t, q_value v)
{
    const struct q_node *n = q_node(q, q_number(v));

    if (q_lane_bits(t) < 32)
        return operand_node(q, lane_type(t), v);
    return n->op == Q_EXTRACT && q_lane_bits(n->type) == q_lane_bits(t)
               ? q_vector(q, q_value_of(q_number(v), lane_type(t)))
               : q_number(v);
}

q_value q_build(struct quick *q, jit_type t, const q_value *lanes)
{
    uint64_t bits[2], zero;
    bool same = true, low = q_lane_bits(t) >= 32;
    q_value v;

    if (q_bits(t) > 128) {
        q_refuse(q, "a vector of more than 16 bytes");
        return q_constant(q, JIT_U128, 0);
    }
    if (fixed_lanes(q, t, lanes, bits))
        return q_wide_constant(q, t, bits[0], bits[1]);
    for (unsigned n = 1; n < q_lanes(t); n++) {
        same &= q_number(lanes[n]) == q_number(lanes[0]);
        low &= is_number(q, lanes[n], &zero) && !zero;
    }
    if (same)
        return q_splat(q, t, lanes[0]);
    if (are_halves(q, t, lanes))
        return q_value_of(q_node(q, q_number(lanes[1]))->in[0], t);
    if (low)
        return low_in_vector(q, t, q_lane_bits(t), lanes[0]);
    if (q_lanes(t) == 2)
        return vector_node(
            q, t,
            (struct q_node){.op = Q_BUILD2,
                            .type = t,
                            .in = {lane_source(q, t, lanes[0]), lane_source(q, t, lanes[1])}});
    v = q_splat(q, t, lanes[0]);
    for (unsigned n = 1; n < q_lanes(t); n++)
        v = q_insert(q, t, v, n, lanes[n]);
    return v;
}

q_value q_extract(struct quick *q, jit_type t, q_value a, unsigned lane)
{
    const struct q_node *n = q_node(q, q_number(a));
    jit_type to = lane_type(t);
    struct q_vec words;

    while (n->op == Q_INSERT && q_lane_bits(t) >= 32 && q_lane_bits(n->type) == q_lane_bits(t)) {
        if (n->imm == lane)
            return q_value_of(n->in[1], to);
        a = q_value_of(n->in[0], q_type(a));
        n = q_node(q, n->in[0]);
    }
    if (n->op == Q_BUILD2 && n->type == t)
        return q_value_of(n->in[lane], to);
    if (n->op == Q_CONST && q_in_vector(n->result) && q_lane_bits(t) <= 64) {
        words = q_constant_words(n);
        return q_constant(q, to, words.w[lane * q_lane_bits(t) / 64] >> lane * q_lane_bits(t) % 64);
    }
    if (!lane && q_is_whole_integer(q, n, q_lane_bits(t)))
        return q_value_of(n->in[0], to);
    if (!lane && q_lane_bits(t) >= 32)
        return q_value_of(q_vector(q, a), to);
    return vector_node(
        q, to, (struct q_node){.op = Q_EXTRACT, .type = t, .imm = lane, .in = {q_vector(q, a)}});
}

q_value q_insert(struct quick *q, jit_type t, q_value a, unsigned lane, q_value b)
{
    return vector_node(
        q, t,
        (struct q_node){
            .op = Q_INSERT, .type = t, .imm = lane, .in = {q_vector(q, a), lane_source(q, t, b)}});
}

q_value q_concat(struct quick *q, jit_type t, q_value a, q_value b)
{
    if (q_bits(t) > 128) {
        q_refuse(q, "a vector of more than 16 bytes");
        return q_constant(q, JIT_U128, 0);
    }
    if (q_lanes(t) == 2) {
        q_value lanes[] = {a, b};

        return q_build(q, t, lanes);
    }
    return vector_node(
        q, t, (struct q_node){.op = Q_CONCAT, .type = t, .in = {q_vector(q, a), q_vector(q, b)}});
}

/* ---- guest registers ------------------------------------------------------------------------- */

/* The slot with bytes [offset, offset + size) of the state; NULL: there is none. */
static const struct slot *slot_of(struct quick *q, uint64_t offset, unsigned size, uint32_t *number)
{
    unsigned n = offset < q->map->isa->state_bytes ? q->map->slot_at[offset] : 0;
    const struct slot *s;

    if (n && q->parts && q->map->part_at[offset]) {
        q->trace->whole |= size > q->map->slots.data[q->map->part_at[offset] - 1].size;
        n = q->map->part_at[offset];
    }
    s = n ? &q->map->slots.data[n - 1] : NULL;
    if (!s || offset + size > s->offset + s->size || (offset - s->offset) % size) {
        q_refuse(q, "an odd piece of a register");
        return NULL;
    }
    *number = n - 1;
    return s;
}

static bool is_inside(struct slot slot, uint64_t offset, unsigned size)
{
    return offset >= slot.offset && offset + size <= (uint64_t)slot.offset + slot.size;
}

static void set_now(struct quick *q, uint32_t slot, uint32_t node)
{
    vec_push(&q->trace->undo, (struct slot_change){slot, q->trace->now[slot]});
    q->trace->now[slot] = node;
}

/* The node of a slot's whole value. */
static uint32_t whole_value(struct quick *q, uint32_t slot)
{
    unsigned bits = q->map->slots.data[slot].size * 8u;
    jit_type t = JIT_TYPE(JIT_UINT, bits, 1);

    if (!q->trace->now[slot])
        set_now(q, slot,
                q_append(q, (struct q_node){.op = Q_REG,
                                            .type = t,
                                            .result = t,
                                            .imm = slot,
                                            .known = (uint8_t)(bits < 64 ? bits : 64)}));
    return q->trace->now[slot];
}

/* The operand of an OR that has the low bits, where the other one was masked to make room for
 * them; else the node itself. */
static uint32_t low_piece(const struct quick *q, uint32_t node, unsigned bits)
{
    const struct q_node *n = &q->nodes.data[node];
    uint64_t mask;

    if (n->op != Q_BINARY || n->sub != JIT_OR || q_in_vector(n->type))
        return node;
    for (unsigned k = 0; k < 2; k++) {
        const struct q_node *rest = &q->nodes.data[n->in[k]];

        if (rest->op == Q_BINARY && rest->sub == JIT_AND && q_is_const(q, rest->in[1], &mask) &&
            !(mask << (64 - bits)))
            return n->in[!k];
    }
    return node;
}

q_value q_read_register(struct quick *q, jit_type t, uint64_t offset)
{
    unsigned size = q_bits(t) / 8, at;
    uint32_t slot = 0, n;
    const struct slot *s;

    if (is_inside(q->map->zero, offset, size))
        return q_constant(q, t, 0);
    s = slot_of(q, offset, size, &slot);
    if (!s)
        return q_constant(q, t, 0);
    n = whole_value(q, slot);
    at = (unsigned)(offset - s->offset);
    if (size == s->size || (!at && size == 8 && q_lanes(t) > 1))
        return q_value_of(n, t);
    if (s->size < 16 && !at)
        return q_value_of(low_piece(q, n, 8 * size), t);
    if (s->size < 16)
        return q_value_of(q_number(q_binary(q, JIT_SHR, JIT_U64, q_value_of(n, JIT_U64),
                                            q_constant(q, JIT_U8, 8 * at))),
                          t);
    if (q_lanes(t) > 1 || q_base(t) == JIT_FLOAT)
        return q_value_of(q_number(q_extract(q, JIT_TYPE(JIT_FLOAT, 8 * size, 16 / size),
                                             q_value_of(n, JIT_U128), at / size)),
                          t);
    return q_value_of(q_number(q_extract(q, JIT_TYPE(JIT_UINT, 8 * size, 16 / size),
                                         q_value_of(n, JIT_U128), at / size)),
                      t);
}

/* The value of a slot after a piece of it is written. */
static uint32_t with_piece(struct quick *q, const struct slot *s, uint32_t slot, unsigned at,
                           unsigned size, q_value v)
{
    uint32_t old = whole_value(q, slot);
    uint64_t mask = (size < 8 ? UINT64_C(1) << 8 * size : 0) - 1;
    jit_type piece = JIT_TYPE(q_in_vector(q_type(v)) ? JIT_FLOAT : JIT_UINT, 8 * size, 16 / size);
    q_value rest;

    if (s->size == 16)
        return q_number(q_insert(q, piece, q_value_of(old, JIT_U128), at / size, v));
    rest = q_binary(q, JIT_AND, JIT_U64, q_value_of(old, JIT_U64),
                    q_constant(q, JIT_U64, ~(mask << 8 * at)));
    v = q_value_of(q_extended(q, v, false), JIT_U64);
    v = q_binary(q, JIT_SHL, JIT_U64, v, q_constant(q, JIT_U8, 8 * at));
    return q_number(q_binary(q, JIT_OR, JIT_U64, rest, v));
}

void q_write_register(struct quick *q, uint64_t offset, q_value v)
{
    unsigned size = q_bits(q_type(v)) / 8;
    uint32_t slot = 0, n;
    const struct slot *s;

    q->trace->changed = true;
    if (is_inside(q->map->sink, offset, size))
        return;
    s = slot_of(q, offset, size, &slot);
    if (!s)
        return;
    if (slot >= q->map->first_part)
        *(size == s->size ? &q->trace->part_writes : &q->trace->piece_writes) += 1;
    if (size != s->size)
        n = with_piece(q, s, slot, (unsigned)(offset - s->offset), size, v);
    else
        n = s->size == 16 ? q_vector(q, v) : q_general(q, v);
    q_write_slot(q, slot, n);
}

void q_write_slot(struct quick *q, uint32_t slot, uint32_t n)
{
    q_append(q, (struct q_node){.op = Q_WRITE, .imm = slot, .in = {n}});
    set_now(q, slot, n);
}
