/*
 * The intermediate representation: typed SSA.
 *
 * A function is a list of basic blocks; a block a list of values, the last of which is a
 * terminator. Values name their operands directly. Local variables exist as ir_var until the pass
 * `ssa` replaces reads and writes by values and phis.
 *
 * Semantics are total: no operation is undefined. Integer arithmetic wraps. A shift by the width or
 * more gives 0 (or the sign). Rotates take the amount modulo the width. Division by zero gives 0,
 * the smallest signed number divided by -1 itself; the remainder of a division by zero is the
 * dividend. A vector operation works lane by lane; comparisons of vectors give all ones or zero in
 * an unsigned lane of the same width, those of scalars give uint8 1 or 0. Conversions of integers
 * keep the value modulo the new width; float to integer truncates toward zero and saturates, NaN
 * gives 0. A lane of a SELECT's mask chooses x when it is not zero. A register index beyond its
 * bank reads 0 and writes nothing. Reading, and the element operations, number lanes from the
 * lowest byte.
 *
 * The text form is described in docs/understand/ir.md.
 */
#ifndef GENCC_IR_IR_H
#define GENCC_IR_IR_H

#include "common/vec.h"
#include "common/wide.h"
#include "gencc/front/diag.h"
#include "gencc/ir/type.h"

struct ir_func;
struct ir_block;
struct reg_view;
struct field;
struct format;

enum ir_op {
#define IR_OP(NAME, text, operands, flags) IR_##NAME,
#include "gencc/ir/ops.inc"
#undef IR_OP
    IR_OP_COUNT
};

enum ir_op_flags {
    IR_F_PURE = 1, /* no effect, result depends on operands (and decoded fields) only */
    IR_F_TERM = 2, /* ends a block */
    IR_F_COMM = 4, /* operands may be swapped */
    IR_F_READ = 8, /* reads state: not pure, but removable when unused */
};

struct ir_op_info {
    const char *name;
    int operands; /* -1: any number */
    unsigned flags;
};
extern const struct ir_op_info ir_ops[IR_OP_COUNT];

/* The list of intrinsics is gencc/ir/intrinsics.inc. */
enum ir_intrinsic {
    IR_I_NONE, /* an external function */
#define IR_INTRINSIC(NAME, text, signature, flags) IR_I_##NAME,
#include "gencc/ir/intrinsics.inc"
#undef IR_INTRINSIC
    IR_I_COUNT
};

struct ir_intrinsic_info {
    const char *name, *signature;
    unsigned flags; /* enum ir_fn_flags */
};
extern const struct ir_intrinsic_info ir_intrinsics[IR_I_COUNT];

/* Properties of intrinsics and external C functions */
enum ir_fn_flags {
    IR_FN_PURE = 1,       /* depends on its arguments only, no effect */
    IR_FN_NORETURN = 2,   /* leaves the behaviour */
    IR_FN_ENDS_BLOCK = 4, /* the instruction that calls it ends its block */
    IR_FN_MEMORY = 8,     /* guest memory access: may leave the behaviour through a fault */
    IR_FN_ASM = 16,       /* writes assembly text; only in disassembly functions */
    IR_FN_READ = 32,      /* reads state but changes nothing */
    IR_FN_LANE = 64,      /* in lane architectures only */
    /* in lane architectures too; without ANY and LANE: in CPU architectures only */
    IR_FN_ANY = 128,
    IR_FN_VARIES = 256, /* pure during an instruction, but not fixed */
    IR_FN_MADE = 512,   /* inserted by passes; descriptions cannot call it */
};

/* Kind of name that may stand for a number as the first argument */
enum ir_symbol { IR_SYMBOL_NONE, IR_SYMBOL_MEMORY, IR_SYMBOL_FEATURE };

struct ir_callee {
    const char *name;
    enum ir_intrinsic intrinsic;   /* NONE: an external C function of that name */
    const struct ir_pure_fn *pure; /* computes constant calls; NULL: not computable (pure.h) */
    struct src_pos pos;
    unsigned flags; /* enum ir_fn_flags */
    enum ir_symbol symbol;
    struct ir_type result;
    VEC(struct ir_type)
    /* Inputs, without texts. A by-reference parameter is an input and an output; output n (from 1)
     * is the n-th of them, read by RESULT n. */
    params;
    VEC(bool) by_ref;      /* for each parameter: passed by reference */
    unsigned nparams_text; /* intrinsics: leading parameters that are text, not values */
};

