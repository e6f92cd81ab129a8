/*
 * Explains the value of an expression by bits of the word. The expression is executed once, and its
 * operations are recorded. Then, backwards, each operation demands the operand bits that imply its
 * own demanded bits. Results are cached.
 */
#include "gencc/asm/solve/reason.h"
#include "gencc/ir/arith.h"
#include "gencc/ir/pass.h"
#include "gencc/ir/pure.h"
#include "gencc/disasm/text.h"

enum {
    MAX_EVENTS = 2048,
    MAX_VALUES = 1024, /* per function */
    MAX_DEPTH = 16,
    MAX_OPS = IR_STEP_OPERANDS,
    REASON_BITS = 15,
};

/* A computed value or a taken branch. */
struct event {
    const struct ir_value *v;
    u128 value, want; /* want: bits of the value that the result follows from */
    unsigned ops[MAX_OPS];
};

struct trace {
    u128 word, reason_bits;
    unsigned count, depth;
    struct event at[MAX_EVENTS];
};

/* ---- running --------------------------------------------------------------------------------- */

static bool add_event(struct trace *t, const struct ir_value *v, u128 value, const unsigned *slot)
{
    struct event *e = &t->at[t->count];

    if (t->count == MAX_EVENTS || v->ops.len > MAX_OPS)
        return false;
    *e = (struct event){.v = v, .value = value};
    for (unsigned i = 0; i < v->ops.len; i++)
        e->ops[i] = slot[v->ops.data[i]->id];
    t->count++;
    return true;
}

static bool compute_value(const struct trace *t, const struct ir_value *v, const unsigned *slot,
                          u128 *value)
{
    struct ir_operand args[MAX_OPS] = {0};
    u128 in[MAX_OPS] = {0};

    if (v->type.lanes != 1 || v->ops.len > MAX_OPS)
        return false;
    for (unsigned i = 0; i < v->ops.len; i++) {
        if (v->ops.data[i]->type.lanes != 1)
            return false;
        in[i] = t->at[slot[v->ops.data[i]->id]].value;
        args[i] = (struct ir_operand){v->ops.data[i]->type, &in[i]};
    }
    if (v->op != IR_INTRINSIC)
        return ir_arith(v->op, v->type, v->ops.len, args, value);
    if (!v->fn->pure || v->fn->nparams_text)
        return false;
    *value = v->fn->pure->compute(in[0], in[1], in[2]);
    return true;
}

static bool run_function(struct trace *t, const struct ir_func *f, const unsigned *args,
                         unsigned *result);

static bool run_call(struct trace *t, const struct ir_value *v, const unsigned *slot,
                     unsigned *result)
{
    unsigned args[MAX_VALUES];

    if (v->callee->outs.len || v->ops.len > MAX_VALUES || t->depth == MAX_DEPTH)
        return false;
    for (unsigned i = 0; i < v->ops.len; i++)
        args[i] = slot[v->ops.data[i]->id];
    t->depth++;
    if (!run_function(t, v->callee, args, result))
        return false;
    t->depth--;
    return true;
}

/* Sets slot[v->id] to the event that has the value. */
static bool run_value(struct trace *t, const struct ir_value *v, const unsigned *args,
                      unsigned *slot)
{
    u128 value;

    slot[v->id] = t->count;
    switch (v->op) {
    case IR_PARAM:
        slot[v->id] = args[(unsigned)v->imm];
        return true;
    case IR_CALL:
        return run_call(t, v, slot, &slot[v->id]);
    case IR_CONST:
        return v->type.lanes == 1 && add_event(t, v, v->imm, slot);
    case IR_FIELD:
        return !v->field->computed &&
               add_event(t, v, field_extract(v->field, t->word) & low_bits(v->type.bits), slot);
    case IR_WORD:
        return add_event(t, v, t->word & low_bits(v->type.bits), slot);
    default:
        return (v->op == IR_INTRINSIC || (v->op >= IR_ADD && v->op <= IR_CONCAT)) &&
               compute_value(t, v, slot, &value) && add_event(t, v, value, slot);
    }
}

static const struct ir_block *next_block(const struct ir_value *last, u128 on)
{
    if (last->op == IR_CBR)
        return last->targets.data[on ? 0 : 1];
    for (unsigned i = 0; i < last->cases.len; i++)
        if (last->cases.data[i] == on)
            return last->targets.data[i + 1];
    return last->targets.data[0];
}

/* The next block; NULL if there is none. */
static const struct ir_block *leave_block(struct trace *t, const struct ir_block *b, unsigned *slot)
{
    const struct ir_value *last = b->last;
    unsigned phis[MAX_VALUES], n = 0;
    const struct ir_block *to = NULL;

    if (last->op == IR_BR)
        to = last->targets.data[0];
    else if ((last->op == IR_CBR || last->op == IR_SWITCH) &&
             add_event(t, last, t->at[slot[last->ops.data[0]->id]].value, slot))
        to = next_block(last, t->at[t->count - 1].value);
    if (!to)
        return NULL;
    for (const struct ir_value *v = to->first; v->op == IR_PHI; v = v->next)
        phis[n++] = slot[ir_phi_from(v, b)->id];
    n = 0;
    for (const struct ir_value *v = to->first; v->op == IR_PHI; v = v->next)
        slot[v->id] = phis[n++];
    return to;
}

