/*
 * Decides whether `where` conditions exclude each other for two overlapping encodings, by trying
 * all values of the fields that the conditions read.
 */
#include "gencc/model/internal.h"

#include <string.h>

enum { MAX_OPEN_BITS = 12, MAX_DEPTH = 32, MAX_STEPS = 1 << 20 };

/* A word on which conditions are evaluated */
struct trial {
    const struct builder *b;
    const struct isa_builder *ib;
    const struct format *format;
    u128 word;
    unsigned depth;  /* nesting of computed fields in computed fields */
    unsigned *steps; /* remaining steps; mutual references of fields could take many */
};

/* Evaluates an expression over unsigned fields. Returns false if the result could wrap or is
 * unknown here; such a condition decides nothing. */
static bool value_of(const struct trial *t, const struct ast_expr *e, s128 *out);

static bool name_value(const struct trial *t, const struct ast_expr *e, s128 *out)
{
    const struct field *f = format_field(t->format, e->name);
    struct trial inner = *t;
    const struct ast_def *def = name_map_get(&t->ib->constants, e->name);
    const struct ast_setting *s = name_map_get(&t->b->constants, e->name);

    inner.depth++;
    if (t->depth > MAX_DEPTH)
        return false;
    if (f && f->computed)
        return f->value && f->type.base == IR_UINT && value_of(&inner, f->value, out) &&
               !((u128)*out & ~low_bits(f->type.bits));
    if (f) {
        *out = (s128)field_extract(f, t->word);
        return true;
    }
    if (!def && !s)
        return false;
    return value_of(&inner, def ? def->value : s->value, out);
}

/* Whether an operator gives the same result in any width that its operands fit. */
static bool keeps_in_range(enum ast_op op)
{
    switch (op) {
    case AST_OP_AND:
    case AST_OP_OR:
    case AST_OP_XOR:
    case AST_OP_SHR:
        return true;
    default:
        return op >= AST_OP_EQ && op <= AST_OP_GE;
    }
}

static bool binary_value(const struct trial *t, const struct ast_expr *e, s128 *out)
{
    s128 a, b;

    if (e->op == AST_OP_LAND || e->op == AST_OP_LOR) {
        bool known = value_of(t, e->a, &a);
        bool both = value_of(t, e->b, &b);
        bool decides = e->op == AST_OP_LOR;

        *out = decides;
        if ((known && !!a == decides) || (both && !!b == decides))
            return true;
        *out = !decides;
        return known && both;
    }
    return keeps_in_range(e->op) && value_of(t, e->a, &a) && value_of(t, e->b, &b) &&
           ast_fold(e->op, a, b, out);
}

/* cat(a, b, …): concatenates raw fields, the first in the highest bits. */
static bool cat_value(const struct trial *t, const struct ast_expr *e, s128 *out)
{
    u128 all = 0;
    unsigned width = 0;

    vec_for_each (&e->args, arg) {
        const struct field *f =
            (*arg)->kind == AST_NAME ? format_field(t->format, (*arg)->name) : NULL;
        s128 v;

        if (!f || f->computed || !value_of(t, *arg, &v))
            return false;
        width += f->width;
        if (width > 64)
            return false;
        all = all << f->width | (u128)v;
    }
    *out = (s128)all;
    return true;
}

static bool value_of(const struct trial *t, const struct ast_expr *e, s128 *out)
{
    s128 condition;

    if (!*t->steps)
        return false;
    --*t->steps;
    switch (e->kind) {
    case AST_INT:
        *out = (s128)(e->value & low_bits(64));
        return e->value <= UINT64_MAX;
    case AST_NAME:
        return name_value(t, e, out);
    case AST_UNARY:
        if (e->op != AST_OP_LNOT || !value_of(t, e->a, out))
            return false;
        *out = !*out;
        return true;
    case AST_BINARY:
        return binary_value(t, e, out);
    case AST_TERNARY:
        return value_of(t, e->a, &condition) && value_of(t, condition ? e->b : e->c, out);
    case AST_CALL:
        return strcmp(e->name, "cat") == 0 && cat_value(t, e, out);
    default:
        return false;
    }
}

/* Returns false if a condition certainly rejects the word. */
static bool may_hold(struct trial *t, const struct instr *instr)
{
    t->format = instr->format;
    vec_for_each (&instr->where, w) {
        s128 v;

        if (value_of(t, *w, &v) && !v)
            return false;
    }
    return true;
}

