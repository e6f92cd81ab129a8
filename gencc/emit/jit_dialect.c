/*
 * The two dialects of translators: C for known values, and C that builds code for all others.
 */
#include "gencc/emit/c_dialect.h"
#include "gencc/emit/intrinsics.h"
#include "gencc/emit/jit.h"

#include <inttypes.h>

static const struct ir_value *operand_at(const struct ir_value *v, unsigned i)
{
    return v->ops.data[i];
}

static const struct translator *of_body(const struct body *b)
{
    return (const struct translator *)b;
}

static bool is_known(const struct body *b, const struct ir_value *v)
{
    return of_body(b)->known[v->id];
}

/* ---- what is known --------------------------------------------------------------------------- */

static bool may_be_known(const struct translator *t, const struct ir_value *v)
{
    if (ir_is_vector(v->type) || ir_is_void(v->type) || v->type.bits > 64)
        return false;
    if (v->op == IR_CONST || t->b.at[v->id].place == PLACE_OPERAND)
        return true;
    return v->fixed && ir_is_pure(v) && v->op != IR_CALL && v->op != IR_INTRINSIC &&
           v->op != IR_EXTERNAL && v->op != IR_FIELD && v->op != IR_WORD;
}

void jit_find_known(struct translator *t)
{
    bool changed = true;

    vec_for_each (&t->b.f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            t->known[v->id] = may_be_known(t, v);
    while (changed) {
        changed = false;
        vec_for_each (&t->b.f->blocks, b) {
            for (const struct ir_value *v = (*b)->first; v; v = v->next) {
                bool known = t->known[v->id];

                if (!known || t->b.at[v->id].place == PLACE_OPERAND)
                    continue;
                vec_for_each (&v->ops, op)
                    known &= t->known[(*op)->id];
                changed |= !known;
                t->known[v->id] = known;
            }
        }
    }
}

const struct dialect known_dialect = {
    .base = &c_dialect,
    .intrinsics = translator_intrinsics,
};

/* ---- types and constants --------------------------------------------------------------------- */

const char *jit_type(struct emit *e, struct ir_type t)
{
    static const char letters[] = {[IR_UINT] = 'U', [IR_SINT] = 'S', [IR_FLOAT] = 'F'};
    static const char *const names[] = {
        [IR_UINT] = "UINT", [IR_SINT] = "SINT", [IR_FLOAT] = "FLOAT"};

    if (ir_is_void(t))
        return "JIT_T_VOID";
    if (!ir_is_vector(t))
        return arena_printf(e->arena, "JIT_%c%u", letters[t.base], t.bits);
    return arena_printf(e->arena, "JIT_TYPE(JIT_%s, %u, %u)", names[t.base], t.bits, t.lanes);
}

static const char *built_constant(struct body *b, u128 bits, unsigned width)
{
    uint64_t low = (uint64_t)bits;
    const char *digits = say(b, low < 10 ? "%" PRIu64 : "UINT64_C(%#" PRIx64 ")", low);

    if (width != 128)
        return say(b, "jit_const(j, $T, %s)", digits);
    return say(b, "jit_const128(j, $T, UINT64_C(%#" PRIx64 "), %s)", (uint64_t)(bits >> 64),
               digits);
}

static const char *built_reference(struct body *b, const struct ir_value *v)
{
    if (v->op == IR_CONST)
        return built_constant(b, v->imm, v->type.bits);
    if (!is_known(b, v))
        return NULL;
    if (v->type.base == IR_FLOAT)
        return say(b, "jit_const(j, $T, cpu_bits%u(##))", v->type.bits);
    return v->type.base == IR_SINT ? "jit_const(j, $T, (uint64_t)##)" : "jit_const(j, $T, ##)";
}

/* ---- registers ------------------------------------------------------------------------------- */

/* The arguments offset, stride, count, index of a bank whose index is dynamic. */
static const char *bank_arguments(struct body *b, const struct reg_view *view)
{
    return say(b, "%s, %u, %u, $0", register_place(b, view, "0"), view->reg_stride, view->count);
}

static const char *register_read(struct body *b, const struct ir_value *v)
{
    const char *place = register_place(b, v->view, "#0");

    if (v->view->is_bank && !is_known(b, operand_at(v, 0)))
        return say(b, "jit_bank_read(j, $T, %s)", bank_arguments(b, v->view));
    if (!index_unsure(v))
        return say(b, "jit_reg_read(j, $T, %s)", place);
    return say(b, "(#0 >= %u ? %s : jit_reg_read(j, $T, %s))", v->view->count,
               built_constant(b, 0, v->type.bits), place);
}

static const char *register_write(struct body *b, const struct ir_value *v)
{
    const char *place = register_place(b, v->view, "#0");
    const char *inside = "";

    if (v->view == b->e->model->pc)
        return "jit_write_pc(j, $0)";
    if (!v->view->is_bank)
        return say(b, "jit_reg_write(j, %s, $0)", place);
    if (!is_known(b, operand_at(v, 0)))
        return say(b, "jit_bank_write(j, %s, $1)", bank_arguments(b, v->view));
    if (index_unsure(v))
        inside = say(b, "if (#0 < %u) ", v->view->count);
    return say(b, "%sjit_reg_write(j, %s, $1)", inside, place);
}

/* ---- all ------------------------------------------------------------------------------------- */

static const char *operator_name(enum ir_op op)
{
    static const char *const names[IR_OP_COUNT] = {
        [IR_NEG] = "NEG", [IR_NOT] = "NOT", [IR_ADD] = "ADD", [IR_SUB] = "SUB", [IR_MUL] = "MUL",
        [IR_DIV] = "DIV", [IR_MOD] = "MOD", [IR_AND] = "AND", [IR_OR] = "OR",   [IR_XOR] = "XOR",
        [IR_SHL] = "SHL", [IR_SHR] = "SHR", [IR_ROL] = "ROL", [IR_ROR] = "ROR", [IR_EQ] = "EQ",
        [IR_NE] = "NE",   [IR_LT] = "LT",   [IR_LE] = "LE",   [IR_GT] = "GT",   [IR_GE] = "GE"};

    return names[op];
}

static const char *built_operation(struct body *b, const struct ir_value *v)
{
    if (operator_name(v->op))
        return say(b, "jit_%s(j, JIT_%s, $A, $*)", v->ops.len == 1 ? "unary" : "binary",
                   operator_name(v->op));
    switch (v->op) {
    case IR_CONST:
        return built_constant(b, v->imm, v->type.bits);
    case IR_SELECT:
        return is_known(b, operand_at(v, 0)) ? "(#0 ? $1 : $2)" : "jit_select(j, $*)";
    case IR_CONVERT:
        return "jit_convert(j, $T, $A, $0)";
    case IR_BITCAST:
        return "jit_bitcast(j, $T, $0)";
    case IR_SPLAT:
        return "jit_splat(j, $T, $0)";
    case IR_BUILD:
        return "jit_build(j, $T, (const jit_value[]){$*})";
    case IR_CONCAT:
        return "jit_concat(j, $*)";
    case IR_EXTRACT:
        return "jit_extract(j, $*)";
    case IR_INSERT:
        return "jit_insert(j, $*)";
    case IR_REG_READ:
        return register_read(b, v);
    case IR_REG_WRITE:
        return register_write(b, v);
    case IR_RESULT:
        return say(b, "o%u_%u", operand_at(v, 0)->id, (unsigned)v->imm);
    default:
        return NULL;
    }
}

bool jit_is_expression(const struct translator *t, const struct ir_value *v)
{
    for (const struct dialect *d = t->built; v->op == IR_INTRINSIC && d; d = d->base)
        if (d->intrinsics[v->fn->intrinsic])
            return true;
    return false;
}

static const char *variable_type(struct emit *e, const struct ir_value *v)
{
    (void)e;
    (void)v;
    return "jit_value";
}

static const struct dialect *dialect_of_value(const struct body *b, const struct ir_value *v)
{
    return is_known(b, v) ? of_body(b)->host : of_body(b)->built;
}

const struct dialect built_dialect = {
    .name = "the code that translators build",
    .host = &known_dialect,
    .intrinsics = built_intrinsics,
    .operation = built_operation,
    .reference = built_reference,
    .type = jit_type,
    .variable = variable_type,
    .owner = dialect_of_value,
};
