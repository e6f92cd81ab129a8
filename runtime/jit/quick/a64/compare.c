/* Integers and constants: comparisons into the host's flags, also those of ordered floats; logic,
 * and extensions. */
#include "runtime/jit/quick/a64/host.h"

enum a64_cc a64_condition(unsigned sub, jit_type t)
{
    static const uint8_t with_sign[] = {A64_EQ, A64_NE, A64_LT, A64_LE, A64_GT,
                                        A64_GE, A64_MI, A64_PL, A64_VS, A64_VC};
    static const uint8_t without[] = {A64_EQ, A64_NE, A64_LO, A64_LS, A64_HI,
                                      A64_HS, A64_MI, A64_PL, A64_VS, A64_VC};

    return (enum a64_cc)(q_base(t) == JIT_SINT ? with_sign : without)[sub - JIT_EQ];
}

static uint64_t low_bits(uint64_t v, unsigned bits)
{
    return bits == 32 ? (uint32_t)v : v;
}

void a64_compare_i(struct q_buffer *x, unsigned bits, unsigned n, uint64_t value)
{
    uint64_t minus = low_bits(-value, bits);

    value = low_bits(value, bits);
    if (a64_is_arith(value)) {
        a64_arith_i(x, A64_SUBS_I, bits, A64_ZERO, n, (uint32_t)value);
    } else if (a64_is_arith(minus)) {
        a64_arith_i(x, A64_ADDS_I, bits, A64_ZERO, n, (uint32_t)minus);
    } else {
        a64_mov_i(x, Q_SCRATCH, value);
        a64_rrr(x, A64_SUBS, bits, A64_ZERO, n, Q_SCRATCH);
    }
}

/* FCMP has N for less, and V for unordered only. */
enum a64_cc a64_ordered_condition(unsigned sub)
{
    static const uint8_t conditions[] = {A64_EQ, A64_NE, A64_MI, A64_LS, A64_GT, A64_GE};

    return (enum a64_cc)conditions[sub - JIT_EQ];
}

enum a64_cc a64_compare(struct quick *q, unsigned sub, jit_type t, uint32_t a, uint32_t b)
{
    unsigned bits = q_bits(t), ra;
    uint64_t value;

    if (q_is_ordered(t)) {
        ra = q_use_x(q, a);
        a64_fff(&q->out, A64_FCMP, bits, 0, ra, q_use_x(q, b));
        return a64_ordered_condition(sub);
    }
    ra = q_use(q, a);
    if (q_is_const(q, b, &value))
        a64_compare_i(&q->out, bits, ra, value);
    else
        a64_rrr(&q->out, A64_SUBS, bits, A64_ZERO, ra, q_use(q, b));
    return a64_condition(sub, t);
}

/* The form with an immediate of AND, ORR, EOR or ANDS. */
static uint32_t with_immediate(uint32_t op)
{
    return op == A64_AND   ? A64_AND_I
           : op == A64_ORR ? A64_ORR_I
           : op == A64_EOR ? A64_EOR_I
                           : A64_ANDS_I;
}

void a64_logic_any(struct q_buffer *x, uint32_t op, unsigned bits, unsigned d, unsigned n,
                   uint64_t value)
{
    value = low_bits(value, bits);
    if (!a64_logic_i(x, with_immediate(op), bits, d, n, value)) {
        a64_mov_i(x, Q_SCRATCH, value);
        a64_rrr(x, op, bits, d, n, Q_SCRATCH);
    }
}

void a64_extend(struct q_buffer *x, bool with_sign, unsigned bits, unsigned d, unsigned n)
{
    if (with_sign)
        a64_field(x, A64_SBFM, 64, d, n, A64_RANGE(0, bits));
    else if (bits == 32)
        a64_mov(x, 32, d, n);
    else
        a64_field(x, A64_UBFM, 32, d, n, A64_RANGE(0, bits));
}
