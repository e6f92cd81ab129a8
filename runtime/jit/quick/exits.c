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
    uint32_t fault, fault_count; /* range of q_code.faults that leads here */
    struct q_side_exit side_exit;
    struct q_where address;
    uint32_t map, map_count; /* range of quick_exits.maps */
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

void q_trap_now(struct quick *q, const struct q_site *site)
{
    const struct q_thunks *t = &q->tier->thunks;

    q_target.call_thunk(q, site->vectors ? t->trap : t->trap_general, site);
}

void q_trap_later(struct quick *q, uint8_t *jump, struct q_site *site, const uint8_t *back)
{
    vec_push(&q->exits->cold, (struct cold){.jump = jump, .site = site, .return_to = back});
}

void q_fault_later(struct quick *q, const uint8_t *insn, struct q_site *site, const uint8_t *back)
{
    vec_push(&q->exits->cold, (struct cold){.site = site,
                                            .return_to = back,
                                            .fault = (uint32_t)q->code->faults.len,
                                            .fault_count = 1});
    vec_push(&q->code->faults, (struct q_fault){.at = (uint32_t)(insn - q->out.start)});
}

void q_may_trap_here(struct quick *q)
{
    if (!q->traps)
        return;
    if (q->may_trap.node != q->at)
        q->may_trap.count = 0;
    q->may_trap.node = q->at;
    if (q->may_trap.count == Q_TRAPS)
        q->failure = "too many operations that may trap";
    else
        q->may_trap.at[q->may_trap.count++] = (uint32_t)(q->out.at - q->out.start);
}

void q_leave_by_trap(struct quick *q, const struct q_side_exit *out)
{
    struct q_site *s = q_new_site(q, Q_SITE_DEOPT, out->source, out->index);
    uint32_t first = (uint32_t)q->code->faults.len;

    s->floats = true;
    for (unsigned n = 0; n < q->may_trap.count; n++)
        vec_push(&q->code->faults, (struct q_fault){.at = q->may_trap.at[n]});
    vec_push(&q->exits->cold,
             (struct cold){.site = s, .fault = first, .fault_count = q->may_trap.count});
    q->may_trap.count = 0;
}

void q_call_handler(struct quick *q, unsigned source, unsigned index, const void *insn)
{
    struct q_maps *maps = &q->exits->maps;
    size_t from = maps->len;
    uint32_t count = q_map_slots(q, maps);
    struct q_site *s;

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

static void leave_to_known(struct quick *q, const struct q_side_exit *out)
{
    struct q_exit *e = q_take(q->code, sizeof(*e));
    struct q_site *s = q_take(q->code, sizeof(*s));
    uint8_t *jump;

    if (out->delta != (int32_t)out->delta)
        q->failure = "a branch over more than 2 GB";
    if (out->delta && !q->flat)
        q_target.add_to_member(q, offsetof(struct cpu, region_pc), out->delta);
    jump = q_target.jump(q);
    *e = (struct q_exit){.from = q->r,
                         .delta = out->delta,
                         .jump = jump,
                         .unlinked = q->out.at,
                         .same_page = is_same_page(q, out->source, out->delta)};
    bind_jump(q, e->jump, e->unlinked);
    *s = (struct q_site){.region = q->r,
                         .kind = Q_SITE_LINK,
                         .source = out->source,
                         .index = out->index,
                         .object = e};
    vec_push(&q->code->exits, e);
    q_target.call_thunk(q, q->tier->thunks.link, s);
}

/* Exit to another mode: C changes the mode, and continues by the address. */
static void leave_to_mode(struct quick *q, const struct q_side_exit *out, struct q_where address)
{
    struct q_site *s = q_take(q->code, sizeof(*s));

    *s = (struct q_site){.region = q->r, .kind = Q_SITE_MODE, .mode = out->mode};
    q_target.set_address(q, address);
    q_target.call_thunk(q, q->tier->thunks.handler, s);
    bind_jump(q, q_target.jump(q), q->tier->thunks.lookup);
}

static void leave_by(struct quick *q, const struct q_side_exit *out, struct q_where address,
                     const struct q_map_entry *map, size_t count)
{
    q_target.store_map(q, map, count);
    if (out->kind == Q_TO_VALUE)
        q_target.jump_to_value(q, address);
    else if (out->kind == Q_TO_MODE)
        leave_to_mode(q, out, address);
    else
        leave_to_known(q, out);
}

void q_leave_now(struct quick *q, const struct q_side_exit *out)
{
    struct q_maps *maps = &q->exits->maps;
    struct q_where address = {0};
    size_t from = maps->len;
    uint32_t count;

    q->leaves = true;
    count = q_map_slots(q, maps);
    if (out->kind != Q_TO_KNOWN)
        address = q_where_is(q, out->address);
    q->leaves = false;
    leave_by(q, out, address, maps->data + from, count);
}

uint32_t q_leave_prepare(struct quick *q, const struct q_side_exit *out)
{
    struct quick_exits *e = q->exits;
    struct cold c = {.side_exit = *out, .map = (uint32_t)e->maps.len};
    struct q_site *s;

    if (out->kind == Q_TO_HANDLER) {
        c.site = s = q_new_site(q, Q_SITE_DEOPT, out->source, out->index);
        s->all_ways = out->all_ways;
    } else {
        q->leaves = true;
        c.map_count = q_map_slots(q, &e->maps);
    }
    if (out->kind == Q_TO_VALUE || out->kind == Q_TO_MODE)
        c.address = q_where_is(q, out->address);
    q->leaves = false;
    vec_push(&e->cold, c);
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

/* ---- cold code ------------------------------------------------------------------------------- */

void q_emit_cold(struct quick *q)
{
    for (size_t n = 0; n < q->exits->cold.len; n++) {
        const struct cold c = q->exits->cold.data[n];

        bind_jump(q, c.jump, q->out.at);
        for (uint32_t k = 0; k < c.fault_count; k++)
            q->code->faults.data[c.fault + k].to = (uint32_t)(q->out.at - q->out.start);
        if (c.site) {
            q_trap_now(q, c.site);
            if (c.return_to)
                bind_jump(q, q_target.jump(q), c.return_to);
            continue;
        }
        leave_by(q, &c.side_exit, c.address, q->exits->maps.data + c.map, c.map_count);
    }
}

void q_exits_begin(struct quick *q)
{
    if (!q->exits)
        q->exits = xcalloc(1, sizeof(*q->exits));
    q->exits->cold.len = q->exits->maps.len = 0;
    q->last_map = q->last_count = 0;
    memset(q->passed_guards, 0, sizeof(q->passed_guards));
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
