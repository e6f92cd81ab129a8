/*
 * The syntax tree of GenC: what the parser makes of an architecture file (.ac) and of behaviour
 * files. The tree is as written: names are not resolved, types are not checked.
 */
#ifndef GENCC_FRONT_AST_H
#define GENCC_FRONT_AST_H

#include "common/vec.h"
#include "common/wide.h"
#include "gencc/front/diag.h"

/* ---- types as written ------------------------------------------------------------------------ */

enum ast_type_kind {
    AST_TYPE_NAMED,  /* uint8 … sint128, float, double, void, struct X, typename X, parameter T */
    AST_TYPE_SIGNED, /* signed T: the signed type of T's width */
    AST_TYPE_UNSIGNED, /* unsigned T */
    AST_TYPE_WIDE,     /* wide T: twice T's width, same signedness */
    AST_TYPE_NARROW,   /* narrow T: half T's width */
    AST_TYPE_VECTOR,   /* T[n] */
};

struct ast_type {
    enum ast_type_kind kind;
    struct src_pos pos;
    const char *name;       /* NAMED; for `struct X` and `typename X` the X */
    bool is_struct;         /* NAMED, written `struct X` */
    bool is_ref;            /* followed by & (parameters only) */
    struct ast_type *inner; /* SIGNED … VECTOR */
    struct ast_expr *lanes; /* VECTOR: constant expression */
};

/* ---- expressions ----------------------------------------------------------------------------- */

/* Deepest nesting of expressions and of statements; more is an error. */
enum { AST_MAX_DEPTH = 1000 };

enum ast_expr_kind {
    AST_INT,     /* value, suffix: bits 0 = none given */
    AST_FLOAT,   /* fvalue */
    AST_STRING,  /* name; only as argument of an intrinsic that takes text */
    AST_NAME,    /* name */
    AST_UNARY,   /* op a          ops: '+' '-' '~' '!' */
    AST_PREFIX,  /* ++a --a       op: AST_OP_INC / AST_OP_DEC */
    AST_POSTFIX, /* a++ a-- */
    AST_BINARY,  /* a op b */
    AST_ASSIGN,  /* a = b, a += b …; op is 0 for plain = */
    AST_TERNARY, /* a ? b : c */
    AST_CALL,    /* name.<targs>(args); a call with a type in place of its arguments, as
                    is_signed(T), has the type as its only template argument */
    AST_INDEX,   /* a[b]: vector element */
    AST_SLICE,   /* a[b:c]: bits b down to c (or c up to b), both constant */
    AST_MEMBER,  /* a.name, `inst.field` included */
    AST_CAST,    /* (type)a: converts the value */
    AST_BITCAST, /* <type>a: same bits */
    AST_VECTOR,  /* { args… } */
    AST_DECL,    /* type name [= a]: a declaration is an expression in GenC */
    AST_BITSOF,  /* bitsof(type): width of a scalar type in bits, constant */
    AST_LANESOF, /* lanesof(type): lane count, 1 for a scalar, constant */
};

enum ast_op {
    AST_OP_NONE,
    AST_OP_ADD,
    AST_OP_SUB,
    AST_OP_MUL,
    AST_OP_DIV,
    AST_OP_MOD,
    AST_OP_AND,
    AST_OP_OR,
    AST_OP_XOR,
    AST_OP_SHL,
    AST_OP_SHR,
    AST_OP_ROL,
    AST_OP_ROR, /* <<< and >>> */
    AST_OP_EQ,
    AST_OP_NE,
    AST_OP_LT,
    AST_OP_LE,
    AST_OP_GT,
    AST_OP_GE,
    AST_OP_LAND,
    AST_OP_LOR,
    AST_OP_CONCAT, /* :: */
    AST_OP_PLUS,
    AST_OP_NEG,
    AST_OP_NOT,
    AST_OP_LNOT,
    AST_OP_INC,
    AST_OP_DEC,
};

/* Computes a binary operator on two integers in 128 bits, wrapping around. Division by zero gives
 * 0, the remainder by zero the dividend, and a shift by 128 or more shifts all bits out, as in the
 * IR. Returns false for operators that depend on a width or evaluate one side only. */
bool ast_fold(enum ast_op op, s128 a, s128 b, s128 *out);

