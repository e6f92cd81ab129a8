/*
 * Translators: for each handler a C function that builds code for one decoded instruction.
 */
#include "gencc/emit/jit.h"

#include <string.h>

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
static void take_operands(struct jfn *j, const struct handler *h)
{
    find_operands(&j->c);
    memcpy(&j->c.operands, &h->operands, sizeof h->operands);
    for (unsigned i = 0; i < h->operands.count; i++)
        j->c.at[h->operands.at[i].value->id].operand = i;
}

/* Calls are statements; handlers write pure ones in place. */
static void plan(struct jfn *j)
{
    cfn_plan(&j->c);
    vec_for_each (&j->c.f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_INTRINSIC && j->c.at[v->id].place == PLACE_FOLD &&
                !jit_is_expression(v))
                j->c.at[v->id].place = PLACE_LOCAL;
    jit_find_known(j);
}

/* Whether a pure function asks for what only a CPU knows. */
static bool asks_cpu(const struct ir_func *f)
{
    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if ((v->op == IR_INTRINSIC && jit_fixed_c(v->fn->intrinsic)) ||
                (v->op == IR_CALL && asks_cpu(v->callee)))
                return true;
    return false;
}

const struct operand *jit_field_operand(const struct handler *h, const struct field *f)
{
    vec_for_each (&h->operands, o)
        if (o->value->op == IR_FIELD && o->value->field == f)
            return o;
    return NULL;
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

static struct jfn start(struct jit_emit *je, FILE *o, struct ir_func *f, enum cfn_kind kind)
{
    struct emit *e = je->e;
    struct jfn j = {.c = {.e = e, .o = o, .f = f, .kind = kind}, .je = je};

    j.c.at = arena_alloc(e->arena, f->next_value * sizeof *j.c.at);
    j.known = arena_alloc(e->arena, f->next_value * sizeof *j.known);
    j.given = arena_alloc(e->arena, f->next_value * sizeof *j.given);
    return j;
}

/* The translator's own version of the behaviour, when what is fixed in it follows from the word. */
static bool own_version(struct jit_emit *je, const struct handler *h)
{
    struct jfn j;

    if (!h->jit)
        return false;
    ir_pass_fixedness(h->jit);
    if (refusal(je->e, h->jit))
        return false;
    j = start(je, NULL, h->jit, CFN_TRANSLATOR);
    find_operands(&j.c);
    vec_for_each (&j.c.operands, op)
        if (!from_word(h, op->value))
            return false;
    return true;
}

/* Operands that are not the handler's are computed at the start. */
static void compute_operands(struct jfn *j)
{
    struct cfn c = j->c;
    unsigned n = c.f->next_value;

    c.at = arena_alloc(c.e->arena, n * sizeof *c.at);
    for (unsigned i = 0; i < n; i++)
        c.at[i].skip = true;
    if (c.operands.count)
        fputs("    const uint32_t word __attribute__((unused)) = i->word;\n", c.o);
    vec_for_each (&c.operands, op)
        decode_straight_line(&c, op->value);
    for (unsigned i = 0; i < n; i++) {
        if (c.at[i].skip)
            continue;
        j->c.at[i] = c.at[i];
        j->known[i] = j->given[i] = true;
    }
}

static void translator(struct jit_emit *je, FILE *o, const struct handler *h)
{
    bool own = own_version(je, h);
    struct jfn j = start(je, o, own ? h->jit : h->f, CFN_TRANSLATOR);
    struct emit *e = je->e;

    j.c.handler = h;
    if (own)
        find_operands(&j.c);
    else
        take_operands(&j, h);
    plan(&j);
    cfn_where_from(o, h->f);
    fprintf(o, "void %s_j_%s(TRANSLATOR_ARGS)\n{\n", e->p, h->name);
    if (h->operands.count)
        fprintf(o, "    const struct %s_o_%s *o __attribute__((unused)) = (const void *)(i + 1);\n",
                e->p, h->name);
    if (own)
        compute_operands(&j);
    jit_body(&j);
    fputs("}\n\n", o);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool file_of_part(struct jit_emit *je, unsigned part, unsigned parts)
{
    struct emit *e = je->e;
    unsigned n = e->handlers.count;
    struct out o;

    if (!out_open(e, &o, arena_printf(e->arena, "%s_jit_%u.c", e->p, part)))
        return false;
    fprintf(o.f, "#include \"%s_jit.h\"\n\n", e->p);
    for (unsigned i = n * part / parts; i < n * (part + 1) / parts; i++) {
        const struct handler *h = e->handlers.at[i];
        const char *why = own_version(je, h) ? NULL : refusal(e, h->f);

        if (why) {
            vec_push(e->arena, &je->left, h);
            vec_push(e->arena, &je->why, why);
        } else {
            vec_push(e->arena, &je->translated, h);
            translator(je, o.f, h);
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

bool emit_jit(struct emit *e)
{
    struct jit_emit je = {.e = e};
    bool ok = true;

    for (unsigned i = 0; i < e->opt->parts; i++)
        ok &= file_of_part(&je, i, e->opt->parts);
    e->translators = je.translated.count;
    ok = ok && tables(&je) && header(&je);
    if (ok && e->opt->verbose)
        printf("%s: %u of %u handlers have translators\n", e->p, je.translated.count,
               je.translated.count + je.left.count);
    return ok;
}
