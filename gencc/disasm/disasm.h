/*
 * The disassembler: text of an instruction word, by the asm lines of the description.
 */
#ifndef GENCC_DISASM_DISASM_H
#define GENCC_DISASM_DISASM_H

#include "gencc/ir/ir.h"
#include "gencc/lower/lower.h"
#include "gencc/model/model.h"
#include "common/asm_text.h"

/* Builds the IR function (kind IR_FUNC_DISASM) that writes the text of one instruction. The
 * function tries the asm lines in order: conditions, then whether every map has the key. It writes
 * the first line that fits through the intrinsics asm_text, asm_map (map name, packed key) and
 * asm_number (format name as in ASM_FORMATS, value). It returns uint8 1; 0 if no line fits. Raw
 * fields are read from the word, computed fields as the form's decode function left them.
 *
 * Returns NULL after reporting. The function is built once; instructions with the text of their
 * format share one. */
struct ir_func *text_disasm_function(struct lower *lo, struct isa *isa, struct instr *instr);

/* A prepared disassembler and assembler of one ISA. Not thread-safe. */
struct text;

/* Prepares an ISA that lower_isa has seen. All memory is the model's arena. NULL after reporting
 * errors in asm lines. */
struct text *text_prepare(struct isa *isa);

/* Prepares the ISA of a bundle's unit. Functions are made for instructions that occur, and errors
 * in their asm lines are reported only then. */
struct text *text_prepare_unit(struct isa *isa);

/* Tables of a prepared ISA: a map's, and the system registers'. */
const struct asm_table *text_table(const struct text *t, const struct asm_map *map);
const struct asm_sysregs *text_sysregs(const struct text *t);

/* The form to which a word decodes. Its computed fields are left in the prepared state. NULL if the
 * word is undefined. Features are ignored: words of all variants are decoded. */
struct form *text_decode(struct text *t, u128 word, unsigned width);

/* The decode context of the word behind the one that text_decode() has just decoded to `form`.
 * Words of an ISA with a decode context have the context above their bits (isa_context_bits). */
unsigned text_next_context(struct text *t, const struct form *form, u128 word);

/* Writes the text of a word of `width` bits at `address`, terminated and cut to `n` (at least 1)
 * bytes. Returns false, with empty text, when the word is undefined or has no text. */
bool text_disasm(struct text *t, u128 word, unsigned width, uint64_t address, char *buf, size_t n);
/* Whether the text that was produced last was truncated. */
bool text_is_cut(const struct text *t);

#endif
