/*
 * What the parts of the lowering share.
 */
#ifndef GENCC_LOWER_INTERNAL_H
#define GENCC_LOWER_INTERNAL_H

#include "gencc/lower/lower.h"

/* One definition of a behaviour file, by name. */
struct def_entry {
    const struct ast_def *def;
    bool used;                        /* referenced from somewhere */
    VEC(struct instance *) instances; /* of a helper */
    struct ir_callee *callee;         /* of an external */
    bool refused;                     /* an external with an error, which was reported */
};

/* A template parameter bound to a type or a constant. */
struct binding {
    const char *name;
    bool is_type;
    struct ir_type type;
    __int128 value;
};
typedef VEC(struct binding) bindings;

/* What a helper that takes the instruction needs of it is a parameter of its own. */
struct inst_param {
    struct field *field; /* NULL: the instruction word */
    struct ir_value *value;
};

/* A helper with its template parameters bound. */
struct instance {
    struct def_entry *entry;
    bindings binds;
    struct format *format;              /* of the caller, for a helper that takes the instruction */
    struct ir_func *func;               /* NULL before it is lowered, and when that failed */
    VEC(struct inst_param) inst_params; /* parameters behind those that are written */
    bool active;                        /* being lowered: a call now is a recursion */
    struct instance *caller;            /* and for which it is */
};

struct symbol {
    const char *name;
    struct def_entry *entry;
};

struct record_member {
    const char *name;
    const struct record *record; /* NULL: one leaf, */
    struct ir_type type;         /* of this type, */
    bool is_bool;                /* which is C's bool, */
    const struct format *format; /* or a word of a format */
    unsigned first;              /* leaf of the whole */
};

/* A structure of the user's. The IR has none: a value is its leaves, the scalars and vectors in it,
 * those of an inner structure in its place. */
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
    struct symbol *table;            /* open addressing by name; two name spaces by key prefix */
    unsigned table_size, table_used;
    struct ir_callee *intrinsics[IR_I_COUNT]; /* made so far */
    VEC(struct record *) records;
    struct ir_type word;
    unsigned depth;   /* of the expressions that are being lowered, of all functions */
    unsigned nesting; /* helpers being lowered, each for a call of the one before */
    struct instance *innermost;
};

/* A value in the making. A literal has no type yet: it adapts to the other operand. */
struct rv {
    bool ok;      /* false: an error was reported; the rest is meaningless */
    bool literal; /* untyped integer constant */
    bool is_bool; /* scalar 0/1 */
    __int128 lit;
    struct ir_value *v;
    struct ir_type type;
    const struct record *record; /* a structure: these are its values, v and type are unset */
    struct ir_value **leaves;
};

struct scope_var {
    const char *name;
    struct src_pos pos;
    struct ir_var *var;          /* NULL: */
    const struct record *record; /* a structure, of these variables */
    struct ir_var **leaves;
    bool is_bool; /* C's bool: whatever is assigned becomes 0 or 1 */
    unsigned depth;
    const struct format *format; /* declared as `struct FORMAT`: has its fields as members */
};

typedef VEC(struct scope_var) scope_vars;

/* A variable that the text declares. */
struct declared {
    const char *name;
    struct src_pos pos;
    unsigned count;
    struct ir_var **vars;
};

struct loop {
    struct loop *outer;
    struct ir_block *on_break, *on_continue; /* on_continue NULL for a switch */
};

/* The function being lowered. */
struct fn {
    struct lower *lo;
    struct ir_func *func;
    struct ir_builder b;
    const struct ast_def *def;
    struct instance *inst; /* of a helper that takes the instruction, else NULL */
    struct format *format; /* fields visible as inst.f, and bare when `bare_fields` */
    bool bare_fields;
    bool in_predicate; /* bare fields, but the helper that is called sees registers */
    bool in_decode;    /* fields may be assigned; raise rejects */
    bool raw_fields;   /* computed fields are made of raw ones */
    bool c_rules;      /* the text is C: its literals, promotions and conversions */
    bool dead;         /* after a terminator: what follows is unreachable */
    bool dead_reported;
    bool failed;    /* it calls something that was in error, which was reported there */
    bindings binds; /* template parameters and the family row's */
    scope_vars vars;
    VEC(struct named) named; /* named.c */
    unsigned depth;
    struct loop *loops;
    struct ir_type result;         /* void where a structure is returned, */
    const struct record *record;   /* this */
    VEC(struct ir_var *) outs;     /* by-reference parameters */
    VEC(struct declared) declared; /* for judge_variables() */
    VEC(struct ir_value *) stores; /* what the text stores in variables, likewise */
    unsigned errors_before;
};

