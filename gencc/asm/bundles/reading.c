/*
 * How the keys of maps read with the block of a stage, and on which bits of the block that depends.
 * Dependencies come from the IR of the conditions and values, and are cached per key and unit.
 */
#include "gencc/asm/bundles/reading.h"
#include "gencc/asm/solve/demand.h"
#include "gencc/asm/solve/solve.h"
#include "gencc/disasm/syntax.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_TEXT = 4096,
    MAX_LINES = 64,        /* per text */
    MAX_DECIDED = 6,       /* bits of decided fields */
    MAX_KNOWN = 80,        /* fields with known values */
    SITE_BUCKETS = 256,    /* a power of two */
    STRING_BUCKETS = 4096, /* a power of two */
    READING_BITS = 16,
    SAME_BITS = 14,
    PLACE_BITS = 14,
    PLACE_ARGS = 16,
};

/* A condition or value of a text's lines, as a function. */
struct line_expr {
    struct ir_func *func;
    unsigned line;
    bool condition;
};

/* The expressions of a text. */
struct text_exprs {
    const struct bundle_text *text;
    VEC(struct line_expr) list;
    struct text_exprs *next;
};

struct string {
    struct string *next;
    size_t length;
    char text[];
};

struct same_memo {
    const char *printed, *text;
    bool same;
};

/* A selector of a unit's operands, and the bits of the block on which its place depends. */
struct place_site {
    unsigned unit;
    int64_t selector;
    uint64_t *setting; /* per value of the decided fields; UINT64_MAX: not known yet */
    struct place_site *next;
};

struct place_memo {
    const struct place_site *site;
    uint64_t bits;
    unsigned stage, stages;
    bool there;
};

struct readings {
    struct text_bundle *tc;
    const struct ir_func *places_of; /* the helper for places; NULL: none */
    struct arena *arena;
    uint64_t decided_mask;
    struct text_exprs *exprs;
    struct reading_site *sites[SITE_BUCKETS];
    struct string *strings[STRING_BUCKETS];
    struct reading *memo;
    struct same_memo *same;
    struct place_site *places;
    struct place_memo *place_memo;
    /* State of the reading that is being made. */
    const struct bundle_text *constant;
    int64_t place;
};

/* ---- what a text depends on ------------------------------------------------------------------ */

static void add_expr(struct readings *r, struct text_exprs *x, const struct ast_expr *e,
                     unsigned line, bool condition)
{
    struct word_expr *w = word_expr_new(r->tc->text, x->text->lines.data[0], e);

    vec_push_in(r->arena, &x->list, ((struct line_expr){w ? w->func : NULL, line, condition}));
}

static const struct text_exprs *exprs_of(struct readings *r, const struct bundle_text *text)
{
    const struct instr *in = text->lines.data[0];
    struct text_exprs *x;

    for (x = r->exprs; x; x = x->next)
        if (x->text == text)
            return x;
    x = arena_new(r->arena, struct text_exprs);
    x->text = text;
    x->next = r->exprs;
    r->exprs = x;
    for (unsigned i = 0; i < in->syntax.len && i < MAX_LINES; i++) {
        struct expr_list conditions = {0};

        syntax_conditions(r->arena, &in->syntax.data[i], &conditions);
        vec_for_each (&conditions.list, c)
            add_expr(r, x, *c, i, true);
        vec_for_each (&in->syntax.data[i].pieces, p)
            vec_for_each (&p->values, v)
                add_expr(r, x, *v, i, false);
    }
    return x;
}

/* What is known of a site: the values of its fields, and the decided bits of the block. */
struct known {
    struct ir_known at[MAX_KNOWN];
    unsigned count;
};

static void add_known_bits(struct known *k, const struct field *field, u128 mask, u128 bits)
{
    if (k->count < MAX_KNOWN && field)
        k->at[k->count++] = (struct ir_known){.field = field, .mask = mask, .bits = bits};
}

static struct known known_of(const struct reading_site *s, uint64_t mask, uint64_t block)
{
    const struct format *format = s->text->lines.data[0]->format;
    struct known k = {.count = 0};

