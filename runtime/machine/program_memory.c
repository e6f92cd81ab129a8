/*
 * Walks the page tables of programs.
 *
 * Bounds      KEPT programs are remembered; a visit ends after MOST_TABLES tables, or after the
 *             given number of pages
 */
#include "runtime/machine/program_memory.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/cpu/layout.h"
#include "runtime/machine/platform.h"

enum { KEPT = 16, MOST_TABLES = 1 << 14 };

enum { INDEX_BITS = 9, PAGE_BITS = 12, TABLE_BYTES = PROGRAM_PAGE, MAX_VA_BITS = 57 };

struct programs {
    struct bus *bus;
    struct program_format format;
    struct cpu_view base, control;
    uint64_t unused;             /* bits of CONTROL: how many bits fewer than 64 an address has */
    struct program_match usable; /* CONTROL of tables in this format */
    struct program_tables seen[KEPT]; /* the one that was seen last is first */
    unsigned count;
};

/* ---- tables ---------------------------------------------------------------------------------- */

struct walk {
    struct bus *bus;
    const struct program_tables *t;
    uint64_t pages, tables; /* which may still be visited */
    bool (*visit)(void *opaque, const struct program_page *page);
    void *opaque;
};

/* log2 of the bytes that one descriptor of the level maps; the last level is 0. */
static unsigned level_bits(unsigned level)
{
    return PAGE_BITS + level * INDEX_BITS;
}

/* The level of the first table. */
static unsigned top_level(const struct program_tables *t)
{
    return (t->va_bits - PAGE_BITS - 1) / INDEX_BITS;
}

static bool matches(uint64_t value, struct program_match match)
{
    return (value & match.mask) == match.value;
}

static bool is_table(const struct program_tables *t, uint64_t descriptor, unsigned level)
{
    return level && matches(descriptor, t->format->table);
}

/* Whether the descriptor maps memory that programs may read. */
static bool is_mapped(const struct program_tables *t, uint64_t descriptor, unsigned level)
{
    return level ? level <= t->format->largest_block && matches(descriptor, t->format->block)
                 : matches(descriptor, t->format->page);
}

/* The page at `va` in the memory that a descriptor maps; host NULL: it is no RAM. */
static struct program_page page_of(struct bus *bus, const struct program_tables *t,
                                   uint64_t descriptor, unsigned level, uint64_t va)
{
    uint64_t inside = (UINT64_C(1) << level_bits(level)) - 1;
    uint64_t pa = (descriptor & t->format->address & ~inside) | (va & inside);

    return (struct program_page){va, bus_ram_ptr(bus, pa, PROGRAM_PAGE),
                                 matches(descriptor, t->format->executable)};
}

static bool visit_mapped(struct walk *w, uint64_t va, uint64_t descriptor, unsigned level)
{
    for (uint64_t at = 0; at < UINT64_C(1) << level_bits(level); at += PROGRAM_PAGE) {
        struct program_page page = page_of(w->bus, w->t, descriptor, level, va + at);

        if (page.host && (!w->pages-- || !w->visit(w->opaque, &page)))
            return false;
    }
    return true;
}

static bool visit_table(struct walk *w, uint64_t table, uint64_t va, unsigned level)
{
    const uint8_t *entries = bus_ram_ptr(w->bus, table, TABLE_BYTES);

    if (!w->tables--)
        return false;
    for (unsigned i = 0; entries && i < 1 << INDEX_BITS; i++) {
        uint64_t descriptor = le_get(entries + 8 * (size_t)i, 8);
        uint64_t at = va + ((uint64_t)i << level_bits(level));

        if (is_table(w->t, descriptor, level) &&
            !visit_table(w, descriptor & w->t->format->address, at, level - 1))
            return false;
        if (is_mapped(w->t, descriptor, level) && !visit_mapped(w, at, descriptor, level))
            return false;
    }
    return true;
}

void program_pages(struct bus *bus, const struct program_tables *t, uint64_t most,
                   bool (*visit)(void *opaque, const struct program_page *page), void *opaque)
{
    struct walk w = {bus, t, most, MOST_TABLES, visit, opaque};

    visit_table(&w, t->root, 0, top_level(t));
}

bool program_page_at(struct bus *bus, const struct program_tables *t, uint64_t va,
                     struct program_page *page)
{
    uint64_t table = t->root, descriptor = 0;
    unsigned level = top_level(t) + 1;

