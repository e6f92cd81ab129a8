/*
 * Races: per word or byte of local memory, and of the global memory to which the job stores, who
 * stored and loaded it last. Loads of memory that the job only reads are not kept.
 *
 * A cell is a word, or a byte where an access of the job is smaller than a word or misaligned.
 *
 * Bounds      MAX_LOCAL bytes of local memory, CELL_BYTES of memory for cells; what has no cells is
 *             not checked, and the text says so
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/check/internal.h"

#define CELL_BYTES (UINT64_C(1) << 31)

enum { PAGE_BYTES = 1 << CHECK_PAGE_SHIFT, WORD_SHIFT = 2, MAX_LOCAL = 1 << 20 };

/* ---- pages ----------------------------------------------------------------------------------- */

static struct check_page *slot_of(const struct check *c, uint64_t number)
{
    size_t mask = c->page_capacity - 1;
    size_t at = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

    while (c->pages[at].number && c->pages[at].number != number + 1)
        at = (at + 1) & mask;
    return &c->pages[at];
}

static void grow_pages(struct check *c)
{
    struct check_page *old = c->pages;
    size_t capacity = c->page_capacity;

    c->page_capacity = capacity ? 2 * capacity : 256;
    c->pages = xcalloc(c->page_capacity, sizeof(*c->pages));
    for (size_t i = 0; i < capacity; i++)
        if (old[i].number)
            *slot_of(c, old[i].number - 1) = old[i];
    free(old);
}

static const struct check_page *page_of(const struct check *c, uint64_t number)
{
    return c->page_capacity ? slot_of(c, number) : NULL;
}

bool check_cells_unused(const struct check *c, uint64_t first, uint64_t last)
{
    for (uint64_t n = first >> CHECK_PAGE_SHIFT; n <= last >> CHECK_PAGE_SHIFT; n++) {
        const struct check_page *p = page_of(c, n);

        if (p && p->number)
            return false;
    }
    return true;
}

static bool is_of_words(uint64_t address, uint32_t bytes)
{
    return !((address | bytes) & ((1u << WORD_SHIFT) - 1));
}

static void note_store(struct check *c, uint64_t number)
{
    struct check_page *p;

    if (2 * c->page_count >= c->page_capacity)
        grow_pages(c);
    p = slot_of(c, number);
    c->page_count += !p->number;
    if (!p->number)
        *p = (struct check_page){.number = number + 1, .shift = WORD_SHIFT};
}

/* ---- the scan before ------------------------------------------------------------------------- */

/* Whether all lanes access whole words. */
static bool is_of_word_lanes(const struct timing_touch *t)
{
    if (t->shape != TIMING_LIST)
        return is_of_words(t->base | t->stride | t->far, t->bytes);
    for (uint32_t left = t->lanes; left; left &= left - 1)
        if (!is_of_words(t->list[__builtin_ctz(left)], t->bytes))
            return false;
    return true;
}

static void scan_stores(struct check *c, const struct timing_touch *t)
{
    enum check_memory memory = check_memory_of(t->access);

    if (memory == CHECK_LOCAL && c->local_shift && !is_of_word_lanes(t))
        c->local_shift = 0;
    c->has_atomics |= check_is_atomic(t->access);
    if (memory != CHECK_GLOBAL || !check_is_store(t->access))
        return;
    for (uint32_t left = t->lanes; left; left &= left - 1) {
        uint64_t address = timing_touch_at(t, (unsigned)__builtin_ctz(left));

        note_store(c, address >> CHECK_PAGE_SHIFT);
        note_store(c, (address + t->bytes - 1) >> CHECK_PAGE_SHIFT);
    }
}

/* Pages with an access that is no word have cells of bytes. */
static void scan_sizes(struct check *c, const struct timing_touch *t)
{
    if (check_memory_of(t->access) != CHECK_GLOBAL || is_of_word_lanes(t))
        return;
    for (uint32_t left = t->lanes; left; left &= left - 1) {
        uint64_t address = timing_touch_at(t, (unsigned)__builtin_ctz(left));

        slot_of(c, address >> CHECK_PAGE_SHIFT)->shift = 0;
        slot_of(c, (address + t->bytes - 1) >> CHECK_PAGE_SHIFT)->shift = 0;
    }
}

static void each_touch(struct check *c, void (*scan)(struct check *c, const struct timing_touch *t))
{
    for (size_t g = 0; g < c->group_count; g++)
        for (unsigned i = 0; i < c->trace->groups.data[g].row_count; i++) {
            struct check_row_reader r;

            check_row_begin(&r, c->trace, &c->trace->groups.data[g].rows[i]);
            while (check_row_next(&r))
                scan(c, &r.touch);
        }
}

void check_cells_begin(struct check *c)
{
    c->local_shift = WORD_SHIFT;
    c->cell_bytes = 0;
    c->has_atomics = false;
    each_touch(c, scan_stores);
    if (c->page_count)
        each_touch(c, scan_sizes);
    c->local_bytes = c->job->local_bytes < MAX_LOCAL ? c->job->local_bytes : MAX_LOCAL;
    c->local = xcalloc((c->local_bytes >> c->local_shift) + 1, sizeof(*c->local));
}