struct ir_value {
    enum ir_op op;
    struct ir_type type; /* type of the first result; VOID: no result */
    unsigned id;         /* unique in the function; names the value in the text form: %id */
    struct ir_block *block;
    struct ir_value *prev, *next;
    struct src_pos pos;

    VEC(struct ir_value *) ops;
    VEC(struct ir_block *)
    /* BR, CBR (then, else), SWITCH (default, cases…); PHI: the predecessor of each operand */
    targets;
    union {
        u128 imm;               /* CONST: bits, the same in all lanes; PARAM, RESULT: number */
        struct reg_view *view;  /* REG_READ, REG_WRITE */
        struct field *field;    /* FIELD */
        struct ir_var *var;     /* VAR_READ, VAR_WRITE */
        struct ir_func *callee; /* CALL */
        struct ir_callee *fn;   /* INTRINSIC, EXTERNAL */
        const char *text;       /* TEXT */
    };
    VEC(u128) cases; /* SWITCH: value of each target after the first */
    unsigned uses;   /* number of uses, set by ir_count_uses */
    bool fixed;      /* set by ir_pass_fixedness */
    bool settled;    /* between ir_ranges_keep and ir_ranges_drop: it changes no more */
    bool unset_is_0; /* VAR_READ: no error if the variable is unset */
    uint64_t mark;   /* scratch of the current pass */
};

struct ir_var { /* a local variable before SSA */
    const char *name;
    struct ir_type type;
    struct src_pos pos;
    unsigned id;
};

struct ir_block {
    struct ir_func *func;
    unsigned id;
    const char *name; /* hint for readers of dumps: "then", "loop" … */
    struct ir_value *first, *last;
    VEC(struct ir_block *) preds; /* set by ir_compute_preds */
    struct ir_block *idom;        /* set by ir_compute_dominators, as are the next two */
    unsigned dom_first;           /* number in a preorder of the tree of dominators */
    unsigned dom_count;           /* blocks that this one dominates, itself included */
    bool fixed;                   /* only fixed values decide whether the block is executed */
    uint64_t mark;
};

enum ir_func_kind {
    IR_FUNC_HELPER,
    IR_FUNC_EXECUTE, /* behaviour of a form, whose fields are those of `format` */
    IR_FUNC_DECODE,  /* parameter 0: the word; writes computed fields through FIELD_WRITE */
    IR_FUNC_DISASM,  /* disassembles an instruction: returns 1 if it wrote text */
    IR_FUNC_EXPORT,  /* called by the runtime */
};

/* Cached answer to a question about a function */
enum ir_answer { IR_UNKNOWN, IR_NO, IR_YES };

struct ir_func {
    const char *name; /* a C identifier, unique in the ISA */
    enum ir_func_kind kind;
    struct arena *arena;
    struct src_pos pos;
    struct format *format; /* EXECUTE, DECODE, DISASM */
    struct form *form;
    struct ir_type result; /* VOID for none */
    VEC(struct ir_type) params;
    VEC(const char *) param_names;
    VEC(struct ir_type)
    /* Types of further results: the final values of by-reference parameters. Operands of RET: the
     * result (unless VOID), then these. RESULT n (n >= 1) reads them after a CALL. */
    outs;
    VEC(struct ir_block *) blocks; /* [0] is the entry */
    VEC(struct ir_var *) vars;
    unsigned next_value, next_block;
    struct ir_ranges *ranges; /* ranges that a pass keeps (range.c); NULL: none */
    bool is_inline, is_noinline;
    bool flatten;     /* branches become SELECTs at any cost (code of lanes) */
    bool unset_warns; /* reading an unset variable gives 0 and a warning, not an error */
    /* writes the PC or calls an intrinsic with ENDS_BLOCK, possibly through callees */
    bool ends_block;
    bool is_pure;    /* calls are pure: no effect, depends on its parameters only, always returns */
    bool is_reading; /* calls change nothing and always return, but read state */
    /* uses intrinsics that need a CPU, possibly through callees (emit/jit.c) */
    enum ir_answer needs_cpu;
};