/* Adds the bits that the conditions of an instruction may read, on any path. */
static void bits_read(const struct trial *t, const struct ast_expr *e, u128 *read, unsigned depth)
{
    const struct field *f;

    if (!e)
        return;
    if (depth > MAX_DEPTH || !*t->steps) {
        *read = ~(u128)0;
        return;
    }
    --*t->steps;
    f = e->kind == AST_NAME ? format_field(t->format, e->name) : NULL;
    if (f && f->computed)
        bits_read(t, f->value, read, depth + 1);
    else if (f)
        *read |= field_mask(f);
    bits_read(t, e->a, read, depth);
    bits_read(t, e->b, read, depth);
    bits_read(t, e->c, read, depth);
    vec_for_each (&e->args, arg)
        bits_read(t, *arg, read, depth);
}

/* Deposits the low bits of `value` in the places set in `mask`. */
static u128 deposit_bits(u128 mask, unsigned value)
{
    u128 out = 0;

    for (; mask; mask &= mask - 1, value >>= 1)
        if (value & 1)
            out |= mask & -mask;
    return out;
}

/* For which values of the open bits an instruction's conditions may hold. */
struct held {
    u128 open_bits, fixed_values; /* mask of the open bits; values of other bits that are read */
    uint64_t may_hold[(1 << MAX_OPEN_BITS) / 64];
};

/* What was tried last of an instruction, which overlaps many others, and mostly in the same
 * bits. */
struct where_held {
    struct held at[8];
    unsigned count;
};

static void try_all(const struct isa_builder *ib, const struct instr *instr, struct held *h)
{
    unsigned steps = MAX_STEPS;
    struct trial t = {.b = ib->b, .ib = ib, .steps = &steps};

    memset(h->may_hold, 0, sizeof(h->may_hold));
    for (unsigned v = 0; v < 1u << count_bits(h->open_bits); v++) {
        t.word = h->fixed_values | deposit_bits(h->open_bits, v);
        h->may_hold[v / 64] |= (uint64_t)may_hold(&t, instr) << v % 64;
    }
}

static const struct held *held_by(struct isa_builder *ib, const struct instr *instr, u128 open,
                                  u128 fixed)
{
    struct where_held *all;
    struct held *h;
    unsigned room = sizeof(all->at) / sizeof(*all->at);

    while (ib->held.len <= instr->index)
        vec_push_in(ib->b->a, &ib->held, NULL);
    if (!ib->held.data[instr->index])
        ib->held.data[instr->index] = arena_new(ib->b->a, struct where_held);
    all = ib->held.data[instr->index];
    for (unsigned i = 0; i < all->count && i < room; i++)
        if (all->at[i].open_bits == open && all->at[i].fixed_values == fixed)
            return &all->at[i];
    h = &all->at[all->count++ % room];
    h->open_bits = open;
    h->fixed_values = fixed;
    try_all(ib, instr, h);
    return h;
}

/* A word of `both` with these values of the open bits. */
static bool example_with(const struct isa_builder *ib, const struct pattern *both, u128 open,
                         unsigned v, u128 *example)
{
    struct pattern trial = {both->pos, both->mask | open, both->value | deposit_bits(open, v), {0}};

    vec_for_each (&both->nots, n)
        vec_push_in(ib->b->a, &trial.nots, *n);
    return pattern_example(ib->b->a, &trial, example);
}

/* The bits that the conditions of an instruction read. */
static u128 all_read(const struct isa_builder *ib, const struct instr *instr)
{
    unsigned steps = MAX_STEPS;
    struct trial t = {.b = ib->b, .ib = ib, .steps = &steps, .format = instr->format};
    u128 read = 0;

    vec_for_each (&instr->where, w)
        bits_read(&t, *w, &read, 0);
    return read;
}

bool where_separates(struct isa_builder *ib, const struct instr *x, const struct instr *y,
                     const struct pattern *both, u128 *example)
{
    u128 read = all_read(ib, x) | all_read(ib, y), open = read & ~both->mask;
    const struct held *by_x, *by_y;
    unsigned count = count_bits(open);

    if (count > MAX_OPEN_BITS)
        return !pattern_example(ib->b->a, both, example) || (x->where.len && y->where.len);
    by_x = held_by(ib, x, open, both->value & read);
    by_y = held_by(ib, y, open, both->value & read);
    for (unsigned v = 0; v < 1u << count; v++)
        if (by_x->may_hold[v / 64] & by_y->may_hold[v / 64] & (uint64_t)1 << v % 64 &&
            example_with(ib, both, open, v, example))
            return false;
    return true;
}
