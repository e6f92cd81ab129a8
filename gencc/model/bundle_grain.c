/*
 * Builds the pictures of grains: resolves each piece and checks the total width.
 */
#include "gencc/model/bundle_internal.h"

#include <ctype.h>
#include <string.h>

/* A name and the number at its end, as in block3 */
struct numbered {
    const char *name;
    unsigned number;
    bool has_number;
};

static struct numbered split_number(struct arena *a, const char *name)
{
    size_t length = strlen(name), at = length;
    struct numbered n = {name, 0, false};

    while (at && isdigit((unsigned char)name[at - 1]))
        at--;
    if (at == length || length - at > 3)
        return n;
    n.name = arena_strndup(a, name, at);
    n.has_number = true;
    for (; at < length; at++)
        n.number = n.number * 10 + (unsigned)(name[at] - '0');
    return n;
}

/* Bits that a piece may refer to: `low` to `high`. */
struct extent {
    unsigned low, high;
};

static bool find_part(struct bundle_builder *b, const char *name, struct bundle_piece *p,
                      struct extent *e)
{
    struct numbered n = split_number(b->a, name);

    *e = (struct extent){0, 0};
    p->number = n.number;
    if (!strcmp(name, "end")) {
        p->what = BUNDLE_END;
    } else if (!strcmp(name, "header") && b->c->header->width) {
        p->what = BUNDLE_HEADER;
        e->high = b->c->header->width - 1;
    } else if (n.has_number && !strcmp(n.name, "block") && b->c->block->width) {
        p->what = BUNDLE_BLOCK;
        e->high = b->c->block->width - 1;
    } else if (n.has_number && !strcmp(n.name, "constant")) {
        p->what = BUNDLE_CONSTANT;
        *e = (struct extent){b->c->constant_low, b->c->constant_high};
    } else {
        p->what = BUNDLE_UNIT;
        for (p->unit = 0; p->unit < b->c->units.len; p->unit++)
            if (n.has_number && !strcmp(b->c->units.data[p->unit].name, n.name))
                break;
        if (p->unit == b->c->units.len)
            return false;
        e->high = b->c->units.data[p->unit].bits - 1;
    }
    return true;
}

static void unknown_part(struct bundle_builder *b, const struct ast_bundle_piece *ast)
{
    struct numbered n = split_number(b->a, ast->name);
    struct name_guess guess = {.wrong = ast->name};

    name_guess_offer(&guess, "header");
    name_guess_offer(&guess, "end");
    name_guess_offer(&guess, arena_printf(b->a, "block%u", n.number));
    name_guess_offer(&guess, arena_printf(b->a, "constant%u", n.number));
    vec_for_each (&b->c->units, u)
        name_guess_offer(&guess, arena_printf(b->a, "%s%u", u->name, n.number));
    diag_unknown(b->d, ast->pos, &guess, "unknown part of a bundle \"%s\"", guess.wrong);
}

/* Reports a stage or constant whose number no bundle can have. */
static bool check_number(struct bundle_builder *b, const struct ast_bundle_piece *ast,
                         const struct bundle_piece *p)
{
    bool constant = p->what == BUNDLE_CONSTANT;
    unsigned max = constant ? b->c->max_constants : b->c->max_stages;

    if ((!constant && p->what != BUNDLE_BLOCK && p->what != BUNDLE_UNIT) || p->number < max)
        return true;
    diag_error(b->d, ast->pos, "a bundle has at most %u %s, numbered from 0", max,
               constant ? "constants" : "stages");
    return false;
}

static bool build_part(struct bundle_builder *b, const struct ast_bundle_piece *ast,
                       struct bundle_piece *p)
{
    struct extent e;

    if (!find_part(b, ast->name, p, &e)) {
        unknown_part(b, ast);
        return false;
    }
    if (!check_number(b, ast, p))
        return false;
    p->low = ast->has_slice ? ast->low : e.low;
    p->width = ast->has_slice ? ast->high - ast->low + 1 : e.high - e.low + 1;
    if (p->low >= e.low && p->low + p->width - 1 <= e.high)
        return true;
    diag_error(b->d, ast->pos, "\"%s\" has the bits [%u..%u]", ast->name, e.high, e.low);
    return false;
}

