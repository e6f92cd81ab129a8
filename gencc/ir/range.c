/*
 * Known bits and bounds of values. For vectors they hold in every lane.
 *
 * A range is found by looking at operands, to a limited depth, so it takes up to 2^MAX_DEPTH
 * visits. A pass that asks for the ranges of all values keeps the results, by value and depth.
 */
#include "gencc/ir/pass.h"
#include "gencc/ir/transfer/facts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 6, MAX_PHI_OPERANDS = 8 };

/* ---- kept ranges ----------------------------------------------------------------------------- */

enum {
    DEPTH_BITS = 3,   /* low bits of a key, which hold the depth */
    LEAST_DEPTH = 2,  /* ranges of less depth are not kept: finding them is as fast */
    LEAST_VALUES = 8, /* functions with fewer values keep none */
    MOST_ROWS = 1024, /* a power of two; later ranges take the rows of earlier ones */
};

struct ir_ranges {
    unsigned rows;  /* a power of two */
    unsigned *keys; /* per row: value's id and depth; 0: the row is empty */
    struct ir_range at[];
};

void ir_ranges_keep(struct ir_func *f)
{
    unsigned rows = LEAST_VALUES;
    struct ir_ranges *r;

    if (f->next_value < LEAST_VALUES || f->next_value > UINT_MAX >> DEPTH_BITS)
        return;
    while (rows < f->next_value && rows < MOST_ROWS)
        rows *= 2;
    r = malloc(sizeof(*r) + rows * (sizeof(*r->at) + sizeof(*r->keys)));
    if (!r)
        return;
    r->rows = rows;
    r->keys = (unsigned *)(r->at + rows);
    memset(r->keys, 0, rows * sizeof(*r->keys));
    f->ranges = r;
    vec_for_each (&f->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            v->settled = false;
}

void ir_ranges_drop(struct ir_func *f)
{
    free(f->ranges);
    f->ranges = NULL;
}

/* ---- finding --------------------------------------------------------------------------------- */

/* State of one search for a range. */
struct search {
    struct ir_ranges *kept_ranges; /* NULL: none */
    bool all_settled;              /* all values visited so far are settled */
};

static struct ir_range range_of(struct search *s, const struct ir_value *v, unsigned depth);

/* The range of a value that is one of several operands. */
static struct ir_range range_joined(struct search *s, const struct ir_value *v, unsigned depth)
{
    const struct ir_transfer *t = &ir_transfers[v->op];
    unsigned bits = v->type.bits;
    struct ir_range r, more;

    if (v->ops.len <= t->join_from || (v->op == IR_PHI && v->ops.len > MAX_PHI_OPERANDS))
        return range_full(bits);
    r = range_of(s, v->ops.data[t->join_from], depth);
    for (unsigned i = t->join_from + t->join_step; i < v->ops.len && !range_is_full(&r, bits);
         i += t->join_step) {
        more = range_of(s, v->ops.data[i], depth);
        r = range_union(&r, &more);
    }
    return r;
}

/* The range by the operation's rule. */
static struct ir_range range_by_rule(struct search *s, const struct ir_value *v, unsigned depth)
{
    const struct ir_transfer *t = &ir_transfers[v->op];
    struct ir_range x[2];

    for (unsigned i = 0; i < t->range_operands; i++) {
        x[i] = range_of(s, v->ops.data[i], depth);
        if (!i && t->opaque && range_is_full(&x[0], v->type.bits))
            return x[0];
    }
    return t->range(v, x);
}

/* The range of a value, from the kept ranges if it is among them. A new one is kept if all values
 * that it was derived from are settled: their ranges cannot change. */
static struct ir_range range_kept(struct search *s, const struct ir_value *v, unsigned depth)
{
    unsigned key = v->id << DEPTH_BITS | depth,
             row = key * 0x9e3779b1u >> 16 & (s->kept_ranges->rows - 1);
    bool before = s->all_settled;
    struct ir_range r;

    if (s->kept_ranges->keys[row] == key)
        return s->kept_ranges->at[row];
    s->all_settled = true;
    r = ir_transfers[v->op].join_step ? range_joined(s, v, depth - 1)
                                      : range_by_rule(s, v, depth - 1);
    if (s->all_settled) {
        s->kept_ranges->keys[row] = key;
        s->kept_ranges->at[row] = r;
    }
    s->all_settled &= before;
    return r;
}

static struct ir_range range_of(struct search *s, const struct ir_value *v, unsigned depth)
{
    const struct ir_transfer *t = &ir_transfers[v->op];

    if (v->op == IR_CONST)
        return range_exact(v->imm);
    s->all_settled &= v->settled;
    if (!ir_is_int(v->type) || !depth || !(t->join_step || t->range))
        return range_full(v->type.bits);
    if (s->kept_ranges && v->settled && depth >= LEAST_DEPTH)
        return range_kept(s, v, depth);
    return t->join_step ? range_joined(s, v, depth - 1) : range_by_rule(s, v, depth - 1);
}

struct ir_range ir_value_range(const struct ir_value *v)
{
    struct search s = {.kept_ranges = v->block ? v->block->func->ranges : NULL,
                       .all_settled = true};

    return range_of(&s, v, MAX_DEPTH);
}
