/*
 * Device trees: indexed, then each node is read in every way that the machine uses.
 */
#include "runtime/machine/dt.h"
#include "tests/fuzz/fuzz.h"

static void read_node(const struct dt *dt, const struct dt_node *node)
{
    struct dt_interrupt interrupt;
    uint64_t base, size;
    uint32_t cell;

    for (unsigned i = 0; i < 4; i++) {
        dt_reg(dt, node, i, &base, &size);
        dt_cell(dt, node, "reg", i, &cell);
        dt_clock(dt, node, i, &base);
        dt_string(dt, node, "compatible", i);
        dt_interrupt(dt, node, i, &interrupt);
    }
    dt_interrupt_parent(dt, node);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err;
    struct dt *dt = dt_copy(data, size, &err);

    if (!dt)
        return 0;
    if (dt_index(dt, &err))
        for (unsigned i = 0; i < dt->count; i++)
            read_node(dt, &dt->nodes[i]);
    dt_find(dt, "/chosen");
    dt_free(dt);
    return 0;
}