void check_cells_end(struct check *c)
{
    for (size_t i = 0; i < c->page_capacity; i++)
        free(c->pages[i].cells);
    free(c->pages);
    free(c->local);
    c->pages = NULL;
    c->local = NULL;
    c->page_count = c->page_capacity = 0;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static struct check_access access_of(const struct check_moment *m, const struct check_access *like,
                                     bool store)
{
    struct check_access a = *like;

    a.at = *m;
    a.store = store;
    return a;
}

static void report_race(struct check *c, const struct check_moment *before, bool before_stores,
                        const struct check_access *now, uint64_t address)
{
    struct check_access a = access_of(before, now, before_stores), b = *now;
    enum check_kind kind = before->group == now->at.group ? CHECK_RACE : CHECK_GROUPS_RACE;
    struct check_finding *f;

    a.address = address;
    f = check_add(c, kind, &a, &b);
    if (before_stores && now->store && !before->atomic && !now->at.atomic)
        check_want_value(c, f, now, address);
    else
        f->by_value = false;
}

/* Whether a load begins an update, and an atomic operation races with it. */
static bool is_update(const struct check *c, const struct check_moment *load,
                      const struct check_moment *other)
{
    return other->atomic && load->bundle < c->trace->bundles.len && c->begins_update[load->bundle];
}

/* Whether nothing orders two accesses that are not of one work-item. `stored`: the first was a
 * store. */
static bool races(const struct check *c, const struct check_moment *before, bool stored,
                  const struct check_access *now)
{
    if (!before->group || (before->atomic && now->at.atomic) ||
        (!stored && is_update(c, before, &now->at)) ||
        (!now->store && is_update(c, &now->at, before)))
        return false;
    if (before->group == now->at.group)
        return before->epoch == now->at.epoch && before->item != now->at.item;
    return now->memory == CHECK_GLOBAL && !check_ordered(c, before, &now->at);
}

/* What is kept of `before` when its work-group's item `now` does the same. */
static struct check_moment joined(const struct check_moment *before, const struct check_moment *now)
{
    struct check_moment m = *now;

    if (before->group == now->group && before->epoch == now->epoch && before->item != now->item)
        m.item = CHECK_MANY_ITEMS;
    return m;
}

static void load_cell(struct check *c, struct check_cell *cell, const struct check_access *a,
                      uint64_t address)
{
    if (races(c, &cell->store, true, a))
        report_race(c, &cell->store, true, a, address);
    if (cell->load.group && cell->load.group != a->at.group)
        cell->other_load = cell->load;
    cell->load = joined(&cell->load, &a->at);
}

static void store_cell(struct check *c, struct check_cell *cell, const struct check_access *a,
                       uint64_t address)
{
    if (races(c, &cell->load, false, a))
        report_race(c, &cell->load, false, a, address);
    else if (cell->other_load.group != a->at.group && races(c, &cell->other_load, false, a))
        report_race(c, &cell->other_load, false, a, address);
    if (races(c, &cell->store, true, a))
        report_race(c, &cell->store, true, a, address);
    cell->store = a->at.atomic && cell->store.atomic ? joined(&cell->store, &a->at) : a->at;
}

/* The cells of a page, made at its first access; NULL: no room. */
static struct check_cell *cells_of(struct check *c, struct check_page *p)
{
    size_t bytes = (PAGE_BYTES >> p->shift) * sizeof(*p->cells);

    if (p->cells)
        return p->cells;
    if (c->cell_bytes + bytes > CELL_BYTES) {
        c->cells_full = true;
        return NULL;
    }
    c->cell_bytes += bytes;
    p->cells = xcalloc(1, bytes);
    return p->cells;
}

/* The cell of an address and its size; NULL: it has none. */
static struct check_cell *cell_of(struct check *c, enum check_memory memory, uint64_t address,
                                  unsigned *shift)
{
    struct check_page *p;
    struct check_cell *cells;

    if (memory == CHECK_LOCAL) {
        uint64_t at = address - c->job->local_base;

        *shift = c->local_shift;
        return at < c->local_bytes ? &c->local[at >> c->local_shift] : NULL;
    }
    *shift = 0;
    p = c->page_capacity ? slot_of(c, address >> CHECK_PAGE_SHIFT) : NULL;
    if (!p || !p->number)
        return NULL;
    *shift = p->shift;
    cells = cells_of(c, p);
    return cells ? &cells[(address & (PAGE_BYTES - 1)) >> p->shift] : NULL;
}

void check_cells_access(struct check *c, const struct check_access *a)
{
    unsigned shift;

    for (uint64_t at = a->address; at < a->address + a->bytes; at += UINT64_C(1) << shift) {
        struct check_cell *cell = cell_of(c, a->memory, at, &shift);

        if (cell && a->store)
            store_cell(c, cell, a, at);
        else if (cell)
            load_cell(c, cell, a, at);
    }
}
