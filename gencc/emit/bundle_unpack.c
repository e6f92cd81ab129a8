/*
 * C that unpacks bundles: one function per grain, which selects the next grain.
 */
#include "gencc/emit/bundle.h"
#include "gencc/emit/ctype.h"

#include <inttypes.h>

static void write_mask(FILE *o, u128 v)
{
    fprintf(o, "GRAIN(UINT64_C(%#" PRIx64 "), UINT64_C(%#" PRIx64 "))", (uint64_t)(v >> 64),
            (uint64_t)v);
}

static void state_name(FILE *o, const struct bundle_grain *q)
{
    fprintf(o, "AFTER_%s", q->name);
}

/* ---- one grain ---------------------------------------------------------------------------- */

/* Writes the member that holds a piece's bits. False: there is none. */
static bool write_member(FILE *o, bool position, const struct bundle_piece *p)
{
    switch (p->what) {
    case BUNDLE_HEADER:
        fputs("    c->header", o);
        return true;
    case BUNDLE_BLOCK:
        fprintf(o, "    c->stage[%u].block", p->number);
        return true;
    case BUNDLE_UNIT:
        fprintf(o, "    c->stage[%u].word[%u]", p->number, p->unit);
        return true;
    case BUNDLE_CONSTANT:
        fprintf(o, "    c->constant[%s%u]", position ? "first + " : "", p->number);
        return true;
    default:
        return false;
    }
}

/* Writes a store of a piece's bits. `from` is the name of a C function of lsb and width. */
static void write_piece(FILE *o, const struct bundle_piece *p, bool position, const char *from)
{
    if (!write_member(o, position, p))
        return;
    fprintf(o, " |= %s%s%u, %u) << %u;\n", p->what == BUNDLE_UNIT ? "" : "(uint64_t)", from, p->lsb,
            p->width, p->low);
    if (p->what == BUNDLE_UNIT)
        fprintf(o, "    c->stage[%u].present |= 1u << %u;\n", p->number, p->unit);
}

static void write_pieces(FILE *o, const struct bundle_grain *q)
{
    vec_for_each (&q->pieces, p)
        write_piece(o, p, q->position, "BITS(q, ");
}

/* Writes the search for `first`, the number of the grain's first constant. */
static void write_position(FILE *o, const struct bundle_grain *q)
{
    fprintf(o, "    unsigned first;\n\n    switch ((unsigned)BITS(q, %u, %u)) {\n",
            q->position->lsb, q->position->width);
    vec_for_each (&q->ast->positions, r)
        fprintf(o,
                "    case %u:\n        if (c->stages != %u)\n            return BAD;\n"
                "        first = %u;\n        break;\n",
                r->key, r->stages, r->first);
    fputs("    default:\n        return BAD;\n    }\n"
          "    if (first != c->constants)\n        return BAD;\n",
          o);
}

static void write_modifiers(struct emit *e, FILE *o, const struct bundle_grain *q)
{
    const char *first = q->position ? "first + " : "";

    vec_for_each (&q->modifiers, m) {
        const char *comma = "";

        fprintf(o, "    c->modifier[%s%u] = %s_%s(", first, m->constant, e->prefix, m->helper);
        vec_for_each (&q->fields, f) {
            fprintf(o, "%s(%s)BITS(q, %u, %u)", comma, ctype(e, (*f)->type), (*f)->lsb,
                    (*f)->width);
            comma = ", ";
        }
        for (unsigned i = 0; i < q->held_constants; i++, comma = ", ")
            fprintf(o, "%sc->constant[%s%u]", comma, first, i);
        fprintf(o, ");\n    if (c->modifier[%s%u] == %d)\n        return BAD;\n", first,
                m->constant, BUNDLE_BAD_MODIFIER);
    }
}

static void write_grain(struct emit *e, FILE *o, const struct bundle_grain *q)
{
    fprintf(o, "static unsigned take_%s(grain q, struct gpu_bundle *c)\n{\n", q->name);
    if (q->position)
        write_position(o, q);
    write_pieces(o, q);
    write_modifiers(e, o, q);
    if (q->position)
        fprintf(o, "    c->constants = first + %u;\n", q->held_constants);
    else if (q->end)
        fprintf(o, "    c->stages = %u;\n    c->constants = %u;\n", q->stages, q->constants);
    if (q->end) {
        fprintf(o, "    return BITS(q, %u, 1) ? DONE : MORE;\n}\n\n", q->end->lsb);
        return;
    }
    fputs("    return ", o);
    state_name(o, q);
    fputs(";\n}\n\n", o);
}

/* ---- the whole bundle ------------------------------------------------------------------------ */

