/*
 * Lowers an ISA: decode and execute functions of its forms, exported helpers, behaviours.
 */
#include "gencc/lower/internal.h"

#include <string.h>

struct lower *lower_of(const struct isa *isa)
{
    return isa->lowered;
}

/* ---- decode functions ------------------------------------------------------------------------ */

/* Makes variables of the fields: a decode function reads and sets them in order. */
static bool decode_fields(struct fn *fn, const struct format *fmt)
{
    vec_for_each (&fmt->fields, it) {
        struct field *f = *it;
        struct scope_var *v;
        struct rv value = {0};

        if (!f->computed)
            continue;
        if (f->bits) {
            value = rv_value(ir_field(&fn->b, f->bits));
        } else if (f->value) {
            value = lower_expr_as(fn, f->value, f->type);
            if (!value.ok)
                return false;
        } else {
            value = rv_value(ir_const(&fn->b, f->type, 0));
        }
        v = fn_declare(fn, f->name, f->type, f->pos);
        ir_var_write(&fn->b, v->var, value.v);
    }
    return true;
}

static void store_fields(struct fn *fn, const struct format *fmt)
{
    vec_for_each (&fmt->fields, it) {
        struct scope_var *v = (*it)->computed ? fn_var(fn, (*it)->name) : NULL;
        struct ir_value *w, *value;

        if (!v)
            continue;
        value = ir_var_read(&fn->b, v->var);
        w = ir_emit(&fn->b, IR_FIELD_WRITE, IR_T_VOID, 1, &value);
        w->field = *it;
    }
}

static void check_where(struct fn *fn, const struct ast_expr *e)
{
    struct rv c = rv_typed(fn, lower_condition(fn, e));
    struct ir_block *ok, *reject;

    if (!c.ok)
        return;
    ok = ir_block_new(fn->func, "ok");
    reject = ir_block_new(fn->func, "reject");
    ir_cbr(&fn->b, c.v, ok, reject);
    fn->b.block = reject;
    fn_raise(fn, e->pos);
    fn->b.block = ok;
    fn->is_dead = false;
}

/* Binds the template parameters that the form's row of the family gives. */
static void bind_row(struct fn *fn, const struct form *form)
{
    const struct family *fam = form->instr->family;
    const struct family_row *row;

    if (!fam || form->row < 0)
        return;
    row = &fam->rows.data[form->row];
    for (unsigned i = 0; i < fam->fields.len; i++) {
        struct binding b = {.value = (__int128)row->keys.data[i]};

        b.name = arena_printf(fn->lo->arena, "inst.%s", fam->fields.data[i]);
        vec_push_in(fn->lo->arena, &fn->binds, b);
    }
    for (unsigned i = 0; i < fam->tparams.len; i++) {
        const struct ast_tparam *p = &fam->tparams.data[i];
        const struct ast_targ *a = &row->values.data[i];
        struct binding b = {.name = p->name, .is_type = p->is_type};

        /* The model checked that each value is of its parameter's kind. */
        if (p->is_type ? lower_type(fn, a->type, &b.type) : lower_constant(fn, a->expr, &b.value))
            vec_push_in(fn->lo->arena, &fn->binds, b);
    }
}

static struct ir_func *decode_function(struct lower *lo, struct form *form)
{
    struct format *fmt = form->instr->format;
    struct fn fn;

    fn_begin(&fn, lo, arena_printf(lo->arena, "decode_%s", form->name), IR_FUNC_DECODE,
             form->instr->pos);
    fn.result = fn.func->result = IR_T_U8;
    fn.func->format = fn.format = fmt;
    fn.func->form = form;
    fn.bare_fields = fn.in_decode = true;
    bind_row(&fn, form);
    if (!decode_fields(&fn, fmt))
        return NULL;
    if (fmt->decode && fmt->decode->broken)
        return NULL;
    if (fmt->decode) {
        fn.c_rules = true;
        lower_stmt(&fn, fmt->decode->body);
        fn.c_rules = false;
    }
    vec_for_each (&form->instr->where, w)
        check_where(&fn, *w);
    if (!fn.is_dead) {
        store_fields(&fn, fmt);
        fn_return(&fn, 1, (struct ir_value *[]){ir_const(&fn.b, IR_T_U8, 1)});
    }
    return fn_finish(&fn) ? fn.func : NULL;
}

/* ---- execute functions ----------------------------------------------------------------------- */

static struct ast_expr *new_expression(struct fn *fn, enum ast_expr_kind kind, enum ast_op op,
                                       struct ast_expr *a, struct ast_expr *b)
{
    struct ast_expr *e = arena_new(fn->lo->arena, struct ast_expr);

    *e = (struct ast_expr){.kind = kind, .op = op, .pos = fn->func->pos, .a = a, .b = b};
    return e;
}

