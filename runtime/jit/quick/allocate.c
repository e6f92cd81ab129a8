/*
 * Host registers for values, on the way through the trace: a value moves into a register when it is
 * wanted there, and out when another one needs the place more. The one goes whose next use is
 * farthest; a guest register's value goes where it must go in the end, to the state.
 */
#include "runtime/jit/quick/emit.h"

enum {
    GENERAL = 0xffff,
    /* RCX RBX RSI RDI R8-R11 R14 R15, XMM0-XMM13 */
    ALLOCATABLE = 0xcfca | 0x3fff << Q_X,
    CALLEE_SAVED = 1 << RBX | 1 << R12 | 1 << R14 | 1 << R15,
};

static bool is_dirty_value(const struct quick *q, uint32_t node)
{
    int32_t slot = q->nodes.data[node].value_of;

    return slot >= 0 && q->slot_value[slot] == node && q->slot_memory[slot] != node;
}

bool q_is_alive(const struct quick *q, uint32_t node)
{
    const struct q_node *n = &q->nodes.data[node];

    return n->next != Q_NEVER || n->keep >= q->at;
}

struct x64_mem q_slot_place(const struct quick *q, uint32_t slot)
{
    return x64_at(Q_CPU, (int32_t)(offsetof(struct cpu, state) + q->map->slots.data[slot].offset));
}

