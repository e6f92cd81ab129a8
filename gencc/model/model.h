/*
 * The checked model of an architecture: names resolved, widths summed, register layout fixed,
 * encodings expanded, conflicts found. Everything after the front end works on it; only the bodies
 * of behaviours are still syntax trees, which gencc/lower turns into IR.
 */
#ifndef GENCC_MODEL_MODEL_H
#define GENCC_MODEL_MODEL_H

#include "gencc/front/ast.h"
#include "gencc/front/names.h"
#include "gencc/ir/type.h"

struct ir_func;
struct model;
struct isa;

/* ---- state ----------------------------------------------------------------------------------- */

/* A named view of the register blob: a slot (count 1) or a bank of `count` registers, each an
 * element or a vector of type.lanes elements. Views may overlap. */
struct reg_view {
    struct src_pos pos;
    const char *name;
    const char *tag; /* "PC", "SP", "C", "Z", "N", "V", "ISA", or NULL */
    bool is_bank;
    struct ir_type type;   /* lanes = elements of one register */
    unsigned index;        /* in model->views */
    unsigned space;        /* register space it belongs to */
    unsigned offset;       /* bytes from the start of the whole register blob */
    unsigned count;        /* registers */
    unsigned reg_stride;   /* bytes from one register to the next */
    unsigned elem_stride;  /* bytes from one element to the next */
    struct sysreg *sysreg; /* the declaration that made this slot, or NULL */
};

struct reg_space {
    unsigned offset, bytes; /* place in the blob; spaces start at multiples of 64 bytes if they
                               hold vectors, of 16 otherwise */
};

/* A memory interface (ac_mem): number = index in model->mems, as behaviours name it. */
struct mem_iface {
    const char *name;
    unsigned addr_bits, word_bits;
    bool is_fetch;
    unsigned ring; /* with whose rights it always works, or AST_CURRENT_RING */
};

struct feature {
    const char *name;
    unsigned index;
    unsigned value;    /* set_feature, else 0 */
    const char *about; /* what it is, of those that are chosen for a CPU; else NULL */
};

/* A system register. `code` packs the encoding fields of the space, the first field highest. */
struct sysreg {
    struct src_pos pos;
    const char *name;
    uint32_t code;
    VEC(uint32_t) enc;
    struct ir_type type;
    uint64_t reset;
    uint64_t mask; /* writable bits; the others keep their reset value. All ones by default */
    uint8_t read_level[8];  /* read_level[0]: lowest exception level that may read, 255 = none */
    uint8_t write_level[8]; /* likewise; only element 0 is used, room for banked security states */
    bool has_storage;       /* a slot of the same name exists in the blob */
    struct reg_view *view;  /* that slot */
    const struct ast_stmt *read, *write; /* bodies, or NULL */
    bool broken;                         /* as its definition is */
    struct ir_func *read_fn, *write_fn;  /* made by the lowering */
    uint32_t isas;                       /* bit an ISA whose files declare it */
    bool ends_block; /* `ends_block = 1;`: a write changes how code is fetched or decoded */
};

struct sysreg_space {
    const char *name;
    VEC(const char *) fields;
    VEC(unsigned) widths;
    unsigned width; /* bits of a code */
};

/* ---- encodings ------------------------------------------------------------------------------- */

struct field {
    struct src_pos pos;
    const char *name;
    struct ir_type type; /* raw: the smallest unsigned type that holds it */
    unsigned width, lsb; /* raw fields: bits of the word; computed: width 0 */
    unsigned index;      /* in format->fields */
    bool computed;       /* value comes from `value` or from decode(FORMAT) */
    struct field *bits;  /* computed, of that name in the word: what decode() finds it to be */
    const struct ast_expr *value;
};

struct format {
    struct src_pos pos;
    const char *name;
    unsigned width;             /* bits of the word, at most 128 */
    u128 mask, value;           /* literal bits */
    VEC(struct field *) fields; /* raw ones, most significant first, then computed ones in order */
    const struct ast_def *decode; /* decode(FORMAT) body, or NULL */
    const struct ast_format *ast;
    struct ir_func *text; /* what writes the instructions without lines of their own, once made */
    bool used;            /* by an instruction, a bundle, or as the type of a word */
};

/* One conjunction of bit constraints. The word matches when (word & mask) == value and, for each
 * entry of `nots`, (word & not.mask) != not.value. */
struct bit_test {
    u128 mask, value;
};
struct pattern {
    struct src_pos pos;
    u128 mask, value;
    VEC(struct bit_test) nots;
};

struct family_row {
    struct src_pos pos;
    VEC(u128) keys;              /* one a field */
    VEC(struct ast_targ) values; /* one a template parameter; types resolved by the lowering */
};

struct family {
    struct src_pos pos;
    const char *name;
    VEC(const char *) fields;
    VEC(struct ast_tparam) tparams;
    VEC(struct family_row) rows;
    bool used; /* by an instruction */
};

