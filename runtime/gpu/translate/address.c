/*
 * Addresses of 64 bits that a behaviour computes from two registers: a low half, a high half, and
 * an addend that is the same in all lanes. The parts stay separate until an operation needs the
 * sum. Whether lanes access adjacent words can be tested on the halves, with half the number of
 * host vectors. 64-bit addresses are computed only where the test fails. A vector of 64-bit numbers
 * and its addend stay separate, too.
 *
 * A word that is extended by its sign and shifted, as indices of arrays are, stays a word with a
 * scale: whether lanes are in step shows in the word alone.
 */
#include "runtime/gpu/translate/internal.h"

enum { HALF = 32 };

/* struct lanes_value.make of a number in halves. */
static void make_whole(struct jit_build *j, struct lanes_value *v)
{
    v->v = lanes_address(j, (jit_value)(void *)v);
}

static jit_value keep_halves(struct jit_build *j, struct lanes_value halves)
{
    struct lanes_value *v = lanes_keep(j, sizeof(*v));

    *v = halves;
    v->make = make_whole;
    return (jit_value)(void *)v;
}

static jit_value new_halves(struct jit_build *j, const struct lanes_value *low,
                            const struct lanes_value *high, LLVMValueRef base)
{
    return keep_halves(j, (struct lanes_value){.low = low, .high = high, .base = base});
}

/* Whether the value is halves without an addend and a scale. */
static bool is_bare(const struct lanes_value *v)
{
    return !v->base && !v->offset && !v->scale;
}

static bool is_halves(const struct lanes_value *v)
{
    return v->low || v->high;
}

/* Whether the value is a number that is not made yet. */
static bool is_sum(const struct lanes_value *v)
{
    return is_halves(v) || v->whole;
}

jit_value lanes_addable(struct jit_build *j, LLVMValueRef whole)
{
    return keep_halves(j, (struct lanes_value){.whole = whole});
}

static bool is_of_thread(const struct jit_build *j, const struct lanes_value *v)
{
    return j->thread_base && v->whole == j->thread_base;
}

bool lanes_in_thread_memory(const struct jit_build *j, jit_value address)
{
    return is_of_thread(j, lanes_value_of(address));
}

bool lanes_is_indexed(jit_value address)
{
    return lanes_value_of(address)->index != NULL;
}

bool lanes_thread_offset(const struct jit_build *j, jit_value address, uint64_t *offset)
{
    *offset = lanes_value_of(address)->offset;
    return lanes_in_thread_memory(j, address) && !lanes_value_of(address)->base &&
           !lanes_is_indexed(address);
}

/* Whether the value is uniform with a low half of 0. */
static bool is_high(const struct lanes_value *v)
{
    return v->uniform && v->shifted;
}

void lanes_note_sign(struct jit_build *j, enum jit_op op, jit_type t, jit_value a, jit_value b,
                     jit_value result)
{
    LLVMValueRef n = lanes_is_uniform(j, b) ? lanes_scalar(j, b) : NULL;

    if (op == JIT_SHR && t == JIT_S32 && n && j->l->IsAConstantInt(n) &&
        j->l->ConstIntGetZExtValue(n) == HALF - 1 && !lanes_is_uniform(j, a))
        lanes_value_of(result)->sign_of = lanes_scalar(j, a);
}

/* struct lanes_value.make of a word with the sign of another. */
static void make_sign(struct jit_build *j, struct lanes_value *v)
{
    v->v = j->l->BuildAShr(j->b, v->sign_of, lanes_splat(j, lanes_int(j->i32, HALF - 1, j)), "");
}

/* A word, extended by its sign. */
static jit_value extend_sign(struct jit_build *j, jit_value word)
{
    struct lanes_value *high = lanes_keep(j, sizeof(*high));

    high->make = make_sign;
    high->sign_of = lanes_scalar(j, word);
    return keep_halves(
        j, (struct lanes_value){.low = lanes_value_of(word), .high = high, .is_signed = true});
}

static bool is_wide(jit_type t)
{
    return t == JIT_U64 || t == JIT_S64;
}

