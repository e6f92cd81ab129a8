/*
 * Calls in translators: intrinsics that have an operation of their own, and C functions.
 */
#include "gencc/emit/jit.h"

#include <string.h>

/* ---- intrinsics that are operations ---------------------------------------------------------- */

/* $0 … are the arguments as values, #0 … those that must be known, $T the type of the result. */
static const char *const operations[IR_I_COUNT] = {
    [IR_I_ABS32] = "jit_unary(j, JIT_ABS, JIT_S32, $0)",
    [IR_I_ABS64] = "jit_unary(j, JIT_ABS, JIT_S64, $0)",
    [IR_I_BITREV32] = "jit_unary(j, JIT_BITREV, JIT_U32, $0)",
    [IR_I_BITREV64] = "jit_unary(j, JIT_BITREV, JIT_U64, $0)",
    [IR_I_BSWAP32] = "jit_unary(j, JIT_BSWAP, JIT_U32, $0)",
    [IR_I_BSWAP64] = "jit_unary(j, JIT_BSWAP, JIT_U64, $0)",
    [IR_I_CLZ32] = "jit_unary(j, JIT_CLZ, JIT_U32, $0)",
    [IR_I_CLZ64] = "jit_unary(j, JIT_CLZ, JIT_U64, $0)",
    [IR_I_CTZ32] = "jit_unary(j, JIT_CTZ, JIT_U32, $0)",
    [IR_I_CTZ64] = "jit_unary(j, JIT_CTZ, JIT_U64, $0)",
    [IR_I_FMA32] = "jit_fma(j, JIT_F32, $0, $1, $2)",
    [IR_I_FMA32X2] = "jit_fma(j, JIT_TYPE(JIT_FLOAT, 32, 2), $0, $1, $2)",
    [IR_I_FMA32X4] = "jit_fma(j, JIT_TYPE(JIT_FLOAT, 32, 4), $0, $1, $2)",
    [IR_I_FMA64] = "jit_fma(j, JIT_F64, $0, $1, $2)",
    [IR_I_FMA64X2] = "jit_fma(j, JIT_TYPE(JIT_FLOAT, 64, 2), $0, $1, $2)",
    [IR_I_GET_FEATURE] = "jit_const(j, JIT_U32, jit_feature(j, #0))",
    [IR_I_POPCOUNT32] = "jit_unary(j, JIT_POPCOUNT, JIT_U32, $0)",
    [IR_I_POPCOUNT64] = "jit_unary(j, JIT_POPCOUNT, JIT_U64, $0)",
    [IR_I_SMULH] = "jit_binary(j, JIT_SMULH, JIT_U64, $0, $1)",
    [IR_I_SMULL] = "jit_binary(j, JIT_MUL, JIT_U64, $0, $1)",
    [IR_I_TRANSLATED] = "jit_const(j, JIT_U8, 1)",
    [IR_I_UMULH] = "jit_binary(j, JIT_UMULH, JIT_U64, $0, $1)",
    [IR_I_UMULL] = "jit_binary(j, JIT_MUL, JIT_U64, $0, $1)",
    [IR_I_CPU_CONFIG] = "jit_cpu_read(j, JIT_U64, offsetof(struct cpu, config) + 8 * (#0 & 7))",
    [IR_I_CPU_NUMBER] = "jit_cpu_read(j, JIT_U32, offsetof(struct cpu, number))",
    [IR_I_DOUBLE_ABS] = "jit_unary(j, JIT_ABS, JIT_F64, $0)",
    [IR_I_DOUBLE_SQRT] = "jit_unary(j, JIT_SQRT, JIT_F64, $0)",
    [IR_I_FLOAT_ABS] = "jit_unary(j, JIT_ABS, JIT_F32, $0)",
    [IR_I_FLOAT_SQRT] = "jit_unary(j, JIT_SQRT, JIT_F32, $0)",
    [IR_I_GET_CPU_MODE] = "jit_const(j, JIT_U8, jit_mode(j))",
    [IR_I_MEM_READ_128] = "$o = jit_mem_read(j, 128, #0, $1)",
    [IR_I_MEM_READ_16] = "$o = jit_mem_read(j, 16, #0, $1)",
    [IR_I_MEM_READ_32] = "$o = jit_mem_read(j, 32, #0, $1)",
    [IR_I_MEM_READ_64] = "$o = jit_mem_read(j, 64, #0, $1)",
    [IR_I_MEM_READ_8] = "$o = jit_mem_read(j, 8, #0, $1)",
    [IR_I_MEM_WRITE_128] = "jit_mem_write(j, 128, #0, $1, $2)",
    [IR_I_MEM_WRITE_16] = "jit_mem_write(j, 16, #0, $1, $2)",
    [IR_I_MEM_WRITE_32] = "jit_mem_write(j, 32, #0, $1, $2)",
    [IR_I_MEM_WRITE_64] = "jit_mem_write(j, 64, #0, $1, $2)",
    [IR_I_MEM_WRITE_8] = "jit_mem_write(j, 8, #0, $1, $2)",
    [IR_I_READ_IRQ_LINES] = "jit_cpu_read(j, JIT_U32, offsetof(struct cpu, lines))",
    [IR_I_READ_PC] = "jit_read_pc(j, $T)",
    [IR_I_WRITE_PC] = "jit_write_pc(j, $0)",
};

