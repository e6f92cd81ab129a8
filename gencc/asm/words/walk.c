/*
 * Reading of a word's line within a bundle: a backtracking search over pieces. Each piece settles
 * bits of the word.
 */
#include "gencc/asm/words/walk.h"
#include "gencc/disasm/text.h"
#include "gencc/asm/solve/reason.h"

#include <string.h>

enum {
    MAX_KEYS = 32,
    OPEN_BITS = 24,     /* open bits that are enumerated per piece … */
    NUMBER_BITS = 12,   /* … or per number: each value needs a word of its own */
    STEPS = 20000,      /* values visited while reasoning about one piece */
    MAX_TRIED = 100000, /* values of open bits per line and form */
    MAX_READINGS = 64,  /* readings of a line by one asm line */
};

static bool step_over_piece(struct walk *w, unsigned piece, unsigned value, const char *p,
                            struct bits known);

/* Continues behind a piece. */
static bool go_on(struct walk *w, unsigned piece, unsigned value, const char *p, struct bits known)
{
    size_t n = (size_t)(p - w->m->line);

    if (n > w->m->furthest)
        w->m->furthest = n;
    return step_over_piece(w, piece + 1, value + w->line->syntax->pieces.data[piece].values.len, p,
                           known);
}

/* Adds the bits of the word to `known` that follow from the value of an expression. */
static enum bits_outcome learn_bits(struct walk *w, const struct word_expr *e, int64_t value,
                                    struct bits *known)
{
    struct knowledge k = {.word = *known, .decode = lower_decode(w->form), .steps = STEPS};
    enum bits_outcome o;
    int64_t now;

    if (!(e->depends & ~known->mask) && !e->uses_decode)
        return word_expr_value(w->text, w->form, e, known->value, &now) && now == value
                   ? BITS_DONE
                   : BITS_IMPOSSIBLE;
    if (!e->ret)
        return BITS_STUCK;
    o = bits_want(&k, e->ret, (struct bits){UINT64_MAX, (uint64_t)value});
    *known = k.word;
    return e->uses_decode && o == BITS_DONE ? BITS_STUCK : o;
}

/* ---- what a piece reads as ------------------------------------------------------------------- */

/* A piece with a value. */
struct open_piece {
    unsigned piece, value;
    const char *p;        /* start in the line */
    const char *text_end; /* end of the number, or of the map entry's text */
    int64_t number;
    const struct map_entry *entry;
    struct word_expr *e;
    struct bits known;
    u128 known_from;              /* bits from which its present value follows */
    const struct asm_map *around; /* map that the bundle decides; else NULL */
    const char *ends[MATCH_MAX_ENDS];
    unsigned end_count; /* possible ends of its text */
};

/* Continues behind a piece that has its value whatever the open bits of the word are. */
static bool go_on_proved(struct walk *w, const struct open_piece *o, const char *p,
                         struct bits known)
{
    bool ok;

    w->proved[o->piece] = true;
    ok = go_on(w, o->piece, o->value, p, known);
    w->proved[o->piece] = false;
    return ok;
}

/* A piece that the bundle reads, with the bundle's notes for it. */
struct noted {
    struct walk *w;
    struct open_piece *o;
    const char *end;
    struct bits known;
};

static bool go_on_noted(void *opaque)
{
    struct noted *n = opaque;
    u128 before = n->w->noted_bits;
    bool ok;

    n->w->noted_bits |= n->o->known_from;
    ok = go_on_proved(n->w, n->o, n->end, n->known);
    n->w->noted_bits = before;
    return ok;
}

static bool fits_around(struct walk *w, struct open_piece *o, int64_t value, struct bits known)
{
    const struct text_around *a = w->m->around;
    struct operand *operand = &w->m->operands[o->piece];
    u128 blame = w->noted_bits;

    *operand = (struct operand){.text = o->p};
    if (a->silent(a->opaque, o->around, value))
        return go_on_proved(w, o, o->p, known);
    for (unsigned i = 0; i < o->end_count; i++) {
        struct noted n = {w, o, o->ends[i], known};
        struct text_key k = {o->around, value, o->p, (size_t)(o->ends[i] - o->p), w->m->as_written};

        operand->length = k.length;
        w->blame = 0;
        if (a->with_key(a->opaque, &k, &w->m->notation_differs, go_on_noted, &n))
            return true;
        blame |= w->blame;
    }
    w->blame = blame;
    return false;
}

