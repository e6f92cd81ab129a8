/*
 * Handlers: one C function a form, or several where a small field or a feature decides what the
 * behaviour does.
 */
#include "gencc/emit/lane.h"

#include <ctype.h>
#include <string.h>

enum {
    MAX_HANDLERS = 8, /* of one form */
    MAX_SPECIAL_WIDTH = 2,
    MAX_SPECIAL_COST = 400, /* larger behaviours are not worth copying */
    JIT_INLINE_BUDGET = 1000,
    MAX_JIT_ROUNDS = 10,
};

/* ---- which fields decide --------------------------------------------------------------------- */

struct deciders {
    struct emit *e;
    VEC(struct field *) fields;
    int feature;
};

static bool reaches_field(struct deciders *d, const struct ir_value *v, unsigned depth)
{
    if (depth > 8 || !v->fixed)
        return false;
    if (v->op == IR_FIELD && !v->field->computed && v->field->width <= MAX_SPECIAL_WIDTH) {
        vec_for_each (&d->fields, f)
            if (*f == v->field)
                return true;
        vec_push(d->e->arena, &d->fields, v->field);
        return true;
    }
    if (ir_is_intrinsic(v, IR_I_GET_FEATURE) && v->ops.at[0]->op == IR_CONST && d->feature < 0 &&
        d->e->model->features.at[(unsigned)v->ops.at[0]->imm]->value) {
        d->feature = (int)v->ops.at[0]->imm;
        return true;
    }
    if (v->op == IR_FIELD || v->op == IR_PHI || !ir_is_pure(v))
        return false;
    vec_for_each (&v->ops, op)
        reaches_field(d, *op, depth + 1);
    return true;
}

static void find_deciders(struct deciders *d, struct ir_func *f)
{
    vec_for_each (&f->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_CBR || v->op == IR_SWITCH || v->op == IR_SELECT)
                reaches_field(d, v->ops.at[0], 0);
    }
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

static struct handler *new_handler(struct emit *e, struct form *form, struct ir_func *f)
{
    struct handler *h = arena_new(e->arena, struct handler);

    h->form = form;
    h->f = f;
    h->feature = -1;
    h->name = form->name;
    h->ends_block = ends_block(f) || form->instr->end_of_block;
    vec_push(e->arena, &e->handlers, h);
    return h;
}

/* A feature that is set by default is the usual case: it gets a handler of its own, in which the
 * feature is the constant it is by default. */
static struct ir_func *usual_feature(struct emit *e, struct ir_func *f, int feature)
{
    struct ir_func *copy = ir_clone(f, f->name);

    vec_for_each (&copy->blocks, b) {
        for (struct ir_value *v = (*b)->first, *next; v; v = next) {
            next = v->next;
            if (!ir_is_intrinsic(v, IR_I_GET_FEATURE) || v->ops.at[0]->op != IR_CONST ||
                v->ops.at[0]->imm != (u128)feature)
                continue;
            /* It becomes the constant itself. */
            v->op = IR_CONST;
            v->ops.count = 0;
            v->imm = e->model->features.at[feature]->value;
        }
    }
    ir_optimise(copy, NULL);
    return copy;
}

/* ---- tiers ----------------------------------------------------------------------------------- */

/* Answers __builtin_translated(); false when the function does not ask. */
static bool answer_tier(struct ir_func *f, bool translated)
{
    bool asks = false;

    vec_for_each (&f->blocks, b) {
        for (struct ir_value *v = (*b)->first; v; v = v->next) {
            if (!ir_is_intrinsic(v, IR_I_TRANSLATED))
                continue;
            v->op = IR_CONST;
            v->ops.count = 0;
            v->imm = translated;
            asks = true;
        }
    }
    return asks;
}

static struct ir_func *for_interpreter(struct ir_func *f)
{
    struct ir_func *copy = ir_clone(f, f->name);

    if (!answer_tier(copy, false))
        return f;
    ir_optimise(copy, NULL);
    return copy;
}

/* With most calls inlined: a call makes translated code give up all it knows of registers. NULL when
 * the interpreter's is as good. */
static struct ir_func *for_translator(struct emit *e, struct ir_func *f)
{
    struct ir_func *copy = e->opt->jit ? ir_clone(f, f->name) : NULL;
    bool changed = copy && answer_tier(copy, true);

