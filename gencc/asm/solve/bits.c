/*
 * Forward reasoning: known bits of a value from known bits of the word.
 */
#include "gencc/asm/solve/bits.h"

#include "gencc/ir/arith.h"

static struct bits all_known(struct ir_type t, u128 value)
{
    return (struct bits){low_bits(t.bits), value & low_bits(t.bits)};
}

bool bits_learn(struct bits *known, struct bits more)
{
    if (known->mask & more.mask & (known->value ^ more.value))
        return false;
    known->mask |= more.mask;
    known->value |= more.value & more.mask;
    return true;
}

static struct bits known_field(struct knowledge *k, const struct ir_value *v)
{
    const struct field *f = v->field;
    u128 mask = low_bits(f->width);

    if (f->computed) {
        const struct ir_value *c = bits_computed(k->decode, f);

        return c ? bits_known(k, c) : (struct bits){0};
    }
    return (struct bits){(k->word.mask >> f->lsb & mask) | (low_bits(v->type.bits) & ~mask),
                         k->word.value >> f->lsb & mask};
}

static struct bits known_word(const struct knowledge *k, struct ir_type t)
{
    u128 mask = low_bits(t.bits);

    return (struct bits){k->word.mask & mask, k->word.value & mask};
}

static struct bits shift_left(struct bits x, unsigned by, struct ir_type t)
{
    u128 mask = low_bits(t.bits);

    if (by >= t.bits)
        return all_known(t, 0);
    return (struct bits){(x.mask << by | low_bits(by)) & mask, x.value << by & mask};
}

static struct bits shift_right(struct bits x, unsigned by, struct ir_type t)
{
    u128 sign = (u128)1 << (t.bits - 1), high;

    if (by >= t.bits)
        by = t.base == IR_SINT ? t.bits - 1u : t.bits;
    if (by == t.bits)
        return all_known(t, 0);
    high = low_bits(t.bits) & ~(low_bits(t.bits) >> by);
    if (t.base == IR_UINT)
        return (struct bits){x.mask >> by | high, x.value >> by};
    if (!(x.mask & sign))
        return (struct bits){x.mask >> by, x.value >> by};
    return (struct bits){x.mask >> by | high, x.value >> by | (x.value & sign ? high : 0)};
}

static struct bits rotate_left(struct bits x, unsigned by, struct ir_type t)
{
    u128 ones = low_bits(t.bits);

    by %= t.bits;
    if (!by)
        return x;
    return (struct bits){(x.mask << by | x.mask >> (t.bits - by)) & ones,
                         (x.value << by | x.value >> (t.bits - by)) & ones};
}

struct bits bits_shifted(enum ir_op op, struct bits x, unsigned by, struct ir_type t)
{
    switch (op) {
    case IR_SHL:
        return shift_left(x, by, t);
    case IR_SHR:
        return shift_right(x, by, t);
    case IR_ROL:
        return rotate_left(x, by, t);
    default:
        return rotate_left(x, t.bits - by % t.bits, t);
    }
}

/* The low bits of a sum are known as far as both operands are. */
static struct bits known_sum(enum ir_op op, struct bits x, struct bits y, struct ir_type t)
{
    u128 gaps = ~(x.mask & y.mask);
    u128 low = gaps ? (gaps & -gaps) - 1 : ~(u128)0;
    u128 sum = op == IR_ADD   ? x.value + y.value
               : op == IR_SUB ? x.value - y.value
                              : x.value * y.value;

    low &= low_bits(t.bits);
    return (struct bits){low, sum & low};
}

static struct bits known_equality(enum ir_op op, struct bits x, struct bits y, struct ir_type t)
{
    if (x.mask & y.mask & (x.value ^ y.value))
        return all_known(IR_T_U8, op == IR_NE);
    if (bits_full(x, t) && bits_full(y, t))
        return all_known(IR_T_U8, op == IR_EQ);
    return (struct bits){0xfe, 0};
}

static struct bits known_select(struct knowledge *k, const struct ir_value *v)
{
    struct bits cond = bits_known(k, v->ops.at[0]), x, y;
    bool certain = bits_full(cond, v->ops.at[0]->type);

    if (cond.value)
        return bits_known(k, v->ops.at[1]);
    if (certain)
        return bits_known(k, v->ops.at[2]);
    x = bits_known(k, v->ops.at[1]);
    y = bits_known(k, v->ops.at[2]);
    x.mask &= y.mask & ~(x.value ^ y.value);
    x.value &= x.mask;
    return x;
}

