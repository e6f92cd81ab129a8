/*
 * The syntax tree of ac_bundle and ac_table. It belongs to the tree of ast.h.
 */
#ifndef GENCC_FRONT_BUNDLE_AST_H
#define GENCC_FRONT_BUNDLE_AST_H

#include "gencc/front/ast.h"

/* A piece of a grain's picture, most significant first: literal bits, bits without a meaning, a
 * field of the grain (%name:width), or bits of a header, word or constant (%name,
 * %name[high..low]). */
struct ast_bundle_piece {
    struct src_pos pos;
    const char *name; /* NULL for bits */
    bool has_slice, has_width, dont_care;
    unsigned high, low; /* first and last bit of a slice */
    unsigned width;     /* bits of a literal or a field */
    u128 value;         /* literal */
};

typedef VEC(struct ast_bundle_piece) ast_piece_list;

struct ast_position { /* key : first constant, stages */
    struct src_pos pos;
    unsigned key, first, stages;
};

struct ast_bundle_modifier { /* modifier N = value; */
    struct src_pos pos;
    unsigned constant;
    struct ast_expr *value;
};

/* A line of a sequence: take "picture" if (condition); or align N; */
struct ast_bundle_take {
    struct src_pos pos;
    unsigned align; /* bits to align to; 0: the line is a `take` */
    ast_piece_list pieces;
    struct ast_expr *condition; /* or NULL */
};

enum ast_grain_order {
    AST_GRAIN_FIRST,
    AST_GRAIN_AFTER,
    AST_GRAIN_CONSTANTS,
    AST_GRAIN_WHOLE,    /* the grain is a whole bundle by itself */
    AST_GRAIN_SEQUENCE, /* a bundle that is a sequence of pictures, no grain */
};

struct ast_grain {
    struct src_pos pos;
    const char *name;
    enum ast_grain_order order;
    VEC(struct ast_param) after; /* names of grains; type NULL */
    ast_piece_list pieces;
    struct ast_expr *where; /* condition on the header's fields, or NULL */
    struct ast_expr *bytes; /* sequences: size of the bundle in bytes */
    VEC(struct ast_bundle_take) takes;
    const char *position; /* field that keys the table of positions, or NULL */
    struct src_pos picture_pos, position_pos;
    VEC(struct ast_position) positions;
    VEC(struct ast_bundle_modifier) modifiers;
};

struct ast_bundle_unit { /* unit name : isa "mark"; */
    struct src_pos pos, isa_pos;
    const char *name, *isa, *mark;
};

struct ast_bundle_text { /* text header { … }, text footer { … }, text map(key) of context { … } */
    struct src_pos pos, context_pos;
    const char *name, *key, *context; /* key NULL: the text of a header or footer */
    struct ast_instr *lines;          /* holds the asm lines */
};

struct ast_follow { /* follow FIELD = OF, LAST; */
    struct src_pos pos, of_pos, last_pos;
    const char *field, *of;
    unsigned last;
};

struct ast_bundle {
    struct src_pos pos, header_pos, block_pos, stages_pos, constants_pos;
    const char *name, *stage_name; /* words for a bundle and a stage in messages, or NULL */
    const char *header, *block;    /* names of formats, or NULL */
    const char *open, *close;      /* texts before and after the words, or NULL */
    struct src_pos grains_pos, parts_pos, results_pos, registers_pos;
    unsigned grain_bits, parts, results_after, registers, register_slots;
    unsigned stages, constants, constant_high, constant_low;
    VEC(struct ast_bundle_unit) units;
    VEC(struct ast_grain *) grains;
    VEC(struct ast_bundle_text) texts;
    VEC(struct ast_param) decided; /* names of fields; type NULL */
    VEC(struct ast_follow) follows;
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

/* Prints ac_bundle and the tables of an ISA. */
void bundle_print(FILE *out, const struct ast_isa *isa);

#endif