/* An assembly map: text for a key or a stage of keys. */
struct map_entry {
    VEC(int64_t) keys;
    VEC(const char *) texts; /* first is printed, all are accepted */
};
struct asm_map {
    struct src_pos pos;
    const char *name;
    unsigned arity; /* keys in a stage */
    bool is_text;   /* a text of a bundle, which says what keys read as */
    VEC(struct map_entry) entries;
    unsigned index;
    bool used; /* by an asm line */
};

enum asm_number {               /* the number formats of asm strings */
                  ASM_IMM,      /* %imm %exp and any name that is no map: decimal, as published */
                  ASM_DEC,      /* %d  signed decimal */
                  ASM_UNSIGNED, /* %u  unsigned decimal */
                  ASM_HEX,      /* %x  0x… lower case */
                  ASM_ADDRESS,  /* %a  value is added to the instruction's address, printed 0x… */
                  ASM_PAGE,     /* %p  as %a from the 4 KB page that holds the instruction (ADRP) */
                  ASM_ALIGNED,  /* %a4  as %a from the multiple of 4 at or before the instruction */
                  ASM_FLOAT, /* %f  value is the bits of a double; printed as C's %.18e would by binutils */
                  ASM_DECIMAL, /* %decimal  value is the bits of a double, printed as C's %.17g */
                  ASM_SINGLE,  /* %single  value is the bits of a float, printed as C's %f */
                  ASM_WORD,    /* %word  0x and eight digits */
                  ASM_BITS,    /* %bits  numbers of the bits that are set: 0, 3 */
                  ASM_GENERAL, /* %general  value is the bits of a double, printed as C's %g */
                  ASM_CAPITAL, /* %capital  0x… upper case */
                  ASM_SYSREG,  /* %sysreg{…}: name of the system register with that encoding */
};

struct asm_piece {
    struct src_pos pos;
    const char *text;          /* literal, or NULL */
    const struct asm_map *map; /* or NULL */
    enum asm_number number;
    bool list; /* published `%reg...`: each set bit of the value through the map */
    VEC(const struct ast_expr *) values;
};

struct asm_syntax { /* one way to write an instruction; the first whose condition holds and whose
                       maps all have an entry is printed; all are assembled */
    struct src_pos pos;
    VEC(struct asm_piece) pieces;
    VEC(const struct ast_constraint *) constraints;
    const struct ast_expr *condition;
};

enum { MAX_TICKS = 65535 };

struct instr {
    struct src_pos pos;
    const char *name;
    unsigned index; /* in isa->instrs */
    struct format *format;
    VEC(struct pattern) patterns; /* alternatives; literal bits of the format included */
    VEC(const struct ast_expr *) where;
    VEC(struct feature *) features;   /* all must be non-zero, else the encoding is undefined */
    const struct ast_expr *predicate; /* without it nothing happens; or NULL */
    struct family *family;            /* or NULL */
    const char *behaviour;            /* name */
    const struct ast_def *execute;    /* its execute() or, for a published model, the same */
    VEC(struct asm_syntax) syntax;
    struct ir_func *text; /* what writes the lines that are its own, once made */
    const char *klass;
    unsigned ticks; /* of time that one takes: 1 to MAX_TICKS */
    const struct ast_instr *ast;
    bool end_of_block, reads_pc, block_cond;
    VEC(struct form *) forms;
};

/* What the decoder yields: an instruction, or one row of its family. */
struct form {
    struct instr *instr;
    unsigned index;   /* in isa->forms */
    int row;          /* in instr->family, or -1 */
    const char *name; /* instr, or instr_row made of the row's key values, unique in the ISA */
    VEC(struct pattern) patterns; /* with the row's key fields fixed */
    struct ir_func *exec;         /* lowered execute body */
    struct ir_func *decode; /* bool decode_x(word): computes the fields, returns 0 when rejected
                               by a `where` condition or by `raise` in decode(FORMAT) */
};

/* ---- decision tree --------------------------------------------------------------------------- */

struct decode_node {
    enum { DECODE_FAIL, DECODE_LEAF, DECODE_SWITCH } kind;
    unsigned shift, width;         /* SWITCH on (word >> shift) & ((1 << width) - 1) */
    struct decode_node **children; /* 1 << width of them; equal subtrees may be shared */
    /* LEAF: candidates in order; the first whose remaining test and decode function accept the word
     * is the result. More than one only where `!=` constraints or where conditions decide. */
    VEC(struct form *) forms;
    VEC(struct pattern) tests; /* what is still to be checked for each candidate */
};

/* Words whose first unit is so have more bits than one unit (ac_widths). */
struct word_width {
    struct src_pos pos;
    unsigned bits;
    u128 mask, value; /* of the first unit */
};

/* What decoding depends on besides the word (ac_context): a slot, which decoding carries from one
 * instruction to the next. Each format has its value as the field `context`, whose bits stand above
 * those of the word. */
