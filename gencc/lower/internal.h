/*
 * What the files of the lowering share. Private to lower/.
 */
#ifndef GENCC_LOWER_INTERNAL_H
#define GENCC_LOWER_INTERNAL_H

#include "gencc/lower/lower.h"

/* A definition of a behaviour file */
struct def_entry {
    const struct ast_def *def;
    bool used;                        /* something refers to it */
    VEC(struct instance *) instances; /* helpers: instances lowered so far */
    struct ir_callee *callee;         /* externals: NULL before the first call */
    /* externals: the declaration has an error, which was reported */
    bool refused;
};

/* A template parameter bound to a type or a constant. */
struct binding {
    const char *name;
    bool is_type;
    struct ir_type type;
    __int128 value;
};
typedef VEC(struct binding) bindings;

/* A field that a helper with a parameter `inst` uses; it becomes a parameter of its own. */
struct inst_param {
    struct field *field; /* NULL: the instruction word */
    struct ir_value *value;
};

/* A helper with its template parameters bound. */
struct instance {
    struct def_entry *entry;
    bindings binds;
    /* format of the caller's instruction, if the helper takes it; else NULL */
    struct format *format;
    struct ir_func *func;               /* NULL before lowering, and after lowering failed */
    VEC(struct inst_param) inst_params; /* parameters added after the declared ones */
    bool active;                        /* being lowered, so a call of it is a recursion */
    struct instance *caller;            /* instance whose call caused the lowering */
};

struct symbol {
    const char *name;
    struct def_entry *entry;
};

struct record_member {
    const char *name;
    const struct record *record; /* a structure; NULL: a single leaf */
    struct ir_type type;         /* type of the leaf */
    bool is_bool;                /* the leaf is C's bool */
    const struct format *format; /* the leaf is a word of this format, or NULL */
    unsigned first;              /* index of its first leaf in the whole structure */
};

/* Lowers one kind of expression or statement. It is not inlined into the function that chooses it,
 * whose frame every level of nesting has: a level then has the frame of its own kind only. */
#define LOWER_KIND static __attribute__((noinline))

/* Levels of statements and expressions, through the names and helpers that they use. A level takes
 * up to 4 KB of the stack with AddressSanitizer, and a quarter of that without. */
enum { LOWER_MAX_DEPTH = 1500 };

/* A structure of the description. The IR has no structures: a value consists of leaves, which are
 * the scalars and vectors in it; an inner structure contributes its leaves. */
struct record {
    const struct ast_struct *ast;
    bool complete;
    VEC(struct record_member) members;
    VEC(struct ir_type) leaves;
};

struct lower {
    struct isa *isa;
    struct model *model;
    struct arena *arena;
    struct diag *diag;
    enum lower_level level;
    VEC(struct def_entry *) entries; /* in order of definition */
    struct symbol *table;            /* open addressing by name and name space */
    unsigned table_size, table_used;
    struct ir_callee *intrinsics[IR_I_COUNT]; /* callees by intrinsic; NULL: not made yet */
    VEC(struct record *) records;
    struct ir_type word;
    unsigned depth;   /* nesting of statements and expressions being lowered, over all functions */
    unsigned nesting; /* depth of helpers that are being lowered, each called by the one before */
    struct instance *innermost;
};

/* A value during lowering. A literal has no type yet and takes that of the other operand. */
struct rv {
    bool ok;         /* false: an error was reported; the rest is meaningless */
    bool is_literal; /* untyped integer constant */
    bool is_bool;    /* scalar 0/1 */
    __int128 literal_value;
    struct ir_value *v;
    struct ir_type type;
    const struct record *record; /* a structure: `leaves` are its values; v and type are unset */
    struct ir_value **leaves;
};

struct scope_var {
    const char *name;
    struct src_pos pos;
    struct ir_var *var;          /* NULL for a structure */
    const struct record *record; /* structure, or NULL; `leaves` are its variables */
    struct ir_var **leaves;
    bool is_bool; /* C's bool: assigned values become 0 or 1 */
    unsigned depth;
    const struct format *format; /* declared as `struct FORMAT`: has its fields as members */
};

typedef VEC(struct scope_var) scope_vars;

/* A variable declared in the text */
struct declared {
    const char *name;
    struct src_pos pos;
    unsigned count;
    struct ir_var **vars;
};

struct loop {
    struct loop *outer;
    struct ir_block *on_break, *on_continue; /* on_continue is NULL for a switch */
};

