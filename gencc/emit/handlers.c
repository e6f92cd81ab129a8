/*
 * Handlers: one C function per form, or several if a small field or a feature decides what the
 * behaviour does.
 */
#include "gencc/emit/body.h"
#include "gencc/emit/c_dialect.h"
#include "gencc/emit/cpu.h"
#include "gencc/emit/operands.h"

#include <stdlib.h>

enum {
    MAX_HANDLERS = 8, /* per form */
    MAX_SPECIAL_WIDTH = 2,
    MAX_SPECIAL_COST = 400, /* larger behaviours are not copied */
    JIT_INLINE_BUDGET = 1000,
    MAX_JIT_ROUNDS = 10,
};

/* ---- which fields decide --------------------------------------------------------------------- */

struct deciders {
    struct emit *e;
    VEC(struct field *) fields;
    int feature;
};

enum { MAX_STEPS = 8 }; /* from a deciding value back to a field */

/* Collects the fields on which a value depends. Its mark is the number of steps that were left at
 * the last visit. A value is visited again only with more steps left. */
static void look_for_fields(struct deciders *d, struct ir_value *v, unsigned steps)
{
    unsigned left = MAX_STEPS + 1 - steps;

    if (!v->fixed || v->mark >= left)
        return;
    v->mark = left;
    if (v->op == IR_FIELD && !v->field->computed && v->field->width <= MAX_SPECIAL_WIDTH) {
        vec_for_each (&d->fields, f)
            if (*f == v->field)
                return;
        vec_push_in(d->e->arena, &d->fields, v->field);
        return;
    }
    if (ir_is_intrinsic(v, IR_I_GET_FEATURE) && v->ops.data[0]->op == IR_CONST && d->feature < 0 &&
        d->e->model->features.data[(unsigned)v->ops.data[0]->imm]->value) {
        d->feature = (int)v->ops.data[0]->imm;
        return;
    }
    if (v->op == IR_FIELD || v->op == IR_PHI || !ir_is_pure(v))
        return;
    vec_for_each (&v->ops, op)
        look_for_fields(d, *op, steps + 1);
}

static void find_deciders(struct deciders *d, struct ir_func *f)
{
    vec_for_each (&f->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            v->mark = 0;
    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_CBR || v->op == IR_SWITCH || v->op == IR_SELECT)
                look_for_fields(d, v->ops.data[0], 0);
}

/* ---- making them ----------------------------------------------------------------------------- */

static bool ends_block(const struct ir_func *f)
{
    vec_for_each (&f->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            if (v->op == IR_CALL && v->callee->ends_block)
                return true;
            if (v->op == IR_INTRINSIC && v->fn->flags & IR_FN_ENDS_BLOCK)
                return true;
        }
    }
    return false;
}

/* The form from which handlers are made, and what they share. */
struct maker {
    struct emit *e;
    struct form *form;
    handler_list *handlers;
    struct ir_func *jit; /* the form's behaviour for its translator */
};

static struct handler *new_handler(struct maker *m, struct ir_func *f, const char *name)
{
    struct handler *h = arena_new(m->e->arena, struct handler);

    h->form = m->form;
    h->f = f;
    h->jit = m->jit;
    h->feature = -1;
    h->name = name;
    h->ends_block = ends_block(f) || m->form->instr->end_of_block;
    vec_push_in(m->e->arena, m->handlers, h);
    vec_push_in(m->e->arena, &m->e->behaviours, f);
    return h;
}

/* The usual case of a feature that is set by default gets a handler of its own, in which the
 * feature is constant. */
static struct ir_func *usual_feature(struct emit *e, struct ir_func *f, int feature)
{
    struct ir_func *copy = ir_clone(f->arena, f, f->name);

    ir_replace_intrinsic(copy, IR_I_GET_FEATURE, (u128)feature,
                         e->model->features.data[feature]->value);
    ir_optimise(copy, NULL);
    return copy;
}

/* ---- tiers ----------------------------------------------------------------------------------- */

/* Replaces what is known: the ISA's number, and whether the code is for translators. */
static void replace_known_values(const struct emit *e, struct ir_func *f, bool translated)
{
    ir_replace_intrinsic(f, IR_I_GET_CPU_MODE, 0, e->isa->index);
    ir_replace_intrinsic(f, IR_I_TRANSLATED, 0, translated);
}

static struct ir_func *for_interpreter(const struct emit *e, struct ir_func *f)
{
    struct ir_func *copy;

    if (!ir_has_intrinsic(f, IR_I_GET_CPU_MODE, 0) && !ir_has_intrinsic(f, IR_I_TRANSLATED, 0))
        return f;
    copy = ir_clone(f->arena, f, f->name);
    replace_known_values(e, copy, false);
    ir_optimise(copy, NULL);
    return copy;
}

/* A copy with most calls inlined, since translated code can keep no register values across a call.
 * NULL if there are no translators. */
static struct ir_func *for_translator(struct emit *e, struct ir_func *f)
{
    struct ir_func *copy = e->opt->jit ? ir_clone(f->arena, f, f->name) : NULL;

    if (!copy)
        return NULL;
    replace_known_values(e, copy, true);
    for (unsigned round = 0; round < MAX_JIT_ROUNDS; round++) {
        if (!ir_pass_inline(copy, JIT_INLINE_BUDGET))
            break;
        replace_known_values(e, copy, true);
        ir_optimise(copy, NULL);
    }
    if (ir_pass_inline_choices(copy, JIT_INLINE_BUDGET))
        replace_known_values(e, copy, true);
    ir_optimise(copy, NULL);
    vec_push_in(e->arena, &e->behaviours, copy);
    return copy;
}