    for (unsigned round = 0; copy && round < MAX_JIT_ROUNDS; round++) {
        if (!ir_pass_inline(copy, JIT_INLINE_BUDGET))
            break;
        answer_tier(copy, true);
        ir_optimise(copy, NULL);
        changed = true;
    }
    if (changed)
        ir_optimise(copy, NULL);
    return changed ? copy : NULL;
}

/* ---- handlers of a form ---------------------------------------------------------------------- */

/* A behaviour, as the tiers have it. */
struct tiers {
    struct ir_func *f, *jit;
};

static void specialise(struct emit *e, struct form *form, struct tiers t, int feature)
{
    struct ir_func *f = t.f;
    struct deciders d = {.e = e, .feature = 0};
    unsigned combos = 1, n = 0;

    if (ir_cost(f) <= MAX_SPECIAL_COST)
        find_deciders(&d, f);
    while (n < d.fields.count && (combos << d.fields.at[n]->width) <= MAX_HANDLERS)
        combos <<= d.fields.at[n++]->width;
    for (unsigned k = 0; k < combos; k++) {
        u128 values[MAX_HANDLERS];
        unsigned rest = k;
        struct handler *h;
        const char *name = form->name;

        for (unsigned i = 0; i < n; i++) {
            unsigned width = d.fields.at[i]->width;

            values[i] = rest & ((1u << width) - 1);
            rest >>= width;
            name =
                arena_printf(e->arena, "%s_%s%u", name, d.fields.at[i]->name, (unsigned)values[i]);
        }
        h = new_handler(e, form, n ? ir_specialise(f, name, n, d.fields.at, values) : f);
        h->jit = n && t.jit ? ir_specialise(t.jit, name, n, d.fields.at, values) : t.jit;
        h->name = feature >= 0 ? arena_printf(e->arena, "%s_with_%s", name,
                                              e->model->features.at[feature]->name)
                               : name;
        h->feature = feature;
        h->ends_block = ends_block(h->f) || form->instr->end_of_block;
        for (unsigned i = 0; i < n; i++) {
            vec_push(e->arena, &h->fields, d.fields.at[i]);
            vec_push(e->arena, &h->values, values[i]);
        }
    }
}

void make_handlers(struct emit *e)
{
    vec_for_each (&e->isa->forms, it) {
        struct form *form = *it;
        struct deciders d = {.e = e, .feature = -1};
        struct tiers t, usual = {0};

        if (!form->exec)
            continue;
        t.f = for_interpreter(form->exec);
        t.jit = for_translator(e, form->exec);
        ir_pass_fixedness(t.f);
        find_deciders(&d, t.f);
        if (d.feature < 0) {
            specialise(e, form, t, -1);
            continue;
        }
        usual.f = usual_feature(e, t.f, d.feature);
        if (t.jit)
            usual.jit = usual_feature(e, t.jit, d.feature);
        specialise(e, form, usual, d.feature);
        new_handler(e, form, t.f)->name = form->name;
    }
}

/* ---- writing them ---------------------------------------------------------------------------- */

static struct cfn start(struct emit *e, FILE *o, struct ir_func *f, enum cfn_kind kind)
{
    struct cfn c = {.e = e, .o = o, .f = f, .kind = kind};

    c.at = arena_alloc(e->arena, f->next_value * sizeof *c.at);
    return c;
}

static unsigned struct_bytes(const struct handler *h)
{
    unsigned bytes = 0;

    for (unsigned size = 8; size; size /= 2)
        for (unsigned i = 0; i < h->operands.count; i++)
            if (ir_bytes(h->operands.at[i].stored) == size)
                bytes += size;
    return (bytes + 7) & ~7u;
}

/* Widest first, so that the structure has no holes. */
static void sort_operands(struct cfn *c, struct handler *h)
{
    VEC(struct operand) sorted = {0};

    for (unsigned size = 8; size; size /= 2)
        vec_for_each (&c->operands, o)
            if (ir_bytes(o->stored) == size)
                vec_push(c->e->arena, &sorted, *o);
    for (unsigned i = 0; i < sorted.count; i++)
        c->at[sorted.at[i].value->id].operand = i;
    memcpy(&c->operands, &sorted, sizeof sorted);
    memcpy(&h->operands, &sorted, sizeof sorted);
}

