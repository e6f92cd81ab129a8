/*
 * Prints the model as text (`gencc dump --stage model`).
 */
#include "gencc/front/abi_ast.h"
#include "gencc/model/bundle.h"
#include "gencc/model/internal.h"

#include <inttypes.h>

static void print_name(FILE *out, struct ir_type t)
{
    static const char *const bases[] = {"void", "uint", "sint", "float"};

    if (t.base == IR_FLOAT)
        fputs(t.bits == 64 ? "double" : "float", out);
    else
        fputs(bases[t.base], out);
    if (ir_is_int(t))
        fprintf(out, "%u", t.bits);
    if (ir_is_vector(t))
        fprintf(out, "[%u]", t.lanes);
}

static void print_state(FILE *out, const struct model *m)
{
    fprintf(out, "state %u bytes\n", m->state_bytes);
    vec_for_each (&m->spaces, s)
        fprintf(out, "  space offset %u, %u bytes\n", s->offset, s->bytes);
    vec_for_each (&m->views, it) {
        const struct reg_view *v = *it;

        fprintf(out, "  %s %s ", v->is_bank ? "bank" : "slot", v->name);
        print_name(out, v->type);
        fprintf(out, " offset %u", v->offset);
        if (v->is_bank)
            fprintf(out, ", %u registers %u apart", v->count, v->reg_stride);
        if (ir_is_vector(v->type))
            fprintf(out, ", elements %u apart", v->elem_stride);
        fprintf(out, "%s%s%s\n", v->tag ? ", tag " : "", v->tag ? v->tag : "",
                v->sysreg ? ", system register" : "");
    }
}

static void print_level(FILE *out, const char *what, unsigned level)
{
    if (level == 255)
        fprintf(out, ", %s never", what);
    else
        fprintf(out, ", %s from el%u", what, level);
}

static void print_sysregs(FILE *out, const struct model *m)
{
    vec_for_each (&m->sysregs, it) {
        const struct sysreg *r = *it;

        fprintf(out, "sysreg %s code 0x%" PRIx32 " ", r->name, r->code);
        print_name(out, r->type);
        fprintf(out, " reset 0x%" PRIx64 " mask 0x%" PRIx64, r->reset, r->mask);
        print_level(out, "read", r->read_level[0]);
        print_level(out, "written", r->write_level[0]);
        fprintf(out, "%s%s%s%s\n", r->has_storage ? ", stored" : "", r->read ? ", read body" : "",
                r->write ? ", write body" : "", r->ends_block ? ", ends block" : "");
    }
}

static void print_bits(FILE *out, const struct pattern *p, unsigned width)
{
    for (unsigned i = width; i--;)
        fputc(p->mask >> i & 1 ? '0' + (int)(p->value >> i & 1) : 'x', out);
    vec_for_each (&p->nots, n) {
        fputs(" not ", out);
        for (unsigned i = width; i--;)
            fputc(n->mask >> i & 1 ? '0' + (int)(n->value >> i & 1) : 'x', out);
    }
}

static void print_formats(FILE *out, const struct isa *isa)
{
    vec_for_each (&isa->formats, it) {
        const struct format *f = *it;
        struct pattern p = {f->pos, f->mask, f->value, {0}};

        fprintf(out, "  format %s ", f->name);
        print_bits(out, &p, f->width);
        fputc('\n', out);
        vec_for_each (&f->fields, field) {
            fprintf(out, "    %s ", (*field)->name);
            print_name(out, (*field)->type);
            if ((*field)->computed)
                fputs(" computed\n", out);
            else
                fprintf(out, " bits %u..%u\n", (*field)->lsb + (*field)->width - 1, (*field)->lsb);
        }
    }
}

static void print_forms(FILE *out, const struct isa *isa)
{
    vec_for_each (&isa->forms, it) {
        const struct form *f = *it;
        const struct instr *i = f->instr;

        fprintf(out, "  form %s behaviour %s class %s syntaxes %u%s%s%s\n", f->name, i->behaviour,
                i->klass, i->syntax.len, i->where.len ? ", where" : "",
                i->end_of_block ? ", ends block" : "", i->execute ? "" : ", no behaviour");
        if (i->ticks != 1)
            fprintf(out, "    ticks %u\n", i->ticks);
        vec_for_each (&f->patterns, p) {
            fputs("    ", out);
            print_bits(out, p, i->format->width);
            fputc('\n', out);
        }
    }
}

