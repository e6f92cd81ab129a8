/*
 * From a recorded instruction to nodes of the trace: one way through its blocks is appended, the
 * others leave.
 *
 * Where ways part, the cheaper one is the usual one: what calls a C function is rare. A rare way is
 * not translated: the guard leaves the trace before the instruction, and its handler does all of it.
 * That is right as long as nothing has been changed by then.
 */
#include "runtime/jit/quick/commit_internal.h"
#include "runtime/jit/quick/target.h"

enum {
    MAX_WAY = 64, /* blocks of one instruction */
    USUAL_ODDS = BLOCK_ALWAYS * 7 / 8,
};

/* ---- values ---------------------------------------------------------------------------------- */

q_value commit_value(const struct commit *c, q_value raw)
{
    return q_value_of(q_number(c->value[q_number(raw)]), q_type(raw));
}

/* The guest instruction, for sites. */
static uint64_t place_of(const struct quick *q)
{
    return (uint64_t)q->record->source << 16 | q->record->index;
}

/* The node of an address; of flat memory, what it adds that is fixed goes to the access. */
static uint32_t address_of(struct quick *q, q_value address, int32_t *disp)
{
    uint32_t n = q_extended(q, address, false);
    const struct q_node *node = q_node(q, n);
    uint64_t c;

    *disp = 0;
    if (!q->flat || node->op != Q_BINARY || node->sub != JIT_ADD || q_bits(node->type) != 64 ||
        !q_is_const(q, node->in[1], &c) || c + Q_MAX_DISP > 2 * (uint64_t)Q_MAX_DISP)
        return n;
    *disp = (int32_t)c;
    return node->in[0];
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
    return q_value_of(q_append(q, n), t);
}

static void append_store(struct quick *q, const struct raw *raw, q_value address, q_value v)
{
    struct q_node n = {
        .op = Q_STORE, .sub = raw->sub, .type = raw->type, .imm = raw->imm, .imm2 = place_of(q)};

    n.in[0] = address_of(q, address, &n.disp);
    n.in[1] = raw->sub > 8 ? q_vector(q, v) : raw->sub < 4 ? q_general(q, v) : q_number(v);
    q->trace->changed = true;
    q_append(q, n);
}

/* Integers of less than 32 bits are extended, as some compilers expect. */
static uint32_t argument(struct quick *q, jit_type t, q_value v)
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

    if (!(raw->callee->flags & JIT_CALL_PURE) ||
        (raw->callee->flags & (JIT_CALL_CPU | JIT_CALL_INSN)) || raw->count > JIT_MAX_PARAMS)
        q_refuse(q, "a call that looks at the guest");
    for (unsigned n = 0; n < raw->count; n++) {
        jit_type t = raw->callee->params[n];
        q_value v = c->d->lists.data[raw->imm + n];

        call.args[n] = v ? argument(q, t, commit_value(c, v)) : Q_NONE;
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

    n.known = raw->imm && q_bits(raw->type) < 64 ? (uint8_t)q_bits(raw->type) : 64;
    return q_value_of(q_append(q, n), raw->type);
}

static q_value build(struct commit *c, const struct raw *raw)
{
    q_value lanes[128];

    for (unsigned n = 0; n < raw->count && n < 128; n++)
        lanes[n] = commit_value(c, c->d->lists.data[raw->imm + n]);
    return q_build(c->q, raw->type, lanes);
}

static void set_mode(struct commit *c, q_value mode)
{
    uint64_t number;

    if (q_is_const(c->q, q_number(mode), &number))
        c->mode = (uint8_t)number;
    else
        q_refuse(c->q, "a mode that is not fixed");
}

q_value commit_raw(struct commit *c, const struct raw *raw)
{
    struct quick *q = c->q;
    q_value a = raw->a ? commit_value(c, raw->a) : 0, b = raw->b ? commit_value(c, raw->b) : 0;

    switch (raw->op) {
    case Q_CONST:
        if (!raw->sub)
            return q_constant(q, raw->type, raw->imm);
        return q_wide_constant(q, raw->type, raw->imm, raw->imm2);
    case Q_UNARY:
        return q_unary(q, raw->sub, raw->type, a);
    case Q_BINARY:
        return q_binary(q, raw->sub, raw->type, a, b);
    case Q_FMA:
        return q_fma(q, raw->type, a, b, commit_value(c, raw->c));
    case RAW_SELECT:
        return q_select(q, a, b, commit_value(c, raw->c));
    case Q_CONVERT:
        return q_convert(q, raw->type, raw->from, a);
    case Q_BITCAST:
        return q_bitcast(q, raw->type, a);
    case Q_SPLAT:
        return q_splat(q, raw->type, a);
    case RAW_BUILD:
        return build(c, raw);
    case Q_EXTRACT:
        return q_extract(q, raw->type, a, (unsigned)raw->imm);
    case Q_INSERT:
        return q_insert(q, raw->type, a, (unsigned)raw->imm, b);
    case Q_CONCAT:
        return q_concat(q, raw->type, a, b);
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
    case RAW_MODE:
        set_mode(c, a);
        return 0;
    case RAW_CALL:
        return append_call(c, raw);
    case Q_RESULT:
        return append_result(q, raw, a);
    default:
        q_refuse(q, "an operation that is not known");
        return 0;
    }
}

