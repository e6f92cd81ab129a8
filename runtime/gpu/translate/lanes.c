/* Operations of the IR on the lanes of a row, as LLVM code that is defined for all operands. */
#include "runtime/gpu/translate/internal.h"

#include <string.h>

/* ---- types and values ------------------------------------------------------------------------ */

/* The scalar or vector type of a value. */
static LLVMTypeRef shaped_type(struct jit_build *j, LLVMTypeRef t, bool uniform)
{
    return uniform ? t : lanes_vector(j, t);
}

jit_value lanes_op_const(struct jit_build *j, jit_type t, uint64_t bits)
{
    LLVMTypeRef type = lanes_type(j, t);
    LLVMValueRef v;

    if (jit_type_is_float(t))
        v = j->l->ConstBitCast(lanes_int(jit_type_bits(t) == 32 ? j->i32 : j->i64, bits, j), type);
    else
        v = lanes_int(type, bits, j);
    return lanes_wrap(j, v, true);
}

jit_value lanes_op_const128(struct jit_build *j, jit_type t, uint64_t high, uint64_t low)
{
    (void)high;
    lanes_fail_op(j, "a constant of 128 bits");
    return lanes_op_const(j, t, low);
}

uint32_t lanes_op_feature(const struct jit_build *j, unsigned feature)
{
    (void)j, (void)feature;
    return 0;
}

uint8_t lanes_op_mode(const struct jit_build *j)
{
    (void)j;
    return 0;
}

uint8_t lanes_op_traps(struct jit_build *j, unsigned kinds)
{
    (void)j;
    (void)kinds;
    return 0;
}

void lanes_op_trap_inexact(struct jit_build *j)
{
    (void)j;
}

void lanes_op_trap_nans(struct jit_build *j)
{
    (void)j;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static LLVMValueRef build_unary(struct jit_build *j, enum jit_op op, jit_type t, LLVMValueRef a)
{
    LLVMValueRef v = llvm_arith_unary(&j->place, op, t, a);

    if (!v)
        lanes_fail_op(j, "not a unary operation");
    return v ? v : a;
}

jit_value lanes_op_unary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a)
{
    return lanes_wrap(j, build_unary(j, op, t, lanes_scalar(j, a)), lanes_is_uniform(j, a));
}

static LLVMValueRef build_binary(struct jit_build *j, enum jit_op op, jit_type t, LLVMValueRef a,
                                 LLVMValueRef b, bool uniform)
{
    LLVMValueRef v;

    if (op >= JIT_EQ && op <= JIT_GE)
        return j->l->BuildZExt(j->b, llvm_arith_compare(&j->place, op, t, a, b),
                               shaped_type(j, j->i8, uniform), "");
    v = op == JIT_UMULH || op == JIT_SMULH ? NULL : llvm_arith_binary(&j->place, op, t, a, b);
    if (!v)
        lanes_fail_op(j, "an operation that lanes do not have here");
    return v ? v : a;
}

static bool is_zero(struct jit_build *j, jit_value v)
{
    LLVMValueRef x = lanes_scalar(j, v);

    return lanes_is_uniform(j, v) && j->l->IsAConstantInt(x) && !j->l->ConstIntGetZExtValue(x);
}

/* Whether the value is made already and is this constant. */
static bool is_number(struct jit_build *j, jit_value v, int64_t n)
{
    const struct lanes_value *value = lanes_value_of(v);

    return value->v && value->uniform && j->l->IsAConstantInt(value->v) &&
           j->l->ConstIntGetSExtValue(value->v) == n;
}

/* The operand that an operation gives as it is, with all that is known of it, such as a register
 * that is shifted by 0; NULL: none. */
static jit_value unchanged_operand(struct jit_build *j, enum jit_op op, jit_type t, jit_value a,
                                   jit_value b)
{
    if (jit_type_is_float(t))
        return NULL;
    switch (op) {
    case JIT_ADD:
    case JIT_OR:
    case JIT_XOR:
        return is_number(j, b, 0) ? a : is_number(j, a, 0) ? b : NULL;
    case JIT_SUB:
    case JIT_SHL:
    case JIT_SHR:
        return is_number(j, b, 0) ? a : NULL;
    case JIT_AND:
        return is_number(j, b, -1) ? a : is_number(j, a, -1) ? b : NULL;
    default:
        return NULL;
    }
}

