/* Common pages: what walks read, and whether writes to it are noticed. */
#include "runtime/cpu/common.h"

enum { UNNOTED = 64 }; /* most pages that wait to be noted: one trace has few walks */

void common_note_read(struct cpu *cpu, const struct bus_region *r, uint64_t pa, unsigned size)
{
    struct common_pages *c = &cpu->common;
    uint64_t page = pa & ~CPU_PAGE_MASK;

    if (!r || r->kind == BUS_MMIO || ((pa + size - 1) & ~CPU_PAGE_MASK) != page)
        c->read_count = COMMON_READS;
    if (c->read_count < COMMON_READS)
        c->read[c->read_count] = page;
    c->read_count += c->read_count <= COMMON_READS;
}

/* Whether writes to the page are noticed; if not, they will be when the running block has been
 * left. */
static bool is_noted(struct cpu *cpu, uint64_t page)
{
    struct code_cache *code = cpu->code;
    const struct code_page *p = *code_page_link(code, page >> CPU_PAGE_BITS);

    if (p && p->has_tables)
        return true;
    if (code->tables.len < UNNOTED)
        vec_push(&code->tables, page);
    cpu->attention |= CPU_ATT_CODE;
    return false;
}

bool common_keep(struct cpu *cpu, uint32_t flags)
{
    const struct common_pages *c = &cpu->common;
    bool noted = true;

    if ((flags & (TRANSLATE_COMMON | TRANSLATE_NOT_GLOBAL)) !=
            (TRANSLATE_COMMON | TRANSLATE_NOT_GLOBAL) ||
        !cpu->code || cpu->bus->protect || c->read_count > COMMON_READS || c->stale ||
        cpu->ticks < c->from)
        return false;
    for (unsigned n = 0; n < c->read_count; n++)
        noted &= is_noted(cpu, c->read[n]);
    return noted;
}
