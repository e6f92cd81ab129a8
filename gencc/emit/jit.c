/*
 * Translators: per form a C function that builds host code for one decoded instruction.
 */
#include "gencc/emit/decode_tree.h"
#include "gencc/emit/intrinsics.h"
#include "gencc/emit/jit.h"
#include "gencc/emit/operands.h"

/* ---- one translator -------------------------------------------------------------------------- */

/* Why the instruction is left to its handler, and by which construct of its behaviour. */
static struct jit_refusal reason_of_refusal(const struct emit *e, const struct ir_func *f)
{
    vec_for_each (&f->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            const char *why = NULL;

            if (v->op == IR_REG_READ && v->view == e->model->pc)
                why = "it reads the PC as a register";
            else if (v->op == IR_CALL || v->op == IR_INTRINSIC)
                why = jit_call_refusal(v);
            if (why)
                return (struct jit_refusal){why, v->pos};
        }
    }
    return (struct jit_refusal){0};
}

/* Makes variables of calls, since calls are statements here. Handlers write pure calls in place. */
void jit_plan(struct translator *t)
{
    body_plan(&t->b);
    vec_for_each (&t->b.f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_INTRINSIC && t->b.at[v->id].place == PLACE_FOLD &&
                !jit_is_expression(t, v))
                t->b.at[v->id].place = PLACE_LOCAL;
    jit_find_known(t);
}

/* Whether a pure function reads a value that only a CPU has. The result is cached, since helpers
 * share callees. */
static bool needs_cpu(struct ir_func *f)
{
    bool asks = false;

    if (f->needs_cpu != IR_UNKNOWN)
        return f->needs_cpu == IR_YES;
    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v && !asks; v = v->next)
            asks = (v->op == IR_INTRINSIC && translator_intrinsics[v->fn->intrinsic]) ||
                   (v->op == IR_CALL && needs_cpu(v->callee));
    f->needs_cpu = asks ? IR_YES : IR_NO;
    return asks;
}

/* The form's decode function without fields that the behaviour does not read. NULL: it reads
 * none. */
static struct ir_func *fields_for(const struct form *form, const struct ir_func *f)
{
    uint64_t reads = decode_reads(f);

    return reads ? decode_needed(form, reads) : NULL;
}

/* Whether a fixed value can be computed from the word and its computed fields. `seen`: by value id,
 * the values that can. */
static bool from_word(const struct ir_value *v, bool *seen)
{
    if (seen[v->id])
        return true;
    if (v->op == IR_CALL && needs_cpu(v->callee))
        return false;
    vec_for_each (&v->ops, op)
        if (!from_word(*op, seen))
            return false;
    return seen[v->id] = true;
}

struct translator jit_translator(struct jit_emit *je, FILE *o, struct ir_func *f,
                                 const struct dialect *built)
{
    struct emit *e = je->e;
    struct translator t = {
        .b = body_new(e, o, f, built), .je = je, .built = built, .host = built->host};

    t.known = arena_alloc(e->arena, f->next_value * sizeof(*t.known));
    t.computed_first = arena_alloc(e->arena, f->next_value * sizeof(*t.computed_first));
    return t;
}

struct jit_refusal jit_refusal_of_form(struct jit_emit *je, const struct handler *h)
{
    struct ir_func *fields = fields_for(h->form, h->jit);
    struct jit_refusal refusal;
    struct translator t;
    bool *seen;

    ir_pass_fixedness(h->jit);
    refusal = reason_of_refusal(je->e, h->jit);
    if (!refusal.why && fields && needs_cpu(fields))
        refusal = (struct jit_refusal){"its fields depend on more than the word", fields->pos};
    if (refusal.why)
        return refusal;
    t = jit_translator(je, NULL, h->jit, &built_dialect);
    operands_find(&t.b);
    seen = arena_alloc(je->e->arena, h->jit->next_value * sizeof(*seen));
    vec_for_each (&t.b.operands, op)
        if (!from_word(op->value, seen))
            return (struct jit_refusal){"an operand depends on more than the word", op->value->pos};
    return (struct jit_refusal){0};
}

void jit_compute(struct translator *t, struct ir_value *const *values, unsigned count)
{
    struct translator c = *t;

    c.b = straight_line(t->b.e, t->b.o, t->b.f, t->host);
    straight_line_values(&c.b, &t->b.operands);
    for (unsigned i = 0; i < count; i++)
        straight_line_value(&c.b, values[i]);
    for (unsigned i = 0; i < t->b.f->next_value; i++) {
        if (c.b.at[i].skip)
            continue;
        t->b.at[i] = c.b.at[i];
        t->known[i] = t->computed_first[i] = true;
    }
}

static void write_word(struct translator *t)
{
    fputs(t->b.e->isa->context.slot
              ? "    const uint64_t word __attribute__((unused)) =\n"
                "        i->word | (uint64_t)INSN_CONTEXT(i) << 32;\n"
              : "    const uint64_t word __attribute__((unused)) = i->word;\n",
          t->b.o);
}

