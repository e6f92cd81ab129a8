/*
 * Tables and the header of an ISA of a CPU: registers, forms, entry points.
 */
#include "gencc/emit/cpu.h"
#include "gencc/emit/ctype.h"
#include "gencc/emit/helpers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the header ------------------------------------------------------------------------------ */

static void view_macros(struct emit *e, FILE *o)
{
    vec_for_each (&e->model->views, it) {
        const struct reg_view *v = *it;

        if (v->is_bank)
            fprintf(o, "#define %s_%s(n) (%u + %u * (size_t)(n))\n", e->P, v->name, v->offset,
                    v->reg_stride);
        else
            fprintf(o, "#define %s_%s %u\n", e->P, v->name, v->offset);
    }
    fputc('\n', o);
}

static void operand_structs(struct emit *e, FILE *o, const handler_list *handlers)
{
    vec_for_each (handlers, it) {
        const struct handler *h = *it;

        if (!h->operands.count)
            continue;
        fprintf(o, "struct %s_o_%s {", e->p, h->name);
        vec_for_each (&h->operands, op)
            fprintf(o, " %s %s;", ctype(e, op->stored), op->name);
        fputs(" };\n", o);
    }
    fputc('\n', o);
}

static void prototypes(struct emit *e, FILE *o, const handler_list *handlers)
{
    helper_prototypes(e, o);
    vec_for_each (handlers, h)
        fprintf(o, "void %s_h_%s(CPU_ARGS);\n", e->p, (*h)->name);
    fprintf(o,
            "unsigned %s_decode(struct cpu *cpu, uint32_t word, struct insn *out);\n"
            "bool %s_disasm(uint32_t word, uint64_t address, struct asm_out *out);\n",
            e->p, e->p);
}

static unsigned insn_bytes(const struct emit *e)
{
    return 16 + e->max_operand_bytes;
}

bool emit_header(struct emit *e, const handler_list *handlers)
{
    char *body;
    size_t size;
    struct out o;
    FILE *tail = open_memstream(&body, &size);

    if (!tail)
        return false;
    /* Written first: it is what tells which vector types there are. */
    operand_structs(e, tail, handlers);
    if (!e->opt->include)
        external_prototypes(e, tail);
    prototypes(e, tail, handlers);
    fclose(tail);
    if (!out_open(e, &o, arena_printf(e->arena, "%s_internal.h", e->p)))
        return false;
    fprintf(
        o.f,
        "#ifndef GENERATED_%s_INTERNAL_H\n#define GENERATED_%s_INTERNAL_H\n\n"
        "#include \"runtime/cpu/exec.h\"\n"
        "%s%s%s\n"
        "#define REG(type, at) (*(type *)(cpu->state + (at)))\n"
        "#define INSN_BYTES %u\n"
        "#define NEXT(cpu, i)                                                              \\\n"
        "    do {                                                                          \\\n"
        "        const struct insn *next_ = (const void *)((const char *)(i) + INSN_BYTES); \\\n"
        "        next_->fn(cpu, next_);                                                    \\\n"
        "        return;                                                                   \\\n"
        "    } while (0)\n\n",
        e->P, e->P, e->opt->include ? "#include \"" : "", e->opt->include ? e->opt->include : "",
        e->opt->include ? "\"\n" : "", insn_bytes(e));
    emit_vector_types(e, o.f);
    view_macros(e, o.f);
    fwrite(body, 1, size, o.f);
    free(body);
    fputs("\n#endif\n", o.f);
    return out_close(e, &o);
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
    vec_for_each (&e->model->sysregs, it) { /* those that behaviours compute */
        const struct sysreg *r = *it;

        if (!r->view && !(r->read_level[0] == 255 && r->write_level[0] == 255))
            fprintf(o,
                    "    {\"%s\", NULL, CPU_NO_STORAGE, 1, 8, %u, 1, 'u', true, %#" PRIx32 "},\n",
                    r->name, r->type.bits, r->code);
    }
    fputs("};\n\n", o);
}

static void form_table(struct emit *e, FILE *o)
{
    fputs("static const struct cpu_form forms[] = {\n", o);
    vec_for_each (&e->isa->forms, f)
        fprintf(o, "    {\"%s\", \"%s\", %u},\n", (*f)->name, (*f)->instr->klass,
                (*f)->instr->ticks);
    fputs("    {\"undefined\", \"undefined\", 1},\n};\n\n", o);
}