struct ast_targ { /* a template argument: a type or a constant expression */
    struct ast_type *type;
    struct ast_expr *expr;
};

struct ast_expr {
    enum ast_expr_kind kind;
    enum ast_op op;
    struct src_pos pos;
    struct ast_expr *a, *b, *c;
    const char *name;
    struct ast_type *type; /* CAST, BITCAST, DECL, BITSOF, LANESOF */
    u128 value;            /* INT */
    double fvalue;         /* FLOAT */
    bool is_unsigned;      /* INT: suffix U */
    bool is_long;          /* INT: suffix L */
    bool is_decimal;       /* INT: not written as 0x… or 0b…, which matters in C only */
    bool is_single;        /* FLOAT: suffix f, which makes it a float; otherwise a double */
    unsigned depth;        /* height of the tree below, at most AST_MAX_DEPTH */
    VEC(struct ast_expr *) args;
    VEC(struct ast_targ) targs;
};

/* ---- statements ------------------------------------------------------------------------------ */

enum ast_stmt_kind {
    AST_EXPR,
    AST_BLOCK,
    AST_IF,      /* if (cond) a else b */
    AST_WHILE,   /* while (cond) a */
    AST_DO,      /* do a while (cond) */
    AST_FOR,     /* for (init; cond; step) a; any of the three may be NULL */
    AST_SWITCH,  /* switch (cond) { body: cases and defaults } */
    AST_CASE,    /* case labels[…]: body */
    AST_DEFAULT, /* default: body */
    AST_BREAK,
    AST_CONTINUE,
    AST_RETURN, /* expr or NULL */
    AST_RAISE,  /* leaves the behaviour through an exception; in decode(): rejects the word */
};

struct ast_stmt {
    enum ast_stmt_kind kind;
    struct src_pos pos;
    struct ast_expr *expr; /* EXPR, RETURN; condition of IF, WHILE, DO, FOR, SWITCH */
    struct ast_expr *init, *step;
    struct ast_stmt *a, *b;
    VEC(struct ast_stmt *) body; /* BLOCK, SWITCH, CASE, DEFAULT */
    VEC(struct ast_expr *)
    /* CASE: its values; `case 1, 2, 5:` is an extension. DEFAULT: labels beside `default`, which
     * have no effect. */
    labels;
    unsigned depth; /* height of the tree below, at most AST_MAX_DEPTH */
};

/* ---- behaviour files ------------------------------------------------------------------------- */

struct ast_param {
    struct src_pos pos;
    struct ast_type *type;
    const char *name;
};

struct ast_tparam { /* template parameter: `typename T` or `const N` */
    struct src_pos pos;
    const char *name;
    bool is_type;
};

enum ast_def_kind {
    AST_HELPER,    /* helper T name<…>(params) attributes body */
    AST_EXTERNAL,  /* external T name(params); a C function */
    AST_EXECUTE,   /* execute(name) body */
    AST_HOOK,      /* hook(before) body, hook(after) body: around every instruction */
    AST_BEHAVIOUR, /* behaviour(name) body: special behaviours (reset, irq, read_pc …) */
    AST_DECODE,    /* decode(FORMAT) body */
    AST_SYSTEM,    /* system(name) body: accepted in published models, treated as BEHAVIOUR */
    AST_CONST,     /* const T name = value; */
    AST_TYPEDEF,   /* typename w = T; */
    AST_SYSREG,    /* sysreg NAME(enc…) { … } */
};

enum ast_attr { /* Attributes of a helper, combined by | */
                AST_ATTR_PRIVATE = 1,
                AST_ATTR_PUBLIC = 2,
                AST_ATTR_INTERNAL = 4,
                AST_ATTR_INLINE = 8,
                AST_ATTR_NOINLINE = 16,
                AST_ATTR_EXPORT = 32, /* the runtime calls it */
                AST_ATTR_FIXED = 64,
                AST_ATTR_SOMETIMES_FIXED = 128,
                AST_ATTR_GLOBAL = 256,
                /* external functions: the result depends on the arguments only, no effect */
                AST_ATTR_PURE = 512,
                /* external functions and helpers: the call never returns */
                AST_ATTR_NORETURN = 1024,
};