static struct ast_expr *call_of(struct fn *fn, const char *name)
{
    struct ast_expr *call = new_expression(fn, AST_CALL, AST_OP_NONE, NULL, NULL);
    struct ast_expr *inst = new_expression(fn, AST_NAME, AST_OP_NONE, NULL, NULL);

    call->name = name;
    inst->name = "inst";
    vec_push_in(fn->lo->arena, &call->args, inst);
    return call;
}

/* The predicate of published models: two helpers with fixed names say whether an instruction has a
 * condition, and whether it holds. Instructions of a format with @notpred have none. */
static struct ast_expr *published_predicate(struct fn *fn)
{
    static const char is_predicated[] = "instruction_is_predicated";
    static const char predicate[] = "instruction_predicate";
    const struct isa *isa = fn->lo->isa;
    struct ast_expr *none;

    if (!isa->published || isa->ast->predicated || fn->format->ast->attrs.len ||
        !lower_has(fn->lo, AST_HELPER, is_predicated) || !lower_has(fn->lo, AST_HELPER, predicate))
        return NULL;
    none = new_expression(fn, AST_UNARY, AST_OP_LNOT, call_of(fn, is_predicated), NULL);
    return new_expression(fn, AST_BINARY, AST_OP_LOR, none, call_of(fn, predicate));
}

/* Branches around the instruction if its predicate does not hold. Returns the block where both
 * paths join, or NULL. */
static struct ir_block *begin_predicated(struct fn *fn, const struct ast_expr *predicate)
{
    struct ast_expr *published = predicate ? NULL : published_predicate(fn);
    struct ir_block *go, *end;
    struct rv c;

    if (!predicate && !published)
        return NULL;
    fn->bare_fields = fn->in_predicate = !published;
    c = rv_typed(fn, lower_condition(fn, published ? published : predicate));
    fn->bare_fields = fn->in_predicate = false;
    if (!c.ok)
        return NULL;
    go = ir_block_new(fn->func, "go");
    end = ir_block_new(fn->func, "end");
    ir_cbr(&fn->b, c.v, go, end);
    fn->b.block = go;
    return end;
}

static void end_predicated(struct fn *fn, struct ir_block *end)
{
    if (!fn->is_dead)
        ir_br(&fn->b, end);
    fn->b.block = end;
    fn->is_dead = false;
}

/* An instruction is executed in the mode of the ISA that decoded it, so get_cpu_mode() is
 * constant. */
static void settle_mode(const struct lower *lo, struct ir_func *f)
{
    if (ir_replace_intrinsic(f, IR_I_GET_CPU_MODE, 0, lo->isa->index) &&
        lo->level == LOWER_OPTIMISE)
        ir_optimise(f, NULL);
}

/* Lowers a hook, or an instruction's body that a hook follows. A `return` in it jumps to what
 * follows, not to the end of the behaviour. */
static void lower_part(struct fn *fn, const struct ast_stmt *body)
{
    fn->leave = ir_block_new(fn->func, "leave");
    lower_stmt(fn, body);
    if (!fn->is_dead)
        ir_br(&fn->b, fn->leave);
    fn->b.block = fn->leave;
    fn->leave = NULL;
    fn->is_dead = fn->dead_reported = false;
}

/* Lowers the behaviour of a form: the instruction under its condition, between the hooks. */
static void lower_execute(struct fn *fn, const struct instr *in)
{
    const struct isa *isa = fn->lo->isa;
    struct ir_block *end;

    if (isa->before)
        lower_part(fn, isa->before->body);
    end = begin_predicated(fn, in->predicate);
    if (isa->after)
        lower_part(fn, in->execute->body);
    else
        lower_stmt(fn, in->execute->body);
    if (end)
        end_predicated(fn, end);
    if (isa->after)
        lower_stmt(fn, isa->after->body);
}

static struct ir_func *execute_function(struct lower *lo, struct form *form)
{
    struct instr *in = form->instr;
    unsigned errors = lo->diag->errors;
    struct fn fn;

    if (!in->execute || in->execute->broken || (lo->isa->before && lo->isa->before->broken) ||
        (lo->isa->after && lo->isa->after->broken))
        return NULL;
    fn_begin(&fn, lo, arena_printf(lo->arena, "exec_%s", form->name), IR_FUNC_EXECUTE,
             in->execute->pos);
    fn.func->format = fn.format = in->format;
    fn.func->form = form;
    bind_row(&fn, form);
    lower_begin_instruction(&fn);
    lower_execute(&fn, in);
    if (fn_finish(&fn)) {
        settle_mode(lo, fn.func);
        return fn.func;
    }
    if (lo->diag->errors != errors && form->row >= 0)
        diag_note(lo->diag, in->family->rows.data[form->row].pos, "expanding '%s' for this row",
                  form->name);
    return NULL;
}

