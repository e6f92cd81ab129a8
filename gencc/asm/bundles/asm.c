/*
 * The assembler of one bundle: a search that places each line as a word in a stage and unit, then
 * settles blocks, constants and header, and stores the result. The second half of the file finds
 * the line to report if there is no result.
 */
#include "gencc/asm/bundles/internal.h"
#include "gencc/asm/words/asm.h"
#include "gencc/asm/solve/bits.h"

#include <string.h>

static void record_error(struct bundle_asm *ba, const struct source_line *at, const char *message)
{
    snprintf(ba->err, ba->err_size, "%s", message);
    ba->err_line = at;
}

/* ---- which word a line is -------------------------------------------------------------------- */

static bool finish_bundle(struct bundle_asm *ba);

/* Assembles the lines from `line` on, in places from `place` on. A place is stage * units +
 * unit. */
static bool place_lines(struct bundle_asm *ba, unsigned line, unsigned place);

/* Outcome of placing a line. */
enum placed {
    PLACED,
    PLACED_NOT,
    PLACED_OTHERWISE, /* failed, but noted a constant: may work with a number in the word */
    PLACED_BADLY,     /* failed: bundle_suits_badly */
};

/* Assembles a line in its place, and then all lines behind it. */
static enum placed place_line(struct bundle_asm *ba, unsigned line, const char *text, bool own,
                              bool badly)
{
    unsigned stage = ba->slot_stage[line], unit = ba->slot_unit[line];
    struct bundle_bits bits = ba->tc->bits;
    struct notes before = ba->current_notes;
    unsigned wants = ba->want_count;
    enum placed is = PLACED_NOT;

    ba->tc->stage = stage;
    ba->tc->at_unit = unit;
    ba->numbers_first[line] = own;
    if (!bundle_assemble_word(ba, text, own)) {
        ba->word_failed |= !own;
    } else if (!badly && bundle_suits_badly(ba, line)) {
        is = PLACED_BADLY;
    } else {
        if (!own && memcmp(&before.pool, &ba->current_notes.pool, sizeof(before.pool)))
            is = PLACED_OTHERWISE;
        if (ba->tc->bits.stages < stage + 1)
            ba->tc->bits.stages = stage + 1;
        if (place_lines(ba, line + 1, stage * ba->c->units.len + unit + 1))
            return PLACED;
    }
    ba->tc->bits = bits;
    ba->current_notes = before;
    ba->want_count = wants;
    return is;
}

/* Whether the source names the line's unit, by its mark or its name. */
static bool says_unit(const struct bundle_asm *ba, unsigned line, const char *behind)
{
    return behind != ba->source->word[line].text;
}

/* Assembles the lines from `line` on, in places from `place` on. Without `badly`, a place is
 * rejected if the line would read a register too early or its unit lacks the operation. *more: some
 * place was rejected for that. */
static bool place_from(struct bundle_asm *ba, unsigned line, unsigned place, bool badly, bool *more)
{
    unsigned units = ba->c->units.len;

    for (; place < ba->c->max_stages * units; place++) {
        unsigned stage = place / units, unit = place % units;
        const char *text = bundle_line_of_unit(ba, ba->source->word[line].text, unit);
        enum placed is;

        if (!text || !(ba->allowed_units[stage] >> unit & 1))
            continue;
        ba->slot_stage[line] = stage;
        ba->slot_unit[line] = unit;
        is = place_line(ba, line, text, false, badly || says_unit(ba, line, text));
        if (is == PLACED_OTHERWISE)
            is = place_line(ba, line, text, true, true);
        if (is == PLACED)
            return true;
        *more |= is == PLACED_BADLY;
        if (ba->c->units.data[unit].mark[0] && (ba->word_failed || ba->err_line))
            return false; /* the mark names the unit: another stage makes no difference */
    }
    return false;
}

static bool place_lines(struct bundle_asm *ba, unsigned line, unsigned place)
{
    bool more = false;

    if (ba->deepest_line < line)
        ba->deepest_line = line;
    if (line == ba->words)
        return finish_bundle(ba);
    return place_from(ba, line, place, false, &more) ||
           (more && place_from(ba, line, place, true, &more));
}

