/*
 * Writes the rule for make and Ninja that lists the files of a description.
 */
#include "programs/gencc/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_repeated(const struct diag *d, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!strcmp(d->files.data[i], d->files.data[n]))
            return true;
    return false;
}

/* Writes a name in a rule: as an absolute path, since builds run in other folders, with special
 * characters escaped. */
static void write_name(FILE *o, const char *path)
{
    char *whole = realpath(path, NULL);

    for (const char *c = whole ? whole : path; *c; c++)
        fprintf(o, *c == ' ' || *c == '#' ? "\\%c" : *c == '$' ? "$%c" : "%c", *c);
    free(whole);
}

bool depfile_write(const struct diag *d, const char *path, const char *target)
{
    FILE *o = fopen(path, "w");
    bool ok = o != NULL;

    if (o) {
        fprintf(o, "%s:", target);
        for (unsigned n = 0; n < d->files.len; n++) {
            if (is_repeated(d, n))
                continue;
            fputs(" \\\n  ", o);
            write_name(o, d->files.data[n]);
        }
        fputc('\n', o);
        ok = !ferror(o);
        ok = fclose(o) == 0 && ok;
    }
    if (!ok)
        fprintf(stderr, "gencc build: %s: %s\n", path, strerror(errno));
    return ok;
}
