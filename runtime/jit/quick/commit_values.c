/* Appending raw nodes as nodes of the trace. */
#include "runtime/jit/quick/commit_internal.h"
#include "runtime/jit/quick/halves.h"
#include "runtime/jit/quick/target.h"

q_value commit_value(const struct commit *c, q_value raw)
{
    return q_value_of(q_number(c->value[q_number(raw)]), q_type(raw));
}

/* The current guest instruction, as in q_node.imm2. */
static uint64_t place_of(const struct quick *q)
{
    return (uint64_t)q->record->source << 16 | q->record->index;
}

/* The node of an address; for flat memory a constant that it adds becomes *disp. */
static uint32_t address_of(struct quick *q, q_value address, int32_t *disp)
{
    uint32_t n = q_extended(q, address, false);

    *disp = 0;
    return q->flat ? q_split_address(q, n, disp) : n;
}

/* Appends what q_share_addends() may let the access share; otherwise it is dead. The trace may be
 * left there while the instruction has changed nothing. */
static void append_addend(struct quick *q, const struct raw *raw, bool writes)
{
    if (!q->flat && q_target.select_addend)
        q_append(q, (struct q_node){.op = Q_ADDEND,
                                    .sub = writes,
                                    .type = JIT_U64,
                                    .result = JIT_U64,
                                    .known = 64,
                                    .when = !q->trace->changed,
                                    .imm = raw->imm});
}

static q_value append_load(struct quick *q, const struct raw *raw, q_value address)
{
    jit_type t = raw->type;
    struct q_node n = {.op = Q_LOAD,
                       .sub = raw->sub,
                       .type = t,
                       .result = t,
                       .imm = raw->imm,
                       .imm2 = place_of(q),
                       .known = (uint8_t)(raw->sub < 8 ? raw->sub * 8 : 64)};

    n.in[0] = address_of(q, address, &n.disp);
    append_addend(q, raw, false);
    return q_value_of(q_append(q, n), t);
}

/* The node of what a store takes: without zeros above, and a float without the move that gave it to
 * a guest register. */
static uint32_t stored_node(struct quick *q, unsigned bytes, q_value v)
{
    uint32_t node = bytes > 8 ? q_vector(q, v) : bytes < 4 ? q_general(q, v) : q_number(v);
    const struct q_node *n;
    bool is_float;

    if (bytes == 4)
        node = q_low_word(q, node);
    n = q_node(q, node);
    if (bytes == 4 && n->op == Q_ZEXT && n->imm == 32)
        n = q_node(q, node = n->in[0]);
    is_float = n->op == Q_BITCAST && bytes >= 4 && q_is_in_vector(q, n->in[0]);
    if ((n->op == Q_LOW && bytes <= 8 && n->imm >= bytes * 8u) ||
        (is_float && q_bits(n->from) >= bytes * 8u))
        return n->in[0];
    return node;
}

static void append_store(struct quick *q, const struct raw *raw, q_value address, q_value v)
{
    struct q_node n = {
        .op = Q_STORE, .sub = raw->sub, .type = raw->type, .imm = raw->imm, .imm2 = place_of(q)};

    n.in[0] = address_of(q, address, &n.disp);
    n.in[1] = stored_node(q, raw->sub, v);
    append_addend(q, raw, true);
    q->trace->changed = true;
    q_append(q, n);
}

/* The node of an argument; integers of less than 32 bits are extended, as some compilers expect. */
static uint32_t argument_node(struct quick *q, jit_type t, q_value v)
{
    t &= ~JIT_REF;
    if (q_in_vector(t))
        return q_vector(q, v);
    return q_bits(t) < 32 ? q_extended(q, v, q_base(t) == JIT_SINT) : q_general(q, v);
}