bool commit_has_value(const struct commit *c, q_value raw)
{
    return !raw || c->value[q_number(raw)];
}

static void append_block(struct commit *c, const struct raw_block *b)
{
    for (uint32_t n = b->first; n < b->end && !c->q->trace->refused; n++) {
        const struct raw *raw = &c->d->raws.data[n];

        if (raw->op == RAW_PHI)
            continue;
        if (!commit_has_value(c, raw->a) || !commit_has_value(c, raw->b) ||
            !commit_has_value(c, raw->c)) {
            q_refuse(c->q, "a value of another way");
            return;
        }
        c->value[n] = commit_raw(c, raw);
        if (raw->op == Q_LOAD)
            c->q->trace->changed = true;
    }
    if (b->pc && !c->q->trace->refused)
        c->pc = commit_value(c, b->pc);
}

/* ---- ways ------------------------------------------------------------------------------------ */

/* The phis of a block that is entered from another one. */
static void enter_block(struct commit *c, uint32_t from, uint32_t to)
{
    for (size_t n = 0; n < c->d->phi_ins.len; n++) {
        const struct raw_phi_in *in = &c->d->phi_ins.data[n];

        if (in->from != from || c->d->raws.data[in->phi].block != to)
            continue;
        if (!commit_has_value(c, in->value)) {
            q_refuse(c->q, "a value of another way");
            return;
        }
        c->value[in->phi] = commit_value(c, in->value);
    }
}

static uint32_t add_way(struct quick *q, struct q_way way)
{
    way.source = (uint16_t)q->record->source;
    way.index = (uint16_t)q->record->index;
    way.all_ways = q->record->all_ways;
    vec_push(&q->ways, way);
    return (uint32_t)q->ways.len - 1;
}

/* What a guard has shown already holds as long as the trace goes on. */
static bool is_shown(const struct quick_trace *t, const struct q_fact *f)
{
    for (size_t n = 0; n < t->facts.len; n++) {
        const struct q_fact *g = &t->facts.data[n];

        if (g->op == f->op && g->sub == f->sub && g->type == f->type && g->a == f->a &&
            g->b == f->b)
            return true;
    }
    return false;
}

static struct q_fact fact_of(const struct q_condition *cond, bool expected)
{
    return (struct q_fact){.op = cond->test ? Q_GUARD_TEST : Q_GUARD,
                           .sub = (uint8_t)(expected ? cond->sub : q_inverse(cond->sub)),
                           .type = cond->type,
                           .a = cond->a,
                           .b = cond->b};
}

bool commit_knows(const struct commit *c, const struct q_condition *cond, bool *value)
{
    struct q_fact yes = fact_of(cond, true), no = fact_of(cond, false);

    *value = is_shown(c->q->trace, &yes);
    return *value || is_shown(c->q->trace, &no);
}

static void append_guard(struct commit *c, const struct q_condition *cond, bool expected,
                         struct q_way way)
{
    struct quick *q = c->q;
    struct q_fact fact = fact_of(cond, expected);

    if (is_shown(q->trace, &fact))
        return;
    if (way.kind == Q_TO_HANDLER && q->trace->changed)
        q_refuse(q, "ways part after something was changed");
    vec_push(&q->trace->facts, fact);
    q_append(q, (struct q_node){.op = fact.op,
                                .sub = fact.sub,
                                .type = fact.type,
                                .imm = add_way(q, way),
                                .in = {fact.a, fact.b, way.address}});
}

/* A condition that is 1 minus another one is expected by that. */
static bool is_opposite(const struct quick *q, const struct q_node *n)
{
    uint64_t bits;

    return n->op == Q_BINARY && !q_in_vector(n->type) && q->nodes.data[n->in[0]].known <= 1 &&
           q_is_const(q, n->in[1], &bits) &&
           ((n->sub == JIT_XOR && bits == 1) || (n->sub == JIT_EQ && !bits));
}

