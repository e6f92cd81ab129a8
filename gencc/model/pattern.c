/*
 * Bit patterns: conjunctions of fixed bits and excluded values.
 */
#include "gencc/model/internal.h"

bool pattern_fix(struct pattern *p, u128 mask, u128 value)
{
    if ((p->value ^ value) & p->mask & mask)
        return false;
    p->mask |= mask;
    p->value |= value;
    return true;
}

void pattern_exclude(struct arena *a, struct pattern *p, u128 mask, u128 value)
{
    vec_push_in(a, &p->nots, ((struct bit_test){mask, value}));
}

/* Applies an exclusion to the fixed bits. Returns 0 if it excludes nothing any more, 1 if it still
 * does, -1 if no word matches. An exclusion with one open bit fixes that bit. */
static int apply_exclusion(struct pattern *p, const struct bit_test *n)
{
    u128 open = n->mask & ~p->mask;

    if ((p->value ^ n->value) & p->mask & n->mask)
        return 0;
    if (!open)
        return -1;
    if (open != lowest_bit(open))
        return 1;
    pattern_fix(p, open, ~n->value & open);
    return 0;
}

bool pattern_simplify(struct pattern *p)
{
    bool changed = true;

    while (changed) {
        unsigned kept = 0;
        u128 mask = p->mask;

        for (unsigned i = 0; i < p->nots.len; i++) {
            int said = apply_exclusion(p, &p->nots.data[i]);

            if (said < 0)
                return false;
            if (said)
                p->nots.data[kept++] = p->nots.data[i];
        }
        p->nots.len = kept;
        changed = p->mask != mask;
    }
    return true;
}

struct pattern pattern_copy(struct arena *a, const struct pattern *p)
{
    struct pattern c = {p->pos, p->mask, p->value, {0}};

    vec_for_each (&p->nots, n)
        vec_push_in(a, &c.nots, *n);
    return c;
}

bool pattern_intersect(struct arena *a, const struct pattern *x, const struct pattern *y,
                       struct pattern *out)
{
    u128 word;

    if ((x->value ^ y->value) & x->mask & y->mask)
        return false;
    *out = pattern_copy(a, x);
    pattern_fix(out, y->mask, y->value);
    vec_for_each (&y->nots, n)
        vec_push_in(a, &out->nots, *n);
    return pattern_simplify(out) && (!out->nots.len || pattern_example(a, out, &word));
}

bool pattern_example(struct arena *a, const struct pattern *p, u128 *word)
{
    struct pattern rest = pattern_copy(a, p);
    u128 open;

    if (!pattern_simplify(&rest))
        return false;
    *word = rest.value;
    if (!rest.nots.len)
        return true;
    /* Satisfy the first exclusion by one of its open bits; try all of them. The bits tried before
     * keep the value that does not satisfy it, so that no word is tried twice. */
    for (open = rest.nots.data[0].mask & ~rest.mask; open; open &= open - 1) {
        struct pattern next = pattern_copy(a, &rest);
        u128 bit = lowest_bit(open);

        pattern_fix(&next, bit, ~rest.nots.data[0].value & bit);
        if (pattern_example(a, &next, word))
            return true;
        pattern_fix(&rest, bit, rest.nots.data[0].value & bit);
    }
    return false;
}

enum { MAX_SPLITS = 4096 }; /* splits per call of pattern_covered() */

static bool is_covered(struct arena *a, const struct pattern *p, const struct pattern *const *cover,
                       unsigned count, unsigned *budget)
{
    const struct pattern **left = arena_alloc(a, (count + 1) * sizeof(*left));
    struct pattern half = *p;
    unsigned remaining = 0;
    u128 bit;

    for (unsigned i = 0; i < count; i++) {
        if ((cover[i]->value ^ p->value) & cover[i]->mask & p->mask)
            continue;
        if (!(cover[i]->mask & ~p->mask) && !cover[i]->nots.len)
            return true;
        left[remaining++] = cover[i];
    }
    if (!remaining || !*budget)
        return false;
    --*budget;
    bit = lowest_bit(left[0]->mask & ~p->mask);
    if (!bit)
        return false;
    half.mask |= bit;
    if (!is_covered(a, &half, left, remaining, budget))
        return false;
    half.value |= bit;
    return is_covered(a, &half, left, remaining, budget);
}

bool pattern_covered(struct arena *a, const struct pattern *p, const struct pattern *const *cover,
                     unsigned count)
{
    unsigned budget = MAX_SPLITS;
    struct pattern plain = {p->pos, p->mask, p->value, {0}};

    return is_covered(a, &plain, cover, count, &budget);
}
