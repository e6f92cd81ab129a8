/*
 * Bodies of C functions: which values become variables, and the statements.
 */
#include "gencc/emit/lane.h"

#include <string.h>

enum { MAX_WEIGHT = 14 }; /* of an expression, so that lines stay readable */

static bool never_folds(const struct ir_value *v)
{
    return v->op == IR_PHI || v->op == IR_INSERT || v->op == IR_CALL || v->op == IR_EXTERNAL;
}

static bool leaf(const struct ir_value *v)
{
    return v->op == IR_CONST || v->op == IR_PARAM || v->op == IR_TEXT || v->op == IR_RESULT;
}

/* Operands that the C of an operation mentions more than once. */
static bool repeats_operands(const struct ir_value *v)
{
    switch (v->op) {
    case IR_SHL:
    case IR_SHR:
    case IR_ROL:
    case IR_ROR:
    case IR_DIV:
    case IR_MOD:
        return v->ops.at[1]->op != IR_CONST;
    case IR_SPLAT:
        return true;
    case IR_SELECT:
        return ir_is_vector(v->ops.at[0]->type);
    case IR_EXTRACT:
        return true;
    case IR_REG_READ:
    case IR_REG_WRITE: /* the index, where it may lie beyond the bank */
        return v->view->is_bank && ir_value_range(v->ops.at[0]).max >= v->view->count;
    default:
        return false;
    }
}

/* ---- needs ----------------------------------------------------------------------------------- */

struct plan {
    struct cfn *c;
    unsigned *uses;
    struct ir_value **user; /* the only one, when uses is 1 */
    unsigned *weight;
};

static void need(struct plan *p, struct ir_value *v, struct ir_value *user)
{
    struct cvalue *cv = &p->c->at[v->id];
    unsigned times = user && repeats_operands(user) ? 2 : 1;
    bool first = cv->skip;

    p->uses[v->id] += times;
    p->user[v->id] = user;
    cv->skip = false;
    if (!first || cv->place == PLACE_OPERAND || cv->place == PLACE_SOURCE)
        return;
    for (unsigned i = ir_is_intrinsic(v, IR_I_READ_SOURCE_LANE); i < v->ops.count; i++)
        need(p, v->ops.at[i], v);
}

/* What has an effect, and what that needs. */
static void find_needs(struct plan *p)
{
    vec_for_each (&p->c->f->blocks, b) {
        for (struct ir_value *v = (*b)->first; v; v = v->next) {
            if (v->op == IR_TEXT || (!ir_is_term(v) && ir_is_removable(v)))
                continue;
            if (p->c->at[v->id].skip) {
                p->c->at[v->id].skip = false;
                vec_for_each (&v->ops, op)
                    need(p, *op, v);
            }
        }
    }
}

/* ---- folding --------------------------------------------------------------------------------- */

/* The statement in which a folded value ends up. */
static const struct ir_value *statement_of(struct plan *p, const struct ir_value *v)
{
    while (p->c->at[v->id].place == PLACE_FOLD && p->uses[v->id] == 1 && p->user[v->id])
        v = p->user[v->id];
    return v;
}

static bool clobbers(const struct ir_value *v)
{
    return !ir_is_term(v) && !ir_is_removable(v);
}

static bool folds(struct plan *p, struct ir_value *v)
{
    const struct ir_value *end;

    if (p->uses[v->id] != 1 || never_folds(v) || !p->user[v->id])
        return false;
    if (!ir_is_removable(v) || p->user[v->id]->op == IR_PHI)
        return false;
    end = statement_of(p, p->user[v->id]);
    if (end->block != v->block || p->weight[v->id] > MAX_WEIGHT)
        return false;
    if (ir_is_pure(v))
        return true;
    for (const struct ir_value *x = v->next; x && x != end; x = x->next)
        if (clobbers(x))
            return false;
    return true;
}

