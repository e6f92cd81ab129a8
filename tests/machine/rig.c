/* Builds a virtio slot on the test bench, and does what a driver does with queue memory. */

#include "tests/machine/rig.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/display/display.h"

struct rig *rig_new(struct virtio_function *f)
{
    struct rig *r = xcalloc(1, sizeof(*r));

    r->b = bench_new();
    r->f = f;
    r->b->env.virtio = f;
    r->b->env.display = display_new(r->b->bus);
    r->b->reg[0].size = 0x200;
    assert_non_null(bus_add_ram(r->b->bus, "ram", RAM, RAM_SIZE, NULL));
    bench_create(r->b, "virtio_mmio");
    return r;
}

void rig_free(struct rig *r)
{
    struct display *display = r->b->env.display;

    virtio_function_free(r->f);
    bench_free(r->b);
    display_free(display);
    free(r);
}

uint32_t rig_read(struct rig *r, unsigned offset)
{
    return bench_read(r->b, offset);
}

void rig_write(struct rig *r, unsigned offset, uint32_t value)
{
    bench_write(r->b, offset, value);
}

void rig_put(struct rig *r, uint64_t at, unsigned size, uint64_t value)
{
    uint8_t bytes[8];

    le_put(bytes, size, value);
    assert_true(bus_copy_to(r->b->bus, at, bytes, size));
}

uint64_t rig_get(struct rig *r, uint64_t at, unsigned size)
{
    uint8_t bytes[8];

    assert_true(bus_copy_from(r->b->bus, at, bytes, size));
    return le_get(bytes, size);
}

static void write_address(struct rig *r, unsigned offset, uint64_t address)
{
    rig_write(r, offset, (uint32_t)address);
    rig_write(r, offset + 4, (uint32_t)(address >> 32));
}

static void start_queue(struct rig *r, unsigned queue)
{
    rig_write(r, 0x30, queue);
    assert_true(rig_read(r, 0x34) >= QUEUE);
    rig_write(r, 0x38, QUEUE);
    write_address(r, 0x80, DESC);
    write_address(r, 0x90, AVAIL);
    write_address(r, 0xa0, USED);
    rig_write(r, 0x44, 1);
    assert_int_equal(rig_read(r, 0x44), 1);
}

bool rig_start(struct rig *r, uint64_t features, unsigned queue)
{
    rig_write(r, 0x70, 0);
    rig_write(r, 0x70, 1);
    rig_write(r, 0x70, 3);
    rig_write(r, 0x24, 0);
    rig_write(r, 0x20, (uint32_t)features);
    rig_write(r, 0x24, 1);
    rig_write(r, 0x20, (uint32_t)(features >> 32));
    rig_write(r, 0x70, 11);
    if (rig_read(r, 0x70) != 11)
        return false;
    start_queue(r, queue);
    rig_write(r, 0x70, STATUS_OK);
    r->offered = r->used = 0;
    rig_put(r, AVAIL, 4, 0);
    rig_put(r, USED, 4, 0);
    return true;
}

void rig_desc(struct rig *r, uint64_t at, uint64_t addr, uint32_t len, unsigned flags,
              unsigned next)
{
    rig_put(r, at, 8, addr);
    rig_put(r, at + 8, 4, len);
    rig_put(r, at + 12, 2, flags);
    rig_put(r, at + 14, 2, next);
}

void rig_wait(struct rig *r, uint64_t ns)
{
    bench_run_to(r->b, clock_now(&r->b->clock) + ns);
}

void rig_offer(struct rig *r, unsigned queue, unsigned head)
{
    rig_put(r, AVAIL + 4 + 2 * (r->offered % QUEUE), 2, head);
    rig_put(r, AVAIL + 2, 2, ++r->offered);
    rig_write(r, 0x50, queue);
    rig_wait(r, 1000000);
}

int rig_take(struct rig *r, uint32_t *len)
{
    uint64_t entry = USED + 4 + 8 * (r->used % QUEUE);

    if ((uint16_t)rig_get(r, USED + 2, 2) == r->used)
        return -1;
    r->used++;
    *len = (uint32_t)rig_get(r, entry + 4, 4);
    return (int)rig_get(r, entry, 4);
}
