/*
 * The disassembler: text of an instruction word, from the asm lines of the description.
 */
#ifndef GENCC_DISASM_DISASM_H
#define GENCC_DISASM_DISASM_H

#include "gencc/ir/ir.h"
#include "gencc/lower/lower.h"
#include "gencc/model/model.h"
#include "common/asm_text.h"

/* Builds the IR function (kind IR_FUNC_DISASM) that writes the text of one instruction: it tries
 * the asm lines in order (conditions, then whether every map has the key), writes the first that
 * fits through the intrinsics asm_text, asm_map (map name, packed key) and asm_number (format name
 * as in ASM_FORMATS, value), and returns uint8 1; or 0 when none fits. It reads raw fields from
 * the word and computed fields as the decode function of the form left them. NULL after reporting.
 * It is built once; instructions that are written as their format says share one.
 */
struct ir_func *text_disasm_function(struct lower *lo, struct isa *isa, struct instr *instr);

/* A prepared disassembler and assembler of one ISA. Not for use by two threads at once. */
struct text;

/* Prepares an ISA that lower_isa has seen. All memory is the model's arena. NULL after reporting
 * errors in asm lines. */
struct text *text_prepare(struct isa *isa);

/* The same of a bundle's unit: what takes time is done for the instructions that occur, and only then are errors in
 * their asm lines reported. */
struct text *text_prepare_unit(struct isa *isa);

/* The tables of a prepared ISA: by map->index, and the system registers. */
const struct asm_table *text_table(const struct text *t, const struct asm_map *map);
const struct asm_sysregs *text_sysregs(const struct text *t);

/* The form that a word decodes to, its computed fields left in the prepared state; NULL when the
 * word is undefined. Features are not asked: what any variant has is decoded. */
struct form *text_decode(struct text *t, u128 word, unsigned width);

/* Words of an ISA with a decode context have it above their bits (isa_context_bits). This is the
 * context of the word behind one that text_decode() has just decoded to `form`. */
unsigned text_next_context(struct text *t, const struct form *form, u128 word);

/* Writes the text of a word of `width` bits at `address`, terminated and cut to `n` (at least 1)
 * bytes. Returns false, with empty text, when the word is undefined or has no text. */
bool text_disasm(struct text *t, u128 word, unsigned width, uint64_t address, char *buf, size_t n);

#endif
