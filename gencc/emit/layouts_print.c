/*
 * C that prints descriptors as text.
 */
#include "gencc/emit/layouts_internal.h"

#include <inttypes.h>

const char layout_print_helpers[] =
    "static void label(FILE *f, unsigned indent, const char *name, int index)\n{\n"
    "    fprintf(f, \"%*s%s\", (int)indent, \"\", name);\n"
    "    if (index >= 0)\n        fprintf(f, \"[%d]\", index);\n}\n\n"
    "static inline void print_uint(FILE *f, unsigned indent, const char *name, int index,\n"
    "                              uint64_t v, bool bad)\n{\n"
    "    label(f, indent, name, index);\n"
    "    fprintf(f, \": %\" PRIu64, v);\n"
    "    if (v > 9)\n        fprintf(f, \" (0x%\" PRIx64 \")\", v);\n"
    "    fputs(bad ? \" (bad)\\n\" : \"\\n\", f);\n}\n\n"
    "static inline void print_int(FILE *f, unsigned indent, const char *name, int index,\n"
    "                             int64_t v, bool bad)\n{\n"
    "    label(f, indent, name, index);\n"
    "    fprintf(f, \": %\" PRId64 \"%s\\n\", v, bad ? \" (bad)\" : \"\");\n}\n\n"
    "static inline void print_address(FILE *f, unsigned indent, const char *name, int index,\n"
    "                                 uint64_t v, bool bad)\n{\n"
    "    label(f, indent, name, index);\n"
    "    fprintf(f, \": 0x%\" PRIx64 \"%s\\n\", v, bad ? \" (bad)\" : \"\");\n}\n\n"
    "static inline void print_bool(FILE *f, unsigned indent, const char *name, int index,\n"
    "                              uint64_t v, bool bad)\n{\n"
    "    label(f, indent, name, index);\n"
    "    fprintf(f, \": %s%s\\n\", v ? \"yes\" : \"no\", bad ? \" (bad)\" : \"\");\n}\n\n"
    "static inline void print_float(FILE *f, unsigned indent, const char *name, int index,\n"
    "                               float v, bool bad)\n{\n"
    "    label(f, indent, name, index);\n"
    "    fprintf(f, \": %.9g%s\\n\", (double)v, bad ? \" (bad)\" : \"\");\n}\n\n"
    "static inline void print_enum(FILE *f, unsigned indent, const char *name, int index,\n"
    "                              uint32_t v, const char *text, bool bad)\n{\n"
    "    label(f, indent, name, index);\n"
    "    fprintf(f, \": %s (%\" PRIu32 \")%s\\n\", text ? text : \"?\", v, bad ? \" (bad)\" : "
    "\"\");\n"
    "}\n\n"
    "static inline void print_head(FILE *f, unsigned indent, const char *name, int index)\n{\n"
    "    label(f, indent, name, index);\n    fputs(\":\\n\", f);\n}\n\n";

/* A C condition: the element `x` differs from a value. */
static const char *condition_of_difference(const struct layout_out *o, const struct lay_field *f,
                                           const char *x, uint64_t v)
{
    if (f->kind == LAY_FLOAT)
        return arena_printf(o->a, "float_bits(%s) != 0x%" PRIx64, x, v);
    if (f->kind == LAY_INT)
        return arena_printf(o->a, "%s != %" PRId64, x, (int64_t)v);
    return arena_printf(o->a, "%s != 0x%" PRIx64, x, v);
}

static const char *is_bad(const struct layout_out *o, const struct lay_field *f, const char *x)
{
    const char *bad = "false";

    if (f->has_must)
        bad = condition_of_difference(o, f, x, f->required_value);
    if (f->kind == LAY_ENUM && f->has_must)
        return arena_printf(o->a, "%s || !%s_text(version, %s)", bad, f->enumeration->name, x);
    if (f->kind == LAY_ENUM)
        return arena_printf(o->a, "!%s_text(version, %s)", f->enumeration->name, x);
    return bad;
}

static void print_scalar(const struct layout_out *o, const struct lay_field *f, const char *pad,
                         const char *index, const char *x)
{
    static const char *const kinds[] = {"uint", "int", "bool", "float", "address", "uint", "enum"};

    fprintf(o->c, "%sprint_%s(f, indent, \"%s\", %s, %s", pad, kinds[f->kind], f->name, index, x);
    if (f->kind == LAY_ENUM)
        fprintf(o->c, ", %s_text(version, %s)", f->enumeration->name, x);
    fprintf(o->c, ", %s);\n", is_bad(o, f, x));
}

static void print_field(const struct layout_out *o, const struct lay_struct *s,
                        const struct lay_field *f)
{
    const char *pad = "    ", *index = f->count ? "(int)i" : "-1";
    const char *x = arena_printf(o->a, f->count ? "d->%s[i]" : "d->%s", f->member_name);

    if (f->versions != s->versions) {
        fprintf(o->c, "%sif (0x%xu >> version & 1) {\n", pad, f->versions);
        pad = arena_printf(o->a, "    %s", pad);
    }
    if (f->count) {
        fprintf(o->c, "%sfor (unsigned i = 0; i < %u; i++) {\n", pad, f->count);
        pad = arena_printf(o->a, "    %s", pad);
    }
    if (f->kind == LAY_NESTED) {
        fprintf(o->c, "%sprint_head(f, indent, \"%s\", %s);\n", pad, f->name, index);
        fprintf(o->c, "%s%s_%s_print(version, f, indent + 2, &%s);\n", pad, o->p, f->nested->name,
                x);
    } else {
        if (f->has_must || f->has_default) {
            fprintf(o->c, "%sif (%s)\n", pad,
                    condition_of_difference(o, f, x,
                                            f->has_must ? f->required_value : f->default_value));
            print_scalar(o, f, arena_printf(o->a, "    %s", pad), index, x);
        } else {
            print_scalar(o, f, pad, index, x);
        }
    }
    if (f->count)
        fprintf(o->c, "%s}\n", pad = arena_printf(o->a, "%s", pad + 4));
    if (f->versions != s->versions)
        fputs("    }\n", o->c);
}

void layout_emit_print(const struct layout_out *o, const struct lay_struct *s)
{
    fprintf(
        o->c,
        "\nvoid %s_%s_print(unsigned version, FILE *f, unsigned indent, const struct %s_%s *d)\n"
        "{\n    (void)d;\n    (void)f;\n    (void)indent;\n"
        "    if (version > 31 || !(0x%xu >> version & 1))\n        return;\n",
        o->p, s->name, o->p, s->name, s->versions);
    vec_for_each (&s->fields, f)
        if (f->kind != LAY_RESERVED)
            print_field(o, s, f);
    fputs("}\n", o->c);
}
