/*
 * The record of one guest instruction, as its translator builds it: raw nodes in blocks, before a
 * path through them is chosen and simplified.
 */
#ifndef RUNTIME_JIT_QUICK_RECORD_H
#define RUNTIME_JIT_QUICK_RECORD_H

#include "runtime/jit/quick/quick.h"

/* A value of a translator: a number and a type in one word. The number is of a raw node in raw
 * values, and of a node in values of the trace; 0: no value. */
typedef uint64_t q_value;
static inline q_value q_value_of(uint32_t number, jit_type t)
{
    return (uint64_t)t << 32 | number;
}
static inline uint32_t q_number(q_value v)
{
    return (uint32_t)v;
}
static inline jit_type q_type(q_value v)
{
    return (jit_type)(v >> 32);
}

enum raw_op { /* operations in addition to those of enum q_op with the same operands */
              RAW_READ = 64, /* register at offset imm, as type */
              RAW_WRITE,     /* a to the register at offset imm */
              RAW_BUILD,     /* lists[imm .. imm + count) are the lanes */
              RAW_SELECT,    /* a ? b : c */
              RAW_MODE,      /* the mode is a from the next instruction on */
              RAW_CALL,      /* callees, and lists[imm ..) are the arguments */
              RAW_INEXACT,   /* inexact results leave the trace */
              RAW_NANS,      /* so do NaNs that operations behind this give */
              RAW_PHI,
};

struct raw {
    uint8_t op, sub;
    uint16_t count;
    jit_type type, from;
    q_value a, b, c;
    uint64_t imm, imm2;
    const struct jit_callee *callee;
    uint32_t block;
};

struct raw_phi_in {
    uint32_t phi, from; /* raw node; block */
    q_value value;
};

enum raw_end { /* the value is the number of successors */
               RAW_OPEN = 0,
               RAW_GOTO = 1,
               RAW_BRANCH = 2,
               RAW_DONE,
               RAW_NOWHERE
};

struct raw_block {
    uint32_t first, end; /* nodes, without phis */
    uint8_t how;         /* enum raw_end */
    bool filled, calls;  /* calls: has a call */
    q_value condition;   /* BRANCH: not zero goes to to[0] */
    uint32_t to[2];
    q_value pc;     /* value written to the PC, or 0 */
    uint32_t cost;  /* raw nodes on the cheapest path from its start to the end */
    bool is_likely; /* reached without a rare branch */
    uint32_t edges; /* number of edges to it that are not rare */
};

enum { RAW_CALL_COST = 1 << 12 };

struct quick_record {
    VEC(struct raw) raws; /* [0] is unused */
    VEC(struct raw_block) blocks;
    VEC(struct raw_phi_in) phi_ins;
    VEC(q_value) lists;
    q_value *values; /* commit.c: by raw node, its value in the trace */
    size_t value_capacity;
    uint32_t block;      /* being filled */
    const char *refused; /* why the instruction is left to its handler, or NULL */
    const struct insn *insn;
    unsigned source, index;
    bool last;     /* last instruction of its guest block */
    bool all_ways; /* only paths that cannot be translated count as rare */
    uint8_t traps; /* enum jit_trap: results that leave the trace, of a trace that traps */
};

extern const struct jit_backend quick_backend;

/* Begins the record of an instruction. */
void record_begin(struct quick *q, const struct insn *insn, unsigned source, unsigned index,
                  bool last);
void record_free(struct quick *q);
/* Ends the record: computes costs and rare branches. */
void record_end(struct quick *q);
/* Whether successor k of a branch is rare and the other one is not. */
bool record_is_rare(const struct quick_record *d, const struct raw_block *b, unsigned k);

#endif
