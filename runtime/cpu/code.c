/*
 * The code cache: decoded blocks, shared by all CPUs of a bus. Blocks are found by the physical
 * address of their first instruction and the code's key, and dropped when their page is written to.
 */
#include "runtime/base/alloc.h"
#include "runtime/cpu/common.h"
#include "runtime/cpu/points.h"

#define CODE_BUDGET ((size_t)256 << 20)

/* Bytes of dropped blocks that are kept before all jump caches are emptied and the blocks freed. */
#define CODE_DEAD_MAX ((size_t)4 << 20)

enum { FIRST_BUCKETS = 1 << 12 };

/* The table has at least this many places per block. A block whose first place is taken is in one
 * of the next places, mostly in the same line of the host's caches. */
enum { PLACES_PER_BLOCK = 2 };

static uint64_t block_name(uint64_t pa, uint16_t key)
{
    return pa >> 1 ^ (uint64_t)key << 33;
}

/* ---- pages ----------------------------------------------------------------------------------- */

static void grow_pages(struct code_cache *code)
{
    size_t old_size = code->pages_size;
    struct code_page **old = code->pages;

    code->pages_size *= 2;
    code->pages = xcalloc(code->pages_size, sizeof(*code->pages));
    for (size_t n = 0; n < old_size; n++) {
        for (struct code_page *p = old[n], *next; p; p = next) {
            size_t to = code_hash(p->pfn, code->pages_size);

            next = p->next;
            p->next = code->pages[to];
            code->pages[to] = p;
        }
    }
    free(old);
}

/* The granules, as bits, that guest bytes [pa, pa + len) touch; len > 0, inside one page. */
static uint64_t granules_of(uint64_t pa, uint64_t len)
{
    unsigned first = (unsigned)((pa & CPU_PAGE_MASK) >> CODE_GRANULE_BITS);
    unsigned last = (unsigned)(((pa & CPU_PAGE_MASK) + len - 1) >> CODE_GRANULE_BITS);

    return bits_set(0, first, last - first + 1, UINT64_MAX);
}

/* Makes writes to the page take the slow path on all CPUs. */
static void protect_page(struct code_cache *code, uint64_t pa)
{
    uint8_t *flags = bus_page_flags(code->bus, pa);

    if (!flags || !(*flags & BUS_PAGE_SERVED))
        return;
    for (size_t n = 0; n < code->cpus.len; n++)
        tlb_protect(code->cpus.data[n], pa);
    *flags &= (uint8_t)~BUS_PAGE_SERVED;
}

/* The page of a new block; writes to the page are noticed from now on. */
static struct code_page *page_for(struct code_cache *code, uint64_t pa)
{
    struct code_page **link = code_page_link(code, pa >> CPU_PAGE_BITS), *p = *link;

    if (p)
        return p;
    bus_mark_code(code->bus, pa); /* this may drop all pages */
    p = xcalloc(1, sizeof(*p));
    p->pfn = pa >> CPU_PAGE_BITS;
    link = code_page_link(code, p->pfn);
    *link = p;
    if (++code->page_count > code->pages_size)
        grow_pages(code);
    protect_page(code, pa);
    return p;
}

/* ---- statistics ------------------------------------------------------------------------------ */

static uint64_t *count_of(struct code_isa *ci, unsigned slot, unsigned ring, unsigned klass)
{
    return &ci->counts[((size_t)slot * CPU_RINGS + ring) * ci->class_count + klass];
}

void code_count(struct block *b, unsigned slot, unsigned from, unsigned to, uint64_t times)
{
    struct code_isa *ci = b->isa;

    if (!times)
        return;
    for (unsigned n = from; n < to; n++) {
        unsigned form = block_insn(b, n)->form;

        *count_of(ci, slot, b->ring, form < ci->isa->form_count ? ci->form_class[form] : 0) +=
            times;
    }
}

/* Adds a block's counters to the statistics and clears them. */
static void fold_counters(struct block *b)
{
    for (unsigned slot = 0; b->counted && slot < CODE_SLOTS; slot++) {
        code_count(b, slot, 0, b->count, *block_runs(b, slot));
        *block_runs(b, slot) = 0;
    }
}

