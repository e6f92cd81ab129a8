/*
 * Code that leaves a trace: stores guest registers from their locations, computes cold values, and
 * jumps by the jump cache.
 */
#include "runtime/jit/quick/a64/host.h"

void a64_load_pc(struct quick *q, unsigned dst, int64_t delta)
{
    a64_load(&q->out, 64, dst, a64_member(offsetof(struct cpu, region_pc)));
    a64_add_i(&q->out, dst, dst, delta, Q_ADDRESS);
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool is_const_where(const struct quick *q, struct q_where w, uint64_t *value)
{
    *value = w.kind == Q_IN_CONST ? q->code->constants.data[w.index].w[0] : 0;
    return w.kind == Q_IN_CONST;
}

static void compute_expression(struct quick *q, const struct q_expr *expr, unsigned depth);

/* Loads a value into X16. */
static void load_value(struct quick *q, struct q_where w, unsigned depth)
{
    unsigned bits;
    uint64_t value;

    switch (w.kind) {
    case Q_IN_HOST:
        if (w.host >= Q_V)
            a64_fmov_to(&q->out, 64, Q_SCRATCH, w.host - Q_V);
        else
            a64_mov(&q->out, 64, Q_SCRATCH, w.host);
        break;
    case Q_IN_CONST:
        is_const_where(q, w, &value);
        a64_mov_i(&q->out, Q_SCRATCH, value);
        break;
    case Q_IN_PC:
        a64_load_pc(q, Q_SCRATCH, (int64_t)q->code->constants.data[w.index].w[0]);
        break;
    case Q_IN_EXPR:
        compute_expression(q, &q->code->exprs.data[w.index], depth);
        break;
    case Q_IN_SPILL:
        a64_load(&q->out, 64, Q_SCRATCH, a64_place(q_spill_place(w.spill)));
        break;
    default:
        bits = q->map->slots.data[w.index].size * 8u;
        a64_load(&q->out, bits < 64 ? bits : 64, Q_SCRATCH, a64_place(q_slot_place(q, w.index)));
    }
}

static struct a64_mem temporary_place(unsigned depth)
{
    return a64_at(A64_STACK, (int32_t)(offsetof(struct q_frame, refs) + 8 * depth));
}

static bool is_general(struct q_where w)
{
    return w.kind == Q_IN_HOST && w.host < Q_V;
}

/* The registers of an expression's operands: those that have them, or X16 and X15. */
static void load_operands(struct quick *q, const struct q_expr *e, unsigned depth,
                          unsigned registers[2])
{
    registers[0] = is_general(e->a) ? e->a.host : Q_SCRATCH2;
    registers[1] = is_general(e->b) ? e->b.host : Q_SCRATCH;
    if (!is_general(e->a)) {
        load_value(q, e->a, depth);
        if (is_general(e->b)) {
            registers[0] = Q_SCRATCH;
            return;
        }
    }
    if (is_general(e->b))
        return;
    if (!is_general(e->a) && e->b.kind == Q_IN_EXPR) { /* which needs both registers itself */
        if (depth > 12)
            q->failure = "too deep an expression";
        a64_store(&q->out, 64, temporary_place(depth), Q_SCRATCH);
        load_value(q, e->b, depth + 1);
        a64_load(&q->out, 64, Q_SCRATCH2, temporary_place(depth));
        return;
    }
    if (!is_general(e->a))
        a64_mov(&q->out, 64, Q_SCRATCH2, Q_SCRATCH);
    load_value(q, e->b, depth);
}

static bool is_comparison(const struct q_expr *e)
{
    return e->op == Q_BINARY && e->sub >= JIT_EQ;
}

/* Loads the low bits of a value, and zeros above, into a vector register. */
static void load_float(struct quick *q, unsigned dst, unsigned bits, struct q_where w)
{
    switch (w.kind) {
    case Q_IN_HOST:
        a64_fmov(&q->out, bits, dst, w.host - Q_V);
        break;
    case Q_IN_EXPR: /* the low part of another one */
        load_float(q, dst, q->code->exprs.data[w.index].imm, q->code->exprs.data[w.index].a);
        break;
    case Q_IN_SPILL:
        a64_vload(&q->out, bits, dst, a64_place(q_spill_place(w.spill)));
        break;
    case Q_IN_SLOT:
        a64_vload(&q->out, bits, dst, a64_place(q_slot_place(q, w.index)));
        break;
    default:
        a64_load_words(&q->out, dst, q->code->constants.data[w.index].w[0], 0);
    }
}

/* Emits the comparison of two ordered floats. */
static enum a64_cc compare_floats(struct quick *q, const struct q_expr *e)
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
    a64_fff(&q->out, A64_FCMP, bits, 0, a, b);
    return a64_ordered_condition(e->sub);
}

