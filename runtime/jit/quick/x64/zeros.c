/* What is zero above values in vector registers. Instructions of scalar floats copy the upper bits
 * of their first operand, and those of vectors of 4 and 8 bytes compute with all lanes. */
#include "runtime/jit/quick/x64/select_vector.h"

static uint8_t greater(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

/* Zeros that an operation of floats keeps. FMAs replace any of their operands. */
static uint8_t zeros_of_float(const struct q_node *n, const uint8_t operands[3])
{
    uint8_t bits = (uint8_t)q_bits(n->type);

    if (!q_is_float_scalar(n->type))
        return Q_ALL_BITS;
    if (n->op == Q_FMA)
        return greater(greater(operands[0], operands[1]), greater(operands[2], bits));
    if (n->op == Q_UNARY || n->sub <= JIT_DIV)
        return greater(operands[0], bits);
    return Q_ALL_BITS;
}

/* Zeros that an operation of integer lanes keeps: it makes zeros of zeros. */
static uint8_t zeros_of_lanes(const struct q_node *n, const uint8_t operands[3])
{
    uint8_t bits = greater(operands[0], operands[1]), width = (uint8_t)q_lane_bits(n->type);

    switch (n->sub) {
    case JIT_AND:
        return operands[0] < operands[1] ? operands[0] : operands[1];
    case Q_WITHOUT:
        return operands[0];
    case JIT_OR:
    case JIT_XOR:
        return bits;
    case JIT_ADD:
    case JIT_SUB:
    case JIT_SMULH:
    case JIT_UMULH:
    case Q_LEAST:
    case Q_GREATEST:
    case Q_ADD_WITHIN:
    case Q_SUB_WITHIN:
    case Q_AVERAGE:
    case Q_ROUNDED_PRODUCT:
        break;
    case JIT_MUL:
        if (width == 16 || width == 32)
            break;
        return Q_ALL_BITS;
    default:
        return Q_ALL_BITS;
    }
    return q_is_int_vector(n->type) ? (uint8_t)((bits + width - 1) / width * width) : Q_ALL_BITS;
}

static uint8_t zeros_of_conversion(const struct q_node *n, const uint8_t operands[3])
{
    if (!q_is_float_scalar(n->type) || !x64_can_convert_scalar(n))
        return Q_ALL_BITS;
    if (!q_is_float_scalar(n->from))
        return (uint8_t)q_bits(n->type);
    /* A float that is made narrower leaves the double's upper half above it. */
    return q_bits(n->type) < q_bits(n->from) ? Q_ALL_BITS
                                             : greater(operands[0], (uint8_t)q_bits(n->type));
}

uint8_t x64_zeros_from(const struct quick *q, const struct q_node *n, const uint8_t operands[3])
{
    (void)q;
    switch (n->op) {
    case Q_CONST: /* x64_load_vector() */
        return q_is_float_scalar(n->type) ? (uint8_t)q_bits(n->type) : Q_ALL_BITS;
    case Q_SELECT:
        return greater(operands[0], operands[1]);
    case Q_BLEND:
        return greater(operands[1], operands[2]);
    case Q_FMA:
    case Q_UNARY:
    case Q_BINARY:
        if (q_base(n->type) == JIT_FLOAT)
            return zeros_of_float(n, operands);
        return n->op == Q_BINARY ? zeros_of_lanes(n, operands) : Q_ALL_BITS;
    case Q_CONVERT:
        return zeros_of_conversion(n, operands);
    default:
        return Q_ALL_BITS;
    }
}