static void fold_all(struct code_cache *code)
{
    uint64_t ticks = 0;

    for (size_t n = 0; n < code->cpus.len; n++)
        ticks += code->cpus.data[n]->ticks;
    if (ticks == code->folded)
        return;
    code->folded = ticks;
    for (size_t n = 0; n < code->table_size; n++) {
        if (code->table[n].block)
            fold_counters(code->table[n].block);
    }
    for (struct block *b = code->dropped_blocks; b; b = b->page_next)
        fold_counters(b);
}

void code_sum_counts(struct code_cache *code)
{
    code->folded = UINT64_MAX;
    fold_all(code);
}

uint64_t code_class_total(struct code_cache *code, struct code_isa *isa, unsigned slot,
                          unsigned ring, unsigned klass)
{
    fold_all(code);
    return *count_of(isa, slot, ring, klass);
}

/* ---- the table of blocks --------------------------------------------------------------------- */

static void insert_place(struct code_cache *code, struct code_place place)
{
    size_t n = code_hash(place.name, code->table_size);

    while (code->table[n].block)
        n = (n + 1) & (code->table_size - 1);
    code->table[n] = place;
}

static void grow_table(struct code_cache *code)
{
    size_t old_size = code->table_size;
    struct code_place *old = code->table;

    code->table_size *= 2;
    code->table = large_take(code->table_size * sizeof(*code->table));
    for (size_t n = 0; n < old_size; n++) {
        if (old[n].block)
            insert_place(code, old[n]);
    }
    large_give(old, old_size * sizeof(*old));
}

/* Removes a block from the table. Later entries of the run move into the hole if their first place
 * is not behind it. */
static void remove_place(struct code_cache *code, const struct block *b)
{
    size_t mask = code->table_size - 1, hole = code_hash(block_name(b->pa, b->key), mask + 1);

    while (code->table[hole].block != b)
        hole = (hole + 1) & mask;
    for (size_t n = (hole + 1) & mask; code->table[n].block; n = (n + 1) & mask) {
        size_t first = code_hash(code->table[n].name, mask + 1);

        if (((n - first) & mask) < ((n - hole) & mask))
            continue;
        code->table[hole] = code->table[n];
        hole = n;
    }
    code->table[hole].block = NULL;
}

/* Enters a block into its page or pages, so that writes to its bytes drop it. */
static void add_to_pages(struct code_cache *code, struct block *b)
{
    unsigned here =
        b->crosses_page ? (unsigned)(CPU_PAGE_SIZE - (b->pa & CPU_PAGE_MASK)) : b->bytes;
    struct code_page *p, *tail;

    if (b->crosses_page)
        page_for(code, b->tail); /* this may drop all pages; the next call then does not */
    p = page_for(code, b->pa);
    b->page_next = p->blocks;
    p->blocks = b;
    p->mask |= granules_of(b->pa, here);
    if (!b->crosses_page)
        return;
    tail = page_for(code, b->tail);
    vec_push(&tail->tails, b);
    tail->mask |= granules_of(b->tail, b->bytes - here);
}

static void insert_block(struct code_cache *code, struct block *b)
{
    add_to_pages(code, b);
    if (++code->block_count * PLACES_PER_BLOCK > code->table_size)
        grow_table(code);
    insert_place(code, (struct code_place){block_name(b->pa, b->key), b});
    code->bytes += b->allocated;
    b->tier = code->tier;
    if (code->tier)
        code->tier->added(code->tier->opaque, b);
}

/* Reports a dropped block to the tier. CPUs inside of a translation must look up their next block,
 * which may be the dropped one. */
static void report_dropped(struct code_cache *code, struct block *b)
{
    if (b->translations) {
        for (size_t n = 0; n < code->cpus.len; n++)
            code->cpus.data[n]->attention |= CPU_ATT_CODE;
    }
    code->tier->dropped(code->tier->opaque, b);
}

/* Removes a block, which its page does not list any more, from the table. It is freed later,
 * because a CPU may be inside of it and jump caches may lead to it. */
static void drop_block(struct code_cache *code, struct block *b)
{
    remove_place(code, b);
    if (code->tier)
        report_dropped(code, b);
    block_kill(b);
    b->page_next = code->dropped_blocks;
    code->dropped_blocks = b;
    code->block_count--;
    code->bytes -= b->allocated;
    code->dead_bytes += b->allocated;
}

/* Removes a block from the list of the page that it ends in. */
static void remove_from_tails(struct code_cache *code, const struct block *b)
{
    struct code_page *p = *code_page_link(code, b->tail >> CPU_PAGE_BITS);

    for (size_t n = 0; p && n < p->tails.len; n++) {
        if (p->tails.data[n] == b)
            p->tails.data[n] = p->tails.data[--p->tails.len];
    }
}

