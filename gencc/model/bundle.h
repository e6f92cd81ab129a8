/*
 * The checked model of ac_bundle: where each bit of a bundle stands in its grains, in which
 * order grains follow each other, and how a bundle reads.
 */
#ifndef GENCC_MODEL_BUNDLE_H
#define GENCC_MODEL_BUNDLE_H

#include "gencc/front/bundle_ast.h"
#include "gencc/model/model.h"

/* As the runtime's (runtime/gpu/isa.h). */
enum {
    BUNDLE_MAX_STAGES = 16,
    BUNDLE_MAX_CONSTANTS = 16,
    BUNDLE_MAX_UNITS = 16,
    BUNDLE_MAX_PARTS = 16,
    BUNDLE_MAX_BYTES = 512,
    /* Fields of the format that a text is written over: a bit each, a key, a count, constants, words. */
    BUNDLE_MAX_FIELDS = 64 + 2 + BUNDLE_MAX_CONSTANTS + BUNDLE_MAX_STAGES * BUNDLE_MAX_UNITS,
    BUNDLE_GRAIN_BITS = 128,   /* at most, and usually */
    BUNDLE_BAD_MODIFIER = 255, /* a modifier that makes the bundle none */
};

/* What the bits of a piece are. */
enum bundle_what {
    BUNDLE_LITERAL,
    BUNDLE_ANY,      /* no meaning; stored as 0 */
    BUNDLE_FIELD,    /* a field of the grain, for modifiers and positions */
    BUNDLE_END,      /* 1: the bundle ends here; 0: constants follow */
    BUNDLE_HEADER,   /* bits of the header */
    BUNDLE_BLOCK,    /* of a stage's block */
    BUNDLE_UNIT,     /* of a stage's word for a unit */
    BUNDLE_CONSTANT, /* of an embedded constant */
};

struct bundle_piece {
    struct src_pos pos;
    enum bundle_what what;
    unsigned lsb, width; /* in the grain */
    unsigned number;     /* of the stage or constant (counted from the row's first, in grains
                            with positions) */
    unsigned unit;       /* UNIT */
    unsigned low;        /* the lowest of its bits that stands here */
    u128 value;          /* LITERAL */
    struct field *field; /* FIELD */
};

struct bundle_modifier {
    unsigned constant;  /* counted like pieces' */
    const char *helper; /* exported, uint8; its parameters are the grain's fields, then the
                           constants that stand in it */
};

typedef VEC(struct bundle_piece) piece_list;

/* A line of a sequence. */
struct bundle_take {
    unsigned align; /* 0: none */
    unsigned bits;  /* of the pieces; their lsb counts from where they begin */
    piece_list pieces;
    const char *helper; /* exported, uint8: the condition; NULL: always */
};

/*
 * A bundle that is a string of pieces, or one grain. Its helpers are exported; their parameters are the header's
 * fields, of takes also `left`.
 */
struct bundle_string {
    struct src_pos pos;
    const char *name;
    u128 mask, value;         /* literal bits of the first take */
    const char *where_helper; /* uint8; NULL: no condition */
    const char *bytes_helper; /* uint32; NULL: a grain */
    VEC(struct bundle_take) takes;
};

struct bundle_grain {
    struct src_pos pos;
    const char *name;
    unsigned index; /* in bundle->grains */
    const struct ast_grain *ast;
    u128 mask, value; /* literal bits */
    piece_list pieces;
    VEC(struct field *) fields; /* of FIELD pieces, most significant first */
    struct bundle_piece *end;   /* or NULL */
    struct field *position;     /* keys ast->positions, or NULL */
    unsigned held;              /* constants that stand in it, wholly or in part */
    VEC(struct bundle_modifier) modifiers;
    VEC(struct bundle_grain *) next; /* alternatives for the one after it */
    bool reached;
    unsigned stages, constants; /* the bundle has when this ends it; with `end` only */
};

struct bundle_unit {
    struct src_pos pos;
    const char *name, *mark;
    const char *isa;
    unsigned bits;
};

/* What a text is about; it knows the fields of a format, and values. */
enum bundle_context {
    BUNDLE_OF_HEADER,   /* the header's fields; uniforms */
    BUNDLE_OF_BLOCK,    /* the stage's block: block, unit, first */
    BUNDLE_OF_NEXT,     /* the next stage's, after the last the first's: block, unit, last */
    BUNDLE_OF_CONSTANT, /* the constant in bits 7:0 of the key: raw, modifier, index */
    BUNDLE_OF_TARGET,   /* the header's fields of the bundle behind a label; distance, index, end */
    BUNDLE_OF_FOOTER, /* the header's fields; constants, constantN, and words as pictures name them */
};

enum bundle_value_is {
    BUNDLE_V_BLOCK,
    BUNDLE_V_UNIT,
    BUNDLE_V_FIRST,
    BUNDLE_V_LAST,
    BUNDLE_V_RAW,
    BUNDLE_V_MODIFIER,
    BUNDLE_V_INDEX,
    BUNDLE_V_UNIFORMS,
    BUNDLE_V_DISTANCE, /* grains from behind the bundle that names the label */
    BUNDLE_V_END,      /* 1: no bundle is behind the label */
    BUNDLE_V_CONSTANTS,
    BUNDLE_V_CONSTANT, /* the one of that number; 0 where there is none */
    BUNDLE_V_WORD,     /* of a stage and a unit; 0 where there is none */
};

struct bundle_value {
    const char *name;
    enum bundle_value_is is;
    unsigned number, unit; /* of CONSTANT; stage and unit of WORD */
};

struct bundle_text {
    struct src_pos pos;
    const char *name; /* of the map of units it replaces, or of the text other texts name */
    const char *key;  /* NULL: header or footer itself, whose lines are all written, or a label's */
    enum bundle_context context;
    VEC(struct bundle_value) values; /* a computed field of the lines' format each */
    VEC(struct instr *) lines; /* one asm line each for header and footer, else one instruction */
};

/* A field of the header that says something of the bundle behind. */
struct bundle_follow {
    struct field *field, *of; /* is what `of` is there, … */
    uint64_t last;            /* … or that, when there is none */
};

struct bundle {
    struct src_pos pos;
    struct isa *isa;
    const char *name, *stage_name; /* what a bundle and a stage are called */
    struct format *header, *block;
    VEC(struct bundle_unit) units;
    unsigned grain_bits, parts, results_after;
    unsigned registers, register_slots; /* a program's: the first so many, each of so many slots */
    const char *open, *close;           /* written behind the header's text, and at the end */
    unsigned max_stages, max_constants;
    unsigned constant_high, constant_low; /* stored bits of a constant */
    VEC(struct bundle_grain *) grains;
    VEC(struct bundle_grain *)
    first, constants;                    /* what a bundle begins with; what follows its stages */
    VEC(struct bundle_string *) strings; /* tried before that */
    VEC(struct bundle_text) texts;
    VEC(struct field *)
    decided; /* of the block: what the assembler tries all values of, in this order */
    VEC(struct bundle_follow) follows;
};

/* Text form of a bundle, part of model_print. */
void bundle_model_print(FILE *out, const struct bundle *c);

#endif
