/*
 * Lowers calls: helpers, external functions, intrinsics, register access.
 */
#include "gencc/lower/internal.h"

#include <string.h>

static struct rv error_at(struct fn *fn, struct src_pos pos, const char *text)
{
    diag_error(fn->lo->diag, pos, "%s", text);
    return rv_error();
}

static struct rv no_value(void)
{
    return (struct rv){.ok = true, .type = IR_T_VOID};
}

static bool check_arity(struct fn *fn, const struct ast_expr *e, unsigned want)
{
    if (e->args.len == want)
        return true;
    diag_error(fn->lo->diag, e->pos, "'%s' takes %u argument%s, not %u", e->name, want,
               want == 1 ? "" : "s", e->args.len);
    return false;
}

/* ---- registers ------------------------------------------------------------------------------- */

static struct reg_view *view_argument(struct fn *fn, const struct ast_expr *e, bool bank)
{
    struct name_guess g = {.wrong = e->name};
    struct reg_view *v;

    if (e->kind != AST_NAME) {
        error_at(fn, e->pos, bank ? "expected the name of a bank" : "expected the name of a slot");
        return NULL;
    }
    v = model_view(fn->lo->model, e->name);
    if (v && v->is_bank == bank)
        return v;
    if (v) {
        diag_error(fn->lo->diag, e->pos, "'%s' is a %s, not a %s", e->name,
                   v->is_bank ? "bank" : "slot", bank ? "bank" : "slot");
        return NULL;
    }
    vec_for_each (&fn->lo->model->views, it)
        if ((*it)->is_bank == bank)
            name_guess_offer(&g, (*it)->name);
    diag_unknown(fn->lo->diag, e->pos, &g, "unknown register %s '%s'", bank ? "bank" : "slot",
                 e->name);
    return NULL;
}

/* Sets the type of a register access: the register's own, or the template argument. */
static bool access_type(struct fn *fn, const struct ast_expr *e, const struct reg_view *v,
                        struct ir_type *out)
{
    const struct reg_space *space;
    unsigned last;

    *out = v->type;
    if (!e->targs.len)
        return true;
    if (e->targs.len != 1 || !e->targs.data[0].type) {
        error_at(fn, e->pos, "expected one type between .< and >");
        return false;
    }
    if (!lower_type(fn, e->targs.data[0].type, out))
        return false;
    space = &fn->lo->model->spaces.data[v->space];
    last = v->offset + (v->count - 1) * v->reg_stride;
    if (ir_bytes(*out) > v->reg_stride || last + ir_bytes(*out) > space->offset + space->bytes) {
        diag_error(fn->lo->diag, e->pos, "%s is larger than %s '%s'", type_text(fn, *out),
                   v->is_bank ? "a register of bank" : "slot", v->name);
        return false;
    }
    return true;
}

static bool bank_index(struct fn *fn, const struct ast_expr *e, const struct reg_view *v,
                       struct ir_value **out)
{
    struct rv i = lower_expr(fn, e);
    __int128 known;

    if (!i.ok)
        return false;
    if (rv_constant(i, &known) && (known < 0 || known >= v->count)) {
        diag_error(fn->lo->diag, e->pos, "bank '%s' has %u registers, there is no number %d",
                   v->name, v->count, (int)known);
        return false;
    }
    i = rv_typed(fn, i);
    if (i.type.lanes != 1 || !ir_is_int(i.type)) {
        error_at(fn, e->pos, "a register number is a scalar integer");
        return false;
    }
    *out = i.v;
    return true;
}

/* Message for decode(), field, where and asm, which may depend on the word only */
static const char not_of_the_word[] =
    "only the word decides here: no registers, no memory, no effects";

/* Accesses to the slot tagged PC become read_pc() and write_pc(). */
static struct rv pc_access(struct fn *fn, const struct ast_expr *e, bool write)
{
    struct rv value;

    if (e->targs.len)
        return error_at(fn, e->pos, "the PC is read and written as a whole, as a word");
    if (!write)
        return lower_emit_intrinsic(fn, IR_I_READ_PC, 0, NULL, e->pos);
    value = lower_expr_as(fn, e->args.data[1], fn->lo->word);
    return value.ok ? lower_emit_intrinsic(fn, IR_I_WRITE_PC, 1, &value.v, e->pos) : value;
}

