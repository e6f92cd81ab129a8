/*
 * Builds the tree of ac_bundle and ac_table: one function per statement.
 */
#include "gencc/front/bundle_parser.h"

#include <ctype.h>
#include <string.h>

enum { MAX_PIECE_BITS = 128, MAX_NUMBER = 1 << 16 };

/* ---- the bundle ------------------------------------------------------------------------------ */

void bundle_begin(struct parser *p, struct src_pos pos)
{
    struct ast_isa *isa = p->build->isa;

    p->bundle = arena_new(p->a, struct ast_bundle);
    p->bundle->pos = pos;
    p->grain = arena_new(p->a, struct ast_grain);
    if (isa->bundle) {
        diag_error(p->d, pos, "an ISA has one ac_bundle");
        diag_note(p->d, isa->bundle->pos, "the first is here");
    } else {
        isa->bundle = p->bundle;
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

void bundle_names(struct parser *p, const struct token *bundle, const struct token *stage)
{
    p->bundle->name = string_value(p, bundle);
    p->bundle->stage_name = string_value(p, stage);
}

void bundle_header(struct parser *p, const struct token *format)
{
    set_once(p, &p->bundle->header, &p->bundle->header_pos, format, "header");
}

void bundle_block(struct parser *p, const struct token *format)
{
    set_once(p, &p->bundle->block, &p->bundle->block_pos, format, "block");
}

void bundle_unit(struct parser *p, const struct token *name, const struct token *isa,
                 const struct token *mark)
{
    struct ast_bundle_unit u = {name->pos, isa->pos, name->text, isa->text, string_value(p, mark)};

    vec_push_in(p->a, &p->bundle->units, u);
}

/* The value of a number token; reports values of MAX_NUMBER or more and returns 0. */
static unsigned read_small_number(struct parser *p, const struct token *t)
{
    if (t->value < MAX_NUMBER)
        return (unsigned)t->value;
    diag_error(p->d, t->pos, "this number is out of range: 0 to %d is allowed", MAX_NUMBER - 1);
    return 0;
}

void bundle_stages(struct parser *p, const struct token *count)
{
    p->bundle->stages = read_small_number(p, count);
    p->bundle->stages_pos = count->pos;
}

void bundle_grains(struct parser *p, const struct token *bits)
{
    p->bundle->grain_bits = read_small_number(p, bits);
    p->bundle->grains_pos = bits->pos;
}

void bundle_parts(struct parser *p, const struct token *count)
{
    p->bundle->parts = read_small_number(p, count);
    p->bundle->parts_pos = count->pos;
}

void bundle_results(struct parser *p, const struct token *stages)
{
    p->bundle->results_after = read_small_number(p, stages);
    p->bundle->results_pos = stages->pos;
}

void bundle_registers(struct parser *p, const struct token *count, const struct token *slots)
{
    p->bundle->registers = read_small_number(p, count);
    p->bundle->register_slots = read_small_number(p, slots);
    p->bundle->registers_pos = count->pos;
}

void bundle_open(struct parser *p, const struct token *text)
{
    p->bundle->open = string_value(p, text);
}

void bundle_close(struct parser *p, const struct token *text)
{
    p->bundle->close = string_value(p, text);
}

void bundle_constants(struct parser *p, const struct token *count, const struct token *high,
                      const struct token *low)
{
    p->bundle->constants = read_small_number(p, count);
    p->bundle->constants_pos = count->pos;
    p->bundle->constant_high = read_small_number(p, high);
    p->bundle->constant_low = read_small_number(p, low);
}

void bundle_decide(struct parser *p, const struct token *field)
{
    struct ast_param n = {field->pos, NULL, field->text};

    vec_push_in(p->a, &p->bundle->decided, n);
}

void bundle_follow(struct parser *p, const struct token *field, const struct token *of,
                   const struct token *last)
{
    struct ast_follow f = {.pos = field->pos,
                           .of_pos = of->pos,
                           .last_pos = last->pos,
                           .field = field->text,
                           .of = of->text,
                           .last = read_small_number(p, last)};

    vec_push_in(p->a, &p->bundle->follows, f);
}

void bundle_text(struct parser *p, const struct token *name, const struct token *key,
                 const struct token *context)
{
    struct ast_bundle_text t = {.pos = name->pos, .name = name->text};

    if (key) {
        t.key = key->text;
        t.context = context->text;
        t.context_pos = context->pos;
    }
    t.lines = p->instr = arena_new(p->a, struct ast_instr);
    t.lines->name = name->text;
    t.lines->pos = name->pos;
    vec_push_in(p->a, &p->bundle->texts, t);
}

/* ---- grains ------------------------------------------------------------------------------- */

void grain_begin(struct parser *p, const struct token *name)
{
    p->grain = arena_new(p->a, struct ast_grain);
    p->grain->name = name->text;
    p->grain->pos = name->pos;
    p->grain->order = AST_GRAIN_AFTER;
    vec_push_in(p->a, &p->bundle->grains, p->grain);
}

void grain_order(struct parser *p, const struct token *word)
{
    if (!strcmp(word->text, "first"))
        p->grain->order = AST_GRAIN_FIRST;
    else if (!strcmp(word->text, "constants"))
        p->grain->order = AST_GRAIN_CONSTANTS;
    else if (!strcmp(word->text, "whole"))
        p->grain->order = AST_GRAIN_WHOLE;
    else
        diag_error(p->d, word->pos, "expected 'first', 'after', 'constants' or 'whole', not \"%s\"",
                   word->text);
}

void grain_after(struct parser *p, const struct token *name)
{
    struct ast_param n = {name->pos, NULL, name->text};

    vec_push_in(p->a, &p->grain->after, n);
}

void grain_modifier(struct parser *p, struct src_pos pos, const struct token *constant,
                    struct ast_expr *value)
{
    struct ast_bundle_modifier m = {pos, read_small_number(p, constant), value};

    vec_push_in(p->a, &p->grain->modifiers, m);
}

void grain_positions(struct parser *p, const struct token *field)
{
    if (p->grain->position) {
        diag_error(p->d, field->pos, "a grain has one table of positions");
        return;
    }
    p->grain->position = field->text;
    p->grain->position_pos = field->pos;
}

void grain_position(struct parser *p, struct src_pos pos, const struct token *key,
                    const struct token *first, const struct token *stages)
{
    struct ast_position row = {pos, read_small_number(p, key), read_small_number(p, first),
                               read_small_number(p, stages)};

    vec_push_in(p->a, &p->grain->positions, row);
}

/* ---- pictures of grains ------------------------------------------------------------------- */

struct picture {
    struct parser *p;
    const struct token *string;
    const char *at;
};

static struct src_pos pos_from(const struct picture *s, const char *start)
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

/* Reads a decimal number up to MAX_PIECE_BITS; returns false after reporting. */
static bool read_number(struct picture *s, unsigned *out)
{
    const char *start = s->at;

    for (*out = 0; isdigit((unsigned char)*s->at) && *out <= MAX_PIECE_BITS; s->at++)
        *out = *out * 10 + (unsigned)(*s->at - '0');
    if (s->at > start && *out <= MAX_PIECE_BITS)
        return true;
    diag_error(s->p->d, pos_from(s, start), "expected a number from 0 to %d", MAX_PIECE_BITS);
    return false;
}

static bool read_slice(struct picture *s, struct ast_bundle_piece *piece)
{
    const char *start = s->at++;

    if (!read_number(s, &piece->high))
        return false;
    if (s->at[0] != '.' || s->at[1] != '.') {
        diag_error(s->p->d, pos_from(s, start), "expected '..' and the lowest bit, as in [19..17]");
        return false;
    }
    s->at += 2;
    if (!read_number(s, &piece->low))
        return false;
    if (*s->at != ']') {
        diag_error(s->p->d, pos_from(s, start), "expected ']' after the lowest bit");
        return false;
    }
    s->at++;
    if (piece->high < piece->low) {
        diag_error(s->p->d, pos_from(s, start), "the highest bit comes first, as in [19..17]");
        return false;
    }
    return piece->has_slice = true;
}

/* Reads a width after ':', which must not be 0. */
static bool read_width(struct picture *s, struct ast_bundle_piece *piece)
{
    const char *start = s->at++;

    if (!read_number(s, &piece->width))
        return false;
    if (piece->width)
        return true;
    diag_error(s->p->d, pos_from(s, start), "a piece has at least one bit");
    return false;
}

/* %name, %name[high..low], %name:width */
static bool read_named_piece(struct picture *s, struct ast_bundle_piece *piece)
{
    const char *start = s->at++;

    while (is_name(*s->at))
        s->at++;
    if (s->at == start + 1 || isdigit((unsigned char)start[1])) {
        diag_error(s->p->d, pos_from(s, start), "expected a name after '%%'");
        return false;
    }
    piece->name = arena_strndup(s->p->a, start + 1, (size_t)(s->at - start - 1));
    if (*s->at == '[')
        return read_slice(s, piece);
    if (*s->at == ':')
        return (piece->has_width = read_width(s, piece));
    return true;
}

/* Reads a run of 0 and 1, a run of x, or x:12. Runs may follow each other. */
static bool read_bit_run(struct picture *s, struct ast_bundle_piece *piece)
{
    const char *start = s->at;

    piece->dont_care = *s->at == 'x';
    while (piece->dont_care ? *s->at == 'x' : *s->at == '0' || *s->at == '1') {
        piece->value = piece->value << 1 | (*s->at == '1');
        piece->width++;
        s->at++;
    }
    if (piece->dont_care && piece->width == 1 && *s->at == ':')
        return read_width(s, piece);
    if (piece->width && piece->width <= MAX_PIECE_BITS &&
        (!is_name(*s->at) || strchr("01x", *s->at)))
        return true;
    s->at += *s->at && s->at == start;
    diag_error(s->p->d, pos_from(s, start),
               "expected a part (%%name, %%name[19..17]), a field (%%name:4) or bits (0, 1, x)");
    return false;
}

static void read_picture(struct parser *p, const struct token *picture, ast_piece_list *out)
{
    struct picture s = {p, picture, picture->text};

    while (*s.at) {
        struct ast_bundle_piece piece = {0};
        const char *start = s.at;

        if (isspace((unsigned char)*s.at)) {
            s.at++;
            continue;
        }
        if (!(*s.at == '%' ? read_named_piece(&s, &piece) : read_bit_run(&s, &piece)))
            return;
        piece.pos = pos_from(&s, start);
        vec_push_in(p->a, out, piece);
    }
    if (!out->len)
        diag_error(p->d, picture->pos, "this picture holds no bits");
}

void grain_picture(struct parser *p, const struct token *picture)
{
    p->grain->picture_pos = picture->pos;
    read_picture(p, picture, &p->grain->pieces);
}

/* ---- sequences ------------------------------------------------------------------------------- */

void grain_where(struct parser *p, struct ast_expr *condition)
{
    p->grain->where = condition;
}

void sequence_begin(struct parser *p, const struct token *name)
{
    grain_begin(p, name);
    p->grain->order = AST_GRAIN_SEQUENCE;
    p->grain->picture_pos = name->pos;
}

void sequence_bytes(struct parser *p, struct ast_expr *bytes)
{
    if (p->grain->bytes)
        diag_error(p->d, bytes->pos, "the bytes of a sequence are given twice");
    p->grain->bytes = bytes;
}

void sequence_align(struct parser *p, const struct token *bits)
{
    struct ast_bundle_take t = {.pos = bits->pos, .align = read_small_number(p, bits)};

    if (!t.align)
        diag_error(p->d, bits->pos, "align to a multiple of at least one bit");
    else
        vec_push_in(p->a, &p->grain->takes, t);
}

void sequence_take(struct parser *p, const struct token *picture, struct ast_expr *condition)
{
    struct ast_bundle_take t = {.pos = picture->pos, .condition = condition};

    read_picture(p, picture, &t.pieces);
    vec_push_in(p->a, &p->grain->takes, t);
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

    vec_push_in(p->a, &p->table->columns, column);
}

void table_row(struct parser *p, struct src_pos pos, struct expr_list *keys,
               struct expr_list *values)
{
    struct ast_table_row row = {.pos = pos};

    vec_take(&row.keys, &keys->v);
    vec_take(&row.values, &values->v);
    vec_push_in(p->a, &p->table->rows, row);
}

void table_end(struct parser *p)
{
    vec_push_in(p->a, &p->build->isa->tables, p->table);
}
