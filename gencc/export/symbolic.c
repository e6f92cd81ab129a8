/*
 * Control flow on terms: blocks in an order in which paths meet again, each with a guard; see
 * symbolic.h.
 */
#include "gencc/export/symbolic.h"
#include "gencc/ir/pass.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_CALLS = 32,     /* calls within each other */
    MAX_STEPS = 400000, /* values of one instruction, all paths and rounds of loops */
};

/* A way into a block that was executed */
struct edge {
    const struct ir_block *from;
    const struct term *guard;
    struct sym_state state;
    sym_lanes *slots;
};

struct waiting { /* of one block */
    VEC(struct edge) edges;
};

struct walk {
    struct sym_frame *fr;
    struct waiting *waiting; /* by position in f->blocks */
    unsigned *position;      /* by block->id */
    bool *reaches;           /* [from * blocks + to] */
    VEC(struct edge) returns;
    bool has_loops;
};

bool symbolic_refuse(struct symbolic *s, const struct ir_value *v, const char *what)
{
    if (!s->refused) {
        s->refused = what;
        s->refused_pos = v->pos;
    }
    return false;
}

/* ---- states ---------------------------------------------------------------------------------- */

struct sym_state symbolic_start(struct symbolic *s)
{
    struct sym_state st = {0};

    st.groups = arena_alloc(s->arena, s->cells->groups.len * sizeof(*st.groups));
    st.features = arena_alloc(s->arena, s->model->features.len * sizeof(*st.features));
    st.memory = term_input(s->terms, "memory", sort_array(s->model->word_bits, 8));
    st.world = term_input(s->terms, "world", sort_world());
    st.branches = term_bool(s->terms, false);
    st.target = s->pc;
    return st;
}

static struct sym_state copy_state(struct symbolic *s, const struct sym_state *from)
{
    struct sym_state st = *from;
    size_t groups = s->cells->groups.len * sizeof(*st.groups);
    size_t features = s->model->features.len * sizeof(*st.features);

    st.groups = memcpy(arena_alloc(s->arena, groups), from->groups, groups);
    st.features = memcpy(arena_alloc(s->arena, features), from->features, features);
    return st;
}

const struct term *symbolic_group(struct symbolic *s, const struct sym_state *st, unsigned group)
{
    const struct cell_group *g = &s->cells->groups.data[group];

    return st->groups[group] ? st->groups[group] : term_input(s->terms, g->name, cells_sort(g));
}

const struct term *symbolic_feature(struct symbolic *s, const struct sym_state *st,
                                    const struct feature *f)
{
    return st->features[f->index]
               ? st->features[f->index]
               : term_input(s->terms, arena_printf(s->arena, "feature.%s", f->name), sort_bits(32));
}

/* st becomes `other` where c holds. */
static void merge_state(struct symbolic *s, const struct term *c, const struct sym_state *other,
                        struct sym_state *st)
{
    struct terms *t = s->terms;

    for (unsigned i = 0; i < s->cells->groups.len; i++)
        if (other->groups[i] != st->groups[i])
            st->groups[i] = term_ite(t, c, symbolic_group(s, other, i), symbolic_group(s, st, i));
    vec_for_each (&s->model->features, f) {
        unsigned i = (*f)->index;

        if (other->features[i] != st->features[i])
            st->features[i] =
                term_ite(t, c, symbolic_feature(s, other, *f), symbolic_feature(s, st, *f));
    }
    st->memory = term_ite(t, c, other->memory, st->memory);
    st->world = term_ite(t, c, other->world, st->world);
    st->branches = term_ite(t, c, other->branches, st->branches);
    st->target = term_ite(t, c, other->target, st->target);
}

/* ---- the order of blocks --------------------------------------------------------------------- */

static void find_reachable(struct walk *w, const struct ir_func *f)
{
    unsigned n = f->blocks.len;

    for (unsigned i = 0; i < n; i++) {
        vec_for_each (&f->blocks.data[i]->last->targets, to) {
            w->reaches[i * n + w->position[(*to)->id]] = true;
            w->has_loops |= w->position[(*to)->id] <= i;
        }
    }
    if (!w->has_loops)
        return;
    for (unsigned k = 0; k < n; k++)
        for (unsigned i = 0; i < n; i++)
            for (unsigned j = 0; w->reaches[i * n + k] && j < n; j++)
                w->reaches[i * n + j] |= w->reaches[k * n + j];
}