/* Drops a block that ends in a dropped page: removes it from the list of the page that it begins
 * in. */
static void drop_tail(struct code_cache *code, struct block *b)
{
    struct code_page *p = *code_page_link(code, b->pa >> CPU_PAGE_BITS);
    struct block **link = p ? &p->blocks : NULL;

    while (link && *link && *link != b)
        link = &(*link)->page_next;
    if (link && *link)
        *link = b->page_next;
    drop_block(code, b);
}

static void free_page(struct code_cache *code, struct code_page *p)
{
    bus_clear_code(code->bus, p->pfn << CPU_PAGE_BITS);
    vec_free(&p->tails);
    free(p->tables);
    free(p);
}

static void drop_page(struct code_cache *code, struct code_page **link)
{
    struct code_page *p = *link;

    for (size_t n = 0; p->tables && n < code->cpus.len; n++)
        code->cpus.data[n]->common.stale = true;
    while (p->tails.len)
        drop_tail(code, p->tails.data[--p->tails.len]);
    for (struct block *b = p->blocks, *next; b; b = next) {
        next = b->page_next;
        if (b->crosses_page)
            remove_from_tails(code, b);
        drop_block(code, b);
    }
    *link = p->next;
    code->page_count--;
    free_page(code, p);
}

/* Noticed writes to a page of tables, after which its writes are not noticed any more: the guest
 * may use it for something else. */
enum { MOST_WRITES = 1000 };

/* Tells the CPUs which common pages are out of date when bytes of a page change. True: all. */
static bool tables_written(struct code_cache *code, struct code_page *p, uint64_t pa, uint64_t len)
{
    uint64_t first = pa & CPU_PAGE_MASK, word = first / 8;

    if (!p->tables)
        return false;
    if ((p->tables->upper & granules_of(pa, len)) || ++p->tables->writes > MOST_WRITES)
        return true;
    for (; word <= (first + len - 1) / 8; word++) {
        uint64_t va = p->tables->page[word];

        if (va & 1)
            return true;
        for (size_t n = 0; va && n < code->cpus.len; n++)
            common_list_add(&code->cpus.data[n]->common.changed, va);
        p->tables->page[word] = 0;
    }
    return false;
}

bool code_written(struct code_cache *code, uint64_t pa, uint64_t len)
{
    struct code_page **link = code_page_link(code, pa >> CPU_PAGE_BITS), *p = *link;
    bool has_blocks = p && (p->blocks || p->tails.len);

    if (!p || (!tables_written(code, p, pa, len) && !code->bus->protect &&
               !(p->mask & granules_of(pa, len))))
        return false;
    drop_page(code, link);
    return has_blocks;
}

static void on_code_write(void *opaque, uint64_t pa, uint64_t len)
{
    code_written(opaque, pa, len);
}

static void note_page(struct code_cache *code, uint64_t pa)
{
    struct code_page *p = page_for(code, pa);

    if (!p->tables)
        p->tables = xcalloc(1, sizeof(*p->tables));
}

void code_note_tables(struct code_cache *code)
{
    for (size_t n = 0; n < code->tables.len; n++)
        note_page(code, code->tables.data[n]);
    code->tables.len = 0;
}

void code_flush(struct code_cache *code)
{
    for (size_t n = 0; code->page_count && n < code->pages_size; n++) {
        while (code->pages[n])
            drop_page(code, &code->pages[n]);
    }
    code->flushes++;
}

/* Frees dropped blocks. Not from inside of a block. */
static void free_dropped(struct code_cache *code)
{
    for (size_t n = 0; n < code->cpus.len; n++)
        jump_forget(code->cpus.data[n]);
    if (code->tier)
        code->tier->reclaim(code->tier->opaque);
    while (code->dropped_blocks) {
        struct block *b = code->dropped_blocks;

        fold_counters(b);
        code->dropped_blocks = b->page_next;
        block_free(code, b);
    }
    code->dead_bytes = 0;
}

/* ---- identities ------------------------------------------------------------------------------ */

struct code_isa *code_isa_find(struct code_cache *code, const struct cpu_isa *isa)
{
    struct code_isa *known = code->isas;

    while (known && known->isa != isa)
        known = known->next;
    return known;
}

