/*
 * Register allocation, in one pass over the trace: a value is loaded into a register for its use,
 * and spilled when the register is needed for another one. The value with the farthest next use is
 * spilled; a guest register's value is spilled to its slot in the state.
 */
#include "runtime/base/alloc.h"
#include "runtime/jit/quick/target.h"

#include "runtime/jit/quick/emit.h"

static const q_hosts GENERAL = ((q_hosts)1 << Q_V) - 1;

static bool is_dirty_value(const struct quick *q, uint32_t node)
{
    int32_t slot = q->nodes.data[node].set_slot;

    return slot >= 0 && q->slot_value[slot] == node && q->slot_memory[slot] != node;
}

bool q_is_alive(const struct quick *q, uint32_t node)
{
    const struct q_node *n = &q->nodes.data[node];

    return n->next != Q_NEVER || n->keep >= q->at;
}

struct q_place q_slot_place(const struct quick *q, uint32_t slot)
{
    size_t offset = offsetof(struct cpu, state) + q->map->slots.data[slot].offset;

    return (struct q_place){.offset = (int32_t)offset};
}

struct q_place q_spill_place(unsigned spill)
{
    size_t offset = offsetof(struct q_frame, spill) + spill * sizeof(struct q_vec);

    return (struct q_place){.in_frame = true, .offset = (int32_t)offset};
}

/* The scratch register of a kind. */
static unsigned scratch_of(bool vector)
{
    return vector ? q_target.vector_scratch : q_target.scratch;
}

