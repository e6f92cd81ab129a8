/* Code for nodes of integers, and for those that leave the trace or call C. */
#include "runtime/jit/quick/emit.h"

static bool fits(uint64_t v, unsigned bits, int32_t *imm)
{
    int64_t s = bits == 32 ? (int32_t)(uint32_t)v : (int64_t)v;

    *imm = (int32_t)s;
    return s == *imm;
}

/* A constant that an instruction can hold. */
static bool immediate(const struct quick *q, uint32_t node, unsigned bits, int32_t *imm)
{
    uint64_t v;

    return node && q_is_const(q, node, &v) && fits(v, bits, imm);
}

/* ---- comparisons ----------------------------------------------------------------------------- */

enum x64_cc q_condition_code(unsigned sub, jit_type t)
{
    static const uint8_t with_sign[] = {CC_E,  CC_NE, CC_L,  CC_LE, CC_G,
                                        CC_GE, CC_S,  CC_NS, CC_O,  CC_NO};
    static const uint8_t without[] = {CC_E,  CC_NE, CC_B,  CC_BE, CC_A,
                                      CC_AE, CC_S,  CC_NS, CC_O,  CC_NO};

    return (enum x64_cc)(q_base(t) == JIT_SINT ? with_sign : without)[sub - JIT_EQ];
}

/* A byte of the state that nobody wants in a register. */
static bool byte_in_slot(struct quick *q, uint32_t node, struct x64_mem *m)
{
    const struct q_node *n = q_node(q, node);

    if (n->host != Q_NO_HOST || n->spill >= 0 || n->slot < 0 || n->next != Q_NEVER ||
        q->map->slots.data[n->slot].size != 1)
        return false;
    *m = q_slot_place(q, (uint32_t)n->slot);
    return true;
}

enum x64_cc q_compare_ints(struct quick *q, unsigned sub, jit_type t, uint32_t a, uint32_t b)
{
    unsigned bits = q_bits(t), ra;
    struct x64_mem m;
    int32_t imm;

    if (immediate(q, b, bits, &imm)) {
        if (sub <= JIT_NE && imm >= 0 && imm < 256 && byte_in_slot(q, a, &m)) {
            x64_alu_mi(&q->x, X64_CMP, 8, m, (int8_t)imm);
        } else if (q_node(q, a)->next == Q_NEVER && q_in_memory(q, a, bits, &m)) {
            x64_alu_mi(&q->x, X64_CMP, bits, m, imm);
        } else {
            ra = q_use(q, a);
            if (imm)
                x64_alu_ri(&q->x, X64_CMP, bits, ra, imm);
            else
                x64_test_rr(&q->x, bits, ra, ra);
        }
    } else {
        ra = q_use(q, a);
        if (q_node(q, b)->next == Q_NEVER && q_in_memory(q, b, bits, &m))
            x64_alu_rm(&q->x, X64_CMP, bits, ra, m);
        else
            x64_alu_rr(&q->x, X64_CMP, bits, ra, q_use(q, b));
    }
    return q_condition_code(sub, t);
}

static void select_comparison(struct quick *q, const struct q_node *n)
{
    enum x64_cc cc = q_compare_ints(q, n->sub, n->type, n->in[0], n->in[1]);
    unsigned dst = q_def(q);

    x64_setcc(&q->x, cc, dst);
    x64_movzx(&q->x, 8, dst, dst);
}

static void select_choice(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type) <= 32 ? 32 : 64, a, dst;
    enum x64_cc cc = q_compare_ints(q, n->sub, n->from, n->in[2], n->in[3]);

    a = q_use(q, n->in[0]);
    dst = q_def_copy(q, n->in[1]);
    x64_cmov(&q->x, cc, bits, dst, a);
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static void select_alu(struct quick *q, const struct q_node *n, enum x64_alu op)
{
    unsigned bits = q_bits(n->type), dst, b;
    uint32_t x = n->in[0], y = n->in[1];
    struct x64_mem m;
    int32_t imm;

    if (immediate(q, y, bits, &imm)) {
        dst = q_def_copy(q, x);
        x64_alu_ri(&q->x, op, bits, dst, imm);
        return;
    }
    /* The operand that dies is the one to change. */
    if (op != X64_SUB && q_is_alive(q, x) && !q_is_alive(q, y)) {
        x = n->in[1];
        y = n->in[0];
    }
    if (q_node(q, y)->next == Q_NEVER && x != y && q_in_memory(q, y, bits, &m)) {
        dst = q_def_copy(q, x);
        x64_alu_rm(&q->x, op, bits, dst, m);
        return;
    }
    b = q_use(q, y);
    dst = q_def_copy(q, x);
    x64_alu_rr(&q->x, op, bits, dst, b);
}

