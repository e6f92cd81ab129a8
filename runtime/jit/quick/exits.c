/*
 * Exits of a trace, and its cold code. A site that traps has a map of guest registers, which C
 * stores. An exit that is code stores the same map's values itself.
 */
#include "runtime/base/alloc.h"
#include "runtime/jit/quick/target.h"

#include "runtime/jit/quick/emit.h"

struct cold {
    uint8_t *jump;
    const struct q_site *site; /* site of a trap; NULL: an exit */
    const uint8_t *return_to;
    bool checks_page;            /* of a Q_PAGE, with `site`: */
    uint8_t *other;              /* a second jump that leads here */
    uint32_t page, leave;        /* the node; number of its exit's cold code */
    bool clears;                 /* sets `host` to 0 */
    bool goes_round;             /* a detour; `host` is set to 0 before, if there is one */
    uint32_t detour;             /* number of its first access */
    uint8_t host;                /* of an access with an ADDEND: base of its address */
    uint32_t access;             /* the access; Q_NONE: none */
    const uint8_t *hit;          /* where it goes on after a hit */
    uint32_t fault, fault_count; /* range of q_code.faults that leads here */
    struct q_side_exit side_exit;
    struct q_where address;
    uint32_t map, map_count; /* range of quick_exits.maps */
    uint32_t ahead;          /* of an exit: as in struct q_exit */
    bool has_kept;
    uint32_t kept, dirty, clean; /* if so: range of q_code.maps, as in struct q_exit */
};

struct quick_exits {
    VEC(struct cold) cold;
    struct q_maps maps;
};

static void bind_jump(struct quick *q, uint8_t *jump, const void *to)
{
    q_target.patch(jump, to, q->out.write);
}

/* ---- traps ----------------------------------------------------------------------------------- */

/* No detour goes round what leads to cold code. */
static void push_cold(struct quick *q, const struct cold *c)
{
    q_detour_end(q);
    vec_push(&q->exits->cold, *c);
}

void q_trap_later(struct quick *q, uint8_t *jump, struct q_site *site, const uint8_t *back)
{
    push_cold(q, &(struct cold){.jump = jump, .site = site, .return_to = back});
}

void q_clear_later(struct quick *q, uint8_t *jump, unsigned host, const uint8_t *back)
{
    push_cold(
        q, &(struct cold){.jump = jump, .clears = true, .host = (uint8_t)host, .return_to = back});
}

void q_detour_later(struct quick *q, uint8_t *jump, uint32_t addend, unsigned cleared)
{
    push_cold(q, &(struct cold){.jump = jump,
                                .goes_round = true,
                                .detour = (uint32_t)q->detours.len,
                                .host = (uint8_t)cleared,
                                .return_to = q->out.at});
    q_detour_begin(q, addend);
}

void q_look_up_later(struct quick *q, uint8_t *jump, unsigned base, const uint8_t *hit,
                     struct q_site *site, const uint8_t *back)
{
    push_cold(q, &(struct cold){.jump = jump,
                                .site = site,
                                .return_to = back,
                                .host = (uint8_t)base,
                                .access = q->at,
                                .hit = hit});
}

void q_fault_later(struct quick *q, const uint8_t *insn, struct q_site *site, const uint8_t *back)
{
    push_cold(q, &(struct cold){.site = site,
                                .return_to = back,
                                .fault = (uint32_t)q->code->faults.len,
                                .fault_count = 1});
    vec_push(&q->code->faults, (struct q_fault){.at = (uint32_t)(insn - q->out.start)});
}

void q_may_trap_here(struct quick *q)
{
    if (!q->traps)
        return;
    q_detour_end(q);
    if (q->may_trap.node != q->at)
        q->may_trap.count = 0;
    q->may_trap.node = q->at;
    if (q->may_trap.count == Q_TRAPS)
        q->failure = "too many operations that may trap";
    else
        q->may_trap.at[q->may_trap.count++] = (uint32_t)(q->out.at - q->out.start);
}

