/*
 * The disassembler of bundles, run by the evaluator. It prints for `gencc disasm` and is a referee
 * for the C that gencc generates.
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
    uint32_t present[BUNDLE_MAX_STAGES]; /* set of the units that have a word, bit n: unit n */
    uint64_t constant[BUNDLE_MAX_CONSTANTS];
    uint8_t modifier[BUNDLE_MAX_CONSTANTS];
    unsigned stages, constants;
    size_t bytes; /* size of the bundle */
};

/* Unpacks a bundle from `available` bytes. False: no valid bundle. */
bool text_bundle_unpack(struct text *t, const uint8_t *code, size_t available,
                        struct bundle_bits *out);

/* Whether a program ends here: at a grain of zeros, or less than a grain. */
bool text_bundle_is_padding(const struct bundle *c, const uint8_t *code, size_t available);

/* Prepares a disassembler of bundles; `t` is their prepared ISA. NULL after reporting that a unit
 * cannot be disassembled. */
struct text_bundle *text_bundle_prepare(struct text *t);

/* Writes the text of a bundle, with header line and braces; `index` is the number of its first
 * grain. Returns the size of the bundle in bytes, 0 if it is not valid. */
size_t text_bundle_disasm(struct text_bundle *tc, const uint8_t *code, size_t available,
                          unsigned index, struct asm_out *out);

#endif
