/*
 * Memory that a board has besides its RAM: on-chip SRAM shared with firmware, static memory, and
 * video memory for which the tree has only a reservation.
 *
 * Regions     reg[0], RAM; rounded up to whole 4 KB pages
 * Interrupts  none
 * Clocks      none
 * Bounds      none is needed: memory does nothing
 * Manual      none: plain memory; its contents are part of the bus's RAM
 */
#include "runtime/base/bits.h"
#include "runtime/dev/device.h"

static void *create_sram(const struct device_env *env, struct error *err)
{
    const struct bus_region *region;

    if (!env->reg_count)
        return device_error(env, err, "the node has no reg");
    region = bus_find(env->bus, env->reg[0].base);
    if (region && region->kind == BUS_RAM)
        return (void *)region; /* a reserved part of the RAM */
    region = bus_add_ram(env->bus, env->name, env->reg[0].base,
                         align_up(env->reg[0].size, BUS_PAGE_SIZE), err);
    if (!region)
        error_prefix(err, "%s: ", env->path);
    return (void *)region;
}

static const char *const compatible[] = {"mmio-sram", "mtd-ram", "shared-dma-pool", NULL};

const struct device_class sram_class = {
    .name = "sram",
    .summary = "memory besides the RAM: SRAM, static memory, video memory",
    .compatible = compatible,
    .create = create_sram,
};
