/*
 * Bridges: code from an exit of a trace to the inner entry of the trace that it is linked to. Guest
 * registers go from host register to host register. Only those are stored that the other trace
 * expects in memory.
 *
 *     exit's jump ──▶ bridge: ticks of the first head, stores, moves, loads ──▶ inner entry
 *                       └── no ticks left ──▶ the exit's own code, which stores all
 *
 * What the other trace writes before anything but a fault or a deoptimisation can leave it is owed
 * (struct q_debt): the bridge keeps operands of expressions in the frame, and C stores the results
 * then (trap.c).
 *
 * It is made when the exit is linked, and is freed when it is not any more. It calls nothing, so no
 * CPU can be inside of a bridge then.
 *
 * The bridge of a case (cases.c) begins with the comparison of the address. It is also made for a
 * trace without an inner entry, to whose head it stores all.
 */
#include <inttypes.h>

#include "runtime/jit/quick/target.h"

#include "runtime/jit/quick/emit.h"

enum {
    ROOM = 4096,
    MAX_BRIDGES = 4, /* of an exit: traces at its target may die again and again */
    RARE_SHIFT = 12, /* as Q_TURN_SHIFT, where no case of many is the right one */
};

struct bridge {
    struct quick q; /* of the trace that is left, for the host's functions */
    const struct q_exit *e;
    const struct q_code *to;
    struct q_map_entry stores[REGION_MAX_SLOTS];
    uint32_t store_count;
    struct q_owed *owed; /* registers that are not stored; NULL: there are none */
    struct q_owed_term terms[Q_OWED_TERMS];
    uint32_t term_exprs[Q_OWED_TERMS]; /* by term: the expression that it is */
    uint32_t term_count;
    struct q_where kept[Q_OWED]; /* places of which these need the values */
    uint32_t kept_count;
    uint8_t from[Q_HOSTS]; /* by register of the inner entry: the one that has its value now */
    uint8_t low[Q_HOSTS];  /* not 0: only its lowest bits; as q_target.keep_low() has them */
    q_hosts moves;         /* registers with a `from` */
};

/* Where a case's bridge leads for another address. */
static const void *after_case(const struct q_exit *c)
{
    struct q_exit *const *all = c->of->cases->exit;
    unsigned n = 0;

    while (all[n] != c)
        n++;
    while (++n < Q_CASES) {
        if (all[n] && all[n]->bridge)
            return all[n]->compares;
    }
    return c->of->stores;
}

/* The jump that leads to a case's bridge, and the piece of memory that it is in. */
static uint8_t *before_case(const struct q_exit *c, struct chunk **chunk)
{
    struct q_exit *const *all = c->of->cases->exit;
    uint8_t *jump = c->of->early;

    *chunk = c->of->from->chunk;
    for (unsigned n = 0; all[n] != c; n++) {
        if (all[n]->bridge) {
            jump = all[n]->other;
            *chunk = all[n]->bridge;
        }
    }
    return jump;
}

static const struct q_entry *entry_of(const struct q_code *to, unsigned slot)
{
    for (size_t n = 0; n < to->entry.len; n++) {
        if (to->entry.data[n].slot == slot)
            return &to->entry.data[n];
    }
    return NULL;
}

static unsigned slot_bits(const struct bridge *b, unsigned slot)
{
    return b->q.map->slots.data[slot].size * 8u;
}

/* Plans a move between registers; false: the value is not in one, or not as the other trace
 * needs it. */
static bool plan_move(struct bridge *b, const struct q_entry *to, struct q_where at)
{
    unsigned bits = slot_bits(b, to->slot);
    const struct q_expr *x = at.kind == Q_IN_EXPR ? &b->q.code->exprs.data[at.index] : NULL;

    if (x && x->a.kind == Q_IN_HOST &&
        ((x->op == Q_LOW && bits == 128) || (q_extends_host(x) && bits == 64))) {
        b->low[to->host] = (uint8_t)x->imm;
        at = x->a;
    } else if (at.kind != Q_IN_HOST || (bits < 64 && at.index > bits)) {
        return false;
    }
    if ((at.host >= Q_V) != (to->host >= Q_V))
        return false;
    b->from[to->host] = at.host;
    b->moves |= (q_hosts)1 << to->host;
    return true;
}

