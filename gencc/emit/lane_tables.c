/*
 * The header and the tables of an ISA of lanes.
 */
#include "gencc/emit/ctype.h"
#include "gencc/emit/helpers.h"
#include "gencc/emit/lane.h"

#include <stdlib.h>

/* ---- the header ------------------------------------------------------------------------------ */

/* Macros of registers by their word slot. */
static void view_macros(struct emit *e, FILE *o)
{
    vec_for_each (&e->model->views, it) {
        const struct reg_view *v = *it;

        if (v->is_bank)
            fprintf(o, "#define %s_%s(n) (%u + %u * (size_t)(n))\n", e->capital_prefix, v->name,
                    v->offset / 4, v->reg_stride / 4);
        else
            fprintf(o, "#define %s_%s %u\n", e->capital_prefix, v->name, v->offset / 4);
    }
    fputc('\n', o);
}

static void operand_struct(struct emit *e, FILE *o, const struct lane_handler *h)
{
    bool sources = false;

    if (!h->operands.len && !h->sources.len)
        return;
    fprintf(o, "struct %s_o_%s {", e->prefix, h->name);
    for (unsigned i = 0; i <= h->operands.len; i++) {
        const struct operand *op = i < h->operands.len ? &h->operands.data[i] : NULL;

        if (!sources && (!op || ir_bytes(op->stored) < 2)) {
            sources = true;
            vec_for_each (&h->sources, s)
                fprintf(o, " uint16_t %s;", s->name);
        }
        if (op)
            fprintf(o, " %s %s;", ctype(e, op->stored), op->name);
    }
    fputs(" };\n", o);
}

static void write_declarations(struct emit *e, FILE *o, const lane_list *handlers)
{
    vec_for_each (handlers, h)
        operand_struct(e, o, *h);
    if (!e->opt->include)
        external_prototypes(e, o);
    helper_prototypes(e, o);
    fprintf(o,
            "bool %s_decode(struct gpu_decode *d, gpu_word whole, struct gpu_op *op);\n"
            "bool %s_disasm(gpu_word whole, uint64_t address, struct asm_out *out);\n",
            e->prefix, e->prefix);
}

bool lane_emit_header(struct emit *e, const lane_list *handlers)
{
    const char *include = e->opt->include;
    char *body;
    size_t size;
    struct out o;
    FILE *tail = open_memstream(&body, &size);

    if (!tail)
        return false;
    write_declarations(e, tail, handlers); /* first: finds the vector types in use */
    fclose(tail);
    if (!out_open(e, &o, arena_printf(e->arena, "%s_internal.h", e->prefix)))
        return false;
    fprintf(o.f,
            "#ifndef GENERATED_%s_INTERNAL_H\n#define GENERATED_%s_INTERNAL_H\n\n"
            "#include \"runtime/gpu/lane.h\"\n%s%s%s\n"
            "#define %s_REGISTERS %u\n#define REGISTERS %s_REGISTERS\n"
            "#define REG(type, slot) GPU_REGISTER(w, type, slot, l)\n\n",
            e->capital_prefix, e->capital_prefix, include ? "#include \"" : "",
            include ? include : "", include ? "\"\n" : "", e->capital_prefix,
            e->model->state_bytes / 4, e->capital_prefix);
    emit_vector_types(e, o.f);
    view_macros(e, o.f);
    fwrite(body, 1, size, o.f);
    free(body);
    fputs("\n#endif\n", o.f);
    return out_close(e, &o);
}

/* ---- tables ---------------------------------------------------------------------------------- */

bool lane_emit_tables(struct emit *e)
{
    const char *translators = "", *member = "";
    struct out o;

    if (e->opt->jit) {
        translators =
            arena_printf(e->arena, "extern gpu_translate_fn *const %s_translators[];\n", e->prefix);
        member = arena_printf(e->arena, "    .translators = %s_translators,\n", e->prefix);
    }
    if (!out_open(e, &o, arena_printf(e->arena, "%s_isa.c", e->prefix)))
        return false;
    fprintf(o.f, "#include \"%s_internal.h\"\n\nstatic const struct gpu_form forms[] = {\n",
            e->prefix);
    vec_for_each (&e->isa->forms, f)
        fprintf(o.f, "    {\"%s\", \"%s\", \"%s\"},\n", (*f)->name, (*f)->instr->klass,
                (*f)->instr->name);
    fprintf(o.f,
            "};\n\n"
            "extern const struct gpu_external %s_externals[];\n"
            "const struct gpu_external %s_externals[] = {\n",
            e->prefix, e->prefix);
    external_rows(e, o.f);
    fprintf(o.f,
            "    {NULL, NULL},\n};\n\n_Static_assert(%u <= GPU_MAX_OPERANDS, \"operands\");\n\n"
            "%s"
            "extern const struct gpu_unit %s_unit;\nconst struct gpu_unit %s_unit = {\n"
            "    .name = \"%s\",\n    .forms = forms,\n    .form_count = %u,\n"
            "    .op_bytes = sizeof(struct gpu_op) + %u,\n"
            "    .decode = %s_decode,\n    .disasm = %s_disasm,\n%s};\n",
            e->max_operand_bytes, translators, e->prefix, e->prefix, e->isa->name,
            e->isa->forms.len, e->max_operand_bytes, e->prefix, e->prefix, member);
    return out_close(e, &o);
}