static void select_add(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), a, b, dst;
    int32_t imm;
    bool fixed = immediate(q, n->in[1], bits, &imm);

    if (!q_is_alive(q, n->in[0]) || (!fixed && !q_is_alive(q, n->in[1]))) {
        select_alu(q, n, X64_ADD);
        return;
    }
    a = q_use(q, n->in[0]);
    b = fixed ? 0 : q_use(q, n->in[1]);
    dst = q_def(q);
    x64_lea(&q->x, bits, dst, fixed ? x64_at(a, imm) : x64_at_index(a, b, 0, 0));
}

static void select_multiply(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), a, b, dst;
    int32_t imm;

    if (immediate(q, n->in[1], bits, &imm)) {
        a = q_use(q, n->in[0]);
        dst = q_def(q);
        x64_imul_rri(&q->x, bits, dst, a, imm);
        return;
    }
    b = q_use(q, n->in[1]);
    dst = q_def_copy(q, n->in[0]);
    x64_imul_rr(&q->x, bits, dst, b);
}

static void select_high(struct quick *q, const struct q_node *n)
{
    unsigned a = q_use(q, n->in[0]), b = q_use(q, n->in[1]), dst = q_def(q);

    x64_mov_rr(&q->x, 64, RAX, a);
    x64_group3(&q->x, n->sub == JIT_UMULH ? X64_MUL : X64_IMUL, 64, b);
    x64_mov_rr(&q->x, 64, dst, RDX);
}

/* By 0: quotient 0 and remainder a. By -1: quotient -a, remainder 0. */
static void select_divide(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), a = q_use(q, n->in[0]), b = q_use(q, n->in[1]);
    unsigned dst = q_def(q), from = n->sub == JIT_DIV ? RAX : RDX;
    bool with_sign = q_base(n->type) == JIT_SINT;
    uint8_t *divides, *done, *negates = NULL, *done_too = NULL;
    struct x64 *x = &q->x;

    x64_mov_rr(x, bits, RAX, a);
    x64_test_rr(x, bits, b, b);
    divides = x64_jcc(x, CC_NE);
    x64_mov_rr(x, bits, RDX, RAX);
    x64_mov_ri(x, RAX, 0);
    done = x64_jmp(x);
    x64_bind(divides, x->at);
    if (with_sign) {
        x64_alu_ri(x, X64_CMP, bits, b, -1);
        negates = x64_jcc(x, CC_E);
        x64_cqo(x, bits);
        x64_group3(x, X64_IDIV, bits, b);
        done_too = x64_jmp(x);
        x64_bind(negates, x->at);
        x64_group3(x, X64_NEG, bits, RAX);
        x64_mov_ri(x, RDX, 0);
        x64_bind(done_too, x->at);
    } else {
        x64_mov_ri(x, RDX, 0);
        x64_group3(x, X64_DIV, bits, b);
    }
    x64_bind(done, x->at);
    x64_mov_rr(x, bits, dst, from);
}

/* ---- shifts ---------------------------------------------------------------------------------- */

static void select_rotate(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), a = q_use(q, n->in[0]), amount, dst;
    bool left = n->sub == JIT_ROL;
    struct x64 *x = &q->x;
    uint64_t fixed;

    if (q_is_const(q, n->in[1], &fixed)) {
        dst = q_def(q);
        x64_rorx(x, bits, dst, a, (unsigned)(left ? 0 - fixed : fixed) & (bits - 1));
        return;
    }
    amount = q_use(q, n->in[1]);
    dst = q_def(q);
    x64_shift_rrr(x, left ? X64_SHL : X64_SHR, bits, RAX, a, amount);
    x64_mov_rr(x, 32, RDX, amount);
    x64_group3(x, X64_NEG, 32, RDX);
    x64_shift_rrr(x, left ? X64_SHR : X64_SHL, bits, RDX, a, RDX);
    x64_alu_rr(x, X64_OR, bits, RAX, RDX);
    x64_mov_rr(x, bits, dst, RAX);
}

static void select_shift(struct quick *q, const struct q_node *n)
{
    enum x64_shift op = n->sub == JIT_SHL             ? X64_SHL
                        : q_base(n->type) == JIT_SINT ? X64_SAR
                                                      : X64_SHR;
    unsigned bits = q_bits(n->type), a, amount, dst;
    uint64_t fixed;

    if (q_is_const(q, n->in[1], &fixed)) {
        dst = q_def_copy(q, n->in[0]);
        x64_shift_ri(&q->x, op, bits, dst, (unsigned)fixed);
        return;
    }
    a = q_use(q, n->in[0]);
    amount = q_use(q, n->in[1]);
    dst = q_def(q);
    x64_shift_rrr(&q->x, op, bits, dst, a, amount);
}

