/*
 * Live nodes and their next uses, in one pass from the end of the trace to its start.
 *
 * The value of a guest register is live up to exits that come before its next write. Flags that
 * only exits need are not computed where they are set: their operands are kept until the last exit
 * that needs them.
 */
#include "runtime/base/alloc.h"
#include "runtime/jit/quick/emit.h"
#include "runtime/jit/quick/simplify.h"
#include "runtime/jit/quick/target.h"

enum {
    MAX_DEPTH = 8,    /* levels of expressions that exits compute */
    CHOICE_LEVELS = 4 /* of those that choose one of two constants (where.c) */
};

struct liveness {
    struct quick *q;
    uint32_t *next;        /* by node: its next use behind the pass's position */
    uint32_t *exits_seen;  /* by slot: number of exits behind its next write */
    VEC(uint32_t) exits;   /* nodes with exits, from the last one */
    uint32_t others;       /* number of exits that are no accesses of flat memory */
    uint32_t *others_seen; /* by slot: their number behind its next write */
    uint32_t codes;        /* number of exits whose code stores the guest's registers */
    uint32_t *codes_seen;  /* by slot: their number behind its next write */
    uint32_t *last;        /* by node: its last use, or Q_NONE */
};

static bool is_exit(const struct quick *q, const struct q_node *n)
{
    switch (n->op) {
    case Q_LOAD:
    case Q_STORE: /* not if it is served by an ADDEND that leaves the trace itself */
        return q->flat || n->when || !n->in[3] || !q->nodes.data[n->in[3]].when;
    case Q_ADDEND:
        return n->when && n->flags & QF_LIVE;
    case Q_GUARD:
    case Q_GUARD_TEST:
    case Q_TRAP:
    case Q_PAGE:
    case Q_EXIT:
    case Q_HANDLER:
        return true;
    case Q_HEAD:
        return n->imm != 0 && n->disp;
    default:
        return false;
    }
}

/* Whether the trace is left at the node for C only, which stores what a bridge owes before the
 * guest's registers are used: by a fault of flat memory, and where the trace deoptimises. */
static bool leaves_for_c(const struct quick *q, const struct q_node *n)
{
    switch (n->op) {
    case Q_LOAD:
    case Q_STORE:
        return q->flat;
    case Q_GUARD:
    case Q_GUARD_TEST:
    case Q_TRAP:
        return q->flat && q->side_exits.data[n->imm].kind == Q_TO_HANDLER;
    default:
        return false;
    }
}

/* Whether the exit's own code stores the guest's registers. All other exits call C, which reads the
 * side tables, and can compute any expression of integers. */
static bool leaves_by_code(const struct quick *q, const struct q_node *n)
{
    switch (n->op) {
    case Q_GUARD:
    case Q_GUARD_TEST:
        return q->side_exits.data[n->imm].kind != Q_TO_HANDLER;
    case Q_PAGE:
    case Q_EXIT:
    case Q_HANDLER:
        return true;
    default:
        return false;
    }
}

/* A load whose value nobody needs may fault, too. */
static bool is_root(const struct quick *q, const struct q_node *n)
{
    return is_exit(q, n) || n->op == Q_LOAD || n->op == Q_STORE || n->op == Q_HEAD ||
           n->op == Q_REFUND;
}

/* Whether the node is a float in another form, as guest registers have it: with zeros above, or as
 * an integer; or the high half of what two registers get. */
static bool is_copy(const struct quick *q, const struct q_node *n)
{
    const struct q_node *of = &q->nodes.data[n->in[0]];

    if (n->op == Q_EXTRACT)
        return of->flags & QF_HALVES;
    return (n->op == Q_LOW || (n->op == Q_BITCAST && !q_in_vector(n->result))) &&
           q_in_vector(of->result) && of->op != Q_LOW;
}

/* Whether exits can compute the node (trap.c, exits.c). */
static bool can_be_cold(const struct quick *q, const struct q_node *n)
{
    uint64_t value[2];

    if (is_copy(q, n))
        return true;
    if (q_in_vector(n->result))
        return false;
    switch (n->op) {
    case Q_SELECT:
        return q_is_choice(q, n, value);
    case Q_BINARY:
        return !q_in_vector(n->type) &&
               (n->sub >= JIT_EQ || n->sub == JIT_AND || n->sub == JIT_OR || n->sub == JIT_XOR ||
                n->sub == JIT_ADD || n->sub == JIT_SUB);
    case Q_ZEXT:
    case Q_SEXT:
        return true;
    default:
        return false;
    }
}

/* Whether C computes the node at exits that call it: sums that accesses have in their addresses,
 * and shifts, such as the parts of a rotation. Other operations are cheaper than operands that are
 * kept for longer. A host's shift uses the low bits of its amount only, unlike C. */
