/*
 * Allocation of a bundle's constants: a text settles the bits of a constant on which it depends.
 */
#include "gencc/asm/bundles/pool.h"

/* The constant that is used next. Numbers ascend, but the pairs in `swapped` are exchanged. */
static unsigned next_number(const struct bundle_pool *p)
{
    unsigned n = (unsigned)__builtin_popcount(p->used_constants), pair = (n - p->first_swapped) / 2;

    if (n < p->first_swapped || !(p->swapped_pairs >> pair & 1))
        return n;
    return (n - p->first_swapped) & 1 ? n - 1 : n + 1;
}

/* The result for a constant that cannot read as the text with its modifier. */
static enum pool_settled refuse_constant(const struct bundle_pool *p, struct text_bundle *tc,
                                         const struct bundle_text *text, int64_t key,
                                         const char *want)
{
    if (!(p->used_constants >> (key & 0xff) & 1))
        return POOL_NO;
    for (uint8_t m = 0; p->modifiers && m < POOL_MODIFIERS; m++)
        if (constant_ways(tc->constants, text, key, m, want)->count)
            return POOL_OTHER;
    return POOL_FIXED;
}

enum pool_settled bundle_pool_settle(struct bundle_pool *p, struct text_bundle *tc,
                                     const struct bundle_text *text, int64_t key, const char *want)
{
    unsigned n = (unsigned)(key & 0xff);
    const struct constant_ways *ways;
    bool used;

    if (n >= tc->text->isa->bundle->max_constants)
        return POOL_NO;
    used = p->used_constants >> n & 1;
    ways = constant_ways(tc->constants, text, key, used ? p->modifier[n] : p->fresh_modifier, want);
    if (!ways->count)
        return refuse_constant(p, tc, text, key, want);
    if ((used ? p->take == POOL_FRESH : p->take == POOL_USED) || (!used && n != next_number(p)))
        return POOL_TAKEN;
    for (unsigned i = 0; i < ways->count; i++) {
        const struct constant_way *w = &ways->at[i];

        if ((p->value[n] ^ w->value) & w->mask & p->mask[n])
            continue;
        p->value[n] |= w->value;
        p->mask[n] |= w->mask;
        p->modifier[n] = used ? p->modifier[n] : p->fresh_modifier;
        p->used_constants |= 1u << n;
        return POOL_SETTLED;
    }
    return POOL_TAKEN;
}
