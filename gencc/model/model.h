/*
 * The checked model of an architecture: names resolved, widths summed, register layout fixed,
 * encodings expanded, conflicts reported. All later stages use it. Only the bodies of behaviours
 * are still syntax trees, which gencc/lower translates to IR.
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

/* A named view of the state: a slot (count 1) or a bank of `count` registers. A register is an
 * element, or a vector of type.lanes elements. Views may overlap. */
struct reg_view {
    struct src_pos pos;
    const char *name;
    const char *tag; /* "PC", "SP", "C", "Z", "N", "V", "ISA", or NULL */
    bool is_bank;
    struct ir_type type;   /* lanes: elements per register */
    unsigned index;        /* in model->views */
    unsigned space;        /* number of its register space */
    unsigned offset;       /* in bytes from the start of the state */
    unsigned count;        /* number of registers */
    unsigned reg_stride;   /* in bytes, from register to register */
    unsigned elem_stride;  /* in bytes, from element to element */
    struct sysreg *sysreg; /* system register that has this slot as storage, or NULL */
};

struct reg_space {
    /* Place in the state. Spaces with vectors are aligned to 64 bytes, others to 16. */
    unsigned offset, bytes;
};

/* A memory interface (ac_mem). Behaviours name it; its number is the index in model->mems. */
struct mem_iface {
    const char *name;
    unsigned addr_bits, word_bits;
    bool is_fetch;
    bool big_endian; /* numbers have their highest byte at the lowest address */
    unsigned ring;   /* privilege of every access, or AST_CURRENT_RING */
};

struct feature {
    const char *name;
    unsigned index;
    unsigned value;    /* from set_feature, else 0 */
    const char *about; /* description of features that -cpu can set; else NULL */
};

/* A system register. `code` packs the encoding fields of the space, the first field in the highest
 * bits. */
struct sysreg {
    struct src_pos pos;
    const char *name;
    uint32_t code;
    VEC(uint32_t) enc;
    struct ir_type type;
    uint64_t reset;
    uint64_t mask; /* writable bits (default: all); other bits keep their reset value */
    /* [0]: lowest exception level that may read; 255: none. Other elements are reserved for banked
     * security states. */
    uint8_t read_level[8];
    uint8_t write_level[8];              /* as read_level, for writes */
    bool has_storage;                    /* the state has a slot for the register */
    struct reg_view *view;               /* the slot, if has_storage */
    const struct ast_stmt *read, *write; /* bodies, or NULL */
    bool broken;                         /* the definition contains syntax errors */
    struct ir_func *read_fn, *write_fn;  /* made by the lowering */
    uint32_t isas;                       /* set of the ISAs whose files declare the register */
    bool ends_block; /* `ends_block = 1;`: a write may change how code is fetched or decoded */
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
    struct ir_type type; /* raw fields: the smallest unsigned type with enough bits */
    unsigned width, lsb; /* raw fields: place in the word; computed fields: width 0 */
    unsigned index;      /* in format->fields */
    bool computed;       /* computed by `value` or by decode(FORMAT) */
    /* computed fields that decode() splits from raw bits: those bits, the initial value; else
     * NULL */
    struct field *bits;
    const struct ast_expr *value;
};

struct format {
    struct src_pos pos;
    const char *name;
    unsigned width;   /* bits of the word, at most 128 */
    u128 mask, value; /* literal bits */
    /* raw fields, most significant first, then computed fields in order */
    VEC(struct field *) fields;
    const struct ast_def *decode; /* decode(FORMAT) body, or NULL */
    const struct ast_format *ast;
    /* prints instructions that have no asm lines of their own; NULL: not made yet */
    struct ir_func *text;
    bool used; /* used by an instruction, a bundle, or as the type of a word */
};

/* A conjunction of bit constraints. A word matches if (word & mask) == value and, for each entry of
 * `nots`, (word & not.mask) != not.value. */
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
    VEC(u128) keys; /* values of the family's fields */
    /* template arguments of the behaviour; types are resolved by the lowering */
    VEC(struct ast_targ) values;
};

struct family {
    struct src_pos pos;
    const char *name;
    VEC(const char *) fields;
    VEC(struct ast_tparam) tparams;
    VEC(struct family_row) rows;
    VEC(const struct family *) factors; /* factors of a product; empty: a declared family */
    bool used;                          /* used by an instruction */
};

/* An entry of an assembly map: texts for one key or several keys */
struct map_entry {
    VEC(int64_t) keys;
    VEC(const char *) texts; /* first is printed, all are accepted */
};
struct asm_map {
    struct src_pos pos;
    const char *name;
    unsigned arity; /* keys per entry */
    bool is_text;   /* replaced by a text of a bundle, which prints the keys */
    VEC(struct map_entry) entries;
    unsigned index;
    bool used; /* used by an asm line */
};

