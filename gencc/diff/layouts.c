/*
 * Turns layouts, registers and GPUs into a list of things with texts, as written but without
 * comments.
 */
#include "gencc/diff/collect.h"
#include "gencc/front/print.h"

static void print_versions(FILE *o, const struct ast_versions *v)
{
    for (unsigned i = 0; i < v->ranges.len; i++) {
        const struct ast_range *r = &v->ranges.data[i];

        fprintf(o, "%s%u", i ? ", " : " if ", r->from);
        if (r->to != r->from)
            fprintf(o, "..%u", r->to);
    }
}

static void print_repeat(FILE *o, const struct ast_repeat *r)
{
    if (!r->given)
        return;
    fprintf(o, "[%u", r->count);
    if (r->has_stride)
        fprintf(o, " stride %u", r->stride);
    fputc(']', o);
}

static void collect_enumerations(struct collector *c, const struct ast_layouts *l)
{
    vec_for_each (&l->enums, e) {
        collect_begin(c);
        vec_for_each (&(*e)->values, v) {
            fprintf(c->text, "%s = ", v->name);
            print_expr(c->text, v->value);
            print_versions(c->text, &v->versions);
            fputc('\n', c->text);
        }
        collect_end(c, THING_ENUMERATION, (*e)->name);
    }
}

static void print_modifier(FILE *o, const struct ast_modifier *m)
{
    static const char *const words[] = {
        [AST_MOD_PLUS] = "+",    [AST_MOD_SHIFT] = "<<",    [AST_MOD_LOG2] = "log2",
        [AST_MOD_DEFAULT] = "=", [AST_MOD_MUST] = "must =",
    };

    fprintf(o, " %s", words[m->kind]);
    if (!m->value)
        return;
    fputc(' ', o);
    print_expr(o, m->value);
}

static void print_layout_field(FILE *o, const struct ast_lay_field *f)
{
    fprintf(o, "%s%s", f->is_overlay ? "overlay " : "", f->name ? f->name : "reserved");
    print_repeat(o, &f->repeat);
    fprintf(o, ": %s", f->type ? f->type : "bits");
    if (f->width)
        fprintf(o, " of %u bit%s", f->width, f->width == 1 ? "" : "s");
    fprintf(o, " at word %u bit %u", f->word, f->bit);
    vec_for_each (&f->modifiers, m)
        print_modifier(o, m);
    print_versions(o, &f->versions);
    fputc('\n', o);
}

static void collect_structures(struct collector *c, const struct ast_layouts *l)
{
    vec_for_each (&l->layouts, it) {
        collect_begin(c);
        vec_for_each (&(*it)->sizes, s) {
            fprintf(c->text, "%u bytes", s->bytes);
            print_versions(c->text, &s->versions);
            fputc('\n', c->text);
        }
        vec_for_each (&(*it)->fields, f)
            print_layout_field(c->text, f);
        collect_end(c, THING_LAYOUT, (*it)->name);
    }
}

static void collect_register(struct collector *c, const struct ast_registers *block,
                             const struct ast_register *r)
{
    collect_begin(c);
    fprintf(c->text, "%s at 0x%x", r->access ? r->access : "read and written",
            block->base + r->offset);
    print_repeat(c->text, &r->repeat);
    fprintf(c->text, ", in %s", block->name);
    print_repeat(c->text, &block->repeat);
    fputc('\n', c->text);
    vec_for_each (&r->fields, f)
        fprintf(c->text, "%s: %s%s%u bit%s at bit %u\n", f->name, f->type ? f->type : "",
                f->type ? " of " : "", f->width, f->width == 1 ? "" : "s", f->bit);
    collect_end(c, THING_REGISTER, r->name);
}

static void collect_layouts(struct collector *c, const struct ast_layouts *l)
{
    collect_begin(c);
    fputs("versions", c->text);
    print_versions(c->text, &l->versions);
    fputc('\n', c->text);
    collect_end(c, THING_LAYOUTS, l->name);
    vec_for_each (&l->consts, k) {
        collect_begin(c);
        print_expr(c->text, k->value);
        fputc('\n', c->text);
        collect_end(c, THING_CONSTANT, k->name);
    }
}

static void print_gpu_number(FILE *o, const char *word, const struct ast_gpu_number *n)
{
    fprintf(o, "%s %s = ", word, n->name);
    print_expr(o, n->value);
    fprintf(o, " %s ", n->unit ? n->unit : "");
    print_string(o, n->source ? n->source : "");
    fputc('\n', o);
}

static void print_gpu_point(FILE *o, const struct ast_gpu_point *p)
{
    fputs("point ", o);
    print_expr(o, p->mhz);
    fputs(" MHz = ", o);
    print_expr(o, p->millivolt);
    fputs(" mV ", o);
    print_string(o, p->source ? p->source : "");
    fputc('\n', o);
}

static void collect_gpu(struct collector *c, const struct ast_gpu *g)
{
    collect_begin(c);
    vec_for_each (&g->properties, p) {
        fprintf(c->text, "%s ", p->name);
        print_expr(c->text, p->value);
        fputc('\n', c->text);
    }
    vec_for_each (&g->registers, r) {
        fprintf(c->text, "register %s", r->name);
        if (r->has_index)
            fprintf(c->text, "[%u]", r->index);
        fputs(" = ", c->text);
        print_expr(c->text, r->value);
        fputc('\n', c->text);
    }
    vec_for_each (&g->timing, t)
        print_gpu_number(c->text, "timing", t);
    vec_for_each (&g->power, t)
        print_gpu_number(c->text, "power", t);
    vec_for_each (&g->points, t)
        print_gpu_point(c->text, t);
    collect_end(c, THING_GPU, g->name);
}

void diff_collect_layouts(struct arena *a, const struct ast_layout_file *file, thing_list *out)
{
    struct collector c = {.a = a, .out = out, .isa = ""};

    if (file->layouts) {
        collect_layouts(&c, file->layouts);
        collect_enumerations(&c, file->layouts);
        collect_structures(&c, file->layouts);
        vec_for_each (&file->layouts->blocks, b)
            vec_for_each (&(*b)->registers, r)
                collect_register(&c, *b, r);
    }
    vec_for_each (&file->gpus, g)
        collect_gpu(&c, *g);
    collect_sort(out);
}
