/*
 * Output files that are written only if their content changes.
 */
#include "gencc/emit/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool same_content(const char *path, const char *text, size_t size)
{
    FILE *f = fopen(path, "rb");
    char *old;
    bool same;

    if (!f)
        return false;
    old = malloc(size + 1);
    same = old && fread(old, 1, size + 1, f) == size && !memcmp(old, text, size);
    free(old);
    fclose(f);
    return same;
}

static bool write_file(const char *path, const char *text, size_t size)
{
    FILE *f = fopen(path, "wb");
    bool ok;

    if (!f)
        return false;
    ok = fwrite(text, 1, size, f) == size;
    return fclose(f) == 0 && ok;
}

bool file_update(struct diag *d, const char *dir, const char *name, const char *text, size_t size)
{
    const char *path = arena_printf(d->arena, "%s/%s", dir, name);

    mkdir(dir, 0777);
    if (same_content(path, text, size) || write_file(path, text, size))
        return true;
    fprintf(d->out ? d->out : stderr, "gencc: %s: %s\n", path, strerror(errno));
    d->errors++;
    return false;
}
