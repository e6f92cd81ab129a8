/*
 * What the files of the SLEIGH exporter share. A constructor is made per form and text: its
 * display, its pattern, and p-code of its behaviour. Whatever depends only on bits of the word
 * becomes fields, attached names and registers, or expressions that Ghidra computes while
 * disassembling.
 */
#ifndef GENCC_EXPORT_SLEIGH_H
#define GENCC_EXPORT_SLEIGH_H

#include "common/arena.h"
#include "gencc/disasm/disasm.h"
#include "gencc/front/names.h"
#include "gencc/ir/ir.h"
#include "gencc/model/model.h"

#include <stdio.h>

/* A field of a token. Those with different attachments are different symbols over the same bits. */
struct sl_field {
    unsigned token, lsb, bits;
    const char *attach; /* "variables [ … ]" or "names [ … ]"; NULL: a number */
    const char *name;
};

/* The whole file */
struct sleigh {
    struct arena *arena;
    FILE *errors;
    const struct model *model;
    const struct isa *isa;
    struct text *text;
    VEC(struct sl_field) fields;
    VEC(const char *) ops; /* pcodeops */
    struct name_map op_names, field_names, table_names, register_names;
    FILE *tables; /* subtables, which stand before the constructors */
    unsigned next_table;
    unsigned constructors, opaque, calls, skipped_texts, open_conditions;
};

/* Whether a value is not zero, for each value of the bits of the word on which it depends */
struct sl_truth {
    const struct ir_value *value; /* NULL: whether the decode function accepts the word */
    u128 bits;
    uint8_t *of; /* by number of the word (sl_spread()): 0, 1 or SL_UNKNOWN; NULL: not known */
};
enum { SL_UNKNOWN = 2 };

/* A form that is being exported */
struct sl_form {
    struct sleigh *s;
    const struct form *form;
    unsigned width;
    u128 mask, value;       /* bits of the word that all its patterns fix */
    VEC(const char *) uses; /* symbols of the current constructor */
    u128 decoded_word;      /* the word of which `decoded` are the computed fields */
    u128 *decoded;
    bool is_decoded, accepted;
    VEC(struct sl_truth) truths; /* of conditions on words of the current pattern */
    VEC(const char *) actions;   /* `name = expression;` of the current constructor */
    VEC(const char *) shown;     /* symbols of its display, where each stands once */
};

enum { SL_ENUMERATED = 8 }; /* bits of which all values are tried */

/* ---- sleigh_bits.c: values that depend on the word ------------------------------------------- */

/* The bits of the word that a value depends on, beyond those that are fixed. False if it depends on
 * anything else, or if that cannot be told. v NULL: whether the decode function accepts the
 * word. */
bool sl_depends(struct sl_form *f, const struct ir_value *v, u128 *bits);
/* The value for a word. False if it cannot be computed. */
bool sl_evaluate(struct sl_form *f, const struct ir_value *v, u128 word, u128 *out);
/* The value of a computed field in a decode function without branches; NULL: there is none. */
const struct ir_value *sl_computed(const struct sl_form *f, const struct field *field);
/* The n-th word whose bits in `bits` differ: `n` spread over them, and the form's fixed bits. */
u128 sl_spread(const struct sl_form *f, u128 bits, unsigned n);
/* Whether the bits are side by side; `lsb` and `count` receive their place. */
bool sl_is_run(u128 bits, unsigned *lsb, unsigned *count);

/* ---- sleigh_symbols.c: names ----------------------------------------------------------------- */

/* The symbol of bits of the word, perhaps with an attachment. */
const char *sl_field(struct sl_form *f, unsigned lsb, unsigned bits, const char *attach);
/* Adds a symbol to the pattern of the current constructor, and returns it. */
const char *sl_use(struct sl_form *f, const char *symbol);
/* A pcodeop of that name, as a symbol. */
const char *sl_op(struct sleigh *s, const char *name);
/* The name as a symbol of SLEIGH. */
const char *sl_symbol(struct sleigh *s, const char *name);
/* The symbol of a register, and its address in the register space. */
const char *sl_register(struct sleigh *s, const struct reg_view *v, unsigned index);
unsigned sl_register_offset(const struct sleigh *s, unsigned state_offset, unsigned bytes);
/* Prints the definitions of spaces, registers, tokens and pcodeops. */
void sl_print_registers(FILE *o, struct sleigh *s);
void sl_print_symbols(FILE *o, struct sleigh *s);

