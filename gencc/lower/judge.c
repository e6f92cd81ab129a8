/*
 * Warnings about code that is valid but probably wrong: constants that do not fit, statements
 * without effect, endless loops, values that are never read. A place is compiled once per set of
 * template arguments and row of a family; each function records the result of one compilation
 * (diag_judge).
 */
#include "gencc/lower/internal.h"

#include <string.h>

static const char *number_text(struct fn *fn, __int128 v)
{
    bool negative = v < 0;
    u128 u = negative ? 0 - (u128)v : (u128)v;

    if (u >> 64)
        return arena_printf(fn->lo->arena, "%s0x%llx%016llx", negative ? "-" : "",
                            (unsigned long long)(u >> 64), (unsigned long long)u);
    return arena_printf(fn->lo->arena, u > 999999 ? "%s0x%llx" : "%s%llu", negative ? "-" : "",
                        (unsigned long long)u);
}

static bool is_scalar_int(struct rv r)
{
    return !r.is_literal && ir_is_int(r.type) && r.type.lanes == 1;
}

/* ---- constants ------------------------------------------------------------------------------- */

void judge_constant(struct fn *fn, struct rv r, struct ir_type t, struct src_pos pos)
{
    __int128 v;

    if (!r.ok || !ir_is_int(t) || t.bits >= 128 || !rv_constant(r, &v))
        return;
    diag_judge(fn->lo->diag, WARN_OVERFLOW, pos,
               v < -((__int128)1 << (t.bits - 1)) || v >= (__int128)1 << t.bits,
               "%s does not fit into %s; 0x%llx is left of it", number_text(fn, v),
               type_text(fn, ir_lane(t)), (unsigned long long)fn_truncate((u128)v, t.bits));
}

void judge_choices(struct fn *fn, const struct ast_expr *e, struct ir_type t)
{
    if (e->kind == AST_TERNARY) {
        judge_choices(fn, e->b, t);
        judge_choices(fn, e->c, t);
    } else if (e->kind == AST_INT) {
        judge_constant(fn, rv_literal((__int128)e->value), t, e->pos);
    }
}

void judge_bits(struct fn *fn, struct rv r, unsigned width, struct src_pos pos)
{
    __int128 v;

    if (rv_constant(r, &v) && width < 127)
        diag_judge(fn->lo->diag, WARN_OVERFLOW, pos,
                   v < -((__int128)1 << (width - 1)) || v >= (__int128)1 << width,
                   "%s does not fit into %u bit%s", number_text(fn, v), width,
                   width == 1 ? "" : "s");
}

/* Range of the values that an operand can have by its type, or by the width of its field. */
static bool value_bounds(struct rv r, __int128 *min, __int128 *max, unsigned *bits)
{
    bool is_field;

    if (!is_scalar_int(r) || r.type.bits >= 128)
        return false;
    is_field = r.v->op == IR_FIELD && r.v->field->width;
    *bits = is_field ? r.v->field->width : r.type.bits;
    *min = r.type.base == IR_SINT ? -((__int128)1 << (*bits - 1)) : 0;
    *max = ((__int128)1 << (*bits - (r.type.base == IR_SINT))) - 1;
    return true;
}

static bool comparison_holds(enum ast_op op, __int128 a, __int128 b)
{
    __int128 out;

    return ast_fold(op, a, b, &out) && out;
}

/* The comparison that holds for exchanged operands. */
static enum ast_op mirrored_comparison(enum ast_op op)
{
    return op == AST_OP_LT   ? AST_OP_GT
           : op == AST_OP_LE ? AST_OP_GE
           : op == AST_OP_GT ? AST_OP_LT
           : op == AST_OP_GE ? AST_OP_LE
                             : op;
}

/* A literal that fits takes the type of the other operand: -1 becomes the largest unsigned
 * number. */
static __int128 as_converted(__int128 c, struct ir_type t)
{
    __int128 size = (__int128)1 << t.bits;

    if (c < -(size / 2) || c >= size)
        return c;
    if (t.base == IR_SINT)
        return c >= size / 2 ? c - size : c;
    return c < 0 ? c + size : c;
}

