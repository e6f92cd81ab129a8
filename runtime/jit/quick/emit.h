/* Declarations for the files that make code of a trace's nodes: liveness.c, allocate.c, select.c,
 * call.c, memory.c, where.c, exits.c, and those of the host's folder. */
#ifndef RUNTIME_JIT_QUICK_EMIT_H
#define RUNTIME_JIT_QUICK_EMIT_H

#include "runtime/jit/quick/tier.h"

/* numbers.c: takes tests for NaNs from traps of results that can be none. */
void q_drop_nan_tests(struct quick *q);

/* narrow.c: lets operations of 32 bits read values without their extension to 64. */
void q_narrow(struct quick *q);

/* floats.c: lets guest registers have floats in vector registers that only they would need in
 * general ones. */
void q_keep_floats(struct quick *q);

/* zeros.c: lets nodes read values in vector registers that have zeros above without their Q_LOW. */
void q_drop_zeros(struct quick *q);

/* addend.c: lets accesses near to each other share what the soft TLB says of the first. */
void q_share_addends(struct quick *q);
/* join.c */
void q_join_halves(struct quick *q);

/* heads.c: chooses the heads that take ticks, and how many. */
void q_group_heads(struct quick *q);

/* liveness.c: marks dead nodes, finds next uses, and the values that only exits compute. */
void q_liveness(struct quick *q);

/* entry.c: chooses the guest registers that the trace expects in host registers, and emits their
 * loads and the inner entry, behind the first head. */
void q_choose_entry(struct quick *q);
void q_emit_entry(struct quick *q);

/* print.c: prints the nodes to standard error. */
void q_print(const struct quick *q);

/* ---- allocate.c ------------------------------------------------------------------------------ */

/* Before and after the emission of all nodes. */
/* Before and after the emission of all nodes. */
void q_allocate_begin(struct quick *q);
void q_allocate_free(struct quick *q);
/* The registers for values. */
q_hosts q_allocatable(const struct quick *q);
/* Before and after the emission of node q->at. The first sets the next uses of its operands to
 * those behind it; the second frees registers of dead values. */
void q_node_begin(struct quick *q);
void q_node_end(struct quick *q);
/* Whether the value is still needed, by a later node or by exits from q->at on. */
bool q_is_alive(const struct quick *q, uint32_t node);
/* Sets the value of a slot, while memory still has the old one. */
void q_set_slot(struct quick *q, uint32_t slot, uint32_t node);
/* Before a slot's memory changes: moves a value that is only there to a spill slot. */
void q_leave_slot(struct quick *q, uint32_t slot);
/* Records that the slot's memory holds the value. */
void q_is_in_slot(struct quick *q, uint32_t slot, uint32_t node);
/* Records that a slot's value, a Q_REG, is in a register where the trace begins; memory has it,
 * too, unless it is dirty. */
void q_enter_with(struct quick *q, const struct q_entry *e);
/* Stores the value outside of registers too, unless it is. */
void q_give_home(struct quick *q, uint32_t node);
/* Before a call of C: stores needed values of registers that it may change; then empties these
 * registers. */
void q_save_registers(struct quick *q);
void q_leave_registers(struct quick *q);
/* After code that may have changed the state: no slot's value is known. All slots must be stored
 * before. */
void q_forget_state(struct quick *q);
/* Stores the value of a slot, if memory does not have it. */
void q_store_slot(struct quick *q, uint32_t slot);
/* Loads a value that is in no register into `host`. */
void q_reload(struct quick *q, unsigned host, uint32_t node);
/* Stores the low bits of a value, which may be anywhere. */
void q_store_value(struct quick *q, unsigned bits, struct q_place to, uint32_t node);
struct q_place q_slot_place(const struct quick *q, uint32_t slot);
struct q_place q_spill_place(unsigned spill);
/* q_frame.owed */
static inline struct q_place q_owed_place(void)
{
    return (struct q_place){true, (int32_t)offsetof(struct q_frame, owed)};
}

/* ---- where.c --------------------------------------------------------------------------------- */

/* The location of a value at q->at. */
struct q_where q_where_is(struct quick *q, uint32_t node);
/* A site for node q->at, with a map of all guest registers that memory does not have. */
struct q_site *q_new_site(struct quick *q, unsigned kind, unsigned source, unsigned index);
/* The location of the address of a LOAD or STORE. */
struct q_where q_where_address(struct quick *q, const struct q_node *access);
/* Appends the slots whose values memory does not have; returns their number. */
uint32_t q_map_slots(struct quick *q, struct q_maps *maps);
/* Appends the slots whose values host registers have, besides memory; returns their number. */
uint32_t q_map_clean(struct quick *q, struct q_maps *maps);
bool q_same_place(struct q_where a, struct q_where b);

/* ---- exits.c --------------------------------------------------------------------------------- */

/* Before the emission of a trace. */
/* Before the emission of a trace. */
void q_exits_begin(struct quick *q);
void q_exits_free(struct quick *q);
/* Makes `jump` lead to cold code, emitted later, that traps at the site and returns to `back`;
 * NULL: it does not return. */
void q_trap_later(struct quick *q, uint8_t *jump, struct q_site *site, const uint8_t *back);
/* q_trap_later() for a fault of the instruction at `insn`, an access of flat memory. */
void q_fault_later(struct quick *q, const uint8_t *insn, struct q_site *site, const uint8_t *back);
/* Makes `jump` lead to cold code that sets the register `host` to 0 and returns to `back`. */
void q_clear_later(struct quick *q, uint8_t *jump, unsigned host, const uint8_t *back);
/* Makes `jump`, of ADDEND q->at or of an access's test of its ADDEND, lead to a detour that begins
 * here. `cleared`: a register that it sets to 0 first, or Q_NO_HOST. */
