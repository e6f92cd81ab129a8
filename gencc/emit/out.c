/*
 * The files of an ISA's C.
 */
#include "gencc/emit/out.h"
#include "gencc/emit/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

bool out_close(struct emit *e, struct out *o)
{
    bool ok;

    fclose(o->f);
    ok = !e->opt->dir || file_update(e->diag, e->opt->dir, o->name, o->text, o->size);
    free(o->text);
    return ok;
}
