/*
 * Prints ac_clause and ac_table as GenC text that parses to the same tree.
 */
#include "gencc/front/clause_ast.h"
#include "gencc/front/print.h"

static void print_piece(FILE *out, const struct ast_clause_piece *p)
{
    if (p->name && p->has_slice)
        fprintf(out, "%%%s[%u..%u]", p->name, p->high, p->low);
    else if (p->name && p->has_width)
        fprintf(out, "%%%s:%u", p->name, p->width);
    else if (p->name)
        fprintf(out, "%%%s", p->name);
    else if (p->dont_care)
        fprintf(out, "x:%u", p->width);
    else
        for (unsigned i = p->width; i--;)
            fputc('0' + (int)(p->value >> i & 1), out);
}

static void print_order(FILE *out, const struct ast_quadword *q)
{
    static const char *const words[] = {"first", "after", "constants"};

    fprintf(out, "        quadword %s %s", q->name, words[q->order]);
    for (unsigned i = 0; i < q->after.count; i++)
        fprintf(out, "%s%s", i ? ", " : " ", q->after.at[i].name);
}

static void print_quadword(FILE *out, const struct ast_quadword *q)
{
    print_order(out, q);
    for (unsigned i = 0; i < q->pieces.count; i++) {
        fputs(i ? " " : " \"", out);
        print_piece(out, &q->pieces.at[i]);
    }
    fputs("\" {\n", out);
    if (q->position) {
        fprintf(out, "            %s {\n", q->position);
        vec_for_each (&q->positions, r)
            fprintf(out, "                %u : %u, %u;\n", r->key, r->first, r->tuples);
        fputs("            }\n", out);
    }
    vec_for_each (&q->modifiers, m) {
        fprintf(out, "            modifier %u = ", m->constant);
        print_expr(out, m->value);
        fputs(";\n", out);
    }
    fputs("        }\n", out);
}

static void print_text(FILE *out, const struct ast_clause_text *t)
{
    if (t->key)
        fprintf(out, "        text %s(%s) of %s {\n", t->name, t->key, t->context);
    else
        fputs("        text header {\n", out);
    vec_for_each (&t->lines->syntax, s) {
        fputs("            ", out);
        print_asm(out, s, false);
    }
    fputs("        }\n", out);
}

static void print_clause(FILE *out, const struct ast_clause *c)
{
    fputs("    ac_clause {\n", out);
    if (c->header)
        fprintf(out, "        header %s;\n", c->header);
    if (c->block)
        fprintf(out, "        block %s;\n", c->block);
    vec_for_each (&c->units, u) {
        fprintf(out, "        unit %s : %s ", u->name, u->isa);
        print_string(out, u->mark);
        fputs(";\n", out);
    }
    fprintf(out, "        tuples %u;\n        constants %u [%u..%u];\n", c->tuples, c->constants,
            c->constant_high, c->constant_low);
    vec_for_each (&c->quadwords, q)
        print_quadword(out, *q);
    vec_for_each (&c->texts, t)
        print_text(out, t);
    fputs("    }\n", out);
}

static void print_list(FILE *out, struct ast_expr *const *at, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        print_expr(out, at[i]);
    }
}

static void print_table(FILE *out, const struct ast_table *t)
{
    fprintf(out, "    ac_table %s(%s) :", t->name, t->key);
    for (unsigned i = 0; i < t->columns.count; i++)
        fprintf(out, "%s %s", i ? "," : "", t->columns.at[i].name);
    fputs(" {\n", out);
    vec_for_each (&t->rows, r) {
        fputs("        ", out);
        print_list(out, r->keys.at, r->keys.count);
        fputs(" : ", out);
        print_list(out, r->values.at, r->values.count);
        fputs(";\n", out);
    }
    fputs("    }\n", out);
}

void clause_print(FILE *out, const struct ast_isa *isa)
{
    if (isa->clause)
        print_clause(out, isa->clause);
    vec_for_each (&isa->tables, t)
        print_table(out, *t);
}