static void write_handler(struct emit *e, FILE *o, struct handler *h)
{
    struct cfn c = start(e, o, h->f, CFN_HANDLER);

    c.ends_block = h->ends_block;
    find_operands(&c);
    sort_operands(&c, h);
    h->operand_bytes = struct_bytes(h);
    if (h->operand_bytes > e->max_operand_bytes)
        e->max_operand_bytes = h->operand_bytes;
    cfn_plan(&c);
    cfn_where_from(o, h->f);
    fprintf(o, "void %s_h_%s(CPU_ARGS)\n{\n", e->p, h->name);
    if (h->operands.count)
        fprintf(o, "    const struct %s_o_%s *o = (const void *)(i + 1);\n", e->p, h->name);
    if (h->ends_block)
        fprintf(o, "    cpu->pc = CPU_PC(cpu, i) + %u;\n", h->form->instr->format->width / 8);
    cfn_body(&c);
    fputs("}\n\n", o);
}

static bool file_of_part(struct emit *e, unsigned part, unsigned parts)
{
    struct out o;
    unsigned n = e->handlers.count;

    if (!out_open(e, &o, arena_printf(e->arena, "%s_exec_%u.c", e->p, part)))
        return false;
    fprintf(o.f, "#include \"%s_internal.h\"\n\n", e->p);
    for (unsigned i = n * part / parts; i < n * (part + 1) / parts; i++)
        write_handler(e, o.f, e->handlers.at[i]);
    return out_close(e, &o);
}

bool emit_handlers(struct emit *e)
{
    bool ok = true;

    for (unsigned i = 0; i < e->opt->parts; i++)
        ok &= file_of_part(e, i, e->opt->parts);
    return ok;
}

/* ---- helpers --------------------------------------------------------------------------------- */

static void mark_called(struct ir_func *f, uint64_t stamp)
{
    vec_for_each (&f->blocks, b) {
        if ((*b) == f->blocks.at[0]) {
            if ((*b)->mark == stamp)
                return;
            (*b)->mark = stamp;
        }
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_CALL)
                mark_called(v->callee, stamp);
    }
}

enum { CALLED = 0x63616c6c }; /* mark of the entry block of functions that are needed */

static bool is_helper(const struct ir_func *f)
{
    return f->kind == IR_FUNC_HELPER || f->kind == IR_FUNC_EXPORT;
}

bool emit_helpers(struct emit *e)
{
    struct out o;

    vec_for_each (&e->isa->funcs, f) {
        if (is_helper(*f) && answer_tier(*f, false))
            ir_optimise(*f, NULL);
        if ((*f)->blocks.count)
            (*f)->blocks.at[0]->mark = 0;
    }
    vec_for_each (&e->handlers, h) {
        mark_called((*h)->f, CALLED);
        if ((*h)->jit)
            mark_called((*h)->jit, CALLED);
    }
    vec_for_each (&e->lanes, h)
        mark_called((*h)->f, CALLED);
    vec_for_each (&e->isa->forms, form)
        if ((*form)->decode)
            mark_called((*form)->decode, CALLED);
    vec_for_each (&e->isa->funcs, f) {
        /* Pure ones may be called by functions that are still to be made, for assembly text. */
        bool needed =
            (*f)->kind == IR_FUNC_EXPORT || !strncmp((*f)->name, "sysreg_", 7) || (*f)->is_pure;

        if (needed && is_helper(*f))
            mark_called(*f, CALLED);
    }
    if (!out_open(e, &o, arena_printf(e->arena, "%s_helpers.c", e->p)))
        return false;
    fprintf(o.f, "#include \"%s_internal.h\"\n\n", e->p);
    vec_for_each (&e->isa->funcs, it) {
        struct ir_func *f = *it;
        struct cfn c;

        if (!is_helper(f) || f->blocks.at[0]->mark != CALLED)
            continue;
        c = start(e, o.f, f, CFN_HELPER);
        for (unsigned i = 0; i < f->next_value; i++)
            c.at[i].place = PLACE_LOCAL;
        cfn_plan(&c);
        cfn_where_from(o.f, f);
        helper_prototype(e, o.f, f);
        fputs("\n{\n", o.f);
        cfn_body(&c);
        fputs("}\n\n", o.f);
    }
    return out_close(e, &o);
}
