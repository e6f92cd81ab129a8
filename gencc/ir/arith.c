/*
 * Computes the pure operations of the IR on constants; see arith.h.
 */
#include "gencc/ir/arith.h"
#include "gencc/ir/pass.h"

#include <math.h>
#include <string.h>

/* ---- floats ---------------------------------------------------------------------------------- */

float ir_to_float(u128 bits)
{
    uint32_t u = (uint32_t)bits;
    float f;

    memcpy(&f, &u, sizeof(f));
    return f;
}

double ir_to_double(u128 bits)
{
    uint64_t u = (uint64_t)bits;
    double d;

    memcpy(&d, &u, sizeof(d));
    return d;
}

u128 ir_from_float(float f)
{
    uint32_t u;

    memcpy(&u, &f, sizeof(u));
    return u;
}

u128 ir_from_double(double d)
{
    uint64_t u;

    memcpy(&u, &d, sizeof(u));
    return u;
}

u128 ir_float_to_int(double d, struct ir_type to)
{
    bool is_signed = to.base == IR_SINT;
    double limit = ldexp(1.0, (int)to.bits - is_signed);

    if (isnan(d))
        return 0;
    if (d >= limit)
        return low_bits(to.bits - is_signed);
    if (!is_signed)
        return d <= -1.0 ? 0 : (u128)d;
    return (d < -limit ? (u128)1 << (to.bits - 1) : (u128)(s128)d) & low_bits(to.bits);
}

static u128 float_arith(enum ir_op op, u128 x, u128 y)
{
    float a = ir_to_float(x), b = ir_to_float(y);

    switch (op) {
    case IR_ADD:
        return ir_from_float(a + b);
    case IR_SUB:
        return ir_from_float(a - b);
    case IR_MUL:
        return ir_from_float(a * b);
    case IR_DIV:
        return ir_from_float(a / b);
    default:
        return ir_from_float(fmodf(a, b));
    }
}

static u128 double_arith(enum ir_op op, u128 x, u128 y)
{
    double a = ir_to_double(x), b = ir_to_double(y);

    switch (op) {
    case IR_ADD:
        return ir_from_double(a + b);
    case IR_SUB:
        return ir_from_double(a - b);
    case IR_MUL:
        return ir_from_double(a * b);
    case IR_DIV:
        return ir_from_double(a / b);
    default:
        return ir_from_double(fmod(a, b));
    }
}

/* ---- one lane -------------------------------------------------------------------------------- */

static u128 integer_lane(enum ir_op op, struct ir_type t, u128 x, u128 y)
{
    switch (op) {
    case IR_ADD:
        return x + y;
    case IR_SUB:
        return x - y;
    case IR_MUL:
        return x * y;
    case IR_DIV:
        return int128_divide(x, y, t.bits, t.base == IR_SINT);
    case IR_MOD:
        return int128_remainder(x, y, t.bits, t.base == IR_SINT);
    case IR_NEG:
        return -x;
    case IR_NOT:
        return ~x;
    case IR_AND:
        return x & y;
    case IR_OR:
        return x | y;
    case IR_XOR:
        return x ^ y;
    case IR_SHL:
        return int128_shift_left(x, y, t.bits);
    case IR_SHR:
        return int128_shift_right(x, y, t.bits, t.base == IR_SINT);
    case IR_ROL:
        return int128_rotate_left(x, y, t.bits);
    default: /* IR_ROR */
        return int128_rotate_right(x, y, t.bits);
    }
}

static u128 arith_lane(enum ir_op op, struct ir_type t, u128 x, u128 y)
{
    if (t.base != IR_FLOAT)
        return integer_lane(op, t, x, y) & low_bits(t.bits);
    if (op == IR_NEG)
        return x ^ (u128)1 << (t.bits - 1);
    return t.bits == 32 ? float_arith(op, x, y) : double_arith(op, x, y);
}

/* Whether a comparison holds, given the order of its operands. NaNs are unordered: only NE
 * holds. */
static bool comparison_holds(enum ir_op op, bool less, bool equal, bool greater)
{
    switch (op) {
    case IR_EQ:
        return equal;
    case IR_NE:
        return !equal;
    case IR_LT:
        return less;
    case IR_LE:
        return less || equal;
    case IR_GT:
        return greater;
    default: /* IR_GE */
        return greater || equal;
    }
}

static bool compare_lane(enum ir_op op, struct ir_type t, u128 x, u128 y)
{
    if (t.base == IR_FLOAT) {
        double a = t.bits == 32 ? ir_to_float(x) : ir_to_double(x);
        double b = t.bits == 32 ? ir_to_float(y) : ir_to_double(y);

        return comparison_holds(op, a<b, a == b, a> b);
    }
    return comparison_holds(op, int128_less(x, y, t.bits, t.base == IR_SINT), x == y,
                            int128_less(y, x, t.bits, t.base == IR_SINT));
}

