/*
 * Known bits and bounds of values. For vectors they hold in every lane.
 */
#include "gencc/ir/transfer/facts.h"

enum { MAX_DEPTH = 6, MAX_PHI_OPERANDS = 8 };

static struct ir_range range_of(const struct ir_value *v, unsigned depth);

/* The range of a value that is one of several operands. */
static struct ir_range range_joined(const struct ir_value *v, unsigned depth)
{
    const struct ir_transfer *t = &ir_transfers[v->op];
    unsigned bits = v->type.bits;
    struct ir_range r, more;

    if (v->ops.count <= t->join_from || (v->op == IR_PHI && v->ops.count > MAX_PHI_OPERANDS))
        return range_full(bits);
    r = range_of(v->ops.at[t->join_from], depth);
    for (unsigned i = t->join_from + t->join_step; i < v->ops.count && !range_is_full(&r, bits);
         i += t->join_step) {
        more = range_of(v->ops.at[i], depth);
        r = range_union(&r, &more);
    }
    return r;
}

/* The range by the operation's rule. */
static struct ir_range range_by_rule(const struct ir_value *v, unsigned depth)
{
    const struct ir_transfer *t = &ir_transfers[v->op];
    struct ir_range x[2];

    for (unsigned i = 0; i < t->range_operands; i++) {
        x[i] = range_of(v->ops.at[i], depth);
        if (!i && t->opaque && range_is_full(&x[0], v->type.bits))
            return x[0];
    }
    return t->range(v, x);
}

static struct ir_range range_of(const struct ir_value *v, unsigned depth)
{
    const struct ir_transfer *t = &ir_transfers[v->op];

    if (v->op == IR_CONST)
        return range_exact(v->imm);
    if (!ir_is_int(v->type) || !depth || !(t->join_step || t->range))
        return range_full(v->type.bits);
    return t->join_step ? range_joined(v, depth - 1) : range_by_rule(v, depth - 1);
}

struct ir_range ir_value_range(const struct ir_value *v)
{
    return range_of(v, MAX_DEPTH);
}