void q_leave_by_trap(struct quick *q, const struct q_side_exit *out, uint8_t *jump)
{
    struct q_site *s = q_new_site(q, Q_SITE_DEOPT, out->source, out->index);
    uint32_t first = (uint32_t)q->code->faults.len;

    s->floats = true;
    for (unsigned n = 0; n < q->may_trap.count; n++)
        vec_push(&q->code->faults, (struct q_fault){.at = q->may_trap.at[n]});
    push_cold(q, &(struct cold){
                     .jump = jump, .site = s, .fault = first, .fault_count = q->may_trap.count});
    q->may_trap.count = 0;
}

void q_call_handler(struct quick *q, unsigned source, unsigned index, const void *insn)
{
    struct q_maps *maps = &q->exits->maps;
    size_t from = maps->len;
    uint32_t count = q_map_slots(q, maps);
    struct q_site *s;

    q_detour_end(q);
    q_target.store_map(q, maps->data + from, count);
    q_forget_state(q);
    s = q_new_site(q, Q_SITE_HANDLER, source, index);
    s->object = insn;
    q_target.call_thunk(q, q->tier->thunks.handler, s);
}

/* ---- exits ----------------------------------------------------------------------------------- */

static bool is_same_page(const struct quick *q, unsigned source, int64_t delta)
{
    const struct source *s = &q->r->sources[source];
    int64_t at = (int64_t)(s->pa & CPU_PAGE_MASK) + delta - s->delta;

    return at >= 0 && at < (int64_t)CPU_PAGE_SIZE;
}

/* Keeps, with the trace, where guest registers are at an exit that may get a bridge. */
static void keep_map(struct quick *q, struct cold *c)
{
    struct q_maps *kept = &q->code->maps;

    const struct q_side_exit *out = &c->side_exit;

    if (!q_target.give_back ||
        !(out->kind == Q_TO_VALUE ||
          (out->kind == Q_TO_KNOWN &&
           (q->flat || q_target.check_stamp || is_same_page(q, out->source, out->delta)))))
        return;
    c->has_kept = true;
    c->kept = (uint32_t)kept->len;
    c->dirty = c->map_count;
    for (uint32_t n = 0; n < c->map_count; n++) {
        struct q_map_entry e = q->exits->maps.data[c->map + n];

        if (e.at.kind == Q_IN_HOST)
            e.at.index = q_node(q, q->slot_value[e.slot])->known;
        vec_push(kept, e);
    }
    c->clean = q_map_clean(q, kept);
}

/* Lets an exit that may get a bridge begin with a jump to what follows, unless the jump that leads
 * here can lead to a bridge itself. */
static void emit_early_jump(struct quick *q, struct cold *c)
{
    if (!c->has_kept || (c->jump && !q_target.near_guards))
        return;
    c->jump = q_target.jump(q);
    bind_jump(q, c->jump, q->out.at);
}

/* Appends an exit, whose jump is here, with C's part of it behind. */
static struct q_exit *append_exit(struct quick *q, const struct cold *c, const uint8_t *stores)
{
    struct q_exit *e = q_take(q->code, sizeof(*e));
    uint8_t *jump = q_target.jump(q);

    *e = (struct q_exit){.from = q->r,
                         .delta = c->side_exit.delta,
                         .jump = jump,
                         .unlinked = q->out.at,
                         .early = c->has_kept ? c->jump : NULL,
                         .ahead = c->ahead,
                         .stores = stores,
                         .map = c->kept,
                         .dirty = c->dirty,
                         .clean = c->clean};
    bind_jump(q, e->jump, e->unlinked);
    vec_push(&q->code->exits, e);
    return e;
}

static void call_link(struct quick *q, const struct q_side_exit *out, const struct q_exit *e)
{
    struct q_site *s = q_take(q->code, sizeof(*s));

    *s = (struct q_site){.region = q->r,
                         .kind = Q_SITE_LINK,
                         .source = out->source,
                         .index = out->index,
                         .object = e};
    q_target.call_thunk(q, q->tier->thunks.link, s);
}

