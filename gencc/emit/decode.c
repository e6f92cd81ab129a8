/*
 * The decoder of a CPU: the decision tree as switches, a function a form that picks the handler, and
 * a function a handler that computes its operands.
 */
#include "gencc/emit/c_dialect.h"
#include "gencc/emit/cpu.h"
#include "gencc/emit/decode_tree.h"
#include "gencc/emit/operands.h"

/* ---- operands of a handler ------------------------------------------------------------------- */

static void operands_function(struct emit *e, FILE *o, const struct handler *h)
{
    struct body b = straight_line(e, o, h->f, &c_dialect);

    fprintf(o, "static void operands_%s(DECODE_ARGS)\n{\n", h->name);
    fprintf(o, "    struct %s_o_%s *o = (void *)(out + 1);\n\n", e->p, h->name);
    straight_line_values(&b, &h->operands);
    straight_line_store(&b, &h->operands);
    fputs("}\n\n", o);
}

/* ---- forms ----------------------------------------------------------------------------------- */

static void choose_handler(struct emit *e, FILE *o, const struct handler *h)
{
    bool guarded = h->fields.count || h->feature >= 0;
    const char *indent = guarded ? "        " : "    ";

    if (guarded) {
        fputs("    if (", o);
        if (h->feature >= 0)
            fprintf(o, "cpu->features[%d] == %u", h->feature,
                    e->model->features.at[h->feature]->value);
        for (unsigned i = 0; i < h->fields.count; i++) {
            const struct field *f = h->fields.at[i];

            fprintf(o, "%s(word >> %u & %#x) == %u", i || h->feature >= 0 ? " && " : "", f->lsb,
                    (1u << f->width) - 1, (unsigned)h->values.at[i]);
        }
        fputs(") {\n", o);
    }
    fprintf(o, "%sout->fn = %s_h_%s;\n", indent, e->p, h->name);
    if (h->operands.count)
        fprintf(o, "%soperands_%s(cpu, word, fields, out);\n", indent, h->name);
    fprintf(o, "%s*flags = %s;\n%sreturn true;\n", indent,
            h->ends_block ? "DECODE_ENDS_BLOCK" : "0", indent);
    if (guarded)
        fputs("    }\n", o);
}

/* `first` is the index of the form's first handler; returns that of the next form's. */
static unsigned form_function(struct emit *e, FILE *o, const handler_list *handlers,
                              const struct form *form, unsigned first)
{
    unsigned end = first;
    bool complete = false;
    uint64_t reads = 0;
    struct ir_func *decode;

    while (end < handlers->count && handlers->at[end]->form == form) {
        struct handler *h = handlers->at[end++];

        reads |= decode_reads(h->f);
        complete |= !h->fields.count && h->feature < 0;
        if (h->operands.count)
            operands_function(e, o, h);
    }
    decode = decode_needed(form, reads);
    if (decode)
        decode_fields_function(e, o, form, decode);
    fprintf(o, "static NOINLINE bool form_%s(FORM_ARGS)\n{\n", form->name);
    if (decode)
        fprintf(o, "    uint64_t fields[%u];\n\n", decode_field_count(form->instr->format) + 1);
    else
        fputs("    uint64_t *const fields = NULL;\n\n    (void)fields;\n", o);
    vec_for_each (&form->instr->features, f)
        fprintf(o, "    if (!cpu->features[%u])\n        return false;\n", (*f)->index);
    if (decode)
        fprintf(o, "    if (!fields_%s(cpu, word, fields))\n        return false;\n", form->name);
    fprintf(o, "    out->form = %u;\n", form->index);
    for (unsigned i = first; i < end; i++)
        choose_handler(e, o, handlers->at[i]);
    if (!complete) /* every combination of the fields has a handler */
        fputs("    return false;\n", o);
    fputs("}\n\n", o);
    return end;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void leaf(FILE *o, const struct decode_node *n, const char *indent, const void *data)
{
    (void)data;
    decode_leaf(o, n, indent, "cpu, word, out, &flags", "flags");
}

bool emit_decoder(struct emit *e, const handler_list *handlers)
{
    struct out o;
    unsigned at = 0;

    if (!out_open(e, &o, arena_printf(e->arena, "%s_decode.c", e->p)))
        return false;
    fprintf(o.f, "#include \"%s_internal.h\"\n\n", e->p);
    fputs("#define UNUSED       __attribute__((unused))\n"
          "#define NOINLINE     __attribute__((noinline))\n"
          "#define FIELDS_ARGS  struct cpu *cpu UNUSED, uint32_t word UNUSED, uint64_t *fields "
          "UNUSED\n"
          "#define DECODE_ARGS  struct cpu *cpu UNUSED, uint32_t word UNUSED, "
          "const uint64_t *fields UNUSED, struct insn *out\n"
          "#define FORM_ARGS    struct cpu *cpu UNUSED, uint32_t word UNUSED, struct insn *out, "
          "unsigned *flags\n\n"
          "/* Pure helpers are called without an instruction. */\n"
          "static const struct insn *const i UNUSED = NULL;\n\n",
          o.f);
    vec_for_each (&e->isa->forms, f) {
        if ((*f)->exec)
            at = form_function(e, o.f, handlers, *f, at);
    }
    fprintf(o.f,
            "static void undefined(struct cpu *cpu, const struct insn *insn)\n{\n"
            "    cpu_undefined(cpu, insn);\n}\n\n"
            "unsigned %s_decode(struct cpu *cpu, uint32_t word, struct insn *out)\n{\n"
            "    unsigned flags;\n\n",
            e->p);
    if (e->isa->trees.count)
        decode_tree(e, o.f, e->isa->trees.at[0], 0, leaf, NULL);
    fprintf(o.f,
            "    out->form = %u;\n    out->fn = undefined;\n    return DECODE_ENDS_BLOCK;\n}\n",
            e->isa->forms.count);
    return out_close(e, &o);
}
