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
#include "gencc/front/diag.h"
#include "gencc/ir/type.h"

typedef unsigned __int128 u128;

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

/* The intrinsics are one list, gencc/ir/intrinsics.inc. */
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

/* What an intrinsic or an external C function looks like to the compiler. */
enum ir_fn_flags {
    IR_FN_PURE = 1,       /* depends on its arguments only, no effect */
    IR_FN_NORETURN = 2,   /* leaves the behaviour */
    IR_FN_ENDS_BLOCK = 4, /* the instruction that calls it ends its block */
    IR_FN_MEMORY = 8,     /* guest memory access: may leave the behaviour through a fault */
    IR_FN_ASM = 16,       /* writes assembly text; only in disassembly functions */
    IR_FN_READ = 32,      /* reads state but changes nothing */
    IR_FN_LANE = 64,      /* in lane architectures only */
    IR_FN_ANY = 128,      /* in lane architectures too; without this and LANE: of CPUs only */
    IR_FN_VARIES = 256,   /* pure while an instruction runs, but not known when it is decoded */
    IR_FN_MADE = 512,     /* made by passes: no description can call it */
};

/* What a name as the first argument stands for: the number of… */
enum ir_symbol { IR_SYMBOL_NONE, IR_SYMBOL_MEMORY, IR_SYMBOL_FEATURE };

struct ir_callee {
    const char *name;
    enum ir_intrinsic intrinsic;   /* NONE: a C function of that name */
    const struct ir_pure_fn *pure; /* how to compute it, when the compiler itself can (pure.h) */
    struct src_pos pos;
    unsigned flags; /* enum ir_fn_flags */
    enum ir_symbol symbol;
    struct ir_type result;
    VEC(struct ir_type)
    params;                /* inputs; a by-reference parameter is an input and an output: the
                              n-th of them (from 1) is read with RESULT n. Text not counted */
    VEC(bool) by_ref;      /* one a parameter */
    unsigned nparams_text; /* intrinsics: leading parameters that are text, not values */
};

struct ir_value {
    enum ir_op op;
    struct ir_type type; /* of the (first) result; VOID when there is none */
    unsigned id;         /* unique in the function; names the value in the text form: %id */
    struct ir_block *block;
    struct ir_value *prev, *next;
    struct src_pos pos;

    VEC(struct ir_value *) ops;
    VEC(struct ir_block *)
    targets; /* BR, CBR (then, else), SWITCH (default, cases…); PHI: the
                predecessor of each operand */
    union {
        u128 imm;               /* CONST of integers (all lanes alike), bits of floats; PARAM,
                                   RESULT: number; SLICE etc.: see ops.inc */
        struct reg_view *view;  /* REG_READ, REG_WRITE and their _AS forms */
        struct field *field;    /* FIELD */
        struct ir_var *var;     /* VAR_READ, VAR_WRITE */
        struct ir_func *callee; /* CALL */
        struct ir_callee *fn;   /* INTRINSIC, EXTERNAL */
        const char *text;       /* TEXT */
    };
    VEC(u128) cases; /* SWITCH: value of each target after the first */
    unsigned uses;   /* kept by ir_count_uses */
    bool fixed;      /* set by the pass `fixedness` */
    bool unset_is_0; /* VAR_READ: the variable need not be set */
    uint64_t mark;   /* scratch of whichever pass runs */
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
    const char *name; /* hint for readers: "then", "loop" … */
    struct ir_value *first, *last;
    VEC(struct ir_block *) preds; /* kept by ir_compute_preds */
    struct ir_block *idom;        /* kept by ir_compute_dominators */
    bool fixed; /* whether control flow into it is decided by fixed values alone */
    uint64_t mark;
};

enum ir_func_kind {
    IR_FUNC_HELPER,
    IR_FUNC_EXECUTE, /* of a form: fields are those of `format` */
    IR_FUNC_DECODE,  /* parameter 0: the word; writes computed fields through FIELD_WRITE */
    IR_FUNC_DISASM,  /* of an instruction: returns 1 when it wrote text */
    IR_FUNC_EXPORT,  /* called by the runtime */
};

