/*
 * Expressions that Ghidra computes while it disassembles: signed integers of 64 bits. Each has
 * exactly the value that the IR gives, as its type says, so types narrower than 64 bits are cut
 * after each operation that can leave them.
 */
#include "gencc/export/sleigh.h"
#include "gencc/ir/pass.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_LENGTH = 1500 };

static const char *number(struct sl_form *f, int64_t value)
{
    if (value == INT64_MIN)
        return "(1 << 63)";
    return arena_printf(f->s->arena, value < 0 ? "(-0x%" PRIx64 ")" : "0x%" PRIx64,
                        (uint64_t)(value < 0 ? -value : value));
}

/* Cuts or extends an expression to a type. */
static const char *cut(struct sl_form *f, const char *x, struct ir_type t)
{
    if (t.bits == 64)
        return x;
    if (t.base == IR_UINT)
        return arena_printf(f->s->arena, "(%s $and 0x%" PRIx64 ")", x, (uint64_t)low_bits(t.bits));
    return arena_printf(f->s->arena, "((%s << %u) >> %u)", x, 64u - t.bits, 64u - t.bits);
}

/* Whether the value is the same as a signed and as an unsigned number of 64 bits. */
static bool is_small(const struct ir_value *v, unsigned bits)
{
    return v->type.base == IR_UINT && ir_value_range(v).max < (u128)1 << bits;
}

/* 1 if the two numbers differ, else 0 */
static const char *differ(struct sl_form *f, const char *x, const char *y)
{
    const char *d = arena_printf(f->s->arena, "(%s $xor %s)", x, y);

    return arena_printf(f->s->arena, "(((%s $or (-%s)) >> 63) $and 1)", d, d);
}

static const char *comparison(struct sl_form *f, const struct ir_value *v, const char *x,
                              const char *y)
{
    if (v->op == IR_NE)
        return differ(f, x, y);
    if (v->op == IR_EQ)
        return arena_printf(f->s->arena, "(1 - %s)", differ(f, x, y));
    if (!is_small(v->ops.data[0], 62) || !is_small(v->ops.data[1], 62))
        return NULL;
    if (v->op == IR_LT)
        return arena_printf(f->s->arena, "(((%s - %s) >> 63) $and 1)", x, y);
    if (v->op == IR_GT)
        return arena_printf(f->s->arena, "(((%s - %s) >> 63) $and 1)", y, x);
    if (v->op == IR_LE)
        return arena_printf(f->s->arena, "(1 - (((%s - %s) >> 63) $and 1))", y, x);
    return arena_printf(f->s->arena, "(1 - (((%s - %s) >> 63) $and 1))", x, y);
}

static const char *shift(struct sl_form *f, const struct ir_value *v, const char *x, const char *y)
{
    const struct ir_value *left = v->ops.data[0], *by = v->ops.data[1];

    if (ir_value_range(by).max >= v->type.bits || by->type.base == IR_SINT)
        return NULL;
    if (v->op == IR_SHL)
        return cut(f, arena_printf(f->s->arena, "(%s << %s)", x, y), v->type);
    if (left->type.base == IR_UINT && !is_small(left, 63))
        return NULL;
    return arena_printf(f->s->arena, "(%s >> %s)", x, y);
}

static const char *choice(struct sl_form *f, const char *c, const char *x, const char *y)
{
    return arena_printf(f->s->arena, "(%s * %s + (1 - %s) * %s)", c, x, c, y);
}

