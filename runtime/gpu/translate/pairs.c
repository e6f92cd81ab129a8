/*
 * Numbers of 64 bits that a shader computes as two words: where no instruction adds 64 bits, an
 * address is the sum of low halves, and of high halves and a carry. Here the words of such a pair
 * are recognised by the operations that compute them:
 *
 *     high half of an extended word     x >> 31 with sign; x >> (32 - n), of x << n without sign
 *     sum of low halves                 low + u, with u uniform
 *     its carry                         low + u < u, or low + 1 == 0, as 0 and 1, or as 0 and -1
 *     sum of high halves                high + v + carry, in any order
 *     shifted high half                 high << n | low >> (32 - n)
 *
 * A number whose word x is in a line is in a line of 64 bits, so that it is known without looking
 * at all lanes whether these access adjacent words. The high half is then not needed.
 *
 * Whether a low half belongs to a number is known by its line: the first lanes' words are compared
 * when the function runs, unless LLVM sees that they are equal.
 */
#include "runtime/gpu/translate/internal.h"

enum { WORD_BITS = 32 };

static bool is_word(jit_type t)
{
    return t == JIT_U32 || t == JIT_S32;
}

static LLVMValueRef both(struct jit_build *j, LLVMValueRef a, LLVMValueRef b)
{
    if (!a || !b)
        return a ? a : b;
    return j->l->BuildAnd(j->b, a, b, "");
}

/* Whether the value is a constant, with its lowest 32 bits. */
static bool is_constant(struct jit_build *j, const struct lanes_value *v, uint32_t *n)
{
    if (!v->uniform || !v->v || !j->l->IsAConstantInt(v->v))
        return false;
    *n = (uint32_t)j->l->ConstIntGetZExtValue(v->v);
    return true;
}

static struct lanes_value *number_of(struct jit_build *j, const struct lanes_value *word,
                                     bool is_signed, unsigned scale)
{
    struct lanes_value *n = lanes_keep(j, sizeof(*n));

    *n = (struct lanes_value){.low = word, .is_signed = is_signed, .scale = scale};
    return n;
}

/* The first lane's low half. */
static LLVMValueRef first_low(struct jit_build *j, const struct lanes_value *number)
{
    const struct llvm *l = j->l;
    LLVMValueRef low = number->low->line;

    if (number->scale)
        low = l->BuildShl(j->b, low, lanes_int(j->i32, number->scale, j), "");
    if (number->base)
        low = l->BuildAdd(j->b, low, l->BuildTrunc(j->b, number->base, j->i32, ""), "");
    return number->offset ? l->BuildAdd(j->b, low, lanes_int(j->i32, number->offset, j), "") : low;
}

