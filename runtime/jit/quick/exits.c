/*
 * The ways out of a trace, and the cold code that leaves it.
 *
 * A place that traps into C has a map for C to read. A way out that is code stores the same map's
 * values itself.
 */
#include "runtime/jit/quick/emit.h"

enum { NO_FAULT = UINT32_MAX };

struct cold {
    uint8_t *jump;
    const struct q_site *site; /* traps there, or NULL */
    const uint8_t *back;
    uint32_t fault; /* offset of the instruction that faults to get there, or NO_FAULT */
    struct q_way way;
    struct q_where address;
    uint32_t map, map_count; /* in quick_exits.maps */
};

struct quick_exits {
    VEC(struct cold) cold;
    struct q_maps maps;
};

/* ---- values in code -------------------------------------------------------------------------- */

/* What the host's flags say, while code for ways out is emitted. */
struct compared {
    bool valid;
    unsigned bits;
    struct q_where a, b;
};

static bool same_where(const struct quick *q, struct q_where a, struct q_where b)
{
    const struct q_vec *constants = q->code->constants.data;

    if (a.kind == Q_IN_CONST && b.kind == Q_IN_CONST)
        return constants[a.index].w[0] == constants[b.index].w[0];
    return q_same_place(a, b);
}

static bool is_const_where(const struct quick *q, struct q_where w, unsigned bits, int32_t *imm)
{
    uint64_t v = w.kind == Q_IN_CONST ? q->code->constants.data[w.index].w[0] : 0;

    if (bits == 32)
        v = (uint64_t)(int64_t)(int32_t)(uint32_t)v;
    *imm = (int32_t)v;
    return w.kind == Q_IN_CONST && (int64_t)v == (int64_t)*imm;
}

/* A place in memory from which `bits` can be read. */
static bool memory_where(const struct quick *q, struct q_where w, unsigned bits, struct x64_mem *m)
{
    if (w.kind == Q_IN_SPILL) {
        *m = q_spill_place(w.spill);
        return true;
    }
    if (w.kind != Q_IN_SLOT)
        return false;
    *m = q_slot_place(q, w.index);
    return q->map->slots.data[w.index].size * 8u >= bits;
}

static void compute(struct quick *q, const struct q_expr *e, unsigned depth, struct compared *c);

/* A value to RAX or, if it is none that must be computed, to another register. */
static void fetch(struct quick *q, unsigned dst, struct q_where w, unsigned depth,
                  struct compared *c)
{
    struct x64_mem m;
    int64_t delta;

    switch (w.kind) {
    case Q_IN_HOST:
        x64_mov_rr(&q->x, 64, dst, w.host);
        break;
    case Q_IN_CONST:
        x64_mov_ri(&q->x, dst, q->code->constants.data[w.index].w[0]);
        break;
    case Q_IN_PC:
        delta = (int64_t)q->code->constants.data[w.index].w[0];
        x64_load(&q->x, 64, dst, x64_at(Q_CPU, offsetof(struct cpu, region_pc)));
        if (delta)
            x64_lea(&q->x, 64, dst, x64_at(dst, (int32_t)delta));
        break;
    case Q_IN_EXPR:
        compute(q, &q->code->exprs.data[w.index], depth, c);
        break;
    case Q_IN_SPILL:
        x64_load(&q->x, 64, dst, q_spill_place(w.spill));
        break;
    default:
        m = q_slot_place(q, w.index);
        x64_load(&q->x, q->map->slots.data[w.index].size * 8u, dst, m);
    }
}

static struct x64_mem temporary(unsigned depth)
{
    return x64_at(RSP, (int32_t)(offsetof(struct q_frame, refs) + 8 * depth));
}

/* op RAX, w; w is b of an operation whose a is in RAX. */
static void apply(struct quick *q, enum x64_alu op, unsigned bits, struct q_where w, unsigned depth,
                  struct compared *c)
{
    struct x64_mem m;
    int32_t imm;

    if (is_const_where(q, w, bits, &imm)) {
        x64_alu_ri(&q->x, op, bits, RAX, imm);
    } else if (w.kind == Q_IN_HOST) {
        x64_alu_rr(&q->x, op, bits, RAX, w.host);
    } else if (memory_where(q, w, bits, &m)) {
        x64_alu_rm(&q->x, op, bits, RAX, m);
    } else if (w.kind == Q_IN_EXPR) {
        if (depth > 12)
            q->failure = "too deep an expression";
        x64_store(&q->x, 64, temporary(depth), RAX);
        fetch(q, RAX, w, depth + 1, c);
        x64_mov_rr(&q->x, 64, RDX, RAX);
        x64_load(&q->x, 64, RAX, temporary(depth));
        x64_alu_rr(&q->x, op, bits, RAX, RDX);
    } else {
        fetch(q, RDX, w, depth, c);
        x64_alu_rr(&q->x, op, bits, RAX, RDX);
    }
}

