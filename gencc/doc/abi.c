/*
 * Writes the page of Linux's interface to programs of an architecture (ac_abi): its short
 * statements as a table, a section for each block.
 */
#include "common/memory.h"
#include "gencc/doc/internal.h"
#include "gencc/front/abi_ast.h"

#include <stdlib.h>
#include <string.h>

/* The text of statements, as written, without what stands before `skip`. */
static void write_printed(struct page *p, const struct abi_node *n, bool items, size_t skip)
{
    char *text = NULL;
    size_t size = 0;
    FILE *o = memory_or_exit(open_memstream(&text, &size));

    if (items)
        abi_print(o, n, 0);
    else
        abi_print_statement(o, n, 0);
    fclose(o);
    if (!items && size >= 2)
        size -= 2; /* the semicolon and the end of the line */
    while (skip < size && text[skip] == ' ')
        skip++;
    if (skip < size)
        html_bytes(p->o, text + skip, size - skip);
    free(text);
}

static void write_words(struct page *p, const struct model *m)
{
    fputs("<div class=\"wide\"><table>\n<tr><th>statement</th><th>value</th></tr>\n", p->o);
    vec_for_each (&m->ast->abi->items, it) {
        const struct abi_node *n = *it;
        const char *name = n->words.data[0].text;

        if (n->is_block)
            continue;
        html(p->o, "<tr><td class=\"mono\">%s</td><td class=\"mono\">", name);
        write_printed(p, n, false, strlen(name));
        fputs("</td></tr>\n", p->o);
    }
    fputs("</table></div>\n", p->o);
}

/* The words of a block's head, which name its section */
static const char *title_of(struct arena *a, const struct abi_node *n)
{
    const char *title = "";

    vec_for_each (&n->words, w)
        title = arena_printf(a, "%s%s%s", title, w == n->words.data ? "" : " ",
                             w->kind == ABI_NUMBER
                                 ? arena_printf(a, "%llu", (unsigned long long)w->value)
                                 : w->text);
    return title;
}

static void write_blocks(struct page *p, const struct model *m)
{
    struct arena *a = p->site->a;
    unsigned count = 0;

    vec_for_each (&m->ast->abi->items, it) {
        const char *title, *id;

        if (!(*it)->is_block)
            continue;
        title = title_of(a, *it);
        id = html_id(a, arena_printf(a, "abi%u", count++), title);
        html(p->o, "<section class=\"entry\" id=\"%s\">\n<h3>%s</h3>\n<pre>", id, title);
        write_printed(p, *it, true, 0);
        fputs("</pre>\n</section>\n", p->o);
        site_find(p->site, title, "Linux ABI", m->name, arena_printf(a, "%s#%s", p->path, id), "");
    }
}

const char *abi_page_write(struct site *s, const struct model *m)
{
    const char *path = site_path(s, arena_printf(s->a, "%s/abi.html", m->name));
    struct page p;

    if (!arch_page_begin(&p, s, m, path, "Linux programs"))
        return path;
    html(p.o, "<h1>Linux programs of %s</h1>\n", m->name);
    fputs("<p class=\"lead\">What the kernel's interface to programs is: registers of calls, "
          "numbers, signals and their frames (ac_abi).</p>\n",
          p.o);
    write_words(&p, m);
    write_blocks(&p, m);
    page_end(&p);
    return path;
}