/* What is known of a question about a function. */
enum ir_answer { IR_UNASKED, IR_NO, IR_YES };

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
    outs;                          /* further results: the final values of by-reference params.
                                      RET's operands are: result (unless VOID), then outs. A CALL's
                                      further results are read with RESULT n (n >= 1). */
    VEC(struct ir_block *) blocks; /* [0] is the entry */
    VEC(struct ir_var *) vars;
    unsigned next_value, next_block;
    bool is_inline, is_noinline;
    bool flatten;     /* branches become SELECTs whatever that costs (code of lanes) */
    bool unset_warns; /* variables may be read before they are set, with a warning: they are 0 */
    bool ends_block;  /* writes the PC or calls something with ENDS_BLOCK, through callees too */
    bool is_pure;    /* calls are pure: no effect, depends on its parameters only, always returns */
    bool is_reading; /* calls change nothing and always return, but read state */
    enum ir_answer asks_cpu; /* asks what only a CPU knows, through callees too (emit/jit.c) */
};

/* ---- building -------------------------------------------------------------------------------- */

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

/* The general form; the others are short for it. `ops` is an array of `n`. Nothing is folded. */
struct ir_value *ir_emit(struct ir_builder *b, enum ir_op op, struct ir_type type, unsigned n,
                         struct ir_value *const *ops);
struct ir_value *ir_const(struct ir_builder *b, struct ir_type t, u128 bits);
struct ir_value *ir_unary(struct ir_builder *b, enum ir_op op, struct ir_value *a);
/* Type of the result: that of `x`, or the comparison type for comparisons. Operands must have the
 * same type (shift and rotate amounts: any integer scalar, or a vector of the same lanes). */
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

/* The intrinsic of that name, or NONE. */
enum ir_intrinsic ir_intrinsic_find(const char *name);
/* Makes the callee of an intrinsic. `word` is the architecture's word type, which some signatures
 * mention. A function has one callee for each intrinsic: the caller keeps them. */
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
bool ir_is_pure(const struct ir_value *v);      /* calls of pure functions included */
bool ir_is_removable(const struct ir_value *v); /* may go when unused */
/* Whether the union of a value says which one it is; all its members fit the widest. */
bool ir_has_detail(const struct ir_value *v);
/* Whether two values are the same if their operands are. */
bool ir_same_operation(const struct ir_value *a, const struct ir_value *b);
/* Sets block->preds (each predecessor once), drops unreachable blocks and their PHI operands, and
 * puts f->blocks in reverse postorder: a block stands after the blocks that dominate it. */
void ir_compute_preds(struct ir_func *f);
void ir_compute_dominators(struct ir_func *f); /* preds, then block->idom; NULL for the entry */
bool ir_dominates(const struct ir_block *a,
                  const struct ir_block *b); /* a block dominates itself */
void ir_count_uses(struct ir_func *f);
/* Every operand that is `old` becomes `by`; `old` stays where it is. */
void ir_replace(struct ir_func *f, struct ir_value *old, struct ir_value *by);
void ir_remove(struct ir_value *v);        /* takes it out of its block */
unsigned ir_cost(const struct ir_func *f); /* size estimate that inlining goes by */
/* Sets f->is_pure and f->is_reading from its body and its callees' flags. */
void ir_summarise(struct ir_func *f);

/* Checks every rule of the representation; reports the first broken one through `d` (an internal
 * error that names function, block and value). Run after each pass in debug builds and tests. */
bool ir_verify(struct diag *d, const struct ir_func *f);

/* ---- passes: each returns whether it changed anything ---------------------------------------- */

bool ir_pass_ssa(struct ir_func *f, struct diag *d); /* variables to values; reports reads of
                                                        variables that no path has set */
bool ir_pass_constprop(struct ir_func *f);           /* folding, with bit-range knowledge */
bool ir_pass_dce(struct ir_func *f); /* unused values, stores to registers overwritten */
bool ir_pass_cfg(struct ir_func *f); /* fold branches, merge blocks, if-conversion to SELECT */
bool ir_pass_inline(struct ir_func *f, unsigned budget); /* calls of helpers by cost */
/* Calls of helpers that do nothing but choose one of many cases, by an argument that is fixed: whoever knows
 * its value is left with one of them. Then calls in all cases, by cost. */
bool ir_pass_inline_choices(struct ir_func *f, unsigned budget);
bool ir_pass_gvn(struct ir_func *f);          /* common pure subexpressions, dominator-scoped */
bool ir_pass_unroll(struct ir_func *f);       /* one small loop whose rounds can be counted */
bool ir_pass_flatten(struct ir_func *f);      /* one block, if there are no loops and no effects */
bool ir_pass_pull_selects(struct ir_func *f); /* fixed choices of whole operations become fixed
                                                 choices of operands */
