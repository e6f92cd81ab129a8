/*
 * What the scanner, the grammar and the functions that build the tree share. Private to front/.
 */
#ifndef GENCC_FRONT_PARSER_H
#define GENCC_FRONT_PARSER_H

#include "gencc/front/ast.h"
#include "gencc/front/layout.h"
#include "gencc/front/names.h"

struct token {
    int kind; /* of the grammar; 0 at the end */
    struct src_pos pos;
    const char *text; /* identifier, basic type; of a string what stands between its quotes */
    u128 value;
    double fvalue;
    bool is_unsigned, is_long, is_decimal, is_single;
};

/* Lists the grammar hands around before they are moved into the tree. */
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
#define vec_take(dst, src)           \
    do {                             \
        (dst)->at = (src)->at;       \
        (dst)->count = (src)->count; \
        (dst)->room = (src)->room;   \
    } while (0)

/* The languages a token stream can be read as. */
enum language { LANG_ARCH, LANG_GENC, LANG_EXPR, LANG_LAYOUT };

struct pending_file { /* parsed later: an ISA once the architecture file is, which may name types
                         behind ac_isa(); a behaviour file once its ISA's .ac files are */
    const char *path;
    struct src_pos from;
};

/* An ISA while it is being read. */
struct isa_build {
    struct ast_isa *isa;
    struct name_map instrs;       /* struct ast_instr, named so far, declared or not */
    struct name_map declared;     /* the declared ones */
    VEC(struct ast_instr *) used; /* named in a statement before they were declared */
    VEC(struct pending_file) files;
    struct name_map files_seen, includes_seen;
    struct name_map pictures; /* struct ast_format, whose bits an ac_picture names */
};

/* One run of the front end. */
struct front {
    struct diag *d;
    struct arena *a;
    struct ast_arch *arch;
    struct name_map types;            /* names of types: set_typename and `typename w = T;` */
    const struct include_chain *open; /* the files being read, innermost first */
    const struct source_file *memory; /* when set, the only files there are */
    unsigned memory_count;
    VEC(struct pending_file) isas;
    struct ast_layout_file *layout_file; /* of LANG_LAYOUT */
};

/* One token stream on its way through the grammar. */
struct parser {
    struct front *front;
    struct diag *d;
    struct arena *a;
    const struct source_file *file;
    enum language lang;
    VEC(struct token) tokens; /* ends with one of kind 0 */
    unsigned next;            /* the token to hand out next */
    bool started;
    unsigned braces;              /* open braces before `next` */
    struct name_map *local_types; /* template and family parameters that are types */
    bool c_types;                 /* inside decode() or behaviour(): names of C types are known */
    struct isa_build *build;      /* the ISA being read, or NULL */
    bool in_behaviour;            /* inside behaviour() or system(): C++ is read over */
    struct ast_expr *result;      /* of LANG_EXPR */

    /* What the grammar is in the middle of. */
    const char *isa_name;      /* as the block of the file has it */
    struct ast_instr *instr;   /* the instruction of the block or statement being read */
    struct ast_format *format; /* the format whose fields are being read, or NULL */
    struct ast_family *family; /* its fields are being read */
    struct token format_name;  /* of `ac_instr<NAME>` */
    VEC(const char *) attrs;   /* `@name`s in front of a format */
    int64_t key_from, key_to;  /* of the last key range */
    struct ast_bundle *bundle;
    struct ast_grain *grain;
    struct ast_table *table;
    struct ast_layouts *layouts;
    struct ast_lay_enum *lay_enum;
    struct ast_layout *layout;
    struct ast_lay_field lay_field;
    struct ast_registers *registers;
    struct ast_gpu *gpu;

