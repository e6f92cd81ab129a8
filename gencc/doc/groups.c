/*
 * Prepares an ISA for its pages: finds the groups of instructions, which are files, and the
 * addresses of names.
 */
#include "gencc/doc/internal.h"

#include <string.h>

static const char *page_path(struct doc_isa *d, const char *prefix, const struct source_file *file)
{
    struct arena *a = d->site->a;

    return site_path(d->site,
                     arena_printf(a, "%s%s%s.html", d->folder, prefix, source_stem(a, file->path)));
}

struct doc_file *doc_group_of(const struct doc_isa *d, const struct instr *in)
{
    vec_for_each (&d->groups, g)
        if (!strcmp((*g)->file->path, in->pos.file->path))
            return *g;
    return NULL;
}

static void find_groups(struct doc_isa *d)
{
    vec_for_each (&d->isa->instrs, in)
        if (!doc_group_of(d, *in)) {
            struct doc_file *f = doc_file_read(d->site->a, (*in)->pos.file);

            f->page = page_path(d, "", f->file);
            if (!*f->title)
                f->title = source_stem(d->site->a, f->file->path);
            vec_push_in(d->site->a, &d->groups, f);
        }
}

/* Orders instructions by group, and within a group by declaration. */
static void order_instructions(struct doc_isa *d)
{
    vec_for_each (&d->groups, g)
        vec_for_each (&d->isa->instrs, in)
            if (doc_group_of(d, *in) == *g)
                vec_push_in(d->site->a, &d->ordered, *in);
}

static struct doc_file *behaviour_file(struct doc_isa *d, const struct source_file *file)
{
    struct doc_file *f;

    vec_for_each (&d->behaviours, known)
        if (!strcmp((*known)->file->path, file->path))
            return *known;
    f = doc_file_read(d->site->a, file);
    f->page = page_path(d, "in-", file);
    if (!*f->title)
        f->title = source_stem(d->site->a, file->path);
    vec_push_in(d->site->a, &d->behaviours, f);
    return f;
}

static void link_definitions(struct doc_isa *d)
{
    struct arena *a = d->site->a;

    vec_for_each (&d->isa->ast->defs, it) {
        const struct ast_def *def = *it;

        if (def->kind == AST_EXECUTE || def->kind == AST_DECODE || def->kind == AST_SYSREG ||
            !def->pos.file)
            continue;
        name_map_put(a, &d->links.names, def->name,
                     arena_printf(a, "%s#%s", behaviour_file(d, def->pos.file)->page, def->name));
    }
    vec_for_each (&d->isa->ast->tables, t)
        vec_for_each (&(*t)->columns, c)
            name_map_put(a, &d->links.names, c->name,
                         arena_printf(a, "%smaps.html#table-%s", d->folder, (*t)->name));
}

void doc_isa_prepare(struct doc_isa *d)
{
    struct arena *a = d->site->a;

    site_path(d->site, arena_printf(a, "%sindex.html", d->folder));
    site_path(d->site, arena_printf(a, "%smaps.html", d->folder));
    site_path(d->site, arena_printf(a, "%sfree.html", d->folder));
    site_path(d->site, arena_printf(a, "%sbundle.html", d->folder));
    find_groups(d);
    order_instructions(d);
    link_definitions(d);
    vec_for_each (&d->isa->maps, m)
        name_map_put(a, &d->links.maps, (*m)->name,
                     arena_printf(a, "%smaps.html#map-%s", d->folder, (*m)->name));
}
