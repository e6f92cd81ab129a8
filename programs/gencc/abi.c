/*
 * `gencc abi`: writes the C of an architecture's interface to Linux programs.
 */
#include "gencc/abi/abi.h"
#include "gencc/emit/emit.h"
#include "gencc/emit/file.h"
#include "programs/gencc/driver.h"

#include <stdlib.h>
#include <string.h>

static bool write_file(struct driver *d, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dir = slash ? arena_strndup(&d->arena, path, (size_t)(slash - path)) : ".";
    char *text = NULL;
    size_t size = 0;
    FILE *o = open_memstream(&text, &size);
    bool ok = o != NULL;

    if (o) {
        abi_write(d->model, emit_cpu_name(d->model), o);
        ok = fclose(o) == 0;
    }
    ok = ok && !d->diag.errors && file_update(&d->diag, dir, name, text, size);
    free(text);
    return ok;
}

static int write_abi(struct driver *d, const char *out, const char *depfile, const char *target)
{
    int status = 0;

    if (!driver_load(d, STAGE_MODEL, &status))
        return status;
    if (!d->model->ast->abi) {
        fprintf(stderr, "gencc abi: %s names no ABI with ac_abi()\n", d->arch);
        return 1;
    }
    if (!write_file(d, out))
        return driver_failed(d, &status) ? status : 2;
    return !depfile || depfile_write(&d->diag, depfile, target ? target : out) ? 0 : 2;
}

int command_abi(int argc, char **argv)
{
    struct driver d = {0};
    const char *out = NULL, *depfile = NULL, *target = NULL, *v;
    bool bad = false;
    int status;

    for (int i = 1; i < argc; i++) {
        if ((v = option_value(argc, argv, &i, "o", &bad)))
            out = v;
        else if ((v = option_value(argc, argv, &i, "depfile", &bad)))
            depfile = v;
        else if ((v = option_value(argc, argv, &i, "target", &bad)))
            target = v;
        else if (bad)
            return 2;
        else if (argv[i][0] == '-' || d.arch)
            return bad_argument("abi", argv[i]);
        else
            d.arch = argv[i];
    }
    if (!d.arch || !out) {
        fprintf(stderr, "gencc abi: %s is missing\n", d.arch ? "-o FILE.c" : "FILE.ac");
        return 2;
    }
    status = write_abi(&d, out, depfile, target);
    driver_free(&d);
    return status;
}
