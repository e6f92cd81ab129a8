/*
 * Lowers statements.
 */
#include "gencc/lower/internal.h"

static void close_scope(struct fn *fn, unsigned count)
{
    fn->vars.len = count;
    fn->depth--;
}

static void lower_body(struct fn *fn, const struct ast_stmt *s)
{
    unsigned count = fn->vars.len;

    if (!s)
        return;
    fn->depth++;
    lower_stmt(fn, s);
    close_scope(fn, count);
}

/* Branches to `next`, unless the current code is unreachable. */
static void branch_to(struct fn *fn, struct ir_block *next)
{
    if (!fn->is_dead)
        ir_br(&fn->b, next);
}

static void start_block(struct fn *fn, struct ir_block *block)
{
    fn->b.block = block;
    fn->is_dead = false;
    fn->dead_reported = false;
}

/* After a terminator, code continues in a block without predecessors. */
static void end_path(struct fn *fn)
{
    fn->is_dead = true;
    fn->b.block = ir_block_new(fn->func, "dead");
}

static bool is_target(const struct ir_func *f, const struct ir_block *block)
{
    vec_for_each (&f->blocks, b)
        if ((*b)->last)
            vec_for_each (&(*b)->last->targets, t)
                if (*t == block)
                    return true;
    return false;
}

/* Continues behind a loop or switch if a path leads there. */
static void leave_loop(struct fn *fn, struct ir_block *end)
{
    if (is_target(fn->func, end))
        start_block(fn, end);
    else
        end_path(fn);
}

/* Branches into the loop's body or to its end. A condition that always holds needs no test. */
static void loop_test(struct fn *fn, struct rv condition, struct ir_block *in, struct ir_block *end)
{
    __int128 known;

    if (rv_constant(condition, &known) && known)
        ir_br(&fn->b, in);
    else
        ir_cbr(&fn->b, rv_typed(fn, condition).v, in, end);
}

void fn_return(struct fn *fn, unsigned n, struct ir_value *const *values)
{
    VEC(struct ir_value *) ops = {0};

    for (unsigned i = 0; i < n; i++)
        vec_push_in(fn->lo->arena, &ops, values[i]);
    vec_for_each (&fn->outs, v)
        vec_push_in(fn->lo->arena, &ops, ir_var_read(&fn->b, *v));
    ir_ret(&fn->b, ops.len, ops.data);
    end_path(fn);
}

void fn_raise(struct fn *fn, struct src_pos pos)
{
    if (fn->in_decode) {
        ir_ret(&fn->b, 1, (struct ir_value *[]){ir_const(&fn->b, IR_T_U8, 0)});
        end_path(fn);
        return;
    }
    lower_emit_intrinsic(fn, IR_I_UNDEFINED_INSTRUCTION, 0, NULL, pos);
}

static bool is_literal_expression(const struct ast_expr *e)
{
    return !e || e->kind == AST_INT ||
           ((e->kind == AST_UNARY || e->kind == AST_BINARY) && is_literal_expression(e->a) &&
            is_literal_expression(e->b));
}

/* Warns of an `if` whose condition is constant, and of code that it never executes. A condition
 * that names types or constants may differ in other instances, so only literals are judged. */
static void judge_known(struct fn *fn, const struct ast_stmt *s, bool holds)
{
    const struct ast_stmt *left_out = holds ? s->b : s->a;

    if (fn->is_dead || !is_literal_expression(s->expr))
        return;
    if (left_out)
        diag_judge(fn->lo->diag, WARN_UNREACHABLE, left_out->pos, true,
                   "this code is never reached");
    else
        diag_judge(fn->lo->diag, WARN_COMPARISON, s->pos, true, "the condition is always %s",
                   holds ? "true" : "false");
}