static void choose_places(struct plan *p)
{
    vec_for_each (&p->c->f->blocks, b) {
        for (struct ir_value *v = (*b)->first; v; v = v->next) {
            p->weight[v->id] = 1;
            vec_for_each (&v->ops, op)
                if (p->uses[(*op)->id] == 1 && (*op)->op != IR_PHI)
                    p->weight[v->id] += p->weight[(*op)->id];
            if (p->weight[v->id] > MAX_WEIGHT)
                p->weight[v->id] = 1; /* its own operands become variables */
        }
        for (struct ir_value *v = (*b)->last; v; v = v->prev) {
            struct cvalue *cv = &p->c->at[v->id];

            if (cv->place == PLACE_OPERAND || cv->place == PLACE_SOURCE)
                continue;
            cv->place = leaf(v) || folds(p, v) ? PLACE_FOLD : PLACE_LOCAL;
        }
    }
}

void cfn_plan(struct cfn *c)
{
    unsigned n = c->f->next_value;
    struct plan p = {.c = c};

    p.uses = arena_alloc(c->e->arena, n * sizeof *p.uses);
    p.user = arena_alloc(c->e->arena, n * sizeof *p.user);
    p.weight = arena_alloc(c->e->arena, n * sizeof *p.weight);
    for (unsigned i = 0; i < n; i++)
        c->at[i].skip = true;
    find_needs(&p);
    choose_places(&p);
}

/* ---- statements ------------------------------------------------------------------------------ */

static const char *block_name(struct cfn *c, const struct ir_block *b)
{
    return arena_printf(c->e->arena, "b%u", b->id);
}

static void declare(struct cfn *c, const struct ir_value *v)
{
    bool call = v->op == IR_CALL || v->op == IR_INTRINSIC || v->op == IR_EXTERNAL;

    /* What a call gives may be of no interest. */
    if (!c->at[v->id].skip && c->at[v->id].place == PLACE_LOCAL && !ir_is_void(v->type))
        fprintf(c->o, "    %s v%u%s;\n", cvalue_type(c, v), v->id,
                call ? " __attribute__((unused))" : "");
}

/* Variables for the outputs of calls, whether or not something reads them. */
static void declare_outputs(struct cfn *c, const struct ir_value *v)
{
    unsigned n = 0;

    if (c->at[v->id].skip)
        return;
    if (v->op == IR_CALL) {
        vec_for_each (&v->callee->outs, t)
            fprintf(c->o, "    %s o%u_%u __attribute__((unused));\n", ctype(c->e, *t), v->id, ++n);
    } else if (v->op == IR_INTRINSIC || v->op == IR_EXTERNAL) {
        for (unsigned i = 0; i < v->fn->params.count; i++)
            if (v->fn->by_ref.at[i])
                fprintf(c->o, "    %s o%u_%u __attribute__((unused));\n",
                        ctype(c->e, v->fn->params.at[i]), v->id, ++n);
    }
}

/* Variables whose address a call takes live in a scope of their own around the call: otherwise the
 * C compiler must assume that they are in use when the handler calls the next one, and cannot make
 * that a jump. */
static unsigned open_references(struct cfn *c, const struct ir_value *v)
{
    unsigned n = 0;

    if (v->op == IR_CALL) {
        if (v->callee->outs.count)
            fputs("    {\n", c->o);
        vec_for_each (&v->callee->outs, t)
            fprintf(c->o, "    %s a%u;\n", ctype(c->e, *t), ++n);
        return n;
    }
    if (v->op != IR_EXTERNAL)
        return 0;
    for (unsigned i = 0; i < v->fn->params.count; i++) {
        if (!v->fn->by_ref.at[i])
            continue;
        fprintf(c->o, "%s    %s a%u = ", n ? "" : "    {\n", ctype(c->e, v->fn->params.at[i]),
                n + 1);
        n++;
        cexpr(c, v->ops.at[i]);
        fputs(";\n", c->o);
    }
    return n;
}

static void close_references(struct cfn *c, const struct ir_value *v, unsigned n)
{
    for (unsigned i = 1; i <= n; i++)
        fprintf(c->o, "    o%u_%u = a%u;\n", v->id, i, i);
    if (n)
        fputs("    }\n", c->o);
}

