/*
 * If-conversion: a branch becomes a SELECT if its sides are cheap and join again or both return.
 * Sides that both end by writing the PC become one write of a SELECT: a trace follows that without
 * leaving, whatever the addresses depend on.
 */
#include "gencc/ir/cfg.h"
#include "gencc/ir/pass.h"

#include <string.h>

enum {
    MAX_ARM_COST = 4,   /* most operations that may be executed for a side that is not taken */
    MAX_JUMP_COST = 16, /* limit in place of MAX_ARM_COST if both sides write the PC */
    MAX_SELECTS = 4,
    NOT_AN_ARM = 1 << 20,
};

struct shape {
    struct ir_block *head;
    struct ir_block *arm[2];  /* NULL: the head branches to the join directly */
    struct ir_block *join;    /* NULL: both arms return */
    struct ir_value *jump[2]; /* both arms end by writing the PC, thus; else NULL */
};

/* Cost of executing the block, without its terminator and a final `jump`, unconditionally;
 * NOT_AN_ARM if that is not allowed. */
static unsigned arm_cost(const struct ir_block *b, const struct ir_value *jump)
{
    unsigned cost = 0;

    for (const struct ir_value *v = b->first; v->next && v != jump; v = v->next) {
        bool call = ir_is_call(v) || v->op == IR_RESULT;
        bool cheap = v->op == IR_REG_READ || (jump && ir_is_intrinsic(v, IR_I_READ_PC)) ||
                     (ir_is_pure(v) && v->op != IR_PHI && (!call || b->func->flatten));

        if (!cheap)
            return NOT_AN_ARM;
        cost += v->op != IR_CONST && v->op != IR_PARAM;
        cost += v->op == IR_DIV || v->op == IR_MOD ? 2 : 0;
    }
    return cost;
}

static bool is_arm(const struct ir_block *b, const struct ir_block *head)
{
    return b->preds.len == 1 && b->preds.data[0] == head && b != head;
}

static bool find_join(struct shape *s)
{
    const struct ir_value *t = s->head->last;
    struct ir_block *yes = t->targets.data[0], *no = t->targets.data[1];

    s->arm[0] = is_arm(yes, s->head) ? yes : NULL;
    s->arm[1] = is_arm(no, s->head) ? no : NULL;
    if (s->arm[0] && s->arm[1] && yes->last->op == IR_RET && no->last->op == IR_RET)
        return true;
    for (unsigned i = 0; i < 2; i++)
        if (s->arm[i] && s->arm[i]->last->op != IR_BR)
            return false;
    s->join = s->arm[0] ? s->arm[0]->last->targets.data[0] : yes;
    if (!s->arm[0] && !s->arm[1])
        return false;
    return s->join != s->head && s->join == (s->arm[1] ? s->arm[1]->last->targets.data[0] : no);
}

/* Finds the writes of the PC with which both arms end. */
static void find_jumps(struct shape *s)
{
    struct ir_value *last[2];

    for (unsigned i = 0; i < 2; i++) {
        last[i] = s->arm[i] ? s->arm[i]->last->prev : NULL;
        if (!last[i] || !ir_is_intrinsic(last[i], IR_I_WRITE_PC))
            return;
    }
    memcpy(s->jump, last, sizeof(last));
}

/* Operand i of the join's PHIs, or of the RET, on one side. */
static struct ir_value *side_value(const struct shape *s, unsigned side, unsigned i)
{
    const struct ir_value *phi;

    if (!s->join)
        return s->arm[side]->last->ops.data[i];
    phi = s->join->first;
    while (i--)
        phi = phi->next;
    return ir_phi_from(phi, s->arm[side] ? s->arm[side] : s->head);
}

static unsigned count_values(const struct shape *s)
{
    unsigned n = 0;

    if (!s->join)
        return s->arm[0]->last->ops.len;
    for (const struct ir_value *v = s->join->first; v->op == IR_PHI; v = v->next)
        n++;
    return n;
}

static bool is_cheap(const struct shape *s)
{
    unsigned n = count_values(s), selects = s->jump[0] ? 1 : 0, cost = 0;

    for (unsigned i = 0; i < 2; i++)
        cost += s->arm[i] ? arm_cost(s->arm[i], s->jump[i]) : 0;
    for (unsigned i = 0; i < n; i++)
        selects += side_value(s, 0, i) != side_value(s, 1, i);
    if (s->head->func->flatten)
        return cost < NOT_AN_ARM;
    return cost <= (s->jump[0] ? MAX_JUMP_COST : MAX_ARM_COST) && selects <= MAX_SELECTS;
}

