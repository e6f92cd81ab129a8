/*
 * P-code of functions: blocks in order, with labels; PHIs are variables that the blocks before them
 * set.
 */
#include "gencc/export/sleigh.h"
#include "gencc/ir/fold.h"
#include "gencc/ir/pass.h"

#include <inttypes.h>

enum { MAX_DEPTH = 24 };

/* ---- blocks ---------------------------------------------------------------------------------- */

static unsigned position_of(const struct ir_func *f, const struct ir_block *b)
{
    unsigned n = 0;

    while (f->blocks.data[n] != b)
        n++;
    return n;
}

static unsigned label_of(const struct sl_frame *fr, const struct ir_block *b)
{
    return fr->label + position_of(fr->f, b);
}

/* Sets the PHIs of a block for the edge from another: all new values are read before. */
static void set_phis(struct sl_frame *fr, const struct ir_block *from, const struct ir_block *to)
{
    VEC(const char *) values = {0};
    unsigned n = 0;
    bool several = to->first->next->op == IR_PHI || to->first->type.lanes > 1;

    for (const struct ir_value *v = to->first; v->op == IR_PHI; v = v->next) {
        const struct ir_value *value = ir_phi_from(v, from);

        for (unsigned i = 0; i < v->type.lanes; i++) {
            const char *text = fr->slots[value->id] ? fr->slots[value->id][i] : NULL;

            text = text ? text : sl_constant(fr->c, 0, v->type.bits / 8);
            vec_push_in(fr->c->f->s->arena, &values,
                        several ? sl_local(fr->c, v->type.bits / 8, text) : text);
        }
    }
    for (const struct ir_value *v = to->first; v->op == IR_PHI; v = v->next)
        for (unsigned i = 0; i < v->type.lanes; i++)
            sl_say(fr->c, "%s = %s;", fr->slots[v->id][i], values.data[n++]);
}

/* Goes on at a block; `next` is the one that follows anyway. */
static void go(struct sl_frame *fr, const struct ir_block *from, const struct ir_block *to,
               const struct ir_block *next)
{
    if (to->first->op == IR_PHI)
        set_phis(fr, from, to);
    if (to != next)
        sl_say(fr->c, "goto <_l%u>;", label_of(fr, to));
}

static void leave_by_switch(struct sl_frame *fr, const struct ir_block *b,
                            const struct ir_block *next)
{
    const struct ir_value *last = b->last;
    const char *on = fr->slots[last->ops.data[0]->id][0];

    for (unsigned i = 0; i < last->cases.len; i++) {
        unsigned skip = ++fr->c->labels;

        sl_say(fr->c, "if (%s != 0x%" PRIx64 ") goto <_l%u>;", on, (uint64_t)last->cases.data[i],
               skip);
        go(fr, b, last->targets.data[i + 1], NULL);
        sl_say(fr->c, "<_l%u>", skip);
    }
    go(fr, b, last->targets.data[0], next);
}

static void leave_by_return(struct sl_frame *fr, const struct ir_value *last, bool is_last)
{
    unsigned at = 0;

    vec_for_each (&last->ops, o)
        for (unsigned i = 0; i < (*o)->type.lanes; i++, at++) {
            if (fr->f->blocks.len == 1)
                fr->results[at] = fr->slots[(*o)->id][i];
            else
                sl_say(fr->c, "%s = %s;", fr->results[at], fr->slots[(*o)->id][i]);
        }
    if (!is_last)
        sl_say(fr->c, "goto <_l%u>;", fr->label + fr->f->blocks.len);
}

