/*
 * Loads a description for a test; see load.h.
 */
#include "gencc/referee/load.h"

/* Parses and builds the model; returns NULL after errors. */
static struct isa *load_isa(struct loaded *l, const char *path, const char *name)
{
    struct ast_arch *arch;
    struct isa *isa;

    *l = (struct loaded){0};
    l->diag = (struct diag){.arena = &l->arena, .out = stderr};
    arch = ast_parse_arch(&l->diag, path);
    if (!arch || l->diag.errors)
        return NULL;
    l->model = model_build(&l->arena, &l->diag, arch);
    if (!l->model || l->diag.errors)
        return NULL;
    isa = model_isa(l->model, name);
    if (!isa)
        fprintf(stderr, "%s has no ISA '%s'\n", path, name);
    return isa;
}

bool load_text(struct loaded *l, const char *path, const char *name)
{
    struct isa *isa = load_isa(l, path, name);

    if (!isa || !lower_isa(isa, LOWER_OPTIMISE))
        return false;
    l->text = text_prepare(isa);
    return l->text && !l->diag.errors;
}

bool load_lowered(struct loaded *l, const char *path, const char *name)
{
    struct isa *isa = load_isa(l, path, name);

    return isa && lower_isa(isa, LOWER_CHECK);
}