static bool can_wait_for_c(const struct quick *q, const struct q_node *n)
{
    uint64_t by;

    if (q_in_vector(n->result) || q_in_vector(n->type))
        return false;
    if (n->op == Q_BINARY && n->sub >= JIT_SHL && n->sub <= JIT_ROR)
        return q_is_const(q, n->in[1], &by);
    return n->op == Q_SCALED ||
           (n->op == Q_BINARY && n->sub == JIT_ADD && !q_is_const(q, n->in[1], &by));
}

/* Whether the exits up to n->keep need at most one further value if they compute this one. */
static bool is_light(const struct liveness *l, const struct q_node *n)
{
    unsigned further = 0;
    uint64_t value;

    for (unsigned k = 0; k < 2; k++)
        further += n->in[k] && !q_is_const(l->q, n->in[k], &value) && l->last[n->in[k]] < n->keep &&
                   l->q->nodes.data[n->in[k]].keep < n->keep;
    return further <= 1;
}

/* Whether the node is a flag of one bit, or the target of a branch, which few exits need; or a
 * result of 32 bits as a wider guest register has it, with its sign, zeros or ones above. A load
 * extends its value at no cost. */
static bool is_flag(const struct quick *q, const struct q_node *n)
{
    uint64_t c;

    if ((n->op == Q_SEXT || n->op == Q_ZEXT) && n->imm == 32)
        return q->nodes.data[n->in[0]].op != Q_LOAD;
    if (n->op == Q_BINARY && n->sub == JIT_OR && n->type == JIT_U64)
        return q_is_const(q, n->in[1], &c) && c == UINT64_MAX << 32;
    return (n->known <= 1 || n->op == Q_SELECT) && can_be_cold(q, n);
}

static void note_use(struct liveness *l, uint32_t at, uint32_t operand, uint32_t *next)
{
    *next = l->next[operand];
    l->next[operand] = at;
    if (!l->last[operand])
        l->last[operand] = at;
    q_node(l->q, operand)->flags |= QF_LIVE;
}

static void use_operands(struct liveness *l, uint32_t at)
{
    struct q_node *n = q_node(l->q, at);

    for (unsigned k = 0; k < 4; k++) {
        if (n->in[k])
            note_use(l, at, n->in[k], &n->next_in[k]);
    }
    if (n->op == Q_CALL) {
        struct q_call *call = &l->q->calls.data[n->imm];

        for (unsigned k = 0; k < call->callee->count; k++) {
            if (call->args[k])
                note_use(l, at, call->args[k], &call->next[k]);
        }
    }
}

/* `by_code`: exits whose code computes the value are among them. */
static void keep_for_exits(struct quick *q, uint32_t node, uint32_t until, uint8_t depth,
                           bool by_code)
{
    struct q_node *n = q_node(q, node);

    n->by_code |= by_code;
    if (node && n->keep < until)
        n->keep = until;
    if (n->depth < depth)
        n->depth = depth;
}

/* Turns an AND with a complement that nothing else needs into an AND of the complement's
 * operand. */
static void fold_complement(struct quick *q, struct q_node *n)
{
    uint64_t value;

    for (unsigned k = 0; k < 2; k++) {
        const struct q_node *x = q_node(q, n->in[k]);

        if (x->op != Q_UNARY || x->sub != JIT_NOT || x->flags & QF_LIVE || x->keep ||
            q_in_vector(x->type) || q_bits(x->type) < q_bits(n->type) ||
            q_is_const(q, n->in[!k], &value))
            continue;
        n->sub = Q_WITHOUT;
        n->in[0] = n->in[!k];
        n->in[1] = x->in[0];
        return;
    }
}

/* Whether a constant is part of an access's displacement, so that it needs no register. */
static bool is_displacement(const struct quick *q, uint32_t node)
{
    uint64_t value;

    return q_is_const(q, node, &value) && (int64_t)value == (int32_t)value;
}

/* Folds an addition that only accesses use into their addresses. */
static void fold_address(struct quick *q, struct q_node *n)
{
    const struct q_node *a = q_node(q, n->in[0]);

    if (!q->base_is_near || n->when || a->flags & QF_LIVE || q_bits(a->type) != 64 ||
        !(a->op == Q_SCALED || (a->op == Q_BINARY && a->sub == JIT_ADD)))
        return;
    if (is_displacement(q, a->in[1]))
        return;
    n->in[0] = a->in[0];
    n->in[2] = a->in[1];
    n->scale = a->op == Q_SCALED ? (uint8_t)a->imm : 0;
}

/* Lets an access that looks itself up add the constant of an addition that nothing else needs. */
static void fold_offset(struct quick *q, struct q_node *n)
{
    if (q->flat || n->when || n->in[3] || !q_target.select_addend ||
        q_node(q, n->in[0])->flags & QF_LIVE)
        return;
    n->in[0] = q_split_address(q, n->in[0], &n->disp);
}

