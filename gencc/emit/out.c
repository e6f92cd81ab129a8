/*
 * Output files of an ISA's C.
 */
#include "gencc/emit/out.h"
#include "gencc/emit/file.h"
#include "common/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool no_memory(struct emit *e, const char *name)
{
    fprintf(e->diag->out, "gencc: %s: %s\n", name, strerror(errno));
    e->diag->errors++;
    e->failed = true;
    return false;
}

bool piece_open(struct emit *e, struct piece *p)
{
    *p = (struct piece){0};
    p->f = open_memstream(&p->text, &p->size);
    return p->f || no_memory(e, e->prefix);
}

const char *piece_close(struct piece *p)
{
    fclose(p->f);
    return p->text;
}

unsigned part_of(const struct emit *e, const struct form *form)
{
    return (unsigned)(hash_text(form->instr->name) % e->opt->parts);
}

bool out_open(struct emit *e, struct out *o, const char *name)
{
    *o = (struct out){.name = name};
    o->f = open_memstream(&o->text, &o->size);
    if (!o->f)
        return no_memory(e, name);
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
