/*
 * C of the functions of a description that handlers call, and declarations of external functions.
 */
#include "gencc/emit/helpers.h"
#include "gencc/emit/body.h"
#include "gencc/emit/ctype.h"

#include <string.h>

/* ---- which are needed ------------------------------------------------------------------------ */

static void mark_called(struct ir_func *f, uint64_t stamp)
{
    vec_for_each (&f->blocks, b) {
        if ((*b) == f->blocks.data[0]) {
            if ((*b)->mark == stamp)
                return;
            (*b)->mark = stamp;
        }
        for (const struct ir_value *v = (*b)->first; v; v = v->next)
            if (v->op == IR_CALL)
                mark_called(v->callee, stamp);
    }
}

enum { CALLED = 0x63616c6c }; /* mark of the entry block of needed functions */

bool is_helper(const struct ir_func *f)
{
    return f->kind == IR_FUNC_HELPER || f->kind == IR_FUNC_EXPORT;
}

static void mark_needed(struct emit *e)
{
    vec_for_each (&e->isa->funcs, f) {
        if (is_helper(*f) && ir_replace_intrinsic(*f, IR_I_TRANSLATED, 0, 0))
            ir_optimise(*f, NULL);
        if ((*f)->blocks.len)
            (*f)->blocks.data[0]->mark = 0;
    }
    vec_for_each (&e->behaviours, f)
        mark_called(*f, CALLED);
    vec_for_each (&e->isa->forms, form)
        if ((*form)->decode)
            mark_called((*form)->decode, CALLED);
    vec_for_each (&e->isa->funcs, f) {
        /* Pure helpers may be called by text functions, which are made later. */
        bool needed =
            (*f)->kind == IR_FUNC_EXPORT || !strncmp((*f)->name, "sysreg_", 7) || (*f)->is_pure;

        if (needed && is_helper(*f))
            mark_called(*f, CALLED);
    }
}

/* ---- writing them ---------------------------------------------------------------------------- */

void helper_prototype(struct emit *e, FILE *o, const struct ir_func *f)
{
    const char *first = dialect_parameters(e->dialect), *comma = *first ? ", " : "";

    fprintf(o, "%s %s_%s(%s", ctype(e, f->result), e->prefix, f->name, first);
    for (unsigned k = 0; k < f->params.len; k++, comma = ", ")
        fprintf(o, "%s%s p%u __attribute__((unused))", comma, ctype(e, f->params.data[k]), k);
    for (unsigned k = 0; k < f->outs.len; k++, comma = ", ")
        fprintf(o, "%s%s *r%u", comma, ctype(e, f->outs.data[k]), k);
    fputs(*comma ? ")" : "void)", o);
}

void helper_prototypes(struct emit *e, FILE *o)
{
    vec_for_each (&e->isa->funcs, f) {
        if (!is_helper(*f))
            continue;
        helper_prototype(e, o, *f);
        fputs(";\n", o);
    }
}

void helper_write(struct emit *e, FILE *o, struct ir_func *f, const char *linkage)
{
    struct body b = body_new(e, o, f, e->dialect);

    body_plan(&b);
    body_where_from(o, f);
    fputs(linkage, o);
    helper_prototype(e, o, f);
    fputs("\n{\n", o);
    body_write(&b);
    fputs("}\n\n", o);
}

bool emit_helpers(struct emit *e)
{
    struct out o;

    mark_needed(e);
    if (!out_open(e, &o, arena_printf(e->arena, "%s_helpers.c", e->prefix)))
        return false;
    fprintf(o.f, "#include \"%s_internal.h\"\n\n", e->prefix);
    vec_for_each (&e->isa->funcs, f)
        if (is_helper(*f) && (*f)->blocks.data[0]->mark == CALLED)
            helper_write(e, o.f, *f, "");
    return out_close(e, &o);
}

/* ---- external functions ---------------------------------------------------------------------- */

typedef VEC(const struct ir_callee *) callee_list;

static bool is_listed(const callee_list *list, const struct ir_callee *fn)
{
    vec_for_each (list, it)
        if (*it == fn)
            return true;
    return false;
}

/* The external functions that are called. All calls of a function in an ISA share a callee. */
static callee_list externals_called(const struct emit *e)
{
    callee_list list = {0};

    vec_for_each (&e->isa->funcs, f)
        vec_for_each (&(*f)->blocks, b)
            for (const struct ir_value *v = (*b)->first; v; v = v->next)
                if (v->op == IR_EXTERNAL && !is_listed(&list, v->fn))
                    vec_push_in(e->arena, &list, v->fn);
    return list;
}

/* The callee of an external function, from which its C type is known; NULL: it is not called. */
static const struct ir_callee *external_callee(const callee_list *called, const struct ast_def *d)
{
    if (d->kind == AST_EXTERNAL)
        vec_for_each (called, fn)
            if (!strcmp((*fn)->name, d->name))
                return *fn;
    return NULL;
}

void external_prototypes(struct emit *e, FILE *o)
{
    callee_list called = externals_called(e);

    vec_for_each (&e->isa->defs, it) {
        const struct ir_callee *found = external_callee(&called, *it);

        if (!found)
            continue;
        fprintf(o, "%s %s(", ctype(e, found->result), found->name);
        for (unsigned i = 0; i < found->params.len; i++)
            fprintf(o, "%s%s%s", i ? ", " : "", ctype(e, found->params.data[i]),
                    found->by_ref.data[i] ? " *" : "");
        fputs(found->params.len ? ");\n" : "void);\n", o);
    }
    fputc('\n', o);
}

void external_rows(struct emit *e, FILE *o)
{
    callee_list called = externals_called(e);

    vec_for_each (&e->isa->defs, it) {
        const struct ast_def *d = *it;

        if (external_callee(&called, d))
            fprintf(o, "    {\"%s\", (void (*)(void))%s},\n", d->name, d->name);
    }
}
