/*
 * Selection of code for moves in vector registers, and between them and general ones: bit casts,
 * extracting and inserting lanes, vectors of scalars and of smaller vectors, and integer lanes of
 * other widths. A scalar is used where it is: a lane of 64 bits may be in a general register, a
 * float, or the low half of any vector.
 */
#include "runtime/jit/quick/a64/host.h"

static bool is_vector(jit_type t)
{
    return q_is_int_vector(t) || q_is_float_vector(t);
}

/* ---- bit casts ------------------------------------------------------------------------------- */

static bool can_bitcast(const struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type);

    return (bits == 32 || bits == 64 || bits == 128) &&
           (q_in_vector(n->type) || q_is_in_vector(q, n->in[0]));
}

static void select_bitcast(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), r;

    if (!q_is_in_vector(q, n->in[0])) {
        r = q_use(q, n->in[0]);
        a64_fmov_from(&q->out, bits, q_def_x(q), r);
    } else if (!q_in_vector(n->type)) {
        r = q_use_x(q, n->in[0]);
        a64_fmov_to(&q->out, bits, q_def(q), r);
    } else {
        r = q_use_x(q, n->in[0]);
        a64_vmov(&q->out, q_def_x(q), r);
    }
}

/* ---- vectors from scalars -------------------------------------------------------------------- */

/* The operand's register, of either kind. */
static unsigned use_any(struct quick *q, uint32_t node)
{
    return q_is_in_vector(q, node) ? q_use_x(q, node) : q_use(q, node);
}

static void select_splat(struct quick *q, const struct q_node *n)
{
    unsigned class = a64_class(n->type), a = use_any(q, n->in[0]), d = q_def_x(q);

    if (q_is_in_vector(q, n->in[0]))
        a64_dup_lane(&q->out, class, d, a, (unsigned)n->imm);
    else
        a64_dup(&q->out, class, d, a);
}

/* Moves the low 32 or 64 bits of a register of either kind to d, with zeros above. */
static void move_low(struct quick *q, unsigned d, unsigned bits, unsigned a, bool vector)
{
    if (vector)
        a64_fmov(&q->out, bits, d, a);
    else
        a64_fmov_from(&q->out, bits, d, a);
}

/* Q_LOW of 32 or 64 bits. */
static void select_low(struct quick *q, const struct q_node *n)
{
    unsigned a = use_any(q, n->in[0]);

    move_low(q, q_def_x(q), (unsigned)n->imm, a, q_is_in_vector(q, n->in[0]));
}

/* d = the value of `base` with one lane of a register of either kind. */
static void insert_lane(struct quick *q, const struct q_node *n, unsigned class, unsigned lane)
{
    unsigned base = q_use_x(q, n->in[0]), b = use_any(q, n->in[1]), d = q_def_x(q);
    bool vector = q_is_in_vector(q, n->in[1]);

    a64_vmov(&q->out, Q_XSCRATCH, base);
    if (vector)
        a64_insert_low(&q->out, class, Q_XSCRATCH, lane, b);
    else
        a64_insert(&q->out, class, Q_XSCRATCH, lane, b);
    a64_vmov(&q->out, d, Q_XSCRATCH);
}

/* Concatenates two halves of `bits` bits each: lanes, or vectors of 4 or 8 bytes. */
static void join_halves(struct quick *q, const struct q_node *n, unsigned bits)
{
    unsigned a = use_any(q, n->in[0]), b = use_any(q, n->in[1]), d = q_def_x(q);
    unsigned class = bits == 64 ? 3 : 2;

    move_low(q, Q_XSCRATCH, bits, a, q_is_in_vector(q, n->in[0]));
    if (q_is_in_vector(q, n->in[1]))
        a64_insert_low(&q->out, class, Q_XSCRATCH, 1, b);
    else
        a64_insert(&q->out, class, Q_XSCRATCH, 1, b);
    a64_vmov(&q->out, d, Q_XSCRATCH);
}

static bool can_join(const struct q_node *n)
{
    unsigned half = q_bits(n->type) / 2;

    return is_vector(n->type) && (half == 32 || half == 64);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static void select_extract(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), class = a64_class(n->type);

    if (q_base(n->type) == JIT_FLOAT)
        a64_dup_lane(&q->out, class, q_def_x(q), a, (unsigned)n->imm);
    else
        a64_extract(&q->out, class, q_def(q), a, (unsigned)n->imm);
}

/* ---- bytes by their numbers ------------------------------------------------------------------ */

static bool is_bytes(jit_type t)
{
    return q_base(t) != JIT_FLOAT && q_lane_bits(t) == 8 && q_bits(t) == 128;
}

