/*
 * A shader ISA in C: unpacking of clauses, the exported helpers, text, and the table of it all. What
 * the units hold comes from the emitter of lanes.
 */
#include "gencc/emit/clause.h"
#include "gencc/emit/helpers.h"

/* Each has what it calls before it. There is no lane around a clause whose registers a helper could touch. */
static void helpers(struct emit *e, FILE *o)
{
    vec_for_each (&e->isa->exports, f)
        if (!(*f)->is_pure)
            diag_error(e->diag, (*f)->pos, "an exported helper of a clause is pure");
    vec_for_each (&e->isa->funcs, f)
        if (is_helper(*f))
            helper_write(e, o, *f, "static UNUSED ");
}

static void head(struct emit *e, FILE *o)
{
    fputs("#include \"gencc/text/asm_text.h\"\n#include \"runtime/gpu/isa.h\"\n\n"
          "#include <string.h>\n\n"
          "#define UNUSED __attribute__((unused))\n\n",
          o);
    vec_for_each (&e->isa->clause->units, u)
        fprintf(o, "extern const struct gpu_unit %s_unit;\n", u->isa);
    fprintf(o, "extern const struct gpu_isa %s_isa;\n\n", e->p);
}

static void table(struct emit *e, FILE *o)
{
    static const char *const calls[] = {
        "unpack",       "operand_place",  "result_place", "embedded_constant",
        "clause_flags", "clause_staging", "preload",      "disasm_clause"};

    fprintf(o,
            "const struct gpu_isa %s_isa = {\n    .name = \"%s\",\n    .register_count = %u,\n"
            "    .unit_count = %u,\n    .unit = {",
            e->p, e->p, e->model->state_bytes / 4, e->isa->clause->units.count);
    vec_for_each (&e->isa->clause->units, u)
        fprintf(o, "%s&%s_unit", u == e->isa->clause->units.at ? "" : ", ", u->isa);
    fputs("},\n", o);
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
        fprintf(o, "    .%s = %s_%s,\n", calls[i], e->p, calls[i]);
    fputs("};\n", o);
}

bool emit_clause(struct emit *e)
{
    struct out o;

    if (!out_open(e, &o, arena_printf(e->arena, "%s_clause.c", e->p)))
        return false;
    head(e, o.f);
    helpers(e, o.f);
    clause_emit_unpack(e, o.f);
    if (!clause_emit_disasm(e, o.f))
        e->failed = true;
    table(e, o.f);
    return out_close(e, &o) && !e->failed;
}
