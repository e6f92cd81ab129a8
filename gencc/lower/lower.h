/*
 * Lowering: behaviours, checked for types, become IR.
 */
#ifndef GENCC_LOWER_LOWER_H
#define GENCC_LOWER_LOWER_H

#include "gencc/ir/ir.h"
#include "gencc/model/model.h"

struct lower;

/* How hard to work. */
enum lower_level {
    LOWER_CHECK,    /* types, names, uninitialised variables; nothing is optimised */
    LOWER_WORDS,    /* and what a word says is optimised: all but execute functions */
    LOWER_OPTIMISE, /* and every function is */
};

/* Lowers everything an ISA holds: helpers, decode functions, one execute function a form, system
 * registers, exported helpers. Fills form->exec, form->decode, isa->funcs (callees first),
 * isa->exports and the sysregs' functions. Returns false when it reported an error. */
bool lower_isa(struct isa *isa, enum lower_level level);

/* The lowering state of an ISA that lower_isa has seen, or NULL. */
struct lower *lower_of(const struct isa *isa);

/* Judges which helpers nothing calls; after lower_isa of all ISAs, and after everything else that
 * evaluates expressions of the description (assembly syntax). */
void lower_judge_unused(struct isa *isa);

/* Evaluates a GenC expression over the fields of a format inside a function under construction
 * (format fields are visible by their bare names). NULL after reporting. */
struct ir_value *lower_field_expr(struct lower *lo, struct ir_builder *b, struct format *fmt,
                                  const struct ast_expr *e);

/* The same, of raw fields and those set in decode(): others are the expressions that they have. */
struct ir_value *lower_raw_expr(struct lower *lo, struct ir_builder *b, struct format *fmt,
                                const struct ast_expr *e);

#endif
