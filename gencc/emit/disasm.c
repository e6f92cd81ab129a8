#include "gencc/emit/disasm.h"
#include "gencc/emit/decode_tree.h"
#include "gencc/lower/lower.h"
#include "gencc/text/disasm.h"

#include <inttypes.h>

static void quoted(FILE *o, const char *s)
{
    fputc('"', o);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            fputc('\\', o);
        fputc(*s, o);
    }
    fputc('"', o);
}

void disasm_maps(struct emit *e, FILE *o, const struct text *t)
{
    vec_for_each (&e->isa->maps, it) {
        const struct asm_map *m = *it;
        const struct asm_table *table = text_table(t, m);

        fprintf(o, "static const struct asm_entry entries_%s[] = {\n", m->name);
        for (unsigned i = 0; table && i < table->count; i++) {
            fprintf(o, "    {%" PRId64 ", ", table->at[i].key);
            quoted(o, table->at[i].text);
            fputs("},\n", o);
        }
        fprintf(o,
                "};\nstatic const struct asm_table map_%s __attribute__((unused)) = {\"%s\", %u, "
                "entries_%s};\n\n",
                m->name, m->name, table ? table->count : 0, m->name);
    }
}

static void sysregs(FILE *o, const struct asm_sysregs *s)
{
    fputs("static const struct asm_entry sysreg_names[] = {\n", o);
    for (unsigned i = 0; s && i < s->names.count; i++) {
        fprintf(o, "    {%" PRId64 ", ", s->names.at[i].key);
        quoted(o, s->names.at[i].text);
        fputs("},\n", o);
    }
    fputs("    {0, NULL},\n};\nstatic const struct asm_sysregs sysregs = {\n", o);
    fprintf(o, "    .names = {\"sysreg\", %u, sysreg_names},\n    .fields = %u,\n    .widths = {",
            s ? s->names.count : 0, s ? s->fields : 0);
    for (unsigned i = 0; i < ASM_SYSREG_FIELDS; i++)
        fprintf(o, "%u, ", s && i < s->fields ? s->widths[i] : 0);
    fputs("},\n    .prefixes = {", o);
    for (unsigned i = 0; i < ASM_SYSREG_FIELDS; i++)
        fprintf(o, "\"%s\", ", s && i < s->fields && s->prefixes[i] ? s->prefixes[i] : "");
    fputs("},\n};\n\n", o);
}

void disasm_text_function(struct emit *e, FILE *o, struct ir_func *text, const char *name)
{
    decode_function(e, o, text, arena_printf(e->arena, "static uint8_t text_%s(TEXT_ARGS)", name));
}

static bool usable(const struct form *form)
{
    return form->instr->syntax.count != 0;
}

/* The functions of an instruction: its text, and the fields that reads, a form each. */
static void instruction(struct emit *e, FILE *o, struct instr *in, bool *tested)
{
    struct ir_func *text = text_disasm_function(lower_of(e->isa), e->isa, in);
    uint64_t reads;

    if (!text)
        return;
    reads = decode_reads(text);
    vec_for_each (&in->forms, f) {
        struct ir_func *decode = decode_needed(*f, reads);

        tested[(*f)->index] = decode != NULL;
        if (decode)
            decode_fields_function(e, o, *f, decode);
    }
    disasm_text_function(e, o, text, in->name);
}

/* `data`: by form, whether its decode function decides or computes something for the text. */
static void leaf(FILE *o, const struct decode_node *n, const char *indent, const void *data)
{
    const bool *tested = data;

    for (unsigned i = 0; i < n->forms.count; i++) {
        const struct form *form = n->forms.at[i];

        if (!usable(form))
            continue;
        decode_if(o, &n->tests.at[i], indent);
        if (tested[form->index])
            fprintf(o, "fields_%s(word, fields))\n", form->name);
        else
            fputs("true)\n", o);
        fprintf(o, "%s    return text_%s(word, fields, out);\n", indent, form->instr->name);
    }
}

static void entry(struct emit *e, FILE *o, const bool *tested)
{
    unsigned most = 1;

    vec_for_each (&e->isa->formats, f)
        if ((*f)->fields.count + 1 > most)
            most = (*f)->fields.count + 1;
    fprintf(o,
            "bool %s_disasm(uint32_t word, uint64_t address, struct asm_out *out)\n{\n"
            "    uint64_t fields[%u] __attribute__((unused));\n\n    out->address = address;\n    "
            "out->sysregs = &sysregs;\n",
            e->p, most);
    if (e->isa->trees.count)
        decode_tree(e, o, e->isa->trees.at[0], 0, leaf, tested);
    fputs("    return false;\n}\n", o);
}

bool emit_disasm(struct emit *e)
{
    struct text *t = text_prepare(e->isa);
    bool *tested = arena_alloc(e->arena, (e->isa->forms.count + 1) * sizeof *tested);
    struct out o;

    if (!t || !out_open(e, &o, arena_printf(e->arena, "%s_disasm.c", e->p)))
        return false;
    fprintf(o.f,
            "#include \"%s_internal.h\"\n#include \"gencc/text/asm_text.h\"\n\n"
            "#define UNUSED      __attribute__((unused))\n"
            "#define FIELDS_ARGS uint32_t word UNUSED, uint64_t *fields UNUSED\n"
            "#define TEXT_ARGS                                                         \\\n"
            "    uint32_t word UNUSED, const uint64_t *fields UNUSED, struct asm_out *out\n\n",
            e->p);
    if (!e->model->is_lane)
        fputs("/* Pure helpers are called without a CPU. */\n"
              "static struct cpu *const cpu UNUSED = NULL;\n"
              "static const struct insn *const i UNUSED = NULL;\n\n",
              o.f);
    disasm_maps(e, o.f, t);
    sysregs(o.f, text_sysregs(t));
    vec_for_each (&e->isa->instrs, in)
        if ((*in)->syntax.count)
            instruction(e, o.f, *in, tested);
    entry(e, o.f, tested);
    return out_close(e, &o);
}