/* Writes the translator of all handlers of a form. */
static void write_translator(struct jit_emit *je, FILE *o, const struct handler *h)
{
    struct translator t = jit_translator(je, o, h->jit, &built_dialect);
    struct ir_func *decode = fields_for(h->form, h->jit);
    const char *fields = NULL;

    if (decode)
        fields = decode_fields_function(je->e, o, &je->fields, h->form, decode);
    operands_find(&t.b);
    jit_plan(&t);
    body_where_from(o, h->jit);
    fprintf(o, "insn_translate_fn %s_j_%s;\nvoid %s_j_%s(TRANSLATOR_ARGS)\n{\n", je->e->prefix,
            h->form->name, je->e->prefix, h->form->name);
    write_word(&t);
    if (decode)
        fprintf(o, "    uint64_t fields[%u];\n\n    fields_%s(i, word, fields);\n",
                decode_field_count(h->form->instr->format) + 1, fields);
    jit_compute(&t, NULL, 0);
    jit_body(&t);
    fputs("}\n\n", o);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Writes the translator of a form; `h` is the first of its handlers. */
static void write_form(struct jit_emit *je, FILE *o, const struct handler *h)
{
    const char *why = jit_refusal_of_form(je, h).why;

    if (why) {
        vec_push_in(je->e->arena, &je->untranslated, h->form);
        vec_push_in(je->e->arena, &je->refusals, why);
        return;
    }
    vec_push_in(je->e->arena, &je->translated, h->form);
    je->e->translated[h->form->index] = true;
    write_translator(je, o, h);
}

static bool file_of_part(struct jit_emit *je, const handler_list *handlers, unsigned part)
{
    struct emit *e = je->e;
    const struct form *last = NULL;
    struct out o;

    if (!out_open(e, &o, arena_printf(e->arena, "%s_jit_%u.c", e->prefix, part)))
        return false;
    fprintf(o.f,
            "#include \"%s_jit.h\"\n\n"
            "/* Pure helpers that ask nothing of a CPU are called without one. */\n"
            "static struct cpu *const cpu __attribute__((unused)) = NULL;\n\n"
            "#define FIELDS_ARGS                                                               \\\n"
            "    const struct insn *i __attribute__((unused)),                                 \\\n"
            "        uint64_t word __attribute__((unused)), uint64_t *fields "
            "__attribute__((unused))\n\n",
            e->prefix);
    je->fields = (struct pool){0};
    vec_for_each (handlers, h) {
        if ((*h)->form != last && part_of(e, (*h)->form) == part)
            write_form(je, o.f, *h);
        last = (*h)->form;
    }
    return out_close(e, &o);
}

static bool write_header(struct jit_emit *je)
{
    struct emit *e = je->e;
    struct out o;

    if (!out_open(e, &o, arena_printf(e->arena, "%s_jit.h", e->prefix)))
        return false;
    fprintf(o.f,
            "#ifndef GENERATED_%s_JIT_H\n#define GENERATED_%s_JIT_H\n\n"
            "#include \"%s_internal.h\"\n#include \"runtime/jit/build.h\"\n\n"
            "#define TRANSLATOR_ARGS \\\n"
            "    struct jit_build *j, const struct insn *i __attribute__((unused))\n\n",
            e->capital_prefix, e->capital_prefix, e->prefix);
    vec_for_each (&je->targets, t)
        fprintf(o.f, "extern const struct jit_callee %s_c_%s;\n", e->prefix, t->name);
    fputs("\n#endif\n", o.f);
    return out_close(e, &o);
}

static bool write_targets(struct jit_emit *je)
{
    struct emit *e = je->e;
    struct out o;

    if (!out_open(e, &o, arena_printf(e->arena, "%s_jit.c", e->prefix)))
        return false;
    fprintf(o.f, "/*\n * %u of %u forms are translated; the interpreter does", je->translated.len,
            je->translated.len + je->untranslated.len);
    fputs(je->untranslated.len ? ":\n" : " none.\n", o.f);
    for (unsigned i = 0; i < je->untranslated.len; i++)
        fprintf(o.f, " *   %s: %s\n", je->untranslated.data[i]->name, je->refusals.data[i]);
    fprintf(o.f, " */\n#include \"%s_jit.h\"\n\n", e->prefix);
    jit_targets(je, o.f);
    return out_close(e, &o);
}

bool emit_jit(struct emit *e, const handler_list *handlers)
{
    struct jit_emit je = {.e = e};
    bool ok = true;

    e->translated = arena_alloc(e->arena, (e->isa->forms.len + 1) * sizeof(*e->translated));
    for (unsigned i = 0; i < e->opt->parts; i++)
        ok &= file_of_part(&je, handlers, i);
    ok = ok && write_targets(&je) && write_header(&je);
    if (ok && e->opt->verbose)
        printf("%s: %u of %u forms have translators\n", e->prefix, je.translated.len,
               je.translated.len + je.untranslated.len);
    return ok;
}