/* Width of the value in registers and spill slots. */
static unsigned host_bits(const struct q_node *n)
{
    return q_in_vector(n->result) ? 128 : 64;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static unsigned take_spill(struct quick *q)
{
    for (unsigned n = 0; n < Q_SPILLS; n++) {
        if (!(q->spills_used[n / 64] >> n % 64 & 1)) {
            q->spills_used[n / 64] |= UINT64_C(1) << n % 64;
            return n;
        }
    }
    q->failure = "too many values at a time";
    return 0;
}

static void give_spill(struct quick *q, struct q_node *n)
{
    if (n->spill < 0)
        return;
    q->spills_used[n->spill / 64] &= ~(UINT64_C(1) << n->spill % 64);
    n->spill = -1;
}

/* Whether the slot is as wide as the value. A guest register may be set to the low half of a value
 * whose other half is needed later. */
static bool holds_all(const struct quick *q, uint32_t slot, const struct q_node *n)
{
    unsigned bits = q_bits(n->result);

    if (!q_in_vector(n->result) && n->known < bits)
        bits = n->known;
    return bits <= q->map->slots.data[slot].size * 8u;
}

/* Bits that hold a value in the memory of a slot. What a register of 128 bits has above them is
 * zero. */
static unsigned bits_in_slot(const struct quick *q, uint32_t slot, bool vector)
{
    unsigned bits = q->map->slots.data[slot].size * 8u;

    return !vector || (bits >= 32 && bits < 128) ? bits : 128;
}

void q_leave_slot(struct quick *q, uint32_t slot)
{
    uint32_t node = q->slot_memory[slot];
    struct q_node *n = q_node(q, node);
    unsigned host, bits;

    if (!node || n->slot != (int32_t)slot)
        return;
    n->slot = -1;
    if (n->host != Q_NO_HOST || n->spill >= 0 || n->op == Q_CONST || n->op == Q_PC ||
        (!q_is_alive(q, node) && !is_dirty_value(q, node)))
        return;
    n->spill = (int16_t)take_spill(q);
    host = scratch_of(q_in_vector(n->result));
    bits = bits_in_slot(q, slot, q_in_vector(n->result));
    q_target.load(q, bits, host, q_slot_place(q, slot));
    q_target.store(q, host_bits(n), q_spill_place((unsigned)n->spill), host);
}

void q_store_value(struct quick *q, unsigned bits, struct q_place to, uint32_t node)
{
    const struct q_node *n = q_node(q, node);
    unsigned host = n->host;
    uint64_t value;

    if (host == Q_NO_HOST && bits <= 64 && q_is_const(q, node, &value)) {
        q_target.store_constant(q, bits, to, value);
        return;
    }
    if (host == Q_NO_HOST) {
        host = scratch_of(q_in_vector(n->result));
        q_reload(q, host, node);
    }
    q_target.store(q, bits, to, host);
}

void q_store_slot(struct quick *q, uint32_t slot)
{
    uint32_t node = q->slot_value[slot];

    q_leave_slot(q, slot);
    q_store_value(q, q->map->slots.data[slot].size * 8u, q_slot_place(q, slot), node);
    q->slot_memory[slot] = node;
    if (holds_all(q, slot, q_node(q, node)))
        q_node(q, node)->slot = (int32_t)slot;
}

/* Stores a value outside of its register, if it is needed and cannot be computed again. */
static void store_if_needed(struct quick *q, uint32_t node)
{
    struct q_node *n = q_node(q, node);

    if (is_dirty_value(q, node))
        q_store_slot(q, (uint32_t)n->set_slot);
    if (!q_is_alive(q, node) || n->op == Q_CONST || n->op == Q_PC || n->spill >= 0 || n->slot >= 0)
        return;
    n->spill = (int16_t)take_spill(q);
    q_target.store(q, host_bits(n), q_spill_place((unsigned)n->spill), n->host);
}

/* ---- registers ------------------------------------------------------------------------------- */

static void place_in_register(struct quick *q, uint32_t node, unsigned host)
{
    q->in_host[host] = node;
    q_node(q, node)->host = (uint8_t)host;
}

static void empty_register(struct quick *q, unsigned host)
{
    q_node(q, q->in_host[host])->host = Q_NO_HOST;
    q->in_host[host] = Q_NONE;
}

/* When the value is needed again; those that need not even be stored come behind all others. */
static uint64_t need_of(const struct quick *q, uint32_t node)
{
    return q_is_alive(q, node) || is_dirty_value(q, node) ? q->nodes.data[node].next : UINT64_MAX;
}

/* An empty register if there is one, else that of the value with the farthest next use; values
 * without a further use come first. */
static unsigned choose_victim(const struct quick *q, q_hosts among)
{
    unsigned best = Q_NO_HOST;
    uint64_t best_need = 0;

    for (q_hosts left = among; left; left &= left - 1) {
        unsigned host = (unsigned)__builtin_ctzll(left);
        uint32_t node = q->in_host[host];

        if (!node)
            return host;
        if (best == Q_NO_HOST || need_of(q, node) > best_need) {
            best = host;
            best_need = need_of(q, node);
        }
    }
    return best;
}

static unsigned take_register(struct quick *q, bool vector)
{
    q_hosts kind = vector ? ~GENERAL : GENERAL;
    unsigned host = choose_victim(q, q->allocatable & kind & ~q->pinned);

    if (host == Q_NO_HOST) {
        q->failure = "no register is left";
        return scratch_of(vector);
    }
    if (q->in_host[host]) {
        store_if_needed(q, q->in_host[host]);
        empty_register(q, host);
    }
    q->pinned |= (q_hosts)1 << host;
    return host;
}

void q_reload(struct quick *q, unsigned host, uint32_t node)
{
    const struct q_node *n = q_node(q, node);
    bool vector = host >= Q_V;

    if (n->op == Q_CONST)
        q_target.load_constant(q, host, n);
    else if (n->op == Q_PC)
        q_target.load_pc(q, host, (int64_t)n->imm);
    else if (n->spill >= 0)
        q_target.load(q, vector ? 128 : 64, host, q_spill_place((unsigned)n->spill));
    else if (n->slot >= 0)
        q_target.load(q, bits_in_slot(q, (uint32_t)n->slot, vector), host,
                      q_slot_place(q, (uint32_t)n->slot));
    else
        q->failure = "a value is nowhere";
}

static unsigned in_register(struct quick *q, uint32_t node, bool vector)
{
    struct q_node *n = q_node(q, node);

    if (n->host == Q_NO_HOST) {
        unsigned host = take_register(q, vector);

        q_reload(q, host, node);
        place_in_register(q, node, host);
    }
    q->pinned |= (q_hosts)1 << n->host;
    return n->host;
}

unsigned q_use(struct quick *q, uint32_t node)
{
    if (q_in_vector(q_node(q, node)->result))
        q->failure = "an operand is in the wrong kind of register";
    return in_register(q, node, false) % Q_V;
}

unsigned q_use_x(struct quick *q, uint32_t node)
{
    if (!q_in_vector(q_node(q, node)->result))
        q->failure = "an operand is in the wrong kind of register";
    return in_register(q, node, true) % Q_V;
}

bool q_can_share(const struct quick *q, uint32_t node)
{
    return node && q->nodes.data[node].host != Q_NO_HOST && !q_is_alive(q, node) &&
           !is_dirty_value(q, node);
}

static unsigned define_result(struct quick *q, bool vector, bool share)
{
    const struct q_node *n = q_node(q, q->at);
    unsigned host = Q_NO_HOST;

    for (unsigned k = 0; share && k < 4 && host == Q_NO_HOST; k++) {
        uint32_t node = n->in[k];

        if (q_can_share(q, node) && (q->nodes.data[node].host >= Q_V) == vector)
            host = q->nodes.data[node].host;
    }
    if (host == Q_NO_HOST)
        host = take_register(q, vector);
    else
        empty_register(q, host);
    place_in_register(q, q->at, host);
    q->pinned |= (q_hosts)1 << host;
    return host % Q_V;
}

unsigned q_def(struct quick *q)
{
    return define_result(q, false, true);
}

unsigned q_def_x(struct quick *q)
{
    return define_result(q, true, true);
}

unsigned q_def_early_x(struct quick *q)
{
    return define_result(q, true, false);
}

unsigned q_def_copy(struct quick *q, uint32_t from)
{
    struct q_node *n = q_node(q, from);
    unsigned host;

    if (q_can_share(q, from) && n->host < Q_V) {
        host = n->host;
        empty_register(q, host);
        place_in_register(q, q->at, host);
        q->pinned |= (q_hosts)1 << host;
        return host;
    }
    host = take_register(q, false);
    if (n->host != Q_NO_HOST)
        q_target.move(q, host, n->host);
    else
        q_reload(q, host, from);
    place_in_register(q, q->at, host);
    return host;
}

unsigned q_temp_x(struct quick *q)
{
    return take_register(q, true) - Q_V;
}

bool q_in_memory(struct quick *q, uint32_t node, unsigned bits, struct q_place *place)
{
    const struct q_node *n = q_node(q, node);

    if (n->host != Q_NO_HOST)
        return false;
    if (n->spill >= 0) {
        *place = q_spill_place((unsigned)n->spill);
        return bits <= host_bits(n);
    }
    if (n->slot < 0)
        return false;
    *place = q_slot_place(q, (uint32_t)n->slot);
    return bits <= q->map->slots.data[n->slot].size * 8u;
}

/* ---- around nodes ---------------------------------------------------------------------------- */

static void next_use(struct quick *q, uint32_t operand, uint32_t next)
{
    if (operand && next != q->at)
        q_node(q, operand)->next = next;
}

void q_node_begin(struct quick *q)
{
    struct q_node *n = q_node(q, q->at);

    q->pinned = 0;
    for (unsigned k = 0; k < 4; k++) {
        next_use(q, n->in[k], n->next_in[k]);
        /* Pins operands in registers: one that dies here must not be spilled before it is read. */
        if (n->in[k] && q_node(q, n->in[k])->host != Q_NO_HOST)
            q->pinned |= (q_hosts)1 << q_node(q, n->in[k])->host;
    }
    if (n->op == Q_CALL) {
        struct q_call *call = &q->calls.data[n->imm];

        for (unsigned k = 0; k < call->callee->count; k++)
            next_use(q, call->args[k], call->next[k]);
    }
}

/* Whether a guest register has the value, in memory too. */
static bool is_clean_value(const struct quick *q, uint32_t node)
{
    int32_t slot = q->nodes.data[node].slot;

    return slot >= 0 && q->slot_memory[slot] == node;
}

/* Frees the register and the spill slot of a dead value. What a guest register has stays until the
 * register is needed: another trace may go on with it. */
static void free_places(struct quick *q, uint32_t node)
{
    struct q_node *n = q_node(q, node);

    if (!node || n->next != Q_NEVER || n->keep > q->at || is_dirty_value(q, node))
        return;
    if (n->host != Q_NO_HOST && !is_clean_value(q, node))
        empty_register(q, n->host);
    give_spill(q, n);
}

void q_node_end(struct quick *q)
{
    struct q_node *n = q_node(q, q->at);

    for (unsigned k = 0; k < 4; k++)
        free_places(q, n->in[k]);
    if (n->op == Q_CALL) {
        const struct q_call *call = &q->calls.data[n->imm];

        for (unsigned k = 0; k < call->callee->count; k++)
            free_places(q, call->args[k]);
    }
    if (n->host != Q_NO_HOST)
        free_places(q, q->at);
    q->pinned = 0;
}

/* Adds a slot to the list of slots with a known value. */
static void list_slot(struct quick *q, uint32_t slot)
{
    if (!q->slot_value[slot] && !q->slot_memory[slot])
        vec_push(&q->touched, slot);
}

static bool is_computable(const struct q_node *n)
{
    return n->op == Q_CONST || n->op == Q_PC || (n->flags & QF_COLD);
}

void q_set_slot(struct quick *q, uint32_t slot, uint32_t node)
{
    uint32_t old = q->slot_value[slot];

    list_slot(q, slot);
    /* A value may wait to be stored to one slot only. */
    if (!is_computable(q_node(q, node)) && is_dirty_value(q, node) &&
        q_node(q, node)->set_slot != (int32_t)slot)
        q_store_slot(q, (uint32_t)q_node(q, node)->set_slot);
    if (q->slot_memory[slot] != node) { /* from now on a trap may store the new value */
        q_leave_slot(q, slot);
        q->slot_memory[slot] = Q_NONE;
    }
    q->slot_value[slot] = node;
    q_node(q, node)->set_slot = (int32_t)slot;
    free_places(q, old);
}

void q_is_in_slot(struct quick *q, uint32_t slot, uint32_t node)
{
    list_slot(q, slot);
    q->slot_memory[slot] = node;
    q_node(q, node)->slot = (int32_t)slot;
}

void q_enter_with(struct quick *q, const struct q_entry *e)
{
    place_in_register(q, e->node, e->host);
    q_node(q, e->node)->flags |= QF_ENTERED;
    if (!e->dirty) {
        q_is_in_slot(q, e->slot, e->node);
        return;
    }
    list_slot(q, e->slot);
    q->slot_value[e->slot] = e->node;
    q_node(q, e->node)->set_slot = e->slot;
}

void q_give_home(struct quick *q, uint32_t node)
{
    struct q_node *n = q_node(q, node);

    if (n->host == Q_NO_HOST || n->op == Q_CONST || n->op == Q_PC || n->spill >= 0 || n->slot >= 0)
        return;
    n->spill = (int16_t)take_spill(q);
    q_target.store(q, host_bits(n), q_spill_place((unsigned)n->spill), n->host);
}

static bool may_be_lost(const struct quick *q, unsigned host)
{
    return q->in_host[host] && !(q_target.preserved >> host & 1);
}

void q_save_registers(struct quick *q)
{
    for (unsigned host = 0; host < Q_HOSTS; host++) {
        if (may_be_lost(q, host))
            store_if_needed(q, q->in_host[host]);
    }
}

void q_leave_registers(struct quick *q)
{
    for (unsigned host = 0; host < Q_HOSTS; host++) {
        if (may_be_lost(q, host))
            empty_register(q, host);
    }
}

void q_forget_state(struct quick *q)
{
    for (size_t n = 0; n < q->touched.len; n++) {
        uint32_t slot = q->touched.data[n];

        q_leave_slot(q, slot);
        q->slot_memory[slot] = q->slot_value[slot] = Q_NONE;
    }
    q->touched.len = 0;
}

q_hosts q_allocatable(const struct quick *q)
{
    return q_target.allocatable | (q->flat && !q->base_is_near ? 0 : q_target.without_base) |
           (q->out.features ? q_target.with_features : 0);
}

void q_allocate_begin(struct quick *q)
{
    size_t bytes = (q->map->slots.len + 1) * sizeof(*q->slot_value);

    memset(q->in_host, 0, sizeof(q->in_host));
    memset(q->spills_used, 0, sizeof(q->spills_used));
    q->allocatable = q_allocatable(q);
    q->slot_value = xrealloc(q->slot_value, bytes, 1);
    q->slot_memory = xrealloc(q->slot_memory, bytes, 1);
    memset(q->slot_value, 0, bytes);
    memset(q->slot_memory, 0, bytes);
    q->touched.len = 0;
}

void q_allocate_free(struct quick *q)
{
    vec_free(&q->touched);
    free(q->slot_value);
    free(q->slot_memory);
}
