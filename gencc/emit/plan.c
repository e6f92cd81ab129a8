/*
 * Which values of a function become variables, and which are written in place.
 */
#include "gencc/emit/body.h"

enum { MAX_WEIGHT = 14 }; /* limit of an expression, for short lines */

bool is_source(const struct ir_value *v)
{
    return ir_is_intrinsic(v, IR_I_READ_SOURCE) || ir_is_intrinsic(v, IR_I_READ_SOURCE_LANE);
}

bool is_selector(const struct ir_value *v, struct ir_value *const *op)
{
    return is_source(v) && op == v->ops.data;
}

static bool never_folds(const struct ir_value *v)
{
    return v->op == IR_PHI || v->op == IR_INSERT || v->op == IR_CALL || v->op == IR_EXTERNAL;
}

static bool is_leaf(const struct ir_value *v)
{
    return v->op == IR_CONST || v->op == IR_PARAM || v->op == IR_TEXT || v->op == IR_RESULT;
}

/* Whether the C of an operation contains its operands several times. */
static bool repeats_operands(const struct ir_value *v)
{
    switch (v->op) {
    case IR_SHL:
    case IR_SHR:
    case IR_ROL:
    case IR_ROR:
    case IR_DIV:
    case IR_MOD:
        return v->ops.data[1]->op != IR_CONST;
    case IR_SPLAT:
        return true;
    case IR_SELECT:
        return ir_is_vector(v->ops.data[0]->type);
    case IR_EXTRACT:
        return true;
    case IR_REG_READ:
    case IR_REG_WRITE: /* the index, which may be out of range */
        return v->view->is_bank && ir_value_range(v->ops.data[0]).max >= v->view->count;
    default:
        return false;
    }
}

/* ---- needs ----------------------------------------------------------------------------------- */

struct plan {
    struct body *b;
    unsigned *uses;
    struct ir_value **only_user; /* the only user, if uses is 1 */
    unsigned *weight;
};

/* Handlers find the slots of sources in their operands; translators compute selectors in place. */
static void need_variable(struct plan *p, struct ir_value *v, struct ir_value *user)
{
    struct placement *cv = &p->b->at[v->id];
    unsigned times = user && repeats_operands(user) ? 2 : 1;
    bool first = cv->skip;

    p->uses[v->id] += times;
    p->only_user[v->id] = user;
    cv->skip = false;
    if (!first || cv->place == PLACE_OPERAND || cv->place == PLACE_SOURCE)
        return;
    vec_for_each (&v->ops, op)
        if (!is_selector(v, op) || p->b->dialect->host)
            need_variable(p, *op, v);
}

/* Marks values with effects, and all values that these use, as needed. */
static void find_needs(struct plan *p)
{
    vec_for_each (&p->b->f->blocks, b) {
        for (struct ir_value *v = (*b)->first; v; v = v->next) {
            if (v->op == IR_TEXT || (!ir_is_term(v) && ir_is_removable(v)))
                continue;
            if (p->b->at[v->id].skip) {
                p->b->at[v->id].skip = false;
                vec_for_each (&v->ops, op)
                    need_variable(p, *op, v);
            }
        }
    }
}

/* ---- folding --------------------------------------------------------------------------------- */

/* The statement of which a folded value becomes a part. */
static const struct ir_value *statement_of(struct plan *p, const struct ir_value *v)
{
    while (p->b->at[v->id].place == PLACE_FOLD && p->uses[v->id] == 1 && p->only_user[v->id])
        v = p->only_user[v->id];
    return v;
}

static bool has_effect(const struct ir_value *v)
{
    return !ir_is_term(v) && !ir_is_removable(v);
}

static bool is_folded(struct plan *p, struct ir_value *v)
{
    const struct ir_value *end;

    if (p->uses[v->id] != 1 || never_folds(v) || !p->only_user[v->id])
        return false;
    if (!ir_is_removable(v) || p->only_user[v->id]->op == IR_PHI)
        return false;
    end = statement_of(p, p->only_user[v->id]);
    if (end->block != v->block || p->weight[v->id] > MAX_WEIGHT)
        return false;
    if (ir_is_pure(v))
        return true;
    for (const struct ir_value *x = v->next; x && x != end; x = x->next)
        if (has_effect(x))
            return false;
    return true;
}

static void choose_places(struct plan *p)
{
    vec_for_each (&p->b->f->blocks, b) {
        for (struct ir_value *v = (*b)->first; v; v = v->next) {
            p->weight[v->id] = 1;
            vec_for_each (&v->ops, op)
                if (p->uses[(*op)->id] == 1 && (*op)->op != IR_PHI)
                    p->weight[v->id] += p->weight[(*op)->id];
            if (p->weight[v->id] > MAX_WEIGHT)
                p->weight[v->id] = 1; /* the operands become variables */
        }
        for (struct ir_value *v = (*b)->last; v; v = v->prev) {
            struct placement *cv = &p->b->at[v->id];

            if (cv->place == PLACE_OPERAND || cv->place == PLACE_SOURCE)
                continue;
            cv->place = is_leaf(v) || is_folded(p, v) ? PLACE_FOLD : PLACE_LOCAL;
        }
    }
}

void body_plan(struct body *b)
{
    unsigned n = b->f->next_value;
    struct plan p = {.b = b};

    p.uses = arena_alloc(b->e->arena, n * sizeof(*p.uses));
    p.only_user = arena_alloc(b->e->arena, n * sizeof(*p.only_user));
    p.weight = arena_alloc(b->e->arena, n * sizeof(*p.weight));
    for (unsigned i = 0; i < n; i++)
        b->at[i].skip = true;
    find_needs(&p);
    choose_places(&p);
}
