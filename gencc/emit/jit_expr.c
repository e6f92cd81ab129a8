/*
 * Expressions that build code for values of the IR.
 */
#include "gencc/emit/jit.h"

#include <inttypes.h>
#include <string.h>

/* ---- types ----------------------------------------------------------------------------------- */

const char *jit_type_text(struct emit *e, struct ir_type t)
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

static void type(struct jfn *j, struct ir_type t)
{
    fputs(jit_type_text(j->c.e, t), j->c.o);
}

/* ---- what is known --------------------------------------------------------------------------- */

static bool may_be_known(const struct jfn *j, const struct ir_value *v)
{
    if (ir_is_vector(v->type) || ir_is_void(v->type) || v->type.bits > 64)
        return false;
    if (v->op == IR_CONST || j->c.at[v->id].place == PLACE_OPERAND)
        return true;
    return v->fixed && ir_is_pure(v) && v->op != IR_CALL && v->op != IR_INTRINSIC &&
           v->op != IR_EXTERNAL && v->op != IR_FIELD && v->op != IR_WORD;
}

void jit_find_known(struct jfn *j)
{
    bool changed = true;

    vec_for_each (&j->c.f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            j->known[v->id] = may_be_known(j, v);
    while (changed) {
        changed = false;
        vec_for_each (&j->c.f->blocks, b) {
            for (const struct ir_value *v = (*b)->first; v; v = v->next) {
                bool known = j->known[v->id];

                if (!known || j->c.at[v->id].place == PLACE_OPERAND)
                    continue;
                vec_for_each (&v->ops, op)
                    known &= j->known[(*op)->id];
                changed |= !known;
                j->known[v->id] = known;
            }
        }
    }
}

/* ---- constants ------------------------------------------------------------------------------- */

static void constant(struct jfn *j, struct ir_type t, u128 bits)
{
    bool wide = t.bits == 128;
    uint64_t low = (uint64_t)bits;

    fprintf(j->c.o, "jit_const%s(j, ", wide ? "128" : "");
    type(j, t);
    if (wide)
        fprintf(j->c.o, ", UINT64_C(%#" PRIx64 ")", (uint64_t)(bits >> 64));
    fprintf(j->c.o, low < 10 ? ", %" PRIu64 ")" : ", UINT64_C(%#" PRIx64 "))", low);
}

static void known_value(struct jfn *j, const struct ir_value *v)
{
    bool is_float = v->type.base == IR_FLOAT;

    fputs("jit_const(j, ", j->c.o);
    type(j, v->type);
    fputs(", ", j->c.o);
    if (is_float)
        fprintf(j->c.o, "cpu_bits%u(", v->type.bits);
    else if (v->type.base == IR_SINT)
        fputs("(uint64_t)", j->c.o);
    cexpr(&j->c, v);
    fputs(is_float ? "))" : ")", j->c.o);
}

/* ---- operators ------------------------------------------------------------------------------- */

static const struct ir_value *arg(const struct ir_value *v, unsigned i)
{
    return v->ops.at[i];
}

static const char *operation(enum ir_op op)
{
    static const char *const names[IR_OP_COUNT] = {
        [IR_NEG] = "NEG", [IR_NOT] = "NOT", [IR_ADD] = "ADD", [IR_SUB] = "SUB", [IR_MUL] = "MUL",
        [IR_DIV] = "DIV", [IR_MOD] = "MOD", [IR_AND] = "AND", [IR_OR] = "OR",   [IR_XOR] = "XOR",
        [IR_SHL] = "SHL", [IR_SHR] = "SHR", [IR_ROL] = "ROL", [IR_ROR] = "ROR", [IR_EQ] = "EQ",
        [IR_NE] = "NE",   [IR_LT] = "LT",   [IR_LE] = "LE",   [IR_GT] = "GT",   [IR_GE] = "GE"};

    return names[op];
}

/* name(j, type, operands…) */
static void build_of(struct jfn *j, const char *name, struct ir_type t, const struct ir_value *v)
{
    fprintf(j->c.o, "%s(j, ", name);
    type(j, t);
    for (unsigned i = 0; i < v->ops.count; i++) {
        fputs(", ", j->c.o);
        jit_expr(j, arg(v, i));
    }
    fputs(")", j->c.o);
}

static void operator(struct jfn *j, const struct ir_value *v)
{
    fprintf(j->c.o, "jit_%s(j, JIT_%s, ", v->ops.count == 1 ? "unary" : "binary", operation(v->op));
    type(j, arg(v, 0)->type);
    for (unsigned i = 0; i < v->ops.count; i++) {
        fputs(", ", j->c.o);
        jit_expr(j, arg(v, i));
    }
    fputs(")", j->c.o);
}

/* name(j, operands…) */
static void plain(struct jfn *j, const char *name, const struct ir_value *v)
{
    fprintf(j->c.o, "%s(j", name);
    for (unsigned i = 0; i < v->ops.count; i++) {
        fputs(", ", j->c.o);
        jit_expr(j, arg(v, i));
    }
    fputs(")", j->c.o);
}

static void select_value(struct jfn *j, const struct ir_value *v)
{
    if (!j->known[arg(v, 0)->id]) {
        plain(j, "jit_select", v);
        return;
    }
    fputs("(", j->c.o);
    cexpr(&j->c, arg(v, 0));
    fputs(" ? ", j->c.o);
    jit_expr(j, arg(v, 1));
    fputs(" : ", j->c.o);
    jit_expr(j, arg(v, 2));
    fputs(")", j->c.o);
}

static void convert(struct jfn *j, const struct ir_value *v)
{
    fputs("jit_convert(j, ", j->c.o);
    type(j, v->type);
    fputs(", ", j->c.o);
    type(j, arg(v, 0)->type);
    fputs(", ", j->c.o);
    jit_expr(j, arg(v, 0));
    fputs(")", j->c.o);
}

static void build(struct jfn *j, const struct ir_value *v)
{
    fputs("jit_build(j, ", j->c.o);
    type(j, v->type);
    fputs(", (const jit_value[]){", j->c.o);
    for (unsigned i = 0; i < v->ops.count; i++) {
        fputs(i ? ", " : "", j->c.o);
        jit_expr(j, arg(v, i));
    }
    fputs("})", j->c.o);
}

/* ---- registers ------------------------------------------------------------------------------- */

static bool index_unsure(const struct ir_value *v)
{
    return v->view->is_bank && ir_value_range(arg(v, 0)).max >= v->view->count;
}

static void place(struct jfn *j, const struct ir_value *v)
{
    fprintf(j->c.o, "%s_%s", j->c.e->P, v->view->name);
    if (!v->view->is_bank)
        return;
    fputs("(", j->c.o);
    cexpr(&j->c, arg(v, 0));
    fputs(")", j->c.o);
}

/* offset, stride, count, index: of a bank whose index is not known. */
static void bank(struct jfn *j, const struct ir_value *v)
{
    fprintf(j->c.o, "%s_%s(0), %u, %u, ", j->c.e->P, v->view->name, v->view->reg_stride,
            v->view->count);
    jit_expr(j, arg(v, 0));
}

static void register_read(struct jfn *j, const struct ir_value *v)
{
    if (v->view->is_bank && !j->known[arg(v, 0)->id]) {
        fputs("jit_bank_read(j, ", j->c.o);
        type(j, v->type);
        fputs(", ", j->c.o);
        bank(j, v);
        fputs(")", j->c.o);
        return;
    }
    if (index_unsure(v)) {
        fputs("(", j->c.o);
        cexpr(&j->c, arg(v, 0));
        fprintf(j->c.o, " >= %u ? ", v->view->count);
        constant(j, v->type, 0);
        fputs(" : ", j->c.o);
    }
    fputs("jit_reg_read(j, ", j->c.o);
    type(j, v->type);
    fputs(", ", j->c.o);
    place(j, v);
    fputs(index_unsure(v) ? "))" : ")", j->c.o);
}

static void register_write(struct jfn *j, const struct ir_value *v)
{
    bool is_known = !v->view->is_bank || j->known[arg(v, 0)->id];

    if (v->view == j->c.e->model->pc) {
        fputs("jit_write_pc(j, ", j->c.o);
    } else if (!is_known) {
        fputs("jit_bank_write(j, ", j->c.o);
        bank(j, v);
        fputs(", ", j->c.o);
    } else {
        if (index_unsure(v)) {
            fputs("if (", j->c.o);
            cexpr(&j->c, arg(v, 0));
            fprintf(j->c.o, " < %u) ", v->view->count);
        }
        fputs("jit_reg_write(j, ", j->c.o);
        place(j, v);
        fputs(", ", j->c.o);
    }
    jit_expr(j, arg(v, v->ops.count - 1));
    fputs(")", j->c.o);
}

/* ---- all ------------------------------------------------------------------------------------- */

void jit_expr_open(struct jfn *j, const struct ir_value *v)
{
    if (operation(v->op)) {
        operator(j, v);
        return;
    }
    switch (v->op) {
    case IR_CONST:
        constant(j, v->type, v->imm);
        break;
    case IR_SELECT:
        select_value(j, v);
        break;
    case IR_CONVERT:
        convert(j, v);
        break;
    case IR_BITCAST:
        build_of(j, "jit_bitcast", v->type, v);
        break;
    case IR_SPLAT:
        build_of(j, "jit_splat", v->type, v);
        break;
    case IR_BUILD:
        build(j, v);
        break;
    case IR_CONCAT:
        plain(j, "jit_concat", v);
        break;
    case IR_EXTRACT:
        plain(j, "jit_extract", v);
        break;
    case IR_INSERT:
        plain(j, "jit_insert", v);
        break;
    case IR_REG_READ:
        register_read(j, v);
        break;
    case IR_REG_WRITE:
        register_write(j, v);
        break;
    case IR_INTRINSIC:
        jit_intrinsic_expr(j, v);
        break;
    case IR_RESULT:
        fprintf(j->c.o, "o%u_%u", arg(v, 0)->id, (unsigned)v->imm);
        break;
    default:
        fprintf(j->c.e->diag->out, "gencc: error: translators cannot build '%s'\n",
                ir_ops[v->op].name);
        j->c.e->diag->errors++;
        j->c.e->failed = true;
    }
}

void jit_expr(struct jfn *j, const struct ir_value *v)
{
    if (v->op == IR_CONST)
        constant(j, v->type, v->imm);
    else if (j->known[v->id])
        known_value(j, v);
    else if (j->c.at[v->id].place == PLACE_LOCAL)
        fprintf(j->c.o, "v%u", v->id);
    else
        jit_expr_open(j, v);
}