/* ---- published special behaviours ------------------------------------------------------------ */

/* behaviour(name) is a function that the published simulator calls by name. It is C++, so it is
 * only reported. */
static void report_behaviour(const struct lower *lo, const struct def_entry *e)
{
    if (lo->isa->published)
        diag_warning(lo->diag, WARN_PUBLISHED, e->def->pos, "'%s' is ignored: nothing calls it",
                     e->def->name);
    else
        diag_error(lo->diag, e->def->pos,
                   "nothing calls '%s'; the runtime calls helpers with 'export'", e->def->name);
}

/* ---- everything ------------------------------------------------------------------------------ */

/* Checks the signature of a helper that the runtime calls by name (docs/describe/genc.md, 8). */
static void check_entry_point(struct lower *lo, const struct ir_func *f)
{
    static const struct {
        const char *name;
        unsigned params, outs;
        bool has_result;
        const char *shape;
    } known[] = {
        {"reset", 0, 0, false, "void reset()"},
        {"handle_exception", 2, 0, false, "void handle_exception(uint32 class, uint64 code)"},
        {"undefined", 0, 0, false, "void undefined()"},
        {"memory_fault", 3, 0, false, "void memory_fault(word va, uint32 access, uint32 code)"},
        {"translate", 5, 2, true,
         "uint32 translate(word va, uint32 access, uint32 ring, uint64 &pa, uint32 &flags)"},
        {"interrupt", 1, 0, true, "uint8 interrupt(uint32 lines)"},
        {"clear_monitor", 0, 0, false, "void clear_monitor()"},
        {"step", 0, 0, true, "uint8 step()"},
        {"breakpoint", 0, 0, true, "uint8 breakpoint()"},
        {"watchpoint", 4, 0, true,
         "uint32 watchpoint(word va, uint32 bytes, uint32 access, uint32 ring)"},
        {"hwcaps", 1, 0, true, "uint64 hwcaps(uint32 word)"},
        {"leave_call", 0, 0, false, "void leave_call()"},
        {"user_value", 1, 0, true, "uint64 user_value(uint32 number)"},
        {"set_user_value", 2, 0, false, "void set_user_value(uint32 number, uint64 value)"},
    };
    bool scalars = !ir_is_vector(f->result);

    vec_for_each (&f->params, t)
        scalars &= !ir_is_vector(*t);
    for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++) {
        if (strcmp(known[i].name, f->name))
            continue;
        if (!scalars || f->params.len != known[i].params || f->outs.len != known[i].outs ||
            ir_is_void(f->result) == known[i].has_result)
            diag_error(lo->diag, f->pos, "the runtime calls this helper as %s", known[i].shape);
    }
}

static void lower_plain_helpers(struct lower *lo)
{
    struct fn nobody = {.lo = lo};
    bindings none = {0};

    vec_for_each (&lo->entries, it) {
        struct def_entry *e = *it;
        struct instance *inst;

        if (e->def->kind == AST_EXTERNAL)
            lower_external(&nobody, e);
        if (e->def->kind == AST_BEHAVIOUR || e->def->kind == AST_SYSTEM)
            report_behaviour(lo, e);
        if (e->def->kind != AST_HELPER || e->def->tparams.len || lower_takes_instruction(e->def))
            continue;
        inst = lower_instance(&nobody, e, &none, e->def->pos);
        if (!inst || !inst->func || inst->func->kind != IR_FUNC_EXPORT)
            continue;
        check_entry_point(lo, inst->func);
        vec_push_in(lo->arena, &lo->isa->exports, inst->func);
    }
}

void lower_judge_unused(struct isa *isa)
{
    struct lower *lo = isa->lowered;

    vec_for_each (&lo->entries, it) {
        const struct ast_def *d = (*it)->def;

        if (d->kind == AST_HELPER &&
            !(d->attrs & (AST_ATTR_EXPORT | AST_ATTR_PUBLIC | AST_ATTR_GLOBAL)))
            diag_judge(lo->diag, WARN_UNUSED_HELPER, d->pos, !(*it)->used,
                       "helper '%s' is never used", d->name);
    }
}

/* Whether the function ends its block: itself or through a callee. */
static bool calls_end_block(const struct ir_func *f)
{
    vec_for_each (&f->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            if (v->op == IR_CALL && v->callee->ends_block)
                return true;
            if (v->op == IR_INTRINSIC && (v->fn->flags & IR_FN_ENDS_BLOCK))
                return true;
        }
    }
    return false;
}

static void propagate_ends_block(struct isa *isa)
{
    vec_for_each (&isa->funcs, f)
        (*f)->ends_block = calls_end_block(*f);
}

