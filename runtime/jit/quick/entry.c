/*
 * A trace's inner entry: the guest registers that it expects in host registers, for bridges
 * (bridge.c). Other ways in load them first.
 *
 * A trace that was made because another one was left for its first block has what that exit had in
 * registers, where it had it, and what else it reads. A loop has what it reads. Other traces have
 * what they read in any case: the first of a loop of several traces is made before an exit leads to
 * it.
 */
#include "runtime/jit/quick/target.h"

#include "runtime/jit/quick/emit.h"
#include "runtime/jit/quick/job.h"
#include "runtime/jit/quick/simplify.h"

enum {
    READ_GENERAL = 7, /* general registers in which a trace begins; others are for its values */
    READ_VECTORS = 10,
    LEAST_BYTES = 4, /* size of a guest register; flags are smaller */
};

struct choice {
    struct quick *q;
    uint32_t *read; /* by slot: the live Q_REG of its value at the trace's start, or Q_NONE */
    q_hosts taken;
};

static unsigned slot_bits(const struct quick *q, uint32_t slot)
{
    return q->map->slots.data[slot].size * 8u;
}

/* The node of a register that the trace only passes on, in that kind of host register. */
static uint32_t passed_node(struct quick *q, uint32_t slot, bool vector)
{
    unsigned bits = slot_bits(q, slot);
    jit_type t = JIT_TYPE(bits == 64 && vector ? JIT_FLOAT : JIT_UINT, bits, 1);
    uint32_t node = q_append(q, (struct q_node){.op = Q_REG,
                                                .type = t,
                                                .result = t,
                                                .imm = slot,
                                                .known = (uint8_t)(bits < 64 ? bits : 64)});

    q_node(q, node)->flags = QF_LIVE;
    q_node(q, node)->next = Q_NEVER;
    return node;
}

static void take_entry(struct choice *c, uint32_t slot, unsigned host, bool dirty)
{
    struct quick *q = c->q;
    uint32_t node = c->read[slot] ? c->read[slot] : passed_node(q, slot, host >= Q_V);

    c->taken |= (q_hosts)1 << host;
    vec_push(&q->code->entry,
             (struct q_entry){
                 .slot = (uint16_t)slot, .host = (uint8_t)host, .dirty = dirty, .node = node});
    c->read[slot] = Q_NONE;
}

/* Whether the trace has a slot: a part, or what parts lie over. */
static bool has_slot(const struct quick *q, uint32_t slot)
{
    const struct isa_map *m = q->map;

    if (slot >= m->first_part)
        return q->parts;
    return !q->parts || !m->part_at[m->slots.data[slot].offset];
}

/* Whether a register can be passed in `host` as it is. */
static bool fits_host(const struct choice *c, const struct q_map_entry *e)
{
    unsigned bits = slot_bits(c->q, e->slot);
    uint32_t node = c->read[e->slot];
    bool vector =
        node ? q_is_in_vector(c->q, node) : bits > 64 || (bits == 64 && e->at.host >= Q_V);

    return e->at.kind == Q_IN_HOST && (e->at.host >= Q_V) == vector &&
           (bits >= 64 || e->at.index <= bits) && bits >= LEAST_BYTES * 8 &&
           !((c->taken | ~q_allocatable(c->q)) >> e->at.host & 1);
}

/* Whether a trace that does not read a register passes it on. One that only hosts with features
 * have is stored before: each exit of each trace that it went through would store it otherwise. */
static bool passes_on(const struct choice *c, const struct q_map_entry *e)
{
    return !(c->q->lives[e->slot] & Q_LOST) && !(q_target.with_features >> e->at.host & 1);
}

/* What another trace's exit has in registers: all that memory does not have, unless this trace has
 * no need of it, and what it reads. */
static void take_from_exit(struct choice *c, const struct q_job *job)
{
    for (uint32_t n = 0; n < job->from_dirty + job->from_clean; n++) {
        const struct q_map_entry *e = &job->from[n];
        bool dirty = n < job->from_dirty;

        if (has_slot(c->q, e->slot) && fits_host(c, e) &&
            (c->read[e->slot] || (dirty && passes_on(c, e))))
            take_entry(c, e->slot, e->at.host, dirty);
    }
}

static unsigned count_hosts(q_hosts hosts, bool vector)
{
    return (unsigned)__builtin_popcountll(vector ? hosts >> Q_V : hosts << (64 - Q_V));
}

/* What the trace reads, in the order of its reads; or what it reads before its first guard, which
 * it reads whichever way it goes. */
