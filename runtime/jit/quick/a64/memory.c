/* Accesses of guest memory: an inline look-up in the soft TLB, as in cpu_read64(), and a trap on a
 * miss; or an access of flat memory. */
#include "runtime/cpu/large.h"
#include "runtime/jit/quick/a64/host.h"

/* The bytes that a LOAD or STORE accesses, or an ADDEND serves. */
static unsigned bytes_of(const struct q_node *n)
{
    return n->op == Q_ADDEND ? (unsigned)n->imm2 : n->sub;
}

/* Compares the address with the tag in X16: "higher" is a miss. If the access must be aligned, the
 * bits that must be 0 are rotated to the top, so that a misaligned address misses. */
static void compare_tag(struct quick *q, unsigned address)
{
    unsigned bytes = bytes_of(q_node(q, q->at));
    struct q_buffer *x = &q->out;

    if (!q_access_aligned(q)) {
        a64_rrr(x, A64_SUB, 64, Q_SCRATCH, address, Q_SCRATCH);
        a64_compare_i(x, 64, Q_SCRATCH, CPU_PAGE_SIZE - bytes);
        return;
    }
    a64_rrr(x, A64_EOR, 64, Q_SCRATCH, address, Q_SCRATCH);
    a64_logic_i(x, A64_AND_I, 64, Q_SCRATCH, Q_SCRATCH, ~(uint64_t)TLB_ALIGNED);
    if (bytes > 1)
        a64_ror_i(x, 64, Q_SCRATCH, Q_SCRATCH, (unsigned)__builtin_ctz(bytes));
    a64_compare_i(x, 64, Q_SCRATCH, CPU_PAGE_SIZE / bytes - 1);
}

/* The register of base + disp: the base's, or X15. */
static unsigned add_disp(struct quick *q, unsigned base, int32_t disp)
{
    if (disp)
        a64_add_i(&q->out, Q_SCRATCH2, base, disp, Q_SCRATCH2);
    return disp ? Q_SCRATCH2 : base;
}

/* Loads the tag of the address's entry into X16, in the soft TLB of the node's interface or in its
 * large_table. Returns the entry's addend, which X17 addresses. */
static struct a64_mem find_entry(struct quick *q, unsigned address, bool large)
{
    const struct q_node *n = q_node(q, q->at);
    bool writes = n->op == Q_ADDEND ? n->sub : n->op == Q_STORE;
    unsigned iface = (unsigned)n->imm;
    uint64_t table = large ? q_access_large_table(q, iface) : q_access_table(q, iface);
    uint64_t low = table & 0xfff;
    size_t tag =
        writes ? offsetof(struct tlb_entry, write_tag) : offsetof(struct tlb_entry, read_tag);
    unsigned shift = large ? TLB_LARGE_BITS : CPU_PAGE_BITS;
    unsigned bits = (unsigned)__builtin_ctz(large ? LARGE_ENTRIES : TLB_SIZE);
    struct q_buffer *x = &q->out;

    _Static_assert(sizeof(struct tlb_entry) == 32, "an entry has 2 to the 5th bytes");
    _Static_assert((TLB_SIZE & (TLB_SIZE - 1)) == 0, "an index is a field of bits");
    a64_field(x, A64_UBFM, 64, Q_ADDRESS, address, A64_RANGE(shift, bits));
    a64_rrr(x, a64_shifted(A64_ADD, 5), 64, Q_ADDRESS, Q_CPU, Q_ADDRESS);
    a64_add_i(x, Q_ADDRESS, Q_ADDRESS, (int64_t)(table - low), Q_SCRATCH);
    a64_load(x, 64, Q_SCRATCH, a64_at(Q_ADDRESS, (int32_t)(low + tag)));
    return a64_at(Q_ADDRESS, (int32_t)(low + offsetof(struct tlb_entry, addend)));
}

/* Looks base + disp up; on a hit `dst` is what is added to it. Returns the jump that is taken on a
 * miss. */
static uint8_t *look_up(struct quick *q, unsigned base, unsigned dst)
{
    const struct q_node *n = q_node(q, q->at);
    unsigned address = add_disp(q, base, n->disp);
    struct a64_mem addend = find_entry(q, address, false);
    uint8_t *miss;

    compare_tag(q, address);
    miss = a64_b_if(&q->out, A64_HI);
    a64_load(&q->out, 64, dst, addend);
    return miss;
}

