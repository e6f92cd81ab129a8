/*
 * How an instruction is put together, for the assembler's own files: in a small array, which is
 * copied into the buffer when it fits as a whole.
 */
#ifndef RUNTIME_JIT_QUICK_X64_ASSEMBLE_INSN_H
#define RUNTIME_JIT_QUICK_X64_ASSEMBLE_INSN_H

#include "runtime/jit/quick/x64/assemble.h"

#include <string.h>

/* An x64_mem whose index is this stands for the register `base`. */
enum { IN_REGISTER = 0xfe };

/* 15 bytes is the longest legal instruction. */
struct insn {
    uint8_t bytes[16];
    unsigned n;
};

static inline struct x64_mem in_register(unsigned r)
{
    return (struct x64_mem){(uint8_t)r, IN_REGISTER, 0, 0};
}

static inline void put(struct insn *i, unsigned byte)
{
    i->bytes[i->n++] = (uint8_t)byte;
}

/* The low bytes of a value, the lowest first. */
static inline void put_value(struct insn *i, uint64_t value, unsigned bytes)
{
    memcpy(i->bytes + i->n, &value, bytes);
    i->n += bytes;
}

static inline bool fits_8(int32_t value)
{
    return value == (int8_t)value;
}

/* R, X and B of a REX or VEX prefix, as bits 2 to 0. */
static inline unsigned high_bits(unsigned reg, struct x64_mem rm)
{
    unsigned index = rm.index < 16 ? rm.index : 0u;
    return (reg >> 3 & 1) << 2 | (index >> 3 & 1) << 1 | (rm.base >> 3 & 1);
}

/* ModRM, SIB and displacement: of memory, or of in_register(). */
void x64_put_modrm(struct insn *i, unsigned reg, struct x64_mem rm);

/* Returns the end of the instruction in the buffer, NULL when it does not fit. */
uint8_t *x64_commit(struct q_buffer *x, const struct insn *i);

#endif
