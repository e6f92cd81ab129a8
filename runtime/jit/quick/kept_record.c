/* Records of kept traces: from a trace's tables, and back. */
#include "runtime/base/alloc.h"
#include "runtime/base/polynomial.h"
#include "runtime/fp/crypto_ops.h"
#include "runtime/jit/quick/kept.h"
#include "runtime/jit/quick/target.h"

enum { ALIGN = 8 };

static const uint32_t element_bytes[KEPT_TABLES] = {
    [KEPT_SOURCES] = sizeof(struct kept_source),
    [KEPT_FIXES] = sizeof(struct q_fix),
    [KEPT_SITES] = sizeof(struct kept_site),
    [KEPT_EXITS] = sizeof(struct kept_exit),
    [KEPT_MAPS] = sizeof(struct q_map_entry),
    [KEPT_EXPRS] = sizeof(struct q_expr),
    [KEPT_CONSTANTS] = sizeof(struct q_vec),
    [KEPT_FAULTS] = sizeof(struct q_fault),
    [KEPT_ENTRY] = sizeof(struct q_entry),
    [KEPT_DEAD] = sizeof(uint64_t),
    [KEPT_CODE] = 1,
};

static size_t table_bytes(const struct kept_head *h, unsigned table)
{
    size_t bytes = (size_t)h->counts[table] * element_bytes[table];

    return (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* The key of a block's instructions: their encodings, places and forms. Handlers lie elsewhere in
 * each run, and operands follow from the encodings. */
static struct file_key insns_key(const struct block *b)
{
    struct file_key key = {0};

    for (unsigned n = 0; n < b->count; n++) {
        const struct insn *i =
            (const struct insn *)(const void *)(b->insns + (size_t)b->stride * n);

        file_key_add(&key, &i->word, sizeof(*i) - offsetof(struct insn, word));
    }
    return key;
}

bool kept_key(const struct jit *jit, const struct cpu *cpu, const struct block *b, uint64_t pc,
              struct file_key *key)
{
    struct file_key insns = insns_key(b);
    uint64_t facts[] = {0,
                        cpu->mode,
                        b->ring,
                        b->bank,
                        b->stride,
                        cpu->flat_base,
                        b->ticks,
                        b->pa & CPU_PAGE_MASK,
                        cpu->flat ? pc : 0,
                        cpu->flat,
                        crypto_ops_here(),
                        cpu_has_polymul64()};
    size_t isa;

    if (!program_image_has(jit->quick->image, code_isa_of(b), &isa))
        return false;
    facts[0] = isa;
    *key = (struct file_key){0};
    file_key_add(key, facts, sizeof(facts));
    file_key_add(key, cpu->features, sizeof(cpu->features));
    file_key_add(key, &insns, sizeof(insns));
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

static uint32_t offset_of(const struct region *r, const void *place)
{
    return place ? (uint32_t)((const uint8_t *)place - (const uint8_t *)r->code) : UINT32_MAX;
}

static void write_sources(struct kept_source *to, const struct region *r)
{
    for (unsigned n = 0; n < r->source_count; n++) {
        const struct source *s = &r->sources[n];

        to[n].insns = insns_key(s->block);
        to[n].delta = s->delta;
        to[n].count = s->count;
        to[n].ticks = s->ticks;
        to[n].bytes = s->bytes;
        to[n].skips = s->skips;
    }
}

static uint32_t exit_number(const struct q_code *code, const struct q_exit *e)
{
    uint32_t n = 0;

    while (code->exits.data[n] != e)
        n++;
    return n;
}

static void write_sites(struct kept_site *to, const struct q_code *code)
{
    for (unsigned n = 0; n < code->sites.len; n++) {
        to[n].site = *code->sites.data[n];
        if (to[n].site.kind == Q_SITE_LINK)
            to[n].exit = exit_number(code, to[n].site.object);
        to[n].site.region = NULL;
        to[n].site.object = NULL;
    }
}

static void write_exits(struct kept_exit *to, const struct region *r)
{
    for (unsigned n = 0; n < r->quick->exits.len; n++) {
        const struct q_exit *e = r->quick->exits.data[n];

        to[n].delta = e->delta;
        to[n].jump = offset_of(r, e->jump);
        to[n].unlinked = offset_of(r, e->unlinked);
        to[n].stores = offset_of(r, e->stores);
        to[n].early = offset_of(r, e->early);
        to[n].by_cache = offset_of(r, e->cases ? e->cases->by_cache : NULL);
        if (e->cases)
            to[n].address = e->cases->address;
        to[n].map = e->map;
        to[n].dirty = e->dirty;
        to[n].clean = e->clean;
        to[n].ahead = e->ahead;
        to[n].same_page = e->same_page;
    }
}

static size_t dead_words(const struct region *r)
{
    return r->quick->dead ? (r->map->slots.len + 63) / 64 : 0;
}

/* The tables that a record has as they are; NULL: those that are written otherwise. */
static void find_tables(const struct region *r, const void *from[KEPT_TABLES],
                        uint32_t counts[KEPT_TABLES])
{
    const struct q_code *c = r->quick;
    const uint32_t lengths[KEPT_TABLES] = {r->source_count,       c->fixes.len,
                                           c->sites.len,          c->exits.len,
                                           c->maps.len,           c->exprs.len,
                                           c->constants.len,      c->faults.len,
                                           c->entry.len,          (uint32_t)dead_words(r),
                                           (uint32_t)r->code_size};
    const void *const tables[KEPT_TABLES] = {
        [KEPT_FIXES] = c->fixes.data,   [KEPT_MAPS] = c->maps.data,
        [KEPT_EXPRS] = c->exprs.data,   [KEPT_CONSTANTS] = c->constants.data,
        [KEPT_FAULTS] = c->faults.data, [KEPT_ENTRY] = c->entry.data,
        [KEPT_DEAD] = c->dead,          [KEPT_CODE] = r->code};

    memcpy(counts, lengths, sizeof(lengths));
    memcpy(from, tables, sizeof(tables));
}

struct kept_head *kept_record_of(const struct region *r, const struct file_key *key)
{
    const struct q_code *code = r->quick;
    struct kept_head head = {.key = *key,
                             .head = offset_of(r, code->head),
                             .inner = offset_of(r, code->inner),
                             .built = r->built,
                             .interpreted = r->interpreted,
                             .first_ticks = code->first_ticks,
                             .inexact = code->inexact,
                             .traps = code->traps,
                             .loops = code->loops};
    const void *from[KEPT_TABLES];
    size_t bytes = sizeof(head);
    uint8_t *record, *at;

    if (code->is_bound)
        return NULL;
    find_tables(r, from, head.counts);
    for (unsigned t = 0; t < KEPT_TABLES; t++)
        bytes += table_bytes(&head, t);
    head.bytes = (uint32_t)bytes;
    record = xcalloc(1, bytes);
    memcpy(record, &head, sizeof(head));
    at = record + sizeof(head);
    for (unsigned t = 0; t < KEPT_TABLES; at += table_bytes(&head, t), t++) {
        if (t == KEPT_SOURCES)
            write_sources((void *)at, r);
        else if (t == KEPT_SITES)
            write_sites((void *)at, code);
        else if (t == KEPT_EXITS)
            write_exits((void *)at, r);
        else if (head.counts[t])
            memcpy(at, from[t], (size_t)head.counts[t] * element_bytes[t]);
    }
    return (void *)record;
}

/* ---- looking at a record --------------------------------------------------------------------- */

static bool sources_are_sound(const struct kept_view *v)
{
    const struct kept_source *s = v->table[KEPT_SOURCES];
    uint32_t count = v->head->counts[KEPT_SOURCES], insns = 0;

    if (!count || count > TRACE_MAX_BLOCKS || s[0].delta)
        return false;
    for (uint32_t n = 0; n < count; n++) {
        if (!s[n].count || s[n].count > REGION_MAX_INSNS || s[n].delta != (int32_t)s[n].delta)
            return false;
        insns += s[n].count;
    }
    return insns <= REGION_MAX_INSNS;
}

static bool has_map(const struct kept_view *v, uint32_t from, uint64_t count)
{
    return from + count <= v->head->counts[KEPT_MAPS] && count <= REGION_MAX_SLOTS + Q_HOSTS;
}

static bool sites_are_sound(const struct kept_view *v)
{
    const uint32_t *counts = v->head->counts;
    const struct kept_source *sources = v->table[KEPT_SOURCES];
    const struct kept_site *s = v->table[KEPT_SITES];

    for (uint32_t n = 0; n < counts[KEPT_SITES]; n++, s++) {
        if (s->site.kind > Q_SITE_HANDLER || s->site.source >= counts[KEPT_SOURCES] ||
            s->site.index >= sources[s->site.source].count || s->site.bytes > 16 ||
            s->site.map_count > REGION_MAX_SLOTS || !has_map(v, s->site.map, s->site.map_count) ||
            (s->site.kind == Q_SITE_LINK && s->exit >= counts[KEPT_EXITS]))
            return false;
    }
    return true;
}

static bool exits_are_sound(const struct kept_view *v)
{
    const uint32_t *counts = v->head->counts;
    const struct kept_exit *e = v->table[KEPT_EXITS];
    uint32_t end = counts[KEPT_CODE];

    for (uint32_t n = 0; n < counts[KEPT_EXITS]; n++, e++) {
        if (e->jump >= end || e->unlinked >= end || e->stores >= end ||
            (e->early >= end && e->early != UINT32_MAX) ||
            (e->by_cache >= end && e->by_cache != UINT32_MAX) || e->delta != (int32_t)e->delta ||
            !has_map(v, e->map, (uint64_t)e->dirty + e->clean))
            return false;
    }
    return true;
}

static bool fixes_are_sound(const struct kept_view *v, const struct program_image *image)
{
    const uint32_t *counts = v->head->counts;
    const struct q_fix *f = v->table[KEPT_FIXES];

    for (uint32_t n = 0; n < counts[KEPT_FIXES]; n++) {
        if (!quick_fix_is_sound(&f[n], counts[KEPT_CODE], counts[KEPT_SITES], counts[KEPT_SOURCES],
                                image->end - image->base))
            return false;
    }
    return true;
}

struct kept_view kept_tables_of(const struct kept_head *head)
{
    struct kept_view v = {.head = head};
    const uint8_t *at = (const void *)(head + 1);

    for (unsigned t = 0; t < KEPT_TABLES; t++) {
        v.table[t] = at;
        at += table_bytes(head, t);
    }
    return v;
}

bool kept_view_of(const void *record, size_t size, const struct program_image *image,
                  struct kept_view *v)
{
    const struct kept_head *h = record;
    size_t left;

    if (size < sizeof(*h) || h->bytes > size || h->bytes < sizeof(*h) || h->bytes % ALIGN)
        return false;
    left = h->bytes - sizeof(*h);
    for (unsigned t = 0; t < KEPT_TABLES; t++) {
        size_t bytes = table_bytes(h, t);

        if (bytes > left)
            return false;
        left -= bytes;
    }
    *v = kept_tables_of(h);
    return h->counts[KEPT_CODE] && h->head < h->counts[KEPT_CODE] &&
           (h->inner < h->counts[KEPT_CODE] || h->inner == UINT32_MAX) && sources_are_sound(v) &&
           sites_are_sound(v) && exits_are_sound(v) && fixes_are_sound(v, image);
}

/* ---- a trace of a record --------------------------------------------------------------------- */

/* Whether a block is as the record's, and no trace of it has failed in this run. */
static bool is_same_block(const struct block *b, const struct kept_source *s, uint16_t key)
{
    struct file_key insns;

    if (!b || b->dead || b->checked || b->interpreted || b->key != key || b->count != s->count ||
        b->ticks != s->ticks || b->bytes != s->bytes)
        return false;
    if (b->failed_guards || b->failed_merges || b->failed_traps || b->inexact || b->aligned ||
        b->large || b->misses)
        return false;
    insns = insns_key(b);
    return !memcmp(&insns, &s->insns, sizeof(insns));
}

static bool find_blocks(struct cpu *cpu, struct block *entry, const struct kept_view *v,
                        struct trace_part parts[TRACE_MAX_BLOCKS])
{
    const struct kept_source *s = v->table[KEPT_SOURCES];

    for (uint32_t n = 0; n < v->head->counts[KEPT_SOURCES]; n++) {
        struct block *b = entry;

        if (s[n].delta)
            b = block_near(cpu, cpu->block_pc + (uint64_t)s[n].delta, parts[n - 1].block,
                           s[n].delta - s[n - 1].delta);
        if (!is_same_block(b, &s[n], entry->key))
            return false;
        parts[n] = (struct trace_part){b, s[n].delta, s[n].skips};
    }
    return true;
}

#define COPY(v, to, from)                                                              \
    do {                                                                               \
        (to)->len = (to)->cap = (v)->head->counts[from];                               \
        (to)->data = xcalloc((to)->len ? (to)->len : 1, sizeof(*(to)->data));          \
        memcpy((to)->data, (v)->table[from], (size_t)(to)->len * sizeof(*(to)->data)); \
    } while (0)

static void read_exits(struct region *r, const struct kept_view *v)
{
    const struct kept_exit *from = v->table[KEPT_EXITS];
    uint8_t *code = r->code;

    for (uint32_t n = 0; n < v->head->counts[KEPT_EXITS]; n++) {
        const struct kept_exit *k = &from[n];
        struct q_exit *e = q_take(r->quick, sizeof(*e));

        *e = (struct q_exit){.from = r,
                             .delta = k->delta,
                             .jump = code + k->jump,
                             .unlinked = code + k->unlinked,
                             .same_page = k->same_page,
                             .early = k->early == UINT32_MAX ? NULL : code + k->early,
                             .stores = code + k->stores,
                             .map = k->map,
                             .dirty = k->dirty,
                             .clean = k->clean,
                             .ahead = k->ahead};
        if (k->by_cache != UINT32_MAX) {
            e->cases = q_take(r->quick, sizeof(*e->cases));
            e->cases->address = k->address;
            e->cases->by_cache = code + k->by_cache;
        }
        vec_push(&r->quick->exits, e);
    }
}

/* The trace's exits and the copies of its instructions must be there. */
static void read_sites(struct region *r, const struct kept_view *v)
{
    const struct kept_site *from = v->table[KEPT_SITES];

    for (uint32_t n = 0; n < v->head->counts[KEPT_SITES]; n++) {
        struct q_site *s = q_take(r->quick, sizeof(*s));

        *s = from[n].site;
        s->region = r;
        if (s->kind == Q_SITE_LINK)
            s->object = r->quick->exits.data[from[n].exit];
        else if (s->kind == Q_SITE_HANDLER)
            s->object = quick_copy_alone(r->quick, r, s->source, s->index);
        vec_push(&r->quick->sites, s);
    }
}

static void read_tables(struct region *r, const struct kept_view *v)
{
    struct q_code *c = r->quick;
    size_t dead = v->head->counts[KEPT_DEAD] * sizeof(*c->dead);
    const uint8_t *code = r->code;

    COPY(v, &c->fixes, KEPT_FIXES);
    COPY(v, &c->maps, KEPT_MAPS);
    COPY(v, &c->exprs, KEPT_EXPRS);
    COPY(v, &c->constants, KEPT_CONSTANTS);
    COPY(v, &c->faults, KEPT_FAULTS);
    COPY(v, &c->entry, KEPT_ENTRY);
    if (dead)
        c->dead = memcpy(q_take(c, dead), v->table[KEPT_DEAD], dead);
    read_exits(r, v);
    read_sites(r, v);
    c->head = code + v->head->head;
    c->has_inner = v->head->inner != UINT32_MAX;
    c->inner = c->has_inner ? code + v->head->inner : NULL;
    c->inexact = v->head->inexact;
    c->traps = v->head->traps;
    c->loops = v->head->loops;
    c->first_ticks = v->head->first_ticks;
    r->built = v->head->built;
    r->interpreted = v->head->interpreted;
}

/* Whether faults and exceptions come to the trace here, as it needs them to. */
static bool has_signals(struct jit *jit, const struct cpu *cpu, const struct kept_view *v)
{
    struct error why;

    return (!cpu->flat || quick_catch_faults(jit->quick, &why)) &&
           (!v->head->traps || quick_has_traps(jit->quick));
}

struct region *kept_trace_of(struct jit *jit, struct cpu *cpu, struct block *b,
                             const struct kept_view *v)
{
    size_t bytes = v->head->counts[KEPT_CODE];
    struct trace_part parts[TRACE_MAX_BLOCKS];
    struct q_code spare = {0};
    struct chunk *chunk;
    struct region *r;
    uint8_t *code;

    if (!has_signals(jit, cpu, v) || !find_blocks(cpu, b, v, parts))
        return NULL;
    code = arena_take(&jit->arena, ARENA_GUEST, bytes, ARENA_ALIGN, &chunk);
    if (!code)
        return NULL;
    r = trace_of(jit, cpu, cpu->block_pc, v->head->counts[KEPT_SOURCES], parts);
    r->quick = xcalloc(1, sizeof(*r->quick));
    r->code = r->entry = code;
    r->chunk = chunk;
    r->code_size = r->text_size = bytes;
    memcpy(code + jit->arena.write, v->table[KEPT_CODE], bytes);
    read_tables(r, v);
    quick_apply_fixes(r);
    __builtin___clear_cache((char *)code, (char *)code + bytes);
    quick_fit(r->quick, &spare);
    quick_free_tables(&spare);
    return r;
}
