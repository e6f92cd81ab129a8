/*
 * Writes the page of a bundle: units, grains and sequences, texts.
 */
#include "gencc/doc/internal.h"
#include <stdlib.h>

static void write_units(struct page *p, const struct doc_isa *d)
{
    const struct bundle *b = d->isa->bundle;

    fputs("<h2>Units</h2>\n<div class=\"wide\"><table>\n<tr><th>unit</th><th>instruction set</th>"
          "<th>bits of a word</th><th>mark</th></tr>\n",
          p->o);
    vec_for_each (&b->units, u) {
        html(p->o, "<tr><td class=\"mono\">%s</td><td>", u->name);
        page_link(p, arena_printf(p->site->a, "%s/%s/index.html", d->isa->model->name, u->isa),
                  u->isa);
        html(p->o, "</td><td class=\"n\">%u</td><td class=\"mono\">%s</td></tr>\n", u->bits,
             u->mark);
    }
    fputs("</table></div>\n", p->o);
    html(p->o, "<p>At most %u %ss and %u constants; grains of %u bits.</p>\n", b->max_stages,
         b->stage_name ? b->stage_name : "stage", b->max_constants, b->grain_bits);
}

static void write_format(struct page *p, const struct format *f, const char *title)
{
    bits_list cells = {0};

    if (!f)
        return;
    html(p->o, "<h2>%s</h2>\n", title);
    bits_of_format(p->site->a, f, f->mask, f->value, &cells);
    bits_draw(p, &cells, f->width);
}

/* The name of a piece of a grain in its picture. */
static const char *piece_name(struct arena *a, const struct bundle *b, const struct bundle_piece *x)
{
    switch (x->what) {
    case BUNDLE_FIELD:
        return x->field->name;
    case BUNDLE_END:
        return "end";
    case BUNDLE_HEADER:
        return arena_printf(a, "header[%u..%u]", x->low + x->width - 1, x->low);
    case BUNDLE_BLOCK:
        return arena_printf(a, "block%u", x->number);
    case BUNDLE_UNIT:
        return arena_printf(a, "%s%u[%u..%u]", b->units.data[x->unit].name, x->number,
                            x->low + x->width - 1, x->low);
    case BUNDLE_CONSTANT:
        return arena_printf(a, "constant%u", x->number);
    default:
        return NULL;
    }
}

static int by_bit_descending(const void *x, const void *y)
{
    const struct bits_cell *a = x, *b = y;

    return a->lsb > b->lsb ? -1 : a->lsb < b->lsb;
}

static void write_pieces(struct page *p, const struct bundle *b, const piece_list *list,
                         unsigned width)
{
    bits_list cells = {0};

    vec_for_each (list, x) {
        struct bits_cell c = {.name = piece_name(p->site->a, b, x),
                              .lsb = x->lsb,
                              .width = x->width,
                              .any = x->what == BUNDLE_ANY};

        if (x->what == BUNDLE_LITERAL) {
            c.mask = ~(u128)0;
            c.value = x->value;
        }
        vec_push_in(p->site->a, &cells, c);
    }
    qsort(cells.data, cells.len, sizeof(*cells.data), by_bit_descending);
    bits_draw(p, &cells, width);
}

static void write_grain(struct page *p, const struct bundle *b, const struct bundle_grain *g)
{
    html(p->o,
         "<section class=\"entry\" id=\"grain-%s\">\n<h3><a class=\"self\" "
         "href=\"#grain-%s\">%s</a></h3>\n",
         g->name, g->name, g->name);
    write_pieces(p, b, &g->pieces, b->grain_bits);
    if (g->next.len) {
        fputs("<p>Then", p->o);
        vec_for_each (&g->next, n)
            html(p->o, "%s <a href=\"#grain-%s\">%s</a>", n == g->next.data ? "" : " or",
                 (*n)->name, (*n)->name);
        fputs(".</p>\n", p->o);
    }
    if (g->end)
        html(p->o, "<p>With <code>end</code> the bundle has %u %s%s; else constants follow.</p>\n",
             g->stages, b->stage_name ? b->stage_name : "stage", g->stages == 1 ? "" : "s");
    fputs("</section>\n", p->o);
}

static void write_string(struct page *p, const struct bundle *b, const struct bundle_string *s)
{
    html(p->o,
         "<section class=\"entry\" id=\"grain-%s\">\n<h3><a class=\"self\" "
         "href=\"#grain-%s\">%s</a></h3>\n",
         s->name, s->name, s->name);
    vec_for_each (&s->takes, t) {
        if (t->align) {
            html(p->o, "<p class=\"faint\">go on at a multiple of %u bits</p>\n", t->align);
            continue;
        }
        if (t->helper)
            fputs("<p class=\"faint\">when its condition holds:</p>\n", p->o);
        write_pieces(p, b, &t->pieces, t->bits);
    }
    fputs("</section>\n", p->o);
}

/* Writes the source of ac_bundle, with conditions, positions and texts. */
static void write_source(struct page *p, const struct doc_isa *d)
{
    size_t n;
    const char *text = source_definition(d->isa->bundle->pos, &n);

    fputs("<h2>As described</h2>\n", p->o);
    code_block(p, &d->links, text, n);
}

void bundle_page_write(struct doc_isa *d)
{
    const struct bundle *b = d->isa->bundle;
    const char *path = arena_printf(d->site->a, "%sbundle.html", d->folder);
    const char *name = b->name ? b->name : "bundle";
    struct page p;

    if (!isa_page_begin(&p, d, path, name))
        return;
    html(p.o, "<h1>How a %s is stored</h1>\n", name);
    write_units(&p, d);
    write_format(&p, b->header, "Header");
    write_format(&p, b->block, "Block");
    if (b->grains.len + b->strings.len)
        fputs("<h2>Grains and sequences</h2>\n", p.o);
    vec_for_each (&b->strings, s)
        write_string(&p, b, *s);
    vec_for_each (&b->grains, g)
        write_grain(&p, b, *g);
    write_source(&p, d);
    page_end(&p);
    site_find(d->site, name, "bundle", d->isa->name, path, "grain unit stage header");
}