struct x64_mem q_spill_place(unsigned spill)
{
    return x64_at(RSP, (int32_t)(offsetof(struct q_frame, spill) + spill * sizeof(struct q_vec)));
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

static void store_host(struct quick *q, struct x64_mem m, unsigned host, unsigned bits)
{
    if (host >= Q_X)
        x64_vstore(&q->x, bits, m, host - Q_X);
    else
        x64_store(&q->x, bits, m, host);
}

/* A value that is only in the memory of a slot which is about to change: it moves to a spill slot. */
void q_leave_slot(struct quick *q, uint32_t slot)
{
    uint32_t node = q->slot_memory[slot];
    struct q_node *n = q_node(q, node);

    if (!node)
        return;
    n->slot = -1;
    if (n->host != Q_NO_HOST || n->spill >= 0 || n->op == Q_CONST || n->op == Q_PC ||
        (!q_is_alive(q, node) && !is_dirty_value(q, node)))
        return;
    n->spill = (int16_t)take_spill(q);
    if (q_in_vector(n->result)) {
        x64_vload(&q->x, 128, Q_XSCRATCH, q_slot_place(q, slot));
        x64_vstore(&q->x, 128, q_spill_place((unsigned)n->spill), Q_XSCRATCH);
    } else {
        x64_load(&q->x, q->map->slots.data[slot].size * 8u, Q_SCRATCH, q_slot_place(q, slot));
        x64_store(&q->x, 64, q_spill_place((unsigned)n->spill), Q_SCRATCH);
    }
}

static void store_const(struct quick *q, struct x64_mem m, unsigned bits, uint64_t value)
{
    if (bits < 64 || (int64_t)value == (int32_t)value) {
        x64_store_i(&q->x, bits, m, (int32_t)value);
        return;
    }
    x64_mov_ri(&q->x, Q_SCRATCH, value);
    x64_store(&q->x, 64, m, Q_SCRATCH);
}

void q_store_slot(struct quick *q, uint32_t slot)
{
    uint32_t node = q->slot_value[slot];
    struct q_node *n = q_node(q, node);
    unsigned bits = q->map->slots.data[slot].size * 8u;
    uint64_t value;

    q_leave_slot(q, slot);
    if (n->host != Q_NO_HOST) {
        store_host(q, q_slot_place(q, slot), n->host, bits);
    } else if (bits <= 64 && q_is_const(q, node, &value)) {
        store_const(q, q_slot_place(q, slot), bits, value);
    } else {
        unsigned host = bits > 64 ? Q_X + Q_XSCRATCH : Q_SCRATCH;

        q_reload(q, host, node);
        store_host(q, q_slot_place(q, slot), host, bits);
    }
    q->slot_memory[slot] = node;
    n->slot = (int32_t)slot;
}

/* After this the value need not be in a register. */
static void save(struct quick *q, uint32_t node)
{
    struct q_node *n = q_node(q, node);

    if (is_dirty_value(q, node)) {
        q_store_slot(q, (uint32_t)n->value_of);
        return;
    }
    if (!q_is_alive(q, node) || n->op == Q_CONST || n->op == Q_PC || n->spill >= 0 || n->slot >= 0)
        return;
    n->spill = (int16_t)take_spill(q);
    store_host(q, q_spill_place((unsigned)n->spill), n->host, q_in_vector(n->result) ? 128 : 64);
}

/* ---- registers ------------------------------------------------------------------------------- */

static void put(struct quick *q, uint32_t node, unsigned host)
{
    q->in_host[host] = node;
    q_node(q, node)->host = (uint8_t)host;
}

static void vacate(struct quick *q, unsigned host)
{
    q_node(q, q->in_host[host])->host = Q_NO_HOST;
    q->in_host[host] = Q_NONE;
}

/* Where the least is lost. */
static unsigned choose(const struct quick *q, uint32_t among)
{
    unsigned best = Q_NO_HOST;
    uint32_t best_next = 0;

    for (uint32_t left = among; left; left &= left - 1) {
        unsigned host = (unsigned)__builtin_ctz(left);
        uint32_t node = q->in_host[host];

        if (!node)
            return host;
        /* What no node uses again goes first, but not before what costs no store. */
        if (best == Q_NO_HOST || q->nodes.data[node].next > best_next) {
            best = host;
            best_next = q->nodes.data[node].next;
        }
    }
    return best;
}

static unsigned take(struct quick *q, bool vector)
{
    uint32_t kind = vector ? (uint32_t)GENERAL << Q_X : GENERAL;
    unsigned host = choose(q, q->allocatable & kind & ~q->pinned);

    if (host == Q_NO_HOST) {
        q->failure = "no register is left";
        host = vector ? Q_X : RCX;
        return host;
    }
    if (q->in_host[host]) {
        save(q, q->in_host[host]);
        vacate(q, host);
    }
    q->pinned |= UINT32_C(1) << host;
    return host;
}

void q_reload(struct quick *q, unsigned host, uint32_t node)
{
    struct q_node *n = q_node(q, node);
    struct x64_mem m;

    if (host >= Q_X) {
        if (n->op == Q_CONST) {
            q_load_const_x(q, host - Q_X, n);
            return;
        }
        m = n->spill >= 0 ? q_spill_place((unsigned)n->spill) : q_slot_place(q, (uint32_t)n->slot);
        x64_vload(&q->x, 128, host - Q_X, m);
        return;
    }
    if (n->op == Q_CONST) {
        x64_mov_ri(&q->x, host, n->imm);
    } else if (n->op == Q_PC) {
        x64_load(&q->x, 64, host, x64_at(Q_CPU, offsetof(struct cpu, region_pc)));
        if (n->imm)
            x64_lea(&q->x, 64, host, x64_at(host, (int32_t)n->imm));
    } else if (n->spill >= 0) {
        x64_load(&q->x, 64, host, q_spill_place((unsigned)n->spill));
    } else if (n->slot >= 0) {
        x64_load(&q->x, q->map->slots.data[n->slot].size * 8u, host,
                 q_slot_place(q, (uint32_t)n->slot));
    } else {
        q->failure = "a value is nowhere";
    }
}

static unsigned in_register(struct quick *q, uint32_t node, bool vector)
{
    struct q_node *n = q_node(q, node);

    if (n->host == Q_NO_HOST) {
        unsigned host = take(q, vector);

        q_reload(q, host, node);
        put(q, node, host);
    }
    q->pinned |= UINT32_C(1) << n->host;
    return n->host;
}

unsigned q_use(struct quick *q, uint32_t node)
{
    if (q_in_vector(q_node(q, node)->result))
        q->failure = "an operand is in the wrong kind of register";
    return in_register(q, node, false) % Q_X;
}

unsigned q_use_x(struct quick *q, uint32_t node)
{
    if (!q_in_vector(q_node(q, node)->result))
        q->failure = "an operand is in the wrong kind of register";
    return in_register(q, node, true) % Q_X;
}

/* A register whose value dies with this node, and is not a slot's that is not stored. */
static bool can_share(const struct quick *q, uint32_t node)
{
    return node && q->nodes.data[node].host != Q_NO_HOST && !q_is_alive(q, node) &&
           !is_dirty_value(q, node);
}

static unsigned define(struct quick *q, bool vector, bool share)
{
    const struct q_node *n = q_node(q, q->at);
    unsigned host = Q_NO_HOST;

    for (unsigned k = 0; share && k < 4 && host == Q_NO_HOST; k++) {
        uint32_t node = n->in[k];

        if (can_share(q, node) && (q->nodes.data[node].host >= Q_X) == vector)
            host = q->nodes.data[node].host;
    }
    if (host == Q_NO_HOST)
        host = take(q, vector);
    else
        vacate(q, host);
    put(q, q->at, host);
    q->pinned |= UINT32_C(1) << host;
    return host % Q_X;
}

unsigned q_def(struct quick *q)
{
    return define(q, false, true);
}

unsigned q_def_x(struct quick *q)
{
    return define(q, true, true);
}

unsigned q_def_early_x(struct quick *q)
{
    return define(q, true, false);
}

unsigned q_def_copy(struct quick *q, uint32_t from)
{
    struct q_node *n = q_node(q, from);
    unsigned host;

    if (can_share(q, from) && n->host < Q_X) {
        host = n->host;
        vacate(q, host);
        put(q, q->at, host);
        q->pinned |= UINT32_C(1) << host;
        return host;
    }
    host = take(q, false);
    if (n->host != Q_NO_HOST)
        x64_mov_rr(&q->x, 64, host, n->host);
    else
        q_reload(q, host, from);
    put(q, q->at, host);
    return host;
}

unsigned q_temp_x(struct quick *q)
{
    return take(q, true) - Q_X;
}

bool q_in_memory(struct quick *q, uint32_t node, unsigned bits, struct x64_mem *m)
{
    const struct q_node *n = q_node(q, node);

    if (n->host != Q_NO_HOST)
        return false;
    if (n->spill >= 0) {
        *m = q_spill_place((unsigned)n->spill);
        return bits <= (q_in_vector(n->result) ? 128 : 64);
    }
    if (n->slot < 0)
        return false;
    *m = q_slot_place(q, (uint32_t)n->slot);
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
        /* One that dies here must not make room for another before it is read. */
        if (n->in[k] && q_node(q, n->in[k])->host != Q_NO_HOST)
            q->pinned |= UINT32_C(1) << q_node(q, n->in[k])->host;
    }
    if (n->op == Q_CALL) {
        struct q_call *call = &q->calls.data[n->imm];

        for (unsigned k = 0; k < call->callee->count; k++)
            next_use(q, call->args[k], call->next[k]);
    }
}