static void select_binary(struct quick *q, const struct q_node *n)
{
    switch (n->sub) {
    case JIT_ADD:
        select_add(q, n);
        break;
    case JIT_SUB:
        select_alu(q, n, X64_SUB);
        break;
    case JIT_AND:
        select_alu(q, n, X64_AND);
        break;
    case JIT_OR:
        select_alu(q, n, X64_OR);
        break;
    case JIT_XOR:
        select_alu(q, n, X64_XOR);
        break;
    case JIT_MUL:
        select_multiply(q, n);
        break;
    case JIT_UMULH:
    case JIT_SMULH:
        select_high(q, n);
        break;
    case JIT_DIV:
    case JIT_MOD:
        select_divide(q, n);
        break;
    case JIT_SHL:
    case JIT_SHR:
        select_shift(q, n);
        break;
    case JIT_ROL:
    case JIT_ROR:
        select_rotate(q, n);
        break;
    default:
        select_comparison(q, n);
    }
}

/* ---- operations of one operand --------------------------------------------------------------- */

static void reverse_bits(struct quick *q, unsigned bits, unsigned r)
{
    static const uint64_t masks[] = {UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x3333333333333333),
                                     UINT64_C(0x5555555555555555)};
    struct x64 *x = &q->x;

    x64_bswap(x, bits, r);
    for (unsigned n = 0; n < 3; n++) {
        x64_mov_ri(x, RDX, masks[n]);
        x64_mov_rr(x, bits, RAX, r);
        x64_shift_ri(x, X64_SHR, bits, RAX, 4 >> n);
        x64_alu_rr(x, X64_AND, bits, RAX, RDX);
        x64_alu_rr(x, X64_AND, bits, r, RDX);
        x64_shift_ri(x, X64_SHL, bits, r, 4 >> n);
        x64_alu_rr(x, X64_OR, bits, r, RAX);
    }
}

static void select_unary(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), a, dst;

    switch (n->sub) {
    case JIT_NOT:
    case JIT_NEG:
        dst = q_def_copy(q, n->in[0]);
        x64_group3(&q->x, n->sub == JIT_NOT ? X64_NOT : X64_NEG, bits, dst);
        break;
    case JIT_ABS:
        a = q_use(q, n->in[0]);
        dst = q_def(q);
        x64_mov_rr(&q->x, bits, RAX, a);
        x64_group3(&q->x, X64_NEG, bits, RAX);
        x64_cmov(&q->x, CC_S, bits, RAX, a);
        x64_mov_rr(&q->x, bits, dst, RAX);
        break;
    case JIT_BSWAP:
        dst = q_def_copy(q, n->in[0]);
        x64_bswap(&q->x, bits, dst);
        break;
    case JIT_BITREV:
        dst = q_def_copy(q, n->in[0]);
        reverse_bits(q, bits, dst);
        break;
    default:
        a = q_use(q, n->in[0]);
        dst = q_def(q);
        x64_count_rr(&q->x,
                     n->sub == JIT_CLZ   ? X64_LZCNT
                     : n->sub == JIT_CTZ ? X64_TZCNT
                                         : X64_POPCNT,
                     bits, dst, a);
    }
}

static void select_extension(struct quick *q, const struct q_node *n)
{
    unsigned bits = (unsigned)n->imm, a, dst;
    struct x64_mem m;

    if (q_node(q, n->in[0])->next == Q_NEVER && q_in_memory(q, n->in[0], bits, &m)) {
        dst = q_def(q);
        if (n->op == Q_ZEXT)
            x64_load(&q->x, bits, dst, m);
        else
            x64_load_signed(&q->x, 64, bits, dst, m);
        return;
    }
    a = q_use(q, n->in[0]);
    dst = q_def(q);
    if (n->op == Q_ZEXT)
        x64_movzx(&q->x, bits, dst, a);
    else
        x64_movsx(&q->x, 64, bits, dst, a);
}

/* Stands behind an instruction that runs alone. */
static void after_one(struct cpu *cpu, const struct insn *i)
{
    cpu->pc = CPU_PC(cpu, i);
}

/* A copy of the instruction that does not run into the next one. */
static const struct insn *alone(struct quick *q, unsigned source, unsigned index)
{
    const struct cpu_isa *isa = q->map->isa;
    const uint8_t *from = q->r->sources[source].insns + index * isa->insn_bytes;
    uint8_t *copy = q_take(q->code, 2 * isa->insn_bytes);
    struct insn *end = (struct insn *)(void *)(copy + isa->insn_bytes);
    const struct insn *i = (const struct insn *)(const void *)copy;

    memcpy(copy, from, isa->insn_bytes);
    *end = (struct insn){
        .fn = after_one, .offset = (uint16_t)(i->offset + isa->fetch_bytes), .form = UINT16_MAX};
    return i;
}