const char *jit_fixed_c(enum ir_intrinsic i)
{
    switch (i) {
    case IR_I_GET_FEATURE:
        return "jit_feature(j, $0)";
    case IR_I_GET_CPU_MODE:
        return "jit_mode(j)";
    case IR_I_TRANSLATED:
        return "(uint8_t)1";
    default:
        return NULL;
    }
}

bool jit_is_expression(const struct ir_value *v)
{
    return v->op == IR_INTRINSIC && operations[v->fn->intrinsic];
}

void jit_intrinsic_expr(struct jfn *j, const struct ir_value *v)
{
    const char *text = operations[v->fn->intrinsic];

    for (; *text; text++) {
        if (*text == '#')
            cexpr(&j->c, v->ops.at[(unsigned)(*++text - '0')]);
        else if (*text != '$')
            fputc(*text, j->c.o);
        else if (*++text == 'o')
            fprintf(j->c.o, "o%u_1", v->id);
        else if (*text == 'T')
            fputs(jit_type_text(j->c.e, v->type), j->c.o);
        else
            jit_expr(j, v->ops.at[(unsigned)(*text - '0')]);
    }
}

/* ---- what cannot be called ------------------------------------------------------------------- */

static bool passes(struct ir_type t)
{
    unsigned bytes = ir_bytes(t);

    return !ir_is_vector(t) || bytes == 8 || bytes == 16;
}

static const char *helper_refusal(const struct ir_func *f)
{
    if (!passes(f->result))
        return "a helper gives a wide vector";
    vec_for_each (&f->params, t)
        if (!passes(*t))
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
    text = operations[v->fn->intrinsic];
    if (!text)
        return intrinsic_c(v->fn->intrinsic) ? NULL : v->fn->name;
    for (; (text = strchr(text, '#')); text++) {
        const struct ir_value *a = v->ops.at[(unsigned)(text[1] - '0')];

        if (!a->fixed || ir_is_vector(a->type))
            return "an interface or number is not fixed";
    }
    return NULL;
}

/* ---- C functions ----------------------------------------------------------------------------- */

static const char *target_name(struct jfn *j, const struct ir_value *v)
{
    struct jit_target t = {.name = v->op == IR_CALL ? v->callee->name : v->fn->name};

    if (v->op == IR_CALL)
        t.func = v->callee;
    else
        t.fn = v->fn;
    vec_for_each (&j->je->targets, it)
        if (it->func == t.func && (it->func || !strcmp(it->name, t.name)))
            return t.name;
    vec_push(j->c.e->arena, &j->je->targets, t);
    return t.name;
}

static unsigned out_count(const struct ir_value *v)
{
    unsigned n = 0;

    if (v->op == IR_CALL)
        return v->callee->outs.count;
    for (unsigned i = 0; i < v->fn->params.count; i++)
        n += v->fn->by_ref.at[i];
    return n;
}