static bool build_field(struct bundle_builder *b, const struct ast_bundle_piece *ast,
                        struct bundle_piece *p)
{
    struct field *f = arena_new(b->a, struct field);
    struct bundle_piece part = {0};
    struct extent e;

    if (find_part(b, ast->name, &part, &e)) {
        diag_error(b->d, ast->pos,
                   "\"%s\" is a part of the bundle; write [high..low] for some of "
                   "its bits",
                   ast->name);
        return false;
    }
    p->what = BUNDLE_FIELD;
    p->width = ast->width;
    p->field = f;
    f->pos = ast->pos;
    f->name = ast->name;
    f->width = ast->width;
    f->type = type_of_width(ast->width);
    return true;
}

bool build_bundle_piece(struct bundle_builder *b, const struct ast_bundle_piece *ast,
                        struct bundle_piece *p)
{
    *p = (struct bundle_piece){.pos = ast->pos, .width = ast->width, .value = ast->value};
    if (!ast->name) {
        p->what = ast->dont_care ? BUNDLE_ANY : BUNDLE_LITERAL;
        return true;
    }
    return ast->has_width ? build_field(b, ast, p) : build_part(b, ast, p);
}

static void check_width(struct bundle_builder *b, const struct bundle_grain *q, unsigned bits)
{
    unsigned all = b->c->grain_bits;

    if (bits < all)
        diag_error(b->d, q->ast->picture_pos, "grain \"%s\" has %u bits, %u missing from %u",
                   q->name, bits, all - bits, all);
    else
        diag_error(b->d, q->ast->picture_pos, "grain \"%s\" has %u bits, %u too many for %u",
                   q->name, bits, bits - all, all);
}

static void add_field(struct bundle_builder *b, struct bundle_grain *q, struct field *f)
{
    vec_for_each (&q->fields, old) {
        if (strcmp((*old)->name, f->name))
            continue;
        diag_error(b->d, f->pos, "field \"%s\" occurs twice in grain \"%s\"", f->name, q->name);
        diag_note(b->d, (*old)->pos, "the first is here");
        return;
    }
    vec_push_in(b->a, &q->fields, f);
}

static void place_pieces(struct bundle_builder *b, struct bundle_grain *q)
{
    unsigned lsb = b->c->grain_bits;

    vec_for_each (&q->pieces, p) {
        lsb -= p->width;
        p->lsb = lsb;
        if (p->what == BUNDLE_LITERAL) {
            q->mask |= low_bits(p->width) << lsb;
            q->value |= p->value << lsb;
        } else if (p->what == BUNDLE_FIELD) {
            p->field->lsb = lsb;
            add_field(b, q, p->field);
        } else if (p->what == BUNDLE_END && q->end) {
            diag_error(b->d, p->pos, "%%end occurs twice in grain \"%s\"", q->name);
        } else if (p->what == BUNDLE_END) {
            q->end = p;
        } else if (p->what == BUNDLE_CONSTANT && p->number >= q->held_constants) {
            q->held_constants = p->number + 1;
        }
    }
}

static void build_grain(struct bundle_builder *b, const struct ast_grain *ast)
{
    struct bundle_grain *q = arena_new(b->a, struct bundle_grain);
    unsigned bits = 0;
    bool ok = true;

    q->pos = ast->pos;
    q->name = ast->name;
    q->ast = ast;
    q->index = b->c->grains.len;
    vec_for_each (&b->c->grains, old)
        if (!strcmp((*old)->name, q->name)) {
            diag_error(b->d, q->pos, "grain \"%s\" is declared twice", q->name);
            diag_note(b->d, (*old)->pos, "the first declaration is here");
        }
    vec_push_in(b->a, &b->c->grains, q);
    vec_for_each (&ast->pieces, piece) {
        struct bundle_piece p;

        ok &= build_bundle_piece(b, piece, &p);
        vec_push_in(b->a, &q->pieces, p);
        bits += p.width;
    }
    if (!ok || b->ib->b->incomplete)
        return;
    if (bits != b->c->grain_bits)
        check_width(b, q, bits);
    else
        place_pieces(b, q);
}

void build_grains(struct bundle_builder *b)
{
    vec_for_each (&b->ast->grains, q)
        if ((*q)->order != AST_GRAIN_WHOLE && (*q)->order != AST_GRAIN_SEQUENCE)
            build_grain(b, *q);
}
