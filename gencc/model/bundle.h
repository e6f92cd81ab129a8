/*
 * The checked model of ac_bundle: the place of each bit of a bundle in its grains, the order of
 * grains, and the text of a bundle.
 */
#ifndef GENCC_MODEL_BUNDLE_H
#define GENCC_MODEL_BUNDLE_H

#include "gencc/front/bundle_ast.h"
#include "gencc/model/model.h"

/* Limits, the same as in runtime/gpu/isa.h */
enum {
    BUNDLE_MAX_STAGES = 16,
    BUNDLE_MAX_CONSTANTS = 16,
    BUNDLE_MAX_UNITS = 16,
    BUNDLE_MAX_PARTS = 16,
    BUNDLE_MAX_BYTES = 512,
    /* Fields of the format that texts use: 64 of one bit each, a key, a count, constants, words */
    BUNDLE_MAX_FIELDS = 64 + 2 + BUNDLE_MAX_CONSTANTS + BUNDLE_MAX_STAGES * BUNDLE_MAX_UNITS,
    BUNDLE_GRAIN_BITS = 128,   /* the maximum, and the default */
    BUNDLE_BAD_MODIFIER = 255, /* value of a modifier that makes the bundle invalid */
};

/* Meaning of the bits of a piece */
enum bundle_what {
    BUNDLE_LITERAL,
    BUNDLE_ANY,      /* no meaning; stored as 0 */
    BUNDLE_FIELD,    /* a field of the grain, for modifiers and positions */
    BUNDLE_END,      /* 1: the bundle ends here; 0: constants follow */
    BUNDLE_HEADER,   /* bits of the header */
    BUNDLE_BLOCK,    /* bits of a stage's block */
    BUNDLE_UNIT,     /* bits of a stage's word for a unit */
    BUNDLE_CONSTANT, /* bits of an embedded constant */
};

struct bundle_piece {
    struct src_pos pos;
    enum bundle_what what;
    unsigned lsb, width; /* in the grain */
    /*
     * number of the stage or constant; in grains with positions, constants are counted from the
     * row's first
     */
    unsigned number;
    unsigned unit; /* UNIT: index of the unit */
    /* lowest bit of the header, block, word or constant that the piece stores */
    unsigned low;
    u128 value;          /* LITERAL */
    struct field *field; /* FIELD */
};

struct bundle_modifier {
    unsigned constant; /* number of the constant, counted as in pieces */
    /* Name of an exported helper that returns uint8. Its parameters are the grain's fields, then
     * the constants stored in the grain. */
    const char *helper;
};

typedef VEC(struct bundle_piece) piece_list;

/* A line of a sequence. */
struct bundle_take {
    unsigned align; /* in bits; 0: the line is not `align` */
    unsigned bits;  /* width of all pieces, whose lsb is relative to the start of the take */
    piece_list pieces;
    /* name of an exported helper that returns the condition as uint8; NULL: always taken */
    const char *helper;
};

/*
 * A bundle that is a sequence of pictures, or a single grain. The parameters of its exported
 * helpers are the header's fields, in helpers of takes also `left`.
 */
struct bundle_string {
    struct src_pos pos;
    const char *name;
    u128 mask, value;         /* literal bits of the first take */
    const char *where_helper; /* returns uint8; NULL: no condition */
    const char *bytes_helper; /* returns uint32; NULL: one grain */
    VEC(struct bundle_take) takes;
};

struct bundle_grain {
    struct src_pos pos;
    const char *name;
    unsigned index; /* in bundle->grains */
    const struct ast_grain *ast;
    u128 mask, value; /* literal bits */
    piece_list pieces;
    VEC(struct field *) fields; /* fields of FIELD pieces, most significant first */
    struct bundle_piece *end;   /* the END piece, or NULL */
    struct field *position;     /* key of ast->positions, or NULL */
    unsigned held_constants;    /* constants stored in the grain, wholly or in part */
    VEC(struct bundle_modifier) modifiers;
    VEC(struct bundle_grain *) next; /* alternatives for the next grain */
    bool reached;
    unsigned stages, constants; /* numbers in a bundle that ends with this grain; only if `end` */
};

struct bundle_unit {
    struct src_pos pos;
    const char *name, *mark;
    const char *isa;
    unsigned bits;
};

/* Subject of a text: the fields and values that its lines can use */
enum bundle_context {
    BUNDLE_OF_HEADER, /* the header's fields; uniforms */
    BUNDLE_OF_BLOCK,  /* the stage's block: block, unit, first */
    /* the next stage's block, after the last stage the first one's: block, unit, last */
    BUNDLE_OF_NEXT,
    BUNDLE_OF_CONSTANT, /* a constant, selected by bits 7:0 of the key: raw, modifier, index */
    BUNDLE_OF_TARGET,   /* the header's fields of the bundle at a label; distance, index, end */
    /* the header's fields; constants, constantN, and words named as in pictures */
    BUNDLE_OF_FOOTER,
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
    BUNDLE_V_DISTANCE, /* grains between the end of the bundle that names the label and the label */
    BUNDLE_V_END,      /* 1: no bundle follows the label */
    BUNDLE_V_CONSTANTS,
    BUNDLE_V_CONSTANT, /* constant of that number; 0 if the bundle has fewer */
    BUNDLE_V_WORD,     /* word of a stage and a unit; 0 if there is none */
};

struct bundle_value {
    const char *name;
    enum bundle_value_is is;
    unsigned number, unit; /* number of CONSTANT; stage and unit of WORD */
};

struct bundle_text {
    struct src_pos pos;
    const char *name; /* name of the unit's map that it replaces, or by which other texts use it */
    const char *key;  /* NULL: header or footer, of which all lines are printed, or a label */
    enum bundle_context context;
    VEC(struct bundle_value) values; /* each is a computed field of the lines' format */
    /* header and footer: one instruction per asm line; others: one instruction with all lines */
    VEC(struct instr *) lines;
};

/* A field of the header that depends on the next bundle */
struct bundle_follow {
    struct field *field, *next_field; /* `field` equals the next bundle's `of` */
    uint64_t last;                    /* value if there is no next bundle */
};

struct bundle {
    struct src_pos pos;
    struct isa *isa;
    const char *name, *stage_name; /* words for a bundle and a stage in texts */
    struct format *header, *block;
    VEC(struct bundle_unit) units;
    unsigned grain_bits, parts, results_after;
    /* registers counted per program: registers 0 to `registers` - 1, each of register_slots
     * slots */
    unsigned registers, register_slots;
    const char *open, *close; /* printed after the header's text, and at the end */
    unsigned max_stages, max_constants;
    unsigned constant_high, constant_low; /* highest and lowest stored bit of a constant */
    VEC(struct bundle_grain *) grains;
    VEC(struct bundle_grain *)
    /* grains that can begin a bundle; grains of constants, which follow the stages */
    first, constants;
    VEC(struct bundle_string *) strings; /* matched before grains */
    VEC(struct bundle_text) texts;
    VEC(struct field *)
    decided; /* fields of the block that the assembler tries all values of, in this order */
    VEC(struct bundle_follow) follows;
};

/* Prints the bundle as part of model_print(). */
void bundle_model_print(FILE *out, const struct bundle *c);

#endif
