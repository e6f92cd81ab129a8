/*
 * What generated translators are written in: building the LLVM code of guest instructions.
 *
 * gencc emits for a handler of an ISA a translator,
 *
 *     void a64_j_NAME(struct jit_build *j, const struct insn *i);
 *
 * which the engine calls once for each place where that instruction stands in a region. It computes
 * in C what is fixed (from the operands behind `i`, exactly those the handler has) and builds the
 * rest with the functions below. struct cpu_isa lists translators by handler (cpu_translator in
 * runtime/cpu/cpu.h). Translators run in compile threads: they read `i` and constants only.
 *
 * Every function here has the total semantics of the operation of gencc's IR that it is named after
 * (gencc/ir/ir.h, ops.inc): wrapping arithmetic, shifts beyond the width, division by zero,
 * saturating conversions, comparisons that give 1 or 0 or a mask. Values belong to the translation
 * of one region and die with it; a value may be used where its definition dominates.
 *
 * Nothing here fails towards the translator. What cannot be built (types that do not fit together)
 * marks the translation as failed: the region is then not used, and the guest goes on being
 * interpreted.
 *
 * Does not include LLVM's headers: generated code compiles without them.
 */
#ifndef RUNTIME_JIT_BUILD_H
#define RUNTIME_JIT_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/cpu/cpu.h"

struct jit_build;
typedef struct LLVMOpaqueValue *jit_value;      /* an SSA value: a scalar or a vector */
typedef struct LLVMOpaqueBasicBlock *jit_block; /* a basic block inside of one instruction */

/* ---- types ----------------------------------------------------------------------------------- */

/*
 * A type of the IR: base, bits of a lane (8, 16, 32, 64, 128; floats 32, 64), lanes. A constant
 * expression, so that tables of types can be static.
 */
typedef uint32_t jit_type;
enum { JIT_VOID = 0, JIT_UINT = 1, JIT_SINT = 2, JIT_FLOAT = 3 };
#define JIT_TYPE(base, bits, lanes) \
    ((jit_type)(base) | (jit_type)(bits) << 8 | (jit_type)(lanes) << 16)
#define JIT_T_VOID ((jit_type)0)
#define JIT_U8     JIT_TYPE(JIT_UINT, 8, 1)
#define JIT_U16    JIT_TYPE(JIT_UINT, 16, 1)
#define JIT_U32    JIT_TYPE(JIT_UINT, 32, 1)
#define JIT_U64    JIT_TYPE(JIT_UINT, 64, 1)
#define JIT_U128   JIT_TYPE(JIT_UINT, 128, 1)
#define JIT_S8     JIT_TYPE(JIT_SINT, 8, 1)
#define JIT_S16    JIT_TYPE(JIT_SINT, 16, 1)
#define JIT_S32    JIT_TYPE(JIT_SINT, 32, 1)
#define JIT_S64    JIT_TYPE(JIT_SINT, 64, 1)
#define JIT_S128   JIT_TYPE(JIT_SINT, 128, 1)
#define JIT_F32    JIT_TYPE(JIT_FLOAT, 32, 1)
#define JIT_F64    JIT_TYPE(JIT_FLOAT, 64, 1)
/* In parameter lists of jit_callee: a pointer to the type. */
#define JIT_REF ((jit_type)0x80)

/* ---- constants ------------------------------------------------------------------------------- */

/* `bits` in every lane: the value modulo the width, or the bits of a float. */
jit_value jit_const(struct jit_build *j, jit_type t, uint64_t bits);
/* The same for lanes of 128 bits. */
jit_value jit_const128(struct jit_build *j, jit_type t, uint64_t high, uint64_t low);

/* What is fixed for the code being translated: a feature's value, the ISA mode (get_cpu_mode). */
uint32_t jit_feature(const struct jit_build *j, unsigned feature);
uint8_t jit_mode(const struct jit_build *j);

/* ---- operations ------------------------------------------------------------------------------ */