LOWER_KIND void if_stmt(struct fn *fn, const struct ast_stmt *s)
{
    struct rv c = lower_condition(fn, s->expr);
    struct ir_block *yes, *no, *end;
    bool yes_dead;
    __int128 known;

    if (!c.ok)
        return;
    if (rv_constant(c, &known)) {
        judge_known(fn, s, known != 0);
        lower_body(fn, known ? s->a : s->b);
        return;
    }
    yes = ir_block_new(fn->func, "then");
    end = ir_block_new(fn->func, "end");
    no = s->b ? ir_block_new(fn->func, "else") : end;
    ir_cbr(&fn->b, c.v, yes, no);
    start_block(fn, yes);
    lower_body(fn, s->a);
    branch_to(fn, end);
    yes_dead = fn->is_dead;
    if (s->b) {
        start_block(fn, no);
        lower_body(fn, s->b);
        branch_to(fn, end);
        if (fn->is_dead && yes_dead) {
            end_path(fn);
            return;
        }
    }
    start_block(fn, end);
}

static void loop_body(struct fn *fn, const struct ast_stmt *s, struct ir_block *next,
                      struct ir_block *end)
{
    struct loop l = {.outer = fn->loops, .on_break = end, .on_continue = next};

    fn->loops = &l;
    lower_body(fn, s);
    fn->loops = l.outer;
}

LOWER_KIND void while_stmt(struct fn *fn, const struct ast_stmt *s)
{
    unsigned first = fn->func->blocks.len;
    struct ir_block *head = ir_block_new(fn->func, "while");
    struct ir_block *in = ir_block_new(fn->func, "body"), *end = ir_block_new(fn->func, "end");
    const struct ir_block *test;
    struct rv c;

    ir_br(&fn->b, head);
    start_block(fn, head);
    c = lower_condition(fn, s->expr);
    if (!c.ok)
        return;
    test = fn->b.block;
    loop_test(fn, c, in, end);
    start_block(fn, in);
    loop_body(fn, s->a, head, end);
    branch_to(fn, head);
    judge_loop(fn, s->pos, first, test, end);
    leave_loop(fn, end);
}

LOWER_KIND void do_stmt(struct fn *fn, const struct ast_stmt *s)
{
    unsigned first = fn->func->blocks.len;
    struct ir_block *in = ir_block_new(fn->func, "do"), *test = ir_block_new(fn->func, "test");
    struct ir_block *end = ir_block_new(fn->func, "end");
    const struct ir_block *last;
    struct rv c;

    ir_br(&fn->b, in);
    start_block(fn, in);
    loop_body(fn, s->a, test, end);
    branch_to(fn, test);
    leave_loop(fn, test);
    c = lower_condition(fn, s->expr);
    if (!c.ok)
        return;
    if (!fn->is_dead) {
        last = fn->b.block;
        loop_test(fn, c, in, end);
        judge_loop(fn, s->pos, first, last, end);
    }
    leave_loop(fn, end);
}

LOWER_KIND void for_stmt(struct fn *fn, const struct ast_stmt *s)
{
    struct ir_block *head = ir_block_new(fn->func, "for"), *in = ir_block_new(fn->func, "body");
    struct ir_block *step = ir_block_new(fn->func, "step"), *end = ir_block_new(fn->func, "end");
    unsigned count = fn->vars.len, first = fn->func->blocks.len - 4;
    const struct ir_block *test;
    struct rv c = rv_literal(1);

    fn->depth++;
    if (s->init && !lower_value(fn, s->init).ok) {
        close_scope(fn, count);
        return;
    }
    ir_br(&fn->b, head);
    start_block(fn, head);
    if (s->expr)
        c = lower_condition(fn, s->expr);
    if (c.ok) {
        test = fn->b.block;
        loop_test(fn, c, in, end);
        start_block(fn, in);
        loop_body(fn, s->a, step, end);
        branch_to(fn, step);
        start_block(fn, step);
        if (s->step)
            lower_value(fn, s->step);
        ir_br(&fn->b, head);
        judge_loop(fn, s->pos, first, test, end);
        leave_loop(fn, end);
    }
    close_scope(fn, count);
}