static void visit_write(struct liveness *l, uint32_t at)
{
    struct q_node *n = q_node(l->q, at);
    const struct q_node *value = q_node(l->q, n->in[0]);
    uint32_t seen = l->exits_seen[n->imm];
    bool by_code = l->codes_seen[n->imm] != l->codes;

    l->exits_seen[n->imm] = (uint32_t)l->exits.len;
    l->q->lives[n->imm] = Q_WRITTEN;
    l->q->first_write[n->imm] = at;
    l->others_seen[n->imm] = l->others;
    l->codes_seen[n->imm] = l->codes;
    if (l->exits.len == seen) { /* written again before any exit */
        n->op = Q_NOP;
        return;
    }
    n->flags |= QF_LIVE;
    if (is_flag(l->q, value) || is_copy(l->q, value) || (!by_code && can_wait_for_c(l->q, value)))
        keep_for_exits(l->q, n->in[0], l->exits.data[seen], 0, by_code);
    else
        note_use(l, at, n->in[0], &n->next_in[0]);
}

/* Whether the node extends a value that nothing else needs. Then the trace has either of the two,
 * and exits store the extended one as it is. */
static bool extends_alone(const struct quick *q, const struct q_node *n)
{
    return (n->op == Q_SEXT || n->op == Q_ZEXT) && n->known > 1 &&
           !(q->nodes.data[n->in[0]].flags & QF_LIVE);
}

/* Decides whether a value that only exits need is computed there. */
static void visit_kept(struct liveness *l, struct q_node *n)
{
    unsigned levels = n->op == Q_SELECT ? CHOICE_LEVELS : 1;
    bool cold = n->by_code ? can_be_cold(l->q, n) && !extends_alone(l->q, n)
                           : can_be_cold(l->q, n) || (can_wait_for_c(l->q, n) && is_light(l, n));

    n->flags |= cold && n->depth < MAX_DEPTH ? QF_COLD : QF_LIVE;
    for (unsigned k = 0; k < 4 && n->flags & QF_COLD; k++)
        keep_for_exits(l->q, n->in[k], n->keep, (uint8_t)(n->depth + levels), n->by_code);
}

static void visit_node(struct liveness *l, uint32_t at)
{
    struct q_node *n = q_node(l->q, at);

    if (n->op == Q_WRITE) {
        visit_write(l, at);
        return;
    }
    if (is_root(l->q, n))
        n->flags |= QF_LIVE;
    if (is_exit(l->q, n))
        vec_push(&l->exits, at);
    l->others += is_exit(l->q, n) && !leaves_for_c(l->q, n);
    l->codes += leaves_by_code(l->q, n);
    if (n->op == Q_HEAD && n->imm2)
        keep_for_exits(l->q, (uint32_t)n->imm2, at, 0, true);
    if (!(n->flags & QF_LIVE) && n->keep)
        visit_kept(l, n);
    if (n->flags & QF_COLD)
        return;
    if (n->flags & QF_LIVE) {
        if (n->op == Q_LOAD || n->op == Q_STORE) {
            fold_address(l->q, n);
            fold_offset(l->q, n);
        }
        if (n->op == Q_BINARY && n->sub == JIT_AND && !q_in_vector(n->type))
            fold_complement(l->q, n);
        n->next = l->next[at];
        use_operands(l, at);
    } else {
        n->op = Q_NOP;
    }
}

void q_liveness(struct quick *q)
{
    struct liveness l = {.q = q};
    size_t slots = q->map->slots.len;

    q->next_use = xrealloc(q->next_use, q->nodes.len, sizeof(*l.next));
    l.next = q->next_use;
    l.exits_seen = xcalloc(slots + 1, sizeof(*l.exits_seen));
    l.others_seen = xcalloc(slots + 1, sizeof(*l.others_seen));
    l.codes_seen = xcalloc(slots + 1, sizeof(*l.codes_seen));
    l.last = xcalloc(q->nodes.len, sizeof(*l.last));
    q->first_write = xrealloc(q->first_write, slots + 1, sizeof(*q->first_write));
    q->lives = xrealloc(q->lives, slots + 1, 1);
    memset(q->lives, 0, slots + 1);
    for (size_t n = 0; n < q->nodes.len; n++)
        l.next[n] = Q_NEVER;
    for (uint32_t n = (uint32_t)q->nodes.len; n-- > 1;)
        visit_node(&l, n);
    for (size_t n = 0; n < slots; n++) {
        if (q->lives[n] && l.exits_seen[n] == l.exits.len)
            q->lives[n] |= Q_LOST;
        else if (q->lives[n] && l.others_seen[n] == l.others)
            q->lives[n] |= Q_LATE;
    }
    free(l.last);
    free(l.codes_seen);
    free(l.others_seen);
    free(l.exits_seen);
    vec_free(&l.exits);
}
