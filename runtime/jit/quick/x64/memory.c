/* Accesses of guest memory: an inline look-up in the soft TLB, as in cpu_read64(), and a trap on a
 * miss; or an access of flat memory. */
#include "runtime/cpu/large.h"
#include "runtime/jit/quick/x64/host.h"

/* The bytes that a LOAD or STORE accesses, or an ADDEND serves. */
static unsigned bytes_of(const struct q_node *n)
{
    return n->op == Q_ADDEND ? (unsigned)n->imm2 : n->sub;
}

static size_t tag_of(const struct q_node *n)
{
    bool writes = n->op == Q_ADDEND ? n->sub : n->op == Q_STORE;

    return writes ? offsetof(struct tlb_entry, write_tag) : offsetof(struct tlb_entry, read_tag);
}

/* Compares the address in RDX with an entry's tag: "above" is a miss. If the access must be
 * aligned, the bits that must be 0 are rotated to the top, so that a misaligned address misses. */
static void compare_tag(struct quick *q, struct x64_mem tag)
{
    unsigned bytes = bytes_of(q_node(q, q->at));
    struct q_buffer *x = &q->out;

    if (!q_access_aligned(q)) {
        x64_alu_rm(x, X64_SUB, 64, RDX, tag);
        x64_alu_ri(x, X64_CMP, 64, RDX, (int32_t)CPU_PAGE_SIZE - (int32_t)bytes);
        return;
    }
    x64_alu_rm(x, X64_XOR, 64, RDX, tag);
    x64_alu_ri(x, X64_AND, 64, RDX, ~(int32_t)TLB_ALIGNED);
    if (bytes > 1)
        x64_shift_ri(x, X64_ROR, 64, RDX, (unsigned)__builtin_ctz(bytes));
    x64_alu_ri(x, X64_CMP, 64, RDX, (int32_t)(CPU_PAGE_SIZE / bytes) - 1);
}

/* Sets RDX to base + disp, and RAX to the distance of the address's entry from the start of the
 * soft TLB, or of its large_table. */
static void find_entry(struct quick *q, unsigned base, int32_t disp, bool large)
{
    struct q_buffer *x = &q->out;

    _Static_assert(sizeof(struct tlb_entry) == 32, "an entry has 2 to the 5th bytes");
    if (disp)
        x64_lea(x, 64, RDX, x64_at(base, disp));
    x64_rorx(x, 32, RAX, disp ? RDX : base, (large ? TLB_LARGE_BITS : CPU_PAGE_BITS) - 5);
    x64_alu_ri(x, X64_AND, 32, RAX, ((large ? LARGE_ENTRIES : TLB_SIZE) - 1) << 5);
    if (!disp)
        x64_mov_rr(x, 64, RDX, base);
}

/* A member of the entry that find_entry() has found, in the table of the node's interface. */
static struct x64_mem entry_member(struct quick *q, size_t member, bool large)
{
    unsigned iface = (unsigned)q_node(q, q->at)->imm;
    uint64_t table = large ? q_access_large_table(q, iface) : q_access_table(q, iface);

    return x64_at_index(Q_CPU, RAX, 0, (int32_t)(table + member) - X64_MIDDLE);
}

/* Loads what the soft TLB adds to the node's address into `dst`, on a hit. Returns the jump that is
 * taken on a miss. */
static uint8_t *look_up(struct quick *q, unsigned base, unsigned dst)
{
    const struct q_node *n = q_node(q, q->at);
    uint8_t *miss;

    find_entry(q, base, n->disp, false);
    compare_tag(q, entry_member(q, tag_of(n), false));
    miss = x64_jcc(&q->out, CC_A);
    x64_load(&q->out, 64, dst, entry_member(q, offsetof(struct tlb_entry, addend), false));
    return miss;
}

uint8_t *x64_look_up(struct quick *q, unsigned base, unsigned dst)
{
    return look_up(q, base, dst == Q_NO_HOST ? RDX : dst);
}

/* x64_look_up() in the large_table. */
static uint8_t *look_up_large(struct quick *q, unsigned base)
{
    const struct q_node *n = q_node(q, q->at);
    struct q_buffer *x = &q->out;
    uint8_t *miss;

    find_entry(q, base, n->disp, true);
    x64_alu_rm(x, X64_SUB, 64, RDX, entry_member(q, tag_of(n), true));
    x64_alu_ri(x, X64_CMP, 64, RDX, LARGE_BYTES - (int32_t)bytes_of(n));
    miss = x64_jcc(x, CC_A);
    x64_load(x, 64, RDX, entry_member(q, offsetof(struct tlb_entry, addend), true));
    return miss;
}