/* ---- defs.c ---------------------------------------------------------------------------------- */
void lower_collect(struct lower *lo);
/* Definition of the given kind and name, or NULL; marks it used. */
struct def_entry *lower_find(struct lower *lo, enum ast_def_kind kind, const char *name);
/* Whether there is one, without using it. */
bool lower_has(struct lower *lo, enum ast_def_kind kind, const char *name);
struct ir_callee *lower_intrinsic(struct lower *lo, enum ir_intrinsic i);
struct ir_callee *lower_external(struct fn *fn, struct def_entry *e);

/* ---- types.c --------------------------------------------------------------------------------- */
bool lower_type(struct fn *fn, const struct ast_type *t, struct ir_type *out);
/* The format whose word a value of type `struct FORMAT` is; NULL when `t` is no such type. */
const struct format *lower_type_format(const struct fn *fn, const struct ast_type *t);
/* Whether a type is C's bool, which holds 0 or 1 only. */
bool lower_is_bool(const struct ast_type *t);
const struct binding *fn_binding(const struct fn *fn, const char *name);
/* Finds template parameters in `pattern` by matching it against an argument's type. */
bool lower_match_type(struct fn *fn, const struct ast_def *def, bindings *binds,
                      const struct ast_type *pattern, struct ir_type actual);
const char *type_text(struct fn *fn, struct ir_type t); /* in the arena */

/* ---- record.c -------------------------------------------------------------------------------- */
/* The structure that a type names; NULL where it names none. */
const struct record *lower_record(struct fn *fn, const struct ast_type *t);
/* Makes the structures of the ISA, and reports what is wrong with them. */
void lower_records(struct lower *lo);
/* Error: a structure stands where a scalar or vector must. */
void record_misplaced(struct fn *fn, const struct record *r, struct src_pos pos);
/* An expression as a value of a structure: another of its type, or its members in braces. */
struct rv lower_record_as(struct fn *fn, const struct ast_expr *e, const struct record *want);
/* The variable, or member of one, that an expression names; NULL where it is no such. */
struct scope_var *fn_place(struct fn *fn, const struct ast_expr *e);
/* A member of a structure; an error where it has none of that name. */
struct rv record_member(struct fn *fn, struct rv whole, const struct ast_expr *e);
void fn_declare_record(struct fn *fn, struct scope_var *v, const struct record *r,
                       struct src_pos pos);
struct rv record_read(struct fn *fn, const struct scope_var *v);
void record_write(struct fn *fn, const struct scope_var *v, struct ir_value *const *leaves);
/* What leaf `i` is called, of a whole of this name: name_member. */
const char *record_leaf_name(struct fn *fn, const char *whole, const struct record *r, unsigned i);

/* ---- value.c --------------------------------------------------------------------------------- */
struct rv rv_error(void);
struct rv rv_value(struct ir_value *v);
struct rv rv_literal(__int128 v);
bool rv_constant(struct rv r, __int128 *out);
/* Gives a literal its default type. */
struct rv rv_settle(struct fn *fn, struct rv r);
struct rv rv_as(struct fn *fn, struct rv r, struct ir_type want, struct src_pos pos);
/* An operand as arithmetic takes it: in C, what is narrower than int is int. */
struct rv rv_promote(struct fn *fn, struct rv r);
/* The type that two operands take, and both as values of it. */
struct ir_type rv_common_type(struct ir_type a, struct ir_type b);
bool rv_unify(struct fn *fn, struct rv *a, struct rv *b, struct src_pos pos);
struct rv rv_binary(struct fn *fn, enum ast_op op, struct rv a, struct rv b, struct src_pos pos);
u128 fn_truncate(u128 v, unsigned bits);
struct ir_value *fn_literal(struct fn *fn, __int128 v, struct ir_type t);
struct ir_value *fn_flag(struct fn *fn, struct ir_value *v); /* non-zero → uint8 1 */

/* ---- expr.c ---------------------------------------------------------------------------------- */
/* Any value, a structure too. */
struct rv lower_value(struct fn *fn, const struct ast_expr *e);
/* A scalar or vector. */
struct rv lower_expr(struct fn *fn, const struct ast_expr *e);
/* As a value of type `want`: literals adapt, integers convert, scalars spread. */
struct rv lower_expr_as(struct fn *fn, const struct ast_expr *e, struct ir_type want);
/* As a scalar condition. */
struct rv lower_condition(struct fn *fn, const struct ast_expr *e);
/* Constant value of an expression, reported when it is not constant. */
bool lower_constant(struct fn *fn, const struct ast_expr *e, __int128 *out);
struct scope_var *fn_var(struct fn *fn, const char *name);
/* A field of the instruction, or with NULL its word. */
struct rv fn_instruction(struct fn *fn, struct field *f);
/* Whether a name stands for a value here: a variable, constant or field. */
bool fn_names_value(struct fn *fn, const char *name);
struct scope_var *fn_declare(struct fn *fn, const char *name, struct ir_type t, struct src_pos pos);