    add_known_bits(&k, format_field(format, s->text->key), ~(u128)0, (uint64_t)s->key);
    vec_for_each (&s->text->values, v) {
        const struct field *f = format_field(format, v->name);

        if (v->is == BUNDLE_V_BLOCK)
            add_known_bits(&k, f, mask, block);
        else if (v->is == BUNDLE_V_UNIT)
            add_known_bits(&k, f, ~(u128)0, s->unit);
        else if (v->is == BUNDLE_V_FIRST || v->is == BUNDLE_V_LAST)
            add_known_bits(&k, f, ~(u128)0, v->is == BUNDLE_V_FIRST ? s->first : s->last);
    }
    vec_for_each (&format->fields, f)
        if (!(*f)->computed)
            add_known_bits(&k, *f, mask >> (*f)->lsb & low_bits((*f)->width), block >> (*f)->lsb);
    return k;
}

static bool is_never(const struct ir_func *f)
{
    const struct ir_value *last = f->blocks.len == 1 ? f->blocks.data[0]->last : NULL;

    return last && last->op == IR_RET && last->ops.data[0]->op == IR_CONST &&
           !last->ops.data[0]->imm;
}

/* Bits of the block on which those lines depend that are not excluded by the known values. *lines:
 * one bit per such line. */
static uint64_t bits_of_lines(struct readings *r, const struct reading_site *s,
                              const struct known *k, uint64_t *lines)
{
    const struct text_exprs *x = exprs_of(r, s->text);
    struct field *block = format_field(s->text->lines.data[0]->format, "block");
    uint64_t by_line[MAX_LINES] = {0}, all = 0;

    *lines = (uint64_t)low_bits(s->text->lines.data[0]->syntax.len < MAX_LINES
                                    ? s->text->lines.data[0]->syntax.len
                                    : MAX_LINES);
    vec_for_each (&x->list, e) {
        const struct ir_func *f;

        if (!(*lines >> e->line & 1))
            continue;
        f = e->func ? ir_specialise_bits(e->func, e->func->name, k->count, k->at) : NULL;
        if (f && e->condition && is_never(f))
            *lines &= ~((uint64_t)1 << e->line);
        else
            by_line[e->line] |= f ? (uint64_t)demanded_bits(f, block) : UINT64_MAX;
    }
    for (unsigned i = 0; i < MAX_LINES; i++)
        all |= *lines >> i & 1 ? by_line[i] : 0;
    return all & (uint64_t)low_bits(r->tc->text->isa->bundle->block->width);
}

/* Gathers the bits of `v` under `mask` into the low bits. */
static uint64_t gather_bits(uint64_t v, uint64_t mask)
{
    uint64_t packed = 0;

    for (unsigned n = 0; mask; n++, mask &= mask - 1)
        packed |= (uint64_t)((v & mask & -mask) != 0) << n;
    return packed;
}

uint64_t reading_bits(struct readings *r, const struct reading_site *site, uint64_t block)
{
    uint64_t *known = site->setting ? &site->setting[gather_bits(block, r->decided_mask)] : NULL;
    struct known k;
    uint64_t lines;

    if (!known)
        return site->bits;
    if (*known == UINT64_MAX) {
        k = known_of(site, r->decided_mask, block);
        *known = bits_of_lines(r, site, &k, &lines) | r->decided_mask;
    }
    return *known;
}

static struct reading_site *new_site(struct readings *r, const struct asm_map *map, int64_t key)
{
    const struct text_bundle *tc = r->tc;
    struct reading_site *s = arena_new(r->arena, struct reading_site);
    struct known k;

    s->map = map;
    s->key = key;
    s->text = bundle_text_of(tc, map->name);
    s->own_table = text_table(tc->unit[tc->at_unit], map);
    s->unit = tc->at_unit;
    s->first = tc->stage == 0;
    s->last = tc->stage + 1 == tc->bits.stages;
    k = known_of(s, 0, 0);
    s->bits = bits_of_lines(r, s, &k, &s->possible_lines);
    if (s->bits & r->decided_mask) {
        size_t size = sizeof(*s->setting) << __builtin_popcountll(r->decided_mask);

        s->setting = arena_alloc(r->arena, size);
        memset(s->setting, 0xff, size);
    }
    return s;
}

