/*
 * Lowers functions: helpers with bound template parameters.
 */
#include "gencc/lower/internal.h"

#include <ctype.h>
#include <string.h>

/* Deepest nesting of helpers that are lowered because another calls them; stops endless
 * expansion. */
enum { MAX_NESTING = 200, SHOWN_NESTING = 4 };

void fn_begin(struct fn *fn, struct lower *lo, const char *name, enum ir_func_kind kind,
              struct src_pos pos)
{
    *fn = (struct fn){.lo = lo};
    fn->func = ir_func_new(lo->arena, name, kind);
    fn->func->pos = pos;
    fn->func->unset_warns = lo->isa->published;
    fn->b.func = fn->func;
    fn->b.pos = pos;
    fn->b.block = ir_block_new(fn->func, "entry");
    fn->result = IR_T_VOID;
    fn->errors_before = lo->diag->errors;
}

/* Ends blocks without a terminator, after a noreturn call or the last return, as unreachable. */
static void close_open_blocks(struct fn *fn)
{
    struct ir_block *here = fn->b.block;

    vec_for_each (&fn->func->blocks, b) {
        if ((*b)->last && ir_is_term((*b)->last))
            continue;
        fn->b.block = *b;
        ir_unreachable(&fn->b);
    }
    fn->b.block = here;
}

bool fn_finish(struct fn *fn)
{
    struct lower *lo = fn->lo;
    unsigned errors;

    if (fn->failed)
        return false;
    if (!fn->is_dead) {
        if (ir_is_void(fn->result) && !fn->record)
            fn_return(fn, 0, NULL);
        else if (lo->diag->errors == fn->errors_before)
            diag_error(lo->diag, fn->func->pos, "'%s' can end without returning a value",
                       fn->func->name);
    }
    if (lo->diag->errors != fn->errors_before)
        return false;
    close_open_blocks(fn);
    errors = lo->diag->errors;
    ir_compute_preds(fn->func);
    judge_variables(fn);
    ir_pass_ssa(fn->func, lo->diag);
    if (lo->diag->errors != errors)
        return false;
    if (lo->level == LOWER_OPTIMISE ||
        (lo->level == LOWER_WORDS && fn->func->kind != IR_FUNC_EXECUTE))
        ir_optimise(fn->func, lo->diag);
    vec_push_in(lo->arena, &lo->isa->funcs, fn->func);
    return true;
}

/* ---- helpers --------------------------------------------------------------------------------- */

static const char *instance_name(struct lower *lo, const struct ast_def *def, const bindings *binds)
{
    char *name = arena_strdup(lo->arena, def->name);

    vec_for_each (binds, b) {
        char type[32];

        if (b->is_type)
            name = arena_printf(lo->arena, "%s_%s", name, ir_type_name(b->type, type));
        else
            name = arena_printf(lo->arena, "%s_%s%lld", name, b->value < 0 ? "m" : "",
                                (long long)(b->value < 0 ? -b->value : b->value));
    }
    for (char *p = name; *p; p++) {
        if (*p == '[')
            *p = 'x';
        if (*p == ']')
            memmove(p, p + 1, strlen(p));
        if (*p && !isalnum((unsigned char)*p))
            *p = '_';
    }
    return name;
}

static bool same_bindings(const bindings *a, const bindings *b)
{
    if (a->len != b->len)
        return false;
    for (unsigned i = 0; i < a->len; i++) {
        const struct binding *x = &a->data[i], *y = &b->data[i];

        if (x->is_type ? !ir_type_eq(x->type, y->type) : x->value != y->value)
            return false;
    }
    return true;
}

/* Sorts the bindings by template parameter, so that equal instances compare equal. */
static bindings sort_bindings(struct lower *lo, const struct ast_def *def, const bindings *binds)
{
    bindings out = {0};

    vec_for_each (&def->tparams, p)
        vec_for_each (binds, b)
            if (!strcmp(b->name, p->name))
                vec_push_in(lo->arena, &out, *b);
    return out;
}

static void add_parameter(struct fn *fn, const char *name, struct ir_type t, bool is_ref)
{
    vec_push_in(fn->lo->arena, &fn->func->params, t);
    vec_push_in(fn->lo->arena, &fn->func->param_names, name);
    if (is_ref)
        vec_push_in(fn->lo->arena, &fn->func->outs, t);
}

/* A structure is returned through outputs, which precede those of by-reference parameters. */
static bool result_type(struct fn *fn, const struct ast_def *def)
{
    fn->record = lower_record(fn, def->type);
    if (!fn->record && !lower_type(fn, def->type, &fn->result))
        return false;
    for (unsigned i = 0; fn->record && i < fn->record->leaves.len; i++)
        vec_push_in(fn->lo->arena, &fn->func->outs, fn->record->leaves.data[i]);
    fn->func->result = fn->result;
    return true;
}

static bool lower_signature(struct fn *fn, const struct ast_def *def)
{
    struct ir_type t;

    if (!result_type(fn, def))
        return false;
    vec_for_each (&def->params, p) {
        const struct record *r = lower_is_instruction(p) ? NULL : lower_record(fn, p->type);

        for (unsigned i = 0; r && i < r->leaves.len; i++)
            add_parameter(fn, record_leaf_name(fn, p->name, r, i), r->leaves.data[i],
                          p->type->is_ref);
        if (r || lower_is_instruction(p))
            continue;
        if (!lower_type(fn, p->type, &t))
            return false;
        if (ir_is_void(t)) {
            diag_error(fn->lo->diag, p->pos, "a parameter cannot be void");
            return false;
        }
        add_parameter(fn, p->name, t, p->type->is_ref);
    }
    return true;
}

