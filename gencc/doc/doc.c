/*
 * Writes all pages of the reference, and its first page.
 */
#include "gencc/doc/internal.h"

static void write_architectures(struct page *p, const struct doc_input *in,
                                const char *const *addresses)
{
    fputs("<h2>Architectures</h2>\n<ul class=\"cards\">\n", p->o);
    for (unsigned i = 0; i < in->models.len; i++) {
        const struct model *m = in->models.data[i];
        const char *isas = "";

        vec_for_each (&m->isas, isa)
            isas = arena_printf(p->site->a, "%s%s%s", isas, *isas ? ", " : "", (*isa)->name);
        page_card(p, addresses[i], m->name, isas);
    }
    fputs("</ul>\n", p->o);
}

static void write_instruction_sets(struct page *p, const struct doc_input *in)
{
    fputs("<h2>Instruction sets</h2>\n<div "
          "class=\"wide\"><table>\n<tr><th>name</th><th>architecture</th>"
          "<th>instructions</th><th>encodings</th></tr>\n",
          p->o);
    vec_for_each (&in->models, m)
        vec_for_each (&(*m)->isas, isa) {
            fputs("<tr><td class=\"mono\">", p->o);
            page_link(p, arena_printf(p->site->a, "%s/%s/index.html", (*m)->name, (*isa)->name),
                      (*isa)->name);
            html(p->o, "</td><td>%s</td>", (*m)->name);
            if ((*isa)->bundle)
                fputs("<td colspan=\"2\">bundles</td></tr>\n", p->o);
            else
                html(p->o, "<td class=\"n\">%u</td><td class=\"n\">%u</td></tr>\n",
                     (*isa)->instrs.len, (*isa)->forms.len);
        }
    fputs("</table></div>\n", p->o);
}

void doc_write(struct site *s, const struct doc_input *in)
{
    const struct crumb way[] = {{"Reference", "index.html"}};
    const char **archs = arena_alloc(s->a, sizeof(*archs) * (in->models.len + 1));
    const char *path = site_path(s, "index.html");
    struct page p;

    for (unsigned i = 0; i < in->models.len; i++)
        archs[i] = arch_write(s, in->models.data[i]);
    if (!page_begin(&p, s, path, "Reference", way, 1))
        return;
    fputs("<h1>Reference</h1>\n<p class=\"lead\">Instruction sets, registers, descriptors and "
          "machines, as "
          "gencc's descriptions have them. Press <code>/</code> to search.</p>\n",
          p.o);
    if (in->models.len) {
        write_architectures(&p, in, archs);
        write_instruction_sets(&p, in);
    }
    if (in->layouts.len)
        fputs("<h2>GPUs</h2>\n<ul class=\"cards\">\n", p.o);
    vec_for_each (&in->layouts, l)
        page_card(&p, layouts_write(s, *l), arena_printf(s->a, "%s layouts", (*l)->name),
                  "descriptors, enumerations, registers");
    vec_for_each (&in->gpus, g)
        page_card(&p, gpus_write(s, *g), arena_printf(s->a, "%s GPUs", (*g)->layouts->name),
                  arena_printf(s->a, "%u variants", (*g)->all.len));
    if (in->layouts.len)
        fputs("</ul>\n", p.o);
    if (in->machines.len)
        fputs("<h2>Machines</h2>\n<ul class=\"cards\">\n", p.o);
    vec_for_each (&in->machines, m) {
        const char *title = "", *page = machine_write(s, *m, &title);

        if (page)
            page_card(&p, page, source_stem(s->a, *m), title);
    }
    if (in->machines.len)
        fputs("</ul>\n", p.o);
    page_end(&p);
    site_assets(s);
}
