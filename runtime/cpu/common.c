/* Common pages: what walks read, and whether writes to it are noticed. */
#include "runtime/cpu/common.h"

enum { UNNOTED = 64 }; /* most pages that wait to be noted: one trace has few walks */

void common_note_read(struct cpu *cpu, const struct bus_region *r, uint64_t pa, unsigned size)
{
    struct common_pages *c = &cpu->common;

    if (!r || r->kind == BUS_MMIO || (pa ^ (pa + size - 1)) >> CODE_GRANULE_BITS)
        c->read_count = COMMON_READS;
    if (c->read_count < COMMON_READS)
        c->read[c->read_count] = pa;
    c->read_count += c->read_count <= COMMON_READS;
}

/* Notes that a walk has read an address for the page at `va`: as its last, or else before another
 * table. False: writes to the address are not noticed. */
static bool note(struct code_cache *code, uint64_t pa, uint64_t va, bool last)
{
    const struct code_page *p = *code_page_link(code, pa >> CPU_PAGE_BITS);
    struct code_tables *t = p ? p->tables : NULL;
    uint64_t *page, at = pa & CPU_PAGE_MASK;

    if (!t)
        return false;
    page = &t->page[at / 8];
    if (!last)
        t->upper |= UINT64_C(1) << (at >> CODE_GRANULE_BITS);
    else if (!*page)
        *page = va ? va : 1;
    else if (*page != va)
        *page |= 1;
    return true;
}

/* Whether writes to what was read are noticed; if not, they will be when the running block has been
 * left. */
static bool is_noted(struct cpu *cpu, unsigned read, uint64_t va)
{
    struct common_pages *c = &cpu->common;
    struct code_cache *code = cpu->code;

    if (note(code, c->read[read], va, read == c->read_count - 1))
        return true;
    if (code->tables.len < UNNOTED)
        vec_push(&code->tables, c->read[read]);
    cpu->attention |= CPU_ATT_CODE;
    return false;
}

/* Whether there may be common pages now. At the end of a pause the entries made in it are private
 * ones of common pages, which are all forgotten at once. */
static bool is_time(struct cpu *cpu)
{
    struct common_pages *c = &cpu->common;

    if (c->stale || cpu->ticks < c->from)
        return false;
    if (c->from) {
        c->waiting.count = COMMON_PAGES + 1;
        cpu->attention |= CPU_ATT_CODE;
    }
    c->from = 0;
    return true;
}

bool common_keep(struct cpu *cpu, uint64_t va, uint32_t flags)
{
    struct common_pages *c = &cpu->common;
    unsigned shift = flags >> TRANSLATE_SIZE_SHIFT & 0xff;
    bool noted = true;

    if ((flags & (TRANSLATE_COMMON | TRANSLATE_NOT_GLOBAL)) !=
            (TRANSLATE_COMMON | TRANSLATE_NOT_GLOBAL) ||
        !cpu->code || cpu->bus->protect || c->read_count > COMMON_READS || !is_time(cpu))
        return false;
    for (unsigned n = 0; n < c->read_count; n++)
        noted &= is_noted(cpu, n, shift < 64 ? va >> shift << shift : 0);
    if (!noted)
        common_list_add(&c->waiting, va);
    return noted;
}

bool common_waits(const struct cpu *cpu, uint64_t va)
{
    const struct common_list *l = &cpu->common.waiting;

    for (unsigned n = 0; n < l->count && n < COMMON_PAGES; n++) {
        if (l->va[n] == (va & ~CPU_PAGE_MASK))
            return true;
    }
    return l->count > COMMON_PAGES;
}
