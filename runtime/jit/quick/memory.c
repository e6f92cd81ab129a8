/* The part of guest memory accesses that is the same on all hosts: the soft TLB's table, and sites
 * of slow paths. */
#include "runtime/cpu/large.h"
#include "runtime/jit/quick/emit.h"
#include "runtime/jit/quick/job.h"

/* Number of the soft TLB for an interface. */
static unsigned table_of(const struct quick *q, unsigned iface)
{
    const struct cpu_isa *isa = q->map->isa;
    bool own = isa->iface_ring && iface < isa->iface_count && isa->iface_ring[iface] < CPU_RINGS;

    return cpu_table(q->r->bank, own ? isa->iface_ring[iface] : q->r->ring);
}

uint64_t q_access_table(const struct quick *q, unsigned iface)
{
    return offsetof(struct cpu, tlbs) + table_of(q, iface) * sizeof(struct tlb);
}

uint64_t q_access_large_table(const struct quick *q, unsigned iface)
{
    return large_offset(q->map->isa, table_of(q, iface));
}

bool q_access_large(struct quick *q)
{
    const struct q_node *n = q_node(q, q->at);

    return !q->flat && !n->when && !n->in[3] &&
           quick_wants_large(q_facts_of(q, n->imm2 >> 16), n->imm2 & 0xffff);
}

struct q_site *q_access_site(struct quick *q, unsigned kind)
{
    const struct q_node *n = q_node(q, q->at);
    struct q_site *s;

    if (q_is_served(q))
        return NULL;
    s = q_new_site(q, kind, (unsigned)(n->imm2 >> 16), n->imm2 & 0xffff);
    s->bytes = n->sub;
    s->halves = n->flags & QF_HALVES;
    s->iface = (uint8_t)n->imm;
    s->aligned = q_access_aligned(q);
    s->large = quick_wants_large(q_facts_of(q, s->source), s->index);
    s->address = q_where_address(q, n);
    return s;
}

struct q_site *q_addend_site(struct quick *q)
{
    const struct q_node *n = q_node(q, q->at);
    uint64_t place = n[1].imm2;
    struct q_site *s = q_new_site(q, Q_SITE_DEOPT, (unsigned)(place >> 16), place & 0xffff);

    s->shared = true;
    s->writes = n->sub;
    s->iface = (uint8_t)n->imm;
    s->large = n->scale;
    s->address = q_where_address(q, n);
    return s;
}

bool q_is_served(struct quick *q)
{
    const struct q_node *n = q_node(q, q->at);

    return !q->flat && n->in[3] && !n->when && q_node(q, n->in[3])->when;
}

bool q_access_aligned(struct quick *q)
{
    const struct q_node *n = q_node(q, q->at);
    uint64_t place = n->imm2;

    return n->op != Q_ADDEND && quick_wants_aligned(q_facts_of(q, place >> 16), place & 0xffff);
}

void q_access_end(struct quick *q, uint8_t *miss, const uint8_t *insn, struct q_site *s)
{
    if (q->flat)
        q_fault_later(q, insn, s, q->out.at);
    else
        q_trap_later(q, miss, s, q->out.at);
}