/* Of two conditions, both are expected, or neither is. */
static bool are_two(const struct quick *q, const struct q_node *n, bool expected)
{
    return n->op == Q_BINARY && n->sub == (expected ? JIT_AND : JIT_OR) && !q_in_vector(n->type) &&
           q->nodes.data[n->in[0]].known <= 1 && q->nodes.data[n->in[1]].known <= 1;
}

/* Whether the guest does mostly the same at the end of this block. Two branches of the host are less to do
 * then; else each of them is guessed wrongly. */
static bool is_usual(const struct commit *c)
{
    const struct source *s = &c->q->r->sources[c->d->source];

    return !c->d->last || block_odds(s->block) >= USUAL_ODDS;
}

void commit_expect(struct commit *c, q_value v, bool expected, struct q_way way)
{
    const struct q_node n = *q_node(c->q, q_number(v));
    struct q_condition cond;
    bool value;

    if (is_opposite(c->q, &n)) {
        commit_expect(c, q_value_of(n.in[0], JIT_U8), !expected, way);
        return;
    }
    if (are_two(c->q, &n, expected) && (way.kind == Q_TO_HANDLER || is_usual(c))) {
        commit_expect(c, q_value_of(n.in[0], JIT_U8), expected, way);
        commit_expect(c, q_value_of(n.in[1], JIT_U8), expected, way);
        return;
    }
    if (q_condition_of(c->q, v, &cond, &value))
        append_guard(c, &cond, expected, way);
    else if (value != expected)
        q_refuse(c->q, "a way that is never gone");
}

/* The distance a PC stands for, if it is known. */
static bool known_delta(const struct quick *q, q_value pc, int64_t *delta)
{
    const struct q_node *n = &q->nodes.data[q_number(pc)];

    *delta = (int64_t)(n->imm - (q->flat ? q->r->pc : 0));
    return n->op == (q->flat ? Q_CONST : Q_PC) && !n->sub;
}

/* The end of a way that has written `pc`, if that is not 0. */
static struct commit_end end_at(const struct commit *c, q_value pc)
{
    const struct source *s = &c->q->r->sources[c->d->source];
    struct commit_end end = {.delta = s->delta + s->bytes, .value = pc, .mode = c->mode};

    end.known = c->mode == Q_SAME_MODE && (!pc || known_delta(c->q, pc, &end.delta));
    return end;
}

/* Whether a block computes nothing but where the guest goes on, from values that are known here. */
static bool only_leads(const struct commit *c, const struct raw_block *b)
{
    for (uint32_t n = b->first; n < b->end; n++) {
        const struct raw *raw = &c->d->raws.data[n];

        if (raw->op == RAW_PHI)
            continue;
        if (raw->op != Q_CONST && raw->op != Q_PC && raw->op != Q_BINARY && raw->op != RAW_MODE)
            return false;
        /* Values of this block come before those that use them. */
        if ((q_number(raw->a) < b->first && !commit_has_value(c, raw->a)) ||
            (q_number(raw->b) < b->first && !commit_has_value(c, raw->b)))
            return false;
    }
    return true;
}

/*
 * If a block, and what follows it without parting, only says where the guest goes on: that. `pc` is
 * what was written before.
 */
static bool leads_to(struct commit *c, uint32_t block, q_value pc, struct commit_end *end)
{
    for (unsigned steps = 0; steps < MAX_WAY; steps++) {
        const struct raw_block *b = &c->d->blocks.data[block];

        if (!only_leads(c, b))
            return false;
        append_block(c, b);
        if (c->q->trace->refused)
            return false;
        if (b->pc)
            pc = commit_value(c, b->pc);
        if (b->how == RAW_DONE) {
            *end = end_at(c, pc);
            return true;
        }
        if (b->how != RAW_GOTO)
            return false;
        enter_block(c, block, b->to[0]);
        block = b->to[0];
    }
    return false;
}

struct q_way q_way_of_end(struct quick *q, const struct commit_end *end)
{
    bool same = end->mode == Q_SAME_MODE;
    q_value to = end->value ? end->value : q_address(q, end->delta);

    return (struct q_way){.kind = same ? Q_TO_VALUE : Q_TO_MODE,
                          .address = q_extended(q, to, false),
                          .mode = same ? 0 : (uint8_t)end->mode};
}

