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
    MAX_OPS = 3,
    REASON_BITS = 15,
};

/* A computed value or a taken branch. */
struct event {
    const struct ir_value *v;
    u128 value, want; /* want: bits of the value that the result follows from */
    unsigned ops[MAX_OPS];
};

struct trace {
    u128 word, why;
    unsigned count, depth;
    struct event at[MAX_EVENTS];
};

/* ---- running --------------------------------------------------------------------------------- */

static bool add_event(struct trace *t, const struct ir_value *v, u128 value, const unsigned *slot)
{
    struct event *e = &t->at[t->count];

    if (t->count == MAX_EVENTS || v->ops.count > MAX_OPS)
        return false;
    *e = (struct event){.v = v, .value = value};
    for (unsigned i = 0; i < v->ops.count; i++)
        e->ops[i] = slot[v->ops.at[i]->id];
    t->count++;
    return true;
}

static bool compute(const struct trace *t, const struct ir_value *v, const unsigned *slot,
                    u128 *value)
{
    struct ir_operand args[MAX_OPS] = {0};
    u128 in[MAX_OPS] = {0};

    if (v->type.lanes != 1 || v->ops.count > MAX_OPS)
        return false;
    for (unsigned i = 0; i < v->ops.count; i++) {
        if (v->ops.at[i]->type.lanes != 1)
            return false;
        in[i] = t->at[slot[v->ops.at[i]->id]].value;
        args[i] = (struct ir_operand){v->ops.at[i]->type, &in[i]};
    }
    if (v->op != IR_INTRINSIC)
        return ir_arith(v->op, v->type, v->ops.count, args, value);
    if (!v->fn->pure || v->fn->nparams_text)
        return false;
    *value = v->fn->pure->compute(in[0], in[1], in[2]);
    return true;
}

static bool run(struct trace *t, const struct ir_func *f, const unsigned *args, unsigned *result);

static bool run_call(struct trace *t, const struct ir_value *v, const unsigned *slot,
                     unsigned *result)
{
    unsigned args[MAX_VALUES];

    if (v->callee->outs.count || v->ops.count > MAX_VALUES || t->depth == MAX_DEPTH)
        return false;
    for (unsigned i = 0; i < v->ops.count; i++)
        args[i] = slot[v->ops.at[i]->id];
    t->depth++;
    if (!run(t, v->callee, args, result))
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
               compute(t, v, slot, &value) && add_event(t, v, value, slot);
    }
}

static const struct ir_block *next_block(const struct ir_value *last, u128 on)
{
    if (last->op == IR_CBR)
        return last->targets.at[on ? 0 : 1];
    for (unsigned i = 0; i < last->cases.count; i++)
        if (last->cases.at[i] == on)
            return last->targets.at[i + 1];
    return last->targets.at[0];
}

