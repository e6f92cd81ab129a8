/* Encoders of integer instructions, accesses and jumps. */
#include "runtime/jit/quick/a64/assemble.h"

#include <string.h>

static uint32_t wide(unsigned bits)
{
    return bits == 64 ? UINT32_C(1) << 31 : 0;
}

void a64_word(struct q_buffer *x, uint32_t word)
{
    if (x->full || (size_t)(x->end - x->at) < sizeof(word)) {
        x->full = true;
        return;
    }
    memcpy(x->at + x->write, &word, sizeof(word));
    x->at += sizeof(word);
}

/* ---- integers -------------------------------------------------------------------------------- */

void a64_rrr(struct q_buffer *x, uint32_t op, unsigned bits, unsigned d, unsigned n, unsigned m)
{
    a64_word(x, op | wide(bits) | m << 16 | n << 5 | d);
}

void a64_rr(struct q_buffer *x, uint32_t op, unsigned bits, unsigned d, unsigned n)
{
    a64_word(x, op | wide(bits) | n << 5 | d);
}

void a64_mov(struct q_buffer *x, unsigned bits, unsigned d, unsigned n)
{
    if (d != n || bits == 32)
        a64_rrr(x, A64_ORR, bits, d, A64_ZERO, n);
}

bool a64_is_arith(uint64_t imm)
{
    return imm < 1 << 12 || (imm < 1 << 24 && !(imm & 0xfff));
}

void a64_arith_i(struct q_buffer *x, uint32_t op, unsigned bits, unsigned d, unsigned n,
                 uint32_t imm)
{
    uint32_t high = imm >> 12 ? UINT32_C(1) << 22 : 0;

    a64_word(x, op | wide(bits) | high | (imm >> 12 ? imm >> 12 : imm) << 10 | n << 5 | d);
}

void a64_add_i(struct q_buffer *x, unsigned d, unsigned n, int64_t value, unsigned scratch)
{
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    uint32_t op = value < 0 ? A64_SUB_I : A64_ADD_I, low = size & 0xfff;

    if (size >> 24) {
        a64_mov_i(x, scratch, (uint64_t)value);
        a64_rrr(x, A64_ADD, 64, d, n, scratch);
        return;
    }
    if (size >> 12) {
        a64_arith_i(x, op, 64, d, n, (uint32_t)size - low);
        n = d;
    }
    if (low || (!size && d != n))
        a64_arith_i(x, op, 64, d, n, low);
}

/* The fields N, immr and imms of a pattern: a run of ones, rotated, in equal parts. */
static bool encode_pattern(uint64_t v, unsigned bits, uint32_t *fields)
{
    unsigned width = 64, ones, turn = 0;
    uint64_t mask, part;

    if (bits == 32)
        v = (v & UINT32_MAX) | v << 32;
    if (!v || !~v)
        return false;
    while (width > 2 && v == (v >> width / 2 | v << (64 - width / 2)))
        width /= 2;
    mask = ~UINT64_C(0) >> (64 - width);
    part = v & mask;
    /* Turned left until the run of ones is at the lower end. */
    while (!(part & 1) || part >> (width - 1) & 1) {
        part = (part << 1 | part >> (width - 1)) & mask;
        if (++turn > width)
            return false;
    }
    if (part & (part + 1))
        return false;
    ones = (unsigned)__builtin_popcountll(part);
    *fields = (width == 64 ? UINT32_C(1) << 22 : 0) | turn % width << 16 |
              ((~(2 * width - 1) & 0x3f) | (ones - 1)) << 10;
    return true;
}

bool a64_logic_i(struct q_buffer *x, uint32_t op, unsigned bits, unsigned d, unsigned n,
                 uint64_t imm)
{
    uint32_t fields;

    if (!encode_pattern(imm, bits, &fields))
        return false;
    a64_word(x, op | wide(bits) | fields | n << 5 | d);
    return true;
}

#define OP_MOVN 0x92800000u
#define OP_MOVZ 0xd2800000u
#define OP_MOVK 0xf2800000u

