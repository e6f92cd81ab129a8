/*
 * Builds the tree of ac_widths and ac_context: how the words of an ISA are stored, and the decode
 * context that their meaning depends on.
 */
#include "gencc/front/parser.h"

#include <string.h>

void isa_unit_order(struct parser *p, const struct token *name)
{
    struct ast_isa *isa = p->build->isa;
    bool high = strcmp(name->text, "high_first") == 0;

    check_once(p, name->pos, isa->widths_pos.file);
    if (!high && strcmp(name->text, "low_first") != 0)
        diag_error(p->d, name->pos,
                   "the first unit of a word is its highest, high_first, or its lowest, low_first; "
                   "not \"%s\"",
                   name->text);
    isa->widths_pos = name->pos;
    isa->high_first = high;
}

void isa_width(struct parser *p, struct src_pos pos, unsigned bits, const struct token *picture)
{
    struct ast_width w = {.pos = pos, .bits = bits, .first.pos = picture->pos};

    picture_parse(p, picture, &w.first);
    vec_push_in(p->a, &p->build->isa->widths, w);
}

void isa_context(struct parser *p, const struct token *slot, const struct token *advance)
{
    struct ast_isa *isa = p->build->isa;

    check_once(p, slot->pos, isa->context.pos.file);
    isa->context = (struct ast_context){slot->pos, advance->pos, slot->text, advance->text};
}

void instr_next_context(struct parser *p, const struct token *word, struct ast_expr *value)
{
    instr_field(p, node_type(p, AST_TYPE_NAMED, word->pos, "uint8", NULL), word, value);
}