static void print_maps(FILE *out, const struct isa *isa)
{
    vec_for_each (&isa->maps, m) {
        fprintf(out, "  map %s of %u\n", (*m)->name, (*m)->arity);
        vec_for_each (&(*m)->entries, e) {
            fputs("    ", out);
            for (unsigned i = 0; i < e->keys.len; i++)
                fprintf(out, "%s%" PRId64, i ? ", " : "", e->keys.data[i]);
            for (unsigned i = 0; i < e->texts.len; i++)
                fprintf(out, "%s\"%s\"", i ? ", " : " = ", e->texts.data[i]);
            fputc('\n', out);
        }
    }
}

/* ---- decision trees -------------------------------------------------------------------------- */

struct tally {
    struct name_map seen; /* visited nodes, by address */
    struct arena arena;
    unsigned nodes, leaves, entries, depth, most;
};

static void count_nodes(struct tally *t, const struct decode_node *n, unsigned depth)
{
    const char *key = arena_printf(&t->arena, "%p", (const void *)n);

    t->depth = depth > t->depth ? depth : t->depth;
    if (name_map_put(&t->arena, &t->seen, key, t))
        return;
    t->nodes++;
    if (n->kind == DECODE_LEAF) {
        t->leaves++;
        t->most = n->forms.len > t->most ? n->forms.len : t->most;
    }
    if (n->kind != DECODE_SWITCH)
        return;
    t->entries += 1u << n->width;
    for (unsigned i = 0; i < 1u << n->width; i++)
        count_nodes(t, n->children[i], depth + 1);
}

static void print_trees(FILE *out, const struct isa *isa)
{
    for (unsigned i = 0; i < isa->trees.len; i++) {
        struct tally t = {0};

        count_nodes(&t, isa->trees.data[i], 0);
        fprintf(
            out,
            "  tree for %u bits: %u nodes, %u leaves, %u table entries, at most %u switches and "
            "%u candidates\n",
            isa->widths.data[i], t.nodes, t.leaves, t.entries, t.depth, t.most);
        arena_free(&t.arena);
    }
}

static void print_timing(FILE *out, const struct timing *t)
{
    fprintf(out, "timing %s %u MHz, %u ticks per cycle\n", t->name, t->mhz, t->ticks_per_cycle);
    vec_for_each (&t->classes, c)
        fprintf(out, "  class %s ticks %u\n", c->name, c->ticks);
}

void model_print(FILE *out, const struct model *m)
{
    fprintf(out, "architecture %s, %u-bit words\n", m->name, m->word_bits);
    vec_for_each (&m->mems, i) {
        fprintf(out, "memory %s %u address bits, %u-bit words%s%s", i->name, i->addr_bits,
                i->word_bits, i->big_endian ? ", big-endian" : "", i->is_fetch ? ", fetch" : "");
        if (i->ring != AST_CURRENT_RING)
            fprintf(out, ", ring %u", i->ring);
        fputc('\n', out);
    }
    vec_for_each (&m->features, f)
        fprintf(out, "%s %s = %u\n", (*f)->about ? "option" : "feature", (*f)->name, (*f)->value);
    vec_for_each (&m->timings, t)
        print_timing(out, t);
    if (m->ast->abi) {
        fputs("abi\n", out);
        abi_print(out, m->ast->abi, 1);
    }
    print_state(out, m);
    print_sysregs(out, m);
    vec_for_each (&m->isas, isa) {
        if ((*isa)->bundle)
            fprintf(out, "isa %s of bundles\n", (*isa)->name);
        else
            fprintf(out, "isa %s fetches %u bits%s\n", (*isa)->name, (*isa)->fetch_bits,
                    (*isa)->published ? ", published form" : "");
        print_maps(out, *isa);
        print_formats(out, *isa);
        print_forms(out, *isa);
        if ((*isa)->bundle)
            bundle_model_print(out, (*isa)->bundle);
        print_trees(out, *isa);
    }
}