static void leave_block(struct sl_frame *fr, const struct ir_block *b, const struct ir_block *next)
{
    const struct ir_value *last = b->last;

    if (last->op == IR_BR) {
        go(fr, b, last->targets.data[0], next);
    } else if (last->op == IR_CBR) {
        unsigned other = ++fr->c->labels;

        sl_say(fr->c, "if (%s == 0) goto <_l%u>;", fr->slots[last->ops.data[0]->id][0], other);
        go(fr, b, last->targets.data[0], NULL);
        sl_say(fr->c, "<_l%u>", other);
        go(fr, b, last->targets.data[1], next);
    } else if (last->op == IR_SWITCH) {
        leave_by_switch(fr, b, next);
    } else if (last->op == IR_RET) {
        leave_by_return(fr, last, !next);
    }
}

/* Whether nothing happens behind the value but the end of the behaviour. */
static bool is_at_end(const struct sl_frame *fr, const struct ir_value *v)
{
    if (fr->depth || fr->c->f->s->isa->context.slot)
        return false;
    for (v = v->next;; v = v->next) {
        if (v->op == IR_RET)
            return true;
        if (v->op == IR_BR && v->targets.data[0]->first->op == IR_RET)
            return true;
        if (!ir_is_intrinsic(v, IR_I_BRANCH_TAKEN) && !ir_is_intrinsic(v, IR_I_BRANCH_NOT_TAKEN))
            return false;
    }
}

/* A branch at the end of a behaviour, whose places may be known. Returns false if it is none. */
static bool branch_at_end(struct sl_frame *fr, const struct ir_value *v)
{
    const struct ir_value *to = v->ops.data[0];
    const char *yes, *no;

    if (!is_at_end(fr, v))
        return false;
    yes = sl_destination(fr->c->f, to);
    if (yes) {
        sl_say(fr->c, "goto %s;", yes);
        return true;
    }
    if (to->op != IR_SELECT || to->type.lanes != 1)
        return false;
    yes = sl_destination(fr->c->f, to->ops.data[1]);
    no = sl_destination(fr->c->f, to->ops.data[2]);
    if (!yes || !no)
        return false;
    sl_say(fr->c, "if (%s != 0) goto %s;", fr->slots[to->ops.data[0]->id][0], yes);
    sl_say(fr->c, "goto %s;", no);
    return true;
}

static const char *const *inlined(struct sl_frame *fr, const struct ir_value *v)
{
    const char *const **args =
        arena_alloc(fr->c->f->s->arena, (v->ops.len + 1) * sizeof(const char *const *));
    const char **results = NULL;

    for (unsigned i = 0; i < v->ops.len; i++)
        args[i] = fr->slots[v->ops.data[i]->id];
    return sl_inline(fr->c, fr->depth + 1, v->callee, args, &results) ? results : NULL;
}

static bool run_value(struct sl_frame *fr, const struct ir_value *v)
{
    if (!fr->needed[v->id] && ir_is_removable(v))
        return true;
    if (ir_is_intrinsic(v, IR_I_WRITE_PC) && branch_at_end(fr, v))
        return true;
    fr->slots[v->id] = v->op == IR_REG_READ || v->op == IR_REG_WRITE ? sl_registers(fr, v)
                       : v->op == IR_CALL                            ? inlined(fr, v)
                       : ir_is_call(v)                               ? sl_call(fr, v)
                                                                     : sl_value(fr, v);
    return !fr->c->refused;
}

static bool run_blocks(struct sl_frame *fr)
{
    const struct ir_func *f = fr->f;

    for (unsigned i = 0; i < f->blocks.len; i++) {
        const struct ir_block *b = f->blocks.data[i];

        if (i)
            sl_say(fr->c, "<_l%u>", fr->label + i);
        for (const struct ir_value *v = ir_after_phis(b); v->next; v = v->next)
            if (!run_value(fr, v))
                return false;
        leave_block(fr, b, i + 1 < f->blocks.len ? f->blocks.data[i + 1] : NULL);
    }
    if (f->blocks.len > 1)
        sl_say(fr->c, "<_l%u>", fr->label + f->blocks.len);
    return !fr->c->refused;
}