/* ---- switch ---------------------------------------------------------------------------------- */

static void add_case(struct fn *fn, struct ir_value *sw, const struct ast_stmt *label,
                     struct ir_block *to)
{
    if (label->kind == AST_DEFAULT) {
        sw->targets.data[0] = to;
        return;
    }
    vec_for_each (&label->labels, l) {
        struct rv r = lower_expr_as(fn, *l, sw->ops.data[0]->type);
        __int128 value;

        if (!r.ok)
            continue;
        if (!rv_constant(r, &value)) {
            diag_error(fn->lo->diag, (*l)->pos, "a case label must be constant");
            continue;
        }
        vec_for_each (&sw->cases, old) {
            if (*old == r.v->imm) {
                diag_error(fn->lo->diag, (*l)->pos, "this case value appears twice");
                return;
            }
        }
        ir_switch_case(fn->func, sw, r.v->imm, to);
    }
}

/* Lowers the statements of one case, in a scope of their own. */
static void case_body(struct fn *fn, const struct ast_stmt *label)
{
    unsigned count = fn->vars.len;

    fn->depth++;
    vec_for_each (&label->body, b)
        lower_stmt(fn, *b);
    close_scope(fn, count);
}

static const struct ast_stmt *constant_case(struct fn *fn, const struct ast_stmt *s, __int128 value)
{
    const struct ast_stmt *found = NULL;

    for (unsigned i = 0; i < s->body.len; i++) {
        const struct ast_stmt *c = s->body.data[i];

        if (c->kind == AST_DEFAULT)
            found = c;
        for (unsigned k = 0; k < c->labels.len; k++) {
            __int128 label;

            if (lower_constant(fn, c->labels.data[k], &label) && label == value)
                return c;
        }
    }
    return found;
}

/* Lowers a switch over a constant: the other cases are not even checked for types. */
static void known_switch(struct fn *fn, const struct ast_stmt *s, __int128 value,
                         struct ir_block *end)
{
    const struct ast_stmt *c = constant_case(fn, s, value);

    if (c)
        case_body(fn, c);
    branch_to(fn, end);
}

static void lower_cases(struct fn *fn, const struct ast_stmt *s, struct ir_value *sw,
                        struct ir_block *end)
{
    vec_for_each (&s->body, it) {
        struct ir_block *to = ir_block_new(fn->func, "case");

        start_block(fn, to);
        add_case(fn, sw, *it, to);
        case_body(fn, *it);
        branch_to(fn, end);
    }
}

LOWER_KIND void switch_stmt(struct fn *fn, const struct ast_stmt *s)
{
    struct rv v = lower_expr(fn, s->expr);
    struct loop l = {.outer = fn->loops};
    __int128 known;

    if (!v.ok)
        return;
    if (!v.is_literal && (v.type.lanes != 1 || !ir_is_int(v.type))) {
        diag_error(fn->lo->diag, s->expr->pos, "switch needs a scalar integer");
        return;
    }
    l.on_break = ir_block_new(fn->func, "end");
    l.on_continue = fn->loops ? fn->loops->on_continue : NULL;
    fn->loops = &l;
    if (rv_constant(v, &known))
        known_switch(fn, s, known, l.on_break);
    else
        lower_cases(fn, s, ir_switch(&fn->b, v.v, l.on_break), l.on_break);
    fn->loops = l.outer;
    leave_loop(fn, l.on_break);
}

static void lower_jump(struct fn *fn, const struct ast_stmt *s)
{
    struct ir_block *to = NULL;

    if (fn->loops)
        to = s->kind == AST_BREAK ? fn->loops->on_break : fn->loops->on_continue;
    if (!to) {
        diag_error(fn->lo->diag, s->pos, "'%s' outside of a loop%s",
                   s->kind == AST_BREAK ? "break" : "continue",
                   s->kind == AST_BREAK ? " or switch" : "");
        return;
    }
    if (fn->is_dead)
        return;
    ir_br(&fn->b, to);
    end_path(fn);
}