static unsigned class_number(struct code_isa *ci, const char *name)
{
    for (unsigned n = 0; n < ci->class_count; n++) {
        if (!strcmp(ci->class_name[n], name))
            return n;
    }
    ci->class_name[ci->class_count] = name;
    return ci->class_count++;
}

/* The ISA's statistics classes: those of its forms, and "other" for forms without one. */
static struct code_isa *isa_add(struct code_cache *code, const struct cpu_isa *isa)
{
    struct code_isa *ci = xcalloc(1, sizeof(*ci));

    ci->isa = isa;
    ci->class_name = xcalloc(isa->form_count + 1, sizeof(*ci->class_name));
    ci->form_class = xcalloc(isa->form_count + 1, sizeof(*ci->form_class));
    class_number(ci, "other");
    for (unsigned n = 0; n < isa->form_count; n++) {
        const char *klass = isa->forms[n].klass;

        ci->form_class[n] = (uint16_t)class_number(ci, klass ? klass : "other");
    }
    ci->counts = xcalloc((size_t)CODE_SLOTS * CPU_RINGS * ci->class_count, sizeof(*ci->counts));
    ci->next = code->isas;
    code->isas = ci;
    return ci;
}

static uint32_t context_of(const struct cpu *cpu)
{
    const struct cpu_decoder *d = cpu_decoder(cpu);

    return d->has_context ? cpu->state[d->context] : 0;
}

static bool key_matches(const struct code_key *k, const struct cpu *cpu)
{
    return k->isa->isa == cpu->isa && k->mode == cpu->mode && k->ring == cpu->ring &&
           k->bank == cpu->bank && k->context == context_of(cpu) &&
           points_stops_equal(&k->stops, &cpu->points.stops) &&
           !memcmp(k->features, cpu->features, cpu->isa->feature_count * sizeof(*cpu->features));
}

/* Number of a new key, for the CPU's present state. */
__attribute__((noinline)) static uint16_t add_key(struct cpu *cpu)
{
    struct code_cache *code = cpu->code;
    struct code_key k = {.mode = cpu->mode,
                         .ring = cpu->ring,
                         .bank = cpu->bank,
                         .context = context_of(cpu),
                         .stops = cpu->points.stops};

    if (code->keys.len == CODE_MAX_KEYS) {
        /* The guest makes ever more keys, so all of them and their code are dropped. */
        code_flush(code);
        code->keys.len = 0;
        for (size_t n = 0; n < code->cpus.len; n++) {
            jump_forget(code->cpus.data[n]);
            memset(code->cpus.data[n]->mode_change, 0, sizeof(cpu->mode_change));
            code->cpus.data[n]->attention |= CPU_ATT_KEY;
        }
    }
    k.isa = code_isa_find(code, cpu->isa);
    memcpy(k.features, cpu->features, sizeof(k.features));
    vec_push(&code->keys, k);
    return (uint16_t)code->keys.len;
}

uint16_t code_key(struct cpu *cpu)
{
    const struct code_cache *code = cpu->code;
    uint16_t *recent = &cpu->recent_key[cpu->mode % ARRAY_SIZE(cpu->recent_key)];

    if (*recent && *recent <= code->keys.len && key_matches(&code->keys.data[*recent - 1], cpu))
        return *recent;
    for (size_t n = 0; n < code->keys.len; n++) {
        if (!key_matches(&code->keys.data[n], cpu))
            continue;
        *recent = (uint16_t)(n + 1);
        return *recent;
    }
    return add_key(cpu);
}

/* ---- finding blocks -------------------------------------------------------------------------- */

/* The block at pa. With `tail`, only a block that crosses into the page at *tail; NULL: the first
 * one that is found. */
static struct block *find_block(const struct code_cache *code, uint64_t pa, uint16_t key,
                                const uint64_t *tail)
{
    uint64_t name = block_name(pa, key);
    size_t mask = code->table_size - 1, n = code_hash(name, mask + 1);
    struct block *b;

    for (; (b = code->table[n].block); n = (n + 1) & mask) {
        if (code->table[n].name == name && b->pa == pa && b->key == key &&
            (!tail || b->tail == *tail))
            break;
    }
    return b;
}

static struct block *decode_block(struct cpu *cpu, uint64_t pa, struct fetch_fault *fault)
{
    struct code_cache *code = cpu->code;
    struct block *b;

