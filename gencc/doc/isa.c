/*
 * Writes the pages of an ISA: its overview, the pages of its groups, then those of other files.
 */
#include "gencc/doc/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- pages of groups ------------------------------------------------------------------------- */

static void write_name_list(struct page *p, const struct doc_isa *d, const struct doc_file *group)
{
    fputs("<ul class=\"names\">\n", p->o);
    vec_for_each (&d->ordered, in)
        if (doc_group_of(d, *in) == group) {
            fputs("<li>", p->o);
            page_link(p, instr_address(d, *in), (*in)->name);
            fputs("</li>\n", p->o);
        }
    fputs("</ul>\n", p->o);
}

static void write_group_page(struct doc_isa *d, const struct doc_file *group)
{
    const struct doc_heading *heading = NULL;
    struct page p;

    if (!isa_page_begin(&p, d, group->page, group->title))
        return;
    html(p.o, "<h1>%s</h1>\n", group->title);
    if (*group->text)
        html_prose(p.o, group->text);
    write_name_list(&p, d, group);
    vec_for_each (&d->ordered, in) {
        const struct doc_heading *h;

        if (doc_group_of(d, *in) != group)
            continue;
        h = doc_heading_of(group, (*in)->pos.line);
        if (h && h != heading)
            html(p.o, "<h2 id=\"line-%u\">%s</h2>\n", h->line, h->title);
        heading = h;
        instr_write(&p, d, *in);
        site_find(d->site, (*in)->name, "instruction",
                  arena_printf(d->site->a, "%s %s", d->isa->model->name, d->isa->name),
                  instr_address(d, *in), instr_mnemonics(d->site->a, *in));
    }
    page_end(&p);
}

static void write_group_pages(struct doc_isa *d)
{
    vec_for_each (&d->groups, g)
        write_group_page(d, *g);
}

/* ---- the index ------------------------------------------------------------------------------- */

static void write_words_line(struct page *p, const struct isa *isa)
{
    if (isa->bundle) {
        html(p->o, "<p class=\"lead\">Its words are %s: see ",
             isa->bundle->name ? arena_printf(p->site->a, "%ss", isa->bundle->name) : "bundles");
        fputs("<a href=\"bundle.html\">how one is stored</a>.</p>\n", p->o);
        return;
    }
    html(p->o, "<p class=\"lead\">%u instructions, %u encodings, words of ", isa->instrs.len,
         isa->forms.len);
    for (unsigned i = 0; i < isa->widths.len; i++)
        html(p->o, "%s%u", i ? " and " : "", isa->widths.data[i]);
    fputs(" bits.</p>\n", p->o);
}

static void write_other_pages(struct page *p, const struct doc_isa *d)
{
    struct arena *a = p->site->a;

    fputs("<h2>Beside the instructions</h2>\n<ul class=\"cards\">\n", p->o);
    if (d->isa->bundle)
        page_card(p, arena_printf(a, "%sbundle.html", d->folder), "Bundle", "grains, units, texts");
    page_card(p, arena_printf(a, "%smaps.html", d->folder), "Maps, families, tables",
              "what assembly writes for values; arrangements of one encoding");
    if (!d->isa->bundle)
        page_card(p, arena_printf(a, "%sfree.html", d->folder), "Unused encodings",
                  "words that no instruction takes");
    fputs("</ul>\n<h2>Behaviour files</h2>\n<ul class=\"cards\">\n", p->o);
    vec_for_each (&d->behaviours, f)
        page_card(p, (*f)->page, source_path(a, (*f)->file->path), (*f)->title);
    fputs("</ul>\n", p->o);
}

static int by_name(const void *x, const void *y)
{
    return strcmp((*(struct instr *const *)x)->name, (*(struct instr *const *)y)->name);
}

static void write_alphabet(struct page *p, const struct doc_isa *d)
{
    unsigned n = d->ordered.len;
    struct instr **all = arena_alloc(p->site->a, sizeof(*all) * (n + 1));

    if (!n)
        return;
    memcpy(all, d->ordered.data, sizeof(*all) * n);
    qsort(all, n, sizeof(*all), by_name);
    fputs("<h2>All by name</h2>\n<ul class=\"names\">\n", p->o);
    for (unsigned i = 0; i < n; i++) {
        fputs("<li>", p->o);
        page_link(p, instr_address(d, all[i]), all[i]->name);
        fputs("</li>\n", p->o);
    }
    fputs("</ul>\n", p->o);
}

static void write_index_page(struct doc_isa *d)
{
    const char *path = arena_printf(d->site->a, "%sindex.html", d->folder);
    struct page p;

    if (!isa_page_begin(&p, d, path, d->isa->name))
        return;
    html(p.o, "<h1>%s</h1>\n", d->isa->name);
    write_words_line(&p, d->isa);
    if (d->groups.len)
        fputs("<h2>Groups</h2>\n<ul class=\"cards\">\n", p.o);
    vec_for_each (&d->groups, g) {
        unsigned count = 0;

        vec_for_each (&d->ordered, in)
            count += doc_group_of(d, *in) == *g;
        page_card(&p, (*g)->page, (*g)->title,
                  arena_printf(d->site->a, "%u instruction%s", count, count == 1 ? "" : "s"));
    }
    if (d->groups.len)
        fputs("</ul>\n", p.o);
    write_other_pages(&p, d);
    write_alphabet(&p, d);
    page_end(&p);
}

void doc_isa_write(struct doc_isa *d)
{
    write_index_page(d);
    write_group_pages(d);
    behaviours_write(d);
    maps_write(d);
    if (d->isa->bundle)
        bundle_page_write(d);
    else
        free_write(d);
    site_find(d->site, d->isa->name, "instruction set", d->isa->model->name,
              arena_printf(d->site->a, "%sindex.html", d->folder), "");
}