static bool is_decoded(const struct isa *isa, unsigned bits)
{
    vec_for_each (&isa->word_widths, w)
        if (w->bits == bits)
            return true;
    return bits == isa->fetch_bits;
}

/* The model allows words of any width; a decoder in C supports those that are fetched at once. */
static void check_words(struct lower *lo)
{
    const struct isa *isa = lo->isa;
    unsigned bits = isa->fetch_bits;

    if (isa->bundle)
        return;
    if (!lo->model->is_lane && bits != 8 && bits != 16 && bits != 32) {
        diag_error(lo->diag, isa->ast->pos,
                   "words of %u bits cannot be fetched; ac_fetchsize is 8, 16 or 32", bits);
        return;
    }
    vec_for_each (&isa->instrs, it) {
        const struct instr *i = *it;

        if (is_decoded(isa, i->format->width))
            continue;
        diag_error(
            lo->diag, i->pos,
            "instruction '%s' has %u bits; only words of ac_fetchsize, %u bits, and those of "
            "ac_widths are decoded",
            i->name, i->format->width, bits);
        if (!i->format->ast->of_block)
            diag_note(lo->diag, i->format->pos, "its format is here");
    }
}

/* Lowers the helper that computes the decode context of the next instruction. */
static void lower_context_helper(struct lower *lo)
{
    struct context *c = &lo->isa->context;
    struct fn nobody = {.lo = lo};
    struct src_pos pos = lo->isa->ast->context.advance_pos;
    struct def_entry *e = c->slot ? lower_find(lo, AST_HELPER, c->advance) : NULL;
    struct instance *inst;
    bindings none = {0};
    bool pure;

    if (!c->slot)
        return;
    if (!e || e->def->tparams.len) {
        diag_error(lo->diag, pos, "there is no helper '%s' that returns the next context",
                   c->advance);
        return;
    }
    inst = lower_instance(&nobody, e, &none, pos);
    if (!inst || !inst->func)
        return;
    c->advance_fn = inst->func;
    /* purity is unknown before optimisation */
    pure = inst->func->is_pure || lo->level == LOWER_CHECK;
    if (inst->func->params.len != 1 || inst->func->outs.len || !pure ||
        !ir_type_eq(inst->func->params.data[0], IR_T_U8) ||
        !ir_type_eq(inst->func->result, IR_T_U8))
        diag_error(lo->diag, pos, "the context is carried on by a pure helper, uint8 %s(uint8)",
                   c->advance);
}

struct ir_func *lower_decode(struct form *form)
{
    if (!form->has_decode)
        form->decode = decode_function(lower_of(form->isa), form);
    form->has_decode = true;
    return form->decode;
}

struct ir_func *lower_exec(struct form *form)
{
    /* After an error in decoding the body is not lowered, since it would report the same error. */
    if (!form->has_exec && lower_decode(form))
        form->exec = execute_function(lower_of(form->isa), form);
    form->has_exec = true;
    return form->exec;
}

bool lower_isa(struct isa *isa, enum lower_level level)
{
    struct model *m = isa->model;
    struct lower *lo = arena_new(m->arena, struct lower);
    unsigned errors = m->diag->errors;

    *lo =
        (struct lower){.isa = isa, .model = m, .arena = m->arena, .diag = m->diag, .level = level};
    lo->word = ir_type(IR_UINT, m->word_bits > 32 ? 64 : 32, 1);
    isa->lowered = lo;
    check_words(lo);
    lower_collect(lo);
    lower_records(lo);
    lower_sysregs(lo);
    lower_plain_helpers(lo);
    lower_context_helper(lo);
    if (isa->bundle && m->diag->errors == errors)
        lower_check_bundle(lo);
    if (level != LOWER_WORDS)
        vec_for_each (&isa->forms, form)
            lower_exec(*form);
    propagate_ends_block(isa);
    return m->diag->errors == errors;
}

static struct ir_value *field_expr(struct fn *fn, struct ir_builder *b, const struct ast_expr *e)
{
    struct rv r;

    fn->func = b->func;
    fn->b = *b;
    r = rv_typed(fn, lower_expr(fn, e));
    *b = fn->b;
    return r.ok ? r.v : NULL;
}

struct ir_value *lower_field_expr(struct lower *lo, struct ir_builder *b, struct format *fmt,
                                  const struct ast_expr *e)
{
    return field_expr(&(struct fn){.lo = lo, .format = fmt, .bare_fields = true}, b, e);
}

struct ir_value *lower_raw_expr(struct lower *lo, struct ir_builder *b, struct format *fmt,
                                const struct ast_expr *e)
{
    struct fn fn = {.lo = lo, .format = fmt, .bare_fields = true, .raw_fields = true};

    return field_expr(&fn, b, e);
}
