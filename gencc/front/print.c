/*
 * Prints architectures and ISAs as a sequence of files, each begun by a line `// file NAME`: the
 * architecture, then per ISA its description and its behaviours. Split at these lines, the text
 * parses to the same tree again.
 */
#include "gencc/front/abi_ast.h"
#include "gencc/front/bundle_ast.h"
#include "gencc/front/print_instr.h"

static void print_mems(FILE *out, const struct ast_arch *arch)
{
    vec_for_each (&arch->mems, m) {
        fprintf(out, "    ac_mem %s(%u, %u, %s, %u", m->name, m->addr_bits, m->word_bits, m->endian,
                m->is_fetch);
        if (m->ring != AST_CURRENT_RING)
            fprintf(out, ", ring %u", m->ring);
        fputs(");\n", out);
    }
}

static void print_view(FILE *out, const struct ast_view *v)
{
    fprintf(out, "        %s %s (", v->is_bank ? "bank" : "slot", v->name);
    print_type(out, v->type);
    if (v->is_bank)
        fprintf(out, ", %u, %u, %u, %u, %u, %u)", v->offset, v->count, v->reg_stride, v->elems,
                v->elem_size, v->elem_stride);
    else
        fprintf(out, ", %u, %u)", v->size, v->offset);
    fprintf(out, "%s%s;\n", v->tag ? " " : "", v->tag ? v->tag : "");
}

static void print_spaces(FILE *out, const struct ast_arch *arch)
{
    vec_for_each (&arch->spaces, s) {
        fprintf(out, "    %s(%u) {\n", s->is_lane ? "ac_lane_regspace" : "ac_regspace", s->bytes);
        vec_for_each (&s->views, v)
            print_view(out, v);
        fputs("    }\n", out);
    }
}

static void print_sysreg_space(FILE *out, const struct ast_sysreg_space *s)
{
    if (!s->name)
        return;
    fprintf(out, "    ac_sysreg_space %s (", s->name);
    for (unsigned i = 0; i < s->fields.len; i++)
        fprintf(out, "%s%s:%u", i ? ", " : "", s->fields.data[i].name, s->fields.data[i].width);
    fputs(");\n", out);
}

static void print_settings(FILE *out, const struct ast_arch *arch)
{
    fprintf(out, "    ARCH_CTOR(%s) {\n        set_endian(\"%s\");\n", arch->name, arch->endian);
    for (unsigned i = 0; i < arch->isas.len; i++)
        fprintf(out, "        ac_isa(\"isa%u.ac\");\n", i);
    if (arch->abi)
        fputs("        ac_abi(\"abi.ac\");\n", out);
    vec_for_each (&arch->typenames, s) {
        fprintf(out, "        set_typename(%s, ", s->name);
        print_type(out, s->type);
        fputs(");\n", out);
    }
    vec_for_each (&arch->constants, s) {
        fprintf(out, "        set_constant(%s, ", s->name);
        print_type(out, s->type);
        fputs(", ", out);
        print_expr(out, s->value);
        fputs(");\n", out);
    }
    vec_for_each (&arch->feature_values, s) {
        fprintf(out, "        set_feature(%s, ", s->name);
        print_expr(out, s->value);
        fputs(");\n", out);
    }
    fputs("    };\n", out);
}

/* ---- ISA ------------------------------------------------------------------------------------- */

static void print_map(FILE *out, const struct ast_map *m)
{
    fprintf(out, "    ac_asm_map %s {\n", m->name);
    vec_for_each (&m->rows, r) {
        fputs("        ", out);
        for (unsigned i = 0; i < r->texts.len; i++) {
            fputs(i ? ", " : "", out);
            print_string(out, r->texts.data[i]);
        }
        if (r->is_range)
            fprintf(out, "[%lld..%lld]", (long long)r->text_from, (long long)r->text_to);
        if (r->is_range && *r->suffix)
            print_string(out, r->suffix);
        fputs(" = ", out);
        for (unsigned i = 0; i < r->keys.len; i++) {
            fputs(i ? ", " : "", out);
            if (r->keys.data[i])
                print_expr(out, r->keys.data[i]);
            else
                fprintf(out, "[%lld..%lld]", (long long)r->key_from, (long long)r->key_to);
        }
        fputs(";\n", out);
    }
    fputs("    }\n", out);
}

static void print_family(FILE *out, const struct ast_family *f)
{
    fprintf(out, "    ac_family %s (", f->name);
    for (unsigned i = 0; i < f->fields.len; i++)
        fprintf(out, "%s%s", i ? ", " : "", f->fields.data[i]);
    fputs(") ", out);
    print_tparams(out, f->tparams.data, f->tparams.len);
    fputs(" {\n", out);
    vec_for_each (&f->rows, r) {
        fputs("        ", out);
        for (unsigned i = 0; i < r->keys.len; i++) {
            fputs(i ? ", " : "", out);
            print_expr(out, r->keys.data[i]);
        }
        fputs(" : ", out);
        for (unsigned i = 0; i < r->values.len; i++) {
            fputs(i ? ", " : "", out);
            print_targ(out, &r->values.data[i]);
        }
        fputs(";\n", out);
    }
    fputs("    }\n", out);
}

static void print_struct(FILE *out, const struct ast_struct *s)
{
    fprintf(out, "    struct %s {\n", s->name);
    vec_for_each (&s->members, m) {
        fputs("        ", out);
        print_type(out, m->type);
        fprintf(out, " %s;\n", m->name);
    }
    fputs("    };\n", out);
}