/* The function being lowered. */
struct fn {
    struct lower *lo;
    struct ir_func *func;
    struct ir_builder b;
    const struct ast_def *def;
    struct instance *inst; /* instance, if the helper takes the instruction; else NULL */
    struct format *format; /* fields visible as inst.f, and by name if bare_fields */
    bool bare_fields;
    bool in_predicate; /* bare fields, but the called helper may read registers */
    bool in_decode;    /* fields may be assigned; raise rejects */
    bool raw_fields;   /* computed fields are made of raw ones */
    bool c_rules;      /* the text follows C's rules for literals, promotions and conversions */
    bool is_dead;      /* code after a terminator is unreachable */
    bool dead_reported;
    bool failed;    /* calls something with an error, which was reported there */
    bindings binds; /* bindings of template parameters and of the family's row */
    scope_vars vars;
    VEC(struct named) named; /* values of computed fields and constants (named.c) */
    unsigned depth;
    struct ir_block *leave; /* where `return` goes in a body that has another behind it, or NULL */
    struct loop *loops;
    struct ir_type result;         /* void for a structure */
    const struct record *record;   /* structure that is returned, or NULL */
    VEC(struct ir_var *) outs;     /* variables of by-reference parameters */
    VEC(struct declared) declared; /* variables declared in the text, for judge_variables() */
    /* values stored in variables by the text, for judge_variables() */
    VEC(struct ir_value *) stores;
    unsigned errors_before;
};

/* ---- defs.c ---------------------------------------------------------------------------------- */
/* Enters all definitions of the behaviour files; reports duplicates. */
void lower_collect(struct lower *lo);
/* Returns the definition of that kind and name and marks it used; NULL if there is none. */
struct def_entry *lower_find(struct lower *lo, enum ast_def_kind kind, const char *name);
/* Whether the definition exists; does not mark it used. */
bool lower_has(struct lower *lo, enum ast_def_kind kind, const char *name);
/* Whether another helper than `def` has the name. */
bool lower_has_another(struct lower *lo, const struct ast_def *def, const char *name);
/* The callee of an intrinsic, made on its first use. */
static inline struct ir_callee *lower_intrinsic(struct lower *lo, enum ir_intrinsic i)
{
    if (!lo->intrinsics[i])
        lo->intrinsics[i] = ir_intrinsic(lo->arena, i, lo->word);
    return lo->intrinsics[i];
}

/* The callee of an external function, made on its first use; NULL after an error. */
struct ir_callee *lower_external(struct fn *fn, struct def_entry *e);

/* ---- types.c --------------------------------------------------------------------------------- */
/* Translates a type; returns false after reporting. */
bool lower_type(struct fn *fn, const struct ast_type *t, struct ir_type *out);
/* The format of type `struct FORMAT`, whose values are words; NULL for other types. */
const struct format *lower_type_format(const struct fn *fn, const struct ast_type *t);
/* Whether the type is C's bool, which contains 0 or 1 only. */
bool lower_is_bool(const struct ast_type *t);
/* The binding of a template parameter, or NULL. */
const struct binding *fn_binding(const struct fn *fn, const char *name);
/* Binds template parameters by matching `pattern` against the type of an argument. Returns false on
 * a mismatch. */
bool lower_match_type(struct fn *fn, const struct ast_def *def, bindings *binds,
                      const struct ast_type *pattern, struct ir_type actual);

/* ---- record.c -------------------------------------------------------------------------------- */
/* The structure that the type names, or NULL. */
const struct record *lower_record(struct fn *fn, const struct ast_type *t);
/* Makes the structures of the ISA and reports their errors. */
void lower_records(struct lower *lo);
/* Reports that a structure is used where a scalar or vector is required. */
void record_misplaced(struct fn *fn, const struct record *r, struct src_pos pos);
/* Lowers an expression to a value of a structure: another value of its type, or its members in
 * braces. */
struct rv lower_record_as(struct fn *fn, const struct ast_expr *e, const struct record *want);
/* The variable, or member of a variable, that the expression names; NULL for other expressions. */
struct scope_var *fn_place(struct fn *fn, const struct ast_expr *e);
/* A member of a structure; an error if it has no member of that name. */
struct rv record_member(struct fn *fn, struct rv whole, const struct ast_expr *e);
/* Makes the variables of a structure's leaves. */
void fn_declare_record(struct fn *fn, struct scope_var *v, const struct record *r,
                       struct src_pos pos);