/* The next block; NULL if there is none. */
static const struct ir_block *leave(struct trace *t, const struct ir_block *b, unsigned *slot)
{
    const struct ir_value *last = b->last;
    unsigned phis[MAX_VALUES], n = 0;
    const struct ir_block *to = NULL;

    if (last->op == IR_BR)
        to = last->targets.at[0];
    else if ((last->op == IR_CBR || last->op == IR_SWITCH) &&
             add_event(t, last, t->at[slot[last->ops.at[0]->id]].value, slot))
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
static bool run(struct trace *t, const struct ir_func *f, const unsigned *args, unsigned *result)
{
    const struct ir_block *b = f->blocks.at[0];
    unsigned slot[MAX_VALUES];

    if (f->next_value > MAX_VALUES)
        return false;
    while (b) {
        for (const struct ir_value *v = ir_after_phis(b); v->next; v = v->next)
            if (!run_value(t, v, args, slot))
                return false;
        if (b->last->op == IR_RET && b->last->ops.count == 1) {
            *result = slot[b->last->ops.at[0]->id];
            return true;
        }
        b = leave(t, b, slot);
    }
    return false;
}

/* ---- backwards ------------------------------------------------------------------------------- */

/* All bits up to the highest one of `v`. */
static u128 up_to_highest(u128 v)
{
    for (unsigned by = 1; by < 128; by *= 2)
        v |= v >> by;
    return v;
}

static void ask(struct trace *t, const struct event *e, unsigned op, u128 bits)
{
    t->at[e->ops[op]].want |= bits & low_bits(e->v->ops.at[op]->type.bits);
}

/* A `strong` bit of one operand (0 for AND, 1 for OR) decides the result alone. A constant's strong
 * bits are preferred. */
static void ask_gate(struct trace *t, const struct event *e, u128 strong_x, u128 strong_y)
{
    bool x_first = e->v->ops.at[0]->op == IR_CONST;

    ask(t, e, 0, e->want & (x_first ? strong_x | ~strong_y : ~strong_y));
    ask(t, e, 1, e->want & (x_first ? ~strong_x : strong_y | ~strong_x));
}

static void ask_each(struct trace *t, const struct event *e, u128 bits)
{
    for (unsigned i = 0; i < e->v->ops.count; i++)
        ask(t, e, i, bits);
}

/* A sum or a difference: the wanted bits, and lower ones down to the highest bit that decides the
 * carry. */
static void ask_sum(struct trace *t, const struct event *e)
{
    bool unary = e->v->op == IR_NEG;
    u128 x = unary ? 0 : t->at[e->ops[0]].value, y = t->at[e->ops[unary ? 0 : 1]].value;
    u128 below = lowest_bit(e->want) - 1, upper = up_to_highest(e->want);
    u128 decides = (e->v->op == IR_ADD ? ~(x ^ y) : x ^ y) & below;

    ask_each(t, e, upper & ~(up_to_highest(decides) >> 1));
}

/* Whether a number is 0: a single 1 bit proves that it is not. */
static void ask_truth(struct trace *t, const struct event *e, unsigned op)
{
    u128 value = t->at[e->ops[op]].value;

    ask(t, e, op, value ? lowest_bit(value) : ~(u128)0);
}

static void ask_shift(struct trace *t, const struct event *e)
{
    const struct ir_value *v = e->v;
    u128 by = t->at[e->ops[1]].value, all = low_bits(v->type.bits), want = e->want;
    bool sign = v->op == IR_SHR && v->type.base == IR_SINT;

    ask(t, e, 1, ~(u128)0);
    if (by >= v->type.bits) {
        ask(t, e, 0, sign ? all & ~(all >> 1) : 0);
        return;
    }
    if (v->op == IR_SHL) {
        ask(t, e, 0, want >> by);
        return;
    }
    ask(t, e, 0, want << by & all);
    if (sign && want & ~(all >> by))
        ask(t, e, 0, all & ~(all >> 1));
}

/* An order of two numbers follows from the larger one's 1 bits and the smaller one's 0 bits, from
 * the highest difference up. Other bits cannot reverse it. */
static void ask_order(struct trace *t, const struct event *e, unsigned big, bool strict, u128 flip)
{
    u128 x = t->at[e->ops[big]].value ^ flip, y = t->at[e->ops[1 - big]].value ^ flip;
    u128 above = ~(up_to_highest(x ^ y) >> 1);

    if (!strict && e->v->ops.at[1 - big]->op == IR_CONST && !(y & ~x)) {
        ask(t, e, big, y);
    } else if (!strict && e->v->ops.at[big]->op == IR_CONST && !(y & ~x)) {
        ask(t, e, 1 - big, ~x);
    } else {
        ask(t, e, big, x == y ? ~(u128)0 : x & above);
        ask(t, e, 1 - big, x == y ? ~(u128)0 : ~y & above);
    }
}

/* A comparison: a single differing bit proves inequality. */
static void ask_comparison(struct trace *t, const struct event *e)
{
    struct ir_type type = e->v->ops.at[0]->type;
    u128 x = t->at[e->ops[0]].value, y = t->at[e->ops[1]].value, all = low_bits(type.bits);
    bool less = e->v->op == IR_LT || e->v->op == IR_GE, holds;

    if (!ir_is_int(type) || e->v->op == IR_EQ || e->v->op == IR_NE) {
        ask_each(t, e, x != y && ir_is_int(type) ? lowest_bit(x ^ y) : ~(u128)0);
        return;
    }
    /* The cases are x < y or x >= y, and x > y or x <= y. */
    holds = (e->value != 0) == (e->v->op == IR_LT || e->v->op == IR_GT);
    ask_order(t, e, less == holds, holds, type.base == IR_SINT ? all & ~(all >> 1) : 0);
}

static void ask_conversion(struct trace *t, const struct event *e)
{
    struct ir_type from = e->v->ops.at[0]->type;
    u128 all = low_bits(from.bits);

    if (!ir_is_int(from) || !ir_is_int(e->v->type)) {
        ask(t, e, 0, all);
        return;
    }
    ask(t, e, 0, e->want);
    if (from.base == IR_SINT && e->want & ~all)
        ask(t, e, 0, all & ~(all >> 1));
}

static void ask_select(struct trace *t, const struct event *e)
{
    ask_truth(t, e, 0);
    ask(t, e, t->at[e->ops[0]].value ? 1 : 2, e->want);
}

static void ask_operands(struct trace *t, const struct event *e)
{
    u128 x = e->v->ops.count ? t->at[e->ops[0]].value : 0;
    u128 y = e->v->ops.count > 1 ? t->at[e->ops[1]].value : 0;

    if (!ir_is_int(e->v->type)) {
        ask_each(t, e, ~(u128)0);
        return;
    }
    switch (e->v->op) {
    case IR_AND:
        ask_gate(t, e, ~x, ~y);
        break;
    case IR_OR:
        ask_gate(t, e, x, y);
        break;
    case IR_XOR:
    case IR_NOT:
        ask_each(t, e, e->want);
        break;
    case IR_ADD:
    case IR_SUB:
    case IR_NEG:
        ask_sum(t, e);
        break;
    case IR_MUL:
        ask_each(t, e, up_to_highest(e->want));
        break;
    case IR_SHL:
    case IR_SHR:
        ask_shift(t, e);
        break;
    case IR_EQ:
    case IR_NE:
    case IR_LT:
    case IR_LE:
    case IR_GT:
    case IR_GE:
        ask_comparison(t, e);
        break;
    case IR_SELECT:
        ask_select(t, e);
        break;
    case IR_CONVERT:
        ask_conversion(t, e);
        break;
    default:
        ask_each(t, e, ~(u128)0);
        break;
    }
}

/* Collects the bits of the word that imply the result and all branches taken. */
static void go_back(struct trace *t, unsigned result)
{
    t->at[result].want = ~(u128)0;
    for (unsigned i = t->count; i-- > 0;) {
        const struct event *e = &t->at[i];

        if (e->v->op == IR_CBR)
            ask_truth(t, e, 0);
        else if (e->v->op == IR_SWITCH)
            ask(t, e, 0, ~(u128)0);
        else if (e->want && e->v->op == IR_FIELD)
            t->why |= (e->want & low_bits(e->v->field->width)) << e->v->field->lsb;
        else if (e->want && e->v->op == IR_WORD)
            t->why |= e->want;
        else if (e->want)
            ask_operands(t, e);
    }
}

static bool trace(const struct word_expr *e, u128 word, int64_t *value, u128 *why)
{
    struct trace t;
    unsigned result;

    t.word = word;
    t.why = 0;
    t.count = t.depth = 0;
    if (!run(&t, e->func, NULL, &result))
        return false;
    *value = (int64_t)t.at[result].value;
    go_back(&t, result);
    *why = t.why & e->depends;
    return true;
}

/* ---- what is remembered ---------------------------------------------------------------------- */

enum { REASON_MASKS = 24 };

/* Cache entry: bits of the word that settle the value of an expression. */
struct reason {
    const struct reasons *of;
    u128 mask, bits;
    int64_t value;
};

/* The masks with which an expression was settled so far. */
struct reasons {
    u128 *masks;
    unsigned count;
    unsigned number; /* expression's number: hashed, since its address differs between runs */
};

static struct reason *reason_at(struct text *t, const struct reasons *of, u128 mask, u128 bits)
{
    uint64_t h = of->number;

    for (unsigned i = 0; i < 128; i += 64) {
        h = (h ^ (uint64_t)(mask >> i)) * 0x9e3779b97f4a7c15u;
        h = (h ^ h >> 29 ^ (uint64_t)(bits >> i)) * 0x9e3779b97f4a7c15u;
    }
    if (!t->reasons)
        t->reasons = arena_alloc(t->arena, sizeof *t->reasons << REASON_BITS);
    return &t->reasons[h >> (64 - REASON_BITS)];
}

static bool known(struct text *t, const struct reasons *r, u128 word, int64_t *value, u128 *why)
{
    for (unsigned i = 0; i < r->count; i++) {
        const struct reason *one = reason_at(t, r, r->masks[i], word & r->masks[i]);

        if (one->of != r || one->mask != r->masks[i] || one->bits != (word & r->masks[i]))
            continue;
        *value = one->value;
        *why = one->mask;
        return true;
    }
    return false;
}

static void remember(struct text *t, struct reasons *r, u128 word, int64_t value, u128 why)
{
    unsigned i = 0;

    if (!r->masks)
        r->masks = arena_alloc(t->arena, REASON_MASKS * sizeof *r->masks);
    while (i < r->count && r->masks[i] != why)
        i++;
    if (i == REASON_MASKS)
        return;
    r->masks[i] = why;
    r->count += i == r->count;
    *reason_at(t, r, why, word & why) = (struct reason){r, why, word & why, value};
}

struct reasons *reasons_new(struct text *t)
{
    struct reasons *r = arena_new(t->arena, struct reasons);

    r->number = t->reasons_made++;
    return r;
}

bool word_expr_why(struct text *t, struct form *form, const struct word_expr *e, u128 word,
                   int64_t *value, u128 *why)
{
    if (known(t, e->reasons, word, value, why))
        return true;
    if (!e->uses_decode && trace(e, word, value, why)) {
        remember(t, e->reasons, word, *value, *why);
        return true;
    }
    *why = e->depends;
    return word_expr_value(t, form, e, word, value);
}
