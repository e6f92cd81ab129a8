/*
 * Bodies of translators.
 *
 * Fixed blocks are C of the translator: a fixed branch is an `if` with a goto, and a PHI in such a
 * block an assignment. They come first, since only fixed blocks lead to them. All other blocks are
 * blocks of the built code. A block is made at the first edge to it. Blocks are filled in reverse
 * postorder; one without an edge is not built.
 */
#include "gencc/emit/c_dialect.h"
#include "gencc/emit/ctype.h"
#include "gencc/emit/jit.h"
#include "gencc/ir/pass.h"

/* ---- variables ------------------------------------------------------------------------------- */

static void declare_variables(struct translator *t)
{
    vec_for_each (&t->b.f->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            const struct placement *p = &t->b.at[v->id];

            if (p->skip)
                continue;
            for (unsigned n = 1; n <= body_outputs(v); n++)
                fprintf(t->b.o, "    jit_value o%u_%u __attribute__((unused)) = NULL;\n", v->id, n);
            if (p->place != PLACE_LOCAL || ir_is_void(v->type) || t->computed_first[v->id])
                continue;
            if (t->known[v->id])
                fprintf(t->b.o, "    %s v%u = 0;\n", ctype(t->b.e, v->type), v->id);
            else
                fprintf(t->b.o, "    jit_value v%u __attribute__((unused)) = NULL;\n", v->id);
        }
        if (!(*b)->fixed)
            fprintf(t->b.o, "    jit_block b%u = NULL;\n", (*b)->id);
    }
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* Makes the block if it does not exist, and gives its PHIs their values on the next edge. */
static void built_edge(struct translator *t, const struct ir_block *from, const struct ir_block *to,
                       const char *indent)
{
    FILE *o = t->b.o;

    fprintf(o, "%sif (!b%u) {\n%s    b%u = jit_block_new(j);\n", indent, to->id, indent, to->id);
    for (const struct ir_value *v = to->first; v && v->op == IR_PHI; v = v->next)
        if (!t->b.at[v->id].skip)
            fprintf(o, "%s    v%u = jit_phi(j, b%u, %s);\n", indent, v->id, to->id,
                    jit_type(t->b.e, v->type));
    fprintf(o, "%s}\n", indent);
    for (const struct ir_value *v = to->first; v && v->op == IR_PHI; v = v->next) {
        if (t->b.at[v->id].skip)
            continue;
        fprintf(o, "%sjit_phi_in(j, v%u, ", indent, v->id);
        expr(&t->b, ir_phi_from(v, from));
        fputs(");\n", o);
    }
}

/* Writes the jump to the built blocks behind the last fixed block. */
static void go_on(struct translator *t, const struct ir_block *from, const char *indent)
{
    if (from->fixed)
        fprintf(t->b.o, "%sgoto built;\n", indent);
}

static void go_to(struct translator *t, const struct ir_block *from, const struct ir_block *to,
                  const char *indent)
{
    if (to->fixed) { /* the PHIs are variables of C */
        body_move_phis(&t->b, from, to, indent);
        fprintf(t->b.o, "%sgoto f%u;\n", indent, to->id);
        return;
    }
    built_edge(t, from, to, indent);
    fprintf(t->b.o, "%sjit_goto(j, b%u);\n", indent, to->id);
    go_on(t, from, indent);
}

/* ---- terminators ----------------------------------------------------------------------------- */

static void write_branch(struct translator *t, const struct ir_value *v)
{
    const struct ir_block *yes = v->targets.data[0], *no = v->targets.data[1];

    if (t->known[v->ops.data[0]->id]) {
        fputs("    if (", t->b.o);
        expr_in(&t->b, t->host, v->ops.data[0]);
        fputs(") {\n", t->b.o);
        go_to(t, v->block, yes, "        ");
        fputs("    } else {\n", t->b.o);
        go_to(t, v->block, no, "        ");
        fputs("    }\n", t->b.o);
        return;
    }
    built_edge(t, v->block, yes, "    ");
    built_edge(t, v->block, no, "    ");
    fputs("    jit_branch(j, ", t->b.o);
    expr(&t->b, v->ops.data[0]);
    fprintf(t->b.o, ", b%u, b%u);\n", yes->id, no->id);
    go_on(t, v->block, "    ");
}

