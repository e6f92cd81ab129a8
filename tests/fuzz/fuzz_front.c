/*
 * Descriptions: parsed, modelled, lowered, optimised, verified. An input holds one or more files,
 * divided by lines "%%% name"; the first is the architecture.
 */
#include "gencc/lower/lower.h"
#include "gencc/model/model.h"
#include "gencc/disasm/disasm.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 8 };

static unsigned split_files(struct arena *a, char *text, struct source_file *files)
{
    unsigned n = 0;
    const char *name = "arch.ac";

    while (n < MAX_FILES) {
        char *next = strstr(text, "\n%%% ");

        if (next)
            *next = 0;
        files[n++] = (struct source_file){.path = name, .text = text, .length = strlen(text)};
        if (!next)
            break;
        text = next + 5;
        name = arena_strndup(a, text, strcspn(text, "\n"));
        text += strcspn(text, "\n");
    }
    return n;
}

static void compile_files(struct arena *a, struct diag *d, char *text)
{
    struct source_file files[MAX_FILES];
    unsigned n = split_files(a, text, files);
    struct ast_arch *arch = ast_parse_arch_memory(d, files, n);
    struct model *m;

    if (!arch || d->errors)
        return;
    m = model_build(a, d, arch);
    if (!m || d->errors)
        return;
    vec_for_each (&m->isas, isa) {
        if (!lower_isa(*isa, LOWER_OPTIMISE))
            continue;
        vec_for_each (&(*isa)->funcs, f)
            if (!ir_verify(d, *f))
                abort(); /* the compiler broke its own rules */
        text_prepare(*isa);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    FILE *nowhere = fopen("/dev/null", "w");
    struct diag d = {.arena = &a, .out = nowhere};

    if (nowhere && !memchr(data, 0, size))
        compile_files(&a, &d, arena_strndup(&a, (const char *)data, size));
    if (nowhere)
        fclose(nowhere);
    arena_free(&a);
    return 0;
}
