/*
 * The outputs of the compiler: which files are written for a model, and in which order.
 */
#include "gencc/emit/emit.h"
#include "gencc/emit/apart.h"
#include "gencc/emit/c_dialect.h"
#include "gencc/emit/bundle.h"
#include "gencc/emit/cpu.h"
#include "gencc/emit/disasm.h"
#include "gencc/emit/helpers.h"
#include "gencc/emit/jit.h"
#include "gencc/emit/lane.h"
#include "gencc/emit/slow.h"

#include <string.h>

/* File names: per ISA for lanes and bundles; per ISA and per CPU for CPUs. */
struct names {
    struct arena *a;
    const struct emit_options *opt;
    VEC(const char *) all;
};

static void add_name(struct names *n, const char *prefix, const char *rest)
{
    vec_push_in(n->a, &n->all, arena_printf(n->a, "%s_%s", prefix, rest));
}

static void add_parts(struct names *n, const char *prefix, const char *kind)
{
    for (unsigned i = 0; i < n->opt->parts; i++)
        add_name(n, prefix, arena_printf(n->a, "%s_%u.c", kind, i));
}

static void add_isa(struct names *n, const char *prefix, bool jit)
{
    static const char *const fixed[] = {"internal.h", "helpers.c", "decode.c", "disasm.c"};

    for (unsigned i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
        add_name(n, prefix, fixed[i]);
    add_parts(n, prefix, "exec");
    if (!jit)
        return;
    add_parts(n, prefix, "jit");
    add_name(n, prefix, "jit.c");
    add_name(n, prefix, "jit.h");
}

/* The prefix of an ISA's names: the ISA's name, behind that of the CPU if the CPU has several
 * ISAs. */
static const char *prefix_of(const struct model *m, const struct isa *isa)
{
    return m->isas.len == 1 ? isa->name : arena_printf(m->arena, "%s_%s", m->name, isa->name);
}

const char *emit_cpu_name(const struct model *m)
{
    return m->isas.len == 1 ? m->isas.data[0]->name : m->name;
}

const char *const *emit_file_names(const struct model *m, const struct emit_options *opt,
                                   unsigned *n)
{
    struct names names = {.a = m->arena, .opt = opt};

    vec_for_each (&m->isas, isa) {
        if (opt->isa && strcmp((*isa)->name, opt->isa) && m->is_lane)
            continue;
        if ((*isa)->bundle)
            add_name(&names, (*isa)->name, "bundle.c");
        else
            add_isa(&names, m->is_lane ? (*isa)->name : prefix_of(m, *isa),
                    opt->jit && !m->is_lane);
        if (m->is_lane && !(*isa)->bundle)
            add_name(&names, (*isa)->name, "isa.c");
        if (m->is_lane && !(*isa)->bundle && opt->jit)
            add_name(&names, (*isa)->name, "translate.c");
    }
    if (!m->is_lane && m->isas.len)
        add_name(&names, emit_cpu_name(m), "isa.c");
    *n = names.all.len;
    return names.all.data;
}

static struct emit emit_new(struct isa *isa, const struct emit_options *opt, const char *prefix)
{
    struct model *m = isa->model;

    return (struct emit){.isa = isa,
                         .model = m,
                         .arena = m->arena,
                         .diag = m->diag,
                         .opt = opt,
                         .prefix = prefix,
                         .capital_prefix = arena_upper(m->arena, prefix),
                         .dialect = m->is_lane ? &lane_function_dialect : &c_dialect};
}

static bool emit_cpu_isa(struct emit *e)
{
    handler_list handlers = handlers_make(e);

    if (e->opt->jit)
        slow_report(e, &handlers);
    return emit_handlers(e, &handlers) && (!e->opt->jit || emit_jit(e, &handlers)) &&
           emit_helpers(e) && emit_decoder(e, &handlers) && emit_disasm(e);
}

/* Writes all ISAs of a CPU. Their decoded instructions have the same size, and their forms share a
 * table. Headers are written last, when operands and vector types are known. */
static bool emit_cpu(struct model *m, const struct emit_options *opt)
{
    struct emit *e = arena_alloc(m->arena, (m->isas.len + 1) * sizeof(*e));
    unsigned count = m->isas.len;
    bool ok = true;

    for (unsigned n = 0; n < count; n++)
        e[n] = emit_new(m->isas.data[n], opt, prefix_of(m, m->isas.data[n]));
    /* Processes of their own print no messages. */
    if (!diag_is_off(m->diag, WARN_SLOW) || !emit_apart(e, count, emit_cpu_isa))
        for (unsigned n = 0; n < count; n++)
            ok = ok && emit_cpu_isa(&e[n]);
    ok = ok && emit_tables(e, count, emit_cpu_name(m)) && emit_headers(e, count);
    for (unsigned n = 0; n < count; n++)
        ok &= !e[n].failed;
    return ok;
}

static bool emit_lane_isa(struct emit *e)
{
    lane_list handlers = lane_handlers_make(e);

    return lane_emit_handlers(e, &handlers) && emit_helpers(e) && lane_emit_decoder(e, &handlers) &&
           emit_disasm(e) && (!e->opt->jit || lane_emit_translators(e)) && lane_emit_tables(e) &&
           lane_emit_header(e, &handlers);
}

static bool emit_lanes(struct model *m, const struct emit_options *opt)
{
    bool ok = true;

    vec_for_each (&m->isas, isa) {
        struct emit e = emit_new(*isa, opt, (*isa)->name);

        if (opt->isa && strcmp((*isa)->name, opt->isa))
            continue;
        ok &= (*isa)->bundle ? emit_bundle(&e) : emit_lane_isa(&e);
        ok &= !e.failed;
    }
    return ok;
}

bool emit_model(struct model *m, const struct emit_options *opt)
{
    unsigned errors = m->diag->errors;
    bool ok = m->is_lane ? emit_lanes(m, opt) : emit_cpu(m, opt);

    return ok && m->diag->errors == errors;
}