/* ---- handlers of a form ---------------------------------------------------------------------- */

/* Makes handlers for all values of the deciding fields. `feature` has its default, or is -1. */
static void make_specialised(struct maker *m, struct ir_func *f, int feature)
{
    struct deciders d = {.e = m->e, .feature = 0};
    unsigned combos = 1, n = 0;

    if (ir_cost(f) <= MAX_SPECIAL_COST)
        find_deciders(&d, f);
    while (n < d.fields.len && (combos << d.fields.data[n]->width) <= MAX_HANDLERS)
        combos <<= d.fields.data[n++]->width;
    for (unsigned k = 0; k < combos; k++) {
        u128 values[MAX_HANDLERS];
        unsigned rest = k;
        struct handler *h;
        struct ir_func *own = f;
        const char *name = m->form->name;

        for (unsigned i = 0; i < n; i++) {
            unsigned width = d.fields.data[i]->width;

            values[i] = rest & ((1u << width) - 1);
            rest >>= width;
            name = arena_printf(m->e->arena, "%s_%s%u", name, d.fields.data[i]->name,
                                (unsigned)values[i]);
        }
        if (n)
            own = ir_specialise(f->arena, f, name, n, d.fields.data, values);
        if (feature >= 0)
            name = arena_printf(m->e->arena, "%s_with_%s", name,
                                m->e->model->features.data[feature]->name);
        h = new_handler(m, own, name);
        h->feature = feature;
        for (unsigned i = 0; i < n; i++) {
            vec_push_in(m->e->arena, &h->fields, d.fields.data[i]);
            vec_push_in(m->e->arena, &h->values, values[i]);
        }
    }
}

handler_list handlers_make(struct emit *e)
{
    handler_list handlers = {0};

    vec_for_each (&e->isa->forms, form) {
        struct maker m = {e, *form, &handlers, NULL};
        struct deciders d = {.e = e, .feature = -1};
        struct ir_func *f;

        if (!(*form)->exec)
            continue;
        f = for_interpreter(e, (*form)->exec);
        m.jit = for_translator(e, (*form)->exec);
        ir_pass_fixedness(f);
        find_deciders(&d, f);
        if (d.feature < 0) {
            make_specialised(&m, f, -1);
            continue;
        }
        make_specialised(&m, usual_feature(e, f, d.feature), d.feature);
        new_handler(&m, f, (*form)->name);
    }
    return handlers;
}

/* ---- writing them ---------------------------------------------------------------------------- */

static void go_on(struct body *b, const struct ir_value *end)
{
    if (end->op == IR_UNREACHABLE)
        c_dialect.leave(b, end);
    else
        fputs("    NEXT(cpu, i);\n", b->o);
}

static void end_block(struct body *b, const struct ir_value *end)
{
    if (end->op == IR_UNREACHABLE)
        c_dialect.leave(b, end);
    else
        fputs("    return;\n", b->o);
}

static const struct dialect handler_dialect = {.base = &c_dialect, .leave = go_on};
static const struct dialect last_handler_dialect = {.base = &c_dialect, .leave = end_block};

void handler_declare(struct emit *e, FILE *o, const struct handler *h, struct pool *known)
{
    if (h->operands.len && pool_name(e->arena, known, h->layout, h->layout) == h->layout) {
        fprintf(o, "struct %s {", h->layout);
        operands_members(e, o, &h->operands);
        fputs(" };\n", o);
    }
    fprintf(o, "void %s_h_%s(CPU_ARGS);\n", e->prefix, h->name);
}

static void write_handler(struct emit *e, FILE *o, struct handler *h)
{
    struct body b = body_new(e, o, h->f, h->ends_block ? &last_handler_dialect : &handler_dialect);
    unsigned bytes;

    operands_find(&b);
    operands_share(&b);
    operands_sort(&b);
    h->operands = b.operands;
    h->layout = operands_layout(e, &h->operands);
    bytes = operands_bytes(&h->operands);
    if (bytes > e->max_operand_bytes)
        e->max_operand_bytes = bytes;
    body_plan(&b);
    body_where_from(o, h->f);
    fprintf(o, "void %s_h_%s(CPU_ARGS)\n{\n", e->prefix, h->name);
    if (h->operands.len)
        fprintf(o, "    const struct %s *o = (const void *)(i + 1);\n", h->layout);
    if (h->ends_block)
        fprintf(o, "    cpu->pc = CPU_PC(cpu, i) + %u;\n", h->form->instr->format->width / 8);
    body_write(&b);
    fputs("}\n\n", o);
}

static bool file_of_part(struct emit *e, const handler_list *handlers, unsigned part)
{
    struct pool known = {0};
    struct piece bodies;
    struct out o;

    if (!piece_open(e, &bodies) ||
        !out_open(e, &o, arena_printf(e->arena, "%s_exec_%u.c", e->prefix, part)))
        return false;
    fprintf(o.f, "#include \"%s_internal.h\"\n\n", e->prefix);
    vec_for_each (handlers, h) {
        if (part_of(e, (*h)->form) != part)
            continue;
        write_handler(e, bodies.f, *h);
        handler_declare(e, o.f, *h, &known);
    }
    fprintf(o.f, "\n%s", piece_close(&bodies));
    free(bodies.text);
    return out_close(e, &o);
}

bool emit_handlers(struct emit *e, const handler_list *handlers)
{
    bool ok = true;

    for (unsigned i = 0; i < e->opt->parts; i++)
        ok &= file_of_part(e, handlers, i);
    return ok;
}