const struct reading_site *reading_site(struct readings *r, const struct asm_map *map, int64_t key)
{
    const struct text_bundle *tc = r->tc;
    bool first = tc->stage == 0, last = tc->stage + 1 == tc->bits.stages;
    uint64_t h =
        bundle_mix(bundle_mix((uintptr_t)map, (uint64_t)key), tc->at_unit << 2 | first << 1 | last);
    struct reading_site **bucket = &r->sites[h % SITE_BUCKETS], *s;

    for (s = *bucket; s; s = s->next)
        if (s->map == map && s->key == key && s->unit == tc->at_unit && s->first == first &&
            s->last == last)
            return s;
    s = new_site(r, map, key);
    s->next = *bucket;
    *bucket = s;
    return s;
}

bool reading_says_own(const struct reading_site *site, const char *text)
{
    const char *said = asm_table_find(site->own_table, site->key);

    return said && bundle_same_text(said, strlen(said), text, strlen(text));
}

bool reading_may_be(struct readings *r, const struct reading_site *site, const char *text)
{
    size_t length = strlen(text);

    if (reading_says_own(site, text))
        return true;
    for (unsigned i = 0; i < MAX_LINES; i++)
        if ((site->possible_lines >> i & 1) &&
            bundle_line_may_read(r->tc, site->text, i, text, length))
            return true;
    return false;
}

/* ---- what is printed ------------------------------------------------------------------------- */

const char *readings_string(struct readings *r, const char *text, size_t length)
{
    uint64_t h = length;
    struct string **bucket, *s;

    for (size_t i = 0; i < length; i++)
        h = bundle_mix(h, (unsigned char)text[i]);
    bucket = &r->strings[h % STRING_BUCKETS];
    for (s = *bucket; s; s = s->next)
        if (s->length == length && !memcmp(s->text, text, length))
            return s->text;
    s = arena_alloc(r->arena, sizeof(*s) + length + 1);
    s->length = length;
    memcpy(s->text, text, length);
    s->text[length] = '\0';
    s->next = *bucket;
    *bucket = s;
    return s->text;
}

bool reading_same(struct readings *r, const char *printed, const char *text)
{
    uint64_t h = bundle_mix((uintptr_t)printed, (uintptr_t)text);
    struct same_memo *m = &r->same[h >> (64 - SAME_BITS)];

    if (m->printed != printed || m->text != text)
        *m = (struct same_memo){printed, text,
                                bundle_same_text(printed, strlen(printed), text, strlen(text))};
    return m->same;
}

/* Callback in place of printing a constant, which is settled by the pool. */
static bool note_constant(struct text_bundle *tc, const struct bundle_text *text, int64_t key,
                          struct asm_out *out)
{
    struct readings *r = tc->readings;

    asm_put_text(out, "?");
    r->constant = text;
    r->place = key;
    return (key & 0xff) < BUNDLE_MAX_CONSTANTS;
}

static void read_now(struct readings *r, struct reading *m)
{
    struct text_bundle *tc = r->tc;
    bool (*before)(struct text_bundle *, const struct bundle_text *, int64_t, struct asm_out *) =
        tc->constant;
    char text[MAX_TEXT];
    struct asm_out out = {.text = text, .size = sizeof(text)};

    text[0] = '\0';
    r->constant = NULL;
    tc->constant = note_constant;
    bundle_write_key(tc, m->site->own_table, m->site->key, &out);
    tc->constant = before;
    m->text = readings_string(r, text, strlen(text));
    m->constant = strcmp(text, "?") ? NULL : r->constant;
    m->place = r->place;
}

const struct reading *reading_of(struct readings *r, const struct reading_site *site)
{
    const struct bundle_bits *b = &r->tc->bits;
    unsigned next = r->tc->stage + 1 == b->stages ? 0 : r->tc->stage + 1;
    uint64_t block = b->block[site->text->context == BUNDLE_OF_NEXT ? next : r->tc->stage];
    uint64_t bits = block & reading_bits(r, site, block);
    struct reading *m = &r->memo[bundle_mix((uintptr_t)site, bits) >> (64 - READING_BITS)];

    if (m->site != site || m->bits != bits) {
        m->site = site;
        m->bits = bits;
        read_now(r, m);
    }
    return m;
}