enum jit_op {
    /* unary: result of the operand's type */
    JIT_NEG,
    JIT_NOT,
    JIT_ABS,  /* __builtin_abs32/64, float_abs, double_abs; the smallest integer stays itself */
    JIT_SQRT, /* of floats, IEEE, round to nearest */
    JIT_CLZ,  /* integers: the width for 0 */
    JIT_CTZ,
    JIT_POPCOUNT,
    JIT_BITREV,
    JIT_BSWAP, /* 16, 32, 64 bits */
    /* binary: operands and result of one type */
    JIT_ADD,
    JIT_SUB,
    JIT_MUL,
    JIT_DIV,
    JIT_MOD,
    JIT_AND,
    JIT_OR,
    JIT_XOR,
    JIT_UMULH, /* high half of the product of 64-bit integers */
    JIT_SMULH,
    /* shifts: the amount is any integer scalar, or a vector of as many lanes; taken as unsigned */
    JIT_SHL,
    JIT_SHR, /* arithmetic when the type is signed */
    JIT_ROL,
    JIT_ROR,
    /* comparisons: operands of type t; the result is uint8, or unsigned lanes of the same width */
    JIT_EQ,
    JIT_NE,
    JIT_LT,
    JIT_LE,
    JIT_GT,
    JIT_GE,
};

/* t: type of the operand and the result. */
jit_value jit_unary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a);
/* t: type of the operands a and b (of a alone for shifts). */
jit_value jit_binary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a, jit_value b);
/* a * b + c with one rounding (__builtin_fma32, fma64). */
jit_value jit_fma(struct jit_build *j, jit_type t, jit_value a, jit_value b, jit_value c);
/* cond: any integer scalar (not zero: a), or a mask of as many lanes as a and b. */
jit_value jit_select(struct jit_build *j, jit_value cond, jit_value a, jit_value b);
/* Lane by lane; by the sign of `from`. Integers: modulo; float to integer: truncates, saturates. */
jit_value jit_convert(struct jit_build *j, jit_type to, jit_type from, jit_value a);
/* The same bytes as another type of the same size. */
jit_value jit_bitcast(struct jit_build *j, jit_type to, jit_value a);

/* t: type of the vector that results. */
jit_value jit_splat(struct jit_build *j, jit_type t, jit_value scalar);
jit_value jit_build(struct jit_build *j, jit_type t, const jit_value *lanes);
/* index: any integer scalar, taken modulo the lanes. */
jit_value jit_extract(struct jit_build *j, jit_value vector, jit_value index);
jit_value jit_insert(struct jit_build *j, jit_value vector, jit_value index, jit_value scalar);
/* Lanes of a, then those of b; a and b of one type, scalars or vectors. */
jit_value jit_concat(struct jit_build *j, jit_value a, jit_value b);

/* ---- registers ------------------------------------------------------------------------------- */

/* The register at a byte offset of cpu->state, as type t (REG(type, offset) of the handlers). */
jit_value jit_reg_read(struct jit_build *j, jit_type t, size_t offset);
void jit_reg_write(struct jit_build *j, size_t offset, jit_value value);
/*
 * Number `index` (an integer scalar, unsigned) of a bank of `count` registers, the first at offset,
 * stride bytes apart. Beyond the bank reads give 0 and writes do nothing. Slow: only for indices
 * that are not fixed.
 */
jit_value jit_bank_read(struct jit_build *j, jit_type t, size_t offset, unsigned stride,
                        unsigned count, jit_value index);
void jit_bank_write(struct jit_build *j, size_t offset, unsigned stride, unsigned count,
                    jit_value index, jit_value value);

/* A member of struct cpu that does not change while an instruction runs, by offsetof(): number,
 * config[n], lines. */
jit_value jit_cpu_read(struct jit_build *j, jit_type t, size_t offset);

/* ---- program counter ------------------------------------------------------------------------- */

/* Address of this instruction (read_pc), as an unsigned integer type. Adding constants to it, in
 * any number of steps of jit_binary, keeps branch targets known to the engine. */
