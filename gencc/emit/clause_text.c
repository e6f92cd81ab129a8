/*
 * Text of clauses: the header's lines, then the units' words, whose maps the clause may resolve.
 */
#include "gencc/emit/clause.h"
#include "gencc/emit/disasm.h"
#include "gencc/lower/lower.h"
#include "gencc/text/disasm.h"

/* ---- functions that write lines -------------------------------------------------------------- */

static bool line_function(struct emit *e, FILE *o, struct instr *in)
{
    struct ir_func *f = text_disasm_function(lower_of(e->isa), e->isa, in);

    if (!f)
        return false;
    disasm_text_function(e, o, f, in->name);
    return true;
}

static unsigned most_fields(const struct clause *c)
{
    unsigned most = 1;

    vec_for_each (&c->texts, t)
        vec_for_each (&t->lines, in)
            if ((*in)->format->fields.count > most)
                most = (*in)->format->fields.count;
    return most;
}

/* ---- resolving maps -------------------------------------------------------------------------- */

/* What a value of a context is in C, where `c` is the clause, `at` the place in it. */
static const char *value_c(enum clause_context context, const char *name)
{
    static const struct {
        const char *name, *c;
    } values[] = {
        {"unit", "at->unit"},
        {"first", "at->tuple == 0"},
        {"last", "at->tuple + 1 == c->tuples"},
        {"raw", "c->constant[key & 0xff]"},
        {"modifier", "c->modifier[key & 0xff]"},
        {"index", "at->index"},
    };

    if (!strcmp(name, "block"))
        return context == CLAUSE_OF_NEXT ? "next" : "c->tuple[at->tuple].block";
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
        if (!strcmp(values[i].name, name))
            return values[i].c;
    return "0";
}

static void resolve_text(FILE *o, const struct clause_text *t)
{
    static const char *const words[] = {
        [CLAUSE_OF_HEADER] = "c->header",
        [CLAUSE_OF_BLOCK] = "c->tuple[at->tuple].block",
        [CLAUSE_OF_NEXT] = "next",
        [CLAUSE_OF_CONSTANT] = "0",
    };
    const struct format *f = t->lines.at[0]->format;

    fprintf(o, "    if (!strcmp(map, \"%s\")) {\n", t->name);
    if (t->context == CLAUSE_OF_CONSTANT)
        fputs("        if ((key & 0xff) >= GPU_MAX_CONSTANTS)\n            return false;\n", o);
    fprintf(o, "        fields[%u] = (uint64_t)key;\n", format_field(f, t->key)->index);
    for (const char *const *v = clause_context_values(t->context); *v; v++)
        fprintf(o, "        fields[%u] = %s;\n", format_field(f, *v)->index,
                value_c(t->context, *v));
    fprintf(o, "        return text_%s(%s, fields, out);\n    }\n", t->lines.at[0]->name,
            words[t->context]);
}

static void resolver(struct emit *e, FILE *o)
{
    const struct clause *c = e->isa->clause;

    fprintf(o,
            "/* Where in a clause text is being written. */\n"
            "struct place {\n    const struct gpu_clause *clause;\n"
            "    unsigned index, tuple, unit;\n};\n\n"
            "static bool resolve(struct asm_out *out, const char *map, int64_t key)\n{\n"
            "    const struct place *at = out->resolve_data;\n"
            "    const struct gpu_clause *c = at->clause;\n"
            "    uint64_t next UNUSED = c->tuple[at->tuple + 1 == c->tuples ? 0 : at->tuple + 1]"
            ".block;\n    uint64_t fields[%u];\n\n",
            most_fields(c));
    vec_for_each (&c->texts, t)
        if (t->key)
            resolve_text(o, t);
    fputs("    return false;\n}\n\n", o);
}

/* ---- the clause ------------------------------------------------------------------------------ */

static void header_lines(struct emit *e, FILE *o)
{
    fputs("static void header_text(const struct gpu_clause *c, struct asm_out *out)\n{\n"
          "    uint64_t word UNUSED = c->header;\n\n",
          o);
    vec_for_each (&e->isa->clause->texts, t)
        if (!t->key)
            vec_for_each (&t->lines, in)
                fprintf(o, "    text_%s(word, NULL, out);\n", (*in)->name);
    fputs("    asm_put_text(out, \"\\n\");\n}\n\n", o);
}

static void marks(struct emit *e, FILE *o)
{
    fputs("static const char *const marks[] = {", o);
    vec_for_each (&e->isa->clause->units, u)
        fprintf(o, "%s\"    %s\"", u == e->isa->clause->units.at ? "" : ", ", u->mark);
    fputs("};\n\n", o);
}

static void whole_clause(struct emit *e, FILE *o)
{
    fprintf(o,
            "static void unit_text(const struct place *at, struct asm_out *out)\n{\n"
            "    uint32_t word = at->clause->tuple[at->tuple].word[at->unit];\n\n"
            "    asm_put_text(out, marks[at->unit]);\n"
            "    if (!%s_isa.unit[at->unit]->disasm(word, at->clause->address, out)) {\n"
            "        asm_put_text(out, \".inst \");\n        asm_put_hex(out, word);\n"
            "        asm_put_text(out, \" // undefined\");\n    }\n"
            "    asm_put_text(out, \"\\n\");\n}\n\n",
            e->p);
    fprintf(
        o,
        "static size_t %s_disasm_clause(const uint8_t *code, size_t available, unsigned index,\n"
        "                               struct asm_out *out)\n{\n    struct gpu_clause c;\n"
        "    struct place at = {.clause = &c, .index = index};\n\n"
        "    if (!%s_unpack(code, available, 0, &c))\n        return 0;\n"
        "    out->resolve = resolve;\n    out->resolve_data = &at;\n"
        "    header_text(&c, out);\n    asm_put_text(out, \"{\\n\");\n"
        "    for (at.tuple = 0; at.tuple < c.tuples; at.tuple++)\n"
        "        for (at.unit = 0; at.unit < %u; at.unit++)\n"
        "            unit_text(&at, out);\n"
        "    asm_put_text(out, \"}\\n\");\n    out->resolve = NULL;\n"
        "    return c.bytes;\n}\n\n",
        e->p, e->p, e->isa->clause->units.count);
}

bool clause_emit_disasm(struct emit *e, FILE *o)
{
    struct text *text = text_prepare(e->isa);
    bool ok = text != NULL;

    if (!ok)
        return false;
    fputs("#define TEXT_ARGS                                                         \\\n"
          "    uint64_t word UNUSED, const uint64_t *fields UNUSED, struct asm_out *out\n\n",
          o);
    disasm_maps(e, o, text);
    vec_for_each (&e->isa->clause->texts, t)
        vec_for_each (&t->lines, in)
            ok &= line_function(e, o, *in);
    resolver(e, o);
    header_lines(e, o);
    marks(e, o);
    whole_clause(e, o);
    return ok;
}