/* Emits the comparison of an expression, whose second operand is often a constant. */
static enum a64_cc emit_compare(struct quick *q, const struct q_expr *e, unsigned depth)
{
    unsigned bits = q_bits(e->type), r[2];
    uint64_t value;

    if (q_is_ordered(e->type))
        return compare_floats(q, e);
    if (is_const_where(q, e->b, &value)) {
        r[0] = is_general(e->a) ? e->a.host : Q_SCRATCH2;
        if (!is_general(e->a)) {
            load_value(q, e->a, depth);
            a64_mov(&q->out, 64, Q_SCRATCH2, Q_SCRATCH);
        }
        a64_compare_i(&q->out, bits, r[0], value);
    } else {
        load_operands(q, e, depth, r);
        a64_rrr(&q->out, A64_SUBS, bits, A64_ZERO, r[0], r[1]);
    }
    return a64_condition(e->sub, e->type);
}

static uint32_t operation(unsigned sub)
{
    switch (sub) {
    case JIT_ADD:
        return A64_ADD;
    case JIT_SUB:
        return A64_SUB;
    case JIT_AND:
        return A64_AND;
    case JIT_OR:
        return A64_ORR;
    default:
        return A64_EOR;
    }
}

/* Computes an expression into X16. */
static void compute_expression(struct quick *q, const struct q_expr *expr, unsigned depth)
{
    const struct q_expr e = *expr;
    unsigned r[2];

    if (is_comparison(&e)) {
        enum a64_cc cc = emit_compare(q, &e, depth);

        a64_cset(&q->out, Q_SCRATCH, cc);
        return;
    }
    if (e.op == Q_BINARY) {
        load_operands(q, &e, depth, r);
        a64_rrr(&q->out, operation(e.sub), q_bits(e.type), Q_SCRATCH, r[0], r[1]);
        return;
    }
    load_value(q, e.a, depth);
    if (e.op == Q_BITCAST && e.imm == 32)
        a64_mov(&q->out, 32, Q_SCRATCH, Q_SCRATCH);
    else if (e.op == Q_ZEXT || e.op == Q_SEXT)
        a64_extend(&q->out, e.op == Q_SEXT, e.imm, Q_SCRATCH, Q_SCRATCH);
}

/* ---- maps ------------------------------------------------------------------------------------ */

/* Loads the value of a slot of 128 bits; returns its register. An expression is the low part of a
 * value, with zeros above. */
static unsigned load_wide(struct quick *q, struct q_where w)
{
    struct q_where from = w;
    unsigned bits = 128;
    struct q_vec v;

    if (w.kind == Q_IN_EXPR) {
        bits = q->code->exprs.data[w.index].imm;
        from = q->code->exprs.data[w.index].a;
    }
    switch (from.kind) {
    case Q_IN_HOST:
        if (bits == 128)
            return from.host - Q_V;
        a64_fmov(&q->out, bits, Q_XSCRATCH, from.host - Q_V);
        break;
    case Q_IN_SPILL:
        a64_vload(&q->out, bits, Q_XSCRATCH, a64_place(q_spill_place(from.spill)));
        break;
    case Q_IN_SLOT:
        a64_vload(&q->out, bits, Q_XSCRATCH, a64_place(q_slot_place(q, from.index)));
        break;
    default:
        v = q->code->constants.data[from.index];
        if (bits < 128)
            v.w[1] = 0;
        a64_load_words(&q->out, Q_XSCRATCH, bits == 32 ? (uint32_t)v.w[0] : v.w[0], v.w[1]);
    }
    return Q_XSCRATCH;
}

