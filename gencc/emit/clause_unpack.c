/*
 * Unpacking: a function a quadword, which says what may come next.
 */
#include "gencc/emit/clause.h"
#include "gencc/emit/ctype.h"

#include <inttypes.h>

static void mask128(FILE *o, u128 v)
{
    fprintf(o, "QUADWORD(UINT64_C(%#" PRIx64 "), UINT64_C(%#" PRIx64 "))", (uint64_t)(v >> 64),
            (uint64_t)v);
}

static void state_name(FILE *o, const struct clause_quadword *q)
{
    fprintf(o, "AFTER_%s", q->name);
}

/* ---- one quadword ---------------------------------------------------------------------------- */

/* The member that a piece's bits belong to, or false. */
static bool member(FILE *o, const struct clause_quadword *q, const struct clause_piece *p)
{
    switch (p->what) {
    case CLAUSE_HEADER:
        fputs("    c->header", o);
        return true;
    case CLAUSE_BLOCK:
        fprintf(o, "    c->tuple[%u].block", p->number);
        return true;
    case CLAUSE_UNIT:
        fprintf(o, "    c->tuple[%u].word[%u]", p->number, p->unit);
        return true;
    case CLAUSE_CONSTANT:
        fprintf(o, "    c->constant[%s%u]", q->position ? "first + " : "", p->number);
        return true;
    default:
        return false;
    }
}

static void pieces(FILE *o, const struct clause_quadword *q)
{
    vec_for_each (&q->pieces, p)
        if (member(o, q, p))
            fprintf(o, " |= %sBITS(q, %u, %u) << %u;\n", p->what == CLAUSE_UNIT ? "(uint32_t)" : "",
                    p->lsb, p->width, p->low);
}

/* Finds `first`: the number of the first constant that stands here. */
static void position(FILE *o, const struct clause_quadword *q)
{
    fprintf(o, "    unsigned first;\n\n    switch (BITS(q, %u, %u)) {\n", q->position->lsb,
            q->position->width);
    vec_for_each (&q->ast->positions, r)
        fprintf(o,
                "    case %u:\n        if (c->tuples != %u)\n            return BAD;\n"
                "        first = %u;\n        break;\n",
                r->key, r->tuples, r->first);
    fputs("    default:\n        return BAD;\n    }\n"
          "    if (first != c->constants)\n        return BAD;\n",
          o);
}

static void modifiers(struct emit *e, FILE *o, const struct clause_quadword *q)
{
    const char *first = q->position ? "first + " : "";

    vec_for_each (&q->modifiers, m) {
        const char *comma = "";

        fprintf(o, "    c->modifier[%s%u] = %s_%s(", first, m->constant, e->p, m->helper);
        vec_for_each (&q->fields, f) {
            fprintf(o, "%s(%s)BITS(q, %u, %u)", comma, ctype(e, (*f)->type), (*f)->lsb,
                    (*f)->width);
            comma = ", ";
        }
        for (unsigned i = 0; i < q->held; i++, comma = ", ")
            fprintf(o, "%sc->constant[%s%u]", comma, first, i);
        fprintf(o, ");\n    if (c->modifier[%s%u] == %d)\n        return BAD;\n", first,
                m->constant, CLAUSE_BAD_MODIFIER);
    }
}

static void take(struct emit *e, FILE *o, const struct clause_quadword *q)
{
    fprintf(o, "static unsigned take_%s(quadword q, struct gpu_clause *c)\n{\n", q->name);
    if (q->position)
        position(o, q);
    pieces(o, q);
    modifiers(e, o, q);
    if (q->position)
        fprintf(o, "    c->constants = first + %u;\n", q->held);
    else if (q->end)
        fprintf(o, "    c->tuples = %u;\n    c->constants = %u;\n", q->tuples, q->constants);
    if (q->end) {
        fprintf(o, "    return BITS(q, %u, 1) ? DONE : MORE;\n}\n\n", q->end->lsb);
        return;
    }
    fputs("    return ", o);
    state_name(o, q);
    fputs(";\n}\n\n", o);
}

