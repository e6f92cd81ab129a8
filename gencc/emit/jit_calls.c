/*
 * Calls of C functions in translators.
 */
#include "gencc/emit/ctype.h"
#include "gencc/emit/intrinsics.h"
#include "gencc/emit/jit.h"

#include <string.h>

/* ---- what cannot be called ------------------------------------------------------------------- */

static bool passes_by_value(struct ir_type t)
{
    unsigned bytes = ir_bytes(t);

    return !ir_is_vector(t) || bytes == 8 || bytes == 16;
}

static const char *helper_refusal(const struct ir_func *f)
{
    if (!passes_by_value(f->result))
        return "a helper gives a wide vector";
    vec_for_each (&f->params, t)
        if (!passes_by_value(*t))
            return "a helper takes a wide vector";
    return NULL;
}

const char *jit_call_refusal(const struct ir_value *v)
{
    const char *text;

    if (v->op == IR_CALL)
        return helper_refusal(v->callee);
    if (v->op != IR_INTRINSIC)
        return NULL;
    text = built_intrinsics[v->fn->intrinsic];
    if (!text)
        return c_intrinsics[v->fn->intrinsic] ? NULL : v->fn->name;
    for (; (text = strchr(text, '#')); text++) {
        const struct ir_value *a = v->ops.data[(unsigned)(text[1] - '0')];

        if (!a->fixed || ir_is_vector(a->type))
            return "an interface or number is not fixed";
    }
    return NULL;
}

/* ---- C functions ----------------------------------------------------------------------------- */

static const char *target_name(struct translator *t, const struct ir_value *v)
{
    struct jit_target target = {.name = v->op == IR_CALL ? v->callee->name : v->fn->name};

    if (v->op == IR_CALL)
        target.func = v->callee;
    else
        target.fn = v->fn;
    vec_for_each (&t->je->targets, it)
        if (it->func == target.func && (it->func || !strcmp(it->name, target.name)))
            return target.name;
    vec_push_in(t->b.e->arena, &t->je->targets, target);
    return target.name;
}

static bool gives_result(const struct ir_value *v)
{
    return !ir_is_void(v->op == IR_CALL ? v->callee->result : v->fn->result);
}

/*
 *     {
 *         jit_value r[2];
 *         jit_call(j, &a64_c_NAME, (const jit_value[]){…}, r);
 *         v7 = r[0];
 *         o7_1 = r[1];
 *     }
 */
void jit_call_statement(struct translator *t, const struct ir_value *v)
{
    unsigned outs = body_outputs(v);
    bool wanted = outs || gives_result(v);

    if (v->op == IR_INTRINSIC && !strcmp(c_intrinsics[v->fn->intrinsic], "(void)0"))
        return;
    if (wanted)
        fprintf(t->b.o, "    {\n    jit_value r[%u];\n", 1 + outs);
    fprintf(t->b.o, "    jit_call(j, &%s_c_%s, (const jit_value[]){", t->b.e->prefix,
            target_name(t, v));
    for (unsigned i = 0; i < v->ops.len; i++) {
        fputs(i ? ", " : "", t->b.o);
        expr(&t->b, v->ops.data[i]);
    }
    if (v->op == IR_CALL)
        for (unsigned i = 0; i < outs; i++)
            fputs(i || v->ops.len ? ", NULL" : "NULL", t->b.o);
    if (!v->ops.len && (!outs || v->op != IR_CALL))
        fputs("NULL", t->b.o);
    fprintf(t->b.o, "}, %s);\n", wanted ? "r" : "NULL");
    if (gives_result(v) && !t->b.at[v->id].skip)
        fprintf(t->b.o, "    v%u = r[0];\n", v->id);
    for (unsigned i = 1; i <= outs; i++)
        fprintf(t->b.o, "    o%u_%u = r[%u];\n", v->id, i, i);
    if (wanted)
        fputs("    }\n", t->b.o);
}