jit_value lanes_halves_convert(struct jit_build *j, jit_type to, jit_type from, jit_value a)
{
    const struct lanes_value *v = lanes_value_of(a);

    if (is_wide(from) && is_sum(v)) {
        if (is_wide(to))
            return a;
        return to == JIT_U32 && is_bare(v) && v->low ? (jit_value)(uintptr_t)v->low : NULL;
    }
    if (!is_wide(to) || (from != JIT_U32 && from != JIT_S32) || lanes_is_uniform(j, a))
        return NULL;
    return from == JIT_S32 ? extend_sign(j, a) : new_halves(j, v, NULL, NULL);
}

static jit_value shift_left(struct jit_build *j, struct lanes_value *a, jit_value by)
{
    LLVMValueRef n = lanes_is_uniform(j, by) ? lanes_scalar(j, by) : NULL;
    struct lanes_value scaled = {.low = a->low, .high = a->high, .is_signed = true};

    if (!n || !j->l->IsAConstantInt(n) || !is_bare(a) || !a->low)
        return NULL;
    scaled.scale = (unsigned)j->l->ConstIntGetZExtValue(n);
    if (a->is_signed && scaled.scale < HALF)
        return keep_halves(j, scaled);
    return scaled.scale == HALF && !a->high ? new_halves(j, NULL, a->low, NULL) : NULL;
}

/* The high half as a number. */
static jit_value shift_right(struct jit_build *j, const struct lanes_value *a, jit_value by)
{
    LLVMValueRef n = lanes_is_uniform(j, by) ? lanes_scalar(j, by) : NULL;

    if (!n || !j->l->IsAConstantInt(n) || j->l->ConstIntGetZExtValue(n) != HALF || !is_bare(a) ||
        !a->high)
        return NULL;
    return new_halves(j, a->high, NULL, NULL);
}

static bool is_zero(const struct jit_build *j, LLVMValueRef v)
{
    return j->l->IsAConstantInt(v) && !j->l->ConstIntGetZExtValue(v);
}

static jit_value join_halves(struct jit_build *j, struct lanes_value *a, struct lanes_value *b)
{
    if (is_high(b))
        return a->high || !is_bare(a) ? NULL
                                      : new_halves(j, a->low, NULL, is_zero(j, b->v) ? NULL : b->v);
    if (b->high && !b->low)
        return join_halves(j, b, a);
    if (!a->high || a->low || !b->low || b->high || !is_bare(a) || !is_bare(b))
        return NULL;
    return keep_halves(j, (struct lanes_value){.low = b->low,
                                               .high = a->high,
                                               .pair_of = lanes_pairs_join(j, b->low, a->high),
                                               .is_signed = a->high->sign_of && b->low->v &&
                                                            a->high->sign_of == b->low->v});
}

static jit_value add_uniform(struct jit_build *j, const struct lanes_value *a, jit_value by)
{
    struct lanes_value v = *a;
    LLVMValueRef n;

    if (!lanes_is_uniform(j, by))
        return NULL;
    n = lanes_scalar(j, by);
    v.v = NULL; /* the sum is not made yet */
    if (j->l->IsAConstantInt(n))
        v.offset += j->l->ConstIntGetZExtValue(n);
    else
        v.base = a->base ? j->l->BuildAdd(j->b, a->base, n, "") : n;
    return keep_halves(j, v);
}

/* Whether the number is an extended word, to which uniform numbers may be added. */
static bool is_extended(const struct lanes_value *v)
{
    return v->low && (v->is_signed || !v->high);
}

/* An address in the memory of threads, and an index. */
static jit_value add_index(struct jit_build *j, const struct lanes_value *a,
                           const struct lanes_value *index)
{
    struct lanes_value v = *a;

    if (!is_of_thread(j, a) || a->index || !is_extended(index))
        return NULL;
    v.v = NULL; /* the sum is not made yet */
    v.index = index;
    v.offset += index->offset;
    if (a->base && index->base)
        v.base = j->l->BuildAdd(j->b, a->base, index->base, "");
    else if (index->base)
        v.base = index->base;
    return keep_halves(j, v);
}

