/*
 * The header of layouts, and the beginning of their C file.
 */
#include "gencc/emit/layouts.h"
#include "gencc/emit/layouts_internal.h"
#include "gencc/emit/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Whether the field is the first of its name in a layout: the member is declared for this one. */
static bool declares_member(const struct lay_struct *s, const struct lay_field *f)
{
    if (f->member == LAY_NO_MEMBER)
        return false;
    vec_for_each (&s->fields, o) {
        if (o == f)
            return true;
        if (strcmp(o->name, f->name) == 0)
            return false;
    }
    return true;
}

/* ---- constants and enumerations -------------------------------------------------------------- */

static void write_constants(const struct layout_out *o)
{
    vec_for_each (&o->l->consts, c) {
        fprintf(o->h, "#define %s_%s ", o->P, arena_upper(o->a, c->name));
        if (c->bits == 64)
            fprintf(o->h, "UINT64_C(0x%" PRIx64 ")\n", c->value);
        else
            fprintf(o->h, "0x%" PRIx64 "u\n", c->value);
    }
}

static void enumeration_h(const struct layout_out *o, const struct lay_enum *e)
{
    const char *E = arena_upper(o->a, e->name);

    fprintf(o->h, "\nenum %s_%s {\n", o->p, e->name);
    vec_for_each (&e->values, v)
        fprintf(o->h, "    %s_%s_%s = %" PRIu32 ",\n", o->P, E, arena_upper(o->a, v->name),
                v->value);
    fprintf(o->h, "};\n/* The value's name; NULL when it has none. */\n");
    fprintf(o->h, "const char *%s_%s_name(uint32_t value);\n", o->p, e->name);
}

static bool first_of_value(const struct lay_enum *e, const struct lay_value *v)
{
    for (const struct lay_value *before = e->values.data; before < v; before++)
        if (before->value == v->value)
            return false;
    return true;
}

/* Writes the names of an enumeration's values per version, for printing and for validation. */
static void enumeration_text(const struct layout_out *o, const struct lay_enum *e)
{
    fprintf(o->c,
            "\nstatic inline const char *%s_text(unsigned version, uint32_t value)\n{\n"
            "    (void)version;\n    switch (value) {\n",
            e->name);
    vec_for_each (&e->values, v) {
        if (!first_of_value(e, v))
            continue;
        fprintf(o->c, "    case %" PRIu32 ":\n", v->value);
        for (const struct lay_value *w = v; w < e->values.data + e->values.len; w++) {
            if (w->value != v->value)
                continue;
            if (w->versions != o->l->versions)
                fprintf(o->c, "        if (0x%xu >> (version & 31) & 1)\n    ", w->versions);
            fprintf(o->c, "        return \"%s\";\n", w->name);
        }
        if (v->versions != o->l->versions)
            fputs("        return NULL;\n", o->c);
    }
    fputs("    default:\n        return NULL;\n    }\n}\n", o->c);
}

static void enumeration_c(const struct layout_out *o, const struct lay_enum *e)
{
    enumeration_text(o, e);
    fprintf(o->c, "\nconst char *%s_%s_name(uint32_t value)\n{\n    switch (value) {\n", o->p,
            e->name);
    vec_for_each (&e->values, v)
        if (first_of_value(e, v))
            fprintf(o->c, "    case %" PRIu32 ":\n        return \"%s\";\n", v->value, v->name);
    fprintf(o->c, "    default:\n        return NULL;\n    }\n}\n");
}

/* ---- layouts --------------------------------------------------------------------------------- */

static void write_member(const struct layout_out *o, const struct lay_field *f)
{
    static const char *const types[] = {"uint32_t", "uint64_t", "int32_t", "int64_t", "float"};

    if (f->member == LAY_STRUCT)
        fprintf(o->h, "    struct %s_%s %s", o->p, f->nested->name, f->member_name);
    else
        fprintf(o->h, "    %s %s", types[f->member], f->member_name);
    if (f->count)
        fprintf(o->h, "[%u]", f->count);
    fputs(";", o->h);
    if (f->kind == LAY_ENUM)
        fprintf(o->h, " /* enum %s_%s */", o->p, f->enumeration->name);
    if (f->kind == LAY_ADDRESS)
        fputs(" /* GPU address */", o->h);
    fputc('\n', o->h);
}

/* Whether the field has the same position in all versions that have it. */
static bool one_place(const struct lay_struct *s, const struct lay_field *f)
{
    vec_for_each (&s->fields, g)
        if (strcmp(g->name, f->name) == 0 && (g->start != f->start || g->width != f->width))
            return false;
    return true;
}

static void write_places(const struct layout_out *o, const struct lay_struct *s)
{
    const char *S = arena_upper(o->a, s->name);

    fprintf(o->h, "#define %s_%s_BYTES %uu\n", o->P, S, s->max_bytes);
    vec_for_each (&s->fields, f) {
        const char *F = arena_upper(o->a, f->name);

        if (!declares_member(s, f) || !one_place(s, f))
            continue;
        if (f->start % 8 == 0)
            fprintf(o->h, "#define %s_%s_%s_OFFSET %uu\n", o->P, S, F, f->start / 8);
        if (f->kind == LAY_NESTED)
            continue;
        fprintf(o->h, "#define %s_%s_%s_BIT %uu\n", o->P, S, F, f->start);
        fprintf(o->h, "#define %s_%s_%s_WIDTH %uu\n", o->P, S, F, f->width);
    }
}

