/* Translates a node's addresses, interrupts and clocks to what the CPUs and controllers see. */
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/machine/dt.h"

#define MAX_HOPS 32 /* most interrupt maps or clocks that are followed: the tree may have a loop */

/* The unread cells of a property. */
struct cells {
    const uint8_t *at;
    size_t left; /* cells */
};

static struct cells cells_of(const struct dt *dt, const struct dt_node *node, const char *name)
{
    size_t len;
    const uint8_t *bytes = dt_prop(dt, node, name, &len);

    return (struct cells){bytes, len / 4};
}

/* Reads a number of `count` cells, of which the lowest two are used; false: too few are left. */
static bool take_cells(struct cells *c, unsigned count, uint64_t *value)
{
    *value = 0;
    if (c->left < count)
        return false;
    for (; count; count--, c->at += 4, c->left--)
        *value = *value << 32 | be32_get(c->at);
    return true;
}

static bool take_array(struct cells *c, unsigned count, uint32_t *out)
{
    uint64_t value;

    for (unsigned i = 0; i < count; i++) {
        if (!take_cells(c, 1, &value))
            return false;
        out[i] = (uint32_t)value;
    }
    return true;
}

static unsigned cell_count(const struct dt *dt, const struct dt_node *node, const char *name,
                           unsigned absent)
{
    uint32_t value = absent;

    dt_cell(dt, node, name, 0, &value);
    return value;
}

/* ---- addresses ------------------------------------------------------------------------------- */

/*
 * Translates an address of the children of `bus` to an address of the bus's parent. PCI addresses
 * are not mapped: they have three cells, of which the first is not part of the number.
 */
static bool map_up(const struct dt *dt, const struct dt_node *bus, uint64_t *address, uint64_t size)
{
    struct cells ranges = cells_of(dt, bus, "ranges");
    unsigned up;

    if (!ranges.at || bus->addr_cells > 2)
        return false;
    if (!ranges.left)
        return true; /* empty: the same addresses */
    up = bus->parent->addr_cells;
    while (ranges.left) {
        uint64_t child, parent, len;

        if (!take_cells(&ranges, bus->addr_cells, &child) || !take_cells(&ranges, up, &parent) ||
            !take_cells(&ranges, bus->size_cells, &len))
            return false;
        if (*address >= child && *address - child < len && size <= len - (*address - child)) {
            *address = *address - child + parent;
            return true;
        }
    }
    return false;
}

static bool raw_reg(const struct dt *dt, const struct dt_node *node, unsigned index,
                    uint64_t *address, uint64_t *size)
{
    struct cells reg = cells_of(dt, node, "reg");
    const struct dt_node *bus = node->parent;

    if (!reg.at || !bus || bus->addr_cells > 3 || bus->size_cells > 2 || !bus->addr_cells)
        return false;
    for (unsigned i = 0; i <= index; i++) {
        if (!take_cells(&reg, bus->addr_cells, address) || !take_cells(&reg, bus->size_cells, size))
            return false;
    }
    return true;
}

bool dt_raw_address(const struct dt *dt, const struct dt_node *node, unsigned index,
                    uint64_t *address)
{
    uint64_t size;

    return raw_reg(dt, node, index, address, &size);
}

bool dt_reg(const struct dt *dt, const struct dt_node *node, unsigned index, uint64_t *base,
            uint64_t *size)
{
    if (!raw_reg(dt, node, index, base, size) || node->parent->addr_cells > 2 || !*size)
        return false;
    for (const struct dt_node *bus = node->parent; bus->parent; bus = bus->parent) {
        if (!map_up(dt, bus, base, *size))
            return false;
    }
    return *base + *size - 1 >= *base;
}

/* ---- interrupts ------------------------------------------------------------------------------ */

const struct dt_node *dt_interrupt_parent(const struct dt *dt, const struct dt_node *node)
{
    const struct dt_node *p = node;

    for (unsigned hops = 0; hops < MAX_HOPS; hops++) {
        uint32_t phandle;

        p = dt_cell(dt, p, "interrupt-parent", 0, &phandle) ? dt_by_phandle(dt, phandle)
                                                            : p->parent;
        if (!p || dt_prop(dt, p, "#interrupt-cells", NULL))
            return p;
    }
    return NULL;
}

/* The device's address cells and the interrupt specifier, which an interrupt map compares. */
struct unit {
    unsigned addr_count;
    uint32_t addr[DT_MAX_CELLS];
    struct dt_interrupt irq;
};

static bool entry_matches(const struct unit *u, const uint32_t *entry, const struct dt *dt,
                          const struct dt_node *nexus)
{
    struct cells mask = cells_of(dt, nexus, "interrupt-map-mask");

    for (unsigned i = 0; i < u->addr_count + u->irq.count; i++) {
        uint32_t have = i < u->addr_count ? u->addr[i] : u->irq.cells[i - u->addr_count];
        uint64_t bits = UINT32_MAX;

        if (mask.at && mask.left && !take_cells(&mask, 1, &bits))
            return false;
        if ((have ^ entry[i]) & (uint32_t)bits)
            return false;
    }
    return true;
}