/* Fills places that have no line but are stored: with the word that has no text. */
static void fill_silent(struct bundle_asm *ba)
{
    struct text_bundle *tc = ba->tc;

    for (tc->stage = 0; tc->stage < ba->c->max_stages; tc->stage++)
        for (tc->at_unit = 0; tc->at_unit < ba->c->units.len; tc->at_unit++) {
            struct text_word word;
            char err[64];

            if (ba->c->units.data[tc->at_unit].mark[0] ||
                !(ba->allowed_units[tc->stage] >> tc->at_unit & 1) ||
                (tc->bits.present[tc->stage] >> tc->at_unit & 1) ||
                !text_asm(bundle_unit_text(ba), &(struct text_line){"", 0, &ba->around}, &word, err,
                          sizeof(err)))
                continue;
            tc->bits.word[tc->stage][tc->at_unit] = word.bits;
            tc->bits.present[tc->stage] |= 1u << tc->at_unit;
            if (tc->bits.stages < tc->stage + 1)
                tc->bits.stages = tc->stage + 1;
        }
}

/* Assembles all words again, now that the blocks are known. */
static bool assemble_words(struct bundle_asm *ba)
{
    for (unsigned i = 0; i < ba->words; i++) {
        ba->tc->stage = ba->slot_stage[i];
        ba->tc->at_unit = ba->slot_unit[i];
        if (!bundle_assemble_word(
                ba, bundle_line_of_unit(ba, ba->source->word[i].text, ba->slot_unit[i]),
                ba->numbers_first[i])) {
            record_error(ba, &ba->source->word[i], ba->word_err);
            return false;
        }
    }
    return true;
}

static void take_constants(struct bundle_asm *ba)
{
    struct bundle_bits *b = &ba->tc->bits;

    b->constants = 0;
    for (unsigned i = 0; i < ba->c->max_constants; i++) {
        b->constant[i] = ba->current_notes.pool.value[i];
        b->modifier[i] = ba->current_notes.pool.modifier[i];
        if (ba->current_notes.pool.used_constants >> i & 1)
            b->constants = i + 1;
    }
}

/* Whether the bundle is printed as its source. */
static bool reads_back(struct bundle_asm *ba)
{
    char got[MAX_BUNDLE_TEXT], want[MAX_BUNDLE_TEXT];
    struct asm_out out = {.text = got, .size = sizeof(got)};
    const struct source_bundle *s = ba->source;
    struct asm_out source = {.text = want, .size = sizeof(want)};

    if (s->header.text)
        asm_put_text(&source, s->header.text);
    asm_put_text(&source, ba->c->open);
    for (unsigned i = 0; i < ba->words; i++) {
        asm_put_text(&source, ba->c->units.data[ba->slot_unit[i]].mark);
        asm_put_text(&source, bundle_line_of_unit(ba, s->word[i].text, ba->slot_unit[i]));
        asm_put_text(&source, "\n");
    }
    asm_put_text(&source, ba->c->close);
    bundle_write(ba->tc, false, &out);
    if (!out.cut && !source.cut && bundle_same_text(got, out.length, want, source.length))
        return true;
    snprintf(ba->err, ba->err_size, "what was found for this reads differently: %.200s", got);
    ba->err_line = &s->word[0];
    return false;
}

/* Called when blocks are settled: assembles the words with them and stores the bundle. The second
 * attempt also fills places without a line. */
static bool complete_bundle(struct bundle_asm *ba)
{
    struct bundle_bits placed = ba->tc->bits;
    struct notes before = ba->current_notes;
    bool ok = !ba->want_count || assemble_words(ba);

    for (unsigned silent = 0; ok && silent < 2; silent++) {
        if (silent)
            fill_silent(ba);
        take_constants(ba);
        ba->tc->bits.header = ba->current_notes.header;
        ba->packing = true;
        ba->bytes = bundle_pack_with_footer(ba);
        if (ba->bytes && reads_back(ba))
            return true;
    }
    if (ok && !ba->err_line) {
        record_error(ba, &ba->source->word[0], "no bundle holds these words together");
        ba->has_clash = true;
    }
    ba->tc->bits = placed;
    ba->current_notes = before;
    return false;
}

/* Called when all words are placed: settles blocks and stores the bundle. */
static bool finish_bundle(struct bundle_asm *ba)
{
    struct bundle_bits placed = ba->tc->bits;
    struct notes before = ba->current_notes;
    bool ok;

    if (!ba->want_count)
        return complete_bundle(ba);
    ba->probing = false;
    ok = bundle_settle_blocks(ba, complete_bundle);
    ba->probing = true;
    if (!ok) {
        ba->tc->bits = placed;
        ba->current_notes = before;
    }
    return ok;
}

/* ---- the bundle ------------------------------------------------------------------------------ */

