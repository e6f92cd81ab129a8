/*
 * The constants of a bundle under assembly, and which of their bits are settled. Private to
 * gencc/asm/bundles.
 */
#ifndef GENCC_ASM_BUNDLES_POOL_H
#define GENCC_ASM_BUNDLES_POOL_H

#include "gencc/asm/bundles/constant.h"

enum { POOL_MODIFIERS = 8 }; /* number of modifiers that are tried */

/* Which constants a search may settle: any, those in use, or unused ones. */
enum pool_take { POOL_ANY, POOL_USED, POOL_FRESH };

struct bundle_pool {
    uint64_t mask[BUNDLE_MAX_CONSTANTS]; /* settled bits */
    uint64_t value[BUNDLE_MAX_CONSTANTS];
    uint8_t modifier[BUNDLE_MAX_CONSTANTS];
    uint32_t used_constants; /* set of the constants in use, bit n: constant n */
    enum pool_take take;
    bool modifiers;         /* also try modifiers that change a constant */
    uint8_t fresh_modifier; /* modifier of a constant that is used for the first time */
    unsigned
        swapped_pairs; /* bit i: constants 2 * i + odd and the next one have each other's numbers */
    unsigned first_swapped;
};

enum pool_settled {
    POOL_NO,    /* no constant reads so */
    POOL_FIXED, /* the constant in use does not, with its modifier */
    POOL_OTHER, /* the constant in use does not, but with another modifier it might */
    POOL_TAKEN, /* a constant would, but conflicts with settled bits or with `take` */
    POOL_SETTLED,
};
/* Settles bits of a constant so that the key reads as `want`, a string of readings_string. */
enum pool_settled bundle_pool_settle(struct bundle_pool *p, struct text_bundle *tc,
                                     const struct bundle_text *text, int64_t key, const char *want);

#endif