static void leave_to_known(struct quick *q, const struct cold *c, const uint8_t *stores)
{
    const struct q_side_exit *out = &c->side_exit;
    struct q_exit *e;

    if (out->delta != (int32_t)out->delta)
        q->failure = "a branch over more than 2 GB";
    if (out->delta && !q->flat)
        q_target.add_to_member(q, offsetof(struct cpu, region_pc), out->delta);
    e = append_exit(q, c, stores);
    e->same_page = is_same_page(q, out->source, out->delta);
    call_link(q, out, e);
}

/* Exit to a computed address: C makes cases of addresses until they are enough (cases.c). */
static void leave_to_value(struct quick *q, const struct cold *c, const uint8_t *stores)
{
    struct q_exit *e;

    if (c->has_kept) {
        e = append_exit(q, c, stores);
        e->cases = q_take(q->code, sizeof(*e->cases));
        e->cases->address = c->address;
        q_target.set_address(q, c->address);
        call_link(q, &c->side_exit, e);
        e->cases->by_cache = q->out.at;
    }
    q_target.jump_to_value(q, c->address);
}

/* Exit to another mode: C changes the mode, and continues by the address. */
static void leave_to_mode(struct quick *q, const struct q_side_exit *out, struct q_where address)
{
    struct q_site *s = q_take(q->code, sizeof(*s));

    *s = (struct q_site){.region = q->r, .kind = Q_SITE_MODE, .mode = out->mode};
    q_target.set_address(q, address);
    q_target.call_thunk(q, q->tier->thunks.handler, s);
    q_jump_to_thunk(q, q_target.jump(q), q->tier->thunks.lookup);
}

static void leave_by(struct quick *q, struct cold *c)
{
    const struct q_side_exit *out = &c->side_exit;
    const uint8_t *stores;

    emit_early_jump(q, c);
    stores = q->out.at;
    if (c->ahead)
        q_target.give_back(q, c->ahead);
    q_target.store_map(q, q->exits->maps.data + c->map, c->map_count);
    if (out->kind == Q_TO_VALUE)
        leave_to_value(q, c, stores);
    else if (out->kind == Q_TO_MODE)
        leave_to_mode(q, out, c->address);
    else
        leave_to_known(q, c, stores);
}

/* Notes where the guest's registers and the address are at an exit. */
static void locate_state(struct quick *q, struct cold *c)
{
    q->leaves = true;
    c->ahead = q->ahead;
    c->map = (uint32_t)q->exits->maps.len;
    c->map_count = q_map_slots(q, &q->exits->maps);
    if (c->side_exit.kind != Q_TO_KNOWN)
        c->address = q_where_is(q, c->side_exit.address);
    q->leaves = false;
    keep_map(q, c);
}

void q_leave_now(struct quick *q, const struct q_side_exit *out)
{
    struct cold c = {.side_exit = *out};

    locate_state(q, &c);
    leave_by(q, &c);
}

uint32_t q_leave_prepare(struct quick *q, const struct q_side_exit *out)
{
    struct quick_exits *e = q->exits;
    struct cold c = {.side_exit = *out};
    struct q_site *s;

    if (out->kind == Q_TO_HANDLER) {
        c.site = s = q_new_site(q, Q_SITE_DEOPT, out->source, out->index);
        s->all_ways = out->all_ways;
    } else {
        locate_state(q, &c);
    }
    push_cold(q, &c);
    return (uint32_t)e->cold.len - 1;
}

void q_leave_jump(struct quick *q, uint8_t *jump, uint32_t leave)
{
    struct cold *c = &q->exits->cold.data[leave];

    if (c->jump) {
        vec_push(&q->exits->cold, q->exits->cold.data[leave]);
        c = &q->exits->cold.data[q->exits->cold.len - 1];
    }
    c->jump = jump;
}

/* ---- other pages ----------------------------------------------------------------------------- */

enum { NO_STAMP = STAMP_FIRST - 1 }; /* none yet, in as many bytes as all have */

