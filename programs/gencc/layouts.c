/*
 * `gencc layouts` and `gencc variants`: write the C of descriptors, registers and GPUs.
 */
#include "gencc/emit/layouts.h"
#include "programs/gencc/driver.h"

#include <string.h>

/* Input of both commands */
struct inputs {
    struct arena arena;
    struct diag diag;
    const char *dir, *layouts;
    bool check;  /* check only, write nothing */
    bool failed; /* a file could not be read or written */
    VEC(const char *) files;
    VEC(const char *) archs; /* architectures of the GPUs' ISAs */
};

static bool read_arguments(struct inputs *in, int argc, char **argv)
{
    bool bad = false;
    const char *v;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--check"))
            in->check = true;
        else if ((v = option_value(argc, argv, &i, "o", &bad)))
            in->dir = v;
        else if (!bad && (v = option_value(argc, argv, &i, "layouts", &bad)))
            in->layouts = v;
        else if (!bad && (v = option_value(argc, argv, &i, "arch", &bad)))
            vec_push_in(&in->arena, &in->archs, v);
        else if (!bad && argv[i][0] != '-')
            vec_push_in(&in->arena, &in->files, argv[i]);
        else {
            if (!bad)
                bad_argument(argv[0], argv[i]);
            return false;
        }
    }
    if (in->dir || in->check)
        return true;
    fprintf(stderr, "gencc %s: -o DIR is missing\n", argv[0]);
    return false;
}

static int finish_command(struct inputs *in, bool ok)
{
    unsigned errors = in->diag.errors;

    if (errors && !in->failed)
        driver_print_count(&in->diag);
    arena_free(&in->arena);
    return in->failed ? 2 : ok && !errors ? 0 : 1;
}

static struct ast_layout_file *parse_file(struct inputs *in, const char *path)
{
    struct ast_layout_file *file = ast_parse_layouts(&in->diag, path);

    in->failed |= !file;
    return file;
}

static struct layouts *load_layouts(struct inputs *in, const char *path)
{
    const struct ast_layout_file *file = parse_file(in, path);

    return file ? layouts_build(&in->diag, file) : NULL;
}

int command_layouts(int argc, char **argv)
{
    struct inputs in = {0};
    struct layouts *l;
    bool ok;

    in.diag.arena = &in.arena;
    in.diag.out = stderr;
    ok = read_arguments(&in, argc, argv);
    if (ok && (in.files.len != 1 || in.layouts || in.archs.len)) {
        fputs("gencc layouts: expected one file\n", stderr);
        ok = false;
    }
    if (!ok) {
        arena_free(&in.arena);
        return 2;
    }
    l = load_layouts(&in, in.files.data[0]);
    ok = l && !in.diag.errors;
    if (ok && in.check)
        printf("%s: %u layout%s, %u register%s, no errors\n", in.files.data[0], l->structs.len,
               l->structs.len == 1 ? "" : "s", l->registers.len, l->registers.len == 1 ? "" : "s");
    if (ok && !in.check)
        in.failed = !emit_layouts(l, in.dir);
    return finish_command(&in, ok);
}

static bool write_gpus(struct inputs *in)
{
    struct layouts *l = load_layouts(in, in->layouts);
    VEC(struct ast_layout_file *) parsed = {0};
    struct gpus *g;

    if (!l)
        return false;
    vec_for_each (&in->files, path) {
        struct ast_layout_file *file = parse_file(in, *path);

        if (file)
            vec_push_in(&in->arena, &parsed, file);
        if (file && file->layouts)
            diag_error(&in->diag, file->layouts->pos, "a file of GPUs holds AC_GPU only");
    }
    g = gpus_build(l, parsed.data, parsed.len);
    vec_for_each (&in->archs, path) {
        const struct ast_arch *arch = ast_parse_arch(&in->diag, *path);

        in->failed |= !arch;
        if (arch)
            gpus_check_features(g, arch);
    }
    if (in->diag.errors)
        return false;
    if (in->check)
        printf("%u GPU%s, no errors\n", g->all.len, g->all.len == 1 ? "" : "s");
    else
        in->failed = !emit_variants(g, in->dir);
    return true;
}

int command_variants(int argc, char **argv)
{
    struct inputs in = {0};
    bool ok;

    in.diag.arena = &in.arena;
    in.diag.out = stderr;
    ok = read_arguments(&in, argc, argv);
    if (ok && !in.layouts) {
        fputs("gencc variants: --layouts FILE is missing\n", stderr);
        ok = false;
    }
    if (!ok) {
        arena_free(&in.arena);
        return 2;
    }
    return finish_command(&in, write_gpus(&in));
}