static void store_entry(struct quick *q, const struct q_map_entry *e)
{
    unsigned bits = q->map->slots.data[e->slot].size * 8u;
    struct a64_mem m = a64_place(q_slot_place(q, e->slot));
    uint64_t value;

    if (bits > 64) {
        a64_vstore(&q->out, 128, m, load_wide(q, e->at));
    } else if (is_general(e->at)) {
        a64_store(&q->out, bits, m, e->at.host);
    } else if (is_const_where(q, e->at, &value) && !value) {
        a64_store(&q->out, bits, m, A64_ZERO);
    } else {
        load_value(q, e->at, 0);
        a64_store(&q->out, bits, m, Q_SCRATCH);
    }
}

enum { FOUR = 4 };

/* Whether the next four entries are constants for consecutive bytes, as for flags: *bytes has all
 * four. */
static bool four_bytes(const struct quick *q, const struct q_map_entry *map, size_t count,
                       uint64_t *bytes)
{
    const struct slot *slots = q->map->slots.data;
    uint64_t value;

    *bytes = 0;
    for (unsigned n = 0; n < FOUR; n++) {
        if (n == count || slots[map[n].slot].size != 1 ||
            slots[map[n].slot].offset != slots[map[0].slot].offset + n ||
            !is_const_where(q, map[n].at, &value))
            return false;
        *bytes |= (value & 0xff) << 8 * n;
    }
    return true;
}

void a64_store_map(struct quick *q, const struct q_map_entry *map, size_t count)
{
    uint64_t bytes;

    for (size_t n = 0; n < count; n++) {
        if (four_bytes(q, &map[n], count - n, &bytes)) {
            a64_mov_i(&q->out, Q_SCRATCH, bytes);
            a64_store(&q->out, 32, a64_place(q_slot_place(q, map[n].slot)), Q_SCRATCH);
            n += FOUR - 1;
        } else {
            store_entry(q, &map[n]);
        }
    }
}

/* ---- exits ----------------------------------------------------------------------------------- */

void a64_call_thunk(struct quick *q, const void *thunk, const struct q_site *s)
{
    q_fix_pointer(q, Q_FIX_SITE, s);
    a64_mov_pointer(&q->out, Q_SCRATCH, s);
    q_jump_to_thunk(q, a64_bl(&q->out), thunk);
}

void a64_add_to_member(struct quick *q, size_t offset, int64_t delta)
{
    a64_load(&q->out, 64, Q_SCRATCH, a64_member(offset));
    a64_add_i(&q->out, Q_SCRATCH, Q_SCRATCH, delta, Q_SCRATCH2);
    a64_store(&q->out, 64, a64_member(offset), Q_SCRATCH);
}

/* ---- the jump cache -------------------------------------------------------------------------- */

/* Computes the address of the jump cache entry for the address in X16, into X17. */
static void find_jump(struct q_buffer *x)
{
    uint64_t mask = (1 << JUMP_CACHE_BITS) - 1;

    _Static_assert(sizeof(struct jump_entry) == 32, "an entry has 2 to the 5th bytes");
    a64_field(x, A64_UBFM, 64, Q_ADDRESS, Q_SCRATCH, A64_RANGE(JUMP_SHIFT, 64 - JUMP_SHIFT));
    a64_field(x, A64_UBFM, 64, Q_SCRATCH2, Q_SCRATCH, A64_RANGE(JUMP_PAGE, 64 - JUMP_PAGE));
    a64_rrr(x, A64_EOR, 64, Q_ADDRESS, Q_ADDRESS, Q_SCRATCH2);
    a64_rrr(x, a64_shifted(A64_EOR, JUMP_FLIP), 64, Q_ADDRESS, Q_ADDRESS, Q_SCRATCH);
    a64_logic_i(x, A64_AND_I, 64, Q_ADDRESS, Q_ADDRESS, mask);
    a64_rrr(x, a64_shifted(A64_ADD, 5), 64, Q_ADDRESS, Q_CPU, Q_ADDRESS);
    a64_add_i(x, Q_ADDRESS, Q_ADDRESS, offsetof(struct cpu, jumps), Q_SCRATCH2);
}

