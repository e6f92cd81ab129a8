/*
 * Building one instruction, for the assembler's files: in a small array, which is copied into the
 * buffer if all of it fits.
 */
#ifndef RUNTIME_JIT_QUICK_X64_ASSEMBLE_INSN_H
#define RUNTIME_JIT_QUICK_X64_ASSEMBLE_INSN_H

#include "runtime/jit/quick/x64/assemble.h"

#include <string.h>

/* An x64_mem with this index is the register `base`. */
enum { IN_REGISTER = 0xfe };
/* With this one it is constant number `disp` of the pool. */
enum { IN_POOL = 0xfd };

/* An instruction; legal ones have at most 15 bytes. */
struct insn {
    uint8_t bytes[16];
    unsigned n;
    unsigned distance; /* index of the distance to a constant of the pool; 0: there is none */
    uint32_t constant;
};

/* A register as the ModRM.rm operand. */
static inline struct x64_mem in_register(unsigned r)
{
    return (struct x64_mem){(uint8_t)r, IN_REGISTER, 0, 0};
}

static inline void put_byte(struct insn *i, unsigned byte)
{
    i->bytes[i->n++] = (uint8_t)byte;
}

/* Appends the low bytes of a value, the lowest first. */
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

/* Appends ModRM, SIB and displacement of memory, or of in_register(). */
void x64_put_modrm(struct insn *i, unsigned reg, struct x64_mem rm);
/* The same, with displacements of one byte that count 1 << scale bytes. */
void x64_put_modrm_scaled(struct insn *i, unsigned reg, struct x64_mem rm, unsigned scale);

/* Copies the instruction to the buffer and returns its end there; NULL: it does not fit. */
uint8_t *x64_commit(struct q_buffer *x, const struct insn *i);

#endif