static void fixed_switch(struct translator *t, const struct ir_value *v)
{
    fputs("    switch (", t->b.o);
    expr_in(&t->b, t->host, v->ops.data[0]);
    fputs(") {\n", t->b.o);
    for (unsigned i = 0; i < v->cases.len; i++) {
        fprintf(t->b.o, "    case %s: {\n",
                c_constant(t->b.e, v->ops.data[0]->type, v->cases.data[i]));
        go_to(t, v->block, v->targets.data[i + 1], "        ");
        fputs("        break;\n    }\n", t->b.o);
    }
    fputs("    default: {\n", t->b.o);
    go_to(t, v->block, v->targets.data[0], "        ");
    fputs("        break;\n    }\n    }\n", t->b.o);
}

static void switch_to(struct translator *t, const struct ir_value *v)
{
    FILE *o = t->b.o;

    if (t->known[v->ops.data[0]->id]) {
        fixed_switch(t, v);
        return;
    }
    vec_for_each (&v->targets, to)
        built_edge(t, v->block, *to, "    ");
    fputs("    jit_switch(j, ", o);
    expr(&t->b, v->ops.data[0]);
    fprintf(o, ", b%u, %u,\n        (const uint64_t[]){", v->targets.data[0]->id, v->cases.len);
    for (unsigned i = 0; i < v->cases.len; i++)
        fprintf(o, "%s%#llx", i ? ", " : "", (unsigned long long)v->cases.data[i]);
    fputs("},\n        (const jit_block[]){", o);
    for (unsigned i = 0; i < v->cases.len; i++)
        fprintf(o, "%sb%u", i ? ", " : "", v->targets.data[i + 1]->id);
    fputs("});\n", o);
    go_on(t, v->block, "    ");
}

static void write_terminator(struct translator *t, const struct ir_value *v)
{
    switch (v->op) {
    case IR_BR:
        fputs("    {\n", t->b.o);
        go_to(t, v->block, v->targets.data[0], "        ");
        fputs("    }\n", t->b.o);
        break;
    case IR_CBR:
        write_branch(t, v);
        break;
    case IR_SWITCH:
        switch_to(t, v);
        break;
    default:
        fputs(v->op == IR_RET ? "    jit_done(j);\n" : "    jit_unreachable(j);\n", t->b.o);
        go_on(t, v->block, "    ");
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static void write_statement(struct translator *t, struct ir_value *v)
{
    if (t->known[v->id]) {
        t->b.dialect = t->host;
        body_statement(&t->b, v);
        t->b.dialect = t->built;
        return;
    }
    if (ir_is_call(v) && !jit_is_expression(t, v)) {
        jit_call_statement(t, v);
        return;
    }
    if (ir_is_void(v->type))
        fputs("    ", t->b.o);
    else
        fprintf(t->b.o, "    v%u = ", v->id);
    expr_open(&t->b, v);
    fputs(";\n", t->b.o);
}

static void write_statements(struct translator *t, const struct ir_block *b)
{
    for (struct ir_value *v = b->first; v; v = v->next) {
        const struct placement *p = &t->b.at[v->id];

        if (ir_is_term(v))
            write_terminator(t, v);
        else if (!p->skip && p->place == PLACE_LOCAL && v->op != IR_PHI &&
                 !t->computed_first[v->id])
            write_statement(t, v);
    }
}

static bool one_block(const struct translator *t)
{
    return t->b.f->blocks.len == 1;
}

void jit_body(struct translator *t)
{
    declare_variables(t);
    fputc('\n', t->b.o);
    if (one_block(t)) {
        t->b.f->blocks.data[0]->fixed = false; /* no block follows */
        write_statements(t, t->b.f->blocks.data[0]);
        return;
    }
    vec_for_each (&t->b.f->blocks, b) {
        if (!(*b)->fixed)
            continue;
        if (b != t->b.f->blocks.data)
            fprintf(t->b.o, "f%u: __attribute__((unused));\n", (*b)->id);
        write_statements(t, *b);
    }
    fputs("built: __attribute__((unused));\n", t->b.o);
    vec_for_each (&t->b.f->blocks, b) {
        if ((*b)->fixed)
            continue;
        fprintf(t->b.o, "    if (!b%u)\n        goto end%u;\n    jit_at(j, b%u);\n", (*b)->id,
                (*b)->id, (*b)->id);
        write_statements(t, *b);
        fprintf(t->b.o, "end%u: __attribute__((unused));\n", (*b)->id);
    }
    fputs("    return;\n", t->b.o);
}