struct context {
    struct src_pos pos;
    struct reg_view *slot;      /* NULL: the ISA has none */
    const char *advance;        /* the helper that says what comes next */
    struct ir_func *advance_fn; /* made by the lowering */
};
enum { CONTEXT_LSB = 32, CONTEXT_BITS = 8 };

/* Words of lanes, and the field `part` that stands above them: which of its operations an instruction is
 * decoded for. Formats with a field `parts`, the mask of these operations, have it. */
enum { LANE_MAX_WORD_BITS = 120, PART_LSB = LANE_MAX_WORD_BITS, PART_BITS = 4 };

struct isa {
    const char *name;
    struct model *model;
    unsigned index;
    unsigned fetch_bits; /* of a word, or with word_widths of the units of words */
    bool high_first;     /* the first unit of a word is its highest */
    VEC(struct word_width) word_widths;
    struct context context;
    bool has_parts; /* some format has the field `part` */
    VEC(struct format *) formats;
    VEC(struct instr *) instrs;
    VEC(struct form *) forms;
    VEC(struct asm_map *) maps;
    VEC(struct family *) families;
    VEC(unsigned) widths;             /* the word widths in use, ascending */
    VEC(struct decode_node *) trees;  /* one a width */
    VEC(const struct ast_def *) defs; /* helpers, externals, constants, behaviours, typenames */
    VEC(struct ir_func *) funcs;      /* every lowered function, callees before callers */
    VEC(struct ir_func *) exports;    /* exported helpers and special behaviours */
    struct name_map instr_names, map_names, format_names;
    bool published;        /* purely the published form: overlaps are warnings, not errors */
    struct bundle *bundle; /* gencc/model/bundle.h: the ISA has bundles, no instructions; or NULL */
    const struct ast_isa *ast;
    void *lowered; /* owned by gencc/lower */
};

struct model {
    struct arena *arena;
    struct diag *diag;
    const char *name;
    const struct ast_arch *ast;
    bool is_lane;       /* behaviours are of one lane; registers are lane by lane */
    unsigned word_bits; /* ArchWordType of the intrinsics: uint32 or uint64 */
    VEC(struct mem_iface) mems;
    VEC(struct reg_space) spaces;
    VEC(struct reg_view *) views;
    VEC(struct feature *) features;
    struct sysreg_space sysreg_space;
    VEC(struct sysreg *) sysregs; /* sorted by code */
    VEC(struct isa *) isas;
    struct name_map view_names, feature_names, sysreg_names;
    unsigned state_bytes;     /* size of the register blob */
    struct reg_view *pc, *sp; /* by tag, or NULL */
};

/* Builds the model from a tree, reporting every error it finds. Returns NULL only when nothing can
 * be built; check d->errors before going on. */
struct model *model_build(struct arena *arena, struct diag *d, const struct ast_arch *arch);

/* Judges (diag_judge) what is declared and not used, and how classes are spelled; once everything
 * that may use it has been looked at. */
void model_judge(const struct model *m);

/* Makes a type the one that `signed`, `unsigned`, `wide` or `narrow` before it means; false, and
 * the type as it was, when there is none so wide or narrow. */
bool type_relate(enum ast_type_kind kind, struct ir_type *t);

/* Lookups; NULL when there is none. */
struct isa *model_isa(const struct model *m, const char *name);
struct reg_view *model_view(const struct model *m, const char *name);
struct feature *model_feature(const struct model *m, const char *name);
struct asm_map *isa_map(const struct isa *isa, const char *name);
struct field *format_field(const struct format *f, const char *name);

/* How many bits the word has whose first unit that is. */
unsigned isa_width_of(const struct isa *isa, u128 unit);
/* How many bits a word has that is given as a number; 0 when it is none. */
unsigned isa_width_of_word(const struct isa *isa, u128 word);
/* The first unit of a word of so many bits: as the ISA's units follow each other. */
u128 isa_first_unit(const struct isa *isa, u128 word, unsigned width);
/* A word of so many bits from memory, where units are little-endian, and to it. */
u128 isa_word_load(const struct isa *isa, const unsigned char *bytes, unsigned width);
void isa_word_store(const struct isa *isa, unsigned char *bytes, u128 word, unsigned width);
/* The bits above a word that say in which context it is decoded; 0 without one. */
static inline u128 isa_context_bits(const struct isa *isa, unsigned context)
{
    return isa->context.slot ? (u128)context << CONTEXT_LSB : 0;
}

/* Extracts a raw field from a word. */
static inline u128 field_extract(const struct field *f, u128 word)
{
    return (word >> f->lsb) & (f->width == 128 ? ~(u128)0 : (((u128)1 << f->width) - 1));
}

/* Candidates the tree leaves for a word, most specific first; the caller runs where/decode
 * functions. Returns the leaf, or NULL when no form can match. */
const struct decode_node *isa_decode(const struct isa *isa, u128 word, unsigned width);

/* True when the word passes a pattern's own tests. */
bool pattern_matches(const struct pattern *p, u128 word);

/* Text form of the model (`gencc dump --stage model`). */
void model_print(FILE *out, const struct model *m);

#endif
