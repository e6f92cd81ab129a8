/*
 * An ISA as text: the state of disassembler and assembler.
 */
#ifndef GENCC_DISASM_TEXT_H
#define GENCC_DISASM_TEXT_H

#include "gencc/disasm/disasm.h"
#include "gencc/disasm/maps.h"

struct text_asm;   /* the assembler's index, made on first use */
struct reason;     /* cached reasons of expressions' values (reason.c) */
struct known_expr; /* cached expressions of asm lines (solve.c) */

struct text {
    struct isa *isa;
    struct lower *lower;
    struct arena *arena;
    struct ir_func **disasm;            /* by instr->index; NULL: not made yet */
    VEC(struct ir_func *) bundle_lines; /* functions of a bundle ISA's texts, likewise */
    const struct asm_table **tables;    /* by map->index */
    const struct asm_sysregs *sysregs;
    struct ir_machine machine;
    u128 *fields; /* computed fields of the word decoded last, by field->index */
    struct asm_out out;
    struct text_asm *assembler;
    struct known_expr **exprs; /* cache of solve.c, by hash */
    struct reason *reasons;    /* cache of reason.c, by hash */
    unsigned reasons_made;     /* number of expressions with a cache */
    struct asm_names *names;   /* names of the assembled source; NULL: none */
    unsigned context;          /* decode context of the assembler's line */
};

/* Runs the decode function of a form on a word, and leaves the computed fields in t->fields. False
 * if the function rejects the word. */
bool text_run_decode(struct text *t, struct form *form, u128 word);

/* The function that writes the text of an instruction. NULL after reporting that it cannot be
 * made. */
const struct ir_func *text_disasm_of(struct text *t, const struct instr *instr);

/* Writes the text of a decoded word into t->out, which the caller has set up. */
bool text_run_disasm(struct text *t, const struct instr *instr, u128 word);

/* Runs a function of the word that returns a number. False if it does not return. Computed fields
 * are those of the word decoded last. */
bool text_run_value(struct text *t, const struct ir_func *f, u128 word, int64_t *value);

#endif