/* Reads a variable: a scalar, a vector or all leaves of a structure. */
struct rv record_read(struct fn *fn, const struct scope_var *v);
/* Writes all leaves of a structure to its variables. */
void record_write(struct fn *fn, const struct scope_var *v, struct ir_value *const *leaves);
/* The name of leaf `i` of a structure called `whole`: whole.member. */
const char *record_leaf_name(struct fn *fn, const char *whole, const struct record *r, unsigned i);

/* ---- value.c --------------------------------------------------------------------------------- */
/* The type's name, in the arena. */
const char *type_text(struct fn *fn, struct ir_type t);
/* The value after an error, an IR value, an untyped literal. */
struct rv rv_error(void);
struct rv rv_value(struct ir_value *v);
struct rv rv_literal(__int128 v);
/* Whether the value is a constant, and which. */
bool rv_constant(struct rv r, __int128 *out);
/* Gives a literal its default type; other values stay as they are. */
struct rv rv_typed(struct fn *fn, struct rv r);
/* Converts to `want`: integers modulo its width, scalars to all lanes; an error at `pos`
 * otherwise. */
struct rv rv_as(struct fn *fn, struct rv r, struct ir_type want, struct src_pos pos);
/* Integer promotion, where C's rules apply: types narrower than int become int. */
struct rv rv_promote(struct fn *fn, struct rv r);
/* The common type of two operands; rv_unify() converts both to it, and returns false after an
 * error. */
struct ir_type rv_common_type(struct ir_type a, struct ir_type b);
bool rv_unify(struct fn *fn, struct rv *a, struct rv *b, struct src_pos pos);
/* Applies a binary operator, with its conversions; folds constants. */
struct rv rv_binary(struct fn *fn, enum ast_op op, struct rv a, struct rv b, struct src_pos pos);
/* The low `bits` bits of v. */
u128 fn_truncate(u128 v, unsigned bits);
/* A constant of type `t`, integer or float. */
struct ir_value *fn_literal(struct fn *fn, __int128 v, struct ir_type t);
struct ir_value *fn_flag(struct fn *fn, struct ir_value *v); /* non-zero → uint8 1 */

/* ---- expr.c ---------------------------------------------------------------------------------- */
/* Begins a level of nesting, which ends by `fn->lo->depth--`. Returns false after reporting that
 * there are too many. */
bool lower_enter(struct fn *fn, struct src_pos pos);
/* Lowers an expression to any value, which may be a structure. */
struct rv lower_value(struct fn *fn, const struct ast_expr *e);
/* Lowers an expression to a scalar or vector. */
struct rv lower_expr(struct fn *fn, const struct ast_expr *e);
/* Lowers an expression to a value of type `want`: literals adapt, integers are converted, scalars
 * are copied to all lanes. */
struct rv lower_expr_as(struct fn *fn, const struct ast_expr *e, struct ir_type want);
/* Lowers an expression to a scalar condition. */
struct rv lower_condition(struct fn *fn, const struct ast_expr *e);
/* Evaluates a constant expression; returns false after reporting one that is not constant. */
bool lower_constant(struct fn *fn, const struct ast_expr *e, __int128 *out);
/* The variable of that name in scope, or NULL. */
struct scope_var *fn_var(struct fn *fn, const char *name);
/* A field of the instruction; its word if `f` is NULL. */
struct rv fn_instruction(struct fn *fn, struct field *f);
/* Whether the name is a variable, constant or field here. */
bool fn_names_value(struct fn *fn, const char *name);
/* Declares a variable in the current scope; reports a second one of that name. */
struct scope_var *fn_declare(struct fn *fn, const char *name, struct ir_type t, struct src_pos pos);

/* ---- named.c --------------------------------------------------------------------------------- */
/* A computed field that has an expression, as the value of that. */
struct rv named_field(struct fn *fn, const struct field *f);
/* A constant by its name; rv_error(), perhaps without a message, where there is none. */
struct rv named_constant(struct fn *fn, const struct ast_expr *e);
/*
 * Lowers the names in `e`, in which a branch is about to begin, so that all its branches share
 * them.
 */
void named_ahead(struct fn *fn, const struct ast_expr *e);
/* What is lowered between them is not known behind: it does not dominate that. */
unsigned named_before_branch(const struct fn *fn);
void named_behind_branch(struct fn *fn, unsigned before);

/* ---- call.c ---------------------------------------------------------------------------------- */
/* Lowers a call of any kind. */
struct rv lower_call(struct fn *fn, const struct ast_expr *e);
/* Whether the parameter is `struct Instruction &inst` of the published models. */
bool lower_is_instruction(const struct ast_param *p);
/* Whether the helper has a parameter `inst`. Such helpers are lowered once per format of their
 * callers. */
