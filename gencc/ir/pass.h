/*
 * What passes share: making, placing and replacing values.
 */
#ifndef GENCC_IR_PASS_H
#define GENCC_IR_PASS_H

#include "gencc/ir/ir.h"

/* A value that is in no block yet. */
struct ir_value *ir_value_new(struct ir_func *f, enum ir_op op, struct ir_type t,
                              struct src_pos pos);
/* Puts a value that is in no block before `at`. */
void ir_insert_before(struct ir_value *at, struct ir_value *v);
/* Puts a value that is in no block at the end of `b`, after its terminator if it has one. */
void ir_append(struct ir_block *b, struct ir_value *v);
/* The first value of `b` that is no PHI. */
struct ir_value *ir_after_phis(const struct ir_block *b);
/* Cuts the block before `at`: it and all that follow go to a new block, which is returned. PHIs of
 * the successors then name the new block. The old block has no terminator. */
struct ir_block *ir_split_before(struct ir_value *at, const char *name);

/* Replacement by forwarding. A pass calls ir_forward_begin (clears every mark), says
 * ir_forward(old, by) as it goes, looks operands up with ir_forwarded, and ends with
 * ir_forward_end, which rewrites all operands and removes what was replaced. */
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
void ir_forward_operands(struct ir_value *v);
void ir_forward_end(struct ir_func *f);

/* Removes the operand that came from `pred` from every PHI of `b`. */
void ir_phi_drop_pred(struct ir_block *b, const struct ir_block *pred);
/* PHIs of `b`: the operand from `old` now comes from `pred`. */
void ir_phi_rename_pred(struct ir_block *b, const struct ir_block *old, struct ir_block *pred);
/* The operand a PHI takes when control comes from `pred`, or NULL. */
struct ir_value *ir_phi_from(const struct ir_value *phi, const struct ir_block *pred);

/* Whether `from` ends in a branch that may go to `to`. */
bool ir_branches_to(const struct ir_block *from, const struct ir_block *to);
/* The type of further result `n` (from 1) of a call; VOID when it has fewer. */
struct ir_type ir_output_type(const struct ir_value *call, u128 n);

/* All ones in the low `bits`. */
static inline u128 ir_mask(unsigned bits)
{
    return bits >= 128 ? ~(u128)0 : ((u128)1 << bits) - 1;
}

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

/* A copy of a value, in no block and without operands and targets. Its union names what `v` names,
 * which need not belong to `to`. */
struct ir_value *ir_copy_value(struct ir_func *to, const struct ir_value *v);
/* Copies the blocks of `from` into `to`, which may have blocks already. Values of PARAM become
 * args[number] when `args` is given. `map` (from->next_value entries, all NULL) receives the copy
 * of each value by id. Returns the copy of the entry block. */
struct ir_block *ir_copy_body(struct ir_func *to, const struct ir_func *from,
                              struct ir_value *const *args, struct ir_value **map);

/* One folding step of a pure value whose operands are final: `v` itself when nothing is known (it
 * may have been rewritten in place, which sets *changed), else the value to use instead. New values
 * are put before `v`. */
struct ir_value *ir_fold(struct ir_value *v, bool *changed);

#endif
