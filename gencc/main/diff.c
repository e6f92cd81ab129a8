/*
 * `gencc diff`: what changed between two descriptions.
 */
#include "gencc/diff/diff.h"
#include "gencc/main/driver.h"

/* As diff(1): 0 when they are alike, 1 when they differ, 2 when they could not be compared. */
static int compare(struct driver *old, struct driver *new)
{
    thing_list x = {0}, y = {0};
    int status = 0;

    if (!driver_load(old, STAGE_MODEL, &status) || !driver_load(new, STAGE_MODEL, &status))
        return 2;
    diff_collect(&old->arena, old->model, &x);
    diff_collect(&new->arena, new->model, &y);
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
        fputs("gencc diff: expected two architecture files (.ac)\n", stderr);
        return 2;
    }
    status = compare(&old, &new);
    driver_free(&old);
    driver_free(&new);
    return status;
}