/* Whether `low` is the number's low half in all lanes if *only_if (NULL: always) holds. */
static bool is_low_of(struct jit_build *j, const struct lanes_value *number,
                      const struct lanes_value *low, LLVMValueRef *only_if)
{
    LLVMValueRef first;

    if (!low->line || number->low->step << number->scale != low->step)
        return false;
    first = first_low(j, number);
    *only_if = first == low->line ? NULL : j->l->BuildICmp(j->b, LLVMIntEQ, first, low->line, "");
    return true;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* A uniform number with these halves (NULL: 0), added to another. */
static void add_halves(struct jit_build *j, struct lanes_value *number, LLVMValueRef low,
                       LLVMValueRef high)
{
    const struct llvm *l = j->l;
    LLVMValueRef sum = l->BuildZExt(j->b, low, j->i64, ""), h;

    if (high) {
        h = l->BuildShl(j->b, l->BuildZExt(j->b, high, j->i64, ""), lanes_int(j->i64, WORD_BITS, j),
                        "");
        sum = l->BuildOr(j->b, sum, h, "");
    }
    if (l->IsAConstantInt(sum))
        number->offset += l->ConstIntGetZExtValue(sum);
    else
        number->base = number->base ? l->BuildAdd(j->b, number->base, sum, "") : sum;
}

/* The high half `high`, or a uniform one, plus the carry of a sum. */
static void note_carried(struct jit_build *j, const struct lanes_value *high,
                         const struct lanes_value *carry, struct lanes_pair *result)
{
    const struct lanes_value *addend = carry->pair.carry_addend;
    LLVMValueRef added = high->uniform ? high->v : high->pair.high_added, same = NULL;
    struct lanes_value *sum;

    if (high->uniform) {
        sum = number_of(j, addend, false, 0);
    } else {
        if (high->pair.shift || !is_low_of(j, high->pair.high_of, addend, &same))
            return;
        sum = lanes_keep(j, sizeof(*sum));
        *sum = *high->pair.high_of;
    }
    sum->only_if = both(j, sum->only_if, same);
    add_halves(j, sum, carry->pair.carry_added, added);
    result->high_of = sum;
}

/* A word plus a uniform one. */
static void note_added(struct jit_build *j, const struct lanes_value *word, LLVMValueRef uniform,
                       struct lanes_pair *result)
{
    if (word->line) {
        result->addend = word;
        result->added = uniform;
    }
    if (!word->pair.high_of || word->pair.shift)
        return;
    result->high_of = word->pair.high_of;
    result->high_added =
        word->pair.high_added ? j->l->BuildAdd(j->b, word->pair.high_added, uniform, "") : uniform;
}

static bool is_high(const struct lanes_value *v)
{
    return v->uniform || v->pair.high_of;
}

static void note_sum(struct jit_build *j, const struct lanes_value *a, const struct lanes_value *b,
                     bool subtract, struct lanes_pair *result)
{
    if (b->pair.carry_addend && b->pair.negative == subtract && is_high(a))
        note_carried(j, a, b, result);
    else if (a->pair.carry_addend && !a->pair.negative && !subtract && is_high(b))
        note_carried(j, b, a, result);
    else if (!subtract && a->uniform != b->uniform)
        note_added(j, a->uniform ? b : a, a->uniform ? a->v : b->v, result);
}

/* The carry of a sum, which is below its addends where it overflows. */
static void note_carry(const struct lanes_value *sum, const struct lanes_value *other,
                       struct lanes_pair *result)
{
    if (!sum->pair.addend || (other->v != sum->pair.added && other->v != sum->pair.addend->v))
        return;
    result->carry_addend = sum->pair.addend;
    result->carry_added = sum->pair.added;
}

/* Compilers know that a word plus 1 overflows where it becomes 0. */
static void note_carry_of_one(struct jit_build *j, const struct lanes_value *sum,
                              const struct lanes_value *other, struct lanes_pair *result)
{
    uint32_t zero;

    if (!is_constant(j, other, &zero) || zero || !sum->pair.addend ||
        sum->pair.added != lanes_int(j->i32, 1, j))
        return;
    result->carry_addend = sum->pair.addend;
    result->carry_added = sum->pair.added;
}

/* A carry of 0 and -1, and 1: a carry of 0 and 1. */
static void note_masked(struct jit_build *j, const struct lanes_value *a,
                        const struct lanes_value *b, struct lanes_pair *result)
{
    const struct lanes_value *carry = a->pair.carry_addend ? a : b, *other = carry == a ? b : a;
    uint32_t n;

    if (!carry->pair.carry_addend || !is_constant(j, other, &n) || n != 1)
        return;
    *result = carry->pair;
    result->negative = false;
}

/* ---- shifts ---------------------------------------------------------------------------------- */

static void note_shift(struct jit_build *j, enum jit_op op, jit_type t, const struct lanes_value *a,
                       uint32_t by, struct lanes_pair *result)
{
    if (!by || by >= WORD_BITS)
        return;
    if (op == JIT_SHL) {
        if (!a->pair.high_of || a->pair.high_added || a->pair.shift)
            return;
        result->high_of = a->pair.high_of;
        result->shift = by;
    } else if (a->line && (t == JIT_U32 || by == WORD_BITS - 1)) {
        result->high_of = number_of(j, a, t == JIT_S32, t == JIT_S32 ? 0 : WORD_BITS - by);
    }
}

/* A shifted high half, and the bits that come from the low half. */
static void note_joined(struct jit_build *j, const struct lanes_value *high,
                        const struct lanes_value *top, struct lanes_pair *result)
{
    const struct lanes_value *from = top->pair.high_of, *of = high->pair.high_of;
    unsigned shift = high->pair.shift;
    struct lanes_value *number;
    LLVMValueRef same;

    if (from->is_signed || from->scale != shift || from->base || from->offset ||
        of->scale + shift >= WORD_BITS || !is_low_of(j, of, from->low, &same))
        return;
    number = lanes_keep(j, sizeof(*number));
    *number = *of;
    number->scale += shift;
    number->offset <<= shift;
    if (number->base)
        number->base = j->l->BuildShl(j->b, number->base, lanes_int(j->i64, shift, j), "");
    number->only_if = both(j, number->only_if, same);
    result->high_of = number;
}

/* Whether the word is a high half alone. */
static bool is_top(const struct lanes_value *v)
{
    return v->pair.high_of && !v->pair.high_added && !v->pair.shift;
}

/* ---- operations ------------------------------------------------------------------------------ */

void lanes_pairs_binary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a, jit_value b,
                        jit_value result)
{
    const struct lanes_value *x = lanes_value_of(a), *y = lanes_value_of(b);
    struct lanes_pair *pair = &lanes_value_of(result)->pair;
    uint32_t n;

    if (!is_word(t) || lanes_value_of(result)->uniform)
        return;
    if (op == JIT_ADD || op == JIT_SUB)
        note_sum(j, x, y, op == JIT_SUB, pair);
    else if (op == JIT_GT && t == JIT_U32)
        note_carry(y, x, pair);
    else if (op == JIT_LT && t == JIT_U32)
        note_carry(x, y, pair);
    else if (op == JIT_EQ)
        note_carry_of_one(j, x, y, pair);
    else if ((op == JIT_SHL || op == JIT_SHR) && is_constant(j, y, &n))
        note_shift(j, op, t, x, n, pair);
    else if (op == JIT_AND)
        note_masked(j, x, y, pair);
    else if (op == JIT_OR && x->pair.shift && is_top(y))
        note_joined(j, x, y, pair);
    else if (op == JIT_OR && y->pair.shift && is_top(x))
        note_joined(j, y, x, pair);
}

