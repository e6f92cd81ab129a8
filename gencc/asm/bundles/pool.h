/*
 * The constants of a bundle while it is assembled: which of their bits are settled. Private to gencc/asm/bundles.
 */
#ifndef GENCC_ASM_BUNDLES_POOL_H
#define GENCC_ASM_BUNDLES_POOL_H

#include "gencc/asm/bundles/constant.h"

enum { POOL_MODIFIERS = 8 }; /* that are tried */

/* Which constants may be settled. */
enum pool_take { POOL_ANY, POOL_USED, POOL_FRESH };

struct bundle_pool {
    uint64_t mask[BUNDLE_MAX_CONSTANTS]; /* settled bits */
    uint64_t value[BUNDLE_MAX_CONSTANTS];
    uint8_t modifier[BUNDLE_MAX_CONSTANTS];
    uint32_t used; /* bit a constant that something names */
    enum pool_take take;
    bool modifiers; /* try those that change a constant, too */
    uint8_t fresh;  /* the modifier that a constant gets when it is used first */
    unsigned
        swapped; /* bit i: constants 2i + odd and the one behind it are numbered the other way round */
    unsigned odd;
};

enum pool_settled {
    POOL_NO,    /* no constant reads so */
    POOL_FIXED, /* none reads so that is changed as this one is */
    POOL_OTHER, /* likewise, but one that is changed otherwise might */
    POOL_TAKEN, /* one would, but this one is settled otherwise, or not to be used now */
    POOL_SETTLED,
};
/* Settles bits of a constant so that the text says the key reads as that; `want` is one of readings_string. */
enum pool_settled bundle_pool_settle(struct bundle_pool *p, struct text_bundle *tc,
                                     const struct bundle_text *text, int64_t key, const char *want);

#endif