    /* Recovery from syntax errors; see feed.c. */
    bool recovering;
    unsigned missing_braces; /* closing braces still to be made up */
    bool made_brace;         /* the last token was one of them */
    unsigned parens;         /* open in the statement before `next` … */
    unsigned open_parens;    /* … and before the token that was handed out last */
    unsigned for_parens;     /* those with a `for`'s own, which may hold `;`; 0: none is open */
    bool broken_parens;      /* some of them were open at an error */
    unsigned missing_parens; /* closing ones still to be made up, before `held` */
    struct token held;       /* to hand out next, unless its kind is 0 */
    unsigned given_back;     /* the last token that was handed out a second time, + 1 */
};

/* Scans part of a file into p->tokens. Line and column are those of the first byte. */
void scan_text(struct parser *p, const struct source_file *file, const char *text, size_t length,
               unsigned line, unsigned column);

/* The next token, classified: names of types, contextual keywords. */
struct token feed_next(struct parser *p);

/* Describes the token handed out last, for a message; `symbol` is the grammar's name for it. */
void feed_describe(const struct parser *p, const char *symbol, char *buf, size_t size);

/* The name handed out last, or NULL when the last token was none. */
const char *feed_word(const struct parser *p);

/* When the token handed out last is a name after another name, that other one, which would have to
 * be a type; else NULL. */
const char *feed_not_a_type(const struct parser *p);

/* What C's name of a type is here, or NULL. */
const char *feed_type_hint(const char *name);

/* Whether the token handed out last is of that kind. */
bool feed_is(const struct parser *p, int kind);

/* Whether the token handed out last is a brace that is missing, which has been reported. */
bool feed_is_missing(const struct parser *p);

/* Tells the feeder that the grammar stumbled over the token it was given last. */
void feed_recover(struct parser *p);

/* Runs the grammar over part of a file. */
void parse_text(struct parser *p, const char *text, size_t length, unsigned line, unsigned column);

/* Parses `length` bytes inside a string token as one expression; NULL after an error. */
struct ast_expr *parse_substring(struct parser *p, struct src_pos pos, const char *text,
                                 size_t length);

/* The text of a string token with its escapes resolved. */
const char *string_value(struct parser *p, const struct token *t);

/* From the first position to the end of the last, on the first's line. */
struct src_pos pos_join(struct src_pos first, struct src_pos last);

/* ---- nodes.c: GenC --------------------------------------------------------------------------- */
struct ast_expr *node_expr(struct parser *p, enum ast_expr_kind kind, struct src_pos pos);
struct ast_expr *node_op(struct parser *p, enum ast_expr_kind kind, enum ast_op op,
                         struct src_pos pos, struct ast_expr *a, struct ast_expr *b);
struct ast_expr *node_ternary(struct parser *p, struct src_pos pos, struct ast_expr *a,
                              struct ast_expr *b, struct ast_expr *c);
struct ast_expr *node_number(struct parser *p, const struct token *t);
struct ast_expr *node_float(struct parser *p, const struct token *t);
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
/* Reports a case whose statements run into the next case. */
void check_case_end(struct parser *p, const struct ast_stmt *c);
/* A definition that runs by itself: attributes say nothing of it, but published special behaviours
 * have `global`. */
struct ast_def *plain_def(struct parser *p, enum ast_def_kind kind, const struct token *name,
                          unsigned attrs, struct ast_stmt *body);
/* Reports attributes of a definition that are none of those allowed. */
void check_attrs(struct parser *p, const struct ast_def *def, unsigned allowed);
/* The attribute with that name, 0 after reporting an unknown one. */
unsigned helper_attr(struct parser *p, const struct token *name);
/* A number with the sign before it, reported when it is out of range. */
int64_t signed_number(struct parser *p, bool negative, const struct token *t);
/* The value of an expression of literals, reported when it is none or above `max`. */
unsigned literal_uint(struct parser *p, const struct ast_expr *e, unsigned max);