bool lower_takes_instruction(const struct ast_def *def);
/* Whether the number that the intrinsic reads or writes is big-endian in memory. `interface` is the
 * intrinsic's first argument. Reports an error if it is not a constant although the architecture's
 * interfaces differ in byte order. */
bool lower_reverses_bytes(struct fn *fn, enum ir_intrinsic i, const struct ir_value *interface,
                          struct src_pos pos);
/* The value with its bytes in the opposite order; it has 16, 32, 64 or 128 bits. */
struct rv lower_reverse_bytes(struct fn *fn, struct rv x, struct src_pos pos);
/* Appends a call of an intrinsic with `n` arguments. */
struct rv lower_emit_intrinsic(struct fn *fn, enum ir_intrinsic i, unsigned n,
                               struct ir_value *const *args, struct src_pos pos);
/* Begins an instruction of a published model: writes the PC to the bank that contains it, if
 * any. */
void lower_begin_instruction(struct fn *fn);

/* ---- builtin.c ------------------------------------------------------------------------------- */
/* Lowers a call of a built-in function; returns false if `e` is none. */
bool lower_builtin(struct fn *fn, const struct ast_expr *e, struct rv *out);
/* Offers the names of built-in functions. */
void lower_builtin_guess(struct name_guess *g);

/* Whether the name is a built-in function without effects. */
bool lower_is_pure_builtin(const char *name);

/* ---- judge.c --------------------------------------------------------------------------------- */
/* Each function looks for one kind of probable mistake in what was just lowered. */
void judge_constant(struct fn *fn, struct rv r, struct ir_type t, struct src_pos pos);
/* The literals between which ?: selects. */
void judge_choices(struct fn *fn, const struct ast_expr *e, struct ir_type t);
/* A value that is stored in `width` bits. */
void judge_bits(struct fn *fn, struct rv r, unsigned width, struct src_pos pos);
void judge_binary(struct fn *fn, enum ast_op op, struct rv a, struct rv b, struct src_pos pos);
/* A number of bits as in sext(x, width); x.ok is false if there is no x. Returns false after an
 * error. */
bool judge_extension(struct fn *fn, const char *name, struct rv x, struct rv width,
                     struct src_pos pos);
void judge_statement(struct fn *fn, const struct ast_expr *e, struct rv r);
/* A loop. Its blocks are those from number `first`, the head, up to but excluding `end`; `test`
 * decides whether it continues. */
void judge_loop(struct fn *fn, struct src_pos pos, unsigned first, const struct ir_block *test,
                const struct ir_block *end);
/* A whole function with its blocks in order, before SSA construction. */
void judge_variables(struct fn *fn);

/* ---- stmt.c ---------------------------------------------------------------------------------- */
/* Lowers a statement at the end of the current block. */
void lower_stmt(struct fn *fn, const struct ast_stmt *s);
/* Returns `n` values: none, a scalar or vector, or the leaves of a structure. */
void fn_return(struct fn *fn, unsigned n, struct ir_value *const *values);
/* Raises the undefined instruction; in decode functions it rejects the word. */
void fn_raise(struct fn *fn, struct src_pos pos);

/* ---- func.c ---------------------------------------------------------------------------------- */
/* Begins a function: makes it and its entry block. */
void fn_begin(struct fn *fn, struct lower *lo, const char *name, enum ir_func_kind kind,
              struct src_pos pos);
/* Ends the function: implicit return, SSA construction, optimisation. Returns false after
 * errors. */
bool fn_finish(struct fn *fn);
/* The instance of a helper for these bindings, lowered on its first use. Its `func` is NULL after
 * an error and in a recursion, which is reported. Returns NULL if calls are nested too deeply. */
struct instance *lower_instance(struct fn *caller, struct def_entry *e, const bindings *binds,
                                struct src_pos pos);

/* ---- bundle.c -------------------------------------------------------------------------------- */
/* Checks the helpers that an ISA of bundles exports for the runtime. */
void lower_check_bundle(struct lower *lo);

/* ---- sysreg.c -------------------------------------------------------------------------------- */
/* Makes the functions of the ISA's system registers, and the helpers that dispatch to them. */
void lower_sysregs(struct lower *lo);
/* Returns the generated helper sysreg_access, sysreg_read, sysreg_write or sysreg_reset; NULL for
 * other names. */
struct ir_func *lower_sysreg_helper(struct lower *lo, const char *name);

#endif
