/* Appending nodes to a trace: sharing of equal nodes, constants, and kinds of host registers. */
#include "runtime/jit/quick/simplify.h"
#include "runtime/jit/quick/target.h"

void q_refuse(struct quick *q, const char *why)
{
    if (!q->trace->refused)
        q->trace->refused = why;
}

uint32_t q_append(struct quick *q, struct q_node n)
{
    n.host = Q_NO_HOST;
    n.spill = -1;
    n.slot = n.set_slot = -1;
    if (n.result && q_in_vector(n.result))
        n.known = 0;
    vec_push(&q->nodes, n);
    return (uint32_t)q->nodes.len - 1;
}

static bool same_node(const struct q_node *a, const struct q_node *b)
{
    return a->op == b->op && a->sub == b->sub && a->type == b->type && a->from == b->from &&
           a->result == b->result && a->imm == b->imm && a->imm2 == b->imm2 &&
           !memcmp(a->in, b->in, sizeof(a->in));
}

/* The entry of the table of shared nodes where an equal one may be. */
static uint32_t *shared_entry(struct quick *q, const struct q_node *n)
{
    uint64_t h = n->imm * 31 + n->imm2 + n->op + n->sub * 7u + n->type + n->from * 3u;

    for (unsigned k = 0; k < 4; k++)
        h = (h + n->in[k]) * UINT64_C(0x9e3779b97f4a7c15);
    return &q->trace->shared[(h >> 32) % Q_SHARED];
}

uint32_t q_find(struct quick *q, const struct q_node *n)
{
    const uint32_t *at = shared_entry(q, n);

    return *at && same_node(q_node(q, *at), n) ? *at : Q_NONE;
}

uint32_t q_share(struct quick *q, struct q_node n)
{
    uint32_t *at = shared_entry(q, &n);

    if (*at && same_node(q_node(q, *at), &n))
        return *at;
    *at = q_append(q, n);
    return *at;
}

void q_drop_nodes(struct quick *q, size_t from)
{
    uint32_t *shared = q->trace->shared;

    for (unsigned n = 0; n < Q_SHARED; n++)
        shared[n] = shared[n] < from ? shared[n] : 0;
    q->nodes.len = from;
}

/* ---- constants ------------------------------------------------------------------------------- */

static unsigned length_of(uint64_t v)
{
    return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

q_value q_constant(struct quick *q, jit_type t, uint64_t bits)
{
    struct q_node n = {.op = Q_CONST, .type = t, .result = t, .imm = bits};

    if (q_lane_bits(t) < 64)
        n.imm &= (UINT64_C(1) << q_lane_bits(t)) - 1;
    if (!q_in_vector(t)) {
        n.type = n.result = JIT_U64;
        n.known = (uint8_t)length_of(n.imm);
    }
    return q_value_of(q_share(q, n), t);
}

q_value q_wide_constant(struct quick *q, jit_type t, uint64_t low, uint64_t high)
{
    return q_value_of(
        q_share(q,
                (struct q_node){
                    .op = Q_CONST, .sub = 1, .type = t, .result = t, .imm = low, .imm2 = high}),
        t);
}

bool q_is_const(const struct quick *q, uint32_t node, uint64_t *bits)
{
    const struct q_node *n = &q->nodes.data[node];

    *bits = n->imm;
    return n->op == Q_CONST && !n->sub;
}

bool q_is_choice(const struct quick *q, const struct q_node *n, uint64_t value[2])
{
    unsigned bits = q_bits(n->type);

    if (n->op != Q_SELECT || q_in_vector(n->result) || q_in_vector(n->from))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        if (!q_is_const(q, n->in[k], &value[k]))
            return false;
        value[k] &= bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    }
    return true;
}

q_value q_address(struct quick *q, int64_t delta)
{
    if (q->flat)
        return q_constant(q, JIT_U64, q->r->pc + (uint64_t)delta);
    return q_value_of(
        q_share(
            q, (struct q_node){.op = Q_PC, .result = JIT_U64, .known = 64, .imm = (uint64_t)delta}),
        JIT_U64);
}

/* ---- kinds of host registers ----------------------------------------------------------------- */

uint32_t q_without_zeros(const struct quick *q, uint32_t node, unsigned bits)
{
    const struct q_node *n = &q->nodes.data[node];

    return n->op == Q_LOW && n->imm >= bits && q_is_in_vector(q, n->in[0]) ? n->in[0] : node;
}

bool q_is_whole_integer(struct quick *q, const struct q_node *n, unsigned bits)
{
    const struct q_node *of = q_node(q, n->in[0]);

    return n->op == Q_LOW && !q_in_vector(of->result) && of->known && of->known <= bits &&
           of->known <= n->imm;
}

uint32_t q_low_word(const struct quick *q, uint32_t node)
{
    const struct q_node *n = &q->nodes.data[node];
    uint64_t c;

    return n->op == Q_BINARY && n->sub == JIT_OR && n->type == JIT_U64 &&
                   q_is_const(q, n->in[1], &c) && !(uint32_t)c
               ? n->in[0]
               : node;
}

