/*
 * Finds what makes instructions slow: ends of blocks, and behaviours that a trace calls through
 * their handler.
 *
 * At run time the quick tier decides on each decoded word (runtime/jit/quick/commit.c). Here only
 * the behaviour is known: an instruction is reported if some of its words may be refused.
 */
#include "gencc/emit/slow.h"
#include "gencc/emit/intrinsics.h"
#include "gencc/emit/jit.h"

#include <string.h>

enum slowness { ENDS_BLOCK, HANDLER, NO_TRANSLATOR };

/* A reason why forms of an instruction are slow. */
struct finding {
    enum slowness kind;
    const char *why;
    struct src_pos pos; /* place of the construct that is the reason */
    unsigned forms;     /* number of forms with a reason of this kind */
};

/* The search in the forms of one instruction */
struct search {
    struct emit *e;
    const struct instr *instr;
    const struct form *last; /* form of the last finding that was counted */
    VEC(struct finding) found;
    unsigned forms;
};

static void add_finding(struct search *s, enum slowness kind, struct src_pos pos, const char *why)
{
    vec_for_each (&s->found, f) {
        if (f->kind != kind)
            continue;
        f->forms++;
        return;
    }
    vec_push_in(s->e->arena, &s->found,
                ((struct finding){kind, why, pos.file ? pos : s->instr->pos, 1}));
}

/* ---- ends of blocks -------------------------------------------------------------------------- */

/* The first construct of a function that ends a block, also in functions that it calls. */
static const struct ir_value *block_end(const struct ir_func *f)
{
    vec_for_each (&f->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            const struct ir_value *inner;

            if (v->op == IR_INTRINSIC && (v->fn->flags & IR_FN_ENDS_BLOCK))
                return v;
            inner = v->op == IR_CALL && v->callee->ends_block ? block_end(v->callee) : NULL;
            if (inner)
                return inner->pos.file ? inner : v;
        }
    }
    return NULL;
}

static void find_block_end(struct search *s, const struct handler *h)
{
    const struct ir_value *v = h->ends_block ? block_end(h->f) : NULL;

    if (v)
        add_finding(s, ENDS_BLOCK, v->pos,
                    v->op == IR_INTRINSIC ? arena_printf(s->e->arena, "%s()", v->fn->name)
                                          : "a system register with ends_block");
    else if (h->ends_block)
        add_finding(s, ENDS_BLOCK, s->instr->pos, "the description says so");
}

/* ---- what a trace leaves to the handler ------------------------------------------------------ */

/* Whether translated code calls a C function for the value and passes it the CPU. A trace contains
 * no such call, since the function may change any guest register. */
static bool calls_with_cpu(const struct ir_value *v)
{
    if (v->op == IR_CALL)
        return !v->fixed;
    return v->op == IR_INTRINSIC && !built_intrinsics[v->fn->intrinsic] && !v->fixed &&
           c_intrinsics[v->fn->intrinsic] && strcmp(c_intrinsics[v->fn->intrinsic], "(void)0");
}

/* Whether translated code calls any C function for the value. */
static bool calls_c(const struct ir_value *v)
{
    return calls_with_cpu(v) || (v->op == IR_EXTERNAL && !v->fixed);
}

static const struct ir_value *first_call(const struct ir_block *b,
                                         bool (*is_call)(const struct ir_value *v))
{
    for (const struct ir_value *v = b->first; v; v = v->next)
        if (is_call(v))
            return v;
    return NULL;
}

static const char *name_of_call(const struct ir_value *v)
{
    return v->op == IR_CALL ? v->callee->name : v->fn->name;
}

static bool changes_state(const struct ir_value *v)
{
    if (v->op == IR_REG_WRITE)
        return true;
    return v->op == IR_INTRINSIC && (v->fn->flags & IR_FN_MEMORY);
}

/* Marks of blocks, by how they can be reached */
enum {
    CHANGED = 1, /* from a block that changes the state */
    YES = 2,     /* from the taken side of a branch */
    NO = 4,      /* from its other side */
    FREE = 8     /* from the entry without a call */
};

/* Marks all blocks that can be reached from blocks with the mark `bit`. FREE does not spread from a
 * block with a call. */
static void spread_mark(struct ir_func *f, uint64_t bit)
{
    bool changed = true;

    while (changed) {
        changed = false;
        vec_for_each (&f->blocks, b) {
            if (!((*b)->mark & bit) || (bit == FREE && first_call(*b, calls_with_cpu)))
                continue;
            vec_for_each (&(*b)->last->targets, to) {
                changed |= !((*to)->mark & bit);
                (*to)->mark |= bit;
            }
        }
    }
}

static void clear_marks(struct ir_func *f, uint64_t bits)
{
    vec_for_each (&f->blocks, b)
        (*b)->mark &= ~bits;
}

/* The first call of C in a block that can be reached from only one side of the branch. */
static const struct ir_value *one_sided_call(struct ir_func *f, const struct ir_block *branch)
{
    clear_marks(f, YES | NO);
    branch->last->targets.data[0]->mark |= YES;
    branch->last->targets.data[1]->mark |= NO;
    spread_mark(f, YES);
    spread_mark(f, NO);
    vec_for_each (&f->blocks, b) {
        if (((*b)->mark & (YES | NO)) == (YES | NO) || !((*b)->mark & (YES | NO)))
            continue;
        if (first_call(*b, calls_c))
            return first_call(*b, calls_c);
    }
    return NULL;
}