/* An ADDEND that leaves the trace on a miss. */
static void leave_on_miss(struct quick *q, unsigned base)
{
    bool large = q_node(q, q->at)->scale;
    struct q_site *s = q_addend_site(q);
    struct q_buffer *x = &q->out;
    unsigned dst = q_def(q);
    const uint8_t *hit;
    uint8_t *miss;

    if (!large) {
        q_trap_later(q, look_up(q, base, dst), s, NULL);
        return;
    }
    miss = look_up_large(q, base);
    hit = x->at;
    x64_mov_rr(x, 64, dst, RDX);
    q_look_up_later(q, miss, base, hit, s, NULL);
}

void x64_select_addend(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    unsigned base = q_use(q, n.in[0]), dst;
    struct q_buffer *x = &q->out;
    bool large = n.scale;
    uint8_t *fails;

    if (n.when) {
        leave_on_miss(q, base);
        return;
    }
    dst = q_def(q);
    find_entry(q, base, n.disp, large);
    x64_alu_rm(x, X64_SUB, 64, RDX, entry_member(q, tag_of(&n), large));
    x64_load(x, 64, dst, entry_member(q, offsetof(struct tlb_entry, addend), large));
    x64_alu_ri(x, X64_CMP, 64, RDX,
               (large ? LARGE_BYTES : (int32_t)CPU_PAGE_SIZE) - (int32_t)n.imm2);
    fails = x64_jcc(x, CC_A);
    q_detour_later(q, fails, q->at, dst);
}

/* An access that is being emitted. Outside of flat memory the host address is RDX + the guest's
 * address. */
struct access {
    struct x64_mem m;     /* the operand */
    unsigned base;        /* the address's first register */
    bool large;           /* looks in large_table first */
    bool served;          /* has an ADDEND that is never 0 */
    bool has_addend;      /* has one, if so: */
    unsigned addend;      /* its register, or Q_NO_HOST */
    struct q_place at;    /* its place in memory, without a register */
    uint8_t *miss, *insn; /* the jump to the slow path, and the access itself */
};

/* The base of the address, its displacement, and for flat memory the base and the index, too. */
static struct x64_mem address_of(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    unsigned base = q_use(q, n.in[0]);
    struct x64_mem m = x64_at(base, n.disp);

    if (n.in[2] && !n.when)
        m = x64_at_index(base, q_use(q, n.in[2]), n.scale, n.disp);
    if (q->base_is_near)
        m.disp += (int32_t)q->r->flat_base;
    return m;
}

/* Finds the operands of the access, before the result has a register that may be one of theirs. */
static struct access prepare_access(struct quick *q)
{
    struct access a = {.m = address_of(q), .addend = Q_NO_HOST};
    const struct q_node *n = q_node(q, q->at);

    a.base = a.m.base;
    a.large = q_access_large(q);
    a.has_addend = !q->flat && n->in[3] && !n->when;
    a.served = q_is_served(q);
    if (a.has_addend && !q_in_memory(q, n->in[3], 64, &a.at))
        a.addend = q_use(q, n->in[3]);
    return a;
}

/* Chooses the register with what is added to the address of an access with an ADDEND, and tests
 * that if it may be 0. */
static void use_addend(struct quick *q, struct access *a)
{
    uint32_t addend = q_node(q, q->at)->in[3];
    struct q_buffer *x = &q->out;

    if (a->addend == Q_NO_HOST) {
        a->addend = RDX;
        x64_load(x, 64, RDX, x64_place(a->at));
    }
    a->m = x64_at_index(a->addend, a->base, 0, a->m.disp);
    if (a->served || q_detour_goes_on(q, addend))
        return;
    x64_test_rr(x, 64, a->addend, a->addend);
    q_detour_later(q, x64_jcc(x, CC_E), addend, Q_NO_HOST);
}

static void begin_access(struct quick *q, struct access *a)
{
    if (q->flat && !q->base_is_near) {
        a->m = x64_at_index(Q_FLAT, a->base, 0, a->m.disp);
    } else if (a->has_addend) {
        use_addend(q, a);
    } else if (!q->flat) {
        a->m = x64_at_index(RDX, a->base, 0, a->m.disp);
        a->miss = a->large ? look_up_large(q, a->base) : look_up(q, a->base, RDX);
    }
    a->insn = q->out.at;
}

