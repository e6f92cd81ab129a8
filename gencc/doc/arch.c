/*
 * Writes the pages of an architecture: its overview, registers, system registers, ISAs.
 */
#include "gencc/doc/internal.h"

#include <inttypes.h>
#include <string.h>

static void write_mems(struct page *p, const struct model *m)
{
    fputs(
        "<h2>Memory interfaces</h2>\n<div class=\"wide\"><table>\n<tr><th>number</th><th>name</th>"
        "<th>address bits</th><th>rights</th></tr>\n",
        p->o);
    for (unsigned i = 0; i < m->mems.len; i++) {
        const struct mem_iface *it = &m->mems.data[i];

        html(p->o,
             "<tr><td class=\"n\">%u</td><td class=\"mono\">%s</td><td class=\"n\">%u</td><td>", i,
             it->name, it->addr_bits);
        if (it->ring == AST_CURRENT_RING)
            fputs("of the current ring", p->o);
        else
            html(p->o, "of ring %u", it->ring);
        html(p->o, "%s%s</td></tr>\n", it->big_endian ? ", big-endian" : "",
             it->is_fetch ? ", fetches instructions" : "");
    }
    fputs("</table></div>\n", p->o);
}

static void write_features(struct page *p, const struct model *m)
{
    if (!m->features.len)
        return;
    fputs(
        "<h2>Features</h2>\n<div class=\"wide\"><table>\n<tr><th>name</th><th>at reset</th></tr>\n",
        p->o);
    vec_for_each (&m->features, f)
        html(p->o, "<tr id=\"feature-%s\"><td class=\"mono\">%s</td><td class=\"n\">%u</td></tr>\n",
             (*f)->name, (*f)->name, (*f)->value);
    fputs("</table></div>\n", p->o);
}

/* The numbers of the description, and behind them the ticks that become of them */
static void write_class(struct page *p, const struct ast_timing_class *c,
                        const struct class_time *t)
{
    html(p->o, "<tr><td class=\"mono\">%s</td><td>", c->name);
    vec_for_each (&c->words, w)
        html(p->o, "%s%s %u", w == c->words.data ? "" : ", ", w->name, w->value);
    html(p->o, "</td><td class=\"n\">%u</td></tr>\n", t->ticks);
}

static void write_timings(struct page *p, const struct model *m)
{
    for (unsigned i = 0; i < m->timings.len; i++) {
        const struct timing *t = &m->timings.data[i];
        const struct ast_timing *ast = &m->ast->timings.data[i];
        const char *id = html_id(p->site->a, "timing", t->name);

        html(p->o, "<h2 id=\"%s\">Timing %s</h2>\n<p>", id, t->name);
        if (t->source)
            html(p->o, "From: %s. ", t->source);
        html(p->o, "%u MHz, %u ticks per cycle", t->mhz, t->ticks_per_cycle);
        vec_for_each (&ast->words, w)
            if (strcmp(w->name, "clock") != 0 && strcmp(w->name, "ticks") != 0)
                html(p->o, ", %s %u", w->name, w->value);
        fputs(".</p>\n<div class=\"wide\"><table>\n<tr><th>class</th><th>numbers</th>"
              "<th>ticks</th></tr>\n",
              p->o);
        for (unsigned n = 0; n < t->classes.len; n++)
            write_class(p, &ast->classes.data[n], &t->classes.data[n]);
        fputs("</table></div>\n", p->o);
        site_find(p->site, t->name, "timing", m->name,
                  arena_printf(p->site->a, "%s#%s", p->path, id), "");
    }
}

static void write_isa_card(struct page *p, const struct doc_isa *d)
{
    fputs("<li>", p->o);
    page_link(p, arena_printf(p->site->a, "%sindex.html", d->folder), d->isa->name);
    if (d->isa->bundle)
        html(p->o, "<p>bundles of %u units</p></li>\n", d->isa->bundle->units.len);
    else
        html(p->o, "<p>%u instructions, %u encodings</p></li>\n", d->isa->instrs.len,
             d->isa->forms.len);
}

static void write_index_page(struct site *s, const struct model *m, const struct doc_isa *isas,
                             const char *path)
{
    struct doc_file *file = doc_file_read(s->a, m->ast->pos.file);
    struct page p;

    if (!arch_page_begin(&p, s, m, path, m->name))
        return;
    html(p.o, "<h1>%s</h1>\n", m->name);
    if (*file->title)
        html(p.o, "<p class=\"lead\">%s.</p>\n", file->title);
    if (*file->text)
        html_prose(p.o, file->text);
    fputs("<h2>Instruction sets</h2>\n<ul class=\"cards\">\n", p.o);
    for (unsigned i = 0; i < m->isas.len; i++)
        write_isa_card(&p, &isas[i]);
    fputs("</ul>\n<h2>State</h2>\n<ul class=\"cards\">\n<li>", p.o);
    page_link(&p, arena_printf(s->a, "%s/registers.html", m->name), "Registers");
    html(p.o, "<p>%u bytes%s</p></li>\n", m->state_bytes, m->is_lane ? " a lane" : "");
    if (m->sysregs.len) {
        fputs("<li>", p.o);
        page_link(&p, arena_printf(s->a, "%s/sysregs.html", m->name), "System registers");
        html(p.o, "<p>%u of them</p></li>\n", m->sysregs.len);
    }
    if (m->ast->abi) {
        fputs("<li>", p.o);
        page_link(&p, abi_page_write(s, m), "Linux programs");
        fputs("<p>what the kernel's interface to programs is</p></li>\n", p.o);
    }
    fputs("</ul>\n", p.o);
    write_mems(&p, m);
    write_features(&p, m);
    write_timings(&p, m);
    page_end(&p);
}

const char *arch_write(struct site *s, const struct model *m)
{
    struct doc_isa *isas = arena_alloc(s->a, sizeof(*isas) * (m->isas.len + 1));
    const char *folder = arena_printf(s->a, "%s/", m->name);
    const char *index = site_path(s, arena_printf(s->a, "%sindex.html", folder));
    struct doc_links *links = arena_new(s->a, struct doc_links);

    registers_link(s, m, folder, links);
    for (unsigned i = 0; i < m->isas.len; i++) {
        isas[i] = (struct doc_isa){.site = s, .isa = m->isas.data[i], .arch_index = index};
        isas[i].folder = arena_printf(s->a, "%s%s/", folder, m->isas.data[i]->name);
        isas[i].links.outer = links;
        doc_isa_prepare(&isas[i]);
    }
    write_index_page(s, m, isas, index);
    /* Bodies of system registers use the helpers of the first ISA. */
    registers_write(s, m, folder, m->isas.len ? &isas[0].links : links);
    for (unsigned i = 0; i < m->isas.len; i++)
        doc_isa_write(&isas[i]);
    site_find(s, m->name, "architecture", "", index, "");
    return index;
}
