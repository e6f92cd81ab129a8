/*
 * Writes the page of GPU variants (AC_GPU): a table of all, then each GPU.
 */
#include "gencc/doc/internal.h"

#include <inttypes.h>

static void write_number(struct page *p, uint64_t value)
{
    html(p->o, "<td class=\"n\">%s</td>", arena_printf(p->site->a, "%" PRIu64, value));
}

static void write_overview(struct page *p, const struct gpus *g)
{
    fputs("<div class=\"wide\"><table>\n<tr><th>name</th><th>title</th><th>shader "
          "ISA</th><th>product</th>"
          "<th>version</th><th>cores</th><th>engines</th><th>lanes</th><th>threads</th><th>MHz</"
          "th></tr>\n",
          p->o);
    vec_for_each (&g->all, it) {
        const struct gpu *v = *it;

        html(p->o,
             "<tr><td class=\"mono\"><a href=\"#%s\">%s</a></td><td>%s</td><td "
             "class=\"mono\">%s</td>"
             "<td class=\"mono\">%s</td>",
             v->name, v->name, v->title, v->isa,
             arena_printf(p->site->a, "%#06" PRIx64, v->product));
        write_number(p, v->architecture);
        write_number(p, v->cores);
        write_number(p, v->engines);
        write_number(p, v->warp_width);
        write_number(p, v->max_threads);
        write_number(p, v->clock_mhz);
        fputs("</tr>\n", p->o);
    }
    fputs("</table></div>\n", p->o);
}

static void write_gpu(struct page *p, const struct gpu *v, const char *registers)
{
    struct arena *a = p->site->a;
    const struct {
        const char *name;
        const char *value;
    } rows[] = {
        {"compatible", v->compatible},
        {"shader ISA", v->isa},
        {"product, revision",
         arena_printf(a, "%#06" PRIx64 ", %#06" PRIx64, v->product, v->revision)},
        {"architecture version", arena_printf(a, "%" PRIu64, v->architecture)},
        {"shader cores",
         arena_printf(a, "%" PRIu64 ", mask %#" PRIx64, v->cores, v->shader_present)},
        {"execution engines per core", arena_printf(a, "%" PRIu64, v->engines)},
        {"lanes of a warp", arena_printf(a, "%" PRIu64, v->warp_width)},
        {"threads per core", arena_printf(a, "%" PRIu64, v->max_threads)},
        {"threads of a work-group", arena_printf(a, "%" PRIu64, v->max_group)},
        {"clock", arena_printf(a, "%" PRIu64 " MHz", v->clock_mhz)},
        {"cycles a bundle, a stage",
         arena_printf(a, "%" PRIu64 ", %" PRIu64, v->bundle_cycles, v->stage_cycles)},
    };

    html(p->o,
         "<section class=\"entry\" id=\"%s\">\n<h3><a class=\"self\" "
         "href=\"#%s\">%s</a></h3>\n<p>%s</p>\n"
         "<div class=\"wide\"><table>\n",
         v->name, v->name, v->name, v->title);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        html(p->o, "<tr><th>%s</th><td>%s</td></tr>\n", rows[i].name, rows[i].value);
    vec_for_each (&v->values, r) {
        fputs("<tr><th class=\"mono\">", p->o);
        page_link(p, arena_printf(a, "%s#%s", registers, r->reg->name),
                  r->reg->count > 1 ? arena_printf(a, "%s[%u]", r->reg->name, r->index)
                                    : r->reg->name);
        html(p->o, "</th><td class=\"mono\">%s</td></tr>\n",
             arena_printf(a, "0x%08" PRIx32, r->value));
    }
    fputs("</table></div>\n</section>\n", p->o);
}

const char *gpus_write(struct site *s, const struct gpus *g)
{
    const char *path = site_path(s, arena_printf(s->a, "%s-gpus.html", g->layouts->name));
    const char *title = arena_printf(s->a, "%s GPUs", g->layouts->name);
    const struct crumb way[] = {{"Reference", "index.html"}, {title, path}};
    struct page p;

    if (!page_begin(&p, s, path, title, way, 2))
        return path;
    html(p.o, "<h1>%s</h1>\n", title);
    write_overview(&p, g);
    vec_for_each (&g->all, v) {
        write_gpu(&p, *v, arena_printf(s->a, "%s-layouts/registers.html", g->layouts->name));
        site_find(s, (*v)->title, "GPU", g->layouts->name,
                  arena_printf(s->a, "%s#%s", path, (*v)->name), (*v)->name);
    }
    page_end(&p);
    return path;
}
