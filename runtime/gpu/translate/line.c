/*
 * Values that grow by the same step from lane to lane, such as positions of threads in one line,
 * and results computed from them. The first lane's value is a scalar, and addresses computed from
 * such values are known to be in step without a test of all lanes.
 *
 * GPUs give a thread its x and y in a work-group as the halves of one word. Where a row's threads
 * are in one line, such packed words are in a line as well: x never carries into y, which is the
 * same in all lanes.
 */
#include "runtime/gpu/translate/internal.h"

enum { WORD_BITS = 32, HALF_BITS = 16 };

static bool is_word(jit_type t)
{
    return t == JIT_U32 || t == JIT_S32;
}

/* The first lane's value; NULL: the lanes are in no line. */
static LLVMValueRef first_lane(const struct lanes_value *v)
{
    return v->uniform ? v->v : v->line;
}

static bool is_number(struct jit_build *j, const struct lanes_value *v, uint64_t *n)
{
    if (!v->uniform || !j->l->IsAConstantInt(v->v))
        return false;
    *n = j->l->ConstIntGetZExtValue(v->v);
    return true;
}

static void set_line(struct lanes_value *v, LLVMValueRef line, uint64_t step)
{
    v->line = line;
    v->step = (uint32_t)step;
}

/* Multiplies a line by a uniform value. */
static void multiply_line(struct jit_build *j, const struct lanes_value *a,
                          const struct lanes_value *b, struct lanes_value *result)
{
    uint64_t n;

    if (a->line && is_number(j, b, &n))
        set_line(result, j->l->BuildMul(j->b, a->line, b->v, ""), a->step * n);
}

/* Takes the lower half of a packed word, which no lane carries out of. */
static void lower_half(struct jit_build *j, const struct lanes_value *a,
                       const struct lanes_value *b, struct lanes_value *result)
{
    uint64_t n;

    if (a->packed && is_number(j, b, &n) && n == (1u << HALF_BITS) - 1)
        set_line(result, j->l->BuildAnd(j->b, a->line, lanes_int(j->i32, n, j), ""), a->step);
}

jit_value lanes_line_upper(struct jit_build *j, enum jit_op op, jit_type t, jit_value a,
                           jit_value b)
{
    const struct lanes_value *x = lanes_value_of(a);
    uint64_t n;

    if (op != JIT_SHR || t != JIT_U32 || !x->packed || !is_number(j, lanes_value_of(b), &n) ||
        n < HALF_BITS || n >= WORD_BITS)
        return NULL;
    return lanes_wrap(j, j->l->BuildLShr(j->b, x->line, lanes_int(j->i32, n, j), ""), true);
}

void lanes_line_binary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a, jit_value b,
                       jit_value result)
{
    const struct lanes_value *x = lanes_value_of(a), *y = lanes_value_of(b);
    uint64_t n;

    if (!is_word(t) || lanes_value_of(result)->uniform || !first_lane(x) || !first_lane(y))
        return;
    if (op == JIT_ADD)
        set_line(lanes_value_of(result), j->l->BuildAdd(j->b, first_lane(x), first_lane(y), ""),
                 x->step + y->step);
    else if (op == JIT_SUB)
        set_line(lanes_value_of(result), j->l->BuildSub(j->b, first_lane(x), first_lane(y), ""),
                 x->step - y->step);
    else if (op == JIT_SHL && is_number(j, y, &n) && n < WORD_BITS)
        set_line(lanes_value_of(result),
                 j->l->BuildShl(j->b, first_lane(x), lanes_int(j->i32, n, j), ""), x->step << n);
    else if (op == JIT_MUL && x->line)
        multiply_line(j, x, y, lanes_value_of(result));
    else if (op == JIT_MUL)
        multiply_line(j, y, x, lanes_value_of(result));
    else if (op == JIT_AND && x->packed)
        lower_half(j, x, y, lanes_value_of(result));
    else if (op == JIT_AND)
        lower_half(j, y, x, lanes_value_of(result));
    else if ((op == JIT_OR || op == JIT_XOR) && is_number(j, y, &n) && !n)
        set_line(lanes_value_of(result), first_lane(x), x->step);
}

void lanes_line_convert(jit_type to, jit_type from, jit_value a, jit_value result)
{
    if (!is_word(to) || !is_word(from) || lanes_value_of(result)->uniform)
        return;
    set_line(lanes_value_of(result), lanes_value_of(a)->line, lanes_value_of(a)->step);
    lanes_value_of(result)->packed = lanes_value_of(a)->packed;
    lanes_value_of(result)->sign_of = lanes_value_of(a)->sign_of;
}