static jit_value add(struct jit_build *j, jit_value a, jit_value b)
{
    const struct lanes_value *first = lanes_value_of(a), *second = lanes_value_of(b);

    if (is_sum(first) && is_sum(second))
        return first->whole ? add_index(j, first, second) : add_index(j, second, first);
    return is_sum(first) ? add_uniform(j, first, b) : add_uniform(j, second, a);
}

/* An extended word without sign, and a uniform mask: the result is an extended word, too. */
static jit_value mask_word(struct jit_build *j, jit_type t, jit_value a, jit_value by)
{
    const struct lanes_value *v = lanes_value_of(a);
    jit_value word;

    if (!v->low || v->high || !is_bare(v) || !lanes_is_uniform(j, by))
        return NULL;
    word = jit_binary(j, JIT_AND, JIT_U32, (jit_value)(uintptr_t)v->low,
                      jit_convert(j, JIT_U32, t, by));
    return lanes_is_uniform(j, word) ? NULL : new_halves(j, lanes_value_of(word), NULL, NULL);
}

jit_value lanes_halves_binary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a,
                              jit_value b)
{
    bool first = is_sum(lanes_value_of(a)), second = is_sum(lanes_value_of(b));

    if (is_wide(t) && op == JIT_AND && first != second)
        return first ? mask_word(j, t, a, b) : mask_word(j, t, b, a);
    if (t != JIT_U64 || (!first && !second))
        return NULL;
    if (op == JIT_ADD)
        return add(j, a, b);
    first &= !lanes_value_of(a)->whole;
    second &= !lanes_value_of(b)->whole;
    if (!first && !second)
        return NULL;
    if (op == JIT_SHL)
        return first ? shift_left(j, lanes_value_of(a), b) : NULL;
    if (op == JIT_SHR)
        return first ? shift_right(j, lanes_value_of(a), b) : NULL;
    if (op == JIT_OR)
        return first ? join_halves(j, lanes_value_of(a), lanes_value_of(b))
                     : join_halves(j, lanes_value_of(b), lanes_value_of(a));
    return NULL;
}

/* The uniform addend of an address; NULL: none. */
static LLVMValueRef uniform_addend(struct jit_build *j, const struct lanes_value *a)
{
    LLVMValueRef offset = lanes_int(j->i64, a->offset, j);

    if (!a->base)
        return a->offset ? offset : NULL;
    return a->offset ? j->l->BuildAdd(j->b, a->base, offset, "") : a->base;
}

/* A half of an address in all lanes, extended to 64 bits. */
static LLVMValueRef extended_half(struct jit_build *j, const struct lanes_value *half)
{
    LLVMValueRef v = lanes_wide(j, (jit_value)(uintptr_t)half);

    return j->l->BuildZExt(j->b, v, lanes_vector(j, j->i64), "");
}

/* A word of the number, or those of all lanes, extended and scaled. */
static LLVMValueRef extended_word(struct jit_build *j, const struct lanes_value *a,
                                  LLVMValueRef word)
{
    bool one = j->l->TypeOf(word) == j->i32;
    LLVMTypeRef type = one ? j->i64 : lanes_vector(j, j->i64);
    LLVMValueRef by = lanes_int(j->i64, a->scale, j), v;

    v = a->is_signed ? j->l->BuildSExt(j->b, word, type, "")
                     : j->l->BuildZExt(j->b, word, type, "");
    return a->scale ? j->l->BuildShl(j->b, v, one ? by : lanes_splat(j, by), "") : v;
}

/* An index in all lanes, without its addends. */
static LLVMValueRef index_of(struct jit_build *j, const struct lanes_value *index)
{
    return extended_word(j, index, lanes_wide(j, (jit_value)(uintptr_t)index->low));
}

