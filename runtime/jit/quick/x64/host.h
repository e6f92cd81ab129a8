/*
 * Declarations for the files of the quick tier's x86-64 host: code with AVX2, FMA, BMI1, BMI2,
 * LZCNT and POPCNT, and AVX-512 where the host has it (X64_AVX512), under the System V calling
 * convention. target.c has the table.
 */
#ifndef RUNTIME_JIT_QUICK_X64_HOST_H
#define RUNTIME_JIT_QUICK_X64_HOST_H

#include "runtime/jit/quick/emit.h"
#include "runtime/jit/quick/target.h"
#include "runtime/jit/quick/x64/assemble.h"

/* Fixed registers, and those that hold nothing across nodes. */
enum {
    Q_CPU = R13,
    Q_LEFT = RBP,
    Q_FLAT = R12, /* base of flat guest memory that is not near; allocatable otherwise */
    Q_SCRATCH = RAX,
    Q_SCRATCH2 = RDX,
    Q_XSCRATCH = 14,
    Q_XSCRATCH2 = 15,
};

/* Values of MXCSR: all exceptions masked, only inexact, and none. */
enum { X64_MASKED = 0x1f80, X64_TRAPS = 0x1000, X64_TRAPS_ALL = 0 };

/* Q_CPU points into the guest's registers, 128 bytes behind their start, so that most of them have
 * a displacement of one byte. */
enum { X64_MIDDLE = offsetof(struct cpu, state) + 128 };

/* A member of struct cpu. */
static inline struct x64_mem x64_member(size_t offset)
{
    return x64_at(Q_CPU, (int32_t)offset - X64_MIDDLE);
}

static inline struct x64_mem x64_place(struct q_place p)
{
    return p.in_frame ? x64_at(RSP, p.offset) : x64_member((size_t)p.offset);
}

/* q_in_memory(), as an operand. */
static inline bool x64_in_memory(struct quick *q, uint32_t node, unsigned bits, struct x64_mem *m)
{
    struct q_place place = {.offset = 0};
    bool is = q_in_memory(q, node, bits, &place);

    *m = x64_place(place);
    return is;
}

/* ---- features.c: functions of the table ------------------------------------------------------ */

bool x64_is_supported(struct error *err);
/* X64_AVX512 or 0. */
unsigned x64_find_features(void);

/* ---- select.c, compare.c --------------------------------------------------------------------- */

/* Functions of struct q_target. */
void x64_select(struct quick *q);
void x64_select_guard(struct quick *q);
/* Whether the node is a constant that fits an immediate of an instruction of that size. */
bool x64_immediate(const struct quick *q, uint32_t node, unsigned bits, int32_t *imm);
/* Emits a comparison of integers or ordered floats; returns the condition under which `a sub b`
 * holds. */
enum x64_cc x64_compare(struct quick *q, unsigned sub, jit_type t, uint32_t a, uint32_t b);
/* Notes that the flags behind this code are those of a comparison of floats. */
void x64_note_compared(struct quick *q, jit_type t, uint32_t a, uint32_t b);
/* The condition that holds after a CMP or VUCOMISD of type t where `sub` does. */
enum x64_cc x64_condition(unsigned sub, jit_type t);

/* ---- select_vector.c ------------------------------------------------------------------------- */

/* q_target.can_select. */
bool x64_can_select_vector(const struct quick *q, const struct q_node *n);
/* Emits node q->at, which has a vector register as result or operand. */
void x64_select_vector(struct quick *q);
/* Sets the zero flag if no bit is set in both of two vectors of 128 bits. */
void x64_test_vectors(struct quick *q, uint32_t a, uint32_t b);
/* Loads the constant of a Q_CONST into a vector register. */
void x64_load_vector(struct quick *q, unsigned dst, const struct q_node *n);

/* ---- select_float.c -------------------------------------------------------------------------- */

/* q_target.select_trap, and q_target.has_traps. */
uint8_t *x64_select_trap(struct quick *q);
uint8_t x64_zeros_from(const struct quick *q, const struct q_node *n, const uint8_t operands[3]);
/* Emits a SELECT of scalar floats by such a comparison of floats at least as wide, without a
 * jump. */
void x64_select_by_floats(struct quick *q);
bool x64_has_traps(void);

/* ---- memory.c, leave.c, thunks.c: functions of the table ------------------------------------- */

/* Functions of struct q_target. */
void x64_select_load(struct quick *q);
void x64_select_store(struct quick *q);
void x64_select_addend(struct quick *q);
uint8_t *x64_look_up(struct quick *q, unsigned base, unsigned dst);
void x64_store_map(struct quick *q, const struct q_map_entry *map, size_t count);
void x64_call_thunk(struct quick *q, const void *thunk, const struct q_site *s);
void x64_add_to_member(struct quick *q, size_t offset, int64_t delta);
void x64_set_address(struct quick *q, struct q_where address);
uint8_t *x64_differs(struct quick *q, struct q_where address, int64_t delta);
void x64_check_stamp(struct quick *q, unsigned table, struct q_pin *p, uint8_t *fails[2]);
/* Sets the carry flag one of 1 << shift times. */
void x64_compare_turn(struct q_buffer *x, unsigned shift);
uint8_t *x64_check_mapped(struct quick *q, unsigned table, int64_t delta, uint64_t pa);
void x64_set_stamp(const struct q_pin *p, ptrdiff_t write);
void x64_jump_to_value(struct quick *q, struct q_where address);
void x64_check_page(struct quick *q, int64_t delta, const struct block *to, uint32_t leave);
void x64_make_thunks(struct q_thunks *t, struct q_buffer *out);
/* Calls the C function in RAX, with all exceptions of floats masked while it runs. */
void x64_call_c(struct q_buffer *x);
void x64_set_traps(struct quick *q);
/* The low 32 or 64 bits of a vector register, and zeros above. */
void x64_vmov_zeros(struct q_buffer *x, unsigned dst, unsigned src, unsigned bits);
/* Jumps to the trace of the address in RAX, by the jump cache. fails: two jumps that are taken if
 * it is not there, to be patched. */
void x64_follow_jump(struct q_buffer *x, unsigned unit, uint8_t *fails[2]);

/* dst = the trace's first guest address + delta. */
void x64_load_pc(struct quick *q, unsigned dst, int64_t delta);

#endif