enum asm_number {               /* Number formats of asm strings */
                  ASM_IMM,      /* %imm %exp and any name that is no map: decimal, as published */
                  ASM_DEC,      /* %d  signed decimal */
                  ASM_UNSIGNED, /* %u  unsigned decimal */
                  ASM_HEX,      /* %x  0x… lower case */
                  ASM_ADDRESS,  /* %a  value is added to the instruction's address, printed 0x… */
                  ASM_PAGE,     /* %p  as %a from the 4 KB page that holds the instruction (ADRP) */
                  /* %a4  as %a from the instruction's address rounded down to a multiple of 4 */
                  ASM_ALIGNED,
                  /* %region  value is added to the start of the region that holds the next word */
                  ASM_REGION,
                  /* %f  value is the bits of a double, printed as binutils does (%.18e) */
                  ASM_FLOAT,
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
    /* ASM_REGION: log2 of the region's bytes, and bytes from the word to the next */
    unsigned region_bits, region_ahead;
    VEC(const struct ast_expr *) values;
};

/* A way to write an instruction. The disassembler prints the first one whose condition holds and
 * whose maps all have an entry; the assembler accepts all. */
struct asm_syntax {
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
    VEC(struct pattern) patterns; /* alternatives; they include the literal bits of the format */
    VEC(const struct ast_expr *) where;
    /* all must be non-zero, otherwise the encoding is undefined */
    VEC(struct feature *) features;
    /* condition of the instruction, which otherwise does nothing; NULL: unconditional */
    const struct ast_expr *predicate;
    struct family *family;         /* the product, if there are several; or NULL */
    struct src_pos family_pos;     /* position of its name */
    const char *behaviour;         /* name of its behaviour */
    const struct ast_def *execute; /* body of the behaviour */
    VEC(struct asm_syntax) syntax;
    struct ir_func *text; /* prints its own asm lines; NULL: not made yet */
    const char *klass;
    unsigned ticks; /* time that an execution takes, 1 to MAX_TICKS */
    const struct ast_instr *ast;
    bool end_of_block, reads_pc, block_cond;
    VEC(struct form *) forms;
};

/* The result of decoding: an instruction, or one row of its family */
struct form {
    struct isa *isa;
    struct instr *instr;
    unsigned index; /* in isa->forms */
    int row;        /* row of instr->family, or -1 */
    /* name of the instruction, with the row's key values appended; unique in the ISA */
    const char *name;
    VEC(struct pattern) patterns; /* with the row's key fields fixed */
    struct ir_func *exec;         /* lowered behaviour */
    /* bool decode_x(word): computes the fields. Returns 0 if a `where` condition or `raise` in
     * decode(FORMAT) rejects the word. */
    struct ir_func *decode;
    bool has_exec, has_decode; /* whether each was lowered; an error leaves NULL there */
};

/* ---- decision tree --------------------------------------------------------------------------- */

struct decode_node {
    enum { DECODE_FAIL, DECODE_LEAF, DECODE_SWITCH } kind;
    unsigned shift, width;         /* SWITCH on (word >> shift) & ((1 << width) - 1) */
    struct decode_node **children; /* 1 << width subtrees; equal ones may be shared */
    /* LEAF: candidates in order. The first whose remaining test and decode function accept the word
     * is the result. There are several only if `!=` constraints or `where` conditions decide. */
    VEC(struct form *) forms;
    VEC(struct pattern) tests; /* remaining test of each candidate */
};

/* A width of words longer than one unit (ac_widths), with the first units that have it */
struct word_width {
    struct src_pos pos;
    unsigned bits;
    u128 mask, value; /* test of the first unit */
};

/* The decode context (ac_context): a slot that affects decoding and that decoding carries from
 * instruction to instruction. Every format has it as the field `context`, whose bits are above
 * those of the word. */
struct context {
    struct src_pos pos;
    struct reg_view *slot;      /* NULL: the ISA has none */
    const char *advance;        /* name of the helper that computes the next context */
    struct ir_func *advance_fn; /* made by the lowering */
};
enum { CONTEXT_LSB = 32, CONTEXT_BITS = 8 };

/* The field `part` of words of lanes is in the bits above the word: the number of the operation for
 * which an instruction is decoded. Formats with a field `parts`, the mask of these operations, have
 * it. */
enum { LANE_MAX_WORD_BITS = 120, PART_LSB = LANE_MAX_WORD_BITS, PART_BITS = 4 };

