/* A virtio slot behind its registers, without CPUs, for fuzzing. */
#include "tests/fuzz/virtio_slot.h"

#include <stdlib.h>

#include "runtime/display/display.h"

void virtio_slot_write(struct virtio_slot *s, unsigned offset, uint32_t value)
{
    bus_write(s->bus, SLOT_BASE + offset, 4, value, 0);
}

bool virtio_slot_open(struct virtio_slot *s, struct virtio_function *function)
{
    struct error err;

    *s = (struct virtio_slot){.function = function, .reg = {SLOT_BASE, 0x200}};
    s->bus = bus_new(&s->log);
    clock_init(&s->clock);
    s->env = (struct device_env){
        .name = "slot",
        .path = "/slot",
        .compatible = VIRTIO_MMIO_COMPATIBLE,
        .reg_count = 1,
        .reg = &s->reg,
        .cpu_count = 1,
        .bus = s->bus,
        .clock = &s->clock,
        .log = &s->log,
        .virtio = s->function,
        .display = display_new(s->bus),
    };
    if (!s->function || !bus_add_ram(s->bus, "ram", SLOT_RAM, SLOT_RAM_SIZE, &err))
        return false;
    s->cls = device_class_by_name("virtio_mmio");
    s->dev = s->cls->create(&s->env, &err);
    return s->dev != NULL;
}

void virtio_slot_close(struct virtio_slot *s)
{
    virtio_function_free(s->function);
    if (s->dev)
        s->cls->destroy(s->dev);
    display_free(s->env.display);
    clock_free(&s->clock);
    bus_free(s->bus);
}

static void start_queue(struct virtio_slot *s, unsigned queue)
{
    virtio_slot_write(s, 0x30, queue);
    virtio_slot_write(s, 0x38, SLOT_QUEUE);
    virtio_slot_write(s, 0x80, (uint32_t)SLOT_DESC(queue));
    virtio_slot_write(s, 0x90, (uint32_t)SLOT_AVAIL(queue));
    virtio_slot_write(s, 0xa0, (uint32_t)SLOT_USED(queue));
    virtio_slot_write(s, 0x44, 1);
}

/* Section 3.1.1. */
void virtio_slot_start(struct virtio_slot *s, unsigned features)
{
    virtio_slot_write(s, 0x70, 3);
    virtio_slot_write(s, 0x20, (features & 3) << 28);
    virtio_slot_write(s, 0x24, 1);
    virtio_slot_write(s, 0x20, 1);
    virtio_slot_write(s, 0x70, 11);
    for (unsigned queue = 0; queue < SLOT_QUEUES; queue++)
        start_queue(s, queue);
    virtio_slot_write(s, 0x70, 15);
}

void virtio_slot_offer(struct virtio_slot *s, unsigned queue, unsigned head)
{
    uint16_t *offered = &s->offered[queue];

    bus_write(s->bus, SLOT_AVAIL(queue) + 4 + 2 * (uint64_t)(*offered % SLOT_QUEUE), 2, head, 0);
    bus_write(s->bus, SLOT_AVAIL(queue) + 2, 2, ++*offered, 0);
    virtio_slot_write(s, 0x50, queue);
}

void virtio_slot_look(struct virtio_slot *s)
{
    const struct virtio_function_class *cls = s->function->cls;
    struct state_buf contents = {0};
    struct image image = {0};
    struct error err;

    display_grab(s->env.display, &image);
    image_free(&image);
    if (!cls->save)
        return;
    cls->save(s->function, &contents);
    if (!cls->load(s->function, contents.data, contents.len, true, &err))
        abort();
    state_buf_free(&contents);
}
