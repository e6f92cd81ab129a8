/*
 * Demanded bits, backwards through a function: the bits of each operand that can affect the
 * demanded bits of the result. For operations without a rule all bits are demanded.
 */
#include "gencc/asm/solve/demand.h"
#include "gencc/ir/transfer/transfer.h"

#include <stdlib.h>

enum { MAX_DEPTH = 16, MAX_CALLS = 1024 };

/* Limits of following calls: present depth, and calls that may still be followed. */
struct reach {
    unsigned depth, *calls;
};

static u128 demand_of_param(const struct ir_func *f, unsigned param, struct reach reach);

/* The bits of operand `i` that can affect the bits `mask` of the result. */
static u128 demanded_of_operand(const struct ir_value *v, unsigned i, u128 mask, struct reach reach)
{
    ir_demand_rule *demand = ir_transfers[v->op].demand;
    u128 all = low_bits(v->ops.data[i]->type.bits);

    if (v->op == IR_CALL)
        return demand_of_param(v->callee, i, (struct reach){reach.depth + 1, reach.calls});
    return demand ? demand(v, i, mask) & all : all;
}

/* Sets want[id] for all values. Repeats until nothing changes, because of loops. */
static void spread_demands(const struct ir_func *f, u128 *want, struct reach reach)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (unsigned b = f->blocks.len; b-- > 0;)
            for (const struct ir_value *v = f->blocks.data[b]->last; v; v = v->prev) {
                bool effect = ir_is_term(v) || !ir_is_pure(v);
                u128 mask = effect ? ~(u128)0 : want[v->id];

                for (unsigned i = 0; mask && i < v->ops.len; i++) {
                    u128 more = demanded_of_operand(v, i, mask, reach) & ~want[v->ops.data[i]->id];

                    changed |= more != 0;
                    want[v->ops.data[i]->id] |= more;
                }
            }
    }
}

static u128 demand_of_param(const struct ir_func *f, unsigned param, struct reach reach)
{
    u128 *want, all = 0;

    if (reach.depth > MAX_DEPTH || !*reach.calls || !f->blocks.len)
        return ~(u128)0;
    --*reach.calls;
    want = calloc(f->next_value + 1, sizeof(*want));
    if (!want)
        return ~(u128)0;
    spread_demands(f, want, reach);
    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_PARAM && v->imm == param)
                all |= want[v->id];
    free(want);
    return all;
}

u128 demanded_of_param(const struct ir_func *f, unsigned param)
{
    unsigned calls = MAX_CALLS;

    return demand_of_param(f, param, (struct reach){0, &calls});
}

u128 demanded_bits(const struct ir_func *f, const struct field *whole)
{
    u128 *want = calloc(f->next_value + 1, sizeof(*want)), all = 0;
    unsigned calls = MAX_CALLS;

    if (!want)
        return ~(u128)0;
    spread_demands(f, want, (struct reach){0, &calls});
    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            if (v->op == IR_FIELD && v->field == whole)
                all |= want[v->id];
            else if (v->op == IR_FIELD && !v->field->computed)
                all |= field_mask(v->field);
        }
    free(want);
    return all;
}