static bool returns_nothing(const struct ir_value *v)
{
    if (v->op == IR_INTRINSIC || v->op == IR_EXTERNAL)
        return ir_is_void(v->fn->result);
    return v->op == IR_CALL && ir_is_void(v->callee->result);
}

void cfn_statement(struct cfn *c, struct ir_value *v)
{
    bool unused_result = ir_is_void(v->type) || returns_nothing(v);
    unsigned references = open_references(c, v);

    switch (v->op) {
    case IR_REG_WRITE:
        fputs("    ", c->o);
        cregister_write(c, v);
        break;
    case IR_FIELD_WRITE:
        fprintf(c->o, "    fields[%u] = (uint64_t)", v->field->index);
        cexpr(c, v->ops.at[0]);
        break;
    case IR_INSERT:
        fprintf(c->o, "    v%u = ", v->id);
        cexpr(c, v->ops.at[0]);
        fprintf(c->o, ";\n    v%u", v->id);
        cexpr_open(c, v);
        break;
    default:
        if (unused_result)
            fputs("    ", c->o);
        else
            fprintf(c->o, "    v%u = ", v->id);
        cexpr_open(c, v);
    }
    fputs(";\n", c->o);
    close_references(c, v, references);
}

/* ---- control flow ---------------------------------------------------------------------------- */

static struct ir_value *phi_from(const struct ir_value *phi, const struct ir_block *pred)
{
    for (unsigned i = 0; i < phi->targets.count; i++)
        if (phi->targets.at[i] == pred)
            return phi->ops.at[i];
    return NULL;
}

static bool needs_phis(struct cfn *c, const struct ir_block *to)
{
    for (const struct ir_value *v = to->first; v && v->op == IR_PHI; v = v->next)
        if (!c->at[v->id].skip)
            return true;
    return false;
}

/* PHIs take their values at once: one that reads another of the same block goes through copies. */
static bool phis_conflict(struct cfn *c, const struct ir_block *from, const struct ir_block *to)
{
    for (const struct ir_value *v = to->first; v && v->op == IR_PHI; v = v->next) {
        const struct ir_value *in = phi_from(v, from);

        if (!c->at[v->id].skip && in && in->op == IR_PHI && in->block == to && in != v)
            return true;
    }
    return false;
}

static void edge(struct cfn *c, const struct ir_block *from, const struct ir_block *to,
                 const char *indent)
{
    bool copies = phis_conflict(c, from, to);

    for (int round = copies ? 0 : 1; round < 2; round++) {
        for (const struct ir_value *v = to->first; v && v->op == IR_PHI; v = v->next) {
            struct ir_value *in = phi_from(v, from);

            if (c->at[v->id].skip || !in || in == v)
                continue;
            if (round == 0) {
                fprintf(c->o, "%s%s t%u = ", indent, ctype(c->e, v->type), v->id);
                cexpr(c, in);
            } else if (copies) {
                fprintf(c->o, "%sv%u = t%u", indent, v->id, v->id);
            } else {
                fprintf(c->o, "%sv%u = ", indent, v->id);
                cexpr(c, in);
            }
            fputs(";\n", c->o);
        }
    }
    fprintf(c->o, "%sgoto %s;\n", indent, block_name(c, to));
}

static void branch(struct cfn *c, const struct ir_value *v, const struct ir_block *next)
{
    const struct ir_block *yes = v->targets.at[0], *no = v->targets.at[1];

    fputs("    if (", c->o);
    cexpr(c, v->ops.at[0]);
    fputs(") {\n", c->o);
    edge(c, v->block, yes, "        ");
    fputs("    }\n", c->o);
    if (no != next || needs_phis(c, no)) {
        fputs("    {\n", c->o);
        edge(c, v->block, no, "        ");
        fputs("    }\n", c->o);
    }
}