/* Whether the operation leaves the low half of a number of 64 bits empty. */
static bool clears_low_half(struct jit_build *j, enum jit_op op, jit_type t, LLVMValueRef amount)
{
    return op == JIT_SHL && t == JIT_U64 && j->l->IsAConstantInt(amount) &&
           j->l->ConstIntGetZExtValue(amount) == 32;
}

jit_value lanes_op_binary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a, jit_value b)
{
    jit_value result = unchanged_operand(j, op, t, a, b);
    bool uniform;
    LLVMValueRef x, y;

    if (!result)
        result = lanes_line_upper(j, op, t, a, b);
    if (!result)
        result = lanes_halves_binary(j, op, t, a, b);
    if (result)
        return result;
    uniform = lanes_is_uniform(j, a) && lanes_is_uniform(j, b);
    if (t >> 16 > 1 || jit_type_bits(t) > 64)
        lanes_fail_op(j, "a type that lanes do not have here");
    /* Masks that are always zero must be constants, so that no code is made for their branches. */
    if (op == JIT_AND && is_zero(j, a))
        return a;
    if (op == JIT_AND && is_zero(j, b))
        return b;
    x = uniform ? lanes_scalar(j, a) : lanes_wide(j, a);
    y = uniform ? lanes_scalar(j, b) : lanes_wide(j, b);
    result = lanes_wrap(j, build_binary(j, op, t, x, y, uniform), uniform);
    lanes_value_of(result)->shifted = uniform && clears_low_half(j, op, t, y);
    lanes_line_binary(j, op, t, a, b, result);
    lanes_note_sign(j, op, t, a, b, result);
    lanes_pairs_binary(j, op, t, a, b, result);
    /* An address, to which the words behind the first will add their distance. */
    if (op == JIT_ADD && t == JIT_U64 && !uniform && !lanes_value_of(result)->line)
        return lanes_addable(j, lanes_wide(j, result));
    return result;
}

jit_value lanes_op_fma(struct jit_build *j, jit_type t, jit_value a, jit_value b, jit_value c)
{
    bool uniform = lanes_is_uniform(j, a) && lanes_is_uniform(j, b) && lanes_is_uniform(j, c);
    LLVMValueRef (*shaped)(struct jit_build *, jit_value) = uniform ? lanes_scalar : lanes_wide;
    LLVMValueRef x = shaped(j, a), y = shaped(j, b), z = shaped(j, c);

    (void)t;
    return lanes_wrap(j, llvm_arith_fma(&j->place, x, y, z), uniform);
}

/* ---- select, conversions --------------------------------------------------------------------- */

jit_value lanes_op_select(struct jit_build *j, jit_value cond, jit_value a, jit_value b)
{
    LLVMValueRef c = lanes_scalar(j, cond);
    jit_value result;
    bool uniform;

    if (lanes_is_uniform(j, cond) && j->l->IsAConstantInt(c))
        return j->l->ConstIntGetZExtValue(c) ? a : b;
    c = llvm_arith_is_set(&j->place, c);
    uniform = lanes_is_uniform(j, cond) && lanes_is_uniform(j, a) && lanes_is_uniform(j, b);
    if (uniform)
        return lanes_wrap(j, j->l->BuildSelect(j->b, c, lanes_scalar(j, a), lanes_scalar(j, b), ""),
                          true);
    result =
        lanes_wrap(j, j->l->BuildSelect(j->b, c, lanes_wide(j, a), lanes_wide(j, b), ""), false);
    lanes_pairs_select(j, cond, a, b, result);
    return result;
}

jit_value lanes_op_convert(struct jit_build *j, jit_type to, jit_type from, jit_value a)
{
    jit_value in_halves = lanes_halves_convert(j, to, from, a), result;
    bool uniform = lanes_is_uniform(j, a);
    LLVMTypeRef type = shaped_type(j, lanes_type(j, to), uniform);

    if (in_halves)
        return in_halves;
    result =
        lanes_wrap(j, llvm_arith_convert(&j->place, type, to, from, lanes_scalar(j, a)), uniform);
    lanes_line_convert(to, from, a, result);
    lanes_pairs_convert(to, from, a, result);
    return result;
}