/* Reports a branch behind a change of the state if one side of it calls C. A trace can neither
 * merge such a branch nor guard it: a side exit would have to leave before the change. */
static void find_late_branch(struct search *s, struct ir_func *f)
{
    clear_marks(f, ~UINT64_C(0));
    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (changes_state(v))
                (*b)->mark |= CHANGED;
    spread_mark(f, CHANGED);
    vec_for_each (&f->blocks, b) {
        const struct ir_value *t = (*b)->last, *call;

        if (t->op != IR_CBR || t->ops.data[0]->fixed || !((*b)->mark & CHANGED))
            continue;
        call = one_sided_call(f, *b);
        if (!call)
            continue;
        add_finding(s, HANDLER, call->pos,
                    arena_printf(s->e->arena,
                                 "%s() is called on one side of a condition that stands behind "
                                 "an access or a write",
                                 name_of_call(call)));
        return;
    }
}

/* Reports a call of C if every path through the behaviour has one. */
static bool find_calls_on_all_ways(struct search *s, struct ir_func *f)
{
    const struct ir_value *call = NULL;

    clear_marks(f, ~UINT64_C(0));
    f->blocks.data[0]->mark |= FREE;
    spread_mark(f, FREE);
    vec_for_each (&f->blocks, b) {
        const struct ir_value *here = first_call(*b, calls_with_cpu);

        if (((*b)->mark & FREE) && !here && (*b)->last->op == IR_RET)
            return false;
        call = call ? call : here;
    }
    if (call)
        add_finding(s, HANDLER, call->pos,
                    arena_printf(s->e->arena, "%s() is a call of C, and on every path",
                                 name_of_call(call)));
    return call;
}

/* Whether the value is a byte of a vector of 16, which traces find by any number. */
static bool is_lookup(const struct ir_value *v)
{
    const struct ir_type t = v->ops.data[0]->type;

    return v->op == IR_EXTRACT && t.bits == 8 && t.lanes == 16;
}

/* Why a trace leaves an instruction with this value to its handler; NULL: it does not. */
static const char *value_refusal(const struct ir_value *v)
{
    if (v->op == IR_SWITCH && !v->ops.data[0]->fixed)
        return "a switch over a value that is not fixed";
    if ((v->op == IR_REG_READ || v->op == IR_REG_WRITE) && v->view->is_bank &&
        !v->ops.data[0]->fixed)
        return "a register's number that is not fixed";
    if ((v->op == IR_EXTRACT || v->op == IR_INSERT) && !v->ops.data[1]->fixed && !is_lookup(v))
        return "the number of an element that is not fixed";
    return NULL;
}

/* Whether the value is the branch back of a loop whose number of rounds is not fixed. */
static bool closes_loop(const struct ir_value *v)
{
    if (v->op != IR_BR && v->op != IR_CBR)
        return false;
    vec_for_each (&v->targets, to)
        if (!(*to)->fixed && ir_dominates(*to, v->block))
            return true;
    return false;
}

/* Reports the first value for which a trace leaves the instruction to its handler. Returns whether
 * there is one. */
static bool find_refused_value(struct search *s, struct ir_func *f)
{
    ir_compute_dominators(f);
    vec_for_each (&f->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            const char *why =
                closes_loop(v) ? "a loop whose rounds are not fixed" : value_refusal(v);

            if (!why)
                continue;
            add_finding(s, HANDLER, v->pos, why);
            return true;
        }
    }
    return false;
}

static void find_handler_call(struct search *s, const struct handler *h)
{
    struct jit_emit je = {.e = s->e};
    struct jit_refusal refusal = jit_refusal_of_form(&je, h);

    if (refusal.why) {
        add_finding(s, NO_TRANSLATOR, refusal.pos, refusal.why);
        return;
    }
    if (!find_refused_value(s, h->jit) && !find_calls_on_all_ways(s, h->jit))
        find_late_branch(s, h->jit);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void report_instr(struct search *s)
{
    static const char *const texts[] = {
        [ENDS_BLOCK] = "ends its block",
        [HANDLER] = "may be left to its handler by translated code",
        [NO_TRANSLATOR] = "has no translator",
    };

    vec_for_each (&s->found, f) {
        const char *part = f->forms == s->forms ? ""
                                                : arena_printf(s->e->arena, " in %u of %u forms",
                                                               f->forms, s->forms);

        diag_warning(s->e->diag, WARN_SLOW, f->pos, "instruction '%s' %s%s: %s", s->instr->name,
                     texts[f->kind], part, f->why);
    }
}

static void search_form(struct search *s, const struct handler *h)
{
    s->forms++;
    find_block_end(s, h);
    find_handler_call(s, h);
}

void slow_report(struct emit *e, const handler_list *handlers)
{
    struct search s = {.e = e};

    if (diag_is_off(e->diag, WARN_SLOW))
        return;
    vec_for_each (handlers, h) {
        if (s.instr != (*h)->form->instr) {
            report_instr(&s);
            s = (struct search){.e = e, .instr = (*h)->form->instr};
        }
        if (s.last == (*h)->form)
            continue;
        s.last = (*h)->form;
        search_form(&s, *h);
    }
    report_instr(&s);
}
