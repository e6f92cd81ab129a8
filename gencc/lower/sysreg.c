/*
 * System registers: makes the helpers sysreg_access, sysreg_read, sysreg_write and sysreg_reset
 * from the declarations.
 */
#include "gencc/lower/internal.h"
#include "common/prelude/cpu.h"

#include <string.h>

static struct ir_func *make_reader(struct lower *lo, struct sysreg *r)
{
    struct fn fn;

    fn_begin(&fn, lo, arena_printf(lo->arena, "sysreg_read_%s", r->name), IR_FUNC_HELPER, r->pos);
    fn.result = fn.func->result = IR_T_U64;
    if (r->read) {
        lower_stmt(&fn, r->read);
    } else {
        struct ir_value *v = ir_reg_read(&fn.b, r->view, NULL, r->type);

        fn_return(&fn, 1, (struct ir_value *[]){ir_convert(&fn.b, v, IR_T_U64)});
    }
    return fn_finish(&fn) ? fn.func : NULL;
}

/* Read-only bits keep their value, which reset set. */
static struct ir_value *keep_read_only_bits(struct fn *fn, const struct sysreg *r,
                                            struct ir_value *v)
{
    uint64_t all = r->type.bits >= 64 ? UINT64_MAX : ((uint64_t)1 << r->type.bits) - 1;
    struct ir_value *mask, *keep, *old;

    if ((r->mask & all) == all)
        return v;
    mask = ir_const(&fn->b, IR_T_U64, r->mask & all);
    v = ir_binary(&fn->b, IR_AND, v, mask);
    if (!r->view)
        return v;
    keep = ir_const(&fn->b, IR_T_U64, all & ~r->mask);
    old = ir_convert(&fn->b, ir_reg_read(&fn->b, r->view, NULL, r->type), IR_T_U64);
    return ir_binary(&fn->b, IR_OR, v, ir_binary(&fn->b, IR_AND, old, keep));
}

static struct ir_func *make_writer(struct lower *lo, struct sysreg *r)
{
    struct fn fn;
    struct ir_value *value;

    fn_begin(&fn, lo, arena_printf(lo->arena, "sysreg_write_%s", r->name), IR_FUNC_HELPER, r->pos);
    vec_push_in(lo->arena, &fn.func->params, IR_T_U64);
    vec_push_in(lo->arena, &fn.func->param_names, "value");
    value = ir_emit(&fn.b, IR_PARAM, IR_T_U64, 0, NULL);
    value = keep_read_only_bits(&fn, r, value);
    if (r->write) {
        struct scope_var *v = fn_declare(&fn, "value", IR_T_U64, r->pos);

        ir_var_write(&fn.b, v->var, value);
        fn.depth++;
        lower_stmt(&fn, r->write);
    } else if (r->view) {
        ir_reg_write(&fn.b, r->view, NULL, ir_convert(&fn.b, value, r->type));
    }
    if (r->ends_block)
        fn.func->ends_block = true;
    return fn_finish(&fn) ? fn.func : NULL;
}

/* Whether the files of the ISA declare the register. */
static bool isa_has_register(const struct lower *lo, const struct sysreg *r)
{
    return r->isas >> lo->isa->index % 32 & 1;
}

/* Begins a helper (code, level[, value]) that switches on the code. */
static void begin_dispatcher(struct fn *fn, struct lower *lo, const char *name,
                             struct ir_type result, struct ir_type third, struct ir_value **params)
{
    struct src_pos nowhere = {0};
    unsigned n = ir_is_void(third) ? 2 : 3;

    fn_begin(fn, lo, name, IR_FUNC_HELPER, nowhere);
    fn->func->is_noinline = true;
    fn->result = fn->func->result = result;
    for (unsigned i = 0; i < n; i++) {
        struct ir_type t = i == 2 ? third : IR_T_U32;

        vec_push_in(lo->arena, &fn->func->params, t);
        vec_push_in(lo->arena, &fn->func->param_names,
                    i == 0   ? "code"
                    : i == 1 ? "level"
                             : "value");
        params[i] = ir_emit(&fn->b, IR_PARAM, t, 0, NULL);
        params[i]->imm = i;
    }
}

