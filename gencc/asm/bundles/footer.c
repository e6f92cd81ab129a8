/*
 * The footer of a bundle: the lines that follow its words. Constants are computed from the numbers
 * in these lines. Open fields of the header are tried until the lines are printed.
 */
#include "gencc/asm/bundles/internal.h"
#include "gencc/asm/solve/solve.h"

#include <string.h>

enum { MAX_NUMBERS = 32, MAX_FIELD_BITS = 8 };

static const struct bundle_text *footer_of(const struct bundle_asm *ba)
{
    vec_for_each (&ba->c->texts, t)
        if (!t->key && t->context == BUNDLE_OF_FOOTER)
            return t;
    return NULL;
}

/* ---- a line ---------------------------------------------------------------------------------- */

struct footer_line {
    const struct instr *in;
    int64_t number[MAX_NUMBERS]; /* per piece; for a map, the key */
};

static bool read_pieces(struct matcher *m, struct footer_line *l, unsigned piece, const char *p)
{
    const struct asm_syntax *s = &l->in->syntax.data[0];
    const struct asm_piece *at;

    if (piece == s->pieces.len)
        return !p[strspn(p, " \t")];
    at = &s->pieces.data[piece];
    if (piece == MAX_NUMBERS)
        return false;
    if (at->map) {
        vec_for_each (&at->map->entries, e)
            vec_for_each (&e->texts, text) {
                const char *after = match_text(m, p, *text);

                l->number[piece] = e->keys.data[0];
                if (after && read_pieces(m, l, piece + 1, after))
                    return true;
            }
        return false;
    }
    p = at->text ? match_text(m, p, at->text) : match_number(m, p, at, &l->number[piece]);
    return p && read_pieces(m, l, piece + 1, p);
}

static bool read_line(const struct bundle_text *t, const char *line, struct footer_line *out)
{
    struct matcher m = {.line = line};

    vec_for_each (&t->lines, in) {
        out->in = *in;
        if (read_pieces(&m, out, 0, line + strspn(line, " \t")))
            return true;
    }
    return false;
}

/* ---- constants ------------------------------------------------------------------------------- */

/* Value of an expression of a footer's line with the given constants, all else 0. */
static bool value_with(struct bundle_asm *ba, const struct bundle_text *t,
                       const struct word_expr *e, const uint64_t *constant, int64_t *value)
{
    u128 fields[BUNDLE_MAX_FIELDS] = {0}, *before = ba->t->machine.fields;
    bool ok;

    vec_for_each (&t->values, v)
        if (v->is == BUNDLE_V_CONSTANT)
            fields[format_field(e->instr->format, v->name)->index] = constant[v->number];
    ba->t->machine.fields = fields;
    ok = text_run_value(ba->t, e->func, 0, value);
    ba->t->machine.fields = before;
    return ok;
}

/* Computes constants from a number in which each of their bits is one bit. */
static bool take_number(struct bundle_asm *ba, const struct bundle_text *t,
                        const struct word_expr *e, int64_t number, struct bundle_pool *pool)
{
    uint64_t constant[BUNDLE_MAX_CONSTANTS] = {0};
    int64_t base, now;

    if (!value_with(ba, t, e, constant, &base))
        return false;
    for (unsigned i = 0; i < ba->c->max_constants; i++)
        for (unsigned bit = 0; bit < 64; bit++) {
            uint64_t differs;

            constant[i] = (uint64_t)1 << bit;
            if (!value_with(ba, t, e, constant, &now))
                return false;
            constant[i] = 0;
            differs = (uint64_t)now ^ (uint64_t)base;
            if (!differs)
                continue;
            pool->used_constants |= 1u << i;
            pool->mask[i] |= (uint64_t)1 << bit;
            if (((uint64_t)number ^ (uint64_t)base) & differs)
                pool->value[i] |= (uint64_t)1 << bit;
        }
    return value_with(ba, t, e, pool->value, &now) && now == number;
}

