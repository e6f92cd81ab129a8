/*
 * The functions that generated translators call to build the code of guest instructions, for either
 * tier (backend.h).
 *
 * gencc emits for a handler of an ISA a translator,
 *
 *     void a64_j_NAME(struct jit_build *j, const struct insn *i);
 *
 * which is called once per occurrence of that instruction in a region or a trace. It computes fixed
 * values in C, from the operands behind `i`, which are the handler's. It builds dynamic values by
 * the functions of ops.inc, jit_NAME(). struct cpu_form (runtime/cpu/isa.h) has the translator of
 * each form. Translators also run in compile threads: they read `i` and constants only.
 *
 * Each function is total, as the operation of gencc's IR with its name (gencc/ir/ir.h,
 * gencc/ir/ops.inc): arithmetic wraps, shifts may be by more than the width, division by zero is
 * defined, conversions saturate, comparisons give 1 or 0 or a mask. Values belong to the
 * translation of one region; a value may be used where its definition dominates.
 *
 * The functions report no errors. If something cannot be built (types do not match), the
 * translation is marked as failed, and the guest code is interpreted.
 *
 * LLVM's headers are not included, so that generated code compiles without them.
 */
#ifndef RUNTIME_JIT_BUILD_H
#define RUNTIME_JIT_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/cpu/isa.h"

struct jit_build;
typedef struct LLVMOpaqueValue *jit_value;      /* an SSA value: a scalar or a vector */
typedef struct LLVMOpaqueBasicBlock *jit_block; /* a basic block inside of one instruction */

/* Results that leave a translation like an exception, beside invalid operations, denormal operands,
 * divisions by zero, overflows and tiny results: __builtin_host_traps(). */
enum jit_trap {
    JIT_TRAP_NAN = 1,
    JIT_TRAP_SMALL = 2, /* less than twice the least normal number, which may have been tiny before
                           rounding */
};

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
/* Or-ed to a type in parameter lists of jit_callee: a pointer to it. */
#define JIT_REF ((jit_type)0x80)

/* ---- operations ------------------------------------------------------------------------------ */

enum jit_op {
    /* unary: result of the operand's type */
    JIT_NEG,
    JIT_NOT,
    JIT_ABS,  /* __builtin_abs32/64, float_abs, double_abs; the smallest integer stays itself */
    JIT_SQRT, /* square root of floats, IEEE, round to nearest */
    /* floats to integral values, never inexact: to nearest with ties to even, up, down, toward
     * zero; in the order of the modes of __builtin_f32_round() */
    JIT_ROUND_EVEN,
    JIT_ROUND_UP,
    JIT_ROUND_DOWN,
    JIT_ROUND_ZERO,
    JIT_CLZ, /* integers: the width for 0 */
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
    JIT_POLYMUL, /* product of polynomials over {0, 1}: the low 64 bits of two 128-bit integers */
    /* shifts: the amount is unsigned, an integer scalar or a vector with the lanes of the value */
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

/* ---- calls ----------------------------------------------------------------------------------- */

enum jit_call_flag {
    JIT_CALL_CPU = 1,       /* the first parameter is the struct cpu * */
    JIT_CALL_INSN = 2,      /* the next parameter is the const struct insn * */
    JIT_CALL_PURE = 4,      /* neither reads nor changes guest state, and always returns (externals,
                              which do not know the CPU; pure helpers) */
    JIT_CALL_READS = 8,     /* reads guest state only, and always returns (reading helpers) */
    JIT_CALL_NORETURN = 16, /* does not return: it ends the block */
};

enum { JIT_MAX_PARAMS = 16 };

/*
 * A C function: a generated helper, an external function, or one of the runtime. Parameters are
 * passed by the C calling convention. Vectors by value, and as result, have 8 or 16 bytes; an
 * instruction that calls functions with others uses jit_interpret. A parameter with JIT_REF, of any
 * size, is the address of a variable that is initialised by the argument, or not at all for a NULL
 * argument.
 */
struct jit_callee {
    const void *fn;
    const char *name; /* for listings */
    jit_type result;
    uint16_t flags; /* enum jit_call_flag */
    uint16_t count; /* parameters, without cpu and insn; at most JIT_MAX_PARAMS */
    const jit_type *params;
};

/* ---- the functions --------------------------------------------------------------------------- */

#define JIT_OPERATION(result, name, params, args) result jit_##name params;
#include "runtime/jit/ops.inc"
#undef JIT_OPERATION

/* __builtin_f32_round(), __builtin_f64_round(): a float of type t to an integral value, by the
 * mode. */
jit_value jit_round(struct jit_build *j, jit_type t, unsigned mode, jit_value a);

#endif