LLVMValueRef lanes_address(struct jit_build *j, jit_value address)
{
    const struct lanes_value *a = lanes_value_of(address);
    LLVMValueRef v = a->whole, high, base;

    if (!is_sum(a))
        return lanes_wide(j, address);
    if (a->is_signed)
        v = extended_word(j, a, lanes_wide(j, (jit_value)(uintptr_t)a->low));
    else if (a->low)
        v = extended_half(j, a->low);
    if (a->high && !a->is_signed) {
        high = j->l->BuildShl(j->b, extended_half(j, a->high),
                              lanes_splat(j, lanes_int(j->i64, HALF, j)), "");
        v = v ? j->l->BuildOr(j->b, v, high, "") : high;
    }
    if (a->index)
        v = j->l->BuildAdd(j->b, v, index_of(j, a->index), "");
    base = uniform_addend(j, a);
    return base ? j->l->BuildAdd(j->b, v, lanes_splat(j, base), "") : v;
}

LLVMValueRef lanes_thread_index(struct jit_build *j, jit_value address, unsigned *scale)
{
    const struct lanes_value *index = lanes_value_of(address)->index;

    *scale = index->scale;
    return lanes_wide(j, (jit_value)(uintptr_t)index->low);
}

LLVMValueRef lanes_thread_sum(struct jit_build *j, jit_value address, LLVMValueRef thread)
{
    LLVMValueRef addend = uniform_addend(j, lanes_value_of(address));

    return addend ? j->l->BuildAdd(j->b, thread, addend, "") : thread;
}

static LLVMValueRef first_lane(struct jit_build *j, LLVMValueRef v)
{
    return j->l->BuildExtractElement(j->b, v, lanes_int(j->i32, 0, j), "");
}

/* Mask of the lanes in which `v` is `first` + lane * `step`. The distance from the first lane is
 * the same value for all steps in a function, so LLVM computes it once. */
static LLVMValueRef in_step(struct jit_build *j, LLVMValueRef v, LLVMValueRef first, unsigned step)
{
    const struct llvm *l = j->l;
    LLVMTypeRef type = l->TypeOf(first);
    LLVMValueRef ahead[GPU_MAX_LANES];

    for (unsigned k = 0; k < j->lanes; k++)
        ahead[k] = lanes_int(type, (uint64_t)k * step, j);
    v = l->BuildSub(j->b, v, lanes_splat(j, first), "");
    return l->BuildICmp(j->b, LLVMIntEQ, v, l->ConstVector(ahead, j->lanes), "");
}

/* Does the same for the low half of an address, whose lanes may be known to be in a line. */
static LLVMValueRef low_in_step(struct jit_build *j, const struct lanes_value *half, unsigned step,
                                LLVMValueRef *first)
{
    LLVMValueRef none = j->l->ConstNull(lanes_vector(j, j->i1)), low;

    *first = half->line;
    if (half->line)
        return half->step == step ? j->l->BuildNot(j->b, none, "") : none;
    low = lanes_wide(j, (jit_value)(uintptr_t)half);
    *first = first_lane(j, low);
    return in_step(j, low, *first, step);
}

/* A mask under a condition (i1): if the half is in a line, the mask is a constant, and the
 * condition is added to *only_if. */
static LLVMValueRef under_condition(struct jit_build *j, const struct lanes_value *half,
                                    LLVMValueRef mask, LLVMValueRef cond, LLVMValueRef *only_if)
{
    if (!half->line)
        return j->l->BuildAnd(j->b, mask, lanes_splat(j, cond), "");
    *only_if = *only_if ? j->l->BuildAnd(j->b, *only_if, cond, "") : cond;
    return mask;
}

/* Does the same for an address in halves; *first becomes the first lane's address. */
static LLVMValueRef halves_in_step(struct jit_build *j, const struct lanes_value *a, unsigned step,
                                   LLVMValueRef *first, LLVMValueRef *only_if)
{
    const struct llvm *l = j->l;
    LLVMValueRef high, high0, is, room, low0, base = uniform_addend(j, a);

    is = low_in_step(j, a->low, step, &low0);
    *first = l->BuildZExt(j->b, low0, j->i64, "");
    if (a->high) {
        high = lanes_wide(j, (jit_value)(uintptr_t)a->high);
        high0 = first_lane(j, high);
        is = l->BuildAnd(j->b, is, in_step(j, high, high0, 0), "");
        high0 = l->BuildShl(j->b, l->BuildZExt(j->b, high0, j->i64, ""), lanes_int(j->i64, HALF, j),
                            "");
        *first = l->BuildOr(j->b, *first, high0, "");
    }
    if (!base)
        return is; /* an overflow of the low half is the end of a page as well */
    *first = l->BuildAdd(j->b, *first, base, "");
    room = lanes_int(j->i32, UINT32_MAX - (uint64_t)step * j->lanes, j);
    room = l->BuildICmp(j->b, LLVMIntULE, low0, room, "");
    return under_condition(j, a->high ? a->high : a->low, is, room, only_if);
}