void a64_mov_i(struct q_buffer *x, unsigned d, uint64_t value)
{
    unsigned zeros = 0, ones = 0;
    uint32_t op, fill;

    for (unsigned n = 0; n < 4; n++) {
        zeros += (value >> 16 * n & 0xffff) == 0;
        ones += (value >> 16 * n & 0xffff) == 0xffff;
    }
    if (zeros < 3 && ones < 3 && a64_logic_i(x, A64_ORR_I, 64, d, A64_ZERO, value))
        return;
    op = ones > zeros ? OP_MOVN : OP_MOVZ;
    fill = ones > zeros ? 0xffff : 0;
    for (unsigned n = 0; n < 4; n++) {
        uint32_t part = value >> 16 * n & 0xffff;

        if (part == fill)
            continue;
        if (op == OP_MOVN)
            part ^= 0xffff;
        a64_word(x, op | n << 21 | part << 5 | d);
        op = OP_MOVK;
    }
    if (op != OP_MOVK)
        a64_word(x, op | d);
}

enum { POINTER_WORDS = 3 }; /* instructions that load a pointer, of 48 bits */

static uint32_t pointer_word(unsigned n, unsigned d, const void *to)
{
    uint32_t part = (uintptr_t)to >> 16 * n & 0xffff;

    return (n ? OP_MOVK : OP_MOVZ) | n << 21 | part << 5 | d;
}

void a64_mov_pointer(struct q_buffer *x, unsigned d, const void *to)
{
    for (unsigned n = 0; n < POINTER_WORDS; n++)
        a64_word(x, pointer_word(n, d, to));
}

void a64_set_pointer(uint8_t *at, const void *to, ptrdiff_t write)
{
    uint32_t word;

    for (unsigned n = 0; n < POINTER_WORDS; n++, at += sizeof(word)) {
        memcpy(&word, at + write, sizeof(word));
        word = pointer_word(n, word & 31, to);
        memcpy(at + write, &word, sizeof(word));
    }
}

void a64_field(struct q_buffer *x, uint32_t op, unsigned bits, unsigned d, unsigned n,
               unsigned range)
{
    unsigned from = range & 0xff, last = from + (range >> 8) - 1;

    a64_word(x, op | (bits == 64 ? 0x80400000u : 0) | from << 16 | last << 10 | n << 5 | d);
}

void a64_lsl_i(struct q_buffer *x, unsigned bits, unsigned d, unsigned n, unsigned amount)
{
    unsigned turn = (bits - amount) % bits, last = bits - 1 - amount;

    a64_word(x, A64_UBFM | (bits == 64 ? 0x80400000u : 0) | turn << 16 | last << 10 | n << 5 | d);
}

void a64_ror_i(struct q_buffer *x, unsigned bits, unsigned d, unsigned n, unsigned amount)
{
    a64_word(x, A64_EXTR | (bits == 64 ? 0x80400000u : 0) | n << 16 | amount << 10 | n << 5 | d);
}