static void struct_h(const struct layout_out *o, const struct lay_struct *s)
{
    bool empty = true;

    fprintf(o->h, "\nstruct %s_%s {\n", o->p, s->name);
    vec_for_each (&s->fields, f) {
        if (!declares_member(s, f))
            continue;
        write_member(o, f);
        empty = false;
    }
    if (empty)
        fputs("    char nothing;\n", o->h);
    fputs("};\n", o->h);
    write_places(o, s);
    fprintf(o->h, "unsigned %s_%s_bytes(unsigned version);\n", o->p, s->name);
    fprintf(
        o->h,
        "const char *%s_%s_unpack(unsigned version, const uint8_t *bytes, struct %s_%s *out);\n",
        o->p, s->name, o->p, s->name);
    fprintf(o->h,
            "void %s_%s_usual(unsigned version, struct %s_%s *out);\n"
            "const char *%s_%s_pack(unsigned version, const struct %s_%s *in, uint8_t *bytes);\n",
            o->p, s->name, o->p, s->name, o->p, s->name, o->p, s->name);
    fprintf(
        o->h,
        "void %s_%s_print(unsigned version, FILE *f, unsigned indent, const struct %s_%s *d);\n",
        o->p, s->name, o->p, s->name);
}

static void struct_bytes(const struct layout_out *o, const struct lay_struct *s)
{
    fprintf(o->c, "\nunsigned %s_%s_bytes(unsigned version)\n{\n    switch (version) {\n", o->p,
            s->name);
    for (unsigned v = 0; v <= LAYOUT_MAX_VERSION; v++)
        if (s->bytes[v])
            fprintf(o->c, "    case %u:\n        return %u;\n", v, s->bytes[v]);
    fputs("    default:\n        return 0;\n    }\n}\n", o->c);
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char about[] =
    "/*\n"
    " * Descriptors in the GPU's memory. Of each layout there are, with `version` that of the "
    "GPU's\n"
    " * architecture:\n"
    " *   …_bytes(version)   size in that version; 0: there is no such descriptor in it\n"
    " *   …_unpack(version, bytes, out)   takes …_bytes(version) bytes apart; returns NULL, or "
    "the\n"
    " *       name of the first field that is bad: reserved bits or a value that has no meaning. "
    "All\n"
    " *       members are set in any case; those that the version does not have are 0. \"version\" "
    "when\n"
    " *       there is no such descriptor in it; nothing is read then.\n"
    " *   …_usual(version, out)   sets all members as usual: to 0, or what the description has "
    "behind\n"
    " *       '='\n"
    " *   …_pack(version, in, bytes)   makes …_bytes(version) bytes of the members that are no "
    "overlay;\n"
    " *       returns NULL, or the name of a field that cannot hold its member; \"version\" as "
    "above\n"
    " *   …_print(version, f, indent, d)   writes it as text, a line a field; fields that are as\n"
    " *       usual are left out, values without a meaning are marked\n"
    " * and for fields that are in the same place in all versions …_OFFSET in bytes, …_BIT and "
    "…_WIDTH\n"
    " * in bits. Values are what they mean: shifts and sizes less one are undone.\n"
    " */\n";

static void write_files(const struct layout_out *o)
{
    const char *made = "/* Made by gencc from the layouts";

    fprintf(o->h, "%s '%s'. Edits are lost. */\n", made, o->l->name);
    fprintf(o->h, "#ifndef %s_LAYOUT_H\n#define %s_LAYOUT_H\n\n", o->P, o->P);
    fputs("#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n\n", o->h);
    fprintf(o->c, "%s '%s'. Edits are lost. */\n", made, o->l->name);
    fprintf(o->c, "#include \"%s_layout.h\"\n\n#include <inttypes.h>\n#include <string.h>\n\n",
            o->p);
    fprintf(o->c, "%s\n%s\n%s", layout_unpack_helpers, layout_pack_helpers, layout_print_helpers);
    write_constants(o);
    vec_for_each (&o->l->enums, e) {
        enumeration_h(o, *e);
        enumeration_c(o, *e);
    }
    fprintf(o->h, "\n%s", about);
    vec_for_each (&o->l->structs, s) {
        struct_h(o, *s);
        struct_bytes(o, *s);
        layout_emit_unpack(o, *s);
        layout_emit_pack(o, *s);
        layout_emit_print(o, *s);
    }
    layout_emit_registers_h(o);
    layout_emit_registers_c(o);
    fputs("\n#endif\n", o->h);
}

bool emit_layouts(struct layouts *l, const char *dir)
{
    struct layout_out o = {.l = l, .a = l->arena, .p = l->name, .P = l->upper};
    char *h_text = NULL, *c_text = NULL;
    size_t h_size = 0, c_size = 0;
    bool ok = false;

    o.h = open_memstream(&h_text, &h_size);
    o.c = open_memstream(&c_text, &c_size);
    if (o.h && o.c)
        write_files(&o);
    ok = o.h && !fclose(o.h);
    ok = o.c && !fclose(o.c) && ok;
    if (!ok) {
        fprintf(l->diag->out, "gencc: %s\n", strerror(errno));
        l->diag->errors++;
    }
    ok = ok &&
         file_update(l->diag, dir, arena_printf(l->arena, "%s_layout.h", o.p), h_text, h_size) &&
         file_update(l->diag, dir, arena_printf(l->arena, "%s_layout.c", o.p), c_text, c_size);
    free(h_text);
    free(c_text);
    return ok;
}