/* Section 2.4.3: replaces the interrupt by its entry in the nexus's interrupt-map. */
static bool map_interrupt(const struct dt *dt, struct unit *u)
{
    const struct dt_node *nexus = u->irq.controller;
    struct cells map = cells_of(dt, nexus, "interrupt-map");

    while (map.left) {
        uint32_t entry[2 * DT_MAX_CELLS];
        struct unit up = {0};
        uint64_t phandle;

        if (!take_array(&map, u->addr_count + u->irq.count, entry) ||
            !take_cells(&map, 1, &phandle))
            return false;
        up.irq.controller = dt_by_phandle(dt, (uint32_t)phandle);
        if (!up.irq.controller)
            return false;
        up.addr_count = cell_count(dt, up.irq.controller, "#address-cells", 0);
        up.irq.count = cell_count(dt, up.irq.controller, "#interrupt-cells", 0);
        if (up.addr_count > DT_MAX_CELLS || up.irq.count > DT_MAX_CELLS ||
            !take_array(&map, up.addr_count, up.addr) ||
            !take_array(&map, up.irq.count, up.irq.cells))
            return false;
        if (entry_matches(u, entry, dt, nexus)) {
            *u = up;
            return true;
        }
    }
    return false;
}

/* The node's own specifier, not translated, and its interrupt parent. */
static bool own_interrupt(const struct dt *dt, const struct dt_node *node, unsigned index,
                          struct dt_interrupt *out)
{
    struct cells list = cells_of(dt, node, "interrupts-extended");
    bool extended = list.at;

    if (!extended) {
        list = cells_of(dt, node, "interrupts");
        out->controller = dt_interrupt_parent(dt, node);
    }
    for (unsigned i = 0; i <= index; i++) {
        uint64_t phandle;

        if (extended) {
            if (!take_cells(&list, 1, &phandle))
                return false;
            out->controller = dt_by_phandle(dt, (uint32_t)phandle);
        }
        if (!out->controller)
            return false;
        out->count = cell_count(dt, out->controller, "#interrupt-cells", 0);
        if (!out->count || out->count > DT_MAX_CELLS || !take_array(&list, out->count, out->cells))
            return false;
    }
    return true;
}

bool dt_interrupt(const struct dt *dt, const struct dt_node *node, unsigned index,
                  struct dt_interrupt *out)
{
    struct unit u = {0};
    struct cells reg = cells_of(dt, node, "reg");

    if (!own_interrupt(dt, node, index, &u.irq))
        return false;
    for (unsigned hops = 0; hops < MAX_HOPS; hops++) {
        if (dt_prop(dt, u.irq.controller, "interrupt-controller", NULL)) {
            *out = u.irq;
            return true;
        }
        if (!hops) {
            u.addr_count = cell_count(dt, u.irq.controller, "#address-cells", 0);
            if (u.addr_count > DT_MAX_CELLS)
                return false;
            if (!take_array(&reg, u.addr_count, u.addr))
                memset(u.addr, 0, sizeof(u.addr)); /* a device without an address */
        }
        if (!map_interrupt(dt, &u))
            return false;
    }
    return false;
}

/* ---- clocks ---------------------------------------------------------------------------------- */

struct clock_ref {
    const struct dt_node *provider;
    uint32_t cell; /* the first specifier cell, or 0 */
};

/* The `index`-th reference of a list of provider phandles with specifiers. */
static bool clock_ref(const struct dt *dt, const struct dt_node *node, const char *list,
                      unsigned index, struct clock_ref *out)
{
    struct cells c = cells_of(dt, node, list);

    for (unsigned i = 0; i <= index; i++) {
        uint32_t spec[DT_MAX_CELLS] = {0};
        uint64_t phandle;
        unsigned count;

        if (!take_cells(&c, 1, &phandle))
            return false;
        out->provider = dt_by_phandle(dt, (uint32_t)phandle);
        count = out->provider ? cell_count(dt, out->provider, "#clock-cells", 0) : 0;
        if (count > DT_MAX_CELLS || !take_array(&c, count, spec))
            return false;
        out->cell = spec[0];
    }
    return true;
}

/* Replaces a reference to an output of a clock selector by the output's parent, if the selector's
 * node assigns one (Juno's SP810). */
static bool assigned_parent(const struct dt *dt, struct clock_ref *ref)
{
    struct clock_ref output, parent;

    for (unsigned i = 0; clock_ref(dt, ref->provider, "assigned-clocks", i, &output); i++) {
        if (output.provider == ref->provider && output.cell == ref->cell &&
            clock_ref(dt, ref->provider, "assigned-clock-parents", i, &parent)) {
            *ref = parent;
            return true;
        }
    }
    return false;
}

bool dt_clock(const struct dt *dt, const struct dt_node *node, unsigned index, uint64_t *hz)
{
    uint64_t mult = 1, div = 1;
    struct clock_ref ref;

    *hz = 0;
    if (!clock_ref(dt, node, "clocks", index, &ref))
        return false;
    for (unsigned hops = 0; hops < MAX_HOPS && ref.provider; hops++) {
        uint32_t value;

        if (dt_compatible(dt, ref.provider, "fixed-clock")) {
            if (dt_cell(dt, ref.provider, "clock-frequency", 0, &value) && div)
                *hz = (uint64_t)((unsigned __int128)value * mult / div);
            return true;
        }
        if (dt_compatible(dt, ref.provider, "fixed-factor-clock")) {
            mult *= dt_cell(dt, ref.provider, "clock-mult", 0, &value) ? value : 1;
            div *= dt_cell(dt, ref.provider, "clock-div", 0, &value) ? value : 1;
            if (!clock_ref(dt, ref.provider, "clocks", 0, &ref))
                return true;
        } else if (!assigned_parent(dt, &ref)) {
            return true;
        }
    }
    return true;
}
