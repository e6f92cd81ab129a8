/*
 * Writes the page of a machine from its compiled device tree: devices, addresses, wiring.
 */
#include "gencc/doc/internal.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <libfdt.h>

enum { MAX_TREE = 16 << 20 };

static void *read_tree(struct site *s, const char *path)
{
    FILE *f = fopen(path, "rb");
    void *tree = NULL;
    size_t n = 0;

    if (f) {
        tree = arena_read_all(s->a, f, MAX_TREE, &n);
        fclose(f);
    }
    if (tree && n >= sizeof(struct fdt_header) && !fdt_check_full(tree, n))
        return tree;
    fprintf(stderr, "gencc doc: %s: %s\n", path,
            !f     ? strerror(errno)
            : tree ? "this is no device tree"
                   : "this is larger than a device tree can be");
    s->failed = true;
    return NULL;
}

/* ---- properties ------------------------------------------------------------------------------ */

/* Whether the property consists of strings, each terminated by a NUL. */
static bool is_text(const char *data, int n)
{
    bool last = false;

    if (n < 2 || data[n - 1])
        return false;
    for (int i = 0; i < n; i++) {
        bool nul = !data[i];

        if (nul ? last || !i : !isprint((unsigned char)data[i]))
            return false;
        last = nul;
    }
    return true;
}

static void write_property(struct page *p, const char *data, int n)
{
    if (!n) {
        fputs("yes", p->o);
    } else if (is_text(data, n)) {
        for (int i = 0; i < n; i += (int)strlen(data + i) + 1)
            html(p->o, "%s%s", i ? ", " : "", data + i);
    } else if (n % 4 == 0) {
        for (int i = 0; i < n; i += 4) {
            fdt32_t cell;

            memcpy(&cell, data + i, sizeof(cell));
            html(p->o, "%s%s", i ? " " : "",
                 arena_printf(p->site->a, "%#" PRIx32, fdt32_to_cpu(cell)));
        }
    } else {
        for (int i = 0; i < n; i++)
            html(p->o, "%s%s", i ? " " : "",
                 arena_printf(p->site->a, "%02x", (unsigned char)data[i]));
    }
}

static void write_properties(struct page *p, const void *tree, int node)
{
    int at;

    fputs("<div class=\"wide\"><table>\n", p->o);
    fdt_for_each_property_offset(at, tree, node)
    {
        const char *name, *data;
        int n;

        data = fdt_getprop_by_offset(tree, at, &name, &n);
        if (!data)
            continue;
        html(p->o, "<tr><td class=\"mono\">%s</td><td class=\"mono\">", name);
        write_property(p, data, n);
        fputs("</td></tr>\n", p->o);
    }
    fputs("</table></div>\n", p->o);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static const char *text_of(const void *tree, int node, const char *name)
{
    int n;
    const char *data = fdt_getprop(tree, node, name, &n);

    return data && is_text(data, n) ? data : "";
}

static const char *path_of(struct arena *a, const void *tree, int node)
{
    char path[512];

    return fdt_get_path(tree, node, path, sizeof(path)) ? "" : arena_strdup(a, path);
}

static void write_overview(struct page *p, const void *tree)
{
    int depth = 0;

    fputs("<h2>Devices</h2>\n<div "
          "class=\"wide\"><table>\n<tr><th>node</th><th>compatible</th></tr>\n",
          p->o);
    for (int node = 0; node >= 0; node = fdt_next_node(tree, node, &depth)) {
        const char *compatible = text_of(tree, node, "compatible");
        const char *path = path_of(p->site->a, tree, node);

        if (depth && *compatible)
            html(p->o,
                 "<tr><td class=\"mono\"><a href=\"#%s\">%s</a></td><td "
                 "class=\"mono\">%s</td></tr>\n",
                 html_id(p->site->a, "node", path), path, compatible);
    }
    fputs("</table></div>\n", p->o);
}

static void write_nodes(struct page *p, const char *page, const char *machine, const void *tree)
{
    int depth = 0;

    fputs("<h2>All nodes</h2>\n", p->o);
    for (int node = 0; node >= 0; node = fdt_next_node(tree, node, &depth)) {
        const char *path = path_of(p->site->a, tree, node);
        const char *id = html_id(p->site->a, "node", path);

        html(
            p->o,
            "<section class=\"entry\" id=\"%s\">\n<h3><a class=\"self\" href=\"#%s\">%s</a></h3>\n",
            id, id, path);
        write_properties(p, tree, node);
        fputs("</section>\n", p->o);
        if (depth && *text_of(tree, node, "compatible"))
            site_find(p->site, fdt_get_name(tree, node, NULL), "device", machine,
                      arena_printf(p->site->a, "%s#%s", page, id),
                      text_of(tree, node, "compatible"));
    }
}

const char *machine_write(struct site *s, const char *path, const char **title)
{
    const char *name = source_stem(s->a, path);
    const char *page = site_path(s, arena_printf(s->a, "machines/%s.html", name));
    const struct crumb way[] = {{"Reference", "index.html"}, {name, page}};
    const void *tree = read_tree(s, path);
    struct page p;

    if (!tree || !page_begin(&p, s, page, name, way, 2))
        return NULL;
    *title = *text_of(tree, 0, "model") ? text_of(tree, 0, "model") : name;
    html(p.o, "<h1>%s</h1>\n<p class=\"lead\">%s</p>\n", name, *title);
    write_overview(&p, tree);
    write_nodes(&p, page, name, tree);
    page_end(&p);
    site_find(s, name, "machine", "", page, *title);
    return page;
}