static struct bits known_convert(struct knowledge *k, const struct ir_value *v)
{
    struct bits x = bits_known(k, v->ops.at[0]);
    struct ir_type from = v->ops.at[0]->type, to = v->type;
    u128 high = low_bits(to.bits) & ~low_bits(from.bits), sign = (u128)1 << (from.bits - 1);

    if (!ir_is_int(from))
        return (struct bits){0};
    if (from.base == IR_UINT)
        x.mask |= high;
    else if (x.mask & sign)
        x = (struct bits){x.mask | high, x.value | (x.value & sign ? high : 0)};
    return (struct bits){x.mask & low_bits(to.bits), x.value & low_bits(to.bits)};
}

/* Any other operation: its result is known if all operands are. */
static struct bits known_by_arith(struct knowledge *k, const struct ir_value *v)
{
    struct ir_operand args[3];
    u128 lanes[3], out[1];

    if (v->ops.count > 3 || !(ir_ops[v->op].flags & IR_F_PURE) || v->op == IR_PHI)
        return (struct bits){0};
    for (unsigned i = 0; i < v->ops.count; i++) {
        struct bits x;

        if (!bits_scalar(v->ops.at[i]))
            return (struct bits){0};
        x = bits_known(k, v->ops.at[i]);
        if (!bits_full(x, v->ops.at[i]->type))
            return (struct bits){0};
        lanes[i] = x.value;
        args[i] = (struct ir_operand){v->ops.at[i]->type, &lanes[i]};
    }
    if (!ir_arith(v->op, v->type, v->ops.count, args, out))
        return (struct bits){0};
    return all_known(v->type, out[0]);
}

static struct bits known_binary(struct knowledge *k, const struct ir_value *v)
{
    struct bits x = bits_known(k, v->ops.at[0]), y = bits_known(k, v->ops.at[1]);
    struct ir_type t = v->ops.at[0]->type;

    switch (v->op) {
    case IR_AND:
        return (struct bits){(x.mask & y.mask) | (x.mask & ~x.value) | (y.mask & ~y.value),
                             x.value & y.value};
    case IR_OR:
        return (struct bits){(x.mask & y.mask) | x.value | y.value, x.value | y.value};
    case IR_XOR:
        return (struct bits){x.mask & y.mask, (x.value ^ y.value) & x.mask & y.mask};
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
        return known_sum(v->op, x, y, t);
    case IR_EQ:
    case IR_NE:
        return known_equality(v->op, x, y, t);
    default: /* shifts and rotates */
        if (!bits_full(y, v->ops.at[1]->type))
            return (struct bits){0};
        return bits_shifted(v->op, x, y.value > 255 ? 255 : (unsigned)y.value, v->type);
    }
}

/* A comparison, whose result is 0 or 1. */
static struct bits known_order(struct knowledge *k, const struct ir_value *v)
{
    struct bits x = known_by_arith(k, v);

    return x.mask ? x : (struct bits){0xfe, 0};
}

struct bits bits_known(struct knowledge *k, const struct ir_value *v)
{
    if (!bits_scalar(v) || !k->steps)
        return (struct bits){0};
    k->steps--;
    switch (v->op) {
    case IR_CONST:
        return all_known(v->type, v->imm);
    case IR_FIELD:
        return known_field(k, v);
    case IR_WORD:
        return known_word(k, v->type);
    case IR_PARAM:
        return v->block && v->block->func->kind == IR_FUNC_DECODE ? known_word(k, v->type)
                                                                  : (struct bits){0};
    case IR_NOT: {
        struct bits x = bits_known(k, v->ops.at[0]);

        return (struct bits){x.mask, x.mask & ~x.value};
    }
    case IR_AND:
    case IR_OR:
    case IR_XOR:
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_SHL:
    case IR_SHR:
    case IR_ROL:
    case IR_ROR:
    case IR_EQ:
    case IR_NE:
        if (!bits_scalar(v->ops.at[0]) || !bits_scalar(v->ops.at[1]))
            return (struct bits){0};
        return known_binary(k, v);
    case IR_LT:
    case IR_LE:
    case IR_GT:
    case IR_GE:
        return known_order(k, v);
    case IR_SELECT:
        return known_select(k, v);
    case IR_CONVERT:
        return known_convert(k, v);
    case IR_BITCAST:
        return bits_scalar(v->ops.at[0]) ? bits_known(k, v->ops.at[0]) : (struct bits){0};
    default:
        return known_by_arith(k, v);
    }
}
