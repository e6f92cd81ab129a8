/*
 * The bare runner's page of device registers: a write to offset 0 prints a character, a write to
 * offset 4 ends the run.
 */
#include "runtime/bare/bare.h"

#include <stdio.h>

enum { REGISTER_PRINT = 0, REGISTER_END = 4 };

static uint64_t io_read(void *dev, uint64_t offset, unsigned size, unsigned cpu)
{
    (void)dev, (void)offset, (void)size, (void)cpu;
    return 0;
}

static void io_write(void *dev, uint64_t offset, uint64_t value, unsigned size, unsigned cpu)
{
    struct bare *b = dev;

    (void)size, (void)cpu;
    if (offset == REGISTER_PRINT)
        putchar((int)(value & 0xff));
    else if (offset == REGISTER_END)
        bare_end(b, (int)(value & 0xff));
}

bool bare_add_io(struct bare *b, struct error *err)
{
    static const struct mmio_ops ops = {.read = io_read, .write = io_write};
    struct bus_range page = {bare_bus_address(b, b->io), CPU_PAGE_SIZE};

    return b->io == BARE_NO_IO || bus_add_mmio(b->bus, "io", page, &ops, b, err);
}
