/*
 * Translators: for each handler a C function that builds code for one decoded instruction.
 */
#include "gencc/emit/intrinsics.h"
#include "gencc/emit/jit.h"
#include "gencc/emit/operands.h"

/* ---- one translator -------------------------------------------------------------------------- */

/* Why the interpreter must do it; NULL when a translator can. */
static const char *refusal(const struct emit *e, const struct ir_func *f)
{
    vec_for_each (&f->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            const char *why = NULL;

            if (v->op == IR_REG_READ && v->view == e->model->pc)
                why = "it reads the PC as a register";
            else if (v->op == IR_CALL || v->op == IR_INTRINSIC)
                why = jit_call_refusal(v);
            if (why)
                return why;
        }
    }
    return NULL;
}

/* The operands are those that the handler has. */
static void take_operands(struct translator *t, const struct handler *h)
{
    operands_find(&t->b);
    t->b.operands = h->operands;
    for (unsigned i = 0; i < h->operands.count; i++)
        t->b.at[h->operands.at[i].value->id].number = i;
}

/* Calls are statements; handlers write pure ones in place. */
static void plan(struct translator *t)
{
    body_plan(&t->b);
    vec_for_each (&t->b.f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_INTRINSIC && t->b.at[v->id].place == PLACE_FOLD &&
                !jit_is_expression(v))
                t->b.at[v->id].place = PLACE_LOCAL;
    jit_find_known(t);
}

/* Whether a pure function asks for what only a CPU knows. */
static bool asks_cpu(const struct ir_func *f)
{
    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if ((v->op == IR_INTRINSIC && translator_intrinsics[v->fn->intrinsic]) ||
                (v->op == IR_CALL && asks_cpu(v->callee)))
                return true;
    return false;
}

/* Whether a fixed value can be computed from the word and the handler's operands. */
static bool from_word(const struct handler *h, const struct ir_value *v)
{
    if (v->op == IR_FIELD && v->field->computed && !jit_field_operand(h, v->field))
        return false;
    if (v->op == IR_CALL && asks_cpu(v->callee))
        return false;
    vec_for_each (&v->ops, op)
        if (!from_word(h, *op))
            return false;
    return true;
}

static struct translator start(struct jit_emit *je, FILE *o, const struct handler *h,
                               struct ir_func *f)
{
    struct emit *e = je->e;
    struct translator t = {.b = body_new(e, o, f, &built_dialect), .je = je, .handler = h};

    t.known = arena_alloc(e->arena, f->next_value * sizeof *t.known);
    t.given = arena_alloc(e->arena, f->next_value * sizeof *t.given);
    return t;
}

/* The translator's own version of the behaviour, when what is fixed in it follows from the word. */
static bool own_version(struct jit_emit *je, const struct handler *h)
{
    struct translator t;

    if (!h->jit)
        return false;
    ir_pass_fixedness(h->jit);
    if (refusal(je->e, h->jit))
        return false;
    t = start(je, NULL, h, h->jit);
    operands_find(&t.b);
    vec_for_each (&t.b.operands, op)
        if (!from_word(h, op->value))
            return false;
    return true;
}

/* Operands that are not the handler's are computed at the start. */
static void compute_operands(struct translator *t)
{
    struct translator c = *t;

    c.b = straight_line(t->b.e, t->b.o, t->b.f, &known_dialect);
    if (t->b.operands.count)
        fputs("    const uint32_t word __attribute__((unused)) = i->word;\n", t->b.o);
    straight_line_values(&c.b, &t->b.operands);
    for (unsigned i = 0; i < t->b.f->next_value; i++) {
        if (c.b.at[i].skip)
            continue;
        t->b.at[i] = c.b.at[i];
        t->known[i] = t->given[i] = true;
    }
}