/* Whether the other trace writes the register before it can be left otherwise than by a fault or by
 * deoptimisation. */
static bool is_late(const struct q_code *to, unsigned slot)
{
    for (uint32_t n = 0; n < to->late.len; n++) {
        if (to->late.data[n].slot == slot)
            return true;
    }
    return false;
}

static bool owe_kept(struct bridge *b, struct q_where at, struct q_owed_value *v)
{
    unsigned k = 0;

    while (k < b->kept_count && !q_same_place(b->kept[k], at))
        k++;
    if (k == Q_OWED)
        return false;
    if (k == b->kept_count)
        b->kept[b->kept_count++] = at;
    *v = (struct q_owed_value){Q_OWED_KEPT, k};
    return true;
}

static bool owe_value(struct bridge *b, struct q_where at, struct q_owed_value *v);

static bool owe_term(struct bridge *b, uint32_t expr, struct q_owed_value *v)
{
    const struct q_expr *x = &b->q.code->exprs.data[expr];
    struct q_owed_term t = {.op = x->op, .sub = x->sub, .type = x->type, .imm = x->imm};

    for (uint32_t n = 0; n < b->term_count; n++) {
        if (b->term_exprs[n] == expr) {
            *v = (struct q_owed_value){Q_OWED_TERM, n};
            return true;
        }
    }
    if ((x->op != Q_BINARY && x->op != Q_ZEXT && x->op != Q_SEXT) || q_in_vector(x->type) ||
        !owe_value(b, x->a, &t.a) || (x->op == Q_BINARY && !owe_value(b, x->b, &t.b)) ||
        b->term_count == Q_OWED_TERMS)
        return false;
    *v = (struct q_owed_value){Q_OWED_TERM, b->term_count};
    b->term_exprs[b->term_count] = expr;
    b->terms[b->term_count++] = t;
    return true;
}

/* Describes a value by constants and by what the bridge keeps. */
static bool owe_value(struct bridge *b, struct q_where at, struct q_owed_value *v)
{
    switch (at.kind) {
    case Q_IN_CONST:
        *v = (struct q_owed_value){Q_OWED_CONST, b->q.code->constants.data[at.index].w[0]};
        return true;
    case Q_IN_EXPR:
        return owe_term(b, at.index, v);
    case Q_IN_HOST:
        return owe_kept(b, at, v); /* of floats, their low 64 bits */
    case Q_IN_SPILL:
    case Q_IN_SLOT:
        return owe_kept(b, at, v);
    default:
        return false;
    }
}

/* Plans to owe a register that the other trace writes late, if it is a constant or an expression:
 * flags are many stores of few operands. */
static bool plan_debt(struct bridge *b, const struct q_map_entry *e)
{
    const uint32_t terms = b->term_count, kept = b->kept_count;
    struct q_debt d = {.slot = e->slot};

    if (!is_late(b->to, e->slot) || slot_bits(b, e->slot) > 64 ||
        (e->at.kind != Q_IN_CONST && e->at.kind != Q_IN_EXPR))
        return false;
    if (!owe_value(b, e->at, &d.value)) {
        b->term_count = terms;
        b->kept_count = kept;
        return false;
    }
    if (!b->owed)
        b->owed = q_take(b->q.code, sizeof(*b->owed) + b->e->dirty * sizeof(d));
    b->owed->debts[b->owed->count++] = d;
    return true;
}

static struct q_place kept_place(unsigned n)
{
    size_t offset = offsetof(struct q_frame, owed_values) + n * sizeof(uint64_t);

    return (struct q_place){.in_frame = true, .offset = (int32_t)offset};
}

/* Keeps a value that is in a host register or in memory. */
static void keep_value(struct bridge *b, unsigned n)
{
    const struct q_where at = b->kept[n];
    unsigned host = at.kind == Q_IN_HOST ? at.host : q_target.scratch, bits;

    if (at.kind == Q_IN_SPILL) {
        q_target.load(&b->q, 64, host, q_spill_place(at.spill));
    } else if (at.kind == Q_IN_SLOT) {
        bits = slot_bits(b, at.index);
        q_target.load(&b->q, bits < 64 ? bits : 64, host, q_slot_place(&b->q, at.index));
    }
    q_target.store(&b->q, 64, kept_place(n), host);
}