/* Emits the comparison of a conditional access; the code up to the jump must preserve the flags. */
static enum x64_cc emit_condition(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);

    return n.when ? x64_compare(q, n.when, n.from, n.in[2], n.in[3]) : CC_E;
}

/* The jump over a conditional access. */
static uint8_t *skip_access(struct quick *q, enum x64_cc cc)
{
    return q_node(q, q->at)->when ? x64_jcc(&q->out, (enum x64_cc)(cc ^ 1)) : NULL;
}

/* `value`: the register that a load has written, or Q_NO_HOST. */
static void end_access(struct quick *q, const struct access *a, uint8_t *skipped, struct q_site *s,
                       unsigned value)
{
    if (skipped)
        x64_bind(&q->out, skipped);
    if (a->served)
        return;
    if (a->has_addend)
        q_detour_add(q, &(struct q_detour){.node = q->at,
                                           .insn = a->insn,
                                           .end = q->out.at,
                                           .site = s,
                                           .base = (uint8_t)a->base,
                                           .addend = (uint8_t)a->addend,
                                           .clears = a->addend != RDX && a->addend != value});
    else if (a->large)
        q_look_up_later(q, a->miss, a->base, a->insn, s, q->out.at);
    else
        q_access_end(q, a->miss, a->insn, s);
}

/* Whether a loaded integer only becomes a wider one with its sign, by the next node that emits
 * code: then the load itself extends it. */
static bool loads_sign(struct quick *q)
{
    const struct q_node *n = q_node(q, q->at), *user;
    uint32_t next = q->at + 1;

    if (n->next == Q_NEVER || n->keep || n->when || q_in_vector(n->result))
        return false;
    while (q_node(q, next)->op == Q_NOP || q_node(q, next)->op == Q_CONST ||
           q_node(q, next)->flags & QF_COLD)
        next++;
    user = q_node(q, next);
    return n->next == next && user->op == Q_SEXT && user->imm == n->sub * 8u &&
           user->next_in[0] == Q_NEVER;
}

void x64_select_load(struct quick *q)
{
    struct access a = prepare_access(q);
    unsigned dst, bits;
    bool vector = q_in_vector(q_node(q, q->at)->result), with_sign = loads_sign(q);
    enum x64_cc cc = emit_condition(q);
    struct q_site *s = q_access_site(q, Q_SITE_READ);
    uint8_t *skipped;

    bits = q_node(q, q->at)->sub * 8u;
    dst = vector ? q_def_x(q) : q_def(q);
    if (s) {
        s->value = (struct q_where){.kind = Q_IN_HOST, .host = (uint8_t)(vector ? Q_V + dst : dst)};
        s->vectors |= vector;
        s->with_sign = with_sign;
    }
    skipped = skip_access(q, cc);
    begin_access(q, &a);
    if (with_sign) {
        x64_load_signed(&q->out, 64, bits, dst, a.m);
        q_node(q, q->at)->flags |= QF_SIGNED;
    } else if (!vector) {
        x64_load(&q->out, bits, dst, a.m);
    } else if (bits >= 32) {
        x64_vload(&q->out, bits, dst, a.m);
    } else {
        x64_load(&q->out, bits, RAX, a.m);
        x64_vmov_from_gpr(&q->out, 32, dst, RAX);
    }
    end_access(q, &a, skipped, s, vector ? Q_NO_HOST : dst);
}

void x64_select_store(struct quick *q)
{
    const struct q_node *n = q_node(q, q->at);
    struct access a = prepare_access(q);
    unsigned value = 0, bits = n->sub * 8u;
    bool vector = q_in_vector(q_node(q, n->in[1])->result);
    uint64_t fixed;
    bool is_fixed = !vector && q_is_const(q, n->in[1], &fixed) &&
                    (bits < 64 || (int64_t)fixed == (int32_t)fixed);
    struct q_site *s;
    enum x64_cc cc;
    uint8_t *skipped;

    if (!is_fixed)
        value = vector ? q_use_x(q, n->in[1]) : q_use(q, n->in[1]);
    cc = emit_condition(q);
    s = q_access_site(q, Q_SITE_WRITE);
    if (s)
        s->value = q_where_is(q, q_node(q, q->at)->in[1]);
    skipped = skip_access(q, cc);
    begin_access(q, &a);
    if (is_fixed)
        x64_store_i(&q->out, bits, a.m, (int32_t)fixed);
    else if (vector)
        x64_vstore(&q->out, bits, a.m, value);
    else
        x64_store(&q->out, bits, a.m, value);
    end_access(q, &a, skipped, s, Q_NO_HOST);
}
