#include "gencc/emit/emit.h"
#include "gencc/emit/c_dialect.h"
#include "gencc/emit/clause.h"
#include "gencc/emit/cpu.h"
#include "gencc/emit/disasm.h"
#include "gencc/emit/helpers.h"
#include "gencc/emit/jit.h"
#include "gencc/emit/lane.h"

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

/* The header comes last: the others find out which operands and vector types there are. */
static bool emit_cpu_isa(struct emit *e)
{
    handler_list handlers = handlers_make(e);
    unsigned translators = 0;

    return emit_handlers(e, &handlers) && (!e->opt->jit || emit_jit(e, &handlers, &translators)) &&
           emit_helpers(e) && emit_decoder(e, &handlers) && emit_disasm(e) &&
           emit_tables(e, translators) && emit_header(e, &handlers);
}

static bool emit_lane_isa(struct emit *e)
{
    lane_list handlers = lane_handlers_make(e);

    return lane_emit_handlers(e, &handlers) && emit_helpers(e) && lane_emit_decoder(e, &handlers) &&
           emit_disasm(e) && lane_emit_tables(e) && lane_emit_header(e, &handlers);
}

bool emit_isa(struct isa *isa, const struct emit_options *opt)
{
    struct model *m = isa->model;
    struct emit e = {.isa = isa, .model = m, .arena = m->arena, .diag = m->diag, .opt = opt};
    unsigned errors = m->diag->errors;
    bool ok;

    e.p = isa->name;
    e.P = arena_upper(m->arena, isa->name);
    e.dialect = m->is_lane ? &lane_function_dialect : &c_dialect;
    if (isa->clause)
        ok = emit_clause(&e);
    else
        ok = m->is_lane ? emit_lane_isa(&e) : emit_cpu_isa(&e);
    return ok && !e.failed && m->diag->errors == errors;
}