void a64_cset(struct q_buffer *x, unsigned d, enum a64_cc cc)
{
    a64_rrr(x, a64_if(A64_CSINC, (enum a64_cc)(cc ^ 1)), 32, d, A64_ZERO, A64_ZERO);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Opcodes of accesses: of general registers the size is in bits 31:30, of vectors in opc, too. */
#define ACCESS    0x38000000u
#define IS_LOAD   0x00400000u
#define IS_VECTOR 0x04000000u
#define IS_128    0x00800000u
#define SCALED    0x01000000u
#define INDEXED   0x00206800u

bool a64_is_offset(unsigned bits, int64_t offset)
{
    int64_t bytes = bits / 8;

    return (offset >= 0 && offset % bytes == 0 && offset / bytes < 1 << 12) ||
           (offset >= -256 && offset < 256);
}

static void emit_access(struct q_buffer *x, uint32_t op, unsigned bits, unsigned r,
                        struct a64_mem m)
{
    int32_t bytes = (int32_t)bits / 8;
    uint32_t size = (uint32_t)__builtin_ctz(bits / 8);

    op |= bits == 128 ? IS_128 : size << 30;
    op |= ACCESS | r;
    if (m.offset == A64_BY_INDEX) {
        a64_word(x, op | INDEXED | (uint32_t)m.index << 16 | (uint32_t)m.base << 5);
        return;
    }
    if (!a64_is_offset(bits, m.offset)) {
        int32_t low = m.offset & 0xfff;

        if (low % bytes) /* the least offset is always one of the instruction */
            low = 0;
        a64_add_i(x, A64_ADDRESS, m.base, m.offset - low, A64_ADDRESS);
        m = a64_at(A64_ADDRESS, low);
    }
    if (m.offset >= 0 && m.offset % bytes == 0)
        op |= SCALED | (uint32_t)(m.offset / bytes) << 10;
    else
        op |= (uint32_t)(m.offset & 0x1ff) << 12;
    a64_word(x, op | (uint32_t)m.base << 5);
}

void a64_load(struct q_buffer *x, unsigned bits, unsigned d, struct a64_mem m)
{
    emit_access(x, IS_LOAD, bits, d, m);
}

void a64_store(struct q_buffer *x, unsigned bits, struct a64_mem m, unsigned s)
{
    emit_access(x, 0, bits, s, m);
}

void a64_vload(struct q_buffer *x, unsigned bits, unsigned d, struct a64_mem m)
{
    emit_access(x, IS_LOAD | IS_VECTOR, bits, d, m);
}

void a64_vstore(struct q_buffer *x, unsigned bits, struct a64_mem m, unsigned s)
{
    emit_access(x, IS_VECTOR, bits, s, m);
}

/* ---- control --------------------------------------------------------------------------------- */

#define OP_B    0x14000000u
#define OP_BL   0x94000000u
#define OP_B_IF 0x54000000u
#define OP_CBZ  0x34000000u

static uint8_t *emit_jump(struct q_buffer *x, uint32_t word)
{
    uint8_t *at = x->at;

    a64_word(x, word);
    return x->full ? NULL : at;
}

uint8_t *a64_b(struct q_buffer *x)
{
    return emit_jump(x, OP_B);
}

uint8_t *a64_b_if(struct q_buffer *x, enum a64_cc cc)
{
    return emit_jump(x, OP_B_IF | (uint32_t)cc);
}

uint8_t *a64_cbz(struct q_buffer *x, unsigned bits, unsigned r)
{
    return emit_jump(x, OP_CBZ | wide(bits) | r);
}

void a64_patch(uint8_t *jump, const void *to, ptrdiff_t write)
{
    uint32_t word, words;

    if (!jump)
        return;
    words = (uint32_t)(((const uint8_t *)to - jump) / 4);
    memcpy(&word, jump + write, sizeof(word));
    if ((word & 0x7c000000) == OP_B)
        word = (word & 0xfc000000) | (words & 0x3ffffff);
    else
        word = (word & 0xff00001f) | (words & 0x7ffff) << 5;
    /* One store: the jump may be running. */
    __atomic_store_n((uint32_t *)(void *)(jump + write), word, __ATOMIC_RELAXED);
}

void a64_bind(struct q_buffer *x, uint8_t *jump)
{
    a64_patch(jump, x->at, x->write);
}

uint8_t *a64_bl(struct q_buffer *x)
{
    return emit_jump(x, OP_BL);
}

void a64_get_system(struct q_buffer *x, uint32_t system, unsigned d)
{
    a64_word(x, 0xd5200000 | system | d);
}

void a64_set_system(struct q_buffer *x, uint32_t system, unsigned s)
{
    a64_word(x, 0xd5000000 | system | s);
}

void a64_br(struct q_buffer *x, unsigned r)
{
    a64_word(x, 0xd61f0000 | r << 5);
}

void a64_blr(struct q_buffer *x, unsigned r)
{
    a64_word(x, 0xd63f0000 | r << 5);
}

void a64_ret(struct q_buffer *x)
{
    a64_word(x, 0xd65f03c0);
}