static void select_extract_at(struct quick *q, const struct q_node *n)
{
    unsigned number = q_use(q, n->in[1]), a = q_use_x(q, n->in[0]), d = q_def(q);
    struct q_buffer *x = &q->out;

    a64_logic_i(x, A64_AND_I, 32, Q_SCRATCH, number, 15);
    a64_fmov_from(x, 32, Q_XSCRATCH, Q_SCRATCH);
    a64_vvv(x, A64_TBL, 0, Q_XSCRATCH, a, Q_XSCRATCH);
    a64_extract(x, 0, d, Q_XSCRATCH, 0);
}

static void select_shuffle(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use_x(q, n->in[0]), numbers = q_use_x(q, n->in[1]);

    a64_vvv(&q->out, A64_TBL, 0, q_def_x(q), a, numbers);
}

/* ---- integers of other widths ---------------------------------------------------------------- */

static void resize_lanes(struct quick *q, const struct q_node *n)
{
    unsigned from = a64_class(n->from), to = a64_class(n->type);
    unsigned a = q_use_x(q, n->in[0]), d = q_def_x(q);
    uint32_t op = q_is_signed(n->from) ? A64_SSHLL : A64_USHLL;

    if (n->sub) {
        a64_vv(&q->out, q_is_signed(n->type) ? A64_SQXTN : A64_SQXTUN, to, d, a);
        return;
    }
    if (from == to)
        a64_vmov(&q->out, d, a);
    for (; from < to; from++, a = d)
        a64_vshl_i(&q->out, op, 8u << from, d, a, 0);
    for (; from > to; from--, a = d)
        a64_vv(&q->out, A64_XTN, from - 1, d, a);
}

/* ---- 128-bit integers ------------------------------------------------------------------------ */

static bool can_convert128(const struct q_node *n)
{
    jit_type other = q_is_int128(n->type) ? n->from : n->type;

    if (!q_is_int128(n->type) && !q_is_int128(n->from))
        return false;
    return q_base(other) != JIT_FLOAT && q_lanes(other) == 1 && q_bits(other) >= 32;
}

static void select_convert_128(struct quick *q, const struct q_node *n)
{
    bool with_sign = q_is_signed(n->from);
    unsigned bits = q_bits(q_is_int128(n->type) ? n->from : n->type), a, d;

    if (bits == 128) {
        a = q_use_x(q, n->in[0]);
        a64_vmov(&q->out, q_def_x(q), a);
    } else if (q_is_int128(n->from)) {
        a = q_use_x(q, n->in[0]);
        a64_fmov_to(&q->out, bits, q_def(q), a);
    } else {
        a = q_use(q, n->in[0]);
        d = q_def_x(q);
        if (with_sign && bits == 32) {
            a64_extend(&q->out, true, 32, Q_SCRATCH, a);
            a = Q_SCRATCH;
        }
        a64_fmov_from(&q->out, with_sign ? 64 : bits, d, a);
        if (with_sign) {
            a64_field(&q->out, A64_SBFM, 64, Q_SCRATCH, a, A64_RANGE(63, 1));
            a64_insert(&q->out, 3, d, 1, Q_SCRATCH);
        }
    }
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static bool can_resize(const struct q_node *n)
{
    return q_lanes(n->type) == q_lanes(n->from) && q_is_int_vector(n->type) &&
           q_is_int_vector(n->from) &&
           (!n->sub || (q_is_signed(n->from) && 2 * q_lane_bits(n->type) == q_lane_bits(n->from)));
}

bool a64_can_lanes(const struct quick *q, const struct q_node *n)
{
    switch (n->op) {
    case Q_CONVERT:
        return can_convert128(n) || can_resize(n);
    case Q_BITCAST:
        return can_bitcast(q, n);
    case Q_SPLAT:
        return is_vector(n->type);
    case Q_BUILD2:
        return q_lanes(n->type) == 2 && can_join(n);
    case Q_CONCAT:
        return can_join(n);
    case Q_LOW:
        return n->imm == 32 || n->imm == 64;
    case Q_EXTRACT:
    case Q_INSERT:
        return is_vector(n->type) && n->imm < q_lanes(n->type);
    case Q_EXTRACT_AT:
    case Q_SHUFFLE:
        return is_bytes(n->type);
    default:
        return false;
    }
}

void a64_select_lanes(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);

    switch (n.op) {
    case Q_CONVERT:
        if (can_convert128(&n))
            select_convert_128(q, &n);
        else
            resize_lanes(q, &n);
        break;
    case Q_BITCAST:
        select_bitcast(q, &n);
        break;
    case Q_SPLAT:
        select_splat(q, &n);
        break;
    case Q_BUILD2:
    case Q_CONCAT:
        join_halves(q, &n, q_bits(n.type) / 2);
        break;
    case Q_INSERT:
        insert_lane(q, &n, a64_class(n.type), (unsigned)n.imm);
        break;
    case Q_LOW:
        select_low(q, &n);
        break;
    case Q_EXTRACT_AT:
        select_extract_at(q, &n);
        break;
    case Q_SHUFFLE:
        select_shuffle(q, &n);
        break;
    default:
        select_extract(q, &n);
        break;
    }
}