/* Does the same for an extended word, times 2^scale. Words whose sum would overflow are in no
 * step. */
static LLVMValueRef extended_in_step(struct jit_build *j, const struct lanes_value *a,
                                     unsigned step, LLVMValueRef *first, LLVMValueRef *only_if)
{
    const struct llvm *l = j->l;
    LLVMValueRef is, room, low0, base = uniform_addend(j, a);
    uint64_t last = a->is_signed ? INT32_MAX : UINT32_MAX;

    is = low_in_step(j, a->low, step >> a->scale, &low0);
    if (step & ((1u << a->scale) - 1))
        is = l->ConstNull(l->TypeOf(is));
    *first = extended_word(j, a, low0);
    if (base)
        *first = l->BuildAdd(j->b, *first, base, "");
    room = lanes_int(j->i32, last - (uint64_t)step * j->lanes, j);
    room = l->BuildICmp(j->b, a->is_signed ? LLVMIntSLE : LLVMIntULE, low0, room, "");
    if (a->only_if)
        room = l->BuildAnd(j->b, room, a->only_if, "");
    return under_condition(j, a->low, is, room, only_if);
}

/* Does the same for halves that are known to be those of an extended word. */
static LLVMValueRef pair_in_step(struct jit_build *j, const struct lanes_value *a, unsigned step,
                                 LLVMValueRef *first, LLVMValueRef *only_if)
{
    LLVMValueRef is = extended_in_step(j, a->pair_of, step, first, only_if);
    LLVMValueRef addend = uniform_addend(j, a);

    if (addend)
        *first = j->l->BuildAdd(j->b, *first, addend, "");
    return is;
}

LLVMValueRef lanes_in_step(struct jit_build *j, jit_value address, unsigned step,
                           LLVMValueRef *first, LLVMValueRef *only_if)
{
    const struct lanes_value *a = lanes_value_of(address);
    LLVMValueRef v;

    if (a->is_signed)
        return extended_in_step(j, a, step, first, only_if);
    if (a->pair_of)
        return pair_in_step(j, a, step, first, only_if);
    if (a->low)
        return halves_in_step(j, a, step, first, only_if);
    v = lanes_wide(j, address);
    *first = first_lane(j, v);
    return in_step(j, v, *first, step);
}

/* Does the same for two uniform values. */
static bool uniform_distance(struct jit_build *j, LLVMValueRef from, LLVMValueRef to,
                             uint64_t *bytes)
{
    const struct llvm *l = j->l;
    LLVMValueRef n;

    if (!l->IsAInstruction(to) || l->GetInstructionOpcode(to) != LLVMAdd ||
        l->GetOperand(to, 0) != from)
        return false;
    n = l->GetOperand(to, 1);
    *bytes = l->IsAConstantInt(n) ? l->ConstIntGetZExtValue(n) : 0;
    return l->IsAConstantInt(n) != NULL;
}

static bool is_same_index(const struct lanes_value *a, const struct lanes_value *b)
{
    return a == b ||
           (a && b && a->low == b->low && a->is_signed == b->is_signed && a->scale == b->scale);
}

bool lanes_distance(struct jit_build *j, jit_value from, jit_value to, uint64_t *bytes)
{
    const struct lanes_value *a = lanes_value_of(from), *b = lanes_value_of(to);

    if (is_sum(a) && is_sum(b)) {
        *bytes = b->offset - a->offset;
        return a->low == b->low && a->high == b->high && a->whole == b->whole &&
               a->base == b->base && a->scale == b->scale && is_same_index(a->index, b->index);
    }
    return a->uniform && b->uniform && uniform_distance(j, a->v, b->v, bytes);
}
