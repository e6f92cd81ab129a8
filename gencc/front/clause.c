/*
 * What the statements of ac_clause and ac_table do to the tree.
 */
#include "gencc/front/clause_parser.h"

#include <ctype.h>

enum { MAX_PIECE_BITS = 128, MAX_NUMBER = 1 << 16 };

/* ---- the clause ------------------------------------------------------------------------------ */

void clause_begin(struct parser *p, struct src_pos pos)
{
    struct ast_isa *isa = p->build->isa;

    p->clause = arena_new(p->a, struct ast_clause);
    p->clause->pos = pos;
    p->quadword = arena_new(p->a, struct ast_quadword);
    if (isa->clause) {
        diag_error(p->d, pos, "an ISA has one ac_clause");
        diag_note(p->d, isa->clause->pos, "the first is here");
    } else {
        isa->clause = p->clause;
    }
    isa->extended = true;
}

static void set_once(struct parser *p, const char **name, struct src_pos *at,
                     const struct token *value, const char *what)
{
    if (*name) {
        diag_error(p->d, value->pos, "the %s's format is given twice", what);
        diag_note(p->d, *at, "the first is here");
        return;
    }
    *name = value->text;
    *at = value->pos;
}

void clause_header(struct parser *p, const struct token *format)
{
    set_once(p, &p->clause->header, &p->clause->header_pos, format, "header");
}

void clause_block(struct parser *p, const struct token *format)
{
    set_once(p, &p->clause->block, &p->clause->block_pos, format, "block");
}

void clause_unit(struct parser *p, const struct token *name, const struct token *isa,
                 const struct token *mark)
{
    struct ast_clause_unit u = {name->pos, isa->pos, name->text, isa->text, string_value(p, mark)};

    vec_push(p->a, &p->clause->units, u);
}

/* A small number; reported when it is none. */
static unsigned small(struct parser *p, const struct token *t)
{
    if (t->value < MAX_NUMBER)
        return (unsigned)t->value;
    diag_error(p->d, t->pos, "this number is out of range: 0 to %d is allowed", MAX_NUMBER - 1);
    return 0;
}

void clause_tuples(struct parser *p, const struct token *count)
{
    p->clause->tuples = small(p, count);
    p->clause->tuples_pos = count->pos;
}

void clause_constants(struct parser *p, const struct token *count, const struct token *high,
                      const struct token *low)
{
    p->clause->constants = small(p, count);
    p->clause->constants_pos = count->pos;
    p->clause->constant_high = small(p, high);
    p->clause->constant_low = small(p, low);
}

void clause_text(struct parser *p, const struct token *name, const struct token *key,
                 const struct token *context)
{
    struct ast_clause_text t = {.pos = name->pos, .name = name->text};

    if (key) {
        t.key = key->text;
        t.context = context->text;
        t.context_pos = context->pos;
    }
    t.lines = p->instr = arena_new(p->a, struct ast_instr);
    t.lines->name = name->text;
    t.lines->pos = name->pos;
    vec_push(p->a, &p->clause->texts, t);
}

/* ---- quadwords ------------------------------------------------------------------------------- */

void quadword_begin(struct parser *p, const struct token *name)
{
    p->quadword = arena_new(p->a, struct ast_quadword);
    p->quadword->name = name->text;
    p->quadword->pos = name->pos;
    p->quadword->order = AST_QUADWORD_AFTER;
    vec_push(p->a, &p->clause->quadwords, p->quadword);
}

void quadword_order(struct parser *p, const struct token *word)
{
    if (!strcmp(word->text, "first"))
        p->quadword->order = AST_QUADWORD_FIRST;
    else if (!strcmp(word->text, "constants"))
        p->quadword->order = AST_QUADWORD_CONSTANTS;
    else
        diag_error(p->d, word->pos, "expected 'first', 'after' or 'constants', not \"%s\"",
                   word->text);
}

void quadword_after(struct parser *p, const struct token *name)
{
    struct ast_param n = {name->pos, NULL, name->text};

    vec_push(p->a, &p->quadword->after, n);
}

void quadword_modifier(struct parser *p, struct src_pos pos, const struct token *constant,
                       struct ast_expr *value)
{
    struct ast_clause_modifier m = {pos, small(p, constant), value};

    vec_push(p->a, &p->quadword->modifiers, m);
}

void quadword_positions(struct parser *p, const struct token *field)
{
    if (p->quadword->position) {
        diag_error(p->d, field->pos, "a quadword has one table of positions");
        return;
    }
    p->quadword->position = field->text;
    p->quadword->position_pos = field->pos;
}

void quadword_position(struct parser *p, struct src_pos pos, const struct token *key,
                       const struct token *first, const struct token *tuples)
{
    struct ast_position row = {pos, small(p, key), small(p, first), small(p, tuples)};

    vec_push(p->a, &p->quadword->positions, row);
}

/* ---- pictures of quadwords ------------------------------------------------------------------- */

struct picture {
    struct parser *p;
    const struct token *string;
    const char *at;
};