void q_detour_later(struct quick *q, uint8_t *jump, uint32_t addend, unsigned cleared);
/* q_trap_later() for access q->at, whose ADDEND is 0, or for an ADDEND that is not in large_table:
 * looks its own address up first, and on a hit goes on at `hit`. `base`: as in q_target.look_up. */
void q_look_up_later(struct quick *q, uint8_t *jump, unsigned base, const uint8_t *hit,
                     struct q_site *site, const uint8_t *back);
/* Prepares cold code for an exit with the current state, which may emit moves. The second function
 * makes the jump lead to it. */
uint32_t q_leave_prepare(struct quick *q, const struct q_side_exit *out);
void q_leave_jump(struct quick *q, uint8_t *jump, uint32_t leave);
/* Emits Q_PAGE q->at as a comparison of stamps (pin.c). */
void q_check_page(struct quick *q);
/* Makes the instructions in q->may_trap, of the node that Q_TRAP q->at is for, leave by the exit;
 * and the jump, unless it is NULL. */
void q_leave_by_trap(struct quick *q, const struct q_side_exit *out, uint8_t *jump);
/* Notes that the next instruction of node q->at may trap, if the trace is left by traps. */
void q_may_trap_here(struct quick *q);
/* Emits the exit here. */
void q_leave_now(struct quick *q, const struct q_side_exit *out);
/* Emits a call of an instruction's handler; `insn` is a copy that runs alone. Empties all
 * registers. */
void q_call_handler(struct quick *q, unsigned source, unsigned index, const void *insn);
/* Emits the cold code. */
void q_emit_cold(struct quick *q);

/* ---- detour.c -------------------------------------------------------------------------------- */

/* For q_detour_later(). */
void q_detour_begin(struct quick *q, uint32_t addend);
/* Whether the last detour may go round an access with this ADDEND, which then needs no test. */
bool q_detour_goes_on(struct quick *q, uint32_t addend);
/* Appends an access, whose code ends here, to the last detour; sets its `starts` and `from`. */
void q_detour_add(struct quick *q, const struct q_detour *d);
/* Before code that cannot be copied: lets no further access join. */
void q_detour_end(struct quick *q);
/* Emits the detour that begins at `from` and whose first access has this number, if it has one. */
void q_emit_detour(struct quick *q, uint32_t first, unsigned cleared, const uint8_t *from);

/* ---- fixes.c --------------------------------------------------------------------------------- */

/* Notes that the next instruction loads a pointer of the kind: SITE, BLOCK or FUNCTION. */
void q_fix_pointer(struct quick *q, enum q_fix_kind kind, const void *to);
/* Makes a jump or call lead to a thunk. */
void q_jump_to_thunk(struct quick *q, uint8_t *jump, const void *thunk);
/* Emits a trap at the site. */
void q_trap_now(struct quick *q, const struct q_site *site);

/* ---- operands.c ------------------------------------------------------------------------------ */

/* Whether a comparison of floats is needed for its trap only, so that no register need have its
 * value. */
bool q_is_only_tested(const struct quick *q, const struct q_node *n);
/* What a Q_CONST in a vector register has in its two words: a lane's bits are in every lane of
 * both, whatever the type's size. */
struct q_vec q_constant_words(const struct q_node *n);
/* The amount of a SHL or SHR in vector registers. */
enum q_amount {
    Q_AMOUNT_FIXED,  /* *fixed, for all lanes; it may be larger than they are */
    Q_AMOUNT_SCALAR, /* in a general register, for all lanes */
    Q_AMOUNT_LANES,  /* a number for each lane */
    Q_AMOUNT_OTHER,
};
enum q_amount q_amount_of(const struct quick *q, const struct q_node *n, uint64_t *fixed);
/* Whether a SHL or SHR is one of those that all hosts can do: of lanes of integers, by amounts of
 * the first three kinds; or of 128 bits, without sign to the right, by a fixed one. */
bool q_is_shift(const struct quick *q, const struct q_node *n);

/* ---- memory.c -------------------------------------------------------------------------------- */

/* Offset in struct cpu of the soft TLB for an interface. */
uint64_t q_access_table(const struct quick *q, unsigned iface);
/* The site of the access q->at, of kind Q_SITE_READ or Q_SITE_WRITE; the caller sets
 * site->value. NULL: it needs none (q_is_served()). */
struct q_site *q_access_site(struct quick *q, unsigned kind);
/* Offset in struct cpu of the large_table that belongs to it. */
uint64_t q_access_large_table(const struct quick *q, unsigned iface);
/* The site by which the ADDEND q->at leaves the trace: before the instruction of the access behind
 * it. */
struct q_site *q_addend_site(struct quick *q);
/* Whether the access q->at is served by its ADDEND, which leaves the trace itself. */
bool q_is_served(struct quick *q);
/* Whether the access looks there first. */
bool q_access_large(struct quick *q);
/* Whether the access checks its alignment, and then also uses entries with TLB_ALIGNED. */
bool q_access_aligned(struct quick *q);
/* After the emission of the access: `miss` is the jump to its slow path. For flat memory `insn` is
 * the instruction that may fault, and `miss` is NULL. */
void q_access_end(struct quick *q, uint8_t *miss, const uint8_t *insn, struct q_site *s);

/* ---- select.c, call.c ------------------------------------------------------------------------ */

/* Emits node q->at. */
void q_select_node(struct quick *q);
void q_select_call(struct quick *q);
void q_select_result(struct quick *q);

#endif
