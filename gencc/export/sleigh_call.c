/*
 * P-code of intrinsics and external functions: memory and integers are p-code, all else is a
 * pcodeop of its name. NAME_1 is what NAME gives through its first parameter by reference.
 */
#include "gencc/export/sleigh.h"
#include "gencc/ir/pass.h"

#include <inttypes.h>
#include <string.h>

#define TEXT(...) arena_printf(c->f->s->arena, __VA_ARGS__)

/* ---- memory ---------------------------------------------------------------------------------- */

/* The bytes in the other order */
static const char *swap(struct sl_code *c, const char *x, unsigned bytes)
{
    const char *r = sl_local(c, bytes, "0");

    for (unsigned i = 0; i < bytes; i++) {
        const char *byte = sl_local(c, bytes, TEXT("(%s >> %u) & 0xff", x, 8 * i));

        sl_say(c, "%s = %s | (%s << %u);", r, r, byte, 8 * (bytes - 1 - i));
    }
    return r;
}

/* Whether the interface has another byte order than the file. */
static bool is_swapped(const struct sl_code *c, const struct ir_value *v)
{
    const struct ir_value *number = v->ops.data[0];
    const struct model *m = c->f->s->model;

    return ir_is_const(number) && number->imm < m->mems.len &&
           m->mems.data[(unsigned)number->imm].big_endian != m->big_endian;
}

static const char *const *access(struct sl_frame *fr, const struct ir_value *v, unsigned bytes)
{
    struct sl_code *c = fr->c;
    const char **to = sl_lanes(c, 1), *at = fr->slots[v->ops.data[1]->id][0];
    bool swapped = is_swapped(c, v) && bytes > 1;

    if (v->fn->intrinsic < IR_I_MEM_WRITE_8) {
        to[0] = sl_local(c, bytes, TEXT("*[ram]:%u %s", bytes, at));
        if (swapped)
            to[0] = swap(c, to[0], bytes);
    } else {
        const char *value = fr->slots[v->ops.data[2]->id][0];

        sl_say(c, "*[ram]:%u %s = %s;", bytes, at, swapped ? swap(c, value, bytes) : value);
    }
    return to;
}

/* ---- integers -------------------------------------------------------------------------------- */

/* Reverses bits by exchanging neighbours, pairs, and so on up to bytes or halves. */
static const char *reverse_bits(struct sl_code *c, const char *x, unsigned bytes)
{
    for (unsigned by = 1; by < 8; by *= 2) {
        uint64_t mask = by == 1   ? 0x5555555555555555
                        : by == 2 ? 0x3333333333333333
                                  : 0x0f0f0f0f0f0f0f0f;
        const char *m = sl_constant(c, mask, bytes);

        x = sl_local(c, bytes, TEXT("((%s >> %u) & %s) | ((%s & %s) << %u)", x, by, m, x, m, by));
    }
    return swap(c, x, bytes);
}

static const char *high_product(struct sl_code *c, const char *x, const char *y, bool is_signed)
{
    const char *extend = is_signed ? "sext" : "zext";
    const char *product;

    x = sl_local(c, 16, TEXT("%s(%s)", extend, x));
    y = sl_local(c, 16, TEXT("%s(%s)", extend, y));
    product = sl_local(c, 16, TEXT("(%s * %s) >> 64", x, y));
    return sl_local(c, 8, TEXT("%s:8", product));
}

static const char *absolute(struct sl_code *c, const char *x, unsigned bytes)
{
    const char *sign = sl_local(c, bytes, TEXT("%s s>> %u", x, 8 * bytes - 1));

    return sl_local(c, bytes, TEXT("(%s ^ %s) - %s", x, sign, sign));
}

/* What a pure intrinsic computes, or NULL */
static const char *pure(struct sl_code *c, const struct ir_value *v, const char *x, const char *y)
{
    unsigned bytes = v->type.bits / 8;

    switch (v->fn->intrinsic) {
    case IR_I_ABS32:
    case IR_I_ABS64:
        return absolute(c, x, bytes);
    case IR_I_BSWAP32:
    case IR_I_BSWAP64:
        return swap(c, x, bytes);
    case IR_I_BITREV32:
    case IR_I_BITREV64:
        return reverse_bits(c, x, bytes);
    case IR_I_CLZ32:
    case IR_I_CLZ64:
        return sl_local(c, bytes, TEXT("lzcount(%s)", x));
    case IR_I_CTZ32:
    case IR_I_CTZ64:
        x = sl_local(c, bytes, TEXT("(~%s) & (%s - 1)", x, x));
        return sl_local(c, bytes, TEXT("popcount(%s)", x));
    case IR_I_POPCOUNT32:
    case IR_I_POPCOUNT64:
        return sl_local(c, bytes, TEXT("popcount(%s)", x));
    case IR_I_UMULL:
    case IR_I_SMULL:
        return sl_local(c, bytes, TEXT("%s * %s", x, y));
    case IR_I_UMULH:
    case IR_I_SMULH:
        return high_product(c, x, y, v->fn->intrinsic == IR_I_SMULH);
    case IR_I_FLOAT_ABS:
    case IR_I_DOUBLE_ABS:
        return sl_local(c, bytes,
                        TEXT("%s & %s", x, sl_constant(c, low_bits(8 * bytes - 1), bytes)));
    default:
        return NULL;
    }
}

