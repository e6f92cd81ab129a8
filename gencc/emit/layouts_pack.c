/*
 * C that packs descriptors: default values of members, and bytes from members. The packed bytes are
 * unpacked again and compared, which finds values that do not fit.
 */
#include "gencc/emit/layouts_internal.h"

#include <inttypes.h>

const char layout_pack_helpers[] =
    "static inline void put(uint8_t *b, unsigned start, unsigned width, uint64_t bits)\n{\n"
    "    for (unsigned i = 0; i < width; i++)\n"
    "        b[(start + i) / 8] |= (uint8_t)((bits >> i & 1) << (start + i) % 8);\n}\n\n"
    "static inline unsigned log2_bits(uint64_t v)\n{\n"
    "    return v ? (unsigned)__builtin_ctzll(v) : 0;\n}\n\n"
    "static inline uint32_t padded_bits(uint64_t v)\n{\n"
    "    return (uint32_t)(v >> log2_bits(v) >> 1 << 5 | log2_bits(v));\n}\n";

/* Whether a field is stored. An overlay is another view of stored fields. */
static bool is_stored(const struct lay_field *f, unsigned version)
{
    return (f->versions >> version & 1) && !f->is_overlay;
}

/* C for the bits that hold a value: the inverse of value() in layouts_unpack.c. */
static const char *stored_bits(const struct layout_out *o, const struct lay_field *f, const char *x)
{
    switch (f->kind) {
    case LAY_INT:
        return arena_printf(o->a, "(uint64_t)%s", x);
    case LAY_FLOAT:
        return arena_printf(o->a, "float_bits(%s)", x);
    case LAY_PADDED:
        return arena_printf(o->a, "padded_bits(%s)", x);
    case LAY_RESERVED:
        return arena_printf(o->a, "0x%" PRIx64, f->required_value);
    default:
        if (f->log2)
            return arena_printf(o->a, "log2_bits(%s)", x);
        if (f->addend)
            x = arena_printf(o->a, "(%s - (uint64_t)%" PRIu64 ")", x, f->addend);
        return f->shift ? arena_printf(o->a, "(uint64_t)%s >> %u", x, f->shift) : x;
    }
}

static const char *member_c(const struct layout_out *o, const struct lay_field *f, const char *of,
                            unsigned i)
{
    return f->count ? arena_printf(o->a, "%s%s[%u]", of, f->member_name, i)
                    : arena_printf(o->a, "%s%s", of, f->member_name);
}

static void write_store(const struct layout_out *o, const struct lay_field *f, unsigned i)
{
    unsigned start = f->start + i * f->stride;
    const char *x = f->kind == LAY_RESERVED ? "" : member_c(o, f, "in->", i);

    if (f->kind == LAY_NESTED)
        fprintf(o->c,
                "    inner = %s_%s_pack(version, &%s, b + %u);\n"
                "    if (!bad)\n        bad = inner;\n",
                o->p, f->nested->name, x, start / 8);
    else
        fprintf(o->c, "    put(b, %u, %u, %s);\n", start, f->width, stored_bits(o, f, x));
}

/* Writes the comparison of a member with its unpacked value. */
static void write_comparison(const struct layout_out *o, const struct lay_field *f, unsigned i)
{
    const char *x = member_c(o, f, "in->", i), *y = member_c(o, f, "again.", i);

    if (f->kind == LAY_NESTED || f->kind == LAY_RESERVED)
        return;
    if (f->kind == LAY_FLOAT) {
        x = arena_printf(o->a, "float_bits(%s)", x);
        y = arena_printf(o->a, "float_bits(%s)", y);
    }
    fprintf(o->c, "    if (!bad && %s != %s)\n        bad = \"%s\";\n", y, x, f->name);
}