static void switch_to(struct cfn *c, const struct ir_value *v)
{
    fputs("    switch (", c->o);
    cexpr(c, v->ops.at[0]);
    fputs(") {\n", c->o);
    for (unsigned i = 0; i < v->cases.count; i++) {
        fputs("    case ", c->o);
        cconst(c, v->ops.at[0]->type, v->cases.at[i]);
        fputs(": {\n", c->o);
        edge(c, v->block, v->targets.at[i + 1], "        ");
        fputs("    }\n", c->o);
    }
    fputs("    default: {\n", c->o);
    edge(c, v->block, v->targets.at[0], "        ");
    fputs("    }\n    }\n", c->o);
}

static void leave(struct cfn *c, const struct ir_value *v)
{
    unsigned at = ir_is_void(c->f->result) ? 0 : 1;

    if (c->kind == CFN_LANE) {
        lane_leave(c, v->block == c->f->blocks.at[c->f->blocks.count - 1]);
        return;
    }
    if (c->kind == CFN_HANDLER) {
        fputs(c->ends_block ? "    return;\n" : "    NEXT(cpu, i);\n", c->o);
        return;
    }
    for (unsigned i = 0; i < c->f->outs.count; i++) {
        fprintf(c->o, "    *r%u = ", i);
        cexpr(c, v->ops.at[at + i]);
        fputs(";\n", c->o);
    }
    fputs("    return", c->o);
    if (at) {
        fputs(" ", c->o);
        cexpr(c, v->ops.at[0]);
    }
    fputs(";\n", c->o);
}

static void terminator(struct cfn *c, const struct ir_value *v, const struct ir_block *next)
{
    switch (v->op) {
    case IR_BR:
        if (v->targets.at[0] == next && !needs_phis(c, next))
            return;
        fputs("    {\n", c->o);
        edge(c, v->block, v->targets.at[0], "        ");
        fputs("    }\n", c->o);
        break;
    case IR_CBR:
        branch(c, v, next);
        break;
    case IR_SWITCH:
        switch_to(c, v);
        break;
    case IR_RET:
        leave(c, v);
        break;
    default:
        fputs(c->kind == CFN_LANE ? "    continue;\n" : "    __builtin_unreachable();\n", c->o);
    }
}

void cfn_body(struct cfn *c)
{
    vec_for_each (&c->f->blocks, b) {
        for (const struct ir_value *v = (*b)->first; v; v = v->next) {
            declare(c, v);
            declare_outputs(c, v);
        }
    }
    for (unsigned i = 0; i < c->f->blocks.count; i++) {
        const struct ir_block *b = c->f->blocks.at[i];
        const struct ir_block *next = i + 1 < c->f->blocks.count ? c->f->blocks.at[i + 1] : NULL;

        if (i)
            fprintf(c->o, "%s: __attribute__((unused));\n", block_name(c, b));
        for (struct ir_value *v = b->first; v; v = v->next) {
            struct cvalue *cv = &c->at[v->id];

            if (ir_is_term(v))
                terminator(c, v, next);
            else if (!cv->skip && cv->place == PLACE_LOCAL && v->op != IR_PHI)
                cfn_statement(c, v);
        }
    }
}

void cfn_where_from(FILE *o, const struct ir_func *f)
{
    if (f->pos.file)
        fprintf(o, "/* %s:%u */\n", f->pos.file->path, f->pos.line);
}

void helper_prototype(struct emit *e, FILE *o, const struct ir_func *f)
{
    const char *comma = e->model->is_lane ? "" : ", ";

    fprintf(o, "%s %s_%s(%s", ctype(e, f->result), e->p, f->name, *comma ? "CPU_ARGS" : "");
    for (unsigned k = 0; k < f->params.count; k++, comma = ", ")
        fprintf(o, "%s%s p%u __attribute__((unused))", comma, ctype(e, f->params.at[k]), k);
    for (unsigned k = 0; k < f->outs.count; k++, comma = ", ")
        fprintf(o, "%s%s *r%u", comma, ctype(e, f->outs.at[k]), k);
    fputs(*comma ? ")" : "void)", o);
}