/* Whether any ISA has the register as its decode context. */
static bool is_decode_context(const struct fn *fn, const struct reg_view *v)
{
    vec_for_each (&fn->lo->model->isas, isa)
        if ((*isa)->context.slot == v)
            return true;
    return false;
}

/* The index at which the PC is part of the bank, in published models; -1 if it is not. */
static int pc_in_bank(const struct lower *lo, const struct reg_view *v)
{
    const struct reg_view *pc = lo->model->pc;
    unsigned at;

    if (!pc || !v->is_bank || v == pc || pc->offset < v->offset || !ir_type_eq(v->type, pc->type))
        return -1;
    at = pc->offset - v->offset;
    return at % v->reg_stride || at / v->reg_stride >= v->count ? -1 : (int)(at / v->reg_stride);
}

/* In published models the PC may be a register of a bank, such as Arm's R15. It contains the
 * address of the instruction until it is written; a write is a jump. */
static void write_bank(struct fn *fn, struct reg_view *v, struct ir_value *index,
                       struct ir_value *value)
{
    int pc = index ? pc_in_bank(fn->lo, v) : -1;
    struct ir_block *jump, *on;
    struct ir_value *is_pc;

    ir_reg_write(&fn->b, v, index, value);
    if (pc < 0 || !ir_type_eq(value->type, v->type))
        return;
    jump = ir_block_new(fn->func, "jump");
    on = ir_block_new(fn->func, "on");
    is_pc = ir_binary(&fn->b, IR_EQ, index, ir_const(&fn->b, index->type, (u128)pc));
    ir_cbr(&fn->b, is_pc, jump, on);
    fn->b.block = jump;
    lower_emit_intrinsic(fn, IR_I_WRITE_PC, 1, &value, fn->b.pos);
    ir_br(&fn->b, on);
    fn->b.block = on;
}

void lower_begin_instruction(struct fn *fn)
{
    struct ir_value *index;
    struct rv here;

    vec_for_each (&fn->lo->model->views, v) {
        int pc = pc_in_bank(fn->lo, *v);

        if (pc < 0)
            continue;
        here = lower_emit_intrinsic(fn, IR_I_READ_PC, 0, NULL, fn->b.pos);
        index = ir_const(&fn->b, IR_T_U32, (u128)pc);
        ir_reg_write(&fn->b, *v, index, here.v);
        return;
    }
}

