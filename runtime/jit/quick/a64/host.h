/*
 * Declarations for the files of the quick tier's AArch64 host: code of Armv8.0 with AdvSIMD, under
 * the procedure call standard of the Arm ABI. target.c has the table.
 */
#ifndef RUNTIME_JIT_QUICK_A64_HOST_H
#define RUNTIME_JIT_QUICK_A64_HOST_H

#include "runtime/jit/quick/a64/assemble.h"
#include "runtime/jit/quick/emit.h"
#include "runtime/jit/quick/target.h"

/* Fixed registers, and those that hold nothing across nodes. */
enum {
    Q_CPU = 28,
    Q_LEFT = 27,
    Q_FLAT = 26,  /* base of flat guest memory; allocatable where there is none */
    Q_STATE = 25, /* cpu->state, which is too far from the struct cpu for an instruction's offset */
    Q_SCRATCH = 16,
    Q_ADDRESS = A64_ADDRESS, /* changed by loads and stores with large offsets */
    Q_SCRATCH2 = 15,
    Q_XSCRATCH = 30,
    Q_XSCRATCH2 = 31,
};

/* Bits of FPSR that are raised by results that leave a trace: all but inexact, and all. */
enum { A64_TRAPS = 0x8f, A64_TRAPS_ALL = 0x9f };

/* A member of struct cpu. */
static inline struct a64_mem a64_member(size_t offset)
{
    size_t state = offsetof(struct cpu, state);

    if (offset >= state && offset < state + (1 << 15))
        return a64_at(Q_STATE, (int32_t)(offset - state));
    return a64_at(Q_CPU, (int32_t)offset);
}

static inline struct a64_mem a64_place(struct q_place p)
{
    return p.in_frame ? a64_at(A64_STACK, p.offset) : a64_member((size_t)p.offset);
}

/* Size of a type's lanes as instructions have it: 0 to 3 for 8 to 64 bits. */
static inline unsigned a64_class(jit_type t)
{
    return (unsigned)__builtin_ctz(q_lane_bits(t) / 8);
}

/* ---- select.c, compare.c --------------------------------------------------------------------- */

/* Functions of struct q_target. */
void a64_select(struct quick *q);
void a64_select_guard(struct quick *q);
/* Emits a comparison of integers or ordered floats; returns the condition under which `a sub b`
 * holds. */
enum a64_cc a64_compare(struct quick *q, unsigned sub, jit_type t, uint32_t a, uint32_t b);
/* The condition that holds after an FCMP of ordered floats where `sub` does. */
enum a64_cc a64_ordered_condition(unsigned sub);
/* The condition that holds after a SUBS of type t where `sub` does. */
enum a64_cc a64_condition(unsigned sub, jit_type t);
/* Compares a register with a constant; the scratch register may change. */
void a64_compare_i(struct q_buffer *x, unsigned bits, unsigned n, uint64_t value);
/* d = n op value, for AND, ORR and EOR. */
void a64_logic_any(struct q_buffer *x, uint32_t op, unsigned bits, unsigned d, unsigned n,
                   uint64_t value);
/* Zero- or sign-extends the low 8, 16 or 32 bits to 64. */
void a64_extend(struct q_buffer *x, bool with_sign, unsigned bits, unsigned d, unsigned n);

/* ---- select_vector.c, select_lanes.c, select_float.c, select_shift.c, select_crypto.c -------- */

/* q_target.can_select, and the selection of such a node. */
bool a64_can_select_vector(const struct quick *q, const struct q_node *n);
void a64_select_vector(struct quick *q);
/* The constant of a Q_CONST, or of two words, in a vector register. */
void a64_load_vector(struct quick *q, unsigned d, const struct q_node *n);
void a64_load_words(struct q_buffer *x, unsigned d, uint64_t low, uint64_t high);
bool a64_can_float(const struct q_node *n);
void a64_select_float(struct quick *q);
uint8_t *a64_select_trap(struct quick *q);
bool a64_can_convert(const struct q_node *n);
void a64_convert_node(struct quick *q);
bool a64_can_lanes(const struct quick *q, const struct q_node *n);
void a64_select_lanes(struct quick *q);
void a64_select_shift(struct quick *q);
/* Q_CRYPTO. */
void a64_select_crypto(struct quick *q);

/* ---- memory.c, leave.c, thunks.c: functions of the table ------------------------------------- */

void a64_select_load(struct quick *q);
void a64_select_store(struct quick *q);
void a64_select_addend(struct quick *q);
uint8_t *a64_look_up(struct quick *q, unsigned base, unsigned dst);
void a64_store_map(struct quick *q, const struct q_map_entry *map, size_t count);
void a64_call_thunk(struct quick *q, const void *thunk, const struct q_site *s);
void a64_add_to_member(struct quick *q, size_t offset, int64_t delta);
void a64_set_address(struct quick *q, struct q_where address);
uint8_t *a64_differs(struct quick *q, struct q_where address, int64_t delta);
void a64_jump_to_value(struct quick *q, struct q_where address);
void a64_check_page(struct quick *q, int64_t delta, const struct block *to, uint32_t leave);
void a64_make_thunks(struct q_thunks *t, struct q_buffer *out);
void a64_set_traps(struct quick *q);
/* Before a call of C, and behind it: C has floats as the procedure call standard says. Change X16
 * and X17. */
void a64_leave_floats(struct q_buffer *x);
void a64_enter_floats(struct q_buffer *x);
void a64_load_pc(struct quick *q, unsigned dst, int64_t delta);
/* Jumps to the trace of the address in X16, by the jump cache. Returns a jump, to be patched, that
 * is reached if it is not there. */
uint8_t *a64_follow_jump(struct q_buffer *x);

#endif
