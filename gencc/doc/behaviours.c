/*
 * Writes the pages of behaviour files: helpers, constants and types. Behaviours of instructions are
 * shown with the instructions.
 */
#include "gencc/doc/internal.h"

#include <string.h>

static const char *kind_of(const struct ast_def *def)
{
    static const char *const kinds[] = {
        [AST_HELPER] = "helper",     [AST_EXTERNAL] = "external",
        [AST_EXECUTE] = "behaviour", [AST_BEHAVIOUR] = "behaviour",
        [AST_DECODE] = "decode",     [AST_SYSTEM] = "system",
        [AST_HOOK] = "hook",         [AST_CONST] = "constant",
        [AST_TYPEDEF] = "type",      [AST_SYSREG] = "system register",
    };

    return kinds[def->kind];
}

static bool is_shown(const struct ast_def *def, const struct doc_file *f)
{
    return def->kind != AST_EXECUTE && def->kind != AST_DECODE && def->kind != AST_SYSREG &&
           def->pos.file && !strcmp(def->pos.file->path, f->file->path);
}

/* Whether the definition is shown as a line of a table: constants in a row form one table. */
static bool is_line(const struct ast_def *def)
{
    return def->kind == AST_CONST || def->kind == AST_TYPEDEF;
}

static void write_lines_begin(struct page *p)
{
    fputs("<div class=\"wide\"><table>\n", p->o);
}

/* The comment after a definition on its line. */
static const char *trailing_comment(struct arena *a, struct src_pos pos)
{
    size_t n;
    const char *text = source_definition(pos, &n) + n, *end = text + strcspn(text, "\n");

    text += strspn(text, " \t");
    if (end - text < 2 || text[0] != '/' || text[1] != '/')
        return "";
    text += 2 + strspn(text + 2, " ");
    return text < end ? arena_strndup(a, text, (size_t)(end - text)) : "";
}

static void write_line(struct page *p, const struct doc_isa *d, const struct ast_def *def)
{
    size_t n;
    const char *text = source_definition(def->pos, &n);
    const char *before = source_comment(p->site->a, def->pos);

    if (*before)
        html(p->o, "<tr><td colspan=\"2\">%s</td></tr>\n", before);
    html(p->o, "<tr id=\"%s\"><td><code>", def->name);
    code_write(p, &d->links, text, n);
    html(p->o, "</code></td><td>%s</td></tr>\n", trailing_comment(p->site->a, def->pos));
}

static void write_definition(struct page *p, const struct doc_isa *d, const struct ast_def *def)
{
    const char *comment = source_comment(p->site->a, def->pos);
    const char *text;
    size_t n;

    html(p->o,
         "<section class=\"entry\" id=\"%s\">\n<h3><a class=\"self\" href=\"#%s\">%s</a></h3>\n",
         def->name, def->name, def->name);
    if (*comment)
        html_prose(p->o, comment);
    text = source_definition(def->pos, &n);
    code_block(p, &d->links, text, n);
    fputs("</section>\n", p->o);
}

static void write_file_page(struct doc_isa *d, const struct doc_file *f)
{
    const struct doc_heading *heading = NULL, *h;
    bool in_lines = false;
    struct page p;

    if (!isa_page_begin(&p, d, f->page, f->title))
        return;
    html(p.o, "<h1>%s</h1>\n", f->title);
    if (*f->text)
        html_prose(p.o, f->text);
    html(p.o, "<p class=\"source\">%s</p>\n", source_path(d->site->a, f->file->path));
    vec_for_each (&d->isa->ast->defs, it) {
        const struct ast_def *def = *it;

        if (!is_shown(def, f))
            continue;
        h = doc_heading_of(f, def->pos.line);
        if (in_lines && (h != heading || !is_line(def))) {
            fputs("</table></div>\n", p.o);
            in_lines = false;
        }
        if (h && h != heading)
            html(p.o, "<h2 id=\"line-%u\">%s</h2>\n", h->line, h->title);
        heading = h;
        if (is_line(def) && !in_lines) {
            write_lines_begin(&p);
            in_lines = true;
        }
        if (is_line(def))
            write_line(&p, d, def);
        else
            write_definition(&p, d, def);
        site_find(d->site, def->name, kind_of(def),
                  arena_printf(d->site->a, "%s %s", d->isa->model->name, d->isa->name),
                  arena_printf(d->site->a, "%s#%s", f->page, def->name), "");
    }
    if (in_lines)
        fputs("</table></div>\n", p.o);
    page_end(&p);
}

void behaviours_write(struct doc_isa *d)
{
    vec_for_each (&d->behaviours, f)
        write_file_page(d, *f);
}
