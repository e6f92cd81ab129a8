/*
 * Global value numbering: replaces a pure value by an equal one whose block dominates it.
 */
#include "gencc/ir/pass.h"
#include "gencc/ir/regs.h"

struct entry {
    struct ir_value *value;
    uint64_t hash;
    struct entry *next;
};

struct table {
    struct arena scratch;
    struct entry **buckets;
    size_t mask;
};

static uint64_t hash_mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

static uint64_t hash_of(const struct ir_value *v)
{
    uint64_t h = hash_mix(v->op, (uint64_t)v->type.base << 32 | v->type.bits << 16 | v->type.lanes);

    if (v->op == IR_TEXT)
        return h;
    if (ir_has_detail(v))
        h = hash_mix(hash_mix(h, (uint64_t)v->imm), (uint64_t)(v->imm >> 64));
    vec_for_each (&v->ops, op)
        h = hash_mix(h, (*op)->id);
    return h;
}

static bool same_value(const struct ir_value *a, const struct ir_value *b)
{
    if (!ir_same_operation(a, b))
        return false;
    for (unsigned i = 0; i < a->ops.len; i++)
        if (a->ops.data[i] != b->ops.data[i])
            return false;
    return true;
}

/* Puts operands of commutative operations in one order. Floats keep theirs, since the first of two
 * NaNs is the result. */
static void order_operands(struct ir_value *v)
{
    struct ir_value *x;

    if (!(ir_ops[v->op].flags & IR_F_COMM) || v->ops.data[0]->type.base == IR_FLOAT ||
        v->ops.data[0]->id <= v->ops.data[1]->id || ir_is_const(v->ops.data[1]))
        return;
    x = v->ops.data[0];
    v->ops.data[0] = v->ops.data[1];
    v->ops.data[1] = x;
}

/* Returns an equal value whose block dominates v's; otherwise adds `v` to the table and returns
 * NULL. */
static struct ir_value *find_or_add(struct table *t, struct ir_value *v)
{
    uint64_t hash = hash_of(v);
    struct entry **bucket = &t->buckets[hash & t->mask], *e;

    for (e = *bucket; e; e = e->next)
        if (e->hash == hash && same_value(e->value, v) && ir_dominates(e->value->block, v->block))
            return e->value;
    e = arena_new(&t->scratch, struct entry);
    *e = (struct entry){v, hash, *bucket};
    *bucket = e;
    return NULL;
}

static struct table new_table(const struct ir_func *f)
{
    struct table t = {.mask = 63};

    while (t.mask < f->next_value)
        t.mask = t.mask * 2 + 1;
    t.buckets = arena_alloc(&t.scratch, (t.mask + 1) * sizeof(*t.buckets));
    return t;
}

bool ir_pass_gvn(struct ir_func *f)
{
    struct table t = new_table(f);
    bool changed = false;

    ir_compute_dominators(f);
    ir_forward_begin(f);
    vec_for_each (&f->blocks, b) {
        changed |= ir_forward_registers(*b);
        for (struct ir_value *v = (*b)->first; v; v = v->next) {
            struct ir_value *by;

            ir_forward_operands(v);
            if (v->mark || v->op == IR_PHI || !ir_is_pure(v))
                continue;
            order_operands(v);
            by = find_or_add(&t, v);
            if (!by)
                continue;
            ir_forward(v, by);
            changed = true;
        }
    }
    ir_forward_end(f);
    arena_free(&t.scratch);
    return changed;
}
