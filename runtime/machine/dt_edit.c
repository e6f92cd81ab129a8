/* Edits of a device tree's blob, by libfdt. */
#include "runtime/machine/dt_edit.h"

#include <inttypes.h>
#include <libfdt.h>
#include <stdio.h>
#include <string.h>

static bool fail_edit(struct error *err, const char *what, int code)
{
    return error_set(err, "the device tree cannot take %s: %s", what, fdt_strerror(code));
}

/* Gives the blob room for an edit, since dt_index() has packed it. */
static bool open_blob(struct dt *dt, struct error *err)
{
    int code = fdt_open_into(dt->blob, dt->blob, DT_MAX_BLOB);

    return code ? fail_edit(err, "an edit", code) : true;
}

bool dt_set_string(struct dt *dt, const char *path, const char *name, const char *value,
                   struct error *err)
{
    int code = -FDT_ERR_NOTFOUND;

    if (!open_blob(dt, err))
        return false;
    code = fdt_path_offset(dt->blob, path);
    if (code >= 0)
        code = fdt_setprop_string(dt->blob, code, name, value);
    return code ? fail_edit(err, path, code) : true;
}

bool dt_set_cell(struct dt *dt, const char *path, const char *name, uint32_t value,
                 struct error *err)
{
    int code;

    if (!open_blob(dt, err))
        return false;
    code = fdt_path_offset(dt->blob, path);
    if (code >= 0)
        code = fdt_setprop_u32(dt->blob, code, name, value);
    return code ? fail_edit(err, path, code) : true;
}

bool dt_set_status(struct dt *dt, const char *path, const char *status, struct error *err)
{
    return dt_set_string(dt, path, "status", status, err);
}

bool dt_remove(struct dt *dt, const char *path, struct error *err)
{
    int code = fdt_path_offset(dt->blob, path);

    if (code >= 0)
        code = fdt_del_node(dt->blob, code);
    return code ? fail_edit(err, path, code) : true;
}

/* From the last node to the first, since an edit moves all later nodes of the blob. */
bool dt_set_status_of(struct dt *dt, const dt_node_list *nodes, const char *status,
                      struct error *err)
{
    int code = 0;

    if (!nodes->len)
        return true;
    if (!open_blob(dt, err))
        return false;
    for (size_t n = nodes->len; !code && n-- > 0;)
        code = fdt_setprop_string(dt->blob, nodes->data[n]->offset, "status", status);
    return code ? fail_edit(err, "a status", code) : dt_index(dt, err);
}

bool dt_remove_nodes(struct dt *dt, const dt_node_list *nodes, struct error *err)
{
    int code = 0;

    if (!nodes->len)
        return true;
    for (size_t n = nodes->len; !code && n-- > 0;)
        code = fdt_del_node(dt->blob, nodes->data[n]->offset);
    return code ? fail_edit(err, "an edit", code) : dt_index(dt, err);
}

/* ---- operating points ------------------------------------------------------------------------ */

static int add_point(void *blob, int table, const struct dt_operating_point *p)
{
    char name[40];
    int node, code;

    snprintf(name, sizeof(name), "opp-%" PRIu64, p->hz);
    node = fdt_add_subnode(blob, table, name);
    if (node < 0)
        return node;
    code = fdt_setprop_u64(blob, node, "opp-hz", p->hz);
    code = code ? code : fdt_setprop_u32(blob, node, "opp-microvolt", p->microvolt);
    return code ? code : fdt_setprop_u32(blob, node, "opp-microwatt", p->microwatt);
}

/* Adds a table behind the root's nodes. Returns an error of libfdt, and its phandle. */
static int add_table(void *blob, const struct dt_operating_point *points, unsigned count,
                     uint32_t *phandle)
{
    int code = fdt_generate_phandle(blob, phandle), table;

    table = code ? code : fdt_add_subnode(blob, 0, "opp-table-gpu");
    if (table < 0)
        return table;
    code = fdt_setprop_string(blob, table, "compatible", "operating-points-v2");
    code = code ? code : fdt_setprop_u32(blob, table, "phandle", *phandle);
    /* fdt_add_subnode() puts a node before its siblings: the slowest is added last. */
    for (unsigned i = count; !code && i-- > 0;)
        code = add_point(blob, table, &points[i]);
    return code;
}

