#include "gencc/emit/lane.h"

#include <ctype.h>

static const char *upper(struct arena *a, const char *s)
{
    char *copy = arena_strdup(a, s);

    for (char *p = copy; *p; p++)
        *p = (char)toupper((unsigned char)*p);
    return copy;
}

const char *const *emit_file_names(struct arena *a, const struct isa *isa,
                                   const struct emit_options *opt, unsigned *n)
{
    static const char *const fixed[] = {"internal.h", "helpers.c", "decode.c", "disasm.c", "isa.c"};
    unsigned count = sizeof fixed / sizeof *fixed;
    bool jit = opt->jit && !isa->model->is_lane;
    const char **names = arena_alloc(a, (count + 2 + 2 * opt->parts) * sizeof *names);

    if (isa->clause) {
        names[0] = arena_printf(a, "%s_clause.c", isa->name);
        *n = 1;
        return names;
    }
    for (*n = 0; *n < count; ++*n)
        names[*n] = arena_printf(a, "%s_%s", isa->name, fixed[*n]);
    for (unsigned i = 0; i < opt->parts; i++)
        names[(*n)++] = arena_printf(a, "%s_exec_%u.c", isa->name, i);
    for (unsigned i = 0; jit && i < opt->parts; i++)
        names[(*n)++] = arena_printf(a, "%s_jit_%u.c", isa->name, i);
    for (unsigned i = 0; jit && i < 2; i++)
        names[(*n)++] = arena_printf(a, "%s_jit.%c", isa->name, "ch"[i]);
    return names;
}

static bool emit_lane_isa(struct emit *e)
{
    lane_make_handlers(e);
    return lane_emit_handlers(e) && emit_helpers(e) && lane_emit_decoder(e) && emit_disasm(e) &&
           lane_emit_tables(e) && lane_emit_header(e) && !e->failed;
}

bool emit_isa(struct isa *isa, const struct emit_options *opt)
{
    struct model *m = isa->model;
    struct emit e = {.isa = isa, .model = m, .arena = m->arena, .diag = m->diag, .opt = opt};
    unsigned errors = m->diag->errors;

    e.p = isa->name;
    e.P = upper(m->arena, isa->name);
    if (isa->clause)
        return emit_clause(&e) && m->diag->errors == errors;
    if (m->is_lane)
        return emit_lane_isa(&e) && m->diag->errors == errors;
    make_handlers(&e);
    /* The header comes last: the others find out which operands and vector types there are. */
    return emit_handlers(&e) && (!opt->jit || emit_jit(&e)) && emit_helpers(&e) &&
           emit_decoder(&e) && emit_disasm(&e) && emit_tables(&e) && emit_header(&e) && !e.failed &&
           m->diag->errors == errors;
}