uint32_t q_general(struct quick *q, q_value v)
{
    bool wide = q_bits(q_type(v)) > 32;
    uint32_t n = wide ? q_number(v) : q_low_word(q, q_number(v));

    if (!q_in_vector(q_node(q, n)->result))
        return n;
    if (q_is_whole_integer(q, q_node(q, n), wide ? 64 : 32))
        return q_node(q, n)->in[0];
    return q_share(q, (struct q_node){.op = Q_BITCAST,
                                      .type = wide ? JIT_U64 : JIT_U32,
                                      .from = wide ? JIT_F64 : JIT_F32,
                                      .result = wide ? JIT_U64 : JIT_U32,
                                      .known = wide ? 64 : 32,
                                      .in = {q_without_zeros(q, n, wide ? 64 : 32)}});
}

uint32_t q_signed_float(struct quick *q, uint32_t node, jit_type t)
{
    const struct q_node *n = q_node(q, node);
    uint64_t sign = UINT64_C(1) << (q_bits(t) - 1), bits;
    const struct q_node *from = q_node(q, n->in[0]);

    if (n->op != Q_BINARY || q_bits(n->type) != q_bits(t) || from->op != Q_BITCAST ||
        !q_in_vector(from->from) || q_bits(from->from) != q_bits(t) ||
        !q_is_const(q, n->in[1], &bits))
        return 0;
    bits &= sign | (sign - 1);
    if (!(n->sub == JIT_XOR && bits == sign) && !(n->sub == JIT_AND && bits == sign - 1))
        return 0;
    return q_share(q, (struct q_node){.op = Q_UNARY,
                                      .sub = n->sub == JIT_XOR ? JIT_NEG : JIT_ABS,
                                      .type = t,
                                      .result = t,
                                      .in = {from->in[0]}});
}

/* The extraction of a lane of 32 or 64 bits of 16 bytes, into a vector register; Q_NONE: the
 * node is no such one, or the host has none. */
static uint32_t lane_as_float(struct quick *q, uint32_t node, unsigned bits)
{
    const struct q_node *n = q_node(q, node);
    struct q_node lane = {.op = Q_EXTRACT,
                          .type = JIT_TYPE(JIT_FLOAT, bits, 128 / bits),
                          .result = JIT_TYPE(JIT_FLOAT, bits, 1),
                          .imm = n->imm,
                          .in = {n->in[0]}};

    if (n->op != Q_EXTRACT || q_bits(n->type) != 128 || q_lane_bits(n->type) != bits ||
        !q_target.can_select(q, &lane))
        return Q_NONE;
    return q_share(q, lane);
}

uint32_t q_vector(struct quick *q, q_value v)
{
    bool wide = q_bits(q_type(v)) > 32;
    uint32_t n = wide ? q_number(v) : q_low_word(q, q_number(v)), in_vector;
    const struct q_node *node = q_node(q, n);

    if (!wide && node->op == Q_ZEXT && node->imm == 32) {
        n = node->in[0];
        node = q_node(q, n);
    }
    if (q_in_vector(node->result))
        return n;
    if (node->op == Q_BITCAST && q_in_vector(node->from) && q_bits(node->from) >= (wide ? 64 : 32))
        return node->in[0];
    in_vector = q_signed_float(q, n, wide ? JIT_F64 : JIT_F32);
    if (!in_vector)
        in_vector = lane_as_float(q, n, wide ? 64 : 32);
    if (in_vector)
        return in_vector;
    node = q_node(q, n);
    if (node->op == Q_CONST)
        return q_share(q, (struct q_node){.op = Q_CONST,
                                          .type = wide ? JIT_F64 : JIT_F32,
                                          .result = wide ? JIT_F64 : JIT_F32,
                                          .imm = node->imm});
    if (wide && q_may_be_float(q, n)) {
        q_node(q, n)->type = q_node(q, n)->result = JIT_F64;
        return n;
    }
    return q_share(q, (struct q_node){.op = Q_BITCAST,
                                      .type = wide ? JIT_F64 : JIT_F32,
                                      .from = wide ? JIT_U64 : JIT_U32,
                                      .result = wide ? JIT_F64 : JIT_F32,
                                      .in = {n}});
}

uint32_t q_extended(struct quick *q, q_value v, bool with_sign)
{
    unsigned bits = q_bits(q_type(v));
    uint32_t n = q_general(q, v);
    const struct q_node *node = q_node(q, n);
    uint64_t c;

    if (bits >= 64 || node->known < bits || (!with_sign && node->known <= bits))
        return n;
    if (q_is_const(q, n, &c)) {
        c = with_sign ? (uint64_t)((int64_t)(c << (64 - bits)) >> (64 - bits))
                      : c & ((UINT64_C(1) << bits) - 1);
        return q_number(q_constant(q, JIT_U64, c));
    }
    return q_share(q, (struct q_node){.op = with_sign ? Q_SEXT : Q_ZEXT,
                                      .type = JIT_U64,
                                      .result = JIT_U64,
                                      .imm = bits,
                                      .known = (uint8_t)(with_sign ? 64 : bits),
                                      .in = {n}});
}
