/*
 * Merges an overlay into a board's tree, and checks its references. libfdt renumbers the overlay's
 * phandles, so that they differ from the board's. dtc lists the references of a /plugin/: those to
 * its own phandles in /__local_fixups__, and those to labels outside the overlay in /__fixups__. A
 * board's tree has no labels: /gencc/labels gives the path per label.
 */
#include <libfdt.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/machine/dt_edit.h"

#define LOCAL_FIXUPS "/__local_fixups__"
#define FIXUPS       "/__fixups__"
#define SYMBOLS      "/__symbols__"
#define LABELS       "/gencc/labels"

static bool fail_overlay(struct error *err, int code)
{
    return error_set(err, "the device tree cannot take the overlay: %s", fdt_strerror(code));
}

/* Whether the node becomes part of the board's tree. */
static bool is_merged(const struct dt *overlay, const struct dt_node *node)
{
    while (node && !dt_prop(overlay, node, "target-path", NULL) &&
           !dt_prop(overlay, node, "target", NULL))
        node = node->parent;
    return node != NULL;
}

/* ---- references to nodes of the overlay ------------------------------------------------------ */

/* A reference from a merged node must refer to a merged node. */
static bool check_cell(const struct dt *overlay, const struct dt_node *node, const char *property,
                       uint32_t offset, struct error *err)
{
    const struct dt_node *target;
    uint32_t phandle;

    if (offset % 4 || !dt_cell(overlay, node, property, offset / 4, &phandle))
        return true; /* libfdt reports the error */
    target = dt_by_phandle(overlay, phandle);
    return (target && is_merged(overlay, target)) ||
           error_set(err, "the overlay's %s/%s refers to a node that is not merged", node->path,
                     property);
}

static bool check_fixups_of(const struct dt *overlay, const struct dt_node *fixups,
                            struct error *err)
{
    const struct dt_node *node = dt_find(overlay, fixups->path + strlen(LOCAL_FIXUPS));
    int property;

    if (!node || !is_merged(overlay, node))
        return true;
    fdt_for_each_property_offset(property, overlay->blob, fixups->offset)
    {
        const char *name = NULL;
        uint32_t offset;

        fdt_getprop_by_offset(overlay->blob, property, &name, NULL);
        for (unsigned i = 0; name && dt_cell(overlay, fixups, name, i, &offset); i++) {
            if (!check_cell(overlay, node, name, offset, err))
                return false;
        }
    }
    return true;
}

static bool check_references(const struct dt *overlay, struct error *err)
{
    bool listed = dt_find(overlay, LOCAL_FIXUPS) != NULL;

    for (unsigned n = 0; n < overlay->count; n++) {
        const struct dt_node *node = &overlay->nodes[n];

        if (!listed && node->phandle && is_merged(overlay, node))
            return error_set(err,
                             "the overlay refers to its %s, but its source is no /plugin/: the "
                             "reference would be to another node of the board",
                             node->path);
        if (listed && !strncmp(node->path, LOCAL_FIXUPS "/", strlen(LOCAL_FIXUPS) + 1) &&
            !check_fixups_of(overlay, node, err))
            return false;
    }
    return true;
}

/* ---- references to labels of the board ------------------------------------------------------- */

/* Gives the board's node a phandle if it has none. */
static int need_phandle(void *blob, const char *path)
{
    int node = fdt_path_offset(blob, path);
    uint32_t phandle;
    int code;

    if (node < 0 || fdt_get_phandle(blob, node))
        return node < 0 ? node : 0;
    code = fdt_generate_phandle(blob, &phandle);
    return code ? code : fdt_setprop_u32(blob, node, "phandle", phandle);
}

/* Names the node in /__symbols__, where libfdt looks for labels. */
static int add_symbol(void *blob, const char *label, const char *path)
{
    int code = need_phandle(blob, path), node;

    if (code)
        return code;
    node = fdt_path_offset(blob, SYMBOLS);
    if (node < 0)
        node = fdt_add_subnode(blob, 0, SYMBOLS + 1);
    return node < 0 ? node : fdt_setprop_string(blob, node, label, path);
}

/* Adds the symbol of a label, unless the board's tree has it. */
static bool add_label(struct dt *dt, const struct dt *overlay, const char *label, struct error *err)
{
    const struct dt_node *labels = dt_find(overlay, LABELS);
    const char *path = labels ? dt_string(overlay, labels, label, 0) : NULL;
    int symbols = fdt_path_offset(dt->blob, SYMBOLS), code;

    if (symbols >= 0 && fdt_getprop(dt->blob, symbols, label, NULL))
        return true;
    if (!path)
        return error_set(err,
                         "the overlay refers to '%s', which it has not: " LABELS
                         " must tell the node of the board",
                         label);
    code = add_symbol(dt->blob, label, path);
    return !code ||
           error_set(err, "the overlay's label '%s', %s: %s", label, path,
                     code == -FDT_ERR_NOTFOUND ? "the board has no such node" : fdt_strerror(code));
}

static bool add_labels(struct dt *dt, const struct dt *overlay, struct error *err)
{
    const struct dt_node *fixups = dt_find(overlay, FIXUPS);
    int property;

    if (!fixups)
        return true;
    fdt_for_each_property_offset(property, overlay->blob, fixups->offset)
    {
        const char *label = NULL;

        fdt_getprop_by_offset(overlay->blob, property, &label, NULL);
        if (label && !add_label(dt, overlay, label, err))
            return false;
    }
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool apply_overlay(struct dt *dt, struct dt *overlay, struct error *err)
{
    int code = fdt_open_into(dt->blob, dt->blob, DT_MAX_BLOB), symbols;
    bool had = !code && fdt_path_offset(dt->blob, SYMBOLS) >= 0;

    if (code)
        return fail_overlay(err, code);
    if (!check_references(overlay, err) || !add_labels(dt, overlay, err))
        return false;
    code = fdt_overlay_apply(dt->blob, overlay->blob);
    symbols = code || had ? -1 : fdt_path_offset(dt->blob, SYMBOLS);
    if (symbols >= 0)
        code = fdt_del_node(dt->blob, symbols);
    return code ? fail_overlay(err, code) : true;
}

bool dt_overlay(struct dt *dt, const void *overlay, size_t len, struct error *err)
{
    struct dt *copy = dt_copy(overlay, len, err);
    bool ok;

    if (!copy)
        return false;
    ok = dt_index(copy, err) && apply_overlay(dt, copy, err);
    dt_free(copy);
    return ok;
}