jit_value jit_read_pc(struct jit_build *j, jit_type t);
/* write_pc: where the guest goes on after this instruction; an integer, zero-extended to 64 bits.
 * Without one it goes on at the next instruction. */
void jit_write_pc(struct jit_build *j, jit_value pc);

/* ---- memory ---------------------------------------------------------------------------------- */

/* Guest memory through an interface (mem_read_N, mem_write_N); bits: 8 to 128. The address is an
 * integer, zero-extended to 64 bits. A fault leaves the instruction: what the translation wrote
 * before counts, as in the handler. */
jit_value jit_mem_read(struct jit_build *j, unsigned bits, unsigned iface, jit_value address);
void jit_mem_write(struct jit_build *j, unsigned bits, unsigned iface, jit_value address,
                   jit_value value);

/* ---- calls ----------------------------------------------------------------------------------- */

enum jit_call_flag {
    JIT_CALL_CPU = 1,       /* the first parameter is the struct cpu * */
    JIT_CALL_INSN = 2,      /* then the const struct insn * */
    JIT_CALL_PURE = 4,      /* neither reads nor changes guest state, and always returns (externals,
                              which do not know the CPU; pure helpers) */
    JIT_CALL_READS = 8,     /* reads guest state only, and always returns (reading helpers) */
    JIT_CALL_NORETURN = 16, /* nothing may be built behind it in this block */
};

enum { JIT_MAX_PARAMS = 16 };

/*
 * A C function: a generated helper, an external, one of the runtime's. Parameters are passed as the
 * C compiler does for these types; vectors, by value or as the result, of 8 or 16 bytes only
 * (jit_interpret what calls others; through JIT_REF any size will do). A parameter with JIT_REF is
 * the address of a variable that has the argument's value at first, or is not set when the argument
 * is NULL.
 */
struct jit_callee {
    const void *fn;
    const char *name; /* for listings */
    jit_type result;
    uint16_t flags; /* enum jit_call_flag */
    uint16_t count; /* parameters, without cpu and insn; at most JIT_MAX_PARAMS */
    const jit_type *params;
};

/* args: one a parameter. results[0]: the result (NULL for void), results[n]: the n-th JIT_REF
 * variable after the call; results may be NULL when nothing is wanted. */
void jit_call(struct jit_build *j, const struct jit_callee *callee, const jit_value *args,
              jit_value *results);

/* ---- control flow inside of an instruction --------------------------------------------------- */

/*
 * A translator begins in a block of its own and must end every block it fills, with one of
 * jit_goto, jit_branch, jit_switch, jit_done or a call that does not return (then jit_unreachable).
 * Operations may split the block being built, so blocks are only ever named through jit_block_new.
 */
jit_block jit_block_new(struct jit_build *j);
/* What is built from now on stands in that block. Each block is filled once. */
void jit_at(struct jit_build *j, jit_block block);

/* A phi at the start of a block, which need not be filled yet. All phis of a block are made before
 * it is filled. */
jit_value jit_phi(struct jit_build *j, jit_block block, jit_type t);
/* The phi's value on the edge that the next jit_goto, jit_branch or jit_switch makes from the block
 * being built; exactly one call for each edge into the phi's block (twice when both targets of a
 * branch are that block). */
void jit_phi_in(struct jit_build *j, jit_value phi, jit_value value);

void jit_goto(struct jit_build *j, jit_block to);
/* cond: any integer scalar; not zero goes to `yes`. */
void jit_branch(struct jit_build *j, jit_value cond, jit_block yes, jit_block no);
/* Scalars of at most 64 bits. */
void jit_switch(struct jit_build *j, jit_value v, jit_block otherwise, unsigned count,
                const uint64_t *cases, const jit_block *targets);
/* RET of a behaviour: the instruction is done. Any number of times, in different blocks. */
void jit_done(struct jit_build *j);
void jit_unreachable(struct jit_build *j);

/* ---- falling back ---------------------------------------------------------------------------- */

/* Instead of all of the above: the instruction's handler is called. The translator returns right
 * after it, without jit_done. */
void jit_interpret(struct jit_build *j, const struct insn *i);

#endif
