/*
 * C that unpacks descriptors: one function per set of fields, selected by version.
 */
#include "gencc/emit/layouts_internal.h"

#include <inttypes.h>

const char layout_unpack_helpers[] =
    "static inline uint64_t get1(const uint8_t *b)\n{\n    return b[0];\n}\n\n"
    "static inline uint64_t get2(const uint8_t *b)\n{\n    return b[0] | (uint64_t)b[1] << "
    "8;\n}\n\n"
    "static inline uint64_t get4(const uint8_t *b)\n{\n    return get2(b) | get2(b + 2) << "
    "16;\n}\n\n"
    "static inline uint64_t get8(const uint8_t *b)\n{\n    return get4(b) | get4(b + 4) << "
    "32;\n}\n\n"
    "static inline float to_float(uint32_t bits)\n{\n    float f;\n\n"
    "    memcpy(&f, &bits, sizeof f);\n    return f;\n}\n\n"
    "static inline uint32_t float_bits(float f)\n{\n    uint32_t bits;\n\n"
    "    memcpy(&bits, &f, sizeof bits);\n    return bits;\n}\n";

/* The unpacker that is being written. */
struct unpack {
    const struct layout_out *o;
    const struct lay_struct *s;
    unsigned bytes; /* size of the layout in these versions */
    unsigned version;
};

/* C for the `width` bits at bit `start`, as an unsigned number. No byte beyond the layout is
 * read. */
static const char *raw_bits_c(const struct unpack *u, unsigned start, unsigned width)
{
    unsigned first = start / 8, last = (start + width - 1) / 8, size = 1;
    const char *text;

    while (size < last - first + 1)
        size *= 2;
    if (first + size > u->bytes)
        first = u->bytes - size;
    text = first ? arena_printf(u->o->a, "get%u(b + %u)", size, first)
                 : arena_printf(u->o->a, "get%u(b)", size);
    if (start - first * 8)
        text = arena_printf(u->o->a, "%s >> %u", text, start - first * 8);
    if (start - first * 8 + width < size * 8)
        text = arena_printf(u->o->a, "%s & 0x%" PRIx64,
                            start - first * 8 ? arena_printf(u->o->a, "(%s)", text) : text,
                            (UINT64_C(1) << width) - 1);
    return text;
}

/* C for the value of a field's member, from its stored bits. */
static const char *value_c(const struct unpack *u, const struct lay_field *f, const char *bits)
{
    struct arena *a = u->o->a;

    switch (f->kind) {
    case LAY_INT:
        return f->width > 32 ? arena_printf(a, "(int64_t)((%s) << %u) >> %u", bits, 64 - f->width,
                                            64 - f->width)
                             : arena_printf(a, "(int32_t)((uint32_t)(%s) << %u) >> %u", bits,
                                            32 - f->width, 32 - f->width);
    case LAY_FLOAT:
        return arena_printf(a, "to_float((uint32_t)(%s))", bits);
    case LAY_PADDED:
        return arena_printf(a, "(2 * (%s >> 5) + 1) << (%s & 31)", arena_printf(a, "(%s)", bits),
                            arena_printf(a, "(%s)", bits));
    default:
        if (f->log2)
            return arena_printf(a, "(%s)1 << (%s)", f->member == LAY_U64 ? "uint64_t" : "uint32_t",
                                bits);
        if (f->shift)
            bits = arena_printf(a, "(%s) << %u", bits, f->shift);
        if (f->addend)
            bits = arena_printf(a, "(%s) + %" PRIu64, bits, f->addend);
        return f->member == LAY_U64 ? bits : arena_printf(a, "(uint32_t)(%s)", bits);
    }
}

static void bad_if(const struct unpack *u, const char *condition, const struct lay_field *f)
{
    fprintf(u->o->c, "    if (!bad && %s)\n        bad = \"%s\";\n", condition, f->name);
}

