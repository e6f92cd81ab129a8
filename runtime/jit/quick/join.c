/*
 * Copies of 16 bytes by two guest registers, as LDP and STP of general registers make them: two
 * loads side by side, and two stores side by side of what they have loaded. The loads become one,
 * into a vector register, and the stores become one. The first guest register has the low half of
 * that value, and the second one the high half, which only exits compute.
 *
 *     a = load u64 X            a = load u128 X
 *     b = load u64 X + 8        b = cold extract a #1
 *     write a; write b          write a; write b
 *     store a Y                 store a Y
 *     store b Y + 8
 *
 * Loads and stores are joined within one guest instruction each, so an access that faults does so
 * as before: C accesses one half after the other (q_site.halves).
 */
#include "runtime/base/alloc.h"
#include "runtime/jit/quick/emit.h"
#include "runtime/jit/quick/target.h"

enum { HALF = 8 /* bytes */ };

struct joins {
    struct quick *q;
    uint8_t *uses; /* by node: its uses other than by guest registers, up to 2; NULL: not counted */
};

static void count_use(struct joins *j, uint32_t node)
{
    if (j->uses[node] < 2)
        j->uses[node]++;
}

static void count_uses(struct joins *j)
{
    struct quick *q = j->q;

    j->uses = xcalloc(q->nodes.len, 1);
    for (uint32_t at = 1; at < q->nodes.len; at++) {
        const struct q_node *n = q_node(q, at);

        if (n->op == Q_WRITE && q->map->slots.data[n->imm].size == HALF)
            continue;
        for (unsigned k = 0; k < 4; k++)
            count_use(j, n->in[k]);
        if (n->op == Q_HEAD)
            count_use(j, (uint32_t)n->imm2);
        if (n->op == Q_CALL) {
            const struct q_call *call = &q->calls.data[n->imm];

            for (unsigned k = 0; k < call->callee->count; k++)
                count_use(j, call->args[k]);
        }
    }
}

/* Both halves of a joined access are in flat memory, or share a look-up. */
static bool is_half(const struct quick *q, uint32_t at, unsigned op)
{
    const struct q_node *n = &q->nodes.data[at];

    return n->op == op && n->sub == HALF && !n->when && (q->flat || n->in[3]) &&
           (op == Q_STORE || !q_in_vector(n->result));
}

/* The next node that does more than compute. The ADDEND of an access that shares another one is
 * dead. */
static uint32_t next_effect(const struct quick *q, uint32_t at)
{
    const struct q_node *n;

    do {
        if (++at == q->nodes.len)
            return Q_NONE;
        n = &q->nodes.data[at];
    } while (n->op == Q_NOP || (n->result && n->op != Q_LOAD && n->op != Q_CALL));
    return at;
}

/* The access of the bytes behind those of access `at`, by the same instruction, if nothing is
 * between them; Q_NONE: there is none. */
static uint32_t other_half(const struct quick *q, uint32_t at, unsigned op)
{
    uint32_t next = is_half(q, at, op) ? next_effect(q, at) : Q_NONE;
    const struct q_node *a = &q->nodes.data[at], *b = &q->nodes.data[next];

    return next && is_half(q, next, op) && a->in[0] == b->in[0] && a->in[3] == b->in[3] &&
                   a->imm == b->imm && a->imm2 == b->imm2 && b->disp == a->disp + HALF
               ? next
               : Q_NONE;
}

/* Whether the trace stores a part of the 16 bytes from the load's on, in this round of a loop or
 * for the next one. The host would wait for such a store: it forwards none to a load of more
 * bytes. */
static bool is_stored_in_parts(const struct quick *q, uint32_t load)
{
    const struct q_node *l = &q->nodes.data[load];

    for (uint32_t at = 1; at < q->nodes.len; at++) {
        const struct q_node *s = &q->nodes.data[at];

        if (s->op == Q_STORE && s->in[0] == l->in[0] && s->disp < l->disp + 2 * HALF &&
            l->disp < s->disp + s->sub && !(s->sub == 2 * HALF && s->disp == l->disp))
            return true;
    }
    return false;
}

/* Whether store `at` and store `other` are of what two loads side by side have loaded. */
static bool is_copy(const struct quick *q, uint32_t at, uint32_t other)
{
    uint32_t low = q->nodes.data[at].in[1];

    return other && other_half(q, low, Q_LOAD) == q->nodes.data[other].in[1] &&
           !is_stored_in_parts(q, low);
}

static void make_whole(struct q_node *n)
{
    n->sub = 2 * HALF;
    n->type = JIT_U128;
    n->flags |= QF_HALVES;
}

/* Joins the stores `at` and `other`, and the loads of what they store. */
static void join(struct quick *q, uint32_t at, uint32_t other)
{
    struct q_node *store = q_node(q, at), *low = q_node(q, store->in[1]);
    struct q_node *high = q_node(q, q_node(q, other)->in[1]);

    make_whole(low);
    low->result = JIT_U128;
    low->known = 0;
    high->op = Q_EXTRACT;
    high->sub = 0;
    high->type = JIT_TYPE(JIT_UINT, 64, 2);
    high->imm = 1;
    high->imm2 = 0;
    high->disp = 0;
    memset(high->in, 0, sizeof(high->in));
    high->in[0] = store->in[1];
    make_whole(store);
    q_node(q, other)->op = Q_NOP;
    memset(q_node(q, other)->in, 0, sizeof(store->in));
}

void q_join_halves(struct quick *q)
{
    struct joins j = {.q = q};
    uint32_t other;

    if (!q_target.joins_halves || q->map->isa->address_bits == 32)
        return;
    for (uint32_t at = 1; at < q->nodes.len; at++) {
        other = other_half(q, at, Q_STORE);
        if (!is_copy(q, at, other))
            continue;
        if (!j.uses)
            count_uses(&j);
        if (j.uses[q_node(q, at)->in[1]] == 1 && j.uses[q_node(q, other)->in[1]] == 1)
            join(q, at, other);
    }
    free(j.uses);
}