struct isa {
    const char *name;
    struct model *model;
    unsigned index;
    unsigned fetch_bits; /* width of words, or of units if there are word_widths */
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
    VEC(struct decode_node *) trees;  /* the decoder of each of `widths` */
    VEC(const struct ast_def *) defs; /* helpers, externals, constants, behaviours, typenames */
    /* bodies that run around those of all instructions; NULL: none */
    const struct ast_def *before, *after;
    VEC(struct ir_func *) funcs;   /* every lowered function, callees before callers */
    VEC(struct ir_func *) exports; /* exported helpers and special behaviours */
    struct name_map instr_names, map_names, format_names;
    bool published;        /* in the published form only, where overlaps are warnings */
    struct bundle *bundle; /* bundles instead of instructions (gencc/model/bundle.h), or NULL */
    const struct ast_isa *ast;
    void *lowered; /* owned by gencc/lower */
};

struct class_time {
    const char *name;
    unsigned ticks; /* 1 to MAX_TICKS */
};

/* What instructions take on a CPU (ac_timing). Classes that are not listed take a cycle. */
struct timing {
    const char *name, *source; /* where the numbers are from; NULL: not given */
    unsigned mhz, ticks_per_cycle;
    VEC(struct class_time) classes;
};

struct model {
    struct arena *arena;
    struct diag *diag;
    const char *name;
    const struct ast_arch *ast;
    bool is_lane;       /* behaviours concern one lane; each lane has its own registers */
    bool big_endian;    /* byte order of units of words and of the assembler's numbers */
    unsigned word_bits; /* word type of intrinsics: 32 or 64 */
    VEC(struct mem_iface) mems;
    VEC(struct reg_space) spaces;
    VEC(struct reg_view *) views;
    VEC(struct feature *) features;
    struct sysreg_space sysreg_space;
    VEC(struct sysreg *) sysregs; /* sorted by code */
    VEC(struct isa *) isas;
    VEC(struct timing) timings;
    struct name_map view_names, feature_names, sysreg_names;
    unsigned state_bytes;     /* size of the state in bytes */
    struct reg_view *pc, *sp; /* by tag, or NULL */
};

/* Builds the model from a tree and reports all errors. Returns NULL only if nothing can be built;
 * check d->errors before using it. */
struct model *model_build(struct arena *arena, struct diag *d, const struct ast_arch *arch);

/* Warns (diag_judge) of unused declarations and of probably misspelt classes. Call it after
 * everything that may use declarations. */
void model_judge(const struct model *m);

/* Applies `signed`, `unsigned`, `wide` or `narrow` to a type. Returns false, with the type
 * unchanged, if there is no type of that width. */
bool type_relate(enum ast_type_kind kind, struct ir_type *t);

/* Lookups by name; NULL if there is none. */
struct isa *model_isa(const struct model *m, const char *name);
struct reg_view *model_view(const struct model *m, const char *name);
struct feature *model_feature(const struct model *m, const char *name);
struct asm_map *isa_map(const struct isa *isa, const char *name);
struct field *format_field(const struct format *f, const char *name);

/* The width in bits of the word with this first unit. */
unsigned isa_width_of(const struct isa *isa, u128 unit);
/* The width in bits of a word given as a number; 0 if the number is no word. */
unsigned isa_width_of_word(const struct isa *isa, u128 word);
/* The first unit of a word of `width` bits, in the ISA's order of units. */
u128 isa_first_unit(const struct isa *isa, u128 word, unsigned width);
/* Load and store a word of `width` bits; units have the architecture's byte order in memory. */
u128 isa_word_load(const struct isa *isa, const unsigned char *bytes, unsigned width);
void isa_word_store(const struct isa *isa, unsigned char *bytes, u128 word, unsigned width);
/* Returns a word in hexadecimal: 0x and (width + 3) / 4 digits, or more if bits above are set. */
const char *word_hex(struct arena *a, u128 word, unsigned width);
/* The bits above a word that hold its decode context; 0 if the ISA has none. */
static inline u128 isa_context_bits(const struct isa *isa, unsigned context)
{
    return isa->context.slot ? (u128)context << CONTEXT_LSB : 0;
}

/* Extracts a raw field from a word. */
static inline u128 field_extract(const struct field *f, u128 word)
{
    return (word >> f->lsb) & low_bits(f->width);
}

/* Returns the bits of the word that a raw field consists of. */
static inline u128 field_mask(const struct field *f)
{
    return low_bits(f->width) << f->lsb;
}

/* Returns the leaf with the candidates for a word, most specific first, or NULL if no form can
 * match. The caller runs decode functions, which check `where`. */
const struct decode_node *isa_decode(const struct isa *isa, u128 word, unsigned width);

/* Whether the word passes the tests of the pattern. */
bool pattern_matches(const struct pattern *p, u128 word);

/* Prints the model (`gencc dump --stage model`). */
void model_print(FILE *out, const struct model *m);

#endif
