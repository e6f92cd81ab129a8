/*
 * Extensions of 32 bits that no operation needs. RV64 has each result of 32 bits with its sign in a
 * register of 64, and mostly computes with the low half only: such operations read the value as it
 * was before the extension. If no other operation reads the extended one, only exits compute it.
 *
 * Runs behind the last simplification, since it looks at all that the trace does with a value.
 */
#include "runtime/base/alloc.h"
#include "runtime/jit/quick/emit.h"

enum {
    WIDE = 1,    /* an operation needs more than the low 32 bits */
    WRITTEN = 2, /* a guest register of 64 bits has the value */
    LIVE = 4,
};

struct narrow {
    struct quick *q;
    uint8_t *need;        /* by node: of the values above */
    uint32_t exits;       /* number of nodes behind the pass's position that may leave the trace */
    uint32_t *exits_seen; /* by slot: their number behind its next write, plus one */
};

static bool is_extension(const struct q_node *n)
{
    return (n->op == Q_SEXT || n->op == Q_ZEXT) && n->imm == 32;
}

/* Whether the low half of an operation of 64 bits depends on the low halves of its operands
 * only. */
static bool keeps_low_half(const struct quick *q, const struct q_node *n)
{
    uint64_t by;

    switch (n->op) {
    case Q_SCALED:
        return true;
    case Q_UNARY:
        return n->sub == JIT_NOT || n->sub == JIT_NEG;
    case Q_BINARY:
        return n->sub == JIT_ADD || n->sub == JIT_SUB || n->sub == JIT_MUL ||
               (n->sub >= JIT_AND && n->sub <= JIT_XOR) ||
               (n->sub == JIT_SHL && q_is_const(q, n->in[1], &by));
    default:
        return false;
    }
}

/* Whether a node needs only the low 32 bits of its operand k. */
static bool reads_low_half(const struct narrow *w, uint32_t at, unsigned k)
{
    const struct q_node *n = q_node(w->q, at);

    switch (n->op) {
    case Q_UNARY:
    case Q_BINARY:
    case Q_SCALED:
        if (n->op == Q_BINARY && n->sub >= JIT_SHL && n->sub <= JIT_ROR && k == 1)
            return true; /* the amount of a shift */
        return !q_in_vector(n->type) &&
               (q_bits(n->type) <= 32 ||
                (keeps_low_half(w->q, n) && !(w->need[at] & (WIDE | WRITTEN))) ||
                (n->op == Q_BINARY && n->sub == JIT_AND && k == 0 &&
                 w->q->nodes.data[n->in[1]].known <= 32));
    case Q_GUARD:
    case Q_GUARD_TEST:
        return q_bits(n->type) <= 32;
    case Q_ZEXT:
    case Q_SEXT:
        return true;
    case Q_SELECT:
        return k >= 2 ? q_bits(n->from) <= 32 : q_bits(n->type) <= 32 && !q_in_vector(n->type);
    case Q_STORE:
        return k == 1 && n->sub <= 4;
    default:
        return false;
    }
}

static bool is_root(const struct q_node *n)
{
    return !n->result || n->op == Q_LOAD || n->op == Q_CALL || n->op == Q_ADDEND;
}

/* A register that is written again before the trace may be left is not written here. */
static void note_write(struct narrow *w, const struct q_node *n)
{
    if (w->exits_seen[n->imm] != w->exits + 1)
        w->need[n->in[0]] |= w->q->map->slots.data[n->imm].size > 4 ? LIVE | WRITTEN : LIVE;
    w->exits_seen[n->imm] = w->exits + 1;
}

static void note_operands(struct narrow *w, uint32_t at)
{
    const struct q_node *n = q_node(w->q, at);

    w->exits += is_root(n);
    for (unsigned k = 0; k < 4; k++)
        w->need[n->in[k]] |= reads_low_half(w, at, k) ? LIVE : LIVE | WIDE;
    if (n->op == Q_HEAD && n->imm2)
        w->need[n->imm2] |= LIVE | WIDE;
    if (n->op == Q_CALL) {
        const struct q_call *call = &w->q->calls.data[n->imm];

        for (unsigned k = 0; k < call->callee->count; k++)
            w->need[call->args[k]] |= LIVE | WIDE;
    }
}

/* Lets an operation read what is extended, unless a load extends it. */
static void read_low_half(struct narrow *w, uint32_t at, unsigned k)
{
    struct q_node *n = q_node(w->q, at);
    const struct q_node *x = q_node(w->q, n->in[k]);

    while (is_extension(x) && !(w->need[n->in[k]] & WIDE) && q_node(w->q, x->in[0])->op != Q_LOAD &&
           !q_in_vector(q_node(w->q, x->in[0])->result)) {
        n->in[k] = x->in[0];
        x = q_node(w->q, n->in[k]);
    }
}

void q_narrow(struct quick *q)
{
    struct narrow w = {.q = q,
                       .need = xcalloc(q->nodes.len, 1),
                       .exits_seen = xcalloc(q->map->slots.len, sizeof(uint32_t))};

    for (uint32_t n = (uint32_t)q->nodes.len; n-- > 1;) {
        if (q_node(q, n)->op == Q_WRITE)
            note_write(&w, q_node(q, n));
        else if (w.need[n] || is_root(q_node(q, n)))
            note_operands(&w, n);
    }
    for (uint32_t n = 1; n < q->nodes.len; n++) {
        for (unsigned k = 0; k < 4 && q_node(q, n)->op != Q_WRITE; k++) {
            if (q_node(q, n)->in[k] && reads_low_half(&w, n, k))
                read_low_half(&w, n, k);
        }
    }
    free(w.exits_seen);
    free(w.need);
}
