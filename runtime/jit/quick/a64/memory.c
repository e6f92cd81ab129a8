/* Accesses of guest memory: an inline look-up in the soft TLB, as in cpu_read64(), and a trap on a
 * miss; or an access of flat memory. */
#include "runtime/jit/quick/a64/host.h"

/* Compares the address with the tag in X16: "higher" is a miss. If the access must be aligned, the
 * bits that must be 0 are rotated to the top, so that a misaligned address misses. */
static void compare_tag(struct quick *q, unsigned address)
{
    unsigned bytes = q_node(q, q->at)->sub;
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

/* Looks the address up; returns the jump that is taken on a miss. On a hit the host address is X16 +
 * address. */
static uint8_t *look_up(struct quick *q, unsigned address, size_t tag)
{
    const struct q_node *n = q_node(q, q->at);
    uint64_t table = q_access_table(q, (unsigned)n->imm), low = table & 0xfff;
    struct q_buffer *x = &q->out;
    uint8_t *miss;

    _Static_assert(sizeof(struct tlb_entry) == 32, "an entry has 2 to the 5th bytes");
    _Static_assert((TLB_SIZE & (TLB_SIZE - 1)) == 0, "an index is a field of bits");
    a64_field(x, A64_UBFM, 64, Q_ADDRESS, address,
              A64_RANGE(CPU_PAGE_BITS, (unsigned)__builtin_ctz(TLB_SIZE)));
    a64_rrr(x, a64_shifted(A64_ADD, 5), 64, Q_ADDRESS, Q_CPU, Q_ADDRESS);
    a64_add_i(x, Q_ADDRESS, Q_ADDRESS, (int64_t)(table - low), Q_SCRATCH);
    a64_load(x, 64, Q_SCRATCH, a64_at(Q_ADDRESS, (int32_t)(low + tag)));
    compare_tag(q, address);
    miss = a64_b_if(x, A64_HI);
    a64_load(x, 64, Q_SCRATCH,
             a64_at(Q_ADDRESS, (int32_t)(low + offsetof(struct tlb_entry, addend))));
    return miss;
}

/* An access that is being emitted: its operand, and the jump to its slow path. */
struct access {
    struct a64_mem m;
    uint8_t *miss, *insn;
};

static struct access begin_access(struct quick *q, unsigned address, size_t tag)
{
    const struct q_node *n = q_node(q, q->at);
    struct access a = {.m = a64_at_index(Q_SCRATCH, address)};

    if (!q->flat) {
        a.miss = look_up(q, address, tag);
    } else if (!n->disp) {
        a.m = a64_at_index(Q_FLAT, address);
    } else if (a64_is_offset(n->sub * 8u, n->disp)) {
        a64_rrr(&q->out, A64_ADD, 64, Q_SCRATCH, Q_FLAT, address);
        a.m = a64_at(Q_SCRATCH, n->disp);
    } else {
        a64_add_i(&q->out, Q_SCRATCH, address, n->disp, Q_SCRATCH);
        a.m = a64_at_index(Q_FLAT, Q_SCRATCH);
    }
    a.insn = q->out.at;
    return a;
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
    q_access_end(q, a->miss, a->insn, s);
}

void a64_select_load(struct quick *q)
{
    unsigned address = q_use(q, q_node(q, q->at)->in[0]), bits = q_node(q, q->at)->sub * 8u, dst;
    bool vector = q_in_vector(q_node(q, q->at)->result);
    enum a64_cc cc = emit_condition(q);
    struct q_site *s = q_access_site(q, Q_SITE_READ);
    struct access a;
    uint8_t *skipped;

    dst = vector ? q_def_x(q) : q_def(q);
    s->value = (struct q_where){.kind = Q_IN_HOST, .host = (uint8_t)(vector ? Q_V + dst : dst)};
    s->vectors |= vector;
    skipped = skip_access(q, cc);
    a = begin_access(q, address, offsetof(struct tlb_entry, read_tag));
    if (vector)
        a64_vload(&q->out, bits, dst, a.m);
    else
        a64_load(&q->out, bits, dst, a.m);
    end_access(q, &a, skipped, s);
}

void a64_select_store(struct quick *q)
{
    const struct q_node n = *q_node(q, q->at);
    unsigned address = q_use(q, n.in[0]), value = A64_ZERO, bits = n.sub * 8u;
    bool vector = q_is_in_vector(q, n.in[1]);
    uint64_t fixed;
    struct q_site *s;
    struct access a;
    enum a64_cc cc;
    uint8_t *skipped;

    if (vector)
        value = q_use_x(q, n.in[1]);
    else if (!q_is_const(q, n.in[1], &fixed) || fixed)
        value = q_use(q, n.in[1]);
    cc = emit_condition(q);
    s = q_access_site(q, Q_SITE_WRITE);
    s->value = q_where_is(q, n.in[1]);
    skipped = skip_access(q, cc);
    a = begin_access(q, address, offsetof(struct tlb_entry, write_tag));
    if (vector)
        a64_vstore(&q->out, bits, a.m, value);
    else
        a64_store(&q->out, bits, a.m, value);
    end_access(q, &a, skipped, s);
}