/* Continues if the value agrees with the line. */
static bool value_fits(struct walk *w, struct open_piece *o, int64_t value, struct bits known)
{
    w->blame = 0;
    if (o->around)
        return fits_around(w, o, value, known);
    if (o->entry)
        w->m->operands[o->piece].entry = o->entry;
    return value == (o->entry ? o->entry->keys.data[0] : o->number) &&
           go_on_proved(w, o, o->text_end, known);
}

/* Cache entry: a value of a piece, its bits, and the bits that made the rest of the line fail. */
struct failed {
    int64_t value;
    u128 bits, blame;
};
enum { MAX_FAILED = 16 };

struct failures {
    struct failed at[MAX_FAILED];
    unsigned count;
    u128 blame; /* union of all, and of the bits from which values follow */
};

/* Whether the value is known to fail: it differs from a failure in no bit that mattered. */
static bool fails_again(const struct failures *f, int64_t value, u128 bits)
{
    for (unsigned i = 0; i < f->count && i < MAX_FAILED; i++)
        if (f->at[i].value == value && !((f->at[i].bits ^ bits) & f->at[i].blame))
            return true;
    return false;
}

/* Tries the value with `known` bits and 0 in all others. Only bits from which the value follows
 * become known; the new ones are *settled. */
static bool fits_with(struct walk *w, struct open_piece *o, struct bits known, struct failures *f,
                      u128 *settled)
{
    int64_t value;
    u128 why;
    bool there;

    *settled = 0;
    if (!w->values_left)
        return false;
    w->values_left--;
    there = word_expr_why(w->text, w->form, o->e, known.value, &value, &why);
    *settled = why & ~known.mask;
    known.mask |= why;
    o->known_from = why;
    f->blame |= why;
    if (!there || fails_again(f, value, known.value))
        return false;
    if (value_fits(w, o, value, known))
        return true;
    f->at[f->count++ % MAX_FAILED] = (struct failed){value, known.value, w->blame};
    f->blame |= w->blame;
    return false;
}

/* Tries all values of the piece that agree with the known bits: first with 0 in all open bits, then
 * with each bit inverted from which the value follows. */
static bool try_open(struct walk *w, struct open_piece *o, struct bits known, struct failures *f)
{
    u128 settled;

    if (fits_with(w, o, known, f, &settled))
        return true;
    for (u128 left = settled; left && w->values_left; left &= left - 1) {
        u128 bit = left & -left;
        struct bits next = {known.mask | left, known.value | bit};

        if (try_open(w, o, next, f))
            return true;
    }
    return false;
}

/* Tries all texts of the map, or the number, without enumerating values of the piece. */
static bool try_texts(struct walk *w, const struct open_piece *o)
{
    const struct asm_piece *s = &w->line->syntax->pieces.data[o->piece];
    const struct match_table *table = s->map ? &w->m->tables[s->map->index] : NULL;
    u128 blame = o->e ? o->e->depends : 0;

    for (unsigned i = 0; i < (table ? table->count : 1); i++) {
        const char *after = table ? match_text(w->m, o->p, table->at[i].text) : o->text_end;
        int64_t key = table ? table->at[i].entry->keys.data[0] : o->number;
        struct bits known = o->known;
        enum bits_outcome is = BITS_STUCK;

        if (table)
            w->m->operands[o->piece].entry = table->at[i].entry;
        if (after && o->e)
            is = learn_bits(w, o->e, key, &known);
        if (!after || is == BITS_IMPOSSIBLE)
            continue;
        if (is == BITS_DONE ? go_on_proved(w, o, after, known)
                            : go_on(w, o->piece, o->value, after, known))
            return true;
        blame |= w->blame;
    }
    w->blame = blame;
    return false;
}

/* Tries the map's entries whose texts stand there. Of entries with equal texts the first is tried
 * first. */
static bool try_entries(struct walk *w, struct open_piece *o, struct failures *f)
{
    const struct match_table *table =
        &w->m->tables[w->line->syntax->pieces.data[o->piece].map->index];

    for (unsigned i = 0; i < table->count; i++) {
        o->text_end = match_text(w->m, o->p, table->at[i].text);
        o->entry = table->at[i].entry;
        f->count = 0;
        if (o->text_end && try_open(w, o, o->known, f))
            return true;
    }
    return false;
}

static bool try_values(struct walk *w, struct open_piece *o)
{
    struct failures f = {.blame = o->e->depends & o->known.mask};
    bool map = w->line->syntax->pieces.data[o->piece].map && !o->around;

    if (map ? try_entries(w, o, &f) : try_open(w, o, o->known, &f))
        return true;
    w->blame = f.blame & o->known.mask;
    return false;
}