static bool leads(struct commit *c, uint32_t block, struct commit_end *end)
{
    q_value pc = c->pc;
    int mode = c->mode;
    bool does = leads_to(c, block, pc, end);

    c->pc = pc; /* what one way writes is not what the other has */
    c->mode = mode;
    return does;
}

/* One way only says where the guest goes on, as that of a condition that does not hold: whether the
 * trace goes the other one. */
static bool choose_other(const struct commit *c, const struct raw_block *b, unsigned plain,
                         const struct commit_end *end, unsigned *to, struct q_way *other)
{
    if (!end->known || c->d->blocks.data[b->to[!plain]].cost >= RAW_CALL_COST ||
        (c->next && *c->next == end->delta && !c->d->all_ways))
        return false;
    *to = !plain;
    *other = (struct q_way){.kind = Q_TO_KNOWN, .delta = end->delta};
    return true;
}

/* Both ways of a branch that ends the guest block: the one to go on with, and the other, which leaves.
 * Of those that do not both lead to known addresses the trace does not go where the mode changes. */
static bool choose_target(struct commit *c, const struct raw_block *b, unsigned *to,
                          struct q_way *other)
{
    struct commit_end ends[2];
    bool either[2];

    for (unsigned k = 0; k < 2; k++) {
        either[k] = leads(c, b->to[k], &ends[k]);
        if (c->q->trace->refused)
            return false;
    }
    if (!either[0] || !either[1])
        return either[0] != either[1] && choose_other(c, b, either[1], &ends[either[1]], to, other);
    if (ends[0].known && ends[1].known)
        *to = c->next && ends[0].delta == *c->next ? 0 : 1;
    else
        *to = ends[0].mode != Q_SAME_MODE;
    if (ends[!*to].known)
        *other = (struct q_way){.kind = Q_TO_KNOWN, .delta = ends[!*to].delta};
    else
        *other = q_way_of_end(c->q, &ends[!*to]);
    return true;
}

static unsigned cheaper(const struct commit *c, const struct raw_block *b)
{
    return c->d->blocks.data[b->to[1]].cost < c->d->blocks.data[b->to[0]].cost;
}

/* Whether registers decide that the trace does not change, such as a rounding mode, or flags that add
 * up: a guard for the way that they ask for now is passed once, and serves all that follows. */
static bool steady_way(const struct commit *c, const struct raw_block *b,
                       const struct q_condition *cond, unsigned *to)
{
    uint64_t x, y;
    bool holds;

    if (c->q->trace->changed || !quick_value_now(c->q, cond->a, &x) ||
        !quick_value_now(c->q, cond->b, &y))
        return false;
    if (cond->test) {
        x &= y;
        y = 0;
    }
    holds = quick_evaluate(Q_BINARY, cond->sub, cond->type, 0, x, y, 0);
    *to = !holds;
    return c->d->blocks.data[b->to[*to]].cost < RAW_CALL_COST;
}

static bool is_merged(const struct commit *c, const struct merge *m)
{
    return c->d->all_ways || (m->weight <= CHEAP_MERGE && !m->leaves);
}

/* Whether merging is better than a guard that is passed once a trace, and may fail. */
static bool is_tiny(const struct commit *c, const struct merge *m)
{
    return m->changes || m->weight <= (c->d->all_ways ? SMALL_MERGE : TINY_MERGE);
}

/* ---- along the way --------------------------------------------------------------------------- */

/* The way on from a branch, after a guard against the other. */
static uint32_t follow_branch(struct commit *c, uint32_t at, bool *entered)
{
    const struct raw_block *b = &c->d->blocks.data[at];
    struct quick *q = c->q;
    struct merge merge;
    struct q_way other = {.kind = Q_TO_HANDLER};
    struct q_condition cond;
    unsigned to = 0; /* GCC at -O1 does not see that one of the three below sets it. */
    bool value, merges;

    if (b->to[0] == b->to[1])
        return b->to[0];
    if (!q_condition_of(q, commit_value(c, b->condition), &cond, &value) ||
        commit_knows(c, &cond, &value))
        return b->to[!value];
    if (!c->d->last || !choose_target(c, b, &to, &other)) {
        if (q->trace->refused)
            return b->to[0];
        merges = merge_plan(c, b, &merge) && is_merged(c, &merge);
        if ((merges && is_tiny(c, &merge)) || !steady_way(c, b, &cond, &to)) {
            if (merges) {
                *entered = true;
                merge_append(c, at, &merge);
                return merge.join;
            }
            to = cheaper(c, b);
        }
    }
    commit_expect(c, commit_value(c, b->condition), to == 0, other);
    return b->to[to];
}

