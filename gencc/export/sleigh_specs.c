/*
 * The files that Ghidra wants beside a SLEIGH specification: the language (.ldefs), the processor
 * (.pspec), and the calling convention (.cspec), of which ac_abi() says the registers.
 */
#include "gencc/export/export.h"
#include "gencc/front/abi_ast.h"

#include <errno.h>
#include <string.h>

struct specs {
    struct arena arena;
    const struct isa *isa;
    const struct model *model;
    const char *base; /* path without extension */
    const char *name; /* base without folders */
};

static const char *file_of(struct specs *s, const char *extension)
{
    return arena_printf(&s->arena, "%s%s", s->base, extension);
}

/* ---- the ABI --------------------------------------------------------------------------------- */

static const struct abi_node *statement(const struct specs *s, const char *name)
{
    if (s->model->ast->abi)
        vec_for_each (&s->model->ast->abi->items, n)
            if (!strcmp((*n)->words.data[0].text, name))
                return *n;
    return NULL;
}

/* The register that a statement names, or the tagged one; NULL: none */
static const char *one_register(const struct specs *s, const char *name,
                                const struct reg_view *tagged)
{
    const struct abi_node *n = statement(s, name);

    if (n && n->words.len > 1 && n->words.data[1].kind == ABI_NAME)
        return n->words.data[1].text;
    return tagged ? tagged->name : NULL;
}

static void print_entries(FILE *o, const struct specs *s, const char *name)
{
    const struct abi_node *n = statement(s, name);

    for (unsigned i = 1; n && i < n->words.len; i++)
        if (n->words.data[i].kind == ABI_NAME)
            fprintf(o,
                    "        <pentry minsize=\"1\" maxsize=\"%u\">\n"
                    "          <register name=\"%s\"/>\n        </pentry>\n",
                    s->model->word_bits / 8, n->words.data[i].text);
}

static void print_compiler(FILE *o, const struct specs *s)
{
    const char *stack = one_register(s, "stack", s->model->sp);

    fprintf(o,
            "<compiler_spec>\n  <data_organization>\n    <pointer_size value=\"%u\"/>\n"
            "  </data_organization>\n  <global>\n    <range space=\"ram\"/>\n  </global>\n",
            s->model->word_bits / 8);
    if (stack)
        fprintf(o, "  <stackpointer register=\"%s\" space=\"ram\"/>\n", stack);
    fputs("  <default_proto>\n    <prototype name=\"__stdcall\" extrapop=\"0\" "
          "stackshift=\"0\">\n      <input>\n",
          o);
    print_entries(o, s, "arguments");
    fputs("      </input>\n      <output>\n", o);
    print_entries(o, s, "result");
    fputs("      </output>\n    </prototype>\n  </default_proto>\n</compiler_spec>\n", o);
}

/* ---- language and processor ------------------------------------------------------------------ */

static void print_language(FILE *o, const struct specs *s)
{
    bool big = s->model->big_endian;

    fprintf(o,
            "<language_definitions>\n  <language processor=\"%s\" endian=\"%s\" size=\"%u\" "
            "variant=\"%s\" version=\"1.0\"\n            slafile=\"%s.sla\" "
            "processorspec=\"%s.pspec\" id=\"%s:%s:%u:%s\">\n    <description>%s of %s, by "
            "gencc</description>\n    <compiler name=\"default\" spec=\"%s.cspec\" "
            "id=\"default\"/>\n  </language>\n</language_definitions>\n",
            s->model->name, big ? "big" : "little", s->model->word_bits, s->isa->name, s->name,
            s->name, s->model->name, big ? "BE" : "LE", s->model->word_bits, s->isa->name,
            s->isa->name, s->model->name, s->name);
}

static void print_processor(FILE *o, const struct specs *s)
{
    fputs("<processor_spec>\n", o);
    if (s->model->pc)
        fprintf(o, "  <programcounter register=\"%s\"/>\n", s->model->pc->name);
    fputs("  <context_data>\n    <tracked_set space=\"ram\">\n", o);
    vec_for_each (&s->model->features, f)
        fprintf(o, "      <set name=\"feature_%s\" val=\"%u\"/>\n", (*f)->name, (*f)->value);
    fputs("    </tracked_set>\n  </context_data>\n</processor_spec>\n", o);
}

static bool write_file(struct specs *s, const char *extension,
                       void (*print)(FILE *o, const struct specs *s))
{
    const char *path = file_of(s, extension);
    FILE *o = fopen(path, "w");
    bool good = o != NULL;

    if (o) {
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", o);
        print(o, s);
        good = !ferror(o);
        good &= !fclose(o);
    }
    if (!good)
        fprintf(stderr, "gencc export: %s: %s\n", path, strerror(errno));
    return good;
}

bool export_sleigh_specs(const char *path, const struct isa *isa)
{
    struct specs s = {.isa = isa, .model = isa->model};
    const char *end = strrchr(path, '.'), *slash = strrchr(path, '/');
    bool good;

    s.base =
        end && (!slash || end > slash) ? arena_strndup(&s.arena, path, (size_t)(end - path)) : path;
    slash = strrchr(s.base, '/');
    s.name = slash ? slash + 1 : s.base;
    good = write_file(&s, ".ldefs", print_language) && write_file(&s, ".pspec", print_processor) &&
           write_file(&s, ".cspec", print_compiler);
    arena_free(&s.arena);
    return good;
}
