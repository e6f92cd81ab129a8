/*
 * A folder of static pages: its files, the common frame, the search index. Addresses within the
 * site are relative to its folder; a page prepends its own way up to it.
 */
#ifndef GENCC_DOC_SITE_H
#define GENCC_DOC_SITE_H

#include "common/vec.h"
#include "gencc/doc/html.h"
#include "gencc/front/names.h"

#include <stdbool.h>

/* An entry of the search index */
struct site_entry {
    const char *name, *kind, *of, *address, *more; /* more: further words that find the entry */
};

struct site {
    struct arena *a;
    const char *folder;
    bool failed; /* a file could not be written, which was reported */
    VEC(struct site_entry) entries;
    struct name_map paths; /* paths of pages begun so far */
};

struct page {
    FILE *o;
    struct site *site;
    const char *path; /* relative to the site's folder */
    const char *up;   /* path from the page to the site's folder: "", "../", … */
};

/* A breadcrumb: a step of the path to a page, shown at the top of the page */
struct crumb {
    const char *name, *address;
};

/* Opens a page and writes everything before its content. The last breadcrumb is the page itself.
 * Returns false after reporting. */
bool page_begin(struct page *p, struct site *s, const char *path, const char *title,
                const struct crumb *way, unsigned steps);
/* Writes what follows the content and closes the page. */
void page_end(struct page *p);

/* Writes a link to an address of the site. */
void page_link(struct page *p, const char *address, const char *text);

/* Writes an item of a list of links: a link and a text below it. */
void page_card(struct page *p, const char *address, const char *name, const char *text);

/* Adds an entry to the search index. */
void site_find(struct site *s, const char *name, const char *kind, const char *of,
               const char *address, const char *more);

/* Reserves a path for a page: `wanted`, or, if it is taken, `wanted` with a number before its
 * extension. */
const char *site_path(struct site *s, const char *wanted);

/* Makes a folder of the site and the folders that contain it. Returns false after reporting. */
bool site_folder(struct site *s, const char *path);

/* Writes the files that all pages use: style, search and its index. */
void site_assets(struct site *s);

#endif