/* Writes parameter `n` to a variable. */
static void store_parameter(struct fn *fn, struct ir_var *var, unsigned n, bool is_ref)
{
    struct ir_value *param = ir_emit(&fn->b, IR_PARAM, var->type, 0, NULL);

    param->imm = n;
    ir_var_write(&fn->b, var, param);
    if (is_ref)
        vec_push_in(fn->lo->arena, &fn->outs, var);
}

static void store_parameters(struct fn *fn, const struct ast_def *def)
{
    unsigned n = 0;

    vec_for_each (&def->params, p) {
        const struct record *r;
        struct scope_var *v;

        if (lower_is_instruction(p))
            continue;
        r = lower_record(fn, p->type);
        v = fn_declare(fn, p->name, r ? IR_T_VOID : fn->func->params.data[n], p->pos);
        v->format = lower_type_format(fn, p->type);
        if (!r) {
            store_parameter(fn, v->var, n++, p->type->is_ref);
            continue;
        }
        fn_declare_record(fn, v, r, p->pos);
        for (unsigned i = 0; i < r->leaves.len; i++)
            store_parameter(fn, v->leaves[i], n++, p->type->is_ref);
    }
}

static void make_function(struct lower *lo, struct instance *inst, const char *name,
                          struct src_pos pos)
{
    const struct ast_def *def = inst->entry->def;
    unsigned errors = lo->diag->errors;
    struct fn fn;

    if (def->broken)
        return;
    fn_begin(&fn, lo, name, def->attrs & AST_ATTR_EXPORT ? IR_FUNC_EXPORT : IR_FUNC_HELPER,
             def->pos);
    fn.def = def;
    fn.binds = inst->binds;
    fn.format = inst->format;
    fn.inst = inst->format ? inst : NULL;
    fn.func->is_inline = def->attrs & AST_ATTR_INLINE;
    fn.func->is_noinline = def->attrs & AST_ATTR_NOINLINE;
    if (!lower_signature(&fn, def))
        return;
    store_parameters(&fn, def);
    fn.depth++;
    lower_stmt(&fn, def->body);
    if (fn_finish(&fn))
        inst->func = fn.func;
    else if (inst->binds.len && lo->diag->errors != errors && lo->nesting <= SHOWN_NESTING)
        diag_note(lo->diag, pos, "'%s' was made for this call", fn.func->name);
}

/* Whether the emitter or system registers define functions of that name. */
static bool is_reserved(const struct lower *lo, const char *name)
{
    static const char *const prefixes[] = {"h_", "sysreg_read_", "sysreg_write_"};
    static const char *const names[] = {
        "decode", "disasm", "isa", "sysreg_access", "sysreg_read", "sysreg_write", "sysreg_reset"};
    bool reserved = false;

    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        reserved |= !strcmp(name, names[i]) && (i < 3 || lo->model->sysregs.len);
    for (unsigned i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
        reserved |= !strncmp(name, prefixes[i], strlen(prefixes[i]));
    return reserved;
}

/* Makes the name unique among functions: f.<uint8> must differ from a helper called f_uint8. */
static const char *unique_name(struct lower *lo, const struct ast_def *def, const char *name)
{
    while (is_reserved(lo, name) || lower_has_another(lo, def, name))
        name = arena_printf(lo->arena, "u_%s", name);
    return name;
}

/* Reports the circle of calls: from the call that closes it back to the helper called. */
static void report_recursion(struct lower *lo, const struct instance *again, struct src_pos pos)
{
    const char *way = again->entry->def->name;

    for (const struct instance *i = lo->innermost; i != again; i = i->caller)
        way = arena_printf(lo->arena, "%s → %s", i->entry->def->name, way);
    if (lo->innermost == again)
        diag_error(lo->diag, pos, "'%s' calls itself; recursion is not possible", way);
    else
        diag_error(lo->diag, pos, "'%s' calls itself: %s → %s; recursion is not possible",
                   again->entry->def->name, again->entry->def->name, way);
}

struct instance *lower_instance(struct fn *caller, struct def_entry *e, const bindings *binds,
                                struct src_pos pos)
{
    struct lower *lo = caller->lo;
    struct format *format = lower_takes_instruction(e->def) ? caller->format : NULL;
    bindings order = sort_bindings(lo, e->def, binds);
    const char *name = instance_name(lo, e->def, &order);
    struct instance *inst;

    vec_for_each (&e->instances, it) {
        if (!same_bindings(&(*it)->binds, &order) || (*it)->format != format)
            continue;
        if ((*it)->active)
            report_recursion(lo, *it, pos);
        return *it;
    }
    if (lo->nesting == MAX_NESTING) {
        diag_error(lo->diag, pos, "'%s' is the innermost of %d nested calls; no more are possible",
                   e->def->name, MAX_NESTING);
        return NULL;
    }
    inst = arena_new(lo->arena, struct instance);
    inst->entry = e;
    inst->binds = order;
    inst->format = format;
    if (format)
        name = arena_printf(lo->arena, "%s_%s", name, format->name);
    name = unique_name(lo, e->def, name);
    vec_push_in(lo->arena, &e->instances, inst);
    inst->active = true;
    inst->caller = lo->innermost;
    lo->innermost = inst;
    lo->nesting++;
    make_function(lo, inst, name, pos);
    lo->nesting--;
    lo->innermost = inst->caller;
    inst->active = false;
    return inst;
}
