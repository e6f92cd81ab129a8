/*
 * SSA construction. PHIs are placed at the iterated dominance frontiers of writes where the
 * variable is live; then the blocks are renamed, dominators first. Reads of unset variables are
 * found once all PHIs have operands.
 */
#include "gencc/ir/pass.h"

enum { MAY_BE_UNSET = 1, MAY_BE_SET = 2 };

struct ssa {
    struct ir_func *f;
    struct arena scratch;
    unsigned nvars, nblocks;
    /* Indexed by block (its place in reverse postorder) and variable */
    bool *live_in, *writes;
    struct ir_value **phi, **out;
    struct ir_value **unset; /* per variable: the constant 0 that stands for its unset value */
    VEC(struct ir_value *) reads;
    VEC(struct ir_value *) phis;
};

static unsigned cell_index(const struct ssa *s, const struct ir_block *b, unsigned var)
{
    return (unsigned)b->mark * s->nvars + var;
}

/* ---- where PHIs are needed ------------------------------------------------------------------- */

static void scan_block(struct ssa *s, const struct ir_block *b)
{
    for (const struct ir_value *v = b->first; v; v = v->next) {
        if (v->op == IR_VAR_WRITE)
            s->writes[cell_index(s, b, v->var->id)] = true;
        else if (v->op == IR_VAR_READ && !s->writes[cell_index(s, b, v->var->id)])
            s->live_in[cell_index(s, b, v->var->id)] = true;
    }
}

static void compute_liveness(struct ssa *s)
{
    bool changed = true;

    vec_for_each (&s->f->blocks, b)
        scan_block(s, *b);
    while (changed) {
        changed = false;
        for (unsigned i = s->nblocks; i-- > 0;) {
            const struct ir_block *b = s->f->blocks.data[i];

            vec_for_each (&b->preds, p) {
                for (unsigned v = 0; v < s->nvars; v++) {
                    if (!s->live_in[cell_index(s, b, v)] || s->writes[cell_index(s, *p, v)] ||
                        s->live_in[cell_index(s, *p, v)])
                        continue;
                    s->live_in[cell_index(s, *p, v)] = true;
                    changed = true;
                }
            }
        }
    }
}

static struct ir_value *place_phi(struct ssa *s, struct ir_block *b, struct ir_var *var)
{
    struct ir_value *phi = ir_value_new(s->f, IR_PHI, var->type, var->pos);

    phi->var = var; /* until the operands are known */
    ir_insert_before(b->first, phi);
    s->phi[cell_index(s, b, var->id)] = phi;
    vec_push_in(&s->scratch, &s->phis, phi);
    return phi;
}

/* Walks from each predecessor of a join up to the join's dominator: the join is in the dominance
 * frontier of every block on the way. A PHI is a write too, so the walk is repeated until no PHI is
 * added. */
static void place_phis(struct ssa *s)
{
    bool changed = true;

    while (changed) {
        changed = false;
        vec_for_each (&s->f->blocks, it) {
            struct ir_block *b = *it;

            if (b->preds.len < 2)
                continue;
            vec_for_each (&b->preds, p) {
                for (const struct ir_block *r = *p; r && r != b->idom; r = r->idom) {
                    for (unsigned v = 0; v < s->nvars; v++) {
                        if (s->phi[cell_index(s, b, v)] || !s->live_in[cell_index(s, b, v)])
                            continue;
                        if (!s->writes[cell_index(s, r, v)] && !s->phi[cell_index(s, r, v)])
                            continue;
                        place_phi(s, b, s->f->vars.data[v]);
                        changed = true;
                    }
                }
            }
        }
    }
}

/* ---- renaming -------------------------------------------------------------------------------- */

static struct ir_value *unset_value(struct ssa *s, unsigned var)
{
    if (!s->unset[var]) {
        struct ir_var *v = s->f->vars.data[var];

        s->unset[var] = ir_value_new(s->f, IR_CONST, v->type, v->pos);
        ir_insert_before(s->f->blocks.data[0]->first, s->unset[var]);
    }
    return s->unset[var];
}

static void rename_block(struct ssa *s, struct ir_block *b)
{
    struct ir_value **now = &s->out[cell_index(s, b, 0)];

    for (unsigned v = 0; v < s->nvars; v++)
        now[v] = b->idom ? s->out[cell_index(s, b->idom, v)] : NULL;
    for (unsigned v = 0; v < s->nvars; v++)
        if (s->phi[cell_index(s, b, v)])
            now[v] = s->phi[cell_index(s, b, v)];
    for (struct ir_value *v = b->first; v; v = v->next) {
        if (v->op == IR_VAR_READ) {
            unsigned var = v->var->id;

            vec_push_in(&s->scratch, &s->reads, v);
            ir_forward(v, now[var] ? now[var] : unset_value(s, var));
        } else if (v->op == IR_VAR_WRITE) {
            now[v->var->id] = v->ops.data[0];
        }
    }
}