/* Keeps the operands, and tells the other trace's sites what is owed. */
static void emit_debts(struct bridge *b)
{
    struct q_owed_term *terms;

    for (uint32_t n = 0; n < b->kept_count; n++)
        keep_value(b, n);
    if (b->term_count) {
        terms = q_take(b->q.code, b->term_count * sizeof(*terms));
        memcpy(terms, b->terms, b->term_count * sizeof(*terms));
        b->owed->terms = terms;
        b->owed->term_count = b->term_count;
    }
    if (b->to->late.len)
        q_target.store_constant(&b->q, 64, q_owed_place(), (uintptr_t)b->owed);
}

/* Whether no instruction of the host takes a value that is not moved to where it is to be, but by
 * the register's memory: an expression, one in the other kind of register, or an address of code
 * in a vector register. */
static bool goes_by_memory(const struct q_entry *to, struct q_where at)
{
    return at.kind == Q_IN_EXPR || at.kind == Q_IN_HOST || (at.kind == Q_IN_PC && to->host >= Q_V);
}

/* Plans a register that memory does not have. */
static void plan_dirty(struct bridge *b, const struct q_map_entry *e)
{
    const struct q_entry *to = entry_of(b->to, e->slot);
    bool moved = to && plan_move(b, to, e->at);

    if (!to && b->to->dead[e->slot / 64] >> e->slot % 64 & 1)
        return;
    if (!to && plan_debt(b, e))
        return;
    if (!to || !to->dirty || (!moved && goes_by_memory(to, e->at)))
        b->stores[b->store_count++] = *e;
}

static q_hosts read_by(const struct bridge *b, q_hosts moves)
{
    q_hosts read = 0;

    for (; moves; moves &= moves - 1)
        read |= (q_hosts)1 << b->from[__builtin_ctzll(moves)];
    return read;
}

/* Moves what is in `host` to a scratch register, and lets the moves that read it read that. */
static void save_host(struct bridge *b, unsigned host, q_hosts moves)
{
    unsigned scratch = host >= Q_V ? q_target.vector_scratch : q_target.scratch;

    q_target.move(&b->q, scratch, host);
    for (; moves; moves &= moves - 1) {
        uint8_t *from = &b->from[__builtin_ctzll(moves)];

        *from = *from == host ? (uint8_t)scratch : *from;
    }
}

/* Does all moves, each after those that read its target, unless they are in a cycle. */
static void emit_moves(struct bridge *b)
{
    q_hosts left = b->moves;

    for (q_hosts m = left; m; m &= m - 1) {
        unsigned host = (unsigned)__builtin_ctzll(m);

        if (b->from[host] == host)
            left &= ~((q_hosts)1 << host);
    }
    while (left) {
        q_hosts ready = left & ~read_by(b, left);
        unsigned host = (unsigned)__builtin_ctzll(ready ? ready : left);

        if (!ready) {
            save_host(b, host, left);
            continue;
        }
        q_target.move(&b->q, host, b->from[host]);
        left &= ~((q_hosts)1 << host);
    }
    for (q_hosts m = b->moves; m; m &= m - 1) {
        unsigned host = (unsigned)__builtin_ctzll(m);

        if (b->low[host])
            q_target.keep_low(&b->q, host, b->low[host]);
    }
}

/* Loads a register of the entry from where its value is, if not in memory as all others. */
static void load_entry(struct bridge *b, const struct q_entry *to, struct q_where at)
{
    struct quick *q = &b->q;
    unsigned bits = slot_bits(b, to->slot), other;
    bool vector = to->host >= Q_V;
    struct q_node n = {.op = Q_CONST, .type = vector ? JIT_U128 : JIT_U64, .sub = vector};

    if (goes_by_memory(to, at)) {
        q_target.load(q, bits, to->host, q_slot_place(q, to->slot));
        return;
    }
    switch (at.kind) {
    case Q_IN_CONST:
        n.imm = q->code->constants.data[at.index].w[0];
        n.imm2 = q->code->constants.data[at.index].w[1];
        if (bits < 64)
            n.imm &= (UINT64_C(1) << bits) - 1;
        q_target.load_constant(q, to->host, &n);
        break;
    case Q_IN_PC:
        q_target.load_pc(q, to->host, (int64_t)q->code->constants.data[at.index].w[0]);
        break;
    case Q_IN_SPILL:
        q_target.load(q, bits, to->host, q_spill_place(at.spill));
        break;
    case Q_IN_SLOT:
        other = slot_bits(b, at.index);
        q_target.load(q, other < bits ? other : bits, to->host, q_slot_place(q, at.index));
    }
}