static void write_check(const struct unpack *u, const struct lay_field *f, const char *target)
{
    struct arena *a = u->o->a;

    if (f->kind == LAY_ENUM && !f->is_overlay)
        bad_if(u, arena_printf(a, "!%s_text(version, %s)", f->enumeration->name, target), f);
    if (f->has_must && f->kind == LAY_FLOAT)
        bad_if(u, arena_printf(a, "float_bits(%s) != 0x%" PRIx64, target, f->required_value), f);
    else if (f->has_must && f->kind == LAY_INT)
        bad_if(u, arena_printf(a, "%s != %" PRId64, target, (int64_t)f->required_value), f);
    else if (f->has_must)
        bad_if(u, arena_printf(a, "%s != 0x%" PRIx64, target, f->required_value), f);
}

static void unpack_element(const struct unpack *u, const struct lay_field *f, unsigned start,
                           const char *target)
{
    if (f->kind == LAY_NESTED) {
        fprintf(u->o->c, "    %s%s_%s_unpack(version, b + %u, &%s);\n",
                f->is_overlay ? "" : "inner = ", u->o->p, f->nested->name, start / 8, target);
        if (!f->is_overlay)
            fputs("    if (!bad)\n        bad = inner;\n", u->o->c);
        return;
    }
    if (f->kind == LAY_RESERVED) {
        bad_if(u,
               arena_printf(u->o->a, "(%s) != 0x%" PRIx64, raw_bits_c(u, start, f->width),
                            f->required_value),
               f);
        return;
    }
    fprintf(u->o->c, "    %s = %s;\n", target, value_c(u, f, raw_bits_c(u, start, f->width)));
    write_check(u, f, target);
}

static void unpack_field(const struct unpack *u, const struct lay_field *f)
{
    struct arena *a = u->o->a;

    for (unsigned i = 0; i < (f->count ? f->count : 1); i++)
        unpack_element(u, f, f->start + i * f->stride,
                       f->count ? arena_printf(a, "out->%s[%u]", f->member_name, i)
                                : arena_printf(a, "out->%s", f->member_name));
}

static bool has_inner(const struct lay_struct *s, unsigned version)
{
    vec_for_each (&s->fields, f)
        if ((f->versions >> version & 1) && f->kind == LAY_NESTED && !f->is_overlay)
            return true;
    return false;
}

static void one_version(const struct unpack *u)
{
    FILE *c = u->o->c;

    fprintf(c,
            "\nstatic const char *%s_unpack_%u(unsigned version, const uint8_t *b, struct %s_%s "
            "*out)\n{\n    const char *bad = NULL%s;\n\n    (void)version;\n    (void)b;\n"
            "    (void)out;\n",
            u->s->name, u->version, u->o->p, u->s->name,
            has_inner(u->s, u->version) ? ", *inner" : "");
    vec_for_each (&u->s->fields, f)
        if (f->versions >> u->version & 1)
            unpack_field(u, f);
    fputs("    return bad;\n}\n", c);
}

/* Whether descriptors of two versions have the same fields at the same positions. */
static bool same_fields(const struct lay_struct *s, unsigned v, unsigned w)
{
    if (s->bytes[v] != s->bytes[w])
        return false;
    vec_for_each (&s->fields, f)
        if ((f->versions >> v & 1) != (f->versions >> w & 1))
            return false;
    return true;
}

void layout_emit_unpack(const struct layout_out *o, const struct lay_struct *s)
{
    unsigned as[LAYOUT_MAX_VERSION + 1];

    for (unsigned v = 0; v <= LAYOUT_MAX_VERSION; v++) {
        struct unpack u = {o, s, s->bytes[v], v};

        for (as[v] = 0; as[v] < v && !same_fields(s, as[v], v); as[v]++)
            ;
        if (s->bytes[v] && as[v] == v)
            one_version(&u);
    }
    fprintf(
        o->c,
        "\nconst char *%s_%s_unpack(unsigned version, const uint8_t *bytes, struct %s_%s *out)\n"
        "{\n    memset(out, 0, sizeof *out);\n    switch (version) {\n",
        o->p, s->name, o->p, s->name);
    for (unsigned v = 0; v <= LAYOUT_MAX_VERSION; v++)
        if (s->bytes[v])
            fprintf(o->c, "    case %u:\n        return %s_unpack_%u(version, bytes, out);\n", v,
                    s->name, as[v]);
    fputs("    default:\n        return \"version\";\n    }\n}\n", o->c);
}
