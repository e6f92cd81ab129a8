/*
 * Writes the pages of descriptors and registers of a GPU family (AC_LAYOUTS).
 */
#include "gencc/doc/internal.h"

#include <inttypes.h>

struct layout_pages {
    struct site *site;
    const struct layouts *l;
    const char *index, *structs, *enums, *registers;
};

static bool begin_page(struct page *p, const struct layout_pages *d, const char *path,
                       const char *title)
{
    const struct crumb way[] = {
        {"Reference", "index.html"},
        {arena_printf(d->site->a, "%s layouts", d->l->name), d->index},
        {title, path},
    };

    return page_begin(p, d->site, path, arena_printf(d->site->a, "%s – %s", title, d->l->name), way,
                      path == d->index ? 2 : 3);
}

static void write_entry_head(struct page *p, const char *id, const char *name, struct src_pos pos)
{
    const char *comment = source_comment(p->site->a, pos);

    html(p->o,
         "<section class=\"entry\" id=\"%s\">\n<h3><a class=\"self\" href=\"#%s\">%s</a></h3>\n",
         id, id, name);
    if (*comment)
        html_prose(p->o, comment);
}

/* A set of versions as text: 4, 6–7; "" for all versions. */
static const char *versions_text(struct arena *a, const struct layouts *l, version_set set)
{
    const char *text = "";

    if ((set & l->versions) == l->versions)
        return "";
    for (unsigned v = 0; v <= LAYOUT_MAX_VERSION; v++) {
        unsigned to = v;

        if (!(set >> v & 1))
            continue;
        while (to < LAYOUT_MAX_VERSION && set >> (to + 1) & 1)
            to++;
        text = arena_printf(a, to > v ? "%s%s%u–%u" : "%s%s%u", text, *text ? ", " : "", v, to);
        v = to;
    }
    return text;
}

/* ---- layouts --------------------------------------------------------------------------------- */

static void write_field_type(struct page *p, const struct layout_pages *d,
                             const struct lay_field *f)
{
    static const char *const kinds[] = {
        [LAY_UINT] = "uint",   [LAY_INT] = "int",         [LAY_BOOL] = "bool",
        [LAY_FLOAT] = "float", [LAY_ADDRESS] = "address", [LAY_PADDED] = "padded",
    };

    if (f->kind == LAY_ENUM)
        page_link(p, arena_printf(p->site->a, "%s#%s", d->enums, f->enumeration->name),
                  f->enumeration->name);
    else if (f->kind == LAY_NESTED)
        page_link(p, arena_printf(p->site->a, "%s#%s", d->structs, f->nested->name),
                  f->nested->name);
    else
        html_text(p->o, f->kind == LAY_RESERVED ? "reserved" : kinds[f->kind]);
    if (f->count)
        html(p->o, "[%u]", f->count);
}

static void write_field_meaning(struct page *p, const struct lay_field *f)
{
    struct arena *a = p->site->a;
    const char *text = source_remark(a, f->ast->pos);

    if (f->log2)
        fputs("2 to the power of what is stored. ", p->o);
    else if (f->addend || f->shift)
        html(p->o, "value = %s%s%s. ", f->shift ? "(stored" : "stored",
             f->shift ? arena_printf(a, " << %u)", f->shift) : "",
             f->addend ? arena_printf(a, " + %" PRIu64, f->addend) : "");
    if (f->has_must)
        html(p->o, "Must be %s. ", arena_printf(a, "%#" PRIx64, f->required_value));
    else if (f->has_default)
        html(p->o, "Usually %s. ", arena_printf(a, "%#" PRIx64, f->default_value));
    if (f->is_overlay)
        fputs("Shares its bits with others. ", p->o);
    html_text(p->o, text);
}

static void write_field_row(struct page *p, const struct layout_pages *d, const struct lay_field *f)
{
    html(p->o,
         "<tr><td class=\"mono n\">%u:%u</td><td class=\"n\">%s</td><td class=\"mono\">%s</td><td>",
         f->start / 32, f->start % 32, f->width ? arena_printf(p->site->a, "%u", f->width) : "",
         f->name ? f->name : "");
    write_field_type(p, d, f);
    html(p->o, "</td><td>%s</td><td>", versions_text(p->site->a, d->l, f->versions));
    write_field_meaning(p, f);
    fputs("</td></tr>\n", p->o);
}

