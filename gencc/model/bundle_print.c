/*
 * Prints bundles in the dump of the model.
 */
#include "gencc/model/bundle.h"

static void print_piece(FILE *out, const struct bundle *c, const struct bundle_piece *p)
{
    fprintf(out, "      %3u..%-3u ", p->lsb + p->width - 1, p->lsb);
    switch (p->what) {
    case BUNDLE_LITERAL:
        for (unsigned i = p->width; i--;)
            fputc('0' + (int)(p->value >> i & 1), out);
        fputc('\n', out);
        return;
    case BUNDLE_ANY:
        fputs("any\n", out);
        return;
    case BUNDLE_FIELD:
        fprintf(out, "field %s\n", p->field->name);
        return;
    case BUNDLE_END:
        fputs("end\n", out);
        return;
    case BUNDLE_HEADER:
        fputs("header", out);
        break;
    case BUNDLE_BLOCK:
        fprintf(out, "block%u", p->number);
        break;
    case BUNDLE_UNIT:
        fprintf(out, "%s%u", c->units.data[p->unit].name, p->number);
        break;
    case BUNDLE_CONSTANT:
        fprintf(out, "constant%u", p->number);
        break;
    }
    fprintf(out, " bits %u..%u\n", p->low + p->width - 1, p->low);
}

static void print_grain(FILE *out, const struct bundle *c, const struct bundle_grain *q)
{
    static const char *const words[] = {", first", "", ", constants"};

    fprintf(out, "    grain %s%s", q->name, words[q->ast->order]);
    vec_for_each (&q->ast->after, n)
        fprintf(out, "%s %s", n == q->ast->after.data ? ", after" : ",", n->name);
    if (q->end && q->ast->order != AST_GRAIN_CONSTANTS)
        fprintf(out, ", ends %u stage%s with %u constant%s", q->stages, q->stages == 1 ? "" : "s",
                q->constants, q->constants == 1 ? "" : "s");
    fputc('\n', out);
    vec_for_each (&q->pieces, p)
        print_piece(out, c, p);
    vec_for_each (&q->ast->positions, r)
        fprintf(out, "      position %u: constants from %u of %u stage%s\n", r->key, r->first,
                r->stages, r->stages == 1 ? "" : "s");
}

static void print_string(FILE *out, const struct bundle *c, const struct bundle_string *s)
{
    fprintf(out, "    string %s\n", s->name);
    vec_for_each (&s->takes, t) {
        if (t->align)
            fprintf(out, "      align %u\n", t->align);
        else
            fprintf(out, "      take %u bits%s\n", t->bits, t->helper ? " at times" : "");
        vec_for_each (&t->pieces, p)
            print_piece(out, c, p);
    }
}

void bundle_model_print(FILE *out, const struct bundle *c)
{
    if (!c->header || !c->block)
        return;
    fprintf(out, "  bundle of up to %u stages and %u constants, bits %u..%u of each\n",
            c->max_stages, c->max_constants, c->constant_high, c->constant_low);
    fprintf(out, "    header %s of %u bits, block %s of %u\n", c->header->name, c->header->width,
            c->block->name, c->block->width);
    vec_for_each (&c->units, u)
        fprintf(out, "    unit %s \"%s\" of %u bits decoded by %s\n", u->name, u->mark, u->bits,
                u->isa);
    vec_for_each (&c->grains, q)
        print_grain(out, c, *q);
    vec_for_each (&c->strings, s)
        print_string(out, c, *s);
    vec_for_each (&c->follows, f)
        fprintf(out, "    %s follows %s, %llu behind the last\n", f->field->name,
                f->next_field->name, (unsigned long long)f->last);
    vec_for_each (&c->texts, t) {
        unsigned lines = 0;

        vec_for_each (&t->lines, in)
            lines += (*in)->syntax.len;
        fprintf(out, "    text %s of %u line%s\n", t->name, lines, lines == 1 ? "" : "s");
    }
}
