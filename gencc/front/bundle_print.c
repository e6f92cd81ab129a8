/*
 * Prints ac_bundle and ac_table as GenC text that parses to the same tree.
 */
#include "gencc/front/bundle_ast.h"
#include "gencc/front/print.h"

static void print_piece(FILE *out, const struct ast_bundle_piece *p)
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

static void print_order(FILE *out, const struct ast_grain *q)
{
    static const char *const words[] = {"first", "after", "constants", "whole", ""};

    fprintf(out, "        grain %s %s", q->name, words[q->order]);
    for (unsigned i = 0; i < q->after.len; i++)
        fprintf(out, "%s%s", i ? ", " : " ", q->after.data[i].name);
}

static void print_picture(FILE *out, const ast_piece_list *pieces)
{
    for (unsigned i = 0; i < pieces->len; i++) {
        fputs(i ? " " : " \"", out);
        print_piece(out, &pieces->data[i]);
    }
    fputc('"', out);
}

static void print_where(FILE *out, const struct ast_grain *q)
{
    if (!q->where)
        return;
    fputs(" where ", out);
    print_expr(out, q->where);
}

static void print_sequence(FILE *out, const struct ast_grain *q)
{
    fprintf(out, "        sequence %s", q->name);
    print_where(out, q);
    fputs(" {\n", out);
    if (q->bytes) {
        fputs("            bytes ", out);
        print_expr(out, q->bytes);
        fputs(";\n", out);
    }
    vec_for_each (&q->takes, t) {
        if (t->align) {
            fprintf(out, "            align %u;\n", t->align);
            continue;
        }
        fputs("            take", out);
        print_picture(out, &t->pieces);
        if (t->condition) {
            fputs(" if (", out);
            print_expr(out, t->condition);
            fputc(')', out);
        }
        fputs(";\n", out);
    }
    fputs("        }\n", out);
}

static void print_grain(FILE *out, const struct ast_grain *q)
{
    if (q->order == AST_GRAIN_SEQUENCE) {
        print_sequence(out, q);
        return;
    }
    print_order(out, q);
    print_picture(out, &q->pieces);
    print_where(out, q);
    fputs(" {\n", out);
    if (q->position) {
        fprintf(out, "            %s {\n", q->position);
        vec_for_each (&q->positions, r)
            fprintf(out, "                %u : %u, %u;\n", r->key, r->first, r->stages);
        fputs("            }\n", out);
    }
    vec_for_each (&q->modifiers, m) {
        fprintf(out, "            modifier %u = ", m->constant);
        print_expr(out, m->value);
        fputs(";\n", out);
    }
    fputs("        }\n", out);
}

static void print_text(FILE *out, const struct ast_bundle_text *t)
{
    if (t->key)
        fprintf(out, "        text %s(%s) of %s {\n", t->name, t->key, t->context);
    else
        fprintf(out, "        text %s {\n", t->name);
    vec_for_each (&t->lines->syntax, s) {
        fputs("            ", out);
        print_asm(out, s, false);
    }
    fputs("        }\n", out);
}

static void print_around(FILE *out, const char *word, const char *text)
{
    if (!text)
        return;
    fprintf(out, "        %s ", word);
    print_string(out, text);
    fputs(";\n", out);
}

static void print_bundle(FILE *out, const struct ast_bundle *c)
{
    fputs("    ac_bundle {\n", out);
    if (c->name) {
        fputs("        names ", out);
        print_string(out, c->name);
        fputc(' ', out);
        print_string(out, c->stage_name);
        fputs(";\n", out);
    }
    if (c->header)
        fprintf(out, "        header %s;\n", c->header);
    if (c->block)
        fprintf(out, "        block %s;\n", c->block);
    vec_for_each (&c->units, u) {
        fprintf(out, "        unit %s : %s ", u->name, u->isa);
        print_string(out, u->mark);
        fputs(";\n", out);
    }
    if (c->grains_pos.file)
        fprintf(out, "        grains %u;\n", c->grain_bits);
    if (c->parts_pos.file)
        fprintf(out, "        parts %u;\n", c->parts);
    if (c->results_pos.file)
        fprintf(out, "        results after %u;\n", c->results_after);
    if (c->registers_pos.file)
        fprintf(out, "        registers %u of %u;\n", c->registers, c->register_slots);
    print_around(out, "open", c->open);
    print_around(out, "close", c->close);
    fprintf(out, "        stages %u;\n        constants %u [%u..%u];\n", c->stages, c->constants,
            c->constant_high, c->constant_low);
    vec_for_each (&c->decided, f)
        fprintf(out, "        decide %s;\n", f->name);
    vec_for_each (&c->follows, f)
        fprintf(out, "        follow %s = %s, %u;\n", f->field, f->of, f->last);
    vec_for_each (&c->grains, q)
        print_grain(out, *q);
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
    for (unsigned i = 0; i < t->columns.len; i++)
        fprintf(out, "%s %s", i ? "," : "", t->columns.data[i].name);
    fputs(" {\n", out);
    vec_for_each (&t->rows, r) {
        fputs("        ", out);
        print_list(out, r->keys.data, r->keys.len);
        fputs(" : ", out);
        print_list(out, r->values.data, r->values.len);
        fputs(";\n", out);
    }
    fputs("    }\n", out);
}

void bundle_print(FILE *out, const struct ast_isa *isa)
{
    if (isa->bundle)
        print_bundle(out, isa->bundle);
    vec_for_each (&isa->tables, t)
        print_table(out, *t);
}
