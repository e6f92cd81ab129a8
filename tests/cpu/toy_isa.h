/*
 * A small instruction set for the tests of the execution engine, written by hand in the form that
 * gencc generates. A word is op:8 rd:4 rs:4 imm:16 (signed). The state is struct toy. Exceptions
 * save PC, ring and mask, mask interrupts, and enter `vbar` in ring 1.
 */
#ifndef TESTS_CPU_TOY_ISA_H
#define TESTS_CPU_TOY_ISA_H

#include "runtime/cpu/exec.h"
#include "runtime/cpu/group.h"

enum toy_op {
    TOY_UND = 0x00,
    TOY_NOP,
    TOY_ADDI,       /* rd = rs + imm */
    TOY_ADD,        /* rd += rs */
    TOY_MIX,        /* rd = rd * 31 + rs */
    TOY_B,          /* pc += imm * 4 */
    TOY_BNZ,        /* if (rs) pc += imm * 4 */
    TOY_JR,         /* pc = rs */
    TOY_LD8 = 0x10, /* rd = [rs + imm], 1 << (op & 7) bytes */
    TOY_LD16,
    TOY_LD32,
    TOY_LD64,
    TOY_LD128,
    TOY_ST8 = 0x18, /* [rs + imm] = rd */
    TOY_ST16,
    TOY_ST32,
    TOY_ST64,
    TOY_ST128,
    TOY_SVC = 0x20, /* exception of class imm >> 8, code imm & 0xff */
    TOY_WFI,
    TOY_WFE,
    TOY_SEV,
    TOY_YIELD,
    TOY_DEVR, /* rd = device imm >> 8, register imm & 0xff */
    TOY_DEVW, /* device imm >> 8, register imm & 0xff = rd */
    TOY_TLBI, /* imm: 0 all, 1 address space, 2 page of rs; + 4: on all CPUs */
    TOY_ERET,
    TOY_MASK,    /* imm: 1 masks interrupts, 0 does not */
    TOY_RING,    /* ring = imm */
    TOY_FEAT,    /* feature rd = rs's value */
    TOY_GETFEAT, /* rd = feature imm, a constant when decoded */
    TOY_STEP,    /* single-step flag = imm */
    TOY_FW,      /* rd = firmware call imm */
    TOY_LDX,     /* rd = [rs], exclusive */
    TOY_STX,     /* [rs] = rd if still exclusive; rd = 0, or 1 on failure */
    TOY_PROBE,   /* probe a write of rd bytes at rs + imm */
    TOY_GET,     /* rd = special register imm */
    TOY_SET,     /* special register imm = rd */
    TOY_LDU,     /* as LD64, with the permissions of ring 0 */
    TOY_STC,     /* as ST32, and ends the block: for writes to code */
};

enum toy_special { TOY_ELR, TOY_CAUSE, TOY_FAULT_VA, TOY_FAULT, TOY_VBAR, TOY_TTBR, TOY_SPECIALS };

enum {
    TOY_CAUSE_UNDEFINED = 0x100,
    TOY_CAUSE_FAULT = 0x101,
    TOY_CAUSE_IRQ = 0x102,
    TOY_CAUSE_STEP = 0x103
};

enum { TOY_LINE, TOY_OTHER_LINE }; /* interrupt inputs, equal in effect */

struct toy {
    uint64_t x[16];
    uint64_t special[TOY_SPECIALS]; /* FAULT: access << 32 | code */
    uint64_t high[16];              /* upper halves of 128-bit values */
    uint8_t saved_ring, saved_mask, saved_step;
    uint8_t masked;
    uint8_t monitor, stepped;
    uint32_t exceptions;
    uint64_t monitor_address, monitor_clears;
};

/*
 * Translation: addresses are physical while TTBR is 0; otherwise the 64 bits at TTBR + page number
 * * 8 hold a physical page and, in their low bits, TOY_PTE_*. Only 4096 pages exist; fault code 7
 * is "not mapped", 13 "not allowed".
 */
enum {
    TOY_PTE_VALID = 1,
    TOY_PTE_USER = 2,
    TOY_PTE_WRITE = 4,
    TOY_PTE_EXEC = 8,
    TOY_PTE_NOT_GLOBAL = 16,
    TOY_PTE_DEVICE = 32,
    TOY_PTE_LARGE = 64, /* 16 KB: one of four equal entries */
};

extern const struct cpu_isa toy_isa;

static inline struct toy *toy_state(struct cpu *cpu)
{
    return (struct toy *)(void *)cpu->state;
}

static inline uint32_t toy_word(enum toy_op op, unsigned rd, unsigned rs, int imm)
{
    return (uint32_t)op << 24 | rd << 20 | rs << 16 | (uint16_t)imm;
}

#endif
