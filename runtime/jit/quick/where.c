/*
 * Locations of values, for C and for exits: the maps of sites, and the tables that they refer to.
 */
#include "runtime/jit/quick/emit.h"
#include "runtime/jit/quick/simplify.h"

/* ---- where values are ------------------------------------------------------------------------ */

/* Number of recent entries among which an equal one is searched, since tables repeat entries. */
enum { RECENT = 16 };

static struct q_where const_where(struct quick *q, uint64_t low, uint64_t high)
{
    const struct q_code *code = q->code;
    size_t n = code->constants.len, end = n > RECENT ? n - RECENT : 0;

    while (n > end &&
           (code->constants.data[n - 1].w[0] != low || code->constants.data[n - 1].w[1] != high))
        n--;
    if (n == end) {
        vec_push(&q->code->constants, (struct q_vec){{low, high}});
        n = code->constants.len;
    }
    return (struct q_where){.kind = Q_IN_CONST, .index = (uint32_t)n - 1};
}

bool q_same_place(struct q_where a, struct q_where b)
{
    return a.kind == b.kind && a.host == b.host && a.spill == b.spill && a.index == b.index;
}

static bool same_expr(const struct q_expr *a, const struct q_expr *b)
{
    return a->op == b->op && a->sub == b->sub && a->type == b->type && a->imm == b->imm &&
           q_same_place(a->a, b->a) && q_same_place(a->b, b->b);
}

static struct q_where enter_expr(struct quick *q, const struct q_expr *e)
{
    const struct q_code *code = q->code;
    size_t n = code->exprs.len, end = n > RECENT ? n - RECENT : 0;

    while (n > end && !same_expr(&code->exprs.data[n - 1], e))
        n--;
    if (n == end) {
        vec_push(&q->code->exprs, *e);
        n = code->exprs.len;
    }
    return (struct q_where){.kind = Q_IN_EXPR, .index = (uint32_t)n - 1};
}

static struct q_where const_node_where(struct quick *q, const struct q_node *n)
{
    struct q_vec v = {{n->imm, 0}};

    if (n->sub || q_lanes(n->type) > 1 || q_is_int128(n->type))
        v = q_constant_words(n);
    return const_where(q, v.w[0], v.w[1]);
}

/* Whether the failed guard, or one that was passed, determines the condition: *value. */
static bool is_shown(const struct quick *q, const struct q_node *n, bool *value)
{
    const struct q_node *at = &q->nodes.data[q->at];

    if (!q->leaves || n->op != Q_BINARY || (n->sub < JIT_EQ && n->sub != JIT_OR))
        return false;
    if (q_follows(q, at, false, n, value))
        return true;
    for (unsigned k = 0; k < Q_PASSED && q->passed_guards[k]; k++) {
        if (q_follows(q, &q->nodes.data[q->passed_guards[k]], true, n, value))
            return true;
    }
    return false;
}

/* The location of an operation whose condition is known; false: it must be computed. */
static bool with_known(const struct quick *q, const struct q_expr *e, struct q_where known,
                       struct q_where other, struct q_where *result)
{
    uint64_t v;

    if (known.kind != Q_IN_CONST || (e->sub != JIT_AND && e->sub != JIT_OR))
        return false;
    v = q->code->constants.data[known.index].w[0];
    if (v > 1)
        return false;
    *result = v == (e->sub == JIT_AND) ? other : known;
    return true;
}

static struct q_where expr_where(struct quick *q, const struct q_node *n)
{
    struct q_expr e = {.op = n->op, .sub = n->sub, .type = n->type, .imm = (uint32_t)n->imm};
    struct q_where result;
    bool value;

    if (is_shown(q, n, &value))
        return const_where(q, value, 0);
    e.a = q_where_is(q, n->in[0]);
    if (n->in[1])
        e.b = q_where_is(q, n->in[1]);
    if (n->op == Q_BINARY && e.a.kind == Q_IN_CONST && e.b.kind == Q_IN_CONST)
        return const_where(q,
                           quick_evaluate_binary(n->sub, n->type,
                                                 q->code->constants.data[e.a.index].w[0],
                                                 q->code->constants.data[e.b.index].w[0]),
                           0);
    if (n->op == Q_BINARY && q_node(q, n->in[0])->known <= 1 && q_node(q, n->in[1])->known <= 1 &&
        (with_known(q, &e, e.a, e.b, &result) || with_known(q, &e, e.b, e.a, &result)))
        return result;
    return enter_expr(q, &e);
}

/* A value that is computed from another one and a constant. */
static struct q_where apply_const(struct quick *q, unsigned op, struct q_where a, uint64_t c)
{
    struct q_expr e = {.op = Q_BINARY, .sub = (uint8_t)op, .type = JIT_U64, .a = a};

    e.b = const_where(q, c, 0);
    return enter_expr(q, &e);
}

/* The location of one of two constants: choice[1] ^ ((0 - condition) & (choice[0] ^ choice[1])). */
static struct q_where choice_where(struct quick *q, const struct q_node *n)
{
    const struct q_node cond = {
        .op = Q_BINARY, .sub = n->sub, .type = n->from, .in = {n->in[2], n->in[3]}};
    uint64_t choice[2] = {0, 0};
    struct q_expr minus = {.op = Q_BINARY, .sub = JIT_SUB, .type = JIT_U64};
    struct q_where at;
    bool value;