struct ast_property { /* name = value; or name { body } inside sysreg */
    struct src_pos pos;
    const char *name;
    struct ast_expr *value; /* string or constant expression, or NULL */
    struct ast_type *type;  /* `type = uint64;` */
    struct ast_stmt *body;
};

struct ast_def {
    enum ast_def_kind kind;
    struct src_pos pos; /* place of the name */
    const char *name;
    bool broken; /* The definition contains a syntax error, so its tree may be incomplete. */
    unsigned attrs;
    struct ast_type *type; /* result, or type of a CONST/TYPEDEF */
    VEC(struct ast_tparam) tparams;
    VEC(struct ast_param) params;
    struct ast_expr *value; /* CONST */
    struct ast_stmt *body;
    VEC(struct ast_expr *) encoding; /* SYSREG: constants, one per field of ac_sysreg_space */
    VEC(struct ast_property) properties;
};

/* ---- architecture and ISA files -------------------------------------------------------------- */

/* Rings (privilege levels) are numbered as in the runtime, 0 to AST_MAX_RING. */
enum { AST_MAX_RING = 3, AST_CURRENT_RING = 255 };

struct ast_mem {
    struct src_pos pos, word_pos, endian_pos, fetch_pos;
    const char *name, *endian;
    unsigned addr_bits, word_bits, is_fetch;
    unsigned ring; /* privilege of every access, or AST_CURRENT_RING */
};

struct ast_view { /* bank or slot of a register space */
    struct src_pos pos;
    const char *name, *tag; /* tag: slots only, or NULL */
    struct ast_type *type;
    bool is_bank;
    /* Slots have size and offset, banks the other numbers, all in bytes or registers. A bank
     * written with fewer numbers (front/instr.c) has elems = 1 or elem_stride = elem_size. */
    unsigned offset, size, count, reg_stride, elems, elem_size, elem_stride;
};

struct ast_regspace {
    struct src_pos pos;
    unsigned bytes;
    bool is_lane; /* ac_lane_regspace: every lane has these registers */
    VEC(struct ast_view) views;
};

struct ast_bits { /* a piece of a format; pieces are ordered from the most significant bit */
    struct src_pos pos;
    const char *name; /* NULL for literal bits */
    unsigned width;
    u128 value;       /* literal */
    bool dont_care;   /* literal `x`: any value matches, assembled as 0 */
    bool decode_only; /* %name!:n  */
};

struct ast_field { /* computed field: ac_field<T> name; or `field T name = expr;` */
    struct src_pos pos;
    struct ast_type *type;
    const char *name;
    struct ast_expr *value; /* NULL: set in decode(FORMAT) */
};

struct ast_format {
    struct src_pos pos;
    const char *name;
    VEC(struct ast_bits) bits;
    VEC(struct ast_field) fields;
    VEC(struct ast_expr *) where; /* conditions of all instructions of this format */
    VEC(const char *) attrs;      /* @name */
    /* asm lines of instructions of this format that have none of their own */
    VEC(struct ast_asm) syntax;
    /* made from the picture of an instruction block, and named after it */
    bool of_block;
};

enum ast_cmp { AST_CMP_EQ, AST_CMP_NE, AST_CMP_AND, AST_CMP_XOR }; /* = != & ^ */

struct ast_constraint { /* field op constant */
    struct src_pos pos;
    const char *field;
    enum ast_cmp cmp;
    struct ast_expr *value;
};

struct ast_decoder { /* an alternative of a decoder */
    struct src_pos pos;
    VEC(struct ast_constraint) all; /* all of them must hold */
};

/* A piece of an assembly syntax string:
 *   text              a literal;
 *   %name / %[name]   map `name`, value from the next positional argument;
 *   %imm %exp %u …    a number, value from the next positional argument;
 *   %name{e, e…}      either of these, with one or several values in place. */
struct ast_asm_piece {
    struct src_pos pos;
    const char *text; /* literal text, or NULL */
    const char *map;  /* map or number-format name */
    /* takes the next argument of set_asm() as its value; build.c counts the arguments */
    bool positional;
    /* published `%reg...`: each set bit of the value is printed through the map */
    bool list;
    VEC(struct ast_expr *) values;
};

struct ast_asm {
    struct src_pos pos;
    const char *text; /* the string as written */
    VEC(struct ast_asm_piece) pieces;
    VEC(struct ast_expr *) args;            /* published: positional arguments */
    VEC(struct ast_constraint) constraints; /* published: name = value arguments */
    struct ast_expr *condition;             /* `if (expr)` */
};

