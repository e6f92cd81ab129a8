/*
 * Translators of lanes: per form a C function that builds code of an operation for a row of lanes
 * (runtime/gpu/translate/build.h). A translator is of the whole behaviour: it decides by fixed
 * values at run time, so it needs no specialised versions as handlers do.
 */
#include "gencc/emit/decode_tree.h"
#include "gencc/emit/intrinsics.h"
#include "gencc/emit/jit.h"
#include "gencc/emit/lane.h"
#include "gencc/emit/operands.h"
#include "gencc/ir/pass.h"

#include <stdlib.h>
#include <string.h>

/* The translator computes the decoder's values too. */
static const struct dialect lane_known_dialect = {.base = &lane_function_dialect};

static const struct dialect lane_built_dialect = {
    .base = &built_dialect,
    .host = &lane_known_dialect,
    .intrinsics = lane_built_intrinsics,
};

/* ---- what is left to handlers ---------------------------------------------------------------- */

static const char *intrinsic_refusal(const struct ir_value *v)
{
    const char *text = lane_built_intrinsics[v->fn->intrinsic];

    if (!text)
        text = built_intrinsics[v->fn->intrinsic];
    if (!text)
        return v->fixed ? NULL : v->fn->name;
    for (; (text = strchr(text, '#')); text++)
        if (!v->ops.data[(unsigned)(text[1] - '0')]->fixed)
            return "a register or selector is not fixed";
    return NULL;
}

/* Why the operation is left to its handler; NULL: it can be translated. */
static const char *reason_of_refusal(struct ir_func *f)
{
    vec_for_each (&f->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            v->mark = 0;
    vec_for_each (&f->blocks, b) {
        for (struct ir_value *v = (*b)->first; v; v = v->next) {
            const char *why = v->op == IR_INTRINSIC ? intrinsic_refusal(v) : NULL;

            if (v->op == IR_CALL && !is_decodable(v))
                why = "it calls a helper";
            else if (v->op == IR_REG_READ || v->op == IR_REG_WRITE)
                why = "it names a register";
            else if (ir_is_vector(v->type))
                why = "it has vectors of its own";
            else if (is_source(v) && !v->ops.data[0]->fixed)
                why = "a source is not fixed";
            if (why)
                return why;
        }
    }
    return NULL;
}

/* ---- one translator -------------------------------------------------------------------------- */

typedef VEC(struct ir_value *) value_list;

static value_list selectors_of(struct emit *e, const struct ir_func *f)
{
    value_list all = {0};

    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (is_source(v) && is_decodable(v->ops.data[0]))
                vec_push_in(e->arena, &all, v->ops.data[0]);
    return all;
}

static void write_translator(struct jit_emit *je, FILE *o, const struct form *form,
                             struct ir_func *f)
{
    struct emit *e = je->e;
    struct translator t = jit_translator(je, o, f, &lane_built_dialect);
    struct ir_func *decode = decode_needed(form, decode_reads(f));
    value_list selectors = selectors_of(e, f);
    const char *fields = NULL;

    if (decode)
        fields = decode_fields_function(e, o, &je->fields, form, decode);
    operands_find(&t.b);
    jit_plan(&t);
    body_where_from(o, form->exec);
    fprintf(o, "static void translate_%s(TRANSLATOR_ARGS)\n{\n", form->name);
    if (decode)
        fprintf(o, "    uint64_t fields[%u];\n\n    fields_%s(word, fields);\n",
                decode_field_count(form->instr->format) + 1, fields);
    jit_compute(&t, selectors.data, selectors.len);
    jit_body(&t);
    fputs("}\n\n", o);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void write_prologue(struct emit *e, FILE *o)
{
    fprintf(o,
            "#include \"%s_internal.h\"\n#include \"runtime/gpu/translate/build.h\"\n\n"
            "#define UNUSED          __attribute__((unused))\n"
            "#define FIELDS_ARGS     word_t word UNUSED, uint64_t *fields UNUSED\n"
            "#define TRANSLATOR_ARGS \\\n"
            "    struct jit_build *j UNUSED, struct gpu_decode *d UNUSED, \\\n"
            "        const struct gpu_op *op UNUSED, gpu_word word UNUSED\n\n",
            e->prefix);
    decode_word_type(e, o);
}

bool lane_emit_translators(struct emit *e)
{
    struct jit_emit je = {.e = e};
    char *body;
    size_t size;
    struct out o;
    FILE *tail = open_memstream(&body, &size);

    if (!tail)
        return false;
    vec_for_each (&e->isa->forms, it) {
        struct ir_func *f = (*it)->exec ? lane_inline_varying(e, *it) : NULL;
        const char *why = "it has no behaviour";

        if (f) {
            ir_pass_fixedness(f);
            why = reason_of_refusal(f);
        }
        vec_push_in(e->arena, &je.refusals, why);
        if (!why)
            write_translator(&je, tail, *it, f);
    }
    fclose(tail);
    if (!out_open(e, &o, arena_printf(e->arena, "%s_translate.c", e->prefix)))
        return false;
    write_prologue(e, o.f);
    jit_targets(&je, o.f);
    fwrite(body, 1, size, o.f);
    free(body);
    fprintf(o.f, "gpu_translate_fn *const %s_translators[] = {\n", e->prefix);
    for (unsigned i = 0; i < e->isa->forms.len; i++)
        if (je.refusals.data[i])
            fprintf(o.f, "    NULL, /* %s: %s */\n", e->isa->forms.data[i]->name,
                    je.refusals.data[i]);
        else
            fprintf(o.f, "    translate_%s,\n", e->isa->forms.data[i]->name);
    fputs("    NULL,\n};\n", o.f);
    return out_close(e, &o);
}
