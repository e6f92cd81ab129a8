/*
 * An ISA as text: what disassembler and assembler keep of it.
 */
#ifndef GENCC_DISASM_TEXT_H
#define GENCC_DISASM_TEXT_H

#include "gencc/disasm/disasm.h"
#include "gencc/disasm/maps.h"

struct text_asm;   /* the assembler's index, made on its first use */
struct reason;     /* why expressions had their values (reason.c) */
struct known_expr; /* expressions of asm lines that were made */

struct text {
    struct isa *isa;
    struct lower *lower;
    struct arena *arena;
    struct ir_func **disasm;            /* by instr->index; NULL: not made yet */
    VEC(struct ir_func *) bundle_lines; /* of an ISA of bundles: its texts, likewise */
    const struct asm_table **tables;    /* by map->index */
    const struct asm_sysregs *sysregs;
    struct ir_machine machine;
    u128 *fields; /* computed fields of the word decoded last, by field->index */
    struct asm_out out;
    struct text_asm *assembler;
    struct known_expr **exprs; /* what solve.c has made, by a hash */
    struct reason *reasons;    /* by a hash */
    unsigned reasons_made;     /* how many expressions have some */
    struct asm_names *names;   /* of the source that is assembled; or NULL */
    unsigned context;          /* in which the assembler's line stands */
};

/* Runs the decode function of a form on a word: false when it rejects the word. Leaves the computed
 * fields in t->fields. */
bool text_run_decode(struct text *t, struct form *form, u128 word);

/* What writes the text of an instruction; NULL after reporting that it cannot be made. */
const struct ir_func *text_disasm_of(struct text *t, const struct instr *instr);

/* Writes the text of a decoded word into t->out, which is set up. */
bool text_run_disasm(struct text *t, const struct instr *instr, u128 word);

/* Runs a function of the word alone that returns a number: false when it does not return. Computed
 * fields are those of the word decoded last. */
bool text_run_value(struct text *t, const struct ir_func *f, u128 word, int64_t *value);

#endif