static void emit_loads(struct bridge *b, const struct q_map_entry *map)
{
    for (size_t n = 0; n < b->to->entry.len; n++) {
        const struct q_entry *to = &b->to->entry.data[n];
        struct q_where at = {.kind = Q_IN_EXPR};

        if (b->moves >> to->host & 1)
            continue;
        for (uint32_t k = 0; k < b->e->dirty; k++) {
            if (map[k].slot == to->slot)
                at = map[k].at;
        }
        load_entry(b, to, at);
    }
}

static void add_address(struct quick *q, const struct q_exit *e)
{
    if (e->delta && !q->flat)
        q_target.add_to_member(q, offsetof(struct cpu, region_pc), e->delta);
}

/* Compares the address of a case. */
static void emit_comparison(struct quick *q, struct q_exit *e)
{
    e->other = q_target.differs(q, e->of->cases->address, e->delta);
    q_target.patch(e->other, after_case(e), q->out.write);
}

/* What the exit's own code leads to when it has stored all (pin.c): C now and then, else the jump
 * cache. */
static void emit_wait(struct quick *q, struct q_exit *e)
{
    const struct q_cases *cases = e->of ? e->of->cases : NULL;
    const void *by_cache = cases ? cases->by_cache : q->tier->thunks.lookup;

    e->pin->waits = q->out.at;
    q_target.patch(q_target.now_and_then(q, cases ? RARE_SHIFT : Q_TURN_SHIFT), e->unlinked,
                   q->out.write);
    q_target.patch(q_target.jump(q), by_cache, q->out.write);
}

/* What the bridge does behind the comparisons of the pin, if they fail: goes on if the soft TLB has
 * the other trace's page. */
static void emit_again(struct bridge *b, const struct region *to, uint8_t *differs[2],
                       const uint8_t *goes_on)
{
    const struct q_exit *e = b->e;
    struct quick *q = &b->q;

    for (unsigned n = 0; n < 2; n++)
        q_target.patch(differs[n], q->out.at, q->out.write);
    q_target.patch(q_target.check_mapped(q, cpu_table(e->from->bank, e->from->ring), e->delta,
                                         to->sources[0].pa),
                   e->stores, q->out.write);
    q_target.patch(q_target.jump(q), goes_on, q->out.write);
}

static void emit_to_head(struct bridge *b)
{
    struct quick *q = &b->q;

    if (b->e->ahead)
        q_target.give_back(q, b->e->ahead);
    q_target.store_map(q, q->code->maps.data + b->e->map, b->e->dirty);
    add_address(q, b->e);
    q_target.patch(q_target.jump(q), b->to->head, q->out.write);
}

/* Takes what the other trace's first head takes, less what is ahead. Returns the jump that is taken
 * if too few are left; NULL: they are there already. */
static uint8_t *take_ticks(struct quick *q, uint32_t ticks, uint32_t ahead)
{
    if (ticks > ahead)
        return q_target.take(q, ticks - ahead);
    if (ticks < ahead)
        q_target.give_back(q, ahead - ticks);
    return NULL;
}

/* Whether the exceptions of floats are those that the other trace sets. One that only compares
 * wants some, and does not say which (q_target.set_traps). */
static bool has_traps_of(const struct q_code *from, const struct q_code *to)
{
    if (!from->sets_traps || from->traps != to->traps)
        return false;
    if (to->traps && to->compares)
        return true;
    return from->inexact == to->inexact && !(from->traps && from->compares);
}