bool dt_add_operating_points(struct dt *dt, const char *path,
                             const struct dt_operating_point *points, unsigned count,
                             struct error *err)
{
    uint32_t phandle;
    char node[1024];
    int code;

    snprintf(node, sizeof(node), "%s", path); /* an edit moves the index's text */
    if (!open_blob(dt, err))
        return false;
    code = add_table(dt->blob, points, count, &phandle);
    if (code)
        return fail_edit(err, "operating points", code);
    return dt_set_cell(dt, node, "operating-points-v2", phandle, err) &&
           dt_set_cell(dt, node, "#cooling-cells", 2, err) && dt_index(dt, err);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static int next_memory(const void *blob, int after)
{
    return fdt_node_offset_by_prop_value(blob, after, "device_type", "memory", sizeof("memory"));
}

static void put_cells(uint8_t **at, unsigned cells, uint64_t value)
{
    for (unsigned i = 0; i < cells; i++) {
        uint64_t shifted = value >> 32 * (cells - 1 - i);
        fdt32_t cell = cpu_to_fdt32((uint32_t)shifted);

        memcpy(*at, &cell, sizeof(cell));
        *at += sizeof(cell);
    }
}

static int set_banks(void *blob, int node, const struct dt_bank *banks, unsigned count)
{
    uint8_t reg[256], *at = reg;
    int addr = fdt_address_cells(blob, 0), size = fdt_size_cells(blob, 0);

    if (addr < 1 || addr > 2 || size < 1 || size > 2 || count > sizeof(reg) / 16)
        return -FDT_ERR_BADNCELLS;
    for (unsigned i = 0; i < count; i++) {
        if ((addr == 1 && banks[i].base >> 32) || (size == 1 && banks[i].size >> 32))
            return -FDT_ERR_BADNCELLS;
        put_cells(&at, (unsigned)addr, banks[i].base);
        put_cells(&at, (unsigned)size, banks[i].size);
    }
    return fdt_setprop(blob, node, "reg", reg, (int)(at - reg));
}

bool dt_set_memory(struct dt *dt, const struct dt_bank *banks, unsigned count, struct error *err)
{
    int node, other, code;

    if (!open_blob(dt, err))
        return false;
    node = next_memory(dt->blob, -1);
    if (node < 0)
        return fail_edit(err, "memory", node);
    while ((other = next_memory(dt->blob, node)) >= 0) {
        code = fdt_del_node(dt->blob, other);
        if (code)
            return fail_edit(err, "memory", code);
    }
    code = set_banks(dt->blob, node, banks, count);
    return code ? fail_edit(err, "memory", code) : true;
}

/* ---- chosen ---------------------------------------------------------------------------------- */

static int set_chosen(void *blob, const struct dt_chosen *chosen)
{
    int node = fdt_path_offset(blob, "/chosen"), code = 0;

    if (node == -FDT_ERR_NOTFOUND)
        node = fdt_add_subnode(blob, 0, "chosen");
    if (node < 0)
        return node;
    if (chosen->bootargs)
        code = fdt_setprop_string(blob, node, "bootargs", chosen->bootargs);
    if (!code && chosen->initrd_end > chosen->initrd_start) {
        code = fdt_setprop_u64(blob, node, "linux,initrd-start", chosen->initrd_start);
        if (!code)
            code = fdt_setprop_u64(blob, node, "linux,initrd-end", chosen->initrd_end);
    }
    if (!code && chosen->rng_seed)
        code = fdt_setprop(blob, node, "rng-seed", chosen->rng_seed, (int)chosen->rng_seed_len);
    if (!code && chosen->kaslr_seed)
        code = fdt_setprop(blob, node, "kaslr-seed", chosen->kaslr_seed, 8);
    return code;
}

bool dt_set_chosen(struct dt *dt, const struct dt_chosen *chosen, struct error *err)
{
    int code;

    if (!open_blob(dt, err))
        return false;
    code = set_chosen(dt->blob, chosen);
    return code ? fail_edit(err, "/chosen", code) : true;
}
