/*
 * Values of a bundle's constants that read as a given text. Candidates are made from the numbers in
 * the text; those are accepted that the disassembler prints as the text. Results are cached, since
 * many constants and bundles have the same texts.
 */
#include "gencc/asm/bundles/constant.h"
#include "gencc/asm/solve/solve.h"
#include "gencc/disasm/syntax.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 512, MAX_CANDIDATES = 32, MAX_LINES = 32, WAYS_BITS = 13 };

struct candidate {
    uint64_t value;
    unsigned bits; /* width of a floating-point value, of which all bits are settled; else 0 */
};

/* A line of a text of constants. */
struct line {
    VEC(const struct ir_func *) conditions;
    bool decided_by_key; /* by key and modifier alone */
    bool uses_index;     /* depends on the bundle's index */
};

struct lines {
    const struct bundle_text *text;
    struct line at[MAX_LINES];
    unsigned count;
    struct lines *next;
};

struct ways_memo {
    const struct bundle_text *text;
    const char *wanted_text;
    uint64_t place; /* the key without the constant's number */
    uint8_t modifier;
    unsigned index; /* the bundle's index; 0 if the text does not depend on it */
    struct constant_ways ways;
};

struct constants {
    struct text_bundle *tc;
    struct lines *lines;
    struct ways_memo *memo;
};

/* The request for which values are searched. */
struct asking {
    struct constants *c;
    const struct bundle_text *text;
    int64_t key;
    uint8_t modifier;
    const char *wanted_text;
    uint64_t storable_bits; /* bits of a constant that an encoding can hold */
};

static uint64_t low_ones(unsigned n)
{
    return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
}

/* ---- which line it would be ------------------------------------------------------------------ */

/* Whether the function reads a value of kind `is`. */
static bool reads_value(const struct ir_func *f, const struct bundle_text *text,
                        enum bundle_value_is is)
{
    const struct format *format = text->lines.data[0]->format;

    vec_for_each (&text->values, v)
        if (v->is == is)
            vec_for_each (&f->blocks, b)
                for (const struct ir_value *x = (*b)->first; x; x = x->next)
                    if (x->op == IR_FIELD && x->field == format_field(format, v->name))
                        return true;
    return false;
}

static const struct ir_func *function_of(struct constants *c, const struct bundle_text *text,
                                         const struct ast_expr *e)
{
    struct word_expr *w = word_expr_new(c->tc->text, text->lines.data[0], e);

    return w ? w->func : NULL;
}

static void look_at_line(struct constants *c, const struct bundle_text *text,
                         const struct asm_syntax *s, struct line *line)
{
    struct expr_list conditions = {0};

    line->decided_by_key = true;
    syntax_conditions(c->tc->text->arena, s, &conditions);
    vec_for_each (&conditions.list, e) {
        const struct ir_func *f = function_of(c, text, *e);

        line->decided_by_key &=
            f && !reads_value(f, text, BUNDLE_V_RAW) && !reads_value(f, text, BUNDLE_V_INDEX);
        line->uses_index |= !f || reads_value(f, text, BUNDLE_V_INDEX);
        vec_push_in(c->tc->text->arena, &line->conditions, f);
    }
    vec_for_each (&s->pieces, p)
        vec_for_each (&p->values, v) {
            const struct ir_func *f = function_of(c, text, *v);

            line->uses_index |= !f || reads_value(f, text, BUNDLE_V_INDEX);
        }
}

static const struct lines *lines_of(struct constants *c, const struct bundle_text *text)
{
    const struct instr *in = text->lines.data[0];
    struct lines *l;

    for (l = c->lines; l; l = l->next)
        if (l->text == text)
            return l;
    l = arena_new(c->tc->text->arena, struct lines);
    l->text = text;
    l->next = c->lines;
    c->lines = l;
    l->count = in->syntax.len < MAX_LINES ? in->syntax.len : MAX_LINES;
    for (unsigned i = 0; i < l->count; i++)
        look_at_line(c, text, &in->syntax.data[i], &l->at[i]);
    return l;
}

/* Whether the conditions of a line hold. They depend on key and modifier alone. */
static bool line_holds(const struct asking *a, const struct line *line)
{
    struct text *t = a->c->tc->text;
    const struct format *format = a->text->lines.data[0]->format;
    u128 fields[BUNDLE_MAX_FIELDS] = {0}, *before = t->machine.fields;
    bool ok = true;

    fields[format_field(format, a->text->key)->index] = (uint64_t)a->key;
    vec_for_each (&a->text->values, v)
        if (v->is == BUNDLE_V_MODIFIER)
            fields[format_field(format, v->name)->index] = a->modifier;
    t->machine.fields = fields;
    vec_for_each (&line->conditions, f) {
        int64_t value;

        ok = ok && text_run_value(t, *f, 0, &value) && value;
    }
    t->machine.fields = before;
    return ok;
}

/* Whether some line may read as the text. *index: the text depends on the bundle's index. */
static bool may_read(const struct asking *a, bool *index)
{
    const struct lines *l = lines_of(a->c, a->text);
    bool may = false;

    *index = false;
    for (unsigned i = 0; i < l->count; i++) {
        const struct line *line = &l->at[i];

        if (line->decided_by_key && !line_holds(a, line))
            continue;
        may |= bundle_line_may_read(a->c->tc, a->text, i, a->wanted_text, strlen(a->wanted_text));
        *index |= line->uses_index;
        if (line->decided_by_key)
            break;
    }
    return may;
}

/* ---- candidates ------------------------------------------------------------------------------ */