static struct a64_mem jump_member(size_t offset)
{
    return a64_at(Q_ADDRESS, (int32_t)offset);
}

/* Checks that the entry is of the address in X16 and of the CPU's key; fails: two jumps that are
 * taken if not. */
static void compare_jump(struct q_buffer *x, uint8_t *fails[2])
{
    find_jump(x);
    a64_load(x, 64, Q_SCRATCH2, jump_member(offsetof(struct jump_entry, pc)));
    a64_rrr(x, A64_SUBS, 64, A64_ZERO, Q_SCRATCH2, Q_SCRATCH);
    fails[0] = a64_b_if(x, A64_NE);
    a64_load(x, 64, Q_SCRATCH2, a64_at(Q_CPU, offsetof(struct cpu, key)));
    a64_load(x, 64, Q_SCRATCH, jump_member(offsetof(struct jump_entry, key)));
    a64_rrr(x, A64_SUBS, 64, A64_ZERO, Q_SCRATCH2, Q_SCRATCH);
    fails[1] = a64_b_if(x, A64_NE);
}

uint8_t *a64_follow_jump(struct q_buffer *x)
{
    uint8_t *fails[2];

    compare_jump(x, fails);
    a64_load(x, 64, Q_SCRATCH, jump_member(offsetof(struct jump_entry, host)));
    a64_br(x, Q_SCRATCH);
    for (unsigned n = 0; n < 2; n++)
        a64_bind(x, fails[n]);
    return a64_b(x); /* what it leads to is further away than a jump with a condition reaches */
}

void a64_set_address(struct quick *q, struct q_where address)
{
    load_value(q, address, 0);
    a64_store(&q->out, 64, a64_member(offsetof(struct cpu, region_pc)), Q_SCRATCH);
}

uint8_t *a64_differs(struct quick *q, struct q_where address, int64_t delta)
{
    uint8_t *same, *differs;

    if (!is_general(address))
        load_value(q, address, 0);
    if (q->flat)
        a64_mov_i(&q->out, Q_SCRATCH2, q->r->pc + (uint64_t)delta);
    else
        a64_load_pc(q, Q_SCRATCH2, delta);
    a64_rrr(&q->out, A64_SUBS, 64, A64_ZERO, is_general(address) ? address.host : Q_SCRATCH,
            Q_SCRATCH2);
    same = a64_b_if(&q->out, A64_EQ);
    differs = a64_b(&q->out); /* which reaches other bridges */
    a64_bind(&q->out, same);
    return differs;
}

void a64_jump_to_value(struct quick *q, struct q_where address)
{
    a64_set_address(q, address);
    q_jump_to_thunk(q, a64_follow_jump(&q->out), q->tier->thunks.search);
}

void a64_check_page(struct quick *q, int64_t delta, const struct block *to, uint32_t leave)
{
    struct q_buffer *x = &q->out;
    uint8_t *fails[2];

    a64_load_pc(q, Q_SCRATCH, delta);
    compare_jump(x, fails);
    for (unsigned n = 0; n < 2; n++)
        q_leave_jump(q, fails[n], leave);
    q_fix_pointer(q, Q_FIX_BLOCK, to);
    a64_mov_pointer(x, Q_SCRATCH, to);
    a64_load(x, 64, Q_SCRATCH2, jump_member(offsetof(struct jump_entry, block)));
    a64_rrr(x, A64_SUBS, 64, A64_ZERO, Q_SCRATCH2, Q_SCRATCH);
    q_leave_jump(q, a64_b_if(x, A64_NE), leave);
}