static void print_ctor(FILE *out, const struct ast_isa *isa, unsigned index)
{
    fprintf(out, "    ISA_CTOR(%s) {\n        ac_execute(\"isa%u.genc\");\n", isa->name, index);
    if (isa->comment) {
        fputs("        assembler.set_comment(", out);
        print_string(out, isa->comment);
        fputs(");\n", out);
    }
    if (isa->line_comment) {
        fputs("        assembler.set_line_comment(", out);
        print_string(out, isa->line_comment);
        fputs(");\n", out);
    }
    if (isa->elf_bits)
        fprintf(out, "        assembler.set_elf(%u, %u, %#x);\n", isa->elf_machine, isa->elf_bits,
                isa->elf_flags);
    vec_for_each (&isa->instrs, i) {
        struct arena a = {0};

        if (!(*i)->is_block)
            print_properties(out, *i, arena_printf(&a, "        %s.", (*i)->name));
        arena_free(&a);
    }
    fputs("    };\n", out);
}

static void print_predicate(FILE *out, const struct ast_isa *isa)
{
    fputs("    ac_predicated ", out);
    print_expr(out, isa->predicate);
    if (isa->predicate_bits) {
        fputs(" bits ", out);
        print_constraints(out, isa->predicate_bits);
    }
    fputs(";\n", out);
}

static void print_words(FILE *out, const struct ast_isa *isa)
{
    if (isa->widths_pos.file)
        fprintf(out, "    ac_widths %s {\n", isa->high_first ? "high_first" : "low_first");
    vec_for_each (&isa->widths, w) {
        fprintf(out, "        %u : ", w->bits);
        print_format_picture(out, &w->first);
        fputs(";\n", out);
    }
    fputs(isa->widths_pos.file ? "    }\n" : "", out);
    if (isa->context.pos.file)
        fprintf(out, "    ac_context %s (%s);\n", isa->context.slot, isa->context.advance);
    vec_for_each (&isa->overlaps, o) {
        fprintf(out, "    ac_overlap %s {", o->name);
        vec_for_each (&o->members, m)
            fprintf(out, "%s %s", m == o->members.data ? "" : ",", m->name);
        fputs(" }\n", out);
    }
}

static void print_isa(FILE *out, const struct ast_arch *arch, unsigned index)
{
    const struct ast_isa *isa = arch->isas.data[index];

    fprintf(out, "// file isa%u.ac\nAC_ISA(%s) {\n", index, isa->name);
    if (isa->fetch_bits)
        fprintf(out, "    ac_fetchsize %u;\n", isa->fetch_bits);
    print_words(out, isa);
    if (isa->predicated)
        fprintf(out, "    ac_predicated \"%s\";\n", isa->predicated);
    if (isa->predicate)
        print_predicate(out, isa);
    vec_for_each (&isa->structs, s)
        print_struct(out, s);
    vec_for_each (&isa->ticks, t)
        fprintf(out, "    ac_ticks { %s = %u; }\n", t->name, t->value);
    vec_for_each (&isa->maps, m)
        print_map(out, m);
    vec_for_each (&isa->families, f)
        print_family(out, f);
    vec_for_each (&isa->formats, f)
        if (!f->of_block)
            print_format(out, f);
    vec_for_each (&isa->fields, f) {
        fputs("    ac_field<", out);
        print_type(out, f->type);
        fprintf(out, "> %s", f->name);
        if (f->value) {
            fputs(" = ", out);
            print_expr(out, f->value);
        }
        fputs(";\n", out);
    }
    vec_for_each (&isa->behaviours, b)
        fprintf(out, "    ac_behaviour %s;\n", b->name);
    vec_for_each (&isa->instrs, i) {
        if ((*i)->is_block)
            print_block(out, isa, *i);
        else
            fprintf(out, "    ac_instr<%s> %s;\n", (*i)->format, (*i)->name);
    }
    bundle_print(out, isa);
    print_ctor(out, isa, index);
    fprintf(out, "};\n// file isa%u.genc\n", index);
    vec_for_each (&isa->defs, d)
        print_def(out, *d);
}

static void print_timing(FILE *out, const struct ast_timing *t)
{
    fprintf(out, "    ac_timing %s ", t->name);
    if (t->source)
        print_string(out, t->source);
    fputs(" {\n", out);
    vec_for_each (&t->words, w)
        fprintf(out, "        %s %u;\n", w->name, w->value);
    vec_for_each (&t->classes, c) {
        fprintf(out, "        class %s", c->name);
        vec_for_each (&c->words, w)
            fprintf(out, " %s %u", w->name, w->value);
        fputs(";\n", out);
    }
    fputs("    }\n", out);
}

void ast_print(FILE *out, const struct ast_arch *arch)
{
    fprintf(out, "// file arch.ac\nAC_ARCH(%s) {\n    ac_wordsize %u;\n", arch->name,
            arch->word_bits);
    print_mems(out, arch);
    print_spaces(out, arch);
    if (arch->features.len)
        fputs("    ac_features {\n", out);
    vec_for_each (&arch->features, f)
        fprintf(out, f->about ? "        feature %s \"%s\";\n" : "        feature %s;\n", f->name,
                f->about);
    fputs(arch->features.len ? "    }\n" : "", out);
    vec_for_each (&arch->timings, t)
        print_timing(out, t);
    print_sysreg_space(out, &arch->sysregs);
    print_settings(out, arch);
    fputs("};\n", out);
    for (unsigned i = 0; i < arch->isas.len; i++)
        print_isa(out, arch, i);
    if (arch->abi) {
        fputs("// file abi.ac\n", out);
        abi_print(out, arch->abi, 0);
    }
}
