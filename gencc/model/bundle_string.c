/*
 * Bundles that are sequences of pictures, some of them conditional, or a single grain, which is a
 * sequence of one picture.
 */
#include "gencc/model/bundle_internal.h"

#include <string.h>

/* ---- helpers of conditions ------------------------------------------------------------------- */

static struct ast_def *condition_helper(struct bundle_builder *b, const char *name,
                                        struct ir_type result, struct ast_expr *e)
{
    struct ast_def *d = bundle_helper(b, name, result, e);

    vec_for_each (&b->c->header->fields, f)
        if (!(*f)->computed)
            ast_add_param(b->a, d, (*f)->name, (*f)->type);
    return d;
}

/* ---- takes ----------------------------------------------------------------------------------- */

/* Reports pieces that may not be in a picture of a sequence, or only in the first one. */
static void check_piece(struct bundle_builder *b, const struct bundle_piece *p, bool first)
{
    if (p->what == BUNDLE_FIELD || p->what == BUNDLE_END)
        diag_error(b->d, p->pos, "only grains that others follow have fields and %%end");
    else if (!first && p->what == BUNDLE_LITERAL)
        diag_error(b->d, p->pos, "literal bits may be in the first picture of a bundle only");
    else if (!first && p->what == BUNDLE_HEADER)
        diag_error(b->d, p->pos, "the header may be in the first picture of a bundle only");
}

static void add_pieces(struct bundle_builder *b, struct bundle_take *t, const ast_piece_list *from,
                       bool first)
{
    unsigned lsb;

    vec_for_each (from, ast) {
        struct bundle_piece p;

        if (!build_bundle_piece(b, ast, &p))
            continue;
        check_piece(b, &p, first);
        vec_push_in(b->a, &t->pieces, p);
        t->bits += p.width;
    }
    lsb = t->bits;
    vec_for_each (&t->pieces, p)
        p->lsb = lsb -= p->width;
}

static void add_take(struct bundle_builder *b, struct bundle_string *s,
                     const struct ast_bundle_take *ast)
{
    struct bundle_take t = {.align = ast->align};
    bool first = !s->takes.len;

    if (first && (ast->align || ast->condition))
        diag_error(b->d, ast->pos, "the first line of a sequence takes a picture in any case");
    add_pieces(b, &t, &ast->pieces, first);
    if (ast->condition) {
        struct ast_def *d;

        t.helper = arena_printf(b->a, "take_%s_%u", s->name, s->takes.len);
        d = condition_helper(b, t.helper, IR_T_U8, ast->condition);
        ast_add_param(b->a, d, "left", IR_T_U32);
    }
    vec_push_in(b->a, &s->takes, t);
}

/* ---- what is stored -------------------------------------------------------------------------- */

/* Bits of one header, block, word or constant that all takes store. Sets *twice to a piece that
 * stores a bit again. */
static u128 stored_bits(const struct bundle_string *s, const struct bundle_piece *like,
                        const struct bundle_piece **twice)
{
    u128 all = 0;

    vec_for_each (&s->takes, t)
        vec_for_each (&t->pieces, p) {
            u128 bits = low_bits(p->width) << p->low;

            if (p->what != like->what || p->number != like->number || p->unit != like->unit)
                continue;
            if (all & bits)
                *twice = p;
            all |= bits;
        }
    return all;
}

static u128 all_bits(const struct bundle *c, const struct bundle_piece *p)
{
    switch (p->what) {
    case BUNDLE_BLOCK:
        return low_bits(c->block->width);
    case BUNDLE_UNIT:
        return low_bits(c->units.data[p->unit].bits);
    case BUNDLE_CONSTANT:
        return low_bits(c->constant_high + 1) & ~low_bits(c->constant_low);
    default:
        return 0;
    }
}

static void check_part(struct bundle_builder *b, const struct bundle_string *s,
                       const struct bundle_piece *p)
{
    const struct bundle_piece *twice = NULL;
    u128 all = all_bits(b->c, p), have = stored_bits(s, p, &twice);

    if (p->what == BUNDLE_LITERAL || p->what == BUNDLE_ANY)
        return;
    if (twice == p)
        diag_error(b->d, p->pos, "these bits are stored twice in \"%s\"", s->name);
    else if (all & ~have)
        diag_error(b->d, p->pos, "other bits of this are missing from \"%s\"", s->name);
}

static void check_string(struct bundle_builder *b, struct bundle_string *s)
{
    const struct bundle_take *first = s->takes.data;

    vec_for_each (&s->takes, t)
        vec_for_each (&t->pieces, p)
            check_part(b, s, p);
    if (first->bits > b->c->grain_bits)
        diag_error(b->d, s->pos, "the first picture of \"%s\" is longer than a grain", s->name);
    vec_for_each (&first->pieces, p)
        if (p->what == BUNDLE_LITERAL) {
            s->mask |= low_bits(p->width) << p->lsb;
            s->value |= p->value << p->lsb;
        }
}

/* ---- all ------------------------------------------------------------------------------------- */

static void build_string(struct bundle_builder *b, const struct ast_grain *ast)
{
    struct bundle_string *s = arena_new(b->a, struct bundle_string);
    unsigned errors = b->d->errors;

    s->pos = ast->pos;
    s->name = ast->name;
    vec_for_each (&b->c->strings, old)
        if (!strcmp((*old)->name, s->name))
            diag_error(b->d, s->pos, "\"%s\" is declared twice", s->name);
    if (ast->where) {
        s->where_helper = arena_printf(b->a, "where_%s", s->name);
        condition_helper(b, s->where_helper, IR_T_U8, ast->where);
    }
    if (ast->order == AST_GRAIN_SEQUENCE && !ast->bytes)
        diag_error(b->d, s->pos, "sequence \"%s\" has no `bytes`", s->name);
    if (ast->bytes) {
        s->bytes_helper = arena_printf(b->a, "bytes_%s", s->name);
        condition_helper(b, s->bytes_helper, IR_T_U32, ast->bytes);
    }
    if (ast->order == AST_GRAIN_WHOLE)
        add_take(b, s, &(struct ast_bundle_take){.pos = ast->pos, .pieces = ast->pieces});
    vec_for_each (&ast->takes, t)
        add_take(b, s, t);
    if (ast->order == AST_GRAIN_WHOLE && s->takes.data->bits != b->c->grain_bits)
        diag_error(b->d, ast->picture_pos, "grain \"%s\" has %u bits, not %u", s->name,
                   s->takes.data->bits, b->c->grain_bits);
    if (!s->takes.len)
        diag_error(b->d, s->pos, "sequence \"%s\" takes nothing", s->name);
    else if (b->d->errors == errors)
        check_string(b, s);
    vec_push_in(b->a, &b->c->strings, s);
}

void build_strings(struct bundle_builder *b)
{
    vec_for_each (&b->ast->grains, q) {
        bool string = (*q)->order == AST_GRAIN_WHOLE || (*q)->order == AST_GRAIN_SEQUENCE;

        if (string)
            build_string(b, *q);
        else if ((*q)->where)
            diag_error(b->d, (*q)->where->pos,
                       "only bundles of one grain and sequences have `where`");
    }
}
