/*
 * Pictures of quadwords: what each piece is, and that the bits are 128.
 */
#include "gencc/model/clause_internal.h"

#include <ctype.h>

/* A name and the number behind it, as in block3. */
struct numbered {
    const char *name;
    unsigned number;
    bool has_number;
};

static struct numbered split(struct arena *a, const char *name)
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

/* The bits that a part may have: from `low` up. False when the name is none of a part. */
struct extent {
    unsigned low, high;
};

static bool find_part(struct clause_builder *b, const char *name, struct clause_piece *p,
                      struct extent *e)
{
    struct numbered n = split(b->a, name);

    *e = (struct extent){0, 0};
    p->number = n.number;
    if (!strcmp(name, "end")) {
        p->what = CLAUSE_END;
    } else if (!strcmp(name, "header")) {
        p->what = CLAUSE_HEADER;
        e->high = b->c->header->width - 1;
    } else if (n.has_number && !strcmp(n.name, "block")) {
        p->what = CLAUSE_BLOCK;
        e->high = b->c->block->width - 1;
    } else if (n.has_number && !strcmp(n.name, "constant")) {
        p->what = CLAUSE_CONSTANT;
        *e = (struct extent){b->c->constant_low, b->c->constant_high};
    } else {
        p->what = CLAUSE_UNIT;
        for (p->unit = 0; p->unit < b->c->units.count; p->unit++)
            if (n.has_number && !strcmp(b->c->units.at[p->unit].name, n.name))
                break;
        if (p->unit == b->c->units.count)
            return false;
        e->high = b->c->units.at[p->unit].bits - 1;
    }
    return true;
}

static void unknown_part(struct clause_builder *b, const struct ast_clause_piece *ast)
{
    struct numbered n = split(b->a, ast->name);
    struct name_guess guess = {.wrong = ast->name};

    name_guess_offer(&guess, "header");
    name_guess_offer(&guess, "end");
    name_guess_offer(&guess, arena_printf(b->a, "block%u", n.number));
    name_guess_offer(&guess, arena_printf(b->a, "constant%u", n.number));
    vec_for_each (&b->c->units, u)
        name_guess_offer(&guess, arena_printf(b->a, "%s%u", u->name, n.number));
    report_unknown(b->d, ast->pos, "part of a clause", &guess);
}

/* The number of a tuple or constant must be one the clause can have. */
static bool check_number(struct clause_builder *b, const struct ast_clause_piece *ast,
                         const struct clause_piece *p)
{
    bool constant = p->what == CLAUSE_CONSTANT;
    unsigned max = constant ? b->c->max_constants : b->c->max_tuples;

    if ((!constant && p->what != CLAUSE_BLOCK && p->what != CLAUSE_UNIT) || p->number < max)
        return true;
    diag_error(b->d, ast->pos, "a clause has at most %u %s, numbered from 0", max,
               constant ? "constants" : "tuples");
    return false;
}

static bool build_part(struct clause_builder *b, const struct ast_clause_piece *ast,
                       struct clause_piece *p)
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

static bool build_field(struct clause_builder *b, const struct ast_clause_piece *ast,
                        struct clause_piece *p)
{
    struct field *f = arena_new(b->a, struct field);
    struct clause_piece part = {0};
    struct extent e;

    if (find_part(b, ast->name, &part, &e)) {
        diag_error(b->d, ast->pos,
                   "\"%s\" is a part of the clause; write [high..low] for some of "
                   "its bits",
                   ast->name);
        return false;
    }
    p->what = CLAUSE_FIELD;
    p->width = ast->width;
    p->field = f;
    f->pos = ast->pos;
    f->name = ast->name;
    f->width = ast->width;
    f->type = type_of_width(ast->width);
    return true;
}

static bool build_piece(struct clause_builder *b, const struct ast_clause_piece *ast,
                        struct clause_piece *p)
{
    *p = (struct clause_piece){.pos = ast->pos, .width = ast->width, .value = ast->value};
    if (!ast->name) {
        p->what = ast->dont_care ? CLAUSE_ANY : CLAUSE_LITERAL;
        return true;
    }
    return ast->has_width ? build_field(b, ast, p) : build_part(b, ast, p);
}

static void check_width(struct clause_builder *b, const struct clause_quadword *q, unsigned bits)
{
    if (bits < CLAUSE_QUADWORD_BITS)
        diag_error(b->d, q->ast->picture_pos, "quadword \"%s\" has %u bits, %u missing from %d",
                   q->name, bits, CLAUSE_QUADWORD_BITS - bits, CLAUSE_QUADWORD_BITS);
    else
        diag_error(b->d, q->ast->picture_pos, "quadword \"%s\" has %u bits, %u too many for %d",
                   q->name, bits, bits - CLAUSE_QUADWORD_BITS, CLAUSE_QUADWORD_BITS);
}

static void add_field(struct clause_builder *b, struct clause_quadword *q, struct field *f)
{
    vec_for_each (&q->fields, old) {
        if (strcmp((*old)->name, f->name))
            continue;
        diag_error(b->d, f->pos, "field \"%s\" stands twice in quadword \"%s\"", f->name, q->name);
        diag_note(b->d, (*old)->pos, "the first is here");
        return;
    }
    vec_push(b->a, &q->fields, f);
}

static void place_pieces(struct clause_builder *b, struct clause_quadword *q)
{
    unsigned lsb = CLAUSE_QUADWORD_BITS;

    vec_for_each (&q->pieces, p) {
        lsb -= p->width;
        p->lsb = lsb;
        if (p->what == CLAUSE_LITERAL) {
            q->mask |= low_bits(p->width) << lsb;
            q->value |= p->value << lsb;
        } else if (p->what == CLAUSE_FIELD) {
            p->field->lsb = lsb;
            add_field(b, q, p->field);
        } else if (p->what == CLAUSE_END && q->end) {
            diag_error(b->d, p->pos, "%%end stands twice in quadword \"%s\"", q->name);
        } else if (p->what == CLAUSE_END) {
            q->end = p;
        } else if (p->what == CLAUSE_CONSTANT && p->number >= q->held) {
            q->held = p->number + 1;
        }
    }
}

static void build_quadword(struct clause_builder *b, const struct ast_quadword *ast)
{
    struct clause_quadword *q = arena_new(b->a, struct clause_quadword);
    unsigned bits = 0;
    bool ok = true;

    q->pos = ast->pos;
    q->name = ast->name;
    q->ast = ast;
    q->index = b->c->quadwords.count;
    vec_for_each (&b->c->quadwords, old)
        if (!strcmp((*old)->name, q->name)) {
            diag_error(b->d, q->pos, "quadword \"%s\" is declared twice", q->name);
            diag_note(b->d, (*old)->pos, "the first declaration is here");
        }
    vec_push(b->a, &b->c->quadwords, q);
    vec_for_each (&ast->pieces, piece) {
        struct clause_piece p;

        ok &= build_piece(b, piece, &p);
        vec_push(b->a, &q->pieces, p);
        bits += p.width;
    }
    if (!ok || b->ib->b->incomplete)
        return;
    if (bits != CLAUSE_QUADWORD_BITS)
        check_width(b, q, bits);
    else
        place_pieces(b, q);
}

void build_quadwords(struct clause_builder *b)
{
    vec_for_each (&b->ast->quadwords, q)
        build_quadword(b, *q);
}
