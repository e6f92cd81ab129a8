/*
 * Byte order: the lowering reverses the bytes of values that are read or written through a
 * big-endian memory interface. The interpreter and the translators therefore access little-endian
 * memory only.
 */
#include "gencc/lower/internal.h"

static bool carries_number(enum ir_intrinsic i)
{
    switch (i) {
    case IR_I_MEM_READ_16:
    case IR_I_MEM_READ_32:
    case IR_I_MEM_READ_64:
    case IR_I_MEM_READ_128:
    case IR_I_MEM_WRITE_16:
    case IR_I_MEM_WRITE_32:
    case IR_I_MEM_WRITE_64:
    case IR_I_MEM_WRITE_128:
    case IR_I_MEM_MONITOR_WRITE_16:
    case IR_I_MEM_MONITOR_WRITE_32:
    case IR_I_MEM_MONITOR_WRITE_64:
    case IR_I_MEM_MONITOR_WRITE_128:
        return true;
    default:
        return false;
    }
}

bool lower_reverses_bytes(struct fn *fn, enum ir_intrinsic i, const struct ir_value *interface,
                          struct src_pos pos)
{
    const struct model *m = fn->lo->model;
    bool differ = false;

    if (!carries_number(i))
        return false;
    vec_for_each (&m->mems, it)
        differ |= it->big_endian != m->mems.data[0].big_endian;
    if (interface->op == IR_CONST && interface->imm < m->mems.len)
        return m->mems.data[interface->imm].big_endian;
    if (differ)
        diag_error(
            fn->lo->diag, pos,
            "the memory interface must be a constant, since interfaces differ in byte order");
    return m->mems.len && m->mems.data[0].big_endian;
}

/* Reverses a value of 32 or 64 bits. */
static struct rv reverse_whole(struct fn *fn, struct rv x, struct ir_type type, struct src_pos pos)
{
    x = rv_as(fn, x, type, pos);
    if (!x.ok)
        return x;
    fn->b.pos = pos;
    return rv_value(
        ir_call_fn(&fn->b, lower_intrinsic(fn->lo, type.bits == 64 ? IR_I_BSWAP64 : IR_I_BSWAP32),
                   NULL, 1, &x.v));
}

struct rv lower_reverse_bytes(struct fn *fn, struct rv x, struct src_pos pos)
{
    struct ir_type type = x.type;
    struct rv low, high;

    if (!x.ok)
        return x;
    if (type.bits == 32 || type.bits == 64)
        return reverse_whole(fn, x, type, pos);
    if (type.bits == 16) {
        low = rv_binary(fn, AST_OP_SHR, reverse_whole(fn, x, IR_T_U32, pos), rv_literal(16), pos);
        return rv_as(fn, low, type, pos);
    }
    high = reverse_whole(fn, x, IR_T_U64, pos);
    low = reverse_whole(fn, rv_binary(fn, AST_OP_SHR, x, rv_literal(64), pos), IR_T_U64, pos);
    high = rv_binary(fn, AST_OP_SHL, rv_as(fn, high, type, pos), rv_literal(64), pos);
    return rv_binary(fn, AST_OP_OR, high, rv_as(fn, low, type, pos), pos);
}