LOWER_KIND struct rv register_access(struct fn *fn, const struct ast_expr *e, bool bank, bool write)
{
    struct ir_value *index = NULL;
    struct reg_view *v;
    struct ir_type t;
    struct rv value;

    if (fn->lo->isa->published && e->args.len > 1u + bank + write)
        diag_warning(fn->lo->diag, WARN_PUBLISHED, e->pos,
                     "'%s' takes %u arguments; the others are ignored", e->name, 1u + bank + write);
    else if (!check_arity(fn, e, 1u + bank + write))
        return rv_error();
    v = view_argument(fn, e->args.data[0], bank);
    if (v && v == fn->lo->model->pc && !fn->bare_fields)
        return pc_access(fn, e, write);
    if (fn->bare_fields)
        return error_at(fn, e->pos, not_of_the_word);
    if (!v || !access_type(fn, e, v, &t) || (bank && !bank_index(fn, e->args.data[1], v, &index)))
        return rv_error();
    if (!write && fn->func->kind == IR_FUNC_EXECUTE && v == fn->lo->isa->context.slot)
        return error_at(fn, e->pos, "the context of an instruction is inst.context");
    if (!write)
        return rv_value(ir_reg_read(&fn->b, v, index, t));
    value = lower_expr_as(fn, e->args.data[1u + bank], t);
    if (!value.ok)
        return value;
    write_bank(fn, v, index, value.v);
    return is_decode_context(fn, v)
               ? lower_emit_intrinsic(fn, IR_I_CONTEXT_CHANGED, 0, NULL, e->pos)
               : no_value();
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* A variable that a call sets through a by-reference parameter of type `type` */
struct reference_out {
    struct ir_var *var;
    bool is_bool;
    bool is_byte_swapped; /* the call's output is in the other byte order */
    struct ir_type type;
};

/* Reads the variable for a by-reference argument. A variable that is unset so far is an output
 * only. */
static struct ir_value *present_value(struct fn *fn, struct ir_var *var)
{
    struct ir_value *now = ir_var_read(&fn->b, var);

    now->unset_is_0 = true;
    return now;
}

/* Lowers a by-reference argument: returns its present value, and the variable to set in `out`. */
static struct rv lower_reference(struct fn *fn, const struct ast_expr *e, struct ir_type t,
                                 struct reference_out *out)
{
    struct scope_var *v = fn_place(fn, e);

    if (!v)
        return error_at(fn, e->pos, "expected a local variable to be set by this call");
    if (v->record) {
        record_misplaced(fn, v->record, e->pos);
        return rv_error();
    }
    if (!ir_type_eq(v->var->type, t) && v->var->type.lanes != t.lanes) {
        diag_error(fn->lo->diag, e->pos, "type mismatch: '%s' is %s, the parameter %s&", v->name,
                   type_text(fn, v->var->type), type_text(fn, t));
        return rv_error();
    }
    *out = (struct reference_out){.var = v->var, .is_bool = v->is_bool, .type = t};
    return rv_as(fn, rv_value(present_value(fn, v->var)), t, e->pos);
}

/* Writes the call's outputs, from number `first` on, to the variables. */
static void write_back(struct fn *fn, struct ir_value *call, unsigned first,
                       const struct reference_out *refs, unsigned nrefs, struct src_pos pos)
{
    for (unsigned i = 0; i < nrefs; i++) {
        struct rv r = rv_value(ir_result(&fn->b, call, first + i, refs[i].type));

        if (refs[i].is_bool)
            r = rv_value(fn_flag(fn, r.v));
        if (refs[i].is_byte_swapped)
            r = lower_reverse_bytes(fn, r, pos);
        r = rv_as(fn, r, refs[i].var->type, pos);
        if (r.ok)
            ir_var_write(&fn->b, refs[i].var, r.v);
    }
}

enum { MAX_ARGS = 32 };

/* ---- helpers --------------------------------------------------------------------------------- */

static bool explicit_bindings(struct fn *fn, const struct ast_expr *e, const struct ast_def *def,
                              bindings *binds)
{
    if (e->targs.len > def->tparams.len) {
        diag_error(fn->lo->diag, e->pos, "'%s' has %u template parameters, not %u", e->name,
                   def->tparams.len, e->targs.len);
        return false;
    }
    for (unsigned i = 0; i < e->targs.len; i++) {
        const struct ast_tparam *p = &def->tparams.data[i];
        const struct ast_targ *a = &e->targs.data[i];
        struct binding b = {.name = p->name, .is_type = p->is_type};

        if (p->is_type != (a->type != NULL)) {
            diag_error(fn->lo->diag, e->pos, "template parameter '%s' of '%s' is a %s", p->name,
                       e->name, p->is_type ? "type" : "constant");
            return false;
        }
        if (p->is_type ? !lower_type(fn, a->type, &b.type) : !lower_constant(fn, a->expr, &b.value))
            return false;
        vec_push_in(fn->lo->arena, binds, b);
    }
    return true;
}

static bool is_bound(const bindings *binds, const char *name)
{
    vec_for_each (binds, b)
        if (!strcmp(b->name, name))
            return true;
    return false;
}

/* Binds template parameters to the types of the arguments, which are lowered already. */
static bool infer_bindings(struct fn *fn, const struct ast_expr *e, const struct ast_def *def,
                           const struct rv *args, bindings *binds)
{
    for (int literals = 0; literals < 2; literals++) {
        for (unsigned i = 0; i < def->params.len; i++) {
            struct rv a = args[i];

            if (a.is_literal != (literals == 1))
                continue;
            if (a.is_literal)
                a = rv_typed(fn, a);
            /* A mismatch is reported when the argument is converted, with both types. */
            if (a.ok && !ir_is_void(a.type))
                lower_match_type(fn, def, binds, def->params.data[i].type, a.type);
        }
    }
    vec_for_each (&def->tparams, p) {
        if (!is_bound(binds, p->name)) {
            diag_error(
                fn->lo->diag, e->pos,
                "template parameter '%s' of '%s' cannot be inferred from the arguments; write "
                "%s.<…>(…)",
                p->name, e->name, e->name);
            return false;
        }
    }
    return true;
}

bool lower_is_instruction(const struct ast_param *p)
{
    return p->type->kind == AST_TYPE_NAMED && p->type->is_struct &&
           !strcmp(p->type->name, "Instruction");
}

bool lower_takes_instruction(const struct ast_def *def)
{
    vec_for_each (&def->params, p)
        if (lower_is_instruction(p))
            return true;
    return false;
}

static struct rv instruction_argument(struct fn *fn, const struct ast_expr *e)
{
    if (e->kind != AST_NAME || strcmp(e->name, "inst") || !fn->format)
        return error_at(fn, e->pos, "expected 'inst', the instruction of an execute()");
    return (struct rv){.ok = true, .is_literal = true};
}

static struct rv lower_argument(struct fn *fn, const struct ast_expr *e, const struct ast_param *p)
{
    if (lower_is_instruction(p))
        return instruction_argument(fn, e);
    if (p->type->is_ref) { /* only the type is needed, to bind template parameters */
        struct scope_var *v = fn_place(fn, e);

        if (!v)
            return rv_literal(0);
        return (struct rv){.ok = true, .type = v->var ? v->var->type : IR_T_VOID};
    }
    if (lower_record(fn, p->type)) /* values in braces take the structure's type */
        return lower_record_as(fn, e, lower_record(fn, p->type));
    return lower_expr(fn, e);
}

/* The IR values of a call's arguments */
struct passed {
    VEC(struct ir_value *) values;
    VEC(struct reference_out) refs;
};

static bool pass_record(struct fn *fn, const struct ast_expr *e, struct rv arg, bool is_ref,
                        const struct record *want, struct passed *out)
{
    const struct scope_var *v = is_ref ? fn_place(fn, e) : NULL;

    if (is_ref && (!v || v->record != want)) {
        diag_error(fn->lo->diag, e->pos,
                   "expected a local variable of type struct %s to be set by this call",
                   want->ast->name);
        return false;
    }
    for (unsigned i = 0; i < want->leaves.len; i++) {
        if (is_ref)
            vec_push_in(
                fn->lo->arena, &out->refs,
                ((struct reference_out){.var = v->leaves[i], .type = want->leaves.data[i]}));
        vec_push_in(fn->lo->arena, &out->values,
                    is_ref ? present_value(fn, v->leaves[i]) : arg.leaves[i]);
    }
    return true;
}

static bool pass_argument(struct fn *fn, const struct ast_expr *e, const struct ast_param *p,
                          struct rv arg, const struct ir_func *callee, struct passed *out)
{
    const struct record *record = lower_record(fn, p->type);
    struct reference_out ref;
    struct ir_type t;

    if (lower_is_instruction(p))
        return true;
    if (record)
        return pass_record(fn, e, arg, p->type->is_ref, record, out);
    t = callee->params.data[out->values.len];
    if (p->type->is_ref) {
        arg = lower_reference(fn, e, t, &ref);
        if (arg.ok)
            vec_push_in(fn->lo->arena, &out->refs, ref);
    } else {
        judge_constant(fn, arg, t, e->pos);
        arg = rv_as(fn, arg, t, e->pos);
    }
    if (arg.ok)
        vec_push_in(fn->lo->arena, &out->values, arg.v);
    return arg.ok;
}

/* The value of a helper's call. The leaves of a structure are the call's first outputs. */
static struct rv call_result(struct fn *fn, const struct record *r, struct ir_value *call)
{
    struct rv out = {.ok = true, .record = r};

    if (!r)
        return ir_is_void(call->type) ? no_value() : rv_value(call);
    out.leaves = arena_alloc(fn->lo->arena, (r->leaves.len + 1) * sizeof(*out.leaves));
    for (unsigned i = 0; i < r->leaves.len; i++)
        out.leaves[i] = ir_result(&fn->b, call, 1 + i, r->leaves.data[i]);
    return out;
}

/* Lowers the arguments of a call; NULL after an error. */
LOWER_KIND struct rv *lower_arguments(struct fn *fn, const struct ast_expr *e,
                                      const struct ast_def *def)
{
    struct rv *args = arena_alloc(fn->lo->arena, (def->params.len + 1) * sizeof(*args));

    for (unsigned i = 0; i < def->params.len; i++) {
        args[i] = lower_argument(fn, e->args.data[i], &def->params.data[i]);
        if (!args[i].ok)
            return NULL;
    }
    return args;
}

/* Appends the fields of the instruction that the function reads; false after an error. */
LOWER_KIND bool pass_fields(struct fn *fn, const struct instance *inst, struct passed *passed)
{
    vec_for_each (&inst->inst_params, p) {
        struct rv r = fn_instruction(fn, p->field);

        if (!r.ok)
            return false;
        vec_push_in(fn->lo->arena, &passed->values, r.v);
    }
    return true;
}

LOWER_KIND struct rv call_helper(struct fn *fn, const struct ast_expr *e, struct def_entry *entry)
{
    const struct ast_def *def = entry->def;
    const struct record *record = lower_record(fn, def->type);
    struct rv *args, result;
    struct passed passed = {0};
    bindings binds = {0};
    struct instance *inst;
    struct ir_value *call;

    if (!check_arity(fn, e, def->params.len))
        return rv_error();
    if (def->params.len > MAX_ARGS)
        return error_at(fn, e->pos, "too many arguments");
    args = lower_arguments(fn, e, def);
    if (!args || !explicit_bindings(fn, e, def, &binds) ||
        !infer_bindings(fn, e, def, args, &binds))
        return rv_error();
    inst = lower_instance(fn, entry, &binds, e->pos);
    if (!inst || !inst->func) {
        fn->failed = true;
        return rv_error();
    }
    if (fn->bare_fields && !fn->in_predicate && fn->lo->level != LOWER_CHECK &&
        !inst->func->is_pure)
        return error_at(fn, e->pos, not_of_the_word);
    for (unsigned i = 0; i < def->params.len; i++)
        if (!pass_argument(fn, e->args.data[i], &def->params.data[i], args[i], inst->func, &passed))
            return rv_error();
    if (!pass_fields(fn, inst, &passed))
        return rv_error();
    fn->b.pos = e->pos;
    call = ir_call(&fn->b, inst->func, passed.values.len, passed.values.data);
    result = call_result(fn, record, call);
    write_back(fn, call, record ? 1 + record->leaves.len : 1, passed.refs.data, passed.refs.len,
               e->pos);
    if (def->attrs & AST_ATTR_NORETURN) {
        ir_unreachable(&fn->b);
        fn->is_dead = true;
        fn->b.block = ir_block_new(fn->func, "after");
    }
    return result;
}

/* ---- intrinsics and externals ---------------------------------------------------------------- */

/* Lowers a name that stands for a number. */
static struct rv symbolic_argument(struct fn *fn, enum ir_symbol kind, const struct ast_expr *e,
                                   struct ir_type t)
{
    struct name_guess g = {.wrong = e->name};
    const struct model *m = fn->lo->model;
    const struct feature *f;

    if (kind == IR_SYMBOL_FEATURE && (f = model_feature(m, e->name)))
        return rv_value(ir_const(&fn->b, t, f->index));
    for (unsigned i = 0; kind == IR_SYMBOL_MEMORY && i < m->mems.len; i++) {
        if (!strcmp(m->mems.data[i].name, e->name))
            return rv_value(ir_const(&fn->b, t, i));
        name_guess_offer(&g, m->mems.data[i].name);
    }
    for (unsigned i = 0; kind == IR_SYMBOL_FEATURE && i < m->features.len; i++)
        name_guess_offer(&g, m->features.data[i]->name);
    diag_unknown(fn->lo->diag, e->pos, &g, "unknown %s '%s'",
                 kind == IR_SYMBOL_FEATURE ? "feature" : "memory interface", e->name);
    return rv_error();
}

static struct rv finish_call(struct fn *fn, const struct ir_callee *c, struct ir_value *call)
{
    if (c->flags & IR_FN_ENDS_BLOCK)
        fn->func->ends_block = true;
    if (c->flags & IR_FN_NORETURN) {
        ir_unreachable(&fn->b);
        fn->is_dead = true;
        fn->b.block = ir_block_new(fn->func, "after");
    }
    return ir_is_void(c->result) ? no_value() : rv_value(call);
}

LOWER_KIND struct rv call_fn(struct fn *fn, const struct ast_expr *e, struct ir_callee *c)
{
    struct ir_value *values[MAX_ARGS];
    struct reference_out refs[MAX_ARGS];
    unsigned nrefs = 0;
    struct ir_value *call;

    if (c->nparams_text)
        return error_at(fn, e->pos, "only asm lines write assembly text");
    if (!check_arity(fn, e, c->params.len) || c->params.len > MAX_ARGS)
        return rv_error();
    for (unsigned i = 0; i < c->params.len; i++) {
        const struct ast_expr *a = e->args.data[i];
        struct rv r;

        if (c->by_ref.data[i]) {
            r = lower_reference(fn, a, c->params.data[i], &refs[nrefs++]);
            /* Intrinsics only write their by-reference arguments. */
            if (r.ok && c->intrinsic)
                r = rv_value(ir_const(&fn->b, c->params.data[i], 0));
        } else if (!i && c->symbol && a->kind == AST_NAME && !fn_names_value(fn, a->name)) {
            r = symbolic_argument(fn, c->symbol, a, c->params.data[i]);
        } else {
            r = lower_expr_as(fn, a, c->params.data[i]);
        }
        if (!r.ok)
            return r;
        values[i] = r.v;
    }
    fn->b.pos = e->pos;
    if (c->params.len && lower_reverses_bytes(fn, c->intrinsic, values[0], e->pos)) {
        struct ir_value **number = &values[c->params.len - 1];

        if (nrefs)
            refs[0].is_byte_swapped = true;
        else
            *number = lower_reverse_bytes(fn, rv_value(*number), e->pos).v;
    }
    call = ir_call_fn(&fn->b, c, NULL, c->params.len, values);
    write_back(fn, call, 1, refs, nrefs, e->pos);
    return finish_call(fn, c, call);
}

struct rv lower_emit_intrinsic(struct fn *fn, enum ir_intrinsic i, unsigned n,
                               struct ir_value *const *args, struct src_pos pos)
{
    struct ir_callee *c = lower_intrinsic(fn->lo, i);

    fn->b.pos = pos;
    return finish_call(fn, c, ir_call_fn(&fn->b, c, NULL, n, args));
}

/* ---- which of them --------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool bank, write;
} register_accesses[] = {
    {"read_register", false, false},
    {"write_register", false, true},
    {"read_register_bank", true, false},
    {"write_register_bank", true, true},
    /* GenSim's "nt" (non-temporal) only hints that the value is not needed soon. */
    {"write_register_bank_nt", true, true},
};
enum { REGISTER_ACCESSES = sizeof(register_accesses) / sizeof(*register_accesses) };

