/*
 * Memory behind the soft TLB: translation, private memory of work-groups, waiting for pages.
 *
 * A driver reserves addresses of local and thread memory for the work-groups that the cores can
 * hold at once. Here work-groups run on any number of host threads. Each group therefore has pages
 * of its own behind these addresses, zero at its start: no group sees what another left, whatever
 * the number of threads.
 *
 * Bounds      an access: its bytes, one by one where it crosses pages; memory: GPU_PRIVATE_PAGES
 *             pages per group, of groups that window.c counts; PAGE_SET_MAX pages per set
 */
#include "runtime/gpu/shader/core.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"

enum {
    PAGE_BYTES = 1 << GPU_TLB_PAGE_SHIFT,
    PAGE_SET_MAX = 1 << 20,
};

/* ---- sets of page numbers -------------------------------------------------------------------- */

/* pages per block: the bits of gpu_page_block.pages */
enum { BLOCK_SHIFT = 6, BLOCK_PAGES = 1 << BLOCK_SHIFT };

static size_t page_hash(uint64_t page, size_t capacity)
{
    return (size_t)((page * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (capacity - 1);
}

/* The place of a block that has or may get `page`. */
static struct gpu_page_block *block_of(const struct gpu_page_set *s, uint64_t page)
{
    uint64_t number = page >> BLOCK_SHIFT;
    size_t i = page_hash(number, s->capacity);

    while (s->block[i].pages && s->block[i].number != number)
        i = (i + 1) & (s->capacity - 1);
    return &s->block[i];
}

static void page_set_grow(struct gpu_page_set *s)
{
    struct gpu_page_set bigger = *s;

    bigger.capacity = s->capacity ? 2 * s->capacity : 64;
    bigger.block = xcalloc(bigger.capacity, sizeof(*bigger.block));
    for (size_t i = 0; i < s->capacity; i++)
        if (s->block[i].pages)
            *block_of(&bigger, s->block[i].number << BLOCK_SHIFT) = s->block[i];
    free(s->block);
    *s = bigger;
}

static void add_page(struct gpu_page_set *s, uint64_t page)
{
    uint64_t bit = UINT64_C(1) << (page % BLOCK_PAGES);
    struct gpu_page_block *b;

    if (s->count >= PAGE_SET_MAX)
        return;
    if (2 * s->blocks >= s->capacity)
        page_set_grow(s);
    b = block_of(s, page);
    s->blocks += !b->pages;
    s->count += !(b->pages & bit);
    b->number = page >> BLOCK_SHIFT;
    b->pages |= bit;
}

/* The inline test serves the usual case: a page that left the soft TLB and returned is in the
 * set. */
void gpu_page_set_add(struct gpu_page_set *s, uint64_t page)
{
    if (!s->count || !(block_of(s, page)->pages >> page % BLOCK_PAGES & 1))
        add_page(s, page);
}

/* Adds the pages of one block of another set. */
static void add_block(struct gpu_page_set *s, const struct gpu_page_block *from)
{
    uint64_t first = from->number << BLOCK_SHIFT, left = from->pages;
    struct gpu_page_block *b;

    gpu_page_set_add(s, first + (unsigned)__builtin_ctzll(left));
    b = s->count + BLOCK_PAGES <= PAGE_SET_MAX ? block_of(s, first) : NULL;
    if (b) {
        s->count += (unsigned)__builtin_popcountll(left & ~b->pages);
        b->pages |= left;
        return;
    }
    for (; left; left &= left - 1)
        gpu_page_set_add(s, first + (unsigned)__builtin_ctzll(left));
}

void gpu_page_set_merge(struct gpu_page_set *s, struct gpu_page_set *from)
{
    for (size_t i = 0; i < from->capacity; i++)
        if (from->block[i].pages)
            add_block(s, &from->block[i]);
    gpu_page_set_clear(from);
}

void gpu_page_set_clear(struct gpu_page_set *s)
{
    if (s->count)
        memset(s->block, 0, s->capacity * sizeof(*s->block));
    s->count = s->blocks = 0;
}

void gpu_page_set_release(struct gpu_page_set *s)
{
    free(s->block);
    *s = (struct gpu_page_set){0};
}

/* ---- private memory -------------------------------------------------------------------------- */

static struct gpu_private_page *private_slot(struct gpu_private *p, uint64_t page)
{
    size_t i = page_hash(page, p->capacity);

    while (p->pages[i].host && p->pages[i].page != page)
        i = (i + 1) & (p->capacity - 1);
    return &p->pages[i];
}

static void private_grow(struct gpu_private *p)
{
    struct gpu_private bigger = *p;

    bigger.capacity = p->capacity ? 2 * p->capacity : 16;
    bigger.pages = xcalloc(bigger.capacity, sizeof(*bigger.pages));
    for (unsigned i = 0; i < p->capacity; i++)
        if (p->pages[i].host)
            *private_slot(&bigger, p->pages[i].page) = p->pages[i];
    free(p->pages);
    *p = bigger;
}

/* The page's place in the area; NULL: it is not there. */
static uint8_t *in_area(const struct gpu_private *p, uint64_t page)
{
    uint64_t n = page - p->area_first;

    return p->area && n < p->area_pages ? p->area + n * PAGE_BYTES : NULL;
}

static void free_private(const struct gpu_private *p, const struct gpu_private_page *page)
{
    if (page->host && page->host != in_area(p, page->page))
        free(page->host);
}

/* Frees pages of earlier groups, of other jobs, that the current group has not touched. */
static void private_drop_unused(struct gpu_private *p)
{
    struct gpu_private kept = *p;

    kept.count = p->used;
    kept.pages = xcalloc(kept.capacity, sizeof(*kept.pages));
    for (unsigned i = 0; i < p->capacity; i++)
        if (p->pages[i].used)
            *private_slot(&kept, p->pages[i].page) = p->pages[i];
        else
            free_private(p, &p->pages[i]);
    free(p->pages);
    *p = kept;
}

/* Whether the current group has touched pages of the area. */
static bool is_area_used(const struct gpu_private *p)
{
    for (unsigned i = 0; i < p->capacity; i++)
        if (p->pages[i].used && p->pages[i].host == in_area(p, p->pages[i].page))
            return true;
    return false;
}

void gpu_private_set_area(struct gpu_private *p, uint64_t first, uint64_t pages)
{
    if ((p->area_first == first && p->area_pages == pages) || pages > GPU_PRIVATE_PAGES ||
        is_area_used(p))
        return;
    if (p->count)
        private_drop_unused(p);
    free(p->area);
    p->area = pages ? xcalloc(pages, PAGE_BYTES) : NULL;
    p->area_first = first;
    p->area_pages = (unsigned)pages;
}

uint8_t *gpu_private_host(struct gpu_private *p, uint64_t page)
{
    struct gpu_private_page *slot;

    if (2 * p->count >= p->capacity)
        private_grow(p);
    slot = private_slot(p, page);
    if (!slot->host) {
        if (p->used == GPU_PRIVATE_PAGES)
            return NULL;
        if (p->count == GPU_PRIVATE_PAGES) {
            private_drop_unused(p);
            slot = private_slot(p, page);
        }
        slot->host = in_area(p, page);
        if (!slot->host)
            slot->host = xcalloc(1, PAGE_BYTES);
        slot->page = page;
        p->count++;
    }
    p->used += !slot->used;
    slot->used = true;
    return slot->host;
}

void gpu_private_clear(struct gpu_private *p)
{
    for (unsigned i = 0; i < p->capacity; i++)
        if (p->pages[i].used) {
            memset(p->pages[i].host, 0, PAGE_BYTES);
            p->pages[i].used = false;
        }
    p->used = 0;
}

void gpu_private_release(struct gpu_private *p)
{
    for (unsigned i = 0; i < p->capacity; i++)
        free_private(p, &p->pages[i]);
    free(p->pages);
    free(p->area);
    *p = (struct gpu_private){0};
}

/* ---- the soft TLB ---------------------------------------------------------------------------- */

static struct gpu_tlb_entry *entry_of(struct gpu_worker *k, enum gpu_access access, uint64_t page)
{
    if (access == GPU_ACCESS_ATOMIC)
        return &k->host.core.atomic[gpu_tlb_index(page, GPU_TLB_ATOMIC_ENTRIES)];
    return &(access == GPU_ACCESS_WRITE ? k->host.core.write
                                        : k->host.core.read)[gpu_tlb_index(page, GPU_TLB_ENTRIES)];
}

static void flush_atomics(struct gpu_worker *k)
{
    for (unsigned i = 0; i < GPU_TLB_ATOMIC_ENTRIES; i++)
        gpu_tlb_empty(&k->host.core.atomic[i]);
    k->atomics = false;
}

static void forget_spans(struct gpu_worker *k)
{
    memset(k->host.core.span, 0, sizeof(k->host.core.span));
}

/* A few filled entries are emptied one by one, since small jobs fill few. */
void gpu_worker_flush(struct gpu_worker *k)
{
    if (k->filled_count > GPU_FILLED_ENTRIES)
        for (unsigned i = 0; i < GPU_TLB_ENTRIES; i++) {
            gpu_tlb_empty(&k->host.core.read[i]);
            gpu_tlb_empty(&k->host.core.write[i]);
        }
    else
        for (unsigned i = 0; i < k->filled_count; i++)
            gpu_tlb_empty(k->filled[i]);
    k->filled_count = 0;
    flush_atomics(k);
    gpu_page_map_clear(&k->map);
    forget_spans(k);
    memset(k->translated, 0, sizeof(k->translated));
    k->private_count = 0;
}

/* Records that entry `e` was filled, for the next flush. */
static void note_filled(struct gpu_worker *k, struct gpu_tlb_entry *e, enum gpu_access access)
{
    if (access == GPU_ACCESS_ATOMIC || k->filled_count > GPU_FILLED_ENTRIES)
        return;
    if (k->filled_count < GPU_FILLED_ENTRIES)
        k->filled[k->filled_count] = e;
    k->filled_count++;
}

static void empty_if(struct gpu_tlb_entry *e, uint64_t page)
{
    if ((e->page & ~GPU_PAGE_HIDDEN) == page)
        gpu_tlb_empty(e);
}

static void hide_entry(struct gpu_tlb_entry *e, uint64_t hidden)
{
    if (e->page != GPU_TLB_NONE)
        e->page = (e->page & ~GPU_PAGE_HIDDEN) | hidden;
}

/* Pages stay in the tables: filling them again would cost a traced group and the next one more
 * than the trace. */
void gpu_worker_observe(struct gpu_worker *k, bool observed)
{
    if (!k->host.log.hidden == !observed)
        return;
    k->host.log.hidden = observed ? GPU_PAGE_HIDDEN : 0;
    flush_atomics(k);
    if (k->filled_count > GPU_FILLED_ENTRIES)
        for (unsigned i = 0; i < GPU_TLB_ENTRIES; i++) {
            hide_entry(&k->host.core.read[i], k->host.log.hidden);
            hide_entry(&k->host.core.write[i], k->host.log.hidden);
        }
    else
        for (unsigned i = 0; i < k->filled_count; i++)
            hide_entry(k->filled[i], k->host.log.hidden);
}

void gpu_worker_leave_group(struct gpu_worker *k)
{
    for (unsigned i = 0; i < k->private_count; i++) {
        uint64_t page = k->private_entries[i];
        enum gpu_access_counter kind = gpu_kind_of_page(&k->cores->job->job, page);

        empty_if(entry_of(k, GPU_ACCESS_READ, page), page);
        empty_if(entry_of(k, GPU_ACCESS_WRITE, page), page);
        gpu_page_map_drop(&k->map, kind, page);
        gpu_page_map_drop(&k->map, kind + 1, page);
    }
    if (k->private_count)
        forget_spans(k);
    if (k->atomics)
        flush_atomics(k);
    k->private_count = 0;
}

static uint64_t pages_of(uint64_t base, uint64_t bytes)
{
    if (!bytes)
        return 0;
    return ((base + bytes - 1) >> GPU_TLB_PAGE_SHIFT) - (base >> GPU_TLB_PAGE_SHIFT) + 1;
}

uint64_t gpu_private_pages(const struct gpu_compute_job *job)
{
    uint64_t pages = pages_of(job->local_base, job->local_bytes) +
                     pages_of(job->thread_base, job->thread_bytes * job->threads);

    return pages < GPU_PRIVATE_PAGES ? pages : GPU_PRIVATE_PAGES;
}

/* Enters a page into the soft TLB. */
static void fill_entry(struct gpu_worker *k, enum gpu_access access, uint64_t page, uint8_t *host,
                       enum gpu_access_counter counter)
{
    struct gpu_tlb_entry *e = entry_of(k, access, page);

    if (e->page == GPU_TLB_NONE)
        note_filled(k, e, access);
    *e = (struct gpu_tlb_entry){page | k->host.log.hidden, host, counter};
}

/* Host memory of a page that was found since the last flush; NULL: it has to be translated. */
static uint8_t *found_before(struct gpu_worker *k, enum gpu_access access, uint64_t page,
                             enum gpu_access_counter counter)
{
    const struct gpu_tlb_entry *e = entry_of(k, access, page);

    if (e->page == (page | k->host.log.hidden))
        return e->host;
    return access == GPU_ACCESS_ATOMIC ? NULL : gpu_page_map_find(&k->map, counter, page);
}

/* Host memory of a private page, which leaves the tables with its group. */
static uint8_t *find_private(struct gpu_worker *k, uint64_t page, enum gpu_access_counter kind,
                             uint8_t *shared)
{
    const struct gpu_compute_job *job = &k->cores->job->job;
    uint8_t *own;

    if (kind == GPU_COUNT_THREAD_READ)
        gpu_private_set_area(&k->group->memory, job->thread_base >> GPU_TLB_PAGE_SHIFT,
                             pages_of(job->thread_base, job->thread_bytes * job->threads));
    own = gpu_private_host(&k->group->memory, page);
    if (!own) /* groups share the page, so they run in order, whatever the number of threads */
        gpu_worker_await_turn(k);
    if (k->private_count == sizeof(k->private_entries) / sizeof(*k->private_entries))
        gpu_worker_flush(k);
    k->private_entries[k->private_count++] = page;
    return own ? own : shared;
}

/* Host memory of a page, by the address space's page found last, which may have many of this size.
 * NULL: *fault has the cause. */
static uint8_t *translate_page(struct gpu_worker *k, uint64_t va, enum gpu_access access,
                               struct gpu_fault *fault)
{
    const struct gpu_address_space *as = k->cores->job->as;
    struct gpu_translated *last = &k->translated[access];
    uint64_t first = va >> GPU_TLB_PAGE_SHIFT << GPU_TLB_PAGE_SHIFT;

    if (first - last->va >= last->bytes) {
        struct gpu_page page = {0};
        uint32_t code = as->translate(as->opaque, va, access, &page);

        if (code || !page.host || page.bytes < PAGE_BYTES) {
            *fault = (struct gpu_fault){.va = va, .code = code, .access = access};
            return NULL;
        }
        *last = (struct gpu_translated){va & ~(page.bytes - 1), page.bytes, page.host};
    }
    return last->host + (first - last->va);
}

/* Translates an address of a page of this kind for the worker's group, and enters the page into the
 * map. Returns its host memory; NULL: *fault has the cause. */
static uint8_t *enter_page(struct gpu_worker *k, uint64_t va, enum gpu_access access,
                           enum gpu_access_counter kind, struct gpu_fault *fault)
{
    uint64_t page = va >> GPU_TLB_PAGE_SHIFT;
    uint8_t *host = translate_page(k, va, access, fault);

    if (!host)
        return NULL;
    if (kind != GPU_COUNT_GLOBAL_READ)
        host = find_private(k, page, kind, host);
    gpu_page_set_add(&k->pages, page);
    /* each store of a fragment shader must come here */
    if (access != GPU_ACCESS_ATOMIC &&
        (access == GPU_ACCESS_READ || k->cores->job->job.stage != GPU_STAGE_FRAGMENT)) {
        gpu_page_map_set(&k->map, kind + (access != GPU_ACCESS_READ), page, host);
        if (kind == GPU_COUNT_THREAD_READ)
            gpu_page_map_widen(&k->map, kind + (access != GPU_ACCESS_READ), page,
                               &k->host.core.span[access != GPU_ACCESS_READ]);
    }
    return host;
}

uint8_t *gpu_worker_map_page(struct gpu_worker *k, uint64_t va, enum gpu_access_counter counter)
{
    const struct gpu_compute_job *job = &k->cores->job->job;
    uint64_t page = va >> GPU_TLB_PAGE_SHIFT;
    enum gpu_access_counter kind = gpu_kind_of_page(job, page);
    enum gpu_access access = counter == kind ? GPU_ACCESS_READ : GPU_ACCESS_WRITE;
    struct gpu_fault fault;
    uint8_t *host;

    if (k->group->trace || job->stage == GPU_STAGE_FRAGMENT || (counter & ~1u) != kind)
        return NULL;
    host = enter_page(k, va, access, kind, &fault);
    return host ? host + (va & (PAGE_BYTES - 1)) : NULL;
}

/* Finds the page of an address for the worker's group and enters it into the soft TLB, and into the
 * map if it is not there. NULL: *fault has the cause. */
static uint8_t *find_page(struct gpu_worker *k, uint64_t va, enum gpu_access access,
                          struct gpu_fault *fault)
{
    uint64_t page = va >> GPU_TLB_PAGE_SHIFT;
    enum gpu_access_counter kind = gpu_kind_of_page(&k->cores->job->job, page);
    enum gpu_access_counter counter = kind + (access != GPU_ACCESS_READ);
    uint8_t *host = found_before(k, access, page, counter);

    if (!host)
        host = enter_page(k, va, access, kind, fault);
    if (!host)
        return NULL;
    fill_entry(k, access, page, host, counter);
    k->host.core.accesses[counter]++;
    return host + (va & (PAGE_BYTES - 1));
}

bool gpu_worker_await_page(struct gpu_worker *k, const struct gpu_fault *fault)
{
    bool served = gpu_worker_park(k, fault);

    if (served)
        gpu_worker_flush(k);
    return served;
}

/* Reports an access that meets no memory to the inspector. */
static void report_fault(struct gpu_warp *w, const struct gpu_fault *fault)
{
    const struct gpu_inspector *in = w->core->worker->cores->inspector;

    if (in && !w->faulted)
        in->fault(in->opaque, w, fault);
}

/* Host memory at `va` for one access within a page; waits until it is served. NULL: the job is
 * given up, and the warp ends after this bundle. */
static uint8_t *resolve_page(struct gpu_warp *w, uint64_t va, enum gpu_access access)
{
    struct gpu_worker *k = w->core->worker;
    struct gpu_fault fault;

    if (access == GPU_ACCESS_ATOMIC) {
        k->atomics = true;
        if (gpu_kind_of_page(&k->cores->job->job, va >> GPU_TLB_PAGE_SHIFT) ==
            GPU_COUNT_GLOBAL_READ)
            gpu_worker_await_turn(k);
    }
    for (;;) {
        uint8_t *host = find_page(k, va, access, &fault);

        if (host)
            return host;
        fault.bundle = w->address;
        report_fault(w, &fault);
        if (w->faulted || !gpu_worker_await_page(k, &fault)) {
            w->faulted = GPU_FAULT_MEMORY;
            return NULL;
        }
    }
}

static void report_inspected(struct gpu_warp *w, const struct gpu_inspected_access *a)
{
    const struct gpu_inspector *in = w->core->worker->cores->inspector;

    if (in)
        in->access(in->opaque, w, a);
}

/* Reports a served access to the inspector and to the timing trace. */
static void report_access(struct gpu_warp *w, uint64_t va, uint64_t v, unsigned bytes,
                          enum gpu_access access)
{
    struct gpu_worker *k = w->core->worker;
    uint32_t kind;

    report_inspected(w, &(struct gpu_inspected_access){va, v, bytes, w->core->lane, access});
    if (!k->group->trace || k->host.log.host_notes_only)
        return;
    kind = entry_of(k, access, va >> GPU_TLB_PAGE_SHIFT)->kind;
    gpu_timing_access(k, w, va, bytes, access, kind - (access != GPU_ACCESS_READ));
}

/* Reports a store to the watcher. */
static void report_store(const struct gpu_warp *w, uint64_t va, uint64_t v, unsigned bytes)
{
    struct gpu_worker *k = w->core->worker;
    const struct gpu_cores *c = k->cores;

    if (!c->watch_store)
        return;
    c->watch_store(c->watch_opaque,
                   &(struct gpu_store){
                       .job = c->job->number - 1,
                       .group = k->group->index,
                       .epoch = k->group->epoch & UINT16_MAX,
                       .bytes = bytes,
                       .local = gpu_kind_of_page(&c->job->job, va >> GPU_TLB_PAGE_SHIFT) ==
                                GPU_COUNT_LOCAL_READ,
                       .va = va,
                       .value = v,
                   });
}

static bool crosses_page(uint64_t va, unsigned bytes)
{
    return (va & (PAGE_BYTES - 1)) + bytes > PAGE_BYTES;
}

uint64_t gpu_slow_read(struct gpu_warp *w, uint64_t va, unsigned bytes)
{
    uint64_t v = 0;
    const uint8_t *host;

    if (crosses_page(va, bytes)) {
        for (unsigned i = 0; i < bytes; i++)
            v |= gpu_slow_read(w, va + i, 1) << 8 * i;
        return v;
    }
    host = resolve_page(w, va, GPU_ACCESS_READ);
    if (!host)
        return 0;
    report_access(w, va, 0, bytes, GPU_ACCESS_READ);
    memcpy(&v, host, bytes);
    return v;
}

/* Whether the accessing lane is a helper, which must not store. */
static bool is_helper(const struct gpu_warp *w)
{
    return w->core->worker->cores->job->job.stage == GPU_STAGE_FRAGMENT &&
           w->helpers >> w->core->lane & 1;
}

/* Forgets the page of a store in a fragment shader, so that every store comes here. */
static void forget_page(struct gpu_warp *w, uint64_t va, enum gpu_access access)
{
    struct gpu_worker *k = w->core->worker;

    if (k->cores->job->job.stage == GPU_STAGE_FRAGMENT)
        gpu_tlb_empty(entry_of(k, access, va >> GPU_TLB_PAGE_SHIFT));
}

void gpu_slow_write(struct gpu_warp *w, uint64_t va, uint64_t v, unsigned bytes)
{
    uint8_t *host;

    if (is_helper(w))
        return;
    if (crosses_page(va, bytes)) {
        for (unsigned i = 0; i < bytes; i++)
            gpu_slow_write(w, va + i, v >> 8 * i & 0xff, 1);
        return;
    }
    host = resolve_page(w, va, GPU_ACCESS_WRITE);
    if (!host)
        return;
    report_access(w, va, v, bytes, GPU_ACCESS_WRITE);
    report_store(w, va, v, bytes);
    forget_page(w, va, GPU_ACCESS_WRITE);
    memcpy(host, &v, bytes);
}

uint8_t *gpu_slow_atomic(struct gpu_warp *w, uint64_t va)
{
    uint8_t *host = is_helper(w) ? NULL : resolve_page(w, va, GPU_ACCESS_ATOMIC);

    if (!host)
        return NULL;
    report_access(w, va, 0, 4, GPU_ACCESS_ATOMIC);
    forget_page(w, va, GPU_ACCESS_ATOMIC);
    return host;
}
