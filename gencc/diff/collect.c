/*
 * Turns a model into a list of things with texts.
 */
#include "gencc/diff/collect.h"
#include "common/memory.h"
#include "gencc/front/abi_ast.h"
#include "gencc/front/print.h"
#include "gencc/model/free.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void collect_begin(struct collector *c)
{
    c->text = memory_or_exit(open_memstream(&c->buffer, &c->size));
}

void collect_end(struct collector *c, enum thing_kind kind, const char *name)
{
    fclose(c->text);
    vec_push_in(c->a, c->out,
                ((struct thing){kind, c->isa, name, arena_strndup(c->a, c->buffer, c->size)}));
    free(c->buffer);
}

static void print_ir_type(FILE *o, struct ir_type t)
{
    fprintf(o, "%s%u", t.base == IR_FLOAT ? "float" : t.base == IR_SINT ? "sint" : "uint", t.bits);
    if (t.lanes > 1)
        fprintf(o, "[%u]", t.lanes);
}

/* ---- the architecture ------------------------------------------------------------------------ */

static void collect_architecture(struct collector *c, const struct model *m)
{
    collect_begin(c);
    fprintf(c->text, "ac_wordsize %u\n", m->word_bits);
    vec_for_each (&m->mems, i) {
        fprintf(c->text, "memory %s, %u address bits, %u-bit units%s%s", i->name, i->addr_bits,
                i->word_bits, i->big_endian ? ", big-endian" : "", i->is_fetch ? ", fetch" : "");
        if (i->ring != AST_CURRENT_RING)
            fprintf(c->text, ", ring %u", i->ring);
        fputc('\n', c->text);
    }
    vec_for_each (&m->features, f)
        fprintf(c->text, "feature %s = %u\n", (*f)->name, (*f)->value);
    collect_end(c, THING_ARCHITECTURE, "settings");
}

/* The numbers as they are written: a change of one may change the ticks of many classes. */
static void collect_timings(struct collector *c, const struct model *m)
{
    vec_for_each (&m->ast->timings, t) {
        collect_begin(c);
        if (t->source) {
            fputs("source ", c->text);
            print_string(c->text, t->source);
            fputc('\n', c->text);
        }
        vec_for_each (&t->words, w)
            fprintf(c->text, "%s %u\n", w->name, w->value);
        vec_for_each (&t->classes, k) {
            fprintf(c->text, "class %s", k->name);
            vec_for_each (&k->words, w)
                fprintf(c->text, " %s %u", w->name, w->value);
            fputc('\n', c->text);
        }
        collect_end(c, THING_TIMING, t->name);
    }
}

/* Each kind of statement of the ABI is a thing of its own, named by its first word. */
static void collect_abi(struct collector *c, const struct abi_node *abi)
{
    struct name_map seen = {0};

    vec_for_each (&abi->items, n) {
        const char *name = (*n)->words.data[0].text;

        if (name_map_put(c->a, &seen, name, *n))
            continue;
        collect_begin(c);
        vec_for_each (&abi->items, same)
            if (!strcmp((*same)->words.data[0].text, name))
                abi_print_statement(c->text, *same, 0);
        collect_end(c, THING_ABI, name);
    }
}

static void collect_registers(struct collector *c, const struct model *m)
{
    vec_for_each (&m->views, it) {
        const struct reg_view *v = *it;

        if (v->sysreg)
            continue;
        collect_begin(c);
        fprintf(c->text, "%s ", v->is_bank ? "bank of" : "slot of");
        print_ir_type(c->text, v->type);
        fprintf(c->text, " at byte %u of space %u",
                v->offset - (m->spaces.len ? m->spaces.data[v->space].offset : 0), v->space);
        if (v->is_bank)
            fprintf(c->text, ", %u registers %u bytes apart", v->count, v->reg_stride);
        if (v->type.lanes > 1)
            fprintf(c->text, ", elements %u bytes apart", v->elem_stride);
        fprintf(c->text, "%s%s\n", v->tag ? ", tag " : "", v->tag ? v->tag : "");
        collect_end(c, THING_REGISTER, v->name);
    }
}