/* Declares the variables of a function with several blocks: its results, its PHIs. */
static void declare(struct sl_frame *fr, unsigned results)
{
    const struct ir_func *f = fr->f;
    unsigned at = 0;

    for (unsigned i = ir_is_void(f->result); i <= f->outs.len && results; i++) {
        struct ir_type t = i ? f->outs.data[i - 1] : f->result;

        for (unsigned l = 0; l < t.lanes; l++)
            fr->results[at++] = sl_local(fr->c, t.bits / 8, "0");
    }
    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v->op == IR_PHI; v = v->next) {
            const char **lanes = sl_lanes(fr->c, v->type.lanes);

            for (unsigned l = 0; l < v->type.lanes; l++)
                lanes[l] = sl_local(fr->c, v->type.bits / 8, "0");
            fr->slots[v->id] = lanes;
        }
}

/* ---- what is needed -------------------------------------------------------------------------- */

/* Marks the operands of a value that its p-code reads: not the numbers of registers, nor the places
 * of branches, that the disassembler knows. */
static bool mark_operands(struct sl_frame *fr, const struct ir_value *v)
{
    unsigned first = 0;
    bool changed = false;

    if ((v->op == IR_REG_READ || v->op == IR_REG_WRITE) && sl_register_symbol(fr->c, v))
        first = 1;
    if (ir_is_intrinsic(v, IR_I_WRITE_PC) && is_at_end(fr, v) &&
        sl_destination(fr->c->f, v->ops.data[0]))
        first = 1;
    for (unsigned i = first; i < v->ops.len; i++) {
        changed |= !fr->needed[v->ops.data[i]->id];
        fr->needed[v->ops.data[i]->id] = true;
    }
    return changed;
}

static void find_needed(struct sl_frame *fr)
{
    bool *done = arena_alloc(fr->c->f->s->arena, fr->f->next_value + 1);
    bool changed;

    do {
        changed = false;
        for (unsigned i = fr->f->blocks.len; i-- > 0;)
            for (const struct ir_value *v = fr->f->blocks.data[i]->last; v; v = v->prev)
                if (!done[v->id] && (fr->needed[v->id] || !ir_is_removable(v))) {
                    done[v->id] = true;
                    changed |= mark_operands(fr, v);
                }
    } while (changed);
}

/* Removes what only translations do, since p-code is none. */
static void drop_translated(struct ir_func *f)
{
    bool changed = false;

    vec_for_each (&f->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            if (ir_is_intrinsic(v, IR_I_TRANSLATED)) {
                ir_become_const(v, 0);
                changed = true;
            }
    while (changed) {
        changed = ir_pass_constprop(f);
        changed |= ir_pass_cfg(f);
        changed |= ir_pass_dce(f);
    }
}

bool sl_inline(struct sl_code *c, unsigned depth, const struct ir_func *f, const char *const **args,
               const char ***results)
{
    struct sl_frame fr = {.c = c, .f = f, .args = args, .depth = depth};
    unsigned lanes = 0;

    if (depth > MAX_DEPTH) {
        c->refused = "its calls are nested too deep";
        return false;
    }
    drop_translated((struct ir_func *)f);
    ir_compute_preds((struct ir_func *)f); /* its order of blocks changes, nothing else */
    for (unsigned i = ir_is_void(f->result); i <= f->outs.len; i++)
        lanes += i ? f->outs.data[i - 1].lanes : f->result.lanes;
    fr.results = sl_lanes(c, lanes);
    fr.slots = arena_alloc(c->f->s->arena, (f->next_value + 1) * sizeof(*fr.slots));
    fr.needed = arena_alloc(c->f->s->arena, f->next_value + 1);
    fr.label = c->labels + 1;
    c->labels += f->blocks.len + 1;
    find_needed(&fr);
    if (f->blocks.len > 1)
        declare(&fr, lanes);
    if (!run_blocks(&fr))
        return false;
    *results = fr.results;
    return true;
}