/* ---- their definitions ----------------------------------------------------------------------- */

/* Writes an intrinsic as a C function: static T do_NAME(cpu, i, p0, …, *r1). */
static void intrinsic_function(struct emit *e, FILE *o, const struct ir_callee *fn)
{
    const char *text = c_intrinsics[fn->intrinsic];

    fprintf(o, "static %s do_%s(CPU_ARGS", ctype(e, fn->result), fn->name);
    for (unsigned i = 0; i < fn->params.len; i++)
        fprintf(o, ", %s%s%u", ctype(e, fn->params.data[i]), fn->by_ref.data[i] ? " *r" : " p", i);
    fprintf(o, ")\n{\n    %s", ir_is_void(fn->result) ? "" : "return ");
    for (; *text; text++) {
        if (*text != '$')
            fputc(*text, o);
        else if (*++text == 'o')
            fprintf(o, "(*r%u)", fn->params.len - 1);
        else if (*text == 'T')
            fputs(ctype(e, fn->result), o);
        else
            fprintf(o, "p%c", *text);
    }
    fputs(";\n}\n\n", o);
}

static void write_parameter(struct emit *e, FILE *o, struct ir_type t, bool by_ref)
{
    fprintf(o, "%s%s, ", jit_type(e, t), by_ref ? " | JIT_REF" : "");
}

static void helper_target(struct emit *e, FILE *o, const struct ir_func *f)
{
    fprintf(o, "static const jit_type params_%s[] = {", f->name);
    vec_for_each (&f->params, t)
        write_parameter(e, o, *t, false);
    vec_for_each (&f->outs, t)
        write_parameter(e, o, *t, true);
    fprintf(o,
            "0};\nconst struct jit_callee %s_c_%s = {\n    (const void *)%s_%s, \"%s\", %s,\n"
            "    JIT_CALL_CPU | JIT_CALL_INSN%s%s, %u, params_%s};\n\n",
            e->prefix, f->name, e->prefix, f->name, f->name, jit_type(e, f->result),
            f->is_pure ? " | JIT_CALL_PURE" : "",
            f->is_reading && !f->is_pure ? " | JIT_CALL_READS" : "", f->params.len + f->outs.len,
            f->name);
}

static const char *fn_flags(const struct ir_callee *fn)
{
    if (!fn->intrinsic)
        return "JIT_CALL_PURE";
    if (fn->flags & IR_FN_NORETURN)
        return "JIT_CALL_CPU | JIT_CALL_INSN | JIT_CALL_NORETURN";
    if (fn->flags & IR_FN_PURE)
        return "JIT_CALL_CPU | JIT_CALL_INSN | JIT_CALL_PURE";
    if (fn->flags & IR_FN_READ)
        return "JIT_CALL_CPU | JIT_CALL_INSN | JIT_CALL_READS";
    return "JIT_CALL_CPU | JIT_CALL_INSN";
}

static void fn_target(struct emit *e, FILE *o, const struct ir_callee *fn)
{
    if (fn->intrinsic)
        intrinsic_function(e, o, fn);
    fprintf(o, "static const jit_type params_%s[] = {", fn->name);
    for (unsigned i = 0; i < fn->params.len; i++)
        write_parameter(e, o, fn->params.data[i], fn->by_ref.data[i]);
    fprintf(o,
            "0};\nconst struct jit_callee %s_c_%s = {\n    (const void *)%s%s, \"%s\", %s,\n"
            "    %s, %u, params_%s};\n\n",
            e->prefix, fn->name, fn->intrinsic ? "do_" : "", fn->name, fn->name,
            jit_type(e, fn->result), fn_flags(fn), fn->params.len, fn->name);
}

void jit_targets(struct jit_emit *je, FILE *o)
{
    vec_for_each (&je->targets, t) {
        if (t->func)
            helper_target(je->e, o, t->func);
        else
            fn_target(je->e, o, t->fn);
    }
}
