/*
 * Known bits of values from known bits of the word, and bits of the word from wanted bits of
 * values.
 */
#include "gencc/asm/solve/bits.h"

/* ---- known bits, forwards -------------------------------------------------------------------- */

/* Known bits of a value that is a copy of bits of the word. */
static struct bits known_copy(const struct knowledge *k, const struct ir_value *v,
                              struct ir_place place)
{
    u128 mask = low_bits(place.width);

    return (struct bits){(k->word.mask >> place.lsb & mask) | (low_bits(v->type.bits) & ~mask),
                         k->word.value >> place.lsb & mask};
}

static struct bits known_computed(struct knowledge *k, const struct ir_value *v)
{
    const struct ir_value *c = bits_computed(k->decode, v->field);

    return c ? bits_known(k, c) : (struct bits){0};
}

/* Only the chosen value is visited if the condition is known. */
static struct bits known_select(struct knowledge *k, const struct ir_value *v)
{
    struct bits cond = bits_known(k, v->ops.data[0]), x, y;

    if (cond.value)
        return bits_known(k, v->ops.data[1]);
    if (bits_full(cond, v->ops.data[0]->type))
        return bits_known(k, v->ops.data[2]);
    x = bits_known(k, v->ops.data[1]);
    y = bits_known(k, v->ops.data[2]);
    x.mask &= y.mask & ~(x.value ^ y.value);
    x.value &= x.mask;
    return x;
}

/* An operation without a rule: its result is known if all operands are. */
static struct bits known_by_arith(struct knowledge *k, const struct ir_value *v)
{
    struct bits x[IR_STEP_OPERANDS];

    if (v->ops.len > IR_STEP_OPERANDS || !(ir_ops[v->op].flags & IR_F_PURE) || v->op == IR_PHI)
        return (struct bits){0};
    for (unsigned i = 0; i < v->ops.len; i++) {
        if (!bits_scalar(v->ops.data[i]))
            return (struct bits){0};
        x[i] = bits_known(k, v->ops.data[i]);
        if (!bits_full(x[i], v->ops.data[i]->type))
            return (struct bits){0};
    }
    return bits_by_arith(v, x);
}

struct bits bits_known(struct knowledge *k, const struct ir_value *v)
{
    struct bits x[IR_STEP_OPERANDS];
    struct ir_place place;

    if (!bits_scalar(v) || !k->steps)
        return (struct bits){0};
    k->steps--;
    if (v->op == IR_CONST)
        return (struct bits){low_bits(v->type.bits), v->imm & low_bits(v->type.bits)};
    if (ir_value_place(v, &place))
        return known_copy(k, v, place);
    if (v->op == IR_FIELD)
        return known_computed(k, v);
    if (v->op == IR_SELECT)
        return known_select(k, v);
    if (!ir_transfers[v->op].known)
        return known_by_arith(k, v);
    for (unsigned i = 0; i < v->ops.len; i++)
        x[i] = bits_known(k, v->ops.data[i]);
    return ir_transfers[v->op].known(v, x);
}

/* ---- wanted bits, backwards ------------------------------------------------------------------ */

static bool bits_contradict(struct bits known, struct bits want)
{
    return (known.mask & want.mask & (known.value ^ want.value)) != 0;
}

/* Combines the outcomes of two demands. */
static enum bits_outcome combine_outcomes(enum bits_outcome a, enum bits_outcome b)
{
    if (a == BITS_IMPOSSIBLE || b == BITS_IMPOSSIBLE)
        return BITS_IMPOSSIBLE;
    return a == BITS_DONE && b == BITS_DONE ? BITS_DONE : BITS_STUCK;
}

static enum bits_outcome want_copy(struct knowledge *k, struct ir_place place, struct bits want)
{
    u128 mask = low_bits(place.width);
    struct bits more = {(want.mask & mask) << place.lsb, (want.value & mask) << place.lsb};

    return bits_learn(&k->word, more) ? BITS_DONE : BITS_IMPOSSIBLE;
}

static enum bits_outcome want_computed(struct knowledge *k, const struct ir_value *v,
                                       struct bits want)
{
    const struct ir_value *c = bits_computed(k->decode, v->field);

    return c ? bits_want(k, c, want) : BITS_STUCK;
}

/* Makes a condition true (if true means 1) or false. */
static enum bits_outcome want_truth(struct knowledge *k, const struct ir_value *cond, bool truth)
{
    struct bits known = bits_known(k, cond);
    u128 ones = low_bits(cond->type.bits);

    if (truth && (known.value || known.mask == ones))
        return known.value ? BITS_DONE : BITS_IMPOSSIBLE;
    if (truth && (known.mask | 1) != ones)
        return BITS_STUCK;
    return bits_want(k, cond, (struct bits){ones, truth});
}

static enum bits_outcome want_select(struct knowledge *k, const struct ir_value *v,
                                     struct bits want)
{
    const struct ir_value *cond = v->ops.data[0], *x = v->ops.data[1], *y = v->ops.data[2];
    struct bits c = bits_known(k, cond);
    bool not_x, not_y;
    enum bits_outcome chosen;

    if (c.value)
        return bits_want(k, x, want);
    if (bits_full(c, cond->type))
        return bits_want(k, y, want);
    not_x = bits_contradict(bits_known(k, x), want);
    not_y = bits_contradict(bits_known(k, y), want);
    if (not_x && not_y)
        return BITS_IMPOSSIBLE;
    if (!not_x && !not_y)
        return BITS_STUCK;
    chosen = bits_want(k, not_y ? x : y, want);
    return combine_outcomes(chosen, want_truth(k, cond, not_y));
}

/* Applies the operation's rule. */
static enum bits_outcome want_operands(struct knowledge *k, const struct ir_value *v,
                                       struct bits want)
{
    const struct ir_transfer *t = &ir_transfers[v->op];
    struct bits x[IR_STEP_OPERANDS] = {{0}};
    struct bits_wants wants;
    enum bits_outcome outcome;

    if (!t->want)
        return BITS_STUCK;
    for (unsigned i = 0; i < v->ops.len; i++)
        if (t->want_reads >> i & 1)
            x[i] = bits_known(k, v->ops.data[i]);
    wants = t->want(v, x, want);
    outcome = wants.outcome;
    for (unsigned i = 0; i < wants.count; i++)
        outcome = combine_outcomes(
            outcome, bits_want(k, v->ops.data[wants.at[i].operand], wants.at[i].bits));
    return outcome == BITS_DONE && wants.open ? BITS_STUCK : outcome;
}

enum bits_outcome bits_want(struct knowledge *k, const struct ir_value *v, struct bits want)
{
    struct bits known;
    struct ir_place place;

    want.mask &= low_bits(v->type.bits);
    want.value &= want.mask;
    if (!want.mask)
        return BITS_DONE;
    if (!bits_scalar(v) || !k->steps)
        return BITS_STUCK;
    known = bits_known(k, v);
    if (bits_contradict(known, want))
        return BITS_IMPOSSIBLE;
    if (!(want.mask & ~known.mask))
        return BITS_DONE;
    /* Known bits help sums, which are solved from bit 0. */
    bits_learn(&want, known);
    if (ir_value_place(v, &place))
        return want_copy(k, place, want);
    if (v->op == IR_FIELD)
        return want_computed(k, v, want);
    return v->op == IR_SELECT ? want_select(k, v, want) : want_operands(k, v, want);
}
