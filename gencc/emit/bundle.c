/*
 * C of a shader ISA: unpacking of bundles, exported helpers, text, and the table of them all. Words
 * of units are emitted like those of lanes.
 */
#include "gencc/emit/bundle.h"
#include "gencc/emit/ctype.h"
#include "gencc/emit/helpers.h"

#include <string.h>

/* Helpers in call order, callees first. Outside of words there is no lane whose registers a helper
 * could access. */
static void write_helpers(struct emit *e, FILE *o)
{
    vec_for_each (&e->isa->exports, f)
        if (!(*f)->is_pure)
            diag_error(e->diag, (*f)->pos, "an exported helper of a bundle is pure");
    vec_for_each (&e->isa->funcs, f)
        if (is_helper(*f))
            helper_write(e, o, *f, "static UNUSED ");
}

static void write_head(struct emit *e, FILE *o)
{
    fputs("#include \"common/asm_text.h\"\n#include \"common/arithmetic.h\"\n"
          "#include \"runtime/gpu/isa.h\"\n\n"
          "#include <string.h>\n\n"
          "#define UNUSED __attribute__((unused))\n\n",
          o);
    vec_for_each (&e->isa->bundle->units, u)
        fprintf(o, "extern const struct gpu_unit %s_unit;\n", u->isa); /* some perhaps twice */
    fprintf(o, "extern const struct gpu_isa %s_isa;\n\n", e->prefix);
}

/* ---- the helpers that the runtime calls ------------------------------------------------------ */

/* C of a helper's parameter by name, where `b` is the bundle and `at` the place in it. */
static const char *text_of_argument(const char *name)
{
    static const struct {
        const char *name, *c;
    } values[] = {
        {"unit", "at->unit"},
        {"stage", "at->stage"},
        {"stages", "b->stages"},
        {"uniforms", "at->uniforms"},
        {"traits", "at->traits"},
        {"header", "b->header"},
        {"block", "b->stage[at->stage].block"},
        {"next", "b->stage[at->stage + 1 < b->stages ? at->stage + 1 : 0].block"},
    };

    for (unsigned i = 0; i < sizeof(values) / sizeof(*values); i++)
        if (!strcmp(values[i].name, name))
            return values[i].c;
    return name;
}

static const struct ir_func *find_exported(const struct emit *e, const char *name)
{
    vec_for_each (&e->isa->exports, f)
        if (!strcmp((*f)->name, name))
            return *f;
    return NULL;
}

static bool helper_reads(const struct emit *e, const char *helper, const char *name)
{
    const struct ir_func *f = find_exported(e, helper);

    for (unsigned i = 0; f && i < f->param_names.len; i++)
        if (!strcmp(f->param_names.data[i], name))
            return true;
    return false;
}

static const struct {
    const char *name, *result, *parameters;
    const char *usual; /* result if the description lacks the helper; NULL: required */
} calls[] = {
    {"operand_place", "uint64_t",
     "const struct gpu_bundle *b UNUSED, const struct gpu_at *at UNUSED, uint32_t selector UNUSED",
     NULL},
    {"result_place", "uint64_t",
     "const struct gpu_bundle *b UNUSED, const struct gpu_at *at UNUSED, uint32_t selector UNUSED",
     NULL},
    {"staging_place", "uint32_t",
     "const struct gpu_bundle *b UNUSED, const struct gpu_at *at UNUSED, uint32_t selector UNUSED",
     "selector"},
    {"constant_value", "uint32_t",
     "uint64_t raw UNUSED, uint32_t modifier UNUSED, uint32_t place UNUSED, uint64_t address "
     "UNUSED",
     "(uint32_t)(place >> 8 & 1 ? raw >> 32 : raw)"},
    {"bundle_flags", "uint32_t", "const struct gpu_bundle *b UNUSED", NULL},
    {"bundle_staging", "uint32_t", "const struct gpu_bundle *b UNUSED", "0"},
    {"preload", "uint32_t", "uint32_t what UNUSED", NULL},
};

/* Writes call_NAME(), which calls the helper with the parameters that it has. */
static void write_call(struct emit *e, FILE *o, unsigned i)
{
    const struct ir_func *f = find_exported(e, calls[i].name);
    bool place = strstr(calls[i].parameters, "gpu_bundle");

    fprintf(o, "static %s call_%s(%s)\n{\n", calls[i].result, calls[i].name, calls[i].parameters);
    if (place && helper_reads(e, calls[i].name, "address"))
        fputs("    const uint64_t address = b->address;\n\n", o);
    if (!f) {
        fprintf(o, "    return %s;\n}\n\n", calls[i].usual);
        return;
    }
    fprintf(o, "    return %s_%s(", e->prefix, f->name);
    for (unsigned k = 0; k < f->param_names.len; k++)
        fprintf(o, "%s(%s)%s", k ? ", " : "", ctype(e, f->params.data[k]),
                text_of_argument(f->param_names.data[k]));
    fputs(");\n}\n\n", o);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Largest number of grains from one of these until the stages are complete. */
static unsigned longest_way(struct bundle_grain *const *at, unsigned count)
{
    unsigned most = 0;

    for (unsigned i = 0; i < count; i++) {
        unsigned n = 1 + longest_way(at[i]->next.data, at[i]->next.len);

        most = n > most ? n : most;
    }
    return most;
}

static unsigned max_bytes(const struct bundle *c)
{
    unsigned grains = longest_way(c->first.data, c->first.len) + c->max_constants;
    unsigned bytes = grains * c->grain_bits / 8;

    return c->strings.len || bytes > BUNDLE_MAX_BYTES ? BUNDLE_MAX_BYTES : bytes;
}

static void write_table(struct emit *e, FILE *o)
{
    const struct bundle *c = e->isa->bundle;
    bool uniforms =
        helper_reads(e, "operand_place", "uniforms") || helper_reads(e, "result_place", "uniforms");

    fprintf(o,
            "const struct gpu_isa %s_isa = {\n    .name = \"%s\",\n"
            "    .bundle_name = \"%s\",\n    .stage_name = \"%s\",\n"
            "    .register_count = %u,\n    .grain_bytes = %u,\n    .max_bytes = %u,\n"
            "    .work_registers = %u,\n    .register_slots = %u,\n"
            "    .parts = %u,\n    .results_after = %u,\n    .asks_uniforms = %s,\n"
            "    .unit_count = %u,\n    .unit = {",
            e->prefix, e->prefix, c->name, c->stage_name, e->model->state_bytes / 4,
            c->grain_bits / 8, max_bytes(c), c->registers, c->register_slots, c->parts,
            c->results_after, uniforms ? "true" : "false", c->units.len);
    vec_for_each (&c->units, u)
        fprintf(o, "%s&%s_unit", u == c->units.data ? "" : ", ", u->isa);
    fprintf(o, "},\n    .unpack = %s_unpack,\n    .disasm_bundle = %s_disasm_bundle,\n", e->prefix,
            e->prefix);
    for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++)
        fprintf(o, "    .%s = call_%s,\n", calls[i].name, calls[i].name);
    fputs("};\n", o);
}

bool emit_bundle(struct emit *e)
{
    struct out o;

    if (!out_open(e, &o, arena_printf(e->arena, "%s_bundle.c", e->prefix)))
        return false;
    write_head(e, o.f);
    write_helpers(e, o.f);
    bundle_emit_unpack(e, o.f);
    if (!bundle_emit_disasm(e, o.f))
        e->failed = true;
    for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++)
        write_call(e, o.f, i);
    write_table(e, o.f);
    return out_close(e, &o) && !e->failed;
}