static void emit_to_entry(struct bridge *b)
{
    struct quick *q = &b->q;
    const struct q_exit *e = b->e;
    const struct q_map_entry *map = q->code->maps.data + e->map;
    const struct q_entry *to;
    uint32_t ticks = b->to->first_ticks;
    uint8_t *stop = take_ticks(q, ticks, e->ahead);

    for (uint32_t n = 0; n < e->dirty; n++)
        plan_dirty(b, &map[n]);
    for (uint32_t n = e->dirty; n < e->dirty + e->clean; n++) {
        to = entry_of(b->to, map[n].slot);
        if (to)
            plan_move(b, to, map[n].at);
    }
    emit_debts(b); /* before stores to slots that it reads */
    q_target.store_map(q, b->stores, b->store_count);
    emit_moves(b);
    emit_loads(b, map);
    add_address(q, e);
    q_target.patch(q_target.jump(q),
                   b->to->past_traps && has_traps_of(q->code, b->to) ? b->to->past_traps
                                                                     : b->to->inner,
                   q->out.write);
    if (!stop)
        return;
    q_target.patch(stop, q->out.at, q->out.write);
    q_target.give_back(q, ticks - e->ahead);
    q_target.patch(q_target.jump(q), e->stores, q->out.write);
}

/* Lists the bridge, and names it for profilers. */
static void note_bridge(struct jit *jit, const struct bridge *b, const struct region *to)
{
    const uint8_t *start = b->q.out.start;
    size_t size = (size_t)(b->q.out.at - start);

    if (jit->perf_map) {
        fprintf(jit->perf_map, "%" PRIxPTR " %zx quick_%" PRIx64 "\n", (uintptr_t)start, size,
                to->pc);
        fflush(jit->perf_map);
    }
    if (!log_enabled(jit->log, LOG_OUT_ASM))
        return;
    log_printf(jit->log, LOG_OUT_ASM, "quick: bridge from %#" PRIx64 " to %#" PRIx64 "\n",
               b->e->from->pc, to->pc);
    llvm_list_code(jit, start, size);
}

/* Makes the jump that leads to the exit's code, or to a case's bridge, lead to `to`. */
static bool patch_early(const struct q_exit *e, const void *to, bool must)
{
    struct chunk *chunk = e->from->chunk;
    uint8_t *jump = e->of ? before_case(e, &chunk) : e->early;

    return quick_patch_jump(&e->from->jit->arena, chunk, jump, to, must);
}

static void init_bridge(struct bridge *b, struct jit *jit, uint8_t *start)
{
    struct q_buffer *x = &b->q.out;

    x->start = x->at = start;
    x->end = start + ROOM;
    x->write = jit->arena.write;
    x->features = jit->quick->features;
    b->q.r = b->e->from;
    b->q.code = b->e->from->quick;
    b->q.map = b->e->from->map;
    b->q.tier = jit->quick;
    b->q.flat = b->e->from->flat;
}

bool quick_bridge(struct q_exit *e, const struct region *to)
{
    struct jit *jit = to->jit;
    struct arena *a = &jit->arena;
    struct bridge b = {.e = e, .to = to->quick};
    struct q_buffer *x = &b.q.out;
    uint8_t *start, *differs[2];
    const uint8_t *goes_on;

    if (!e->early || !(to->quick->inner || e->of) || e->from->map != to->map ||
        e->bridges == MAX_BRIDGES)
        return false;
    start = arena_take(a, ARENA_GUEST, ROOM, ARENA_ALIGN, &e->bridge);
    if (!start)
        return false;
    init_bridge(&b, jit, start);
    if (e->of)
        emit_comparison(&b.q, e);
    if (e->pin)
        q_target.check_stamp(&b.q, cpu_table(e->from->bank, e->from->ring), e->pin, differs);
    goes_on = x->at;
    if (to->quick->inner)
        emit_to_entry(&b);
    else
        emit_to_head(&b);
    if (e->pin) {
        emit_again(&b, to, differs, goes_on);
        emit_wait(&b.q, e);
    }
    __builtin___clear_cache((char *)x->start, (char *)x->at);
    arena_trim(a, e->bridge, x->start, ROOM, (size_t)(x->at - x->start));
    if (x->full || b.q.failure || !patch_early(e, x->start, false)) {
        arena_give(a, e->bridge);
        e->bridge = NULL;
        return false;
    }
    e->compares = start;
    e->bridges++;
    jit->counters.bridges++;
    note_bridge(jit, &b, to);
    return true;
}

bool quick_unbridge(struct q_exit *e)
{
    if (!e->bridge)
        return true;
    if (!patch_early(e, e->of ? after_case(e) : e->stores, true))
        return false;
    arena_give(&e->from->jit->arena, e->bridge);
    e->bridge = NULL;
    return true;
}