    q_is_choice(q, n, choice);
    if (is_shown(q, &cond, &value))
        return const_where(q, choice[!value], 0);
    minus.b = expr_where(q, &cond);
    minus.a = const_where(q, 0, 0);
    at = enter_expr(q, &minus);
    at = apply_const(q, JIT_AND, at, choice[0] ^ choice[1]);
    return apply_const(q, JIT_XOR, at, choice[1]);
}

static bool will_change(const struct quick *q, int32_t slot)
{
    return q->slot_value[slot] && q->slot_value[slot] != q->slot_memory[slot];
}

struct q_where q_where_is(struct quick *q, uint32_t node)
{
    struct q_node *n = q_node(q, node);

    if (n->op == Q_CONST)
        return const_node_where(q, n);
    if (n->op == Q_PC)
        return (struct q_where){.kind = Q_IN_PC, .index = const_where(q, n->imm, 0).index};
    if (n->flags & QF_COLD && n->op == Q_SELECT)
        return choice_where(q, &(struct q_node){.op = n->op,
                                                .sub = n->sub,
                                                .type = n->type,
                                                .from = n->from,
                                                .in = {n->in[0], n->in[1], n->in[2], n->in[3]}});
    if (n->flags & QF_COLD)
        return expr_where(q, &(struct q_node){.op = n->op,
                                              .sub = n->sub,
                                              .type = n->type,
                                              .imm = n->op == Q_BITCAST ? q_bits(n->type) : n->imm,
                                              .in = {n->in[0], n->in[1]}});
    if (n->host != Q_NO_HOST)
        return (struct q_where){.kind = Q_IN_HOST, .host = n->host};
    if (n->spill >= 0)
        return (struct q_where){.kind = Q_IN_SPILL, .spill = (uint16_t)n->spill};
    if (n->slot < 0) {
        q->failure = "a value is nowhere";
        return const_where(q, 0, 0);
    }
    return (struct q_where){.kind = Q_IN_SLOT, .index = (uint32_t)n->slot};
}

uint32_t q_map_slots(struct quick *q, struct q_maps *maps)
{
    size_t from = maps->len;

    for (size_t k = 0; k < q->touched.len; k++) {
        uint32_t slot = q->touched.data[k];

        if (will_change(q, (int32_t)slot))
            vec_push(maps, (struct q_map_entry){.slot = (uint16_t)slot,
                                                .at = q_where_is(q, q->slot_value[slot])});
    }
    if (maps->len - from > REGION_MAX_SLOTS) /* the most that trap.c can store */
        q->failure = "too many registers";
    return (uint32_t)(maps->len - from);
}

uint32_t q_map_clean(struct quick *q, struct q_maps *maps)
{
    size_t from = maps->len;

    for (unsigned host = 0; host < Q_HOSTS; host++) {
        const struct q_node *n = q_node(q, q->in_host[host]);
        int32_t slot = n->slot;

        if (!q->in_host[host] || slot < 0 || q->slot_memory[slot] != q->in_host[host] ||
            will_change(q, slot))
            continue;
        vec_push(maps, (struct q_map_entry){
                           .slot = (uint16_t)slot,
                           .at = {.kind = Q_IN_HOST, .host = (uint8_t)host, .index = n->known}});
    }
    return (uint32_t)(maps->len - from);
}

static bool has_vectors(const struct quick *q)
{
    for (unsigned host = Q_V; host < Q_HOSTS; host++) {
        if (q->in_host[host])
            return true;
    }
    return false;
}

/* Whether the last site has the same map. */
static bool is_last_map(const struct quick *q, const struct q_maps *maps, uint32_t map,
                        uint32_t count)
{
    if (count != q->last_count || q->last_map + count > map)
        return false;
    for (uint32_t n = 0; n < count; n++) {
        const struct q_map_entry *a = &maps->data[q->last_map + n], *b = &maps->data[map + n];

        if (a->slot != b->slot || !q_same_place(a->at, b->at))
            return false;
    }
    return true;
}

struct q_site *q_new_site(struct quick *q, unsigned kind, unsigned source, unsigned index)
{
    struct q_site *s = q_take(q->code, sizeof(*s));
    struct q_maps *maps = &q->code->maps;
    uint32_t map = (uint32_t)maps->len, count = q_map_slots(q, maps);

    if (is_last_map(q, maps, map, count)) {
        maps->len = map;
        map = q->last_map;
    }
    q->last_map = map;
    q->last_count = count;
    *s = (struct q_site){.region = q->r,
                         .kind = (uint8_t)kind,
                         .source = (uint16_t)source,
                         .index = (uint16_t)index,
                         .vectors = has_vectors(q),
                         .node = q->at,
                         .map = map,
                         .map_count = count,
                         .ahead = q->ahead};
    return s;
}

struct q_where q_where_address(struct quick *q, const struct q_node *access)
{
    struct q_where at = q_where_is(q, access->in[0]);
    struct q_expr e;

    if (access->in[2] && !access->when) {
        e = (struct q_expr){.op = Q_SCALED, .type = JIT_U64, .imm = access->scale, .a = at};
        e.b = q_where_is(q, access->in[2]);
        at = enter_expr(q, &e);
    }
    if (!access->disp)
        return at;
    e = (struct q_expr){.op = Q_BINARY, .sub = JIT_ADD, .type = JIT_U64, .a = at};
    if (q->map->isa->address_bits == 32)
        e.type = JIT_U32;
    e.b = const_where(q, (uint64_t)(int64_t)access->disp, 0);
    return enter_expr(q, &e);
}
