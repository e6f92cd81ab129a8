/*
 * C that prints bundles: the header's lines, then the units' words. Some maps of words are decided
 * by the bundle.
 */
#include "gencc/emit/bundle.h"
#include "gencc/emit/disasm.h"
#include "gencc/lower/lower.h"
#include "gencc/disasm/disasm.h"

/* ---- functions that write lines -------------------------------------------------------------- */

static bool line_function(struct emit *e, FILE *o, struct instr *in)
{
    struct ir_func *f = text_disasm_function(lower_of(e->isa), e->isa, in);

    if (!f)
        return false;
    disasm_text_function(e, o, f, in->name);
    return true;
}

static unsigned most_fields(const struct bundle *c)
{
    unsigned most = 1;

    vec_for_each (&c->texts, t)
        vec_for_each (&t->lines, in)
            if (t->context != BUNDLE_OF_TARGET && (*in)->format->fields.len > most)
                most = (*in)->format->fields.len;
    return most;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A value in C, where `c` is the bundle and `at` the place in it. */
static const char *value_c(struct emit *e, const struct bundle_text *t,
                           const struct bundle_value *v)
{
    switch (v->is) {
    case BUNDLE_V_BLOCK:
        return t->context == BUNDLE_OF_NEXT ? "next" : "c->stage[at->stage].block";
    case BUNDLE_V_UNIT:
        return "at->unit";
    case BUNDLE_V_FIRST:
        return "at->stage == 0";
    case BUNDLE_V_LAST:
        return "at->stage + 1 == c->stages";
    case BUNDLE_V_RAW:
        return "c->constant[key & 0xff]";
    case BUNDLE_V_MODIFIER:
        return "c->modifier[key & 0xff]";
    case BUNDLE_V_INDEX:
        return "at->index";
    case BUNDLE_V_DISTANCE: /* distances to labels occur in the assembler only */
    case BUNDLE_V_END:
        return "0";
    case BUNDLE_V_UNIFORMS:
        return "at->uniforms";
    case BUNDLE_V_CONSTANTS:
        return "c->constants";
    case BUNDLE_V_CONSTANT:
        return arena_printf(e->arena, "c->constant[%u]", v->number);
    case BUNDLE_V_WORD:
        return arena_printf(e->arena, "word_of(c, %u, %u)", v->number, v->unit);
    }
    return "0";
}

static void fill_values(struct emit *e, FILE *o, const struct bundle_text *t, const char *indent)
{
    const struct format *f = t->lines.data[0]->format;

    vec_for_each (&t->values, v)
        fprintf(o, "%sfields[%u] = %s;\n", indent, format_field(f, v->name)->index,
                value_c(e, t, v));
}

static void write_place(FILE *o)
{
    fputs(
        "/* Where in a bundle text is being written. */\n"
        "struct place {\n    const struct gpu_bundle *bundle;\n"
        "    unsigned index, stage, unit;\n    uint32_t uniforms;\n};\n\n"
        "static UNUSED uint64_t word_of(const struct gpu_bundle *c, unsigned stage, unsigned unit)"
        "\n{\n    bool there = stage < c->stages && c->stage[stage].present >> unit & 1;\n\n"
        "    return there ? (uint64_t)c->stage[stage].word[unit] : 0;\n}\n\n",
        o);
}

/* ---- resolving maps -------------------------------------------------------------------------- */

static void resolve_text(struct emit *e, FILE *o, const struct bundle_text *t)
{
    static const char *const words[] = {
        [BUNDLE_OF_HEADER] = "c->header",
        [BUNDLE_OF_BLOCK] = "c->stage[at->stage].block",
        [BUNDLE_OF_NEXT] = "next",
        [BUNDLE_OF_CONSTANT] = "0",
    };
    const struct format *f = t->lines.data[0]->format;

    fprintf(o, "    if (!strcmp(map, \"%s\")) {\n", t->name);
    if (t->context == BUNDLE_OF_CONSTANT)
        fputs("        if ((key & 0xff) >= GPU_MAX_CONSTANTS)\n            return false;\n", o);
    fprintf(o, "        fields[%u] = (uint64_t)key;\n", format_field(f, t->key)->index);
    fill_values(e, o, t, "        ");
    fprintf(o, "        return text_%s(%s, fields, out);\n    }\n", t->lines.data[0]->name,
            words[t->context]);
}

static void write_resolver(struct emit *e, FILE *o)
{
    const struct bundle *c = e->isa->bundle;

    fprintf(o,
            "static bool resolve(struct asm_out *out UNUSED, const char *map UNUSED,\n"
            "                    int64_t key UNUSED)\n{\n"
            "    const struct place *at UNUSED = out->resolve_data;\n"
            "    const struct gpu_bundle *c UNUSED = at->bundle;\n"
            "    uint64_t next UNUSED = c->stage[at->stage + 1 == c->stages ? 0 : at->stage + 1]"
            ".block;\n    uint64_t fields[%u] UNUSED;\n\n",
            most_fields(c));
    vec_for_each (&c->texts, t)
        if (t->key)
            resolve_text(e, o, t);
    fputs("    return false;\n}\n\n", o);
}

/* ---- the bundle ------------------------------------------------------------------------------ */

/* Lines of header or footer. Each line of the footer is a line of the output. */
static void lines_around(struct emit *e, FILE *o, const char *name, enum bundle_context context)
{
    fprintf(o,
            "static void %s_text(const struct place *at, struct asm_out *out)\n{\n"
            "    const struct gpu_bundle *c = at->bundle;\n    uint64_t word UNUSED = c->header;\n"
            "    uint64_t fields[%u] UNUSED;\n\n",
            name, most_fields(e->isa->bundle));
    vec_for_each (&e->isa->bundle->texts, t) {
        if (t->key || t->context != context || !t->lines.len)
            continue;
        fill_values(e, o, t, "    ");
        vec_for_each (&t->lines, in)
            fprintf(
                o,
                context == BUNDLE_OF_FOOTER
                    ? "    if (text_%s(word, fields, out))\n        asm_put_text(out, \"\\n\");\n"
                    : "    text_%s(word, fields, out);\n",
                (*in)->name);
    }
    fputs("    (void)out;\n}\n\n", o);
}

static void write_marks(struct emit *e, FILE *o)
{
    fputs("static const char *const marks[] = {", o);
    vec_for_each (&e->isa->bundle->units, u)
        fprintf(o, "%s%s", u == e->isa->bundle->units.data ? "" : ", ", disasm_quoted(e, u->mark));
    fputs("};\n\n", o);
}

static void whole_bundle(struct emit *e, FILE *o)
{
    const struct bundle *c = e->isa->bundle;

    fprintf(o,
            "static void unit_text(const struct place *at, struct asm_out *out)\n{\n"
            "    const gpu_word word = at->bundle->stage[at->stage].word[at->unit];\n"
            "    const size_t start = out->length;\n\n"
            "    asm_put_text(out, marks[at->unit]);\n"
            "    if (!%s_isa.unit[at->unit]->disasm(word, at->bundle->address, out)) {\n"
            "        asm_put_text(out, \".inst \");\n        asm_put_wide(out, (uint64_t)(word >> "
            "64), (uint64_t)word);\n"
            "        asm_put_text(out, \" // undefined\");\n    }\n"
            "    if (out->length > start)\n        asm_put_text(out, \"\\n\");\n}\n\n",
            e->prefix);
    fprintf(
        o,
        "static size_t %s_disasm_bundle(const uint8_t *code, size_t available, unsigned index,\n"
        "                               uint32_t uniforms, struct asm_out *out)\n{\n"
        "    struct gpu_bundle c;\n"
        "    struct place at = {.bundle = &c, .index = index, .uniforms = uniforms};\n\n"
        "    if (!%s_unpack(code, available, 0, &c))\n        return 0;\n"
        "    out->resolve = resolve;\n    out->resolve_data = &at;\n"
        "    header_text(&at, out);\n    asm_put_text(out, %s);\n"
        "    for (at.stage = 0; at.stage < c.stages; at.stage++)\n"
        "        for (at.unit = 0; at.unit < %u; at.unit++)\n"
        "            if (c.stage[at.stage].present >> at.unit & 1)\n"
        "                unit_text(&at, out);\n"
        "    footer_text(&at, out);\n    asm_put_text(out, %s);\n    out->resolve = NULL;\n"
        "    return c.bytes;\n}\n\n",
        e->prefix, e->prefix, disasm_quoted(e, c->open), c->units.len, disasm_quoted(e, c->close));
}

bool bundle_emit_disasm(struct emit *e, FILE *o)
{
    struct text *text = text_prepare(e->isa);
    bool ok = text != NULL;

    if (!ok)
        return false;
    fputs("#define TEXT_ARGS                                                         \\\n"
          "    uint64_t word UNUSED, const uint64_t *fields UNUSED, struct asm_out *out\n\n",
          o);
    disasm_maps(e, o, text);
    vec_for_each (&e->isa->bundle->texts, t)
        for (struct instr **in = t->lines.data;
             t->context != BUNDLE_OF_TARGET && in < t->lines.data + t->lines.len; in++)
            ok &= line_function(e, o, *in);
    write_place(o);
    write_resolver(e, o);
    lines_around(e, o, "header", BUNDLE_OF_HEADER);
    lines_around(e, o, "footer", BUNDLE_OF_FOOTER);
    write_marks(e, o);
    whole_bundle(e, o);
    return ok;
}