/* Gives back what a value that nobody needs any more has. */
static void bury(struct quick *q, uint32_t node)
{
    struct q_node *n = q_node(q, node);

    if (!node || n->next != Q_NEVER || n->keep > q->at || is_dirty_value(q, node))
        return;
    if (n->host != Q_NO_HOST)
        vacate(q, n->host);
    give_spill(q, n);
}

void q_node_end(struct quick *q)
{
    struct q_node *n = q_node(q, q->at);

    for (unsigned k = 0; k < 4; k++)
        bury(q, n->in[k]);
    if (n->op == Q_CALL) {
        const struct q_call *call = &q->calls.data[n->imm];

        for (unsigned k = 0; k < call->callee->count; k++)
            bury(q, call->args[k]);
    }
    if (n->host != Q_NO_HOST)
        bury(q, q->at);
    q->pinned = 0;
}

/* Slots of which anything is known are listed. */
static void touch(struct quick *q, uint32_t slot)
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

    touch(q, slot);
    /* A value waits to be stored for one slot only. */
    if (!is_computable(q_node(q, node)) && is_dirty_value(q, node) &&
        q_node(q, node)->value_of != (int32_t)slot)
        q_store_slot(q, (uint32_t)q_node(q, node)->value_of);
    if (q->slot_memory[slot] != node) { /* a trap may store the new value from now on */
        q_leave_slot(q, slot);
        q->slot_memory[slot] = Q_NONE;
    }
    q->slot_value[slot] = node;
    q_node(q, node)->value_of = (int32_t)slot;
    bury(q, old);
}

void q_is_in_slot(struct quick *q, uint32_t slot, uint32_t node)
{
    touch(q, slot);
    q->slot_memory[slot] = node;
    q_node(q, node)->slot = (int32_t)slot;
}

void q_give_home(struct quick *q, uint32_t node)
{
    struct q_node *n = q_node(q, node);

    if (n->host == Q_NO_HOST || n->op == Q_CONST || n->op == Q_PC || n->spill >= 0 || n->slot >= 0)
        return;
    n->spill = (int16_t)take_spill(q);
    store_host(q, q_spill_place((unsigned)n->spill), n->host, q_in_vector(n->result) ? 128 : 64);
}

static bool may_be_lost(const struct quick *q, unsigned host)
{
    return q->in_host[host] && !(CALLEE_SAVED >> host & 1);
}

void q_save_registers(struct quick *q)
{
    for (unsigned host = 0; host < Q_HOSTS; host++) {
        if (may_be_lost(q, host))
            save(q, q->in_host[host]);
    }
}

void q_leave_registers(struct quick *q)
{
    for (unsigned host = 0; host < Q_HOSTS; host++) {
        if (may_be_lost(q, host))
            vacate(q, host);
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

void q_allocate_begin(struct quick *q)
{
    size_t bytes = (q->map->slots.len + 1) * sizeof(*q->slot_value);

    memset(q->in_host, 0, sizeof(q->in_host));
    memset(q->spills_used, 0, sizeof(q->spills_used));
    q->allocatable = ALLOCATABLE | (q->flat ? 0 : UINT32_C(1) << R12);
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