static const char *operation(struct sl_form *f, const struct ir_value *v, const char *const *args)
{
    static const char *const signs[IR_OP_COUNT] = {
        [IR_ADD] = "+",    [IR_SUB] = "-",  [IR_MUL] = "*",
        [IR_AND] = "$and", [IR_OR] = "$or", [IR_XOR] = "$xor",
    };

    if (v->op >= IR_EQ && v->op <= IR_GE)
        return comparison(f, v, args[0], args[1]);
    switch (v->op) {
    case IR_SHL:
    case IR_SHR:
        return shift(f, v, args[0], args[1]);
    case IR_NEG:
        return cut(f, arena_printf(f->s->arena, "(-%s)", args[0]), v->type);
    case IR_NOT:
        return cut(f, arena_printf(f->s->arena, "(~%s)", args[0]), v->type);
    case IR_CONVERT:
        return v->ops.data[0]->type.base == v->type.base &&
                       v->ops.data[0]->type.bits <= v->type.bits
                   ? args[0]
               : is_small(v->ops.data[0], v->type.bits - 1u) ? args[0]
                                                             : cut(f, args[0], v->type);
    case IR_SELECT:
        return ir_value_range(v->ops.data[0]).max <= 1 ? choice(f, args[0], args[1], args[2])
                                                       : NULL;
    default:
        if (!signs[v->op])
            return NULL;
        args = (const char *[]){
            arena_printf(f->s->arena, "(%s %s %s)", args[0], signs[v->op], args[1])};
        return v->op >= IR_AND && v->op <= IR_XOR ? args[0] : cut(f, args[0], v->type);
    }
}

const char *sl_number(struct sl_form *f, const struct ir_value *v)
{
    const char *args[3] = {0}, *text;
    u128 bits, value;

    if (v->type.lanes != 1 || !ir_is_int(v->type) || v->type.bits > 64)
        return NULL;
    if (sl_depends(f, v, &bits) && !bits && sl_evaluate(f, v, f->value, &value))
        return number(f,
                      v->type.base == IR_SINT && v->type.bits < 64
                          ? (int64_t)((uint64_t)value << (64 - v->type.bits)) >> (64 - v->type.bits)
                          : (int64_t)value);
    if (ir_is_intrinsic(v, IR_I_READ_PC))
        return "inst_start";
    if (v->op == IR_FIELD && v->field->computed) {
        v = sl_computed(f, v->field);
        return v ? sl_number(f, v) : NULL;
    }
    if (v->op == IR_FIELD)
        return v->field->lsb < f->width
                   ? sl_use(f, sl_field(f, v->field->lsb, v->field->width, NULL))
                   : NULL;
    if (v->op < IR_ADD || v->op > IR_CONVERT || v->ops.len > 3)
        return NULL;
    for (unsigned i = 0; i < v->ops.len; i++) {
        args[i] = sl_number(f, v->ops.data[i]);
        if (!args[i] || strlen(args[i]) > MAX_LENGTH)
            return NULL;
    }
    text = operation(f, v, args);
    return text && strlen(text) <= MAX_LENGTH ? text : NULL;
}

/* ---- branches -------------------------------------------------------------------------------- */

const char *sl_destination(struct sl_form *f, const struct ir_value *target)
{
    struct sleigh *s = f->s;
    unsigned kept = f->uses.len;
    const char *number = sl_number(f, target), *body, *name, *parts = "";

    if (!number) {
        f->uses.len = kept;
        return NULL;
    }
    /* The subtable has operands of its own, so it names all fields of the expression. */
    vec_for_each (&f->form->instr->format->fields, it)
        if (!(*it)->computed && (*it)->lsb < f->width) {
            const char *field = sl_field(f, (*it)->lsb, (*it)->width, NULL);

            if (strstr(number, field))
                parts = arena_printf(s->arena, "%s%s%s", parts, *parts ? " & " : "", field);
        }
    f->uses.len = kept;
    if (!*parts)
        parts = "epsilon";
    body = arena_printf(s->arena, "_shown is %s [ _shown = %s; ] { export *[ram]:%u _shown; }\n",
                        parts, number, s->model->word_bits / 8);
    name = name_map_get(&s->table_names, body);
    if (!name) {
        name = arena_printf(s->arena, "_to%u", ++s->next_table);
        name_map_put(s->arena, &s->table_names, body, (void *)name);
        fprintf(s->tables, "%s: %s", name, body);
    }
    return sl_use(f, name);
}
