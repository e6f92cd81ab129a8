/*
 * C of function bodies: variables, statements, control flow.
 */
#include "gencc/emit/body.h"
#include "gencc/emit/c_dialect.h"
#include "gencc/emit/ctype.h"
#include "gencc/ir/pass.h"

/* ---- variables ------------------------------------------------------------------------------- */

unsigned body_outputs(const struct ir_value *call)
{
    unsigned n = 0;

    if (call->op == IR_CALL)
        return call->callee->outs.len;
    if (ir_is_call(call))
        vec_for_each (&call->fn->by_ref, ref)
            n += *ref;
    return n;
}

static void declare_variables(struct body *b, const struct ir_value *v)
{
    if (b->at[v->id].skip)
        return;
    /* A call's result may be unused. */
    if (b->at[v->id].place == PLACE_LOCAL && !ir_is_void(v->type))
        fprintf(b->o, "    %s v%u%s;\n", expr_variable_type(b, v), v->id,
                ir_is_call(v) ? " __attribute__((unused))" : "");
    for (unsigned n = 1; n <= body_outputs(v); n++)
        fprintf(b->o, "    %s o%u_%u __attribute__((unused));\n", ctype(b->e, ir_output_type(v, n)),
                v->id, n);
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Variables whose address is passed to a call get a scope of their own around the call. Otherwise
 * the C compiler must assume that they are live when the handler calls the next one, and cannot
 * make that a tail call. */
static unsigned open_references(struct body *b, const struct ir_value *v)
{
    unsigned n = 0;

    if (v->op == IR_INTRINSIC || !body_outputs(v))
        return 0;
    fputs("    {\n", b->o);
    if (v->op == IR_CALL) {
        vec_for_each (&v->callee->outs, t)
            fprintf(b->o, "    %s a%u;\n", ctype(b->e, *t), ++n);
        return n;
    }
    for (unsigned i = 0; i < v->fn->params.len; i++) {
        if (!v->fn->by_ref.data[i])
            continue;
        fprintf(b->o, "    %s a%u = ", ctype(b->e, v->fn->params.data[i]), ++n);
        expr(b, v->ops.data[i]);
        fputs(";\n", b->o);
    }
    return n;
}

static void close_references(struct body *b, const struct ir_value *v, unsigned n)
{
    for (unsigned i = 1; i <= n; i++)
        fprintf(b->o, "    o%u_%u = a%u;\n", v->id, i, i);
    if (n)
        fputs("    }\n", b->o);
}

static bool gives_nothing(const struct ir_value *v)
{
    if (v->op == IR_CALL)
        return ir_is_void(v->callee->result);
    return ir_is_void(ir_is_call(v) ? v->fn->result : v->type);
}

void body_statement(struct body *b, struct ir_value *v)
{
    unsigned references = open_references(b, v);

    fputs("    ", b->o);
    if (v->op == IR_INSERT) {
        fprintf(b->o, "v%u = ", v->id);
        expr(b, v->ops.data[0]);
        fprintf(b->o, ";\n    v%u", v->id);
    } else if (!gives_nothing(v)) {
        fprintf(b->o, "v%u = ", v->id);
    }
    expr_open(b, v);
    fputs(";\n", b->o);
    close_references(b, v, references);
}

/* ---- edges ----------------------------------------------------------------------------------- */

static bool needs_phis(struct body *b, const struct ir_block *to)
{
    for (const struct ir_value *v = to->first; v && v->op == IR_PHI; v = v->next)
        if (!b->at[v->id].skip)
            return true;
    return false;
}

/* PHIs of a block are assigned simultaneously. A PHI that reads another of the same block needs
 * copies. */
static bool phis_conflict(struct body *b, const struct ir_block *from, const struct ir_block *to)
{
    for (const struct ir_value *v = to->first; v && v->op == IR_PHI; v = v->next) {
        const struct ir_value *in = ir_phi_from(v, from);

        if (!b->at[v->id].skip && in && in->op == IR_PHI && in->block == to && in != v)
            return true;
    }
    return false;
}

void body_move_phis(struct body *b, const struct ir_block *from, const struct ir_block *to,
                    const char *indent)
{
    bool copies = phis_conflict(b, from, to);
    const struct dialect *own = b->dialect;

    for (int round = copies ? 0 : 1; round < 2; round++) {
        for (const struct ir_value *v = to->first; v && v->op == IR_PHI; v = v->next) {
            const struct ir_value *in = ir_phi_from(v, from);

            if (b->at[v->id].skip || !in || in == v)
                continue;
            b->dialect = expr_owner(b, v);
            if (copies && round == 0)
                fprintf(b->o, "%sconst %s t%u = ", indent, expr_variable_type(b, v), v->id);
            else
                fprintf(b->o, "%sv%u = ", indent, v->id);
            if (copies && round == 1)
                fprintf(b->o, "t%u", v->id);
            else
                expr(b, in);
            fputs(";\n", b->o);
            b->dialect = own;
        }
    }
}

static void write_edge(struct body *b, const struct ir_block *from, const struct ir_block *to)
{
    body_move_phis(b, from, to, "        ");
    fprintf(b->o, "        goto b%u;\n    }\n", to->id);
}

/* ---- terminators ----------------------------------------------------------------------------- */

static void write_branch(struct body *b, const struct ir_value *v, const struct ir_block *next)
{
    const struct ir_block *yes = v->targets.data[0], *no = v->targets.data[1];

    fputs("    if (", b->o);
    expr(b, v->ops.data[0]);
    fputs(") {\n", b->o);
    write_edge(b, v->block, yes);
    if (no != next || needs_phis(b, no)) {
        fputs("    {\n", b->o);
        write_edge(b, v->block, no);
    }
}

static void switch_to(struct body *b, const struct ir_value *v)
{
    fputs("    switch (", b->o);
    expr(b, v->ops.data[0]);
    fputs(") {\n", b->o);
    for (unsigned i = 0; i < v->cases.len; i++) {
        fprintf(b->o, "    case %s: {\n", c_constant(b->e, v->ops.data[0]->type, v->cases.data[i]));
        write_edge(b, v->block, v->targets.data[i + 1]);
    }
    fputs("    default: {\n", b->o);
    write_edge(b, v->block, v->targets.data[0]);
    fputs("    }\n", b->o);
}

static void write_terminator(struct body *b, const struct ir_value *v, const struct ir_block *next)
{
    switch (v->op) {
    case IR_BR:
        if (v->targets.data[0] == next && !needs_phis(b, next))
            return;
        fputs("    {\n", b->o);
        write_edge(b, v->block, v->targets.data[0]);
        break;
    case IR_CBR:
        write_branch(b, v, next);
        break;
    case IR_SWITCH:
        switch_to(b, v);
        break;
    default:
        expr_leave(b, v);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

void body_write(struct body *b)
{
    vec_for_each (&b->f->blocks, it)
        for (const struct ir_value *v = (*it)->first; v; v = v->next)
            declare_variables(b, v);
    for (unsigned i = 0; i < b->f->blocks.len; i++) {
        const struct ir_block *here = b->f->blocks.data[i];
        const struct ir_block *next = i + 1 < b->f->blocks.len ? b->f->blocks.data[i + 1] : NULL;

        if (i)
            fprintf(b->o, "b%u: __attribute__((unused));\n", here->id);
        for (struct ir_value *v = here->first; v; v = v->next) {
            if (ir_is_term(v))
                write_terminator(b, v, next);
            else if (!b->at[v->id].skip && b->at[v->id].place == PLACE_LOCAL && v->op != IR_PHI)
                body_statement(b, v);
        }
    }
}

void body_where_from(FILE *o, const struct ir_func *f)
{
    if (f->pos.file)
        fprintf(o, "/* %s */\n", f->pos.file->path);
}
