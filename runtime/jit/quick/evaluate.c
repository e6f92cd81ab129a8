/* Computing nodes of integers of up to 64 bits, and comparisons of ordered floats, in C, by the
 * semantics of build.h: constant folding, values that only exits need, and values before a trace.
 */
#include "runtime/jit/quick/job.h"
#include "runtime/jit/quick/tier.h"

static bool is_signed(jit_type t)
{
    return q_base(t) == JIT_SINT;
}

/* ---- operations ------------------------------------------------------------------------------ */

static uint64_t evaluate_unary(enum jit_op op, jit_type t, uint64_t a)
{
    unsigned bits = q_bits(t);

    a = int64_low(a, bits);
    switch (op) {
    case JIT_NEG:
        return -a;
    case JIT_NOT:
        return ~a;
    case JIT_ABS:
        return int64_extend(a, bits) < 0 ? -a : a;
    case JIT_CLZ:
        return cpu_clz64(a) - (64 - bits);
    case JIT_CTZ:
        return a ? cpu_ctz64(a) : bits;
    case JIT_POPCOUNT:
        return (uint64_t)__builtin_popcountll(a);
    case JIT_BITREV:
        return cpu_bitrev64(a) >> (64 - bits);
    default: /* JIT_BSWAP */
        return __builtin_bswap64(a) >> (64 - bits);
    }
}

static bool difference_overflows(uint64_t a, uint64_t b, unsigned bits)
{
    return int64_less(a, b, bits, true) != (int64_extend(a - b, bits) < 0);
}

static double float_of(uint64_t v, unsigned bits)
{
    float single;
    double twice;

    memcpy(&single, &v, sizeof(single));
    memcpy(&twice, &v, sizeof(twice));
    return bits == 32 ? (double)single : twice;
}

static bool evaluate_compare(unsigned op, jit_type t, uint64_t a, uint64_t b)
{
    unsigned bits = q_bits(t);
    bool floats = q_is_ordered(t);
    bool less =
        floats ? float_of(a, bits) < float_of(b, bits) : int64_less(a, b, bits, is_signed(t));
    bool same = floats ? float_of(a, bits) == float_of(b, bits) : a == b;

    switch (op) {
    case JIT_EQ:
        return same;
    case JIT_NE:
        return !same;
    case JIT_LT:
        return less;
    case JIT_LE:
        return less || same;
    case JIT_GT:
        return !less && !same;
    case JIT_GE:
        return !less;
    case Q_MINUS:
        return int64_extend(a - b, bits) < 0;
    case Q_PLUS:
        return int64_extend(a - b, bits) >= 0;
    default:
        return difference_overflows(a, b, bits) == (op == Q_OVERFLOW);
    }
}

static uint64_t evaluate_binary(unsigned op, jit_type t, uint64_t a, uint64_t b)
{
    unsigned bits = q_bits(t);

    a = int64_low(a, bits);
    if (op == JIT_SHL) /* all 64 bits of the amount count, whatever the type */
        return int64_shift_left(a, b, bits);
    if (op == JIT_SHR)
        return int64_shift_right(a, b, bits, is_signed(t));
    b = int64_low(b, bits);
    switch (op) {
    case JIT_ADD:
        return a + b;
    case JIT_SUB:
        return a - b;
    case JIT_MUL:
        return a * b;
    case JIT_DIV:
        return int64_divide(a, b, bits, is_signed(t));
    case JIT_MOD:
        return int64_remainder(a, b, bits, is_signed(t));
    case JIT_AND:
        return a & b;
    case JIT_OR:
        return a | b;
    case JIT_XOR:
        return a ^ b;
    case Q_WITHOUT:
        return a & ~b;
    case JIT_UMULH:
        return cpu_umulh(a, b);
    case JIT_SMULH:
        return cpu_smulh(a, b);
    case JIT_ROR:
        return int64_rotate_right(a, b, bits);
    case JIT_ROL:
        return int64_rotate_left(a, b, bits);
    default:
        return evaluate_compare(op, t, a, b);
    }
}

