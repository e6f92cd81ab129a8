/*
 * Accesses near each other look their page up once. The soft TLB is asked for all their bytes, from
 * the lowest to the highest, before the first of them:
 *
 *     addend = the soft TLB's; if inline code may not access all of the bytes, the trace is left
 *     accesses: at the address + addend
 *
 * Loads may share what was asked for a store, since no page can be written and not read so
 * (tlb.c). Where the trace is left often, as by a stack frame that lies in two pages, the next
 * translation tests instead:
 *
 *     addend = the soft TLB's, or 0
 *     first access: addend is 0 ── cold code: looks its own address up, as without an ADDEND
 *     further ones: the same, or together with the one in front (detour.c)
 *
 * Code that runs rarely tests from the start: there each site is left too rarely to be noticed, but
 * many are, and what the interpreter then needs is in no cache of the host.
 *
 * What the soft TLB says holds until the trace calls a handler: entries are filled and pushed out
 * by slow accesses, but pages are mapped elsewhere, and get code or watchpoints, only by
 * instructions with handlers or outside of traces. Behind a handler no value is known, so no access
 * there has a base from before.
 */
#include "runtime/jit/quick/emit.h"
#include "runtime/jit/quick/job.h"
#include "runtime/jit/quick/simplify.h"
#include "runtime/jit/quick/target.h"

enum {
    GROUPS = 8,      /* bases whose accesses are remembered at a time */
    MAX_SPAN = 1024, /* bytes from the lowest to the highest: of a page's, which all must be in */
    MAX_LEAVING_SPAN = 512, /* the same, if the trace is left where they are not */
};

/* Accesses at constant distances from one base, of one kind if the ADDEND is tested. */
struct group {
    uint32_t base, addend, first; /* nodes; base is Q_NONE: unused */
    int64_t low, high;            /* bytes that they access: from base + low to base + high */
};

/* Most that is added to an address of 32 bits outside of its register. */
enum { MAX_NARROW_DISP = 0xffff };

uint32_t q_split_address(struct quick *q, uint32_t address, int32_t *disp)
{
    const struct q_node *n = q_node(q, address);
    bool narrow = q->map->isa->address_bits == 32;
    uint64_t c, most = narrow ? MAX_NARROW_DISP : Q_MAX_DISP;

    *disp = 0;
    if (n->op != Q_BINARY || n->sub != JIT_ADD || q_bits(n->type) != (narrow ? 32 : 64) ||
        !q_is_const(q, n->in[1], &c))
        return address;
    c = narrow ? (uint64_t)(int32_t)c : c;
    if (c + most > 2 * most || (narrow && q_node(q, n->in[0])->known > 32))
        return address;
    *disp = (int32_t)c;
    return n->in[0];
}

/* Whether the access may share an ADDEND; the one in front of it is its own. */
static bool may_share(struct quick *q, uint32_t at)
{
    const struct q_node *n = q_node(q, at);

    return (n->op == Q_LOAD || n->op == Q_STORE) && !n->when && n[-1].op == Q_ADDEND &&
           !quick_wants_aligned(q_facts_of(q, n->imm2 >> 16), n->imm2 & 0xffff);
}

/* Whether ADDEND a may serve the access of ADDEND b. */
static bool same_kind(const struct q_node *a, const struct q_node *b)
{
    return a->imm == b->imm && (a->sub == b->sub || a->when);
}

static void set_addend(struct quick *q, uint32_t at, uint32_t addend)
{
    struct q_node *n = q_node(q, at);

    if (!n->in[3])
        n->in[0] = q_split_address(q, n->in[0], &n->disp);
    n->in[3] = addend;
    q_node(q, addend)->scale |= quick_wants_large(q_facts_of(q, n->imm2 >> 16), n->imm2 & 0xffff);
}

/* Lets the access share the ADDEND of the group, if all bytes may lie in one page. */
static bool join_group(struct quick *q, struct group *g, uint32_t at, int64_t low)
{
    int64_t high = low + q_node(q, at)->sub;
    struct q_node *addend = q_node(q, g->addend);

    low = low < g->low ? low : g->low;
    high = high > g->high ? high : g->high;
    if (high - low > (addend->when ? MAX_LEAVING_SPAN : MAX_SPAN))
        return false;
    addend->sub |= q_node(q, at)->op == Q_STORE;
    g->low = low;
    g->high = high;
    addend->in[0] = g->base;
    addend->disp = (int32_t)low;
    addend->imm2 = (uint64_t)(high - low);
    set_addend(q, g->first, g->addend);
    set_addend(q, at, g->addend);
    return true;
}

void q_share_addends(struct quick *q)
{
    struct group groups[GROUPS] = {0};
    unsigned next = 0;

    for (uint32_t at = 2; at < q->nodes.len; at++) {
        const struct q_node *n = q_node(q, at);
        uint32_t base;
        int32_t low;
        unsigned k = 0;

        if (!may_share(q, at))
            continue;
        base = q_split_address(q, n->in[0], &low);
        while (k < GROUPS &&
               !(groups[k].base == base && same_kind(q_node(q, groups[k].addend), n - 1) &&
                 join_group(q, &groups[k], at, low)))
            k++;
        if (k < GROUPS)
            continue;
        q_node(q, at - 1)->when &=
            !q->r->is_rare && !quick_wants_tests(q_facts_of(q, n->imm2 >> 16), n->imm2 & 0xffff);
        groups[next++ % GROUPS] = (struct group){base, at - 1, at, low, low + n->sub};
    }
}