enum ast_jump_kind { AST_JUMP_NONE, AST_JUMP_VARIABLE, AST_JUMP_FIXED, AST_JUMP_PREDICATED };

struct ast_ticks { /* Ticks of an instruction, or of a statistics class: ac_ticks { NAME = 2; } */
    struct src_pos pos;
    const char *name; /* name of the class */
    unsigned value;
};

/* A row of ac_widths: instructions whose first unit matches `first` are `bits` wide. */
struct ast_width {
    struct src_pos pos;
    unsigned bits;
    struct ast_format first; /* picture of the first unit */
};

struct ast_context { /* ac_context SLOT (advance); pos.file NULL: there is none */
    struct src_pos pos, advance_pos;
    const char *slot, *advance;
};

struct ast_overlap { /* ac_overlap NAME { a, b, … }: a word that several match is the first's */
    struct src_pos pos;
    const char *name;
    VEC(struct ast_param) members; /* names of instructions, type NULL */
};

struct ast_instr {
    struct src_pos pos;
    const char *name;
    const char *format;    /* name of the format; a block with its own picture names it too */
    const char *behaviour; /* NULL: same name as the instruction */
    VEC(struct ast_param) families; /* `with family, …;`: names, type NULL */
    /* places of the names above */
    struct src_pos format_pos, behaviour_pos, jump_pos, klass_pos;
    bool is_block; /* written as a block (an addition of gencc) */
    VEC(struct ast_field)
    /* Computed fields of a block that shares a format. The fields of a block with its own picture
     * are in that format. */
    fields;
    VEC(struct ast_decoder) decoders;
    VEC(struct ast_expr *) where; /* further conditions over fields, all hold */
    VEC(struct ast_asm) syntax;
    VEC(struct ast_param) features; /* `requires FEATURE;`: names, type NULL */
    bool end_of_block;              /* set_end_of_block(); constraints in eob */
    struct ast_decoder eob, reads_pc;
    bool has_reads_pc, block_cond;
    enum ast_jump_kind jump;
    const char *jump_field;
    bool jump_relative;
    int64_t jump_offset;
    const char *klass;      /* `class NAME;` statistics class, e.g. "load", or NULL */
    struct ast_ticks ticks; /* `ticks n;`; pos.file NULL: there is none */
};

struct ast_map_row { /* "text"[a..b] = k…, [c..d];  or "text", "synonym" = k…; */
    struct src_pos pos;
    VEC(const char *) texts; /* first is printed, all are accepted */
    bool is_range;
    int64_t text_from, text_to;  /* numbers appended to the text */
    const char *suffix;          /* text behind the number of a range */
    VEC(struct ast_expr *) keys; /* constants; the range position holds NULL */
    int64_t key_from, key_to;    /* first and last key of the range */
};

struct ast_map {
    struct src_pos pos;
    const char *name;
    VEC(struct ast_map_row) rows;
};

struct ast_family_row {
    struct src_pos pos;
    VEC(struct ast_expr *) keys;
    VEC(struct ast_targ) values;
};

struct ast_family { /* ac_family NAME(field, …) <typename T, const N> { keys : values; … } */
    struct src_pos pos;
    const char *name;
    VEC(const char *) fields;
    VEC(struct ast_tparam) tparams;
    VEC(struct ast_family_row) rows;
};

struct ast_struct {
    struct src_pos pos;
    const char *name;
    VEC(struct ast_param) members;
};

struct ast_bundle; /* bundle_ast.h */
struct ast_table;