void lanes_pairs_convert(jit_type to, jit_type from, jit_value a, jit_value result)
{
    const struct lanes_pair *pair = &lanes_value_of(a)->pair;

    if (!is_word(to) || lanes_value_of(result)->uniform)
        return;
    if (is_word(from) || (pair->carry_addend && !jit_type_is_float(from)))
        lanes_value_of(result)->pair = *pair;
}

void lanes_pairs_select(struct jit_build *j, jit_value cond, jit_value a, jit_value b,
                        jit_value result)
{
    const struct lanes_pair *pair = &lanes_value_of(cond)->pair;
    uint32_t one, zero;

    if (!pair->carry_addend || pair->negative || lanes_value_of(result)->uniform ||
        !is_constant(j, lanes_value_of(a), &one) || !is_constant(j, lanes_value_of(b), &zero) ||
        zero || (one != 1 && one != UINT32_MAX))
        return;
    lanes_value_of(result)->pair.carry_addend = pair->carry_addend;
    lanes_value_of(result)->pair.carry_added = pair->carry_added;
    lanes_value_of(result)->pair.negative = one != 1;
}

const struct lanes_value *lanes_pairs_join(struct jit_build *j, const struct lanes_value *low,
                                           const struct lanes_value *high)
{
    struct lanes_value *number;
    LLVMValueRef same;

    if (!is_top(high) || !is_low_of(j, high->pair.high_of, low, &same))
        return NULL;
    number = lanes_keep(j, sizeof(*number));
    *number = *high->pair.high_of;
    number->only_if = both(j, number->only_if, same);
    return number;
}