static void translate(struct jit_emit *je, FILE *o, const struct handler *h)
{
    bool own = own_version(je, h);
    struct translator t = start(je, o, h, own ? h->jit : h->f);
    const char *p = je->e->p;

    if (own)
        operands_find(&t.b);
    else
        take_operands(&t, h);
    plan(&t);
    body_where_from(o, h->f);
    fprintf(o, "void %s_j_%s(TRANSLATOR_ARGS)\n{\n", p, h->name);
    if (h->operands.count)
        fprintf(o, "    const struct %s_o_%s *o __attribute__((unused)) = (const void *)(i + 1);\n",
                p, h->name);
    if (own)
        compute_operands(&t);
    jit_body(&t);
    fputs("}\n\n", o);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool file_of_part(struct jit_emit *je, const handler_list *handlers, unsigned part)
{
    struct emit *e = je->e;
    unsigned n = handlers->count, parts = e->opt->parts;
    struct out o;

    if (!out_open(e, &o, arena_printf(e->arena, "%s_jit_%u.c", e->p, part)))
        return false;
    fprintf(o.f, "#include \"%s_jit.h\"\n\n", e->p);
    for (unsigned i = n * part / parts; i < n * (part + 1) / parts; i++) {
        const struct handler *h = handlers->at[i];
        const char *why = own_version(je, h) ? NULL : refusal(e, h->f);

        if (why) {
            vec_push(e->arena, &je->left, h);
            vec_push(e->arena, &je->why, why);
        } else {
            vec_push(e->arena, &je->translated, h);
            translate(je, o.f, h);
        }
    }
    return out_close(e, &o);
}

static bool header(struct jit_emit *je)
{
    struct emit *e = je->e;
    struct out o;

    if (!out_open(e, &o, arena_printf(e->arena, "%s_jit.h", e->p)))
        return false;
    fprintf(o.f,
            "#ifndef GENERATED_%s_JIT_H\n#define GENERATED_%s_JIT_H\n\n"
            "#include \"%s_internal.h\"\n#include \"runtime/jit/build.h\"\n\n"
            "#define TRANSLATOR_ARGS \\\n"
            "    struct jit_build *j, const struct insn *i __attribute__((unused))\n\n",
            e->P, e->P, e->p);
    vec_for_each (&je->targets, t)
        fprintf(o.f, "extern const struct jit_callee %s_c_%s;\n", e->p, t->name);
    fputc('\n', o.f);
    vec_for_each (&je->translated, h)
        fprintf(o.f, "void %s_j_%s(TRANSLATOR_ARGS);\n", e->p, (*h)->name);
    fputs("\n#endif\n", o.f);
    return out_close(e, &o);
}

static bool tables(struct jit_emit *je)
{
    struct emit *e = je->e;
    struct out o;

    if (!out_open(e, &o, arena_printf(e->arena, "%s_jit.c", e->p)))
        return false;
    fprintf(o.f, "/*\n * %u of %u handlers are translated; the interpreter does",
            je->translated.count, je->translated.count + je->left.count);
    fputs(je->left.count ? ":\n" : " none.\n", o.f);
    for (unsigned i = 0; i < je->left.count; i++)
        fprintf(o.f, " *   %s: %s\n", je->left.at[i]->name, je->why.at[i]);
    fprintf(o.f, " */\n#include \"%s_jit.h\"\n\n", e->p);
    jit_targets(je, o.f);
    fprintf(o.f, "const struct cpu_translator %s_translators[] = {\n", e->p);
    vec_for_each (&je->translated, h)
        fprintf(o.f, "    {%s_h_%s, %s_j_%s},\n", e->p, (*h)->name, e->p, (*h)->name);
    fputs("    {NULL, NULL},\n};\n", o.f);
    return out_close(e, &o);
}

bool emit_jit(struct emit *e, const handler_list *handlers, unsigned *translators)
{
    struct jit_emit je = {.e = e};
    bool ok = true;

    for (unsigned i = 0; i < e->opt->parts; i++)
        ok &= file_of_part(&je, handlers, i);
    *translators = je.translated.count;
    ok = ok && tables(&je) && header(&je);
    if (ok && e->opt->verbose)
        printf("%s: %u of %u handlers have translators\n", e->p, je.translated.count,
               je.translated.count + je.left.count);
    return ok;
}
