/*
 * Begins pages of an architecture and of an ISA, with their breadcrumbs.
 */
#include "gencc/doc/internal.h"

#include <string.h>

bool arch_page_begin(struct page *p, struct site *s, const struct model *m, const char *path,
                     const char *title)
{
    const char *index = arena_printf(s->a, "%s/index.html", m->name);
    const struct crumb way[] = {{"Reference", "index.html"}, {m->name, index}, {title, path}};

    return page_begin(p, s, path, arena_printf(s->a, "%s – %s", title, m->name), way,
                      strcmp(path, index) ? 3 : 2);
}

bool isa_page_begin(struct page *p, const struct doc_isa *d, const char *path, const char *title)
{
    const char *index = arena_printf(d->site->a, "%sindex.html", d->folder);
    const struct crumb way[] = {
        {"Reference", "index.html"},
        {d->isa->model->name, d->arch_index},
        {d->isa->name, index},
        {title, path},
    };
    bool is_index = !strcmp(path, index);

    return page_begin(p, d->site, path, arena_printf(d->site->a, "%s – %s", title, d->isa->name),
                      way, is_index ? 3 : 4);
}
