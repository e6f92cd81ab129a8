/*
 * Clauses in the dump of the model.
 */
#include "gencc/model/clause.h"

static void print_piece(FILE *out, const struct clause *c, const struct clause_piece *p)
{
    fprintf(out, "      %3u..%-3u ", p->lsb + p->width - 1, p->lsb);
    switch (p->what) {
    case CLAUSE_LITERAL:
        for (unsigned i = p->width; i--;)
            fputc('0' + (int)(p->value >> i & 1), out);
        fputc('\n', out);
        return;
    case CLAUSE_ANY:
        fputs("any\n", out);
        return;
    case CLAUSE_FIELD:
        fprintf(out, "field %s\n", p->field->name);
        return;
    case CLAUSE_END:
        fputs("end\n", out);
        return;
    case CLAUSE_HEADER:
        fputs("header", out);
        break;
    case CLAUSE_BLOCK:
        fprintf(out, "block%u", p->number);
        break;
    case CLAUSE_UNIT:
        fprintf(out, "%s%u", c->units.at[p->unit].name, p->number);
        break;
    case CLAUSE_CONSTANT:
        fprintf(out, "constant%u", p->number);
        break;
    }
    fprintf(out, " bits %u..%u\n", p->low + p->width - 1, p->low);
}

static void print_quadword(FILE *out, const struct clause *c, const struct clause_quadword *q)
{
    static const char *const words[] = {", first", "", ", constants"};

    fprintf(out, "    quadword %s%s", q->name, words[q->ast->order]);
    vec_for_each (&q->ast->after, n)
        fprintf(out, "%s %s", n == q->ast->after.at ? ", after" : ",", n->name);
    if (q->end && q->ast->order != AST_QUADWORD_CONSTANTS)
        fprintf(out, ", ends %u tuple%s with %u constant%s", q->tuples, q->tuples == 1 ? "" : "s",
                q->constants, q->constants == 1 ? "" : "s");
    fputc('\n', out);
    vec_for_each (&q->pieces, p)
        print_piece(out, c, p);
    vec_for_each (&q->ast->positions, r)
        fprintf(out, "      position %u: constants from %u of %u tuple%s\n", r->key, r->first,
                r->tuples, r->tuples == 1 ? "" : "s");
}

void clause_model_print(FILE *out, const struct clause *c)
{
    if (!c->header || !c->block)
        return;
    fprintf(out, "  clause of up to %u tuples and %u constants, bits %u..%u of each\n",
            c->max_tuples, c->max_constants, c->constant_high, c->constant_low);
    fprintf(out, "    header %s of %u bits, block %s of %u\n", c->header->name, c->header->width,
            c->block->name, c->block->width);
    vec_for_each (&c->units, u)
        fprintf(out, "    unit %s \"%s\" of %u bits decoded by %s\n", u->name, u->mark, u->bits,
                u->isa);
    vec_for_each (&c->quadwords, q)
        print_quadword(out, c, *q);
    vec_for_each (&c->texts, t) {
        unsigned lines = 0;

        vec_for_each (&t->lines, in)
            lines += (*in)->syntax.count;
        fprintf(out, "    text %s of %u line%s\n", t->name, lines, lines == 1 ? "" : "s");
    }
}