/* Writes sizes by version; neighbouring versions of equal size are joined. */
static void write_sizes(struct page *p, const struct layout_pages *d, const struct lay_struct *s)
{
    for (unsigned v = 0; v <= LAYOUT_MAX_VERSION; v++) {
        version_set same = 0;
        const char *which;

        if (!s->bytes[v] || (v && s->bytes[v] == s->bytes[v - 1]))
            continue;
        for (unsigned k = v; k <= LAYOUT_MAX_VERSION && s->bytes[k] == s->bytes[v]; k++)
            same |= (version_set)1 << k;
        which = versions_text(p->site->a, d->l, same);
        html(p->o, "<p class=\"faint\">%u bytes%s%s</p>\n", s->bytes[v],
             *which ? " in version " : "", which);
    }
}

static void write_structs_page(const struct layout_pages *d)
{
    struct page p;

    if (!begin_page(&p, d, d->structs, "Descriptors"))
        return;
    fputs("<h1>Descriptors</h1>\n<p class=\"lead\">Structures in memory. A place is a 32-bit word "
          "and a bit "
          "in it.</p>\n<ul class=\"names\">\n",
          p.o);
    vec_for_each (&d->l->structs, s)
        html(p.o, "<li><a href=\"#%s\">%s</a></li>\n", (*s)->name, (*s)->name);
    fputs("</ul>\n", p.o);
    vec_for_each (&d->l->structs, it) {
        const struct lay_struct *s = *it;

        write_entry_head(&p, s->name, s->name, s->ast->pos);
        write_sizes(&p, d, s);
        fputs("<div "
              "class=\"wide\"><table>\n<tr><th>word:bit</th><th>bits</th><th>name</th><th>type</th>"
              "<th>versions</th><th>meaning</th></tr>\n",
              p.o);
        vec_for_each (&s->fields, f)
            write_field_row(&p, d, f);
        fputs("</table></div>\n</section>\n", p.o);
        site_find(d->site, s->name, "descriptor", d->l->name,
                  arena_printf(d->site->a, "%s#%s", d->structs, s->name), "");
    }
    page_end(&p);
}

/* ---- enumerations ---------------------------------------------------------------------------- */

static void write_enums_page(const struct layout_pages *d)
{
    struct page p;

    if (!begin_page(&p, d, d->enums, "Enumerations and constants"))
        return;
    fputs("<h1>Enumerations and constants</h1>\n", p.o);
    vec_for_each (&d->l->enums, e) {
        write_entry_head(&p, (*e)->name, (*e)->name, (*e)->pos);
        fputs("<div class=\"wide\"><table>\n", p.o);
        vec_for_each (&(*e)->values, v)
            html(p.o,
                 "<tr><td class=\"mono n\">%s</td><td class=\"mono\">%s</td><td>%s</td></tr>\n",
                 arena_printf(d->site->a, "%#" PRIx32, v->value), v->name,
                 versions_text(d->site->a, d->l, v->versions));
        fputs("</table></div>\n</section>\n", p.o);
        site_find(d->site, (*e)->name, "enumeration", d->l->name,
                  arena_printf(d->site->a, "%s#%s", d->enums, (*e)->name), "");
    }
    if (d->l->consts.len)
        fputs("<h2>Constants</h2>\n<div class=\"wide\"><table>\n", p.o);
    vec_for_each (&d->l->consts, c)
        html(p.o,
             "<tr id=\"const-%s\"><td class=\"mono\">%s</td><td class=\"mono n\">%s</td></tr>\n",
             c->name, c->name, arena_printf(d->site->a, "%#" PRIx64, c->value));
    if (d->l->consts.len)
        fputs("</table></div>\n", p.o);
    page_end(&p);
}

/* ---- registers ------------------------------------------------------------------------------- */

static void write_register_bits(struct page *p, const struct lay_register *r)
{
    bits_list cells = {0};
    unsigned top = 32;

    while (top) {
        const struct lay_reg_field *next = NULL;
        struct bits_cell c = {0};

        vec_for_each (&r->fields, f)
            if (f->bit + f->width <= top && (!next || f->bit > next->bit))
                next = f;
        if (!next || next->bit + next->width < top) {
            unsigned low = next ? next->bit + next->width : 0;

            c = (struct bits_cell){.lsb = low, .width = top - low, .any = true};
            vec_push_in(p->site->a, &cells, c);
        }
        if (next) {
            c = (struct bits_cell){.name = next->name, .lsb = next->bit, .width = next->width};
            vec_push_in(p->site->a, &cells, c);
        }
        top = next ? next->bit : 0;
    }
    bits_draw(p, &cells, 32);
}