/* ---- building -------------------------------------------------------------------------------- */

/* Make an empty function, a block at the end of f->blocks, a local variable. `name` is kept by
 * reference. */
struct ir_func *ir_func_new(struct arena *a, const char *name, enum ir_func_kind kind);
struct ir_block *ir_block_new(struct ir_func *f, const char *name);
struct ir_var *ir_var_new(struct ir_func *f, const char *name, struct ir_type t,
                          struct src_pos pos);

/* Appends values to the end of a block. */
struct ir_builder {
    struct ir_func *func;
    struct ir_block *block;
    struct src_pos pos; /* given to every value built */
};

/* Appends an operation with `n` operands to the builder's block. The functions below are short
 * forms. Nothing is folded. */
struct ir_value *ir_emit(struct ir_builder *b, enum ir_op op, struct ir_type type, unsigned n,
                         struct ir_value *const *ops);
struct ir_value *ir_const(struct ir_builder *b, struct ir_type t, u128 bits);
struct ir_value *ir_unary(struct ir_builder *b, enum ir_op op, struct ir_value *a);
/* The result has the type of `x`; comparisons give the comparison type. Both operands have the same
 * type, but the amount of a shift or rotate may be any integer scalar, or any integer vector with
 * the lane count of `x`. */
struct ir_value *ir_binary(struct ir_builder *b, enum ir_op op, struct ir_value *x,
                           struct ir_value *y);
struct ir_value *ir_convert(struct ir_builder *b, struct ir_value *v, struct ir_type to);
struct ir_value *ir_bitcast(struct ir_builder *b, struct ir_value *v, struct ir_type to);
struct ir_value *ir_select(struct ir_builder *b, struct ir_value *cond, struct ir_value *x,
                           struct ir_value *y);
struct ir_value *ir_field(struct ir_builder *b, struct field *f);
struct ir_value *ir_reg_read(struct ir_builder *b, struct reg_view *v, struct ir_value *index,
                             struct ir_type as);
struct ir_value *ir_reg_write(struct ir_builder *b, struct reg_view *v, struct ir_value *index,
                              struct ir_value *value);
struct ir_value *ir_var_read(struct ir_builder *b, struct ir_var *v);
struct ir_value *ir_var_write(struct ir_builder *b, struct ir_var *v, struct ir_value *value);
struct ir_value *ir_call(struct ir_builder *b, struct ir_func *callee, unsigned n,
                         struct ir_value *const *args);
/* `text` is NULL unless the intrinsic takes text; the operands are then the TEXT and `args`. */
struct ir_value *ir_call_fn(struct ir_builder *b, struct ir_callee *fn, const char *text,
                            unsigned n, struct ir_value *const *args);
/* Result number n >= 1 of a CALL, INTRINSIC or EXTERNAL. */
struct ir_value *ir_result(struct ir_builder *b, struct ir_value *call, unsigned n,
                           struct ir_type t);
void ir_br(struct ir_builder *b, struct ir_block *to);
void ir_cbr(struct ir_builder *b, struct ir_value *cond, struct ir_block *yes, struct ir_block *no);
struct ir_value *ir_switch(struct ir_builder *b, struct ir_value *v, struct ir_block *otherwise);
void ir_switch_case(struct ir_func *f, struct ir_value *sw, u128 value, struct ir_block *to);
void ir_ret(struct ir_builder *b, unsigned n, struct ir_value *const *values);
void ir_unreachable(struct ir_builder *b);

/* Returns the intrinsic of that name, or IR_I_NONE. */
enum ir_intrinsic ir_intrinsic_find(const char *name);
/* Bytes of guest memory that the intrinsic reads or writes; 0: none. */
unsigned ir_access_bytes(enum ir_intrinsic i);
/* Makes the callee of an intrinsic. `word` is the architecture's word type, for signatures that
 * mention it. The caller keeps one callee per function and intrinsic. */
struct ir_callee *ir_intrinsic(struct arena *a, enum ir_intrinsic i, struct ir_type word);

/* ---- analysis -------------------------------------------------------------------------------- */

