/*
 * The rules of operations: number and types of their operands.
 */
#include "gencc/ir/pass.h"
#include "gencc/ir/verify.h"
#include "gencc/model/model.h"

#include <stdarg.h>

bool ir_reject(struct ir_verifier *c, const struct ir_value *v, const char *fmt, ...)
{
    char text[200];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (v)
        diag_error(c->d, v->pos, "internal error: IR of '%s', block b%u, %%%u (%s): %s", c->f->name,
                   c->block ? c->block->id : 0, v->id,
                   v->op < IR_OP_COUNT ? ir_ops[v->op].name : "?", text);
    else if (c->block)
        diag_error(c->d, c->f->pos, "internal error: IR of '%s', block b%u: %s", c->f->name,
                   c->block->id, text);
    else
        diag_error(c->d, c->f->pos, "internal error: IR of '%s': %s", c->f->name, text);
    return false;
}

static bool is_index(struct ir_type t)
{
    return ir_is_int(t) && t.lanes == 1;
}

static bool expect_type(struct ir_verifier *c, const struct ir_value *v, const char *what,
                        struct ir_type is, struct ir_type wanted)
{
    char a[24], b[24];

    return ir_type_eq(is, wanted) ||
           ir_reject(c, v, "%s is %s, not %s", what, ir_type_name(is, a), ir_type_name(wanted, b));
}

static bool expect_operand(struct ir_verifier *c, const struct ir_value *v, unsigned i,
                           struct ir_type wanted)
{
    char what[32];

    snprintf(what, sizeof(what), "operand %u", i);
    return expect_type(c, v, what, v->ops.data[i]->type, wanted);
}

static bool require_rule(struct ir_verifier *c, const struct ir_value *v, bool holds,
                         const char *rule)
{
    return holds || ir_reject(c, v, "%s", rule);
}

/* ---- computing ------------------------------------------------------------------------------- */

static bool check_operands_alike(struct ir_verifier *c, const struct ir_value *v)
{
    for (unsigned i = 0; i < v->ops.len; i++)
        if (!expect_operand(c, v, i, v->type))
            return false;
    return true;
}

static bool check_arith(struct ir_verifier *c, const struct ir_value *v)
{
    if (v->op >= IR_NOT && !require_rule(c, v, ir_is_int(v->type), "bits of a float"))
        return false;
    return check_operands_alike(c, v);
}

static bool check_shift(struct ir_verifier *c, const struct ir_value *v)
{
    struct ir_type y = v->ops.data[1]->type;

    return require_rule(c, v, ir_is_int(v->type), "bits of a float") &&
           expect_operand(c, v, 0, v->type) &&
           require_rule(c, v, ir_is_int(y) && (y.lanes == 1 || y.lanes == v->type.lanes),
                        "the amount is an integer, or a vector of as many lanes");
}

static bool check_compare(struct ir_verifier *c, const struct ir_value *v)
{
    struct ir_type x = v->ops.data[0]->type;

    return expect_operand(c, v, 1, x) &&
           expect_type(c, v, "the result", v->type,
                       ir_is_vector(x) ? ir_with_base(x, IR_UINT) : IR_T_U8);
}

static bool check_select(struct ir_verifier *c, const struct ir_value *v)
{
    struct ir_type cond = v->ops.data[0]->type;

    return require_rule(
               c, v,
               ir_type_eq(cond, IR_T_U8) ||
                   (ir_is_vector(cond) && ir_type_eq(cond, ir_with_base(v->type, IR_UINT))),
               "the condition is uint8 or a mask of unsigned lanes as wide") &&
           expect_operand(c, v, 1, v->type) && expect_operand(c, v, 2, v->type);
}

static bool check_vector(struct ir_verifier *c, const struct ir_value *v)
{
    struct ir_type t = v->type, x = v->ops.len ? v->ops.data[0]->type : IR_T_VOID;

    switch (v->op) {
    case IR_CONVERT:
        return require_rule(c, v, x.lanes == t.lanes, "lanes differ");
    case IR_BITCAST:
        return require_rule(c, v, ir_bytes(x) == ir_bytes(t), "sizes differ");
    case IR_SPLAT:
        return expect_operand(c, v, 0, ir_lane(t));
    case IR_EXTRACT:
        return expect_type(c, v, "the result", t, ir_lane(x)) &&
               require_rule(c, v, is_index(v->ops.data[1]->type), "the index is no integer");
    case IR_INSERT:
        return expect_operand(c, v, 0, t) && expect_operand(c, v, 2, ir_lane(t)) &&
               require_rule(c, v, is_index(v->ops.data[1]->type), "the index is no integer");
    case IR_BUILD:
        for (unsigned i = 0; i < v->ops.len; i++)
            if (!expect_operand(c, v, i, ir_lane(t)))
                return false;
        return require_rule(c, v, v->ops.len == t.lanes, "one operand a lane");
    default: /* IR_CONCAT */
        return expect_operand(c, v, 0, ir_with_lanes(t, x.lanes)) &&
               expect_operand(c, v, 1, ir_with_lanes(t, v->ops.data[1]->type.lanes)) &&
               require_rule(c, v, x.lanes + v->ops.data[1]->type.lanes == t.lanes,
                            "lanes do not add up");
    }
}

