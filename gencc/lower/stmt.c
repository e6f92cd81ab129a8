/*
 * Statements.
 */
#include "gencc/lower/internal.h"

static void close_scope(struct fn *fn, unsigned count)
{
    fn->vars.count = count;
    fn->depth--;
}

static void body(struct fn *fn, const struct ast_stmt *s)
{
    unsigned count = fn->vars.count;

    if (!s)
        return;
    fn->depth++;
    lower_stmt(fn, s);
    close_scope(fn, count);
}

/* Continues in `next`, coming from where the code is now unless that cannot be reached. */
static void join(struct fn *fn, struct ir_block *next)
{
    if (!fn->dead)
        ir_br(&fn->b, next);
}

static void start(struct fn *fn, struct ir_block *block)
{
    fn->b.block = block;
    fn->dead = false;
    fn->dead_reported = false;
}

/* Code after a terminator goes to a block nothing reaches. */
static void end_path(struct fn *fn)
{
    fn->dead = true;
    fn->b.block = ir_block_new(fn->func, "dead");
}

void fn_return(struct fn *fn, struct ir_value *value)
{
    struct ir_value *ops[33];
    unsigned n = 0;

    if (value)
        ops[n++] = value;
    vec_for_each (&fn->outs, v)
        ops[n++] = ir_var_read(&fn->b, *v);
    ir_ret(&fn->b, n, ops);
    end_path(fn);
}

void fn_raise(struct fn *fn, struct src_pos pos)
{
    if (fn->in_decode) {
        ir_ret(&fn->b, 1, (struct ir_value *[]){ir_const(&fn->b, IR_T_U8, 0)});
        end_path(fn);
        return;
    }
    lower_emit_intrinsic(fn, "undefined_instruction", 0, NULL, pos);
}

static void if_stmt(struct fn *fn, const struct ast_stmt *s)
{
    struct rv c = lower_condition(fn, s->expr);
    struct ir_block *yes, *no, *end;
    bool yes_dead;
    __int128 known;

    if (!c.ok)
        return;
    if (rv_constant(c, &known)) {
        body(fn, known ? s->a : s->b);
        return;
    }
    yes = ir_block_new(fn->func, "then");
    end = ir_block_new(fn->func, "end");
    no = s->b ? ir_block_new(fn->func, "else") : end;
    ir_cbr(&fn->b, c.v, yes, no);
    start(fn, yes);
    body(fn, s->a);
    join(fn, end);
    yes_dead = fn->dead;
    if (s->b) {
        start(fn, no);
        body(fn, s->b);
        join(fn, end);
        if (fn->dead && yes_dead) {
            end_path(fn);
            return;
        }
    }
    start(fn, end);
}

static void loop_body(struct fn *fn, const struct ast_stmt *s, struct ir_block *next,
                      struct ir_block *end)
{
    struct loop l = {.outer = fn->loops, .on_break = end, .on_continue = next};

    fn->loops = &l;
    body(fn, s);
    fn->loops = l.outer;
}

static void while_stmt(struct fn *fn, const struct ast_stmt *s)
{
    struct ir_block *head = ir_block_new(fn->func, "while");
    struct ir_block *in = ir_block_new(fn->func, "body"), *end = ir_block_new(fn->func, "end");
    struct rv c;

    ir_br(&fn->b, head);
    start(fn, head);
    c = rv_settle(fn, lower_condition(fn, s->expr));
    if (!c.ok)
        return;
    ir_cbr(&fn->b, c.v, in, end);
    start(fn, in);
    loop_body(fn, s->a, head, end);
    join(fn, head);
    start(fn, end);
}

static void do_stmt(struct fn *fn, const struct ast_stmt *s)
{
    struct ir_block *in = ir_block_new(fn->func, "do"), *test = ir_block_new(fn->func, "test");
    struct ir_block *end = ir_block_new(fn->func, "end");
    struct rv c;

    ir_br(&fn->b, in);
    start(fn, in);
    loop_body(fn, s->a, test, end);
    join(fn, test);
    start(fn, test);
    c = rv_settle(fn, lower_condition(fn, s->expr));
    if (!c.ok)
        return;
    ir_cbr(&fn->b, c.v, in, end);
    start(fn, end);
}

static void for_stmt(struct fn *fn, const struct ast_stmt *s)
{
    struct ir_block *head = ir_block_new(fn->func, "for"), *in = ir_block_new(fn->func, "body");
    struct ir_block *step = ir_block_new(fn->func, "step"), *end = ir_block_new(fn->func, "end");
    unsigned count = fn->vars.count;
    struct rv c = rv_literal(1);

    fn->depth++;
    if (s->init && !lower_expr(fn, s->init).ok) {
        close_scope(fn, count);
        return;
    }
    ir_br(&fn->b, head);
    start(fn, head);
    if (s->expr)
        c = lower_condition(fn, s->expr);
    c = rv_settle(fn, c);
    if (c.ok) {
        ir_cbr(&fn->b, c.v, in, end);
        start(fn, in);
        loop_body(fn, s->a, step, end);
        join(fn, step);
        start(fn, step);
        if (s->step)
            lower_expr(fn, s->step);
        ir_br(&fn->b, head);
        start(fn, end);
    }
    close_scope(fn, count);
}

/* ---- switch ---------------------------------------------------------------------------------- */

static bool is_label(const struct ast_stmt *s)
{
    return s->kind == AST_CASE || s->kind == AST_DEFAULT;
}