/* Compares the offset in a page, which is in X16. Returns the jump that is taken if it is beyond
 * `last`. */
static uint8_t *compare_offset(struct q_buffer *x, uint64_t last)
{
    if (a64_is_arith(last)) {
        a64_arith_i(x, A64_SUBS_I, 64, A64_ZERO, Q_SCRATCH, (uint32_t)last);
    } else {
        a64_mov_i(x, Q_SCRATCH2, last);
        a64_rrr(x, A64_SUBS, 64, A64_ZERO, Q_SCRATCH, Q_SCRATCH2);
    }
    return a64_b_if(x, A64_HI);
}

/* look_up() in the large_table; on a hit X16 is the sum of base and what is added. */
static uint8_t *look_up_large(struct quick *q, unsigned base)
{
    const struct q_node *n = q_node(q, q->at);
    unsigned address = add_disp(q, base, n->disp);
    struct a64_mem addend = find_entry(q, address, true);
    struct q_buffer *x = &q->out;
    uint8_t *miss;

    a64_rrr(x, A64_SUB, 64, Q_SCRATCH, address, Q_SCRATCH);
    miss = compare_offset(x, LARGE_BYTES - bytes_of(n));
    a64_load(x, 64, Q_SCRATCH, addend);
    a64_rrr(x, A64_ADD, 64, Q_SCRATCH, Q_SCRATCH, base);
    return miss;
}

/* Accesses with an ADDEND, or in large pages, have the sum of it and the base in X16. */
uint8_t *a64_look_up(struct quick *q, unsigned base, unsigned dst)
{
    uint8_t *miss = look_up(q, base, Q_SCRATCH);

    (void)dst;
    a64_rrr(&q->out, A64_ADD, 64, Q_SCRATCH, Q_SCRATCH, base);
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
    a64_rrr(x, A64_SUB, 64, dst, Q_SCRATCH, base);
    q_look_up_later(q, miss, base, hit, s, NULL);
}

void a64_select_addend(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    unsigned base = q_use(q, n.in[0]), dst, address;
    struct q_buffer *x = &q->out;
    bool large = n.scale;
    struct a64_mem addend;
    uint8_t *fails;

    if (n.when) {
        leave_on_miss(q, base);
        return;
    }
    dst = q_def(q);
    address = add_disp(q, base, n.disp);
    addend = find_entry(q, address, large);
    a64_rrr(x, A64_SUB, 64, Q_SCRATCH, address, Q_SCRATCH);
    a64_load(x, 64, dst, addend);
    fails = compare_offset(x, (large ? LARGE_BYTES : CPU_PAGE_SIZE) - n.imm2);
    q_clear_later(q, fails, dst, x->at);
}

/* An access that is being emitted. */
struct access {
    struct a64_mem m;     /* the operand */
    unsigned base;        /* the address's register */
    bool large;           /* looks in large_table first */
    bool has_addend;      /* if so: */
    unsigned addend;      /* its register, or Q_NO_HOST */
    struct q_place at;    /* its place in memory, without a register */
    uint8_t *miss, *join; /* the jump to the slow path, and where that goes on after a hit */
    uint8_t *insn;        /* the access itself */
};

/* Finds the operands of the access, before the result has a register that may be one of theirs. */
static struct access prepare_access(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    struct access a = {.base = q_use(q, n.in[0]), .addend = Q_NO_HOST};

    a.large = q_access_large(q);
    a.has_addend = !q->flat && n.in[3] && !n.when;
    if (a.has_addend && !q_in_memory(q, n.in[3], 64, &a.at))
        a.addend = q_use(q, n.in[3]);
    return a;
}

/* Addresses flat memory. */
static struct a64_mem flat_operand(struct quick *q, unsigned base)
{
    const struct q_node *n = q_node(q, q->at);

    if (!n->disp)
        return a64_at_index(Q_FLAT, base);
    if (a64_is_offset(n->sub * 8u, n->disp)) {
        a64_rrr(&q->out, A64_ADD, 64, Q_SCRATCH, Q_FLAT, base);
        return a64_at(Q_SCRATCH, n->disp);
    }
    a64_add_i(&q->out, Q_SCRATCH, base, n->disp, Q_SCRATCH);
    return a64_at_index(Q_FLAT, Q_SCRATCH);
}