    if (code->bytes > code->budget)
        code_flush(code);
    if (code->dead_bytes > CODE_DEAD_MAX || code->dead_bytes > code->budget)
        free_dropped(code);
    b = block_decode(cpu, code_isa_find(code, cpu->isa), pa, fault);
    if (!b)
        return NULL;
    cpu->counters.blocks_decoded++;
    insert_block(code, b);
    return b;
}

/* Translates the address of the page behind that of pc. */
static bool fetch_next_page(struct cpu *cpu, uint64_t pc, uint64_t *info, struct fetch_fault *fault)
{
    uint64_t va = cpu_wrap(cpu->isa, (pc & ~CPU_PAGE_MASK) + CPU_PAGE_SIZE);

    return code_fetch(cpu, va, info, fault);
}

/* The block of the address's jump cache entry, even if the entry is of an earlier generation, while
 * the block is still the right one; NULL: the table must be searched. */
static struct block *block_of_entry(const struct cpu *cpu, uint64_t pc, uint64_t pa)
{
    const struct jump_entry *e = &cpu->jumps[jump_index(pc)];
    struct block *b = e->block;

    if (e->pc != pc || (uint16_t)e->key != (uint16_t)cpu->key || b->dead || b->crosses_page ||
        b->pa != pa)
        return NULL;
    return b;
}

struct block *code_again(struct cpu *cpu, uint64_t pc)
{
    uint64_t info[2] = {0};
    struct block *b;

    if (!tlb_known(cpu, cpu->ring, pc, CPU_FETCH, info))
        return NULL;
    b = block_of_entry(cpu, pc, tlb_address(info[0], pc));
    if (b)
        jump_enter(cpu, pc, b, info);
    return b;
}

/* The block at pa, if it is the one that ran behind `last` the last time. */
static struct block *find_behind(const struct block *last, uint64_t pa, uint16_t key)
{
    struct block *b = block_after(last);

    return b->pa == pa && b->key == key && !b->dead && !b->crosses_page ? b : NULL;
}

struct block *code_find(struct cpu *cpu, const struct block *last, struct fetch_fault *fault)
{
    uint64_t pc = cpu->pc, info[2] = {0}, pa, tail;
    struct block *b;

    fetch_failed(fault, pc, CPU_FAULT_ALIGNMENT);
    if (pc & (cpu_decoder(cpu)->unit_bytes - 1))
        return NULL;
    if (!code_fetch(cpu, pc, &info[0], fault))
        return NULL;
    pa = tlb_address(info[0], pc);
    cpu->counters.block_lookups++;
    b = block_of_entry(cpu, pc, pa);
    if (!b && last)
        b = find_behind(last, pa, (uint16_t)cpu->key);
    if (!b)
        b = find_block(cpu->code, pa, (uint16_t)cpu->key, NULL);
    if (b && b->crosses_page) { /* the second page may be mapped elsewhere now */
        if (!fetch_next_page(cpu, pc, &info[1], fault))
            return NULL;
        tail = tlb_address(info[1], 0);
        b = find_block(cpu->code, pa, (uint16_t)cpu->key, &tail);
    }
    if (!b)
        b = decode_block(cpu, pa, fault);
    if (!b || (b->crosses_page && !info[1] && !fetch_next_page(cpu, pc, &info[1], fault)))
        return NULL;
    if (!b->checked)
        jump_enter(cpu, pc, b, info);
    return b;
}

unsigned code_prefix_count(const struct block *b, int64_t left)
{
    unsigned n = 1;

    while (n < b->count && block_ticks(b, n) < left)
        n++;
    return n;
}

struct block *code_head(struct cpu *cpu, struct block *b, unsigned n)
{
    const struct cpu_decoder *d = &cpu->isa->decoders[b->mode];
    struct block *p;

    if (n == b->count)
        return b;
    if (cpu->counts)
        code_count(b, cpu->slot, 0, n, 1);
    p = block_scratch(cpu);
    p->count = (uint16_t)n;
    p->stride = b->stride;
    p->ticks = block_ticks(b, n);
    p->ring = b->ring;
    p->mode = b->mode;
    p->bank = b->bank;
    p->isa = b->isa;
    p->bytes = block_insn(b, n)->offset;
    memcpy(p->insns, b->insns, (size_t)n * b->stride);
    block_insn(p, 0)->fn = p->first = b->first;
    block_end(d, p, insn_context(d, block_insn(b, n)));
    return p;
}

/* ---- a tier above the interpreter ------------------------------------------------------------ */

