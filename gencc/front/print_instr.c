/*
 * Prints formats and instructions as GenC text that parses to the same tree.
 */
#include "gencc/front/print_instr.h"

#include <string.h>

void print_format_picture(FILE *out, const struct ast_format *f)
{
    for (unsigned i = 0; i < f->bits.len; i++) {
        const struct ast_bits *b = &f->bits.data[i];

        fputs(i ? " " : "\"", out);
        if (b->name)
            fprintf(out, "%%%s%s:%u", b->name, b->decode_only ? "!" : "", b->width);
        else if (b->dont_care)
            for (unsigned n = 0; n < b->width; n++)
                fputc('x', out);
        else if (b->value >> 64)
            fprintf(out, "0x%llx%016llx:%u", (unsigned long long)(b->value >> 64),
                    (unsigned long long)b->value, b->width);
        else
            fprintf(out, "0x%llx:%u", (unsigned long long)b->value, b->width);
    }
    fputs("\"", out);
}

static void print_field(FILE *out, const struct ast_field *f)
{
    fputs("        field ", out);
    print_type(out, f->type);
    fprintf(out, " %s = ", f->name);
    print_expr(out, f->value);
    fputs(";\n", out);
}

static void print_where(FILE *out, const struct ast_expr *condition)
{
    fputs("        where ", out);
    print_expr(out, condition);
    fputs(";\n", out);
}

void print_constraints(FILE *out, const struct ast_decoder *d)
{
    static const char *const ops[] = {"=", "!=", "&", "^"};

    for (unsigned i = 0; i < d->all.len; i++) {
        fprintf(out, "%s%s %s ", i ? ", " : "", d->all.data[i].field, ops[d->all.data[i].cmp]);
        print_expr(out, d->all.data[i].value);
    }
}

static bool is_positional(const struct ast_asm *s)
{
    vec_for_each (&s->pieces, p)
        if (!p->text && !p->positional)
            return false;
    return !s->condition;
}

static void print_piece(FILE *out, const struct ast_asm_piece *p)
{
    if (p->text) {
        for (const char *c = p->text; *c; c++) {
            if (*c == '%')
                fputs("%%", out);
            else
                fprintf(out, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
        }
        return;
    }
    fprintf(out, p->positional ? "%%[%s]" : "%%%s", p->map);
    fputs(p->list ? "..." : "", out);
    for (unsigned i = 0; i < p->values.len; i++) {
        fputs(i ? ", " : "{", out);
        print_expr(out, p->values.data[i]);
    }
    fputs(p->values.len ? "}" : "", out);
}

void print_asm(FILE *out, const struct ast_asm *s, bool published)
{
    fputs(published ? "set_asm(\"" : "asm \"", out);
    vec_for_each (&s->pieces, p)
        print_piece(out, p);
    fputc('"', out);
    vec_for_each (&s->args, a) {
        fputs(", ", out);
        print_expr(out, *a);
    }
    vec_for_each (&s->constraints, c) {
        fprintf(out, ", %s = ", c->field);
        print_expr(out, c->value);
    }
    if (s->condition) {
        fputs(" if (", out);
        print_expr(out, s->condition);
        fputc(')', out);
    }
    fputs(published ? ");\n" : ";\n", out);
}

static void print_jump(FILE *out, const struct ast_instr *i, const char *prefix)
{
    if (i->jump == AST_JUMP_NONE)
        return;
    if (i->jump == AST_JUMP_VARIABLE) {
        fprintf(out, "%sset_variable_jump();\n", prefix);
        return;
    }
    fprintf(out, "%sset_fixed_%sjump(%s, %s, %lld);\n", prefix,
            i->jump == AST_JUMP_PREDICATED ? "predicated_" : "", i->jump_field,
            i->jump_relative ? "RELATIVE" : "FIXED", (long long)i->jump_offset);
}

void print_properties(FILE *out, const struct ast_instr *i, const char *prefix)
{
    vec_for_each (&i->decoders, d) {
        fprintf(out, "%sset_decoder(", prefix);
        print_constraints(out, d);
        fputs(");\n", out);
    }
    vec_for_each (&i->syntax, s) {
        fputs(prefix, out);
        print_asm(out, s, is_positional(s));
    }
    if (i->behaviour)
        fprintf(out, "%sset_behaviour(%s);\n", prefix, i->behaviour);
    if (i->end_of_block) {
        fprintf(out, "%sset_end_of_block(", prefix);
        print_constraints(out, &i->eob);
        fputs(");\n", out);
    }
    if (i->has_reads_pc) {
        fprintf(out, "%sset_reads_pc(", prefix);
        print_constraints(out, &i->reads_pc);
        fputs(");\n", out);
    }
    if (i->block_cond)
        fprintf(out, "%sset_block_cond();\n", prefix);
    print_jump(out, i, prefix);
}

static const struct ast_format *own_format(const struct ast_isa *isa, const struct ast_instr *i)
{
    vec_for_each (&isa->formats, f)
        if (f->of_block && strcmp(f->name, i->name) == 0)
            return f;
    return NULL;
}

void print_block(FILE *out, const struct ast_isa *isa, const struct ast_instr *i)
{
    const struct ast_format *own = own_format(isa, i);

    if (own) {
        fprintf(out, "    ac_instr %s ", i->name);
        print_format_picture(out, own);
    } else {
        fprintf(out, "    ac_instr<%s> %s", i->format, i->name);
    }
    fputs(" {\n", out);
    if (own)
        vec_for_each (&own->fields, f)
            print_field(out, f);
    vec_for_each (&i->fields, f)
        print_field(out, f);
    vec_for_each (&i->where, w)
        print_where(out, *w);
    vec_for_each (&i->features, f)
        fprintf(out, "        requires %s;\n", f->name);
    vec_for_each (&i->families, f)
        fprintf(out, "        with %s;\n", f->name);
    if (i->klass)
        fprintf(out, "        class %s;\n", i->klass);
    if (i->ticks.pos.file)
        fprintf(out, "        ticks %u;\n", i->ticks.value);
    print_properties(out, i, "        ");
    fputs("    }\n", out);
}

static bool is_published(const struct ast_format *f)
{
    vec_for_each (&f->bits, b)
        if (b->dont_care)
            return false;
    return !f->fields.len && !f->where.len;
}

void print_format(FILE *out, const struct ast_format *f)
{
    vec_for_each (&f->attrs, a)
        fprintf(out, "    @%s\n", *a);
    fprintf(out, "    ac_format %s%s", f->name, is_published(f) ? " = " : " ");
    print_format_picture(out, f);
    fputs(is_published(f) ? ";\n" : " {\n", out);
    if (is_published(f))
        return;
    vec_for_each (&f->fields, field)
        print_field(out, field);
    vec_for_each (&f->where, w)
        print_where(out, *w);
    fputs("    }\n", out);
}
