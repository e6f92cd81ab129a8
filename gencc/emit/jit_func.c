/*
 * Bodies of translators.
 *
 * Blocks that are fixed are C of the translator: a fixed branch is an `if` with a goto, a PHI in
 * such a block an assignment. They come first, since only fixed blocks lead to them. All others are
 * blocks of the code being built, made when the first edge to them is, and filled in reverse
 * postorder; one to which no edge was made is not built.
 */
#include "gencc/emit/jit.h"

#include <string.h>

/* ---- variables ------------------------------------------------------------------------------- */

static void declare_outputs(struct jfn *j, const struct ir_value *v)
{
    unsigned n = 0, outs = 0;

    if (j->c.at[v->id].skip)
        return;
    if (v->op == IR_CALL)
        outs = v->callee->outs.count;
    else if (v->op == IR_INTRINSIC || v->op == IR_EXTERNAL)
        for (unsigned i = 0; i < v->fn->params.count; i++)
            outs += v->fn->by_ref.at[i];
    while (n < outs)
        fprintf(j->c.o, "    jit_value o%u_%u __attribute__((unused)) = NULL;\n", v->id, ++n);
}

static void declare(struct jfn *j)
{
    vec_for_each (&j->c.f->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            const struct cvalue *cv = &j->c.at[v->id];

            declare_outputs(j, v);
            if (cv->skip || cv->place != PLACE_LOCAL || ir_is_void(v->type) || j->given[v->id])
                continue;
            if (j->known[v->id])
                fprintf(j->c.o, "    %s v%u = 0;\n", ctype(j->c.e, v->type), v->id);
            else
                fprintf(j->c.o, "    jit_value v%u __attribute__((unused)) = NULL;\n", v->id);
        }
        if (!(*b)->fixed)
            fprintf(j->c.o, "    jit_block b%u = NULL;\n", (*b)->id);
    }
}

/* ---- edges ----------------------------------------------------------------------------------- */

static struct ir_value *phi_from(const struct ir_value *phi, const struct ir_block *pred)
{
    for (unsigned i = 0; i < phi->targets.count; i++)
        if (phi->targets.at[i] == pred)
            return phi->ops.at[i];
    return NULL;
}

/* Whether a PHI of `to` reads another on this edge: they take their values at once. */
static bool phis_conflict(struct jfn *j, const struct ir_block *from, const struct ir_block *to)
{
    for (const struct ir_value *v = to->first; v && v->op == IR_PHI; v = v->next) {
        const struct ir_value *in = phi_from(v, from);

        if (!j->c.at[v->id].skip && in && in->op == IR_PHI && in->block == to && in != v)
            return true;
    }
    return false;
}

static void assign_value(struct jfn *j, const struct ir_value *phi, const struct ir_value *in)
{
    if (j->known[phi->id])
        cexpr(&j->c, in);
    else
        jit_expr(j, in);
    fputs(";\n", j->c.o);
}

/* To a fixed block: its PHIs are variables of C. */
static void fixed_edge(struct jfn *j, const struct ir_block *from, const struct ir_block *to,
                       const char *indent)
{
    bool copies = phis_conflict(j, from, to);

    for (int round = copies ? 0 : 1; round < 2; round++) {
        for (const struct ir_value *v = to->first; v && v->op == IR_PHI; v = v->next) {
            const struct ir_value *in = phi_from(v, from);

            if (j->c.at[v->id].skip || !in || in == v)
                continue;
            if (round == 0) {
                fprintf(j->c.o, "%sconst %s t%u = ", indent,
                        j->known[v->id] ? ctype(j->c.e, v->type) : "jit_value", v->id);
                assign_value(j, v, in);
            } else if (copies) {
                fprintf(j->c.o, "%sv%u = t%u;\n", indent, v->id, v->id);
            } else {
                fprintf(j->c.o, "%sv%u = ", indent, v->id);
                assign_value(j, v, in);
            }
        }
    }
    fprintf(j->c.o, "%sgoto f%u;\n", indent, to->id);
}

/* Makes the block if it is not there, and gives its PHIs their values on the edge that follows. */
static void built_edge(struct jfn *j, const struct ir_block *from, const struct ir_block *to,
                       const char *indent)
{
    FILE *o = j->c.o;

    fprintf(o, "%sif (!b%u) {\n%s    b%u = jit_block_new(j);\n", indent, to->id, indent, to->id);
    for (const struct ir_value *v = to->first; v && v->op == IR_PHI; v = v->next)
        if (!j->c.at[v->id].skip)
            fprintf(o, "%s    v%u = jit_phi(j, b%u, %s);\n", indent, v->id, to->id,
                    jit_type_text(j->c.e, v->type));
    fprintf(o, "%s}\n", indent);
    for (const struct ir_value *v = to->first; v && v->op == IR_PHI; v = v->next) {
        if (j->c.at[v->id].skip)
            continue;
        fprintf(o, "%sjit_phi_in(j, v%u, ", indent, v->id);
        jit_expr(j, phi_from(v, from));
        fputs(");\n", o);
    }
}

/* What follows when the translator has built all of a fixed block but is not done. */
static void go_on(struct jfn *j, const struct ir_block *from, const char *indent)
{
    if (from->fixed)
        fprintf(j->c.o, "%sgoto built;\n", indent);
}

static void go_to(struct jfn *j, const struct ir_block *from, const struct ir_block *to,
                  const char *indent)
{
    if (to->fixed) {
        fixed_edge(j, from, to, indent);
        return;
    }
    built_edge(j, from, to, indent);
    fprintf(j->c.o, "%sjit_goto(j, b%u);\n", indent, to->id);
    go_on(j, from, indent);
}