/* ---- sleigh_pattern.c: conditions on the word ------------------------------------------------ */

/* The constraint that bits have a value: " & name=0x1…", "" for no bits. */
const char *sl_constraint(struct sl_form *f, u128 mask, u128 value);
/* The constraint that a value is (not) zero, or that the word is (not) accepted; NULL: a pattern
 * cannot say it. "never" if no word has it. */
const char *sl_condition(struct sl_form *f, const struct ir_value *v, bool sense);
extern const char sl_never[];
/* All of several conditions; the texts as of sl_condition(). */
struct sl_condition {
    const struct ir_value *value;
    bool sense;
};
const char *sl_conditions(struct sl_form *f, const struct sl_condition *of, unsigned n);

/* ---- sleigh_number.c: expressions that are computed while disassembling ---------------------- */

/* The value, exactly, as an expression on symbols, which become used; NULL: there is none. */
const char *sl_number(struct sl_form *f, const struct ir_value *v);
/* The place of a branch that is known while disassembling, as a symbol; NULL: it is not. */
const char *sl_destination(struct sl_form *f, const struct ir_value *target);

/* ---- sleigh_display.c ------------------------------------------------------------------------ */

/* A way to print an instruction */
struct sl_text {
    const char *display; /* behind the colon */
    const char *constraint;
    bool is_rest; /* for the words that no other text has: its pattern contains the others' */
    VEC(const char *) uses;
    VEC(const char *) actions;
};
typedef VEC(struct sl_text) sl_texts;
void sl_display(struct sl_form *f, sl_texts *out);

/* ---- sleigh_say.c, sleigh_value.c, sleigh_call.c, sleigh_registers.c, sleigh_code.c: p-code
 * ---- */

enum { SL_MAX_STATEMENTS = 1600 };

/* P-code of a constructor */
struct sl_code {
    struct sl_form *f;
    FILE *o;
    unsigned locals, labels, statements;
    const char *refused; /* why it cannot be said; NULL: it can */
    bool branches;       /* writes the PC: `_npc` is the next address */
    const char **fields; /* by field->index: variables of computed fields; NULL: none */
};

/* The run of a function: the text of each lane of its values, by value->id */
struct sl_frame {
    struct sl_code *c;
    const struct ir_func *f;
    const char *const **slots;
    const char *const **args;
    const char **results; /* variables for the lanes of the returned values */
    bool *needed;         /* by value->id: what is not needed is left out */
    unsigned label;       /* of its first block; that of its end follows the last one */
    unsigned depth;       /* of calls; 0: the behaviour itself */
};

/* Writes the p-code of a form, or of the forms by context of an instruction, as a block in braces.
 * Returns false, having written nothing, if it cannot be said; *why receives the reason. */
bool sl_behaviour(FILE *o, struct sl_form *f, const struct form *const *forms, unsigned n,
                  const char **why);

/* Writes one statement. */
void sl_say(struct sl_code *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A new variable, declared with that text; the lanes of a value. */
const char *sl_local(struct sl_code *c, unsigned bytes, const char *value);
const char **sl_lanes(struct sl_code *c, unsigned n);
const char *sl_constant(struct sl_code *c, u128 value, unsigned bytes);
/* Inlines a function; its results are the lanes behind each other. */
bool sl_inline(struct sl_code *c, unsigned depth, const struct ir_func *f, const char *const **args,
               const char ***results);
/* The lanes of a value; NULL after setting c->refused. */
const char *const *sl_value(struct sl_frame *fr, const struct ir_value *v);
/* Intrinsics and external functions: result and outputs, one behind the other. */
const char *const *sl_call(struct sl_frame *fr, const struct ir_value *v);
const char *const *sl_registers(struct sl_frame *fr, const struct ir_value *v);
/* The symbol of a register whose number is in the word; NULL: there is none. */
const char *sl_register_symbol(struct sl_code *c, const struct ir_value *v);

#endif
