/*
 * The evaluator: computes a function on a machine, without generated code.
 */
#include "gencc/ir/eval.h"
#include "gencc/ir/arith.h"
#include "gencc/ir/pass.h"
#include "gencc/ir/pure.h"
#include "gencc/model/model.h"

#include <stdlib.h>

enum {
    MAX_DEPTH = 64,
    DEFAULT_STEPS = 1000000,
    LOCAL_CELLS = 4000, /* lanes on the C stack, before the first allocation */
    CHUNK_CELLS = 4000, /* small enough that malloc reuses freed chunks */
};

/* A stack of memory for lanes. A call releases what it took. */
struct chunk {
    struct chunk *below;
    size_t used, size;
    u128 *cells;
};

struct run {
    struct ir_machine *m;
    struct chunk *top;
    uint64_t steps;
    unsigned depth;
    enum ir_outcome outcome;
};

/* A call being evaluated. slot[id] points to the lanes of a value; NULL: not computed yet. */
struct frame {
    struct run *run;
    const struct ir_func *f;
    const u128 *const *args;
    u128 **slot;
    u128 **vars;
};

static u128 *take_cells(struct run *r, size_t n)
{
    u128 *p;

    if (r->top->size - r->top->used < n) {
        size_t size = n > CHUNK_CELLS ? n : CHUNK_CELLS;
        struct chunk *c = malloc(sizeof(*c) + sizeof(u128) * (size + 1));

        if (!c)
            return NULL;
        /* malloc may align less than u128 requires. */
        c->cells = (u128 *)(((uintptr_t)(c + 1) + sizeof(u128) - 1) & ~(sizeof(u128) - 1));
        c->below = r->top;
        c->used = 0;
        c->size = size;
        r->top = c;
    }
    p = r->top->cells + r->top->used;
    r->top->used += n;
    return p;
}

static void release_cells(struct run *r, struct chunk *to, size_t used)
{
    while (r->top != to) {
        struct chunk *c = r->top;

        r->top = c->below;
        free(c);
    }
    r->top->used = used;
}

static bool stop_run(struct run *r, enum ir_outcome why)
{
    r->outcome = why;
    return false;
}

static size_t cells_for(size_t bytes)
{
    return (bytes + sizeof(u128) - 1) / sizeof(u128);
}

/* Returns the lanes of `v` for writing. The slot of a call also holds its outputs, after the
 * result. */