static void judge_comparison(struct fn *fn, enum ast_op op, struct rv a, struct rv b,
                             struct src_pos pos)
{
    __int128 c, min, max, x;
    bool always, never, inside;
    unsigned bits;

    if (a.is_literal || (b.ok && !b.is_literal && rv_constant(a, &x) && !rv_constant(b, &x))) {
        struct rv t = a;

        a = b;
        b = t;
        op = mirrored_comparison(op);
    }
    if (!rv_constant(b, &c))
        return;
    if (rv_constant(a, &x) || !value_bounds(a, &min, &max, &bits)) {
        diag_judge(fn->lo->diag, WARN_COMPARISON, pos, false, "%s", "");
        return;
    }
    if (b.is_literal)
        c = as_converted(c, a.type);
    inside = c >= min && c <= max;
    always = comparison_holds(op, min, c) && comparison_holds(op, max, c) &&
             !(inside && op == AST_OP_NE);
    never = !comparison_holds(op, min, c) && !comparison_holds(op, max, c) &&
            !(inside && op == AST_OP_EQ);
    diag_judge(fn->lo->diag, WARN_COMPARISON, pos, always || never,
               "this is always %s: the value has %u bit%s, from %s to %s",
               always ? "true" : "false", bits, bits == 1 ? "" : "s", number_text(fn, min),
               number_text(fn, max));
}

static void judge_shift(struct fn *fn, struct rv a, struct rv b, struct src_pos pos)
{
    unsigned bits = a.type.bits;
    __int128 n;

    if (!a.ok || a.is_literal || !ir_is_int(a.type) || !rv_constant(b, &n))
        return;
    if (fn->c_rules && bits < IR_T_S32.bits) /* C promotes it to int */
        bits = IR_T_S32.bits;
    /* literals have at least 32 bits, see published_types() */
    if (fn->lo->isa->published && bits < IR_T_S32.bits)
        bits = IR_T_S32.bits;
    diag_judge(fn->lo->diag, WARN_SHIFT, pos, n >= bits, "a shift by %s leaves nothing of %u bits",
               number_text(fn, n), bits);
}

void judge_binary(struct fn *fn, enum ast_op op, struct rv a, struct rv b, struct src_pos pos)
{
    if (!a.ok || !b.ok)
        return;
    switch (op) {
    case AST_OP_SHL:
    case AST_OP_SHR:
        judge_shift(fn, a, b, pos);
        break;
    case AST_OP_EQ:
    case AST_OP_NE:
    case AST_OP_LT:
    case AST_OP_LE:
    case AST_OP_GT:
    case AST_OP_GE:
        judge_comparison(fn, op, a, b, pos);
        break;
    default:
        break;
    }
}

bool judge_extension(struct fn *fn, const char *name, struct rv x, struct rv width,
                     struct src_pos pos)
{
    __int128 n, min, max;
    unsigned bits = 64, most = x.ok && x.type.bits <= 64 ? 64 : 128;