/* ---- places of operands ---------------------------------------------------------------------- */

static struct place_site *new_place(struct readings *r, unsigned unit, int64_t selector)
{
    struct place_site *p = arena_new(r->arena, struct place_site);
    size_t size = sizeof(*p->setting) << __builtin_popcountll(r->decided_mask);

    p->unit = unit;
    p->selector = selector;
    p->setting = arena_alloc(r->arena, size);
    memset(p->setting, 0xff, size);
    p->next = r->places;
    r->places = p;
    return p;
}

static struct place_site *place_site(struct readings *r, int64_t selector)
{
    for (struct place_site *p = r->places; p; p = p->next)
        if (p->unit == r->tc->at_unit && p->selector == selector)
            return p;
    return new_place(r, r->tc->at_unit, selector);
}

/* Bits of the block that the helper reads, in any stage. */
static uint64_t place_depends(const struct readings *r, const struct place_site *p, uint64_t block)
{
    const struct ir_func *f = r->places_of;
    struct ir_known known[PLACE_ARGS];
    uint64_t all = 0;
    unsigned n = 0;

    for (unsigned i = 0; i < f->params.len && i < PLACE_ARGS; i++) {
        const char *name = f->param_names.data[i];

        if (!strcmp(name, "unit"))
            known[n++] = (struct ir_known){NULL, i, ~(u128)0, p->unit};
        else if (!strcmp(name, "selector"))
            known[n++] = (struct ir_known){NULL, i, ~(u128)0, (uint64_t)p->selector};
        else if (!strcmp(name, "block"))
            known[n++] = (struct ir_known){NULL, i, r->decided_mask, block};
    }
    f = ir_specialise_bits(f, f->name, n, known);
    for (unsigned i = 0; i < f->params.len; i++)
        if (!strcmp(f->param_names.data[i], "block"))
            all = (uint64_t)demanded_of_param(f, i);
    return all & (uint64_t)low_bits(r->tc->text->isa->bundle->block->width);
}

uint64_t reading_place_bits(struct readings *r, int64_t selector, uint64_t block)
{
    struct place_site *p = place_site(r, selector);
    uint64_t *bits = &p->setting[gather_bits(block, r->decided_mask)];

    if (*bits == UINT64_MAX)
        *bits = r->places_of ? place_depends(r, p, block) | r->decided_mask : 0;
    return *bits;
}

bool reading_has_place(struct readings *r, int64_t selector)
{
    const struct text_bundle *tc = r->tc;
    const struct place_site *site = place_site(r, selector);
    uint64_t block = tc->bits.block[tc->stage];
    uint64_t bits = block & reading_place_bits(r, selector, block);
    struct place_memo *m =
        &r->place_memo[bundle_mix(bundle_mix((uintptr_t)site, tc->stage << 8 | tc->bits.stages),
                                  bits) >>
                       (64 - PLACE_BITS)];

    if (!r->places_of)
        return true;
    if (m->site != site || m->bits != bits || m->stage != tc->stage || m->stages != tc->bits.stages)
        *m = (struct place_memo){site, bits, tc->stage, tc->bits.stages,
                                 bundle_place_of(r->tc, r->places_of, (uint64_t)selector) != 0};
    return m->there;
}

/* ---- the whole ------------------------------------------------------------------------------- */

uint64_t readings_decided(const struct readings *r)
{
    return r->decided_mask;
}

struct readings *readings_new(struct text_bundle *tc)
{
    struct readings *r = arena_new(tc->text->arena, struct readings);

    r->tc = tc;
    r->arena = tc->text->arena;
    r->memo = arena_alloc(r->arena, sizeof(*r->memo) << READING_BITS);
    r->places_of = bundle_helper_of(tc->text->isa, "operand_place");
    r->place_memo = arena_alloc(r->arena, sizeof(*r->place_memo) << PLACE_BITS);
    r->same = arena_alloc(r->arena, sizeof(*r->same) << SAME_BITS);
    vec_for_each (&tc->text->isa->bundle->decided, f)
        if ((unsigned)__builtin_popcountll(r->decided_mask) + (*f)->width <= MAX_DECIDED)
            r->decided_mask |= (uint64_t)field_mask(*f);
    return r;
}