static void access_cases(struct fn *fn, struct ir_value *sw, struct ir_value **p)
{
    struct ir_builder *b = &fn->b;

    vec_for_each (&fn->lo->model->sysregs, it) {
        struct sysreg *r = *it;
        struct ir_value *need, *ok;
        struct ir_block *to;

        if (!isa_has_register(fn->lo, r))
            continue;
        to = ir_block_new(fn->func, r->name);
        ir_switch_case(fn->func, sw, r->code, to);
        b->block = to;
        need = ir_select(b, fn_flag(fn, p[2]), ir_const(b, IR_T_U32, r->write_level[0]),
                         ir_const(b, IR_T_U32, r->read_level[0]));
        ok = ir_binary(b, IR_GE, p[1], need);
        ok = ir_select(b, ok, ir_const(b, IR_T_U8, SYSREG_ALLOWED),
                       ir_const(b, IR_T_U8, SYSREG_DENIED));
        ir_ret(b, 1, &ok);
    }
}

static void read_cases(struct fn *fn, struct ir_value *sw)
{
    vec_for_each (&fn->lo->model->sysregs, it) {
        struct ir_value *v;

        if (!isa_has_register(fn->lo, *it) || !(*it)->read_fn)
            continue;
        fn->b.block = ir_block_new(fn->func, (*it)->name);
        ir_switch_case(fn->func, sw, (*it)->code, fn->b.block);
        v = ir_call(&fn->b, (*it)->read_fn, 0, NULL);
        ir_ret(&fn->b, 1, &v);
    }
}

static void write_cases(struct fn *fn, struct ir_value *sw, struct ir_value **p)
{
    vec_for_each (&fn->lo->model->sysregs, it) {
        if (!isa_has_register(fn->lo, *it) || !(*it)->write_fn)
            continue;
        fn->b.block = ir_block_new(fn->func, (*it)->name);
        ir_switch_case(fn->func, sw, (*it)->code, fn->b.block);
        ir_call(&fn->b, (*it)->write_fn, 1, &p[2]);
        ir_ret(&fn->b, 0, NULL);
    }
    fn->func->ends_block = true;
}

static void make_dispatchers(struct lower *lo)
{
    struct ir_value *p[3], *sw, *zero;
    struct ir_block *none;
    struct fn fn;

    for (int which = 0; which < 3; which++) {
        static const char *const names[] = {"sysreg_access", "sysreg_read", "sysreg_write"};
        struct ir_type result = which == 0 ? IR_T_U8 : which == 1 ? IR_T_U64 : IR_T_VOID;
        struct ir_type third = which == 0 ? IR_T_U32 : which == 1 ? IR_T_VOID : IR_T_U64;

        begin_dispatcher(&fn, lo, names[which], result, third, p);
        none = ir_block_new(fn.func, "unknown");
        sw = ir_switch(&fn.b, p[0], none);
        if (which == 0)
            access_cases(&fn, sw, p);
        else if (which == 1)
            read_cases(&fn, sw);
        else
            write_cases(&fn, sw, p);
        fn.b.block = none;
        if (ir_is_void(result)) {
            ir_ret(&fn.b, 0, NULL);
        } else {
            zero = ir_const(&fn.b, result, 0);
            ir_ret(&fn.b, 1, &zero);
        }
        fn.is_dead = true;
        fn_finish(&fn);
    }
}

/* Makes sysreg_reset(), which sets every register with storage to its reset value. */
static void make_resetter(struct lower *lo)
{
    struct fn fn;

    fn_begin(&fn, lo, "sysreg_reset", IR_FUNC_HELPER, (struct src_pos){0});
    fn.func->is_noinline = true;
    vec_for_each (&lo->model->sysregs, it)
        if (isa_has_register(lo, *it) && (*it)->view)
            ir_reg_write(&fn.b, (*it)->view, NULL, ir_const(&fn.b, (*it)->type, (*it)->reset));
    fn_finish(&fn);
}

void lower_sysregs(struct lower *lo)
{
    struct model *m = lo->model;
    bool any = false;

    vec_for_each (&m->sysregs, it)
        any |= isa_has_register(lo, *it);
    if (!any)
        return;
    make_resetter(lo);
    vec_for_each (&m->sysregs, it) {
        if (!isa_has_register(lo, *it))
            continue;
        if ((*it)->broken)
            continue;
        (*it)->read_fn = make_reader(lo, *it);
        (*it)->write_fn = (*it)->write || (*it)->view ? make_writer(lo, *it) : NULL;
    }
    make_dispatchers(lo);
}

struct ir_func *lower_sysreg_helper(struct lower *lo, const char *name)
{
    static const char *const names[] = {"sysreg_access", "sysreg_read", "sysreg_write",
                                        "sysreg_reset"};
    bool known = false;

    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        known |= !strcmp(name, names[i]);
    if (!known)
        return NULL;
    vec_for_each (&lo->isa->funcs, f)
        if (!strcmp((*f)->name, name))
            return *f;
    return NULL;
}