uint64_t quick_evaluate(struct q_operation o, uint64_t a, uint64_t b, uint64_t c)
{
    unsigned bits = q_bits(o.type);

    switch (o.op) {
    case Q_UNARY:
        return int64_low(evaluate_unary(o.sub, o.type, a), bits);
    case Q_BINARY:
        return int64_low(evaluate_binary(o.sub, o.type, a, b), bits);
    case Q_SELECT:
        return int64_low(a ? b : c, bits);
    case Q_SCALED:
        return int64_low(a + (b << o.imm), bits);
    case Q_ZEXT:
        return int64_low(a, (unsigned)o.imm);
    default: /* Q_SEXT */
        return (uint64_t)int64_extend(a, (unsigned)o.imm);
    }
}

/* ---- values before a trace ------------------------------------------------------------------- */

enum { MAX_DEPTH = 8 /* levels of evaluated expressions */ };

static bool value_now(const struct quick *q, uint32_t node, unsigned depth, uint64_t *value)
{
    const struct q_node *n = &q->nodes.data[node];
    uint64_t a, b = 0;

    *value = 0;
    if (depth > MAX_DEPTH || q_in_vector(n->result) || q_in_vector(n->type))
        return false;
    switch (n->op) {
    case Q_CONST:
        *value = n->imm;
        return !n->sub;
    case Q_REG:
        memcpy(value, q->job->state + q->map->slots.data[n->imm].offset,
               q->map->slots.data[n->imm].size);
        return true;
    case Q_UNARY:
    case Q_BINARY:
    case Q_SCALED:
    case Q_ZEXT:
    case Q_SEXT:
        if (!value_now(q, n->in[0], depth + 1, &a) ||
            (n->in[1] && !value_now(q, n->in[1], depth + 1, &b)))
            return false;
        *value = quick_evaluate((struct q_operation){n->op, n->sub, n->type, n->imm}, a, b, 0);
        return true;
    default:
        return false;
    }
}

bool quick_value_now(const struct quick *q, uint32_t node, uint64_t *value)
{
    return value_now(q, node, 0, value);
}

/* ---- values of a trace ----------------------------------------------------------------------- */

static struct q_vec slot_value(const struct region *r, const struct cpu *cpu, unsigned n)
{
    const struct slot *s = &r->map->slots.data[n];
    struct q_vec v = {{0}};

    quick_copy(&v, cpu->state + s->offset, s->size);
    return v;
}

static struct q_vec host_value(const struct q_frame *f, unsigned host)
{
    return host >= Q_V ? f->vector[host - Q_V] : (struct q_vec){{f->general[host], 0}};
}

struct q_vec quick_value(const struct region *r, const struct cpu *cpu, const struct q_frame *f,
                         struct q_where at)
{
    const struct q_code *code = r->quick;
    const struct q_expr *e;
    struct q_operation o;
    uint64_t v[3];

    switch ((enum q_where_kind)at.kind) {
    case Q_IN_HOST:
        return host_value(f, at.host);
    case Q_IN_SPILL:
        return f->spill[at.spill];
    case Q_IN_CONST:
        return code->constants.data[at.index];
    case Q_IN_PC:
        return (struct q_vec){{cpu->region_pc + code->constants.data[at.index].w[0], 0}};
    case Q_IN_SLOT:
        return slot_value(r, cpu, at.index);
    case Q_IN_EXPR:
        break;
    }
    e = &code->exprs.data[at.index];
    if (e->op == Q_EXTRACT)
        return (struct q_vec){{quick_value(r, cpu, f, e->a).w[e->imm], 0}};
    v[0] = quick_value(r, cpu, f, e->a).w[0];
    if (e->op == Q_LOW || e->op == Q_BITCAST)
        return (struct q_vec){{e->imm == 32 ? (uint32_t)v[0] : v[0], 0}};
    v[1] = e->op == Q_BINARY || e->op == Q_SCALED || e->op == Q_SELECT
               ? quick_value(r, cpu, f, e->b).w[0]
               : 0;
    v[2] = e->op == Q_SELECT ? quick_value(r, cpu, f, e->c).w[0] : 0;
    o = (struct q_operation){e->op, e->sub, e->type, e->imm};
    return (struct q_vec){{quick_evaluate(o, v[0], v[1], v[2]), 0}};
}