static void write_alternatives(FILE *o, struct bundle_grain *const *at, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        fputs("        if ((q & ", o);
        write_mask(o, at[i]->mask);
        fputs(") == ", o);
        write_mask(o, at[i]->value);
        fprintf(o, ")\n            return take_%s(q, c);\n", at[i]->name);
    }
    fputs("        return BAD;\n", o);
}

static void write_choice(FILE *o, const struct bundle *c)
{
    fputs("static unsigned take(unsigned state, grain q, struct gpu_bundle *c)\n{\n"
          "    switch (state) {\n    case START:\n",
          o);
    write_alternatives(o, c->first.data, c->first.len);
    fputs("    case MORE:\n", o);
    write_alternatives(o, c->constants.data, c->constants.len);
    vec_for_each (&c->grains, q) {
        if ((*q)->end)
            continue;
        fputs("    case ", o);
        state_name(o, *q);
        fputs(":\n", o);
        write_alternatives(o, (*q)->next.data, (*q)->next.len);
    }
    fputs("    default:\n        return BAD;\n    }\n}\n\n", o);
}

static void write_states(FILE *o, const struct bundle *c)
{
    fputs("/* What has been read. */\nenum { START, MORE, DONE, BAD", o);
    vec_for_each (&c->grains, q) {
        if ((*q)->end)
            continue;
        fputs(", ", o);
        state_name(o, *q);
    }
    fputs(" };\n\n", o);
}

/* Writes the check of the literal bits of header and blocks. */
static void write_literal_check(FILE *o, const struct bundle *c)
{
    fprintf(o,
            "static bool has_literals(const struct gpu_bundle *c)\n{\n"
            "    bool ok = (c->header & UINT64_C(%#" PRIx64 ")) == UINT64_C(%#" PRIx64 ");\n\n",
            (uint64_t)c->header->mask, (uint64_t)c->header->value);
    if (c->block->mask)
        fprintf(o,
                "    for (unsigned i = 0; i < c->stages; i++)\n"
                "        ok &= (c->stage[i].block & UINT64_C(%#" PRIx64 ")) == UINT64_C(%#" PRIx64
                ");\n",
                (uint64_t)c->block->mask, (uint64_t)c->block->value);
    fputs("    return ok;\n}\n\n", o);
}

/* ---- strings --------------------------------------------------------------------------------- */

/* Writes the header's fields as arguments of a condition's helper. */
static void fields_of_header(struct emit *e, FILE *o)
{
    const char *comma = "";

    vec_for_each (&e->isa->bundle->header->fields, f) {
        if ((*f)->computed)
            continue;
        fprintf(o, "%s(%s)BITS(c->header, %u, %u)", comma, ctype(e, (*f)->type), (*f)->lsb,
                (*f)->width);
        comma = ", ";
    }
}

static void count_piece(FILE *o, const struct bundle_piece *p)
{
    const char *what = p->what == BUNDLE_CONSTANT ? "constants" : "stages";

    if (p->what == BUNDLE_CONSTANT || p->what == BUNDLE_UNIT || p->what == BUNDLE_BLOCK)
        fprintf(o, "    if (c->%s < %u)\n        c->%s = %u;\n", what, p->number + 1, what,
                p->number + 1);
}

static void one_take(struct emit *e, FILE *o, const struct bundle_take *t, bool first)
{
    if (t->align) {
        fprintf(o, "    at = (at + %u) / %u * %u;\n    at = at < end ? at : end;\n", t->align - 1,
                t->align, t->align);
        return;
    }
    if (t->helper) {
        fprintf(o, "    if (%s_%s(", e->prefix, t->helper);
        fields_of_header(e, o);
        fputs(e->isa->bundle->header->fields.len ? ", end - at)) {\n" : "end - at)) {\n", o);
    }
    fprintf(o, "    if (end - at < %u)\n        return false;\n", t->bits);
    vec_for_each (&t->pieces, p) {
        if (!first || p->what != BUNDLE_HEADER)
            write_piece(o, p, false, "bits_at(code, at + ");
        count_piece(o, p);
    }
    fprintf(o, "    at += %u;\n%s", t->bits, t->helper ? "    }\n" : "");
}

/* Writes the test whether the string begins here, by its literal bits and its condition. */
static void write_begins(struct emit *e, FILE *o, const struct bundle_string *s)
{
    fprintf(o,
            "static bool begins_%s(const uint8_t *code, struct gpu_bundle *c)\n{\n"
            "    const grain q = read_grain(code);\n\n    c->header = 0;\n"
            "    if ((q & ",
            s->name);
    write_mask(o, s->mask);
    fputs(") != ", o);
    write_mask(o, s->value);
    fputs(")\n        return false;\n", o);
    vec_for_each (&s->takes.data->pieces, p)
        if (p->what == BUNDLE_HEADER)
            write_piece(o, p, false, "BITS(q, ");
    if (!s->where_helper) {
        fputs("    return true;\n}\n\n", o);
        return;
    }
    fprintf(o, "    return %s_%s(", e->prefix, s->where_helper);
    fields_of_header(e, o);
    fputs(");\n}\n\n", o);
}