void ir_pass_fixedness(struct ir_func *f);    /* sets value->fixed and block->fixed */
void ir_optimise(struct ir_func *f, struct diag *d); /* the usual order until nothing changes */

/* A copy of `f` with FIELD reads of the given fields replaced by constants, then optimised: how an
 * interpreter handler is specialised. */
struct ir_func *ir_specialise(const struct ir_func *f, const char *name, unsigned n,
                              struct field *const *fields, const u128 *values);
/* The same where some bits are known of what fields, or parameters, hold. */
struct ir_known {
    const struct field *field; /* NULL: the parameter of that number */
    unsigned param;
    u128 mask, bits;
};
struct ir_func *ir_specialise_bits(const struct ir_func *f, const char *name, unsigned n,
                                   const struct ir_known *known);
struct ir_func *ir_clone(const struct ir_func *f, const char *name);
/* Calls of an intrinsic, with that constant as argument if it takes one, become a constant. Whether
 * there was any; the function is not optimised. */
bool ir_settle(struct ir_func *f, enum ir_intrinsic i, u128 argument, u128 value);
/* Whether there is such a call. */
bool ir_asks(const struct ir_func *f, enum ir_intrinsic i, u128 argument);

/* What is known of a value's bits: known zero and known one masks, and unsigned bounds. */
struct ir_range {
    u128 zeros, ones;
    u128 min, max;
};
struct ir_range ir_value_range(const struct ir_value *v);

/* ---- text form ------------------------------------------------------------------------------- */

void ir_print(FILE *out, const struct ir_func *f);
/* Names that the text form refers to. */
struct ir_names {
    void *opaque;
    struct reg_view *(*view)(void *opaque, const char *name);
    struct field *(*field)(void *opaque, const char *format, const char *name);
    struct ir_func *(*func)(void *opaque, const char *name);
    struct ir_callee *(*fn)(void *opaque, const char *name);
    struct format *(*format)(void *opaque, const char *name);
};
/* Reads one function as printed by ir_print. NULL after reporting. The text is well-formed when
 * this succeeds; ir_verify says whether the function is. */
struct ir_func *ir_parse(struct arena *a, struct diag *d, const struct source_file *file,
                         const struct ir_names *names);

/* ---- evaluator ------------------------------------------------------------------------------- */

enum { IR_MAX_LANES = 64 };

struct ir_data { /* any value: lanes of up to 128 bits */
    u128 lane[IR_MAX_LANES];
};

enum ir_outcome {
    IR_DONE,  /* returned */
    IR_LEFT,  /* left through a noreturn intrinsic or a memory fault */
    IR_LIMIT, /* took more than `max_steps`, or calls nest deeper than 64 */
    IR_NO_FN, /* an external function or the intrinsic callback is not bound */
};

/* The machine a function is evaluated on. */
struct ir_machine {
    void *opaque;
    uint8_t *state;     /* register blob, laid out by the model */
    u128 word;          /* instruction word, for raw FIELDs */
    u128 *fields;       /* computed fields by field->index, as the decode function left them */
    uint64_t max_steps; /* 0 = 1,000,000 */
    /* An intrinsic that is not computed by the evaluator itself. args: inputs, text not counted;
     * results[0]: the result, results[n]: output n, preset to the input given for it. Lanes are
     * zero-extended bits. Returns false to leave the behaviour (fault, exception). */
    bool (*intrinsic)(void *opaque, const struct ir_callee *fn, const char *text,
                      const struct ir_data *args, struct ir_data *results);
    /* Address of an external C function, called through libffi; NULL when unknown. */
    void (*(*external)(void *opaque, const char *name))(void);
    const char *missing; /* IR_NO_FN: its name */
};

/* Runs `f` on one `args` a parameter. results[0] is the result, results[n] output n (f->outs[n-1]);
 * they are set when the outcome is IR_DONE. Lanes are the zero-extended bits of the value; those
 * above the type's lanes are not touched. Variables need not be in SSA form; unset ones are 0. */
enum ir_outcome ir_eval(struct ir_machine *m, const struct ir_func *f, const struct ir_data *args,
                        struct ir_data *results);

#endif