jit_value lanes_op_bitcast(struct jit_build *j, jit_type to, jit_value a)
{
    bool uniform = lanes_is_uniform(j, a);

    return lanes_wrap(j,
                      j->l->BuildBitCast(j->b, lanes_scalar(j, a),
                                         shaped_type(j, lanes_type(j, to), uniform), ""),
                      uniform);
}

/* ---- what lanes do not have ------------------------------------------------------------------ */

static jit_value refuse_operation(struct jit_build *j)
{
    lanes_fail_op(j, "an operation that lanes do not have here");
    return lanes_wrap(j, lanes_int(j->i32, 0, j), true);
}

jit_value lanes_op_splat(struct jit_build *j, jit_type t, jit_value scalar)
{
    (void)t, (void)scalar;
    return refuse_operation(j);
}

jit_value lanes_op_build(struct jit_build *j, jit_type t, const jit_value *lanes)
{
    (void)t, (void)lanes;
    return refuse_operation(j);
}

jit_value lanes_op_extract(struct jit_build *j, jit_value vector, jit_value index)
{
    (void)vector, (void)index;
    return refuse_operation(j);
}

jit_value lanes_op_insert(struct jit_build *j, jit_value vector, jit_value index, jit_value scalar)
{
    (void)vector, (void)index, (void)scalar;
    return refuse_operation(j);
}

jit_value lanes_op_concat(struct jit_build *j, jit_value a, jit_value b)
{
    (void)a, (void)b;
    return refuse_operation(j);
}

jit_value lanes_op_bank_read(struct jit_build *j, jit_type t, size_t offset, unsigned stride,
                             unsigned count, jit_value index)
{
    (void)t, (void)offset, (void)stride, (void)count, (void)index;
    return refuse_operation(j);
}

void lanes_op_bank_write(struct jit_build *j, size_t offset, unsigned stride, unsigned count,
                         jit_value index, jit_value value)
{
    (void)offset, (void)stride, (void)count, (void)index, (void)value;
    refuse_operation(j);
}

jit_value lanes_op_cpu_read(struct jit_build *j, jit_type t, size_t offset)
{
    (void)t, (void)offset;
    return refuse_operation(j);
}

jit_value lanes_op_read_pc(struct jit_build *j, jit_type t)
{
    (void)t;
    return refuse_operation(j);
}

void lanes_op_write_pc(struct jit_build *j, jit_value pc)
{
    (void)pc;
    refuse_operation(j);
}

void lanes_op_set_mode(struct jit_build *j, jit_value mode)
{
    (void)mode;
    refuse_operation(j);
}

void lanes_op_interpret(struct jit_build *j, const struct insn *i)
{
    (void)i;
    refuse_operation(j);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* struct lanes_value.make of a call. */
static void make_call(struct jit_build *j, struct lanes_value *v)
{
    jit_value made = lanes_numeric(j, v->callee->name, v->args);

    if (!made) {
        lanes_fail_op(j, v->callee->name);
        made = lanes_wrap(j, j->l->GetUndef(lanes_type(j, v->callee->result)), true);
    }
    v->v = lanes_value_of(made)->v;
    v->uniform = lanes_value_of(made)->uniform;
}

void lanes_op_call(struct jit_build *j, const struct jit_callee *callee, const jit_value *args,
                   jit_value *results)
{
    struct lanes_value *v = lanes_keep(j, sizeof(*v));

    v->make = make_call;
    v->callee = callee;
    if (callee->count > sizeof(v->args) / sizeof(*v->args))
        lanes_fail_op(j, callee->name);
    for (unsigned i = 0; i < callee->count && i < sizeof(v->args) / sizeof(*v->args); i++)
        v->args[i] = lanes_value_of(args[i]);
    if (results)
        results[0] = (jit_value)(void *)v;
}

const struct jit_backend lanes_backend = {
#define JIT_OPERATION(result, name, params, args) .op_##name = lanes_op_##name,
#include "runtime/jit/ops.inc"
};
