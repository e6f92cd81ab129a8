/*
 * What scanner, grammar and the functions that build the tree share. Private to front/.
 */
#ifndef GENCC_FRONT_PARSER_H
#define GENCC_FRONT_PARSER_H

#include "gencc/front/ast.h"
#include "gencc/front/layout.h"
#include "gencc/front/names.h"

struct token {
    int kind; /* token number of the grammar; 0 at the end */
    struct src_pos pos;
    const char *text; /* identifier or basic type; for a string, the text between its quotes */
    u128 value;
    double fvalue;
    bool is_unsigned, is_long, is_decimal, is_single;
};

/* Lists that the grammar collects before their elements are moved into the tree. */
struct expr_list {
    VEC(struct ast_expr *) v;
};
struct stmt_list {
    VEC(struct ast_stmt *) v;
};
struct targ_list {
    VEC(struct ast_targ) v;
};
struct param_list {
    VEC(struct ast_param) v;
};
struct tparam_list {
    VEC(struct ast_tparam) v;
};
struct property_list {
    VEC(struct ast_property) v;
};
struct asm_args {
    VEC(struct ast_expr *) args;
    VEC(struct ast_constraint) constraints;
};

/* Moves the elements of one vector into another of the same element type. */
#define vec_take(dst, src)         \
    do {                           \
        (dst)->data = (src)->data; \
        (dst)->len = (src)->len;   \
        (dst)->cap = (src)->cap;   \
    } while (0)

/* Start symbols: the languages as which a token stream can be parsed */
enum language { LANG_ARCH, LANG_GENC, LANG_EXPR, LANG_LAYOUT, LANG_ABI };

/* A file to parse later. ISAs follow the whole architecture file, which may name types after
 * ac_isa(); behaviour files follow all .ac files of their ISA. */
struct pending_file {
    const char *path;
    struct src_pos from;
};

/* An ISA while it is being read. */
struct isa_build {
    struct ast_isa *isa;
    struct name_map instrs;       /* struct ast_instr by name, declared or not */
    struct name_map declared;     /* struct ast_instr of declared instructions */
    VEC(struct ast_instr *) used; /* instructions named by statements before their declaration */
    VEC(struct pending_file) files;
    struct name_map files_seen, includes_seen;
    struct name_map pictures; /* struct ast_format by the name that ac_picture gives it */
};

/* A run of the front end. */
struct front {
    struct diag *d;
    struct arena *a;
    struct ast_arch *arch;
    struct name_map types;            /* names of types, from set_typename and `typename w = T;` */
    const struct include_chain *open; /* chain of the files being read, innermost first */
    unsigned files;                   /* number of files read; a file included twice counts twice */
    const struct source_file *memory; /* all files, if parsing from memory; otherwise NULL */
    unsigned memory_count;
    VEC(struct pending_file) isas;
    unsigned arch_included;              /* open include()s of an AC_ARCH */
    struct ast_layout_file *layout_file; /* result of LANG_LAYOUT */
    VEC(struct pending_file) abis;       /* files of ac_abi(), read behind the ISAs */
};

/* A token stream on its way through the grammar. */
struct parser {
    struct front *front;
    struct diag *d;
    struct arena *a;
    const struct source_file *file;
    enum language lang;
    VEC(struct token) tokens; /* on the heap, while the text is parsed; the last has kind 0 */
    unsigned next;            /* index of the next token to return */
    bool started;
    unsigned braces;              /* open braces before `next` */
    struct name_map *local_types; /* template and family parameters that are types */
    bool c_types;                 /* names of C types are known: in decode() and behaviour() */
    struct isa_build *build;      /* the ISA being read, or NULL */
    bool in_behaviour;            /* in behaviour() or system(), where C++ is skipped */
    struct ast_expr *result;      /* result of LANG_EXPR */

