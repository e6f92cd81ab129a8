/*
 * C of registers: names, masks, and a table of all registers.
 */
#include "gencc/emit/layouts_internal.h"

#include <inttypes.h>

static uint32_t mask_of(const struct lay_reg_field *f)
{
    return (uint32_t)(((UINT64_C(1) << f->width) - 1) << f->bit);
}

static void block_h(const struct layout_out *o, const struct lay_block *b)
{
    const char *B = arena_upper(o->a, b->name);

    fprintf(o->h, "\n#define %s_%s_BASE 0x%xu\n", o->P, B, b->base);
    if (!b->repeated)
        return;
    fprintf(o->h, "#define %s_%s_COUNT %uu\n", o->P, B, b->count);
    fprintf(o->h, "#define %s_%s_STRIDE 0x%xu\n", o->P, B, b->stride);
}

static void register_h(const struct layout_out *o, const struct lay_register *r)
{
    const char *R = arena_upper(o->a, r->name);

    if (r->repeated)
        fprintf(o->h, "#define %s_%s(n) (0x%xu + 0x%xu * (n))\n", o->P, R, r->offset, r->stride);
    else
        fprintf(o->h, "#define %s_%s 0x%xu\n", o->P, R, r->offset);
    if (r->repeated && !r->block->repeated)
        fprintf(o->h, "#define %s_%s_COUNT %uu\n", o->P, R, r->count);
    vec_for_each (&r->fields, f) {
        const char *F = arena_upper(o->a, f->name);

        fprintf(o->h, "#define   %s_%s_%s 0x%" PRIx32 "u\n", o->P, R, F, mask_of(f));
        fprintf(o->h, "#define   %s_%s_%s_SHIFT %u\n", o->P, R, F, f->bit);
    }
}

void layout_emit_registers_h(const struct layout_out *o)
{
    if (!o->l->blocks.len)
        return;
    fprintf(
        o->h,
        "\n/* ---- registers: offsets in bytes; fields as masks, with …_SHIFT for the lowest bit "
        "*/\n");
    vec_for_each (&o->l->blocks, b) {
        block_h(o, *b);
        vec_for_each (&o->l->registers, r)
            if ((*r)->block == *b)
                register_h(o, *r);
    }
    fprintf(
        o->h,
        "\nenum { %s_REGISTER_READ = 1, %s_REGISTER_WRITE = 2 };\n\n"
        "struct %s_register_field {\n    const char *name;\n    unsigned bit, width;\n"
        "    const char *(*value_name)(uint32_t value); /* NULL: its values have no names */\n};\n"
        "\nstruct %s_register {\n    const char *name;\n"
        "    uint32_t offset;        /* bytes, of the first */\n"
        "    uint32_t access;        /* %s_REGISTER_READ | %s_REGISTER_WRITE */\n"
        "    uint32_t count, stride; /* how many, bytes apart; count 1 if it is one */\n"
        "    const struct %s_register_field *fields;\n    unsigned field_count;\n};\n",
        o->P, o->P, o->p, o->p, o->P, o->P, o->p);
    fprintf(
        o->h,
        "\n/* All of them, by offset; behind them one without a name. */\n#define "
        "%s_REGISTERS_COUNT %uu\n"
        "extern const struct %s_register %s_registers[%s_REGISTERS_COUNT + 1];\n"
        "/* The register at an offset, and which of several it is; NULL when there is none. */\n"
        "const struct %s_register *%s_register_at(uint32_t offset, unsigned *index);\n"
        "/* Writes \"NAME[index] = value (fields that are not 0)\", without a newline. */\n"
        "void %s_register_print(FILE *f, uint32_t offset, uint32_t value);\n",
        o->P, o->l->registers.len, o->p, o->p, o->P, o->p, o->p, o->p);
}

static void fields_c(const struct layout_out *o, const struct lay_register *r)
{
    if (!r->fields.len)
        return;
    fprintf(o->c, "\nstatic const struct %s_register_field fields_%s[] = {\n", o->p, r->name);
    vec_for_each (&r->fields, f)
        fprintf(o->c, "    {\"%s\", %u, %u, %s},\n", f->name, f->bit, f->width,
                f->enumeration ? arena_printf(o->a, "%s_%s_name", o->p, f->enumeration->name)
                               : "NULL");
    fputs("};\n", o->c);
}

static void table_c(const struct layout_out *o)
{
    fprintf(o->c, "\nconst struct %s_register %s_registers[%s_REGISTERS_COUNT + 1] = {\n", o->p,
            o->p, o->P);
    vec_for_each (&o->l->registers, it) {
        const struct lay_register *r = *it;

        fprintf(o->c, "    {\"%s\", 0x%x, %u, %u, %u, ", r->name, r->offset, r->access, r->count,
                r->stride);
        if (r->fields.len)
            fprintf(o->c, "fields_%s, %u},\n", r->name, r->fields.len);
        else
            fputs("NULL, 0},\n", o->c);
    }
    fputs("    {NULL, 0, 0, 0, 0, NULL, 0},\n};\n", o->c);
}

static const char *const functions =
    "\nconst struct $_register *$_register_at(uint32_t offset, unsigned *index)\n{\n"
    "    for (unsigned i = 0; i < $$_REGISTERS_COUNT; i++) {\n"
    "        const struct $_register *r = &$_registers[i];\n"
    "        uint32_t at = offset - r->offset;\n\n"
    "        if (offset < r->offset || at % r->stride || at / r->stride >= r->count)\n"
    "            continue;\n"
    "        *index = at / r->stride;\n        return r;\n    }\n    return NULL;\n}\n"
    "\nvoid $_register_print(FILE *f, uint32_t offset, uint32_t value)\n{\n"
    "    unsigned index;\n    const struct $_register *r = $_register_at(offset, &index);\n"
    "    const char *before = \" (\";\n\n"
    "    if (!r) {\n"
    "        fprintf(f, \"0x%\" PRIx32 \" = 0x%\" PRIx32, offset, value);\n        return;\n    }\n"
    "    fputs(r->name, f);\n    if (r->count > 1)\n        fprintf(f, \"[%u]\", index);\n"
    "    fprintf(f, \" = 0x%\" PRIx32, value);\n"
    "    for (const struct $_register_field *x = r->fields; x && x < r->fields + r->field_count; "
    "x++) {\n"
    "        uint32_t v = value >> x->bit & (uint32_t)((UINT64_C(1) << x->width) - 1);\n"
    "        const char *text = x->value_name ? x->value_name(v) : NULL;\n\n"
    "        if (!v)\n            continue;\n"
    "        fprintf(f, \"%s%s\", before, x->name);\n        before = \", \";\n"
    "        if (text)\n            fprintf(f, \" %s\", text);\n"
    "        else if (x->width > 1)\n            fprintf(f, \" 0x%\" PRIx32, v);\n    }\n"
    "    if (*before == ',')\n        fputc(')', f);\n}\n";

void layout_emit_registers_c(const struct layout_out *o)
{
    if (!o->l->blocks.len)
        return;
    vec_for_each (&o->l->registers, r)
        fields_c(o, *r);
    table_c(o);
    for (const char *t = functions; *t; t++) {
        if (*t != '$')
            fputc(*t, o->c);
        else if (t[1] == '$')
            fputs(o->P, o->c), t++;
        else
            fputs(o->p, o->c);
    }
}