/* ---- by name --------------------------------------------------------------------------------- */

static const char *arguments(struct sl_frame *fr, const struct ir_value *v)
{
    struct sl_code *c = fr->c;
    const char *text = "";

    for (unsigned i = v->fn->nparams_text; i < v->ops.len; i++)
        for (unsigned l = 0; l < v->ops.data[i]->type.lanes; l++)
            text = TEXT("%s%s%s", text, *text ? ", " : "", fr->slots[v->ops.data[i]->id][l]);
    return text;
}

static unsigned outputs_of(const struct ir_value *v)
{
    unsigned n = 0;

    vec_for_each (&v->fn->by_ref, ref)
        n += *ref;
    return n;
}

static const char *const *by_name(struct sl_frame *fr, const struct ir_value *v)
{
    struct sl_code *c = fr->c;
    const char *args = arguments(fr, v), **to, *name;
    unsigned outs = outputs_of(v), lanes = ir_is_void(v->type) ? 0 : v->type.lanes, at = 0;

    for (unsigned i = 1; i <= outs; i++)
        lanes += ir_output_type(v, i).lanes;
    to = sl_lanes(c, lanes);
    c->f->s->calls++;
    if (v->type.lanes > 1)
        c->refused = "it calls a function of vectors";
    for (unsigned i = 0; i <= outs; i++) {
        struct ir_type t = i ? ir_output_type(v, i) : v->type;

        name = sl_op(c->f->s, i ? TEXT("%s_%u", v->fn->name, i) : v->fn->name);
        if (!i && ir_is_void(t)) {
            sl_say(c, "%s(%s);", name, args);
            continue;
        }
        for (unsigned l = 0; l < t.lanes; l++)
            to[at++] = sl_local(c, t.bits / 8, TEXT("%s(%s)", name, args));
    }
    return to;
}

/* Leaves the instruction: the machine decides where it goes on. */
static void leave(struct sl_frame *fr, const struct ir_value *v)
{
    struct sl_code *c = fr->c;

    c->f->s->calls++;
    sl_say(c, "goto [%s];",
           sl_local(c, c->f->s->model->word_bits / 8,
                    TEXT("%s(%s)", sl_op(c->f->s, v->fn->name), arguments(fr, v))));
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Intrinsics of the machine that have a meaning here. Returns whether it was one. */
static bool machine(struct sl_frame *fr, const struct ir_value *v, const char **to)
{
    struct sl_code *c = fr->c;
    const char *x = v->ops.len ? fr->slots[v->ops.data[0]->id][0] : NULL;
    const struct ir_value *first = v->ops.len ? v->ops.data[0] : NULL;

    switch (v->fn->intrinsic) {
    case IR_I_READ_PC:
        to[0] = sl_local(c, v->type.bits / 8, "inst_start");
        return true;
    case IR_I_WRITE_PC:
        c->branches = true;
        sl_say(c, "_npc = %s;", x);
        return true;
    case IR_I_BRANCH_TAKEN:
    case IR_I_BRANCH_NOT_TAKEN:
    case IR_I_CONTEXT_CHANGED:
    case IR_I_MEM_PROBE_WRITE: /* faults are not said */
        return true;
    case IR_I_GET_FEATURE:
    case IR_I_SET_FEATURE:
        if (!ir_is_const(first) || first->imm >= c->f->s->model->features.len)
            return false;
        x = TEXT("feature_%s", c->f->s->model->features.data[(unsigned)first->imm]->name);
        if (v->fn->intrinsic == IR_I_GET_FEATURE)
            to[0] = sl_local(c, 4, x);
        else
            sl_say(c, "%s = %s;", x, fr->slots[v->ops.data[1]->id][0]);
        return true;
    default:
        return false;
    }
}

const char *const *sl_call(struct sl_frame *fr, const struct ir_value *v)
{
    struct sl_code *c = fr->c;
    const char **to = sl_lanes(c, 2), *args[2] = {0};
    unsigned bytes;

    bytes = v->op == IR_INTRINSIC ? ir_access_bytes(v->fn->intrinsic) : 0;
    if (bytes)
        return access(fr, v, bytes);
    if (v->fn->flags & IR_FN_NORETURN) {
        leave(fr, v);
        return to;
    }
    if (v->op == IR_INTRINSIC && machine(fr, v, to))
        return to;
    for (unsigned i = 0; i < v->ops.len && i < 2; i++)
        args[i] = fr->slots[v->ops.data[i]->id] ? fr->slots[v->ops.data[i]->id][0] : NULL;
    to[0] = v->op == IR_INTRINSIC && v->type.lanes == 1 && v->fn->flags & IR_FN_PURE
                ? pure(c, v, args[0], args[1])
                : NULL;
    return to[0] ? to : by_name(fr, v);
}