/* Runs a function whose parameters are the events `args`. False if an operation is not
 * supported. */
static bool run_function(struct trace *t, const struct ir_func *f, const unsigned *args,
                         unsigned *result)
{
    const struct ir_block *b = f->blocks.data[0];
    unsigned slot[MAX_VALUES];

    if (f->next_value > MAX_VALUES)
        return false;
    while (b) {
        for (const struct ir_value *v = ir_after_phis(b); v->next; v = v->next)
            if (!run_value(t, v, args, slot))
                return false;
        if (b->last->op == IR_RET && b->last->ops.len == 1) {
            *result = slot[b->last->ops.data[0]->id];
            return true;
        }
        b = leave_block(t, b, slot);
    }
    return false;
}

/* ---- backwards ------------------------------------------------------------------------------- */

/* Adds the bits of the operands that imply the wanted bits of an event. */
static void explain_event(struct trace *t, const struct event *e)
{
    const struct ir_value *v = e->v;
    ir_explain_rule *rule = ir_transfers[v->op].explain;
    struct ir_step s = {.v = v, .value = e->value, .want = e->want};
    bool ruled = rule && (ir_is_int(v->type) || ir_is_term(v));

    for (unsigned i = 0; i < v->ops.len; i++) {
        s.x[i] = t->at[e->ops[i]].value;
        s.asked[i] = ruled ? 0 : ~(u128)0;
    }
    if (ruled)
        rule(&s);
    for (unsigned i = 0; i < v->ops.len; i++)
        t->at[e->ops[i]].want |= s.asked[i] & low_bits(v->ops.data[i]->type.bits);
}

/* Collects the bits of the word that imply the result and all branches taken. */
static void go_back(struct trace *t, unsigned result)
{
    t->at[result].want = ~(u128)0;
    for (unsigned i = t->count; i-- > 0;) {
        const struct event *e = &t->at[i];
        struct ir_place place;

        if (e->want && ir_value_place(e->v, &place))
            t->reason_bits |= (e->want & low_bits(place.width)) << place.lsb;
        else if (e->want || ir_is_term(e->v))
            explain_event(t, e);
    }
}

static bool trace_expression(const struct word_expr *e, u128 word, int64_t *value, u128 *why)
{
    struct trace t;
    unsigned result;

    t.word = word;
    t.reason_bits = 0;
    t.count = t.depth = 0;
    if (!run_function(&t, e->func, NULL, &result))
        return false;
    *value = (int64_t)t.at[result].value;
    go_back(&t, result);
    *why = t.reason_bits & e->depends;
    return true;
}

/* ---- what is remembered ---------------------------------------------------------------------- */

enum { REASON_MASKS = 24 };

/* Cache entry: bits of the word that settle the value of an expression. */
struct reason {
    const struct reasons *owner;
    u128 mask, bits;
    int64_t value;
};

static struct reason *reason_at(struct text *t, const struct reasons *of, u128 mask, u128 bits)
{
    uint64_t h = of->number;

    for (unsigned i = 0; i < 128; i += 64) {
        h = (h ^ (uint64_t)(mask >> i)) * 0x9e3779b97f4a7c15u;
        h = (h ^ h >> 29 ^ (uint64_t)(bits >> i)) * 0x9e3779b97f4a7c15u;
    }
    if (!t->reasons)
        t->reasons = arena_alloc(t->arena, sizeof(*t->reasons) << REASON_BITS);
    return &t->reasons[h >> (64 - REASON_BITS)];
}

static bool find_known(struct text *t, const struct reasons *r, u128 word, int64_t *value,
                       u128 *why)
{
    for (unsigned i = 0; i < r->count; i++) {
        const struct reason *one = reason_at(t, r, r->masks[i], word & r->masks[i]);

        if (one->owner != r || one->mask != r->masks[i] || one->bits != (word & r->masks[i]))
            continue;
        *value = one->value;
        *why = one->mask;
        return true;
    }
    return false;
}

static void remember_reason(struct text *t, struct reasons *r, u128 word, int64_t value, u128 why)
{
    unsigned i = 0;

    if (!r->masks)
        r->masks = arena_alloc(t->arena, REASON_MASKS * sizeof(*r->masks));
    while (i < r->count && r->masks[i] != why)
        i++;
    if (i == REASON_MASKS)
        return;
    r->masks[i] = why;
    r->count += i == r->count;
    *reason_at(t, r, why, word & why) = (struct reason){r, why, word & why, value};
}

bool word_expr_why(struct text *t, struct form *form, const struct word_expr *e, u128 word,
                   int64_t *value, u128 *why)
{
    if (find_known(t, e->reasons, word, value, why))
        return true;
    if (!e->uses_decode && trace_expression(e, word, value, why)) {
        remember_reason(t, e->reasons, word, *value, *why);
        return true;
    }
    *why = e->depends;
    return word_expr_value(t, form, e, word, value);
}
