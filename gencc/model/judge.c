/*
 * Warnings about declarations that are never used and about names that are probably misspelt.
 */
#include "gencc/model/internal.h"

#include <string.h>

static void judge_declarations(const struct isa *isa)
{
    struct diag *d = isa->model->diag;

    vec_for_each (&isa->formats, f)
        if (!(*f)->ast->of_block)
            diag_judge(d, WARN_UNUSED_FORMAT, (*f)->pos, !(*f)->used,
                       "no instruction has the format \"%s\"", (*f)->name);
    vec_for_each (&isa->maps, m)
        if (!(*m)->is_text)
            diag_judge(d, WARN_UNUSED_MAP, (*m)->pos, !(*m)->used,
                       "no asm line uses the map \"%s\"", (*m)->name);
    vec_for_each (&isa->families, f)
        diag_judge(d, WARN_UNUSED_FAMILY, (*f)->pos, !(*f)->used,
                   "no instruction has the family \"%s\"", (*f)->name);
}

/* A statistics class; `only` is its instruction, or NULL if it has several. */
struct class_use {
    const char *name;
    const struct instr *only;
};
typedef VEC(struct class_use) class_uses;

static void add_class(struct arena *a, class_uses *uses, const struct instr *i)
{
    vec_for_each (uses, u) {
        if (strcmp(u->name, i->klass))
            continue;
        if (u->only && !src_same_place(u->only->pos, i->pos))
            u->only = NULL;
        return;
    }
    vec_push_in(a, uses, ((struct class_use){i->klass, i}));
}

/* Warns of a class with a single instruction whose name is nearly that of a class with several, or
 * of an earlier class with a single one. */
static void judge_classes(const struct model *m)
{
    class_uses uses = {0};

    vec_for_each (&m->isas, isa)
        vec_for_each (&(*isa)->instrs, i)
            add_class(m->arena, &uses, *i);
    vec_for_each (&uses, u) {
        struct name_guess g = {.wrong = u->name};

        if (!u->only || !u->only->ast->klass)
            continue;
        vec_for_each (&uses, other)
            if (!other->only || other < u)
                name_guess_offer(&g, other->name);
        diag_judge(m->diag, WARN_CLASS, u->only->ast->klass_pos, g.best,
                   "no other instruction has the class \"%s\"; did you mean \"%s\"?", g.wrong,
                   g.best ? g.best : "");
    }
}

void model_judge(const struct model *m)
{
    vec_for_each (&m->isas, isa)
        judge_declarations(*isa);
    judge_classes(m);
}
