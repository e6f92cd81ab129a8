/*
 * Tables and the header of a CPU's ISA: registers, forms, entry points.
 */
#include "gencc/emit/cpu.h"
#include "gencc/emit/ctype.h"
#include "gencc/emit/helpers.h"
#include "gencc/emit/operands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the header ------------------------------------------------------------------------------ */

static void view_macros(struct emit *e, FILE *o)
{
    vec_for_each (&e->model->views, it) {
        const struct reg_view *v = *it;

        if (v->is_bank)
            fprintf(o, "#define %s_%s(n) (%u + %u * (size_t)(n))\n", e->capital_prefix, v->name,
                    v->offset, v->reg_stride);
        else
            fprintf(o, "#define %s_%s %u\n", e->capital_prefix, v->name, v->offset);
    }
    fputc('\n', o);
}

static void write_prototypes(struct emit *e, FILE *o)
{
    helper_prototypes(e, o);
    fprintf(o,
            "unsigned %s_decode(struct cpu *cpu, struct cpu_fetch *at, struct insn *out);\n"
            "bool %s_disasm(const struct cpu_fetch *at, uint64_t address, struct asm_out *out);\n",
            e->prefix, e->prefix);
}

/* Offset of the decode context in a decoded instruction, behind the operands; 0: the ISA has
 * none. */
static unsigned context_at(const struct emit *e)
{
    return e->isa->context.slot ? 16 + e->max_operand_bytes : 0;
}

/* Size of any decoded instruction with operands. It is the same for all, since instructions of a
 * block are an array. */
static unsigned insn_bytes(const struct emit *e)
{
    unsigned end = context_at(e) ? context_at(e) + 1 : 16 + e->max_operand_bytes;

    return (end + 7) & ~7u;
}

static bool write_header(struct emit *e)
{
    unsigned context = context_at(e);
    char *body;
    size_t size;
    struct out o;
    FILE *tail = open_memstream(&body, &size);

    if (!tail)
        return false;
    /* Written first, since it determines the vector types in use. */
    if (!e->opt->include)
        external_prototypes(e, tail);
    write_prototypes(e, tail);
    fclose(tail);
    if (!out_open(e, &o, arena_printf(e->arena, "%s_internal.h", e->prefix)))
        return false;
    fprintf(
        o.f,
        "#ifndef GENERATED_%s_INTERNAL_H\n#define GENERATED_%s_INTERNAL_H\n\n"
        "#include \"runtime/cpu/exec.h\"\n#include \"runtime/cpu/forms.h\"\n"
        "%s%s%s\n"
        "#define REG(type, at) (*(type *)(cpu->state + (at)))\n"
        "#define INSN_BYTES %u\n%s"
        "#define NEXT(cpu, i)                                                              \\\n"
        "    do {                                                                          \\\n"
        "        const struct insn *next_ = (const void *)((const char *)(i) + INSN_BYTES); \\\n"
        "        next_->fn(cpu, next_);                                                    \\\n"
        "        return;                                                                   \\\n"
        "    } while (0)\n\n",
        e->capital_prefix, e->capital_prefix, e->opt->include ? "#include \"" : "",
        e->opt->include ? e->opt->include : "", e->opt->include ? "\"\n" : "", insn_bytes(e),
        context ? arena_printf(e->arena, "#define INSN_CONTEXT(i) (((const uint8_t *)(i))[%u])\n",
                               context)
                : "");
    emit_vector_types(e, o.f);
    view_macros(e, o.f);
    fwrite(body, 1, size, o.f);
    free(body);
    fputs("\n#endif\n", o.f);
    return out_close(e, &o);
}

