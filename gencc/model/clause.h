/*
 * The checked model of ac_clause: where each bit of a clause stands in its quadwords, in which
 * order quadwords follow each other, and how a clause reads.
 */
#ifndef GENCC_MODEL_CLAUSE_H
#define GENCC_MODEL_CLAUSE_H

#include "gencc/front/clause_ast.h"
#include "gencc/model/model.h"

enum {
    CLAUSE_MAX_TUPLES = 8,
    CLAUSE_MAX_CONSTANTS = 8,
    CLAUSE_MAX_UNITS = 2,
    CLAUSE_QUADWORD_BITS = 128,
    CLAUSE_QUADWORD_BYTES = CLAUSE_QUADWORD_BITS / 8,
    CLAUSE_BAD_MODIFIER = 255, /* a modifier that makes the clause none */
};

/* What the bits of a piece are. */
enum clause_what {
    CLAUSE_LITERAL,
    CLAUSE_ANY,      /* no meaning; stored as 0 */
    CLAUSE_FIELD,    /* a field of the quadword, for modifiers and positions */
    CLAUSE_END,      /* 1: the clause ends here; 0: constants follow */
    CLAUSE_HEADER,   /* bits of the header */
    CLAUSE_BLOCK,    /* of a tuple's block */
    CLAUSE_UNIT,     /* of a tuple's word for a unit */
    CLAUSE_CONSTANT, /* of an embedded constant */
};

struct clause_piece {
    struct src_pos pos;
    enum clause_what what;
    unsigned lsb, width; /* in the quadword */
    unsigned number;     /* of the tuple or constant (counted from the row's first, in quadwords
                            with positions) */
    unsigned unit;       /* UNIT */
    unsigned low;        /* the lowest of its bits that stands here */
    u128 value;          /* LITERAL */
    struct field *field; /* FIELD */
};

struct clause_modifier {
    unsigned constant;  /* counted like pieces' */
    const char *helper; /* exported, uint8; its parameters are the quadword's fields, then the
                           constants that stand in it */
};

struct clause_quadword {
    struct src_pos pos;
    const char *name;
    unsigned index; /* in clause->quadwords */
    const struct ast_quadword *ast;
    u128 mask, value; /* literal bits */
    VEC(struct clause_piece) pieces;
    VEC(struct field *) fields; /* of FIELD pieces, most significant first */
    struct clause_piece *end;   /* or NULL */
    struct field *position;     /* keys ast->positions, or NULL */
    unsigned held;              /* constants that stand in it, wholly or in part */
    VEC(struct clause_modifier) modifiers;
    VEC(struct clause_quadword *) next; /* alternatives for the one after it */
    bool reached;
    unsigned tuples, constants; /* the clause has when this ends it; with `end` only */
};

struct clause_unit {
    struct src_pos pos;
    const char *name, *mark;
    const char *isa;
    unsigned bits;
};

/* What is known where a text is written, beside the fields of a format. */
enum clause_context {
    CLAUSE_OF_HEADER,
    CLAUSE_OF_BLOCK,    /* the tuple's block: block, unit, first */
    CLAUSE_OF_NEXT,     /* the next tuple's, after the last the first's: block, unit, last */
    CLAUSE_OF_CONSTANT, /* the constant in bits 7:0 of the key: raw, modifier, index */
};

struct clause_text {
    struct src_pos pos;
    const char *name; /* of the map of units it replaces, or of the text other texts name */
    const char *key;  /* NULL: the header line itself, whose lines are all written */
    enum clause_context context;
    VEC(struct instr *) lines; /* one asm line each for the header, else one instruction */
};

struct clause {
    struct src_pos pos;
    struct isa *isa;
    struct format *header, *block;
    VEC(struct clause_unit) units;
    unsigned max_tuples, max_constants;
    unsigned constant_high, constant_low; /* stored bits of a constant */
    VEC(struct clause_quadword *) quadwords;
    VEC(struct clause_quadword *)
    first, constants; /* what a clause begins with; what follows its
                                                       tuples */
    VEC(struct clause_text) texts;
};

/* The names of the values that a context adds to the format's fields, in the order in which they
 * follow its fields; the key comes first, under its own name. NULL ends the list. */
const char *const *clause_context_values(enum clause_context context);

/* Text form of a clause, part of model_print. */
void clause_model_print(FILE *out, const struct clause *c);

#endif
