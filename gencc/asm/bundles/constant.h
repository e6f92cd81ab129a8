/*
 * What a constant of a bundle must hold to read as a text. Private to gencc/asm/bundles.
 */
#ifndef GENCC_ASM_BUNDLES_CONSTANT_H
#define GENCC_ASM_BUNDLES_CONSTANT_H

#include "gencc/asm/bundles/parts.h"

enum { CONSTANT_WAYS = 4 };

/* Bits that make it read so. */
struct constant_way {
    uint64_t value, mask;
};

struct constant_ways {
    unsigned count;
    struct constant_way at[CONSTANT_WAYS];
};

struct constants;

/* In the arena of the ISA. */
struct constants *constants_new(struct text_bundle *tc);

/* How the constant that the key names can read as `want` with that modifier in the present bundle. `want` is one of
 * readings_string: it is compared by its address. Valid until the next call. */
const struct constant_ways *constant_ways(struct constants *c, const struct bundle_text *text,
                                          int64_t key, uint8_t modifier, const char *want);

#endif