static u128 *slot_of(struct frame *fr, const struct ir_value *v, size_t lanes)
{
    if (!fr->slot[v->id])
        fr->slot[v->id] = take_cells(fr->run, lanes ? lanes : 1);
    if (!fr->slot[v->id])
        stop_run(fr->run, IR_LIMIT);
    return fr->slot[v->id];
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool run_func(struct run *r, const struct ir_func *f, const u128 *const *args,
                     u128 *const *results);

static size_t result_lanes(struct ir_type t)
{
    return ir_is_void(t) ? 1 : t.lanes;
}

/* Index of output n (from 1) in the slot of a call. */
static size_t output_place(const struct ir_value *call, unsigned n)
{
    size_t at = result_lanes(call->type);

    for (unsigned i = 1; i < n; i++)
        at += result_lanes(ir_output_type(call, i));
    return at;
}

static unsigned output_count(const struct ir_value *call)
{
    unsigned n = 0;

    if (call->op == IR_CALL)
        return call->callee->outs.len;
    vec_for_each (&call->fn->by_ref, ref)
        n += *ref;
    return n;
}

static bool eval_call(struct frame *fr, const struct ir_value *v)
{
    unsigned outs = output_count(v);
    u128 *to = slot_of(fr, v, output_place(v, outs + 1));
    size_t pointers = cells_for((v->ops.len + outs + 1) * sizeof(u128 *));
    struct chunk *top = fr->run->top;
    size_t used = top->used;
    u128 **list;
    bool ok;

    if (!to)
        return false;
    list = (u128 **)take_cells(fr->run, pointers);
    if (!list)
        return stop_run(fr->run, IR_LIMIT);
    for (unsigned i = 0; i < v->ops.len; i++)
        list[i] = fr->slot[v->ops.data[i]->id];
    for (unsigned i = 0; i <= outs; i++)
        list[v->ops.len + i] = i ? to + output_place(v, i) : to;
    ok = run_func(fr->run, v->callee, (const u128 *const *)list, list + v->ops.len);
    release_cells(fr->run, top, used);
    return ok;
}

static bool eval_external(struct frame *fr, const struct ir_value *v, u128 *to)
{
    struct ir_machine *m = fr->run->m;
    void (*address)(void) = m->external ? m->external(m->opaque, v->fn->name) : NULL;
    u128 args[IR_MAX_ARGS];

    for (unsigned i = 0; i < v->ops.len && i < IR_MAX_ARGS; i++)
        args[i] = *fr->slot[v->ops.data[i]->id];
    m->missing = v->fn->name;
    return (address && ir_call_external(address, v->fn, args, to)) || stop_run(fr->run, IR_NO_FN);
}

/* Calls the machine's callback, whose arguments and results have IR_MAX_LANES lanes each. */
static bool call_machine(struct frame *fr, const struct ir_value *v, u128 *to)
{
    struct ir_machine *m = fr->run->m;
    unsigned skip = v->fn->nparams_text, n = v->fn->params.len, out = 0;
    size_t lanes = sizeof(struct ir_data) / sizeof(u128);
    struct chunk *top = fr->run->top;
    size_t used = top->used;
    struct ir_data *args = (struct ir_data *)take_cells(fr->run, lanes * (2 * n + 1));
    struct ir_data *results;
    bool ok;

    if (!args)
        return stop_run(fr->run, IR_LIMIT);
    results = args + n;
    results[0].lane[0] = 0;
    for (unsigned i = 0; i < n; i++) {
        memcpy(args[i].lane, fr->slot[v->ops.data[skip + i]->id],
               v->fn->params.data[i].lanes * sizeof(u128));
        if (v->fn->by_ref.data[i])
            memcpy(results[++out].lane, args[i].lane, v->fn->params.data[i].lanes * sizeof(u128));
    }
    ok = m->intrinsic(m->opaque, v->fn, skip ? v->ops.data[0]->text : NULL, args, results);
    for (unsigned i = 0; i <= out && ok; i++) {
        struct ir_type t = i ? ir_output_type(v, i) : v->type;

        for (unsigned l = 0; l < t.lanes; l++)
            to[(i ? output_place(v, i) : 0) + l] = results[i].lane[l] & low_bits(t.bits);
    }
    release_cells(fr->run, top, used);
    return ok || stop_run(fr->run, IR_LEFT);
}

static bool eval_intrinsic(struct frame *fr, const struct ir_value *v, u128 *to)
{
    u128 args[3] = {0};

    if (!v->fn->pure) {
        fr->run->m->missing = v->fn->name;
        return fr->run->m->intrinsic ? call_machine(fr, v, to) : stop_run(fr->run, IR_NO_FN);
    }
    for (unsigned l = 0; l < v->type.lanes; l++) {
        for (unsigned i = 0; i < v->ops.len && i < 3; i++)
            args[i] = fr->slot[v->ops.data[i]->id][v->ops.data[i]->type.lanes > 1 ? l : 0];
        to[l] = v->fn->pure->compute(args[0], args[1], args[2]);
    }
    return true;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool eval_arith(struct frame *fr, const struct ir_value *v, u128 *to)
{
    struct ir_operand args[IR_MAX_LANES];

    if (v->ops.len > IR_MAX_LANES)
        return stop_run(fr->run, IR_LIMIT);
    for (unsigned i = 0; i < v->ops.len; i++)
        args[i] = (struct ir_operand){v->ops.data[i]->type, fr->slot[v->ops.data[i]->id]};
    return ir_arith(v->op, v->type, v->ops.len, args, to);
}

static void eval_register(struct frame *fr, const struct ir_value *v, u128 *to)
{
    bool writes = v->op == IR_REG_WRITE;
    u128 index = v->ops.len > writes ? *fr->slot[v->ops.data[0]->id] : 0;
    const struct ir_value *value = writes ? v->ops.data[v->ops.len - 1] : NULL;

    if (writes)
        ir_state_write(fr->run->m, v->view, index, value->type, fr->slot[value->id]);
    else
        ir_state_read(fr->run->m, v->view, index, v->type, to);
}

static bool eval_variable(struct frame *fr, const struct ir_value *v, u128 *to)
{
    size_t bytes = v->var->type.lanes * sizeof(u128);
    u128 **cell = &fr->vars[v->var->id];

    if (!*cell) {
        *cell = take_cells(fr->run, v->var->type.lanes);
        if (!*cell)
            return stop_run(fr->run, IR_LIMIT);
        memset(*cell, 0, bytes);
    }
    if (v->op == IR_VAR_READ)
        memcpy(to, *cell, bytes);
    else
        memcpy(*cell, fr->slot[v->ops.data[0]->id], bytes);
    return true;
}

static u128 field_value(const struct ir_machine *m, const struct field *f)
{
    if (!f->computed)
        return field_extract(f, m->word);
    return m->fields ? m->fields[f->index] : 0;
}

static bool eval_leaf(struct frame *fr, const struct ir_value *v, u128 *to)
{
    const struct ir_machine *m = fr->run->m;

    switch (v->op) {
    case IR_CONST:
        for (unsigned i = 0; i < v->type.lanes; i++)
            to[i] = v->imm;
        return true;
    case IR_PARAM:
        memcpy(to, fr->args[(unsigned)v->imm], v->type.lanes * sizeof(*to));
        return true;
    case IR_FIELD:
        *to = field_value(m, v->field) & low_bits(v->type.bits);
        return true;
    case IR_WORD:
        *to = m->word & low_bits(v->type.bits);
        return true;
    case IR_FIELD_WRITE:
        if (m->fields)
            m->fields[v->field->index] = *fr->slot[v->ops.data[0]->id];
        return true;
    default: /* IR_RESULT */
        memcpy(to, fr->slot[v->ops.data[0]->id] + output_place(v->ops.data[0], (unsigned)v->imm),
               v->type.lanes * sizeof(*to));
        return true;
    }
}

static bool observe(struct frame *fr, const struct ir_value *v, const u128 *to)
{
    const struct ir_machine *m = fr->run->m;

    if (m->observe)
        m->observe(m->opaque, v, fr->slot, to);
    return true;
}

static bool uses_float(const struct ir_value *v)
{
    return v->type.base == IR_FLOAT || (v->ops.len && v->ops.data[0]->type.base == IR_FLOAT);
}

static bool eval_value(struct frame *fr, const struct ir_value *v)
{
    u128 *to;

    if (v->op == IR_CALL)
        return eval_call(fr, v);
    to =
        slot_of(fr, v,
                v->op == IR_INTRINSIC || v->op == IR_EXTERNAL ? output_place(v, output_count(v) + 1)
                                                              : v->type.lanes);
    if (!to)
        return false;
    switch (v->op) {
    case IR_INTRINSIC:
        return eval_intrinsic(fr, v, to) && (!v->fn->pure || observe(fr, v, to));
    case IR_EXTERNAL:
        return eval_external(fr, v, to) && observe(fr, v, to);
    case IR_REG_READ:
    case IR_REG_WRITE:
        eval_register(fr, v, to);
        return true;
    case IR_VAR_READ:
    case IR_VAR_WRITE:
        return eval_variable(fr, v, to);
    case IR_TEXT:
        return true;
    default:
        if (v->op < IR_ADD || v->op > IR_CONCAT)
            return eval_leaf(fr, v, to);
        return eval_arith(fr, v, to) && (!uses_float(v) || observe(fr, v, to));
    }
}

/* ---- control --------------------------------------------------------------------------------- */

/* The PHIs of a block change simultaneously: all operands are read before any PHI is written. */
static bool eval_phis(struct frame *fr, const struct ir_block *b, const struct ir_block *from)
{
    struct chunk *top;
    size_t used, total = 0;
    u128 *copy, *p;

    for (const struct ir_value *v = b->first; v->op == IR_PHI; v = v->next) {
        total += v->type.lanes;
        if (!slot_of(fr, v, v->type.lanes))
            return false;
    }
    top = fr->run->top;
    used = top->used;
    copy = p = take_cells(fr->run, total);
    if (!copy)
        return stop_run(fr->run, IR_LIMIT);
    for (const struct ir_value *v = b->first; v->op == IR_PHI; p += v->type.lanes, v = v->next)
        memcpy(p, fr->slot[ir_phi_from(v, from)->id], v->type.lanes * sizeof(*p));
    p = copy;
    for (const struct ir_value *v = b->first; v->op == IR_PHI; p += v->type.lanes, v = v->next)
        memcpy(fr->slot[v->id], p, v->type.lanes * sizeof(*p));
    release_cells(fr->run, top, used);
    return true;
}

static const struct ir_block *next_block(const struct frame *fr, const struct ir_value *t)
{
    u128 on;

    if (t->op == IR_BR)
        return t->targets.data[0];
    on = *fr->slot[t->ops.data[0]->id];
    if (t->op == IR_CBR)
        return t->targets.data[on ? 0 : 1];
    for (unsigned i = 0; i < t->cases.len; i++)
        if (t->cases.data[i] == on)
            return t->targets.data[i + 1];
    return t->targets.data[0];
}

static void eval_return(const struct frame *fr, const struct ir_value *ret, u128 *const *results)
{
    unsigned first = ir_is_void(fr->f->result);

    for (unsigned i = 0; i < ret->ops.len; i++)
        memcpy(results[first + i], fr->slot[ret->ops.data[i]->id],
               ret->ops.data[i]->type.lanes * sizeof(u128));
}

static bool run_blocks(struct frame *fr, u128 *const *results)
{
    const struct ir_block *b = fr->f->blocks.data[0], *from;

    for (;;) {
        for (const struct ir_value *v = ir_after_phis(b); v->next; v = v->next) {
            if (fr->run->steps-- == 0)
                return stop_run(fr->run, IR_LIMIT);
            if (!eval_value(fr, v))
                return false;
        }
        if (b->last->op == IR_RET) {
            eval_return(fr, b->last, results);
            return true;
        }
        if (b->last->op == IR_UNREACHABLE)
            return stop_run(fr->run, IR_LEFT);
        if (fr->run->steps-- == 0)
            return stop_run(fr->run, IR_LIMIT);
        from = b;
        b = next_block(fr, b->last);
        if (b->first->op == IR_PHI && !eval_phis(fr, b, from))
            return false;
    }
}

static bool run_func(struct run *r, const struct ir_func *f, const u128 *const *args,
                     u128 *const *results)
{
    struct frame fr = {.run = r, .f = f, .args = args};
    struct chunk *top = r->top;
    size_t used = top->used, pointers = f->next_value + f->vars.len;
    bool ok;

    if (r->depth == MAX_DEPTH)
        return stop_run(r, IR_LIMIT);
    fr.slot = (u128 **)take_cells(r, cells_for(pointers * sizeof(*fr.slot)));
    if (!fr.slot)
        return stop_run(r, IR_LIMIT);
    memset(fr.slot, 0, pointers * sizeof(*fr.slot));
    fr.vars = fr.slot + f->next_value;
    r->depth++;
    ok = run_blocks(&fr, results);
    r->depth--;
    release_cells(r, top, used);
    return ok;
}

enum ir_outcome ir_eval(struct ir_machine *m, const struct ir_func *f, const struct ir_data *args,
                        struct ir_data *results)
{
    u128 local[LOCAL_CELLS];
    struct chunk first = {.size = LOCAL_CELLS, .cells = local};
    struct run r = {.m = m, .top = &first, .steps = m->max_steps ? m->max_steps : DEFAULT_STEPS};
    size_t n = f->params.len + f->outs.len + 1;
    u128 **list = (u128 **)take_cells(&r, cells_for(n * sizeof(*list)));

    if (!list)
        return IR_LIMIT;
    for (unsigned i = 0; i < f->params.len; i++)
        list[i] = (u128 *)args[i].lane;
    for (unsigned i = 0; i <= f->outs.len; i++)
        list[f->params.len + i] = results[i].lane;
    run_func(&r, f, (const u128 *const *)list, list + f->params.len);
    release_cells(&r, &first, 0);
    return r.outcome;
}
