/*
 * The dialects of handlers of lanes: lane by lane, and all lanes at once.
 */
#include "gencc/emit/c_dialect.h"
#include "gencc/emit/ctype.h"
#include "gencc/emit/intrinsics.h"
#include "gencc/emit/lane.h"

const struct dialect lane_function_dialect = {
    .base = &c_dialect,
    .intrinsics = lane_intrinsics,
    .parameters = "",
    .arguments = "",
};

/* ---- handlers -------------------------------------------------------------------------------- */

static const char *operand_reference(struct body *b, const struct ir_value *v)
{
    const struct placement *p = &b->at[v->id];

    if (p->place == PLACE_SOURCE)
        return "s$x";
    return p->place == PLACE_OPERAND ? say(b, "o_%s", b->operands.data[p->number].name) : NULL;
}

/* Continues with the next lane. In the last block the loop does that without a statement. */
static void write_end(struct body *b, const struct ir_value *end)
{
    const struct ir_block *last = b->f->blocks.data[b->f->blocks.len - 1];

    if (end->op == IR_UNREACHABLE || end->block != last)
        fputs("    continue;\n", b->o);
}

const struct dialect lane_dialect = {
    .base = &lane_function_dialect,
    .reference = operand_reference,
    .leave = write_end,
};

/* ---- straight handlers ----------------------------------------------------------------------- */

/* Whether a value is a flag that is stored as wide as a register, so that vectors of flags and of
 * registers have the same number of lanes. */
static bool is_wide_flag(const struct ir_value *v)
{
    return ir_type_eq(v->type, IR_T_U8) && ir_value_range(v).max <= 1;
}

static const char *variable_type(struct emit *e, const struct ir_value *v)
{
    return ctype(e, is_wide_flag(v) ? IR_T_U32 : v->type);
}

/* A choice by masks, since C without branches is vectorised. */
static const char *write_choice_by_masks(struct body *b, const struct ir_value *v)
{
    const char *flag = is_wide_flag(v->ops.data[0]) ? "$0" : "$0 != 0";
    unsigned bits = v->type.bits > 32 ? 64 : 32;

    if (v->type.base == IR_FLOAT)
        return say(b, "cpu_f%u(gpu_pick%u(%s, cpu_bits%u($1), cpu_bits%u($2)))", bits, bits, flag,
                   bits, bits);
    return say(b, "($V)gpu_pick%u(%s, (uint%u_t)($1), (uint%u_t)($2))", bits, flag, bits, bits);
}

static const char *straight_operation(struct body *b, const struct ir_value *v)
{
    if (ir_is_vector(v->type) || v->type.bits > 64)
        return NULL;
    if (v->op == IR_SELECT)
        return write_choice_by_masks(b, v);
    return v->op == IR_CONVERT && is_wide_flag(v->ops.data[0]) ? "($V)$0" : NULL;
}

bool lane_is_known(const struct body *b, const struct ir_value *v)
{
    return v->op == IR_CONST || b->at[v->id].place == PLACE_OPERAND;
}

static void straight_leave(struct body *b, const struct ir_value *end)
{
    const struct ir_value *result = lane_result(b->f), *refusal = lane_refusal(b->f);

    if (end->op == IR_RET && refusal && !lane_is_known(b, refusal)) {
        fputs("    refused |= active[l] & ", b->o);
        expr(b, refusal);
        fputs(";\n", b->o);
    }
    if (end->op == IR_RET && result) {
        fputs("    r[l] = GPU_BLEND(active[l], ", b->o);
        expr(b, result);
        fputs(", r[l]);\n", b->o);
    }
    write_end(b, end);
}

const struct dialect straight_dialect = {
    .base = &lane_dialect,
    .operation = straight_operation,
    .variable = variable_type,
    .leave = straight_leave,
};