static bool take_line(struct bundle_asm *ba, const struct bundle_text *t,
                      const struct footer_line *l, struct bundle_pool *pool)
{
    const struct asm_syntax *s = &l->in->syntax.data[0];

    for (unsigned i = 0; i < s->pieces.len; i++) {
        const struct asm_piece *p = &s->pieces.data[i];
        struct word_expr *e;

        if (p->text)
            continue;
        e = word_expr_new(ba->t, (struct instr *)l->in, p->values.data[0]);
        if (!e || !take_number(ba, t, e, l->number[i], pool))
            return false;
    }
    return true;
}

unsigned bundle_take_footer(struct bundle_asm *ba, struct bundle_pool *pool)
{
    const struct source_bundle *s = ba->source;
    const struct bundle_text *t = footer_of(ba);
    unsigned words = s->words;
    struct footer_line l;

    while (t && words > 1 && read_line(t, s->word[words - 1].text, &l) &&
           take_line(ba, t, &l, pool))
        words--;
    return words;
}

/* ---- the header ------------------------------------------------------------------------------ */

/* Number of lines that are in the printed footer or in the source, but not in both. */
static unsigned wrong_lines(struct bundle_asm *ba)
{
    const struct source_bundle *s = ba->source;
    char text[MAX_BUNDLE_TEXT];
    struct asm_out out = {.text = text, .size = sizeof(text)};
    unsigned printed = 0, found = 0;
    const char *p = text;

    text[0] = '\0';
    bundle_write_footer(ba->tc, &out);
    for (size_t n; *p; p += n + (p[n] != '\0')) {
        n = strcspn(p, "\n");
        printed++;
        for (unsigned i = ba->words; i < s->words; i++)
            if (bundle_same_text(p, n, s->word[i].text, strlen(s->word[i].text))) {
                found++;
                break;
            }
    }
    return printed + (s->words - ba->words) - 2 * found;
}

static size_t pack_with_header(struct bundle_asm *ba, const struct bundle_bits *placed,
                               uint64_t header, uint64_t mask)
{
    struct bundle_bits *b = &ba->tc->bits;
    size_t bytes;

    *b = *placed;
    b->header = header;
    bytes =
        bundle_pack(ba->t, b, mask, ba->current_notes.pool.mask, ba->out, &ba->unsuited_constant);
    ba->tc->stage = ba->tc->at_unit = 0;
    return bytes;
}

/* Settles a field of the header such that fewer lines of the footer are wrong. */
static bool settle_field(struct bundle_asm *ba, const struct bundle_bits *placed, unsigned wrong)
{
    struct notes *now = &ba->current_notes;

    vec_for_each (&ba->c->header->fields, f) {
        uint64_t mask = (((uint64_t)1 << (*f)->width) - 1) << (*f)->lsb;

        if ((*f)->computed || (*f)->width > MAX_FIELD_BITS || (now->header_mask & mask))
            continue;
        for (uint64_t v = 0; v < (uint64_t)1 << (*f)->width; v++) {
            uint64_t header = (now->header & ~mask) | v << (*f)->lsb;

            if (!pack_with_header(ba, placed, header, now->header_mask | mask) ||
                wrong_lines(ba) >= wrong)
                continue;
            now->header = header;
            now->header_mask |= mask;
            return true;
        }
    }
    return false;
}

size_t bundle_pack_with_footer(struct bundle_asm *ba)
{
    struct bundle_bits placed = ba->tc->bits;
    size_t bytes =
        pack_with_header(ba, &placed, ba->current_notes.header, ba->current_notes.header_mask);
    unsigned wrong;

    while (bytes && ba->words < ba->source->words && (wrong = wrong_lines(ba)) &&
           settle_field(ba, &placed, wrong))
        bytes =
            pack_with_header(ba, &placed, ba->current_notes.header, ba->current_notes.header_mask);
    return bytes;
}