static void print_level(FILE *o, const char *what, unsigned from)
{
    if (from == 255)
        fprintf(o, "%s: never\n", what);
    else
        fprintf(o, "%s: from level %u\n", what, from);
}

static void print_accessor(FILE *o, const char *what, const struct ast_stmt *body)
{
    if (!body)
        return;
    fprintf(o, "%s\n", what);
    print_stmt(o, (struct ast_stmt *)body, 0);
}

static void collect_system_registers(struct collector *c, const struct model *m)
{
    vec_for_each (&m->sysregs, it) {
        const struct sysreg *r = *it;

        collect_begin(c);
        fputs("encoding", c->text);
        vec_for_each (&r->enc, e)
            fprintf(c->text, " %" PRIu32, *e);
        fputs("\ntype ", c->text);
        print_ir_type(c->text, r->type);
        fprintf(c->text, "\nreset 0x%" PRIx64 "\nmask 0x%" PRIx64 "\n", r->reset, r->mask);
        print_level(c->text, "read", r->read_level[0]);
        print_level(c->text, "written", r->write_level[0]);
        fprintf(c->text, "%s%s", r->has_storage ? "stored\n" : "",
                r->ends_block ? "ends the block\n" : "");
        print_accessor(c->text, "read", r->read);
        print_accessor(c->text, "write", r->write);
        collect_end(c, THING_SYSTEM_REGISTER, r->name);
    }
}

/* ---- an ISA ---------------------------------------------------------------------------------- */

static void collect_isa(struct collector *c, const struct isa *isa)
{
    collect_begin(c);
    fprintf(c->text, "%s %u\n", isa->bundle ? "bundles" : "ac_fetchsize", isa->fetch_bits);
    vec_for_each (&isa->word_widths, w) {
        struct bit_test unit = {w->mask, w->value};

        fprintf(c->text, "words of %u bits begin ", w->bits);
        print_picture(c->text, &unit, isa->fetch_bits);
        fputc('\n', c->text);
    }
    if (isa->context.slot)
        fprintf(c->text, "ac_context %s (%s)\n", isa->context.slot->name, isa->context.advance);
    collect_end(c, THING_ISA, isa->name);
}

static void collect_maps(struct collector *c, const struct isa *isa)
{
    vec_for_each (&isa->maps, m) {
        collect_begin(c);
        vec_for_each (&(*m)->entries, e) {
            for (unsigned i = 0; i < e->keys.len; i++)
                fprintf(c->text, "%s%" PRId64, i ? ", " : "", e->keys.data[i]);
            for (unsigned i = 0; i < e->texts.len; i++) {
                fputs(i ? ", " : " : ", c->text);
                print_string(c->text, e->texts.data[i]);
            }
            fputc('\n', c->text);
        }
        collect_end(c, THING_MAP, (*m)->name);
    }
}

static void collect_families(struct collector *c, const struct isa *isa)
{
    vec_for_each (&isa->families, it) {
        const struct family *f = *it;

        collect_begin(c);
        vec_for_each (&f->fields, name)
            fprintf(c->text, "%s%s", name == f->fields.data ? "" : ", ", *name);
        fputc(' ', c->text);
        print_tparams(c->text, f->tparams.data, f->tparams.len);
        fputc('\n', c->text);
        vec_for_each (&f->rows, row) {
            vec_for_each (&row->keys, k)
                fprintf(c->text, "%s%" PRIu64, k == row->keys.data ? "" : ", ", (uint64_t)*k);
            fputs(" : ", c->text);
            for (unsigned i = 0; i < row->values.len; i++) {
                fputs(i ? ", " : "", c->text);
                print_targ(c->text, &row->values.data[i]);
            }
            fputc('\n', c->text);
        }
        collect_end(c, THING_FAMILY, f->name);
    }
}