/* ---- the whole clause ------------------------------------------------------------------------ */

static void alternatives(FILE *o, struct clause_quadword *const *at, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        fputs("        if ((q & ", o);
        mask128(o, at[i]->mask);
        fputs(") == ", o);
        mask128(o, at[i]->value);
        fprintf(o, ")\n            return take_%s(q, c);\n", at[i]->name);
    }
    fputs("        return BAD;\n", o);
}

static void choice(FILE *o, const struct clause *c)
{
    fputs("static unsigned take(unsigned state, quadword q, struct gpu_clause *c)\n{\n"
          "    switch (state) {\n    case START:\n",
          o);
    alternatives(o, c->first.at, c->first.count);
    fputs("    case MORE:\n", o);
    alternatives(o, c->constants.at, c->constants.count);
    vec_for_each (&c->quadwords, q) {
        if ((*q)->end)
            continue;
        fputs("    case ", o);
        state_name(o, *q);
        fputs(":\n", o);
        alternatives(o, (*q)->next.at, (*q)->next.count);
    }
    fputs("    default:\n        return BAD;\n    }\n}\n\n", o);
}

static void states(FILE *o, const struct clause *c)
{
    fputs("/* What has been read. */\nenum { START, MORE, DONE, BAD", o);
    vec_for_each (&c->quadwords, q) {
        if ((*q)->end)
            continue;
        fputs(", ", o);
        state_name(o, *q);
    }
    fputs(" };\n\n", o);
}

/* The literal bits of the header and of the blocks. */
static void check(FILE *o, const struct clause *c)
{
    fprintf(o,
            "static bool has_literals(const struct gpu_clause *c)\n{\n"
            "    bool ok = (c->header & UINT64_C(%#" PRIx64 ")) == UINT64_C(%#" PRIx64 ");\n\n",
            (uint64_t)c->header->mask, (uint64_t)c->header->value);
    if (c->block->mask)
        fprintf(o,
                "    for (unsigned i = 0; i < c->tuples; i++)\n"
                "        ok &= (c->tuple[i].block & UINT64_C(%#" PRIx64 ")) == UINT64_C(%#" PRIx64
                ");\n",
                (uint64_t)c->block->mask, (uint64_t)c->block->value);
    fputs("    return ok;\n}\n\n", o);
}

void clause_emit_unpack(struct emit *e, FILE *o)
{
    const struct clause *c = e->isa->clause;

    fputs("__extension__ typedef unsigned __int128 quadword;\n"
          "#define QUADWORD(high, low) ((quadword)(high) << 64 | (low))\n"
          "#define BITS(q, lsb, width) ((uint64_t)((q) >> (lsb)) & (~UINT64_C(0) >> (64 - "
          "(width))))\n\n",
          o);
    states(o, c);
    vec_for_each (&c->quadwords, q)
        take(e, o, *q);
    choice(o, c);
    check(o, c);
    fprintf(o,
            "static quadword read_quadword(const uint8_t *p)\n{\n    quadword q = 0;\n\n"
            "    for (unsigned i = %d; i-- > 0;)\n        q = q << 8 | p[i];\n    return q;\n}\n\n"
            "static bool %s_unpack(const uint8_t *code, size_t available, uint64_t address,\n"
            "                      struct gpu_clause *out)\n{\n    unsigned state = START;\n"
            "    unsigned at = 0;\n\n    memset(out, 0, sizeof *out);\n"
            "    for (; state != DONE; at += %d) {\n"
            "        if (state == BAD || available - at < %d)\n            return false;\n"
            "        state = take(state, read_quadword(code + at), out);\n    }\n"
            "    out->address = address;\n    out->bytes = at;\n"
            "    return has_literals(out);\n}\n\n",
            CLAUSE_QUADWORD_BYTES, e->p, CLAUSE_QUADWORD_BYTES, CLAUSE_QUADWORD_BYTES);
}
