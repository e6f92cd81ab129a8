/*
 * Full unrolling of small loops with a known number of rounds. The loop has one header, with one
 * entry edge and one back edge, whose branch leaves the loop.
 */
#include "gencc/ir/arith.h"
#include "gencc/ir/pass.h"

enum {
    MAX_ROUNDS = 16,
    MAX_COST = 160, /* operations of all rounds together */
    MAX_STEPS = 32, /* values visited to compute one number */
};

struct loop {
    struct ir_func *f;
    struct ir_block *header, *latch, *entry;
    struct ir_block *exit, *body; /* targets of the header's branch */
    struct arena scratch;
    VEC(struct ir_block *) blocks; /* header first */
    bool *inside;                  /* by block->id */
    unsigned rounds;
};

/* ---- finding --------------------------------------------------------------------------------- */

static bool is_inside(const struct loop *l, const struct ir_block *b)
{
    return l->inside[b->id];
}

static void add_block(struct loop *l, struct ir_block *b)
{
    if (l->inside[b->id])
        return;
    l->inside[b->id] = true;
    vec_push_in(&l->scratch, &l->blocks, b);
}

/* Collects the header and all blocks that reach the latch without passing the header. */
static void collect_blocks(struct loop *l)
{
    l->inside = arena_alloc(&l->scratch, l->f->next_block * sizeof(*l->inside));
    add_block(l, l->header);
    add_block(l, l->latch);
    for (unsigned i = 1; i < l->blocks.len; i++)
        vec_for_each (&l->blocks.data[i]->preds, p)
            add_block(l, *p);
}

static bool find_loop(struct loop *l, struct ir_block *header)
{
    const struct ir_value *t = header->last;
    bool first_is_back;

    if (header->preds.len != 2 || t->op != IR_CBR)
        return false;
    first_is_back = ir_dominates(header, header->preds.data[0]);
    if (first_is_back == ir_dominates(header, header->preds.data[1]))
        return false;
    l->header = header;
    l->latch = header->preds.data[!first_is_back];
    l->entry = header->preds.data[first_is_back];
    if (l->latch->last->op != IR_BR || l->latch == header)
        return false;
    collect_blocks(l);
    if (is_inside(l, t->targets.data[0]) == is_inside(l, t->targets.data[1]))
        return false;
    l->body = t->targets.data[!is_inside(l, t->targets.data[0])];
    l->exit = t->targets.data[is_inside(l, t->targets.data[0])];
    return true;
}

/* ---- counting -------------------------------------------------------------------------------- */

struct state {
    const struct loop *l;
    u128 *header_values; /* by value->id: PHIs of the header in this round */
    bool *known;         /* by value->id: whether `now` is valid */
    unsigned steps;
};

/* Computes a value in this round, if it depends on the header's PHIs and constants only. */
static bool value_in_round(struct state *s, const struct ir_value *v, u128 *out)
{
    u128 lanes[3];
    struct ir_operand args[3];

    if (v->type.lanes != 1 || !ir_is_int(v->type) || s->steps++ > MAX_STEPS)
        return false;
    if (v->op == IR_CONST) {
        *out = v->imm;
        return true;
    }
    if (v->op == IR_PHI) {
        *out = s->header_values[v->id];
        return v->block == s->l->header && s->known[v->id];
    }
    if (v->op < IR_ADD || v->op > IR_BITCAST || v->ops.len > 3)
        return false;
    for (unsigned i = 0; i < v->ops.len; i++) {
        if (!value_in_round(s, v->ops.data[i], &lanes[i]))
            return false;
        args[i] = (struct ir_operand){v->ops.data[i]->type, &lanes[i]};
    }
    return ir_arith(v->op, v->type, v->ops.len, args, out);
}

/* Sets all PHIs to their values in the next round, simultaneously. */
static void advance_phis(struct state *s, const struct ir_block *from, struct arena *scratch)
{
    size_t n = s->l->f->next_value;
    u128 *now = arena_alloc(scratch, n * sizeof(*now));
    bool *known = arena_alloc(scratch, n * sizeof(*known));

    for (const struct ir_value *p = s->l->header->first; p->op == IR_PHI; p = p->next) {
        s->steps = 0;
        known[p->id] = value_in_round(s, ir_phi_from(p, from), &now[p->id]);
    }
    s->header_values = now;
    s->known = known;
}