static void fill_phi(struct ssa *s, struct ir_value *phi)
{
    unsigned var = phi->var->id;

    vec_for_each (&phi->block->preds, p) {
        struct ir_value *v = s->out[cell_index(s, *p, var)];

        vec_push_in(s->f->arena, &phi->ops, v ? v : unset_value(s, var));
        vec_push_in(s->f->arena, &phi->targets, *p);
    }
}

/* ---- reads of what was never set ------------------------------------------------------------- */

/* Whether a value may be unset or set. phi->uses holds these flags during the pass. */
static unsigned set_state(const struct ssa *s, const struct ir_value *v, unsigned var)
{
    v = ir_forwarded((struct ir_value *)v);
    if (v == s->unset[var])
        return MAY_BE_UNSET;
    return v->op == IR_PHI && v->block && s->phi[cell_index(s, v->block, var)] == v ? v->uses
                                                                                    : MAY_BE_SET;
}

static void spread_state(struct ssa *s)
{
    bool changed = true;

    vec_for_each (&s->phis, p)
        (*p)->uses = 0;
    while (changed) {
        changed = false;
        vec_for_each (&s->phis, p) {
            unsigned state = (*p)->uses;

            vec_for_each (&(*p)->ops, op)
                state |= set_state(s, *op, (*p)->var->id);
            changed |= state != (*p)->uses;
            (*p)->uses = state;
        }
    }
}

/* A vector variable may be set element by element: reads that are only the vector of an INSERT are
 * not reported, nor are reads that nothing uses. */
static void mark_element_writes(struct ssa *s)
{
    ir_count_uses(s->f);
    vec_for_each (&s->f->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_INSERT && v->ops.data[0]->op == IR_VAR_READ &&
                v->ops.data[0]->uses == 1)
                v->ops.data[0]->uses = 0;
}

static void report_reads(struct ssa *s, struct diag *d)
{
    bool *reported = arena_alloc(&s->scratch, s->nvars);

    spread_state(s);
    vec_for_each (&s->reads, r) {
        struct ir_var *var = (*r)->var;
        unsigned state = set_state(s, *r, var->id);

        if (!(state & MAY_BE_UNSET) || (*r)->unset_is_0 || reported[var->id] || !(*r)->uses)
            continue;
        reported[var->id] = true;
        if (s->f->unset_warns)
            diag_warning(d, WARN_PUBLISHED, (*r)->pos, "variable '%s' %s 0 here, before it is set",
                         var->name ? var->name : "(unnamed)", state & MAY_BE_SET ? "may be" : "is");
        else
            diag_error(d, (*r)->pos, "variable '%s' %s read before it is set",
                       var->name ? var->name : "(unnamed)", state & MAY_BE_SET ? "may be" : "is");
    }
}

/* ---- the pass -------------------------------------------------------------------------------- */

static void rename_all(struct ssa *s)
{
    ir_forward_begin(s->f);
    vec_for_each (&s->f->blocks, b)
        rename_block(s, *b);
    vec_for_each (&s->phis, p)
        fill_phi(s, *p);
}

static void finish_phis(struct ssa *s)
{
    struct ir_func *f = s->f;

    vec_for_each (&s->phis, p)
        (*p)->imm = 0;
    ir_forward_end(f);
    vec_for_each (&f->blocks, b) {
        for (struct ir_value *v = (*b)->first, *next; v; v = next) {
            next = v->next;
            if (v->op == IR_VAR_WRITE)
                ir_remove(v);
        }
    }
    f->vars.len = 0;
}

bool ir_pass_ssa(struct ir_func *f, struct diag *d)
{
    struct ssa s = {.f = f, .nvars = f->vars.len};
    size_t cells;

    if (!f->vars.len || !f->blocks.len)
        return false;
    ir_compute_dominators(f);
    s.nblocks = f->blocks.len;
    cells = (size_t)s.nblocks * s.nvars;
    s.live_in = arena_alloc(&s.scratch, cells);
    s.writes = arena_alloc(&s.scratch, cells);
    s.phi = arena_alloc(&s.scratch, cells * sizeof(*s.phi));
    s.out = arena_alloc(&s.scratch, cells * sizeof(*s.out));
    s.unset = arena_alloc(&s.scratch, s.nvars * sizeof(*s.unset));
    mark_element_writes(&s);
    compute_liveness(&s);
    place_phis(&s);
    rename_all(&s);
    if (d)
        report_reads(&s, d);
    finish_phis(&s);
    arena_free(&s.scratch);
    return true;
}