static bool is_register_access(const char *name, bool *bank, bool *write)
{
    for (unsigned i = 0; i < REGISTER_ACCESSES; i++) {
        if (!strcmp(register_accesses[i].name, name)) {
            *bank = register_accesses[i].bank;
            *write = register_accesses[i].write;
            return true;
        }
    }
    return false;
}

LOWER_KIND struct rv call_sysreg_helper(struct fn *fn, const struct ast_expr *e, struct ir_func *f)
{
    struct ir_value *values[4];

    if (!check_arity(fn, e, f->params.len))
        return rv_error();
    if (fn->bare_fields)
        return error_at(fn, e->pos, not_of_the_word);
    for (unsigned i = 0; i < f->params.len; i++) {
        struct rv r = lower_expr_as(fn, e->args.data[i], f->params.data[i]);

        if (!r.ok)
            return r;
        values[i] = r.v;
    }
    fn->b.pos = e->pos;
    struct ir_value *call = ir_call(&fn->b, f, f->params.len, values);

    return ir_is_void(f->result) ? no_value() : rv_value(call);
}

LOWER_KIND struct rv unknown_call(struct fn *fn, const struct ast_expr *e)
{
    struct name_guess g = {.wrong = e->name};

    vec_for_each (&fn->lo->entries, d)
        if ((*d)->def->kind == AST_HELPER || (*d)->def->kind == AST_EXTERNAL)
            name_guess_offer(&g, (*d)->def->name);
    vec_for_each (&fn->lo->isa->funcs, f)
        if (lower_sysreg_helper(fn->lo, (*f)->name))
            name_guess_offer(&g, (*f)->name);
    lower_builtin_guess(&g);
    for (unsigned i = IR_I_NONE + 1; i < IR_I_COUNT; i++)
        if (!(ir_intrinsics[i].flags & IR_FN_MADE))
            name_guess_offer(&g, ir_intrinsics[i].name);
    for (unsigned i = 0; i < REGISTER_ACCESSES; i++)
        name_guess_offer(&g, register_accesses[i].name);
    diag_unknown(fn->lo->diag, e->pos, &g, "unknown function '%s'", e->name);
    return rv_error();
}

