/* A device tree's blob and the index of its nodes: loading, lookup, properties. */
#include "runtime/machine/dt.h"

#include <libfdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/machine/file.h"

/* ---- life ------------------------------------------------------------------------------------ */

/* libfdt's own check follows null pointers in blobs older than version 16. */
static int check_blob(const void *blob, size_t len)
{
    if (len < sizeof(struct fdt_header))
        return -FDT_ERR_TRUNCATED;
    if (fdt_magic(blob) == FDT_MAGIC && fdt_version(blob) < 16)
        return -FDT_ERR_BADVERSION;
    return fdt_check_full(blob, len);
}

struct dt *dt_copy(const void *blob, size_t len, struct error *err)
{
    struct dt *dt;
    int code = check_blob(blob, len);

    if (code)
        return error_null(err, "not a sound device tree: %s", fdt_strerror(code));
    if (fdt_totalsize(blob) > DT_MAX_BLOB / 2)
        return error_null(err, "the device tree is larger than %u bytes", DT_MAX_BLOB / 2);
    dt = xcalloc(1, sizeof(*dt));
    dt->blob = xcalloc(1, DT_MAX_BLOB);
    code = fdt_open_into(blob, dt->blob, DT_MAX_BLOB);
    if (code) {
        dt_free(dt);
        return error_null(err, "not a sound device tree: %s", fdt_strerror(code));
    }
    return dt;
}

struct dt *dt_load(const char *path, struct error *err)
{
    struct file_bytes file;
    struct dt *dt;

    if (!file_read(path, DT_MAX_BLOB, &file, err))
        return NULL;
    dt = dt_copy(file.data, file.len, err);
    file_free(&file);
    if (!dt)
        error_prefix(err, "%s: ", path);
    return dt;
}

static void drop_index(struct dt *dt)
{
    for (unsigned i = 0; i < dt->count; i++)
        free((char *)(uintptr_t)dt->nodes[i].path);
    free(dt->nodes);
    dt->nodes = NULL;
    dt->count = 0;
}

void dt_free(struct dt *dt)
{
    if (!dt)
        return;
    drop_index(dt);
    free(dt->blob);
    free(dt);
}

size_t dt_size(const struct dt *dt)
{
    return fdt_totalsize(dt->blob);
}

/* ---- the index ------------------------------------------------------------------------------- */

static char *path_of(const struct dt_node *parent, const char *name)
{
    char *path = NULL;

    if (!parent)
        return xstrdup("/");
    if (asprintf(&path, "%s/%s", parent->parent ? parent->path : "", name) < 0)
        return xstrdup("?"); /* out of memory; the path is for messages only */
    return path;
}

static unsigned cells_property(const void *blob, int offset, const char *name, unsigned absent)
{
    int len;
    const void *cell = fdt_getprop(blob, offset, name, &len);

    return cell && len == 4 ? be32_get(cell) : absent;
}

static bool is_enabled(const void *blob, int offset)
{
    const char *status = fdt_getprop(blob, offset, "status", NULL);

    return !status || !strcmp(status, "okay") || !strcmp(status, "ok");
}

static void fill_node(struct dt *dt, struct dt_node *node, int offset, const struct dt_node *parent)
{
    node->offset = offset;
    node->parent = parent;
    node->name = fdt_get_name(dt->blob, offset, NULL);
    node->path = path_of(parent, node->name);
    node->phandle = fdt_get_phandle(dt->blob, offset);
    node->enabled = (!parent || parent->enabled) && is_enabled(dt->blob, offset);
    node->addr_cells = cells_property(dt->blob, offset, "#address-cells", 2);
    node->size_cells = cells_property(dt->blob, offset, "#size-cells", 1);
}

