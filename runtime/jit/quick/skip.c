/*
 * Branches over a few instructions that the guest takes about as often as not: the trace does these
 * instructions in any case, and selects what their registers have then. So nothing depends on the
 * host's prediction, and the trace goes on.
 *
 * The head of the block takes the ticks of all its instructions; those of the ones that the guest
 * skips are given back. Between the two is no exit.
 */
#include "runtime/base/alloc.h"
#include "runtime/jit/quick/commit.h"
#include "runtime/jit/quick/job.h"
#include "runtime/jit/quick/target.h"

enum { MAX_WRITTEN = 4 /* registers that the skipped instructions write */ };

/* Whether a node only computes, from and to general registers; a WRITE's register: *slot. */
static bool only_computes(const struct quick *q, const struct q_node *n)
{
    switch (n->op) {
    case Q_NOP:
    case Q_CONST:
    case Q_PC:
    case Q_REG:
    case Q_UNARY:
    case Q_BINARY:
    case Q_SCALED:
    case Q_SELECT:
    case Q_ZEXT:
    case Q_SEXT:
        return !n->result || !q_in_vector(n->result);
    case Q_WRITE:
        return q->map->slots.data[n->imm].size <= 8 && !q_in_vector(q->nodes.data[n->in[0]].result);
    default:
        return false;
    }
}

/* The registers that nodes from `first` on write; false: there are too many. */
static bool note_written(const struct quick *q, size_t first, uint32_t *slots, unsigned *count)
{
    for (*count = 0; first < q->nodes.len; first++) {
        const struct q_node *n = &q->nodes.data[first];
        unsigned k = 0;

        if (n->op != Q_WRITE)
            continue;
        while (k < *count && slots[k] != n->imm)
            k++;
        if (k < *count)
            continue;
        if (*count == MAX_WRITTEN)
            return false;
        slots[(*count)++] = (uint32_t)n->imm;
    }
    return true;
}

/* Appends the instructions to see what they are, and takes them back. */
bool q_can_skip(struct quick *q, unsigned source)
{
    const struct source *s = &q->r->sources[source];
    struct quick_trace *t = q->trace;
    size_t nodes = q->nodes.len, sides = q->side_exits.len, calls = q->calls.len,
           facts = t->facts.len, bytes = q->map->slots.len * sizeof(*t->now);
    uint32_t *now, slots[MAX_WRITTEN];
    bool can = s->skips && q_target.refund && !q->tier->jit->options.handlers;
    unsigned written;

    if (!can)
        return false;
    now = xcalloc(1, bytes + 1);
    memcpy(now, t->now, bytes);
    for (unsigned k = 0; k < s->skips && can; k++) {
        can = !quick_prefers_handler(q_facts_of(q, source), k);
        if (can)
            q_append_insn(q, source, k, NULL);
    }
    for (size_t n = nodes; n < q->nodes.len; n++)
        can &= only_computes(q, &q->nodes.data[n]);
    can = can && note_written(q, nodes, slots, &written);
    memcpy(t->now, now, bytes);
    free(now);
    t->facts.len = facts;
    q_drop_nodes(q, nodes);
    q->side_exits.len = sides;
    q->calls.len = calls;
    return can;
}

/* `with` where the guest goes to the source's start, else `without`. */
static uint32_t choose(struct quick *q, unsigned source, jit_type t, uint32_t with,
                       uint32_t without)
{
    struct q_node n = *q_node(q, q->trace->choice);
    uint64_t start = q_node(q, q_number(q_address(q, q->r->sources[source].delta)))->imm;
    bool first = q_node(q, n.in[0])->imm == start;
    unsigned known, other;

    with = q_general(q, q_value_of(with, t));
    without = q_general(q, q_value_of(without, t));
    known = q_node(q, with)->known;
    other = q_node(q, without)->known;
    n.in[0] = first ? with : without;
    n.in[1] = first ? without : with;
    n.type = t;
    known = known > other ? known : other;
    n.known = (uint8_t)(known < q_bits(t) ? known : q_bits(t));
    return q_share(q, n);
}

/* What a register has before the nodes from `first` on, which may have read it already: a register
 * has one REG, since memory need not have what the trace's inner entry has in a host register. */
static uint32_t value_before(struct quick *q, uint32_t slot, size_t first)
{
    unsigned size = q->map->slots.data[slot].size;
    jit_type t = JIT_TYPE(JIT_UINT, size * 8, 1);

    for (; first < q->nodes.len; first++) {
        const struct q_node *n = &q->nodes.data[first];

        if (n->op == Q_REG && n->imm == slot)
            return (uint32_t)first;
    }
    return q_append(
        q, (struct q_node){
               .op = Q_REG, .type = t, .result = t, .imm = slot, .known = (uint8_t)(size * 8)});
}

void q_append_skipped(struct quick *q, unsigned source)
{
    const struct source *s = &q->r->sources[source];
    struct quick_trace *t = q->trace;
    size_t first, bytes = q->map->slots.len * sizeof(*t->now);
    uint32_t *before = xcalloc(1, bytes + 1), slots[MAX_WRITTEN], back, old;
    unsigned written = 0;

    memcpy(before, t->now, bytes);
    first = q->nodes.len;
    for (unsigned k = 0; k < s->skips; k++)
        q_append_insn(q, source, k, NULL);
    note_written(q, first, slots, &written);
    for (unsigned k = 0; k < written; k++) {
        uint32_t with = t->now[slots[k]];
        unsigned size = q->map->slots.data[slots[k]].size;

        old = before[slots[k]] ? before[slots[k]] : value_before(q, slots[k], first);
        q_write_slot(q, slots[k], choose(q, source, size == 8 ? JIT_U64 : JIT_U32, with, old));
    }
    free(before);
    back = choose(q, source, JIT_U64, q_number(q_constant(q, JIT_U64, 0)),
                  q_number(q_constant(q, JIT_U64, s->skips)));
    q_append(q, (struct q_node){.op = Q_REFUND, .in = {back}});
}