    if (!rv_constant(width, &n))
        return true;
    if (n < 0 || n > most) {
        diag_error(fn->lo->diag, pos, "'%s' of %s bits: this takes 1 to %u", name,
                   number_text(fn, n), most);
        return false;
    }
    if (x.ok && !value_bounds(x, &min, &max, &bits))
        bits = 64;
    diag_judge(fn->lo->diag, WARN_EXTEND, pos, n < 1 || n > bits,
               "'%s' of %s bits: the value has %u", name, number_text(fn, n), bits);
    return true;
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool always_pure(const char *name)
{
    enum ir_intrinsic i = ir_intrinsic_find(name);

    return (i && ir_intrinsics[i].flags & IR_FN_PURE) || lower_is_pure_builtin(name) ||
           !strcmp(name, "read_register") || !strcmp(name, "read_register_bank");
}

/* Whether evaluating the expression may change something. Helpers that it calls are assumed to. */
static bool has_effect(struct fn *fn, const struct ast_expr *e)
{
    if (!e)
        return false;
    switch (e->kind) {
    case AST_ASSIGN:
    case AST_PREFIX:
    case AST_POSTFIX:
    case AST_DECL:
        return true;
    case AST_CALL:
        if (lower_has(fn->lo, AST_HELPER, e->name) || !always_pure(e->name))
            return true;
        break;
    default:
        break;
    }
    for (unsigned i = 0; i < e->args.len; i++)
        if (has_effect(fn, e->args.data[i]))
            return true;
    return has_effect(fn, e->a) || has_effect(fn, e->b) || has_effect(fn, e->c);
}

static bool is_pure_call(struct rv r)
{
    return r.v && r.v->op == IR_CALL && r.v->callee->is_pure;
}

void judge_statement(struct fn *fn, const struct ast_expr *e, struct rv r)
{
    bool compares = e->kind == AST_BINARY && e->op == AST_OP_EQ, pure = is_pure_call(r);

    if (!r.ok)
        return;
    for (unsigned i = 0; pure && i < e->args.len; i++)
        pure = !has_effect(fn, e->args.data[i]);
    diag_judge(fn->lo->diag, WARN_USELESS, e->pos,
               !has_effect(fn, e) || (e->kind == AST_CALL && pure), "this has no effect%s",
               compares ? "; did you mean '='?" : "");
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Whether the block may leave the behaviour: by an exception, or in a helper. A fault of a memory
 * access does not count, since a loop must not rely on it to end. */
static bool may_leave(const struct ir_block *b)
{
    for (const struct ir_value *v = b->first; v; v = v->next) {
        if (v->op == IR_RET || v->op == IR_UNREACHABLE || v->op == IR_EXTERNAL)
            return true;
        if (v->op == IR_CALL && !v->callee->is_pure && !v->callee->is_reading)
            return true;
        if (v->op == IR_INTRINSIC && v->fn->flags & IR_FN_NORETURN)
            return true;
    }
    return false;
}

enum { IN_LOOP = 1, VISITED = 2 };

/* Whether a path from the block leaves the loop. */
static bool leads_out(struct ir_block *b, const struct ir_block *test)
{
    b->mark |= VISITED;
    if (may_leave(b))
        return true;
    if (!b->last || !ir_is_term(b->last))
        return false;
    vec_for_each (&b->last->targets, t) {
        if (!((*t)->mark & IN_LOOP) && b != test)
            return true;
        if ((*t)->mark & IN_LOOP && !((*t)->mark & VISITED) && leads_out(*t, test))
            return true;
    }
    return false;
}

/* Flags per variable that the blocks from `first` on write. */
static const bool *written_in(const struct ir_func *f, unsigned first, struct arena *a)
{
    bool *written = arena_alloc(a, f->vars.len);

    for (unsigned i = first; i < f->blocks.len; i++)
        for (const struct ir_value *v = f->blocks.data[i]->first; v; v = v->next)
            if (v->op == IR_VAR_WRITE)
                written[v->var->id] = true;
    return written;
}

/* Whether the value is loop-invariant. Visited values are marked, since a value may be an operand
 * twice. */
static bool is_invariant(struct ir_value *v, const bool *written)
{
    if (v->mark || v->op == IR_PARAM || v->op == IR_CONST || v->op == IR_FIELD || v->op == IR_WORD)
        return true;
    if (v->op == IR_VAR_READ)
        return !written[v->var->id];
    if (!ir_is_pure(v) || v->op == IR_INTRINSIC || v->op == IR_CALL)
        return false;
    v->mark = 1;
    vec_for_each (&v->ops, o)
        if (!is_invariant(*o, written))
            return false;
    return true;
}

static void unmark_operands(struct ir_value *v)
{
    if (!v->mark)
        return;
    v->mark = 0;
    vec_for_each (&v->ops, o)
        unmark_operands(*o);
}

static bool is_loop_invariant(const struct ir_func *f, struct ir_value *v, unsigned first)
{
    struct arena scratch = {0};
    bool same = is_invariant(v, written_in(f, first, &scratch));

    unmark_operands(v);
    arena_free(&scratch);
    return same;
}

void judge_loop(struct fn *fn, struct src_pos pos, unsigned first, const struct ir_block *test,
                const struct ir_block *end)
{
    struct ir_func *f = fn->func;
    const struct ir_value *last = test->last;
    bool holds = last && last->op == IR_BR;
    bool stays = last && last->op == IR_CBR && last->ops.data[0]->op != IR_CONST &&
                 is_loop_invariant(f, last->ops.data[0], first);

    for (unsigned i = first; i < f->blocks.len; i++)
        f->blocks.data[i]->mark = f->blocks.data[i] == end ? 0 : IN_LOOP;
    diag_judge(fn->lo->diag, WARN_ENDLESS, pos,
               (holds || stays) && !leads_out(f->blocks.data[first], holds ? NULL : test),
               holds ? "this loop cannot end: nothing in it leaves it"
                     : "this loop cannot end: nothing in it changes its condition");
}

/* ---- variables ------------------------------------------------------------------------------- */

/* Variables that are live at the start of each block */
struct liveness {
    const struct ir_func *f;
    unsigned nvars;
    bool *live_in; /* by block (its number is block->mark) and variable */
};

static bool *live_in_of(const struct liveness *l, const struct ir_block *b)
{
    return &l->live_in[b->mark * l->nvars];
}

/* Walks back through a block: `live` is the set at its end, then the set at its start. Judges
 * stores if `fn` is given. */
static void walk_back(struct fn *fn, const struct ir_block *b, bool *live)
{
    for (const struct ir_value *v = b->last; v; v = v->prev) {
        if (v->op == IR_VAR_READ)
            live[v->var->id] = true;
        if (v->op != IR_VAR_WRITE)
            continue;
        if (fn && v->mark)
            diag_judge(fn->lo->diag, WARN_UNUSED_VALUE, v->pos, !live[v->var->id],
                       "nothing reads this value of '%s'", v->var->name);
        live[v->var->id] = false;
    }
}

static void live_at_end(const struct liveness *l, const struct ir_block *b, bool *live)
{
    memset(live, 0, l->nvars);
    vec_for_each (&b->last->targets, t)
        for (unsigned i = 0; i < l->nvars; i++)
            live[i] |= live_in_of(l, *t)[i];
}

static void compute_liveness(const struct liveness *l, bool *live)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (unsigned i = l->f->blocks.len; i-- > 0;) {
            const struct ir_block *b = l->f->blocks.data[i];

            live_at_end(l, b, live);
            walk_back(NULL, b, live);
            if (!memcmp(live, live_in_of(l, b), l->nvars))
                continue;
            memcpy(live_in_of(l, b), live, l->nvars);
            changed = true;
        }
    }
}