static void return_nothing(struct fn *fn, const struct ast_stmt *s)
{
    struct ir_value *accepted;

    if (fn->record) {
        diag_error(fn->lo->diag, s->pos, "expected a value of type struct %s",
                   fn->record->ast->name);
    } else if (fn->in_decode) {
        accepted = ir_const(&fn->b, IR_T_U8, 1);
        fn_return(fn, 1, &accepted);
    } else if (!ir_is_void(fn->result)) {
        diag_error(fn->lo->diag, s->pos, "expected a value of type %s", type_text(fn, fn->result));
    } else if (fn->leave) {
        ir_br(&fn->b, fn->leave);
        end_path(fn);
    } else {
        fn_return(fn, 0, NULL);
    }
}

LOWER_KIND void return_stmt(struct fn *fn, const struct ast_stmt *s)
{
    struct rv r;

    if (!s->expr) {
        return_nothing(fn, s);
        return;
    }
    if (fn->record) {
        r = lower_record_as(fn, s->expr, fn->record);
        if (r.ok)
            fn_return(fn, fn->record->leaves.len, r.leaves);
        return;
    }
    if (ir_is_void(fn->result)) {
        diag_error(fn->lo->diag, s->pos, "this function returns no value");
        return;
    }
    r = lower_expr_as(fn, s->expr, fn->result);
    if (r.ok)
        fn_return(fn, 1, &r.v);
}

static void judge_reached(struct fn *fn, const struct ast_stmt *s)
{
    /* A break after a return at the end of a case is harmless habit. */
    if (fn->dead_reported || s->kind == AST_BREAK || s->kind == AST_RETURN)
        return;
    diag_judge(fn->lo->diag, WARN_UNREACHABLE, s->pos, fn->is_dead, "this code cannot be reached");
    fn->dead_reported = fn->is_dead;
}

LOWER_KIND void block_stmt(struct fn *fn, const struct ast_stmt *s)
{
    unsigned count = fn->vars.len;

    fn->depth++;
    vec_for_each (&s->body, it)
        lower_stmt(fn, *it);
    close_scope(fn, count);
}

LOWER_KIND void expression_stmt(struct fn *fn, const struct ast_stmt *s)
{
    judge_statement(fn, s->expr, lower_value(fn, s->expr));
}

static void lower_kind(struct fn *fn, const struct ast_stmt *s)
{
    switch (s->kind) {
    case AST_EXPR:
        expression_stmt(fn, s);
        break;
    case AST_BLOCK:
        block_stmt(fn, s);
        break;
    case AST_IF:
        if_stmt(fn, s);
        break;
    case AST_WHILE:
        while_stmt(fn, s);
        break;
    case AST_DO:
        do_stmt(fn, s);
        break;
    case AST_FOR:
        for_stmt(fn, s);
        break;
    case AST_SWITCH:
        switch_stmt(fn, s);
        break;
    case AST_CASE: /* inside a switch, which handles its cases itself */
    case AST_DEFAULT:
        break;
    case AST_BREAK:
    case AST_CONTINUE:
        lower_jump(fn, s);
        break;
    case AST_RETURN:
        return_stmt(fn, s);
        break;
    case AST_RAISE:
        fn_raise(fn, s->pos);
        break;
    }
}

void lower_stmt(struct fn *fn, const struct ast_stmt *s)
{
    bool dead = fn->is_dead, reported;

    if (!lower_enter(fn, s->pos))
        return;
    fn->b.pos = s->pos;
    judge_reached(fn, s);
    reported = fn->dead_reported;
    lower_kind(fn, s);
    fn->lo->depth--;
    if (!dead)
        return;
    if (!fn->is_dead)
        end_path(fn); /* an if or loop follows a return */
    fn->dead_reported = reported;
}
