/*
 * The syntax tree of ac_clause and ac_table. Part of ast.h.
 */
#ifndef GENCC_FRONT_CLAUSE_AST_H
#define GENCC_FRONT_CLAUSE_AST_H

#include "gencc/front/ast.h"

/* A piece of a quadword's picture, most significant first: literal bits, bits without a meaning, a
 * field of the quadword (%name:width), or a part of something (%name, %name[high..low]). */
struct ast_clause_piece {
    struct src_pos pos;
    const char *name; /* NULL for bits */
    bool has_slice, has_width, dont_care;
    unsigned high, low; /* slice */
    unsigned width;     /* of bits and of fields */
    u128 value;         /* literal */
};

struct ast_position { /* key : first constant, tuples */
    struct src_pos pos;
    unsigned key, first, tuples;
};

struct ast_clause_modifier { /* modifier N = value; */
    struct src_pos pos;
    unsigned constant;
    struct ast_expr *value;
};

enum ast_quadword_order { AST_QUADWORD_FIRST, AST_QUADWORD_AFTER, AST_QUADWORD_CONSTANTS };

struct ast_quadword {
    struct src_pos pos;
    const char *name;
    enum ast_quadword_order order;
    VEC(struct ast_param) after; /* names of quadwords; type NULL */
    VEC(struct ast_clause_piece) pieces;
    const char *position; /* field that keys the table of positions, or NULL */
    struct src_pos picture_pos, position_pos;
    VEC(struct ast_position) positions;
    VEC(struct ast_clause_modifier) modifiers;
};

struct ast_clause_unit { /* unit name : isa "mark"; */
    struct src_pos pos, isa_pos;
    const char *name, *isa, *mark;
};

struct ast_clause_text { /* text header { … }, text map(key) of context { … } */
    struct src_pos pos, context_pos;
    const char *name, *key, *context; /* key NULL: of the header itself */
    struct ast_instr *lines;          /* holds the asm lines */
};

struct ast_clause {
    struct src_pos pos, header_pos, block_pos, tuples_pos, constants_pos;
    const char *header, *block; /* names of formats, or NULL */
    unsigned tuples, constants, constant_high, constant_low;
    VEC(struct ast_clause_unit) units;
    VEC(struct ast_quadword *) quadwords;
    VEC(struct ast_clause_text) texts;
};

struct ast_table_row {
    struct src_pos pos;
    VEC(struct ast_expr *) keys, values;
};

struct ast_table { /* ac_table NAME(key) : column, … { key, … : value, …; } */
    struct src_pos pos, key_pos;
    const char *name, *key;
    VEC(struct ast_param) columns; /* names; type NULL */
    VEC(struct ast_table_row) rows;
};

/* Prints ac_clause and the tables of an ISA. */
void clause_print(FILE *out, const struct ast_isa *isa);

#endif