static q_value append_call(struct commit *c, const struct raw *raw)
{
    struct quick *q = c->q;
    struct q_call call = {.callee = raw->callee};
    unsigned general = 0, vectors = 0, refs = 0;
    q_value args[JIT_MAX_PARAMS] = {0}, known;

    for (unsigned n = 0; n < raw->count && n < JIT_MAX_PARAMS; n++) {
        q_value v = c->d->lists.data[raw->imm + n];

        args[n] = v ? commit_value(c, v) : 0;
    }
    known = q_known_call(q, raw->callee, args);
    if (known)
        return known;
    if (!(raw->callee->flags & JIT_CALL_PURE) ||
        (raw->callee->flags & (JIT_CALL_CPU | JIT_CALL_INSN)) || raw->count > JIT_MAX_PARAMS)
        q_refuse(q, "a call that looks at the guest");
    for (unsigned n = 0; n < raw->count && n < JIT_MAX_PARAMS; n++) {
        jit_type t = raw->callee->params[n];

        call.args[n] = args[n] ? argument_node(q, t, args[n]) : Q_NONE;
        refs += (t & JIT_REF) != 0;
        *((t & JIT_REF) || !q_in_vector(t) ? &general : &vectors) += 1;
        if (q_in_vector(t & ~JIT_REF) && q_bits(t & ~JIT_REF) > 128)
            q_refuse(q, "a call with wide vectors");
    }
    if (general > (unsigned)q_target.argument_count + Q_STACK_ARGS ||
        vectors > q_target.vector_arguments || refs > 8 || q_bits(raw->callee->result) > 128 ||
        raw->callee->result == JIT_U128 || raw->callee->result == JIT_S128)
        q_refuse(q, "a call with too many parameters");
    vec_push(&q->calls, call);
    return q_value_of(q_append(q, (struct q_node){.op = Q_CALL, .imm = q->calls.len - 1}), JIT_U8);
}

static q_value append_result(struct quick *q, const struct raw *raw, q_value call)
{
    struct q_node n = {.op = Q_RESULT,
                       .type = raw->type,
                       .result = raw->type,
                       .imm = raw->imm,
                       .in = {q_number(call)}};

    if (q_node(q, n.in[0])->op == Q_CRYPTO) /* its halves are variables 1 and 2 */
        return q_extract(q, q_node(q, n.in[0])->type, call, (unsigned)raw->imm - 1);
    n.known = raw->imm && q_bits(raw->type) < 64 ? (uint8_t)q_bits(raw->type) : 64;
    return q_value_of(q_append(q, n), raw->type);
}

static q_value append_build(struct commit *c, const struct raw *raw)
{
    q_value lanes[128];

    for (unsigned n = 0; n < raw->count && n < 128; n++)
        lanes[n] = commit_value(c, c->d->lists.data[raw->imm + n]);
    return q_vector_of(c->q, raw->type, lanes);
}

/* An operation that only computes. */
static q_value append_operation(struct commit *c, const struct raw *raw)
{
    const struct operands o = {raw->a ? commit_value(c, raw->a) : 0,
                               raw->b ? commit_value(c, raw->b) : 0,
                               raw->c ? commit_value(c, raw->c) : 0};

    return q_operation(c->q, raw, &o);
}

static void set_mode(struct commit *c, q_value mode)
{
    uint64_t number;

    if (q_is_const(c->q, q_number(mode), &number))
        c->mode = (uint8_t)number;
    else
        q_refuse(c->q, "a mode that is not fixed");
}

static q_value append_raw(struct commit *c, const struct raw *raw)
{
    struct quick *q = c->q;
    q_value a = raw->a ? commit_value(c, raw->a) : 0, b = raw->b ? commit_value(c, raw->b) : 0;

    switch (raw->op) {
    case RAW_BUILD:
        return append_build(c, raw);
    case RAW_READ:
        return q_read_register(q, raw->type, raw->imm);
    case RAW_WRITE:
        q_write_register(q, raw->imm, a);
        return 0;
    case Q_CPU_MEMBER:
        return q_value_of(q_append(q, (struct q_node){.op = Q_CPU_MEMBER,
                                                      .type = raw->type,
                                                      .result = raw->type,
                                                      .imm = raw->imm,
                                                      .known = (uint8_t)q_bits(raw->type)}),
                          raw->type);
    case Q_PC:
        return q_value_of(q_number(q_address(q, (int64_t)raw->imm)), raw->type);
    case Q_LOAD:
        return append_load(q, raw, a);
    case Q_STORE:
        append_store(q, raw, a, b);
        return 0;
    case RAW_INEXACT:
        q->code->inexact = q->traps;
        return 0;
    case RAW_NANS:
        q->record->traps |= JIT_TRAP_NAN;
        return 0;
    case RAW_MODE:
        set_mode(c, a);
        return 0;
    case RAW_CALL:
        return append_call(c, raw);
    case Q_RESULT:
        return append_result(q, raw, a);
    default:
        return append_operation(c, raw);
    }
}