/* ---- named.c --------------------------------------------------------------------------------- */
/* A computed field that has an expression, as the value of that. */
struct rv named_field(struct fn *fn, const struct field *f);
/* A constant by its name; rv_error(), perhaps without a message, where there is none. */
struct rv named_constant(struct fn *fn, const struct ast_expr *e);
/* Before a branch that `e` stands in: lowers the names that it has, so that other branches share them. */
void named_ahead(struct fn *fn, const struct ast_expr *e);
/* What is lowered between them is not known behind: it does not dominate that. */
unsigned named_before_branch(const struct fn *fn);
void named_behind_branch(struct fn *fn, unsigned before);

/* ---- call.c ---------------------------------------------------------------------------------- */
struct rv lower_call(struct fn *fn, const struct ast_expr *e);
/* Whether a parameter is the published models' `struct Instruction &inst`. */
bool lower_is_instruction(const struct ast_param *p);
/* Whether a helper has the parameter `struct Instruction &inst`: it is expanded for each caller. */
bool lower_takes_instruction(const struct ast_def *def);
struct rv lower_emit_intrinsic(struct fn *fn, enum ir_intrinsic i, unsigned n,
                               struct ir_value *const *args, struct src_pos pos);
/* Where an instruction begins: a bank that the PC lies in, in a published model, shows it. */
void lower_begin_instruction(struct fn *fn);

/* ---- builtin.c ------------------------------------------------------------------------------- */
/* Names with a meaning of their own; true when `e` was one. */
bool lower_builtin(struct fn *fn, const struct ast_expr *e, struct rv *out);
void lower_builtin_guess(struct name_guess *g);

/* Whether it is one of those that only compute. */
bool lower_is_pure_builtin(const char *name);

/* ---- judge.c --------------------------------------------------------------------------------- */
/* Each looks for one kind of mistake in what has just been lowered. */
void judge_constant(struct fn *fn, struct rv r, struct ir_type t, struct src_pos pos);
/* The numbers that ?: chooses from. */
void judge_choices(struct fn *fn, const struct ast_expr *e, struct ir_type t);
/* A value that is stored in so many bits. */
void judge_bits(struct fn *fn, struct rv r, unsigned width, struct src_pos pos);
void judge_binary(struct fn *fn, enum ast_op op, struct rv a, struct rv b, struct src_pos pos);
/* sext(x, width) and others that take a number of bits; x.ok is false for those without a value.
 * False after an error. */
bool judge_extension(struct fn *fn, const char *name, struct rv x, struct rv width,
                     struct src_pos pos);
void judge_statement(struct fn *fn, const struct ast_expr *e, struct rv r);
/* A loop of the blocks from number `first` on, which is its head, but for `end`; `test` decides
 * whether it goes on. */
void judge_loop(struct fn *fn, struct src_pos pos, unsigned first, const struct ir_block *test,
                const struct ir_block *end);
/* A whole function, its blocks in order, before its variables become values. */
void judge_variables(struct fn *fn);

/* ---- stmt.c ---------------------------------------------------------------------------------- */
void lower_stmt(struct fn *fn, const struct ast_stmt *s);
/* With what it returns: nothing, a value, or the leaves of a structure. */
void fn_return(struct fn *fn, unsigned n, struct ir_value *const *values);
void fn_raise(struct fn *fn, struct src_pos pos);

/* ---- func.c ---------------------------------------------------------------------------------- */
void fn_begin(struct fn *fn, struct lower *lo, const char *name, enum ir_func_kind kind,
              struct src_pos pos);
/* Ends the function: implicit return, SSA, optimisation. False when errors were reported. */
bool fn_finish(struct fn *fn);
struct instance *lower_instance(struct fn *caller, struct def_entry *e, const bindings *binds,
                                struct src_pos pos);

/* ---- bundle.c -------------------------------------------------------------------------------- */
/* Whether an ISA of bundles exports the helpers that the runtime calls. */
void lower_check_bundle(struct lower *lo);

/* ---- sysreg.c -------------------------------------------------------------------------------- */
void lower_sysregs(struct lower *lo);
/* The made helpers sysreg_read, sysreg_write, sysreg_access; NULL when it is no such name. */
struct ir_func *lower_sysreg_helper(struct lower *lo, const char *name);

#endif
