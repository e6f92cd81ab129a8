/*
 * The decoder: the decision tree as switches, a function a form that picks the handler, and a
 * function a handler that computes its operands.
 */
#include "gencc/emit/internal.h"

#include <inttypes.h>
#include <string.h>

/* ---- operands of a handler ------------------------------------------------------------------- */

void decode_straight_line(struct cfn *c, struct ir_value *v)
{
    struct cvalue *cv = &c->at[v->id];

    if (!cv->skip)
        return;
    cv->skip = false;
    if (v->op == IR_CONST || is_field_trivial(v)) {
        cv->place = PLACE_FOLD;
        return;
    }
    vec_for_each (&v->ops, op)
        decode_straight_line(c, *op);
    cv->place = PLACE_LOCAL;
    fprintf(c->o, "    const %s v%u = ", ctype(c->e, v->type), v->id);
    cexpr_open(c, v);
    fputs(";\n", c->o);
}

static void operands_function(struct emit *e, FILE *o, const struct handler *h)
{
    struct cfn c = {.e = e, .o = o, .f = h->f, .kind = CFN_OPERANDS};

    c.at = arena_alloc(e->arena, h->f->next_value * sizeof *c.at);
    for (unsigned i = 0; i < h->f->next_value; i++)
        c.at[i].skip = true;
    fprintf(o, "static void operands_%s(DECODE_ARGS)\n{\n", h->name);
    fprintf(o, "    struct %s_o_%s *o = (void *)(out + 1);\n\n", e->p, h->name);
    vec_for_each (&h->operands, op)
        decode_straight_line(&c, op->value);
    vec_for_each (&h->operands, op) {
        fprintf(o, "    o->%s = (%s)", op->name, ctype(e, op->stored));
        cexpr(&c, op->value);
        fputs(";\n", o);
    }
    fputs("}\n\n", o);
}

/* ---- forms ----------------------------------------------------------------------------------- */

/* The computed fields a function reads, as a bit set by index. */
uint64_t decode_reads(const struct ir_func *f)
{
    uint64_t reads = 0;

    vec_for_each (&f->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_FIELD && v->field->computed)
                reads |= UINT64_C(1) << (v->field->index & 63);
    }
    return reads;
}

static bool accepts_all(const struct ir_func *f)
{
    const struct ir_value *first = f->blocks.at[0]->first;
    const struct ir_value *ret = f->blocks.at[0]->last;

    return ret->op == IR_RET && ret->ops.at[0]->op == IR_CONST && ret->ops.at[0]->imm == 1 &&
           (first == ret || (first->op == IR_CONST && first->next == ret));
}

/* The decode function without the fields that nobody reads; NULL when it says yes to every word. */
struct ir_func *decode_needed(const struct form *form, uint64_t reads)
{
    struct ir_func *f;

    if (!form->decode)
        return NULL;
    f = ir_clone(form->decode, form->decode->name);
    vec_for_each (&f->blocks, b) {
        for (struct ir_value *v = (*b)->first, *next; v; v = next) {
            next = v->next;
            if (v->op == IR_FIELD_WRITE && !(reads >> (v->field->index & 63) & 1))
                ir_remove(v);
        }
    }
    ir_optimise(f, NULL);
    return accepts_all(f) ? NULL : f;
}

void decode_fields_function(struct emit *e, FILE *o, const struct form *form, struct ir_func *f)
{
    struct cfn c = {.e = e, .o = o, .f = f, .kind = CFN_DECODE};

    c.at = arena_alloc(e->arena, c.f->next_value * sizeof *c.at);
    cfn_plan(&c);
    fprintf(o, "static uint8_t fields_%s(FIELDS_ARGS)\n{\n", form->name);
    cfn_body(&c);
    fputs("}\n\n", o);
}

static void choose_handler(struct emit *e, FILE *o, const struct handler *h)
{
    bool guarded = h->fields.count || h->feature >= 0;
    const char *indent = guarded ? "        " : "    ";

    if (guarded) {
        fputs("    if (", o);
        if (h->feature >= 0)
            fprintf(o, "cpu->features[%d] == %u", h->feature,
                    e->model->features.at[h->feature]->value);
        for (unsigned i = 0; i < h->fields.count; i++) {
            const struct field *f = h->fields.at[i];

            fprintf(o, "%s(word >> %u & %#x) == %u", i || h->feature >= 0 ? " && " : "", f->lsb,
                    (1u << f->width) - 1, (unsigned)h->values.at[i]);
        }
        fputs(") {\n", o);
    }
    fprintf(o, "%sout->fn = %s_h_%s;\n", indent, e->p, h->name);
    if (h->operands.count)
        fprintf(o, "%soperands_%s(cpu, word, fields, out);\n", indent, h->name);
    fprintf(o, "%s*flags = %s;\n%sreturn true;\n", indent,
            h->ends_block ? "DECODE_ENDS_BLOCK" : "0", indent);
    if (guarded)
        fputs("    }\n", o);
}

unsigned decode_field_count(const struct format *f)
{
    unsigned n = 0;

    vec_for_each (&f->fields, it)
        if ((*it)->index + 1 > n)
            n = (*it)->index + 1;
    return n;
}

