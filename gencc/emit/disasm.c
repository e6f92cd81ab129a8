/*
 * The disassembler in C: text functions, tables of maps, and the decision tree.
 */
#include "gencc/emit/disasm.h"
#include "gencc/emit/decode_tree.h"
#include "gencc/lower/lower.h"
#include "gencc/disasm/disasm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *disasm_quoted(struct emit *e, const char *s)
{
    char *out = arena_alloc(e->arena, 2 * strlen(s) + 3), *at = out;

    *at++ = '"';
    for (; *s; s++) {
        if (*s == '"' || *s == '\\' || *s == '\n')
            *at++ = '\\';
        *at++ = *s == '\n' ? 'n' : *s;
    }
    *at++ = '"';
    *at = '\0';
    return out;
}

void disasm_maps(struct emit *e, FILE *o, const struct text *t)
{
    vec_for_each (&e->isa->maps, it) {
        const struct asm_map *m = *it;
        const struct asm_table *table = text_table(t, m);

        fprintf(o, "static const struct asm_entry entries_%s[] = {\n", m->name);
        for (unsigned i = 0; table && i < table->count; i++) {
            fprintf(o, "    {%" PRId64 ", ", table->at[i].key);
            fprintf(o, "%s},\n", disasm_quoted(e, table->at[i].text));
        }
        fprintf(o,
                "};\nstatic const struct asm_table map_%s __attribute__((unused)) = {\"%s\", %u, "
                "entries_%s};\n\n",
                m->name, m->name, table ? table->count : 0, m->name);
    }
}