static inline bool ir_is_term(const struct ir_value *v)
{
    return ir_ops[v->op].flags & IR_F_TERM;
}
/* Whether a value is a call of that intrinsic. */
static inline bool ir_is_intrinsic(const struct ir_value *v, enum ir_intrinsic i)
{
    return v->op == IR_INTRINSIC && v->fn->intrinsic == i;
}
bool ir_is_pure(const struct ir_value *v);      /* including calls of pure functions */
bool ir_is_removable(const struct ir_value *v); /* may be removed if unused */
/* Whether the value uses a member of its union. All members fit into `imm`, the widest. */
bool ir_has_detail(const struct ir_value *v);
/* Whether two values are equal, provided that their operands are. */
bool ir_same_operation(const struct ir_value *a, const struct ir_value *b);
/* Sets block->preds, each predecessor once. Removes unreachable blocks and their PHI operands, and
 * puts f->blocks in reverse postorder, so that a block follows its dominators. */
void ir_compute_preds(struct ir_func *f);
/* Calls ir_compute_preds(), then sets block->idom, which is NULL for the entry. */
void ir_compute_dominators(struct ir_func *f);
bool ir_dominates(const struct ir_block *a,
                  const struct ir_block *b); /* a block dominates itself */
/* Sets value->uses of all values. */
void ir_count_uses(struct ir_func *f);
/* Replaces every operand `old` by `by`; `old` remains in its block. */
void ir_replace(struct ir_func *f, struct ir_value *old, struct ir_value *by);
void ir_remove(struct ir_value *v);        /* unlinks it from its block */
unsigned ir_cost(const struct ir_func *f); /* estimated size, for inlining */
/* Sets f->is_pure and f->is_reading from its body and its callees' flags. */
void ir_summarise(struct ir_func *f);

/* Checks all rules of the representation. Reports the first violation through `d` as an internal
 * error that names function, block and value. Runs after each pass in debug builds and tests. */
bool ir_verify(struct diag *d, const struct ir_func *f);

/* ---- passes: they return whether they changed anything
 * ------------------------------------------- */

/* Replaces variables by values; reports reads of variables that are unset on all paths. */
bool ir_pass_ssa(struct ir_func *f, struct diag *d);
bool ir_pass_constprop(struct ir_func *f); /* folding, including known bits of values */
/* Removes unused values, and writes to registers that are overwritten. */
bool ir_pass_dce(struct ir_func *f);
/* Folds decided branches, merges blocks, converts branches to SELECT. */
bool ir_pass_cfg(struct ir_func *f);
bool ir_pass_inline(struct ir_func *f, unsigned budget); /* calls of helpers, by cost */
/* Calls whose results are not fixed, or that have effects. */
bool ir_pass_inline_varying(struct ir_func *f);
/* Inlines helpers that consist of a SWITCH over a parameter, if the argument is fixed; once it is
 * known, one case remains. Then inlines calls inside all cases, by cost. */
bool ir_pass_inline_choices(struct ir_func *f, unsigned budget);
bool ir_pass_gvn(struct ir_func *f);    /* common pure subexpressions */
bool ir_pass_unroll(struct ir_func *f); /* unrolls a small loop with a known number of rounds */
/* Makes one block of a function without loops and effects. */
bool ir_pass_flatten(struct ir_func *f);
/* Turns fixed choices between operations into fixed choices between their operands. */
bool ir_pass_pull_selects(struct ir_func *f);
void ir_pass_fixedness(struct ir_func *f); /* sets value->fixed and block->fixed */
/* Runs the passes in the usual order until nothing changes. */
void ir_optimise(struct ir_func *f, struct diag *d);

/* Copies `f`, replaces FIELD reads of the given fields by constants, and optimises the copy.
 * Interpreter handlers are specialised in this way. The copy is allocated in `a`. */
struct ir_func *ir_specialise(struct arena *a, const struct ir_func *f, const char *name,
                              unsigned n, struct field *const *fields, const u128 *values);
/* The known bits of a field or parameter */
struct ir_known {
    const struct field *field; /* NULL: the parameter numbered `param` */
    unsigned param;
    u128 mask, bits;
};
/* As ir_specialise(), where only some bits of fields or parameters are known. The copy is allocated
 * where `f` is. */