/* Sets the flag of each variable that reachable code reads. */
static void find_reads(const struct ir_func *f, bool *read)
{
    vec_for_each (&f->blocks, b)
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_VAR_READ)
                read[v->var->id] = true;
}

void judge_variables(struct fn *fn)
{
    struct ir_func *f = fn->func;
    struct arena scratch = {0};
    struct liveness l = {.f = f, .nvars = f->vars.len};
    bool *read, *live;

    if (!fn->declared.len && !fn->stores.len)
        return;
    read = arena_alloc(&scratch, l.nvars);
    live = arena_alloc(&scratch, l.nvars);
    find_reads(f, read);
    vec_for_each (&fn->declared, d) {
        bool used = false;

        for (unsigned i = 0; i < d->count; i++)
            used |= read[d->vars[i]->id];
        diag_judge(fn->lo->diag, WARN_UNUSED_VARIABLE, d->pos, !used,
                   "nothing reads the variable '%s'", d->name);
    }
    l.live_in = arena_alloc(&scratch, (size_t)f->blocks.len * l.nvars);
    for (unsigned i = 0; i < f->blocks.len; i++)
        f->blocks.data[i]->mark = i;
    vec_for_each (&fn->stores, s)
        (*s)->mark = read[(*s)->var->id];
    compute_liveness(&l, live);
    vec_for_each (&f->blocks, b) {
        live_at_end(&l, *b, live);
        walk_back(fn, *b, live);
    }
    vec_for_each (&fn->stores, s)
        (*s)->mark = 0;
    arena_free(&scratch);
}