static void write_sysregs(struct emit *e, FILE *o, const struct asm_sysregs *s)
{
    fputs("static const struct asm_entry sysreg_names[] = {\n", o);
    for (unsigned i = 0; s && i < s->names.count; i++) {
        fprintf(o, "    {%" PRId64 ", ", s->names.at[i].key);
        fprintf(o, "%s},\n", disasm_quoted(e, s->names.at[i].text));
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

/* The NAME of the text_NAME() that was written for a function. */
struct written {
    const struct ir_func *text;
    const char *name;
};

/* A disassembler that is being written. */
struct disassembler {
    struct emit *e;
    FILE *o;
    struct pool fields, texts;
    VEC(struct written) written;
    const char **field_functions; /* per form; NULL: none */
    const char **text_functions;  /* per instruction */
};

/* Writes text_NAME(), unless an equal function was written. Returns its NAME. */
static const char *write_text(struct disassembler *d, const char *own, struct ir_func *text)
{
    struct piece piece;
    const char *name;

    if (!piece_open(d->e, &piece))
        return own;
    decode_function(d->e, piece.f, text, "");
    name = pool_name(d->e->arena, &d->texts, own, piece_close(&piece));
    if (name == own)
        fprintf(d->o, "static uint8_t text_%s(TEXT_ARGS)%s", name, piece.text);
    free(piece.text);
    return name;
}

/* The text function of an instruction. Instructions of a format may share one. */
static const char *text_function(struct disassembler *d, const struct instr *in,
                                 struct ir_func *text)
{
    struct written new = {.text = text};

    vec_for_each (&d->written, it)
        if (it->text == text)
            return it->name;
    new.name = write_text(d, in->name, text);
    vec_push_in(d->e->arena, &d->written, new);
    return new.name;
}

/* Writes the functions of an instruction: its text, and per form the fields that the text reads. */
static void write_instruction(struct disassembler *d, struct instr *in)
{
    struct emit *e = d->e;
    struct ir_func *text = text_disasm_function(lower_of(e->isa), e->isa, in);
    uint64_t reads;

    if (!text)
        return;
    reads = decode_reads(text);
    vec_for_each (&in->forms, f) {
        struct ir_func *decode = decode_needed(*f, reads);

        if (decode)
            d->field_functions[(*f)->index] =
                decode_fields_function(e, d->o, &d->fields, *f, decode);
    }
    d->text_functions[in->index] = text_function(d, in, text);
}

static unsigned most_fields(const struct isa *isa)
{
    unsigned most = 1;

    vec_for_each (&isa->formats, f)
        if ((*f)->fields.len + 1 > most)
            most = (*f)->fields.len + 1;
    return most;
}

/* Writes one row per form. The entry point finds rows by the decision tree. */
static void write_form_rows(const struct disassembler *d)
{
    fputs("static const struct asm_form forms[] = {\n", d->o);
    vec_for_each (&d->e->isa->forms, f) {
        const char *fields = d->field_functions[(*f)->index];

        if (!(*f)->instr->syntax.len)
            fputs("    {NULL, NULL},\n", d->o);
        else
            fprintf(d->o, "    {%s%s, text_%s},\n", fields ? "fields_" : "",
                    fields ? fields : "NULL", d->text_functions[(*f)->instr->index]);
    }
    fprintf(d->o,
            "    {NULL, NULL},\n};\n"
            "_Static_assert(%u <= ASM_MAX_FIELDS, \"all computed fields of a form\");\n\n",
            most_fields(d->e->isa));
}

/* The entry point for lanes, whose words were unpacked from bundles. */
static void entry_of_word(struct emit *e, FILE *o)
{
    fprintf(o,
            "bool %s_disasm(gpu_word word, uint64_t address, struct asm_out *out)\n{\n"
            "    out->address = address;\n    out->sysregs = &sysregs;\n    return %s;\n}\n",
            e->prefix,
            e->isa->widths.len
                ? arena_printf(e->arena, "asm_disassemble(&%s_tree_%u, forms, word, out)",
                               e->prefix, e->isa->widths.data[0])
                : "false");
}

static void write_entry(struct emit *e, FILE *o)
{
    fprintf(o,
            "bool %s_disasm(const struct cpu_fetch *at, uint64_t address, struct asm_out *out)\n{\n"
            "    const unsigned bytes = word_bytes(at);\n    uint64_t word;\n\n"
            "    if (at->available < bytes)\n        return false;\n"
            "    word = word_at(at, bytes);\n"
            "    out->address = address;\n    out->sysregs = &sysregs;\n",
            e->prefix);
    vec_for_each (&e->isa->widths, w)
        fprintf(o,
                "    if (bytes == %u)\n"
                "        return asm_disassemble(&%s_tree_%u, forms, word, out);\n",
                *w / 8, e->prefix, *w);
    fputs("    return false;\n}\n", o);
}

bool emit_disasm(struct emit *e)
{
    struct text *t = text_prepare(e->isa);
    struct disassembler d = {.e = e};
    struct out o;

    if (!t || !out_open(e, &o, arena_printf(e->arena, "%s_disasm.c", e->prefix)))
        return false;
    fprintf(o.f,
            "#include \"%s_internal.h\"\n#include \"common/asm_text.h\"\n"
            "#include \"runtime/base/bits.h\"\n\n"
            "#define UNUSED      __attribute__((unused))\n"
            "#define FIELDS_ARGS decode_word word UNUSED, uint64_t *fields UNUSED\n"
            "#define TEXT_ARGS                                                       \\\n"
            "    decode_word word UNUSED, const uint64_t *fields UNUSED, struct asm_out *out "
            "UNUSED\n\n",
            e->prefix);
    decode_tree_prototypes(e, o.f);
    if (!e->model->is_lane)
        decode_words(e, o.f);
    if (!e->model->is_lane)
        fputs("/* Pure helpers are called without a CPU. */\n"
              "static struct cpu *const cpu UNUSED = NULL;\n"
              "static const struct insn *const i UNUSED = NULL;\n\n",
              o.f);
    d.o = o.f;
    d.field_functions = arena_alloc(e->arena, (e->isa->forms.len + 1) * sizeof(*d.field_functions));
    d.text_functions = arena_alloc(e->arena, (e->isa->instrs.len + 1) * sizeof(*d.text_functions));
    disasm_maps(e, o.f, t);
    write_sysregs(e, o.f, text_sysregs(t));
    vec_for_each (&e->isa->instrs, in)
        if ((*in)->syntax.len)
            write_instruction(&d, *in);
    write_form_rows(&d);
    if (e->model->is_lane)
        entry_of_word(e, o.f);
    else
        write_entry(e, o.f);
    return out_close(e, &o);
}