static uint64_t half_of_float(float f)
{
    uint32_t b, sign, fraction;
    int exponent;

    memcpy(&b, &f, sizeof(b));
    sign = b >> 16 & 0x8000;
    exponent = (int)(b >> 23 & 255) - 112;
    fraction = b & 0x7fffff;
    if (exponent >= 31)
        return sign | 0x7c00 | ((b >> 23 & 255) == 255 && fraction ? 0x200 : 0);
    if (exponent > 0)
        return (sign | (uint32_t)exponent << 10 | fraction >> 13) + (fraction >> 12 & 1);
    if (exponent < -10)
        return sign;
    fraction |= 0x800000;
    return (sign | fraction >> (14 - exponent)) + (fraction >> (13 - exponent) & 1);
}

static unsigned float_candidates(double d, struct candidate *c)
{
    unsigned n = 0;

    for (unsigned sign = 0; sign < 2; sign++, d = -d) {
        float f = (float)d;
        uint32_t single;

        c[n++] = (struct candidate){half_of_float(f), 16};
        memcpy(&single, &f, sizeof(single));
        c[n++] = (struct candidate){single, 32};
        memcpy(&c[n].value, &d, sizeof(d));
        c[n++].bits = 64;
    }
    return n;
}

/* Makes candidates from the numbers in the text: integers, distances in bytes, floating point of
 * all widths. */
static unsigned list_candidates(const struct asking *a, struct candidate *c)
{
    const struct text_bundle *tc = a->c->tc;
    unsigned grain = tc->text->isa->bundle->grain_bits / 8;
    const char *start = a->wanted_text + strspn(a->wanted_text, " ,<#");
    int64_t numbers[2];
    unsigned n = 0, count = bundle_numbers(a->wanted_text, strlen(a->wanted_text), numbers, 2);
    char *end;
    double d;

    for (unsigned i = 0; i < count; i++) {
        c[n++] = (struct candidate){(uint64_t)numbers[i], 0};
        if (a->modifier)
            c[n++] = (struct candidate){((uint64_t)numbers[i] - tc->index) * grain, 0};
    }
    d = strtod(start, &end);
    if (end != start && strncmp(start, "0x", 2) && strncmp(start, "0X", 2))
        n += float_candidates(d, c + n);
    return n;
}

/* Prints the key with the constant's value into `out`. Returns the length. A text that is cut off
 * is not that of a source, since it ends otherwise. */
static size_t print_candidate(const struct asking *a, uint64_t value, char *out)
{
    struct text_bundle *tc = a->c->tc;
    struct asm_out o = {.text = out, .size = MAX_TEXT};

    tc->bits.constant[a->key & 0xff] = value;
    tc->bits.modifier[a->key & 0xff] = a->modifier;
    out[0] = '\0';
    bundle_write_text(tc, a->text, a->key, &o);
    return o.length;
}

static bool reads_as_wanted(const struct asking *a, uint64_t value)
{
    char text[MAX_TEXT];
    size_t n = print_candidate(a, value, text);

    return bundle_same_text(text, n, a->wanted_text, strlen(a->wanted_text));
}

/* `mask` and all bits on which the text depends. */
static uint64_t bits_needed(const struct asking *a, uint64_t value, uint64_t mask)
{
    char text[MAX_TEXT], other[MAX_TEXT];
    size_t n = print_candidate(a, value, text);

    for (uint64_t open = a->storable_bits & ~mask; open; open &= open - 1) {
        uint64_t bit = open & -open;

        if (print_candidate(a, value ^ bit, other) != n || memcmp(text, other, n))
            mask |= bit;
    }
    return mask & a->storable_bits;
}

static void add_way(const struct asking *a, struct constant_ways *w, uint64_t value, uint64_t mask)
{
    mask = bits_needed(a, value, mask);
    value &= mask;
    for (unsigned i = 0; i < w->count; i++)
        if (w->at[i].value == value && w->at[i].mask == mask)
            return;
    w->at[w->count++] = (struct constant_way){value, mask};
}

static void find_ways(const struct asking *a, struct constant_ways *w)
{
    struct candidate c[MAX_CANDIDATES];
    unsigned n = list_candidates(a, c);

    w->count = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned at = 0; at < 64 && w->count < CONSTANT_WAYS; at += 8) {
            uint64_t value = c[i].value << at & a->storable_bits;

            if (c[i].bits + at <= 64 && reads_as_wanted(a, value))
                add_way(a, w, value, c[i].bits ? low_ones(c[i].bits) << at : 0);
        }
}

const struct constant_ways *constant_ways(struct constants *c, const struct bundle_text *text,
                                          int64_t key, uint8_t modifier, const char *want)
{
    static const struct constant_ways none;
    const struct bundle *b = c->tc->text->isa->bundle;
    struct asking a = {c, text, key, modifier, want, low_ones(b->constant_high + 1)};
    uint64_t place = (uint64_t)key >> 8, tag;
    struct ways_memo *m;
    unsigned index;
    bool by_index;

    if (!may_read(&a, &by_index))
        return &none;
    a.storable_bits &= ~low_ones(b->constant_low);
    index = by_index ? c->tc->index : 0;
    tag = bundle_mix(
        bundle_mix(bundle_mix(bundle_mix((uintptr_t)text, (uintptr_t)want), place), modifier),
        index);
    m = &c->memo[tag >> (64 - WAYS_BITS)];
    if (m->text != text || m->wanted_text != want || m->place != place || m->modifier != modifier ||
        m->index != index) {
        *m = (struct ways_memo){text, want, place, modifier, index, {0}};
        find_ways(&a, &m->ways);
    }
    return &m->ways;
}

struct constants *constants_new(struct text_bundle *tc)
{
    struct constants *c = arena_new(tc->text->arena, struct constants);

    c->tc = tc;
    c->memo = arena_alloc(tc->text->arena, sizeof(*c->memo) << WAYS_BITS);
    return c;
}
