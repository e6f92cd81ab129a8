/*
 * A folder of static pages: its files, the frame that all pages have, what the search finds. Addresses
 * within the site are as from its folder; a page puts its own way up there before them.
 */
#ifndef GENCC_DOC_SITE_H
#define GENCC_DOC_SITE_H

#include "common/vec.h"
#include "gencc/doc/html.h"
#include "gencc/front/names.h"

#include <stdbool.h>

/* What the search knows of a thing. */
struct site_entry {
    const char *name, *kind, *of, *address, *more; /* more: further words that find it */
};

struct site {
    struct arena *a;
    const char *folder;
    bool failed; /* a file could not be written, which was reported */
    VEC(struct site_entry) entries;
    struct name_map paths; /* of the pages begun so far */
};

struct page {
    FILE *o;
    struct site *site;
    const char *path; /* from the site's folder */
    const char *up;   /* way from the page to the site's folder: "", "../", … */
};

/* A step of the way to a page, shown at its top. */
struct crumb {
    const char *name, *address;
};

/* Opens a page and writes all that stands before its content. The last step of the way is the page itself.
 * False after reporting. */
bool page_begin(struct page *p, struct site *s, const char *path, const char *title,
                const struct crumb *way, unsigned steps);
void page_end(struct page *p);

/* Writes a link to an address of the site. */
void page_link(struct page *p, const char *address, const char *text);

/* Makes something known to the search. */
void site_find(struct site *s, const char *name, const char *kind, const char *of,
               const char *address, const char *more);

/* `wanted` if no page has that path yet, else it with a number before its ending; taken from then on. */
const char *site_path(struct site *s, const char *wanted);

/* Makes a folder of the site, and those it is in. */
bool site_folder(struct site *s, const char *path);

/* Writes what all pages share: style, search and its index. */
void site_assets(struct site *s);

#endif
