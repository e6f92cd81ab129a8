/*
 * The disassembler of clauses, run by the evaluator: what `gencc disasm` prints of an ISA of clauses,
 * and a referee for the C that gencc makes of it.
 */
#ifndef GENCC_TEXT_CLAUSE_H
#define GENCC_TEXT_CLAUSE_H

#include "gencc/model/clause.h"
#include "gencc/text/disasm.h"

/* A clause as bits. */
struct clause_bits {
    uint64_t header;
    uint64_t block[CLAUSE_MAX_TUPLES];
    uint32_t word[CLAUSE_MAX_TUPLES][CLAUSE_MAX_UNITS];
    uint64_t constant[CLAUSE_MAX_CONSTANTS];
    uint8_t modifier[CLAUSE_MAX_CONSTANTS];
    unsigned tuples, constants;
    size_t bytes; /* it takes */
};

/* Takes a clause out of `available` bytes; false: no valid clause. */
bool text_clause_unpack(struct text *t, const uint8_t *code, size_t available,
                        struct clause_bits *out);

/* A prepared disassembler of clauses: `t` of their ISA, which was prepared. NULL after reporting
 * that a unit cannot be disassembled. */
struct text_clause *text_clause_prepare(struct text *t);

/* Writes the text of a clause, with the header line and braces; `index` is the number of the 16-byte
 * word it begins at. Returns the bytes it takes, 0 when it is no valid clause. */
size_t text_clause_disasm(struct text_clause *tc, const uint8_t *code, size_t available,
                          unsigned index, struct asm_out *out);

#endif