static void write_string_unpack(struct emit *e, FILE *o, const struct bundle_string *s)
{
    unsigned bytes = e->isa->bundle->grain_bits / 8;

    write_begins(e, o, s);
    fprintf(
        o,
        "static bool string_%s(const uint8_t *code, size_t available, struct gpu_bundle *c)\n{\n"
        "    uint32_t at = 0, end;\n\n    c->bytes = ",
        s->name);
    if (s->bytes_helper) {
        fprintf(o, "%s_%s(", e->prefix, s->bytes_helper);
        fields_of_header(e, o);
        fputc(')', o);
    } else {
        fprintf(o, "%u", bytes);
    }
    fprintf(o,
            ";\n    if (!c->bytes || c->bytes > available || c->bytes > %d || c->bytes %% %u)\n"
            "        return false;\n    end = c->bytes * 8;\n",
            BUNDLE_MAX_BYTES, bytes);
    vec_for_each (&s->takes, t)
        one_take(e, o, t, t == s->takes.data);
    fputs("    return c->stages != 0;\n}\n\n", o);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void take_grains(struct emit *e, FILE *o, const struct bundle *c)
{
    unsigned bytes = c->grain_bits / 8;

    write_states(o, c);
    vec_for_each (&c->grains, q)
        write_grain(e, o, *q);
    write_choice(o, c);
    fprintf(
        o,
        "static bool take_grains(const uint8_t *code, size_t available, struct gpu_bundle *c)\n{\n"
        "    unsigned state = START;\n    unsigned at = 0;\n\n"
        "    for (; state != DONE; at += %u) {\n"
        "        if (state == BAD || available - at < %u)\n            return false;\n"
        "        state = take(state, read_grain(code + at), c);\n    }\n"
        "    c->bytes = at;\n    return true;\n}\n\n",
        bytes, bytes);
}

static void take_bundle(struct emit *e, FILE *o, const struct bundle *c)
{
    fprintf(
        o,
        "static bool take_bundle(const uint8_t *code, size_t available, struct gpu_bundle *c)\n{\n"
        "    if (available < %u)\n        return false;\n",
        c->grain_bits / 8);
    vec_for_each (&c->strings, s)
        fprintf(o, "    if (begins_%s(code, c))\n        return string_%s(code, available, c);\n",
                (*s)->name, (*s)->name);
    if (c->strings.len)
        fputs("    c->header = 0;\n", o);
    fprintf(o, "    return %s;\n}\n\n", c->first.len ? "take_grains(code, available, c)" : "false");
    fprintf(o,
            "static bool %s_unpack(const uint8_t *code, size_t available, uint64_t address,\n"
            "                      struct gpu_bundle *out)\n{\n"
            "    memset(out, 0, sizeof *out);\n    out->address = address;\n"
            "    return take_bundle(code, available, out) && has_literals(out);\n}\n\n",
            e->prefix);
}

void bundle_emit_unpack(struct emit *e, FILE *o)
{
    const struct bundle *c = e->isa->bundle;

    fprintf(o,
            "typedef gpu_word grain;\n"
            "#define GRAIN(high, low) ((grain)(high) << 64 | (low))\n"
            "#define BITS(q, lsb, width) ((grain)(q) >> (lsb) & (~(grain)0 >> (128 - (width))))\n\n"
            "static grain read_grain(const uint8_t *p)\n{\n    grain q = 0;\n\n"
            "    for (unsigned i = %u; i-- > 0;)\n        q = q << 8 | p[i];\n    return q;\n}\n\n",
            c->grain_bits / 8);
    if (c->strings.len)
        fputs("/* At most 120 bits, from any one on. */\n"
              "static grain bits_at(const uint8_t *p, unsigned at, unsigned width)\n{\n"
              "    grain q = 0;\n\n"
              "    for (unsigned i = (at % 8 + width + 7) / 8; i-- > 0;)\n"
              "        q = q << 8 | p[at / 8 + i];\n    return BITS(q >> at % 8, 0, width);\n}\n\n",
              o);
    if (c->first.len)
        take_grains(e, o, c);
    vec_for_each (&c->strings, s)
        write_string_unpack(e, o, *s);
    write_literal_check(o, c);
    take_bundle(e, o, c);
}