/* The block to execute next: one to which no other waiting block leads, so that all paths into it
 * have come. Blocks are in reverse postorder; in a loop the rounds stay within it. */
static unsigned next_block(const struct walk *w, unsigned n)
{
    unsigned best = n;

    for (unsigned b = 0; b < n; b++) {
        bool ready = w->waiting[b].edges.len != 0;

        for (unsigned p = 0; ready && w->has_loops && p < n; p++)
            if (p != b && w->waiting[p].edges.len && w->reaches[p * n + b] &&
                !w->reaches[b * n + p])
                ready = false;
        if (ready)
            return b;
    }
    return best;
}

/* ---- edges ----------------------------------------------------------------------------------- */

static sym_lanes *copy_slots(struct sym_frame *fr)
{
    size_t bytes = fr->f->next_value * sizeof(*fr->slots);

    return memcpy(arena_alloc(fr->s->arena, bytes), fr->slots, bytes);
}

static void add_edge(struct walk *w, const struct ir_block *from, const struct ir_block *to,
                     const struct term *guard)
{
    struct sym_frame *fr = w->fr;
    struct edge e = {from, guard, copy_state(fr->s, &fr->state), fr->slots};
    struct waiting *at = &w->waiting[w->position[to->id]];

    if (term_is(guard, 0))
        return;
    /* In a loop the values of this round are overwritten by those of the next. */
    if (w->has_loops)
        e.slots = copy_slots(fr);
    vec_push_in(fr->s->arena, &at->edges, e);
}

static const struct term *lane_at(sym_lanes *slots, const struct ir_value *v, unsigned lane)
{
    return slots[v->id] ? slots[v->id][lane] : NULL;
}

/* Values of the slots where several edges with different ones meet. */
static void merge_slots(struct sym_frame *fr, const struct term *c, sym_lanes *other)
{
    vec_for_each (&fr->f->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            sym_lanes x = other[v->id], y = fr->slots[v->id];
            const struct term **lanes;

            if (x == y || !x || !y || ir_is_void(v->type) || symbolic_outputs(v))
                continue;
            lanes = symbolic_lanes(fr->s, v->type.lanes);
            for (unsigned i = 0; i < v->type.lanes; i++)
                lanes[i] = term_ite(fr->s->terms, c, x[i], y[i]);
            fr->slots[v->id] = lanes;
        }
    }
}

/* The condition that tells an edge from those with the guard `rest`: what its guard has beyond a
 * common beginning. */
static const struct term *condition_of(const struct term *guard, const struct term *rest)
{
    bool both = guard->kind == TERM_OP && rest->kind == TERM_OP && guard->n == 2 && rest->n == 2 &&
                !strcmp(guard->head, "and") && !strcmp(rest->head, "and");

    return both && guard->args[0] == rest->args[0] ? guard->args[1] : guard;
}