/* Reads a map, or a number. */
static bool step_value(struct walk *w, struct open_piece *o)
{
    bool number = !w->line->syntax->pieces.data[o->piece].map;
    struct bits known = o->known;

    if (!o->e || o->e->uses_decode ||
        count_bits(o->e->depends & ~o->known.mask) > (number ? NUMBER_BITS : OPEN_BITS))
        return try_texts(w, o);
    if (number && learn_bits(w, o->e, o->number, &known) != BITS_STUCK)
        return try_texts(w, o);
    return try_values(w, o);
}

/* ---- what the bundle decides ----------------------------------------------------------------- */

static bool try_keys(struct walk *w, const struct open_piece *o, const struct asm_map *map,
                     const char *end)
{
    const struct text_around *a = w->m->around;
    int64_t keys[MAX_KEYS];
    unsigned n = a->keys(a->opaque, map, o->p, (size_t)(end - o->p), keys, MAX_KEYS);
    u128 blame = 0;

    if (n > MAX_KEYS)
        return go_on(w, o->piece, o->value, end, o->known);
    for (unsigned i = 0; i < n; i++) {
        struct bits known = o->known;

        w->blame = 0;
        if (learn_bits(w, o->e, keys[i], &known) != BITS_IMPOSSIBLE &&
            go_on(w, o->piece, o->value, end, known))
            return true;
        blame |= w->blame;
    }
    w->blame = blame;
    return false;
}

static bool step_around(struct walk *w, struct open_piece *o, const struct asm_map *map)
{
    const struct text_around *a = w->m->around;
    u128 blame = o->e->depends;

    o->end_count = a->ends(a->opaque, map, &w->m->tables[map->index], w->m->line, o->p, o->ends);
    if (!o->e->uses_decode && a->can_note(a->opaque, map)) {
        o->around = map;
        return try_values(w, o);
    }
    for (unsigned i = 0; i < o->end_count; i++) {
        struct operand *operand = &w->m->operands[o->piece];

        *operand = (struct operand){.text = o->p, .length = (size_t)(o->ends[i] - o->p)};
        if (try_keys(w, o, map, o->ends[i]))
            return true;
        blame |= w->blame;
    }
    w->blame = blame;
    return false;
}

/* ---- the line -------------------------------------------------------------------------------- */

static bool step_end(struct walk *w, const char *p, struct bits known)
{
    w->blame = 0;
    if (p[strspn(p, " \t")])
        return false;
    if (w->found(w->opaque, w->m, known, w->proved))
        return true;
    w->blame = ~(u128)0;
    if (!--w->readings)
        w->values_left = 0;
    return false;
}

static bool step_over_piece(struct walk *w, unsigned piece, unsigned value, const char *p,
                            struct bits known)
{
    struct open_piece o = {.piece = piece, .value = value, .p = p, .known = known};
    const struct asm_piece *s;
    const struct text_around *a = w->m->around;

    if (piece == w->line->syntax->pieces.len)
        return step_end(w, p, known);
    w->blame = 0;
    s = &w->line->syntax->pieces.data[piece];
    if (s->text) {
        p = match_text(w->m, p, s->text);
        return p && go_on(w, piece, value, p, known);
    }
    o.e = s->values.len == 1 ? line_value(w->text, w->line, piece, value) : NULL;
    if (w->line->broken)
        return false;
    if (s->map && o.e && a->decides(a->opaque, s->map))
        return step_around(w, &o, s->map);
    if (s->map)
        return step_value(w, &o);
    o.text_end = match_number(w->m, p, s, &o.number);
    w->m->operands[piece].number = o.number;
    if (o.text_end && w->m->as_written && !match_number_as_printed(p, s->number)) {
        w->m->notation_differs = true;
        return false;
    }
    return o.text_end && step_value(w, &o);
}

bool walk_may_read(struct matcher *m, const struct asm_syntax *syntax)
{
    size_t furthest = m->furthest;
    const char *p = m->line;
    bool all = true;

    vec_for_each (&syntax->pieces, s) {
        const char *after = NULL;

        for (const char *from = p; s->text && !after && *from; from++)
            after = match_text(m, from, s->text + strspn(s->text, " \t"));
        all &= !s->text || after || !s->text[strspn(s->text, " \t")];
        p = after ? after : p;
    }
    m->furthest = furthest;
    return all;
}

bool walk_line(struct walk *w)
{
    w->values_left = MAX_TRIED;
    w->readings = MAX_READINGS;
    vec_for_each (&w->form->patterns, p)
        if (step_over_piece(w, 0, 0, w->m->line + strspn(w->m->line, " \t"),
                            (struct bits){p->mask, p->value}))
            return true;
    return false;
}
