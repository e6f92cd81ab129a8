/*
 * Prints the text form of docs/understand/ir.md.
 */
#include "gencc/ir/text.h"
#include "gencc/model/model.h"

#include <ctype.h>

const char *const ir_kind_names[] = {"helper", "execute", "decode", "disasm", "export"};

static void print_u128(FILE *out, u128 x)
{
    if (x >> 64)
        fprintf(out, "0x%llx%016llx", (unsigned long long)(x >> 64), (unsigned long long)x);
    else
        fprintf(out, "0x%llx", (unsigned long long)x);
}

static void print_type(FILE *out, struct ir_type t)
{
    char buf[24];

    fputs(ir_type_name(t, buf), out);
}

static void print_text(FILE *out, const char *s)
{
    fputc('"', out);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if (isprint((unsigned char)*s))
            fputc(*s, out);
        else
            fprintf(out, "\\x%02x", (unsigned char)*s);
    }
    fputc('"', out);
}

static void print_operand(FILE *out, const struct ir_value *op)
{
    if (op->op == IR_TEXT)
        print_text(out, op->text);
    else
        fprintf(out, "%%%u", op->id);
}

static void print_operands(FILE *out, const struct ir_value *v, unsigned first)
{
    for (unsigned i = first; i < v->ops.len; i++) {
        fputs(i > first ? ", " : "", out);
        print_operand(out, v->ops.data[i]);
    }
}

static void print_register(FILE *out, const struct ir_value *v)
{
    bool writes = v->op == IR_REG_WRITE, has_index = v->ops.len > writes;

    fprintf(out, " %s", v->view->name);
    if (has_index)
        fprintf(out, "[%%%u]", v->ops.data[0]->id);
    if (writes)
        fprintf(out, ", %%%u", v->ops.data[has_index]->id);
}

static void print_phi(FILE *out, const struct ir_value *v)
{
    for (unsigned i = 0; i < v->ops.len; i++)
        fprintf(out, "%s b%u: %%%u", i ? "," : "", v->targets.data[i]->id, v->ops.data[i]->id);
}

static void print_switch(FILE *out, const struct ir_value *v)
{
    fprintf(out, " %%%u, b%u [", v->ops.data[0]->id, v->targets.data[0]->id);
    for (unsigned i = 0; i < v->cases.len; i++) {
        fputs(i ? ", " : "", out);
        print_u128(out, v->cases.data[i]);
        fprintf(out, ": b%u", v->targets.data[i + 1]->id);
    }
    fputc(']', out);
}

static void print_call(FILE *out, const struct ir_value *v)
{
    fprintf(out, " %s(", v->op == IR_CALL ? v->callee->name : v->fn->name);
    print_operands(out, v, 0);
    fputc(')', out);
}

static void print_rest(FILE *out, const struct ir_func *f, const struct ir_value *v)
{
    switch (v->op) {
    case IR_CONST:
        fputc(' ', out);
        print_u128(out, v->imm);
        break;
    case IR_PARAM:
        fprintf(out, " %u", (unsigned)v->imm);
        break;
    case IR_RESULT:
        fprintf(out, " %%%u, %u", v->ops.data[0]->id, (unsigned)v->imm);
        break;
    case IR_FIELD:
    case IR_FIELD_WRITE:
        fprintf(out, " %s.%s", f->format->name, v->field->name);
        if (v->op == IR_FIELD_WRITE)
            fprintf(out, ", %%%u", v->ops.data[0]->id);
        break;
    case IR_VAR_READ:
    case IR_VAR_WRITE:
        fprintf(out, " $%u", v->var->id);
        if (v->op == IR_VAR_WRITE)
            fprintf(out, ", %%%u", v->ops.data[0]->id);
        break;
    case IR_REG_READ:
    case IR_REG_WRITE:
        print_register(out, v);
        break;
    case IR_PHI:
        print_phi(out, v);
        break;
    case IR_SWITCH:
        print_switch(out, v);
        break;
    case IR_CALL:
    case IR_INTRINSIC:
    case IR_EXTERNAL:
        print_call(out, v);
        break;
    default:
        fputs(v->ops.len ? " " : "", out);
        print_operands(out, v, 0);
        for (unsigned i = 0; i < v->targets.len; i++)
            fprintf(out, "%s b%u", i || v->ops.len ? "," : "", v->targets.data[i]->id);
    }
}

static void print_value(FILE *out, const struct ir_func *f, const struct ir_value *v)
{
    if (v->op == IR_TEXT)
        return; /* printed as an operand of its user */
    if (ir_has_name(v))
        fprintf(out, "    %%%u%s = %s ", v->id, v->fixed ? "!" : "", ir_ops[v->op].name);
    else
        fprintf(out, "    %s", ir_ops[v->op].name);
    if (ir_has_name(v))
        print_type(out, v->type);
    print_rest(out, f, v);
    fputc('\n', out);
}

static void print_header(FILE *out, const struct ir_func *f)
{
    fprintf(out, "%s %s(", ir_kind_names[f->kind], f->name);
    for (unsigned i = 0; i < f->params.len; i++) {
        fputs(i ? ", " : "", out);
        print_type(out, f->params.data[i]);
        if (i < f->param_names.len && f->param_names.data[i])
            fprintf(out, " %s", f->param_names.data[i]);
    }
    fputs(") -> ", out);
    print_type(out, f->result);
    vec_for_each (&f->outs, t) {
        fputs(", ", out);
        print_type(out, *t);
    }
    if (f->format)
        fprintf(out, " format %s", f->format->name);
    fputs(f->is_inline ? " inline" : "", out);
    fputs(f->is_noinline ? " noinline" : "", out);
    fputs(f->ends_block ? " ends_block" : "", out);
    fputs(f->is_pure ? " pure" : "", out);
    fputs(f->is_reading ? " reading" : "", out);
    fputs(" {\n", out);
}

void ir_print(FILE *out, const struct ir_func *f)
{
    print_header(out, f);
    vec_for_each (&f->vars, v) {
        fprintf(out, "    var $%u ", (*v)->id);
        print_type(out, (*v)->type);
        fprintf(out, "%s%s\n", (*v)->name ? " " : "", (*v)->name ? (*v)->name : "");
    }
    vec_for_each (&f->blocks, b) {
        fprintf(out, "b%u%s%s%s:\n", (*b)->id, (*b)->name ? " " : "", (*b)->name ? (*b)->name : "",
                (*b)->fixed ? " !" : "");
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            print_value(out, f, v);
    }
    fputs("}\n", out);
}