static void take_reads(struct choice *c, bool all)
{
    for (uint32_t n = 1; n < c->q->count; n++) {
        const struct q_node *node = q_node(c->q, n);
        uint32_t slot = (uint32_t)node->imm;
        bool vector;
        q_hosts free;

        if (node->op == Q_HANDLER || (!all && (node->op == Q_GUARD || node->op == Q_GUARD_TEST)))
            return;
        if (node->op != Q_REG || c->read[slot] != n || node->next == Q_NEVER)
            continue;
        vector = q_in_vector(node->result);
        free = q_allocatable(c->q) & ~c->taken;
        free = vector ? free >> Q_V << Q_V : free & (((q_hosts)1 << Q_V) - 1);
        if (free && count_hosts(c->taken, vector) < (vector ? READ_VECTORS : READ_GENERAL))
            take_entry(c, slot, (unsigned)__builtin_ctzll(free), c->q->lives[slot] & Q_WRITTEN);
    }
}

static void find_reads(struct choice *c)
{
    for (uint32_t n = 1; n < c->q->count; n++) {
        const struct q_node *node = q_node(c->q, n);

        if (node->op == Q_HANDLER)
            return;
        if (node->op == Q_REG && node->flags & QF_LIVE &&
            slot_bits(c->q, (uint32_t)node->imm) >= LEAST_BYTES * 8)
            c->read[node->imm] = n;
    }
}

/* Whether the trace ends where it begins. */
static bool is_loop(struct quick *q)
{
    const struct q_node *last = q_node(q, q->count - 1);
    const struct q_side_exit *out;

    if (last->op != Q_EXIT)
        return false;
    out = &q->side_exits.data[last->imm];
    return out->kind == Q_TO_KNOWN && !out->delta;
}

/* Notes which slots' values are lost before the trace can be left. */
static void note_dead(struct quick *q)
{
    size_t slots = q->map->slots.len;

    q->code->dead = q_take(q->code, (slots + 63) / 64 * sizeof(uint64_t));
    for (size_t n = 0; n < slots; n++) {
        if (q->lives[n] & Q_LOST)
            q->code->dead[n / 64] |= UINT64_C(1) << n % 64;
    }
    for (uint32_t n = 1; n < q->count; n++) { /* reads come before the write */
        const struct q_node *node = q_node(q, n);

        if (node->op == Q_REG && node->flags & QF_LIVE)
            q->code->dead[node->imm / 64] &= ~(UINT64_C(1) << node->imm % 64);
    }
}

static bool is_entered(const struct quick *q, size_t slot)
{
    for (size_t n = 0; n < q->code->entry.len; n++) {
        if (q->code->entry.data[n].slot == slot)
            return true;
    }
    return false;
}

/* Notes which slots a bridge may owe. Traces that are kept for later runs have none, since their
 * records have no room for them. */
static void note_late(struct quick *q)
{
    struct q_code *code = q->code;
    size_t slots = q->map->slots.len;

    if (!q->flat || q->tier->image)
        return;
    for (uint32_t n = 1; n < q->count; n++) { /* reads of what is there at the start */
        const struct q_node *node = q_node(q, n);

        if (node->op == Q_REG && node->flags & QF_LIVE)
            q->lives[node->imm] &= (uint8_t)~Q_LATE;
    }
    for (size_t n = 0; n < slots; n++) {
        if (q->lives[n] & Q_LATE && !is_entered(q, n))
            vec_push(&code->late, (struct q_late){.slot = (uint16_t)n, .write = q->first_write[n]});
    }
}

void q_choose_entry(struct quick *q)
{
    const struct q_job *job = q->job;
    struct choice c = {.q = q, .read = q->trace->now}; /* which is not needed any more */

    q->code->loops = is_loop(q);
    q->code->has_inner = q_target.give_back != NULL;
    if (!q->code->has_inner)
        return;
    note_dead(q);
    memset(c.read, 0, q->map->slots.len * sizeof(*c.read));
    find_reads(&c);
    if (job->from && !q->code->loops)
        take_from_exit(&c, job);
    take_reads(&c, job->from || q->code->loops || job->came_back);
    note_late(q);
}

void q_emit_entry(struct quick *q)
{
    const struct q_code *code = q->code;

    if (!code->has_inner)
        return;
    for (size_t n = 0; n < code->entry.len; n++) {
        const struct q_entry *e = &code->entry.data[n];

        q_target.load(q, slot_bits(q, e->slot), e->host, q_slot_place(q, e->slot));
        q_enter_with(q, e);
    }
    if (code->late.len) /* who comes by the head owes nothing */
        q_target.store_constant(q, 64, q_owed_place(), 0);
    q->code->inner = q->out.at;
}