    if (va >> t->va_bits)
        return false;
    do {
        const uint8_t *entries = bus_ram_ptr(bus, table, TABLE_BYTES);
        uint64_t index = va >> level_bits(--level) & ((1u << INDEX_BITS) - 1);

        descriptor = entries ? le_get(entries + 8 * index, 8) : 0;
        table = descriptor & t->format->address;
    } while (is_table(t, descriptor, level));
    if (!is_mapped(t, descriptor, level))
        return false;
    *page = page_of(bus, t, descriptor, level, va & ~(uint64_t)(PROGRAM_PAGE - 1));
    return page->host;
}

/* ---- programs -------------------------------------------------------------------------------- */

/* Reads numbers of 64 bits; false: the property is absent or shorter. */
static bool read_numbers(const struct dt *dt, const struct dt_node *node, const char *name,
                         uint64_t *numbers, unsigned count)
{
    for (unsigned n = 0; n < count; n++) {
        uint32_t high, low;

        if (!dt_cell(dt, node, name, 2 * n, &high) || !dt_cell(dt, node, name, 2 * n + 1, &low))
            return false;
        numbers[n] = (uint64_t)high << 32 | low;
    }
    return true;
}

static bool read_match(const struct dt *dt, const struct dt_node *node, const char *name,
                       struct program_match *match)
{
    uint64_t numbers[2];
    bool ok = read_numbers(dt, node, name, numbers, 2);

    *match = ok ? (struct program_match){numbers[0], numbers[1]} : (struct program_match){0};
    return ok;
}

static bool read_format(const struct dt *dt, const struct dt_node *node, struct programs *p)
{
    struct program_format *f = &p->format;

    return read_numbers(dt, node, "unused-bits", &p->unused, 1) &&
           read_match(dt, node, "usable", &p->usable) &&
           read_numbers(dt, node, "address", &f->address, 1) &&
           read_match(dt, node, "table", &f->table) && read_match(dt, node, "block", &f->block) &&
           read_match(dt, node, "page", &f->page) &&
           read_match(dt, node, "executable", &f->executable) &&
           dt_cell(dt, node, "largest-block", 0, &f->largest_block);
}

struct programs *programs_new(const struct platform_info *info, struct bus *bus, struct cpu *cpu)
{
    const struct dt_node *node = dt_find(info->dt, "/gencc/linux/programs");
    const char *base = node ? dt_string(info->dt, node, "registers", 0) : NULL;
    const char *control = base ? dt_string(info->dt, node, "registers", 1) : NULL;
    const struct cpu_isa *isa = cpu_isa_of(cpu);
    struct programs *p;

    if (!control)
        return NULL;
    p = xcalloc(1, sizeof(*p));
    p->bus = bus;
    if (read_format(info->dt, node, p) && cpu_register_find(isa, base, &p->base) &&
        cpu_register_find(isa, control, &p->control))
        return p;
    free(p);
    return NULL;
}

void programs_free(struct programs *p)
{
    free(p);
}

static uint64_t read_register(struct cpu *cpu, struct cpu_view view)
{
    uint8_t bytes[CPU_REGISTER_BYTES] = {0};

    cpu_register_read(cpu, view, bytes);
    return le_get(bytes, 8);
}

/* Moves a program to the front. */
static void note_program(struct programs *p, struct program_tables t)
{
    unsigned n = 0;

    while (n < p->count && p->seen[n].root != t.root)
        n++;
    if (n == p->count && n == KEPT)
        n--;
    else if (n == p->count)
        p->count++;
    memmove(p->seen + 1, p->seen, n * sizeof(*p->seen));
    p->seen[0] = t;
}

void programs_see(struct programs *p, struct cpu *cpu)
{
    struct program_tables t;
    uint64_t control;

    if (cpu->ring)
        return;
    t.format = &p->format;
    t.root = read_register(cpu, p->base) & p->format.address;
    if (p->count && p->seen[0].root == t.root)
        return;
    control = read_register(cpu, p->control);
    t.va_bits = 64 - (unsigned)(control & p->unused);
    if (!matches(control, p->usable) || t.va_bits > MAX_VA_BITS || t.va_bits <= PAGE_BITS)
        return;
    note_program(p, t);
}

bool programs_get(const struct programs *p, unsigned n, struct program_tables *out)
{
    if (n >= p->count)
        return false;
    *out = p->seen[n];
    return true;
}