    /* The constructs that are being parsed */
    const char *isa_name;      /* name in the AC_ISA of this file */
    struct ast_instr *instr;   /* instruction of the current block or statement */
    struct ast_format *format; /* the format whose fields are being read, or NULL */
    struct ast_family *family; /* family whose fields are being read */
    struct token format_name;  /* NAME of `ac_instr<NAME>` */
    VEC(const char *) attrs;   /* `@name`s in front of a format */
    int64_t key_from, key_to;  /* last key range read */
    struct ast_bundle *bundle;
    struct ast_grain *grain;
    struct ast_table *table;
    struct ast_layouts *layouts;
    struct ast_lay_enum *lay_enum;
    struct ast_layout *layout;
    struct ast_lay_field lay_field;
    struct ast_registers *registers;
    struct ast_gpu *gpu;
    struct abi_node *abi; /* the block whose statements are being read */

    /* Recovery from syntax errors; see feed.c. */
    bool recovering;
    unsigned missing_braces; /* closing braces still to be inserted */
    bool made_brace;         /* the last token returned was an inserted brace */
    unsigned parens;         /* parentheses open in the current statement before `next` */
    unsigned open_parens;    /* `parens` before the last token returned */
    /* value of `parens` inside a `for (`, which may contain `;`; 0: not in one */
    unsigned for_parens;
    bool broken_parens;      /* parentheses were open at a syntax error */
    unsigned missing_parens; /* closing parentheses to insert before `held` */
    struct token held;       /* token to return next, unless its kind is 0 */
    unsigned given_back;     /* 1 + index of the last token that was returned a second time */
};

/* Scans part of a file into p->tokens, which the caller frees. `line` and `column` are those of
 * the first byte. */
void scan_text(struct parser *p, const struct source_file *file, const char *text, size_t length,
               unsigned line, unsigned column);

/* Returns the next token, with type names and contextual keywords classified. */
struct token feed_next(struct parser *p);

/* Describes the token returned last for a message; `symbol` is the grammar's name of it. */
void feed_describe(const struct parser *p, const char *symbol, char *buf, size_t size);

/* The token returned last if it is a name, else NULL. */
const char *feed_word(const struct parser *p);

/* If the token returned last is a name that follows another name: the other name, which should have
 * been a type. Otherwise NULL. */
const char *feed_not_a_type(const struct parser *p);

/* GenC's type for a type name of C, or NULL. */
const char *feed_type_hint(const char *name);

/* Whether the token returned last is of that kind. */
bool feed_is(const struct parser *p, int kind);

/* Whether the token returned last is a brace inserted in place of a missing one, which was
 * reported. */
bool feed_is_missing(const struct parser *p);

/* Prepares the token stream for recovery: the grammar rejected the token returned last. */
void feed_recover(struct parser *p);

/* Runs the grammar over part of a file. */
void parse_text(struct parser *p, const char *text, size_t length, unsigned line, unsigned column);

/* Parses `length` bytes inside a string token as one expression; NULL after an error. */
struct ast_expr *parse_substring(struct parser *p, struct src_pos pos, const char *text,
                                 size_t length);

/* The text of a string token, with escapes resolved. */
const char *string_value(struct parser *p, const struct token *t);

/* The range from `first` to the end of `last`, if both are on one line; else `first`. */
struct src_pos pos_join(struct src_pos first, struct src_pos last);

/* ---- nodes.c: nodes of GenC's tree
 * ------------------------------------------------------------- */
struct ast_expr *node_expr(struct parser *p, enum ast_expr_kind kind, struct src_pos pos);
struct ast_expr *node_op(struct parser *p, enum ast_expr_kind kind, enum ast_op op,
                         struct src_pos pos, struct ast_expr *a, struct ast_expr *b);
struct ast_expr *node_ternary(struct parser *p, struct src_pos pos, struct ast_expr *a,
                              struct ast_expr *b, struct ast_expr *c);
struct ast_expr *node_number(struct parser *p, const struct token *t);
struct ast_expr *node_float(struct parser *p, const struct token *t);
struct ast_expr *node_name(struct parser *p, const struct token *t);
struct ast_expr *node_typed(struct parser *p, enum ast_expr_kind kind, struct src_pos pos,
                            struct ast_type *type, struct ast_expr *a);