/* Appends the trap of an operation of floats, unless it has one. */
static void append_trap(struct quick *q, q_value v)
{
    uint32_t at = q_number(v);
    const struct q_node *n = q_node(q, at), *next = at + 1 < q->nodes.len ? n + 1 : NULL;
    uint8_t kinds = 0;

    if (q->trace->refused || !q_may_trap(n))
        return;
    if (q_base(n->result) == JIT_FLOAT)
        kinds = q->record->traps;
    if (next && next->op == Q_TRAP && next->in[0] == at && !(kinds & ~next->sub))
        return;
    if (q->trace->changed)
        q_refuse(q, "an operation of floats after something was changed");
    q_append(q, (struct q_node){
                    .op = Q_TRAP,
                    .sub = kinds,
                    .type = n->type,
                    .imm = commit_add_side_exit(q, (struct q_side_exit){.kind = Q_TO_HANDLER}),
                    .in = {at}});
}

/* Whether a comparison just before, of the same operands, traps wherever this one does. */
static bool has_trapped(const struct quick *q, const struct q_node *n)
{
    enum { BACK = 4 };
    uint32_t end = q->nodes.len, first = end > BACK ? end - BACK : 1;

    for (uint32_t at = first; at < end && n->sub > JIT_NE; at++) {
        const struct q_node *trap = &q->nodes.data[at], *before = &q->nodes.data[trap->in[0]];

        if (trap->op == Q_TRAP && before->op == Q_BINARY && before->type == n->type &&
            before->sub >= JIT_LT && before->sub <= JIT_GE &&
            ((before->in[0] == n->in[0] && before->in[1] == n->in[1]) ||
             (before->in[0] == n->in[1] && before->in[1] == n->in[0])))
            return true;
    }
    return false;
}

/*
 * Appends the trap of a comparison of floats; returns the comparison's value. LT, LE, GT and GE
 * trap for each NaN, so behind their traps the operands are ordered. A comparison of operands that
 * an LT has compared needs no trap. Where the value is ordered, only its trap needs the first node.
 * A value that is ordered with itself equals itself, so such a comparison is a test alone.
 */
static q_value trap_comparison(struct quick *q, q_value v)
{
    const struct q_node n = *q_node(q, q_number(v));
    struct q_node ordered = {.op = Q_BINARY,
                             .sub = n.sub,
                             .type = n.type | Q_ORDERED,
                             .result = JIT_U64,
                             .known = 1,
                             .in = {n.in[0], n.in[1]}};
    struct q_node less = ordered;
    uint64_t all = q_lanes(n.type) > 1 ? UINT64_MAX : 1;
    bool can = q_is_float_scalar(n.type) && q_target.can_select(q, &ordered), known;

    less.sub = JIT_LT;
    known = can && q_find(q, &less);
    if (!known && !has_trapped(q, &n))
        append_trap(q, v);
    if (n.in[0] == n.in[1] && n.sub > JIT_NE)
        return q_constant(q, q_type(v), n.sub == JIT_LT || n.sub == JIT_GT ? 0 : all);
    if (!can || (!known && n.sub <= JIT_NE))
        return v;
    return q_value_of(q_share(q, ordered), JIT_U8);
}

/* Whether it computes: the value of any other is what an instruction before has computed. */
static bool computes(const struct raw *raw)
{
    return raw->op == Q_UNARY || raw->op == Q_BINARY || raw->op == Q_FMA || raw->op == Q_CONVERT;
}

q_value commit_raw(struct commit *c, const struct raw *raw)
{
    q_value v = append_raw(c, raw);

    if (!c->q->traps || !v || !computes(raw))
        return v;
    if (q_is_comparison(q_node(c->q, q_number(v))) && q_may_trap(q_node(c->q, q_number(v))))
        return trap_comparison(c->q, v);
    append_trap(c->q, v);
    return v;
}

bool commit_has_value(const struct commit *c, q_value raw)
{
    return !raw || c->value[q_number(raw)];
}
