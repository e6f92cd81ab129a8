/*
 * The files that Ghidra wants beside a SLEIGH specification: the language (.ldefs), the processor
 * (.pspec), and the calling convention (.cspec), of which ac_abi() says the registers.
 */
#include "gencc/export/export.h"
#include "gencc/export/sleigh.h"
#include "gencc/front/abi_ast.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct specs {
    struct arena arena;
    const struct isa *isa;
    const struct model *model;
    const char *base;        /* path without extension */
    const char *name;        /* base without folders */
    struct sleigh registers; /* names as in the specification */
};

/* ---- registers ------------------------------------------------------------------------------- */

/* Names the registers as the specification does: of views of the same bytes, the first has the
 * name. */
static void name_registers(struct specs *s)
{
    s->registers = (struct sleigh){.arena = &s->arena, .model = s->model, .isa = s->isa};
    vec_for_each (&s->model->views, v)
        for (unsigned i = 0; i < (*v)->count; i++)
            sl_register(&s->registers, *v, i);
}

/* The number behind a bank's name; the bank's number of registers if it has none of that name. */
static unsigned number_in(const struct reg_view *v, const char *name)
{
    const char *digits = name + strlen(v->name);
    unsigned long index;
    char *end;

    if (strncasecmp(name, v->name, strlen(v->name)) != 0 || !isdigit((unsigned char)*digits))
        return v->count;
    index = strtoul(digits, &end, 10);
    return !*end && index < v->count ? (unsigned)index : v->count;
}

/* The specification's name of what the description calls so; NULL: it is no register. */
static const char *register_of(struct specs *s, const char *name)
{
    vec_for_each (&s->model->views, v)
        if (!(*v)->is_bank && !strcasecmp((*v)->name, name))
            return sl_register(&s->registers, *v, 0);
    vec_for_each (&s->model->views, v)
        if ((*v)->is_bank && number_in(*v, name) < (*v)->count)
            return sl_register(&s->registers, *v, number_in(*v, name));
    return NULL;
}

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

/* The stack pointer: what the ABI names, or the tagged register; NULL: none */
static const char *stack_pointer(struct specs *s)
{
    const struct abi_node *n = statement(s, "stack");

    if (n && n->words.len > 1 && n->words.data[1].kind == ABI_NAME)
        return register_of(s, n->words.data[1].text);
    return s->model->sp ? register_of(s, s->model->sp->name) : NULL;
}

/* The registers that a statement names */
static void print_entries(FILE *o, struct specs *s, const char *name)
{
    const struct abi_node *n = statement(s, name);

    for (unsigned i = 1; n && i < n->words.len; i++) {
        const struct abi_word *w = &n->words.data[i];
        const char *symbol = w->kind == ABI_NAME ? register_of(s, w->text) : NULL;

        if (symbol)
            fprintf(o,
                    "        <pentry minsize=\"1\" maxsize=\"%u\">\n"
                    "          <register name=\"%s\"/>\n        </pentry>\n",
                    s->model->word_bits / 8, symbol);
    }
}

/* Further arguments on the stack, if the ABI has such. */
static void print_stack_entry(FILE *o, const struct specs *s)
{
    const struct abi_node *n = statement(s, "stack_arguments");

    if (n && n->words.len > 1 && n->words.data[1].kind == ABI_NUMBER)
        fprintf(o,
                "        <pentry minsize=\"1\" maxsize=\"500\" align=\"%u\">\n"
                "          <addr offset=\"%llu\" space=\"stack\"/>\n        </pentry>\n",
                s->model->word_bits / 8, (unsigned long long)n->words.data[1].value);
}

static void print_compiler(FILE *o, struct specs *s)
{
    const char *stack = stack_pointer(s);

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
    print_stack_entry(o, s);
    fputs("      </input>\n      <output>\n", o);
    print_entries(o, s, "result");
    fputs("      </output>\n    </prototype>\n  </default_proto>\n</compiler_spec>\n", o);
}

/* ---- language and processor ------------------------------------------------------------------ */

static void print_language(FILE *o, struct specs *s)
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

static void print_processor(FILE *o, struct specs *s)
{
    fputs("<processor_spec>\n", o);
    if (s->model->pc)
        fprintf(o, "  <programcounter register=\"%s\"/>\n", register_of(s, s->model->pc->name));
    fputs("  <context_data>\n    <tracked_set space=\"ram\">\n", o);
    vec_for_each (&s->model->features, f)
        fprintf(o, "      <set name=\"feature_%s\" val=\"%u\"/>\n", (*f)->name, (*f)->value);
    fputs("    </tracked_set>\n  </context_data>\n</processor_spec>\n", o);
}

static bool write_file(struct specs *s, const char *extension,
                       void (*print)(FILE *o, struct specs *s))
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
    name_registers(&s);
    good = write_file(&s, ".ldefs", print_language) && write_file(&s, ".pspec", print_processor) &&
           write_file(&s, ".cspec", print_compiler);
    arena_free(&s.arena);
    return good;
}