bool emit_headers(struct emit *e, unsigned count)
{
    bool ok = true;

    for (unsigned n = 0; n < count; n++)
        ok &= write_header(&e[n]);
    return ok;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void register_table(struct emit *e, FILE *o)
{
    static const char kinds[] = {[IR_UINT] = 'u', [IR_SINT] = 's', [IR_FLOAT] = 'f'};

    fputs("static const struct cpu_register registers[] = {\n", o);
    vec_for_each (&e->model->views, it) {
        const struct reg_view *v = *it;

        fprintf(o, "    {\"%s\", %s%s%s, %u, %u, %u, %u, %u, '%c', %s, %#" PRIx32 "},\n", v->name,
                v->tag ? "\"" : "", v->tag ? v->tag : "NULL", v->tag ? "\"" : "", v->offset,
                v->count ? v->count : 1, v->reg_stride ? v->reg_stride : ir_bytes(v->type),
                v->type.bits, v->type.lanes, kinds[v->type.base], v->sysreg ? "true" : "false",
                v->sysreg ? v->sysreg->code : 0);
    }
    vec_for_each (&e->model->sysregs, it) { /* registers that behaviours compute */
        const struct sysreg *r = *it;

        if (!r->view && !(r->read_level[0] == 255 && r->write_level[0] == 255))
            fprintf(o,
                    "    {\"%s\", NULL, CPU_NO_STORAGE, 1, 8, %u, 1, 'u', true, %#" PRIx32 "},\n",
                    r->name, r->type.bits, r->code);
    }
    fputs("};\n\n", o);
}

static const char *translator_name(const struct emit *e, const struct form *f)
{
    if (!e->translated || !e->translated[f->index])
        return "NULL";
    return arena_printf(e->arena, "%s_j_%s", e->prefix, f->name);
}

/* The table of forms of all ISAs; per ISA one more row, for undefined words. */
static void form_table(const struct emit *e, unsigned count, FILE *o)
{
    unsigned first = 0;

    for (unsigned n = 0; n < count; n++) {
        fprintf(o, "extern const uint16_t %s_first_form;\nconst uint16_t %s_first_form = %u;\n",
                e[n].prefix, e[n].prefix, first);
        first += e[n].isa->forms.len + 1;
    }
    for (unsigned n = 0; n < count; n++)
        vec_for_each (&e[n].isa->forms, f)
            if (e[n].translated && e[n].translated[(*f)->index])
                fprintf(o, "extern insn_translate_fn %s;\n", translator_name(&e[n], *f));
    fputs("static const struct cpu_form forms[] = {\n", o);
    for (unsigned n = 0; n < count; n++) {
        vec_for_each (&e[n].isa->forms, f)
            fprintf(o, "    {\"%s\", \"%s\", %u, %s},\n", (*f)->name, (*f)->instr->klass,
                    (*f)->instr->ticks, translator_name(&e[n], *f));
        fputs("    {\"undefined\", \"undefined\", 1, NULL},\n", o);
    }
    fputs("};\n\n", o);
}

/* Functions that the runtime may call, and their C types (docs/describe/genc.md, 8). */
static const struct {
    const char *name, *result, *params, *args;
} entry_points[] = {
    {"reset", "void", "", ""},
    {"handle_exception", "void", ", uint32_t p0, uint64_t p1", ", p0, p1"},
    {"undefined", "void", "", ""},
    {"memory_fault", "void", ", uint64_t p0, uint32_t p1, uint32_t p2", ", p0, p1, p2"},
    {"translate", "uint32_t", ", uint64_t p0, uint32_t p1, uint32_t p2, uint64_t *r0, uint32_t *r1",
     ", p0, p1, p2, 0, 0, r0, r1"},
    {"interrupt", "uint8_t", ", uint32_t p0", ", p0"},
    {"clear_monitor", "void", "", ""},
    {"step", "uint8_t", "", ""},
    {"breakpoint", "uint8_t", "", ""},
    {"watchpoint", "uint32_t", ", uint64_t p0, uint32_t p1, uint32_t p2, uint32_t p3",
     ", p0, p1, p2, p3"},
    {"hwcaps", "uint64_t", ", uint32_t p0", ", p0"},
    {"leave_call", "void", "", ""},
    {"user_value", "uint64_t", ", uint32_t p0", ", p0"},
    {"set_user_value", "void", ", uint32_t p0, uint64_t p1", ", p0, p1"},
    {"sysreg_access", "uint8_t", ", uint32_t p0, uint32_t p1, uint32_t p2", ", p0, p1, p2"},
    {"sysreg_read", "uint64_t", ", uint32_t p0, uint32_t p1", ", p0, p1"},
    {"sysreg_write", "void", ", uint32_t p0, uint32_t p1, uint64_t p2", ", p0, p1, p2"},
};
enum { ENTRY_POINTS = sizeof(entry_points) / sizeof(*entry_points) };

static const struct ir_func *function_of(const struct isa *isa, const char *name)
{
    vec_for_each (&isa->exports, f)
        if (!strcmp((*f)->name, name))
            return *f;
    vec_for_each (&isa->funcs, f)
        if (!strncmp(name, "sysreg_", 7) && !strcmp((*f)->name, name))
            return *f;
    return NULL;
}

/* The first ISA that has the function; NULL: none. */
static struct emit *provider_of(struct emit *e, unsigned count, const char *name)
{
    for (unsigned n = 0; n < count; n++)
        if (function_of(e[n].isa, name))
            return &e[n];
    return NULL;
}

/* Writes call_NAME(). Outside of a block the "instruction" is the position of the PC. */
static void entry_wrapper(struct emit *e, FILE *o, unsigned k)
{
    bool value = strcmp(entry_points[k].result, "void") != 0;

    helper_prototype(e, o, function_of(e->isa, entry_points[k].name));
    fprintf(o,
            ";\n\nstatic %s call_%s(struct cpu *cpu%s)\n{\n"
            "    const uint64_t block_pc = cpu->block_pc;\n"
            "    const struct insn here = {0};\n",
            entry_points[k].result, entry_points[k].name, entry_points[k].params);
    if (value)
        fprintf(o, "    %s result;\n", entry_points[k].result);
    fprintf(o, "\n    cpu->block_pc = cpu->pc;\n    %s%s_%s(cpu, &here%s);\n",
            value ? "result = " : "", e->prefix, entry_points[k].name, entry_points[k].args);
    fprintf(o, "    cpu->block_pc = block_pc;\n%s}\n\n", value ? "    return result;\n" : "");
}

static void entry_wrappers(struct emit *e, unsigned count, FILE *o)
{
    for (unsigned k = 0; k < ENTRY_POINTS; k++) {
        struct emit *from = provider_of(e, count, entry_points[k].name);

        if (from)
            entry_wrapper(from, o, k);
    }
}

static void iface_rings(struct emit *e, FILE *o)
{
    fputs("static const uint8_t iface_ring[] = {", o);
    vec_for_each (&e->model->mems, m)
        fprintf(o, "%u, ", m->ring);
    fprintf(o, "%u};\n_Static_assert(CPU_RINGS == %u, \"those a description may name\");\n\n",
            AST_CURRENT_RING, AST_MAX_RING + 1);
}

/* Address width of the widest memory interface. Without an interface no address has a name, and the
 * width of a word is returned. */
static unsigned address_bits(const struct model *m)
{
    unsigned bits = 0;

    vec_for_each (&m->mems, it)
        bits = it->addr_bits > bits ? it->addr_bits : bits;
    return bits ? bits : m->word_bits;
}

static void write_features(const struct model *m, FILE *o)
{
    fputs("static const uint32_t feature_values[] = {", o);
    vec_for_each (&m->features, f)
        fprintf(o, "%u, ", (*f)->value);
    fputs("0};\nstatic const char *const feature_names[] = {", o);
    vec_for_each (&m->features, f)
        fprintf(o, "\"%s\", ", (*f)->name);
    fputs("NULL};\nstatic const char *const feature_about[] = {", o);
    vec_for_each (&m->features, f) {
        if ((*f)->about)
            fprintf(o, "\"%s\", ", (*f)->about);
        else
            fputs("NULL, ", o);
    }
    fputs("NULL};\n", o);
}

/* Writes the timings, the last one without a name; likewise their classes. */
static void write_timings(const struct model *m, FILE *o)
{
    for (unsigned n = 0; n < m->timings.len; n++) {
        fprintf(o, "static const struct cpu_class_ticks timing_%u[] = {\n", n);
        vec_for_each (&m->timings.data[n].classes, c)
            fprintf(o, "    {\"%s\", %u},\n", c->name, c->ticks);
        fputs("    {0}};\n", o);
    }
    fputs("static const struct cpu_timing timings[] = {\n", o);
    for (unsigned n = 0; n < m->timings.len; n++) {
        const struct timing *t = &m->timings.data[n];

        fprintf(o, "    {\"%s\", %u, %u, timing_%u},\n", t->name, t->mhz, t->ticks_per_cycle, n);
    }
    fputs("    {0}};\n\n", o);
}

static unsigned widest_bytes(const struct isa *isa)
{
    unsigned bits = isa->fetch_bits;

    vec_for_each (&isa->word_widths, w)
        bits = w->bits > bits ? w->bits : bits;
    return bits / 8;
}

/* Writes the decoders of each ISA. */
static void write_decoders(struct emit *e, unsigned count, FILE *o)
{
    for (unsigned n = 0; n < count; n++)
        fprintf(
            o,
            "extern unsigned %s_decode(struct cpu *cpu, struct cpu_fetch *at, struct insn "
            "*out);\n"
            "extern bool %s_disasm(const struct cpu_fetch *at, uint64_t address, struct asm_out "
            "*out);\n",
            e[n].prefix, e[n].prefix);
    fputs("static const struct cpu_decoder decoders[] = {\n", o);
    for (unsigned n = 0; n < count; n++) {
        const struct isa *isa = e[n].isa;

        fprintf(o,
                "    {\n        .name = \"%s\",\n        .unit_bytes = %u,\n"
                "        .max_bytes = %u,\n        .insn_bytes = %u,\n"
                "        .decode = %s_decode,\n        .disasm = %s_disasm,\n",
                isa->name, isa->fetch_bits / 8, widest_bytes(isa), insn_bytes(&e[n]), e[n].prefix,
                e[n].prefix);
        if (isa->context.slot)
            fprintf(o,
                    "        .has_context = true,\n        .context = %u,\n"
                    "        .context_at = %u,\n",
                    isa->context.slot->offset, context_at(&e[n]));
        fputs("    },\n", o);
    }
    fputs("};\n\n", o);
}

static void isa_struct(struct emit *e, unsigned count, const char *name, FILE *o)
{
    struct model *m = e->model;

    fprintf(o,
            "extern const struct cpu_isa %s_isa;\nconst struct cpu_isa %s_isa = {\n"
            "    .name = \"%s\",\n    .state_bytes = %u,\n"
            "    .address_bits = %u,\n    .narrow_pc = %s,\n"
            "    .iface_count = %u,\n    .feature_count = %u,\n"
            "    .feature_values = feature_values,\n    .feature_names = feature_names,\n"
            "    .feature_about = feature_about,\n"
            "    .iface_ring = iface_ring,\n    .timings = timings,\n"
            "    .decoders = decoders,\n    .decoder_count = %u,\n"
            "    .forms = forms,\n    .form_count = sizeof forms / sizeof *forms,\n"
            "    .registers = registers,\n"
            "    .register_count = sizeof registers / sizeof *registers,\n",
            name, name, name, m->state_bytes, address_bits(m),
            m->word_bits == 32 ? "true" : "false", m->mems.len, m->features.len, count);
    if (m->big_endian)
        fputs("    .big_endian = true,\n", o);
    for (unsigned k = 0; k < ENTRY_POINTS; k++)
        if (provider_of(e, count, entry_points[k].name))
            fprintf(o, "    .%s = call_%s,\n", entry_points[k].name, entry_points[k].name);
    fputs("};\n", o);
}

bool emit_tables(struct emit *e, unsigned count, const char *name)
{
    struct out o;

    if (!out_open(e, &o, arena_printf(e->arena, "%s_isa.c", name)))
        return false;
    fputs("#include \"runtime/cpu/exec.h\"\n\n", o.f);
    register_table(e, o.f);
    form_table(e, count, o.f);
    entry_wrappers(e, count, o.f);
    write_features(e->model, o.f);
    write_timings(e->model, o.f);
    iface_rings(e, o.f);
    write_decoders(e, count, o.f);
    isa_struct(e, count, name, o.f);
    return out_close(e, &o);
}
