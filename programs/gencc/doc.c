/*
 * `gencc doc`: writes the reference as web pages.
 */
#include "gencc/doc/doc.h"
#include "programs/gencc/driver.h"

#include <string.h>

enum file_kind { FILE_ARCH, FILE_LAYOUTS, FILE_GPUS, FILE_MACHINE };

/* State of the command */
struct reference {
    struct arena arena;
    struct diag diag; /* messages about layouts and GPUs */
    struct site site;
    struct doc_input input;
    VEC(struct driver *) drivers; /* one per architecture */
    VEC(struct ast_layout_file *) gpus;
};

/* Determines the kind by the first keyword in the file. A file that cannot be read counts as an
 * architecture; reading it later reports the error. */
static enum file_kind kind_of(const char *path)
{
    static const char *const words[] = {
        [FILE_ARCH] = "AC_ARCH", [FILE_LAYOUTS] = "AC_LAYOUTS", [FILE_GPUS] = "AC_GPU"};
    size_t n = strlen(path);
    enum file_kind kind = FILE_ARCH;
    FILE *f = fopen(path, "r");
    char line[512];
    bool known = false;

    if (n > 4 && !strcmp(path + n - 4, ".dtb")) {
        kind = FILE_MACHINE;
        known = true;
    }
    while (f && !known && fgets(line, sizeof(line), f))
        for (enum file_kind k = FILE_ARCH; k <= FILE_GPUS && !known; k++)
            if (!strncmp(line, words[k], strlen(words[k]))) {
                kind = k;
                known = true;
            }
    if (f)
        fclose(f);
    return kind;
}

static int load_architecture(struct reference *r, const char *path)
{
    struct driver *d = arena_new(&r->arena, struct driver);
    int status = 0;

    d->arch = path;
    vec_push_in(&r->arena, &r->drivers, d);
    if (!driver_load(d, STAGE_MODEL, &status))
        return status;
    vec_for_each (&r->input.models, m)
        if (!strcmp((*m)->name, d->model->name)) {
            fprintf(stderr, "gencc doc: %s: another architecture is called %s too\n", path,
                    d->model->name);
            return 2;
        }
    vec_push_in(&r->arena, &r->input.models, d->model);
    return 0;
}

static int load_layouts(struct reference *r, const char *path, enum file_kind kind)
{
    struct ast_layout_file *file = ast_parse_layouts(&r->diag, path);
    struct layouts *l;

    if (!file)
        return 2;
    if (kind == FILE_GPUS) {
        vec_push_in(&r->arena, &r->gpus, file);
    } else {
        l = layouts_build(&r->diag, file);
        if (l)
            vec_push_in(&r->arena, &r->input.layouts, l);
    }
    return r->diag.errors ? 1 : 0;
}

static int load_file(struct reference *r, const char *path)
{
    enum file_kind kind = kind_of(path);

    if (kind == FILE_ARCH)
        return load_architecture(r, path);
    if (kind != FILE_MACHINE)
        return load_layouts(r, path, kind);
    vec_push_in(&r->arena, &r->input.machines, path);
    return 0;
}

/* Checks GPUs against the layouts, of which there must be exactly one set. */
static int check_gpus(struct reference *r)
{
    struct gpus *g;

    if (!r->gpus.len)
        return 0;
    if (r->input.layouts.len != 1) {
        fputs("gencc doc: GPUs need the file of their layouts (AC_LAYOUTS)\n", stderr);
        return 2;
    }
    g = gpus_build((struct layouts *)r->input.layouts.data[0], r->gpus.data, r->gpus.len);
    if (g)
        vec_push_in(&r->arena, &r->input.gpus, g);
    return r->diag.errors ? 1 : 0;
}

static int write_all(struct reference *r, const char *const *files, unsigned count)
{
    int status = 0;

    for (unsigned i = 0; i < count && !status; i++)
        status = load_file(r, files[i]);
    if (!status)
        status = check_gpus(r);
    if (r->diag.errors)
        driver_print_count(&r->diag);
    if (status)
        return status;
    doc_write(&r->site, &r->input);
    return r->site.failed ? 2 : 0;
}

int command_doc(int argc, char **argv)
{
    struct reference r = {0};
    VEC(const char *) files = {0};
    bool bad = false;
    int status = 2;
    const char *v;

    r.diag.arena = r.site.a = &r.arena;
    r.diag.out = stderr;
    for (int i = 1; i < argc && !bad; i++) {
        if ((v = option_value(argc, argv, &i, "o", &bad)))
            r.site.folder = v;
        else if (!bad && argv[i][0] == '-')
            bad = bad_argument("doc", argv[i]) != 0;
        else if (!bad)
            vec_push_in(&r.arena, &files, argv[i]);
    }
    if (!bad && !r.site.folder)
        fputs("gencc doc: -o DIR is missing\n", stderr);
    else if (!bad && !files.len)
        fputs("gencc doc: expected files: architectures, layouts, GPUs (.ac), machines (.dtb)\n",
              stderr);
    else if (!bad)
        status = write_all(&r, files.data, files.len);
    vec_for_each (&r.drivers, d)
        driver_free(*d);
    arena_free(&r.arena);
    return status;
}