/* Adds base and ADDEND. The jump to the slow path is taken if the ADDEND is 0, unless it never
 * is. */
static void add_addend(struct quick *q, struct access *a)
{
    unsigned addend = a->addend == Q_NO_HOST ? Q_SCRATCH : a->addend;
    struct q_buffer *x = &q->out;

    if (a->addend == Q_NO_HOST)
        a64_load(x, 64, Q_SCRATCH, a64_place(a->at));
    if (!q_is_served(q))
        a->miss = a64_cbz(x, 64, addend);
    a64_rrr(x, A64_ADD, 64, Q_SCRATCH, addend, a->base);
    a->join = x->at;
}

static void begin_access(struct quick *q, struct access *a)
{
    const struct q_node *n = q_node(q, q->at);

    if (q->flat) {
        a->m = flat_operand(q, a->base);
    } else if (!a->has_addend && !a->large) {
        a->miss = look_up(q, a->base, Q_SCRATCH); /* X15 is base + disp, if it differs from base */
        a->m = a64_at_index(Q_SCRATCH, n->disp ? Q_SCRATCH2 : a->base);
    } else {
        if (a->has_addend) {
            add_addend(q, a);
        } else {
            a->miss = look_up_large(q, a->base);
            a->join = q->out.at;
        }
        a->m = a64_at(Q_SCRATCH, n->disp);
        if (!a64_is_offset(n->sub * 8u, n->disp)) {
            a64_add_i(&q->out, Q_SCRATCH, Q_SCRATCH, n->disp, Q_SCRATCH2);
            a->m = a64_at(Q_SCRATCH, 0);
        }
    }
    a->insn = q->out.at;
}

/* Emits the comparison of a conditional access; the code up to the jump must preserve the flags. */
static enum a64_cc emit_condition(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);

    return n.when ? a64_compare(q, n.when, n.from, n.in[2], n.in[3]) : A64_EQ;
}

/* The jump over a conditional access. */
static uint8_t *skip_access(struct quick *q, enum a64_cc cc)
{
    return q_node(q, q->at)->when ? a64_b_if(&q->out, (enum a64_cc)(cc ^ 1)) : NULL;
}

static void end_access(struct quick *q, const struct access *a, uint8_t *skipped, struct q_site *s)
{
    a64_bind(&q->out, skipped);
    if (q_is_served(q))
        return;
    if (a->has_addend || a->large)
        q_look_up_later(q, a->miss, a->base, a->join, s, q->out.at);
    else
        q_access_end(q, a->miss, a->insn, s);
}

void a64_select_load(struct quick *q)
{
    struct access a = prepare_access(q);
    unsigned bits = q_node(q, q->at)->sub * 8u, dst;
    bool vector = q_in_vector(q_node(q, q->at)->result);
    enum a64_cc cc = emit_condition(q);
    struct q_site *s = q_access_site(q, Q_SITE_READ);
    uint8_t *skipped;

    dst = vector ? q_def_x(q) : q_def(q);
    if (s) {
        s->value = (struct q_where){.kind = Q_IN_HOST, .host = (uint8_t)(vector ? Q_V + dst : dst)};
        s->vectors |= vector;
    }
    skipped = skip_access(q, cc);
    begin_access(q, &a);
    if (vector)
        a64_vload(&q->out, bits, dst, a.m);
    else
        a64_load(&q->out, bits, dst, a.m);
    end_access(q, &a, skipped, s);
}

void a64_select_store(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    struct access a = prepare_access(q);
    unsigned value = A64_ZERO, bits = n.sub * 8u;
    bool vector = q_is_in_vector(q, n.in[1]);
    uint64_t fixed;
    struct q_site *s;
    enum a64_cc cc;
    uint8_t *skipped;

    if (vector)
        value = q_use_x(q, n.in[1]);
    else if (!q_is_const(q, n.in[1], &fixed) || fixed)
        value = q_use(q, n.in[1]);
    cc = emit_condition(q);
    s = q_access_site(q, Q_SITE_WRITE);
    if (s)
        s->value = q_where_is(q, n.in[1]);
    skipped = skip_access(q, cc);
    begin_access(q, &a);
    if (vector)
        a64_vstore(&q->out, bits, a.m, value);
    else
        a64_store(&q->out, bits, a.m, value);
    end_access(q, &a, skipped, s);
}
