/*
 * Reading pieces of a bundle's lines that depend on the bundle, not only on the word.
 */
#include "gencc/asm/bundles/parts.h"
#include "gencc/asm/words/match.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- where a text ends ----------------------------------------------------------------------- */

struct reader {
    struct text_bundle *tc;
    const struct match_table *own_texts; /* texts of the unit's map */
    struct matcher m;
    const char **ends;
    unsigned count;
};

static void add_end(struct reader *r, const char *p)
{
    for (unsigned i = 0; i < r->count; i++)
        if (r->ends[i] == p)
            return;
    if (r->count < MAX_ENDS)
        r->ends[r->count++] = p;
}

/* Adds the places where the pieces from `piece` on may end to r->ends. */
static void read_pieces(struct reader *r, const struct asm_syntax *s, unsigned piece,
                        const char *p);

static void read_table(struct reader *r, const struct asm_syntax *s, unsigned piece, const char *p)
{
    vec_for_each (&s->pieces.data[piece].map->entries, e)
        vec_for_each (&e->texts, text) {
            const char *after = match_text(&r->m, p, *text);

            if (after)
                read_pieces(r, s, piece + 1, after);
        }
}

static void read_nested(struct reader *r, const struct asm_syntax *s, unsigned piece, const char *p)
{
    const struct bundle_text *text = bundle_text_of(r->tc, s->pieces.data[piece].map->name);
    const char *ends[MAX_ENDS];
    struct reader inner = {.tc = r->tc, .m = r->m, .ends = ends};

    if (!text) {
        read_table(r, s, piece, p);
        return;
    }
    vec_for_each (&text->lines.data[0]->syntax, line)
        read_pieces(&inner, line, 0, p);
    for (unsigned i = 0; i < inner.count; i++)
        read_pieces(r, s, piece + 1, ends[i]);
}

static void read_pieces(struct reader *r, const struct asm_syntax *s, unsigned piece, const char *p)
{
    const struct asm_piece *at;
    int64_t value;

    if (piece == s->pieces.len) {
        add_end(r, p);
        return;
    }
    at = &s->pieces.data[piece];
    if (at->map) {
        read_nested(r, s, piece, p);
        return;
    }
    if (at->text && strstr(at->text, "/*")) /* a comment may be left out */
        add_end(r, p);
    p = at->text ? match_text(&r->m, p, at->text) : match_number(&r->m, p, at, &value);
    if (p)
        read_pieces(r, s, piece + 1, p);
}

unsigned bundle_ends(struct text_bundle *tc, const struct asm_map *map,
                     const struct match_table *own, const char *line, const char *p,
                     const char **ends)
{
    const struct bundle_text *text = bundle_text_of(tc, map->name);
    struct reader r = {.tc = tc, .m = {.line = line}, .ends = ends};

    vec_for_each (&text->lines.data[0]->syntax, s)
        read_pieces(&r, s, 0, p);
    for (unsigned i = 0; i < own->count; i++) {
        const char *after = match_text(&r.m, p, own->at[i].text);

        if (after)
            add_end(&r, after);
    }
    if (!own->count)
        add_end(&r, p);
    return r.count;
}

/* ---- comparing texts ------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_space(const char *p, const char *end, bool comments)
{
    for (;;) {
        while (p < end && isspace((unsigned char)*p))
            p++;
        if (!comments || end - p < 4 || strncmp(p, "/*", 2))
            return p;
        for (p += 2; p < end && strncmp(p, "*/", 2); p++)
            ;
        p = p < end ? p + 2 : end;
    }
}

static bool has_comment(const char *p, const char *end)
{
    for (; p + 1 < end; p++)
        if (p[0] == '/' && p[1] == '*')
            return true;
    return false;
}

/* Reads a number at `p` that does not follow a letter. NULL: there is none. */
static const char *read_whole(const char *start, const char *p, const char *end,
                              unsigned long long *value)
{
    bool hex = end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
    const char *after = p + (hex ? 2 : 0);

    if ((p > start && is_word(p[-1])) || p >= end || !isdigit((unsigned char)*p))
        return NULL;
    *value = 0;
    for (; after < end && (hex ? isxdigit((unsigned char)*after) : isdigit((unsigned char)*after));
         after++)
        *value =
            *value * (hex ? 16 : 10) + (unsigned)(isdigit((unsigned char)*after)
                                                      ? *after - '0'
                                                      : tolower((unsigned char)*after) - 'a' + 10);
    return after;
}

bool bundle_same_text(const char *a, size_t a_length, const char *b, size_t b_length)
{
    const char *p = a, *q = b, *p_end = a + a_length, *q_end = b + b_length;
    bool comments = !has_comment(b, q_end);

    for (;;) {
        unsigned long long x, y;
        const char *after_p, *after_q;

        p = skip_space(p, p_end, comments);
        q = skip_space(q, q_end, false);
        if (p == p_end || q == q_end)
            return p == p_end && q == q_end;
        after_p = read_whole(a, p, p_end, &x);
        after_q = read_whole(b, q, q_end, &y);
        if (after_p && after_q) {
            if (x != y)
                return false;
            p = after_p;
            q = after_q;
        } else if (tolower((unsigned char)*p++) != tolower((unsigned char)*q++)) {
            return false;
        }
    }
}

unsigned bundle_numbers(const char *text, size_t length, int64_t *out, unsigned max)
{
    const char *end = text + length;
    unsigned n = 0;

    for (const char *p = text; p < end && n < max; p++) {
        unsigned long long v;
        const char *after;

        if (!isdigit((unsigned char)*p))
            continue;
        after = read_whole(p, p, end, &v);
        out[n++] = (int64_t)(p > text && p[-1] == '-' ? -v : v);
        p = after;
    }
    return n;
}

/* ---- what a text can be ---------------------------------------------------------------------- */

bool bundle_line_may_read(struct text_bundle *tc, const struct bundle_text *text, unsigned line,
                          const char *at, size_t length)
{
    const char *ends[MAX_ENDS];
    struct reader r = {.tc = tc, .m = {.line = at}, .ends = ends};

    read_pieces(&r, &text->lines.data[0]->syntax.data[line], 0, at);
    for (unsigned e = 0; e < r.count; e++)
        if (ends[e] == at + length)
            return true;
    return false;
}