void q_check_page(struct quick *q)
{
    const struct q_side_exit *out = &q->side_exits.data[q_node(q, q->at)->imm];
    struct q_pin *pin = q_take(q->code, sizeof(*pin));
    struct cold c = {.checks_page = true, .page = q->at};
    size_t at = q->exits->cold.len;
    uint8_t *fails[2];

    *pin = (struct q_pin){.stamp = NO_STAMP};
    c.site = q_new_site(q, Q_SITE_PAGE, out->source, out->index);
    ((struct q_site *)(uintptr_t)c.site)->object = pin;
    push_cold(q, &c); /* before the exit's, which its jumps lead to */
    c.leave = q_leave_prepare(q, out);
    q_target.check_stamp(q, cpu_table(q->r->bank, q->r->ring), pin, fails);
    c.jump = fails[0];
    c.other = fails[1];
    c.return_to = q->out.at;
    q->exits->cold.data[at] = c;
}

/* Goes on if the soft TLB has the block's page. Else C renews the stamp now and then, and in any
 * case the jump cache is asked. */
static void ask_for_page(struct quick *q, const struct cold *c)
{
    const struct q_node *n = q_node(q, c->page);
    const struct source *to = &q->r->sources[n->imm2];
    int64_t delta = q->side_exits.data[n->imm].delta;
    uint8_t *fails, *renews;
    const uint8_t *asks;

    bind_jump(q, c->other, q->out.at);
    fails = q_target.check_mapped(q, cpu_table(q->r->bank, q->r->ring), delta, to->pa);
    bind_jump(q, q_target.jump(q), c->return_to);
    bind_jump(q, fails, q->out.at);
    renews = q_target.now_and_then(q, Q_TURN_SHIFT);
    asks = q->out.at;
    q_target.check_page(q, delta, to->block, c->leave);
    bind_jump(q, q_target.jump(q), c->return_to);
    bind_jump(q, renews, q->out.at);
    q_trap_now(q, c->site);
    bind_jump(q, q_target.jump(q), asks);
}

/* ---- cold code ------------------------------------------------------------------------------- */

static void clear_register(struct quick *q, const struct cold *c)
{
    const struct q_node zero = {.op = Q_CONST, .type = JIT_U64, .result = JIT_U64};

    q_target.load_constant(q, c->host, &zero);
    bind_jump(q, q_target.jump(q), c->return_to);
}

/* The look-up of an access whose ADDEND does not serve it. Its trap follows. */
static void look_up(struct quick *q, const struct cold *c)
{
    uint8_t *miss;

    q->at = c->access;
    miss = q_target.look_up(q, c->host, Q_NO_HOST);
    bind_jump(q, q_target.jump(q), c->hit);
    bind_jump(q, miss, q->out.at);
}

void q_emit_cold(struct quick *q)
{
    for (size_t n = 0; n < q->exits->cold.len; n++) {
        struct cold c = q->exits->cold.data[n];

        bind_jump(q, c.jump, q->out.at);
        for (uint32_t k = 0; k < c.fault_count; k++)
            q->code->faults.data[c.fault + k].to = (uint32_t)(q->out.at - q->out.start);
        if (c.clears) {
            clear_register(q, &c);
            continue;
        }
        if (c.checks_page) {
            ask_for_page(q, &c);
            continue;
        }
        if (c.goes_round) {
            q_emit_detour(q, c.detour, c.host, c.return_to);
            continue;
        }
        if (c.access)
            look_up(q, &c);
        if (c.site) {
            q_trap_now(q, c.site);
            if (c.return_to)
                bind_jump(q, q_target.jump(q), c.return_to);
            continue;
        }
        leave_by(q, &c);
    }
}

void q_exits_begin(struct quick *q)
{
    if (!q->exits)
        q->exits = xcalloc(1, sizeof(*q->exits));
    q->exits->cold.len = q->exits->maps.len = 0;
    q->detours.len = 0;
    q_detour_end(q);
    q->last_map = q->last_count = 0;
    memset(q->passed_guards, 0, sizeof(q->passed_guards));
    q->compared.end = NULL;
    q->leaves = false;
}

void q_exits_free(struct quick *q)
{
    if (!q->exits)
        return;
    vec_free(&q->exits->cold);
    vec_free(&q->exits->maps);
    free(q->exits);
}