/* Returns the callee for the name; NULL if descriptions have no intrinsic of that name. */
static struct ir_callee *intrinsic_named(struct fn *fn, const char *name)
{
    enum ir_intrinsic i = ir_intrinsic_find(name);

    if (!i || ir_intrinsics[i].flags & IR_FN_MADE)
        return NULL;
    /* In lane architectures the PC is the address of the bundle, which is fixed. */
    if (fn->lo->model->is_lane && i == IR_I_READ_PC)
        i = IR_I_BUNDLE_ADDRESS;
    return lower_intrinsic(fn->lo, i);
}

/* Whether the architecture has the intrinsic; reports if it does not. */
static bool has_intrinsic(struct fn *fn, const struct ast_expr *e, const struct ir_callee *c)
{
    bool lane = fn->lo->model->is_lane;

    if (lane && !(c->flags & (IR_FN_LANE | IR_FN_ANY)))
        diag_error(fn->lo->diag, e->pos, "lanes have no '%s'", e->name);
    else if (!lane && c->flags & IR_FN_LANE)
        diag_error(fn->lo->diag, e->pos,
                   "'%s' is of lanes: the architecture has no ac_lane_regspace", e->name);
    else if (fn->bare_fields && (c->flags & IR_FN_LANE || !(c->flags & IR_FN_PURE)))
        error_at(fn, e->pos, not_of_the_word);
    else
        return true;
    return false;
}

struct rv lower_call(struct fn *fn, const struct ast_expr *e)
{
    struct def_entry *entry = lower_find(fn->lo, AST_HELPER, e->name);
    struct ir_callee *c;
    struct ir_func *made;
    bool bank, write;
    struct rv r;

    if (entry && entry->def->kind == AST_HELPER)
        return call_helper(fn, e, entry);
    if (entry) {
        c = lower_external(fn, entry);
        fn->failed |= !c;
        if (c && fn->bare_fields && !(c->flags & IR_FN_PURE))
            return error_at(fn, e->pos, not_of_the_word);
        return c ? call_fn(fn, e, c) : rv_error();
    }
    if (is_register_access(e->name, &bank, &write))
        return register_access(fn, e, bank, write);
    if (lower_builtin(fn, e, &r))
        return r;
    made = lower_sysreg_helper(fn->lo, e->name);
    if (made)
        return call_sysreg_helper(fn, e, made);
    c = intrinsic_named(fn, e->name);
    if (!c)
        return unknown_call(fn, e);
    return has_intrinsic(fn, e, c) ? call_fn(fn, e, c) : rv_error();
}