static bool gives(const struct ir_value *v)
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
void jit_call_statement(struct jfn *j, const struct ir_value *v)
{
    unsigned outs = out_count(v);
    bool wanted = outs || gives(v);

    if (v->op == IR_INTRINSIC && !strcmp(intrinsic_c(v->fn->intrinsic), "(void)0"))
        return;
    if (wanted)
        fprintf(j->c.o, "    {\n    jit_value r[%u];\n", 1 + outs);
    fprintf(j->c.o, "    jit_call(j, &%s_c_%s, (const jit_value[]){", j->c.e->p, target_name(j, v));
    for (unsigned i = 0; i < v->ops.count; i++) {
        fputs(i ? ", " : "", j->c.o);
        jit_expr(j, v->ops.at[i]);
    }
    if (v->op == IR_CALL)
        for (unsigned i = 0; i < outs; i++)
            fputs(i || v->ops.count ? ", NULL" : "NULL", j->c.o);
    if (!v->ops.count && (!outs || v->op != IR_CALL))
        fputs("NULL", j->c.o);
    fprintf(j->c.o, "}, %s);\n", wanted ? "r" : "NULL");
    if (gives(v) && !j->c.at[v->id].skip)
        fprintf(j->c.o, "    v%u = r[0];\n", v->id);
    for (unsigned i = 1; i <= outs; i++)
        fprintf(j->c.o, "    o%u_%u = r[%u];\n", v->id, i, i);
    if (wanted)
        fputs("    }\n", j->c.o);
}

/* ---- their definitions ----------------------------------------------------------------------- */

/* An intrinsic as a C function: static T do_NAME(cpu, i, p0, …, *r1). */
static void intrinsic_function(struct emit *e, FILE *o, const struct ir_callee *fn)
{
    const char *text = intrinsic_c(fn->intrinsic);

    fprintf(o, "static %s do_%s(CPU_ARGS", ctype(e, fn->result), fn->name);
    for (unsigned i = 0; i < fn->params.count; i++)
        fprintf(o, ", %s%s%u", ctype(e, fn->params.at[i]), fn->by_ref.at[i] ? " *r" : " p", i);
    fprintf(o, ")\n{\n    %s", ir_is_void(fn->result) ? "" : "return ");
    for (; *text; text++) {
        if (*text != '$')
            fputc(*text, o);
        else if (*++text == 'o')
            fprintf(o, "(*r%u)", fn->params.count - 1);
        else
            fprintf(o, "p%c", *text);
    }
    fputs(";\n}\n\n", o);
}

static void parameter(struct emit *e, FILE *o, struct ir_type t, bool by_ref)
{
    fprintf(o, "%s%s, ", jit_type_text(e, t), by_ref ? " | JIT_REF" : "");
}

static void helper_target(struct emit *e, FILE *o, const struct ir_func *f)
{
    fprintf(o, "static const jit_type params_%s[] = {", f->name);
    vec_for_each (&f->params, t)
        parameter(e, o, *t, false);
    vec_for_each (&f->outs, t)
        parameter(e, o, *t, true);
    fprintf(o,
            "0};\nconst struct jit_callee %s_c_%s = {\n    (const void *)%s_%s, \"%s\", %s,\n"
            "    JIT_CALL_CPU | JIT_CALL_INSN%s%s, %u, params_%s};\n\n",
            e->p, f->name, e->p, f->name, f->name, jit_type_text(e, f->result),
            f->is_pure ? " | JIT_CALL_PURE" : "",
            f->is_reading && !f->is_pure ? " | JIT_CALL_READS" : "",
            f->params.count + f->outs.count, f->name);
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
    for (unsigned i = 0; i < fn->params.count; i++)
        parameter(e, o, fn->params.at[i], fn->by_ref.at[i]);
    fprintf(o,
            "0};\nconst struct jit_callee %s_c_%s = {\n    (const void *)%s%s, \"%s\", %s,\n"
            "    %s, %u, params_%s};\n\n",
            e->p, fn->name, fn->intrinsic ? "do_" : "", fn->name, fn->name,
            jit_type_text(e, fn->result), fn_flags(fn), fn->params.count, fn->name);
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
