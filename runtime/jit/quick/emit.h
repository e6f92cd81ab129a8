/* What the files share that turn a trace's nodes into code: liveness.c, allocate.c, select.c, call.c,
 * memory.c, where.c, exits.c, and the host's. */
#ifndef RUNTIME_JIT_QUICK_EMIT_H
#define RUNTIME_JIT_QUICK_EMIT_H

#include "runtime/jit/quick/tier.h"

/* liveness.c: drops nodes that nobody needs; finds next uses, and what exits compute. */
void q_liveness(struct quick *q);

/* print.c: to standard error. */
void q_print(const struct quick *q);

/* ---- allocate.c ------------------------------------------------------------------------------ */

void q_allocate_begin(struct quick *q);
void q_allocate_free(struct quick *q);
/* Around the emission of node q->at: its operands' next uses are as of behind it; registers of
 * values that died are free. */
void q_node_begin(struct quick *q);
void q_node_end(struct quick *q);
/* Whether somebody may still ask for the value: a later node, or exits from q->at on. */
bool q_is_alive(const struct quick *q, uint32_t node);
/* The slot has a new value; memory has the old one. */
void q_set_slot(struct quick *q, uint32_t slot, uint32_t node);
/* The slot's memory is about to change: a value that is nowhere else moves to a spill slot. */
void q_leave_slot(struct quick *q, uint32_t slot);
/* The slot's memory holds the value. */
void q_is_in_slot(struct quick *q, uint32_t slot, uint32_t node);
/* The value can be found outside of registers, too. */
void q_give_home(struct quick *q, uint32_t node);
/* What C functions may change is also in memory, if somebody needs it; then it is in no register. */
void q_save_registers(struct quick *q);
void q_leave_registers(struct quick *q);
/* The state may have been changed by somebody else: no slot's value is known. All were stored. */
void q_forget_state(struct quick *q);
/* Stores the value of a slot that memory does not have. */
void q_store_slot(struct quick *q, uint32_t slot);
/* Copies a value that is not in a register from where it is. */
void q_reload(struct quick *q, unsigned host, uint32_t node);
/* Copies the low bits of a value to memory, from wherever it is. */
void q_store_value(struct quick *q, unsigned bits, struct q_place to, uint32_t node);
struct q_place q_slot_place(const struct quick *q, uint32_t slot);
struct q_place q_spill_place(unsigned spill);

/* ---- where.c --------------------------------------------------------------------------------- */

/* Where a value is at q->at. */
struct q_where q_where_is(struct quick *q, uint32_t node);
/* A site for node q->at, with a map of all that is not stored. */
struct q_site *q_new_site(struct quick *q, unsigned kind, unsigned source, unsigned index);
/* Where C finds the address of a LOAD or STORE. */
struct q_where q_where_address(struct quick *q, const struct q_node *access);
/* Appends the slots whose values memory does not have; returns how many. */
uint32_t q_map_slots(struct quick *q, struct q_maps *maps);
bool q_same_place(struct q_where a, struct q_where b);

/* ---- exits.c --------------------------------------------------------------------------------- */

void q_exits_begin(struct quick *q);
void q_exits_free(struct quick *q);
/* The jump leads to cold code that traps at the site and, if `back` is not NULL, returns there:
 * its address is known when the cold code is emitted. */
void q_trap_later(struct quick *q, uint8_t *jump, struct q_site *site, const uint8_t *back);
/* The same where an instruction of flat memory faults. */
void q_fault_later(struct quick *q, const uint8_t *insn, struct q_site *site, const uint8_t *back);
/* Cold code for a way out with the state of now; may emit moves. Then the jump that leads there. */
uint32_t q_leave_prepare(struct quick *q, const struct q_way *way);
void q_leave_jump(struct quick *q, uint8_t *jump, uint32_t leave);
/* Leaves by the way here. */
void q_leave_now(struct quick *q, const struct q_way *way);
/* Runs an instruction's handler: `insn` is a copy that runs alone. No register is kept. */
void q_call_handler(struct quick *q, unsigned source, unsigned index, const void *insn);
/* Traps at the site here. */
void q_trap_now(struct quick *q, const struct q_site *site);
/* Emits the cold code. */
void q_emit_cold(struct quick *q);

/* ---- memory.c -------------------------------------------------------------------------------- */

/* Distance of the soft TLB's table for an interface from struct cpu. */
uint64_t q_access_table(const struct quick *q, unsigned iface);
/* The site of the access that node q->at is, a Q_SITE_READ or Q_SITE_WRITE; its value is the
 * caller's. */
struct q_site *q_access_site(struct quick *q, unsigned kind);
/* Whether that access is to look at its alignment and serve what TLB_ALIGNED says, too. */
bool q_access_aligned(struct quick *q);
/* The access has been emitted: `miss` is the jump to its slow way; of flat memory `insn` is the
 * instruction that may fault instead. */
void q_access_end(struct quick *q, uint8_t *miss, const uint8_t *insn, struct q_site *s);

/* ---- select.c, call.c ------------------------------------------------------------------------ */

/* Emits node q->at. */
void q_select_node(struct quick *q);
void q_select_call(struct quick *q);
void q_select_result(struct quick *q);

#endif
