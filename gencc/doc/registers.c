/*
 * Writes the pages of registers and system registers of an architecture.
 */
#include "gencc/doc/internal.h"

#include <inttypes.h>
#include <string.h>

void registers_link(struct site *s, const struct model *m, const char *folder, struct doc_links *l)
{
    vec_for_each (&m->views, v)
        name_map_put(s->a, &l->names, (*v)->name,
                     arena_printf(s->a, "%sregisters.html#%s", folder, (*v)->name));
    vec_for_each (&m->sysregs, r)
        name_map_put(s->a, &l->names, (*r)->name,
                     arena_printf(s->a, "%ssysregs.html#%s", folder, (*r)->name));
    vec_for_each (&m->features, f)
        name_map_put(s->a, &l->names, (*f)->name,
                     arena_printf(s->a, "%sindex.html#feature-%s", folder, (*f)->name));
}

/* ---- registers ------------------------------------------------------------------------------- */

static void write_view_row(struct page *p, const struct model *m, const struct reg_view *v)
{
    unsigned offset = v->offset - (v->space < m->spaces.len ? m->spaces.data[v->space].offset : 0);

    html(
        p->o,
        "<tr id=\"%s\"><td class=\"mono\">%s</td><td class=\"mono\">%s</td><td class=\"n\">%u</td>",
        v->name, v->name, show_type(p->site->a, v->type), offset);
    if (v->is_bank)
        html(p->o, "<td class=\"n\">%u</td><td class=\"n\">%u</td>", v->count, v->reg_stride);
    else
        fputs("<td></td><td></td>", p->o);
    html(p->o, "<td>%s%s</td></tr>\n", v->tag ? arena_printf(p->site->a, "[%s] ", v->tag) : "",
         source_remark(p->site->a, v->pos));
}

static bool has_views(const struct model *m, unsigned space)
{
    vec_for_each (&m->views, v)
        if ((*v)->space == space && !(*v)->sysreg)
            return true;
    return false;
}

static const char *space_title(struct page *p, const struct doc_file *f, const struct model *m,
                               unsigned space)
{
    vec_for_each (&m->views, v)
        if ((*v)->space == space && !(*v)->sysreg && f && (*v)->pos.file == f->file) {
            const struct doc_heading *h = doc_heading_of(f, (*v)->pos.line);

            return h ? h->title : arena_printf(p->site->a, "Space %u", space);
        }
    return arena_printf(p->site->a, "Space %u", space);
}

static void write_registers_page(struct site *s, const struct model *m, const char *path)
{
    struct doc_file *f = doc_file_read(s->a, m->ast->pos.file);
    struct page p;

    if (!arch_page_begin(&p, s, m, path, "Registers"))
        return;
    fputs(
        "<h1>Registers</h1>\n<p class=\"lead\">Views of one space overlap where their bytes do. In "
        "brackets stands what the CPU knows a register as.</p>\n",
        p.o);
    for (unsigned space = 0; space < m->spaces.len; space++) {
        if (!has_views(m, space))
            continue;
        html(p.o,
             "<h2>%s</h2>\n<p class=\"faint\">%u bytes</p>\n<div "
             "class=\"wide\"><table>\n<tr><th>name</th>"
             "<th>type</th><th>at byte</th><th>registers</th><th>bytes apart</th><th></th></tr>\n",
             space_title(&p, f, m, space), m->spaces.data[space].bytes);
        vec_for_each (&m->views, v)
            if ((*v)->space == space && !(*v)->sysreg) {
                write_view_row(&p, m, *v);
                site_find(s, (*v)->name, (*v)->is_bank ? "register bank" : "register", m->name,
                          arena_printf(s->a, "%s#%s", path, (*v)->name), "");
            }
        fputs("</table></div>\n", p.o);
    }
    page_end(&p);
}

/* ---- system registers ------------------------------------------------------------------------ */

static const char *level_text(struct arena *a, unsigned from)
{
    return from == 255 ? "never" : arena_printf(a, "from level %u", from);
}

static const struct ast_def *find_declaration(const struct model *m, const struct sysreg *r)
{
    vec_for_each (&m->isas, isa)
        vec_for_each (&(*isa)->ast->defs, d)
            if ((*d)->kind == AST_SYSREG && !strcmp((*d)->name, r->name))
                return *d;
    return NULL;
}

static void write_sysreg(struct page *p, const struct model *m, const struct sysreg *r,
                         const struct doc_links *links)
{
    const struct ast_def *def = find_declaration(m, r);
    struct arena *a = p->site->a;
    const char *comment = source_comment(a, r->pos);

    html(p->o,
         "<section class=\"entry\" id=\"%s\">\n<h3><a class=\"self\" href=\"#%s\">%s</a></h3>\n",
         r->name, r->name, r->name);
    if (*comment)
        html_prose(p->o, comment);
    fputs("<div class=\"wide\"><table>\n<tr>", p->o);
    vec_for_each (&m->sysreg_space.fields, f)
        html(p->o, "<th>%s</th>", *f);
    fputs(
        "<th>type</th><th>reset</th><th>writable bits</th><th>read</th><th>written</th></tr>\n<tr>",
        p->o);
    vec_for_each (&r->enc, e)
        html(p->o, "<td class=\"n mono\">%u</td>", *e);
    html(p->o,
         "<td class=\"mono\">%s</td><td class=\"mono\">%s</td><td class=\"mono\">%s</td><td>%s</td>"
         "<td>%s</td></tr>\n</table></div>\n",
         show_type(a, r->type), arena_printf(a, "%#" PRIx64, r->reset),
         r->mask == UINT64_MAX ? "all" : arena_printf(a, "%#" PRIx64, r->mask),
         level_text(a, r->read_level[0]), level_text(a, r->write_level[0]));
    if (def && (r->read || r->write)) {
        size_t n;
        const char *text = source_definition(def->pos, &n);

        code_block(p, links, text, n);
    }
    fputs("</section>\n", p->o);
}

static void write_sysregs_page(struct site *s, const struct model *m, const char *path,
                               const struct doc_links *links)
{
    struct page p;

    if (!arch_page_begin(&p, s, m, path, "System registers"))
        return;
    html(p.o, "<h1>System registers</h1>\n<p class=\"lead\">%u, in the order of their codes.</p>\n",
         m->sysregs.len);
    fputs("<ul class=\"names\">\n", p.o);
    vec_for_each (&m->sysregs, r)
        html(p.o, "<li><a href=\"#%s\">%s</a></li>\n", (*r)->name, (*r)->name);
    fputs("</ul>\n", p.o);
    vec_for_each (&m->sysregs, r) {
        write_sysreg(&p, m, *r, links);
        site_find(s, (*r)->name, "system register", m->name,
                  arena_printf(s->a, "%s#%s", path, (*r)->name), "");
    }
    page_end(&p);
}

void registers_write(struct site *s, const struct model *m, const char *folder,
                     const struct doc_links *links)
{
    write_registers_page(s, m, site_path(s, arena_printf(s->a, "%sregisters.html", folder)));
    if (m->sysregs.len)
        write_sysregs_page(s, m, site_path(s, arena_printf(s->a, "%ssysregs.html", folder)), links);
}