static struct src_pos from(const struct picture *s, const char *start)
{
    struct src_pos pos = s->string->pos;

    pos.column += 1 + (uint32_t)(start - s->string->text);
    pos.length = s->at > start ? (uint32_t)(s->at - start) : 1;
    return pos;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A decimal number up to the width of a quadword; false after reporting that there is none. */
static bool number(struct picture *s, unsigned *out)
{
    const char *start = s->at;

    for (*out = 0; isdigit((unsigned char)*s->at) && *out <= MAX_PIECE_BITS; s->at++)
        *out = *out * 10 + (unsigned)(*s->at - '0');
    if (s->at > start && *out <= MAX_PIECE_BITS)
        return true;
    diag_error(s->p->d, from(s, start), "expected a number from 0 to %d", MAX_PIECE_BITS);
    return false;
}

static bool slice(struct picture *s, struct ast_clause_piece *piece)
{
    const char *start = s->at++;

    if (!number(s, &piece->high))
        return false;
    if (s->at[0] != '.' || s->at[1] != '.') {
        diag_error(s->p->d, from(s, start), "expected '..' and the lowest bit, as in [19..17]");
        return false;
    }
    s->at += 2;
    if (!number(s, &piece->low))
        return false;
    if (*s->at != ']') {
        diag_error(s->p->d, from(s, start), "expected ']' after the lowest bit");
        return false;
    }
    s->at++;
    if (piece->high < piece->low) {
        diag_error(s->p->d, from(s, start), "the highest bit stands first, as in [19..17]");
        return false;
    }
    return piece->has_slice = true;
}

/* Behind a ':'; a width of 0 is none. */
static bool width(struct picture *s, struct ast_clause_piece *piece)
{
    const char *start = s->at++;

    if (!number(s, &piece->width))
        return false;
    if (piece->width)
        return true;
    diag_error(s->p->d, from(s, start), "a piece has at least one bit");
    return false;
}

/* %name, %name[high..low], %name:width */
static bool named(struct picture *s, struct ast_clause_piece *piece)
{
    const char *start = s->at++;

    while (is_name(*s->at))
        s->at++;
    if (s->at == start + 1 || isdigit((unsigned char)start[1])) {
        diag_error(s->p->d, from(s, start), "expected a name after '%%'");
        return false;
    }
    piece->name = arena_strndup(s->p->a, start + 1, (size_t)(s->at - start - 1));
    if (*s->at == '[')
        return slice(s, piece);
    if (*s->at == ':')
        return (piece->has_width = width(s, piece));
    return true;
}

/* A run of 0 and 1 or of x, which may follow each other; x:12 */
static bool bits(struct picture *s, struct ast_clause_piece *piece)
{
    const char *start = s->at;

    piece->dont_care = *s->at == 'x';
    while (piece->dont_care ? *s->at == 'x' : *s->at == '0' || *s->at == '1') {
        piece->value = piece->value << 1 | (*s->at == '1');
        piece->width++;
        s->at++;
    }
    if (piece->dont_care && piece->width == 1 && *s->at == ':')
        return width(s, piece);
    if (piece->width && piece->width <= MAX_PIECE_BITS &&
        (!is_name(*s->at) || strchr("01x", *s->at)))
        return true;
    s->at += *s->at && s->at == start;
    diag_error(s->p->d, from(s, start),
               "expected a part (%%name, %%name[19..17]), a field (%%name:4) or bits (0, 1, x)");
    return false;
}

void quadword_picture(struct parser *p, const struct token *picture)
{
    struct picture s = {p, picture, picture->text};

    p->quadword->picture_pos = picture->pos;
    while (*s.at) {
        struct ast_clause_piece piece = {0};
        const char *start = s.at;

        if (isspace((unsigned char)*s.at)) {
            s.at++;
            continue;
        }
        if (!(*s.at == '%' ? named(&s, &piece) : bits(&s, &piece)))
            return;
        piece.pos = from(&s, start);
        vec_push(p->a, &p->quadword->pieces, piece);
    }
    if (!p->quadword->pieces.count)
        diag_error(p->d, picture->pos, "this picture holds no bits");
}

/* ---- tables ---------------------------------------------------------------------------------- */

void table_begin(struct parser *p, const struct token *name, const struct token *key)
{
    p->table = arena_new(p->a, struct ast_table);
    p->table->pos = name->pos;
    p->table->name = name->text;
    p->table->key = key->text;
    p->table->key_pos = key->pos;
    p->build->isa->extended = true;
}

void table_column(struct parser *p, const struct token *name)
{
    struct ast_param column = {name->pos, NULL, name->text};

    vec_push(p->a, &p->table->columns, column);
}

void table_row(struct parser *p, struct src_pos pos, struct expr_list *keys,
               struct expr_list *values)
{
    struct ast_table_row row = {.pos = pos};

    vec_take(&row.keys, &keys->v);
    vec_take(&row.values, &values->v);
    vec_push(p->a, &p->table->rows, row);
}

void table_end(struct parser *p)
{
    vec_push(p->a, &p->build->isa->tables, p->table);
}