/* Sets l->rounds. Returns false if the number is unknown or above MAX_ROUNDS. */
static bool count_rounds(struct loop *l)
{
    const struct ir_value *t = l->header->last;
    struct state s = {.l = l};
    u128 condition;

    s.header_values = arena_alloc(&l->scratch, l->f->next_value * sizeof(*s.header_values));
    s.known = arena_alloc(&l->scratch, l->f->next_value * sizeof(*s.known));
    advance_phis(&s, l->entry, &l->scratch);
    for (l->rounds = 0; l->rounds <= MAX_ROUNDS; l->rounds++) {
        s.steps = 0;
        if (!value_in_round(&s, t->ops.data[0], &condition))
            return false;
        if (t->targets.data[condition ? 0 : 1] == l->exit)
            return true;
        advance_phis(&s, l->latch, &l->scratch);
    }
    return false;
}

/* ---- what is allowed ------------------------------------------------------------------------- */

static bool is_small(const struct loop *l)
{
    unsigned cost = 0;

    vec_for_each (&l->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            cost += v->op != IR_CONST && v->op != IR_PHI && v->op != IR_RESULT && v->op != IR_BR;
    return cost * l->rounds <= MAX_COST;
}

/* Whether code outside the loop uses only values that the copies can provide. If the loop is left
 * from the header alone, the header's values may be used. Any other value of the loop may only be
 * the operand of a PHI for an edge that leaves the loop. */
static bool leaves_cleanly(const struct loop *l)
{
    bool one_exit = true;

    vec_for_each (&l->blocks, b)
        vec_for_each (&(*b)->last->targets, t)
            one_exit &= is_inside(l, *t) || *b == l->header;
    vec_for_each (&l->f->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v && !is_inside(l, *b); v = v->next) {
            for (unsigned i = 0; i < v->ops.len; i++) {
                const struct ir_value *op = v->ops.data[i];

                if (!is_inside(l, op->block) || (one_exit && op->block == l->header))
                    continue;
                if (v->op != IR_PHI || !is_inside(l, v->targets.data[i]))
                    return false;
            }
        }
    }
    return true;
}

/* ---- copying --------------------------------------------------------------------------------- */

/* Copies of one round: blocks by id, values by id */
struct round {
    struct ir_block **blocks;
    struct ir_value **values;
};

static struct ir_value *in_round(const struct round *r, struct ir_value *v)
{
    return r->values[v->id] ? r->values[v->id] : v;
}

static struct round new_round(struct loop *l, unsigned values, unsigned blocks)
{
    struct round r = {.blocks = arena_alloc(&l->scratch, blocks * sizeof(*r.blocks)),
                      .values = arena_alloc(&l->scratch, values * sizeof(*r.values))};
    return r;
}

static void copy_block(struct loop *l, struct round *r, const struct round *before,
                       const struct ir_block *b)
{
    struct ir_block *copy = ir_block_new(l->f, b->name);

    r->blocks[b->id] = copy;
    for (struct ir_value *v = b->first; v; v = v->next) {
        struct ir_value *c;

        if (v->op == IR_PHI && b == l->header) {
            r->values[v->id] =
                before ? in_round(before, ir_phi_from(v, l->latch)) : ir_phi_from(v, l->entry);
            continue;
        }
        c = ir_value_new(l->f, v->op, v->type, v->pos);
        c->imm = v->imm;
        vec_for_each (&v->cases, k)
            vec_push_in(l->f->arena, &c->cases, *k);
        ir_append(copy, c);
        r->values[v->id] = c;
    }
}