/* Returns the condition as a uint8, as SELECT requires, computed before the head's terminator. */
static struct ir_value *select_condition(struct ir_block *head)
{
    struct ir_value *t = head->last, *c = t->ops.data[0], *zero, *test;
    struct ir_func *f = head->func;

    if (ir_type_eq(c->type, IR_T_U8))
        return c;
    zero = ir_value_new(f, IR_CONST, c->type, t->pos);
    ir_insert_before(t, zero);
    test = ir_value_new(f, IR_NE, IR_T_U8, t->pos);
    vec_push_in(f->arena, &test->ops, c);
    vec_push_in(f->arena, &test->ops, zero);
    ir_insert_before(t, test);
    return test;
}

static void hoist_arm(struct ir_block *arm, struct ir_value *before)
{
    for (struct ir_value *v = arm->first, *next; v->next; v = next) {
        next = v->next;
        ir_remove(v);
        ir_insert_before(before, v);
    }
}

static struct ir_value *make_select(const struct shape *s, struct ir_value *c, struct ir_value *x,
                                    struct ir_value *y)
{
    struct ir_value *sel;
    struct ir_func *f = s->head->func;

    if (x == y)
        return x;
    sel = ir_value_new(f, IR_SELECT, x->type, s->head->last->pos);
    vec_push_in(f->arena, &sel->ops, c);
    vec_push_in(f->arena, &sel->ops, x);
    vec_push_in(f->arena, &sel->ops, y);
    ir_insert_before(s->head->last, sel);
    return sel;
}

/* Makes one write of the PC out of both, behind what was hoisted from the arms. */
static void convert_jumps(const struct shape *s, struct ir_value *c)
{
    struct ir_value *to = make_select(s, c, s->jump[0]->ops.data[0], s->jump[1]->ops.data[0]);

    ir_remove(s->jump[1]);
    s->jump[0]->ops.data[0] = to;
    ir_remove(s->jump[0]);
    ir_insert_before(s->head->last, s->jump[0]);
}

static void convert_branch(struct shape *s)
{
    struct ir_block *head = s->head;
    struct ir_value *chosen[IR_MAX_LANES], *c, *phi;
    struct arena *a = head->func->arena;
    unsigned n = count_values(s);

    for (unsigned i = 0; i < 2; i++)
        if (s->arm[i])
            hoist_arm(s->arm[i], head->last);
    c = select_condition(head);
    for (unsigned i = 0; i < n; i++)
        chosen[i] = make_select(s, c, side_value(s, 0, i), side_value(s, 1, i));
    if (s->jump[0])
        convert_jumps(s, c);
    head->last->ops.len = head->last->targets.len = 0;
    if (!s->join) {
        head->last->op = IR_RET;
        for (unsigned i = 0; i < n; i++)
            vec_push_in(a, &head->last->ops, chosen[i]);
        return;
    }
    for (unsigned i = 0; i < 2; i++)
        ir_phi_drop_pred(s->join, s->arm[i] ? s->arm[i] : head);
    head->last->op = IR_BR;
    vec_push_in(a, &head->last->targets, s->join);
    phi = s->join->first;
    for (unsigned i = 0; i < n; i++, phi = phi->next) {
        vec_push_in(a, &phi->ops, chosen[i]);
        vec_push_in(a, &phi->targets, head);
    }
}

bool ir_convert_branches(struct ir_func *f)
{
    bool changed = false;

    for (unsigned i = f->blocks.len; i-- > 0;) {
        struct shape s = {.head = f->blocks.data[i]};

        if (s.head->last->op != IR_CBR ||
            s.head->last->targets.data[0] == s.head->last->targets.data[1])
            continue;
        if (!find_join(&s))
            continue;
        find_jumps(&s);
        if (!is_cheap(&s) || count_values(&s) > IR_MAX_LANES)
            continue;
        convert_branch(&s);
        ir_compute_preds(f);
        changed = true;
        i = f->blocks.len;
    }
    return changed;
}