struct code_cache *code_of(struct cpu *cpu)
{
    return code_attach(cpu) ? cpu->code : NULL;
}

void code_set_counting(struct code_cache *code, bool on)
{
    if (code->uncounted == on) { /* blocks have counters, or have none, from the start */
        code_flush(code);
        free_dropped(code);
        pool_drop(&code->pool); /* a piece has blocks at one place only: block_after() */
    }
    code->uncounted = !on;
    for (size_t n = 0; n < code->cpus.len; n++)
        code->cpus.data[n]->counts = on;
}

bool code_set_tier(struct code_cache *code, const struct code_tier *tier)
{
    if (code->tier)
        return false;
    code_flush(code);
    free_dropped(code);
    code->tier = tier;
    return true;
}

struct block *code_block_at(struct cpu *cpu, uint64_t pa, uint16_t key)
{
    struct block *b = find_block(cpu->code, pa, key, NULL);

    return b && b->crosses_page ? NULL : b;
}

void code_host_changed(struct code_cache *code, const struct block *b)
{
    for (size_t n = 0; b->jump_at && n < code->cpus.len; n++) {
        struct jump_entry *e = &code->cpus.data[n]->jumps[b->jump_at - 1];

        if (e->block == b)
            e->host = b->host;
    }
}

const struct cpu_isa *code_isa_of(const struct block *b)
{
    return b->isa->isa;
}

bool code_counts(const struct code_cache *code)
{
    return !code->uncounted;
}

void code_for_each(struct code_cache *code, void (*fn)(void *opaque, struct block *b), void *opaque)
{
    for (size_t n = 0; n < code->table_size; n++) {
        if (code->table[n].block)
            fn(opaque, code->table[n].block);
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

struct code_cache *code_acquire(struct bus *bus)
{
    struct code_cache *code = bus->code_opaque;

    if (!bus->on_code_write) {
        code = xcalloc(1, sizeof(*code));
        code->bus = bus;
        code->budget = CODE_BUDGET;
        code->table_size = code->pages_size = FIRST_BUCKETS;
        code->table = large_take(code->table_size * sizeof(*code->table));
        code->pages = xcalloc(code->pages_size, sizeof(*code->pages));
        bus->on_code_write = on_code_write;
        bus->code_opaque = code;
    } else if (bus->on_code_write != on_code_write) {
        return NULL;
    }
    code->users++;
    return code;
}

/* Frees all pages and blocks at the end of the cache. */
static void free_all(struct code_cache *code)
{
    for (size_t n = 0; n < code->pages_size; n++) {
        for (struct code_page *p = code->pages[n], *next; p; p = next) {
            next = p->next;
            free_page(code, p);
        }
    }
    pool_drop(&code->pool);
}

void code_release(struct code_cache *code)
{
    if (!code || --code->users)
        return;
    if (code->tier)
        code->tier->close(code->tier->opaque);
    free_all(code);
    code->bus->on_code_write = NULL;
    code->bus->code_opaque = NULL;
    for (struct code_isa *ci = code->isas, *next; ci; ci = next) {
        next = ci->next;
        free(ci->class_name);
        free(ci->form_class);
        free(ci->counts);
        free(ci);
    }
    vec_free(&code->keys);
    vec_free(&code->cpus);
    vec_free(&code->tables);
    large_give(code->table, code->table_size * sizeof(*code->table));
    free(code->pages);
    free(code);
}

bool code_attach(struct cpu *cpu)
{
    if (cpu->code)
        return true;
    cpu->code = code_acquire(cpu->bus);
    if (!cpu->code)
        return false;
    vec_push(&cpu->code->cpus, cpu);
    cpu->counts = !cpu->code->uncounted;
    if (!code_isa_find(cpu->code, cpu->isa))
        isa_add(cpu->code, cpu->isa);
    cpu->attention |= CPU_ATT_KEY;
    return true;
}

void code_leave(struct cpu *cpu)
{
    struct code_cache *code = cpu->code;

    if (!code)
        return;
    for (size_t n = 0; n < code->cpus.len; n++) {
        if (code->cpus.data[n] == cpu)
            code->cpus.data[n] = code->cpus.data[--code->cpus.len];
    }
    cpu->code = NULL;
    cpu->common.stale = true; /* writes are not noticed any more */
    code_release(code);
}

void code_detach(struct cpu *cpu)
{
    if (!cpu->code)
        return;
    jump_forget(cpu);
    code_leave(cpu);
}