struct ast_isa { /* an ISA with all declarations of its files and of what they include */
    struct src_pos pos;
    const char *name, *path;
    unsigned fetch_bits;
    struct src_pos widths_pos; /* place of ac_widths; file NULL: all words have fetch_bits */
    bool high_first;           /* the first unit of a word is its highest */
    VEC(struct ast_width) widths;
    struct ast_context context;
    const char *predicated;
    /* Call of the helper that computes the predicate, or NULL. Instructions that have the field
     * named by its first argument are predicated. */
    struct ast_expr *predicate;
    /* constraints that every predicated instruction has, or NULL */
    struct ast_decoder *predicate_bits;
    VEC(struct ast_format) formats; /* ac_format, and one per block with its own picture */
    VEC(struct ast_field) fields;   /* ac_field */
    VEC(struct ast_instr *) instrs;
    VEC(struct ast_map) maps;
    VEC(struct ast_family) families;
    VEC(struct ast_overlap) overlaps;
    VEC(struct ast_param) with; /* `with family, …;`: families of all instructions, type NULL */
    VEC(struct ast_struct) structs;
    VEC(struct ast_ticks) ticks; /* ticks per statistics class */
    struct ast_bundle *bundle;   /* ac_bundle: the ISA's words are bundles; or NULL */
    VEC(struct ast_table *) tables;
    VEC(struct ast_param) behaviours;   /* ac_behaviour a, b: declared names (type NULL) */
    VEC(struct ast_def *) defs;         /* all behaviour files, in order */
    const char *comment, *line_comment; /* assembler.set_comment … */
    unsigned elf_machine, elf_bits,
        elf_flags; /* assembler.set_elf(): fields of the ELF header; elf_bits 0: not given */
    bool extended; /* uses instruction blocks or pictures, which the published language lacks */
};

struct ast_setting { /* set_feature, set_constant, set_typename of the ARCH_CTOR */
    struct src_pos pos;
    const char *name;
    struct ast_type *type;
    struct ast_expr *value;
};

struct ast_feature { /* feature NAME "what it is"; */
    struct src_pos pos;
    const char *name;
    const char *about; /* description for -cpu options; NULL: part of the state, not selectable */
};

struct ast_timing_word { /* `latency 3`: a number of a timing, or of one of its classes */
    struct src_pos pos;
    const char *name;
    unsigned value;
};

struct ast_timing_class { /* class NAME words; */
    struct src_pos pos;
    const char *name;
    VEC(struct ast_timing_word) words;
};

struct ast_timing { /* ac_timing NAME "source" { … } */
    struct src_pos pos;
    const char *name, *source; /* where the numbers are from; NULL: not given */
    VEC(struct ast_timing_word) words;
    VEC(struct ast_timing_class) classes;
};

struct ast_sysreg_space { /* ac_sysreg_space name(op0:2, op1:3, …); */
    struct src_pos pos;
    const char *name;
    VEC(struct ast_bits) fields;
};

struct abi_node;

struct ast_arch {
    struct src_pos pos;
    const char *name, *path;
    struct src_pos endian_pos; /* place of set_endian(); file NULL: not given */
    const char *endian;
    unsigned word_bits; /* 0: none given */
    VEC(struct ast_mem) mems;
    VEC(struct ast_regspace) spaces;
    VEC(struct ast_feature) features;
    VEC(struct ast_setting) feature_values, constants, typenames;
    VEC(struct ast_timing) timings;
    /* AST_CONST definitions that every description has (common/prelude) */
    VEC(struct ast_def *) prelude;
    struct ast_sysreg_space sysregs; /* name NULL when there is none */
    VEC(struct ast_isa *) isas;
    struct abi_node *abi; /* the statements of ac_abi(); NULL: none (abi_ast.h) */
};

/* Parses an architecture file and every file that it names. Included files are looked up in the
 * folder of the including file, then of the architecture file, then in the parent of that folder,
 * which architectures may share. Returns NULL only if the file itself cannot be read; otherwise the
 * tree of what could be parsed, with errors counted in `d`. */
struct ast_arch *ast_parse_arch(struct diag *d, const char *path);

/* Parses an architecture whose files are all in memory. The first of `count` files is the
 * architecture file; others are found if their path equals the name used in the description.
 * Nothing is read from disk. */
struct ast_arch *ast_parse_arch_memory(struct diag *d, const struct source_file *files,
                                       unsigned count);

/* Parses a single behaviour file into `isa`, without the prelude. Only types that `isa` defines are
 * known. Returns false after reporting an error. */
bool ast_parse_behaviours(struct diag *d, const struct source_file *file, struct ast_isa *isa);

/* Prints the tree (`gencc dump --stage ast`) as GenC text: the architecture file, then a
 * description and a behaviour file per ISA. Each file begins with a line `// file NAME`; split at
 * these lines, the text parses to the same tree again. */
void ast_print(FILE *out, const struct ast_arch *arch);

#endif
