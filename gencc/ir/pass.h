/*
 * What passes share: making, placing and replacing values.
 */
#ifndef GENCC_IR_PASS_H
#define GENCC_IR_PASS_H

#include "gencc/ir/ir.h"

/* Makes a value that is in no block yet. */
struct ir_value *ir_value_new(struct ir_func *f, enum ir_op op, struct ir_type t,
                              struct src_pos pos);
/* Inserts a value that is in no block before `at`. */
void ir_insert_before(struct ir_value *at, struct ir_value *v);
/* Appends a value that is in no block to `b`, even after a terminator. */
void ir_append(struct ir_block *b, struct ir_value *v);
/* The first value of `b` that is not a PHI. */
struct ir_value *ir_after_phis(const struct ir_block *b);
/* Splits the block before `at`: `at` and the values after it move to a new block, which is
 * returned. PHIs of the successors are changed to name the new block. The old block has no
 * terminator. */
struct ir_block *ir_split_before(struct ir_value *at, const char *name);

/* Replacement by forwarding. A pass calls ir_forward_begin(), which clears every mark, then
 * ir_forward(old, by) per replacement. ir_forwarded() returns the replacement of an operand.
 * ir_forward_end() rewrites all operands and removes replaced values. */
void ir_forward_begin(struct ir_func *f);
static inline void ir_forward(struct ir_value *old, struct ir_value *by)
{
    old->mark = (uint64_t)(uintptr_t)by;
}
static inline struct ir_value *ir_forwarded(struct ir_value *v)
{
    while (v->mark)
        v = (struct ir_value *)(uintptr_t)v->mark;
    return v;
}
/* Rewrites the operands of one value. */
void ir_forward_operands(struct ir_value *v);
void ir_forward_end(struct ir_func *f);

/* Ranges are kept between these two calls, by a pass that visits values one after the other: it
 * sets v->settled once it will not change `v`, other than by forwarding. ir_value_range() returns
 * what it would return without. */
void ir_ranges_keep(struct ir_func *f);
void ir_ranges_drop(struct ir_func *f);

/* Removes the operands for predecessor `pred` from the PHIs of `b`. */
void ir_phi_drop_pred(struct ir_block *b, const struct ir_block *pred);
/* Changes predecessor `old` to `pred` in the PHIs of `b`. */
void ir_phi_rename_pred(struct ir_block *b, const struct ir_block *old, struct ir_block *pred);
/* The PHI's operand for predecessor `pred`, or NULL. */
struct ir_value *ir_phi_from(const struct ir_value *phi, const struct ir_block *pred);

/* Whether the terminator of `from` has the target `to`. */
bool ir_branches_to(const struct ir_block *from, const struct ir_block *to);
/* Type of further result `n` (from 1) of a call; VOID if there are fewer. */
struct ir_type ir_output_type(const struct ir_value *call, u128 n);

static inline bool ir_is_const(const struct ir_value *v)
{
    return v->op == IR_CONST;
}
static inline bool ir_is_const_of(const struct ir_value *v, u128 imm)
{
    return v->op == IR_CONST && v->imm == imm;
}
static inline bool ir_is_call(const struct ir_value *v)
{
    return v->op == IR_CALL || v->op == IR_INTRINSIC || v->op == IR_EXTERNAL;
}

/* Copies a value without its operands and targets; the copy is in no block. Members of its union
 * still belong to v's function. */
struct ir_value *ir_copy_value(struct ir_func *to, const struct ir_value *v);
/* Copies the blocks of `from` into `to`, which may have blocks already. If `args` is given, PARAM n
 * becomes args[n]. `map` (from->next_value entries, all NULL) receives the copy of each value by
 * id. Returns the copy of the entry block. */
struct ir_block *ir_copy_body(struct ir_func *to, const struct ir_func *from,
                              struct ir_value *const *args, struct ir_value **map);

/* Folds a pure value whose operands are final, by one step. Returns `v` if nothing changed or `v`
 * was rewritten in place (*changed is set), else the value to use instead. New values are inserted
 * before `v`. */
struct ir_value *ir_fold(struct ir_value *v, bool *changed);

#endif