static u128 int_to_float(struct ir_type from, struct ir_type to, u128 x)
{
    s128 s = from.base == IR_SINT ? ir_sign_extend(x, from.bits) : 0;
    bool wide = from.bits > 64;

    if (to.bits == 32) {
        if (from.base == IR_SINT)
            return ir_from_float(wide ? (float)s : (float)(int64_t)s);
        return ir_from_float(wide ? (float)x : (float)(uint64_t)x);
    }
    if (from.base == IR_SINT)
        return ir_from_double(wide ? (double)s : (double)(int64_t)s);
    return ir_from_double(wide ? (double)x : (double)(uint64_t)x);
}

static u128 convert_lane(struct ir_type from, struct ir_type to, u128 x)
{
    if (from.base == IR_FLOAT) {
        if (to.base != IR_FLOAT)
            return ir_float_to_int(from.bits == 32 ? ir_to_float(x) : ir_to_double(x), to);
        if (from.bits == to.bits)
            return x;
        return from.bits == 32 ? ir_from_double(ir_to_float(x))
                               : ir_from_float((float)ir_to_double(x));
    }
    if (to.base == IR_FLOAT)
        return int_to_float(from, to, x);
    if (from.base == IR_SINT)
        x = (u128)ir_sign_extend(x, from.bits);
    return x & low_bits(to.bits);
}

/* ---- whole values ---------------------------------------------------------------------------- */

/* Concatenates the bits of all lanes, lane 0 lowest, and splits them into lanes of the new type. */
static void bitcast_lanes(struct ir_type t, const struct ir_operand *a, u128 *out)
{
    unsigned char bytes[IR_MAX_LANES * sizeof(u128)];
    unsigned from = a->type.bits / 8u, to = t.bits / 8u;

    for (unsigned i = 0; i < a->type.lanes; i++)
        memcpy(bytes + i * from, &a->lane[i], from);
    for (unsigned i = 0; i < t.lanes; i++) {
        out[i] = 0;
        memcpy(&out[i], bytes + i * to, to);
    }
}

static void select_lanes(struct ir_type t, const struct ir_operand *args, u128 *out)
{
    for (unsigned i = 0; i < t.lanes; i++) {
        unsigned c = args[0].type.lanes == 1 ? 0 : i;

        out[i] = args[0].lane[c] ? args[1].lane[i] : args[2].lane[i];
    }
}

static void arrange_lanes(enum ir_op op, struct ir_type t, unsigned n,
                          const struct ir_operand *args, u128 *out)
{
    const struct ir_operand *x = &args[0];

    switch (op) {
    case IR_SPLAT:
        for (unsigned i = 0; i < t.lanes; i++)
            out[i] = x->lane[0];
        break;
    case IR_EXTRACT:
        out[0] = x->lane[(unsigned)(args[1].lane[0] % x->type.lanes)];
        break;
    case IR_INSERT:
        memcpy(out, x->lane, t.lanes * sizeof(*out));
        out[(unsigned)(args[1].lane[0] % t.lanes)] = args[2].lane[0];
        break;
    case IR_BUILD:
        for (unsigned i = 0; i < n; i++)
            out[i] = args[i].lane[0];
        break;
    default: /* IR_CONCAT */
        memcpy(out, x->lane, x->type.lanes * sizeof(*out));
        memcpy(out + x->type.lanes, args[1].lane, args[1].type.lanes * sizeof(*out));
        break;
    }
}

static void apply_lanewise(enum ir_op op, struct ir_type t, unsigned n,
                           const struct ir_operand *args, u128 *out)
{
    for (unsigned i = 0; i < t.lanes; i++) {
        u128 x = args[0].lane[i];
        u128 y = n < 2 ? 0 : args[1].lane[args[1].type.lanes == 1 ? 0 : i];

        if (op >= IR_EQ && op <= IR_GE)
            out[i] =
                compare_lane(op, args[0].type, x, y) ? (t.lanes == 1 ? 1 : low_bits(t.bits)) : 0;
        else if (op == IR_CONVERT)
            out[i] = convert_lane(args[0].type, t, x);
        else
            out[i] = arith_lane(op, t, x, y);
    }
}

bool ir_arith(enum ir_op op, struct ir_type t, unsigned n, const struct ir_operand *args, u128 *out)
{
    if (op < IR_ADD || op > IR_CONCAT)
        return false;
    if (op == IR_SELECT)
        select_lanes(t, args, out);
    else if (op == IR_BITCAST)
        bitcast_lanes(t, args, out);
    else if (op >= IR_SPLAT)
        arrange_lanes(op, t, n, args, out);
    else
        apply_lanewise(op, t, n, args, out);
    return true;
}

bool ir_arith_rounds(enum ir_op op, struct ir_type result, struct ir_type operand)
{
    if (result.base != IR_FLOAT)
        return false;
    if (op == IR_CONVERT)
        return operand.bits >= (operand.base == IR_FLOAT ? result.bits + 1u : result.bits - 8u);
    return op >= IR_ADD && op <= IR_MOD;
}