/* ---- leaves and state ------------------------------------------------------------------------ */

static bool is_instruction_code(const struct ir_func *f)
{
    return f->kind == IR_FUNC_EXECUTE || f->kind == IR_FUNC_DECODE || f->kind == IR_FUNC_DISASM;
}

static bool has_field(const struct ir_func *f, const struct field *field)
{
    return f->format && field && field->index < f->format->fields.len &&
           f->format->fields.data[field->index] == field;
}

static bool check_leaf(struct ir_verifier *c, const struct ir_value *v)
{
    const struct ir_func *f = c->f;

    switch (v->op) {
    case IR_CONST:
        return require_rule(c, v, !(v->imm & ~low_bits(v->type.bits)), "the constant does not fit");
    case IR_PARAM:
        return require_rule(c, v, v->imm < f->params.len, "no such parameter") &&
               expect_type(c, v, "the result", v->type, f->params.data[(unsigned)v->imm]);
    case IR_FIELD:
        return require_rule(c, v, has_field(f, v->field), "the format has no such field") &&
               expect_type(c, v, "the result", v->type, v->field->type);
    default: /* IR_WORD */
        return require_rule(c, v, is_instruction_code(f), "there is no instruction here") &&
               require_rule(c, v, v->type.base == IR_UINT && v->type.lanes == 1,
                            "the word is an unsigned integer");
    }
}

/* Bytes from a register's start that belong to it or lie before the next register. */
static unsigned register_bytes(const struct reg_view *v)
{
    unsigned own = (v->type.lanes - 1u) * v->elem_stride + v->type.bits / 8u;

    return v->is_bank && v->reg_stride > own ? v->reg_stride : own;
}

static bool check_register(struct ir_verifier *c, const struct ir_value *v)
{
    bool writes = v->op == IR_REG_WRITE;
    const struct reg_view *view = v->view;
    struct ir_type t = v->type;

    if (!require_rule(c, v, view, "no register named") ||
        !require_rule(c, v, v->ops.len == view->is_bank + (unsigned)writes,
                      "an index for a bank and none for a slot, then what is written"))
        return false;
    if (writes)
        t = v->ops.data[v->ops.len - 1]->type;
    return require_rule(c, v, !view->is_bank || is_index(v->ops.data[0]->type),
                        "the index is no integer") &&
           require_rule(c, v, ir_bytes(t) <= register_bytes(view), "wider than the register");
}

