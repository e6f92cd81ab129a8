/*
 * A shader ISA written by hand, for tests of the engine. A bundle is a header word (64 bits), then
 * per stage a block (64 bits) and two instruction words (32 bits each), then constants (64 bits),
 * all padded to 16 bytes.
 *
 *   Header: stages 3:0, constants 7:4, flags 15:8 (enum gpu_bundle_flag), staging register 23:16.
 *   Block: registers that selectors 0 to 3 name, 8 bits each; then per unit 8 bits of destination
 *   register of the previous stage and, from bit 48, two bits of halves each.
 *   Word: operation 3:0, selectors 7:4 and 11:8, immediate 31:16.
 */
#ifndef TESTS_GPU_CORE_TOY_ISA_H
#define TESTS_GPU_CORE_TOY_ISA_H

#include "runtime/gpu/isa.h"

enum { TOY_REGISTERS = 16, TOY_MAX_STAGES = 8 };

enum toy_op {
    TOY_NOP,
    TOY_ADD,    /* src0 + src1 + immediate */
    TOY_BRANCH, /* if src0 is not 0: branch by immediate * 16 bytes (signed) from this bundle */
    TOY_END,    /* lanes whose src0 is not 0 end */
    TOY_BARRIER,
    TOY_ATOMIC, /* adds src1 at address src0; the result is the old value */
    TOY_LOAD,   /* loads from address src0 */
    TOY_STORE,  /* stores src1 at address src0 */
    TOY_RAISE,
    TOY_DUMP,    /* calls toy_dump with the warp */
    TOY_LOCAL,   /* low half of local memory's address */
    TOY_THREAD,  /* low half of the address of the lane's private memory */
    TOY_UNIFORM, /* address of 4 bytes at src1 of uniform buffer src0 */
    TOY_OPS,
};

enum toy_selector {
    TOY_SAME = 4,
    TOY_PREVIOUS_0,
    TOY_PREVIOUS_1,
    TOY_ZERO,
    TOY_UNIFORM_0,  /* push uniform 0 */
    TOY_CONSTANT_0, /* low half of constant 0 */
    TOY_CONSTANT_1,
    TOY_LANE_ID,
    TOY_UNIFORM_1,
    TOY_RESERVED,
};

/* What the decoder is told of TOY_END, by its immediate. */
enum toy_end {
    TOY_ENDS,         /* it ends lanes */
    TOY_ENDS_AT_ZERO, /* it does where its second source is 0 */
    TOY_END_UNTOLD,
};

extern const struct gpu_isa toy_isa;

/* The function that TOY_DUMP calls. */
extern void (*toy_dump)(const struct gpu_warp *w);

static inline uint32_t toy_word(enum toy_op op, unsigned a, unsigned b, unsigned immediate)
{
    return (uint32_t)(op | a << 4 | b << 8 | (immediate & 0xffff) << 16);
}

/* A bundle under construction. */
struct toy_bundle {
    unsigned stages, constants, flags;
    uint64_t block[TOY_MAX_STAGES];
    uint32_t word[TOY_MAX_STAGES][2];
    uint64_t constant[GPU_MAX_CONSTANTS];
};

/* Sets the register that a selector (0 … 3) of a stage names. */
void toy_read(struct toy_bundle *c, unsigned stage, unsigned selector, unsigned reg);
/* Sets the destination of a unit of a stage; halves: 1 low, 2 high, 3 both. */
void toy_write(struct toy_bundle *c, unsigned stage, unsigned unit, unsigned reg, unsigned halves);
/* Writes the bundle. Returns its number of bytes. */
size_t toy_pack(const struct toy_bundle *c, uint8_t *to);

#endif
