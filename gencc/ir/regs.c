/*
 * Forwarding of register values within a block, and removal of overwritten register writes.
 */
#include "gencc/ir/regs.h"
#include "gencc/ir/pass.h"
#include "gencc/model/model.h"

enum { MAX_KNOWN = 64 }; /* accesses remembered; further ones are not optimised */

/* A register access and the value read or written. */
struct access {
    const struct ir_value *at;
    struct ir_value *value;
};

struct known {
    struct access list[MAX_KNOWN];
    unsigned count;
};

static const struct ir_value *index_of(const struct ir_value *v)
{
    return v->ops.len > (v->op == IR_REG_WRITE) ? v->ops.data[0] : NULL;
}

static struct ir_type accessed_type(const struct ir_value *v)
{
    return v->op == IR_REG_WRITE ? v->ops.data[v->ops.len - 1]->type : v->type;
}

/* The bytes of the state that an access may touch: [*from, *to). */
static void touched_bytes(const struct ir_value *v, uint64_t *from, uint64_t *to)
{
    const struct ir_value *index = index_of(v);
    const struct reg_view *view = v->view;
    uint64_t strided = (uint64_t)(view->type.lanes - 1u) * view->elem_stride + view->type.bits / 8u;
    uint64_t size = ir_bytes(accessed_type(v)), first = 0, last = view->count ? view->count - 1 : 0;

    if (size < strided)
        size = strided;
    if (index && ir_is_const(index) && index->imm <= last)
        first = last = (uint64_t)index->imm;
    *from = view->offset + first * view->reg_stride;
    *to = view->offset + last * view->reg_stride + size;
}

static bool may_overlap(const struct ir_value *a, const struct ir_value *b)
{
    uint64_t a0, a1, b0, b1;

    touched_bytes(a, &a0, &a1);
    touched_bytes(b, &b0, &b1);
    return a0 < b1 && b0 < a1;
}

/* Whether both access the same register with the same type. */
static bool same_place(const struct ir_value *a, const struct ir_value *b)
{
    const struct ir_value *i = index_of(a), *j = index_of(b);
    struct ir_type t = accessed_type(a), u = accessed_type(b);

    if (a->view != b->view || t.bits != u.bits || t.lanes != u.lanes)
        return false;
    return i == j || (i && j && ir_is_const(i) && ir_is_const_of(j, i->imm));
}

/* Whether a call may read registers. External functions only see their arguments. */
static bool call_reads(const struct ir_value *v)
{
    return (v->op == IR_CALL || v->op == IR_INTRINSIC) && !ir_is_pure(v);
}

static bool call_writes(const struct ir_value *v)
{
    if (v->op == IR_INTRINSIC && v->fn->flags & IR_FN_MEMORY)
        return false;
    return call_reads(v) && !ir_is_removable(v);
}

static void forget_overlapping(struct known *k, const struct ir_value *v)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < k->count; i++)
        if (!may_overlap(k->list[i].at, v))
            k->list[kept++] = k->list[i];
    k->count = kept;
}

static void remember_access(struct known *k, const struct ir_value *at, struct ir_value *value)
{
    if (k->count < MAX_KNOWN)
        k->list[k->count++] = (struct access){at, value};
}

static struct ir_value *known_value(const struct known *k, const struct ir_value *read)
{
    for (unsigned i = k->count; i-- > 0;)
        if (same_place(k->list[i].at, read) && ir_type_eq(k->list[i].value->type, read->type))
            return k->list[i].value;
    return NULL;
}

/* Whether the index is within the bank. Other writes may have no effect, so their values cannot be
 * forwarded. */
static bool surely_exists(const struct ir_value *v)
{
    const struct ir_value *index = index_of(v);

    return !index || ir_value_range(index).max < v->view->count;
}

bool ir_forward_registers(struct ir_block *b)
{
    struct known k = {.count = 0};
    bool changed = false;

    for (struct ir_value *v = b->first; v; v = v->next) {
        if (v->mark)
            continue;
        ir_forward_operands(v);
        if (v->op == IR_REG_READ) {
            struct ir_value *by = known_value(&k, v);

            if (by) {
                ir_forward(v, by);
                changed = true;
            } else {
                remember_access(&k, v, v);
            }
        } else if (v->op == IR_REG_WRITE) {
            forget_overlapping(&k, v);
            if (surely_exists(v))
                remember_access(&k, v, v->ops.data[v->ops.len - 1]);
        } else if (call_writes(v)) {
            k.count = 0;
        }
    }
    return changed;
}

static bool is_covered(const struct known *later, const struct ir_value *write)
{
    for (unsigned i = 0; i < later->count; i++)
        if (same_place(later->list[i].at, write))
            return true;
    return false;
}

bool ir_drop_dead_writes(struct ir_block *b)
{
    struct known later = {.count = 0};
    bool changed = false;

    for (struct ir_value *v = b->last, *prev; v; v = prev) {
        prev = v->prev;
        if (v->op == IR_REG_READ) {
            forget_overlapping(&later, v);
        } else if (call_reads(v)) {
            later.count = 0;
        } else if (v->op == IR_REG_WRITE) {
            if (is_covered(&later, v)) {
                ir_remove(v);
                changed = true;
            } else {
                remember_access(&later, v, NULL);
            }
        }
    }
    return changed;
}
