/* Encoders of instructions of vector registers. */
#include "runtime/jit/quick/a64/assemble.h"

void a64_vvv(struct q_buffer *x, uint32_t op, unsigned class, unsigned d, unsigned n, unsigned m)
{
    a64_word(x, op | class << 22 | m << 16 | n << 5 | d);
}

void a64_vv(struct q_buffer *x, uint32_t op, unsigned class, unsigned d, unsigned n)
{
    a64_word(x, op | class << 22 | n << 5 | d);
}

void a64_vshl_i(struct q_buffer *x, uint32_t op, unsigned lane, unsigned d, unsigned n,
                unsigned amount)
{
    a64_word(x, op | (lane + amount) << 16 | n << 5 | d);
}

void a64_vshr_i(struct q_buffer *x, uint32_t op, unsigned lane, unsigned d, unsigned n,
                unsigned amount)
{
    a64_word(x, op | (2 * lane - amount) << 16 | n << 5 | d);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

#define OP_DUP      0x4e000c00u
#define OP_DUP_LANE 0x4e000400u
#define OP_INS      0x4e001c00u
#define OP_INS_LANE 0x6e000400u
#define OP_UMOV     0x0e003c00u

/* The field of a lane and its class. */
static uint32_t lane_field(unsigned class, unsigned lane)
{
    return (lane << (class + 1) | 1u << class) << 16;
}

void a64_dup(struct q_buffer *x, unsigned class, unsigned d, unsigned general)
{
    a64_word(x, OP_DUP | lane_field(class, 0) | general << 5 | d);
}

void a64_dup_lane(struct q_buffer *x, unsigned class, unsigned d, unsigned n, unsigned lane)
{
    a64_word(x, OP_DUP_LANE | lane_field(class, lane) | n << 5 | d);
}

void a64_insert(struct q_buffer *x, unsigned class, unsigned d, unsigned lane, unsigned general)
{
    a64_word(x, OP_INS | lane_field(class, lane) | general << 5 | d);
}

void a64_insert_low(struct q_buffer *x, unsigned class, unsigned d, unsigned lane, unsigned n)
{
    a64_word(x, OP_INS_LANE | lane_field(class, lane) | n << 5 | d);
}

void a64_extract(struct q_buffer *x, unsigned class, unsigned d, unsigned n, unsigned lane)
{
    uint32_t wide = class == 3 ? UINT32_C(1) << 30 : 0;

    a64_word(x, OP_UMOV | wide | lane_field(class, lane) | n << 5 | d);
}

void a64_ext(struct q_buffer *x, unsigned d, unsigned n, unsigned m, unsigned from)
{
    a64_word(x, 0x6e000000 | m << 16 | from << 11 | n << 5 | d);
}

void a64_fmov_from(struct q_buffer *x, unsigned bits, unsigned d, unsigned general)
{
    a64_word(x, (bits == 64 ? 0x9e670000 : 0x1e270000) | general << 5 | d);
}

void a64_fmov_to(struct q_buffer *x, unsigned bits, unsigned d, unsigned v)
{
    a64_word(x, (bits == 64 ? 0x9e660000 : 0x1e260000) | v << 5 | d);
}

void a64_fmov(struct q_buffer *x, unsigned bits, unsigned d, unsigned v)
{
    a64_word(x, (bits == 64 ? 0x1e604000 : 0x1e204000) | v << 5 | d);
}

void a64_vmov(struct q_buffer *x, unsigned d, unsigned n)
{
    if (d != n)
        a64_vvv(x, A64_VORR, 0, d, n, n);
}

void a64_vfill(struct q_buffer *x, unsigned d, bool ones)
{
    a64_word(x, (ones ? 0x4f07e7e0 : 0x6f00e400) | d);
}

/* ---- scalar floats --------------------------------------------------------------------------- */

static uint32_t twice(unsigned bits)
{
    return bits == 64 ? UINT32_C(1) << 22 : 0;
}

void a64_fff(struct q_buffer *x, uint32_t op, unsigned bits, unsigned d, unsigned n, unsigned m)
{
    a64_word(x, op | twice(bits) | m << 16 | n << 5 | d);
}

void a64_ff(struct q_buffer *x, uint32_t op, unsigned bits, unsigned d, unsigned n)
{
    a64_word(x, op | twice(bits) | n << 5 | d);
}

void a64_convert(struct q_buffer *x, uint32_t op, unsigned bits, unsigned float_bits, unsigned d,
                 unsigned n)
{
    a64_word(x, op | (bits == 64 ? UINT32_C(1) << 31 : 0) | twice(float_bits) | n << 5 | d);
}
