/*
 * The bundle's header from its line. Each line of the header's text is either present, with its
 * values as demands, or absent, with its condition false.
 */
#include "gencc/asm/bundles/internal.h"
#include "gencc/asm/solve/solve.h"
#include "gencc/disasm/syntax.h"

#include <string.h>

enum { MAX_DEMANDS = 64 };

struct header_reader {
    struct text_bundle *tc;
    const struct bundle_text *text;
    struct matcher m;
    struct demand demands[MAX_DEMANDS];
    unsigned count;
    uint64_t mask, *header;
    const char **end; /* end of the header in the line; NULL: the header is the whole line */
};

static bool read_line(struct header_reader *r, unsigned line, const char *p);

static bool add_demand(struct header_reader *r, const struct instr *in, const struct ast_expr *e,
                       struct demand d)
{
    if (r->count == MAX_DEMANDS)
        return false;
    d.expr = word_expr_new(r->tc->text, (struct instr *)in, e);
    if (!d.expr)
        return false;
    r->demands[r->count++] = d;
    r->mask |= (uint64_t)d.expr->depends;
    return true;
}

static bool demand_number(struct header_reader *r, const struct instr *in,
                          const struct asm_piece *p, int64_t value)
{
    return add_demand(r, in, p->values.data[0],
                      (struct demand){.want = {UINT64_MAX, (uint64_t)value}});
}

static bool read_piece(struct header_reader *r, unsigned line, unsigned piece, const char *p);

static bool read_map(struct header_reader *r, unsigned line, unsigned piece, const char *p)
{
    const struct instr *in = r->text->lines.data[line];
    const struct asm_piece *at = &in->syntax.data[0].pieces.data[piece];

    vec_for_each (&at->map->entries, e)
        vec_for_each (&e->texts, text) {
            const char *after = match_text(&r->m, p, *text);
            unsigned count = r->count;

            if (after && demand_number(r, in, at, e->keys.data[0]) &&
                read_piece(r, line, piece + 1, after))
                return true;
            r->count = count;
        }
    return false;
}

static bool read_piece(struct header_reader *r, unsigned line, unsigned piece, const char *p)
{
    const struct instr *in = r->text->lines.data[line];
    const struct asm_syntax *s = &in->syntax.data[0];
    const struct asm_piece *at;
    int64_t value;

    if (piece == s->pieces.len)
        return read_line(r, line + 1, p);
    at = &s->pieces.data[piece];
    if (at->map)
        return read_map(r, line, piece, p);
    if (at->text) {
        p = match_text(&r->m, p, at->text);
        return p && read_piece(r, line, piece + 1, p);
    }
    p = match_number(&r->m, p, at, &value);
    return p && demand_number(r, in, at, value) && read_piece(r, line, piece + 1, p);
}

static enum solve_verdict take_solution(void *opaque, u128 word)
{
    struct header_reader *r = opaque;

    *r->header = (uint64_t)word;
    return SOLVE_YES;
}

static bool solve_header(struct header_reader *r)
{
    struct instr *in = r->text->lines.data[0];
    struct form form = {.instr = in, .has_decode = true}; /* a header has no decode function */
    struct pattern pattern = {.mask = in->format->mask, .value = in->format->value};
    struct solver s = {.text = r->tc->text,
                       .demands = r->demands,
                       .count = r->count,
                       .judge = take_solution,
                       .opaque = r};

    form.patterns.data = &pattern;
    form.patterns.len = 1;
    return solve_form(&s, &form);
}

static bool read_line(struct header_reader *r, unsigned line, const char *p)
{
    const struct instr *in;
    const struct asm_syntax *s;
    unsigned count = r->count;
    uint64_t mask = r->mask;

    if (line == r->text->lines.len) {
        if (r->end)
            *r->end = p;
        return (r->end || !p[strspn(p, " \t")]) && solve_header(r);
    }
    in = r->text->lines.data[line];
    s = &in->syntax.data[0];
    if ((!s->condition || add_demand(r, in, s->condition, (struct demand){.any_nonzero = true})) &&
        read_piece(r, line, 0, p))
        return true;
    r->count = count;
    r->mask = mask;
    if (s->condition && add_demand(r, in, s->condition, (struct demand){.want = {UINT64_MAX, 0}}) &&
        read_line(r, line + 1, p))
        return true;
    r->count = count;
    r->mask = mask;
    return false;
}

static bool read_header(struct text_bundle *tc, const char *line, uint64_t *header, uint64_t *mask,
                        const char **end)
{
    struct header_reader r = {.tc = tc, .m = {.line = line}, .header = header, .end = end};

    vec_for_each (&tc->text->isa->bundle->texts, t)
        if (!t->key && t->context == BUNDLE_OF_HEADER)
            r.text = t;
    *header = 0;
    if (!r.text || !read_line(&r, 0, line))
        return false;
    *mask = r.mask;
    *header &= r.mask;
    return true;
}

bool bundle_read_header(struct text_bundle *tc, const char *line, uint64_t *header, uint64_t *mask)
{
    return read_header(tc, line, header, mask, NULL);
}

/* ---- a header that stands in its first word's line ------------------------------------------- */

/* Removes the header from the word's line, if there is one. It stands behind the name of a unit. */
static void detach_header(struct bundle_asm *ba, struct source_bundle *s, struct notes *start)
{
    struct source_line *l = &s->word[0];
    const char *at = l->text, *end = NULL;
    size_t of_unit;

    bundle_named_unit(ba->c, l->text, &at);
    of_unit = (size_t)(at - l->text);
    at += strspn(at, " \t");
    if (!read_header(ba->tc, at, &start->header, &start->header_mask, &end) || end == at)
        return;
    s->header.text = arena_strndup(ba->t->arena, at, (size_t)(end - at));
    end += strspn(end, " \t");
    l->column += (unsigned)(end - l->text - (ptrdiff_t)of_unit);
    l->text = arena_printf(ba->t->arena, "%.*s%s", (int)of_unit, l->text, end);
}

bool bundle_take_header(struct bundle_asm *ba, const struct source_bundle *s, struct notes *start)
{
    ba->source = s;
    if (s->header.text)
        return bundle_read_header(ba->tc, s->header.text, &start->header, &start->header_mask);
    if (!s->words || ba->c->open[strspn(ba->c->open, " \t\n")])
        return true;
    ba->split = *s;
    ba->source = &ba->split;
    detach_header(ba, &ba->split, start);
    return true;
}
