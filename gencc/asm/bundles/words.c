/*
 * The words of a bundle: callbacks for the words' assembler, and fields of the header that the
 * lines name.
 */
#include "gencc/asm/bundles/internal.h"
#include "gencc/asm/words/asm.h"

#include <string.h>

/* ---- what a piece reads as ------------------------------------------------------------------- */

static bool of_block(const struct bundle_text *t)
{
    return t->context == BUNDLE_OF_BLOCK || t->context == BUNDLE_OF_NEXT;
}

enum site_reads bundle_site_reads(struct bundle_asm *ba, const struct reading_site *site,
                                  const char *text)
{
    const struct reading *r = reading_of(ba->tc->readings, site);

    if (!r->constant)
        return reading_same(ba->tc->readings, r->text, text) ? SITE_READS : SITE_DIFFERS;
    switch (bundle_pool_settle(&ba->current_notes.pool, ba->tc, r->constant, r->place, text)) {
    case POOL_SETTLED:
        return SITE_SETTLED;
    case POOL_TAKEN:
        return SITE_TAKEN;
    case POOL_OTHER:
        return SITE_OTHER;
    case POOL_NO:
        return SITE_NO_WAY;
    default:
        return SITE_DIFFERS;
    }
}

/* Whether a key of the map reads as the text, with the present block and header. */
static bool key_reads(struct bundle_asm *ba, const struct asm_map *map, int64_t key,
                      const char *text, size_t length)
{
    const struct bundle_text *t = bundle_text_of(ba->tc, map->name);
    struct readings *r = ba->tc->readings;
    char buf[MAX_BUNDLE_TEXT];
    struct asm_out out = {.text = buf, .size = sizeof(buf)};

    if (of_block(t))
        return bundle_site_reads(ba, reading_site(r, map, key), readings_string(r, text, length)) >=
               SITE_READS;
    if (t->context == BUNDLE_OF_CONSTANT &&
        ba->footer_constants.used_constants) /* the footer gives the constants */
        memcpy(ba->tc->bits.constant, ba->footer_constants.value,
               sizeof(ba->footer_constants.value));
    else if (t->context == BUNDLE_OF_CONSTANT && (key & 0xff) < BUNDLE_MAX_CONSTANTS)
        return bundle_pool_settle(&ba->current_notes.pool, ba->tc, t, key,
                                  readings_string(r, text, length)) == POOL_SETTLED;
    buf[0] = '\0';
    bundle_write_key(ba->tc, text_table(bundle_unit_text(ba), map), key, &out);
    if (ba->keeps_comments && strstr(buf, "/*") && !memmem(text, length, "/*", 2))
        return false;
    return bundle_same_text(buf, out.length, text, length);
}

/* ---- the header's fields that a piece names -------------------------------------------------- */

/* Whether the text of a key depends on the header. */
static bool reads_header(struct bundle_asm *ba, const struct bundle_text *t)
{
    const struct ir_func *f = ba->t->bundle_lines.data[t->lines.data[0]->index];

    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_FIELD && !v->field->computed)
                return true;
    return false;
}

/* Settles a field of the header such that the key reads as the text. */
static bool settle_field(struct bundle_asm *ba, const struct asm_map *map, int64_t key,
                         const char *text, size_t length)
{
    struct notes *now = &ba->current_notes;

    vec_for_each (&ba->c->header->fields, f) {
        uint64_t mask = (((uint64_t)1 << (*f)->width) - 1) << (*f)->lsb;
        bool settled = (now->header_mask & mask) == mask;

        if ((*f)->computed || (*f)->width > 8)
            continue;
        for (uint64_t v = 0; v < (settled ? 1u : 1u << (*f)->width); v++) {
            uint64_t other = (now->header & ~mask) | v << (*f)->lsb;

            ba->tc->bits.header = settled ? now->header : other;
            if (!key_reads(ba, map, key, text, length))
                continue;
            /* The field is settled only if the text depends on it. */
            ba->tc->bits.header ^= mask & -mask;
            if (!settled && !key_reads(ba, map, key, text, length)) {
                now->header = other;
                now->header_mask |= mask;
                return true;
            }
            break;
        }
    }
    ba->tc->bits.header = now->header;
    return key_reads(ba, map, key, text, length);
}

