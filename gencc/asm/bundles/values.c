/*
 * Candidate values for the fields of a block: narrow fields take all values, wide ones the numbers
 * of the texts.
 */
#include "gencc/asm/bundles/values.h"
#include "gencc/asm/solve/bits.h"

#include <string.h>

enum { FEW_BITS = 4 }; /* a field with at most this many open bits is tried with all values */

static void add_value(struct block_hints *h, uint64_t v)
{
    for (unsigned i = 0; i < h->count; i++)
        if (h->at[i] == v)
            return;
    if (h->count < BLOCK_HINTS)
        h->at[h->count++] = v;
}

void block_hint(struct block_hints *h, const struct bundle *c, const char *text)
{
    int64_t number;

    add_value(h, 0);
    if (bundle_numbers(text, strlen(text), &number, 1) && number >= 0 && number <= 0xffff) {
        add_value(h, (uint64_t)number);
        vec_for_each (&c->block->fields, f) {
            uint64_t ones = (uint64_t)low_bits((*f)->width);

            if ((*f)->computed)
                continue;
            add_value(h, (uint64_t)number & ones);
            add_value(h, ~(uint64_t)number & ones);
        }
    }
    add_value(h, 1);
}

unsigned block_parts(const struct bundle *c, uint64_t open, struct block_part *parts)
{
    unsigned n = 0;

    vec_for_each (&c->block->fields, f) {
        uint64_t mask = (uint64_t)field_mask(*f) & open;
        unsigned width = (unsigned)__builtin_popcountll(mask);

        if (!(*f)->computed && width && n < BLOCK_FIELDS)
            parts[n++] = (struct block_part){mask, (*f)->lsb, (*f)->width, width <= FEW_BITS};
    }
    return n;
}

unsigned block_values(const struct block_hints *h, const struct block_part *p)
{
    return p->try_all ? 1u << __builtin_popcountll(p->mask) : h->count;
}

bool block_value(const struct block_hints *h, const struct block_part *p, unsigned i,
                 uint64_t *value)
{
    if (!p->try_all && h->at[i] >> p->width)
        return false;
    *value = p->try_all ? (uint64_t)bits_scatter(i, p->mask) : h->at[i] << p->lsb & p->mask;
    return true;
}
