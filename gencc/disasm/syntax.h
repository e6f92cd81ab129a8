/*
 * Shared by disassembler and assembler: conditions of a syntax, and expressions over fields.
 */
#ifndef GENCC_DISASM_SYNTAX_H
#define GENCC_DISASM_SYNTAX_H

#include "gencc/model/model.h"
#include "common/asm_text.h"

struct expr_list {
    VEC(const struct ast_expr *) list;
};

/* Adds the conditions of `e` to the list, split at `&&`. NULL adds nothing. */
void syntax_conjuncts(struct arena *a, const struct ast_expr *e, struct expr_list *out);

/* Adds the conditions under which a syntax applies: its published constraints, as comparisons, and
 * its `if`. */
void syntax_conditions(struct arena *a, const struct asm_syntax *s, struct expr_list *out);

/* The format that prints a number of the model's kind, and its name (as in ASM_FORMATS). */
enum asm_format syntax_format(enum asm_number number);
const char *syntax_format_name(enum asm_format format);

/* Whether the number is printed as an address relative to the instruction. */
bool asm_is_target(enum asm_number number);

/* The name of an operand in messages: the single field in its value, or else its map or kind. */
const char *syntax_operand(const struct asm_piece *p);

/* The syntax as shown in messages: add <rd>, <rn>, #<imm>. In the arena. */
const char *syntax_text(struct arena *a, const struct asm_syntax *s);

#endif