/* Settles fields of the header such that the key reads as the text. Texts with all their comments
 * are preferred to texts without. */
static bool settle_header(struct bundle_asm *ba, const struct asm_map *map, int64_t key,
                          const char *text, size_t length)
{
    bool ok;

    ba->tc->bits.header = ba->current_notes.header;
    if (!reads_header(ba, bundle_text_of(ba->tc, map->name)))
        return key_reads(ba, map, key, text, length);
    ba->keeps_comments = true;
    ok = settle_field(ba, map, key, text, length);
    ba->keeps_comments = false;
    return ok || settle_field(ba, map, key, text, length);
}

/* ---- what the words' assembler asks ---------------------------------------------------------- */

static bool decides_map(void *opaque, const struct asm_map *map)
{
    struct bundle_asm *ba = opaque;

    return bundle_text_of(ba->tc, map->name) != NULL;
}

static unsigned ends_of_text(void *opaque, const struct asm_map *map, const struct match_table *own,
                             const char *line, const char *p, const char **at)
{
    struct bundle_asm *ba = opaque;

    return bundle_ends(ba->tc, map, own, line, p, at);
}

/* Whether the text depends on a block that is not settled yet. */
static bool is_later(const struct bundle_asm *ba, const struct bundle_text *t)
{
    return of_block(t) && (ba->probing || (ba->next_block_open && t->context == BUNDLE_OF_NEXT));
}

static unsigned keys_of_text(void *opaque, const struct asm_map *map, const char *text,
                             size_t length, int64_t *keys, unsigned room)
{
    struct bundle_asm *ba = opaque;
    const struct bundle_text *t = bundle_text_of(ba->tc, map->name);
    unsigned n = 0;

    if (!map->entries.len || is_later(ba, t))
        return room + 1;
    vec_for_each (&map->entries, e) {
        struct notes before = ba->current_notes;
        int64_t key = e->keys.data[0];
        bool fits = t->context == BUNDLE_OF_HEADER ? settle_header(ba, map, key, text, length)
                                                   : key_reads(ba, map, key, text, length);

        ba->current_notes = before;
        if (fits && n < room &&
            (t->context != BUNDLE_OF_BLOCK || reading_has_place(ba->tc->readings, key)))
            keys[n++] = key;
    }
    return n;
}

static bool is_silent_key(void *opaque, const struct asm_map *map, int64_t key)
{
    struct bundle_asm *ba = opaque;
    const char *own = asm_table_find(text_table(bundle_unit_text(ba), map), key);

    return bundle_text_of(ba->tc, map->name)->context == BUNDLE_OF_CONSTANT &&
           (key & 0xff) >= BUNDLE_MAX_CONSTANTS && (!own || !*own);
}

static bool has_hexadecimal(const char *text, size_t length)
{
    return memmem(text, length, "0x", 2) || memmem(text, length, "0X", 2);
}

static bool notes_map(void *opaque, const struct asm_map *map)
{
    struct bundle_asm *ba = opaque;

    return bundle_text_of(ba->tc, map->name)->context == BUNDLE_OF_CONSTANT;
}

/* Whether the number of a constant is printed in the source's notation, decimal or hexadecimal. */
static bool as_it_is_written(struct bundle_asm *ba, const struct asm_map *map, int64_t key,
                             const char *text, size_t length)
{
    char buf[MAX_BUNDLE_TEXT];
    struct asm_out out = {.text = buf, .size = sizeof(buf)};

    if (!ba->footer_constants.used_constants)
        memcpy(ba->tc->bits.constant, ba->current_notes.pool.value,
               sizeof(ba->current_notes.pool.value));
    buf[0] = '\0';
    bundle_write_key(ba->tc, text_table(bundle_unit_text(ba), map), key, &out);
    return has_hexadecimal(buf, out.length) == has_hexadecimal(text, length);
}

