/*
 * Writes a folder of static pages: files, the common frame, the search index. See site.h.
 */
#include "gencc/doc/site.h"

#include "gencc/doc/assets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Reports the first failure only, since later ones mostly follow from it. */
static bool report_failure(struct site *s, const char *path)
{
    if (!s->failed)
        fprintf(stderr, "gencc doc: %s: %s\n", path, strerror(errno));
    s->failed = true;
    return false;
}

static bool make_folder(struct site *s, const char *path)
{
    return !mkdir(path, 0777) || errno == EEXIST || report_failure(s, path);
}

bool site_folder(struct site *s, const char *path)
{
    for (const char *slash = path; (slash = strchr(slash, '/')); slash++)
        if (!make_folder(s, arena_printf(s->a, "%s/%.*s", s->folder, (int)(slash - path), path)))
            return false;
    return true;
}

static FILE *open_file(struct site *s, const char *path)
{
    const char *whole = arena_printf(s->a, "%s/%s", s->folder, path);
    FILE *o;

    if (!make_folder(s, s->folder) || !site_folder(s, path))
        return NULL;
    o = fopen(whole, "w");
    if (!o)
        report_failure(s, whole);
    return o;
}

static void close_file(struct site *s, FILE *o, const char *path)
{
    bool bad = ferror(o);

    if (fclose(o) || bad)
        report_failure(s, path);
}

const char *site_path(struct site *s, const char *wanted)
{
    const char *dot = strrchr(wanted, '.'), *path = wanted;

    for (unsigned n = 2; name_map_get(&s->paths, path); n++)
        path = arena_printf(s->a, "%.*s-%u%s", (int)(dot - wanted), wanted, n, dot);
    name_map_put(s->a, &s->paths, path, (void *)path);
    return path;
}

/* ---- pages ----------------------------------------------------------------------------------- */

static const char *way_up(struct arena *a, const char *path)
{
    const char *up = "";

    for (; (path = strchr(path, '/')); path++)
        up = arena_printf(a, "../%s", up);
    return up;
}

bool page_begin(struct page *p, struct site *s, const char *path, const char *title,
                const struct crumb *way, unsigned steps)
{
    *p = (struct page){open_file(s, path), s, path, way_up(s->a, path)};
    if (!p->o)
        return false;
    html(p->o,
         "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
         "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>%s</title>\n"
         "<link rel=\"stylesheet\" href=\"%sassets/style.css\"/>\n"
         "<script src=\"%sassets/index.js\" defer=\"defer\"></script>\n"
         "<script src=\"%sassets/search.js\" defer=\"defer\"></script>\n</head>\n"
         "<body data-up=\"%s\">\n<header>\n<nav class=\"way\">",
         title, p->up, p->up, p->up, p->up);
    for (unsigned i = 0; i < steps; i++) {
        if (i + 1 < steps) {
            page_link(p, way[i].address, way[i].name);
            fputs(" <span>›</span> ", p->o);
        } else {
            html(p->o, "<b>%s</b>", way[i].name);
        }
    }
    fputs("</nav>\n<div class=\"find\"><input id=\"find\" type=\"search\" autocomplete=\"off\" "
          "aria-label=\"Search\" placeholder=\"Search  ( / )\"/><ol id=\"found\" "
          "hidden=\"hidden\"></ol></div>\n</header>\n<main>\n",
          p->o);
    return true;
}

void page_end(struct page *p)
{
    fputs("</main>\n<footer>Made by <code>gencc doc</code> from the descriptions.</footer>\n"
          "</body>\n</html>\n",
          p->o);
    close_file(p->site, p->o, p->path);
}

void page_link(struct page *p, const char *address, const char *text)
{
    html(p->o, "<a href=\"%s%s\">%s</a>", p->up, address, text);
}

void page_card(struct page *p, const char *address, const char *name, const char *text)
{
    fputs("<li>", p->o);
    page_link(p, address, name);
    html(p->o, "<p>%s</p></li>\n", text);
}

/* ---- search ---------------------------------------------------------------------------------- */

void site_find(struct site *s, const char *name, const char *kind, const char *of,
               const char *address, const char *more)
{
    vec_push_in(s->a, &s->entries, ((struct site_entry){name, kind, of, address, more}));
}

static void js_string(FILE *o, const char *text)
{
    fputc('"', o);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\' || c < 32 || c == '<')
            fprintf(o, "\\u%04x", c);
        else
            fputc(c, o);
    }
    fputc('"', o);
}

static void write_index(struct site *s)
{
    FILE *o = open_file(s, "assets/index.js");

    if (!o)
        return;
    fputs("const entries = [\n", o);
    vec_for_each (&s->entries, e) {
        const char *const parts[] = {e->name, e->kind, e->of, e->address, e->more};

        for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
            fputc(i ? ',' : '[', o);
            js_string(o, parts[i]);
        }
        fputs("],\n", o);
    }
    fputs("];\n", o);
    close_file(s, o, "assets/index.js");
}

static void write_asset(struct site *s, const char *path, const unsigned char *bytes, size_t size)
{
    FILE *o = open_file(s, path);

    if (!o)
        return;
    fwrite(bytes, 1, size, o);
    close_file(s, o, path);
}

void site_assets(struct site *s)
{
    write_index(s);
    write_asset(s, "assets/style.css", asset_style, asset_style_size);
    write_asset(s, "assets/search.js", asset_search, asset_search_size);
}