static void allow_unit(struct bundle_asm *ba, const struct bundle_piece *p)
{
    if (p->what == BUNDLE_UNIT)
        ba->allowed_units[p->number] |= 1u << p->unit;
}

struct bundle_asm *bundle_asm_new(struct text *t)
{
    struct bundle_asm *ba = arena_new(t->arena, struct bundle_asm);

    ba->t = t;
    ba->c = t->isa->bundle;
    ba->tc = text_bundle_prepare(t);
    if (!ba->tc)
        return NULL;
    ba->tc->constants = constants_new(ba->tc);
    ba->tc->readings = readings_new(ba->tc);
    ba->refused_words = arena_alloc(t->arena, sizeof(*ba->refused_words) << REFUSED_BITS);
    ba->tc->opaque = ba;
    ba->around = bundle_around(ba);
    vec_for_each (&ba->c->grains, q)
        vec_for_each (&(*q)->pieces, p)
            allow_unit(ba, p);
    vec_for_each (&ba->c->strings, s)
        vec_for_each (&(*s)->takes, take)
            vec_for_each (&take->pieces, p)
                allow_unit(ba, p);
    return ba;
}

/* Resets the state: nothing is placed, and constants are as in `start`. */
static void begin_bundle(struct bundle_asm *ba, const struct notes *start)
{
    memset(&ba->tc->bits, 0, sizeof(ba->tc->bits));
    ba->current_notes = *start;
    ba->packing = false;
    ba->unsuited_constant = BUNDLE_MAX_CONSTANTS;
    ba->want_count = 0;
    ba->probing = true;
    ba->deepest_line = 0;
    ba->has_clash = ba->word_failed = false;
    ba->err_line = NULL;
}

/* Searches once from the start. Returns the bundle's bytes, or 0. */
static size_t attempt_once(struct bundle_asm *ba, const struct notes *start)
{
    begin_bundle(ba, start);
    ba->err[0] = '\0';
    return place_lines(ba, 0, 0) ? ba->bytes : 0;
}

/* Swaps the numbers of two constants of whose modifiers a grain has no encoding. False: that was
 * already tried. */
static bool swap_constants(struct bundle_pool *p, unsigned first)
{
    uint32_t bit = 1u << first / 2;

    if (first >= BUNDLE_MAX_CONSTANTS || (p->swapped_pairs && p->first_swapped != (first & 1)) ||
        (p->swapped_pairs & bit))
        return false;
    p->first_swapped = first & 1;
    p->swapped_pairs |= bit;
    return true;
}

/* Attempts without modifiers of constants, then with modifiers; each also with swapped numbers. */
static size_t attempt_with_modifiers(struct bundle_asm *ba, struct notes *start)
{
    size_t bytes;

    while (!(bytes = attempt_once(ba, start))) {
        if (ba->packing && swap_constants(&start->pool, ba->unsuited_constant))
            continue;
        if (start->pool.modifiers || !ba->c->max_constants)
            break;
        start->pool = ba->footer_constants;
        start->pool.modifiers = true;
    }
    return bytes;
}

/* ---- what is wrong --------------------------------------------------------------------------- */

/* Whether the present unit reads the line without other words. ba->err keeps the message of the
 * unit that reads the most characters. */
static bool unit_reads(struct bundle_asm *ba, const char *line, const char *text,
                       const struct notes *start, size_t *most)
{
    size_t reached;

    begin_bundle(ba, start);
    if (bundle_assemble_word(ba, text, false))
        return true;
    reached = 1 + text_asm_reached(bundle_unit_text(ba));
    if (reached > *most) {
        *most = reached;
        snprintf(ba->err, ba->err_size, "%s", ba->word_err);
        ba->err_at =
            (size_t)(text - line) + strspn(text, " \t") + text_asm_wrong(bundle_unit_text(ba));
    }
    return false;
}

/* Whether some unit reads the line without other words. If not, ba->err says why. */
static bool reads_alone(struct bundle_asm *ba, const char *line, const struct notes *start)
{
    size_t most = 0;

    snprintf(ba->err, ba->err_size, "no unit of a %s takes this line", ba->c->name);
    ba->err_at = 0;
    for (unsigned stage = 0; stage < ba->c->max_stages; stage++)
        for (unsigned unit = 0; unit < ba->c->units.len; unit++) {
            const char *text = bundle_line_of_unit(ba, line, unit);

            ba->tc->stage = stage;
            ba->tc->at_unit = unit;
            if (text && (ba->allowed_units[stage] >> unit & 1) &&
                unit_reads(ba, line, text, start, &most))
                return true;
        }
    return false;
}

