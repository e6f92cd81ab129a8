/* Reading the parents of snapshots, and merging a parent into its children. */
#include "runtime/machine/snapshot_chain.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/disk.h"
#include "runtime/machine/snapshot_units.h"
#include "runtime/mem/bus.h"

enum {
    LINK_BYTES = 16, /* of the section, before the parent's name */
    DISKS = 256,     /* most disks whose clusters are merged */
};

/* ---- names ----------------------------------------------------------------------------------- */

bool snapshot_name_is_valid(const char *name)
{
    size_t len = strlen(name);

    return len && len <= SNAPSHOT_NAME_LENGTH && *name != '.' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789-_.") == len;
}

bool snapshot_path(const char *folder, const char *name, char path[4000], struct error *err)
{
    if (!snapshot_name_is_valid(name))
        return error_set(err, "a snapshot's name has letters, digits, '-', '_' and '.', at most %d",
                         SNAPSHOT_NAME_LENGTH);
    if (snprintf(path, 4000, "%s/%s" SNAPSHOT_SUFFIX, folder, name) >= 4000)
        return error_set(err, "the snapshot's name is too long");
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool snapshot_for_each(const char *folder, bool (*fn)(void *opaque, const char *name), void *opaque,
                       struct error *err)
{
    DIR *dir = opendir(folder);
    VEC(char *) names = {0};
    struct dirent *e;
    bool ok = true;

    if (!dir)
        return error_set(err, "%s: %s", folder, strerror(errno));
    while ((e = readdir(dir)) != NULL) {
        size_t len = strlen(e->d_name), end = strlen(SNAPSHOT_SUFFIX);

        if (len > end && !strcmp(e->d_name + len - end, SNAPSHOT_SUFFIX))
            vec_push(&names, strndup(e->d_name, len - end));
    }
    closedir(dir);
    if (names.len)
        qsort(names.data, names.len, sizeof(*names.data), compare_names);
    vec_for_each (&names, name) {
        ok = ok && (!snapshot_name_is_valid(*name) || fn(opaque, *name));
        free(*name);
    }
    vec_free(&names);
    return ok;
}

/* ---- the section "chain" --------------------------------------------------------------------- */

bool snapshot_identify(struct snapshot_writer *w, uint64_t *identity, struct error *err)
{
    uint64_t hash = HASH_START;

    if (!snapshot_finish(w, err))
        return false;
    vec_for_each (&w->parts, part) {
        hash = hash_more(hash, part->name, strlen(part->name));
        hash = hash_more(hash, &part->size, sizeof(part->size));
        hash = hash_more(hash, &part->sum, sizeof(part->sum));
    }
    *identity = hash;
    return true;
}

bool snapshot_put_link(struct snapshot_writer *w, const struct snapshot_link *link,
                       struct error *err)
{
    uint8_t bytes[LINK_BYTES + SNAPSHOT_NAME_LENGTH];
    size_t len = strlen(link->parent);

    le_put(bytes, 8, link->identity);
    le_put(bytes + 8, 8, link->parent_identity);
    memcpy(bytes + LINK_BYTES, link->parent, len);
    return snapshot_add(w, "chain", bytes, LINK_BYTES + len, err);
}

bool snapshot_link_of(const struct snapshot_reader *r, struct snapshot_link *link,
                      struct error *err)
{
    const struct snapshot_part *part = snapshot_find(r, "chain");
    uint8_t *bytes;
    size_t len;
    bool ok = false;

    *link = (struct snapshot_link){0};
    if (!part)
        return error_set(err, "the snapshot has no section 'chain'");
    bytes = snapshot_read(part, err);
    if (!bytes)
        return false;
    len = part->size - LINK_BYTES;
    if (part->size >= LINK_BYTES && len <= SNAPSHOT_NAME_LENGTH) {
        link->identity = le_get(bytes, 8);
        link->parent_identity = le_get(bytes + 8, 8);
        memcpy(link->parent, bytes + LINK_BYTES, len);
        ok = !len || (strlen(link->parent) == len && snapshot_name_is_valid(link->parent));
    }
    free(bytes);
    return ok || error_set(err, "the snapshot's section 'chain' is damaged");
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* Opens the file, and checks that its identity is the one that its child names. */
static bool open_link(struct snapshot_reader *r, const char *folder, struct snapshot_link *link,
                      bool is_parent, struct error *err)
{
    const struct snapshot_link child = *link;
    char path[4000];

    if (!snapshot_path(folder, child.parent, path, err) || !snapshot_open(r, path, err))
        return false;
    if (snapshot_link_of(r, link, err) &&
        (!is_parent || link->identity == child.parent_identity ||
         error_set(err, "not the snapshot from which its child was made")))
        return true;
    error_prefix(err, "%s: ", path);
    snapshot_close(r);
    return false;
}

bool snapshot_chain_open(struct snapshot_chain *c, const char *folder, const char *name,
                         struct error *err)
{
    struct snapshot_link link = {0};

    c->count = 0;
    if (!snapshot_name_is_valid(name)) {
        char path[4000];

        return snapshot_path(folder, name, path, err);
    }
    snprintf(link.parent, sizeof(link.parent), "%s", name);
    while (*link.parent) {
        if (c->count < SNAPSHOT_CHAIN &&
            open_link(&c->file[c->count], folder, &link, c->count, err)) {
            c->count++;
            continue;
        }
        if (c->count == SNAPSHOT_CHAIN)
            error_set(err, "%s: more than %d snapshots in a chain", name, SNAPSHOT_CHAIN);
        else if (c->count)
            error_prefix(err, "a parent of %s: ", name);
        snapshot_chain_close(c);
        return false;
    }
    return true;
}

void snapshot_chain_close(struct snapshot_chain *c)
{
    while (c->count)
        snapshot_close(&c->file[--c->count]);
}

/* Reads the section "chain" of a file. */
static bool peek_link(const char *folder, const char *name, struct snapshot_link *link)
{
    struct snapshot_reader r;
    char path[4000];
    bool ok;

    if (!snapshot_path(folder, name, path, NULL) || !snapshot_peek(&r, path, NULL))
        return false;
    ok = snapshot_link_of(&r, link, NULL);
    snapshot_close(&r);
    return ok;
}

unsigned snapshot_chain_length(const char *folder, const char *name, uint64_t identity)
{
    struct snapshot_link link = {.parent_identity = identity};
    unsigned length = 0;

    snprintf(link.parent, sizeof(link.parent), "%s", name);
    while (*link.parent) {
        const struct snapshot_link child = link;

        if (length == SNAPSHOT_CHAIN || !peek_link(folder, child.parent, &link) ||
            link.identity != child.parent_identity)
            return 0;
        length++;
    }
    return length;
}

/* ---- merging --------------------------------------------------------------------------------- */

/* A parent that is being merged into a child. */
struct merge {
    const struct snapshot_reader *parent, *child;
    struct snapshot_writer w;
    VEC(uint64_t) own;   /* numbers of the child's units, sorted */
    VEC(uint8_t *) kept; /* units that are not in a section yet */
    struct unit_writer units;
    struct error *err;
};

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static bool note_own(void *opaque, uint64_t index, const uint8_t *bytes)
{
    struct merge *g = opaque;

    (void)bytes;
    vec_push(&g->own, index);
    return true;
}

/* Frees the units that are in a section by now. */
static void forget_kept(struct merge *g)
{
    vec_for_each (&g->kept, bytes)
        free(*bytes);
    g->kept.len = 0;
}

/* Adds a unit of the parent that the child does not have. */
static bool add_missing(void *opaque, uint64_t index, const uint8_t *bytes)
{
    struct merge *g = opaque;
    unsigned section = g->units.number;
    uint8_t *copy = NULL;
    bool ok;

    if (g->own.len &&
        bsearch(&index, g->own.data, g->own.len, sizeof(*g->own.data), compare_numbers))
        return true;
    if (bytes)
        copy = memcpy(xcalloc(1, g->units.unit), bytes, g->units.unit);
    ok = unit_writer_add(&g->units, index, copy, g->err);
    if (g->units.number != section)
        forget_kept(g);
    if (copy)
        vec_push(&g->kept, copy);
    return ok;
}

static unsigned sections_of(const struct snapshot_reader *r, const char *prefix)
{
    unsigned count = 0;

    for (size_t i = 0; i < r->count; i++)
        count += unit_section_is(&r->parts[i], prefix);
    return count;
}

static bool merge_units(struct merge *g, const char *prefix, size_t unit)
{
    const struct unit_reading own = {g->child, prefix, unit, 1, note_own, g};
    const struct unit_reading inherited = {g->parent, prefix, unit, 1, add_missing, g};
    bool ok;

    g->own.len = 0;
    if (!unit_read_all(&own, g->err))
        return false;
    if (g->own.len)
        qsort(g->own.data, g->own.len, sizeof(*g->own.data), compare_numbers);
    unit_writer_open(&g->units, &g->w, prefix, unit);
    g->units.number = sections_of(g->child, prefix);
    ok = unit_read_all(&inherited, g->err);
    ok = unit_writer_close(&g->units, ok, g->err);
    forget_kept(g);
    return ok;
}

static bool copy_sections(struct merge *g)
{
    for (size_t i = 0; i < g->child->count; i++) {
        const struct snapshot_part *part = &g->child->parts[i];

        if (strcmp(part->name, "chain") != 0 && !snapshot_copy(&g->w, part, g->err))
            return false;
    }
    return true;
}

static bool merge_all(struct merge *g, const struct snapshot_link *link)
{
    char prefix[SNAPSHOT_NAME];

    if (!copy_sections(g) || !merge_units(g, "ram", BUS_PAGE_SIZE))
        return false;
    for (unsigned n = 0; n < DISKS; n++) {
        snprintf(prefix, sizeof(prefix), "disk%u", n);
        if (sections_of(g->parent, prefix) && !merge_units(g, prefix, DISK_CLUSTER))
            return false;
    }
    return snapshot_put_link(&g->w, link, g->err);
}

/* Rewrites the child as one of the parent's parent. */
static bool merge_into(const char *folder, const char *name, const char *child, struct error *err)
{
    struct snapshot_reader own, parent;
    struct snapshot_link link, above;
    struct merge g = {.parent = &parent, .child = &own, .err = err};
    char path[4000], parent_path[4000];
    bool ok;

    if (!snapshot_path(folder, child, path, err) ||
        !snapshot_path(folder, name, parent_path, err) || !snapshot_open(&own, path, err))
        return false;
    if (!snapshot_open(&parent, parent_path, err)) {
        snapshot_close(&own);
        return false;
    }
    ok = snapshot_link_of(&own, &link, err) && snapshot_link_of(&parent, &above, err);
    link.parent_identity = above.parent_identity;
    memcpy(link.parent, above.parent, sizeof(link.parent));
    ok = ok && merge_all(&g, &link) && snapshot_write(&g.w, path, err);
    snapshot_writer_free(&g.w);
    vec_free(&g.own);
    vec_free(&g.kept);
    snapshot_close(&parent);
    snapshot_close(&own);
    return ok;
}

struct release {
    const char *folder, *name;
    uint64_t identity;
    struct error *err;
};

static bool release_from(void *opaque, const char *child)
{
    const struct release *r = opaque;
    struct snapshot_link link;

    if (!peek_link(r->folder, child, &link) || strcmp(link.parent, r->name) != 0 ||
        link.parent_identity != r->identity)
        return true;
    if (merge_into(r->folder, r->name, child, r->err))
        return true;
    error_prefix(r->err, "%s, made from %s: ", child, r->name);
    return false;
}

bool snapshot_release(const char *folder, const char *name, struct error *err)
{
    struct release r = {.folder = folder, .name = name, .err = err};
    struct snapshot_link link;

    if (!peek_link(folder, name, &link))
        return true; /* nothing that could have children */
    r.identity = link.identity;
    return snapshot_for_each(folder, release_from, &r, err);
}
