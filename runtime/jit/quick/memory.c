/* The part of guest memory accesses that is the same on all hosts: the soft TLB's table, and sites
 * of slow paths. */
#include "runtime/jit/quick/emit.h"

uint64_t q_access_table(const struct quick *q, unsigned iface)
{
    const struct cpu_isa *isa = q->map->isa;
    bool own = isa->iface_ring && iface < isa->iface_count && isa->iface_ring[iface] < CPU_RINGS;
    unsigned ring = own ? isa->iface_ring[iface] : q->r->ring;

    return offsetof(struct cpu, tlbs) + cpu_table(q->r->bank, ring) * sizeof(struct tlb);
}

struct q_site *q_access_site(struct quick *q, unsigned kind)
{
    const struct q_node *n = q_node(q, q->at);
    struct q_site *s = q_new_site(q, kind, (unsigned)(n->imm2 >> 16), n->imm2 & 0xffff);

    s->bytes = n->sub;
    s->iface = (uint8_t)n->imm;
    s->aligned = q_access_aligned(q);
    s->address = q_where_address(q, n);
    return s;
}

bool q_access_aligned(struct quick *q)
{
    uint64_t place = q_node(q, q->at)->imm2;

    return quick_wants_aligned(q->r->sources[place >> 16].block, place & 0xffff);
}

void q_access_end(struct quick *q, uint8_t *miss, const uint8_t *insn, struct q_site *s)
{
    if (q->flat)
        q_fault_later(q, insn, s, q->out.at);
    else
        q_trap_later(q, miss, s, q->out.at);
}