/* Sets the flags for a - b, unless they are set so. */
static void set_flags(struct quick *q, const struct q_expr *e, unsigned depth, struct compared *c)
{
    unsigned bits = q_bits(e->type);
    struct x64_mem m;
    int32_t imm;

    if (c->valid && c->bits == bits && same_where(q, c->a, e->a) && same_where(q, c->b, e->b))
        return;
    if (e->a.kind == Q_IN_HOST && is_const_where(q, e->b, bits, &imm)) {
        x64_alu_ri(&q->x, X64_CMP, bits, e->a.host, imm);
    } else if (e->a.kind == Q_IN_HOST && e->b.kind == Q_IN_HOST) {
        x64_alu_rr(&q->x, X64_CMP, bits, e->a.host, e->b.host);
    } else if (e->a.kind == Q_IN_HOST && memory_where(q, e->b, bits, &m)) {
        x64_alu_rm(&q->x, X64_CMP, bits, e->a.host, m);
    } else if (memory_where(q, e->a, bits, &m) && is_const_where(q, e->b, bits, &imm)) {
        x64_alu_mi(&q->x, X64_CMP, bits, m, imm);
    } else {
        fetch(q, RAX, e->a, depth, c);
        apply(q, X64_CMP, bits, e->b, depth, c);
    }
    *c = (struct compared){e->a.kind != Q_IN_EXPR && e->b.kind != Q_IN_EXPR, bits, e->a, e->b};
}

static bool is_comparison(const struct q_expr *e)
{
    return e->op == Q_BINARY && e->sub >= JIT_EQ;
}

/* An expression's value to RAX. */
static void compute(struct quick *q, const struct q_expr *expr, unsigned depth, struct compared *c)
{
    static const uint8_t alu[] = {[JIT_ADD] = X64_ADD,
                                  [JIT_SUB] = X64_SUB,
                                  [JIT_AND] = X64_AND,
                                  [JIT_OR] = X64_OR,
                                  [JIT_XOR] = X64_XOR};
    const struct q_expr e = *expr;

    if (is_comparison(&e)) {
        set_flags(q, &e, depth, c);
        x64_setcc(&q->x, q_condition_code(e.sub, e.type), RAX);
        x64_movzx(&q->x, 8, RAX, RAX);
        return;
    }
    fetch(q, RAX, e.a, depth, c);
    if (e.op == Q_ZEXT)
        x64_movzx(&q->x, e.imm, RAX, RAX);
    else if (e.op == Q_SEXT)
        x64_movsx(&q->x, 64, e.imm, RAX, RAX);
    else
        apply(q, alu[e.sub], q_bits(e.type), e.b, depth, c);
    c->valid = false;
}

static void store_vector(struct quick *q, const struct q_map_entry *e)
{
    struct x64_mem m = q_slot_place(q, e->slot);
    unsigned from = e->at.host - Q_X;

    if (e->at.kind == Q_IN_SPILL) {
        x64_vload(&q->x, 128, Q_XSCRATCH, q_spill_place(e->at.spill));
        from = Q_XSCRATCH;
    } else if (e->at.kind == Q_IN_SLOT) {
        x64_vload(&q->x, 128, Q_XSCRATCH, q_slot_place(q, e->at.index));
        from = Q_XSCRATCH;
    } else if (e->at.kind == Q_IN_CONST) {
        struct q_vec v = q->code->constants.data[e->at.index];
        struct q_node n = {
            .op = Q_CONST, .sub = 1, .type = JIT_U128, .imm = v.w[0], .imm2 = v.w[1]};

        q_load_const_x(q, Q_XSCRATCH, &n);
        from = Q_XSCRATCH;
    }
    x64_vstore(&q->x, 128, m, from);
}