static void select_handler(struct quick *q, const struct q_node *n)
{
    unsigned source = (unsigned)(n->imm >> 16), index = n->imm & 0xffff;

    q_call_handler(q, source, index, alone(q, source, index));
    q->r->interpreted++;
}

/* ---- leaving the trace ----------------------------------------------------------------------- */

/* One more execution of a guest block, for statistics. */
static void count_run(struct quick *q, const struct block *b)
{
    struct x64 *x = &q->x;

    x64_mov_ri(x, RAX, (uintptr_t)b);
    x64_load(x, 32, RDX, x64_at(Q_CPU, offsetof(struct cpu, slot)));
    x64_group3(x, X64_NEG, 64, RDX);
    x64_alu_mi(x, X64_ADD, 64, x64_at_index(RAX, RDX, 3, -8), 1);
}

static void select_head(struct quick *q, const struct q_node *n)
{
    const struct source *s = &q->r->sources[n->imm];
    struct q_site *site = q_new_site(q, Q_SITE_STOP, (unsigned)n->imm, 0);
    uint8_t *stop;

    x64_alu_ri(&q->x, X64_SUB, 64, Q_LEFT, (int32_t)s->count);
    stop = x64_jcc(&q->x, CC_S);
    q_trap_later(q, stop, site, q->x.at);
    if (q->tier->jit->counts)
        count_run(q, s->block);
}

static void select_guard(struct quick *q, const struct q_node *n)
{
    enum x64_cc cc = q_compare_ints(q, n->sub, n->type, n->in[0], n->in[1]);
    uint32_t leave = q_leave_prepare(q, &q->ways.data[n->imm]);

    q_leave_jump(q, x64_jcc(&q->x, (enum x64_cc)(cc ^ 1)), leave);
}

static void select_guard_test(struct quick *q, const struct q_node *n)
{
    unsigned bits = q_bits(n->type), a = q_use(q, n->in[0]);
    uint32_t leave;
    int32_t imm;

    if (immediate(q, n->in[1], bits, &imm))
        x64_test_ri(&q->x, bits, a, imm);
    else
        x64_test_rr(&q->x, bits, a, q_use(q, n->in[1]));
    leave = q_leave_prepare(q, &q->ways.data[n->imm]);
    q_leave_jump(q, x64_jcc(&q->x, n->sub == JIT_EQ ? CC_NE : CC_E), leave);
}

static void select_page(struct quick *q, const struct q_node *n)
{
    const struct q_way *way = &q->ways.data[n->imm];
    uint32_t leave = q_leave_prepare(q, way);
    uint8_t *fails[3];

    q_page_check(q, way->delta, q->r->sources[n->imm2].block, fails);
    for (unsigned k = 0; k < 3; k++)
        q_leave_jump(q, fails[k], leave);
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static bool uses_vectors(struct quick *q, const struct q_node *n)
{
    bool vectors = q_in_vector(n->result);

    for (unsigned k = 0; k < 4 && !vectors; k++)
        vectors = n->in[k] && q_in_vector(q_node(q, n->in[k])->result);
    return vectors;
}

static void select_value(struct quick *q, const struct q_node *n)
{
    if (uses_vectors(q, n)) {
        q_select_vector(q);
        return;
    }
    switch (n->op) {
    case Q_UNARY:
        select_unary(q, n);
        break;
    case Q_BINARY:
        select_binary(q, n);
        break;
    case Q_SELECT:
        select_choice(q, n);
        break;
    case Q_ZEXT:
    case Q_SEXT:
        select_extension(q, n);
        break;
    default:
        q_select_vector(q);
    }
}

void q_select_node(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);

    if (n.flags & QF_COLD)
        return;
    switch (n.op) {
    case Q_NOP:
    case Q_CONST:
    case Q_PC:
        break;
    case Q_REG:
        q_is_in_slot(q, (uint32_t)n.imm, q->at);
        break;
    case Q_CPU_MEMBER:
        x64_load(&q->x, q_bits(n.type), q_def(q), x64_at(Q_CPU, (int32_t)n.imm));
        break;
    case Q_LOAD:
        q_select_load(q);
        break;
    case Q_STORE:
        q_select_store(q);
        break;
    case Q_WRITE:
        q_set_slot(q, (uint32_t)n.imm, n.in[0]);
        break;
    case Q_CALL:
        q_select_call(q);
        break;
    case Q_RESULT:
        q_select_result(q);
        break;
    case Q_GUARD:
        select_guard(q, &n);
        break;
    case Q_GUARD_TEST:
        select_guard_test(q, &n);
        break;
    case Q_PAGE:
        select_page(q, &n);
        break;
    case Q_HEAD:
        select_head(q, &n);
        break;
    case Q_EXIT:
        q_leave_now(q, &q->ways.data[n.imm]);
        break;
    case Q_HANDLER:
        select_handler(q, &n);
        break;
    default:
        select_value(q, &n);
    }
}