/* `first` is the index of the form's first handler; returns that of the next form's. */
static unsigned form_function(struct emit *e, FILE *o, const struct form *form, unsigned first)
{
    unsigned end = first;
    bool complete = false;
    uint64_t reads = 0;
    struct ir_func *decode;

    while (end < e->handlers.count && e->handlers.at[end]->form == form) {
        struct handler *h = e->handlers.at[end++];

        reads |= decode_reads(h->f);
        complete |= !h->fields.count && h->feature < 0;
        if (h->operands.count)
            operands_function(e, o, h);
    }
    decode = decode_needed(form, reads);
    if (decode)
        decode_fields_function(e, o, form, decode);
    fprintf(o, "static NOINLINE bool form_%s(FORM_ARGS)\n{\n", form->name);
    if (decode)
        fprintf(o, "    uint64_t fields[%u];\n\n", decode_field_count(form->instr->format) + 1);
    else
        fputs("    uint64_t *const fields = NULL;\n\n    (void)fields;\n", o);
    vec_for_each (&form->instr->features, f)
        fprintf(o, "    if (!cpu->features[%u])\n        return false;\n", (*f)->index);
    if (decode)
        fprintf(o, "    if (!fields_%s(cpu, word, fields))\n        return false;\n", form->name);
    fprintf(o, "    out->form = %u;\n", form->index);
    for (unsigned i = first; i < end; i++)
        choose_handler(e, o, e->handlers.at[i]);
    if (!complete) /* every combination of the fields has a handler */
        fputs("    return false;\n", o);
    fputs("}\n\n", o);
    return end;
}

/* ---- tree ------------------------------------------------------------------------------------ */

void decode_leaf(FILE *o, const struct decode_node *n, const char *indent, const char *arguments,
                 const char *result)
{
    for (unsigned i = 0; i < n->forms.count; i++) {
        const struct pattern *t = &n->tests.at[i];

        fprintf(o, "%sif (", indent);
        if (t->mask)
            fprintf(o, "(word & %#" PRIx32 ") == %#" PRIx32 " && ", (uint32_t)t->mask,
                    (uint32_t)t->value);
        vec_for_each (&t->nots, x)
            fprintf(o, "(word & %#" PRIx32 ") != %#" PRIx32 " && ", (uint32_t)x->mask,
                    (uint32_t)x->value);
        fprintf(o, "form_%s(%s))\n%s    return %s;\n", n->forms.at[i]->name, arguments, indent,
                result);
    }
}

static void leaf(struct emit *e, FILE *o, const struct decode_node *n, const char *indent)
{
    (void)e;
    decode_leaf(o, n, indent, "cpu, word, out, &flags", "flags");
}

void decode_tree(struct emit *e, FILE *o, const struct decode_node *n, unsigned depth,
                 decode_leaf_fn *at_leaf)
{
    const char *indent = arena_printf(e->arena, "%*s", (int)(4 + 4 * depth), "");
    unsigned size;

    if (n->kind == DECODE_FAIL)
        return;
    if (n->kind == DECODE_LEAF) {
        at_leaf(e, o, n, indent);
        return;
    }
    size = 1u << n->width;
    fprintf(o, "%sswitch (word >> %u & %#x) {\n", indent, n->shift, size - 1);
    for (unsigned i = 0; i < size; i++) {
        bool seen = false;

        for (unsigned k = 0; k < i; k++)
            seen |= n->children[k] == n->children[i];
        if (seen || n->children[i]->kind == DECODE_FAIL)
            continue;
        for (unsigned k = i; k < size; k++)
            if (n->children[k] == n->children[i])
                fprintf(o, "%scase %#x:\n", indent, k);
        decode_tree(e, o, n->children[i], depth + 1, at_leaf);
        fprintf(o, "%s    break;\n", indent);
    }
    fprintf(o, "%s}\n", indent);
}

bool emit_decoder(struct emit *e)
{
    struct out o;
    unsigned at = 0;

    if (!out_open(e, &o, arena_printf(e->arena, "%s_decode.c", e->p)))
        return false;
    fprintf(o.f, "#include \"%s_internal.h\"\n\n", e->p);
    fputs("#define UNUSED       __attribute__((unused))\n"
          "#define NOINLINE     __attribute__((noinline))\n"
          "#define FIELDS_ARGS  struct cpu *cpu UNUSED, uint32_t word UNUSED, uint64_t *fields "
          "UNUSED\n"
          "#define DECODE_ARGS  struct cpu *cpu UNUSED, uint32_t word UNUSED, "
          "const uint64_t *fields UNUSED, struct insn *out\n"
          "#define FORM_ARGS    struct cpu *cpu UNUSED, uint32_t word UNUSED, struct insn *out, "
          "unsigned *flags\n\n"
          "/* Pure helpers are called without an instruction. */\n"
          "static const struct insn *const i UNUSED = NULL;\n\n",
          o.f);
    vec_for_each (&e->isa->forms, f) {
        if ((*f)->exec)
            at = form_function(e, o.f, *f, at);
    }
    fprintf(o.f,
            "static void undefined(struct cpu *cpu, const struct insn *insn)\n{\n"
            "    cpu_undefined(cpu, insn);\n}\n\n"
            "unsigned %s_decode(struct cpu *cpu, uint32_t word, struct insn *out)\n{\n"
            "    unsigned flags;\n\n",
            e->p);
    if (e->isa->trees.count)
        decode_tree(e, o.f, e->isa->trees.at[0], 0, leaf);
    fprintf(o.f,
            "    out->form = %u;\n    out->fn = undefined;\n    return DECODE_ENDS_BLOCK;\n}\n",
            e->isa->forms.count);
    return out_close(e, &o);
}