struct ast_expr *node_decl(struct parser *p, struct ast_type *type, const struct token *name,
                           struct ast_expr *value);
struct ast_expr *node_call(struct parser *p, const struct token *name, struct targ_list *targs,
                           struct expr_list *args);
struct ast_expr *node_vector(struct parser *p, struct src_pos pos, struct expr_list *args);
struct ast_type *node_type(struct parser *p, enum ast_type_kind kind, struct src_pos pos,
                           const char *name, struct ast_type *inner);
struct ast_stmt *node_stmt(struct parser *p, enum ast_stmt_kind kind, struct src_pos pos,
                           struct ast_expr *expr);
struct ast_stmt *node_flow(struct parser *p, enum ast_stmt_kind kind, struct src_pos pos,
                           struct ast_expr *expr, struct ast_stmt *a, struct ast_stmt *b);
struct ast_stmt *node_block(struct parser *p, enum ast_stmt_kind kind, struct src_pos pos,
                            struct stmt_list *body);
struct ast_def *node_def(struct parser *p, enum ast_def_kind kind, const struct token *name,
                         struct ast_stmt *body);
/* Reports a case whose statements fall through to the next case. */
void check_case_end(struct parser *p, const struct ast_stmt *c);
/* Makes a definition that takes no attributes; published special behaviours may have `global`. */
struct ast_def *plain_def(struct parser *p, enum ast_def_kind kind, const struct token *name,
                          unsigned attrs, struct ast_stmt *body);
/* Reports attributes of the definition other than `allowed`. */
void check_attrs(struct parser *p, const struct ast_def *def, unsigned allowed);
/* The attribute of that name, or 0 after reporting an unknown one. */
unsigned helper_attr(struct parser *p, const struct token *name);
/* The value of a number token with its sign; reports values that do not fit 64 bits. */
int64_t signed_number(struct parser *p, bool negative, const struct token *t);
/* The value of an expression of literals. Reports other expressions and values above `max`, and
 * returns 0 for them. */
unsigned literal_uint(struct parser *p, const struct ast_expr *e, unsigned max);

/* ---- instr.c: the statements of .ac files
 * -------------------------------------------------------- */
void arch_begin(struct parser *p, const struct token *name);
void arch_isa(struct parser *p, const struct token *path);
/* Reads a file with another AC_ARCH block of the architecture. */
void arch_include(struct parser *p, const struct token *path);
/* Reads the ISAs that the architecture file named. */
void arch_end(struct parser *p);
/* Reports a statement at `pos` that may occur once, if `already`. */
void check_once(struct parser *p, struct src_pos pos, bool already);
/* Warns if ISA_CTOR or ARCH_CTOR names something other than the block that contains it. */
void check_ctor(struct parser *p, const char *what, const struct token *name, const char *of);
void arch_word_size(struct parser *p, struct src_pos pos, unsigned bits);
void arch_endian(struct parser *p, struct src_pos pos, const struct token *name);
/* Begins an ac_timing and, in it, a class; the others add a number to the latest of these. */
void cpu_timing_begin(struct parser *p, const struct token *name, const struct token *source);
void cpu_timing_class(struct parser *p, const struct token *name);
void cpu_timing_word(struct parser *p, const struct token *name, const struct token *value);
void class_word(struct parser *p, const struct token *name, const struct token *value);
void isa_begin(struct parser *p, const struct token *name);
void isa_predicated(struct parser *p, const struct token *value);
void isa_predicate(struct parser *p, struct ast_expr *call, struct ast_decoder *bits);
/* Adds an attribute `@name` for the next format. */
void isa_attribute(struct parser *p, const struct token *name);
/* Reports a statement of the published language that gencc does not support; `hint` names the
 * alternative. */