static void print_fields(FILE *o, const struct format *f)
{
    vec_for_each (&f->fields, it) {
        const struct field *x = *it;

        if (!x->computed) {
            fprintf(o, "bits %u:%u are %s\n", x->lsb + x->width - 1, x->lsb, x->name);
            continue;
        }
        fputs("field ", o);
        print_ir_type(o, x->type);
        fprintf(o, " %s", x->name);
        if (x->value) {
            fputs(" = ", o);
            print_expr(o, (struct ast_expr *)x->value);
        }
        fputc('\n', o);
    }
}

static void print_patterns(FILE *o, const struct form *f, unsigned width)
{
    vec_for_each (&f->patterns, p) {
        struct bit_test bits = {p->mask, p->value};

        fprintf(o, "%s ", f->row >= 0 ? f->name : "word");
        print_picture(o, &bits, width);
        vec_for_each (&p->nots, n) {
            fputs(" not ", o);
            print_picture(o, n, width);
        }
        fputc('\n', o);
    }
}

static void print_conditions(FILE *o, const struct instr *in)
{
    vec_for_each (&in->where, w) {
        fputs("where ", o);
        print_expr(o, (struct ast_expr *)*w);
        fputc('\n', o);
    }
    vec_for_each (&in->features, f)
        fprintf(o, "requires %s\n", (*f)->name);
    if (in->predicate) {
        fputs("predicate ", o);
        print_expr(o, (struct ast_expr *)in->predicate);
        fputc('\n', o);
    }
}

static void collect_encodings(struct collector *c, const struct isa *isa)
{
    vec_for_each (&isa->instrs, it) {
        const struct instr *in = *it;

        collect_begin(c);
        vec_for_each (&in->forms, f)
            print_patterns(c->text, *f, in->format->width);
        print_fields(c->text, in->format);
        print_conditions(c->text, in);
        if (in->ast)
            vec_for_each (&in->ast->syntax, s)
                print_asm(c->text, s, false);
        fprintf(c->text, "behaviour %s\nclass %s\nticks %u\n%s", in->behaviour ? in->behaviour : "",
                in->klass ? in->klass : "", in->ticks, in->end_of_block ? "end_of_block\n" : "");
        collect_end(c, THING_ENCODING, in->name);
    }
}

static void collect_behaviours(struct collector *c, const struct isa *isa)
{
    static const char *const words[] = {
        [AST_EXECUTE] = "execute", [AST_HOOK] = "hook",     [AST_BEHAVIOUR] = "behaviour",
        [AST_DECODE] = "decode",   [AST_SYSTEM] = "system",
    };

    vec_for_each (&isa->ast->defs, it) {
        const struct ast_def *d = *it;
        const char *word = d->kind < sizeof(words) / sizeof(*words) ? words[d->kind] : NULL;

        if (d->kind == AST_SYSREG)
            continue;
        collect_begin(c);
        print_def(c->text, d);
        collect_end(c, THING_BEHAVIOUR,
                    word ? arena_printf(c->a, "%s(%s)", word, d->name) : d->name);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

int diff_order(const struct thing *x, const struct thing *y)
{
    int order = strcmp(x->isa, y->isa);

    if (!order)
        order = (int)x->kind - (int)y->kind;
    return order ? order : strcmp(x->name, y->name);
}

static int by_name(const void *x, const void *y)
{
    return diff_order(x, y);
}

void collect_sort(thing_list *things)
{
    qsort(things->data, things->len, sizeof(*things->data), by_name);
}

void diff_collect(struct arena *a, const struct model *m, thing_list *out)
{
    struct collector c = {.a = a, .out = out, .isa = ""};

    collect_architecture(&c, m);
    collect_timings(&c, m);
    if (m->ast->abi)
        collect_abi(&c, m->ast->abi);
    collect_registers(&c, m);
    collect_system_registers(&c, m);
    vec_for_each (&m->isas, it) {
        c.isa = (*it)->name;
        collect_isa(&c, *it);
        collect_maps(&c, *it);
        collect_families(&c, *it);
        collect_encodings(&c, *it);
        collect_behaviours(&c, *it);
    }
    collect_sort(out);
}