static void write_register_fields(struct page *p, const struct layout_pages *d,
                                  const struct lay_register *r)
{
    fputs("<div class=\"wide\"><table>\n", p->o);
    vec_for_each (&r->fields, f) {
        html(p->o, "<tr><td class=\"mono n\">%s</td><td class=\"mono\">%s</td><td>",
             f->width > 1 ? arena_printf(p->site->a, "%u:%u", f->bit + f->width - 1, f->bit)
                          : arena_printf(p->site->a, "%u", f->bit),
             f->name);
        if (f->enumeration)
            page_link(p, arena_printf(p->site->a, "%s#%s", d->enums, f->enumeration->name),
                      f->enumeration->name);
        fputs("</td></tr>\n", p->o);
    }
    fputs("</table></div>\n", p->o);
}

static void write_register(struct page *p, const struct layout_pages *d,
                           const struct lay_register *r)
{
    static const char *const access[] = {"", "read only", "write only", "read and write"};
    const char *comment = source_comment(p->site->a, r->ast->pos);
    const char *text = source_remark(p->site->a, r->ast->pos);

    html(p->o,
         "<section class=\"entry\" id=\"%s\">\n<h3><a class=\"self\" href=\"#%s\">%s</a></h3>\n",
         r->name, r->name, r->name);
    html(p->o, "<p class=\"faint\">at %s, %s%s</p>\n",
         arena_printf(p->site->a, "0x%04x", r->offset), access[r->access & 3],
         r->count > 1
             ? arena_printf(p->site->a, "; %u of them, %#x bytes apart", r->count, r->stride)
             : "");
    if (*comment || *text)
        html(p->o, "<p>%s %s</p>\n", comment, text);
    if (r->fields.len) {
        write_register_bits(p, r);
        write_register_fields(p, d, r);
    }
    fputs("</section>\n", p->o);
}

static void write_registers_page(const struct layout_pages *d)
{
    const struct lay_block *block = NULL;
    struct page p;

    if (!begin_page(&p, d, d->registers, "GPU registers"))
        return;
    fputs("<h1>GPU registers</h1>\n<ul class=\"names\">\n", p.o);
    vec_for_each (&d->l->registers, r)
        html(p.o, "<li><a href=\"#%s\">%s</a></li>\n", (*r)->name, (*r)->name);
    fputs("</ul>\n", p.o);
    vec_for_each (&d->l->registers, r) {
        if ((*r)->block != block)
            html(p.o, "<h2>%s</h2>\n", (*r)->block->name);
        block = (*r)->block;
        write_register(&p, d, *r);
        site_find(d->site, (*r)->name, "GPU register", d->l->name,
                  arena_printf(d->site->a, "%s#%s", d->registers, (*r)->name), "");
    }
    page_end(&p);
}

/* ---- all ------------------------------------------------------------------------------------- */

const char *layouts_write(struct site *s, const struct layouts *l)
{
    struct arena *a = s->a;
    const char *folder = arena_printf(a, "%s-layouts/", l->name);
    struct layout_pages d = {
        s,
        l,
        site_path(s, arena_printf(a, "%sindex.html", folder)),
        site_path(s, arena_printf(a, "%sdescriptors.html", folder)),
        site_path(s, arena_printf(a, "%senumerations.html", folder)),
        site_path(s, arena_printf(a, "%sregisters.html", folder)),
    };
    struct doc_file *file = doc_file_read(a, l->ast->pos.file);
    struct page p;

    if (!begin_page(&p, &d, d.index, arena_printf(a, "%s layouts", l->name)))
        return d.index;
    html(p.o, "<h1>%s: descriptors and registers</h1>\n<p>%s. %s</p>\n<ul class=\"cards\">\n",
         l->name, file->title, file->text);
    page_card(&p, d.structs, "Descriptors",
              arena_printf(a, "%u structures in memory", l->structs.len));
    page_card(&p, d.enums, "Enumerations and constants",
              arena_printf(a, "%u enumerations", l->enums.len));
    page_card(&p, d.registers, "GPU registers", arena_printf(a, "%u registers", l->registers.len));
    fputs("</ul>\n", p.o);
    page_end(&p);
    write_structs_page(&d);
    write_enums_page(&d);
    write_registers_page(&d);
    return d.index;
}
