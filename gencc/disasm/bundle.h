/*
 * The disassembler of bundles, run by the evaluator: what `gencc disasm` prints of an ISA of bundles,
 * and a referee for the C that gencc makes of it.
 */
#ifndef GENCC_DISASM_BUNDLE_H
#define GENCC_DISASM_BUNDLE_H

#include "gencc/model/bundle.h"
#include "gencc/disasm/disasm.h"

/* A bundle as bits. */
struct bundle_bits {
    uint64_t header;
    uint64_t block[BUNDLE_MAX_STAGES];
    u128 word[BUNDLE_MAX_STAGES][BUNDLE_MAX_UNITS];
    uint32_t present[BUNDLE_MAX_STAGES]; /* bit a unit that has a word */
    uint64_t constant[BUNDLE_MAX_CONSTANTS];
    uint8_t modifier[BUNDLE_MAX_CONSTANTS];
    unsigned stages, constants;
    size_t bytes; /* it takes */
};

/* Takes a bundle out of `available` bytes; false: no valid bundle. */
bool text_bundle_unpack(struct text *t, const uint8_t *code, size_t available,
                        struct bundle_bits *out);

/* Whether a program ends here: at a grain of zeros, or less than one. */
bool text_bundle_is_padding(const struct bundle *c, const uint8_t *code, size_t available);

/* A prepared disassembler of bundles: `t` of their ISA, which was prepared. NULL after reporting
 * that a unit cannot be disassembled. */
struct text_bundle *text_bundle_prepare(struct text *t);

/* Writes the text of a bundle, with the header line and braces; `index` is the number of the grain
 * it begins at. Returns the bytes it takes, 0 when it is no valid bundle. */
size_t text_bundle_disasm(struct text_bundle *tc, const uint8_t *code, size_t available,
                          unsigned index, struct asm_out *out);

#endif