static void each_stored(const struct layout_out *o, const struct lay_struct *s, unsigned version,
                        void (*fn)(const struct layout_out *, const struct lay_field *, unsigned))
{
    vec_for_each (&s->fields, f)
        for (unsigned i = 0; is_stored(f, version) && i < (f->count ? f->count : 1); i++)
            fn(o, f, i);
}

/* The default value of a field's member; NULL: 0. */
static const char *default_value(const struct layout_out *o, const struct lay_field *f)
{
    uint64_t v = f->has_must ? f->required_value : f->default_value;

    if (!f->has_must && !f->has_default)
        v = f->log2 || f->kind == LAY_PADDED ? 1 : f->addend;
    if (!v)
        return NULL;
    if (f->kind == LAY_FLOAT)
        return arena_printf(o->a, "to_float(0x%" PRIx64 ")", v);
    return f->kind == LAY_INT ? arena_printf(o->a, "%" PRId64, (int64_t)v)
                              : arena_printf(o->a, "0x%" PRIx64, v);
}

static void set_usual(const struct layout_out *o, const struct lay_field *f, unsigned i)
{
    const char *x = f->kind == LAY_RESERVED ? NULL : member_c(o, f, "out->", i);

    if (f->kind == LAY_NESTED)
        fprintf(o->c, "        %s_%s_usual(version, &%s);\n", o->p, f->nested->name, x);
    else if (x && default_value(o, f))
        fprintf(o->c, "        %s = %s;\n", x, default_value(o, f));
}

static void emit_usual(const struct layout_out *o, const struct lay_struct *s)
{
    fprintf(o->c,
            "\nvoid %s_%s_usual(unsigned version, struct %s_%s *out)\n{\n"
            "    memset(out, 0, sizeof *out);\n    switch (version) {\n",
            o->p, s->name, o->p, s->name);
    for (unsigned v = 0; v <= LAYOUT_MAX_VERSION; v++) {
        if (!s->bytes[v])
            continue;
        fprintf(o->c, "    case %u:\n", v);
        each_stored(o, s, v, set_usual);
        fputs("        break;\n", o->c);
    }
    fputs("    }\n}\n", o->c);
}

static bool has_nested(const struct lay_struct *s, unsigned version)
{
    vec_for_each (&s->fields, f)
        if (is_stored(f, version) && f->kind == LAY_NESTED)
            return true;
    return false;
}

static void one_version(const struct layout_out *o, const struct lay_struct *s, unsigned version)
{
    fprintf(
        o->c,
        "\nstatic const char *%s_pack_%u(unsigned version, const struct %s_%s *in, uint8_t *b)\n"
        "{\n    struct %s_%s again;\n    const char *bad = NULL, *inner;\n\n"
        "    memset(b, 0, %u);\n    (void)in;\n",
        s->name, version, o->p, s->name, o->p, s->name, s->bytes[version]);
    if (!has_nested(s, version))
        fputs("    (void)inner;\n", o->c);
    each_stored(o, s, version, write_store);
    fprintf(o->c, "    if (!bad)\n        bad = %s_%s_unpack(version, b, &again);\n", o->p,
            s->name);
    each_stored(o, s, version, write_comparison);
    fputs("    return bad;\n}\n", o->c);
}

void layout_emit_pack(const struct layout_out *o, const struct lay_struct *s)
{
    emit_usual(o, s);
    for (unsigned v = 0; v <= LAYOUT_MAX_VERSION; v++)
        if (s->bytes[v])
            one_version(o, s, v);
    fprintf(o->c,
            "\nconst char *%s_%s_pack(unsigned version, const struct %s_%s *in, uint8_t *bytes)\n"
            "{\n    switch (version) {\n",
            o->p, s->name, o->p, s->name);
    for (unsigned v = 0; v <= LAYOUT_MAX_VERSION; v++)
        if (s->bytes[v])
            fprintf(o->c, "    case %u:\n        return %s_pack_%u(version, in, bytes);\n", v,
                    s->name, v);
    fputs("    default:\n        return \"version\";\n    }\n}\n", o->c);
}