static void store_entry(struct quick *q, const struct q_map_entry *e, struct compared *c)
{
    unsigned bits = q->map->slots.data[e->slot].size * 8u;
    struct x64_mem m = q_slot_place(q, e->slot);
    const struct q_expr *expr = e->at.kind == Q_IN_EXPR ? &q->code->exprs.data[e->at.index] : NULL;
    int32_t imm;

    if (bits > 64) {
        store_vector(q, e);
    } else if (e->at.kind == Q_IN_HOST) {
        x64_store(&q->x, bits, m, e->at.host);
    } else if (is_const_where(q, e->at, bits, &imm)) {
        x64_store_i(&q->x, bits, m, imm);
    } else if (expr && is_comparison(expr) && bits == 8) {
        set_flags(q, expr, 0, c);
        x64_setcc_m(&q->x, q_condition_code(expr->sub, expr->type), m);
    } else {
        fetch(q, RAX, e->at, 0, c);
        x64_store(&q->x, bits, m, RAX);
    }
}

static void store_map(struct quick *q, const struct q_map_entry *map, size_t count)
{
    struct compared c = {0};

    for (size_t n = 0; n < count; n++)
        store_entry(q, &map[n], &c);
}

/* ---- traps ----------------------------------------------------------------------------------- */

void q_trap_now(struct quick *q, const struct q_site *site)
{
    x64_mov_ri(&q->x, RAX, (uintptr_t)site);
    x64_call_to(&q->x, q->tier->thunks.trap);
}

void q_trap_later(struct quick *q, uint8_t *jump, struct q_site *site, const uint8_t *back)
{
    vec_push(&q->exits->cold,
             (struct cold){.jump = jump, .site = site, .back = back, .fault = NO_FAULT});
}

void q_fault_later(struct quick *q, const uint8_t *insn, struct q_site *site, const uint8_t *back)
{
    vec_push(&q->exits->cold,
             (struct cold){.site = site, .back = back, .fault = (uint32_t)(insn - q->x.start)});
}

void q_call_handler(struct quick *q, unsigned source, unsigned index, const void *insn)
{
    struct q_maps *maps = &q->exits->maps;
    size_t from = maps->len;
    uint32_t count = q_map_slots(q, maps);
    struct q_site *s;

    store_map(q, maps->data + from, count);
    q_forget_state(q);
    s = q_new_site(q, Q_SITE_HANDLER, source, index);
    s->object = insn;
    x64_mov_ri(&q->x, RAX, (uintptr_t)s);
    x64_call_to(&q->x, q->tier->thunks.handler);
}

/* ---- ways out -------------------------------------------------------------------------------- */

static struct x64_mem member(size_t offset)
{
    return x64_at(Q_CPU, (int32_t)offset);
}

static bool is_same_page(const struct quick *q, unsigned source, int64_t delta)
{
    const struct source *s = &q->r->sources[source];
    int64_t at = (int64_t)(s->pa & CPU_PAGE_MASK) + delta - s->delta;

    return at >= 0 && at < (int64_t)CPU_PAGE_SIZE;
}

static void leave_to_known(struct quick *q, const struct q_way *way)
{
    struct q_exit *e = q_take(q->code, sizeof(*e));
    struct q_site *s = q_take(q->code, sizeof(*s));

    if (way->delta != (int32_t)way->delta)
        q->failure = "a branch over more than 2 GB";
    if (way->delta && !q->flat)
        x64_alu_mi(&q->x, X64_ADD, 64, member(offsetof(struct cpu, region_pc)),
                   (int32_t)way->delta);
    *e = (struct q_exit){.from = q->r,
                         .delta = way->delta,
                         .jump = x64_jmp(&q->x),
                         .unlinked = q->x.at,
                         .same_page = is_same_page(q, way->source, way->delta)};
    x64_bind(e->jump, e->unlinked);
    *s = (struct q_site){.region = q->r,
                         .kind = Q_SITE_LINK,
                         .source = way->source,
                         .index = way->index,
                         .object = e};
    vec_push(&q->code->exits, e);
    q_trap_now(q, s);
}

/* The jump cache's entry for the address in RAX: its distance from struct cpu to RDX. */
static void find_jump(struct quick *q)
{
    _Static_assert(sizeof(struct jump_entry) == 32, "an entry has 2 to the 5th bytes");
    x64_mov_rr(&q->x, 32, RDX, RAX);
    x64_shift_ri(&q->x, X64_SHL, 32, RDX, 3);
    x64_alu_ri(&q->x, X64_AND, 32, RDX, ((1 << JUMP_CACHE_BITS) - 1) << 5);
}

static struct x64_mem jump_member(size_t offset)
{
    return x64_at_index(Q_CPU, RDX, 0, (int32_t)(offsetof(struct cpu, jumps) + offset));
}