static void refuse_line(struct bundle_asm *ba, unsigned line)
{
    snprintf(ba->err, ba->err_size, "no unit of a %s with the words above holds this", ba->c->name);
    ba->err_at = 0;
    ba->err_line = &ba->source->word[line];
}

/* Reports words that found no places: the first line that no unit reads, otherwise the first line
 * without a place. */
static void refuse_words(struct bundle_asm *ba, const struct notes *start)
{
    unsigned deepest = ba->deepest_line;

    for (unsigned i = deepest; i < ba->words; i++)
        if (!reads_alone(ba, ba->source->word[i].text, start)) {
            ba->err_line = &ba->source->word[i];
            return;
        }
    refuse_line(ba, deepest);
}

/* Length of the longest run of words, from the first, that fits in one bundle without the
 * footer. */
static unsigned held_together(struct bundle_asm *ba, const struct notes *start)
{
    const struct source_bundle *whole = ba->source;
    struct source_bundle part = *whole;
    unsigned words = ba->words, n = 0;

    ba->source = &part;
    while (++n < words) {
        struct notes begin = {.header = start->header, .header_mask = start->header_mask};

        ba->words = part.words = n;
        if (!attempt_with_modifiers(ba, &begin))
            break;
    }
    ba->source = whole;
    ba->words = words;
    return n - 1;
}

/* Reports words that have places but no bundle: the first word that no bundle holds with those
 * above it. */
static void refuse_clash(struct bundle_asm *ba, const struct notes *start)
{
    char said[WORD_ERROR];
    unsigned held;

    snprintf(said, sizeof(said), "%s", ba->err);
    held = held_together(ba, start);
    if (held)
        refuse_line(ba, held);
    else
        record_error(ba, &ba->source->word[0], said);
}

/* Reports the wrong line if the search itself did not find it. */
static void explain_failure(struct bundle_asm *ba, const struct notes *start)
{
    struct bundle_pool said = ba->footer_constants;

    if (!ba->err_line) {
        refuse_words(ba, start);
    } else if (ba->has_clash) {
        ba->footer_constants = (struct bundle_pool){0};
        refuse_clash(ba, start);
        ba->footer_constants = said;
    }
}

size_t bundle_wrong(const struct bundle_asm *ba)
{
    return ba->err_at;
}

bool bundle_reads_line(struct bundle_asm *ba, const char *line)
{
    char err[WORD_ERROR];

    ba->err = err;
    ba->err_size = sizeof(err);
    return reads_alone(ba, line, &(struct notes){0});
}

uint64_t bundle_said_of_header(const struct bundle_asm *ba)
{
    return ba->current_notes.header_mask;
}

uint64_t bundle_header_before(const struct bundle *c, const struct bundle_bits *b, uint64_t said,
                              const struct bundle_bits *behind)
{
    uint64_t header = b->header;

    vec_for_each (&c->follows, f) {
        uint64_t mask = (uint64_t)field_mask(f->field);
        uint64_t of = behind ? (uint64_t)field_extract(f->next_field, behind->header) : f->last;

        if (!(said & mask))
            header = (header & ~mask) | of << f->field->lsb;
    }
    return header;
}

size_t bundle_store(struct text *t, struct bundle_bits *b, uint8_t *out)
{
    static const uint64_t all[BUNDLE_MAX_CONSTANTS] = {[0 ... BUNDLE_MAX_CONSTANTS - 1] =
                                                           UINT64_MAX};
    unsigned unsuited;

    return bundle_pack(t, b, UINT64_MAX, all, out, &unsuited);
}

size_t bundle_assemble(struct bundle_asm *ba, const struct source_bundle *s, unsigned index,
                       uint8_t *out, struct bundle_bits *bits, struct bundle_refusal *why)
{
    struct notes start = {0};
    size_t bytes;

    ba->tc->index = index;
    ba->out = out;
    ba->err = why->text;
    ba->err_size = sizeof(why->text);
    ba->err_at = 0;
    if (!bundle_take_header(ba, s, &start)) {
        why->at = &s->header;
        snprintf(why->text, sizeof(why->text), "this is no header of a %s", ba->c->name);
        return 0;
    }
    ba->words = bundle_take_footer(ba, &start.pool);
    ba->footer_constants = start.pool;
    bytes = attempt_with_modifiers(ba, &start);
    if (!bytes)
        explain_failure(ba, &start);
    *bits = ba->tc->bits;
    why->at = ba->err_line;
    return bytes;
}