static bool check_local(struct ir_verifier *c, const struct ir_value *v)
{
    const struct ir_var *var = v->var;

    if (v->op == IR_FIELD_WRITE)
        return require_rule(c, v, c->f->kind == IR_FUNC_DECODE,
                            "only decode functions write fields") &&
               require_rule(c, v, has_field(c->f, v->field), "the format has no such field") &&
               require_rule(c, v, v->field->computed, "the field is not a computed one") &&
               expect_operand(c, v, 0, v->field->type);
    if (!require_rule(c, v, var && var->id < c->f->vars.len && c->f->vars.data[var->id] == var,
                      "the variable is not the function's"))
        return false;
    return v->op == IR_VAR_READ ? expect_type(c, v, "the result", v->type, var->type)
                                : expect_operand(c, v, 0, var->type);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool check_args(struct ir_verifier *c, const struct ir_value *v, unsigned skip,
                       const struct ir_type *params, unsigned n, struct ir_type result)
{
    if (v->ops.len != skip + n)
        return ir_reject(c, v, "%u arguments instead of %u", v->ops.len, skip + n);
    for (unsigned i = 0; i < n; i++)
        if (!expect_operand(c, v, skip + i, params[i]))
            return false;
    return expect_type(c, v, "the result", v->type, result);
}

static bool check_call(struct ir_verifier *c, const struct ir_value *v)
{
    if (v->op == IR_CALL)
        return require_rule(c, v, v->callee, "nothing called") &&
               check_args(c, v, 0, v->callee->params.data, v->callee->params.len,
                          v->callee->result);
    if (!require_rule(c, v, v->fn, "nothing called") ||
        !require_rule(c, v, !v->fn->intrinsic == (v->op == IR_EXTERNAL),
                      "the other kind of function") ||
        !require_rule(c, v, !(v->fn->flags & IR_FN_ASM) || c->f->kind == IR_FUNC_DISASM,
                      "assembly text outside a disassembly function"))
        return false;
    for (unsigned i = 0; i < v->fn->nparams_text && i < v->ops.len; i++)
        if (!require_rule(c, v, v->ops.data[i]->op == IR_TEXT, "text is expected first"))
            return false;
    return check_args(c, v, v->fn->nparams_text, v->fn->params.data, v->fn->params.len,
                      v->fn->result);
}

static bool check_result(struct ir_verifier *c, const struct ir_value *v)
{
    return require_rule(c, v, ir_is_call(v->ops.data[0]), "its operand is no call") &&
           expect_type(c, v, "the result", v->type, ir_output_type(v->ops.data[0], v->imm));
}

/* ---- terminators ----------------------------------------------------------------------------- */

static bool check_return(struct ir_verifier *c, const struct ir_value *v)
{
    unsigned results = !ir_is_void(c->f->result);

    if (v->ops.len != results + c->f->outs.len)
        return ir_reject(c, v, "%u values returned instead of %u", v->ops.len,
                         results + c->f->outs.len);
    if (results && !expect_operand(c, v, 0, c->f->result))
        return false;
    for (unsigned i = 0; i < c->f->outs.len; i++)
        if (!expect_operand(c, v, results + i, c->f->outs.data[i]))
            return false;
    return true;
}

static bool check_switch(struct ir_verifier *c, const struct ir_value *v)
{
    u128 mask = low_bits(v->ops.data[0]->type.bits);

    if (!require_rule(c, v, v->targets.len == v->cases.len + 1, "one target a case, and a default"))
        return false;
    for (unsigned i = 0; i < v->cases.len; i++) {
        if (!require_rule(c, v, v->cases.data[i] <= mask, "a case does not fit"))
            return false;
        for (unsigned j = 0; j < i; j++)
            if (!require_rule(c, v, v->cases.data[i] != v->cases.data[j], "two cases are alike"))
                return false;
    }
    return require_rule(c, v, is_index(v->ops.data[0]->type), "it switches on no integer");
}

static bool check_term(struct ir_verifier *c, const struct ir_value *v)
{
    if (v->op == IR_RET)
        return check_return(c, v) && require_rule(c, v, !v->targets.len, "it has targets");
    if (v->op == IR_SWITCH)
        return check_switch(c, v);
    if (v->op == IR_CBR)
        return require_rule(c, v, v->targets.len == 2, "it has two targets") &&
               require_rule(c, v, is_index(v->ops.data[0]->type), "the condition is no integer");
    return require_rule(c, v, v->targets.len == (v->op == IR_BR), "the number of targets is wrong");
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static bool gives_nothing(const struct ir_value *v)
{
    return ir_is_term(v) || v->op == IR_REG_WRITE || v->op == IR_FIELD_WRITE ||
           v->op == IR_VAR_WRITE || v->op == IR_TEXT;
}

static bool check_common(struct ir_verifier *c, const struct ir_value *v)
{
    int wanted = ir_ops[v->op].operands;
    bool may_be_void = gives_nothing(v) || ir_is_call(v);

    if (wanted >= 0 && v->ops.len != (unsigned)wanted)
        return ir_reject(c, v, "%u operands instead of %d", v->ops.len, wanted);
    if (!(may_be_void && ir_is_void(v->type)) && (gives_nothing(v) || !ir_type_valid(v->type)))
        return ir_reject(c, v, "its type is not one it can have");
    for (unsigned i = 0; i < v->ops.len; i++) {
        bool may_take_void = v->op == IR_RESULT || (ir_is_call(v) && v->op != IR_CALL && v->fn &&
                                                    i < v->fn->nparams_text);

        if (!require_rule(c, v, may_take_void || !ir_is_void(v->ops.data[i]->type),
                          "an operand has no value"))
            return false;
    }
    return true;
}

bool ir_verify_types(struct ir_verifier *c, const struct ir_value *v)
{
    if (!check_common(c, v))
        return false;
    if (ir_is_term(v))
        return check_term(c, v);
    if (ir_is_call(v))
        return check_call(c, v);
    if (v->op >= IR_SHL && v->op <= IR_ROR)
        return check_shift(c, v);
    if (v->op >= IR_ADD && v->op <= IR_XOR)
        return check_arith(c, v);
    if (v->op >= IR_EQ && v->op <= IR_GE)
        return check_compare(c, v);
    if (v->op >= IR_CONVERT && v->op <= IR_CONCAT)
        return check_vector(c, v);
    switch (v->op) {
    case IR_PHI:
        return check_operands_alike(c, v);
    case IR_SELECT:
        return check_select(c, v);
    case IR_RESULT:
        return check_result(c, v);
    case IR_REG_READ:
    case IR_REG_WRITE:
        return check_register(c, v);
    case IR_FIELD_WRITE:
    case IR_VAR_READ:
    case IR_VAR_WRITE:
        return check_local(c, v);
    case IR_TEXT:
        return require_rule(c, v, v->text, "there is no text");
    default: /* CONST, PARAM, FIELD, WORD */
        return check_leaf(c, v);
    }
}