bool dt_index(struct dt *dt, struct error *err)
{
    const struct dt_node *above[DT_MAX_DEPTH + 1] = {NULL};
    unsigned count = 0, made = 0;
    int depth = 0;

    drop_index(dt);
    fdt_pack(dt->blob);
    for (int at = 0; at >= 0 && depth >= 0; at = fdt_next_node(dt->blob, at, &depth)) {
        if (depth >= DT_MAX_DEPTH)
            return error_set(err, "the device tree is nested deeper than %d", DT_MAX_DEPTH);
        if (++count > DT_MAX_NODES)
            return error_set(err, "the device tree has more than %u nodes", DT_MAX_NODES);
    }
    dt->nodes = xcalloc(count, sizeof(*dt->nodes));
    depth = 0;
    for (int at = 0; at >= 0 && depth >= 0 && made < count;
         at = fdt_next_node(dt->blob, at, &depth)) {
        struct dt_node *node = &dt->nodes[made++];

        fill_node(dt, node, at, depth ? above[depth - 1] : NULL);
        above[depth] = node;
        dt->count = made;
    }
    return true;
}

/* ---- nodes and properties -------------------------------------------------------------------- */

const struct dt_node *dt_by_phandle(const struct dt *dt, uint32_t phandle)
{
    for (unsigned i = 0; phandle && i < dt->count; i++) {
        if (dt->nodes[i].phandle == phandle)
            return &dt->nodes[i];
    }
    return NULL;
}

static const struct dt_node *by_offset(const struct dt *dt, int offset)
{
    for (unsigned i = 0; offset >= 0 && i < dt->count; i++) {
        if (dt->nodes[i].offset == offset)
            return &dt->nodes[i];
    }
    return NULL;
}

/* The full path of an alias. libfdt would follow an alias to itself without end. */
static const char *alias_path(const struct dt *dt, const char *name, size_t len)
{
    int at = fdt_path_offset(dt->blob, "/aliases");
    const char *path = at < 0 ? NULL : fdt_getprop_namelen(dt->blob, at, name, (int)len, NULL);

    return path && *path == '/' ? path : NULL;
}

const struct dt_node *dt_find(const struct dt *dt, const char *path)
{
    size_t len = strcspn(path, ":");

    if (*path != '/') {
        path = alias_path(dt, path, len);
        if (!path)
            return NULL;
        len = strlen(path);
    }
    return by_offset(dt, fdt_path_offset_namelen(dt->blob, path, (int)len));
}

const void *dt_prop(const struct dt *dt, const struct dt_node *node, const char *name, size_t *len)
{
    int n = 0;
    const void *bytes = fdt_getprop(dt->blob, node->offset, name, &n);

    if (len)
        *len = bytes && n > 0 ? (size_t)n : 0;
    return bytes;
}

bool dt_cell(const struct dt *dt, const struct dt_node *node, const char *name, unsigned index,
             uint32_t *value)
{
    size_t len;
    const uint8_t *bytes = dt_prop(dt, node, name, &len);

    if (!bytes || len / 4 <= index)
        return false;
    *value = be32_get(bytes + 4 * (size_t)index);
    return true;
}

const char *dt_string(const struct dt *dt, const struct dt_node *node, const char *name,
                      unsigned index)
{
    return fdt_stringlist_get(dt->blob, node->offset, name, (int)index, NULL);
}

const char *dt_next_string(const struct dt *dt, const struct dt_node *node, const char *name,
                           const char *after)
{
    size_t len;
    const char *bytes = dt_prop(dt, node, name, &len), *at = bytes;

    if (bytes && after)
        at = after + strlen(after) + 1;
    return bytes && memchr(at, 0, len - (size_t)(at - bytes)) ? at : NULL;
}

bool dt_compatible(const struct dt *dt, const struct dt_node *node, const char *compatible)
{
    return fdt_stringlist_search(dt->blob, node->offset, "compatible", compatible) >= 0;
}

bool dt_is_type(const struct dt *dt, const struct dt_node *node, const char *type)
{
    const char *have = dt_string(dt, node, "device_type", 0);

    return have && !strcmp(have, type);
}

const struct dt_node *dt_next_compatible(const struct dt *dt, const struct dt_node *after,
                                         const char *compatible)
{
    for (unsigned i = after ? (unsigned)(after - dt->nodes) + 1 : 0; i < dt->count; i++) {
        if (dt->nodes[i].enabled && dt_compatible(dt, &dt->nodes[i], compatible))
            return &dt->nodes[i];
    }
    return NULL;
}
