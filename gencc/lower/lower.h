/*
 * Lowering: checks the types of behaviours and translates them to IR.
 */
#ifndef GENCC_LOWER_LOWER_H
#define GENCC_LOWER_LOWER_H

#include "gencc/ir/ir.h"
#include "gencc/model/model.h"

struct lower;

/* How much is optimised */
enum lower_level {
    LOWER_CHECK,    /* nothing: finds errors in types and names, and unset variables */
    LOWER_WORDS,    /* helpers; functions of forms are left to lower_decode() and lower_exec() */
    LOWER_OPTIMISE, /* all functions */
};

/* Lowers the whole ISA: helpers, decode functions, one execute function per form, system registers,
 * exported helpers. Sets form->exec, form->decode, isa->funcs (callees first), isa->exports and the
 * functions of system registers. At LOWER_WORDS it leaves the functions of forms to lower_decode()
 * and lower_exec(), since a text needs those of few forms. Returns false after reporting an
 * error. */
bool lower_isa(struct isa *isa, enum lower_level level);

/* The decode function of a form of an ISA that lower_isa() has seen, and the form's behaviour. NULL
 * after reporting errors, then or before. Not thread-safe: the first call may lower it. */
struct ir_func *lower_decode(struct form *form);
struct ir_func *lower_exec(struct form *form);

/* The state of lowering of an ISA, after lower_isa(); otherwise NULL. */
struct lower *lower_of(const struct isa *isa);

/* Warns of helpers that nothing calls. Call it after lower_isa() of all ISAs and after the assembly
 * syntax is built, which evaluates expressions of the description too. */
void lower_judge_unused(struct isa *isa);

/* Evaluates a GenC expression inside a function under construction; fields of the format are
 * visible by name. Returns NULL after reporting. */
struct ir_value *lower_field_expr(struct lower *lo, struct ir_builder *b, struct format *fmt,
                                  const struct ast_expr *e);

/*
 * As lower_field_expr(), with raw fields and those set in decode() by name; other fields are
 * lowered by their expressions.
 */
struct ir_value *lower_raw_expr(struct lower *lo, struct ir_builder *b, struct format *fmt,
                                const struct ast_expr *e);

#endif