/* What the runtime may call, and the C shape it expects (docs/genc.md, 8). */
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
    {"sysreg_access", "uint8_t", ", uint32_t p0, uint32_t p1, uint32_t p2", ", p0, p1, p2"},
    {"sysreg_read", "uint64_t", ", uint32_t p0, uint32_t p1", ", p0, p1"},
    {"sysreg_write", "void", ", uint32_t p0, uint32_t p1, uint64_t p2", ", p0, p1, p2"},
};
enum { ENTRY_POINTS = sizeof entry_points / sizeof *entry_points };

static bool has_function(const struct emit *e, const char *name)
{
    vec_for_each (&e->isa->exports, f)
        if (!strcmp((*f)->name, name))
            return true;
    vec_for_each (&e->isa->funcs, f) {
        if (!strncmp(name, "sysreg_", 7) && !strcmp((*f)->name, name))
            return true;
    }
    return false;
}

/* Outside of a block the "instruction" is the place the PC points at. */
static void entry_wrappers(struct emit *e, FILE *o)
{
    for (unsigned k = 0; k < ENTRY_POINTS; k++) {
        bool value = strcmp(entry_points[k].result, "void") != 0;

        if (!has_function(e, entry_points[k].name))
            continue;
        fprintf(o,
                "static %s call_%s(struct cpu *cpu%s)\n{\n"
                "    const uint64_t block_pc = cpu->block_pc;\n"
                "    const struct insn here = {0};\n",
                entry_points[k].result, entry_points[k].name, entry_points[k].params);
        if (value)
            fprintf(o, "    %s result;\n", entry_points[k].result);
        fprintf(o, "\n    cpu->block_pc = cpu->pc;\n    %s%s_%s(cpu, &here%s);\n",
                value ? "result = " : "", e->p, entry_points[k].name, entry_points[k].args);
        fprintf(o, "    cpu->block_pc = block_pc;\n%s}\n\n", value ? "    return result;\n" : "");
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

/* Of the widest memory interface; an architecture without any has no addresses that have names. */
static unsigned address_bits(const struct model *m)
{
    unsigned bits = 0;

    vec_for_each (&m->mems, it)
        bits = it->addr_bits > bits ? it->addr_bits : bits;
    return bits ? bits : m->word_bits;
}

static void isa_struct(struct emit *e, FILE *o, unsigned translators)
{
    struct model *m = e->model;

    fputs("static const uint32_t feature_values[] = {", o);
    vec_for_each (&m->features, f)
        fprintf(o, "%u, ", (*f)->value);
    fputs("0};\nstatic const char *const feature_names[] = {", o);
    vec_for_each (&m->features, f)
        fprintf(o, "\"%s\", ", (*f)->name);
    fputs("NULL};\n", o);
    iface_rings(e, o);
    fprintf(o,
            "%s%s%sextern const struct cpu_isa %s_isa;\nconst struct cpu_isa %s_isa = {\n"
            "    .name = \"%s\",\n    .state_bytes = %u,\n    .insn_bytes = INSN_BYTES,\n"
            "    .fetch_bytes = %u,\n    .address_bits = %u,\n    .narrow_pc = %s,\n"
            "    .iface_count = %u,\n    "
            ".feature_count = %u,\n"
            "    .feature_values = feature_values,\n    .feature_names = feature_names,\n"
            "    .iface_ring = iface_ring,\n"
            "    .decode = %s_decode,\n    .disasm = %s_disasm,\n"
            "    .forms = forms,\n    .form_count = %u,\n"
            "    .registers = registers,\n"
            "    .register_count = sizeof registers / sizeof *registers,\n",
            e->opt->jit ? "extern const struct cpu_translator " : "", e->opt->jit ? e->p : "",
            e->opt->jit ? "_translators[];\n" : "", e->p, e->p, e->isa->name, m->state_bytes,
            e->isa->fetch_bits / 8, address_bits(m), m->word_bits == 32 ? "true" : "false",
            m->mems.count, m->features.count, e->p, e->p, e->isa->forms.count + 1);
    if (e->opt->jit)
        fprintf(o, "    .translators = %s_translators,\n    .translator_count = %u,\n", e->p,
                translators);
    for (unsigned k = 0; k < ENTRY_POINTS; k++)
        if (has_function(e, entry_points[k].name))
            fprintf(o, "    .%s = call_%s,\n", entry_points[k].name, entry_points[k].name);
    fputs("};\n", o);
}

bool emit_tables(struct emit *e, unsigned translators)
{
    struct out o;

    if (!out_open(e, &o, arena_printf(e->arena, "%s_isa.c", e->p)))
        return false;
    fprintf(o.f, "#include \"%s_internal.h\"\n\n", e->p);
    register_table(e, o.f);
    form_table(e, o.f);
    entry_wrappers(e, o.f);
    isa_struct(e, o.f, translators);
    return out_close(e, &o);
}