/* To the address in RAX. */
static void jump_indirect(struct quick *q)
{
    struct x64 *x = &q->x;

    x64_store(x, 64, member(offsetof(struct cpu, region_pc)), RAX);
    find_jump(q);
    x64_alu_rm(x, X64_CMP, 64, RAX, jump_member(offsetof(struct jump_entry, pc)));
    x64_jcc_to(x, CC_NE, q->tier->thunks.unlinked);
    x64_load(x, 64, RAX, member(offsetof(struct cpu, key)));
    x64_alu_rm(x, X64_CMP, 64, RAX, jump_member(offsetof(struct jump_entry, key)));
    x64_jcc_to(x, CC_NE, q->tier->thunks.unlinked);
    x64_load(x, 64, RDX, jump_member(offsetof(struct jump_entry, block)));
    x64_jmp_m(x, x64_at(RDX, offsetof(struct block, host)));
}

static void leave_by(struct quick *q, const struct q_way *way, struct q_where address,
                     const struct q_map_entry *map, size_t count)
{
    struct compared c = {0};

    store_map(q, map, count);
    if (way->kind == Q_TO_VALUE) {
        fetch(q, RAX, address, 0, &c);
        jump_indirect(q);
    } else {
        leave_to_known(q, way);
    }
}

void q_leave_now(struct quick *q, const struct q_way *way)
{
    struct q_maps *maps = &q->exits->maps;
    struct q_where address = {0};
    size_t from = maps->len;
    uint32_t count = q_map_slots(q, maps);

    if (way->kind == Q_TO_VALUE)
        address = q_where_is(q, way->address);
    leave_by(q, way, address, maps->data + from, count);
}

uint32_t q_leave_prepare(struct quick *q, const struct q_way *way)
{
    struct quick_exits *e = q->exits;
    struct cold c = {.way = *way, .fault = NO_FAULT, .map = (uint32_t)e->maps.len};

    if (way->kind == Q_TO_HANDLER)
        c.site = q_new_site(q, Q_SITE_DEOPT, way->source, way->index);
    else
        c.map_count = q_map_slots(q, &e->maps);
    if (way->kind == Q_TO_VALUE)
        c.address = q_where_is(q, way->address);
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

void q_page_check(struct quick *q, int64_t delta, const struct block *to, uint8_t *fails[3])
{
    struct x64 *x = &q->x;

    x64_load(x, 64, RAX, member(offsetof(struct cpu, region_pc)));
    if (delta)
        x64_lea(x, 64, RAX, x64_at(RAX, (int32_t)delta));
    find_jump(q);
    x64_alu_rm(x, X64_CMP, 64, RAX, jump_member(offsetof(struct jump_entry, pc)));
    fails[0] = x64_jcc(x, CC_NE);
    x64_load(x, 64, RAX, member(offsetof(struct cpu, key)));
    x64_alu_rm(x, X64_CMP, 64, RAX, jump_member(offsetof(struct jump_entry, key)));
    fails[1] = x64_jcc(x, CC_NE);
    x64_mov_ri(x, RAX, (uintptr_t)to);
    x64_alu_rm(x, X64_CMP, 64, RAX, jump_member(offsetof(struct jump_entry, block)));
    fails[2] = x64_jcc(x, CC_NE);
}

/* ---- the cold code --------------------------------------------------------------------------- */

void q_emit_cold(struct quick *q)
{
    for (size_t n = 0; n < q->exits->cold.len; n++) {
        const struct cold c = q->exits->cold.data[n];

        x64_bind(c.jump, q->x.at);
        if (c.fault != NO_FAULT)
            vec_push(&q->code->faults, (struct q_fault){c.fault, (uint32_t)(q->x.at - q->x.start)});
        if (c.site) {
            q_trap_now(q, c.site);
            if (c.back)
                x64_jmp_to(&q->x, c.back);
            continue;
        }
        leave_by(q, &c.way, c.address, q->exits->maps.data + c.map, c.map_count);
    }
}

void q_exits_begin(struct quick *q)
{
    if (!q->exits)
        q->exits = xcalloc(1, sizeof(*q->exits));
    q->exits->cold.len = q->exits->maps.len = 0;
    q->last_map = q->last_count = 0;
}

void q_exits_free(struct quick *q)
{
    if (!q->exits)
        return;
    vec_free(&q->exits->cold);
    vec_free(&q->exits->maps);
    free(q->exits);
}
