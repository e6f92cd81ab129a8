/*
 * Parses format pictures: "%sf:1 0x11:5 rd:5 01xx". Pieces of the published form and of gencc's own
 * may be mixed.
 */
#include "gencc/front/parser.h"

#include <ctype.h>

enum { MAX_BITS = 128 };

struct picture {
    struct parser *p;
    const struct token *string;
    struct ast_format *format;
    const char *at;
};

/* The position of `length` bytes of the string from `text` on. */
static struct src_pos pos_of(const struct picture *s, const char *text, size_t length)
{
    struct src_pos pos = s->string->pos;

    pos.column += 1 + (uint32_t)(text - s->string->text);
    pos.length = length ? (uint32_t)length : 1;
    return pos;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Reads a decimal width after a colon; 0 after reporting a bad one. */
static unsigned read_width(struct picture *s)
{
    const char *start = s->at;
    unsigned width = 0;

    while (isdigit((unsigned char)*s->at) && width <= MAX_BITS)
        width = width * 10 + (unsigned)(*s->at++ - '0');
    if (!width || width > MAX_BITS) {
        diag_error(s->p->d, pos_of(s, start, (size_t)(s->at - start)),
                   "expected a width from 1 to %u after ':'", MAX_BITS);
        return 0;
    }
    return width;
}

static void add_bits(struct picture *s, const char *start, struct ast_bits bits)
{
    bits.pos = pos_of(s, start, (size_t)(s->at - start));
    if (bits.width)
        vec_push_in(s->p->a, &s->format->bits, bits);
}

/* Appends the pieces of a named picture; returns false if there is no such picture. */
static bool add_named(struct picture *s, const char *name)
{
    const struct ast_format *named = name_map_get(&s->p->build->pictures, name);

    if (named)
        vec_for_each (&named->bits, b)
            vec_push_in(s->p->a, &s->format->bits, *b);
    return named != NULL;
}

/* %name:width, name:width, %name!:width, or the name of a picture */
static void read_field(struct picture *s)
{
    struct ast_bits bits = {0};
    const char *start = s->at;
    const char *name;

    if (*s->at == '%')
        s->at++;
    name = s->at;
    while (is_name(*s->at))
        s->at++;
    if (s->at == name || isdigit((unsigned char)*name)) {
        diag_error(s->p->d, pos_of(s, start, (size_t)(s->at - start)),
                   "expected the name of a field");
        return;
    }
    bits.name = arena_strndup(s->p->a, name, (size_t)(s->at - name));
    if (*s->at != '!' && *s->at != ':' && add_named(s, bits.name))
        return;
    if (*s->at == '!') {
        bits.decode_only = true;
        s->at++;
    }
    if (*s->at != ':') {
        diag_error(s->p->d, pos_of(s, start, (size_t)(s->at - start)),
                   "expected ':' and the width of field \"%s\"", bits.name);
        return;
    }
    s->at++;
    bits.width = read_width(s);
    add_bits(s, start, bits);
}

/* 0x1f:5 */
static void read_literal(struct picture *s)
{
    struct ast_bits bits = {0};
    const char *start = s->at;

    for (s->at += 2; isxdigit((unsigned char)*s->at); s->at++) {
        int c = tolower((unsigned char)*s->at);

        bits.value = bits.value << 4 | (unsigned)(isdigit(c) ? c - '0' : c - 'a' + 10);
    }
    s->at++;
    bits.width = read_width(s);
    if (bits.width && bits.width < MAX_BITS && bits.value >> bits.width)
        diag_error(s->p->d, pos_of(s, start, (size_t)(s->at - start)),
                   "this constant does not fit into %u bits", bits.width);
    add_bits(s, start, bits);
}

/* A run of 0 and 1, or a run of x. */
static void read_run(struct picture *s)
{
    struct ast_bits bits = {.dont_care = *s->at == 'x'};
    const char *start = s->at;

    while (bits.dont_care ? *s->at == 'x' : *s->at == '0' || *s->at == '1') {
        bits.value = bits.value << 1 | (*s->at == '1');
        bits.width++;
        s->at++;
    }
    add_bits(s, start, bits);
}

/* Whether a published literal "0x…:" begins here; "0x1" without a colon is the bits 0, any, 1. */
static bool is_literal(const char *at)
{
    if (at[0] != '0' || at[1] != 'x' || !isxdigit((unsigned char)at[2]))
        return false;
    for (at += 2; isxdigit((unsigned char)*at); at++)
        ;
    return *at == ':';
}

/* Whether the word consists of 0, 1 and x only. */
static bool is_run(const char *at)
{
    while (*at == '0' || *at == '1' || *at == 'x')
        at++;
    return !is_name(*at) && *at != ':' && *at != '!';
}

static void read_word(struct picture *s)
{
    const char *start = s->at;

    if (is_literal(s->at))
        read_literal(s);
    else if (is_run(s->at))
        while (*s->at == '0' || *s->at == '1' || *s->at == 'x')
            read_run(s);
    else
        read_field(s);
    if (s->at == start) /* nothing matched, which was reported: skip a character */
        s->at++;
}

void picture_define(struct parser *p, const struct token *name, const struct token *string)
{
    struct ast_format *f = arena_new(p->a, struct ast_format);
    const struct ast_format *old;

    f->pos = name->pos;
    f->name = name->text;
    picture_parse(p, string, f);
    p->build->isa->extended = true;
    old = name_map_put(p->a, &p->build->pictures, name->text, f);
    if (old) {
        diag_error(p->d, name->pos, "picture \"%s\" is declared twice", name->text);
        diag_note(p->d, old->pos, "the first declaration is here");
    }
}

void picture_parse(struct parser *p, const struct token *string, struct ast_format *f)
{
    struct picture s = {p, string, f, string->text};

    while (*s.at) {
        if (isspace((unsigned char)*s.at)) {
            s.at++;
            continue;
        }
        if (!is_name(*s.at) && *s.at != '%') {
            diag_error(p->d, pos_of(&s, s.at, 1),
                       "expected a field (name:width) or bits (0, 1, x)");
            return;
        }
        read_word(&s);
        /* Published models contain a stray comma or colon behind some pieces. */
        if (*s.at == ',' || *s.at == ':')
            s.at++;
    }
    if (!f->bits.len)
        diag_error(p->d, string->pos, "this picture holds no bits");
}
