/* Guest memory: the soft TLB's entry is looked up inline, as cpu_read64() does; what it does not
 * serve traps. */
#include "runtime/jit/quick/emit.h"

/* Distance of the ring's table from struct cpu. */
static uint64_t table_of(const struct quick *q, unsigned iface)
{
    const struct cpu_isa *isa = q->map->isa;
    bool own = isa->iface_ring && iface < isa->iface_count && isa->iface_ring[iface] < CPU_RINGS;
    unsigned ring = own ? isa->iface_ring[iface] : q->r->ring;

    return offsetof(struct cpu, tlbs) + ring * sizeof(struct tlb);
}

/* The jump that is taken when the entry does not serve the access; else the host's address is
 * RDX + address. */
static uint8_t *look_up(struct quick *q, unsigned address, size_t tag)
{
    const struct q_node *n = q_node(q, q->at);
    uint64_t table = table_of(q, (unsigned)n->imm);
    struct x64 *x = &q->x;
    uint8_t *miss;

    _Static_assert(sizeof(struct tlb_entry) == 32, "an entry has 2 to the 5th bytes");
    x64_rorx(x, 32, RAX, address, CPU_PAGE_BITS - 5);
    x64_alu_ri(x, X64_AND, 32, RAX, (TLB_SIZE - 1) << 5);
    x64_mov_rr(x, 64, RDX, address);
    x64_alu_rm(x, X64_SUB, 64, RDX, x64_at_index(Q_CPU, RAX, 0, (int32_t)(table + tag)));
    x64_alu_ri(x, X64_CMP, 64, RDX, (int32_t)CPU_PAGE_SIZE - n->sub);
    miss = x64_jcc(x, CC_A);
    x64_load(x, 64, RDX,
             x64_at_index(Q_CPU, RAX, 0, (int32_t)(table + offsetof(struct tlb_entry, addend))));
    return miss;
}

static struct q_site *access_site(struct quick *q, unsigned kind)
{
    const struct q_node *n = q_node(q, q->at);
    struct q_site *s = q_new_site(q, kind, (unsigned)(n->imm2 >> 16), n->imm2 & 0xffff);

    s->bytes = n->sub;
    s->iface = (uint8_t)n->imm;
    s->address = q_where_sum(q, n->in[0], n->disp);
    return s;
}

/* An access that is being emitted: where it is, and what leads to its slow way. */
struct access {
    struct x64_mem m;
    uint8_t *miss, *insn;
};

static struct access begin_access(struct quick *q, unsigned address, size_t tag)
{
    struct access a = {.m = x64_at_index(RDX, address, 0, 0)};

    if (q->flat)
        a.m = x64_at_index(Q_FLAT, address, 0, q_node(q, q->at)->disp);
    else
        a.miss = look_up(q, address, tag);
    a.insn = q->x.at;
    return a;
}

static void end_access(struct quick *q, const struct access *a, struct q_site *s)
{
    if (q->flat)
        q_fault_later(q, a->insn, s, q->x.at);
    else
        q_trap_later(q, a->miss, s, q->x.at);
}

void q_select_load(struct quick *q)
{
    unsigned address = q_use(q, q_node(q, q->at)->in[0]), dst, bits;
    bool vector = q_in_vector(q_node(q, q->at)->result);
    struct q_site *s = access_site(q, Q_SITE_READ);
    struct access a;

    bits = q_node(q, q->at)->sub * 8u;
    dst = vector ? q_def_x(q) : q_def(q);
    s->value = (struct q_where){.kind = Q_IN_HOST, .host = (uint8_t)(vector ? Q_X + dst : dst)};
    a = begin_access(q, address, offsetof(struct tlb_entry, read_tag));
    if (!vector) {
        x64_load(&q->x, bits, dst, a.m);
    } else if (bits >= 32) {
        x64_vload(&q->x, bits, dst, a.m);
    } else {
        x64_load(&q->x, bits, RAX, a.m);
        x64_vmov_from_gpr(&q->x, 32, dst, RAX);
    }
    end_access(q, &a, s);
}

void q_select_store(struct quick *q)
{
    const struct q_node *n = q_node(q, q->at);
    unsigned address = q_use(q, n->in[0]), value = 0, bits = n->sub * 8u;
    bool vector = q_in_vector(q_node(q, n->in[1])->result);
    uint64_t fixed;
    bool is_fixed = !vector && q_is_const(q, n->in[1], &fixed) &&
                    (bits < 64 || (int64_t)fixed == (int32_t)fixed);
    struct q_site *s;
    struct access a;

    if (!is_fixed)
        value = vector ? q_use_x(q, n->in[1]) : q_use(q, n->in[1]);
    s = access_site(q, Q_SITE_WRITE);
    s->value = q_where_is(q, q_node(q, q->at)->in[1]);
    a = begin_access(q, address, offsetof(struct tlb_entry, write_tag));
    if (is_fixed)
        x64_store_i(&q->x, bits, a.m, (int32_t)fixed);
    else if (vector)
        x64_vstore(&q->x, bits, a.m, value);
    else
        x64_store(&q->x, bits, a.m, value);
    end_access(q, &a, s);
}
