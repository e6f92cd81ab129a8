/*
 * Values of a bundle's constants with which they read as a text. Private to gencc/asm/bundles.
 */
#ifndef GENCC_ASM_BUNDLES_CONSTANT_H
#define GENCC_ASM_BUNDLES_CONSTANT_H

#include "gencc/asm/bundles/parts.h"

enum { CONSTANT_WAYS = 4 };

/* Bits with which a constant reads as the text; bits outside `mask` are free. */
struct constant_way {
    uint64_t value, mask;
};

struct constant_ways {
    unsigned count;
    struct constant_way at[CONSTANT_WAYS];
};

struct constants;

/* Allocated in the arena of the ISA. */
struct constants *constants_new(struct text_bundle *tc);

/* The values with which the constant that `key` names reads as `want`, with the modifier, in the
 * present bundle. `want` is a string of readings_string and is compared by address. Valid until the
 * next call. */
const struct constant_ways *constant_ways(struct constants *c, const struct bundle_text *text,
                                          int64_t key, uint8_t modifier, const char *want);

#endif
