/*
 * Code that leaves a trace: stores guest registers from their locations, computes cold values, and
 * jumps by the jump cache.
 */
#include "runtime/jit/quick/x64/host.h"
#include "runtime/jit/quick/x64/select_vector.h"

void x64_load_pc(struct quick *q, unsigned dst, int64_t delta)
{
    x64_load(&q->out, 64, dst, x64_member(offsetof(struct cpu, region_pc)));
    if (delta)
        x64_lea(&q->out, 64, dst, x64_at(dst, (int32_t)delta));
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The comparison that the host's flags hold, while code of an exit is emitted. */
struct compared {
    bool valid, floats;
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

/* Whether a value is in memory, where `bits` bits of it can be read: *m. */
static bool memory_where(const struct quick *q, struct q_where w, unsigned bits, struct x64_mem *m)
{
    if (w.kind == Q_IN_SPILL) {
        *m = x64_place(q_spill_place(w.spill));
        return true;
    }
    if (w.kind != Q_IN_SLOT)
        return false;
    *m = x64_place(q_slot_place(q, w.index));
    return q->map->slots.data[w.index].size * 8u >= bits;
}

static void compute_expression(struct quick *q, const struct q_expr *e, unsigned depth,
                               struct compared *c);

/* Loads a value into dst, which is RAX if the value must be computed. */
static void load_value(struct quick *q, unsigned dst, struct q_where w, unsigned depth,
                       struct compared *c)
{
    struct x64_mem m;
    unsigned bits;

    switch (w.kind) {
    case Q_IN_HOST:
        if (w.host >= Q_V)
            x64_vmov_to_gpr(&q->out, 64, dst, w.host - Q_V);
        else
            x64_mov_rr(&q->out, 64, dst, w.host);
        break;
    case Q_IN_CONST:
        x64_mov_ri(&q->out, dst, q->code->constants.data[w.index].w[0]);
        break;
    case Q_IN_PC:
        x64_load_pc(q, dst, (int64_t)q->code->constants.data[w.index].w[0]);
        break;
    case Q_IN_EXPR:
        compute_expression(q, &q->code->exprs.data[w.index], depth, c);
        break;
    case Q_IN_SPILL:
        x64_load(&q->out, 64, dst, x64_place(q_spill_place(w.spill)));
        break;
    default:
        m = x64_place(q_slot_place(q, w.index));
        bits = q->map->slots.data[w.index].size * 8u;
        x64_load(&q->out, bits < 64 ? bits : 64, dst, m);
    }
}

static struct x64_mem temporary_place(unsigned depth)
{
    return x64_at(RSP, (int32_t)(offsetof(struct q_frame, refs) + 8 * depth));
}

static bool is_comparison(const struct q_expr *e)
{
    return e->op == Q_BINARY && e->sub >= JIT_EQ;
}

/* Loads a float, or the low part of one with zeros above, into a vector register, by RDX. */
static void load_float(struct quick *q, unsigned dst, unsigned bits, struct q_where w)
{
    struct x64_mem m;

    if (w.kind == Q_IN_HOST) {
        x64_vmov_zeros(&q->out, dst, w.host - Q_V, bits);
    } else if (w.kind == Q_IN_EXPR) {
        load_float(q, dst, q->code->exprs.data[w.index].imm, q->code->exprs.data[w.index].a);
    } else if (memory_where(q, w, bits, &m)) {
        x64_vload(&q->out, bits, dst, m);
    } else {
        x64_mov_ri(&q->out, RDX, q->code->constants.data[w.index].w[0]);
        x64_vmov_from_gpr(&q->out, bits, dst, RDX);
    }
}

/* Sets the flags for ordered floats. They have been compared before, so it does not trap. */
static void compare_floats(struct quick *q, const struct q_expr *e)
{
    unsigned bits = q_bits(e->type), a = Q_XSCRATCH, b = Q_XSCRATCH2;

    if (e->a.kind == Q_IN_HOST)
        a = e->a.host - Q_V;
    else
        load_float(q, a, bits, e->a);
    if (e->b.kind == Q_IN_HOST)
        b = e->b.host - Q_V;
    else
        load_float(q, b, bits, e->b);
    x64_v_rrr(&q->out, bits == 64 ? VUCOMISD : VUCOMISS, a, X64_NO_VVVV, b);
}

/* Sets the flags for a - b, or for two floats, if that takes no register but RDX. */
static bool compare_in_place(struct quick *q, const struct q_expr *e)
{
    unsigned bits = q_bits(e->type);
    struct x64_mem m;
    int32_t imm;

    if (q_is_ordered(e->type))
        compare_floats(q, e);
    else if (e->a.kind == Q_IN_HOST && is_const_where(q, e->b, bits, &imm))
        x64_alu_ri(&q->out, X64_CMP, bits, e->a.host, imm);
    else if (e->a.kind == Q_IN_HOST && e->b.kind == Q_IN_HOST)
        x64_alu_rr(&q->out, X64_CMP, bits, e->a.host, e->b.host);
    else if (e->a.kind == Q_IN_HOST && memory_where(q, e->b, bits, &m))
        x64_alu_rm(&q->out, X64_CMP, bits, e->a.host, m);
    else if (memory_where(q, e->a, bits, &m) && is_const_where(q, e->b, bits, &imm))
        x64_alu_mi(&q->out, X64_CMP, bits, m, imm);
    else
        return false;
    return true;
}

/* Computes a comparison into RDX, if that changes no other register. */
static bool compare_beside(struct quick *q, struct q_where w)
{
    const struct q_expr *e = &q->code->exprs.data[w.index];

    if (!is_comparison(e) || !compare_in_place(q, e))
        return false;
    x64_setcc(&q->out, x64_condition(e->sub, e->type), RDX);
    x64_movzx(&q->out, 8, RDX, RDX);
    return true;
}

/* RAX = RAX op w. */
static void apply_operand(struct quick *q, enum x64_alu op, unsigned bits, struct q_where w,
                          unsigned depth, struct compared *c)
{
    struct x64_mem m;
    int32_t imm;

    if (is_const_where(q, w, bits, &imm)) {
        x64_alu_ri(&q->out, op, bits, RAX, imm);
    } else if (w.kind == Q_IN_HOST) {
        x64_alu_rr(&q->out, op, bits, RAX, w.host);
    } else if (memory_where(q, w, bits, &m)) {
        x64_alu_rm(&q->out, op, bits, RAX, m);
    } else if (w.kind == Q_IN_EXPR && compare_beside(q, w)) {
        x64_alu_rr(&q->out, op, bits, RAX, RDX);
    } else if (w.kind == Q_IN_EXPR) {
        if (depth > 12)
            q->failure = "too deep an expression";
        x64_store(&q->out, 64, temporary_place(depth), RAX);
        load_value(q, RAX, w, depth + 1, c);
        x64_mov_rr(&q->out, 64, RDX, RAX);
        x64_load(&q->out, 64, RAX, temporary_place(depth));
        x64_alu_rr(&q->out, op, bits, RAX, RDX);
    } else {
        load_value(q, RDX, w, depth, c);
        x64_alu_rr(&q->out, op, bits, RAX, RDX);
    }
}

/* Sets the flags for a - b, unless they have them. */
static void set_flags(struct quick *q, const struct q_expr *e, unsigned depth, struct compared *c)
{
    unsigned bits = q_bits(e->type);
    bool floats = q_is_ordered(e->type), alike = c->valid && c->bits == bits && c->floats == floats;

    if (alike && same_where(q, c->a, e->a) && same_where(q, c->b, e->b))
        return;
    if (alike && (e->sub == JIT_EQ || e->sub == JIT_NE) && same_where(q, c->a, e->b) &&
        same_where(q, c->b, e->a))
        return;
    if (!compare_in_place(q, e)) {
        load_value(q, RAX, e->a, depth, c);
        apply_operand(q, X64_CMP, bits, e->b, depth, c);
    }
    *c = (struct compared){e->a.kind != Q_IN_EXPR && e->b.kind != Q_IN_EXPR, floats, bits, e->a,
                           e->b};
}

/* Loads 64 bits of a vector into RAX. */
static void load_lane(struct quick *q, const struct q_expr *e)
{
    struct x64_mem m;

    if (memory_where(q, e->a, 128, &m)) {
        m.disp += (int32_t)(8 * e->imm);
        x64_load(&q->out, 64, RAX, m);
    } else {
        x64_v_rrri(&q->out, VPEXTRQ, e->a.host - Q_V, X64_NO_VVVV, RAX, (uint8_t)e->imm);
    }
}

/* Computes an expression into RAX. */
static void compute_expression(struct quick *q, const struct q_expr *expr, unsigned depth,
                               struct compared *c)
{
    static const uint8_t alu[] = {[JIT_ADD] = X64_ADD,
                                  [JIT_SUB] = X64_SUB,
                                  [JIT_AND] = X64_AND,
                                  [JIT_OR] = X64_OR,
                                  [JIT_XOR] = X64_XOR};
    const struct q_expr e = *expr;

    if (is_comparison(&e)) {
        set_flags(q, &e, depth, c);
        x64_setcc(&q->out, x64_condition(e.sub, e.type), RAX);
        x64_movzx(&q->out, 8, RAX, RAX);
        return;
    }
    if (e.op == Q_EXTRACT) {
        load_lane(q, &e);
        return;
    }
    if (e.op == Q_SEXT && e.a.kind == Q_IN_HOST && e.a.host < Q_V) {
        x64_movsx(&q->out, 64, e.imm, RAX, e.a.host);
        c->valid = false;
        return;
    }
    load_value(q, RAX, e.a, depth, c);
    if (e.op == Q_BITCAST && e.imm == 32)
        x64_mov_rr(&q->out, 32, RAX, RAX);
    else if (e.op == Q_BITCAST)
        return;
    else if (e.op == Q_ZEXT)
        x64_movzx(&q->out, e.imm, RAX, RAX);
    else if (e.op == Q_SEXT)
        x64_movsx(&q->out, 64, e.imm, RAX, RAX);
    else
        apply_operand(q, alu[e.sub], q_bits(e.type), e.b, depth, c);
    c->valid = false;
}

void x64_vmov_zeros(struct q_buffer *x, unsigned dst, unsigned src, unsigned bits)
{
    if (bits == 64)
        x64_vmov_low(x, dst, src);
    else
        x64_v_rrri(x, VINSERTPS, dst, src, src, INSERT_LOWEST);
}

/* Stores the low bits of a value to memory of 128 bits, with zeros above. */
static void store_low(struct quick *q, struct x64_mem to, const struct q_expr *e)
{
    struct x64_mem m;

    /* One store of the whole register, since the next trace loads the whole: a host forwards none
     * that is made of two stores. */
    if (e->a.kind == Q_IN_HOST) {
        x64_vmov_zeros(&q->out, Q_XSCRATCH, e->a.host - Q_V, e->imm);
    } else if (memory_where(q, e->a, e->imm, &m)) {
        x64_vload(&q->out, e->imm, Q_XSCRATCH, m);
    } else {
        x64_mov_ri(&q->out, RAX, q->code->constants.data[e->a.index].w[0]);
        x64_vmov_from_gpr(&q->out, e->imm, Q_XSCRATCH, RAX);
    }
    x64_vstore(&q->out, 128, to, Q_XSCRATCH);
}

static void store_vector(struct quick *q, const struct q_map_entry *e)
{
    struct x64_mem m = x64_place(q_slot_place(q, e->slot));
    unsigned from = e->at.host - Q_V;

    if (e->at.kind == Q_IN_EXPR) {
        store_low(q, m, &q->code->exprs.data[e->at.index]);
        return;
    }

    if (e->at.kind == Q_IN_SPILL) {
        x64_vload(&q->out, 128, Q_XSCRATCH, x64_place(q_spill_place(e->at.spill)));
        from = Q_XSCRATCH;
    } else if (e->at.kind == Q_IN_SLOT) {
        x64_vload(&q->out, 128, Q_XSCRATCH, x64_place(q_slot_place(q, e->at.index)));
        from = Q_XSCRATCH;
    } else if (e->at.kind == Q_IN_CONST) {
        struct q_vec v = q->code->constants.data[e->at.index];
        struct q_node n = {
            .op = Q_CONST, .sub = 1, .type = JIT_U128, .imm = v.w[0], .imm2 = v.w[1]};

        x64_load_vector(q, Q_XSCRATCH, &n);
        from = Q_XSCRATCH;
    }
    x64_vstore(&q->out, 128, m, from);
}

static void store_entry(struct quick *q, const struct q_map_entry *e, struct compared *c)
{
    unsigned bits = q->map->slots.data[e->slot].size * 8u;
    struct x64_mem m = x64_place(q_slot_place(q, e->slot));
    const struct q_expr *expr = e->at.kind == Q_IN_EXPR ? &q->code->exprs.data[e->at.index] : NULL;
    int32_t imm;

    if (bits > 64) {
        store_vector(q, e);
    } else if (e->at.kind == Q_IN_HOST && e->at.host >= Q_V) {
        x64_vstore(&q->out, bits, m, e->at.host - Q_V);
    } else if (e->at.kind == Q_IN_HOST) {
        x64_store(&q->out, bits, m, e->at.host);
    } else if (is_const_where(q, e->at, bits, &imm)) {
        x64_store_i(&q->out, bits, m, imm);
    } else if (expr && is_comparison(expr) && bits == 8) {
        set_flags(q, expr, 0, c);
        x64_setcc_m(&q->out, x64_condition(expr->sub, expr->type), m);
    } else {
        load_value(q, RAX, e->at, 0, c);
        x64_store(&q->out, bits, m, RAX);
    }
}

enum { FOUR = 4 };

/* Whether the next four entries are constants for consecutive bytes, as for flags: *bytes has all
 * four. */
static bool four_bytes(const struct quick *q, const struct q_map_entry *map, size_t count,
                       int32_t *bytes)
{
    const struct slot *slots = q->map->slots.data;
    uint32_t all = 0;
    int32_t imm;

    for (unsigned n = 0; n < FOUR; n++) {
        if (n == count || slots[map[n].slot].size != 1 ||
            slots[map[n].slot].offset != slots[map[0].slot].offset + n ||
            !is_const_where(q, map[n].at, 8, &imm))
            return false;
        all |= (uint32_t)(imm & 0xff) << 8 * n;
    }
    *bytes = (int32_t)all;
    return true;
}

void x64_store_map(struct quick *q, const struct q_map_entry *map, size_t count)
{
    struct compared c = {0};
    int32_t bytes;

    for (size_t n = 0; n < count; n++) {
        if (four_bytes(q, &map[n], count - n, &bytes)) {
            x64_store_i(&q->out, 32, x64_place(q_slot_place(q, map[n].slot)), bytes);
            n += FOUR - 1;
        } else {
            store_entry(q, &map[n], &c);
        }
    }
}

/* ---- exits ----------------------------------------------------------------------------------- */

void x64_call_thunk(struct quick *q, const void *thunk, const struct q_site *s)
{
    q_fix_pointer(q, Q_FIX_SITE, s);
    x64_mov_pointer(&q->out, RAX, s);
    q_jump_to_thunk(q, x64_call(&q->out), thunk);
}

void x64_add_to_member(struct quick *q, size_t offset, int64_t delta)
{
    x64_alu_mi(&q->out, X64_ADD, 64, x64_member(offset), (int32_t)delta);
}

/* ---- the jump cache -------------------------------------------------------------------------- */

/* Computes the offset in struct cpu of the jump cache entry for the address in RAX, into RDX. All
 * addresses are multiples of `unit`. */
static void find_jump(struct q_buffer *x, unsigned unit)
{
    _Static_assert(sizeof(struct jump_entry) == 32, "an entry has 2 to the 5th bytes");
    _Static_assert(JUMP_PAGE + JUMP_CACHE_BITS <= 32, "32 bits have all that is mixed in");
    if (unit < 1 << JUMP_SHIFT) { /* RAX is rotated, and then back */
        x64_mov_rr(x, 32, RDX, RAX);
        x64_shift_ri(x, X64_SHL, 32, RDX, JUMP_SHIFT + JUMP_FLIP);
        x64_alu_rr(x, X64_XOR, 32, RDX, RAX);
        x64_shift_ri(x, X64_ROR, 64, RAX, JUMP_PAGE - JUMP_SHIFT);
        x64_alu_rr(x, X64_XOR, 32, RDX, RAX);
        x64_shift_ri(x, X64_ROL, 64, RAX, JUMP_PAGE - JUMP_SHIFT);
    } else {
        x64_rorx(x, 32, RDX, RAX, JUMP_PAGE - JUMP_SHIFT);
        x64_alu_rr(x, X64_XOR, 32, RDX, RAX);
    }
    x64_shift_ri(x, X64_SHL, 32, RDX, 5 - JUMP_SHIFT);
    x64_alu_ri(x, X64_AND, 32, RDX, ((1 << JUMP_CACHE_BITS) - 1) << 5);
}

static struct x64_mem jump_member(size_t offset)
{
    return x64_at_index(Q_CPU, RDX, 0,
                        (int32_t)(offsetof(struct cpu, jumps) + offset) - X64_MIDDLE);
}

/* Checks that the entry is of the address and of the CPU's key; fails: two jumps that are taken if
 * not. */
static void compare_jump(struct q_buffer *x, unsigned unit, uint8_t *fails[2])
{
    find_jump(x, unit);
    x64_alu_rm(x, X64_CMP, 64, RAX, jump_member(offsetof(struct jump_entry, pc)));
    fails[0] = x64_jcc(x, CC_NE);
    x64_load(x, 64, RAX, x64_member(offsetof(struct cpu, key)));
    x64_alu_rm(x, X64_CMP, 64, RAX, jump_member(offsetof(struct jump_entry, key)));
    fails[1] = x64_jcc(x, CC_NE);
}

void x64_follow_jump(struct q_buffer *x, unsigned unit, uint8_t *fails[2])
{
    compare_jump(x, unit, fails);
    x64_jmp_m(x, jump_member(offsetof(struct jump_entry, host)));
}

void x64_set_address(struct quick *q, struct q_where address)
{
    struct compared c = {0};

    load_value(q, RAX, address, 0, &c);
    x64_store(&q->out, 64, x64_member(offsetof(struct cpu, region_pc)), RAX);
}

uint8_t *x64_differs(struct quick *q, struct q_where address, int64_t delta)
{
    int64_t target = (int64_t)q->r->pc + delta;
    unsigned at = address.kind == Q_IN_HOST && address.host < Q_V ? address.host : RAX;
    struct compared c = {0};

    if (at == RAX)
        load_value(q, RAX, address, 0, &c);
    if (q->flat && target == (int32_t)target) {
        x64_alu_ri(&q->out, X64_CMP, 64, at, (int32_t)target);
        return x64_jcc(&q->out, CC_NE);
    }
    if (q->flat)
        x64_mov_ri(&q->out, RDX, (uint64_t)target);
    else
        x64_load_pc(q, RDX, delta);
    x64_alu_rr(&q->out, X64_CMP, 64, at, RDX);
    return x64_jcc(&q->out, CC_NE);
}

/* Addresses that the trace's mode executes at are multiples of it, and another mode has another
 * key. */
static unsigned unit_of(const struct quick *q)
{
    return q->map->isa->decoders[q->r->mode].unit_bytes;
}

void x64_check_stamp(struct quick *q, unsigned table, struct q_pin *p, uint8_t *fails[2])
{
    size_t now = stamps_offset(q->map->isa) + offsetof(struct code_stamps, now);
    struct q_buffer *x = &q->out;

    x64_alu_mi(x, X64_CMP, 32, x64_member(now + table * sizeof(p->stamp)), (int32_t)p->stamp);
    p->stamp_at = x->at - sizeof(p->stamp);
    fails[0] = x64_jcc(x, CC_NE);
    x64_mov_pointer(x, RDX, (const void *)(uintptr_t)p->pc);
    p->pc_at = x->at - sizeof(p->pc);
    x64_alu_rm(x, X64_CMP, 64, RDX, x64_member(offsetof(struct cpu, region_pc)));
    fails[1] = x64_jcc(x, CC_NE);
}

/* The numbers of ticks left, multiplied by the golden ratio, are spread evenly, whatever number of
 * ticks a loop takes. No counter in memory is as near. */
void x64_compare_turn(struct q_buffer *x, unsigned shift)
{
    x64_imul_rri(x, 32, RAX, Q_LEFT, (int32_t)0x9e3779b1);
    x64_alu_ri(x, X64_CMP, 32, RAX, 1 << (32 - shift));
}

uint8_t *x64_check_mapped(struct quick *q, unsigned table, int64_t delta, uint64_t pa)
{
    struct q_buffer *x = &q->out;

    x64_mov_ri(x, RDX, (pa & ~(uint64_t)CPU_PAGE_MASK) | 1 << CPU_FETCH);
    x64_mov_ri(x, RAX, (uint32_t)delta);
    x64_patch(x64_call(x), q->tier->thunks.mapped[table], x->write);
    return x64_jcc(x, CC_B);
}

void x64_set_stamp(const struct q_pin *p, ptrdiff_t write)
{
    memcpy(p->stamp_at + write, &p->stamp, sizeof(p->stamp));
    memcpy(p->pc_at + write, &p->pc, sizeof(p->pc));
}

void x64_jump_to_value(struct quick *q, struct q_where address)
{
    uint8_t *fails[2];

    x64_set_address(q, address);
    x64_follow_jump(&q->out, unit_of(q), fails);
    for (unsigned n = 0; n < 2; n++)
        q_jump_to_thunk(q, fails[n], q->tier->thunks.search);
}

void x64_check_page(struct quick *q, int64_t delta, const struct block *to, uint32_t leave)
{
    struct q_buffer *x = &q->out;
    uint8_t *fails[2];

    x64_load_pc(q, RAX, delta);
    compare_jump(x, unit_of(q), fails);
    for (unsigned n = 0; n < 2; n++)
        q_leave_jump(q, fails[n], leave);
    q_fix_pointer(q, Q_FIX_BLOCK, to);
    x64_mov_pointer(x, RAX, to);
    x64_alu_rm(x, X64_CMP, 64, RAX, jump_member(offsetof(struct jump_entry, block)));
    q_leave_jump(q, x64_jcc(x, CC_NE), leave);
}