/* Makes the frame's point that where all edges into a block meet, and computes its PHIs. */
static void enter_block(struct walk *w, const struct ir_block *b, const struct waiting *in)
{
    struct sym_frame *fr = w->fr;
    struct terms *t = fr->s->terms;
    const struct edge *first = &in->edges.data[0];
    VEC(sym_lanes) phis = {0};
    unsigned n = 0;

    for (const struct ir_value *v = b->first; v->op == IR_PHI; v = v->next) {
        const struct term **lanes = symbolic_lanes(fr->s, v->type.lanes);

        for (unsigned l = 0; l < v->type.lanes; l++) {
            const struct term *guard = first->guard;

            lanes[l] = lane_at(first->slots, ir_phi_from(v, first->from), l);
            for (unsigned i = 1; i < in->edges.len; i++) {
                const struct edge *e = &in->edges.data[i];

                lanes[l] = term_ite(t, condition_of(e->guard, guard),
                                    lane_at(e->slots, ir_phi_from(v, e->from), l), lanes[l]);
                guard = term_or(t, guard, e->guard);
            }
        }
        vec_push_in(fr->s->arena, &phis, lanes);
    }
    if (w->has_loops)
        memcpy(fr->slots, first->slots, fr->f->next_value * sizeof(*fr->slots));
    fr->guard = first->guard;
    fr->state = copy_state(fr->s, &first->state);
    for (unsigned i = 1; i < in->edges.len; i++) {
        const struct edge *e = &in->edges.data[i];
        const struct term *c = condition_of(e->guard, fr->guard);

        if (w->has_loops)
            merge_slots(fr, c, e->slots);
        merge_state(fr->s, c, &e->state, &fr->state);
        fr->guard = term_or(t, fr->guard, e->guard);
    }
    for (const struct ir_value *v = b->first; v->op == IR_PHI; v = v->next)
        fr->slots[v->id] = phis.data[n++];
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void leave_by_switch(struct walk *w, const struct ir_block *b)
{
    struct sym_frame *fr = w->fr;
    struct terms *t = fr->s->terms;
    const struct term *on = fr->slots[b->last->ops.data[0]->id][0], *rest = term_bool(t, true);

    for (unsigned i = 0; i < b->last->cases.len; i++) {
        const struct term *hit =
            term_equal(t, on, term_number(t, on->sort.bits, b->last->cases.data[i]));

        add_edge(w, b, b->last->targets.data[i + 1], term_and(t, fr->guard, hit));
        rest = term_and(t, rest, term_not(t, hit));
    }
    add_edge(w, b, b->last->targets.data[0], term_and(t, fr->guard, rest));
}

static void leave_block(struct walk *w, const struct ir_block *b)
{
    struct sym_frame *fr = w->fr;
    struct terms *t = fr->s->terms;
    const struct term *c;

    switch (b->last->op) {
    case IR_BR:
        add_edge(w, b, b->last->targets.data[0], fr->guard);
        break;
    case IR_CBR:
        c = term_nonzero(t, fr->slots[b->last->ops.data[0]->id][0]);
        add_edge(w, b, b->last->targets.data[0], term_and(t, fr->guard, c));
        add_edge(w, b, b->last->targets.data[1], term_and(t, fr->guard, term_not(t, c)));
        break;
    case IR_SWITCH:
        leave_by_switch(w, b);
        break;
    case IR_RET:
        vec_push_in(
            fr->s->arena, &w->returns,
            (struct edge){b, fr->guard, fr->state, w->has_loops ? copy_slots(fr) : fr->slots});
        break;
    default: /* UNREACHABLE: the call before has left */
        break;
    }
}

static bool run_value(struct sym_frame *fr, const struct ir_value *v)
{
    if (++fr->s->steps > MAX_STEPS)
        return symbolic_refuse(fr->s, v, "it has too many paths");
    if (v->op == IR_CALL)
        return symbolic_call(fr, v);
    fr->slots[v->id] = v->op == IR_INTRINSIC || v->op == IR_EXTERNAL ? symbolic_call_fn(fr, v)
                                                                     : symbolic_value(fr, v);
    return fr->slots[v->id] != NULL;
}

static bool run_block(struct walk *w, const struct ir_block *b)
{
    for (const struct ir_value *v = ir_after_phis(b); v->next; v = v->next)
        if (!run_value(w->fr, v))
            return false;
    leave_block(w, b);
    return true;
}

static bool run_blocks(struct walk *w)
{
    const struct ir_func *f = w->fr->f;
    struct ir_block *const *blocks = f->blocks.data;

    for (unsigned at = 0;; at = next_block(w, f->blocks.len)) {
        struct waiting in;

        if (at == f->blocks.len)
            return true;
        in = w->waiting[at];
        w->waiting[at] = (struct waiting){0};
        if (in.edges.len)
            enter_block(w, blocks[at], &in);
        if (!run_block(w, blocks[at]))
            return false;
    }
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Executes the function of the frame. The frame's point is then where all returns meet; `results`
 * receives the operands of the returns. A function that never returns has a guard that is false. */
static bool run_function(struct sym_frame *fr, sym_lanes *results)
{
    struct symbolic *s = fr->s;
    struct ir_func *f = (struct ir_func *)fr->f; /* its order of blocks changes, nothing else */
    struct walk w = {.fr = fr};

    ir_compute_preds(f);
    w.waiting = arena_alloc(s->arena, f->blocks.len * sizeof(*w.waiting));
    w.position = arena_alloc(s->arena, f->next_block * sizeof(*w.position));
    w.reaches = arena_alloc(s->arena, (size_t)f->blocks.len * f->blocks.len);
    fr->slots = arena_alloc(s->arena, f->next_value * sizeof(*fr->slots));
    fr->vars = arena_alloc(s->arena, (f->vars.len + 1) * sizeof(*fr->vars));
    for (unsigned i = 0; i < f->blocks.len; i++)
        w.position[f->blocks.data[i]->id] = i;
    find_reachable(&w, f);
    if (!run_blocks(&w))
        return false;
    fr->guard = term_bool(s->terms, false);
    for (unsigned i = 0; i < w.returns.len; i++) {
        const struct edge *e = &w.returns.data[i];
        const struct term *c = i ? condition_of(e->guard, fr->guard) : NULL;
        const struct ir_value *ret = e->from->last;

        for (unsigned k = 0; k < ret->ops.len; k++) {
            const struct ir_value *v = ret->ops.data[k];
            const struct term **lanes = symbolic_lanes(s, v->type.lanes);

            for (unsigned l = 0; l < v->type.lanes; l++)
                lanes[l] = c ? term_ite(s->terms, c, e->slots[v->id][l], results[k][l])
                             : e->slots[v->id][l];
            results[k] = lanes;
        }
        if (c)
            merge_state(s, c, &e->state, &fr->state);
        else
            fr->state = copy_state(s, &e->state);
        fr->guard = term_or(s->terms, fr->guard, e->guard);
    }
    return true;
}

bool symbolic_call(struct sym_frame *fr, const struct ir_value *v)
{
    struct symbolic *s = fr->s;
    const struct ir_func *f = v->callee;
    unsigned outs = f->outs.len, at = 0;
    struct sym_frame callee = {.s = s, .f = f, .guard = fr->guard, .state = fr->state};
    sym_lanes args[64], results[64] = {0};
    const struct term **lanes;

    if (v->ops.len > 64 || outs + 1 > 64 || s->depth == MAX_CALLS)
        return symbolic_refuse(s, v, "its calls are nested too deep");
    for (unsigned i = 0; i < v->ops.len; i++)
        args[i] = fr->slots[v->ops.data[i]->id];
    callee.args = args;
    s->depth++;
    if (!run_function(&callee, results))
        return false;
    s->depth--;
    fr->state = callee.state;
    fr->guard = callee.guard;
    for (unsigned i = ir_is_void(f->result); i <= outs; i++)
        at += i ? ir_output_type(v, i).lanes : v->type.lanes;
    lanes = symbolic_lanes(s, at + 1);
    at = 0;
    for (unsigned i = ir_is_void(f->result); i <= outs; i++) {
        struct ir_type type = i ? ir_output_type(v, i) : v->type;
        sym_lanes from = results[i - ir_is_void(f->result)];

        for (unsigned l = 0; l < type.lanes; l++)
            lanes[at++] = from ? from[l] : term_number(s->terms, type.bits, 0);
    }
    fr->slots[v->id] = lanes;
    return true;
}

const struct term *symbolic_decode(struct symbolic *s, const struct ir_func *f)
{
    const struct term *word = term_resize(s->terms, s->word, 128, false);
    sym_lanes args[] = {&word}, results[1] = {0};
    struct sym_frame fr = {.s = s, .f = f, .args = args, .guard = term_bool(s->terms, true)};

    if (f->params.len)
        word = term_resize(s->terms, word, f->params.data[0].bits, false);
    fr.state = symbolic_start(s);
    if (!run_function(&fr, results) || !results[0])
        return NULL;
    return term_nonzero(s->terms, results[0][0]);
}

bool symbolic_execute(struct symbolic *s, const struct ir_func *f)
{
    struct sym_frame fr = {.s = s, .f = f, .guard = term_bool(s->terms, true)};
    sym_lanes results[64] = {0};

    fr.state = symbolic_start(s);
    if (!run_function(&fr, results))
        return false;
    if (!term_is(fr.guard, 0))
        vec_push_in(s->arena, &s->exits, (struct sym_exit){.guard = fr.guard, .state = fr.state});
    return true;
}
