/*
 * Writes the pages of maps, families and tables of an ISA, and of unused encodings.
 */
#include "gencc/doc/internal.h"
#include "gencc/front/bundle_ast.h"
#include "gencc/front/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURES_SHOWN = 300 }; /* pictures of free words shown, those with most words first */

static void write_entry_head(struct page *p, const char *prefix, const char *name,
                             struct src_pos pos)
{
    const char *comment = pos.file ? source_comment(p->site->a, pos) : "";

    html(p->o,
         "<section class=\"entry\" id=\"%s-%s\">\n<h3><a class=\"self\" "
         "href=\"#%s-%s\">%s</a></h3>\n",
         prefix, name, prefix, name, name);
    if (*comment)
        html_prose(p->o, comment);
}

static void write_map(struct page *p, const struct asm_map *m)
{
    write_entry_head(p, "map", m->name, m->pos);
    fputs("<div class=\"wide\"><table class=\"mono\">\n", p->o);
    vec_for_each (&m->entries, e) {
        fputs("<tr>", p->o);
        vec_for_each (&e->keys, k)
            html(p->o, "<td class=\"n\">%s</td>", arena_printf(p->site->a, "%" PRId64, *k));
        fputs("<td>", p->o);
        vec_for_each (&e->texts, t)
            html(p->o, "%s<span class=\"s\">&quot;%s&quot;</span>", t == e->texts.data ? "" : ", ",
                 *t);
        fputs("</td></tr>\n", p->o);
    }
    fputs("</table></div>\n</section>\n", p->o);
}

static void write_family(struct page *p, const struct doc_isa *d, const struct family *f)
{
    write_entry_head(p, "family", f->name, f->pos);
    fputs("<div class=\"wide\"><table>\n<tr>", p->o);
    vec_for_each (&f->fields, name)
        html(p->o, "<th>%s</th>", *name);
    vec_for_each (&f->tparams, t)
        html(p->o, "<th>%s</th>", t->name);
    fputs("</tr>\n", p->o);
    vec_for_each (&f->rows, row) {
        fputs("<tr>", p->o);
        vec_for_each (&row->keys, k)
            html(p->o, "<td class=\"n mono\">%s</td>", show_number(p->site->a, *k));
        vec_for_each (&row->values, v) {
            char *buffer = NULL;
            size_t size;
            FILE *o = open_memstream(&buffer, &size);

            if (!o)
                continue;
            print_targ(o, v);
            fclose(o);
            fputs("<td><code>", p->o);
            code_write(p, &d->links, buffer, strlen(buffer));
            fputs("</code></td>", p->o);
            free(buffer);
        }
        fputs("</tr>\n", p->o);
    }
    fputs("</table></div>\n</section>\n", p->o);
}

static void write_table(struct page *p, const struct doc_isa *d, const struct ast_table *t)
{
    write_entry_head(p, "table", t->name, t->pos);
    html(p->o, "<div class=\"wide\"><table>\n<tr><th>%s</th>", t->key);
    vec_for_each (&t->columns, c)
        html(p->o, "<th>%s</th>", c->name);
    fputs("</tr>\n", p->o);
    vec_for_each (&t->rows, row) {
        fputs("<tr><td>", p->o);
        vec_for_each (&row->keys, k) {
            fputs(k == row->keys.data ? "" : ", ", p->o);
            code_expr(p, &d->links, *k);
        }
        fputs("</td>", p->o);
        vec_for_each (&row->values, v) {
            fputs("<td>", p->o);
            code_expr(p, &d->links, *v);
            fputs("</td>", p->o);
        }
        fputs("</tr>\n", p->o);
    }
    fputs("</table></div>\n</section>\n", p->o);
}

static void add_to_search(struct doc_isa *d, const char *name, const char *kind, const char *prefix)
{
    site_find(d->site, name, kind,
              arena_printf(d->site->a, "%s %s", d->isa->model->name, d->isa->name),
              arena_printf(d->site->a, "%smaps.html#%s-%s", d->folder, prefix, name), "");
}

void maps_write(struct doc_isa *d)
{
    struct page p;

    if (!isa_page_begin(&p, d, arena_printf(d->site->a, "%smaps.html", d->folder),
                        "Maps, families, tables"))
        return;
    fputs("<h1>Maps, families, tables</h1>\n<h2>Maps</h2>\n"
          "<p>What assembly writes for a value, or for several together; all texts of a row are "
          "read.</p>\n",
          p.o);
    vec_for_each (&d->isa->maps, m) {
        write_map(&p, *m);
        add_to_search(d, (*m)->name, "map", "map");
    }
    if (d->isa->families.len)
        fputs("<h2>Families</h2>\n<p>One text for several encodings: what fields of the word are, "
              "and "
              "what types and constants the behaviour then has.</p>\n",
              p.o);
    vec_for_each (&d->isa->families, f) {
        write_family(&p, d, *f);
        add_to_search(d, (*f)->name, "family", "family");
    }
    if (d->isa->ast->tables.len)
        fputs("<h2>Tables</h2>\n", p.o);
    vec_for_each (&d->isa->ast->tables, t) {
        write_table(&p, d, *t);
        add_to_search(d, (*t)->name, "table", "table");
    }
    page_end(&p);
}

/* ---- unused encodings ------------------------------------------------------------------------ */

static int by_size(const void *x, const void *y)
{
    const struct bit_test *a = x, *b = y;
    unsigned fa = count_bits(a->mask), fb = count_bits(b->mask);

    if (fa != fb)
        return fa < fb ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

static void write_free_words(struct page *p, struct free_words *f)
{
    unsigned shown = f->pictures.len < PICTURES_SHOWN ? f->pictures.len : PICTURES_SHOWN;

    html(p->o, "<h2>Words of %u bits</h2>\n<p>%s of %s are free: %s %%, in %u pictures.", f->width,
         show_number(p->site->a, f->count), show_number(p->site->a, f->total),
         arena_printf(p->site->a, "%.2f", free_percent(f)), f->pictures.len);
    if (shown < f->pictures.len)
        html(p->o, " The %u largest; all: <code>gencc dump --stage free</code>.", shown);
    fputs("</p>\n", p->o);
    if (!f->pictures.len)
        return;
    qsort(f->pictures.data, f->pictures.len, sizeof(*f->pictures.data), by_size);
    fputs("<pre>", p->o);
    for (unsigned i = 0; i < shown; i++) {
        print_picture(p->o, &f->pictures.data[i], f->width);
        fputc('\n', p->o);
    }
    fputs("</pre>\n", p->o);
}

void free_write(struct doc_isa *d)
{
    free_list all = {0};
    struct page p;

    if (!isa_page_begin(&p, d, arena_printf(d->site->a, "%sfree.html", d->folder),
                        "Unused encodings"))
        return;
    fputs("<h1>Unused encodings</h1>\n<p class=\"lead\">Words that match no encoding. What an "
          "encoding "
          "matches and its conditions, features or decoding refuse counts as used.</p>\n",
          p.o);
    isa_free_words(d->site->a, d->isa, &all);
    vec_for_each (&all, f)
        write_free_words(&p, f);
    page_end(&p);
}