void report_unsupported(struct parser *p, struct src_pos pos, const char *what, const char *hint);
void isa_fetch_size(struct parser *p, struct src_pos pos, unsigned bits);
/* ac_widths: the order of units in a word, and a row of the table. */
void isa_unit_order(struct parser *p, const struct token *name);
void isa_width(struct parser *p, struct src_pos pos, unsigned bits, const struct token *picture);
/* ac_context SLOT (advance); */
void isa_context(struct parser *p, const struct token *slot, const struct token *advance);
void isa_include(struct parser *p, const struct token *path);
void isa_elf(struct parser *p, struct src_pos pos, unsigned machine, unsigned bits, unsigned flags);
void isa_behaviour_file(struct parser *p, const struct token *path);
/* Adds a bank or slot, of which `v` has the name and type; `tag` may be NULL. */
void regspace_view(struct parser *p, struct ast_regspace *space, struct ast_view v,
                   const struct expr_list *numbers, const struct token *tag);
void format_begin(struct parser *p, const struct token *name, const struct token *picture);
void format_end(struct parser *p);
/* Declares an instruction; `format` is NULL if its block has a picture. */
void instr_declare(struct parser *p, const struct token *name, const struct token *format);
void instr_block_begin(struct parser *p, const struct token *name, const struct token *format,
                       const struct token *picture);
void instr_block_end(struct parser *p);
void instr_field(struct parser *p, struct ast_type *type, const struct token *name,
                 struct ast_expr *value);
/* Adds `next_context e;`, which is a computed field of that name. */
void instr_next_context(struct parser *p, const struct token *word, struct ast_expr *value);
/* Selects the instruction to which the next statement applies. */
void instr_select(struct parser *p, const struct token *name);
void instr_asm(struct parser *p, const struct token *text, struct asm_args *args,
               struct ast_expr *condition, bool published);
void instr_behaviour(struct parser *p, struct src_pos pos, const struct token *name);
void instr_long_immediate(struct parser *p, struct src_pos pos, unsigned bits);
void instr_end_of_block(struct parser *p, const struct ast_decoder *when);
void instr_jump(struct parser *p, enum ast_jump_kind kind, const struct token *field, bool relative,
                struct ast_expr *offset);
/* Reports instructions that statements named but nothing declared. */
void instr_check_declared(struct front *f, const struct isa_build *b);

/* ---- abi.c: files of ac_abi() ---------------------------------------------------------------- */
/* arch_abi() notes the file that ac_abi() names; abi_read_files() reads the noted files. */
void arch_abi(struct parser *p, const struct token *path);
void abi_read_files(struct front *f);
void abi_include(struct parser *p, const struct token *path);
/* Begins a statement at the token, and adds the token to the statement that began last. */
struct abi_node *abi_statement(struct parser *p, const struct token *first);
void abi_word(struct parser *p, struct abi_node *n, const struct token *t);
/* Opens and closes the block of a statement. */
void abi_open(struct parser *p, struct abi_node *n);
void abi_close(struct parser *p);

/* ---- picture.c, asm_string.c ----------------------------------------------------------------- */
/* Appends the pieces of a format picture to f->bits. */
void picture_parse(struct parser *p, const struct token *string, struct ast_format *f);
/* Defines a named picture (ac_picture), which other pictures may contain. */
void picture_define(struct parser *p, const struct token *name, const struct token *string);
/* Appends the pieces of an assembly string to s->pieces. In the published form braces are plain
 * text. */
void asm_string_parse(struct parser *p, const struct token *string, struct ast_asm *s,
                      bool published);

/* ---- parse.c --------------------------------------------------------------------------------- */
/* Returns the path of a file that another file names; NULL after reporting a missing file. */
const char *front_find(struct front *f, const struct source_file *from, const struct token *path);
/* Parses constants and adds them to the prelude of the architecture. */
void front_parse_prelude(struct front *f, const char *name, const char *text, size_t length);
/* Reads and parses a file; reports files that include themselves. Returns false if it could not be
 * read. */
bool front_parse_file(struct front *f, const char *path, struct src_pos from, enum language lang,
                      struct isa_build *build);

#endif