/* Gives PHIs outside the loop the same operand for the copy of a block as for the block. */
static void extend_exits(struct loop *l, const struct round *r, const struct ir_block *b)
{
    vec_for_each (&b->last->targets, t) {
        for (struct ir_value *p = (*t)->first; !is_inside(l, *t) && p->op == IR_PHI; p = p->next) {
            if (ir_phi_from(p, r->blocks[b->id]))
                continue; /* two edges lead to the same block */
            vec_push_in(l->f->arena, &p->ops, in_round(r, ir_phi_from(p, b)));
            vec_push_in(l->f->arena, &p->targets, r->blocks[b->id]);
        }
    }
}

/* Sets operands and targets of a round's copies; the back edge becomes a branch to `next`. */
static void connect_copies(struct loop *l, const struct round *r, const struct ir_block *b,
                           struct ir_block *next)
{
    struct arena *a = l->f->arena;

    for (const struct ir_value *v = b->first; v; v = v->next) {
        struct ir_value *c = r->values[v->id];

        if (v->op == IR_PHI && b == l->header)
            continue;
        vec_for_each (&v->ops, op)
            vec_push_in(a, &c->ops, in_round(r, *op));
        vec_for_each (&v->targets, t) {
            struct ir_block *to = *t == l->header    ? next
                                  : is_inside(l, *t) ? r->blocks[(*t)->id]
                                                     : *t;

            vec_push_in(a, &c->targets, to);
        }
    }
}

static void set_branch(struct ir_value *term, struct ir_block *to)
{
    term->op = IR_BR;
    term->ops.len = 0;
    term->targets.len = 1;
    term->targets.data[0] = to;
}

/* Makes the copy of the header in which the loop ends. */
static void finish_last_round(struct loop *l, const struct round *last)
{
    connect_copies(l, last, l->header, NULL);
    extend_exits(l, last, l->header);
    set_branch(last->blocks[l->header->id]->last, l->exit);
    vec_for_each (&l->f->blocks, b)
        for (struct ir_value *v = (*b)->first; v && !is_inside(l, *b); v = v->next)
            for (unsigned i = 0; i < v->ops.len; i++)
                if (v->ops.data[i]->block == l->header &&
                    !(v->op == IR_PHI && is_inside(l, v->targets.data[i])))
                    v->ops.data[i] = in_round(last, v->ops.data[i]);
}

static void unroll_loop(struct loop *l)
{
    unsigned values = l->f->next_value, blocks = l->f->next_block;
    struct round *rounds = arena_alloc(&l->scratch, (l->rounds + 1) * sizeof(*rounds));
    bool *inside =
        arena_alloc(&l->scratch, (blocks + (l->rounds + 1) * l->blocks.len) * sizeof(*inside));

    /* Copies get ids above the existing ones and count as outside. */
    memcpy(inside, l->inside, blocks * sizeof(*inside));
    l->inside = inside;
    for (unsigned i = 0; i <= l->rounds; i++) {
        rounds[i] = new_round(l, values, blocks);
        for (unsigned k = 0; k < (i < l->rounds ? l->blocks.len : 1); k++)
            copy_block(l, &rounds[i], i ? &rounds[i - 1] : NULL, l->blocks.data[k]);
    }
    for (unsigned i = 0; i < l->rounds; i++) {
        vec_for_each (&l->blocks, b) {
            connect_copies(l, &rounds[i], *b, rounds[i + 1].blocks[l->header->id]);
            if (*b != l->header)
                extend_exits(l, &rounds[i], *b);
        }
        set_branch(rounds[i].blocks[l->header->id]->last, rounds[i].blocks[l->body->id]);
    }
    finish_last_round(l, &rounds[l->rounds]);
    vec_for_each (&l->entry->last->targets, t)
        if (*t == l->header)
            *t = rounds[0].blocks[l->header->id];
    ir_compute_preds(l->f);
}

bool ir_pass_unroll(struct ir_func *f)
{
    ir_compute_dominators(f);
    for (unsigned i = f->blocks.len; i-- > 1;) {
        struct loop l = {.f = f};
        bool fits = find_loop(&l, f->blocks.data[i]) && count_rounds(&l) && is_small(&l) &&
                    leaves_cleanly(&l);

        if (fits)
            unroll_loop(&l);
        arena_free(&l.scratch);
        if (fits)
            return true;
    }
    return false;
}