struct ir_func *ir_specialise_bits(const struct ir_func *f, const char *name, unsigned n,
                                   const struct ir_known *known);
/* Copies a function into the arena. */
struct ir_func *ir_clone(struct arena *a, const struct ir_func *f, const char *name);
/* Replaces calls of the intrinsic by a constant; if it takes an argument, only calls with that
 * constant argument. Returns whether there were any. The function is not optimised. */
bool ir_replace_intrinsic(struct ir_func *f, enum ir_intrinsic i, u128 argument, u128 value);
/* Whether the function contains a call that ir_replace_intrinsic() would replace. */
bool ir_has_intrinsic(const struct ir_func *f, enum ir_intrinsic i, u128 argument);

/* Known bits and unsigned bounds of a value */
struct ir_range {
    u128 zeros, ones;
    u128 min, max;
};
/* Computes what is known of a value by looking at its operands, to a limited depth. */
struct ir_range ir_value_range(const struct ir_value *v);

/* ---- text form ------------------------------------------------------------------------------- */

/* Prints the function in the text form. */
void ir_print(FILE *out, const struct ir_func *f);
/* Resolves the names that the text form uses; each function returns NULL for unknown names. */
struct ir_names {
    void *opaque;
    struct reg_view *(*view)(void *opaque, const char *name);
    struct field *(*field)(void *opaque, const char *format, const char *name);
    struct ir_func *(*func)(void *opaque, const char *name);
    struct ir_callee *(*fn)(void *opaque, const char *name);
    struct format *(*format)(void *opaque, const char *name);
};
/* Reads one function as printed by ir_print(). Returns NULL after reporting. Success means that the
 * text is well-formed; ir_verify() checks the function. */
struct ir_func *ir_parse(struct arena *a, struct diag *d, const struct source_file *file,
                         const struct ir_names *names);

/* ---- evaluator ------------------------------------------------------------------------------- */

enum { IR_MAX_LANES = 64 };

struct ir_data { /* a value of any type: lanes of up to 128 bits */
    u128 lane[IR_MAX_LANES];
};

enum ir_outcome {
    IR_DONE,  /* returned */
    IR_LEFT,  /* left through a noreturn intrinsic or a memory fault */
    IR_LIMIT, /* took more than `max_steps`, or calls are nested deeper than 64 */
    IR_NO_FN, /* an external function or the callback for intrinsics is missing */
};

/* The machine on which a function is evaluated */
struct ir_machine {
    void *opaque;
    uint8_t *state;     /* registers, laid out by the model */
    uint8_t *touched;   /* per byte of `state`: becomes 1 when it is read or written; NULL: not */
    u128 word;          /* instruction word, for fields that are bits of it */
    u128 *fields;       /* computed fields by field->index, as set by the decode function */
    uint64_t max_steps; /* 0: 1,000,000 */
    /* Called for intrinsics that the evaluator cannot compute. args: inputs without texts.
     * results[0]: the result; results[n]: output n, preset to its input. Lanes are zero-extended
     * bits. Returns false to leave the behaviour (fault, exception). */
    bool (*intrinsic)(void *opaque, const struct ir_callee *fn, const char *text,
                      const struct ir_data *args, struct ir_data *results);
    /* Returns the address of an external C function, called through libffi; NULL if unknown. */
    void (*(*external)(void *opaque, const char *name))(void);
    /* Called after each external function, pure intrinsic and operation on floats: `slot` has the
     * lanes of its operands, by value->id. NULL: nobody watches. */
    void (*observe)(void *opaque, const struct ir_value *v, u128 *const *slot, const u128 *result);
    const char *missing; /* IR_NO_FN: name of the missing function */
};

/* Evaluates `f` with one element of `args` per parameter. results[0] receives the result,
 * results[n] output n (f->outs[n-1]), both only for IR_DONE. Lanes are zero-extended bits; lanes
 * above the type's are not written. Variables may still exist; unset ones are 0. */
enum ir_outcome ir_eval(struct ir_machine *m, const struct ir_func *f, const struct ir_data *args,
                        struct ir_data *results);

#endif