/* ---- terminators ----------------------------------------------------------------------------- */

static void branch(struct jfn *j, const struct ir_value *v)
{
    const struct ir_block *yes = v->targets.at[0], *no = v->targets.at[1];

    if (j->known[v->ops.at[0]->id]) {
        fputs("    if (", j->c.o);
        cexpr(&j->c, v->ops.at[0]);
        fputs(") {\n", j->c.o);
        go_to(j, v->block, yes, "        ");
        fputs("    } else {\n", j->c.o);
        go_to(j, v->block, no, "        ");
        fputs("    }\n", j->c.o);
        return;
    }
    built_edge(j, v->block, yes, "    ");
    built_edge(j, v->block, no, "    ");
    fputs("    jit_branch(j, ", j->c.o);
    jit_expr(j, v->ops.at[0]);
    fprintf(j->c.o, ", b%u, b%u);\n", yes->id, no->id);
    go_on(j, v->block, "    ");
}

static void fixed_switch(struct jfn *j, const struct ir_value *v)
{
    fputs("    switch (", j->c.o);
    cexpr(&j->c, v->ops.at[0]);
    fputs(") {\n", j->c.o);
    for (unsigned i = 0; i < v->cases.count; i++) {
        fputs("    case ", j->c.o);
        cconst(&j->c, v->ops.at[0]->type, v->cases.at[i]);
        fputs(": {\n", j->c.o);
        go_to(j, v->block, v->targets.at[i + 1], "        ");
        fputs("        break;\n    }\n", j->c.o);
    }
    fputs("    default: {\n", j->c.o);
    go_to(j, v->block, v->targets.at[0], "        ");
    fputs("        break;\n    }\n    }\n", j->c.o);
}

static void switch_to(struct jfn *j, const struct ir_value *v)
{
    FILE *o = j->c.o;

    if (j->known[v->ops.at[0]->id]) {
        fixed_switch(j, v);
        return;
    }
    vec_for_each (&v->targets, to)
        built_edge(j, v->block, *to, "    ");
    fputs("    jit_switch(j, ", o);
    jit_expr(j, v->ops.at[0]);
    fprintf(o, ", b%u, %u,\n        (const uint64_t[]){", v->targets.at[0]->id, v->cases.count);
    for (unsigned i = 0; i < v->cases.count; i++)
        fprintf(o, "%s%#llx", i ? ", " : "", (unsigned long long)v->cases.at[i]);
    fputs("},\n        (const jit_block[]){", o);
    for (unsigned i = 0; i < v->cases.count; i++)
        fprintf(o, "%sb%u", i ? ", " : "", v->targets.at[i + 1]->id);
    fputs("});\n", o);
    go_on(j, v->block, "    ");
}

static void terminator(struct jfn *j, const struct ir_value *v)
{
    switch (v->op) {
    case IR_BR:
        fputs("    {\n", j->c.o);
        go_to(j, v->block, v->targets.at[0], "        ");
        fputs("    }\n", j->c.o);
        break;
    case IR_CBR:
        branch(j, v);
        break;
    case IR_SWITCH:
        switch_to(j, v);
        break;
    default:
        fputs(v->op == IR_RET ? "    jit_done(j);\n" : "    jit_unreachable(j);\n", j->c.o);
        go_on(j, v->block, "    ");
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static void statement(struct jfn *j, struct ir_value *v)
{
    if (j->known[v->id]) {
        cfn_statement(&j->c, v);
        return;
    }
    if ((v->op == IR_CALL || v->op == IR_EXTERNAL || v->op == IR_INTRINSIC) &&
        !jit_is_expression(v)) {
        jit_call_statement(j, v);
        return;
    }
    if (ir_is_void(v->type))
        fputs("    ", j->c.o);
    else
        fprintf(j->c.o, "    v%u = ", v->id);
    jit_expr_open(j, v);
    fputs(";\n", j->c.o);
}

static void statements(struct jfn *j, const struct ir_block *b)
{
    for (struct ir_value *v = b->first; v; v = v->next) {
        const struct cvalue *cv = &j->c.at[v->id];

        if (ir_is_term(v))
            terminator(j, v);
        else if (!cv->skip && cv->place == PLACE_LOCAL && v->op != IR_PHI && !j->given[v->id])
            statement(j, v);
    }
}

static bool one_block(const struct jfn *j)
{
    return j->c.f->blocks.count == 1;
}

void jit_body(struct jfn *j)
{
    bool any_built = false;

    declare(j);
    fputc('\n', j->c.o);
    if (one_block(j)) {
        j->c.f->blocks.at[0]->fixed = false; /* nothing follows it */
        statements(j, j->c.f->blocks.at[0]);
        return;
    }
    vec_for_each (&j->c.f->blocks, b) {
        any_built |= !(*b)->fixed;
        if (!(*b)->fixed)
            continue;
        if (b != j->c.f->blocks.at)
            fprintf(j->c.o, "f%u: __attribute__((unused));\n", (*b)->id);
        statements(j, *b);
    }
    fputs("built: __attribute__((unused));\n", j->c.o);
    vec_for_each (&j->c.f->blocks, b) {
        if ((*b)->fixed)
            continue;
        fprintf(j->c.o, "    if (!b%u)\n        goto end%u;\n    jit_at(j, b%u);\n", (*b)->id,
                (*b)->id, (*b)->id);
        statements(j, *b);
        fprintf(j->c.o, "end%u: __attribute__((unused));\n", (*b)->id);
    }
    fputs("    return;\n", j->c.o);
}