static bool continue_with_key(void *opaque, const struct text_key *k, bool *otherwise,
                              bool (*go_on)(void *data), void *data)
{
    struct bundle_asm *ba = opaque;
    struct notes before = ba->current_notes;
    bool ok = key_reads(ba, k->map, k->key, k->text, k->length);

    if (ok && k->as_written && !as_it_is_written(ba, k->map, k->key, k->text, k->length)) {
        *otherwise = true;
        ok = false;
    }
    if (ok && go_on(data))
        return true;
    ba->current_notes = before;
    return false;
}

static bool word_reads(void *opaque, const struct asm_map *map, int64_t key, const char *text,
                       size_t length)
{
    struct bundle_asm *ba = opaque;
    const struct bundle_text *t = bundle_text_of(ba->tc, map->name);

    if (is_later(ba, t) && !ba->probing)
        return true;
    if (is_later(ba, t)) {
        if (ba->want_count == MAX_WANTS)
            return false;
        ba->wants[ba->want_count++] =
            (struct want){ba->tc->stage, ba->tc->at_unit, map, t,
                          readings_string(ba->tc->readings, text, length)};
        return true;
    }
    if (t->context == BUNDLE_OF_HEADER)
        return settle_header(ba, map, key, text, length);
    return key_reads(ba, map, key, text, length);
}

static void begin_word(void *opaque)
{
    struct bundle_asm *ba = opaque;

    ba->kept_notes = ba->current_notes;
    ba->want_kept = ba->want_count;
}

static void give_up(void *opaque)
{
    struct bundle_asm *ba = opaque;

    ba->current_notes = ba->kept_notes;
    ba->want_count = ba->want_kept;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Assembles a line as a word of the present unit and stage. */
bool bundle_assemble_word(struct bundle_asm *ba, const char *line, bool own_numbers)
{
    struct text_bundle *tc = ba->tc;
    struct text_word word;

    ba->around.own_numbers = own_numbers;
    if (!text_asm(bundle_unit_text(ba), &(struct text_line){line, 0, &ba->around}, &word,
                  ba->word_err, sizeof(ba->word_err)))
        return false;
    tc->bits.word[tc->stage][tc->at_unit] = word.bits;
    tc->bits.present[tc->stage] |= 1u << tc->at_unit;
    return true;
}

/* The line behind the unit's mark, or behind its name and a colon. NULL: the line names another
 * unit. */
unsigned bundle_named_unit(const struct bundle *c, const char *line, const char **rest)
{
    unsigned i = 0;

    *rest = line;
    for (; i < c->units.len; i++) {
        size_t n = strlen(c->units.data[i].name);

        if (!strncmp(line, c->units.data[i].name, n) && line[n] == ':') {
            *rest = line + n + 1;
            break;
        }
    }
    return i;
}

const char *bundle_line_of_unit(const struct bundle_asm *ba, const char *line, unsigned unit)
{
    const char *mark = ba->c->units.data[unit].mark, *rest;
    unsigned named;

    mark += strspn(mark, " \t");
    if (*mark)
        return strncmp(line, mark, strlen(mark)) ? NULL : line + strlen(mark);
    named = bundle_named_unit(ba->c, line, &rest);
    return named == unit || named == ba->c->units.len ? rest : NULL;
}

struct text_around bundle_around(struct bundle_asm *ba)
{
    return (struct text_around){.opaque = ba,
                                .decides = decides_map,
                                .ends = ends_of_text,
                                .keys = keys_of_text,
                                .silent = is_silent_key,
                                .can_note = notes_map,
                                .with_key = continue_with_key,
                                .reads = word_reads,
                                .begin = begin_word,
                                .give_up = give_up};
}