static void walk(struct commit *c)
{
    uint32_t at = 0;

    for (unsigned steps = 0; steps < MAX_WAY; steps++) {
        const struct raw_block *b = &c->d->blocks.data[at];
        bool entered = false;
        uint32_t to;

        append_block(c, b);
        if (c->q->trace->refused || b->how == RAW_DONE)
            return;
        if (b->how == RAW_NOWHERE || b->cost >= 1 << 24) {
            q_refuse(c->q, "no way to the end");
            return;
        }
        to = b->how == RAW_BRANCH ? follow_branch(c, at, &entered) : b->to[0];
        if (c->q->trace->refused)
            return;
        if (!entered)
            enter_block(c, at, to);
        at = to;
    }
    q_refuse(c->q, "too long a way");
}

/* ---- the instruction ------------------------------------------------------------------------- */

static void take_back(struct commit *c)
{
    struct quick_trace *t = c->q->trace;

    for (size_t n = t->undo.len; n-- > 0;)
        t->now[t->undo.data[n].slot] = t->undo.data[n].old;
    memset(t->shared, 0, sizeof(t->shared));
    t->facts.len = c->undo_facts;
    c->q->nodes.len = c->undo_nodes;
    c->q->ways.len = c->undo_ways;
    c->q->calls.len = c->undo_calls;
}

/* The guest goes where the trace does not: leaves unless the address is the expected one. */
static void expect_value(struct commit *c, q_value pc)
{
    struct quick *q = c->q;
    uint32_t a = q_extended(q, pc, false);
    uint32_t b = q_number(q_address(q, *c->next));

    q_append(q, (struct q_node){.op = Q_GUARD,
                                .sub = JIT_EQ,
                                .type = JIT_U64,
                                .imm = add_way(q, (struct q_way){.kind = Q_TO_VALUE, .address = a}),
                                .in = {a, b, a}});
}

/* A branch need not be one of the behaviour: the address may be chosen of two that are known. The trace then
 * goes to one of them, and leaves for the other. */
static bool choose_address(struct commit *c, struct commit_end *end)
{
    const struct q_node n = *q_node(c->q, q_number(c->pc));
    const struct q_condition cond = {.sub = n.sub, .type = n.from, .a = n.in[2], .b = n.in[3]};
    int64_t deltas[2];
    unsigned to;
    bool holds;

    if (n.op != Q_SELECT)
        return false;
    for (unsigned k = 0; k < 2; k++)
        if (!known_delta(c->q, q_value_of(n.in[k], n.type), &deltas[k]))
            return false;
    if (commit_knows(c, &cond, &holds)) {
        to = !holds;
    } else {
        to = c->next && deltas[0] == *c->next ? 0 : 1;
        append_guard(c, &cond, to == 0, (struct q_way){.kind = Q_TO_KNOWN, .delta = deltas[!to]});
    }
    *end = end_at(c, q_value_of(n.in[to], n.type));
    return true;
}

static void find_end(struct commit *c, struct commit_end *end)
{
    *end = end_at(c, c->pc);
    if (end->known || end->mode != Q_SAME_MODE || choose_address(c, end))
        return;
    end->known = c->next != NULL;
    if (c->next) {
        expect_value(c, c->pc);
        end->delta = *c->next;
    }
}

/* Kept from instruction to instruction. */
static q_value *room_for_values(struct quick_record *d)
{
    if (d->raws.len > d->values_room) {
        d->values_room = 2 * d->raws.len;
        d->values = xrealloc(d->values, d->values_room, sizeof(*d->values));
    }
    return d->values;
}

bool commit_insn(struct quick *q, const int64_t *next, struct commit_end *end)
{
    struct commit c = {.q = q,
                       .d = q->record,
                       .next = next,
                       .mode = Q_SAME_MODE,
                       .undo_nodes = (uint32_t)q->nodes.len,
                       .undo_ways = (uint32_t)q->ways.len,
                       .undo_calls = (uint32_t)q->calls.len,
                       .undo_facts = (uint32_t)q->trace->facts.len};
    struct quick_trace *t = q->trace;

    t->undo.len = 0;
    t->changed = false;
    t->refused = q->record->refused;
    c.value = room_for_values(q->record);
    memset(c.value, 0, q->record->raws.len * sizeof(*c.value));
    if (!t->refused)
        walk(&c);
    if (!t->refused && q->record->last)
        find_end(&c, end);
    if (t->refused)
        take_back(&c);
    return !t->refused;
}
