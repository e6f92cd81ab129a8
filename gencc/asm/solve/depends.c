/*
 * Dependencies: the bits of the word on which an expression depends.
 */
#include "gencc/asm/solve/bits.h"

#include <stdlib.h>

const struct ir_value *bits_computed(const struct ir_func *decode, const struct field *f)
{
    const struct ir_value *found = NULL;

    if (!decode)
        return NULL;
    vec_for_each (&decode->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            if (v->op != IR_FIELD_WRITE || v->field != f)
                continue;
            if (found)
                return NULL;
            found = v->ops.data[0];
        }
    }
    return found;
}

/* Mask of a word's bits, with the decode context above them if there is one. */
static u128 word_bits(const struct format *f)
{
    const struct field *context = format_field(f, "context");
    bool above = context && !context->computed && context->lsb == CONTEXT_LSB;

    return low_bits(f->width) | (above ? low_bits(CONTEXT_BITS) << CONTEXT_LSB : 0);
}

/* Collects the bits on which a value depends; `seen` has an element per value of the function. */
static u128 collect_bits(const struct ir_value *v, bool *seen)
{
    struct ir_place place;
    u128 all = 0;

    if (seen[v->id])
        return 0;
    seen[v->id] = true;
    if (v->op == IR_FIELD && ir_value_place(v, &place))
        return low_bits(place.width) << place.lsb;
    if (v->op == IR_WORD || v->op == IR_PARAM || v->op == IR_FIELD)
        return word_bits(v->block->func->format);
    vec_for_each (&v->ops, op) {
        all |= collect_bits(*op, seen);
    }
    if (v->op != IR_PHI)
        return all;
    vec_for_each (&v->block->func->blocks, b) {
        if ((*b)->last && (*b)->last->ops.len && (*b)->last->op != IR_RET)
            all |= collect_bits((*b)->last->ops.data[0], seen);
    }
    return all;
}

static u128 computed_depends(const struct ir_func *decode, const struct field *f)
{
    const struct ir_value *v = bits_computed(decode, f);
    bool *seen;
    u128 all;

    if (!v)
        return ~(u128)0;
    seen = calloc(decode->next_value + 1, sizeof(*seen));
    if (!seen)
        return ~(u128)0;
    all = collect_bits(v, seen);
    free(seen);
    return all;
}

u128 bits_depends(const struct ir_func *f, const struct ir_func *decode)
{
    u128 all = 0;

    vec_for_each (&f->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            if (v->op == IR_WORD)
                all = ~(u128)0;
            else if (v->op == IR_FIELD && v->field->computed)
                all |= computed_depends(decode, v->field);
            else if (v->op == IR_FIELD)
                all |= field_mask(v->field);
        }
    }
    return all & word_bits(f->format);
}
