/*
 * `gencc diff`: prints what changed between two descriptions.
 */
#include "gencc/diff/diff.h"
#include "programs/gencc/driver.h"

#include <string.h>

/* Whether the file contains AC_LAYOUTS or AC_GPU and no architecture. */
static bool is_layouts(const char *path)
{
    FILE *f = fopen(path, "r");
    char line[256];
    bool found = false;

    while (f && !found && fgets(line, sizeof(line), f)) {
        found = !strncmp(line, "AC_LAYOUTS", 10) || !strncmp(line, "AC_GPU", 6);
        if (!strncmp(line, "AC_ARCH", 7))
            break;
    }
    if (f)
        fclose(f);
    return found;
}

/* Collects the things of a description; returns false if it could not be read. */
static bool collect_things(struct driver *d, thing_list *out)
{
    const struct ast_layout_file *file;
    int status = 0;

    if (!is_layouts(d->arch)) {
        if (!driver_load(d, STAGE_MODEL, &status))
            return false;
        diff_collect(&d->arena, d->model, out);
        return true;
    }
    d->diag.arena = &d->arena;
    d->diag.out = stderr;
    file = ast_parse_layouts(&d->diag, d->arch);
    if (d->diag.errors)
        driver_print_count(&d->diag);
    if (!file || d->diag.errors)
        return false;
    diff_collect_layouts(&d->arena, file, out);
    return true;
}

/* Exit status as of diff(1): 0 if both are alike, 1 if they differ, 2 if they could not be
 * compared. */
static int compare_descriptions(struct driver *old, struct driver *new)
{
    thing_list x = {0}, y = {0};

    if (!collect_things(old, &x) || !collect_things(new, &y))
        return 2;
    return diff_print(stdout, &new->arena, &x, &y) != 0;
}

int command_diff(int argc, char **argv)
{
    struct driver old = {0}, new = {0};
    int status;

    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' || new.arch)
            return bad_argument("diff", argv[i]);
        *(old.arch ? &new.arch : &old.arch) = argv[i];
    }
    if (!new.arch) {
        fputs("gencc diff: expected two files (.ac), of architectures, layouts or GPUs\n", stderr);
        return 2;
    }
    status = compare_descriptions(&old, &new);
    driver_free(&old);
    driver_free(&new);
    return status;
}