static void add_case(struct fn *fn, struct ir_value *sw, const struct ast_stmt *label,
                     struct ir_block *to)
{
    if (label->kind == AST_DEFAULT) {
        sw->targets.at[0] = to;
        return;
    }
    vec_for_each (&label->labels, l) {
        struct rv r = lower_expr_as(fn, *l, sw->ops.at[0]->type);
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

/* The statements of one case: the label's own body and what follows up to the next label. */
static unsigned case_body(struct fn *fn, const struct ast_stmt *s, unsigned at)
{
    const struct ast_stmt *label = s->body.at[at];

    vec_for_each (&label->body, b)
        lower_stmt(fn, *b);
    for (at++; at < s->body.count && !is_label(s->body.at[at]); at++)
        lower_stmt(fn, s->body.at[at]);
    return at;
}

static const struct ast_stmt *constant_case(struct fn *fn, const struct ast_stmt *s, __int128 value,
                                            unsigned *at)
{
    const struct ast_stmt *found = NULL;

    for (unsigned i = 0; i < s->body.count; i++) {
        const struct ast_stmt *c = s->body.at[i];

        if (c->kind == AST_DEFAULT && !found) {
            found = c;
            *at = i;
        }
        for (unsigned k = 0; c->kind == AST_CASE && k < c->labels.count; k++) {
            __int128 label;

            if (lower_constant(fn, c->labels.at[k], &label) && label == value) {
                *at = i;
                return c;
            }
        }
    }
    return found;
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

static void switch_stmt(struct fn *fn, const struct ast_stmt *s)
{
    struct rv v = lower_expr(fn, s->expr);
    struct ir_block *end, *to;
    struct ir_value *sw = NULL;
    struct loop l = {.outer = fn->loops};
    unsigned at = 0;
    __int128 known;
    bool reached = false, has_default = false;

    if (!v.ok)
        return;
    end = ir_block_new(fn->func, "end");
    l.on_break = end;
    l.on_continue = fn->loops ? fn->loops->on_continue : NULL;
    fn->loops = &l;
    if (rv_constant(v, &known)) {
        if (constant_case(fn, s, known, &at)) {
            while (at + 1 < s->body.count && !s->body.at[at]->body.count &&
                   is_label(s->body.at[at + 1]))
                at++;
            case_body(fn, s, at);
        }
        fn->loops = l.outer;
        join(fn, end);
        start(fn, end);
        return;
    }
    if (v.type.lanes != 1 || !ir_is_int(v.type)) {
        diag_error(fn->lo->diag, s->expr->pos, "switch needs a scalar integer");
        return;
    }
    sw = ir_switch(&fn->b, v.v, end);
    while (at < s->body.count) {
        if (!is_label(s->body.at[at])) {
            diag_error(fn->lo->diag, s->body.at[at]->pos, "expected 'case' or 'default'");
            break;
        }
        to = ir_block_new(fn->func, "case");
        start(fn, to);
        for (;;) { /* labels without a body share the next one's */
            has_default |= s->body.at[at]->kind == AST_DEFAULT;
            add_case(fn, sw, s->body.at[at], to);
            if (s->body.at[at]->body.count || at + 1 >= s->body.count ||
                !is_label(s->body.at[at + 1]))
                break;
            at++;
        }
        fn->depth++;
        unsigned count = fn->vars.count;

        at = case_body(fn, s, at);
        close_scope(fn, count);
        join(fn, end);
    }
    fn->loops = l.outer;
    reached = !has_default || is_target(fn->func, end);
    if (reached)
        start(fn, end);
    else
        end_path(fn);
}

static void jump(struct fn *fn, const struct ast_stmt *s)
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
    ir_br(&fn->b, to);
    end_path(fn);
}

static void return_stmt(struct fn *fn, const struct ast_stmt *s)
{
    struct rv r;

    if (!s->expr) {
        if (!ir_is_void(fn->result) && !fn->in_decode) {
            diag_error(fn->lo->diag, s->pos, "expected a value of type %s",
                       type_text(fn, fn->result));
            return;
        }
        fn_return(fn, fn->in_decode ? ir_const(&fn->b, IR_T_U8, 1) : NULL);
        return;
    }
    if (ir_is_void(fn->result)) {
        diag_error(fn->lo->diag, s->pos, "this function returns no value");
        return;
    }
    r = lower_expr_as(fn, s->expr, fn->result);
    if (r.ok)
        fn_return(fn, r.v);
}

static void report_dead(struct fn *fn, const struct ast_stmt *s)
{
    /* A break that closes a case after a return is habit, not a mistake. */
    if (fn->dead_reported || s->kind == AST_BREAK || s->kind == AST_RETURN)
        return;
    diag_warning(fn->lo->diag, s->pos, "unreachable code");
    fn->dead_reported = true;
}

void lower_stmt(struct fn *fn, const struct ast_stmt *s)
{
    unsigned count = fn->vars.count;

    fn->b.pos = s->pos;
    if (fn->dead)
        report_dead(fn, s);
    switch (s->kind) {
    case AST_EXPR:
        lower_expr(fn, s->expr);
        break;
    case AST_BLOCK:
        fn->depth++;
        vec_for_each (&s->body, it)
            lower_stmt(fn, *it);
        close_scope(fn, count);
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
    case AST_CASE:
    case AST_DEFAULT:
        diag_error(fn->lo->diag, s->pos, "a case label outside of a switch");
        break;
    case AST_BREAK:
    case AST_CONTINUE:
        jump(fn, s);
        break;
    case AST_RETURN:
        return_stmt(fn, s);
        break;
    case AST_RAISE:
        fn_raise(fn, s->pos);
        break;
    }
}
