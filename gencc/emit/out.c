/*
 * Files that are only touched when their content changes, so that builds do little.
 */
#include "gencc/emit/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool out_open(struct emit *e, struct out *o, const char *name)
{
    *o = (struct out){.name = name};
    o->f = open_memstream(&o->text, &o->size);
    if (!o->f) {
        fprintf(e->diag->out, "gencc: %s: %s\n", name, strerror(errno));
        e->diag->errors++;
        return false;
    }
    fprintf(o->f, "/* Made by gencc from the description '%s'. Edits are lost. */\n",
            e->model->name);
    return true;
}

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

bool out_close(struct emit *e, struct out *o)
{
    const char *path = arena_printf(e->arena, "%s/%s", e->opt->dir, o->name);
    bool ok;

    fclose(o->f);
    mkdir(e->opt->dir, 0777);
    ok = same_content(path, o->text, o->size) || write_file(path, o->text, o->size);
    if (!ok) {
        fprintf(e->diag->out, "gencc: %s: %s\n", path, strerror(errno));
        e->diag->errors++;
    }
    free(o->text);
    return ok;
}