/* ---- instr.c: what the statements of an .ac file do ------------------------------------------ */
void arch_begin(struct parser *p, const struct token *name);
void arch_isa(struct parser *p, const struct token *path);
void arch_end(struct parser *p); /* reads the ISAs */
/* Reports a statement that may stand once and stood already. */
void check_once(struct parser *p, struct src_pos pos, bool already);
/* Warns when ISA_CTOR or ARCH_CTOR names another than what it stands in. */
void check_ctor(struct parser *p, const char *what, const struct token *name, const char *of);
void arch_word_size(struct parser *p, struct src_pos pos, unsigned bits);
void arch_endian(struct parser *p, struct src_pos pos, const struct token *name);
void isa_begin(struct parser *p, const struct token *name);
void isa_predicated(struct parser *p, const struct token *value);
void isa_predicate(struct parser *p, struct ast_expr *call, struct ast_decoder *bits);
/* `@name` before a format. */
void isa_attribute(struct parser *p, const struct token *name);
/* Reports a statement of the published language that gencc does not have; `hint` says what has. */
void report_unsupported(struct parser *p, struct src_pos pos, const char *what, const char *hint);
void isa_fetch_size(struct parser *p, struct src_pos pos, unsigned bits);
/* ac_widths: how the units of a word follow each other, and a row of it. */
void isa_unit_order(struct parser *p, const struct token *name);
void isa_width(struct parser *p, struct src_pos pos, unsigned bits, const struct token *picture);
/* ac_context SLOT (advance); */
void isa_context(struct parser *p, const struct token *slot, const struct token *advance);
void isa_include(struct parser *p, const struct token *path);
void isa_elf(struct parser *p, struct src_pos pos, unsigned machine, unsigned bits, unsigned flags);
void isa_behaviour_file(struct parser *p, const struct token *path);
void regspace_view(struct parser *p, struct ast_regspace *space, bool is_bank,
                   const struct token *name, struct ast_type *type, struct expr_list *numbers,
                   const struct token *tag);
void format_begin(struct parser *p, const struct token *name, const struct token *picture);
void format_end(struct parser *p);
/* Declares an instruction; `format` NULL when the block has a picture. */
void instr_declare(struct parser *p, const struct token *name, const struct token *format);
void instr_block_begin(struct parser *p, const struct token *name, const struct token *format,
                       const struct token *picture);
void instr_block_end(struct parser *p);
void instr_field(struct parser *p, struct ast_type *type, const struct token *name,
                 struct ast_expr *value);
/* `next_context e;` is a field of that name. */
void instr_next_context(struct parser *p, const struct token *word, struct ast_expr *value);
/* Makes the named instruction the one the next statement speaks of. */
void instr_select(struct parser *p, const struct token *name);
void instr_asm(struct parser *p, const struct token *text, struct asm_args *args,
               struct ast_expr *condition, bool published);
void instr_behaviour(struct parser *p, struct src_pos pos, const struct token *name);
void instr_long_immediate(struct parser *p, struct src_pos pos, unsigned bits);
void instr_end_of_block(struct parser *p, const struct ast_decoder *when);
void instr_jump(struct parser *p, enum ast_jump_kind kind, const struct token *field, bool relative,
                struct ast_expr *offset);
/* Reports the instructions that statements named and nothing declared. */
void instr_check_declared(struct front *f, const struct isa_build *b);

/* ---- picture.c, asm_string.c ----------------------------------------------------------------- */
/* Appends the pieces of a format picture to f->bits. */
void picture_parse(struct parser *p, const struct token *string, struct ast_format *f);
/* ac_picture: gives a picture a name, by which others contain it. */
void picture_define(struct parser *p, const struct token *name, const struct token *string);
/* Appends the pieces of an assembly string to s->pieces. In the published form braces are text. */
void asm_string_parse(struct parser *p, const struct token *string, struct ast_asm *s,
                      bool published);

/* ---- parse.c --------------------------------------------------------------------------------- */
/* Finds a file named in another; NULL after reporting that there is none. */
const char *front_find(struct front *f, const struct source_file *from, const struct token *path);
/* Parses constants that every description has. */
void front_parse_prelude(struct front *f, const char *name, const char *text, size_t length);
/* Reads and parses a file; reports cycles of includes. */
bool front_parse_file(struct front *f, const char *path, struct src_pos from, enum language lang,
                      struct isa_build *build);

#endif
